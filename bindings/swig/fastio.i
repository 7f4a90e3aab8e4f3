/* What every language needs and nothing owns: single numbers, build and processor. Whatever has a lifetime or takes a source is
 * written by hand for Python and Lua; a name lives in one place only.
 *
 * This file knows no language. A language's own file, 20 to 60 lines, says how these few types cross over:
 *
 *     (const void *data, size_t size)   bytes in, held during the call
 *     whole                             an exact integer from -2^63 to 2^64 - 1, in and out
 *     int64_t                           an integer that every language holds
 *     moment                            two results out: such an integer, and whether there was a zone
 *     text                              a short ASCII string out
 *     hex                               bytes that are held yet, whose digits are an ASCII string out
 *     names                             a list of strings out
 *     truth                             true or false out
 *     converted                         bytes out: a column, which goes
 *     fastio_type dtype                 the name of a type in, or nothing
 *     int has_zone                      true or false in
 *     int upper                         the same, as an option
 *     const char *name, from_, to       a string in, or nothing
 *     const char *errors                the same, as an option
 *     int held                          what to do with an integer that the language can't hold; 0, C doesn't ask
 *     fastio_error *err                 no parameter there; an error if its status is not FASTIO_OK (errors.i)
 */
#ifdef SWIGPYTHON
%module(package="fastio") _swig
#else
%module fastio_swig
#endif

%{
#include <string.h>

#include "fastio.h"

typedef struct whole {
  uint64_t bits; /* two's complement if negative */
  int is_negative;
} whole;

static whole whole_of_i64(int64_t value) {
  whole result = {(uint64_t)value, value < 0};
  return result;
}

static whole whole_of_u64(uint64_t value) {
  whole result = {value, 0};
  return result;
}

typedef struct moment {
  int64_t nanoseconds;
  int has_zone;
} moment;

typedef struct text {
  size_t size;
  char data[FASTIO_FORMAT_MAX];
} text;

typedef struct hex { /* what fastio_format_hex is to write into memory of the language's */
  const void *data;
  size_t size;
  int upper;
} hex;

typedef const char *(*names)(size_t index); /* NULL past the last */

typedef int truth;

typedef struct converted {
  fastio_column *column; /* NULL: a failure */
} converted;
%}

typedef struct fastio_error fastio_error;
%include <stdint.i>
%include "errors.i"
#if defined(SWIGPYTHON)
%include "python.i"
#elif defined(SWIGLUA)
%include "lua.i"
#else
#error "bindings/swig has no file for this language yet"
#endif

%{
static void refuse(fastio_error *err, fastio_status status, const char *message) {
  fastio_error_init(err);
  err->status = status;
  err->message = message;
}

/* ---- the functions below, as C sees them ---- */

#define PARSE_SIGNED(name, ctype)                                       \
  static whole parse_##name(const void *data, size_t size, int base, fastio_error *err) { \
    ctype value = 0;                                                    \
    fastio_parse_##name(data, size, base, &value, err);                 \
    return whole_of_i64(value);                                         \
  }
#define PARSE_UNSIGNED(name, ctype)                                     \
  static whole parse_##name(const void *data, size_t size, int base, fastio_error *err) { \
    ctype value = 0;                                                    \
    fastio_parse_##name(data, size, base, &value, err);                 \
    return whole_of_u64(value);                                         \
  }
PARSE_SIGNED(i8, int8_t)
PARSE_SIGNED(i16, int16_t)
PARSE_SIGNED(i32, int32_t)
PARSE_SIGNED(i64, int64_t)
PARSE_UNSIGNED(u8, uint8_t)
PARSE_UNSIGNED(u16, uint16_t)
PARSE_UNSIGNED(u32, uint32_t)
PARSE_UNSIGNED(u64, uint64_t)

/* The type that holds it: int64, else uint64. A failure of either is the failure of both. */
static whole parse_any(const void *data, size_t size, int base, fastio_error *err) {
  whole value = parse_i64(data, size, base, err);
  if (err->status != FASTIO_OUT_OF_RANGE) return value;
  fastio_error_init(err);
  return parse_u64(data, size, base, err);
}

static whole parse_int(const void *data, size_t size, int base, fastio_type dtype, fastio_error *err) {
  switch (dtype) {
    case 0: return parse_any(data, size, base, err);
    case FASTIO_INT8: return parse_i8(data, size, base, err);
    case FASTIO_INT16: return parse_i16(data, size, base, err);
    case FASTIO_INT32: return parse_i32(data, size, base, err);
    case FASTIO_INT64: return parse_i64(data, size, base, err);
    case FASTIO_UINT8: return parse_u8(data, size, base, err);
    case FASTIO_UINT16: return parse_u16(data, size, base, err);
    case FASTIO_UINT32: return parse_u32(data, size, base, err);
    case FASTIO_UINT64: return parse_u64(data, size, base, err);
    default: refuse(err, FASTIO_INVALID_ARGUMENT, "dtype is not an integer type");
  }
  return whole_of_i64(0);
}

static double parse_float(const void *data, size_t size, fastio_type dtype, fastio_error *err) {
  double value = 0;
  float narrow = 0;
  if (dtype == 0 || dtype == FASTIO_FLOAT64) {
    fastio_parse_f64(data, size, &value, err);
  } else if (dtype == FASTIO_FLOAT32) {
    fastio_parse_f32(data, size, &narrow, err);
    value = narrow;
  } else {
    refuse(err, FASTIO_INVALID_ARGUMENT, "dtype is not a float type");
  }
  return value;
}

static text format_int(whole value, int base, fastio_error *err) {
  text result;
  result.size = value.is_negative ? fastio_format_i64((int64_t)value.bits, base, result.data)
                                  : fastio_format_u64(value.bits, base, result.data);
  if (result.size == 0) refuse(err, FASTIO_INVALID_ARGUMENT, "base must be 2 to 36");
  return result;
}

static text format_float(double value, fastio_type dtype, fastio_error *err) {
  text result = {0};
  if (dtype == 0 || dtype == FASTIO_FLOAT64) {
    result.size = fastio_format_f64(value, result.data);
  } else if (dtype == FASTIO_FLOAT32) {
    result.size = fastio_format_f32((float)value, result.data);
  } else {
    refuse(err, FASTIO_INVALID_ARGUMENT, "dtype is not a float type");
  }
  return result;
}

static int64_t parse_date(const void *data, size_t size, fastio_error *err) {
  int32_t days = 0;
  fastio_parse_date(data, size, &days, err);
  return days;
}

static int64_t parse_time(const void *data, size_t size, fastio_error *err) {
  int64_t nanoseconds = 0;
  fastio_parse_time(data, size, &nanoseconds, err);
  return nanoseconds;
}

static moment parse_timestamp(const void *data, size_t size, int held, fastio_error *err) {
  moment result = {0, 0};
  (void)held;
  fastio_parse_timestamp(data, size, &result.nanoseconds, &result.has_zone, err);
  return result;
}

static int fits_i64(whole value) { return value.is_negative || value.bits <= INT64_MAX; }

static text format_date(whole days, fastio_error *err) {
  text result = {0};
  const int64_t value = (int64_t)days.bits;
  if (fits_i64(days) && value >= INT32_MIN && value <= INT32_MAX)
    result.size = fastio_format_date((int32_t)value, result.data);
  if (result.size == 0) refuse(err, FASTIO_INVALID_ARGUMENT, "days must be those of the years 1 to 9999");
  return result;
}

static text format_time(whole nanoseconds, fastio_error *err) {
  text result = {0};
  if (fits_i64(nanoseconds)) result.size = fastio_format_time((int64_t)nanoseconds.bits, result.data);
  if (result.size == 0) refuse(err, FASTIO_INVALID_ARGUMENT, "nanoseconds must be those of one day");
  return result;
}

static text format_timestamp(whole nanoseconds, int has_zone, fastio_error *err) {
  text result = {0};
  const fastio_type type = has_zone ? FASTIO_TIMESTAMP_UTC : FASTIO_TIMESTAMP;
  if (fits_i64(nanoseconds)) result.size = fastio_format_timestamp((int64_t)nanoseconds.bits, type, result.data);
  else refuse(err, FASTIO_INVALID_ARGUMENT, "nanoseconds must be from -2**63 to 2**63 - 1");
  return result;
}

static hex format_hex(const void *data, size_t size, int upper) {
  hex result = {data, size, upper};
  return result;
}

/* FASTIO_ERRORS_*, or -1, which C refuses. */
static int errors_of(const char *word) {
  static const char *const words[] = {"strict", "replace", "skip"};
  for (int i = 0; word != NULL && i < 3; i++)
    if (strcmp(word, words[i]) == 0) return i;
  return -1;
}

static converted transcode(const void *data, size_t size, const char *from_, const char *to, const char *errors,
                           fastio_error *err) {
  converted result = {NULL};
  fastio_transcode(data, size, from_, to, errors_of(errors), NULL, &result.column, NULL, err);
  return result;
}

static truth validate_utf8(const void *data, size_t size) { return fastio_utf8_valid(data, size) == size; }

static int64_t utf8_valid(const void *data, size_t size) { return (int64_t)fastio_utf8_valid(data, size); }

static int64_t count_utf8(const void *data, size_t size, fastio_error *err) {
  const size_t valid = fastio_utf8_valid(data, size);
  if (valid == size) return (int64_t)fastio_utf8_count(data, size);
  refuse(err, FASTIO_BAD_ENCODING, "bytes are not valid UTF-8");
  err->offset = valid;
  err->text_size = size - valid < 4 ? size - valid : 4;
  memcpy(err->text, (const char *)data + valid, err->text_size);
  return 0;
}

static names compression_names(void) { return fastio_compression_name; }

static names cpu_names(void) { return fastio_cpu_name; }

static void cpu_select(const char *name, fastio_error *err) {
  fastio_status status = fastio_cpu_select(name);
  if (status != FASTIO_OK) refuse(err, status, "this machine or build has no kernels of that name");
}
%}

/* DOCUMENT(C function, its signature in Python, what it does): each language makes of it what it can. */
DOCUMENT(parse_int, "parse_int(data, base=10, dtype=None)",
  "The integer that the whole of data is: an optional sign and digits in base 2 to 36, no blanks, no prefix.\n\n"
  "dtype names the type that it must fit; without one that is int64, or else uint64.");
whole parse_int(const void *data, size_t size, int base = 10, fastio_type dtype = 0, fastio_error *err);

DOCUMENT(parse_float, "parse_float(data, dtype=None)",
  "The float that the whole of data is, correctly rounded: digits with at most one point and an exponent, or inf,\n"
  "infinity, nan in any case. dtype='float32' rounds once, straight to that.");
double parse_float(const void *data, size_t size, fastio_type dtype = 0, fastio_error *err);

DOCUMENT(format_int, "format_int(value, base=10)", "The digits of an integer from -2**63 to 2**64 - 1 in base 2 to 36.");
text format_int(whole value, int base = 10, fastio_error *err);

DOCUMENT(format_float, "format_float(value, dtype=None)",
  "The shortest digits that read back as the same value: as a float64, or with dtype='float32' as a float32.");
text format_float(double value, fastio_type dtype = 0, fastio_error *err);

DOCUMENT(parse_date, "parse_date(data)",
  "The days since 1970-01-01 of the date that the whole of data is, such as '2024-02-29'.");
int64_t parse_date(const void *data, size_t size, fastio_error *err);

DOCUMENT(parse_time, "parse_time(data)",
  "The nanoseconds since midnight of the time of day that the whole of data is: '23:59', '23:59:59', or with up to 9\n"
  "decimals.");
int64_t parse_time(const void *data, size_t size, fastio_error *err);

DOCUMENT(parse_timestamp, "parse_timestamp(data)",
  "The nanoseconds since 1970-01-01 of the ISO 8601 or RFC 3339 timestamp that the whole of data is, and whether it\n"
  "has a zone: then they are in UTC, else those of a clock without one.");
moment parse_timestamp(const void *data, size_t size, int held = 0, fastio_error *err);

DOCUMENT(format_date, "format_date(days)", "The date so many days after 1970-01-01, years 1 to 9999, as ISO 8601 has it.");
text format_date(whole days, fastio_error *err);

DOCUMENT(format_time, "format_time(nanoseconds)",
  "The time of day so long after midnight, with 3, 6 or 9 decimals if it takes them.");
text format_time(whole nanoseconds, fastio_error *err);

DOCUMENT(format_timestamp, "format_timestamp(nanoseconds, has_zone=False)",
  "The timestamp so long after 1970-01-01, with 3, 6 or 9 decimals if it takes them; in UTC, with a Z, if has_zone.");
text format_timestamp(whole nanoseconds, int has_zone = 0, fastio_error *err);

DOCUMENT(format_hex, "format_hex(data, upper=False)", "Two hexadecimal digits for each byte of data, in lower case unless upper.");
hex format_hex(const void *data, size_t size, int upper = 0);

DOCUMENT(transcode, "transcode(data, from_, to='utf-8', errors='strict')",
  "The bytes of data, converted from one encoding to another. What can't be converted is an error, or with\n"
  "errors='replace' U+FFFD or a question mark, or with 'skip' left out.");
converted transcode(const void *data, size_t size, const char *from_, const char *to = "utf-8",
                    const char *errors = "strict", fastio_error *err);

DOCUMENT(validate_utf8, "validate_utf8(data)", "Whether all of data is well-formed UTF-8.");
truth validate_utf8(const void *data, size_t size);

DOCUMENT(utf8_valid, "utf8_valid(data)", "The length of the longest prefix of data that is well-formed UTF-8.");
int64_t utf8_valid(const void *data, size_t size);

DOCUMENT(count_utf8, "count_utf8(data)", "How many code points there are in UTF-8.");
int64_t count_utf8(const void *data, size_t size, fastio_error *err);

%rename(encoding_name) fastio_encoding_name;
DOCUMENT(fastio_encoding_name, "encoding_name(name)",
  "The usual name of an encoding, such as 'UTF-16LE' for 'utf_16le'; None if it is not known here.");
const char *fastio_encoding_name(const char *name);

DOCUMENT(compression_names, "compression_names()", "The compressions that this build reads and writes.");
names compression_names(void);

%rename(version) fastio_version;
DOCUMENT(fastio_version, "version()", "The version of the C library, such as '1.2.3'.");
const char *fastio_version(void);

%rename(build_info) fastio_build_info;
DOCUMENT(fastio_build_info, "build_info()", "One line: version, compiler, kernels and libraries built in.");
const char *fastio_build_info(void);

DOCUMENT(cpu_names, "cpu_names()", "The names that cpu_select takes here, slowest first.");
names cpu_names(void);

%rename(cpu_selected) fastio_cpu_selected;
DOCUMENT(fastio_cpu_selected, "cpu_selected()", "The name of the kernels in use.");
const char *fastio_cpu_selected(void);

DOCUMENT(cpu_select, "cpu_select(name)",
  "Use the named kernels from now on in the whole process; 'auto' or None returns to the best. Results never differ.");
void cpu_select(const char *name, fastio_error *err);
