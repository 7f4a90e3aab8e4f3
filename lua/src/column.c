/* Column and Lines: values in C memory, made into Lua values when they are taken. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "flua.h"

/* Every number type with its C type. */
#define EACH_SIGNED(X) X(FASTIO_INT8, int8_t) X(FASTIO_INT16, int16_t) X(FASTIO_INT32, int32_t) X(FASTIO_INT64, int64_t)
#define EACH_UNSIGNED(X) \
  X(FASTIO_UINT8, uint8_t) X(FASTIO_UINT16, uint16_t) X(FASTIO_UINT32, uint32_t) X(FASTIO_UINT64, uint64_t)
#define EACH_INTEGER(X) EACH_SIGNED(X) EACH_UNSIGNED(X)
#define EACH_FLOAT(X) X(FASTIO_FLOAT32, float) X(FASTIO_FLOAT64, double)
/* Those that are integers inside. */
#define EACH_INSTANT(X) \
  X(FASTIO_DATE, int32_t) X(FASTIO_TIME, int64_t) X(FASTIO_TIMESTAMP, int64_t) X(FASTIO_TIMESTAMP_UTC, int64_t)

/* ---- life ---- */

Column *flua_new_column(lua_State *L, int type) { return flua_new(L, type, sizeof(Column)); }

/* Takes over one ownership of the base. The collector knows nothing of the memory, so it is told at the next call. */
void flua_fill_column(lua_State *L, Column *column, const fastio_column *base, int int64) {
  column->base = base;
  column->length = base->length;
  column->null_count = base->null_count;
  column->int64 = int64;
  flua_add_debt(L, base);
}

void flua_add_debt(lua_State *L, const fastio_column *base) {
  flua_state(L)->debt += base->data_size + (base->offsets ? 8 * base->length : 0);
  if (base->dictionary) flua_add_debt(L, base->dictionary);
}

static Column *to_column(lua_State *L, int index) {
  Column *column = lua_touserdata(L, index);
  if (!column || (!flua_is_type(L, index, FLUA_COLUMN) && !flua_is_type(L, index, FLUA_LINES))) {
    return flua_check(L, index, FLUA_COLUMN);
  }
  return column;
}

Column *flua_check_column(lua_State *L, int index) {
  Column *column = to_column(L, index);
  if (!column->base) luaL_argerror(L, index, "the column is closed");
  return column;
}

static int refuse_type(lua_State *L, const Column *column, const char *expected) {
  lua_pushfstring(L, "a column of %s expected, got one of %s", expected, fastio_type_name(column->base->type));
  return luaL_argerror(L, 1, lua_tostring(L, -1));
}

static Column *check_numbers(lua_State *L) {
  flua_check(L, 1, FLUA_COLUMN);
  Column *column = flua_check_column(L, 1);
  if (column->base->type > FASTIO_FLOAT64) refuse_type(L, column, "numbers");
  return column;
}

Column *flua_check_bytes_column(lua_State *L, int index) {
  flua_check(L, index, FLUA_COLUMN);
  Column *column = flua_check_column(L, index);
  if (column->base->type != FASTIO_UINT8) luaL_argerror(L, index, "a column of uint8 expected");
  return column;
}

static int close_column(lua_State *L) {
  Column *column = to_column(L, 1);
  if (column->base) fastio_column_free(column->base);
  memset(column, 0, sizeof *column);
  return 0;
}

/* ---- one value ---- */

static bool is_present(const Column *column, uint64_t i) {
  const uint8_t *validity = column->base->validity;
  uint64_t bit = column->start + i;
  return !validity || (validity[bit / 8] >> bit % 8 & 1);
}

static void push_text(lua_State *L, const fastio_column *base, uint64_t at) {
  lua_pushlstring(L, (const char *)base->data + base->offsets[at], (size_t)(base->offsets[at + 1] - base->offsets[at]));
}

/* Dates and times as ISO 8601. */
static void push_instant(lua_State *L, const fastio_column *base, uint64_t at) {
  char text[FASTIO_FORMAT_MAX];
  size_t size;
  if (base->type == FASTIO_DATE) {
    size = fastio_format_date(((const int32_t *)base->data)[at], text);
  } else if (base->type == FASTIO_TIME) {
    size = fastio_format_time(((const int64_t *)base->data)[at], text);
  } else {
    size = fastio_format_timestamp(((const int64_t *)base->data)[at], base->type, text);
  }
  lua_pushlstring(L, text, size);
}

/* Every number, and the integers behind the other types. */
static fastio_status push_number(lua_State *L, const Column *column, uint64_t at, fastio_error *err) {
  const void *data = column->base->data;
  switch (column->base->type) {
#define PUSH_FLOAT(constant, T)                           \
  case constant:                                          \
    lua_pushnumber(L, (lua_Number)((const T *)data)[at]); \
    return FASTIO_OK;
#define PUSH_SIGNED(constant, T)                                        \
  case constant: {                                                      \
    return flua_push_i64(L, ((const T *)data)[at], column->int64, err); \
  }
#define PUSH_UNSIGNED(constant, T)                                      \
  case constant: {                                                      \
    return flua_push_u64(L, ((const T *)data)[at], column->int64, err); \
  }
    EACH_FLOAT(PUSH_FLOAT)
    EACH_SIGNED(PUSH_SIGNED)
    EACH_UNSIGNED(PUSH_UNSIGNED)
    EACH_INSTANT(PUSH_SIGNED)
    PUSH_SIGNED(FASTIO_DICTIONARY, int32_t)
#undef PUSH_FLOAT
#undef PUSH_SIGNED
#undef PUSH_UNSIGNED
    case FASTIO_BOOL: return flua_push_i64(L, ((const uint8_t *)data)[at / 8] >> at % 8 & 1, 0, err);
    default: lua_pushnil(L); return FASTIO_OK;
  }
}

fastio_status flua_push_value(lua_State *L, const Column *column, uint64_t i, fastio_error *err) {
  const fastio_column *base = column->base;
  uint64_t at = column->start + i;
  if (!is_present(column, i)) {
    lua_pushnil(L);
    return FASTIO_OK;
  }
  if (base->type <= FASTIO_FLOAT64) return push_number(L, column, at, err); /* the hot ones */
  switch (base->type) {
    case FASTIO_STRING:
    case FASTIO_BINARY: push_text(L, base, at); return FASTIO_OK;
    case FASTIO_DICTIONARY:
      push_text(L, base->dictionary, (uint64_t)((const int32_t *)base->data)[at]);
      return FASTIO_OK;
    case FASTIO_BOOL: lua_pushboolean(L, ((const uint8_t *)base->data)[at / 8] >> at % 8 & 1); return FASTIO_OK;
    default: push_instant(L, base, at); return FASTIO_OK;
  }
}

/* Operators and iterators raise: they have no room for an error result. */
void flua_push_or_raise(lua_State *L, const Column *column, uint64_t i) {
  fastio_error err;
  if (flua_push_value(L, column, i, &err)) flua_raise(L, &err, 0);
}

/* ---- operators ---- */

static int column_length(lua_State *L) {
  flua_push_count(L, flua_check_column(L, 1)->length);
  return 1;
}

static int push_property(lua_State *L) {
  const Column *column = flua_check_column(L, 1);
  const char *name = lua_tostring(L, 2);
  if (strcmp(name, "dtype") == 0) {
    lua_pushstring(L, fastio_type_name(column->base->type));
  } else if (strcmp(name, "null_count") == 0) {
    flua_push_count(L, column->null_count);
  } else if (strcmp(name, "decode_errors") == 0) {
    flua_push_count(L, column->decode_errors);
  } else if (strcmp(name, "shape") == 0) {
    uint64_t items = column->base->row_items;
    bool is_whole = items && column->length == column->base->length;
    lua_createtable(L, 2, 0);
    flua_push_count(L, is_whole ? column->length / items : column->length);
    lua_rawseti(L, -2, 1);
    if (is_whole) {
      flua_push_count(L, items);
      lua_rawseti(L, -2, 2);
    }
  } else if (strcmp(name, "dictionary") == 0 && column->base->dictionary) {
    Column *strings = flua_new_column(L, FLUA_COLUMN);
    *strings = flua_column_part(column->base->dictionary, 0, column->base->dictionary->length, column->int64);
    fastio_column_retain(strings->base);
  } else {
    lua_pushnil(L);
  }
  return 1;
}

/* column[i], column.method, column.property. Numbers first: they are the hot ones. Upvalue 2: the methods. */
static int column_index(lua_State *L) {
  uint64_t i;
  if (flua_to_u64(L, 2, &i)) {
    const Column *column = flua_check_column(L, 1);
    if (i - 1 >= column->length) return flua_nil(L);
    flua_push_or_raise(L, column, i - 1);
    return 1;
  }
  if (lua_type(L, 2) != LUA_TSTRING) return flua_nil(L);
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(2));
  return lua_isnil(L, -1) ? push_property(L) : 1;
}

static int column_tostring(lua_State *L) {
  const Column *column = to_column(L, 1);
  const char *name = flua_is_type(L, 1, FLUA_LINES) ? "Lines" : "Column";
  char state[64] = "closed";
  if (column->base) {
    snprintf(state, sizeof state, "%s, %" PRIu64 " items", fastio_type_name(column->base->type), column->length);
  }
  lua_pushfstring(L, "fastio.%s (%s)", name, state);
  return 1;
}

/* ---- iteration and copies ---- */

static int next_value(lua_State *L) {
  const Column *column = flua_check_column(L, 1);
  uint64_t i;
  if (!flua_to_u64(L, 2, &i) || i >= column->length) return flua_nil(L);
  flua_push_count(L, i + 1);
  flua_push_or_raise(L, column, i);
  return 2;
}

/* for i, value in column:iter() do; nulls come as nil. */
static int column_iter(lua_State *L) {
  flua_check_column(L, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, next_value, 1);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 0);
  return 3;
}

/* totable([i[, j]]) -> a table of its own, with fastio.null for nulls. */
static int column_totable(lua_State *L) {
  const Column *column = flua_check_column(L, 1);
  fastio_error err;
  uint64_t first, end;
  flua_range(L, 2, column->length, &first, &end);
  if (end - first > INT_MAX) return luaL_error(L, "too many values for a table");
  lua_createtable(L, (int)(end - first), 0);
  for (uint64_t i = first; i < end; i++) {
    if (!is_present(column, i)) {
      lua_pushlightuserdata(L, NULL);
    } else if (flua_push_value(L, column, i, &err)) {
      return flua_fail(L, &err, 0);
    }
    lua_rawseti(L, -2, (int)(i - first + 1));
  }
  return 1;
}

static uint64_t count_nulls(const Column *column) {
  uint64_t count = 0;
  if (!column->base->null_count) return 0;
  for (uint64_t i = 0; i < column->length; i++) count += !is_present(column, i);
  return count;
}

Column flua_column_part(const fastio_column *base, uint64_t start, uint64_t length, int int64) {
  Column part = {base, start, length, 0, int64, 0};
  part.null_count = length == base->length ? base->null_count : count_nulls(&part);
  return part;
}

/* slice([i[, j]]) -> a column over the same memory. */
static int column_slice(lua_State *L) {
  const Column *column = flua_check_column(L, 1);
  uint64_t first, end;
  flua_range(L, 2, column->length, &first, &end);
  Column *slice = flua_new_column(L, flua_is_type(L, 1, FLUA_LINES) ? FLUA_LINES : FLUA_COLUMN);
  *slice = flua_column_part(column->base, column->start + first, end - first, column->int64);
  fastio_column_retain(slice->base);
  return 1;
}

/* raw(i) -> the integer behind a date, a time, a bool or a string of a dictionary; numbers as they are. */
static int column_raw(lua_State *L) {
  const Column *column = flua_check_column(L, 1);
  fastio_error err;
  uint64_t i;
  if (column->base->offsets) refuse_type(L, column, "numbers, bools, dates or times");
  luaL_checktype(L, 2, LUA_TNUMBER);
  if (!flua_to_u64(L, 2, &i) || i - 1 >= column->length || !is_present(column, i - 1)) return flua_nil(L);
  return push_number(L, column, column->start + i - 1, &err) ? flua_fail(L, &err, 0) : 1;
}

/* at(row, item) -> one value of a matrix, or nil outside. */
static int column_at(lua_State *L) {
  const Column *column = check_numbers(L);
  uint64_t items = column->base->row_items, row, item;
  if (!items || column->length != column->base->length) return luaL_error(L, "the column has no shape");
  if (!flua_to_u64(L, 2, &row)) luaL_argerror(L, 2, "an integer expected");
  if (!flua_to_u64(L, 3, &item)) luaL_argerror(L, 3, "an integer expected");
  if (row - 1 >= column->length / items || item - 1 >= items) return flua_nil(L);
  flua_push_or_raise(L, column, (row - 1) * items + item - 1);
  return 1;
}

/* ---- arithmetic ---- */

/* An exact sum in two halves: `high` counts 2^32, `low` stays below 2^32 after each batch. */
typedef struct Wide {
  int64_t high;
  uint64_t low;
  bool overflow;
} Wide;

enum { BATCH = 1 << 28 }; /* so many 32-bit halves can't overflow 64 bits */

/* The halves of values first to end. Nulls hold 0 and need no look. */
static void sum_halves(const Column *column, uint64_t first, uint64_t end, int64_t *high, uint64_t *low) {
  switch (column->base->type) {
#define SUM(constant, T, wide)                                       \
  case constant: {                                                   \
    const T *values = (const T *)column->base->data + column->start; \
    for (uint64_t i = first; i < end; i++) {                         \
      *high += (int64_t)((wide)values[i] >> 32);                     \
      *low += (uint32_t)values[i];                                   \
    }                                                                \
    break;                                                           \
  }
#define SUM_SIGNED(constant, T) SUM(constant, T, int64_t)
#define SUM_UNSIGNED(constant, T) SUM(constant, T, uint64_t)
    EACH_SIGNED(SUM_SIGNED)
    EACH_UNSIGNED(SUM_UNSIGNED)
#undef SUM
    default: break;
  }
}

static Wide sum_integers(const Column *column) {
  Wide sum = {0, 0, false};
  for (uint64_t first = 0; first < column->length && !sum.overflow; first += BATCH) {
    int64_t high = 0;
    uint64_t low = 0;
    sum_halves(column, first, column->length - first < BATCH ? column->length : first + BATCH, &high, &low);
    low += sum.low;
    sum.low = (uint32_t)low;
    sum.high += high + (int64_t)(low >> 32);
    sum.overflow = sum.high > INT64_MAX / 2 || sum.high < INT64_MIN / 2;
  }
  return sum;
}

static int overflow(lua_State *L) {
  fastio_error err;
  flua_set_error(&err, FASTIO_OUT_OF_RANGE, "the sum does not fit 64 bits");
  return flua_fail(L, &err, 0);
}

static int push_integer_sum(lua_State *L, const Column *column) {
  Wide sum = sum_integers(column);
  bool is_unsigned = column->base->type >= FASTIO_UINT8 && column->base->type <= FASTIO_UINT64;
  int64_t low = is_unsigned ? 0 : INT32_MIN, high = is_unsigned ? UINT32_MAX : INT32_MAX;
  fastio_error err;
  if (sum.overflow || sum.high < low || sum.high > high) return overflow(L);
  uint64_t bits = (uint64_t)sum.high << 32 | sum.low;
  fastio_status status = is_unsigned ? flua_push_u64(L, bits, column->int64, &err)
                                     : flua_push_i64(L, (int64_t)bits, column->int64, &err);
  return status ? flua_fail(L, &err, 0) : 1;
}

/* Pairwise: the rounding error grows with the logarithm of the length, not with the length. */
#define SUM_PAIRWISE(constant, T)                                                                        \
  static double sum_##T(const T *values, uint64_t count) {                                               \
    double sum = 0;                                                                                      \
    if (count > 128) return sum_##T(values, count / 2) + sum_##T(values + count / 2, count - count / 2); \
    for (uint64_t i = 0; i < count; i++) sum += (double)values[i];                                       \
    return sum;                                                                                          \
  }
EACH_FLOAT(SUM_PAIRWISE)

static bool is_float(const Column *column) {
  return column->base->type == FASTIO_FLOAT32 || column->base->type == FASTIO_FLOAT64;
}

static double sum_floats(const Column *column) {
  if (column->base->type == FASTIO_FLOAT32) {
    return sum_float((const float *)column->base->data + column->start, column->length);
  }
  return sum_double((const double *)column->base->data + column->start, column->length);
}

/* sum() -> exact for integers; too large is an error. */
static int column_sum(lua_State *L) {
  const Column *column = check_numbers(L);
  if (!is_float(column)) return push_integer_sum(L, column);
  lua_pushnumber(L, sum_floats(column));
  return 1;
}

/* mean() -> a float over what is not null; nil if that is nothing. */
static int column_mean(lua_State *L) {
  const Column *column = check_numbers(L);
  uint64_t count = column->length - column->null_count;
  if (!count) return flua_nil(L);
  double sum;
  if (is_float(column)) {
    sum = sum_floats(column);
  } else {
    Wide wide = sum_integers(column);
    sum = (double)wide.high * 4294967296.0 + (double)wide.low;
  }
  lua_pushnumber(L, sum / (double)count);
  return 1;
}

/* The index of the least (sign -1) or greatest (+1) value, the length if there is none; a NaN wins over everything. */
static uint64_t find_extreme(const Column *column, int sign) {
  uint64_t best = 0;
  while (best < column->length && !is_present(column, best)) best++;
  switch (column->base->type) {
#define EXTREME(constant, T, is_nan)                                                   \
  case constant: {                                                                     \
    const T *values = (const T *)column->base->data + column->start;                   \
    for (uint64_t i = best; i < column->length; i++) {                                 \
      if (is_nan && is_present(column, i)) return i;                                   \
      bool is_better = sign < 0 ? values[i] < values[best] : values[i] > values[best]; \
      if (is_better && is_present(column, i)) best = i;                                \
    }                                                                                  \
    break;                                                                             \
  }
#define EXTREME_INTEGER(constant, T) EXTREME(constant, T, false)
#define EXTREME_FLOAT(constant, T) EXTREME(constant, T, isnan(values[i]))
    EACH_INTEGER(EXTREME_INTEGER)
    EACH_INSTANT(EXTREME_INTEGER)
    EACH_FLOAT(EXTREME_FLOAT)
#undef EXTREME
    default: break;
  }
  return best;
}

static bool is_instant(const Column *column) {
  return column->base->type >= FASTIO_DATE && column->base->type <= FASTIO_TIMESTAMP_UTC;
}

static int push_extreme(lua_State *L, int sign) {
  flua_check(L, 1, FLUA_COLUMN);
  const Column *column = flua_check_column(L, 1);
  fastio_error err;
  if (column->base->type > FASTIO_FLOAT64 && !is_instant(column)) refuse_type(L, column, "numbers, dates or times");
  uint64_t at = find_extreme(column, sign);
  if (at == column->length) return flua_nil(L);
  return flua_push_value(L, column, at, &err) ? flua_fail(L, &err, 0) : 1;
}

static int column_min(lua_State *L) { return push_extreme(L, -1); }

static int column_max(lua_State *L) { return push_extreme(L, +1); }

/* ---- the memory itself ---- */

static const char *c_pointer_of(fastio_type type) {
  switch (type) {
#define C_POINTER(constant, T) \
  case constant: return "const " #T " *";
    EACH_INTEGER(C_POINTER)
    EACH_FLOAT(C_POINTER)
    EACH_INSTANT(C_POINTER)
    default: return "const int32_t *"; /* the indices of a dictionary */
  }
}

/* pointer() -> address of the first value, number of values. On LuaJIT a typed FFI pointer that keeps the memory
 * alive. */
static int column_pointer(lua_State *L) {
  flua_check(L, 1, FLUA_COLUMN);
  const Column *column = flua_check_column(L, 1);
  if (!fastio_type_size(column->base->type)) refuse_type(L, column, "numbers, dates or times");
  if (column->null_count) return luaL_error(L, "the column has nulls, which a pointer can't show");
  const char *data = (const char *)column->base->data + column->start * fastio_type_size(column->base->type);
  flua_push_pointer(L, data, c_pointer_of(column->base->type), 1);
  flua_push_count(L, column->length);
  return 2;
}

static const luaL_Reg metamethods[] = {{"__len", column_length},  {"__gc", close_column},
                                       {"__close", close_column}, {"__tostring", column_tostring},
                                       {"__pairs", column_iter},  {NULL, NULL}};
static const luaL_Reg lines_methods[] = {
    {"iter", column_iter}, {"totable", column_totable}, {"slice", column_slice}, {"close", close_column}, {NULL, NULL}};
static const luaL_Reg column_methods[] = {
    {"iter", column_iter}, {"totable", column_totable}, {"slice", column_slice}, {"close", close_column},
    {"at", column_at},     {"sum", column_sum},         {"mean", column_mean},   {"min", column_min},
    {"max", column_max},   {"pointer", column_pointer}, {"raw", column_raw},     FLUA_BYTES_METHODS,
    {NULL, NULL}};

void flua_open_columns(lua_State *L) {
  flua_new_type(L, FLUA_LINES, "Lines", metamethods, lines_methods, column_index);
  flua_new_type(L, FLUA_COLUMN, "Column", metamethods, column_methods, column_index);
}
