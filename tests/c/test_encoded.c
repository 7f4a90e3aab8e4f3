/* Readers over text in other encodings: places are those of the source before decoding, whatever the blocks, the
 * threads and the pieces that come in; and what cannot be had of such a source. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "check.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static unsigned random_state = 3;
static unsigned next_random(unsigned below) {
  random_state = random_state * 1664525u + 1013904223u;
  return (random_state >> 8) % below;
}

/* ---- sources ---- */

typedef struct piece_device {
  const char *data;
  size_t size, at, chunk, reads;
} piece_device;

static piece_device device_state;

static fastio_status read_piece(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  piece_device *d = ctx;
  size_t left = d->size - d->at;
  (void)err;
  if (size > d->chunk) size = d->chunk;
  *got = size < left ? size : left;
  memcpy(data, d->data + d->at, *got);
  d->at += *got;
  d->reads++;
  return FASTIO_OK;
}

/* Text to UTF-16LE with a BOM; "^" is a lone surrogate. Each byte of the text is a character. */
static size_t to_utf16(const char *text, char *out) {
  size_t size = 0;
  out[size++] = '\xFF', out[size++] = '\xFE';
  for (; *text; text++) {
    out[size++] = *text == '^' ? '\x00' : *text;
    out[size++] = *text == '^' ? '\xD8' : '\x00';
  }
  return size;
}

static fastio_source *open_bytes(const char *data, size_t size, const char *encoding, int errors) {
  fastio_device device = {&device_state, read_piece, NULL};
  fastio_decode_options options = FASTIO_DECODE_OPTIONS_INIT;
  fastio_source *source = NULL;
  device_state = (piece_device){data, size, 0, 1 + next_random(next_random(2) ? 8 : 5000), 0};
  if (next_random(2)) CHECK_STATUS(fastio_source_device(&device, NULL, &source, NULL), FASTIO_OK);
  else CHECK_STATUS(fastio_source_memory(data, size, NULL, &source, NULL), FASTIO_OK);
  options.encoding = encoding;
  options.errors = errors;
  if (strcmp(encoding, "auto") != 0 || errors || next_random(2))
    CHECK_STATUS(fastio_source_decode(source, &options, NULL), FASTIO_OK);
  return source;
}

static char bytes[1 << 16];

static fastio_source *open_text(const char *text, int errors) {
  return open_bytes(bytes, to_utf16(text, bytes), errors ? "utf-16" : "auto", errors);
}

static void vary(fastio_read_options *options) {
  options->threads = next_random(4);
  options->block_size = next_random(3) ? next_random(12) : 0;
}

/* ---- numbers and lines ---- */

static void check_ints(const char *text, int errors, fastio_status status, uint64_t character, uint64_t line,
                       uint64_t column) {
  for (unsigned round = 0; round < 60; round++) {
    fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
    fastio_column *values = NULL;
    fastio_reader *reader = NULL;
    fastio_error err;
    int64_t value;
    vary(&options);
    fastio_source *source = open_text(text, errors);
    CHECK_STATUS(fastio_read_ints(source, &options, &values, &err), status);
    CHECK_ERROR(&err, status, 2 + 2 * character, line, column);
    fastio_source_close(source);
    source = open_text(text, errors);
    CHECK_STATUS(fastio_reader_open(source, &options, &reader, &err), FASTIO_OK);
    while (fastio_next_i64(reader, &value, &err) == FASTIO_OK) continue;
    CHECK_ERROR(&err, status, 2 + 2 * character, line, column);
    fastio_reader_close(reader);
    fastio_source_close(source);
  }
}

static void numbers(void) {
  check_ints("1 2 3\n44 x 5\n", 0, FASTIO_BAD_TOKEN, 9, 2, 4);
  check_ints("x", 0, FASTIO_BAD_TOKEN, 0, 1, 1);
  check_ints("1\n^\n", FASTIO_ERRORS_REPLACE, FASTIO_BAD_TOKEN, 2, 2, 1);
  check_ints("1\n2^3\n", FASTIO_ERRORS_REPLACE, FASTIO_BAD_TOKEN, 2, 2, 1);
  /* What was left out still took its place; directly before a token, it is taken for its start. */
  check_ints("1^1 ^2^ x\n", FASTIO_ERRORS_SKIP, FASTIO_BAD_TOKEN, 8, 1, 6);
  check_ints("1^1 2^ ^^^x\n", FASTIO_ERRORS_SKIP, FASTIO_BAD_TOKEN, 7, 1, 6);
  /* A bad number before what can't be decoded, and after it. */
  check_ints("1 x ^\n", 0, FASTIO_BAD_TOKEN, 2, 1, 3);
}

/* The first of several bad places, behind megabytes of good ones. */
static void far_places(void) {
  enum { SIZE = 3 << 20 };
  char *data = malloc(2 * SIZE + 2);
  size_t size = 2;
  memcpy(data, "\xFF\xFE", 2);
  for (size_t i = 0; i < SIZE; i++) { /* lines of 9 bytes: "12345678\n" */
    data[size++] = i % 9 == 8 ? '\n' : (char)('1' + i % 9);
    data[size++] = '\0';
  }
  data[2 + 2 * 2500002] = 'x'; /* 2500002 = 9 * 277778 */
  data[2 + 2 * 2600001] = 'y';
  for (unsigned threads = 0; threads < 4; threads++) {
    fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
    fastio_column *column = NULL;
    fastio_error err;
    options.threads = threads;
    fastio_source *source = open_bytes(data, size, "auto", 0);
    device_state.chunk = 100000;
    CHECK_STATUS(fastio_read_ints(source, &options, &column, &err), FASTIO_BAD_TOKEN);
    CHECK_ERROR(&err, FASTIO_BAD_TOKEN, 2 + 2 * 2500002, 277779, 1);
    fastio_source_close(source);
  }
  free(data);
}

static void lines(void) {
  static const struct {
    const char *bytes;
    size_t size;
    const char *encoding, *due;
  } cases[] = {
      {"caf\xE9\nb", 6, "latin-1", "caf\xC3\xA9|b"},
      {"\x80\r\n", 3, "windows-1252", "\xE2\x82\xAC"},
      {"\xFE\xFF\0a\0\n\xD8\x3D\xDE\x00", 10, "auto", "a|\xF0\x9F\x98\x80"},
      {"a\0\0\0\n\0\0\0", 8, "utf-32le", "a"},
      {"\x81\x30\x81\x30\n", 5, "gb18030", "\xC2\x80"},
  };
  for (size_t i = 0; i < COUNT(cases); i++)
    for (unsigned round = 0; round < 30; round++) {
      char out[64] = "";
      fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
      fastio_column *column = NULL;
      fastio_error err;
      uint64_t count;
      vary(&options);
      fastio_source *source = open_bytes(cases[i].bytes, cases[i].size, cases[i].encoding, 0);
      if (CHECK_STATUS(fastio_read_lines(source, &options, &column, &err), FASTIO_OK))
        for (uint64_t k = 0; k < column->length; k++)
          sprintf(out + strlen(out), "%s%.*s", k ? "|" : "", (int)(column->offsets[k + 1] - column->offsets[k]),
                  (const char *)column->data + column->offsets[k]);
      check_that(strcmp(out, cases[i].due) == 0, __FILE__, __LINE__, "%s: %s", cases[i].encoding, out);
      fastio_source_close(source);
      source = open_bytes(cases[i].bytes, cases[i].size, cases[i].encoding, 0);
      CHECK_STATUS(fastio_count_lines(source, &options, &count, &err), FASTIO_OK);
      CHECK_INT(count, column ? column->length : 99);
      fastio_column_free(column);
      fastio_source_close(source);
    }
}

static void places_of_the_reader(void) {
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  for (unsigned round = 0; round < 100; round++) {
    fastio_reader *reader = NULL;
    fastio_error err;
    const char *data;
    size_t size;
    options.block_size = next_random(9);
    fastio_source *source = open_text("ab c\n^d\n\nef", FASTIO_ERRORS_REPLACE);
    CHECK_STATUS(fastio_reader_open(source, &options, &reader, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_next_token(reader, &data, &size, &err), FASTIO_OK);
    CHECK_INT(fastio_reader_offset(reader), 2 + 2 * 2);
    CHECK_STATUS(fastio_expect(reader, "x", 1, &err), FASTIO_MISMATCH);
    CHECK_ERROR(&err, FASTIO_MISMATCH, 2 + 2 * 3, 1, 4);
    CHECK_STATUS(fastio_next_line(reader, &data, &size, &err), FASTIO_OK);
    CHECK_BYTES(data, size, " c");
    CHECK_INT(fastio_reader_offset(reader), 2 + 2 * 5);
    CHECK_STATUS(fastio_next_line(reader, &data, &size, &err), FASTIO_OK);
    CHECK_BYTES(data, size,
                "\xEF\xBF\xBD"
                "d");
    CHECK_INT(fastio_reader_offset(reader), 2 + 2 * 8);
    CHECK_STATUS(fastio_next_line(reader, &data, &size, &err), FASTIO_OK);
    CHECK_INT(fastio_reader_line(reader), 4);
    CHECK_STATUS(fastio_next_line(reader, &data, &size, &err), FASTIO_OK);
    CHECK_INT(fastio_reader_offset(reader), 2 + 2 * 11);
    CHECK_STATUS(fastio_next_line(reader, &data, &size, &err), FASTIO_END);
    fastio_reader_close(reader);
    fastio_source_close(source);
  }
}

/* What can't be decoded is told where it is, after all lines before it. */
static void what_is_not_valid(void) {
  for (unsigned round = 0; round < 60; round++) {
    fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
    fastio_column *column = NULL;
    fastio_reader *reader = NULL;
    fastio_error err;
    const char *data;
    size_t size;
    vary(&options);
    fastio_source *source = open_text("ab\ncd\ne^f\n", 0);
    CHECK_STATUS(fastio_read_lines(source, &options, &column, &err), FASTIO_BAD_ENCODING);
    CHECK_ERROR(&err, FASTIO_BAD_ENCODING, 2 + 2 * 7, 3, 2);
    fastio_source_close(source);
    source = open_text("ab\ncd\ne^f\n", 0);
    CHECK_STATUS(fastio_reader_open(source, &options, &reader, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_next_line(reader, &data, &size, &err), FASTIO_OK);
    CHECK_STATUS(fastio_next_line(reader, &data, &size, &err), FASTIO_OK);
    CHECK_BYTES(data, size, "cd");
    CHECK_STATUS(fastio_next_line(reader, &data, &size, &err), FASTIO_BAD_ENCODING);
    CHECK_ERROR(&err, FASTIO_BAD_ENCODING, 2 + 2 * 7, 3, 2);
    fastio_reader_close(reader);
    fastio_source_close(source);
  }
}

static void bytes_as_they_are(void) {
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  fastio_column *column = NULL;
  fastio_source *source = open_bytes("\xFF\xFE"
                                     "a\0",
                                     4, "auto", 0);
  fastio_source_close(source);
  CHECK_STATUS(fastio_source_memory("\xFF\xFE"
                                    "a\0",
                                    4, NULL, &source, NULL),
               FASTIO_OK);
  CHECK_STATUS(fastio_read_all(source, NULL, &column, NULL), FASTIO_OK);
  CHECK_BYTES(column->data, column->data_size,
              "\xFF\xFE"
              "a\0");
  fastio_column_free(column);
  fastio_source_close(source);
  CHECK_STATUS(fastio_source_memory("\xFF\xFE"
                                    "a\0",
                                    4, NULL, &source, NULL),
               FASTIO_OK);
  options.line_type = FASTIO_BINARY;
  CHECK_STATUS(fastio_read_lines(source, &options, &column, NULL), FASTIO_OK);
  CHECK_BYTES(column->data, column->data_size,
              "\xFF\xFE"
              "a\0");
  fastio_column_free(column);
  fastio_source_close(source);
  source = open_bytes("\xFF\xFE"
                      "a\0",
                      4, "utf-16", 0);
  CHECK_STATUS(fastio_read_all(source, NULL, &column, NULL), FASTIO_OK);
  CHECK_BYTES(column->data, column->data_size, "a");
  fastio_column_free(column);
  fastio_source_close(source);
}

/* ---- tables ---- */

typedef struct table_case {
  const char *text;
  int errors;
  fastio_status status;
  uint64_t character, line, column;
} table_case;

static void bad_tables(void) {
  static const table_case cases[] = {
      {"a,b\n1,2\n3,x\n", 0, FASTIO_BAD_TOKEN, 10, 3, 3},
      {"a,b\n^,2\n3,x\n", FASTIO_ERRORS_REPLACE, FASTIO_BAD_TOKEN, 4, 2, 1},
      {"a,^b\n1,2\n3,x\n", FASTIO_ERRORS_REPLACE, FASTIO_BAD_TOKEN, 11, 3, 3},
      {"a,^b\n1,2^\n3,x\n", FASTIO_ERRORS_SKIP, FASTIO_BAD_TOKEN, 12, 3, 3},
      {"a,b\n1,2\n3\n", 0, FASTIO_RAGGED, 8, 3, 1},
      {"a,a\n1,2\n", 0, FASTIO_BAD_HEADER, 2, 1, 3},
      {"^,^\n1,2\n", FASTIO_ERRORS_REPLACE, FASTIO_BAD_HEADER, 2, 1, 5},
      {"a,\"b\n", 0, FASTIO_BAD_QUOTE, 2, 1, 3},
      {"a,b\n1,\"2\n", 0, FASTIO_BAD_QUOTE, 6, 2, 3},
      {"a,b\n1,x\n^,2\n", 0, FASTIO_BAD_TOKEN, 6, 2, 3},
      {"a,b\n1,2\n^,2\n", 0, FASTIO_BAD_ENCODING, 8, 3, 1},
  };
  fastio_column_rule rule = {NULL, 0, FASTIO_EVERY_COLUMN, FASTIO_INT64, NULL, 0, {0}};
  for (size_t i = 0; i < COUNT(cases); i++)
    for (unsigned round = 0; round < 40; round++) {
      fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
      fastio_table *table = NULL;
      fastio_error err;
      options.rules = &rule;
      options.rule_count = 1;
      options.threads = next_random(4);
      options.block_size = next_random(3) ? next_random(12) : 0;
      fastio_source *source = open_text(cases[i].text, cases[i].errors);
      CHECK_STATUS(fastio_read_csv(source, &options, &table, &err), cases[i].status);
      CHECK_ERROR(&err, cases[i].status, 2 + 2 * cases[i].character, cases[i].line, cases[i].column);
      fastio_source_close(source);
    }
}

/* A column that is read again from the text that was kept. */
static void places_in_kept_text(void) {
  fastio_column_rule rule = {"b", 0, 0, FASTIO_STRING, NULL, 0, {0}};
  for (unsigned round = 0; round < 60; round++) {
    fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
    fastio_table *table = NULL;
    fastio_error err;
    options.rules = &rule;
    options.rule_count = 1;
    options.threads = 1 + next_random(3);
    options.block_size = next_random(12);
    options.on_ragged = FASTIO_RAGGED_SKIP;
    fastio_source *source = open_text("^a,b\n1,^\n2\n2.5,x\nx,y\n1,2,3\n", FASTIO_ERRORS_REPLACE);
    if (CHECK_STATUS(fastio_read_csv(source, &options, &table, &err), FASTIO_OK)) {
      CHECK_INT(table->columns[0]->type, FASTIO_STRING);
      CHECK_BYTES(table->columns[0]->data, table->columns[0]->data_size, "12.5x");
      CHECK_INT(table->start, 2 + 2 * 5);
      CHECK_INT(table->end, 2 + 2 * 27);
      CHECK_INT(table->report->place_count, 2);
      CHECK_INT(table->report->places[0].offset, 2 + 2 * 9);
      CHECK_INT(table->report->places[0].line, 3);
      CHECK_INT(table->report->places[1].offset, 2 + 2 * 21);
      CHECK_INT(table->report->places[1].line, 6);
    }
    fastio_table_free(table);
    fastio_source_close(source);
  }
}

static void batches(void) {
  static const uint64_t bounds[] = {4, 8, 12, 17, 21};
  for (unsigned round = 0; round < 60; round++) {
    fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
    fastio_csv *csv = NULL;
    fastio_table *table = NULL;
    fastio_column *ranges = NULL;
    fastio_error err;
    uint64_t count;
    options.batch_rows = 1;
    options.threads = next_random(4);
    options.block_size = next_random(12);
    fastio_source *source = open_text("a,b\n1,2\n^,x\n10,y\n1,z\n", FASTIO_ERRORS_REPLACE);
    if (!CHECK_STATUS(fastio_csv_open(source, &options, &csv, &err), FASTIO_OK)) {
      fastio_source_close(source);
      continue;
    }
    for (size_t i = 0; i < 4; i++) {
      fastio_status status = fastio_csv_next(csv, &table, &err);
      if (i == 1) { /* not what the first batch has made of the column: and the rest is lost */
        CHECK_STATUS(status, FASTIO_BAD_TOKEN);
        CHECK_ERROR(&err, FASTIO_BAD_TOKEN, 2 + 2 * 8, 3, 1);
        break;
      }
      if (!CHECK_STATUS(status, FASTIO_OK)) break;
      CHECK_INT(table->start, 2 + 2 * bounds[i]);
      CHECK_INT(table->end, 2 + 2 * bounds[i + 1]);
      fastio_table_free(table);
    }
    fastio_csv_close(csv);
    fastio_source_close(source);
    options.infer_rows = 0;
    source = open_text("a,b\n1,2\n^,x\n10,y\n1,z\n", FASTIO_ERRORS_REPLACE);
    if (!CHECK_STATUS(fastio_csv_open(source, &options, &csv, &err), FASTIO_OK)) {
      fastio_source_close(source);
      continue;
    }
    if (round == 0) CHECK_STATUS(fastio_csv_count(csv, &count, &err), FASTIO_UNSUPPORTED);
    for (size_t i = 0; i < 4; i++) {
      if (!CHECK_STATUS(fastio_csv_next(csv, &table, &err), FASTIO_OK)) break;
      CHECK_INT(table->start, 2 + 2 * bounds[i]);
      CHECK_INT(table->end, 2 + 2 * bounds[i + 1]);
      fastio_table_free(table);
    }
    CHECK_STATUS(fastio_csv_next(csv, &table, &err), FASTIO_END);
    fastio_csv_close(csv);
    fastio_source_close(source);
    source = open_text("a,b\n1,2\n", 0);
    CHECK_STATUS(fastio_partition(source, NULL, 2, 0, &ranges, &err), FASTIO_UNSUPPORTED);
    fastio_source_close(source);
  }
}

static void proposals(void) {
  fastio_csv_options found;
  fastio_table *sample = NULL;
  fastio_error err;
  fastio_source *source = open_text("a;b\n1;2\n3;4\n", 0);
  if (CHECK_STATUS(fastio_sniff(source, NULL, &found, &sample, &err), FASTIO_OK)) {
    CHECK(found.separator.size == 1 && *(const char *)found.separator.data == ';');
    CHECK_INT(sample->rows, 2);
    fastio_table_free(sample);
    CHECK_STATUS(fastio_read_csv(source, &found, &sample, &err), FASTIO_OK);
    CHECK_INT(sample->rows, 2);
  }
  fastio_table_free(sample);
  fastio_source_close(source);
}

/* Offsets of the text are not those of the source: there are no ranges. */
static void ranges(void) {
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  fastio_csv_options csv = FASTIO_CSV_OPTIONS_INIT;
  fastio_column *column = NULL;
  fastio_table *table = NULL;
  fastio_reader *reader = NULL;
  fastio_error err;
  int64_t value;
  options.offset = csv.offset = 2;
  fastio_source *source = open_text("1 2 3", 0);
  CHECK_STATUS(fastio_read_ints(source, &options, &column, &err), FASTIO_UNSUPPORTED);
  CHECK_STATUS(fastio_read_csv(source, &csv, &table, &err), FASTIO_UNSUPPORTED);
  CHECK_STATUS(fastio_read_all(source, &options, &column, &err), FASTIO_UNSUPPORTED);
  options.offset = 0;
  options.length = 2;
  CHECK_STATUS(fastio_read_lines(source, &options, &column, &err), FASTIO_UNSUPPORTED);
  CHECK_STATUS(fastio_reader_open(source, &options, &reader, &err), FASTIO_OK);
  CHECK_STATUS(fastio_next_i64(reader, &value, &err), FASTIO_UNSUPPORTED);
  fastio_reader_close(reader);
  fastio_source_close(source);
}

int main(void) {
  numbers();
  far_places();
  lines();
  places_of_the_reader();
  what_is_not_valid();
  bytes_as_they_are();
  bad_tables();
  places_in_kept_text();
  batches();
  proposals();
  ranges();
  return check_report();
}
