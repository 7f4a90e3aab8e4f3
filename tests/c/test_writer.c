/* Writers: every kind of them, every buffering, any size of the buffer; redirection; memory. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/fastio-test-writer-XXXXXX";

/* A file of that name in the test's directory. The text lives until the eighth call after this one. */
static const char *in_directory(const char *name) {
  static char texts[8][256];
  static unsigned next;
  char *text = texts[next++ % 8];
  snprintf(text, sizeof texts[0], "%s/%s", directory, name);
  return text;
}

/* ---- what has come out ---- */

typedef struct text {
  char data[1 << 20];
  size_t size;
} text;

static void text_add(text *t, const void *data, size_t size) {
  memcpy(t->data + t->size, data, size);
  t->size += size;
}

static void read_back(const char *path, text *out) {
  int fd = open(path, O_RDONLY);
  ssize_t got = fd < 0 ? 0 : read(fd, out->data, sizeof out->data);
  out->size = got > 0 ? (size_t)got : 0;
  if (fd >= 0) close(fd);
}

static void check_file(const char *path, const char *due) {
  static text got;
  read_back(path, &got);
  check_that(got.size == strlen(due) && memcmp(got.data, due, got.size) == 0, __FILE__, __LINE__,
             "%s holds \"%.*s\", not \"%s\"", path, (int)got.size, got.data, due);
}

static void write_file(const char *path, const char *content) {
  FILE *file = fopen(path, "w");
  fputs(content, file);
  fclose(file);
}

static unsigned files_in_directory(void) {
  DIR *entries = opendir(directory);
  unsigned count = 0;
  for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
    count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
  closedir(entries);
  return count;
}

static int lowest_free_fd(void) {
  int fd = open("/", O_RDONLY);
  close(fd);
  return fd;
}

/* ---- a device that keeps what it gets, and how ---- */

typedef struct record {
  text all;
  size_t sizes[4096]; /* of each call */
  size_t calls, flushes, closes;
  size_t most; /* bytes it takes at once */
} record;

static fastio_status record_write(void *ctx, const void *data, size_t size, size_t *put, fastio_error *err) {
  record *r = ctx;
  (void)err;
  *put = r->most && size > r->most ? r->most : size;
  text_add(&r->all, data, *put);
  if (r->calls < sizeof r->sizes / sizeof *r->sizes) r->sizes[r->calls] = *put;
  r->calls++;
  return FASTIO_OK;
}

static fastio_status record_flush(void *ctx, fastio_error *err) {
  (void)err;
  ((record *)ctx)->flushes++;
  return FASTIO_OK;
}

static fastio_status record_close(void *ctx, fastio_error *err) {
  (void)err;
  ((record *)ctx)->closes++;
  return FASTIO_OK;
}

static fastio_writer *record_open(record *r, const fastio_write_options *options) {
  fastio_output_device device = {r, record_write, record_flush, record_close};
  fastio_writer *writer = NULL;
  memset(r, 0, sizeof *r);
  CHECK_STATUS(fastio_writer_device(&device, options, &writer, NULL), FASTIO_OK);
  return writer;
}

/* ---- the same bytes, whichever way ---- */

/* One of everything that writes, three times over; what should come out is put together beside it. */
static void write_everything(fastio_writer *w, text *due) {
  static char large[40000];
  const unsigned char bytes[] = {0, 0x7f, 0xff};
  fastio_format wide = {FASTIO_FIXED, 2, 0, 0, 10, '*', NULL};
  char line[256];
  memset(large, 'L', sizeof large);
  large[sizeof large / 2] = '\n';
  due->size = 0;
  for (int64_t i = 0; i < 3; i++) {
    fastio_bytes pieces[40];
    char *room;
    CHECK_STATUS(fastio_write(w, "Hello World\n", 12, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_write(w, "", 0, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_write_i64(w, INT64_MIN + i, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_write_u64(w, UINT64_MAX - (uint64_t)i, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_write_f64(w, 0.1, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_write_f32(w, 0.1f, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_write_bool(w, 1, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_write_bool(w, 0, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_write_pointer(w, (void *)(uintptr_t)0x1f, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_write_hex(w, bytes, sizeof bytes, 0, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_write_hex(w, bytes, sizeof bytes, 1, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_write_date(w, 19782, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_write_time(w, INT64_C(86399500000000), NULL), FASTIO_OK);
    CHECK_STATUS(fastio_write_timestamp(w, INT64_C(1709251199000000000), FASTIO_TIMESTAMP_UTC, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_write_text(w, "text\n", NULL), FASTIO_OK);
    CHECK_STATUS(fastio_write_f64_as(w, 2.5, &wide, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_write_f32_as(w, 2.5f, &wide, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_write_i64_as(w, -7, &wide, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_write_u64_as(w, 7, &wide, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_write_text_as(w, "ab", 2, &wide, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_write_text_as(w, "\n", 1, NULL, NULL), FASTIO_OK);
    snprintf(line, sizeof line,
             "Hello World\n%" PRId64 "%" PRIu64 "0.10.1truefalse0x1f007fff007FFF2024-02-2923:59:59.500"
             "2024-02-29T23:59:59Ztext\n******2.50******2.50********-7*********7ab********\n",
             INT64_MIN + i, UINT64_MAX - (uint64_t)i);
    text_add(due, line, strlen(line));
    for (size_t p = 0; p < 40; p++) {
      pieces[p] = (fastio_bytes){"0123456789\n", p % 12};
      text_add(due, pieces[p].data, pieces[p].size);
    }
    CHECK_STATUS(fastio_write_pieces(w, pieces, 40, NULL), FASTIO_OK);
    room = fastio_reserve(w, 100, NULL);
    CHECK(room != NULL);
    if (room) memset(room, 'r', 50);
    CHECK_STATUS(fastio_commit(w, room + 50, NULL), FASTIO_OK);
    text_add(due, "rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr", 50);
    CHECK_STATUS(fastio_write(w, large, sizeof large, NULL), FASTIO_OK);
    text_add(due, large, sizeof large);
    if (i == 1) CHECK_STATUS(fastio_flush(w, NULL), FASTIO_OK);
    CHECK_INT(fastio_writer_offset(w), due->size);
  }
}

typedef enum kind { PATH, ATOMIC, APPENDED, DESCRIPTOR, PIPE, STREAM, MEMORY, BUFFER, DEVICE, KINDS } kind;

static const char *const kind_names[KINDS] = {"path",   "atomic", "appended", "descriptor", "pipe",
                                              "stream", "memory", "buffer",   "device"};

typedef struct destination {
  fastio_writer *writer;
  FILE *stream;
  int fd, pipe_end;
  char *buffer;
  record *device;
} destination;

enum { PIPE_ROOM = 1 << 20, BUFFER_ROOM = 1 << 20 };

static void destination_open(destination *d, kind k, fastio_write_options options) {
  const char *path = in_directory("out");
  fastio_status status = FASTIO_OK;
  int ends[2];
  memset(d, 0, sizeof *d);
  d->fd = d->pipe_end = -1;
  if (k == APPENDED) options.mode = FASTIO_APPEND;
  if (k == ATOMIC) options.flags |= FASTIO_WRITE_ATOMIC;
  if (k == DESCRIPTOR) d->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (k == STREAM) d->stream = fopen(path, "w");
  if (k == PIPE && pipe(ends) == 0) {
    fcntl(ends[1], F_SETPIPE_SZ, PIPE_ROOM);
    d->pipe_end = ends[0];
    d->fd = ends[1];
  }
  if (k <= APPENDED) status = fastio_writer_open(path, &options, &d->writer, NULL);
  if (k == DESCRIPTOR || k == PIPE) status = fastio_writer_fd(d->fd, &options, &d->writer, NULL);
  if (k == STREAM) status = fastio_writer_stdio(d->stream, &options, &d->writer, NULL);
  if (k == MEMORY) status = fastio_writer_memory(&options, &d->writer, NULL);
  if (k == BUFFER)
    status = fastio_writer_buffer(d->buffer = malloc(BUFFER_ROOM), BUFFER_ROOM, &options, &d->writer, NULL);
  if (k == DEVICE) d->writer = record_open(d->device = malloc(sizeof *d->device), &options);
  CHECK_STATUS(status, FASTIO_OK);
}

static void read_pipe(int fd, text *out) {
  ssize_t got;
  for (out->size = 0; (got = read(fd, out->data + out->size, sizeof out->data - out->size)) > 0;)
    out->size += (size_t)got;
}

/* Closes everything and says what has arrived. */
static void destination_close(destination *d, kind k, text *out) {
  fastio_bytes bytes = {NULL, 0};
  out->size = 0;
  if (k == MEMORY || k == BUFFER) {
    CHECK_STATUS(fastio_writer_bytes(d->writer, &bytes, NULL), FASTIO_OK);
    text_add(out, bytes.data, bytes.size);
  }
  CHECK_STATUS(fastio_writer_close(d->writer, NULL), FASTIO_OK);
  if (d->stream) fclose(d->stream);
  if (d->fd >= 0) close(d->fd);
  if (k == PIPE) read_pipe(d->pipe_end, out);
  if (d->pipe_end >= 0) close(d->pipe_end);
  if (k == DEVICE) *out = d->device->all;
  if (k == DEVICE) CHECK_INT(d->device->closes, 1);
  if (k <= DESCRIPTOR || k == STREAM) read_back(in_directory("out"), out);
  unlink(in_directory("out"));
  free(d->buffer);
  free(d->device);
}

static void test_same_bytes(void) {
  static const size_t sizes[] = {0, 1, 2, 3, 7, 64, 73, 1000, 65536};
  static text got, due;
  for (int k = 0; k < KINDS; k++)
    for (int buffering = FASTIO_BUFFER_AUTO; buffering <= FASTIO_BUFFER_NONE; buffering++)
      for (unsigned locked = 0; locked <= 1; locked++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
          fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
          destination d;
          fastio_writer *w;
          options.buffering = buffering;
          options.buffer_size = sizes[s];
          if (locked) options.flags |= FASTIO_WRITE_LOCKED;
          destination_open(&d, (kind)k, options);
          w = locked ? fastio_writer_lock(d.writer) : d.writer;
          write_everything(w, &due);
          if (locked) CHECK_STATUS(fastio_writer_unlock(d.writer, NULL), FASTIO_OK);
          destination_close(&d, (kind)k, &got);
          check_that(got.size == due.size && memcmp(got.data, due.data, due.size) == 0, __FILE__, __LINE__,
                     "%s, buffering %d, locked %u, buffer of %zu: other bytes", kind_names[k], buffering, locked,
                     sizes[s]);
        }
}

/* ---- buffering ---- */

static void test_lines(void) {
  static record r;
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  fastio_writer *w;
  options.buffering = FASTIO_BUFFER_LINES;
  w = record_open(&r, &options);
  fastio_write(w, "one", 3, NULL);
  CHECK_INT(r.calls, 0);
  fastio_write(w, "\n", 1, NULL);
  CHECK_BYTES(r.all.data, r.all.size, "one\n");
  fastio_write(w, "two\nthr", 7, NULL);
  CHECK_BYTES(r.all.data, r.all.size, "one\ntwo\n");
  fastio_write_i64(w, 33, NULL);
  CHECK_BYTES(r.all.data, r.all.size, "one\ntwo\n");
  fastio_write(w, "\n", 1, NULL);
  CHECK_BYTES(r.all.data, r.all.size, "one\ntwo\nthr33\n");
  memcpy(fastio_reserve(w, 10, NULL), "in\nplace", 8);
  CHECK_STATUS(fastio_commit(w, fastio_reserve(w, 10, NULL) + 8, NULL), FASTIO_OK);
  CHECK_BYTES(r.all.data, r.all.size, "one\ntwo\nthr33\nin\n");
  CHECK_INT(r.calls, 4);
  CHECK_STATUS(fastio_flush(w, NULL), FASTIO_OK);
  CHECK_BYTES(r.all.data, r.all.size, "one\ntwo\nthr33\nin\nplace");
  CHECK_INT(r.flushes, 1);
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  CHECK_INT(r.closes, 1);
}

static void test_unbuffered(void) {
  static record r;
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  fastio_bytes pieces[3] = {{"a", 1}, {"bc", 2}, {"d", 1}};
  fastio_writer *w;
  options.buffering = FASTIO_BUFFER_NONE;
  w = record_open(&r, &options);
  fastio_write(w, "x", 1, NULL);
  fastio_write_f64(w, 1.5, NULL);
  CHECK_INT(r.calls, 2);
  fastio_write_pieces(w, pieces, 3, NULL);
  CHECK_INT(r.calls, 3); /* one write, though a device takes but one run of bytes */
  CHECK_INT(fastio_writer_lock(w) == w, 1);
  fastio_write(w, "p", 1, NULL);
  fastio_write_i64(w, 1, NULL);
  CHECK_INT(fastio_writer_lock(w) == w, 1);
  fastio_write(w, "q", 1, NULL);
  CHECK_STATUS(fastio_writer_unlock(w, NULL), FASTIO_OK);
  CHECK_INT(r.calls, 3);
  CHECK_STATUS(fastio_writer_unlock(w, NULL), FASTIO_OK);
  CHECK_INT(r.calls, 4);
  CHECK_BYTES(r.all.data, r.all.size, "x1.5abcdp1q");
  fastio_write(w, "z", 1, NULL);
  CHECK_INT(r.calls, 5);
  fastio_writer_discard(w);
  CHECK_INT(r.closes, 1);
}

/* A full buffer leaves before what does not fit into it: calls are not torn. */
static void test_full(void) {
  static record r;
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  fastio_writer *w;
  options.buffer_size = 10;
  w = record_open(&r, &options);
  fastio_write(w, "1234", 4, NULL);
  fastio_write(w, "5678", 4, NULL);
  CHECK_INT(r.calls, 0);
  fastio_write(w, "90ab", 4, NULL);
  CHECK_BYTES(r.all.data, r.all.size, "12345678");
  fastio_write(w, "as long as twice the buffer", 27, NULL);
  CHECK_BYTES(r.all.data, r.all.size, "1234567890abas long as twice the buffer");
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  CHECK_INT(r.calls, 3);
}

/* What is left in a buffer when its writer is discarded goes nowhere. */
static void test_discard(void) {
  static record r;
  fastio_writer *w = record_open(&r, NULL);
  fastio_write(w, "gone", 4, NULL);
  fastio_writer_discard(w);
  CHECK_INT(r.all.size, 0);
  CHECK_INT(r.closes, 1);
  fastio_writer_discard(NULL);
  CHECK_STATUS(fastio_writer_close(NULL, NULL), FASTIO_OK);
}

static void test_terminal(void) {
  fastio_writer *w = NULL;
  char name[256], got[16] = "";
  int terminal = posix_openpt(O_RDWR | O_NOCTTY), other;
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0 || ptsname_r(terminal, name, sizeof name) != 0)
    return;
  CHECK_STATUS(fastio_writer_open(name, NULL, &w, NULL), FASTIO_OK);
  fastio_write(w, "line\nrest", 9, NULL);
  other = fcntl(terminal, F_SETFL, O_NONBLOCK);
  CHECK_INT(other, 0);
  CHECK_INT(read(terminal, got, sizeof got), 6); /* the terminal adds '\r' */
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  close(terminal);
}

/* ---- paths ---- */

static fastio_status put_file(const char *path, int mode, unsigned flags, unsigned permissions, const char *content,
                              fastio_error *err) {
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  fastio_writer *w;
  fastio_status status;
  options.mode = mode;
  options.flags = flags;
  options.permissions = permissions;
  status = fastio_writer_open(path, &options, &w, err);
  if (status != FASTIO_OK) return status;
  CHECK_STATUS(fastio_write_text(w, content, err), FASTIO_OK);
  return fastio_writer_close(w, err);
}

static unsigned permissions_of(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 ? status.st_mode & 07777 : 0;
}

static void test_modes(void) {
  const char *path = in_directory("modes");
  fastio_error err;
  int free_fd = lowest_free_fd();
  mode_t mask = umask(027);
  CHECK_STATUS(put_file(path, FASTIO_EXCLUSIVE, 0, 0, "one", &err), FASTIO_OK);
  CHECK_INT(permissions_of(path), 0640);
  CHECK_STATUS(put_file(path, FASTIO_EXCLUSIVE, 0, 0, "two", &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, EEXIST);
  check_file(path, "one");
  CHECK_STATUS(put_file(path, FASTIO_APPEND, FASTIO_WRITE_SYNC, 0, "+", &err), FASTIO_OK);
  check_file(path, "one+");
  CHECK_STATUS(put_file(path, FASTIO_TRUNCATE, 0, 0, "new", &err), FASTIO_OK);
  check_file(path, "new");
  unlink(path);
  CHECK_STATUS(put_file(path, FASTIO_APPEND, 0, 0755, "made", &err), FASTIO_OK);
  CHECK_INT(permissions_of(path), 0750);
  unlink(path);
  umask(mask);
  CHECK_STATUS(put_file(directory, FASTIO_TRUNCATE, 0, 0, "", &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, EISDIR);
  CHECK_STATUS(put_file(in_directory("no/file"), FASTIO_TRUNCATE, 0, 0, "", &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, ENOENT);
  CHECK_STATUS(put_file("/proc/version", FASTIO_TRUNCATE, 0, 0, "x", &err), FASTIO_OS_ERROR);
  CHECK(err.os_error == EACCES || err.os_error == EPERM || err.os_error == EIO);
  CHECK_INT(lowest_free_fd(), free_fd);
  CHECK_INT(files_in_directory(), 0);
}

/* Two writers that append to one file don't overwrite each other, and whole calls stay whole. */
static void test_append_together(void) {
  const char *path = in_directory("log");
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  fastio_writer *a, *b;
  options.mode = FASTIO_APPEND;
  options.buffer_size = 16;
  CHECK_STATUS(fastio_writer_open(path, &options, &a, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_open(path, &options, &b, NULL), FASTIO_OK);
  for (int i = 0; i < 100; i++) {
    fastio_write(a, "aaaaaa\n", 7, NULL);
    fastio_write(b, "bbbbb\n", 6, NULL);
  }
  CHECK_STATUS(fastio_writer_close(a, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_close(b, NULL), FASTIO_OK);
  static text got;
  size_t whole = 0;
  read_back(path, &got);
  CHECK_INT(got.size, 1300);
  for (size_t at = 0; at < got.size; whole++) {
    size_t size = got.data[at] == 'a' ? 7 : 6;
    if (memcmp(got.data + at, size == 7 ? "aaaaaa\n" : "bbbbb\n", size) != 0) break;
    at += size;
  }
  CHECK_INT(whole, 200);
  unlink(path);
}

static void test_descriptor(void) {
  const char *path = in_directory("fd");
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  fastio_error err;
  fastio_writer *w = NULL;
  int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), here = open(directory, O_RDONLY);
  CHECK_INT(write(fd, "head", 4), 4);
  CHECK_STATUS(fastio_writer_fd(fd, NULL, &w, NULL), FASTIO_OK);
  CHECK_INT(fastio_writer_fileno(w), fd);
  fastio_write(w, "+tail", 5, NULL);
  CHECK_INT(fastio_writer_offset(w), 5);
  CHECK_STATUS(fastio_sync(w, NULL), FASTIO_OK);
  check_file(path, "head+tail");
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  CHECK_INT(fcntl(fd, F_GETFD) >= 0, 1); /* borrowed: still open */
  options.flags = FASTIO_WRITE_OWNED;
  CHECK_STATUS(fastio_writer_fd(fd, &options, &w, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  CHECK_INT(fcntl(fd, F_GETFD), -1);
  CHECK_STATUS(fastio_writer_fd(here, NULL, &w, &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, EISDIR);
  CHECK_STATUS(fastio_writer_fd(-1, NULL, &w, &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, EBADF);
  close(here);
  /* A descriptor that can't be written to: nothing says so before the first write. */
  fd = open(path, O_RDONLY);
  CHECK_STATUS(fastio_writer_fd(fd, &options, &w, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_write(w, "x", 1, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_close(w, &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, EBADF);
  CHECK_INT(err.offset, 0);
  CHECK_INT(fcntl(fd, F_GETFD), -1);
  unlink(path);
}

static void test_stream(void) {
  const char *path = in_directory("stream");
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  fastio_writer *w;
  FILE *file = fopen(path, "w");
  fputs("before ", file);
  CHECK_STATUS(fastio_writer_stdio(file, NULL, &w, NULL), FASTIO_OK);
  CHECK_INT(fastio_writer_fileno(w), fileno(file));
  fastio_write(w, "between ", 8, NULL);
  CHECK_STATUS(fastio_flush(w, NULL), FASTIO_OK);
  check_file(path, "before between ");
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  fputs("behind", file);
  options.flags = FASTIO_WRITE_OWNED;
  options.buffering = FASTIO_BUFFER_LINES;
  CHECK_STATUS(fastio_writer_stdio(file, &options, &w, NULL), FASTIO_OK);
  fastio_write(w, "\nlast", 5, NULL);
  check_file(path, "before between behind\n");
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  check_file(path, "before between behind\nlast");
  unlink(path);
}

static void test_close_on_exec(void) {
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  fastio_writer *w;
  CHECK_STATUS(fastio_writer_open(in_directory("exec"), &options, &w, NULL), FASTIO_OK);
  CHECK_INT(fcntl(fastio_writer_fileno(w), F_GETFD), FD_CLOEXEC);
  fastio_writer_discard(w);
  options.flags = FASTIO_WRITE_ATOMIC;
  CHECK_STATUS(fastio_writer_open(in_directory("exec"), &options, &w, NULL), FASTIO_OK);
  CHECK_INT(fcntl(fastio_writer_fileno(w), F_GETFD), FD_CLOEXEC);
  fastio_writer_discard(w);
  unlink(in_directory("exec"));
}

/* ---- replacing a file ---- */

static fastio_writer *atomic_open(const char *path, int mode) {
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  fastio_writer *w = NULL;
  options.mode = mode;
  options.flags = FASTIO_WRITE_ATOMIC;
  CHECK_STATUS(fastio_writer_open(path, &options, &w, NULL), FASTIO_OK);
  return w;
}

static void test_replace(void) {
  const char *path = in_directory("file");
  fastio_writer *w;
  write_file(path, "old");
  chmod(path, 0751);
  if (geteuid() == 0) CHECK_INT(chown(path, 12345, 54321), 0);
  w = atomic_open(path, FASTIO_TRUNCATE);
  fastio_write(w, "new", 3, NULL);
  CHECK_STATUS(fastio_flush(w, NULL), FASTIO_OK);
  check_file(path, "old");
  CHECK_INT(files_in_directory(), 2);
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  check_file(path, "new");
  CHECK_INT(files_in_directory(), 1);
  CHECK_INT(permissions_of(path), 0751);
  if (geteuid() == 0) {
    struct stat status;
    CHECK_INT(stat(path, &status), 0);
    CHECK_INT(status.st_uid, 12345);
    CHECK_INT(status.st_gid, 54321);
  }
  w = atomic_open(path, FASTIO_TRUNCATE);
  fastio_write(w, "newer", 5, NULL);
  fastio_writer_discard(w);
  check_file(path, "new");
  CHECK_INT(files_in_directory(), 1);
  unlink(path);
}

static void test_replace_nothing(void) {
  const char *path = in_directory("fresh");
  mode_t mask = umask(022);
  fastio_error err;
  CHECK_STATUS(put_file(path, FASTIO_TRUNCATE, FASTIO_WRITE_ATOMIC, 0, "made", &err), FASTIO_OK);
  check_file(path, "made");
  CHECK_INT(permissions_of(path), 0644);
  unlink(path);
  CHECK_STATUS(put_file(path, FASTIO_TRUNCATE, FASTIO_WRITE_ATOMIC, 0777, "", &err), FASTIO_OK);
  check_file(path, "");
  CHECK_INT(permissions_of(path), 0755);
  unlink(path);
  umask(mask);
  fastio_writer_discard(atomic_open(path, FASTIO_TRUNCATE));
  CHECK_INT(files_in_directory(), 0);
}

static void test_replace_exclusive(void) {
  const char *path = in_directory("only");
  fastio_writer *w;
  fastio_error err;
  CHECK_STATUS(put_file(path, FASTIO_EXCLUSIVE, FASTIO_WRITE_ATOMIC, 0, "first", &err), FASTIO_OK);
  check_file(path, "first");
  CHECK_STATUS(put_file(path, FASTIO_EXCLUSIVE, FASTIO_WRITE_ATOMIC, 0, "second", &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, EEXIST);
  unlink(path);
  w = atomic_open(path, FASTIO_EXCLUSIVE);
  fastio_write(w, "mine", 4, NULL);
  write_file(path, "theirs"); /* somebody was faster */
  CHECK_STATUS(fastio_writer_close(w, &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, EEXIST);
  check_file(path, "theirs");
  CHECK_INT(files_in_directory(), 1);
  unlink(path);
}

static void test_replace_links(void) {
  const char *path = in_directory("target"), *link = in_directory("link"), *chain = in_directory("chain"),
             *loop = in_directory("loop");
  fastio_error err;
  write_file(path, "old");
  CHECK_INT(symlink("target", link), 0); /* relative */
  CHECK_INT(symlink(link, chain), 0);    /* absolute */
  CHECK_INT(symlink("loop", loop), 0);
  CHECK_STATUS(put_file(chain, FASTIO_TRUNCATE, FASTIO_WRITE_ATOMIC, 0, "new", &err), FASTIO_OK);
  check_file(path, "new");
  char leads[64] = "";
  CHECK_INT(readlink(link, leads, sizeof leads), 6); /* the links stay */
  CHECK_INT(readlink(chain, leads, sizeof leads), strlen(link));
  CHECK_STATUS(put_file(loop, FASTIO_TRUNCATE, FASTIO_WRITE_ATOMIC, 0, "", &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, ELOOP);
  unlink(path); /* now they lead to where nothing is */
  CHECK_STATUS(put_file(chain, FASTIO_EXCLUSIVE, FASTIO_WRITE_ATOMIC, 0, "", &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, EEXIST);
  CHECK_STATUS(put_file(chain, FASTIO_TRUNCATE, FASTIO_WRITE_ATOMIC, 0, "again", &err), FASTIO_OK);
  check_file(path, "again");
  unlink(path);
  unlink(link);
  unlink(chain);
  unlink(loop);
  CHECK_INT(files_in_directory(), 0);
}

/* A pipe or a device is written to as it is; directories and read-only files are refused at once. */
static void test_replace_other_things(void) {
  const char *fifo = in_directory("fifo"), *file = in_directory("read-only");
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  fastio_writer *w;
  fastio_error err;
  struct stat status;
  char got[8];
  int reader;
  CHECK_STATUS(put_file("/dev/null", FASTIO_TRUNCATE, FASTIO_WRITE_ATOMIC, 0, "gone", &err), FASTIO_OK);
  CHECK_INT(stat("/dev/null", &status), 0);
  CHECK(S_ISCHR(status.st_mode));
  CHECK_INT(mkfifo(fifo, 0600), 0);
  reader = open(fifo, O_RDONLY | O_NONBLOCK);
  CHECK_STATUS(put_file(fifo, FASTIO_TRUNCATE, FASTIO_WRITE_ATOMIC, 0, "through", &err), FASTIO_OK);
  CHECK_INT(read(reader, got, sizeof got), 7);
  close(reader);
  unlink(fifo);
  CHECK_STATUS(put_file(directory, FASTIO_TRUNCATE, FASTIO_WRITE_ATOMIC, 0, "", &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, EISDIR);
  CHECK_STATUS(put_file(in_directory("no/file"), FASTIO_TRUNCATE, FASTIO_WRITE_ATOMIC, 0, "", &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, ENOENT);
  if (geteuid() != 0) { /* nothing is read-only to root */
    write_file(file, "keep");
    chmod(file, 0444);
    CHECK_STATUS(put_file(file, FASTIO_TRUNCATE, FASTIO_WRITE_ATOMIC, 0, "", &err), FASTIO_OS_ERROR);
    CHECK_INT(err.os_error, EACCES);
    check_file(file, "keep");
    unlink(file);
  }
  options.flags = FASTIO_WRITE_ATOMIC;
  options.mode = FASTIO_APPEND;
  CHECK_STATUS(fastio_writer_open(file, &options, &w, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_INT(files_in_directory(), 0);
}

static void test_replace_names(void) {
  char name[NAME_MAX + 1], before[PATH_MAX];
  static char too_long[5000];
  fastio_error err;
  memset(name, 'n', NAME_MAX);
  name[NAME_MAX] = '\0';
  CHECK(getcwd(before, sizeof before) != NULL);
  CHECK_INT(chdir(directory), 0);
  CHECK_STATUS(put_file(name, FASTIO_TRUNCATE, FASTIO_WRITE_ATOMIC, 0, "long", &err), FASTIO_OK);
  check_file(name, "long");
  unlink(name);
  CHECK_INT(chdir(before), 0);
  memset(too_long, 'n', sizeof too_long - 1);
  CHECK_STATUS(put_file(too_long, FASTIO_TRUNCATE, FASTIO_WRITE_ATOMIC, 0, "", &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, ENAMETOOLONG);
  CHECK_STATUS(put_file("", FASTIO_TRUNCATE, FASTIO_WRITE_ATOMIC, 0, "", &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, ENOENT);
  CHECK_INT(files_in_directory(), 0);
}

/* ---- memory ---- */

static void test_memory(void) {
  fastio_writer *w = NULL;
  fastio_column *first = NULL, *second = NULL;
  fastio_bytes bytes = {NULL, 0};
  uint64_t right = 0;
  CHECK_STATUS(fastio_writer_memory(NULL, &w, NULL), FASTIO_OK);
  CHECK_INT(fastio_writer_fileno(w), -1);
  CHECK_STATUS(fastio_writer_bytes(w, &bytes, NULL), FASTIO_OK);
  CHECK_INT(bytes.size, 0);
  CHECK_STATUS(fastio_writer_take(w, &first, NULL), FASTIO_OK);
  CHECK_INT(first->length, 0);
  fastio_column_free(first);
  for (uint32_t i = 0; i < 1000000; i++) fastio_write(w, &i, sizeof i, NULL); /* beyond what is a heap block */
  CHECK_STATUS(fastio_flush(w, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_sync(w, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_take(w, &first, NULL), FASTIO_OK);
  CHECK_INT(first->type, FASTIO_UINT8);
  CHECK_INT(first->length, 4000000);
  CHECK_INT((uintptr_t)first->data % 64, 0);
  for (uint32_t i = 0; i < 1000000; i++) right += memcmp((const char *)first->data + 4 * i, &i, 4) == 0;
  CHECK_INT(right, 1000000);
  fastio_write(w, "anew", 4, NULL);
  CHECK_INT(fastio_writer_offset(w), 4000004);
  CHECK_STATUS(fastio_writer_take(w, &second, NULL), FASTIO_OK);
  CHECK_BYTES(second->data, second->length, "anew");
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  fastio_column_free(first);
  fastio_column_free(second);
}

/* The caller's bytes: all of them can be used, and what does not fit is not begun. */
static void test_buffer(void) {
  char data[11] = "..........";
  fastio_writer *w = NULL;
  fastio_bytes bytes;
  fastio_column *column;
  fastio_error err;
  char *room;
  CHECK_STATUS(fastio_writer_buffer(data, 10, NULL, &w, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_write(w, "1234", 4, NULL), FASTIO_OK);
  room = fastio_reserve(w, 1000, &err); /* more than there is, but less is used */
  CHECK(room != NULL);
  memcpy(room, "5678", 4);
  CHECK_STATUS(fastio_commit(w, room + 4, &err), FASTIO_OK);
  CHECK_STATUS(fastio_write_i64(w, 90, &err), FASTIO_OK);
  CHECK_STATUS(fastio_writer_bytes(w, &bytes, NULL), FASTIO_OK);
  CHECK_BYTES(bytes.data, bytes.size, "1234567890");
  CHECK(bytes.data == data);
  CHECK_STATUS(fastio_writer_take(w, &column, NULL), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_write(w, "", 0, &err), FASTIO_OK);
  CHECK_STATUS(fastio_write(w, "x", 1, &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, ENOSPC);
  CHECK_INT(err.offset, 10);
  CHECK_STATUS(fastio_writer_error(w, &err), FASTIO_OS_ERROR);
  CHECK(fastio_reserve(w, 1, &err) == NULL);
  CHECK_STATUS(err.status, FASTIO_OS_ERROR);
  CHECK_STATUS(fastio_writer_close(w, &err), FASTIO_OS_ERROR);
  CHECK_BYTES(data, 11, "1234567890\0");
  CHECK_STATUS(fastio_writer_buffer(NULL, 0, NULL, &w, NULL), FASTIO_OK);
  CHECK(fastio_reserve(w, 0, NULL) != NULL);
  CHECK_STATUS(fastio_flush(w, &err), FASTIO_OK);
  room = fastio_reserve(w, 3, &err);
  CHECK(room != NULL);
  CHECK_STATUS(fastio_commit(w, room + 3, &err), FASTIO_OS_ERROR);
  fastio_writer_discard(w);
}

/* ---- redirection ---- */

static void check_memory(fastio_writer *w, const char *due) {
  fastio_bytes bytes = {"", 0};
  CHECK_STATUS(fastio_writer_bytes(w, &bytes, NULL), FASTIO_OK);
  check_bytes(bytes.data, bytes.size, due, strlen(due), "memory", __FILE__, __LINE__);
}

static fastio_writer *memory_open(unsigned flags) {
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  fastio_writer *w = NULL;
  options.flags = flags;
  CHECK_STATUS(fastio_writer_memory(&options, &w, NULL), FASTIO_OK);
  return w;
}

static void redirect_with(unsigned flags, unsigned target_flags) {
  static record r;
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  fastio_writer *w, *a = memory_open(target_flags), *b = memory_open(target_flags);
  fastio_error err;
  char *room;
  options.flags = flags;
  w = record_open(&r, &options);
  fastio_write(w, "start ", 6, NULL);
  CHECK_STATUS(fastio_writer_redirect(w, a, NULL), FASTIO_OK);
  CHECK_BYTES(r.all.data, r.all.size, "start ");
  fastio_write(w, "to a ", 5, NULL);
  CHECK_STATUS(fastio_writer_redirect(w, b, NULL), FASTIO_OK);
  fastio_write_i64(w, 12, NULL);
  if (!flags) {
    room = fastio_reserve(w, 10, NULL);
    memcpy(room, " to b ", 6);
    CHECK_STATUS(fastio_commit(w, room + 6, NULL), FASTIO_OK);
  } else {
    fastio_writer *locked = fastio_writer_lock(w);
    room = fastio_reserve(locked, 10, NULL);
    memcpy(room, " to b ", 6);
    CHECK_STATUS(fastio_commit(locked, room + 6, NULL), FASTIO_OK);
    fastio_write(b, "!", 1, NULL); /* this thread holds the target too */
    CHECK_STATUS(fastio_writer_unlock(w, NULL), FASTIO_OK);
  }
  CHECK_STATUS(fastio_writer_redirect(a, w, &err), FASTIO_OK); /* a -> w -> b */
  CHECK_STATUS(fastio_writer_redirect(b, a, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_writer_redirect(w, w, &err), FASTIO_INVALID_ARGUMENT);
  fastio_write(a, "a,", 2, NULL);
  CHECK_STATUS(fastio_writer_redirect(a, NULL, &err), FASTIO_OK);
  CHECK_STATUS(fastio_writer_redirect(w, a, NULL), FASTIO_OK);
  fastio_write(w, "to a again", 10, NULL);
  CHECK_INT(fastio_writer_offset(w), 6 + 5 + 2 + 6 + 2 + 10);
  CHECK_STATUS(fastio_flush(w, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_sync(w, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_redirect(w, NULL, NULL), FASTIO_OK);
  fastio_write(w, "end", 3, NULL);
  check_memory(a, "to a to a again");
  check_memory(b, flags ? "12 to b !a," : "12 to b a,");
  CHECK_STATUS(fastio_writer_redirect(w, a, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK); /* redirected, and whole all the same */
  CHECK_BYTES(r.all.data, r.all.size, "start end");
  CHECK_STATUS(fastio_writer_close(a, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_close(b, NULL), FASTIO_OK);
}

/* What fails is the target: it keeps the failure, and the writer goes on when it is turned back. */
static void test_redirect_failure(void) {
  char small[4];
  fastio_writer *target = NULL, *w = memory_open(0);
  fastio_error err;
  CHECK_STATUS(fastio_writer_buffer(small, sizeof small, NULL, &target, NULL), FASTIO_OK);
  fastio_write(w, "one ", 4, NULL);
  CHECK_STATUS(fastio_writer_redirect(w, target, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_write(w, "too long", 8, &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, ENOSPC);
  CHECK_STATUS(fastio_write_i64(w, 1, &err), FASTIO_OS_ERROR);
  CHECK_STATUS(fastio_flush(w, &err), FASTIO_OS_ERROR);
  CHECK_STATUS(fastio_writer_error(w, &err), FASTIO_OS_ERROR);
  CHECK_STATUS(fastio_writer_redirect(w, NULL, &err), FASTIO_OK);
  CHECK_STATUS(fastio_writer_error(w, &err), FASTIO_OK);
  CHECK_STATUS(fastio_write(w, "two", 3, &err), FASTIO_OK);
  check_memory(w, "one two");
  CHECK_STATUS(fastio_writer_close(target, &err), FASTIO_OS_ERROR);
  CHECK_STATUS(fastio_writer_close(w, &err), FASTIO_OK);
}

static void test_redirect(void) {
  redirect_with(0, 0);
  redirect_with(0, FASTIO_WRITE_LOCKED);
  redirect_with(FASTIO_WRITE_LOCKED, 0);
  redirect_with(FASTIO_WRITE_LOCKED, FASTIO_WRITE_LOCKED);
}

/* ---- what stays and what does not ---- */

static void test_invalid(void) {
  fastio_write_options options;
  fastio_output_device no_write = {NULL, NULL, NULL, NULL};
  fastio_format wrong = FASTIO_FORMAT_INIT;
  fastio_writer *w = NULL;
  fastio_bytes bytes;
  fastio_error err;
  fastio_write_options_init(&options);
  options.mode = 3;
  CHECK_STATUS(fastio_writer_memory(&options, &w, &err), FASTIO_INVALID_ARGUMENT);
  fastio_write_options_init(&options);
  options.buffering = 4;
  CHECK_STATUS(fastio_writer_memory(&options, &w, &err), FASTIO_INVALID_ARGUMENT);
  fastio_write_options_init(&options);
  options.flags = 1u << 30;
  CHECK_STATUS(fastio_writer_memory(&options, &w, &err), FASTIO_INVALID_ARGUMENT);
  fastio_write_options_init(&options);
  options.permissions = 010000;
  CHECK_STATUS(fastio_writer_memory(&options, &w, &err), FASTIO_INVALID_ARGUMENT);
  memset(&options, 0, sizeof options);
  CHECK_STATUS(fastio_writer_memory(&options, &w, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_writer_open(NULL, NULL, &w, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_writer_open("x", NULL, NULL, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_writer_fd(1, NULL, NULL, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_writer_stdio(NULL, NULL, &w, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_writer_memory(NULL, NULL, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_writer_buffer(NULL, 1, NULL, &w, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_writer_device(&no_write, NULL, &w, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_writer_device(NULL, NULL, &w, &err), FASTIO_INVALID_ARGUMENT);
  CHECK(w == NULL);
  w = memory_open(0);
  wrong.base = 99;
  CHECK_STATUS(fastio_write_i64_as(w, 1, &wrong, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_write_date(w, INT32_MAX, &err), FASTIO_OUT_OF_RANGE);
  CHECK_STATUS(fastio_write_time(w, -1, &err), FASTIO_OUT_OF_RANGE);
  CHECK_STATUS(fastio_writer_error(w, &err), FASTIO_OK); /* these don't stay */
  CHECK_STATUS(err.status, FASTIO_OK);
  CHECK_STATUS(fastio_write_bool(w, 2, &err), FASTIO_OK);
  check_memory(w, "true");
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_open("/dev/null", NULL, &w, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_bytes(w, &bytes, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
}

/* A width that no buffer has room for. */
static void test_wide(void) {
  fastio_format wide = FASTIO_FORMAT_INIT;
  for (int locked = 0; locked < 2; locked++) {
    fastio_writer *w = memory_open(locked ? FASTIO_WRITE_LOCKED : 0);
    fastio_bytes bytes = {"", 0};
    wide.width = 70000;
    CHECK_STATUS(fastio_write_i64_as(w, 42, &wide, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_writer_bytes(w, &bytes, NULL), FASTIO_OK);
    CHECK_INT(bytes.size, 70000);
    CHECK_BYTES((const char *)bytes.data + 69997, 3, " 42");
    CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  }
}

int main(void) {
  if (!mkdtemp(directory)) return 2;
  test_same_bytes();
  test_lines();
  test_unbuffered();
  test_full();
  test_discard();
  test_terminal();
  test_modes();
  test_append_together();
  test_descriptor();
  test_stream();
  test_close_on_exec();
  test_replace();
  test_replace_nothing();
  test_replace_exclusive();
  test_replace_links();
  test_replace_other_things();
  test_replace_names();
  test_memory();
  test_buffer();
  test_redirect();
  test_redirect_failure();
  test_invalid();
  test_wide();
  rmdir(directory);
  return check_report();
}
