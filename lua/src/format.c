/* Formats: how a value is written. Immutable objects that fixed, scientific, general, hexadecimal, integer and shortest
 * make. */
#include "options.h"

static const Format shortest_format = {FASTIO_FORMAT_INIT, {{0}, {0}, {0}}, FLUA_AS_IT_IS};
static const Format hexadecimal_format = {
    {FASTIO_HEXADECIMAL, FASTIO_AS_NEEDED, 0, 0, 0, 0, NULL}, {{0}, {0}, {0}}, FLUA_AS_FLOAT};

const Format *flua_to_format(lua_State *L, int index) {
  if (lua_type(L, index) == LUA_TUSERDATA && flua_is_type(L, index, FLUA_FORMAT)) return lua_touserdata(L, index);
  if (lua_type(L, index) != LUA_TSTRING) return NULL;
  const char *word = lua_tostring(L, index);
  if (strcmp(word, "shortest") == 0) return &shortest_format;
  return strcmp(word, "hexadecimal") == 0 ? &hexadecimal_format : NULL;
}

const Format *flua_check_format(lua_State *L, int index) {
  if (lua_isnoneornil(L, index)) return NULL;
  const Format *format = flua_to_format(L, index);
  if (!format) luaL_argerror(L, index, "a format expected, such as fastio.fixed(2), \"shortest\" or \"hexadecimal\"");
  return format;
}

/* ---- makers ---- */

/* maker([number, ][options]): the number goes to *out unless the options come in its place. */
static void take_arguments(lua_State *L, int low, int high, const char *expected, int *out) {
  uint64_t number;
  if (lua_istable(L, 1)) {
    lua_pushnil(L);
    lua_insert(L, 1);
  }
  lua_settop(L, 2);
  if (lua_isnil(L, 1)) return;
  if (!flua_to_u64(L, 1, &number) || number < (uint64_t)low || number > (uint64_t)high) luaL_argerror(L, 1, expected);
  *out = (int)number;
}

static int make(lua_State *L, int notation, int precision, int base, int as) {
  Options options;
  fastio_error err;
  fastio_error_init(&err);
  flua_options(L, 2, 0, FLUA_MAKE_FORMAT, &options);
  Format *format = flua_new(L, FLUA_FORMAT, sizeof *format);
  *format = options.made;
  format->as = as;
  format->how.notation = notation;
  format->how.precision = precision;
  if (base) format->how.base = base;
  if (format->how.locale) format->how.locale = &format->locale;
  if (fastio_format_check(&format->how, &err)) return flua_raise(L, &err, 0);
  return 1;
}

/* maker([precision, ][options]): without it, as many digits as the value needs. */
static int make_float(lua_State *L, int notation) {
  int precision = FASTIO_AS_NEEDED;
  take_arguments(L, 0, FASTIO_PRECISION_MAX, "a number of digits, 0 to 100000, expected", &precision);
  return make(L, notation, precision, 0, FLUA_AS_FLOAT);
}

static int fixed(lua_State *L) { return make_float(L, FASTIO_FIXED); }

static int scientific(lua_State *L) { return make_float(L, FASTIO_SCIENTIFIC); }

static int general(lua_State *L) { return make_float(L, FASTIO_GENERAL); }

static int hexadecimal(lua_State *L) { return make_float(L, FASTIO_HEXADECIMAL); }

/* integer([base, ][options]) */
static int integer(lua_State *L) {
  int base = 0;
  take_arguments(L, 2, 36, "a base from 2 to 36 expected", &base);
  return make(L, FASTIO_SHORTEST, 0, base, FLUA_AS_INTEGER);
}

static int shortest(lua_State *L) {
  if (!lua_isnoneornil(L, 1)) luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  lua_pushnil(L);
  lua_insert(L, 1);
  return make(L, FASTIO_SHORTEST, 0, 0, FLUA_AS_IT_IS);
}

static int format_tostring(lua_State *L) {
  static const char *const names[] = {"shortest", "fixed", "scientific", "general", "hexadecimal"};
  const Format *format = flua_check(L, 1, FLUA_FORMAT);
  const fastio_format *how = &format->how;
  if (format->as == FLUA_AS_INTEGER) {
    lua_pushfstring(L, "fastio.integer(%d)", how->base ? how->base : 10);
  } else if (how->notation == FASTIO_SHORTEST || how->precision == FASTIO_AS_NEEDED) {
    lua_pushfstring(L, "fastio.%s()", names[how->notation]);
  } else {
    lua_pushfstring(L, "fastio.%s(%d)", names[how->notation], how->precision);
  }
  return 1;
}

void flua_open_formats(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"fixed", fixed},     {"scientific", scientific}, {"general", general}, {"hexadecimal", hexadecimal},
      {"integer", integer}, {"shortest", shortest},     {NULL, NULL}};
  static const luaL_Reg metamethods[] = {{"__tostring", format_tostring}, {NULL, NULL}};
  flua_new_type(L, FLUA_FORMAT, "Format", metamethods, NULL, NULL);
  flua_register(L, functions);
}
