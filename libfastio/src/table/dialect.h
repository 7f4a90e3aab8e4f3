/* dialect: how records and fields are told apart. structure.c knows where records start, also in the middle of a
 * source; record.c takes one record apart; index.c does so for all records of a window, as fast as it can. */
#ifndef FASTIO__DIALECT_H
#define FASTIO__DIALECT_H

#include "../read/blocks.h"
#include "table.h"

enum { FASTIO__SEPARATOR_MAX = 64 };

typedef struct fastio__dialect {
  uint8_t separator[FASTIO__SEPARATOR_MAX];
  size_t separator_size; /* 0: runs of white space */
  fastio_span *widths;   /* owned; NULL: separated fields */
  size_t width_count;
  int quote, escape, comment; /* a byte, or FASTIO_NONE */
  int newline;                /* FASTIO_NEWLINE_LF, FASTIO_NEWLINE_ANY or a byte */
  bool literal, doubling, comment_anywhere, trim, trailing_separator, blank_records;
  const fastio_env *env;
} fastio__dialect;

FASTIO__HIDDEN fastio_status fastio__dialect_init(fastio__dialect *dialect, const fastio_csv_options *options,
                                                  fastio_error *err);
FASTIO__HIDDEN void fastio__dialect_free(fastio__dialect *dialect);

FASTIO__INLINE bool fastio__is_blank(uint8_t c) { return c == ' ' || c == '\t'; }

/* ---- structure.c ---- */

/* Sets what the pipeline needs to cut windows at starts of records. */
FASTIO__HIDDEN void fastio__dialect_cut(const fastio__dialect *dialect, fastio__consumer *consumer);
/* Of bytes that start at a record: where the record begins that their end cuts short; `size` if none is. */
FASTIO__HIDDEN size_t fastio__dialect_tail(const fastio__dialect *dialect, const uint8_t *data, size_t size);

/* ---- record.c ---- */

/* Starts and ends of cells in turns. Quotes, and blanks that are to be trimmed, are still on them. */
typedef struct fastio__bounds {
  const fastio_env *env;
  uint32_t *at;
  size_t count, capacity;
} fastio__bounds;

/* Makes room for `more`; false: no memory. */
FASTIO__HIDDEN bool fastio__bounds_reserve(fastio__bounds *bounds, size_t more);
FASTIO__HIDDEN void fastio__bounds_free(fastio__bounds *bounds);

typedef enum fastio__record_kind {
  FASTIO__RECORD,
  FASTIO__RECORD_BLANK,
  FASTIO__RECORD_COMMENT,
  FASTIO__RECORD_PARTIAL, /* it goes on behind the data, which is not the last */
  FASTIO__RECORD_FAULTY,  /* a quote does not belong; see the fault */
  FASTIO__RECORD_NO_MEMORY
} fastio__record_kind;

typedef struct fastio__fault {
  const char *message;
  uint32_t at; /* the place in question: of an unclosed quote, where it opened */
} fastio__fault;

/* Takes the record at `at` apart: appends the bounds of its cells; *next is behind it. */
FASTIO__HIDDEN fastio__record_kind fastio__record_next(const fastio__dialect *dialect, const uint8_t *data, size_t at,
                                                       size_t size, bool last, fastio__bounds *bounds, size_t *next,
                                                       fastio__fault *fault);

/* How much of the text at `at` an error shows: up to the end of the line, if it comes first. */
FASTIO__HIDDEN size_t fastio__line_text(const fastio__dialect *dialect, const uint8_t *data, size_t at, size_t size);

/* The text of a cell without quotes, doubled quotes and escapes, into `out` (end - start bytes) unless it is NULL: its
 * size. *quoted: it was. */
FASTIO__HIDDEN size_t fastio__cell_text(const fastio__dialect *dialect, const uint8_t *start, const uint8_t *end,
                                        uint8_t *out, bool *quoted);
/* Whether that text is equal to another one. */
FASTIO__HIDDEN bool fastio__cell_equals(const fastio__dialect *dialect, const uint8_t *start, const uint8_t *end,
                                        const fastio_bytes *other);
/* Whether that text is a part of the cell as it stands: then these are its bounds. */
FASTIO__HIDDEN bool fastio__cell_is_plain(const fastio__dialect *dialect, const uint8_t **start, const uint8_t **end,
                                          bool *quoted);

#endif
