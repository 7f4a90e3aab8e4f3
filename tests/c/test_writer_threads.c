/* Many threads on one locked writer: no torn line, no lost one, whichever way they write. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "check.h"

#include <pthread.h>

enum { THREADS = 4, LINES = 4000, LONG_LINE = 300 };

static fastio_writer *shared, *front;

typedef struct job {
  int number;
  pthread_t thread;
  unsigned failures;
} job;

/* "t NN n NNNN xxx...x\n": its length follows from its number. */
static size_t line_of(int thread, int n, char *out) {
  size_t size = (size_t)sprintf(out, "t %02d n %04d ", thread, n), fill = (size_t)(thread * 31 + n * 7) % LONG_LINE;
  memset(out + size, 'a' + thread, fill);
  out[size + fill] = '\n';
  return size + fill + 1;
}

/* One line in several calls, held together. */
static fastio_status write_parts(fastio_writer *writer, int thread, int n, const char *line, size_t size) {
  fastio_writer *w = fastio_writer_lock(writer);
  fastio_format two = FASTIO_FORMAT_INIT, four = FASTIO_FORMAT_INIT;
  char *room;
  two.width = 2;
  four.width = 4;
  two.fill = four.fill = '0';
  fastio_write_text(w, "t ", NULL);
  fastio_write_i64_as(w, thread, &two, NULL);
  fastio_write_text(writer, " n ", NULL); /* the thread that holds it may also use its own handle */
  fastio_write_i64_as(w, n, &four, NULL);
  room = fastio_reserve(w, size - 11, NULL);
  if (room) memcpy(room, line + 11, size - 11);
  if (room) fastio_commit(w, room + size - 11, NULL);
  return fastio_writer_unlock(writer, NULL);
}

static void *work(void *ctx) {
  job *j = ctx;
  char line[LONG_LINE + 64];
  for (int n = 0; n < LINES; n++) {
    size_t size = line_of(j->number, n, line);
    fastio_writer *w = n % 2 ? shared : front;
    fastio_bytes pieces[2] = {{line, size / 3}, {line + size / 3, size - size / 3}};
    fastio_status status = n % 3 == 0   ? fastio_write(w, line, size, NULL)
                           : n % 3 == 1 ? fastio_write_pieces(w, pieces, 2, NULL)
                                        : write_parts(w, j->number, n, line, size);
    if (status != FASTIO_OK || (n % 100 == 0 && fastio_flush(w, NULL) != FASTIO_OK)) j->failures++;
    if (fastio_writer_error(w, NULL) != FASTIO_OK || fastio_writer_offset(w) < size) j->failures++;
  }
  return NULL;
}

/* Every line once, whole, and those of a thread in their order. */
static void check_lines(const char *data, size_t size) {
  int next[THREADS] = {0};
  size_t at = 0;
  while (at < size) {
    char due[LONG_LINE + 64];
    int thread = size - at > 4 ? data[at + 3] - '0' : -1;
    size_t length;
    if (!CHECK(thread >= 0 && thread < THREADS)) return;
    length = line_of(thread, next[thread]++, due);
    if (!CHECK(size - at >= length && memcmp(data + at, due, length) == 0)) return;
    at += length;
  }
  for (int t = 0; t < THREADS; t++) CHECK_INT(next[t], LINES);
}

/* `is_redirected`: half of the lines come by way of another locked writer. */
static void run(int buffering, size_t buffer_size, bool is_redirected) {
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  FILE *file = tmpfile();
  job jobs[THREADS];
  char *data;
  long size;
  options.flags = FASTIO_WRITE_LOCKED;
  options.buffering = buffering;
  options.buffer_size = buffer_size;
  CHECK_STATUS(fastio_writer_fd(fileno(file), &options, &shared, NULL), FASTIO_OK);
  front = shared;
  if (is_redirected) {
    CHECK_STATUS(fastio_writer_memory(&options, &front, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_writer_redirect(front, shared, NULL), FASTIO_OK);
  }
  for (int i = 0; i < THREADS; i++) {
    jobs[i] = (job){i, 0, 0};
    pthread_create(&jobs[i].thread, NULL, work, &jobs[i]);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(jobs[i].thread, NULL);
    CHECK_INT(jobs[i].failures, 0);
  }
  if (is_redirected) CHECK_STATUS(fastio_writer_close(front, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_close(shared, NULL), FASTIO_OK);
  fseek(file, 0, SEEK_END);
  size = ftell(file);
  data = malloc((size_t)size + 1);
  rewind(file);
  CHECK_INT(fread(data, 1, (size_t)size, file), size);
  check_lines(data, (size_t)size);
  free(data);
  fclose(file);
}

int main(void) {
  run(FASTIO_BUFFER_FULL, 0, false);
  run(FASTIO_BUFFER_FULL, 1000, false);
  run(FASTIO_BUFFER_LINES, 0, false);
  run(FASTIO_BUFFER_NONE, 50, false);
  run(FASTIO_BUFFER_FULL, 0, true);
  return check_report();
}
