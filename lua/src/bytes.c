/* sub, find and byte on bytes that stay outside of Lua's heap: a mapped file, or what read_bytes gave. */
#include "flua.h"

typedef struct Bytes {
  const unsigned char *data;
  size_t size;
  const fastio_map *map;
} Bytes;

static Bytes check_bytes(lua_State *L) {
  Bytes bytes = {NULL, 0, NULL};
  if (flua_is_type(L, 1, FLUA_MAP)) {
    const Map *map = lua_touserdata(L, 1);
    if (!map->handle) luaL_argerror(L, 1, "the map is closed");
    bytes.data = map->handle->data;
    bytes.size = map->handle->size;
    bytes.map = map->handle;
  } else {
    const Column *column = flua_check_bytes_column(L, 1);
    bytes.data = (const unsigned char *)column->base->data + column->start;
    bytes.size = (size_t)column->length;
  }
  return bytes;
}

/* Zeros that the guard put in the place of lost pages are not data. */
static void check_guard(lua_State *L, const Bytes *bytes) {
  fastio_error err;
  fastio_error_init(&err);
  if (bytes->map && fastio_map_check(bytes->map, &err)) flua_raise(L, &err, 0);
}

/* sub([i[, j]]) -> string, as for strings. */
int flua_bytes_sub(lua_State *L) {
  Bytes bytes = check_bytes(L);
  uint64_t first, end;
  flua_range(L, 2, bytes.size, &first, &end);
  lua_pushlstring(L, (const char *)bytes.data + first, (size_t)(end - first));
  check_guard(L, &bytes);
  return 1;
}

/* byte([i]) -> integer or nil */
int flua_bytes_byte(lua_State *L) {
  Bytes bytes = check_bytes(L);
  uint64_t first, end;
  lua_settop(L, 2);
  if (lua_isnil(L, 2)) {
    lua_pushinteger(L, 1);
    lua_replace(L, 2);
  }
  lua_pushvalue(L, 2);
  flua_range(L, 2, bytes.size, &first, &end);
  if (first >= end) return flua_nil(L);
  lua_pushinteger(L, bytes.data[first]);
  check_guard(L, &bytes);
  return 1;
}

static const unsigned char *find_bytes(const unsigned char *data, size_t size, const char *what, size_t length) {
  if (length == 0) return data;
  while (size >= length) {
    const unsigned char *hit = memchr(data, *what, size - length + 1);
    if (!hit) return NULL;
    if (memcmp(hit, what, length) == 0) return hit;
    size -= (size_t)(hit + 1 - data);
    data = hit + 1;
  }
  return NULL;
}

/* find(text[, init]) -> first, last or nil: these very bytes, no pattern. */
int flua_bytes_find(lua_State *L) {
  Bytes bytes = check_bytes(L);
  size_t length;
  uint64_t first, end;
  const char *what = luaL_checklstring(L, 2, &length);
  flua_range(L, 3, bytes.size, &first, &end);
  const unsigned char *hit = find_bytes(bytes.data + first, (size_t)(bytes.size - first), what, length);
  check_guard(L, &bytes);
  if (!hit) return flua_nil(L);
  size_t at = (size_t)(hit - bytes.data);
  flua_push_count(L, at + 1);
  flua_push_count(L, at + length);
  return 2;
}
