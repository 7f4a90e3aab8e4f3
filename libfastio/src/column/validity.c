/* Missing values: the bits that windows gather become the column's bitmap. */
#include "column.h"

fastio__null_bits *fastio__null_bits_new(const fastio_env *env, uint64_t base, uint64_t count) {
  size_t size = (size_t)(count / 8 + 1);
  fastio__null_bits *found = fastio__allocate(env, sizeof *found + size);
  if (!found) return NULL;
  memset(found, 0, sizeof *found + size);
  found->base = base;
  found->size = size;
  return found;
}

void fastio__null_bits_free(const fastio_env *env, fastio__null_bits *list) {
  while (list) {
    fastio__null_bits *next = list->next;
    fastio__release(env, list, sizeof *list + list->size);
    list = next;
  }
}

/* Clears the validity bits of one window's missing values, which may start in the middle of a byte. */
static uint64_t clear_bits(uint8_t *validity, const fastio__null_bits *found) {
  unsigned shift = (unsigned)(found->base % 8);
  uint8_t *out = validity + found->base / 8;
  uint64_t count = 0;
  for (size_t i = 0; i < found->size; i++) {
    unsigned bits = (unsigned)found->bits[i] << shift;
    if (!bits) continue; /* `bits` may be longer than the column, with nothing in it */
    count += fastio__popcount64(bits);
    out[i] &= (uint8_t)~bits;
    if (bits >> 8) out[i + 1] &= (uint8_t) ~(bits >> 8);
  }
  return count;
}

fastio_status fastio__validity_build(const fastio__null_bits *list, uint64_t length, const fastio_env *env,
                                     fastio__region *region, uint64_t *null_count, fastio_error *err) {
  size_t size = (size_t)(length / 8 + 1);
  fastio_status status;
  memset(region, 0, sizeof *region);
  *null_count = 0;
  if (!list) return FASTIO_OK;
  status = fastio__region_init(region, env, size, err);
  if (status == FASTIO_OK) status = fastio__region_ensure(region, size, err);
  if (status == FASTIO_OK) {
    memset(region->data, 0xFF, size);
    for (; list; list = list->next) *null_count += clear_bits(region->data, list);
  }
  if (*null_count == 0) fastio__region_free(region);
  return status;
}
