/* write_fastio.c - fastio's writers as a benchmark worker. */
#include <pthread.h>

#include "fastio.h"
#include "fastio_print.h"
#include "write.h"

static void expect_ok(fastio_status status, const fastio_error *err) {
  if (status == FASTIO_OK) return;
  fprintf(stderr, "%s: %s\n", fastio_status_name(status), err->message);
  exit(1);
}

/* Opens a fresh file, runs the work on a writer to it and closes it: all that is timed. */
static void to_file(job *j, void (*work)(job *, fastio_writer *, fastio_error *)) {
  const char *path = fresh_output();
  fastio_writer *writer;
  fastio_error err;
  job_start(j);
  expect_ok(fastio_writer_open(path, NULL, &writer, &err), &err);
  work(j, writer, &err);
  expect_ok(fastio_writer_close(writer, &err), &err);
  job_stop(j);
  answer_output(j, path);
}

/* ---- integers ---- */

/* Failures stay with the writer: close tells of them. */
static void each_int(job *j, fastio_writer *writer, fastio_error *err) {
  (void)j;
  for (int64_t i = 0; i < INTS; i++) {
    fastio_write_i64(writer, i, err);
    fastio_write(writer, "\n", 1, err);
  }
}

static void each_int_println(job *j, fastio_writer *writer, fastio_error *err) {
  (void)j, (void)err;
  for (int64_t i = 0; i < INTS; i++) fastio_println(writer, i);
}

static int64_t *counted;

static void int_array(job *j, fastio_writer *writer, fastio_error *err) {
  fastio_array array = {.type = FASTIO_INT64, .data = counted, .rows = 1, .columns = INTS};
  fastio_array_options options = FASTIO_ARRAY_OPTIONS_INIT;
  options.threads = j->threads;
  options.separator = (fastio_bytes){"\n", 1};
  expect_ok(fastio_write_array(writer, &array, &options, err), err);
}

static void ints(job *j) { to_file(j, each_int); }
static void ints_println(job *j) { to_file(j, each_int_println); }
static void ints_array(job *j) {
  if (!counted) {
    counted = malloc(INTS * sizeof *counted);
    if (!counted) job_fail("malloc");
    for (int64_t i = 0; i < INTS; i++) counted[i] = i;
  }
  to_file(j, int_array);
}

/* ---- floats ---- */

static char *room(void) {
  static char *buffer;
  if (!buffer) buffer = malloc((size_t)DOUBLES * 26);
  if (!buffer) job_fail("malloc");
  return buffer;
}

static void shortest(job *j, double bound) {
  const double *values = doubles(bound);
  char *start = room(), *p = start;
  if (j->check) memset(start, 1, (size_t)DOUBLES * 26);
  job_start(j);
  for (size_t i = 0; i < DOUBLES - 2; i++) {
    p += fastio_format_f64(values[i], p);
    *p++ = '\n';
  }
  for (size_t i = DOUBLES - 2; i < DOUBLES; i++) { /* the function needs more room than there is in the end */
    char text[FASTIO_FORMAT_MAX];
    size_t size = fastio_format_f64(values[i], text);
    memcpy(p, text, size);
    p[size] = '\n';
    p += size + 1;
  }
  job_stop(j);
  job_answer(j, "%zu", (size_t)(p - start)); /* other programs lay floats out otherwise */
}

static void shortest_array(job *j, double bound) {
  fastio_array array = {.type = FASTIO_FLOAT64, .data = doubles(bound), .rows = 1, .columns = DOUBLES};
  fastio_array_options options = FASTIO_ARRAY_OPTIONS_INIT;
  fastio_writer *writer;
  fastio_error err;
  char *start = room();
  if (j->check) memset(start, 1, (size_t)DOUBLES * 26);
  options.threads = j->threads;
  options.separator = (fastio_bytes){"\n", 1};
  expect_ok(fastio_writer_buffer(start, (size_t)DOUBLES * 26, NULL, &writer, &err), &err);
  job_start(j);
  expect_ok(fastio_write_array(writer, &array, &options, &err), &err);
  job_stop(j);
  job_answer(j, "%" PRIu64, fastio_writer_offset(writer));
  expect_ok(fastio_writer_close(writer, &err), &err);
}

static void uniform(job *j) { shortest(j, 1e4); }
static void uniform_array(job *j) { shortest_array(j, 1e4); }
static void bits(job *j) { shortest(j, 0); }
static void bits_array(job *j) { shortest_array(j, 0); }

static const fastio_format six = {.notation = FASTIO_FIXED, .precision = 6};

static void each_fixed(job *j, fastio_writer *writer, fastio_error *err) {
  const double *values = doubles(1e6);
  (void)j;
  for (size_t i = 0; i < DOUBLES; i++) {
    fastio_write_f64_as(writer, values[i], &six, err);
    fastio_write(writer, "\n", 1, err);
  }
}

static void fixed_values(job *j, fastio_writer *writer, fastio_error *err) {
  fastio_array array = {.type = FASTIO_FLOAT64, .data = doubles(1e6), .rows = 1, .columns = DOUBLES};
  fastio_array_options options = FASTIO_ARRAY_OPTIONS_INIT;
  options.threads = j->threads;
  options.formats = &six;
  options.format_count = 1;
  options.separator = (fastio_bytes){"\n", 1};
  expect_ok(fastio_write_array(writer, &array, &options, err), err);
}

static void fixed(job *j) {
  doubles(1e6);
  to_file(j, each_fixed);
}
static void fixed_array(job *j) {
  doubles(1e6);
  to_file(j, fixed_values);
}

/* ---- many short texts ---- */

static void each_hello(job *j, fastio_writer *writer, fastio_error *err) {
  (void)j;
  for (int i = 0; i < HELLOS; i++) fastio_write(writer, HELLO, sizeof HELLO - 1, err);
}

static void hello(job *j) { to_file(j, each_hello); }

/* ---- standard input to standard output ---- */

typedef struct streams {
  fastio_source *source;
  fastio_reader *reader;
  fastio_writer *writer;
  fastio_error err;
} streams;

static streams open_streams(void) {
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  streams s;
  options.line_type = FASTIO_BINARY; /* nor do the others look whether it is UTF-8 */
  expect_ok(fastio_source_open("-", NULL, &s.source, &s.err), &s.err);
  expect_ok(fastio_reader_open(s.source, &options, &s.reader, &s.err), &s.err);
  expect_ok(fastio_writer_open("-", NULL, &s.writer, &s.err), &s.err);
  return s;
}

static void close_streams(streams *s) {
  expect_ok(fastio_writer_close(s->writer, &s->err), &s->err);
  fastio_reader_close(s->reader);
  fastio_source_close(s->source);
}

static void echo_lines_work(void) {
  streams s = open_streams();
  const char *data;
  size_t size;
  while (fastio_next_line(s.reader, &data, &size, &s.err) == FASTIO_OK) {
    char *room = fastio_reserve(s.writer, size + 1, &s.err);
    if (!room) break;
    memcpy(room, data, size);
    room[size] = '\n';
    fastio_commit(s.writer, room + size + 1, &s.err);
  }
  close_streams(&s);
}

/* Lines without "\r\n" or "\n", many at a time, and "\n" behind each. */
static void convert_lines_work(void) {
  static fastio_bytes lines[1024];
  streams s = open_streams();
  size_t count;
  while (fastio_next_lines(s.reader, lines, 1024, &count, &s.err) == FASTIO_OK)
    for (size_t i = 0; i < count; i++) {
      fastio_write(s.writer, lines[i].data, lines[i].size, &s.err);
      fastio_write(s.writer, "\n", 1, &s.err);
    }
  close_streams(&s);
}

static void copy_work(void) {
  streams s = open_streams();
  uint64_t copied;
  expect_ok(fastio_copy(s.source, s.writer, FASTIO_NO_OFFSET, &copied, &s.err), &s.err);
  close_streams(&s);
}

static void echo_lines(job *j) { with_streams(j, echo_lines_work); }
static void echo_batches(job *j) { with_streams(j, convert_lines_work); }
static void echo_copy(job *j) { with_streams(j, copy_work); }
static void crlf_lines(job *j) { with_streams(j, convert_lines_work); }

/* ---- threads on one stream ---- */

typedef struct share {
  fastio_writer *writer;
  long count;
} share;

static void *locked_lines(void *ctx) {
  const share *mine = ctx;
  for (long i = 0; i < mine->count; i++) fastio_print(mine->writer, i, " ", "a line of one thread\n");
  return NULL;
}

static void locked(job *j) {
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  const char *path = fresh_output();
  unsigned threads = j->threads ? j->threads : 2;
  pthread_t handles[2];
  share mine;
  fastio_error err;
  options.flags = FASTIO_WRITE_LOCKED;
  mine.count = INTS / 2 / (long)threads;
  job_start(j);
  expect_ok(fastio_writer_open(path, &options, &mine.writer, &err), &err);
  for (unsigned i = 0; i < threads; i++) pthread_create(handles + i, NULL, locked_lines, &mine);
  for (unsigned i = 0; i < threads; i++) pthread_join(handles[i], NULL);
  expect_ok(fastio_writer_close(mine.writer, &err), &err);
  job_stop(j);
  unlink(path);
  job_answer(j, "%d", INTS / 2);
}

static const job_entry entries[] = {
    {"ints", ints},
    {"ints_println", ints_println},
    {"ints_array", ints_array},
    {"uniform", uniform},
    {"uniform_array", uniform_array},
    {"bits", bits},
    {"bits_array", bits_array},
    {"fixed", fixed},
    {"fixed_array", fixed_array},
    {"hello", hello},
    {"echo_lines", echo_lines},
    {"echo_batches", echo_batches},
    {"echo_copy", echo_copy},
    {"crlf_lines", crlf_lines},
    {"locked", locked},
};

int main(int argc, char **argv) { return worker_main(argc, argv, entries, sizeof entries / sizeof *entries); }
