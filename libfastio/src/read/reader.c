/* The pull reader: a window on the source that slides, one value at a time. */
#include "../number/number.h"
#include "../text/text.h"
#include "blocks.h"
#include "newline.h"
#include "reader.h"

#include <math.h>

struct fastio_reader {
  fastio_source *source;
  fastio_read_options options;
  fastio__grammar grammar;
  uint8_t *buffer; /* FASTIO__PAD + capacity + FASTIO__PAD */
  size_t capacity;
  size_t begin, end;   /* unread bytes, from the start of the window */
  size_t valid;        /* the bytes up to there, from the last start that was asked for, are UTF-8 */
  uint64_t offset;     /* of the window's first byte in the source */
  uint64_t newlines;   /* before the window */
  uint64_t line_start; /* of the line that the window's first byte is in */
  uint64_t stop;       /* items that start here or later are not ours */
  uint64_t raw;        /* of an encoded source: the place of the window's first byte before decoding */
  uint64_t return_at;  /* behind a '\r' that ended the last line there was: a '\n' that follows belongs to it */
  bool at_end;         /* the source has no more */
  bool in_line;        /* behind a separator: a field must follow */
  bool begun, encoded; /* the source's decoding */
  bool started;
  bool seeking;             /* on the way to options.offset; after a failure the next call goes on */
  bool is_plain;            /* decimal numbers between white space, no comments, no range: what quick_i64 knows */
  fastio_reader *suspended; /* redirected: what goes on afterwards */
};

enum { DEFAULT_BUFFER = 256 << 10 };

static uint8_t *window(const fastio_reader *reader) { return reader->buffer + FASTIO__PAD; }

/* ---- the window ---- */

static fastio_status resize(fastio_reader *reader, size_t capacity, fastio_error *err) {
  const fastio_env *env = reader->options.env;
  size_t size;
  uint8_t *buffer;
  if (!capacity || !fastio__add(capacity, 2 * FASTIO__PAD, &size) || !(buffer = fastio__allocate(env, size)))
    return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  memset(buffer, '\n', FASTIO__PAD);
  if (reader->buffer) memcpy(buffer + FASTIO__PAD, window(reader), reader->end);
  memset(buffer + FASTIO__PAD + reader->end, '\n', FASTIO__PAD);
  fastio__release(env, reader->buffer, reader->capacity + 2 * FASTIO__PAD);
  reader->buffer = buffer;
  reader->capacity = capacity;
  return FASTIO_OK;
}

/* Newlines and the start of the line, after the window's first `size` bytes. */
static void count_lines(const fastio_reader *reader, size_t size, uint64_t *newlines, uint64_t *line_start) {
  const uint8_t *data = window(reader);
  size_t i = size;
  *newlines = reader->newlines + fastio__simd()->count_byte(data, size, '\n');
  *line_start = reader->line_start;
  while (i > 0 && data[i - 1] != '\n') i--;
  if (i > 0) *line_start = reader->offset + i;
}

/* Where the window's byte `at` is in the source, before decoding. */
static uint64_t place_of(const fastio_reader *reader, size_t at) {
  if (!reader->encoded) return reader->offset + at;
  if (at == 0) return reader->raw;
  return reader->raw + fastio__source_undecoded(reader->source, reader->offset, window(reader), at);
}

/* Drops what has been read. The byte before the window stays where the tokenizer and the line policy can see it. */
static void slide(fastio_reader *reader) {
  size_t passed = reader->begin, left = reader->end - reader->begin;
  if (passed == 0) return;
  count_lines(reader, passed, &reader->newlines, &reader->line_start);
  if (reader->encoded) reader->raw = place_of(reader, passed);
  window(reader)[-1] = window(reader)[passed - 1];
  memmove(window(reader), window(reader) + passed, left);
  reader->offset += passed;
  reader->begin = 0;
  reader->end = left;
  reader->valid = reader->valid > passed ? reader->valid - passed : 0;
}

static fastio_status poll_caller(const fastio_reader *reader, fastio_error *err) {
  const fastio_read_options *options = &reader->options;
  uint64_t done = reader->offset + reader->end, left = options->poll ? fastio_source_size(reader->source) : 0;
  if (!options->poll || !options->poll(options->poll_ctx, done, left == FASTIO_NO_OFFSET ? left : done + left))
    return FASTIO_OK;
  return fastio__fail(err, FASTIO_CANCELLED, NULL);
}

/* One more read of the source into the window, which grows if it is full. */
static fastio_status refill(fastio_reader *reader, fastio_error *err) {
  fastio_status status = FASTIO_OK;
  size_t got;
  slide(reader);
  if (reader->end == reader->capacity)
    status = resize(reader, fastio__grown(reader->capacity, reader->capacity + 1), err);
  if (status == FASTIO_OK)
    status = fastio__source_read(reader->source, window(reader) + reader->end, reader->capacity - reader->end, &got,
                                 err);
  if (status != FASTIO_OK) {
    fastio__locate_behind(window(reader), reader->end, reader->offset, reader->newlines, reader->line_start, err);
    return status;
  }
  reader->end += got;
  reader->at_end = got == 0;
  memset(window(reader) + reader->end, '\n', FASTIO__PAD);
  return poll_caller(reader, err);
}

static fastio_status fail_here(const fastio_reader *reader, fastio_status status, const char *message,
                               const uint8_t *start, const uint8_t *end, fastio_error *err) {
  size_t at = (size_t)(start - window(reader));
  uint64_t newlines, line_start;
  fastio__fail_at(err, status, message, reader->offset + at, start, (size_t)(end - start));
  if (err) {
    count_lines(reader, at, &newlines, &line_start);
    err->line = newlines + 1;
    err->column = err->offset - line_start + 1;
    err->offset = place_of(reader, at);
  }
  return status;
}

/* ---- the end, for now ---- */

/* Whether the source may have more later, in spite of its end now: a file that somebody appends to. */
static bool may_grow(const fastio_source *source) {
  fastio__file_info info;
  if (source->device.read || source->stdio || source->kind == FASTIO__MEMORY) return false;
  return fastio__file_info_get(source->fd, &info) == 0 && info.is_regular;
}

/* Nothing is left. The next call tries the source again, if that makes sense. */
static fastio_status end_here(fastio_reader *reader, fastio_error *err) {
  if (reader->at_end && (reader->options.partial == FASTIO_PARTIAL_HOLD || may_grow(reader->source)))
    reader->at_end = false;
  return fastio__fail(err, FASTIO_END, NULL);
}

/* The end of the source ends an item, too. */
static bool ends_items(const fastio_reader *reader) {
  return reader->at_end && reader->options.partial == FASTIO_PARTIAL_EMIT;
}

/* At the end; what is left from `start` on is no whole item. */
static fastio_status end_within(fastio_reader *reader, const uint8_t *start, bool is_item, fastio_error *err) {
  const uint8_t *end = window(reader) + reader->end;
  fastio_error cut;
  if (!is_item || reader->options.partial != FASTIO_PARTIAL_ERROR) return end_here(reader, err);
  fastio__cut_short(0, start, end, &cut);
  return fail_here(reader, FASTIO_TRUNCATED, cut.message, start, end, err);
}

/* ---- where reading starts ---- */

static fastio_status skip_bom(fastio_reader *reader, fastio_error *err) {
  fastio_status status = FASTIO_OK;
  size_t skip;
  if (reader->options.line_type != FASTIO_STRING || reader->options.flags & FASTIO_KEEP_BOM ||
      reader->offset + reader->begin > 0)
    return FASTIO_OK;
  while (status == FASTIO_OK && reader->end < 4 && !reader->at_end) {
    static const uint8_t marks[] = {0xEF, 0xFE, 0xFF, 0x00};
    if (reader->end > 0 && !memchr(marks, window(reader)[0], sizeof marks)) return FASTIO_OK;
    status = refill(reader, err);
  }
  if (status == FASTIO_OK && reader->end == 0) return end_here(reader, err);
  if (status == FASTIO_OK) status = fastio__check_bom(window(reader), reader->end < 4 ? reader->end : 4, &skip, err);
  if (status == FASTIO_OK) reader->begin = skip;
  return status;
}

static fastio_status skip_first_lines(fastio_reader *reader, fastio_error *err) {
  uint64_t *left = &reader->options.skip_lines; /* kept for the next call if this one fails */
  while (*left > 0) {
    const uint8_t *p = window(reader) + reader->begin;
    const uint8_t *newline = reader->end > reader->begin ? memchr(p, '\n', reader->end - reader->begin) : NULL;
    reader->begin = newline ? (size_t)(newline + 1 - window(reader)) : reader->end;
    if (newline) --*left;
    else if (reader->at_end) return end_here(reader, err);
    else {
      fastio_status status = refill(reader, err);
      if (status != FASTIO_OK) return status;
    }
  }
  return FASTIO_OK;
}

/* Whether an item may start behind the byte `before`. */
static bool starts_item(const fastio_reader *reader, bool lines, uint8_t before, uint8_t after) {
  int newline = reader->options.newline;
  if (lines && newline == FASTIO_NEWLINE_ANY) return before == '\n' || (before == '\r' && after != '\n');
  if (lines) return before == (newline == FASTIO_NEWLINE_LF ? '\n' : newline);
  if (reader->grammar.comment != FASTIO_NONE) return before == '\n';
  if (reader->grammar.separator == FASTIO_WHITESPACE) return fastio__is_space(before);
  return before == '\n' || before == reader->grammar.separator;
}

static bool is_past_stop(const fastio_reader *reader) { return reader->offset + reader->begin >= reader->stop; }

/* To the first item that starts at options.offset or later. */
static fastio_status skip_to_offset(fastio_reader *reader, bool lines, fastio_error *err) {
  uint64_t target = reader->options.offset;
  if (target <= reader->offset + reader->begin && !reader->seeking) return FASTIO_OK;
  reader->seeking = true;
  for (;;) {
    const uint8_t *p = window(reader) + reader->begin;
    for (; reader->begin < reader->end; reader->begin++, p++)
      if (reader->offset + reader->begin >= target && starts_item(reader, lines, p[-1], *p)) {
        reader->in_line = !lines && reader->grammar.separator >= 0 && p[-1] == reader->grammar.separator &&
                          p[-1] != '\n';
        return FASTIO_OK;
      }
    if (reader->at_end) return end_here(reader, err);
    fastio_status status = refill(reader, err);
    if (status != FASTIO_OK) return status;
  }
}

/* How many bytes a BOM took is known as soon as something has been decoded. */
static fastio_status find_first_place(fastio_reader *reader, fastio_error *err) {
  fastio_status status = FASTIO_OK;
  if (reader->end == 0 && !reader->at_end) status = refill(reader, err);
  if (status == FASTIO_OK) reader->raw = fastio__source_undecoded(reader->source, 0, NULL, 0);
  return status;
}

/* The source is looked at with the first call, not when it is opened: a pipe need not have anything yet. */
static fastio_status begin(fastio_reader *reader, fastio_error *err) {
  const fastio_read_options *options = &reader->options;
  bool is_text = options->line_type == FASTIO_STRING;
  fastio_status status = fastio__source_begin(reader->source, is_text ? FASTIO__AS_TEXT : FASTIO__AS_BYTES,
                                              options->threads, err);
  if (status == FASTIO_OK) status = fastio__check_range(reader->source, options->offset, options->length, err);
  reader->encoded = status == FASTIO_OK && fastio__source_is_encoded(reader->source);
  if (reader->encoded) status = find_first_place(reader, err);
  reader->begun = status == FASTIO_OK;
  return status;
}

static fastio_status start(fastio_reader *reader, bool lines, fastio_error *err) {
  fastio_status status;
  if (FASTIO__LIKELY(reader->started)) return FASTIO_OK;
  status = reader->begun && reader->offset + reader->end > 0 ? FASTIO_OK : begin(reader, err);
  if (status == FASTIO_OK) status = skip_bom(reader, err);
  if (status == FASTIO_OK) status = skip_first_lines(reader, err);
  if (status == FASTIO_OK && is_past_stop(reader)) reader->stop = 0; /* the range ends before the first item */
  if (status == FASTIO_OK) status = skip_to_offset(reader, lines, err);
  reader->started = status == FASTIO_OK;
  reader->is_plain = reader->started && reader->grammar.separator == FASTIO_WHITESPACE && reader->grammar.base == 10 &&
                     reader->grammar.comment == FASTIO_NONE && reader->stop == FASTIO_NO_OFFSET;
  return status;
}

/* ---- open and close ---- */

fastio_status fastio_reader_open(fastio_source *source, const fastio_read_options *given, fastio_reader **out,
                                 fastio_error *err) {
  fastio_read_options options;
  fastio_reader *reader;
  fastio_status status = fastio__read_options_get(given, &options, err);
  if (status != FASTIO_OK) return status;
  if (!source || !out) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "source and out must not be NULL");
  reader = fastio__allocate(options.env, sizeof *reader);
  if (!reader) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  memset(reader, 0, sizeof *reader);
  reader->source = source;
  reader->options = options;
  reader->grammar = (fastio__grammar){
      options.separator, options.comment, options.base, (options.flags & FASTIO_OVERFLOW_ERROR) != 0, NULL, 0};
  reader->offset = reader->line_start = source->position;
  reader->stop = options.length > FASTIO_NO_OFFSET - options.offset ? FASTIO_NO_OFFSET
                                                                    : options.offset + options.length;
  status = resize(reader, options.block_size ? options.block_size : DEFAULT_BUFFER, err);
  if (status == FASTIO_OK) *out = reader;
  else fastio_reader_close(reader);
  return status;
}

void fastio_reader_close(fastio_reader *reader) {
  const fastio_env *env;
  if (!reader) return;
  env = reader->options.env;
  fastio_reader_close(reader->suspended);
  if (reader->buffer) fastio__release(env, reader->buffer, reader->capacity + 2 * FASTIO__PAD);
  fastio__release(env, reader, sizeof *reader);
}

/* A reader of the other source takes this one's place, whose state is kept beside it. The range and the lines to skip
 * were those of the source; how its bytes are read stays. */
static fastio_status divert(fastio_reader *reader, fastio_source *source, fastio_error *err) {
  fastio_read_options options = reader->options;
  fastio_reader *other, was = *reader;
  fastio_status status;
  options.offset = options.skip_lines = 0;
  options.length = FASTIO_NO_OFFSET;
  status = fastio_reader_open(source, &options, &other, err);
  if (status != FASTIO_OK) return status;
  *reader = *other;
  *other = was;
  reader->suspended = other;
  return FASTIO_OK;
}

static void resume(fastio_reader *reader) {
  fastio_reader *was = reader->suspended, other = *reader;
  if (!was) return;
  *reader = *was;
  *was = other;
  was->suspended = NULL;
  fastio_reader_close(was);
}

fastio_status fastio_reader_redirect(fastio_reader *reader, fastio_source *source, fastio_error *err) {
  if (source) return divert(reader, source, err);
  resume(reader);
  return FASTIO_OK;
}

uint64_t fastio_reader_offset(const fastio_reader *reader) { return place_of(reader, reader->begin); }

uint64_t fastio_reader_line(const fastio_reader *reader) {
  uint64_t newlines, line_start;
  count_lines(reader, reader->begin, &newlines, &line_start);
  return newlines + 1;
}

/* ---- tokens ---- */

/* With comments a token goes with its line, since only the line's start tells what is a comment; with a separator it
 * goes with its field, which may start with blanks. The empty field behind a separator at the very end goes with the
 * one before it. */
static bool token_is_past_stop(const fastio_reader *reader) {
  const uint8_t *data = window(reader);
  const int separator = reader->grammar.separator;
  uint64_t newlines, line_start;
  size_t field = reader->begin;
  if (!is_past_stop(reader)) return false;
  if (reader->begin == reader->end) return !reader->in_line;
  if (reader->grammar.comment != FASTIO_NONE) {
    count_lines(reader, reader->begin, &newlines, &line_start);
    return line_start >= reader->stop;
  }
  if (separator != FASTIO_WHITESPACE)
    while (field > 0 && data[field - 1] != separator && data[field - 1] != '\n') field--;
  return reader->offset + field >= reader->stop;
}

/* A token that fills the window is looked at again from its start: let it at least double meanwhile. */
static fastio_status refill_for_token(fastio_reader *reader, fastio_error *err) {
  enum { LONG = 1 << 20 };
  size_t have = reader->end - reader->begin, wanted = have > LONG ? 2 * have : 0;
  fastio_status status;
  do status = refill(reader, err);
  while (status == FASTIO_OK && reader->end < wanted && !reader->at_end);
  return status;
}

/* At the end: no whole token is left. */
static fastio_status end_within_token(fastio_reader *reader, fastio_error *err) {
  const uint8_t *p = window(reader) + reader->begin, *end = window(reader) + reader->end;
  if (token_is_past_stop(reader)) return end_here(reader, err);
  while (p < end && fastio__is_space(*p)) p++;
  return end_within(reader, p, reader->in_line || (p < end && *p != reader->grammar.comment), err);
}

static fastio_status find_token(fastio_reader *reader, fastio__token *token, fastio_error *err) {
  fastio_status status = start(reader, false, err);
  while (status == FASTIO_OK) {
    uint8_t *data = window(reader);
    fastio__cursor cursor = {data + reader->begin, data + reader->end, ends_items(reader), reader->in_line, true};
    fastio_status found = fastio__token_next(&reader->grammar, &cursor, token);
    reader->begin = (size_t)(cursor.at - data);
    if (found == FASTIO_OK || found == FASTIO_EMPTY_FIELD)
      return token_is_past_stop(reader) ? end_here(reader, err) : found;
    if (reader->at_end) return end_within_token(reader, err);
    status = refill_for_token(reader, err);
  }
  return status;
}

static void take(fastio_reader *reader, const fastio__token *token) {
  reader->begin = (size_t)(token->next - window(reader));
  reader->in_line = token->next_in_line;
}

static fastio_status fail_at_token(const fastio_reader *reader, fastio_status status, const char *message,
                                   const fastio__token *token, fastio_error *err) {
  return fail_here(reader, status, message, token->start, token->end, err);
}

/* Finds the token that a number should be. */
static fastio_status find_number(fastio_reader *reader, fastio__token *token, fastio_error *err) {
  fastio_status status = find_token(reader, token, err);
  return status == FASTIO_EMPTY_FIELD ? fail_at_token(reader, status, NULL, token, err) : status;
}

static const char *integer_message(fastio_status status) {
  return status == FASTIO_BAD_TOKEN ? "not an integer" : "integer out of range";
}

/* The common case at once: at most 18 digits between white space, all of it in the window. False: find_number must
 * look. The window ends in newlines that are not the source's (FASTIO__PAD), so that the loops need no bound. */
static bool quick_i64(fastio_reader *reader, int64_t *out) {
  const uint8_t *p = window(reader) + reader->begin, *end = window(reader) + reader->end, *digits;
  uint64_t value = 0;
  bool negative;
  if (!reader->is_plain) return false;
  while (p < end && fastio__is_space(*p)) p++;
  negative = *p == '-';
  digits = p += negative;
  for (; (uint8_t)(*p - '0') < 10; p++) value = value * 10 + (uint8_t)(*p - '0');
  if (p >= end || !fastio__is_space(*p) || p == digits || p - digits > 18) return false;
  *out = negative ? -(int64_t)value : (int64_t)value;
  reader->begin = (size_t)(p - window(reader));
  return true;
}

fastio_status fastio_next_i64(fastio_reader *reader, int64_t *out, fastio_error *err) {
  fastio__token token;
  fastio_status status;
  if (FASTIO__LIKELY(quick_i64(reader, out))) return FASTIO_OK;
  status = find_number(reader, &token, err);
  if (status != FASTIO_OK) return status;
  status = fastio__parse_i64(token.start, (size_t)(token.end - token.start), reader->grammar.base, out, NULL);
  if (status != FASTIO_OK) return fail_at_token(reader, status, integer_message(status), &token, err);
  take(reader, &token);
  return FASTIO_OK;
}

fastio_status fastio__next_between(fastio_reader *reader, int64_t low, int64_t high, int64_t *out, fastio_error *err) {
  const size_t begin = reader->begin;
  fastio__token token;
  fastio_status status;
  int64_t value;
  if (FASTIO__LIKELY(quick_i64(reader, &value))) {
    if (FASTIO__LIKELY(low <= value && value <= high)) return *out = value, FASTIO_OK;
    reader->begin = begin;
  }
  status = find_number(reader, &token, err);
  if (status != FASTIO_OK) return status;
  status = fastio__parse_i64(token.start, (size_t)(token.end - token.start), reader->grammar.base, &value, NULL);
  if (status == FASTIO_OK && (value < low || value > high)) status = FASTIO_OUT_OF_RANGE;
  if (status != FASTIO_OK) return fail_at_token(reader, status, integer_message(status), &token, err);
  take(reader, &token);
  *out = value;
  return FASTIO_OK;
}

fastio_status fastio_next_u64(fastio_reader *reader, uint64_t *out, fastio_error *err) {
  fastio__token token;
  fastio_status status = find_number(reader, &token, err);
  if (status != FASTIO_OK) return status;
  status = fastio__parse_u64(token.start, (size_t)(token.end - token.start), reader->grammar.base, out, NULL);
  if (status != FASTIO_OK) return fail_at_token(reader, status, integer_message(status), &token, err);
  take(reader, &token);
  return FASTIO_OK;
}

static bool has_overflowed(const fastio_reader *reader, double value, const fastio__token *token) {
  return isinf(value) && reader->grammar.overflow_is_error && fastio__has_digit(token->start, token->end);
}

fastio_status fastio_next_f64(fastio_reader *reader, double *out, fastio_error *err) {
  fastio__token token;
  double value;
  fastio_status status = find_number(reader, &token, err);
  if (status != FASTIO_OK) return status;
  status = fastio__parse_f64(token.start, (size_t)(token.end - token.start), &value, NULL);
  if (status == FASTIO_OK && has_overflowed(reader, value, &token)) status = FASTIO_OUT_OF_RANGE;
  if (status != FASTIO_OK) return fail_at_token(reader, status, NULL, &token, err);
  take(reader, &token);
  *out = value;
  return FASTIO_OK;
}

fastio_status fastio_next_f32(fastio_reader *reader, float *out, fastio_error *err) {
  fastio__token token;
  float value;
  fastio_status status = find_number(reader, &token, err);
  if (status != FASTIO_OK) return status;
  status = fastio__parse_f32(token.start, (size_t)(token.end - token.start), &value, NULL);
  if (status == FASTIO_OK && has_overflowed(reader, (double)value, &token)) status = FASTIO_OUT_OF_RANGE;
  if (status != FASTIO_OK) return fail_at_token(reader, status, NULL, &token, err);
  take(reader, &token);
  *out = value;
  return FASTIO_OK;
}

static fastio_status find_any_token(fastio_reader *reader, fastio__token *token, fastio_error *err) {
  fastio_status status = find_token(reader, token, err);
  return status == FASTIO_EMPTY_FIELD ? FASTIO_OK : status;
}

/* Where the bytes from `start` on stop being UTF-8, `end` if they don't before. A little more than asked for is looked
 * at and remembered, for the sake of those who take one short line at a time. */
static const uint8_t *utf8_until(fastio_reader *reader, const uint8_t *start, const uint8_t *end) {
  enum { AHEAD = 4096 };
  const uint8_t *known = window(reader) + reader->valid, *limit = window(reader) + reader->end;
  bool splits = reader->grammar.separator >= 0x80; /* characters, so that what is valid as a whole is not so in parts */
  if (known < start || splits) known = start;
  if (known >= end) return end;
  if (limit - end > AHEAD) limit = end + AHEAD;
  if (splits) limit = end;
  known += fastio__utf8_prefix(known, (size_t)(limit - known));
  reader->valid = (size_t)(known - window(reader));
  return known < end ? known : end;
}

static fastio_status fail_at_utf8(const fastio_reader *reader, const uint8_t *bad, const uint8_t *end,
                                  fastio_error *err) {
  return fail_here(reader, FASTIO_BAD_ENCODING, "not valid UTF-8", bad,
                   bad + fastio__utf8_bad_size(bad, (size_t)(end - bad)), err);
}

/* Finds the next token as text and leaves it where it is. */
static fastio_status find_text(fastio_reader *reader, fastio__token *token, fastio_error *err) {
  const uint8_t *bad;
  fastio_status status = find_any_token(reader, token, err);
  if (status != FASTIO_OK) return status;
  bad = reader->options.line_type == FASTIO_STRING ? utf8_until(reader, token->start, token->end) : token->end;
  return bad < token->end ? fail_at_utf8(reader, bad, token->end, err) : FASTIO_OK;
}

fastio_status fastio_peek_token(fastio_reader *reader, const char **data, size_t *size, fastio_error *err) {
  fastio__token token;
  fastio_status status = find_text(reader, &token, err);
  if (status != FASTIO_OK) return status;
  *data = (const char *)token.start;
  *size = (size_t)(token.end - token.start);
  return FASTIO_OK;
}

fastio_status fastio_next_token(fastio_reader *reader, const char **data, size_t *size, fastio_error *err) {
  fastio__token token;
  fastio_status status = find_text(reader, &token, err);
  if (status != FASTIO_OK) return status;
  *data = (const char *)token.start;
  *size = (size_t)(token.end - token.start);
  take(reader, &token);
  return FASTIO_OK;
}

fastio_status fastio_skip(fastio_reader *reader, fastio_error *err) {
  fastio__token token;
  fastio_status status = find_any_token(reader, &token, err);
  if (status == FASTIO_OK) take(reader, &token);
  return status;
}

fastio_status fastio_expect(fastio_reader *reader, const void *data, size_t size, fastio_error *err) {
  const uint8_t *wanted = data;
  size_t blanks = 0; /* consumed only with the bytes that are wanted */
  fastio_status status = start(reader, false, err);
  if (size == 0) return status;
  while (status == FASTIO_OK) {
    uint8_t *p = window(reader) + reader->begin + blanks, *end = window(reader) + reader->end;
    size_t have, same = 0;
    while (!fastio__is_space(wanted[0]) && p < end && fastio__is_space(*p)) p++;
    blanks = (size_t)(p - window(reader)) - reader->begin;
    have = (size_t)(end - p) < size ? (size_t)(end - p) : size;
    while (same < have && p[same] == wanted[same]) same++;
    if ((reader->at_end && p == end) || reader->offset + reader->begin + blanks >= reader->stop)
      return end_here(reader, err);
    if (same == size) {
      reader->begin += blanks + size;
      reader->in_line = reader->grammar.separator != '\n' && wanted[size - 1] == reader->grammar.separator;
      return FASTIO_OK;
    }
    /* Up to the first byte that differs, whatever else the buffer happens to hold. */
    if (same < have) return fail_here(reader, FASTIO_MISMATCH, NULL, p, p + same + 1, err);
    if (ends_items(reader)) return fail_here(reader, FASTIO_MISMATCH, NULL, p, p + have, err);
    if (reader->at_end) return end_within(reader, p, true, err);
    status = refill(reader, err);
  }
  return status;
}

fastio_status fastio_reader_fail(fastio_reader *reader, fastio_status status, const char *message, fastio_error *err) {
  fastio__token token;
  if (find_any_token(reader, &token, NULL) == FASTIO_OK) return fail_at_token(reader, status, message, &token, err);
  return fail_here(reader, status, message, window(reader) + reader->begin, window(reader) + reader->begin, err);
}

/* ---- lines ---- */

/* The next line, if it is whole in the window. */
static bool take_line(fastio_reader *reader, size_t from, fastio_bytes *line) {
  const uint8_t *start = window(reader) + reader->begin, *end = window(reader) + reader->end;
  const uint8_t *stop = end, *next = end;
  bool found = fastio__line_end(reader->options.newline, reader->at_end, start + from, end, &stop, &next);
  if (!found && !(ends_items(reader) && start < end)) return false;
  /* The search may have started behind the '\r' that belongs to the '\n' it found. */
  bool is_first = found && from > 0 && next == start + from + 1;
  if (is_first && reader->options.newline == FASTIO_NEWLINE_LF && stop[-1] == '\r') stop--;
  if (reader->options.flags & FASTIO_KEEP_ENDS) stop = next;
  line->data = start;
  line->size = (size_t)(stop - start);
  reader->begin = (size_t)(next - window(reader));
  reader->in_line = false;
  if (next == end && next[-1] == '\r') reader->return_at = reader->offset + reader->begin;
  return true;
}

/* The end of a file came between the two bytes of "\r\n", and now it has the second one. */
static void pass_newline(fastio_reader *reader) {
  if (reader->options.newline == FASTIO_NEWLINE_ANY && reader->begin < reader->end && reader->return_at > 0 &&
      reader->offset + reader->begin == reader->return_at) {
    reader->return_at = 0;
    reader->begin += window(reader)[reader->begin] == '\n';
  }
}

static fastio_status next_line(fastio_reader *reader, fastio_bytes *line, fastio_error *err) {
  fastio_status status = start(reader, true, err);
  size_t searched = 0; /* of the line: a long one is not searched again after each refill */
  while (status == FASTIO_OK) {
    pass_newline(reader);
    if (reader->begin < reader->end && is_past_stop(reader)) return end_here(reader, err);
    if (take_line(reader, searched, line)) return FASTIO_OK;
    if (reader->at_end) return end_within(reader, window(reader) + reader->begin, reader->begin < reader->end, err);
    searched = reader->end - reader->begin;
    if (searched > 0 && reader->options.newline == FASTIO_NEWLINE_ANY) searched--; /* a '\r' may have been left open */
    status = refill(reader, err);
  }
  return status;
}

/* Text is checked as it is handed out. A bad line stays unread; the good ones before it come first. */
static fastio_status check_lines(fastio_reader *reader, const fastio_bytes *lines, size_t *count, fastio_error *err) {
  const uint8_t *start = lines[0].data, *end = window(reader) + reader->begin, *bad;
  size_t good = 0;
  if (reader->options.line_type != FASTIO_STRING) return FASTIO_OK;
  bad = utf8_until(reader, start, end);
  if (bad == end) return FASTIO_OK;
  while (good + 1 < *count && (const uint8_t *)lines[good + 1].data <= bad) good++;
  reader->begin = (size_t)((const uint8_t *)lines[good].data - window(reader));
  *count = good;
  if (good > 0) return FASTIO_OK; /* the failure is for the next call */
  return fail_at_utf8(reader, bad, end, err);
}

fastio_status fastio__next_line_within(fastio_reader *reader, size_t most, const char **data, size_t *size,
                                       fastio_error *err) {
  const bool in_line = reader->in_line;
  fastio_bytes line;
  size_t count = 1;
  fastio_status status = next_line(reader, &line, err);
  if (status == FASTIO_OK) status = check_lines(reader, &line, &count, err);
  if (status != FASTIO_OK) return status;
  if (line.size > most) {
    const uint8_t *start = line.data;
    reader->begin = (size_t)(start - window(reader));
    reader->in_line = in_line;
    return fail_here(reader, FASTIO_OUT_OF_RANGE, "the line is longer than the room for it", start, start + line.size,
                     err);
  }
  *data = line.data;
  *size = line.size;
  return FASTIO_OK;
}

fastio_status fastio_next_line(fastio_reader *reader, const char **data, size_t *size, fastio_error *err) {
  return fastio__next_line_within(reader, SIZE_MAX, data, size, err);
}

enum { SCAN = 2048 };

/* The same many at a time, where lines end in one byte: a kernel finds the ends. */
static size_t take_lines(fastio_reader *reader, fastio_bytes *out, size_t capacity) {
  bool keeps = (reader->options.flags & FASTIO_KEEP_ENDS) != 0,
       strips = reader->options.newline == FASTIO_NEWLINE_LF && !keeps;
  uint8_t newline = reader->options.newline == FASTIO_NEWLINE_LF ? '\n' : (uint8_t)reader->options.newline;
  const uint8_t *start = window(reader) + reader->begin, *at = start, *end = window(reader) + reader->end;
  uint32_t ends[SCAN + 64];
  size_t count = 0;
  while (count < capacity && at < end) {
    size_t size = end - at < SCAN ? (size_t)(end - at) : SCAN,
           found = fastio__simd()->find_byte(at, size, newline, ends);
    for (size_t i = 0; i < found && count < capacity; i++) {
      const uint8_t *stop = at + ends[i];
      out[count].data = start;
      out[count++].size = (size_t)(stop - start) + keeps - (strips && stop > start && stop[-1] == '\r');
      start = stop + 1;
    }
    at += size;
  }
  reader->begin = (size_t)(start - window(reader));
  return count;
}

fastio_status fastio_next_lines(fastio_reader *reader, fastio_bytes *out, size_t capacity, size_t *count,
                                fastio_error *err) {
  fastio_status status = FASTIO_OK;
  *count = 0;
  if (capacity > 0) status = next_line(reader, &out[0], err);
  if (status != FASTIO_OK || capacity == 0) return status;
  *count = 1;
  if (reader->options.newline != FASTIO_NEWLINE_ANY && reader->stop == FASTIO_NO_OFFSET)
    *count += take_lines(reader, out + 1, capacity - 1);
  else
    while (*count < capacity && !is_past_stop(reader) && take_line(reader, 0, &out[*count])) ++*count;
  return check_lines(reader, out, count, err);
}

/* ---- many numbers ---- */

/* How much of the window holds whole tokens. */
static size_t whole_tokens(const fastio_reader *reader) {
  const uint8_t *data = window(reader);
  size_t end = reader->end;
  if (ends_items(reader)) return end;
  while (end > reader->begin && !starts_item(reader, false, data[end - 1], 0)) end--;
  return end;
}

/* Kernels may have passed white space behind the last value: it stays, as it does behind a single one. */
static fastio__cursor behind_last(const fastio_reader *reader, const fastio__cursor *behind) {
  fastio__cursor cursor = *behind;
  if (reader->grammar.separator == FASTIO_WHITESPACE)
    while (fastio__is_space(cursor.at[-1])) cursor.at--;
  return cursor;
}

static fastio_status next_numbers(fastio_reader *reader, fastio_type type, void *out, size_t capacity, size_t *count,
                                  fastio_error *err) {
  fastio_status status = start(reader, false, err);
  fastio__bulk bulk = {type, out, capacity, 0, NULL, NULL, {NULL, NULL, false, false, false}};
  *count = 0;
  while (status == FASTIO_OK && capacity > 0) {
    uint8_t *data = window(reader);
    size_t end = whole_tokens(reader);
    fastio__token token;
    fastio__cursor cursor = {data + reader->begin, data + end, ends_items(reader), reader->in_line, true};
    fastio_status parsed = fastio__bulk_parse(&reader->grammar, &cursor, &bulk, &token);
    if (bulk.count > 0)
      cursor = behind_last(reader, &bulk.behind); /* what follows, a failure too, is for the next call */
    reader->begin = (size_t)(cursor.at - data);
    reader->in_line = cursor.in_line;
    *count = bulk.count;
    if (bulk.count > 0) return FASTIO_OK;
    if (parsed != FASTIO_END && parsed != FASTIO__MORE)
      return fail_at_token(reader, parsed,
                           type == FASTIO_FLOAT64 || parsed == FASTIO_EMPTY_FIELD ? NULL : integer_message(parsed),
                           &token, err);
    if (reader->at_end) return end_within_token(reader, err);
    status = refill_for_token(reader, err);
  }
  return status;
}

/* A range ends between two tokens, which only the way one by one looks at, as at what a comment cuts short. */
static bool takes_single(const fastio_reader *reader) {
  return reader->stop != FASTIO_NO_OFFSET ||
         (reader->grammar.comment != FASTIO_NONE && reader->options.partial != FASTIO_PARTIAL_EMIT);
}

fastio_status fastio_next_i64s(fastio_reader *reader, int64_t *out, size_t capacity, size_t *count, fastio_error *err) {
  if (!takes_single(reader)) return next_numbers(reader, FASTIO_INT64, out, capacity, count, err);
  fastio_status status = capacity ? fastio_next_i64(reader, out, err) : FASTIO_OK;
  *count = capacity && status == FASTIO_OK;
  return status;
}

fastio_status fastio_next_u64s(fastio_reader *reader, uint64_t *out, size_t capacity, size_t *count,
                               fastio_error *err) {
  if (!takes_single(reader)) return next_numbers(reader, FASTIO_UINT64, out, capacity, count, err);
  fastio_status status = capacity ? fastio_next_u64(reader, out, err) : FASTIO_OK;
  *count = capacity && status == FASTIO_OK;
  return status;
}

fastio_status fastio_next_f64s(fastio_reader *reader, double *out, size_t capacity, size_t *count, fastio_error *err) {
  if (!takes_single(reader)) return next_numbers(reader, FASTIO_FLOAT64, out, capacity, count, err);
  fastio_status status = capacity ? fastio_next_f64(reader, out, err) : FASTIO_OK;
  *count = capacity && status == FASTIO_OK;
  return status;
}
