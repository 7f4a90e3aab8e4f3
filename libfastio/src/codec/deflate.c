/* gzip, zlib and bare deflate written, by zlib. */
#include "formats.h"

#ifdef FASTIO_WITH_ZLIB
#  include "zlib_memory.h"

typedef struct deflating {
  fastio__encoder base;
  z_stream stream;
  bool is_open;
} deflating;

enum { MOST = 1 << 30 }; /* bytes at once: its counts have 32 bits */

static int window_bits(fastio__format format) {
  return format == FASTIO__GZIP ? 16 + MAX_WBITS : format == FASTIO__ZLIB ? MAX_WBITS : -MAX_WBITS;
}

static fastio_status deflate_open(fastio__encoder *encoder, fastio_error *err) {
  deflating *d = (deflating *)encoder;
  fastio__zlib_prepare(&d->stream, encoder->env);
  if (deflateInit2(&d->stream, encoder->level, Z_DEFLATED, window_bits(encoder->format), 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  d->is_open = true;
  return FASTIO_OK;
}

static void deflate_close(fastio__encoder *encoder) {
  deflating *d = (deflating *)encoder;
  if (d->is_open) (void)deflateEnd(&d->stream);
}

/* Room that is not used up says that all is out. */
static fastio_status deflate_run(fastio__encoder *encoder, fastio__flow *flow, fastio__encode_end end, bool *done,
                                 fastio_error *err) {
  static const int flushes[] = {
      [FASTIO__ENCODE_MORE] = Z_NO_FLUSH, [FASTIO__ENCODE_FLUSH] = Z_SYNC_FLUSH, [FASTIO__ENCODE_FINISH] = Z_FINISH};
  z_stream *stream = &((deflating *)encoder)->stream;
  const uInt in_size = flow->in_size < MOST ? (uInt)flow->in_size : MOST;
  const uInt out_size = flow->out_size < MOST ? (uInt)flow->out_size : MOST;
  const bool is_all = in_size == flow->in_size;
  int result;
  stream->next_in = (Bytef *)(uintptr_t)flow->in;
  stream->avail_in = in_size;
  stream->next_out = flow->out;
  stream->avail_out = out_size;
  result = deflate(stream, is_all ? flushes[end] : Z_NO_FLUSH);
  fastio__flow_move(flow, in_size - stream->avail_in, out_size - stream->avail_out);
  if (result == Z_STREAM_ERROR) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the archive is finished");
  if (!is_all) return FASTIO_OK;
  *done = end == FASTIO__ENCODE_FINISH ? result == Z_STREAM_END
                                       : flow->in_size == 0 && (end == FASTIO__ENCODE_MORE || stream->avail_out > 0);
  return FASTIO_OK;
}

const fastio__compression fastio__deflating = {sizeof(deflating),
                                               deflate_open,
                                               deflate_run,
                                               deflate_close,
                                               0,
                                               9,
                                               6,
                                               "the levels of gzip, zlib and deflate are 0 to 9"};
#endif
