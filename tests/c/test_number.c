/* Single numbers: grammar, limits, rounding and shortest digits, against hand-written answers and against the C
 * library.
 *
 * test_number [FACTOR]          FACTOR times as many random numbers test_number --exhaustive-f32  every float32:
 * written, read back, and compared */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../libfastio/src/number/number.h"
#include "../../libfastio/src/number/wide.h"

/* Whether strtod and printf are exact, to be a reference. */
#ifdef __GLIBC__
#  define EXACT_LIBC 1
#else
#  define EXACT_LIBC 0
#endif

static long passed, failed;

static void check_failed(int line, const char *format, ...) {
  va_list arguments;
  failed++;
  if (failed > 50) return;
  fprintf(stderr, "%s:%d: ", __FILE__, line);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
}
/* CHECK(condition, format, ...): the rest says what was seen. */
#define CHECK(condition, ...) ((condition) ? (void)passed++ : check_failed(__LINE__, __VA_ARGS__))

static uint64_t seed = 1;
static uint64_t random64(void) { /* splitmix64 */
  uint64_t x = seed += UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
  return x ^ (x >> 31);
}
static unsigned random_below(unsigned limit) { return (unsigned)(random64() % limit); }

static uint64_t bits64(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
static uint32_t bits32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
static double from_bits64(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static float from_bits32(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* A copy without a byte to spare on either side, so that a sanitizer sees every stray read. */
static uint8_t *exact_copy(const char *text, size_t size) {
  uint8_t *copy = malloc(size ? size : 1);
  if (!copy) abort();
  if (size) memcpy(copy, text, size);
  return copy;
}

typedef struct answer {
  fastio_status status;
  uint64_t bits;
  size_t bad;
} answer;

typedef enum kind { SIGNED, UNSIGNED, DOUBLE, SINGLE } kind;

static answer parse(kind kind, const char *text, size_t size, int base) {
  uint8_t *copy = exact_copy(text, size);
  answer got = {FASTIO_OK, 0, SIZE_MAX};
  int64_t i = 0;
  double d = 0;
  float f = 0;
  switch (kind) {
    case SIGNED:
      got.status = fastio__parse_i64(copy, size, base, &i, &got.bad);
      got.bits = (uint64_t)i;
      break;
    case UNSIGNED: got.status = fastio__parse_u64(copy, size, base, &got.bits, &got.bad); break;
    case DOUBLE:
      got.status = fastio__parse_f64(copy, size, &d, &got.bad);
      got.bits = bits64(d);
      break;
    case SINGLE:
      got.status = fastio__parse_f32(copy, size, &f, &got.bad);
      got.bits = bits32(f);
      break;
  }
  free(copy);
  return got;
}

/* ---- Integers ---- */

static void check_signed(const char *text, int base, int64_t expected) {
  const answer got = parse(SIGNED, text, strlen(text), base);
  CHECK(got.status == FASTIO_OK && got.bits == (uint64_t)expected, "%s: status %d, %lld", text, (int)got.status,
        (long long)got.bits);
}
static void check_unsigned(const char *text, int base, uint64_t expected) {
  const answer got = parse(UNSIGNED, text, strlen(text), base);
  CHECK(got.status == FASTIO_OK && got.bits == expected, "%s: status %d, %llu", text, (int)got.status,
        (unsigned long long)got.bits);
}
static void check_range(kind kind, const char *text, int base) {
  const answer got = parse(kind, text, strlen(text), base);
  CHECK(got.status == FASTIO_OUT_OF_RANGE, "%s: status %d instead of out of range", text, (int)got.status);
}
static void check_bad(kind kind, const char *text, size_t size, int base, size_t bad) {
  const answer got = parse(kind, text, size, base);
  CHECK(got.status == FASTIO_BAD_TOKEN && got.bad == bad, "%.*s: status %d at %zu instead of bad token at %zu",
        (int)size, text, (int)got.status, got.bad, bad);
}

static void test_integer_table(void) {
  check_signed("0", 10, 0);
  check_signed("-0", 10, 0);
  check_signed("+1", 10, 1);
  check_signed("007", 10, 7);
  check_signed("00000000000000000000000000000000000000000042", 10, 42);
  check_signed("-00000000000000000000000000000000000000000042", 10, -42);
  check_signed("00000000000000000000", 10, 0);
  check_signed("9223372036854775807", 10, INT64_MAX);
  check_signed("+0009223372036854775807", 10, INT64_MAX);
  check_signed("-9223372036854775808", 10, INT64_MIN);
  check_signed("1582218195625938945", 10, INT64_C(1582218195625938945));
  check_signed("9104209908849226329", 10, INT64_C(9104209908849226329));
  check_signed("9007199254740993", 10, INT64_C(9007199254740993));
  check_signed("-7fffffffffffffff", 16, -INT64_MAX);
  check_signed("-8000000000000000", 16, INT64_MIN);
  check_signed("zz", 36, 35 * 36 + 35);
  check_signed("Zz", 36, 35 * 36 + 35);
  check_signed("-101", 2, -5);
  check_signed("77", 8, 63);
  check_unsigned("18446744073709551615", 10, UINT64_MAX);
  check_unsigned("00000018446744073709551615", 10, UINT64_MAX);
  check_unsigned("17758512297797920768", 10, UINT64_C(17758512297797920768));
  check_unsigned("9223372036854775808", 10, UINT64_C(9223372036854775808));
  check_unsigned("-0", 10, 0);
  check_unsigned("-00000000000000000000000000000", 10, 0);
  check_unsigned("ffffFFFFffffFFFF", 16, UINT64_MAX);
  check_unsigned("1111111111111111111111111111111111111111111111111111111111111111", 2, UINT64_MAX);
  check_unsigned("3w5e11264sgsf", 36, UINT64_MAX);
  check_range(SIGNED, "9223372036854775808", 10);
  check_range(SIGNED, "-9223372036854775809", 10);
  check_range(SIGNED, "18446744073709551615", 10);
  check_range(SIGNED, "18446744073709551616", 10);
  check_range(SIGNED, "2222222222222222222222222", 10);
  check_range(SIGNED, "8000000000000000", 16);
  check_range(UNSIGNED, "18446744073709551616", 10);
  check_range(UNSIGNED, "18446744073709551620", 10);
  check_range(UNSIGNED, "27446744073709551615", 10);
  check_range(UNSIGNED, "99999999999999999999", 10);
  check_range(UNSIGNED, "100000000000000000000", 10);
  check_range(UNSIGNED, "-1", 10);
  check_range(UNSIGNED, "-43", 10);
  check_range(UNSIGNED, "-99999999999999999999999", 10);
  check_range(UNSIGNED, "10000000000000000", 16);
  check_range(UNSIGNED, "3w5e11264sgsg", 36);
}

static void test_integer_junk(void) {
  static const struct {
    const char *text;
    int base;
    size_t bad;
  } cases[] = {{"", 10, 0},
               {"+", 10, 1},
               {"-", 10, 1},
               {"--1", 10, 1},
               {"+-1", 10, 1},
               {"1-", 10, 1},
               {" 1", 10, 0},
               {"1 ", 10, 1},
               {"12abc", 10, 2},
               {"0x10", 10, 1},
               {"0x10", 16, 1},
               {"100o100", 10, 3},
               {"1_000", 10, 1},
               {"1234_5678", 10, 4},
               {"1.0", 10, 1},
               {"1e3", 10, 1},
               {"1,000", 10, 1},
               {"1a2.3", 10, 1},
               {"99999999999999999999x", 10, 20},
               {"-99999999999999999999x", 10, 21},
               {"9999999999999999999999999999x9", 10, 28},
               {"00000000000000000000000x", 10, 23},
               {"12345678:", 10, 8},
               {"1234567/12345678", 10, 7},
               {"2", 2, 0},
               {"12", 2, 1},
               {"7778", 8, 3},
               {"ffffffffffffffffffffg", 16, 20},
               {"\xD9\xA1", 10, 0}, /* ARABIC-INDIC DIGIT ONE */
               {"\xEF\xBC\x91", 10, 0},
               {"12345678\xB1", 10, 8},
               {"\xB1\xB2\xB3\xB4\xB5\xB6\xB7\xB8", 10, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const size_t size = strlen(cases[i].text);
    check_bad(SIGNED, cases[i].text, size, cases[i].base, cases[i].bad);
    check_bad(UNSIGNED, cases[i].text, size, cases[i].base, cases[i].bad);
  }
  check_bad(SIGNED, "1\0002", 3, 10, 1);
  check_bad(UNSIGNED, "-5x", 3, 10, 2);
  for (int base = -1; base < 40; base++) {
    const bool known = base >= 2 && base <= 36;
    const answer got = parse(SIGNED, "1", 1, base);
    CHECK(got.status == (known ? FASTIO_OK : FASTIO_INVALID_ARGUMENT), "base %d: status %d", base, (int)got.status);
  }
}

/* Every byte value at every place of numbers of every length: only digits (and a sign in front) pass. */
static void test_integer_bytes(void) {
  static const char digits[] = "123456789012345678901234";
  for (size_t size = 1; size <= 24; size++) {
    for (size_t place = 0; place < size; place++) {
      for (int byte = 0; byte < 256; byte++) {
        char text[24];
        memcpy(text, digits, size);
        text[place] = (char)byte;
        const bool digit = byte >= '0' && byte <= '9', sign = place == 0 && (byte == '+' || byte == '-');
        if (digit || (sign && size > 1)) {
          const answer got = parse(SIGNED, text, size, 10);
          CHECK(got.status == FASTIO_OK || (size > 18 && got.status == FASTIO_OUT_OF_RANGE), "%.*s: %d", (int)size,
                text, (int)got.status);
        } else {
          check_bad(SIGNED, text, size, 10, sign ? 1 : place);
        }
      }
    }
  }
}

/* All of -70000 to 70000 through the eight public functions. */
#define CHECK_TYPE(name, type, least, most)                                                            \
  do {                                                                                                 \
    type got = 99;                                                                                     \
    const fastio_status status = fastio_parse_##name(text, (size_t)size, 10, &got, NULL);              \
    if (value >= (least) && value <= (most))                                                           \
      CHECK(status == FASTIO_OK && got == (type)value, #name " %s: status %d", text, (int)status);     \
    else CHECK(status == FASTIO_OUT_OF_RANGE && got == 99, #name " %s: status %d", text, (int)status); \
  } while (0)
static void test_small_types(void) {
  for (long long value = -70000; value <= 70000; value++) {
    char text[16];
    const int size = snprintf(text, sizeof text, "%lld", value);
    CHECK_TYPE(i8, int8_t, INT8_MIN, INT8_MAX);
    CHECK_TYPE(i16, int16_t, INT16_MIN, INT16_MAX);
    CHECK_TYPE(i32, int32_t, INT32_MIN, INT32_MAX);
    CHECK_TYPE(i64, int64_t, INT64_MIN, INT64_MAX);
    CHECK_TYPE(u8, uint8_t, 0, UINT8_MAX);
    CHECK_TYPE(u16, uint16_t, 0, UINT16_MAX);
    CHECK_TYPE(u32, uint32_t, 0, UINT32_MAX);
    CHECK_TYPE(u64, uint64_t, 0, INT64_MAX);
  }
  for (long long value = INT64_C(0x7FFFFFFF) - 300; value < INT64_C(0x7FFFFFFF) + 300; value++) {
    for (int side = 0; side < 3; side++) {
      const long long shifted = side == 0 ? value : side == 1 ? -value : value + INT64_C(0x80000000);
      char text[24];
      const int size = snprintf(text, sizeof text, "%lld", shifted);
      int32_t i = 99;
      uint32_t u = 99;
      const fastio_status signed_status = fastio_parse_i32(text, (size_t)size, 10, &i, NULL);
      const fastio_status unsigned_status = fastio_parse_u32(text, (size_t)size, 10, &u, NULL);
      const bool signed_fits = shifted >= INT32_MIN && shifted <= INT32_MAX,
                 unsigned_fits = shifted >= 0 && shifted <= UINT32_MAX;
      CHECK(signed_status == (signed_fits ? FASTIO_OK : FASTIO_OUT_OF_RANGE) && (!signed_fits || i == shifted),
            "i32 %s", text);
      CHECK(unsigned_status == (unsigned_fits ? FASTIO_OK : FASTIO_OUT_OF_RANGE) && (!unsigned_fits || u == shifted),
            "u32 %s", text);
    }
  }
}

/* The decimal text of 2^exponent + offset, by long addition. */
static void power_text(unsigned exponent, int offset, char *out) {
  unsigned char digits[40] = {1}; /* least significant first */
  for (unsigned i = 0; i < exponent; i++) {
    unsigned carry = 0;
    for (size_t k = 0; k < sizeof digits; k++) {
      carry += 2u * digits[k];
      digits[k] = (unsigned char)(carry % 10);
      carry /= 10;
    }
  }
  for (; offset != 0; offset += offset < 0 ? 1 : -1) {
    size_t k = 0;
    const unsigned char edge = offset > 0 ? 9 : 0;
    while (digits[k] == edge) digits[k++] = 9 - edge;
    digits[k] = (unsigned char)(digits[k] + (offset > 0 ? 1 : -1));
  }
  size_t size = sizeof digits;
  while (size > 1 && digits[size - 1] == 0) size--;
  while (size > 0) *out++ = (char)('0' + digits[--size]);
  *out = 0;
}

static void test_wide_limits(void) {
  for (int offset = -300; offset <= 300; offset++) {
    char text[48] = "-";
    power_text(63, offset, text + 1);
    const uint64_t magnitude = (UINT64_C(1) << 63) + (uint64_t)(int64_t)offset;
    if (offset < 0) check_signed(text + 1, 10, (int64_t)magnitude);
    else check_range(SIGNED, text + 1, 10);
    if (offset <= 0) check_signed(text, 10, (int64_t)(0 - magnitude));
    else check_range(SIGNED, text, 10);
    check_unsigned(text + 1, 10, magnitude);
    check_range(UNSIGNED, text, 10);
    power_text(64, offset, text + 1);
    if (offset < 0) check_unsigned(text + 1, 10, (uint64_t)(int64_t)offset);
    else check_range(UNSIGNED, text + 1, 10);
    check_range(SIGNED, text + 1, 10);
  }
}

/* Random digits in random bases, with a junk byte now and then, against strtoull. */
static void test_random_integers(long count) {
  static const char alphabet[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (long n = 0; n < count; n++) {
    const int base = n % 2 ? 10 : 2 + (int)random_below(35);
    const size_t zeros = random_below(4) ? 0 : random_below(30), length = 1 + random_below(n % 2 ? 22 : 70);
    char text[128], *p = text;
    const bool negative = random_below(3) == 0;
    if (negative) *p++ = '-';
    for (size_t i = 0; i < zeros; i++) *p++ = '0';
    for (size_t i = 0; i < length; i++) {
      unsigned digit = random_below((unsigned)base);
      if (digit >= 10 && random_below(2)) digit += 26;
      *p++ = alphabet[digit];
    }
    *p = 0;
    const size_t size = (size_t)(p - text);
    errno = 0;
    const unsigned long long magnitude = strtoull(text + negative, NULL, base);
    const bool overflow = errno != 0;
    const answer i = parse(SIGNED, text, size, base), u = parse(UNSIGNED, text, size, base);
    const bool fits = !overflow && magnitude <= (uint64_t)INT64_MAX + negative,
               fits_unsigned = !overflow && !(negative && magnitude);
    CHECK(i.status == (fits ? FASTIO_OK : FASTIO_OUT_OF_RANGE), "%s base %d: status %d", text, base, (int)i.status);
    CHECK(!fits || i.bits == (negative ? 0 - (uint64_t)magnitude : (uint64_t)magnitude), "%s base %d: %llx", text, base,
          (unsigned long long)i.bits);
    CHECK(u.status == (fits_unsigned ? FASTIO_OK : FASTIO_OUT_OF_RANGE), "%s base %d: status %d", text, base,
          (int)u.status);
    CHECK(!fits_unsigned || u.bits == magnitude, "%s base %d: %llx", text, base, (unsigned long long)u.bits);
    const size_t place = negative + random_below((unsigned)(size - negative));
    text[place] = "!/:@[`{ .,-+"[random_below(12)];
    if (place > 0 || (text[0] != '-' && text[0] != '+')) check_bad(SIGNED, text, size, base, place);
  }
}

static void test_integer_format(long count) {
  char out[FASTIO_FORMAT_MAX], expected[80];
  for (long n = 0; n < count; n++) {
    const uint64_t value = n < 2000 ? (uint64_t)n - 1000 : random64() >> random_below(64);
    int size = snprintf(expected, sizeof expected, "%llu", (unsigned long long)value);
    size_t got = fastio_format_u64(value, 10, out);
    CHECK(got == (size_t)size && memcmp(out, expected, got) == 0, "%.*s instead of %s", (int)got, out, expected);
    size = snprintf(expected, sizeof expected, "%lld", (long long)value);
    got = fastio_format_i64((int64_t)value, 10, out);
    CHECK(got == (size_t)size && memcmp(out, expected, got) == 0, "%.*s instead of %s", (int)got, out, expected);
    size = snprintf(expected, sizeof expected, "%llx", (unsigned long long)value);
    got = fastio_format_u64(value, 16, out);
    CHECK(got == (size_t)size && memcmp(out, expected, got) == 0, "%.*s instead of %s", (int)got, out, expected);
    const int base = 2 + (int)random_below(35);
    got = fastio_format_i64((int64_t)value, base, out);
    const answer back = parse(SIGNED, out, got, base);
    CHECK(back.status == FASTIO_OK && back.bits == value, "%.*s base %d", (int)got, out, base);
    memcpy(expected, out, got);
    expected[got] = 0;
    CHECK(strtoll(expected, NULL, base) == (long long)value, "%s base %d", expected, base);
  }
  uint64_t power = 1;
  for (int digits = 1; digits <= 19; digits++, power *= 10) {
    CHECK(fastio_format_u64(power, 10, out) == (size_t)digits, "10^%d", digits - 1);
    CHECK(fastio_format_u64(power * 10 - 1, 10, out) == (size_t)digits, "10^%d - 1", digits);
  }
  CHECK(fastio_format_u64(UINT64_MAX, 10, out) == 20 && memcmp(out, "18446744073709551615", 20) == 0, "UINT64_MAX");
  CHECK(fastio_format_i64(INT64_MIN, 10, out) == 20 && memcmp(out, "-9223372036854775808", 20) == 0, "INT64_MIN");
  CHECK(fastio_format_i64(INT64_MIN, 2, out) == 65 && out[0] == '-' && out[1] == '1' && out[64] == '0',
        "INT64_MIN in base 2");
  CHECK(fastio_format_i64(-1, 1, out) == 0 && fastio_format_u64(1, 37, out) == 0 && fastio_format_i64(1, -10, out) == 0,
        "no such base");
}

/* ---- Floats: reading ---- */

static void check_double(const char *text, size_t size, double expected) {
  const answer got = parse(DOUBLE, text, size, 10);
  CHECK(got.status == FASTIO_OK && got.bits == bits64(expected), "%.*s: status %d, %.17g instead of %.17g",
        size < 90 ? (int)size : 90, text, (int)got.status, from_bits64(got.bits), expected);
}
static void check_single(const char *text, size_t size, float expected) {
  const answer got = parse(SINGLE, text, size, 10);
  CHECK(got.status == FASTIO_OK && (uint32_t)got.bits == bits32(expected),
        "%.*s: status %d, %.9g instead of %.9g as float32", size < 90 ? (int)size : 90, text, (int)got.status,
        (double)from_bits32((uint32_t)got.bits), (double)expected);
}

static void test_float_table(void) {
  static const struct {
    const char *text;
    double expected;
  } cases[] = {
      {"0", 0.0},
      {"-0", -0.0},
      {"+0.0", 0.0},
      {"-0e99999999999999999999", -0.0},
      {"0e400", 0.0},
      {".0", 0.0},
      {"00.00e-0", 0.0},
      {"1", 1.0},
      {"+1.", 1.0},
      {"-1670.", -1670.0},
      {"5.", 5.0},
      {".5", 0.5},
      {"-.5", -0.5},
      {"428.E+03", 428000.0},
      {"1e0", 1.0},
      {"1E+00", 1.0},
      {"1e-0", 1.0},
      {"1e000000000000000000000000000000000000002", 100.0},
      {"-9e-06", -9e-06},
      {"50.8", 50.8},
      {"-15.361", -0x1.eb8d4fdf3b646p+3},
      {"-15.361000", -0x1.eb8d4fdf3b646p+3},
      {"-0.071943", -0x1.26adb402d16b9p-4},
      {"6144039378640938.000000", 6144039378640938.0},
      {"9.3494547075363499e-311", 9.3494547075363e-311},
      {"2.2222222222222222e24", 2.2222222222222222e24},
      {"2.2250738585072011e-308", 0x0.fffffffffffffp-1022},
      {"2.2250738585072012e-308", 0x1p-1022},
      {"2.2250738585072014e-308", 0x1p-1022},
      {"2.225073858507201136057409796709131975934819546351645648e-308", 0x0.fffffffffffffp-1022},
      {"2.225073858507201136057409796709131975934819546351645649e-308", 0x1p-1022},
      {"9007199254740992", 9007199254740992.0},
      {"9007199254740993", 9007199254740992.0},
      {"9007199254740993.00000000000000000001", 9007199254740994.0},
      {"9007199254740992.99999999999999999999", 9007199254740992.0},
      {"9007199254740993.000000000000000000000000000000000000000000000000000000000000000000", 9007199254740992.0},
      {"9007199254740995", 9007199254740996.0},
      {"9007199254740994.9999999999999999999999999", 9007199254740994.0},
      {"900719925474099300000000000000000000e-20", 9007199254740992.0},
      {"900719925474099300000000000000000001e-20", 9007199254740994.0},
      {"1.7976931348623157e308", DBL_MAX},
      {"1.7976931348623158e308", DBL_MAX},
      {"1.7976931348623159e308", HUGE_VAL},
      {"17976931348623158079372897140530341507993413271003782693617377898044496829276475094664901797758720709633028641"
       "66928879109465555478519404026306574886715058206819089020007083836762738548458177115317644757302700698555713669"
       "59622842914819860834936475292719074168444365510704342711559699508093042880177904174497792",
       HUGE_VAL},
      {"17976931348623158079372897140530341507993413271003782693617377898044496829276475094664901797758720709633028641"
       "66928879109465555478519404026306574886715058206819089020007083836762738548458177115317644757302700698555713669"
       "59622842914819860834936475292719074168444365510704342711559699508093042880177904174497791.9999",
       DBL_MAX},
      {"2.4703282292062327e-324", 0.0},
      {"2.4703282292062328e-324", 0x1p-1074},
      {"-2.4703282292062327e-324", -0.0},
      {"5e-324", 0x1p-1074},
      {"4.9406564584124654e-324", 0x1p-1074},
      {"7.4109846876186981e-324", 0x1p-1074},
      {"7.4109846876186982e-324", 0x1p-1073},
      {"1e400", HUGE_VAL},
      {"-1e400", -HUGE_VAL},
      {"1e-400", 0.0},
      {"1e99999999999", HUGE_VAL},
      {"1e-99999999999", 0.0},
      {"-1e99999999999999999999999999999999999", -HUGE_VAL},
      {"1e-99999999999999999999999999999999999", 0.0},
      {"0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000001e87", 1.0},
      {"100000000000000000000000000000000000000000000000000000000000000000000000000000000000000e-86", 1.0},
      {"123456789012345678901234567890", 123456789012345678901234567890.0},
      {"1e23", 1e23},
      {"9.5e-323", 19 * 0x1p-1074},
      {"8.5", 8.5},
      {"1e22", 1e22},
      {"3.1415926535141594", 3.1415926535141594},
      {"0.1", 0x1.999999999999ap-4},
      {"18446744073709551615", 18446744073709551616.0},
      {"18446744073709551616", 18446744073709551616.0},
      {"9999999999999999999", 1e19},
      {"10000000000000000000", 1e19},
      {"99999999999999999999999999999999", 1e32},
      {"1.00000000000000011102230246251565404236316680908203125", 1.0},
      {"1.00000000000000011102230246251565404236316680908203124", 1.0},
      {"1.00000000000000011102230246251565404236316680908203126", 0x1.0000000000001p0},
      {"1.00000000000000033306690738754696212708950042724609375", 0x1.0000000000002p0},
      {"6.631236846766476e-316", 6.631236846766476e-316},
      {"inf", HUGE_VAL},
      {"Inf", HUGE_VAL},
      {"+inf", HUGE_VAL},
      {"-Inf", -HUGE_VAL},
      {"INFINITY", HUGE_VAL},
      {"Infinity", HUGE_VAL},
      {"-infinity", -HUGE_VAL},
      {"iNf", HUGE_VAL}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    check_double(cases[i].text, strlen(cases[i].text), cases[i].expected);
  static const char *const nans[] = {"nan", "NaN", "NAN", "+nan", "-nan", "nAn"};
  for (size_t i = 0; i < sizeof nans / sizeof nans[0]; i++) {
    const answer d = parse(DOUBLE, nans[i], strlen(nans[i]), 10), f = parse(SINGLE, nans[i], strlen(nans[i]), 10);
    const bool negative = nans[i][0] == '-';
    CHECK(d.status == FASTIO_OK && d.bits == (UINT64_C(0x7FF8000000000000) | (uint64_t)negative << 63), "%s", nans[i]);
    CHECK(f.status == FASTIO_OK && f.bits == (UINT32_C(0x7FC00000) | (uint32_t)negative << 31), "%s as float32",
          nans[i]);
  }
}

static void test_single_table(void) {
  static const struct {
    const char *text;
    float expected;
  } cases[] = {{"0", 0.0f},
               {"-0.0", -0.0f},
               {"0.1", 0.1f},
               {"16777216", 16777216.0f},
               {"16777217", 16777216.0f},
               {"16777217.0000000000000000000000000000000000000001", 16777218.0f},
               {"16777219", 16777220.0f},
               /* Twice rounded, through a double, these would go the other way. */
               {"1.00000005960464477540", 0x1.000002p0f},
               {"1.00000005960464477539", 0x1p0f},
               {"1.000000059604644775390625", 0x1p0f},
               {"1.000000178813934326171875", 0x1.000004p0f},
               {"0.500000089406967163085937499999999999", 0x1.000002p-1f},
               {"0.500000089406967163085937500000000001", 0x1.000004p-1f},
               {"3.4028234663852886e38", FLT_MAX},
               {"3.4028235677973367e38", HUGE_VALF},
               {"3.4028235677973362e38", FLT_MAX},
               {"340282356779733661637539395458142568447.99", FLT_MAX},
               {"340282356779733661637539395458142568448", HUGE_VALF},
               {"1e39", HUGE_VALF},
               {"-1e39", -HUGE_VALF},
               {"1e-46", 0.0f},
               {"-1e-46", -0.0f},
               {"1e-45", 0x1p-149f},
               {"7.0064923216240853546186479164495806564013097093825788587853e-46", 0.0f},
               {"7.0064923216240853546186479164495806564013097093825788587854e-46", 0x1p-149f},
               {"1.1754943508222875e-38", 0x1p-126f},
               {"1.1754942807573643e-38", 0x1p-126f},
               {"1.17549421e-38", 0x0.fffffep-126f},
               {"inf", HUGE_VALF},
               {"-infinity", -HUGE_VALF}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    check_single(cases[i].text, strlen(cases[i].text), cases[i].expected);
}

static void test_float_junk(void) {
  static const struct {
    const char *text;
    size_t bad;
  } cases[] = {{"", 0},
               {"+", 1},
               {"-", 1},
               {".", 1},
               {"+.", 2},
               {"-.", 2},
               {".e", 1},
               {".e+", 1},
               {".e1", 1},
               {"e1", 0},
               {"+e1", 1},
               {"0e", 2},
               {"1e", 2},
               {"2E", 2},
               {"1e+", 3},
               {"1e-", 3},
               {"1e 2", 2},
               {"1 e2", 1},
               {"1e2.", 3},
               {"1e2.5", 3},
               {"1e2e3", 3},
               {"1e+-2", 3},
               {"1..2", 2},
               {"1.2.3", 3},
               {"..5", 1},
               {"1_0", 1},
               {"1,5", 1},
               {"0x1p3", 1},
               {"0x1.21d6353p-1", 1},
               {"0x", 1},
               {"A0", 0},
               {" 1", 0},
               {"1 ", 1},
               {"--1", 1},
               {"+-1", 1},
               {"1-", 1},
               {"1.5f", 3},
               {"1d3", 1},
               {"12abc", 2},
               {"i", 1},
               {"in", 2},
               {"infi", 4},
               {"infinit", 7},
               {"infinitx", 7},
               {"infx", 3},
               {"inf ", 3},
               {"infinityx", 8},
               {"n", 1},
               {"na", 2},
               {"nanx", 3},
               {"nan(1)", 3},
               {"nax", 2},
               {"1inf", 1},
               {"1.nan", 2},
               {".inf", 1},
               {"-.inf", 2},
               {"--inf", 1},
               {"infe1", 3},
               {"9.5\x80", 3},
               {"1234567890123456789012345678901234567890x", 40},
               {"0.00000000000000000000000000000x", 31},
               {"invalid_data", 2},
               {"NULL", 1},
               {"#N/A", 0},
               {"1e99999999999999999999999999x", 28},
               {"\xD9\xA1", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    check_bad(DOUBLE, cases[i].text, strlen(cases[i].text), 10, cases[i].bad);
    check_bad(SINGLE, cases[i].text, strlen(cases[i].text), 10, cases[i].bad);
  }
  check_bad(DOUBLE, "1\0002", 3, 10, 1);
}

/* Every byte value at every place of floats of several shapes and lengths, against the grammar written once more,
 * plainly. */
static bool is_float(const char *p, const char *end) {
  size_t digits = 0;
  if (p < end && (*p == '+' || *p == '-')) p++;
  for (; p < end && *p >= '0' && *p <= '9'; p++) digits++;
  if (p < end && *p == '.') p++;
  for (; p < end && *p >= '0' && *p <= '9'; p++) digits++;
  if (digits == 0) return false;
  if (p == end) return true;
  if (*p != 'e' && *p != 'E') return false;
  p++;
  if (p < end && (*p == '+' || *p == '-')) p++;
  if (p == end) return false;
  while (p < end && *p >= '0' && *p <= '9') p++;
  return p == end;
}

static void check_against_libc(const char *text, size_t size) {
#if EXACT_LIBC
  check_double(text, size, strtod(text, NULL));
  check_single(text, size, strtof(text, NULL));
#else
  const answer got = parse(DOUBLE, text, size, 10);
  CHECK(got.status == FASTIO_OK, "%s: status %d", text, (int)got.status);
#endif
}

static void test_float_bytes(void) {
  static const char *const shapes[] = {"1",
                                       "12",
                                       "1.5",
                                       "-12.25",
                                       "1234567",
                                       "12345678",
                                       "123.4567",
                                       "-123.456789",
                                       "0.12345678901234567",
                                       "1234567890123456789",
                                       "1234567.12345678",
                                       "12345678.1234567",
                                       "1.2345678901234567e-05",
                                       "-1.234567890123456789e+00",
                                       "123456789012345678.90123",
                                       "-0.000000000000000000123456",
                                       "1e5",
                                       "1.5E+300"};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    const size_t size = strlen(shapes[i]);
    for (size_t place = 0; place < size; place++) {
      for (int byte = 0; byte < 256; byte++) {
        char text[64];
        memcpy(text, shapes[i], size + 1);
        text[place] = (char)byte;
        if (is_float(text, text + size)) {
          check_against_libc(text, size);
          continue;
        }
        const answer got = parse(DOUBLE, text, size, 10);
        CHECK(got.status == FASTIO_BAD_TOKEN && got.bad <= size, "%.*s: status %d at %zu", (int)size, text,
              (int)got.status, got.bad);
      }
    }
  }
}

/* A few bytes at every place of digits of every length up to 27 with a point at every place (or none). */
static void test_float_shapes(void) {
  static const unsigned char bytes[] = {'0', '9', '.', '-',  '+',  'e',  'E', '/', ':',
                                        '@', ' ', 0,   0x80, 0xB1, 0xAE, 'n', 'x', '>'};
  for (size_t size = 1; size <= 27; size++) {
    for (size_t point = 0; point <= size; point++) {
      char text[28] = "314159265358979323846264338";
      if (point < size) text[point] = '.';
      text[size] = 0;
      for (size_t place = 0; place < size; place++) {
        const char kept = text[place];
        for (size_t i = 0; i < sizeof bytes; i++) {
          text[place] = (char)bytes[i];
          const answer got = parse(DOUBLE, text, size, 10);
          if (is_float(text, text + size)) check_against_libc(text, size);
          else
            CHECK(got.status == FASTIO_BAD_TOKEN && got.bad <= size, "%.*s: status %d", (int)size, text,
                  (int)got.status);
        }
        text[place] = kept;
      }
    }
  }
}

static size_t random_decimal(char *out) {
  char *p = out;
  const unsigned digits = random_below(8) ? 1 + random_below(20) : 1 + random_below(60);
  const unsigned point = random_below(digits + 2);
  if (random_below(2)) *p++ = random_below(4) ? '-' : '+';
  for (unsigned zeros = random_below(10) ? 0 : random_below(30); zeros > 0; zeros--) *p++ = '0';
  for (unsigned i = 0; i < digits; i++) {
    if (i == point) *p++ = '.';
    *p++ = (char)('0' + random_below(10));
  }
  if (point == digits) *p++ = '.';
  if (random_below(2)) p += sprintf(p, "%c%+d", digits % 2 ? 'e' : 'E', (int)random_below(700) - 370);
  else if (random_below(3) == 0) p += sprintf(p, "e%u", random_below(20));
  *p = 0;
  return (size_t)(p - out);
}

static void test_random_floats(long count) {
  char text[160];
  for (long n = 0; n < count; n++) {
    check_against_libc(text, random_decimal(text));
    const int size = snprintf(text, sizeof text, n % 2 ? "%.17g" : "%.6f",
                              n % 2 ? from_bits64(random64() & ~(UINT64_C(1) << 62))
                                    : (double)(int64_t)random64() / 1e13);
    if (text[0] != 'n' && text[1] != 'n' && text[0] != 'i' && text[1] != 'i') check_against_libc(text, (size_t)size);
  }
}

/* Points exactly half-way between neighbours, and a hair to either side. */
static void check_around(char *text, size_t size, double even, double odd, bool single) {
  /* text is the half-way point with an 'e'; `tail` digits go in front of it */
  char *e = strchr(text, 'e'), around[1400];
  const size_t head = (size_t)(e - text);
  if (single) check_single(text, size, (float)even);
  else check_double(text, size, even);
  for (int side = 0; side < 2; side++) {
    memcpy(around, text, head);
    if (side == 0) { /* a little more in magnitude */
      memcpy(around + head, "0000000000000000000000001", 25);
      strcpy(around + head + 25, e);
    } else { /* a little less: lower the last digit that is not 0, and put nines behind it */
      size_t last = head;
      while (around[last - 1] == '0' || around[last - 1] == '.') last--;
      around[last - 1]--;
      for (size_t i = last; i < head; i++)
        if (around[i] != '.') around[i] = '9';
      strcpy(around + head, e);
    }
    const double low = fabs(even) < fabs(odd) ? even : odd, high = low == even ? odd : even;
    const double expected = side == 0 ? high : low;
    if (single) check_single(around, strlen(around), (float)expected);
    else check_double(around, strlen(around), expected);
  }
}

static void test_half_way(long count) {
#if EXACT_LIBC
  char text[1400];
  for (long n = 0; n < count; n++) {
    const uint32_t a = (uint32_t)random64() & (n % 4 ? 0x7FFFFFFF : 0x00FFFFFF);
    if ((a | 0x7F800000) == a || ((a + 1) & 0x7F800000) == 0x7F800000) continue;
    const double low = (double)from_bits32(a), high = (double)from_bits32(a + 1);
    const int size = snprintf(text, sizeof text, "%.160e", (low + high) / 2);
    check_around(text, (size_t)size, a & 1 ? high : low, a & 1 ? low : high, true);
  }
#  if LDBL_MANT_DIG > DBL_MANT_DIG
  for (long n = 0; n < count / 4; n++) {
    const uint64_t a = random64() & (n % 4 ? UINT64_MAX >> 1 : (UINT64_C(1) << 54) - 1);
    if ((a >> 52) == 0x7FF || ((a + 1) >> 52) == 0x7FF) continue;
    const double low = from_bits64(a), high = from_bits64(a + 1);
    const int size = snprintf(text, sizeof text, "%.800Le", ((long double)low + (long double)high) / 2);
    check_around(text, (size_t)size, a & 1 ? high : low, a & 1 ? low : high, false);
  }
#  endif
#else
  (void)count;
  (void)check_around;
#endif
}

/* Every prefix of a number of 802 characters, and numbers far longer than any buffer in them. */
static void test_long_floats(void) {
  char pi[803] = "3.";
  for (int i = 0; i < 80; i++) memcpy(pi + 2 + 10 * i, "1415926535", 10);
  pi[802] = 0;
  for (size_t size = 802; size > 0; size--) {
    pi[size] = 0;
    check_against_libc(pi, size);
    if (size >= 20) check_double(pi, size, 3.1415926535141594);
  }
  const size_t size = 2000000;
  char *text = malloc(size + 32);
  if (!text) abort();
  memset(text, '9', size);
  CHECK(parse(SIGNED, text, size, 10).status == FASTIO_OUT_OF_RANGE, "digits");
  CHECK(parse(UNSIGNED, text, size, 36).status == FASTIO_OUT_OF_RANGE, "digits");
  check_double(text, size, HUGE_VAL);
  memcpy(text + size, "e-2000000", 10);
  check_double(text, size + 9, 1.0);
  text[size - 1] = 'x';
  check_bad(SIGNED, text, size, 10, size - 1);
  check_bad(DOUBLE, text, size, 10, size - 1);
  memset(text, '0', size);
  memcpy(text + size, "7", 2);
  check_signed(text, 10, 7);
  check_double(text, size + 1, 7.0);
  text[1] = '.'; /* 0.00...07 */
  check_double(text, size + 1, 0.0);
  memcpy(text + size, "7e1999999", 10);
  check_double(text, size + 9, 7.0);
  memcpy(text, "9007199254740993.", 17); /* half-way, and far behind it a digit */
  memcpy(text + size, "1", 2);
  check_double(text, size + 1, 9007199254740994.0);
  check_double(text, size, 9007199254740992.0);
  memcpy(text, "90071992547409930", 17);
  memcpy(text + size, "e-1999984", 10);
  check_double(text, size + 9, 9007199254740992.0);
  text[size - 1] = '1';
  check_double(text, size + 9, 9007199254740994.0);
  free(text);
}

static void test_round(long count) {
  for (long n = 0; n < count; n++) {
    fastio__decimal decimal = {0};
    decimal.mantissa = random64() >> random_below(64);
    while (decimal.mantissa >= UINT64_C(10000000000000000000)) decimal.mantissa /= 10;
    decimal.exponent = n % 2 ? (int32_t)random_below(720) - 370 : (int32_t)random_below(40) - 30;
    decimal.negative = random_below(2);
    const double d = fastio__round_f64(&decimal);
    const float f = fastio__round_f32(&decimal);
#if EXACT_LIBC
    char text[64];
    snprintf(text, sizeof text, "%s%llue%d", decimal.negative ? "-" : "", (unsigned long long)decimal.mantissa,
             (int)decimal.exponent);
    CHECK(bits64(d) == bits64(strtod(text, NULL)), "%s: %.17g", text, d);
    CHECK(bits32(f) == bits32(strtof(text, NULL)), "%s: %.9g", text, (double)f);
#else
    CHECK(d == d && f == f, "NaN");
#endif
  }
  static const int32_t extremes[] = {INT32_MIN, -1000000, -343, 309, 1000000, INT32_MAX};
  for (size_t i = 0; i < sizeof extremes / sizeof extremes[0]; i++) {
    const fastio__decimal decimal = {.mantissa = UINT64_C(9999999999999999999), .exponent = extremes[i]};
    const double expected = extremes[i] < 0 ? 0.0 : HUGE_VAL;
    CHECK(fastio__round_f64(&decimal) == expected && fastio__round_f32(&decimal) == (float)expected, "exponent %d",
          (int)extremes[i]);
  }
}

/* ---- Floats: writing ---- */

static void check_text(const char *got, size_t size, const char *expected) {
  CHECK(size == strlen(expected) && memcmp(got, expected, size) == 0, "%.*s instead of %s", (int)size, got, expected);
}

static void test_float_format_table(void) {
  static const struct {
    double value;
    const char *expected;
  } cases[] = {{0.0, "0.0"},
               {-0.0, "-0.0"},
               {1.0, "1.0"},
               {-1.5, "-1.5"},
               {0.1, "0.1"},
               {100.0, "100.0"},
               {123456.789, "123456.789"},
               {1e15, "1000000000000000.0"},
               {1e16, "1e+16"},
               {9999999999999998.0, "9999999999999998.0"},
               {1e22, "1e+22"},
               {1e23, "1e+23"},
               {1.2e16, "1.2e+16"},
               {12345678901234567890.0, "1.2345678901234567e+19"},
               {0.0001, "0.0001"},
               {0.00012, "0.00012"},
               {0.00001, "1e-05"},
               {1.25e-5, "1.25e-05"},
               {1e-10, "1e-10"},
               {1e100, "1e+100"},
               {1e-100, "1e-100"},
               {DBL_MAX, "1.7976931348623157e+308"},
               {-DBL_MIN, "-2.2250738585072014e-308"},
               {0x1p-1074, "5e-324"},
               {0x0.fffffffffffffp-1022, "2.225073858507201e-308"},
               {0x1p-44, "5.684341886080802e-14"},
               {9007199254740993.0, "9007199254740992.0"},
               {0.3, "0.3"},
               {0.1 + 0.2, "0.30000000000000004"},
               {2.0 / 3, "0.6666666666666666"},
               {0.0034876143, "0.0034876143"},
               {5e-5, "5e-05"},
               {1e7, "10000000.0"},
               {123e13, "1230000000000000.0"},
               {HUGE_VAL, "inf"},
               {-HUGE_VAL, "-inf"},
               {9.5e-323, "9.4e-323"},
               {2e-323, "2e-323"},
               {144115188075855870.0, "1.4411518807585587e+17"},
               {4.35, "4.35"},
               {1e21, "1e+21"},
               {-1e-7, "-1e-07"}};
  static const struct {
    float value;
    const char *expected;
  } singles[] = {{0.1f, "0.1"},
                 {-0.0f, "-0.0"},
                 {16777216.0f, "16777216.0"},
                 {3.4028235e38f, "3.4028235e+38"},
                 {1e-45f, "1e-45"},
                 {1.17549435e-38f, "1.1754944e-38"},
                 {0.3f, "0.3"},
                 {1e10f, "10000000000.0"},
                 {33554432.0f, "33554432.0"},
                 {1e16f, "1e+16"},
                 {1.0f / 3, "0.33333334"},
                 {HUGE_VALF, "inf"},
                 {-HUGE_VALF, "-inf"},
                 {1e15f, "1000000000000000.0"},
                 {8388608.5f, "8388608.0"},
                 {0.0001f, "0.0001"},
                 {9.9e-5f, "9.9e-05"}};
  char out[FASTIO_FORMAT_MAX];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    check_text(out, fastio_format_f64(cases[i].value, out), cases[i].expected);
  for (size_t i = 0; i < sizeof singles / sizeof singles[0]; i++)
    check_text(out, fastio_format_f32(singles[i].value, out), singles[i].expected);
  check_text(out, fastio_format_f64(from_bits64(UINT64_C(0x7FF8000000000000)), out), "nan");
  check_text(out, fastio_format_f64(from_bits64(UINT64_C(0xFFF0000000000001)), out), "nan");
  check_text(out, fastio_format_f32(from_bits32(UINT32_C(0xFFC00000)), out), "nan");
}

/* The significant digits of a number's text, without leading and trailing zeros; returns how many. */
static size_t significant(const char *text, size_t size, char *out) {
  size_t count = 0;
  for (size_t i = 0; i < size && (text[i] | 0x20) != 'e'; i++)
    if (text[i] >= '0' && text[i] <= '9' && (count || text[i] != '0')) out[count++] = text[i];
  while (count && out[count - 1] == '0') count--;
  out[count] = 0;
  return count;
}

/* Reads back as the same value; no shorter text does; and the digits are the nearest of their length, if those
 * read back too (below a power of two they may not). */
static void check_shortest(double value, bool single) {
  char out[FASTIO_FORMAT_MAX + 1], digits[40];
  const size_t size = single ? fastio_format_f32((float)value, out) : fastio_format_f64(value, out);
  out[size] = 0;
  const answer back = parse(single ? SINGLE : DOUBLE, out, size, 10);
  const uint64_t bits = single ? bits32((float)value) : bits64(value);
  CHECK(back.status == FASTIO_OK && back.bits == bits, "%s does not read back as %.17g", out, value);
#if EXACT_LIBC
  char shorter[64], nearest[64], nearest_digits[64];
#  define SAME(text) (single ? bits32(strtof(text, NULL)) == (uint32_t)bits : bits64(strtod(text, NULL)) == bits)
  const size_t count = significant(out, size, digits);
  CHECK(SAME(out), "%s is not %.17g for the C library", out, value);
  if (count == 0) return;
  if (count > 1) {
    snprintf(shorter, sizeof shorter, "%.*e", (int)count - 2, value);
    CHECK(!SAME(shorter), "%s is not the shortest: %s", out, shorter);
  }
  snprintf(nearest, sizeof nearest, "%.*e", (int)count - 1, value);
  if (SAME(nearest)) {
    significant(nearest, strlen(nearest), nearest_digits);
    CHECK(strcmp(digits, nearest_digits) == 0, "%s is not the nearest: %s", out, nearest);
  }
#  undef SAME
#else
  (void)digits;
  (void)significant;
#endif
}

static void test_shortest(long count) {
  for (long n = 0; n < count; n++) {
    double value = from_bits64(random64());
    switch (n % 5) {
      case 1: value = (double)(int64_t)random64() / 1e9; break;
      case 2: value = (double)(random64() >> random_below(64)); break;
      case 3: value = (double)random_below(1000000) / 1000; break;
      case 4: value = from_bits64(random64() >> 12 >> random_below(52)); break;
      default: break;
    }
    if (value - value == 0) check_shortest(value, false);
    const float single = from_bits32((uint32_t)(random64() >> (n % 3 == 0 ? 41 : 32)));
    if (single - single == 0) check_shortest((double)single, true);
  }
  for (int exponent = -1074; exponent < 1024; exponent++) {
    const double power = ldexp(1.0, exponent);
    check_shortest(power, false);
    check_shortest(from_bits64(bits64(power) - 1), false);
    check_shortest(from_bits64(bits64(power) + 1), false);
    if (exponent >= -149 && exponent < 128) {
      check_shortest(power, true);
      check_shortest((double)from_bits32(bits32((float)power) - 1), true);
      check_shortest((double)from_bits32(bits32((float)power) + 1), true);
    }
  }
}

static void exhaustive_f32(void) {
  char out[FASTIO_FORMAT_MAX];
  uint32_t bits = 0;
  do {
    const float value = from_bits32(bits);
    float back = 0;
    const size_t size = fastio_format_f32(value, out);
    const fastio_status status = fastio__parse_f32((const uint8_t *)out, size, &back, NULL);
    CHECK(status == FASTIO_OK && (value == value ? bits32(back) == bits : back != back), "%08lx: %.*s",
          (unsigned long)bits, (int)size, out);
    if ((bits & 0x0FFFFFFF) == 0x0FFFFFFF) fprintf(stderr, "%lu/16\n", (unsigned long)(bits >> 28) + 1);
  } while (++bits != 0);
}

/* ---- Errors and arithmetic ---- */

static void test_errors(void) {
  fastio_error err;
  int64_t i = 42;
  uint8_t u = 42;
  double d = 42;
  float f = 42;
  memset(&err, 0xAA, sizeof err);
  CHECK(fastio_parse_i64("12x", 3, 10, &i, &err) == FASTIO_BAD_TOKEN && i == 42, "status");
  CHECK(err.status == FASTIO_BAD_TOKEN && err.offset == 2 && err.text_size == 3 && memcmp(err.text, "12x", 3) == 0,
        "place");
  CHECK(err.os_error == 0 && err.message && err.message[0], "the rest");
  CHECK(fastio_parse_u8("256", 3, 10, &u, &err) == FASTIO_OUT_OF_RANGE && u == 42, "status");
  CHECK(err.status == FASTIO_OUT_OF_RANGE && err.offset == 0 && err.text_size == 3, "place");
  CHECK(fastio_parse_u8("-1", 2, 10, &u, &err) == FASTIO_OUT_OF_RANGE && u == 42, "status");
  CHECK(fastio_parse_i64("1", 1, 37, &i, &err) == FASTIO_INVALID_ARGUMENT && i == 42, "status");
  CHECK(err.status == FASTIO_INVALID_ARGUMENT && err.offset == FASTIO_NO_OFFSET && strstr(err.message, "base"),
        "message");
  CHECK(fastio_parse_f64("1e", 2, &d, &err) == FASTIO_BAD_TOKEN && d == 42 && err.offset == 2, "too early an end");
  CHECK(fastio_parse_f32("1.x", 3, &f, &err) == FASTIO_BAD_TOKEN && f == 42 && err.offset == 2, "junk");
  CHECK(fastio_parse_f64(NULL, 0, &d, &err) == FASTIO_BAD_TOKEN &&
            fastio_parse_i64(NULL, 0, 10, &i, NULL) == FASTIO_BAD_TOKEN,
        "nothing");
  CHECK(fastio_parse_f64("2.5", 3, &d, NULL) == FASTIO_OK && d == 2.5, "without an error struct");
  CHECK(fastio_parse_f32("2.5", 3, &f, NULL) == FASTIO_OK && f == 2.5f, "without an error struct");
}

static void test_wide(void) {
  static const uint64_t edges[] = {
      0, 1, UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX - 1, UINT64_MAX, UINT64_C(0xFFFFFFFF00000000)};
  const size_t count = sizeof edges / sizeof edges[0];
  for (size_t n = 0; n < 20000; n++) {
    const uint64_t a = n < count * count ? edges[n / count] : random64() >> random_below(64);
    const uint64_t b = n < count * count ? edges[n % count] : random64() >> random_below(64);
    const fastio__wide fast = fastio__multiply_wide(a, b), plain = fastio__multiply_wide_portably(a, b);
    CHECK(fast.high == plain.high && fast.low == plain.low, "%llx * %llx", (unsigned long long)a,
          (unsigned long long)b);
    CHECK(plain.low == a * b, "%llx * %llx: low half", (unsigned long long)a, (unsigned long long)b);
  }
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "--exhaustive-f32") == 0) {
    exhaustive_f32();
  } else {
    const long factor = argc > 1 ? atol(argv[1]) : 1;
    test_integer_table();
    test_integer_junk();
    test_integer_bytes();
    test_small_types();
    test_wide_limits();
    test_random_integers(200000 * factor);
    test_integer_format(100000 * factor);
    test_float_table();
    test_single_table();
    test_float_junk();
    test_float_bytes();
    test_float_shapes();
    test_random_floats(200000 * factor);
    test_half_way(4000 * factor);
    test_long_floats();
    test_round(200000 * factor);
    test_float_format_table();
    test_shortest(60000 * factor);
    test_errors();
    test_wide();
  }
  printf("%ld passed, %ld failed\n", passed, failed);
  return failed != 0;
}
