/* Functions that read tables: read_csv, sniff, partition at once; open_csv batch by batch. */
#include "flua.h"

/* ---- the whole source ---- */

/* read_csv(source[, options]) -> Table */
static int read_csv(lua_State *L) {
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
  flua_source_close(source);
  lua_settop(L, FLUA_RESULT);
  return 1;
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

typedef struct CsvReader {
  Source source;      /* first, as flua_open_object wants it */
  fastio_csv *handle; /* NULL: closed */
  int int64;
} CsvReader;

static fastio_status open_handle(void *object, const Options *options, fastio_error *err) {
  CsvReader *reader = object;
  return fastio_csv_open(reader->source.handle, &options->csv, &reader->handle, err);
}

static void close_handle(void *object) {
  CsvReader *reader = object;
  fastio_csv_close(reader->handle);
  reader->handle = NULL;
  flua_source_close(&reader->source);
}

/* open_csv(source[, options]) -> CsvReader */
static int open_csv(lua_State *L) {
  const Opener opener = {FLUA_CSV_READER, sizeof(CsvReader), open_handle, close_handle};
  Options options;
  int results;
  lua_settop(L, 2);
  if (!flua_open_object(L, &opener, 2, FLUA_OPEN_CSV, &options, &results)) return results;
  CsvReader *reader = lua_touserdata(L, -1);
  reader->int64 = options.int64;
  return 1;
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
  flua_enter(L, &source->bridge, lua_gettop(L));
  answer->status = work(reader->handle, answer);
  flua_leave(&source->bridge);
  if (answer->table) flua_fill_table(L, table, answer->table, reader->int64);
  if (source->bridge.failed) answer->status = FASTIO_CALLBACK_FAILED;
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

/* count() -> the number of records, wherever next is */
static int reader_count(lua_State *L) {
  CsvReader *reader = check_open_reader(L, 1);
  Answer answer;
  lua_settop(L, 1);
  if (run(L, reader, 1, count_records, NULL, &answer)) return fail(L, reader, 1, &answer);
  flua_push_count(L, answer.count);
  return 1;
}

/* slice([i[, j]]) -> a Table of the records i to j, wherever next is */
static int reader_slice(lua_State *L) {
  CsvReader *reader = check_open_reader(L, 1);
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
static const luaL_Reg methods[] = {
    {"next", reader_next},   {"batches", reader_batches}, {"names", reader_names}, {"dtypes", reader_dtypes},
    {"count", reader_count}, {"slice", reader_slice},     {"close", close_reader}, {NULL, NULL}};

void flua_open_csv(lua_State *L) {
  flua_new_type(L, FLUA_CSV_READER, "CsvReader", metamethods, methods, NULL);
  flua_register(L, functions);
}
