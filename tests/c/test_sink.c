/* Writers that encode and compress on the way out: every destination, names and levels, what a flush gives and what a
 * close, a discard and a failure leave; encodings; memory. What has come out is read with the codec alone. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "output.h"

#include "../../libfastio/src/codec/codec.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/fastio-test-sink-XXXXXX";

/* A file of that name in the test's directory. The text lives until the eighth call after this one. */
static const char *in_directory(const char *name) {
  static char texts[8][256];
  static unsigned next;
  char *place = texts[next++ % 8];
  snprintf(place, sizeof texts[0], "%s/%s", directory, name);
  return place;
}

static bool exists(const char *path) { return access(path, F_OK) == 0; }

static void read_file(const char *path, text *out) {
  char block[65536];
  ssize_t got;
  int fd = open(path, O_RDONLY);
  out->size = 0;
  while (fd >= 0 && (got = read(fd, block, sizeof block)) > 0) add(out, block, (size_t)got);
  if (fd >= 0) close(fd);
}

/* All members of the archive, as far as they go. *whole: it ends where one ends. */
static void unpack(const char *name, const void *data, size_t size, text *out, bool *whole, unsigned *members) {
  static uint8_t window[100000];
  fastio__decoder *decoder = NULL;
  fastio_error err;
  fastio__flow flow = {data, size, NULL, 0};
  bool ended = false;
  out->size = 0;
  *members = 0;
  *whole = false;
  if (!CHECK_STATUS(fastio__decoder_new(fastio__format_find(name), NULL, &decoder, NULL), FASTIO_OK)) return;
  for (size_t before, got = 1; flow.in_size > 0 || got > 0;) {
    if (ended && flow.in_size == 0) break;
    before = flow.in_size;
    flow.out = window;
    flow.out_size = sizeof window;
    fastio_status status = fastio__decoder_run(decoder, &flow, &ended, &err);
    got = sizeof window - flow.out_size;
    add(out, window, got);
    *members += ended;
    if (status != FASTIO_OK || (got == 0 && !ended && flow.in_size == before)) break;
  }
  *whole = ended && flow.in_size == 0;
  fastio__decoder_free(decoder);
}

static void check_archive_at(const char *name, const void *data, size_t size, const char *due, size_t due_size,
                             unsigned due_members, int line) {
  text got = {0};
  bool whole;
  unsigned members;
  unpack(name, data, size, &got, &whole, &members);
  check_that(whole && (due_members == 0 || members == due_members) && got.size == due_size &&
                 (due_size == 0 || memcmp(got.data, due, due_size) == 0),
             __FILE__, line, "%s: %zu bytes due, %zu got in %u members, %s", name, due_size, got.size, members,
             whole ? "whole" : "cut short");
  free(got.data);
}
#define check_archive(name, data, size, due, due_size, members) \
  check_archive_at(name, data, size, due, due_size, members, __LINE__)

static void check_file_at(const char *path, const char *name, const char *due, unsigned members, int line) {
  text got = {0};
  read_file(path, &got);
  check_archive_at(name, got.data, got.size, due, strlen(due), members, line);
  free(got.data);
}
#define check_file(path, name, due, members) check_file_at(path, name, due, members, __LINE__)

static fastio_write_options with(const char *compression) {
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  options.compression = compression;
  return options;
}

static void write_all(fastio_writer *w, const char *bytes) {
  CHECK_STATUS(fastio_write(w, bytes, strlen(bytes), NULL), FASTIO_OK);
}

static const char *const names[] = {"gzip", "bgzf", "zlib", "deflate", "zstd", "xz", "bzip2", "lz4"};
enum { NAMES = sizeof names / sizeof *names };

static bool is_single(const char *name) { return strcmp(name, "zlib") == 0 || strcmp(name, "deflate") == 0; }

/* ---- every destination ---- */

enum { CONTENT = 400000 };
static char content[CONTENT + 32];

static void make_content(void) {
  uint32_t x = 7;
  size_t at = 0;
  while (at < CONTENT) at += (size_t)sprintf(content + at, "%u\n", (x = x * 1664525 + 1013904223) >> 12);
}

/* The content in pieces of all sizes, by every way in. */
static void write_content(fastio_writer *w) {
  size_t at = 0, step = 1;
  for (unsigned i = 0; at < CONTENT; i++, step = step * 2 % 100003 + 1) {
    const size_t size = CONTENT - at < step ? CONTENT - at : step;
    fastio_status status;
    if (i % 3 == 0) {
      status = fastio_write(w, content + at, size, NULL);
    } else if (i % 3 == 1) {
      char *room = fastio_reserve(w, size, NULL);
      if (!CHECK(room != NULL)) return;
      memcpy(room, content + at, size);
      status = fastio_commit(w, room + size, NULL);
    } else {
      const fastio_bytes pieces[] = {{content + at, size / 2}, {content + at + size / 2, size - size / 2}};
      status = fastio_write_pieces(w, pieces, 2, NULL);
    }
    CHECK_STATUS(status, FASTIO_OK);
    at += size;
    CHECK_INT(fastio_writer_offset(w), at);
  }
}

static void close_content(fastio_writer *w, const char *path, const char *name) {
  text got = {0};
  write_content(w);
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  read_file(path, &got);
  check_archive(name, got.data, got.size, content, CONTENT, 0);
  free(got.data);
}

static void to_descriptors(const char *name, fastio_write_options options) {
  const char *path = in_directory("descriptor");
  fastio_writer *w = NULL;
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  CHECK_STATUS(fastio_writer_fd(fd, &options, &w, NULL), FASTIO_OK);
  CHECK_INT(fastio_writer_fileno(w), fd);
  close_content(w, path, name);
  close(fd);
  FILE *file = fopen(path, "w");
  CHECK_STATUS(fastio_writer_stdio(file, &options, &w, NULL), FASTIO_OK);
  close_content(w, path, name);
  fclose(file);
  CHECK_STATUS(fastio_writer_open(path, &options, &w, NULL), FASTIO_OK);
  CHECK(fastio_writer_fileno(w) >= 0);
  close_content(w, path, name);
  options.flags = FASTIO_WRITE_ATOMIC | FASTIO_WRITE_LOCKED | FASTIO_WRITE_SYNC;
  CHECK_STATUS(fastio_writer_open(path, &options, &w, NULL), FASTIO_OK);
  fastio_writer *locked = fastio_writer_lock(w);
  write_content(locked);
  CHECK_STATUS(fastio_writer_unlock(w, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  text got = {0};
  read_file(path, &got);
  check_archive(name, got.data, got.size, content, CONTENT, 0);
  free(got.data);
}

static void to_device(const char *name, const fastio_write_options *options) {
  watching d = {pthread_self(), {NULL, 0, 0}, 777, 0, 0, false};
  fastio_output_device device = {&d, watching_write, NULL, NULL};
  fastio_writer *w = NULL;
  CHECK_STATUS(fastio_writer_device(&device, options, &w, NULL), FASTIO_OK);
  write_content(w);
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  CHECK(!d.wrong_thread);
  check_archive(name, d.got.data, d.got.size, content, CONTENT, 0);
  free(d.got.data);
}

static void to_memory(const char *name, const fastio_write_options *options) {
  static char room[4 * CONTENT];
  fastio_writer *w = NULL;
  fastio_bytes got = {NULL, 0};
  fastio_column *column = NULL;
  CHECK_STATUS(fastio_writer_buffer(room, sizeof room, options, &w, NULL), FASTIO_OK);
  write_content(w);
  CHECK_STATUS(fastio_writer_bytes(w, &got, NULL), FASTIO_OK);
  CHECK(got.data == room);
  check_archive(name, got.data, got.size, content, CONTENT, 0);
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_memory(options, &w, NULL), FASTIO_OK);
  CHECK_INT(fastio_writer_fileno(w), -1);
  write_content(w);
  CHECK_STATUS(fastio_writer_take(w, &column, NULL), FASTIO_OK);
  check_archive(name, column->data, column->data_size, content, CONTENT, 0);
  fastio_column_free(column);
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
}

static void test_destinations(void) {
  static const size_t sizes[] = {0, 1, 1000};
  for (size_t i = 0; i < NAMES; i++)
    for (size_t j = 0; j < 3; j++) {
      fastio_write_options options = with(names[i]);
      options.buffer_size = sizes[j];
      options.threads = 1 + (unsigned)j;
      options.level = 1;
      to_descriptors(names[i], options);
      to_device(names[i], &options);
      to_memory(names[i], &options);
    }
}

/* ---- names, levels, modes ---- */

static void test_suffixes(void) {
  static const char *const files[] = {"a.csv.gz", "a.BGZ", "a.zst", "a.xz", "a.bz2", "a.lz4"};
  static const char *const due[] = {"gzip", "bgzf", "zstd", "xz", "bzip2", "lz4"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    fastio_writer *w = NULL;
    const char *path = in_directory(files[i]);
    CHECK_STATUS(fastio_writer_open(path, NULL, &w, NULL), FASTIO_OK);
    write_all(w, "1\n2\n");
    CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
    check_file(path, due[i], "1\n2\n", strcmp(due[i], "bgzf") == 0 ? 2 : 1);
  }
  fastio_write_options none = with(NULL);
  fastio_writer *w = NULL;
  text got = {0};
  CHECK_STATUS(fastio_writer_open(in_directory("plain.gz"), &none, &w, NULL), FASTIO_OK);
  write_all(w, "text");
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  read_file(in_directory("plain.gz"), &got);
  CHECK_BYTES(got.data, got.size, "text");
  free(got.data);
}

static void check_refused_at(const char *file, fastio_write_options options, int line) {
  fastio_writer *w = NULL;
  fastio_error err;
  const char *path = in_directory(file);
  fastio_status status = fastio_writer_open(path, &options, &w, &err);
  check_that(status == FASTIO_INVALID_ARGUMENT && !exists(path) && strlen(err.message) > 8, __FILE__, line, "%s: %s",
             file, fastio_status_name(status));
}
#define check_refused(file, options) check_refused_at(file, options, __LINE__)

/* No file is made, none is emptied. */
static void test_refusals(void) {
  fastio_write_options options = with("snappy");
  check_refused("refused", options);
  options = with("");
  check_refused("refused", options);
  options = with("auto");
  options.level = 3;
  check_refused("refused", options);
  options.level = 10;
  check_refused("refused.gz", options);
  options.level = -1;
  check_refused("refused.gz", options);
  options.level = 0;
  check_refused("refused.bz2", options);
  options.level = 23;
  check_refused("refused.zst", options);
  options = with(NULL);
  options.level = 1;
  check_refused("refused.gz", options);
  options = with("zlib");
  options.mode = FASTIO_APPEND;
  check_refused("refused", options);
  options = with(NULL);
  options.encoding = "no such encoding";
  check_refused("refused", options);
  options.encoding = "utf-16";
  options.errors = 7;
  check_refused("refused", options);
  fastio_writer *w = NULL;
  options = with("snappy");
  CHECK_STATUS(fastio_writer_open(in_directory("plain.gz"), &options, &w, NULL), FASTIO_INVALID_ARGUMENT);
  text got = {0};
  read_file(in_directory("plain.gz"), &got);
  CHECK_BYTES(got.data, got.size, "text");
  free(got.data);
  watching d = {pthread_self(), {NULL, 0, 0}, 777, 0, 0, false};
  fastio_output_device device = {&d, watching_write, NULL, NULL};
  CHECK_STATUS(fastio_writer_device(&device, &options, &w, NULL), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_writer_memory(&options, &w, NULL), FASTIO_INVALID_ARGUMENT);
}

static void test_append(void) {
  for (size_t i = 0; i < NAMES; i++) {
    fastio_write_options options = with(names[i]);
    fastio_writer *w = NULL;
    const char *path = in_directory("appended");
    unlink(path);
    options.mode = FASTIO_APPEND;
    if (is_single(names[i])) continue;
    for (int part = 0; part < 3; part++) {
      CHECK_STATUS(fastio_writer_open(path, &options, &w, NULL), FASTIO_OK);
      if (part != 1) write_all(w, part ? "second\n" : "first\n");
      CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
    }
    check_file(path, names[i], "first\nsecond\n", strcmp(names[i], "bgzf") == 0 ? 5 : 3);
  }
}

/* Nothing written is an archive of nothing. */
static void test_empty(void) {
  for (size_t i = 0; i < NAMES; i++) {
    fastio_write_options options = with(names[i]);
    fastio_writer *w = NULL;
    fastio_bytes got;
    CHECK_STATUS(fastio_writer_open(in_directory("empty"), &options, &w, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_flush(w, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
    check_file(in_directory("empty"), names[i], "", 1);
    CHECK_STATUS(fastio_writer_memory(&options, &w, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_writer_bytes(w, &got, NULL), FASTIO_OK);
    check_archive(names[i], got.data, got.size, "", 0, 1);
    CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  }
}

/* ---- flush, discard, failure ---- */

static void check_flushed(const char *path, const char *name, const char *due, bool whole_due) {
  text raw = {0}, got = {0};
  bool whole;
  unsigned members;
  read_file(path, &raw);
  unpack(name, raw.data, raw.size, &got, &whole, &members);
  check_that(got.size == strlen(due) && (got.size == 0 || memcmp(got.data, due, got.size) == 0) && whole == whole_due,
             __FILE__, __LINE__, "%s: %zu bytes, due %zu, %s", name, got.size, strlen(due),
             whole ? "whole" : "not whole");
  free(raw.data);
  free(got.data);
}

/* Those whose members can't be flushed end them. */
static bool ends_members(const char *name) { return strcmp(name, "bzip2") == 0 || strcmp(name, "bgzf") == 0; }

static void test_flush(void) {
  const char *path = in_directory("flushed");
  for (size_t i = 0; i < NAMES; i++) {
    fastio_write_options options = with(names[i]);
    fastio_writer *w = NULL;
    CHECK_STATUS(fastio_writer_open(path, &options, &w, NULL), FASTIO_OK);
    write_all(w, "first\n");
    CHECK_STATUS(fastio_flush(w, NULL), FASTIO_OK);
    check_flushed(path, names[i], "first\n", ends_members(names[i]));
    struct stat before, after;
    stat(path, &before);
    CHECK_STATUS(fastio_flush(w, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_sync(w, NULL), FASTIO_OK);
    stat(path, &after);
    CHECK_INT(after.st_size, before.st_size); /* nothing new: nothing more */
    write_all(w, "second\n");
    CHECK_STATUS(fastio_flush(w, NULL), FASTIO_OK);
    check_flushed(path, names[i], "first\nsecond\n", ends_members(names[i]));
    CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
    check_file(path, names[i], "first\nsecond\n", 0);
    /* what is to be written at once is there at once */
    options.buffering = FASTIO_BUFFER_LINES;
    CHECK_STATUS(fastio_writer_open(path, &options, &w, NULL), FASTIO_OK);
    write_all(w, "line\nrest");
    check_flushed(path, names[i], "line\n", ends_members(names[i]));
    fastio_writer_discard(w);
    check_flushed(path, names[i], "line\n", ends_members(names[i]));
  }
}

static void test_atomic(void) {
  const char *path = in_directory("atomic.gz");
  fastio_write_options options = with("auto");
  fastio_writer *w = NULL;
  options.flags = FASTIO_WRITE_ATOMIC;
  CHECK_STATUS(fastio_writer_open(path, &options, &w, NULL), FASTIO_OK);
  write_all(w, "old");
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_open(path, &options, &w, NULL), FASTIO_OK);
  write_all(w, "new");
  CHECK_STATUS(fastio_flush(w, NULL), FASTIO_OK);
  fastio_writer_discard(w);
  check_file(path, "gzip", "old", 1);
  options.encoding = "ascii"; /* the last character is cut short: closing fails */
  CHECK_STATUS(fastio_writer_open(path, &options, &w, NULL), FASTIO_OK);
  write_all(w, "new\xC3");
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_BAD_ENCODING);
  check_file(path, "gzip", "old", 1);
}

/* A device that fails at its n-th call: a failure that stays; closing tells it and ends no archive. */
static void test_device_failures(void) {
  for (int fail_at = 1; fail_at < 80; fail_at++) {
    watching d = {pthread_self(), {NULL, 0, 0}, 5000, 0, fail_at, false};
    fastio_output_device device = {&d, watching_write, NULL, NULL};
    fastio_write_options options = with("gzip");
    fastio_writer *w = NULL;
    fastio_error err;
    fastio_status status = FASTIO_OK;
    options.level = 1;
    CHECK_STATUS(fastio_writer_device(&device, &options, &w, NULL), FASTIO_OK);
    for (size_t at = 0; at < CONTENT && status == FASTIO_OK; at += 10000)
      status = fastio_write(w, content + at, CONTENT - at < 10000 ? CONTENT - at : 10000, &err);
    if (status != FASTIO_OK) {
      CHECK_STATUS(status, FASTIO_CALLBACK_FAILED);
      CHECK(err.offset <= CONTENT);
      CHECK_STATUS(fastio_flush(w, NULL), FASTIO_CALLBACK_FAILED);
    }
    status = fastio_writer_close(w, &err);
    CHECK_STATUS(status, d.calls >= fail_at ? FASTIO_CALLBACK_FAILED : FASTIO_OK);
    if (d.calls >= fail_at) CHECK_INT(d.calls, fail_at);
    text got = {0};
    bool whole;
    unsigned members;
    unpack("gzip", d.got.data, d.got.size, &got, &whole, &members);
    CHECK(whole == (status == FASTIO_OK) && got.size <= CONTENT && (!got.size || !memcmp(got.data, content, got.size)));
    free(got.data);
    free(d.got.data);
    if (status == FASTIO_OK) return;
  }
  CHECK(!"eighty calls are enough");
}

typedef enum door { BY_PATH, BY_DESCRIPTOR, BY_FILE, DOORS } door;

/* Writes `size` bytes to a device that is always full; the failure that came, whichever call told it. */
static void check_full(const fastio_write_options *options, door way, size_t size, bool flushes) {
  fastio_writer *w = NULL;
  fastio_error err, first = {0};
  int fd = way == BY_DESCRIPTOR ? open("/dev/full", O_WRONLY) : -1;
  FILE *file = way == BY_FILE ? fopen("/dev/full", "w") : NULL;
  fastio_status status = way == BY_PATH         ? fastio_writer_open("/dev/full", options, &w, &err)
                         : way == BY_DESCRIPTOR ? fastio_writer_fd(fd, options, &w, &err)
                                                : fastio_writer_stdio(file, options, &w, &err);
  if (!CHECK_STATUS(status, FASTIO_OK)) return;
  for (size_t at = 0; at < size && status == FASTIO_OK; at += 1000)
    status = fastio_write(w, content + at, 1000, &first);
  if (status == FASTIO_OK && flushes && size) {
    status = fastio_flush(w, &first);
    CHECK_STATUS(status, FASTIO_OS_ERROR);
  }
  CHECK_STATUS(fastio_writer_close(w, &err), FASTIO_OS_ERROR);
  check_that(err.os_error == ENOSPC && (status == FASTIO_OK || first.os_error == ENOSPC), __FILE__, __LINE__,
             "%s, way %d, %zu bytes: error %d", options->compression, way, size, err.os_error);
  if (fd >= 0) close(fd);
  if (file) fclose(file);
}

static void test_full_devices(void) {
  static const size_t sizes[] = {0, 1000, CONTENT / 1000 * 1000};
  if (!exists("/dev/full")) return;
  for (size_t i = 0; i < NAMES; i++)
    for (int j = 0; j < 2 * DOORS * 3; j++) {
      fastio_write_options options = with(names[i]);
      options.level = 1;
      options.threads = 1 + j % 2;
      check_full(&options, j / 2 % DOORS, sizes[j / 2 / DOORS], j % 2);
    }
}

/* Half a character, of which nothing can be written yet: a flush has nothing to give, and comes to an end. */
static void test_half_characters(void) {
  for (size_t i = 0; i < NAMES; i++) {
    fastio_write_options options = with(names[i]);
    fastio_writer *w = NULL;
    options.encoding = "latin-1";
    CHECK_STATUS(fastio_writer_open(in_directory("half"), &options, &w, NULL), FASTIO_OK);
    for (int times = 0; times < 3; times++) {
      write_all(w, "\xC3");
      CHECK_STATUS(fastio_flush(w, NULL), FASTIO_OK);
      CHECK_STATUS(fastio_flush(w, NULL), FASTIO_OK);
      write_all(w, "\xA9");
    }
    CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
    check_file(in_directory("half"), names[i], "\xE9\xE9\xE9", 0);
  }
}

/* What is thrown away ends no archive: a reader can tell. */
static void test_discard(void) {
  for (size_t i = 0; i < NAMES; i++) {
    fastio_write_options options = with(names[i]);
    fastio_writer *w = NULL;
    text raw = {0}, got = {0};
    bool whole;
    unsigned members;
    options.buffer_size = 1000;
    CHECK_STATUS(fastio_writer_open(in_directory("discarded"), &options, &w, NULL), FASTIO_OK);
    write_content(w);
    fastio_writer_discard(w);
    read_file(in_directory("discarded"), &raw);
    unpack(names[i], raw.data, raw.size, &got, &whole, &members);
    CHECK(got.size < CONTENT && (got.size == 0 || memcmp(got.data, content, got.size) == 0));
    CHECK(!whole || ends_members(names[i]));
    if (strcmp(names[i], "bgzf") == 0) /* its blocks are whole, but the one that says that it is the last lacks */
      CHECK(raw.size < 28 || memcmp((char *)raw.data + raw.size - 28 + 18, "\3\0\0\0\0\0\0\0\0\0", 10) != 0);
    free(raw.data);
    free(got.data);
  }
}

/* ---- memory ---- */

static void test_memory(void) {
  for (size_t i = 0; i < NAMES; i++) {
    fastio_write_options options = with(names[i]);
    fastio_writer *w = NULL;
    fastio_bytes got;
    fastio_column *column = NULL;
    fastio_error err;
    CHECK_STATUS(fastio_writer_memory(&options, &w, NULL), FASTIO_OK);
    write_all(w, "one ");
    CHECK_STATUS(fastio_writer_bytes(w, &got, NULL), FASTIO_OK);
    check_archive(names[i], got.data, got.size, "one ", 4, 0);
    CHECK_STATUS(fastio_writer_bytes(w, &got, NULL), FASTIO_OK); /* the same again */
    check_archive(names[i], got.data, got.size, "one ", 4, 0);
    if (!is_single(names[i])) {
      write_all(w, "two"); /* another member */
      CHECK_INT(fastio_writer_offset(w), 7);
      CHECK_STATUS(fastio_writer_bytes(w, &got, NULL), FASTIO_OK);
      check_archive(names[i], got.data, got.size, "one two", 7, 0);
    }
    CHECK_STATUS(fastio_writer_take(w, &column, NULL), FASTIO_OK);
    check_archive(names[i], column->data, column->data_size, "one two", is_single(names[i]) ? 4 : 7, 0);
    fastio_column_free(column);
    write_all(w, "three"); /* an archive of its own, also where members can't follow one another */
    CHECK_STATUS(fastio_writer_bytes(w, &got, NULL), FASTIO_OK);
    check_archive(names[i], got.data, got.size, "three", 5, 0);
    if (is_single(names[i])) {
      write_all(w, "x");
      CHECK_STATUS(fastio_writer_bytes(w, &got, &err), FASTIO_INVALID_ARGUMENT);
      CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_INVALID_ARGUMENT);
    } else {
      CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
    }
  }
}

/* The caller's memory of every size up to what is needed: full, or all of it, and never a byte beyond. */
static void test_buffers(void) {
  for (size_t i = 0; i < NAMES; i++) {
    fastio_write_options options = with(names[i]);
    size_t needed = 0;
    for (size_t capacity = 0; capacity < 200 && !needed; capacity++) {
      char *room = malloc(capacity + 1);
      fastio_writer *w = NULL;
      fastio_bytes got;
      fastio_error err;
      room[capacity] = 0x5A;
      CHECK_STATUS(fastio_writer_buffer(room, capacity, &options, &w, NULL), FASTIO_OK);
      write_all(w, "12 34 56\n");
      fastio_status status = fastio_writer_bytes(w, &got, &err);
      if (status == FASTIO_OK) {
        check_archive(names[i], got.data, got.size, "12 34 56\n", 9, 0);
        needed = capacity;
      } else {
        CHECK(status == FASTIO_OS_ERROR && err.os_error == ENOSPC);
      }
      CHECK_STATUS(fastio_writer_close(w, NULL), status);
      CHECK(room[capacity] == 0x5A);
      free(room);
    }
    CHECK(needed > 9);
  }
}

typedef struct fault {
  const char *name;
  bool to_file;
} fault;

static fastio_status write_once(const fastio_env *env, const void *ctx, fastio_error *err) {
  const fault *f = ctx;
  fastio_write_options options = with(f->name);
  fastio_writer *w = NULL;
  fastio_column *column = NULL;
  fastio_status status;
  options.env = env;
  options.encoding = "utf-16";
  options.level = 1;
  options.threads = strcmp(f->name, "zstd") == 0 ? 1 : 2; /* the books are kept by one thread */
  status = f->to_file ? fastio_writer_open(in_directory("fault"), &options, &w, err)
                      : fastio_writer_memory(&options, &w, err);
  if (status != FASTIO_OK) return status;
  status = fastio_write(w, content, 300, err);
  if (status == FASTIO_OK) status = f->to_file ? fastio_flush(w, err) : fastio_writer_take(w, &column, err);
  fastio_column_free(column);
  if (status == FASTIO_OK) status = fastio_write(w, content, 300, err);
  if (status == FASTIO_OK) return fastio_writer_close(w, err);
  fastio_status closed = fastio_writer_close(w, NULL); /* a failed take stays with the call */
  CHECK(closed == status || closed == FASTIO_OK);
  return status;
}

/* Each allocation fails in its turn, alone and with all after it. */
static void test_faults(void) {
  for (size_t i = 0; i < 4 * NAMES; i++) {
    const fault f = {names[i / 4], i % 2};
    books_fail_each(write_once, &f, f.name, i / 2 % 2);
  }
}

/* ---- encodings ---- */

static void check_encoded_at(const char *encoding, int errors, const char *given, size_t given_size, const char *due,
                             size_t size, int line) {
  for (size_t step = 1; step <= given_size + 1; step += given_size ? given_size : 1) {
    fastio_write_options options = with(NULL);
    fastio_writer *w = NULL;
    fastio_bytes got = {NULL, 0};
    options.encoding = encoding;
    options.errors = errors;
    options.buffer_size = step == 1 ? 1 : 0;
    CHECK_STATUS(fastio_writer_memory(&options, &w, NULL), FASTIO_OK);
    for (size_t at = 0; at < given_size; at += step)
      CHECK_STATUS(fastio_write(w, given + at, given_size - at < step ? given_size - at : step, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_writer_bytes(w, &got, NULL), FASTIO_OK);
    check_that(got.size == size && memcmp(got.data, due, size) == 0, __FILE__, line, "%s: %zu bytes, due %zu", encoding,
               got.size, size);
    CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  }
}
#define check_encoded(encoding, errors, given, due) \
  check_encoded_at(encoding, errors, given, sizeof(given) - 1, due, sizeof(due) - 1, __LINE__)

static void test_encodings(void) {
  check_encoded("utf-16", 0, "a\xC3\xA9",
                "\xFF\xFE"
                "a\0\xE9\0");
  check_encoded("UTF-16BE", 0, "a\xF0\x9F\x98\x80", "\0a\xD8\x3D\xDE\x00");
  check_encoded("latin-1", 0, "a\xC3\xA9", "a\xE9");
  check_encoded("latin-1", FASTIO_ERRORS_REPLACE,
                "a\xE2\x82\xAC"
                "b",
                "a?b");
  check_encoded("latin-1", FASTIO_ERRORS_SKIP,
                "a\xE2\x82\xAC"
                "b",
                "ab");
  check_encoded("utf-8", 0,
                "\xEF\xBB\xBF"
                "a",
                "\xEF\xBB\xBF"
                "a"); /* a U+FEFF that is written is written */
  check_encoded("utf-16le", 0,
                "\xEF\xBB\xBF"
                "a",
                "\xFF\xFE"
                "a\0");
  check_encoded("utf-8-sig", 0, "a",
                "\xEF\xBB\xBF"
                "a");
  check_encoded("utf-8", FASTIO_ERRORS_REPLACE, "a\xFF", "a\xEF\xBF\xBD");
}

/* The offset is that of the character in all that was written; what comes before it is out. */
static void test_bad_characters(void) {
  static const size_t sizes[] = {0, 1, 5};
  for (size_t i = 0; i < 3; i++) {
    fastio_write_options options = with(NULL);
    fastio_writer *w = NULL;
    fastio_error err;
    text got = {0};
    options.encoding = "latin-1";
    options.buffer_size = sizes[i];
    CHECK_STATUS(fastio_writer_open(in_directory("latin"), &options, &w, NULL), FASTIO_OK);
    write_all(w, "na\xC3\xAFve ");
    fastio_status status = fastio_write(w, "\xE2\x82\xAC 5", 5, &err);
    if (status == FASTIO_OK) status = fastio_flush(w, &err);
    CHECK_STATUS(status, FASTIO_BAD_ENCODING);
    CHECK_INT(err.offset, 7);
    CHECK_BYTES(err.text, err.text_size, "\xE2\x82\xAC");
    CHECK_STATUS(fastio_write(w, "x", 1, &err), FASTIO_BAD_ENCODING);
    CHECK_INT(err.offset, 7);
    CHECK_STATUS(fastio_writer_close(w, &err), FASTIO_BAD_ENCODING);
    CHECK_INT(err.offset, 7);
    read_file(in_directory("latin"), &got);
    CHECK_BYTES(got.data, got.size, "na\xEFve ");
    /* cut short at the end */
    CHECK_STATUS(fastio_writer_open(in_directory("latin"), &options, &w, NULL), FASTIO_OK);
    write_all(w, "caf\xC3");
    CHECK_STATUS(fastio_flush(w, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_writer_close(w, &err), FASTIO_BAD_ENCODING);
    CHECK_INT(err.offset, 3);
    free(got.data);
  }
}

/* Only the start of a file has a mark. */
static void test_marks(void) {
  fastio_write_options options = with(NULL);
  fastio_writer *w = NULL;
  text got = {0};
  fastio_column *column = NULL;
  fastio_bytes bytes;
  options.encoding = "utf-16";
  options.mode = FASTIO_APPEND;
  for (int i = 0; i < 3; i++) {
    CHECK_STATUS(fastio_writer_open(in_directory("marks"), &options, &w, NULL), FASTIO_OK);
    write_all(w, "a");
    CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  }
  read_file(in_directory("marks"), &got);
  CHECK_BYTES(got.data, got.size,
              "\xFF\xFE"
              "a\0a\0a\0");
  options.compression = "gzip";
  for (int i = 0; i < 2; i++) {
    CHECK_STATUS(fastio_writer_open(in_directory("marks.gz"), &options, &w, NULL), FASTIO_OK);
    write_all(w, "a");
    CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  }
  read_file(in_directory("marks.gz"), &got);
  check_archive("gzip", got.data, got.size,
                "\xFF\xFE"
                "a\0a\0",
                6, 2);
  options.compression = NULL;
  CHECK_STATUS(fastio_writer_memory(&options, &w, NULL), FASTIO_OK);
  for (int i = 0; i < 2; i++) {
    write_all(w, "a");
    CHECK_STATUS(fastio_writer_bytes(w, &bytes, NULL), FASTIO_OK);
    CHECK_BYTES(bytes.data, bytes.size,
                "\xFF\xFE"
                "a\0");
    write_all(w, "b");
    CHECK_STATUS(fastio_writer_take(w, &column, NULL), FASTIO_OK);
    CHECK_BYTES(column->data, column->data_size,
                "\xFF\xFE"
                "a\0b\0");
    fastio_column_free(column);
  }
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  free(got.data);
}

/* ---- copies, threads, redirection ---- */

/* The fast ways from descriptor to descriptor would pass the stages by. */
static void test_copy(void) {
  int ends[2];
  fastio_source *source = NULL;
  fastio_writer *w = NULL;
  uint64_t copied = 0;
  fastio_write_options none = with(NULL);
  CHECK_STATUS(fastio_writer_open(in_directory("content"), &none, &w, NULL), FASTIO_OK);
  write_content(w);
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  for (int from = 0; from < 3; from++) {
    size_t size = from == 2 ? 5000 : CONTENT; /* what a pipe holds */
    text got = {0};
    if (from == 0) CHECK_STATUS(fastio_source_open(in_directory("content"), NULL, &source, NULL), FASTIO_OK);
    if (from == 1) CHECK_STATUS(fastio_source_memory(content, CONTENT, NULL, &source, NULL), FASTIO_OK);
    if (from == 2) {
      if (pipe(ends) != 0 || write(ends[1], content, size) != (ssize_t)size) abort();
      close(ends[1]);
      CHECK_STATUS(fastio_source_fd(ends[0], NULL, &source, NULL), FASTIO_OK);
    }
    CHECK_STATUS(fastio_writer_open(in_directory("copy.gz"), NULL, &w, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_copy(source, w, FASTIO_NO_OFFSET, &copied, NULL), FASTIO_OK);
    CHECK_INT(copied, size);
    CHECK_INT(fastio_writer_offset(w), size);
    CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
    fastio_source_close(source);
    if (from == 2) close(ends[0]);
    read_file(in_directory("copy.gz"), &got);
    check_archive("gzip", got.data, got.size, content, size, 1);
    free(got.data);
  }
}

static void copy_decoded(const char *from, const fastio_decode_options *decode, const char *to,
                         const fastio_write_options *options, uint64_t due) {
  fastio_source *source = NULL;
  fastio_writer *w = NULL;
  uint64_t copied = 0;
  CHECK_STATUS(fastio_source_open(in_directory(from), NULL, &source, NULL), FASTIO_OK);
  if (decode) CHECK_STATUS(fastio_source_decode(source, decode, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_open(in_directory(to), options, &w, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_copy(source, w, FASTIO_NO_OFFSET, &copied, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  CHECK_INT(copied, due);
  fastio_source_close(source);
}

/* From one archive to another: what its bytes were, or, if it is so told, what they stand for. */
static void test_recoding(void) {
  fastio_decode_options decode = FASTIO_DECODE_OPTIONS_INIT;
  fastio_write_options none = with(NULL), wide = with("auto");
  text got = {0}, raw = {0}, due = {0};
  copy_decoded("content", NULL, "recoded.gz", NULL, CONTENT); /* of the test before */
  wide.encoding = "utf-16-be";
  copy_decoded("recoded.gz", &decode, "wide.zst", &wide, CONTENT);
  for (size_t i = 0; i < CONTENT; i++) add(&due, (const char[]){0, content[i]}, 2);
  read_file(in_directory("wide.zst"), &got);
  check_archive("zstd", got.data, got.size, due.data, due.size, 1);
  decode.encoding = "utf-16-be";
  copy_decoded("wide.zst", &decode, "narrow", &none, CONTENT);
  read_file(in_directory("narrow"), &raw);
  CHECK(raw.size == CONTENT && memcmp(raw.data, content, CONTENT) == 0);
  copy_decoded("wide.zst", NULL, "same", &none, got.size);
  read_file(in_directory("same"), &raw);
  CHECK(raw.size == got.size && memcmp(raw.data, got.data, got.size) == 0);
  free(got.data);
  free(raw.data);
  free(due.data);
}

static void *write_lines(void *ctx) {
  for (int i = 0; i < 2000; i++)
    if (fastio_write(ctx, "one whole line\n", 15, NULL) != FASTIO_OK) return ctx;
  return NULL;
}

static void test_locked(void) {
  pthread_t threads[3];
  fastio_write_options options = with("gzip");
  fastio_writer *w = NULL;
  text got = {0}, due = {0};
  options.flags = FASTIO_WRITE_LOCKED;
  CHECK_STATUS(fastio_writer_open(in_directory("locked"), &options, &w, NULL), FASTIO_OK);
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, write_lines, w);
  for (int i = 0; i < 3; i++) {
    void *failed;
    pthread_join(threads[i], &failed);
    CHECK(failed == NULL);
  }
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
  for (int i = 0; i < 6000; i++) add_text(&due, "one whole line\n");
  read_file(in_directory("locked"), &got);
  check_archive("gzip", got.data, got.size, due.data, due.size, 1);
  free(got.data);
  free(due.data);
}

static void test_redirect(void) {
  fastio_writer *plain = NULL, *packed = NULL;
  fastio_bytes got;
  fastio_write_options options = with("zstd");
  CHECK_STATUS(fastio_writer_memory(NULL, &plain, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_memory(&options, &packed, NULL), FASTIO_OK);
  write_all(packed, "one ");
  CHECK_STATUS(fastio_writer_redirect(packed, plain, NULL), FASTIO_OK);
  write_all(packed, "aside");
  CHECK_STATUS(fastio_writer_redirect(packed, NULL, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_redirect(plain, packed, NULL), FASTIO_OK);
  write_all(plain, "two");
  CHECK_STATUS(fastio_writer_redirect(plain, NULL, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_bytes(plain, &got, NULL), FASTIO_OK);
  CHECK_BYTES(got.data, got.size, "aside");
  CHECK_STATUS(fastio_writer_bytes(packed, &got, NULL), FASTIO_OK);
  check_archive("zstd", got.data, got.size, "one two", 7, 1);
  CHECK_STATUS(fastio_writer_close(packed, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_close(plain, NULL), FASTIO_OK);
}

static void test_without_libraries(void) {
  fastio_writer *w = NULL;
  fastio_error err;
  CHECK_STATUS(fastio_writer_open(in_directory("missing.zst"), NULL, &w, &err), FASTIO_UNSUPPORTED);
  CHECK(strstr(err.message, "zstd") != NULL && !exists(in_directory("missing.zst")));
}

int main(void) {
  if (!mkdtemp(directory)) return 1;
  make_content();
  test_encodings();
  test_bad_characters();
  if (!fastio__format_is_built(FASTIO__ZSTD)) test_without_libraries();
  if (fastio__format_is_built(FASTIO__GZIP) && fastio__format_is_built(FASTIO__ZSTD) &&
      fastio__format_is_built(FASTIO__XZ) && fastio__format_is_built(FASTIO__BZIP2) &&
      fastio__format_is_built(FASTIO__LZ4)) {
    test_destinations();
    test_suffixes();
    test_refusals();
    test_append();
    test_empty();
    test_flush();
    test_atomic();
    test_device_failures();
    test_full_devices();
    test_half_characters();
    test_discard();
    test_memory();
    test_buffers();
    test_faults();
    test_marks();
    test_copy();
    test_recoding();
    test_locked();
    test_redirect();
  }
  char command[300];
  snprintf(command, sizeof command, "rm -rf '%s'", directory);
  CHECK(system(command) == 0);
  return check_report();
}
