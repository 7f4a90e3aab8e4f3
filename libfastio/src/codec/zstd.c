/* zstd, by libzstd. */
#include "formats.h"

#ifdef FASTIO_WITH_ZSTD
#  define ZSTD_STATIC_LINKING_ONLY /* memory of the environment */
#  include <zstd.h>
#  include <zstd_errors.h>

static void *allocate(void *env, size_t size) { return fastio__sized_allocate(env, size); }
static void release(void *env, void *block) { fastio__sized_release(env, block); }

/* ---- decoding ---- */

enum { FIRST_PIECE = 5, BLOCK_HEADER = 3 };

typedef struct unzstd {
  fastio__decoder base;
  ZSTD_DCtx *context;
  size_t piece; /* how much of a frame to hand in at most; 0: none was begun */
  bool is_full; /* there may be more to put out */
} unzstd;

/* A window may be as large as any tool makes it: memory is only used as far as there is content. */
static void allow_windows(ZSTD_DCtx *context) {
  ZSTD_bounds bounds = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
  (void)ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, bounds.upperBound);
}

static fastio_status decoder_open(fastio__decoder *decoder, fastio_error *err) {
  unzstd *z = (unzstd *)decoder;
  ZSTD_customMem memory = {allocate, release, (void *)(uintptr_t)decoder->env};
  z->context = fastio__has_allocator(decoder->env) ? ZSTD_createDCtx_advanced(memory) : ZSTD_createDCtx();
  if (!z->context) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  allow_windows(z->context);
  return FASTIO_OK;
}

static void decoder_reset(fastio__decoder *decoder) {
  unzstd *z = (unzstd *)decoder;
  (void)ZSTD_DCtx_reset(z->context, ZSTD_reset_session_only);
  z->piece = 0;
  z->is_full = false;
}

static void decoder_close(fastio__decoder *decoder) { (void)ZSTD_freeDCtx(((unzstd *)decoder)->context); }

static fastio_status decode_failure(size_t result, fastio_error *err) {
  switch (ZSTD_getErrorCode(result)) {
    case ZSTD_error_memory_allocation: return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
    case ZSTD_error_frameParameter_windowTooLarge:
      return fastio__fail(err, FASTIO_TOO_LARGE, "the zstd frame asks for a window of more than 2 GiB");
    case ZSTD_error_dictionary_wrong: return fastio__fail(err, FASTIO_UNSUPPORTED, "the zstd frame needs a dictionary");
    case ZSTD_error_frameParameter_unsupported:
      return fastio__fail(err, FASTIO_CORRUPT, "the zstd frame has a header that is not defined");
    case ZSTD_error_checksum_wrong: return fastio__fail(err, FASTIO_CORRUPT, "the checksum of the zstd frame is wrong");
    default: return fastio__fail(err, FASTIO_CORRUPT, "the zstd frame is damaged");
  }
}

static size_t frame_size(const uint8_t *data, size_t size, uint64_t *content) {
  size_t found = ZSTD_findFrameCompressedSize(data, size);
  unsigned long long length;
  if (ZSTD_isError(found)) return 0;
  length = ZSTD_getFrameContentSize(data, size);
  if (length == ZSTD_CONTENTSIZE_UNKNOWN) length = ZSTD_decompressBound(data, found); /* by its blocks */
  if (length != ZSTD_CONTENTSIZE_ERROR) *content = length;
  return found;
}

/* A frame that is all there, with room for all of it, at once: that takes no memory for a window, and copies nothing.
 * False: it is not, or there is something wrong with it. */
static bool decode_frame(unzstd *z, fastio__flow *flow) {
  uint64_t content = FASTIO_NO_OFFSET;
  size_t whole = frame_size(flow->in, flow->in_size, &content), given;
  if (whole == 0 || content > flow->out_size) return false;
  given = ZSTD_decompressDCtx(z->context, flow->out, flow->out_size, flow->in, whole);
  (void)ZSTD_DCtx_reset(z->context, ZSTD_reset_session_only);
  if (ZSTD_isError(given)) return false;
  fastio__flow_move(flow, whole, given);
  return true;
}

/* Up to the end of a block, or of what is between blocks: the library tells a fault without what it has put out in the
 * same call. So what it still has to put out is also asked for alone, before there is input to be wrong. */
static size_t decode_piece(unzstd *z, fastio__flow *flow, bool *moved) {
  const bool flushes = z->is_full && flow->out_size > 0;
  const size_t most = flushes ? 0 : z->piece;
  ZSTD_inBuffer in = {flow->in, flow->in_size < most ? flow->in_size : most, 0};
  ZSTD_outBuffer out = {flow->out, flow->out_size, 0};
  size_t result = ZSTD_decompressStream(z->context, &out, &in);
  *moved = in.pos > 0 || out.pos > 0 || flushes;
  /* Asked in vain a few times it takes that for a fault: but input may still come. */
  if (ZSTD_isError(result)) return *moved || in.size > 0 ? result : 1;
  fastio__flow_move(flow, in.pos, out.pos);
  z->is_full = out.pos == out.size;
  z->piece = result;
  if (result > BLOCK_HEADER && ZSTD_nextInputType(z->context) == ZSTDnit_block)
    z->piece -= BLOCK_HEADER; /* of the next one */
  return result;
}

static fastio_status decode(fastio__decoder *decoder, fastio__flow *flow, bool *ended, fastio_error *err) {
  unzstd *z = (unzstd *)decoder;
  bool moved = true;
  if (z->piece == 0) {
    *ended = decode_frame(z, flow);
    if (*ended) return FASTIO_OK;
    z->piece = FIRST_PIECE;
  }
  while (moved && !*ended) {
    const size_t result = decode_piece(z, flow, &moved);
    if (ZSTD_isError(result)) return decode_failure(result, err);
    *ended = result == 0;
  }
  if (*ended) z->piece = 0;
  return FASTIO_OK;
}

const fastio__decompression fastio__unzstd = {sizeof(unzstd), decoder_open,  decode,
                                              decoder_reset,  decoder_close, frame_size};

/* ---- encoding ---- */

typedef struct to_zstd {
  fastio__encoder base;
  ZSTD_CCtx *context;
} to_zstd;

static fastio_status encode_failure(size_t result, fastio_error *err) {
  return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation
             ? fastio__fail(err, FASTIO_NO_MEMORY, NULL)
             : fastio__fail(err, FASTIO_INVALID_ARGUMENT, "zstd refuses these options");
}

/* Workers allocate, too, which a custom allocator need not allow; a libzstd without threads does without. */
static fastio_status encoder_open(fastio__encoder *encoder, fastio_error *err) {
  to_zstd *z = (to_zstd *)encoder;
  ZSTD_customMem memory = {allocate, release, (void *)(uintptr_t)encoder->env};
  const bool is_custom = fastio__has_allocator(encoder->env);
  size_t result;
  z->context = is_custom ? ZSTD_createCCtx_advanced(memory) : ZSTD_createCCtx();
  if (!z->context) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  result = ZSTD_CCtx_setParameter(z->context, ZSTD_c_compressionLevel, encoder->level);
  if (!ZSTD_isError(result)) result = ZSTD_CCtx_setParameter(z->context, ZSTD_c_checksumFlag, 1);
  if (ZSTD_isError(result)) return encode_failure(result, err);
  if (encoder->threads > 1 && !is_custom)
    (void)ZSTD_CCtx_setParameter(z->context, ZSTD_c_nbWorkers, (int)encoder->threads);
  return FASTIO_OK;
}

static void encoder_close(fastio__encoder *encoder) { (void)ZSTD_freeCCtx(((to_zstd *)encoder)->context); }

static fastio_status encode(fastio__encoder *encoder, fastio__flow *flow, fastio__encode_end end, bool *done,
                            fastio_error *err) {
  static const ZSTD_EndDirective ends[] = {[FASTIO__ENCODE_MORE] = ZSTD_e_continue,
                                           [FASTIO__ENCODE_FLUSH] = ZSTD_e_flush,
                                           [FASTIO__ENCODE_FINISH] = ZSTD_e_end};
  ZSTD_inBuffer in = {flow->in, flow->in_size, 0};
  ZSTD_outBuffer out = {flow->out, flow->out_size, 0};
  size_t result = ZSTD_compressStream2(((to_zstd *)encoder)->context, &out, &in, ends[end]);
  fastio__flow_move(flow, in.pos, out.pos);
  if (ZSTD_isError(result)) return encode_failure(result, err);
  *done = flow->in_size == 0 && (end == FASTIO__ENCODE_MORE || result == 0);
  return FASTIO_OK;
}

const fastio__compression fastio__to_zstd = {sizeof(to_zstd),
                                             encoder_open,
                                             encode,
                                             encoder_close,
                                             -131072,
                                             22,
                                             ZSTD_CLEVEL_DEFAULT,
                                             "the levels of zstd are -131072 to 22"};
#endif
