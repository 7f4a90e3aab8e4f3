/* Values into the caller's places, as the macros of fastio_print.h hand them over. Each place is filled or untouched; a
 * token that does not fit stays. */
#include "../../include/fastio_print.h"
#include "../number/number.h"
#include "reader.h"

/* ---- Numbers ---- */

static fastio_status scan_between(fastio_reader *reader, const fastio_target *target, int64_t low, int64_t high,
                                  fastio_error *err) {
  int64_t value;
  fastio_status status = fastio__next_between(reader, low, high, &value, err);
  if (status != FASTIO_OK) return status;
  switch (fastio_type_size(target->type)) {
    case 1: *(uint8_t *)target->place = (uint8_t)value; break;
    case 2: *(uint16_t *)target->place = (uint16_t)value; break;
    default: *(uint32_t *)target->place = (uint32_t)value; break;
  }
  return FASTIO_OK;
}

/* ---- Words and moments: a whole token ---- */

static fastio_status parse_word(const fastio_target *target, const char *data, size_t size, const char **message) {
  const uint8_t *bytes = (const uint8_t *)data;
  int zone;
  switch (target->type) {
    case FASTIO_BOOL: *message = "neither true nor false"; return fastio__parse_bool(bytes, size, target->place);
    case FASTIO_DATE: *message = "not a date"; return fastio__parse_date(bytes, size, target->place, NULL);
    case FASTIO_TIME: *message = "not a time of day"; return fastio__parse_time(bytes, size, target->place, NULL);
    case FASTIO_TIMESTAMP:
      *message = "not a timestamp";
      return fastio__parse_timestamp(bytes, size, target->place, &zone, NULL);
    default: *message = "not a type that can be read"; return FASTIO_INVALID_ARGUMENT;
  }
}

static fastio_status scan_word(fastio_reader *reader, const fastio_target *target, fastio_error *err) {
  const char *data, *message = NULL;
  size_t size;
  fastio_status status = fastio_peek_token(reader, &data, &size, err);
  if (status != FASTIO_OK) return status;
  status = parse_word(target, data, size, &message);
  if (status != FASTIO_OK)
    return fastio_reader_fail(reader, status, status == FASTIO_OUT_OF_RANGE ? NULL : message, err);
  return fastio_skip(reader, err);
}

static fastio_status scan_value(fastio_reader *reader, const fastio_target *target, fastio_error *err) {
  switch (target->type) {
    case FASTIO_INT8: return scan_between(reader, target, INT8_MIN, INT8_MAX, err);
    case FASTIO_INT16: return scan_between(reader, target, INT16_MIN, INT16_MAX, err);
    case FASTIO_INT32: return scan_between(reader, target, INT32_MIN, INT32_MAX, err);
    case FASTIO_INT64: return fastio_next_i64(reader, target->place, err);
    case FASTIO_UINT8: return scan_between(reader, target, 0, UINT8_MAX, err);
    case FASTIO_UINT16: return scan_between(reader, target, 0, UINT16_MAX, err);
    case FASTIO_UINT32: return scan_between(reader, target, 0, UINT32_MAX, err);
    case FASTIO_UINT64: return fastio_next_u64(reader, target->place, err);
    case FASTIO_FLOAT32: return fastio_next_f32(reader, target->place, err);
    case FASTIO_FLOAT64: return fastio_next_f64(reader, target->place, err);
    default: return scan_word(reader, target, err);
  }
}

/* ---- Texts ---- */

static void store_text(const fastio_target *target, const char *data, size_t size) {
  char *place = target->place;
  if (size > 0) memcpy(place, data, size);
  place[size] = 0;
}

static fastio_status scan_token(fastio_reader *reader, const fastio_target *target, fastio_error *err) {
  const char *data;
  size_t size;
  fastio_status status = fastio_peek_token(reader, &data, &size, err);
  if (status != FASTIO_OK) return status;
  if (size >= target->capacity)
    return fastio_reader_fail(reader, FASTIO_OUT_OF_RANGE, "the token is longer than the room for it", err);
  store_text(target, data, size);
  return fastio_skip(reader, err);
}

static fastio_status scan_line(fastio_reader *reader, const fastio_target *target, fastio_error *err) {
  const char *data;
  size_t size;
  fastio_status status;
  if (target->capacity == 0) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "no room for a line");
  status = fastio__next_line_within(reader, target->capacity - 1, &data, &size, err);
  if (status == FASTIO_OK) store_text(target, data, size);
  return status;
}

static fastio_status scan_custom(fastio_reader *reader, const fastio_target *target, fastio_error *err) {
  fastio_error own;
  fastio_status status;
  fastio_error_init(&own);
  status = target->function(reader, target->place, &own);
  if (status == FASTIO_OK) return FASTIO_OK;
  if (own.status != status) return fastio_reader_fail(reader, status, NULL, err);
  if (err) *err = own;
  return status;
}

/* ---- All of them ---- */

static fastio_status scan_target(fastio_reader *reader, const fastio_target *target, fastio_error *err) {
  switch (target->kind) {
    case FASTIO_TARGET_VALUE: return scan_value(reader, target, err);
    case FASTIO_TARGET_TOKEN: return scan_token(reader, target, err);
    case FASTIO_TARGET_LINE: return scan_line(reader, target, err);
    case FASTIO_TARGET_EXPECTED: return fastio_expect(reader, target->text, strlen(target->text), err);
    case FASTIO_TARGET_CUSTOM: return scan_custom(reader, target, err);
    default: return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "unknown kind of target");
  }
}

fastio_status fastio_scan_targets(fastio_reader *reader, const fastio_target *targets, size_t count,
                                  fastio_error *err) {
  if (!reader) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the reader is NULL");
  for (size_t i = 0; i < count; i++) {
    fastio_status status = scan_target(reader, &targets[i], err);
    if (status == FASTIO_OK) continue;
    if (err) err->field = i + 1;
    return status;
  }
  return FASTIO_OK;
}
