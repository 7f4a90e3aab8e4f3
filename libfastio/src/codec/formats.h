/* formats: what each library brings to codec.c, which is the only one to call it. */
#ifndef FASTIO__FORMATS_H
#define FASTIO__FORMATS_H

#include "codec.h"

/* Each library's decoder and encoder begins with this one; the rest, zeroed, is its own. */
struct fastio__decoder {
  const struct fastio__decompression *kind;
  const fastio_env *env;
  fastio__format format;
  uint8_t head[6]; /* of the member, as far as its magic goes */
  size_t taken;    /* of those, by the library */
};
struct fastio__encoder {
  const struct fastio__compression *kind;
  const fastio_env *env;
  fastio__format format;
  int level;
  unsigned threads; /* 1: the caller's alone */
};

/* What a library does for a format. close is called also after an open that failed. */
typedef struct fastio__decompression {
  size_t size; /* of its decoder */
  fastio_status (*open)(fastio__decoder *decoder, fastio_error *err);
  fastio_status (*run)(fastio__decoder *decoder, fastio__flow *flow, bool *ended, fastio_error *err);
  void (*reset)(fastio__decoder *decoder);
  void (*close)(fastio__decoder *decoder);
  size_t (*frame_size)(const uint8_t *data, size_t size, uint64_t *content); /* or NULL */
} fastio__decompression;

typedef struct fastio__compression {
  size_t size; /* of its encoder */
  fastio_status (*open)(fastio__encoder *encoder, fastio_error *err);
  fastio_status (*run)(fastio__encoder *encoder, fastio__flow *flow, fastio__encode_end end, bool *done,
                       fastio_error *err);
  void (*close)(fastio__encoder *encoder);
  int level_min, level_max, level_default;
  const char *levels; /* in words */
} fastio__compression;

extern FASTIO__HIDDEN const fastio__decompression fastio__inflating, fastio__unzstd, fastio__unxz, fastio__unbzip2,
    fastio__unlz4;
extern FASTIO__HIDDEN const fastio__compression fastio__deflating, fastio__to_bgzf, fastio__to_zstd, fastio__to_xz,
    fastio__to_bzip2, fastio__to_lz4;

/* What has been used of a flow. */
FASTIO__INLINE void fastio__flow_move(fastio__flow *flow, size_t taken, size_t given) {
  flow->in += taken;
  flow->in_size -= taken;
  flow->out += given;
  flow->out_size -= given;
}

/* Memory for libraries that don't tell the size when they give it back. */
FASTIO__HIDDEN void *fastio__sized_allocate(const fastio_env *env, size_t size);
FASTIO__HIDDEN void fastio__sized_release(const fastio_env *env, void *block);

#if defined(FASTIO_WITH_ISAL) || defined(FASTIO_WITH_ZLIB)
#  define FASTIO__HAS_INFLATE 1
#else
#  define FASTIO__HAS_INFLATE 0
#endif

/* ---- inflate_isal.c or inflate_zlib.c: bare deflate, and its two checksums ---- */
typedef struct fastio__inflate fastio__inflate;
FASTIO__HIDDEN fastio__inflate *fastio__inflate_new(const fastio_env *env); /* NULL: no memory */
FASTIO__HIDDEN void fastio__inflate_free(fastio__inflate *inflate, const fastio_env *env);
FASTIO__HIDDEN void fastio__inflate_reset(fastio__inflate *inflate);
/* *ended: flow->in stands behind the last byte. */
FASTIO__HIDDEN fastio_status fastio__inflate_run(fastio__inflate *inflate, fastio__flow *flow, bool *ended,
                                                 fastio_error *err);
#define FASTIO__INFLATE_MESSAGE "the deflated data is damaged: no such block, code or distance"
/* Of all bytes so far; the first piece begins with 0 and 1. */
FASTIO__HIDDEN uint32_t fastio__crc32(uint32_t before, const uint8_t *data, size_t size);
FASTIO__HIDDEN uint32_t fastio__adler32(uint32_t before, const uint8_t *data, size_t size);

/* How long the BGZF member that begins here is, as its header says; 0: it is none, or cut short. */
FASTIO__HIDDEN size_t fastio__bgzf_size(const uint8_t *data, size_t size);

FASTIO__INLINE uint32_t fastio__load_le32(const uint8_t *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

#endif
