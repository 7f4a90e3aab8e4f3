/* Words, dates, times, timestamps; numbers as people write them; what a text could be. Answers by hand; every day of
 * the calendar against counting them. */
#include "../../libfastio/src/number/number.h"
#include "check.h"

#define DAY INT64_C(86400000000000)

/* The text in memory of just its size, so that a sanitizer sees every byte read beyond. */
static uint8_t *exact(const char *text, size_t size) {
  uint8_t *copy = malloc(size ? size : 1);
  if (size) memcpy(copy, text, size);
  return copy;
}

/* ---- The calendar ---- */

static void test_every_day(void) {
  static const int lengths[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int32_t days = -719162;
  int wrong = 0;
  for (int year = 1; year <= 9999; year++) {
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    for (int month = 1; month <= 12; month++) {
      const int length = lengths[month - 1] + (month == 2 && leap);
      for (int day = 1; day <= length; day++, days++) {
        char text[32], back[FASTIO_FORMAT_MAX];
        int32_t value = 0;
        const int size = snprintf(text, sizeof text, "%04d-%02d-%02d", year, month, day);
        wrong += fastio_parse_date(text, (size_t)size, &value, NULL) != FASTIO_OK || value != days;
        wrong += fastio_format_date(days, back) != 10 || memcmp(back, text, 10) != 0;
      }
      char beyond[32];
      int32_t value = 77;
      snprintf(beyond, sizeof beyond, "%04d-%02d-%02d", year, month, length + 1);
      wrong += fastio_parse_date(beyond, 10, &value, NULL) != FASTIO_BAD_TOKEN || value != 77;
    }
  }
  CHECK_INT(wrong, 0);
  CHECK_INT(days, 2932897);
}

static void test_every_second(void) {
  int wrong = 0;
  for (int64_t second = 0; second < 86400; second++) {
    char text[FASTIO_FORMAT_MAX], due[64];
    int64_t value = 0;
    const int size = snprintf(due, sizeof due, "%02d:%02d:%02d", (int)(second / 3600), (int)(second / 60 % 60),
                              (int)(second % 60));
    wrong += fastio_format_time(second * 1000000000, text) != (size_t)size || memcmp(text, due, (size_t)size) != 0;
    wrong += fastio_parse_time(text, (size_t)size, &value, NULL) != FASTIO_OK || value != second * 1000000000;
  }
  CHECK_INT(wrong, 0);
}

/* ---- Texts that are right: their value ---- */

typedef enum kind { DATE, TIME, TIMESTAMP } kind;

/* has_zone: 2 where there is none to tell. */
static fastio_status parse(kind kind, const char *text, int64_t *value, int *has_zone, fastio_error *err) {
  const size_t size = strlen(text);
  uint8_t *data = exact(text, size);
  int32_t days = 0;
  fastio_status status;
  fastio_error_init(err);
  *has_zone = 2;
  if (kind == DATE) {
    status = fastio_parse_date(data, size, &days, err);
    if (status == FASTIO_OK) *value = days;
  } else if (kind == TIME) {
    status = fastio_parse_time(data, size, value, err);
  } else {
    status = fastio_parse_timestamp(data, size, value, has_zone, err);
  }
  free(data);
  return status;
}

static const struct {
  kind kind;
  const char *text;
  int64_t value;
  int has_zone;
} good[] = {
    {DATE, "1970-01-01", 0, 2},
    {DATE, "1969-12-31", -1, 2},
    {DATE, "2000-02-29", 11016, 2},
    {DATE, "2024-02-29", 19782, 2},
    {DATE, "0001-01-01", -719162, 2},
    {DATE, "9999-12-31", 2932896, 2},
    {TIME, "00:00", 0, 2},
    {TIME, "23:59", INT64_C(86340000000000), 2},
    {TIME, "00:00:01", 1000000000, 2},
    {TIME, "23:59:59", INT64_C(86399000000000), 2},
    {TIME, "12:34:56.7", INT64_C(45296700000000), 2},
    {TIME, "12:34:56.78", INT64_C(45296780000000), 2},
    {TIME, "12:34:56.789", INT64_C(45296789000000), 2},
    {TIME, "12:34:56.7890", INT64_C(45296789000000), 2},
    {TIME, "12:34:56.78901", INT64_C(45296789010000), 2},
    {TIME, "12:34:56.789012", INT64_C(45296789012000), 2},
    {TIME, "12:34:56.7890123", INT64_C(45296789012300), 2},
    {TIME, "12:34:56.78901234", INT64_C(45296789012340), 2},
    {TIME, "12:34:56.789012345", INT64_C(45296789012345), 2},
    {TIME, "23:59:59.999999999", DAY - 1, 2},
    {TIMESTAMP, "1970-01-01", 0, 0},
    {TIMESTAMP, "1970-01-02", DAY, 0},
    {TIMESTAMP, "1970-01-01T00:00", 0, 0},
    {TIMESTAMP, "1970-01-01 00:00:01", 1000000000, 0},
    {TIMESTAMP, "1970-01-01t00:00:00.000000001", 1, 0},
    {TIMESTAMP, "1969-12-31T23:59:59.999999999", -1, 0},
    {TIMESTAMP, "1970-01-01T00:00Z", 0, 1},
    {TIMESTAMP, "1970-01-01T00:00:00z", 0, 1},
    {TIMESTAMP, "1970-01-01T01:00:00+01:00", 0, 1},
    {TIMESTAMP, "1970-01-01T01:30:00+0130", 0, 1},
    {TIMESTAMP, "1970-01-01T01:00+01", 0, 1},
    {TIMESTAMP, "1970-01-01 00:00:00.5-01", INT64_C(3600500000000), 1},
    {TIMESTAMP, "1970-01-01T00:00:00-00:00", 0, 1},
    {TIMESTAMP, "1970-01-01T00:00:00-23:59", INT64_C(86340000000000), 1},
    {TIMESTAMP, "1970-01-01T00:00:00+23:59", -INT64_C(86340000000000), 1},
    {TIMESTAMP, "2024-02-29T12:34:56.789012345Z", INT64_C(1709210096789012345), 1},
    {TIMESTAMP, "2024-02-29T12:34:56.789012345+02:00", INT64_C(1709202896789012345), 1},
    {TIMESTAMP, "1677-09-21T00:12:43.145224192", INT64_MIN, 0},
    {TIMESTAMP, "1677-09-21T00:12:43.145224193", INT64_MIN + 1, 0},
    {TIMESTAMP, "1677-09-21T00:12:44", INT64_C(-9223372036000000000), 0},
    {TIMESTAMP, "2262-04-11T23:47:15.999999999", INT64_C(9223372035999999999), 0},
    {TIMESTAMP, "2262-04-11T23:47:16", INT64_C(9223372036000000000), 0},
    {TIMESTAMP, "2262-04-11T23:47:16.854775807", INT64_MAX, 0},
    {TIMESTAMP, "2262-04-12T00:47:16.854775807+01:00", INT64_MAX, 1},
};

static void test_good(void) {
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    int64_t value = 0;
    int has_zone;
    fastio_error err;
    const fastio_status status = parse(good[i].kind, good[i].text, &value, &has_zone, &err);
    check_that(status == FASTIO_OK && value == good[i].value && has_zone == good[i].has_zone, __FILE__, __LINE__,
               "%s: %s, %" PRId64 ", zone %d", good[i].text, fastio_status_name(status), value, has_zone);
  }
}

/* ---- Texts that are wrong: where ---- */

static const struct {
  kind kind;
  const char *text;
  uint64_t offset;
  fastio_status status; /* 0: FASTIO_BAD_TOKEN */
} bad[] = {
    {DATE, "", 0, 0},
    {DATE, "2024", 4, 0},
    {DATE, "2024-02-2", 9, 0},
    {DATE, "2024-02-29 ", 10, 0},
    {DATE, " 2024-02-29", 0, 0},
    {DATE, "2024-02-290", 10, 0},
    {DATE, "2024/02/29", 4, 0},
    {DATE, "2024-02/29", 7, 0},
    {DATE, "20240229", 4, 0},
    {DATE, "2024-2-29", 6, 0},
    {DATE, "24-02-29", 2, 0},
    {DATE, "+024-02-29", 0, 0},
    {DATE, "202a-02-29", 3, 0},
    {DATE, "2024-02-2x", 9, 0},
    {DATE, "0000-01-01", 0, 0},
    {DATE, "2024-00-01", 5, 0},
    {DATE, "2024-13-01", 5, 0},
    {DATE, "2024-01-00", 8, 0},
    {DATE, "2023-02-29", 8, 0},
    {DATE, "1900-02-29", 8, 0},
    {DATE, "2024-04-31", 8, 0},
    {DATE, "2024-12-32", 8, 0},
    {DATE, "2024-02-29T00:00", 10, 0},
    {DATE, "2024-W09-4", 5, 0},
    {DATE, "2024-060", 7, 0},
    {TIME, "", 0, 0},
    {TIME, "1", 1, 0},
    {TIME, "12", 2, 0},
    {TIME, "12:", 3, 0},
    {TIME, "12:3", 4, 0},
    {TIME, "12:34:", 6, 0},
    {TIME, "12:34:5", 7, 0},
    {TIME, "12:34:56.", 9, 0},
    {TIME, "12:34:56.1234567890", 18, 0},
    {TIME, "12:34:56.12345678x", 17, 0},
    {TIME, "12:34:56.x", 9, 0},
    {TIME, "12:34:56,5", 8, 0},
    {TIME, "12:34.5", 5, 0},
    {TIME, "123456", 2, 0},
    {TIME, "1:23:45", 1, 0},
    {TIME, "24:00:00", 0, 0},
    {TIME, "23:60", 3, 0},
    {TIME, "23:59:60", 6, 0},
    {TIME, "23:59:59Z", 8, 0},
    {TIME, "12-34-56", 2, 0},
    {TIMESTAMP, "", 0, 0},
    {TIMESTAMP, "2024-02-29T", 11, 0},
    {TIMESTAMP, "2024-02-29T12", 13, 0},
    {TIMESTAMP, "2024-02-29  12:00", 11, 0},
    {TIMESTAMP, "2024-02-29_12:00", 10, 0},
    {TIMESTAMP, "2024-02-2912:00", 10, 0},
    {TIMESTAMP, "2024-02-29Z", 10, 0},
    {TIMESTAMP, "2024-02-30T12:00", 8, 0},
    {TIMESTAMP, "2024-02-29T24:00:00", 11, 0},
    {TIMESTAMP, "2024-02-29T23:59:60Z", 17, 0},
    {TIMESTAMP, "2024-02-29T12:00:00 Z", 19, 0},
    {TIMESTAMP, "2024-02-29T12:00:00ZZ", 20, 0},
    {TIMESTAMP, "2024-02-29T12:00:00 +01:00", 19, 0},
    {TIMESTAMP, "2024-02-29T12:00:00+", 20, 0},
    {TIMESTAMP, "2024-02-29T12:00:00+1", 21, 0},
    {TIMESTAMP, "2024-02-29T12:00:00+1:00", 21, 0},
    {TIMESTAMP, "2024-02-29T12:00:00+01:", 23, 0},
    {TIMESTAMP, "2024-02-29T12:00:00+01:0", 24, 0},
    {TIMESTAMP, "2024-02-29T12:00:00+010", 23, 0},
    {TIMESTAMP, "2024-02-29T12:00:00+01x00", 22, 0},
    {TIMESTAMP, "2024-02-29T12:00:00+24:00", 20, 0},
    {TIMESTAMP, "2024-02-29T12:00:00+01:60", 23, 0},
    {TIMESTAMP, "2024-02-29T12:00:00+01:00:00", 25, 0},
    {TIMESTAMP, "2024-02-29T12:00:00*01:00", 19, 0},
    {TIMESTAMP, "2024-02-29T12:00+01+01", 19, 0},
    {TIMESTAMP, "2024-02-29T12:00:00.1234567890Z", 29, 0},
    {TIMESTAMP, "2024-02-29T12:00:00.Z", 20, 0},
    {TIMESTAMP, "2024-02-29T12:00:00UTC", 19, 0},
    {TIMESTAMP, "1677-09-21T00:12:43.145224191", 0, FASTIO_OUT_OF_RANGE},
    {TIMESTAMP, "1677-09-21T00:12:43", 0, FASTIO_OUT_OF_RANGE},
    {TIMESTAMP, "1677-09-21", 0, FASTIO_OUT_OF_RANGE},
    {TIMESTAMP, "0001-01-01", 0, FASTIO_OUT_OF_RANGE},
    {TIMESTAMP, "2262-04-11T23:47:16.854775808", 0, FASTIO_OUT_OF_RANGE},
    {TIMESTAMP, "2262-04-11T23:47:17", 0, FASTIO_OUT_OF_RANGE},
    {TIMESTAMP, "2262-04-11T23:47:16-00:01", 0, FASTIO_OUT_OF_RANGE},
    {TIMESTAMP, "9999-12-31T23:59:59.999999999Z", 0, FASTIO_OUT_OF_RANGE},
};

static void test_bad(void) {
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const fastio_status due = bad[i].status ? bad[i].status : FASTIO_BAD_TOKEN;
    int64_t value = 77;
    int has_zone;
    fastio_error err;
    parse(bad[i].kind, bad[i].text, &value, &has_zone, &err);
    check_that(err.status == due && err.offset == bad[i].offset && value == 77, __FILE__, __LINE__,
               "\"%s\": %s at %" PRIu64 ", not %" PRIu64, bad[i].text, fastio_status_name(err.status), err.offset,
               bad[i].offset);
  }
}

/* Whether the text has one of the few shapes of a timestamp, digits written as 0; then its numbers are asked. */
static bool is_right(const char *text, size_t size) {
  static const char *const times[] = {"00:00",
                                      "00:00:00",
                                      "00:00:00.0",
                                      "00:00:00.00",
                                      "00:00:00.000",
                                      "00:00:00.0000",
                                      "00:00:00.00000",
                                      "00:00:00.000000",
                                      "00:00:00.0000000",
                                      "00:00:00.00000000",
                                      "00:00:00.000000000"};
  static const char *const zones[] = {"", "Z", "z", "+00", "-00", "+0000", "-0000", "+00:00", "-00:00"};
  char shape[64], digits[64];
  memcpy(digits, text, size);
  digits[size] = 0;
  for (size_t i = 0; i <= size; i++) shape[i] = digits[i] >= '0' && digits[i] <= '9' ? '0' : digits[i];
  bool same = strcmp(shape, "0000-00-00") == 0 && size == 10;
  const size_t date = 11, due_times = sizeof times / sizeof *times, due_zones = sizeof zones / sizeof *zones;
  if (strlen(shape) == size && size > date && memcmp(shape, "0000-00-00", 10) == 0 && strchr("Tt ", shape[10])) {
    for (size_t time = 0; time < due_times; time++)
      for (size_t zone = 0; zone < due_zones && strncmp(shape + date, times[time], strlen(times[time])) == 0; zone++)
        same |= strcmp(shape + date + strlen(times[time]), zones[zone]) == 0;
  }
  if (!same) return false;
  /* October, and years that 64 bits hold */
  const int year = atoi(digits), month = atoi(digits + 5), day = atoi(digits + 8);
  const int length = month == 2                                              ? 28 + (year % 4 == 0)
                     : month == 4 || month == 6 || month == 9 || month == 11 ? 30
                                                                             : 31;
  if (month < 1 || month > 12 || day < 1 || day > length) return false;
  if (size == 10) return true;
  const char *sign = strpbrk(digits + date, "+-");
  const int seconds = digits[date + 5] == ':' ? atoi(digits + date + 6) : 0;
  if (sign && (sign[1] > '2' || (sign[1] == '2' && sign[2] > '3'))) return false;
  if (sign && strlen(sign) > 3 && sign[strlen(sign) - 2] > '5') return false;
  return atoi(digits + date) < 24 && atoi(digits + date + 3) < 60 && seconds < 60;
}

/* Each byte of a text replaced by each other byte; what is wrong is so within the text. */
static void test_every_byte(void) {
  static const char text[] = "2024-10-21T12:34:56.789012345+05:45";
  int wrong = 0;
  for (size_t cut = 10; cut < sizeof text; cut++) {
    for (size_t place = 0; place < cut; place++) {
      for (int byte = 0; byte < 256; byte++) {
        uint8_t *data = exact(text, cut);
        int64_t value;
        int zone;
        size_t at = SIZE_MAX;
        data[place] = (uint8_t)byte;
        const fastio_status status = fastio__parse_timestamp(data, cut, &value, &zone, &at);
        const bool right = status == FASTIO_OK || (status == FASTIO_OUT_OF_RANGE && place < 4);
        if ((right != is_right((const char *)data, cut) || (!right && at > cut)) && wrong++ < 10)
          check_that(false, __FILE__, __LINE__, "%.*s with byte %d at %zu: %s", (int)cut, text, byte, place,
                     fastio_status_name(status));
        free(data);
      }
    }
  }
  CHECK_INT(wrong, 0);
}

/* ---- Value to text ---- */

static void test_format(void) {
  char out[FASTIO_FORMAT_MAX];
  CHECK_BYTES(out, fastio_format_date(19782, out), "2024-02-29");
  CHECK_INT(fastio_format_date(-719163, out), 0);
  CHECK_INT(fastio_format_date(2932897, out), 0);
  CHECK_INT(fastio_format_date(INT32_MIN, out), 0);
  CHECK_INT(fastio_format_date(INT32_MAX, out), 0);
  CHECK_BYTES(out, fastio_format_time(0, out), "00:00:00");
  CHECK_BYTES(out, fastio_format_time(INT64_C(86399500000000), out), "23:59:59.500");
  CHECK_BYTES(out, fastio_format_time(1000, out), "00:00:00.000001");
  CHECK_BYTES(out, fastio_format_time(1, out), "00:00:00.000000001");
  CHECK_BYTES(out, fastio_format_time(DAY - 1, out), "23:59:59.999999999");
  CHECK_INT(fastio_format_time(DAY, out), 0);
  CHECK_INT(fastio_format_time(-1, out), 0);
  CHECK_INT(fastio_format_time(INT64_MIN, out), 0);
  CHECK_BYTES(out, fastio_format_timestamp(0, FASTIO_TIMESTAMP, out), "1970-01-01T00:00:00");
  CHECK_BYTES(out, fastio_format_timestamp(0, FASTIO_TIMESTAMP_UTC, out), "1970-01-01T00:00:00Z");
  CHECK_BYTES(out, fastio_format_timestamp(-1, FASTIO_TIMESTAMP, out), "1969-12-31T23:59:59.999999999");
  CHECK_BYTES(out, fastio_format_timestamp(-DAY, FASTIO_TIMESTAMP, out), "1969-12-31T00:00:00");
  CHECK_BYTES(out, fastio_format_timestamp(INT64_C(1709210096789000000), FASTIO_TIMESTAMP_UTC, out),
              "2024-02-29T12:34:56.789Z");
  CHECK_BYTES(out, fastio_format_timestamp(INT64_MIN, FASTIO_TIMESTAMP_UTC, out), "1677-09-21T00:12:43.145224192Z");
  CHECK_BYTES(out, fastio_format_timestamp(INT64_MAX, FASTIO_TIMESTAMP, out), "2262-04-11T23:47:16.854775807");
}

/* ---- Words ---- */

static void test_bool(void) {
  static const struct {
    const char *text;
    int due; /* 2: none */
  } words[] = {{"true", 1}, {"TRUE", 1}, {"tRuE", 1},  {"false", 0},  {"FALSE", 0},      {"False", 0},
               {"", 2},     {"t", 2},    {"yes", 2},   {"1", 2},      {"true ", 2},      {" true", 2},
               {"fals", 2}, {"tru", 2},  {"trues", 2}, {"falsee", 2}, {"tr\x55\x05", 2}, {"\x14rue", 2}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const size_t size = strlen(words[i].text);
    uint8_t *data = exact(words[i].text, size);
    bool value = false;
    const fastio_status status = fastio__parse_bool(data, size, &value);
    check_that((status == FASTIO_OK ? (int)value : 2) == words[i].due, __FILE__, __LINE__, "\"%s\"", words[i].text);
    free(data);
  }
}

/* ---- Numbers as people write them ---- */

#define MINUS "\xE2\x88\x92"

static void test_respell(void) {
  enum { PLAIN, COMMA, GERMAN, ENGLISH, APOSTROPHE, PERCENT, UNICODE };
  static const fastio__spelling spellings[] = {{'.', FASTIO_NONE, false, false},
                                               {',', FASTIO_NONE, false, false},
                                               {',', '.', false, false},
                                               {'.', ',', false, false},
                                               {'.', '\'', false, false},
                                               {'.', FASTIO_NONE, true, false},
                                               {'.', ',', true, true}};
  static const struct {
    int spelling;
    const char *text, *due; /* NULL: none */
    bool is_integer;
  } cases[] = {
      {PLAIN, "", "", false},
      {PLAIN, "1.5", "1.5", false},
      {PLAIN, MINUS "1", MINUS "1", false},
      {PLAIN, "5%", "5%", false},
      {COMMA, "1,5", "1.5", false},
      {COMMA, "-1,5e3", "-1.5e3", false},
      {COMMA, ",5", ".5", false},
      {COMMA, "5,", "5.", false},
      {COMMA, "1.5", NULL, false},
      {COMMA, "1,5.", NULL, false},
      {COMMA, "15", "15", true},
      {COMMA, "inf", "inf", false},
      {GERMAN, "1.234.567,89", "1234567.89", false},
      {GERMAN, "1.23", NULL, false},
      {GERMAN, "1.2345", NULL, false},
      {GERMAN, "1,234.5", NULL, false},
      {ENGLISH, "1", "1", true},
      {ENGLISH, "999", "999", true},
      {ENGLISH, "1234", "1234", true},
      {ENGLISH, "1,234", "1234", true},
      {ENGLISH, "-12,345,678", "-12345678", true},
      {ENGLISH, "+123,456.5e2", "+123456.5e2", false},
      {ENGLISH, "1234,567", NULL, true},
      {ENGLISH, "1,23", NULL, true},
      {ENGLISH, "1,2345", NULL, true},
      {ENGLISH, "1,", NULL, true},
      {ENGLISH, ",123", NULL, true},
      {ENGLISH, "-,123", NULL, true},
      {ENGLISH, "1,,234", NULL, true},
      {ENGLISH, "1,234567", NULL, true},
      {ENGLISH, "1,234.567,8", "1234.567,8", false}, /* which no parser takes */
      {APOSTROPHE, "1'000'000", "1000000", true},
      {PERCENT, "12.5%", "12.5e-2", false},
      {PERCENT, "1e3%", "1e1", false},
      {PERCENT, "1E+3%", "1e1", false},
      {PERCENT, "1e-99%", "1e-101", false},
      {PERCENT, "1e1%", "1e-1", false},
      {PERCENT, "1e0000%", "1e-2", false},
      {PERCENT, "0e00000000000000000000009%", "0e7", false},
      {PERCENT, "1e123456789012345678901234%", "1e123456789012345678901234", false},
      {PERCENT, "1e%", NULL, false},
      {PERCENT, "1e5x%", NULL, false},
      {PERCENT, "12%", "12%", true},
      {PERCENT, "%", "e-2", false}, /* which no parser takes */
      {PERCENT, "5%%", "5%e-2", false},
      {UNICODE, MINUS "1,234.5%", "-1234.5e-2", false},
      {UNICODE, MINUS "1,234", "-1234", true},
      {UNICODE, "1e" MINUS "3", "1e-3", false},
      {UNICODE, "\xE2\x88", "\xE2\x88", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const size_t size = strlen(cases[i].text);
    uint8_t *data = exact(cases[i].text, size), *out = malloc(size + 4);
    const size_t got = fastio__respell(&spellings[cases[i].spelling], data, size, !cases[i].is_integer, out);
    const bool same = cases[i].due ? got == strlen(cases[i].due) && memcmp(out, cases[i].due, got) == 0
                                   : got == SIZE_MAX;
    check_that(same, __FILE__, __LINE__, "\"%s\" gives \"%.*s\"", cases[i].text, got == SIZE_MAX ? 4 : (int)got,
               got == SIZE_MAX ? "none" : (const char *)out);
    free(data);
    free(out);
  }
}

/* ---- What a text could be ---- */

static void test_classify(void) {
  enum {
    TEXT = FASTIO__IS_TEXT,
    BOOL = FASTIO__IS_BOOL,
    NATURAL = FASTIO__IS_NATURAL,
    NEGATIVE = FASTIO__IS_NEGATIVE,
    U64 = FASTIO__IS_UINT64,
    BIG = FASTIO__IS_BIG,
    FLOAT = FASTIO__IS_FLOAT,
    WORD = FASTIO__IS_WORD,
    DATE_ = FASTIO__IS_DATE,
    TIME_ = FASTIO__IS_TIME,
    STAMP = FASTIO__IS_TIMESTAMP,
    UTC = FASTIO__IS_TIMESTAMP_UTC
  };
  static const struct {
    const char *text;
    unsigned due;
  } cases[] = {
      {"", TEXT},
      {" ", TEXT},
      {"x", TEXT},
      {"-", TEXT},
      {"+", TEXT},
      {".", TEXT},
      {"-.", TEXT},
      {"e5", TEXT},
      {"0", NATURAL},
      {"7", NATURAL},
      {"10", NATURAL},
      {"12345678", NATURAL},
      {"123456789", NATURAL},
      {"123456789012345678", NATURAL},
      {"9223372036854775807", NATURAL},
      {"9223372036854775808", U64},
      {"18446744073709551615", U64},
      {"18446744073709551616", BIG},
      {"99999999999999999999", BIG},
      {"100000000000000000000", BIG},
      {"123456789012345678901234567890", BIG},
      {"-0", NEGATIVE},
      {"-1", NEGATIVE},
      {"-9223372036854775808", NEGATIVE},
      {"-9223372036854775809", BIG},
      {"-18446744073709551615", BIG},
      {"00", TEXT},
      {"007", TEXT},
      {"-01", TEXT},
      {"-00", TEXT},
      {"00.5", TEXT},
      {"00e1", TEXT},
      {"-00.5", TEXT},
      {"000000000", TEXT},
      {"01234567890123456789", TEXT},
      {"+1", TEXT},
      {"+1.5", TEXT},
      {"+.5", TEXT},
      {"+0", TEXT},
      {"--1", TEXT},
      {"+-1", TEXT},
      {"1-", TEXT},
      {"0.5", FLOAT},
      {"5.", FLOAT},
      {".5", FLOAT},
      {"-.5", FLOAT},
      {"-0.0", FLOAT},
      {"0e5", FLOAT},
      {"1e5", FLOAT},
      {"1E5", FLOAT},
      {"1e+5", FLOAT},
      {"1e-5", FLOAT},
      {"1.e5", FLOAT},
      {".5e5", FLOAT},
      {"1.5e05", FLOAT},
      {"123456.654321", FLOAT},
      {"1234567890.0123456789", FLOAT},
      {"1e99999999999999999999", FLOAT},
      {"12345678.", FLOAT},
      {"1234567.8", FLOAT},
      {".12345678901234567", FLOAT},
      {"1e", TEXT},
      {"1e+", TEXT},
      {"1e5.5", TEXT},
      {"1.2.3", TEXT},
      {"1..2", TEXT},
      {"1.5e5e5", TEXT},
      {".e5", TEXT},
      {"1,5", TEXT},
      {"1_000", TEXT},
      {"0x10", TEXT},
      {"0b1", TEXT},
      {"1L", TEXT},
      {"1.5f", TEXT},
      {"1d3", TEXT},
      {" 1", TEXT},
      {"1 ", TEXT},
      {"1\t", TEXT},
      {"12345678 ", TEXT},
      {"1:", TEXT},
      {"1/2", TEXT},
      {"12abc", TEXT},
      {MINUS "1", TEXT},
      {"12%", TEXT},
      {"inf", WORD},
      {"INF", WORD},
      {"-inf", WORD},
      {"+inf", WORD},
      {"Infinity", WORD},
      {"-infinity", WORD},
      {"nan", WORD},
      {"NaN", WORD},
      {"-nan", WORD},
      {"+NAN", WORD},
      {"infi", TEXT},
      {"in", TEXT},
      {"nano", TEXT},
      {"nan(1)", TEXT},
      {"N/A", TEXT},
      {"-in", TEXT},
      {"none", TEXT},
      {"infinitx", TEXT},
      {"true", BOOL},
      {"TRUE", BOOL},
      {"False", BOOL},
      {"t", TEXT},
      {"f", TEXT},
      {"yes", TEXT},
      {"truE", BOOL},
      {"2024-02-29", DATE_},
      {"0001-01-01", DATE_},
      {"2023-02-29", TEXT},
      {"2024-2-29", TEXT},
      {"2024-02", TEXT},
      {"20240229", NATURAL},
      {"2024/02/29", TEXT},
      {"0000-01-01", TEXT},
      {"-2024-02-29", TEXT},
      {"+2024-02-29", TEXT},
      {"02024-02-29", TEXT},
      {"29-02-2024", TEXT},
      {"2024-060", TEXT},
      {"12:34", TIME_},
      {"00:00", TIME_},
      {"12:34:56", TIME_},
      {"12:34:56.789", TIME_},
      {"24:00", TEXT},
      {"1:23", TEXT},
      {"123:45", TEXT},
      {"-12:34", TEXT},
      {"12:34Z", TEXT},
      {"12:34:56.1234567890", TEXT},
      {"2024-02-29T12:34", STAMP},
      {"2024-02-29 12:34:56", STAMP},
      {"2024-02-29t12:34:56.789", STAMP},
      {"2024-02-29T12:34Z", UTC},
      {"2024-02-29T12:34:56+01:00", UTC},
      {"2024-02-29 12:34:56-0130", UTC},
      {"2024-02-29T", TEXT},
      {"2024-02-29Z", TEXT},
      {"2024-02-29T12", TEXT},
      {"2024-02-29T24:00", TEXT},
      {"1600-01-01T00:00", TEXT},
      {"9999-12-31T00:00Z", TEXT},
      {"1600-01-01", DATE_},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const size_t size = strlen(cases[i].text);
    uint8_t *data = exact(cases[i].text, size);
    const unsigned got = fastio__classify(data, size);
    check_that(got == cases[i].due, __FILE__, __LINE__, "\"%s\" is %u, not %u", cases[i].text, got, cases[i].due);
    free(data);
  }
}

/* A class is a promise: random texts of the characters that numbers and dates have are taken by the parsers of their
 * class, and whatever a parser takes has its class unless it is one of the texts with zeros or a plus in front. */
static unsigned due_class(const uint8_t *data, size_t size) {
  int64_t i64;
  uint64_t u64;
  double f64;
  bool truth;
  int32_t days;
  int zone;
  const size_t sign = data[0] == '-' || data[0] == '+', digits = size - sign;
  const bool word = digits && (data[sign] | 0x20) >= 'a';
  if (fastio__parse_bool(data, size, &truth) == FASTIO_OK) return FASTIO__IS_BOOL;
  if (fastio__parse_date(data, size, &days, NULL) == FASTIO_OK) return FASTIO__IS_DATE;
  if (fastio__parse_time(data, size, &i64, NULL) == FASTIO_OK) return FASTIO__IS_TIME;
  if (fastio__parse_timestamp(data, size, &i64, &zone, NULL) == FASTIO_OK)
    return zone ? FASTIO__IS_TIMESTAMP_UTC : FASTIO__IS_TIMESTAMP;
  if (fastio__parse_f64(data, size, &f64, NULL) != FASTIO_OK) return FASTIO__IS_TEXT;
  if (word) return FASTIO__IS_WORD;
  if (data[0] == '+' || (digits > 1 && data[sign] == '0' && data[sign + 1] >= '0' && data[sign + 1] <= '9'))
    return FASTIO__IS_TEXT;
  for (size_t i = 0; i < size; i++)
    if (data[i] == '.' || (data[i] | 0x20) == 'e') return FASTIO__IS_FLOAT;
  if (fastio__parse_i64(data, size, 10, &i64, NULL) == FASTIO_OK)
    return sign ? FASTIO__IS_NEGATIVE : FASTIO__IS_NATURAL;
  return fastio__parse_u64(data, size, 10, &u64, NULL) == FASTIO_OK ? FASTIO__IS_UINT64 : FASTIO__IS_BIG;
}

static uint64_t seed = 1;
static unsigned random_below(unsigned limit) { /* splitmix64 */
  uint64_t x = seed += UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (unsigned)((x ^ (x >> 31)) % limit);
}

static void test_classes_hold(void) {
  static const char *const seeds[] = {"12345678901234567890",
                                      "-9223372036854775808",
                                      "2024-02-29T12:34:56.789+01:00",
                                      "12:34:56.789",
                                      "123.456e-10",
                                      "-infinity",
                                      "true",
                                      "2024-02-29 23:59Z"};
  static const char bytes[] = "0000111122233456789++--..eE::TZ infaF/\x80";
  int wrong = 0;
  for (int round = 0; round < 300000; round++) {
    char text[40];
    const char *base = seeds[random_below(sizeof seeds / sizeof *seeds)];
    size_t size = 1 + random_below((unsigned)strlen(base));
    memcpy(text, base + (random_below(4) ? 0 : random_below((unsigned)(strlen(base) - size + 1))), size);
    for (unsigned changes = random_below(4); changes; changes--)
      text[random_below((unsigned)size)] = bytes[random_below(sizeof bytes - 1)];
    uint8_t *data = exact(text, size);
    const unsigned got = fastio__classify(data, size), due = due_class(data, size);
    if (got != due && wrong++ < 10)
      check_that(false, __FILE__, __LINE__, "\"%.*s\" is %u, not %u", (int)size, text, got, due);
    free(data);
  }
  CHECK_INT(wrong, 0);
}

int main(void) {
  test_every_day();
  test_every_second();
  test_good();
  test_bad();
  test_every_byte();
  test_format();
  test_bool();
  test_respell();
  test_classify();
  test_classes_hold();
  return check_report();
}
