/* The table for AVX2: two runs of up to 16 digits at a time. */
#include "tables.h"

#if FASTIO__X86

#  include "cells.h"
#  include "edges.h"
#  include "masks.h"
#  include "token.h"

#  include <immintrin.h>

#  define ISA FASTIO__TARGET("avx2,bmi,bmi2,lzcnt,popcnt")

typedef struct block {
  __m256i low, high;
} block;
typedef __m256i table;

ISA FASTIO__INLINE block load(const uint8_t *p) {
  block b = {_mm256_loadu_si256((const __m256i *)p), _mm256_loadu_si256((const __m256i *)(p + 32))};
  return b;
}

/* The mask of the bytes' top bits. */
ISA FASTIO__INLINE uint64_t mask(__m256i low, __m256i high) {
  return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

ISA FASTIO__INLINE uint64_t high_bits(block b) { return mask(b.low, b.high); }

ISA FASTIO__INLINE uint64_t equal(block b, uint8_t byte) {
  __m256i v = _mm256_set1_epi8((char)byte);
  return mask(_mm256_cmpeq_epi8(b.low, v), _mm256_cmpeq_epi8(b.high, v));
}

/* Signed comparison: shifted so that '0' to '9' are the ten smallest. */
ISA FASTIO__INLINE uint64_t digits(block b) {
  __m256i shift = _mm256_set1_epi8((char)(0x80 - '0')), limit = _mm256_set1_epi8(-128 + 10);
  return mask(_mm256_cmpgt_epi8(limit, _mm256_add_epi8(b.low, shift)),
              _mm256_cmpgt_epi8(limit, _mm256_add_epi8(b.high, shift)));
}

ISA FASTIO__INLINE bool table_for(int separator, table *t) {
  uint8_t entries[16];
  if (!fastio__separator_table(separator, entries)) return false;
  *t = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)entries));
  return true;
}

ISA FASTIO__INLINE uint64_t separators(block b, const table *t) {
  return mask(_mm256_cmpeq_epi8(b.low, _mm256_shuffle_epi8(*t, b.low)),
              _mm256_cmpeq_epi8(b.high, _mm256_shuffle_epi8(*t, b.high)));
}

/* 16 zeros and 16 ones: read from the n-th byte on, it keeps the last n of 16. */
static const uint8_t keep_last[32] = {[16] = 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                      0xff,        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

ISA FASTIO__INLINE __m256i two_halves(const uint8_t *low, const uint8_t *high) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)low)),
                                 _mm_loadu_si128((const __m128i *)high), 1);
}

/* Longer runs count as 16. Pairs, fours, eights, all. */
ISA FASTIO__INLINE void sixteens(const uint8_t *end0, unsigned length0, const uint8_t *end1, unsigned length1,
                                 uint64_t *out) {
  __m256i d = _mm256_sub_epi8(two_halves(end0 - 16, end1 - 16), _mm256_set1_epi8('0'));
  d = _mm256_and_si256(
      d, two_halves(keep_last + (length0 < 16 ? length0 : 16), keep_last + (length1 < 16 ? length1 : 16)));
  d = _mm256_maddubs_epi16(d, _mm256_set1_epi16(0x010a));
  d = _mm256_madd_epi16(d, _mm256_set1_epi32(0x00010064));
  d = _mm256_packus_epi32(d, d);
  d = _mm256_madd_epi16(d, _mm256_set1_epi32(0x00012710));
  d = _mm256_add_epi64(_mm256_mul_epu32(d, _mm256_set1_epi64x(100000000)), _mm256_srli_epi64(d, 32));
  _mm_storeu_si128((__m128i *)out, _mm_unpacklo_epi64(_mm256_castsi256_si128(d), _mm256_extracti128_si256(d, 1)));
}

#  include "walk.h"

#  include "cells16.h"

#  include "scan.h"

#  include "kernels.h"

#  define ASCII_RUN 32

ISA FASTIO__INLINE bool widen(const uint8_t *p, uint8_t *out, bool big) {
  const __m256i b = _mm256_loadu_si256((const __m256i *)p);
  if (_mm256_movemask_epi8(b) != 0) return false;
  const __m256i low = _mm256_cvtepu8_epi16(_mm256_castsi256_si128(b));
  const __m256i high = _mm256_cvtepu8_epi16(_mm256_extracti128_si256(b, 1));
  _mm256_storeu_si256((__m256i *)out, big ? _mm256_slli_epi16(low, 8) : low);
  _mm256_storeu_si256((__m256i *)(out + 32), big ? _mm256_slli_epi16(high, 8) : high);
  return true;
}

ISA FASTIO__INLINE bool narrow(const uint8_t *p, uint8_t *out, bool big) {
  __m256i a = _mm256_loadu_si256((const __m256i *)p), b = _mm256_loadu_si256((const __m256i *)(p + 32));
  const __m256i others = _mm256_set1_epi16((short)(big ? 0x80FF : 0xFF80));
  if (!_mm256_testz_si256(_mm256_or_si256(a, b), others)) return false;
  if (big) a = _mm256_srli_epi16(a, 8), b = _mm256_srli_epi16(b, 8);
  _mm256_storeu_si256((__m256i *)out, _mm256_permute4x64_epi64(_mm256_packus_epi16(a, b), 0xD8));
  return true;
}

#  include "utf16.h"

/* ---- UTF-8 ---- */

typedef __m256i V;
enum { V_SIZE = 32 };
ISA FASTIO__INLINE V v_load(const uint8_t *p) { return _mm256_loadu_si256((const __m256i *)p); }
ISA FASTIO__INLINE V v_all(uint8_t byte) { return _mm256_set1_epi8((char)byte); }
ISA FASTIO__INLINE V v_or(V a, V b) { return _mm256_or_si256(a, b); }
ISA FASTIO__INLINE V v_and(V a, V b) { return _mm256_and_si256(a, b); }
ISA FASTIO__INLINE V v_xor(V a, V b) { return _mm256_xor_si256(a, b); }
ISA FASTIO__INLINE V v_less(V a, uint8_t byte) { return _mm256_subs_epu8(a, v_all(byte)); }
ISA FASTIO__INLINE V v_look(const uint8_t *table, V a) {
  return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)table)), a);
}
ISA FASTIO__INLINE V v_low(V a) { return _mm256_and_si256(a, v_all(0x0F)); }
ISA FASTIO__INLINE V v_high(V a) { return v_low(_mm256_srli_epi16(a, 4)); }
ISA FASTIO__INLINE bool v_any(V a) { return !_mm256_testz_si256(a, a); }
ISA FASTIO__INLINE bool v_any_high(V a) { return _mm256_movemask_epi8(a) != 0; }

#  include "utf8.h"

const fastio__kernels fastio__avx2 = {
    "avx2",
    fastio__has_avx2,
    count_byte,
    count_tokens,
    ascii_prefix,
    utf8_prefix,
    utf8_count,
    find_byte,
    parse_i64,
    parse_u64,
    parse_f64,
    parse_f32,
    find_edges,
    find_words,
    cells_i64,
    cells_u64,
    cells_f64,
    cells_f32,
    fastio__put_no_integers,
    fastio__put_no_integer_slots,
    fastio__put_f64_singly,
    fastio__put_f64_slots_singly,
    to_utf16,
    from_utf16,
};

#endif
