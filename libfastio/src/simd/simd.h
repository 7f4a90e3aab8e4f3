/* simd: one table of kernels per instruction set, chosen once. Kernels are pure functions that only accelerate: they
 * convert the common shapes, stop before everything else, and never decide an error. Knows only core/compiler.h.
 *
 * Kernels marked [padded] may read FASTIO__PAD bytes before `*at` and after `end`, whose values do not matter. */
#ifndef FASTIO__SIMD_H
#define FASTIO__SIMD_H

#include "../core/compiler.h"

#define FASTIO__PAD 64

/* A float that a kernel has taken apart but not rounded: value = (-1)^negative * mantissa * 10^exponent, where
 * mantissa has at most 19 digits and holds all digits of the token. */
typedef struct fastio__decimal {
  uint64_t mantissa;
  const uint8_t *start, *end; /* the token */
  int32_t exponent;
  uint32_t index; /* its slot in `out` */
  bool negative;
} fastio__decimal;

typedef struct fastio__decimals {
  size_t count;
  fastio__decimal items[256];
} fastio__decimals;

/* Convert tokens from *at on: white-space separated (separator < 0), or separated by `separator` or '\n' with exactly
 * one separator between two values. *at is at the start of a field. The byte at end[-1] or at end[0] is a separator.
 * Each stops at `end`, when `capacity` values are written, or before the first token (or gap between tokens) that it
 * does not know; returns the number of values written and moves *at behind the last token that it converted and, with
 * a separator, behind the one separator that ended it. Making no progress at all is always allowed;
 * so is leaving anything in the rest of `out`, up to its capacity. */
typedef size_t fastio__i64_kernel(const uint8_t **at, const uint8_t *end, int64_t *out, size_t capacity, int separator);
typedef size_t fastio__u64_kernel(const uint8_t **at, const uint8_t *end, uint64_t *out, size_t capacity,
                                  int separator);
/* The float kernels leave in `rest` (emptied by the caller) the values that they could not round exactly, whose slots
 * the caller fills; they stop when it is nearly full. */
typedef size_t fastio__f64_kernel(const uint8_t **at, const uint8_t *end, double *out, size_t capacity, int separator,
                                  fastio__decimals *rest);
typedef size_t fastio__f32_kernel(const uint8_t **at, const uint8_t *end, float *out, size_t capacity, int separator,
                                  fastio__decimals *rest);

typedef struct fastio__kernels {
  const char *name;
  bool (*is_supported)(void); /* by the machine that runs */
  /* How often `byte` occurs. */
  size_t (*count_byte)(const uint8_t *data, size_t size, uint8_t byte);
  /* How many white-space separated tokens start in the data; the byte before it counts as white space. */
  size_t (*count_tokens)(const uint8_t *data, size_t size);
  /* Length of the longest prefix of ASCII bytes (rounding down to a whole block is allowed). */
  size_t (*ascii_prefix)(const uint8_t *data, size_t size);
  /* Stores the positions of `byte` (size at most UINT32_MAX; `positions` has room for 64 more than there are) and
   * returns how many. */
  size_t (*find_byte)(const uint8_t *data, size_t size, uint8_t byte, uint32_t *positions);
  fastio__i64_kernel *i64; /* [padded] */
  fastio__u64_kernel *u64; /* [padded] */
  fastio__f64_kernel *f64; /* [padded] */
  fastio__f32_kernel *f32; /* [padded] */
} fastio__kernels;

/* The table in use: one atomic load. */
FASTIO__HIDDEN const fastio__kernels *fastio__simd(void);

/* White space as decisions go: space, \t \n \v \f \r. */
FASTIO__INLINE bool fastio__is_space(uint8_t c) { return c == ' ' || (uint8_t)(c - 9) < 5; }

#endif
