/* The table for 64-bit ARM, all of which has NEON. */
#include "tables.h"

#if FASTIO__NEON

#  include "masks.h"
#  include "token.h"

#  include <arm_neon.h>

#  define ISA

typedef struct block {
  uint8x16_t part[4];
} block;
typedef uint8x16_t table;

ISA FASTIO__INLINE block load(const uint8_t *p) {
  block b;
  for (int i = 0; i < 4; i++) b.part[i] = vld1q_u8(p + 16 * i);
  return b;
}

/* The mask of bytes that are 0xff or 0: a bit of each by its place in eight, added up pairwise three times. */
ISA FASTIO__INLINE uint64_t mask(block b) {
  static const uint8_t places[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  uint8x16_t place = vld1q_u8(places);
  uint8x16_t low = vpaddq_u8(vandq_u8(b.part[0], place), vandq_u8(b.part[1], place));
  uint8x16_t high = vpaddq_u8(vandq_u8(b.part[2], place), vandq_u8(b.part[3], place));
  low = vpaddq_u8(low, high);
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(low, low)), 0);
}

ISA FASTIO__INLINE uint64_t high_bits(block b) {
  for (int i = 0; i < 4; i++) b.part[i] = vcgeq_u8(b.part[i], vdupq_n_u8(0x80));
  return mask(b);
}

ISA FASTIO__INLINE uint64_t equal(block b, uint8_t byte) {
  for (int i = 0; i < 4; i++) b.part[i] = vceqq_u8(b.part[i], vdupq_n_u8(byte));
  return mask(b);
}

ISA FASTIO__INLINE uint64_t digits(block b) {
  for (int i = 0; i < 4; i++) b.part[i] = vcltq_u8(vsubq_u8(b.part[i], vdupq_n_u8('0')), vdupq_n_u8(10));
  return mask(b);
}

ISA FASTIO__INLINE bool table_for(int separator, table *t) {
  uint8_t entries[16];
  if (!fastio__separator_table(separator, entries)) return false;
  *t = vld1q_u8(entries);
  return true;
}

/* An index above 15 looks up 0. */
ISA FASTIO__INLINE uint64_t separators(block b, const table *t) {
  for (int i = 0; i < 4; i++)
    b.part[i] = vceqq_u8(b.part[i], vqtbl1q_u8(*t, vandq_u8(b.part[i], vdupq_n_u8(0x8f))));
  return mask(b);
}

/* 16 zeros and 16 ones: read from the n-th byte on, it keeps the last n of 16. */
static const uint8_t keep_last[32] = {[16] = 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

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
ISA FASTIO__INLINE void sixteens(const uint8_t *const end[2], const unsigned length[2], uint64_t *out) {
  out[0] = sixteen(end[0], length[0]);
  out[1] = sixteen(end[1], length[1]);
}

#  include "walk.h"

#  include "scan.h"

#  include "kernels.h"

static bool always(void) { return true; }

const fastio__kernels fastio__neon = {
  "neon", always, count_byte, count_tokens, ascii_prefix, find_byte, parse_i64, parse_u64, parse_f64, parse_f32,
};

#endif
