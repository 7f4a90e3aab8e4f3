/* Growing memory: reserved address space or heap blocks. */
#include "column.h"

enum { ALIGNMENT = 64, SMALL = FASTIO__REGION_SMALL };
static const size_t COMMIT_UNIT = (size_t)2 << 20;  /* a huge page */
static const size_t COMMIT_STEP = (size_t)64 << 20; /* fewer system calls; what is not written to takes no memory */

static size_t round_up(size_t size, size_t unit) {
  return size > SIZE_MAX - unit ? size : (size + unit - 1) / unit * unit;
}

/* Nobody knows how much a pipe will bring. */
static const size_t UNKNOWN_BOUND = (size_t)1 << (sizeof(size_t) > 4 ? 30 : 26);

static bool reserve(fastio__region *region, size_t bound) {
  size_t size = round_up(bound == SIZE_MAX ? UNKNOWN_BOUND : bound, COMMIT_UNIT);
  region->data = fastio__memory_reserve(size);
  region->reserved = region->data ? size : 0;
  return region->data != NULL;
}

/* To a larger reservation: the pages move, not the bytes. */
static fastio_status move_pages(fastio__region *region, size_t size, fastio_error *err) {
  fastio__region larger = *region;
  size_t target = region->reserved > SIZE_MAX / 4 ? size : 4 * region->reserved;
  if (target < size) target = size;
  if (!reserve(&larger, target) && !reserve(&larger, size)) /* address space may be limited */
    return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  if (fastio__memory_move(larger.data, region->data, region->capacity, region->reserved) != 0) {
    fastio__memory_free(larger.data, larger.reserved);
    return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  }
  *region = larger;
  return FASTIO_OK;
}

static fastio_status move_heap_block(fastio__region *region, size_t capacity, fastio_error *err) {
  size_t size;
  uint8_t *block, *data;
  if (!fastio__add(capacity, ALIGNMENT, &size) || !(block = fastio__allocate(region->env, size)))
    return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  data = block + (ALIGNMENT - (uintptr_t)block % ALIGNMENT) % ALIGNMENT;
  if (region->capacity) memcpy(data, region->data, region->capacity < capacity ? region->capacity : capacity);
  fastio__release(region->env, region->block, region->capacity + ALIGNMENT);
  region->block = block;
  region->data = data;
  region->capacity = capacity;
  return FASTIO_OK;
}

fastio_status fastio__region_init(fastio__region *region, const fastio_env *env, size_t bound, fastio_error *err) {
  memset(region, 0, sizeof *region);
  region->env = env;
  if (bound > SMALL && !fastio__has_allocator(env) && reserve(region, bound)) return FASTIO_OK;
  return move_heap_block(region, bound < SMALL ? bound : SMALL / 16, err);
}

fastio_status fastio__region_ensure(fastio__region *region, size_t size, fastio_error *err) {
  size_t target;
  if (size <= region->capacity) return FASTIO_OK;
  if (!region->reserved) {
    target = fastio__grown(region->capacity, size);
    return target ? move_heap_block(region, target, err) : fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  }
  if (size > region->reserved) {
    fastio_status status = move_pages(region, size, err);
    if (status != FASTIO_OK) return status;
  }
  target = round_up(size > region->capacity + COMMIT_STEP ? size : region->capacity + COMMIT_STEP, COMMIT_UNIT);
  if (target > region->reserved) target = region->reserved;
  if (size > target || fastio__memory_commit(region->data, region->capacity, target - region->capacity) != 0)
    return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  region->capacity = target;
  return FASTIO_OK;
}

void fastio__region_trim(fastio__region *region, size_t size) {
  size_t page = fastio__page_size();
  if (region->reserved) {
    size = round_up(size ? size : 1, page);
    if (size > region->capacity) size = region->capacity ? region->capacity : page;
    fastio__memory_trim(region->data, region->reserved, size);
    region->reserved = size;
    if (region->capacity > size) region->capacity = size;
  } else if (region->capacity - size > region->capacity / 4) {
    fastio_error ignored; /* too big is no failure */
    (void)move_heap_block(region, size, &ignored);
  }
}

void fastio__region_free(fastio__region *region) {
  if (region->reserved) fastio__memory_free(region->data, region->reserved);
  else fastio__release(region->env, region->block, region->capacity + ALIGNMENT);
  memset(region, 0, sizeof *region);
}
