/* column: finished columns with their owners, and the growing memory that they are built in. */
#ifndef FASTIO__COLUMN_H
#define FASTIO__COLUMN_H

#include "../platform/platform.h"

/* ---- Memory that grows, aligned to 64 bytes (region.c) ----
 * Large regions are reserved address space with memory committed behind it as it is needed: growing within it moves
 * nothing, so that several threads may write meanwhile, and only what is written to takes memory. Small ones, and those
 * of an environment with an allocator, are heap blocks. */
enum { FASTIO__REGION_SMALL = 1 << 20 }; /* up to this bound a region is a heap block */

typedef struct fastio__region {
  const fastio_env *env;
  uint8_t *data;
  size_t capacity; /* writable bytes at data */
  size_t reserved; /* address space at data; 0 for a heap block */
  void *block;     /* what the heap gave; NULL for reserved space */
} fastio__region;

/* `bound` is the most bytes that can be needed, SIZE_MAX if that is not known. FASTIO_OK or FASTIO_NO_MEMORY. */
FASTIO__HIDDEN fastio_status fastio__region_init(fastio__region *region, const fastio_env *env, size_t bound,
                                                 fastio_error *err);
/* Makes `size` bytes writable, keeping what was there. */
FASTIO__HIDDEN fastio_status fastio__region_ensure(fastio__region *region, size_t size, fastio_error *err);
/* Gives back what lies behind the first `size` bytes. */
FASTIO__HIDDEN void fastio__region_trim(fastio__region *region, size_t size);
FASTIO__HIDDEN void fastio__region_free(fastio__region *region);
/* Whether making `size` bytes writable would move what is there. */
FASTIO__INLINE bool fastio__region_moves(const fastio__region *region, size_t size) {
  return size > (region->reserved ? region->reserved : region->capacity);
}

/* ---- Columns (column.c) ---- */
typedef struct fastio__column_parts {
  fastio__region data, offsets, validity;
} fastio__column_parts;

/* A column over regions, which it takes over on success (their data pointers go into the view), and so one owner of the
 * view's dictionary. */
FASTIO__HIDDEN fastio_status fastio__column_build(const fastio_column *view, const fastio__column_parts *parts,
                                                  const fastio_env *env, fastio_column **out, fastio_error *err);

/* ---- Dictionaries (dictionary.c) ---- */
/* A string column as a column of indices into its distinct strings, by first appearance. */
FASTIO__HIDDEN fastio_status fastio__column_encode(const fastio_column *strings, const fastio_env *env,
                                                   fastio_column **out, fastio_error *err);

/* ---- Arrow (arrow.c) ---- */
/* fastio_column_export_schema with a name, of which Arrow's consumers see what is before the first NUL. */
FASTIO__HIDDEN fastio_status fastio__export_schema(const fastio_column *column, fastio_bytes name,
                                                   struct ArrowSchema *out, fastio_error *err);

/* ---- Missing values (validity.c) ----
 * What one window has found missing: bit i is 1 where value base + i is. Windows are read in any order and by any
 * thread, so each gathers its own bits and links them, under the owner's lock, into a list, from which the bitmap is
 * made in the end. A set bit stands for a value of the column; windows don't overlap. */
typedef struct fastio__null_bits {
  struct fastio__null_bits *next;
  uint64_t base;
  size_t size; /* bytes of bits */
  uint8_t bits[];
} fastio__null_bits;

/* For `count` values, none of them missing. NULL: no memory. */
FASTIO__HIDDEN fastio__null_bits *fastio__null_bits_new(const fastio_env *env, uint64_t base, uint64_t count);
FASTIO__INLINE void fastio__null_bits_set(fastio__null_bits *found, size_t index) {
  found->bits[index / 8] |= (uint8_t)(1u << (index % 8));
}
FASTIO__HIDDEN void fastio__null_bits_free(const fastio_env *env, fastio__null_bits *list);
/* *region: the bitmap of a column of `length` values, all zero if nothing is missing (and on failure). */
FASTIO__HIDDEN fastio_status fastio__validity_build(const fastio__null_bits *list, uint64_t length,
                                                    const fastio_env *env, fastio__region *region, uint64_t *null_count,
                                                    fastio_error *err);

#endif
