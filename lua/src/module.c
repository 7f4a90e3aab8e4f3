/* The module table: its state, its types' metatables, and what the other files put into it. */
#include "flua.h"

/* The addresses are the registry keys. */
static const char metatable_keys[FLUA_TYPE_COUNT];
static const char state_key;

static void push_metatable(lua_State *L, int type) {
  lua_pushlightuserdata(L, (void *)&metatable_keys[type]);
  lua_rawget(L, LUA_REGISTRYINDEX);
}

/* The state lies in the registry, where a second luaopen_fastio finds it. */
State *flua_push_state(lua_State *L) {
  lua_pushlightuserdata(L, (void *)&state_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  return lua_touserdata(L, -1);
}

void flua_register(lua_State *L, const luaL_Reg *functions) {
  for (; functions->name; functions++) {
    flua_push_state(L);
    lua_pushcclosure(L, functions->func, 1);
    lua_setfield(L, -2, functions->name);
  }
}

void flua_new_type(lua_State *L, int type, const char *name, const luaL_Reg *metamethods, const luaL_Reg *methods,
                   lua_CFunction index) {
  State *state = flua_push_state(L);
  if (state->metatables[type]) { /* opened before in this Lua state: objects from then stay what they are */
    lua_pop(L, 1);
    return;
  }
  lua_newtable(L);
  state->metatables[type] = lua_topointer(L, -1);
  flua_register(L, metamethods);
  lua_pushfstring(L, "fastio.%s", name);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "__name");
  lua_setfield(L, -2, "__metatable");
  if (methods) {
    lua_pushvalue(L, -2); /* the state */
    lua_newtable(L);
    flua_register(L, methods);
    if (index) {
      lua_pushcclosure(L, index, 2);
    } else {
      lua_remove(L, -2);
    }
    lua_setfield(L, -2, "__index");
  }
  lua_pushlightuserdata(L, (void *)&metatable_keys[type]);
  lua_insert(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
  lua_pop(L, 1);
}

void flua_set_type(lua_State *L, int type) {
  push_metatable(L, type);
  lua_setmetatable(L, -2);
}

bool flua_is_type(lua_State *L, int index, int type) {
  if (!lua_getmetatable(L, index)) return false;
  bool is = lua_topointer(L, -1) == flua_state(L)->metatables[type];
  lua_pop(L, 1);
  return is;
}

void *flua_check(lua_State *L, int index, int type) {
  void *object = lua_touserdata(L, index);
  if (object && flua_is_type(L, index, type)) return object;
  push_metatable(L, type);
  lua_getfield(L, -1, "__name");
  lua_pushfstring(L, "%s expected, got %s", lua_tostring(L, -1), luaL_typename(L, index));
  luaL_argerror(L, index, lua_tostring(L, -1));
  return NULL;
}

void *flua_new(lua_State *L, int type, size_t size) {
  void *object = lua_newuserdata(L, size);
  memset(object, 0, size);
  flua_set_type(L, type);
  return object;
}

/* strict([on]) -> whether it was on. */
static int strict(lua_State *L) {
  State *state = flua_state(L);
  lua_pushboolean(L, state->strict);
  if (!lua_isnoneornil(L, 1)) state->strict = lua_toboolean(L, 1);
  return 1;
}

static const luaL_Reg module_functions[] = {{"strict", strict}, {NULL, NULL}};
static const luaL_Reg error_metamethods[] = {{"__tostring", flua_error_tostring}, {NULL, NULL}};

static void open_state(lua_State *L) {
  bool is_new = !flua_push_state(L);
  lua_pop(L, 1);
  if (!is_new) return;
  lua_pushlightuserdata(L, (void *)&state_key);
  memset(lua_newuserdata(L, sizeof(State)), 0, sizeof(State));
  lua_rawset(L, LUA_REGISTRYINDEX);
  flua_open_ffi(L);
}

#ifdef FASTIO_LUA_SWIG
void flua_open_swig(lua_State *L); /* bindings/swig/lua.i */
#endif

int luaopen_fastio(lua_State *L) {
  open_state(L);
  flua_new_type(L, FLUA_ERROR, "Error", error_metamethods, NULL, NULL);
  lua_newtable(L);
  flua_register(L, module_functions);
  lua_pushlightuserdata(L, NULL);
  lua_setfield(L, -2, "null");
  lua_pushliteral(L, "fastio " FASTIO_VERSION);
  lua_setfield(L, -2, "_VERSION");
  flua_open_bridge(L);
  flua_open_columns(L);
  flua_open_maps(L);
  flua_open_sources(L);
  flua_open_whole(L);
  flua_open_readers(L);
  flua_open_iterators(L);
  flua_open_tables(L);
  flua_open_csv(L);
  flua_open_formats(L);
  flua_open_texts(L);
  flua_open_writers(L);
  flua_open_copy(L);
  flua_open_lists(L);
  flua_open_standard(L);
#ifdef FASTIO_LUA_SWIG
  flua_open_swig(L);
#endif
  return 1;
}
