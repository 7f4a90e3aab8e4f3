/* Floats: text to value, one token. The digits become a 64-bit integer w and a power of ten, which eisel_lemire.h rounds. If there
 * are more than 19 digits, w holds the first 19, and the number lies between w and w + 1: as a rule both round to the same
 * float, else halfway.c decides. */
#include "digits.h"
#include "eisel_lemire.h"
#include "halfway.h"
#include "number.h"

/* A token taken apart. */
typedef struct parts {
  fastio__text_decimal text; /* also set if the token is none: then whole == whole_end */
  uint64_t mantissa;         /* the first 19 significant digits, or all */
  int64_t exponent;          /* of mantissa */
  uint64_t special;          /* bits of infinity or NaN of a double, 0: a number with digits */
  bool negative;
  bool truncated; /* there are more digits */
} parts;

#define INFINITY_BITS UINT64_C(0x7FF0000000000000)
#define NAN_BITS UINT64_C(0x7FF8000000000000)

/* How many bytes from p on are those of the lower-case `word`, in either case. */
static size_t match_word(const uint8_t *p, const uint8_t *end, const char *word) {
  size_t n = 0;
  while (p + n < end && word[n] && (p[n] | 0x20) == word[n]) n++;
  return n;
}

/* inf, infinity or nan from p on. Returns where it ends or goes wrong. */
static const uint8_t *take_word(const uint8_t *p, const uint8_t *end, parts *out) {
  const size_t nan = match_word(p, end, "nan"), infinity = match_word(p, end, "infinity");
  if (nan == 3) out->special = NAN_BITS;
  /* Neither "inf" nor "infinity": what has a wrong byte behind "inf" is wrong at the first byte that is not of "infinity". */
  if (infinity == 8 || (infinity == 3 && p + 3 == end)) out->special = INFINITY_BITS;
  return p + (nan > infinity ? nan : infinity);
}

/* The exponent from behind the 'e' on. Saturates: no token is long enough to bring 10^17 back into range. */
static const uint8_t *take_exponent(const uint8_t *p, const uint8_t *end, int64_t *out, bool *is_number) {
  const bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  int64_t value = 0;
  *is_number = p < end && (uint8_t)(*p - '0') < 10;
  for (; p < end && (uint8_t)(*p - '0') < 10; p++)
    if (value < INT64_C(100000000000000000)) value = value * 10 + (*p - '0');
  *out = negative ? -value : value;
  return p;
}

/* The digits from p on, appended to *value modulo 2^64. */
static const uint8_t *take_digits(const uint8_t *p, const uint8_t *end, uint64_t *value) {
  for (; end - p >= 8; p += 8) {
    const uint64_t word = fastio__load64le(p);
    if (!fastio__are_digits(word)) break;
    *value = *value * 100000000 + fastio__digits_value(word);
  }
  for (; p < end && (uint8_t)(*p - '0') < 10; p++) *value = *value * 10 + (uint64_t)(*p - '0');
  return p;
}

/* Replaces a mantissa that may have overflowed by the first 19 significant digits. */
static void truncate(parts *out) {
  const fastio__text_decimal *text = &out->text;
  const uint8_t *whole = fastio__skip_zeros(text->whole, text->whole_end), *fraction = text->fraction;
  if (whole == text->whole_end) fraction = fastio__skip_zeros(fraction, text->fraction_end);
  const ptrdiff_t whole_size = text->whole_end - whole, fraction_size = text->fraction_end - fraction;
  if (whole_size <= 19 && whole_size + fraction_size <= 19) return; /* just leading zeros */
  const ptrdiff_t whole_taken = whole_size < 19 ? whole_size : 19, fraction_taken = 19 - whole_taken;
  out->mantissa = 0;
  take_digits(whole, whole + whole_taken, &out->mantissa);
  take_digits(fraction, fraction + fraction_taken, &out->mantissa);
  out->exponent += (whole_size - whole_taken) + (fraction_size - fraction_taken);
  out->truncated = true;
}

/* Takes a whole token apart, any token. Returns its end if it is a number, else sets *bad. */
static bool take_apart(const uint8_t *data, size_t size, parts *out, size_t *bad) {
  const uint8_t *p = data, *const end = size ? data + size : data;
  *out = (parts){.negative = size && *p == '-'};
  if (size && (*p == '-' || *p == '+')) p++;
  fastio__text_decimal *text = &out->text;
  text->whole = p;
  text->whole_end = p = take_digits(p, end, &out->mantissa);
  text->fraction = text->fraction_end = p;
  if (p < end && *p == '.') {
    text->fraction = p + 1;
    text->fraction_end = p = take_digits(p + 1, end, &out->mantissa);
  }
  const ptrdiff_t digits = (text->whole_end - text->whole) + (text->fraction_end - text->fraction);
  bool is_number = digits > 0;
  if (is_number && p < end && (*p | 0x20) == 'e') p = take_exponent(p + 1, end, &text->exponent, &is_number);
  else if (!is_number && p == text->whole) {
    p = take_word(p, end, out);
    is_number = out->special != 0;
  }
  if (FASTIO__UNLIKELY(!is_number || p != end)) {
    if (bad) *bad = (size_t)(p - data);
    return false;
  }
  text->exponent -= text->fraction_end - text->fraction;
  out->exponent = text->exponent;
  if (FASTIO__UNLIKELY(digits > 19)) truncate(out);
  return true;
}

/* Any int64 exponent, cut to where the result is certain to be zero or infinite. */
static int32_t clamp(int64_t exponent) {
  return exponent < -10000 ? -10000 : exponent > 10000 ? 10000 : (int32_t)exponent;
}

/* Which of the neighbours `low` and low + 1 (as bits) the number is nearer to: the point half-way between them is
 * (2m + 1) * 2^(e - 1) for low = m * 2^e. */
static uint64_t nearer(const parts *number, uint64_t low, fastio__float_format format) {
  const int32_t biased = (int32_t)(low >> format.mantissa_bits);
  uint64_t mantissa = low & ((UINT64_C(1) << format.mantissa_bits) - 1);
  if (biased) mantissa |= UINT64_C(1) << format.mantissa_bits;
  const int32_t exponent = (biased ? biased : 1) - format.bias - format.mantissa_bits;
  const int order = fastio__compare_decimal(&number->text, 2 * mantissa + 1, exponent - 1);
  return low + (order > 0 || (order == 0 && (mantissa & 1)));
}

FASTIO__INLINE uint64_t round_parts(const parts *number, const fastio__float_format format) {
  const int32_t q = clamp(number->exponent);
  const uint64_t bits = fastio__eisel_lemire(number->mantissa, q, format);
  if (FASTIO__LIKELY(!number->truncated) || fastio__eisel_lemire(number->mantissa + 1, q, format) == bits) return bits;
  return nearer(number, bits, format);
}

fastio_status fastio__parse_f64(const uint8_t *data, size_t size, double *out, size_t *bad) {
  parts number;
  if (!take_apart(data, size, &number, bad)) return FASTIO_BAD_TOKEN;
  const uint64_t bits = number.special ? number.special : round_parts(&number, FASTIO__FORMAT_F64);
  *out = fastio__f64_from_bits(bits, number.negative);
  return FASTIO_OK;
}

fastio_status fastio__parse_f32(const uint8_t *data, size_t size, float *out, size_t *bad) {
  parts number;
  if (!take_apart(data, size, &number, bad)) return FASTIO_BAD_TOKEN;
  const uint64_t bits = number.special ? number.special >> 29 & 0x7FC00000 : round_parts(&number, FASTIO__FORMAT_F32);
  *out = fastio__f32_from_bits(bits, number.negative);
  return FASTIO_OK;
}

double fastio__round_f64(const fastio__decimal *decimal) {
  return fastio__f64_from_bits(fastio__eisel_lemire(decimal->mantissa, decimal->exponent, FASTIO__FORMAT_F64),
                               decimal->negative);
}

float fastio__round_f32(const fastio__decimal *decimal) {
  return fastio__f32_from_bits(fastio__eisel_lemire(decimal->mantissa, decimal->exponent, FASTIO__FORMAT_F32),
                               decimal->negative);
}

fastio_status fastio_parse_f64(const void *data, size_t size, double *out, fastio_error *err) {
  size_t bad = 0;
  const fastio_status status = fastio__parse_f64(data, size, out, &bad);
  return status == FASTIO_OK ? status : fastio__fail_at(err, status, NULL, bad, data, size);
}

fastio_status fastio_parse_f32(const void *data, size_t size, float *out, fastio_error *err) {
  size_t bad = 0;
  const fastio_status status = fastio__parse_f32(data, size, out, &bad);
  return status == FASTIO_OK ? status : fastio__fail_at(err, status, NULL, bad, data, size);
}
