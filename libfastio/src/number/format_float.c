/* Floats: value to text. First the shortest digits, by Raffaello Giulietti's "The Schubfach way to render doubles"
 * (2020), then their layout.
 *
 * A float v = c * 2^q is what is read back from every decimal in the interval half-way to its neighbours. With
 * 10^k at most as long as that interval, and 10^(k+1) longer, the interval holds some multiple of 10^k, and at
 * most one of 10^(k+1), which is shorter if it is there. The bounds and v are scaled by 4 * 10^-k to integers with
 * a sticky last bit ("round to odd"): they compare with the multiples of 4 exactly as the true values do. */
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

/* 10^power (as a row of the table, rounded up) * c, without the last bits, which only leave their trace in the
 * last one kept. The row is at most one too large, which Giulietti shows to matter only where the bit left out is
 * the lowest of all. */
static uint64_t scale(fastio__wide power, uint64_t c) {
  fastio__wide product = fastio__multiply_wide(power.high, c);
  const uint64_t carry = fastio__multiply_wide(power.low, c).high;
  product.low += carry;
  product.high += product.low < carry;
  return product.high | (product.low > 1);
}

static fastio__shortest without_zeros(uint64_t digits, int32_t exponent) {
  while (digits % 100000000 == 0) digits /= 100000000, exponent += 8;
  if (digits % 10000 == 0) digits /= 10000, exponent += 4;
  if (digits % 100 == 0) digits /= 100, exponent += 2;
  if (digits % 10 == 0) digits /= 10, exponent += 1;
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

/* ---- Layout ----
 * Pieces are copied in fixed sizes, longer than needed: FASTIO_FORMAT_MAX has room for that. */

static const char zeros[] = "0000000000000000";

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

/* 0.000ddd, ddd000.0 or dd.ddd: up to 17 digits, of which the first stands for 10^power, -4 <= power < 16 */
static char *put_plain(char *out, uint64_t digits, unsigned count, int32_t power) {
  const unsigned whole = (unsigned)(power + 1);
  if (power < 0) {
    memcpy(out, "0.000", 5);
    fastio__write_digits(digits, count, out + 1 - power);
    return out + 1 - power + count;
  }
  fastio__write_digits(digits, count, out);
  if (count <= whole) {
    memcpy(out + count, zeros, 16);
    memcpy(out + whole, ".0", 2);
    return out + whole + 2;
  }
  memmove(out + whole + 1, out + whole, 16);
  out[whole] = '.';
  return out + count + 1;
}

/* Python's repr: the first digit's power of ten decides between plain and scientific. */
static size_t put_repr(char *out, fastio__shortest number, bool negative) {
  const unsigned count = fastio__count_digits(number.digits);
  const int32_t power = number.exponent + (int32_t)count - 1;
  *out = '-';
  char *start = out + negative, *end;
  if (power < -4 || power >= 16) end = put_scientific(start, number.digits, count, power);
  else end = put_plain(start, number.digits, count, power);
  return (size_t)(end - out);
}

static size_t put_word(char *out, const char *word) {
  const size_t size = strlen(word);
  memcpy(out, word, size);
  return size;
}

size_t fastio_format_f64(double value, char *out) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  const bool negative = bits >> 63;
  bits &= UINT64_MAX >> 1;
  if (bits > UINT64_C(0x7FF0000000000000)) return put_word(out, "nan");
  if (bits == UINT64_C(0x7FF0000000000000)) return put_word(out, negative ? "-inf" : "inf");
  return put_repr(out, fastio__shortest_f64(value), negative);
}

size_t fastio_format_f32(float value, char *out) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7F800000) == 0x7F800000) return fastio_format_f64((double)value, out);
  return put_repr(out, fastio__shortest_f32(value), bits >> 31);
}
