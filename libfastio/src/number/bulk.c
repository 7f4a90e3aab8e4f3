/* Many values at once: the kernels where they know the shape, the one-token parsers for everything else. */
#include "number.h"

#include <math.h>

/* ---- one token of any type ---- */

typedef struct limits {
  int64_t min;
  uint64_t max;
} limits;

static limits limits_of(fastio_type type) {
  switch (type) {
    case FASTIO_INT8: return (limits){INT8_MIN, INT8_MAX};
    case FASTIO_INT16: return (limits){INT16_MIN, INT16_MAX};
    case FASTIO_INT32: return (limits){INT32_MIN, INT32_MAX};
    case FASTIO_UINT8: return (limits){0, UINT8_MAX};
    case FASTIO_UINT16: return (limits){0, UINT16_MAX};
    case FASTIO_UINT32: return (limits){0, UINT32_MAX};
    default: return (limits){INT64_MIN, INT64_MAX};
  }
}

/* Stores the low bytes of the value: out[index] of an integer type of `width` bytes. */
static void store_int(void *out, size_t index, size_t width, uint64_t value) {
  switch (width) {
    case 1: ((uint8_t *)out)[index] = (uint8_t)value; break;
    case 2: ((uint16_t *)out)[index] = (uint16_t)value; break;
    case 4: ((uint32_t *)out)[index] = (uint32_t)value; break;
    default: ((uint64_t *)out)[index] = value; break;
  }
}

static fastio_status convert_int(const fastio__grammar *grammar, fastio_type type, const fastio__token *token,
                                 void *out, size_t index) {
  size_t size = (size_t)(token->end - token->start);
  limits range = limits_of(type);
  fastio_status status;
  int64_t value;
  if (type == FASTIO_UINT64) {
    uint64_t unsigned_value;
    status = fastio__parse_u64(token->start, size, grammar->base, &unsigned_value, NULL);
    if (status == FASTIO_OK) store_int(out, index, 8, unsigned_value);
    return status;
  }
  status = fastio__parse_i64(token->start, size, grammar->base, &value, NULL);
  if (status != FASTIO_OK) return status;
  if (value < range.min || (value > 0 && (uint64_t)value > range.max)) return FASTIO_OUT_OF_RANGE;
  store_int(out, index, fastio_type_size(type), (uint64_t)value);
  return FASTIO_OK;
}

static fastio_status convert_float(const fastio__grammar *grammar, fastio_type type, const fastio__token *token,
                                   void *out, size_t index) {
  size_t size = (size_t)(token->end - token->start);
  fastio_status status;
  bool infinite;
  if (type == FASTIO_FLOAT32) {
    float value;
    status = fastio__parse_f32(token->start, size, &value, NULL);
    if (status != FASTIO_OK) return status;
    ((float *)out)[index] = value;
    infinite = isinf(value);
  } else {
    double value;
    status = fastio__parse_f64(token->start, size, &value, NULL);
    if (status != FASTIO_OK) return status;
    ((double *)out)[index] = value;
    infinite = isinf(value);
  }
  return infinite && grammar->overflow_is_error && fastio__has_digit(token->start, token->end) ? FASTIO_OUT_OF_RANGE
                                                                                               : FASTIO_OK;
}

static bool is_null(const fastio__grammar *grammar, const fastio__token *token) {
  size_t size = (size_t)(token->end - token->start);
  for (size_t i = 0; i < grammar->null_count; i++)
    if (grammar->nulls[i].size == size && (size == 0 || memcmp(grammar->nulls[i].data, token->start, size) == 0))
      return true;
  return false;
}

/* The token at the cursor into the next slot, whatever it is. */
static fastio_status parse_one(const fastio__grammar *grammar, fastio__cursor *cursor, fastio__bulk *bulk,
                               fastio__token *token) {
  fastio_status status = fastio__token_next(grammar, cursor, token);
  if (status != FASTIO_OK && status != FASTIO_EMPTY_FIELD) return status;
  if (is_null(grammar, token)) {
    size_t width = fastio_type_size(bulk->type);
    memset((char *)bulk->out + bulk->count * width, 0, width);
    status = bulk->on_null(bulk->ctx, bulk->count) ? FASTIO_OK : FASTIO_NO_MEMORY;
  } else if (status == FASTIO_OK) {
    status = fastio__is_float(bulk->type) ? convert_float(grammar, bulk->type, token, bulk->out, bulk->count)
                                          : convert_int(grammar, bulk->type, token, bulk->out, bulk->count);
  }
  if (status != FASTIO_OK) return status;
  bulk->count++;
  fastio__token_take(cursor, token);
  return FASTIO_OK;
}

/* ---- kernels ---- */

/* Kernels know decimal numbers only, and take a null that looks like a number for one. */
static bool kernels_apply(const fastio__grammar *grammar, const fastio__cursor *cursor) {
  double value;
  if (!cursor->padded || grammar->base != 10) return false;
  for (size_t i = 0; i < grammar->null_count; i++)
    if (fastio__parse_f64(grammar->nulls[i].data, grammar->nulls[i].size, &value, NULL) == FASTIO_OK) return false;
  return true;
}

/* Takes over where a kernel stopped. */
static void advance(const fastio__grammar *grammar, fastio__cursor *cursor, const uint8_t *at) {
  if (at == cursor->at) return;
  cursor->in_line = grammar->separator != FASTIO_WHITESPACE && grammar->separator != '\n' && at <= cursor->end &&
                    at[-1] == grammar->separator;
  cursor->at = at < cursor->end ? at : cursor->end;
}

/* Narrow integers go through a block of int64. If one does not fit, the block is undone: parse_one will meet it. */
enum { NARROW_BLOCK = 1024 };

static size_t run_narrow(const fastio__kernels *kernels, const fastio__grammar *grammar, fastio__cursor *cursor,
                         fastio__bulk *bulk) {
  int64_t wide[NARROW_BLOCK];
  size_t width = fastio_type_size(bulk->type), room = bulk->capacity - bulk->count;
  limits range = limits_of(bulk->type);
  const uint8_t *at = cursor->at;
  size_t count = kernels->i64(&at, cursor->end, wide, room < NARROW_BLOCK ? room : NARROW_BLOCK, grammar->separator);
  bool fits = true;
  for (size_t i = 0; i < count; i++) fits &= wide[i] >= range.min && wide[i] <= (int64_t)range.max;
  if (!fits) return 0;
  for (size_t i = 0; i < count; i++) store_int(bulk->out, bulk->count + i, width, (uint64_t)wide[i]);
  advance(grammar, cursor, at);
  return count;
}

/* The floats that a kernel left unrounded. With overflow_is_error, gives up at the first that is too large: returns its
 * place in the list, else the list's length. */
static size_t round_rest(const fastio__grammar *grammar, const fastio__decimals *rest, fastio_type type, void *out) {
  for (size_t i = 0; i < rest->count; i++) {
    const fastio__decimal *decimal = &rest->items[i];
    if (type == FASTIO_FLOAT32) {
      float value = fastio__round_f32(decimal);
      if (grammar->overflow_is_error && isinf(value)) return i;
      ((float *)out)[decimal->index] = value;
    } else {
      double value = fastio__round_f64(decimal);
      if (grammar->overflow_is_error && isinf(value)) return i;
      ((double *)out)[decimal->index] = value;
    }
  }
  return rest->count;
}

static size_t run_float(const fastio__kernels *kernels, const fastio__grammar *grammar, fastio__cursor *cursor,
                        fastio__bulk *bulk) {
  fastio__decimals rest;
  size_t room = bulk->capacity - bulk->count, count, rounded;
  const uint8_t *at = cursor->at;
  void *out = (char *)bulk->out + bulk->count * fastio_type_size(bulk->type);
  rest.count = 0;
  count = bulk->type == FASTIO_FLOAT32 ? kernels->f32(&at, cursor->end, out, room, grammar->separator, &rest)
                                       : kernels->f64(&at, cursor->end, out, room, grammar->separator, &rest);
  rounded = round_rest(grammar, &rest, bulk->type, out);
  if (rounded < rest.count) { /* stop before the token that is out of range: parse_one will meet it */
    count = rest.items[rounded].index;
    at = rest.items[rounded].start;
  }
  advance(grammar, cursor, at);
  return count;
}

static size_t run_kernel(const fastio__kernels *kernels, const fastio__grammar *grammar, fastio__cursor *cursor,
                         fastio__bulk *bulk) {
  size_t room = bulk->capacity - bulk->count, count;
  const uint8_t *at = cursor->at;
  if (fastio__is_float(bulk->type)) return run_float(kernels, grammar, cursor, bulk);
  if (fastio_type_size(bulk->type) < 8) return run_narrow(kernels, grammar, cursor, bulk);
  if (bulk->type == FASTIO_UINT64)
    count = kernels->u64(&at, cursor->end, (uint64_t *)bulk->out + bulk->count, room, grammar->separator);
  else count = kernels->i64(&at, cursor->end, (int64_t *)bulk->out + bulk->count, room, grammar->separator);
  advance(grammar, cursor, at);
  return count;
}

fastio_status fastio__bulk_parse(const fastio__grammar *grammar, fastio__cursor *cursor, fastio__bulk *bulk,
                                 fastio__token *token) {
  const fastio__kernels *kernels = fastio__simd();
  bool use_kernels = kernels_apply(grammar, cursor);
  size_t patience = 1; /* tokens to take one by one before the kernel is tried again; doubles while it gets nowhere */
  while (bulk->count < bulk->capacity) {
    if (use_kernels) {
      size_t count = run_kernel(kernels, grammar, cursor, bulk);
      bulk->count += count;
      patience = count ? 1 : patience < 64 ? patience * 2 : patience;
    }
    for (size_t i = 0; i < patience && bulk->count < bulk->capacity; i++) {
      fastio_status status;
      bulk->behind = *cursor;
      status = parse_one(grammar, cursor, bulk, token);
      if (status != FASTIO_OK) return status;
    }
  }
  bulk->behind = *cursor;
  return FASTIO_OK;
}

/* ---- counting ---- */

static size_t count_one_by_one(const fastio__grammar *grammar, fastio__cursor *cursor) {
  size_t count = 0;
  fastio__token token;
  for (;;) {
    fastio_status status = fastio__token_next(grammar, cursor, &token);
    if (status != FASTIO_OK && status != FASTIO_EMPTY_FIELD) return count;
    count++;
    fastio__token_take(cursor, &token);
  }
}

static bool is_blank_line(const uint8_t *p, const uint8_t *end, uint8_t separator) {
  for (; p < end; p++)
    if (*p == separator || !fastio__is_space(*p)) return false;
  return true;
}

/* A line that is not blank has one field more than separators; its last field counts where it ends. */
static size_t count_fields(const fastio__grammar *grammar, const fastio__cursor *cursor) {
  const uint8_t *line = cursor->at, separator = (uint8_t)grammar->separator;
  size_t count = fastio__simd()->count_byte(line, (size_t)(cursor->end - line), separator);
  bool in_line = cursor->in_line;
  for (;;) {
    const uint8_t *newline = line < cursor->end ? memchr(line, '\n', (size_t)(cursor->end - line)) : NULL;
    if (!newline && !cursor->last) return count;
    count += in_line || !is_blank_line(line, newline ? newline : cursor->end, separator);
    if (!newline) return count;
    line = newline + 1;
    in_line = false;
  }
}

size_t fastio__bulk_count(const fastio__grammar *grammar, fastio__cursor cursor) {
  if (grammar->comment != FASTIO_NONE || grammar->separator == '\n') return count_one_by_one(grammar, &cursor);
  if (grammar->separator != FASTIO_WHITESPACE) return count_fields(grammar, &cursor);
  return fastio__simd()->count_tokens(cursor.at, (size_t)(cursor.end - cursor.at));
}
