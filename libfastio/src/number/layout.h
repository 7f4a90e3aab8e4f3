/* layout: what the layouts of floats share. Pieces are copied in fixed sizes, longer than needed: up to 24 bytes behind
 * the text are overwritten. */
#ifndef FASTIO__LAYOUT_H
#define FASTIO__LAYOUT_H

#include "digits16.h"

/* 17 digits, trailing zeros included, without which they are `count`. */
typedef struct fastio__digits17 {
  char first;
  fastio__digits16 rest;
  unsigned count;
} fastio__digits17;

/* `value` is below 10^17. */
FASTIO__INLINE fastio__digits17 fastio__split17(uint64_t value) {
  const uint64_t upper = value / 100000000, first = value / UINT64_C(10000000000000000);
  const fastio__digits16 rest = fastio__make_digits16((uint32_t)(upper - first * 100000000),
                                                      (uint32_t)(value - upper * 100000000));
  return (fastio__digits17){(char)('0' + first), rest, 1 + fastio__trim_digits16(rest)};
}

FASTIO__INLINE void fastio__store64le(void *p, uint64_t word) {
#if FASTIO__BIG_ENDIAN
  word = __builtin_bswap64(word);
#endif
  memcpy(p, &word, 8);
}

/* "e+22", "e-05", "e+308": |exponent| < 1000. Returns its end. */
FASTIO__INLINE char *fastio__put_exponent(int32_t exponent, char *out) {
  const uint32_t size = (uint32_t)(exponent < 0 ? -exponent : exponent);
  const uint32_t hundreds = size * 41 >> 12, below = size - hundreds * 100; /* right for size < 1000 */
  const uint32_t tens = below * 103 >> 10;
  const uint32_t digits = (hundreds | tens << 8 | (below - tens * 10) << 16) + UINT32_C(0x303030);
  const unsigned two = size < 100;
  const uint64_t sign = exponent < 0 ? '-' : '+';
  fastio__store64le(out, 'e' | sign << 8 | (uint64_t)(digits >> 8 * two) << 16);
  return out + 5 - two;
}

/* d.ddde+xx; the first digit stands for 10^power. */
FASTIO__INLINE char *fastio__put_scientific(fastio__digits17 digits, int32_t power, char *out) {
  out[0] = digits.first;
  out[1] = '.';
  fastio__store_digits16(out + 2, digits.rest);
  return fastio__put_exponent(power, out + digits.count + (digits.count > 1));
}

/* 0.000ddd, dd.ddd or ddd000; with `point`, ddd000.0. The first digit stands for 10^power, -4 <= power < 17. */
FASTIO__INLINE char *fastio__put_plain(fastio__digits17 digits, int32_t power, bool point, char *out) {
  if (power < 0) {
    memcpy(out, "0.000000", 8);
    out += 1 - power;
    *out = digits.first;
    fastio__store_digits16(out + 1, digits.rest);
    return out + digits.count;
  }
  const unsigned whole = (unsigned)power + 1;
  *out = digits.first;
  fastio__store_split16(out + 1, digits.rest, (unsigned)power);
  if (point) return out + 1 + (digits.count > whole ? digits.count : whole + 1);
  return out + (digits.count > whole ? digits.count + 1 : whole);
}

/* "-inf", "inf", or "nan" if there is a fraction */
FASTIO__INLINE size_t fastio__put_word(bool negative, uint64_t fraction, char *out) {
  if (fraction) {
    memcpy(out, "nan", 3);
    return 3;
  }
  *out = '-';
  memcpy(out + negative, "inf", 3);
  return 3 + negative;
}

#endif
