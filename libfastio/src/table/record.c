/* One record, taken apart byte by byte: what every record means. index.c is quicker where nothing unusual is there. */
#include "dialect.h"

/* ---- bounds ---- */

bool fastio__bounds_reserve(fastio__bounds *bounds, size_t more) {
  size_t needed, capacity, size, old = bounds->capacity * sizeof *bounds->at;
  uint32_t *at;
  if (!fastio__add(bounds->count, more, &needed)) return false;
  if (needed <= bounds->capacity) return true;
  capacity = fastio__grown(bounds->capacity, needed);
  if (!capacity || !fastio__multiply(capacity, sizeof *at, &size)) return false;
  at = fastio__reallocate(bounds->env, bounds->at, old, size);
  if (!at) return false;
  bounds->at = at;
  bounds->capacity = capacity;
  return true;
}

void fastio__bounds_free(fastio__bounds *bounds) {
  fastio__release(bounds->env, bounds->at, bounds->capacity * sizeof *bounds->at);
  bounds->at = NULL;
  bounds->count = bounds->capacity = 0;
}

/* ---- the record ---- */

typedef struct walker {
  const fastio__dialect *d;
  const uint8_t *data, *p, *end;
  bool last;
  fastio__bounds *bounds;
  fastio__fault *fault;
} walker;

static bool ends_record(const walker *w, const uint8_t *p) {
  if (w->d->newline >= 0) return *p == w->d->newline;
  return *p == '\n' || (w->d->newline == FASTIO_NEWLINE_ANY && *p == '\r') ||
         (*p == '\r' && p + 1 < w->end && p[1] == '\n');
}

/* Behind the record's end at p. */
static const uint8_t *behind_end(const walker *w, const uint8_t *p) {
  if (w->d->newline < 0 && *p == '\r' && p + 1 < w->end && p[1] == '\n') return p + 2;
  return p + 1;
}

static bool is_separator(const walker *w, const uint8_t *p) {
  size_t size = w->d->separator_size;
  return *p == w->d->separator[0] && (size_t)(w->end - p) >= size &&
         (size == 1 || memcmp(p, w->d->separator, size) == 0);
}

static bool is_field_space(const walker *w, const uint8_t *p) { return fastio__is_space(*p) && !ends_record(w, p); }

static bool push(walker *w, const uint8_t *start, const uint8_t *end) {
  if (!fastio__bounds_reserve(w->bounds, 2)) return false;
  w->bounds->at[w->bounds->count++] = (uint32_t)(start - w->data);
  w->bounds->at[w->bounds->count++] = (uint32_t)(end - w->data);
  return true;
}

static fastio__record_kind fail(walker *w, const char *message, const uint8_t *at) {
  w->fault->message = message;
  w->fault->at = (uint32_t)(at - w->data);
  return FASTIO__RECORD_FAULTY;
}

static bool is_comment(const walker *w, const uint8_t *p) {
  return w->d->comment != FASTIO_NONE && *p == w->d->comment;
}

/* Whether a newline may still follow the carriage return at p. */
static bool may_go_on(const walker *w, const uint8_t *p) {
  return !w->last && p + 1 == w->end && *p == '\r' && w->d->newline < 0;
}

/* The rest of the line, whatever it is. */
static fastio__record_kind skip_line(walker *w) {
  while (w->p < w->end && !ends_record(w, w->p)) w->p++;
  if (w->p == w->end) return w->last ? FASTIO__RECORD : FASTIO__RECORD_PARTIAL;
  if (may_go_on(w, w->p)) return FASTIO__RECORD_PARTIAL;
  w->p = behind_end(w, w->p);
  return FASTIO__RECORD;
}

/* Where a field may end. */
static bool ends_field(const walker *w, const uint8_t *p) {
  if (ends_record(w, p) || (w->d->comment_anywhere && is_comment(w, p))) return true;
  return w->d->separator_size ? is_separator(w, p) : fastio__is_space(*p);
}

/* Whether a field may end at w->p if the data went on. */
static bool may_end_field(const walker *w) {
  size_t left = (size_t)(w->end - w->p);
  if (w->last) return false;
  return may_go_on(w, w->p) || (left < w->d->separator_size && memcmp(w->p, w->d->separator, left) == 0);
}

/* From the opening quote at w->p to behind the closing one. */
static fastio__record_kind pass_quoted(walker *w) {
  const fastio__dialect *d = w->d;
  const uint8_t *open = w->p++;
  for (; w->p < w->end; w->p++) {
    if (*w->p == d->escape) {
      if (w->p + 1 < w->end) w->p++;
    } else if (*w->p == d->quote) {
      if (!d->doubling || w->p + 1 == w->end || w->p[1] != d->quote) break;
      w->p++;
    }
  }
  if (w->p == w->end) return w->last ? fail(w, "the quote is never closed", open) : FASTIO__RECORD_PARTIAL;
  w->p++;
  if (d->trim && d->separator_size)
    while (w->p < w->end && fastio__is_blank(*w->p) && !is_separator(w, w->p)) w->p++;
  if (w->p == w->end || ends_field(w, w->p)) return FASTIO__RECORD;
  return may_end_field(w) ? FASTIO__RECORD_PARTIAL : fail(w, "text follows the closing quote", open);
}

static fastio__record_kind pass_unquoted(walker *w) {
  const fastio__dialect *d = w->d;
  for (; w->p < w->end && !ends_field(w, w->p); w->p++) {
    if (*w->p == d->escape) {
      if (w->p + 1 < w->end) w->p++;
    } else if (*w->p == d->quote && !d->literal) {
      return fail(w, "a quote stands within an unquoted field", w->p);
    }
  }
  return FASTIO__RECORD;
}

/* The field at w->p. */
static fastio__record_kind take_field(walker *w) {
  const uint8_t *start = w->p, *text = w->p;
  fastio__record_kind kind;
  if (w->d->trim && w->d->separator_size)
    while (text < w->end && fastio__is_blank(*text) && !is_separator(w, text)) text++;
  if (text < w->end && w->d->quote != FASTIO_NONE && *text == w->d->quote) {
    w->p = start = text;
    kind = pass_quoted(w);
  } else {
    kind = pass_unquoted(w);
  }
  if (kind != FASTIO__RECORD) return kind;
  return push(w, start, w->p) ? FASTIO__RECORD : FASTIO__RECORD_NO_MEMORY;
}

/* Behind the record's last field: its end, a comment, or the end of the data. */
static fastio__record_kind end_record(walker *w) {
  if (w->p == w->end) return w->last ? FASTIO__RECORD : FASTIO__RECORD_PARTIAL;
  if (!ends_record(w, w->p)) return skip_line(w);
  if (may_go_on(w, w->p)) return FASTIO__RECORD_PARTIAL;
  w->p = behind_end(w, w->p);
  return FASTIO__RECORD;
}

static fastio__record_kind take_separated(walker *w) {
  size_t before = w->bounds->count;
  fastio__record_kind kind;
  for (;;) {
    kind = take_field(w);
    if (kind != FASTIO__RECORD) return kind;
    if (w->p == w->end || !is_separator(w, w->p)) break;
    w->p += w->d->separator_size;
  }
  kind = end_record(w);
  if (w->d->trailing_separator && w->bounds->count > before + 2 &&
      w->bounds->at[w->bounds->count - 1] == w->bounds->at[w->bounds->count - 2])
    w->bounds->count -= 2;
  return kind;
}

static fastio__record_kind take_words(walker *w) {
  size_t before = w->bounds->count;
  for (;;) {
    fastio__record_kind kind;
    while (w->p < w->end && is_field_space(w, w->p)) w->p++;
    if (w->p == w->end || ends_record(w, w->p) || (w->d->comment_anywhere && is_comment(w, w->p))) {
      /* a blank line that is to be a record has one field */
      if (w->bounds->count == before && !push(w, w->p, w->p)) return FASTIO__RECORD_NO_MEMORY;
      return end_record(w);
    }
    kind = take_field(w);
    if (kind != FASTIO__RECORD) return kind;
  }
}

/* Fields at fixed places of the line, without the blanks around them; those behind the line's end are empty. */
static fastio__record_kind take_fixed(walker *w) {
  const uint8_t *line = w->p, *end;
  while (w->p < w->end && !ends_record(w, w->p)) w->p++;
  end = w->p;
  for (size_t i = 0; i < w->d->width_count; i++) {
    const fastio_span *span = &w->d->widths[i];
    size_t length = (size_t)(end - line);
    const uint8_t *from = line + (span->start < length ? (size_t)span->start : length);
    const uint8_t *to = line + (span->end < length ? (size_t)span->end : length);
    while (from < to && fastio__is_blank(*from)) from++;
    while (to > from && fastio__is_blank(to[-1])) to--;
    if (!push(w, from, to)) return FASTIO__RECORD_NO_MEMORY;
  }
  return end_record(w);
}

/* A line without a record: nothing in it, or (between words) nothing but blanks; or a comment. */
static bool take_no_record(walker *w, fastio__record_kind *kind) {
  const uint8_t *p = w->p;
  if (w->d->separator_size == 0 && !w->d->widths)
    while (p < w->end && is_field_space(w, p)) p++;
  if (p == w->end) {
    if (p == w->p || w->d->blank_records) return false;
    w->p = p;
    *kind = w->last ? FASTIO__RECORD_BLANK : FASTIO__RECORD_PARTIAL;
    return true;
  }
  if (is_comment(w, p)) {
    *kind = skip_line(w) == FASTIO__RECORD ? FASTIO__RECORD_COMMENT : FASTIO__RECORD_PARTIAL;
    return true;
  }
  if (!ends_record(w, p) || w->d->blank_records) return false;
  *kind = may_go_on(w, p) ? FASTIO__RECORD_PARTIAL : FASTIO__RECORD_BLANK;
  w->p = behind_end(w, p);
  return true;
}

fastio__record_kind fastio__record_next(const fastio__dialect *dialect, const uint8_t *data, size_t at, size_t size,
                                        bool last, fastio__bounds *bounds, size_t *next, fastio__fault *fault) {
  walker w = {dialect, data, data + at, data + size, last, bounds, fault};
  size_t before = bounds->count;
  fastio__record_kind kind;
  if (!take_no_record(&w, &kind)) {
    if (dialect->widths) kind = take_fixed(&w);
    else if (dialect->separator_size) kind = take_separated(&w);
    else kind = take_words(&w);
  }
  if (kind == FASTIO__RECORD_PARTIAL || kind == FASTIO__RECORD_BLANK || kind == FASTIO__RECORD_COMMENT)
    bounds->count = before;
  *next = (size_t)(w.p - data);
  return kind;
}

size_t fastio__line_text(const fastio__dialect *dialect, const uint8_t *data, size_t at, size_t size) {
  walker w = {dialect, data, data + at, data + size, true, NULL, NULL};
  size_t shown = 0;
  while (shown < FASTIO_ERROR_TEXT_MAX && at + shown < size && !ends_record(&w, data + at + shown)) shown++;
  return shown;
}

/* ---- the text of a cell ---- */

bool fastio__cell_is_plain(const fastio__dialect *d, const uint8_t **start, const uint8_t **end, bool *quoted) {
  const uint8_t *s = *start, *e = *end;
  *quoted = s < e && d->quote != FASTIO_NONE && *s == d->quote && !d->widths;
  if (*quoted) {
    while (e[-1] != d->quote) e--; /* blanks */
    *start = s + 1;
    *end = e - 1;
    return (!d->doubling || !memchr(s + 1, d->quote, (size_t)(e - s - 2))) &&
           (d->escape == FASTIO_NONE || !memchr(s + 1, d->escape, (size_t)(e - s - 2)));
  }
  if (d->trim) {
    while (s < e && fastio__is_blank(*s)) s++;
    while (e > s && fastio__is_blank(e[-1]) && !(d->escape != FASTIO_NONE && e - s > 1 && e[-2] == d->escape)) e--;
    *start = s;
    *end = e;
  }
  return d->escape == FASTIO_NONE || s == e || !memchr(s, d->escape, (size_t)(e - s));
}

/* Calls for each byte of the text would be slow; the two users differ in what they do with it. */
FASTIO__INLINE const uint8_t *next_byte(const fastio__dialect *d, bool quoted, const uint8_t *p, const uint8_t *end) {
  return (*p == d->escape || (quoted && *p == d->quote)) && p + 1 < end ? p + 1 : p;
}

size_t fastio__cell_text(const fastio__dialect *d, const uint8_t *start, const uint8_t *end, uint8_t *out,
                         bool *quoted) {
  size_t size = 0;
  if (fastio__cell_is_plain(d, &start, &end, quoted)) {
    size = (size_t)(end - start);
    if (out && size) memcpy(out, start, size);
    return size;
  }
  for (const uint8_t *p = start; p < end; p++) {
    p = next_byte(d, *quoted, p, end);
    if (out) out[size] = *p;
    size++;
  }
  return size;
}

bool fastio__cell_equals(const fastio__dialect *d, const uint8_t *start, const uint8_t *end,
                         const fastio_bytes *other) {
  const uint8_t *expected = other->data;
  size_t size = 0;
  bool quoted;
  (void)fastio__cell_is_plain(d, &start, &end, &quoted);
  for (const uint8_t *p = start; p < end; p++, size++) {
    p = next_byte(d, quoted, p, end);
    if (size == other->size || *p != expected[size]) return false;
  }
  return size == other->size;
}
