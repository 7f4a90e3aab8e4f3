/* Reader: one value at a time, and iterators over it that leave it where they stopped. */
#include "flua.h"

/* ---- life ---- */

bool flua_open_reader(lua_State *L, int type, size_t size, int options_index, unsigned who, Options *options,
                      int *results) {
  fastio_error err;
  fastio_error_init(&err);
  luaL_checkany(L, 1);
  Reader *reader = flua_new(L, type, size);
  lua_newtable(L);
  int anchor = lua_gettop(L);
  lua_pushvalue(L, anchor);
  flua_setuservalue(L, anchor - 1);
  flua_options(L, options_index, anchor, who, options);
  Source *source = &reader->source;
  if (options->has_progress || options->has_bar) flua_source_set_poll(source, options);
  fastio_status status = flua_source_open(L, source, 1, anchor, options, &err);
  if (!status) {
    flua_enter(L, source, anchor);
    status = fastio_reader_open(source->handle, &options->read, &reader->handle, &err);
    flua_leave(source);
  }
  if (status || source->failed) {
    int path = lua_gettop(L) + 1 - source->failed;
    lua_rawgeti(L, anchor, FLUA_ANCHOR_PATH);
    lua_insert(L, path);
    flua_close_reader(reader);
    *results = source->failed ? flua_callback_failed(L, source) : flua_fail(L, &err, path);
    return false;
  }
  reader->int64 = options->int64;
  reader->is_unsigned = options->read.type == FASTIO_UINT64;
  lua_settop(L, anchor - 1);
  return true;
}

void flua_close_reader(Reader *reader) {
  fastio_reader_close(reader->handle);
  reader->handle = NULL;
  flua_source_close(&reader->source);
}

/* The reader at `index`, which is 1 in a method and an upvalue in an iterator. */
static Reader *check_open_reader(lua_State *L, int index) {
  Reader *reader = flua_check(L, index, FLUA_READER);
  if (!reader->handle) luaL_error(L, "the reader is closed");
  if (reader->source.busy) luaL_error(L, "the reader is in use: its own callback can't use it");
  return reader;
}

static int close_reader(lua_State *L) {
  Reader *reader = flua_check(L, 1, FLUA_READER);
  if (reader->source.busy) return luaL_error(L, "the reader is in use: its own callback can't close it");
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

/* Runs one operation on the reader at `index`. Only a source that may call back into Lua needs the bracket, which
 * costs as much as the operation. */
static fastio_status run(lua_State *L, Reader *reader, int index, operation work, Value *value) {
  Source *source = &reader->source;
  if (!flua_source_is_alive(source, &value->err)) {
    value->status = value->err.status;
  } else if (source->calls_lua) {
    flua_getuservalue(L, index);
    flua_enter(L, source, lua_gettop(L));
    work(reader, value);
    flua_leave(source);
    if (source->failed) value->status = FASTIO_CALLBACK_FAILED;
  } else {
    work(reader, value);
  }
  return value->status;
}

/* The results of an operation that gave no value: nil at the end, else four. */
static int fail(lua_State *L, Reader *reader, int index, Value *value) {
  if (reader->source.failed) {
    reader->source.failed = false;
    return flua_callback_failed(L, &reader->source);
  }
  if (value->status == FASTIO_END) return flua_nil(L);
  flua_getuservalue(L, index);
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

static int reader_offset(lua_State *L) {
  flua_push_count(L, fastio_reader_offset(check_open_reader(L, 1)->handle));
  return 1;
}

static int reader_lineno(lua_State *L) {
  flua_push_count(L, fastio_reader_line(check_open_reader(L, 1)->handle));
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

/* open(source[, mode][, options]) -> Reader */
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
    fastio_error err;
    flua_set_error(&err, FASTIO_UNSUPPORTED, "only modes 'r' and 'rb', for reading, are supported so far");
    return flua_fail(L, &err, 0);
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
                                   {"ints", ints},
                                   {"floats", floats},
                                   {"tokens", tokens},
                                   {"lines", lines},
                                   {"offset", reader_offset},
                                   {"lineno", reader_lineno},
                                   {"close", close_reader},
                                   {NULL, NULL}};

void flua_open_readers(lua_State *L) {
  flua_new_type(L, FLUA_READER, "Reader", metamethods, methods, NULL);
  flua_register(L, functions);
}
