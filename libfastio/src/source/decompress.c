/* Members or frames one after another, as one text. */
#include "stages.h"

struct fastio__decompressor {
  const fastio_env *env;
  fastio__format format;
  fastio__decoder *decoder;
  fastio__frames *frames; /* or NULL */
  fastio__intake raw;
  uint64_t members;      /* that have ended */
  uint64_t member_start; /* where the one under way begins in the archive */
  bool within;           /* one */
  uint64_t last_size;    /* of the last member, compressed */
  bool lacks;            /* the decoder can't go on without more input */
  bool is_full;          /* it may have more output than there was room for */
  bool serial;           /* the next one can't be decoded with others */
  bool over;             /* what follows is no member, and left */
  bool ignores_trailing;
  uint64_t trailing; /* bytes that were ignored */
  uint64_t given, max_size;
  fastio__fault fault;
};

/* ---- faults ---- */

static fastio_status truncated(const fastio__decompressor *d, fastio_error *err) {
  static const char *const ends[FASTIO__FORMAT_COUNT] = {
      [FASTIO__GZIP] = "the gzip data ends within a member", [FASTIO__ZLIB] = "the zlib data is cut short",
      [FASTIO__DEFLATE] = "the deflated data is cut short",  [FASTIO__ZSTD] = "the zstd data ends within a frame",
      [FASTIO__XZ] = "the xz data ends within a stream",     [FASTIO__BZIP2] = "the bzip2 data ends within a stream",
      [FASTIO__LZ4] = "the lz4 data ends within a frame"};
  return fastio__fail(err, FASTIO_TRUNCATED, ends[d->format]);
}

/* An archive that is cut short may grow, and a source below may go on after its failure. */
static bool stays(fastio_status status) {
  return status == FASTIO_CORRUPT || status == FASTIO_TOO_LARGE || status == FASTIO_UNSUPPORTED ||
         status == FASTIO_NO_MEMORY;
}

/* A user's own error is left as it is. How much was read when the limit was met is nobody's fault. */
static void place(const fastio__decompressor *d, fastio_error *err) {
  if (err->status == FASTIO_CALLBACK_FAILED || err->status == FASTIO_CANCELLED) return;
  err->offset = d->given;
  if (err->status != FASTIO_TOO_LARGE || d->given < d->max_size) err->raw_offset = fastio__intake_used(&d->raw);
}

/* ---- between members ---- */

/* Passes over the zeros; *zeros: how many they were. */
static fastio_status skip_padding(fastio__decompressor *d, uint64_t *zeros, fastio_error *err) {
  fastio_status status = fastio__intake_need(&d->raw, 1, err);
  *zeros = 0;
  if (d->members == 0 || !fastio__is_padded(d->format)) return status;
  while (status == FASTIO_OK && d->raw.size > 0 && d->raw.data[0] == 0) {
    fastio__intake_use(&d->raw, 1);
    ++*zeros;
    if (d->raw.size == 0) status = fastio__intake_need(&d->raw, 1, err);
  }
  return status;
}

/* To where the next member begins, whose first bytes are at hand then, or the end. */
static fastio_status find_member(fastio__decompressor *d, fastio_error *err) {
  uint64_t zeros;
  fastio_status status = skip_padding(d, &zeros, err);
  if (status == FASTIO_OK && zeros % 4 != 0 && d->format == FASTIO__XZ)
    return fastio__fail(err, FASTIO_CORRUPT, "the padding of xz streams is not a multiple of four bytes");
  if (status == FASTIO_OK && d->raw.size > 0) status = fastio__intake_need(&d->raw, FASTIO__MAGIC_SIZE, err);
  d->member_start = fastio__intake_used(&d->raw);
  return status;
}

/* What follows the last member begins no other one. */
static fastio_status meet_trailing(fastio__decompressor *d, fastio_error *err) {
  fastio_status status = FASTIO_OK;
  if (!d->ignores_trailing)
    return fastio__fail(err, FASTIO_CORRUPT,
                        "other bytes follow the compressed data; trailing=\"ignore\" passes over them");
  while (status == FASTIO_OK && d->raw.size > 0) {
    d->trailing += d->raw.size;
    fastio__intake_use(&d->raw, d->raw.size);
    status = fastio__intake_need(&d->raw, 1, err);
  }
  d->over = status == FASTIO_OK;
  return status;
}

/* Whether another member begins here, as far as its first bytes tell: not that it is a good one. */
static bool begins_member(const fastio__decompressor *d) {
  const fastio__format found = fastio__format_detect(d->raw.data, d->raw.size);
  return found == d->format;
}

/* It does not, but the end may have come within those bytes, or lz4 may skip what looks like zstd. */
static bool is_doubtful(const fastio__decompressor *d) {
  if (fastio__format_detect(d->raw.data, d->raw.size)) return d->format == FASTIO__LZ4;
  return d->raw.size < FASTIO__MAGIC_SIZE && fastio__format_may_come(d->raw.data, d->raw.size);
}

static bool is_single(fastio__format format) { return format == FASTIO__ZLIB || format == FASTIO__DEFLATE; }

/* ---- members ---- */

static void end_members(fastio__decompressor *d, size_t count, uint64_t size) {
  d->within = d->serial = false;
  d->members += count;
  d->last_size = size / count;
}

/* As many members as are at hand, on all threads. Where they stop at once there is a fault, or no border, or too few. */
static fastio_status decode_several(fastio__decompressor *d, size_t wish, fastio_error *err) {
  size_t count, used;
  fastio_status status = fastio__intake_read(&d->raw, wish, err);
  if (status != FASTIO_OK) return status;
  count = fastio__frames_decode(d->frames, d->raw.data, d->raw.size < wish ? d->raw.size : wish, &used);
  fastio__intake_use(&d->raw, used);
  if (count > 0) end_members(d, count, used);
  else d->serial = true;
  return FASTIO_OK;
}

/* The one under way, as far as the bytes at hand or the room go. */
static fastio_status decode_one(fastio__decompressor *d, fastio__flow *flow, fastio_error *err) {
  const size_t room = flow->out_size;
  const bool may_follow = !d->within && d->members > 0 && !begins_member(d);
  bool ended;
  fastio_status status;
  flow->in = d->raw.data;
  flow->in_size = d->raw.size;
  status = fastio__decoder_run(d->decoder, flow, &ended, err);
  d->lacks = flow->in_size == d->raw.size && flow->out_size == room && !ended;
  d->is_full = flow->out_size == 0;
  if (status == FASTIO_CORRUPT && d->lacks && may_follow) return meet_trailing(d, err);
  fastio__intake_use(&d->raw, d->raw.size - flow->in_size);
  d->within = fastio__intake_used(&d->raw) > d->member_start;
  if (ended) end_members(d, 1, fastio__intake_used(&d->raw) - d->member_start);
  else if (status == FASTIO_OK && d->lacks && !d->within && d->raw.at_end) return truncated(d, err);
  return status;
}

/* Goes on to bytes of the text, its end, or a fault. */
static fastio_status step(fastio__decompressor *d, fastio__flow *flow, bool *at_end, fastio_error *err) {
  fastio_status status = FASTIO_OK;
  if (!d->within) {
    status = d->over ? FASTIO_OK : find_member(d, err);
    if (status != FASTIO_OK) return status;
    *at_end = d->raw.size == 0;
    if (*at_end) return d->members ? FASTIO_OK : truncated(d, err);
    if (d->members && (is_single(d->format) || (!begins_member(d) && !is_doubtful(d)))) return meet_trailing(d, err);
    if (d->frames && d->members && !d->serial) {
      const size_t wish = fastio__frames_wish(d->frames, d->last_size);
      if (wish) return decode_several(d, wish, err);
    }
  } else if (d->lacks || (d->raw.size == 0 && !d->is_full)) {
    const size_t before = d->raw.size;
    status = fastio__intake_need(&d->raw, before + 1, err);
    if (status != FASTIO_OK) return status;
    if (d->lacks && d->raw.size == before) return truncated(d, err);
  }
  return decode_one(d, flow, err);
}

static fastio_status produce(fastio__decompressor *d, uint8_t *out, size_t size, size_t *got, fastio_error *err) {
  fastio__flow flow = {NULL, 0, out, size};
  fastio_status status = FASTIO_OK;
  bool at_end = false;
  while (status == FASTIO_OK && !at_end && flow.out_size == size) {
    if (d->frames && fastio__frames_has_some(d->frames)) {
      *got = fastio__frames_take(d->frames, out, size);
      if (*got) return FASTIO_OK;
    }
    status = step(d, &flow, &at_end, err);
  }
  *got = size - flow.out_size;
  return status;
}

/* Bytes beyond the limit are as bad as others. */
static fastio_status produce_limited(fastio__decompressor *d, uint8_t *out, size_t size, size_t *got,
                                     fastio_error *err) {
  const uint64_t left = d->max_size - d->given;
  uint8_t beyond[16];
  fastio_status status;
  if (left > 0) return produce(d, out, size < left ? size : (size_t)left, got, err);
  status = produce(d, beyond, sizeof beyond, got, err);
  if (status != FASTIO_OK || *got == 0) return status;
  *got = 0;
  return fastio__fail(err, FASTIO_TOO_LARGE, "the source is longer when decompressed than max_size allows");
}

static fastio_status read_decompressed(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  fastio__decompressor *d = ctx;
  fastio_error error;
  fastio_status status;
  if (d->fault.error.status != FASTIO_OK) return fastio__fault_tell(&d->fault, err);
  status = produce_limited(d, data, size, got, &error);
  d->given += *got;
  if (status == FASTIO_OK) return status;
  place(d, &error);
  d->fault = (fastio__fault){error, stays(status)};
  return *got ? FASTIO_OK : fastio__fault_tell(&d->fault, err);
}

/* ---- begin and end ---- */

static void close_decompressor(void *ctx) {
  fastio__decompressor *d = ctx;
  fastio__intake_close(&d->raw);
  fastio__frames_free(d->frames);
  fastio__decoder_free(d->decoder);
  fastio__release(d->env, d, sizeof *d);
}

fastio_status fastio__decompressor_new(fastio__format format, const fastio_decode_options *options, unsigned threads,
                                       fastio_source *raw, fastio_device *device, fastio__decompressor **out,
                                       fastio_error *err) {
  fastio__decompressor *d = fastio__allocate(raw->env, sizeof *d);
  fastio_status status;
  if (!d) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  memset(d, 0, sizeof *d);
  d->env = raw->env;
  d->format = format;
  d->ignores_trailing = options->trailing == FASTIO_TRAILING_IGNORE;
  d->max_size = options->max_size;
  fastio_error_init(&d->fault.error);
  status = fastio__decoder_new(format, raw->env, &d->decoder, err);
  if (status != FASTIO_OK) {
    close_decompressor(d);
    return status;
  }
  d->frames = fastio__frames_new(format, threads, raw->env);
  d->raw.source = raw;
  *device = (fastio_device){d, read_decompressed, close_decompressor};
  *out = d;
  return FASTIO_OK;
}

void fastio__decompressor_tell(const fastio__decompressor *d, fastio_decoded *out) {
  out->compression = fastio__format_name(d->format);
  out->raw_bytes = fastio__intake_used(&d->raw) - d->trailing;
  out->trailing_bytes = d->trailing;
}
