/* Tables of Lua as tables of the core. Every cell is looked at twice: first for the types of the columns, then for the
 * values. */
#include "frame.h"

#include <limits.h>

enum { ROWS, NAMED_COLUMNS, COLUMNS };
enum { INT = 1, NEGATIVE = 2, BIG = 4, INEXACT = 8, NUMBER = 16, BOOL = 32, TEXT = 64 };

/* A column in the making; its memory lies in the anchor table. */
typedef struct Cells {
  const fastio_column *given; /* of a Column, an owner of which lies in the anchor table */
  unsigned seen;
  bool as_float;
  fastio_type type;
  uint64_t bytes, used; /* of strings */
  void *data;
  int64_t *offsets;
  uint8_t *validity;
  uint64_t null_count;
} Cells;

typedef struct Frame {
  lua_State *L;
  int data, anchor;
  int form;
  uint64_t rows;
  size_t count;
  fastio_bytes *names;
  Cells *cells;
} Frame;

static void *keep_memory(const Frame *f, size_t size) {
  void *memory = lua_newuserdata(f->L, size + 1);
  memset(memory, 0, size + 1);
  lua_pushboolean(f->L, 1);
  lua_rawset(f->L, f->anchor);
  return memory;
}

static bool is_null(lua_State *L, int index) {
  return lua_isnil(L, index) || (lua_type(L, index) == LUA_TLIGHTUSERDATA && !lua_touserdata(L, index));
}

/* ---- cells ---- */

typedef void (*visit_function)(Frame *f, size_t column, uint64_t row); /* the cell lies on the top */

/* "row 2, column 3: ..." */
static int reject(const Frame *f, size_t column, uint64_t row, const char *what) {
  lua_pushfstring(f->L, "row %d, column %d: %s", (int)row + 1, (int)column + 1, what);
  return luaL_argerror(f->L, f->data, lua_tostring(f->L, -1));
}

static void push_named(const Frame *f, int table, size_t column) {
  lua_pushlstring(f->L, f->names[column].data, f->names[column].size);
  lua_rawget(f->L, table);
}

/* A row with nothing in its first place, but something under one of the names. */
static bool is_record(const Frame *f, int row) {
  bool is = false;
  lua_rawgeti(f->L, row, 1);
  bool has_first = !lua_isnil(f->L, -1);
  lua_pop(f->L, 1);
  if (has_first || !f->names) return false;
  for (size_t i = 0; i < f->count && !is; i++) {
    push_named(f, row, i);
    is = !lua_isnil(f->L, -1);
    lua_pop(f->L, 1);
  }
  return is;
}

static void walk_rows(Frame *f, visit_function visit) {
  lua_State *L = f->L;
  for (uint64_t i = 0; i < f->rows; i++) {
    lua_rawgeti(L, f->data, (int)(i + 1));
    int row = lua_gettop(L);
    if (!lua_istable(L, row)) reject(f, 0, i, "a row is a table");
    if (flua_rawlen(L, row) > f->count) reject(f, f->count, i, "there are more values than columns");
    bool has_names = is_record(f, row);
    for (size_t column = 0; column < f->count; column++) {
      if (has_names) {
        push_named(f, row, column);
      } else {
        lua_rawgeti(L, row, (int)(column + 1));
      }
      visit(f, column, i);
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
}

static void walk_columns(Frame *f, visit_function visit) {
  lua_State *L = f->L;
  for (size_t column = 0; column < f->count; column++) {
    if (f->cells[column].given) continue;
    push_named(f, f->data, column);
    int list = lua_gettop(L);
    for (uint64_t i = 0; i < f->rows; i++) {
      lua_rawgeti(L, list, (int)(i + 1));
      visit(f, column, i);
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
}

static void walk(Frame *f, visit_function visit) {
  if (f->form == ROWS) {
    walk_rows(f, visit);
  } else {
    walk_columns(f, visit);
  }
}

/* ---- first: of what type? ---- */

static unsigned kind_of_number(const Whole *whole, bool is_integer) {
  if (!is_integer) return NUMBER;
  uint64_t size = whole->is_negative ? 0 - whole->bits : whole->bits;
  return INT | (whole->is_negative ? NEGATIVE : 0) | (!whole->is_negative && whole->bits > INT64_MAX ? BIG : 0) |
         (size > UINT64_C(1) << 53 ? INEXACT : 0);
}

/* An integer where this Lua tells that it is one, as in text.c. */
static bool to_integer(lua_State *L, int index, Whole *out) {
  if (lua_type(L, index) == FLUA_TCDATA) return flua_to_whole(L, index, out);
#if LUA_VERSION_NUM >= 503
  return lua_isinteger(L, index) && flua_to_whole(L, index, out);
#else
  return flua_to_whole(L, index, out);
#endif
}

static void look(Frame *f, size_t column, uint64_t row) {
  lua_State *L = f->L;
  Cells *cells = &f->cells[column];
  Whole whole = {0, false};
  size_t size;
  int top = lua_gettop(L);
  if (is_null(L, top)) return;
  switch (lua_type(L, top)) {
    case LUA_TBOOLEAN: cells->seen |= BOOL; return;
    case LUA_TSTRING:
      lua_tolstring(L, top, &size);
      cells->bytes += size;
      cells->seen |= TEXT;
      return;
    case LUA_TNUMBER: cells->seen |= kind_of_number(&whole, to_integer(L, top, &whole)); return;
    default:
      if (!to_integer(L, top, &whole)) reject(f, column, row, "a string, a number, a boolean or a null expected");
      cells->seen |= kind_of_number(&whole, true);
  }
}

static fastio_type type_of(const Cells *cells) {
  unsigned seen = cells->seen;
  bool has_number = seen & (INT | NUMBER);
  if (seen & TEXT || !seen || (has_number && seen & BOOL)) return FASTIO_STRING;
  if (seen & BOOL) return FASTIO_BOOL;
  if (cells->as_float) return FASTIO_FLOAT64;
  if (seen & NUMBER) return seen & INEXACT ? FASTIO_STRING : FASTIO_FLOAT64;
  if (seen & BIG) return seen & NEGATIVE ? FASTIO_STRING : FASTIO_UINT64;
  return FASTIO_INT64;
}

/* A cell of a column of strings as text. */
static fastio_bytes text_of(lua_State *L, char *digits) {
  fastio_bytes text = {digits, 0};
  Whole whole;
  int top = lua_gettop(L);
  switch (lua_type(L, top)) {
    case LUA_TSTRING: text.data = lua_tolstring(L, top, &text.size); break;
    case LUA_TNUMBER: text.size = flua_format_number(L, top, digits); break;
    case LUA_TBOOLEAN:
      text.data = lua_toboolean(L, top) ? "true" : "false";
      text.size = lua_toboolean(L, top) ? 4 : 5;
      break;
    default:
      if (!flua_to_whole(L, top, &whole)) break;
      text.size = whole.is_negative ? fastio_format_i64((int64_t)whole.bits, 10, digits)
                                    : fastio_format_u64(whole.bits, 10, digits);
  }
  return text;
}

/* The bytes of what is no string, in a column that becomes one of strings. */
static void measure(Frame *f, size_t column, uint64_t row) {
  char digits[FASTIO_FORMAT_MAX];
  Cells *cells = &f->cells[column];
  (void)row;
  if (cells->type != FASTIO_STRING || lua_type(f->L, -1) == LUA_TSTRING || is_null(f->L, -1)) return;
  cells->bytes += text_of(f->L, digits).size;
}

/* ---- then: the values ---- */

static void set_null(Frame *f, Cells *cells, uint64_t row) {
  if (!cells->validity) {
    size_t size = (size_t)(f->rows + 7) / 8;
    cells->validity = keep_memory(f, size);
    memset(cells->validity, 0xff, size);
  }
  cells->validity[row / 8] &= (uint8_t) ~(1u << row % 8);
  cells->null_count++;
}

/* A finalizer of the user's may have run since the first look. */
static int changed(const Frame *f) { return luaL_error(f->L, "the data changed while they were read"); }

static void fill_text(Frame *f, Cells *cells, uint64_t row) {
  char digits[FASTIO_FORMAT_MAX];
  fastio_bytes text = {NULL, 0};
  if (!is_null(f->L, -1)) text = text_of(f->L, digits);
  if (text.size > cells->bytes - cells->used) changed(f);
  if (text.size) memcpy((char *)cells->data + cells->used, text.data, text.size);
  cells->used += text.size;
  cells->offsets[row + 1] = (int64_t)cells->used;
}

static void fill(Frame *f, size_t column, uint64_t row) {
  lua_State *L = f->L;
  Cells *cells = &f->cells[column];
  int top = lua_gettop(L);
  Whole whole = {0, false};
  if (is_null(L, top)) set_null(f, cells, row);
  if (cells->type == FASTIO_STRING) {
    fill_text(f, cells, row);
  } else if (is_null(L, top)) {
    return;
  } else if (cells->type == FASTIO_BOOL) {
    ((uint8_t *)cells->data)[row / 8] |= (uint8_t)(lua_toboolean(L, top) << row % 8);
  } else if (lua_type(L, top) == LUA_TNUMBER && cells->type == FASTIO_FLOAT64) {
    ((double *)cells->data)[row] = (double)lua_tonumber(L, top);
  } else {
    if (!to_integer(L, top, &whole)) changed(f);
    double number = whole.is_negative ? (double)(int64_t)whole.bits : (double)whole.bits;
    if (cells->type == FASTIO_FLOAT64) memcpy(&whole.bits, &number, sizeof number);
    ((uint64_t *)cells->data)[row] = whole.bits;
  }
}

static void fill_all(Frame *f) {
  bool has_mixed = false;
  walk(f, look);
  for (size_t i = 0; i < f->count; i++) {
    Cells *cells = &f->cells[i];
    if (cells->given) continue;
    cells->type = type_of(cells);
    has_mixed |= cells->type == FASTIO_STRING && cells->seen & ~(unsigned)TEXT;
  }
  if (has_mixed) walk(f, measure);
  for (size_t i = 0; i < f->count; i++) {
    Cells *cells = &f->cells[i];
    if (cells->given) continue;
    bool is_text = cells->type == FASTIO_STRING;
    if (is_text) cells->offsets = keep_memory(f, (size_t)(f->rows + 1) * sizeof *cells->offsets);
    cells->data = keep_memory(f, (size_t)(is_text ? cells->bytes : f->rows * 8));
  }
  walk(f, fill);
}

/* ---- tables of the core ---- */

static void release_nothing(void *ctx) { (void)ctx; }

static const fastio_column *column_of(const Frame *f, size_t i) {
  const Cells *cells = &f->cells[i];
  fastio_column view = {0}, *out = NULL;
  if (cells->given) {
    fastio_column_retain(cells->given);
    return cells->given;
  }
  view.type = cells->type;
  view.length = f->rows;
  view.null_count = cells->null_count;
  view.validity = cells->validity;
  view.offsets = cells->offsets;
  view.data = cells->data;
  view.data_size = cells->offsets ? cells->used : cells->type == FASTIO_BOOL ? (f->rows + 7) / 8 : f->rows * 8;
  return fastio_column_new(&view, release_nothing, NULL, NULL, &out, NULL) ? NULL : out;
}

fastio_status flua_assemble(const fastio_column **columns, const fastio_bytes *names, size_t count, uint64_t rows,
                            fastio_table **out, fastio_error *err) {
  fastio_table view;
  fastio_status status = FASTIO_OK;
  memset(&view, 0, sizeof view);
  view.rows = rows;
  view.column_count = count;
  view.columns = columns;
  view.names = names;
  for (size_t i = 0; i < count; i++) {
    if (columns[i]) continue;
    flua_set_error(err, FASTIO_NO_MEMORY, NULL);
    status = FASTIO_NO_MEMORY;
  }
  if (!status) status = fastio_table_new(&view, NULL, out, err);
  for (size_t i = 0; status && i < count; i++) fastio_column_free(columns[i]);
  return status;
}

/* ---- the shape ---- */

fastio_bytes *flua_names_of(lua_State *L, int anchor, size_t *count) {
  lua_rawgeti(L, anchor, FLUA_ANCHOR_NAMES);
  int list = lua_gettop(L);
  fastio_bytes *names = NULL;
  if (!lua_isnil(L, list)) {
    *count = flua_rawlen(L, list);
    names = lua_newuserdata(L, (*count + 1) * sizeof *names);
    lua_pushboolean(L, 1);
    lua_rawset(L, anchor);
    for (size_t i = 0; i < *count; i++) {
      lua_rawgeti(L, list, (int)(i + 1));
      if (lua_type(L, -1) != LUA_TSTRING) luaL_error(L, "bad option 'names': a list of strings expected");
      names[i].data = lua_tolstring(L, -1, &names[i].size);
      lua_pushboolean(L, 1);
      lua_rawset(L, anchor);
    }
  }
  lua_pop(L, 1);
  return names;
}

static void invent_names(Frame *f) {
  f->names = keep_memory(f, f->count * sizeof *f->names);
  for (size_t i = 0; i < f->count; i++) {
    lua_pushfstring(f->L, "column_%d", (int)i + 1);
    f->names[i].data = lua_tolstring(f->L, -1, &f->names[i].size);
    lua_pushboolean(f->L, 1);
    lua_rawset(f->L, f->anchor);
  }
}

static bool is_column(lua_State *L, int index) {
  return lua_type(L, index) == LUA_TUSERDATA &&
         (flua_is_type(L, index, FLUA_COLUMN) || flua_is_type(L, index, FLUA_LINES));
}

/* Sets form, number of rows and of columns. */
static void find_shape(Frame *f, size_t name_count) {
  lua_State *L = f->L;
  lua_rawgeti(L, f->data, 1);
  size_t length = flua_rawlen(L, f->data);
  if (length > INT_MAX) luaL_argerror(L, f->data, "too many rows");
  if (is_column(L, -1)) {
    f->form = COLUMNS;
    f->count = length;
  } else if (lua_isnil(L, -1) && (lua_pushnil(L), lua_next(L, f->data))) {
    if (!f->names) luaL_error(L, "the option 'names' has to say the order of the columns");
    lua_pop(L, 2);
    f->form = NAMED_COLUMNS;
    f->count = name_count;
  } else {
    f->form = ROWS;
    f->rows = length;
    f->count = f->names ? name_count : lua_istable(L, -1) ? flua_rawlen(L, -1) : 0;
  }
  lua_pop(L, 1);
  if (!f->count && f->rows) luaL_error(L, "the option 'names' has to say which columns there are");
  if (f->names && f->count != name_count) luaL_argerror(L, f->data, "there are not as many columns as names");
}

/* The column on the top, a list or a Column. */
static void take_column(Frame *f, size_t i) {
  lua_State *L = f->L;
  uint64_t length;
  if (is_column(L, -1)) {
    const Column *column = flua_check_column(L, lua_gettop(L));
    length = column->length;
    Column *owner = flua_new_column(L, FLUA_COLUMN);
    f->cells[i].given = owner->base = flua_slice_column(column);
    if (!owner->base) luaL_error(L, "not enough memory");
    lua_pushboolean(L, 1);
    lua_rawset(L, f->anchor);
  } else if (lua_istable(L, -1)) {
    length = flua_rawlen(L, -1);
  } else {
    lua_pushfstring(L, "column %d: a list or a Column expected, got %s", (int)i + 1, luaL_typename(L, -1));
    luaL_argerror(L, f->data, lua_tostring(L, -1));
    return;
  }
  if (i == 0) f->rows = length;
  if (length != f->rows) {
    lua_pushfstring(L, "column %d has %d values, the first one %d", (int)i + 1, (int)length, (int)f->rows);
    luaL_argerror(L, f->data, lua_tostring(L, -1));
  }
}

static void push_column(const Frame *f, size_t i) {
  if (f->form == COLUMNS) {
    lua_rawgeti(f->L, f->data, (int)(i + 1));
  } else {
    push_named(f, f->data, i);
  }
}

static void take_columns(Frame *f) {
  for (size_t i = 0; i < f->count; i++) {
    push_column(f, i);
    take_column(f, i);
    lua_pop(f->L, 1);
  }
}

/* ---- formats ---- */

/* The format on the top is that of column i. */
static void take_format(lua_State *L, int anchor, Formats *out, size_t i) {
  static const fastio_format none = FASTIO_FORMAT_INIT;
  bool is_none = lua_isboolean(L, -1) && !lua_toboolean(L, -1);
  const Format *format = is_none ? NULL : flua_to_format(L, -1);
  if (!format && !is_none) luaL_error(L, "bad option 'format': a format expected, got %s", luaL_typename(L, -1));
  out->how[i] = format ? format->how : none;
  out->as[i] = format ? format->as : FLUA_AS_IT_IS;
  lua_pushvalue(L, -1);
  lua_pushboolean(L, 1);
  lua_rawset(L, anchor);
}

/* The column that the key at -2 names or counts. */
static size_t find_column(lua_State *L, const fastio_bytes *names, size_t count) {
  uint64_t position;
  size_t size;
  if (lua_type(L, -2) == LUA_TSTRING) {
    const char *name = lua_tolstring(L, -2, &size);
    for (size_t i = 0; names && i < count; i++) {
      if (names[i].size == size && memcmp(names[i].data, name, size) == 0) return i;
    }
    luaL_error(L, "bad option 'format': there is no column \"%s\"", name);
  }
  if (!flua_to_u64(L, -2, &position) || position - 1 >= count) luaL_error(L, "bad option 'format': no such column");
  return (size_t)position - 1;
}

Formats flua_formats_of(lua_State *L, int anchor, const fastio_bytes *names, size_t count) {
  Formats formats = {NULL, NULL, count};
  lua_rawgeti(L, anchor, FLUA_ANCHOR_FORMATS);
  int given = lua_gettop(L);
  if (!lua_isnil(L, given) && count) {
    char *memory = lua_newuserdata(L, count * (sizeof *formats.how + sizeof *formats.as));
    memset(memory, 0, count * (sizeof *formats.how + sizeof *formats.as));
    lua_pushboolean(L, 1);
    lua_rawset(L, anchor);
    formats.how = (fastio_format *)memory;
    formats.as = (int *)(memory + count * sizeof *formats.how);
    if (lua_istable(L, given)) {
      for (lua_pushnil(L); lua_next(L, given); lua_pop(L, 1)) {
        take_format(L, anchor, &formats, find_column(L, names, count));
      }
    } else {
      for (size_t i = 0; i < count; i++) take_format(L, anchor, &formats, i);
    }
  }
  lua_settop(L, given - 1);
  return formats;
}

/* ---- all of it ---- */

Table *flua_push_frame(lua_State *L, int index, int anchor, Formats *formats, bool *has_names) {
  Frame f = {L, index, anchor, ROWS, 0, 0, NULL, NULL};
  fastio_table *base = NULL;
  fastio_error err;
  size_t name_count = 0;
  luaL_checkstack(L, 20, NULL);
  f.names = flua_names_of(L, anchor, &name_count);
  *has_names = f.names;
  find_shape(&f, name_count);
  f.cells = keep_memory(&f, f.count * sizeof *f.cells);
  if (f.form != ROWS) take_columns(&f);
  *formats = flua_formats_of(L, anchor, f.names, f.count);
  for (size_t i = 0; formats->as && i < f.count; i++) f.cells[i].as_float = formats->as[i] == FLUA_AS_FLOAT;
  fill_all(&f);
  if (!f.names) invent_names(&f);
  const fastio_column **columns = keep_memory(&f, f.count * sizeof *columns);
  Table *table = flua_new_table(L);
  for (size_t i = 0; i < f.count; i++) columns[i] = column_of(&f, i);
  if (flua_assemble(columns, f.names, f.count, f.rows, &base, &err)) flua_raise(L, &err, 0);
  flua_fill_table(L, table, base, FLUA_INT64_ERROR);
  return table;
}
