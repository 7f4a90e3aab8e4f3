/* build: from the cells of windows to columns. cell.c converts one cell, whatever it is; fill.c the cells of one column
 * of a window; build.c is the pipeline's consumer and makes the columns; infer.c knows which type fits which cells. */
#ifndef FASTIO__BUILD_H
#define FASTIO__BUILD_H

#include "../number/number.h"
#include "index.h"

/* ---- infer.c ---- */

/* The type of a column whose cells have these classes. It depends on nothing else, so that neither blocks nor threads nor
 * the guess that reading began with can change it. `flags`: FASTIO_CSV_FLOAT_FOR_BIG, FASTIO_CSV_DICTIONARY. */
FASTIO__HIDDEN fastio_type fastio__infer_type(unsigned classes, unsigned flags);
/* Whether that is string whatever else will be met. */
FASTIO__HIDDEN bool fastio__infer_is_text(unsigned classes);
/* Whether values of the type can be of these classes. */
FASTIO__HIDDEN bool fastio__infer_accepts(fastio_type type, unsigned classes);

/* ---- one column in the making ---- */
typedef struct fastio__builder {
  const fastio__field *field;
  size_t position;     /* of the field in the record */
  size_t place;        /* of the column in the table */
  fastio_type type;    /* what this pass makes of it */
  bool is_inferred;    /* a cell that does not fit is no error, but makes another type */
  atomic_uint classes; /* of the cells met so far, besides those that any column of the type may have */
  bool only_empty_is_null;
  uint64_t null_numbers[8]; /* nulls that a kernel would take for numbers, as it would store them */
  size_t null_number_count;
  bool kernels_apply;
  fastio__region data, offsets;
  uint64_t bytes; /* of strings, in the windows that had their turn */
  uint64_t expected_bytes;
  fastio__null_bits *missing;
} fastio__builder;

/* ---- one pass over the source ---- */
typedef struct fastio__build {
  const fastio_env *env;
  fastio__shape shape;
  fastio__spelling spelling;
  bool respell; /* numbers are not spelled as in our grammar */
  unsigned flags;
  int on_bad;
  fastio__builder *columns;
  size_t column_count;
  size_t matrix; /* not 0: columns side by side in the first one's data, that many */
  uint64_t record_base, records, rows, max_rows;
  const fastio__schema *schema; /* names of fields, for errors */
  bool is_stream;               /* its windows know their lines */
  int partial;                  /* FASTIO_PARTIAL_* */
  uint64_t start;               /* of the first record; FASTIO_NO_OFFSET before the first window */
  uint64_t start_place;         /* the same before decoding */
  bool is_first;                /* pass: it makes the report */
  fastio_report report;
  fastio__mutex mutex;
} fastio__build;

/* What a window needs between its steps. */
typedef struct fastio__plan {
  fastio__index index;
  uint64_t row_base, record_base;
  bool is_valid_text;
  uint64_t *bytes, *bases; /* of each column of strings: those of this window, those before it */
  size_t column_count;
  uint8_t *text; /* for a cell without its quotes */
  size_t text_capacity;
} fastio__plan;

/* The error of a window that comes first. */
typedef struct fastio__filling {
  fastio__build *build;
  fastio__plan *plan;
  const fastio__window *window;
  fastio__notes bad; /* cells that were made null or that make strings of their column */
  uint64_t bad_count;
  size_t fault_at; /* SIZE_MAX: none */
  fastio_error fault;
  bool no_memory;
  /* of the column at hand */
  fastio__builder *column;
  fastio__cells cells;
  fastio__null_bits *missing;
  unsigned classes;
} fastio__filling;

/* ---- cell.c ---- */

typedef struct fastio__text {
  const uint8_t *data;
  size_t size;
  bool quoted, is_missing;
} fastio__text;
/* The text of the cell in this row. data NULL: no memory. */
FASTIO__HIDDEN fastio__text fastio__text_of(fastio__filling *f, size_t row);
FASTIO__HIDDEN bool fastio__is_null(const fastio__build *build, const fastio__builder *column,
                                    const fastio__text *text);
FASTIO__HIDDEN void fastio__set_null(fastio__filling *f, size_t row);
/* Converts the cell into *slot, which for integers is an int64 or uint64, else the column's type. What is no value is
 * dealt with as the options say, and the slot is 0. */
FASTIO__HIDDEN void fastio__convert_cell(fastio__filling *f, size_t row, void *slot);
/* Reports an error of the cell in this row, `text` being what is wrong. */
FASTIO__HIDDEN void fastio__complain(fastio__filling *f, size_t row, fastio_status status, const char *message,
                                     const uint8_t *text, size_t size);
/* A cell that is not of its column's type, as on_bad says: true if it is to be null. */
FASTIO__HIDDEN void fastio__bad_cell(fastio__filling *f, size_t row, fastio_status status, const fastio__text *text);
/* The classes of a text, as numbers are spelled here. */
FASTIO__HIDDEN unsigned fastio__classes_of(const fastio__build *build, const uint8_t *data, size_t size);

/* ---- fill.c ---- */

/* Prepares what depends on the type and the nulls. */
FASTIO__HIDDEN void fastio__builder_prepare(const fastio__build *build, fastio__builder *column);
/* How many bytes the strings of a column take in the plan's window. */
FASTIO__HIDDEN uint64_t fastio__measure_strings(fastio__build *build, fastio__plan *plan, fastio__builder *column);
FASTIO__HIDDEN void fastio__fill_column(fastio__filling *f);
/* Complains of cells that are not valid UTF-8. */
FASTIO__HIDDEN void fastio__check_texts(fastio__filling *f);
/* All columns of a matrix at once, if its cells lie in the window as they do in the matrix. */
FASTIO__HIDDEN bool fastio__fill_matrix(fastio__filling *f);

/* ---- build.c ---- */

FASTIO__HIDDEN fastio_status fastio__build_init(fastio__build *build, const fastio_csv_options *options,
                                                const fastio__shape *shape, fastio__builder *columns,
                                                size_t column_count, fastio_error *err);
FASTIO__HIDDEN void fastio__build_destroy(fastio__build *build);
FASTIO__HIDDEN void fastio__builder_free(const fastio_env *env, fastio__builder *column);
/* Makes room for about that many rows. */
FASTIO__HIDDEN fastio_status fastio__build_reserve(fastio__build *build, uint64_t rows, fastio_error *err);
/* The consumer that fills the columns; without columns it counts records. */
FASTIO__HIDDEN fastio__consumer fastio__build_consumer(fastio__build *build);
FASTIO__HIDDEN fastio_status fastio__build_column(fastio__build *build, fastio__builder *column, uint64_t rows,
                                                  fastio_column **out, fastio_error *err);

#endif
