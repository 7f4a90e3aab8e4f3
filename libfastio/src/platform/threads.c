/* The number of threads, one rule for reading and writing. */
#include "threads.h"

#include <stdlib.h>

enum { THREADS_MAX = 4096 };

unsigned fastio__thread_count(unsigned wish, uint64_t bytes) {
  const char *named;
  if (wish) return wish < THREADS_MAX ? wish : THREADS_MAX;
  if (bytes < FASTIO__SERIAL_BELOW) return 1;
  named = getenv("FASTIO_THREADS");
  if (named) {
    long threads = strtol(named, NULL, 10);
    if (threads >= 1 && threads <= THREADS_MAX) return (unsigned)threads;
  }
  return fastio__cpu_count();
}
