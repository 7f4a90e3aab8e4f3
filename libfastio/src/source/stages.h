/* stages: what stands between a source's own bytes and those that readers see. Each is a device that reads another
 * source, which it owns, and gives all good bytes before a fault first: the next read tells the fault. */
#ifndef FASTIO__STAGES_H
#define FASTIO__STAGES_H

#include "source.h"

/* A fault that a stage has met. It stands for good, unless more bytes may still come or the source may go on. */
typedef struct fastio__fault {
  fastio_error error; /* status FASTIO_OK: none */
  bool stays;
} fastio__fault;

/* Tells the fault, and forgets it if it does not stay. */
FASTIO__HIDDEN fastio_status fastio__fault_tell(fastio__fault *fault, fastio_error *err);

/* ---- bytes of a source at hand ---- */
typedef struct fastio__intake {
  fastio_source *source; /* owned */
  const uint8_t *data;   /* not used yet */
  size_t size;
  uint8_t *buffer; /* where they are, unless the source is memory */
  size_t capacity;
  size_t usual;          /* how much is asked for at a time */
  bool at_end;           /* the last read gave nothing */
  fastio__fault failure; /* met by a fill; the next read tells it */
} fastio__intake;

FASTIO__HIDDEN void fastio__intake_open(fastio__intake *intake, fastio_source *source, size_t usual);
FASTIO__HIDDEN void fastio__intake_close(fastio__intake *intake); /* also one that is all zeros */
/* Reads once more, into room for `wanted` bytes in all; does nothing if as many are there. */
FASTIO__HIDDEN fastio_status fastio__intake_read(fastio__intake *intake, size_t wanted, fastio_error *err);
/* Reads once more if that can't mean to wait for somebody; a failure comes behind what is there already. */
FASTIO__HIDDEN void fastio__intake_fill(fastio__intake *intake, size_t wanted);
/* Reads until `wanted` bytes are there or the source ends. */
FASTIO__HIDDEN fastio_status fastio__intake_need(fastio__intake *intake, size_t wanted, fastio_error *err);
FASTIO__HIDDEN void fastio__intake_use(fastio__intake *intake, size_t size);
FASTIO__HIDDEN uint64_t fastio__intake_used(const fastio__intake *intake); /* since the source began */

/* ---- decompress.c ---- */
typedef struct fastio__decompressor fastio__decompressor;
/* Takes over `raw` if it succeeds. *device: reads the decompressed bytes; its close frees everything. */
FASTIO__HIDDEN fastio_status fastio__decompressor_new(fastio__format format, const fastio_decode_options *options,
                                                      unsigned threads, fastio_source *raw, fastio_device *device,
                                                      fastio__decompressor **out, fastio_error *err);
FASTIO__HIDDEN void fastio__decompressor_tell(const fastio__decompressor *decompressor, fastio_decoded *out);

/* ---- frames.c: several members or frames at once, on all threads ---- */
typedef struct fastio__frames fastio__frames;
/* NULL: these can only be decoded one after the other. */
FASTIO__HIDDEN fastio__frames *fastio__frames_new(fastio__format format, unsigned threads, const fastio_env *env);
FASTIO__HIDDEN void fastio__frames_free(fastio__frames *frames);
/* How many bytes should be at hand for the next batch, after a member that took `size`; 0: the next member is better
 * decoded alone. */
FASTIO__HIDDEN size_t fastio__frames_wish(fastio__frames *frames, uint64_t size);
/* Decodes whole members at the start of the data, as far as they turn out to be right; *used: how many bytes they took.
 * Returns their number; 0 if it is better to go on serially. */
FASTIO__HIDDEN size_t fastio__frames_decode(fastio__frames *frames, const uint8_t *data, size_t size, size_t *used);
FASTIO__HIDDEN bool fastio__frames_has_some(const fastio__frames *frames); /* decoded bytes that nobody has taken yet */
FASTIO__HIDDEN size_t fastio__frames_take(fastio__frames *frames, uint8_t *out, size_t size);
/* How many bytes of the archive those frames are that come behind the last byte taken, and the one it was in. */
FASTIO__HIDDEN size_t fastio__frames_left(const fastio__frames *frames);

/* ---- characters.c ---- */
typedef struct fastio__characters fastio__characters;
/* As fastio__decompressor_new, for UTF-8 out of what `text` has in the encoding. The name need not outlive the call. */
FASTIO__HIDDEN fastio_status fastio__characters_new(const char *encoding, int errors, fastio_source *text,
                                                    fastio_device *device, fastio__characters **out, fastio_error *err);
FASTIO__HIDDEN void fastio__characters_tell(const fastio__characters *characters, fastio_decoded *out);
FASTIO__HIDDEN uint64_t fastio__characters_undecoded(fastio__characters *characters, uint64_t offset,
                                                     const uint8_t *text, size_t size);

#endif
