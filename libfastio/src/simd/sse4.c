/* The table for SSE4.2 and its forerunners. */
#include "tables.h"

#if FASTIO__X86

#  include "cells.h"
#  include "edges.h"
#  include "masks.h"
#  include "token.h"

#  include <immintrin.h>

#  define ISA FASTIO__TARGET("sse4.2,popcnt")

typedef struct block {
  __m128i a, b, c, d;
} block;
typedef __m128i table;

ISA FASTIO__INLINE block load(const uint8_t *p) {
  const __m128i *q = (const __m128i *)p;
  block b = {_mm_loadu_si128(q), _mm_loadu_si128(q + 1), _mm_loadu_si128(q + 2), _mm_loadu_si128(q + 3)};
  return b;
}

/* The mask of the bytes' top bits. */
ISA FASTIO__INLINE uint64_t high_bits(block b) {
  uint32_t low = (uint32_t)_mm_movemask_epi8(b.a) | (uint32_t)_mm_movemask_epi8(b.b) << 16;
  uint32_t high = (uint32_t)_mm_movemask_epi8(b.c) | (uint32_t)_mm_movemask_epi8(b.d) << 16;
  return low | (uint64_t)high << 32;
}

ISA FASTIO__INLINE uint64_t equal(block b, uint8_t byte) {
  __m128i v = _mm_set1_epi8((char)byte);
  block found = {_mm_cmpeq_epi8(b.a, v), _mm_cmpeq_epi8(b.b, v), _mm_cmpeq_epi8(b.c, v), _mm_cmpeq_epi8(b.d, v)};
  return high_bits(found);
}

/* Signed comparison: shifted so that '0' to '9' are the ten smallest. */
ISA FASTIO__INLINE __m128i is_digit(__m128i part) {
  return _mm_cmpgt_epi8(_mm_set1_epi8(-128 + 10), _mm_add_epi8(part, _mm_set1_epi8((char)(0x80 - '0'))));
}

ISA FASTIO__INLINE uint64_t digits(block b) {
  block found = {is_digit(b.a), is_digit(b.b), is_digit(b.c), is_digit(b.d)};
  return high_bits(found);
}

ISA FASTIO__INLINE bool table_for(int separator, table *t) {
  uint8_t entries[16];
  if (!fastio__separator_table(separator, entries)) return false;
  *t = _mm_loadu_si128((const __m128i *)entries);
  return true;
}

ISA FASTIO__INLINE __m128i finds_itself(__m128i part, __m128i t) {
  return _mm_cmpeq_epi8(part, _mm_shuffle_epi8(t, part));
}

ISA FASTIO__INLINE uint64_t separators(block b, const table *t) {
  block found = {finds_itself(b.a, *t), finds_itself(b.b, *t), finds_itself(b.c, *t), finds_itself(b.d, *t)};
  return high_bits(found);
}

/* 16 zeros and 16 ones: read from the n-th byte on, it keeps the last n of 16. */
static const uint8_t keep_last[32] = {[16] = 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                      0xff,        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

/* Pairs, fours, both runs' eights, all. */
ISA FASTIO__INLINE __m128i fours(const uint8_t *end, unsigned length) {
  __m128i d = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)(end - 16)), _mm_set1_epi8('0'));
  d = _mm_and_si128(d, _mm_loadu_si128((const __m128i *)(keep_last + (length < 16 ? length : 16))));
  d = _mm_maddubs_epi16(d, _mm_set1_epi16(0x010a));
  return _mm_madd_epi16(d, _mm_set1_epi32(0x00010064));
}

/* Longer runs count as 16. */
ISA FASTIO__INLINE void sixteens(const uint8_t *end0, unsigned length0, const uint8_t *end1, unsigned length1,
                                 uint64_t *out) {
  __m128i d = _mm_packus_epi32(fours(end0, length0), fours(end1, length1));
  d = _mm_madd_epi16(d, _mm_set1_epi32(0x00012710));
  d = _mm_add_epi64(_mm_mul_epu32(d, _mm_set1_epi64x(100000000)), _mm_srli_epi64(d, 32));
  _mm_storeu_si128((__m128i *)out, d);
}

#  include "walk.h"

#  include "cells16.h"

#  include "scan.h"

#  include "kernels.h"

#  define ASCII_RUN 16

ISA FASTIO__INLINE bool widen(const uint8_t *p, uint8_t *out, bool big) {
  const __m128i b = _mm_loadu_si128((const __m128i *)p), zero = _mm_setzero_si128();
  if (_mm_movemask_epi8(b) != 0) return false;
  _mm_storeu_si128((__m128i *)out, big ? _mm_unpacklo_epi8(zero, b) : _mm_unpacklo_epi8(b, zero));
  _mm_storeu_si128((__m128i *)(out + 16), big ? _mm_unpackhi_epi8(zero, b) : _mm_unpackhi_epi8(b, zero));
  return true;
}

ISA FASTIO__INLINE bool narrow(const uint8_t *p, uint8_t *out, bool big) {
  __m128i a = _mm_loadu_si128((const __m128i *)p), b = _mm_loadu_si128((const __m128i *)(p + 16));
  const __m128i others = _mm_set1_epi16((short)(big ? 0x80FF : 0xFF80));
  if (!_mm_testz_si128(_mm_or_si128(a, b), others)) return false;
  if (big) a = _mm_srli_epi16(a, 8), b = _mm_srli_epi16(b, 8);
  _mm_storeu_si128((__m128i *)out, _mm_packus_epi16(a, b));
  return true;
}

#  include "utf16.h"

/* ---- UTF-8 ---- */

typedef __m128i V;
enum { V_SIZE = 16 };
ISA FASTIO__INLINE V v_load(const uint8_t *p) { return _mm_loadu_si128((const __m128i *)p); }
ISA FASTIO__INLINE V v_all(uint8_t byte) { return _mm_set1_epi8((char)byte); }
ISA FASTIO__INLINE V v_or(V a, V b) { return _mm_or_si128(a, b); }
ISA FASTIO__INLINE V v_and(V a, V b) { return _mm_and_si128(a, b); }
ISA FASTIO__INLINE V v_xor(V a, V b) { return _mm_xor_si128(a, b); }
ISA FASTIO__INLINE V v_less(V a, uint8_t byte) { return _mm_subs_epu8(a, v_all(byte)); }
ISA FASTIO__INLINE V v_look(const uint8_t *table, V a) { return _mm_shuffle_epi8(v_load(table), a); }
ISA FASTIO__INLINE V v_low(V a) { return _mm_and_si128(a, v_all(0x0F)); }
ISA FASTIO__INLINE V v_high(V a) { return v_low(_mm_srli_epi16(a, 4)); }
ISA FASTIO__INLINE bool v_any(V a) { return !_mm_testz_si128(a, a); }
ISA FASTIO__INLINE bool v_any_high(V a) { return _mm_movemask_epi8(a) != 0; }

#  include "utf8.h"

const fastio__kernels fastio__sse4 = {
    "sse4",
    fastio__has_sse4,
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
