/* Functions that read a whole source at once: read_ints, read_floats, read_lines, read_bytes, count_lines. */
#include <limits.h>

#include "flua.h"

typedef fastio_status (*read_function)(fastio_source *source, const fastio_read_options *options, fastio_column **out,
                                       fastio_error *err);

/* Columns live outside of Lua's heap, where its collector sees nothing to collect. It is told here, before the next
 * one is made, so that a loop that drops its columns keeps one or two of them. */
void flua_pay_debt(lua_State *L) {
  State *state = flua_state(L);
  uint64_t kilobytes = state->debt >> 10;
  if (kilobytes < 1024) return;
  state->debt = 0;
  lua_gc(L, LUA_GCSTEP, kilobytes > INT_MAX >> 10 ? INT_MAX >> 10 : (int)kilobytes);
}

fastio_status flua_begin(lua_State *L, unsigned who, Options *options, Source **out, fastio_error *err) {
  fastio_error_init(err);
  luaL_checkany(L, FLUA_SOURCE);
  lua_settop(L, FLUA_OPTIONS);
  flua_pay_debt(L);
  Source *source = *out = flua_new(L, FLUA_CALL, sizeof *source);
  lua_newtable(L);
  flua_options(L, FLUA_OPTIONS, FLUA_ANCHOR, who, options);
  flua_source_set_poll(source, options);
  fastio_status status = flua_source_open(L, source, FLUA_SOURCE, FLUA_ANCHOR, options, err);
  lua_rawgeti(L, FLUA_ANCHOR, FLUA_ANCHOR_PATH);
  return status;
}

int flua_end_failed(lua_State *L, Source *source, fastio_error *err) {
  flua_is_alive(&source->bridge, err);
  flua_source_close(source);
  return source->bridge.failed ? flua_callback_failed(L, &source->bridge) : flua_fail(L, err, FLUA_PATH);
}

static int read_whole(lua_State *L, read_function read, unsigned who, int type) {
  Options options;
  Source *source;
  fastio_error err;
  fastio_column *base = NULL;
  fastio_status status = flua_begin(L, who, &options, &source, &err);
  if (status) return flua_end_failed(L, source, &err);
  Column *column = flua_new_column(L, type);
  flua_enter(L, &source->bridge, FLUA_ANCHOR);
  status = read(source->handle, &options.read, &base, &err);
  flua_leave(&source->bridge);
  if (base) flua_fill_column(L, column, base, options.int64);
  if (status || source->bridge.failed) return flua_end_failed(L, source, &err);
  flua_source_close(source);
  lua_settop(L, FLUA_RESULT);
  return 1;
}

static int read_ints(lua_State *L) { return read_whole(L, fastio_read_ints, FLUA_READ_INTS, FLUA_COLUMN); }

static int read_floats(lua_State *L) { return read_whole(L, fastio_read_floats, FLUA_READ_FLOATS, FLUA_COLUMN); }

static int read_lines(lua_State *L) { return read_whole(L, fastio_read_lines, FLUA_READ_LINES, FLUA_LINES); }

static int read_bytes(lua_State *L) { return read_whole(L, fastio_read_all, FLUA_READ_BYTES, FLUA_COLUMN); }

static int count_lines(lua_State *L) {
  Options options;
  Source *source;
  fastio_error err;
  uint64_t count = 0;
  fastio_status status = flua_begin(L, FLUA_COUNT_LINES, &options, &source, &err);
  if (status) return flua_end_failed(L, source, &err);
  flua_enter(L, &source->bridge, FLUA_ANCHOR);
  status = fastio_count_lines(source->handle, &options.read, &count, &err);
  flua_leave(&source->bridge);
  if (status || source->bridge.failed) return flua_end_failed(L, source, &err);
  flua_source_close(source);
  flua_push_count(L, count);
  return 1;
}

void flua_open_whole(lua_State *L) {
  static const luaL_Reg functions[] = {{"read_ints", read_ints},     {"read_floats", read_floats},
                                       {"read_lines", read_lines},   {"read_bytes", read_bytes},
                                       {"count_lines", count_lines}, {NULL, NULL}};
  flua_register(L, functions);
}
