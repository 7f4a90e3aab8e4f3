/* Sizes beyond 32 bits: sparse files over 4 GiB, one line of 3 GB, more than 2^31 lines, 64-bit offsets in errors.
 * FASTIO_HUGE=1 adds what takes more memory or time than an everyday run should. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#define _FILE_OFFSET_BITS 64
#include "check.h"

#include <sys/resource.h>
#include <unistd.h>

static const uint64_t GIB = UINT64_C(1) << 30;
static char path[] = "/tmp/fastio-test-huge-XXXXXX";
static int fd;

static void write_at(uint64_t offset, const char *data) {
  size_t size = strlen(data);
  if (pwrite(fd, data, size, (off_t)offset) != (ssize_t)size) abort();
}

static fastio_source *open_file(void) {
  fastio_source *source = NULL;
  CHECK_STATUS(fastio_source_open(path, NULL, &source, NULL), FASTIO_OK);
  return source;
}

/* A file of 4 GiB and a bit of NULs (which take no space on the disk) with newlines where 32 bits end. */
static void sparse_lines(void) {
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  fastio_source *source = open_file();
  uint64_t lines = 0;
  CHECK_INT(fastio_source_size(source), 4 * GIB + 20);
  options.offset = 4 * GIB - 10;
  CHECK_STATUS(fastio_count_lines(source, &options, &lines, NULL), FASTIO_OK);
  CHECK_INT(lines, 6);
  fastio_source_close(source);
}

static void numbers_beyond_4_gib(void) {
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  fastio_column *column = NULL;
  fastio_error err;
  fastio_source *source = open_file();
  options.offset = 4 * GIB - 6;
  options.length = 8;
  CHECK_STATUS(fastio_read_ints(source, &options, &column, &err), FASTIO_OK);
  CHECK(column != NULL && column->length == 3);
  if (column != NULL) CHECK_INT(((const int64_t *)column->data)[1], 456);
  fastio_column_free(column);
  fastio_source_close(source);
}

static void map_beyond_4_gib(void) {
  fastio_map_options options = FASTIO_MAP_OPTIONS_INIT;
  fastio_map *map;
  options.offset = 4 * GIB - 6;
  CHECK_STATUS(fastio_map_open(path, &options, &map, NULL), FASTIO_OK);
  CHECK_BYTES(map->data, map->size, "12\n456\n7\nx\nyyyyyyyyyyyyyyy");
  fastio_map_close(map);
}

static void small_parts(void) {
  fd = mkstemp(path);
  write_at(4 * GIB - 9, "\n1\n12\n456\n7\nx\nyyyyyyyyyyyyyyy");
  sparse_lines();
  numbers_beyond_4_gib();
  map_beyond_4_gib();
}

static void whole_file(void) {
  fastio_source *source = open_file();
  fastio_error err;
  fastio_column *column = NULL;
  fastio_reader *reader;
  uint64_t lines = 0;
  int64_t value;
  CHECK_STATUS(fastio_count_lines(source, NULL, &lines, NULL), FASTIO_OK);
  CHECK_INT(lines, 7);
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  options.offset = 4 * GIB - 6;
  CHECK_STATUS(fastio_read_ints(source, &options, &column, &err), FASTIO_BAD_TOKEN);
  CHECK_ERROR(&err, FASTIO_BAD_TOKEN, 4 * GIB + 3, 6, 1); /* the line is counted from the start of the file */
  fastio_source_close(source);
  source = open_file();
  options.offset = 4 * GIB - 9;
  CHECK_STATUS(fastio_reader_open(source, &options, &reader, NULL), FASTIO_OK);
  CHECK(fastio_next_i64(reader, &value, NULL) == FASTIO_OK && value == 1);
  CHECK_INT(fastio_reader_offset(reader), 4 * GIB - 7);
  CHECK_INT(fastio_reader_line(reader), 2);
  fastio_reader_close(reader);
  fastio_source_close(source);
}

/* 3 GB without a newline, as lines and as bytes. */
static void one_line(void) {
  const uint64_t size = UINT64_C(3000000000);
  fastio_column *column = NULL;
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  uint64_t lines = 0;
  CHECK(ftruncate(fd, 0) == 0 && ftruncate(fd, (off_t)size) == 0);
  write_at(size - 1, "x");
  fastio_source *source = open_file();
  CHECK_STATUS(fastio_count_lines(source, NULL, &lines, NULL), FASTIO_OK);
  CHECK_INT(lines, 1);
  options.line_type = FASTIO_BINARY;
  CHECK_STATUS(fastio_read_lines(source, &options, &column, NULL), FASTIO_OK);
  if (CHECK(column != NULL && column->length == 1 && column->offsets[1] == (int64_t)size))
    CHECK(((const char *)column->data)[size - 1] == 'x');
  fastio_column_free(column);
  fastio_source_close(source);
}

typedef struct generator {
  uint64_t left;
} generator;

static fastio_status generate(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  generator *g = ctx;
  (void)err;
  *got = g->left < size ? (size_t)g->left : size;
  memset(data, '\n', *got);
  g->left -= *got;
  return FASTIO_OK;
}

/* More lines than 31 bits count. */
static void many_lines(void) {
  generator g = {(UINT64_C(1) << 31) + 1000};
  fastio_device device = {&g, generate, NULL};
  fastio_source *source;
  uint64_t lines = 0;
  CHECK_STATUS(fastio_source_device(&device, NULL, &source, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_count_lines(source, NULL, &lines, NULL), FASTIO_OK);
  CHECK_INT(lines, (UINT64_C(1) << 31) + 1000);
  fastio_source_close(source);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* which take terabytes of address space */
static fastio_status generate_sevens(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  uint64_t *left = ctx;
  (void)err;
  *got = size < *left ? size : (size_t)*left;
  for (size_t i = 0; i < *got; i++) ((char *)data)[i] = (*left - i) % 2 ? ' ' : '7';
  *left -= *got;
  return FASTIO_OK;
}

/* A column that outgrows its first reservation where there is no address space for a generous second one. */
static void little_address_space(void) {
  struct rlimit before, small;
  uint64_t left = 300 << 20;
  fastio_device device = {&left, generate_sevens, NULL};
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  fastio_source *source;
  fastio_column *column = NULL;
  options.threads = 1;
  CHECK(getrlimit(RLIMIT_AS, &before) == 0);
  small = before;
  small.rlim_cur = (rlim_t)(4 * GIB);
  CHECK_STATUS(fastio_source_device(&device, NULL, &source, NULL), FASTIO_OK);
  CHECK(setrlimit(RLIMIT_AS, &small) == 0);
  CHECK_STATUS(fastio_read_ints(source, &options, &column, NULL), FASTIO_OK);
  CHECK(setrlimit(RLIMIT_AS, &before) == 0);
  CHECK(column && column->length == 150 << 20);
  fastio_column_free(column);
  fastio_source_close(source);
}
#endif

int main(void) {
  small_parts();
  if (getenv("FASTIO_HUGE") != NULL) {
    whole_file();
    one_line();
    many_lines();
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    little_address_space();
#endif
  }
  close(fd);
  unlink(path);
  return check_report();
}
