/* Lua values as text: what print, write, format and concat make of them.
 *
 * Floats are the shortest digits that read back as the same number. What this Lua tells to be an integer is written as
 * one: the integers of Lua 5.3 and later; elsewhere whole numbers up to 2^53. */
#include <math.h>

#include "flua.h"

/* ---- numbers ---- */

typedef struct Number {
  bool is_integer;
  int64_t integer;
  double number;
} Number;

static Number number_at(lua_State *L, int index) {
  Number n = {false, 0, (double)lua_tonumber(L, index)};
#if LUA_VERSION_NUM >= 503
  n.is_integer = lua_isinteger(L, index);
  if (n.is_integer) n.integer = (int64_t)lua_tointeger(L, index);
#else
  bool is_small = n.number >= -9007199254740992.0 && n.number <= 9007199254740992.0;
  n.is_integer = is_small && (double)(int64_t)n.number == n.number && !(n.number == 0 && signbit(n.number));
  if (n.is_integer) n.integer = (int64_t)n.number;
#endif
  return n;
}

/* ---- without a format, straight into a writer ---- */

bool flua_is_plain(lua_State *L, int index) {
  int type = lua_type(L, index);
  return type == LUA_TNIL || type == LUA_TBOOLEAN || type == LUA_TNUMBER || type == LUA_TSTRING;
}

static fastio_status write_number(lua_State *L, int index, fastio_writer *writer, fastio_error *err) {
  Number n = number_at(L, index);
  return n.is_integer ? fastio_write_i64(writer, n.integer, err) : fastio_write_f64(writer, n.number, err);
}

fastio_status flua_write_plain(lua_State *L, int index, fastio_writer *writer, fastio_error *err) {
  size_t size;
  const char *text;
  switch (lua_type(L, index)) {
    case LUA_TNUMBER: return write_number(L, index, writer, err);
    case LUA_TBOOLEAN: return fastio_write_bool(writer, lua_toboolean(L, index), err);
    case LUA_TSTRING: text = lua_tolstring(L, index, &size); return fastio_write(writer, text, size, err);
    default: return fastio_write(writer, "nil", 3, err);
  }
}

/* ---- as strings ---- */

/* What a method __fastio_print(self, writer) writes. It is kept back until the method returns, so that an error in it
 * leaves nothing half written. The method lies on the top. */
static void push_printed(lua_State *L, int index) {
  fastio_bytes bytes;
  fastio_error err;
  int method = lua_gettop(L), results;
  Writer *writer = flua_new_memory(L);
  lua_pushvalue(L, method);
  lua_pushvalue(L, index);
  lua_pushvalue(L, method + 1);
  lua_call(L, 2, 0);
  if (!writer->handle) luaL_error(L, "__fastio_print closed its writer");
  if (fastio_writer_bytes(writer->handle, &bytes, &err)) flua_raise(L, &err, 0);
  lua_pushlstring(L, bytes.data, bytes.size);
  flua_writer_close(L, method + 1, true, &results);
  lua_replace(L, method);
  lua_settop(L, method);
}

/* As tostring does it. */
static void push_foreign(lua_State *L, int index) {
#if LUA_VERSION_NUM >= 502
  luaL_tolstring(L, index, NULL);
#else
  if (!luaL_callmeta(L, index, "__tostring")) {
    lua_pushfstring(L, "%s: %p", luaL_typename(L, index), lua_topointer(L, index));
  }
#endif
  if (!lua_isstring(L, -1)) luaL_error(L, "'__tostring' must return a string");
}

/* An integer of LuaJIT's FFI, without the letters that its tostring gives it. */
static bool push_boxed(lua_State *L, int index) {
  char digits[FASTIO_FORMAT_MAX];
  Whole whole;
  if (lua_type(L, index) != FLUA_TCDATA || !flua_to_whole(L, index, &whole)) return false;
  size_t size = whole.is_negative ? fastio_format_i64((int64_t)whole.bits, 10, digits)
                                  : fastio_format_u64(whole.bits, 10, digits);
  lua_pushlstring(L, digits, size);
  return true;
}

size_t flua_format_number(lua_State *L, int index, char *out) {
  Number n = number_at(L, index);
  return n.is_integer ? fastio_format_i64(n.integer, 10, out) : fastio_format_f64(n.number, out);
}

static void push_number(lua_State *L, int index) {
  char digits[FASTIO_FORMAT_MAX];
  lua_pushlstring(L, digits, flua_format_number(L, index, digits));
}

static void push_plain_text(lua_State *L, int index) {
  switch (lua_type(L, index)) {
    case LUA_TNIL: lua_pushliteral(L, "nil"); return;
    case LUA_TBOOLEAN: lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false"); return;
    case LUA_TSTRING: lua_pushvalue(L, index); return;
    case LUA_TNUMBER: push_number(L, index); return;
    default: break;
  }
  if (luaL_getmetafield(L, index, "__fastio_print")) {
    push_printed(L, index);
  } else if (!push_boxed(L, index)) {
    push_foreign(L, index);
  }
}

/* ---- with a format ---- */

typedef struct Subject {
  enum { SIGNED, UNSIGNED, FLOAT, TEXT } kind;
  int64_t i64;
  uint64_t u64;
  double f64;
  const char *text;
  size_t size;
} Subject;

static size_t lay_out(const Subject *subject, const fastio_format *how, char *out, size_t capacity) {
  switch (subject->kind) {
    case SIGNED: return fastio_format_i64_as(subject->i64, how, out, capacity);
    case UNSIGNED: return fastio_format_u64_as(subject->u64, how, out, capacity);
    case FLOAT: return fastio_format_f64_as(subject->f64, how, out, capacity);
    default: return fastio_format_text_as(subject->text, subject->size, how, out, capacity);
  }
}

static void push_laid_out(lua_State *L, const Subject *subject, const fastio_format *how) {
  char small[256];
  size_t size = lay_out(subject, how, small, sizeof small);
  if (size <= sizeof small) {
    lua_pushlstring(L, small, size);
  } else {
    char *large = lua_newuserdata(L, size);
    lay_out(subject, how, large, size);
    lua_pushlstring(L, large, size);
    lua_remove(L, -2);
  }
}

static Subject whole_subject(const Whole *whole) {
  Subject subject = {whole->is_negative ? SIGNED : UNSIGNED, (int64_t)whole->bits, whole->bits, 0, NULL, 0};
  return subject;
}

/* A number as the format wants it. */
static bool number_subject(lua_State *L, int index, const Format *format, Subject *out) {
  Whole whole;
  int type = lua_type(L, index);
  if (type != LUA_TNUMBER && type != FLUA_TCDATA) return false;
  memset(out, 0, sizeof *out);
  if (format->as == FLUA_AS_INTEGER || type == FLUA_TCDATA) {
    bool is_whole = flua_to_whole(L, index, &whole);
    if (!is_whole && type == FLUA_TCDATA) return false;
    if (!is_whole) luaL_argerror(L, index, "number has no integer representation");
    *out = whole_subject(&whole);
    if (format->as != FLUA_AS_FLOAT) return true;
    out->f64 = whole.is_negative ? (double)(int64_t)whole.bits : (double)whole.bits;
    out->kind = FLOAT;
    return true;
  }
  Number n = number_at(L, index);
  out->kind = n.is_integer && format->as == FLUA_AS_IT_IS ? SIGNED : FLOAT;
  out->i64 = n.integer;
  out->f64 = n.number;
  return true;
}

void flua_push_text(lua_State *L, int index, const Format *format) {
  Subject subject;
  if (!format) {
    push_plain_text(L, index);
    return;
  }
  if (!number_subject(L, index, format, &subject)) {
    push_plain_text(L, index);
    memset(&subject, 0, sizeof subject);
    subject.kind = TEXT;
    subject.text = lua_tolstring(L, -1, &subject.size);
    push_laid_out(L, &subject, &format->how);
    lua_remove(L, -2);
    return;
  }
  push_laid_out(L, &subject, &format->how);
}

/* ---- functions ---- */

/* format(value[, format]) -> string */
static int format(lua_State *L) {
  luaL_checkany(L, 1);
  const Format *how = flua_check_format(L, 2);
  lua_settop(L, 2);
  flua_push_text(L, 1, how);
  return 1;
}

/* concat(...) -> the values' texts, one behind the other */
static int concat(lua_State *L) {
  int count = lua_gettop(L);
  luaL_checkstack(L, 8, NULL);
  for (int i = 1; i <= count; i++) {
    flua_push_text(L, i, NULL);
    lua_replace(L, i);
  }
  lua_concat(L, count);
  return 1;
}

void flua_open_texts(lua_State *L) {
  static const luaL_Reg functions[] = {{"format", format}, {"concat", concat}, {NULL, NULL}};
  flua_register(L, functions);
}
