/* Integers: text to value, one token. */
#include "digits.h"
#include "number.h"

/* What the digits of a token say. `overflow`: more than 64 bits; then `value` means nothing. */
typedef struct magnitude {
  uint64_t value;
  bool overflow;
} magnitude;

/* 1 to 19 decimal digits, in one, two or three words. False if one of the bytes is not a digit. */
static bool decimal_value(const uint8_t *p, size_t size, uint64_t *out) {
  const uint8_t *end = p + size;
  if (size <= 8) {
    const uint64_t word = size == 8 ? fastio__load_digits(p) : fastio__load_few_digits(p, size);
    *out = fastio__digits_value(word);
    return !fastio__digit_faults(word);
  }
  const uint64_t last = fastio__load_digits(end - 8);
  if (size <= 16) {
    const uint64_t first = fastio__load_digits(p) << 8 * (16 - size);
    *out = fastio__digits_value(first) * UINT64_C(100000000) + fastio__digits_value(last);
    return !(fastio__digit_faults(first) | fastio__digit_faults(last));
  }
  const uint64_t first = fastio__load_digits(p) << 8 * (24 - size), middle = fastio__load_digits(end - 16);
  *out = (fastio__digits_value(first) * UINT64_C(100000000) + fastio__digits_value(middle)) * UINT64_C(100000000) +
         fastio__digits_value(last);
  return !(fastio__digit_faults(first) | fastio__digit_faults(middle) | fastio__digit_faults(last));
}

/* The digits p to end, at least one: at most 19 of them after the leading zeros fit for sure, 20 perhaps. */
static const uint8_t *parse_decimal(const uint8_t *p, const uint8_t *end, magnitude *out) {
  out->overflow = false;
  if (FASTIO__UNLIKELY(end - p > 19)) {
    p = fastio__skip_zeros(p, end - 1);
    const uint8_t *stop = fastio__skip_digits(p, end);
    if (stop != end) return stop;
    if (end - p > 20) {
      out->overflow = true;
      return end;
    }
    if (end - p == 20) {
      uint64_t digit = (uint64_t)(end[-1] - '0');
      decimal_value(p, 19, &out->value);
      out->overflow = out->value > (UINT64_MAX - digit) / 10;
      out->value = out->value * 10 + digit;
      return end;
    }
  }
  if (FASTIO__LIKELY(decimal_value(p, (size_t)(end - p), &out->value))) return end;
  return fastio__skip_digits(p, end);
}

/* 36 or more for a byte that is no digit of any base. */
static unsigned digit_value(uint8_t c) {
  unsigned digit = (unsigned)c - '0';
  if (digit < 10) return digit;
  digit = (unsigned)(c | 0x20) - 'a';
  return digit < 26 ? digit + 10 : 36;
}

static const uint8_t *parse_based(const uint8_t *p, const uint8_t *end, unsigned base, magnitude *out) {
  const uint64_t limit = UINT64_MAX / base;
  uint64_t value = 0;
  bool overflow = false;
  for (; p < end; p++) {
    unsigned digit = digit_value(*p);
    if (digit >= base) break;
    uint64_t next = value * base + digit;
    overflow |= value > limit || next < digit;
    value = next;
  }
  *out = (magnitude){value, overflow};
  return p;
}

/* Sign and digits. FASTIO_OK also if the magnitude overflows, since junk further on would weigh more. */
static fastio_status parse_token(const uint8_t *data, size_t size, int base, unsigned *negative, magnitude *out,
                                 size_t *bad) {
  if (FASTIO__UNLIKELY(base < 2 || base > 36)) return FASTIO_INVALID_ARGUMENT;
  const uint8_t *p = data, *stop = data;
  if (FASTIO__LIKELY(size != 0)) {
    const uint8_t *end = data + size;
    *negative = fastio__is_minus(*p);
    p += *negative;
    if (p < end && *p == '+' && !*negative) p++;
    stop = p;
    if (FASTIO__LIKELY(p < end)) {
      stop = base == 10 ? parse_decimal(p, end, out) : parse_based(p, end, (unsigned)base, out);
      if (FASTIO__LIKELY(stop == end)) return FASTIO_OK;
    }
  }
  if (bad) *bad = (size_t)(stop - data);
  return FASTIO_BAD_TOKEN;
}

static fastio_status out_of_range(size_t *bad) {
  if (bad) *bad = 0;
  return FASTIO_OUT_OF_RANGE;
}

fastio_status fastio__parse_i64(const uint8_t *data, size_t size, int base, int64_t *out, size_t *bad) {
  unsigned negative;
  magnitude number;
  fastio_status status = parse_token(data, size, base, &negative, &number, bad);
  if (FASTIO__UNLIKELY(status != FASTIO_OK)) return status;
  if (FASTIO__UNLIKELY(number.overflow || number.value > (uint64_t)INT64_MAX + negative)) return out_of_range(bad);
  /* Two's complement without the signed overflow of -(2^63). */
  uint64_t bits = negative ? 0 - number.value : number.value;
  memcpy(out, &bits, 8);
  return FASTIO_OK;
}

fastio_status fastio__parse_u64(const uint8_t *data, size_t size, int base, uint64_t *out, size_t *bad) {
  unsigned negative;
  magnitude number;
  fastio_status status = parse_token(data, size, base, &negative, &number, bad);
  if (FASTIO__UNLIKELY(status != FASTIO_OK)) return status;
  if (FASTIO__UNLIKELY(number.overflow || (negative && number.value))) return out_of_range(bad);
  *out = number.value;
  return FASTIO_OK;
}

/* ---- The public functions ---- */

static fastio_status fail(fastio_error *err, fastio_status status, size_t bad, const void *data, size_t size) {
  if (status == FASTIO_INVALID_ARGUMENT) return fastio__fail(err, status, "base must be 2 to 36");
  const char *message = status == FASTIO_BAD_TOKEN ? "not an integer" : "integer out of range";
  return fastio__fail_at(err, status, message, bad, data, size);
}

static fastio_status parse_signed(const void *data, size_t size, int base, int64_t least, int64_t *out,
                                  fastio_error *err) {
  size_t bad = 0;
  int64_t value;
  fastio_status status = fastio__parse_i64(data, size, base, &value, &bad);
  if (status == FASTIO_OK && (value < least || value > -(least + 1))) status = FASTIO_OUT_OF_RANGE;
  if (status != FASTIO_OK) return fail(err, status, bad, data, size);
  *out = value;
  return FASTIO_OK;
}

static fastio_status parse_unsigned(const void *data, size_t size, int base, uint64_t most, uint64_t *out,
                                    fastio_error *err) {
  size_t bad = 0;
  uint64_t value;
  fastio_status status = fastio__parse_u64(data, size, base, &value, &bad);
  if (status == FASTIO_OK && value > most) status = FASTIO_OUT_OF_RANGE;
  if (status != FASTIO_OK) return fail(err, status, bad, data, size);
  *out = value;
  return FASTIO_OK;
}

#define PARSE(name, type, wide, through, limit)                                               \
  fastio_status name(const void *data, size_t size, int base, type *out, fastio_error *err) { \
    wide value = 0;                                                                           \
    fastio_status status = through(data, size, base, limit, &value, err);                     \
    if (status == FASTIO_OK) *out = (type)value;                                              \
    return status;                                                                            \
  }
PARSE(fastio_parse_i8, int8_t, int64_t, parse_signed, INT8_MIN)
PARSE(fastio_parse_i16, int16_t, int64_t, parse_signed, INT16_MIN)
PARSE(fastio_parse_i32, int32_t, int64_t, parse_signed, INT32_MIN)
PARSE(fastio_parse_i64, int64_t, int64_t, parse_signed, INT64_MIN)
PARSE(fastio_parse_u8, uint8_t, uint64_t, parse_unsigned, UINT8_MAX)
PARSE(fastio_parse_u16, uint16_t, uint64_t, parse_unsigned, UINT16_MAX)
PARSE(fastio_parse_u32, uint32_t, uint64_t, parse_unsigned, UINT32_MAX)
PARSE(fastio_parse_u64, uint64_t, uint64_t, parse_unsigned, UINT64_MAX)
