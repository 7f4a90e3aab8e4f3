/* digits: eight ASCII digits at once in a 64-bit word, as values: the first byte in memory is the least
 * significant, and '0' is 0. Shifting such a word up by bytes puts zeros in front of the number. */
#ifndef FASTIO__DIGITS_H
#define FASTIO__DIGITS_H

#include "../core/compiler.h"

#define FASTIO__EACH_BYTE UINT64_C(0x0101010101010101)

FASTIO__INLINE uint64_t fastio__load_digits(const uint8_t *p) { return fastio__load64le(p) ^ FASTIO__EACH_BYTE * '0'; }

/* The n bytes (1 to 7) at p, as the last ones of a word; reads nothing else. Where two of the loads overlap, they
 * agree. */
FASTIO__INLINE uint64_t fastio__load_few_digits(const uint8_t *p, size_t n) {
  const size_t shift = 8 * (8 - n);
  uint64_t word;
  if (n >= 4) {
    const uint8_t *q = p + n - 4;
    const uint32_t first = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    const uint32_t last = (uint32_t)q[0] | (uint32_t)q[1] << 8 | (uint32_t)q[2] << 16 | (uint32_t)q[3] << 24;
    word = (uint64_t)first << shift | (uint64_t)last << 32;
  } else {
    word = (uint64_t)p[0] << shift | (uint64_t)p[n / 2] << (shift + 8 * (n / 2)) | (uint64_t)p[n - 1] << 56;
  }
  return word ^ (FASTIO__EACH_BYTE * '0') << shift;
}

/* 0 if each byte is 0 to 9: only those have their highest bit clear also after adding 0x76. (A carry out of a byte
 * comes from one that is a fault itself.) */
FASTIO__INLINE uint64_t fastio__digit_faults(uint64_t word) {
  return ((word + FASTIO__EACH_BYTE * 0x76) | word) & FASTIO__EACH_BYTE * 0x80;
}

/* The number that eight digits make: neighbours together to pairs, pairs to fours, fours to eight. Each
 * multiplication adds the left one times a power of ten to the right one. */
FASTIO__INLINE uint32_t fastio__digits_value(uint64_t word) {
  word = word * (1 + (10 << 8)) >> 8;
  word = (word & UINT64_C(0x00FF00FF00FF00FF)) * (1 + (100 << 16)) >> 16;
  return (uint32_t)((word & UINT64_C(0x0000FFFF0000FFFF)) * (1 + (UINT64_C(10000) << 32)) >> 32);
}

/* The three digits of 0 to 999, in the lower bytes. */
FASTIO__HIDDEN extern const uint32_t fastio__threes[1000];

/* The other way: the eight digits of a number below 10^8, as two and three and three. The quotients by 1000 are exact
 * for all numbers of 32 bits and for those below 490000. */
FASTIO__INLINE uint64_t fastio__value_digits(uint32_t value) {
  const uint32_t thousands = (uint32_t)(value * UINT64_C(274877907) >> 38);
  const uint32_t millions = (uint32_t)(thousands * UINT64_C(67109) >> 26);
  return (uint64_t)fastio__threes[millions] >> 8 | (uint64_t)fastio__threes[thousands - millions * 1000] << 16 |
         (uint64_t)fastio__threes[value - thousands * 1000] << 40;
}

FASTIO__INLINE void fastio__store_digits(void *p, uint64_t word) {
  word ^= FASTIO__EACH_BYTE * '0';
#if FASTIO__BIG_ENDIAN
  word = __builtin_bswap64(word);
#endif
  memcpy(p, &word, 8);
}

FASTIO__INLINE bool fastio__is_digit(uint8_t c) { return (uint8_t)(c - '0') < 10; }

/* 1 or 0. Not by a comparison: compilers store its result in one byte of a register, and if that held the last
 * number's result, this number waits for it. */
FASTIO__INLINE unsigned fastio__is_minus(uint8_t c) { return ((unsigned)(c ^ '-') - 1) >> 31; }

/* Behind the last digit from p on. */
FASTIO__INLINE const uint8_t *fastio__skip_digits(const uint8_t *p, const uint8_t *end) {
  while (end - p >= 8 && !fastio__digit_faults(fastio__load_digits(p))) p += 8;
  while (p < end && fastio__is_digit(*p)) p++;
  return p;
}

/* Behind the last '0' from p on. */
FASTIO__INLINE const uint8_t *fastio__skip_zeros(const uint8_t *p, const uint8_t *end) {
  while (end - p >= 8 && fastio__load_digits(p) == 0) p += 8;
  while (p < end && *p == '0') p++;
  return p;
}

#endif
