/* digits16: sixteen decimal digits at once, as values, from two numbers below 10^8. x86-64 has the instructions for it
 * in every processor; elsewhere they are two words as in digits.h. */
#ifndef FASTIO__DIGITS16_H
#define FASTIO__DIGITS16_H

#include "digits.h"

#if FASTIO__X86
#  include <emmintrin.h>

typedef __m128i fastio__digits16;

/* Constants where compilers don't see them: they would make three or four additions and shifts of a multiplication. */
enum { FASTIO__BY_10000, FASTIO__TEN_THOUSAND, FASTIO__BY_100, FASTIO__HUNDRED, FASTIO__BY_10, FASTIO__TEN };
FASTIO__HIDDEN extern _Alignas(16) const uint64_t fastio__digits16_constants[6][2];

FASTIO__INLINE __m128i fastio__digits16_constant(int i) {
  return _mm_load_si128((const __m128i *)fastio__digits16_constants[i]);
}

/* As fastio__value_digits: fours, pairs and single digits, each by a multiplication with the reciprocal (exact for the
 * few values that occur), and the remainder put behind the quotient. The last step does both at once, in 16 bits: t +
 * (z - 10 * t) * 256 = z * 256 - t * 2559. */
FASTIO__INLINE fastio__digits16 fastio__make_digits16(uint32_t upper, uint32_t lower) {
  const __m128i x = _mm_unpacklo_epi64(_mm_cvtsi32_si128((int)upper), _mm_cvtsi32_si128((int)lower));
  const __m128i t = _mm_srli_epi64(_mm_mul_epu32(x, fastio__digits16_constant(FASTIO__BY_10000)), 45);
  const __m128i fours = _mm_or_si128(
      t, _mm_slli_epi64(_mm_sub_epi32(x, _mm_mul_epu32(t, fastio__digits16_constant(FASTIO__TEN_THOUSAND))), 32));
  const __m128i u = _mm_srli_epi16(_mm_mulhi_epu16(fours, fastio__digits16_constant(FASTIO__BY_100)), 3);
  const __m128i pairs = _mm_or_si128(
      u, _mm_slli_epi32(_mm_sub_epi16(fours, _mm_mullo_epi16(u, fastio__digits16_constant(FASTIO__HUNDRED))), 16));
  return _mm_sub_epi16(_mm_slli_epi16(pairs, 8),
                       _mm_mullo_epi16(_mm_mulhi_epu16(pairs, fastio__digits16_constant(FASTIO__BY_10)),
                                       fastio__digits16_constant(FASTIO__TEN)));
}

/* The first eight of them as in digits.h. */
FASTIO__INLINE uint64_t fastio__upper_digits(fastio__digits16 digits) { return (uint64_t)_mm_cvtsi128_si64(digits); }

FASTIO__INLINE void fastio__store_lower_digits(void *p, fastio__digits16 digits) {
  _mm_storel_epi64((__m128i *)p, _mm_or_si128(_mm_unpackhi_epi64(digits, digits), _mm_set1_epi8('0')));
}

FASTIO__INLINE void fastio__store_digits16(void *p, fastio__digits16 digits) {
  _mm_storeu_si128((__m128i *)p, _mm_or_si128(digits, _mm_set1_epi8('0')));
}

/* How many are left without the zeros at the end. */
FASTIO__INLINE unsigned fastio__trim_digits16(fastio__digits16 digits) {
  const unsigned zeros = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(digits, _mm_setzero_si128()));
  return 63 ^ fastio__clz64((uint64_t)(zeros ^ 0xFFFF) << 1 | 1);
}

/* `whole` of them (0 to 16), a point, and the others: 17 bytes. */
FASTIO__INLINE void fastio__store_split16(char *p, fastio__digits16 digits, unsigned whole) {
  static const uint8_t before[32] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
  const __m128i mask = _mm_loadu_si128((const __m128i *)(before + 16 - whole));
  const __m128i text = _mm_or_si128(digits, _mm_set1_epi8('0'));
  const __m128i both = _mm_or_si128(_mm_and_si128(text, mask), _mm_andnot_si128(mask, _mm_slli_si128(text, 1)));
  _mm_storeu_si128((__m128i *)(p + 1), text);
  _mm_storeu_si128((__m128i *)p, both);
  p[whole] = '.';
}

#else

typedef struct fastio__digits16 {
  uint64_t upper, lower;
} fastio__digits16;

FASTIO__INLINE fastio__digits16 fastio__make_digits16(uint32_t upper, uint32_t lower) {
  return (fastio__digits16){fastio__value_digits(upper), fastio__value_digits(lower)};
}

FASTIO__INLINE uint64_t fastio__upper_digits(fastio__digits16 digits) { return digits.upper; }

FASTIO__INLINE void fastio__store_lower_digits(void *p, fastio__digits16 digits) {
  fastio__store_digits(p, digits.lower);
}

FASTIO__INLINE void fastio__store_digits16(char *p, fastio__digits16 digits) {
  fastio__store_digits(p, digits.upper);
  fastio__store_digits(p + 8, digits.lower);
}

FASTIO__INLINE unsigned fastio__trim_digits16(fastio__digits16 digits) {
  if (digits.lower) return 16 - fastio__clz64(digits.lower) / 8;
  return digits.upper ? 8 - fastio__clz64(digits.upper) / 8 : 0;
}

FASTIO__INLINE void fastio__store_split16(char *p, fastio__digits16 digits, unsigned whole) {
  fastio__store_digits16(p, digits);
  if (whole < 16) {
    const unsigned shift = whole % 8 * 8;
    const uint64_t upper = whole < 8 ? digits.upper : digits.lower, lower = whole < 8 ? digits.lower : 0;
    fastio__store_digits(p + whole + 1, upper >> shift | lower << 1 << (63 - shift));
    fastio__store_digits(p + whole + 9, lower >> shift);
  }
  p[whole] = '.';
}

#endif
#endif
