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

/* The path, or a name in its place for a descriptor, goes into the anchor table. Returns the descriptor, -1 for a
 * path. */
static int take_path(lua_State *L, int anchor) {
  uint64_t fd;
  size_t size;
  if (flua_to_u64(L, 1, &fd) && fd <= INT32_MAX) {
    lua_pushfstring(L, "<fd %d>", (int)fd);
    lua_rawseti(L, anchor, FLUA_ANCHOR_PATH);
    return (int)fd;
  }
  luaL_checktype(L, 1, LUA_TSTRING);
  if (strlen(lua_tolstring(L, 1, &size)) != size) luaL_argerror(L, 1, "the path has a NUL byte in it");
  lua_pushvalue(L, 1);
  lua_rawseti(L, anchor, FLUA_ANCHOR_PATH);
  return -1;
}

/* load(path or descriptor[, options]) -> MappedFile */
static int load(lua_State *L) {
  enum { MAP = 3, ANCHOR, PATH };
  Options options;
  fastio_map_options how;
  fastio_error err;
  fastio_error_init(&err);
  luaL_checkany(L, 1);
  lua_settop(L, 2);
  Map *map = flua_new(L, FLUA_MAP, sizeof *map);
  lua_newtable(L);
  int fd = take_path(L, ANCHOR);
  flua_options(L, 2, ANCHOR, FLUA_LOAD, &options);
  fastio_map_options_init(&how);
  how.flags = options.map_flags;
  how.offset = options.read.offset;
  how.length = options.read.length;
  lua_rawgeti(L, ANCHOR, FLUA_ANCHOR_PATH);
  lua_pushvalue(L, ANCHOR);
  flua_setuservalue(L, MAP);
  fastio_status status = fd < 0 ? fastio_map_open(lua_tostring(L, 1), &how, &map->handle, &err)
                                : fastio_map_fd(fd, &how, &map->handle, &err);
  if (status) return flua_fail(L, &err, PATH);
  lua_settop(L, MAP);
  return 1;
}

/* advise(advice[, i[, j]]): how the bytes i to j will be read. */
static int advise(lua_State *L) {
  Map *map = check_open_map(L);
  unsigned advice;
  uint64_t first, end;
  if (!flua_to_advice(luaL_checkstring(L, 2), &advice)) luaL_argerror(L, 2, "unknown advice");
  flua_range(L, 3, map->handle->size, &first, &end);
  fastio_map_advise(map->handle, (size_t)first, (size_t)(end - first), advice);
  return 0;
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
static const luaL_Reg methods[] = {{"close", close_map},     {"advise", advise}, {"check", check_map},
                                   {"pointer", map_pointer}, FLUA_BYTES_METHODS, {NULL, NULL}};

void flua_open_maps(lua_State *L) {
  flua_new_type(L, FLUA_MAP, "MappedFile", metamethods, methods, map_index);
  flua_register(L, functions);
}
