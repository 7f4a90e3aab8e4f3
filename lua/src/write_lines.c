/* write_lines: a list, a column of strings, or what an iterator gives, each with the end behind it. */
#include <limits.h>

#include "flua.h"

typedef struct Writing {
  const Options *options;
  fastio_status status;
  fastio_error err;
} Writing;

static bool is_line(lua_State *L, int index) {
  return lua_type(L, index) == LUA_TSTRING || lua_type(L, index) == LUA_TNUMBER;
}

static int reject(lua_State *L, int i) {
  lua_pushfstring(L, "line %d: a string expected, got %s", i, luaL_typename(L, -1));
  return luaL_argerror(L, FLUA_OUT_DATA, lua_tostring(L, -1));
}

/* The value at `index` and the end, as one record. Never raises. */
static void write_line(lua_State *L, int index, fastio_writer *out, Writing *w) {
  char digits[FASTIO_FORMAT_MAX];
  fastio_bytes pieces[2] = {{digits, 0}, w->options->array.end};
  if (lua_type(L, index) == LUA_TSTRING) {
    pieces[0].data = lua_tolstring(L, index, &pieces[0].size);
  } else {
    pieces[0].size = flua_format_number(L, index, digits);
  }
  w->status = fastio_write_pieces(out, pieces, 2, &w->err);
}

/* ---- a list ---- */

static int check_list(lua_State *L) {
  size_t count = flua_rawlen(L, FLUA_OUT_DATA);
  if (count > INT_MAX) luaL_argerror(L, FLUA_OUT_DATA, "too many lines");
  for (int i = 1; i <= (int)count; i++) {
    lua_rawgeti(L, FLUA_OUT_DATA, i);
    if (!is_line(L, -1)) reject(L, i);
    lua_pop(L, 1);
  }
  return (int)count;
}

/* A callback may have changed the list meanwhile: what is no line any more is left out. */
static void write_list(lua_State *L, int count, Writing *w) {
  fastio_writer *out = flua_enter_output(L, w->options);
  for (int i = 1; i <= count && !w->status; i++) {
    lua_rawgeti(L, FLUA_OUT_DATA, i);
    if (is_line(L, -1)) write_line(L, lua_gettop(L), out, w);
    lua_pop(L, 1);
  }
  flua_leave_output(L);
}

/* ---- an iterator ---- */

/* Until it returns nil. It runs outside of the bracket: its errors pass through. */
static void write_each(lua_State *L, Writing *w) {
  int line = lua_gettop(L) + 1;
  for (int i = 1;; i++) {
    lua_pushvalue(L, FLUA_OUT_DATA);
    lua_call(L, 0, 1);
    if (lua_isnil(L, line)) return;
    if (!is_line(L, line)) reject(L, i);
    flua_check_open_writer(L, FLUA_OUT_WRITER);
    fastio_writer *out = flua_enter_output(L, w->options);
    write_line(L, line, out, w);
    flua_leave_output(L);
    if (w->status) return;
    lua_settop(L, line - 1);
  }
}

/* ---- a column ---- */

static void write_column(lua_State *L, const fastio_column *strings, Writing *w) {
  fastio_writer *out = flua_enter_output(L, w->options);
  w->status = fastio_write_lines(out, strings, w->options->array.end, &w->err);
  flua_leave_output(L);
}

/* Pushes what owns the part that the argument is. */
static const fastio_column *push_strings(lua_State *L) {
  const Column *column = flua_check_column(L, FLUA_OUT_DATA);
  fastio_error err;
  if (!column->base->offsets) luaL_argerror(L, FLUA_OUT_DATA, "a list, an iterator or a column of strings expected");
  Column *owner = flua_new_column(L, FLUA_COLUMN);
  owner->base = flua_slice_column(column);
  if (owner->base) return owner->base;
  flua_set_error(&err, FASTIO_NO_MEMORY, NULL);
  flua_raise(L, &err, 0);
  return NULL;
}

/* write_lines(dest, lines[, options]) */
int flua_write_lines(lua_State *L) {
  Options options;
  Writing w = {&options, FASTIO_OK, {0}};
  const fastio_column *strings = NULL;
  int count = 0, type;
  flua_begin_output(L, FLUA_WRITE_LINES, &options);
  type = lua_type(L, FLUA_OUT_DATA);
  if (type == LUA_TTABLE) count = check_list(L);
  if (type != LUA_TTABLE && type != LUA_TFUNCTION) strings = push_strings(L);
  w.status = flua_open_output(L, &options, &w.err);
  if (w.status) return flua_end_output(L, w.status, &w.err);
  if (strings) {
    write_column(L, strings, &w);
  } else if (type == LUA_TTABLE) {
    write_list(L, count, &w);
  } else {
    write_each(L, &w);
  }
  return flua_end_output(L, w.status, &w.err);
}
