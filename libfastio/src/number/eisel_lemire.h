/* eisel_lemire: the float nearest to w * 10^q, for any 64-bit w, with one or two multiplications and no fallback.
 *
 * Daniel Lemire, "Number parsing at a gigabyte per second", Software: Practice and Experience 51 (2021), has the
 * method; Noble Mushtak and Daniel Lemire, "Fast number parsing without fallback", ibid. 53 (2023), the proof that
 * the product with 128 bits of 10^q always decides. Only integers are used: no rounding mode, no wider registers
 * and no compiler flag changes a result. */
#ifndef FASTIO__EISEL_LEMIRE_H
#define FASTIO__EISEL_LEMIRE_H

#include "powers.h"

/* What the algorithm must know of an IEEE type. */
typedef struct fastio__float_format {
  int32_t mantissa_bits;       /* without the hidden one */
  int32_t bias;                /* of the exponent */
  int32_t infinite;            /* the biased exponent of infinity */
  int32_t last;                /* larger powers of ten give infinity, whatever w > 0 is */
  int32_t tie_first, tie_last; /* only with these can w * 10^q be half-way between two floats */
} fastio__float_format;

#define FASTIO__FORMAT_F64 \
  (fastio__float_format) { 52, 1023, 0x7FF, 308, -4, 23 }
#define FASTIO__FORMAT_F32 \
  (fastio__float_format) { 23, 127, 0xFF, 38, -17, 10 }

/* The bits of the float, without a sign. `format` is constant where this is inlined. */
FASTIO__INLINE uint64_t fastio__eisel_lemire(uint64_t w, int32_t q, const fastio__float_format format) {
  const uint64_t infinity = (uint64_t)format.infinite << format.mantissa_bits;
  const uint32_t row = (uint32_t)q - (uint32_t)FASTIO__POWER_FIRST;
  if (FASTIO__UNLIKELY(w == 0 || row > (uint32_t)(format.last - FASTIO__POWER_FIRST))) return w && q > 0 ? infinity : 0;
  const fastio__wide power = fastio__powers[row];
  const int32_t zeros = (int32_t)fastio__clz64(w);
  w <<= zeros;
  /* The lower half of the power matters only where the bits behind the ones we need are all set: a carry could come. */
  fastio__wide product = fastio__multiply_wide(w, power.high);
  const uint64_t behind = UINT64_MAX >> (format.mantissa_bits + 3);
  if (FASTIO__UNLIKELY((product.high & behind) == behind)) {
    const uint64_t carry = fastio__multiply_wide(w, power.low).high;
    product.low += carry;
    product.high += product.low < carry;
  }
  /* Mantissa, hidden bit and one bit for rounding; the product has its first bit at 63 or 62. */
  const int32_t upper = (int32_t)(product.high >> 63);
  const int32_t shift = upper + 64 - format.mantissa_bits - 3;
  uint64_t mantissa = product.high >> shift;
  const int32_t exponent = fastio__log2_power(q) + 63 + upper - zeros + format.bias;
  if (FASTIO__UNLIKELY((uint32_t)exponent - 1 >= (uint32_t)format.infinite - 2)) {
    if (exponent <= -63) return 0;
    if (exponent >= format.infinite) return infinity;
    if (exponent <= 0) { /* subnormal: never a tie, so that the lost bits do not matter */
      mantissa >>= 1 - exponent;
      return (mantissa + (mantissa & 1)) >> 1; /* if this is the smallest normal number, it has its bits */
    }
  }
  /* Exactly half-way to the odd neighbour above: clear the rounding bit, to stay at the even one. */
  if (FASTIO__UNLIKELY(product.low <= 1) && (mantissa & 3) == 1 && q >= format.tie_first && q <= format.tie_last &&
      mantissa << shift == product.high)
    mantissa--;
  /* The hidden bit adds one to the exponent, and so does rounding up to the next power of two, be that infinity. */
  return ((uint64_t)(exponent - 1) << format.mantissa_bits) + ((mantissa + (mantissa & 1)) >> 1);
}

FASTIO__INLINE double fastio__f64_from_bits(uint64_t bits, bool negative) {
  double value;
  bits |= (uint64_t)negative << 63;
  memcpy(&value, &bits, sizeof value);
  return value;
}
FASTIO__INLINE float fastio__f32_from_bits(uint64_t bits, bool negative) {
  float value;
  uint32_t half = (uint32_t)bits | (uint32_t)negative << 31;
  memcpy(&value, &half, sizeof value);
  return value;
}

#endif
