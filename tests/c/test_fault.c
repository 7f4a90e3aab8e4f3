/* Faults of the operating system, through the environment's read and pread: interruptions, short reads, bad blocks. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

enum { NUMBERS = 50000 };

static char path[] = "/tmp/fastio-test-fault-XXXXXX";
static size_t file_size;

typedef struct fault {
  pthread_mutex_t lock;
  uint64_t state;    /* of the random numbers */
  bool interrupts;   /* EINTR in front of half of the reads */
  bool is_short;     /* one byte, or a few, instead of what was asked for */
  uint64_t bad_from; /* EIO from this offset on (of sequential reads: what was read so far) */
  uint64_t done, calls;
} fault;

static uint64_t fault_random(fault *f) {
  pthread_mutex_lock(&f->lock); /* pread comes from any worker */
  f->state = f->state * 6364136223846793005u + 1442695040888963407u;
  f->calls++;
  uint64_t value = f->state >> 33;
  pthread_mutex_unlock(&f->lock);
  return value;
}

/* How much to read, or the negated errno. */
static int64_t plan(fault *f, size_t size, uint64_t offset) {
  uint64_t random = fault_random(f);
  if (f->interrupts && random % 2) return -EINTR;
  if (offset >= f->bad_from) return -EIO;
  if (size > f->bad_from - offset) size = (size_t)(f->bad_from - offset);
  if (f->is_short && size > 1) size = 1 + (size_t)(random / 2 % (size < 1000 ? size : 1000));
  return (int64_t)size;
}

static int64_t fault_pread(void *ctx, int fd, void *data, size_t size, uint64_t offset) {
  int64_t most = plan(ctx, size, offset);
  ssize_t got = most < 0 ? 0 : pread(fd, data, (size_t)most, (off_t)offset);
  return most < 0 ? most : got < 0 ? -errno : got;
}

static int64_t fault_read(void *ctx, int fd, void *data, size_t size) {
  fault *f = ctx;
  int64_t most = plan(f, size, f->done);
  ssize_t got = most < 0 ? 0 : read(fd, data, (size_t)most);
  if (most < 0) return most;
  if (got > 0) f->done += (uint64_t)got;
  return got < 0 ? -errno : got;
}

static fault new_fault(void) {
  fault f;
  memset(&f, 0, sizeof f);
  pthread_mutex_init(&f.lock, NULL);
  f.bad_from = UINT64_MAX;
  f.state = 42;
  return f;
}

static fastio_env env_of(fault *f) {
  fastio_env env = FASTIO_ENV_INIT;
  env.ctx = f;
  env.read = fault_read;
  env.pread = fault_pread;
  return env;
}

static void *feed(void *ctx) {
  char block[5000];
  int from = open(path, O_RDONLY), to = *(int *)ctx;
  ssize_t size;
  while ((size = read(from, block, sizeof block)) > 0)
    if (write(to, block, (size_t)size) != size) break;
  close(from);
  close(to);
  return NULL;
}

typedef struct feeder {
  pthread_t thread;
  int ends[2];
} feeder;

/* The file's bytes as a file, or through a pipe. */
static fastio_source *open_source(bool piped, const fastio_env *env, feeder *pipe_feeder) {
  fastio_source *source = NULL;
  if (!piped) {
    CHECK_STATUS(fastio_source_open(path, env, &source, NULL), FASTIO_OK);
    return source;
  }
  CHECK(pipe(pipe_feeder->ends) == 0);
  CHECK(pthread_create(&pipe_feeder->thread, NULL, feed, &pipe_feeder->ends[1]) == 0);
  CHECK_STATUS(fastio_source_fd(pipe_feeder->ends[0], env, &source, NULL), FASTIO_OK);
  return source;
}

static void close_source(bool piped, fastio_source *source, feeder *pipe_feeder) {
  fastio_source_close(source);
  if (!piped) return;
  close(pipe_feeder->ends[0]); /* the feeder's next write fails with EPIPE */
  pthread_join(pipe_feeder->thread, NULL);
}

static bool is_complete(const fastio_column *column) {
  bool same = column != NULL && column->length == NUMBERS;
  for (int64_t i = 0; same && i < NUMBERS; i++) same = ((const int64_t *)column->data)[i] == i * i;
  return same;
}

/* Nobody sees an interruption or a short read. */
static void bothersome_reads(bool piped, bool interrupts, bool is_short, unsigned threads) {
  fault f = new_fault();
  fastio_env env = env_of(&f);
  feeder pipe_feeder;
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  fastio_column *column = NULL;
  fastio_error err;
  f.interrupts = interrupts;
  f.is_short = is_short;
  options.env = &env;
  options.threads = threads;
  options.block_size = 10000;
  fastio_source *source = open_source(piped, &env, &pipe_feeder);
  CHECK_STATUS(fastio_read_ints(source, &options, &column, &err), FASTIO_OK);
  CHECK(is_complete(column));
  CHECK(f.calls > (piped && !is_short ? 1 : 10)); /* a pipe that is full gives much at once */
  fastio_column_free(column);
  close_source(piped, source, &pipe_feeder);
}

static void bothersome_reader(bool piped) {
  fault f = new_fault();
  fastio_env env = env_of(&f);
  feeder pipe_feeder;
  fastio_reader *reader;
  int64_t value = 0, count = 0;
  f.interrupts = f.is_short = true;
  fastio_source *source = open_source(piped, &env, &pipe_feeder);
  CHECK_STATUS(fastio_reader_open(source, NULL, &reader, NULL), FASTIO_OK);
  while (fastio_next_i64(reader, &value, NULL) == FASTIO_OK && value == count * count) count++;
  CHECK_INT(count, NUMBERS);
  fastio_reader_close(reader);
  close_source(piped, source, &pipe_feeder);
}

/* A bad block is an error of the operating system, with the place where the bytes end. */
static void bad_block(bool piped, uint64_t bad_from, unsigned threads) {
  fault f = new_fault();
  fastio_env env = env_of(&f);
  feeder pipe_feeder;
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  fastio_column *column = NULL;
  fastio_error err;
  f.bad_from = bad_from;
  options.env = &env;
  options.threads = threads;
  options.block_size = 10000;
  fastio_source *source = open_source(piped, &env, &pipe_feeder);
  CHECK_STATUS(fastio_read_ints(source, &options, &column, &err), FASTIO_OS_ERROR);
  CHECK(column == NULL);
  CHECK_INT(err.os_error, EIO);
  CHECK_INT(err.offset, bad_from);
  close_source(piped, source, &pipe_feeder);
}

/* What was read before the bad block can be had value by value. */
static void reader_up_to_the_bad_block(bool piped) {
  fault f = new_fault();
  fastio_env env = env_of(&f);
  feeder pipe_feeder;
  fastio_reader *reader;
  fastio_error err;
  fastio_status status;
  int64_t value = 0, count = 0;
  f.bad_from = 100000;
  fastio_source *source = open_source(piped, &env, &pipe_feeder);
  CHECK_STATUS(fastio_reader_open(source, NULL, &reader, NULL), FASTIO_OK);
  while ((status = fastio_next_i64(reader, &value, &err)) == FASTIO_OK && value == count * count) count++;
  CHECK_STATUS(status, FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, EIO);
  CHECK(count > 5000 && fastio_reader_offset(reader) > 90000);
  fastio_reader_close(reader);
  close_source(piped, source, &pipe_feeder);
}

/* A first error in the data is told before a bad block behind it. */
static void error_before_the_bad_block(unsigned threads) {
  fault f = new_fault();
  fastio_env env = env_of(&f);
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  fastio_column *column = NULL;
  fastio_error err;
  feeder none;
  f.bad_from = 200000;
  options.env = &env;
  options.threads = threads;
  options.block_size = 10000;
  options.type = FASTIO_INT16;
  fastio_source *source = open_source(false, &env, &none);
  CHECK_STATUS(fastio_read_ints(source, &options, &column, &err), FASTIO_OUT_OF_RANGE);
  CHECK_INT(err.line, 183); /* 182 * 182 = 33124 is the first beyond 32767 */
  close_source(false, source, &none);
}

int main(void) {
  int fd = mkstemp(path);
  FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
  if (file == NULL) return 1;
  for (int64_t i = 0; i < NUMBERS; i++) fprintf(file, "%" PRId64 "\n", i * i);
  file_size = (size_t)ftell(file);
  fclose(file);
  signal(SIGPIPE, SIG_IGN);
  for (int piped = 0; piped < 2; piped++) {
    for (unsigned threads = 1; threads <= 3; threads++) {
      bothersome_reads(piped, true, false, threads);
      bothersome_reads(piped, false, true, threads);
      bothersome_reads(piped, true, true, threads);
      bad_block(piped, 0, threads);
      bad_block(piped, 123456, threads);
      bad_block(piped, file_size - 1, threads);
    }
    bothersome_reader(piped);
    reader_up_to_the_bad_block(piped);
  }
  for (unsigned threads = 1; threads <= 3; threads++) error_before_the_bad_block(threads);
  unlink(path);
  return check_report();
}
