/* write_csv: a Table, the batches of a CsvReader, or Lua's own tables as delimited text. */
#include "frame.h"

typedef struct Writing {
  Options *options;
  const fastio_bytes *names; /* of the option; NULL: none */
  size_t name_count;
  fastio_status status;
  fastio_error err;
} Writing;

/* ---- one table ---- */

static void set_formats(Writing *w, const Formats *formats) {
  w->options->csv_out.formats = formats->how;
  w->options->csv_out.format_count = formats->how ? formats->count : 0;
}

static void find_formats(lua_State *L, Writing *w, const fastio_table *table) {
  Formats formats = flua_formats_of(L, FLUA_OUT_ANCHOR, table->names, table->column_count);
  set_formats(w, &formats);
}

static void write_table(lua_State *L, const fastio_table *table, Writing *w) {
  Writer *writer = lua_touserdata(L, FLUA_OUT_WRITER);
  fastio_writer *out = flua_enter_output(L, w->options);
  writer->bridge.unit = "M rows";
  w->options->csv_out.poll = flua_poll;
  w->options->csv_out.poll_ctx = &writer->bridge;
  w->status = fastio_write_csv(out, table, &w->options->csv_out, &w->err);
  flua_leave_output(L);
}

/* Pushes a Table of the same rows whose base has these rows only, under the names of the option. */
static const fastio_table *push_whole(lua_State *L, const Writing *w, const Table *table) {
  const fastio_table *from = table->base;
  fastio_table *base = NULL;
  fastio_error err;
  size_t count = from->column_count;
  if (w->names && w->name_count != count) luaL_argerror(L, FLUA_OUT_DATA, "there are not as many columns as names");
  if (!w->names && table->length == from->rows) return from;
  const fastio_column **columns = lua_newuserdata(L, (count + 1) * sizeof *columns);
  Table *whole = flua_new_table(L);
  for (size_t i = 0; i < count; i++) {
    Column part = flua_column_part(from->columns[i], table->start, table->length, FLUA_INT64_ERROR);
    columns[i] = flua_slice_column(&part);
  }
  if (flua_assemble(columns, w->names ? w->names : from->names, count, table->length, &base, &err))
    flua_raise(L, &err, 0);
  whole->base = base;
  return base;
}

static int write_whole(lua_State *L, const fastio_table *table, Writing *w) {
  w->status = flua_open_output(L, w->options, &w->err);
  if (!w->status) write_table(L, table, w);
  return flua_end_output(L, w->status, &w->err);
}

static int write_given(lua_State *L, Writing *w) {
  const Table *table = lua_touserdata(L, FLUA_OUT_DATA);
  if (!table->base) luaL_argerror(L, FLUA_OUT_DATA, "the table is closed");
  const fastio_table *whole = push_whole(L, w, table);
  find_formats(L, w, whole);
  return write_whole(L, whole, w);
}

static int write_frame(lua_State *L, Writing *w) {
  Formats formats;
  bool has_names;
  const Table *table = flua_push_frame(L, FLUA_OUT_DATA, FLUA_OUT_ANCHOR, &formats, &has_names);
  if (!has_names) w->options->csv_out.header = 0;
  set_formats(w, &formats);
  return write_whole(L, table->base, w);
}

/* ---- batches ---- */

/* What the reader could not give is the failure, in its words. */
static int end_with_reader(lua_State *L, int results) {
  int top = lua_gettop(L), ignored;
  if (!flua_is_type(L, FLUA_OUT_DEST, FLUA_WRITER)) flua_writer_close(L, FLUA_OUT_WRITER, false, &ignored);
  lua_settop(L, top);
  return results;
}

static bool is_at_end(lua_State *L, int results) { return results == 1 && lua_isnil(L, -1); }

/* The dest is opened when there is something for it. */
static int write_batches(lua_State *L, Writing *w) {
  int results, base = lua_gettop(L);
  for (bool is_first = true;; is_first = false) {
    lua_settop(L, base);
    Table *batch = flua_new_table(L);
    if (!flua_next_batch(L, FLUA_OUT_DATA, batch, &results)) {
      if (!is_at_end(L, results)) return is_first ? results : end_with_reader(L, results);
      return is_first ? luaL_argerror(L, FLUA_OUT_DATA, "the reader is at its end")
                      : flua_end_output(L, FASTIO_OK, NULL);
    }
    const fastio_table *whole = push_whole(L, w, batch);
    if (is_first) find_formats(L, w, whole);
    if (is_first) w->status = flua_open_output(L, w->options, &w->err);
    if (!w->status) write_table(L, whole, w);
    if (w->status) return flua_end_output(L, w->status, &w->err);
    w->options->csv_out.header = 0;
  }
}

/* write_csv(dest, data[, options]) */
int flua_write_csv(lua_State *L) {
  Options options;
  Writing w = {&options, NULL, 0, FASTIO_OK, {0}};
  flua_begin_output(L, FLUA_WRITE_CSV, &options);
  if (lua_istable(L, FLUA_OUT_DATA)) return write_frame(L, &w);
  w.names = flua_names_of(L, FLUA_OUT_ANCHOR, &w.name_count);
  if (flua_is_type(L, FLUA_OUT_DATA, FLUA_CSV_READER)) return write_batches(L, &w);
  flua_check(L, FLUA_OUT_DATA, FLUA_TABLE);
  return write_given(L, &w);
}
