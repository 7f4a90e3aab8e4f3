/* The table for AVX-512 with the byte permutations (Ice Lake, Zen 4 and later): eight tokens at a time, each in a
 * 64-bit lane. */
#include "tables.h"

#if FASTIO__X86

#  include "cells.h"
#  include "edges.h"
#  include "masks.h"
#  include "token.h"

#  include <immintrin.h>

#  define ISA FASTIO__TARGET("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi,bmi2,lzcnt,popcnt")

typedef __m512i block;
typedef __m512i table;

ISA FASTIO__INLINE block load(const uint8_t *p) { return _mm512_loadu_si512(p); }

/* The compiler would spend instructions of the busiest port on rebuilding constants and on mask arithmetic in mask
 * registers; these tell it to keep them in vector and in general registers. */
#  ifdef __GNUC__
#    define KEEP(v) __asm__("" : "+v"(v))
#    define KEEP_MASK(m) __asm__("" : "+r"(m))
#  else
#    define KEEP(v) ((void)0)
#    define KEEP_MASK(m) ((void)0)
#  endif

ISA FASTIO__INLINE __m512i each8(char x) {
  __m512i v = _mm512_set1_epi8(x);
  KEEP(v);
  return v;
}

/* Of every lane; behind a pointer that the compiler cannot see through, and so loaded and not rebuilt. */
static const struct constants {
  uint64_t zeros, ones, eights, last_eight_places;
  uint64_t weights_of_pairs, weights_of_fours, ten_4, ten_8, ten_16;
  uint64_t one, largest_i64, limit_of_19_digits, limit_of_20_digits, ten_19;
  uint64_t low_byte, fifteen, twenty_two, two_53, bits_below_53, exponent_bits, exponent_53, top_bit, almost_one;
  uint64_t dropped_bits, middle_bits;
  uint64_t nines, top_bits, eight, sixteen, eighteen, nineteen;
} constants = {
    0x3030303030303030,
    0x0101010101010101,
    0x0808080808080808,
    0xfffefdfcfbfaf9f8,
    0x010a010a010a010a,
    0x0001006400010064,
    10000,
    100000000,
    10000000000000000,
    1,
    INT64_MAX,
    999,
    1844,
    UINT64_C(10000000000000000000),
    0xff,
    15,
    22,
    UINT64_C(1) << 53,
    0x7ff,
    UINT64_C(0x7ff) << 52,
    UINT64_C(53) << 52,
    UINT64_C(1) << 63,
    UINT64_C(0x3feffffe00000000), /* the double 1 - 2^-20 */
    0x1fffffff,
    0x10000000,
    0x0909090909090909,
    0x8080808080808080,
    8,
    16,
    18,
    19,
};

ISA FASTIO__INLINE __m512i each(size_t offset) {
  const char *base = (const char *)&constants;
  uint64_t value;
  KEEP_MASK(base);
  memcpy(&value, base + offset, sizeof value);
  return _mm512_set1_epi64((long long)value);
}
#  define EACH(constant) each(offsetof(struct constants, constant))

ISA FASTIO__INLINE uint64_t equal(block b, uint8_t byte) {
  uint64_t m = _mm512_cmpeq_epi8_mask(b, each8((char)byte));
  KEEP_MASK(m);
  return m;
}

ISA FASTIO__INLINE uint64_t digits(block b) {
  uint64_t m = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(b, each8('0')), each8(10));
  KEEP_MASK(m);
  return m;
}

ISA FASTIO__INLINE bool table_for(int separator, table *t) {
  uint8_t entries[16];
  if (!fastio__separator_table(separator, entries)) return false;
  *t = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)entries));
  return true;
}

ISA FASTIO__INLINE uint64_t separators(block b, const table *t) {
  uint64_t m = _mm512_cmpeq_epi8_mask(b, _mm512_shuffle_epi8(*t, b));
  KEEP_MASK(m);
  return m;
}

ISA FASTIO__INLINE uint64_t high_bits(block b) { return _mm512_movepi8_mask(b); }

/* The next block's address waits for it, so take the fast way: compares of narrower registers need not
 * pass through a mask register. */
ISA FASTIO__INLINE const uint8_t *behind_last_separator(const uint8_t *p, const table *t, uint64_t separators) {
  __m256i half = _mm256_loadu_si256((const __m256i *)(p + 32));
  __m256i found = _mm256_cmpeq_epi8(half, _mm256_shuffle_epi8(_mm512_castsi512_si256(*t), half));
  uint32_t m = (uint32_t)_mm256_movemask_epi8(found);
  if (FASTIO__LIKELY(m != 0)) return p + 64 - _lzcnt_u32(m);
  return p + 64 - fastio__clz64(separators);
}

/* ---- eight lanes ---- */

/* The digits of lanes that hold eight of them, most significant first, as numbers: pairs, fours, all. */
ISA FASTIO__INLINE __m512i eight_digits(__m512i d) {
  d = _mm512_maddubs_epi16(d, EACH(weights_of_pairs));
  d = _mm512_madd_epi16(d, EACH(weights_of_fours));
  return _mm512_add_epi64(_mm512_mul_epu32(d, EACH(ten_4)), _mm512_srli_epi64(d, 32));
}

/* Tokens of a block whose digits are fetched lane by lane. */
typedef struct fetcher {
  __m512i digits;   /* of the block as numbers, 0 elsewhere */
  __m512i ends;     /* byte i: the place behind token i */
  __m512i sources;  /* lane i: the places of the eight digits before the ones fetched last */
  __m512i previous; /* lane i: the end of the token before, or any place in the gap: what lies before is not token i */
} fetcher;

ISA FASTIO__INLINE __m512i positions(uint64_t m) {
  return _mm512_maskz_compress_epi8(m, _mm512_set_epi64(0x3f3e3d3c3b3a3938, 0x3736353433323130, 0x2f2e2d2c2b2a2928,
                                                        0x2726252423222120, 0x1f1e1d1c1b1a1918, 0x1716151413121110,
                                                        0x0f0e0d0c0b0a0908, 0x0706050403020100));
}

ISA FASTIO__INLINE size_t store_positions(uint64_t m, uint32_t base, uint32_t *out) {
  __m512i bytes = positions(m), add = _mm512_set1_epi32((int)base);
  size_t count = fastio__popcount64(m);
  for (size_t done = 0;; bytes = _mm512_alignr_epi64(bytes, bytes, 2)) {
    _mm512_storeu_si512(out + done, _mm512_add_epi32(_mm512_cvtepu8_epi32(_mm512_castsi512_si128(bytes)), add));
    done += 16;
    if (FASTIO__LIKELY(done >= count)) return count;
  }
}

/* Turns to the eight tokens that `lanes` spreads. */
ISA FASTIO__INLINE void aim(fetcher *f, __m512i lanes) {
  f->sources = _mm512_add_epi8(_mm512_permutexvar_epi8(lanes, f->ends), EACH(last_eight_places));
  f->previous = _mm512_permutexvar_epi8(_mm512_sub_epi8(lanes, EACH(ones)), f->ends);
}

/* The last eight digits of each token that were not fetched yet. There are at most 33 ends, so that the end before
 * the first one reads as 0; and places before the block are negative. */
ISA FASTIO__INLINE __m512i fetch(fetcher *f) {
  __mmask64 ours = _mm512_cmpge_epi8_mask(f->sources, f->previous);
  __m512i d = _mm512_maskz_permutexvar_epi8(ours, f->sources, f->digits);
  f->sources = _mm512_sub_epi8(f->sources, EACH(eights));
  return eight_digits(d);
}

/* Lanes whose 17th and further digits (`high`) make the value too large for its type. */
ISA FASTIO__INLINE __mmask8 too_large(__m512i value, __m512i high, __mmask8 negative, fastio__kind kind) {
  if (kind == FASTIO__I64) {
    __m512i limit = _mm512_mask_add_epi64(EACH(largest_i64), negative, EACH(largest_i64), EACH(one));
    return _mm512_cmpgt_epu64_mask(value, limit);
  }
  if (kind == FASTIO__U64) { /* 20 digits: above 1844..., or wrapped round */
    __mmask8 twenty = _mm512_cmpgt_epu64_mask(high, EACH(limit_of_19_digits));
    return _mm512_cmpgt_epu64_mask(high, EACH(limit_of_20_digits)) |
           _mm512_mask_cmplt_epu64_mask(twenty, value, EACH(ten_19));
  }
  return _mm512_cmpgt_epu64_mask(high, EACH(limit_of_19_digits)); /* more than 19 digits */
}

/* The lanes' powers of ten out of a table of 23; no exponent is more than `most`, a constant. */
ISA FASTIO__INLINE __m512d powers(const double *p, __m512i exponents, unsigned most) {
  if (most < 8) return _mm512_permutexvar_pd(exponents, _mm512_loadu_pd(p));
  __m512d power = _mm512_permutex2var_pd(_mm512_loadu_pd(p), exponents, _mm512_loadu_pd(p + 8));
  if (most < 16) return power;
  __mmask8 large = _mm512_cmpgt_epu64_mask(exponents, EACH(fifteen));
  return _mm512_mask_permutexvar_pd(power, large, exponents, _mm512_loadu_pd(p + 16));
}

/* Rounds m / 10^d correctly for mantissas beyond 53 bits (and d up to 22), given q = RN(RN(m) / 10^d), which is off
 * by less than two units u of its last place; lanes that this cannot do are added to *hard.
 *
 * Split m into two exact doubles, high (a multiple of 2^11) and low. Then r = (high - q 10^d) + low is the remainder,
 * and is computed by a fused multiply-add with an error below 2^-40 u 10^d. So q + c with c = r / 10^d is the
 * quotient but for 2^-39 u. Rounding it to q' gives the right result unless it is that near the middle between two
 * doubles, that is, unless what was rounded off, c - (q' - q), which is exact, is about u / 2; the test leaves out
 * 2^-20. The argument needs one u, so lanes where q' is a power of two or has left the binade of q are left out as
 * well. */
ISA FASTIO__INLINE __m512d refine(__m512d q, __m512i m, __m512i d, __m512d power, unsigned most, __mmask8 *hard) {
  __m512i low_bits = EACH(bits_below_53);
  __m512d high = _mm512_cvtepu64_pd(_mm512_andnot_si512(low_bits, m)),
          low = _mm512_cvtepu64_pd(_mm512_and_si512(low_bits, m));
  __m512d r = _mm512_add_pd(_mm512_fnmadd_pd(q, power, high), low);
  __m512d c = _mm512_mul_pd(r, powers(fastio__inverse_powers, d, most));
  __m512d rounded = _mm512_add_pd(q, c);
  __m512d off = _mm512_abs_pd(_mm512_sub_pd(c, _mm512_sub_pd(rounded, q)));
  __m512i bits = _mm512_castpd_si512(rounded), exponent = EACH(exponent_bits);
  __m512i binade = _mm512_and_si512(bits, exponent);
  __m512d half = _mm512_castsi512_pd(_mm512_sub_epi64(binade, EACH(exponent_53)));
  *hard |= _mm512_cmp_pd_mask(off, _mm512_mul_pd(half, _mm512_castsi512_pd(EACH(almost_one))), _CMP_GE_OQ) |
           _mm512_cmpeq_epi64_mask(bits, binade) |
           _mm512_cmpneq_epi64_mask(binade, _mm512_and_si512(_mm512_castpd_si512(q), exponent));
  return rounded;
}

/* What cannot be rounded here goes to `rest`. `first` is the number of the token in lane 0. */
ISA static FASTIO__NOINLINE void write_rest(const fastio__batch *job, size_t first, unsigned lanes, __m512i mantissas,
                                            __m512i exponents, unsigned negative) {
  uint64_t mantissa[8], exponent[8];
  uint8_t starts[64], ends[64];
  _mm512_storeu_si512(mantissa, mantissas);
  _mm512_storeu_si512(exponent, exponents);
  _mm512_storeu_si512(starts, positions(job->tokens.starts));
  _mm512_storeu_si512(ends, positions(job->tokens.ends));
  fastio__decimal *decimal = job->rest->items + job->rest->count;
  job->rest->count += fastio__popcount64(lanes);
  for (; lanes != 0; lanes &= lanes - 1, decimal++) {
    unsigned i = fastio__ctz64(lanes);
    decimal->mantissa = mantissa[i];
    decimal->start = job->p + starts[first + i];
    decimal->end = job->p + ends[first + i];
    decimal->exponent = -(int32_t)exponent[i];
    decimal->index = (uint32_t)(job->index + first + i);
    decimal->negative = negative >> i & 1;
  }
}

/* The bits of rounded doubles with their signs. What is in doubt as a float is added to *hard, see fastio__narrow. */
ISA FASTIO__INLINE __m512i signed_bits(fastio__kind kind, __m512d value, __mmask8 negative, __mmask8 *hard) {
  __m512i bits = _mm512_castpd_si512(value);
  bits = _mm512_mask_or_epi64(bits, negative, bits, EACH(top_bit));
  if (kind == FASTIO__F32)
    *hard |= _mm512_cmpeq_epi64_mask(_mm512_and_si512(bits, EACH(dropped_bits)), EACH(middle_bits));
  return bits;
}

/* The bits of eight doubles from mantissas, numbers of decimals and signs: one division of two exact operands rounds
 * correctly, and wider mantissas get a second look. What is still in doubt is added to *hard. No number has more than
 * `digits` of them, and each has fewer decimals; a constant. */
ISA FASTIO__INLINE __m512i round_floats(fastio__kind kind, __m512i mantissas, __m512i exponents, unsigned digits,
                                        __mmask8 negative, __mmask8 *hard) {
  __mmask8 wide = digits > 15 ? _mm512_cmpgt_epu64_mask(mantissas, EACH(two_53)) : 0;
  __m512d power = powers(fastio__exact_powers, exponents, digits - 1);
  __m512d value = _mm512_div_pd(_mm512_cvtepu64_pd(mantissas), power);
  if (wide != 0) {
    value = _mm512_mask_mov_pd(value, wide, refine(value, mantissas, exponents, power, digits - 1, hard));
    *hard &= wide;
  }
  if (digits > 23) *hard |= _mm512_cmpgt_epu64_mask(exponents, EACH(twenty_two));
  return signed_bits(kind, value, negative, hard);
}

/* The same from signed exponents: the larger ones multiply. */
ISA FASTIO__INLINE __m512i round_scaled(fastio__kind kind, __m512i mantissas, __m512i scales, __mmask8 negative,
                                        __mmask8 *hard) {
  __mmask8 wide = _mm512_cmpgt_epu64_mask(mantissas, EACH(two_53)), up = (__mmask8)~_mm512_movepi64_mask(scales);
  __m512i exponents = _mm512_abs_epi64(scales);
  __m512d power = powers(fastio__exact_powers, exponents, 23), exact = _mm512_cvtepu64_pd(mantissas);
  __m512d value = _mm512_mask_mul_pd(_mm512_div_pd(exact, power), up, exact, power);
  if (wide != 0) {
    value = _mm512_mask_mov_pd(value, wide, refine(value, mantissas, exponents, power, 23, hard));
    *hard = (*hard | up) & wide;
  }
  *hard |= _mm512_cmpgt_epu64_mask(exponents, EACH(twenty_two));
  return signed_bits(kind, value, negative, hard);
}

ISA FASTIO__INLINE void store_floats(fastio__kind kind, __m512i bits, void *out, size_t first) {
  if (kind == FASTIO__F64) _mm512_storeu_si512((double *)out + first, bits);
  else _mm256_storeu_ps((float *)out + first, _mm512_cvtpd_ps(_mm512_castsi512_pd(bits)));
}

/* Eight floats of a block. What could not be rounded among the tokens (`valid`) goes to `rest`. */
ISA FASTIO__INLINE void write_floats(const fastio__batch *job, size_t first, __mmask8 valid, __m512i mantissas,
                                     __m512i exponents, __mmask8 negative) {
  __mmask8 hard = 0;
  __m512i bits = round_floats(job->kind, mantissas, exponents, 24, negative, &hard);
  store_floats(job->kind, bits, job->out, first);
  hard &= valid;
  if (FASTIO__UNLIKELY(hard != 0)) write_rest(job, first, hard, mantissas, exponents, negative);
}

/* Eight tokens at a time: each token's last 8 digits in a lane, then, if there are longer ones, the 16 before. Points
 * are squeezed out beforehand, bytes and masks alike, so that floats are integers with a number of decimals.
 *
 * Whether some token has more than 16 digits is hard to foresee in mixed data, and a branch that goes wrong costs
 * more than the work it saves; so after such a token the next blocks are taken to have one too (`deep`). */
ISA FASTIO__INLINE size_t convert(block b, const fastio__batch *job, size_t count, unsigned *deep) {
  const fastio__kind kind = job->kind;
  uint64_t digit_mask = job->classes.digits, ends = job->tokens.ends, splits = job->tokens.splits;
  fetcher f;
  f.digits = _mm512_maskz_sub_epi8(digit_mask, b, EACH(zeros));
  if (FASTIO__IS_FLOAT(kind)) {
    uint64_t kept = ~job->classes.points;
    f.digits = _mm512_maskz_compress_epi8(kept, f.digits);
    digit_mask = _pext_u64(digit_mask, kept);
    ends = _pext_u64(ends, kept);
    splits = _pext_u64(splits, kept);
  }
  f.ends = positions(ends);
  __m512i fractions = FASTIO__IS_FLOAT(kind) ? positions(splits) : _mm512_setzero_si512();
  uint64_t negatives = kind != FASTIO__U64 ? _pext_u64(job->classes.minus, job->tokens.starts) : 0;
  bool over_8 = fastio__runs_of_9(digit_mask) != 0;
  *deep = fastio__runs_of(digit_mask, 17) != 0 ? 32 : *deep - (*deep > 0);
  __m512i lanes = _mm512_set_epi64(0x0707070707070707, 0x0606060606060606, 0x0505050505050505, 0x0404040404040404,
                                   0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
  for (size_t done = 0;;) {
    aim(&f, lanes);
    __mmask8 negative = (__mmask8)negatives, bad = 0;
    __m512i value = fetch(&f);
    if (over_8) {
      value = _mm512_add_epi64(value, _mm512_mul_epu32(fetch(&f), EACH(ten_8)));
      if (*deep != 0) {
        __m512i high = fetch(&f);
        value = _mm512_add_epi64(value, _mm512_mullo_epi64(high, EACH(ten_16)));
        bad = too_large(value, high, negative, kind); /* never a lane without a token, which is 0 */
      }
    }
    if (FASTIO__IS_FLOAT(kind)) {
      __mmask8 valid = (__mmask8)_bzhi_u32(0xff, (unsigned)(count - done));
      if (FASTIO__UNLIKELY(bad != 0)) valid &= (__mmask8)(fastio__below(bad));
      __m512i decimals = _mm512_sub_epi8(_mm512_permutexvar_epi8(lanes, f.ends),
                                         _mm512_permutexvar_epi8(lanes, fractions));
      write_floats(job, done, valid, value, _mm512_and_si512(decimals, EACH(low_byte)), negative);
    } else {
      if (kind == FASTIO__I64) value = _mm512_mask_sub_epi64(value, negative, _mm512_setzero_si512(), value);
      _mm512_storeu_si512((uint64_t *)job->out + done, value);
    }
    if (FASTIO__UNLIKELY(bad != 0)) return done + fastio__ctz64(bad);
    done += 8;
    if (FASTIO__LIKELY(done >= count)) return count;
    negatives >>= 8;
    lanes = _mm512_add_epi8(lanes, EACH(eights));
  }
}

#  include "lanes.h"

#  include "scan.h"

#  include "kernels.h"

/* ---- UTF-8 ---- */

typedef __m512i V;
enum { V_SIZE = 64 };
ISA FASTIO__INLINE V v_load(const uint8_t *p) { return _mm512_loadu_si512(p); }
ISA FASTIO__INLINE V v_all(uint8_t byte) { return _mm512_set1_epi8((char)byte); }
ISA FASTIO__INLINE V v_or(V a, V b) { return _mm512_or_si512(a, b); }
ISA FASTIO__INLINE V v_and(V a, V b) { return _mm512_and_si512(a, b); }
ISA FASTIO__INLINE V v_xor(V a, V b) { return _mm512_xor_si512(a, b); }
ISA FASTIO__INLINE V v_less(V a, uint8_t byte) { return _mm512_subs_epu8(a, v_all(byte)); }
ISA FASTIO__INLINE V v_look(const uint8_t *table, V a) {
  return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)table)), a);
}
ISA FASTIO__INLINE V v_low(V a) { return _mm512_and_si512(a, v_all(0x0F)); }
ISA FASTIO__INLINE V v_high(V a) { return v_low(_mm512_srli_epi16(a, 4)); }
ISA FASTIO__INLINE bool v_any(V a) { return _mm512_test_epi8_mask(a, a) != 0; }
ISA FASTIO__INLINE bool v_any_high(V a) { return _mm512_movepi8_mask(a) != 0; }

#  include "utf8.h"

const fastio__kernels fastio__avx512 = {
    "avx512",
    fastio__has_avx512,
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
    fastio__put_integers_avx512,
    fastio__put_integer_slots_avx512,
    fastio__put_f64_avx512,
    fastio__put_f64_slots_avx512,
    fastio__to_utf16_avx512,
    fastio__from_utf16_avx512,
};

#endif
