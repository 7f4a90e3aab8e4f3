/* index: where the cells of a window's records are. */
#ifndef FASTIO__INDEX_H
#define FASTIO__INDEX_H

#include "dialect.h"

enum { FASTIO__ANY_FIELDS = 0 }; /* fields: records of any shape; only their number is wanted */

/* How records must look, and what happens to those that do not. */
typedef struct fastio__shape {
  const fastio__dialect *dialect;
  size_t fields; /* of each record, or FASTIO__ANY_FIELDS */
  int on_ragged;
  fastio_ragged_callback *ragged;
  void *ragged_ctx;
  uint64_t row_limit; /* no record is looked at once there are that many rows */
} fastio__shape;

/* Something in a window that is to be told: a ragged record, a bad cell. */
typedef struct fastio__note {
  fastio_status status;
  uint32_t at;     /* in the window's data */
  uint32_t record; /* 0-based in the window, those that were skipped included */
  uint64_t field;  /* as in fastio_place */
} fastio__note;

typedef struct fastio__notes {
  const fastio_env *env;
  fastio__note *items;
  size_t count, capacity;
} fastio__notes;
FASTIO__HIDDEN bool fastio__notes_add(fastio__notes *notes, const fastio__note *note);

typedef struct fastio__index {
  const fastio_env *env;
  const uint8_t *data; /* the window's, or a copy with rewritten records behind it */
  size_t size;         /* of the window; cells that lie behind it belong to rewritten records */
  size_t rows, fields;
  bool has_quotes; /* there may be a quoted cell */
  /* Either cells lie between one edge and the next: */
  const uint32_t *edges; /* those of the first row; edges[-1] + 1 is 0. NULL: there are bounds */
  size_t row_edges;      /* edges of a row */
  uint32_t *last_ends;   /* of the rows' last cells, where they are not the edges; NULL: they are */
  /* or each has two bounds: */
  const uint32_t *bounds;
  uint32_t *rows_at; /* three of each row, with bounds: where it starts, where the next record starts, its record */
  const uint32_t *line_ends; /* in place of those, if each line is a row: its newline; NULL: it is not so */
  size_t records;            /* with those that were skipped */
  /* What stopped the indexing, at the record behind the last row; FASTIO_OK: nothing. */
  fastio_status status;
  const char *message;
  uint32_t failed_at, failed_size; /* the text to quote */
  uint64_t failed_field;
  fastio_report report; /* counts only */
  fastio__notes notes;
  /* memory behind it */
  uint32_t *memory;
  size_t memory_size, row_capacity;
  fastio__bounds cells;
  uint8_t *copy;
  size_t copy_size, copy_capacity;
} fastio__index;

/* Where both bounds of a field that a short record lacks point to: nothing else does. */
#define FASTIO__MISSING(index) ((index)->size + 1)

/* Indexes a window, which starts at a record. Memory from the last window is used again. */
FASTIO__HIDDEN void fastio__index_build(fastio__index *index, const fastio__shape *shape, const fastio__window *window);
FASTIO__HIDDEN void fastio__index_free(fastio__index *index);
/* The cells of a field, for the kernels. */
FASTIO__HIDDEN fastio__cells fastio__index_cells(const fastio__index *index, size_t field);
/* Where the record behind row `row` starts. */
FASTIO__HIDDEN size_t fastio__index_row_end(const fastio__index *index, size_t row);
FASTIO__HIDDEN size_t fastio__index_row_start(const fastio__index *index, size_t row);
/* The number of the row's record, 0-based in the window. */
FASTIO__INLINE size_t fastio__index_record(const fastio__index *index, size_t row) {
  return index->edges || index->line_ends ? row : index->rows_at[3 * row + 2];
}

FASTIO__INLINE const uint8_t *fastio__cell_start(const fastio__cells *cells, size_t row) {
  return cells->data + (uint32_t)(cells->starts[row * cells->start_step] + cells->gap);
}
FASTIO__INLINE const uint8_t *fastio__cell_end(const fastio__cells *cells, size_t row) {
  return cells->data + cells->ends[row * cells->end_step];
}

#endif
