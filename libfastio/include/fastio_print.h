/* fastio_print.h - typed values in a row, without format strings: print, println, concat, scan.
 *
 * Copyright (c) 2026 The libfastio authors. SPDX-License-Identifier: MIT
 *
 *   fastio_print(out, "x = ", x, ", y = ", fastio_fixed(y, 3), "\n");
 *   fastio_scan(in, &x, &y);
 *
 * Needs C11 (_Generic) or C++17, where the same names are templates. The chapters: values and how to write them,
 * printing, scanning; what makes it work comes last.
 */
#ifndef FASTIO_PRINT_H
#define FASTIO_PRINT_H

#include "fastio.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1. Values --------------------------------------------------------------------------------------------------- */

/* What may be printed: bool ("true"; note that C's `true` and comparisons are int), char (as a character; but in C 'x'
 * is an int: write "x"), integers, float, double, char * (text up to its NUL), fastio_bytes (text), void * ("0x1f"),
 * and what the makers and manipulators below return. Anything else does not compile: int *, structs, functions, and
 * long double, which would lose digits without a word (cast it to double). */
enum {
  FASTIO_VALUE_SIGNED,
  FASTIO_VALUE_UNSIGNED,
  FASTIO_VALUE_FLOAT,
  FASTIO_VALUE_DOUBLE,
  FASTIO_VALUE_ARRAY,
  FASTIO_VALUE_TEXT,
  FASTIO_VALUE_CHARACTER,
  FASTIO_VALUE_BOOL,
  FASTIO_VALUE_DATE,
  FASTIO_VALUE_TIME,
  FASTIO_VALUE_TIMESTAMP,
  FASTIO_VALUE_HEX_BYTES,
  FASTIO_VALUE_CUSTOM
};

/* Prints an object of the user's by any calls on the writer, fastio_print among them. */
typedef fastio_status fastio_print_function(fastio_writer *writer, const void *object, fastio_error *err);

/* A value and how it is to be written. It points to texts, items, objects and locales; copies nothing. */
typedef struct fastio_value {
  short kind;       /* FASTIO_VALUE_* */
  short type;       /* fastio_type of an array's items or of a timestamp */
  int is_formatted; /* whether `format` counts */
  uint64_t number;  /* the integer, the double's bits, the days; the size of a text, the count of items */
  const void *data; /* the text, the items, the object */
  union {
    const char *separator;           /* of an array */
    fastio_print_function *function; /* of a custom object */
  } with;
  fastio_format format;
} fastio_value;

/* Member by member, which compilers keep out of memory until all of it is known. */
static inline fastio_value fastio__value(int kind, fastio_type type, uint64_t number, const void *data) {
  fastio_value value;
  value.kind = (short)kind;
  value.type = (short)type;
  value.is_formatted = 0;
  value.number = number;
  value.data = data;
  value.with.separator = NULL;
  value.format.notation = FASTIO_SHORTEST;
  value.format.precision = value.format.base = 0;
  value.format.flags = value.format.width = 0;
  value.format.fill = 0;
  value.format.locale = NULL;
  return value;
}

/* Makers. Text of a size; bytes as hexadecimal digits; ISO 8601; an object with the function that prints it. */
static inline fastio_bytes fastio_text(const void *data, size_t size) {
  fastio_bytes bytes = {data, size};
  return bytes;
}
static inline fastio_value fastio_hex_bytes(const void *data, size_t size) {
  return fastio__value(FASTIO_VALUE_HEX_BYTES, (fastio_type)0, size, data);
}
static inline fastio_value fastio_date(int32_t days) {
  return fastio__value(FASTIO_VALUE_DATE, (fastio_type)0, (uint64_t)days, NULL);
}
static inline fastio_value fastio_time(int64_t nanoseconds) {
  return fastio__value(FASTIO_VALUE_TIME, (fastio_type)0, (uint64_t)nanoseconds, NULL);
}
static inline fastio_value fastio_timestamp(int64_t nanoseconds) {
  return fastio__value(FASTIO_VALUE_TIMESTAMP, FASTIO_TIMESTAMP, (uint64_t)nanoseconds, NULL);
}
static inline fastio_value fastio_timestamp_utc(int64_t nanoseconds) {
  return fastio__value(FASTIO_VALUE_TIMESTAMP, FASTIO_TIMESTAMP_UTC, (uint64_t)nanoseconds, NULL);
}
static inline fastio_value fastio_custom(const void *object, fastio_print_function *function) {
  fastio_value value = fastio__value(FASTIO_VALUE_CUSTOM, (fastio_type)0, 0, object);
  value.with.function = function;
  return value;
}
/* The `count` numbers (or bools) at `data`, a pointer to their type, with the text `separator` between them. */
#define fastio_array_of(data, count, separator) \
  fastio__value_array(data, FASTIO__ITEM_TYPE(data), count, separator)

/* Manipulators. Each takes a value, or what another manipulator returns: fastio_width(fastio_fixed(y, 3), 10). With an
 * array they work on every item. What does not concern the kind of value is not heeded. */

/* Floats: notation and precision, as in fastio_format. fastio_percent(0.125, 1) is "12.5%". */
#define fastio_fixed(x, precision) fastio__value_noted(FASTIO__FLOAT_OF(x), FASTIO_FIXED, precision, 0)
#define fastio_scientific(x, precision) fastio__value_noted(FASTIO__FLOAT_OF(x), FASTIO_SCIENTIFIC, precision, 0)
#define fastio_general(x, precision) fastio__value_noted(FASTIO__FLOAT_OF(x), FASTIO_GENERAL, precision, 0)
#define fastio_hexadecimal(x) fastio__value_noted(FASTIO__FLOAT_OF(x), FASTIO_HEXADECIMAL, FASTIO_AS_NEEDED, 0)
#define fastio_percent(x, precision) \
  fastio__value_noted(FASTIO__FLOAT_OF(x), FASTIO_FIXED, precision, FASTIO_FORMAT_PERCENT)
/* Integers: in base 16, or in base 2 to 36, sign and digits; with fastio_prefix "0x", "0o", "0b". */
#define fastio_hex(i) fastio__value_based(FASTIO__INTEGER_OF(i), 16)
#define fastio_base(i, base) fastio__value_based(FASTIO__INTEGER_OF(i), base)
#define fastio_prefix(i) fastio__value_flagged(FASTIO__INTEGER_OF(i), FASTIO_FORMAT_PREFIX)
/* Numbers: with '+'; with zeros behind the sign up to the width; in a locale's spelling (a pointer to it). */
#define fastio_plus(x) fastio__value_flagged(FASTIO__NUMBER_OF(x), FASTIO_FORMAT_PLUS)
#define fastio_zeros(x, width) fastio__value_wide(FASTIO__NUMBER_OF(x), width, FASTIO_FORMAT_INTERNAL)
#define fastio_localized(x, locale) fastio__value_localized(FASTIO__NUMBER_OF(x), locale)
/* Anything: in a field of at least `width` characters, numbers on its right and texts on its left, or where it is said;
 * filled with the ASCII character `c`; letters of numbers in upper case; in any fastio_format. */
#define fastio_width(x, width) fastio__value_wide(fastio_value_of(x), width, 0)
#define fastio_left(x, width) fastio__value_wide(fastio_value_of(x), width, FASTIO_FORMAT_LEFT)
#define fastio_center(x, width) fastio__value_wide(fastio_value_of(x), width, FASTIO_FORMAT_CENTER)
#define fastio_right(x, width) fastio__value_wide(fastio_value_of(x), width, FASTIO_FORMAT_RIGHT)
#define fastio_fill(x, c) fastio__value_filled(fastio_value_of(x), c)
#define fastio_upper(x) fastio__value_flagged(fastio_value_of(x), FASTIO_FORMAT_UPPER)
#define fastio_formatted(x, ...) fastio__value_formatted(fastio_value_of(x), __VA_ARGS__)

/* ---- 2. Printing ------------------------------------------------------------------------------------------------- */

/* These are macros (templates in C++) of up to 32 values, which are evaluated first, in no order:
 *
 *     fastio_status fastio_print(fastio_writer *out, ...);
 *     fastio_status fastio_println(fastio_writer *out, ...);                      and a newline behind the last
 *     fastio_status fastio_try_print(fastio_error *err, fastio_writer *out, ...); tells the details in *err
 *     fastio_status fastio_try_println(fastio_error *err, fastio_writer *out, ...);
 *     char *fastio_concat(...);
 *
 * A call is one record: it locks the writer once, so that records of several threads stay whole and an unbuffered
 * writer writes it at once. Arguments that are not valid (a width or precision out of bounds, a NULL text) are found
 * before anything is written. A failed write stays with the writer: fastio_writer_error, fastio_flush and
 * fastio_writer_close tell it too. err->field is the number, from 1, of the value that failed. fastio_concat returns
 * the same text in memory, with a NUL behind it, for the caller to free(); NULL: no memory, or a value that could not
 * be printed. */

/* What they call, for any number of values, each made with fastio_value_of(x). `env` (may be NULL) is where the text's
 * memory comes from. */
FASTIO_API fastio_status fastio_print_values(fastio_writer *writer, const fastio_value *values, size_t count,
                                             int newline, fastio_error *err);
FASTIO_API char *fastio_concat_values(const fastio_env *env, const fastio_value *values, size_t count);

/* ---- 3. Scanning ------------------------------------------------------------------------------------------------- */

/* Macros (templates in C++) of up to 32 places:
 *
 *     fastio_status fastio_scan(fastio_reader *in, ...);
 *     fastio_status fastio_try_scan(fastio_error *err, fastio_reader *in, ...);
 *
 * A place is a pointer to an integer, a float, a double or a bool (true or false, in any case), or one of those below.
 * Values are read as fastio_next_i64 and the others do, and must fit the type (FASTIO_OUT_OF_RANGE). Anything else does
 * not compile: char *, whose size is not known, and pointers to const. The result is FASTIO_OK or the first failure,
 * FASTIO_END at the end of the data. Then the places before it are filled, it and those behind are untouched, and its
 * token stays. err->field is the number, from 1, of the place that failed; with FASTIO_END and 1 the data ended between
 * two calls. */
typedef fastio_status fastio_scan_function(fastio_reader *reader, void *object, fastio_error *err);

enum {
  FASTIO_TARGET_VALUE,
  FASTIO_TARGET_TOKEN,
  FASTIO_TARGET_LINE,
  FASTIO_TARGET_EXPECTED,
  FASTIO_TARGET_CUSTOM
};
typedef struct fastio_target {
  int kind;         /* FASTIO_TARGET_* */
  fastio_type type; /* of a value */
  void *place;
  size_t capacity;
  const char *text;
  fastio_scan_function *function;
} fastio_target;

/* The next token or the rest of the line (without its end), and a NUL, into `capacity` bytes. One that is longer stays,
 * as FASTIO_OUT_OF_RANGE. */
static inline fastio_target fastio_token_into(char *data, size_t capacity) {
  fastio_target target = {FASTIO_TARGET_TOKEN, FASTIO_STRING, data, capacity, NULL, NULL};
  return target;
}
static inline fastio_target fastio_line_into(char *data, size_t capacity) {
  fastio_target target = {FASTIO_TARGET_LINE, FASTIO_STRING, data, capacity, NULL, NULL};
  return target;
}
/* Tokens in ISO 8601; a timestamp with a zone is brought to UTC. */
static inline fastio_target fastio_date_into(int32_t *days) {
  fastio_target target = {FASTIO_TARGET_VALUE, FASTIO_DATE, days, 0, NULL, NULL};
  return target;
}
static inline fastio_target fastio_time_into(int64_t *nanoseconds) {
  fastio_target target = {FASTIO_TARGET_VALUE, FASTIO_TIME, nanoseconds, 0, NULL, NULL};
  return target;
}
static inline fastio_target fastio_timestamp_into(int64_t *nanoseconds) {
  fastio_target target = {FASTIO_TARGET_VALUE, FASTIO_TIMESTAMP, nanoseconds, 0, NULL, NULL};
  return target;
}
/* Exactly this text, as fastio_expect: white space before it is skipped; else FASTIO_MISMATCH. */
static inline fastio_target fastio_expected(const char *text) {
  fastio_target target = {FASTIO_TARGET_EXPECTED, FASTIO_STRING, NULL, 0, text, NULL};
  return target;
}
/* An object of the user's. The function reads it by any calls on the reader; what is no such object it reports with
 * fastio_reader_fail. What it has read before it fails is read. */
static inline fastio_target fastio_scan_custom(void *object, fastio_scan_function *function) {
  fastio_target target = {FASTIO_TARGET_CUSTOM, FASTIO_BINARY, object, 0, NULL, function};
  return target;
}

FASTIO_API fastio_status fastio_scan_targets(fastio_reader *reader, const fastio_target *targets, size_t count,
                                             fastio_error *err);

/* ---- 4. How it works --------------------------------------------------------------------------------------------- */

/* The arguments of a call become an array of values, made by a function for each type. */
static inline fastio_value fastio__value_itself(fastio_value value) { return value; }
static inline fastio_value fastio__value_signed(int64_t x) {
  return fastio__value(FASTIO_VALUE_SIGNED, (fastio_type)0, (uint64_t)x, NULL);
}
static inline fastio_value fastio__value_unsigned(uint64_t x) {
  return fastio__value(FASTIO_VALUE_UNSIGNED, (fastio_type)0, (uint64_t)x, NULL);
}
static inline uint64_t fastio__bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline fastio_value fastio__value_float(float x) {
  return fastio__value(FASTIO_VALUE_FLOAT, (fastio_type)0, fastio__bits((double)x), NULL);
}
static inline fastio_value fastio__value_double(double x) {
  return fastio__value(FASTIO_VALUE_DOUBLE, (fastio_type)0, fastio__bits(x), NULL);
}
static inline fastio_value fastio__value_bool(int x) {
  return fastio__value(FASTIO_VALUE_BOOL, (fastio_type)0, (uint64_t)x, NULL);
}
static inline fastio_value fastio__value_character(char x) {
  return fastio__value(FASTIO_VALUE_CHARACTER, (fastio_type)0, (unsigned char)x, NULL);
}
static inline fastio_value fastio__value_bytes(fastio_bytes x) {
  return fastio__value(FASTIO_VALUE_TEXT, (fastio_type)0, x.size, x.data);
}
/* NULL becomes a size without data, which printing refuses. */
static inline fastio_value fastio__value_text(const char *x) {
  return fastio__value(FASTIO_VALUE_TEXT, (fastio_type)0, x ? strlen(x) : 1, x);
}
static inline fastio_value fastio__value_array(const void *data, fastio_type type, size_t count,
                                               const char *separator) {
  fastio_value value = fastio__value(FASTIO_VALUE_ARRAY, type, count, data);
  value.with.separator = separator;
  return value;
}

static inline fastio_value fastio__value_flagged(fastio_value value, unsigned flags) {
  value.is_formatted = 1;
  value.format.flags |= flags;
  return value;
}
static inline fastio_value fastio__value_noted(fastio_value value, int notation, int precision, unsigned flags) {
  value.format.notation = notation;
  value.format.precision = precision;
  return fastio__value_flagged(value, flags);
}
static inline fastio_value fastio__value_based(fastio_value value, int base) {
  value.format.base = base ? base : 1; /* 0 would be taken for "not said" */
  return fastio__value_flagged(value, 0);
}
static inline fastio_value fastio__value_pointer(const void *x) {
  return fastio__value_flagged(fastio__value_based(fastio__value_unsigned((uint64_t)(uintptr_t)x), 16),
                               FASTIO_FORMAT_PREFIX);
}
static inline fastio_value fastio__value_wide(fastio_value value, int width, unsigned place) {
  const unsigned places = FASTIO_FORMAT_LEFT | FASTIO_FORMAT_CENTER | FASTIO_FORMAT_RIGHT | FASTIO_FORMAT_INTERNAL;
  value.format.width = (unsigned)width; /* a negative one is refused as too large */
  value.format.flags &= ~places;
  return fastio__value_flagged(value, place);
}
static inline fastio_value fastio__value_filled(fastio_value value, char fill) {
  value.format.fill = fill;
  return fastio__value_flagged(value, 0);
}
static inline fastio_value fastio__value_localized(fastio_value value, const fastio_locale *locale) {
  value.format.locale = locale;
  return fastio__value_flagged(value, 0);
}
static inline fastio_value fastio__value_formatted(fastio_value value, fastio_format format) {
  value.format = format;
  return fastio__value_flagged(value, 0);
}

/* The type of an integer of C by its size, which is not the same everywhere. */
#define FASTIO__SIGNED_TYPE(type) \
  (sizeof(type) == 1   ? FASTIO_INT8 \
   : sizeof(type) == 2 ? FASTIO_INT16 \
   : sizeof(type) == 4 ? FASTIO_INT32 \
                       : FASTIO_INT64)
#define FASTIO__UNSIGNED_TYPE(type) \
  (sizeof(type) == 1   ? FASTIO_UINT8 \
   : sizeof(type) == 2 ? FASTIO_UINT16 \
   : sizeof(type) == 4 ? FASTIO_UINT32 \
                       : FASTIO_UINT64)

static inline fastio_target fastio__target_itself(fastio_target target) { return target; }
static inline fastio_target fastio__target_value(void *place, fastio_type type) {
  fastio_target target = {FASTIO_TARGET_VALUE, type, place, 0, NULL, NULL};
  return target;
}

#ifdef __cplusplus
} /* extern "C" */
#  if __cplusplus >= 201703L || (defined(_MSVC_LANG) && _MSVC_LANG >= 201703L)
#    include <string>
#    include <string_view>
#    include <type_traits>

namespace fastio_detail {
template <class T> constexpr bool none = false;
template <class T, class... U> constexpr bool is_one_of = (std::is_same_v<T, U> || ...);
template <class T>
constexpr bool is_integer = is_one_of<T, signed char, short, int, long, long long, unsigned char, unsigned short,
                                      unsigned, unsigned long, unsigned long long>;
template <class T> constexpr bool is_float = is_one_of<T, float, double>;
template <class T> constexpr bool is_number = is_integer<T> || is_float<T> || std::is_same_v<T, fastio_value>;

template <class T> constexpr fastio_type type_of() {
  if constexpr (std::is_same_v<T, bool>) return FASTIO_BOOL;
  else if constexpr (std::is_same_v<T, float>) return FASTIO_FLOAT32;
  else if constexpr (std::is_same_v<T, double>) return FASTIO_FLOAT64;
  else if constexpr (is_integer<T> && std::is_signed_v<T>) return FASTIO__SIGNED_TYPE(T);
  else if constexpr (is_integer<T>) return FASTIO__UNSIGNED_TYPE(T);
  else static_assert(none<T>, "neither a number nor a bool");
}
template <class T> fastio_value number(const T &x) {
  if constexpr (std::is_same_v<T, fastio_value>) return x;
  else if constexpr (std::is_same_v<T, float>) return fastio__value_float(x);
  else if constexpr (std::is_same_v<T, double>) return fastio__value_double(x);
  else if constexpr (is_integer<T> && std::is_signed_v<T>) return fastio__value_signed(x);
  else if constexpr (is_integer<T>) return fastio__value_unsigned(x);
  else static_assert(none<T>, "not a number that fastio can print");
}
template <class T> fastio_value integer(const T &x) {
  static_assert(is_integer<T> || std::is_same_v<T, fastio_value>, "not an integer");
  return number(x);
}
template <class T> fastio_value real(const T &x) {
  static_assert(is_float<T> || std::is_same_v<T, fastio_value>, "not a float or double");
  return number(x);
}
} // namespace fastio_detail

template <class T> fastio_value fastio_value_of(const T &x) {
  using namespace fastio_detail;
  if constexpr (std::is_volatile_v<T>) return fastio_value_of(static_cast<std::remove_volatile_t<T>>(x));
  else if constexpr (is_number<T>) return number(x);
  else if constexpr (std::is_same_v<T, bool>) return fastio__value_bool(x);
  else if constexpr (std::is_same_v<T, char>) return fastio__value_character(x);
  else if constexpr (std::is_same_v<T, fastio_bytes>) return fastio__value_bytes(x);
  else if constexpr (is_one_of<std::decay_t<T>, char *, const char *>) return fastio__value_text(x);
  else if constexpr (is_one_of<T, std::string, std::string_view>)
    return fastio__value_bytes(fastio_text(x.data(), x.size()));
  else if constexpr (is_one_of<T, void *, const void *>) return fastio__value_pointer(x);
  else if constexpr (std::is_enum_v<T> && std::is_convertible_v<T, long long>)
    return number(static_cast<std::underlying_type_t<T>>(x));
  else static_assert(none<T>, "not a type that fastio can print");
}
template <class T> fastio_target fastio_target_of(T *place) {
  static_assert(!std::is_const_v<T>, "nothing can be read into a constant");
  return fastio__target_value(place, fastio_detail::type_of<T>());
}
inline fastio_target fastio_target_of(fastio_target target) { return target; }

#    define FASTIO__INTEGER_OF(x) fastio_detail::integer(x)
#    define FASTIO__FLOAT_OF(x) fastio_detail::real(x)
#    define FASTIO__NUMBER_OF(x) fastio_detail::number(x)
#    define FASTIO__ITEM_TYPE(data) fastio_detail::type_of<std::decay_t<decltype(*(data))>>()

template <class... T> fastio_status fastio_try_print(fastio_error *err, fastio_writer *out, const T &...x) {
  const fastio_value values[] = {fastio_value_of(x)..., fastio__value_text("")};
  return fastio_print_values(out, values, sizeof...(T), 0, err);
}
template <class... T> fastio_status fastio_try_println(fastio_error *err, fastio_writer *out, const T &...x) {
  const fastio_value values[] = {fastio_value_of(x)..., fastio__value_text("")};
  return fastio_print_values(out, values, sizeof...(T), 1, err);
}
template <class... T> fastio_status fastio_print(fastio_writer *out, const T &...x) {
  return fastio_try_print(nullptr, out, x...);
}
template <class... T> fastio_status fastio_println(fastio_writer *out, const T &...x) {
  return fastio_try_println(nullptr, out, x...);
}
template <class... T> char *fastio_concat(const T &...x) {
  const fastio_value values[] = {fastio_value_of(x)..., fastio__value_text("")};
  return fastio_concat_values(nullptr, values, sizeof...(T));
}
template <class... T> fastio_status fastio_try_scan(fastio_error *err, fastio_reader *in, T... place) {
  const fastio_target targets[] = {fastio_target_of(place)...};
  return fastio_scan_targets(in, targets, sizeof...(T), err);
}
template <class... T> fastio_status fastio_scan(fastio_reader *in, T... place) {
  return fastio_try_scan(nullptr, in, place...);
}
#  endif
#elif __STDC_VERSION__ >= 201112L

#  define FASTIO__TARGET(name, ctype, type) \
    static inline fastio_target fastio__target_##name(ctype *place) { return fastio__target_value(place, type); }
FASTIO__TARGET(bool, _Bool, FASTIO_BOOL)
FASTIO__TARGET(schar, signed char, FASTIO_INT8)
FASTIO__TARGET(short, short, FASTIO__SIGNED_TYPE(short))
FASTIO__TARGET(int, int, FASTIO__SIGNED_TYPE(int))
FASTIO__TARGET(long, long, FASTIO__SIGNED_TYPE(long))
FASTIO__TARGET(llong, long long, FASTIO__SIGNED_TYPE(long long))
FASTIO__TARGET(uchar, unsigned char, FASTIO_UINT8)
FASTIO__TARGET(ushort, unsigned short, FASTIO__UNSIGNED_TYPE(unsigned short))
FASTIO__TARGET(uint, unsigned, FASTIO__UNSIGNED_TYPE(unsigned))
FASTIO__TARGET(ulong, unsigned long, FASTIO__UNSIGNED_TYPE(unsigned long))
FASTIO__TARGET(ullong, unsigned long long, FASTIO__UNSIGNED_TYPE(unsigned long long))
FASTIO__TARGET(float, float, FASTIO_FLOAT32)
FASTIO__TARGET(double, double, FASTIO_FLOAT64)
#  undef FASTIO__TARGET

#  define FASTIO__INTEGERS \
    signed char: fastio__value_signed, short: fastio__value_signed, int: fastio__value_signed, \
    long: fastio__value_signed, long long: fastio__value_signed, unsigned char: fastio__value_unsigned, \
    unsigned short: fastio__value_unsigned, unsigned: fastio__value_unsigned, \
    unsigned long: fastio__value_unsigned, unsigned long long: fastio__value_unsigned, \
    fastio_value: fastio__value_itself
#  define FASTIO__FLOATS float: fastio__value_float, double: fastio__value_double
#  define FASTIO__INTEGER_OF(x) _Generic((x), FASTIO__INTEGERS)(x)
#  define FASTIO__FLOAT_OF(x) _Generic((x), FASTIO__FLOATS, fastio_value: fastio__value_itself)(x)
#  define FASTIO__NUMBER_OF(x) _Generic((x), FASTIO__INTEGERS, FASTIO__FLOATS)(x)
#  define fastio_value_of(x) \
    _Generic((x), FASTIO__INTEGERS, FASTIO__FLOATS, _Bool: fastio__value_bool, char: fastio__value_character, \
             char *: fastio__value_text, const char *: fastio__value_text, fastio_bytes: fastio__value_bytes, \
             void *: fastio__value_pointer, const void *: fastio__value_pointer)(x)
#  define fastio_target_of(x) \
    _Generic((x), _Bool *: fastio__target_bool, signed char *: fastio__target_schar, short *: fastio__target_short, \
             int *: fastio__target_int, long *: fastio__target_long, long long *: fastio__target_llong, \
             unsigned char *: fastio__target_uchar, unsigned short *: fastio__target_ushort, \
             unsigned *: fastio__target_uint, unsigned long *: fastio__target_ulong, \
             unsigned long long *: fastio__target_ullong, float *: fastio__target_float, \
             double *: fastio__target_double, fastio_target: fastio__target_itself)(x)
#  define FASTIO__ITEM_TYPE(data) \
    _Generic(*(data), _Bool: FASTIO_BOOL, signed char: FASTIO_INT8, short: FASTIO__SIGNED_TYPE(short), \
             int: FASTIO__SIGNED_TYPE(int), long: FASTIO__SIGNED_TYPE(long), \
             long long: FASTIO__SIGNED_TYPE(long long), unsigned char: FASTIO_UINT8, \
             unsigned short: FASTIO__UNSIGNED_TYPE(unsigned short), unsigned: FASTIO__UNSIGNED_TYPE(unsigned), \
             unsigned long: FASTIO__UNSIGNED_TYPE(unsigned long), \
             unsigned long long: FASTIO__UNSIGNED_TYPE(unsigned long long), float: FASTIO_FLOAT32, \
             double: FASTIO_FLOAT64)

#  define fastio_print(...) fastio_try_print(NULL, __VA_ARGS__)
#  define fastio_println(...) fastio_try_println(NULL, __VA_ARGS__)
#  define fastio_try_print(err, ...) FASTIO__PRINT(0, err, __VA_ARGS__)
#  define fastio_try_println(err, ...) FASTIO__PRINT(1, err, __VA_ARGS__)
#  define FASTIO__PRINT(newline, err, ...) \
    fastio_print_values(FASTIO__FIRST(__VA_ARGS__, 0), \
                        (const fastio_value[]){FASTIO__EACH(fastio_value_of, __VA_ARGS__)}, \
                        FASTIO__COUNT(__VA_ARGS__), newline, err)
#  define fastio_concat(...) \
    fastio_concat_values(NULL, (const fastio_value[]){FASTIO__EACH(fastio_value_of, 0, __VA_ARGS__)}, \
                         FASTIO__COUNT(0, __VA_ARGS__))
#  define fastio_scan(...) fastio_try_scan(NULL, __VA_ARGS__)
#  define fastio_try_scan(err, ...) \
    fastio_scan_targets(FASTIO__FIRST(__VA_ARGS__, 0), \
                        (const fastio_target[]){FASTIO__EACH(fastio_target_of, __VA_ARGS__)}, \
                        FASTIO__COUNT(__VA_ARGS__), err)

#  define FASTIO__FIRST(first, ...) first
/* How many arguments follow the first one; more than 32 are that name, which nobody declares. */
#  define FASTIO__COUNT(...) \
    FASTIO__COUNT_(__VA_ARGS__, FASTIO__MANY(fastio_takes_at_most_32_arguments), 32, 31, 30, 29, 28, 27, 26, 25, 24, \
                   23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0)
#  define FASTIO__MANY(m) m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m
#  define FASTIO__COUNT_(...) FASTIO__PICK(__VA_ARGS__)
#  define FASTIO__PICK(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, \
                       a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, \
                       a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, \
                       a56, a57, a58, a59, a60, a61, a62, a63, count, ...) \
    count
/* f(y) of each argument y that follows the first one, with commas between them. */
#  define FASTIO__EACH(f, ...) FASTIO__JOIN(FASTIO__EACH_, FASTIO__COUNT(__VA_ARGS__))(f, __VA_ARGS__)
#  define FASTIO__JOIN(a, b) FASTIO__JOIN_(a, b)
#  define FASTIO__JOIN_(a, b) a##b
#  define FASTIO__EACH_fastio_takes_at_most_32_arguments(f, ...) {0}
#  define FASTIO__EACH_0(f, x) f("")
#  define FASTIO__EACH_1(f, x, a) f(a)
#  define FASTIO__EACH_2(f, x, a, b) f(a), f(b)
#  define FASTIO__EACH_3(f, x, a, b, c) f(a), f(b), f(c)
#  define FASTIO__EACH_4(f, x, a, b, c, d) f(a), f(b), f(c), f(d)
#  define FASTIO__EACH_5(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_1(f, x, __VA_ARGS__)
#  define FASTIO__EACH_6(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_2(f, x, __VA_ARGS__)
#  define FASTIO__EACH_7(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_3(f, x, __VA_ARGS__)
#  define FASTIO__EACH_8(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_4(f, x, __VA_ARGS__)
#  define FASTIO__EACH_9(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_5(f, x, __VA_ARGS__)
#  define FASTIO__EACH_10(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_6(f, x, __VA_ARGS__)
#  define FASTIO__EACH_11(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_7(f, x, __VA_ARGS__)
#  define FASTIO__EACH_12(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_8(f, x, __VA_ARGS__)
#  define FASTIO__EACH_13(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_9(f, x, __VA_ARGS__)
#  define FASTIO__EACH_14(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_10(f, x, __VA_ARGS__)
#  define FASTIO__EACH_15(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_11(f, x, __VA_ARGS__)
#  define FASTIO__EACH_16(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_12(f, x, __VA_ARGS__)
#  define FASTIO__EACH_17(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_13(f, x, __VA_ARGS__)
#  define FASTIO__EACH_18(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_14(f, x, __VA_ARGS__)
#  define FASTIO__EACH_19(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_15(f, x, __VA_ARGS__)
#  define FASTIO__EACH_20(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_16(f, x, __VA_ARGS__)
#  define FASTIO__EACH_21(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_17(f, x, __VA_ARGS__)
#  define FASTIO__EACH_22(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_18(f, x, __VA_ARGS__)
#  define FASTIO__EACH_23(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_19(f, x, __VA_ARGS__)
#  define FASTIO__EACH_24(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_20(f, x, __VA_ARGS__)
#  define FASTIO__EACH_25(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_21(f, x, __VA_ARGS__)
#  define FASTIO__EACH_26(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_22(f, x, __VA_ARGS__)
#  define FASTIO__EACH_27(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_23(f, x, __VA_ARGS__)
#  define FASTIO__EACH_28(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_24(f, x, __VA_ARGS__)
#  define FASTIO__EACH_29(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_25(f, x, __VA_ARGS__)
#  define FASTIO__EACH_30(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_26(f, x, __VA_ARGS__)
#  define FASTIO__EACH_31(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_27(f, x, __VA_ARGS__)
#  define FASTIO__EACH_32(f, x, a, b, c, d, ...) f(a), f(b), f(c), f(d), FASTIO__EACH_28(f, x, __VA_ARGS__)
#endif

#endif /* FASTIO_PRINT_H */
