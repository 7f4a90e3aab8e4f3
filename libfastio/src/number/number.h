/* number: text to value and value to text. The one grammar and the one parser; everything that reads numbers comes
 * here. */
#ifndef FASTIO__NUMBER_H
#define FASTIO__NUMBER_H

#include "../core/core.h"
#include "../simd/simd.h"

/* ---- One token (parse_int.c, parse_float.c) ----
 * The whole token [data, data + size) is the number. FASTIO_OK, FASTIO_BAD_TOKEN or FASTIO_OUT_OF_RANGE. `bad` (may be
 * NULL) receives the position of the first byte that cannot belong to a number (size if the token ends too early). */
FASTIO__HIDDEN fastio_status fastio__parse_i64(const uint8_t *data, size_t size, int base, int64_t *out, size_t *bad);
FASTIO__HIDDEN fastio_status fastio__parse_u64(const uint8_t *data, size_t size, int base, uint64_t *out, size_t *bad);
FASTIO__HIDDEN fastio_status fastio__parse_f64(const uint8_t *data, size_t size, double *out, size_t *bad);
FASTIO__HIDDEN fastio_status fastio__parse_f32(const uint8_t *data, size_t size, float *out, size_t *bad);
/* Rounds what a float kernel took apart (correctly, always). */
FASTIO__HIDDEN double fastio__round_f64(const fastio__decimal *decimal);
FASTIO__HIDDEN float fastio__round_f32(const fastio__decimal *decimal);

/* ---- Tokens (token.c) ---- */
typedef struct fastio__grammar {
  int separator; /* FASTIO_WHITESPACE or a byte */
  int comment;   /* FASTIO_NONE or a byte */
  int base;
  bool overflow_is_error; /* floats beyond the type's range */
  const fastio_bytes *nulls;
  size_t null_count;
} fastio__grammar;

/* A place in a window of bytes. The window starts at a field's start. */
typedef struct fastio__cursor {
  const uint8_t *at, *end;
  bool last;    /* nothing follows `end` */
  bool in_line; /* the byte before `at` is a separator other than a newline: a field must follow */
  bool padded;  /* FASTIO__PAD bytes on both sides of the window are readable: kernels may run */
} fastio__cursor;

typedef struct fastio__token {
  const uint8_t *start, *end; /* without blanks around */
  const uint8_t *next;        /* behind it and its separator */
  bool next_in_line;
} fastio__token;

#define FASTIO__MORE ((fastio_status)-1) /* the token may go on behind `end` */

/* Finds the next token and moves cursor->at to its start. FASTIO_OK; FASTIO_EMPTY_FIELD (start == end == its place);
 * FASTIO_END: no token up to `end`; FASTIO__MORE. The caller takes the token with fastio__token_take. */
FASTIO__HIDDEN fastio_status fastio__token_next(const fastio__grammar *grammar, fastio__cursor *cursor,
                                                fastio__token *token);
FASTIO__INLINE void fastio__token_take(fastio__cursor *cursor, const fastio__token *token) {
  cursor->at = token->next;
  cursor->in_line = token->next_in_line;
}

/* Tells a number that overflowed to infinity from the word. */
FASTIO__INLINE bool fastio__has_digit(const uint8_t *p, const uint8_t *end) {
  for (; p < end; p++)
    if ((uint8_t)(*p - '0') < 10) return true;
  return false;
}

/* ---- Many values (bulk.c) ---- */
typedef struct fastio__bulk {
  fastio_type type;
  void *out;
  size_t capacity, count;
  /* Called for a missing value (one of the grammar's nulls), whose slot holds 0: false is "no memory". */
  bool (*on_null)(void *ctx, size_t index);
  void *ctx;
  fastio__cursor behind; /* set by fastio__bulk_parse: behind the last value, where the cursor may have gone on to the
                            next token */
} fastio__bulk;

/* Converts from the cursor on into bulk->out + bulk->count. FASTIO_OK: `capacity` reached; FASTIO_END: window used up;
 * FASTIO__MORE; else the status of the token at the cursor, which *token describes. */
FASTIO__HIDDEN fastio_status fastio__bulk_parse(const fastio__grammar *grammar, fastio__cursor *cursor,
                                                fastio__bulk *bulk, fastio__token *token);
/* How many values fastio__bulk_parse would meet in the window (right for windows without errors, never more than it
 * could write for others). */
FASTIO__HIDDEN size_t fastio__bulk_count(const fastio__grammar *grammar, fastio__cursor cursor);

#endif
