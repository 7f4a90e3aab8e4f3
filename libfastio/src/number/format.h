/* format: what the writers of integers and floats share. Digits are found here, their layout is the caller's. */
#ifndef FASTIO__FORMAT_H
#define FASTIO__FORMAT_H

#include "../core/core.h"

/* A float as decimal digits: digits * 10^exponent. `digits` has no trailing zeros (zero is 0 * 10^0). */
typedef struct fastio__shortest {
  uint64_t digits;
  int32_t exponent;
} fastio__shortest;

/* The shortest digits that only this value is nearest to, and of those the ones nearest to it. Finite values; the
 * sign does not count. */
FASTIO__HIDDEN fastio__shortest fastio__shortest_f64(double value);
FASTIO__HIDDEN fastio__shortest fastio__shortest_f32(float value);

/* Decimal digits of a value: how many, and writing `count` (1 to 20) of them at `out`, with leading zeros if it
 * has fewer. Up to 7 bytes behind them are overwritten too. */
FASTIO__HIDDEN unsigned fastio__count_digits(uint64_t value);
FASTIO__HIDDEN void fastio__write_digits(uint64_t value, unsigned count, char *out);

#endif
