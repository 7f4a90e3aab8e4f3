/* Table: columns with names. A column is a Column that shares the table's memory; a row is made when it is taken.
 *
 * The user value of a table is its cache: [i] and [name] are the columns that were taken, [0] the list of names. */
#include <inttypes.h>
#include <stdio.h>

#include "flua.h"

/* ---- life ---- */

Table *flua_new_table(lua_State *L) {
  Table *table = flua_new(L, FLUA_TABLE, sizeof *table);
  lua_newtable(L);
  flua_setuservalue(L, -2);
  return table;
}

/* Takes over one ownership of the base. */
void flua_fill_table(lua_State *L, Table *table, const fastio_table *base, int int64) {
  table->base = base;
  table->length = base->rows;
  table->int64 = int64;
  for (size_t i = 0; i < base->column_count; i++) flua_add_debt(L, base->columns[i]);
}

static Table *check_table(lua_State *L, int index) {
  Table *table = flua_check(L, index, FLUA_TABLE);
  if (!table->base) luaL_argerror(L, index, "the table is closed");
  return table;
}

/* Columns that were taken stay; they own their memory too. */
static int close_table(lua_State *L) {
  Table *table = flua_check(L, 1, FLUA_TABLE);
  if (table->base) fastio_table_free(table->base);
  memset(table, 0, sizeof *table);
  lua_newtable(L);
  flua_setuservalue(L, 1);
  return 0;
}

/* The same without a new cache: the collector's part must not allocate. */
static int collect_table(lua_State *L) {
  Table *table = flua_check(L, 1, FLUA_TABLE);
  if (table->base) fastio_table_free(table->base);
  memset(table, 0, sizeof *table);
  return 0;
}

/* ---- columns ---- */

static void push_name(lua_State *L, const fastio_table *base, size_t column) {
  lua_pushlstring(L, base->names[column].data, base->names[column].size);
}

/* The column's number from 0, or the number of columns if none has this name. */
static size_t find_name(const fastio_table *base, const char *name, size_t size) {
  size_t i = 0;
  while (i < base->column_count && (base->names[i].size != size || memcmp(base->names[i].data, name, size) != 0)) i++;
  return i;
}

/* The number from 0 of the column that the argument names or counts, from 1. */
static size_t check_reference(lua_State *L, const Table *table, int index) {
  const fastio_table *base = table->base;
  uint64_t position;
  size_t size, column = base->column_count;
  if (lua_type(L, index) == LUA_TSTRING) {
    const char *name = lua_tolstring(L, index, &size);
    column = find_name(base, name, size);
    if (column == base->column_count) luaL_argerror(L, index, lua_pushfstring(L, "no column \"%s\"", name));
  } else {
    if (!flua_to_u64(L, index, &position)) luaL_argerror(L, index, "a column's name or its position expected");
    if (position - 1 < base->column_count) column = (size_t)(position - 1);
    if (column == base->column_count) {
      luaL_argerror(L, index, lua_pushfstring(L, "the table has %d columns", (int)base->column_count));
    }
  }
  return column;
}

static Column column_of(const Table *table, size_t column) {
  const fastio_column *base = table->base->columns[column];
  Column part = {base, table->start, table->length, base->null_count, table->int64, 0};
  return part;
}

/* Pushes the column, an old one if it was taken before and is not closed. The cache lies on the top. */
static void push_column(lua_State *L, const Table *table, size_t column) {
  const fastio_column *base = table->base->columns[column];
  int cache = lua_gettop(L);
  lua_rawgeti(L, cache, (int)(column + 1));
  const Column *old = lua_touserdata(L, -1);
  if (old && old->base) return;
  Column *made = flua_new_column(L, FLUA_COLUMN);
  *made = flua_column_part(base, table->start, table->length, table->int64);
  fastio_column_retain(base);
  lua_pushvalue(L, -1);
  lua_rawseti(L, cache, (int)(column + 1));
  push_name(L, table->base, column);
  lua_pushvalue(L, -2);
  lua_rawset(L, cache);
}

/* column(name or position) -> Column */
static int table_column(lua_State *L) {
  const Table *table = check_table(L, 1);
  size_t column = check_reference(L, table, 2);
  flua_getuservalue(L, 1);
  push_column(L, table, column);
  return 1;
}

static int table_column_count(lua_State *L) {
  flua_push_count(L, check_table(L, 1)->base->column_count);
  return 1;
}

void flua_push_names(lua_State *L, const fastio_table *base) {
  lua_createtable(L, (int)base->column_count, 0);
  for (size_t i = 0; i < base->column_count; i++) {
    push_name(L, base, i);
    lua_rawseti(L, -2, (int)(i + 1));
  }
}

void flua_push_dtypes(lua_State *L, const fastio_table *base) {
  lua_createtable(L, 0, (int)base->column_count);
  for (size_t i = 0; i < base->column_count; i++) {
    push_name(L, base, i);
    lua_pushstring(L, fastio_type_name(base->columns[i]->type));
    lua_rawset(L, -3);
  }
}

static int table_names(lua_State *L) {
  flua_push_names(L, check_table(L, 1)->base);
  return 1;
}

static int table_dtypes(lua_State *L) {
  flua_push_dtypes(L, check_table(L, 1)->base);
  return 1;
}

/* ---- rows ---- */

static void push_cell(lua_State *L, const Table *table, size_t column, uint64_t row) {
  const Column part = column_of(table, column);
  flua_push_or_raise(L, &part, row);
}

/* Pushes a list of the names that stays the same: its strings are the keys of every row. */
static void push_cached_names(lua_State *L, const Table *table, int index) {
  flua_getuservalue(L, index);
  lua_rawgeti(L, -1, 0);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    flua_push_names(L, table->base);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, 0);
  }
  lua_remove(L, -2);
}

/* row(i) -> the values, nil for nulls; nothing but nil outside. */
static int table_row(lua_State *L) {
  const Table *table = check_table(L, 1);
  uint64_t row;
  luaL_checktype(L, 2, LUA_TNUMBER);
  if (!flua_to_u64(L, 2, &row) || row - 1 >= table->length) return flua_nil(L);
  int count = (int)table->base->column_count;
  luaL_checkstack(L, count + 4, "too many columns");
  for (int i = 0; i < count; i++) push_cell(L, table, (size_t)i, row - 1);
  return count;
}

/* Row `row` as a table; the list of names is at an absolute index or an upvalue's. */
static void push_record(lua_State *L, const Table *table, const size_t *columns, size_t count, int names,
                        uint64_t row) {
  lua_createtable(L, 0, (int)count);
  for (size_t i = 0; i < count; i++) {
    size_t column = columns ? columns[i] : i;
    lua_rawgeti(L, names, (int)(column + 1));
    push_cell(L, table, column, row);
    lua_rawset(L, -3);
  }
}

/* A walk over the rows: which columns it takes. */
typedef struct Walk {
  uint64_t position;
  size_t count;
  size_t columns[];
} Walk;

/* Pushes a walk over the columns that the arguments from 2 on name; all columns if there are none. */
static Walk *push_walk(lua_State *L, const Table *table) {
  int top = lua_gettop(L);
  size_t count = top > 1 ? (size_t)(top - 1) : table->base->column_count;
  Walk *walk = lua_newuserdata(L, sizeof *walk + count * sizeof *walk->columns);
  walk->position = 0;
  walk->count = count;
  for (size_t i = 0; i < count; i++) walk->columns[i] = top > 1 ? check_reference(L, table, (int)i + 2) : i;
  return walk;
}

/* The table of an iterator, which is its upvalue 2. */
static const Table *table_of_walk(lua_State *L) {
  const Table *table = lua_touserdata(L, lua_upvalueindex(2));
  if (!table->base) luaL_error(L, "the table is closed");
  return table;
}

/* Upvalues: state, table, walk. */
static int next_values(lua_State *L) {
  const Table *table = table_of_walk(L);
  const Walk *walk = lua_touserdata(L, lua_upvalueindex(3));
  uint64_t row;
  if (!flua_to_u64(L, 2, &row) || row >= table->length) return flua_nil(L);
  luaL_checkstack(L, (int)walk->count + 4, "too many columns");
  flua_push_count(L, row + 1);
  for (size_t i = 0; i < walk->count; i++) push_cell(L, table, walk->columns[i], row);
  return (int)walk->count + 1;
}

/* for i, a, b in table:iter("a", "b") do. The row's number comes first, as for a column: a null is nil, and a nil in
 * the first place would end the loop. */
static int table_iter(lua_State *L) {
  const Table *table = check_table(L, 1);
  push_walk(L, table);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_pushvalue(L, -3);
  lua_pushcclosure(L, next_values, 3);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 0);
  return 3;
}

/* Upvalues: state, table, walk, names. */
static int next_record(lua_State *L) {
  const Table *table = table_of_walk(L);
  Walk *walk = lua_touserdata(L, lua_upvalueindex(3));
  if (walk->position >= table->length) return flua_nil(L);
  push_record(L, table, walk->columns, walk->count, lua_upvalueindex(4), walk->position);
  walk->position++;
  return 1;
}

/* for row in table:rows() do print(row.a, row.b) end: a new table for each row. */
static int table_rows(lua_State *L) {
  const Table *table = check_table(L, 1);
  push_walk(L, table);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_pushvalue(L, -3);
  push_cached_names(L, table, 1);
  lua_pushcclosure(L, next_record, 4);
  return 1;
}

/* slice([i[, j]]) -> a table of the rows i to j over the same memory. */
static int table_slice(lua_State *L) {
  const Table *table = check_table(L, 1);
  uint64_t first, end;
  flua_range(L, 2, table->length, &first, &end);
  Table *slice = flua_new_table(L);
  *slice = *table;
  fastio_table_retain(slice->base);
  slice->start += first;
  slice->length = end - first;
  return 1;
}

/* ---- what reading left out or changed ---- */

static void set_count(lua_State *L, const char *name, uint64_t count) {
  flua_push_count(L, count);
  lua_setfield(L, -2, name);
}

static void push_place(lua_State *L, const fastio_place *place) {
  lua_createtable(L, 0, 5);
  lua_pushstring(L, fastio_status_name(place->status));
  lua_setfield(L, -2, "status");
  set_count(L, "offset", place->offset);
  set_count(L, "lineno", place->line);
  set_count(L, "record", place->record);
  set_count(L, "field", place->field);
}

/* decode_errors() -> how many sequences of the source were replaced or left out until then */
static int table_decode_errors(lua_State *L) {
  flua_push_count(L, check_table(L, 1)->decode_errors);
  return 1;
}

/* report() -> counts, and the first places. */
static int table_report(lua_State *L) {
  const fastio_report *report = check_table(L, 1)->base->report;
  lua_createtable(L, 0, 8);
  set_count(L, "padded", report->padded);
  set_count(L, "truncated", report->truncated);
  set_count(L, "skipped", report->skipped);
  set_count(L, "replaced", report->replaced);
  set_count(L, "bad_cells", report->bad_cells);
  set_count(L, "blank_lines", report->blank_lines);
  set_count(L, "comment_lines", report->comment_lines);
  lua_createtable(L, (int)report->place_count, 0);
  for (uint64_t i = 0; i < report->place_count; i++) {
    push_place(L, &report->places[i]);
    lua_rawseti(L, -2, (int)(i + 1));
  }
  lua_setfield(L, -2, "places");
  return 1;
}

/* ---- operators ---- */

static int table_length(lua_State *L) {
  flua_push_count(L, check_table(L, 1)->length);
  return 1;
}

/* table.name: the column, nil if there is none. */
static int push_named(lua_State *L, const Table *table) {
  size_t size;
  flua_getuservalue(L, 1);
  lua_pushvalue(L, 2);
  lua_rawget(L, -2);
  const Column *old = lua_touserdata(L, -1);
  if (old && old->base) return 1;
  lua_pop(L, 1);
  const char *name = lua_tolstring(L, 2, &size);
  size_t column = find_name(table->base, name, size);
  if (column == table->base->column_count) return flua_nil(L);
  push_column(L, table, column);
  return 1;
}

/* table[i]: the row as a table, nil outside. */
static int push_row(lua_State *L, const Table *table, uint64_t row) {
  if (row - 1 >= table->length) return flua_nil(L);
  push_cached_names(L, table, 1);
  push_record(L, table, NULL, table->base->column_count, lua_gettop(L), row - 1);
  return 1;
}

/* table.method, table.name, table[i]. Upvalue 2: the methods. */
static int table_index(lua_State *L) {
  uint64_t row;
  if (flua_to_u64(L, 2, &row)) return push_row(L, check_table(L, 1), row);
  if (lua_type(L, 2) != LUA_TSTRING) return flua_nil(L);
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(2));
  return lua_isnil(L, -1) ? push_named(L, check_table(L, 1)) : 1;
}

/* ---- tostring: types and the first rows ---- */

enum { SHOWN_ROWS = 10, SHOWN_COLUMNS = 12, CELL_SIZE = 32, HEAD = 2 };

typedef struct Cell {
  char text[CELL_SIZE + 4];
  size_t size, width;
} Cell;

typedef struct Picture {
  size_t columns, rows; /* of text: names, types, rows of the table */
  size_t widths[SHOWN_COLUMNS];
  bool is_right[SHOWN_COLUMNS];
  Cell cells[HEAD + SHOWN_ROWS][SHOWN_COLUMNS];
} Picture;

/* Long text ends in "...", never within a character; what would spoil the lines becomes '?'. */
static void set_cell(Cell *cell, const char *text, size_t size) {
  size_t kept = size;
  if (size > CELL_SIZE) {
    kept = CELL_SIZE - 3;
    while (kept && ((unsigned char)text[kept] & 0xc0) == 0x80) kept--;
  }
  memcpy(cell->text, text, kept);
  cell->width = 0;
  for (size_t i = 0; i < kept; i++) {
    unsigned char c = (unsigned char)cell->text[i];
    if (c < 0x20 || c == 0x7f) cell->text[i] = '?';
    cell->width += (c & 0xc0) != 0x80;
  }
  if (kept < size) memcpy(cell->text + kept, "...", 3);
  cell->size = kept + (kept < size ? 3 : 0);
  cell->width += kept < size ? 3 : 0;
}

/* Lua's own text of a number may be shorter than the number. */
static size_t format_number(lua_State *L, const Column *column, char *out) {
  lua_Number value = lua_tonumber(L, -1);
  if (column->base->type == FASTIO_FLOAT32) return fastio_format_f32((float)value, out);
  if (column->base->type == FASTIO_FLOAT64) return fastio_format_f64((double)value, out);
#if LUA_VERSION_NUM >= 503
  return fastio_format_i64((int64_t)lua_tointeger(L, -1), 10, out);
#else
  return fastio_format_i64((int64_t)value, 10, out);
#endif
}

static void set_value(lua_State *L, Cell *cell, const Column *column, uint64_t row) {
  char number[FASTIO_FORMAT_MAX];
  size_t size = 0;
  const char *text = NULL;
  flua_push_or_raise(L, column, row);
  switch (lua_type(L, -1)) {
    case LUA_TNIL: set_cell(cell, "null", 4); break;
    case LUA_TBOOLEAN: text = lua_toboolean(L, -1) ? "true" : "false"; break;
    case LUA_TNUMBER: set_cell(cell, number, format_number(L, column, number)); break;
    default: text = lua_tolstring(L, -1, &size); break;
  }
  if (text) set_cell(cell, text, size ? size : strlen(text));
  lua_pop(L, 1);
}

static void fill_column(lua_State *L, Picture *picture, const Table *table, size_t i) {
  Column part = column_of(table, i);
  const char *type = fastio_type_name(part.base->type);
  part.int64 = FLUA_INT64_STRING;
  set_cell(&picture->cells[0][i], table->base->names[i].data, table->base->names[i].size);
  set_cell(&picture->cells[1][i], type, strlen(type));
  for (size_t row = HEAD; row < picture->rows; row++) set_value(L, &picture->cells[row][i], &part, row - HEAD);
  picture->is_right[i] = part.base->type <= FASTIO_FLOAT64;
  picture->widths[i] = 0;
  for (size_t row = 0; row < picture->rows; row++) {
    size_t width = picture->cells[row][i].width;
    if (width > picture->widths[i]) picture->widths[i] = width;
  }
}

static void add_spaces(luaL_Buffer *buffer, size_t count) {
  while (count--) luaL_addchar(buffer, ' ');
}

static void add_line(luaL_Buffer *buffer, const Picture *picture, size_t row) {
  luaL_addchar(buffer, '\n');
  for (size_t i = 0; i < picture->columns; i++) {
    const Cell *cell = &picture->cells[row][i];
    size_t blanks = picture->widths[i] - cell->width;
    bool is_last = i + 1 == picture->columns;
    if (i) add_spaces(buffer, 2);
    if (picture->is_right[i]) add_spaces(buffer, blanks);
    luaL_addlstring(buffer, cell->text, cell->size);
    if (!picture->is_right[i] && !is_last) add_spaces(buffer, blanks);
  }
}

static void add_rest(luaL_Buffer *buffer, uint64_t count, const char *what) {
  char text[64];
  if (!count) return;
  snprintf(text, sizeof text, "\n... %" PRIu64 " more %s%s", count, what, count == 1 ? "" : "s");
  luaL_addstring(buffer, text);
}

static int table_tostring(lua_State *L) {
  const Table *table = flua_check(L, 1, FLUA_TABLE);
  Picture picture;
  luaL_Buffer buffer;
  char head[80];
  if (!table->base) {
    lua_pushliteral(L, "fastio.Table (closed)");
    return 1;
  }
  size_t columns = table->base->column_count;
  picture.columns = columns < SHOWN_COLUMNS ? columns : SHOWN_COLUMNS;
  picture.rows = HEAD + (size_t)(table->length < SHOWN_ROWS ? table->length : SHOWN_ROWS);
  for (size_t i = 0; i < picture.columns; i++) fill_column(L, &picture, table, i);
  snprintf(head, sizeof head, "fastio.Table (%" PRIu64 " row%s, %zu column%s)", table->length,
           table->length == 1 ? "" : "s", columns, columns == 1 ? "" : "s");
  luaL_buffinit(L, &buffer);
  luaL_addstring(&buffer, head);
  for (size_t row = 0; row < picture.rows; row++) add_line(&buffer, &picture, row);
  add_rest(&buffer, table->length - (picture.rows - HEAD), "row");
  add_rest(&buffer, columns - picture.columns, "column");
  luaL_pushresult(&buffer);
  return 1;
}

static const luaL_Reg metamethods[] = {{"__len", table_length},
                                       {"__gc", collect_table},
                                       {"__close", close_table},
                                       {"__tostring", table_tostring},
                                       {NULL, NULL}};
static const luaL_Reg methods[] = {{"column", table_column},
                                   {"column_count", table_column_count},
                                   {"names", table_names},
                                   {"dtypes", table_dtypes},
                                   {"row", table_row},
                                   {"rows", table_rows},
                                   {"iter", table_iter},
                                   {"slice", table_slice},
                                   {"decode_errors", table_decode_errors},
                                   {"report", table_report},
                                   {"close", close_table},
                                   {NULL, NULL}};

void flua_open_tables(lua_State *L) { flua_new_type(L, FLUA_TABLE, "Table", metamethods, methods, table_index); }
