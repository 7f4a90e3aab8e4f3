/* write_ints, write_floats: many numbers at once. A table of Lua numbers becomes an array first, so that one that is no
 * number is found before a byte is written. */
#include <limits.h>

#include "flua.h"

/* ---- from a table ---- */

typedef struct Gathering {
  lua_State *L;
  bool are_ints;
  bool has_rows;
  uint64_t rows, columns;
  uint64_t *data;             /* a userdata on the stack */
  uint8_t *validity;          /* one in the anchor table; NULL: no value is missing yet */
  bool has_negative, has_big; /* below 0; beyond INT64_MAX */
} Gathering;

/* "value 3: an integer expected, got 2.5", "row 2, value 3: ..." */
static int reject(const Gathering *g, uint64_t row, uint64_t column, const char *expected) {
  lua_State *L = g->L;
  if (lua_type(L, -1) == LUA_TNUMBER || lua_type(L, -1) == LUA_TSTRING) {
    flua_push_text(L, lua_gettop(L), NULL);
  } else {
    lua_pushstring(L, luaL_typename(L, -1));
  }
  const char *got = lua_tostring(L, -1);
  if (g->has_rows) {
    lua_pushfstring(L, "row %d, value %d: %s expected, got %s", (int)row + 1, (int)column + 1, expected, got);
  } else {
    lua_pushfstring(L, "value %d: %s expected, got %s", (int)column + 1, expected, got);
  }
  return luaL_argerror(L, FLUA_OUT_DATA, lua_tostring(L, -1));
}

static bool is_null(lua_State *L, int index) {
  return lua_type(L, index) == LUA_TLIGHTUSERDATA && !lua_touserdata(L, index);
}

static void set_missing(Gathering *g, uint64_t at) {
  size_t size = (size_t)((g->rows * g->columns + 7) / 8);
  if (!g->validity) {
    g->validity = lua_newuserdata(g->L, size);
    memset(g->validity, 0xff, size);
    lua_rawseti(g->L, FLUA_OUT_ANCHOR, FLUA_ANCHOR_VALIDITY);
  }
  g->validity[at / 8] &= (uint8_t) ~(1u << at % 8);
  g->data[at] = 0;
}

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* The value on the top. */
static void gather_value(Gathering *g, uint64_t row, uint64_t column) {
  uint64_t at = row * g->columns + column;
  Whole whole;
  if (is_null(g->L, -1)) {
    set_missing(g, at);
  } else if (!g->are_ints) {
    if (lua_type(g->L, -1) != LUA_TNUMBER) reject(g, row, column, "a number");
    g->data[at] = bits_of((double)lua_tonumber(g->L, -1));
  } else {
    if (!flua_to_whole(g->L, lua_gettop(g->L), &whole)) reject(g, row, column, "an integer");
    g->has_negative |= whole.is_negative;
    g->has_big |= !whole.is_negative && whole.bits > INT64_MAX;
    if (g->has_negative && g->has_big) reject(g, row, column, "integers that fit one type of 64 bits");
    g->data[at] = whole.bits;
  }
}

/* The table on the top is row `row`. */
static void gather_row(Gathering *g, uint64_t row) {
  int list = lua_gettop(g->L);
  for (uint64_t i = 0; i < g->columns; i++) {
    lua_rawgeti(g->L, list, (int)(i + 1));
    gather_value(g, row, i);
    lua_pop(g->L, 1);
  }
}

static void gather_rows(Gathering *g) {
  lua_State *L = g->L;
  for (uint64_t row = 0; row < g->rows; row++) {
    lua_rawgeti(L, FLUA_OUT_DATA, (int)(row + 1));
    if (!lua_istable(L, -1)) reject(g, row, 0, "a list in each row");
    if (flua_rawlen(L, -1) != g->columns) {
      lua_pushfstring(L, "row %d has %d values, the first one %d", (int)row + 1, (int)flua_rawlen(L, -1),
                      (int)g->columns);
      luaL_argerror(L, FLUA_OUT_DATA, lua_tostring(L, -1));
    }
    gather_row(g, row);
    lua_pop(L, 1);
  }
}

/* {1, 2, 3} or {{1, 2}, {3, 4}} */
static void gather(lua_State *L, bool are_ints, fastio_array *out) {
  Gathering g = {L, are_ints, false, 1, flua_rawlen(L, FLUA_OUT_DATA), NULL, NULL, false, false};
  lua_rawgeti(L, FLUA_OUT_DATA, 1);
  g.has_rows = lua_istable(L, -1);
  if (g.has_rows) {
    g.rows = g.columns;
    g.columns = flua_rawlen(L, -1);
  }
  lua_pop(L, 1);
  if (g.rows > INT_MAX || g.columns > INT_MAX || (g.rows && g.columns > SIZE_MAX / 16 / g.rows)) {
    luaL_argerror(L, FLUA_OUT_DATA, "too many values");
  }
  g.data = lua_newuserdata(L, (size_t)(g.rows * g.columns + 1) * sizeof *g.data);
  if (g.has_rows) {
    gather_rows(&g);
  } else {
    lua_pushvalue(L, FLUA_OUT_DATA);
    gather_row(&g, 0);
    lua_pop(L, 1);
  }
  memset(out, 0, sizeof *out);
  out->type = !are_ints ? FASTIO_FLOAT64 : g.has_big ? FASTIO_UINT64 : FASTIO_INT64;
  out->data = g.data;
  out->rows = g.rows;
  out->columns = g.columns;
  out->validity = g.validity;
}

/* ---- from a column ---- */

/* Bit 0 of the result, which stays on the stack, is bit `start` of the column's. */
static const uint8_t *shifted_validity(lua_State *L, const Column *column) {
  const uint8_t *bits = column->base->validity;
  if (!column->null_count) return NULL;
  if (column->start % 8 == 0) return bits + column->start / 8;
  uint8_t *shifted = lua_newuserdata(L, (size_t)(column->length + 7) / 8);
  flua_copy_bits(bits, column->start, column->length, shifted);
  return shifted;
}

static void borrow(lua_State *L, const Column *column, bool are_ints, fastio_array *out) {
  const fastio_column *base = column->base;
  bool is_float = base->type == FASTIO_FLOAT32 || base->type == FASTIO_FLOAT64;
  if (base->type > FASTIO_FLOAT64 || is_float == are_ints) {
    lua_pushfstring(L, "a column of %s expected, got one of %s", are_ints ? "integers" : "floats",
                    fastio_type_name(base->type));
    luaL_argerror(L, FLUA_OUT_DATA, lua_tostring(L, -1));
  }
  bool is_matrix = base->row_items && column->length == base->length;
  memset(out, 0, sizeof *out);
  out->type = base->type;
  out->data = (const char *)base->data + column->start * fastio_type_size(base->type);
  out->rows = is_matrix ? base->length / base->row_items : 1;
  out->columns = is_matrix ? base->row_items : column->length;
  out->validity = shifted_validity(L, column);
}

/* ---- writing ---- */

static int write_array(lua_State *L, bool are_ints) {
  Options options;
  fastio_array array;
  fastio_error err;
  flua_begin_output(L, FLUA_WRITE_ARRAY, &options);
  if (lua_istable(L, FLUA_OUT_DATA)) {
    gather(L, are_ints, &array);
  } else {
    borrow(L, flua_check_column(L, FLUA_OUT_DATA), are_ints, &array);
  }
  if (array.validity && !options.has_null) {
    luaL_argerror(L, FLUA_OUT_DATA, "there are nulls in it: the option 'null' has to say what to write for them");
  }
  fastio_status status = flua_open_output(L, &options, &err);
  if (!status) {
    Writer *writer = lua_touserdata(L, FLUA_OUT_WRITER);
    fastio_writer *out = flua_enter_output(L, &options);
    writer->bridge.unit = "M values";
    options.array.poll = flua_poll;
    options.array.poll_ctx = &writer->bridge;
    status = fastio_write_array(out, &array, &options.array, &err);
    flua_leave_output(L);
  }
  return flua_end_output(L, status, &err);
}

int flua_write_ints(lua_State *L) { return write_array(L, true); }

int flua_write_floats(lua_State *L) { return write_array(L, false); }
