/* core: errors, memory, checked arithmetic. Knows no other room. */
#ifndef FASTIO__CORE_H
#define FASTIO__CORE_H

#include "../../include/fastio.h"
#include "compiler.h"

/* ---- errors: each fills *err (if not NULL) completely and returns the status. Messages are static text. ---- */
FASTIO__HIDDEN fastio_status fastio__fail(fastio_error *err, fastio_status status, const char *message);
FASTIO__HIDDEN fastio_status fastio__fail_os(fastio_error *err, int os_error, const char *message);
/* At a place in the data; up to FASTIO_ERROR_TEXT_MAX of the offending bytes are copied. message NULL: the status's
 * text. */
FASTIO__HIDDEN fastio_status fastio__fail_at(fastio_error *err, fastio_status status, const char *message,
                                             uint64_t offset, const void *text, size_t text_size);

/* ---- kinds of types: the only place that knows their order ---- */
FASTIO__INLINE bool fastio__is_integer(fastio_type type) { return type >= FASTIO_INT8 && type <= FASTIO_UINT64; }
FASTIO__INLINE bool fastio__is_float(fastio_type type) { return type == FASTIO_FLOAT32 || type == FASTIO_FLOAT64; }
/* What to say of a number that the type cannot hold; NULL for other types. */
FASTIO__HIDDEN const char *fastio__range_message(fastio_type type);
FASTIO__INLINE bool fastio__is_number(fastio_type type) { return fastio__is_integer(type) || fastio__is_float(type); }
/* Bytes behind offsets. */
FASTIO__INLINE bool fastio__is_string(fastio_type type) { return type == FASTIO_STRING || type == FASTIO_BINARY; }

/* ---- memory through an environment (NULL: the C library). Zero bytes are rounded up to one. NULL: no memory. ---- */
FASTIO__HIDDEN void *fastio__allocate(const fastio_env *env, size_t size);
FASTIO__HIDDEN void *fastio__reallocate(const fastio_env *env, void *block, size_t old_size, size_t new_size);
FASTIO__HIDDEN void fastio__release(const fastio_env *env, void *block, size_t size);
FASTIO__HIDDEN bool fastio__has_allocator(const fastio_env *env); /* a custom one */

/* ---- checked arithmetic: false if the result does not fit, and then *out is unchanged ---- */
FASTIO__INLINE bool fastio__add(size_t a, size_t b, size_t *out) {
  if (a > SIZE_MAX - b) return false;
  *out = a + b;
  return true;
}
FASTIO__INLINE bool fastio__multiply(size_t a, size_t b, size_t *out) {
  if (b != 0 && a > SIZE_MAX / b) return false;
  *out = a * b;
  return true;
}
/* The capacity to grow to from `capacity` so that `needed` fits: half as much again, at least `needed`; 0 on overflow.
 */
FASTIO__HIDDEN size_t fastio__grown(size_t capacity, size_t needed);

#endif
