/* Whole-source readers: any number of threads and any block size gives the same result and the same error; ranges that
 * tile a source give each item once; cancelling. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "check.h"

#include <limits.h>
#include <unistd.h>

static uint64_t random_state = 88172645463325252u;

static uint64_t random_next(void) { /* xorshift: the same numbers on every machine */
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

typedef struct text {
  char *data;
  size_t size;
  int64_t *values;
  size_t count;
} text;

/* Integers of every length and sign, in lines of random length. */
static text make_ints(size_t count) {
  text t = {malloc(count * 24 + 1), 0, malloc(count * sizeof(int64_t)), count};
  for (size_t i = 0; i < count; i++) {
    int64_t value = (int64_t)(random_next() >> (random_next() % 64));
    t.values[i] = value;
    t.size += (size_t)sprintf(t.data + t.size, "%" PRId64 "%c", value, random_next() % 4 ? ' ' : '\n');
  }
  return t;
}

static void free_text(text t) {
  free(t.data);
  free(t.values);
}

typedef fastio_status read_column(fastio_source *source, const fastio_read_options *options, fastio_column **out,
                                  fastio_error *err);

static fastio_column *read_text(read_column *read, const char *data, size_t size, const fastio_read_options *options,
                                fastio_error *err) {
  fastio_source *source = NULL;
  fastio_column *column = NULL;
  fastio_error_init(err);
  CHECK_STATUS(fastio_source_memory(data, size, NULL, &source, NULL), FASTIO_OK);
  read(source, options, &column, err);
  fastio_source_close(source);
  return column;
}

static bool holds(const fastio_column *column, const int64_t *values, size_t count) {
  return column->length == count && column->type == FASTIO_INT64 && column->null_count == 0 &&
         column->validity == NULL && (count == 0 || memcmp(column->data, values, count * sizeof *values) == 0);
}

static void parallel_equals_serial(void) {
  static const unsigned threads[] = {0, 1, 2, 3, 7, 16};
  static const size_t blocks[] = {100, 4096, 65536, 0};
  text t = make_ints(200000);
  for (size_t i = 0; i < 6; i++) {
    for (size_t j = 0; j < 4; j++) {
      fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
      fastio_error err;
      options.threads = threads[i];
      options.block_size = blocks[j];
      fastio_column *column = read_text(fastio_read_ints, t.data, t.size, &options, &err);
      if (CHECK(column != NULL)) CHECK(holds(column, t.values, t.count));
      fastio_column_free(column);
    }
  }
  free_text(t);
}

/* Two bad tokens far apart: the first is told, whoever meets it. */
static void first_error_in_order(void) {
  text t = make_ints(100000);
  size_t first = t.size / 3, second = t.size - 100;
  while (t.data[first] < '0') first++;
  while (t.data[second] < '0') second++;
  t.data[first] = 'x';
  t.data[second] = 'y';
  fastio_error serial;
  fastio_error_init(&serial);
  for (unsigned threads = 1; threads <= 6; threads++) {
    fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
    fastio_error err;
    options.threads = threads;
    options.block_size = 5000;
    fastio_column *column = read_text(fastio_read_ints, t.data, t.size, &options, &err);
    CHECK(column == NULL);
    CHECK_STATUS(err.status, FASTIO_BAD_TOKEN);
    CHECK(err.offset <= first && first < err.offset + err.text_size);
    if (threads == 1) serial = err;
    else
      CHECK(err.offset == serial.offset && err.line == serial.line && err.column == serial.column &&
            err.text_size == serial.text_size && memcmp(err.text, serial.text, err.text_size) == 0);
  }
  free_text(t);
}

static void max_items_of_many(void) {
  text t = make_ints(50000);
  for (unsigned threads = 1; threads <= 3; threads++) {
    for (size_t most = 0; most <= 50001; most += 9999) {
      fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
      fastio_error err;
      options.threads = threads;
      options.block_size = 1000;
      options.max_items = most;
      fastio_column *column = read_text(fastio_read_ints, t.data, t.size, &options, &err);
      if (CHECK(column != NULL)) CHECK(holds(column, t.values, most < t.count ? most : t.count));
      fastio_column_free(column);
    }
  }
  free_text(t);
}

/* Cuts the data at `cut` and reads both parts: together they hold what the whole holds. */
static bool two_parts_are_the_whole(read_column *read, const char *data, size_t size, size_t cut,
                                    fastio_read_options options, const fastio_column *whole) {
  fastio_error err;
  bool same;
  options.length = cut;
  fastio_column *head = read_text(read, data, size, &options, &err);
  options.offset = cut;
  options.length = FASTIO_NO_OFFSET;
  fastio_column *tail = read_text(read, data, size, &options, &err);
  same = head != NULL && tail != NULL && head->length + tail->length == whole->length;
  if (same && whole->offsets == NULL) {
    size_t width = fastio_type_size(whole->type), bytes = (size_t)head->length * width;
    same = memcmp(head->data, whole->data, bytes) == 0 &&
           memcmp(tail->data, (const char *)whole->data + bytes, (size_t)tail->length * width) == 0;
  } else if (same) {
    same = head->data_size + tail->data_size == whole->data_size &&
           memcmp(head->data, whole->data, (size_t)head->data_size) == 0 &&
           memcmp(tail->data, (const char *)whole->data + head->data_size, (size_t)tail->data_size) == 0;
  }
  fastio_column_free(head);
  fastio_column_free(tail);
  return same;
}

static void every_cut(read_column *read, const char *data, size_t size, fastio_read_options options) {
  fastio_error err;
  fastio_column *whole = read_text(read, data, size, &options, &err);
  if (!CHECK(whole != NULL)) return;
  for (size_t cut = 0; cut <= size + 1; cut++) {
    for (size_t block = 0; block < 9; block += 4) {
      options.block_size = block;
      CHECK(two_parts_are_the_whole(read, data, size, cut, options, whole));
    }
  }
  fastio_column_free(whole);
}

static void ranges_tile(void) {
  static const char numbers[] = "1 22  -333\n\n4444\r\n+55555\t 666666 7";
  static const char commas[] = "1,22, -333\n\n4444 ,\r55\r\n66,7,8\n";
  static const char lines[] = "a\r\nbb\n\nccc\rd\r\n\r\n\nlast";
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  every_cut(fastio_read_ints, numbers, sizeof numbers - 1, options);
  every_cut(fastio_read_floats, numbers, sizeof numbers - 1, options);
  every_cut(fastio_read_lines, lines, sizeof lines - 1, options);
  options.newline = FASTIO_NEWLINE_ANY;
  every_cut(fastio_read_lines, lines, sizeof lines - 1, options);
  options.flags = FASTIO_KEEP_ENDS;
  every_cut(fastio_read_lines, lines, sizeof lines - 1, options);
  options.newline = 'c';
  every_cut(fastio_read_lines, lines, sizeof lines - 1, options);
  options.separator = ',';
  every_cut(fastio_read_ints, commas, sizeof commas - 1, options);
}

/* Many small ranges in a row, as a program does that reads a file in parts. */
static void many_parts(void) {
  text t = make_ints(3000);
  for (size_t step = 1; step < 2000; step = step * 3 + 1) {
    size_t done = 0;
    bool same = true;
    for (size_t from = 0; from < t.size; from += step) {
      fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
      fastio_error err;
      options.offset = from;
      options.length = step;
      fastio_column *part = read_text(fastio_read_ints, t.data, t.size, &options, &err);
      same = same && part != NULL && holds(part, t.values + done, (size_t)part->length);
      done += part != NULL ? (size_t)part->length : 0;
      fastio_column_free(part);
    }
    CHECK(same);
    CHECK_INT(done, t.count);
  }
  free_text(t);
}

static void lines_and_counts_agree(void) {
  char data[500];
  for (int round = 0; round < 300; round++) {
    size_t size = random_next() % sizeof data;
    for (size_t i = 0; i < size; i++) data[i] = "abc\n\n\r"[random_next() % 6];
    static const int newlines[] = {FASTIO_NEWLINE_LF, FASTIO_NEWLINE_ANY, 'b'};
    for (size_t n = 0; n < 3; n++) {
      fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
      fastio_error err;
      fastio_source *source;
      uint64_t counted = 0;
      options.newline = newlines[n];
      options.threads = 1 + (unsigned)(random_next() % 3);
      options.block_size = random_next() % 40;
      fastio_column *column = read_text(fastio_read_lines, data, size, &options, &err);
      CHECK_STATUS(fastio_source_memory(data, size, NULL, &source, NULL), FASTIO_OK);
      CHECK_STATUS(fastio_count_lines(source, &options, &counted, NULL), FASTIO_OK);
      if (CHECK(column != NULL)) CHECK_INT(counted, column->length);
      fastio_source_close(source);
      fastio_column_free(column);
    }
  }
}

typedef struct progress {
  uint64_t calls, most_done, total, stop_at;
} progress;

static int on_poll(void *ctx, uint64_t done, uint64_t total) {
  progress *p = ctx;
  p->calls++;
  if (done > p->most_done) p->most_done = done;
  p->total = total;
  return p->calls == p->stop_at;
}

static void polling(void) {
  text t = make_ints(100000);
  for (unsigned threads = 1; threads <= 3; threads++) {
    progress seen = {0, 0, 0, 0}, stopped = {0, 0, 0, 1};
    fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
    fastio_error err;
    options.threads = threads;
    options.block_size = 10000;
    options.poll = on_poll;
    options.poll_ctx = &seen;
    fastio_column *column = read_text(fastio_read_ints, t.data, t.size, &options, &err);
    CHECK(column != NULL);
    CHECK(seen.calls >= (threads == 1 ? 50 : 1) && seen.most_done <= t.size && seen.total == t.size);
    fastio_column_free(column);
    options.poll_ctx = &stopped;
    column = read_text(fastio_read_ints, t.data, t.size, &options, &err);
    CHECK(column == NULL);
    CHECK_STATUS(err.status, FASTIO_CANCELLED);
    CHECK_INT(stopped.calls, 1);
  }
  free_text(t);
}

static void shapes(void) {
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  fastio_error err;
  options.row_items = 3;
  fastio_column *column = read_text(fastio_read_ints, "1 2 3 4 5 6", 11, &options, &err);
  if (CHECK(column != NULL)) CHECK(column->row_items == 3 && column->length == 6);
  fastio_column_free(column);
  column = read_text(fastio_read_ints, "1 2 3 4 5", 9, &options, &err);
  CHECK(column == NULL);
  CHECK_STATUS(err.status, FASTIO_BAD_SHAPE);
  options.rows = 2;
  column = read_text(fastio_read_floats, "1 2 3", 5, &options, &err);
  CHECK(column == NULL);
  CHECK_STATUS(err.status, FASTIO_BAD_SHAPE);
}

static void parse_array(void) {
  int8_t bytes[3] = {9, 9, 9};
  float floats[2] = {9, 9};
  size_t count = 77;
  fastio_error err;
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  options.offset = options.skip_lines = options.row_items = 3; /* all of them not for arrays */
  CHECK_STATUS(fastio_parse_array("1 2", 3, &options, FASTIO_INT8, bytes, 3, &count, &err), FASTIO_OK);
  CHECK_INT(count, 2);
  CHECK_STATUS(fastio_parse_array("1 -2 3 x", 8, NULL, FASTIO_INT8, bytes, 3, &count, &err), FASTIO_OK);
  CHECK(count == 3 && bytes[0] == 1 && bytes[1] == -2 && bytes[2] == 3);
  CHECK_STATUS(fastio_parse_array("1 200 3", 7, NULL, FASTIO_INT8, bytes, 3, &count, &err), FASTIO_OUT_OF_RANGE);
  CHECK_INT(count, 1);
  CHECK_INT(err.offset, 2);
  CHECK_STATUS(fastio_parse_array("1.5", 3, NULL, FASTIO_FLOAT32, floats, 2, &count, &err), FASTIO_OK);
  CHECK(count == 1 && floats[0] == 1.5f && floats[1] == 9);
  CHECK_STATUS(fastio_parse_array("", 0, NULL, FASTIO_FLOAT64, NULL, 0, &count, NULL), FASTIO_OK);
  CHECK_INT(count, 0);
}

/* A line without end: a device that gives nothing but x, and a caller who has had enough. */
static fastio_status read_x(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  uint64_t *given = ctx;
  (void)err;
  memset(data, 'x', size);
  *given += size;
  *got = size;
  return FASTIO_OK;
}

static int after_megabytes(void *ctx, uint64_t done, uint64_t total) {
  (void)total;
  return done > *(uint64_t *)ctx << 20;
}

static void endless_line(void) {
  for (int counting = 0; counting < 2; counting++) {
    uint64_t given = 0, megabytes = counting ? 64 : 8, lines = 77;
    fastio_device device = {&given, read_x, NULL};
    fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
    fastio_source *source;
    fastio_column *column = NULL;
    options.poll = after_megabytes;
    options.poll_ctx = &megabytes;
    CHECK_STATUS(fastio_source_device(&device, NULL, &source, NULL), FASTIO_OK);
    if (counting) CHECK_STATUS(fastio_count_lines(source, &options, &lines, NULL), FASTIO_CANCELLED);
    else CHECK_STATUS(fastio_read_lines(source, &options, &column, NULL), FASTIO_CANCELLED);
    CHECK(given > megabytes << 20 && lines == 77 && !column);
    fastio_source_close(source);
  }
}

/* Numbers of any size are sizes of blocks and counts of threads. */
static void absurd_sizes(void) {
  char path[] = "/tmp/fastio_absurd_XXXXXX", text[5000];
  int fd = mkstemp(path);
  CHECK(fd >= 0);
  memset(text, '1', sizeof text);
  CHECK(write(fd, text, sizeof text) == (ssize_t)sizeof text);
  for (size_t less = 0; less < 4096; less += 1000) {
    fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
    fastio_source *source;
    fastio_column *column = NULL;
    options.threads = UINT_MAX;
    options.block_size = SIZE_MAX - less;
    options.length = 3;
    CHECK_STATUS(fastio_source_open(path, NULL, &source, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_read_lines(source, &options, &column, NULL), FASTIO_OK);
    CHECK(column && column->length == 1 && column->data_size == sizeof text);
    fastio_column_free(column);
    fastio_source_close(source);
  }
  close(fd);
  unlink(path);
}

/* Counting, too, stops at max_items: what follows may never come. */
static void counting_stops(void) {
  for (unsigned threads = 1; threads < 3; threads++) {
    fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
    fastio_source *source;
    uint64_t lines = 0;
    int ends[2];
    CHECK(pipe(ends) == 0 && write(ends[1], "a\nb\nc\nd\n", 8) == 8);
    options.threads = threads;
    options.block_size = 4;
    options.max_items = 2;
    CHECK_STATUS(fastio_source_fd(ends[0], NULL, &source, NULL), FASTIO_OK);
    if (threads > 1) close(ends[1]); /* the caller reads ahead */
    CHECK_STATUS(fastio_count_lines(source, &options, &lines, NULL), FASTIO_OK);
    CHECK(lines == 2);
    fastio_source_close(source);
    close(ends[0]);
    if (threads == 1) close(ends[1]);
  }
}

int main(void) {
  endless_line();
  parallel_equals_serial();
  first_error_in_order();
  max_items_of_many();
  ranges_tile();
  many_parts();
  lines_and_counts_agree();
  polling();
  shapes();
  parse_array();
  absurd_sizes();
  counting_stops();
  return check_report();
}
