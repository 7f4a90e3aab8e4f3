/* field: one column that is written, whatever it comes from, and the texts of its values, a strip of rows at a time. */
#ifndef FASTIO__FIELD_H
#define FASTIO__FIELD_H

#include "../number/format.h"
#include "ordered.h"

enum { FASTIO__STRIP = 64 }; /* rows of a strip at most: as many as a word has bits */

typedef enum fastio__field_kind {
  FASTIO__FIELD_MISSING, /* all values are */
  FASTIO__FIELD_VALUES,  /* what number/ knows: numbers, dates, times, bool in a byte; `stride` bytes apart */
  FASTIO__FIELD_BITS,    /* bool in a bit */
  FASTIO__FIELD_HALVES,  /* floats of 16 bits */
  FASTIO__FIELD_TIMES,   /* dates and times in another unit */
  FASTIO__FIELD_DECIMALS,
  FASTIO__FIELD_TEXTS32, /* between offsets of 32 bits */
  FASTIO__FIELD_TEXTS64, /* of 64 bits */
  FASTIO__FIELD_VIEWS,   /* Arrow's views of 16 bytes */
  FASTIO__FIELD_INDICES  /* of values in another field */
} fastio__field_kind;

typedef struct fastio__bits {
  const uint8_t *data; /* NULL: all ones */
  uint64_t start;      /* the bit of row 0 */
} fastio__bits;

typedef struct fastio__field {
  fastio__field_kind kind;
  fastio_type type;    /* of VALUES; of TIMES, what they are written as; of INDICES, their own */
  const uint8_t *data; /* value 0; of TEXTS, the byte at offset 0 */
  int64_t stride;
  fastio__bits bits;                      /* of BITS */
  int64_t unit;                           /* of TIMES: nanoseconds */
  int scale;                              /* of DECIMALS, within FASTIO__SCALE_MAX of zero */
  const void *offsets;                    /* of TEXTS: of value 0 */
  uint64_t text_end;                      /* bytes at `data` */
  const void *const *buffers;             /* of VIEWS */
  const struct fastio__field *dictionary; /* of INDICES */
  bool is_clean;                          /* of INDICES: who quotes has found nothing to quote in the dictionary */
  fastio__bits present[2];                /* the field's own and its parent's: a value is there if both bits are 1 */
  uint64_t length;
  const fastio_format *format; /* NULL: FASTIO_FORMAT_INIT */
} fastio__field;

/* Texts that take the place of values. nan_text.data NULL: as the format writes it. */
typedef struct fastio__wording {
  fastio_bytes null_text, nan_text, true_text, false_text;
} fastio__wording;

/* Memory for texts that are longer than a slot and are nowhere else. */
typedef struct fastio__arena {
  const fastio_env *env;
  struct fastio__arena_block *blocks;
} fastio__arena;

FASTIO__HIDDEN char *fastio__arena_take(fastio__arena *arena, size_t size); /* NULL: no memory */
FASTIO__HIDDEN void fastio__arena_free(fastio__arena *arena);

/* The texts of one field's rows: row r's is in slot r, or if lengths[r] is FASTIO__SLOT_OVERFLOW, longs[r]. */
typedef struct fastio__texts {
  char *slots;
  uint8_t *lengths;
  fastio_bytes *longs;
  uint64_t missing;  /* bit r is 1: the text stands for a missing value */
  bool is_clean;     /* the field's */
  fastio_bytes span; /* the bytes that all texts are of; NULL: not known */
  size_t good;       /* rows before the first one that has no text, for the reason below */
  fastio_status status;
  const char *message;
} fastio__texts;

FASTIO__INLINE fastio_bytes fastio__text_at(const fastio__texts *texts, size_t row) {
  if (texts->lengths[row] == FASTIO__SLOT_OVERFLOW) return texts->longs[row];
  return (fastio_bytes){texts->slots + row * FASTIO__SLOT, texts->lengths[row]};
}
/* `data` stays where it is, unless it fits a slot. */
FASTIO__HIDDEN void fastio__text_set(fastio__texts *texts, size_t row, const void *data, size_t size);
FASTIO__HIDDEN void fastio__text_fail(fastio__texts *texts, size_t row, fastio_status status, const char *message);

/* The texts of rows first to first + count - 1, count at most FASTIO__STRIP. */
FASTIO__HIDDEN void fastio__field_render(const fastio__field *field, uint64_t first, size_t count,
                                         const fastio__wording *words, fastio__arena *arena, fastio__texts *texts);
/* A decimal of `size` bytes; `out` has room for FASTIO__DECIMAL_MAX. */
enum { FASTIO__SCALE_MAX = 100, FASTIO__DECIMAL_MAX = 192 };
FASTIO__HIDDEN size_t fastio__format_decimal(const uint8_t *data, size_t size, int scale, char *out);
/* About how many bytes a value takes. */
FASTIO__HIDDEN size_t fastio__field_estimate(const fastio__field *field);
FASTIO__HIDDEN size_t fastio__value_estimate(fastio_type type, const fastio_format *format);
FASTIO__HIDDEN const char *fastio__wrong_time(fastio_type type);       /* why a date or a time has no text */
FASTIO__HIDDEN bool fastio__field_is_text(const fastio__field *field); /* or a dictionary of texts */
/* A field over a column, of which every `step`-th value from `start` on is one. */
FASTIO__HIDDEN void fastio__field_of_column(const fastio_column *column, fastio__field *dictionary, fastio__field *out);

/* ---- Strips: the same rows of all fields, merged into records (strip.c) ---- */

typedef struct fastio__marks {
  fastio_bytes separator, end; /* between texts, and behind a record */
} fastio__marks;

typedef struct fastio__strip {
  size_t columns, rows; /* rows that fit */
  fastio__texts *texts; /* of each column; their slots are slot_stride bytes apart, their lengths FASTIO__STRIP */
  size_t slot_stride;
  fastio__arena arena;
} fastio__strip;

/* Bytes of memory for a strip of at most `rows` rows; SIZE_MAX if there can't be so many. */
FASTIO__HIDDEN size_t fastio__strip_size(size_t columns, uint64_t rows);
FASTIO__HIDDEN void fastio__strip_init(fastio__strip *strip, void *memory, size_t columns, uint64_t rows,
                                       const fastio_env *env);
/* Rows before the first one in which a text is missing, and the column of that. */
FASTIO__HIDDEN size_t fastio__strip_good(const fastio__strip *strip, size_t rows, size_t *column);
/* Appends the first `rows` rows. */
FASTIO__HIDDEN fastio_status fastio__strip_merge(const fastio__strip *strip, size_t rows, const fastio__marks *marks,
                                                 fastio__piece *piece, fastio_error *err);

#endif
