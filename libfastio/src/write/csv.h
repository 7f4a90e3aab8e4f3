/* csv: what the writers of tables and of streams share. */
#ifndef FASTIO__WRITE_CSV_H
#define FASTIO__WRITE_CSV_H

#include "quote.h"

/* Rows that follow each other and have the same memory behind them: a table, or a batch of a stream. */
typedef struct fastio__batch_rows {
  const fastio__field *fields;
  uint64_t rows;
  uint64_t row_bytes; /* about how many a row takes */
  uint64_t first_row; /* of the whole output */
  uint64_t first_piece, piece_rows;
} fastio__batch_rows;

typedef struct fastio__csv_output {
  fastio_csv_write_options options;
  fastio__quoting quoting;
  fastio__wording words;
  fastio_writer *writer;
  size_t columns;
  const fastio_bytes *names; /* NULL: there are none */
  fastio__care *cares;       /* of each column */
  uint64_t rows;             /* written so far */
} fastio__csv_output;

/* Options, those of the caller overlaid on the defaults and checked. */
FASTIO__HIDDEN fastio_status fastio__csv_output_init(fastio__csv_output *output, fastio_writer *writer,
                                                     const fastio_csv_write_options *options, fastio_error *err);
/* The columns' names and what is known of their fields, which get their formats here. */
FASTIO__HIDDEN fastio_status fastio__csv_output_columns(fastio__csv_output *output, const fastio_bytes *names,
                                                        fastio__field *fields, size_t columns, fastio_error *err);
FASTIO__HIDDEN void fastio__csv_output_free(fastio__csv_output *output);
FASTIO__HIDDEN fastio_status fastio__csv_write_header(fastio__csv_output *output, fastio_error *err);
/* The batches' rows; of `batches`, what follows row_bytes is filled in here. `total`: for poll. */
FASTIO__HIDDEN fastio_status fastio__csv_write_rows(fastio__csv_output *output, fastio__batch_rows *batches,
                                                    size_t count, uint64_t total, fastio_error *err);
FASTIO__HIDDEN uint64_t fastio__csv_row_bytes(const fastio__field *fields, size_t columns);

#endif
