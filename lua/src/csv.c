/* Functions that read tables: read_csv, sniff, partition at once; open_csv batch by batch. */
#include <stdlib.h>

#include "flua.h"

/* ---- the whole source ---- */

static int read_one(lua_State *L) {
  Options options;
  Source *source;
  fastio_error err;
  fastio_table *base = NULL;
  fastio_status status = flua_begin(L, FLUA_READ_CSV, &options, &source, &err);
  if (status) return flua_end_failed(L, source, &err);
  Table *table = flua_new_table(L);
  flua_enter(L, &source->bridge, FLUA_ANCHOR);
  status = fastio_read_csv(source->handle, &options.csv, &base, &err);
  flua_leave(&source->bridge);
  if (base) flua_fill_table(L, table, base, options.int64);
  if (status || source->bridge.failed) return flua_end_failed(L, source, &err);
  table->decode_errors = flua_source_decode_errors(source);
  flua_source_close(source);
  lua_settop(L, FLUA_RESULT);
  return 1;
}

/* ---- several sources as one table ---- */

static void check_no_range(lua_State *L, const fastio_csv_options *csv) {
  if (csv->offset || csv->length != FASTIO_NO_OFFSET) luaL_error(L, "range is one of one source, not of several");
}

/* A path, or "<source 2>" for what has none; pushed. */
static fastio_bytes push_label(lua_State *L, int anchor, size_t number) {
  fastio_bytes label;
  lua_rawgeti(L, anchor, FLUA_ANCHOR_PATH);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_pushfstring(L, "<source %d>", (int)number);
  }
  label.data = lua_tolstring(L, -1, &label.size);
  return label;
}

/* All of them, open at once; the arrays and what they hold lie on the stack of Lua. */
typedef struct Several {
  size_t count;
  Source **sources;
  fastio_source **handles;
  fastio_bytes *labels;
  Bridge **bridges; /* of the call, then of the sources that call Lua */
  size_t bridge_count;
} Several;

static void *new_array(lua_State *L, size_t count, size_t size) {
  void *memory = lua_newuserdata(L, count * size + 1);
  memset(memory, 0, count * size + 1);
  return memory;
}

static void make_arrays(lua_State *L, Several *all, size_t count, Source *call) {
  all->count = count;
  all->sources = new_array(L, count, sizeof *all->sources);
  all->handles = new_array(L, count, sizeof *all->handles);
  all->labels = new_array(L, count, sizeof *all->labels);
  all->bridges = new_array(L, count + 1, sizeof *all->bridges);
  all->bridges[0] = &call->bridge;
  all->bridge_count = 1;
}

/* A callback of one may close the file of another. */
static void join_group(Bridge *group, Bridge *bridge) {
  bridge->group = group;
  if (!bridge->file) return;
  bridge->next = group->next;
  group->next = bridge;
}

/* Source i of the list, in a userdata that is kept, with its anchor table, in the table at `kept`. */
static fastio_status open_item(lua_State *L, Several *all, size_t i, int kept, const Options *options,
                               fastio_error *err) {
  Source *source = all->sources[i] = flua_new(L, FLUA_CALL, sizeof *source);
  lua_newtable(L);
  const int anchor = lua_gettop(L);
  lua_pushvalue(L, anchor);
  flua_setuservalue(L, anchor - 1);
  lua_rawgeti(L, FLUA_SOURCE, (int)(i + 1));
  const fastio_status status = flua_source_open(L, source, anchor + 1, anchor, options, err);
  all->handles[i] = source->handle;
  all->labels[i] = push_label(L, anchor, i + 1);
  lua_rawseti(L, kept, (int)(2 * i + 2));
  if (source->bridge.calls_lua) all->bridges[all->bridge_count++] = &source->bridge;
  join_group(all->bridges[0], &source->bridge);
  lua_pushvalue(L, anchor - 1);
  lua_rawseti(L, kept, (int)(2 * i + 1));
  lua_settop(L, anchor - 2);
  return status;
}

/* Pushes the anchor tables in the order of the bridges. */
static int push_anchors(lua_State *L, const Several *all, int kept) {
  const int first = lua_gettop(L) + 1;
  luaL_checkstack(L, (int)all->bridge_count + 5, "too many objects in one call");
  lua_pushvalue(L, FLUA_ANCHOR);
  for (size_t i = 0, n = 1; i < all->count && n < all->bridge_count; i++) {
    if (&all->sources[i]->bridge != all->bridges[n]) continue;
    lua_rawgeti(L, kept, (int)(2 * i + 1));
    flua_getuservalue(L, -1);
    lua_remove(L, -2);
    n++;
  }
  return first;
}

/* The source at fault gives the path, unless nobody did: a column that is lacking, say. */
static int fail_several(lua_State *L, Several *all, Source *call, fastio_error *err, int kept) {
  const size_t number = (size_t)err->source;
  for (size_t i = 0; i < all->count; i++)
    if (all->sources[i]) flua_source_close(all->sources[i]);
  if (call->bridge.failed) return flua_end_failed(L, call, err);
  if (number >= 1 && number <= all->count && all->sources[number - 1]) {
    lua_rawgeti(L, kept, (int)(2 * number - 1));
    flua_getuservalue(L, -1);
    lua_rawgeti(L, -1, FLUA_ANCHOR_PATH);
    lua_replace(L, FLUA_PATH);
  }
  return flua_end_failed(L, call, err);
}

static int read_several(lua_State *L) {
  enum { KEPT = FLUA_RESULT };
  Options options;
  Source *call;
  Several all;
  fastio_error err;
  fastio_table *base = NULL;
  const size_t count = flua_begin_several(L, FLUA_READ_CSV, &options, &call, &err);
  check_no_range(L, &options.csv);
  lua_newtable(L);
  make_arrays(L, &all, count, call);
  for (size_t i = 0; i < count; i++) {
    if (!open_item(L, &all, i, KEPT, &options, &err)) continue;
    err.source = i + 1;
    return fail_several(L, &all, call, &err, KEPT);
  }
  Table *table = flua_new_table(L);
  const int result = lua_gettop(L), anchors = push_anchors(L, &all, KEPT);
  flua_enter_several(L, all.bridges, all.bridge_count, anchors);
  fastio_status status = fastio_read_csv_many(all.handles, count, options.file_column ? all.labels : NULL,
                                              options.file_column, &options.csv, &base, &err);
  flua_leave_several(all.bridges, all.bridge_count);
  if (base) flua_fill_table(L, table, base, options.int64);
  if (status || call->bridge.failed) return fail_several(L, &all, call, &err, KEPT);
  for (size_t i = 0; i < count; i++) {
    table->decode_errors += flua_source_decode_errors(all.sources[i]);
    flua_source_close(all.sources[i]);
  }
  lua_settop(L, result);
  return 1;
}

/* In the options at `index`, or in those of a dialect there. */
static bool has_file_column(lua_State *L, int index) {
  const int top = lua_gettop(L);
  if (!lua_istable(L, index)) return false;
  lua_getfield(L, index, "file_column");
  bool has = !lua_isnil(L, -1);
  lua_getfield(L, index, "dialect");
  luaL_checkstack(L, 4, "dialects within dialects");
  has = has || has_file_column(L, top + 2);
  lua_settop(L, top);
  return has;
}

/* read_csv(source or list[, options]) -> Table */
static int read_csv(lua_State *L) {
  bool is_list = flua_is_list(L, FLUA_SOURCE);
  luaL_checkany(L, FLUA_SOURCE);
  lua_settop(L, FLUA_OPTIONS);
  if (!is_list && !has_file_column(L, FLUA_OPTIONS)) return read_one(L);
  if (!is_list) {
    lua_createtable(L, 1, 0);
    lua_pushvalue(L, FLUA_SOURCE);
    lua_rawseti(L, -2, 1);
    lua_replace(L, FLUA_SOURCE);
  }
  return read_several(L);
}

/* ---- sniff ---- */

/* What is not a property of the text. */
static bool is_about_the_call(const char *name) {
  static const char *const names[] = {"dialect", "progress", "threads", "block_size", NULL};
  for (int i = 0; names[i]; i++) {
    if (strcmp(name, names[i]) == 0) return true;
  }
  return false;
}

/* Copies the options at `index`, those of a dialect in them first, into the table on the top. */
static void copy_options(lua_State *L, int index) {
  int result = lua_gettop(L);
  lua_pushliteral(L, "dialect");
  lua_rawget(L, index);
  if (lua_istable(L, -1)) {
    int dialect = lua_gettop(L);
    lua_pushvalue(L, result);
    copy_options(L, dialect);
  }
  lua_settop(L, result);
  lua_pushnil(L);
  while (lua_next(L, index)) {
    if (is_about_the_call(lua_tostring(L, -2))) {
      lua_pop(L, 1);
    } else {
      lua_pushvalue(L, -2);
      lua_insert(L, -2);
      lua_rawset(L, result);
    }
  }
}

static void set_byte(lua_State *L, const char *name, int byte) {
  char c = (char)byte;
  if (byte == FASTIO_NONE) {
    lua_pushboolean(L, 0);
  } else {
    lua_pushlstring(L, &c, 1);
  }
  lua_setfield(L, -2, name);
}

/* The words of the option newline; a byte in the others. */
static void set_newline(lua_State *L, int newline) {
  if (newline == FASTIO_NEWLINE_LF || newline == FASTIO_NEWLINE_ANY) {
    lua_pushstring(L, newline == FASTIO_NEWLINE_LF ? "lf" : "any");
    lua_setfield(L, -2, "newline");
  } else {
    set_byte(L, "newline", newline);
  }
}

/* Into the table on the top, what fastio_sniff fills in. */
static void set_dialect(lua_State *L, const fastio_csv_options *csv, const fastio_table *sample) {
  if (csv->separator.size) {
    lua_pushlstring(L, csv->separator.data, csv->separator.size);
  } else {
    lua_pushboolean(L, 0);
  }
  lua_setfield(L, -2, "sep");
  set_byte(L, "quote", csv->quote);
  set_byte(L, "comment", csv->comment);
  set_byte(L, "decimal", csv->decimal);
  set_newline(L, csv->newline);
  lua_pushboolean(L, csv->header);
  lua_setfield(L, -2, "header");
  flua_push_count(L, csv->skip_lines);
  lua_setfield(L, -2, "skip_lines");
  if (csv->flags & FASTIO_CSV_TRIM) {
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, "trim");
  }
  if (csv->flags & FASTIO_CSV_TRAILING_SEPARATOR) {
    lua_pushliteral(L, "ignore");
    lua_setfield(L, -2, "trailing_sep");
  }
  if (csv->flags & FASTIO_CSV_REPAIR_NAMES) {
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, "repair_names");
  }
  flua_push_dtypes(L, sample);
  lua_setfield(L, -2, "dtype");
}

/* sniff(source[, options]) -> a table of options: the given ones, and what the start of the source looks like. */
static int sniff(lua_State *L) {
  Options options;
  Source *source;
  fastio_error err;
  fastio_csv_options found;
  fastio_table *base = NULL;
  fastio_status status = flua_begin(L, FLUA_SNIFF, &options, &source, &err);
  if (status) return flua_end_failed(L, source, &err);
  Table *sample = flua_new_table(L);
  fastio_csv_options_init(&found);
  flua_enter(L, &source->bridge, FLUA_ANCHOR);
  status = fastio_sniff(source->handle, &options.csv, &found, &base, &err);
  flua_leave(&source->bridge);
  if (base) flua_fill_table(L, sample, base, options.int64);
  if (status || source->bridge.failed) return flua_end_failed(L, source, &err);
  lua_newtable(L);
  if (!lua_isnil(L, FLUA_OPTIONS)) copy_options(L, FLUA_OPTIONS);
  set_dialect(L, &found, base);
  flua_source_close(source);
  return 1;
}

/* ---- partition ---- */

/* {offset, length, at_record = true}, ... from the column of pairs. */
static void push_ranges(lua_State *L, const fastio_column *pairs) {
  const uint64_t *numbers = pairs->data;
  lua_createtable(L, (int)(pairs->length / 2), 0);
  for (uint64_t i = 0; i + 1 < pairs->length; i += 2) {
    lua_createtable(L, 2, 1);
    flua_push_count(L, numbers[i]);
    lua_rawseti(L, -2, 1);
    flua_push_count(L, numbers[i + 1]);
    lua_rawseti(L, -2, 2);
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, "at_record");
    lua_rawseti(L, -2, (int)(i / 2 + 1));
  }
}

/* Takes the number of parts out of the arguments: 0 if it is not given. */
static uint64_t take_parts(lua_State *L) {
  uint64_t parts = 0;
  if (lua_istable(L, 2)) return 0;
  if (!lua_isnoneornil(L, 2) && (!flua_to_u64(L, 2, &parts) || parts == 0)) {
    luaL_argerror(L, 2, "a number of parts, 1 or more, expected");
  }
  lua_settop(L, 3);
  lua_remove(L, 2);
  return parts;
}

/* partition(source[, n][, options]) -> ranges for the option range of read_csv: n of about equal size, or as many of
 * about `nbytes` bytes as it takes. */
static int partition(lua_State *L) {
  Options options;
  Source *source;
  fastio_error err;
  fastio_column *base = NULL;
  luaL_checkany(L, 1);
  uint64_t parts = take_parts(L);
  fastio_status status = flua_begin(L, FLUA_PARTITION, &options, &source, &err);
  if (status) return flua_end_failed(L, source, &err);
  if (!parts == !options.partition_bytes) {
    flua_source_close(source);
    return luaL_error(L, "either a number of parts or the option 'nbytes' is needed");
  }
  Column *pairs = flua_new_column(L, FLUA_COLUMN);
  flua_enter(L, &source->bridge, FLUA_ANCHOR);
  status = fastio_partition(source->handle, &options.csv, parts, options.partition_bytes, &base, &err);
  flua_leave(&source->bridge);
  if (base) flua_fill_column(L, pairs, base, options.int64);
  if (status || source->bridge.failed) return flua_end_failed(L, source, &err);
  flua_source_close(source);
  push_ranges(L, base);
  return 1;
}

/* ---- CsvReader ---- */

/* Of several sources one is open after the other; the list lies in the anchor table. */
typedef struct CsvReader {
  Source source;      /* first, as flua_open_object wants it */
  fastio_csv *handle; /* NULL: closed */
  int int64;
  Options options;
  size_t count, next;          /* of several sources: how many, and the one to come; 0: there is one only */
  const fastio_table *schema;  /* of the first one: what the others are read as */
  const fastio_column *labels; /* what file_column shows, a string for each source; or NULL */
  uint64_t decode_errors;      /* of those that are done */
} CsvReader;

static fastio_status open_handle(void *object, const Options *options, fastio_error *err) {
  CsvReader *reader = object;
  reader->options = *options;
  return fastio_csv_open(reader->source.handle, &options->csv, &reader->handle, err);
}

static void close_source(CsvReader *reader) {
  fastio_csv_close(reader->handle);
  reader->handle = NULL;
  reader->decode_errors += flua_source_decode_errors(&reader->source);
  flua_source_close(&reader->source);
}

static void close_handle(void *object) {
  CsvReader *reader = object;
  close_source(reader);
  if (reader->schema) fastio_table_free(reader->schema);
  if (reader->labels) fastio_column_free(reader->labels);
  reader->schema = NULL;
  reader->labels = NULL;
}

static void release_block(void *ctx) { free(ctx); }

/* A string for each source of the list on the top. No Lua error can happen once memory is taken. */
static const fastio_column *make_labels(lua_State *L, size_t count, fastio_error *err) {
  const int list = lua_gettop(L);
  size_t size = 0, at = 0;
  fastio_column view, *column = NULL;
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, list, (int)(i + 1));
    if (lua_type(L, -1) != LUA_TSTRING) lua_pushfstring(L, "<source %d>", (int)(i + 1));
    size += flua_rawlen(L, -1);
    lua_rawseti(L, list + 1, (int)(i + 1));
    lua_settop(L, list + 1);
  }
  luaL_checkstack(L, 2, NULL);
  int64_t *offsets = malloc((count + 1) * sizeof *offsets + size);
  if (!offsets) return flua_set_error(err, FASTIO_NO_MEMORY, fastio_status_text(FASTIO_NO_MEMORY)), NULL;
  memset(&view, 0, sizeof view);
  view.type = FASTIO_STRING;
  view.length = count;
  view.offsets = offsets;
  view.data = offsets + count + 1;
  view.data_size = size;
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, list + 1, (int)(i + 1));
    size_t length;
    const char *text = lua_tolstring(L, -1, &length);
    offsets[i] = (int64_t)at;
    memcpy((char *)(offsets + count + 1) + at, text, length);
    at += length;
    lua_pop(L, 1);
  }
  offsets[count] = (int64_t)at;
  lua_pop(L, 1);
  fastio_column_new(&view, release_block, offsets, NULL, &column, err);
  return column;
}

/* The reader at 3 has opened the first source of the list at 1. */
static int begin_several(lua_State *L, CsvReader *reader, size_t count) {
  fastio_error err;
  check_no_range(L, &reader->options.csv);
  flua_getuservalue(L, -1);
  lua_pushvalue(L, 1);
  lua_rawseti(L, -2, FLUA_ANCHOR_SOURCES);
  lua_pushvalue(L, 1);
  reader->count = count;
  reader->next = 1;
  reader->source.bridge.is_one_of_several = count > 1;
  if (reader->options.file_column && !(reader->labels = make_labels(L, count, &err))) {
    close_handle(reader);
    return flua_fail(L, &err, 0);
  }
  lua_settop(L, 3);
  return 1;
}

/* open_csv(source or list[, options]) -> CsvReader */
static int open_csv(lua_State *L) {
  const Opener opener = {FLUA_CSV_READER, sizeof(CsvReader), open_handle, close_handle};
  Options options;
  int results;
  lua_settop(L, 2);
  luaL_checkany(L, 1);
  bool is_list = flua_is_list(L, 1), is_several = is_list || has_file_column(L, FLUA_OPTIONS);
  size_t count = 1;
  if (is_list) {
    count = flua_push_list(L, 1);
  } else {
    lua_createtable(L, 1, 0);
    lua_pushvalue(L, 1);
    lua_rawseti(L, -2, 1);
  }
  lua_rawgeti(L, 3, 1);
  lua_insert(L, 1); /* source, what was given, options, list */
  lua_remove(L, 2);
  bool is_open = flua_open_object(L, &opener, 2, FLUA_OPEN_CSV, &options, &results);
  if (!is_open) return results;
  CsvReader *reader = lua_touserdata(L, -1);
  reader->int64 = options.int64;
  lua_pushvalue(L, 3);
  lua_replace(L, 1); /* list, options, list, reader */
  lua_remove(L, 3);
  return is_several ? begin_several(L, reader, count) : 1;
}

static CsvReader *check_reader(lua_State *L, int index) {
  CsvReader *reader = flua_check(L, index, FLUA_CSV_READER);
  if (reader->source.bridge.busy) luaL_error(L, "the reader is in use: its own callback can't use it");
  return reader;
}

static CsvReader *check_open_reader(lua_State *L, int index) {
  CsvReader *reader = check_reader(L, index);
  if (!reader->handle) luaL_error(L, "the reader is closed");
  return reader;
}

static int close_reader(lua_State *L) {
  close_handle(check_reader(L, 1));
  return 0;
}

/* ---- calls of the core ---- */

typedef struct Answer {
  fastio_status status;
  fastio_error err;
  fastio_table *table;
  uint64_t count;
  uint64_t first;
} Answer;

typedef fastio_status (*operation)(fastio_csv *csv, Answer *answer);

static fastio_status next_batch(fastio_csv *csv, Answer *answer) {
  return fastio_csv_next(csv, &answer->table, &answer->err);
}

static fastio_status get_schema(fastio_csv *csv, Answer *answer) {
  return fastio_csv_schema(csv, &answer->table, &answer->err);
}

static fastio_status count_records(fastio_csv *csv, Answer *answer) {
  return fastio_csv_count(csv, &answer->count, &answer->err);
}

static fastio_status take_slice(fastio_csv *csv, Answer *answer) {
  return fastio_csv_slice(csv, answer->first, answer->count, &answer->table, &answer->err);
}

/* ---- the column that names the source ---- */

static fastio_status make_label_column(const CsvReader *reader, uint64_t rows, fastio_column **out, fastio_error *err) {
  fastio_column view;
  int32_t *indices = malloc((size_t)rows * sizeof *indices + 1);
  if (!indices) return flua_set_error(err, FASTIO_NO_MEMORY, fastio_status_text(FASTIO_NO_MEMORY)), FASTIO_NO_MEMORY;
  for (uint64_t i = 0; i < rows; i++) indices[i] = (int32_t)(reader->next - 1);
  memset(&view, 0, sizeof view);
  view.type = FASTIO_DICTIONARY;
  view.length = rows;
  view.data = indices;
  view.data_size = (size_t)rows * sizeof *indices;
  view.dictionary = reader->labels;
  return fastio_column_new(&view, release_block, indices, NULL, out, err);
}

/* The table with `first` before its own columns. Takes over `first`. */
static fastio_status prepend(const fastio_table *plain, const char *name, const fastio_column *first,
                             fastio_table **out, fastio_error *err) {
  const size_t count = plain->column_count + 1;
  const fastio_column **columns = malloc(count * sizeof *columns);
  fastio_bytes *names = malloc(count * sizeof *names);
  fastio_table view = *plain;
  fastio_status status = FASTIO_NO_MEMORY;
  size_t owned = 0;
  flua_set_error(err, status, fastio_status_text(status));
  if (columns && names) {
    columns[owned++] = first;
    names[0].data = name;
    names[0].size = strlen(name);
    for (; owned < count; owned++) {
      columns[owned] = plain->columns[owned - 1];
      names[owned] = plain->names[owned - 1];
      fastio_column_retain(columns[owned]);
    }
    view.columns = columns;
    view.names = names;
    view.column_count = count;
    status = fastio_table_new(&view, NULL, out, err);
  }
  for (size_t i = 0; status && i < owned; i++) fastio_column_free(columns[i]);
  if (!owned) fastio_column_free(first);
  free(columns);
  free(names);
  return status;
}

static fastio_status check_label_name(const CsvReader *reader, const fastio_table *plain, fastio_error *err) {
  const char *name = reader->options.file_column;
  for (size_t i = 0; i < plain->column_count; i++) {
    if (plain->names[i].size != strlen(name) || memcmp(plain->names[i].data, name, strlen(name)) != 0) continue;
    flua_set_error(err, FASTIO_INVALID_ARGUMENT, "a column has the name that the column of labels is to have");
    return err->status;
  }
  return FASTIO_OK;
}

/* Replaces the answer's table, if there is one and a column is wanted. */
static void label(const CsvReader *reader, Answer *answer) {
  fastio_table *plain = answer->table;
  fastio_column *first = NULL;
  if (!reader->labels || !plain) return;
  answer->table = NULL;
  answer->status = check_label_name(reader, plain, &answer->err);
  if (!answer->status) answer->status = make_label_column(reader, plain->rows, &first, &answer->err);
  if (!answer->status)
    answer->status = prepend(plain, reader->options.file_column, first, &answer->table, &answer->err);
  fastio_table_free(plain);
}

/* ---- one source after the other ---- */

/* Calls the core with the reader's anchor table at `anchor`. */
static void call_core(lua_State *L, CsvReader *reader, int anchor, operation work, Answer *answer) {
  fastio_error_init(&answer->err);
  answer->table = NULL;
  flua_enter(L, &reader->source.bridge, anchor);
  answer->status = work(reader->handle, answer);
  flua_leave(&reader->source.bridge);
  if (reader->source.bridge.failed) answer->status = FASTIO_CALLBACK_FAILED;
}

/* What later sources are read as is what the first one turned out to have. */
static fastio_status keep_schema(lua_State *L, CsvReader *reader, int anchor, Answer *answer) {
  if (reader->schema) return FASTIO_OK;
  call_core(L, reader, anchor, get_schema, answer);
  if (answer->status) return answer->status;
  reader->schema = answer->table;
  answer->table = NULL;
  flua_fix_types(L, anchor, &reader->options, reader->schema);
  return FASTIO_OK;
}

static fastio_status open_next(lua_State *L, CsvReader *reader, int anchor, Answer *answer) {
  Source *source = &reader->source;
  close_source(reader);
  lua_rawgeti(L, anchor, FLUA_ANCHOR_SOURCES);
  lua_rawgeti(L, -1, (int)++reader->next);
  lua_pushnil(L);
  lua_rawseti(L, anchor, FLUA_ANCHOR_PATH);
  flua_begin_next(&source->bridge);
  answer->status = flua_source_open(L, source, lua_gettop(L), anchor, &reader->options, &answer->err);
  if (answer->status) return answer->status;
  flua_enter(L, &source->bridge, anchor);
  answer->status = fastio_csv_open(source->handle, &reader->options.csv, &reader->handle, &answer->err);
  flua_leave(&source->bridge);
  return source->bridge.failed ? answer->status = FASTIO_CALLBACK_FAILED : answer->status;
}

static bool have_same_names(const fastio_table *a, const fastio_table *b) {
  bool same = a->column_count == b->column_count;
  for (size_t i = 0; same && i < a->column_count; i++)
    same = a->names[i].size == b->names[i].size && memcmp(a->names[i].data, b->names[i].data, a->names[i].size) == 0;
  return same;
}

/* A rule that fits no column says so before the names are looked at. */
static fastio_status check_schema(lua_State *L, CsvReader *reader, int anchor, Answer *answer) {
  bool differs = answer->status == FASTIO_INVALID_ARGUMENT;
  if (!answer->status) {
    call_core(L, reader, anchor, get_schema, answer);
    if (!answer->status) differs = !have_same_names(answer->table, reader->schema);
    if (answer->table) fastio_table_free(answer->table);
    answer->table = NULL;
  }
  if (!differs) return answer->status;
  flua_set_error(&answer->err, FASTIO_BAD_HEADER, "its columns are not those of the first source");
  return answer->status = FASTIO_BAD_HEADER;
}

/* At the end of one source. True: the next one is open; else the answer tells why not. */
static bool advance(lua_State *L, CsvReader *reader, int anchor, Answer *answer) {
  if (reader->next >= reader->count || reader->options.csv.max_rows == 0) return false;
  const int top = lua_gettop(L);
  if (keep_schema(L, reader, anchor, answer)) return false;
  open_next(L, reader, anchor, answer);
  if (reader->source.bridge.failed) return false;
  check_schema(L, reader, anchor, answer);
  if (reader->source.bridge.failed) return false;
  if (answer->status) answer->err.source = reader->next;
  lua_settop(L, top);
  return !answer->status;
}

/* The next batch of the source that is open, or of one behind it. Only the first one has to show its columns. */
static void next_of_several(lua_State *L, CsvReader *reader, int anchor, Answer *answer) {
  for (;;) {
    call_core(L, reader, anchor, next_batch, answer);
    if (!answer->status && answer->table->rows == 0 && reader->next > 1) {
      fastio_table_free(answer->table);
      continue;
    }
    if (!answer->status) {
      uint64_t *left = &reader->options.csv.max_rows, rows = answer->table->rows;
      if (*left != FASTIO_NO_OFFSET) *left -= rows < *left ? rows : *left;
    } else if (answer->status != FASTIO_END) {
      answer->err.source = reader->next;
    }
    if (answer->status != FASTIO_END || !advance(L, reader, anchor, answer)) return;
  }
}

/* Runs one operation on the reader at `index`, with a table that takes its result over if it gives one. */
static fastio_status run(lua_State *L, CsvReader *reader, int index, operation work, Table *table, Answer *answer) {
  Source *source = &reader->source;
  fastio_error_init(&answer->err);
  answer->table = NULL;
  if (!flua_is_alive(&source->bridge, &answer->err)) {
    answer->status = answer->err.status;
    return answer->status;
  }
  flua_getuservalue(L, index);
  const int anchor = lua_gettop(L);
  if (work == next_batch && reader->count) next_of_several(L, reader, anchor, answer);
  else call_core(L, reader, anchor, work, answer);
  label(reader, answer);
  if (answer->table) {
    flua_fill_table(L, table, answer->table, reader->int64);
    table->decode_errors = reader->decode_errors + flua_source_decode_errors(source);
  }
  return answer->status;
}

/* The results of an operation that failed: nil at the end, else four. */
static int fail(lua_State *L, CsvReader *reader, int index, Answer *answer) {
  if (reader->source.bridge.failed) return flua_callback_failed(L, &reader->source.bridge);
  if (answer->status == FASTIO_END) return flua_nil(L);
  flua_getuservalue(L, index);
  lua_rawgeti(L, -1, FLUA_ANCHOR_PATH);
  return flua_fail(L, &answer->err, lua_gettop(L));
}

bool flua_next_batch(lua_State *L, int index, Table *table, int *results) {
  CsvReader *reader = check_open_reader(L, index);
  Answer answer;
  flua_pay_debt(L);
  if (!run(L, reader, index, next_batch, table, &answer)) return true;
  *results = fail(L, reader, index, &answer);
  return false;
}

/* next() -> the next Table; nil at the end */
static int reader_next(lua_State *L) {
  int results;
  check_open_reader(L, 1);
  lua_settop(L, 1);
  Table *table = flua_new_table(L);
  if (!flua_next_batch(L, 1, table, &results)) return results;
  lua_settop(L, 2);
  return 1;
}

/* The step of a loop over the batches, with the reader as upvalue 2. Whatever ends the loop closes the reader; a failure
 * is raised. */
static int step(lua_State *L) {
  int index = lua_upvalueindex(2);
  CsvReader *reader = check_reader(L, index);
  Answer answer;
  if (!reader->handle) return flua_nil(L);
  lua_settop(L, 0);
  flua_pay_debt(L);
  Table *table = flua_new_table(L);
  if (run(L, reader, index, next_batch, table, &answer)) {
    close_handle(reader);
    int results = fail(L, reader, index, &answer);
    return results == 4 ? lua_error(L) : results;
  }
  lua_settop(L, 1);
  return 1;
}

/* for batch in reader:batches() do. The fourth value is what Lua 5.4 closes when the loop is left. */
static int reader_batches(lua_State *L) {
  check_open_reader(L, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, step, 2);
  lua_pushnil(L);
  lua_pushnil(L);
  lua_pushvalue(L, 1);
  return 4;
}

/* names(), dtypes(): of the table without rows that the core gives. */
static int push_schema(lua_State *L, void (*push)(lua_State *L, const fastio_table *table)) {
  CsvReader *reader = check_open_reader(L, 1);
  Answer answer;
  lua_settop(L, 1);
  Table *table = flua_new_table(L);
  if (run(L, reader, 1, get_schema, table, &answer)) return fail(L, reader, 1, &answer);
  push(L, table->base);
  return 1;
}

static int reader_names(lua_State *L) { return push_schema(L, flua_push_names); }

static int reader_dtypes(lua_State *L) { return push_schema(L, flua_push_dtypes); }

/* Rows have numbers in one source only. */
static CsvReader *check_single(lua_State *L) {
  CsvReader *reader = check_open_reader(L, 1);
  if (reader->count) luaL_error(L, "a reader of several sources counts no rows");
  return reader;
}

/* decode_errors() -> how many sequences were replaced or left out so far */
static int reader_decode_errors(lua_State *L) {
  const CsvReader *reader = check_reader(L, 1);
  flua_push_count(L, reader->decode_errors + flua_source_decode_errors(&reader->source));
  return 1;
}

/* count() -> the number of records, wherever next is */
static int reader_count(lua_State *L) {
  CsvReader *reader = check_single(L);
  Answer answer;
  lua_settop(L, 1);
  if (run(L, reader, 1, count_records, NULL, &answer)) return fail(L, reader, 1, &answer);
  flua_push_count(L, answer.count);
  return 1;
}

/* slice([i[, j]]) -> a Table of the records i to j, wherever next is */
static int reader_slice(lua_State *L) {
  CsvReader *reader = check_single(L);
  Answer answer;
  uint64_t end;
  lua_settop(L, 3);
  flua_pay_debt(L);
  Table *table = flua_new_table(L);
  if (run(L, reader, 1, count_records, NULL, &answer)) return fail(L, reader, 1, &answer);
  flua_range(L, 2, answer.count, &answer.first, &end);
  answer.count = end - answer.first;
  if (run(L, reader, 1, take_slice, table, &answer)) return fail(L, reader, 1, &answer);
  lua_settop(L, 4);
  return 1;
}

static int reader_tostring(lua_State *L) {
  const CsvReader *reader = flua_check(L, 1, FLUA_CSV_READER);
  lua_pushstring(L, reader->handle ? "fastio.CsvReader" : "fastio.CsvReader (closed)");
  return 1;
}

static const luaL_Reg functions[] = {
    {"read_csv", read_csv}, {"open_csv", open_csv}, {"sniff", sniff}, {"partition", partition}, {NULL, NULL}};
static const luaL_Reg metamethods[] = {
    {"__gc", close_reader}, {"__close", close_reader}, {"__tostring", reader_tostring}, {NULL, NULL}};
static const luaL_Reg methods[] = {{"next", reader_next},
                                   {"batches", reader_batches},
                                   {"names", reader_names},
                                   {"dtypes", reader_dtypes},
                                   {"count", reader_count},
                                   {"slice", reader_slice},
                                   {"close", close_reader},
                                   {"decode_errors", reader_decode_errors},
                                   {NULL, NULL}};

void flua_open_csv(lua_State *L) {
  flua_new_type(L, FLUA_CSV_READER, "CsvReader", metamethods, methods, NULL);
  flua_register(L, functions);
}
