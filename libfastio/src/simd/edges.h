/* Quotes beside the bytes that end fields: the parts of find_edges that are the same for every instruction set. Private
 * to simd. */
#ifndef FASTIO__EDGES_H
#define FASTIO__EDGES_H

#include "simd.h"

/* What find_edges works on. */
typedef struct fastio__edge_job {
  const uint8_t *data;
  size_t size;
  uint8_t separator;
  int quote; /* < 0: none */
} fastio__edge_job;

FASTIO__INLINE bool fastio__is_edge(const fastio__edge_job *job, uint8_t c) { return c == job->separator || c == '\n'; }

/* Whether a quote at i that is met outside of quotes opens a field. A quote before it has just closed one: the two
 * stand for one quote. */
FASTIO__INLINE bool fastio__may_open(const fastio__edge_job *job, size_t i) {
  return i == 0 || fastio__is_edge(job, job->data[i - 1]) || job->data[i - 1] == job->quote;
}

/* Whether what follows from i on may follow a closing quote. */
FASTIO__INLINE bool fastio__may_follow(const fastio__edge_job *job, size_t i) {
  if (i >= job->size || fastio__is_edge(job, job->data[i]) || job->data[i] == job->quote) return true;
  return job->data[i] == '\r' && i + 1 < job->size && job->data[i + 1] == '\n';
}

/* Bit i is the parity of bits 0 to i of m: set from each odd quote on, up to the next one. */
FASTIO__INLINE uint64_t fastio__within(uint64_t m) {
  for (unsigned shift = 1; shift < 64; shift *= 2) m ^= m << shift;
  return m;
}

/* The masks of a block at `at`, whose `valid` bytes count. */
typedef struct fastio__edge_masks {
  uint64_t edges, newlines, quotes, returns, valid;
} fastio__edge_masks;

/* Takes the edges within quotes away. *open: whether the block starts within quotes, and then whether it ends so. */
FASTIO__INLINE void fastio__resolve_quotes(const fastio__edge_job *job, size_t at, fastio__edge_masks *m, bool *open,
                                           unsigned *seen) {
  uint64_t within = fastio__within(m->quotes) ^ (0 - (uint64_t)*open), top = UINT64_C(1) << 63;
  if (m->quotes != 0) {
    /* Neighbours in the blocks before and behind are looked up in the data. */
    uint64_t opening = m->quotes & within, closing = m->quotes & ~within;
    uint64_t before = (m->edges | m->quotes) << 1 | fastio__may_open(job, at);
    uint64_t newline_behind = m->newlines >> 1;
    if (at + 64 < job->size && job->data[at + 64] == '\n') newline_behind |= top;
    uint64_t after = m->edges | m->quotes | ~m->valid | (m->returns & newline_behind);
    after = after >> 1 | (fastio__may_follow(job, at + 64) ? top : 0);
    *seen |= FASTIO__SEEN_QUOTE;
    if (((opening & ~before) | (closing & ~after)) != 0) *seen |= FASTIO__SEEN_MISPLACED;
  }
  m->edges &= ~within;
  *open = within >> 63 != 0;
}

#endif
