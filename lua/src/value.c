/* Integers of 64 bits in a Lua that may have none, and pointers for LuaJIT's FFI. */
#include <inttypes.h>
#include <stdio.h>

#include "flua.h"

/* The registry keys of the three functions below. */
static const char integer_key, pointer_key, store_key;

/* What only LuaJIT's own library can make. A pointer keeps its owner alive: `owners` is weak in its keys alone. */
static const char ffi_helpers[] = "local ok, ffi = pcall(require, 'ffi')\n"
                                  "if not jit or not ok then return end\n"
                                  "local i64, u64 = ffi.typeof('const int64_t *'), ffi.typeof('const uint64_t *')\n"
                                  "local owners = setmetatable({}, {__mode = 'k'})\n"
                                  "local function integer(address, unsigned)\n"
                                  "  return ffi.cast(unsigned and u64 or i64, address)[0]\n"
                                  "end\n"
                                  "local function pointer(address, c_type, owner)\n"
                                  "  local p = ffi.cast(c_type, address)\n"
                                  "  owners[p] = owner\n"
                                  "  return p\n"
                                  "end\n"
                                  "local i64_type, u64_type = ffi.typeof('int64_t'), ffi.typeof('uint64_t')\n"
                                  "local i64_place, u64_place = ffi.typeof('int64_t *'), ffi.typeof('uint64_t *')\n"
                                  "local function store(value, address)\n"
                                  "  local is_signed = ffi.istype(i64_type, value)\n"
                                  "  if not is_signed and not ffi.istype(u64_type, value) then return nil end\n"
                                  "  ffi.cast(is_signed and i64_place or u64_place, address)[0] = value\n"
                                  "  return is_signed\n"
                                  "end\n"
                                  "return integer, pointer, store\n";

static void set_registry(lua_State *L, const char *key, int value) {
  lua_pushlightuserdata(L, (void *)key);
  lua_pushvalue(L, value);
  lua_rawset(L, LUA_REGISTRYINDEX);
}

static bool push_registry(lua_State *L, const char *key) {
  lua_pushlightuserdata(L, (void *)key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  return !lua_isnil(L, -1);
}

/* By the running Lua, not by the headers: a module built for 5.1 also loads in LuaJIT. A sandbox without `ffi` is no
 * error. */
void flua_open_ffi(lua_State *L) {
  int top = lua_gettop(L);
#if LUA_VERSION_NUM == 501
  if (luaL_loadstring(L, ffi_helpers) == 0 && lua_pcall(L, 0, 3, 0) == 0 && lua_isfunction(L, -1)) {
    set_registry(L, &integer_key, top + 1);
    set_registry(L, &pointer_key, top + 2);
    set_registry(L, &store_key, top + 3);
  }
#else
  (void)set_registry;
  (void)ffi_helpers;
#endif
  lua_settop(L, top);
}

bool flua_has_ffi(lua_State *L) {
  bool has = push_registry(L, &integer_key);
  lua_pop(L, 1);
  return has;
}

void flua_push_pointer(lua_State *L, const void *address, const char *c_type, int owner) {
  if (!push_registry(L, &pointer_key)) {
    lua_pop(L, 1);
    lua_pushlightuserdata(L, (void *)address);
    return;
  }
  lua_pushlightuserdata(L, (void *)address);
  lua_pushstring(L, c_type);
  lua_pushvalue(L, owner);
  lua_call(L, 3, 1);
}

/* An integer that no number of this Lua holds exactly. */
static fastio_status push_wide(lua_State *L, const void *value, bool is_unsigned, int mode, fastio_error *err) {
  char digits[FASTIO_FORMAT_MAX];
  size_t size = is_unsigned ? fastio_format_u64(*(const uint64_t *)value, 10, digits)
                            : fastio_format_i64(*(const int64_t *)value, 10, digits);
  if (mode == FLUA_INT64_STRING) {
    lua_pushlstring(L, digits, size);
    return FASTIO_OK;
  }
  if (mode == FLUA_INT64_CDATA && push_registry(L, &integer_key)) {
    lua_pushlightuserdata(L, (void *)value);
    lua_pushboolean(L, is_unsigned);
    lua_call(L, 2, 1);
    return FASTIO_OK;
  }
  flua_set_error(err, FASTIO_OUT_OF_RANGE, "this Lua can't hold the integer exactly (see the option int64)");
  memcpy(err->text, digits, size);
  err->text_size = size;
  return err->status;
}

#if LUA_VERSION_NUM >= 503
fastio_status flua_push_i64(lua_State *L, int64_t value, int mode, fastio_error *err) {
  if ((lua_Integer)value != value) return push_wide(L, &value, false, mode, err);
  lua_pushinteger(L, (lua_Integer)value);
  return FASTIO_OK;
}

fastio_status flua_push_u64(lua_State *L, uint64_t value, int mode, fastio_error *err) {
  if (value > LUA_MAXINTEGER) return push_wide(L, &value, true, mode, err);
  lua_pushinteger(L, (lua_Integer)value);
  return FASTIO_OK;
}
#else
#  define EXACT (INT64_C(1) << 53) /* every integer up to here is a double */

fastio_status flua_push_i64(lua_State *L, int64_t value, int mode, fastio_error *err) {
  if (value < -EXACT || value > EXACT) return push_wide(L, &value, false, mode, err);
  lua_pushnumber(L, (lua_Number)value);
  return FASTIO_OK;
}

fastio_status flua_push_u64(lua_State *L, uint64_t value, int mode, fastio_error *err) {
  if (value > EXACT) return push_wide(L, &value, true, mode, err);
  lua_pushnumber(L, (lua_Number)value);
  return FASTIO_OK;
}
#endif

/* ---- the other way ---- */

static bool parse_whole(const char *digits, size_t size, Whole *out) {
  int64_t negative;
  out->is_negative = false;
  if (!fastio_parse_u64(digits, size, 10, &out->bits, NULL)) return true;
  if (fastio_parse_i64(digits, size, 10, &negative, NULL)) return false;
  out->is_negative = true;
  out->bits = (uint64_t)negative;
  return true;
}

/* An int64_t or uint64_t of LuaJIT's FFI. */
static bool unbox_whole(lua_State *L, int index, Whole *out) {
  if (!push_registry(L, &store_key)) {
    lua_pop(L, 1);
    return false;
  }
  lua_pushvalue(L, index);
  lua_pushlightuserdata(L, &out->bits);
  lua_call(L, 2, 1);
  bool is = !lua_isnil(L, -1);
  out->is_negative = lua_toboolean(L, -1) && (int64_t)out->bits < 0;
  lua_pop(L, 1);
  return is;
}

bool flua_to_whole(lua_State *L, int index, Whole *out) {
  size_t size;
  if (lua_type(L, index) == LUA_TSTRING) {
    const char *digits = lua_tolstring(L, index, &size);
    return parse_whole(digits, size, out);
  }
  if (lua_type(L, index) != LUA_TNUMBER) return lua_type(L, index) == FLUA_TCDATA && unbox_whole(L, index, out);
#if LUA_VERSION_NUM >= 503
  int is_integer;
  lua_Integer value = lua_tointegerx(L, index, &is_integer);
#else
  lua_Number number = lua_tonumber(L, index);
  bool is_integer = number >= -EXACT && number <= EXACT && (lua_Number)(int64_t)number == number;
  int64_t value = is_integer ? (int64_t)number : 0;
#endif
  out->bits = (uint64_t)(int64_t)value;
  out->is_negative = value < 0;
  return is_integer;
}

int flua_nil(lua_State *L) {
  lua_pushnil(L);
  return 1;
}

void flua_push_count(lua_State *L, uint64_t count) {
#if LUA_VERSION_NUM >= 503
  lua_pushinteger(L, (lua_Integer)count);
#else
  lua_pushnumber(L, (lua_Number)count);
#endif
}

/* Counted from 1, or from the end if negative, as in string.sub; `missing` if there is none. */
static int64_t take_index(lua_State *L, int index, int64_t missing) {
#if LUA_VERSION_NUM >= 503
  return luaL_optinteger(L, index, (lua_Integer)missing);
#else
  lua_Number value = luaL_optnumber(L, index, (lua_Number)missing);
  if (value != value) luaL_argerror(L, index, "not a number");
  return value < -9e15 ? -INT64_MAX : value > 9e15 ? INT64_MAX : (int64_t)value;
#endif
}

void flua_range(lua_State *L, int index, uint64_t size, uint64_t *first, uint64_t *end) {
  int64_t length = (int64_t)size;
  int64_t i = take_index(L, index, 1), j = take_index(L, index + 1, -1);
  if (i < 0) i = i < -length ? 1 : i + length + 1;
  if (j < 0) j = j < -length ? 0 : j + length + 1;
  if (i == 0) i = 1;
  if (j > length) j = length;
  if (i > length + 1) i = length + 1;
  *first = (uint64_t)(i - 1);
  *end = j < i ? *first : (uint64_t)j;
}

bool flua_to_u64(lua_State *L, int index, uint64_t *out) {
  if (lua_type(L, index) != LUA_TNUMBER) return false;
#if LUA_VERSION_NUM >= 503
  int is_integer;
  lua_Integer value = lua_tointegerx(L, index, &is_integer);
  if (!is_integer || value < 0) return false;
  *out = (uint64_t)value;
#else
  lua_Number value = lua_tonumber(L, index);
  if (!(value >= 0 && value <= 9007199254740992.0) || (lua_Number)(uint64_t)value != value) return false;
  *out = (uint64_t)value;
#endif
  return true;
}
