/* Exact digits of a double at any precision. Up to 19 of them mostly come from one multiplication (scale.h); the rest,
 * and what that can't decide, from the whole decimal expansion in integers of fixed size. */
#include "digits.h"
#include "format.h"
#include "scale.h"

const uint64_t fastio__ten_to[20] = {UINT64_C(1),
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

/* Whether value * 10^power is integer + 1/2, for -27 <= power < 0 and if it is nearly that. With j = -power,
 * odd * 2^e / 10^j = (2 * integer + 1) / 2 means odd = (2 * integer + 1) * 5^j and e = j - 1. If the latter holds, both
 * sides of the former are nearly equal, so that equality modulo 2^64 is enough. */
static bool is_half(fastio__normal value, int32_t power, uint64_t integer) {
  const uint64_t row = fastio__powers[-power - FASTIO__POWER_FIRST].high; /* 10^j = 5^j * 2^j, and 5^27 < 2^63 */
  const uint64_t five = row >> fastio__ctz64(row);
  const int32_t zeros = (int32_t)fastio__ctz64(value.mantissa);
  return value.exponent + zeros == -power - 1 && value.mantissa >> zeros == (2 * integer + 1) * five;
}

/* The product with an exact row is exact. Other rows are too low, and so are their products, which then never equal
 * the true value; or too high, from -27 to -1. Only those powers and exact ones can give halves: with others, 5^28
 * would divide a mantissa, or 5^56 twice the result, which are smaller. */
bool fastio__scale(fastio__normal value, int32_t power, uint64_t *rounded) {
  const uint64_t half = UINT64_C(1) << 63;
  const uint32_t whole = fastio__integer_bits(value, power);
  *rounded = 0;
  if (!fastio__has_row(power)) return false;
  if (whole > 64) return (int32_t)whole < 0;
  const fastio__product product = fastio__multiply_row(value.mantissa, fastio__powers[power - FASTIO__POWER_FIRST],
                                                       whole);
  bool up = product.fraction >= half;
  if (product.fraction == half && power >= 0 && power <= 55) {
    up = (product.rest.high | product.rest.low) != 0 || (product.integer & 1);
  } else if (product.fraction == half && power < 0 && power >= -27) {
    if (!is_half(value, power, product.integer)) return false;
    up = product.integer & 1;
  } else if (product.fraction == half - 1 && fastio__power_is_low(power)) {
    return false;
  }
  *rounded = product.integer + up;
  return *rounded >= product.integer;
}

/* ---- The whole expansion ----
 * The integer part is below 2^1024, the fraction a multiple of 2^-1074. Nine digits at a time: of the integer by
 * dividing it, from the last ones on; of the fraction by multiplying it, from the first ones on. */
enum { CHUNK = 1000000000, CHUNK_DIGITS = 9, INTEGER_LIMBS = 32, INTEGER_CHUNKS = 35, FRACTION_LIMBS = 34 };

typedef struct expansion {
  uint32_t chunks[INTEGER_CHUNKS]; /* the integer in base 10^9, least significant first */
  size_t chunk_count;
  uint32_t fraction[FRACTION_LIMBS]; /* most significant first; only those from `first` to `end` are not zero */
  size_t first, end;
} expansion;

/* bits * 2^at as limbs, least significant first. Bits beyond them are zero. */
static void put_bits(uint32_t *limbs, size_t count, uint64_t bits, size_t at) {
  const size_t limb = at / 32, shift = at % 32;
  memset(limbs, 0, count * sizeof *limbs);
  limbs[limb] = (uint32_t)(bits << shift);
  if (limb + 1 < count) limbs[limb + 1] = (uint32_t)(bits << shift >> 32);
  if (limb + 2 < count) limbs[limb + 2] = (uint32_t)(bits >> 1 >> (63 - shift));
}

/* mantissa * 2^shift */
static void expand_integer(expansion *e, uint64_t mantissa, size_t shift) {
  uint32_t limbs[INTEGER_LIMBS];
  put_bits(limbs, INTEGER_LIMBS, mantissa, shift);
  for (size_t size = INTEGER_LIMBS;;) {
    while (size && limbs[size - 1] == 0) size--;
    if (size == 0) return;
    uint64_t rest = 0;
    for (size_t i = size; i-- > 0;) {
      rest = rest << 32 | limbs[i];
      limbs[i] = (uint32_t)(rest / CHUNK);
      rest %= CHUNK;
    }
    e->chunks[e->chunk_count++] = (uint32_t)rest;
  }
}

/* mantissa * 2^-shift, which is below 1 */
static void expand_fraction(expansion *e, uint64_t mantissa, size_t shift) {
  uint32_t limbs[FRACTION_LIMBS];
  e->end = (shift + 31) / 32;
  put_bits(limbs, e->end, mantissa, e->end * 32 - shift);
  for (size_t i = 0; i < e->end; i++) e->fraction[i] = limbs[e->end - 1 - i];
}

static bool has_fraction(expansion *e) {
  while (e->first < e->end && e->fraction[e->end - 1] == 0) e->end--;
  while (e->first < e->end && e->fraction[e->first] == 0) e->first++;
  return e->first < e->end;
}

/* The next nine digits of the fraction. */
static uint32_t next_chunk(expansion *e) {
  uint64_t carry = 0;
  for (size_t i = e->end; i-- > e->first;) {
    carry += (uint64_t)e->fraction[i] * CHUNK;
    e->fraction[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (e->first == 0) return (uint32_t)carry;
  e->fraction[--e->first] = (uint32_t)carry;
  return 0;
}

static void expand(expansion *e, fastio__normal value) {
  const unsigned zeros = fastio__ctz64(value.mantissa);
  const uint64_t mantissa = value.mantissa >> zeros;
  const int32_t exponent = value.exponent + (int32_t)zeros;
  e->chunk_count = e->first = e->end = 0;
  if (exponent >= 0) {
    expand_integer(e, mantissa, (size_t)exponent);
  } else if (exponent <= -64) {
    expand_fraction(e, mantissa, (size_t)-exponent);
  } else {
    expand_integer(e, mantissa >> -exponent, 0);
    expand_fraction(e, mantissa & ((UINT64_C(1) << -exponent) - 1), (size_t)-exponent);
  }
}

/* Digits as they come: `count` of them at `out`, the first stands for 10^exponent. */
typedef struct digits {
  char *out;
  size_t count;
  int32_t exponent;
} digits;

/* Nine digits below the ones before; leading zeros of the number do not count. */
static void append_chunk(digits *d, uint32_t chunk) {
  unsigned count = CHUNK_DIGITS;
  if (d->count == 0) {
    count = chunk ? fastio__count_digits(chunk) : 0;
    d->exponent -= CHUNK_DIGITS - (int32_t)count;
  }
  if (count) fastio__write_digits(chunk, count, d->out + d->count);
  d->count += count;
}

/* Keeps `limit` of the digits; `rest` tells whether the value goes on behind those there are. True: nines became a power
 * of ten, which has one digit more. */
static bool round_digits(digits *d, size_t limit, bool rest) {
  const char *next = d->out + limit, *end = d->out + d->count;
  bool up = *next >= '5';
  if (*next == '5' && !rest) {
    while (++next < end && *next == '0') {}
    up = next < end || (limit && (d->out[limit - 1] & 1));
  }
  d->count = limit;
  if (!up) return false;
  size_t i = limit;
  while (i && d->out[i - 1] == '9') d->out[--i] = '0';
  if (i) {
    d->out[i - 1]++;
    return false;
  }
  d->out[0] = '1';
  d->exponent++;
  return true;
}

/* `asked` digits in all, or behind the point. */
static size_t write_expansion(fastio__normal value, size_t asked, bool behind_point, char *out, int32_t *exponent) {
  expansion e;
  expand(&e, value);
  digits d = {out, 0, (int32_t)e.chunk_count * CHUNK_DIGITS - 1};
  for (size_t i = e.chunk_count; i-- > 0;) append_chunk(&d, e.chunks[i]);
  while (d.count == 0 && has_fraction(&e)) append_chunk(&d, next_chunk(&e));
  const int64_t wanted = (int64_t)asked + (behind_point ? d.exponent + 1 : 0);
  if (wanted < 0) return 0;
  const size_t limit = (size_t)wanted;
  while (d.count <= limit && has_fraction(&e)) append_chunk(&d, next_chunk(&e));
  if (d.count <= limit) {
    const size_t end = limit < FASTIO__EXACT_MAX ? limit : FASTIO__EXACT_MAX;
    memset(out + d.count, '0', end - d.count);
    d.count = end;
  } else if (round_digits(&d, limit, has_fraction(&e)) && behind_point) {
    if (limit) out[limit] = '0';
    d.count++;
  }
  *exponent = d.exponent;
  return d.count;
}

/* ---- Either way ---- */

/* As fastio__scale_digits_easily. */
static bool scale_digits(fastio__normal value, size_t count, uint64_t *rounded, int32_t *exponent) {
  if (count > FASTIO__SCALE_DIGITS) return false;
  *exponent = fastio__decimal_exponent(value);
  if (!fastio__scale(value, (int32_t)count - 1 - *exponent, rounded)) return false;
  if (*rounded == fastio__ten_to[count]) {
    *rounded = fastio__ten_to[count - 1];
    *exponent += 1;
  }
  return true;
}

size_t fastio__exact_significant(double value, size_t significant, char *out, int32_t *exponent) {
  const uint64_t bits = fastio__bits_f64(value) & FASTIO__ABSOLUTE;
  if (bits == 0) return 0;
  const fastio__normal normal = fastio__normalize(bits);
  uint64_t rounded;
  if (!scale_digits(normal, significant, &rounded, exponent))
    return write_expansion(normal, significant, false, out, exponent);
  fastio__write_digits(rounded, (unsigned)significant, out);
  return significant;
}

size_t fastio__exact_places(double value, size_t places, char *out, int32_t *exponent) {
  const uint64_t bits = fastio__bits_f64(value) & FASTIO__ABSOLUTE;
  if (bits == 0) return 0;
  const fastio__normal normal = fastio__normalize(bits);
  uint64_t rounded;
  if (places > FASTIO__POWER_LAST || !fastio__scale(normal, (int32_t)places, &rounded))
    return write_expansion(normal, places, true, out, exponent);
  if (rounded == 0) return 0;
  const unsigned count = fastio__count_digits(rounded);
  fastio__write_digits(rounded, count, out);
  *exponent = (int32_t)count - 1 - (int32_t)places;
  return count;
}
