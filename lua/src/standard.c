/* fastio.stdin, stdout, stderr and log: made when they are first asked for. stdout and stderr share the buffers of C's
 * streams, so that what print and io.write put there keeps its place, and os.exit loses nothing. */
#include "flua.h"

static int make_stdin(lua_State *L) {
  Options options;
  int results;
  lua_pushliteral(L, "-");
  lua_pushnil(L);
  if (!flua_open_reader(L, FLUA_READER, sizeof(Reader), 2, FLUA_OPEN, &options, &results)) return lua_error(L);
  return 1;
}

static int make_writer(lua_State *L, FILE *stream, const char *name) {
  fastio_write_options options;
  fastio_error err;
  Writer *writer = flua_new_writer(L);
  flua_getuservalue(L, -1);
  lua_pushstring(L, name);
  lua_rawseti(L, -2, FLUA_ANCHOR_PATH);
  lua_pop(L, 1);
  fastio_write_options_init(&options);
  fastio_error_init(&err);
  if (flua_open_stream(writer, stream, &options, &err)) return flua_raise(L, &err, 0);
  return 1;
}

static int make_stdout(lua_State *L) { return make_writer(L, stdout, "<stdout>"); }

static int make_stderr(lua_State *L) { return make_writer(L, stderr, "<stderr>"); }

/* Beside standard error: whole lines, from any thread. */
static int make_log(lua_State *L) {
  fastio_write_options options;
  fastio_error err;
  Writer *writer = flua_new_writer(L);
  fastio_write_options_init(&options);
  fastio_error_init(&err);
  options.buffering = FASTIO_BUFFER_LINES;
  options.flags = FASTIO_WRITE_LOCKED;
  if (fastio_writer_fd(2, &options, &writer->handle, &err)) return flua_raise(L, &err, 0);
  return 1;
}

/* __index of the module, with the makers as upvalue 2: what is made becomes a field. */
static int make_field(lua_State *L) {
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(2));
  if (lua_isnil(L, -1)) return 1;
  lua_call(L, 0, 1);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, -2);
  lua_rawset(L, 1);
  return 1;
}

void flua_open_standard(lua_State *L) {
  static const luaL_Reg makers[] = {
      {"stdin", make_stdin}, {"stdout", make_stdout}, {"stderr", make_stderr}, {"log", make_log}, {NULL, NULL}};
  lua_newtable(L);
  flua_push_state(L);
  lua_newtable(L);
  flua_register(L, makers);
  lua_pushcclosure(L, make_field, 2);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}
