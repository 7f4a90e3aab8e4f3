/* What is asked of a source's bytes, and the stages that do it: a source that has something to decode becomes a stream
 * through them, and what it was before moves behind. Nothing to decode: it stays as it is. */
#include "../platform/threads.h"
#include "stages.h"

enum { NAME_MOST = FASTIO_ERROR_TEXT_MAX };

struct fastio__decoding {
  fastio_decode_options options; /* its names are not looked at after fastio_source_decode */
  bool was_asked, has_begun;
  bool detects_format;
  fastio__format format;
  bool detects_encoding;
  char encoding[NAME_MOST]; /* "": none */
  fastio__decompressor *decompressor;
  fastio__characters *characters;
  fastio_source *below; /* the innermost source */
};

void fastio_decode_options_init(fastio_decode_options *options) {
  *options = (fastio_decode_options)FASTIO_DECODE_OPTIONS_INIT;
}

void fastio__decoding_free(fastio_source *source) {
  fastio__release(source->env, source->decoding, sizeof *source->decoding);
}

/* ---- what is asked for ---- */

static fastio_status decoding_of(fastio_source *source, struct fastio__decoding **out, fastio_error *err) {
  struct fastio__decoding *d = source->decoding;
  if (!d) {
    d = fastio__allocate(source->env, sizeof *d);
    if (!d) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
    memset(d, 0, sizeof *d);
    fastio_decode_options_init(&d->options);
    d->detects_format = d->detects_encoding = true;
    source->decoding = d;
  }
  *out = d;
  return FASTIO_OK;
}

static fastio_status check_compression(const char *name, struct fastio__decoding *d, fastio_error *err) {
  d->detects_format = name && strcmp(name, "auto") == 0;
  d->format = FASTIO__NO_FORMAT;
  if (!name || d->detects_format) return FASTIO_OK;
  d->format = fastio__format_find(name);
  if (d->format == FASTIO__NO_FORMAT)
    return fastio__fail(
        err, FASTIO_INVALID_ARGUMENT,
        "compression must be auto, none, or the name of one: gzip, zlib, deflate, zstd, xz, bzip2, lz4");
  if (d->format == FASTIO__BGZF) d->format = FASTIO__GZIP;
  return fastio__format_is_built(d->format) ? FASTIO_OK : fastio__format_missing(d->format, err);
}

static fastio_status check_encoding(const char *name, struct fastio__decoding *d, fastio_error *err) {
  d->detects_encoding = name && strcmp(name, "auto") == 0;
  d->encoding[0] = 0;
  if (!name || d->detects_encoding) return FASTIO_OK;
  if (strlen(name) >= NAME_MOST || !fastio__encoding_find(name))
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the encoding is not known");
  memcpy(d->encoding, name, strlen(name) + 1);
  return FASTIO_OK;
}

static fastio_status check_options(const fastio_decode_options *o, struct fastio__decoding *d, fastio_error *err) {
  fastio_status status;
  if (o->errors < FASTIO_ERRORS_STRICT || o->errors > FASTIO_ERRORS_SKIP)
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "errors must be strict, replace or skip");
  if (o->trailing != FASTIO_TRAILING_ERROR && o->trailing != FASTIO_TRAILING_IGNORE)
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "trailing must be error or ignore");
  status = check_encoding(o->encoding, d, err);
  return status == FASTIO_OK ? check_compression(o->compression, d, err) : status;
}

fastio_status fastio_source_decode(fastio_source *source, const fastio_decode_options *options, fastio_error *err) {
  fastio_decode_options given = FASTIO_DECODE_OPTIONS_INIT;
  struct fastio__decoding *d = NULL, asked;
  fastio_status status;
  if (options) {
    if (options->size < offsetof(fastio_decode_options, reserved))
      return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the options were not initialised");
    memcpy(&given, options, options->size < sizeof given ? options->size : sizeof given);
  }
  status = decoding_of(source, &d, err);
  if (status != FASTIO_OK) return status;
  if (d->has_begun || d->below || source->position > 0)
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "what is to be decoded must be said before anything is read");
  asked = *d;
  status = check_options(&given, &asked, err);
  if (status != FASTIO_OK) return status;
  *d = asked;
  d->options = given;
  d->was_asked = true;
  return FASTIO_OK;
}

/* ---- first bytes ---- */

typedef struct first_bytes {
  uint8_t kept[FASTIO__MAGIC_SIZE];
  const uint8_t *data;
  size_t size;
} first_bytes;

static bool is_final(fastio_status status) {
  return status == FASTIO_CORRUPT || status == FASTIO_TOO_LARGE || status == FASTIO_UNSUPPORTED;
}

/* A failure that leaves the question open is told now: a source that goes on later is asked again. Those before it are
 * bytes of one line. */
static fastio_status take_failure(fastio_source *source, size_t before, fastio_error *err) {
  const fastio_status status = source->failure.status;
  if (err) *err = source->failure;
  fastio_error_init(&source->failure);
  if (err && status == FASTIO_TRUNCATED && err->line == 0) {
    err->line = 1;
    err->column = before + 1;
  }
  return status;
}

/* As few bytes of a stream as settle what `is_open` asks: whoever writes may wait for an answer before writing more. */
static fastio_status look(fastio_source *source, bool (*is_open)(const uint8_t *, size_t), first_bytes *first,
                          fastio_error *err) {
  size_t wanted = 1;
  first->data = first->kept;
  if (source->kind == FASTIO__FILE)
    return fastio__source_pread(source, 0, first->kept, sizeof first->kept, &first->size, err);
  if (source->kind == FASTIO__MEMORY) return fastio__source_peek(source, 0, &first->data, &first->size, err);
  do {
    fastio_status status = fastio__source_peek(source, wanted, &first->data, &first->size, NULL);
    const bool still_open = is_open(first->data, first->size);
    if (status != FASTIO_OK && still_open && !is_final(status)) return take_failure(source, first->size, err);
    if (status != FASTIO_OK || first->size < wanted || !still_open) break;
    wanted = first->size + 1;
  } while (wanted <= FASTIO__MAGIC_SIZE);
  return FASTIO_OK;
}

/* ---- stages ---- */

/* Everything that the source is moves into another one, behind the stage that it becomes. */
static fastio_source *move_below(fastio_source *source, fastio_error *err) {
  fastio_source *below = fastio__allocate(source->env, sizeof *below);
  if (!below) {
    fastio__fail(err, FASTIO_NO_MEMORY, NULL);
    return NULL;
  }
  *below = *source;
  below->decoding = NULL;
  return below;
}

static void become(fastio_source *source, const fastio_device *device, fastio_source *below) {
  struct fastio__decoding *d = source->decoding;
  const fastio_env *env = source->env;
  memset(source, 0, sizeof *source);
  source->kind = FASTIO__STREAM;
  source->env = env;
  source->fd = -1;
  source->device = *device;
  source->decoding = d;
  if (!d->below) d->below = below;
}

static fastio_status begin_decompression(fastio_source *source, fastio__format format, unsigned threads,
                                         fastio_error *err) {
  struct fastio__decoding *d = source->decoding;
  fastio_source *below = move_below(source, err);
  fastio_device device;
  fastio_status status;
  if (!below) return FASTIO_NO_MEMORY;
  status = fastio__decompressor_new(format, &d->options, threads, below, &device, &d->decompressor, err);
  if (status == FASTIO_OK) become(source, &device, below);
  else fastio__release(source->env, below, sizeof *below);
  return status;
}

static fastio_status begin_characters(fastio_source *source, const char *encoding, fastio_error *err) {
  struct fastio__decoding *d = source->decoding;
  fastio_source *below = move_below(source, err);
  fastio_device device;
  fastio_status status;
  if (!below) return FASTIO_NO_MEMORY;
  status = fastio__characters_new(encoding, d->options.errors, below, &device, &d->characters, err);
  if (status == FASTIO_OK) become(source, &device, below);
  else fastio__release(source->env, below, sizeof *below);
  return status;
}

/* ---- compression ---- */

/* A stream that has nothing yet may get its first bytes later: it is looked at again then. */
static bool is_empty_yet(const fastio_source *source, const first_bytes *first) {
  return first->size == 0 && source->kind == FASTIO__STREAM;
}

static fastio_status settle_compression(fastio_source *source, unsigned threads, bool *is_settled, fastio_error *err) {
  struct fastio__decoding *d = source->decoding;
  fastio__format format = d->format;
  if (d->decompressor) return FASTIO_OK;
  if (d->detects_format) {
    first_bytes first;
    fastio_status status = look(source, fastio__format_may_come, &first, err);
    if (status != FASTIO_OK) return status;
    *is_settled = !is_empty_yet(source, &first);
    format = fastio__format_detect(first.data, first.size);
  }
  if (format == FASTIO__NO_FORMAT) return FASTIO_OK;
  return begin_decompression(source, format, fastio__thread_count(threads, FASTIO_NO_OFFSET), err);
}

/* ---- encoding ---- */

typedef struct bom {
  const char *encoding;
  size_t size;
  uint8_t bytes[4];
} bom;

/* That of UTF-32LE begins with that of UTF-16LE. */
static const bom boms[] = {{"utf-32", 4, {0xff, 0xfe, 0, 0}},
                           {"utf-32", 4, {0, 0, 0xfe, 0xff}},
                           {"utf-16", 2, {0xff, 0xfe}},
                           {"utf-16", 2, {0xfe, 0xff}}};

static const char *find_bom(const uint8_t *data, size_t size) {
  for (size_t i = 0; i < sizeof boms / sizeof *boms; i++)
    if (size >= boms[i].size && memcmp(data, boms[i].bytes, boms[i].size) == 0) return boms[i].encoding;
  return NULL;
}

static bool may_be_bom(const uint8_t *data, size_t size) {
  for (size_t i = 0; i < sizeof boms / sizeof *boms; i++)
    if (size < boms[i].size && memcmp(data, boms[i].bytes, size) == 0) return true;
  return false;
}

/* UTF-8 itself is only decoded if something is to be done about what is not. */
static fastio_status settle_encoding(fastio_source *source, fastio__view view, bool *is_settled, fastio_error *err) {
  struct fastio__decoding *d = source->decoding;
  const char *encoding = d->encoding;
  if (d->detects_encoding) {
    first_bytes first;
    fastio_status status;
    if (view == FASTIO__AS_BYTES) return FASTIO_OK;
    status = look(source, may_be_bom, &first, err);
    *is_settled = status != FASTIO_OK || !is_empty_yet(source, &first);
    if (status != FASTIO_OK || !*is_settled) return status;
    encoding = find_bom(first.data, first.size);
    if (!encoding) encoding = d->options.errors == FASTIO_ERRORS_STRICT ? "" : "utf-8";
  }
  return *encoding ? begin_characters(source, encoding, err) : FASTIO_OK;
}

/* ---- begin ---- */

fastio_status fastio__source_begin(fastio_source *source, fastio__view view, unsigned threads, fastio_error *err) {
  struct fastio__decoding *d = NULL;
  fastio_status status = decoding_of(source, &d, err);
  bool is_settled = true;
  if (status != FASTIO_OK || d->has_begun) return status;
  if (source->position == 0) { /* else who has read it before took it as it is */
    status = settle_compression(source, threads, &is_settled, err);
    if (status == FASTIO_OK && is_settled) status = settle_encoding(source, view, &is_settled, err);
  }
  d->has_begun = status == FASTIO_OK && is_settled;
  return status;
}

fastio_status fastio__source_begin_copy(fastio_source *source, fastio_error *err) {
  return source->decoding && source->decoding->was_asked ? fastio__source_begin(source, FASTIO__AS_TEXT, 0, err)
                                                         : FASTIO_OK;
}

/* ---- what the stages know ---- */

void fastio_source_decoded(const fastio_source *source, fastio_decoded *out) {
  const struct fastio__decoding *d = source->decoding;
  memset(out, 0, sizeof *out);
  out->first_error = FASTIO_NO_OFFSET;
  if (d && d->decompressor) fastio__decompressor_tell(d->decompressor, out);
  if (d && d->characters) fastio__characters_tell(d->characters, out);
}

bool fastio__source_is_encoded(const fastio_source *source) { return source->decoding && source->decoding->characters; }

uint64_t fastio__source_undecoded(const fastio_source *source, uint64_t offset, const uint8_t *text, size_t size) {
  return fastio__source_is_encoded(source)
             ? fastio__characters_undecoded(source->decoding->characters, offset, text, size)
             : size;
}

fastio_source *fastio__source_bottom(fastio_source *source) {
  return source->decoding && source->decoding->below ? source->decoding->below : source;
}
