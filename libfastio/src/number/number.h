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

/* ---- Words, dates and times (word.c, time.c). As fastio__parse_i64: the whole token. ---- */
FASTIO__HIDDEN fastio_status fastio__parse_bool(const uint8_t *data, size_t size, bool *out); /* in any case */
FASTIO__HIDDEN fastio_status fastio__parse_date(const uint8_t *data, size_t size, int32_t *out, size_t *bad);
FASTIO__HIDDEN fastio_status fastio__parse_time(const uint8_t *data, size_t size, int64_t *out, size_t *bad);
/* zone: 0 not given, 1 given (then the value is in UTC). */
FASTIO__HIDDEN fastio_status fastio__parse_timestamp(const uint8_t *data, size_t size, int64_t *out, int *zone,
                                                     size_t *bad);

/* ---- Numbers as people write them (locale.c) ---- */
typedef struct fastio__spelling {
  uint8_t point; /* '.' or another byte; then '.' is no point */
  int thousands; /* FASTIO_NONE, or a byte between groups of three digits of the integer part (groups are checked) */
  bool percent;  /* floats may end in '%' */
  bool unicode_minus; /* U+2212 is '-' */
} fastio__spelling;

/* Rewrites a number in that spelling as the grammar of this library has it: into `out`, `size` + 4 bytes, and returns
 * how many, or SIZE_MAX: it is none (wrong groups, a '.' that is no point). A percentage of a float gets an exponent
 * ("12.5%" is "12.5e-2", "1e3%" is "1e1"); integers have none. Does not check the rest: the result goes to
 * fastio__parse_*. */
FASTIO__HIDDEN size_t fastio__respell(const fastio__spelling *spelling, const uint8_t *data, size_t size, bool is_float,
                                      uint8_t *out);

/* ---- What a text could be (classify.c) ---- */
/* Bits, so that the classes of a column's cells can be joined. */
enum {
  FASTIO__IS_NULL = 1, /* not given by fastio__classify */
  FASTIO__IS_BOOL = 2,
  FASTIO__IS_NATURAL = 4,  /* an integer from 0 on that fits int64 */
  FASTIO__IS_NEGATIVE = 8, /* a negative one (-0 too) that fits int64 */
  FASTIO__IS_UINT64 = 16,  /* fits uint64 only */
  FASTIO__IS_BIG = 32,     /* an integer that fits neither */
  FASTIO__IS_FLOAT = 64,   /* has a point or an exponent */
  FASTIO__IS_WORD = 128,   /* inf, infinity, nan, with any sign */
  FASTIO__IS_DATE = 256,
  FASTIO__IS_TIME = 512,
  FASTIO__IS_TIMESTAMP = 1024,     /* without a zone, and not a mere date */
  FASTIO__IS_TIMESTAMP_UTC = 2048, /* with a zone */
  FASTIO__IS_TEXT =
      4096 /* anything else; also numbers with a plus sign or with a zero before another digit of the integer
                            part, and timestamps that 64 bits can't hold */
};
/* The one class of a text (spelled as the grammar has it). The empty text is FASTIO__IS_TEXT. */
FASTIO__HIDDEN unsigned fastio__classify(const uint8_t *data, size_t size);

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
