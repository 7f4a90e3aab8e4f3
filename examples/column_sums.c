/* The sum of every numeric column of a CSV stream, in bounded memory.
 *
 *   column_sums [INPUT [SEPARATOR]]        "-", or nothing, is standard input
 *
 * Types come from the first batch; a later number that does not fit its column is an error, and says where.
 * Try it:  printf 'item,price,count\nnut,0.25,3\nbolt,0.5,4\n' | column_sums */
#include <errno.h>
#include <fastio_print.h>
#include <stdlib.h>

typedef struct total {
  int64_t integer; /* exact */
  double real;
} total;

static fastio_status add_column(const fastio_column *column, total *t, fastio_error *err) {
  const int64_t *integers = column->data;
  const double *reals = column->data; /* missing values hold 0 */
  if (column->type == FASTIO_FLOAT64)
    for (uint64_t i = 0; i < column->length; i++) t->real += reals[i];
  if (column->type == FASTIO_INT64)
    for (uint64_t i = 0; i < column->length; i++) {
      if (integers[i] > 0 ? t->integer > INT64_MAX - integers[i] : t->integer < INT64_MIN - integers[i]) {
        fastio_error_init(err);
        err->message = "the sum does not fit 64 bits";
        return err->status = FASTIO_OUT_OF_RANGE;
      }
      t->integer += integers[i];
    }
  return FASTIO_OK;
}

static fastio_status print_totals(fastio_writer *out, const fastio_table *schema, const total *totals, uint64_t rows,
                                  fastio_error *err) {
  fastio_status status = fastio_try_println(err, out, rows, " rows");
  for (size_t c = 0; c < schema->column_count && status == FASTIO_OK; c++) {
    if (schema->columns[c]->type == FASTIO_INT64)
      status = fastio_try_println(err, out, schema->names[c], ": ", totals[c].integer);
    if (schema->columns[c]->type == FASTIO_FLOAT64)
      status = fastio_try_println(err, out, schema->names[c], ": ", totals[c].real);
  }
  return status;
}

static fastio_status sum(fastio_csv *csv, fastio_writer *out, fastio_error *err) {
  fastio_table *schema, *batch;
  uint64_t rows = 0;
  fastio_status status = fastio_csv_schema(csv, &schema, err);
  if (status != FASTIO_OK) return status;
  total *totals = calloc(schema->column_count + 1, sizeof *totals);
  if (!totals) abort();
  while ((status = fastio_csv_next(csv, &batch, err)) == FASTIO_OK) {
    rows += batch->rows;
    for (size_t c = 0; c < batch->column_count && status == FASTIO_OK; c++)
      status = add_column(batch->columns[c], &totals[c], err);
    fastio_table_free(batch);
    if (status != FASTIO_OK) break;
  }
  if (status == FASTIO_END) status = print_totals(out, schema, totals, rows, err);
  free(totals);
  fastio_table_free(schema);
  return status;
}

static fastio_status sum_file(const char *path, const char *separator, fastio_error *err) {
  fastio_source *source = NULL;
  fastio_csv *csv = NULL;
  fastio_writer *out = NULL;
  fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
  options.separator = fastio_text(separator, strlen(separator));
  fastio_status status = fastio_source_open(path, NULL, &source, err);
  if (status == FASTIO_OK) status = fastio_csv_open(source, &options, &csv, err);
  if (status == FASTIO_OK) status = fastio_writer_open("-", NULL, &out, err);
  if (status == FASTIO_OK) status = sum(csv, out, err);
  fastio_status closed = fastio_writer_close(out, status == FASTIO_OK ? err : NULL);
  fastio_csv_close(csv);
  fastio_source_close(source);
  return status != FASTIO_OK ? status : closed;
}

/* file:line:column: what, for editors; what the operating system refused has no line. */
static void complain(const char *path, const fastio_error *err) {
  if (err->line > 0)
    fprintf(stderr, "%s:%llu:%llu: ", path, (unsigned long long)err->line, (unsigned long long)err->column);
  fprintf(stderr, "column_sums: %s\n", err->os_error ? strerror(err->os_error) : err->message);
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "-", *separator = argc > 2 ? argv[2] : ",";
  fastio_error err;
  if (argc > 3) return fputs("usage: column_sums [INPUT [SEPARATOR]]\n", stderr), 2;
  if (sum_file(path, separator, &err) == FASTIO_OK) return 0;
  if (err.os_error == EPIPE) return 141; /* the reader of our output has enough: as if SIGPIPE had ended us */
  complain(path, &err);
  return 1;
}
