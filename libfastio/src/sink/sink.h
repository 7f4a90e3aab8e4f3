/* sink: where bytes go: a descriptor, a FILE, a user's device, or a file that is to replace another one. Nothing is
 * buffered here. A writer owns its sink. */
#ifndef FASTIO__SINK_H
#define FASTIO__SINK_H

#include "../platform/platform.h"

typedef struct fastio__stages fastio__stages; /* stages.h */

typedef struct fastio__sink {
  const fastio_env *env;
  fastio__stages *stages; /* what bytes go through on their way; NULL: nothing */
  uint64_t staged;        /* bytes that have gone in there */
  int fd;                 /* -1: none */
  bool owns_fd;
  bool synced; /* closing waits for the disk */
  FILE *stdio;
  bool owns_stdio;
  fastio_output_device device;
  /* An atomic replacement, until it is done: from the temporary file to the final one. */
  char *temporary, *path;
  size_t path_size; /* as allocated, each of them */
  bool exclusive;
} fastio__sink;

/* Each fills *sink completely, or fails and leaves nothing open. */
FASTIO__HIDDEN fastio_status fastio__sink_path(fastio__sink *sink, const char *path,
                                               const fastio_write_options *options, fastio_error *err);
/* A descriptor or FILE that is OWNED stays the caller's if this fails. */
FASTIO__HIDDEN fastio_status fastio__sink_fd(fastio__sink *sink, int fd, const fastio_write_options *options,
                                             fastio_error *err);
FASTIO__HIDDEN fastio_status fastio__sink_stdio(fastio__sink *sink, FILE *file, const fastio_write_options *options,
                                                fastio_error *err);
FASTIO__HIDDEN void fastio__sink_device(fastio__sink *sink, const fastio_output_device *device, const fastio_env *env);
/* No sink at all: memory. */
FASTIO__HIDDEN void fastio__sink_none(fastio__sink *sink, const fastio_env *env);
/* From here on bytes go through the stages (NULL: none), which the sink owns then. */
FASTIO__HIDDEN void fastio__sink_attach(fastio__sink *sink, fastio__stages *stages,
                                        const fastio_write_options *options);
/* A descriptor, which takes several pieces at once, and to which bytes may go by other ways than writing. */
FASTIO__HIDDEN bool fastio__sink_takes_many(const fastio__sink *sink);

/* All bytes of the pieces. *put, how many went out (or into the stages), is set also on failure. */
FASTIO__HIDDEN fastio_status fastio__sink_write(fastio__sink *sink, const fastio_bytes *pieces, size_t count,
                                                uint64_t *put, fastio_error *err);
/* Past the stages: what comes out of them. */
FASTIO__HIDDEN fastio_status fastio__sink_put(fastio__sink *sink, const void *data, size_t size, fastio_error *err);
/* Ends the archive; more that is written begins another member. */
FASTIO__HIDDEN fastio_status fastio__sink_finish(fastio__sink *sink, fastio_error *err);
/* What is behind the sink hands on what it has: a stage, a FILE's buffer, a device's. */
FASTIO__HIDDEN fastio_status fastio__sink_flush(fastio__sink *sink, fastio_error *err);
FASTIO__HIDDEN fastio_status fastio__sink_sync(fastio__sink *sink, fastio_error *err);
/* Closes what is owned, in any case. keep: the bytes are all there, an atomic replacement takes place; otherwise the old
 * file stays. Returns the first failure. */
FASTIO__HIDDEN fastio_status fastio__sink_close(fastio__sink *sink, bool keep, fastio_error *err);

FASTIO__HIDDEN int fastio__sink_fileno(const fastio__sink *sink); /* -1: there is no descriptor */
/* The buffering that FASTIO_BUFFER_AUTO means here. */
FASTIO__HIDDEN int fastio__sink_buffering(const fastio__sink *sink);

/* ---- Replacing a file (replace.c) ---- */
/* Opens a temporary file beside `path`, or beside what it links to; a pipe or device is opened itself. */
FASTIO__HIDDEN fastio_status fastio__replace_open(fastio__sink *sink, const char *path,
                                                  const fastio_write_options *options, fastio_error *err);
/* The temporary file, which is closed, becomes the file; or is removed. */
FASTIO__HIDDEN int fastio__replace_finish(fastio__sink *sink);
FASTIO__HIDDEN void fastio__replace_abandon(fastio__sink *sink);

#endif
