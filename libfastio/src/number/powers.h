/* powers: 10^q as 128 significant bits, shared by reading and writing floats.
 *
 * 10^q = row * 2^(fastio__log2_power(q) - 127) with 2^127 <= row < 2^128. The row is exact for 0 <= q <= 55 (5^55
 * < 2^128), rounded up for -27 <= q < 0, where a product can be an integer and must not come out just below it,
 * and rounded down elsewhere: what the proof that eisel_lemire.h stands on asks for. */
#ifndef FASTIO__POWERS_H
#define FASTIO__POWERS_H

#include "wide.h"

#define FASTIO__POWER_FIRST (-342)
#define FASTIO__POWER_LAST 324

FASTIO__HIDDEN extern const fastio__wide fastio__powers[FASTIO__POWER_LAST - FASTIO__POWER_FIRST + 1];

/* Whether the row is below 10^q. */
FASTIO__INLINE bool fastio__power_is_low(int32_t q) { return q < -27 || q > 55; }

/* floor(log2(10^q)) for |q| <= 1650. Right shifts of negative numbers are arithmetic in all our compilers. */
FASTIO__INLINE int32_t fastio__log2_power(int32_t q) { return (q * 217706) >> 16; }

#endif
