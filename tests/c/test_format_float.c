/* Floats as text, against the C library: exact digits at any precision in each notation, and of the shortest form that
 * it reads back as the same value, that no decimal with fewer digits does, and that of those as long it is the nearest.
 * FASTIO_TEST_COUNT values of each kind at random (60000). */
#include <math.h>

#include "../../libfastio/src/number/format.h"
#include "check.h"

static uint64_t state = UINT64_C(0x9E3779B97F4A7C15);

static uint64_t random_bits(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state * UINT64_C(0x2545F4914F6CDD1D);
}

static unsigned random_below(unsigned limit) { return (unsigned)(random_bits() >> 33) % limit; }

static double double_from(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static float float_from(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static double next_double(double value, int64_t steps) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return double_from(bits + (uint64_t)steps);
}

/* ---- Exact notations ---- */

enum { ROOM = 4096 };
static char got[ROOM], due[ROOM];

static void same(const char *what, double value, int precision, size_t size, int due_size) {
  bool equal = size == (size_t)due_size && memcmp(got, due, size) == 0;
  if (equal) check_passed++;
  else
    check_that(false, __FILE__, __LINE__, "%s %d of %a is \"%.*s\", not \"%.100s\"", what, precision, value,
               size < 100 ? (int)size : 100, got, due);
}

static void check_notations(double value, int precision) {
  const size_t p = (size_t)precision;
  same("fixed", value, precision, fastio__format_fixed(value, p, got), snprintf(due, ROOM, "%.*f", precision, value));
  same("scientific", value, precision, fastio__format_scientific(value, p, got),
       snprintf(due, ROOM, "%.*e", precision, value));
  same("general", value, precision, fastio__format_general(value, p, got),
       snprintf(due, ROOM, "%.*g", precision, value));
  same("hexadecimal", value, precision, fastio__format_hexadecimal(value, precision, got),
       snprintf(due, ROOM, "%.*a", precision, value));
  same("hexadecimal", value, -1, fastio__format_hexadecimal(value, -1, got), snprintf(due, ROOM, "%a", value));
}

/* The digits themselves: what "%.*e" has without its point, and what "%.*f" has without zeros in front. */
static void check_digits(double value, int count) {
  int32_t exponent = 0;
  size_t size = fastio__exact_significant(value, (size_t)count, got, &exponent);
  char *mark;
  snprintf(due, ROOM, "%.*e", count - 1, fabs(value));
  mark = strchr(due, 'e');
  const int due_exponent = atoi(mark + 1);
  *mark = '\0';
  if (count > 1) memmove(due + 1, due + 2, strlen(due + 2) + 1);
  same("digits", value, count, size, count);
  CHECK_INT(exponent, due_exponent);

  size = fastio__exact_places(value, (size_t)count, got, &exponent);
  snprintf(due, ROOM, "%.*f", count, fabs(value));
  const size_t whole = (size_t)(strchr(due, '.') - due);
  memmove(due + whole, due + whole + 1, strlen(due + whole));
  const size_t zeros = strspn(due, "0");
  memmove(due, due + zeros, strlen(due + zeros) + 1);
  if (strlen(due) > FASTIO__EXACT_MAX) due[FASTIO__EXACT_MAX] = '\0'; /* no double has so many before its last zeros */
  same("places", value, count, size, (int)strlen(due));
  if (size) CHECK_INT(exponent, (int)whole - 1 - (int)zeros);
}

static void check_exact(double value, int precision) {
  check_notations(value, precision);
  check_notations(-value, precision);
  if (value != 0 && precision > 0) check_digits(value, precision);
}

static void test_powers_of_two(void) {
  for (int exponent = -1074; exponent < 1024; exponent++)
    for (int precision = 0; precision < 24; precision += 1 + precision / 4) {
      const double power = ldexp(1, exponent);
      check_exact(power, precision);
      check_exact(next_double(power, -1), precision);
      check_exact(next_double(power, 1), precision);
    }
}

/* Powers of ten, and five times them: rounded to fewer places these are ties where they are exact. */
static void test_powers_of_ten(void) {
  static const char *const digits[] = {"1", "5", "25", "15", "35", "9.5", "99.5", "1.5", "0.5", "9.9999999999999995"};
  for (int exponent = -330; exponent <= 308; exponent++)
    for (size_t i = 0; i < sizeof digits / sizeof *digits; i++) {
      char text[40];
      snprintf(text, sizeof text, "%se%d", digits[i], exponent);
      const double value = strtod(text, NULL);
      if (!isfinite(value)) continue;
      for (int precision = 0; precision < 40; precision += 1 + precision / 3) check_exact(value, precision);
    }
}

/* Halves of every unit: k / 2^n is a tie at n - 1 places. */
static void test_ties(void) {
  for (int bits = 1; bits < 30; bits++)
    for (int i = 0; i < 20; i++) {
      const double value = ldexp((double)(2 * random_below(1000000) + 1), -bits);
      for (int precision = bits > 3 ? bits - 3 : 0; precision < bits + 2; precision++) check_exact(value, precision);
    }
  /* Integers with zeros at the end, as ties of significant digits. */
  for (int power = 1; power < 22; power++)
    for (int i = 0; i < 50; i++) {
      const double value = (double)(2 * random_below(100000) + 1) * 5 * pow(10, power);
      for (int precision = 0; precision < 12; precision++) check_exact(value, precision);
    }
}

static void test_limits(void) {
  static const uint64_t bits[] = {0,
                                  1,
                                  UINT64_C(0x000FFFFFFFFFFFFF), /* the largest subnormal */
                                  UINT64_C(0x0010000000000000), /* the smallest normal number */
                                  UINT64_C(0x7FEFFFFFFFFFFFFF), /* the largest number */
                                  UINT64_C(0x3FF0000000000000),
                                  UINT64_C(0x433FFFFFFFFFFFFF), /* 2^54 - 2 */
                                  UINT64_C(0x43E0000000000000), /* 2^63 */
                                  UINT64_C(0x43EFFFFFFFFFFFFF), /* just below 2^64 */
                                  UINT64_C(0x43F0000000000000)};
  for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
    for (int precision = 0; precision < 40; precision++) check_exact(double_from(bits[i]), precision);
    for (int precision = 40; precision < 1400; precision += 53) check_notations(double_from(bits[i]), precision);
  }
  static const double words[] = {INFINITY, -INFINITY};
  for (size_t i = 0; i < 2; i++)
    for (int precision = 0; precision < 20; precision++) check_notations(words[i], precision);
  CHECK_BYTES(got, fastio__format_fixed(NAN, 3, got), "nan");
  CHECK_BYTES(got, fastio__format_scientific(-NAN, 3, got), "nan");
  CHECK_BYTES(got, fastio__format_general(NAN, 3, got), "nan");
  CHECK_BYTES(got, fastio__format_hexadecimal(NAN, -1, got), "nan");
  int32_t exponent;
  CHECK_INT(fastio__exact_significant(0.0, 5, got, &exponent), 0);
  CHECK_INT(fastio__exact_places(-0.0, 5, got, &exponent), 0);
  CHECK_INT(fastio__exact_places(0.004, 2, got, &exponent), 0);
}

/* Asked for more digits than there can be, all that are not zero come. */
static void test_all_digits(void) {
  int32_t exponent;
  const double least_normal_below = double_from(UINT64_C(0x000FFFFFFFFFFFFF));
  const size_t count = fastio__exact_significant(least_normal_below, 5000, got, &exponent);
  snprintf(due, ROOM, "%.1200e", least_normal_below);
  CHECK(count >= 767 && count <= FASTIO__EXACT_MAX && got[0] == due[0] && memcmp(got + 1, due + 2, count - 1) == 0);
  CHECK_INT(exponent, -308);
  CHECK_INT(strspn(due + 1 + count, "0"), strcspn(due + 1 + count, "e"));
}

static void test_random(long count) {
  for (long i = 0; i < count; i++) {
    double value = double_from(random_bits() & (UINT64_MAX >> 1));
    if (!isfinite(value)) continue;
    check_exact(value, (int)random_below(22));
    const double unit = (double)(random_bits() >> 11) * 0x1p-53;
    check_exact(unit * 1e6, (int)random_below(20));
    check_exact(unit * pow(10, (int)random_below(40) - 20), (int)random_below(20));
    check_exact((double)(random_bits() >> random_below(64)), (int)random_below(20));
    check_exact((double)random_below(10000000) / 1000, (int)random_below(6));
    if (i % 64 == 0) check_exact(value, (int)random_below(1100));
    if (i % 64 == 1) check_exact(unit, (int)random_below(100));
  }
}

/* ---- The shortest form ---- */

/* The digits of a text without sign, point, exponent, zeros in front and at the end; how many. */
static int significant_digits(const char *text, char *digits) {
  int count = 0;
  for (; *text && *text != 'e'; text++)
    if (*text != '.' && *text != '-' && (count || *text != '0')) digits[count++] = *text;
  while (count > 1 && digits[count - 1] == '0') count--;
  digits[count] = '\0';
  return count;
}

static double read_back(const char *text, bool is_float) {
  return is_float ? (double)strtof(text, NULL) : strtod(text, NULL);
}

/* Whether a decimal with `count` digits that is next to the value, or one up or down from it, reads back as the value.
 * (At powers of two the nearest one need not, even if another one does.) */
static bool some_reads_back(double value, bool is_float, int count) {
  char digits[40], text[64];
  snprintf(text, sizeof text, "%.*e", count - 1, value);
  if (read_back(text, is_float) == value) return true;
  const int exponent = atoi(strchr(text, 'e') + 1) - (count - 1);
  memmove(text + 1, text + 2, strlen(text + 2) + 1);
  *strchr(text, count > 1 ? 'e' : '\0') = '\0';
  const int64_t number = count > 1 ? strtoll(text, NULL, 10) : text[0] - '0';
  for (int64_t step = -1; step <= 1; step += 2) {
    snprintf(digits, sizeof digits, "%" PRId64 "e%d", number + step, exponent);
    if (read_back(digits, is_float) == value) return true;
  }
  return false;
}

static void check_shortest(double value, bool is_float) {
  char text[FASTIO_FORMAT_MAX + 1], digits[64], nearest[64], nearest_digits[64];
  const size_t size = is_float ? fastio_format_f32((float)value, text) : fastio_format_f64(value, text);
  text[size] = '\0';
  const double magnitude = fabs(value), again = read_back(text, is_float);
  const int count = significant_digits(text, digits);
  bool good = again == value && signbit(again) == signbit(value);
  if (value != 0) {
    snprintf(nearest, sizeof nearest, "%.*e", count - 1, magnitude);
    significant_digits(nearest, nearest_digits);
    if (read_back(nearest, is_float) == magnitude) good = good && strcmp(digits, nearest_digits) == 0;
    if (count > 1) good = good && !some_reads_back(magnitude, is_float, count - 1);
  }
  if (good) check_passed++;
  else check_that(false, __FILE__, __LINE__, "%a is written as %s", value, text);
}

static void test_shortest(long count) {
  for (int exponent = -1074; exponent < 1024; exponent++)
    for (int step = -2; step <= 2; step++) {
      if (exponent == -1074 && step < 0) continue;
      check_shortest(next_double(ldexp(1, exponent), step), false);
      check_shortest(next_double(ldexp(-3, exponent - 1), step), false);
    }
  for (int exponent = -149; exponent < 128; exponent++) {
    check_shortest(ldexp(1, exponent), true);
    check_shortest(nextafterf((float)ldexp(1, exponent), 0), true);
    check_shortest(nextafterf((float)ldexp(1, exponent), INFINITY), true);
  }
  for (int exponent = -330; exponent <= 308; exponent++) {
    char text[16];
    snprintf(text, sizeof text, "1e%d", exponent);
    const double value = strtod(text, NULL);
    for (int step = -3; value > 0x1p-1070 && step <= 3; step++) check_shortest(next_double(value, step), false);
    const float single = strtof(text, NULL);
    if (isfinite(single)) check_shortest(single, true);
  }
  for (long i = 0; i < count; i++) {
    const double value = double_from(random_bits());
    if (isfinite(value)) check_shortest(value, false);
    const float single = float_from((uint32_t)(random_bits() >> 32));
    if (isfinite(single)) check_shortest(single, true);
    check_shortest((double)(random_bits() >> random_below(64)), false);
    check_shortest((float)(random_bits() >> random_below(64)), true);
    check_shortest((double)random_below(100000000) / pow(10, random_below(12)), false);
    check_shortest((float)(random_below(1000000) / pow(10, random_below(8))), true);
  }
}

/* Where plain becomes scientific, and what stands behind whole numbers: Python's repr. */
static void test_repr(void) {
  static const struct {
    double value;
    const char *text;
  } cases[] = {{0.0, "0.0"},
               {-0.0, "-0.0"},
               {1.0, "1.0"},
               {10.0, "10.0"},
               {123456789.0, "123456789.0"},
               {0.1, "0.1"},
               {-1.5, "-1.5"},
               {0.001, "0.001"},
               {0.0001, "0.0001"},
               {0.00001, "1e-05"},
               {0.00012345678901234567, "0.00012345678901234567"},
               {1e15, "1000000000000000.0"},
               {1e16, "1e+16"},
               {9007199254740993.0, "9007199254740992.0"},
               {1234567890123456.7, "1234567890123456.8"},
               {123456789012345.67, "123456789012345.67"},
               {1e22, "1e+22"},
               {1e23, "1e+23"},
               {9.5367431640625e-07, "9.5367431640625e-07"},
               {5e-324, "5e-324"},
               {2.2250738585072014e-308, "2.2250738585072014e-308"},
               {1.7976931348623157e308, "1.7976931348623157e+308"},
               {1.2e-100, "1.2e-100"},
               {4.35, "4.35"},
               {0.3, "0.3"},
               {2.0 / 3, "0.6666666666666666"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_bytes(got, fastio_format_f64(cases[i].value, got), cases[i].text, strlen(cases[i].text), cases[i].text,
                __FILE__, __LINE__);
  CHECK_BYTES(got, fastio_format_f32(0.1f, got), "0.1");
  CHECK_BYTES(got, fastio_format_f32(16777216.0f, got), "16777216.0");
  CHECK_BYTES(got, fastio_format_f32(3.4028235e38f, got), "3.4028235e+38");
  CHECK_BYTES(got, fastio_format_f32(1e-45f, got), "1e-45");
  CHECK_BYTES(got, fastio_format_f32(-0.0f, got), "-0.0");
  CHECK_BYTES(got, fastio_format_f32(-INFINITY, got), "-inf");
  CHECK_BYTES(got, fastio_format_f32(NAN, got), "nan");
  CHECK_BYTES(got, fastio_format_f64(INFINITY, got), "inf");
}

/* ---- Many values ----
 * In every instruction set, and in every number, the texts of single values. */

enum { MANY = 300 };

static double some_value(unsigned kind) {
  static const double special[] = {0.0, -0.0,   1.0,  -2.0, INFINITY,          -INFINITY,
                                   NAN, 5e-324, 1e16, 1e-4, 9999999999999998.0};
  switch (kind) {
    case 0: return double_from(random_bits());
    case 1: return (double)(int64_t)random_bits() * 0x1p-40;
    case 2: return (double)random_below(1000000) / 100;
    case 3: return (double)random_below(1000);
    case 4: return ldexp(1, (int)random_below(2098) - 1074);
    case 5: return (double)(random_bits() >> random_below(64));
    case 6: return (double)random_below(100000) * pow(10, (int)random_below(40) - 20);
    default: return special[random_below(sizeof special / sizeof *special)];
  }
}

static void check_many(const double *values, size_t count, const char *separator) {
  static char rows[MANY * 48 + 256], single[MANY * 48 + 256], slots[(MANY + 32) * FASTIO__SLOT];
  uint8_t lengths[MANY];
  const fastio_bytes bytes = {(const uint8_t *)separator, strlen(separator)};
  const char *end = fastio__format_many(FASTIO_FLOAT64, values, sizeof *values, count, NULL, bytes, rows);
  fastio__format_slots(FASTIO_FLOAT64, values, sizeof *values, count, NULL, slots, lengths);
  char *at = single;
  bool good = true;
  for (size_t i = 0; i < count; i++) {
    const size_t size = fastio_format_f64(values[i], at);
    good = good && lengths[i] == size && memcmp(slots + i * FASTIO__SLOT, at, size) == 0;
    memcpy(at + size, bytes.data, bytes.size);
    at += size + bytes.size;
  }
  good = good && at - single == end - rows && memcmp(rows, single, (size_t)(at - single)) == 0;
  check_that(good, __FILE__, __LINE__, "%zu values from %a with %s", count, values[0], fastio_cpu_selected());
}

static void test_many(long rounds) {
  static const char *const separators[] = {"\n", ",", "", ", ", "0123456789abcdef", "0123456789abcdefg"};
  double values[MANY];
  for (size_t cpu = 0; fastio_cpu_name(cpu); cpu++) {
    CHECK_STATUS(fastio_cpu_select(fastio_cpu_name(cpu)), FASTIO_OK);
    for (long round = 0; round < rounds; round++) {
      const unsigned kind = random_below(10); /* 9: all of them mixed */
      const size_t count = 1 + (size_t)round % MANY;
      for (size_t i = 0; i < count; i++) values[i] = some_value(kind == 9 ? random_below(9) : kind);
      check_many(values, count, separators[(size_t)round % 6]);
    }
  }
  fastio_cpu_select("auto");
}

int main(void) {
  const char *text = getenv("FASTIO_TEST_COUNT");
  const long count = text ? atol(text) : 60000;
  test_powers_of_two();
  test_powers_of_ten();
  test_ties();
  test_limits();
  test_all_digits();
  test_random(count);
  test_repr();
  test_shortest(count);
  test_many(count / 20);
  return check_report();
}
