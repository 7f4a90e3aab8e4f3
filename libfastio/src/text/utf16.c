/* UTF-8 to UTF-16 and back, as far as the input is well-formed. */
#include "encoding.h"

static void put_unit(uint8_t *out, uint32_t unit, bool big) {
  out[big ? 1 : 0] = (uint8_t)unit;
  out[big ? 0 : 1] = (uint8_t)(unit >> 8);
}

static uint32_t get_unit(const uint8_t *p, bool big) { return (uint32_t)p[big ? 0 : 1] << 8 | p[big ? 1 : 0]; }

size_t fastio__utf8_to_utf16(const uint8_t **at, const uint8_t *end, uint8_t *out, uint8_t *out_end, bool big_endian) {
  fastio__recode *kernel = fastio__simd()->utf8_to_utf16;
  fastio__strip s = {*at, end, out, out_end, 0};
  fastio__stop stop;
  for (;;) {
    s.out += kernel(&s.in, end, s.out, out_end, big_endian);
    if (fastio__utf8_sequence(&s, &stop) == 0) break;
    const uint8_t *next = s.in;
    uint32_t c = fastio__take_utf8(&next);
    if (fastio__strip_room(&s) < (c < 0x10000 ? 2u : 4u)) break;
    s.in = next;
    if (c >= 0x10000) {
      put_unit(s.out, 0xD800 + ((c - 0x10000) >> 10), big_endian);
      c = 0xDC00 + ((c - 0x10000) & 0x3FF);
      s.out += 2;
    }
    put_unit(s.out, c, big_endian);
    s.out += 2;
  }
  *at = s.in;
  return (size_t)(s.out - out);
}

size_t fastio__utf16_to_utf8(const uint8_t **at, const uint8_t *end, uint8_t *out, uint8_t *out_end, bool big_endian) {
  fastio__recode *kernel = fastio__simd()->utf16_to_utf8;
  fastio__strip s = {*at, end, out, out_end, 0};
  for (;;) {
    s.out += kernel(&s.in, end, s.out, out_end, big_endian);
    if (fastio__strip_left(&s) < 2) break;
    uint32_t c = get_unit(s.in, big_endian), low;
    size_t taken = 2;
    if (c >= 0xD800 && c < 0xE000) {
      if (c >= 0xDC00 || fastio__strip_left(&s) < 4) break;
      low = get_unit(s.in + 2, big_endian);
      if (low < 0xDC00 || low > 0xDFFF) break;
      c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
      taken = 4;
    }
    if (fastio__strip_room(&s) < fastio__utf8_size_of(c)) break;
    s.out = fastio__put_utf8(s.out, c);
    s.in += taken;
  }
  *at = s.in;
  return (size_t)(s.out - out);
}

/* Of eight bytes: how many units end their characters, counted in each byte. */
static uint64_t units_of(const uint8_t *p) {
  const uint64_t each = UINT64_C(0x0101010101010101), w = fastio__load64le(p), top = w >> 7, next = w >> 6;
  const uint64_t starts = ~top | next, fours = top & next & w >> 5 & w >> 4;
  return (starts & each) + (fours & each);
}

uint64_t fastio__utf16_size(const uint8_t *utf8, size_t size) {
  const uint64_t low = UINT64_C(0x00FF00FF00FF00FF);
  uint64_t units = 0;
  size_t i = 0;
  while (size - i >= 8) { /* 127 times two at most fit a byte */
    size_t words = (size - i) / 8 < 127 ? (size - i) / 8 : 127;
    uint64_t sums = 0;
    for (; words > 0; words--, i += 8) sums += units_of(utf8 + i);
    sums = (sums & low) + (sums >> 8 & low);
    units += sums * UINT64_C(0x0001000100010001) >> 48;
  }
  for (; i < size; i++) units += (utf8[i] & 0xC0) != 0x80, units += utf8[i] >= 0xF0;
  return 2 * units;
}
