/* The transcoder: from any encoding to any other through UTF-8. Where one side is UTF-8 the other's conversion runs
 * between input and output; else UTF-8 is kept in a chunk between the two, which is empty before more is decoded. So
 * an error comes after all output that precedes it.
 *
 * Conversions keep nothing of a sequence that a piece cuts short: its bytes are held here and go with the first bytes of
 * the next piece through the same conversion. So nothing depends on where input is cut. */
#include "encoding.h"

enum {
  CHUNK = 16 * 1024, /* of UTF-8, that stays in the first-level cache */
  HELD = 16,         /* the longest sequence that may be cut short, and how much of a piece goes with it */
  ROOM = 16
};

typedef enum route { TO_UTF8, FROM_UTF8, THROUGH_UTF8 } route;

struct fastio_transcoder {
  const fastio_env *env;
  size_t size; /* of this block */
  const fastio__encoding *from, *to;
  fastio__system decoder, encoder; /* their iconv, if they have one */
  void *from_state, *to_state;
  uint32_t *reverse; /* GB18030's */
  int errors;
  route route;
  bool begun;                 /* it is known whether the input starts with a mark */
  bool marked;                /* the output's mark is written */
  bool decoded;               /* what the decoder held back is out */
  bool ahead;                 /* the first byte of the next piece is taken already */
  uint64_t taken, put, wrong; /* bytes of input, of output before this run; sequences */
  uint64_t first_wrong;       /* how much was taken before the first of them */
  const uint8_t *out;         /* of this run */
  const uint8_t *valid_end;   /* how far the input is known to be well-formed: errors ask often; NULL: not known */
  uint8_t held[3 * HELD];
  size_t held_size;
  size_t mark_size; /* of the mark that was dropped */
  fastio__correction *corrections;
  size_t correction_count, correction_capacity;
  uint64_t chunk_from; /* how much was taken before the chunk */
  size_t chunk_at, chunk_end;
  uint8_t chunk[]; /* CHUNK bytes, on that route only */
};

/* ---- making one ---- */

static fastio_status open_system(fastio__system *system, const fastio__encoding *encoding, const char *name,
                                 bool encodes, fastio_error *err) {
  const char *known = encoding == &fastio__encoding_unlisted ? name : encoding->title;
  return encoding->size ? FASTIO_OK : fastio__system_open(system, known, encodes, err);
}

static fastio_status open_states(fastio_transcoder *t, const char *from, const char *to, fastio_error *err) {
  fastio_status status = FASTIO_OK;
  if (t->route != FROM_UTF8) status = open_system(&t->decoder, t->from, from, false, err);
  if (status == FASTIO_OK && t->route != TO_UTF8) status = open_system(&t->encoder, t->to, to, true, err);
  t->decoder.singly = t->route == THROUGH_UTF8 && t->errors == FASTIO_ERRORS_STRICT && t->to->lacking;
  t->decoder.carefully = fastio__system_is_careless(t->from);
  t->from_state = &t->decoder;
  t->to_state = &t->encoder;
  if (status != FASTIO_OK || t->to->encode != fastio__encode_gb18030) return status;
  t->reverse = fastio__allocate(t->env, FASTIO__GB18030_REVERSE);
  if (!t->reverse) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  fastio__gb18030_reverse(t->reverse);
  t->to_state = t->reverse;
  return FASTIO_OK;
}

static fastio_status find_both(const char *from, const char *to, int errors, const fastio__encoding *found[2],
                               fastio_error *err) {
  if (errors < FASTIO_ERRORS_STRICT || errors > FASTIO_ERRORS_SKIP)
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "errors must be strict, replace or skip");
  found[0] = fastio__encoding_find(from);
  if (!found[0]) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the encoding to convert from is not known");
  found[1] = fastio__encoding_find(to);
  if (!found[1]) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the encoding to convert to is not known");
  return FASTIO_OK;
}

fastio_status fastio_transcoder_new(const char *from, const char *to, int errors, const fastio_env *env,
                                    fastio_transcoder **out, fastio_error *err) {
  const fastio__encoding *found[2] = {NULL, NULL};
  fastio_status status = find_both(from, to, errors, found, err);
  fastio_transcoder *t;
  if (status != FASTIO_OK) return status;
  const route way = found[1]->is_utf8 ? TO_UTF8 : found[0]->is_utf8 ? FROM_UTF8 : THROUGH_UTF8;
  const size_t size = sizeof *t + (way == THROUGH_UTF8 ? CHUNK : 0);
  t = fastio__allocate(env, size);
  if (!t) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  memset(t, 0, sizeof *t);
  t->env = env;
  t->size = size;
  t->from = found[0];
  t->to = found[1];
  t->errors = errors;
  t->route = way;
  status = open_states(t, from, to, err);
  if (status == FASTIO_OK) *out = t;
  else fastio_transcoder_free(t);
  return status;
}

void fastio_transcoder_free(fastio_transcoder *t) {
  if (!t) return;
  fastio__system_close(&t->decoder);
  fastio__system_close(&t->encoder);
  fastio__release(t->env, t->reverse, FASTIO__GB18030_REVERSE);
  fastio__release(t->env, t->corrections, t->correction_capacity * sizeof *t->corrections);
  fastio__release(t->env, t, t->size);
}

uint64_t fastio_transcoder_errors(const fastio_transcoder *t) { return t->wrong; }

size_t fastio__transcoder_mark(const fastio_transcoder *t) { return t->mark_size; }

uint64_t fastio__transcoder_first_error(const fastio_transcoder *t) {
  return t->wrong ? t->first_wrong : FASTIO_NO_OFFSET;
}

void fastio__transcoder_continue(fastio_transcoder *t, bool without_mark) {
  t->begun = true;
  t->marked = without_mark;
}

size_t fastio__transcoder_corrections(const fastio_transcoder *t, const fastio__correction **out) {
  *out = t->corrections;
  return t->correction_count;
}

/* ---- the three routes: as far as it goes without a decision ---- */

static fastio__stop decode(fastio_transcoder *t, fastio__strip *s) {
  const uint8_t *start = s->in;
  fastio__stop stop = t->from->decode(t->from_state, s);
  t->taken += (uint64_t)(s->in - start);
  return stop;
}

/* Of what lies before it nothing was taken back: input goes on within one piece. */
static const uint8_t *well_formed_end(fastio_transcoder *t, const fastio__strip *s) {
  size_t size = fastio__strip_left(s);
  if (!t->valid_end || t->valid_end <= s->in)
    t->valid_end = s->in + fastio__utf8_prefix(s->in, size < CHUNK ? size : CHUNK);
  return t->valid_end;
}

static fastio__stop encode_input(fastio_transcoder *t, fastio__strip *s) {
  for (;;) {
    fastio__strip part = *s;
    fastio__stop stop;
    if (!t->to->checks) part.in_end = well_formed_end(t, s);
    stop = t->to->encode(t->to_state, &part);
    t->taken += (uint64_t)(part.in - s->in);
    s->in = part.in;
    s->out = part.out;
    s->bad = part.bad;
    if (stop != FASTIO__TAKEN || t->to->checks) return stop;
    if (fastio__utf8_sequence(s, &stop) == 0) return stop;
  }
}

static fastio__stop encode_chunk(fastio_transcoder *t, fastio__strip *s) {
  fastio__strip part = {t->chunk + t->chunk_at, t->chunk + t->chunk_end, s->out, s->out_end, 0};
  fastio__stop stop = t->to->encode(t->to_state, &part);
  t->chunk_at = (size_t)(part.in - t->chunk);
  s->out = part.out;
  s->bad = part.bad;
  return stop;
}

static fastio__stop decode_and_encode(fastio_transcoder *t, fastio__strip *s) {
  for (;;) {
    fastio__stop stop = t->chunk_at < t->chunk_end ? encode_chunk(t, s) : FASTIO__TAKEN;
    fastio__strip part = {s->in, s->in_end, t->chunk, t->chunk + CHUNK, 0};
    if (stop != FASTIO__TAKEN) return stop;
    t->chunk_from = t->taken;
    stop = decode(t, &part);
    t->chunk_at = 0;
    t->chunk_end = (size_t)(part.out - t->chunk);
    s->in = part.in;
    s->bad = part.bad;
    if (t->chunk_end == 0 && stop != FASTIO__NO_ROOM) return stop;
  }
}

static fastio__stop convert(fastio_transcoder *t, fastio__strip *s) {
  if (t->route == TO_UTF8) return decode(t, s);
  return t->route == FROM_UTF8 ? encode_input(t, s) : decode_and_encode(t, s);
}

/* ---- what a piece cuts short ---- */

static void take_held(fastio_transcoder *t, size_t size) {
  memmove(t->held, t->held + size, t->held_size - size);
  t->held_size -= size;
}

/* Takes the rest of the piece, unless no sequence is that long; then its first byte is a bad one. */
static fastio__stop hold(fastio_transcoder *t, fastio__strip *piece) {
  size_t size = fastio__strip_left(piece);
  if (t->held_size + size > HELD) {
    piece->bad = 1;
    return FASTIO__MALFORMED;
  }
  if (size) memcpy(t->held + t->held_size, piece->in, size);
  t->held_size += size;
  piece->in = piece->in_end;
  return FASTIO__TAKEN;
}

static fastio__stop convert_held(fastio_transcoder *t, fastio__strip *piece) {
  const size_t left = fastio__strip_left(piece), borrowed = left < HELD ? left : HELD;
  fastio__strip s = {t->held, t->held + t->held_size + borrowed, piece->out, piece->out_end, 0};
  fastio__stop stop;
  size_t taken;
  if (borrowed) memcpy(t->held + t->held_size, piece->in, borrowed);
  t->valid_end = NULL; /* another place */
  stop = convert(t, &s);
  t->valid_end = NULL;
  taken = (size_t)(s.in - t->held);
  piece->out = s.out;
  piece->bad = s.bad;
  if (taken >= t->held_size) {
    piece->in += taken - t->held_size;
    t->held_size = 0;
    return stop;
  }
  take_held(t, taken);
  return stop == FASTIO__TAKEN ? hold(t, piece) : stop;
}

static fastio__stop convert_piece(fastio_transcoder *t, fastio__strip *piece) {
  fastio__stop stop = convert(t, piece);
  return stop == FASTIO__TAKEN ? hold(t, piece) : stop;
}

/* ---- marks ---- */

static bool begins(const fastio__mark *mark, const fastio_transcoder *t) {
  return mark->size && memcmp(mark->bytes, t->held, mark->size < t->held_size ? mark->size : t->held_size) == 0;
}

/* Whether it is decided if the input starts with a mark; looks at it byte by byte, and holds what it has seen. */
static bool read_mark(fastio_transcoder *t, fastio__strip *piece) {
  const fastio__mark *marks = t->from->marks;
  while (marks && (begins(&marks[0], t) || begins(&marks[1], t))) {
    for (int i = 0; i < 2; i++) {
      if (!begins(&marks[i], t) || t->held_size < marks[i].size) continue;
      t->taken += marks[i].size;
      t->mark_size = marks[i].size;
      t->held_size = 0;
      t->from = marks[i].means;
      return t->begun = true;
    }
    if (piece->in == piece->in_end) return false;
    t->held[t->held_size++] = *piece->in++;
  }
  return t->begun = true;
}

static void write_mark(fastio_transcoder *t, fastio__strip *piece) {
  const fastio__mark *mark = t->to->marks;
  t->marked = true;
  if (!t->to->writes_mark) return;
  memcpy(piece->out, mark->bytes, mark->size);
  piece->out += mark->size;
}

/* ---- what is wrong ---- */

/* The bytes at the place, which may lie on both sides of a border. */
static size_t gather(const fastio_transcoder *t, const fastio__strip *piece, uint8_t text[2 * HELD]) {
  size_t size = piece->bad, held = size < t->held_size ? size : t->held_size;
  memcpy(text, t->held, held);
  if (size > held) memcpy(text + held, piece->in, size - held);
  return size;
}

static fastio_status fail(fastio_transcoder *t, const fastio__strip *piece, bool is_cut, fastio_error *err) {
  uint8_t text[2 * HELD];
  size_t size = gather(t, piece, text);
  const char *message = is_cut ? "the text ends within a character" : t->from->malformed;
  return fastio__fail_at(err, FASTIO_BAD_ENCODING, message, t->taken, text, size);
}

static fastio_status fail_lacking(fastio_transcoder *t, const fastio__strip *piece, fastio_error *err) {
  uint8_t text[2 * HELD];
  uint64_t offset = t->chunk_from;
  if (t->route == FROM_UTF8)
    return fastio__fail_at(err, FASTIO_BAD_ENCODING, t->to->lacking, t->taken, text, gather(t, piece, text));
  if (t->from->size) offset += t->from->size(t->chunk, t->chunk_at);
  return fastio__fail_at(err, FASTIO_BAD_ENCODING, t->to->lacking, offset, t->chunk + t->chunk_at, piece->bad);
}

static fastio__stop put_text(fastio_transcoder *t, fastio__strip *piece, const char *text, size_t size) {
  fastio__strip s = {(const uint8_t *)text, (const uint8_t *)text + size, piece->out, piece->out_end, 0};
  fastio__stop stop = t->to->encode(t->to_state, &s);
  piece->out = s.out;
  return stop;
}

/* False: no room. */
static bool put_substitute(fastio_transcoder *t, fastio__strip *piece, bool is_input) {
  fastio__stop stop = FASTIO__LACKING;
  if (is_input) stop = put_text(t, piece, "\xEF\xBF\xBD", 3);
  if (stop == FASTIO__LACKING) stop = put_text(t, piece, "?", 1);
  return stop != FASTIO__NO_ROOM;
}

/* For who goes back from output to input. Neighbours that gave nothing are one. */
static fastio_status correct(fastio_transcoder *t, uint64_t at, size_t taken, size_t given, fastio_error *err) {
  fastio__correction *last = t->correction_count ? &t->corrections[t->correction_count - 1] : NULL;
  if (last && last->at == at && last->given == 0 && given == 0 && last->taken < UINT32_MAX - taken) {
    last->taken += (uint32_t)taken;
    return FASTIO_OK;
  }
  if (t->correction_count == t->correction_capacity) {
    size_t old = t->correction_capacity, capacity = fastio__grown(old, old + 64), size;
    fastio__correction *grown = NULL;
    if (capacity && fastio__multiply(capacity, sizeof *grown, &size))
      grown = fastio__reallocate(t->env, t->corrections, old * sizeof *grown, size);
    if (!grown) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
    t->corrections = grown;
    t->correction_capacity = capacity;
  }
  t->corrections[t->correction_count++] = (fastio__correction){at, (uint32_t)taken, (uint32_t)given};
  return FASTIO_OK;
}

static void drop(fastio_transcoder *t, fastio__strip *piece) {
  size_t held = piece->bad < t->held_size ? piece->bad : t->held_size;
  take_held(t, held);
  piece->in += piece->bad - held;
  t->taken += piece->bad;
}

/* A malformed sequence of the input, or a character that the other encoding lacks. */
static fastio_status mend(fastio_transcoder *t, fastio__strip *piece, fastio__stop stop, bool is_cut, bool *full,
                          fastio_error *err) {
  const bool is_input = stop == FASTIO__MALFORMED;
  const uint8_t *before = piece->out;
  fastio_status status = FASTIO_OK;
  if (t->errors == FASTIO_ERRORS_STRICT) return is_input ? fail(t, piece, is_cut, err) : fail_lacking(t, piece, err);
  if (t->errors == FASTIO_ERRORS_REPLACE && !put_substitute(t, piece, is_input)) return *full = true, FASTIO_OK;
  if (is_input)
    status = correct(t, t->put + (uint64_t)(before - t->out), piece->bad, (size_t)(piece->out - before), err);
  if (status != FASTIO_OK) return status;
  if (t->wrong++ == 0) t->first_wrong = t->taken;
  if (is_input || t->route == FROM_UTF8) drop(t, piece);
  else t->chunk_at += piece->bad;
  return FASTIO_OK;
}

/* ---- a run ---- */

/* What the decoder still has, into the output or the chunk. */
static fastio__stop finish_decoding(fastio_transcoder *t, fastio__strip *piece) {
  fastio__strip s = {NULL, NULL, piece->out, piece->out_end, 0};
  fastio__stop stop = FASTIO__TAKEN;
  if (t->route == THROUGH_UTF8) s = (fastio__strip){NULL, NULL, t->chunk, t->chunk + CHUNK, 0};
  if (t->decoder.iconv) stop = fastio__system_finish(&t->decoder, &s);
  if (t->route != THROUGH_UTF8) piece->out = s.out;
  else t->chunk_at = 0, t->chunk_end = (size_t)(s.out - t->chunk);
  t->decoded = stop == FASTIO__TAKEN;
  return stop;
}

static fastio__stop step(fastio_transcoder *t, fastio__strip *piece) {
  if (!t->marked) write_mark(t, piece);
  if (!t->begun && !read_mark(t, piece)) return FASTIO__TAKEN;
  return t->held_size ? convert_held(t, piece) : convert_piece(t, piece);
}

/* All of the piece, or until the output is full. */
static fastio_status run(fastio_transcoder *t, fastio__strip *piece, bool last, bool *full, fastio_error *err) {
  for (fastio_status status = FASTIO_OK; status == FASTIO_OK && !*full;) {
    fastio__stop stop = step(t, piece);
    bool is_cut = false;
    if (stop == FASTIO__TAKEN) {
      if (piece->in < piece->in_end) continue; /* what was held is done */
      if (!last) return FASTIO_OK;
      is_cut = t->begun && t->held_size > 0;
      piece->bad = t->held_size;
      if (!t->begun) {
        t->begun = true;
        continue;
      }
      if (!is_cut && !t->decoded) {
        *full = finish_decoding(t, piece) == FASTIO__NO_ROOM;
        continue;
      }
      if (!is_cut) {
        *full = t->encoder.iconv && fastio__system_finish(&t->encoder, piece) == FASTIO__NO_ROOM;
        return FASTIO_OK;
      }
      stop = FASTIO__MALFORMED;
    }
    if (stop == FASTIO__NO_ROOM) *full = true;
    else status = mend(t, piece, stop, is_cut, full, err);
    if (status != FASTIO_OK) return status;
  }
  return FASTIO_OK;
}

/* If all input is taken but not all output out, the last byte counts as not taken, and is passed over next time. */
fastio_status fastio_transcoder_run(fastio_transcoder *t, const void *data, size_t size, int last, size_t *used,
                                    void *out, size_t capacity, size_t *put, fastio_error *err) {
  const uint8_t *start = data;
  const size_t skipped = t->ahead && size ? 1 : 0;
  bool full = false;
  fastio__strip piece;
  fastio_status status;
  *used = *put = 0;
  if (capacity < ROOM) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "capacity must be at least 16");
  if (!start) start = t->held;
  piece = (fastio__strip){start + skipped, start + size, out, (uint8_t *)out + capacity, 0};
  t->out = piece.out;
  t->valid_end = NULL;
  t->correction_count = 0;
  status = run(t, &piece, last != 0, &full, err);
  *used = (size_t)(piece.in - start);
  *put = (size_t)(piece.out - (uint8_t *)out);
  t->put += *put;
  if (size == 0) return status;
  t->ahead = full && *used == size;
  *used -= t->ahead;
  return status;
}
