/* copy: bytes from a source to a dest. */
#include "flua.h"

/* A failure will be that of the source. */
static void use_path(lua_State *L, int anchor) {
  lua_rawgeti(L, anchor, FLUA_ANCHOR_PATH);
  lua_rawseti(L, FLUA_OUT_ANCHOR, FLUA_ANCHOR_PATH);
}

/* copy(source, dest[, options]) -> the number of bytes */
static int copy(lua_State *L) {
  enum { CALL = FLUA_OUT_ANCHOR + 1, SOURCE_ANCHOR };
  Options options;
  fastio_error err;
  uint64_t copied = 0;
  luaL_checkany(L, 2);
  lua_settop(L, 3);
  lua_pushvalue(L, 2); /* as the functions that write have it: the dest first */
  lua_remove(L, 2);
  lua_insert(L, 1);
  flua_begin_output(L, FLUA_COPY, &options);
  Source *source = flua_new(L, FLUA_CALL, sizeof *source);
  lua_newtable(L);
  fastio_error_init(&err);
  if (flua_source_open(L, source, FLUA_OUT_DATA, SOURCE_ANCHOR, &options, &err)) {
    lua_rawgeti(L, SOURCE_ANCHOR, FLUA_ANCHOR_PATH);
    return flua_fail(L, &err, lua_gettop(L));
  }
  fastio_status status = flua_open_output(L, &options, &err);
  if (!status) {
    Writer *writer = lua_touserdata(L, FLUA_OUT_WRITER);
    if (!flua_is_alive(&writer->bridge, &err)) return flua_raise(L, &err, 0);
    flua_enter_both(L, &writer->bridge, FLUA_OUT_ANCHOR, &source->bridge, SOURCE_ANCHOR);
    source->bridge.next = &writer->bridge; /* an object on one side may close the file on the other */
    source->bridge.group = writer->bridge.group = &source->bridge;
    status = fastio_copy(source->handle, writer->handle, options.read.length, &copied, &err);
    bool is_sources = fastio_writer_error(writer->handle, NULL) == FASTIO_OK;
    flua_leave_both(&writer->bridge, &source->bridge);
    source->bridge.group = writer->bridge.group = NULL;
    if (is_sources) use_path(L, SOURCE_ANCHOR);
  }
  flua_source_close(source);
  int results = flua_end_output(L, status, &err);
  if (results != 1) return results;
  flua_push_count(L, copied);
  return 1;
}

void flua_open_copy(lua_State *L) {
  static const luaL_Reg functions[] = {{"copy", copy}, {NULL, NULL}};
  flua_register(L, functions);
}
