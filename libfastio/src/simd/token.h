/* One number at a time with 64-bit words (SWAR): the whole of the scalar table, and what the vector kernels fall back
 * on between two blocks. Private to simd. */
#ifndef FASTIO__TOKEN_H
#define FASTIO__TOKEN_H

#include "simd.h"

#include <float.h>

#define FASTIO__EACH_BYTE UINT64_C(0x0101010101010101)

/* How a kernel was asked to cut its input. `separator` < 0: runs of white space. Otherwise one `separator`, '\n' or
 * "\r\n". */
FASTIO__INLINE bool fastio__separator_is_plain(int separator) {
  /* A separator that can be part of a number, or of a line's end, leaves too much to think about here. */
  return separator < 0 || (separator < 256 && strchr("0123456789+-.eE\r", separator) == NULL);
}

/* Eight bytes, first byte least significant, each XORed with '0': how many of the first are digits (0 to 8). Adding
 * 0x76 lifts 10 and more to the top bit; a carry out of a byte can only disturb those behind the first non-digit. */
FASTIO__INLINE unsigned fastio__digit_run(uint64_t x) {
  uint64_t other = ((x + 0x76 * FASTIO__EACH_BYTE) | x) & 0x80 * FASTIO__EACH_BYTE;
  return other != 0 ? fastio__ctz64(other) >> 3 : 8;
}

/* The value of eight digits (as numbers 0 to 9, the first least significant): pairs, fours, all. */
FASTIO__INLINE uint64_t fastio__eight_digits(uint64_t x) {
  x = x * 10 + (x >> 8);
  return ((x & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
          ((x >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
         32;
}

/* Appends the digits at `p` to *value (modulo 2^64) and returns how many; gives up after 24, having read at most 32
 * bytes. */
FASTIO__INLINE unsigned fastio__take_digits(const uint8_t *p, uint64_t *value) {
  static const uint32_t powers[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  unsigned total = 0, n;
  do {
    uint64_t x = fastio__load64le(p + total) ^ '0' * FASTIO__EACH_BYTE;
    n = fastio__digit_run(x);
    if (n == 0) break;
    *value = *value * powers[n] + fastio__eight_digits(x << (64 - 8 * n));
    total += n;
  } while (n == 8 && total < 24);
  return total;
}

/* White space, or blanks in front of a field's value. */
FASTIO__INLINE const uint8_t *fastio__skip_blanks(const uint8_t *p, const uint8_t *end, int separator) {
  if (separator < 0)
    while (p < end && fastio__is_space(*p)) p++;
  else
    while (p < end && (*p == ' ' || *p == '\t') && *p != separator) p++;
  return p;
}

/* Whether the value that ends at p ends its field; then *next is where the kernel goes on: at white space or behind
 * the one separator. */
FASTIO__INLINE bool fastio__field_ends(const uint8_t *p, const uint8_t *end, int separator, const uint8_t **next) {
  if (p > end) return false;
  if (separator < 0) {
    *next = p;
    return fastio__is_space(*p);
  }
  if (p < end && *p != separator) p = fastio__skip_blanks(p, end, separator);
  if (p == end) return false; /* so that *next stays within the window */
  if (*p == '\r' && p + 1 < end && p[1] == '\n') p++;
  *next = p + 1;
  return *p == separator || *p == '\n';
}

/* The integer at *at, which is before `end`, as its two's complement. False: stop here. */
FASTIO__INLINE bool fastio__take_integer(const uint8_t **at, const uint8_t *end, int separator, bool is_signed,
                                         uint64_t *value) {
  const uint8_t *p = *at, *next;
  bool negative = is_signed && *p == '-';
  p += negative || *p == '+';
  uint64_t magnitude = 0;
  unsigned count = fastio__take_digits(p, &magnitude);
  if (count == 0 || count > 19 || !fastio__field_ends(p + count, end, separator, &next)) return false;
  if (is_signed && magnitude > (uint64_t)INT64_MAX + negative) return false;
  *value = negative ? 0 - magnitude : magnitude;
  *at = next;
  return true;
}

/* How many zeros lead the digits from p to end, which may have a '.' among them. */
FASTIO__INLINE unsigned fastio__leading_zeros(const uint8_t *p, const uint8_t *end) {
  unsigned zeros = 0;
  for (; p < end && (*p == '0' || *p == '.'); p++) zeros += *p == '0';
  return zeros;
}

/* The float at *at, which is before `end`, taken apart (all but decimal->index). Reads at most 62 bytes from *at: a
 * sign, twice 24 digits and the 8 behind them, a point, an 'e' and its sign, 4 digits. False: stop here. */
FASTIO__INLINE bool fastio__take_decimal(const uint8_t **at, const uint8_t *end, int separator,
                                         fastio__decimal *decimal) {
  const uint8_t *p = *at, *next;
  decimal->start = p;
  decimal->negative = *p == '-';
  p += *p == '-' || *p == '+';
  const uint8_t *digits = p;
  uint64_t mantissa = 0;
  unsigned count = fastio__take_digits(p, &mantissa), fraction = 0;
  if (count == 24) return false;
  p += count;
  if (*p == '.') {
    fraction = fastio__take_digits(++p, &mantissa);
    if (fraction == 24) return false;
    p += fraction;
    count += fraction;
  }
  if (count == 0) return false;
  if (count > 19 && count - fastio__leading_zeros(digits, p) > 19) return false;
  decimal->mantissa = mantissa;
  decimal->exponent = -(int32_t)fraction;
  if ((*p | 0x20) == 'e') {
    bool negative = *++p == '-';
    p += negative || *p == '+';
    int32_t exponent = 0;
    unsigned n = 0;
    for (; n < 4 && (uint8_t)(p[n] - '0') < 10; n++) exponent = exponent * 10 + (p[n] - '0');
    if (n == 0) return false;
    p += n;
    decimal->exponent += negative ? -exponent : exponent;
  }
  decimal->end = p;
  if (!fastio__field_ends(p, end, separator, &next)) return false;
  *at = next;
  return true;
}

/* Powers of ten that 64 bits hold. */
static const uint64_t fastio__integer_powers[20] = {
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    10000000000,
    100000000000,
    1000000000000,
    10000000000000,
    100000000000000,
    1000000000000000,
    10000000000000000,
    100000000000000000,
    1000000000000000000,
    UINT64_C(10000000000000000000),
};

/* Powers of ten that a double holds exactly, 0 to 22, and one filler: vectors load eight at a time. */
static const double fastio__exact_powers[24] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static const double fastio__inverse_powers[24] = {1e-0,  1e-1,  1e-2,  1e-3,  1e-4,  1e-5,  1e-6,  1e-7,
                                                  1e-8,  1e-9,  1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15,
                                                  1e-16, 1e-17, 1e-18, 1e-19, 1e-20, 1e-21, 1e-22};

/* Both operands are exact, so the one operation rounds correctly. False: not that easy. */
FASTIO__INLINE bool fastio__round_easily(const fastio__decimal *decimal, double *value) {
#if FLT_EVAL_METHOD != 0
  if (true) return false; /* this machine computes with more bits and would round twice */
#endif
  int32_t exponent = decimal->exponent;
  if (decimal->mantissa > UINT64_C(1) << 53 || exponent < -22 || exponent > 22) return false;
  double mantissa = (double)(int64_t)decimal->mantissa;
  double magnitude = exponent < 0 ? mantissa / fastio__exact_powers[-exponent]
                                  : mantissa * fastio__exact_powers[exponent];
  *value = decimal->negative ? -magnitude : magnitude;
  return true;
}

/* From a correctly rounded double to a float. Rounding a second time is right unless the double sits exactly on the
 * middle between two floats, where the first rounding may have hidden on which side of it the number lies. (Middles
 * of normal floats are doubles with the 29 lowest bits 100...0; fastio__round_easily cannot reach the subnormal ones,
 * below 2^-126.) */
FASTIO__INLINE bool fastio__narrow(double value, float *out) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  *out = (float)value;
  return (bits & 0x1fffffff) != 0x10000000;
}

/* Writes the value if it can be rounded here. */
FASTIO__INLINE bool fastio__write_easily(const fastio__decimal *decimal, bool is_float32, void *out) {
  double value;
  if (!fastio__round_easily(decimal, &value)) return false;
  if (is_float32) {
    float narrow;
    if (!fastio__narrow(value, &narrow)) return false;
    memcpy(out, &narrow, sizeof narrow);
  } else {
    memcpy(out, &value, sizeof value);
  }
  return true;
}

#endif
