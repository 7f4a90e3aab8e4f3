/* Text in another encoding as UTF-8, and the way back from places in the UTF-8 to those in the text. */
#include "stages.h"

enum { LEAST_ROOM = 64, INTAKE = 64 << 10, RUNS_MOST = 1 << 20 };

/* Corrections that follow each other without anything between them, all alike. */
typedef struct run {
  uint64_t at; /* in the UTF-8 */
  uint32_t taken, given, count;
} run;

struct fastio__characters {
  const fastio_env *env;
  const fastio__encoding *encoding;
  char name[FASTIO_ERROR_TEXT_MAX];
  int errors;
  fastio__intake text;
  fastio_transcoder *decoder, *encoder; /* encoder: to measure what only iconv can */
  run *runs;                            /* where sequences were replaced or left out */
  size_t run_count, run_capacity;
  uint8_t spare[LEAST_ROOM]; /* for who asks for less than a character may need */
  size_t spare_at, spare_end;
  fastio__fault fault;
};

/* ---- corrections ---- */

static bool continues(const run *run, const fastio__correction *c) {
  return run->taken == c->taken && run->given == c->given && run->count < UINT32_MAX &&
         run->at + (uint64_t)run->count * run->given == c->at;
}

/* The older half goes when there are too many: errors behind them are told with their own places, others that lie before
 * them in text which is still being read may then be off by as much as the sequences that are forgotten took. */
static fastio_status make_run(fastio__characters *c, fastio_error *err) {
  size_t old = c->run_capacity, capacity;
  run *grown;
  if (c->run_count < old) return FASTIO_OK;
  if (old >= RUNS_MOST) {
    c->run_count = old / 2;
    memmove(c->runs, c->runs + (old - c->run_count), c->run_count * sizeof *c->runs);
    return FASTIO_OK;
  }
  capacity = old ? 2 * old : 64;
  grown = fastio__reallocate(c->env, c->runs, old * sizeof *grown, capacity * sizeof *grown);
  if (!grown) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  c->runs = grown;
  c->run_capacity = capacity;
  return FASTIO_OK;
}

static fastio_status keep_corrections(fastio__characters *c, fastio_error *err) {
  const fastio__correction *made;
  const size_t count = fastio__transcoder_corrections(c->decoder, &made);
  for (size_t i = 0; i < count; i++) {
    fastio_status status;
    if (c->run_count && continues(&c->runs[c->run_count - 1], &made[i])) {
      c->runs[c->run_count - 1].count++;
      continue;
    }
    status = make_run(c, err);
    if (status != FASTIO_OK) return status;
    c->runs[c->run_count++] = (run){made[i].at, made[i].taken, made[i].given, 1};
  }
  return FASTIO_OK;
}

/* ---- reading ---- */

/* What comes out while a map loses a page may be zeros instead. */
static fastio_status convert(fastio__characters *c, uint8_t *out, size_t size, size_t *got, fastio_error *err) {
  size_t used;
  fastio_status status = fastio_transcoder_run(c->decoder, c->text.data, c->text.size, c->text.at_end, &used, out, size,
                                               got, err);
  fastio_error other;
  fastio__intake_use(&c->text, used);
  if (keep_corrections(c, &other) == FASTIO_OK && fastio__source_check(c->text.source, &other) == FASTIO_OK)
    return status;
  if (other.status != FASTIO_NO_MEMORY) *got = 0;
  if (err) *err = other;
  return other.status;
}

/* Until something comes out, or all is out. */
static fastio_status produce(fastio__characters *c, uint8_t *out, size_t size, size_t *got, fastio_error *err) {
  fastio_status status = FASTIO_OK;
  c->text.at_end = false; /* it may have grown */
  while (status == FASTIO_OK && *got == 0) {
    if (c->text.at_end && c->text.size == 0) return convert(c, out, size, got, err);
    status = c->text.size == 0 ? fastio__intake_read(&c->text, INTAKE, err) : FASTIO_OK;
    if (status == FASTIO_OK && c->text.size > 0) status = convert(c, out, size, got, err);
  }
  return status;
}

static size_t take_spare(fastio__characters *c, uint8_t *out, size_t size) {
  const size_t left = c->spare_end - c->spare_at, some = left < size ? left : size;
  memcpy(out, c->spare + c->spare_at, some);
  c->spare_at += some;
  return some;
}

/* A text that ends within a character may grow; a source below may go on. */
static bool stays(const fastio__characters *c, const fastio_error *error) {
  return error->status == FASTIO_NO_MEMORY || (error->status == FASTIO_BAD_ENCODING && !c->text.at_end);
}

static fastio_status read_characters(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  fastio__characters *c = ctx;
  const bool is_small = size < LEAST_ROOM;
  fastio_error error;
  fastio_status status;
  if (c->spare_at == c->spare_end) {
    if (c->fault.error.status != FASTIO_OK) return fastio__fault_tell(&c->fault, err);
    status = produce(c, is_small ? c->spare : data, is_small ? LEAST_ROOM : size, got, &error);
    if (status != FASTIO_OK) c->fault = (fastio__fault){error, stays(c, &error)};
    if (*got == 0) return status == FASTIO_OK ? FASTIO_OK : fastio__fault_tell(&c->fault, err);
    if (!is_small) return FASTIO_OK;
    c->spare_at = 0;
    c->spare_end = *got;
  }
  *got = take_spare(c, data, size);
  return FASTIO_OK;
}

/* ---- places ---- */

/* What this text would be in the encoding: for characters that have one form there, and no state between them. */
static uint64_t measure(fastio__characters *c, const uint8_t *data, size_t size) {
  uint8_t out[4096];
  uint64_t sum = fastio__encoded_size(c->encoding, data, size);
  if (sum != FASTIO_NO_OFFSET) return sum;
  if (!c->encoder && fastio_transcoder_new("utf-8", c->name, FASTIO_ERRORS_REPLACE, c->env, &c->encoder, NULL))
    return size;
  for (sum = 0; size > 0;) {
    size_t used, put;
    if (fastio_transcoder_run(c->encoder, data, size, 0, &used, out, sizeof out, &put, NULL) != FASTIO_OK) return size;
    data += used;
    size -= used;
    sum += put;
  }
  return sum;
}

/* Each text that is measured begins as if nothing were before it. */
static void forget_state(fastio__characters *c) {
  fastio_transcoder_free(c->encoder);
  c->encoder = NULL;
}

/* The first run that ends behind `offset`, or gives nothing there. */
static size_t find_run(const fastio__characters *c, uint64_t offset) {
  size_t low = 0, high = c->run_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const run *run = &c->runs[middle];
    if (run->at + (uint64_t)run->count * run->given < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* How many of the run's sequences begin in [from, to). What gives nothing belongs to what follows it. */
static uint64_t sequences_within(const run *run, uint64_t from, uint64_t to) {
  uint64_t first, last;
  if (run->given == 0) return run->at >= from && run->at < to ? run->count : 0;
  first = from > run->at ? (from - run->at + run->given - 1) / run->given : 0;
  last = to > run->at ? (to - run->at + run->given - 1) / run->given : 0;
  if (last > run->count) last = run->count;
  return last > first ? last - first : 0;
}

uint64_t fastio__characters_undecoded(fastio__characters *c, uint64_t offset, const uint8_t *text, size_t size) {
  const uint64_t end = offset + size;
  uint64_t at = offset, sum = 0;
  if (size == 0) return fastio__transcoder_mark(c->decoder);
  forget_state(c);
  for (size_t i = find_run(c, offset); i < c->run_count && c->runs[i].at < end; i++) {
    const run *run = &c->runs[i];
    const uint64_t count = sequences_within(run, offset, end), over = run->at + (uint64_t)run->count * run->given;
    if (run->at > at) sum += measure(c, text + (at - offset), (size_t)(run->at - at));
    sum += count * run->taken;
    if (over > at) at = over < end ? over : end;
  }
  return at < end ? sum + measure(c, text + (at - offset), (size_t)(end - at)) : sum;
}

/* ---- begin and end ---- */

static void close_characters(void *ctx) {
  fastio__characters *c = ctx;
  fastio__intake_close(&c->text);
  fastio_transcoder_free(c->decoder);
  fastio_transcoder_free(c->encoder);
  fastio__release(c->env, c->runs, c->run_capacity * sizeof *c->runs);
  fastio__release(c->env, c, sizeof *c);
}

fastio_status fastio__characters_new(const char *encoding, int errors, fastio_source *text, fastio_device *device,
                                     fastio__characters **out, fastio_error *err) {
  fastio__characters *c = fastio__allocate(text->env, sizeof *c);
  fastio_status status;
  if (!c) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  memset(c, 0, sizeof *c);
  c->env = text->env;
  c->errors = errors;
  fastio_error_init(&c->fault.error);
  status = fastio_transcoder_new(encoding, "utf-8", errors, text->env, &c->decoder, err);
  if (status != FASTIO_OK) {
    close_characters(c);
    return status;
  }
  c->encoding = fastio__encoding_find(encoding);
  memcpy(c->name, encoding, strlen(encoding) + 1);
  fastio__intake_open(&c->text, text, INTAKE);
  *device = (fastio_device){c, read_characters, close_characters};
  *out = c;
  return FASTIO_OK;
}

void fastio__characters_tell(const fastio__characters *c, fastio_decoded *out) {
  const char *title = fastio__encoding_title(c->encoding);
  out->encoding = *title ? title : c->name;
  out->errors = fastio_transcoder_errors(c->decoder);
  out->first_error = fastio__transcoder_first_error(c->decoder);
}
