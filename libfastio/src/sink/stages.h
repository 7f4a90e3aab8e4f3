/* stages: what bytes go through between a writer and its sink: characters are encoded, then bytes compressed. */
#ifndef FASTIO__STAGES_H
#define FASTIO__STAGES_H

#include "sink.h"

/* As the options want it, "auto" by `path` (or NULL). *out is NULL if nothing is to be done. Checks all of it: a name, a
 * level, whether the library is there. */
FASTIO__HIDDEN fastio_status fastio__stages_new(const fastio_write_options *options, const char *path,
                                                fastio__stages **out, fastio_error *err);
FASTIO__HIDDEN void fastio__stages_free(fastio__stages *stages);
FASTIO__HIDDEN bool fastio__stages_compress(const fastio__stages *stages);
/* Before the first write: behind text that is there already, so no BOM is written. */
FASTIO__HIDDEN void fastio__stages_continue(fastio__stages *stages);

/* *used: how many bytes went through; set also on failure. An error of the encoding has its offset in all that was
 * written. */
FASTIO__HIDDEN fastio_status fastio__stages_write(fastio__stages *stages, fastio__sink *sink, const void *data,
                                                  size_t size, size_t *used, fastio_error *err);
/* So that a reader can have all that was written. */
FASTIO__HIDDEN fastio_status fastio__stages_flush(fastio__stages *stages, fastio__sink *sink, fastio_error *err);
/* The end of the archive, of an empty one too; what is written later becomes another member. `taken`: bytes written so
 * far. */
FASTIO__HIDDEN fastio_status fastio__stages_finish(fastio__stages *stages, fastio__sink *sink, uint64_t taken,
                                                   fastio_error *err);
/* What is written from here on is for another place: nothing comes before it. */
FASTIO__HIDDEN void fastio__stages_restart(fastio__stages *stages);

#endif
