/* Lists of sources, and the paths that a pattern names. */
#include "flua.h"

bool flua_is_list(lua_State *L, int index) {
  return lua_istable(L, index) && !flua_is_type(L, index, FLUA_DATA) && !flua_has_method(L, index, "read");
}

static int refuse(lua_State *L, int index, const char *why) { return luaL_argerror(L, index, why); }

/* The rest is said by who opens it. */
static bool may_be_source(lua_State *L, int index) {
  switch (lua_type(L, index)) {
    case LUA_TSTRING:
    case LUA_TUSERDATA: return true;
    case LUA_TTABLE: return !flua_is_list(L, index);
    default: return false;
  }
}

size_t flua_push_list(lua_State *L, int index) {
  const size_t count = flua_rawlen(L, index);
  if (count == 0) refuse(L, index, "there is no source in the list");
  lua_createtable(L, (int)count, 0);
  for (int i = 1; i <= (int)count; i++) {
    lua_rawgeti(L, index, i);
    if (lua_type(L, -1) == LUA_TNUMBER)
      refuse(L, index,
             "a list of numbers is no source: data is fastio.data(string), several sources are a list of paths");
    if (!may_be_source(L, lua_gettop(L))) refuse(L, index, "the list has something else than sources");
    lua_rawseti(L, -2, i);
  }
  return count;
}

/* glob(pattern) -> the paths, sorted */
static int glob(lua_State *L) {
  size_t size;
  const char *pattern = luaL_checklstring(L, 1, &size);
  fastio_error err;
  fastio_column *paths = NULL;
  if (strlen(pattern) != size) luaL_argerror(L, 1, "the pattern has a NUL byte in it");
  lua_settop(L, 1);
  Column *owner = flua_new_column(L, FLUA_COLUMN);
  fastio_error_init(&err);
  if (fastio_glob(pattern, NULL, &paths, &err)) return flua_fail(L, &err, 1);
  flua_fill_column(L, owner, paths, 0);
  lua_createtable(L, (int)paths->length, 0);
  for (uint64_t i = 0; i < paths->length; i++) {
    flua_push_or_raise(L, owner, i);
    lua_rawseti(L, -2, (int)(i + 1));
  }
  return 1;
}

void flua_open_lists(lua_State *L) {
  static const luaL_Reg functions[] = {{"glob", glob}, {NULL, NULL}};
  flua_register(L, functions);
}
