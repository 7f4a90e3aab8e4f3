/* Writer: where text goes. */
#include <errno.h>
#include <stdio.h>

#include "options.h"

/* ---- life ---- */

Writer *flua_new_writer(lua_State *L) {
  Writer *writer = flua_new(L, FLUA_WRITER, sizeof *writer);
  lua_newtable(L);
  flua_setuservalue(L, -2);
  return writer;
}

/* What was collected, or is left by an error, has nobody to tell but the user. Allocates nothing. */
static void tell(lua_State *L, int index, const char *what) {
  flua_getuservalue(L, index);
  lua_rawgeti(L, -1, FLUA_ANCHOR_PATH);
  const char *path = lua_tostring(L, -1);
  fprintf(stderr, "fastio: %s%s%s\n", path ? path : "", path ? ": " : "", what);
  lua_pop(L, 2);
}

/* Closes the handle; the failure lies in err, or on the top if it is a callback's. */
static fastio_status close_handle(lua_State *L, int index, Writer *writer, fastio_error *err) {
  fastio_writer *handle = writer->handle;
  fastio_error_init(err);
  if (writer->bridge.calls_lua) {
    flua_getuservalue(L, index);
    flua_enter(L, &writer->bridge, lua_gettop(L));
  }
  writer->handle = NULL;
  fastio_status status = fastio_writer_close(handle, err);
  if (writer->bridge.calls_lua) flua_leave(&writer->bridge);
  return status;
}

/* All its bytes have gone to a file that somebody else has closed: what is left is only our part of it. */
static void discard_handle(Writer *writer) {
  fastio_writer_discard(writer->handle);
  writer->handle = NULL;
}

static int fail(lua_State *L, int index, const fastio_error *err) {
  flua_getuservalue(L, index);
  lua_rawgeti(L, -1, FLUA_ANCHOR_PATH);
  return flua_fail(L, err, lua_gettop(L));
}

/* Ends the redirection; closes what was opened for it. */
static bool turn_back(lua_State *L, int index, int *results) {
  Writer *writer = lua_touserdata(L, index);
  bool owns = writer->owns_target, is_good = true;
  if (!writer->target) return true;
  writer->target = NULL;
  writer->owns_target = false;
  flua_getuservalue(L, index);
  lua_rawgeti(L, -1, FLUA_ANCHOR_TARGET);
  if (owns) is_good = flua_writer_close(L, lua_gettop(L), true, results);
  return is_good;
}

bool flua_writer_close(lua_State *L, int index, bool is_good, int *results) {
  Writer *writer = lua_touserdata(L, index);
  fastio_error err, ignored;
  bool is_back = turn_back(L, index, results);
  int top = lua_gettop(L);
  if (!writer->handle) return is_back;
  if (!is_good || !flua_is_alive(&writer->bridge, &ignored)) {
    discard_handle(writer);
    return is_back;
  }
  fastio_status status = close_handle(L, index, writer, &err);
  if (!status) {
    lua_settop(L, top);
    return is_back;
  }
  *results = writer->bridge.failed ? flua_callback_failed(L, &writer->bridge) : fail(L, index, &err);
  return false;
}

/* Not closed: flushed. An atomic one has not come to its end. */
static int collect_writer(lua_State *L) {
  Writer *writer = flua_check(L, 1, FLUA_WRITER);
  fastio_error err;
  if (!writer->handle) return 0;
  if (writer->is_atomic || writer->is_of_call || !flua_is_alive(&writer->bridge, &err)) {
    if (writer->is_atomic && !writer->is_of_call) tell(L, 1, "the writer was not closed: the file stays as it was");
    discard_handle(writer);
  } else if (close_handle(L, 1, writer, &err)) {
    if (writer->bridge.failed && lua_istable(L, -1)) lua_getfield(L, -1, "message");
    const char *message = writer->bridge.failed ? lua_tostring(L, -1) : flua_error_text(&err);
    tell(L, 1, message ? message : "the destination's write failed");
  }
  return 0;
}

static Writer *check_writer(lua_State *L, int index) {
  Writer *writer = flua_check(L, index, FLUA_WRITER);
  if (writer->bridge.busy) luaL_error(L, "the writer is in use: its own callback can't use it");
  return writer;
}

/* The writer that its bytes go to. */
Writer *flua_check_open_writer(lua_State *L, int index) {
  Writer *writer = flua_check(L, index, FLUA_WRITER);
  while (writer->target) writer = writer->target;
  if (writer->bridge.busy) luaL_error(L, "the writer is in use: its own callback can't use it");
  if (!writer->handle) luaL_error(L, "the writer is closed");
  return writer;
}

void flua_push_target(lua_State *L, int index) {
  lua_pushvalue(L, index);
  for (const Writer *writer = lua_touserdata(L, index); writer->target; writer = writer->target) {
    flua_getuservalue(L, -1);
    lua_rawgeti(L, -1, FLUA_ANCHOR_TARGET);
    lua_replace(L, -3);
    lua_pop(L, 1);
  }
}

/* Pushes the anchor table of that writer. */
static void push_anchor(lua_State *L, int index) {
  flua_push_target(L, index);
  flua_getuservalue(L, -1);
}

/* close() -> true */
static int close_writer(lua_State *L) {
  int results;
  check_writer(L, 1);
  if (!flua_writer_close(L, 1, true, &results)) return results;
  lua_pushboolean(L, 1);
  return 1;
}

static int discard_writer(lua_State *L) {
  int results;
  check_writer(L, 1);
  if (!flua_writer_close(L, 1, false, &results)) return results;
  return 0;
}

/* A failure whose info table is on the top, where another error is on its way. */
static void tell_failure(lua_State *L) {
  lua_getfield(L, -1, "message");
  const char *message = lua_tostring(L, -1);
  fprintf(stderr, "fastio: %s\n", message ? message : "closing failed");
}

/* The end of a block of Lua 5.4 with a <close> variable: the second argument is the error that ends it, or nil. */
static int leave_block(lua_State *L) {
  Writer *writer = check_writer(L, 1);
  bool has_error = !lua_isnoneornil(L, 2);
  int results;
  if (flua_writer_close(L, 1, !(has_error && writer->is_atomic), &results)) return 0;
  if (!has_error) return lua_error(L); /* the info table, which is the last result */
  tell_failure(L);
  return 0;
}

/* ---- an object with a method `write`, in protected mode (bridge.c): the anchor table is at 1 ---- */

static void call_write(lua_State *L, Bridge *bridge) {
  const Writer *writer = (const Writer *)bridge;
  lua_rawgeti(L, 1, FLUA_ANCHOR_SUBJECT);
  lua_getfield(L, -1, "write");
  lua_insert(L, -2);
  lua_pushlstring(L, writer->piece, writer->piece_size);
  lua_call(L, 2, 3);
  flua_check_answer(L, bridge, lua_gettop(L) - 2);
}

static void call_flush(lua_State *L, Bridge *bridge) {
  lua_rawgeti(L, 1, FLUA_ANCHOR_SUBJECT);
  if (!flua_has_method(L, -1, "flush")) return;
  lua_getfield(L, -1, "flush");
  lua_insert(L, -2);
  lua_call(L, 1, 3);
  flua_check_answer(L, bridge, lua_gettop(L) - 2);
}

static fastio_status write_lua(void *ctx, const void *data, size_t size, size_t *put, fastio_error *err) {
  Writer *writer = ctx;
  writer->piece = data;
  writer->piece_size = size;
  if (!flua_call_back(&writer->bridge, call_write)) {
    flua_set_error(err, FASTIO_CALLBACK_FAILED, "the destination's write failed");
    return FASTIO_CALLBACK_FAILED;
  }
  if (!flua_is_alive(&writer->bridge, err)) return err->status;
  *put = size;
  return FASTIO_OK;
}

static fastio_status flush_lua(void *ctx, fastio_error *err) {
  Writer *writer = ctx;
  if (flua_call_back(&writer->bridge, call_flush)) return FASTIO_OK;
  flua_set_error(err, FASTIO_CALLBACK_FAILED, "the destination's flush failed");
  return FASTIO_CALLBACK_FAILED;
}

/* ---- a C stream: its own buffer is the only one, so that what Lua's io library writes to it comes between ---- */

static fastio_status fail_os(fastio_error *err) {
  int error = errno ? errno : EIO;
  flua_set_error(err, FASTIO_OS_ERROR, NULL);
  err->os_error = error;
  return FASTIO_OS_ERROR;
}

static fastio_status write_stream(void *ctx, const void *data, size_t size, size_t *put, fastio_error *err) {
  const Writer *writer = ctx;
  errno = 0;
  *put = fwrite(data, 1, size, writer->stream);
  return *put < size ? fail_os(err) : FASTIO_OK;
}

static fastio_status flush_stream(void *ctx, fastio_error *err) {
  const Writer *writer = ctx;
  errno = 0;
  return fflush(writer->stream) ? fail_os(err) : FASTIO_OK;
}

/* ---- opening ---- */

static void set_path(lua_State *L, int anchor, const char *path) {
  lua_pushstring(L, path);
  lua_rawseti(L, anchor, FLUA_ANCHOR_PATH);
}

fastio_status flua_open_stream(Writer *writer, FILE *stream, const fastio_write_options *options, fastio_error *err) {
  fastio_output_device device = {writer, write_stream, flush_stream, NULL};
  fastio_write_options unbuffered = *options;
  unbuffered.buffering = FASTIO_BUFFER_NONE;
  writer->stream = stream;
  return fastio_writer_device(&device, &unbuffered, &writer->handle, err);
}

static fastio_status open_file(lua_State *L, Writer *writer, int index, void *file, const fastio_write_options *options,
                               fastio_error *err) {
  FILE *stream = flua_file_of(file);
  if (!stream) luaL_argerror(L, index, "the file is closed");
  writer->bridge.file = file;
  return flua_open_stream(writer, stream, options, err);
}

static fastio_status open_path(lua_State *L, Writer *writer, int index, int anchor, const fastio_write_options *options,
                               fastio_error *err) {
  size_t size;
  const char *path = lua_tolstring(L, index, &size);
  bool is_stdout = strcmp(path, "-") == 0;
  if (strlen(path) != size) luaL_argerror(L, index, "the path has a NUL byte in it");
  set_path(L, anchor, is_stdout ? "<stdout>" : path);
  if (is_stdout) fflush(stdout); /* what print and io.write have left there comes first */
  return fastio_writer_open(path, options, &writer->handle, err);
}

static fastio_status open_fd(lua_State *L, Writer *writer, int index, int anchor, const fastio_write_options *options,
                             fastio_error *err) {
  char name[32];
  uint64_t fd;
  if (!flua_to_u64(L, index, &fd) || fd > INT32_MAX) luaL_argerror(L, index, "a file descriptor is an integer from 0");
  snprintf(name, sizeof name, "<fd %d>", (int)fd);
  set_path(L, anchor, name);
  return fastio_writer_fd((int)fd, options, &writer->handle, err);
}

static fastio_status open_object(lua_State *L, Writer *writer, int index, const fastio_write_options *options,
                                 fastio_error *err) {
  fastio_output_device device = {writer, write_lua, flush_lua, NULL};
  if (!flua_has_method(L, index, "write")) {
    lua_pushfstring(L, "a path, a file descriptor, a file, a Writer or an object with a write method expected, got %s",
                    luaL_typename(L, index));
    luaL_argerror(L, index, lua_tostring(L, -1));
  }
  writer->bridge.calls_lua = true;
  return fastio_writer_device(&device, options, &writer->handle, err);
}

fastio_status flua_writer_open(lua_State *L, int object, int index, const fastio_write_options *options,
                               fastio_error *err) {
  Writer *writer = lua_touserdata(L, object);
  flua_getuservalue(L, object);
  int anchor = lua_gettop(L);
  lua_pushvalue(L, index);
  lua_rawseti(L, anchor, FLUA_ANCHOR_SUBJECT);
  writer->is_atomic = options->flags & FASTIO_WRITE_ATOMIC;
  void *file = flua_to_file(L, index);
  if (lua_type(L, index) == LUA_TSTRING) return open_path(L, writer, index, anchor, options, err);
  if (lua_type(L, index) == LUA_TNUMBER) return open_fd(L, writer, index, anchor, options, err);
  if (file) return open_file(L, writer, index, file, options, err);
  return open_object(L, writer, index, options, err);
}

/* open(dest, mode[, options]) -> Writer; the three arguments are there */
int flua_open_writer(lua_State *L, int mode) {
  enum { OPTIONS = 3, WRITER };
  Options options;
  fastio_error err;
  fastio_error_init(&err);
  flua_new_writer(L);
  flua_getuservalue(L, WRITER);
  flua_options(L, OPTIONS, WRITER + 1, FLUA_DEST, &options);
  options.write.mode = mode;
  if (flua_writer_open(L, WRITER, 1, &options.write, &err)) return fail(L, WRITER, &err);
  lua_settop(L, WRITER);
  return 1;
}

Writer *flua_new_memory(lua_State *L) {
  fastio_error err;
  Writer *writer = flua_new_writer(L);
  writer->is_memory = true;
  fastio_error_init(&err);
  if (fastio_writer_memory(NULL, &writer->handle, &err)) flua_raise(L, &err, 0);
  return writer;
}

/* writer() -> a Writer into memory */
static int writer_in_memory(lua_State *L) {
  flua_new_memory(L);
  return 1;
}

/* ---- calls of the core: between begin and finish no Lua error can happen ---- */

static void begin(lua_State *L, Writer *writer, fastio_error *err) {
  if (!flua_is_alive(&writer->bridge, err)) flua_raise(L, err, 0);
  if (!writer->bridge.calls_lua) return;
  push_anchor(L, 1);
  flua_enter(L, &writer->bridge, lua_gettop(L));
}

/* The writer itself, for the next method; or the failure's results. */
static int finish(lua_State *L, Writer *writer, fastio_status status, const fastio_error *err) {
  if (writer->bridge.calls_lua) flua_leave(&writer->bridge);
  if (!status) {
    lua_settop(L, 1);
    return 1;
  }
  if (writer->bridge.failed) return flua_callback_failed(L, &writer->bridge);
  push_anchor(L, 1);
  lua_rawgeti(L, -1, FLUA_ANCHOR_PATH);
  return flua_fail(L, err, lua_gettop(L));
}

/* The values from 2 to `last`, which are plain, with texts between and behind them: together, as one record. */
static int write_values(lua_State *L, Writer *writer, int last, const char *separator, const char *end) {
  fastio_error err, unlocking;
  fastio_status status = FASTIO_OK;
  begin(L, writer, &err);
  fastio_writer *out = fastio_writer_lock(writer->handle);
  for (int i = 2; i <= last && !status; i++) {
    if (i > 2 && *separator) status = fastio_write(out, separator, 1, &err);
    if (!status) status = flua_write_plain(L, i, out, &err);
  }
  if (!status && *end) status = fastio_write(out, end, 1, &err);
  fastio_status unlocked = fastio_writer_unlock(writer->handle, &unlocking);
  return status ? finish(L, writer, status, &err) : finish(L, writer, unlocked, &unlocking);
}

/* ---- methods ---- */

/* write(...) -> the writer. Strings and numbers, as io.write; nothing is written if one of them is something else. */
static int write_all(lua_State *L) {
  Writer *writer = flua_check_open_writer(L, 1);
  fastio_error err;
  int last = lua_gettop(L);
  for (int i = 2; i <= last; i++) {
    if (lua_type(L, i) != LUA_TSTRING && lua_type(L, i) != LUA_TNUMBER) luaL_checklstring(L, i, NULL);
  }
  if (last != 2) return write_values(L, writer, last, "", "");
  begin(L, writer, &err);
  return finish(L, writer, flua_write_plain(L, 2, writer->handle, &err), &err);
}

/* print(...) -> the writer. As Lua's print: tabs between the values, a newline behind them. */
static int print(lua_State *L) {
  flua_check_open_writer(L, 1);
  int last = lua_gettop(L);
  luaL_checkstack(L, 16, NULL);
  for (int i = 2; i <= last; i++) {
    if (flua_is_plain(L, i)) continue;
    flua_push_text(L, i, NULL);
    lua_replace(L, i);
  }
  return write_values(L, flua_check_open_writer(L, 1), last, "\t", "\n");
}

/* write_int(value[, format]) -> the writer */
static int write_int(lua_State *L) {
  Writer *writer = flua_check_open_writer(L, 1);
  const Format *format = flua_check_format(L, 3);
  fastio_error err;
  Whole whole;
  if (!flua_to_whole(L, 2, &whole)) luaL_argerror(L, 2, "an integer expected");
  begin(L, writer, &err);
  const fastio_format *how = format ? &format->how : NULL;
  fastio_status status = whole.is_negative ? fastio_write_i64_as(writer->handle, (int64_t)whole.bits, how, &err)
                                           : fastio_write_u64_as(writer->handle, whole.bits, how, &err);
  return finish(L, writer, status, &err);
}

/* write_float(value[, format]) -> the writer */
static int write_float(lua_State *L) {
  Writer *writer = flua_check_open_writer(L, 1);
  const Format *format = flua_check_format(L, 3);
  fastio_error err;
  double value = (double)luaL_checknumber(L, 2);
  begin(L, writer, &err);
  return finish(L, writer, fastio_write_f64_as(writer->handle, value, format ? &format->how : NULL, &err), &err);
}

static int flush(lua_State *L) {
  Writer *writer = flua_check_open_writer(L, 1);
  fastio_error err;
  begin(L, writer, &err);
  return finish(L, writer, fastio_flush(writer->handle, &err), &err);
}

static int sync_writer(lua_State *L) {
  Writer *writer = flua_check_open_writer(L, 1);
  fastio_error err;
  begin(L, writer, &err);
  return finish(L, writer, fastio_sync(writer->handle, &err), &err);
}

/* tell() -> how many bytes it has taken since it was opened */
static int tell_offset(lua_State *L) {
  flua_push_count(L, fastio_writer_offset(flua_check_open_writer(L, 1)->handle));
  return 1;
}

/* value() -> the string that a writer into memory holds */
static int value(lua_State *L) {
  const Writer *writer = check_writer(L, 1);
  fastio_bytes bytes;
  fastio_error err;
  if (!writer->is_memory) luaL_argerror(L, 1, "only a writer into memory has a value");
  if (!writer->handle) return luaL_error(L, "the writer is closed");
  fastio_error_init(&err);
  if (fastio_writer_bytes(writer->handle, &bytes, &err)) return flua_fail(L, &err, 0);
  lua_pushlstring(L, bytes.data, bytes.size);
  return 1;
}

/* ---- redirection ---- */

static bool leads_to(const Writer *at, const Writer *writer) {
  while (at && at != writer) at = at->target;
  return at != NULL;
}

/* Pushes the Writer of the dest at 2: itself, or one that is opened. NULL: the failure's results are there. */
static Writer *push_target(lua_State *L, Writer *writer, bool *owns, int *results) {
  Writer *target = lua_touserdata(L, 2);
  fastio_write_options options;
  fastio_error err;
  *owns = !target || !flua_is_type(L, 2, FLUA_WRITER);
  if (!*owns) {
    if (!target->handle) luaL_argerror(L, 2, "the writer is closed");
    if (leads_to(target, writer)) luaL_argerror(L, 2, "the target leads back to the writer");
    lua_pushvalue(L, 2);
    return target;
  }
  fastio_write_options_init(&options);
  fastio_error_init(&err);
  target = flua_new_writer(L);
  int index = lua_gettop(L);
  if (!flua_writer_open(L, index, 2, &options, &err)) {
    lua_settop(L, index);
    return target;
  }
  *results = fail(L, index, &err);
  return NULL;
}

/* What was written so far goes where it belongs. */
static bool flush_before(lua_State *L, Writer *writer, int *results) {
  fastio_error err;
  int top = lua_gettop(L);
  begin(L, writer, &err);
  fastio_status status = fastio_flush(writer->handle, &err);
  if (writer->bridge.calls_lua) flua_leave(&writer->bridge);
  if (!status) {
    lua_settop(L, top);
    return true;
  }
  *results = writer->bridge.failed ? flua_callback_failed(L, &writer->bridge) : fail(L, 1, &err);
  return false;
}

/* From now on the bytes of the writer at 1 go to the Writer at `index`, or to itself if that is nil. */
static void set_target(lua_State *L, Writer *writer, int index, bool owns) {
  flua_getuservalue(L, 1);
  lua_pushvalue(L, index);
  lua_rawseti(L, -2, FLUA_ANCHOR_TARGET);
  lua_pop(L, 1);
  writer->target = lua_touserdata(L, index);
  writer->owns_target = owns;
}

/* redirect(dest) -> the writer; redirect(nil) turns it back. */
static int redirect_on(lua_State *L, Writer *writer) {
  bool owns;
  int results;
  if (lua_isnil(L, 2)) {
    if (!turn_back(L, 1, &results)) return results;
  } else {
    if (!push_target(L, writer, &owns, &results)) return results;
    int target = lua_gettop(L);
    if (!writer->target && !flush_before(L, writer, &results)) return results;
    if (!turn_back(L, 1, &results)) return results;
    set_target(L, writer, target, owns);
  }
  lua_settop(L, 1);
  return 1;
}

/* redirect(dest, function) -> what the function returns, while it runs; then everything is as it was. */
static int redirect_while(lua_State *L, Writer *writer) {
  enum { OLD = 4, TARGET };
  bool owns, owned = writer->owns_target;
  int results;
  flua_getuservalue(L, 1);
  lua_rawgeti(L, -1, FLUA_ANCHOR_TARGET);
  lua_replace(L, OLD);
  Writer *old = writer->target;
  if (!old) {
    lua_pushnil(L);
    lua_replace(L, OLD);
  }
  if (!push_target(L, writer, &owns, &results)) return results;
  if (!old && !flush_before(L, writer, &results)) return results;
  set_target(L, writer, TARGET, owns);
  lua_pushvalue(L, 3);
  bool is_good = lua_pcall(L, 0, LUA_MULTRET, 0) == 0;
  int top = lua_gettop(L);
  bool is_cycle = leads_to(old, writer); /* the function has redirected the old target to the writer */
  if (is_cycle) {
    lua_pushnil(L);
    lua_replace(L, OLD);
  }
  if (writer->handle) set_target(L, writer, OLD, owned && !is_cycle);
  bool is_closed = !owns || flua_writer_close(L, TARGET, true, &results);
  if (is_good && !is_closed) return results;
  if (!is_closed) tell_failure(L);
  lua_settop(L, top);
  if (is_good && is_cycle) return luaL_error(L, "the target from before leads back to the writer");
  return is_good ? top - TARGET : lua_error(L);
}

static int redirect(lua_State *L) {
  Writer *writer = check_writer(L, 1);
  if (!writer->handle) return luaL_error(L, "the writer is closed");
  luaL_checkany(L, 2);
  lua_settop(L, 3);
  if (lua_isnil(L, 3)) return redirect_on(L, writer);
  luaL_checktype(L, 3, LUA_TFUNCTION);
  return redirect_while(L, writer);
}

static int writer_tostring(lua_State *L) {
  const Writer *writer = flua_check(L, 1, FLUA_WRITER);
  lua_pushstring(L, writer->handle ? "fastio.Writer" : "fastio.Writer (closed)");
  return 1;
}

static const luaL_Reg functions[] = {{"writer", writer_in_memory},        {"write_ints", flua_write_ints},
                                     {"write_floats", flua_write_floats}, {"write_lines", flua_write_lines},
                                     {"write_csv", flua_write_csv},       {NULL, NULL}};
static const luaL_Reg metamethods[] = {
    {"__gc", collect_writer}, {"__close", leave_block}, {"__tostring", writer_tostring}, {NULL, NULL}};
static const luaL_Reg methods[] = {{"write", write_all},
                                   {"print", print},
                                   {"write_int", write_int},
                                   {"write_float", write_float},
                                   {"write_ints", flua_write_ints},
                                   {"write_floats", flua_write_floats},
                                   {"write_lines", flua_write_lines},
                                   {"write_csv", flua_write_csv},
                                   {"flush", flush},
                                   {"sync", sync_writer},
                                   {"close", close_writer},
                                   {"discard", discard_writer},
                                   {"tell", tell_offset},
                                   {"value", value},
                                   {"redirect", redirect},
                                   {NULL, NULL}};

void flua_open_writers(lua_State *L) {
  flua_new_type(L, FLUA_WRITER, "Writer", metamethods, methods, NULL);
  flua_register(L, functions);
}
