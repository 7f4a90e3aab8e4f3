/* scale: a double times a power of ten, rounded to the nearest integer (ties to even) of its exact value: by one
 * multiplication with a row of the table, as long as that decides. */
#ifndef FASTIO__SCALE_H
#define FASTIO__SCALE_H

#include "format.h"
#include "powers.h"

/* A finite double other than zero, without its sign: mantissa * 2^exponent, whose mantissa has its highest bit set. */
typedef struct fastio__normal {
  uint64_t mantissa;
  int32_t exponent;
} fastio__normal;

#define FASTIO__ABSOLUTE (UINT64_MAX >> 1) /* of a double's bits, all but the sign */

FASTIO__INLINE uint64_t fastio__bits_f64(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* From the bits without the sign. */
FASTIO__INLINE fastio__normal fastio__normalize(uint64_t bits) {
  const int32_t biased = (int32_t)(bits >> 52);
  if (FASTIO__UNLIKELY(biased == 0)) {
    const int32_t zeros = (int32_t)fastio__clz64(bits);
    return (fastio__normal){bits << zeros, -1074 - zeros};
  }
  return (fastio__normal){bits << 11 | UINT64_C(1) << 63, biased - 1086};
}

/* The power of ten of the first decimal digit: floor(log10(value)). Of a binade's values, all have the one of its
 * first, 2^n, or those from the next power of ten on one more. Where the table's row is not exact, no mantissa equals
 * its upper half and is the power of ten itself. */
FASTIO__INLINE int32_t fastio__decimal_exponent(fastio__normal value) {
  const int32_t binary = value.exponent + 63;
  const int32_t guess = (int32_t)(((int64_t)binary * 1292913986) >> 32); /* floor(binary * log10(2)), |binary| < 2^11 */
  const int32_t next = guess + 1;
  const fastio__wide row = fastio__powers[next - FASTIO__POWER_FIRST];
  return guess + ((fastio__log2_power(next) == binary) & (value.mantissa >= row.high + (row.low != 0)));
}

/* A product's integer, the first 64 bits of its fraction, and what comes behind them. */
typedef struct fastio__product {
  uint64_t integer, fraction;
  fastio__wide rest;
} fastio__product;

/* The product of a mantissa and a row has 192 bits, the upper `whole` (0 to 64) of them are the integer. */
FASTIO__INLINE fastio__product fastio__multiply_row(uint64_t mantissa, fastio__wide row, uint32_t whole) {
  const fastio__wide lower = fastio__multiply_wide(mantissa, row.low);
  fastio__wide upper = fastio__multiply_wide(mantissa, row.high);
  upper.low += lower.high;
  upper.high += upper.low < lower.high;
  if (whole == 0) return (fastio__product){0, upper.high, {upper.low, lower.low}};
  const uint32_t shift = 64 - whole;
  return (fastio__product){upper.high >> shift,
                           upper.high << 1 << (63 - shift) | upper.low >> shift,
                           {upper.low << 1 << (63 - shift), lower.low}};
}

/* For value * 10^power. Beyond 64 if there are more, and if the number is below a half. */
FASTIO__INLINE uint32_t fastio__integer_bits(fastio__normal value, int32_t power) {
  return (uint32_t)(value.exponent + fastio__log2_power(power) + 65);
}

FASTIO__INLINE bool fastio__has_row(int32_t power) {
  return (uint32_t)power - (uint32_t)FASTIO__POWER_FIRST <= (uint32_t)(FASTIO__POWER_LAST - FASTIO__POWER_FIRST);
}

/* value * 10^power as an integer of 64 bits, where that is easily done; else false.
 *
 * A row that is off by less than one in its last place makes the product wrong by less than 2^64. This is 2^-64 of the
 * integer's unit, or less: so the first 64 bits of the fraction decide, unless they are those of a half or just below.
 */
FASTIO__INLINE bool fastio__scale_easily(fastio__normal value, int32_t power, uint64_t *rounded) {
  const uint32_t whole = fastio__integer_bits(value, power);
  if (FASTIO__UNLIKELY(!fastio__has_row(power) || whole - 1 >= 64)) return false;
  const fastio__product product = fastio__multiply_row(value.mantissa, fastio__powers[power - FASTIO__POWER_FIRST],
                                                       whole);
  *rounded = product.integer + (product.fraction >> 63);
  return FASTIO__LIKELY(product.fraction - INT64_MAX > 1 && *rounded >= product.integer);
}

/* The first `count` digits (1 to 19) as an integer, and the power of ten of the first one. */
FASTIO__INLINE bool fastio__scale_digits_easily(fastio__normal value, unsigned count, uint64_t *rounded,
                                                int32_t *exponent) {
  *exponent = fastio__decimal_exponent(value);
  if (!fastio__scale_easily(value, (int32_t)count - 1 - *exponent, rounded)) return false;
  const bool more = *rounded == fastio__ten_to[count]; /* 9.99 became 10.0 */
  if (FASTIO__UNLIKELY(more)) *rounded = fastio__ten_to[count - 1];
  *exponent += more;
  return true;
}

enum { FASTIO__SCALE_DIGITS = 19 };

/* With care (format_exact.c): false only if the result has more than 64 bits, or would take more digits than the table
 * has to be decided. */
FASTIO__HIDDEN bool fastio__scale(fastio__normal value, int32_t power, uint64_t *rounded);

#endif
