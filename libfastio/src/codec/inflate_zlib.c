/* Bare deflate by zlib, where ISA-L is not. */
#include "formats.h"

#if defined(FASTIO_WITH_ZLIB) && !defined(FASTIO_WITH_ISAL)
#  include "zlib_memory.h"

struct fastio__inflate {
  z_stream stream;
};

enum { MOST = 1 << 30 }; /* bytes at once: its counts have 32 bits */

fastio__inflate *fastio__inflate_new(const fastio_env *env) {
  fastio__inflate *inflate = fastio__allocate(env, sizeof *inflate);
  if (!inflate) return NULL;
  fastio__zlib_prepare(&inflate->stream, env);
  if (inflateInit2(&inflate->stream, -MAX_WBITS) == Z_OK) return inflate;
  fastio__release(env, inflate, sizeof *inflate);
  return NULL;
}

void fastio__inflate_free(fastio__inflate *inflate, const fastio_env *env) {
  if (!inflate) return;
  (void)inflateEnd(&inflate->stream);
  fastio__release(env, inflate, sizeof *inflate);
}

void fastio__inflate_reset(fastio__inflate *inflate) { (void)inflateReset(&inflate->stream); }

fastio_status fastio__inflate_run(fastio__inflate *handle, fastio__flow *flow, bool *ended, fastio_error *err) {
  z_stream *stream = &handle->stream;
  const uInt in_size = flow->in_size < MOST ? (uInt)flow->in_size : MOST;
  const uInt out_size = flow->out_size < MOST ? (uInt)flow->out_size : MOST;
  int result;
  stream->next_in = (Bytef *)(uintptr_t)flow->in;
  stream->avail_in = in_size;
  stream->next_out = flow->out;
  stream->avail_out = out_size;
  result = inflate(stream, Z_NO_FLUSH);
  fastio__flow_move(flow, in_size - stream->avail_in, out_size - stream->avail_out);
  *ended = result == Z_STREAM_END;
  if (result == Z_MEM_ERROR) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR
             ? FASTIO_OK
             : fastio__fail(err, FASTIO_CORRUPT, FASTIO__INFLATE_MESSAGE);
}

/* Without data zlib begins anew. */
uint32_t fastio__crc32(uint32_t before, const uint8_t *data, size_t size) {
  if (size == 0) return before;
  for (; size > MOST; data += MOST, size -= MOST) before = (uint32_t)crc32(before, data, MOST);
  return (uint32_t)crc32(before, data, (uInt)size);
}

uint32_t fastio__adler32(uint32_t before, const uint8_t *data, size_t size) {
  if (size == 0) return before;
  for (; size > MOST; data += MOST, size -= MOST) before = (uint32_t)adler32(before, data, MOST);
  return (uint32_t)adler32(before, data, (uInt)size);
}
#endif
