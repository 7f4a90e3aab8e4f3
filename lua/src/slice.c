/* Parts of columns for the core, whose columns start at their first value. */
#include <stdlib.h>

#include "flua.h"

typedef struct Part {
  const fastio_column *base; /* one owner */
  uint8_t bits[];            /* of validity, and behind them of bools */
} Part;

void flua_copy_bits(const uint8_t *bits, uint64_t start, uint64_t count, uint8_t *out) {
  memset(out, 0, (size_t)(count + 7) / 8);
  for (uint64_t i = 0; i < count; i++) {
    uint64_t from = start + i;
    out[i / 8] |= (uint8_t)((bits[from / 8] >> from % 8 & 1) << i % 8);
  }
}

static void release(void *ctx) {
  Part *part = ctx;
  fastio_column_free(part->base);
  free(part);
}

/* The part's values: bits are moved, everything else is where it was. */
static fastio_column view_of(const Column *column, Part *part) {
  const fastio_column *base = column->base;
  size_t bytes = (size_t)(column->length + 7) / 8, width = fastio_type_size(base->type);
  fastio_column view = *base;
  view.length = column->length;
  view.null_count = column->null_count;
  view.row_items = 0;
  view.validity = NULL;
  if (column->null_count) {
    flua_copy_bits(base->validity, column->start, column->length, part->bits);
    view.validity = part->bits;
  }
  if (base->type == FASTIO_BOOL) {
    flua_copy_bits(base->data, column->start, column->length, part->bits + bytes);
    view.data = part->bits + bytes;
    view.data_size = bytes;
  } else if (base->offsets) {
    view.offsets = base->offsets + column->start;
  } else {
    view.data = (const char *)base->data + column->start * width;
    view.data_size = column->length * width;
  }
  return view;
}

const fastio_column *flua_slice_column(const Column *column) {
  fastio_column *out = NULL;
  if (column->start == 0 && column->length == column->base->length) {
    fastio_column_retain(column->base);
    return column->base;
  }
  Part *part = malloc(sizeof *part + 2 * (size_t)((column->length + 7) / 8));
  if (!part) return NULL;
  part->base = column->base;
  fastio_column_retain(column->base);
  fastio_column view = view_of(column, part);
  return fastio_column_new(&view, release, part, NULL, &out, NULL) ? NULL : out;
}
