/* Single values into a writer: formatted in its buffer where there is room, else beside it. */
#include "../core/core.h"
#include "../number/decimal.h"

static size_t room(const fastio_writer *writer) { return (size_t)(writer->end - writer->at); }

/* The minus is written in any case: signs are as often random as not. */
FASTIO__INLINE char *put_i64(int64_t value, char *out) {
  const bool negative = value < 0;
  *out = '-';
  return fastio__put_decimal(negative ? 0 - (uint64_t)value : (uint64_t)value, out + negative);
}

/* Beside the buffer, and from there through what looks at every call. Not inlined: its text would cost the usual way
 * registers. */
static FASTIO__NOINLINE fastio_status write_i64_beside(fastio_writer *writer, int64_t value, fastio_error *err) {
  char text[FASTIO_FORMAT_MAX];
  return fastio_write(writer, text, (size_t)(put_i64(value, text) - text), err);
}

static FASTIO__NOINLINE fastio_status write_u64_beside(fastio_writer *writer, uint64_t value, fastio_error *err) {
  char text[FASTIO_FORMAT_MAX];
  return fastio_write(writer, text, (size_t)(fastio__put_decimal(value, text) - text), err);
}

static FASTIO__NOINLINE fastio_status write_f32_beside(fastio_writer *writer, float value, fastio_error *err) {
  char text[FASTIO_FORMAT_MAX];
  return fastio_write(writer, text, fastio_format_f32(value, text), err);
}

static FASTIO__NOINLINE fastio_status write_f64_beside(fastio_writer *writer, double value, fastio_error *err) {
  char text[FASTIO_FORMAT_MAX];
  return fastio_write(writer, text, fastio_format_f64(value, text), err);
}

static bool has_room(const fastio_writer *writer) { return FASTIO__LIKELY(room(writer) > FASTIO_FORMAT_MAX); }

fastio_status fastio_write_i64(fastio_writer *writer, int64_t value, fastio_error *err) {
  if (!has_room(writer)) return write_i64_beside(writer, value, err);
  writer->at = put_i64(value, writer->at);
  return FASTIO_OK;
}

fastio_status fastio_write_u64(fastio_writer *writer, uint64_t value, fastio_error *err) {
  if (!has_room(writer)) return write_u64_beside(writer, value, err);
  writer->at = fastio__put_decimal(value, writer->at);
  return FASTIO_OK;
}

fastio_status fastio_write_f32(fastio_writer *writer, float value, fastio_error *err) {
  if (!has_room(writer)) return write_f32_beside(writer, value, err);
  writer->at += fastio_format_f32(value, writer->at);
  return FASTIO_OK;
}

fastio_status fastio_write_f64(fastio_writer *writer, double value, fastio_error *err) {
  if (!has_room(writer)) return write_f64_beside(writer, value, err);
  writer->at += fastio_format_f64(value, writer->at);
  return FASTIO_OK;
}

fastio_status fastio_write_timestamp(fastio_writer *writer, int64_t nanoseconds, fastio_type type, fastio_error *err) {
  char text[FASTIO_FORMAT_MAX];
  return fastio_write(writer, text, fastio_format_timestamp(nanoseconds, type, text), err);
}

fastio_status fastio_write_date(fastio_writer *writer, int32_t days, fastio_error *err) {
  char text[FASTIO_FORMAT_MAX];
  size_t size = fastio_format_date(days, text);
  if (size == 0) return fastio__fail(err, FASTIO_OUT_OF_RANGE, "dates are of the years 1 to 9999");
  return fastio_write(writer, text, size, err);
}

fastio_status fastio_write_time(fastio_writer *writer, int64_t nanoseconds, fastio_error *err) {
  char text[FASTIO_FORMAT_MAX];
  size_t size = fastio_format_time(nanoseconds, text);
  if (size == 0) return fastio__fail(err, FASTIO_OUT_OF_RANGE, "times are of one day");
  return fastio_write(writer, text, size, err);
}

fastio_status fastio_write_bool(fastio_writer *writer, int value, fastio_error *err) {
  return value ? fastio_write(writer, "true", 4, err) : fastio_write(writer, "false", 5, err);
}

fastio_status fastio_write_pointer(fastio_writer *writer, const void *value, fastio_error *err) {
  char text[2 + FASTIO_FORMAT_MAX] = "0x";
  return fastio_write(writer, text, 2 + fastio_format_u64((uintptr_t)value, 16, text + 2), err);
}

fastio_status fastio_write_text(fastio_writer *writer, const char *text, fastio_error *err) {
  return fastio_write(writer, text, strlen(text), err);
}

/* Any size, in bounded memory, and still one call to those who share the writer. */
fastio_status fastio_write_hex(fastio_writer *writer, const void *data, size_t size, int upper, fastio_error *err) {
  enum { STEP = 512 };
  const char *bytes = data;
  char text[2 * STEP];
  fastio_writer *alone = fastio_writer_lock(writer);
  fastio_status status = FASTIO_OK, unlocked;
  for (size_t done = 0, part; status == FASTIO_OK && done < size; done += part) {
    part = size - done < STEP ? size - done : STEP;
    status = fastio_write(alone, text, fastio_format_hex(bytes + done, part, upper, text), err);
  }
  unlocked = fastio_writer_unlock(writer, status == FASTIO_OK ? err : NULL);
  return status == FASTIO_OK ? unlocked : status;
}

/* ---- in a format ----
 * Straight into the buffer; a text that has no room there has at least told its size. */

#define WRITE_FORMATTED(format_as)                                                               \
  size_t capacity = room(writer) ? room(writer) - 1 : 0, size = format_as(writer->at, capacity); \
  char *out;                                                                                     \
  if (FASTIO__LIKELY(size <= capacity && capacity > 0)) {                                        \
    writer->at += size;                                                                          \
    return FASTIO_OK;                                                                            \
  }                                                                                              \
  if (size == SIZE_MAX) return fastio_format_check(format, err);                                 \
  if (!(out = fastio_reserve(writer, size, err))) return reserve_failed(writer, err);            \
  (void)format_as(out, size);                                                                    \
  return fastio_commit(writer, out + size, err)

/* A failure of the writer has stayed with it. */
static fastio_status reserve_failed(const fastio_writer *writer, fastio_error *err) {
  return fastio_writer_error(writer, err);
}

fastio_status fastio_write_i64_as(fastio_writer *writer, int64_t value, const fastio_format *format,
                                  fastio_error *err) {
#define FORMAT(out, capacity) fastio_format_i64_as(value, format, out, capacity)
  WRITE_FORMATTED(FORMAT);
#undef FORMAT
}

fastio_status fastio_write_u64_as(fastio_writer *writer, uint64_t value, const fastio_format *format,
                                  fastio_error *err) {
#define FORMAT(out, capacity) fastio_format_u64_as(value, format, out, capacity)
  WRITE_FORMATTED(FORMAT);
#undef FORMAT
}

fastio_status fastio_write_f32_as(fastio_writer *writer, float value, const fastio_format *format, fastio_error *err) {
#define FORMAT(out, capacity) fastio_format_f32_as(value, format, out, capacity)
  WRITE_FORMATTED(FORMAT);
#undef FORMAT
}

fastio_status fastio_write_f64_as(fastio_writer *writer, double value, const fastio_format *format, fastio_error *err) {
#define FORMAT(out, capacity) fastio_format_f64_as(value, format, out, capacity)
  WRITE_FORMATTED(FORMAT);
#undef FORMAT
}

fastio_status fastio_write_text_as(fastio_writer *writer, const void *data, size_t size, const fastio_format *format,
                                   fastio_error *err) {
  if (!format) return fastio_write(writer, data, size, err);
  {
    const size_t text_size = size;
#define FORMAT(out, capacity) fastio_format_text_as(data, text_size, format, out, capacity)
    WRITE_FORMATTED(FORMAT);
#undef FORMAT
  }
}
