/* digits: eight ASCII digits at once in a 64-bit word (least significant byte first, as fastio__load64le gives it). */
#ifndef FASTIO__DIGITS_H
#define FASTIO__DIGITS_H

#include "../core/compiler.h"

#define FASTIO__ZEROS UINT64_C(0x3030303030303030) /* "00000000" */

/* 0 if all eight are digits: if the high half of every byte is 3, also after adding 6. */
FASTIO__INLINE uint64_t fastio__non_digits(uint64_t word) {
  const uint64_t high = UINT64_C(0xF0F0F0F0F0F0F0F0);
  return ((word & high) | ((word + UINT64_C(0x0606060606060606)) & high) >> 4) ^ UINT64_C(0x3333333333333333);
}
FASTIO__INLINE bool fastio__are_digits(uint64_t word) { return fastio__non_digits(word) == 0; }

/* Their value: pairs, then both fours of the pairs by multiplications whose middle 32 bits add up. */
FASTIO__INLINE uint32_t fastio__digits_value(uint64_t word) {
  const uint64_t mask = UINT64_C(0x000000FF000000FF);
  word -= FASTIO__ZEROS;
  word = word * 10 + (word >> 8);
  uint64_t upper = (word & mask) * UINT64_C(0x000F424000000064);         /* 100 + 1000000 * 2^32 */
  uint64_t lower = ((word >> 16) & mask) * UINT64_C(0x0000271000000001); /* 1 + 10000 * 2^32 */
  return (uint32_t)((upper + lower) >> 32);
}

/* Shifts by whole bytes, 0 to 8 of them (a shift by 64 has no meaning in C). */
FASTIO__INLINE uint64_t fastio__up_bytes(uint64_t word, size_t n) { return word << (4 * n) << (4 * n); }
FASTIO__INLINE uint64_t fastio__down_bytes(uint64_t word, size_t n) { return word >> (4 * n) >> (4 * n); }

/* The first n bytes (0 to 8) of `word` moved to its end, behind '0's. */
FASTIO__INLINE uint64_t fastio__first_digits(uint64_t word, size_t n) {
  return fastio__up_bytes(word, 8 - n) | fastio__down_bytes(FASTIO__ZEROS, n);
}
/* The last n bytes (0 to 8) of `word`, behind '0's instead of the others. */
FASTIO__INLINE uint64_t fastio__last_digits(uint64_t word, size_t n) {
  uint64_t others = fastio__down_bytes(UINT64_MAX, n);
  return (word & ~others) | (FASTIO__ZEROS & others);
}

FASTIO__INLINE uint32_t fastio__load32le(const uint8_t *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The n bytes (1 to 7) at p at the end of a word, behind '0's; reads nothing else. Two loads may overlap: they agree there. */
FASTIO__INLINE uint64_t fastio__short_word(const uint8_t *p, size_t n) {
  size_t shift = 8 * (8 - n);
  uint64_t fill = FASTIO__ZEROS >> (8 * n);
  if (n >= 4) return fill | (uint64_t)fastio__load32le(p) << shift | (uint64_t)fastio__load32le(p + n - 4) << 32;
  return fill | (uint64_t)p[0] << shift | (uint64_t)p[n / 2] << (shift + 8 * (n / 2)) | (uint64_t)p[n - 1] << 56;
}

/* Behind the last digit from p on. */
FASTIO__INLINE const uint8_t *fastio__skip_digits(const uint8_t *p, const uint8_t *end) {
  while (end - p >= 8 && fastio__are_digits(fastio__load64le(p))) p += 8;
  while (p < end && (uint8_t)(*p - '0') < 10) p++;
  return p;
}

/* Behind the last '0' from p on. */
FASTIO__INLINE const uint8_t *fastio__skip_zeros(const uint8_t *p, const uint8_t *end) {
  while (end - p >= 8 && fastio__load64le(p) == FASTIO__ZEROS) p += 8;
  while (p < end && *p == '0') p++;
  return p;
}

#endif
