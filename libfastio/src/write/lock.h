/* The lock of a LOCKED writer: recursive, so that whoever holds the writer may also call it by its own handle. */
#ifndef FASTIO__LOCK_H
#define FASTIO__LOCK_H

#include "../platform/platform.h"

typedef struct fastio__lock {
  atomic_int state;
  fastio__mutex mutex; /* of those who sleep until it is free */
  fastio__condition freed;
  atomic_uintptr_t owner; /* the thread that holds it, 0 for none: only that thread can find its own number here */
  unsigned depth;         /* how often it does */
} fastio__lock;

FASTIO__HIDDEN int fastio__lock_init(fastio__lock *lock);
FASTIO__HIDDEN void fastio__lock_destroy(fastio__lock *lock);
FASTIO__HIDDEN void fastio__lock_take(fastio__lock *lock);
FASTIO__HIDDEN void fastio__lock_give(fastio__lock *lock);

#endif
