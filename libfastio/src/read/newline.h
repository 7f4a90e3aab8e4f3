/* Where lines end: the newline policy, shared by the whole-source readers and the pull reader. */
#ifndef FASTIO__NEWLINE_H
#define FASTIO__NEWLINE_H

#include "blocks.h"

/* The first line ending in [p, end): *stop is where the line's content ends, *next where the next line starts. False:
 * there is none, or (a '\r' as the very last byte that may be half of "\r\n") it can't be told yet and more is to come.
 */
FASTIO__INLINE bool fastio__line_end(int newline, bool last, const uint8_t *p, const uint8_t *end, const uint8_t **stop,
                                     const uint8_t **next) {
  const uint8_t *found;
  if (newline == FASTIO_NEWLINE_ANY) {
    for (found = p; found < end && *found != '\n' && *found != '\r'; found++) continue;
    if (found == end || (*found == '\r' && found + 1 == end && !last)) return false;
    *stop = found;
    *next = found + 1 + (*found == '\r' && found + 1 < end && found[1] == '\n');
    return true;
  }
  found = p < end ? memchr(p, newline == FASTIO_NEWLINE_LF ? '\n' : newline, (size_t)(end - p)) : NULL;
  if (!found) return false;
  *next = found + 1;
  *stop = newline == FASTIO_NEWLINE_LF && found > p && found[-1] == '\r' ? found - 1 : found;
  return true;
}

#endif
