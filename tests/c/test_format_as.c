/* Values in given formats: by hand, against printf of the C library, and many at once against one at a time.
 *
 * test_format_as [FACTOR]       FACTOR times as many random values */
#include "../../libfastio/src/number/format.h"
#include "check.h"

#include <float.h>
#include <math.h>

/* Whether printf is exact, to be a reference. */
#ifdef __GLIBC__
#  define EXACT_LIBC 1
#else
#  define EXACT_LIBC 0
#endif

#define PLUS FASTIO_FORMAT_PLUS
#define BLANK FASTIO_FORMAT_BLANK
#define UPPER FASTIO_FORMAT_UPPER
#define PREFIX FASTIO_FORMAT_PREFIX
#define LEFT FASTIO_FORMAT_LEFT
#define CENTER FASTIO_FORMAT_CENTER
#define INTERNAL FASTIO_FORMAT_INTERNAL
#define RIGHT FASTIO_FORMAT_RIGHT
#define PERCENT FASTIO_FORMAT_PERCENT
#define POINT FASTIO_FORMAT_KEEP_POINT

static uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t draw(void) { /* xorshift64* */
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * UINT64_C(0x2545f4914f6cdd1d);
}
static size_t below(size_t n) { return (size_t)((draw() >> 11) % n); }

static char *allocate(size_t size) {
  char *p = malloc(size ? size : 1);
  if (!p) abort();
  return p;
}

/* ---- One value ---- */

typedef enum sort { I, U, F, D } sort;

typedef struct value {
  sort sort;
  int64_t i;
  uint64_t u;
  double d;
} value;

static value of_i(int64_t i) { return (value){I, i, 0, 0}; }
static value of_u(uint64_t u) { return (value){U, 0, u, 0}; }
static value of_d(double d) { return (value){D, 0, 0, d}; }
static value of_f(float f) { return (value){F, 0, 0, (double)f}; }

static size_t format_as(value value, const fastio_format *format, char *out, size_t capacity) {
  switch (value.sort) {
    case I: return fastio_format_i64_as(value.i, format, out, capacity);
    case U: return fastio_format_u64_as(value.u, format, out, capacity);
    case F: return fastio_format_f32_as((float)value.d, format, out, capacity);
    default: return fastio_format_f64_as(value.d, format, out, capacity);
  }
}

/* Into memory without a byte to spare; and nothing at all if it is one byte too small. */
static bool check_value(value value, const fastio_format *format, const char *due, size_t size, int line) {
  char *out = allocate(size);
  memset(out, 'x', size);
  const size_t small = format_as(value, format, out, size - 1);
  bool untouched = small == size;
  for (size_t i = 0; i < size; i++) untouched = untouched && out[i] == 'x';
  const size_t got = format_as(value, format, out, size);
  const bool same = check_that(got == size && memcmp(out, due, size) == 0, __FILE__, line,
                               "\"%.*s\" (%zu), not \"%.*s\" (%zu): %" PRId64 " %" PRIu64 " %.17g", (int)size, out, got,
                               (int)size, due, size, value.i, value.u, value.d);
  const bool good = check_that(untouched, __FILE__, line, "size %zu, not %zu, or written: %s", small, size, due);
  free(out);
  return same && good;
}

#define AS(value, due, ...)                                     \
  do {                                                          \
    const fastio_format format_ = {__VA_ARGS__};                \
    check_value((value), &format_, due, strlen(due), __LINE__); \
  } while (0)
#define INTEGER(i, due, ...) AS(of_i(i), due, __VA_ARGS__)
#define FLOAT(d, due, ...) AS(of_d(d), due, __VA_ARGS__)

static const fastio_locale english = {".", ",", {3}}, german = {",", ".", {0}}, indian = {".", ",", {3, 2}};
static const fastio_locale french = {",", "\xE2\x80\xAF", {0}}, swiss = {"", "\xE2\x80\x99", {3, 3}};
static const fastio_locale mixed = {"\xD9\xAB", "__", {1, 2, 3, 4}}, points = {",", "", {0}};

static void test_integers(void) {
  check_value(of_i(-42), NULL, "-42", 3, __LINE__);
  check_value(of_u(UINT64_MAX), NULL, "18446744073709551615", 20, __LINE__);
  INTEGER(0, "0", .base = 10);
  INTEGER(INT64_MIN, "-9223372036854775808", 0);
  INTEGER(INT64_MIN, "-1000000000000000000000000000000000000000000000000000000000000000", .base = 2);
  AS(of_u(UINT64_MAX), "3w5e11264sgsf", .base = 36);
  AS(of_u(UINT64_MAX), "3W5E11264SGSF", .base = 36, .flags = UPPER);
  INTEGER(7, "+7", .flags = PLUS);
  INTEGER(0, "+0", .flags = PLUS);
  INTEGER(-7, "-7", .flags = PLUS);
  INTEGER(7, " 7", .flags = BLANK);
  INTEGER(-7, "-7", .flags = BLANK);
  AS(of_u(7), "+7", .flags = PLUS);
  /* What tells of floats only means nothing here. */
  INTEGER(7, "7", .notation = FASTIO_FIXED, .precision = 3, .flags = PERCENT | POINT);
  /* Prefixes. */
  INTEGER(255, "0xff", .base = 16, .flags = PREFIX);
  INTEGER(-255, "-0XFF", .base = 16, .flags = PREFIX | UPPER);
  INTEGER(8, "0o10", .base = 8, .flags = PREFIX);
  INTEGER(5, "+0b101", .base = 2, .flags = PREFIX | PLUS);
  INTEGER(0, "0x0", .base = 16, .flags = PREFIX);
  INTEGER(5, "0B101", .base = 2, .flags = PREFIX | UPPER);
  INTEGER(12, "12", .flags = PREFIX);
  INTEGER(35, "z", .base = 36, .flags = PREFIX);
  /* Fields. */
  INTEGER(42, "    42", .width = 6);
  INTEGER(42, "42    ", .width = 6, .flags = LEFT);
  INTEGER(42, "  42  ", .width = 6, .flags = CENTER);
  INTEGER(42, "  42   ", .width = 7, .flags = CENTER);
  INTEGER(-42, "-00042", .width = 6, .flags = INTERNAL);
  INTEGER(-42, "-***42", .width = 6, .flags = INTERNAL, .fill = '*');
  INTEGER(-42, "-   42", .width = 6, .flags = INTERNAL, .fill = ' ');
  INTEGER(-42, "000-42", .width = 6, .fill = '0');
  INTEGER(42, "+0x00002a", .width = 9, .base = 16, .flags = INTERNAL | PREFIX | PLUS);
  INTEGER(42, "42~~", .width = 4, .fill = '~', .flags = LEFT);
  INTEGER(42, "  42", .width = 4, .flags = RIGHT);
  INTEGER(42, "42", .width = 2);
  INTEGER(42, "42", .width = 1, .flags = CENTER);
  /* Groups. */
  INTEGER(123, "123", .locale = &english);
  INTEGER(1234, "1,234", .locale = &english);
  INTEGER(-123456, "-123,456", .locale = &english);
  INTEGER(1234567, "1.234.567", .locale = &german);
  INTEGER(INT64_MIN, "-9,223,372,036,854,775,808", .locale = &english);
  INTEGER(1234567890, "1,23,45,67,890", .locale = &indian);
  INTEGER(100000, "1,00,000", .locale = &indian);
  INTEGER(1234567,
          "1\xE2\x80\xAF"
          "234\xE2\x80\xAF"
          "567",
          .locale = &french);
  INTEGER(1234567,
          "   1\xE2\x80\xAF"
          "234\xE2\x80\xAF"
          "567",
          .locale = &french, .width = 12);
  INTEGER(12345678901, "1__2345__678__90__1", .locale = &mixed);
  INTEGER(1234567, "1234567", .locale = &points);
  INTEGER(0xABCDEF, "abc,def", .base = 16, .locale = &english);
  /* Zeros that fill are grouped, and no field starts with a separator: as Python's format(1234, "0=8,") has it. */
  INTEGER(1234, "001,234", .width = 7, .flags = INTERNAL, .locale = &english);
  INTEGER(1234, "0,001,234", .width = 8, .flags = INTERNAL, .locale = &english);
  INTEGER(1234, "0,001,234", .width = 9, .flags = INTERNAL, .locale = &english);
  INTEGER(-1234, "-0,001,234", .width = 10, .flags = INTERNAL, .locale = &english);
  INTEGER(0, "0,000", .width = 4, .flags = INTERNAL, .locale = &english);
  INTEGER(5, "00,00,005", .width = 9, .flags = INTERNAL, .locale = &indian);
  INTEGER(1234, "**1,234", .width = 7, .flags = INTERNAL, .fill = '*', .locale = &english);
  INTEGER(1234, "001,234", .width = 7, .fill = '0', .flags = INTERNAL, .locale = &english);
  INTEGER(1234, "001,234", .width = 7, .fill = '0', .locale = &english);
  INTEGER(12,
          "0\xE2\x80\xAF"
          "012",
          .width = 5, .flags = INTERNAL, .locale = &french);
}

static void test_floats(void) {
  check_value(of_d(0.1), NULL, "0.1", 3, __LINE__);
  check_value(of_f(0.1f), NULL, "0.1", 3, __LINE__);
  /* The shortest form, as Python's repr lays it out, with what flags add. */
  FLOAT(1.0, "1.0", 0);
  FLOAT(-0.0, "-0.0", 0);
  FLOAT(1e16, "1e+16", 0);
  FLOAT(123456789012345680.0, "1.2345678901234568e+17", 0);
  FLOAT(1e15, "1000000000000000.0", .precision = 3);
  FLOAT(0.0001, "0.0001", 0);
  FLOAT(0.00001, "1e-05", 0);
  FLOAT(5e-324, "5e-324", 0);
  FLOAT(1e22, "+1E+22", .flags = PLUS | UPPER);
  FLOAT(1e22, "1.e+22", .flags = POINT);
  FLOAT(1234567.0, "1,234,567.0", .locale = &english);
  FLOAT(-1234567.25, "-1.234.567,25", .locale = &german);
  FLOAT(0.25, "25.0%", .flags = PERCENT);
  FLOAT(0.07, "7.0%", .flags = PERCENT);  /* 0.07 * 100 is 7.000000000000001 */
  FLOAT(1.1, "110.0%", .flags = PERCENT); /* and 1.1 * 100 is 110.00000000000001 */
  FLOAT(-0.0, "-0.0%", .flags = PERCENT);
  FLOAT(1e15, "1e+17%", .flags = PERCENT);
  FLOAT(1e-6, "0.0001%", .flags = PERCENT);
  FLOAT(1e308, "1e+310%", .flags = PERCENT);
  FLOAT(1.5, "  1.5", .width = 5);
  FLOAT(-1.5, "-001.5", .width = 6, .flags = INTERNAL);
  AS(of_f(16777216.0f), "16777216.0", 0);
  AS(of_f(FLT_MAX), "3.4028235e+38", 0);
  /* Fixed. */
  FLOAT(3.14159, "3.142", .notation = FASTIO_FIXED, .precision = 3);
  FLOAT(2.5, "2", .notation = FASTIO_FIXED);
  FLOAT(3.5, "4.", .notation = FASTIO_FIXED, .flags = POINT);
  FLOAT(0.125, "0.12", .notation = FASTIO_FIXED, .precision = 2);
  FLOAT(0.375, "0.38", .notation = FASTIO_FIXED, .precision = 2);
  FLOAT(-0.001, "-0.00", .notation = FASTIO_FIXED, .precision = 2);
  FLOAT(-0.0, "-0.0", .notation = FASTIO_FIXED, .precision = 1);
  FLOAT(999.9996, "1000.000", .notation = FASTIO_FIXED, .precision = 3);
  FLOAT(0.1, "0.1000000000000000055511151231257827021181583404541015625000", .notation = FASTIO_FIXED, .precision = 58);
  FLOAT(1e23, "99999999999999991611392.0", .notation = FASTIO_FIXED, .precision = 1);
  FLOAT(1e23, "100000000000000000000000", .notation = FASTIO_FIXED, .precision = FASTIO_AS_NEEDED);
  FLOAT(0.1, "0.1", .notation = FASTIO_FIXED, .precision = FASTIO_AS_NEEDED);
  FLOAT(5.0, "5", .notation = FASTIO_FIXED, .precision = FASTIO_AS_NEEDED);
  FLOAT(5.0, "5.", .notation = FASTIO_FIXED, .precision = FASTIO_AS_NEEDED, .flags = POINT);
  FLOAT(1.25e-7, "0.000000125", .notation = FASTIO_FIXED, .precision = FASTIO_AS_NEEDED);
  AS(of_f(0.1f), "0.1", .notation = FASTIO_FIXED, .precision = FASTIO_AS_NEEDED);
  AS(of_f(0.1f), "0.1000000015", .notation = FASTIO_FIXED, .precision = 10);
  FLOAT(0.12345, "12.35%", .notation = FASTIO_FIXED, .precision = 2, .flags = PERCENT);
  FLOAT(0.0005, "0%", .notation = FASTIO_FIXED, .flags = PERCENT);
  FLOAT(0.005, "1%", .notation = FASTIO_FIXED, .flags = PERCENT); /* it is a little more */
  FLOAT(0.125, "12%", .notation = FASTIO_FIXED, .flags = PERCENT);
  FLOAT(1e6, "100000000.00%", .notation = FASTIO_FIXED, .precision = 2, .flags = PERCENT);
  FLOAT(12345.678, "12,345.68", .notation = FASTIO_FIXED, .precision = 2, .locale = &english);
  FLOAT(12345.678, "12 345,68", .notation = FASTIO_FIXED, .precision = 2, .locale = &(fastio_locale){",", " ", {3}});
  FLOAT(1234.5,
        "1\xE2\x80\x99"
        "234.5",
        .notation = FASTIO_FIXED, .precision = 1, .locale = &swiss);
  FLOAT(2.5,
        " 2\xD9\xAB"
        "5",
        .notation = FASTIO_FIXED, .precision = 1, .width = 4, .locale = &mixed);
  FLOAT(1234.5, "00,001,234.50", .notation = FASTIO_FIXED, .precision = 2, .width = 13, .flags = INTERNAL,
        .locale = &english);
  FLOAT(1234.5, "0,001,234.50", .notation = FASTIO_FIXED, .precision = 2, .width = 11, .flags = INTERNAL,
        .locale = &english);
  /* Scientific. */
  FLOAT(31415.9, "3.142e+04", .notation = FASTIO_SCIENTIFIC, .precision = 3);
  FLOAT(0.0, "0.00e+00", .notation = FASTIO_SCIENTIFIC, .precision = 2);
  FLOAT(9.9999, "1.000e+01", .notation = FASTIO_SCIENTIFIC, .precision = 3);
  FLOAT(1e-310, "1E-310", .notation = FASTIO_SCIENTIFIC, .flags = UPPER);
  FLOAT(1.0, "1.e+00", .notation = FASTIO_SCIENTIFIC, .flags = POINT);
  FLOAT(1.0, "1e+00", .notation = FASTIO_SCIENTIFIC, .precision = FASTIO_AS_NEEDED);
  FLOAT(123.25, "1,2325e+02", .notation = FASTIO_SCIENTIFIC, .precision = FASTIO_AS_NEEDED, .locale = &german);
  FLOAT(0.25, "2.5e+01%", .notation = FASTIO_SCIENTIFIC, .precision = 1, .flags = PERCENT);
  AS(of_f(0.1f), "1e-01", .notation = FASTIO_SCIENTIFIC, .precision = FASTIO_AS_NEEDED);
  /* General. */
  FLOAT(100000.0, "100000", .notation = FASTIO_GENERAL, .precision = 6);
  FLOAT(1000000.0, "1e+06", .notation = FASTIO_GENERAL, .precision = 6);
  FLOAT(999999.5, "1e+06", .notation = FASTIO_GENERAL, .precision = 6);
  FLOAT(0.0001, "0.0001", .notation = FASTIO_GENERAL, .precision = 6);
  FLOAT(0.00001, "1e-05", .notation = FASTIO_GENERAL, .precision = 6);
  FLOAT(1.0, "1.00000", .notation = FASTIO_GENERAL, .precision = 6, .flags = POINT);
  FLOAT(0.0, "0.00000", .notation = FASTIO_GENERAL, .precision = 6, .flags = POINT);
  FLOAT(1e10, "1.e+10", .notation = FASTIO_GENERAL, .precision = 0, .flags = POINT);
  FLOAT(7.0, "7", .notation = FASTIO_GENERAL, .precision = 0);
  FLOAT(1234567.0, "1,234,567", .notation = FASTIO_GENERAL, .precision = 9, .locale = &english);
  FLOAT(0.5, "50%", .notation = FASTIO_GENERAL, .precision = 6, .flags = PERCENT);
  FLOAT(1.0, "1", .notation = FASTIO_GENERAL, .precision = FASTIO_AS_NEEDED);
  FLOAT(1e15, "1000000000000000", .notation = FASTIO_GENERAL, .precision = FASTIO_AS_NEEDED);
  FLOAT(1e16, "1e+16", .notation = FASTIO_GENERAL, .precision = FASTIO_AS_NEEDED);
  FLOAT(0.1, "0.1", .notation = FASTIO_GENERAL, .precision = FASTIO_AS_NEEDED);
  FLOAT(0.00001, "1e-05", .notation = FASTIO_GENERAL, .precision = FASTIO_AS_NEEDED);
  /* Hexadecimal. */
  FLOAT(3.0, "0x1.8p+1", .notation = FASTIO_HEXADECIMAL, .precision = FASTIO_AS_NEEDED);
  FLOAT(1.0, "0X1P+0", .notation = FASTIO_HEXADECIMAL, .precision = FASTIO_AS_NEEDED, .flags = UPPER);
  FLOAT(-0.0, "-0x0p+0", .notation = FASTIO_HEXADECIMAL, .precision = FASTIO_AS_NEEDED);
  FLOAT(0.0, "0x0.00p+0", .notation = FASTIO_HEXADECIMAL, .precision = 2);
  FLOAT(5e-324, "0x0.0000000000001p-1022", .notation = FASTIO_HEXADECIMAL, .precision = FASTIO_AS_NEEDED);
  FLOAT(1.0, "0x1.p+0", .notation = FASTIO_HEXADECIMAL, .precision = 0, .flags = POINT);
  FLOAT(1.999, "0x2p+0", .notation = FASTIO_HEXADECIMAL, .precision = 0);
  FLOAT(1.5, "0x2p+0", .notation = FASTIO_HEXADECIMAL, .precision = 0);
  FLOAT(0.5, "0x00001.00p-1", .notation = FASTIO_HEXADECIMAL, .precision = 2, .width = 13, .flags = INTERNAL);
  FLOAT(1.0, "0x1.00000000000000000p+0", .notation = FASTIO_HEXADECIMAL, .precision = 17);
  AS(of_f(1e-45f), "0x1p-149", .notation = FASTIO_HEXADECIMAL, .precision = FASTIO_AS_NEEDED);
}

static void test_words(void) {
  FLOAT(HUGE_VAL, "inf", 0);
  FLOAT(-HUGE_VAL, "-inf", .notation = FASTIO_FIXED, .precision = 3);
  FLOAT(HUGE_VAL, "+INF", .flags = PLUS | UPPER);
  FLOAT(HUGE_VAL, " inf", .flags = BLANK);
  FLOAT((double)NAN, "nan", .notation = FASTIO_HEXADECIMAL);
  FLOAT(-(double)NAN, "nan", 0); /* its sign bit means nothing */
  FLOAT((double)NAN, "+nan", .flags = PLUS);
  FLOAT((double)NAN, "NAN%", .flags = PERCENT | UPPER);
  FLOAT(HUGE_VAL, "inf", .flags = POINT, .locale = &mixed);
  FLOAT(HUGE_VAL, "  inf", .width = 5, .flags = INTERNAL);
  FLOAT(-HUGE_VAL, " -inf", .width = 5, .flags = INTERNAL, .fill = '0');
  FLOAT(-HUGE_VAL, "*-inf", .width = 5, .flags = INTERNAL, .fill = '*');
  FLOAT(HUGE_VAL, "00inf", .width = 5, .fill = '0');
  FLOAT(HUGE_VAL, "inf..", .width = 5, .fill = '.', .flags = LEFT);
  AS(of_f(-(float)HUGE_VAL), " -inf ", .width = 6, .flags = CENTER);
}

#define TEXT(text, due, ...)                                                                            \
  do {                                                                                                  \
    const fastio_format format_ = {__VA_ARGS__};                                                        \
    char *out_ = allocate(sizeof(due) - 1);                                                             \
    CHECK_INT(fastio_format_text_as(text, strlen(text), &format_, out_, 0), sizeof(due) - 1);           \
    CHECK_BYTES(out_, fastio_format_text_as(text, strlen(text), &format_, out_, sizeof(due) - 1), due); \
    free(out_);                                                                                         \
  } while (0)

static void test_text(void) {
  TEXT("abc", "abc", 0);
  TEXT("abc", "abc   ", .width = 6);
  TEXT("abc", "   abc", .width = 6, .flags = INTERNAL);
  TEXT("abc", "000abc", .width = 6, .flags = INTERNAL, .fill = '0');
  TEXT("abc", "   abc", .width = 6, .flags = RIGHT);
  TEXT("abc", " abc  ", .width = 6, .flags = CENTER);
  TEXT("abc", "abc**", .width = 5, .flags = LEFT, .fill = '*');
  TEXT("abc", "abc", .width = 2);
  TEXT("gr\xC3\xBC\xC3\x9F"
       "e",
       "gr\xC3\xBC\xC3\x9F"
       "e ",
       .width = 6);
  TEXT("\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80  ", .width = 3);
  TEXT("", "  ", .width = 2);
  CHECK_INT(fastio_format_text_as(NULL, 0, NULL, NULL, 0), 0);
  CHECK_INT(fastio_format_text_as("a\0b", 3, NULL, NULL, 0), 3);
  const fastio_format wrong = {.base = 1};
  CHECK(fastio_format_text_as("abc", 3, &wrong, NULL, 0) == SIZE_MAX);
}

static void test_hex(void) {
  static const uint8_t bytes[] = {0x00, 0x01, 0x7F, 0x80, 0xAB, 0xFF};
  char out[12];
  CHECK_BYTES(out, fastio_format_hex(bytes, 6, 0, out), "00017f80abff");
  CHECK_BYTES(out, fastio_format_hex(bytes, 6, 1, out), "00017F80ABFF");
  CHECK_INT(fastio_format_hex(NULL, 0, 0, NULL), 0);
  /* Every byte at every place of runs of any length, into exact memory. */
  uint8_t data[300];
  for (size_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)i;
  for (size_t size = 1; size <= sizeof data; size += 1 + size / 16)
    for (int upper = 0; upper < 2; upper++) {
      char *text = allocate(2 * size), due[3];
      bool same = fastio_format_hex(data + sizeof data - size, size, upper, text) == 2 * size;
      for (size_t i = 0; i < size; i++) {
        snprintf(due, sizeof due, upper ? "%02X" : "%02x", data[sizeof data - size + i]);
        same = same && memcmp(text + 2 * i, due, 2) == 0;
      }
      check_that(same, __FILE__, __LINE__, "%zu bytes", size);
      free(text);
    }
}

/* ---- What a format may be ---- */

static void check_format(fastio_format format, bool good, int line) {
  fastio_error err;
  char out[64];
  const fastio_status status = fastio_format_check(&format, &err), due = good ? FASTIO_OK : FASTIO_INVALID_ARGUMENT;
  check_that(status == due, __FILE__, line, "%s", fastio_status_name(status));
  if (status != FASTIO_OK) check_that(err.status == status && err.message && *err.message, __FILE__, line, "error");
  if (good) return;
  check_that(fastio_format_i64_as(1, &format, out, sizeof out) == SIZE_MAX &&
                 fastio_format_u64_as(1, &format, out, sizeof out) == SIZE_MAX &&
                 fastio_format_f32_as(1, &format, out, sizeof out) == SIZE_MAX &&
                 fastio_format_f64_as(1, &format, out, sizeof out) == SIZE_MAX &&
                 fastio_format_text_as("1", 1, &format, out, sizeof out) == SIZE_MAX,
             __FILE__, line, "not SIZE_MAX");
}
#define GOOD(...) check_format((fastio_format){__VA_ARGS__}, true, __LINE__)
#define WRONG(...) check_format((fastio_format){__VA_ARGS__}, false, __LINE__)

static void test_check(void) {
  const fastio_locale endless_point = {{'1', '2', '3', '4', '5', '6', '7', '8'}, "", {0}};
  const fastio_locale endless_group = {"", {'1', '2', '3', '4', '5', '6', '7', '8'}, {0}};
  const fastio_locale gap = {"", ",", {0, 3}}, later_gap = {"", ",", {3, 0, 2}}, full = {"1234567", "1234567", {255}};
  CHECK_STATUS(fastio_format_check(NULL, NULL), FASTIO_OK);
  GOOD(0);
  GOOD(.notation = FASTIO_HEXADECIMAL, .precision = FASTIO_PRECISION_MAX, .width = FASTIO_WIDTH_MAX, .base = 36);
  GOOD(.precision = FASTIO_AS_NEEDED, .base = 2, .fill = 127, .locale = &full);
  WRONG(.notation = -1);
  WRONG(.notation = 5);
  WRONG(.precision = -2);
  WRONG(.precision = FASTIO_PRECISION_MAX + 1);
  WRONG(.base = 1);
  WRONG(.base = 37);
  WRONG(.base = -10);
  WRONG(.flags = 1024);
  WRONG(.flags = LEFT | RIGHT);
  WRONG(.flags = INTERNAL | RIGHT);
  WRONG(.flags = PLUS | BLANK);
  WRONG(.flags = LEFT | CENTER);
  WRONG(.flags = LEFT | INTERNAL);
  WRONG(.flags = CENTER | INTERNAL);
  WRONG(.flags = LEFT | CENTER | INTERNAL);
  WRONG(.notation = FASTIO_HEXADECIMAL, .flags = PERCENT);
  WRONG(.width = FASTIO_WIDTH_MAX + 1);
  WRONG(.fill = (char)0xC3);
  WRONG(.locale = &endless_point);
  WRONG(.locale = &endless_group);
  WRONG(.locale = &gap);
  WRONG(.locale = &later_gap);
  CHECK_STATUS(fastio_format_check(&(fastio_format){.base = 1}, NULL), FASTIO_INVALID_ARGUMENT);
}

/* ---- Random values and formats ---- */

static double random_double(void) {
  uint64_t bits = draw();
  double value;
  switch (below(6)) {
    case 0: return (double)(int64_t)draw() / 1e6;                                     /* many digits */
    case 1: return (double)((int64_t)below(2000001) - 1000000) / 1000;                /* decimals */
    case 2: return ldexp((double)((int64_t)below(4001) - 2000), (int)below(40) - 30); /* halves */
    case 3: return (double)(int64_t)below(1000) * pow(10, (double)((int)below(60) - 30));
    case 4: return below(8) ? (double)below(10) : below(2) ? HUGE_VAL : -0.0;
  }
  memcpy(&value, &bits, sizeof value);
  return value == value ? value : 1.0; /* the C library writes a NaN's sign */
}

#if EXACT_LIBC

/* The format as printf spells it, of the flags that both have. Returns its size. */
static void spell(const fastio_format *format, const char *conversion, char *out) {
  out += sprintf(out, "%%%s%s%s%s%s", format->flags & PLUS ? "+" : "", format->flags & BLANK ? " " : "",
                 format->flags & (POINT | PREFIX) ? "#" : "", format->flags & LEFT ? "-" : "",
                 format->flags & INTERNAL ? "0" : "");
  if (format->width) out += sprintf(out, "%u", format->width);
  if (format->precision >= 0 && !strchr("diuxXo", conversion[strlen(conversion) - 1]))
    out += sprintf(out, ".%d", format->precision);
  strcpy(out, conversion);
}

static void random_flags(fastio_format *format) {
  static const unsigned signs[] = {0, 0, PLUS, BLANK}, places[] = {0, 0, LEFT, INTERNAL};
  format->flags = signs[below(4)] | places[below(4)] | (below(4) ? 0 : UPPER);
  format->width = below(2) ? 0 : (unsigned)below(40);
}

static void compare_floats(size_t rounds) {
  static const char *const conversions[][2] = {{"f", "F"}, {"e", "E"}, {"g", "G"}, {"a", "A"}};
  for (size_t i = 0; i < rounds; i++) {
    fastio_format format = {.notation = FASTIO_FIXED + (int)below(4)};
    const double d = random_double();
    char spelled[32], due[2500];
    random_flags(&format);
    if (!below(4)) format.flags |= POINT;
    format.precision = (int)(below(8) ? below(25) : below(1200));
    if (format.notation == FASTIO_HEXADECIMAL && below(2)) format.precision = FASTIO_AS_NEEDED;
    spell(&format, conversions[format.notation - FASTIO_FIXED][(format.flags & UPPER) != 0], spelled);
    const value value = below(4) ? of_d(d) : of_f((float)d);
    const int size = snprintf(due, sizeof due, spelled, value.d);
    if (!check_value(value, &format, due, (size_t)size, __LINE__)) fprintf(stderr, "%s of %a\n", spelled, value.d);
  }
}

static void compare_integers(size_t rounds) {
  for (size_t i = 0; i < rounds; i++) {
    fastio_format format = FASTIO_FORMAT_INIT;
    const uint64_t u = draw() >> below(64);
    char spelled[32], due[100];
    random_flags(&format);
    const unsigned signs = PLUS | BLANK; /* which printf has for signed integers alone */
    if (below(2)) {
      spell(&format, PRId64, spelled);
      snprintf(due, sizeof due, spelled, (int64_t)u);
      check_value(of_i((int64_t)u), &format, due, strlen(due), __LINE__);
      continue;
    }
    format.flags &= ~signs;
    format.base = below(2) ? 16 : 8;
    if (format.base == 16 && u && below(2)) format.flags |= PREFIX;
    spell(&format, format.base == 8 ? PRIo64 : format.flags & UPPER ? PRIX64 : PRIx64, spelled);
    snprintf(due, sizeof due, spelled, u);
    check_value(of_u(u), &format, due, strlen(due), __LINE__);
  }
}

#endif

/* Groups by another way: digit after digit from the point on. */
static size_t group_slowly(const char *digits, size_t count, const fastio_locale *locale, char *out) {
  char reversed[600];
  size_t size = 0, group = 0, in_group = 0;
  for (size_t i = count; i-- > 0;) {
    const size_t limit = locale->grouping[0] ? locale->grouping[group] : 3;
    if (in_group == limit) {
      for (size_t j = strlen(locale->group); j-- > 0;) reversed[size++] = locale->group[j];
      if (group < 3 && locale->grouping[group + 1]) group++;
      in_group = 0;
    }
    reversed[size++] = digits[i];
    in_group++;
  }
  for (size_t i = 0; i < size; i++) out[i] = reversed[size - 1 - i];
  return size;
}

static void compare_groups(size_t rounds) {
  for (size_t i = 0; i < rounds; i++) {
    fastio_locale locale = {"", "\xE2\x80\xAF", {0}};
    if (below(2)) strcpy(locale.group, "'");
    for (size_t j = 0; j < 4 && below(3); j++) locale.grouping[j] = (unsigned char)(1 + below(5));
    const fastio_format format = {.locale = &locale};
    const uint64_t u = draw() >> below(64);
    char digits[32], due[200];
    const size_t count = (size_t)sprintf(digits, "%" PRIu64, u);
    check_value(of_u(u), &format, due, group_slowly(digits, count, &locale, due), __LINE__);
  }
}

/* ---- Many at once ---- */

static const fastio_type types[] = {FASTIO_INT8,    FASTIO_INT16,     FASTIO_INT32,        FASTIO_INT64,
                                    FASTIO_UINT8,   FASTIO_UINT16,    FASTIO_UINT32,       FASTIO_UINT64,
                                    FASTIO_FLOAT32, FASTIO_FLOAT64,   FASTIO_BOOL,         FASTIO_DATE,
                                    FASTIO_TIME,    FASTIO_TIMESTAMP, FASTIO_TIMESTAMP_UTC};
enum { TYPES = sizeof types / sizeof *types };

static size_t size_of(fastio_type type) { return type == FASTIO_BOOL ? 1 : fastio_type_size(type); }

/* A value with all its bytes; where some other values are wanted, of about as many digits as `digits`. */
static void random_item(fastio_type type, unsigned digits, void *out) {
  uint64_t bits = draw() >> (digits ? 64 - digits * 10 / 3 : below(64));
  int64_t number = below(2) ? (int64_t)bits : -(int64_t)bits;
  double d = below(4) ? random_double() : (double)number / 1000;
  float f = (float)d;
  int32_t days = (int32_t)below(3652059) - 719162;
  if (type >= FASTIO_UINT8 && type <= FASTIO_UINT64) number = (int64_t)bits;
  if (type == FASTIO_BOOL) number = below(3) ? (int64_t)below(2) : 255;
  if (type == FASTIO_TIME) number = (int64_t)(draw() % UINT64_C(86400000000000));
  if (type == FASTIO_TIME || type >= FASTIO_TIMESTAMP) number -= below(2) ? number % 1000000000 : 0;
  if (type == FASTIO_FLOAT64) memcpy(out, &d, sizeof d);
  else if (type == FASTIO_FLOAT32) memcpy(out, &f, sizeof f);
  else if (type == FASTIO_DATE) memcpy(out, &days, sizeof days);
  else switch (size_of(type)) {
      case 1: memcpy(out, &(int8_t){(int8_t)number}, 1); break;
      case 2: memcpy(out, &(int16_t){(int16_t)number}, 2); break;
      case 4: memcpy(out, &(int32_t){(int32_t)number}, 4); break;
      default: memcpy(out, &number, 8);
    }
}

/* An integer of any of the types, dates and times among them. */
static int64_t load_integer(fastio_type type, const void *item) {
  int16_t i16;
  int32_t i32;
  int64_t i64;
  uint16_t u16;
  uint32_t u32;
  switch (type) {
    case FASTIO_INT8: return *(const int8_t *)item;
    case FASTIO_BOOL:
    case FASTIO_UINT8: return *(const uint8_t *)item;
    case FASTIO_INT16: memcpy(&i16, item, sizeof i16); return i16;
    case FASTIO_UINT16: memcpy(&u16, item, sizeof u16); return u16;
    case FASTIO_DATE:
    case FASTIO_INT32: memcpy(&i32, item, sizeof i32); return i32;
    case FASTIO_UINT32: memcpy(&u32, item, sizeof u32); return u32;
    default: memcpy(&i64, item, sizeof i64); return i64;
  }
}

/* What one value is, by the functions for one value. */
static size_t format_item(fastio_type type, const void *item, const fastio_format *format, char *out, size_t capacity) {
  double d;
  float f;
  if (type == FASTIO_FLOAT32) return memcpy(&f, item, sizeof f), fastio_format_f32_as(f, format, out, capacity);
  if (type == FASTIO_FLOAT64) return memcpy(&d, item, sizeof d), fastio_format_f64_as(d, format, out, capacity);
  const int64_t number = load_integer(type, item);
  if (type <= FASTIO_INT64) return fastio_format_i64_as(number, format, out, capacity);
  if (type <= FASTIO_UINT64) return fastio_format_u64_as((uint64_t)number, format, out, capacity);
  char text[FASTIO_FORMAT_MAX];
  size_t size;
  if (type == FASTIO_BOOL) size = (size_t)sprintf(text, "%s", number ? "true" : "false");
  else if (type == FASTIO_DATE) size = fastio_format_date((int32_t)number, text);
  else if (type == FASTIO_TIME) size = fastio_format_time(number, text);
  else size = fastio_format_timestamp(number, type, text);
  return fastio_format_text_as(text, size, format, out, capacity);
}

static fastio_format random_format(void) {
  static const fastio_locale *const locales[] = {NULL, NULL, NULL, &english, &german, &indian, &french, &mixed};
  static const unsigned places[] = {RIGHT, LEFT, CENTER, INTERNAL};
  fastio_format format = FASTIO_FORMAT_INIT;
  if (!below(4)) return format;
  format.notation = (int)below(5);
  format.precision = below(8) ? (int)below(20) : below(2) ? FASTIO_AS_NEEDED : (int)below(400);
  if (below(2)) return format;
  format.base = below(2) ? 0 : 2 + (int)below(35);
  format.flags = (unsigned)(draw() & draw()) & (UPPER | PREFIX | POINT);
  if (below(2)) format.flags |= below(2) ? PLUS : BLANK;
  if (format.notation != FASTIO_HEXADECIMAL && !below(4)) format.flags |= PERCENT;
  if (below(2)) format.flags |= places[below(4)];
  if (below(2)) format.width = (unsigned)(below(8) ? below(40) : below(500));
  if (!below(4)) format.fill = '*';
  format.locale = locales[below(8)];
  return format;
}

typedef struct array {
  fastio_type type;
  char *memory; /* exactly the bytes from the first value to the last */
  const char *data;
  int64_t stride;
  size_t count;
} array;

static array random_array(void) {
  array array = {.type = types[below(TYPES)]};
  const size_t size = size_of(array.type), step = below(2) ? size : size + below(20);
  const unsigned digits = below(2) ? 0 : 1 + (unsigned)below(19);
  array.count = below(4) ? below(40) : below(1500);
  array.memory = allocate(array.count ? step * (array.count - 1) + size : 0);
  for (size_t i = 0; i < array.count; i++) random_item(array.type, digits, array.memory + i * step);
  array.data = array.memory;
  array.stride = (int64_t)step;
  if (array.count && !below(4)) {
    array.data += step * (array.count - 1);
    array.stride = -array.stride;
  }
  return array;
}

static bool check_many(const array *array, const fastio_format *format, fastio_bytes separator, size_t bound) {
  char *out = allocate(array->count * (bound + separator.size) + FASTIO_FORMAT_MAX);
  char *one = allocate(bound);
  const char *end = fastio__format_many(array->type, array->data, array->stride, array->count, format, separator, out);
  const char *at = out;
  bool same = true;
  for (size_t i = 0; i < array->count && same; i++) {
    const size_t size = format_item(array->type, array->data + (int64_t)i * array->stride, format, one, bound);
    same = size <= bound && (size_t)(end - at) >= size + separator.size && memcmp(at, one, size) == 0 &&
           (separator.size == 0 || memcmp(at + size, separator.data, separator.size) == 0);
    check_that(same, __FILE__, __LINE__, "%s %zu of %zu: \"%.*s\", not \"%.*s\" (%zu, at most %zu)",
               fastio_type_name(array->type), i, array->count, (int)size, at, (int)size, one, size, bound);
    at += size + separator.size;
  }
  same = same &&
         check_that(at == end, __FILE__, __LINE__, "%zu bytes, not %zu", (size_t)(end - out), (size_t)(at - out));
  free(one);
  free(out);
  return same;
}

static bool check_slots(const array *array, const fastio_format *format) {
  char *slots = allocate(array->count * FASTIO__SLOT + FASTIO__SLOT_SLACK);
  uint8_t *lengths = (uint8_t *)allocate(array->count);
  bool same = true;
  fastio__format_slots(array->type, array->data, array->stride, array->count, format, slots, lengths);
  for (size_t i = 0; i < array->count && same; i++) {
    char one[FASTIO__SLOT];
    const char *item = array->data + (int64_t)i * array->stride;
    const size_t size = format_item(array->type, item, format, one, FASTIO__SLOT_TEXT);
    same = size > FASTIO__SLOT_TEXT ? lengths[i] == FASTIO__SLOT_OVERFLOW
                                    : lengths[i] == size && memcmp(slots + i * FASTIO__SLOT, one, size) == 0;
    check_that(same, __FILE__, __LINE__, "%s slot %zu of %zu: %u bytes, \"%.*s\"", fastio_type_name(array->type), i,
               array->count, lengths[i], (int)size, one);
  }
  free(lengths);
  free(slots);
  return same;
}

static void test_many(size_t rounds) {
  static const fastio_bytes separators[] = {{" ", 1},
                                            {"\n", 1},
                                            {"", 0},
                                            {"\0", 1},
                                            {", ", 2},
                                            {"7", 1},
                                            {"0123456789abcdef", 16},
                                            {"0123456789abcdefg", 17}};
  for (size_t i = 0; i < rounds; i++) {
    const array array = random_array();
    fastio_format format = random_format();
    const bool initial = !below(3);
    const size_t bound = fastio__format_bound(array.type, initial ? NULL : &format);
    const bool many = check_many(&array, initial ? NULL : &format, separators[below(8)], bound);
    const bool slots = check_slots(&array, initial ? NULL : &format);
    if (!many || !slots)
      fprintf(stderr, "notation %d precision %d base %d flags %u width %u stride %d\n", format.notation,
              format.precision, format.base, format.flags, format.width, (int)array.stride);
    free(array.memory);
  }
}

/* Values of every number of digits beside each other, at every place of a block; all signs. */
static void test_lengths(void) {
  enum { COUNT = 64 };
  int64_t values[COUNT];
  for (unsigned digits = 1; digits <= 19; digits++)
    for (unsigned other = 1; other <= 19; other++) {
      for (size_t i = 0; i < COUNT; i++) {
        int64_t power = 1;
        for (unsigned j = 1; j < (i % 9 == other % 9 ? other : digits); j++) power *= 10;
        values[i] = i % 3 == 0 ? power : i % 3 == 1 ? power - 1 : power + (int64_t)(draw() % (uint64_t)(8 * power));
        if (draw() >> 62 == 0) values[i] = -values[i];
      }
      const array whole = {FASTIO_INT64, NULL, (const char *)values, 8, COUNT};
      const array natural = {FASTIO_UINT64, NULL, (const char *)values, 8, COUNT};
      check_many(&whole, NULL, (fastio_bytes){"\n", 1}, fastio__format_bound(FASTIO_INT64, NULL));
      check_many(&natural, NULL, (fastio_bytes){",", 1}, fastio__format_bound(FASTIO_UINT64, NULL));
      check_slots(&whole, NULL);
    }
}

/* Eight values of which one is at a power of ten or just below it, at each place; with signs, too. */
static void test_limits(void) {
  int64_t power = 1;
  for (unsigned digits = 1; digits <= 19; digits++, power *= digits <= 19 ? 10 : 1)
    for (unsigned i = 0; i < 32; i++) {
      int64_t values[8];
      for (unsigned j = 0; j < 8; j++) values[j] = (j == i % 8 ? power : power - 1) - (i >= 16);
      if (i & 8)
        for (unsigned j = 0; j < 8; j++) values[j] = -values[j];
      const array eight = {FASTIO_INT64, NULL, (const char *)values, 8, 8};
      check_many(&eight, NULL, (fastio_bytes){"\n", 1}, fastio__format_bound(FASTIO_INT64, NULL));
      check_slots(&eight, NULL);
    }
}

/* The bound is reached: it is no more than a few bytes too much, where that can be known. */
static void test_bound(void) {
  CHECK_INT(fastio__format_bound(FASTIO_INT8, NULL), 4);
  CHECK_INT(fastio__format_bound(FASTIO_UINT8, NULL), 3);
  CHECK_INT(fastio__format_bound(FASTIO_INT64, NULL), 20);
  CHECK_INT(fastio__format_bound(FASTIO_UINT64, NULL), 20);
  CHECK_INT(fastio__format_bound(FASTIO_FLOAT64, NULL), 24);
  CHECK_INT(fastio__format_bound(FASTIO_BOOL, NULL), 5);
  CHECK_INT(fastio__format_bound(FASTIO_DATE, NULL), 10);
  CHECK_INT(fastio__format_bound(FASTIO_TIMESTAMP_UTC, NULL), 30);
  CHECK_INT(fastio__format_bound(FASTIO_UINT8, &(fastio_format){.width = 9}), 9);
}

int main(int argc, char **argv) {
  const size_t factor = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 1;
  test_integers();
  test_floats();
  test_words();
  test_text();
  test_hex();
  test_check();
  test_bound();
#if EXACT_LIBC
  compare_floats(20000 * factor);
  compare_integers(20000 * factor);
#endif
  compare_groups(5000 * factor);
  for (size_t i = 0; fastio_cpu_name(i); i++) {
    CHECK_STATUS(fastio_cpu_select(fastio_cpu_name(i)), FASTIO_OK);
    test_lengths();
    test_limits();
    test_many(3000 * factor);
  }
  return check_report();
}
