/* Which formats there are, what they look like, and which library does them. */
#include "formats.h"

/* NULL without the library. */
#if FASTIO__HAS_INFLATE
#  define INFLATING &fastio__inflating
#else
#  define INFLATING NULL
#endif
#ifdef FASTIO_WITH_ZLIB
#  define IF_ZLIB(kind) &kind
#else
#  define IF_ZLIB(kind) NULL
#endif
#ifdef FASTIO_WITH_ZSTD
#  define IF_ZSTD(kind) &kind
#else
#  define IF_ZSTD(kind) NULL
#endif
#ifdef FASTIO_WITH_LZMA
#  define IF_LZMA(kind) &kind
#else
#  define IF_LZMA(kind) NULL
#endif
#ifdef FASTIO_WITH_BZIP2
#  define IF_BZIP2(kind) &kind
#else
#  define IF_BZIP2(kind) NULL
#endif
#ifdef FASTIO_WITH_LZ4
#  define IF_LZ4(kind) &kind
#else
#  define IF_LZ4(kind) NULL
#endif

#define ZSTD_MAGIC "\x28\xb5\x2f\xfd"
#define XZ_MAGIC "\xfd\x37\x7a\x58\x5a\x00"
#define LZ4_MAGIC "\x04\x22\x4d\x18"
#define BZIP2_BLOCK "\x31\x41\x59\x26\x53\x59"
#define BZIP2_END "\x17\x72\x45\x38\x50\x90"

typedef struct description {
  const char *name, *suffix; /* suffix "": no file is called so */
  const fastio__decompression *decompression;
  const fastio__compression *compression;
  const char *missing; /* what to say if it is */
  const char *magic;   /* NULL: what a decoder finds out by itself */
  size_t magic_size;
  const char *other; /* what to say if it is not there */
} description;

static const description descriptions[FASTIO__FORMAT_COUNT] = {
    [FASTIO__NO_FORMAT] = {"", "", NULL, NULL, NULL, NULL, 0, NULL},
    [FASTIO__GZIP] = {"gzip", ".gz", INFLATING, IF_ZLIB(fastio__deflating), "this build has no zlib (for gzip)", NULL,
                      0, NULL},
    [FASTIO__ZLIB] = {"zlib", "", INFLATING, IF_ZLIB(fastio__deflating), "this build has no zlib", NULL, 0, NULL},
    [FASTIO__DEFLATE] = {"deflate", "", INFLATING, IF_ZLIB(fastio__deflating), "this build has no zlib (for deflate)",
                         NULL, 0, NULL},
    [FASTIO__ZSTD] = {"zstd", ".zst", IF_ZSTD(fastio__unzstd), IF_ZSTD(fastio__to_zstd), "this build has no libzstd",
                      ZSTD_MAGIC, 4, "not zstd: no frame begins here"},
    [FASTIO__XZ] = {"xz", ".xz", IF_LZMA(fastio__unxz), IF_LZMA(fastio__to_xz), "this build has no liblzma (for xz)",
                    XZ_MAGIC, 6, "not xz: no stream begins here"},
    [FASTIO__BZIP2] = {"bzip2", ".bz2", IF_BZIP2(fastio__unbzip2), IF_BZIP2(fastio__to_bzip2),
                       "this build has no libbz2 (for bzip2)", "BZh", 3, "not bzip2: no stream begins here"},
    [FASTIO__LZ4] = {"lz4", ".lz4", IF_LZ4(fastio__unlz4), IF_LZ4(fastio__to_lz4), "this build has no liblz4",
                     LZ4_MAGIC, 4, "not lz4: no frame begins here"},
    [FASTIO__BGZF] = {"bgzf", ".bgz", INFLATING, IF_ZLIB(fastio__to_bgzf), "this build has no zlib (for bgzf)", NULL, 0,
                      NULL},
};

/* ---- names ---- */

const char *fastio_compression_name(size_t index) {
  for (int format = FASTIO__NO_FORMAT + 1; format < FASTIO__BGZF; format++)
    if (descriptions[format].decompression && index-- == 0) return descriptions[format].name;
  return NULL;
}

const char *fastio__format_name(fastio__format format) { return descriptions[format].name; }

fastio__format fastio__format_find(const char *name) {
  for (int format = FASTIO__NO_FORMAT + 1; format < FASTIO__FORMAT_COUNT; format++)
    if (strcmp(name, descriptions[format].name) == 0) return format;
  return FASTIO__NO_FORMAT;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool ends_in(const char *path, const char *suffix) {
  const size_t size = strlen(path), suffix_size = strlen(suffix);
  if (suffix_size == 0 || size < suffix_size) return false;
  for (size_t i = 0; i < suffix_size; i++)
    if (lower(path[size - suffix_size + i]) != suffix[i]) return false;
  return true;
}

fastio__format fastio__format_of_path(const char *path) {
  for (int format = FASTIO__NO_FORMAT + 1; format < FASTIO__FORMAT_COUNT; format++)
    if (ends_in(path, descriptions[format].suffix)) return format;
  return FASTIO__NO_FORMAT;
}

bool fastio__format_is_built(fastio__format format) { return descriptions[format].decompression != NULL; }

fastio_status fastio__format_missing(fastio__format format, fastio_error *err) {
  return fastio__fail(err, FASTIO_UNSUPPORTED, descriptions[format].missing);
}

bool fastio__is_padded(fastio__format format) {
  return format == FASTIO__GZIP || format == FASTIO__BGZF || format == FASTIO__XZ;
}

/* ---- first bytes ---- */

static bool begins(const uint8_t *data, size_t size, const char *magic, size_t magic_size) {
  return size >= magic_size && memcmp(data, magic, magic_size) == 0;
}

/* "BZh1" alone could be text: the block's or the end's own magic, digits of pi or of its root, must follow. */
static bool is_bzip2(const uint8_t *data, size_t size) {
  return size >= 10 && begins(data, size, "BZh", 3) && data[3] >= '1' && data[3] <= '9' &&
         (memcmp(data + 4, BZIP2_BLOCK, 6) == 0 || memcmp(data + 4, BZIP2_END, 6) == 0);
}

/* A frame that zstd and lz4 pass over, or the beginning of one. */
static bool may_be_skippable(const uint8_t *data, size_t size) {
  return size > 0 && (data[0] & 0xf0) == 0x50 && memcmp(data + 1, "\x2a\x4d\x18", size < 4 ? size - 1 : 3) == 0;
}

static bool is_skippable(const uint8_t *data, size_t size) { return size >= 4 && may_be_skippable(data, size); }

fastio__format fastio__format_detect(const uint8_t *data, size_t size) {
  if (begins(data, size, "\x1f\x8b\x08", 3)) return FASTIO__GZIP;
  if (begins(data, size, ZSTD_MAGIC, 4) || is_skippable(data, size)) return FASTIO__ZSTD;
  if (begins(data, size, XZ_MAGIC, 6)) return FASTIO__XZ;
  if (begins(data, size, LZ4_MAGIC, 4)) return FASTIO__LZ4;
  return is_bzip2(data, size) ? FASTIO__BZIP2 : FASTIO__NO_FORMAT;
}

static bool may_be(const uint8_t *data, size_t size, const char *magic, size_t magic_size) {
  return size < magic_size && memcmp(data, magic, size) == 0;
}

static bool may_be_bzip2(const uint8_t *data, size_t size) {
  if (size <= 3) return memcmp(data, "BZh", size) == 0;
  return size < 10 && memcmp(data, "BZh", 3) == 0 && data[3] >= '1' && data[3] <= '9' &&
         (memcmp(data + 4, BZIP2_BLOCK, size - 4) == 0 || memcmp(data + 4, BZIP2_END, size - 4) == 0);
}

bool fastio__format_may_come(const uint8_t *data, size_t size) {
  return may_be(data, size, "\x1f\x8b\x08", 3) || may_be(data, size, ZSTD_MAGIC, 4) ||
         may_be(data, size, XZ_MAGIC, 6) || may_be(data, size, LZ4_MAGIC, 4) ||
         (size < 4 && may_be_skippable(data, size)) || may_be_bzip2(data, size);
}

static bool is_or_may_be(const uint8_t *data, size_t size, const char *magic, size_t magic_size) {
  return begins(data, size, magic, magic_size) || may_be(data, size, magic, magic_size);
}

bool fastio__format_begins(fastio__format format, const uint8_t *data, size_t size) {
  switch (format) {
    case FASTIO__GZIP:
    case FASTIO__BGZF: return is_or_may_be(data, size, "\x1f\x8b\x08", 3);
    case FASTIO__ZSTD: return is_or_may_be(data, size, ZSTD_MAGIC, 4) || may_be_skippable(data, size);
    case FASTIO__LZ4: return is_or_may_be(data, size, LZ4_MAGIC, 4) || may_be_skippable(data, size);
    case FASTIO__XZ: return is_or_may_be(data, size, XZ_MAGIC, 6);
    case FASTIO__BZIP2: return is_bzip2(data, size) || may_be_bzip2(data, size);
    default: return true;
  }
}

/* ---- memory ---- */

/* In front of each block: its size, in as many bytes as keep the alignment. */
typedef union prefix {
  size_t size;
  max_align_t alignment;
} prefix;

void *fastio__sized_allocate(const fastio_env *env, size_t size) {
  prefix *block;
  if (!fastio__add(size, sizeof(prefix), &size) || !(block = fastio__allocate(env, size))) return NULL;
  block->size = size;
  return block + 1;
}

void fastio__sized_release(const fastio_env *env, void *data) {
  prefix *block = data;
  if (!block) return;
  block--;
  fastio__release(env, block, block->size);
}

/* ---- decoding ---- */

fastio_status fastio__decoder_new(fastio__format format, const fastio_env *env, fastio__decoder **out,
                                  fastio_error *err) {
  const fastio__decompression *kind = descriptions[format].decompression;
  fastio__decoder *decoder;
  fastio_status status;
  *out = NULL;
  if (!kind) return fastio__format_missing(format, err);
  decoder = fastio__allocate(env, kind->size);
  if (!decoder) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  memset(decoder, 0, kind->size);
  decoder->kind = kind;
  decoder->env = env;
  decoder->format = format;
  status = kind->open(decoder, err);
  if (status == FASTIO_OK) *out = decoder;
  else fastio__decoder_free(decoder);
  return status;
}

void fastio__decoder_free(fastio__decoder *decoder) {
  if (!decoder) return;
  decoder->kind->close(decoder);
  fastio__release(decoder->env, decoder, decoder->kind->size);
}

/* Bytes of another kind are told from the first that differs, however few there are, and are not taken: libraries want
 * the whole header before they look. */
static fastio_status check_magic(fastio__decoder *decoder, const fastio__flow *flow, fastio_error *err) {
  const description *d = &descriptions[decoder->format];
  const bool may_skip = decoder->format == FASTIO__ZSTD || decoder->format == FASTIO__LZ4;
  size_t known = decoder->taken;
  for (size_t i = 0; known < d->magic_size && i < flow->in_size; i++) decoder->head[known++] = flow->in[i];
  if (memcmp(decoder->head, d->magic, known) == 0) return FASTIO_OK;
  return may_skip && may_be_skippable(decoder->head, known) ? FASTIO_OK : fastio__fail(err, FASTIO_CORRUPT, d->other);
}

fastio_status fastio__decoder_run(fastio__decoder *decoder, fastio__flow *flow, bool *ended, fastio_error *err) {
  const size_t magic_size = descriptions[decoder->format].magic_size, before = flow->in_size;
  fastio_status status = decoder->taken < magic_size ? check_magic(decoder, flow, err) : FASTIO_OK;
  *ended = false;
  if (status == FASTIO_OK) status = decoder->kind->run(decoder, flow, ended, err);
  if (*ended) decoder->taken = 0;
  else if (decoder->taken < magic_size) decoder->taken += before - flow->in_size;
  return status;
}

void fastio__decoder_reset(fastio__decoder *decoder) {
  decoder->taken = 0;
  decoder->kind->reset(decoder);
}

size_t fastio__frame_size(fastio__format format, const uint8_t *data, size_t size, uint64_t *content) {
  const fastio__decompression *kind = descriptions[format].decompression;
  bool has_frames = kind && kind->frame_size && format != FASTIO__ZLIB && format != FASTIO__DEFLATE;
  *content = FASTIO_NO_OFFSET;
  return has_frames ? kind->frame_size(data, size, content) : 0;
}

/* ---- encoding ---- */

static fastio_status encoder_check(fastio__format format, int *level, fastio_error *err) {
  const fastio__compression *kind = descriptions[format].compression;
  if (!kind) return fastio__format_missing(format, err);
  if (*level == FASTIO_LEVEL_DEFAULT) *level = kind->level_default;
  return *level >= kind->level_min && *level <= kind->level_max
             ? FASTIO_OK
             : fastio__fail(err, FASTIO_INVALID_ARGUMENT, kind->levels);
}

fastio_status fastio__encoder_new(fastio__format format, int level, unsigned threads, const fastio_env *env,
                                  fastio__encoder **out, fastio_error *err) {
  const fastio__compression *kind = descriptions[format].compression;
  fastio__encoder *encoder;
  fastio_status status = encoder_check(format, &level, err);
  *out = NULL;
  if (status != FASTIO_OK) return status;
  encoder = fastio__allocate(env, kind->size);
  if (!encoder) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  memset(encoder, 0, kind->size);
  encoder->kind = kind;
  encoder->env = env;
  encoder->format = format;
  encoder->level = level;
  encoder->threads = threads ? threads : 1;
  status = kind->open(encoder, err);
  if (status == FASTIO_OK) *out = encoder;
  else fastio__encoder_free(encoder);
  return status;
}

void fastio__encoder_free(fastio__encoder *encoder) {
  if (!encoder) return;
  encoder->kind->close(encoder);
  fastio__release(encoder->env, encoder, encoder->kind->size);
}

fastio_status fastio__encoder_run(fastio__encoder *encoder, fastio__flow *flow, fastio__encode_end end, bool *done,
                                  fastio_error *err) {
  *done = false;
  return encoder->kind->run(encoder, flow, end, done, err);
}
