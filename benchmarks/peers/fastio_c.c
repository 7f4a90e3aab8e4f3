/* fastio_c.c - fastio's C API as a benchmark worker. */
#include "fastio.h"
#include "worker.h"

static void expect_ok(fastio_status status, const fastio_error *err) {
  if (status == FASTIO_OK) return;
  fprintf(stderr, "%s: %s at byte %" PRIu64 "\n", fastio_status_name(status), err->message, err->offset);
  exit(1);
}

typedef fastio_status column_reader(fastio_source *, const fastio_read_options *, fastio_column **, fastio_error *);

/* Opens the job's file, reads it into a column and closes it: all that is timed. */
static fastio_column *timed_column(job *j, column_reader *read) {
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  fastio_source *source;
  fastio_column *column;
  fastio_error err;
  options.threads = j->threads;
  job_start(j);
  expect_ok(fastio_source_open(j->path, NULL, &source, &err), &err);
  expect_ok(read(source, &options, &column, &err), &err);
  fastio_source_close(source);
  job_stop(j);
  return column;
}

static void read_ints(job *j) {
  fastio_column *column = timed_column(j, fastio_read_ints);
  answer_ints(j, column->data, (size_t)column->length);
  fastio_column_free(column);
}

static void read_floats(job *j) {
  fastio_column *column = timed_column(j, fastio_read_floats);
  answer_floats(j, column->data, (size_t)column->length);
  fastio_column_free(column);
}

static void read_lines(job *j) {
  fastio_column *column = timed_column(j, fastio_read_lines);
  job_answer(j, "%" PRIu64 " %" PRId64, column->length, column->offsets[column->length]);
  fastio_column_free(column);
}

static void count_lines(job *j) {
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  fastio_source *source;
  fastio_error err;
  uint64_t lines = 0;
  options.threads = j->threads;
  job_start(j);
  expect_ok(fastio_source_open(j->path, NULL, &source, &err), &err);
  expect_ok(fastio_count_lines(source, &options, &lines, &err), &err);
  fastio_source_close(source);
  job_stop(j);
  job_answer(j, "%" PRIu64, lines);
}

/* Opens the job's file, reads it as a table and closes it: all that is timed. */
static fastio_table *timed_table(job *j, fastio_csv_options *options) {
  fastio_source *source;
  fastio_table *table;
  fastio_error err;
  options->threads = j->threads;
  job_start(j);
  expect_ok(fastio_source_open(j->path, NULL, &source, &err), &err);
  expect_ok(fastio_read_csv(source, options, &table, &err), &err);
  fastio_source_close(source);
  job_stop(j);
  return table;
}

/* Rows and the sums of all integers, of all floats, of the strings' lengths and of the days. */
static void answer_table(job *j, const fastio_table *table) {
  int64_t ints = 0, bytes = 0, days = 0;
  double floats = 0;
  for (size_t c = 0; j->check && c < table->column_count; c++) {
    const fastio_column *column = table->columns[c];
    for (uint64_t i = 0; i < column->length; i++) {
      if (column->type == FASTIO_INT64) ints += ((const int64_t *)column->data)[i];
      if (column->type == FASTIO_FLOAT64) floats += ((const double *)column->data)[i];
      if (column->type == FASTIO_DATE) days += ((const int32_t *)column->data)[i];
    }
    if (column->type == FASTIO_STRING) bytes += column->offsets[column->length] - column->offsets[0];
  }
  job_answer(j, "%" PRIu64 " %" PRId64 " %.17g %" PRId64 " %" PRId64, table->rows, ints, floats, bytes, days);
}

/* The numeric tables, with the types given: columns are named i... and f... */
static void read_numeric(job *j, fastio_bytes separator) {
  fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
  fastio_column_rule rules[2] = {{.name = "i*", .is_pattern = 1, .type = FASTIO_INT64},
                                 {.name = "f*", .is_pattern = 1, .type = FASTIO_FLOAT64}};
  fastio_table *table;
  options.separator = separator;
  options.rules = rules;
  options.rule_count = 2;
  table = timed_table(j, &options);
  answer_table(j, table);
  fastio_table_free(table);
}

static void numeric(job *j) { read_numeric(j, (fastio_bytes){",", 1}); }
static void words(job *j) { read_numeric(j, (fastio_bytes){"", 0}); }

static void usecols(job *j) {
  fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
  fastio_column_ref wanted[2] = {{"f9", 0}, {"i16", 0}};
  fastio_table *table;
  options.columns = wanted;
  options.column_count = 2;
  table = timed_table(j, &options);
  answer_table(j, table);
  fastio_table_free(table);
}

static void mixed(job *j) {
  fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
  fastio_table *table = timed_table(j, &options);
  answer_table(j, table);
  fastio_table_free(table);
}

static void next_lines(job *j) {
  static fastio_bytes views[1024];
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  fastio_source *source;
  fastio_reader *reader;
  fastio_error err;
  fastio_status status;
  uint64_t lines = 0, bytes = 0;
  size_t count = 0;
  job_start(j);
  expect_ok(fastio_source_open(j->path, NULL, &source, &err), &err);
  expect_ok(fastio_reader_open(source, &options, &reader, &err), &err);
  while ((status = fastio_next_lines(reader, views, 1024, &count, &err)) == FASTIO_OK) {
    for (size_t i = 0; i < count; i++) bytes += views[i].size;
    lines += count;
  }
  if (status != FASTIO_END) expect_ok(status, &err);
  fastio_reader_close(reader);
  fastio_source_close(source);
  job_stop(j);
  job_answer(j, "%" PRIu64 " %" PRIu64, lines, bytes);
}

static void next_line(job *j) {
  fastio_source *source;
  fastio_reader *reader;
  fastio_error err;
  fastio_status status;
  uint64_t lines = 0, bytes = 0;
  const char *data;
  size_t size;
  job_start(j);
  expect_ok(fastio_source_open(j->path, NULL, &source, &err), &err);
  expect_ok(fastio_reader_open(source, NULL, &reader, &err), &err);
  for (; (status = fastio_next_line(reader, &data, &size, &err)) == FASTIO_OK; lines++) bytes += size;
  if (status != FASTIO_END) expect_ok(status, &err);
  fastio_reader_close(reader);
  fastio_source_close(source);
  job_stop(j);
  job_answer(j, "%" PRIu64 " %" PRIu64, lines, bytes);
}

static void next_i64(job *j) {
  fastio_source *source;
  fastio_reader *reader;
  fastio_error err;
  fastio_status status;
  uint64_t count = 0, sum = 0;
  int64_t value;
  job_start(j);
  expect_ok(fastio_source_open(j->path, NULL, &source, &err), &err);
  expect_ok(fastio_reader_open(source, NULL, &reader, &err), &err);
  for (; (status = fastio_next_i64(reader, &value, &err)) == FASTIO_OK; count++) sum += (uint64_t)value;
  if (status != FASTIO_END) expect_ok(status, &err);
  fastio_reader_close(reader);
  fastio_source_close(source);
  job_stop(j);
  job_answer(j, "%" PRIu64 " %" PRIu64, count, sum);
}

static void read_all(job *j) {
  fastio_source *source;
  fastio_column *column;
  fastio_error err;
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  uint64_t size = 0;
  int times;
  options.threads = j->threads;
  expect_ok(fastio_source_open(j->path, NULL, &source, &err), &err);
  times = fastio_source_size(source) < 1 << 20 ? 1000 : 1;
  fastio_source_close(source);
  job_start(j);
  for (int i = 0; i < times; i++) {
    expect_ok(fastio_source_open(j->path, NULL, &source, &err), &err);
    expect_ok(fastio_read_all(source, &options, &column, &err), &err);
    fastio_source_close(source);
    size = column->data_size;
    fastio_column_free(column);
  }
  job_stop(j);
  j->seconds /= times;
  job_answer(j, "%" PRIu64, size);
}

/* The bulk parsers on memory: text and (touched) result array are there before the clock starts. */
static void parse_memory(job *j, fastio_type type) {
  static fastio_column *text;
  static void *out;
  fastio_error err;
  size_t count = 0;
  if (!text) {
    fastio_source *source;
    expect_ok(fastio_source_open(j->path, NULL, &source, &err), &err);
    expect_ok(fastio_read_all(source, NULL, &text, &err), &err);
    fastio_source_close(source);
    out = malloc((size_t)text->data_size / 2 * 8 + 8);
    if (!out) job_fail("malloc");
    memset(out, 1, (size_t)text->data_size / 2 * 8 + 8);
  }
  job_start(j);
  expect_ok(fastio_parse_array(text->data, (size_t)text->data_size, NULL, type, out, (size_t)text->data_size / 2 + 1,
                               &count, &err),
            &err);
  job_stop(j);
  if (type == FASTIO_FLOAT64) answer_floats(j, out, count);
  else answer_ints(j, out, count);
}

static void memory_ints(job *j) { parse_memory(j, FASTIO_INT64); }
static void memory_floats(job *j) { parse_memory(j, FASTIO_FLOAT64); }

/* The most resident memory of this program so far, in bytes (getrusage would count what its parent had before the
 * exec). */
static int64_t peak_memory(void) {
  long long kilobytes = 0;
  char line[256];
  FILE *status = fopen("/proc/self/status", "r");
  if (!status) job_fail("/proc/self/status");
  while (fgets(line, sizeof line, status))
    if (sscanf(line, "VmHWM: %lld", &kilobytes) == 1) break;
  fclose(status);
  return kilobytes * 1024;
}

/* The most memory that reading needs beyond the column itself, in bytes; meant for one run in a fresh process. */
static void peak_ints(job *j) {
  int64_t before = peak_memory();
  fastio_column *column = timed_column(j, fastio_read_ints);
  job_answer(j, "%" PRId64, peak_memory() - before - (int64_t)column->data_size);
  fastio_column_free(column);
}

static const job_entry entries[] = {
    {"read_ints", read_ints},
    {"read_floats", read_floats},
    {"read_lines", read_lines},
    {"count_lines", count_lines},
    {"next_lines", next_lines},
    {"next_line", next_line},
    {"next_i64", next_i64},
    {"read_all", read_all},
    {"memory_ints", memory_ints},
    {"memory_floats", memory_floats},
    {"peak_ints", peak_ints},
    {"numeric", numeric},
    {"mixed", mixed},
    {"words", words},
    {"usecols", usecols},
};

int main(int argc, char **argv) { return worker_main(argc, argv, entries, sizeof entries / sizeof *entries); }
