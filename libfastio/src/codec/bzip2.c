/* bzip2, by libbz2. */
#include "formats.h"

#ifdef FASTIO_WITH_BZIP2
#  include <bzlib.h>

enum { MOST = 1 << 30 }; /* bytes at once: its counts have 32 bits */

static void *allocate(void *env, int items, int size) {
  return fastio__sized_allocate(env, (size_t)items * (size_t)size);
}

static void release(void *env, void *block) { fastio__sized_release(env, block); }

static void prepare(bz_stream *stream, const fastio_env *env) {
  memset(stream, 0, sizeof *stream);
  stream->bzalloc = allocate;
  stream->bzfree = release;
  stream->opaque = (void *)(uintptr_t)env;
}

/* Points the stream at the flow; then the flow is moved by what the stream has used. */
static void lend(bz_stream *stream, const fastio__flow *flow) {
  stream->next_in = (char *)(uintptr_t)flow->in;
  stream->avail_in = flow->in_size < MOST ? (unsigned)flow->in_size : MOST;
  stream->next_out = (char *)flow->out;
  stream->avail_out = flow->out_size < MOST ? (unsigned)flow->out_size : MOST;
}

static void take_back(const bz_stream *stream, fastio__flow *flow) {
  fastio__flow_move(flow, (size_t)((const uint8_t *)stream->next_in - flow->in),
                    (size_t)((uint8_t *)stream->next_out - flow->out));
}

/* ---- decoding ---- */

typedef struct unbzip2 {
  fastio__decoder base;
  bz_stream stream;
  bool is_open;
} unbzip2;

static fastio_status decoder_open(fastio__decoder *decoder, fastio_error *err) {
  (void)decoder, (void)err;
  return FASTIO_OK;
}

static void decoder_close(fastio__decoder *decoder) {
  unbzip2 *b = (unbzip2 *)decoder;
  if (b->is_open) (void)BZ2_bzDecompressEnd(&b->stream);
  b->is_open = false;
}

static fastio_status begin(unbzip2 *b, fastio_error *err) {
  if (b->is_open) return FASTIO_OK;
  prepare(&b->stream, b->base.env);
  if (BZ2_bzDecompressInit(&b->stream, 0, 0) != BZ_OK) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  b->is_open = true;
  return FASTIO_OK;
}

static fastio_status failure(int result, fastio_error *err) {
  if (result == BZ_MEM_ERROR) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  return fastio__fail(err, FASTIO_CORRUPT, "the bzip2 stream is damaged, or its checksum wrong");
}

static fastio_status decode(fastio__decoder *decoder, fastio__flow *flow, bool *ended, fastio_error *err) {
  unbzip2 *b = (unbzip2 *)decoder;
  fastio_status status = begin(b, err);
  int result;
  if (status != FASTIO_OK) return status;
  lend(&b->stream, flow);
  result = BZ2_bzDecompress(&b->stream);
  take_back(&b->stream, flow);
  if (result == BZ_OK) return FASTIO_OK;
  if (result != BZ_STREAM_END) return failure(result, err);
  decoder_close(decoder);
  *ended = true;
  return FASTIO_OK;
}

const fastio__decompression fastio__unbzip2 = {sizeof(unbzip2), decoder_open,  decode,
                                               decoder_close,   decoder_close, NULL};

/* ---- encoding ---- */

/* A stream cannot be flushed to a whole byte, so flushing ends it, and what follows is another one. */
typedef struct to_bzip2 {
  fastio__encoder base;
  bz_stream stream;
  bool is_open;
} to_bzip2;

static fastio_status start(to_bzip2 *b, fastio_error *err) {
  if (b->is_open) return FASTIO_OK;
  prepare(&b->stream, b->base.env);
  if (BZ2_bzCompressInit(&b->stream, b->base.level, 0, 0) != BZ_OK) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  b->is_open = true;
  return FASTIO_OK;
}

static fastio_status encoder_open(fastio__encoder *encoder, fastio_error *err) {
  return start((to_bzip2 *)encoder, err);
}

static void encoder_close(fastio__encoder *encoder) {
  to_bzip2 *b = (to_bzip2 *)encoder;
  if (b->is_open) (void)BZ2_bzCompressEnd(&b->stream);
  b->is_open = false;
}

/* All input, as far as there is room. */
static void run(to_bzip2 *b, fastio__flow *flow) {
  while (flow->in_size > 0 && flow->out_size > 0) {
    lend(&b->stream, flow);
    (void)BZ2_bzCompress(&b->stream, BZ_RUN);
    take_back(&b->stream, flow);
  }
}

/* What is in the stream, to its end. */
static bool finish(to_bzip2 *b, fastio__flow *flow) {
  int result;
  lend(&b->stream, flow);
  result = BZ2_bzCompress(&b->stream, BZ_FINISH);
  take_back(&b->stream, flow);
  if (result != BZ_STREAM_END) return false;
  encoder_close(&b->base);
  return true;
}

static fastio_status encode(fastio__encoder *encoder, fastio__flow *flow, fastio__encode_end end, bool *done,
                            fastio_error *err) {
  to_bzip2 *b = (to_bzip2 *)encoder;
  fastio_status status = flow->in_size ? start(b, err) : FASTIO_OK;
  if (status != FASTIO_OK) return status;
  run(b, flow);
  if (flow->in_size > 0) return FASTIO_OK;
  *done = end == FASTIO__ENCODE_MORE || !b->is_open || finish(b, flow);
  return FASTIO_OK;
}

const fastio__compression fastio__to_bzip2 = {
    sizeof(to_bzip2), encoder_open, encode, encoder_close, 1, 9, 9, "the levels of bzip2 are 1 to 9"};
#endif
