/* Tables where vectors can't go: huge records, sources that fail, shrink or never end, cancelling, what is looked at and
 * what is not, memory of batches, ownership. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static char directory[] = "/tmp/fastio-test-table-XXXXXX";
static char path[128];

static const char *make_file(const void *data, size_t size) {
  snprintf(path, sizeof path, "%s/file.csv", directory);
  FILE *file = fopen(path, "wb");
  if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0) abort();
  return path;
}

static fastio_csv_options new_options(unsigned threads) {
  fastio_csv_options options;
  fastio_csv_options_init(&options);
  options.threads = threads;
  return options;
}

static fastio_table *read_text(const void *text, size_t size, const fastio_csv_options *options, fastio_error *err) {
  fastio_source *source = NULL;
  fastio_table *table = NULL;
  fastio_status status = fastio_source_memory(text, size, NULL, &source, err);
  if (status == FASTIO_OK) status = fastio_read_csv(source, options, &table, err);
  CHECK((status == FASTIO_OK) == (table != NULL));
  fastio_source_close(source);
  return table;
}

#define READ(text, options, err) read_text((text), sizeof(text) - 1, (options), (err))

/* ---- Huge records ---- */

static void huge_field(unsigned threads, size_t block_size) {
  enum { SIZE = 20 << 20 };
  char *text = malloc(SIZE + 64);
  fastio_csv_options options = new_options(threads);
  fastio_error err;
  options.block_size = block_size;
  size_t size = (size_t)sprintf(text, "a,b\n1,\"");
  memset(text + size, 'x', SIZE);
  for (size_t i = size; i < size + SIZE; i += 1000) text[i] = i % 2000 ? '\n' : ',';
  size += SIZE;
  size += (size_t)sprintf(text + size, "\"\n2,y\n");
  fastio_table *table = read_text(text, size, &options, &err);
  if (CHECK(table != NULL && table->rows == 2)) {
    const fastio_column *b = table->columns[1];
    CHECK(b->offsets[1] == SIZE && memcmp(b->data, text + 7, SIZE) == 0);
    CHECK_BYTES((const char *)b->data + SIZE, (size_t)(b->offsets[2] - SIZE), "y");
    CHECK_INT(((const int64_t *)table->columns[0]->data)[1], 2);
  }
  fastio_table_free(table);
  free(text);
}

/* 100,000 columns, whose records are longer than the blocks. */
static void many_columns(unsigned threads, size_t block_size) {
  enum { COLUMNS = 100000, ROWS = 4 };
  char *text = malloc((ROWS + 1) * COLUMNS * 10);
  fastio_csv_options options = new_options(threads);
  fastio_error err;
  size_t size = 0;
  uint64_t wrong = 0;
  options.block_size = block_size;
  for (int i = 0; i < COLUMNS; i++) size += (size_t)sprintf(text + size, "c%d,", i);
  text[size - 1] = '\n';
  for (int row = 0; row < ROWS; row++) {
    for (int i = 0; i < COLUMNS; i++) size += (size_t)sprintf(text + size, "%d,", i * (row + 1));
    text[size - 1] = '\n';
  }
  fastio_table *table = read_text(text, size, &options, &err);
  if (CHECK(table != NULL && table->rows == ROWS && table->column_count == COLUMNS)) {
    for (int i = 0; i < COLUMNS; i++) {
      const fastio_column *c = table->columns[i];
      wrong += c->type != FASTIO_INT64 || c->length != ROWS;
      for (int row = 0; row < ROWS; row++) wrong += ((const int64_t *)c->data)[row] != (int64_t)i * (row + 1);
    }
    CHECK_INT(wrong, 0);
    CHECK_BYTES(table->names[COLUMNS - 1].data, table->names[COLUMNS - 1].size, "c99999");
  }
  fastio_table_free(table);
  free(text);
}

/* ---- Sources that are made up as they are read ---- */

typedef struct maker {
  const char *header;
  uint64_t given, limit; /* bytes in all */
  uint64_t fails_at;     /* gives CALLBACK_FAILED from there on */
} maker;

static const char record[] = "1234567,0.125,some text,2024-02-29\n";

static fastio_status make(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  maker *m = ctx;
  char *out = data;
  size_t header = strlen(m->header), n = 0;
  if (m->given >= m->fails_at) {
    err->status = FASTIO_CALLBACK_FAILED;
    return FASTIO_CALLBACK_FAILED;
  }
  if (size > 100000) size = 100000;
  for (; n < size && m->given < m->limit && m->given < m->fails_at; n++, m->given++)
    out[n] = m->given < header ? m->header[m->given] : record[(m->given - header) % (sizeof record - 1)];
  *got = n;
  return FASTIO_OK;
}

static maker new_maker(uint64_t records) {
  maker m = {"n,x,s,d\n", 0, 0, UINT64_MAX};
  m.limit = strlen(m.header) + records * (sizeof record - 1);
  return m;
}

static fastio_source *open_maker(maker *m, const fastio_env *env) {
  fastio_device device = {m, make, NULL};
  fastio_source *source = NULL;
  CHECK_STATUS(fastio_source_device(&device, env, &source, NULL), FASTIO_OK);
  return source;
}

/* ---- Batches in flat memory ---- */

typedef struct meter {
  atomic_llong bytes, most;
} meter;

static void count_bytes(meter *m, int64_t more) {
  long long now = atomic_fetch_add(&m->bytes, more) + more, most = atomic_load(&m->most);
  while (now > most && !atomic_compare_exchange_weak(&m->most, &most, now)) {}
}

static void *meter_allocate(void *ctx, size_t size) {
  count_bytes(ctx, (int64_t)size);
  return malloc(size);
}
static void *meter_reallocate(void *ctx, void *block, size_t old_size, size_t new_size) {
  count_bytes(ctx, (int64_t)new_size - (int64_t)old_size);
  return realloc(block, new_size);
}
static void meter_release(void *ctx, void *block, size_t size) {
  if (block != NULL) count_bytes(ctx, -(int64_t)size);
  free(block);
}

static void flat_memory(unsigned threads, uint64_t batch_rows, int64_t bound) {
  enum { RECORDS = 3000000 }; /* 100 MB */
  meter m = {0, 0};
  fastio_env env = FASTIO_ENV_INIT;
  maker source_of = new_maker(RECORDS);
  fastio_csv_options options = new_options(threads);
  fastio_error err;
  fastio_csv *csv = NULL;
  fastio_table *table;
  fastio_status status;
  uint64_t rows = 0;
  env.ctx = &m;
  env.allocate = meter_allocate;
  env.reallocate = meter_reallocate;
  env.release = meter_release;
  options.env = &env;
  options.batch_rows = batch_rows;
  fastio_source *source = open_maker(&source_of, &env);
  CHECK_STATUS(fastio_csv_open(source, &options, &csv, &err), FASTIO_OK);
  while ((status = fastio_csv_next(csv, &table, &err)) == FASTIO_OK) {
    CHECK(table->rows > 0 && table->first_row == rows && (batch_rows == 0 || table->rows <= batch_rows));
    CHECK_INT(table->columns[3]->type, FASTIO_DATE);
    rows += table->rows;
    fastio_table_free(table);
  }
  CHECK_STATUS(status, FASTIO_END);
  CHECK_INT(rows, RECORDS);
  fastio_csv_close(csv);
  fastio_source_close(source);
  CHECK_INT(atomic_load(&m.bytes), 0);
  check_that(atomic_load(&m.most) < bound, __FILE__, __LINE__, "batches of %" PRIu64 " rows took %lld bytes",
             batch_rows, atomic_load(&m.most));
}

/* ---- What is looked at ---- */

/* Reading stops soon behind the last row that is wanted. */
static void max_rows_reads_no_further(unsigned threads) {
  maker m = new_maker(1000000);
  fastio_csv_options options = new_options(threads);
  fastio_error err;
  fastio_table *table = NULL;
  options.max_rows = 10;
  m.fails_at = 8 << 20; /* beyond any block */
  fastio_source *source = open_maker(&m, NULL);
  CHECK_STATUS(fastio_read_csv(source, &options, &table, &err), FASTIO_OK);
  CHECK(table != NULL && table->rows == 10 && table->columns[0]->type == FASTIO_INT64);
  check_that(m.given <= 4 << 20, __FILE__, __LINE__, "%" PRIu64 " bytes were read for ten rows", m.given);
  fastio_table_free(table);
  fastio_source_close(source);
}

/* ---- Sources that fail ---- */

static void failing_device(unsigned threads, uint64_t fails_at) {
  maker m = new_maker(200000);
  fastio_csv_options options = new_options(threads);
  fastio_error err;
  fastio_table *table = NULL;
  options.block_size = 10000;
  m.fails_at = fails_at;
  fastio_source *source = open_maker(&m, NULL);
  CHECK_STATUS(fastio_read_csv(source, &options, &table, &err), FASTIO_CALLBACK_FAILED);
  CHECK_STATUS(err.status, FASTIO_CALLBACK_FAILED);
  CHECK(table == NULL);
  fastio_source_close(source);
}

/* Batches before the failure are given. */
static void failing_batches(void) {
  maker m = new_maker(200000);
  fastio_csv_options options = new_options(1);
  fastio_error err;
  fastio_csv *csv = NULL;
  fastio_table *table = NULL;
  fastio_status status;
  uint64_t rows = 0;
  options.batch_rows = 100;
  m.fails_at = 1 << 20;
  fastio_source *source = open_maker(&m, NULL);
  CHECK_STATUS(fastio_csv_open(source, &options, &csv, &err), FASTIO_OK);
  while ((status = fastio_csv_next(csv, &table, &err)) == FASTIO_OK) {
    rows += table->rows;
    fastio_table_free(table);
  }
  CHECK_STATUS(status, FASTIO_CALLBACK_FAILED);
  CHECK(rows > 100 && rows < (1 << 20) / (sizeof record - 1));
  fastio_csv_close(csv);
  fastio_source_close(source);
}

typedef struct disk {
  int fd; /* to be cut */
  bool is_bad, shrinks;
  atomic_int reads;
} disk;

static int64_t disk_pread(void *ctx, int fd, void *data, size_t size, uint64_t offset) {
  disk *d = ctx;
  if (atomic_fetch_add(&d->reads, 1) == 6 && d->shrinks && ftruncate(d->fd, 1000) != 0) abort();
  if (d->is_bad && offset + size > 200000) return -EIO;
  ssize_t got = pread(fd, data, size, (off_t)offset);
  return got < 0 ? -errno : got;
}

static void failing_disk(unsigned threads, bool shrinks) {
  enum { RECORDS = 20000 };
  maker m = new_maker(RECORDS);
  char *text = malloc((size_t)m.limit);
  size_t size = 0, got = 1;
  fastio_error err;
  while (got > 0 && make(&m, text + size, (size_t)m.limit - size, &got, &err) == FASTIO_OK) size += got;
  make_file(text, size);
  disk d = {open(path, O_RDWR), !shrinks, shrinks, 0};
  fastio_env env = FASTIO_ENV_INIT;
  fastio_csv_options options = new_options(threads);
  fastio_source *source = NULL;
  fastio_table *table = NULL;
  env.ctx = &d;
  env.pread = disk_pread;
  options.env = &env;
  options.block_size = 20000;
  CHECK_STATUS(fastio_source_open(path, &env, &source, &err), FASTIO_OK);
  CHECK_STATUS(fastio_read_csv(source, &options, &table, &err), shrinks ? FASTIO_TRUNCATED : FASTIO_OS_ERROR);
  if (!shrinks) CHECK_INT(err.os_error, EIO);
  CHECK(table == NULL && err.offset != FASTIO_NO_OFFSET);
  fastio_table_free(table);
  fastio_source_close(source);
  close(d.fd);
  free(text);
}

/* ---- Cancelling ---- */

typedef struct watcher {
  int calls, stop_at;
  uint64_t done;
  bool backwards;
} watcher;

static int watch(void *ctx, uint64_t done, uint64_t total) {
  watcher *w = ctx;
  (void)total;
  if (done < w->done) w->backwards = true;
  w->done = done;
  return ++w->calls == w->stop_at;
}

static int cancelled(unsigned threads, int stop_at) {
  maker m = new_maker(30000);
  watcher w = {0, stop_at, 0, false};
  fastio_csv_options options = new_options(threads);
  fastio_error err;
  fastio_table *table = NULL;
  options.block_size = 50000;
  options.poll = watch;
  options.poll_ctx = &w;
  fastio_source *source = open_maker(&m, NULL);
  fastio_status status = fastio_read_csv(source, &options, &table, &err);
  CHECK_STATUS(status, w.calls == stop_at ? FASTIO_CANCELLED : FASTIO_OK);
  CHECK((table != NULL) == (status == FASTIO_OK));
  fastio_table_free(table);
  fastio_source_close(source);
  return w.calls;
}

static void cancelling(unsigned threads) {
  int calls = cancelled(threads, 0);
  CHECK(calls > 5);
  for (int i = 1; i <= calls && i <= 12; i++) cancelled(threads, i);
}

/* ---- Callbacks ---- */

static int refuse(void *ctx, const fastio_bytes *fields, size_t count, size_t expected, const fastio_bytes **out) {
  (void)fields, (void)out;
  *(size_t *)ctx = count * 100 + expected;
  return -1;
}

static void failing_callback(void) {
  fastio_csv_options options = new_options(3);
  fastio_error err;
  size_t seen = 0;
  options.on_ragged = FASTIO_RAGGED_CALL;
  options.ragged = refuse;
  options.ragged_ctx = &seen;
  CHECK(READ("a,b\n1,2\n3,4,\"5\"\n", &options, &err) == NULL);
  CHECK_STATUS(err.status, FASTIO_CALLBACK_FAILED);
  CHECK_INT(seen, 302);
}

/* ---- The object ---- */

static void places_in_the_source(void) {
  static const char text[] = "a,b\n1,2\n3,4\n\n5,6\n";
  fastio_csv_options options = new_options(1);
  fastio_error err;
  options.offset = 5;
  fastio_table *table = READ(text, &options, &err);
  if (CHECK(table != NULL)) {
    CHECK_INT(table->rows, 2);
    CHECK_INT(table->start, 8);
    CHECK_INT(table->end, sizeof text - 1);
    CHECK_INT(table->first_row, 0); /* of the range */
  }
  fastio_table_free(table);
}

static void batches_tell_their_rows(void) {
  static const char text[] = "a\n1\n2\n3\n4\n5\n";
  fastio_csv_options options = new_options(1);
  fastio_source *source = NULL;
  fastio_csv *csv = NULL;
  fastio_table *tables[3] = {NULL, NULL, NULL};
  fastio_error err;
  options.batch_rows = 2;
  CHECK_STATUS(fastio_source_memory(text, sizeof text - 1, NULL, &source, &err), FASTIO_OK);
  CHECK_STATUS(fastio_csv_open(source, &options, &csv, &err), FASTIO_OK);
  for (size_t i = 0; i < 3; i++) CHECK_STATUS(fastio_csv_next(csv, &tables[i], &err), FASTIO_OK);
  fastio_csv_close(csv);
  fastio_source_close(source);
  for (size_t i = 0; i < 3; i++) { /* they outlive where they came from */
    if (!CHECK(tables[i] != NULL)) continue;
    CHECK_INT(tables[i]->first_row, 2 * i);
    CHECK_INT(tables[i]->start, 2 + 4 * i);
    CHECK_INT(tables[i]->end, i == 2 ? 12 : 6 + 4 * i);
    CHECK_INT(((const int64_t *)tables[i]->columns[0]->data)[0], 2 * (int64_t)i + 1);
    fastio_table_free(tables[i]);
  }
}

/* Rows by number do not disturb the batches. */
static void slices_between_batches(void) {
  static const char text[] = "a\n1\n2\n3\n4\n5\n";
  fastio_csv_options options = new_options(1);
  fastio_source *source = NULL;
  fastio_csv *csv = NULL;
  fastio_table *table = NULL;
  fastio_error err;
  uint64_t rows = 0;
  int64_t due = 1;
  options.batch_rows = 2;
  CHECK_STATUS(fastio_source_open(make_file(text, sizeof text - 1), NULL, &source, &err), FASTIO_OK);
  CHECK_STATUS(fastio_csv_open(source, &options, &csv, &err), FASTIO_OK);
  while (fastio_csv_next(csv, &table, &err) == FASTIO_OK) {
    for (uint64_t i = 0; i < table->rows; i++) CHECK_INT(((const int64_t *)table->columns[0]->data)[i], due++);
    fastio_table_free(table);
    CHECK_STATUS(fastio_csv_count(csv, &rows, &err), FASTIO_OK);
    CHECK_INT(rows, 5);
    if (!CHECK(fastio_csv_slice(csv, 1, 3, &table, &err) == FASTIO_OK && table->rows == 3)) continue;
    CHECK_INT(((const int64_t *)table->columns[0]->data)[0], 2);
    CHECK_INT(table->first_row, 1);
    fastio_table_free(table);
  }
  CHECK_INT(due, 6);
  fastio_csv_close(csv);
  fastio_source_close(source);
}

static void slices_need_a_source_that_can_be_read_again(void) {
  maker m = new_maker(10);
  fastio_source *source = open_maker(&m, NULL);
  fastio_csv *csv = NULL;
  fastio_error err;
  uint64_t rows;
  CHECK_STATUS(fastio_csv_open(source, NULL, &csv, &err), FASTIO_OK);
  CHECK_STATUS(fastio_csv_count(csv, &rows, &err), FASTIO_UNSUPPORTED);
  fastio_csv_close(csv);
  fastio_source_close(source);
}

/* All columns as one. */
static void matrix(unsigned threads) {
  static const fastio_column_rule rule = {.position = FASTIO_EVERY_COLUMN, .type = FASTIO_FLOAT64};
  fastio_csv_options options = new_options(threads);
  fastio_error err;
  options.flags = FASTIO_CSV_MATRIX;
  options.header = 0;
  options.rules = &rule;
  options.rule_count = 1;
  options.separator.size = 0;
  options.block_size = 4;
  fastio_table *table = READ("1 2 3\n 4 5.5 6\n-7 8 1e9", &options, &err);
  if (CHECK(table != NULL && table->column_count == 1)) {
    static const double due[] = {1, 2, 3, 4, 5.5, 6, -7, 8, 1e9};
    const fastio_column *c = table->columns[0];
    CHECK_INT(table->rows, 3);
    CHECK(c->type == FASTIO_FLOAT64 && c->length == 9 && c->row_items == 3 && memcmp(c->data, due, sizeof due) == 0);
  }
  fastio_table_free(table);
}

static void null_options(void) {
  fastio_error err;
  fastio_table *table = READ("a,b\n1,x\n", NULL, &err);
  CHECK(table != NULL && table->rows == 1 && table->columns[0]->type == FASTIO_INT64);
  fastio_table_free(table);
  CHECK(READ("a,b\n1\n", NULL, NULL) == NULL); /* nobody wants to know */
}

/* Many small tables at once, many times: nothing is kept between calls. */
static void small_tables_again_and_again(void) {
  uint64_t wrong = 0;
  for (int i = 0; i < 20000; i++) {
    fastio_error err;
    fastio_table *table = READ("a,b\n1,x\n2,\"y\"\n", NULL, &err);
    wrong += table == NULL || table->rows != 2;
    fastio_table_free(table);
  }
  CHECK_INT(wrong, 0);
}

int main(void) {
  if (mkdtemp(directory) == NULL) return 1;
  for (unsigned threads = 1; threads <= 2; threads++) {
    huge_field(threads, 0);
    huge_field(threads, 100000);
    many_columns(threads, 0);
    many_columns(threads, 1000);
    flat_memory(threads, 0, 100 << 20);
    flat_memory(threads, 1000, 20 << 20);
    max_rows_reads_no_further(threads);
    failing_device(threads, 0);
    failing_device(threads, 5);
    failing_device(threads, 100000);
    failing_disk(threads, false);
    failing_disk(threads, true);
    cancelling(threads);
    matrix(threads);
  }
  failing_batches();
  failing_callback();
  places_in_the_source();
  batches_tell_their_rows();
  slices_between_batches();
  slices_need_a_source_that_can_be_read_again();
  null_options();
  small_tables_again_and_again();
  unlink(path);
  rmdir(directory);
  return check_report();
}
