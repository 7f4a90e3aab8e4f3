/* Many values to text. What the type and the format ask for is decided once; then values are gathered into a block of
 * items of 64 bits, and a loop that knows what they are writes the block. */
#include "format.h"
#include "number.h"
#include "powers.h"

/* ---- Items: any value in 64 bits. Integers, dates and times are extended; a float32 is its bits. ---- */

enum { BLOCK = 256 };

/* Once more for packed values, since compilers make vectors of that. */
#define GATHER(type, wide)                                                                   \
  do {                                                                                       \
    const bool packed = stride == (int64_t)sizeof(type);                                     \
    if (packed)                                                                              \
      for (size_t i = 0; i < count; i++) GATHER_ONE(type, wide, data + i * sizeof(type));    \
    else                                                                                     \
      for (size_t i = 0; i < count; i++) GATHER_ONE(type, wide, data + (int64_t)i * stride); \
    return items;                                                                            \
  } while (0)
#define GATHER_ONE(type, wide, from)    \
  do {                                  \
    type value;                         \
    memcpy(&value, from, sizeof value); \
    items[i] = (uint64_t)(wide)value;   \
  } while (0)

/* Returns where they are: in `items`, or where they have been if they are as they should be. */
static const uint64_t *gather(fastio_type type, const char *data, int64_t stride, size_t count, uint64_t *items) {
  switch (type) {
    case FASTIO_INT8: GATHER(int8_t, int64_t);
    case FASTIO_INT16: GATHER(int16_t, int64_t);
    case FASTIO_INT32:
    case FASTIO_DATE: GATHER(int32_t, int64_t);
    case FASTIO_UINT8:
    case FASTIO_BOOL: GATHER(uint8_t, uint64_t);
    case FASTIO_UINT16: GATHER(uint16_t, uint64_t);
    case FASTIO_UINT32:
    case FASTIO_FLOAT32: GATHER(uint32_t, uint64_t);
    case FASTIO_FLOAT64: GATHER(uint64_t, uint64_t);
    default: break;
  }
  if (stride == 8 && (uintptr_t)data % _Alignof(uint64_t) == 0) return (const uint64_t *)(const void *)data;
  GATHER(uint64_t, uint64_t);
}

/* ---- What to write ---- */

typedef enum kind {
  I64,
  U64,
  F64,
  F32,
  FIXED,
  SCIENTIFIC,
  GENERAL,
  HEXADECIMAL,
  BOOL,
  DATE,
  TIME,
  TIMESTAMP,
  ANY
} kind;

typedef struct plan {
  fastio_type type;
  kind kind; /* ANY: what needs a look at the format for each value */
  const fastio_format *format;
  size_t bound;
} plan;

static kind kind_of_float(fastio_type type, const fastio_format *format) {
  const unsigned more = FASTIO_FORMAT_PLUS | FASTIO_FORMAT_BLANK | FASTIO_FORMAT_UPPER | FASTIO_FORMAT_PERCENT |
                        FASTIO_FORMAT_KEEP_POINT;
  if ((format->flags & more) || format->locale) return ANY;
  if (format->notation == FASTIO_SHORTEST) return type == FASTIO_FLOAT64 ? F64 : F32;
  if (format->notation == FASTIO_HEXADECIMAL) return HEXADECIMAL;
  if (format->precision == FASTIO_AS_NEEDED) return ANY;
  return format->notation == FASTIO_FIXED ? FIXED : format->notation == FASTIO_SCIENTIFIC ? SCIENTIFIC : GENERAL;
}

static kind kind_of(fastio_type type, const fastio_format *format) {
  if (format->width) return ANY;
  if (fastio__is_float(type)) return kind_of_float(type, format);
  if (fastio__is_integer(type)) {
    const unsigned signs = FASTIO_FORMAT_PLUS | FASTIO_FORMAT_BLANK;
    if ((format->base != 0 && format->base != 10) || (format->flags & signs) || format->locale) return ANY;
    return type >= FASTIO_UINT8 ? U64 : I64;
  }
  return type == FASTIO_BOOL ? BOOL : type == FASTIO_DATE ? DATE : type == FASTIO_TIME ? TIME : TIMESTAMP;
}

static plan make_plan(fastio_type type, const fastio_format *format) {
  static const fastio_format initial = FASTIO_FORMAT_INIT;
  if (!format) format = &initial;
  return (plan){type, kind_of(type, format), format, fastio__format_bound(type, format)};
}

/* ---- One value ---- */

static double f64_of(uint64_t item) {
  double value;
  memcpy(&value, &item, sizeof value);
  return value;
}

static float f32_of(uint64_t item) {
  const uint32_t bits = (uint32_t)item;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static size_t put_bool(bool value, char *out) {
  memcpy(out, value ? "true" : "false", 5);
  return value ? 4 : 5;
}

static size_t put_text(const plan *plan, uint64_t item, char *out) {
  switch (plan->type) {
    case FASTIO_BOOL: return put_bool(item != 0, out);
    case FASTIO_DATE: return fastio_format_date((int32_t)item, out);
    case FASTIO_TIME: return fastio_format_time((int64_t)item, out);
    default: return fastio_format_timestamp((int64_t)item, plan->type, out);
  }
}

static size_t put_any(const plan *plan, uint64_t item, char *out, size_t capacity) {
  char text[FASTIO_FORMAT_MAX];
  if (plan->type == FASTIO_FLOAT64) return fastio_format_f64_as(f64_of(item), plan->format, out, capacity);
  if (plan->type == FASTIO_FLOAT32) return fastio_format_f32_as(f32_of(item), plan->format, out, capacity);
  if (!fastio__is_integer(plan->type))
    return fastio_format_text_as(text, put_text(plan, item, text), plan->format, out, capacity);
  if (plan->type >= FASTIO_UINT8) return fastio_format_u64_as(item, plan->format, out, capacity);
  return fastio_format_i64_as((int64_t)item, plan->format, out, capacity);
}

/* `kind` is a constant where this is instantiated. Up to FASTIO_FORMAT_MAX bytes behind the value are overwritten. */
FASTIO__INLINE size_t put_one(kind kind, const plan *plan, uint64_t item, char *out) {
  const double value = plan->type == FASTIO_FLOAT32 ? (double)f32_of(item) : f64_of(item);
  switch (kind) {
    case I64: return fastio_format_i64((int64_t)item, 10, out);
    case U64: return fastio_format_u64(item, 10, out);
    case F64: return fastio_format_f64(f64_of(item), out);
    case F32: return fastio_format_f32(f32_of(item), out);
    case FIXED: return fastio__format_fixed(value, (size_t)plan->format->precision, out);
    case SCIENTIFIC: return fastio__format_scientific(value, (size_t)plan->format->precision, out);
    case GENERAL: return fastio__format_general(value, (size_t)plan->format->precision, out);
    case HEXADECIMAL: return fastio__format_hexadecimal(value, plan->format->precision, out);
    case BOOL: return put_bool(item != 0, out);
    case DATE: return fastio_format_date((int32_t)item, out);
    case TIME: return fastio_format_time((int64_t)item, out);
    case TIMESTAMP: return fastio_format_timestamp((int64_t)item, plan->type, out);
    case ANY: break;
  }
  return put_any(plan, item, out, plan->bound);
}

/* One loop for each kind. */
#define FOR_KIND(kind, loop) \
  case kind:                 \
    loop(kind);              \
    break
#define FOR_EACH_KIND(kind, loop) \
  switch (kind) {                 \
    FOR_KIND(I64, loop);          \
    FOR_KIND(U64, loop);          \
    FOR_KIND(F64, loop);          \
    FOR_KIND(F32, loop);          \
    FOR_KIND(FIXED, loop);        \
    FOR_KIND(SCIENTIFIC, loop);   \
    FOR_KIND(GENERAL, loop);      \
    FOR_KIND(HEXADECIMAL, loop);  \
    FOR_KIND(BOOL, loop);         \
    FOR_KIND(DATE, loop);         \
    FOR_KIND(TIME, loop);         \
    FOR_KIND(TIMESTAMP, loop);    \
    FOR_KIND(ANY, loop);          \
  }

/* ---- A row of values ---- */

enum { SHORT_SEPARATOR = 16 };

typedef struct separator {
  char bytes[SHORT_SEPARATOR]; /* if it is short; copied as a whole, since there is room */
  fastio_bytes all;
} separator;

FASTIO__INLINE char *put_separator(const separator *separator, char *out) {
  if (FASTIO__LIKELY(separator->all.size <= SHORT_SEPARATOR)) memcpy(out, separator->bytes, SHORT_SEPARATOR);
  else memcpy(out, separator->all.data, separator->all.size);
  return out + separator->all.size;
}

static const fastio__f64_help f64_help = {&fastio__powers[-FASTIO__POWER_FIRST].high, fastio_format_f64};

/* Integers with whatever between them, by way of slots. Returns how many it wrote: all or none. */
static size_t put_integers(const uint64_t *items, size_t count, bool is_signed, const separator *separator,
                           char **out) {
  char slots[BLOCK * FASTIO__SLOT], *p = *out;
  uint8_t lengths[BLOCK];
  if (separator->all.size == 1) {
    const size_t done = fastio__simd()->put_integers(items, count, is_signed, (uint8_t)separator->bytes[0], out);
    if (done) return done;
  }
  count = fastio__simd()->put_integer_slots(items, count, is_signed, slots, FASTIO__SLOT, lengths);
  for (size_t i = 0; i < count; i++) {
    memcpy(p, slots + i * FASTIO__SLOT, FASTIO__SLOT);
    p = put_separator(separator, p + lengths[i]);
  }
  *out = p;
  return count;
}

FASTIO__INLINE char *put_row(kind kind, const plan *plan, const uint64_t *items, size_t count,
                             const separator *separator, char *out) {
  size_t i = 0;
  if (kind == I64 || kind == U64) i = put_integers(items, count, kind == I64, separator, &out);
  if (kind == F64 && separator->all.size <= SHORT_SEPARATOR)
    return fastio__simd()->put_f64(items, count, &f64_help, separator->bytes, separator->all.size, out);
  for (; i < count; i++) {
    out += put_one(kind, plan, items[i], out);
    out = put_separator(separator, out);
  }
  return out;
}

static char *put_row_of(const plan *plan, const uint64_t *items, size_t count, const separator *separator, char *out) {
#define PUT_ROW(kind) out = put_row(kind, plan, items, count, separator, out)
  FOR_EACH_KIND(plan->kind, PUT_ROW)
#undef PUT_ROW
  return out;
}

char *fastio__format_many(fastio_type type, const void *data, int64_t stride, size_t count, const fastio_format *format,
                          fastio_bytes separator_bytes, char *out) {
  const plan plan = make_plan(type, format);
  separator separator = {{0}, separator_bytes};
  if (separator_bytes.size - 1 < SHORT_SEPARATOR) memcpy(separator.bytes, separator_bytes.data, separator_bytes.size);
  const char *at = data;
  uint64_t items[BLOCK];
  for (size_t done = 0; done < count;) {
    const size_t size = count - done < BLOCK ? count - done : BLOCK;
    out = put_row_of(&plan, gather(type, at, stride, size, items), size, &separator, out);
    at += stride * (int64_t)size;
    done += size;
  }
  return out;
}

/* ---- Slots ---- */

/* A value goes straight into its slot and over those behind it, which are written later, if there is always `room`. */
FASTIO__INLINE void put_slots(kind kind, const plan *plan, bool room, const uint64_t *items, size_t count, char *slots,
                              uint8_t *lengths) {
  size_t i = 0;
  if (kind == I64 || kind == U64)
    i = fastio__simd()->put_integer_slots(items, count, kind == I64, slots, FASTIO__SLOT, lengths);
  if (kind == F64) {
    fastio__simd()->put_f64_slots(items, count, &f64_help, slots, FASTIO__SLOT, lengths);
    return;
  }
  for (slots += i * FASTIO__SLOT; i < count; i++, slots += FASTIO__SLOT) {
    const size_t size = kind != ANY && room ? put_one(kind, plan, items[i], slots)
                                            : put_any(plan, items[i], slots, FASTIO__SLOT_TEXT);
    lengths[i] = (uint8_t)(size <= FASTIO__SLOT_TEXT ? size : FASTIO__SLOT_OVERFLOW);
  }
}

static void put_slots_of(const plan *plan, bool room, const uint64_t *items, size_t count, char *slots,
                         uint8_t *lengths) {
#define PUT_SLOTS(kind) put_slots(kind, plan, room, items, count, slots, lengths)
  FOR_EACH_KIND(plan->kind, PUT_SLOTS)
#undef PUT_SLOTS
}

void fastio__format_slots(fastio_type type, const void *data, int64_t stride, size_t count, const fastio_format *format,
                          char *slots, uint8_t *lengths) {
  const plan plan = make_plan(type, format);
  const bool room = plan.bound + FASTIO_FORMAT_MAX <= FASTIO__SLOT + FASTIO__SLOT_SLACK;
  const char *at = data;
  uint64_t items[BLOCK];
  for (size_t done = 0; done < count;) {
    const size_t left = count - done, size = left < BLOCK ? left : BLOCK;
    put_slots_of(&plan, room, gather(type, at, stride, size, items), size, slots + done * FASTIO__SLOT, lengths + done);
    at += stride * (int64_t)size;
    done += size;
  }
}
