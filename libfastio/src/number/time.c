/* Dates, times and timestamps: ISO 8601 and RFC 3339, text to value and value to text.
 *
 * The way between days and the calendar is that of Cassio Neri and Lorenz Schneider, "Euclidean affine functions and
 * their application to calendar algorithms", Software: Practice and Experience 53, 2023: years start in March, so that
 * the leap day is the last one, and the months' lengths 31, 30, 31, 30, 31, 31, ... are those of a straight line,
 * rounded. */
#include "digits.h"
#include "format.h"
#include "number.h"

#define NANOSECONDS INT64_C(1000000000) /* of a second */
#define DAY_SECONDS 86400
#define EPOCH 719468 /* days from 0000-03-01 to 1970-01-01 */

/* ---- The calendar ---- */

static bool is_leap(unsigned year) { return (year & (year % 25 ? 3 : 15)) == 0; }

/* The lengths 30 and 31 alternate, but for July and August: their parity is that of the month's bit 0 and bit 3. */
FASTIO__INLINE unsigned month_days(unsigned year, unsigned month) {
  return month == 2 ? 28u + is_leap(year) : 30 | (month ^ month >> 3);
}

/* From the first of March to that of each month; January and February are the last months of the year before. */
static const uint16_t month_starts[13] = {0, 306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275};

FASTIO__INLINE int32_t days_from_date(unsigned year, unsigned month, unsigned day) {
  const unsigned y = year - (month <= 2), century = y / 100;
  return (int32_t)(1461 * y / 4 - century + century / 4 + month_starts[month] + day - 1) - EPOCH;
}

typedef struct civil {
  unsigned year, month, day;
} civil;

static civil date_from_days(int32_t days) {
  const uint32_t in_centuries = 4 * (uint32_t)(days + EPOCH) + 3; /* quarters of a day */
  const uint32_t century = in_centuries / 146097, in_years = in_centuries % 146097 / 4 * 4 + 3;
  const uint64_t product = UINT64_C(2939745) * in_years; /* 2^32 / 1461, rounded up: year, and fraction of it */
  const uint32_t year = 100 * century + (uint32_t)(product >> 32), day_of_year = (uint32_t)product / 2939745 / 4;
  const uint32_t months = 2141 * day_of_year + 197913; /* 16 bits of fraction */
  const bool early = day_of_year >= 306;
  return (civil){year + early, (months >> 16) - (early ? 12 : 0), (months & 0xFFFF) / 2141 + 1};
}

/* ---- Text to value: words of eight bytes ----
 * The digits of a date or a time of day are pushed together, so that each two of them make a lane of 16 bits. What is
 * not right is just found to be wrong here; the walk below finds out where. */

#define LANE(word, i) ((unsigned)((word) >> 16 * (i)) & 0xFFFF)

/* Pairs of digits to lanes. */
FASTIO__INLINE uint64_t pairs_value(uint64_t digits) {
  return digits * (1 + (10 << 8)) >> 8 & UINT64_C(0x00FF00FF00FF00FF);
}

/* Ten bytes: "2024-02-29". */
FASTIO__INLINE bool take_date(const uint8_t *p, int32_t *out) {
  const uint64_t start = fastio__load_digits(p), rest = fastio__load_digits(p + 2);
  const uint64_t digits = (start & UINT64_C(0x00000000FFFFFFFF)) | (start >> 8 & UINT64_C(0x0000FFFF00000000)) |
                          (rest & UINT64_C(0xFFFF000000000000));
  const uint64_t dashes = UINT64_C(0xFF0000FF00000000), dash = (uint64_t)('-' ^ '0');
  if (FASTIO__UNLIKELY((start & dashes) != (dash << 56 | dash << 32) || fastio__digit_faults(digits))) return false;
  const uint64_t pairs = pairs_value(digits);
  const unsigned year = LANE(pairs, 0) * 100 + LANE(pairs, 1), month = LANE(pairs, 2), day = LANE(pairs, 3);
  if (FASTIO__UNLIKELY(year == 0 || month - 1 >= 12 || day == 0)) return false;
  if (FASTIO__UNLIKELY(day > 28) && day > month_days(year, month)) return false;
  *out = days_from_date(year, month, day);
  return true;
}

typedef struct clock {
  int32_t seconds; /* since midnight */
  int32_t nanoseconds;
} clock;

/* One to nine decimals from *at on, and *at behind them; eight bytes in front of `end` are readable. What the last word
 * lacks is zeros, as the value wants it. */
FASTIO__INLINE bool take_fraction(const uint8_t **at, const uint8_t *end, int32_t *nanoseconds) {
  const uint8_t *p = *at;
  const size_t left = (size_t)(end - p);
  if (FASTIO__UNLIKELY(left == 0)) return false;
  uint64_t word = left >= 8 ? fastio__load_digits(p) : fastio__load_digits(end - 8) >> 8 * (8 - left);
  const uint64_t faults = fastio__digit_faults(word);
  size_t count = left < 8 ? left : 8;
  unsigned ninth = 0;
  if (faults) {
    count = fastio__ctz64(faults) / 8;
    word &= (UINT64_C(1) << 8 * count) - 1;
  } else if (left > 8 && fastio__is_digit(p[8])) {
    count = 9;
    ninth = p[8] - '0';
  }
  *at = p + count;
  *nanoseconds = (int32_t)(fastio__digits_value(word) * 10 + ninth);
  return count != 0;
}

/* "23:59", "23:59:59", "23:59:59.5" from *at on, and *at behind it. */
FASTIO__INLINE bool take_clock(const uint8_t **at, const uint8_t *end, clock *out) {
  const uint8_t *p = *at;
  const size_t size = (size_t)(end - p);
  const uint64_t colon = (uint64_t)(':' ^ '0'), colons = UINT64_C(0x0000FF0000FF0000);
  if (FASTIO__UNLIKELY(size < 5)) return false;
  uint64_t word = FASTIO__LIKELY(size >= 8) ? fastio__load_digits(p)
                                            : fastio__load_few_digits(p, size) >> 8 * (8 - size);
  const bool has_seconds = size >= 8 && p[5] == ':';
  if (FASTIO__UNLIKELY(!has_seconds)) word = (word & UINT64_C(0xFFFFFFFFFF)) | colon << 40; /* as if ":00" followed */
  const uint64_t digits = (word & 0xFFFF) | (word >> 8 & UINT64_C(0xFFFF0000)) |
                          (word >> 16 & UINT64_C(0x0000FFFF00000000));
  if (FASTIO__UNLIKELY((word & colons) != (colon << 40 | colon << 16) || fastio__digit_faults(digits))) return false;
  const uint64_t pairs = pairs_value(digits);
  const unsigned hour = LANE(pairs, 0), minute = LANE(pairs, 1), second = LANE(pairs, 2);
  if (FASTIO__UNLIKELY(hour > 23 || minute > 59 || second > 59)) return false;
  *out = (clock){(int32_t)(hour * 3600 + minute * 60 + second), 0};
  *at = p + (has_seconds ? 8 : 5);
  if (!has_seconds || *at == end || **at != '.') return true;
  ++*at;
  return take_fraction(at, end, &out->nanoseconds);
}

FASTIO__INLINE bool take_pair(const uint8_t *p, unsigned limit, unsigned *out) {
  const unsigned tens = (unsigned)p[0] - '0', ones = (unsigned)p[1] - '0';
  *out = tens * 10 + ones;
  return tens < 10 && ones < 10 && *out < limit;
}

/* "Z", "+01:00", "+0100", "+01". */
FASTIO__INLINE bool take_zone(const uint8_t *p, const uint8_t *end, int32_t *seconds) {
  const ptrdiff_t size = end - p;
  unsigned hours, minutes = 0;
  *seconds = 0;
  if (FASTIO__LIKELY(size == 1)) return (*p | 0x20) == 'z';
  if ((size != 6 || p[3] != ':') && size != 5 && size != 3) return false;
  if ((*p != '+' && *p != '-') || !take_pair(p + 1, 24, &hours)) return false;
  if (size != 3 && !take_pair(end - 2, 60, &minutes)) return false;
  *seconds = (int32_t)(hours * 3600 + minutes * 60);
  if (*p == '-') *seconds = -*seconds;
  return true;
}

/* ---- Where it went wrong: the same grammar from left to right ---- */

typedef struct walk {
  const uint8_t *data;
  size_t size, at;
} walk;

static int peek(const walk *walk) { return walk->at < walk->size ? walk->data[walk->at] : -1; }

static bool pass(walk *walk, const char *any) {
  const int byte = peek(walk);
  if (byte <= 0 || !strchr(any, byte)) return false;
  walk->at++;
  return true;
}

/* A number out of its limits is wrong from its start on. */
static bool pass_number(walk *walk, unsigned digits, unsigned least, unsigned most, unsigned *out) {
  *out = 0;
  for (unsigned i = 0; i < digits; i++, walk->at++) {
    const int byte = peek(walk);
    if (byte < '0' || byte > '9') return false;
    *out = *out * 10 + (unsigned)(byte - '0');
  }
  if (*out >= least && *out <= most) return true;
  walk->at -= digits;
  return false;
}

static bool pass_date(walk *walk) {
  unsigned year, month, day;
  return pass_number(walk, 4, 1, 9999, &year) && pass(walk, "-") && pass_number(walk, 2, 1, 12, &month) &&
         pass(walk, "-") && pass_number(walk, 2, 1, month_days(year, month), &day);
}

static bool pass_time(walk *walk) {
  unsigned number;
  if (!pass_number(walk, 2, 0, 23, &number) || !pass(walk, ":") || !pass_number(walk, 2, 0, 59, &number)) return false;
  if (!pass(walk, ":")) return true;
  if (!pass_number(walk, 2, 0, 59, &number)) return false;
  if (!pass(walk, ".")) return true;
  if (!pass_number(walk, 1, 0, 9, &number)) return false;
  for (unsigned i = 1; i < 9 && pass_number(walk, 1, 0, 9, &number);) i++;
  return true;
}

static void pass_zone(walk *walk) {
  unsigned number;
  if (pass(walk, "Zz") || !pass(walk, "+-") || !pass_number(walk, 2, 0, 23, &number)) return;
  if (pass(walk, ":") || peek(walk) >= 0) pass_number(walk, 2, 0, 59, &number);
}

FASTIO__NOINLINE static fastio_status bad_date(const uint8_t *data, size_t size, size_t *bad) {
  walk walk = {data, size, 0};
  pass_date(&walk);
  if (bad) *bad = walk.at;
  return FASTIO_BAD_TOKEN;
}

FASTIO__NOINLINE static fastio_status bad_time(const uint8_t *data, size_t size, size_t *bad) {
  walk walk = {data, size, 0};
  pass_time(&walk);
  if (bad) *bad = walk.at;
  return FASTIO_BAD_TOKEN;
}

FASTIO__NOINLINE static fastio_status bad_timestamp(const uint8_t *data, size_t size, size_t *bad) {
  walk walk = {data, size, 0};
  if (pass_date(&walk) && pass(&walk, "Tt ") && pass_time(&walk)) pass_zone(&walk);
  if (bad) *bad = walk.at;
  return FASTIO_BAD_TOKEN;
}

/* ---- Whole tokens ---- */

fastio_status fastio__parse_date(const uint8_t *data, size_t size, int32_t *out, size_t *bad) {
  if (FASTIO__LIKELY(size == 10 && take_date(data, out))) return FASTIO_OK;
  return bad_date(data, size, bad);
}

fastio_status fastio__parse_time(const uint8_t *data, size_t size, int64_t *out, size_t *bad) {
  clock clock;
  const uint8_t *at = data;
  if (FASTIO__UNLIKELY(size == 0 || !take_clock(&at, data + size, &clock) || at != data + size))
    return bad_time(data, size, bad);
  *out = clock.seconds * NANOSECONDS + clock.nanoseconds;
  return FASTIO_OK;
}

/* All that 64 bits hold: from -2^63 = -9223372037 s + 145224192 ns to 2^63 - 1 = 9223372036 s + 854775807 ns. */
FASTIO__INLINE bool join(int64_t seconds, int64_t nanoseconds, int64_t *out) {
  const int64_t least = INT64_C(-9223372037), most = INT64_C(9223372036);
  if (FASTIO__UNLIKELY(seconds <= least || seconds >= most)) {
    if (seconds < least || (seconds == least && nanoseconds < 145224192)) return false;
    if (seconds > most || (seconds == most && nanoseconds > 854775807)) return false;
    if (seconds == least) seconds++, nanoseconds -= NANOSECONDS; /* so that no step overflows */
  }
  *out = seconds * NANOSECONDS + nanoseconds;
  return true;
}

/* From behind the date on. */
FASTIO__INLINE bool take_time_and_zone(const uint8_t *p, const uint8_t *end, clock *clock, int *zone, int32_t *offset) {
  if (FASTIO__UNLIKELY((*p | 0x20) != 't' && *p != ' ')) return false;
  p++;
  if (FASTIO__UNLIKELY(!take_clock(&p, end, clock))) return false;
  *zone = p != end;
  return p == end || take_zone(p, end, offset);
}

fastio_status fastio__parse_timestamp(const uint8_t *data, size_t size, int64_t *out, int *zone, size_t *bad) {
  int32_t days, offset = 0;
  int has_zone = 0;
  clock clock = {0, 0};
  if (FASTIO__UNLIKELY(size < 10 || !take_date(data, &days))) return bad_timestamp(data, size, bad);
  if (size > 10 && FASTIO__UNLIKELY(!take_time_and_zone(data + 10, data + size, &clock, &has_zone, &offset)))
    return bad_timestamp(data, size, bad);
  if (FASTIO__UNLIKELY(!join((int64_t)days * DAY_SECONDS + clock.seconds - offset, clock.nanoseconds, out))) {
    if (bad) *bad = 0;
    return FASTIO_OUT_OF_RANGE;
  }
  *zone = has_zone;
  return FASTIO_OK;
}

fastio_status fastio_parse_date(const void *data, size_t size, int32_t *out, fastio_error *err) {
  size_t bad = 0;
  const fastio_status status = fastio__parse_date(data, size, out, &bad);
  return status == FASTIO_OK ? status : fastio__fail_at(err, status, "not a date", bad, data, size);
}

fastio_status fastio_parse_time(const void *data, size_t size, int64_t *out, fastio_error *err) {
  size_t bad = 0;
  const fastio_status status = fastio__parse_time(data, size, out, &bad);
  return status == FASTIO_OK ? status : fastio__fail_at(err, status, "not a time of day", bad, data, size);
}

fastio_status fastio_parse_timestamp(const void *data, size_t size, int64_t *out, int *has_zone, fastio_error *err) {
  size_t bad = 0;
  const fastio_status status = fastio__parse_timestamp(data, size, out, has_zone, &bad);
  if (status == FASTIO_OK) return status;
  const char *message = status == FASTIO_BAD_TOKEN ? "not a timestamp" : "timestamp out of range";
  return fastio__fail_at(err, status, message, bad, data, size);
}

/* ---- Value to text ---- */

/* "YYYY-MM-DD", and a byte more, from a date's digits in a row. */
FASTIO__INLINE void write_date(civil date, char *out) {
  const uint64_t word = fastio__value_digits(date.year * 10000 + date.month * 100 + date.day);
  const uint64_t dash = '-' ^ '0', month = word >> 32 & 0xFFFF;
  fastio__store_digits(out, (word & UINT64_C(0xFFFFFFFF)) | dash << 32 | month << 40 | dash << 56);
  out[8] = (char)('0' + (word >> 48 & 15));
  out[9] = (char)('0' + (word >> 56));
}

size_t fastio_format_date(int32_t days, char *out) {
  if (days < -719162 || days > 2932896) return 0; /* 0001-01-01, 9999-12-31 */
  write_date(date_from_days(days), out);
  return 10;
}

/* ".123", ".123456" or ".123456789": zeros are left out by threes. */
FASTIO__INLINE size_t write_fraction(uint32_t nanoseconds, char *out) {
  const uint32_t first = nanoseconds / 100000000;
  const uint64_t word = fastio__value_digits(nanoseconds - first * 100000000);
  const unsigned zeros = fastio__clz64(word | 1) / 8; /* of the last eight digits, at most seven */
  out[0] = '.';
  out[1] = (char)('0' + first);
  fastio__store_digits(out + 2, word);
  return 10 - (zeros >= 6 ? 6 : zeros >= 3 ? 3 : 0);
}

FASTIO__INLINE size_t write_time(uint32_t seconds, uint32_t nanoseconds, char *out) {
  const uint32_t minutes = seconds / 60, hours = seconds / 3600;
  const uint64_t word = fastio__value_digits(hours * 1000000 + (minutes - hours * 60) * 1000 +
                                             (seconds - minutes * 60));
  /* "HH" and "MM" and "SS" are the last digits of two and three and three: the colons go where zeros are. */
  fastio__store_digits(out, word | (uint64_t)(':' ^ '0') << 16 | (uint64_t)(':' ^ '0') << 40);
  return nanoseconds == 0 ? 8 : 8 + write_fraction(nanoseconds, out + 8);
}

size_t fastio_format_time(int64_t nanoseconds, char *out) {
  if (nanoseconds < 0 || nanoseconds >= DAY_SECONDS * NANOSECONDS) return 0;
  return write_time((uint32_t)(nanoseconds / NANOSECONDS), (uint32_t)(nanoseconds % NANOSECONDS), out);
}

size_t fastio_format_timestamp(int64_t nanoseconds, fastio_type type, char *out) {
  const int64_t least_day = -106752; /* of those that 64 bits hold: from it on, seconds are positive */
  int64_t seconds = nanoseconds / NANOSECONDS, rest = nanoseconds % NANOSECONDS;
  if (rest < 0) rest += NANOSECONDS, seconds--;
  const uint64_t since = (uint64_t)(seconds - least_day * DAY_SECONDS), days = since / DAY_SECONDS;
  write_date(date_from_days((int32_t)((int64_t)days + least_day)), out);
  out[10] = 'T';
  const size_t size = 11 + write_time((uint32_t)(since - days * DAY_SECONDS), (uint32_t)rest, out + 11);
  out[size] = 'Z';
  return size + (type == FASTIO_TIMESTAMP_UTC);
}
