/* The value types: their names and sizes. */
#include "core.h"

static const struct {
  const char *name;
  size_t size;
} types[] = {
    [FASTIO_INT8] = {"int8", 1},
    [FASTIO_INT16] = {"int16", 2},
    [FASTIO_INT32] = {"int32", 4},
    [FASTIO_INT64] = {"int64", 8},
    [FASTIO_UINT8] = {"uint8", 1},
    [FASTIO_UINT16] = {"uint16", 2},
    [FASTIO_UINT32] = {"uint32", 4},
    [FASTIO_UINT64] = {"uint64", 8},
    [FASTIO_FLOAT32] = {"float32", 4},
    [FASTIO_FLOAT64] = {"float64", 8},
    [FASTIO_STRING] = {"string", 0},
    [FASTIO_BINARY] = {"binary", 0},
    [FASTIO_BOOL] = {"bool", 0},
    [FASTIO_DATE] = {"date", 4},
    [FASTIO_TIME] = {"time", 8},
    [FASTIO_TIMESTAMP] = {"timestamp[ns]", 8},
    [FASTIO_TIMESTAMP_UTC] = {"timestamp[ns, UTC]", 8},
    [FASTIO_DICTIONARY] = {"dictionary", 4},
};
enum { TYPE_COUNT = sizeof types / sizeof types[0] };

const char *fastio_type_name(fastio_type type) { return (unsigned)type < TYPE_COUNT ? types[type].name : NULL; }

size_t fastio_type_size(fastio_type type) { return (unsigned)type < TYPE_COUNT ? types[type].size : 0; }

fastio_type fastio_type_from_name(const char *name) {
  for (unsigned type = FASTIO_INT8; type < TYPE_COUNT; type++)
    if (name && strcmp(types[type].name, name) == 0) return (fastio_type)type;
  return (fastio_type)0;
}

const char *fastio__range_message(fastio_type type) {
  switch (type) {
    case FASTIO_INT8: return "integer out of range for int8";
    case FASTIO_INT16: return "integer out of range for int16";
    case FASTIO_INT32: return "integer out of range for int32";
    case FASTIO_INT64: return "integer out of range for int64";
    case FASTIO_UINT8: return "integer out of range for uint8";
    case FASTIO_UINT16: return "integer out of range for uint16";
    case FASTIO_UINT32: return "integer out of range for uint32";
    case FASTIO_UINT64: return "integer out of range for uint64";
    case FASTIO_FLOAT32: return "number out of range for float32";
    case FASTIO_FLOAT64: return "number out of range for float64";
    default: return NULL;
  }
}
