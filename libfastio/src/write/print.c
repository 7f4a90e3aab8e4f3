/* Records of values of any type, as the macros of fastio_print.h hand them over. */
#include "../../include/fastio_print.h"
#include "../core/core.h"
#include "writer.h"

/* ---- Before anything is written ---- */

static const char *value_fault(const fastio_value *value) {
  const bool has_text = value->kind == FASTIO_VALUE_TEXT || value->kind == FASTIO_VALUE_HEX_BYTES;
  if (has_text && !value->data && value->number > 0) return "the text is NULL";
  if (value->kind == FASTIO_VALUE_CUSTOM && !value->with.function) return "the function is NULL";
  return NULL;
}

static fastio_status check_value(const fastio_value *value, fastio_error *err) {
  const char *fault = value_fault(value);
  if (fault) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, fault);
  return value->is_formatted ? fastio_format_check(&value->format, err) : FASTIO_OK;
}

/* ---- One value ---- */

static double real_of(const fastio_value *value) {
  double real;
  memcpy(&real, &value->number, sizeof real);
  return real;
}

static size_t size_of(const fastio_value *value) { return (size_t)value->number; }

static fastio_status put_character(fastio_writer *writer, const fastio_value *value, fastio_error *err) {
  const char character = (char)value->number;
  return fastio_write_text_as(writer, &character, 1, value->is_formatted ? &value->format : NULL, err);
}

static fastio_status put_hex_bytes(fastio_writer *writer, const fastio_value *value, fastio_error *err) {
  const int upper = value->is_formatted && (value->format.flags & FASTIO_FORMAT_UPPER);
  return fastio_write_hex(writer, value->data, size_of(value), upper, err);
}

static fastio_status put_array(fastio_writer *writer, const fastio_value *value, fastio_error *err) {
  const char *separator = value->with.separator ? value->with.separator : "";
  const fastio_array array = {(fastio_type)value->type, value->data, 1, value->number, 0, 0, NULL};
  fastio_array_options options = FASTIO_ARRAY_OPTIONS_INIT;
  options.separator = (fastio_bytes){separator, strlen(separator)};
  options.end = (fastio_bytes){"", 0};
  options.formats = &value->format;
  options.format_count = value->is_formatted ? 1 : 0;
  return fastio_write_array(writer, &array, &options, err);
}

/* The user's function may fail without a word. */
static fastio_status put_custom(fastio_writer *writer, const fastio_value *value, fastio_error *err) {
  fastio_error own;
  fastio_status status;
  fastio_error_init(&own);
  status = value->with.function(writer, value->data, &own);
  if (status == FASTIO_OK) return FASTIO_OK;
  if (own.status != status) return fastio__fail(err, status, NULL);
  if (err) *err = own;
  return status;
}

static fastio_status put_plain(fastio_writer *writer, const fastio_value *value, fastio_error *err) {
  switch (value->kind) {
    case FASTIO_VALUE_SIGNED: return fastio_write_i64(writer, (int64_t)value->number, err);
    case FASTIO_VALUE_UNSIGNED: return fastio_write_u64(writer, value->number, err);
    case FASTIO_VALUE_FLOAT: return fastio_write_f32(writer, (float)real_of(value), err);
    case FASTIO_VALUE_DOUBLE: return fastio_write_f64(writer, real_of(value), err);
    case FASTIO_VALUE_ARRAY: return put_array(writer, value, err);
    case FASTIO_VALUE_TEXT: return fastio_write(writer, value->data, size_of(value), err);
    case FASTIO_VALUE_CHARACTER: return put_character(writer, value, err);
    case FASTIO_VALUE_BOOL: return fastio_write_bool(writer, value->number != 0, err);
    case FASTIO_VALUE_DATE: return fastio_write_date(writer, (int32_t)value->number, err);
    case FASTIO_VALUE_TIME: return fastio_write_time(writer, (int64_t)value->number, err);
    case FASTIO_VALUE_TIMESTAMP:
      return fastio_write_timestamp(writer, (int64_t)value->number, (fastio_type)value->type, err);
    case FASTIO_VALUE_HEX_BYTES: return put_hex_bytes(writer, value, err);
    case FASTIO_VALUE_CUSTOM: return put_custom(writer, value, err);
    default: return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "unknown kind of value");
  }
}

/* In a field of a width: what it would write goes to memory first, and is then a text. */
static fastio_status put_wide(fastio_writer *writer, const fastio_value *value, fastio_error *err) {
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  fastio_writer *memory;
  fastio_bytes text = {NULL, 0};
  fastio_status status;
  options.env = fastio__writer_env(writer);
  status = fastio_writer_memory(&options, &memory, err);
  if (status != FASTIO_OK) return status;
  status = put_plain(memory, value, err);
  if (status == FASTIO_OK) status = fastio_writer_bytes(memory, &text, err);
  if (status == FASTIO_OK) status = fastio_write_text_as(writer, text.data, text.size, &value->format, err);
  fastio_writer_discard(memory);
  return status;
}

static fastio_status put(fastio_writer *writer, const fastio_value *value, fastio_error *err) {
  const fastio_format *format = &value->format;
  if (FASTIO__LIKELY(!value->is_formatted)) return put_plain(writer, value, err);
  switch (value->kind) {
    case FASTIO_VALUE_SIGNED: return fastio_write_i64_as(writer, (int64_t)value->number, format, err);
    case FASTIO_VALUE_UNSIGNED: return fastio_write_u64_as(writer, value->number, format, err);
    case FASTIO_VALUE_FLOAT: return fastio_write_f32_as(writer, (float)real_of(value), format, err);
    case FASTIO_VALUE_DOUBLE: return fastio_write_f64_as(writer, real_of(value), format, err);
    case FASTIO_VALUE_TEXT: return fastio_write_text_as(writer, value->data, size_of(value), format, err);
    case FASTIO_VALUE_CHARACTER: return put_character(writer, value, err);
    case FASTIO_VALUE_ARRAY: return put_array(writer, value, err);
    default: return format->width > 0 ? put_wide(writer, value, err) : put_plain(writer, value, err);
  }
}

/* ---- All of them ---- */

static fastio_status of_value(fastio_status status, size_t index, fastio_error *err) {
  if (status != FASTIO_OK && err) err->field = index + 1;
  return status;
}

static fastio_status check_values(const fastio_value *values, size_t count, fastio_error *err) {
  fastio_status status = FASTIO_OK;
  for (size_t i = 0; i < count && status == FASTIO_OK; i++) status = of_value(check_value(&values[i], err), i, err);
  return status;
}

static fastio_status put_values(fastio_writer *writer, const fastio_value *values, size_t count, int newline,
                                fastio_error *err) {
  for (size_t i = 0; i < count; i++) {
    fastio_status status = put(writer, &values[i], err);
    if (status != FASTIO_OK) return of_value(status, i, err);
  }
  return newline ? fastio_write(writer, "\n", 1, err) : FASTIO_OK;
}

fastio_status fastio_print_values(fastio_writer *writer, const fastio_value *values, size_t count, int newline,
                                  fastio_error *err) {
  fastio_status status, unlocked;
  if (!writer) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the writer is NULL");
  status = check_values(values, count, err);
  if (status != FASTIO_OK) return status;
  /* With room in sight the writer's buffer is this thread's alone. */
  if (FASTIO__LIKELY(writer->at != writer->end)) return put_values(writer, values, count, newline, err);
  status = put_values(fastio_writer_lock(writer), values, count, newline, err);
  unlocked = fastio_writer_unlock(writer, status == FASTIO_OK ? err : NULL);
  return status != FASTIO_OK ? status : unlocked;
}

/* ---- Into memory ---- */

static char *copy_text(const fastio_env *env, fastio_writer *memory) {
  fastio_bytes text;
  char *copy;
  if (fastio_writer_bytes(memory, &text, NULL) != FASTIO_OK) return NULL;
  copy = fastio__allocate(env, text.size + 1);
  if (!copy) return NULL;
  if (text.size > 0) memcpy(copy, text.data, text.size);
  copy[text.size] = 0;
  return copy;
}

char *fastio_concat_values(const fastio_env *env, const fastio_value *values, size_t count) {
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  fastio_writer *memory;
  char *text = NULL;
  options.env = env;
  if (fastio_writer_memory(&options, &memory, NULL) != FASTIO_OK) return NULL;
  if (fastio_print_values(memory, values, count, 0, NULL) == FASTIO_OK) text = copy_text(env, memory);
  fastio_writer_discard(memory);
  return text;
}
