/* Every kind of source, and what file systems come up with: FIFOs, /proc, directories, missing and forbidden files, odd
 * names, files that shrink or grow while they are read. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/fastio-test-source-XXXXXX";
static char path[128];

static const char *in_directory(const char *name) {
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return path;
}

static const char *make_file(const char *name, const void *data, size_t size) {
  const char *file_path = in_directory(name);
  FILE *file = fopen(file_path, "wb");
  if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0) abort();
  return file_path;
}

/* Sums the integers of a source that is already open (and closes it); -1 if it fails. */
static int64_t sum(fastio_source *source, fastio_error *err) {
  fastio_column *column = NULL;
  int64_t total = 0;
  if (fastio_read_ints(source, NULL, &column, err) == FASTIO_OK)
    for (uint64_t i = 0; i < column->length; i++) total += ((const int64_t *)column->data)[i];
  else total = -1;
  fastio_column_free(column);
  fastio_source_close(source);
  return total;
}

static void kinds(void) {
  static const char text[] = "10 20\n30\n";
  fastio_source *source;
  fastio_error err;
  const char *file_path = make_file("ints", text, sizeof text - 1);
  CHECK_STATUS(fastio_source_open(file_path, NULL, &source, &err), FASTIO_OK);
  CHECK_INT(fastio_source_size(source), 9);
  CHECK_INT(sum(source, &err), 60);
  CHECK_STATUS(fastio_source_memory(text, sizeof text - 1, NULL, &source, &err), FASTIO_OK);
  CHECK_INT(fastio_source_size(source), 9);
  CHECK_INT(sum(source, &err), 60);
  CHECK_STATUS(fastio_source_memory(NULL, 0, NULL, &source, &err), FASTIO_OK);
  CHECK_INT(sum(source, &err), 0);
}

/* A descriptor is borrowed and read from where it stands; that place is offset 0. */
static void descriptor(void) {
  fastio_read_options none = FASTIO_READ_OPTIONS_INIT;
  uint64_t lines = 77;
  fastio_source *source;
  fastio_error err;
  int fd = open(make_file("fd", "junk\n10 20\nx\n", 13), O_RDONLY);
  CHECK(lseek(fd, 5, SEEK_SET) == 5);
  CHECK_STATUS(fastio_source_fd(fd, NULL, &source, &err), FASTIO_OK);
  CHECK_INT(fastio_source_size(source), 8);
  CHECK_INT(sum(source, &err), -1);
  CHECK_ERROR(&err, FASTIO_BAD_TOKEN, 6, 2, 1);
  CHECK(fcntl(fd, F_GETFD) >= 0);
  none.max_items = 0; /* nothing is read: it stays where it is */
  CHECK(lseek(fd, 5, SEEK_SET) == 5);
  CHECK_STATUS(fastio_source_fd(fd, NULL, &source, &err), FASTIO_OK);
  CHECK_STATUS(fastio_count_lines(source, &none, &lines, &err), FASTIO_OK);
  CHECK(lines == 0 && lseek(fd, 0, SEEK_CUR) == 5);
  fastio_source_close(source);
  close(fd);
  CHECK_STATUS(fastio_source_fd(-1, NULL, &source, &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, EBADF);
}

static void stdio_stream(void) {
  fastio_source *source;
  fastio_error err;
  FILE *file = fopen(make_file("stdio", "#10 20\n30", 9), "rb");
  CHECK(fgetc(file) == '#');
  CHECK_STATUS(fastio_source_stdio(file, NULL, &source, &err), FASTIO_OK);
  CHECK_INT(sum(source, &err), 60);
  CHECK(fclose(file) == 0);
}

static void standard_input(void) {
  fastio_source *source;
  fastio_error err;
  int saved = dup(0), fd = open(make_file("stdin", "1 2 3", 5), O_RDONLY), ends[2];
  CHECK(dup2(fd, 0) == 0);
  CHECK_STATUS(fastio_source_open("-", NULL, &source, &err), FASTIO_OK);
  CHECK_INT(sum(source, &err), 6);
  CHECK(fcntl(0, F_GETFD) >= 0); /* closing the source leaves standard input open */
  CHECK(pipe(ends) == 0 && dup2(ends[0], 0) == 0);
  CHECK(write(ends[1], "4 5", 3) == 3);
  close(ends[1]);
  CHECK_STATUS(fastio_source_open("-", NULL, &source, &err), FASTIO_OK);
  CHECK(fastio_source_size(source) == FASTIO_NO_OFFSET);
  CHECK_INT(sum(source, &err), 9);
  CHECK(pipe(ends) == 0 && dup2(ends[0], 0) == 0);
  CHECK(write(ends[1], "6 7", 3) == 3);
  close(ends[1]);
  if (access("/dev/stdin", R_OK) == 0) { /* apache/arrow#41694: a path that can't seek */
    CHECK_STATUS(fastio_source_open("/dev/stdin", NULL, &source, &err), FASTIO_OK);
    CHECK_INT(sum(source, &err), 13);
  }
  dup2(saved, 0);
  close(saved);
  close(fd);
  close(ends[0]);
}

static char fifo_path[sizeof path];

static void *write_slowly(void *ctx) {
  int fd = ctx != NULL ? *(int *)ctx : open(fifo_path, O_WRONLY);
  for (int i = 0; i < 50; i++) {
    char text[16];
    int size = sprintf(text, "%d%s", i, i % 10 == 9 ? "\n" : " ");
    if (write(fd, text, (size_t)size) != size) break;
    if (i % 16 == 0) usleep(1000);
  }
  close(fd);
  return NULL;
}

static void fifo_and_socket(void) {
  fastio_source *source;
  fastio_error err;
  pthread_t writer;
  int pair[2];
  memcpy(fifo_path, in_directory("fifo"), sizeof fifo_path);
  CHECK(mkfifo(fifo_path, 0600) == 0);
  CHECK(pthread_create(&writer, NULL, write_slowly, NULL) == 0);
  CHECK_STATUS(fastio_source_open(fifo_path, NULL, &source, &err), FASTIO_OK);
  CHECK_INT(sum(source, &err), 1225);
  pthread_join(writer, NULL);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  CHECK(pthread_create(&writer, NULL, write_slowly, &pair[0]) == 0);
  CHECK_STATUS(fastio_source_fd(pair[1], NULL, &source, &err), FASTIO_OK);
  CHECK_INT(sum(source, &err), 1225);
  pthread_join(writer, NULL);
  close(pair[1]);
}

/* Files of /proc say that they are empty. */
static void proc(void) {
  fastio_source *source;
  fastio_error err;
  fastio_column *column = NULL;
  uint64_t lines = 0;
  if (access("/proc/self/status", R_OK) != 0) return;
  CHECK_STATUS(fastio_source_open("/proc/self/status", NULL, &source, &err), FASTIO_OK);
  CHECK_STATUS(fastio_read_lines(source, NULL, &column, &err), FASTIO_OK);
  CHECK(column != NULL && column->length > 10 && memcmp(column->data, "Name:", 5) == 0);
  fastio_column_free(column);
  fastio_source_close(source);
  CHECK_STATUS(fastio_source_open("/proc/self/status", NULL, &source, &err), FASTIO_OK);
  CHECK_STATUS(fastio_count_lines(source, NULL, &lines, &err), FASTIO_OK);
  CHECK(lines > 10);
  fastio_source_close(source);
  column = NULL;
  CHECK_STATUS(fastio_source_open("/proc/self/status", NULL, &source, &err), FASTIO_OK);
  CHECK_STATUS(fastio_read_all(source, NULL, &column, &err), FASTIO_OK);
  CHECK(column != NULL && column->length > 100 && ((const char *)column->data)[column->length - 1] == '\n');
  fastio_column_free(column);
  fastio_source_close(source);
}

static void check_refused(const char *file_path, int os_error) {
  fastio_source *source = NULL;
  fastio_map *map = NULL;
  fastio_error err;
  CHECK_STATUS(fastio_source_open(file_path, NULL, &source, &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, os_error);
  CHECK(source == NULL && err.offset == FASTIO_NO_OFFSET && err.message != NULL);
  CHECK_STATUS(fastio_map_open(file_path, NULL, &map, &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, os_error);
  CHECK(map == NULL);
}

static void refused(void) {
  check_refused(directory, EISDIR);
  check_refused(in_directory("missing"), ENOENT);
  check_refused("", ENOENT);
  make_file("file", "", 0);
  check_refused(in_directory("file/below"), ENOTDIR);
}

static void forbidden(void) {
  const char *file_path = make_file("secret", "1\n", 2);
  bool root = geteuid() == 0;
  CHECK(chmod(file_path, 0) == 0 && chmod(directory, 0755) == 0);
  if (root) CHECK(seteuid(65534) == 0); /* root may read everything */
  check_refused(file_path, EACCES);
  if (root) CHECK(seteuid(0) == 0);
}

/* A path is bytes. */
static void odd_names(void) {
  static const char *const names[] = {"caf\xe9.txt", "with space", "new\nline", "\xff\xfe", "-"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    fastio_source *source;
    fastio_error err;
    CHECK_STATUS(fastio_source_open(make_file(names[i], "7 8", 3), NULL, &source, &err), FASTIO_OK);
    CHECK_INT(sum(source, &err), 15);
  }
}

static void deleted_while_open(void) {
  fastio_source *source;
  fastio_error err;
  CHECK_STATUS(fastio_source_open(make_file("deleted", "1 2", 3), NULL, &source, &err), FASTIO_OK);
  CHECK(unlink(in_directory("deleted")) == 0);
  CHECK_INT(sum(source, &err), 3);
}

/* The data is the caller's alone once it is read: writing the same path afterwards changes nothing. */
static void nothing_is_kept(void) {
  fastio_source *source;
  fastio_column *column = NULL;
  CHECK_STATUS(fastio_source_open(make_file("kept", "a\n1\n", 4), NULL, &source, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_read_lines(source, NULL, &column, NULL), FASTIO_OK);
  fastio_source_close(source);
  make_file("kept", "", 0);
  CHECK(column->length == 2);
  CHECK_BYTES(column->data, (size_t)column->data_size, "a1");
  fastio_column_free(column);
}

/* ---- Files that change while they are read ---- */

typedef struct change {
  int fd;
  bool shrink;
  atomic_int reads;
} change;

/* Changes the file in front of the fifth read, whichever thread that is on. */
static int64_t change_and_read(void *ctx, int fd, void *data, size_t size, uint64_t offset) {
  change *c = ctx;
  if (atomic_fetch_add(&c->reads, 1) == 4) {
    bool changed = c->shrink ? ftruncate(c->fd, 1000) == 0
                             : lseek(c->fd, 0, SEEK_END) >= 0 && write(c->fd, "9\n9\n", 4) == 4;
    if (!changed) abort();
  }
  ssize_t got = pread(fd, data, size, (off_t)offset);
  return got < 0 ? -errno : got;
}

static void changing(bool shrink, unsigned threads) {
  enum { LINES = 300000 };
  char *text = malloc(LINES * 2);
  fastio_source *source;
  fastio_error err;
  fastio_column *column = NULL;
  for (size_t i = 0; i < LINES; i++) memcpy(text + 2 * i, "1\n", 2);
  const char *file_path = make_file("changing", text, LINES * 2);
  change c = {open(file_path, O_RDWR), shrink, 0};
  fastio_env env = FASTIO_ENV_INIT;
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  env.ctx = &c;
  env.pread = change_and_read;
  options.env = &env;
  options.threads = threads;
  options.block_size = 20000;
  CHECK_STATUS(fastio_source_open(file_path, &env, &source, &err), FASTIO_OK);
  fastio_status status = fastio_read_ints(source, &options, &column, &err);
  if (shrink) {
    CHECK_STATUS(status, FASTIO_TRUNCATED);
    CHECK(err.offset != FASTIO_NO_OFFSET && err.offset >= 1000 && err.offset < LINES * 2);
  } else {
    CHECK_STATUS(status, FASTIO_OK);
    CHECK_INT(column->length, LINES); /* as long as it was when the read began */
  }
  CHECK(atomic_load(&c.reads) > 5);
  fastio_column_free(column);
  fastio_source_close(source);
  close(c.fd);
  free(text);
}

/* The pull reader goes on for as long as there is something. */
static void reader_sees_growth(void) {
  fastio_source *source;
  fastio_reader *reader;
  int64_t value = 0;
  const char *file_path = make_file("growing", "1\n2\n", 4);
  int fd = open(file_path, O_WRONLY | O_APPEND);
  CHECK_STATUS(fastio_source_open(file_path, NULL, &source, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_reader_open(source, NULL, &reader, NULL), FASTIO_OK);
  CHECK(write(fd, "3\n", 2) == 2);
  for (int64_t due = 1; due <= 3; due++) CHECK(fastio_next_i64(reader, &value, NULL) == FASTIO_OK && value == due);
  CHECK_STATUS(fastio_next_i64(reader, &value, NULL), FASTIO_END);
  fastio_reader_close(reader);
  fastio_source_close(source);
  close(fd);
}

/* ---- Devices ---- */

typedef struct device_state {
  int left, closed;
  fastio_status at_end;
  pthread_t owner;
  int elsewhere; /* calls on another thread than the caller's */
} device_state;

static fastio_status device_read(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  device_state *state = ctx;
  if (!pthread_equal(state->owner, pthread_self())) state->elsewhere++;
  *got = 0;
  if (state->left == 0) {
    if (state->at_end != FASTIO_OK && err != NULL) err->message = "the device's own words";
    return state->at_end;
  }
  if (size < 2) return FASTIO_OK;
  memcpy(data, "7 ", 2);
  state->left--;
  *got = 2;
  return FASTIO_OK;
}

static void device_close(void *ctx) { ((device_state *)ctx)->closed++; }

static void devices(void) {
  device_state state = {1000, 0, FASTIO_OK, pthread_self(), 0};
  fastio_device device = {&state, device_read, device_close};
  fastio_source *source;
  fastio_error err;
  CHECK_STATUS(fastio_source_device(&device, NULL, &source, &err), FASTIO_OK);
  CHECK(fastio_source_size(source) == FASTIO_NO_OFFSET);
  CHECK_INT(sum(source, &err), 7000);
  CHECK_INT(state.closed, 1);
  state = (device_state){10, 0, FASTIO_CALLBACK_FAILED, pthread_self(), 0};
  CHECK_STATUS(fastio_source_device(&device, NULL, &source, &err), FASTIO_OK);
  CHECK_INT(sum(source, &err), -1);
  CHECK_STATUS(err.status, FASTIO_CALLBACK_FAILED);
  CHECK_INT(state.closed, 1);
  device.read = NULL;
  CHECK_STATUS(fastio_source_device(&device, NULL, &source, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_INT(state.closed, 2);
}

static int poll_on_thread(void *ctx, uint64_t done, uint64_t total) {
  device_state *state = ctx;
  (void)done;
  (void)total;
  if (!pthread_equal(state->owner, pthread_self())) state->elsewhere++;
  return 0;
}

/* However many threads parse, the caller's functions run on the caller's thread. */
static void callbacks_stay_on_the_thread(void) {
  device_state state = {20000, 0, FASTIO_OK, pthread_self(), 0};
  fastio_device device = {&state, device_read, device_close};
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  fastio_source *source;
  fastio_column *column = NULL;
  options.threads = 4;
  options.block_size = 100;
  options.poll = poll_on_thread;
  options.poll_ctx = &state;
  CHECK_STATUS(fastio_source_device(&device, NULL, &source, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_read_ints(source, &options, &column, NULL), FASTIO_OK);
  CHECK(column != NULL && column->length == 20000);
  CHECK_INT(state.elsewhere, 0);
  fastio_column_free(column);
  fastio_source_close(source);
}

static void maps(void) {
  fastio_map *map = NULL;
  fastio_source *source;
  fastio_error err;
  CHECK_STATUS(fastio_map_open(make_file("mapped", "1 2\n3", 5), NULL, &map, &err), FASTIO_OK);
  CHECK_BYTES(map->data, map->size, "1 2\n3");
  CHECK_STATUS(fastio_source_map(map, NULL, &source, &err), FASTIO_OK);
  CHECK_INT(sum(source, &err), 6);
  fastio_map_close(map);
  CHECK_STATUS(fastio_map_open(make_file("empty", "", 0), NULL, &map, &err), FASTIO_OK);
  CHECK(map->size == 0 && map->data != NULL && !map->is_mapped);
  CHECK_STATUS(fastio_source_map(map, NULL, &source, &err), FASTIO_OK);
  CHECK_INT(sum(source, &err), 0);
  fastio_map_close(map);
}

int main(void) {
  if (mkdtemp(directory) == NULL) return 1;
  kinds();
  descriptor();
  stdio_stream();
  standard_input();
  fifo_and_socket();
  proc();
  refused();
  forbidden();
  odd_names();
  deleted_while_open();
  nothing_is_kept();
  for (unsigned threads = 1; threads <= 3; threads++) {
    changing(true, threads);
    changing(false, threads);
  }
  reader_sees_growth();
  devices();
  callbacks_stay_on_the_thread();
  maps();
  char command[200];
  snprintf(command, sizeof command, "rm -rf %s", directory);
  CHECK(system(command) == 0);
  return check_report();
}
