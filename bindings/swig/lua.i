/* How values cross over to and from Lua. The functions are closures over the hand-written module's state, as its own are, so
 * that its helpers serve here too. What can be left out comes in one table, the last argument, with the words of that module. */

#define DOCUMENT(name, signature, description)

%begin %{
/* Its opener is called from the same shared object alone. */
#if defined(__GNUC__) && !defined(_WIN32)
#  define SWIGEXPORT __attribute__((visibility("hidden")))
#endif
%}

%{
#include "../../../lua/src/flua.h"

/* Results that are already pushed lie below those of the failure and are dropped. */
#define FASTIO_FAIL(err) return flua_fail(L, err, 0);

static int read_options(lua_State *L, int index, unsigned who, Options *out) {
  flua_options(L, index, 0, who, out);
  return out->int64;
}

static fastio_status push_whole(lua_State *L, const whole *value, int int64, fastio_error *err) {
  return value->is_negative ? flua_push_i64(L, (int64_t)value->bits, int64, err) : flua_push_u64(L, value->bits, int64, err);
}

/* A number if it is exactly an integer; beyond what this Lua holds, its digits as a string. */
static whole take_whole(lua_State *L, int index) {
  whole value = {0, 0};
  bool is_whole = false;
  if (lua_type(L, index) == LUA_TSTRING) {
    size_t size;
    const char *digits = lua_tolstring(L, index, &size);
    int64_t negative;
    is_whole = fastio_parse_u64(digits, size, 10, &value.bits, NULL) == FASTIO_OK;
    if (!is_whole && fastio_parse_i64(digits, size, 10, &negative, NULL) == FASTIO_OK) return whole_of_i64(negative);
  } else {
    lua_Number number = luaL_checknumber(L, index);
#if LUA_VERSION_NUM >= 503
    int is_integer;
    (void)number;
    value = whole_of_i64(lua_tointegerx(L, index, &is_integer));
    is_whole = is_integer;
#else
    is_whole = number >= -9007199254740992.0 && number <= 9007199254740992.0 && (lua_Number)(int64_t)number == number;
    if (is_whole) value = whole_of_i64((int64_t)number);
#endif
  }
  if (!is_whole) luaL_argerror(L, index, "number has no integer representation");
  return value;
}

/* The option `upper`, alone or not at all. */
static int take_upper(lua_State *L, int index) {
  int upper = 0;
  if (lua_isnoneornil(L, index)) return 0;
  luaL_checktype(L, index, LUA_TTABLE);
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";
    if (strcmp(name, "upper") != 0) luaL_error(L, "unknown option '%s'", name);
    upper = lua_toboolean(L, -1);
  }
  return upper;
}

/* The option `errors`, alone or not at all. */
static const char *take_errors(lua_State *L, int index) {
  const char *errors = "strict";
  if (lua_isnoneornil(L, index)) return errors;
  luaL_checktype(L, index, LUA_TTABLE);
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";
    if (strcmp(name, "errors") != 0) luaL_error(L, "unknown option '%s'", name);
    errors = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "?"; /* the table holds it */
  }
  return errors;
}

/* On the top is a column of the collector's, since making the string may jump. */
static void push_converted(lua_State *L, const converted *result) {
  Column *held = (Column *)lua_touserdata(L, -1);
  if (!result->column) return; /* the failure comes next */
  flua_fill_column(L, held, result->column, FLUA_INT64_ERROR);
  lua_pushlstring(L, (const char *)result->column->data, (size_t)result->column->length);
  fastio_column_free(held->base);
  held->base = NULL;
}

SWIGEXPORT int luaopen_fastio_swig(lua_State *L);

/* Adds the generated functions to the module table on the top, with the module's state as their upvalue. SWIG's start sets two
 * globals, which are none of the user's business. */
void flua_open_swig(lua_State *L) {
  int module = lua_gettop(L);
  lua_getglobal(L, "swig_type");
  lua_getglobal(L, "swig_equals");
  lua_pushcfunction(L, luaopen_fastio_swig);
  lua_call(L, 0, 1);
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
    luaL_Reg function[] = {{lua_tostring(L, -2), lua_tocfunction(L, -1)}, {NULL, NULL}};
    if (function->func == NULL) continue;
    lua_pushvalue(L, module);
    flua_register(L, function);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  lua_setglobal(L, "swig_equals");
  lua_setglobal(L, "swig_type");
}

static void push_names(lua_State *L, names at) {
  lua_newtable(L);
  for (size_t i = 0; at(i) != NULL; i++) {
    lua_pushstring(L, at(i));
    lua_rawseti(L, -2, (int)i + 1);
  }
}
%}

%typemap(in) (const void *data, size_t size) %{ $1 = (void *)luaL_checklstring(L, $input, &$2); %}
%typemap(in) whole %{ $1 = take_whole(L, $input); %}
%typemap(out) whole %{
  fastio_error unheld;
  Options asked;
  if (push_whole(L, &$1, read_options(L, 2, FLUA_ONE_INT, &asked), &unheld) != FASTIO_OK) FASTIO_FAIL(&unheld)
  SWIG_arg++;
%}
/* Days and nanoseconds of a day: below 2^53. */
%typemap(out) int64_t %{
  fastio_error unheld;
  if (flua_push_i64(L, $1, FLUA_INT64_ERROR, &unheld) != FASTIO_OK) FASTIO_FAIL(&unheld)
  SWIG_arg++;
%}
%typemap(in) int held (Options options) %{ $1 = read_options(L, $input, FLUA_TIMESTAMP, &options); %}
%typemap(out) moment %{
  fastio_error unheld;
  if (flua_push_i64(L, (&$1)->nanoseconds, arg3, &unheld) != FASTIO_OK) FASTIO_FAIL(&unheld)
  lua_pushboolean(L, (&$1)->has_zone);
  SWIG_arg += 2;
%}
%typemap(in) int upper %{ $1 = take_upper(L, $input); %}
%typemap(in) int has_zone %{ $1 = lua_toboolean(L, $input); %}
%typemap(in) (int base, fastio_type dtype) (Options options) %{
  read_options(L, $input, FLUA_ONE_INT, &options);
  $1 = options.read.base;
  $2 = options.read.type;
%}
%typemap(in) int base (Options options) %{
  read_options(L, $input, FLUA_DIGITS, &options);
  $1 = options.read.base;
%}
%typemap(in) fastio_type dtype (Options options) %{
  read_options(L, $input, FLUA_ONE_FLOAT, &options);
  $1 = options.read.type;
%}
%typemap(in) double %{ $1 = luaL_checknumber(L, $input); %}
%typemap(in) const char *name, const char *from_ %{ $1 = (char *)luaL_optstring(L, $input, NULL); %}
%typemap(in) const char *to %{ $1 = (char *)luaL_optstring(L, $input, "utf-8"); %}
%typemap(in) const char *errors %{ $1 = (char *)take_errors(L, $input); %}
%typemap(out) const char * %{
  lua_pushstring(L, $1);
  SWIG_arg++;
%}
%typemap(out) text %{
  lua_pushlstring(L, (&$1)->data, (&$1)->size);
  SWIG_arg++;
%}
%typemap(out) hex %{
  char *digits = (char *)lua_newuserdata(L, 2 * (&$1)->size + 1); /* the collector's, since the push may jump */
  lua_pushlstring(L, digits, fastio_format_hex((&$1)->data, (&$1)->size, (&$1)->upper, digits));
  SWIG_arg++;
%}
%typemap(out) names %{
  push_names(L, $1);
  SWIG_arg++;
%}
%typemap(out) void %{
  lua_pushboolean(L, 1);
  SWIG_arg++;
%}
%typemap(out) truth %{
  lua_pushboolean(L, $1);
  SWIG_arg++;
%}
%exception transcode %{
  flua_new_column(L, FLUA_COLUMN);
  $action
%}
%typemap(out) converted %{
  push_converted(L, &$1);
  SWIG_arg++;
%}
