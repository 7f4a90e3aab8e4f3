/* UTF-8 to UTF-16 and back for the table avx512, after R. Clausecker and D. Lemire, "Transcoding Unicode Characters with
 * AVX-512 Instructions", Software: Practice and Experience 53 (2023): a block's bytes are sorted into kinds, whose masks
 * say at once what is well-formed and where characters end; compressing gathers what makes a unit, or takes out what a
 * character does not need. */
#include "tables.h"

#if FASTIO__X86

#  include "masks.h"

#  include <immintrin.h>

#  define ISA FASTIO__TARGET("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi,bmi2,lzcnt,popcnt")

typedef __m512i block;

ISA FASTIO__INLINE block bytes(unsigned byte) { return _mm512_set1_epi8((char)byte); }
ISA FASTIO__INLINE block units(unsigned unit) { return _mm512_set1_epi16((short)unit); }
ISA FASTIO__INLINE block words(uint32_t word) { return _mm512_set1_epi32((int)word); }

ISA FASTIO__INLINE uint64_t first(size_t count) { return _bzhi_u64(UINT64_MAX, (unsigned)count); }

/* Between the machine's order and the other one. */
ISA FASTIO__INLINE block in_order(block b, bool big) {
  return big ? _mm512_shuffle_epi8(b, _mm512_set4_epi32(0x0e0f0c0d, 0x0a0b0809, 0x06070405, 0x02030001)) : b;
}

/* ---- UTF-8 to UTF-16 ---- */

/* Bytes that start a sequence of two or more, of three or more, of four; and where the first halves
 * of surrogate pairs and where all units end; and faults. */
typedef struct shape {
  uint64_t two, three, four, high, ends, bad;
} shape;

/* Where a second byte of three makes an overlong form or a surrogate. */
ISA FASTIO__INLINE uint64_t bad_of_three(block b) {
  const uint64_t low = _mm512_cmplt_epu8_mask(b, bytes(0xA0));
  const uint64_t e0 = _mm512_cmpeq_epi8_mask(b, bytes(0xE0)), ed = _mm512_cmpeq_epi8_mask(b, bytes(0xED));
  return (e0 << 1 & low) | (ed << 1 & ~low);
}

/* Where a second byte of four makes an overlong form or is beyond U+10FFFF; and bytes that never are. */
ISA FASTIO__INLINE uint64_t bad_of_four(block b) {
  const uint64_t low = _mm512_cmplt_epu8_mask(b, bytes(0x90));
  const uint64_t f0 = _mm512_cmpeq_epi8_mask(b, bytes(0xF0)), f4 = _mm512_cmpeq_epi8_mask(b, bytes(0xF4));
  return (f0 << 1 & low) | (f4 << 1 & ~low) | _mm512_cmpge_epu8_mask(b, bytes(0xF5));
}

/* Units of the characters that are whole and well-formed, up to the first one that is not, and within `there`. A fault is
 * noted where a byte is not what the ones before it ask for, so characters that end before it are well-formed. Not
 * `careful`: second bytes out of the first one's range are left to make_units. */
ISA FASTIO__INLINE shape find_units(block b, uint64_t no_ascii, uint64_t there, bool careful) {
  shape s;
  s.two = _mm512_cmpge_epu8_mask(b, bytes(0xC2));
  s.three = _mm512_cmpge_epu8_mask(b, bytes(0xE0));
  s.four = s.three ? _mm512_cmpge_epu8_mask(b, bytes(0xF0)) : 0;
  const uint64_t continuations = _mm512_cmplt_epi8_mask(b, bytes(0xC0));
  const uint64_t asked = s.two << 1 | s.three << 2 | s.four << 3;
  uint64_t bad = (asked ^ continuations) | (no_ascii & ~(s.two | continuations));
  if (careful && s.three) bad |= bad_of_three(b);
  if (careful && s.four) bad |= bad_of_four(b);
  if (bad) there &= fastio__below(bad);
  s.bad = bad;
  const uint64_t low = s.four << 3 & there;
  s.high = low >> 1;
  s.ends = ((~no_ascii | (s.two & ~s.three) << 1 | (s.three & ~s.four) << 2) & there) | low | s.high;
  return s;
}

/* 32 units from where they end. `bits`: the bytes without what marks them; `three` and `four`, constants: there may be
 * such sequences. Adds to *bad what is overlong, a surrogate or beyond U+10FFFF. */
ISA FASTIO__INLINE block make_units(block bits, __m256i at, uint32_t longer, uint32_t longest, uint32_t high,
                                    uint32_t low, bool three, bool four, uint32_t *bad) {
  const uint64_t lower = UINT64_C(0x5555555555555555);
  const block place = _mm512_cvtepu8_epi16(at);
  block value = _mm512_maskz_permutexvar_epi8(lower, place, bits);
  block second = _mm512_maskz_permutexvar_epi8(lower, _mm512_sub_epi16(place, units(1)), bits);
  second = _mm512_maskz_slli_epi16(longer, second, 6);
  if (!three) return _mm512_or_si512(value, second);
  block third = _mm512_maskz_permutexvar_epi8(lower, _mm512_sub_epi16(place, units(2)), bits);
  third = _mm512_maskz_slli_epi16(longest, third, 12);
  value = _mm512_ternarylogic_epi32(value, second, third, 0xFE);
  const uint32_t of_three = longest & ~high;
  *bad |= _mm512_mask_cmplt_epu16_mask(of_three, value, units(0x800));
  *bad |= _mm512_mask_cmplt_epu16_mask(of_three, _mm512_sub_epi16(value, units(0xD800)), units(0x800));
  if (!four) return value;
  /* The first half has the bits from 6 on of the character, the second half those below 16. */
  value = _mm512_mask_add_epi16(value, high, _mm512_srli_epi16(value, 4), units(0xD7C0));
  *bad |= _mm512_mask_cmpge_epu16_mask(high, _mm512_sub_epi16(value, units(0xD800)), units(0x400));
  const block half = _mm512_or_si512(_mm512_and_si512(value, units(0x3FF)), units(0xDC00));
  return _mm512_mask_mov_epi16(value, low, half);
}

/* Returns how many. 0: some were not well-formed, which only happens where find_units was not careful. */
ISA FASTIO__INLINE size_t put_units(block b, const shape *s, uint64_t no_ascii, uint8_t *out, bool big, bool whole,
                                    bool three, bool four) {
  static const uint8_t places[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                     16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                     32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                     48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
  const size_t count = fastio__popcount64(s->ends);
  uint32_t bad = 0;
  const block at = _mm512_maskz_compress_epi8(s->ends, _mm512_loadu_si512(places));
  const uint64_t longer = _pext_u64(no_ascii, s->ends);
  const uint64_t longest = three ? _pext_u64(s->three << 2, s->ends) : 0;
  const uint64_t high = four ? _pext_u64(s->high, s->ends) : 0, low = high << 1;
  /* What is left of a mark is shifted out of the unit. */
  const block bits = _mm512_mask_mov_epi8(b, no_ascii, _mm512_and_si512(b, bytes(0x3F)));
  const block head = make_units(bits, _mm512_castsi512_si256(at), (uint32_t)longer, (uint32_t)longest, (uint32_t)high,
                                (uint32_t)low, three, four, &bad);
  if (whole) _mm512_storeu_si512(out, in_order(head, big));
  else _mm512_mask_storeu_epi16(out, (uint32_t)first(count), in_order(head, big));
  if (count <= 32) return bad ? 0 : count;
  const block tail = make_units(bits, _mm512_extracti64x4_epi64(at, 1), (uint32_t)(longer >> 32),
                                (uint32_t)(longest >> 32), (uint32_t)(high >> 32), (uint32_t)(low >> 32), three, four,
                                &bad);
  if (whole) _mm512_storeu_si512(out + 64, in_order(tail, big));
  else _mm512_mask_storeu_epi16(out + 64, (uint32_t)(first(count) >> 32), in_order(tail, big));
  return bad ? 0 : count;
}

ISA FASTIO__INLINE uint8_t *put_block(block b, const shape *s, uint64_t no_ascii, uint8_t *out, bool big, bool whole) {
  if (s->three == 0) return out + 2 * put_units(b, s, no_ascii, out, big, whole, false, false);
  if (s->four == 0) return out + 2 * put_units(b, s, no_ascii, out, big, whole, true, false);
  return out + 2 * put_units(b, s, no_ascii, out, big, whole, true, true);
}

ISA FASTIO__INLINE void put_ascii(block b, uint8_t *out, bool big) {
  const block head = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(b));
  const block tail = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(b, 1));
  _mm512_storeu_si512(out, big ? _mm512_slli_epi16(head, 8) : head);
  _mm512_storeu_si512(out + 64, big ? _mm512_slli_epi16(tail, 8) : tail);
}

/* How many bytes before `end` are of a character that goes on behind it. Told by the bytes alone and not by the masks,
 * so that a block need not wait for the one before it. */
FASTIO__INLINE size_t cut_short(const uint8_t *end) {
  return (size_t)(end[-1] >= 0xC0) + 2 * (size_t)(end[-2] >= 0xE0) + 3 * (size_t)(end[-3] >= 0xF0);
}

ISA FASTIO__INLINE size_t to_utf16(const uint8_t **at, const uint8_t *end, uint8_t *out, uint8_t *out_end, bool big) {
  const uint8_t *p = *at;
  uint8_t *q = out;
  while (end - p >= 64 && out_end - q >= 128) {
    const block b = _mm512_loadu_si512(p);
    const uint64_t no_ascii = (uint64_t)_mm512_movepi8_mask(b);
    if (no_ascii == 0) {
      put_ascii(b, q, big);
      p += 64;
      q += 128;
      continue;
    }
    const shape s = find_units(b, no_ascii, UINT64_MAX, false);
    if (FASTIO__UNLIKELY(s.bad != 0)) break;
    uint8_t *behind = put_block(b, &s, no_ascii, q, big, true);
    if (FASTIO__UNLIKELY(behind == q)) break;
    q = behind;
    p += 64 - cut_short(p + 64);
  }
  for (;;) { /* a byte gives one unit at most */
    size_t size = (size_t)(end - p), room = (size_t)(out_end - q) / 2;
    if (size > room) size = room;
    if (size > 64) size = 64;
    const block b = _mm512_maskz_loadu_epi8(first(size), p);
    const uint64_t no_ascii = (uint64_t)_mm512_movepi8_mask(b);
    const shape s = find_units(b, no_ascii, first(size), true);
    if (s.ends == 0) break;
    q = put_block(b, &s, no_ascii, q, big, false);
    p += 64 - fastio__clz64(s.ends);
  }
  *at = p;
  return (size_t)(q - out);
}

ISA size_t fastio__to_utf16_avx512(const uint8_t **at, const uint8_t *end, uint8_t *out, uint8_t *out_end, bool big) {
  return big ? to_utf16(at, end, out, out_end, true) : to_utf16(at, end, out, out_end, false);
}

/* ---- UTF-16 to UTF-8 ---- */

/* Units below U+0800: two bytes each, of which ASCII needs the first. */
ISA FASTIO__INLINE uint8_t *put_short(block b, uint32_t there, uint32_t no_ascii, uint8_t *out) {
  const block lead = _mm512_or_si512(_mm512_srli_epi16(b, 6), units(0x80C0));
  const block pair = _mm512_or_si512(lead, _mm512_slli_epi16(_mm512_and_si512(b, units(0x3F)), 8));
  const uint64_t odd = UINT64_C(0xAAAAAAAAAAAAAAAA), even = ~odd;
  const uint64_t used = _pdep_u64(there, even) | _pdep_u64(there & no_ascii, odd);
  _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(used, _mm512_mask_mov_epi16(b, no_ascii, pair)));
  return out + fastio__popcount64(used);
}

typedef struct surrogates {
  uint32_t high, low;
} surrogates;

/* 16 units, each as its character's bytes with the last one on top; a pair is in the place of its first half. The tops of
 * what marks the bytes say which ones are used. */
ISA FASTIO__INLINE uint8_t *put_words(block c, block next, __mmask16 there, __mmask16 high, __mmask16 low,
                                      uint8_t *out) {
  const __mmask16 one = _mm512_cmplt_epu32_mask(c, words(0x80)), two = _mm512_cmplt_epu32_mask(c, words(0x800));
  block marks = _mm512_mask_mov_epi32(words(0x8080E000), two, words(0x80C00000));
  marks = _mm512_mask_mov_epi32(marks, one, words(0x80000000));
  if (high | low) {
    const block upper = _mm512_add_epi32(_mm512_slli_epi32(c, 10), words(0u - (0xD7C0u << 10) - 0xDC00u));
    c = _mm512_mask_add_epi32(c, high, upper, next);
    marks = _mm512_mask_mov_epi32(marks, high, words(0x808080F0));
  }
  marks = _mm512_maskz_mov_epi32((__mmask16)(there & ~low), marks);
  const block shifts = _mm512_set1_epi64((long long)UINT64_C(0x20262C3200060C12));
  block text = _mm512_multishift_epi64_epi8(shifts, c);
  text = _mm512_ternarylogic_epi32(text, bytes(0x3F), marks, 0xEA); /* (text & 0x3F) | marks */
  text = _mm512_mask_slli_epi32(text, one, c, 24);
  const uint64_t used = (uint64_t)_mm512_movepi8_mask(marks);
  _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(used, text));
  return out + fastio__popcount64(used);
}

ISA FASTIO__INLINE uint8_t *put_long(block b, uint32_t there, surrogates s, uint8_t *out) {
  const block zero = _mm512_setzero_si512();
  const block head = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(b));
  const block tail = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(b, 1));
  out = put_words(head, _mm512_alignr_epi32(tail, head, 1), (__mmask16)there, (__mmask16)s.high, (__mmask16)s.low, out);
  return put_words(tail, _mm512_alignr_epi32(zero, tail, 1), (__mmask16)(there >> 16), (__mmask16)(s.high >> 16),
                   (__mmask16)(s.low >> 16), out);
}

/* One block of which `count` units are there; 128 bytes are writable. Returns how many units it took, up to the first
 * surrogate whose other half is not beside it in the block. */
ISA FASTIO__INLINE size_t give_block(block b, size_t count, uint8_t **out) {
  uint32_t there = (uint32_t)first(count);
  const uint32_t no_ascii = _mm512_test_epi16_mask(b, units(0xFF80));
  if (no_ascii == 0) {
    _mm256_storeu_si256((__m256i *)*out, _mm512_cvtepi16_epi8(b));
    *out += count;
    return count;
  }
  if (_mm512_test_epi16_mask(b, units(0xF800)) == 0) {
    *out = put_short(b, there, no_ascii, *out);
    return count;
  }
  surrogates s;
  const block top = _mm512_and_si512(b, units(0xFC00));
  s.high = _mm512_cmpeq_epi16_mask(top, units(0xD800));
  s.low = _mm512_cmpeq_epi16_mask(top, units(0xDC00));
  const uint32_t bad = (s.high & ~(s.low >> 1)) | (s.low & ~(s.high << 1));
  if (bad) there &= (uint32_t)fastio__below(bad);
  *out = put_long(b, there, s, *out);
  return fastio__popcount64(there);
}

ISA FASTIO__INLINE size_t from_utf16(const uint8_t **at, const uint8_t *end, uint8_t *out, uint8_t *out_end, bool big) {
  const uint8_t *p = *at;
  uint8_t *q = out;
  size_t taken = 1;
  while (taken != 0 && end - p >= 64 && out_end - q >= 128)
    p += 2 * (taken = give_block(in_order(_mm512_loadu_si512(p), big), 32, &q));
  while (taken != 0) { /* a unit gives three bytes at most */
    uint8_t text[128], *text_end = text;
    size_t count = (size_t)(end - p) / 2, room = (size_t)(out_end - q) / 3;
    if (count > room) count = room;
    if (count > 32) count = 32;
    const block b = in_order(_mm512_maskz_loadu_epi16((uint32_t)first(count), p), big);
    p += 2 * (taken = give_block(b, count, &text_end));
    memcpy(q, text, (size_t)(text_end - text));
    q += text_end - text;
  }
  *at = p;
  return (size_t)(q - out);
}

ISA size_t fastio__from_utf16_avx512(const uint8_t **at, const uint8_t *end, uint8_t *out, uint8_t *out_end, bool big) {
  return big ? from_utf16(at, end, out, out_end, true) : from_utf16(at, end, out, out_end, false);
}

#endif
