/* decimal: integers to text, inline where a call would take as long as the digits. */
#ifndef FASTIO__DECIMAL_H
#define FASTIO__DECIMAL_H

#include "digits.h"

/* The digits of a number below 10^8 without leading zeros, 0 as "0", and bytes that do not matter up to the eighth.
 * Returns their end. */
FASTIO__INLINE char *fastio__put_first(uint32_t value, char *out) {
  const uint64_t word = fastio__value_digits(value);
  const unsigned zeros = fastio__ctz64(word | UINT64_C(1) << 56) & 56;
  fastio__store_digits(out, word >> zeros);
  return out + 8 - zeros / 8;
}

/* Eight digits. */
FASTIO__INLINE char *fastio__put_next(uint32_t value, char *out) {
  fastio__store_digits(out, fastio__value_digits(value));
  return out + 8;
}

/* All digits of a number; up to 7 bytes behind them do not matter. */
FASTIO__INLINE char *fastio__put_decimal(uint64_t value, char *out) {
  if (FASTIO__LIKELY(value < 100000000)) return fastio__put_first((uint32_t)value, out);
  const uint64_t upper = value / 100000000;
  const uint32_t lower = (uint32_t)(value - upper * 100000000);
  if (FASTIO__LIKELY(upper < 100000000)) return fastio__put_next(lower, fastio__put_first((uint32_t)upper, out));
  const uint64_t first = upper / 100000000;
  return fastio__put_next(
      lower, fastio__put_next((uint32_t)(upper - first * 100000000), fastio__put_first((uint32_t)first, out)));
}

#endif
