/* Floats: text to value, one token. The digits become a 64-bit integer w and a power of ten, which eisel_lemire.h
 * rounds. If there are more than 19 digits, w holds the first 19, and the number lies between w and w + 1: as a
 * rule both round to the same float, else halfway.c decides. */
#include <float.h>

#include "digits.h"
#include "eisel_lemire.h"
#include "halfway.h"
#include "number.h"

/* A token taken apart. */
typedef struct parts {
  fastio__text_decimal text;
  uint64_t mantissa; /* the first 19 significant digits, or all */
  int64_t exponent;  /* of mantissa */
  enum { DIGITS, INFINITE, NOT_A_NUMBER } kind;
  bool negative;
  bool truncated; /* there are more digits */
} parts;

/* How many bytes from p on are those of the lower-case `word`, in either case. */
static size_t match_word(const uint8_t *p, const uint8_t *end, const char *word) {
  size_t n = 0;
  while (p + n < end && word[n] && (p[n] | 0x20) == word[n]) n++;
  return n;
}

/* inf, infinity or nan from p on. Returns where it ends or goes wrong. */
static const uint8_t *take_word(const uint8_t *p, const uint8_t *end, parts *out) {
  const size_t nan = match_word(p, end, "nan"), infinity = match_word(p, end, "infinity");
  if (nan == 3) out->kind = NOT_A_NUMBER;
  /* Neither "inf" nor "infinity": what has a wrong byte behind "inf" is wrong at the first byte that is not of
   * "infinity". */
  if (infinity == 8 || (infinity == 3 && p + 3 == end)) out->kind = INFINITE;
  return p + (nan > infinity ? nan : infinity);
}

/* The exponent from behind the 'e' on. Saturates: no token is long enough to bring 10^17 back into range. */
static const uint8_t *take_exponent(const uint8_t *p, const uint8_t *end, int64_t *out, bool *is_number) {
  const bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  int64_t value = 0;
  *is_number = p < end && fastio__is_digit(*p);
  for (; p < end && fastio__is_digit(*p); p++)
    if (value < INT64_C(100000000000000000)) value = value * 10 + (*p - '0');
  *out = negative ? -value : value;
  return p;
}

/* The digits from p on, appended to *value modulo 2^64. */
static const uint8_t *take_digits(const uint8_t *p, const uint8_t *end, uint64_t *value) {
  for (; end - p >= 8; p += 8) {
    const uint64_t word = fastio__load_digits(p);
    if (fastio__digit_faults(word)) break;
    *value = *value * 100000000 + fastio__digits_value(word);
  }
  for (; p < end && fastio__is_digit(*p); p++) *value = *value * 10 + (uint64_t)(*p - '0');
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

/* Takes a whole token apart, any token. False and *bad set: it is no number. */
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
  else if (p == text->whole && p < end) {
    p = take_word(p, end, out);
    is_number = out->kind != DIGITS;
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
  const uint64_t infinity = (uint64_t)format.infinite << format.mantissa_bits;
  if (number->kind == INFINITE) return infinity;
  if (number->kind == NOT_A_NUMBER) return infinity | UINT64_C(1) << (format.mantissa_bits - 1);
  const int32_t q = clamp(number->exponent);
  const uint64_t bits = fastio__eisel_lemire(number->mantissa, q, format);
  if (FASTIO__LIKELY(!number->truncated) || fastio__eisel_lemire(number->mantissa + 1, q, format) == bits) return bits;
  return nearer(number, bits, format);
}

/* ---- The usual shape: up to 24 bytes of digits, perhaps with a '.', that make at most 19 significant digits ----
 * Taken apart without a loop, so that tokens of differing lengths cost hardly a mispredicted branch: the last 8, the 8
 * before and the first bytes are a word each. Every word is loaded twice, once a byte earlier, and takes from that one
 * what lies in front of the '.', so that the digits stand together without it. */

/* The number w * 10^q of a usual token. */
typedef struct usual {
  uint64_t w;
  int32_t q;
} usual;

/* From byte 24 - n on, the n last bytes of three words are marked: those behind the '.'. */
static const uint8_t behind[48] = {[24] = 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
                                   255,        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

FASTIO__INLINE uint64_t blend(uint64_t word, uint64_t earlier, const uint8_t *marks) {
  return earlier ^ ((earlier ^ word) & fastio__load64le(marks));
}

/* Marks every byte that is '.' and no byte that is a digit. */
FASTIO__INLINE uint64_t find_point(uint64_t word) { return word & FASTIO__EACH_BYTE * 0x10; }

/* Set in every byte from '@' on, which neither digits nor signs nor points are. */
#define LETTERS (FASTIO__EACH_BYTE * 0x40)

/* p to end has no sign and is not empty. `first` and `last` are its first and last 8 bytes; if it has fewer, both
 * are all of it behind '0's. */
FASTIO__INLINE bool take_mantissa(const uint8_t *p, const uint8_t *end, uint64_t first, uint64_t last, usual *out) {
  const size_t size = (size_t)(end - p);
  size_t fraction = 24; /* without a point every byte is marked */
  out->q = 0;
  uint64_t point = find_point(first);
  if (FASTIO__LIKELY(point)) fraction = (size >= 8 ? size : 8) - 1 - fastio__ctz64(point) / 8;
  else if ((point = find_point(last)) != 0) fraction = 7 - fastio__ctz64(point) / 8;
  if (FASTIO__LIKELY(point)) {
    if (FASTIO__UNLIKELY(end[-1 - (ptrdiff_t)fraction] != '.' || size == 1)) return false;
    out->q = -(int32_t)fraction;
  }
  const uint8_t *marks = behind + fraction;
  if (size <= 8) {
    const uint64_t low = blend(first, first << 8, marks + 16);
    out->w = fastio__digits_value(low);
    return !fastio__digit_faults(low);
  }
  const uint64_t low = blend(last, fastio__load_digits(end - 9), marks + 16);
  if (size <= 16) {
    const uint64_t start = first << 8 * (16 - size), middle = blend(start, start << 8, marks + 8);
    out->w = fastio__digits_value(middle) * UINT64_C(100000000) + fastio__digits_value(low);
    return !(fastio__digit_faults(middle) | fastio__digit_faults(low));
  }
  const uint64_t middle = blend(fastio__load_digits(end - 16), fastio__load_digits(end - 17), marks + 8);
  const uint64_t start = first << 8 * (24 - size), high = blend(start, start << 8, marks);
  const uint32_t top = fastio__digits_value(high);
  out->w = (top * UINT64_C(100000000) + fastio__digits_value(middle)) * UINT64_C(100000000) + fastio__digits_value(low);
  return top < 1000 && !(fastio__digit_faults(high) | fastio__digit_faults(middle) | fastio__digit_faults(low));
}

/* p to end has no sign. False: not a usual token. */
FASTIO__INLINE bool take_usual(const uint8_t *p, const uint8_t *end, usual *out) {
  const size_t size = (size_t)(end - p);
  if (FASTIO__UNLIKELY(size - 1 > 23)) return false;
  const uint64_t first = FASTIO__LIKELY(size >= 8) ? fastio__load_digits(p) : fastio__load_few_digits(p, size);
  const uint64_t last = size >= 8 ? fastio__load_digits(end - 8) : first;
  if (FASTIO__UNLIKELY(last & LETTERS)) return false;
  return take_mantissa(p, end, first, last, out);
}

/* The same with an exponent whose 'e' is in the last eight bytes. */
FASTIO__INLINE bool take_with_exponent(const uint8_t *p, const uint8_t *end, usual *out) {
  size_t size = (size_t)(end - p);
  if (size - 1 > 31) return false;
  const uint64_t last = size >= 8 ? fastio__load_digits(end - 8) : fastio__load_few_digits(p, size);
  if (!(last & LETTERS)) return false;
  const unsigned e = fastio__ctz64(last & LETTERS) / 8;
  const unsigned sign = e < 7 ? (unsigned)(last >> 8 * (e + 1)) & 0xFF : 0;
  const bool negative = sign == ('-' ^ '0');
  const unsigned start = e + 1 + (negative || sign == ('+' ^ '0'));
  if (start > 7 || (((last >> 8 * e & 0xFF) ^ '0') | 0x20) != 'e') return false;
  const uint64_t digits = last & UINT64_MAX << 8 * start;
  if (fastio__digit_faults(digits) || !take_usual(p, end - 8 + e, out)) return false;
  const int32_t exponent = (int32_t)fastio__digits_value(digits);
  out->q += negative ? -exponent : exponent;
  return true;
}

/* ---- Doubles and singles ---- */

/* The bits of the number that is not a usual one without exponent. */
FASTIO__INLINE fastio_status parse_other(const uint8_t *data, size_t size, const fastio__float_format format,
                                         uint64_t *bits, bool *negative, size_t *bad) {
  usual number;
  *negative = size && *data == '-';
  if (FASTIO__LIKELY(size && take_with_exponent(data + *negative, data + size, &number))) {
    *bits = fastio__eisel_lemire(number.w, number.q, format);
    return FASTIO_OK;
  }
  parts parts;
  if (!take_apart(data, size, &parts, bad)) return FASTIO_BAD_TOKEN;
  *bits = round_parts(&parts, format);
  return FASTIO_OK;
}

FASTIO__NOINLINE static fastio_status parse_other_f64(const uint8_t *data, size_t size, double *out, size_t *bad) {
  uint64_t bits;
  bool negative;
  const fastio_status status = parse_other(data, size, FASTIO__FORMAT_F64, &bits, &negative, bad);
  if (status == FASTIO_OK) *out = fastio__f64_from_bits(bits, negative);
  return status;
}

FASTIO__NOINLINE static fastio_status parse_other_f32(const uint8_t *data, size_t size, float *out, size_t *bad) {
  uint64_t bits;
  bool negative;
  const fastio_status status = parse_other(data, size, FASTIO__FORMAT_F32, &bits, &negative, bad);
  if (status == FASTIO_OK) *out = fastio__f32_from_bits(bits, negative);
  return status;
}

/* An integer up to 2^53 and a power of ten up to 10^22 are exact doubles, and so the quotient is rounded once:
 * right, unless the registers are wider than the type. Asking for the size first keeps the choice predictable
 * where numbers have 16 or 17 digits. */
static const double exact_powers[16] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                        1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
FASTIO__INLINE bool has_exact_quotient(size_t size, usual number) {
  return FLT_EVAL_METHOD == 0 && size <= 16 && number.w <= UINT64_C(1) << 53;
}

fastio_status fastio__parse_f64(const uint8_t *data, size_t size, double *out, size_t *bad) {
  usual number;
  const unsigned negative = size ? fastio__is_minus(*data) : 0;
  if (FASTIO__UNLIKELY(size == 0 || !take_usual(data + negative, data + size, &number)))
    return parse_other_f64(data, size, out, bad);
  if (has_exact_quotient(size - negative, number)) {
    const double value = (double)(int64_t)number.w / exact_powers[-number.q];
    *out = negative ? -value : value;
  } else {
    *out = fastio__f64_from_bits(fastio__eisel_lemire(number.w, number.q, FASTIO__FORMAT_F64), negative);
  }
  return FASTIO_OK;
}

fastio_status fastio__parse_f32(const uint8_t *data, size_t size, float *out, size_t *bad) {
  usual number;
  const unsigned negative = size ? fastio__is_minus(*data) : 0;
  if (FASTIO__UNLIKELY(size == 0 || !take_usual(data + negative, data + size, &number)))
    return parse_other_f32(data, size, out, bad);
  *out = fastio__f32_from_bits(fastio__eisel_lemire(number.w, number.q, FASTIO__FORMAT_F32), negative);
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
