/* Reading ahead: pipes and sockets of any pace, whatever comes before, between and after start and stop. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "check.h"
#include "stored_gzip.h"

#include "../../libfastio/src/source/source.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint64_t random_state = 1;

static uint32_t random_below(uint32_t limit) {
  random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (uint32_t)(random_state >> 33) % limit;
}

/* The byte that belongs at an offset of every test's data. */
static uint8_t byte_at(uint64_t offset) { return (uint8_t)((offset * UINT64_C(0x9e3779b97f4a7c15)) >> 56); }

static bool is_right(const uint8_t *data, size_t size, uint64_t offset) {
  for (size_t i = 0; i < size; i++)
    if (data[i] != byte_at(offset + i)) return false;
  return true;
}

static void put_bytes(int fd, uint64_t offset, size_t size) {
  static _Thread_local uint8_t data[1 << 20];
  for (size_t i = 0; i < size; i++) data[i] = byte_at(offset + i);
  for (size_t done = 0; done < size;) {
    ssize_t n = write(fd, data + done, size - done);
    if (n <= 0) abort();
    done += (size_t)n;
  }
}

enum { PIPE, SOCKET, TCP, KINDS };

static void tcp_pair(int ends[2]) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 1) != 0) abort();
  if (getsockname(listener, (struct sockaddr *)&address, &size) != 0) abort();
  ends[1] = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(ends[1], (struct sockaddr *)&address, size) != 0) abort();
  ends[0] = accept(listener, NULL, NULL);
  close(listener);
}

/* ends[0] is read, ends[1] written. */
static void make_pair(int kind, int ends[2]) {
  if (kind == PIPE ? pipe(ends) != 0 : kind == SOCKET && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) abort();
  if (kind == TCP) tcp_pair(ends);
}

static fastio_source *open_end(int fd, const fastio_env *env) {
  fastio_source *source = NULL;
  if (!CHECK_STATUS(fastio_source_fd(fd, env, &source, NULL), FASTIO_OK)) abort();
  return source;
}

static void sleep_a_little(void) { nanosleep(&(struct timespec){0, 2000000}, NULL); }

/* Until somebody has taken all that was written. */
static bool is_drained(int fd) {
  for (int i = 0; i < 5000; i++) {
    int left = 1;
    if (ioctl(fd, FIONREAD, &left) == 0 && left == 0) return true;
    sleep_a_little();
  }
  return false;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Reads exactly that much, which is right from `offset` on. */
static bool reads_right(fastio_source *source, uint64_t offset, size_t size) {
  static uint8_t data[300000];
  while (size > 0) {
    size_t got = 0;
    if (fastio__source_read(source, data, size < sizeof data ? size : sizeof data, &got, NULL) != FASTIO_OK)
      return false;
    if (got == 0 || !is_right(data, got, offset)) return false;
    offset += got;
    size -= got;
  }
  return true;
}

static bool is_at_end(fastio_source *source) {
  uint8_t data[16];
  size_t got = 1;
  return fastio__source_read(source, data, sizeof data, &got, NULL) == FASTIO_OK && got == 0;
}

static int open_descriptors(void) {
  int count = 0;
  for (int fd = 0; fd < 256; fd++) count += fcntl(fd, F_GETFD) >= 0;
  return count;
}

/* ---- any order of things ---- */

typedef struct feed {
  int fd;
  size_t size, part; /* parts of up to so many bytes */
  unsigned pauses;   /* one in so many parts is followed by a pause; 0: none */
} feed;

static void *write_feed(void *ctx) {
  const feed *f = ctx;
  uint64_t state = f->part;
  size_t done = 0;
  for (unsigned i = 1; done < f->size; i++) {
    static _Thread_local uint8_t data[1 << 18];
    size_t size;
    state = state * UINT64_C(6364136223846793005) + 1;
    size = 1 + (size_t)(state >> 33) % f->part;
    if (size > f->size - done) size = f->size - done;
    for (size_t k = 0; k < size; k++) data[k] = byte_at(done + k);
    for (size_t put = 0; put < size;) {
      ssize_t n = write(f->fd, data + put, size - put);
      if (n <= 0) return NULL;
      put += (size_t)n;
    }
    done += size;
    if (f->pauses && i % f->pauses == 0) sleep_a_little();
  }
  close(f->fd);
  return NULL;
}

/* One random step; false at the end. */
static bool step(fastio_source *source, uint64_t *offset, uint8_t *data, size_t most) {
  const uint8_t *seen;
  size_t got = 0, wanted = 1 + random_below((uint32_t)most);
  switch (random_below(12)) {
    case 0: fastio__source_ahead_start(source); break;
    case 1: fastio__source_ahead_stop(source); break;
    case 2: sleep_a_little(); break;
    case 3:
      CHECK_STATUS(fastio__source_peek(source, wanted, &seen, &got, NULL), FASTIO_OK);
      CHECK(is_right(seen, got, *offset));
      break;
    default:
      CHECK_STATUS(fastio__source_read(source, data, wanted, &got, NULL), FASTIO_OK);
      if (!CHECK(is_right(data, got, *offset)) || got == 0) return false;
      *offset += got;
  }
  return true;
}

static void any_order(int kind, size_t size, size_t part, unsigned pauses, size_t most) {
  uint8_t *data = malloc(most);
  feed f = {-1, size, part, pauses};
  uint64_t offset = 0;
  pthread_t writer;
  int ends[2];
  make_pair(kind, ends);
  fastio_source *source = open_end(ends[0], NULL);
  f.fd = ends[1];
  if (pthread_create(&writer, NULL, write_feed, &f) != 0) abort();
  while (step(source, &offset, data, most)) continue;
  CHECK_INT(offset, size);
  pthread_join(writer, NULL);
  CHECK(is_at_end(source));
  fastio_source_close(source);
  close(ends[0]);
  free(data);
}

/* ---- what the thread is for, and what it must not do ---- */

/* Bytes are taken though nobody asks; they stay when it stops. */
static void takes_ahead(int kind) {
  const uint8_t *seen = NULL;
  size_t got = 0;
  int ends[2];
  make_pair(kind, ends);
  fastio_source *source = open_end(ends[0], NULL);
  put_bytes(ends[1], 0, 1000);
  fastio__source_ahead_start(source);
  CHECK(is_drained(ends[0]));
  for (int i = 1; i < 100; i++) put_bytes(ends[1], (uint64_t)i * 1000, 1000);
  CHECK(is_drained(ends[0]));
  fastio__source_ahead_stop(source);
  CHECK(fastio__source_has_ahead(source));
  put_bytes(ends[1], 100000, 500);
  CHECK_STATUS(fastio__source_peek(source, 70000, &seen, &got, NULL), FASTIO_OK);
  CHECK(got >= 70000 && is_right(seen, got, 0));
  CHECK(reads_right(source, 0, 100500));
  CHECK(!fastio__source_has_ahead(source));
  close(ends[1]);
  CHECK(is_at_end(source));
  fastio_source_close(source);
  close(ends[0]);
}

/* Whoever writes may wait for an answer before writing more. */
static void *answer(void *ctx) {
  const int *ends = ctx;
  uint8_t byte;
  for (unsigned i = 0; i < 200; i++) {
    if (i % 10 == 0) sleep_a_little();
    put_bytes(ends[0], (uint64_t)i * 10, 10);
    if (read(ends[1], &byte, 1) != 1) break;
  }
  return NULL;
}

static void hands_on_at_once(int kind) {
  int there[2], back[2];
  pthread_t other;
  make_pair(kind, there);
  make_pair(PIPE, back);
  fastio_source *source = open_end(there[0], NULL);
  fastio__source_ahead_start(source);
  int others_ends[2] = {there[1], back[0]};
  if (pthread_create(&other, NULL, answer, others_ends) != 0) abort();
  for (unsigned i = 0; i < 200; i++) {
    CHECK(reads_right(source, (uint64_t)i * 10, 10));
    if (i % 7 == 0) sleep_a_little();
    put_bytes(back[1], 0, 1);
  }
  pthread_join(other, NULL);
  fastio_source_close(source); /* stops it */
  for (int i = 0; i < 2; i++) close(there[i]), close(back[i]);
}

static void stops_at_once(int kind) {
  double worst = 0;
  int ends[2], before;
  make_pair(kind, ends);
  before = open_descriptors();
  fastio_source *source = open_end(ends[0], NULL);
  for (unsigned i = 0; i < 1000; i++) {
    double began;
    fastio__source_ahead_start(source);
    if (i % 100 == 0) sleep_a_little(); /* else it hardly begins */
    if (i % 3 == 0) put_bytes(ends[1], i / 3 * 100, 100);
    if (i % 6 == 0) CHECK(reads_right(source, i / 6 * 100, 100));
    began = seconds();
    fastio__source_ahead_stop(source);
    if (seconds() - began > worst) worst = seconds() - began;
    fastio__source_ahead_stop(source); /* a second one does nothing */
  }
  CHECK(worst < 2); /* nobody writes any more */
  CHECK(reads_right(source, 16700, 33400 - 16700));
  CHECK_INT(open_descriptors(), before);
  fastio__source_ahead_start(source);
  fastio__source_ahead_start(source); /* nor does this */
  fastio_source_close(source);
  CHECK_INT(open_descriptors(), before);
  close(ends[0]), close(ends[1]);
}

/* More than it has room for. */
static void leaves_the_rest(int kind) {
  feed f = {-1, 3 << 20, 100000, 0};
  pthread_t writer;
  int ends[2];
  make_pair(kind, ends);
  fastio_source *source = open_end(ends[0], NULL);
  f.fd = ends[1];
  fastio__source_ahead_start(source);
  if (pthread_create(&writer, NULL, write_feed, &f) != 0) abort();
  for (int i = 0; i < 20; i++) sleep_a_little();
  fastio__source_ahead_stop(source);
  CHECK(fastio__source_has_ahead(source));
  CHECK(reads_right(source, 0, 10));
  fastio__source_ahead_start(source);
  CHECK(reads_right(source, 10, (2 << 20) - 10));
  for (int i = 0; i < 5; i++) sleep_a_little();
  fastio__source_ahead_stop(source);
  CHECK(reads_right(source, 2 << 20, 1 << 20));
  CHECK(is_at_end(source));
  pthread_join(writer, NULL);
  fastio_source_close(source);
  close(ends[0]);
}

/* ---- ends and failures ---- */

static void end_and_more(void) {
  char directory[] = "/tmp/fastio-test-ahead-XXXXXX", path[64];
  int in, out;
  if (!mkdtemp(directory)) abort();
  snprintf(path, sizeof path, "%s/fifo", directory);
  if (mkfifo(path, 0600) != 0) abort();
  in = open(path, O_RDONLY | O_NONBLOCK);
  CHECK(fcntl(in, F_SETFL, 0) == 0);
  fastio_source *source = open_end(in, NULL);
  for (unsigned i = 0; i < 4; i++) {
    out = open(path, O_WRONLY);
    put_bytes(out, (uint64_t)i * 5000, 5000);
    close(out);
    if (i != 1) fastio__source_ahead_start(source);
    for (int k = 0; k < 3; k++) sleep_a_little();
    if (i == 2) fastio__source_ahead_stop(source);
    CHECK(reads_right(source, (uint64_t)i * 5000, 5000));
    CHECK(is_at_end(source));
    CHECK(is_at_end(source)); /* asked anew */
    if (i == 3) {             /* it has ended, not stopped */
      out = open(path, O_WRONLY);
      put_bytes(out, 20000, 50);
      CHECK(reads_right(source, 20000, 50));
      close(out);
    }
    fastio__source_ahead_stop(source);
  }
  fastio_source_close(source);
  close(in);
  unlink(path);
  rmdir(directory);
}

/* The end, read ahead but not told before it stops, is told once. */
static void end_is_kept(void) {
  int ends[2];
  make_pair(PIPE, ends);
  fastio_source *source = open_end(ends[0], NULL);
  put_bytes(ends[1], 0, 100);
  close(ends[1]);
  fastio__source_ahead_start(source);
  CHECK(is_drained(ends[0]));
  for (int i = 0; i < 50; i++) sleep_a_little();
  fastio__source_ahead_stop(source);
  fastio__source_ahead_start(source); /* not before it is told */
  fastio__source_ahead_stop(source);
  CHECK(fastio__source_has_ahead(source));
  CHECK(reads_right(source, 0, 100));
  CHECK(fastio__source_has_ahead(source));
  CHECK(is_at_end(source));
  CHECK(!fastio__source_has_ahead(source));
  fastio_source_close(source);
  close(ends[0]);
}

/* Unix: who closes a socket and leaves bytes unread resets it. */
static void reset(void) {
  uint8_t data[16];
  size_t got = 0;
  fastio_error err;
  int ends[2];
  make_pair(SOCKET, ends);
  fastio_source *source = open_end(ends[0], NULL);
  put_bytes(ends[0], 0, 1);
  put_bytes(ends[1], 0, 5000);
  fastio__source_ahead_start(source);
  CHECK(is_drained(ends[0]));
  close(ends[1]);
  for (int i = 0; i < 5; i++) sleep_a_little();
  CHECK(reads_right(source, 0, 5000));
#ifdef __linux__ /* others call it the end */
  CHECK_STATUS(fastio__source_read(source, data, sizeof data, &got, &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, ECONNRESET);
  CHECK_INT(err.offset, 5000);
#else
  (void)data, (void)got, (void)err;
#endif
  CHECK(is_at_end(source));
  fastio__source_ahead_stop(source);
  fastio_source_close(source);
  close(ends[0]);
}

/* A read that fails and interrupts as it is told. */
typedef struct moody {
  atomic_uint calls;
  atomic_int left; /* bytes before the failure; -1: none */
  int error;
} moody;

static int64_t read_moodily(void *ctx, int fd, void *data, size_t size) {
  moody *m = ctx;
  unsigned call = atomic_fetch_add(&m->calls, 1);
  int left = atomic_load(&m->left);
  ssize_t n;
  if (call % 5 == 1) return -EINTR;
  if (left == 0) {
    atomic_store(&m->left, -1);
    return -m->error;
  }
  if (left > 0 && size > (size_t)left) size = (size_t)left;
  n = read(fd, data, size);
  if (n > 0 && left > 0) atomic_store(&m->left, left - (int)n);
  return n >= 0 ? n : -errno;
}

static void failure_in_its_place(bool stopped, int left) {
  moody m = {0, left, EIO};
  fastio_env env = FASTIO_ENV_INIT;
  const uint8_t *seen;
  uint8_t data[16];
  size_t got = 0;
  fastio_error err;
  int ends[2];
  env.ctx = &m;
  env.read = read_moodily;
  make_pair(PIPE, ends);
  fastio_source *source = open_end(ends[0], &env);
  put_bytes(ends[1], 0, 9000);
  fastio__source_ahead_start(source);
  while (atomic_load(&m.left) >= 0) sleep_a_little();
  if (stopped) fastio__source_ahead_stop(source);
  if (left > 0) CHECK(reads_right(source, 0, (size_t)left - 1));
  CHECK_STATUS(fastio__source_peek(source, 2, &seen, &got, &err), FASTIO_OS_ERROR);
  CHECK(got == (left > 0) && is_right(seen, got, (uint64_t)left - 1));
  if (left > 0) CHECK(reads_right(source, (uint64_t)left - 1, 1));
  CHECK_STATUS(fastio__source_read(source, data, sizeof data, &got, &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, EIO);
  CHECK(got == 0);
  CHECK(reads_right(source, (uint64_t)left, 9000 - (size_t)left)); /* it goes on behind */
  fastio__source_ahead_stop(source);
  fastio_source_close(source);
  close(ends[0]), close(ends[1]);
}

/* Bytes stay in order since nobody reads while another one does; and what a thread that nobody has asked finds missing
 * is no failure. */
typedef struct careful {
  pthread_t caller;
  atomic_int inside;
  atomic_uint meetings, ahead;
} careful;

static int64_t read_carefully(void *ctx, int fd, void *data, size_t size) {
  careful *c = ctx;
  bool is_ahead = !pthread_equal(c->caller, pthread_self());
  ssize_t n = -1;
  if (atomic_fetch_add(&c->inside, 1) > 0) atomic_fetch_add(&c->meetings, 1);
  if (is_ahead) {
    unsigned call = atomic_fetch_add(&c->ahead, 1);
    if (call % 3 == 1) {
      atomic_fetch_sub(&c->inside, 1);
      return -EAGAIN;
    }
    if (size > 700) size = 700;
  }
  n = read(fd, data, size);
  if (is_ahead) sleep_a_little(); /* it has some, which nobody can see yet */
  atomic_fetch_sub(&c->inside, 1);
  return n >= 0 ? n : -errno;
}

static void one_at_a_time(int kind) {
  careful c = {.caller = pthread_self()};
  feed f = {-1, 200000, 3000, 1};
  fastio_env env = FASTIO_ENV_INIT;
  pthread_t writer;
  int ends[2];
  env.ctx = &c;
  env.read = read_carefully;
  make_pair(kind, ends);
  fastio_source *source = open_end(ends[0], &env);
  f.fd = ends[1];
  fastio__source_ahead_start(source);
  if (pthread_create(&writer, NULL, write_feed, &f) != 0) abort();
  for (unsigned i = 0; i < 200; i++) {
    CHECK(reads_right(source, (uint64_t)i * 1000, 1000));
    if (i % 4 == 0)
      for (unsigned k = 0; k < 1 + i % 3; k++) sleep_a_little();
  }
  CHECK(is_at_end(source));
  CHECK(atomic_load(&c.meetings) == 0 && atomic_load(&c.ahead) > 3);
  pthread_join(writer, NULL);
  fastio_source_close(source);
  close(ends[0]);
}

static void closed_descriptor(void) {
  uint8_t data[16];
  size_t got;
  fastio_error err;
  int ends[2];
  make_pair(PIPE, ends);
  fastio_source *source = open_end(ends[0], NULL);
  close(ends[0]), close(ends[1]);
  fastio__source_ahead_start(source);
  CHECK_STATUS(fastio__source_read(source, data, sizeof data, &got, &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, EBADF);
  fastio__source_ahead_stop(source);
  fastio_source_close(source);
}

/* A descriptor that does not block fails as it does without a thread, and loses nothing. */
static void does_not_block(void) {
  uint8_t data[16];
  size_t got;
  fastio_error err;
  int ends[2];
  make_pair(PIPE, ends);
  CHECK(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
  fastio_source *source = open_end(ends[0], NULL);
  fastio__source_ahead_start(source);
  for (unsigned i = 0; i < 20; i++) {
    CHECK_STATUS(fastio__source_read(source, data, sizeof data, &got, &err), FASTIO_OS_ERROR);
    CHECK(err.os_error == EAGAIN && got == 0);
    put_bytes(ends[1], (uint64_t)i * 1000, 1000);
    if (i % 2) CHECK(is_drained(ends[0]));
    CHECK(reads_right(source, (uint64_t)i * 1000, 1000));
  }
  fastio__source_ahead_stop(source);
  fastio_source_close(source);
  close(ends[0]), close(ends[1]);
}

/* ---- a signal ends the wait of the calling thread ---- */

static atomic_bool was_called, has_ended;
static void note_signal(int number) { atomic_store(&was_called, number != 0); }

static int64_t read_until_signal(void *ctx, int fd, void *data, size_t size) {
  ssize_t n = read(fd, data, size);
  (void)ctx;
  if (n < 0 && errno == EINTR && atomic_load(&was_called)) return -ECANCELED;
  return n >= 0 ? n : -errno;
}

static void *send_signal(void *ctx) {
  while (!atomic_load(&has_ended)) { /* the first may come before it waits */
    sleep_a_little();
    pthread_kill(*(pthread_t *)ctx, SIGUSR1);
  }
  return NULL;
}

static void signal_ends_the_wait(void) {
  struct sigaction action = {.sa_handler = note_signal}, before;
  fastio_env env = FASTIO_ENV_INIT;
  pthread_t other, self = pthread_self();
  uint8_t data[16];
  size_t got;
  fastio_error err;
  int ends[2];
  env.read = read_until_signal;
  make_pair(PIPE, ends);
  fastio_source *source = open_end(ends[0], &env);
  sigaction(SIGUSR1, &action, &before);
  fastio__source_ahead_start(source);
  put_bytes(ends[1], 0, 10);
  CHECK(is_drained(ends[0]));
  CHECK(reads_right(source, 0, 10));
  atomic_store(&was_called, false);
  if (pthread_create(&other, NULL, send_signal, &self) != 0) abort();
  CHECK_STATUS(fastio__source_read(source, data, sizeof data, &got, &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, ECANCELED);
  atomic_store(&has_ended, true);
  pthread_join(other, NULL);
  fastio__source_ahead_stop(source);
  put_bytes(ends[1], 10, 10);
  CHECK(reads_right(source, 10, 10));
  sigaction(SIGUSR1, &before, NULL);
  fastio_source_close(source);
  close(ends[0]), close(ends[1]);
}

/* ---- sources that it leaves alone, and poor circumstances ---- */

static fastio_status read_nothing(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  (void)ctx, (void)data, (void)size, (void)err;
  *got = 0;
  return FASTIO_OK;
}

static void check_alone(fastio_source *source) {
  fastio__source_ahead_start(source);
  CHECK(source->ahead == NULL);
  fastio__source_ahead_stop(source);
  CHECK(!fastio__source_has_ahead(source));
  fastio_source_close(source);
}

static void others(void) {
  fastio_device device = {.read = read_nothing};
  fastio_source *source;
  FILE *file;
  int ends[2];
  CHECK_STATUS(fastio_source_memory("1 2", 3, NULL, &source, NULL), FASTIO_OK);
  check_alone(source);
  CHECK_STATUS(fastio_source_device(&device, NULL, &source, NULL), FASTIO_OK);
  check_alone(source);
  file = tmpfile();
  CHECK(file && fputs("1 2\n", file) >= 0 && fflush(file) == 0 && fseek(file, 0, SEEK_SET) == 0);
  CHECK_STATUS(fastio_source_fd(fileno(file), NULL, &source, NULL), FASTIO_OK);
  CHECK(source->kind == FASTIO__FILE);
  check_alone(source);
  fclose(file);
  CHECK_STATUS(fastio_source_open("/dev/null", NULL, &source, NULL), FASTIO_OK);
  check_alone(source);
  make_pair(PIPE, ends);
  file = fdopen(ends[0], "rb");
  CHECK_STATUS(fastio_source_stdio(file, NULL, &source, NULL), FASTIO_OK);
  check_alone(source);
  fclose(file);
  close(ends[1]);
  CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0); /* a read of the wrong size loses the rest */
  check_alone(open_end(ends[0], NULL));
  close(ends[0]), close(ends[1]);
}

static bool gives_memory = true;
static void *allocate_maybe(void *ctx, size_t size) { return (void)ctx, gives_memory ? malloc(size) : NULL; }
static void *reallocate_it(void *ctx, void *block, size_t old_size, size_t new_size) {
  (void)ctx, (void)old_size;
  return realloc(block, new_size);
}
static void release_it(void *ctx, void *block, size_t size) {
  (void)ctx, (void)size;
  free(block);
}

static void check_without(int *ends, const fastio_env *env) {
  fastio_source *source = open_end(ends[0], env);
  struct rlimit before, none;
  getrlimit(RLIMIT_NOFILE, &before);
  none = before;
  none.rlim_cur = 3;
  if (env) gives_memory = false;
  else setrlimit(RLIMIT_NOFILE, &none); /* no descriptor to wake it by */
  fastio__source_ahead_start(source);
  gives_memory = true;
  setrlimit(RLIMIT_NOFILE, &before);
  put_bytes(ends[1], 0, 100);
  sleep_a_little();
  CHECK(!fastio__source_has_ahead(source));
  CHECK(reads_right(source, 0, 100));
  fastio__source_ahead_stop(source);
  fastio__source_ahead_start(source); /* times get better */
  put_bytes(ends[1], 100, 100);
  CHECK(is_drained(ends[0]));
  fastio__source_ahead_stop(source);
  CHECK(reads_right(source, 100, 100));
  fastio_source_close(source);
}

static void without(void) {
  fastio_env env = FASTIO_ENV_INIT;
  int ends[2];
  env.allocate = allocate_maybe;
  env.reallocate = reallocate_it;
  env.release = release_it;
  make_pair(PIPE, ends);
  check_without(ends, &env);
  check_without(ends, NULL);
  close(ends[0]), close(ends[1]);
}

/* ---- readers ---- */

/* Text of numbers, each ten bytes long: at offset 10 i stands i. */
static void numbers_text(const void *ctx, uint64_t offset, uint8_t *data, size_t size) {
  (void)ctx;
  for (size_t i = 0; i < size; i++, offset++) {
    uint64_t number = offset / 10;
    for (unsigned k = 8; k > offset % 10; k--) number /= 10;
    data[i] = offset % 10 == 9 ? '\n' : (uint8_t)('0' + number % 10);
  }
}

typedef struct text_feed {
  int fd;
  uint64_t count;
  bool compressed, pauses;
} text_feed;

static void *write_text(void *ctx) {
  const text_feed *f = ctx;
  stored_gzip *gzip = calloc(1, sizeof *gzip);
  static uint8_t data[60000];
  uint64_t offset = 0;
  gzip->text = numbers_text;
  gzip->size = f->count * 10;
  for (unsigned i = 0;; i++) {
    size_t size = 0;
    if (f->compressed) {
      if (stored_read(gzip, data, sizeof data, &size, NULL) != FASTIO_OK) abort();
    } else {
      size = f->count * 10 - offset < sizeof data ? (size_t)(f->count * 10 - offset) : sizeof data;
      numbers_text(NULL, offset, data, size);
      offset += size;
    }
    if (size == 0) break;
    for (size_t put = 0; put < size;) {
      ssize_t n = write(f->fd, data + put, size - put);
      if (n <= 0) abort();
      put += (size_t)n;
    }
    if (f->pauses && i % 16 == 0) sleep_a_little();
  }
  free(gzip);
  close(f->fd);
  return NULL;
}

static void read_numbers(int kind, bool compressed, bool pauses) {
  enum { COUNT = 1000000 };
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  fastio_column *column = NULL;
  fastio_error err;
  text_feed f = {-1, COUNT, compressed, pauses};
  uint64_t wrong = 0;
  pthread_t writer;
  int ends[2], before = open_descriptors();
  make_pair(kind, ends);
  fastio_source *source = open_end(ends[0], NULL);
  f.fd = ends[1];
  options.threads = 3;
  if (pthread_create(&writer, NULL, write_text, &f) != 0) abort();
  CHECK_STATUS(fastio_read_ints(source, &options, &column, &err), FASTIO_OK);
  CHECK_INT(column ? column->length : 0, COUNT);
  for (uint64_t i = 0; column && i < column->length; i++) wrong += ((const int64_t *)column->data)[i] != (int64_t)i;
  CHECK_INT(wrong, 0);
  pthread_join(writer, NULL);
  fastio_column_free(column);
  fastio_source_close(source);
  close(ends[0]);
  CHECK_INT(open_descriptors(), before);
}

/* Copying goes on where a source is, not where its descriptor is. */
static void copy_what_is_left(void) {
  static uint8_t data[60000];
  fastio_writer *writer = NULL;
  uint64_t copied = 0;
  int ends[2], out[2];
  make_pair(PIPE, ends);
  make_pair(PIPE, out);
  fastio_source *source = open_end(ends[0], NULL);
  put_bytes(ends[1], 0, 30000);
  fastio__source_ahead_start(source);
  CHECK(is_drained(ends[0]));
  fastio__source_ahead_stop(source);
  CHECK(reads_right(source, 0, 100));
  put_bytes(ends[1], 30000, 20000);
  close(ends[1]);
  CHECK_STATUS(fastio_writer_fd(out[1], NULL, &writer, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_copy(source, writer, FASTIO_NO_OFFSET, &copied, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_close(writer, NULL), FASTIO_OK);
  close(out[1]);
  CHECK_INT(copied, 49900);
  size_t size = 0;
  for (ssize_t n; (n = read(out[0], data + size, sizeof data - size)) > 0;) size += (size_t)n;
  CHECK(size == 49900 && is_right(data, size, 100));
  fastio_source_close(source);
  close(ends[0]), close(out[0]);
}

int main(void) {
  alarm(300); /* rather than hang */
  signal(SIGPIPE, SIG_IGN);
  for (int kind = 0; kind < KINDS; kind++) {
    any_order(kind, 1 << 23, 200000, 0, 300000);
    any_order(kind, 1 << 22, 60000, 10, 20000);
    any_order(kind, 20000, 30, 100, 50);
    takes_ahead(kind);
    hands_on_at_once(kind);
    stops_at_once(kind);
    leaves_the_rest(kind);
    one_at_a_time(kind);
    read_numbers(kind, false, false);
    read_numbers(kind, false, true);
  }
  if (stored_is_readable()) {
    read_numbers(PIPE, true, false);
    read_numbers(SOCKET, true, true);
  }
  end_and_more();
  end_is_kept();
  reset();
  for (int left = 0; left <= 5000; left += 2500) {
    failure_in_its_place(false, left);
    failure_in_its_place(true, left);
  }
  closed_descriptor();
  does_not_block();
  signal_ends_the_wait();
  others();
  without();
  copy_what_is_left();
  return check_report();
}
