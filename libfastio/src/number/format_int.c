/* Integers: value to text. */
#include "format.h"

static const char pairs[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

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
  /* Parts of eight digits, so that most divisions are 32 bits wide. */
  while (count > 8) {
    uint32_t part = (uint32_t)(value % 100000000);
    value /= 100000000;
    count -= 8;
    for (unsigned i = 8; i > 0; i -= 2, part /= 100) memcpy(out + count + i - 2, pairs + 2 * (part % 100), 2);
  }
  uint32_t part = (uint32_t)value;
  for (; count >= 2; count -= 2, part /= 100) memcpy(out + count - 2, pairs + 2 * (part % 100), 2);
  if (count) *out = (char)('0' + part % 10);
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
