/* Floats in C's notations, without flags: fixed, scientific, general and hexadecimal. */
#include "format.h"
#include "layout.h"
#include "scale.h"

static bool is_finite(uint64_t bits) { return (bits & FASTIO__ABSOLUTE) < UINT64_C(0x7FF0000000000000); }

/* Neither zero nor subnormal, infinite or NaN. */
FASTIO__INLINE bool is_normal(uint64_t bits) { return (bits >> 52 & 0x7FF) - 1 < 0x7FE; }

FASTIO__INLINE fastio__normal normal(uint64_t bits) {
  return (fastio__normal){bits << 11 | UINT64_C(1) << 63, (int32_t)(bits >> 52 & 0x7FF) - 1086};
}

FASTIO__INLINE char *put_sign(uint64_t bits, char *out) {
  *out = '-';
  return out + (bits >> 63);
}

/* `count` zeros */
static char *put_zeros(char *out, size_t count) {
  memset(out, '0', count);
  return out + count;
}

/* ---- Fixed ---- */

/* Any number of places, from the exact digits. */
static char *put_fixed_long(double value, size_t places, char *out) {
  char digits[FASTIO__EXACT_MAX];
  int32_t exponent = 0;
  const size_t count = fastio__exact_places(value, places, digits, &exponent);
  size_t whole = 0, behind = 0; /* digits before the point; zeros between it and the first digit */
  if (count && exponent >= 0) {
    whole = (size_t)exponent + 1;
    memcpy(out, digits, whole);
    out += whole;
  } else {
    *out++ = '0';
    behind = count ? (size_t)(-exponent - 1) : places;
  }
  if (places == 0) return out;
  *out++ = '.';
  out = put_zeros(out, behind);
  memcpy(out, digits + whole, count - whole);
  return put_zeros(out + (count - whole), places - behind - (count - whole));
}

/* A number of up to 16 digits, without leading zeros (0 is "0"), '.' and `places` decimals, 0 to 16. */
FASTIO__INLINE char *put_fixed(uint64_t whole, uint64_t decimals, unsigned places, char *out) {
  if (FASTIO__LIKELY(whole < 100000000 && places <= 8)) {
    const fastio__digits16 digits = fastio__make_digits16((uint32_t)whole,
                                                          (uint32_t)(decimals * fastio__ten_to[8 - places]));
    const uint64_t word = fastio__upper_digits(digits);
    const unsigned zeros = fastio__ctz64(word | UINT64_C(1) << 56) / 8;
    fastio__store_digits(out, word >> 8 * zeros);
    out += 8 - zeros;
    *out = '.';
    fastio__store_lower_digits(out + 1, digits);
  } else {
    const unsigned count = fastio__count_digits(whole);
    fastio__write_digits(whole, count, out);
    out += count;
    decimals *= fastio__ten_to[16 - places];
    const uint64_t upper = decimals / 100000000;
    *out = '.';
    fastio__store_digits16(out + 1, fastio__make_digits16((uint32_t)upper, (uint32_t)(decimals - upper * 100000000)));
  }
  return out + places + (places > 0);
}

enum { FIXED_PLACES = 16 };

/* Very small and large values, zero, infinities, NaN, and many places. */
static FASTIO__NOINLINE size_t format_fixed_other(double value, size_t places, char *out) {
  const uint64_t bits = fastio__bits_f64(value), absolute = bits & FASTIO__ABSOLUTE;
  if (!is_finite(bits)) return fastio__put_word(bits >> 63, bits << 12, out);
  char *start = put_sign(bits, out);
  uint64_t number = 0;
  if (places > FIXED_PLACES || (absolute && !fastio__scale(fastio__normalize(absolute), (int32_t)places, &number)))
    return (size_t)(put_fixed_long(value, places, start) - out);
  const uint64_t whole = number / fastio__ten_to[places];
  return (size_t)(put_fixed(whole, number - whole * fastio__ten_to[places], (unsigned)places, start) - out);
}

/* From 2^-12 to 2^53: the point is within the mantissa, or so little before it that the fraction fits 64 bits. Times
 * 10^places, its upper 64 bits are the decimals and the lower ones exactly what is left. */
size_t fastio__format_fixed(double value, size_t places, char *out) {
  const uint64_t bits = fastio__bits_f64(value);
  const uint32_t shift = 1075 - ((uint32_t)(bits >> 52) & 0x7FF); /* value = mantissa / 2^shift */
  if (FASTIO__UNLIKELY(shift - 1 >= 64 || places > FIXED_PLACES)) return format_fixed_other(value, places, out);
  const uint64_t mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
  uint64_t whole = mantissa >> 1 >> (shift - 1);
  const fastio__wide scaled = fastio__multiply_wide(mantissa << (64 - shift), fastio__ten_to[places]);
  const uint64_t half = UINT64_C(1) << 63;
  uint64_t decimals = scaled.high + (scaled.low >> 63);
  /* A tie stays at an even last digit: that of the decimals, or of the integer if there are none. */
  if (FASTIO__UNLIKELY(scaled.low == half)) decimals = scaled.high + ((places ? scaled.high : whole) & 1);
  const bool carry = decimals == fastio__ten_to[places];
  whole += carry;
  decimals = carry ? 0 : decimals;
  return (size_t)(put_fixed(whole, decimals, (unsigned)places, put_sign(bits, out)) - out);
}

/* ---- Scientific ---- */

/* digits[0] . digits[1...] with `places` digits behind the point */
static char *put_scientific_text(const char *digits, size_t count, size_t places, int32_t exponent, char *out) {
  *out++ = digits[0];
  if (places) {
    *out++ = '.';
    memcpy(out, digits + 1, count - 1);
    out = put_zeros(out + count - 1, places + 1 - count);
  }
  return fastio__put_exponent(exponent, out);
}

static FASTIO__NOINLINE size_t format_scientific_other(double value, size_t places, char *out) {
  const uint64_t bits = fastio__bits_f64(value);
  if (!is_finite(bits)) return fastio__put_word(bits >> 63, bits << 12, out);
  char digits[FASTIO__EXACT_MAX] = "0";
  int32_t exponent = 0;
  const size_t count = fastio__exact_significant(value, places + 1, digits, &exponent);
  return (size_t)(put_scientific_text(digits, count ? count : 1, places, exponent, put_sign(bits, out)) - out);
}

/* All 19 digits are written; the exponent overwrites those not asked for. */
size_t fastio__format_scientific(double value, size_t places, char *out) {
  const uint64_t bits = fastio__bits_f64(value);
  uint64_t number;
  int32_t exponent;
  if (FASTIO__UNLIKELY(!is_normal(bits) || places >= FASTIO__SCALE_DIGITS) ||
      !fastio__scale_digits_easily(normal(bits), (unsigned)places + 1, &number, &exponent))
    return format_scientific_other(value, places, out);
  number *= fastio__ten_to[FASTIO__SCALE_DIGITS - 1 - places];
  const uint64_t e16 = UINT64_C(10000000000000000), first = number / e16;
  const uint64_t rest = number - first * e16, upper = rest / 100000000;
  const uint32_t hundreds = (uint32_t)first * 41 >> 12, below = (uint32_t)first - hundreds * 100;
  const uint32_t tens = below * 103 >> 10;
  char *end = put_sign(bits, out);
  fastio__store64le(end, (hundreds | '.' << 8 | tens << 16 | (below - tens * 10) << 24) + UINT32_C(0x30300030));
  fastio__store_digits16(end + 4, fastio__make_digits16((uint32_t)upper, (uint32_t)(rest - upper * 100000000)));
  end += places + 1 + (places > 0);
  return (size_t)(fastio__put_exponent(exponent, end) - out);
}

/* ---- General ---- */

static FASTIO__NOINLINE size_t format_general_other(double value, size_t significant, char *out) {
  const uint64_t bits = fastio__bits_f64(value);
  if (!is_finite(bits)) return fastio__put_word(bits >> 63, bits << 12, out);
  char digits[FASTIO__EXACT_MAX] = "0", *end = put_sign(bits, out);
  int32_t exponent = 0;
  size_t count = fastio__exact_significant(value, significant, digits, &exponent);
  while (count > 1 && digits[count - 1] == '0') count--;
  if (count == 0) count = 1;
  if (exponent < -4 || exponent >= (int64_t)significant)
    return (size_t)(put_scientific_text(digits, count, count - 1, exponent, end) - out);
  const size_t whole = exponent < 0 ? 0 : (size_t)exponent + 1, shared = whole < count ? whole : count;
  if (whole == 0) *end++ = '0';
  memcpy(end, digits, shared);
  end = put_zeros(end + shared, whole - shared);
  if (count > whole) {
    *end++ = '.';
    end = put_zeros(end, whole ? 0 : (size_t)(-exponent - 1));
    memcpy(end, digits + whole, count - whole);
    end += count - whole;
  }
  return (size_t)(end - out);
}

enum { GENERAL_DIGITS = 17 };

size_t fastio__format_general(double value, size_t significant, char *out) {
  const uint64_t bits = fastio__bits_f64(value);
  uint64_t number;
  int32_t exponent;
  significant += significant == 0;
  if (FASTIO__UNLIKELY(!is_normal(bits) || significant > GENERAL_DIGITS) ||
      !fastio__scale_digits_easily(normal(bits), (unsigned)significant, &number, &exponent))
    return format_general_other(value, significant, out);
  const fastio__digits17 digits = fastio__split17(number * fastio__ten_to[GENERAL_DIGITS - significant]);
  char *start = put_sign(bits, out), *end;
  if (exponent < -4 || exponent >= (int32_t)significant) end = fastio__put_scientific(digits, exponent, start);
  else end = fastio__put_plain(digits, exponent, false, start);
  return (size_t)(end - out);
}

/* ---- Hexadecimal ---- */

/* As the C library of GNU has it: the digit before the point is 1, but 0 for subnormal numbers, and 2 if rounding brings
 * it there. */
size_t fastio__format_hexadecimal(double value, int places, char *out) {
  const uint64_t bits = fastio__bits_f64(value);
  if (!is_finite(bits)) return fastio__put_word(bits >> 63, bits << 12, out);
  const uint64_t fraction_mask = (UINT64_C(1) << 52) - 1;
  const int32_t biased = (int32_t)(bits >> 52 & 0x7FF);
  uint64_t mantissa = (bits & fraction_mask) | (uint64_t)(biased != 0) << 52;
  const int32_t exponent = mantissa == 0 ? 0 : biased ? biased - 1023 : -1022;
  char *end = put_sign(bits, out);
  if (places >= 0 && places < 13) {
    const unsigned dropped = 52 - 4 * (unsigned)places;
    const uint64_t unit = UINT64_C(1) << dropped, rest = mantissa & (unit - 1);
    mantissa -= rest;
    if (rest > unit / 2 || (rest == unit / 2 && (mantissa & unit))) mantissa += unit;
  }
  memcpy(end, "0x", 2);
  end[2] = (char)('0' + (mantissa >> 52));
  end += 3;
  mantissa = (mantissa & fraction_mask) << 12;
  if (places > 0 || (places < 0 && mantissa)) *end++ = '.';
  for (int i = 0; i < 13 && (places < 0 ? mantissa != 0 : i < places); i++, mantissa <<= 4)
    *end++ = "0123456789abcdef"[mantissa >> 60];
  if (places > 13) end = put_zeros(end, (size_t)places - 13);
  *end++ = 'p';
  *end++ = exponent < 0 ? '-' : '+';
  const uint32_t size = (uint32_t)(exponent < 0 ? -exponent : exponent);
  const unsigned count = fastio__count_digits(size);
  fastio__write_digits(size, count, end);
  return (size_t)(end + count - out);
}
