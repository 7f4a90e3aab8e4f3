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
  }
  return NULL;
}

static void schema_release(struct ArrowSchema *schema) { schema->release = NULL; /* all of it is static */ }

fastio_status fastio_column_export_schema(const fastio_column *column, struct ArrowSchema *out, fastio_error *err) {
  if (!column || !out) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "column and out must not be NULL");
  memset(out, 0, sizeof *out);
  out->format = format_of(column->type);
  out->name = "";
  out->flags = ARROW_FLAG_NULLABLE;
  out->release = schema_release;
  return FASTIO_OK;
}

typedef struct exported {
  const fastio_column *column;
  const void *buffers[3];
} exported;

/* A consumer may release on any thread and without our environment: exports come from the C library. */
static void array_release(struct ArrowArray *array) {
  exported *private = array->private_data;
  fastio_column_free(private->column);
  free(private);
  array->release = NULL;
}

static uint64_t count_nulls(const fastio_column *column, uint64_t start, uint64_t length) {
  uint64_t nulls = 0;
  if (column->null_count == 0) return 0;
  if (length == column->length) return column->null_count;
  for (uint64_t i = start; i < start + length; i++) nulls += !(column->validity[i / 8] >> (i % 8) & 1);
  return nulls;
}

fastio_status fastio_column_export_array(const fastio_column *column, uint64_t start, uint64_t length,
                                         struct ArrowArray *out, fastio_error *err) {
  exported *private;
  bool is_string;
  if (!column || !out || start > column->length || length > column->length - start)
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the slice does not lie in the column");
  if (!(private = malloc(sizeof *private))) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  is_string = column->type == FASTIO_STRING || column->type == FASTIO_BINARY;
  fastio_column_retain(column);
  private->column = column;
  private->buffers[0] = column->validity;
  private->buffers[1] = is_string ? (const void *)column->offsets : column->data;
  private->buffers[2] = column->data;
  memset(out, 0, sizeof *out);
  out->length = (int64_t)length;
  out->null_count = (int64_t)count_nulls(column, start, length);
  out->offset = (int64_t)start;
  out->n_buffers = is_string ? 3 : 2;
  out->buffers = private->buffers;
  out->private_data = private;
  out->release = array_release;
  return FASTIO_OK;
}
