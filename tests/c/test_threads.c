/* Distinct handles are independent: many threads read, each on its own, while another one changes the instruction set.
 * Meant for the thread sanitizer. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { NUMBERS = 20000, WORKERS = 4, ROUNDS = 6 };

static char path[] = "/tmp/fastio-test-threads-XXXXXX";
static char *text;
static size_t text_size;
static atomic_bool done;
static atomic_int wrong;

static void expect(bool ok) {
  if (!ok) atomic_fetch_add(&wrong, 1);
}

static int64_t total_of(const fastio_column *column) {
  int64_t total = 0;
  for (uint64_t i = 0; i < column->length; i++) total += ((const int64_t *)column->data)[i];
  return total;
}

static void read_once(fastio_source *source, unsigned threads) {
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  fastio_column *column = NULL;
  options.threads = threads;
  options.block_size = 3000;
  expect(fastio_read_ints(source, &options, &column, NULL) == FASTIO_OK);
  expect(column != NULL && column->length == NUMBERS && total_of(column) == (int64_t)NUMBERS * (NUMBERS - 1) / 2);
  fastio_column_free(column);
  fastio_source_close(source);
}

static void pull_once(void) {
  fastio_source *source;
  fastio_reader *reader;
  int64_t values[100], total = 0;
  size_t count;
  expect(fastio_source_open(path, NULL, &source, NULL) == FASTIO_OK);
  expect(fastio_reader_open(source, NULL, &reader, NULL) == FASTIO_OK);
  while (fastio_next_i64s(reader, values, 100, &count, NULL) == FASTIO_OK)
    for (size_t i = 0; i < count; i++) total += values[i];
  expect(total == (int64_t)NUMBERS * (NUMBERS - 1) / 2);
  fastio_reader_close(reader);
  fastio_source_close(source);
}

static void count_once(void) {
  fastio_source *source;
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  uint64_t lines = 0;
  options.threads = 2;
  options.block_size = 5000;
  expect(fastio_source_open(path, NULL, &source, NULL) == FASTIO_OK);
  expect(fastio_count_lines(source, &options, &lines, NULL) == FASTIO_OK && lines == NUMBERS);
  fastio_source_close(source);
}

static void *work(void *ctx) {
  (void)ctx;
  for (int round = 0; round < ROUNDS; round++) {
    fastio_source *source;
    expect(fastio_source_open(path, NULL, &source, NULL) == FASTIO_OK);
    read_once(source, 3);
    expect(fastio_source_memory(text, text_size, NULL, &source, NULL) == FASTIO_OK);
    read_once(source, 2);
    pull_once();
    count_once();
  }
  return NULL;
}

static void *change_instruction_set(void *ctx) {
  (void)ctx;
  for (size_t i = 0; !atomic_load(&done); i++) {
    const char *name = fastio_cpu_name(i % 4);
    expect(fastio_cpu_select(name) == FASTIO_OK); /* NULL past the last: the best one */
    usleep(100);
  }
  return NULL;
}

int main(void) {
  pthread_t workers[WORKERS], changer;
  int fd = mkstemp(path);
  text = malloc(NUMBERS * 8);
  for (int i = 0; i < NUMBERS; i++) text_size += (size_t)sprintf(text + text_size, "%d\n", i);
  if (fd < 0 || write(fd, text, text_size) != (ssize_t)text_size) return 1;
  close(fd);
  CHECK(pthread_create(&changer, NULL, change_instruction_set, NULL) == 0);
  for (int i = 0; i < WORKERS; i++) CHECK(pthread_create(&workers[i], NULL, work, NULL) == 0);
  for (int i = 0; i < WORKERS; i++) pthread_join(workers[i], NULL);
  atomic_store(&done, true);
  pthread_join(changer, NULL);
  CHECK_INT(atomic_load(&wrong), 0);
  unlink(path);
  free(text);
  return check_report();
}
