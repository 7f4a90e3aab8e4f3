/* Floats: value to text. First the shortest digits, by Raffaello Giulietti's "The Schubfach way to render doubles" (2020), then their
 * layout.
 *
 * A float v = c * 2^q is what is read back from every decimal in the interval half-way to its neighbours. With 10^k at most as
 * long as that interval, and 10^(k+1) longer, the interval holds some multiple of 10^k, and at most one of 10^(k+1), which is
 * shorter if it is there. The bounds and v are scaled by 4 * 10^-k to integers with a sticky last bit ("round to odd"): they
 * compare with the multiples of 4 exactly as the true values do. */
#include "digits.h"
#include "format.h"
#include "powers.h"

/* The float without its sign: c * 2^q, and whether the lower neighbour is only half as far away as the upper one. */
typedef struct binary {
  uint64_t c;
  int32_t q;
  bool closer_below;
} binary;

static binary take_apart(uint64_t bits, int32_t mantissa_bits, int32_t bias) {
  const uint64_t hidden = UINT64_C(1) << mantissa_bits, mantissa = bits & (hidden - 1);
  const int32_t exponent = (int32_t)(bits >> mantissa_bits);
  const int32_t shift = bias + mantissa_bits;
  if (exponent == 0) return (binary){mantissa, 1 - shift, false};
  return (binary){mantissa | hidden, exponent - shift, mantissa == 0 && exponent > 1};
}

/* 10^power (as a row of the table, rounded up) * c, without the last bits, which only leave their trace in the last one kept. The
 * row is at most one too large, which Giulietti shows to matter only where the bit left out is the lowest of all. */
static uint64_t scale(fastio__wide power, uint64_t c) {
  fastio__wide product = fastio__multiply_wide(power.high, c);
  const uint64_t carry = fastio__multiply_wide(power.low, c).high;
  product.low += carry;
  product.high += product.low < carry;
  return product.high | (product.low > 1);
}

static fastio__shortest without_zeros(uint64_t digits, int32_t exponent) {
  while (digits >= 100000000 && digits % 100000000 == 0) digits /= 100000000, exponent += 8;
  while (digits && digits % 10 == 0) digits /= 10, exponent++;
  return (fastio__shortest){digits, exponent};
}

/* Picks from the scaled interval. `unit` is 10^k. */
static fastio__shortest pick(uint64_t lower, uint64_t middle, uint64_t upper, int32_t k) {
  const uint64_t s = middle / 4;
  if (s >= 10) {
    const uint64_t tens = s / 10;
    const bool under = lower <= 40 * tens, over = 40 * tens + 40 <= upper;
    if (under != over) return without_zeros(tens + over, k + 1);
  }
  const bool under = lower <= 4 * s, over = 4 * s + 4 <= upper;
  if (under != over) return without_zeros(s + over, k);
  /* Both, or neither: the nearer one, or the even one. */
  const uint64_t half = 4 * s + 2;
  return without_zeros(s + (middle > half || (middle == half && (s & 1))), k);
}

static fastio__shortest shortest(binary value) {
  if (value.c == 0) return (fastio__shortest){0, 0};
  /* An integer that needs no more bits than the mantissa has is its own shortest form. */
  if (value.q <= 0 && value.q > -53 && (value.c & ((UINT64_C(1) << -value.q) - 1)) == 0)
    return without_zeros(value.c >> -value.q, 0);
  /* k = floor(log10(2^q)), or of 3/4 * 2^q; then a shift that makes the products end at bit 128. */
  const int32_t k = (value.q * 1262611 - (value.closer_below ? 524031 : 0)) >> 22;
  const int32_t shift = value.q + fastio__log2_power(-k) + 1;
  fastio__wide power = fastio__powers[-k - FASTIO__POWER_FIRST];
  power.low += fastio__power_is_low(-k);
  const uint64_t odd = value.c & 1; /* a bound itself is read as the even neighbour */
  const uint64_t lower = scale(power, (4 * value.c - 2 + value.closer_below) << shift);
  const uint64_t middle = scale(power, (4 * value.c) << shift);
  const uint64_t upper = scale(power, (4 * value.c + 2) << shift);
  return pick(lower + odd, middle, upper - odd, k);
}

fastio__shortest fastio__shortest_f64(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return shortest(take_apart(bits & (UINT64_MAX >> 1), 52, 1023));
}

fastio__shortest fastio__shortest_f32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return shortest(take_apart(bits & (UINT32_MAX >> 1), 23, 127));
}

/* ---- Layout ---- */

static char *put(char *out, const char *text, size_t size) {
  memcpy(out, text, size);
  return out + size;
}

static char *put_zeros(char *out, int32_t count) {
  memset(out, '0', (size_t)count);
  return out + count;
}

/* d.ddde+xx */
static char *put_scientific(char *out, uint64_t digits, unsigned count, int32_t exponent) {
  fastio__write_digits(digits, count, out + 1);
  out[0] = out[1];
  out[1] = '.';
  out += count > 1 ? count + 1 : 1;
  *out++ = 'e';
  *out++ = exponent < 0 ? '-' : '+';
  const uint32_t size = (uint32_t)(exponent < 0 ? -exponent : exponent);
  const unsigned width = size < 100 ? 2 : 3;
  fastio__write_digits(size, width, out);
  return out + width;
}

/* Python's repr: the first digit's power of ten decides between plain and scientific. */
static size_t put_repr(char *out, fastio__shortest number, bool negative) {
  char *p = out;
  if (negative) *p++ = '-';
  const unsigned count = fastio__count_digits(number.digits);
  const int32_t power = number.exponent + (int32_t)count - 1;
  if (power < -4 || power >= 16) {
    p = put_scientific(p, number.digits, count, power);
  } else if (power < 0) {
    p = put_zeros(put(p, "0.", 2), -power - 1);
    fastio__write_digits(number.digits, count, p);
    p += count;
  } else if (number.exponent >= 0) {
    fastio__write_digits(number.digits, count, p);
    p = put(put_zeros(p + count, number.exponent), ".0", 2);
  } else {
    fastio__write_digits(number.digits, count, p + 1);
    memmove(p, p + 1, (size_t)power + 1);
    p[power + 1] = '.';
    p += count + 1;
  }
  return (size_t)(p - out);
}

size_t fastio_format_f64(double value, char *out) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  const bool negative = bits >> 63;
  bits &= UINT64_MAX >> 1;
  if (bits > UINT64_C(0x7FF0000000000000)) return (size_t)(put(out, "nan", 3) - out);
  if (bits == UINT64_C(0x7FF0000000000000))
    return (size_t)(negative ? put(out, "-inf", 4) - out : put(out, "inf", 3) - out);
  return put_repr(out, fastio__shortest_f64(value), negative);
}

size_t fastio_format_f32(float value, char *out) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7F800000) == 0x7F800000) return fastio_format_f64((double)value, out);
  return put_repr(out, fastio__shortest_f32(value), bits >> 31);
}
