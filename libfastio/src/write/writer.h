/* writer: what the writers of arrays and tables need of a fastio_writer besides its public functions. */
#ifndef FASTIO__WRITER_H
#define FASTIO__WRITER_H

#include "../core/core.h"

/* Whether any thread may write to it, one at a time: not so for user's devices, which the caller's thread alone calls. */
FASTIO__HIDDEN bool fastio__writer_any_thread(const fastio_writer *writer);
/* The environment that it was made with. */
FASTIO__HIDDEN const fastio_env *fastio__writer_env(const fastio_writer *writer);

/* The descriptor behind a writer that is locked for the caller, for whoever moves bytes there by other ways than writing
 * and tells how many; what the buffer had is written. -1: all bytes must go through the writer: to memory, a FILE, a
 * device, or where the environment has a write hook. */
FASTIO__HIDDEN fastio_status fastio__writer_direct(fastio_writer *writer, int *fd, fastio_error *err);
FASTIO__HIDDEN void fastio__writer_moved(fastio_writer *writer, uint64_t size);

#endif
