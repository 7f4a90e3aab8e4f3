/* halfway: the exact comparison behind the floats that 19 digits do not decide. */
#ifndef FASTIO__HALFWAY_H
#define FASTIO__HALFWAY_H

#include "../core/compiler.h"

/* A decimal number as text: the digits of `whole` and then of `fraction` make an integer, times 10^exponent. */
typedef struct fastio__text_decimal {
  const uint8_t *whole, *whole_end, *fraction, *fraction_end;
  int64_t exponent;
} fastio__text_decimal;

/* The sign of (text - mantissa * 2^exponent), exactly. Both must be positive, of about the same size (they share
 * their first 15 digits) and between 2^-1080 and 2^1025. Linear in the length of the text. */
FASTIO__HIDDEN int fastio__compare_decimal(const fastio__text_decimal *text, uint64_t mantissa, int32_t exponent);

#endif
