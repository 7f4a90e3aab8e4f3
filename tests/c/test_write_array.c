/* fastio_write_array and fastio_write_lines: by hand, and against a naive writer that formats value by value. */
#include "output.h"

#include <math.h>

/* ---- the naive writer ---- */

typedef struct array_call {
  fastio_array array;
  fastio_array_options options;
} array_call;

static fastio_status call_array(fastio_writer *writer, const void *ctx, unsigned threads, size_t block_size,
                                int (*poll)(void *, uint64_t, uint64_t), void *poll_ctx, fastio_error *err) {
  const array_call *c = ctx;
  fastio_array_options options = c->options;
  options.threads = threads;
  options.block_size = block_size;
  options.poll = poll;
  options.poll_ctx = poll_ctx;
  return fastio_write_array(writer, &c->array, &options, err);
}

static size_t format_int(fastio_type type, const char *p, const fastio_format *format, char *out, size_t capacity) {
  switch (type) {
    case FASTIO_INT8: return fastio_format_i64_as(*(const int8_t *)p, format, out, capacity);
    case FASTIO_INT16: return fastio_format_i64_as(*(const int16_t *)p, format, out, capacity);
    case FASTIO_INT32: return fastio_format_i64_as(*(const int32_t *)p, format, out, capacity);
    case FASTIO_INT64: return fastio_format_i64_as(*(const int64_t *)p, format, out, capacity);
    case FASTIO_UINT8: return fastio_format_u64_as(*(const uint8_t *)p, format, out, capacity);
    case FASTIO_UINT16: return fastio_format_u64_as(*(const uint16_t *)p, format, out, capacity);
    case FASTIO_UINT32: return fastio_format_u64_as(*(const uint32_t *)p, format, out, capacity);
    default: return fastio_format_u64_as(*(const uint64_t *)p, format, out, capacity);
  }
}

static size_t format_one(fastio_type type, const char *p, const fastio_format *format, char *out, size_t capacity) {
  char plain[FASTIO_FORMAT_MAX];
  size_t size = 0;
  switch (type) {
    case FASTIO_FLOAT32: return fastio_format_f32_as(*(const float *)p, format, out, capacity);
    case FASTIO_FLOAT64: return fastio_format_f64_as(*(const double *)p, format, out, capacity);
    case FASTIO_BOOL:
      strcpy(plain, *p ? "true" : "false");
      size = strlen(plain);
      break;
    case FASTIO_DATE: size = fastio_format_date(*(const int32_t *)p, plain); break;
    case FASTIO_TIME: size = fastio_format_time(*(const int64_t *)p, plain); break;
    case FASTIO_TIMESTAMP:
    case FASTIO_TIMESTAMP_UTC: size = fastio_format_timestamp(*(const int64_t *)p, type, plain); break;
    default: return format_int(type, p, format, out, capacity);
  }
  return fastio_format_text_as(plain, size, format, out, capacity);
}

static text naive(const array_call *c) {
  const fastio_array *a = &c->array;
  int64_t size = a->type == FASTIO_BOOL ? 1 : (int64_t)fastio_type_size(a->type);
  bool packed = a->row_stride == 0 && a->column_stride == 0;
  int64_t column_stride = packed ? size : a->column_stride;
  int64_t row_stride = packed ? size * (int64_t)a->columns : a->row_stride;
  text t = {NULL, 0, 0};
  for (uint64_t r = 0; r < a->rows; r++) {
    for (uint64_t k = 0; k < a->columns; k++) {
      uint64_t index = r * a->columns + k;
      const char *p = (const char *)a->data + (int64_t)r * row_stride + (int64_t)k * column_stride;
      const fastio_format *format = c->options.format_count ? &c->options.formats[c->options.format_count == 1 ? 0 : k]
                                                            : NULL;
      static char out[200000];
      if (k > 0) add_bytes(&t, c->options.separator);
      if (a->validity && !(a->validity[index / 8] >> index % 8 & 1)) add_bytes(&t, c->options.null_text);
      else add(&t, out, format_one(a->type, p, format, out, sizeof out));
    }
    add_bytes(&t, c->options.end);
  }
  return t;
}

static void check_naive(const array_call *c, const char *name) {
  text due = naive(c);
  check_same_bytes(call_array, c, due.data, due.size, name);
  free(due.data);
}

/* ---- by hand ---- */

static array_call call_of(fastio_type type, const void *data, uint64_t rows, uint64_t columns) {
  array_call c = {{type, data, rows, columns, 0, 0, NULL}, FASTIO_ARRAY_OPTIONS_INIT};
  return c;
}

static void check_text(const array_call *c, const char *due) { check_same_bytes(call_array, c, due, strlen(due), due); }

static void shapes(void) {
  double values[] = {1, 2.5, -0.0, 1e22, 0.1, INFINITY};
  array_call c = call_of(FASTIO_FLOAT64, values, 2, 3);
  check_text(&c, "1.0 2.5 -0.0\n1e+22 0.1 inf\n");
  c = call_of(FASTIO_FLOAT64, values, 1, 6);
  check_text(&c, "1.0 2.5 -0.0 1e+22 0.1 inf\n");
  c = call_of(FASTIO_FLOAT64, values, 6, 1);
  check_text(&c, "1.0\n2.5\n-0.0\n1e+22\n0.1\ninf\n");
  c = call_of(FASTIO_FLOAT64, values, 1, 1);
  check_text(&c, "1.0\n");
  c = call_of(FASTIO_FLOAT64, values, 0, 3);
  check_text(&c, "");
  c = call_of(FASTIO_FLOAT64, NULL, 3, 0);
  check_text(&c, "\n\n\n");
  c = call_of(FASTIO_FLOAT64, NULL, 0, 0);
  check_text(&c, "");
  c = call_of(FASTIO_FLOAT64, NULL, 1, 0);
  check_text(&c, "\n");
}

static void strides(void) {
  int32_t values[] = {1, 2, 3, 4, 5, 6};
  array_call c = call_of(FASTIO_INT32, values, 3, 2);
  c.array.row_stride = 4; /* Fortran's order */
  c.array.column_stride = 12;
  check_text(&c, "1 4\n2 5\n3 6\n");
  c.array.data = values + 5; /* backwards */
  c.array.row_stride = -4;
  c.array.column_stride = -12;
  check_text(&c, "6 3\n5 2\n4 1\n");
  c.array.data = values;
  c.array.row_stride = 0; /* the same row again and again */
  c.array.column_stride = 4;
  check_text(&c, "1 2\n1 2\n1 2\n");
  c.array.row_stride = 8; /* the same column */
  c.array.column_stride = 0;
  check_text(&c, "1 1\n3 3\n5 5\n");
  c.array.rows = 1;
  c.array.columns = 3;
  c.array.column_stride = 8;
  check_text(&c, "1 3 5\n");
  c.array.rows = 3;
  c.array.columns = 1;
  c.array.row_stride = -4;
  c.array.data = values + 2;
  check_text(&c, "3\n2\n1\n");
}

static void types(void) {
  const int8_t i8[] = {INT8_MIN, INT8_MAX};
  const int16_t i16[] = {INT16_MIN, INT16_MAX};
  const int32_t i32[] = {INT32_MIN, INT32_MAX}, days[] = {0, -719162};
  const int64_t i64[] = {INT64_MIN, INT64_MAX}, times[] = {0, 86399999999999};
  const uint8_t u8[] = {0, UINT8_MAX}, bools[] = {0, 2};
  const uint16_t u16[] = {0, UINT16_MAX};
  const uint32_t u32[] = {0, UINT32_MAX};
  const uint64_t u64[] = {0, UINT64_MAX};
  const float f32[] = {0.1f, -NAN};
  struct {
    fastio_type type;
    const void *data;
    const char *due;
  } cases[] = {
      {FASTIO_INT8, i8, "-128 127\n"},
      {FASTIO_INT16, i16, "-32768 32767\n"},
      {FASTIO_INT32, i32, "-2147483648 2147483647\n"},
      {FASTIO_INT64, i64, "-9223372036854775808 9223372036854775807\n"},
      {FASTIO_UINT8, u8, "0 255\n"},
      {FASTIO_UINT16, u16, "0 65535\n"},
      {FASTIO_UINT32, u32, "0 4294967295\n"},
      {FASTIO_UINT64, u64, "0 18446744073709551615\n"},
      {FASTIO_FLOAT32, f32, "0.1 nan\n"},
      {FASTIO_BOOL, bools, "false true\n"},
      {FASTIO_DATE, days, "1970-01-01 0001-01-01\n"},
      {FASTIO_TIME, times, "00:00:00 23:59:59.999999999\n"},
      {FASTIO_TIMESTAMP, times, "1970-01-01T00:00:00 1970-01-01T23:59:59.999999999\n"},
      {FASTIO_TIMESTAMP_UTC, times, "1970-01-01T00:00:00Z 1970-01-01T23:59:59.999999999Z\n"},
      {FASTIO_TIMESTAMP, i64, "1677-09-21T00:12:43.145224192 2262-04-11T23:47:16.854775807\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    array_call c = call_of(cases[i].type, cases[i].data, 1, 2);
    check_text(&c, cases[i].due);
  }
}

static void marks_and_formats(void) {
  double values[] = {1, -2.5, 1234567.875, 1e300};
  fastio_format formats[2] = {FASTIO_FORMAT_INIT, FASTIO_FORMAT_INIT};
  const fastio_locale german = {",", ".", {3}};
  array_call c = call_of(FASTIO_FLOAT64, values, 2, 2);
  c.options.separator = bytes_of(" <-- twenty bytes -> ");
  c.options.end = bytes_of(";\r\n");
  check_text(&c, "1.0 <-- twenty bytes -> -2.5;\r\n1234567.875 <-- twenty bytes -> 1e+300;\r\n");
  c.options.separator = c.options.end = bytes_of("");
  check_text(&c, "1.0-2.51234567.8751e+300");
  c = call_of(FASTIO_FLOAT64, values, 2, 2);
  c.options.formats = formats;
  c.options.format_count = 1;
  formats[0].notation = FASTIO_FIXED;
  formats[0].precision = 2;
  formats[0].locale = &german;
  formats[0].width = 14;
  formats[1].notation = FASTIO_SCIENTIFIC;
  formats[1].precision = 1;
  c.array.rows = 1;
  check_text(&c, "          1,00          -2,50\n");
  c.options.format_count = 2;
  c.array.rows = 2;
  check_text(&c, "          1,00 -2.5e+00\n  1.234.567,88 1.0e+300\n");
  formats[0].precision = 40; /* more than a slot */
  formats[1].notation = FASTIO_FIXED;
  check_naive(&c, "long values");
  c.options.format_count = 1;
  check_naive(&c, "long values");
  c.array.rows = 1; /* and along the row */
  check_naive(&c, "long values");
}

static void missing(void) {
  int16_t values[] = {1, 2, 3, 4, 5, 6};
  const uint8_t some[] = {0x2D}, none[] = {0};
  array_call c = call_of(FASTIO_INT16, values, 2, 3);
  c.array.validity = some;
  check_text(&c, "1  3\n4  6\n");
  c.options.null_text = bytes_of("NA");
  check_text(&c, "1 NA 3\n4 NA 6\n");
  c.array.rows = 6;
  c.array.columns = 1;
  check_text(&c, "1\nNA\n3\n4\nNA\n6\n");
  c.array.validity = none;
  c.array.rows = 1;
  c.array.columns = 6;
  check_text(&c, "NA NA NA NA NA NA\n");
}

/* ---- what has no text, and what is no array ---- */

static void check_bad_place(const array_call *c, uint64_t record, uint64_t field, const char *before) {
  for (unsigned threads = 1; threads <= 3; threads++) {
    for (size_t block = 0; block < 60; block += 10) {
      fastio_writer *writer = NULL;
      fastio_bytes got;
      fastio_error err;
      fastio_writer_memory(NULL, &writer, NULL);
      CHECK_STATUS(call_array(writer, c, threads, block, NULL, NULL, &err), FASTIO_OUT_OF_RANGE);
      CHECK_INT(err.record, record);
      CHECK_INT(err.field, field);
      CHECK_STATUS(fastio_writer_bytes(writer, &got, NULL), FASTIO_OK);
      same("what comes before", __LINE__, got, before, strlen(before));
      fastio_writer_discard(writer);
    }
  }
}

static void bad_values(void) {
  int32_t days[] = {0, 1, 2, 3, 4, 2932897, 6, -719163};
  int64_t times[] = {0, 86400000000000, -1};
  const uint8_t fine[] = {0x5F};
  array_call c = call_of(FASTIO_DATE, days, 4, 2);
  check_bad_place(&c, 3, 2, "1970-01-01 1970-01-02\n1970-01-03 1970-01-04\n");
  c.array.validity = fine;
  check_text(&c, "1970-01-01 1970-01-02\n1970-01-03 1970-01-04\n1970-01-05 \n1970-01-07 \n");
  c = call_of(FASTIO_TIME, times, 1, 3);
  check_bad_place(&c, 1, 2, "00:00:00 ");
  c.array.rows = 3;
  c.array.columns = 1;
  check_bad_place(&c, 2, 1, "00:00:00\n");
}

static void bad_arguments(void) {
  int32_t value[4] = {0};
  fastio_format formats[3] = {FASTIO_FORMAT_INIT, FASTIO_FORMAT_INIT, FASTIO_FORMAT_INIT};
  array_call c = call_of(FASTIO_INT32, value, 2, 2);
  fastio_writer *writer = NULL;
  fastio_error err;
  fastio_writer_memory(NULL, &writer, NULL);
  CHECK_STATUS(fastio_write_array(NULL, &c.array, NULL, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_write_array(writer, NULL, NULL, &err), FASTIO_INVALID_ARGUMENT);
#define CHECK_INVALID(change)                                                                      \
  {                                                                                                \
    array_call kept = c;                                                                           \
    change;                                                                                        \
    CHECK_STATUS(fastio_write_array(writer, &c.array, &c.options, &err), FASTIO_INVALID_ARGUMENT); \
    CHECK(err.status == FASTIO_INVALID_ARGUMENT && err.message != NULL && *err.message);           \
    c = kept;                                                                                      \
  }
  CHECK_INVALID(c.array.type = FASTIO_STRING)
  CHECK_INVALID(c.array.type = (fastio_type)0)
  CHECK_INVALID(c.array.type = FASTIO_DICTIONARY)
  CHECK_INVALID(c.array.data = NULL)
  CHECK_INVALID(c.array.rows = UINT64_MAX)
  CHECK_INVALID(c.array.rows = UINT64_C(1) << 62)
  CHECK_INVALID(c.options.size = 8)
  CHECK_INVALID(c.options.separator.data = NULL)
  CHECK_INVALID(c.options.end.data = NULL)
  CHECK_INVALID((c.options.null_text = (fastio_bytes){NULL, 1}))
  CHECK_INVALID(c.options.format_count = 1)
  CHECK_INVALID((c.options.formats = formats, c.options.format_count = 3))
  CHECK_INVALID((c.options.formats = formats, c.options.format_count = 2, formats[1].base = 99))
  fastio_bytes got;
  CHECK_STATUS(fastio_writer_bytes(writer, &got, NULL), FASTIO_OK); /* none of that stays with the writer */
  CHECK_INT(got.size, 0);
  CHECK_STATUS(fastio_write_array(writer, &c.array, NULL, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_writer_close(writer, NULL), FASTIO_OK);
}

/* ---- much of everything, against the naive writer ---- */

static uint64_t seed = 42;

static uint64_t draw(void) { /* xorshift64 */
  seed ^= seed << 13;
  seed ^= seed >> 7;
  return seed ^= seed << 17;
}

/* Anything; but dates and times that there are. */
static void fill(fastio_type type, void *data, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = draw() >> draw() % 64;
    double number = (double)(int64_t)(draw() % 2000000 - 1000000) / 1000;
    size_t size = type == FASTIO_BOOL ? 1 : fastio_type_size(type);
    int32_t days = (int32_t)(bits % 2000000) - 700000;
    int64_t time = (int64_t)(bits % 86400000000000);
    float single = (float)number;
    const void *value = type == FASTIO_DATE                       ? (const void *)&days
                        : type == FASTIO_TIME                     ? (const void *)&time
                        : type == FASTIO_FLOAT32 && bits % 4 != 0 ? (const void *)&single
                        : type == FASTIO_FLOAT64 && bits % 4 != 0 ? (const void *)&number
                                                                  : (const void *)&bits;
    memcpy((char *)data + i * size, value, size);
  }
}

static void many(void) {
  static const fastio_type all[] = {FASTIO_INT8,   FASTIO_INT16,  FASTIO_INT32,  FASTIO_INT64,    FASTIO_UINT8,
                                    FASTIO_UINT16, FASTIO_UINT32, FASTIO_UINT64, FASTIO_FLOAT32,  FASTIO_FLOAT64,
                                    FASTIO_BOOL,   FASTIO_DATE,   FASTIO_TIME,   FASTIO_TIMESTAMP};
  static const uint64_t widths[] = {1, 2, 7, 64, 65, 320, 640};
  enum { VALUES = 640 };
  uint64_t *data = malloc(VALUES * sizeof *data);
  uint8_t validity[VALUES / 8 + 1];
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
      array_call c = call_of(all[i], data, VALUES / widths[k], widths[k]);
      fill(all[i], data, VALUES);
      check_naive(&c, fastio_type_name(all[i]));
      for (size_t n = 0; n < sizeof validity; n++) validity[n] = (uint8_t)(draw() | draw());
      c.array.validity = validity;
      c.options.null_text = bytes_of("null");
      check_naive(&c, "with missing values");
    }
  }
  free(data);
}

static void formats(void) {
  enum { VALUES = 700 };
  double data[VALUES];
  fastio_format formats[VALUES];
  fill(FASTIO_FLOAT64, data, VALUES);
  for (size_t i = 0; i < VALUES; i++) {
    fastio_format format = FASTIO_FORMAT_INIT;
    format.notation = (int)(draw() % 5);
    format.precision = (int)(draw() % 30);
    format.width = draw() % 3 ? 0 : (unsigned)(draw() % 40);
    formats[i] = format;
  }
  for (uint64_t columns = 1; columns <= VALUES; columns *= 7) {
    array_call c = call_of(FASTIO_FLOAT64, data, VALUES / columns, columns);
    c.options.formats = formats;
    c.options.format_count = 1;
    check_naive(&c, "one format");
    c.options.format_count = columns;
    check_naive(&c, "a format for each column");
  }
  array_call c = call_of(FASTIO_FLOAT64, data, 3, 2);
  formats[0].notation = FASTIO_FIXED;
  formats[0].precision = 70000; /* more than a run of values may have */
  c.options.formats = formats;
  c.options.format_count = 1;
  check_naive(&c, "a long format");
  c.array.rows = 1;
  c.array.columns = 6;
  check_naive(&c, "a long format");
}

static void failures(void) {
  enum { VALUES = 400 };
  int64_t data[VALUES];
  fastio_format format = FASTIO_FORMAT_INIT;
  for (size_t i = 0; i < VALUES; i++) data[i] = (int64_t)(i * i * i);
  for (int wide = 0; wide < 3; wide++) {
    array_call c = call_of(FASTIO_INT64, data, wide ? 100 : 1, wide ? 4 : VALUES);
    format.width = wide == 2 ? 40 : 0;
    c.options.formats = &format;
    c.options.format_count = 1;
    text due = naive(&c);
    check_full_buffers(call_array, &c, due.data, due.size);
    check_devices(call_array, &c, due.data, due.size);
    check_polling(call_array, &c, VALUES, due.data, due.size);
    check_memory(call_array, &c, "fastio_write_array");
    free(due.data);
  }
}

/* ---- lines ---- */

typedef struct lines_call {
  fastio_column *column;
  fastio_bytes end;
} lines_call;

static fastio_status call_lines(fastio_writer *writer, const void *ctx, unsigned threads, size_t block_size,
                                int (*poll)(void *, uint64_t, uint64_t), void *poll_ctx, fastio_error *err) {
  const lines_call *c = ctx;
  (void)threads, (void)block_size, (void)poll, (void)poll_ctx;
  return fastio_write_lines(writer, c->column, c->end, err);
}

static void lines(void) {
  enum { LINES = 30000 };
  text all = {NULL, 0, 0}, due = {NULL, 0, 0};
  int64_t *offsets = malloc((LINES + 1) * sizeof *offsets);
  uint8_t validity[LINES / 8 + 1];
  fastio_column view;
  lines_call c = {NULL, {"\r\n", 2}};
  memset(validity, 0xFF, sizeof validity);
  offsets[0] = 0;
  for (size_t i = 0; i < LINES; i++) {
    for (size_t n = draw() % 97; n > 0; n--) add(&all, &"abcdefg"[draw() % 7], 1);
    offsets[i + 1] = (int64_t)all.size;
    if (i % 50 == 7) validity[i / 8] &= (uint8_t) ~(1 << i % 8);
    else add(&due, all.data + offsets[i], (size_t)(offsets[i + 1] - offsets[i]));
    add(&due, "\r\n", 2);
  }
  memset(&view, 0, sizeof view);
  view.type = FASTIO_STRING;
  view.length = LINES;
  view.null_count = LINES / 50;
  view.validity = validity;
  view.offsets = offsets;
  view.data = all.data;
  view.data_size = all.size;
  CHECK_STATUS(fastio_column_new(&view, NULL, NULL, NULL, &c.column, NULL), FASTIO_OK);
  check_same_bytes(call_lines, &c, due.data, due.size, "lines");
  check_devices(call_lines, &c, due.data, due.size);
  check_memory(call_lines, &c, "fastio_write_lines");
  fastio_writer *writer = NULL;
  fastio_writer_memory(NULL, &writer, NULL);
  CHECK_STATUS(fastio_write_lines(writer, NULL, c.end, NULL), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_write_lines(NULL, c.column, c.end, NULL), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_write_lines(writer, c.column, (fastio_bytes){NULL, 1}, NULL), FASTIO_INVALID_ARGUMENT);
  fastio_writer_discard(writer);
  fastio_column_free(c.column);
  free(due.data);
  free(all.data);
  free(offsets);
}

static void small_lines(void) {
  const int64_t offsets[] = {0, 0, 3, 3};
  const int32_t indices[] = {1, 0, 1};
  fastio_column view, *strings = NULL, *indexed = NULL, *numbers = NULL;
  memset(&view, 0, sizeof view);
  view.type = FASTIO_STRING;
  view.length = 3;
  view.offsets = offsets;
  view.data = "abc";
  view.data_size = 3;
  CHECK_STATUS(fastio_column_new(&view, NULL, NULL, NULL, &strings, NULL), FASTIO_OK);
  lines_call c = {strings, {"\n", 1}};
  check_same_bytes(call_lines, &c, "\nabc\n\n", 6, "three lines");
  c.end = bytes_of("");
  check_same_bytes(call_lines, &c, "abc", 3, "no ends");
  memset(&view, 0, sizeof view);
  view.type = FASTIO_DICTIONARY;
  view.length = 3;
  view.data = indices;
  view.data_size = sizeof indices;
  view.dictionary = strings;
  CHECK_STATUS(fastio_column_new(&view, NULL, NULL, NULL, &indexed, NULL), FASTIO_OK);
  c = (lines_call){indexed, {"\n", 1}};
  check_same_bytes(call_lines, &c, "abc\n\nabc\n", 9, "a dictionary");
  view.type = FASTIO_INT32;
  view.dictionary = NULL;
  CHECK_STATUS(fastio_column_new(&view, NULL, NULL, NULL, &numbers, NULL), FASTIO_OK);
  fastio_writer *writer = NULL;
  fastio_writer_memory(NULL, &writer, NULL);
  CHECK_STATUS(fastio_write_lines(writer, numbers, c.end, NULL), FASTIO_INVALID_ARGUMENT);
  fastio_writer_discard(writer);
  fastio_column_free(numbers);
  fastio_column_free(indexed);
  fastio_column_free(strings);
}

int main(void) {
  shapes();
  strides();
  types();
  marks_and_formats();
  missing();
  bad_values();
  bad_arguments();
  many();
  formats();
  failures();
  lines();
  small_lines();
  return check_report();
}
