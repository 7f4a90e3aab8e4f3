/* fastio_copy: from everything to everything, with and without the system's help, files that change, failures. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIZE = 700001 }; /* more than a pipe holds, no multiple of anything */

static char from_path[] = "/tmp/fastio-test-copy-from-XXXXXX", to_path[] = "/tmp/fastio-test-copy-to-XXXXXX";
static char data[SIZE];

/* ---- threads at the other ends of pipes ---- */

typedef struct end {
  int fd;
  pthread_t thread;
  char *got;
  size_t size;
} end;

static void *feed(void *ctx) {
  end *e = ctx;
  for (size_t done = 0; done < e->size;) {
    ssize_t n = write(e->fd, data + done, e->size - done < 50000 ? e->size - done : 50000);
    if (n <= 0) break;
    done += (size_t)n;
  }
  close(e->fd);
  return NULL;
}

static void *drain(void *ctx) {
  end *e = ctx;
  ssize_t n;
  while ((n = read(e->fd, e->got + e->size, 2 * SIZE - e->size)) > 0) e->size += (size_t)n;
  close(e->fd);
  return NULL;
}

static void two_ends(bool is_socket, int ends[2]) {
  CHECK_INT(is_socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends), 0);
}

/* ---- sources ---- */

typedef enum source_kind {
  FROM_FILE,
  FROM_FD,
  FROM_PIPE,
  FROM_SOCKET,
  FROM_STREAM,
  FROM_MEMORY,
  FROM_DEVICE,
  FROM_KINDS
} source_kind;
typedef enum sink_kind {
  TO_FILE,
  TO_APPEND,
  TO_FD,
  TO_ATOMIC,
  TO_PIPE,
  TO_SOCKET,
  TO_STREAM,
  TO_MEMORY,
  TO_DEVICE,
  TO_KINDS
} sink_kind;

static const char *const from_names[] = {"file", "fd", "pipe", "socket", "stream", "memory", "device"};
static const char *const to_names[] = {"file",   "append", "fd",     "atomic", "pipe",
                                       "socket", "stream", "memory", "device"};

static fastio_status device_read(void *ctx, void *out, size_t size, size_t *got, fastio_error *err) {
  size_t *at = ctx, part = SIZE - *at < 10007 ? SIZE - *at : 10007;
  (void)err;
  *got = part < size ? part : size;
  memcpy(out, data + *at, *got);
  *at += *got;
  return FASTIO_OK;
}

typedef struct input {
  fastio_source *source;
  int fd;
  FILE *stream;
  end feeder;
  size_t device_at;
} input;

static void input_open(input *in, source_kind kind, const fastio_env *env) {
  fastio_device device = {&in->device_at, device_read, NULL};
  fastio_status status = FASTIO_OK;
  int ends[2];
  memset(in, 0, sizeof *in);
  in->fd = -1;
  if (kind == FROM_FD) in->fd = open(from_path, O_RDONLY);
  if (kind == FROM_PIPE || kind == FROM_SOCKET) {
    two_ends(kind == FROM_SOCKET, ends);
    in->fd = ends[0];
    in->feeder = (end){ends[1], 0, NULL, SIZE};
    pthread_create(&in->feeder.thread, NULL, feed, &in->feeder);
  }
  if (kind == FROM_STREAM) in->stream = fopen(from_path, "r");
  if (kind == FROM_FILE) status = fastio_source_open(from_path, env, &in->source, NULL);
  if (kind == FROM_FD || kind == FROM_PIPE || kind == FROM_SOCKET)
    status = fastio_source_fd(in->fd, env, &in->source, NULL);
  if (kind == FROM_STREAM) status = fastio_source_stdio(in->stream, env, &in->source, NULL);
  if (kind == FROM_MEMORY) status = fastio_source_memory(data, SIZE, env, &in->source, NULL);
  if (kind == FROM_DEVICE) status = fastio_source_device(&device, env, &in->source, NULL);
  CHECK_STATUS(status, FASTIO_OK);
}

static void input_close(input *in) {
  fastio_source_close(in->source);
  if (in->fd >= 0) close(in->fd);
  if (in->stream) fclose(in->stream);
  if (in->feeder.size) pthread_join(in->feeder.thread, NULL);
}

/* ---- sinks ---- */

static fastio_status device_write(void *ctx, const void *bytes, size_t size, size_t *put, fastio_error *err) {
  end *e = ctx;
  (void)err;
  *put = size < 12345 ? size : 12345;
  memcpy(e->got + e->size, bytes, *put);
  e->size += *put;
  return FASTIO_OK;
}

typedef struct output {
  fastio_writer *writer;
  int fd;
  FILE *stream;
  end e;
  bool has_drainer;
} output;

static void output_open(output *out, sink_kind kind, const fastio_env *env) {
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  fastio_output_device device = {&out->e, device_write, NULL, NULL};
  fastio_status status = FASTIO_OK;
  int ends[2];
  memset(out, 0, sizeof *out);
  out->fd = -1;
  out->e.got = malloc(2 * SIZE);
  options.env = env;
  if (kind == TO_APPEND) options.mode = FASTIO_APPEND;
  if (kind == TO_ATOMIC) options.flags = FASTIO_WRITE_ATOMIC;
  if (kind == TO_FD) out->fd = open(to_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (kind == TO_PIPE || kind == TO_SOCKET) {
    two_ends(kind == TO_SOCKET, ends);
    out->fd = ends[1];
    out->e.fd = ends[0];
    out->has_drainer = true;
    pthread_create(&out->e.thread, NULL, drain, &out->e);
  }
  if (kind == TO_STREAM) out->stream = fopen(to_path, "w");
  if (kind == TO_FILE || kind == TO_APPEND || kind == TO_ATOMIC)
    status = fastio_writer_open(to_path, &options, &out->writer, NULL);
  if (kind == TO_FD || kind == TO_PIPE || kind == TO_SOCKET)
    status = fastio_writer_fd(out->fd, &options, &out->writer, NULL);
  if (kind == TO_STREAM) status = fastio_writer_stdio(out->stream, &options, &out->writer, NULL);
  if (kind == TO_MEMORY) status = fastio_writer_memory(&options, &out->writer, NULL);
  if (kind == TO_DEVICE) status = fastio_writer_device(&device, &options, &out->writer, NULL);
  CHECK_STATUS(status, FASTIO_OK);
}

/* Closes it; then e.got and e.size are what has arrived. */
static void output_close(output *out, sink_kind kind) {
  fastio_bytes bytes;
  if (kind == TO_MEMORY) {
    CHECK_STATUS(fastio_writer_bytes(out->writer, &bytes, NULL), FASTIO_OK);
    memcpy(out->e.got, bytes.data, bytes.size);
    out->e.size = bytes.size;
  }
  CHECK_STATUS(fastio_writer_close(out->writer, NULL), FASTIO_OK);
  if (out->fd >= 0) close(out->fd);
  if (out->stream) fclose(out->stream);
  if (out->has_drainer) pthread_join(out->e.thread, NULL);
  if (kind <= TO_ATOMIC || kind == TO_STREAM) {
    int fd = open(to_path, O_RDONLY);
    ssize_t n = read(fd, out->e.got, 2 * SIZE);
    out->e.size = n > 0 ? (size_t)n : 0;
    close(fd);
    unlink(to_path);
  }
}

/* ---- the matrix ---- */

static int64_t hook_read(void *ctx, int fd, void *out, size_t size) {
  (void)ctx;
  ssize_t n = read(fd, out, size < 30000 ? size : 30000);
  return n < 0 ? -errno : n;
}

static int64_t hook_write(void *ctx, int fd, const void *bytes, size_t size) {
  uint64_t *written = ctx;
  ssize_t n = write(fd, bytes, size < 40000 ? size : 40000);
  if (n > 0) *written += (uint64_t)n;
  return n < 0 ? -errno : n;
}

/* A head that goes through the writer, a part, the rest, a tail. `reads_head`: somebody has read from the source. */
static void copy_one(source_kind from, sink_kind to, bool hooked, bool redirected) {
  uint64_t written = 0, copied = 99;
  fastio_env env = FASTIO_ENV_INIT;
  const fastio_env *used = hooked ? &env : NULL;
  fastio_writer *front = NULL;
  input in;
  output out;
  env.ctx = &written;
  env.read = hook_read;
  env.write = hook_write;
  input_open(&in, from, used);
  output_open(&out, to, used);
  front = out.writer;
  if (redirected) {
    CHECK_STATUS(fastio_writer_memory(NULL, &front, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_writer_redirect(front, out.writer, NULL), FASTIO_OK);
  }
  CHECK_STATUS(fastio_write(front, "head", 4, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_copy(in.source, front, 0, &copied, NULL), FASTIO_OK);
  CHECK_INT(copied, 0);
  CHECK_STATUS(fastio_copy(in.source, front, 300000, &copied, NULL), FASTIO_OK);
  CHECK_INT(copied, 300000);
  CHECK_STATUS(fastio_write(front, "middle", 6, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_copy(in.source, front, FASTIO_NO_OFFSET, &copied, NULL), FASTIO_OK);
  CHECK_INT(copied, SIZE - 300000);
  CHECK_STATUS(fastio_copy(in.source, front, FASTIO_NO_OFFSET, &copied, NULL), FASTIO_OK);
  CHECK_INT(copied, 0);
  CHECK_STATUS(fastio_write(front, "tail", 4, NULL), FASTIO_OK);
  CHECK_INT(fastio_writer_offset(front), SIZE + 14);
  CHECK_INT(fastio_writer_offset(out.writer), SIZE + 14);
  if (from == FROM_FD) CHECK_INT(lseek(in.fd, 0, SEEK_CUR), SIZE);
  if (redirected) CHECK_STATUS(fastio_writer_close(front, NULL), FASTIO_OK);
  output_close(&out, to);
  input_close(&in);
  bool same = out.e.size == SIZE + 14 && memcmp(out.e.got, "head", 4) == 0 &&
              memcmp(out.e.got + 4, data, 300000) == 0 && memcmp(out.e.got + 300004, "middle", 6) == 0 &&
              memcmp(out.e.got + 300010, data + 300000, SIZE - 300000) == 0 &&
              memcmp(out.e.got + SIZE + 10, "tail", 4) == 0;
  check_that(same, __FILE__, __LINE__, "%s to %s, hooked %d, redirected %d: %zu other bytes", from_names[from],
             to_names[to], hooked, redirected, out.e.size);
  bool by_write = hooked && to != TO_STREAM && to != TO_MEMORY && to != TO_DEVICE;
  CHECK_INT(written, by_write ? SIZE + 14 : 0); /* with a hook nothing else writes */
  free(out.e.got);
}

static void test_matrix(void) {
  for (int from = 0; from < FROM_KINDS; from++)
    for (int to = 0; to < TO_KINDS; to++) {
      copy_one((source_kind)from, (sink_kind)to, false, false);
      copy_one((source_kind)from, (sink_kind)to, true, false);
      copy_one((source_kind)from, (sink_kind)to, false, true);
    }
}

/* ---- whole files ---- */

static size_t size_of(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 ? (size_t)status.st_size : 0;
}

/* Nothing before and nothing behind: what a shared extent is for. */
static void test_whole_file(void) {
  for (unsigned flags = 0; flags <= FASTIO_WRITE_LOCKED; flags += FASTIO_WRITE_LOCKED) {
    fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
    fastio_source *source = NULL;
    fastio_writer *w = NULL;
    uint64_t copied = 0;
    options.flags = flags;
    CHECK_STATUS(fastio_source_open(from_path, NULL, &source, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_writer_open(to_path, &options, &w, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_copy(source, w, FASTIO_NO_OFFSET, &copied, NULL), FASTIO_OK);
    CHECK_INT(copied, SIZE);
    CHECK_INT(fastio_source_size(source), 0);
    CHECK_STATUS(fastio_write(w, "+", 1, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
    CHECK_INT(size_of(to_path), SIZE + 1);
    fastio_source_close(source);
    unlink(to_path);
  }
}

/* A file behind itself: it is as long as it was. */
static void test_onto_itself(void) {
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  fastio_source *source = NULL;
  fastio_writer *w = NULL;
  uint64_t copied = 0;
  FILE *file = fopen(to_path, "w");
  fputs("twice ", file);
  fclose(file);
  options.mode = FASTIO_APPEND;
  CHECK_STATUS(fastio_source_open(to_path, NULL, &source, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_open(to_path, &options, &w, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_copy(source, w, FASTIO_NO_OFFSET, &copied, NULL), FASTIO_OK);
  CHECK_INT(copied, 6);
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  CHECK_INT(size_of(to_path), 12);
  fastio_source_close(source);
  unlink(to_path);
}

/* Files whose size is no more than a guess. */
static void test_system_files(void) {
  static const char *const paths[] = {"/proc/self/status", "/sys/kernel/mm/transparent_hugepage/enabled", "/dev/null"};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    fastio_source *source = NULL;
    fastio_writer *w = NULL;
    uint64_t copied = 0;
    if (fastio_source_open(paths[i], NULL, &source, NULL) != FASTIO_OK) continue;
    CHECK_STATUS(fastio_writer_open(to_path, NULL, &w, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_copy(source, w, FASTIO_NO_OFFSET, &copied, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
    CHECK((copied > 0) == (i < 2));
    CHECK_INT(size_of(to_path), copied);
    fastio_source_close(source);
    unlink(to_path);
  }
}

/* A file that shrinks while it is copied. */
typedef struct shrinking {
  int fd;
  size_t size;
} shrinking;

static fastio_status shrink_write(void *ctx, const void *bytes, size_t size, size_t *put, fastio_error *err) {
  shrinking *s = ctx;
  (void)bytes, (void)err;
  CHECK_INT(ftruncate(s->fd, (off_t)s->size), 0);
  *put = size;
  return FASTIO_OK;
}

static void test_shrinking(void) {
  shrinking s = {open(to_path, O_RDWR | O_CREAT | O_TRUNC, 0600), 300000};
  fastio_output_device device = {&s, shrink_write, NULL, NULL};
  fastio_source *source = NULL;
  fastio_writer *w = NULL;
  fastio_error err;
  uint64_t copied = 0;
  CHECK_INT(write(s.fd, data, SIZE), SIZE);
  CHECK_STATUS(fastio_source_open(to_path, NULL, &source, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_device(&device, NULL, &w, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_copy(source, w, FASTIO_NO_OFFSET, &copied, &err), FASTIO_TRUNCATED);
  CHECK(copied >= 262144 && copied < SIZE);
  CHECK_INT(err.offset, copied);
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK); /* what was copied is written: the failure was the source's */
  fastio_source_close(source);
  close(s.fd);
  unlink(to_path);
}

/* ---- failures ---- */

static void test_failures(void) {
  fastio_source *source = NULL;
  fastio_writer *w = NULL;
  fastio_error err;
  uint64_t copied = 99;
  int ends[2];
  CHECK_STATUS(fastio_copy(NULL, NULL, 1, &copied, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_INT(copied, 0);
  /* The writer fails: it is told by the copy, and stays. */
  CHECK_STATUS(fastio_source_open(from_path, NULL, &source, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_open("/dev/full", NULL, &w, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_copy(source, w, FASTIO_NO_OFFSET, &copied, &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, ENOSPC);
  CHECK_STATUS(fastio_copy(source, w, FASTIO_NO_OFFSET, &copied, &err), FASTIO_OS_ERROR);
  CHECK_INT(copied, 0);
  CHECK_STATUS(fastio_writer_close(w, &err), FASTIO_OS_ERROR);
  fastio_source_close(source);
  /* The source fails: the writer does not. */
  CHECK_INT(pipe(ends), 0);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  CHECK_INT(write(ends[1], "some", 4), 4);
  CHECK_STATUS(fastio_source_fd(ends[0], NULL, &source, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_open(to_path, NULL, &w, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_copy(source, w, FASTIO_NO_OFFSET, &copied, &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, EAGAIN);
  CHECK_INT(err.offset, 4);
  CHECK_INT(copied, 4);
  CHECK_STATUS(fastio_write(w, " more", 5, &err), FASTIO_OK);
  CHECK_STATUS(fastio_writer_close(w, &err), FASTIO_OK);
  CHECK_INT(size_of(to_path), 9);
  fastio_source_close(source);
  close(ends[0]);
  close(ends[1]);
  unlink(to_path);
  /* A pipe that nobody reads any more. */
  CHECK_INT(pipe(ends), 0);
  close(ends[0]);
  CHECK_STATUS(fastio_source_open(from_path, NULL, &source, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_fd(ends[1], NULL, &w, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_copy(source, w, FASTIO_NO_OFFSET, NULL, &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, EPIPE);
  CHECK_STATUS(fastio_writer_close(w, &err), FASTIO_OS_ERROR);
  fastio_source_close(source);
  close(ends[1]);
}

/* Behind a reader that has looked ahead, the copy goes on where the source is; behind a sniff nothing is lost. */
static void test_peeked(void) {
  static const char text[] = "a,b\n1,2\n3,4\n";
  fastio_csv_options proposed;
  fastio_table *sample = NULL;
  fastio_source *source = NULL;
  fastio_writer *w = NULL;
  uint64_t copied = 0;
  int ends[2];
  CHECK_INT(pipe(ends), 0);
  CHECK_INT(write(ends[1], text, sizeof text - 1), sizeof text - 1);
  close(ends[1]);
  CHECK_STATUS(fastio_source_fd(ends[0], NULL, &source, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_sniff(source, NULL, &proposed, &sample, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_open(to_path, NULL, &w, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_copy(source, w, 5, &copied, NULL), FASTIO_OK);
  CHECK_INT(copied, 5);
  CHECK_STATUS(fastio_copy(source, w, FASTIO_NO_OFFSET, &copied, NULL), FASTIO_OK);
  CHECK_INT(copied, sizeof text - 1 - 5);
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  CHECK_INT(size_of(to_path), sizeof text - 1);
  fastio_table_free(sample);
  fastio_source_close(source);
  close(ends[0]);
  unlink(to_path);
}

int main(void) {
  int fd = mkstemp(from_path), other = mkstemp(to_path);
  if (fd < 0 || other < 0) return 2;
  signal(SIGPIPE, SIG_IGN);
  for (size_t i = 0; i < SIZE; i++) data[i] = (char)(i * 2654435761u >> 13);
  CHECK_INT(write(fd, data, SIZE), SIZE);
  close(fd);
  close(other);
  unlink(to_path);
  test_matrix();
  test_whole_file();
  test_onto_itself();
  test_system_files();
  test_shrinking();
  test_failures();
  test_peeked();
  unlink(from_path);
  return check_report();
}
