/* Where one token ends and the next begins: white space, separators, comments. The one answer for every reader. */
#include "number.h"

/* The end of the comment at p, that is the place behind its newline. False: it may go on behind the window. */
static bool skip_comment(const fastio__cursor *cursor, const uint8_t **p, bool *newline) {
  const uint8_t *found = memchr(*p, '\n', (size_t)(cursor->end - *p));
  *newline = found != NULL;
  *p = found ? found + 1 : cursor->end;
  return found || cursor->last;
}

static fastio_status next_in_white_space(const fastio__grammar *grammar, fastio__cursor *cursor, fastio__token *token) {
  const uint8_t *p = cursor->at, *end = cursor->end;
  for (;;) {
    bool newline;
    while (p < end && fastio__is_space(*p)) p++;
    cursor->at = p;
    if (p == end) return FASTIO_END;
    if (*p != grammar->comment) break;
    if (!skip_comment(cursor, &p, &newline)) return FASTIO__MORE;
  }
  token->start = p;
  while (p < end && !fastio__is_space(*p) && *p != grammar->comment) p++;
  if (p == end && !cursor->last) return FASTIO__MORE;
  token->end = token->next = p;
  token->next_in_line = false;
  return FASTIO_OK;
}

static fastio_status empty_field(fastio__token *token, const uint8_t *place, const uint8_t *next, bool next_in_line) {
  token->start = token->end = place;
  token->next = next;
  token->next_in_line = next_in_line;
  return FASTIO_EMPTY_FIELD;
}

/* With a separator, a field starts at the cursor: behind a separator (in_line) there must be one, at the start of a
 * line there may be none, and then the line is blank. */
static fastio_status next_in_fields(const fastio__grammar *grammar, fastio__cursor *cursor, fastio__token *token) {
  const uint8_t *p = cursor->at, *end = cursor->end;
  const uint8_t separator = (uint8_t)grammar->separator;
  bool newline;
  for (;;) {
    const uint8_t *comment;
    cursor->at = p;
    while (p < end && *p != separator && *p != '\n' && fastio__is_space(*p)) p++;
    if (p == end) {
      if (!cursor->last) return p == cursor->at ? FASTIO_END : FASTIO__MORE;
      cursor->at = p;
      return cursor->in_line ? empty_field(token, p, p, false) : FASTIO_END;
    }
    if (*p == '\n') {
      if (cursor->in_line) return empty_field(token, p, p + 1, false);
      p++;
      continue;
    }
    if (*p != grammar->comment) break;
    comment = p;
    if (!skip_comment(cursor, &p, &newline)) return FASTIO__MORE;
    if (cursor->in_line) return empty_field(token, comment, p, false);
  }
  if (*p == separator) return empty_field(token, p, p + 1, true);
  token->start = p;
  while (p < end && *p != separator && *p != '\n' && *p != grammar->comment) p++;
  if (p == end && !cursor->last) return FASTIO__MORE;
  token->end = p;
  while (fastio__is_space(token->end[-1])) token->end--; /* ends at the latest behind `start`, which is no blank */
  token->next_in_line = p < end && *p == separator && separator != '\n';
  if (p < end && *p == grammar->comment) {
    if (!skip_comment(cursor, &p, &newline)) return FASTIO__MORE;
  } else if (p < end) {
    p++;
  }
  token->next = p;
  cursor->at = token->start;
  return FASTIO_OK;
}

fastio_status fastio__token_next(const fastio__grammar *grammar, fastio__cursor *cursor, fastio__token *token) {
  return grammar->separator == FASTIO_WHITESPACE ? next_in_white_space(grammar, cursor, token)
                                                 : next_in_fields(grammar, cursor, token);
}
