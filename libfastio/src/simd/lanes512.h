/* Eight 64-bit lanes of AVX-512, and their decimal digits. Private to the files that write numbers with it. */
#ifndef FASTIO__LANES512_H
#define FASTIO__LANES512_H

#include <immintrin.h>

#include "simd.h"

#define ISA                                                                                                     \
  FASTIO__TARGET("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512ifma,avx512cd,avx2,bmi,bmi2," \
                 "popcnt")

typedef __m512i lanes;

ISA FASTIO__INLINE lanes all(uint64_t value) { return _mm512_set1_epi64((long long)value); }

/* 32 x 32 bits */
ISA FASTIO__INLINE lanes times(lanes a, uint64_t b) { return _mm512_mul_epu32(a, all(b)); }

/* The eight digits of values below 10^8, the first one in the highest byte: fours, pairs, and single digits, each time
 * the quotient and the remainder beside each other: value + quotient * (2^n - divisor). The reciprocals are exact for
 * the few values that occur. */
ISA FASTIO__INLINE lanes split(lanes value) {
  const lanes thousands = _mm512_srli_epi64(times(value, 0xD1B71759), 45);
  const lanes fours = _mm512_add_epi64(value, times(thousands, (UINT64_C(1) << 32) - 10000));
  const lanes hundreds = _mm512_srli_epi16(_mm512_mulhi_epu16(fours, _mm512_set1_epi16(5243)), 3);
  const lanes rest = _mm512_sub_epi16(fours, _mm512_mullo_epi16(hundreds, _mm512_set1_epi16(100)));
  const lanes pairs = _mm512_or_si512(rest, _mm512_slli_epi32(hundreds, 16));
  const lanes tens = _mm512_mulhi_epu16(pairs, _mm512_set1_epi16(6554));
  return _mm512_add_epi16(pairs, _mm512_mullo_epi16(tens, _mm512_set1_epi16(256 - 10)));
}

/* From there to the order of text. */
ISA FASTIO__INLINE lanes in_order(lanes digits) {
  return _mm512_shuffle_epi8(digits, _mm512_set4_epi32(0x08090a0b, 0x0c0d0e0f, 0x00010203, 0x04050607));
}

#endif
