/* What tests of writers of arrays and tables share: text that a naive writer makes, and destinations that watch or
 * fail. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "books.h"

#include <pthread.h>

/* ---- text that grows ---- */

typedef struct text {
  char *data;
  size_t size, capacity;
} text;

static inline void add(text *t, const void *data, size_t size) {
  if (t->size + size > t->capacity) {
    t->capacity = 2 * (t->size + size);
    t->data = realloc(t->data, t->capacity);
    if (t->data == NULL) abort();
  }
  if (size > 0) memcpy(t->data + t->size, data, size);
  t->size += size;
}

static inline void add_bytes(text *t, fastio_bytes bytes) { add(t, bytes.data, bytes.size); }
static inline void add_text(text *t, const char *bytes) { add(t, bytes, strlen(bytes)); }
static inline fastio_bytes bytes_of(const char *bytes) { return (fastio_bytes){bytes, strlen(bytes)}; }

static inline bool same(const char *name, int line, fastio_bytes got, const char *due, size_t size) {
  size_t at = 0, most = got.size < size ? got.size : size;
  while (at < most && ((const char *)got.data)[at] == due[at]) at++;
  return check_that(at == size && at == got.size, name, line, "%zu bytes, due %zu, the first other one at %zu: %.40s",
                    got.size, size, at, (const char *)got.data + (at > 20 ? at - 20 : 0));
}

/* ---- a writing call, whatever it is ---- */

typedef fastio_status writing_call(fastio_writer *writer, const void *ctx, unsigned threads, size_t block_size,
                                   int (*poll)(void *, uint64_t, uint64_t), void *poll_ctx, fastio_error *err);

/* The same bytes for any number of threads and any block size. */
static inline void check_same_bytes(writing_call *call, const void *ctx, const char *due, size_t size,
                                    const char *name) {
  static const size_t blocks[] = {0, 1, 7, 50, 1000, 100000};
  for (unsigned threads = 1; threads <= 3; threads++) {
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
      fastio_writer *writer = NULL;
      fastio_bytes got = {NULL, 0};
      fastio_error err;
      CHECK_STATUS(fastio_writer_memory(NULL, &writer, NULL), FASTIO_OK);
      fastio_status status = call(writer, ctx, threads, blocks[i], NULL, NULL, &err);
      if (status != FASTIO_OK) CHECK_STATUS(status, FASTIO_OK), fprintf(stderr, "%s: %s\n", name, err.message);
      CHECK_STATUS(fastio_writer_bytes(writer, &got, NULL), FASTIO_OK);
      same(name, (int)(threads * 100 + i), got, due, size);
      CHECK_STATUS(fastio_writer_close(writer, NULL), FASTIO_OK);
    }
  }
}

/* A destination with room for n bytes, n from 0 to what is needed: what it gets is the start of the text. */
static inline void check_full_buffers(writing_call *call, const void *ctx, const char *due, size_t size) {
  char *room = malloc(size + 1);
  const size_t step = size > 2000 ? size / 97 : 1;
  for (size_t n = 0; n <= size; n += n + step > size && n < size ? size - n : step) {
    fastio_writer *writer = NULL;
    fastio_error err;
    fastio_bytes got;
    memset(room, 0x5A, size + 1);
    CHECK_STATUS(fastio_writer_buffer(room, n, NULL, &writer, NULL), FASTIO_OK);
    fastio_status status = call(writer, ctx, n % 3 + 1, 64, NULL, NULL, &err);
    CHECK_STATUS(status, n < size ? FASTIO_OS_ERROR : FASTIO_OK);
    if (status == FASTIO_OK && fastio_writer_bytes(writer, &got, NULL) == FASTIO_OK) CHECK_INT(got.size, size);
    size_t written = 0;
    while (written < n && room[written] == due[written]) written++;
    for (size_t i = written; i <= size; i++)
      if (room[i] != 0x5A) {
        check_that(false, __FILE__, __LINE__, "room for %zu: byte %zu is no byte of the text", n, i);
        break;
      }
    CHECK_STATUS(fastio_writer_close(writer, NULL), status);
  }
  free(room);
}

/* ---- a device: on the caller's thread alone; takes some bytes a call; fails at one ---- */

typedef struct watching {
  pthread_t caller;
  text got;
  size_t most;        /* bytes a call */
  int calls, fail_at; /* the call that fails; 0: none */
  bool wrong_thread;
} watching;

static inline fastio_status watching_write(void *ctx, const void *data, size_t size, size_t *put, fastio_error *err) {
  watching *w = ctx;
  (void)err;
  if (!pthread_equal(pthread_self(), w->caller)) w->wrong_thread = true;
  if (++w->calls == w->fail_at) return FASTIO_CALLBACK_FAILED;
  *put = size < w->most ? size : w->most;
  add(&w->got, data, *put);
  return FASTIO_OK;
}

static inline int device_calls(writing_call *call, const void *ctx, unsigned threads, int fail_at, const char *due,
                               size_t size) {
  watching w = {pthread_self(), {NULL, 0, 0}, 1000, 0, fail_at, false};
  fastio_output_device device = {&w, watching_write, NULL, NULL};
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  fastio_writer *writer = NULL;
  options.buffer_size = 500;
  CHECK_STATUS(fastio_writer_device(&device, &options, &writer, NULL), FASTIO_OK);
  fastio_status status = call(writer, ctx, threads, 300, NULL, NULL, NULL);
  fastio_status closed = fastio_writer_close(writer, NULL);
  bool failed = fail_at != 0 && w.calls >= fail_at;
  CHECK_STATUS(status == FASTIO_OK ? closed : status, failed ? FASTIO_CALLBACK_FAILED : FASTIO_OK);
  CHECK(!w.wrong_thread);
  CHECK(w.got.size <= size && (w.got.size == 0 || memcmp(w.got.data, due, w.got.size) == 0));
  if (!failed) CHECK_INT(w.got.size, size);
  if (failed) CHECK_INT(w.calls, fail_at); /* a writer that has failed is left alone */
  free(w.got.data);
  return w.calls;
}

static inline void check_devices(writing_call *call, const void *ctx, const char *due, size_t size) {
  int calls = device_calls(call, ctx, 1, 0, due, size);
  device_calls(call, ctx, 3, 0, due, size);
  for (int i = 1; i <= calls; i += 1 + calls / 20) {
    device_calls(call, ctx, 1, i, due, size);
    device_calls(call, ctx, 3, i, due, size);
  }
}

/* ---- polling: on the calling thread, forwards; any answer but 0 ends the call ---- */

typedef struct polling {
  pthread_t caller;
  int calls, stop_at;
  uint64_t last, total;
  bool wrong;
} polling;

static inline int poll_it(void *ctx, uint64_t done, uint64_t total) {
  polling *p = ctx;
  if (!pthread_equal(pthread_self(), p->caller) || done < p->last || done > total) p->wrong = true;
  p->last = done;
  p->total = total;
  return ++p->calls == p->stop_at;
}

static inline void check_polling(writing_call *call, const void *ctx, uint64_t total, const char *due, size_t size) {
  for (unsigned threads = 1; threads <= 3; threads += 2) {
    for (int stop_at = 0; stop_at < 4; stop_at++) {
      polling p = {pthread_self(), 0, stop_at, 0, 0, false};
      fastio_writer *writer = NULL;
      fastio_bytes got;
      fastio_error err;
      CHECK_STATUS(fastio_writer_memory(NULL, &writer, NULL), FASTIO_OK);
      fastio_status status = call(writer, ctx, threads, 200, poll_it, &p, &err);
      bool stopped = stop_at && p.calls >= stop_at; /* many threads may be done before */
      CHECK_STATUS(status, stopped ? FASTIO_CANCELLED : FASTIO_OK);
      CHECK(stopped ? err.status == FASTIO_CANCELLED && p.calls == stop_at : threads > 1 || !stop_at);
      CHECK(!p.wrong && p.total == total && p.calls > 0);
      if (!stopped) CHECK_INT(p.last, total == FASTIO_NO_OFFSET ? p.last : total);
      CHECK_STATUS(fastio_writer_bytes(writer, &got, NULL),
                   FASTIO_OK); /* a cancelled call is no failure of the writer */
      CHECK(got.size <= size && memcmp(got.data, due, got.size) == 0);
      fastio_writer_discard(writer);
    }
  }
}

/* ---- memory ---- */

typedef struct call_with {
  writing_call *call;
  const void *ctx;
} call_with;

static inline fastio_status attempt(const fastio_env *env, const void *ctx, fastio_error *err) {
  const call_with *c = ctx;
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  fastio_writer *writer = NULL;
  options.env = env;
  fastio_status status = fastio_writer_memory(&options, &writer, err);
  if (status != FASTIO_OK) return status;
  status = c->call(writer, c->ctx, 2, 128, NULL, NULL, err);
  fastio_writer_discard(writer);
  return status;
}

static inline void check_memory(writing_call *call, const void *ctx, const char *name) {
  call_with c = {call, ctx};
  books_fail_each(attempt, &c, name, false);
  books_fail_each(attempt, &c, name, true);
}

#endif
