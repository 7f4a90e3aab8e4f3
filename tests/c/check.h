/* The few macros that C tests need. A test program counts every check, goes on after a failed one, and ends with
 * `return check_report();`, which prints "N passed, M failed". */
#ifndef CHECK_H
#define CHECK_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fastio.h"

static unsigned check_passed, check_failed;

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static inline bool
check_that(bool ok, const char *file, int line, const char *format, ...) {
  va_list arguments;
  if (ok) {
    check_passed++;
    return true;
  }
  check_failed++;
  fprintf(stderr, "%s:%d: ", file, line);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  return false;
}

/* Each is an expression that is true if the check passed. */
#define CHECK(condition) check_that((condition) != 0, __FILE__, __LINE__, "%s", #condition)
#define CHECK_INT(got, due) check_int((int64_t)(got), (int64_t)(due), #got, __FILE__, __LINE__)
#define CHECK_STATUS(got, due) check_status((got), (due), #got, __FILE__, __LINE__)
#define CHECK_BYTES(got, size, due) check_bytes((got), (size), (due), sizeof(due) - 1, #got, __FILE__, __LINE__)
/* The whole of an error but its text. */
#define CHECK_ERROR(err, status, offset, line, column) \
  check_error((err), (status), (offset), (line), (column), __FILE__, __LINE__)

static inline bool check_int(int64_t got, int64_t due, const char *what, const char *file, int line) {
  return check_that(got == due, file, line, "%s is %" PRId64 ", not %" PRId64, what, got, due);
}

static inline bool check_status(fastio_status got, fastio_status due, const char *what, const char *file, int line) {
  return check_that(got == due, file, line, "%s: %s, not %s", what, fastio_status_name(got), fastio_status_name(due));
}

static inline bool check_bytes(const void *got, size_t size, const void *due, size_t due_size, const char *what,
                               const char *file, int line) {
  bool same = size == due_size && (size == 0 || memcmp(got, due, size) == 0);
  return check_that(same, file, line, "%s is \"%.*s\" (%zu bytes), not \"%.*s\"", what, (int)size, (const char *)got,
                    size, (int)due_size, (const char *)due);
}

static inline bool check_error(const fastio_error *err, fastio_status status, uint64_t offset, uint64_t line_number,
                               uint64_t column, const char *file, int line) {
  bool same = err->status == status && err->offset == offset && err->line == line_number && err->column == column;
  return check_that(same, file, line,
                    "error %s at %" PRIu64 ", line %" PRIu64 ", column %" PRIu64 "; due %s at %" PRIu64
                    ", line %" PRIu64 ", column %" PRIu64,
                    fastio_status_name(err->status), err->offset, err->line, err->column, fastio_status_name(status),
                    offset, line_number, column);
}

static inline int check_report(void) {
  printf("%u passed, %u failed\n", check_passed, check_failed);
  return check_failed == 0 && check_passed > 0 ? 0 : 1;
}

#endif
