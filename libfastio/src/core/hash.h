/* A hash for tables of texts that live as long as one call. What is done with it never shows in a result. */
#ifndef FASTIO__HASH_H
#define FASTIO__HASH_H

#include "compiler.h"

FASTIO__INLINE uint64_t fastio__hash_step(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15); /* 2^64 over the golden ratio */
  return hash ^ hash >> 32;
}

/* `seed`: an address of the table, so that nobody can prepare texts that collide. Words of 8 bytes; the last one
 * overlaps the one before it, and short texts fill theirs from both ends. */
FASTIO__INLINE uint64_t fastio__hash(const void *text, size_t size, uint64_t seed) {
  const unsigned char *data = (const unsigned char *)text, *last;
  uint64_t hash = seed ^ size, word = 0;
  uint32_t low, high;
  if (size >= 8) {
    for (last = data + size - 8; data < last; data += 8) {
      memcpy(&word, data, 8);
      hash = fastio__hash_step(hash, word);
    }
    memcpy(&word, last, 8);
  } else if (size >= 4) {
    memcpy(&low, data, 4);
    memcpy(&high, data + size - 4, 4);
    word = (uint64_t)high << 32 | low;
  } else if (size > 0) {
    word = (uint64_t)data[0] | (uint64_t)data[size / 2] << 8 | (uint64_t)data[size - 1] << 16;
  }
  return fastio__hash_step(fastio__hash_step(hash, word), 0);
}

#endif
