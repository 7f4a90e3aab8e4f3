/* fastio_print.h: what it prints and reads, record by record. What must not compile is in test_print.snippets. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "books.h"

#include <fastio_print.h>
#include <errno.h>
#include <math.h>
#include <limits.h>
#include <pthread.h>
#include <unistd.h>

/* What the values are as one text. */
#define GIVES(due, ...) gives(fastio_concat(__VA_ARGS__), due, #__VA_ARGS__, __FILE__, __LINE__)

static bool gives(char *got, const char *due, const char *what, const char *file, int line) {
  bool same = got && strcmp(got, due) == 0;
  check_that(same, file, line, "%s is \"%s\", not \"%s\"", what, got ? got : "(nothing)", due);
  free(got);
  return same;
}

/* ---- values ---- */

static void types(void) {
  bool yes = true;
  char c = 'c', text[] = "text";
  signed char sc = SCHAR_MIN;
  unsigned char uc = UCHAR_MAX;
  short s = SHRT_MIN;
  unsigned short us = USHRT_MAX;
  const int i = INT_MIN;
  volatile unsigned u = UINT_MAX;
  long l = -1;
  unsigned long ul = 1;
  long long ll = LLONG_MIN;
  unsigned long long ull = ULLONG_MAX;
  enum { SEVEN = 7 };
  struct {
    int bits;
  } in_struct = {-3}, *pointer = &in_struct;
  GIVES("true false", yes, " ", (bool)0);
  GIVES("c", c);
  GIVES("-128 255", sc, " ", uc);
  GIVES("-32768 65535", s, " ", us);
  GIVES("-2147483648 4294967295", i, " ", u);
  GIVES("-1 1", l, " ", ul);
  GIVES("-9223372036854775808 18446744073709551615", ll, " ", ull);
  GIVES("7 -3 -3", SEVEN, " ", in_struct.bits, " ", pointer->bits);
  GIVES("0.1 0.1 1e+22 -0.0 inf nan", 0.1f, " ", 0.1, " ", 1e22, " ", -0.0, " ", HUGE_VAL, " ", (double)NAN);
  GIVES("16777216.0", 16777216.0f);
  GIVES("text literal const", text, " literal ", (const char *)"const");
  GIVES("ab", fastio_text("abc", 2));
  GIVES("0x0 0xff", (void *)0, " ", (const void *)(uintptr_t)255);
  GIVES("120", 'x'); /* in C an int */
  GIVES("", "");
  GIVES("", fastio_text(NULL, 0));
}

static void counts(void) {
  GIVES("1", 1);
  GIVES("12", 1, 2);
  GIVES("123", 1, 2, 3);
  GIVES("1234", 1, 2, 3, 4);
  GIVES("12345", 1, 2, 3, 4, 5);
  GIVES("12345678", 1, 2, 3, 4, 5, 6, 7, 8);
  GIVES("0123456789abcdefghijklmnopqrstuv", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e",
        "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v");
  GIVES("0123456789abcdefghijklmnopqrstu", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e",
        "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u");
}

static void floats(void) {
  GIVES("3.142 3 -0.50", fastio_fixed(3.14159, 3), " ", fastio_fixed(3.14159, 0), " ", fastio_fixed(-0.5, 2));
  GIVES("2 4 0.12", fastio_fixed(2.5, 0), " ", fastio_fixed(3.5, 0), " ", fastio_fixed(0.125, 2)); /* ties to even */
  GIVES("1.235e+06 1e+00", fastio_scientific(1234567.0, 3), " ", fastio_scientific(1.0, 0));
  GIVES("1.23e+06 0.0001", fastio_general(1234567.0, 3), " ", fastio_general(0.0001, 3));
  GIVES("0x1.8p+1", fastio_hexadecimal(3.0));
  GIVES("12.5% 100%", fastio_percent(0.125, 1), " ", fastio_percent(1.0, 0));
  GIVES("0.10000000149", fastio_fixed(0.1f, 11)); /* the float's own digits */
}

static void integers(void) {
  GIVES("ff -ff 0xff", fastio_hex(255), " ", fastio_hex(-255), " ", fastio_prefix(fastio_hex(255)));
  GIVES("ABC 0XABC", fastio_upper(fastio_hex(0xabc)), " ", fastio_upper(fastio_prefix(fastio_hex(0xabc))));
  GIVES("101 0b101 zz", fastio_base(5, 2), " ", fastio_prefix(fastio_base(5, 2)), " ", fastio_base(1295, 36));
  GIVES("ffffffffffffffff", fastio_hex(UINT64_MAX));
  GIVES("+5 -5 +0.5", fastio_plus(5), " ", fastio_plus(-5), " ", fastio_plus(0.5));
  GIVES("00042 -0042 +0042", fastio_zeros(42, 5), " ", fastio_zeros(-42, 5), " ", fastio_zeros(fastio_plus(42), 5));
  GIVES("0x002a", fastio_zeros(fastio_prefix(fastio_hex(42)), 6));
}

static void fields(void) {
  GIVES("[   42][42   ][ 42  ][   42]", "[", fastio_width(42, 5), "][", fastio_left(42, 5), "][", fastio_center(42, 5),
        "][", fastio_right(42, 5), "]");
  GIVES("[ab   ][ab   ][ ab  ][   ab]", "[", fastio_width("ab", 5), "][", fastio_left("ab", 5), "][",
        fastio_center("ab", 5), "][", fastio_right("ab", 5), "]");
  GIVES("[c  ][true ][  true]", "[", fastio_width((char)'c', 3), "][", fastio_width((bool)1, 5), "][",
        fastio_right((bool)1, 6), "]");
  GIVES("[**7][7**]", "[", fastio_fill(fastio_width(7, 3), '*'), "][", fastio_fill(fastio_left(7, 3), '*'), "]");
  GIVES("[\xc3\xa9  ]", "[", fastio_width("\xc3\xa9", 3), "]"); /* characters, not bytes */
  GIVES("12345", fastio_width(12345, 2));
  GIVES("[     3.14]", "[", fastio_width(fastio_fixed(3.14159, 2), 9), "]");
  GIVES("[  0x2a]", "[", fastio_right((void *)(uintptr_t)42, 6), "]");
  GIVES("[  7]", "[", fastio_right(fastio_left(7, 8), 3), "]"); /* the last one says where */
}

static void locales(void) {
  const fastio_locale german = {",", ".", {3}}, indian = {".", ",", {3, 2}};
  GIVES("1.234.567,89", fastio_localized(fastio_fixed(1234567.891, 2), &german));
  GIVES("12,34,567", fastio_localized(1234567, &indian));
  GIVES("0,5", fastio_localized(0.5, &german));
}

static void general_format(void) {
  const fastio_format money = {FASTIO_FIXED, 2, 0, FASTIO_FORMAT_PLUS, 10, '.', NULL};
  GIVES("....+12.50", fastio_formatted(12.5, money));
  GIVES("1.50e+00", fastio_formatted(1.5, (fastio_format){.notation = FASTIO_SCIENTIFIC, .precision = 2}));
}

static void moments(void) {
  GIVES("1970-01-01 2024-02-29 0001-01-01", fastio_date(0), " ", fastio_date(19782), " ", fastio_date(-719162));
  GIVES("00:00:00 23:59:59.500", fastio_time(0), " ", fastio_time(86399500000000));
  GIVES("1970-01-01T00:00:00 1970-01-01T00:00:01Z", fastio_timestamp(0), " ", fastio_timestamp_utc(1000000000));
  GIVES("[  1970-01-01]", "[", fastio_right(fastio_date(0), 12), "]");
}

static void bytes(void) {
  GIVES("00ff7f", fastio_hex_bytes("\x00\xff\x7f", 3));
  GIVES("AB", fastio_upper(fastio_hex_bytes("\xab", 1)));
  GIVES("[  ab]", "[", fastio_right(fastio_hex_bytes("\xab", 1), 4), "]");
}

static void arrays(void) {
  const int i[] = {1, -2, 3};
  uint8_t u[] = {0, 255};
  double d[] = {0.5, 1, 2.25};
  const float f[] = {0.1f};
  long long ll[] = {LLONG_MIN};
  bool b[] = {true, false};
  GIVES("1, -2, 3", fastio_array_of(i, 3, ", "));
  GIVES("0 255", fastio_array_of(u, 2, " "));
  GIVES("0.5;1.0;2.25", fastio_array_of(d, 3, ";"));
  GIVES("0.50 1.00 2.25", fastio_fixed(fastio_array_of(d, 3, " "), 2));
  GIVES("0.1|-9223372036854775808|true,false", fastio_array_of(f, 1, ""), "|", fastio_array_of(ll, 1, " "), "|",
        fastio_array_of(b, 2, ","));
  GIVES("[]", "[", fastio_array_of(d, 0, ","), "]");
  GIVES("   1  -2   3", fastio_width(fastio_array_of(i, 3, ""), 4));
}

/* ---- own types ---- */

typedef struct point {
  int x, y;
} point;

static fastio_status print_point(fastio_writer *writer, const void *object, fastio_error *err) {
  const point *p = object;
  return fastio_try_print(err, writer, "(", p->x, ", ", p->y, ")");
}

/* A path prints its points, which print themselves. */
static fastio_status print_two(fastio_writer *writer, const void *object, fastio_error *err) {
  const point *p = object;
  return fastio_try_print(err, writer, fastio_custom(p, print_point), "-", fastio_custom(p + 1, print_point));
}

static fastio_status print_nothing(fastio_writer *writer, const void *object, fastio_error *err) {
  (void)writer;
  (void)object;
  (void)err;
  return FASTIO_UNSUPPORTED;
}

static void own_types(void) {
  const point points[] = {{1, -2}, {30, 4}};
  fastio_error err;
  fastio_writer *out;
  GIVES("at (1, -2)", "at ", fastio_custom(points, print_point));
  GIVES("[(1, -2)-(30, 4)   ]", "[", fastio_width(fastio_custom(points, print_two), 18), "]");
  CHECK(fastio_concat(fastio_custom(points, print_nothing)) == NULL);
  CHECK_STATUS(fastio_writer_memory(NULL, &out, &err), FASTIO_OK);
  CHECK_STATUS(fastio_try_print(&err, out, "a", fastio_custom(points, print_nothing), "b"), FASTIO_UNSUPPORTED);
  CHECK_STATUS(err.status, FASTIO_UNSUPPORTED);
  CHECK_INT(err.field, 2);
  CHECK_STATUS(fastio_writer_error(out, NULL), FASTIO_OK); /* the writer itself is well */
  CHECK_STATUS(fastio_writer_close(out, NULL), FASTIO_OK);
}

/* ---- as printf does ---- */

static uint64_t state = 88172645463325252;
static uint64_t next_random(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static double random_double(void) {
  uint64_t bits = next_random();
  double x;
  memcpy(&x, &bits, sizeof x);
  return isfinite(x) ? x : 0.5;
}

static void compare_with_printf(void) {
  char due[1200];
  for (int n = 0; n < 3000; n++) {
    double x = n % 2 ? random_double() : (double)(int64_t)next_random() / (1 << 20);
    uint64_t u = next_random() >> (n % 64);
    int64_t i = (int64_t)u * (n % 3 ? 1 : -1);
    int p = n % 20, w = n % 40;
    snprintf(due, sizeof due, "%.*f %.*e %.*g|%*" PRId64 "|%-*" PRIu64 "|%" PRIx64 "|%#" PRIo64 "|%+.*f|%0*" PRId64, p,
             x, p, x, p, x, w, i, w, u, u, (uint64_t)0, p, x, w, i);
    if (!GIVES(due, fastio_fixed(x, p), " ", fastio_scientific(x, p), " ", fastio_general(x, p), "|",
               fastio_width(i, w), "|", fastio_left(u, w), "|", fastio_hex(u), "|", fastio_base(0, 8), "|",
               fastio_plus(fastio_fixed(x, p)), "|", fastio_zeros(i, w)))
      return;
  }
}

/* ---- records ---- */

typedef struct device {
  char text[4096];
  size_t size;
  int calls, fail_at;
} device;

static fastio_status device_write(void *ctx, const void *data, size_t size, size_t *put, fastio_error *err) {
  device *d = ctx;
  if (++d->calls == d->fail_at) {
    fastio_error failure;
    fastio_error_init(&failure);
    failure.status = FASTIO_OS_ERROR;
    failure.os_error = ENOSPC;
    failure.message = "the device is full";
    if (err) *err = failure;
    return FASTIO_OS_ERROR;
  }
  memcpy(d->text + d->size, data, size);
  d->size += size;
  *put = size;
  return FASTIO_OK;
}

static fastio_writer *open_device(device *d, int buffering, unsigned flags) {
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  fastio_output_device out = {d, device_write, NULL, NULL};
  fastio_writer *writer = NULL;
  options.buffering = buffering;
  options.flags = flags;
  CHECK_STATUS(fastio_writer_device(&out, &options, &writer, NULL), FASTIO_OK);
  return writer;
}

static void one_write_a_record(void) {
  for (int locked = 0; locked < 2; locked++) {
    device d = {.size = 0};
    fastio_writer *out = open_device(&d, FASTIO_BUFFER_NONE, locked ? FASTIO_WRITE_LOCKED : 0);
    const point p[] = {{1, 2}, {3, 4}};
    CHECK_STATUS(fastio_print(out, "x = ", 1, ", y = ", fastio_fixed(2.0, 1), "\n"), FASTIO_OK);
    CHECK_INT(d.calls, 1);
    CHECK_STATUS(fastio_println(out, fastio_custom(p, print_two)), FASTIO_OK);
    CHECK_INT(d.calls, 2);
    CHECK_STATUS(fastio_println(out), FASTIO_OK);
    CHECK_STATUS(fastio_print(out, ""), FASTIO_OK);
    CHECK_INT(d.calls, 3);
    CHECK_STATUS(fastio_writer_close(out, NULL), FASTIO_OK);
  }
}

static void lines_are_seen_at_once(void) {
  device d = {.size = 0};
  fastio_writer *out = open_device(&d, FASTIO_BUFFER_LINES, 0);
  CHECK_STATUS(fastio_print(out, "no ", "newline"), FASTIO_OK);
  CHECK_INT(d.calls, 0);
  CHECK_STATUS(fastio_println(out, ", now ", 1), FASTIO_OK);
  CHECK_BYTES(d.text, d.size, "no newline, now 1\n");
  CHECK_STATUS(fastio_writer_close(out, NULL), FASTIO_OK);
}

static int print_and_count(fastio_writer *out) {
  static int n;
  fastio_print(out, "<", ++n, ">");
  return n;
}

/* Arguments are evaluated before the record begins, also where they print themselves. */
static void arguments_come_first(void) {
  for (unsigned flags = 0; flags <= FASTIO_WRITE_LOCKED; flags += FASTIO_WRITE_LOCKED) {
    device d = {.size = 0};
    fastio_writer *out = open_device(&d, FASTIO_BUFFER_FULL, flags);
    CHECK_STATUS(fastio_print(out, "a", print_and_count(out), "b\n"), FASTIO_OK);
    CHECK_STATUS(fastio_writer_close(out, NULL), FASTIO_OK);
    CHECK_BYTES(d.text, d.size, (flags ? "<2>a2b\n" : "<1>a1b\n"));
  }
}

/* ---- failures ---- */

/* Nothing is written, and *err says which value it was. */
#define REFUSES(which, ...)                                                            \
  do {                                                                                 \
    fastio_error err_;                                                                 \
    fastio_writer *out_ = NULL;                                                        \
    fastio_bytes text_ = {NULL, 1};                                                    \
    CHECK_STATUS(fastio_writer_memory(NULL, &out_, NULL), FASTIO_OK);                  \
    CHECK_STATUS(fastio_try_print(&err_, out_, __VA_ARGS__), FASTIO_INVALID_ARGUMENT); \
    CHECK_STATUS(err_.status, FASTIO_INVALID_ARGUMENT);                                \
    CHECK_INT(err_.field, which);                                                      \
    CHECK_STATUS(fastio_println(out_, __VA_ARGS__), FASTIO_INVALID_ARGUMENT);          \
    CHECK_STATUS(fastio_writer_bytes(out_, &text_, NULL), FASTIO_OK);                  \
    CHECK_INT(text_.size, 0);                                                          \
    CHECK_STATUS(fastio_writer_close(out_, NULL), FASTIO_OK);                          \
  } while (0)

static void invalid_arguments(void) {
  const fastio_locale endless = {"12345678", "", {0}};
  REFUSES(2, "a", fastio_width(1, -1));
  REFUSES(2, "a", fastio_width(1, FASTIO_WIDTH_MAX + 1), "b");
  REFUSES(1, fastio_fixed(1.0, -2));
  REFUSES(1, fastio_fixed(1.0, FASTIO_PRECISION_MAX + 1));
  REFUSES(1, fastio_base(1, 0));
  REFUSES(1, fastio_base(1, 37));
  REFUSES(3, 1, 2, (const char *)NULL);
  REFUSES(1, fastio_width((const char *)NULL, 3));
  REFUSES(1, fastio_text(NULL, 3));
  REFUSES(1, fastio_hex_bytes(NULL, 3));
  REFUSES(1, fastio_localized(1, &endless));
  REFUSES(1, fastio_custom(&endless, NULL));
  CHECK(fastio_concat(fastio_width(1, -1)) == NULL);
  CHECK_STATUS(fastio_print(NULL, 1), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_print((fastio_writer *)0, 1), FASTIO_INVALID_ARGUMENT);
}

static void dates_out_of_the_calendar(void) {
  fastio_writer *out;
  fastio_error err;
  CHECK_STATUS(fastio_writer_memory(NULL, &out, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_try_print(&err, out, fastio_date(INT32_MAX)), FASTIO_OUT_OF_RANGE);
  CHECK_INT(err.field, 1);
  CHECK_STATUS(fastio_try_print(&err, out, 1, fastio_width(fastio_date(INT32_MIN), 20)), FASTIO_OUT_OF_RANGE);
  CHECK_INT(err.field, 2);
  CHECK_STATUS(fastio_writer_close(out, NULL), FASTIO_OK);
}

static void failures_stay(void) {
  for (int buffering = FASTIO_BUFFER_FULL; buffering <= FASTIO_BUFFER_NONE; buffering++) {
    device d = {.fail_at = 1};
    fastio_writer *out = open_device(&d, buffering, 0);
    fastio_error err;
    fastio_status status = fastio_try_println(&err, out, "x = ", 1);
    CHECK_STATUS(status, buffering == FASTIO_BUFFER_FULL ? FASTIO_OK : FASTIO_OS_ERROR);
    if (status != FASTIO_OK) {
      CHECK_INT(err.os_error, ENOSPC);
      CHECK_STATUS(fastio_print(out, 2), FASTIO_OS_ERROR);
      CHECK_STATUS(fastio_writer_error(out, &err), FASTIO_OS_ERROR);
    }
    CHECK_STATUS(fastio_writer_close(out, &err), FASTIO_OS_ERROR);
    CHECK_INT(err.os_error, ENOSPC);
  }
}

static fastio_status concat_once(const fastio_env *env, const void *ctx, fastio_error *err) {
  const fastio_value values[] = {fastio_value_of("x"), fastio_right(fastio_custom(ctx, print_two), 400),
                                 fastio_fixed(1e300, 3), fastio_width("wide", 9000),
                                 fastio_array_of((const int *)ctx, 4, ", ")};
  enum { COUNT = sizeof values / sizeof *values };
  char *text = fastio_concat_values(env, values, COUNT);
  if (!text) {
    err->status = FASTIO_NO_MEMORY; /* what NULL says */
    return FASTIO_NO_MEMORY;
  }
  CHECK_INT(strlen(text), 1 + 400 + 305 + 9000 + 10);
  env->release(env->ctx, text, strlen(text) + 1);
  return FASTIO_OK;
}

static void memory_fails(void) {
  const point points[] = {{1, 2}, {3, 4}};
  books_fail_each(concat_once, points, "fastio_concat", false);
  books_fail_each(concat_once, points, "fastio_concat, and all after", true);
}

/* ---- threads ---- */

enum { THREADS = 4, RECORDS = 3000 };

static fastio_writer *shared;

static void *print_records(void *ctx) {
  int id = *(const int *)ctx;
  point p = {id, id};
  for (int i = 0; i < RECORDS; i++) {
    if (fastio_println(shared, "thread ", id, " record ", i, " ", fastio_custom(&p, print_point), " ",
                       fastio_fixed(id + 0.5, 3), " end ", id) != FASTIO_OK)
      return ctx;
  }
  return NULL;
}

/* Every line is one that a thread printed, and each thread's are in order. */
static void check_records(const char *text, size_t size) {
  int next[THREADS] = {0};
  char due[200];
  while (size > 0) {
    int id = size > 8 ? text[7] - '0' : -1;
    if (!CHECK(id >= 0 && id < THREADS)) return;
    size_t due_size = (size_t)snprintf(due, sizeof due, "thread %d record %d (%d, %d) %d.500 end %d\n", id, next[id]++,
                                       id, id, id, id);
    if (!CHECK(due_size <= size && memcmp(text, due, due_size) == 0)) return;
    text += due_size;
    size -= due_size;
  }
  for (int i = 0; i < THREADS; i++) CHECK_INT(next[i], RECORDS);
}

static void threads_keep_lines_whole(void) {
  pthread_t threads[THREADS];
  int ids[THREADS];
  fastio_bytes text;
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  options.flags = FASTIO_WRITE_LOCKED;
  CHECK_STATUS(fastio_writer_memory(&options, &shared, NULL), FASTIO_OK);
  for (int i = 0; i < THREADS; i++) {
    ids[i] = i;
    CHECK_INT(pthread_create(&threads[i], NULL, print_records, &ids[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    void *failed;
    CHECK_INT(pthread_join(threads[i], &failed), 0);
    CHECK(failed == NULL);
  }
  CHECK_STATUS(fastio_writer_bytes(shared, &text, NULL), FASTIO_OK);
  check_records(text.data, text.size);
  CHECK_STATUS(fastio_writer_close(shared, NULL), FASTIO_OK);
}

int main(void) {
  types();
  counts();
  floats();
  integers();
  fields();
  locales();
  general_format();
  moments();
  bytes();
  arrays();
  own_types();
  compare_with_printf();
  one_write_a_record();
  lines_are_seen_at_once();
  arguments_come_first();
  invalid_arguments();
  dates_out_of_the_calendar();
  failures_stay();
  memory_fails();
  threads_keep_lines_whole();
  return check_report();
}
