/* The last item of a source that may grow: given, held back or refused, by every reader; and what is read before a
 * source fails. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "check.h"

#include <errno.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static unsigned random_state = 7;
static unsigned next_random(unsigned below) {
  random_state = random_state * 1664525u + 1013904223u;
  return (random_state >> 8) % below;
}

/* ---- a device that gives what there is so far, and may fail at its end ---- */

typedef struct growing {
  const char *data;
  size_t size, at, chunk;
  bool fails;
} growing;

static fastio_status read_growing(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  growing *d = ctx;
  size_t left = d->size - d->at;
  if (left == 0 && d->fails) {
    if (err) err->message = "as asked for";
    return FASTIO_CALLBACK_FAILED;
  }
  if (size > d->chunk) size = d->chunk;
  *got = size < left ? size : left;
  memcpy(data, d->data + d->at, *got);
  d->at += *got;
  return FASTIO_OK;
}

enum { MEMORY, DEVICE, FILE_, KINDS };
static char path[] = "/tmp/fastio-test-partial-XXXXXX";
static growing device_state;

static void fill_file(const char *text, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(text, 1, size, file) != size || fclose(file) != 0) abort();
}

static void append_file(const char *text, size_t size) {
  FILE *file = fopen(path, "ab");
  if (!file || fwrite(text, 1, size, file) != size || fclose(file) != 0) abort();
}

static fastio_source *open_text(int kind, const char *text, size_t size, size_t chunk, bool fails) {
  fastio_device device = {&device_state, read_growing, NULL};
  fastio_source *source = NULL;
  device_state = (growing){text, size, 0, chunk, fails};
  if (kind == FILE_) fill_file(text, size);
  CHECK_STATUS(kind == MEMORY   ? fastio_source_memory(text, size, NULL, &source, NULL)
               : kind == DEVICE ? fastio_source_device(&device, NULL, &source, NULL)
                                : fastio_source_open(path, NULL, &source, NULL),
               FASTIO_OK);
  return source;
}

/* ---- whole sources ---- */

typedef struct sample {
  const char *text;
  int separator, comment, newline;
  const char *held; /* the values without a last one that is cut short */
  int64_t cut;      /* where that one begins; -1: there is none */
  const char *all;  /* with it; NULL: an error */
} sample;

static const sample number_samples[] = {
    {"", FASTIO_WHITESPACE, FASTIO_NONE, 0, "", -1, ""},
    {"1", FASTIO_WHITESPACE, FASTIO_NONE, 0, "", 0, "1"},
    {"1 22 ", FASTIO_WHITESPACE, FASTIO_NONE, 0, "1 22", -1, "1 22"},
    {"1 22", FASTIO_WHITESPACE, FASTIO_NONE, 0, "1", 2, "1 22"},
    {"1\n22\n   ", FASTIO_WHITESPACE, FASTIO_NONE, 0, "1 22", -1, "1 22"},
    {"1 2 # no", FASTIO_WHITESPACE, '#', 0, "1 2", -1, "1 2"},
    {"1 2 # no\n3", FASTIO_WHITESPACE, '#', 0, "1 2", 9, "1 2 3"},
    {"1 2#", FASTIO_WHITESPACE, '#', 0, "1 2", -1, "1 2"},
    {"1,2\n3", ',', FASTIO_NONE, 0, "1 2", 4, "1 2 3"},
    {"1,2\n3,", ',', FASTIO_NONE, 0, "1 2 3", 6, NULL},
    {"1,2\n3, ", ',', FASTIO_NONE, 0, "1 2 3", 7, NULL},
    {"1,2\n3\n", ',', FASTIO_NONE, 0, "1 2 3", -1, "1 2 3"},
    {"1,2\n  ", ',', FASTIO_NONE, 0, "1 2", -1, "1 2"},
    {"1,2\n  3", ',', FASTIO_NONE, 0, "1 2", 6, "1 2 3"},
    {"1,2 # x\n# y", ',', '#', 0, "1 2", -1, "1 2"},
    {"1,2 # x", ',', '#', 0, "1", 2, "1 2"},
    {"1\n2", '\n', FASTIO_NONE, 0, "1", 2, "1 2"},
};

static const sample line_samples[] = {
    {"", 0, 0, FASTIO_NEWLINE_LF, "", -1, ""},
    {"a", 0, 0, FASTIO_NEWLINE_LF, "", 0, "a"},
    {"a\nbc", 0, 0, FASTIO_NEWLINE_LF, "a", 2, "a bc"},
    {"a\n\nbc\n", 0, 0, FASTIO_NEWLINE_LF, "a  bc", -1, "a  bc"},
    {"a\r\nb\r", 0, 0, FASTIO_NEWLINE_ANY, "a b", -1, "a b"},
    {"a\rb\nc", 0, 0, FASTIO_NEWLINE_ANY, "a b", 4, "a b c"},
    {"a;b", 0, 0, ';', "a", 2, "a b"},
    {"a;b\n;", 0, 0, ';', "a b\n", -1, "a b\n"},
};

static void check_same(const char *got, const char *due, const char *what, const sample *s, int partial) {
  check_that(strcmp(got, due) == 0, __FILE__, __LINE__, "%s of \"%s\", partial %d: \"%s\", not \"%s\"", what, s->text,
             partial, got, due);
}

static void check_cut(const fastio_error *err, const sample *s, const char *what) {
  check_that(err->status == FASTIO_TRUNCATED && err->offset == (uint64_t)s->cut, __FILE__, __LINE__,
             "%s of \"%s\": %s at %" PRId64 ", not truncated at %" PRId64, what, s->text,
             fastio_status_name(err->status), (int64_t)err->offset, s->cut);
}

static void put_number(char *out, int64_t value) { sprintf(out + strlen(out), "%s%" PRId64, *out ? " " : "", value); }

/* A line more in a list of lines, which may be empty. */
static void put_line(char *out, const void *data, size_t size, bool first) {
  sprintf(out + strlen(out), "%s%.*s", first ? "" : " ", (int)size, (const char *)data);
}

static void whole_numbers(const sample *s, int kind, const fastio_read_options *options, char *out, fastio_error *err) {
  fastio_source *source = open_text(kind, s->text, strlen(s->text), 1 + next_random(4), false);
  fastio_column *column = NULL;
  if (fastio_read_ints(source, options, &column, err) == FASTIO_OK)
    for (uint64_t i = 0; i < column->length; i++) put_number(out, ((const int64_t *)column->data)[i]);
  fastio_column_free(column);
  fastio_source_close(source);
}

static void whole_lines(const sample *s, int kind, const fastio_read_options *options, char *out, fastio_error *err) {
  fastio_source *source = open_text(kind, s->text, strlen(s->text), 1 + next_random(4), false);
  fastio_column *column = NULL;
  if (fastio_read_lines(source, options, &column, err) == FASTIO_OK)
    for (uint64_t i = 0; i < column->length; i++)
      put_line(out, (const char *)column->data + column->offsets[i],
               (size_t)(column->offsets[i + 1] - column->offsets[i]), i == 0);
  fastio_column_free(column);
  fastio_source_close(source);
}

static void pulled_numbers(const sample *s, int kind, const fastio_read_options *options, char *out,
                           fastio_error *err) {
  fastio_source *source = open_text(kind, s->text, strlen(s->text), 1 + next_random(4), false);
  fastio_reader *reader = NULL;
  bool many = next_random(2);
  CHECK_STATUS(fastio_reader_open(source, options, &reader, err), FASTIO_OK);
  for (;;) {
    int64_t values[4];
    size_t count = 1;
    fastio_status status = many ? fastio_next_i64s(reader, values, 4, &count, err)
                                : fastio_next_i64(reader, values, err);
    if (status != FASTIO_OK) break;
    for (size_t i = 0; i < count; i++) put_number(out, values[i]);
  }
  if (err->status == FASTIO_END) err->status = FASTIO_OK;
  fastio_reader_close(reader);
  fastio_source_close(source);
}

static void pulled_lines(const sample *s, int kind, const fastio_read_options *options, char *out, fastio_error *err) {
  fastio_source *source = open_text(kind, s->text, strlen(s->text), 1 + next_random(4), false);
  fastio_reader *reader = NULL;
  bool many = next_random(2), first = true;
  CHECK_STATUS(fastio_reader_open(source, options, &reader, err), FASTIO_OK);
  for (;;) {
    fastio_bytes lines[4];
    size_t count = 1;
    fastio_status status = many ? fastio_next_lines(reader, lines, 4, &count, err)
                                : fastio_next_line(reader, (const char **)(uintptr_t)&lines[0].data, &lines[0].size,
                                                   err);
    if (status != FASTIO_OK) break;
    for (size_t i = 0; i < count; i++, first = false) put_line(out, lines[i].data, lines[i].size, first);
  }
  if (err->status == FASTIO_END) err->status = FASTIO_OK;
  fastio_reader_close(reader);
  fastio_source_close(source);
}

typedef void read_sample(const sample *s, int kind, const fastio_read_options *options, char *out, fastio_error *err);

static void check_sample(read_sample *read, const char *what, const sample *s, fastio_read_options *options) {
  static const size_t blocks[] = {0, 1, 2, 3, 7};
  for (int kind = 0; kind < KINDS; kind++)
    for (unsigned n = 0; n < 3 * COUNT(blocks); n++)
      for (int partial = 0; partial < 3; partial++) {
        char out[256] = "";
        fastio_error err;
        fastio_error_init(&err);
        options->block_size = blocks[n % COUNT(blocks)];
        options->threads = 1 + n / COUNT(blocks);
        options->partial = partial;
        read(s, kind, options, out, &err);
        if (partial == FASTIO_PARTIAL_ERROR && s->cut >= 0) check_cut(&err, s, what);
        else if (partial == FASTIO_PARTIAL_HOLD || s->all)
          check_same(out, partial == FASTIO_PARTIAL_HOLD ? s->held : s->all, what, s, partial);
        else CHECK_STATUS(err.status, FASTIO_EMPTY_FIELD);
      }
}

static size_t count_of(const char *lines, const sample *s) {
  size_t count = *s->text != '\0' && (lines != s->held || s->cut != 0);
  for (; *lines; lines++) count += *lines == ' ';
  return count;
}

static void counted_lines(const sample *s, fastio_read_options *options) {
  for (int kind = 0; kind < KINDS; kind++)
    for (int partial = 0; partial < 3; partial++)
      for (uint64_t most = 0; most < 5; most++) {
        uint64_t count = 99, due = count_of(partial == FASTIO_PARTIAL_HOLD ? s->held : s->all, s);
        fastio_error err;
        fastio_source *source = open_text(kind, s->text, strlen(s->text), 2, false);
        options->partial = partial;
        options->max_items = most == 4 ? FASTIO_NO_OFFSET : most;
        options->block_size = 1 + next_random(5);
        options->threads = 1 + next_random(2);
        fastio_status status = fastio_count_lines(source, options, &count, &err);
        if (partial == FASTIO_PARTIAL_ERROR && s->cut >= 0 && options->max_items >= due) check_cut(&err, s, "count");
        else
          check_that(status == FASTIO_OK && count == (due < options->max_items ? due : options->max_items), __FILE__,
                     __LINE__, "%" PRIu64 " lines in \"%s\", partial %d, at most %" PRIu64 ", not %" PRIu64, count,
                     s->text, partial, options->max_items, due);
        fastio_source_close(source);
      }
  options->max_items = FASTIO_NO_OFFSET;
}

static void all_samples(void) {
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  for (size_t i = 0; i < COUNT(number_samples); i++) {
    options.separator = number_samples[i].separator;
    options.comment = number_samples[i].comment;
    check_sample(whole_numbers, "read_ints", &number_samples[i], &options);
    check_sample(pulled_numbers, "next_i64", &number_samples[i], &options);
  }
  fastio_read_options_init(&options);
  for (size_t i = 0; i < COUNT(line_samples); i++) {
    options.newline = line_samples[i].newline;
    check_sample(whole_lines, "read_lines", &line_samples[i], &options);
    check_sample(pulled_lines, "next_line", &line_samples[i], &options);
    counted_lines(&line_samples[i], &options);
  }
  options.partial = 3;
  fastio_source *source = open_text(MEMORY, "", 0, 1, false);
  fastio_column *column = NULL;
  CHECK_STATUS(fastio_read_ints(source, &options, &column, NULL), FASTIO_INVALID_ARGUMENT);
  fastio_source_close(source);
}

/* What came before the cut is judged first; what is not asked for, not at all. */
static void order_of_errors(void) {
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  fastio_column *column = NULL;
  fastio_error err;
  options.partial = FASTIO_PARTIAL_ERROR;
  for (int kind = 0; kind < KINDS; kind++)
    for (unsigned threads = 1; threads < 4; threads++) {
      fastio_source *source = open_text(kind, "1 x 2", 5, 1, false);
      options.threads = threads;
      options.block_size = 1;
      CHECK_STATUS(fastio_read_ints(source, &options, &column, &err), FASTIO_BAD_TOKEN);
      fastio_source_close(source);
      source = open_text(kind, "a\n\xff\nb", 5, 1, false);
      CHECK_STATUS(fastio_read_lines(source, &options, &column, &err), FASTIO_BAD_ENCODING);
      fastio_source_close(source);
      options.max_items = 2;
      source = open_text(kind, "1 2 3", 5, 1, false);
      CHECK_STATUS(fastio_read_ints(source, &options, &column, &err), FASTIO_OK);
      fastio_column_free(column);
      fastio_source_close(source);
      source = open_text(kind, "a\nb\nc", 5, 1, false);
      CHECK_STATUS(fastio_read_lines(source, &options, &column, &err), FASTIO_OK);
      fastio_column_free(column);
      fastio_source_close(source);
      options.max_items = FASTIO_NO_OFFSET;
    }
}

/* ---- sources that grow ---- */

/* Feeds the text in pieces; whatever the cuts are, the values in the end are those of the text. */
static void numbers_that_grow(void) {
  static const char text[] = "12 345\n6,7 -8\n\n9 ,10 # 11\n12\n";
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  options.partial = FASTIO_PARTIAL_HOLD;
  for (int turn = 0; turn < 2; turn++) {
    const char *whole = turn ? "1,22\n-3 , 4\n\n5 # 6\n77\n" : "12 345\n67 -8\n\n9 10 # 11\n12\n",
               *due = turn ? "1 22 -3 4 5 77" : "12 345 67 -8 9 10 12";
    (void)text;
    options.separator = turn ? ',' : FASTIO_WHITESPACE;
    options.comment = '#';
    for (unsigned round = 0; round < 400; round++) {
      bool is_file = round % 2;
      size_t size = strlen(whole), have = next_random((unsigned)size);
      char out[256] = "";
      fastio_error err;
      fastio_reader *reader = NULL;
      if (is_file && have == 0) have = 1; /* an empty one is a stream, which also grows: below */
      fastio_source *source = open_text(is_file ? FILE_ : DEVICE, whole, have, 1 + next_random(5), false);
      options.block_size = 1 + next_random(10);
      CHECK_STATUS(fastio_reader_open(source, &options, &reader, NULL), FASTIO_OK);
      for (;;) {
        int64_t values[3];
        size_t count = 1, more = 1 + next_random(4);
        fastio_status status = round % 3 ? fastio_next_i64(reader, values, &err)
                                         : fastio_next_i64s(reader, values, 3, &count, &err);
        if (status == FASTIO_OK)
          for (size_t i = 0; i < count; i++) put_number(out, values[i]);
        else if (!CHECK_STATUS(status, FASTIO_END) || have == size) break;
        else {
          if (more > size - have) more = size - have;
          if (is_file) append_file(whole + have, more);
          have = device_state.size = have + more;
        }
      }
      check_that(strcmp(out, due) == 0, __FILE__, __LINE__, "\"%s\", not \"%s\"", out, due);
      fastio_reader_close(reader);
      fastio_source_close(source);
    }
  }
}

static void lines_that_grow(void) {
  static const char text[] = "\xEF\xBB\xBFskipped\nab\r\nc\r\n\r\nd\rlonger line\n";
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  options.partial = FASTIO_PARTIAL_HOLD;
  options.skip_lines = 1;
  for (unsigned round = 0; round < 600; round++) {
    bool is_file = round % 2, any = round % 3 == 0, first = true;
    size_t size = sizeof text - 1, have = next_random((unsigned)size);
    char out[256] = "";
    fastio_error err;
    fastio_reader *reader = NULL;
    fastio_source *source = open_text(is_file ? FILE_ : DEVICE, text, have, 1 + next_random(5), false);
    options.newline = any ? FASTIO_NEWLINE_ANY : FASTIO_NEWLINE_LF;
    options.block_size = 1 + next_random(10);
    CHECK_STATUS(fastio_reader_open(source, &options, &reader, NULL), FASTIO_OK);
    for (;;) {
      fastio_bytes lines[2];
      size_t count = 0, more = 1 + next_random(4);
      fastio_status status = fastio_next_lines(reader, lines, 1 + round % 2, &count, &err);
      for (size_t i = 0; i < count; i++, first = false) {
        if (!first) strcat(out, "|");
        strncat(out, lines[i].data, lines[i].size);
      }
      if (status == FASTIO_OK) continue;
      if (!CHECK_STATUS(status, FASTIO_END) || have == size) break;
      if (more > size - have) more = size - have;
      if (is_file) append_file(text + have, more);
      have = device_state.size = have + more;
    }
    const char *due = any ? "ab|c||d|longer line" : "ab|c||d\rlonger line";
    check_that(strcmp(out, due) == 0, __FILE__, __LINE__, "round %u: \"%s\", not \"%s\"", round, out, due);
    CHECK_INT(fastio_reader_offset(reader), size);
    CHECK_INT(fastio_reader_line(reader), 6);
    fastio_reader_close(reader);
    fastio_source_close(source);
  }
}

/* What was given stays given: the rest of it is an item of its own. Streams are not asked again. */
static void files_that_grow_are_read_on(void) {
  fastio_reader *reader = NULL;
  int64_t value;
  fastio_error err;
  fastio_source *source = open_text(FILE_, "1\n2", 3, 1, false);
  CHECK_STATUS(fastio_reader_open(source, NULL, &reader, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_next_i64(reader, &value, &err), FASTIO_OK);
  CHECK_STATUS(fastio_next_i64(reader, &value, &err), FASTIO_OK);
  CHECK_INT(value, 2);
  CHECK_STATUS(fastio_next_i64(reader, &value, &err), FASTIO_END);
  append_file("\n3\n", 3);
  CHECK_STATUS(fastio_next_i64(reader, &value, &err), FASTIO_OK);
  CHECK_INT(value, 3);
  CHECK_STATUS(fastio_next_i64(reader, &value, &err), FASTIO_END);
  fastio_reader_close(reader);
  fastio_source_close(source);
  source = open_text(DEVICE, "1\n2\n", 3, 1, false);
  CHECK_STATUS(fastio_reader_open(source, NULL, &reader, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_next_i64(reader, &value, &err), FASTIO_OK);
  CHECK_STATUS(fastio_next_i64(reader, &value, &err), FASTIO_OK);
  CHECK_STATUS(fastio_next_i64(reader, &value, &err), FASTIO_END);
  device_state.size++;
  CHECK_STATUS(fastio_next_i64(reader, &value, &err), FASTIO_END);
  fastio_reader_close(reader);
  fastio_source_close(source);
}

/* With a bound on the items, a call does not end before it has to. */
static void expected_bytes(void) {
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  fastio_reader *reader = NULL;
  fastio_error err;
  fastio_source *source = open_text(DEVICE, "abc", 2, 1, false);
  options.partial = FASTIO_PARTIAL_HOLD;
  CHECK_STATUS(fastio_reader_open(source, &options, &reader, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_expect(reader, "abc", 3, &err), FASTIO_END);
  device_state.size = 3;
  CHECK_STATUS(fastio_expect(reader, "abd", 3, &err), FASTIO_MISMATCH);
  CHECK_STATUS(fastio_expect(reader, "abc", 3, &err), FASTIO_OK);
  fastio_reader_close(reader);
  fastio_source_close(source);
  options.partial = FASTIO_PARTIAL_ERROR;
  source = open_text(DEVICE, "ab", 2, 1, false);
  CHECK_STATUS(fastio_reader_open(source, &options, &reader, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_expect(reader, "abc", 3, &err), FASTIO_TRUNCATED);
  CHECK_STATUS(fastio_expect(reader, "abc", 3, &err), FASTIO_TRUNCATED);
  CHECK_STATUS(fastio_skip(reader, &err), FASTIO_TRUNCATED);
  CHECK_ERROR(&err, FASTIO_TRUNCATED, 0, 1, 1);
  fastio_reader_close(reader);
  fastio_source_close(source);
}

/* ---- tables ---- */

typedef struct table_sample {
  const char *text;
  int header;
  int64_t rows;    /* of whole records */
  int64_t cut;     /* -1: none is cut short */
  uint64_t record; /* which one is */
} table_sample;

static const table_sample table_samples[] = {
    {"a,b\n1,2\n3,4\n", 1, 2, -1, 0},
    {"a,b\n1,2\n3,4", 1, 1, 8, 2},
    {"a,b\n1,2\n3,", 1, 1, 8, 2},
    {"a,b\n1,2\n3", 1, 1, 8, 2}, /* not ragged: the rest may come */
    {"a,b\n1,2\n3,\"4\n", 1, 1, 8, 2},
    {"a,b\n1,2\n3,\"4\"", 1, 1, 8, 2},
    {"a,b\n1,2\n\"3\n", 1, 1, 8, 2},
    {"a,b\n1,2\n3,\"4\n\"\n", 1, 2, -1, 0},
    {"a,b\n1,2\n\n", 1, 1, -1, 0},
    {"a,b\n", 1, 0, -1, 0},
    {"a,b", 1, 0, 0, 0},
    {"\"a\n", 1, 0, 0, 0},
    {"1,2\n3", 0, 1, 4, 2},
    {"1,2", 0, 0, 0, 0},
};

static void check_tables(const table_sample *s, int kind, unsigned threads, size_t block_size, int quote_mode) {
  fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
  options.threads = threads;
  options.block_size = block_size;
  options.header = s->header;
  options.quote_mode = quote_mode;
  for (int partial = FASTIO_PARTIAL_HOLD; partial <= FASTIO_PARTIAL_ERROR; partial++) {
    fastio_source *source = open_text(kind, s->text, strlen(s->text), 1 + next_random(6), false);
    fastio_table *table = NULL;
    fastio_error err;
    fastio_error_init(&err);
    options.partial = partial;
    fastio_status status = fastio_read_csv(source, &options, &table, &err);
    if (partial == FASTIO_PARTIAL_HOLD || s->cut < 0)
      check_that(status == FASTIO_OK && (int64_t)table->rows == s->rows, __FILE__, __LINE__,
                 "\"%s\": %s, %d rows, not %d", s->text, fastio_status_name(status), table ? (int)table->rows : -1,
                 (int)s->rows);
    else
      check_that(err.status == FASTIO_TRUNCATED && err.offset == (uint64_t)s->cut && err.record == s->record, __FILE__,
                 __LINE__, "\"%s\": %s at %" PRId64 " of record %" PRIu64, s->text, fastio_status_name(err.status),
                 (int64_t)err.offset, err.record);
    fastio_table_free(table);
    fastio_source_close(source);
  }
}

static void tables(void) {
  static const size_t blocks[] = {0, 1, 4, 7};
  for (size_t i = 0; i < COUNT(table_samples); i++)
    for (int kind = 0; kind < KINDS; kind++)
      for (unsigned threads = 1; threads < 4; threads++)
        for (size_t b = 0; b < COUNT(blocks); b++)
          for (int mode = 0; mode < 2; mode++) check_tables(&table_samples[i], kind, threads, blocks[b], mode);
}

/* Bounded rows end before the record that is cut short, and say nothing of it. */
static void rows_that_are_asked_for(void) {
  fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
  options.partial = FASTIO_PARTIAL_ERROR;
  options.max_rows = 1;
  for (int kind = 0; kind < KINDS; kind++) {
    fastio_source *source = open_text(kind, "a\n1\n2", 5, 3, false);
    fastio_table *table = NULL;
    CHECK_STATUS(fastio_read_csv(source, &options, &table, NULL), FASTIO_OK);
    CHECK(table && table->rows == 1);
    fastio_table_free(table);
    fastio_source_close(source);
  }
}

static void take_batches(fastio_csv *csv, char *out) {
  fastio_error err;
  fastio_table *table = NULL;
  fastio_status status;
  while ((status = fastio_csv_next(csv, &table, &err)) == FASTIO_OK) {
    const fastio_column *a = table->columns[0], *b = table->columns[1];
    for (uint64_t i = 0; i < table->rows; i++)
      sprintf(out + strlen(out), "%" PRId64 "=%.*s|", ((const int64_t *)a->data)[i],
              (int)(b->offsets[i + 1] - b->offsets[i]), (const char *)b->data + b->offsets[i]);
    fastio_table_free(table);
  }
  CHECK_STATUS(status, FASTIO_END);
}

static void batches_that_grow(void) {
  static const char text[] = "a,b\n1,x\n\n2,\"y\n,\"\"z\"\n3,longer\n4,w\n";
  static const char due[] = "1=x|2=y\n,\"z|3=longer|4=w|";
  for (unsigned round = 0; round < 500; round++) {
    bool is_file = round % 2;
    size_t size = sizeof text - 1, have = 5 + next_random((unsigned)size - 5);
    char out[512] = "";
    fastio_error err;
    fastio_csv *csv = NULL;
    fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
    fastio_column_rule rules[2] = {{"a", 0, 0, FASTIO_INT64, NULL, 0, {0}}, {"b", 0, 0, FASTIO_STRING, NULL, 0, {0}}};
    options.partial = FASTIO_PARTIAL_HOLD;
    options.rules = rules;
    options.rule_count = 2;
    options.threads = 1 + next_random(3);
    options.block_size = next_random(20);
    if (next_random(2)) options.batch_rows = 1 + next_random(2);
    if (next_random(3) == 0) options.batch_bytes = 1 + next_random(20);
    fastio_source *source = open_text(is_file ? FILE_ : DEVICE, text, have, 1 + next_random(9), false);
    CHECK_STATUS(fastio_csv_open(source, &options, &csv, &err), FASTIO_OK);
    for (;;) {
      size_t more = 1 + next_random(9);
      take_batches(csv, out);
      if (have == size) break;
      if (more > size - have) more = size - have;
      if (is_file) append_file(text + have, more);
      have = device_state.size = have + more;
    }
    check_that(strcmp(out, due) == 0, __FILE__, __LINE__, "round %u: \"%s\", not \"%s\"", round, out, due);
    fastio_csv_close(csv);
    fastio_source_close(source);
  }
}

static void a_header_that_grows(void) {
  fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
  fastio_csv *csv = NULL;
  fastio_table *table = NULL;
  fastio_error err;
  fastio_source *source = open_text(DEVICE, "a,bc\n1,2\n", 3, 2, false);
  options.partial = FASTIO_PARTIAL_HOLD;
  CHECK_STATUS(fastio_csv_open(source, &options, &csv, &err), FASTIO_END);
  CHECK(csv == NULL);
  device_state.size = 9;
  CHECK_STATUS(fastio_csv_open(source, &options, &csv, &err), FASTIO_OK);
  CHECK_STATUS(fastio_csv_next(csv, &table, &err), FASTIO_OK);
  if (table) CHECK(table->rows == 1 && table->names[1].size == 2);
  fastio_table_free(table);
  fastio_csv_close(csv);
  fastio_source_close(source);
}

/* ---- sources that fail: what was read before is judged first ---- */

static void before_a_failure(void) {
  static const char bad[] = "1 2 x 3 4 5", good[] = "1 2 3 4";
  static const char table[] = "a,b\n1,2\n3,x\n5,6\n7";
  fastio_column_rule rule = {NULL, 0, FASTIO_EVERY_COLUMN, FASTIO_INT64, NULL, 0, {0}};
  for (unsigned threads = 0; threads < 4; threads++)
    for (size_t block = 0; block < 12; block++)
      for (size_t chunk = 1; chunk < 14; chunk += 3) {
        fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
        fastio_csv_options csv = FASTIO_CSV_OPTIONS_INIT;
        fastio_column *column = NULL;
        fastio_table *rows = NULL;
        fastio_error err;
        uint64_t lines;
        options.threads = csv.threads = threads;
        options.block_size = csv.block_size = block;
        fastio_source *source = open_text(DEVICE, bad, sizeof bad - 1, chunk, true);
        CHECK_STATUS(fastio_read_ints(source, &options, &column, &err), FASTIO_BAD_TOKEN);
        CHECK_ERROR(&err, FASTIO_BAD_TOKEN, 4, 1, 5);
        fastio_source_close(source);
        source = open_text(DEVICE, good, sizeof good - 1, chunk, true);
        CHECK_STATUS(fastio_read_ints(source, &options, &column, &err), FASTIO_CALLBACK_FAILED);
        CHECK(strcmp(err.message, "as asked for") == 0);
        fastio_source_close(source);
        source = open_text(DEVICE, good, sizeof good - 1, chunk, true);
        options.max_items = 3; /* the fourth could be cut short */
        CHECK_STATUS(fastio_read_ints(source, &options, &column, &err), FASTIO_OK);
        fastio_column_free(column);
        fastio_source_close(source);
        options.max_items = FASTIO_NO_OFFSET;
        source = open_text(DEVICE, "a\nb\n", 4, chunk, true);
        CHECK_STATUS(fastio_count_lines(source, &options, &lines, &err), FASTIO_CALLBACK_FAILED);
        fastio_source_close(source);
        source = open_text(DEVICE, table, sizeof table - 1, chunk, true);
        CHECK_STATUS(fastio_read_csv(source, &csv, &rows, &err), FASTIO_CALLBACK_FAILED);
        fastio_source_close(source);
        csv.rules = &rule;
        csv.rule_count = 1;
        source = open_text(DEVICE, table, sizeof table - 1, chunk, true);
        CHECK_STATUS(fastio_read_csv(source, &csv, &rows, &err), FASTIO_BAD_TOKEN);
        CHECK_ERROR(&err, FASTIO_BAD_TOKEN, 10, 3, 3);
        fastio_source_close(source);
        csv.max_rows = 1;
        source = open_text(DEVICE, table, sizeof table - 1, chunk, true);
        CHECK_STATUS(fastio_read_csv(source, &csv, &rows, &err), FASTIO_OK);
        fastio_table_free(rows);
        fastio_source_close(source);
        source = open_text(DEVICE, "a,b", 3, chunk, true); /* no header yet */
        CHECK_STATUS(fastio_read_csv(source, &csv, &rows, &err), FASTIO_CALLBACK_FAILED);
        fastio_source_close(source);
      }
}

int main(void) {
  if (mkstemp(path) < 0) abort();
  all_samples();
  order_of_errors();
  numbers_that_grow();
  lines_that_grow();
  files_that_grow_are_read_on();
  expected_bytes();
  tables();
  rows_that_are_asked_for();
  batches_that_grow();
  a_header_that_grows();
  before_a_failure();
  unlink(path);
  return check_report();
}
