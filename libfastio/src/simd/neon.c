/* The table for 64-bit ARM, all of which has NEON. */
#include "tables.h"

#if FASTIO__NEON

#  include "cells.h"
#  include "edges.h"
#  include "masks.h"
#  include "token.h"

#  include <arm_neon.h>

#  define ISA

typedef uint8x16x4_t block;
typedef uint8x16_t table;

ISA FASTIO__INLINE block load(const uint8_t *p) {
  block b = {{vld1q_u8(p), vld1q_u8(p + 16), vld1q_u8(p + 32), vld1q_u8(p + 48)}};
  return b;
}

/* The mask of bytes that are 0xff or 0: a bit of each by its place in eight, added up pairwise three times. */
ISA FASTIO__INLINE uint64_t mask(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) {
  static const uint8_t places[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  uint8x16_t place = vld1q_u8(places);
  uint8x16_t low = vpaddq_u8(vandq_u8(a, place), vandq_u8(b, place));
  uint8x16_t high = vpaddq_u8(vandq_u8(c, place), vandq_u8(d, place));
  low = vpaddq_u8(low, high);
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(low, low)), 0);
}

ISA FASTIO__INLINE uint64_t high_bits(block b) {
  uint8x16_t v = vdupq_n_u8(0x80);
  return mask(vcgeq_u8(b.val[0], v), vcgeq_u8(b.val[1], v), vcgeq_u8(b.val[2], v), vcgeq_u8(b.val[3], v));
}

ISA FASTIO__INLINE uint64_t equal(block b, uint8_t byte) {
  uint8x16_t v = vdupq_n_u8(byte);
  return mask(vceqq_u8(b.val[0], v), vceqq_u8(b.val[1], v), vceqq_u8(b.val[2], v), vceqq_u8(b.val[3], v));
}

ISA FASTIO__INLINE uint8x16_t is_digit(uint8x16_t part) {
  return vcltq_u8(vsubq_u8(part, vdupq_n_u8('0')), vdupq_n_u8(10));
}

ISA FASTIO__INLINE uint64_t digits(block b) {
  return mask(is_digit(b.val[0]), is_digit(b.val[1]), is_digit(b.val[2]), is_digit(b.val[3]));
}

ISA FASTIO__INLINE bool table_for(int separator, table *t) {
  uint8_t entries[16];
  if (!fastio__separator_table(separator, entries)) return false;
  *t = vld1q_u8(entries);
  return true;
}

/* An index above 15 looks up 0. */
ISA FASTIO__INLINE uint8x16_t finds_itself(uint8x16_t part, uint8x16_t t) {
  return vceqq_u8(part, vqtbl1q_u8(t, vandq_u8(part, vdupq_n_u8(0x8f))));
}

ISA FASTIO__INLINE uint64_t separators(block b, const table *t) {
  return mask(finds_itself(b.val[0], *t), finds_itself(b.val[1], *t), finds_itself(b.val[2], *t),
              finds_itself(b.val[3], *t));
}

/* 16 zeros and 16 ones: read from the n-th byte on, it keeps the last n of 16. */
static const uint8_t keep_last[32] = {[16] = 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                      0xff,        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

/* Neighbours a, b of 8 bits become a * 10 + b of 16 bits, and so on for pairs and fours. */
ISA FASTIO__INLINE uint64_t sixteen(const uint8_t *end, unsigned length) {
  static const uint8_t tens[16] = {10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1};
  static const uint16_t hundreds[8] = {100, 1, 100, 1, 100, 1, 100, 1};
  uint8x16_t d = vsubq_u8(vld1q_u8(end - 16), vdupq_n_u8('0'));
  d = vandq_u8(d, vld1q_u8(keep_last + (length < 16 ? length : 16)));
  uint8x16_t weighted = vmulq_u8(d, vld1q_u8(tens)); /* at most 90 */
  uint16x8_t pairs = vmulq_u16(vpaddlq_u8(weighted), vld1q_u16(hundreds));
  uint32x4_t fours = vpaddlq_u16(pairs);
  uint32x2_t high = vuzp1_u32(vget_low_u32(fours), vget_high_u32(fours));
  uint32x2_t low = vuzp2_u32(vget_low_u32(fours), vget_high_u32(fours));
  uint32x2_t eights = vmla_n_u32(low, high, 10000);
  return vget_lane_u32(eights, 0) * UINT64_C(100000000) + vget_lane_u32(eights, 1);
}

/* Longer runs count as 16. */
ISA FASTIO__INLINE void sixteens(const uint8_t *end0, unsigned length0, const uint8_t *end1, unsigned length1,
                                 uint64_t *out) {
  out[0] = sixteen(end0, length0);
  out[1] = sixteen(end1, length1);
}

#  include "walk.h"

ISA FASTIO__INLINE void convert_cells(const fastio__cells *cells, fastio__cell_progress *progress, void *out,
                                      fastio__kind kind) {
  fastio__convert_singly(cells, cells->count, progress, out, kind);
}

#  include "scan.h"

#  include "kernels.h"

#  define ASCII_RUN 16

ISA FASTIO__INLINE bool widen(const uint8_t *p, uint8_t *out, bool big) {
  const uint8x16_t b = vld1q_u8(p), zero = vdupq_n_u8(0);
  if (vmaxvq_u8(b) >= 0x80) return false;
  vst1q_u8(out, big ? vzip1q_u8(zero, b) : vzip1q_u8(b, zero));
  vst1q_u8(out + 16, big ? vzip2q_u8(zero, b) : vzip2q_u8(b, zero));
  return true;
}

ISA FASTIO__INLINE bool narrow(const uint8_t *p, uint8_t *out, bool big) {
  const uint8x16_t a = vld1q_u8(p), b = vld1q_u8(p + 16);
  const uint8x16_t even = vuzp1q_u8(a, b), odd = vuzp2q_u8(a, b);
  if (vmaxvq_u8(big ? odd : even) >= 0x80 || vmaxvq_u8(big ? even : odd) != 0) return false;
  vst1q_u8(out, big ? odd : even);
  return true;
}

#  include "utf16.h"

static bool always(void) { return true; }

/* ---- UTF-8 ---- */

typedef uint8x16_t V;
enum { V_SIZE = 16 };
ISA FASTIO__INLINE V v_load(const uint8_t *p) { return vld1q_u8(p); }
ISA FASTIO__INLINE V v_all(uint8_t byte) { return vdupq_n_u8(byte); }
ISA FASTIO__INLINE V v_or(V a, V b) { return vorrq_u8(a, b); }
ISA FASTIO__INLINE V v_and(V a, V b) { return vandq_u8(a, b); }
ISA FASTIO__INLINE V v_xor(V a, V b) { return veorq_u8(a, b); }
ISA FASTIO__INLINE V v_less(V a, uint8_t byte) { return vqsubq_u8(a, v_all(byte)); }
ISA FASTIO__INLINE V v_look(const uint8_t *table, V a) { return vqtbl1q_u8(vld1q_u8(table), a); }
ISA FASTIO__INLINE V v_low(V a) { return vandq_u8(a, v_all(0x0F)); }
ISA FASTIO__INLINE V v_high(V a) { return vshrq_n_u8(a, 4); }
ISA FASTIO__INLINE bool v_any(V a) { return vmaxvq_u8(a) != 0; }
ISA FASTIO__INLINE bool v_any_high(V a) { return vmaxvq_u8(a) >= 0x80; }

#  include "utf8.h"

const fastio__kernels fastio__neon = {
    "neon",
    always,
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
