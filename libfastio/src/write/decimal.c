/* Arrow's decimals: integers of 4 to 32 bytes, and how many of their digits are behind the point. */
#include "field.h"

enum { LIMBS = 8, LIMB_DIGITS = 9 };
#define LIMB_BASE UINT32_C(1000000000)

typedef struct magnitude {
  uint32_t limbs[LIMBS]; /* the lowest first */
  size_t count;          /* up to the highest that is not zero */
} magnitude;

static void trim(magnitude *m) {
  while (m->count > 0 && m->limbs[m->count - 1] == 0) m->count--;
}

/* Of two's complement in the machine's order; true if it is negative. */
static bool load(const uint8_t *data, size_t size, magnitude *m) {
  bool negative, carry = true;
  m->count = size / sizeof *m->limbs;
  memcpy(m->limbs, data, size);
  for (size_t i = 0; FASTIO__BIG_ENDIAN && i < m->count / 2; i++) {
    const uint32_t limb = m->limbs[i];
    m->limbs[i] = m->limbs[m->count - 1 - i];
    m->limbs[m->count - 1 - i] = limb;
  }
  negative = m->limbs[m->count - 1] >> 31;
  for (size_t i = 0; negative && i < m->count; i++) {
    m->limbs[i] = ~m->limbs[i] + carry;
    carry = carry && m->limbs[i] == 0;
  }
  trim(m);
  return negative;
}

/* Returns the remainder. */
static uint32_t divide(magnitude *m) {
  uint64_t rest = 0;
  for (size_t i = m->count; i-- > 0;) {
    rest = rest << 32 | m->limbs[i];
    m->limbs[i] = (uint32_t)(rest / LIMB_BASE);
    rest %= LIMB_BASE;
  }
  trim(m);
  return (uint32_t)rest;
}

/* Its digits, without zeros in front (of zero, none), end at `end`. Returns their start. */
static char *put_digits(magnitude *m, char *end) {
  while (m->count > 0) {
    uint32_t part = divide(m);
    for (size_t i = 0; i < LIMB_DIGITS && (m->count > 0 || part > 0); i++, part /= 10) *--end = (char)('0' + part % 10);
  }
  return end;
}

/* All digits behind the point are written, zeros too: they say how exact the number is. A scale below zero is as many
 * zeros in front of the point. */
size_t fastio__format_decimal(const uint8_t *data, size_t size, int scale, char *out) {
  char room[FASTIO__DECIMAL_MAX], *end = room + sizeof room, *digits, *start = out;
  const size_t places = scale > 0 ? (size_t)scale : 0, zeros = scale < 0 ? (size_t)-scale : 0;
  magnitude m;
  const bool negative = load(data, size, &m);
  digits = put_digits(&m, end);
  while ((size_t)(end - digits) <= places) *--digits = '0';
  if (negative) *out++ = '-';
  memcpy(out, digits, (size_t)(end - digits) - places);
  out += (size_t)(end - digits) - places;
  if (*digits != '0') memset(out, '0', zeros), out += zeros;
  if (places) {
    *out++ = '.';
    memcpy(out, end - places, places);
    out += places;
  }
  return (size_t)(out - start);
}
