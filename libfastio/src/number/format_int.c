/* Integers: value to text. */
#include "digits.h"
#include "format.h"

unsigned fastio__count_digits(uint64_t value) {
  static const uint64_t powers[20] = {0, /* so that 0 has one digit */
                                      UINT64_C(10),
                                      UINT64_C(100),
                                      UINT64_C(1000),
                                      UINT64_C(10000),
                                      UINT64_C(100000),
                                      UINT64_C(1000000),
                                      UINT64_C(10000000),
                                      UINT64_C(100000000),
                                      UINT64_C(1000000000),
                                      UINT64_C(10000000000),
                                      UINT64_C(100000000000),
                                      UINT64_C(1000000000000),
                                      UINT64_C(10000000000000),
                                      UINT64_C(100000000000000),
                                      UINT64_C(1000000000000000),
                                      UINT64_C(10000000000000000),
                                      UINT64_C(100000000000000000),
                                      UINT64_C(1000000000000000000),
                                      UINT64_C(10000000000000000000)};
  /* 1233 / 4096 is a little more than log10(2): right, or one too few. */
  unsigned guess = (64 - fastio__clz64(value | 1)) * 1233 >> 12;
  return guess + (value >= powers[guess]);
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

static size_t format_based(uint64_t value, unsigned base, char *out) {
  char digits[64];
  size_t at = sizeof digits;
  do {
    digits[--at] = "0123456789abcdefghijklmnopqrstuvwxyz"[value % base];
    value /= base;
  } while (value);
  memcpy(out, digits + at, sizeof digits - at);
  return sizeof digits - at;
}

size_t fastio_format_u64(uint64_t value, int base, char *out) {
  if (base < 2 || base > 36) return 0;
  if (base != 10) return format_based(value, (unsigned)base, out);
  unsigned count = fastio__count_digits(value);
  fastio__write_digits(value, count, out);
  return count;
}

size_t fastio_format_i64(int64_t value, int base, char *out) {
  if (value >= 0 || base < 2 || base > 36) return fastio_format_u64((uint64_t)value, base, out);
  *out = '-';
  return 1 + fastio_format_u64(0 - (uint64_t)value, base, out + 1);
}
