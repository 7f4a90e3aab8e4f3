/* Doubles to text for the table avx512, in the shortest form as Python's repr lays it out: what number/format_float.c
 * does, for eight values at a time, each in a 64-bit lane. No jump depends on a value, but for those that need care. */
#include "tables.h"

#if FASTIO__X86

#  include "lanes512.h"

/* ---- The shortest digits ---- */

/* d.dd * 10^power: the first digit, the next eight, and eight more, as an integer each. */
typedef struct decimals {
  lanes first, middle, last, power;
  __mmask8 few; /* 16 digits, so that the first one is 0, and `power` is that of the next */
  __mmask8 unsure;
} decimals;

/* The table's rows for eight powers of ten. Eight loads of both halves are twice as fast as two gathers. */
typedef struct rows {
  lanes upper, lower;
} rows;

ISA FASTIO__INLINE lanes four_rows(const uint64_t *row_of_one, const int64_t *powers) {
  __m128i row[4];
  for (int i = 0; i < 4; i++) row[i] = _mm_loadu_si128((const __m128i *)(row_of_one + 2 * powers[2 * i]));
  const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(row[0]), row[1], 1);
  const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(row[2]), row[3], 1);
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

ISA FASTIO__INLINE rows load_rows(const uint64_t *row_of_one, lanes power) {
  int64_t powers[8];
  _mm512_storeu_si512(powers, power);
  const lanes even = four_rows(row_of_one, powers), odd = four_rows(row_of_one, powers + 1);
  return (rows){_mm512_unpacklo_epi64(even, odd), _mm512_unpackhi_epi64(even, odd)};
}

/* The quick way of format_float.c, in 52 bits. With c = 2^52 + m, and A + B / 2^52 for the row (its 48 bits behind the
 * point, and 52 more), x * 2^48 = (A + B / 2^52) * (2^52 + m) is high * 2^52 + low, less than three units too small: so
 * 48 bits of x's fraction are there to compare with. Sums of two such numbers and of half a row are less than five too
 * small, and so unsure up to four units below what they are compared with. Below a power of two the interval is half as
 * long; unless there is a multiple of ten in it nevertheless, that is for others. */
ISA FASTIO__INLINE decimals shortest(lanes bits, const uint64_t *row_of_one) {
  const lanes mask52 = all((UINT64_C(1) << 52) - 1), mask48 = all((UINT64_C(1) << 48) - 1);
  const lanes m = _mm512_and_si512(bits, mask52), biased = _mm512_and_si512(_mm512_srli_epi64(bits, 52), all(0x7FF));
  const lanes q = _mm512_sub_epi64(biased, all(1075));
  const lanes k = _mm512_srai_epi64(_mm512_mul_epi32(q, all(1262611)), 22);
  const lanes minus_k = _mm512_sub_epi64(_mm512_setzero_si512(), k);
  const lanes log2 = _mm512_srai_epi64(_mm512_mul_epi32(minus_k, all(217706)), 16);
  const lanes shift = _mm512_add_epi64(_mm512_add_epi64(q, log2), all(1)); /* 1 to 4 */
  const rows row = load_rows(row_of_one, minus_k);

  const lanes a = _mm512_srlv_epi64(row.upper, _mm512_sub_epi64(all(16), shift));
  const lanes b = _mm512_and_si512(_mm512_or_si512(_mm512_sllv_epi64(row.upper, _mm512_add_epi64(shift, all(36))),
                                                   _mm512_srlv_epi64(row.lower, _mm512_sub_epi64(all(28), shift))),
                                   mask52);
  const lanes low = _mm512_madd52hi_epu64(_mm512_madd52lo_epu64(b, m, a), m, b);
  const lanes high = _mm512_add_epi64(_mm512_madd52hi_epu64(a, m, a), _mm512_srli_epi64(low, 52));
  const lanes x = _mm512_or_si512(_mm512_slli_epi64(high, 4), _mm512_srli_epi64(_mm512_and_si512(low, mask52), 48));
  const lanes fraction = _mm512_and_si512(low, mask48);

  /* x = upper9 * 10^8 + lower8. x / 256 has 49 bits, and the reciprocal of 10^8 / 256 is exact enough for them. */
  lanes upper9 = _mm512_srli_epi64(
      _mm512_madd52hi_epu64(_mm512_setzero_si512(), _mm512_srli_epi64(x, 8), all(UINT64_C(3022314549036573))), 18);
  lanes lower8 = _mm512_sub_epi64(x, times(upper9, 100000000));
  const lanes tens = times(_mm512_srli_epi64(times(lower8, 0xCCCCCCCD), 35), 10);

  const lanes half = all(UINT64_C(1) << 47), ten = all(UINT64_C(10) << 48), reach = _mm512_srli_epi64(a, 1);
  const lanes below = _mm512_or_si512(_mm512_slli_epi64(_mm512_sub_epi64(lower8, tens), 48), fraction);
  const lanes sum = _mm512_add_epi64(below, reach);
  const __mmask8 is_power = _mm512_testn_epi64_mask(m, m);
  const lanes reach_below = _mm512_mask_srli_epi64(reach, is_power, reach, 1);
  const __mmask8 down = _mm512_cmplt_epu64_mask(below, reach_below), up = _mm512_cmpge_epu64_mask(sum, ten);
  lower8 = _mm512_mask_add_epi64(lower8, _mm512_cmpgt_epu64_mask(fraction, half), lower8, all(1));
  lower8 = _mm512_mask_mov_epi64(lower8, down, tens);
  lower8 = _mm512_mask_add_epi64(lower8, up, tens, all(10));
  const __mmask8 carry = _mm512_cmpeq_epi64_mask(lower8, all(100000000));
  upper9 = _mm512_mask_add_epi64(upper9, carry, upper9, all(1));
  lower8 = _mm512_mask_mov_epi64(lower8, carry, _mm512_setzero_si512());

  decimals d;
  d.first = _mm512_srli_epi64(times(upper9, 0x55E63B89), 57);
  d.middle = _mm512_sub_epi64(upper9, times(d.first, 100000000));
  d.last = lower8;
  d.few = _mm512_testn_epi64_mask(d.first, d.first);
  d.power = _mm512_mask_sub_epi64(_mm512_add_epi64(k, all(16)), d.few, k, all((uint64_t)-15));
  d.unsure = (__mmask8)(_mm512_cmple_epu64_mask(_mm512_add_epi64(_mm512_sub_epi64(below, reach_below), all(3)),
                                                all(4)) |
                        _mm512_cmple_epu64_mask(_mm512_sub_epi64(sum, _mm512_sub_epi64(ten, all(4))), all(4)) |
                        _mm512_cmple_epu64_mask(_mm512_sub_epi64(fraction, _mm512_sub_epi64(half, all(3))), all(3)) |
                        (is_power & ~(down | up)) |
                        _mm512_cmpge_epu64_mask(_mm512_sub_epi64(biased, all(1)), all(0x7FE)));
  return d;
}

/* ---- Text ---- */

/* A value on its way to text. */
typedef struct record {
  uint64_t layout;
  char digits[24]; /* the last 17 are the digits */
} record;

/* The bytes of `layout`, from the lowest on: how many bytes come before the digits ("0.00"); how many digits stand
 * before the point (32: all); where the point is; the size without the exponent; the size of that. */
enum { BEFORE = 8, POINT = 16, SIZE = 24, EXPONENT = 32, UNSURE = 63, BLOCK = 64 };

typedef struct block {
  uint64_t exponents[BLOCK]; /* as text; those that are used */
  record records[BLOCK + 1]; /* the last one may be loaded too */
} block;

/* "e+22", "e-308" */
ISA FASTIO__INLINE lanes exponent_text(lanes power) {
  const lanes size = _mm512_abs_epi64(power);
  const lanes hundreds = _mm512_srli_epi64(times(size, 41), 12), below = _mm512_sub_epi64(size, times(hundreds, 100));
  const lanes tens = _mm512_srli_epi64(times(below, 103), 10), ones = _mm512_sub_epi64(below, times(tens, 10));
  lanes digits = _mm512_or_si512(_mm512_or_si512(hundreds, _mm512_slli_epi64(tens, 8)), _mm512_slli_epi64(ones, 16));
  digits = _mm512_or_si512(digits, all(0x303030));
  digits = _mm512_mask_srli_epi64(digits, _mm512_testn_epi64_mask(hundreds, hundreds), digits, 8);
  const lanes sign = _mm512_mask_mov_epi64(all('e' | '+' << 8), _mm512_movepi64_mask(power), all('e' | '-' << 8));
  return _mm512_or_si512(sign, _mm512_slli_epi64(digits, 16));
}

/* How many of the 17 digits are left without the zeros at their end. */
ISA FASTIO__INLINE lanes count_digits(lanes middle, lanes last) {
  const lanes zeros = _mm512_srli_epi64(_mm512_lzcnt_epi64(last), 3);
  const lanes zeros_of_nine = _mm512_srli_epi64(_mm512_lzcnt_epi64(middle), 3);
  const __mmask8 nine = _mm512_testn_epi64_mask(last, last);
  return _mm512_mask_sub_epi64(_mm512_sub_epi64(all(17), zeros), nine, all(9), zeros_of_nine);
}

/* The layout of numbers with `count` digits, of which the first stands for 10^power. */
ISA FASTIO__INLINE lanes lay_out(lanes count, lanes power, __mmask8 scientific) {
  const lanes one = all(1), whole = _mm512_add_epi64(power, one);
  const __mmask8 small = (__mmask8)(_mm512_movepi64_mask(power) & ~scientific); /* 0.ddd */
  const lanes start = _mm512_maskz_sub_epi64(small, one, power);
  const lanes point = _mm512_mask_mov_epi64(whole, (__mmask8)(scientific | small), one);
  const lanes before = _mm512_mask_mov_epi64(point, small, all(32));
  lanes size = _mm512_add_epi64(_mm512_max_epi64(count, _mm512_add_epi64(whole, one)), one);
  size = _mm512_mask_add_epi64(size, small, count, start);
  size = _mm512_mask_add_epi64(size, scientific, count, one);
  size = _mm512_mask_mov_epi64(size, _mm512_mask_cmpeq_epi64_mask(scientific, count, one), one);
  const lanes exponent = _mm512_mask_mov_epi64(all(4), _mm512_cmpge_epu64_mask(_mm512_abs_epi64(power), all(100)),
                                               all(5));
  lanes layout = _mm512_or_si512(start, _mm512_slli_epi64(before, BEFORE));
  layout = _mm512_or_si512(layout, _mm512_slli_epi64(point, POINT));
  layout = _mm512_or_si512(layout, _mm512_slli_epi64(size, SIZE));
  return _mm512_mask_or_epi64(layout, scientific, layout, _mm512_slli_epi64(exponent, EXPONENT));
}

/* Eight records from their words. */
ISA FASTIO__INLINE void store_records(record *records, lanes layout, lanes first, lanes middle, lanes last) {
  const lanes left_even = _mm512_unpacklo_epi64(layout, first), left_odd = _mm512_unpackhi_epi64(layout, first);
  const lanes right_even = _mm512_unpacklo_epi64(middle, last), right_odd = _mm512_unpackhi_epi64(middle, last);
  const lanes half = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
  const lanes other_half = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  const lanes even02 = _mm512_permutex2var_epi64(left_even, half, right_even);
  const lanes odd13 = _mm512_permutex2var_epi64(left_odd, half, right_odd);
  const lanes even46 = _mm512_permutex2var_epi64(left_even, other_half, right_even);
  const lanes odd57 = _mm512_permutex2var_epi64(left_odd, other_half, right_odd);
  _mm512_storeu_si512(records, _mm512_shuffle_i64x2(even02, odd13, 0x44));
  _mm512_storeu_si512(records + 2, _mm512_shuffle_i64x2(even02, odd13, 0xEE));
  _mm512_storeu_si512(records + 4, _mm512_shuffle_i64x2(even46, odd57, 0x44));
  _mm512_storeu_si512(records + 6, _mm512_shuffle_i64x2(even46, odd57, 0xEE));
}

ISA FASTIO__INLINE void prepare_eight(lanes bits, const uint64_t *row_of_one, block *block, size_t at) {
  const decimals d = shortest(bits, row_of_one);
  /* Sixteen digits move up by one place. */
  const lanes eight = in_order(split(d.middle)), more = in_order(split(d.last)), zeros = _mm512_set1_epi8('0');
  const lanes first = _mm512_mask_slli_epi64(_mm512_slli_epi64(d.first, 56), d.few, eight, 56);
  const lanes middle = _mm512_mask_shrdi_epi64(eight, d.few, eight, more, 8);
  const lanes last = _mm512_mask_srli_epi64(more, d.few, more, 8);
  const __mmask8 scientific = _mm512_cmpge_epu64_mask(_mm512_add_epi64(d.power, all(4)), all(20));
  if (scientific) _mm512_storeu_si512(block->exponents + at, exponent_text(d.power));
  const lanes layout = lay_out(count_digits(middle, last), d.power, scientific);
  store_records(block->records + at, _mm512_mask_or_epi64(layout, d.unsure, layout, all(UINT64_C(1) << UNSURE)),
                _mm512_or_si512(first, zeros), _mm512_or_si512(middle, zeros), _mm512_or_si512(last, zeros));
}

/* Up to BLOCK values. */
ISA FASTIO__INLINE void prepare(const uint64_t *bits, size_t count, const uint64_t *row_of_one, block *block) {
  for (size_t i = 0; i < count; i += 8) {
    const __mmask8 there = (__mmask8)_bzhi_u32(0xFF, (unsigned)(count - i));
    prepare_eight(_mm512_maskz_loadu_epi64(there, bits + i), row_of_one, block, i);
  }
}

/* The digits before the point, and all of them again one place further on; an exponent, even if that is rubbish which
 * what comes next will overwrite. Returns the size. */
ISA FASTIO__INLINE size_t put_record(const block *block, size_t i, uint64_t bits, char *out) {
  const uint64_t layout = block->records[i].layout;
  const char *digits = block->records[i].digits + 7;
  char *start = out + (bits >> 63);
  *out = '-';
  memcpy(start, "0.00000", 8);
  const __m256i text = _mm256_loadu_si256((const __m256i *)digits);
  const __m256i behind = _mm256_loadu_si256((const __m256i *)(digits - 1));
  const __mmask32 before = _bzhi_u32(UINT32_MAX, (uint32_t)(layout >> BEFORE)); /* heeds the lowest byte alone */
  _mm256_storeu_si256((__m256i *)(start + (layout & 0xFF)), _mm256_mask_mov_epi8(behind, before, text));
  start[layout >> POINT & 0xFF] = '.';
  char *end = start + (layout >> SIZE & 0xFF);
  memcpy(end, &block->exponents[i], 8);
  return (size_t)(end - out) + (layout >> EXPONENT & 0xFF);
}

ISA FASTIO__INLINE size_t put_any(const block *block, size_t i, uint64_t bits, const fastio__f64_help *help,
                                  char *out) {
  if (FASTIO__LIKELY(!(block->records[i].layout >> UNSURE))) return put_record(block, i, bits, out);
  double value;
  memcpy(&value, &bits, sizeof value);
  return help->other(value, out);
}

ISA char *fastio__put_f64_avx512(const uint64_t *bits, size_t count, const fastio__f64_help *help,
                                 const char *separator, size_t separator_size, char *out) {
  block block;
  memset(block.exponents, 0, sizeof block.exponents);
  const __m128i between = _mm_loadu_si128((const __m128i *)separator);
  for (size_t done = 0; done < count; done += BLOCK) {
    const size_t size = count - done < BLOCK ? count - done : BLOCK;
    prepare(bits + done, size, help->row_of_one, &block);
    for (size_t i = 0; i < size; i++) {
      out += put_any(&block, i, bits[done + i], help, out);
      _mm_storeu_si128((__m128i *)out, between);
      out += separator_size;
    }
  }
  return out;
}

ISA void fastio__put_f64_slots_avx512(const uint64_t *bits, size_t count, const fastio__f64_help *help, char *slots,
                                      size_t slot, uint8_t *lengths) {
  block block;
  memset(block.exponents, 0, sizeof block.exponents);
  for (size_t done = 0; done < count; done += BLOCK) {
    const size_t size = count - done < BLOCK ? count - done : BLOCK;
    prepare(bits + done, size, help->row_of_one, &block);
    for (size_t i = 0; i < size; i++, slots += slot)
      lengths[done + i] = (uint8_t)put_any(&block, i, bits[done + i], help, slots);
  }
}

#endif
