/* codec: formats of compression, each through the library that keeps it. Memory to memory, in pieces of any size. A
 * format whose library was not there when this was built is known by name and first bytes all the same. */
#ifndef FASTIO__CODEC_H
#define FASTIO__CODEC_H

#include "../core/core.h"

typedef enum fastio__format {
  FASTIO__NO_FORMAT,
  FASTIO__GZIP,
  FASTIO__ZLIB,
  FASTIO__DEFLATE,
  FASTIO__ZSTD,
  FASTIO__XZ,
  FASTIO__BZIP2,
  FASTIO__LZ4,
  FASTIO__BGZF, /* to write; when read it is gzip with a field that tells how long each member is */
  FASTIO__FORMAT_COUNT
} fastio__format;

FASTIO__HIDDEN const char *fastio__format_name(fastio__format format);
FASTIO__HIDDEN fastio__format fastio__format_find(const char *name);    /* NO_FORMAT: no such name */
FASTIO__HIDDEN fastio__format fastio__format_of_path(const char *path); /* by what it ends in */
FASTIO__HIDDEN bool fastio__format_is_built(fastio__format format);
FASTIO__HIDDEN fastio_status fastio__format_missing(fastio__format format, fastio_error *err); /* FASTIO_UNSUPPORTED */
/* What the first bytes say: gzip, zstd (a skippable frame too), xz, lz4, bzip2. */
enum { FASTIO__MAGIC_SIZE = 10 };
FASTIO__HIDDEN fastio__format fastio__format_detect(const uint8_t *data, size_t size);
/* Whether more bytes may make of these what it knows: whoever reads need not wait for more than that. */
FASTIO__HIDDEN bool fastio__format_may_come(const uint8_t *data, size_t size);
/* Whether a member or frame of the format may begin with these bytes, as far as they go. */
FASTIO__HIDDEN bool fastio__format_begins(fastio__format format, const uint8_t *data, size_t size);

/* Input that is left and room that is left; both move on. */
typedef struct fastio__flow {
  const uint8_t *in;
  size_t in_size;
  uint8_t *out;
  size_t out_size;
} fastio__flow;

/* ---- decoding ---- */

typedef struct fastio__decoder fastio__decoder;
FASTIO__HIDDEN fastio_status fastio__decoder_new(fastio__format format, const fastio_env *env, fastio__decoder **out,
                                                 fastio_error *err);
FASTIO__HIDDEN void fastio__decoder_free(fastio__decoder *decoder);
/* As far as input or room goes. *ended: a member or frame has ended, with its checksum right, and flow->in stands behind
 * it; the next run begins another one. FASTIO_CORRUPT has a message; flow->in then stands near the fault. No progress
 * means that input lacks. */
FASTIO__HIDDEN fastio_status fastio__decoder_run(fastio__decoder *decoder, fastio__flow *flow, bool *ended,
                                                 fastio_error *err);
/* Forgets what was begun. */
FASTIO__HIDDEN void fastio__decoder_reset(fastio__decoder *decoder);

/* Where the member or frame at data[0] ends, as far as that can be told without decoding it: exactly (BGZF, zstd), or as
 * a guess that decoding has to confirm (gzip: where the next one seems to begin). 0: not within these bytes. *content:
 * how long it is decompressed, or the most that it can be; FASTIO_NO_OFFSET if that can't be told. */
FASTIO__HIDDEN size_t fastio__frame_size(fastio__format format, const uint8_t *data, size_t size, uint64_t *content);
/* Whether bytes between and behind members are padding, which is skipped: zeros of gzip, of xz in fours. */
FASTIO__HIDDEN bool fastio__is_padded(fastio__format format);

/* ---- encoding ---- */

typedef struct fastio__encoder fastio__encoder;
typedef enum fastio__encode_end { FASTIO__ENCODE_MORE, FASTIO__ENCODE_FLUSH, FASTIO__ENCODE_FINISH } fastio__encode_end;
FASTIO__HIDDEN fastio_status fastio__encoder_new(fastio__format format, int level, unsigned threads,
                                                 const fastio_env *env, fastio__encoder **out, fastio_error *err);
FASTIO__HIDDEN void fastio__encoder_free(fastio__encoder *encoder);
/* *done: all input is taken and, with FLUSH and FINISH, all output is out. */
FASTIO__HIDDEN fastio_status fastio__encoder_run(fastio__encoder *encoder, fastio__flow *flow, fastio__encode_end end,
                                                 bool *done, fastio_error *err);

#endif
