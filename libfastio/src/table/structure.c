/* Where records start, whatever block of the source is looked at: states that go from block to block.
 *
 * If quotes are nothing but pairs (the strict dialect without escapes and comments), the number of quotes before a place
 * tells whether it is within quotes; blocks are counted in any order. Every other dialect needs each byte in turn. */
#include "dialect.h"

/* START is 0, as the pipeline wants it. */
enum {
  START,
  OUTSIDE,
  QUOTED,
  AFTER_RETURN,
  /* of the exact machine only: */ LEAD,
  FIELD,
  CLOSED,
  ESCAPED_OUTSIDE,
  ESCAPED_QUOTED,
  COMMENT
};

static bool ends_record(const fastio__dialect *d, uint8_t c) { return d->newline >= 0 ? c == d->newline : c == '\n'; }

/* ---- quotes in pairs ---- */

static unsigned pairs_survey(const void *ctx, const uint8_t *data, size_t size) {
  const fastio__dialect *d = ctx;
  size_t count = size ? fastio__simd()->count_byte(data, size, (uint8_t)d->quote) : 0;
  return (unsigned)(count & 1) | (unsigned)(count > 0) << 1;
}

static unsigned pairs_advance(const void *ctx, unsigned state, const uint8_t *data, size_t size, unsigned surveyed) {
  const fastio__dialect *d = ctx;
  uint8_t last;
  if (size == 0) return state;
  if ((state == QUOTED) != (surveyed & 1)) return QUOTED;
  last = data[size - 1];
  if (ends_record(d, last)) return START;
  return d->newline == FASTIO_NEWLINE_ANY && last == '\r' ? AFTER_RETURN : OUTSIDE;
}

/* Behind a carriage return, a newline still belongs to the record's end. */
static size_t settle_return(unsigned *state, const uint8_t *data) {
  *state = START;
  return data[0] == '\n';
}

static size_t pairs_first_start(const void *ctx, unsigned *state, const uint8_t *data, size_t size) {
  const fastio__dialect *d = ctx;
  bool any = d->newline == FASTIO_NEWLINE_ANY;
  size_t i = 0;
  while (i < size) {
    uint8_t c = data[i];
    if (*state == AFTER_RETURN) i += settle_return(state, data + i);
    if (*state == START) break;
    if (c == d->quote) {
      *state = *state == QUOTED ? OUTSIDE : QUOTED;
    } else if (*state == OUTSIDE) {
      if (ends_record(d, c)) *state = START;
      else if (any && c == '\r') *state = AFTER_RETURN;
    } else {
      const uint8_t *quote = memchr(data + i, d->quote, size - i);
      i = quote ? (size_t)(quote - data) : size;
      continue;
    }
    i++;
  }
  return i;
}

static size_t pairs_last_start(const void *ctx, unsigned state, unsigned behind, const uint8_t *data, size_t size) {
  const fastio__dialect *d = ctx;
  bool quoted = behind == QUOTED, any = d->newline == FASTIO_NEWLINE_ANY;
  (void)state;
  if (behind == START) return size;
  for (size_t i = size; i-- > 0;) {
    if (data[i] == d->quote) quoted = !quoted;
    else if (!quoted && ends_record(d, data[i])) return i + 1;
    else if (!quoted && any && data[i] == '\r' && i + 1 < size) return i + 1;
  }
  return 0;
}

static bool is_open(unsigned state) { return (state & 0xff) == QUOTED; }

static const fastio__structure pairs = {pairs_survey, pairs_advance, pairs_first_start, pairs_last_start, is_open};

/* ---- byte by byte ----
 * The low byte of a state is one of the above; the rest is how many bytes of a longer separator have been seen. */

static unsigned seen_of(unsigned state) { return state >> 8; }

/* How many bytes at the end of (the first `seen` bytes of the separator, c) begin a separator. */
static unsigned match(const fastio__dialect *d, unsigned seen, uint8_t c) {
  for (unsigned n = seen + 1; n > 0; n--)
    if (d->separator[n - 1] == c && memcmp(d->separator, d->separator + (seen + 1 - n), n - 1) == 0) return n;
  return 0;
}

/* Outside of quotes: what is not special is text, and text may be a piece of a separator. */
static unsigned step_text(const fastio__dialect *d, unsigned state, uint8_t c) {
  unsigned seen;
  if (d->separator_size == 0) return fastio__is_space(c) ? ((state & 0xff) == LEAD ? LEAD : FIELD) : OUTSIDE;
  seen = match(d, seen_of(state), c);
  return seen == d->separator_size ? FIELD : OUTSIDE | seen << 8;
}

static unsigned step_outside(const fastio__dialect *d, unsigned state, uint8_t c) {
  unsigned kind = state & 0xff;
  bool at_start = kind == START || kind == LEAD;
  if (ends_record(d, c)) return START;
  if (d->newline == FASTIO_NEWLINE_ANY && c == '\r') return AFTER_RETURN;
  if (c == d->comment && (at_start || d->comment_anywhere)) return COMMENT;
  if (c == d->quote && (at_start || kind == FIELD || !d->literal)) return QUOTED;
  if (c == d->escape) return ESCAPED_OUTSIDE;
  if (kind == START && d->separator_size == 0) state = LEAD;
  state = step_text(d, state, c);
  /* blanks before a quote do not count if they are trimmed */
  if (d->trim && d->separator_size > 0 && fastio__is_blank(c) && (at_start || kind == FIELD) &&
      (state & 0xff) == OUTSIDE)
    return FIELD | (state & ~0xffu);
  return state;
}

static unsigned step(const fastio__dialect *d, unsigned state, uint8_t c) {
  switch (state & 0xff) {
    case AFTER_RETURN: return c == '\n' ? START : step_outside(d, START, c);
    case QUOTED: return c == d->escape ? ESCAPED_QUOTED : c == d->quote ? CLOSED : QUOTED;
    case CLOSED: return c == d->quote && d->doubling ? QUOTED : step_outside(d, CLOSED, c);
    case ESCAPED_OUTSIDE: return OUTSIDE;
    case ESCAPED_QUOTED: return QUOTED;
    case COMMENT:
      if (ends_record(d, c)) return START;
      return d->newline == FASTIO_NEWLINE_ANY && c == '\r' ? AFTER_RETURN : COMMENT;
    default: return step_outside(d, state, c);
  }
}

enum { ANYTHING = 1, /* may matter */ SPECIAL = 2 /* there are quotes or escapes */ };

static unsigned exact_survey(const void *ctx, const uint8_t *data, size_t size) {
  const fastio__dialect *d = ctx;
  bool special = size && ((d->quote != FASTIO_NONE && memchr(data, d->quote, size)) ||
                          (d->escape != FASTIO_NONE && memchr(data, d->escape, size)));
  return special ? ANYTHING | SPECIAL : ANYTHING;
}

static unsigned exact_advance(const void *ctx, unsigned state, const uint8_t *data, size_t size, unsigned surveyed) {
  const fastio__dialect *d = ctx;
  unsigned kind = state & 0xff;
  size_t i = 0;
  if (!(surveyed & SPECIAL) && kind != QUOTED && kind != ESCAPED_OUTSIDE && kind != ESCAPED_QUOTED) {
    size_t last = size; /* then only what follows the last newline counts */
    while (last > 0 && !ends_record(d, data[last - 1])) last--;
    if (last > 0) state = START, i = last;
  }
  for (; i < size; i++) state = step(d, state, data[i]);
  return state;
}

static size_t exact_first_start(const void *ctx, unsigned *state, const uint8_t *data, size_t size) {
  size_t i = 0;
  while (i < size && *state != START) {
    if (*state == AFTER_RETURN && data[i] != '\n') *state = START;
    else *state = step(ctx, *state, data[i++]);
  }
  return i;
}

static size_t exact_last_start(const void *ctx, unsigned state, unsigned behind, const uint8_t *data, size_t size) {
  size_t last = 0;
  (void)behind;
  for (size_t i = 0; i < size; i++) {
    if (i > 0 && state == AFTER_RETURN && data[i] != '\n') last = i;
    state = step(ctx, state, data[i]);
    if (state == START) last = i + 1;
  }
  return last;
}

static const fastio__structure exact = {exact_survey, exact_advance, exact_first_start, exact_last_start, is_open};

/* ---- which one ---- */

void fastio__dialect_cut(const fastio__dialect *dialect, fastio__consumer *consumer) {
  bool any = dialect->newline == FASTIO_NEWLINE_ANY;
  char byte = dialect->newline >= 0 ? (char)dialect->newline : '\n';
  bool has_quotes = dialect->quote != FASTIO_NONE && !dialect->widths;
  consumer->structure = NULL;
  consumer->structure_ctx = dialect;
  if (has_quotes || dialect->escape != FASTIO_NONE) {
    bool in_pairs = !dialect->literal && dialect->escape == FASTIO_NONE && dialect->comment == FASTIO_NONE;
    consumer->structure = in_pairs ? &pairs : &exact;
  }
  fastio__cut_init(&consumer->cut, any ? "\n\r" : &byte, any ? 2 : 1, any);
}

size_t fastio__dialect_tail(const fastio__dialect *dialect, const uint8_t *data, size_t size) {
  const fastio__structure *structure;
  fastio__consumer consumer;
  size_t start = size;
  memset(&consumer, 0, sizeof consumer);
  fastio__dialect_cut(dialect, &consumer);
  structure = consumer.structure;
  if (structure) {
    unsigned behind = structure->advance(dialect, START, data, size, structure->survey(dialect, data, size));
    if (behind == START || behind == AFTER_RETURN) return size;
    return structure->last_start(dialect, START, behind, data, size);
  }
  while (start > 0 && !consumer.cut.behind[data[start - 1]]) start--;
  return start;
}
