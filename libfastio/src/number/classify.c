/* What a text could be. Inference stands on this, so it is exact: whatever is given as a number, date or time here,
 * the parsers accept. The first byte decides which kinds are possible; behind digits, the byte that ends them does. */
#include "digits.h"
#include "number.h"

/* Behind the last digit from p on; reads nothing before `data`. Bytes beyond a short tail are zeros here, which no
 * digit is mistaken for; the first fault in a word is exact. */
FASTIO__INLINE const uint8_t *behind_digits(const uint8_t *data, const uint8_t *p, const uint8_t *end) {
  for (; end - p >= 8; p += 8) {
    const uint64_t faults = fastio__digit_faults(fastio__load_digits(p));
    if (faults) return p + fastio__ctz64(faults) / 8;
  }
  if (p == end) return end;
  const size_t left = (size_t)(end - p);
  const uint64_t tail = end - data >= 8 ? fastio__load_digits(end - 8) : fastio__load_few_digits(p, left);
  const uint64_t faults = fastio__digit_faults(tail >> 8 * (8 - left));
  return faults ? p + fastio__ctz64(faults) / 8 : end;
}

/* 1 to any number of digits without a leading zero: of equally many, their order is that of the bytes. */
static unsigned classify_integer(const uint8_t *digits, size_t count, bool negative) {
  if (FASTIO__LIKELY(count < 19)) return negative ? FASTIO__IS_NEGATIVE : FASTIO__IS_NATURAL;
  if (count == 19 && memcmp(digits, negative ? "9223372036854775808" : "9223372036854775807", 19) <= 0)
    return negative ? FASTIO__IS_NEGATIVE : FASTIO__IS_NATURAL;
  if (negative || count > 20) return FASTIO__IS_BIG;
  return count == 19 || memcmp(digits, "18446744073709551615", 20) <= 0 ? FASTIO__IS_UINT64 : FASTIO__IS_BIG;
}

/* From the 'e' on. */
static unsigned classify_exponent(const uint8_t *data, const uint8_t *e, const uint8_t *end) {
  const uint8_t *p = e + 1;
  if (p < end && (*p == '-' || *p == '+')) p++;
  return p < end && behind_digits(data, p, end) == end ? FASTIO__IS_FLOAT : FASTIO__IS_TEXT;
}

/* From the '.' on. */
static unsigned classify_fraction(const uint8_t *data, const uint8_t *point, const uint8_t *end, bool has_whole) {
  const uint8_t *stop = behind_digits(data, point + 1, end);
  if (stop == point + 1 && !has_whole) return FASTIO__IS_TEXT;
  if (stop == end) return FASTIO__IS_FLOAT;
  return (*stop | 0x20) == 'e' ? classify_exponent(data, stop, end) : FASTIO__IS_TEXT;
}

static unsigned classify_date(const uint8_t *data, size_t size) {
  int32_t days;
  int64_t time;
  int zone;
  if (size == 10) return fastio__parse_date(data, size, &days, NULL) == FASTIO_OK ? FASTIO__IS_DATE : FASTIO__IS_TEXT;
  if (fastio__parse_timestamp(data, size, &time, &zone, NULL) != FASTIO_OK) return FASTIO__IS_TEXT;
  return zone ? FASTIO__IS_TIMESTAMP_UTC : FASTIO__IS_TIMESTAMP;
}

static unsigned classify_time(const uint8_t *data, size_t size) {
  int64_t time;
  return fastio__parse_time(data, size, &time, NULL) == FASTIO_OK ? FASTIO__IS_TIME : FASTIO__IS_TEXT;
}

/* `p` is at the first digit, behind a minus sign if `negative`. */
FASTIO__INLINE unsigned classify_digits(const uint8_t *data, const uint8_t *p, const uint8_t *end, bool negative) {
  const uint8_t *stop = behind_digits(data, p, end);
  const bool padded = *p == '0' && stop - p > 1;
  if (stop == end) return padded ? FASTIO__IS_TEXT : classify_integer(p, (size_t)(end - p), negative);
  switch (*stop) {
    case '.': return padded ? FASTIO__IS_TEXT : classify_fraction(data, stop, end, true);
    case 'e':
    case 'E': return padded ? FASTIO__IS_TEXT : classify_exponent(data, stop, end);
    case '-': return stop - data == 4 && !negative ? classify_date(data, (size_t)(end - data)) : FASTIO__IS_TEXT;
    case ':': return stop - data == 2 && !negative ? classify_time(data, (size_t)(end - data)) : FASTIO__IS_TEXT;
    default: return FASTIO__IS_TEXT;
  }
}

static unsigned classify_word(const uint8_t *data, size_t size) {
  double value;
  return fastio__parse_f64(data, size, &value, NULL) == FASTIO_OK ? FASTIO__IS_WORD : FASTIO__IS_TEXT;
}

static unsigned classify_signed(const uint8_t *data, size_t size) {
  const uint8_t *p = data + 1, *end = data + size;
  const bool negative = *data == '-';
  if (p == end) return FASTIO__IS_TEXT;
  if (fastio__is_digit(*p)) return negative ? classify_digits(data, p, end, true) : FASTIO__IS_TEXT;
  if (*p == '.') return negative ? classify_fraction(data, p, end, false) : FASTIO__IS_TEXT;
  return (*p | 0x20) == 'i' || (*p | 0x20) == 'n' ? classify_word(data, size) : FASTIO__IS_TEXT;
}

unsigned fastio__classify(const uint8_t *data, size_t size) {
  bool value;
  if (size == 0) return FASTIO__IS_TEXT;
  if (fastio__is_digit(*data)) return classify_digits(data, data, data + size, false);
  switch (*data) {
    case '-':
    case '+': return classify_signed(data, size);
    case '.': return classify_fraction(data, data, data + size, false);
    case 'i':
    case 'I':
    case 'n':
    case 'N': return size == 3 || size == 8 ? classify_word(data, size) : FASTIO__IS_TEXT;
    case 't':
    case 'T':
    case 'f':
    case 'F': return fastio__parse_bool(data, size, &value) == FASTIO_OK ? FASTIO__IS_BOOL : FASTIO__IS_TEXT;
    default: return FASTIO__IS_TEXT;
  }
}
