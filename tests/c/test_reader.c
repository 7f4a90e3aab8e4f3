/* The pull reader: what vectors can't say. Pipes flow, views, batches that fail half-way, results untouched by a
 * failure. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "check.h"

#include <unistd.h>

static const size_t blocks[] = {1, 2, 3, 7, 64, 4096, 0};
enum { BLOCKS = sizeof blocks / sizeof *blocks };

typedef struct opened {
  fastio_source *source;
  fastio_reader *reader;
} opened;

static opened open_text(const char *text, size_t size, const fastio_read_options *options) {
  opened o = {NULL, NULL};
  fastio_error err;
  CHECK_STATUS(fastio_source_memory(text, size, NULL, &o.source, &err), FASTIO_OK);
  CHECK_STATUS(fastio_reader_open(o.source, options, &o.reader, &err), FASTIO_OK);
  return o;
}

static void close_text(opened o) {
  fastio_reader_close(o.reader);
  fastio_source_close(o.source);
}

static fastio_read_options with_block(size_t block) {
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  options.block_size = block;
  return options;
}

/* Failure leaves the result and the place alone, and works without an error struct. */
static void results_are_untouched(void) {
  for (size_t b = 0; b < BLOCKS; b++) {
    fastio_read_options options = with_block(blocks[b]);
    opened o = open_text("abc", 3, &options);
    int64_t i = 11;
    uint64_t u = 12;
    double d = 13;
    float f = 14;
    CHECK_STATUS(fastio_next_i64(o.reader, &i, NULL), FASTIO_BAD_TOKEN);
    CHECK_STATUS(fastio_next_u64(o.reader, &u, NULL), FASTIO_BAD_TOKEN);
    CHECK_STATUS(fastio_next_f64(o.reader, &d, NULL), FASTIO_BAD_TOKEN);
    CHECK_STATUS(fastio_next_f32(o.reader, &f, NULL), FASTIO_BAD_TOKEN);
    CHECK(i == 11 && u == 12 && d == 13 && f == 14);
    CHECK_INT(fastio_reader_offset(o.reader), 0);
    CHECK_STATUS(fastio_expect(o.reader, "abd", 3, NULL), FASTIO_MISMATCH);
    CHECK_STATUS(fastio_expect(o.reader, "abc", 3, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_next_i64(o.reader, &i, NULL), FASTIO_END);
    CHECK_STATUS(fastio_skip(o.reader, NULL), FASTIO_END);
    CHECK(i == 11);
    close_text(o);
  }
}

/* *count tells the values before the one that failed. */
static void batches(void) {
  for (size_t b = 0; b < BLOCKS; b++) {
    fastio_read_options options = with_block(blocks[b]);
    opened o = open_text("1 2 3 x 4", 9, &options);
    int64_t values[8] = {0};
    size_t total = 0, count = 99;
    fastio_error err;
    fastio_status status;
    while ((status = fastio_next_i64s(o.reader, values + total, 8 - total, &count, &err)) == FASTIO_OK) {
      CHECK(count > 0);
      total += count;
    }
    total += count;
    CHECK_STATUS(status, FASTIO_BAD_TOKEN);
    CHECK_ERROR(&err, FASTIO_BAD_TOKEN, 6, 1, 7);
    CHECK_INT(total, 3);
    CHECK(values[0] == 1 && values[1] == 2 && values[2] == 3);
    CHECK_STATUS(fastio_next_i64s(o.reader, values, 8, &count, &err), FASTIO_BAD_TOKEN);
    CHECK_INT(count, 0);
    CHECK_STATUS(fastio_skip(o.reader, &err), FASTIO_OK);
    CHECK_STATUS(fastio_next_i64s(o.reader, values, 8, &count, &err), FASTIO_OK);
    CHECK_INT(count, 1);
    CHECK_INT(values[0], 4);
    CHECK_STATUS(fastio_next_i64s(o.reader, values, 8, &count, &err), FASTIO_END);
    CHECK_INT(count, 0);
    close_text(o);
  }
}

/* A batch ends right behind its last value, as a single value does, whatever the buffer held. */
static void batches_leave_the_rest(void) {
  for (size_t b = 0; b < BLOCKS; b++) {
    fastio_read_options options = with_block(blocks[b]);
    opened o = open_text("1 2 \nx\n", 7, &options);
    int64_t values[8];
    const char *view;
    size_t size, total = 0, count;
    while (total < 2 && fastio_next_i64s(o.reader, values, 8, &count, NULL) == FASTIO_OK) total += count;
    CHECK_INT(fastio_reader_offset(o.reader), 3);
    CHECK(fastio_next_line(o.reader, &view, &size, NULL) == FASTIO_OK);
    CHECK_BYTES(view, size, " ");
    close_text(o);
  }
}

/* A batch never gives more than was asked for, and the next call goes on behind it. */
static void batches_respect_capacity(void) {
  char text[6000];
  size_t size = 0;
  for (int i = 0; i < 1000; i++) size += (size_t)sprintf(text + size, "%d\n", i);
  for (size_t b = 0; b < BLOCKS; b++) {
    fastio_read_options options = with_block(blocks[b]);
    opened o = open_text(text, size, &options);
    int64_t values[6], due = 0;
    size_t count;
    bool same = true;
    values[5] = -1;
    while (fastio_next_i64s(o.reader, values, 5, &count, NULL) == FASTIO_OK) {
      same &= count <= 5;
      for (size_t i = 0; i < count; i++) same &= values[i] == due++;
    }
    CHECK(same);
    CHECK_INT(due, 1000);
    CHECK_INT(values[5], -1);
    close_text(o);
  }
}

/* Kinds of call taken in turn see one stream. */
static void calls_in_turn(void) {
  static const char text[] = "3 1.5 word rest of line\nsecond line\n7 8\n";
  for (size_t b = 0; b < BLOCKS; b++) {
    fastio_read_options options = with_block(blocks[b]);
    opened o = open_text(text, sizeof text - 1, &options);
    int64_t i;
    double d;
    float f;
    const char *view;
    size_t size;
    fastio_bytes lines[4];
    uint64_t numbers[4];
    CHECK(fastio_next_i64(o.reader, &i, NULL) == FASTIO_OK && i == 3);
    CHECK(fastio_next_f64(o.reader, &d, NULL) == FASTIO_OK && d == 1.5);
    CHECK(fastio_next_token(o.reader, &view, &size, NULL) == FASTIO_OK);
    CHECK_BYTES(view, size, "word");
    CHECK(fastio_next_line(o.reader, &view, &size, NULL) == FASTIO_OK);
    CHECK_BYTES(view, size, " rest of line");
    CHECK(fastio_next_lines(o.reader, lines, 1, &size, NULL) == FASTIO_OK && size == 1);
    CHECK_BYTES(lines[0].data, lines[0].size, "second line");
    CHECK(fastio_next_f32(o.reader, &f, NULL) == FASTIO_OK && f == 7);
    CHECK(fastio_next_u64s(o.reader, numbers, 4, &size, NULL) == FASTIO_OK && size == 1 && numbers[0] == 8);
    CHECK(fastio_next_line(o.reader, &view, &size, NULL) == FASTIO_OK && size == 0);
    CHECK(fastio_next_line(o.reader, &view, &size, NULL) == FASTIO_END);
    close_text(o);
  }
}

/* A line much longer than the buffer, between short ones, and a token likewise. */
static void longer_than_any_buffer(void) {
  size_t length = 300000, size;
  char *text = malloc(length + 20);
  const char *view;
  memcpy(text, "first\n", 6);
  memset(text + 6, 'y', length);
  memcpy(text + 6 + length, "\nlast", 5);
  for (size_t b = 4; b < BLOCKS; b++) {
    fastio_read_options options = with_block(blocks[b]);
    opened o = open_text(text, length + 11, &options);
    CHECK(fastio_next_token(o.reader, &view, &size, NULL) == FASTIO_OK && size == 5);
    CHECK(fastio_next_token(o.reader, &view, &size, NULL) == FASTIO_OK && size == length);
    CHECK(memcmp(view, text + 6, length) == 0);
    CHECK(fastio_next_line(o.reader, &view, &size, NULL) == FASTIO_OK && size == 0);
    CHECK(fastio_next_line(o.reader, &view, &size, NULL) == FASTIO_OK);
    CHECK_BYTES(view, size, "last");
    close_text(o);
    o = open_text(text, length + 11, &options);
    CHECK(fastio_next_line(o.reader, &view, &size, NULL) == FASTIO_OK && size == 5);
    CHECK(fastio_next_line(o.reader, &view, &size, NULL) == FASTIO_OK && size == length);
    CHECK_INT(fastio_reader_line(o.reader), 3);
    CHECK_INT(fastio_reader_offset(o.reader), 7 + length);
    close_text(o);
  }
  free(text);
}

/* What a pipe holds is given out without waiting for more: the writer is this very thread. */
static void pipes_flow(void) {
  int ends[2];
  fastio_source *source;
  fastio_reader *reader;
  int64_t values[10];
  const char *view;
  size_t count, size;
  if (!CHECK(pipe(ends) == 0)) return;
  CHECK_STATUS(fastio_source_fd(ends[0], NULL, &source, NULL), FASTIO_OK);
  CHECK(write(ends[1], "1 2 3 \nhello\n", 13) == 13);
  CHECK_STATUS(fastio_reader_open(source, NULL, &reader, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_next_i64(reader, values, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_next_i64s(reader, values, 2, &count, NULL), FASTIO_OK);
  CHECK(count == 2 && values[0] == 2 && values[1] == 3);
  CHECK_STATUS(fastio_next_line(reader, &view, &size, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_next_line(reader, &view, &size, NULL), FASTIO_OK);
  CHECK_BYTES(view, size, "hello");
  CHECK(write(ends[1], "more\nand mo", 11) == 11);
  CHECK_STATUS(fastio_next_line(reader, &view, &size, NULL), FASTIO_OK);
  CHECK_BYTES(view, size, "more");
  close(ends[1]);
  CHECK_STATUS(fastio_next_line(reader, &view, &size, NULL), FASTIO_OK);
  CHECK_BYTES(view, size, "and mo");
  CHECK_STATUS(fastio_next_line(reader, &view, &size, NULL), FASTIO_END);
  fastio_reader_close(reader);
  fastio_source_close(source);
  close(ends[0]);
}

static void offsets_and_lines(void) {
  static const char text[] = "10\n\n 20 30\nabc\n";
  for (size_t b = 0; b < BLOCKS; b++) {
    fastio_read_options options = with_block(blocks[b]);
    opened o = open_text(text, sizeof text - 1, &options);
    int64_t i;
    fastio_error err;
    CHECK(fastio_reader_offset(o.reader) == 0 && fastio_reader_line(o.reader) == 1);
    CHECK(fastio_next_i64(o.reader, &i, NULL) == FASTIO_OK);
    CHECK(fastio_reader_offset(o.reader) == 2 && fastio_reader_line(o.reader) == 1);
    CHECK(fastio_next_i64(o.reader, &i, NULL) == FASTIO_OK);
    CHECK(fastio_reader_offset(o.reader) == 7 && fastio_reader_line(o.reader) == 3);
    CHECK(fastio_next_i64(o.reader, &i, NULL) == FASTIO_OK && i == 30);
    CHECK_STATUS(fastio_next_i64(o.reader, &i, &err), FASTIO_BAD_TOKEN);
    CHECK_ERROR(&err, FASTIO_BAD_TOKEN, 11, 4, 1);
    CHECK_BYTES(err.text, err.text_size, "abc");
    CHECK(err.message != NULL && err.os_error == 0);
    close_text(o);
  }
}

static void wrong_arguments(void) {
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  fastio_source *source;
  fastio_reader *reader = NULL;
  fastio_error err;
  CHECK_STATUS(fastio_source_memory("1", 1, NULL, &source, NULL), FASTIO_OK);
  options.base = 37;
  CHECK_STATUS(fastio_reader_open(source, &options, &reader, &err), FASTIO_INVALID_ARGUMENT);
  CHECK(err.status == FASTIO_INVALID_ARGUMENT && err.offset == FASTIO_NO_OFFSET);
  options.base = 10;
  options.separator = '5';
  CHECK_STATUS(fastio_reader_open(source, &options, &reader, NULL), FASTIO_INVALID_ARGUMENT);
  options.separator = FASTIO_WHITESPACE;
  options.newline = 0xC3; /* can't end lines of UTF-8 */
  CHECK_STATUS(fastio_reader_open(source, &options, &reader, NULL), FASTIO_INVALID_ARGUMENT);
  options.separator = 256;
  CHECK_STATUS(fastio_reader_open(source, &options, &reader, NULL), FASTIO_INVALID_ARGUMENT);
  CHECK(reader == NULL);
  fastio_source_close(source);
  fastio_reader_close(NULL);
  fastio_source_close(NULL);
}

/* Errors of encoding stand at the bad byte. */
static void bad_encoding(void) {
  static const char text[] = "h\nok\ncaf\xe9_\xff\n";
  for (size_t b = 0; b < BLOCKS; b++) {
    fastio_read_options options = with_block(blocks[b]);
    opened o = open_text(text, sizeof text - 1, &options);
    const char *view;
    size_t size;
    fastio_error err;
    CHECK_STATUS(fastio_next_line(o.reader, &view, &size, &err), FASTIO_OK);
    CHECK_STATUS(fastio_next_line(o.reader, &view, &size, &err), FASTIO_OK);
    CHECK_STATUS(fastio_next_line(o.reader, &view, &size, &err), FASTIO_BAD_ENCODING);
    CHECK_ERROR(&err, FASTIO_BAD_ENCODING, 8, 3, 4);
    close_text(o);
  }
}

/* What did not match is still there, blanks and separators included. */
static void mismatches_consume_nothing(void) {
  for (size_t b = 0; b < BLOCKS; b++) {
    fastio_read_options options = with_block(blocks[b]);
    opened o = open_text("  abc\n", 6, &options);
    const char *view;
    size_t size;
    int64_t value;
    CHECK_STATUS(fastio_expect(o.reader, "abd", 3, NULL), FASTIO_MISMATCH);
    CHECK_INT(fastio_reader_offset(o.reader), 0);
    CHECK_STATUS(fastio_next_line(o.reader, &view, &size, NULL), FASTIO_OK);
    CHECK(size == 5 && memcmp(view, "  abc", 5) == 0);
    close_text(o);
    options.separator = ',';
    o = open_text("1,\n2", 4, &options);
    CHECK_STATUS(fastio_next_i64(o.reader, &value, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_expect(o.reader, "x", 1, NULL), FASTIO_MISMATCH);
    CHECK_STATUS(fastio_next_i64(o.reader, &value, NULL), FASTIO_EMPTY_FIELD);
    close_text(o);
    options.separator = '\n'; /* behind which no field must follow */
    o = open_text("1\n\n2", 4, &options);
    CHECK_STATUS(fastio_expect(o.reader, "1\n", 2, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_next_i64(o.reader, &value, NULL), FASTIO_OK);
    close_text(o);
    options = with_block(blocks[b]);
    options.length = 2;
    o = open_text("1 2", 3, &options);
    CHECK_STATUS(fastio_expect(o.reader, "1", 1, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_expect(o.reader, "2", 1, NULL), FASTIO_END);
    close_text(o);
  }
}

/* Gives three bytes at a time and fails once, at the call that `failing` counts down to. */
typedef struct faulty {
  const char *rest;
  int failing;
} faulty;

static fastio_status read_faulty(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  faulty *self = ctx;
  size_t left = strlen(self->rest), part = left < 3 ? left : 3;
  (void)err;
  if (self->failing-- == 0) return FASTIO_CALLBACK_FAILED;
  *got = part < size ? part : size;
  memcpy(data, self->rest, *got);
  self->rest += *got;
  return FASTIO_OK;
}

/* The next call goes on where the failed one stopped, also on the way to the first item. */
static void failures_can_be_retried(void) {
  static const struct {
    uint64_t skip_lines, offset;
    int64_t first;
  } cases[] = {{0, 0, 11111}, {2, 0, 33}, {0, 5, 22}, {1, 12, 33}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int failing = 0; failing < 7; failing++) {
      faulty state = {"\xEF\xBB\xBF"
                      "11111\n22\n33\n",
                      failing};
      fastio_device device = {&state, read_faulty, NULL};
      fastio_read_options options = with_block(4);
      fastio_source *source;
      fastio_reader *reader;
      fastio_status status;
      int64_t value = 0;
      options.skip_lines = cases[c].skip_lines;
      options.offset = cases[c].offset;
      CHECK_STATUS(fastio_source_device(&device, NULL, &source, NULL), FASTIO_OK);
      CHECK_STATUS(fastio_reader_open(source, &options, &reader, NULL), FASTIO_OK);
      status = fastio_next_i64(reader, &value, NULL);
      if (status == FASTIO_CALLBACK_FAILED) status = fastio_next_i64(reader, &value, NULL);
      CHECK_STATUS(status, FASTIO_OK);
      CHECK_INT(value, cases[c].first);
      fastio_reader_close(reader);
      fastio_source_close(source);
    }
}

/* A separator may be a part of a character, which leaves no text on either side of it. */
static void separators_within_characters(void) {
  for (size_t b = 0; b < BLOCKS; b++) {
    fastio_read_options options = with_block(blocks[b]);
    options.separator = 0xC3;
    opened o = open_text("a\xC3\xA9z", 4, &options);
    const char *view;
    size_t size;
    CHECK_STATUS(fastio_next_token(o.reader, &view, &size, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_next_token(o.reader, &view, &size, NULL), FASTIO_BAD_ENCODING);
    close_text(o);
  }
}

int main(void) {
  results_are_untouched();
  batches();
  batches_leave_the_rest();
  batches_respect_capacity();
  calls_in_turn();
  longer_than_any_buffer();
  pipes_flow();
  offsets_and_lines();
  wrong_arguments();
  bad_encoding();
  mismatches_consume_nothing();
  failures_can_be_retried();
  separators_within_characters();
  return check_report();
}
