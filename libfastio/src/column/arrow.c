/* Arrow C Data Interface (https://arrow.apache.org/docs/format/CDataInterface.html): columns already have Arrow's
 * layout, so an export only fills the structs and adds an owner. */
#include "column.h"

#include <stdlib.h>

static const char *format_of(fastio_type type) {
  switch (type) {
    case FASTIO_INT8: return "c";
    case FASTIO_INT16: return "s";
    case FASTIO_INT32: return "i";
    case FASTIO_INT64: return "l";
    case FASTIO_UINT8: return "C";
    case FASTIO_UINT16: return "S";
    case FASTIO_UINT32: return "I";
    case FASTIO_UINT64: return "L";
    case FASTIO_FLOAT32: return "f";
    case FASTIO_FLOAT64: return "g";
    case FASTIO_STRING: return "U";
    case FASTIO_BINARY: return "Z";
    case FASTIO_BOOL: return "b";
    case FASTIO_DATE: return "tdD";
    case FASTIO_TIME: return "ttn";
    case FASTIO_TIMESTAMP: return "tsn:";
    case FASTIO_TIMESTAMP_UTC: return "tsn:UTC";
    case FASTIO_DICTIONARY: return "i"; /* of the indices */
  }
  return NULL;
}

/* What an exported schema owns. Each struct owns its own, since a consumer may take a child away and release the rest. */
typedef struct schema_parts {
  struct ArrowSchema dictionary;
  char name[];
} schema_parts;

static void schema_release(struct ArrowSchema *schema) {
  schema_parts *parts = schema->private_data;
  if (parts->dictionary.release) parts->dictionary.release(&parts->dictionary);
  free(parts);
  schema->release = NULL;
}

fastio_status fastio__export_schema(const fastio_column *column, fastio_bytes name, struct ArrowSchema *out,
                                    fastio_error *err) {
  static const fastio_bytes no_name = {"", 0};
  schema_parts *parts = calloc(1, sizeof *parts + name.size + 1);
  fastio_status status = FASTIO_OK;
  if (!parts) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  if (column->dictionary) status = fastio__export_schema(column->dictionary, no_name, &parts->dictionary, err);
  if (status != FASTIO_OK) {
    free(parts);
    return status;
  }
  if (name.size) memcpy(parts->name, name.data, name.size);
  memset(out, 0, sizeof *out);
  out->format = format_of(column->type);
  out->name = parts->name;
  out->flags = ARROW_FLAG_NULLABLE;
  out->dictionary = column->dictionary ? &parts->dictionary : NULL;
  out->private_data = parts;
  out->release = schema_release;
  return FASTIO_OK;
}

fastio_status fastio_column_export_schema(const fastio_column *column, struct ArrowSchema *out, fastio_error *err) {
  static const fastio_bytes no_name = {"", 0};
  if (!column || !out) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "column and out must not be NULL");
  return fastio__export_schema(column, no_name, out, err);
}

/* A consumer may release on any thread and without our environment: exports come from the C library. */
typedef struct array_parts {
  const fastio_column *column;
  const void *buffers[3];
  struct ArrowArray dictionary;
} array_parts;

static void array_release(struct ArrowArray *array) {
  array_parts *parts = array->private_data;
  if (parts->dictionary.release) parts->dictionary.release(&parts->dictionary);
  fastio_column_free(parts->column);
  free(parts);
  array->release = NULL;
}

static uint64_t count_nulls(const fastio_column *column, uint64_t start, uint64_t length) {
  uint64_t i = start, end = start + length, nulls = 0;
  if (column->null_count == 0) return 0;
  if (length == column->length) return column->null_count;
  for (; i < end && i % 8; i++) nulls += !(column->validity[i / 8] >> (i % 8) & 1);
  for (; end - i >= 8; i += 8) nulls += 8 - fastio__popcount64(column->validity[i / 8]);
  for (; i < end; i++) nulls += !(column->validity[i / 8] >> (i % 8) & 1);
  return nulls;
}

fastio_status fastio_column_export_array(const fastio_column *column, uint64_t start, uint64_t length,
                                         struct ArrowArray *out, fastio_error *err) {
  const fastio_column *words;
  array_parts *parts;
  bool is_string;
  if (!column || !out || start > column->length || length > column->length - start)
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the slice does not lie in the column");
  if (!(parts = calloc(1, sizeof *parts))) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  words = column->dictionary;
  if (words && fastio_column_export_array(words, 0, words->length, &parts->dictionary, err) != FASTIO_OK) {
    free(parts);
    return FASTIO_NO_MEMORY;
  }
  is_string = fastio__is_string(column->type);
  fastio_column_retain(column);
  parts->column = column;
  parts->buffers[0] = column->validity;
  parts->buffers[1] = is_string ? (const void *)column->offsets : column->data;
  parts->buffers[2] = column->data;
  memset(out, 0, sizeof *out);
  out->length = (int64_t)length;
  out->null_count = (int64_t)count_nulls(column, start, length);
  out->offset = (int64_t)start;
  out->n_buffers = is_string ? 3 : 2;
  out->buffers = parts->buffers;
  out->dictionary = words ? &parts->dictionary : NULL;
  out->private_data = parts;
  out->release = array_release;
  return FASTIO_OK;
}
