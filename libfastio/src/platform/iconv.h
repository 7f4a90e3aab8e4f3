/* iconv, where the system has one. */
#ifndef FASTIO__ICONV_H
#define FASTIO__ICONV_H

#include "../core/core.h"

typedef enum fastio__iconv_stop {
  FASTIO__ICONV_DONE,
  FASTIO__ICONV_CUT,  /* the input ends within a sequence */
  FASTIO__ICONV_FULL, /* no room for the next character */
  FASTIO__ICONV_BAD   /* what stands there can't be converted */
} fastio__iconv_stop;

/* 0; EINVAL: it does not know the pair; another errno. */
FASTIO__HIDDEN int fastio__iconv_open(const char *to, const char *from, void **out);
FASTIO__HIDDEN void fastio__iconv_close(void *handle);
/* Both pointers move on. in NULL: what it has held back, and back to its first state. *inexact: characters for which it
 * has put others in their place. */
FASTIO__HIDDEN fastio__iconv_stop fastio__iconv_run(void *handle, const uint8_t **in, const uint8_t *in_end,
                                                    uint8_t **out, uint8_t *out_end, size_t *inexact);

#endif
