/* Reader: one value at a time, and iterators over it that leave it where they stopped. */
#include "options.h"

/* ---- life ---- */

bool flua_open_object(lua_State *L, const Opener *opener, int options_index, unsigned who, Options *options,
                      int *results) {
  fastio_error err;
  fastio_error_init(&err);
  luaL_checkany(L, 1);
  Source *source = flua_new(L, opener->type, opener->size);
  lua_newtable(L);
  int anchor = lua_gettop(L);
  lua_pushvalue(L, anchor);
  flua_setuservalue(L, anchor - 1);
  flua_options(L, options_index, anchor, who, options);
  /* Values come one by one too fast for a look at Lua's hooks; batches of a table do not. */
  if (options->has_progress || options->has_bar || who & FLUA_CSV) flua_source_set_poll(source, options);
  fastio_status status = flua_source_open(L, source, 1, anchor, options, &err);
  if (!status) {
    flua_enter(L, &source->bridge, anchor);
    status = opener->open(source, options, &err);
    flua_leave(&source->bridge);
  }
  if (status || source->bridge.failed) {
    int path = lua_gettop(L) + 1 - source->bridge.failed;
    lua_rawgeti(L, anchor, FLUA_ANCHOR_PATH);
    lua_insert(L, path);
    opener->close(source);
    *results = source->bridge.failed ? flua_callback_failed(L, &source->bridge) : flua_fail(L, &err, path);
    return false;
  }
  lua_settop(L, anchor - 1);
  return true;
}

static fastio_status open_reader(void *object, const Options *options, fastio_error *err) {
  Reader *reader = object;
  return fastio_reader_open(reader->source.handle, &options->read, &reader->handle, err);
}

/* What a reader is redirected to; anchored by what it was before. */
typedef struct Diversion {
  Source source; /* first: collected as that of a call */
  struct Diversion *before;
  bool has_held; /* of the reader, for afterwards */
  uint64_t held;
} Diversion;

void flua_close_reader(Reader *reader) {
  fastio_reader_close(reader->handle);
  reader->handle = NULL;
  for (Diversion *diversion = reader->diversion; diversion; diversion = diversion->before) {
    flua_source_close(&diversion->source);
  }
  reader->diversion = NULL;
  flua_source_close(&reader->source);
}

static void close_object(void *object) { flua_close_reader(object); }

bool flua_open_reader(lua_State *L, int type, size_t size, int options_index, unsigned who, Options *options,
                      int *results) {
  const Opener opener = {type, size, open_reader, close_object};
  if (!flua_open_object(L, &opener, options_index, who, options, results)) return false;
  Reader *reader = lua_touserdata(L, -1);
  reader->int64 = options->int64;
  reader->decode = options->decode;
  reader->is_unsigned = options->read.type == FASTIO_UINT64;
  return true;
}

/* The reader at `index`, which is 1 in a method and an upvalue in an iterator. */
static Reader *check_open_reader(lua_State *L, int index) {
  Reader *reader = flua_check(L, index, FLUA_READER);
  if (!reader->handle) luaL_error(L, "the reader is closed");
  if (reader->source.bridge.busy) luaL_error(L, "the reader is in use: its own callback can't use it");
  return reader;
}

static int close_reader(lua_State *L) {
  Reader *reader = flua_check(L, 1, FLUA_READER);
  if (reader->source.bridge.busy) return luaL_error(L, "the reader is in use: its own callback can't close it");
  flua_close_reader(reader);
  return 0;
}

/* ---- calls of the core ---- */

typedef struct Value {
  fastio_status status;
  fastio_error err;
  union {
    int64_t i64;
    uint64_t u64;
    double f64;
  } as;
  const char *text;
  size_t size;
} Value;

typedef void (*operation)(Reader *reader, Value *value);

static void next_int(Reader *reader, Value *value) {
  value->status = reader->is_unsigned ? fastio_next_u64(reader->handle, &value->as.u64, &value->err)
                                      : fastio_next_i64(reader->handle, &value->as.i64, &value->err);
}

static void next_float(Reader *reader, Value *value) {
  value->status = fastio_next_f64(reader->handle, &value->as.f64, &value->err);
}

static void next_token(Reader *reader, Value *value) {
  value->status = fastio_next_token(reader->handle, &value->text, &value->size, &value->err);
}

static void next_line(Reader *reader, Value *value) {
  value->status = fastio_next_line(reader->handle, &value->text, &value->size, &value->err);
}

static void expect_bytes(Reader *reader, Value *value) {
  value->status = fastio_expect(reader->handle, value->text, value->size, &value->err);
}

static void skip_token(Reader *reader, Value *value) { value->status = fastio_skip(reader->handle, &value->err); }

static void fail_here(Reader *reader, Value *value) {
  value->status = fastio_reader_fail(reader->handle, FASTIO_BAD_TOKEN, value->text, &value->err);
}

static void peek_token(Reader *reader, Value *value) {
  value->status = fastio_peek_token(reader->handle, &value->text, &value->size, &value->err);
}

/* Pushes the anchor table of what is being read. */
static void push_anchor(lua_State *L, const Reader *reader, int index) {
  flua_getuservalue(L, index);
  if (!reader->diversion) return;
  lua_rawgeti(L, -1, FLUA_ANCHOR_TARGET);
  flua_getuservalue(L, -1);
}

/* A redirected reader may call back for both its sources: for progress the first one. */
static void run_diverted(lua_State *L, Reader *reader, int index, operation work, Value *value) {
  Bridge *outer = &reader->source.bridge, *inner = &reader->diversion->source.bridge;
  flua_getuservalue(L, index);
  int anchor = lua_gettop(L);
  push_anchor(L, reader, index);
  flua_enter_both(L, outer, anchor, inner, lua_gettop(L));
  work(reader, value);
  flua_leave_both(outer, inner);
}

/* Runs one operation on the reader at `index`. Only a source that may call back into Lua needs the bracket, which
 * costs as much as the operation. */
static fastio_status run(lua_State *L, Reader *reader, int index, operation work, Value *value) {
  Bridge *bridge = &reader->source.bridge;
  const Source *source = reader->diversion ? &reader->diversion->source : &reader->source;
  if (!flua_is_alive(&source->bridge, &value->err)) {
    value->status = value->err.status;
  } else if (reader->diversion && (bridge->calls_lua || source->bridge.calls_lua)) {
    run_diverted(L, reader, index, work, value);
    if (bridge->failed) value->status = FASTIO_CALLBACK_FAILED;
  } else if (source->bridge.calls_lua) {
    flua_getuservalue(L, index);
    flua_enter(L, bridge, lua_gettop(L));
    work(reader, value);
    flua_leave(bridge);
    if (bridge->failed) value->status = FASTIO_CALLBACK_FAILED;
  } else {
    work(reader, value);
  }
  return value->status;
}

/* The results of an operation that gave no value: nil at the end, else four. */
static int fail(lua_State *L, Reader *reader, int index, Value *value) {
  if (reader->source.bridge.failed) return flua_callback_failed(L, &reader->source.bridge);
  if (value->status == FASTIO_END) return flua_nil(L);
  push_anchor(L, reader, index);
  lua_rawgeti(L, -1, FLUA_ANCHOR_PATH);
  return flua_fail(L, &value->err, lua_gettop(L));
}

/* ---- one value: pushed, or the failure's results ---- */

/* An integer that this Lua can't hold is gone from the core; here it stays the next token, as one does that is no
 * number. */
static fastio_status push_integer(lua_State *L, Reader *reader, Value *value) {
  value->status = reader->is_unsigned ? flua_push_u64(L, value->as.u64, reader->int64, &value->err)
                                      : flua_push_i64(L, value->as.i64, reader->int64, &value->err);
  reader->has_held = value->status != FASTIO_OK;
  if (reader->has_held) reader->held = value->as.u64;
  return value->status;
}

static int take_int(lua_State *L, int index) {
  Reader *reader = check_open_reader(L, index);
  Value value;
  if (reader->has_held) {
    value.as.u64 = reader->held;
  } else if (run(L, reader, index, next_int, &value)) {
    return fail(L, reader, index, &value);
  }
  return push_integer(L, reader, &value) ? fail(L, reader, index, &value) : 1;
}

static int take_float(lua_State *L, int index) {
  Reader *reader = check_open_reader(L, index);
  Value value;
  reader->has_held = false;
  if (run(L, reader, index, next_float, &value)) return fail(L, reader, index, &value);
  lua_pushnumber(L, value.as.f64);
  return 1;
}

static int take_text(lua_State *L, int index, operation work) {
  Reader *reader = check_open_reader(L, index);
  Value value;
  reader->has_held = false;
  if (run(L, reader, index, work, &value)) return fail(L, reader, index, &value);
  lua_pushlstring(L, value.text, value.size);
  return 1;
}

/* ---- methods ---- */

static int read_int(lua_State *L) { return take_int(L, 1); }

static int read_float(lua_State *L) { return take_float(L, 1); }

static int read_token(lua_State *L) { return take_text(L, 1, next_token); }

static int read_line(lua_State *L) { return take_text(L, 1, next_line); }

/* expect(text) -> true */
static int expect(lua_State *L) {
  Reader *reader = check_open_reader(L, 1);
  Value value;
  value.text = luaL_checklstring(L, 2, &value.size);
  reader->has_held = false;
  if (run(L, reader, 1, expect_bytes, &value)) return fail(L, reader, 1, &value);
  lua_pushboolean(L, 1);
  return 1;
}

static int skip(lua_State *L) {
  Reader *reader = check_open_reader(L, 1);
  Value value;
  if (!reader->has_held && run(L, reader, 1, skip_token, &value)) return fail(L, reader, 1, &value);
  reader->has_held = false;
  lua_pushboolean(L, 1);
  return 1;
}

/* peek_token() -> the next token, which stays */
static int peek(lua_State *L) { return take_text(L, 1, peek_token); }

/* fail(message) -> the four results of a failure at the next token, which stays */
static int fail_at_token(lua_State *L) {
  Reader *reader = check_open_reader(L, 1);
  Value value;
  value.text = luaL_checkstring(L, 2);
  run(L, reader, 1, fail_here, &value);
  return fail(L, reader, 1, &value);
}

/* ---- scan ---- */

/* The method of a user's type: a metamethod, or a field of the class. */
static bool push_scanner(lua_State *L, int index) {
  if (luaL_getmetafield(L, index, "__fastio_scan")) return true;
  if (!lua_istable(L, index)) return false;
  lua_getfield(L, index, "__fastio_scan");
  return !lua_isnil(L, -1);
}

/* __fastio_scan(class, reader) -> the value; nil at the end; nil, message, ... is passed on. */
static int scan_own(lua_State *L, int index) {
  int top = lua_gettop(L);
  if (!push_scanner(L, index))
    luaL_argerror(L, index, "'int', 'float', 'token', 'line' or a type with __fastio_scan expected");
  lua_pushvalue(L, index);
  lua_pushvalue(L, 1);
  lua_call(L, 2, LUA_MULTRET);
  int results = lua_gettop(L) - top;
  if (results > 1 && lua_isnil(L, top + 1) && !lua_isnil(L, top + 2)) return results;
  lua_settop(L, top + 1);
  return 1;
}

static int scan_one(lua_State *L, int index) {
  static const char *const words[] = {"int", "float", "token", "line", NULL};
  if (lua_type(L, index) != LUA_TSTRING) return scan_own(L, index);
  switch (luaL_checkoption(L, index, NULL, words)) {
    case 0: return take_int(L, 1);
    case 1: return take_float(L, 1);
    case 2: return take_text(L, 1, next_token);
    default: return take_text(L, 1, next_line);
  }
}

/* scan(...) -> a value for each type */
static int scan(lua_State *L) {
  int last = lua_gettop(L);
  check_open_reader(L, 1);
  luaL_checkstack(L, last + 20, NULL);
  for (int i = 2; i <= last; i++) {
    int results = scan_one(L, i);
    if (results != 1) return results;
    if (lua_isnil(L, -1)) return 1;
    lua_insert(L, last + i - 1);
    lua_settop(L, last + i - 1);
  }
  return last - 1;
}

/* ---- redirection ---- */

static void set_diversion(lua_State *L, int anchor, int value) {
  lua_pushvalue(L, value);
  lua_rawseti(L, anchor, FLUA_ANCHOR_TARGET);
}

/* The source at 2 is read from now on. NULL: the failure's results are there. */
static Diversion *divert(lua_State *L, Reader *reader, int *results) {
  Options options;
  fastio_error err;
  fastio_error_init(&err);
  memset(&options, 0, sizeof options);
  options.decode = reader->decode;
  Diversion *diversion = flua_new(L, FLUA_CALL, sizeof *diversion);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  flua_setuservalue(L, -3);
  int anchor = lua_gettop(L);
  fastio_status status = flua_source_open(L, &diversion->source, 2, anchor, &options, &err);
  flua_getuservalue(L, 1);
  lua_rawgeti(L, -1, FLUA_ANCHOR_TARGET);
  lua_rawseti(L, anchor, FLUA_ANCHOR_TARGET); /* what it was before */
  if (!status) status = fastio_reader_redirect(reader->handle, diversion->source.handle, &err);
  if (status) {
    lua_rawgeti(L, anchor, FLUA_ANCHOR_PATH);
    *results = flua_fail(L, &err, lua_gettop(L));
    return NULL;
  }
  set_diversion(L, lua_gettop(L), anchor - 1);
  diversion->before = reader->diversion;
  diversion->has_held = reader->has_held;
  diversion->held = reader->held;
  reader->has_held = false;
  reader->diversion = diversion;
  return diversion;
}

/* One redirection less. */
static void come_back(lua_State *L, Reader *reader) {
  Diversion *diversion = reader->diversion;
  fastio_reader_redirect(reader->handle, NULL, NULL);
  flua_source_close(&diversion->source);
  reader->has_held = diversion->has_held;
  reader->held = diversion->held;
  reader->diversion = diversion->before;
  flua_getuservalue(L, 1);
  lua_rawgeti(L, -1, FLUA_ANCHOR_TARGET);
  flua_getuservalue(L, -1);
  lua_rawgeti(L, -1, FLUA_ANCHOR_TARGET);
  lua_rawseti(L, -4, FLUA_ANCHOR_TARGET);
  lua_pop(L, 3);
}

/* redirect(source, function) -> what the function returns, which reads the source. */
static int redirect_while(lua_State *L, Reader *reader) {
  int results;
  Diversion *diversion = divert(L, reader, &results), *at;
  if (!diversion) return results;
  int top = lua_gettop(L);
  lua_pushvalue(L, 3);
  bool is_good = lua_pcall(L, 0, LUA_MULTRET, 0) == 0;
  for (at = reader->diversion; at && at != diversion; at = at->before) continue;
  while (at && reader->diversion != diversion->before) come_back(L, reader);
  return is_good ? lua_gettop(L) - top : lua_error(L);
}

/* redirect(source) -> the reader, which reads the source; redirect(nil): what it read before */
static int redirect(lua_State *L) {
  Reader *reader = check_open_reader(L, 1);
  int results;
  luaL_checkany(L, 2);
  lua_settop(L, 3);
  if (!lua_isnil(L, 3)) {
    luaL_checktype(L, 3, LUA_TFUNCTION);
    return redirect_while(L, reader);
  }
  if (lua_isnil(L, 2)) {
    while (reader->diversion) come_back(L, reader);
  } else if (!divert(L, reader, &results)) {
    return results;
  }
  lua_settop(L, 1);
  return 1;
}

static int reader_offset(lua_State *L) {
  flua_push_count(L, fastio_reader_offset(check_open_reader(L, 1)->handle));
  return 1;
}

static int reader_lineno(lua_State *L) {
  flua_push_count(L, fastio_reader_line(check_open_reader(L, 1)->handle));
  return 1;
}

/* decode_errors() -> how many sequences were replaced or left out so far */
static int reader_decode_errors(lua_State *L) {
  const Reader *reader = check_open_reader(L, 1);
  flua_push_count(L, flua_source_decode_errors(reader->diversion ? &reader->diversion->source : &reader->source));
  return 1;
}

static int reader_tostring(lua_State *L) {
  const Reader *reader = flua_check(L, 1, FLUA_READER);
  lua_pushstring(L, reader->handle ? "fastio.Reader" : "fastio.Reader (closed)");
  return 1;
}

/* ---- iterators: the same, with the reader as upvalue 2 and failures raised ---- */

static int raise_failure(lua_State *L, int results) { return results == 4 ? lua_error(L) : results; }

static int step_int(lua_State *L) { return raise_failure(L, take_int(L, lua_upvalueindex(2))); }

static int step_float(lua_State *L) { return raise_failure(L, take_float(L, lua_upvalueindex(2))); }

static int step_token(lua_State *L) { return raise_failure(L, take_text(L, lua_upvalueindex(2), next_token)); }

static int step_line(lua_State *L) { return raise_failure(L, take_text(L, lua_upvalueindex(2), next_line)); }

static int make_iterator(lua_State *L, lua_CFunction step) {
  check_open_reader(L, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, step, 2);
  return 1;
}

static int ints(lua_State *L) { return make_iterator(L, step_int); }

static int floats(lua_State *L) { return make_iterator(L, step_float); }

static int tokens(lua_State *L) { return make_iterator(L, step_token); }

static int lines(lua_State *L) { return make_iterator(L, step_line); }

/* open(source[, mode][, options]) -> Reader, or a Writer */
static int open_source(lua_State *L) {
  Options options;
  int results;
  if (lua_istable(L, 2)) {
    lua_pushnil(L);
    lua_insert(L, 2);
  }
  lua_settop(L, 3);
  if (!lua_isnil(L, 2)) luaL_checktype(L, 2, LUA_TSTRING);
  const char *mode = luaL_optstring(L, 2, "r");
  bool is_binary = strcmp(mode, "rb") == 0;
  if (!is_binary && strcmp(mode, "r") != 0) {
    int writing = flua_to_mode(mode);
    if (writing < 0) luaL_argerror(L, 2, "the mode is 'r', 'rb', 'w', 'a' or 'x'");
    return flua_open_writer(L, writing);
  }
  unsigned who = is_binary ? FLUA_OPEN | FLUA_BINARY : FLUA_OPEN;
  return flua_open_reader(L, FLUA_READER, sizeof(Reader), 3, who, &options, &results) ? 1 : results;
}

static const luaL_Reg functions[] = {{"open", open_source}, {NULL, NULL}};
static const luaL_Reg metamethods[] = {
    {"__gc", close_reader}, {"__close", close_reader}, {"__tostring", reader_tostring}, {NULL, NULL}};
static const luaL_Reg methods[] = {{"read_int", read_int},
                                   {"read_float", read_float},
                                   {"read_token", read_token},
                                   {"read_line", read_line},
                                   {"expect", expect},
                                   {"skip", skip},
                                   {"peek_token", peek},
                                   {"scan", scan},
                                   {"fail", fail_at_token},
                                   {"redirect", redirect},
                                   {"ints", ints},
                                   {"floats", floats},
                                   {"tokens", tokens},
                                   {"lines", lines},
                                   {"offset", reader_offset},
                                   {"lineno", reader_lineno},
                                   {"decode_errors", reader_decode_errors},
                                   {"close", close_reader},
                                   {NULL, NULL}};

void flua_open_readers(lua_State *L) {
  flua_new_type(L, FLUA_READER, "Reader", metamethods, methods, NULL);
  flua_register(L, functions);
}
