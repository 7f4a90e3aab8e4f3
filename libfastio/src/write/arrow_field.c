/* Arrow's format strings and buffers (https://arrow.apache.org/docs/format/CDataInterface.html) as fields. */
#include "arrow_field.h"

#include <stdlib.h>

/* ---- types ---- */

typedef struct arrow_type {
  const char *format;
  fastio__field_kind kind;
  fastio_type type;
  int8_t stride;
  int64_t unit;
} arrow_type;

#define SECOND INT64_C(1000000000)

/* Formats that end in ':' go on with a time zone. */
static const arrow_type known[] = {
    {"n", FASTIO__FIELD_MISSING, (fastio_type)0, 0, 0},
    {"b", FASTIO__FIELD_BITS, FASTIO_BOOL, 0, 0},
    {"c", FASTIO__FIELD_VALUES, FASTIO_INT8, 1, 0},
    {"C", FASTIO__FIELD_VALUES, FASTIO_UINT8, 1, 0},
    {"s", FASTIO__FIELD_VALUES, FASTIO_INT16, 2, 0},
    {"S", FASTIO__FIELD_VALUES, FASTIO_UINT16, 2, 0},
    {"i", FASTIO__FIELD_VALUES, FASTIO_INT32, 4, 0},
    {"I", FASTIO__FIELD_VALUES, FASTIO_UINT32, 4, 0},
    {"l", FASTIO__FIELD_VALUES, FASTIO_INT64, 8, 0},
    {"L", FASTIO__FIELD_VALUES, FASTIO_UINT64, 8, 0},
    {"e", FASTIO__FIELD_HALVES, FASTIO_FLOAT64, 2, 0},
    {"f", FASTIO__FIELD_VALUES, FASTIO_FLOAT32, 4, 0},
    {"g", FASTIO__FIELD_VALUES, FASTIO_FLOAT64, 8, 0},
    {"u", FASTIO__FIELD_TEXTS32, FASTIO_STRING, 0, 0},
    {"z", FASTIO__FIELD_TEXTS32, FASTIO_BINARY, 0, 0},
    {"U", FASTIO__FIELD_TEXTS64, FASTIO_STRING, 0, 0},
    {"Z", FASTIO__FIELD_TEXTS64, FASTIO_BINARY, 0, 0},
    {"vu", FASTIO__FIELD_VIEWS, FASTIO_STRING, 16, 0},
    {"vz", FASTIO__FIELD_VIEWS, FASTIO_BINARY, 16, 0},
    {"tdD", FASTIO__FIELD_VALUES, FASTIO_DATE, 4, 0},
    {"tdm", FASTIO__FIELD_TIMES, FASTIO_DATE, 8, SECOND / 1000},
    {"tts", FASTIO__FIELD_TIMES, FASTIO_TIME, 4, SECOND},
    {"ttm", FASTIO__FIELD_TIMES, FASTIO_TIME, 4, SECOND / 1000},
    {"ttu", FASTIO__FIELD_TIMES, FASTIO_TIME, 8, SECOND / 1000000},
    {"ttn", FASTIO__FIELD_VALUES, FASTIO_TIME, 8, 1},
    {"tss:", FASTIO__FIELD_TIMES, FASTIO_TIMESTAMP, 8, SECOND},
    {"tsm:", FASTIO__FIELD_TIMES, FASTIO_TIMESTAMP, 8, SECOND / 1000},
    {"tsu:", FASTIO__FIELD_TIMES, FASTIO_TIMESTAMP, 8, SECOND / 1000000},
    {"tsn:", FASTIO__FIELD_VALUES, FASTIO_TIMESTAMP, 8, 1},
};

static const arrow_type *find_type(const char *format) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const char *name = known[i].format;
    const size_t size = strlen(name);
    if (strncmp(format, name, size) == 0 && (format[size] == '\0' || name[size - 1] == ':')) return &known[i];
  }
  return NULL;
}

/* "d:precision,scale" of 128 bits, or with ",bits" behind. */
static bool read_decimal(const char *format, fastio__field *field) {
  char *end;
  long scale, bits = 128;
  if (strncmp(format, "d:", 2) != 0) return false;
  (void)strtol(format + 2, &end, 10);
  if (*end != ',') return false;
  scale = strtol(end + 1, &end, 10);
  if (*end == ',') bits = strtol(end + 1, &end, 10);
  if (*end || (bits != 32 && bits != 64 && bits != 128 && bits != 256)) return false;
  if (scale > FASTIO__SCALE_MAX || scale < -FASTIO__SCALE_MAX) return false;
  field->kind = FASTIO__FIELD_DECIMALS;
  field->stride = bits / 8;
  field->scale = (int)scale;
  return true;
}

fastio_status fastio__arrow_type(const struct ArrowSchema *schema, fastio__field *field, fastio__field *dictionary,
                                 fastio_error *err) {
  const arrow_type *type = find_type(schema->format);
  memset(field, 0, sizeof *field);
  if (!type && read_decimal(schema->format, field) && !schema->dictionary) return FASTIO_OK;
  if (!type) return fastio__fail(err, FASTIO_UNSUPPORTED, "there is no text for columns of this type");
  field->kind = type->kind;
  field->type = type->type;
  field->stride = type->stride;
  field->unit = type->unit;
  if (type->type == FASTIO_TIMESTAMP && schema->format[strlen(type->format)]) field->type = FASTIO_TIMESTAMP_UTC;
  if (!schema->dictionary) return FASTIO_OK;
  if (!fastio__is_integer(type->type) || !dictionary)
    return fastio__fail(err, FASTIO_UNSUPPORTED, "there is no text for dictionaries of this type");
  field->kind = FASTIO__FIELD_INDICES;
  field->dictionary = dictionary;
  return fastio__arrow_type(schema->dictionary, dictionary, NULL, err);
}

/* ---- arrays ---- */

static int64_t least_buffers(fastio__field_kind kind) {
  switch (kind) {
    case FASTIO__FIELD_MISSING: return 0;
    case FASTIO__FIELD_TEXTS32:
    case FASTIO__FIELD_TEXTS64:
    case FASTIO__FIELD_VIEWS: return 3;
    default: return 2;
  }
}

static bool has_buffers(const struct ArrowArray *array, fastio__field_kind kind) {
  if (array->n_buffers < least_buffers(kind)) return false;
  return array->length == 0 || kind == FASTIO__FIELD_MISSING || array->buffers[1];
}

static fastio__bits validity_of(const struct ArrowArray *array, uint64_t start) {
  const bool has_nulls = array->n_buffers > 0 && array->null_count != 0 && array->buffers[0];
  return has_nulls ? (fastio__bits){array->buffers[0], start} : (fastio__bits){NULL, 0};
}

static const uint8_t *bytes_or_none(const void *data) {
  static const uint8_t none[1] = {0};
  return data ? data : none;
}

static void bind_texts(const struct ArrowArray *array, uint64_t start, fastio__field *field) {
  const bool is_long = field->kind == FASTIO__FIELD_TEXTS64;
  const char *offsets = (const char *)array->buffers[1] + start * (is_long ? 8 : 4);
  int64_t end;
  int32_t short_end;
  memcpy(&short_end, offsets + field->length * 4, sizeof short_end);
  if (is_long) memcpy(&end, offsets + field->length * 8, sizeof end);
  field->offsets = offsets;
  field->text_end = (uint64_t)(is_long ? end : short_end);
  field->data = bytes_or_none(array->buffers[2]);
}

/* Points the field at the values from `start` on. */
static void bind_values(const struct ArrowArray *array, uint64_t start, fastio__field *field) {
  const void **buffers = array->buffers;
  switch (field->kind) {
    case FASTIO__FIELD_MISSING: break;
    case FASTIO__FIELD_BITS: field->bits = (fastio__bits){buffers[1], start}; break;
    case FASTIO__FIELD_TEXTS32:
    case FASTIO__FIELD_TEXTS64: bind_texts(array, start, field); break;
    case FASTIO__FIELD_VIEWS: field->buffers = (const void *const *)buffers + 2; /* fall through */
    default: field->data = (const uint8_t *)buffers[1] + start * (uint64_t)field->stride; break;
  }
}

static fastio_status bind(const struct ArrowArray *array, uint64_t skipped, uint64_t rows, fastio__field *field,
                          fastio_error *err) {
  if (!array || array->length < 0 || array->offset < 0 || (uint64_t)array->length < skipped ||
      (uint64_t)array->length - skipped < rows || !has_buffers(array, field->kind))
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "an array of the stream is not what its schema says");
  const uint64_t start = (uint64_t)array->offset + skipped;
  field->length = rows;
  field->present[0] = validity_of(array, start);
  if (rows > 0) bind_values(array, start, field);
  return FASTIO_OK;
}

fastio_status fastio__arrow_bind(const struct ArrowArray *parent, const struct ArrowArray *array, fastio__field *field,
                                 fastio__field *dictionary, fastio_error *err) {
  const uint64_t skipped = (uint64_t)parent->offset, rows = (uint64_t)parent->length;
  fastio_status status = bind(array, skipped, rows, field, err);
  if (status != FASTIO_OK) return status;
  field->present[1] = validity_of(parent, skipped);
  if (field->kind != FASTIO__FIELD_INDICES) return FASTIO_OK;
  field->dictionary = dictionary;
  return bind(array->dictionary, 0, array->dictionary ? (uint64_t)array->dictionary->length : 0, dictionary, err);
}
