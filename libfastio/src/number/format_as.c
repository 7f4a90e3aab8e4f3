/* Single values in a given format. A number is first taken apart: its digits, and how they stand around the point. Then
 * its width is known, and it is laid out into its field. */
#include "format.h"

/* ---- The format ---- */

static const fastio_format initial = FASTIO_FORMAT_INIT;

enum { ALIGNMENTS = FASTIO_FORMAT_LEFT | FASTIO_FORMAT_CENTER | FASTIO_FORMAT_INTERNAL | FASTIO_FORMAT_RIGHT };

static bool has_end(const char *text, size_t size) { return memchr(text, 0, size) != NULL; }

/* What is wrong with it, or NULL. */
static const char *locale_fault(const fastio_locale *locale) {
  if (!has_end(locale->point, sizeof locale->point)) return "the decimal point has no end";
  if (!has_end(locale->group, sizeof locale->group)) return "the separator of groups has no end";
  const unsigned char *sizes = locale->grouping;
  for (size_t i = 1; i < sizeof locale->grouping; i++)
    if (sizes[i] && !sizes[i - 1]) return "a group of no digits";
  return NULL;
}

static const char *format_fault(const fastio_format *format) {
  const unsigned known = FASTIO_FORMAT_RIGHT * 2 - 1, flags = format->flags, place = flags & ALIGNMENTS;
  if ((unsigned)format->notation > FASTIO_HEXADECIMAL) return "unknown notation";
  if (format->precision < FASTIO_AS_NEEDED || format->precision > FASTIO_PRECISION_MAX)
    return "precision out of bounds";
  if (format->base != 0 && (format->base < 2 || format->base > 36)) return "base out of bounds";
  if (flags > known) return "unknown flag";
  if ((flags & FASTIO_FORMAT_PLUS) && (flags & FASTIO_FORMAT_BLANK)) return "plus and blank exclude each other";
  if (place & (place - 1)) return "alignments exclude each other";
  if ((flags & FASTIO_FORMAT_PERCENT) && format->notation == FASTIO_HEXADECIMAL) return "hexadecimal percentage";
  if (format->width > FASTIO_WIDTH_MAX) return "width out of bounds";
  if ((unsigned char)format->fill > 127) return "the fill is not ASCII";
  return format->locale ? locale_fault(format->locale) : NULL;
}

fastio_status fastio_format_check(const fastio_format *format, fastio_error *err) {
  const char *fault = format ? format_fault(format) : NULL;
  return fault ? fastio__fail(err, FASTIO_INVALID_ARGUMENT, fault) : FASTIO_OK;
}

/* Zeros that go within a number do not go before inf and nan. */
static char fill_of(const fastio_format *format, bool is_word) {
  const bool internal = (format->flags & FASTIO_FORMAT_INTERNAL) != 0;
  const char fill = format->fill ? format->fill : internal ? '0' : ' ';
  return internal && is_word && fill == '0' ? ' ' : fill;
}

/* ---- Texts and groups ---- */

/* `characters` counts code points: the bytes that do not go on with one. */
typedef struct text {
  const char *data;
  size_t size, characters;
} text;

static size_t count_characters(const char *data, size_t size) {
  size_t count = 0;
  for (size_t i = 0; i < size; i++) count += ((unsigned char)data[i] & 0xC0) != 0x80;
  return count;
}

static text text_of(const char *data) {
  const size_t size = strlen(data);
  return (text){data, size, count_characters(data, size)};
}

/* The size of the i-th group from the point leftwards. */
static size_t group_size(const fastio_locale *locale, size_t i) {
  const unsigned char *sizes = locale->grouping;
  size_t last = 0;
  while (last + 1 < sizeof locale->grouping && sizes[last + 1]) last++;
  return sizes[0] ? sizes[i < last ? i : last] : 3;
}

typedef struct whole {
  size_t digits, separators;
} whole;

/* The fewest digits, at least `digits`, that take at least `width` characters together with the separators between
 * their groups. What width asks for is filled with zeros, which are grouped as all digits; where a separator would be
 * the first character, a zero more goes before it. (So does Python.) */
static whole measure_whole(const fastio_locale *locale, text separator, size_t digits, size_t width) {
  if (!separator.size) return (whole){digits > width ? digits : width, 0};
  size_t done = 0, taken = 0; /* digits and characters of the groups that are full */
  for (size_t i = 0;; i++) {
    const size_t size = group_size(locale, i);
    size_t rest = digits > done ? digits - done : 1;
    if (width > taken && width - taken > rest) rest = width - taken;
    if (rest <= size) return (whole){done + rest, i};
    done += size;
    taken += size + separator.characters;
  }
}

/* ---- Numbers taken apart ---- */

typedef struct parts {
  bool is_word; /* inf, nan: their letters are the digits */
  char sign;    /* or 0 */
  char prefix[2];
  size_t prefix_size;
  const char *digits; /* without zeros at the end, or with some */
  size_t count;
  ptrdiff_t before; /* the point: so many of the digits, and zeros if there are less. None or negative: "0", and so many
                       zeros behind the point */
  size_t places;    /* digits behind the point */
  bool has_point;
  char tail[8]; /* exponent, percent sign */
  size_t tail_size;
} parts;

static char upper(char c) { return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c; }

static char sign_of(const fastio_format *format, bool negative) {
  if (negative) return '-';
  return format->flags & FASTIO_FORMAT_PLUS ? '+' : format->flags & FASTIO_FORMAT_BLANK ? ' ' : 0;
}

static void set_prefix(parts *parts, char letter, const fastio_format *format) {
  parts->prefix[0] = '0';
  parts->prefix[1] = format->flags & FASTIO_FORMAT_UPPER ? upper(letter) : letter;
  parts->prefix_size = 2;
}

static void append(parts *parts, char c) { parts->tail[parts->tail_size++] = c; }

/* e+05: at least two digits. */
static void append_exponent(parts *parts, int32_t exponent, const fastio_format *format) {
  const uint64_t size = (uint64_t)(exponent < 0 ? -exponent : exponent);
  const unsigned count = size < 100 ? 2 : fastio__count_digits(size);
  char digits[16]; /* four, and what the digits' writer goes beyond them */
  append(parts, format->flags & FASTIO_FORMAT_UPPER ? upper('e') : 'e');
  append(parts, exponent < 0 ? '-' : '+');
  fastio__write_digits(size, count, digits);
  memcpy(parts->tail + parts->tail_size, digits, count);
  parts->tail_size += count;
}

/* ---- Layout ---- */

static char *put(char *out, const char *data, size_t size) {
  memcpy(out, data, size);
  return out + size;
}

static char *put_fill(char *out, char fill, size_t count) {
  memset(out, fill, count);
  return out + count;
}

/* The digits from `first` on, `count` of them, where there are none zeros. */
static char *put_digits(char *out, const parts *parts, size_t first, size_t count) {
  size_t there = first < parts->count ? parts->count - first : 0;
  if (there > count) there = count;
  if (there) out = put(out, parts->digits + first, there);
  return put_fill(out, '0', count - there);
}

static char *put_whole(char *out, const parts *parts, size_t count, size_t zeros) {
  out = put_fill(out, '0', zeros + (parts->before <= 0));
  return parts->before <= 0 ? out : put_digits(out, parts, 0, count - zeros);
}

/* Puts the separators between digits that stand at the start of their room: from the end on, each group moves to its
 * place. */
static char *separate(char *start, whole size, text separator, const fastio_locale *locale) {
  char *from = start + size.digits, *end = from + size.separators * separator.size, *to = end;
  for (size_t i = 0; i < size.separators; i++) {
    const size_t digits = group_size(locale, i);
    from -= digits;
    to -= digits;
    memmove(to, from, digits);
    to -= separator.size;
    memcpy(to, separator.data, separator.size);
  }
  return end;
}

static char *put_places(char *out, const parts *parts) {
  const size_t zeros = parts->before < 0 ? (size_t)-parts->before : 0;
  if (zeros >= parts->places) return put_fill(out, '0', parts->places);
  out = put_fill(out, '0', zeros);
  return put_digits(out, parts, parts->before > 0 ? (size_t)parts->before : 0, parts->places - zeros);
}

/* What fills a field: before the text, within it, behind it. */
typedef struct padding {
  size_t left, internal, right;
} padding;

static padding pad(const fastio_format *format, size_t characters, bool is_word) {
  const size_t missing = format->width > characters ? format->width - characters : 0;
  switch (format->flags & ALIGNMENTS) {
    case FASTIO_FORMAT_LEFT: return (padding){0, 0, missing};
    case FASTIO_FORMAT_CENTER: return (padding){missing / 2, 0, missing - missing / 2};
    case FASTIO_FORMAT_INTERNAL:
      if (!is_word) return (padding){0, missing, 0};
  }
  return (padding){missing, 0, 0};
}

static size_t put_parts(const parts *parts, const fastio_format *format, char *out, size_t capacity) {
  const fastio_locale *locale = format->locale;
  const text point = text_of(locale && *locale->point ? locale->point : ".");
  const text separator = text_of(locale && !parts->is_word ? locale->group : "");
  const bool internal = (format->flags & FASTIO_FORMAT_INTERNAL) != 0;
  const char fill = fill_of(format, parts->is_word);
  const size_t around = (parts->sign != 0) + parts->prefix_size + (parts->has_point ? point.characters : 0) +
                        parts->places + parts->tail_size;
  const size_t due = internal && !parts->is_word && fill == '0' && format->width > around ? format->width - around : 0;
  const size_t digits = parts->before > 0 ? (size_t)parts->before : 1;
  const whole whole = measure_whole(locale, separator, digits, due);
  const size_t characters = around + whole.digits + whole.separators * separator.characters;
  const padding padding = pad(format, characters, parts->is_word);
  const size_t size = padding.left + padding.internal + padding.right + characters +
                      (parts->has_point ? point.size - point.characters : 0) +
                      whole.separators * (separator.size - separator.characters);
  if (size > capacity) return size;
  out = put_fill(out, fill, padding.left);
  if (parts->sign) *out++ = parts->sign;
  out = put(out, parts->prefix, parts->prefix_size);
  out = put_fill(out, fill, padding.internal);
  char *start = out;
  out = put_whole(out, parts, whole.digits, whole.digits - digits);
  if (whole.separators) out = separate(start, whole, separator, locale);
  if (parts->has_point) out = put(out, point.data, point.size);
  out = put_places(out, parts);
  out = put(out, parts->tail, parts->tail_size);
  put_fill(out, fill, padding.right);
  return size;
}

/* ---- Numbers as they are ----
 * Most formats only put a number as the functions without a format write it into a field, perhaps with a sign. */

static size_t put_field(const char *text, size_t size, bool is_word, const fastio_format *format, char *out,
                        size_t capacity) {
  const bool negative = *text == '-';
  const char sign = sign_of(format, negative), fill = fill_of(format, is_word);
  text += negative;
  size -= negative;
  const padding padding = pad(format, size + (sign != 0), is_word);
  const size_t total = padding.left + (sign != 0) + padding.internal + size + padding.right;
  if (total > capacity) return total;
  if (padding.left) out = put_fill(out, fill, padding.left);
  if (sign) *out++ = sign;
  if (padding.internal) out = put_fill(out, fill, padding.internal);
  out = put(out, text, size);
  if (padding.right) put_fill(out, fill, padding.right);
  return total;
}

/* ---- Integers ---- */

static size_t format_integer(uint64_t value, bool negative, const fastio_format *format, char *out, size_t capacity) {
  if (!format) format = &initial;
  if (format_fault(format)) return SIZE_MAX;
  const int base = format->base ? format->base : 10;
  char digits[FASTIO_FORMAT_MAX];
  if (!format->locale && (base == 10 || !(format->flags & (FASTIO_FORMAT_UPPER | FASTIO_FORMAT_PREFIX)))) {
    const size_t sign = negative, size = sign + fastio_format_u64(value, base, digits + sign);
    digits[0] = negative ? '-' : digits[0];
    return put_field(digits, size, false, format, out, capacity);
  }
  parts parts = {.sign = sign_of(format, negative), .digits = digits};
  parts.count = fastio_format_u64(value, base, digits);
  parts.before = (ptrdiff_t)parts.count;
  if (format->flags & FASTIO_FORMAT_UPPER)
    for (size_t i = 0; i < parts.count; i++) digits[i] = upper(digits[i]);
  if ((format->flags & FASTIO_FORMAT_PREFIX) && (base == 16 || base == 8 || base == 2))
    set_prefix(&parts, base == 16 ? 'x' : base == 8 ? 'o' : 'b', format);
  return put_parts(&parts, format, out, capacity);
}

size_t fastio_format_u64_as(uint64_t value, const fastio_format *format, char *out, size_t capacity) {
  return format_integer(value, false, format, out, capacity);
}

size_t fastio_format_i64_as(int64_t value, const fastio_format *format, char *out, size_t capacity) {
  return format_integer(value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0, format, out, capacity);
}

/* ---- Floats ---- */

/* A float's digits in decimal: the first one stands for 10^power. */
typedef struct decimal {
  size_t count; /* 0 is zero; then power is 0 */
  int32_t power;
  char digits[FASTIO__EXACT_MAX];
} decimal;

static void take_shortest(decimal *decimal, double value, bool is_float32) {
  const fastio__shortest number = is_float32 ? fastio__shortest_f32((float)value) : fastio__shortest_f64(value);
  decimal->count = fastio__count_digits(number.digits);
  fastio__write_digits(number.digits, (unsigned)decimal->count, decimal->digits);
  decimal->power = number.exponent + (int32_t)decimal->count - 1;
}

static void take_significant(decimal *decimal, double value, size_t count) {
  decimal->count = fastio__exact_significant(value, count, decimal->digits, &decimal->power);
}

static void take_places(decimal *decimal, double value, size_t places) {
  decimal->count = fastio__exact_places(value, places, decimal->digits, &decimal->power);
}

static void drop_zeros(decimal *decimal) {
  while (decimal->count && decimal->digits[decimal->count - 1] == '0') decimal->count--;
}

/* As many places as the digits need. */
static size_t needed_places(const decimal *decimal, int32_t power) {
  const ptrdiff_t places = (ptrdiff_t)decimal->count - 1 - power;
  return decimal->count && places > 0 ? (size_t)places : 0;
}

static void lay_out(parts *parts, const decimal *decimal, size_t places, const fastio_format *format) {
  parts->digits = decimal->digits;
  parts->count = decimal->count;
  parts->before = decimal->power + 1;
  parts->places = places;
  parts->has_point = places || (format->flags & FASTIO_FORMAT_KEEP_POINT);
}

static void lay_out_scientific(parts *parts, const decimal *decimal, size_t places, const fastio_format *format) {
  lay_out(parts, decimal, places, format);
  parts->before = 1;
  append_exponent(parts, decimal->power, format);
}

/* Python's repr; without the ".0" that tells a float, if is_general. */
static void lay_out_shortest(parts *parts, const decimal *decimal, bool is_general, const fastio_format *format) {
  if (decimal->power < -4 || decimal->power >= 16) {
    lay_out_scientific(parts, decimal, needed_places(decimal, 0), format);
  } else {
    const size_t places = needed_places(decimal, decimal->power);
    lay_out(parts, decimal, places || is_general ? places : 1, format);
  }
}

/* C's %g: scientific if the exponent is below -4 or not below the precision. */
static void lay_out_general(parts *parts, decimal *decimal, size_t precision, const fastio_format *format) {
  const bool keeps = (format->flags & FASTIO_FORMAT_KEEP_POINT) != 0;
  if (!keeps) drop_zeros(decimal);
  if (decimal->power < -4 || decimal->power >= (int32_t)precision)
    lay_out_scientific(parts, decimal, keeps ? precision - 1 : needed_places(decimal, 0), format);
  else
    lay_out(parts, decimal, keeps ? precision - 1 - (size_t)decimal->power : needed_places(decimal, decimal->power),
            format);
}

static void lay_out_decimal(parts *parts, decimal *decimal, double value, bool is_float32,
                            const fastio_format *format) {
  const bool is_percent = (format->flags & FASTIO_FORMAT_PERCENT) != 0;
  const bool as_needed = format->notation == FASTIO_SHORTEST || format->precision == FASTIO_AS_NEEDED;
  const size_t precision = as_needed ? 0 : (size_t)format->precision;
  const size_t significant = format->notation == FASTIO_SCIENTIFIC ? precision + 1 : precision ? precision : 1;
  /* Zero has no first digit. */
  if (value == 0) decimal->count = 0;
  else if (as_needed) take_shortest(decimal, value, is_float32);
  else if (format->notation == FASTIO_FIXED) take_places(decimal, value, precision + (is_percent ? 2 : 0));
  else take_significant(decimal, value, significant);
  decimal->power = decimal->count == 0 ? 0 : decimal->power + (is_percent ? 2 : 0);
  switch (format->notation) {
    case FASTIO_SHORTEST: lay_out_shortest(parts, decimal, false, format); break;
    case FASTIO_FIXED:
      lay_out(parts, decimal, as_needed ? needed_places(decimal, decimal->power) : precision, format);
      break;
    case FASTIO_SCIENTIFIC:
      lay_out_scientific(parts, decimal, as_needed ? needed_places(decimal, 0) : precision, format);
      break;
    case FASTIO_GENERAL:
      if (as_needed) lay_out_shortest(parts, decimal, true, format);
      else lay_out_general(parts, decimal, significant, format);
      break;
  }
  if (is_percent) append(parts, '%');
}

/* From "0x1.8p+1". */
static void lay_out_hexadecimal(parts *parts, decimal *decimal, double value, const fastio_format *format) {
  const bool to_upper = (format->flags & FASTIO_FORMAT_UPPER) != 0;
  const int written = format->precision < 13 ? format->precision : 13;
  char text[FASTIO_FORMAT_MAX];
  const size_t size = fastio__format_hexadecimal(value, written, text);
  size_t at = 2;
  decimal->count = 0;
  decimal->power = 0;
  for (; text[at] != 'p'; at++)
    if (text[at] != '.') decimal->digits[decimal->count++] = to_upper ? upper(text[at]) : text[at];
  lay_out(parts, decimal, written == FASTIO_AS_NEEDED ? needed_places(decimal, 0) : (size_t)format->precision, format);
  set_prefix(parts, 'x', format);
  for (; at < size; at++) append(parts, to_upper ? upper(text[at]) : text[at]);
}

static void lay_out_word(parts *parts, bool is_nan, const fastio_format *format) {
  const bool to_upper = (format->flags & FASTIO_FORMAT_UPPER) != 0;
  parts->is_word = true;
  parts->digits = is_nan ? (to_upper ? "NAN" : "nan") : (to_upper ? "INF" : "inf");
  parts->count = 3;
  parts->before = 3;
  if (format->flags & FASTIO_FORMAT_PERCENT) append(parts, '%');
}

enum { PLAIN_PLACES = 18, PLAIN_ROOM = 1 + 309 + 1 + PLAIN_PLACES + FASTIO_FORMAT_MAX };

/* As C's notations have it, or the shortest form. 0: the format wants something else, or too much. */
static size_t format_plain(double value, bool is_float32, const fastio_format *format, char *out) {
  const unsigned more = FASTIO_FORMAT_UPPER | FASTIO_FORMAT_PERCENT | FASTIO_FORMAT_KEEP_POINT;
  const int precision = format->precision;
  if (format->locale || (format->flags & more)) return 0;
  if (format->notation == FASTIO_SHORTEST)
    return is_float32 ? fastio_format_f32((float)value, out) : fastio_format_f64(value, out);
  if (precision == FASTIO_AS_NEEDED || precision > PLAIN_PLACES || format->notation == FASTIO_HEXADECIMAL) return 0;
  if (format->notation == FASTIO_FIXED) return fastio__format_fixed(value, (size_t)precision, out);
  if (format->notation == FASTIO_SCIENTIFIC) return fastio__format_scientific(value, (size_t)precision, out);
  return fastio__format_general(value, (size_t)precision, out);
}

static size_t format_float(double value, bool is_float32, const fastio_format *format, char *out, size_t capacity) {
  if (!format) format = &initial;
  if (format_fault(format)) return SIZE_MAX;
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  const bool is_nan = value != value, is_word = (bits >> 52 & 0x7FF) == 0x7FF;
  char text[PLAIN_ROOM];
  const size_t plain = format_plain(value, is_float32, format, text);
  if (plain) return put_field(text, plain, is_word, format, out, capacity);
  parts parts = {.sign = sign_of(format, !is_nan && bits >> 63)};
  decimal decimal;
  if (is_word) lay_out_word(&parts, is_nan, format);
  else if (format->notation == FASTIO_HEXADECIMAL)
    lay_out_hexadecimal(&parts, &decimal, bits >> 63 ? -value : value, format);
  else lay_out_decimal(&parts, &decimal, bits >> 63 ? -value : value, is_float32, format);
  return put_parts(&parts, format, out, capacity);
}

size_t fastio_format_f64_as(double value, const fastio_format *format, char *out, size_t capacity) {
  return format_float(value, false, format, out, capacity);
}

size_t fastio_format_f32_as(float value, const fastio_format *format, char *out, size_t capacity) {
  return format_float((double)value, true, format, out, capacity);
}

/* ---- The widest values ---- */

/* The size of a float of this shape, whatever its digits. */
static size_t shape_size(size_t before, size_t places, size_t tail, const fastio_format *format) {
  const size_t percent = format->flags & FASTIO_FORMAT_PERCENT ? 1 : 0;
  parts parts = {.sign = '-', .before = (ptrdiff_t)before, .places = places, .has_point = true};
  parts.prefix_size = format->notation == FASTIO_HEXADECIMAL ? 2 : 0;
  parts.tail_size = tail + percent;
  return put_parts(&parts, format, NULL, 0);
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* By plain and by scientific layout. The smallest numbers with a plain one in SHORTEST and GENERAL are "0.000ddd". */
static size_t float_bound(bool is_float32, const fastio_format *format) {
  const size_t needed = is_float32 ? 9 : 17;                                  /* digits of the shortest form */
  const size_t whole = is_float32 ? 41 : 311, behind = is_float32 ? 54 : 341; /* places of 1e40 and 1e-53, as percent */
  const bool as_needed = format->notation == FASTIO_SHORTEST || format->precision == FASTIO_AS_NEEDED;
  const size_t precision = as_needed ? 0 : (size_t)format->precision;
  const size_t digits = as_needed ? needed : precision ? precision : 1, before = digits < whole ? digits : whole;
  switch (format->notation) {
    case FASTIO_FIXED:
      return as_needed ? larger(shape_size(whole, 0, 0, format), shape_size(1, behind, 0, format))
                       : shape_size(whole, precision, 0, format);
    case FASTIO_SCIENTIFIC: return shape_size(1, as_needed ? needed - 1 : precision, 5, format);
    case FASTIO_HEXADECIMAL: return shape_size(1, as_needed ? 13 : precision, 7, format);
  }
  return larger(larger(shape_size(1, digits - 1, 5, format), shape_size(1, digits + 3, 0, format)),
                as_needed ? shape_size(16, 1, 0, format) : shape_size(before, digits - before, 0, format));
}

static size_t integer_bound(fastio_type type, const fastio_format *format) {
  const unsigned bits = 8 * (unsigned)fastio_type_size(type);
  if (type >= FASTIO_UINT8) return format_integer(UINT64_MAX >> (64 - bits), false, format, NULL, 0);
  return format_integer(UINT64_C(1) << (bits - 1), true, format, NULL, 0);
}

/* Zeros that fill a field can bring more separators than the digits of a large number, the more the less stands around
 * them; and one of the separators, or the point, may be longer than the zeros. */
static size_t filled_bound(const fastio_format *format) {
  const parts parts = {.before = 1};
  if (!(format->flags & FASTIO_FORMAT_INTERNAL) || !format->locale) return 0;
  return put_parts(&parts, format, NULL, 0) + sizeof format->locale->group + sizeof format->locale->point;
}

size_t fastio__format_bound(fastio_type type, const fastio_format *format) {
  if (!format) format = &initial;
  if (fastio__is_integer(type)) return larger(integer_bound(type, format), filled_bound(format));
  if (fastio__is_float(type)) return larger(float_bound(type == FASTIO_FLOAT32, format), filled_bound(format));
  /* false, 2024-02-29, 23:59:59.123456789, 2024-02-29T23:59:59.123456789Z */
  return larger(format->width, type == FASTIO_BOOL ? 5 : type == FASTIO_DATE ? 10 : type == FASTIO_TIME ? 18 : 30);
}

/* ---- Text and bytes ---- */

size_t fastio_format_text_as(const void *data, size_t size, const fastio_format *format, char *out, size_t capacity) {
  fastio_format field = format ? *format : initial;
  if (format_fault(&field)) return SIZE_MAX;
  /* Text stands left unless told otherwise; it has no inside, so that INTERNAL puts it right, as words. */
  if (!(field.flags & ALIGNMENTS)) field.flags |= FASTIO_FORMAT_LEFT;
  const padding padding = pad(&field, count_characters(data, size), true);
  size_t total = padding.left + padding.right;
  if (total > SIZE_MAX - 1 - size) return SIZE_MAX;
  total += size;
  if (total > capacity || !total) return total;
  const char fill = field.fill ? field.fill : ' ';
  out = put_fill(out, fill, padding.left);
  if (size) out = put(out, data, size);
  put_fill(out, fill, padding.right);
  return total;
}

size_t fastio_format_hex(const void *data, size_t size, int upper, char *out) {
  const uint8_t *bytes = data;
  const char *letters = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  for (size_t i = 0; i < size; i++) {
    out[2 * i] = letters[bytes[i] >> 4];
    out[2 * i + 1] = letters[bytes[i] & 15];
  }
  return 2 * size;
}
