/* An allocator that keeps books, and can fail: for tests in which every allocation fails once. */
#ifndef BOOKS_H
#define BOOKS_H

#include "check.h"

typedef struct books {
  int64_t calls, fail_at; /* the call that fails; 0: none */
  bool fail_from;         /* and all after it */
  int64_t live, bytes;
  bool wrong; /* a size that was not the block's */
} books;

typedef struct books_header { /* keeps malloc's alignment */
  _Alignas(16) size_t size;
} books_header;

static inline bool books_fails(books *b) {
  b->calls++;
  return b->fail_at != 0 && (b->calls == b->fail_at || (b->fail_from && b->calls > b->fail_at));
}

static inline void *books_allocate(void *ctx, size_t size) {
  books *b = ctx;
  if (size == 0) b->wrong = true;
  books_header *h = books_fails(b) ? NULL : malloc(sizeof *h + size);
  if (h == NULL) return NULL;
  h->size = size;
  b->live++;
  b->bytes += (int64_t)size;
  return h + 1;
}

static inline void books_release(void *ctx, void *block, size_t size) {
  books *b = ctx;
  books_header *h = (books_header *)block - 1;
  if (block == NULL || h->size != size) b->wrong = true;
  if (block == NULL) return;
  b->live--;
  b->bytes -= (int64_t)h->size;
  free(h);
}

static inline void *books_reallocate(void *ctx, void *block, size_t old_size, size_t new_size) {
  books *b = ctx;
  books_header *h = (books_header *)block - 1;
  if (block == NULL || h->size != old_size || new_size == 0) b->wrong = true;
  if (block == NULL || books_fails(b)) return NULL;
  /* Always moves, so that a pointer kept by mistake shows under a sanitizer. */
  books_header *moved = malloc(sizeof *moved + new_size);
  if (moved == NULL) return NULL;
  memcpy(moved + 1, block, old_size < new_size ? old_size : new_size);
  moved->size = new_size;
  b->bytes += (int64_t)new_size - (int64_t)old_size;
  free(h);
  return moved + 1;
}

/* ---- the loop ---- */

typedef fastio_status books_attempt(const fastio_env *env, const void *ctx, fastio_error *err);

/* Runs it again and again, with allocation 1, 2, 3 ... failing (and all after it), until it has enough memory. Each
 * time it must end with FASTIO_NO_MEMORY or do without, and give everything back with true sizes. */
static inline void books_fail_each(books_attempt *run, const void *ctx, const char *name, bool fail_from) {
  for (int64_t n = 1;; n++) {
    books b = {0, n, fail_from, 0, 0, false};
    fastio_env env = FASTIO_ENV_INIT;
    fastio_error err;
    env.ctx = &b;
    env.allocate = books_allocate;
    env.reallocate = books_reallocate;
    env.release = books_release;
    fastio_error_init(&err);
    fastio_status status = run(&env, ctx, &err);
    bool tidy = check_that(b.live == 0 && b.bytes == 0 && !b.wrong, name, (int)n,
                           "%s: %" PRId64 " blocks leak, sizes %s", name, b.live, b.wrong ? "wrong" : "right");
    if (b.calls < n) { /* it never came to the failure */
      check_that(status == FASTIO_OK, name, (int)n, "%s fails with memory left: %s", name, fastio_status_name(status));
      check_that(n > 1 || !tidy, name, (int)n, "%s allocates nothing through its environment", name);
      return;
    }
    if (status == FASTIO_OK) continue; /* did without: allowed, as for a larger buffer */
    check_that(status == FASTIO_NO_MEMORY && err.status == status, name, (int)n, "%s: %s", name,
               fastio_status_name(status));
    if (n > 100000) abort();
  }
}

#endif
