/* BGZF: gzip in members of at most 64 KiB that tell in their header how long they are, so that each can be decompressed
 * by itself (SAM/BAM format specification, 4.1). */
#include "formats.h"

#include "../platform/platform.h"

#if FASTIO__HAS_INFLATE

enum { FIXED_HEADER = 12, TRAILER = 8 };

static size_t load16(const uint8_t *p) { return (size_t)p[0] | (size_t)p[1] << 8; }

/* The field "BC" of the extra ones. */
size_t fastio__bgzf_size(const uint8_t *data, size_t size) {
  size_t extra, at = FIXED_HEADER;
  if (size < FIXED_HEADER || memcmp(data, "\x1f\x8b\x08", 3) != 0 || (data[3] & 4) == 0) return 0;
  extra = load16(data + 10);
  if (size < FIXED_HEADER + extra) return 0;
  while (at + 4 <= FIXED_HEADER + extra) {
    size_t length = load16(data + at + 2);
    if (data[at] == 'B' && data[at + 1] == 'C' && length == 2 && at + 6 <= FIXED_HEADER + extra) {
      size_t whole = load16(data + at + 4) + 1;
      return whole >= FIXED_HEADER + extra + 2 + TRAILER ? whole : 0;
    }
    at += 4 + length;
  }
  return 0;
}

#endif

#ifdef FASTIO_WITH_ZLIB
#  include "zlib_memory.h"

enum {
  CONTENT = 0xff00, /* of a block: fits into 64 KiB also where it can't be compressed */
  ROOM = 1 << 16,   /* of a block as it is written */
  HEADER = 18,
  MOST_THREADS = 256,
  BLOCKS_A_THREAD = 8 /* at a time: what starting the threads costs is then little */
};

typedef struct worker {
  struct to_bgzf *bgzf;
  z_stream stream;
  bool is_open;
  fastio__thread thread;
} worker;

typedef struct to_bgzf {
  fastio__encoder base;
  worker *workers;
  size_t worker_count, block_count;
  uint8_t *content; /* block_count times CONTENT, of which `filled` bytes are there */
  size_t filled;
  uint8_t *blocks;          /* block_count times ROOM; as much of each as its header says */
  size_t made, out, out_at; /* blocks that are made, the one to hand out next, bytes of it that are out */
  atomic_size_t next;       /* to be made, while threads are at it */
  bool has_ended;
} to_bgzf;

/* ---- opening ---- */

static fastio_status encoder_open(fastio__encoder *encoder, fastio_error *err) {
  to_bgzf *b = (to_bgzf *)encoder;
  b->worker_count = encoder->threads < MOST_THREADS ? encoder->threads : MOST_THREADS;
  b->block_count = b->worker_count > 1 ? b->worker_count * BLOCKS_A_THREAD : 1;
  b->workers = fastio__allocate(encoder->env, b->worker_count * sizeof *b->workers);
  if (!b->workers) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  memset(b->workers, 0, b->worker_count * sizeof *b->workers);
  b->content = fastio__allocate(encoder->env, b->block_count * CONTENT);
  b->blocks = b->content ? fastio__allocate(encoder->env, b->block_count * ROOM) : NULL;
  if (!b->blocks) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  for (size_t i = 0; i < b->worker_count; i++) {
    worker *w = &b->workers[i];
    w->bgzf = b;
    fastio__zlib_prepare(&w->stream, encoder->env);
    if (deflateInit2(&w->stream, encoder->level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
    w->is_open = true;
  }
  return FASTIO_OK;
}

static void encoder_close(fastio__encoder *encoder) {
  to_bgzf *b = (to_bgzf *)encoder;
  for (size_t i = 0; b->workers && i < b->worker_count; i++)
    if (b->workers[i].is_open) (void)deflateEnd(&b->workers[i].stream);
  fastio__release(encoder->env, b->blocks, b->block_count * ROOM);
  fastio__release(encoder->env, b->content, b->block_count * CONTENT);
  fastio__release(encoder->env, b->workers, b->worker_count * sizeof *b->workers);
}

/* ---- one block ---- */

static void store16(uint8_t *p, size_t value) {
  p[0] = (uint8_t)value;
  p[1] = (uint8_t)(value >> 8);
}

static void store32(uint8_t *p, uint32_t value) {
  store16(p, value & 0xffff);
  store16(p + 2, value >> 16);
}

/* As it is: one stored block. */
static size_t store(const uint8_t *data, size_t size, uint8_t *out) {
  out[0] = 1;
  store16(out + 1, size);
  store16(out + 3, size ^ 0xffff);
  memcpy(out + 5, data, size);
  return 5 + size;
}

static size_t compress_body(z_stream *stream, const uint8_t *data, size_t size, uint8_t *out) {
  const size_t room = ROOM - HEADER - TRAILER;
  (void)deflateReset(stream);
  stream->next_in = (Bytef *)(uintptr_t)data;
  stream->avail_in = (uInt)size;
  stream->next_out = out;
  stream->avail_out = (uInt)room;
  return deflate(stream, Z_FINISH) == Z_STREAM_END ? room - stream->avail_out : store(data, size, out);
}

static void make_block(z_stream *stream, const uint8_t *data, size_t size, uint8_t *block) {
  static const uint8_t header[HEADER] = {0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, 'B', 'C', 2, 0, 0, 0};
  const size_t body = compress_body(stream, data, size, block + HEADER);
  memcpy(block, header, HEADER);
  store16(block + HEADER - 2, HEADER + body + TRAILER - 1);
  store32(block + HEADER + body, fastio__crc32(0, data, size));
  store32(block + HEADER + body + 4, (uint32_t)size);
}

/* ---- all blocks of what has been gathered ---- */

static void work(void *ctx) {
  worker *w = ctx;
  to_bgzf *b = w->bgzf;
  for (size_t i; (i = atomic_fetch_add(&b->next, 1)) < b->made;) {
    const size_t at = i * CONTENT, rest = b->filled - at;
    make_block(&w->stream, b->content + at, rest < CONTENT ? rest : CONTENT, b->blocks + i * ROOM);
  }
}

static void make_blocks(to_bgzf *b) {
  size_t started = 1;
  b->made = (b->filled + CONTENT - 1) / CONTENT;
  b->out = b->out_at = 0;
  atomic_store(&b->next, 0);
  while (started < b->worker_count && started < b->made &&
         fastio__thread_start(&b->workers[started].thread, work, &b->workers[started]) == 0)
    started++;
  work(&b->workers[0]);
  while (started > 1) fastio__thread_join(&b->workers[--started].thread);
  b->filled = 0;
}

/* What every reader takes for the true end: a block without content, byte for byte this one at every level. */
static void make_end(to_bgzf *b) {
  static const uint8_t end[] = {0x1f, 0x8b, 8,    4, 0, 0, 0, 0, 0, 0xff, 6, 0, 'B', 'C',
                                2,    0,    0x1b, 0, 3, 0, 0, 0, 0, 0,    0, 0, 0,   0};
  memcpy(b->blocks, end, sizeof end);
  b->made = 1;
  b->out = b->out_at = 0;
  b->has_ended = true;
}

static void hand_out(to_bgzf *b, fastio__flow *flow) {
  while (b->out < b->made && flow->out_size > 0) {
    const uint8_t *block = b->blocks + b->out * ROOM;
    const size_t whole = load16(block + HEADER - 2) + 1, rest = whole - b->out_at;
    const size_t some = rest < flow->out_size ? rest : flow->out_size;
    memcpy(flow->out, block + b->out_at, some);
    fastio__flow_move(flow, 0, some);
    b->out_at += some;
    if (b->out_at < whole) return;
    b->out++;
    b->out_at = 0;
  }
}

static void gather(to_bgzf *b, fastio__flow *flow) {
  const size_t room = b->block_count * CONTENT - b->filled;
  const size_t some = flow->in_size < room ? flow->in_size : room;
  if (some) memcpy(b->content + b->filled, flow->in, some);
  b->filled += some;
  fastio__flow_move(flow, some, 0);
}

static fastio_status encode(fastio__encoder *encoder, fastio__flow *flow, fastio__encode_end end, bool *done,
                            fastio_error *err) {
  to_bgzf *b = (to_bgzf *)encoder;
  (void)err;
  for (;;) {
    hand_out(b, flow);
    if (b->out < b->made) return FASTIO_OK;
    gather(b, flow);
    if (b->filled == b->block_count * CONTENT || (b->filled > 0 && end != FASTIO__ENCODE_MORE)) make_blocks(b);
    else if (end == FASTIO__ENCODE_FINISH && !b->has_ended) make_end(b);
    else break;
  }
  *done = true;
  return FASTIO_OK;
}

const fastio__compression fastio__to_bgzf = {
    sizeof(to_bgzf), encoder_open, encode, encoder_close, 0, 9, 6, "the levels of bgzf are 0 to 9"};
#endif
