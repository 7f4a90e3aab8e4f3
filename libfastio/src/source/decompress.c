/* Members or frames one after another, as one text. */
#include "stages.h"

enum { INTAKE = 256 << 10, INTAKE_OF_FRAMES = 1 << 20 };

struct fastio__decompressor {
  const fastio_env *env;
  fastio__format format;
  fastio__decoder *decoder;
  fastio__frames *frames; /* or NULL */
  fastio__intake raw;
  uint64_t members;      /* that have ended */
  uint64_t member_start; /* where the last that was begun begins in the archive */
  bool within;           /* it has not ended */
  uint64_t padding;      /* zeros behind the last member */
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

/* Where the member begins that goes beyond the limit. */
static uint64_t large_member(const fastio__decompressor *d) {
  const size_t left = d->frames ? fastio__frames_left(d->frames) : 0;
  return left ? fastio__intake_used(&d->raw) - left : d->member_start;
}

/* A user's own error is left as it is. */
static void place(const fastio__decompressor *d, fastio_error *err) {
  if (err->status == FASTIO_CALLBACK_FAILED || err->status == FASTIO_CANCELLED) return;
  err->offset = d->given;
  err->raw_offset = err->status == FASTIO_TOO_LARGE ? large_member(d) : fastio__intake_used(&d->raw);
}

/* ---- between members ---- */

static bool is_single(fastio__format format) { return format == FASTIO__ZLIB || format == FASTIO__DEFLATE; }

static fastio_status skip_padding(fastio__decompressor *d, fastio_error *err) {
  fastio_status status = fastio__intake_need(&d->raw, 1, err);
  if (d->members == 0 || !fastio__is_padded(d->format)) return status;
  while (status == FASTIO_OK && d->raw.size > 0 && d->raw.data[0] == 0) {
    size_t zeros = 1;
    while (zeros < d->raw.size && d->raw.data[zeros] == 0) zeros++;
    d->padding += zeros;
    fastio__intake_use(&d->raw, zeros);
    status = fastio__intake_need(&d->raw, 1, err);
  }
  return status;
}

/* To where the next member begins, whose first bytes are at hand then, or the end. */
static fastio_status find_member(fastio__decompressor *d, fastio_error *err) {
  fastio_status status = skip_padding(d, err);
  if (status == FASTIO_OK && d->raw.size > 0 && !is_single(d->format))
    status = fastio__intake_need(&d->raw, FASTIO__MAGIC_SIZE, err);
  return status;
}

/* What follows the last member begins no other one. */
static bool is_trailing(const fastio__decompressor *d) {
  if (d->members == 0) return false;
  if (d->format == FASTIO__XZ && d->padding % 4 != 0) return true;
  return d->raw.size > 0 && (is_single(d->format) || !fastio__format_begins(d->format, d->raw.data, d->raw.size));
}

static fastio_status refuse_trailing(const fastio__decompressor *d, fastio_error *err) {
  if (d->format == FASTIO__XZ && d->padding % 4 != 0)
    return fastio__fail(err, FASTIO_CORRUPT, "the padding of xz streams is not a multiple of four bytes");
  return fastio__fail(err, FASTIO_CORRUPT,
                      "other bytes follow the compressed data; trailing=\"ignore\" passes over them");
}

static fastio_status meet_trailing(fastio__decompressor *d, fastio_error *err) {
  fastio_status status = FASTIO_OK;
  if (!d->ignores_trailing) return refuse_trailing(d, err);
  if (d->format == FASTIO__XZ) d->trailing += d->padding % 4;
  d->padding = 0;
  while (status == FASTIO_OK && d->raw.size > 0) {
    d->trailing += d->raw.size;
    fastio__intake_use(&d->raw, d->raw.size);
    status = fastio__intake_need(&d->raw, 1, err);
  }
  d->over = status == FASTIO_OK;
  return status;
}

/* ---- members ---- */

static void end_members(fastio__decompressor *d, size_t count, uint64_t size) {
  d->within = d->serial = false;
  d->padding = 0;
  d->members += count;
  d->last_size = size / count;
}

/* As many members as are at hand, on all threads. Where they stop at once there is a fault, or no border, or too few. */
static void decode_several(fastio__decompressor *d, size_t wish) {
  size_t count, used;
  if (d->raw.size < wish / 2) fastio__intake_fill(&d->raw, wish); /* which moves what is left */
  count = fastio__frames_decode(d->frames, d->raw.data, d->raw.size < wish ? d->raw.size : wish, &used);
  fastio__intake_use(&d->raw, used);
  if (count > 0) end_members(d, count, used);
  else d->serial = true;
}

static void begin_member(fastio__decompressor *d) {
  d->member_start = fastio__intake_used(&d->raw);
  d->within = true;
  d->lacks = false;
}

/* The one under way, as far as the bytes at hand or the room go. */
static fastio_status decode_one(fastio__decompressor *d, fastio__flow *flow, fastio_error *err) {
  const size_t room = flow->out_size;
  bool ended;
  fastio_status status;
  flow->in = d->raw.data;
  flow->in_size = d->raw.size;
  status = fastio__decoder_run(d->decoder, flow, &ended, err);
  d->lacks = flow->in_size == d->raw.size && flow->out_size == room && !ended;
  d->is_full = flow->out_size == 0;
  fastio__intake_use(&d->raw, d->raw.size - flow->in_size);
  if (ended) end_members(d, 1, fastio__intake_used(&d->raw) - d->member_start);
  return status;
}

/* Towards the next member. Between members several at once may be decoded, or trailing bytes passed over; then what
 * comes next is looked for again. */
static fastio_status step_between(fastio__decompressor *d, bool *at_end, fastio_error *err) {
  fastio_status status = d->over ? FASTIO_OK : find_member(d, err);
  size_t wish;
  if (status != FASTIO_OK) return status;
  if (is_trailing(d)) return meet_trailing(d, err);
  *at_end = d->raw.size == 0;
  if (*at_end) return d->members ? FASTIO_OK : truncated(d, err);
  wish = d->frames && d->members && !d->serial ? fastio__frames_wish(d->frames, d->last_size) : 0;
  if (wish) decode_several(d, wish);
  else begin_member(d);
  return FASTIO_OK;
}

static fastio_status step_within(fastio__decompressor *d, fastio__flow *flow, fastio_error *err) {
  if (d->lacks || (d->raw.size == 0 && !d->is_full)) {
    const size_t before = d->raw.size;
    fastio_status status = fastio__intake_need(&d->raw, before + 1, err);
    if (status != FASTIO_OK) return status;
    if (d->lacks && d->raw.size == before) return truncated(d, err);
  }
  return decode_one(d, flow, err);
}

/* Goes on to bytes of the text, its end, or a fault. */
static fastio_status produce(fastio__decompressor *d, uint8_t *out, size_t size, size_t *got, fastio_error *err) {
  fastio__flow flow = {NULL, 0, out, size};
  fastio_status status = FASTIO_OK;
  bool at_end = false;
  while (status == FASTIO_OK && !at_end && flow.out_size == size) {
    if (d->frames && fastio__frames_has_some(d->frames)) {
      *got = fastio__frames_take(d->frames, out, size);
      if (*got) return FASTIO_OK;
    }
    status = d->within ? step_within(d, &flow, err) : step_between(d, &at_end, err);
  }
  *got = size - flow.out_size;
  return status;
}

/* A byte beyond the limit is as bad as more of them. */
static fastio_status produce_limited(fastio__decompressor *d, uint8_t *out, size_t size, size_t *got,
                                     fastio_error *err) {
  const uint64_t left = d->max_size - d->given;
  uint8_t beyond;
  fastio_status status;
  if (left > 0) return produce(d, out, size < left ? size : (size_t)left, got, err);
  status = produce(d, &beyond, 1, got, err);
  if (*got == 0) return status;
  *got = 0;
  return fastio__fail(err, FASTIO_TOO_LARGE, "the source is longer when decompressed than max_size allows");
}

static fastio_status read_decompressed(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  fastio__decompressor *d = ctx;
  fastio_error error, lost;
  fastio_status status;
  if (d->fault.error.status != FASTIO_OK) return fastio__fault_tell(&d->fault, err);
  status = produce_limited(d, data, size, got, &error);
  if (fastio__source_check(d->raw.source, &lost) != FASTIO_OK) { /* of a map: what came out may be zeros instead */
    *got = 0;
    status = lost.status;
    error = lost;
  }
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
  fastio__intake_open(&d->raw, raw, d->frames ? INTAKE_OF_FRAMES : INTAKE);
  *device = (fastio_device){d, read_decompressed, close_decompressor};
  *out = d;
  return FASTIO_OK;
}

void fastio__decompressor_tell(const fastio__decompressor *d, fastio_decoded *out) {
  out->compression = fastio__format_name(d->format);
  out->raw_bytes = fastio__intake_used(&d->raw) - d->trailing;
  out->trailing_bytes = d->trailing;
}
