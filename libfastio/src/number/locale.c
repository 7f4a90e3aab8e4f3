/* Numbers as people write them, rewritten as the grammar of this library has them. What is no number in either
 * spelling is left for the parser to refuse. */
#include "digits.h"
#include "number.h"

/* Copies the digits of the integer part without the separators of its groups: one to three digits, then three each.
 * Returns where they end, or NULL if the groups are wrong. */
static const uint8_t *copy_groups(const uint8_t *p, const uint8_t *end, int thousands, uint8_t **out) {
  size_t group = 0;
  bool separated = false;
  for (; p < end; p++) {
    if (fastio__is_digit(*p)) {
      *(*out)++ = *p;
      group++;
    } else if (*p == thousands) {
      if (separated ? group != 3 : group - 1 > 2) return NULL;
      separated = true;
      group = 0;
    } else {
      break;
    }
  }
  return separated && group != 3 ? NULL : p;
}

static bool is_minus_sign(const uint8_t *p, const uint8_t *end) {
  return end - p >= 3 && p[0] == 0xE2 && p[1] == 0x88 && p[2] == 0x92;
}

/* Everything up to the percent sign. NULL: a '.' that is no point, or wrong groups. */
static uint8_t *copy_number(const fastio__spelling *spelling, const uint8_t *p, const uint8_t *end, uint8_t *out) {
  bool in_front = true; /* of the integer part */
  while (p < end) {
    if (spelling->unicode_minus && is_minus_sign(p, end)) {
      *out++ = '-';
      p += 3;
    } else if (in_front && *p != '+' && *p != '-') {
      in_front = false;
      p = copy_groups(p, end, spelling->thousands, &out);
      if (!p) return NULL;
      if (p < end && *p == spelling->point) *out++ = '.', p++;
    } else if (*p == '.' && spelling->point != '.') {
      return NULL;
    } else {
      *out++ = *p++;
    }
  }
  return out;
}

/* Makes the number from `start` to `end` a hundredth. Returns where it ends then, or NULL if its exponent is none. An
 * exponent beyond 10^17 stays: two less decide nothing. */
static uint8_t *divide_by_hundred(uint8_t *start, uint8_t *end) {
  uint8_t *e = start;
  while (e < end && (*e | 0x20) != 'e') e++;
  int64_t exponent = 0;
  if (e < end) {
    const uint8_t *digits = e + 1;
    if (digits < end && (*digits == '+' || *digits == '-')) digits++;
    if (fastio__skip_zeros(digits, end) + 17 < end) return end;
    if (fastio__parse_i64(e + 1, (size_t)(end - e - 1), 10, &exponent, NULL) != FASTIO_OK) return NULL;
  }
  char text[FASTIO_FORMAT_MAX];
  const size_t size = fastio_format_i64(exponent - 2, 10, text);
  *e++ = 'e';
  memcpy(e, text, size);
  return e + size;
}

size_t fastio__respell(const fastio__spelling *spelling, const uint8_t *data, size_t size, bool is_float,
                       uint8_t *out) {
  const bool percent = is_float && spelling->percent && size && data[size - 1] == '%';
  if (!size) return 0;
  uint8_t *end = copy_number(spelling, data, data + size - percent, out);
  if (end && percent) end = divide_by_hundred(out, end);
  return end ? (size_t)(end - out) : SIZE_MAX;
}
