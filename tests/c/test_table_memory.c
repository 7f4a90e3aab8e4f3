/* Every allocation fails once, in every way of reading tables. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "books.h"

#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct trial {
  const char *name, *text;
  size_t size;
  const char *path; /* not NULL: read as a file */
  bool is_device;   /* read in pieces, from something that can't be read again */
  unsigned threads;
  void (*set)(fastio_csv_options *options);
  fastio_status (*run)(fastio_source *source, const fastio_csv_options *options, fastio_error *err);
} trial;

/* ---- sources ---- */

typedef struct pieces {
  const trial *t;
  size_t given;
} pieces;

static fastio_status pieces_read(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  pieces *p = ctx;
  size_t n = p->t->size - p->given;
  (void)err;
  if (n > size) n = size;
  if (n > 70) n = 70;
  if (n > 0) memcpy(data, p->t->text + p->given, n);
  p->given += n;
  *got = n;
  return FASTIO_OK;
}

static fastio_status run_trial(const fastio_env *env, const void *ctx, fastio_error *err) {
  const trial *t = ctx;
  pieces p = {t, 0};
  fastio_device device = {&p, pieces_read, NULL};
  fastio_source *source = NULL;
  fastio_csv_options options;
  fastio_csv_options_init(&options);
  options.env = env;
  options.threads = t->threads;
  options.block_size = 128;
  if (t->set != NULL) t->set(&options);
  fastio_status status = t->is_device      ? fastio_source_device(&device, env, &source, err)
                         : t->path != NULL ? fastio_source_open(t->path, env, &source, err)
                                           : fastio_source_memory(t->text, t->size, env, &source, err);
  if (status == FASTIO_OK) status = t->run(source, &options, err);
  fastio_source_close(source);
  return status;
}

/* ---- ways of reading ---- */

static fastio_status read_all(fastio_source *source, const fastio_csv_options *options, fastio_error *err) {
  fastio_table *table = NULL;
  fastio_status status = fastio_read_csv(source, options, &table, err);
  CHECK((status == FASTIO_OK) == (table != NULL));
  fastio_table_free(table);
  return status;
}

static fastio_status read_batches(fastio_source *source, const fastio_csv_options *options, fastio_error *err) {
  fastio_csv *csv = NULL;
  fastio_table *table = NULL;
  fastio_status status = fastio_csv_open(source, options, &csv, err);
  if (status == FASTIO_OK) status = fastio_csv_schema(csv, &table, err);
  while (status == FASTIO_OK) {
    fastio_table_free(table);
    table = NULL;
    status = fastio_csv_next(csv, &table, err);
  }
  CHECK(table == NULL);
  fastio_csv_close(csv);
  return status == FASTIO_END ? FASTIO_OK : status;
}

static fastio_status read_slices(fastio_source *source, const fastio_csv_options *options, fastio_error *err) {
  fastio_csv *csv = NULL;
  fastio_table *table = NULL;
  uint64_t rows = 0;
  fastio_status status = fastio_csv_open(source, options, &csv, err);
  if (status == FASTIO_OK) status = fastio_csv_count(csv, &rows, err);
  if (status == FASTIO_OK) status = fastio_csv_slice(csv, rows / 2, 5, &table, err);
  CHECK((status == FASTIO_OK) == (table != NULL));
  fastio_table_free(table);
  fastio_csv_close(csv);
  return status;
}

static fastio_status read_stream(fastio_source *source, const fastio_csv_options *options, fastio_error *err) {
  fastio_csv *csv = NULL;
  struct ArrowArrayStream stream;
  struct ArrowSchema schema;
  fastio_status status = fastio_csv_open(source, options, &csv, err);
  if (status == FASTIO_OK) status = fastio_csv_export_stream(csv, &stream, err);
  if (status != FASTIO_OK) return status;
  int failure = stream.get_schema(&stream, &schema);
  if (failure == 0) schema.release(&schema);
  while (failure == 0) {
    struct ArrowArray array;
    failure = stream.get_next(&stream, &array);
    if (failure != 0 || array.release == NULL) break;
    array.release(&array);
  }
  if (failure != 0) CHECK(stream.get_last_error(&stream) != NULL);
  stream.release(&stream);
  err->status = failure == 0 ? FASTIO_OK : FASTIO_NO_MEMORY;
  return err->status;
}

static fastio_status make_parts(fastio_source *source, const fastio_csv_options *options, fastio_error *err) {
  fastio_column *ranges = NULL;
  fastio_status status = fastio_partition(source, options, 3, 0, &ranges, err);
  CHECK((status == FASTIO_OK) == (ranges != NULL));
  fastio_column_free(ranges);
  return status;
}

static fastio_status sniff(fastio_source *source, const fastio_csv_options *options, fastio_error *err) {
  fastio_csv_options found;
  fastio_table *sample = NULL;
  fastio_status status = fastio_sniff(source, options, &found, &sample, err);
  CHECK((status == FASTIO_OK) == (sample != NULL));
  fastio_table_free(sample);
  return status;
}

/* ---- options ---- */

static void with_batches(fastio_csv_options *options) { options->batch_rows = 7; }
static void with_literal_quotes(fastio_csv_options *options) { options->quote_mode = FASTIO_QUOTE_LITERAL; }
static void with_padding(fastio_csv_options *options) { options->on_ragged = FASTIO_RAGGED_PAD; }
static void with_few_inferred(fastio_csv_options *options) {
  options->infer_rows = 3;
  options->on_bad = FASTIO_BAD_STRING;
}

static void with_types(fastio_csv_options *options) {
  static const fastio_bytes nulls[] = {{"x", 1}, {"", 0}};
  static const fastio_column_rule rules[] = {
      {.name = "a", .type = FASTIO_INT32},
      {.name = "t*", .is_pattern = 1, .type = FASTIO_DICTIONARY, .null_values = nulls, .null_count = 2},
  };
  options->rules = rules;
  options->rule_count = COUNT(rules);
  options->on_bad = FASTIO_BAD_NULL;
}

static void with_columns(fastio_csv_options *options) {
  static const fastio_column_ref columns[] = {{"text", 0}, {NULL, 0}};
  options->columns = columns;
  options->column_count = COUNT(columns);
}

static void with_names(fastio_csv_options *options) {
  static const char *const names[] = {"p", "q", "r"};
  options->names = names;
  options->name_count = COUNT(names);
}

static int join(void *ctx, const fastio_bytes *fields, size_t count, size_t expected, const fastio_bytes **out) {
  static fastio_bytes answer[3];
  (void)ctx;
  for (size_t i = 0; i < expected; i++) answer[i] = i < count ? fields[i] : (fastio_bytes){"", 0};
  *out = answer;
  return 1;
}
static void with_callback(fastio_csv_options *options) {
  options->on_ragged = FASTIO_RAGGED_CALL;
  options->ragged = join;
}

static void by_white_space(fastio_csv_options *options) { options->separator.size = 0; }

static void with_widths(fastio_csv_options *options) {
  static const fastio_span widths[] = {{0, 3}, {3, 9}};
  options->widths = widths;
  options->width_count = COUNT(widths);
  options->header = 0;
}

int main(void) {
  static char text[6000], ragged[3000], late[4000], words[3000];
  char path[] = "/tmp/fastio-test-table-XXXXXX";
  int fd = mkstemp(path);
  size_t size = (size_t)sprintf(text, "a,float,text\n"), ragged_size = (size_t)sprintf(ragged, "a,b,c\n");
  size_t late_size = (size_t)sprintf(late, "a,b\n"), words_size = (size_t)sprintf(words, "a b\n");
  for (int i = 0; size < sizeof text - 60; i++)
    size += (size_t)sprintf(text + size, i % 3 ? "%d,%d.5,x%d\n" : "%d,%d,\"quo\"\"ted\n%d\"\n", i, i * i, i % 20);
  for (int i = 0; ragged_size < sizeof ragged - 40; i++)
    ragged_size += (size_t)sprintf(ragged + ragged_size, i % 4 ? "%d,\"y\",z\n" : "%d,\"y\"\n", i);
  for (int i = 0; late_size < sizeof late - 40; i++)
    late_size += (size_t)sprintf(late + late_size, "%d,%s\n", i, late_size < 3500 ? "12345" : "word");
  while (words_size < sizeof words - 20) words_size += (size_t)sprintf(words + words_size, " 12  3.%zu\n", words_size);
  if (fd < 0 || write(fd, text, size) != (ssize_t)size) return 1;
  const trial trials[] = {
      {"memory", text, size, NULL, false, 1, NULL, read_all},
      {"memory, threads", text, size, NULL, false, 3, NULL, read_all},
      {"file", text, size, path, false, 1, NULL, read_all},
      {"file, threads", text, size, path, false, 3, NULL, read_all},
      {"device", text, size, NULL, true, 1, NULL, read_all},
      {"device, threads", text, size, NULL, true, 3, NULL, read_all},
      {"types", text, size, NULL, false, 2, with_types, read_all},
      {"columns", text, size, path, false, 1, with_columns, read_all},
      {"names", text, size, NULL, false, 1, with_names, read_all},
      {"literal quotes", text, size, NULL, false, 2, with_literal_quotes, read_all},
      {"padding", ragged, ragged_size, NULL, false, 2, with_padding, read_all},
      {"callback", ragged, ragged_size, NULL, true, 1, with_callback, read_all},
      {"late text", late, late_size, NULL, false, 2, NULL, read_all},
      {"late text of a device", late, late_size, NULL, true, 2, NULL, read_all},
      {"late text, few inferred", late, late_size, NULL, true, 1, with_few_inferred, read_all},
      {"white space", words, words_size, NULL, false, 2, by_white_space, read_all},
      {"widths", words, words_size, NULL, false, 1, with_widths, read_all},
      {"batches", text, size, NULL, false, 1, with_batches, read_batches},
      {"batches of a device", text, size, NULL, true, 2, with_batches, read_batches},
      {"slices", text, size, path, false, 1, with_batches, read_slices},
      {"stream", text, size, NULL, true, 1, with_batches, read_stream},
      {"partition", text, size, path, false, 2, NULL, make_parts},
      {"sniff", text, size, NULL, true, 1, NULL, sniff},
  };
  for (size_t i = 0; i < COUNT(trials); i++) {
    books_fail_each(run_trial, &trials[i], trials[i].name, false);
    books_fail_each(run_trial, &trials[i], trials[i].name, true);
  }
  close(fd);
  unlink(path);
  return check_report();
}
