/* MappedFile: a file as memory, outside of Lua's heap. */
#include <inttypes.h>
#include <stdio.h>

#include "flua.h"

static Map *check_open_map(lua_State *L) {
  Map *map = flua_check(L, 1, FLUA_MAP);
  if (!map->handle) luaL_argerror(L, 1, "the map is closed");
  return map;
}

static void unmap(Map *map) {
  fastio_map_close(map->handle);
  map->handle = NULL;
}

void flua_map_release(Map *map) {
  map->readers--;
  if (map->is_closing && map->readers == 0) unmap(map);
}

/* load(path[, options]) -> MappedFile */
static int load(lua_State *L) {
  Options options;
  fastio_error err;
  size_t size;
  fastio_error_init(&err);
  const char *path = luaL_checklstring(L, 1, &size);
  if (strlen(path) != size) luaL_argerror(L, 1, "the path has a NUL byte in it");
  lua_settop(L, 2);
  Map *map = flua_new(L, FLUA_MAP, sizeof *map);
  lua_newtable(L);
  lua_pushvalue(L, 1);
  lua_rawseti(L, 4, FLUA_ANCHOR_PATH);
  lua_pushvalue(L, 4);
  flua_setuservalue(L, 3);
  flua_options(L, 2, 4, FLUA_LOAD, &options);
  fastio_map_options how;
  fastio_map_options_init(&how);
  how.flags = options.map_flags;
  how.offset = options.read.offset;
  how.length = options.read.length;
  if (fastio_map_open(path, &how, &map->handle, &err)) return flua_fail(L, &err, 1);
  lua_settop(L, 3);
  return 1;
}

static int close_map(lua_State *L) {
  Map *map = flua_check(L, 1, FLUA_MAP);
  if (map->handle && map->readers) return luaL_error(L, "the map is being read: close its readers first");
  unmap(map);
  return 0;
}

/* Never an error: the last of its readers closes it. */
static int collect_map(lua_State *L) {
  Map *map = flua_check(L, 1, FLUA_MAP);
  map->is_closing = true;
  if (!map->readers) unmap(map);
  return 0;
}

static int map_length(lua_State *L) {
  flua_push_count(L, check_open_map(L)->handle->size);
  return 1;
}

/* check() -> true, or an error once a page was lost to a truncation (needs guard = true). */
static int check_map(lua_State *L) {
  Map *map = check_open_map(L);
  fastio_error err;
  fastio_error_init(&err);
  flua_getuservalue(L, 1);
  lua_rawgeti(L, -1, FLUA_ANCHOR_PATH);
  if (fastio_map_check(map->handle, &err)) return flua_fail(L, &err, lua_gettop(L));
  lua_pushboolean(L, 1);
  return 1;
}

static int map_pointer(lua_State *L) {
  const Map *map = check_open_map(L);
  flua_push_pointer(L, map->handle->data, "const uint8_t *", 1);
  flua_push_count(L, map->handle->size);
  return 2;
}

/* map.path, map.is_mapped, map.closed; upvalue 2: the methods. */
static int map_index(lua_State *L) {
  const Map *map = flua_check(L, 1, FLUA_MAP);
  const char *name = luaL_checkstring(L, 2);
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(2));
  if (!lua_isnil(L, -1)) return 1;
  if (strcmp(name, "path") == 0) {
    flua_getuservalue(L, 1);
    lua_rawgeti(L, -1, FLUA_ANCHOR_PATH);
  } else if (strcmp(name, "is_mapped") == 0) {
    lua_pushboolean(L, map->handle && map->handle->is_mapped);
  } else if (strcmp(name, "closed") == 0) {
    lua_pushboolean(L, !map->handle);
  }
  return 1;
}

static int map_tostring(lua_State *L) {
  const Map *map = flua_check(L, 1, FLUA_MAP);
  char state[40] = "closed";
  if (map->handle) snprintf(state, sizeof state, "%" PRIu64 " bytes", (uint64_t)map->handle->size);
  lua_pushfstring(L, "fastio.MappedFile (%s)", state);
  return 1;
}

static const luaL_Reg functions[] = {{"load", load}, {NULL, NULL}};
static const luaL_Reg metamethods[] = {
    {"__len", map_length}, {"__gc", collect_map}, {"__close", close_map}, {"__tostring", map_tostring}, {NULL, NULL}};
static const luaL_Reg methods[] = {
    {"close", close_map}, {"check", check_map}, {"pointer", map_pointer}, FLUA_BYTES_METHODS, {NULL, NULL}};

void flua_open_maps(lua_State *L) {
  flua_new_type(L, FLUA_MAP, "MappedFile", metamethods, methods, map_index);
  flua_register(L, functions);
}
