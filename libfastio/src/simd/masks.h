/* Where the tokens of a 64-byte block are, by arithmetic on bit masks (bit i is byte i): the same for every
 * instruction set. Private to simd.
 *
 * A block starts at the start of a field, so nothing is carried from block to block: a token that does not end within
 * the block is left to the next one, which starts at the token. */
#ifndef FASTIO__MASKS_H
#define FASTIO__MASKS_H

#include "simd.h"

#define FASTIO__TOP_BIT (UINT64_C(1) << 63)

/* What the bytes of a block are. */
typedef struct fastio__classes {
  uint64_t digits, points, minus;
  uint64_t separators; /* white space, or the separator and '\n' */
  uint64_t blanks;     /* what may stand around a value besides; found only when something does not fit */
} fastio__classes;

/* The tokens that can be converted: they are in order, and each has one bit in `ends`, `closers` and `splits`. Bits
 * of tokens that cannot follow in the last two. */
typedef struct fastio__tokens {
  uint64_t ends;    /* the byte behind the token */
  uint64_t closers; /* the separator behind it: the same byte, unless blanks come first */
  uint64_t splits;  /* of a float: the byte behind its point, or its end if it has none */
  uint64_t starts;  /* its first byte (also of tokens that cannot be converted) */
} fastio__tokens;

/* All bits below the lowest one of m; all if m is 0. */
FASTIO__INLINE uint64_t fastio__below(uint64_t m) { return (m & (0 - m)) - 1; }

/* The bit behind each run of m that contains a bit of `from`: the addition carries through the run. */
FASTIO__INLINE uint64_t fastio__behind(uint64_t from, uint64_t m) { return ((from & m) + m) & ~m; }

/* The first bits of runs of at least 2, 4, 8 bits, and so on: `n` more than m already stands for. */
FASTIO__INLINE uint64_t fastio__longer(uint64_t m, unsigned n) { return m & (m >> n); }

/* Starts of runs of 9 bits and more. */
FASTIO__INLINE uint64_t fastio__runs_of_9(uint64_t m) {
  uint64_t eight = fastio__longer(fastio__longer(fastio__longer(m, 1), 2), 4);
  return eight & (m >> 8);
}

/* Starts of runs of 17, 20, 21 and 25 bits and more. */
FASTIO__INLINE uint64_t fastio__runs_of(uint64_t m, unsigned length) {
  uint64_t four = fastio__longer(fastio__longer(m, 1), 2), eight = fastio__longer(four, 4);
  uint64_t sixteen = fastio__longer(eight, 8);
  if (length == 17) return sixteen & (m >> 16);
  if (length == 20) return sixteen & (four >> 16);
  if (length == 21) return sixteen & (four >> 16) & (m >> 20);
  return sixteen & (eight >> 16) & (m >> 24); /* 25 */
}

typedef enum fastio__kind { FASTIO__I64, FASTIO__U64, FASTIO__F64, FASTIO__F32 } fastio__kind;
#define FASTIO__IS_FLOAT(kind) ((kind) >= FASTIO__F64)

/* Bytes at or before which a token goes wrong, seen by itself: `gaps` are the bytes between tokens. A minus belongs
 * in front and before a digit or point, a point beside a digit. Integers have at most 19 digits, unsigned ones 20;
 * floats at most 24 bytes (what makes more than 19 digits of them is looked for later). */
FASTIO__INLINE uint64_t fastio__misfits(fastio__kind kind, const fastio__classes *c, uint64_t gaps) {
  uint64_t body = c->digits | c->points;
  uint64_t bad = ~(body | gaps);
  if (kind != FASTIO__U64) bad &= ~(c->minus & (gaps << 1 | 1) & (body >> 1 | FASTIO__TOP_BIT));
  if (kind == FASTIO__I64) return bad | fastio__runs_of(body, 20);
  if (kind == FASTIO__U64) return bad | fastio__runs_of(body, 21);
  bad |= c->points & ~(c->digits << 1 | c->digits >> 1 | FASTIO__TOP_BIT);
  uint64_t fractions = c->points << 1; /* a second point: next to the first, or behind its digits */
  bad |= c->points & (fractions | fastio__behind(fractions, c->digits));
  return bad | fastio__runs_of(body, 25);
}

/* Where fractions start, and ends of tokens that have none. */
FASTIO__INLINE uint64_t fastio__splits(const fastio__classes *c, uint64_t ends) {
  uint64_t fractions = c->points << 1;
  return fractions | (ends & ~fastio__behind(fractions, c->digits));
}

/* The lowest `count` bits that are set. */
FASTIO__INLINE uint64_t fastio__lowest(uint64_t m, size_t count) {
  uint64_t above = m;
  while (count-- > 0) above &= above - 1;
  return m & ~above;
}

/* Gives up all tokens but the first `count`. */
FASTIO__INLINE void fastio__keep_tokens(fastio__tokens *t, size_t count) {
  if (fastio__popcount64(t->ends) <= count) return;
  t->ends = fastio__lowest(t->ends, count);
  t->closers = fastio__lowest(t->closers, count);
}

/* Tokens among white space or separators with no blanks around. `bad` are the places where that is not so. */
FASTIO__INLINE fastio__tokens fastio__cut(fastio__kind kind, bool spaced, const fastio__classes *c, uint64_t *bad) {
  uint64_t gaps = c->separators;
  *bad = fastio__misfits(kind, c, gaps);
  if (!spaced) *bad |= gaps & (gaps << 1 | 1); /* an empty field */
  fastio__tokens t;
  t.ends = gaps & (c->digits | c->points) << 1;
  t.splits = FASTIO__IS_FLOAT(kind) ? fastio__splits(c, t.ends) : 0;
  t.starts = ~gaps & (gaps << 1 | 1);
  t.closers = t.ends;
  return t;
}

/* The same with blanks around values: every field is blanks, token, blanks, separator. */
FASTIO__INLINE fastio__tokens fastio__cut_blanks(fastio__kind kind, const fastio__classes *c) {
  uint64_t gaps = c->separators | c->blanks, behind_tokens = (c->digits | c->points) << 1;
  uint64_t bad = fastio__misfits(kind, c, gaps);
  uint64_t fields = c->separators << 1 | 1;
  bad |= c->separators & (fields | fastio__behind(fields, c->blanks)); /* an empty field */
  uint64_t behind_blanks = fastio__behind(behind_tokens, c->blanks);
  bad |= behind_blanks & ~c->separators; /* a second token in the field */
  fastio__tokens t;
  t.ends = gaps & behind_tokens;
  t.splits = FASTIO__IS_FLOAT(kind) ? fastio__splits(c, t.ends) : 0;
  t.starts = ~gaps & (gaps << 1 | 1);
  t.ends &= fastio__below(bad);
  t.closers = c->separators & (behind_tokens | behind_blanks) & fastio__below(bad);
  /* The last token's separator may lie behind the block or the bad place. */
  if (fastio__popcount64(t.ends) > fastio__popcount64(t.closers)) t.ends &= ~(FASTIO__TOP_BIT >> fastio__clz64(t.ends));
  return t;
}

/* Separators differ in their low four bits, by which this table is looked up: a byte is a separator if it finds
 * itself. False: no such table for this one. */
FASTIO__INLINE bool fastio__separator_table(int separator, uint8_t entries[16]) {
  memset(entries, 0xff, 16); /* finds itself nowhere: a byte above 127 looks up 0 */
  entries['\n' & 15] = '\n';
  if (separator < 0) {
    for (unsigned c = '\t'; c <= '\r'; c++) entries[c] = (uint8_t)c;
    entries[' ' & 15] = ' ';
  } else if (separator < 128 && ((separator & 15) != '\n' || separator == '\n')) {
    entries[separator & 15] = (uint8_t)separator;
  } else {
    return false;
  }
  return true;
}

/* What a kernel asks for block by block. */
typedef struct fastio__batch {
  const uint8_t *p; /* the block */
  fastio__classes classes;
  fastio__tokens tokens;
  fastio__kind kind;
  void *out;              /* for the first value */
  size_t index;           /* of the first value, for `rest` */
  fastio__decimals *rest; /* has room for one of every token */
} fastio__batch;

#endif
