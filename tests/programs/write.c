/* Writes, and tells what went wrong where: write ACTION DEST SIZE. The programs of the other languages do the same
 * (see tests/test_bad_output.py). "STAGE ERRNO" on standard error and exit code 1, or nothing and 0. The environment
 * variables COMPRESSION, LEVEL, THREADS and ENCODING say how. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "fastio.h"

static char piece[1000];

typedef struct job {
  fastio_writer *writer;
  const char *dest;
  uint64_t size;
  fastio_error err;
} job;

static void leave(const char *stage, const fastio_error *err) {
  fprintf(stderr, "%s %d %s\n", stage, err->os_error, fastio_status_name(err->status));
  exit(1);
}

/* ---- what is written ---- */

static fastio_status write_pieces(job *j) {
  fastio_status status = FASTIO_OK;
  for (uint64_t left = j->size; left > 0 && status == FASTIO_OK;) {
    size_t size = left < sizeof piece ? (size_t)left : sizeof piece;
    status = fastio_write(j->writer, piece, size, &j->err);
    left -= size;
  }
  return status;
}

static fastio_status write_once(job *j) {
  char *data = calloc(1, (size_t)j->size + 1); /* pages that are never written take no memory */
  fastio_status status = fastio_write(j->writer, data, (size_t)j->size, &j->err);
  free(data);
  return status;
}

static fastio_status write_array(job *j, fastio_type type) {
  int64_t *values = calloc((size_t)j->size + 1, sizeof *values);
  fastio_array array = {type, values, 1, j->size, 0, 0, NULL};
  fastio_status status = fastio_write_array(j->writer, &array, NULL, &j->err);
  free(values);
  return status;
}

static fastio_status write_ints(job *j) { return write_array(j, FASTIO_INT64); }
static fastio_status write_floats(job *j) { return write_array(j, FASTIO_FLOAT64); }

/* A column of that many lines "x". */
static fastio_column *lines(uint64_t count) {
  char *text = malloc(2 * (size_t)count + 1);
  fastio_source *source;
  fastio_column *column = NULL;
  for (uint64_t i = 0; i < count; i++) memcpy(text + 2 * i, "x\n", 2);
  if (fastio_source_memory(text, 2 * (size_t)count, NULL, &source, NULL) != FASTIO_OK) abort();
  if (fastio_read_lines(source, NULL, &column, NULL) != FASTIO_OK) abort();
  fastio_source_close(source);
  free(text);
  return column;
}

static fastio_status write_lines(job *j) {
  fastio_column *column = lines(j->size);
  fastio_bytes end = {"\n", 1};
  fastio_status status = fastio_write_lines(j->writer, column, end, &j->err);
  fastio_column_free(column);
  return status;
}

static fastio_status write_csv(job *j) {
  const fastio_column *column = lines(j->size);
  fastio_bytes name = {"name", 4};
  fastio_table view = {j->size, 1, &column, &name, NULL, 0, 0, 0}, *table;
  if (fastio_table_new(&view, NULL, &table, NULL) != FASTIO_OK) abort();
  fastio_status status = fastio_write_csv(j->writer, table, NULL, &j->err);
  fastio_table_free(table);
  return status;
}

static fastio_status copy(job *j) {
  fastio_source *source;
  uint64_t copied;
  if (fastio_source_open("/dev/zero", NULL, &source, NULL) != FASTIO_OK) abort();
  fastio_status status = fastio_copy(source, j->writer, j->size, &copied, &j->err);
  fastio_source_close(source);
  return status;
}

static void *write_records(void *ctx) {
  job *j = ctx, own = *j;
  for (int i = 0; i < 1000; i++) {
    fastio_writer *writer = fastio_writer_lock(j->writer);
    for (int k = 0; k < 10; k++) fastio_write_i64(writer, i, &own.err);
    fastio_write(writer, "\n", 1, &own.err);
    if (fastio_writer_unlock(j->writer, &own.err) != FASTIO_OK) leave("write", &own.err);
  }
  return NULL;
}

/* Records of four threads on one locked writer. */
static fastio_status write_threads(job *j) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, write_records, j);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  return FASTIO_OK;
}

/* ---- special actions ---- */

/* The first failure is the one of every later call. */
static void stick(job *j) {
  int first;
  while (fastio_write(j->writer, piece, sizeof piece, &j->err) == FASTIO_OK) {}
  first = j->err.os_error;
  fprintf(stderr, "%d", first);
  fastio_write(j->writer, "x", 1, &j->err);
  fprintf(stderr, " %d", j->err.os_error);
  fastio_flush(j->writer, &j->err);
  fprintf(stderr, " %d", j->err.os_error);
  fastio_writer_close(j->writer, &j->err);
  fprintf(stderr, " %d\n", j->err.os_error);
  exit(1);
}

static void on_alarm(int number) { (void)number; }

/* A signal every millisecond, which interrupts what waits. */
static void be_interrupted(void) {
  struct sigaction action = {0};
  struct itimerval timer = {{0, 1000}, {0, 1000}};
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &timer, NULL);
}

static const struct {
  const char *name;
  fastio_status (*run)(job *j);
} actions[] = {{"pieces", write_pieces},  {"once", write_once},   {"ints", write_ints},   {"floats", write_floats},
               {"lines", write_lines},    {"csv", write_csv},     {"copy", copy},         {"flush", write_pieces},
               {"sync", write_pieces},    {"atomic", write_once}, {"append", write_once}, {"exclusive", write_once},
               {"threads", write_threads}};

static void run(const char *action, job *j) {
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  if (strcmp(action, "append") == 0) options.mode = FASTIO_APPEND;
  if (strcmp(action, "exclusive") == 0) options.mode = FASTIO_EXCLUSIVE;
  if (strcmp(action, "atomic") == 0) options.flags = FASTIO_WRITE_ATOMIC;
  if (strcmp(action, "threads") == 0) options.flags = FASTIO_WRITE_LOCKED;
  if (getenv("COMPRESSION") != NULL) options.compression = getenv("COMPRESSION");
  if (getenv("LEVEL") != NULL) options.level = atoi(getenv("LEVEL"));
  if (getenv("THREADS") != NULL) options.threads = (unsigned)atoi(getenv("THREADS"));
  options.encoding = getenv("ENCODING");
  if (fastio_writer_open(j->dest, &options, &j->writer, &j->err) != FASTIO_OK) leave("open", &j->err);
  if (strcmp(action, "stick") == 0) stick(j);
  for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
    if (strcmp(action, actions[i].name) != 0 || actions[i].run(j) == FASTIO_OK) continue;
    fastio_error failure = j->err;
    if (fastio_writer_close(j->writer, NULL) == FASTIO_OK) leave("forgotten", &failure);
    leave("write", &failure);
  }
  if (strcmp(action, "flush") == 0 && fastio_flush(j->writer, &j->err) != FASTIO_OK) leave("flush", &j->err);
  if (strcmp(action, "sync") == 0 && fastio_sync(j->writer, &j->err) != FASTIO_OK) leave("sync", &j->err);
  if (fastio_writer_close(j->writer, &j->err) != FASTIO_OK) leave("close", &j->err);
}

int main(int argc, char **argv) {
  job j;
  memset(&j, 0, sizeof j);
  memset(piece, 'x', sizeof piece);
  if (argc != 4) return 2;
  if (getenv("INTERRUPTED") != NULL) be_interrupted();
  j.dest = argv[2];
  j.size = strtoull(argv[3], NULL, 10);
  run(argv[1], &j);
  return 0;
}
