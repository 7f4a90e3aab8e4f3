/* iconv by POSIX, or that there is none: Windows; macOS without its library (build files that link it define
 * FASTIO_WITH_ICONV); where FASTIO_WITHOUT_ICONV says so. */
#include "iconv.h"

#include <errno.h>

#if defined(_WIN32) || defined(FASTIO_WITHOUT_ICONV) || (defined(__APPLE__) && !defined(FASTIO_WITH_ICONV))
#  define HAS_ICONV 0
#elif defined(__has_include)
#  if __has_include(<iconv.h>)
#    define HAS_ICONV 1
#  else
#    define HAS_ICONV 0
#  endif
#else
#  define HAS_ICONV 1
#endif

#if HAS_ICONV
#  include <iconv.h>

int fastio__iconv_open(const char *to, const char *from, void **out) {
  iconv_t handle = iconv_open(to, from);
  if (handle == (iconv_t)-1) return errno;
  *out = (void *)handle;
  return 0;
}

void fastio__iconv_close(void *handle) { iconv_close((iconv_t)handle); }

fastio__iconv_stop fastio__iconv_run(void *handle, const uint8_t **in, const uint8_t *in_end, uint8_t **out,
                                     uint8_t *out_end, size_t *inexact) {
  char *from = in ? (char *)(uintptr_t)*in : NULL, *to = (char *)*out;
  size_t left = in ? (size_t)(in_end - *in) : 0, room = (size_t)(out_end - *out);
  size_t result = iconv((iconv_t)handle, in ? &from : NULL, in ? &left : NULL, &to, &room);
  int error = result == (size_t)-1 ? errno : 0;
  if (in) *in = (const uint8_t *)from;
  *out = (uint8_t *)to;
  *inexact = error ? 0 : result;
  if (error == 0) return FASTIO__ICONV_DONE;
  return error == EINVAL ? FASTIO__ICONV_CUT : error == E2BIG ? FASTIO__ICONV_FULL : FASTIO__ICONV_BAD;
}

#else

int fastio__iconv_open(const char *to, const char *from, void **out) {
  (void)to, (void)from, (void)out;
  return EINVAL;
}

void fastio__iconv_close(void *handle) { (void)handle; }

fastio__iconv_stop fastio__iconv_run(void *handle, const uint8_t **in, const uint8_t *in_end, uint8_t **out,
                                     uint8_t *out_end, size_t *inexact) {
  (void)handle, (void)in, (void)in_end, (void)out, (void)out_end, (void)inexact;
  return FASTIO__ICONV_BAD;
}

#endif
