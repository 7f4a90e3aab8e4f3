/* What is around deflated data when it is read: gzip's headers and trailers (RFC 1952), zlib's (RFC 1950), nothing. */
#include "formats.h"

#if FASTIO__HAS_INFLATE

enum { GZIP_HEADER = 10, GZIP_TRAILER = 8, ZLIB_HEADER = 2, ZLIB_TRAILER = 4 };
enum { HAS_HEADER_CRC = 2, HAS_EXTRA = 4, HAS_NAME = 8, HAS_COMMENT = 16, RESERVED = 0xe0 };

typedef enum stage { HEADER, EXTRA_SIZE, EXTRA, NAME, COMMENT, HEADER_CRC, BODY, TRAILER } stage;

typedef struct member {
  fastio__decoder base;
  fastio__inflate *inflate;
  stage stage;
  uint8_t field[GZIP_HEADER]; /* of fixed size, being gathered */
  size_t gathered;
  unsigned flags;
  size_t extra_left;
  uint32_t header_crc, checksum;
  uint32_t size; /* decompressed so far, modulo 2^32 */
} member;

static member *of(fastio__decoder *decoder) { return (member *)decoder; }

static void begin(member *m) {
  m->stage = m->base.format == FASTIO__DEFLATE ? BODY : HEADER;
  m->gathered = 0;
  m->flags = 0;
  m->header_crc = 0;
  m->checksum = m->base.format == FASTIO__ZLIB;
  m->size = 0;
  fastio__inflate_reset(m->inflate);
}

static fastio_status decoder_open(fastio__decoder *decoder, fastio_error *err) {
  member *m = of(decoder);
  m->inflate = fastio__inflate_new(decoder->env);
  if (!m->inflate) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  begin(m);
  return FASTIO_OK;
}

static void decoder_close(fastio__decoder *decoder) { fastio__inflate_free(of(decoder)->inflate, decoder->env); }

static void decoder_reset(fastio__decoder *decoder) { begin(of(decoder)); }

static fastio_status corrupt(fastio_error *err, const char *message) {
  return fastio__fail(err, FASTIO_CORRUPT, message);
}

/* ---- headers ---- */

/* Bytes of the header are taken, and count for its checksum. */
static void take(member *m, fastio__flow *flow, size_t size) {
  m->header_crc = fastio__crc32(m->header_crc, flow->in, size);
  fastio__flow_move(flow, size, 0);
}

/* Gathers a field of `size` bytes; false: input lacks. */
static bool gather(member *m, fastio__flow *flow, size_t size) {
  size_t rest = size - m->gathered, some = flow->in_size < rest ? flow->in_size : rest;
  if (some) memcpy(m->field + m->gathered, flow->in, some);
  m->gathered += some;
  if (m->stage < HEADER_CRC) take(m, flow, some);
  else fastio__flow_move(flow, some, 0);
  return m->gathered == size;
}

/* What comes next, after the fields that the flags say are not there. */
static void enter(member *m, stage next) {
  static const unsigned flag_of[BODY] = {
      [EXTRA_SIZE] = HAS_EXTRA, [NAME] = HAS_NAME, [COMMENT] = HAS_COMMENT, [HEADER_CRC] = HAS_HEADER_CRC};
  while (next < BODY && (m->flags & flag_of[next]) == 0) next = next == EXTRA_SIZE ? NAME : (stage)(next + 1);
  m->stage = next;
  m->gathered = 0;
}

/* Other data is told from its first bytes, however few there are, and stays in front of the reader. */
static fastio_status check_magic(const member *m, const fastio__flow *flow, fastio_error *err) {
  static const uint8_t magic[3] = {0x1f, 0x8b, 8};
  for (size_t i = m->gathered, j = 0; i < sizeof magic && j < flow->in_size; i++, j++)
    if (flow->in[j] != magic[i])
      return corrupt(err, i < 2 ? "not gzip: it does not begin with 1f 8b" : "unknown method of compression in gzip");
  return FASTIO_OK;
}

static fastio_status read_header(member *m, fastio__flow *flow, fastio_error *err) {
  fastio_status status = check_magic(m, flow, err);
  if (status != FASTIO_OK || !gather(m, flow, GZIP_HEADER)) return status;
  m->flags = m->field[3];
  if ((m->flags & RESERVED) != 0) return corrupt(err, "the gzip header has flags that are not defined");
  enter(m, EXTRA_SIZE);
  return FASTIO_OK;
}

static void read_extra_size(member *m, fastio__flow *flow) {
  if (!gather(m, flow, 2)) return;
  m->extra_left = (size_t)m->field[0] | (size_t)m->field[1] << 8;
  m->stage = EXTRA;
}

static void read_extra(member *m, fastio__flow *flow) {
  size_t some = flow->in_size < m->extra_left ? flow->in_size : m->extra_left;
  take(m, flow, some);
  m->extra_left -= some;
  if (m->extra_left == 0) enter(m, NAME);
}

/* A name or a comment, up to a NUL. */
static void read_text(member *m, fastio__flow *flow) {
  const uint8_t *end = flow->in_size ? memchr(flow->in, 0, flow->in_size) : NULL;
  take(m, flow, end ? (size_t)(end + 1 - flow->in) : flow->in_size);
  if (end) enter(m, m->stage + 1);
}

static fastio_status read_header_crc(member *m, fastio__flow *flow, fastio_error *err) {
  if (!gather(m, flow, 2)) return FASTIO_OK;
  if (((uint32_t)m->field[0] | (uint32_t)m->field[1] << 8) != (m->header_crc & 0xffff))
    return corrupt(err, "the checksum of the gzip header is wrong");
  enter(m, BODY);
  return FASTIO_OK;
}

/* Two bytes that are divisible by 31 together. */
static fastio_status read_zlib_header(member *m, fastio__flow *flow, fastio_error *err) {
  unsigned method, flags;
  if (!gather(m, flow, ZLIB_HEADER)) return FASTIO_OK;
  method = m->field[0];
  flags = m->field[1];
  if ((method & 15) != 8 || method >> 4 > 7 || (method << 8 | flags) % 31 != 0)
    return corrupt(err, "not zlib: its header is another one");
  if ((flags & 0x20) != 0) return fastio__fail(err, FASTIO_UNSUPPORTED, "the zlib data needs a dictionary");
  enter(m, BODY);
  return FASTIO_OK;
}

/* ---- body and trailer ---- */

static void add_to_checksum(member *m, const uint8_t *data, size_t size) {
  if (m->base.format == FASTIO__DEFLATE) return;
  m->checksum = m->base.format == FASTIO__ZLIB ? fastio__adler32(m->checksum, data, size)
                                               : fastio__crc32(m->checksum, data, size);
  m->size += (uint32_t)size;
}

static fastio_status read_body(member *m, fastio__flow *flow, bool *ended, fastio_error *err) {
  const uint8_t *out = flow->out;
  bool over;
  fastio_status status = fastio__inflate_run(m->inflate, flow, &over, err);
  add_to_checksum(m, out, (size_t)(flow->out - out));
  if (status != FASTIO_OK || !over) return status;
  m->stage = TRAILER;
  m->gathered = 0;
  if (m->base.format != FASTIO__DEFLATE) return FASTIO_OK;
  begin(m);
  *ended = true;
  return FASTIO_OK;
}

static fastio_status read_zlib_trailer(member *m, fastio__flow *flow, bool *ended, fastio_error *err) {
  const uint8_t *sum = m->field;
  if (!gather(m, flow, ZLIB_TRAILER)) return FASTIO_OK;
  if (((uint32_t)sum[0] << 24 | (uint32_t)sum[1] << 16 | (uint32_t)sum[2] << 8 | sum[3]) != m->checksum)
    return corrupt(err, "the checksum (Adler-32) of the zlib data is wrong");
  begin(m);
  *ended = true;
  return FASTIO_OK;
}

static fastio_status read_trailer(member *m, fastio__flow *flow, bool *ended, fastio_error *err) {
  if (m->base.format == FASTIO__ZLIB) return read_zlib_trailer(m, flow, ended, err);
  if (!gather(m, flow, GZIP_TRAILER)) return FASTIO_OK;
  if (fastio__load_le32(m->field) != m->checksum)
    return corrupt(err, "the checksum (CRC-32) of the gzip member is wrong");
  if (fastio__load_le32(m->field + 4) != m->size)
    return corrupt(err, "the gzip member is not as long as its trailer says");
  begin(m);
  *ended = true;
  return FASTIO_OK;
}

static fastio_status step(member *m, fastio__flow *flow, bool *ended, fastio_error *err) {
  switch (m->stage) {
    case HEADER: return m->base.format == FASTIO__ZLIB ? read_zlib_header(m, flow, err) : read_header(m, flow, err);
    case EXTRA_SIZE: read_extra_size(m, flow); break;
    case EXTRA: read_extra(m, flow); break;
    case NAME:
    case COMMENT: read_text(m, flow); break;
    case HEADER_CRC: return read_header_crc(m, flow, err);
    case BODY: return read_body(m, flow, ended, err);
    case TRAILER: return read_trailer(m, flow, ended, err);
  }
  return FASTIO_OK;
}

/* Until a step makes no progress, neither in the bytes nor in the stages. */
static fastio_status decode(fastio__decoder *decoder, fastio__flow *flow, bool *ended, fastio_error *err) {
  member *m = of(decoder);
  fastio__flow before;
  stage was;
  fastio_status status;
  do {
    before = *flow;
    was = m->stage;
    status = step(m, flow, ended, err);
  } while (status == FASTIO_OK && !*ended &&
           (before.in_size != flow->in_size || before.out_size != flow->out_size || was != m->stage));
  return status;
}

/* ---- where members end ---- */

/* A header that a tool would write: no flag that is not defined, and XFL and OS with the values that they have. */
static bool is_plausible(const uint8_t *p) {
  return p[1] == 0x8b && p[2] == 8 && (p[3] & RESERVED) == 0 && (p[8] == 0 || p[8] == 2 || p[8] == 4) &&
         (p[9] <= 13 || p[9] == 255);
}

/* Deflate makes at most 1032 bytes of one. */
static bool is_possible(uint64_t content, size_t size) { return content <= 1032 * (uint64_t)size; }

static size_t frame_size(const uint8_t *data, size_t size, uint64_t *content) {
  const size_t least = GZIP_HEADER + 2 + GZIP_TRAILER, exact = fastio__bgzf_size(data, size);
  size_t end = exact;
  if (exact > size) return 0;
  for (const uint8_t *p = data + least; !end && size > least && p + GZIP_HEADER <= data + size; p++) {
    p = memchr(p, 0x1f, (size_t)(data + size - p));
    if (!p || p + GZIP_HEADER > data + size) return 0;
    if (is_plausible(p) && is_possible(fastio__load_le32(p - 4), (size_t)(p - data))) end = (size_t)(p - data);
  }
  if (end) *content = fastio__load_le32(data + end - 4);
  return end;
}

const fastio__decompression fastio__inflating = {sizeof(member), decoder_open,  decode,
                                                 decoder_reset,  decoder_close, frame_size};
#endif
