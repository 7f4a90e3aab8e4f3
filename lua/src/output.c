/* What the functions share that write all of something to a Writer, or to a dest that they open and close. */
#include "flua.h"

static bool is_writer(lua_State *L) {
  return lua_type(L, FLUA_OUT_DEST) == LUA_TUSERDATA && flua_is_type(L, FLUA_OUT_DEST, FLUA_WRITER);
}

void flua_begin_output(lua_State *L, unsigned who, Options *options) {
  luaL_checkany(L, FLUA_OUT_DEST);
  luaL_checkany(L, FLUA_OUT_DATA);
  lua_settop(L, FLUA_OUT_OPTIONS);
  if (is_writer(L)) {
    flua_check_open_writer(L, FLUA_OUT_DEST);
    flua_push_target(L, FLUA_OUT_DEST);
  } else {
    flua_new_writer(L)->is_of_call = true;
    who |= FLUA_DEST | FLUA_MODE;
  }
  lua_newtable(L);
  flua_options(L, FLUA_OUT_OPTIONS, FLUA_OUT_ANCHOR, who, options);
}

/* The anchor table of this call has what the Writer's has for its callbacks. */
fastio_status flua_open_output(lua_State *L, const Options *options, fastio_error *err) {
  fastio_status status = FASTIO_OK;
  fastio_error_init(err);
  if (!is_writer(L)) {
    status = flua_writer_open(L, FLUA_OUT_WRITER, FLUA_OUT_DEST, &options->write, err);
  } else {
    flua_check_open_writer(L, FLUA_OUT_WRITER); /* a finalizer may have run meanwhile */
  }
  flua_getuservalue(L, FLUA_OUT_WRITER);
  lua_rawgeti(L, -1, FLUA_ANCHOR_SUBJECT);
  lua_rawseti(L, FLUA_OUT_ANCHOR, FLUA_ANCHOR_SUBJECT);
  lua_rawgeti(L, -1, FLUA_ANCHOR_PATH);
  lua_rawseti(L, FLUA_OUT_ANCHOR, FLUA_ANCHOR_PATH);
  lua_pop(L, 1);
  return status;
}

fastio_writer *flua_enter_output(lua_State *L, const Options *options) {
  Writer *writer = lua_touserdata(L, FLUA_OUT_WRITER);
  fastio_error err;
  if (!flua_is_alive(&writer->bridge, &err)) flua_raise(L, &err, 0);
  flua_enter(L, &writer->bridge, FLUA_OUT_ANCHOR);
  writer->bridge.has_progress = options->has_progress;
  writer->bridge.has_bar = options->has_bar;
  return writer->handle;
}

void flua_leave_output(lua_State *L) {
  Writer *writer = lua_touserdata(L, FLUA_OUT_WRITER);
  if (writer->bridge.has_bar) flua_end_bar(&writer->bridge);
  writer->bridge.has_progress = writer->bridge.has_bar = false;
  flua_leave(&writer->bridge);
}

/* The failure that is told is the first one. */
static int fail(lua_State *L, const fastio_error *err) {
  Writer *writer = lua_touserdata(L, FLUA_OUT_WRITER);
  int failure = lua_gettop(L), ignored;
  bool has_failed = writer->bridge.failed;
  if (!is_writer(L)) flua_writer_close(L, FLUA_OUT_WRITER, false, &ignored);
  lua_settop(L, failure);
  if (has_failed) return flua_callback_failed(L, &writer->bridge);
  lua_rawgeti(L, FLUA_OUT_ANCHOR, FLUA_ANCHOR_PATH);
  return flua_fail(L, err, lua_gettop(L));
}

int flua_end_output(lua_State *L, fastio_status status, const fastio_error *err) {
  int results;
  if (status) return fail(L, err);
  if (is_writer(L)) {
    lua_settop(L, FLUA_OUT_DEST);
    return 1;
  }
  if (!flua_writer_close(L, FLUA_OUT_WRITER, true, &results)) return results;
  lua_pushboolean(L, 1);
  return 1;
}
