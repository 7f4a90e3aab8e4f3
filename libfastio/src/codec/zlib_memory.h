/* zlib_memory: zlib's streams with memory of the environment. */
#ifndef FASTIO__ZLIB_MEMORY_H
#define FASTIO__ZLIB_MEMORY_H

#include "formats.h"

#include <zlib.h>

FASTIO__INLINE voidpf fastio__zlib_allocate(voidpf env, uInt items, uInt size) {
  size_t bytes;
  return fastio__multiply(items, size, &bytes) ? fastio__sized_allocate(env, bytes) : NULL;
}

FASTIO__INLINE void fastio__zlib_release(voidpf env, voidpf block) { fastio__sized_release(env, block); }

FASTIO__INLINE void fastio__zlib_prepare(z_stream *stream, const fastio_env *env) {
  memset(stream, 0, sizeof *stream);
  stream->zalloc = fastio__zlib_allocate;
  stream->zfree = fastio__zlib_release;
  stream->opaque = (voidpf)(uintptr_t)env;
}

#endif
