/* Readers over compressed sources: places in the decompressed text, ranges by reading through, and no more of the
 * archive read than it takes. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "stored_gzip.h"

static unsigned random_state = 5;
static unsigned next_random(unsigned below) {
  random_state = random_state * 1664525u + 1013904223u;
  return (random_state >> 8) % below;
}

static void copy_text(const void *ctx, uint64_t offset, uint8_t *data, size_t size) {
  if (size) memcpy(data, (const uint8_t *)ctx + offset, size);
}

/* Lines of 8 bytes: "1234567\n". */
static void count_up(const void *ctx, uint64_t offset, uint8_t *data, size_t size) {
  (void)ctx;
  for (size_t i = 0; i < size; i++) data[i] = (offset + i) % 8 == 7 ? '\n' : (uint8_t)('1' + (offset + i) % 8);
}

static stored_gzip archive;

static fastio_source *open_text(const char *text) {
  archive.chunk = 1 + next_random(next_random(2) ? 9 : 1000);
  return stored_open(&archive, copy_text, text, strlen(text));
}

static void vary(fastio_read_options *options) {
  options->threads = next_random(4);
  options->block_size = next_random(3) ? next_random(12) : 0;
}

static void places(void) {
  for (unsigned round = 0; round < 100; round++) {
    fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
    fastio_csv_options csv = FASTIO_CSV_OPTIONS_INIT;
    fastio_column_rule rule = {NULL, 0, FASTIO_EVERY_COLUMN, FASTIO_INT64, NULL, 0, {0}};
    fastio_column *column = NULL;
    fastio_table *table = NULL;
    fastio_reader *reader = NULL;
    fastio_error err;
    int64_t value;
    vary(&options);
    fastio_source *source = open_text("1 2\n3 44\nx");
    CHECK_STATUS(fastio_read_ints(source, &options, &column, &err), FASTIO_BAD_TOKEN);
    CHECK_ERROR(&err, FASTIO_BAD_TOKEN, 9, 3, 1);
    CHECK(err.raw_offset == FASTIO_NO_OFFSET);
    fastio_source_close(source);
    source = open_text("1 2\n3 44\nx");
    CHECK_STATUS(fastio_reader_open(source, &options, &reader, &err), FASTIO_OK);
    for (int i = 0; i < 4; i++) CHECK_STATUS(fastio_next_i64(reader, &value, &err), FASTIO_OK);
    CHECK_INT(fastio_reader_offset(reader), 8);
    CHECK_STATUS(fastio_next_i64(reader, &value, &err), FASTIO_BAD_TOKEN);
    CHECK_ERROR(&err, FASTIO_BAD_TOKEN, 9, 3, 1);
    fastio_reader_close(reader);
    fastio_source_close(source);
    csv.threads = options.threads;
    csv.block_size = options.block_size;
    csv.rules = &rule;
    csv.rule_count = 1;
    source = open_text("a,b\n1,2\n3,\"4\n\"\n");
    CHECK_STATUS(fastio_read_csv(source, &csv, &table, &err), FASTIO_BAD_TOKEN);
    CHECK_ERROR(&err, FASTIO_BAD_TOKEN, 11, 3, 4); /* behind the quote */
    fastio_source_close(source);
  }
}

static void ranges(void) {
  for (unsigned round = 0; round < 60; round++) {
    fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
    fastio_column *column = NULL;
    fastio_error err;
    vary(&options);
    options.offset = 2;
    options.length = 5;
    fastio_source *source = open_text("11 22 33 44");
    if (CHECK_STATUS(fastio_read_ints(source, &options, &column, &err), FASTIO_OK)) {
      CHECK(column->length == 2 && ((const int64_t *)column->data)[0] == 22);
      fastio_column_free(column);
    }
    fastio_source_close(source);
    source = open_text("11 22 33 44");
    if (CHECK_STATUS(fastio_read_all(source, &options, &column, &err), FASTIO_OK)) {
      CHECK_BYTES(column->data, column->data_size, " 22 3");
      fastio_column_free(column);
    }
    fastio_source_close(source);
  }
}

static void once_only(void) {
  fastio_csv *csv = NULL;
  fastio_column *column = NULL;
  fastio_error err;
  uint64_t count;
  fastio_source *source = open_text("a\n1\n");
  CHECK_STATUS(fastio_partition(source, NULL, 2, 0, &column, &err), FASTIO_UNSUPPORTED);
  CHECK(strstr(err.message, "compressed") != NULL);
  CHECK_STATUS(fastio_csv_open(source, NULL, &csv, &err), FASTIO_OK);
  CHECK_STATUS(fastio_csv_count(csv, &count, &err), FASTIO_UNSUPPORTED);
  fastio_csv_close(csv);
  fastio_source_close(source);
}

/* An archive that is cut short: what is wrong before the cut is told first, then the cut, where the text ends. */
static void cut_archives(void) {
  static const char *const texts[] = {"1\nx\n", "1\n2\n"};
  for (unsigned round = 0; round < 100; round++) {
    uint8_t data[128];
    size_t size = 0, got;
    fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
    fastio_column *column = NULL;
    fastio_error err;
    const char *text = texts[round % 2];
    vary(&options);
    fastio_source_close(open_text(text));
    do {
      (void)stored_read(&archive, data + size, sizeof data - size, &got, NULL);
      size += got;
    } while (got > 0);
    fastio_source *source = NULL;
    (void)fastio_source_memory(data, size - 1 - next_random(8), NULL, &source, NULL);
    CHECK_STATUS(fastio_read_ints(source, &options, &column, &err), round % 2 ? FASTIO_TRUNCATED : FASTIO_BAD_TOKEN);
    CHECK_INT(err.offset, round % 2 ? 4 : 2);
    CHECK_INT(err.line, round % 2 ? 3 : 2);
    fastio_source_close(source);
  }
}

/* 1 GiB of text, of which a little is wanted. */
static void no_more_than_needed(void) {
  const uint64_t size = UINT64_C(1) << 30, most = 8 << 20;
  for (unsigned threads = 0; threads < 4; threads++) {
    fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
    fastio_csv_options csv = FASTIO_CSV_OPTIONS_INIT;
    fastio_column *column = NULL;
    fastio_table *table = NULL;
    fastio_reader *reader = NULL;
    fastio_error err;
    int64_t value;
    archive.chunk = 0;
    options.threads = csv.threads = threads;
    options.max_items = csv.max_rows = 10;
    fastio_source *source = stored_open(&archive, count_up, NULL, size);
    CHECK_STATUS(fastio_read_ints(source, &options, &column, &err), FASTIO_OK);
    CHECK(column && column->length == 10 && archive.given < most);
    fastio_column_free(column);
    fastio_source_close(source);
    source = stored_open(&archive, count_up, NULL, size);
    CHECK_STATUS(fastio_read_lines(source, &options, &column, &err), FASTIO_OK);
    CHECK(column && column->length == 10 && archive.given < most);
    fastio_column_free(column);
    fastio_source_close(source);
    source = stored_open(&archive, count_up, NULL, size);
    CHECK_STATUS(fastio_read_csv(source, &csv, &table, &err), FASTIO_OK);
    CHECK(table && table->rows == 10 && archive.given < most);
    fastio_table_free(table);
    fastio_source_close(source);
    source = stored_open(&archive, count_up, NULL, size);
    CHECK_STATUS(fastio_reader_open(source, &options, &reader, &err), FASTIO_OK);
    CHECK_INT(archive.given, 0); /* opening looks at nothing */
    CHECK_STATUS(fastio_next_i64(reader, &value, &err), FASTIO_OK);
    CHECK(archive.given < most);
    fastio_reader_close(reader);
    fastio_source_close(source);
  }
}

static void several(void) {
  static const char *const texts[] = {"a,b\n1,2\n", "a,b\n3.5,x\n"};
  stored_gzip archives[2];
  fastio_source *sources[2];
  fastio_table *table = NULL;
  fastio_error err;
  for (int i = 0; i < 2; i++) {
    archives[i].chunk = 3;
    sources[i] = stored_open(&archives[i], copy_text, texts[i], strlen(texts[i]));
  }
  if (CHECK_STATUS(fastio_read_csv_many(sources, 2, NULL, NULL, NULL, &table, &err), FASTIO_OK)) {
    CHECK(table->rows == 2 && table->columns[0]->type == FASTIO_FLOAT64 && table->columns[1]->type == FASTIO_STRING);
    fastio_table_free(table);
  }
  for (int i = 0; i < 2; i++) fastio_source_close(sources[i]);
}

int main(void) {
  CHECK(stored_crc(0, (const uint8_t *)"123456789", 9) == 0xCBF43926u);
  if (!stored_is_readable()) {
    puts("gzip is not in this build");
    return check_report();
  }
  places();
  ranges();
  once_only();
  cut_archives();
  no_more_than_needed();
  several();
  return check_report();
}
