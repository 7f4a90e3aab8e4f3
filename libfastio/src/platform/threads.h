/* threads: how many threads a call takes. */
#ifndef FASTIO__THREADS_H
#define FASTIO__THREADS_H

#include "platform.h"

enum { FASTIO__SERIAL_BELOW = 1 << 20 }; /* bytes that are not worth a second thread */

/* `wish` of the options: n is obeyed, 0 is as many as the work of `bytes` (FASTIO_NO_OFFSET: unknown) is worth: what the
 * environment variable FASTIO_THREADS says, or else every processor that this process may use. */
FASTIO__HIDDEN unsigned fastio__thread_count(unsigned wish, uint64_t bytes);

#endif
