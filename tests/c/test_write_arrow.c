/* fastio_write_csv_stream: arrays of every type, put together by hand, with offsets and missing values in all places.
 */
#include "output.h"

#include <errno.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- a stream of batches that keeps count of what is released ---- */

enum { COLUMNS_MAX = 40, BATCHES_MAX = 80 };

typedef struct feed {
  const char *format; /* of the batches, "+s" */
  struct ArrowSchema columns[COLUMNS_MAX], dictionaries[COLUMNS_MAX];
  struct ArrowSchema *children[COLUMNS_MAX];
  size_t column_count;
  struct ArrowArray batches[BATCHES_MAX];
  size_t batch_count;
  size_t given, released; /* batches */
  size_t schemas_given, schemas_released;
  int schema_error, next_error; /* errno of the call that fails; of get_next, behind all batches */
  pthread_t caller;
  bool wrong_thread;
} feed;

static void release_schema(struct ArrowSchema *schema) {
  ((feed *)schema->private_data)->schemas_released++;
  schema->release = NULL;
}

static void release_batch(struct ArrowArray *array) {
  feed *f = array->private_data;
  if (!pthread_equal(pthread_self(), f->caller)) f->wrong_thread = true;
  f->released++;
  array->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
  feed *f = stream->private_data;
  if (f->schema_error) return f->schema_error;
  memset(out, 0, sizeof *out);
  for (size_t i = 0; i < f->column_count; i++) f->children[i] = &f->columns[i];
  out->format = f->format;
  out->name = "";
  out->n_children = (int64_t)f->column_count;
  out->children = f->children;
  out->release = release_schema;
  out->private_data = f;
  f->schemas_given++;
  return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
  feed *f = stream->private_data;
  if (!pthread_equal(pthread_self(), f->caller)) f->wrong_thread = true;
  if (f->given == f->batch_count) {
    out->release = NULL;
    return f->next_error;
  }
  *out = f->batches[f->given++];
  out->release = release_batch;
  out->private_data = f;
  return 0;
}

static const char *last_error(struct ArrowArrayStream *stream) {
  (void)stream;
  return NULL;
}

static void release_stream(struct ArrowArrayStream *stream) { stream->release = NULL; }

typedef struct stream_call {
  feed *feed;
  fastio_csv_write_options options;
} stream_call;

static fastio_status call_stream(fastio_writer *writer, const void *ctx, unsigned threads, size_t block_size,
                                 int (*poll)(void *, uint64_t, uint64_t), void *poll_ctx, fastio_error *err) {
  const stream_call *c = ctx;
  feed *f = c->feed;
  struct ArrowArrayStream stream = {get_schema, get_next, last_error, release_stream, f};
  fastio_csv_write_options options = c->options;
  uint64_t rows = 12345, due = 0;
  for (size_t i = 0; i < f->batch_count; i++) due += (uint64_t)f->batches[i].length;
  options.threads = threads;
  options.block_size = block_size;
  options.poll = poll;
  options.poll_ctx = poll_ctx;
  f->given = f->released = f->schemas_given = f->schemas_released = 0;
  f->caller = pthread_self();
  f->wrong_thread = false;
  fastio_status status = fastio_write_csv_stream(writer, &stream, &options, &rows, err);
  CHECK_INT(rows, status == FASTIO_OK ? due : 12345);
  CHECK_INT(f->given, f->released);
  CHECK_INT(f->schemas_given, f->schemas_released);
  CHECK(stream.release == release_stream && !f->wrong_thread);
  return status;
}

static stream_call call_of(feed *f) {
  stream_call c = {f, FASTIO_CSV_WRITE_OPTIONS_INIT};
  return c;
}

static void check_text(const stream_call *c, const char *due) {
  check_same_bytes(call_stream, c, due, strlen(due), due);
}

static void check_fails(const stream_call *c, fastio_status status, uint64_t record, const char *column,
                        const char *before) {
  for (unsigned threads = 1; threads <= 3; threads++) {
    for (size_t block = 0; block < 100; block += 30) {
      fastio_writer *writer = NULL;
      fastio_error err;
      fastio_bytes got;
      fastio_writer_memory(NULL, &writer, NULL);
      CHECK_STATUS(call_stream(writer, c, threads, block, NULL, NULL, &err), status);
      CHECK(err.status == status && err.message && *err.message);
      CHECK_INT(err.record, record);
      CHECK(err.field_name_size == strlen(column) && memcmp(err.field_name, column, strlen(column)) == 0);
      CHECK_STATUS(fastio_writer_bytes(writer, &got, NULL), FASTIO_OK);
      same("what comes before", __LINE__, got, before, strlen(before));
      fastio_writer_discard(writer);
    }
  }
}

/* ---- arrays ---- */

static void add_type(feed *f, const char *format, const char *name, const char *dictionary) {
  const size_t i = f->column_count++;
  memset(&f->columns[i], 0, sizeof f->columns[i]);
  f->columns[i].format = format;
  f->columns[i].name = name;
  if (!dictionary) return;
  memset(&f->dictionaries[i], 0, sizeof f->dictionaries[i]);
  f->dictionaries[i].format = dictionary;
  f->columns[i].dictionary = &f->dictionaries[i];
}

static struct ArrowArray array_of(int64_t length, int64_t offset, const void **buffers, int64_t count) {
  struct ArrowArray array;
  memset(&array, 0, sizeof array);
  array.length = length;
  array.offset = offset;
  array.null_count = -1;
  array.buffers = buffers;
  array.n_buffers = count;
  return array;
}

/* One column, with the values of one batch of it. */
static feed one_column(const char *format, struct ArrowArray *array, struct ArrowArray **children,
                       const void **no_validity) {
  feed f;
  memset(&f, 0, sizeof f);
  f.format = "+s";
  add_type(&f, format, "c", NULL);
  children[0] = array;
  f.batches[0] = array_of(array->length, 0, no_validity, 1);
  f.batches[0].children = children;
  f.batches[0].n_children = 1;
  f.batch_count = 1;
  return f;
}

static void check_column(const char *format, struct ArrowArray array, const char *due) {
  struct ArrowArray *children[1];
  const void *no_validity[1] = {NULL};
  feed f = one_column(format, &array, children, no_validity);
  stream_call c = call_of(&f);
  c.options.null_text = bytes_of("-");
  check_text(&c, due);
}

static void check_bad_column(const char *format, struct ArrowArray array, fastio_status status, uint64_t record,
                             const char *before) {
  struct ArrowArray *children[1];
  const void *no_validity[1] = {NULL};
  feed f = one_column(format, &array, children, no_validity);
  stream_call c = call_of(&f);
  check_fails(&c, status, record, "c", before);
}

/* Values behind three others, the second of them missing. */
#define CHECK_VALUES(format, type, due, ...)                          \
  {                                                                   \
    const type values[] = {0, 0, 0, __VA_ARGS__};                     \
    const uint8_t some[] = {0xEF};                                    \
    const void *buffers[] = {some, values};                           \
    check_column(format, array_of(3, 3, buffers, 2), "c\n" due "\n"); \
  }

static void values(void) {
  CHECK_VALUES("c", int8_t, "-128\n-\n127", INT8_MIN, 1, INT8_MAX)
  CHECK_VALUES("C", uint8_t, "0\n-\n255", 0, 1, UINT8_MAX)
  CHECK_VALUES("s", int16_t, "-32768\n-\n32767", INT16_MIN, 1, INT16_MAX)
  CHECK_VALUES("S", uint16_t, "0\n-\n65535", 0, 1, UINT16_MAX)
  CHECK_VALUES("i", int32_t, "-2147483648\n-\n2147483647", INT32_MIN, 1, INT32_MAX)
  CHECK_VALUES("I", uint32_t, "0\n-\n4294967295", 0, 1, UINT32_MAX)
  CHECK_VALUES("l", int64_t, "-9223372036854775808\n-\n9223372036854775807", INT64_MIN, 1, INT64_MAX)
  CHECK_VALUES("L", uint64_t, "0\n-\n18446744073709551615", 0, 1, UINT64_MAX)
  CHECK_VALUES("f", float, "0.1\n-\n1e+30", 0.1f, 1, 1e30f)
  CHECK_VALUES("g", double, "0.1\n-\n1e+300", 0.1, 1, 1e300)
  CHECK_VALUES("tdD", int32_t, "1970-01-01\n-\n2024-02-29", 0, INT32_MAX, 19782)
  CHECK_VALUES("tdm", int64_t, "1970-01-01\n-\n1969-12-31", 86399999, INT64_MAX, -1)
  CHECK_VALUES("tts", int32_t, "00:00:00\n-\n23:59:59", 0, -1, 86399)
  CHECK_VALUES("ttm", int32_t, "00:00:00.001\n-\n23:59:59.999", 1, -1, 86399999)
  CHECK_VALUES("ttu", int64_t, "00:00:00.000001\n-\n23:59:59.999999", 1, -1, INT64_C(86399999999))
  CHECK_VALUES("ttn", int64_t, "00:00:00.000000001\n-\n23:59:59.999999999", 1, -1, INT64_C(86399999999999))
  CHECK_VALUES("tsn:", int64_t, "1677-09-21T00:12:43.145224192\n-\n2262-04-11T23:47:16.854775807", INT64_MIN, 1,
               INT64_MAX)
  CHECK_VALUES("tsn:UTC", int64_t, "1970-01-01T00:00:00Z\n-\n1969-12-31T23:59:59.999999999Z", 0, 1, -1)
  /* the first and the last second of the calendar are beyond 64 bits of nanoseconds */
  CHECK_VALUES("tss:", int64_t, "0001-01-01T00:00:00\n-\n9999-12-31T23:59:59", INT64_C(-62135596800), INT64_MIN,
               INT64_C(253402300799))
  CHECK_VALUES("tsm:Europe/Berlin", int64_t, "1970-01-01T00:00:00.001Z\n-\n9999-12-31T23:59:59.999Z", 1, INT64_MAX,
               INT64_C(253402300799999))
  CHECK_VALUES("tsu:", int64_t, "1969-12-31T23:59:59.999999\n-\n2262-04-11T23:47:16.854775", -1, INT64_MAX,
               INT64_C(9223372036854775))
  CHECK_VALUES("tsu:+01:00", int64_t, "2262-04-11T23:47:16.854776Z\n-\n1677-09-21T00:12:43.145224Z",
               INT64_C(9223372036854776), INT64_MIN, INT64_C(-9223372036854776))
}

static void bad_values(void) {
#define CHECK_BAD(format, type, before, ...)                                                         \
  {                                                                                                  \
    const type values[] = {__VA_ARGS__};                                                             \
    const void *buffers[] = {NULL, values};                                                          \
    check_bad_column(format, array_of(2, 0, buffers, 2), FASTIO_OUT_OF_RANGE, 2, "c\n" before "\n"); \
  }
  CHECK_BAD("tdD", int32_t, "1970-01-01", 0, 2932897)
  CHECK_BAD("tdD", int32_t, "1970-01-01", 0, INT32_MIN)
  CHECK_BAD("tdm", int64_t, "1970-01-01", 0, INT64_MAX)
  CHECK_BAD("tdm", int64_t, "1970-01-01", 0, INT64_MIN)
  CHECK_BAD("tts", int32_t, "00:00:00", 0, 86400)
  CHECK_BAD("tts", int32_t, "00:00:00", 0, -1)
  CHECK_BAD("ttm", int32_t, "00:00:00", 0, 86400000)
  CHECK_BAD("ttu", int64_t, "00:00:00", 0, INT64_MAX)
  CHECK_BAD("ttn", int64_t, "00:00:00", 0, INT64_C(86400000000000))
  CHECK_BAD("tss:", int64_t, "1970-01-01T00:00:00", 0, INT64_C(253402300800))
  CHECK_BAD("tss:", int64_t, "1970-01-01T00:00:00", 0, INT64_C(-62135596801))
  CHECK_BAD("tss:", int64_t, "1970-01-01T00:00:00", 0, INT64_MIN)
  CHECK_BAD("tss:", int64_t, "1970-01-01T00:00:00", 0, INT64_MAX)
  CHECK_BAD("tsm:", int64_t, "1970-01-01T00:00:00", 0, INT64_MAX)
  CHECK_BAD("tsu:UTC", int64_t, "1970-01-01T00:00:00Z", 0, INT64_MIN)
}

/* 16-bit floats: NumPy's texts. */
static void halves(void) {
  const uint16_t values[] = {0x0000, 0x8000, 0x3C00, 0x2E66, 0x3555, 0x7BFF, 0x0001,
                             0x03FF, 0x0400, 0x7C00, 0xFC00, 0x7E00, 0x6400, 0xBBFF};
  const void *buffers[] = {NULL, values};
  check_column("e", array_of(COUNT(values), 0, buffers, 2),
               "c\n0.0\n-0.0\n1.0\n0.1\n0.3333\n65500.0\n6e-08\n6.1e-05\n6.104e-05\ninf\n-inf\nnan\n1024.0\n-0.9995\n");
}

/* Every half reads back as itself. */
static double value_of_half(unsigned half) {
  const unsigned exponent = half >> 10, power = exponent ? exponent : 1;
  double size = (exponent ? 1024 : 0) + (half & 1023);
  for (unsigned e = power; e < 25; e++) size /= 2;
  for (unsigned e = power; e > 25; e--) size *= 2;
  return size;
}

static void all_halves(void) {
  enum { FINITE = 0x7C00 };
  static uint16_t values[FINITE];
  const void *buffers[] = {NULL, values}, *no_validity[] = {NULL};
  struct ArrowArray array = array_of(FINITE, 0, buffers, 2), *children[1];
  feed f = one_column("e", &array, children, no_validity);
  stream_call c = call_of(&f);
  fastio_writer *writer = NULL;
  fastio_source *source = NULL;
  fastio_table *table = NULL;
  fastio_bytes got;
  for (unsigned i = 0; i < FINITE; i++) values[i] = (uint16_t)i;
  fastio_writer_memory(NULL, &writer, NULL);
  CHECK_STATUS(call_stream(writer, &c, 1, 0, NULL, NULL, NULL), FASTIO_OK);
  fastio_writer_bytes(writer, &got, NULL);
  fastio_source_memory(got.data, got.size, NULL, &source, NULL);
  CHECK_STATUS(fastio_read_csv(source, NULL, &table, NULL), FASTIO_OK);
  const double *read = table->columns[0]->data;
  int wrong = 0;
  CHECK_INT(table->rows, FINITE);
  for (unsigned i = 1; i + 1 < FINITE; i++) { /* nearer to it than to its neighbours */
    double at = value_of_half(i), below = value_of_half(i - 1), above = value_of_half(i + 1);
    wrong += !(read[i] >= (below + at) / 2 && read[i] <= (at + above) / 2);
  }
  CHECK_INT(wrong, 0);
  CHECK(got.size < 8 * FINITE); /* and in few digits */
  fastio_table_free(table);
  fastio_source_close(source);
  fastio_writer_discard(writer);
}

/* Of both orders of bytes: the parts of eight bytes, the lowest first. */
typedef struct wide {
  uint64_t parts[4];
} wide;

static void put_wide(char *out, const uint64_t *parts, size_t count) {
  const union {
    uint16_t number;
    uint8_t first;
  } order = {1};
  for (size_t i = 0; i < count; i++) memcpy(out + 8 * (order.first ? i : count - 1 - i), &parts[i], 8);
}

static void decimals(void) {
  const uint64_t ones = UINT64_MAX, high = UINT64_C(1) << 63;
  const wide values[] = {{{0, 0, 0, 0}},         {{1, 0, 0, 0}}, {{ones - 149, ones, ones, ones}}, /* -150 */
                         {{12345, 0, 0, 0}},     {{0, 1, 0, 0}},                                   /* 2^64 */
                         {{0, high, ones, ones}}};                                                 /* -2^127 */
  char narrow[COUNT(values) * 16], broad[(COUNT(values) + 1) * 32];
  int64_t i64[4];
  int32_t i32[4];
  const uint64_t least[] = {0, 0, 0, high}; /* -2^255 */
  const void *buffers[] = {NULL, narrow};
  for (size_t i = 0; i < COUNT(values); i++) {
    put_wide(narrow + 16 * i, values[i].parts, 2);
    put_wide(broad + 32 * i, values[i].parts, 4);
    if (i < 4) i32[i] = (int32_t)(i64[i] = (int64_t)values[i].parts[0]);
  }
  put_wide(broad + 32 * COUNT(values), least, 4);
  check_column("d:38,2", array_of(6, 0, buffers, 2),
               "c\n0.00\n0.01\n-1.50\n123.45\n184467440737095516.16\n-1701411834604692317316873037158841057.28\n");
  check_column("d:38,0", array_of(6, 0, buffers, 2),
               "c\n0\n1\n-150\n12345\n18446744073709551616\n-170141183460469231731687303715884105728\n");
  check_column("d:38,-2,128", array_of(4, 1, buffers, 2), "c\n100\n-15000\n1234500\n1844674407370955161600\n");
  check_column("d:38,7", array_of(4, 0, buffers, 2), "c\n0.0000000\n0.0000001\n-0.0000150\n0.0012345\n");
  buffers[1] = broad;
  check_column("d:76,2,256", array_of(7, 0, buffers, 2),
               "c\n0.00\n0.01\n-1.50\n123.45\n184467440737095516.16\n-1701411834604692317316873037158841057.28\n"
               "-578960446186580977117854925043439539266349923328202820197287920039565648199.68\n");
  buffers[1] = i64;
  check_column("d:18,1,64", array_of(4, 0, buffers, 2), "c\n0.0\n0.1\n-15.0\n1234.5\n");
  buffers[1] = i32;
  check_column("d:9,3,32", array_of(4, 0, buffers, 2), "c\n0.000\n0.001\n-0.150\n12.345\n");
}

static void bools_and_nulls(void) {
  const uint8_t bits[] = {0xB0}, some[] = {0x7F};
  const void *buffers[] = {some, bits};
  check_column("b", array_of(5, 3, buffers, 2), "c\nfalse\ntrue\ntrue\nfalse\n-\n");
  check_column("n", array_of(3, 0, NULL, 0), "c\n-\n-\n-\n");
}

/* ---- texts ---- */

static void texts(void) {
  const char *data = "skipabc,\"defg a text that is longer than any slot there is";
  const int32_t offsets[] = {0, 4, 7, 7, 8, 9, 13, 58};
  const int64_t long_offsets[] = {0, 4, 7, 7, 8, 9, 13, 58};
  const uint8_t some[] = {0xDF};
  const void *buffers[] = {some, offsets, data}, *long_buffers[] = {some, long_offsets, data};
  const char *due = "c\nabc\n\"\"\n\",\"\n\"\"\"\"\n-\n\" a text that is longer than any slot there is\"\n";
  static const char *const short_formats[] = {"u", "z"}, *const long_formats[] = {"U", "Z"};
  for (int i = 0; i < 2; i++) {
    struct ArrowArray *children[1];
    const void *no_validity[1] = {NULL};
    struct ArrowArray array = array_of(6, 1, buffers, 3), long_array = array_of(6, 1, long_buffers, 3);
    feed f = one_column(short_formats[i], &array, children, no_validity);
    stream_call c = call_of(&f);
    c.options.null_text = bytes_of("-");
    check_text(&c, due);
    f = one_column(long_formats[i], &long_array, children, no_validity);
    check_text(&c, due);
  }
  const int32_t none[] = {0, 0, 0};
  const void *empty[] = {NULL, none, NULL};
  check_column("u", array_of(2, 0, empty, 3), "c\n\"\"\n\"\"\n");
}

typedef struct view {
  int32_t size;
  union {
    char text[12];
    struct {
      char prefix[4];
      int32_t buffer, offset;
    } far;
  } as;
} view;

static void views(void) {
  const char *first = "thirteen byte", *second = "..a text that is longer than any slot there is";
  view values[5];
  const uint8_t some[] = {0xF7};
  const int64_t sizes[] = {13, 46};
  const void *buffers[] = {some, values, first, second, sizes};
  memset(values, 0xFF, sizeof values); /* what a missing view has in it does not count */
  values[1].size = 12;
  memcpy(values[1].as.text, "twelve, byte", 12);
  values[2].size = 13;
  memcpy(values[2].as.far.prefix, first, 4);
  values[2].as.far.buffer = 0;
  values[2].as.far.offset = 0;
  values[4].size = 44;
  memcpy(values[4].as.far.prefix, second + 2, 4);
  values[4].as.far.buffer = 1;
  values[4].as.far.offset = 2;
  check_column("vu", array_of(4, 1, buffers, 5),
               "c\n\"twelve, byte\"\nthirteen byte\n-\na text that is longer than any slot there is\n");
  check_column("vz", array_of(4, 1, buffers, 5),
               "c\n\"twelve, byte\"\nthirteen byte\n-\na text that is longer than any slot there is\n");
}

/* ---- dictionaries ---- */

static void check_dictionary(const char *format, const void *indices, const char *words_format,
                             struct ArrowArray dictionary, const char *due) {
  const uint8_t some[] = {0xF7};
  const void *buffers[] = {some, indices}, *no_validity[] = {NULL};
  struct ArrowArray array = array_of(4, 1, buffers, 2), *children[1];
  feed f = one_column(format, &array, children, no_validity);
  stream_call c = call_of(&f);
  array.dictionary = &dictionary;
  f.column_count = 0;
  add_type(&f, format, "c", words_format);
  c.options.null_text = bytes_of("-");
  check_text(&c, due);
}

static void dictionaries(void) {
  const int8_t i8[] = {9, 0, 1, 9, 2};
  const int16_t i16[] = {9, 0, 1, 9, 2};
  const int32_t i32[] = {9, 0, 1, 9, 2};
  const int64_t i64[] = {9, 0, 1, 9, 2};
  static const char *const formats[] = {"c", "C", "s", "S", "i", "I", "l", "L"};
  const void *const indices[] = {i8, i8, i16, i16, i32, i32, i64, i64};
  const int32_t offsets[] = {0, 1, 4, 4, 6};
  const void *words[] = {NULL, offsets, "xred,,"};
  const double numbers[] = {0.5, 1e22, 3};
  const uint8_t some[] = {0x3};
  const void *doubles[] = {some, numbers};
  for (size_t i = 0; i < COUNT(formats); i++) {
    check_dictionary(formats[i], indices[i], "u", array_of(3, 1, words, 3), "c\nred\n\"\"\n-\n\",,\"\n");
    check_dictionary(formats[i], indices[i], "g", array_of(3, 0, doubles, 2), "c\n0.5\n1e+22\n-\n-\n");
  }
  const void *buffers[] = {NULL, i8}, *no_validity[] = {NULL}; /* the first index is beyond the dictionary */
  struct ArrowArray dictionary = array_of(3, 1, words, 3), array = array_of(1, 0, buffers, 2), *children[1];
  feed f = one_column("c", &array, children, no_validity);
  stream_call c = call_of(&f);
  array.dictionary = &dictionary;
  f.column_count = 0;
  add_type(&f, "c", "c", "u");
  check_fails(&c, FASTIO_INVALID_ARGUMENT, 1, "c", "c\n");
  const int8_t negative[] = {-1};
  buffers[1] = negative;
  check_fails(&c, FASTIO_INVALID_ARGUMENT, 1, "c", "c\n");
}

/* ---- structs ---- */

/* Rows 2 to 4 of a struct whose own bits say that row 3 is missing; the children have offsets too. */
static void struct_offsets(void) {
  const int32_t numbers[] = {90, 91, 92, 93, 94, 95, 96};
  const uint8_t bits[] = {0x55}, some[] = {0xBF}, rows[] = {0xF7};
  const void *first[] = {some, numbers}, *second[] = {NULL, bits}, *validity[] = {rows};
  struct ArrowArray a = array_of(6, 1, first, 2), b = array_of(5, 2, second, 2), *children[] = {&a, &b};
  feed f;
  memset(&f, 0, sizeof f);
  f.format = "+s";
  add_type(&f, "i", "a", NULL);
  add_type(&f, "b", "b", NULL);
  f.batches[0] = array_of(3, 2, validity, 1);
  f.batches[0].children = children;
  f.batches[0].n_children = 2;
  f.batch_count = 1;
  stream_call c = call_of(&f);
  check_text(&c, "a,b\n93,true\n,\n95,true\n");
  f.batches[0].null_count = 0; /* then its bits do not count */
  check_text(&c, "a,b\n93,true\n94,false\n95,true\n");
  a.null_count = 0;
  f.batches[0].offset = 3;
  f.batches[0].length = 2;
  check_text(&c, "a,b\n94,false\n95,true\n");
}

static void no_rows_no_columns(void) {
  feed f;
  memset(&f, 0, sizeof f);
  f.format = "+s";
  add_type(&f, "i", "a", NULL);
  add_type(&f, "u", NULL, NULL); /* without a name */
  stream_call c = call_of(&f);
  check_text(&c, "a,\"\"\n"); /* no batches */
  const void *none[] = {NULL, NULL, NULL};
  struct ArrowArray a = array_of(0, 0, none, 2), b = array_of(0, 0, none, 3), *children[] = {&a, &b};
  f.batches[0] = array_of(0, 0, none, 1);
  f.batches[0].children = children;
  f.batches[0].n_children = 2;
  f.batch_count = 1;
  check_text(&c, "a,\"\"\n");
  f.column_count = 0;
  f.batches[0].n_children = 0;
  f.batches[0].length = 5;
  check_text(&c, "");
}

/* ---- many batches ---- */

static void batches(void) {
  enum { ROWS = 100 };
  static int64_t numbers[BATCHES_MAX][ROWS];
  static int32_t offsets[BATCHES_MAX][ROWS + 1];
  static const char words[] = "a,b\"c\nd and then some more, that is longer than a slot";
  static const void *number_buffers[BATCHES_MAX][2], *word_buffers[BATCHES_MAX][3], *no_validity[1];
  static struct ArrowArray columns[BATCHES_MAX][2], *children[BATCHES_MAX][2];
  text due = {NULL, 0, 0};
  feed f;
  memset(&f, 0, sizeof f);
  f.format = "+s";
  add_type(&f, "l", "n", NULL);
  add_type(&f, "z", "s", NULL);
  add_text(&due, "n,s\n");
  for (size_t i = 0; i < BATCHES_MAX; i++) {
    const int64_t rows = (int64_t)(i * 37 % ROWS); /* some have none */
    for (int64_t r = 0; r < rows; r++) {
      char number[FASTIO_FORMAT_MAX];
      numbers[i][r] = (int64_t)i * 1000003 * r;
      offsets[i][r + 1] = (int32_t)((i + (size_t)r) % sizeof words);
      if (offsets[i][r + 1] < offsets[i][r]) offsets[i][r + 1] = offsets[i][r];
      add(&due, number, fastio_format_i64(numbers[i][r], 10, number));
      add_text(&due, ",");
      const size_t size = (size_t)(offsets[i][r + 1] - offsets[i][r]);
      const char *word = words + offsets[i][r];
      const bool quoted = size == 0 || memchr(word, ',', size) || memchr(word, '"', size) || memchr(word, '\n', size) ||
                          *word == ' ' || word[size - 1] == ' ';
      if (quoted) add_text(&due, "\"");
      for (size_t k = 0; k < size; k++) add(&due, word[k] == '"' ? "\"\"" : &word[k], word[k] == '"' ? 2 : 1);
      add_text(&due, quoted ? "\"\n" : "\n");
    }
    number_buffers[i][1] = numbers[i];
    word_buffers[i][1] = offsets[i];
    word_buffers[i][2] = words;
    columns[i][0] = array_of(rows, 0, number_buffers[i], 2);
    columns[i][1] = array_of(rows, 0, word_buffers[i], 3);
    children[i][0] = &columns[i][0];
    children[i][1] = &columns[i][1];
    f.batches[i] = array_of(rows, 0, no_validity, 1);
    f.batches[i].children = children[i];
    f.batches[i].n_children = 2;
  }
  f.batch_count = BATCHES_MAX;
  stream_call c = call_of(&f);
  check_same_bytes(call_stream, &c, due.data, due.size, "many batches");
  check_devices(call_stream, &c, due.data, due.size);
  check_polling(call_stream, &c, FASTIO_NO_OFFSET, due.data, due.size);
  f.next_error = EIO; /* behind all of them */
  add(&due, "", 1);
  check_fails(&c, FASTIO_CALLBACK_FAILED, 0, "", due.data);
  fastio_writer *writer = NULL;
  fastio_error err;
  fastio_writer_memory(NULL, &writer, NULL);
  CHECK_STATUS(call_stream(writer, &c, 2, 0, NULL, NULL, &err), FASTIO_CALLBACK_FAILED);
  CHECK_INT(err.os_error, EIO);
  fastio_writer_discard(writer);
  f.next_error = 0;
  f.batch_count = 5;
  check_memory(call_stream, &c, "fastio_write_csv_stream, batches");
  f.batch_count = 3; /* a late one that is not what it should be; what comes before is written */
  columns[2][1].length -= 1;
  size_t end = 4;
  for (int64_t lines = columns[0][0].length + columns[1][0].length; lines > 0; end++) { /* records, not lines */
    static bool inside;
    if (due.data[end] == '"') inside = !inside;
    lines -= due.data[end] == '\n' && !inside;
  }
  due.data[end] = '\0';
  check_fails(&c, FASTIO_INVALID_ARGUMENT, 0, "s", due.data);
  free(due.data);
}

/* ---- what is no table ---- */

static void bad_streams(void) {
  static const char *const unsupported[] = {"w:4", "d:9", "d:9,2,7", "d:9,200", "+l", "+s",
                                            "tDs", "tiM", "",        "x",       "ll", "vx"};
  const int32_t numbers[] = {1, 2};
  const void *buffers[] = {NULL, numbers}, *none[] = {NULL, NULL}, *no_validity[] = {NULL};
  struct ArrowArray good = array_of(2, 0, buffers, 2), *children[1];
  for (size_t i = 0; i < COUNT(unsupported); i++) {
    feed f = one_column(unsupported[i], &good, children, no_validity);
    stream_call c = call_of(&f);
    check_fails(&c, FASTIO_UNSUPPORTED, 0, "c", ""); /* not even the header */
  }
  feed f = one_column("i", &good, children, no_validity);
  stream_call c = call_of(&f);
  f.format = "i";
  check_fails(&c, FASTIO_UNSUPPORTED, 0, "", "");
  f = one_column("i", &good, children, no_validity);
  f.schema_error = ENOMEM;
  check_fails(&c, FASTIO_CALLBACK_FAILED, 0, "", "");
  f = one_column("i", &good, children, no_validity);
  f.column_count = 0;
  add_type(&f, "g", "c", "u"); /* an index that is no integer */
  check_fails(&c, FASTIO_UNSUPPORTED, 0, "c", "");
#define CHECK_BAD_ARRAY(change, column)                         \
  {                                                             \
    struct ArrowArray bad = array_of(2, 0, buffers, 2);         \
    f = one_column("i", &bad, children, no_validity);           \
    change;                                                     \
    check_fails(&c, FASTIO_INVALID_ARGUMENT, 0, column, "c\n"); \
  }
  CHECK_BAD_ARRAY(bad.length = 1, "c")
  CHECK_BAD_ARRAY(bad.length = -1, "c")
  CHECK_BAD_ARRAY(bad.offset = -1, "c")
  CHECK_BAD_ARRAY(bad.n_buffers = 1, "c")
  CHECK_BAD_ARRAY(bad.buffers = none, "c")
  CHECK_BAD_ARRAY(f.batches[0].n_children = 2, "")
  CHECK_BAD_ARRAY(f.batches[0].length = -2, "")
  CHECK_BAD_ARRAY(f.batches[0].offset = 1, "c")
  CHECK_BAD_ARRAY(f.batches[0].offset = INT64_MAX, "c")
  struct ArrowArray indices = array_of(2, 0, buffers, 2); /* without its dictionary */
  f = one_column("i", &indices, children, no_validity);
  f.column_count = 0;
  add_type(&f, "i", "c", "u");
  check_fails(&c, FASTIO_INVALID_ARGUMENT, 0, "c", "c\n");
  struct ArrowArrayStream released = {get_schema, get_next, last_error, NULL, &f};
  fastio_writer *writer = NULL;
  fastio_writer_memory(NULL, &writer, NULL);
  CHECK_STATUS(fastio_write_csv_stream(writer, &released, NULL, NULL, NULL), FASTIO_INVALID_ARGUMENT);
  fastio_writer_discard(writer);
}

int main(void) {
  values();
  bad_values();
  halves();
  all_halves();
  decimals();
  bools_and_nulls();
  texts();
  views();
  dictionaries();
  struct_offsets();
  no_rows_no_columns();
  batches();
  bad_streams();
  return check_report();
}
