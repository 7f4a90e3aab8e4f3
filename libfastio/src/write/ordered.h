/* ordered: text that many threads make, piece by piece, and that is written in order. */
#ifndef FASTIO__ORDERED_H
#define FASTIO__ORDERED_H

#include "../core/core.h"

enum { FASTIO__PIECE = 256 << 10 }; /* bytes that a piece should have: it stays in the second-level cache */

/* Text in memory that grows. */
typedef struct fastio__piece {
  const fastio_env *env;
  char *data;
  size_t size, capacity;
  uint64_t items; /* values or rows in it, for who polls */
} fastio__piece;

/* Where the next `size` bytes can go; whoever puts some there adds them to piece->size. NULL: no memory. */
FASTIO__HIDDEN char *fastio__piece_room(fastio__piece *piece, size_t size);
FASTIO__HIDDEN void fastio__piece_free(fastio__piece *piece);

typedef struct fastio__job {
  /* Any thread: piece `number`, into an empty one. What is in it is written even if the call fails. `scratch` is the
   * thread's own, of scratch_size bytes. */
  fastio_status (*make)(void *ctx, uint64_t number, void *scratch, fastio__piece *piece, fastio_error *err);
  void *ctx;
  size_t scratch_size;
  uint64_t count; /* of pieces */
  uint64_t bytes; /* about how many they have together: what decides about threads */
  unsigned threads;
  int (*poll)(void *ctx, uint64_t done, uint64_t total); /* on the calling thread */
  void *poll_ctx;
  uint64_t done, total; /* items; `done` goes along */
} fastio__job;

/* The error is the first one in the order of the pieces; what comes before it is written, nothing behind it. */
FASTIO__HIDDEN fastio_status fastio__write_ordered(fastio_writer *writer, fastio__job *job, fastio_error *err);

#endif
