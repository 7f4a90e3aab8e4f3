/* xz, by liblzma. */
#include "formats.h"

#ifdef FASTIO_WITH_LZMA
#  include <lzma.h>

/* Memory for a dictionary of 1.5 GiB, the largest that xz makes. */
#  define MEMORY_LIMIT ((uint64_t)2 << 30)

static void *allocate(void *env, size_t items, size_t size) {
  size_t bytes;
  return fastio__multiply(items, size, &bytes) ? fastio__sized_allocate(env, bytes) : NULL;
}

static void release(void *env, void *block) { fastio__sized_release(env, block); }

static lzma_allocator allocator_of(const fastio_env *env) {
  lzma_allocator allocator = {allocate, release, (void *)(uintptr_t)env};
  return allocator;
}

/* ---- decoding ---- */

typedef struct unxz {
  fastio__decoder base;
  lzma_allocator allocator;
  lzma_stream stream;
  lzma_ret begun;
} unxz;

static fastio_status failure(lzma_ret result, fastio_error *err) {
  switch (result) {
    case LZMA_MEM_ERROR: return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
    case LZMA_MEMLIMIT_ERROR:
      return fastio__fail(err, FASTIO_TOO_LARGE, "the xz stream needs more than 2 GiB of memory");
    case LZMA_OPTIONS_ERROR:
      return fastio__fail(err, FASTIO_CORRUPT, "the xz stream has options that this liblzma does not know");
    case LZMA_UNSUPPORTED_CHECK:
      return fastio__fail(err, FASTIO_UNSUPPORTED, "the xz stream has a checksum that this liblzma does not know");
    case LZMA_FORMAT_ERROR:
    case LZMA_DATA_ERROR: return fastio__fail(err, FASTIO_CORRUPT, "the xz stream is damaged");
    default: return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "liblzma refuses the call");
  }
}

static void begin(unxz *x) { x->begun = lzma_stream_decoder(&x->stream, MEMORY_LIMIT, LZMA_TELL_UNSUPPORTED_CHECK); }

static fastio_status decoder_open(fastio__decoder *decoder, fastio_error *err) {
  unxz *x = (unxz *)decoder;
  lzma_stream initial = LZMA_STREAM_INIT;
  x->stream = initial;
  x->allocator = allocator_of(decoder->env);
  x->stream.allocator = &x->allocator;
  begin(x);
  return x->begun == LZMA_OK ? FASTIO_OK : failure(x->begun, err);
}

/* Uses its memory again; if there is none left, the next run says so. */
static void decoder_reset(fastio__decoder *decoder) { begin((unxz *)decoder); }

static void decoder_close(fastio__decoder *decoder) { lzma_end(&((unxz *)decoder)->stream); }

static fastio_status decode(fastio__decoder *decoder, fastio__flow *flow, bool *ended, fastio_error *err) {
  unxz *x = (unxz *)decoder;
  lzma_stream *stream = &x->stream;
  lzma_ret result;
  if (x->begun != LZMA_OK) return failure(x->begun, err);
  stream->next_in = flow->in;
  stream->avail_in = flow->in_size;
  stream->next_out = flow->out;
  stream->avail_out = flow->out_size;
  result = lzma_code(stream, LZMA_RUN);
  fastio__flow_move(flow, flow->in_size - stream->avail_in, flow->out_size - stream->avail_out);
  if (result == LZMA_OK || result == LZMA_BUF_ERROR) return FASTIO_OK;
  if (result != LZMA_STREAM_END) return failure(result, err);
  *ended = true;
  decoder_reset(decoder);
  return FASTIO_OK;
}

const fastio__decompression fastio__unxz = {sizeof(unxz), decoder_open, decode, decoder_reset, decoder_close, NULL};

/* ---- encoding ---- */

typedef struct to_xz {
  fastio__encoder base;
  lzma_allocator allocator;
  lzma_stream stream;
} to_xz;

static fastio_status encoder_open(fastio__encoder *encoder, fastio_error *err) {
  to_xz *x = (to_xz *)encoder;
  lzma_stream initial = LZMA_STREAM_INIT;
  lzma_ret result;
  x->stream = initial;
  x->allocator = allocator_of(encoder->env);
  x->stream.allocator = &x->allocator;
  result = lzma_easy_encoder(&x->stream, (uint32_t)encoder->level, LZMA_CHECK_CRC64);
  return result == LZMA_OK ? FASTIO_OK : failure(result, err);
}

static void encoder_close(fastio__encoder *encoder) { lzma_end(&((to_xz *)encoder)->stream); }

static fastio_status encode(fastio__encoder *encoder, fastio__flow *flow, fastio__encode_end end, bool *done,
                            fastio_error *err) {
  static const lzma_action actions[] = {[FASTIO__ENCODE_MORE] = LZMA_RUN,
                                        [FASTIO__ENCODE_FLUSH] = LZMA_SYNC_FLUSH,
                                        [FASTIO__ENCODE_FINISH] = LZMA_FINISH};
  lzma_stream *stream = &((to_xz *)encoder)->stream;
  lzma_ret result;
  stream->next_in = flow->in;
  stream->avail_in = flow->in_size;
  stream->next_out = flow->out;
  stream->avail_out = flow->out_size;
  result = lzma_code(stream, actions[end]);
  fastio__flow_move(flow, flow->in_size - stream->avail_in, flow->out_size - stream->avail_out);
  *done = end == FASTIO__ENCODE_MORE ? flow->in_size == 0 : result == LZMA_STREAM_END;
  return result == LZMA_OK || result == LZMA_BUF_ERROR || result == LZMA_STREAM_END ? FASTIO_OK : failure(result, err);
}

const fastio__compression fastio__to_xz = {
    sizeof(to_xz), encoder_open, encode, encoder_close, 0, 9, 6, "the levels of xz are 0 to 9"};
#endif
