/* Integers: value to text. */
#include "decimal.h"
#include "digits.h"
#include "format.h"

#define THREE(a, b, c) a | b << 8 | c << 16
#define TEN(a, b)                                                                                                 \
  THREE(a, b, 0), THREE(a, b, 1), THREE(a, b, 2), THREE(a, b, 3), THREE(a, b, 4), THREE(a, b, 5), THREE(a, b, 6), \
      THREE(a, b, 7), THREE(a, b, 8), THREE(a, b, 9)
#define HUNDRED(a) \
  TEN(a, 0), TEN(a, 1), TEN(a, 2), TEN(a, 3), TEN(a, 4), TEN(a, 5), TEN(a, 6), TEN(a, 7), TEN(a, 8), TEN(a, 9)
const uint32_t fastio__threes[1000] = {HUNDRED(0), HUNDRED(1), HUNDRED(2), HUNDRED(3), HUNDRED(4),
                                       HUNDRED(5), HUNDRED(6), HUNDRED(7), HUNDRED(8), HUNDRED(9)};

unsigned fastio__count_digits(uint64_t value) {
  /* 1233 / 4096 is a little more than log10(2): right, or one too few. */
  const uint64_t odd = value | 1; /* has as many, and 0 then has one */
  const unsigned guess = (64 - fastio__clz64(odd)) * 1233 >> 12;
  return guess + (odd >= fastio__ten_to[guess]);
}

void fastio__write_digits(uint64_t value, unsigned count, char *out) {
  unsigned first = count <= 8 ? count : count <= 16 ? count - 8 : count - 16;
  uint64_t rest = value;
  if (count > 16) {
    value = rest / UINT64_C(10000000000000000);
    rest %= UINT64_C(10000000000000000);
  } else if (count > 8) {
    value = rest / 100000000;
    rest %= 100000000;
  }
  /* The first one to eight digits, and behind them bytes that the next ones overwrite. */
  fastio__store_digits(out, fastio__value_digits((uint32_t)value) >> (8 * (8 - first)));
  if (count > 16) fastio__store_digits(out + first, fastio__value_digits((uint32_t)(rest / 100000000)));
  if (count > 8) fastio__store_digits(out + count - 8, fastio__value_digits((uint32_t)(rest % 100000000)));
}

/* In any other base; nothing, if there is no such base. */
static FASTIO__NOINLINE size_t format_based(uint64_t value, bool negative, int wanted, char *out) {
  static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
  if (wanted < 2 || wanted > 36) return 0;
  const unsigned base = (unsigned)wanted;
  char digits[65];
  size_t at = sizeof digits;
  if ((base & (base - 1)) == 0) {
    const unsigned shift = fastio__ctz64(base);
    do digits[--at] = letters[value & (base - 1)];
    while (value >>= shift);
  } else {
    do digits[--at] = letters[value % base];
    while (value /= base);
  }
  if (negative) digits[--at] = '-';
  memcpy(out, digits + at, sizeof digits - at);
  return sizeof digits - at;
}

size_t fastio_format_u64(uint64_t value, int base, char *out) {
  if (FASTIO__UNLIKELY(base != 10)) return format_based(value, false, base, out);
  return (size_t)(fastio__put_decimal(value, out) - out);
}

/* The minus is written in any case: signs are as often random as not. */
size_t fastio_format_i64(int64_t value, int base, char *out) {
  const bool negative = value < 0;
  const uint64_t size = negative ? 0 - (uint64_t)value : (uint64_t)value;
  if (FASTIO__UNLIKELY(base != 10)) return format_based(size, negative, base, out);
  *out = '-';
  return (size_t)(fastio__put_decimal(size, out + negative) - out);
}
