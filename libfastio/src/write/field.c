/* The texts of a field's values: numbers into slots by number/, texts by a copy, what fits no slot where it lies. */
#include "field.h"

/* ---- texts ---- */

void fastio__text_set(fastio__texts *texts, size_t row, const void *data, size_t size) {
  const bool fits = size <= FASTIO__SLOT_TEXT;
  texts->lengths[row] = fits ? (uint8_t)size : FASTIO__SLOT_OVERFLOW;
  if (!fits) texts->longs[row] = (fastio_bytes){data, size};
  else if (size) memcpy(texts->slots + row * FASTIO__SLOT, data, size);
}

void fastio__text_fail(fastio__texts *texts, size_t row, fastio_status status, const char *message) {
  if (row >= texts->good) return;
  texts->good = row;
  texts->status = status;
  texts->message = message;
}

/* What goes through the rendering of one strip. */
typedef struct rendering {
  const fastio__field *field;
  uint64_t first;
  size_t count;
  const fastio__wording *words;
  fastio__arena *arena;
  fastio__texts *texts;
} rendering;

FASTIO__INLINE bool is_missing(const rendering *r, size_t row) { return r->texts->missing >> row & 1; }

static size_t width_of(const fastio__field *field) { return field->format ? field->format->width : 0; }

/* A text in the field's width. */
static void put_text(const rendering *r, size_t row, const void *data, size_t size) {
  const size_t wide = width_of(r->field) ? fastio_format_text_as(data, size, r->field->format, NULL, 0) : size;
  char slot[FASTIO__SLOT], *out = slot;
  if (wide == size) {
    fastio__text_set(r->texts, row, data, size);
    return;
  }
  if (wide > FASTIO__SLOT_TEXT && !(out = fastio__arena_take(r->arena, wide))) {
    fastio__text_fail(r->texts, row, FASTIO_NO_MEMORY, NULL);
    return;
  }
  (void)fastio_format_text_as(data, size, r->field->format, out, wide);
  fastio__text_set(r->texts, row, out, wide);
}

/* ---- missing values ---- */

static uint64_t bits_at(const fastio__bits *bits, uint64_t row, size_t count) {
  const uint64_t start = bits->start + row;
  const uint8_t *p = bits->data + start / 8;
  const unsigned shift = start % 8, size = (unsigned)(shift + count + 7) / 8;
  uint64_t word = 0;
  for (unsigned i = 0; i < size && i < 8; i++) word |= (uint64_t)p[i] << 8 * i;
  word >>= shift;
  if (size > 8) word |= (uint64_t)p[8] << (64 - shift);
  return word;
}

static uint64_t missing_of(const fastio__field *field, uint64_t first, size_t count) {
  const uint64_t all = UINT64_MAX >> (FASTIO__STRIP - count);
  uint64_t present = all;
  if (field->kind == FASTIO__FIELD_MISSING) return all;
  for (size_t i = 0; i < 2; i++)
    if (field->present[i].data) present &= bits_at(&field->present[i], first, count);
  return all & ~present;
}

static void put_missing(const rendering *r) {
  const fastio_bytes text = r->words->null_text;
  for (uint64_t left = r->texts->missing; left; left &= left - 1)
    fastio__text_set(r->texts, fastio__ctz64(left), text.data, text.size);
}

/* ---- values ---- */

#define FORMAT_AS(type, function)                  \
  {                                                \
    type value;                                    \
    memcpy(&value, data, sizeof value);            \
    return function(value, format, out, capacity); \
  }

/* One number, as fastio__format_slots would write it. */
static size_t format_value(fastio_type type, const void *data, const fastio_format *format, char *out,
                           size_t capacity) {
  switch (type) {
    case FASTIO_INT8: FORMAT_AS(int8_t, fastio_format_i64_as)
    case FASTIO_INT16: FORMAT_AS(int16_t, fastio_format_i64_as)
    case FASTIO_INT32: FORMAT_AS(int32_t, fastio_format_i64_as)
    case FASTIO_INT64: FORMAT_AS(int64_t, fastio_format_i64_as)
    case FASTIO_UINT8: FORMAT_AS(uint8_t, fastio_format_u64_as)
    case FASTIO_UINT16: FORMAT_AS(uint16_t, fastio_format_u64_as)
    case FASTIO_UINT32: FORMAT_AS(uint32_t, fastio_format_u64_as)
    case FASTIO_UINT64: FORMAT_AS(uint64_t, fastio_format_u64_as)
    case FASTIO_FLOAT32: FORMAT_AS(float, fastio_format_f32_as)
    default: FORMAT_AS(double, fastio_format_f64_as)
  }
}

static void put_slots_again(const rendering *r) {
  for (size_t row = 0; row < r->count; row++)
    put_text(r, row, r->texts->slots + row * FASTIO__SLOT, r->texts->lengths[row]);
}

static void put_long_value(const rendering *r, size_t row, fastio_type type, const void *data) {
  const size_t size = format_value(type, data, r->field->format, NULL, 0);
  char *text = fastio__arena_take(r->arena, size);
  if (!text) {
    fastio__text_fail(r->texts, row, FASTIO_NO_MEMORY, NULL);
    return;
  }
  (void)format_value(type, data, r->field->format, text, size);
  r->texts->longs[row] = (fastio_bytes){text, size};
}

static bool is_nan(fastio_type type, const uint8_t *data) {
  float single;
  double number;
  memcpy(&single, data, sizeof single);
  if (type == FASTIO_FLOAT32) return single != single;
  memcpy(&number, data, sizeof number);
  return number != number;
}

/* NaN that is written as missing values are is one of them. */
static void put_nans(const rendering *r, fastio_type type, const uint8_t *data, int64_t stride) {
  const fastio_bytes text = r->words->nan_text, null = r->words->null_text;
  const bool is_null = text.size == null.size && (text.size == 0 || memcmp(text.data, null.data, text.size) == 0);
  for (size_t row = 0; row < r->count; row++, data += stride) {
    if (!is_nan(type, data)) continue;
    if (is_null) r->texts->missing |= UINT64_C(1) << row;
    else put_text(r, row, text.data, text.size);
  }
}

const char *fastio__wrong_time(fastio_type type) {
  return type == FASTIO_TIME ? "not a time of day" : "the date is not in the years 1 to 9999";
}

/* Whether all lengths are 1 to FASTIO__SLOT_TEXT. */
static bool are_plain(const uint8_t *lengths, size_t count) {
  uint8_t odd = 0;
  for (size_t i = 0; i < count; i++) odd |= (uint8_t)(lengths[i] - 1) >= FASTIO__SLOT_TEXT;
  return odd == 0;
}

/* Rows whose lengths say that the slots don't do. */
static void look_at_lengths(const rendering *r, fastio_type type, const uint8_t *data, int64_t stride) {
  const bool may_be_empty = !fastio__is_number(type);
  if (FASTIO__LIKELY(are_plain(r->texts->lengths, r->count))) return;
  for (size_t row = 0; row < r->count; row++) {
    const uint8_t length = r->texts->lengths[row];
    if (FASTIO__LIKELY(length - 1u < FASTIO__SLOT_TEXT) || is_missing(r, row)) continue;
    if (length == FASTIO__SLOT_OVERFLOW) put_long_value(r, row, type, data + (int64_t)row * stride);
    else if (may_be_empty) fastio__text_fail(r->texts, row, FASTIO_OUT_OF_RANGE, fastio__wrong_time(type));
  }
}

/* Dates, times and bools are padded when it is known that they have a text. */
static void render_values(const rendering *r, fastio_type type, const uint8_t *data, int64_t stride) {
  const bool is_number = fastio__is_number(type);
  const fastio_format *format = is_number ? r->field->format : NULL;
  fastio__format_slots(type, data, stride, r->count, format, r->texts->slots, r->texts->lengths);
  look_at_lengths(r, type, data, stride);
  if (!is_number && width_of(r->field)) put_slots_again(r);
  if (r->words->nan_text.data && fastio__is_float(type)) put_nans(r, type, data, stride);
}

static void render_bits(const rendering *r) {
  const fastio_bytes words[2] = {r->words->false_text, r->words->true_text};
  uint64_t bits = bits_at(&r->field->bits, r->first, r->count);
  for (size_t row = 0; row < r->count; row++, bits >>= 1) put_text(r, row, words[bits & 1].data, words[bits & 1].size);
}

/* ---- floats of 16 bits ---- */

static double value_of_half(uint16_t half) {
  const uint64_t exponent = half >> 10 & 31, fraction = half & 1023;
  uint64_t bits = exponent == 31 ? UINT64_C(0x7FF) << 52 : (exponent - 15 + 1023) << 52;
  double size = (double)fraction / (1 << 24); /* of subnormal ones */
  bits |= fraction << 42;
  if (exponent) memcpy(&size, &bits, sizeof size);
  return half & 0x8000 ? -size : size;
}

/* The double with the fewest digits that this half is nearest to: its shortest text is the half's. */
static double shortest_of_half(uint16_t half) {
  const uint16_t size = half & 0x7FFF;
  const double value = value_of_half(size);
  fastio_format format = FASTIO_FORMAT_INIT;
  if (size == 0 || size >= 0x7C00) return value_of_half(half);
  const double above = size == 0x7BFF ? 65536 : value_of_half(size + 1), below = value_of_half(size - 1);
  format.notation = FASTIO_SCIENTIFIC;
  for (format.precision = 0; format.precision < 5; format.precision++) {
    char text[FASTIO__SLOT];
    double found = 0;
    (void)fastio_parse_f64(text, fastio_format_f64_as(value, &format, text, sizeof text), &found, NULL);
    const double from = (below + value) / 2, to = (value + above) / 2; /* exact; ties go to even */
    if ((found > from && found < to) || (half % 2 == 0 && (found == from || found == to)))
      return half & 0x8000 ? -found : found;
  }
  return value_of_half(half);
}

static void render_halves(const rendering *r) {
  const fastio_format *format = r->field->format;
  const bool shortest = !format || format->notation == FASTIO_SHORTEST;
  const uint8_t *data = r->field->data + (int64_t)r->first * r->field->stride;
  double values[FASTIO__STRIP];
  for (size_t row = 0; row < r->count; row++, data += r->field->stride) {
    uint16_t half;
    memcpy(&half, data, sizeof half);
    values[row] = is_missing(r, row) ? 0 : shortest ? shortest_of_half(half) : value_of_half(half);
  }
  render_values(r, FASTIO_FLOAT64, (const uint8_t *)values, sizeof *values);
}

/* ---- dates and times in other units ---- */

#define DAY INT64_C(86400000000000) /* nanoseconds */

static int64_t load_integer(const uint8_t *data, int64_t size) {
  int64_t value;
  int32_t small;
  if (size == sizeof small) {
    memcpy(&small, data, sizeof small);
    return small;
  }
  memcpy(&value, data, sizeof value);
  return value;
}

static int64_t floor_of(int64_t value, int64_t by) { return value / by - (value % by < 0); }

/* Days that an int32 can't hold are days without a text. */
static int32_t days_of(int64_t value, int64_t unit) {
  const int64_t days = floor_of(value, DAY / unit);
  return days > INT32_MAX || days < INT32_MIN ? INT32_MAX : (int32_t)days;
}

/* A timestamp beyond what 64 bits of nanoseconds hold. */
static void put_far_time(const rendering *r, size_t row, int64_t value) {
  const int64_t unit = r->field->unit, days = floor_of(value, DAY / unit);
  char text[FASTIO_FORMAT_MAX];
  size_t size = fastio_format_date(days_of(value, unit), text);
  if (size == 0) {
    fastio__text_fail(r->texts, row, FASTIO_OUT_OF_RANGE, fastio__wrong_time(r->field->type));
    return;
  }
  text[size++] = 'T';
  size += fastio_format_time((value - days * (DAY / unit)) * unit, text + size);
  if (r->field->type == FASTIO_TIMESTAMP_UTC) text[size++] = 'Z';
  put_text(r, row, text, size);
}

static void render_dates(const rendering *r, const uint8_t *data) {
  int32_t days[FASTIO__STRIP];
  for (size_t row = 0; row < r->count; row++)
    days[row] = days_of(load_integer(data + (int64_t)row * r->field->stride, r->field->stride), r->field->unit);
  render_values(r, FASTIO_DATE, (const uint8_t *)days, sizeof *days);
}

static void render_times(const rendering *r) {
  const int64_t unit = r->field->unit, stride = r->field->stride;
  const int64_t from = r->field->type == FASTIO_TIME ? 0 : INT64_MIN / unit;
  const int64_t to = r->field->type == FASTIO_TIME ? DAY / unit - 1 : INT64_MAX / unit;
  const uint8_t *data = r->field->data + (int64_t)r->first * stride;
  int64_t values[FASTIO__STRIP] = {0};
  uint64_t far = 0;
  if (r->field->type == FASTIO_DATE) {
    render_dates(r, data);
    return;
  }
  for (size_t row = 0; row < r->count; row++) {
    const int64_t value = load_integer(data + (int64_t)row * stride, stride);
    const bool fits = value >= from && value <= to;
    values[row] = fits ? value * unit : 0;
    far |= (uint64_t)(!fits && !is_missing(r, row)) << row;
  }
  render_values(r, r->field->type, (const uint8_t *)values, sizeof *values);
  for (; far; far &= far - 1) {
    const size_t row = fastio__ctz64(far);
    if (r->field->type == FASTIO_TIME)
      fastio__text_fail(r->texts, row, FASTIO_OUT_OF_RANGE, fastio__wrong_time(FASTIO_TIME));
    else put_far_time(r, row, load_integer(data + (int64_t)row * stride, stride));
  }
}

/* ---- decimals ---- */

static void render_decimals(const rendering *r) {
  const uint8_t *data = r->field->data + (int64_t)r->first * r->field->stride;
  for (size_t row = 0; row < r->count; row++, data += r->field->stride) {
    char text[FASTIO__DECIMAL_MAX], *kept = text;
    const size_t size = fastio__format_decimal(data, (size_t)r->field->stride, r->field->scale, text);
    if (size > FASTIO__SLOT_TEXT && (kept = fastio__arena_take(r->arena, size))) memcpy(kept, text, size);
    if (kept) put_text(r, row, kept, size);
    else fastio__text_fail(r->texts, row, FASTIO_NO_MEMORY, NULL);
  }
}

/* ---- texts ---- */

static fastio_bytes view_at(const fastio__field *field, uint64_t row) {
  const uint8_t *view = field->data + row * 16;
  int32_t parts[4]; /* the size, and the text if it is no longer than 12; else its start, buffer, offset */
  memcpy(parts, view, sizeof parts);
  if (parts[0] <= 12) return (fastio_bytes){view + 4, (size_t)parts[0]};
  return (fastio_bytes){(const uint8_t *)field->buffers[parts[2]] + parts[3], (size_t)parts[0]};
}

/* `kind` is a constant where it matters. */
FASTIO__INLINE fastio_bytes text_at(const fastio__field *field, fastio__field_kind kind, uint64_t row) {
  if (kind == FASTIO__FIELD_TEXTS32) {
    int32_t offsets[2]; /* memory from elsewhere may not be aligned */
    memcpy(offsets, (const char *)field->offsets + row * sizeof *offsets, sizeof offsets);
    return (fastio_bytes){field->data + offsets[0], (size_t)(offsets[1] - offsets[0])};
  }
  if (kind == FASTIO__FIELD_TEXTS64) {
    int64_t offsets[2];
    memcpy(offsets, (const char *)field->offsets + row * sizeof *offsets, sizeof offsets);
    return (fastio_bytes){field->data + offsets[0], (size_t)(offsets[1] - offsets[0])};
  }
  return view_at(field, row);
}

/* Where a slot may be filled with more than the text. */
FASTIO__INLINE void copy_text(const rendering *r, size_t row, fastio_bytes text, const uint8_t *end) {
  const uint8_t *data = text.data;
  if (FASTIO__LIKELY(text.size <= FASTIO__SLOT_TEXT && end - data >= FASTIO__SLOT)) {
    memcpy(r->texts->slots + row * FASTIO__SLOT, data, FASTIO__SLOT);
    r->texts->lengths[row] = (uint8_t)text.size;
  } else {
    fastio__text_set(r->texts, row, data, text.size);
  }
}

FASTIO__INLINE void render_texts(const rendering *r, fastio__field_kind kind) {
  const fastio__field *field = r->field;
  const bool wide = width_of(field) > 0;
  for (size_t row = 0; row < r->count; row++) {
    if (is_missing(r, row)) continue;
    const fastio_bytes text = text_at(field, kind, r->first + row);
    if (wide) put_text(r, row, text.data, text.size);
    else if (kind == FASTIO__FIELD_VIEWS) fastio__text_set(r->texts, row, text.data, text.size);
    else copy_text(r, row, text, field->data + field->text_end);
  }
  if (kind == FASTIO__FIELD_VIEWS || wide) return;
  const fastio_bytes first = text_at(field, kind, r->first), last = text_at(field, kind, r->first + r->count - 1);
  r->texts->span = (fastio_bytes){first.data, (size_t)((const char *)last.data - (const char *)first.data) + last.size};
}

/* ---- dictionaries ---- */

#define LOAD_AS(type)                   \
  {                                     \
    type value;                         \
    memcpy(&value, data, sizeof value); \
    return (uint64_t)value;             \
  }

static uint64_t index_at(const fastio__field *field, uint64_t row) {
  const uint8_t *data = field->data + (int64_t)row * field->stride;
  switch (field->type) {
    case FASTIO_INT8: LOAD_AS(int8_t)
    case FASTIO_INT16: LOAD_AS(int16_t)
    case FASTIO_INT32: LOAD_AS(int32_t)
    case FASTIO_UINT8: LOAD_AS(uint8_t)
    case FASTIO_UINT16: LOAD_AS(uint16_t)
    case FASTIO_UINT32: LOAD_AS(uint32_t)
    default: LOAD_AS(uint64_t)
  }
}

/* A value that is not a text: a strip of one row. */
static void render_entry(const rendering *r, size_t row, uint64_t index) {
  fastio__field dictionary = *r->field->dictionary;
  char slot[FASTIO__SLOT + FASTIO__SLOT_SLACK];
  uint8_t length;
  fastio_bytes text;
  fastio__texts one = {.slots = slot, .lengths = &length, .longs = &text};
  dictionary.format = r->field->format;
  fastio__field_render(&dictionary, index, 1, r->words, r->arena, &one);
  if (one.missing) r->texts->missing |= UINT64_C(1) << row;
  text = fastio__text_at(&one, 0);
  if (one.good) fastio__text_set(r->texts, row, text.data, text.size);
  else fastio__text_fail(r->texts, row, one.status, one.message);
}

static void fail_index(const rendering *r, size_t row) {
  fastio__text_set(r->texts, row, NULL, 0);
  fastio__text_fail(r->texts, row, FASTIO_INVALID_ARGUMENT, "the dictionary has no value of this index");
}

FASTIO__INLINE void render_word(const rendering *r, size_t row, uint64_t index, fastio__field_kind kind, bool wide) {
  const fastio__field *words = r->field->dictionary;
  const fastio_bytes text = text_at(words, kind, index);
  if (wide) put_text(r, row, text.data, text.size);
  else if (kind == FASTIO__FIELD_VIEWS) fastio__text_set(r->texts, row, text.data, text.size);
  else copy_text(r, row, text, words->data + words->text_end);
}

FASTIO__INLINE void render_indices(const rendering *r, fastio__field_kind kind) {
  const fastio__field *dictionary = r->field->dictionary;
  const bool has_missing = dictionary->present[0].data || kind == FASTIO__FIELD_MISSING;
  const bool are_texts = fastio__field_is_text(dictionary), wide = width_of(r->field) > 0;
  for (size_t row = 0; row < r->count; row++) {
    if (is_missing(r, row)) continue;
    const uint64_t index = index_at(r->field, r->first + row);
    if (FASTIO__UNLIKELY(index >= dictionary->length)) fail_index(r, row);
    else if (has_missing && missing_of(dictionary, index, 1)) r->texts->missing |= UINT64_C(1) << row;
    else if (are_texts) render_word(r, row, index, kind, wide);
    else render_entry(r, row, index);
  }
}

static void render_dictionary(const rendering *r) {
  r->texts->is_clean = r->field->is_clean && width_of(r->field) == 0;
  switch (r->field->dictionary->kind) {
    case FASTIO__FIELD_TEXTS32: render_indices(r, FASTIO__FIELD_TEXTS32); break;
    case FASTIO__FIELD_TEXTS64: render_indices(r, FASTIO__FIELD_TEXTS64); break;
    default: render_indices(r, r->field->dictionary->kind); break;
  }
}

/* ---- fields ---- */

void fastio__field_render(const fastio__field *field, uint64_t first, size_t count, const fastio__wording *words,
                          fastio__arena *arena, fastio__texts *texts) {
  const rendering r = {field, first, count, words, arena, texts};
  texts->missing = missing_of(field, first, count);
  texts->is_clean = false;
  texts->span = (fastio_bytes){NULL, 0};
  texts->good = count;
  texts->status = FASTIO_OK;
  switch (field->kind) {
    case FASTIO__FIELD_MISSING: break;
    case FASTIO__FIELD_VALUES:
      render_values(&r, field->type, field->data + (int64_t)first * field->stride, field->stride);
      break;
    case FASTIO__FIELD_BITS: render_bits(&r); break;
    case FASTIO__FIELD_HALVES: render_halves(&r); break;
    case FASTIO__FIELD_TIMES: render_times(&r); break;
    case FASTIO__FIELD_DECIMALS: render_decimals(&r); break;
    case FASTIO__FIELD_TEXTS32: render_texts(&r, FASTIO__FIELD_TEXTS32); break;
    case FASTIO__FIELD_TEXTS64: render_texts(&r, FASTIO__FIELD_TEXTS64); break;
    case FASTIO__FIELD_VIEWS: render_texts(&r, FASTIO__FIELD_VIEWS); break;
    case FASTIO__FIELD_INDICES: render_dictionary(&r); break;
  }
  if (texts->missing) put_missing(&r);
}

bool fastio__field_is_text(const fastio__field *field) {
  return field->kind == FASTIO__FIELD_TEXTS32 || field->kind == FASTIO__FIELD_TEXTS64 ||
         field->kind == FASTIO__FIELD_VIEWS ||
         (field->kind == FASTIO__FIELD_INDICES && fastio__field_is_text(field->dictionary));
}

size_t fastio__value_estimate(fastio_type type, const fastio_format *format) {
  const size_t bound = fastio__format_bound(type, format);
  size_t often;
  if (bound <= FASTIO__SLOT_TEXT) return bound * 2 / 3 + 1;
  often = (size_t)format->precision + format->width + 8;
  return often < bound ? often : bound;
}

size_t fastio__field_estimate(const fastio__field *field) {
  switch (field->kind) {
    case FASTIO__FIELD_MISSING: return 4;
    case FASTIO__FIELD_VALUES:
    case FASTIO__FIELD_TIMES: return fastio__value_estimate(field->type, field->format);
    case FASTIO__FIELD_HALVES: return fastio__value_estimate(FASTIO_FLOAT64, field->format);
    case FASTIO__FIELD_TEXTS32:
    case FASTIO__FIELD_TEXTS64: return (size_t)(field->length ? field->text_end / field->length : 0) + 2;
    case FASTIO__FIELD_INDICES: return fastio__field_estimate(field->dictionary);
    default: return 16;
  }
}

void fastio__field_of_column(const fastio_column *column, fastio__field *dictionary, fastio__field *out) {
  memset(out, 0, sizeof *out);
  out->kind = FASTIO__FIELD_VALUES;
  out->type = column->type;
  out->data = column->data;
  out->stride = (int64_t)fastio_type_size(column->type);
  out->length = column->length;
  out->present[0].data = column->validity;
  if (fastio__is_string(column->type)) {
    out->kind = FASTIO__FIELD_TEXTS64;
    out->offsets = column->offsets;
    out->text_end = column->data_size;
  } else if (column->type == FASTIO_BOOL) {
    out->kind = FASTIO__FIELD_BITS;
    out->bits.data = column->data;
  } else if (column->type == FASTIO_DICTIONARY) {
    fastio__field_of_column(column->dictionary, NULL, dictionary);
    out->kind = FASTIO__FIELD_INDICES;
    out->type = FASTIO_INT32;
    out->stride = sizeof(int32_t);
    out->dictionary = dictionary;
  }
}
