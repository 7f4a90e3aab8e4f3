/* fastio_write_csv and fastio_write_csv_stream: by hand, against a naive writer, and read back. */
#include "output.h"

#include <errno.h>
#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static uint64_t seed = 7;

static uint64_t draw(void) { /* xorshift64 */
  seed ^= seed << 13;
  seed ^= seed >> 7;
  return seed ^= seed << 17;
}

/* ---- calls ---- */

typedef struct csv_call {
  const fastio_table *table;
  fastio_csv_write_options options;
} csv_call;

static fastio_csv_write_options options_of(const csv_call *c, unsigned threads, size_t block_size,
                                           int (*poll)(void *, uint64_t, uint64_t), void *poll_ctx) {
  fastio_csv_write_options options = c->options;
  options.threads = threads;
  options.block_size = block_size;
  options.poll = poll;
  options.poll_ctx = poll_ctx;
  return options;
}

static fastio_status call_csv(fastio_writer *writer, const void *ctx, unsigned threads, size_t block_size,
                              int (*poll)(void *, uint64_t, uint64_t), void *poll_ctx, fastio_error *err) {
  const csv_call *c = ctx;
  fastio_csv_write_options options = options_of(c, threads, block_size, poll, poll_ctx);
  return fastio_write_csv(writer, c->table, &options, err);
}

/* The same table as a stream of one batch. */
static fastio_status call_stream(fastio_writer *writer, const void *ctx, unsigned threads, size_t block_size,
                                 int (*poll)(void *, uint64_t, uint64_t), void *poll_ctx, fastio_error *err) {
  const csv_call *c = ctx;
  fastio_csv_write_options options = options_of(c, threads, block_size, poll, poll_ctx);
  struct ArrowArrayStream stream;
  uint64_t rows = 99;
  CHECK_STATUS(fastio_table_export_stream(c->table, 0, c->table->rows, &stream, NULL), FASTIO_OK);
  fastio_status status = fastio_write_csv_stream(writer, &stream, &options, &rows, err);
  CHECK_INT(rows, status == FASTIO_OK ? c->table->rows : 99);
  CHECK(stream.release != NULL); /* it is still ours */
  stream.release(&stream);
  return status;
}

static void check_both(const csv_call *c, const char *due, size_t size, const char *name) {
  check_same_bytes(call_csv, c, due, size, name);
  check_same_bytes(call_stream, c, due, size, name);
}

static void check_text(const csv_call *c, const char *due) { check_both(c, due, strlen(due), due); }

/* Both calls fail so, whatever the number of threads; `before` is what is written nevertheless. */
static void check_fails(const csv_call *c, fastio_status status, uint64_t record, uint64_t field, const char *name,
                        const char *before) {
  for (unsigned i = 0; i < 24; i++) {
    writing_call *call = i % 2 ? call_stream : call_csv;
    fastio_writer *writer = NULL;
    fastio_error err;
    fastio_bytes got;
    fastio_writer_memory(NULL, &writer, NULL);
    CHECK_STATUS(call(writer, c, i / 2 % 3 + 1, i * i, NULL, NULL, &err), status);
    CHECK(err.status == status && err.message && *err.message && err.offset == FASTIO_NO_OFFSET);
    CHECK_INT(err.record, record);
    CHECK_INT(err.field, field);
    CHECK(err.field_name_size == strlen(name) && memcmp(err.field_name, name, err.field_name_size) == 0);
    CHECK_STATUS(fastio_writer_bytes(writer, &got, NULL), FASTIO_OK);
    same("what comes before", __LINE__, got, before, strlen(before));
    fastio_writer_discard(writer);
  }
}

/* ---- tables ---- */

enum { COLUMNS_MAX = 40 };

typedef struct maker {
  fastio_column *columns[COLUMNS_MAX];
  fastio_bytes names[COLUMNS_MAX];
  size_t count;
  uint64_t rows;
} maker;

static void free_block(void *ctx) { free(ctx); }

/* Takes the column over. */
static void add_column(maker *m, const char *name, fastio_column *column) {
  m->columns[m->count] = column;
  m->names[m->count++] = bytes_of(name);
  m->rows = column->length;
}

static fastio_table *table_of(const maker *m) {
  fastio_table view, *table = NULL;
  memset(&view, 0, sizeof view);
  view.rows = m->rows;
  view.column_count = m->count;
  view.columns = (const fastio_column *const *)m->columns;
  view.names = m->names;
  CHECK_STATUS(fastio_table_new(&view, NULL, &table, NULL), FASTIO_OK);
  return table;
}

/* Values of a fixed size, copied; bit i of `present` is 0 where value i is missing. */
static fastio_column *column_of(fastio_type type, const void *data, size_t size, uint64_t rows,
                                const uint8_t *present) {
  fastio_column view, *column = NULL;
  size_t bits = rows / 8 + 1;
  char *block = malloc(size + bits + 64);
  if (size) memcpy(block, data, size);
  if (present) memcpy(block + size, present, (rows + 7) / 8);
  memset(&view, 0, sizeof view);
  view.type = type;
  view.length = rows;
  view.data = block;
  view.data_size = size;
  view.validity = present ? (uint8_t *)block + size : NULL;
  view.null_count = present ? 1 : 0; /* at least; nobody counts */
  CHECK_STATUS(fastio_column_new(&view, free_block, block, NULL, &column, NULL), FASTIO_OK);
  return column;
}

/* Strings; NULL is a missing one. Exactly as much memory as they take, so that a sanitizer sees what lies behind. */
static fastio_column *strings_of(const fastio_bytes *strings, uint64_t rows) {
  fastio_column view, *column = NULL;
  size_t size = 0, bits = rows / 8 + 1;
  for (uint64_t i = 0; i < rows; i++) size += strings[i].data ? strings[i].size : 0;
  char *block = calloc(1, (rows + 1) * 8 + bits + size);
  int64_t *offsets = (int64_t *)block;
  uint8_t *validity = (uint8_t *)(offsets + rows + 1);
  char *data = (char *)validity + bits, *at = data;
  memset(&view, 0, sizeof view);
  for (uint64_t i = 0; i < rows; i++) {
    if (strings[i].data) {
      if (strings[i].size) memcpy(at, strings[i].data, strings[i].size);
      at += strings[i].size;
      validity[i / 8] |= (uint8_t)(1 << i % 8);
    } else {
      view.null_count++;
    }
    offsets[i + 1] = at - data;
  }
  view.type = FASTIO_STRING;
  view.length = rows;
  view.validity = view.null_count ? validity : NULL;
  view.offsets = offsets;
  view.data = data;
  view.data_size = size;
  CHECK_STATUS(fastio_column_new(&view, free_block, block, NULL, &column, NULL), FASTIO_OK);
  return column;
}

static fastio_column *texts_of(const char *const *texts, uint64_t rows) {
  fastio_bytes strings[100];
  for (uint64_t i = 0; i < rows; i++) strings[i] = texts[i] ? bytes_of(texts[i]) : (fastio_bytes){NULL, 0};
  return strings_of(strings, rows);
}

static csv_call call_of(const fastio_table *table) {
  csv_call c = {table, FASTIO_CSV_WRITE_OPTIONS_INIT};
  return c;
}

/* One column "s" of texts. */
static fastio_table *one_column(const char *const *texts, uint64_t rows) {
  maker m = {.count = 0};
  add_column(&m, "s", texts_of(texts, rows));
  return table_of(&m);
}

/* And a column of numbers beside it, so that no record is blank. */
static fastio_table *two_columns(const char *const *texts, uint64_t rows) {
  maker m = {.count = 0};
  int8_t numbers[100];
  for (uint64_t i = 0; i < rows; i++) numbers[i] = (int8_t)i;
  add_column(&m, "s", texts_of(texts, rows));
  add_column(&m, "n", column_of(FASTIO_INT8, numbers, rows, rows, NULL));
  return table_of(&m);
}

/* ---- types ---- */

static void all_types(void) {
  maker m = {.count = 0};
  const uint8_t some[] = {0x5}, bits[] = {0x2};
  const int64_t big[] = {INT64_MIN, 7, INT64_MAX};
  const uint64_t unsigned_big[] = {UINT64_MAX, 7, 0};
  const double numbers[] = {0.1, 7, NAN};
  const float singles[] = {0.1f, 7, -INFINITY};
  const int32_t days[] = {-719162, 7, 2932896};
  const int64_t times[] = {0, 7, 86399999000000};
  const char *const words[] = {"a,b", "x", NULL};
  add_column(&m, "i", column_of(FASTIO_INT64, big, sizeof big, 3, some));
  add_column(&m, "u", column_of(FASTIO_UINT64, unsigned_big, sizeof unsigned_big, 3, NULL));
  add_column(&m, "d", column_of(FASTIO_FLOAT64, numbers, sizeof numbers, 3, NULL));
  add_column(&m, "f", column_of(FASTIO_FLOAT32, singles, sizeof singles, 3, some));
  add_column(&m, "b", column_of(FASTIO_BOOL, bits, 1, 3, NULL));
  add_column(&m, "day", column_of(FASTIO_DATE, days, sizeof days, 3, some));
  add_column(&m, "time", column_of(FASTIO_TIME, times, sizeof times, 3, NULL));
  add_column(&m, "at", column_of(FASTIO_TIMESTAMP, times, sizeof times, 3, NULL));
  add_column(&m, "utc", column_of(FASTIO_TIMESTAMP_UTC, times, sizeof times, 3, NULL));
  add_column(&m, "s", texts_of(words, 3));
  fastio_table *table = table_of(&m);
  csv_call c = call_of(table);
  check_text(&c, "i,u,d,f,b,day,time,at,utc,s\n"
                 "-9223372036854775808,18446744073709551615,0.1,0.1,false,0001-01-01,00:00:00,1970-01-01T00:00:00,"
                 "1970-01-01T00:00:00Z,\"a,b\"\n"
                 ",7,7.0,,true,,00:00:00.000000007,1970-01-01T00:00:00.000000007,1970-01-01T00:00:00.000000007Z,x\n"
                 "9223372036854775807,0,nan,-inf,false,9999-12-31,23:59:59.999,1970-01-01T23:59:59.999,"
                 "1970-01-01T23:59:59.999Z,\n");
  c.options.header = 0;
  c.options.separator = bytes_of(";");
  c.options.end = bytes_of("\r\n");
  c.options.null_text = bytes_of("NA");
  c.options.nan_text = bytes_of("NaN");
  c.options.true_text = bytes_of("yes");
  c.options.false_text = bytes_of("no");
  check_text(&c,
             "-9223372036854775808;18446744073709551615;0.1;0.1;no;0001-01-01;00:00:00;1970-01-01T00:00:00;"
             "1970-01-01T00:00:00Z;a,b\r\n"
             "NA;7;7.0;NA;yes;NA;00:00:00.000000007;1970-01-01T00:00:00.000000007;1970-01-01T00:00:00.000000007Z;x\r\n"
             "9223372036854775807;0;NaN;-inf;no;9999-12-31;23:59:59.999;1970-01-01T23:59:59.999;"
             "1970-01-01T23:59:59.999Z;NA\r\n");
  fastio_table_free(table);
}

static void dictionaries(void) {
  maker m = {.count = 0};
  const char *const words[] = {"red", "a,b", ""};
  const int32_t indices[] = {2, 1, 0, 1}, wrong[] = {0, 3};
  const uint8_t some[] = {0x7};
  fastio_column view, *column = NULL, *strings = texts_of(words, 3);
  memset(&view, 0, sizeof view);
  view.type = FASTIO_DICTIONARY;
  view.length = 4;
  view.null_count = 1;
  view.validity = some;
  view.data = indices;
  view.data_size = sizeof indices;
  view.dictionary = strings;
  CHECK_STATUS(fastio_column_new(&view, NULL, NULL, NULL, &column, NULL), FASTIO_OK);
  add_column(&m, "c", column);
  fastio_table *table = table_of(&m);
  csv_call c = call_of(table);
  check_text(&c, "c\n\"\"\n\"a,b\"\nred\n\"\"\n");
  c.options.null_text = bytes_of("red");
  check_text(&c, "c\n\"\"\n\"a,b\"\n\"red\"\nred\n");
  fastio_table_free(table);
  view.length = 2;
  view.null_count = 0;
  view.validity = NULL;
  view.data = wrong;
  CHECK_STATUS(fastio_column_new(&view, NULL, NULL, NULL, &column, NULL), FASTIO_OK);
  m.count = 0;
  add_column(&m, "c", column);
  table = table_of(&m);
  c = call_of(table);
  check_fails(&c, FASTIO_INVALID_ARGUMENT, 2, 1, "c", "c\nred\n");
  fastio_table_free(table);
  fastio_column_free(strings);
}

static void matrix(void) {
  const char *text = "a,b\n1,2.5\n3,4\n";
  fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
  fastio_column_rule rule = {NULL, 0, FASTIO_EVERY_COLUMN, FASTIO_FLOAT64, NULL, 0, {0, 0}};
  fastio_source *source = NULL;
  fastio_table *table = NULL;
  fastio_writer *writer = NULL;
  fastio_bytes got;
  options.flags = FASTIO_CSV_MATRIX;
  options.rules = &rule;
  options.rule_count = 1;
  fastio_source_memory(text, strlen(text), NULL, &source, NULL);
  CHECK_STATUS(fastio_read_csv(source, &options, &table, NULL), FASTIO_OK);
  csv_call c = call_of(table);
  fastio_writer_memory(NULL, &writer, NULL);
  CHECK_STATUS(fastio_write_csv(writer, table, NULL, NULL), FASTIO_INVALID_ARGUMENT); /* only one name */
  c.options.header = 0;
  CHECK_STATUS(fastio_write_csv(writer, table, &c.options, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_bytes(writer, &got, NULL), FASTIO_OK);
  CHECK_BYTES(got.data, got.size, "1.0,2.5\n3.0,4.0\n");
  fastio_writer_discard(writer);
  fastio_table_free(table);
  fastio_source_close(source);
}

static void shapes(void) {
  maker m = {.count = 0};
  fastio_table *table = table_of(&m);
  csv_call c = call_of(table);
  check_text(&c, ""); /* no columns: nothing */
  fastio_table_free(table);
  add_column(&m, "a", column_of(FASTIO_INT8, "", 0, 0, NULL));
  add_column(&m, "b", column_of(FASTIO_BOOL, "", 0, 0, NULL));
  add_column(&m, "c", strings_of(NULL, 0));
  table = table_of(&m);
  c = call_of(table);
  check_text(&c, "a,b,c\n");
  c.options.header = 0;
  check_text(&c, "");
  fastio_table_free(table);
}

/* ---- quoting ---- */

static void minimal(void) {
  static const char *const texts[] = {"plain",
                                      "",
                                      "a,b",
                                      "a\"b",
                                      "a\nb",
                                      "a\rb",
                                      " a",
                                      "a ",
                                      "a b",
                                      "\ttab",
                                      "tab\t",
                                      "\"",
                                      ",",
                                      "a;b",
                                      "NA",
                                      NULL,
                                      "1234567890123456789012345678901",
                                      "12345678901234567890123456789012",
                                      "123456789012345678901234567890,",
                                      "\"234567890123456789012345678901234567\"x"};
  fastio_table *table = two_columns(texts, COUNT(texts));
  csv_call c = call_of(table);
  c.options.header = 0;
  check_text(
      &c, "plain,0\n\"\",1\n\"a,b\",2\n\"a\"\"b\",3\n\"a\nb\",4\n\"a\rb\",5\n\" a\",6\n\"a \",7\na b,8\n\"\ttab\",9\n"
          "\"tab\t\",10\n\"\"\"\",11\n\",\",12\na;b,13\nNA,14\n,15\n1234567890123456789012345678901,16\n"
          "12345678901234567890123456789012,17\n\"123456789012345678901234567890,\",18\n"
          "\"\"\"234567890123456789012345678901234567\"\"x\",19\n");
  c.options.null_text = bytes_of("NA");
  c.options.separator = bytes_of(";");
  c.options.quote = '\'';
  check_text(&c, "plain;0\n;1\na,b;2\na\"b;3\n'a\nb';4\n'a\rb';5\n' a';6\n'a ';7\na b;8\n'\ttab';9\n"
                 "'tab\t';10\n\";11\n,;12\n'a;b';13\n'NA';14\nNA;15\n1234567890123456789012345678901;16\n"
                 "12345678901234567890123456789012;17\n123456789012345678901234567890,;18\n"
                 "\"234567890123456789012345678901234567\"x;19\n");
  fastio_table_free(table);
}

static void policies(void) {
  static const char *const texts[] = {
      "a", "", NULL, "b\"c", "123456789012345678901234567890123", "12345678901234567890123456789"};
  fastio_table *table = two_columns(texts, COUNT(texts));
  csv_call c = call_of(table);
  c.options.quoting = FASTIO_QUOTING_STRINGS;
  check_text(&c, "\"s\",\"n\"\n\"a\",0\n\"\",1\n,2\n\"b\"\"c\",3\n\"123456789012345678901234567890123\",4\n"
                 "\"12345678901234567890123456789\",5\n");
  c.options.quoting = FASTIO_QUOTING_ALL;
  check_text(&c, "\"s\",\"n\"\n\"a\",\"0\"\n\"\",\"1\"\n,\"2\"\n\"b\"\"c\",\"3\"\n"
                 "\"123456789012345678901234567890123\",\"4\"\n\"12345678901234567890123456789\",\"5\"\n");
  c.options.escape = '\\';
  check_text(&c, "\"s\",\"n\"\n\"a\",\"0\"\n\"\",\"1\"\n,\"2\"\n\"b\\\"c\",\"3\"\n"
                 "\"123456789012345678901234567890123\",\"4\"\n\"12345678901234567890123456789\",\"5\"\n");
  fastio_table_free(table);
}

/* The text that has no place is told. */
static void check_told(const csv_call *c, const char *told) {
  fastio_writer *writer = NULL;
  fastio_error err;
  fastio_writer_memory(NULL, &writer, NULL);
  CHECK_STATUS(fastio_write_csv(writer, c->table, &c->options, &err), FASTIO_INVALID_ARGUMENT);
  CHECK(err.text_size == strlen(told) && memcmp(err.text, told, err.text_size) == 0);
  fastio_writer_discard(writer);
}

static void never(void) {
  static const char *const texts[] = {"a", "", NULL, " b ", "c,d", "e\"f", "g\\h", "i\nj"};
  fastio_table *table = two_columns(texts, COUNT(texts));
  csv_call c = call_of(table);
  c.options.quoting = FASTIO_QUOTING_NEVER;
  check_fails(&c, FASTIO_INVALID_ARGUMENT, 5, 1, "s", "s,n\na,0\n,1\n,2\n b ,3\n");
  check_told(&c, "c,d");
  c.options.escape = '\\';
  check_text(&c, "s,n\na,0\n,1\n,2\n b ,3\nc\\,d,4\ne\\\"f,5\ng\\\\h,6\ni\\\nj,7\n");
  c.options.quote = FASTIO_NONE;
  check_text(&c, "s,n\na,0\n,1\n,2\n b ,3\nc\\,d,4\ne\"f,5\ng\\\\h,6\ni\\\nj,7\n");
  fastio_table_free(table);
  table = two_columns(texts, 4);
  c = call_of(table);
  c.options.quoting = FASTIO_QUOTING_NEVER;
  check_text(&c, "s,n\na,0\n,1\n,2\n b ,3\n");
  fastio_table_free(table);
}

static void escapes(void) {
  static const char *const texts[] = {"a\"b", "a\\b", "plain", "a\"b\\c\"d 123456789012345678901234567890"};
  fastio_table *table = two_columns(texts, COUNT(texts));
  csv_call c = call_of(table);
  c.options.escape = '\\';
  check_text(&c, "s,n\n\"a\\\"b\",0\n\"a\\\\b\",1\nplain,2\n\"a\\\"b\\\\c\\\"d 123456789012345678901234567890\",3\n");
  fastio_table_free(table);
}

/* Separators of more than one byte: what only looks like one needs nothing, what joins with the one behind does. */
static void long_separators(void) {
  static const char *const texts[] = {"a:b", "a::b", "a:", ":a", "::", ":", "a:=", "x=:"};
  fastio_table *table = two_columns(texts, COUNT(texts));
  csv_call c = call_of(table);
  c.options.separator = bytes_of("::");
  check_text(&c, "s::n\na:b::0\n\"a::b\"::1\n\"a:\"::2\n:a::3\n\"::\"::4\n\":\"::5\na:=::6\n\"x=:\"::7\n");
  c.options.separator = bytes_of(":=");
  check_text(&c, "s:=n\na:b:=0\na::b:=1\na::=2\n:a:=3\n:::=4\n::=5\n\"a:=\":=6\nx=::=7\n");
  c.options.separator = bytes_of(" <nine> ");
  check_text(
      &c, "s <nine> n\na:b <nine> 0\na::b <nine> 1\na: <nine> 2\n:a <nine> 3\n:: <nine> 4\n: <nine> 5\na:= <nine> 6\n"
          "x=: <nine> 7\n");
  fastio_table_free(table);
}

static void blank_records(void) {
  static const char *const texts[] = {"a", "", NULL, "b"};
  fastio_table *table = one_column(texts, COUNT(texts));
  csv_call c = call_of(table);
  check_text(&c, "s\na\n\"\"\n\"\"\nb\n"); /* a blank line would be no record */
  c.options.null_text = bytes_of("-");
  check_text(&c, "s\na\n\"\"\n-\nb\n");
  c.options.quoting = FASTIO_QUOTING_NEVER;
  check_fails(&c, FASTIO_INVALID_ARGUMENT, 2, 1, "s", "s\na\n");
  c.options.escape = '\\';
  check_fails(&c, FASTIO_INVALID_ARGUMENT, 2, 1, "s", "s\na\n");
  c.options.null_text = bytes_of("");
  c.options.quoting = FASTIO_QUOTING_ALL;
  c.options.escape = FASTIO_NONE;
  check_text(&c, "\"s\"\n\"a\"\n\"\"\n\"\"\n\"b\"\n");
  fastio_table_free(table);
}

static void byte_order_marks(void) {
  static const char *const texts[] = {"\xEF\xBB\xBFx", "\xEF\xBB\xBFx", "\xFF\xFEy"};
  fastio_table *table = two_columns(texts, COUNT(texts));
  csv_call c = call_of(table);
  check_text(&c, "s,n\n\xEF\xBB\xBFx,0\n\xEF\xBB\xBFx,1\n\xFF\xFEy,2\n");
  c.options.header = 0; /* now the first bytes of all */
  check_text(&c, "\"\xEF\xBB\xBFx\",0\n\xEF\xBB\xBFx,1\n\xFF\xFEy,2\n");
  fastio_table_free(table);
  maker m = {.count = 0};
  add_column(&m, "\xEF\xBB\xBFname", column_of(FASTIO_INT8, "\1", 1, 1, NULL));
  table = table_of(&m);
  c = call_of(table);
  check_text(&c, "\"\xEF\xBB\xBFname\"\n1\n");
  fastio_table_free(table);
}

static void names(void) {
  maker m = {.count = 0};
  add_column(&m, "a,b", column_of(FASTIO_INT8, "\1", 1, 1, NULL));
  add_column(&m, " c", column_of(FASTIO_INT8, "\2", 1, 1, NULL));
  add_column(&m, "d\"\n", column_of(FASTIO_INT8, "\3", 1, 1, NULL));
  add_column(&m, "", column_of(FASTIO_INT8, "\4", 1, 1, NULL));
  fastio_table *table = table_of(&m);
  csv_call c = call_of(table);
  check_text(&c, "\"a,b\",\" c\",\"d\"\"\n\",\"\"\n1,2,3,4\n");
  c.options.null_text = bytes_of("x");
  c.options.separator = bytes_of("\t");
  check_text(&c, "a,b\t\" c\"\t\"d\"\"\n\"\t\n1\t2\t3\t4\n");
  c.options.quoting = FASTIO_QUOTING_NEVER;
  check_fails(&c, FASTIO_INVALID_ARGUMENT, 0, 3, "d\"\n", "");
  check_told(&c, "d\"\n");
  fastio_table_free(table);
  m.count = 0;
  add_column(&m, "", column_of(FASTIO_INT8, "\1", 1, 1, NULL));
  table = table_of(&m);
  c = call_of(table);
  check_text(&c, "\"\"\n1\n");
  c.options.quoting = FASTIO_QUOTING_NEVER;
  check_fails(&c, FASTIO_INVALID_ARGUMENT, 0, 1, "", "");
  fastio_table_free(table);
}

/* Numbers whose text has the separator in it, or is the null text. */
static void numbers_in_quotes(void) {
  maker m = {.count = 0};
  const fastio_locale german = {",", ".", {3}};
  const double numbers[] = {1234.5, -1, NAN, 1e300};
  const uint8_t bits[] = {0x1};
  fastio_format formats[2] = {FASTIO_FORMAT_INIT, FASTIO_FORMAT_INIT};
  add_column(&m, "x", column_of(FASTIO_FLOAT64, numbers, sizeof numbers, 4, NULL));
  add_column(&m, "b", column_of(FASTIO_BOOL, bits, 1, 4, NULL));
  fastio_table *table = table_of(&m);
  csv_call c = call_of(table);
  formats[0].locale = &german;
  formats[0].notation = FASTIO_FIXED;
  formats[0].precision = 2;
  c.options.formats = formats;
  c.options.format_count = 2;
  c.options.true_text = bytes_of("1,0");
  c.options.header = 0;
  text due = {NULL, 0, 0};
  char big[1000];
  size_t size = fastio_format_f64_as(1e300, &formats[0], big, sizeof big);
  add_text(&due, "\"1.234,50\",\"1,0\"\n\"-1,00\",false\nnan,false\n\"");
  add(&due, big, size);
  add_text(&due, "\",false\n");
  check_both(&c, due.data, due.size, "a locale with the separator");
  free(due.data);
  c.options.separator = bytes_of(";"); /* 1e300 has 400 characters */
  c.options.null_text = c.options.false_text = bytes_of("-1,00");
  due = (text){NULL, 0, 0};
  add_text(&due, "1.234,50;1,0\n\"-1,00\";\"-1,00\"\nnan;\"-1,00\"\n");
  add(&due, big, size);
  add_text(&due, ";\"-1,00\"\n");
  check_both(&c, due.data, due.size, "the null text");
  free(due.data);
  fastio_table_free(table);
}

static void nulls_and_nans(void) {
  maker m = {.count = 0};
  const double numbers[] = {NAN, 1, NAN};
  const float singles[] = {1, NAN, NAN};
  const uint8_t some[] = {0x3};
  add_column(&m, "d", column_of(FASTIO_FLOAT64, numbers, sizeof numbers, 3, some));
  add_column(&m, "f", column_of(FASTIO_FLOAT32, singles, sizeof singles, 3, NULL));
  fastio_table *table = table_of(&m);
  csv_call c = call_of(table);
  check_text(&c, "d,f\nnan,1.0\n1.0,nan\n,nan\n");
  c.options.null_text = bytes_of("nan"); /* what is not missing must not look like it */
  check_text(&c, "d,f\n\"nan\",1.0\n1.0,\"nan\"\nnan,\"nan\"\n");
  c.options.nan_text = bytes_of("nan"); /* unless that is asked for */
  check_text(&c, "d,f\nnan,1.0\n1.0,nan\nnan,nan\n");
  c.options.nan_text = c.options.null_text = bytes_of("");
  check_text(&c, "d,f\n,1.0\n1.0,\n,\n");
  c.options.quoting = FASTIO_QUOTING_ALL;
  check_text(&c, "\"d\",\"f\"\n,\"1.0\"\n\"1.0\",\n,\n");
  c.options.nan_text = bytes_of("a text that is longer than any slot there is");
  check_text(&c,
             "\"d\",\"f\"\n\"a text that is longer than any slot there is\",\"1.0\"\n\"1.0\",\"a text that is longer "
             "than any slot there is\"\n,\"a text that is longer than any slot there is\"\n");
  c.options.nan_text = (fastio_bytes){NULL, 0};
  c.options.null_text = bytes_of("a text that is longer than any slot there is");
  check_text(&c,
             "\"d\",\"f\"\n\"nan\",\"1.0\"\n\"1.0\",\"nan\"\na text that is longer than any slot there is,\"nan\"\n");
  fastio_table_free(table);
}

static void formats(void) {
  maker m = {.count = 0};
  const double numbers[] = {1, -2.5};
  const int32_t integers[] = {1, 255}, days[] = {0, 1};
  const uint8_t bits[] = {0x1};
  const char *const texts[] = {"a", "b,"};
  fastio_format formats[5] = {FASTIO_FORMAT_INIT, FASTIO_FORMAT_INIT, FASTIO_FORMAT_INIT, FASTIO_FORMAT_INIT,
                              FASTIO_FORMAT_INIT};
  add_column(&m, "x", column_of(FASTIO_FLOAT64, numbers, sizeof numbers, 2, NULL));
  add_column(&m, "i", column_of(FASTIO_INT32, integers, sizeof integers, 2, NULL));
  add_column(&m, "s", texts_of(texts, 2));
  add_column(&m, "b", column_of(FASTIO_BOOL, bits, 1, 2, NULL));
  add_column(&m, "d", column_of(FASTIO_DATE, days, sizeof days, 2, NULL));
  fastio_table *table = table_of(&m);
  csv_call c = call_of(table);
  c.options.formats = formats;
  c.options.format_count = 5;
  formats[0].notation = FASTIO_SCIENTIFIC;
  formats[0].precision = 2;
  formats[1].base = 16;
  formats[1].flags = FASTIO_FORMAT_PREFIX;
  formats[2].width = 4;
  formats[3].width = 6;
  formats[4].width = 40;
  check_text(&c, "x,i,s,b,d\n"
                 "1.00e+00,0x1,a   ,true  ,1970-01-01                              \n"
                 "-2.50e+00,0xff,\"b,  \",false ,1970-01-02                              \n");
  c.options.format_count = 1;
  formats[0].notation = FASTIO_FIXED;
  formats[0].precision = 1;
  formats[0].width = 5;
  check_text(&c, "x,i,s,b,d\n  1.0,    1,a    ,true ,1970-01-01\n -2.5,  255,\"b,   \",false,1970-01-02\n");
  formats[0].width = 45;
  check_text(&c, "x,i,s,b,d\n"
                 "                                          1.0,                                            1,"
                 "a                                            ,true                                         ,"
                 "1970-01-01                                   \n"
                 "                                         -2.5,                                          255,"
                 "\"b,                                           \",false                                        ,"
                 "1970-01-02                                   \n");
  fastio_table_free(table);
}

static void bad_values(void) {
  maker m = {.count = 0};
  int32_t days[200] = {0};
  int64_t times[200] = {0};
  text before = {NULL, 0, 0};
  fastio_format format = FASTIO_FORMAT_INIT;
  days[150] = INT32_MAX;
  times[150] = -1;
  times[60] = 86400000000000; /* of the second column, and before the other one */
  add_column(&m, "day", column_of(FASTIO_DATE, days, sizeof days, 200, NULL));
  add_column(&m, "time", column_of(FASTIO_TIME, times, sizeof times, 200, NULL));
  fastio_table *table = table_of(&m);
  csv_call c = call_of(table);
  add_text(&before, "day,time\n");
  for (int i = 0; i < 60; i++) add_text(&before, "1970-01-01,00:00:00\n");
  add(&before, "", 1);
  check_fails(&c, FASTIO_OUT_OF_RANGE, 61, 2, "time", before.data);
  format.width = 1;
  c.options.formats = &format;
  c.options.format_count = 1;
  check_fails(&c, FASTIO_OUT_OF_RANGE, 61, 2, "time", before.data);
  fastio_table_free(table);
  times[60] = 0;
  m.count = 0;
  add_column(&m, "day", column_of(FASTIO_DATE, days, sizeof days, 200, NULL));
  add_column(&m, "time", column_of(FASTIO_TIME, times, sizeof times, 200, NULL));
  table = table_of(&m);
  c = call_of(table);
  before.size--;
  for (int i = 60; i < 150; i++) add_text(&before, "1970-01-01,00:00:00\n");
  add(&before, "", 1);
  check_fails(&c, FASTIO_OUT_OF_RANGE, 151, 1, "day", before.data); /* the first of two in a row */
  fastio_table_free(table);
  free(before.data);
}

/* ---- options that make no sense ---- */

static void bad_options(void) {
  static const char *const texts[] = {"a"};
  fastio_table *table = one_column(texts, 1);
  fastio_csv_write_options o = FASTIO_CSV_WRITE_OPTIONS_INIT;
  fastio_format bad[2] = {FASTIO_FORMAT_INIT, FASTIO_FORMAT_INIT};
  fastio_writer *writer = NULL;
  fastio_error err;
  fastio_bytes got;
  bad[0].width = FASTIO_WIDTH_MAX + 1;
  fastio_writer_memory(NULL, &writer, NULL);
  CHECK_STATUS(fastio_write_csv(NULL, table, NULL, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_write_csv(writer, NULL, NULL, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_write_csv_stream(writer, NULL, NULL, NULL, &err), FASTIO_INVALID_ARGUMENT);
#define CHECK_INVALID(change)                                                            \
  {                                                                                      \
    fastio_csv_write_options kept = o;                                                   \
    change;                                                                              \
    CHECK_STATUS(fastio_write_csv(writer, table, &o, &err), FASTIO_INVALID_ARGUMENT);    \
    CHECK(err.status == FASTIO_INVALID_ARGUMENT && err.message != NULL && *err.message); \
    o = kept;                                                                            \
  }
  CHECK_INVALID(o.size = 8)
  CHECK_INVALID(o.separator = bytes_of(""))
  CHECK_INVALID((o.separator = (fastio_bytes){NULL, 1}))
  CHECK_INVALID(o.separator = bytes_of("\n"))
  CHECK_INVALID(o.separator = bytes_of("a\r"))
  CHECK_INVALID(o.separator = bytes_of("\""))
  CHECK_INVALID(o.separator = bytes_of("a\"b"))
  CHECK_INVALID(o.end = bytes_of(""))
  CHECK_INVALID(o.end = bytes_of(",\n"))
  CHECK_INVALID(o.end = bytes_of("\"\n"))
  CHECK_INVALID(o.quoting = -1)
  CHECK_INVALID(o.quoting = 4)
  CHECK_INVALID(o.quote = FASTIO_NONE)
  CHECK_INVALID(o.quote = 256)
  CHECK_INVALID(o.quote = '\n')
  CHECK_INVALID(o.escape = -2)
  CHECK_INVALID(o.escape = 256)
  CHECK_INVALID(o.escape = '"')
  CHECK_INVALID(o.escape = '\r')
  CHECK_INVALID(o.escape = ',')
  CHECK_INVALID(o.null_text = bytes_of("a,b"))
  CHECK_INVALID(o.null_text = bytes_of("\"\""))
  CHECK_INVALID(o.null_text = bytes_of("\n"))
  CHECK_INVALID((o.null_text = (fastio_bytes){NULL, 1}))
  CHECK_INVALID(o.nan_text = bytes_of("n,a"))
  CHECK_INVALID(o.format_count = 1)
  CHECK_INVALID((o.formats = bad, o.format_count = 2))
  CHECK_INVALID((o.formats = bad, o.format_count = 1))
  CHECK_STATUS(fastio_writer_bytes(writer, &got, NULL), FASTIO_OK);
  CHECK_INT(got.size, 0);
  CHECK_STATUS(fastio_write_csv(writer, table, NULL, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_close(writer, NULL), FASTIO_OK);
  fastio_csv_write_options_init(&o);
  CHECK(o.size == sizeof o && o.quote == '"' && o.header == 1);
  fastio_table_free(table);
}

/* ---- a naive writer, and reading back ---- */

enum { ROWS = 500 };

static fastio_bytes random_string(void) {
  static char room[1 << 20];
  static size_t used;
  static const char *const bits[] = {",",
                                     "\"",
                                     "\n",
                                     "\r",
                                     " ",
                                     "\t",
                                     "a",
                                     "bc",
                                     "\xC3\xA9",
                                     "0",
                                     "-",
                                     "::",
                                     ":",
                                     "\\",
                                     "a longer stretch of text, ",
                                     "another one without any of these bytes"};
  size_t count = draw() % 3 ? draw() % 4 : draw() % 12;
  const bool clean = draw() % 4 != 0;
  if (used > sizeof room - 1000) used = 0;
  fastio_bytes string = {room + used, 0};
  while (count-- > 0) {
    const char *bit = clean ? (draw() % 2 ? "x" : "yz") : bits[draw() % COUNT(bits)];
    memcpy(room + used, bit, strlen(bit));
    used += strlen(bit);
    string.size += strlen(bit);
  }
  return string;
}

static bool contains(fastio_bytes t, const char *what, size_t size) {
  for (size_t i = 0; i + size <= t.size; i++)
    if (memcmp((const char *)t.data + i, what, size) == 0) return true;
  return false;
}

/* With a separator that can't overlap itself. */
static bool needs_quotes(const fastio_csv_write_options *o, fastio_bytes t) {
  const char *data = t.data, quote = (char)o->quote, escape = (char)o->escape;
  if (o->quoting == FASTIO_QUOTING_STRINGS || o->quoting == FASTIO_QUOTING_ALL) return true;
  if (t.size == o->null_text.size && (t.size == 0 || memcmp(data, o->null_text.data, t.size) == 0)) return true;
  if (t.size == 0) return false;
  if (data[0] == ' ' || data[0] == '\t' || data[t.size - 1] == ' ' || data[t.size - 1] == '\t') return true;
  return contains(t, "\n", 1) || contains(t, "\r", 1) || contains(t, &quote, 1) ||
         contains(t, o->separator.data, o->separator.size) || (o->escape >= 0 && contains(t, &escape, 1));
}

static void add_field(text *out, const fastio_csv_write_options *o, fastio_bytes t) {
  const char *data = t.data;
  if (data == NULL) {
    add_bytes(out, o->null_text);
  } else if (!needs_quotes(o, t)) {
    add_bytes(out, t);
  } else {
    const char quote = (char)o->quote, escape = (char)(o->escape >= 0 ? o->escape : o->quote);
    add(out, &quote, 1);
    for (size_t i = 0; i < t.size; i++) {
      if (data[i] == quote || data[i] == escape) add(out, &escape, 1);
      add(out, data + i, 1);
    }
    add(out, &quote, 1);
  }
}

static text naive(const csv_call *c, const fastio_bytes (*strings)[ROWS], size_t columns) {
  text out = {NULL, 0, 0};
  for (size_t r = 0; r < ROWS; r++) {
    for (size_t i = 0; i < columns; i++) {
      if (i > 0) add_bytes(&out, c->options.separator);
      add_field(&out, &c->options, strings[i][r]);
    }
    add_bytes(&out, c->options.end);
  }
  return out;
}

static void check_read_back(const csv_call *c, text written, const fastio_bytes (*strings)[ROWS], size_t columns) {
  fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
  fastio_column_rule rule = {NULL, 0, FASTIO_EVERY_COLUMN, FASTIO_STRING, &c->options.null_text, 1, {0, 0}};
  fastio_source *source = NULL;
  fastio_table *table = NULL;
  fastio_error err;
  options.separator = c->options.separator;
  options.quote = c->options.quote;
  options.escape = c->options.escape;
  options.header = 0;
  options.rules = &rule;
  options.rule_count = 1;
  fastio_source_memory(written.data, written.size, NULL, &source, NULL);
  fastio_status status = fastio_read_csv(source, &options, &table, &err);
  if (!CHECK_STATUS(status, FASTIO_OK)) fprintf(stderr, "%s, record %d\n", err.message, (int)err.record);
  if (status == FASTIO_OK && CHECK_INT(table->rows, ROWS) && CHECK_INT(table->column_count, columns)) {
    for (size_t i = 0; i < columns; i++) {
      const fastio_column *column = table->columns[i];
      for (size_t r = 0; r < ROWS; r++) {
        bool missing = column->validity && !(column->validity[r / 8] >> r % 8 & 1);
        size_t size = (size_t)(column->offsets[r + 1] - column->offsets[r]);
        fastio_bytes due = strings[i][r];
        if (!CHECK(missing == !due.data)) return;
        if (missing) continue;
        if (!CHECK(size == due.size && memcmp((const char *)column->data + column->offsets[r], due.data, size) == 0))
          return;
      }
    }
  }
  fastio_table_free(table);
  fastio_source_close(source);
}

static void random_tables(void) {
  static fastio_bytes strings[4][ROWS];
  static const char *const separators[] = {",", ";", "\t", "<>"};
  static const char *const nulls[] = {"", "NA", "xx"};
  for (int round = 0; round < 40; round++) {
    maker m = {.count = 0};
    const size_t columns = 1 + draw() % 4;
    for (size_t i = 0; i < columns; i++) {
      for (size_t r = 0; r < ROWS; r++) {
        strings[i][r] = random_string();
        if (draw() % 10 == 0) strings[i][r] = (fastio_bytes){NULL, 0};
        if (columns == 1 && strings[i][r].size == 0) strings[i][r] = bytes_of("no blank records");
      }
      add_column(&m, "x", strings_of(strings[i], ROWS));
    }
    fastio_table *table = table_of(&m);
    csv_call c = call_of(table);
    c.options.header = 0;
    c.options.separator = bytes_of(separators[draw() % COUNT(separators)]);
    c.options.null_text = bytes_of(nulls[columns == 1 ? 1 : draw() % COUNT(nulls)]);
    c.options.quote = draw() % 2 ? '"' : '\'';
    c.options.escape = draw() % 3 ? FASTIO_NONE : '\\';
    c.options.quoting = (int)(draw() % 3);
    c.options.end = bytes_of(draw() % 2 ? "\n" : "\r\n");
    text due = naive(&c, (const fastio_bytes(*)[ROWS])strings, columns);
    check_both(&c, due.data, due.size, "a random table");
    check_read_back(&c, due, (const fastio_bytes(*)[ROWS])strings, columns);
    free(due.data);
    fastio_table_free(table);
  }
}

/* Numbers of every type read back as they were. */
static void numbers_read_back(void) {
  enum { MANY = 3000 };
  static double doubles[MANY];
  static int64_t integers[MANY];
  maker m = {.count = 0};
  for (size_t i = 0; i < MANY; i++) {
    uint64_t bits = draw();
    memcpy(&doubles[i], &bits, sizeof bits);
    if (i % 2 || !isfinite(doubles[i])) doubles[i] = (double)(int64_t)(bits % 2000000) / 1000;
    integers[i] = (int64_t)(draw() >> draw() % 64);
  }
  add_column(&m, "d", column_of(FASTIO_FLOAT64, doubles, sizeof doubles, MANY, NULL));
  add_column(&m, "i", column_of(FASTIO_INT64, integers, sizeof integers, MANY, NULL));
  fastio_table *table = table_of(&m), *back = NULL;
  fastio_writer *writer = NULL;
  fastio_source *source = NULL;
  fastio_bytes got;
  csv_call c = call_of(table);
  fastio_writer_memory(NULL, &writer, NULL);
  CHECK_STATUS(fastio_write_csv(writer, table, NULL, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_bytes(writer, &got, NULL), FASTIO_OK);
  check_both(&c, got.data, got.size, "numbers");
  fastio_source_memory(got.data, got.size, NULL, &source, NULL);
  CHECK_STATUS(fastio_read_csv(source, NULL, &back, NULL), FASTIO_OK);
  CHECK(back->rows == MANY && memcmp(back->columns[0]->data, doubles, sizeof doubles) == 0);
  CHECK(back->columns[1]->type == FASTIO_INT64 && memcmp(back->columns[1]->data, integers, sizeof integers) == 0);
  fastio_table_free(back);
  fastio_table_free(table);
  fastio_source_close(source);
  fastio_writer_discard(writer);
}

/* ---- what may fail ---- */

static fastio_table *mixed_table(uint64_t rows) {
  maker m = {.count = 0};
  int64_t integers[1000];
  double doubles[1000];
  fastio_bytes strings[1000];
  for (uint64_t i = 0; i < rows; i++) {
    integers[i] = (int64_t)(i * i);
    doubles[i] = (double)i / 7;
    strings[i] = random_string();
  }
  add_column(&m, "i", column_of(FASTIO_INT64, integers, rows * 8, rows, NULL));
  add_column(&m, "s", strings_of(strings, rows));
  add_column(&m, "d", column_of(FASTIO_FLOAT64, doubles, rows * 8, rows, NULL));
  return table_of(&m);
}

static void failures(void) {
  fastio_table *table = mixed_table(300);
  csv_call c = call_of(table);
  fastio_format format = FASTIO_FORMAT_INIT;
  for (int wide = 0; wide < 2; wide++) {
    fastio_writer *writer = NULL;
    fastio_bytes got;
    format.width = wide ? 50 : 0;
    c.options.formats = &format;
    c.options.format_count = 1;
    fastio_writer_memory(NULL, &writer, NULL);
    CHECK_STATUS(fastio_write_csv(writer, table, &c.options, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_writer_bytes(writer, &got, NULL), FASTIO_OK);
    check_full_buffers(call_csv, &c, got.data, got.size);
    check_devices(call_csv, &c, got.data, got.size);
    check_devices(call_stream, &c, got.data, got.size);
    check_polling(call_csv, &c, 300, got.data, got.size);
    check_polling(call_stream, &c, FASTIO_NO_OFFSET, got.data, got.size);
    check_memory(call_csv, &c, "fastio_write_csv");
    check_memory(call_stream, &c, "fastio_write_csv_stream");
    fastio_writer_discard(writer);
  }
  fastio_table_free(table);
}

/* Very many columns, of which strips hold few rows. */
static void wide_table(void) {
  enum { WIDE = 9000 };
  fastio_array array = {FASTIO_INT16, NULL, 3, WIDE, 0, 0, NULL};
  int16_t *data = malloc(3 * WIDE * sizeof *data);
  fastio_column *column = NULL;
  fastio_table *table = NULL;
  const fastio_column **columns = malloc(WIDE * sizeof *columns);
  fastio_bytes *names = malloc(WIDE * sizeof *names), due, got;
  fastio_array_options array_options = FASTIO_ARRAY_OPTIONS_INIT;
  fastio_writer *expected = NULL, *writer = NULL;
  for (size_t i = 0; i < 3 * WIDE; i++) data[i] = (int16_t)(i / WIDE); /* columns alike: 0, 1, 2 */
  array.data = data;
  array_options.separator = bytes_of(",");
  fastio_writer_memory(NULL, &expected, NULL);
  CHECK_STATUS(fastio_write_array(expected, &array, &array_options, NULL), FASTIO_OK);
  const int16_t three[] = {0, 1, 2};
  column = column_of(FASTIO_INT16, three, sizeof three, 3, NULL);
  for (size_t i = 0; i < WIDE; i++) {
    if (i > 0) fastio_column_retain(column);
    columns[i] = column;
    names[i] = bytes_of("");
  }
  fastio_table shape = {3, WIDE, columns, names, NULL, 0, 0, 0};
  CHECK_STATUS(fastio_table_new(&shape, NULL, &table, NULL), FASTIO_OK);
  csv_call c = call_of(table);
  c.options.header = 0;
  fastio_writer_bytes(expected, &due, NULL);
  for (unsigned threads = 1; threads <= 3; threads += 2) {
    fastio_writer_memory(NULL, &writer, NULL);
    CHECK_STATUS(call_csv(writer, &c, threads, 1000, NULL, NULL, NULL), FASTIO_OK);
    fastio_writer_bytes(writer, &got, NULL);
    same("wide", __LINE__, got, due.data, due.size);
    fastio_writer_discard(writer);
  }
  fastio_writer_discard(expected);
  fastio_table_free(table);
  free(columns);
  free(names);
  free(data);
}

int main(void) {
  all_types();
  dictionaries();
  matrix();
  shapes();
  minimal();
  policies();
  never();
  escapes();
  long_separators();
  blank_records();
  byte_order_marks();
  names();
  numbers_in_quotes();
  nulls_and_nans();
  formats();
  bad_values();
  bad_options();
  random_tables();
  numbers_read_back();
  failures();
  wide_table();
  return check_report();
}
