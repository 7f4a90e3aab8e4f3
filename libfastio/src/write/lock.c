/* The recursive lock of writers: taken by one exchange where nobody else wants it. Who finds it taken looks again for
 * a while, since most calls only copy a few bytes, and then sleeps. Each look takes the lock's cache line away from the
 * thread that is at work, so looks are ever further apart: meanwhile that thread writes many records. */
#include "lock.h"

enum { FREE, HELD, AWAITED }; /* AWAITED: held, and somebody may sleep */
enum { LONGEST_PAUSE = 512 };

/* A thread's number: the address of something of its own. */
static uintptr_t this_thread(void) {
  static _Thread_local char mine;
  return (uintptr_t)&mine;
}

int fastio__lock_init(fastio__lock *lock) {
  int error = fastio__mutex_init(&lock->mutex);
  if (error) return error;
  error = fastio__condition_init(&lock->freed);
  if (error) fastio__mutex_destroy(&lock->mutex);
  atomic_init(&lock->owner, 0);
  atomic_init(&lock->state, FREE);
  lock->depth = 0;
  return error;
}

void fastio__lock_destroy(fastio__lock *lock) {
  fastio__condition_destroy(&lock->freed);
  fastio__mutex_destroy(&lock->mutex);
}

static bool try_take(fastio__lock *lock) {
  int expected = FREE;
  return atomic_compare_exchange_strong_explicit(&lock->state, &expected, HELD, memory_order_acquire,
                                                 memory_order_relaxed);
}

/* Whoever has slept leaves the state AWAITED behind: there may be others. */
static void wait_for(fastio__lock *lock) {
  for (int pauses = 1; pauses <= LONGEST_PAUSE; pauses *= 2) {
    for (int i = 0; i < pauses; i++) fastio__pause();
    if (atomic_load_explicit(&lock->state, memory_order_relaxed) == FREE && try_take(lock)) return;
  }
  fastio__mutex_lock(&lock->mutex);
  while (atomic_exchange_explicit(&lock->state, AWAITED, memory_order_acquire) != FREE)
    fastio__condition_wait(&lock->freed, &lock->mutex);
  fastio__mutex_unlock(&lock->mutex);
}

void fastio__lock_take(fastio__lock *lock) {
  uintptr_t me = this_thread();
  if (atomic_load_explicit(&lock->owner, memory_order_relaxed) != me) {
    if (!try_take(lock)) wait_for(lock);
    atomic_store_explicit(&lock->owner, me, memory_order_relaxed);
  }
  lock->depth++;
}

/* Under the mutex a sleeper is either not yet at the state or already asleep: no wake-up is lost. */
void fastio__lock_give(fastio__lock *lock) {
  if (--lock->depth > 0) return;
  atomic_store_explicit(&lock->owner, 0, memory_order_relaxed);
  if (atomic_exchange_explicit(&lock->state, FREE, memory_order_release) != AWAITED) return;
  fastio__mutex_lock(&lock->mutex);
  fastio__condition_broadcast(&lock->freed);
  fastio__mutex_unlock(&lock->mutex);
}
