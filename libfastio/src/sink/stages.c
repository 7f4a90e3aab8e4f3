/* Between a writer and its sink: characters are encoded, then bytes compressed. */
#include "stages.h"

#include "../codec/codec.h"
#include "../text/text.h"

enum {
  TEXT = 64 << 10,  /* of encoded characters at a time */
  OUT = 128 << 10,  /* of compressed bytes, which are written together */
  LEAST_ROOM = 1024 /* that a compressor is given */
};

struct fastio__stages {
  const fastio_env *env;
  char *encoding; /* NULL: characters stay as they are */
  size_t encoding_size;
  int errors;
  fastio__format format; /* NO_FORMAT: bytes stay as they are */
  int level;
  unsigned threads;
  fastio_transcoder *transcoder;
  fastio__encoder *encoder;
  bool is_begun;    /* both are there */
  bool is_finished; /* what was written is a whole */
  bool is_dirty;    /* something was written since the last flush */
  bool continues;   /* there is encoded text before this, so no BOM comes */
  uint64_t before;  /* bytes that earlier transcoders took */
  uint8_t *text, *out;
  size_t out_size;
};

/* ---- options ---- */

/* No reader looks for another one behind it. */
static bool is_single(fastio__format format) { return format == FASTIO__ZLIB || format == FASTIO__DEFLATE; }

static fastio_status fail_single(fastio_error *err) {
  return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "zlib and deflate can't be continued; gzip can");
}

static fastio_status choose_format(const fastio_write_options *options, const char *path, fastio__format *out,
                                   fastio_error *err) {
  const char *name = options->compression;
  *out = FASTIO__NO_FORMAT;
  if (name && strcmp(name, "auto") == 0) {
    if (path) *out = fastio__format_of_path(path);
  } else if (name && (*out = fastio__format_find(name)) == FASTIO__NO_FORMAT) {
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT,
                        "unknown compression: there are gzip, bgzf, zlib, deflate, zstd, xz, bzip2 and lz4");
  }
  if (*out == FASTIO__NO_FORMAT && options->level != FASTIO_LEVEL_DEFAULT)
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT,
                        "a level needs compression= or a path that ends in .gz or the like");
  if (options->mode == FASTIO_APPEND && is_single(*out)) return fail_single(err);
  return FASTIO_OK;
}

static fastio_status keep_encoding(fastio__stages *s, const char *encoding, fastio_error *err) {
  if (!encoding) return FASTIO_OK;
  s->encoding_size = strlen(encoding) + 1;
  s->encoding = fastio__allocate(s->env, s->encoding_size);
  s->text = fastio__allocate(s->env, TEXT);
  if (!s->encoding || !s->text) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  memcpy(s->encoding, encoding, s->encoding_size);
  return FASTIO_OK;
}

/* ---- beginning and ending ---- */

static void end(fastio__stages *s) {
  fastio_transcoder_free(s->transcoder);
  fastio__encoder_free(s->encoder);
  s->transcoder = NULL;
  s->encoder = NULL;
  s->is_begun = false;
}

/* A U+FEFF that is written is a character like any other. */
static fastio_status begin(fastio__stages *s, fastio_error *err) {
  fastio_status status = FASTIO_OK;
  if (s->is_begun) return FASTIO_OK;
  if (s->continues && is_single(s->format)) return fail_single(err);
  if (s->encoding) status = fastio_transcoder_new("UTF-8", s->encoding, s->errors, s->env, &s->transcoder, err);
  if (s->transcoder) fastio__transcoder_continue(s->transcoder, s->continues);
  if (status == FASTIO_OK && s->format != FASTIO__NO_FORMAT)
    status = fastio__encoder_new(s->format, s->level, s->threads, s->env, &s->encoder, err);
  s->is_begun = true;
  s->is_finished = s->is_dirty = false;
  if (status != FASTIO_OK) end(s);
  return status;
}

fastio_status fastio__stages_new(const fastio_write_options *options, const char *path, fastio__stages **out,
                                 fastio_error *err) {
  fastio__stages *s;
  fastio__format format;
  fastio_status status = choose_format(options, path, &format, err);
  *out = NULL;
  if (status != FASTIO_OK || (format == FASTIO__NO_FORMAT && !options->encoding)) return status;
  s = fastio__allocate(options->env, sizeof *s);
  if (!s) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  memset(s, 0, sizeof *s);
  s->env = options->env;
  s->errors = options->errors;
  s->format = format;
  s->level = options->level;
  s->threads = options->threads;
  status = keep_encoding(s, options->encoding, err);
  if (status == FASTIO_OK && format != FASTIO__NO_FORMAT && !(s->out = fastio__allocate(s->env, OUT)))
    status = fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  if (status == FASTIO_OK) status = begin(s, err);
  if (status == FASTIO_OK) *out = s;
  else fastio__stages_free(s);
  return status;
}

void fastio__stages_free(fastio__stages *s) {
  if (!s) return;
  end(s);
  fastio__release(s->env, s->out, OUT);
  fastio__release(s->env, s->text, TEXT);
  fastio__release(s->env, s->encoding, s->encoding_size);
  fastio__release(s->env, s, sizeof *s);
}

bool fastio__stages_compress(const fastio__stages *s) { return s->format != FASTIO__NO_FORMAT; }

void fastio__stages_continue(fastio__stages *s) {
  s->continues = true;
  if (s->transcoder) fastio__transcoder_continue(s->transcoder, true);
}

void fastio__stages_restart(fastio__stages *s) { s->is_finished = s->continues = false; }

/* ---- through the stages ---- */

static fastio_status put_out(fastio__stages *s, fastio__sink *sink, fastio_error *err) {
  size_t size = s->out_size;
  s->out_size = 0;
  return size ? fastio__sink_put(sink, s->out, size, err) : FASTIO_OK;
}

/* Until the compressor has taken all and, but for MORE, given all. */
static fastio_status compress(fastio__stages *s, fastio__sink *sink, const void *data, size_t size,
                              fastio__encode_end how, fastio_error *err) {
  fastio__flow flow = {data, size, NULL, 0};
  fastio_status status = FASTIO_OK;
  bool done = false;
  if (!s->encoder) return size ? fastio__sink_put(sink, data, size, err) : FASTIO_OK;
  while (status == FASTIO_OK && !done) {
    if (OUT - s->out_size < LEAST_ROOM && (status = put_out(s, sink, err)) != FASTIO_OK) return status;
    flow.out = s->out + s->out_size;
    flow.out_size = OUT - s->out_size;
    status = fastio__encoder_run(s->encoder, &flow, how, &done, err);
    s->out_size = OUT - flow.out_size;
  }
  return status == FASTIO_OK && how != FASTIO__ENCODE_MORE ? put_out(s, sink, err) : status;
}

/* What comes before a character that can't be encoded is written. *used: how much of the input stands. */
static fastio_status encode(fastio__stages *s, fastio__sink *sink, const uint8_t *data, size_t size, bool last,
                            size_t *used, fastio_error *err) {
  fastio_status status;
  do {
    size_t taken, put;
    fastio_error lost;
    fastio_status compressed;
    status = fastio_transcoder_run(s->transcoder, data + *used, size - *used, last, &taken, s->text, TEXT, &put, err);
    if (status != FASTIO_OK && err && err->offset != FASTIO_NO_OFFSET) err->offset += s->before;
    compressed = compress(s, sink, s->text, put, FASTIO__ENCODE_MORE, status == FASTIO_OK ? err : &lost);
    if (compressed != FASTIO_OK && status == FASTIO_OK) status = compressed;
    if (status == FASTIO_OK) *used += taken;
  } while (status == FASTIO_OK && *used < size);
  return status;
}

fastio_status fastio__stages_write(fastio__stages *s, fastio__sink *sink, const void *data, size_t size, size_t *used,
                                   fastio_error *err) {
  fastio_status status = begin(s, err);
  *used = 0;
  if (status != FASTIO_OK || size == 0) return status;
  s->is_dirty = true;
  if (s->transcoder) return encode(s, sink, data, size, false, used, err);
  status = compress(s, sink, data, size, FASTIO__ENCODE_MORE, err);
  if (status == FASTIO_OK) *used = size;
  return status;
}

fastio_status fastio__stages_flush(fastio__stages *s, fastio__sink *sink, fastio_error *err) {
  if (!s->is_dirty) return FASTIO_OK;
  s->is_dirty = false;
  return compress(s, sink, NULL, 0, FASTIO__ENCODE_FLUSH, err);
}

fastio_status fastio__stages_finish(fastio__stages *s, fastio__sink *sink, uint64_t taken, fastio_error *err) {
  size_t used = 0;
  fastio_status status;
  if (s->is_finished) return FASTIO_OK;
  status = begin(s, err);
  if (status == FASTIO_OK && s->transcoder) status = encode(s, sink, NULL, 0, true, &used, err);
  if (status == FASTIO_OK) status = compress(s, sink, NULL, 0, FASTIO__ENCODE_FINISH, err);
  if (status != FASTIO_OK) return status;
  end(s);
  s->is_dirty = false;
  s->is_finished = s->continues = true;
  s->before = taken;
  return FASTIO_OK;
}
