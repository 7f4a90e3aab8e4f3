/* Sizes beyond 32 bits: sparse files over 4 GiB, one line of 3 GB, more than 2^31 lines, 64-bit offsets in errors.
 * FASTIO_HUGE=1 adds what takes more memory or time than an everyday run should. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#define _FILE_OFFSET_BITS 64
#include "stored_gzip.h"

#include <sys/resource.h>
#include <sys/wait.h>
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

/* The place of an error behind that many. */
static fastio_status generate_and_fail(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  generator *g = ctx;
  bool last = g->left > 0 && g->left <= size;
  fastio_status status = generate(ctx, data, size, got, err);
  if (last) ((char *)data)[*got - 1] = 'x';
  return status;
}

static void far_error(void) {
  const uint64_t size = (UINT64_C(1) << 32) + 1000;
  for (unsigned threads = 1; threads < 3; threads++) {
    generator g = {size};
    fastio_device device = {&g, generate_and_fail, NULL};
    fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
    fastio_source *source;
    fastio_column *column = NULL;
    fastio_error err;
    options.threads = threads;
    CHECK_STATUS(fastio_source_device(&device, NULL, &source, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_read_ints(source, &options, &column, &err), FASTIO_BAD_TOKEN);
    CHECK_ERROR(&err, FASTIO_BAD_TOKEN, size - 1, size, 1);
    fastio_source_close(source);
  }
}

/* ---- gzip, whose own count of bytes has 32 bits ---- */

static void newlines(const void *ctx, uint64_t offset, uint8_t *data, size_t size) {
  (void)ctx, (void)offset;
  memset(data, '\n', size);
}

static void large_archive(void) {
  static stored_gzip archive;
  const uint64_t size = 4 * GIB + 1000;
  uint64_t lines = 0;
  if (!stored_is_readable()) return;
  fastio_source *source = stored_open(&archive, newlines, NULL, size);
  CHECK_STATUS(fastio_count_lines(source, NULL, &lines, NULL), FASTIO_OK);
  CHECK_INT(lines, size);
  fastio_source_close(source);
}

#if !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) /* which take memory and terabytes of address space */
/* ---- 20 GB of records, batch after batch ---- */

enum { RECORD = 32 };

typedef struct records {
  uint64_t count, at; /* bytes given */
} records;

/* Record i is "<i, 15 digits>,0.5,abcdefghij\n". */
static fastio_status generate_records(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  records *g = ctx;
  uint64_t left = g->count * RECORD - g->at;
  char *out = data;
  (void)err;
  *got = size < left ? size : (size_t)left;
  for (size_t i = 0; i < *got;) {
    char record[RECORD + 1] = "000000000000000,0.5,abcdefghijk\n";
    uint64_t number = (g->at + i) / RECORD, from = (g->at + i) % RECORD;
    size_t part = RECORD - (size_t)from < *got - i ? RECORD - (size_t)from : *got - i;
    for (int digit = 14; number > 0; digit--, number /= 10) record[digit] = (char)('0' + number % 10);
    memcpy(out + i, record + from, part);
    i += part;
  }
  g->at += *got;
  return FASTIO_OK;
}

static size_t peak_memory(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (size_t)usage.ru_maxrss; /* KiB */
}

static void read_batches(uint64_t bytes) {
  records g = {bytes / RECORD, 0};
  fastio_device device = {&g, generate_records, NULL};
  fastio_column_rule rules[] = {{NULL, 0, 0, FASTIO_INT64, NULL, 0, {0}}, {NULL, 0, 1, FASTIO_FLOAT64, NULL, 0, {0}}};
  fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
  fastio_source *source;
  fastio_csv *csv = NULL;
  fastio_table *table = NULL;
  fastio_error err;
  uint64_t rows = 0;
  bool right = true;
  fastio_status status;
  options.header = 0;
  options.rules = rules;
  options.rule_count = 2;
  CHECK_STATUS(fastio_source_device(&device, NULL, &source, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_csv_open(source, &options, &csv, &err), FASTIO_OK);
  while ((status = fastio_csv_next(csv, &table, &err)) == FASTIO_OK) {
    const int64_t *numbers = table->columns[0]->data;
    right &= table->first_row == rows && table->start == rows * RECORD && table->end == (rows + table->rows) * RECORD;
    for (uint64_t i = 0; i < table->rows; i++) right &= numbers[i] == (int64_t)(rows + i);
    rows += table->rows;
    fastio_table_free(table);
  }
  CHECK_STATUS(status, FASTIO_END);
  CHECK_INT(rows, g.count);
  CHECK(right);
  fastio_csv_close(csv);
  fastio_source_close(source);
}

/* In a process of its own, whose memory tells nothing of other tests. */
static void flat_memory(uint64_t bytes) {
  int state = -1;
  pid_t child;
  fflush(NULL);
  child = fork();
  if (child == 0) {
    read_batches(bytes);
    size_t peak = peak_memory();
    printf("%.1f GB in batches: %zu MiB at most\n", (double)bytes / 1e9, peak >> 10);
    CHECK(peak < 256 << 10);
    fflush(NULL);
    _exit(check_failed != 0);
  }
  CHECK(child > 0 && waitpid(child, &state, 0) == child && WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

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
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  flat_memory(300 << 20);
#endif
  if (getenv("FASTIO_HUGE") != NULL) {
    whole_file();
    one_line();
    many_lines();
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    little_address_space();
    flat_memory(UINT64_C(20000000000));
#endif
    far_error();
    large_archive();
  }
  close(fd);
  unlink(path);
  return check_report();
}
