/* Integers to text for the table avx512: eight values at a time, each in a 64-bit lane. Their digits are made in all
 * lanes at once and laid out in fields of fixed width. For rows the separator is at a field's end, and compressing the
 * fields takes out what is not used in front; for slots each text is fetched from where it begins. */
#include "tables.h"

#if FASTIO__X86

#  include "lanes512.h"

/* ---- Digits ---- */

/* The last seven digits in the order of text, and a byte behind them. */
ISA FASTIO__INLINE lanes last_in_order(lanes digits) {
  return _mm512_shuffle_epi8(digits, _mm512_set4_epi32(0x0f08090a, 0x0b0c0d0e, 0x07000102, 0x03040506));
}

/* Division by 10^15 and, of values below that, by 10^7: of the powers of two by shifts, of those of five by the upper
 * half of a product of 52 bits. The reciprocals, 2^86 / 5^15 and 2^68 / 5^7 rounded up, are too large by less than
 * 2^-52 of themselves, and the dividends are below 2^49 and 2^43. */
ISA FASTIO__INLINE lanes by_ten_15(lanes value) {
  const lanes product = _mm512_madd52hi_epu64(all(0), _mm512_srli_epi64(value, 15), all(UINT64_C(2535301200456459)));
  return _mm512_srli_epi64(product, 34);
}
ISA FASTIO__INLINE lanes by_ten_7(lanes value) {
  const lanes product = _mm512_madd52hi_epu64(all(0), _mm512_srli_epi64(value, 7), all(UINT64_C(3777893186295717)));
  return _mm512_srli_epi64(product, 16);
}

/* A value's digits: five, eight and the last seven, as split() gives them. The first ones are there from 10^15 on, the
 * middle ones from 10^7 on. */
typedef struct digits {
  lanes first, middle, last;
} digits;

ISA FASTIO__INLINE digits split_middle(lanes value) {
  const lanes middle = by_ten_7(value);
  return (digits){all(0), split(middle), split(_mm512_sub_epi64(value, times(middle, 10000000)))};
}

ISA FASTIO__INLINE digits split_long(lanes value) {
  const lanes first = by_ten_15(value), bits_52 = all((UINT64_C(1) << 52) - 1);
  const lanes product = _mm512_madd52lo_epu64(all(0), first, all(UINT64_C(1000000000000000)));
  digits digits = split_middle(_mm512_and_si512(_mm512_sub_epi64(value, product), bits_52));
  digits.first = split(first);
  return digits;
}

/* a0 b0 a1 b1 ... */
ISA FASTIO__INLINE lanes mix_two(lanes a, lanes b, bool second_half) {
  return second_half ? _mm512_permutex2var_epi64(a, _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4), b)
                     : _mm512_permutex2var_epi64(a, _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0), b);
}

/* a0 b0 c0 a1 b1 c1 ... */
ISA FASTIO__INLINE lanes mix_three(lanes a, lanes b, lanes c, int third) {
  lanes ab;
  switch (third) {
    case 0:
      ab = _mm512_permutex2var_epi64(a, _mm512_set_epi64(10, 2, 0, 9, 1, 0, 8, 0), b);
      return _mm512_mask_permutexvar_epi64(ab, 0x24, _mm512_set_epi64(0, 0, 1, 0, 0, 0, 0, 0), c);
    case 1:
      ab = _mm512_permutex2var_epi64(a, _mm512_set_epi64(5, 0, 12, 4, 0, 11, 3, 0), b);
      return _mm512_mask_permutexvar_epi64(ab, 0x49, _mm512_set_epi64(0, 4, 0, 0, 3, 0, 0, 2), c);
    default:
      ab = _mm512_permutex2var_epi64(a, _mm512_set_epi64(0, 15, 7, 0, 14, 6, 0, 13), b);
      return _mm512_mask_permutexvar_epi64(ab, 0x92, _mm512_set_epi64(7, 0, 0, 6, 0, 0, 5, 0), c);
  }
}

/* How many words of eight bytes hold each of the values with one byte behind the digits and, where it is negative, a
 * sign before them. */
ISA FASTIO__INLINE int words_needed(lanes value, __mmask8 negative) {
  const lanes one = _mm512_mask_mov_epi64(all(10000000), negative, all(1000000));
  const lanes two = _mm512_mask_mov_epi64(all(UINT64_C(1000000000000000)), negative, all(UINT64_C(100000000000000)));
  if (_mm512_cmplt_epu64_mask(value, one) == 0xFF) return 1;
  return _mm512_cmplt_epu64_mask(value, two) == 0xFF ? 2 : 3;
}

/* ---- Rows: fields of one, two or three words with the separator in the last byte ---- */

typedef struct row {
  lanes zeros;    /* '0' */
  lanes end;      /* '0' seven times, and the separator */
  __mmask8 there; /* lanes with a value */
} row;

/* From the first byte of the digits on that is not zero, no byte is zero; before it they are. */
ISA FASTIO__INLINE lanes used_bytes(lanes text) { return _mm512_sub_epi64(all(0), text); }

/* The last of seven digits is used also if it is zero. */
ISA FASTIO__INLINE lanes used_of_last(lanes text) {
  return used_bytes(_mm512_or_si512(text, all(UINT64_C(0x80) << 48)));
}

/* The used bytes as text, the others 0. In negative lanes '-' goes to the byte before the used ones; `next` are the
 * used bytes of the word behind. */
ISA FASTIO__INLINE lanes word(const row *row, lanes text, lanes zeros, lanes used, lanes next, __mmask8 negative) {
  const __mmask64 bytes = _mm512_test_epi8_mask(used, used);
  text = _mm512_maskz_add_epi8(bytes, text, zeros);
  if (row->there != 0xFF) text = _mm512_maskz_mov_epi64(row->there, text);
  if (!negative) return text;
  const lanes longer = _mm512_or_si512(_mm512_srli_epi64(used, 8), _mm512_slli_epi64(next, 56));
  const lanes there = _mm512_maskz_mov_epi64(negative, longer);
  return _mm512_mask_mov_epi8(text, _kandn_mask64(bytes, _mm512_test_epi8_mask(there, there)), _mm512_set1_epi8('-'));
}

/* Writes the bytes that are not 0. */
ISA FASTIO__INLINE char *put(lanes text, char *out) {
  const __mmask64 used = _mm512_test_epi8_mask(text, text);
  _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(used, text));
  return out + _mm_popcnt_u64(used);
}

ISA FASTIO__INLINE char *put_short(const row *row, lanes value, __mmask8 negative, char *out) {
  const lanes last = last_in_order(split(value));
  return put(word(row, last, row->end, used_of_last(last), all(0), negative), out);
}

ISA FASTIO__INLINE char *put_middle(const row *row, lanes value, __mmask8 negative, char *out) {
  const digits digits = split_middle(value);
  const lanes middle = in_order(digits.middle), last = last_in_order(digits.last), full = all(UINT64_MAX);
  const lanes used_last = _mm512_mask_mov_epi64(used_of_last(last), _mm512_test_epi64_mask(middle, middle), full);
  const lanes a = word(row, middle, row->zeros, used_bytes(middle), used_last, negative);
  const lanes b = word(row, last, row->end, used_last, all(0), negative);
  out = put(mix_two(a, b, false), out);
  return put(mix_two(a, b, true), out);
}

ISA FASTIO__INLINE char *put_long(const row *row, lanes value, __mmask8 negative, char *out) {
  const digits digits = split_long(value);
  const lanes first = in_order(digits.first), middle = in_order(digits.middle), last = last_in_order(digits.last);
  const __mmask8 has_first = _mm512_test_epi64_mask(first, first);
  const __mmask8 has_middle = (__mmask8)(has_first | _mm512_test_epi64_mask(middle, middle));
  const lanes used_middle = _mm512_mask_mov_epi64(used_bytes(middle), has_first, all(UINT64_MAX));
  const lanes used_last = _mm512_mask_mov_epi64(used_of_last(last), has_middle, all(UINT64_MAX));
  const lanes a = word(row, first, row->zeros, used_bytes(first), used_middle, negative);
  const lanes b = word(row, middle, row->zeros, used_middle, used_last, negative);
  const lanes c = word(row, last, row->end, used_last, all(0), negative);
  out = put(mix_three(a, b, c, 0), out);
  out = put(mix_three(a, b, c, 1), out);
  return put(mix_three(a, b, c, 2), out);
}

ISA FASTIO__INLINE char *put_eight(const row *row, lanes value, __mmask8 negative, char *out) {
  const int words = words_needed(value, negative);
  if (words == 1) return put_short(row, value, negative, out);
  return words == 2 ? put_middle(row, value, negative, out) : put_long(row, value, negative, out);
}

/* Fewer than eight. */
ISA static FASTIO__NOINLINE char *put_last(row row, const uint64_t *values, size_t count, bool is_signed, char *out) {
  row.there = (__mmask8)_bzhi_u32(0xFF, (unsigned)count);
  const lanes value = _mm512_maskz_loadu_epi64(row.there, values);
  const __mmask8 negative = is_signed ? _mm512_movepi64_mask(value) : 0;
  return put_eight(&row, _mm512_mask_abs_epi64(value, negative, value), negative, out);
}

ISA FASTIO__INLINE size_t put_row(const uint64_t *values, size_t count, bool is_signed, uint8_t separator, char **out) {
  if (separator == 0) return 0; /* zeros mark what is left out */
  const row row = {_mm512_set1_epi8('0'), all((uint64_t)separator << 56 | UINT64_C(0x30303030303030)), 0xFF};
  const size_t whole = count / 8 * 8;
  char *p = *out;
  for (size_t i = 0; i < whole; i += 8) {
    const lanes value = _mm512_loadu_si512(values + i);
    const __mmask8 negative = is_signed ? _mm512_movepi64_mask(value) : 0;
    /* Signs are more work, so that what has none is a case of its own. */
    if (negative) p = put_eight(&row, _mm512_abs_epi64(value), negative, p);
    else p = put_eight(&row, value, 0, p);
  }
  *out = whole == count ? p : put_last(row, values + whole, count - whole, is_signed, p);
  return count;
}

ISA size_t fastio__put_integers_avx512(const uint64_t *values, size_t count, bool is_signed, uint8_t separator,
                                       char **out) {
  return is_signed ? put_row(values, count, true, separator, out) : put_row(values, count, false, separator, out);
}

/* ---- Slots: the same words, kept for a while so that each value can be fetched from its first byte on ---- */

enum { STAGE = 64 };

typedef struct stage {
  char text[STAGE * 24 + 64]; /* a fetch goes beyond the text */
  uint64_t starts[STAGE];
} stage;

/* How many of the eight digits are left without leading zeros, one at least. */
ISA FASTIO__INLINE lanes count_digits(lanes digits) {
  return _mm512_sub_epi64(all(8), _mm512_srli_epi64(_mm512_lzcnt_epi64(_mm512_or_si512(digits, all(1))), 3));
}

/* '-' instead of the zero at a place of the field, if it is in the word that starts at `start`: other shifts give 0. */
ISA FASTIO__INLINE lanes sign(lanes text, lanes place, uint64_t start, __mmask8 negative) {
  const lanes shift = _mm512_slli_epi64(_mm512_sub_epi64(place, all(start)), 3);
  return _mm512_xor_si512(text, _mm512_maskz_sllv_epi64(negative, all('-' ^ '0'), shift));
}

/* Returns the size of their text on the stage. */
ISA FASTIO__INLINE size_t stage_eight(lanes value, __mmask8 there, __mmask8 negative, char *text, uint64_t *starts,
                                      uint64_t at, uint8_t *lengths) {
  const int words = words_needed(value, negative);
  const digits digits = words == 1   ? (struct digits){all(0), all(0), split(value)}
                        : words == 2 ? split_middle(value)
                                     : split_long(value);
  const lanes zeros = _mm512_set1_epi8('0'), size = all((uint64_t)words * 8);
  lanes length = count_digits(digits.last);
  lanes first = zeros, middle = zeros, last = _mm512_or_si512(last_in_order(digits.last), zeros);
  if (words > 1) {
    middle = _mm512_or_si512(in_order(digits.middle), zeros);
    length = _mm512_mask_add_epi64(length, _mm512_test_epi64_mask(digits.middle, digits.middle),
                                   count_digits(digits.middle), all(7));
  }
  if (words > 2) {
    first = _mm512_or_si512(in_order(digits.first), zeros);
    length = _mm512_mask_add_epi64(length, _mm512_test_epi64_mask(digits.first, digits.first),
                                   count_digits(digits.first), all(15));
  }
  if (negative) {
    length = _mm512_mask_add_epi64(length, negative, length, all(1));
    const lanes place = _mm512_sub_epi64(_mm512_sub_epi64(size, all(1)), length);
    last = sign(last, place, (uint64_t)words * 8 - 8, negative);
    if (words > 1) middle = sign(middle, place, (uint64_t)words * 8 - 16, negative);
    if (words > 2) first = sign(first, place, 0, negative);
  }
  if (words == 1) {
    _mm512_storeu_si512(text, last);
  } else if (words == 2) {
    for (int i = 0; i < 2; i++) _mm512_storeu_si512(text + 64 * i, mix_two(middle, last, i));
  } else {
    for (int i = 0; i < 3; i++) _mm512_storeu_si512(text + 64 * i, mix_three(first, middle, last, i));
  }
  const lanes number = _mm512_set_epi64(8, 7, 6, 5, 4, 3, 2, 1);
  const lanes end = _mm512_add_epi64(_mm512_mul_epu32(number, size), all(at - 1));
  _mm512_storeu_si512(starts, _mm512_sub_epi64(end, length));
  _mm512_mask_cvtepi64_storeu_epi8(lengths, there, length);
  return (size_t)words * 64;
}

ISA FASTIO__INLINE size_t put_slots(const uint64_t *values, size_t count, bool is_signed, char *slots, size_t slot,
                                    uint8_t *lengths) {
  stage stage;
  for (size_t done = 0, end; done < count; done = end) {
    end = count - done < STAGE ? count : done + STAGE;
    size_t at = 0;
    for (size_t i = done; i < end; i += 8) {
      const __mmask8 there = (__mmask8)_bzhi_u32(0xFF, (unsigned)(end - i));
      const lanes value = _mm512_maskz_loadu_epi64(there, values + i);
      const __mmask8 negative = is_signed ? _mm512_movepi64_mask(value) : 0;
      char *text = stage.text + at;
      uint64_t *starts = stage.starts + (i - done);
      if (negative) at += stage_eight(_mm512_abs_epi64(value), there, negative, text, starts, at, lengths + i);
      else at += stage_eight(value, there, 0, text, starts, at, lengths + i);
    }
    for (size_t i = 0; i < end - done; i++, slots += slot)
      _mm256_storeu_si256((__m256i *)slots, _mm256_loadu_si256((const __m256i *)(stage.text + stage.starts[i])));
  }
  return count;
}

ISA size_t fastio__put_integer_slots_avx512(const uint64_t *values, size_t count, bool is_signed, char *slots,
                                            size_t slot, uint8_t *lengths) {
  return is_signed ? put_slots(values, count, true, slots, slot, lengths)
                   : put_slots(values, count, false, slots, slot, lengths);
}

#endif
