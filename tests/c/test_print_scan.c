/* fastio_scan: values into places of every type, in buffers of any size; what does not fit stays and is told. */
#include "check.h"

#include <fastio_print.h>
#include <limits.h>

static const size_t blocks[] = {1, 2, 3, 7, 64, 0};
enum { BLOCKS = sizeof blocks / sizeof *blocks };

typedef struct opened {
  fastio_source *source;
  fastio_reader *reader;
} opened;

static opened open_with(const char *text, const fastio_read_options *options) {
  opened o = {NULL, NULL};
  CHECK_STATUS(fastio_source_memory(text, strlen(text), NULL, &o.source, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_reader_open(o.source, options, &o.reader, NULL), FASTIO_OK);
  return o;
}

static opened open_text(const char *text, size_t block) {
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  options.block_size = block;
  return open_with(text, &options);
}

static void close_text(opened o) {
  fastio_reader_close(o.reader);
  fastio_source_close(o.source);
}

/* ---- every type ---- */

static void integers(size_t block) {
  opened o = open_text("-128 127 -32768 -2147483648 2147483647 -5 -9223372036854775808\n"
                       "255 65535 4294967295 6 18446744073709551615 -0 +7 00000000000000000000009",
                       block);
  signed char sc, sc2;
  short s;
  int i, i2, nine;
  long l;
  long long ll;
  unsigned char uc;
  unsigned short us;
  unsigned u, zero;
  unsigned long ul;
  unsigned long long ull;
  size_t seven;
  CHECK_STATUS(fastio_scan(o.reader, &sc, &sc2, &s, &i, &i2, &l, &ll), FASTIO_OK);
  CHECK(sc == -128 && sc2 == 127 && s == -32768 && i == INT_MIN && i2 == INT_MAX && l == -5 && ll == LLONG_MIN);
  CHECK_STATUS(fastio_scan(o.reader, &uc, &us, &u, &ul, &ull, &zero, &seven, &nine), FASTIO_OK);
  CHECK(uc == 255 && us == 65535 && u == UINT_MAX && ul == 6 && ull == ULLONG_MAX && zero == 0 && seven == 7);
  CHECK_INT(nine, 9);
  CHECK_STATUS(fastio_scan(o.reader, &i), FASTIO_END);
  close_text(o);
}

static void others(size_t block) {
  opened o = open_text("0.1 0.1 -inf true FALSE 2024-02-29 23:59:59.5 2024-02-29T00:00:00+01:00 end", block);
  float f;
  double d, inf;
  _Bool yes = 0, no = 1;
  int32_t days;
  int64_t time, stamp;
  CHECK_STATUS(fastio_scan(o.reader, &f, &d, &inf, &yes, &no), FASTIO_OK);
  CHECK(f == 0.1f && d == 0.1 && inf < -1e300 && yes && !no);
  CHECK_STATUS(fastio_scan(o.reader, fastio_date_into(&days), fastio_time_into(&time), fastio_timestamp_into(&stamp)),
               FASTIO_OK);
  CHECK_INT(days, 19782);
  CHECK_INT(time, 86399500000000);
  CHECK_INT(stamp, (19782LL * 86400 - 3600) * 1000000000);
  CHECK_STATUS(fastio_scan(o.reader, &yes), FASTIO_BAD_TOKEN);
  CHECK_STATUS(fastio_scan(o.reader, fastio_date_into(&days)), FASTIO_BAD_TOKEN);
  CHECK_STATUS(fastio_scan(o.reader, fastio_expected("end")), FASTIO_OK);
  close_text(o);
}

/* ---- bounds ---- */

/* The token that does not fit stays, with its place told. */
#define OUT_OF_RANGE(ctype, due)                                                               \
  do {                                                                                         \
    opened o_ = open_text("1\n " due, block);                                                  \
    ctype first_ = 0, second_ = 3;                                                             \
    fastio_error err_;                                                                         \
    char token_[40];                                                                           \
    CHECK_STATUS(fastio_try_scan(&err_, o_.reader, &first_, &second_), FASTIO_OUT_OF_RANGE);   \
    CHECK(first_ == 1 && second_ == 3);                                                        \
    CHECK_ERROR(&err_, FASTIO_OUT_OF_RANGE, 3, 2, 2);                                          \
    CHECK_BYTES(err_.text, err_.text_size, due);                                               \
    CHECK_INT(err_.field, 2);                                                                  \
    CHECK_STATUS(fastio_scan(o_.reader, fastio_token_into(token_, sizeof token_)), FASTIO_OK); \
    CHECK_BYTES(token_, strlen(token_), due);                                                  \
    close_text(o_);                                                                            \
  } while (0)

static void bounds(size_t block) {
  OUT_OF_RANGE(signed char, "128");
  OUT_OF_RANGE(signed char, "-129");
  OUT_OF_RANGE(unsigned char, "256");
  OUT_OF_RANGE(unsigned char, "-1");
  OUT_OF_RANGE(short, "32768");
  OUT_OF_RANGE(unsigned short, "65536");
  OUT_OF_RANGE(int, "2147483648");
  OUT_OF_RANGE(int, "-2147483649");
  OUT_OF_RANGE(unsigned, "4294967296");
  OUT_OF_RANGE(unsigned, "-1");
  OUT_OF_RANGE(int, "99999999999999999999999");
  OUT_OF_RANGE(long long, "9223372036854775808");
  OUT_OF_RANGE(unsigned long long, "18446744073709551616");
  OUT_OF_RANGE(unsigned long long, "-1");
}

static void bad_tokens(size_t block) {
  opened o = open_text("12 x7 1.5", block);
  int i = 0, j = 5;
  fastio_error err;
  CHECK_STATUS(fastio_try_scan(&err, o.reader, &i, &j), FASTIO_BAD_TOKEN);
  CHECK_ERROR(&err, FASTIO_BAD_TOKEN, 3, 1, 4);
  CHECK(i == 12 && j == 5 && err.field == 2);
  CHECK_STATUS(fastio_try_scan(&err, o.reader, fastio_expected("x"), &j, &i), FASTIO_BAD_TOKEN);
  CHECK(j == 7 && i == 12 && err.field == 3);
  CHECK_BYTES(err.text, err.text_size, "1.5");
  close_text(o);
}

static void the_end(size_t block) {
  opened o = open_text("1 2 3", block);
  int i = 0, j = 0;
  fastio_error err;
  CHECK_STATUS(fastio_try_scan(&err, o.reader, &i, &j), FASTIO_OK);
  CHECK_STATUS(fastio_try_scan(&err, o.reader, &i, &j), FASTIO_END); /* amid a record */
  CHECK(err.field == 2 && i == 3 && j == 2);
  CHECK_STATUS(fastio_try_scan(&err, o.reader, &i, &j), FASTIO_END);
  CHECK(err.field == 1 && i == 3);
  close_text(o);
}

/* ---- texts ---- */

static void tokens_and_lines(size_t block) {
  opened o = open_text("name alpha\nrest of the line\n\nlast", block);
  char token[6], line[17], tiny[1] = {'?'};
  CHECK_STATUS(fastio_scan(o.reader, fastio_expected("name"), fastio_token_into(token, sizeof token)), FASTIO_OK);
  CHECK_BYTES(token, strlen(token), "alpha");
  CHECK_STATUS(fastio_scan(o.reader, fastio_line_into(line, sizeof line)), FASTIO_OK);
  CHECK_BYTES(line, strlen(line), "");
  CHECK_STATUS(fastio_scan(o.reader, fastio_line_into(line, sizeof line)), FASTIO_OK);
  CHECK_BYTES(line, strlen(line), "rest of the line");
  CHECK_STATUS(fastio_scan(o.reader, fastio_line_into(tiny, 1)), FASTIO_OK);
  CHECK_INT(tiny[0], 0);
  CHECK_STATUS(fastio_scan(o.reader, fastio_line_into(line, 0)), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_scan(o.reader, fastio_line_into(line, 5)), FASTIO_OK);
  CHECK_BYTES(line, strlen(line), "last");
  CHECK_STATUS(fastio_scan(o.reader, fastio_line_into(line, 5)), FASTIO_END);
  close_text(o);
}

static void texts_that_are_too_long(size_t block) {
  opened o = open_text("abcdef\nghi", block);
  char text[8] = "as was";
  fastio_error err;
  CHECK_STATUS(fastio_try_scan(&err, o.reader, fastio_token_into(text, 6)), FASTIO_OUT_OF_RANGE);
  CHECK_ERROR(&err, FASTIO_OUT_OF_RANGE, 0, 1, 1);
  CHECK_STATUS(fastio_try_scan(&err, o.reader, fastio_token_into(text, 0)), FASTIO_OUT_OF_RANGE);
  CHECK_STATUS(fastio_try_scan(&err, o.reader, fastio_line_into(text, 6)), FASTIO_OUT_OF_RANGE);
  CHECK_ERROR(&err, FASTIO_OUT_OF_RANGE, 0, 1, 1);
  CHECK_BYTES(err.text, err.text_size, "abcdef");
  CHECK_BYTES(text, strlen(text), "as was");
  CHECK_STATUS(fastio_scan(o.reader, fastio_line_into(text, 7)), FASTIO_OK);
  CHECK_BYTES(text, strlen(text), "abcdef");
  CHECK_STATUS(fastio_try_scan(&err, o.reader, fastio_line_into(text, 3)), FASTIO_OUT_OF_RANGE);
  CHECK_ERROR(&err, FASTIO_OUT_OF_RANGE, 7, 2, 1);
  CHECK_STATUS(fastio_scan(o.reader, fastio_token_into(text, 4)), FASTIO_OK);
  CHECK_BYTES(text, strlen(text), "ghi");
  close_text(o);
}

static void expected_text(size_t block) {
  opened o = open_text("x=1, y = 2", block);
  int x = 0, y = 0;
  fastio_error err;
  CHECK_STATUS(fastio_try_scan(&err, o.reader, fastio_expected("x:")), FASTIO_MISMATCH);
  CHECK_INT(err.offset, 0);
  close_text(o);
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  options.block_size = block;
  options.separator = ',';
  o = open_with("x=1, y = 2", &options);
  CHECK_STATUS(fastio_scan(o.reader, fastio_expected("x="), &x, fastio_expected("y"), fastio_expected("="), &y),
               FASTIO_OK);
  CHECK(x == 1 && y == 2);
  close_text(o);
}

/* ---- own types ---- */

typedef struct point {
  int x, y;
} point;

static fastio_status scan_point(fastio_reader *reader, void *object, fastio_error *err) {
  point *p = object;
  return fastio_try_scan(err, reader, fastio_expected("("), &p->x, &p->y, fastio_expected(")"));
}

/* One token: "3/4". */
static fastio_status scan_fraction(fastio_reader *reader, void *object, fastio_error *err) {
  point *p = object;
  const char *text, *slash;
  size_t size;
  fastio_status status = fastio_peek_token(reader, &text, &size, err);
  if (status != FASTIO_OK) return status;
  slash = memchr(text, '/', size);
  if (!slash || fastio_parse_i32(text, (size_t)(slash - text), 10, &p->x, NULL) != FASTIO_OK ||
      fastio_parse_i32(slash + 1, size - (size_t)(slash - text) - 1, 10, &p->y, NULL) != FASTIO_OK)
    return fastio_reader_fail(reader, FASTIO_BAD_TOKEN, "not a fraction", err);
  return fastio_skip(reader, err);
}

static fastio_status scan_silently(fastio_reader *reader, void *object, fastio_error *err) {
  (void)reader;
  (void)object;
  (void)err;
  return FASTIO_UNSUPPORTED;
}

static void own_types(size_t block) {
  opened o = open_text("( 3 4 ) 5/6\n7\\8", block);
  point p = {0, 0}, f = {0, 0}, g = {0, 0};
  fastio_error err;
  CHECK_STATUS(fastio_try_scan(&err, o.reader, fastio_scan_custom(&p, scan_point),
                               fastio_scan_custom(&f, scan_fraction), fastio_scan_custom(&g, scan_fraction)),
               FASTIO_BAD_TOKEN);
  CHECK(p.x == 3 && p.y == 4 && f.x == 5 && f.y == 6);
  CHECK_INT(err.field, 3);
  CHECK_ERROR(&err, FASTIO_BAD_TOKEN, 12, 2, 1);
  CHECK_BYTES(err.text, err.text_size, "7\\8");
  CHECK_BYTES(err.message, strlen(err.message), "not a fraction");
  CHECK_STATUS(fastio_try_scan(&err, o.reader, fastio_scan_custom(&p, scan_silently)), FASTIO_UNSUPPORTED);
  CHECK_ERROR(&err, FASTIO_UNSUPPORTED, 12, 2, 1);
  CHECK_STATUS(fastio_scan(o.reader, fastio_scan_custom(&p, scan_silently)), FASTIO_UNSUPPORTED);
  close_text(o);
}

/* ---- round trip: what print writes, scan reads ---- */

static void round_trip(size_t block) {
  for (int i = -300; i <= 300; i += 60) {
    double d = i * 1.1, d2 = 0;
    float f = (float)i / 7, f2 = 0;
    int i2 = 0;
    _Bool b = i > 0, b2 = 0;
    int64_t stamp = i * 1234567890123, stamp2 = 0;
    char *text = fastio_concat(i, " ", d, "\n", f, " ", b, " ", fastio_timestamp(stamp));
    if (!CHECK(text != NULL)) return;
    opened o = open_text(text, block);
    CHECK_STATUS(fastio_scan(o.reader, &i2, &d2, &f2, &b2, fastio_timestamp_into(&stamp2)), FASTIO_OK);
    CHECK(i2 == i && d2 == d && f2 == f && b2 == b && stamp2 == stamp);
    close_text(o);
    free(text);
  }
}

static void no_reader(void) {
  int i;
  fastio_error err;
  CHECK_STATUS(fastio_try_scan(&err, NULL, &i), FASTIO_INVALID_ARGUMENT);
}

int main(void) {
  for (size_t b = 0; b < BLOCKS; b++) {
    integers(blocks[b]);
    others(blocks[b]);
    bounds(blocks[b]);
    bad_tokens(blocks[b]);
    the_end(blocks[b]);
    tokens_and_lines(blocks[b]);
    texts_that_are_too_long(blocks[b]);
    expected_text(blocks[b]);
    own_types(blocks[b]);
    round_trip(blocks[b]);
  }
  no_reader();
  return check_report();
}
