/* The exact comparison of a long decimal with a point half-way between two floats, in big integers of fixed size. */
#include "halfway.h"

#include "digits.h"

/* No half-way point of a double has more than 767 significant digits. So digits behind the first 768 only tell
 * whether the number is a little larger than those say. */
#define DIGITS_MAX 768

/* D * 10^E against M * 2^F: with the common powers of two struck out, each side is below 10^768 * 2^64 or M *
 * 5^1110 * 2^64, thus below 2^2720. */
#define LIMBS_MAX 96

typedef struct big {
  size_t size;               /* without leading zero limbs */
  uint32_t limbs[LIMBS_MAX]; /* least significant first */
} big;

/* number * factor + addend */
static void multiply_add(big *number, uint32_t factor, uint32_t addend) {
  uint64_t carry = addend;
  for (size_t i = 0; i < number->size; i++) {
    carry += (uint64_t)number->limbs[i] * factor;
    number->limbs[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry && number->size < LIMBS_MAX) number->limbs[number->size++] = (uint32_t)carry;
}

static void multiply_power_of_five(big *number, int64_t power) {
  for (; power >= 13; power -= 13) multiply_add(number, 1220703125, 0); /* 5^13 < 2^32 */
  for (; power > 0; power--) multiply_add(number, 5, 0);
}

static void shift_left(big *number, int64_t bits) {
  size_t limbs = (size_t)bits / 32;
  if (bits % 32) multiply_add(number, UINT32_C(1) << (bits % 32), 0);
  if (number->size + limbs > LIMBS_MAX) limbs = LIMBS_MAX - number->size; /* cannot be, see LIMBS_MAX */
  memmove(number->limbs + limbs, number->limbs, number->size * sizeof number->limbs[0]);
  memset(number->limbs, 0, limbs * sizeof number->limbs[0]);
  number->size += limbs;
}

static int compare(const big *a, const big *b) {
  if (a->size != b->size) return a->size < b->size ? -1 : 1;
  for (size_t i = a->size; i-- > 0;)
    if (a->limbs[i] != b->limbs[i]) return a->limbs[i] < b->limbs[i] ? -1 : 1;
  return 0;
}

/* Appends digits from p on, `room` of them at most, nine at a time. */
static const uint8_t *append_digits(big *number, const uint8_t *p, const uint8_t *end, size_t room) {
  if ((size_t)(end - p) > room) end = p + room;
  while (p < end) {
    uint32_t value = 0, scale = 1;
    for (int i = 0; i < 9 && p < end; i++) {
      value = value * 10 + (uint32_t)(*p++ - '0');
      scale *= 10;
    }
    multiply_add(number, scale, value);
  }
  return p;
}

int fastio__compare_decimal(const fastio__text_decimal *text, uint64_t mantissa, int32_t exponent) {
  const uint8_t *whole = fastio__skip_zeros(text->whole, text->whole_end), *fraction = text->fraction;
  if (whole == text->whole_end) fraction = fastio__skip_zeros(fraction, text->fraction_end);
  big left = {0, {0}}, right = {mantissa >> 32 ? 2 : 1, {(uint32_t)mantissa, (uint32_t)(mantissa >> 32)}};
  const uint8_t *p = append_digits(&left, whole, text->whole_end, DIGITS_MAX);
  const uint8_t *q = append_digits(&left, fraction, text->fraction_end, DIGITS_MAX - (size_t)(p - whole));
  const bool more = fastio__skip_zeros(p, text->whole_end) != text->whole_end ||
                    fastio__skip_zeros(q, text->fraction_end) != text->fraction_end;
  const int64_t tens = text->exponent + (text->whole_end - p) + (text->fraction_end - q);

  multiply_power_of_five(tens < 0 ? &right : &left, tens < 0 ? -tens : tens);
  const int64_t twos = tens - exponent;
  shift_left(twos < 0 ? &right : &left, twos < 0 ? -twos : twos);
  const int order = compare(&left, &right);
  return order == 0 && more ? 1 : order;
}
