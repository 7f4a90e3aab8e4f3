/* lz4 frames, by liblz4, which takes its memory from the C library. */
#include "formats.h"

#ifdef FASTIO_WITH_LZ4
#  include <lz4frame.h>

/* ---- decoding ---- */

enum { FIRST_PIECE = 7, BLOCK_HEADER = 4 };

typedef struct unlz4 {
  fastio__decoder base;
  LZ4F_dctx *context;
  size_t piece; /* how much of a frame to hand in at most */
  bool is_full; /* there may be more to put out */
} unlz4;

static fastio_status decoder_open(fastio__decoder *decoder, fastio_error *err) {
  ((unlz4 *)decoder)->piece = FIRST_PIECE;
  return LZ4F_isError(LZ4F_createDecompressionContext(&((unlz4 *)decoder)->context, LZ4F_VERSION))
             ? fastio__fail(err, FASTIO_NO_MEMORY, NULL)
             : FASTIO_OK;
}

static void decoder_reset(fastio__decoder *decoder) {
  unlz4 *z = (unlz4 *)decoder;
  LZ4F_resetDecompressionContext(z->context);
  z->piece = FIRST_PIECE;
  z->is_full = false;
}

static void decoder_close(fastio__decoder *decoder) {
  (void)LZ4F_freeDecompressionContext(((unlz4 *)decoder)->context);
}

/* Its codes are not public, its names are. */
static fastio_status failure(size_t result, fastio_error *err) {
  const char *name = LZ4F_getErrorName(result);
  if (strcmp(name, "ERROR_allocation_failed") == 0) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  if (strstr(name, "hecksum_invalid")) return fastio__fail(err, FASTIO_CORRUPT, "a checksum of the lz4 frame is wrong");
  if (strcmp(name, "ERROR_frameSize_wrong") == 0)
    return fastio__fail(err, FASTIO_CORRUPT, "the lz4 frame is not as long as its header says");
  return fastio__fail(err, FASTIO_CORRUPT, "the lz4 frame is damaged");
}

/* Up to the end of a block, or of what is between blocks: the library tells a fault without what it has put out in the
 * same call. So what it still has to put out is also asked for alone, before there is input to be wrong. */
static size_t decode_piece(unlz4 *z, fastio__flow *flow, bool *moved) {
  const bool flushes = z->is_full && flow->out_size > 0;
  const size_t most = flushes ? 0 : z->piece;
  size_t taken = flow->in_size < most ? flow->in_size : most, given = flow->out_size;
  size_t result = LZ4F_decompress(z->context, flow->out, &given, flow->in, &taken, NULL);
  *moved = flushes || taken > 0 || given > 0;
  if (LZ4F_isError(result)) return result;
  fastio__flow_move(flow, taken, given);
  z->is_full = flow->out_size == 0;
  z->piece = result > BLOCK_HEADER ? result - BLOCK_HEADER : result; /* without that of the next one */
  return result;
}

static fastio_status decode(fastio__decoder *decoder, fastio__flow *flow, bool *ended, fastio_error *err) {
  unlz4 *z = (unlz4 *)decoder;
  bool moved = true;
  while (moved && !*ended) {
    const size_t result = decode_piece(z, flow, &moved);
    if (LZ4F_isError(result)) return failure(result, err);
    *ended = result == 0;
  }
  if (*ended) z->piece = FIRST_PIECE;
  return FASTIO_OK;
}

const fastio__decompression fastio__unlz4 = {sizeof(unlz4), decoder_open, decode, decoder_reset, decoder_close, NULL};

/* ---- encoding ---- */

enum { PIECE = 256 << 10 };

/* The library wants room for the worst; so it writes into a buffer of that size, which is handed out from there. */
typedef struct to_lz4 {
  fastio__encoder base;
  LZ4F_cctx *context;
  LZ4F_preferences_t preferences;
  char *buffer;
  size_t capacity, from, to; /* of the buffer: bytes that are not out yet */
  bool has_begun, has_ended;
} to_lz4;

static fastio_status encoder_open(fastio__encoder *encoder, fastio_error *err) {
  to_lz4 *z = (to_lz4 *)encoder;
  z->preferences.frameInfo.blockSizeID = LZ4F_max256KB;
  z->preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  z->preferences.compressionLevel = encoder->level;
  z->capacity = LZ4F_compressBound(PIECE, &z->preferences) + LZ4F_HEADER_SIZE_MAX;
  z->buffer = fastio__allocate(encoder->env, z->capacity);
  return !z->buffer || LZ4F_isError(LZ4F_createCompressionContext(&z->context, LZ4F_VERSION))
             ? fastio__fail(err, FASTIO_NO_MEMORY, NULL)
             : FASTIO_OK;
}

static void encoder_close(fastio__encoder *encoder) {
  to_lz4 *z = (to_lz4 *)encoder;
  (void)LZ4F_freeCompressionContext(z->context);
  fastio__release(encoder->env, z->buffer, z->capacity);
}

/* Into the empty buffer: the header, the next piece, or what ends the block or the frame. *is_last: nothing is left to
 * be made. */
static size_t make(to_lz4 *z, fastio__flow *flow, fastio__encode_end end, bool *is_last) {
  size_t size = flow->in_size < PIECE ? flow->in_size : PIECE, made;
  *is_last = false;
  if (!z->has_begun) {
    z->has_begun = true;
    return LZ4F_compressBegin(z->context, z->buffer, z->capacity, &z->preferences);
  }
  if (size > 0) {
    made = LZ4F_compressUpdate(z->context, z->buffer, z->capacity, flow->in, size, NULL);
    fastio__flow_move(flow, size, 0);
    return made;
  }
  *is_last = true;
  if (end == FASTIO__ENCODE_MORE || z->has_ended) return 0;
  if (end == FASTIO__ENCODE_FLUSH) return LZ4F_flush(z->context, z->buffer, z->capacity, NULL);
  z->has_ended = true;
  return LZ4F_compressEnd(z->context, z->buffer, z->capacity, NULL);
}

static void hand_out(to_lz4 *z, fastio__flow *flow) {
  size_t size = z->to - z->from < flow->out_size ? z->to - z->from : flow->out_size;
  if (size) memcpy(flow->out, z->buffer + z->from, size);
  z->from += size;
  fastio__flow_move(flow, 0, size);
}

static fastio_status encode(fastio__encoder *encoder, fastio__flow *flow, fastio__encode_end end, bool *done,
                            fastio_error *err) {
  to_lz4 *z = (to_lz4 *)encoder;
  bool is_last = false;
  for (;;) {
    size_t made;
    hand_out(z, flow);
    if (z->from < z->to) return FASTIO_OK;
    if (is_last) break;
    made = make(z, flow, end, &is_last);
    if (LZ4F_isError(made)) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
    z->from = 0;
    z->to = made;
  }
  *done = true;
  return FASTIO_OK;
}

const fastio__compression fastio__to_lz4 = {
    sizeof(to_lz4), encoder_open, encode, encoder_close, 0, 12, 0, "the levels of lz4 are 0 to 12"};
#endif
