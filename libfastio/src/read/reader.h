/* reader: what fastio_scan needs of the pull reader besides its public functions. */
#ifndef FASTIO__READER_H
#define FASTIO__READER_H

#include "../core/core.h"

/* As fastio_next_i64, with the bounds of the type. Another value stays, as out of range. */
FASTIO__HIDDEN fastio_status fastio__next_between(fastio_reader *reader, int64_t low, int64_t high, int64_t *out,
                                                  fastio_error *err);
/* As fastio_next_line, of at most `most` bytes. A longer one stays, as out of range. */
FASTIO__HIDDEN fastio_status fastio__next_line_within(fastio_reader *reader, size_t most, const char **data,
                                                      size_t *size, fastio_error *err);

#endif
