/* Floats: value to text. First the shortest digits, by Raffaello Giulietti's "The Schubfach way to render doubles"
 * (2020), then their layout.
 *
 * A float v = c * 2^q is what is read back from every decimal in the interval half-way to its neighbours. With
 * 10^k at most as long as that interval, and 10^(k+1) longer, the interval holds some multiple of 10^k, and at
 * most one of 10^(k+1), which is shorter if it is there. The bounds and v are scaled by 4 * 10^-k to integers with
 * a sticky last bit ("round to odd"): they compare with the multiples of 4 exactly as the true values do. */
#include "format.h"
#include "layout.h"
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

/* As condition ? a : b, of which compilers sometimes make a jump. */
FASTIO__INLINE uint64_t choose(bool condition, uint64_t a, uint64_t b) {
  return b ^ ((a ^ b) & (0 - (uint64_t)condition));
}

/* ---- The quick way ----
 *
 * x = v / 10^k in fixed point is one product. The interval reaches u / 2 to both sides of it, where u = 2^q / 10^k, a
 * row of the table, is from 1 up to 10. So the integer nearest to x is always in it. With r = x mod 10, the multiple
 * of ten below x is in it if r <= u / 2, and the one above if 10 - r <= u / 2: never both, and either is shorter.
 *
 * r and u / 2 have 60 bits behind the point; what is lost of them, and of x by an inexact row, is less than 1.2 units
 * each. False where that matters, and at ties: then Giulietti's comparisons decide, so that the quick way need not
 * know whether a bound itself belongs to the interval. (Ties are common in floats of 24 bits; for those `ties` is
 * true, and they are decided here where the product is exact.) All choices are selections, not branches: which one is
 * taken is as good as random. */
FASTIO__INLINE bool quick(uint64_t c, int32_t q, bool ties, uint64_t *digits, int32_t *exponent) {
  const int32_t k = (q * 1262611) >> 22;
  const int32_t shift = q + fastio__log2_power(-k) + 1;
  const fastio__wide row = fastio__powers[-k - FASTIO__POWER_FIRST];
  fastio__wide x = fastio__multiply_wide(row.high, c << shift);
  const uint64_t carry = fastio__multiply_wide(row.low, c << shift).high;
  x.low += carry;
  x.high += x.low < carry;
  const uint64_t half = UINT64_C(1) << 63, ten = UINT64_C(10) << 60, tens = x.high / 10 * 10;
  const uint64_t below = (x.high - tens) << 60 | x.low >> 4, reach = row.high >> (5 - shift);
  uint64_t best = x.high + (x.low + (ties & x.high & 1) > half - !ties);
  best = choose(below < reach, tens, best);
  best = choose(below + reach >= ten, tens + 10, best);
  *digits = best;
  *exponent = k;
  const bool sure = (x.low - (half - 1) > 1) | (ties & ((uint32_t)-k <= 27)); /* 10^27 is exact in 64 bits */
  return sure & (below - reach + 1 > 2) & (below + reach - (ten - 2) > 2);
}

static fastio__shortest shortest_f64(uint64_t bits) { return shortest(take_apart(bits & (UINT64_MAX >> 1), 52, 1023)); }
static fastio__shortest shortest_f32(uint32_t bits) { return shortest(take_apart(bits & (UINT32_MAX >> 1), 23, 127)); }

/* Neither zero, subnormal, nor a power of two. */
FASTIO__INLINE bool quick_f64(uint64_t bits, uint64_t *digits, int32_t *exponent) {
  const uint64_t hidden = UINT64_C(1) << 52, mantissa = bits & (hidden - 1);
  const uint32_t biased = (uint32_t)(bits >> 52) & 0x7FF;
  return FASTIO__LIKELY(biased - 1 < 0x7FE && mantissa != 0) &&
         FASTIO__LIKELY(quick(mantissa | hidden, (int32_t)biased - 1075, false, digits, exponent));
}

FASTIO__INLINE bool quick_f32(uint32_t bits, uint64_t *digits, int32_t *exponent) {
  const uint32_t hidden = UINT32_C(1) << 23, mantissa = bits & (hidden - 1), biased = bits >> 23 & 0xFF;
  return FASTIO__LIKELY(biased - 1 < 0xFE && mantissa != 0) &&
         FASTIO__LIKELY(quick(mantissa | hidden, (int32_t)biased - 150, true, digits, exponent));
}

fastio__shortest fastio__shortest_f64(double value) {
  uint64_t bits, digits;
  int32_t exponent;
  memcpy(&bits, &value, sizeof bits);
  return quick_f64(bits, &digits, &exponent) ? without_zeros(digits, exponent) : shortest_f64(bits);
}

fastio__shortest fastio__shortest_f32(float value) {
  uint64_t digits;
  uint32_t bits;
  int32_t exponent;
  memcpy(&bits, &value, sizeof bits);
  return quick_f32(bits, &digits, &exponent) ? without_zeros(digits, exponent) : shortest_f32(bits);
}

/* ---- Layout ---- */

/* Python's repr: the first digit's power of ten decides between plain and scientific. `digits` has 17 digits. */
FASTIO__INLINE char *put_repr(uint64_t digits, int32_t exponent, char *out) {
  const fastio__digits17 split = fastio__split17(digits);
  const int32_t power = exponent + 16;
  if (power < -4 || power >= 16) return fastio__put_scientific(split, power, out);
  return fastio__put_plain(split, power, true, out);
}

/* Everything but a sign that is there already. */
static FASTIO__NOINLINE char *put_shortest(fastio__shortest number, char *out) {
  if (number.digits == 0) {
    memcpy(out, "0.0", 3);
    return out + 3;
  }
  const unsigned missing = 17 - fastio__count_digits(number.digits);
  return put_repr(number.digits * fastio__ten_to[missing], number.exponent - (int32_t)missing, out);
}

static FASTIO__NOINLINE size_t format_f64_other(uint64_t bits, char *out) {
  if ((bits >> 52 & 0x7FF) == 0x7FF) return fastio__put_word(bits >> 63, bits << 12, out);
  *out = '-';
  return (size_t)(put_shortest(shortest_f64(bits), out + (bits >> 63)) - out);
}

static FASTIO__NOINLINE size_t format_f32_other(uint32_t bits, char *out) {
  if ((bits >> 23 & 0xFF) == 0xFF) return fastio__put_word(bits >> 31, bits << 9, out);
  *out = '-';
  return (size_t)(put_shortest(shortest_f32(bits), out + (bits >> 31)) - out);
}

size_t fastio_format_f64(double value, char *out) {
  uint64_t bits, digits;
  int32_t exponent;
  memcpy(&bits, &value, sizeof bits);
  if (!quick_f64(bits, &digits, &exponent)) return format_f64_other(bits, out);
  *out = '-';
  const unsigned few = digits < UINT64_C(10000000000000000); /* 16 digits, not 17 */
  return (size_t)(put_repr(digits * (1 + 9 * few), exponent - (int32_t)few, out + (bits >> 63)) - out);
}

size_t fastio_format_f32(float value, char *out) {
  uint64_t digits;
  uint32_t bits;
  int32_t exponent;
  memcpy(&bits, &value, sizeof bits);
  if (!quick_f32(bits, &digits, &exponent)) return format_f32_other(bits, out);
  *out = '-';
  const unsigned more = 8 + (digits < 100000000) + (digits < 10000000); /* 9, 8 or 7 digits */
  return (size_t)(put_repr(digits * fastio__ten_to[more], exponent - (int32_t)more, out + (bits >> 31)) - out);
}
