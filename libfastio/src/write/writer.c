/* Writers: a buffer in front of a sink, or memory that is the buffer. */
#include "writer.h"

#include "../column/column.h"
#include "../sink/stages.h"
#include "lock.h"

#include <errno.h>

typedef enum destination { TO_SINK, TO_MEMORY, TO_BUFFER } destination;

typedef struct writer {
  fastio_writer public; /* first: the pointers are the same. at is always true; end is at where calls must be looked at */
  const fastio_env *env;
  destination to;
  fastio__sink sink;
  fastio_writer
      *memory;  /* TO_SINK, to memory through stages: the plain writer at their end; the sink's device owns it */
  char *buffer; /* bytes from here to public.at have been accepted and are nowhere else */
  char *limit;  /* end of the buffer */
  fastio__region region; /* TO_MEMORY: the buffer's memory */
  char nowhere[1];       /* TO_BUFFER: what no bytes are at, since a reservation that is NULL has failed */
  char *scratch;         /* TO_BUFFER: room for a reservation that may turn out shorter than what is left */
  size_t scratch_size;
  bool in_scratch;
  int buffering;
  unsigned held;         /* locks that are open: meanwhile everything is buffered */
  uint64_t before;       /* bytes that have left the buffer */
  fastio_writer *target; /* redirected: where every call goes; else NULL */
  fastio_writer *kept;   /* the target that is locked together with this writer */
  fastio_writer *way;    /* the target, or of a locked one what its lock gave: any thread may go that way */
  const char *reserved;  /* what the target has reserved */
  uint64_t redirected;   /* bytes that targets have accepted */
  fastio_error failure;  /* the first one; status FASTIO_OK: none */
  struct writer
      *inner; /* LOCKED: this is only the handle, whose pointers never change; calls go there, under the lock */
  fastio__lock lock;
} writer;

enum { FULL_BUFFER = 128 << 10, SMALL_BUFFER = 4 << 10 };

static writer *of(const fastio_writer *handle) { return (writer *)(uintptr_t)handle; }

static size_t room(const writer *w) { return (size_t)(w->limit - w->public.at); }
static size_t filled(const writer *w) { return (size_t)(w->public.at - w->buffer); }

/* ---- threads ---- */

static writer *enter(const fastio_writer *handle) {
  writer *w = of(handle);
  if (!w->inner) return w;
  fastio__lock_take(&w->lock);
  return w->inner;
}

static void leave(const fastio_writer *handle) {
  if (of(handle)->inner) fastio__lock_give(&of(handle)->lock);
}

/* ---- state ---- */

static bool is_looked_at(const writer *w) {
  return w->failure.status != FASTIO_OK || w->target || (w->buffering != FASTIO_BUFFER_FULL && w->held == 0);
}

/* Sets where the next byte goes, and whether the inline functions may put it there. */
static void set_at(writer *w, char *at) {
  w->public.at = at;
  w->public.end = is_looked_at(w) ? at : w->limit;
  w->in_scratch = false;
}

/* The failure that stays with the writer, as it was. */
static fastio_status stuck(const writer *w, fastio_error *err) {
  if (err && w->failure.status != FASTIO_OK) *err = w->failure;
  return w->failure.status;
}

/* w->failure has been filled: from now on it is returned by every call. `put` bytes left the buffer before. */
static fastio_status fail(writer *w, uint64_t put, fastio_error *err) {
  if (w->failure.status != FASTIO_BAD_ENCODING) w->failure.offset = w->before + put; /* that one knows better */
  set_at(w, w->public.at);
  return stuck(w, err);
}

static fastio_status fail_memory(writer *w, fastio_error *err) {
  fastio__fail(&w->failure, FASTIO_NO_MEMORY, NULL);
  return fail(w, 0, err);
}

/* Bytes beyond the caller's. None of a call's are taken if not all fit: half a number is another number. */
static fastio_status fail_full(writer *w, fastio_error *err) {
  fastio__fail_os(&w->failure, ENOSPC, "the buffer is full");
  return fail(w, filled(w), err);
}

/* ---- out of the buffer ---- */

/* The buffer's first `size` bytes leave it. */
static fastio_status drain(writer *w, size_t size, fastio_error *err) {
  fastio_bytes piece = {w->buffer, size};
  uint64_t put;
  size_t left = filled(w) - size;
  if (size == 0 || w->to != TO_SINK) return FASTIO_OK;
  if (fastio__sink_write(&w->sink, &piece, 1, &put, &w->failure) != FASTIO_OK) return fail(w, put, err);
  w->before += size;
  memmove(w->buffer, w->buffer + size, left);
  set_at(w, w->buffer + left);
  return FASTIO_OK;
}

/* The buffer and behind it the pieces, which are not copied. */
static fastio_status emit(writer *w, const fastio_bytes *pieces, size_t count, fastio_error *err) {
  enum { TOGETHER = 15 };
  fastio_bytes first[1 + TOGETHER] = {{w->buffer, filled(w)}};
  size_t some = count < TOGETHER ? count : TOGETHER;
  uint64_t put, more = 0;
  fastio_status status;
  if (some) memcpy(first + 1, pieces, some * sizeof *pieces);
  status = fastio__sink_write(&w->sink, first, some + 1, &put, &w->failure);
  if (status == FASTIO_OK) status = fastio__sink_write(&w->sink, pieces + some, count - some, &more, &w->failure);
  if (status != FASTIO_OK) return fail(w, put + more, err);
  w->before += put + more;
  set_at(w, w->buffer);
  return FASTIO_OK;
}

static fastio_status flush_sink(writer *w, fastio_error *err) {
  if (fastio__sink_flush(&w->sink, &w->failure) != FASTIO_OK) return fail(w, 0, err);
  return FASTIO_OK;
}

static fastio_status flush(writer *w, fastio_error *err) {
  fastio_status status = stuck(w, err);
  if (status == FASTIO_OK) status = drain(w, filled(w), err);
  return status == FASTIO_OK ? flush_sink(w, err) : status;
}

/* Behind the last newline at or after `from`; the buffer's start if there is none. */
static size_t whole_lines(const writer *w, const char *from) {
  const char *p = w->public.at;
  while (p > from && p[-1] != '\n') p--;
  return p > from ? (size_t)(p - w->buffer) : 0;
}

/* What is written is not out yet. */
static bool holds_back(const writer *w) { return w->sink.stdio || w->sink.stages; }

/* What the buffering says must not wait, of the bytes from `from` on. */
static fastio_status settle(writer *w, const char *from, fastio_error *err) {
  size_t size;
  fastio_status status;
  if (w->buffering == FASTIO_BUFFER_FULL || w->held > 0) return FASTIO_OK;
  size = w->buffering == FASTIO_BUFFER_LINES ? whole_lines(w, from) : filled(w);
  status = size ? drain(w, size, err) : FASTIO_OK;
  return status == FASTIO_OK && size && holds_back(w) ? flush_sink(w, err) : status;
}

/* The same after a call has put bytes at `from`; if it fails they don't count as accepted. */
static fastio_status settle_call(writer *w, char *from, fastio_error *err) {
  fastio_status status = settle(w, from, err);
  if (status != FASTIO_OK) set_at(w, from);
  return status;
}

/* ---- room ---- */

/* Large memory is reserved address space, which grows without moving. */
static fastio_status enlarge(writer *w, size_t size, fastio_error *err) {
  fastio__region *region = &w->region, larger;
  fastio_status status;
  if (size <= FASTIO__REGION_SMALL || region->reserved || fastio__has_allocator(w->env))
    return fastio__region_ensure(region, size, err);
  status = fastio__region_init(&larger, w->env, SIZE_MAX, err);
  if (status != FASTIO_OK) return status;
  status = fastio__region_ensure(&larger, size, err);
  if (status == FASTIO_OK) {
    if (filled(w)) memcpy(larger.data, w->buffer, filled(w));
    fastio__region_free(region);
    *region = larger;
  } else {
    fastio__region_free(&larger);
  }
  return status;
}

/* More than `size` bytes behind what memory holds. */
static fastio_status grow_memory(writer *w, size_t size, fastio_error *err) {
  size_t used = filled(w), needed;
  if (!fastio__add(used, size, &needed) || !fastio__add(needed, 1, &needed)) return fail_memory(w, err);
  if (needed < SMALL_BUFFER) needed = SMALL_BUFFER;
  if (enlarge(w, needed, &w->failure) != FASTIO_OK) return fail(w, used, err);
  w->buffer = (char *)w->region.data;
  w->limit = w->buffer + w->region.capacity;
  set_at(w, w->buffer + used);
  return FASTIO_OK;
}

/* A larger buffer, for a reservation; it is empty. */
static fastio_status grow_buffer(writer *w, size_t size, fastio_error *err) {
  size_t capacity = (size_t)(w->limit - w->buffer), larger;
  char *buffer;
  if (size < capacity) return FASTIO_OK;
  if (!fastio__add(size, 1, &larger) || !(buffer = fastio__reallocate(w->env, w->buffer, capacity, larger)))
    return fail_memory(w, err);
  w->buffer = buffer;
  w->limit = buffer + larger;
  set_at(w, buffer);
  return FASTIO_OK;
}

/* ---- writing ---- */

static void append(writer *w, const fastio_bytes *pieces, size_t count) {
  char *at = w->public.at;
  for (size_t i = 0; i < count; at += pieces[i++].size)
    if (pieces[i].size) memcpy(at, pieces[i].data, pieces[i].size);
  set_at(w, at);
}

/* Bytes that the buffer has no room for. A descriptor takes both as they are; others are called as seldom as can be. */
static fastio_status overflow(writer *w, const fastio_bytes *pieces, size_t count, size_t size, fastio_error *err) {
  fastio_status status;
  char *from;
  if (w->to == TO_BUFFER) return fail_full(w, err);
  if (w->to == TO_SINK && (size >= (size_t)(w->limit - w->buffer) || fastio__sink_takes_many(&w->sink))) {
    status = emit(w, pieces, count, err);
    return status == FASTIO_OK && w->buffering != FASTIO_BUFFER_FULL && holds_back(w) ? flush_sink(w, err) : status;
  }
  status = w->to == TO_MEMORY ? grow_memory(w, size, err) : drain(w, filled(w), err);
  if (status != FASTIO_OK) return status;
  from = w->public.at;
  append(w, pieces, count);
  return settle_call(w, from, err);
}

static fastio_status accept(writer *w, const fastio_bytes *pieces, size_t count, fastio_error *err) {
  char *from = w->public.at;
  size_t size = 0;
  fastio_status status = stuck(w, err);
  if (status != FASTIO_OK) return status;
  for (size_t i = 0; i < count; i++)
    if (!fastio__add(size, pieces[i].size, &size))
      return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the pieces are too long");
  if (w->target) {
    status = fastio_write_pieces(w->way, pieces, count, err);
    if (status == FASTIO_OK) w->redirected += size;
    return status;
  }
  if (size == 0) return FASTIO_OK;
  if (size > room(w) || (size == room(w) && w->to != TO_BUFFER)) return overflow(w, pieces, count, size, err);
  append(w, pieces, count);
  return settle_call(w, from, err);
}

fastio_status fastio_write_pieces(fastio_writer *handle, const fastio_bytes *pieces, size_t count, fastio_error *err) {
  fastio_status status = accept(enter(handle), pieces, count, err);
  leave(handle);
  return status;
}

fastio_status fastio_write_through(fastio_writer *handle, const void *data, size_t size, fastio_error *err) {
  fastio_bytes piece = {data, size};
  return fastio_write_pieces(handle, &piece, 1, err);
}

/* ---- in place ---- */

static char *reserve_scratch(writer *w, size_t size, fastio_error *err) {
  if (size > w->scratch_size) {
    char *larger = fastio__reallocate(w->env, w->scratch, w->scratch_size, size);
    if (!larger) return fail_memory(w, err), NULL;
    w->scratch = larger;
    w->scratch_size = size;
  }
  w->public.end = w->public.at; /* so that the commit comes here */
  w->in_scratch = true;
  return w->scratch;
}

static char *reserve(writer *w, size_t size, fastio_error *err) {
  fastio_status status = stuck(w, err);
  if (status != FASTIO_OK) return NULL;
  if (w->target) {
    char *reserved = fastio_reserve(w->way, size, err);
    w->reserved = reserved;
    return reserved;
  }
  set_at(w, w->public.at);
  if (size < room(w)) return w->public.at;
  if (w->to == TO_BUFFER) return size == room(w) ? w->public.at : reserve_scratch(w, size, err);
  if (w->to == TO_MEMORY) status = grow_memory(w, size, err);
  else status = drain(w, filled(w), err);
  if (status == FASTIO_OK && w->to == TO_SINK) status = grow_buffer(w, size, err);
  return status == FASTIO_OK ? w->public.at : NULL;
}

/* A LOCKED writer stays locked until the commit. */
char *fastio_reserve_more(fastio_writer *handle, size_t size, fastio_error *err) {
  char *reserved = reserve(enter(handle), size, err);
  if (!reserved) leave(handle);
  return reserved;
}

static fastio_status commit_scratch(writer *w, size_t size, fastio_error *err) {
  fastio_bytes piece = {w->scratch, size};
  w->in_scratch = false;
  return accept(w, &piece, 1, err);
}

static fastio_status commit(writer *w, char *end, fastio_error *err) {
  char *from = w->public.at;
  fastio_status status = stuck(w, err);
  if (status != FASTIO_OK) return status;
  if (w->target) {
    size_t size = (size_t)(end - w->reserved);
    status = fastio_commit(w->way, end, err);
    if (status == FASTIO_OK) w->redirected += size;
    return status;
  }
  if (w->in_scratch) return commit_scratch(w, (size_t)(end - w->scratch), err);
  set_at(w, end);
  return settle_call(w, from, err);
}

fastio_status fastio_commit_through(fastio_writer *handle, char *end, fastio_error *err) {
  writer *w = of(handle);
  fastio_status status = commit(w->inner ? w->inner : w, end, err);
  leave(handle);
  return status;
}

/* ---- opening ---- */

void fastio_write_options_init(fastio_write_options *options) {
  *options = (fastio_write_options)FASTIO_WRITE_OPTIONS_INIT;
}

/* The caller's options, completed by the defaults of members that its version of the header does not have. */
static fastio_status options_get(const fastio_write_options *given, fastio_write_options *out, fastio_error *err) {
  const unsigned known = FASTIO_WRITE_ATOMIC | FASTIO_WRITE_SYNC | FASTIO_WRITE_LOCKED | FASTIO_WRITE_OWNED;
  fastio_write_options_init(out);
  if (given && given->size < offsetof(fastio_write_options, reserved))
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the options were not initialised");
  if (given) memcpy(out, given, given->size < sizeof *out ? given->size : sizeof *out);
  if (out->mode < FASTIO_TRUNCATE || out->mode > FASTIO_EXCLUSIVE)
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "unknown mode");
  if (out->buffering < FASTIO_BUFFER_AUTO || out->buffering > FASTIO_BUFFER_NONE)
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "unknown buffering");
  if ((out->flags & ~known) != 0) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "unknown write flags");
  if (out->permissions > 07777) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "permissions are at most 07777");
  if ((out->flags & FASTIO_WRITE_ATOMIC) != 0 && out->mode == FASTIO_APPEND)
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "an atomic writer can't append");
  return FASTIO_OK;
}

static void writer_free(writer *w) {
  if (w->to == TO_SINK) fastio__release(w->env, w->buffer, (size_t)(w->limit - w->buffer));
  if (w->to == TO_MEMORY) fastio__region_free(&w->region);
  fastio__release(w->env, w->scratch, w->scratch_size);
  fastio__release(w->env, w, sizeof *w);
}

static writer *writer_allocate(const fastio_env *env) {
  writer *w = fastio__allocate(env, sizeof *w);
  if (!w) return NULL;
  memset(w, 0, sizeof *w);
  w->env = env;
  fastio_error_init(&w->failure);
  fastio__sink_none(&w->sink, env);
  return w;
}

/* A handle in front of the writer, and the lock. NULL: no memory. */
static writer *lock_in_front(writer *inner) {
  writer *w = writer_allocate(inner->env);
  if (!w) return NULL;
  if (fastio__lock_init(&w->lock) != 0) {
    fastio__release(w->env, w, sizeof *w);
    return NULL;
  }
  w->inner = inner;
  w->public.at = w->public.end = (char *)w;
  return w;
}

/* A writer without its buffer and its sink yet. */
static fastio_status writer_new(const fastio_write_options *options, destination to, writer **out,
                                fastio_writer **handle, fastio_error *err) {
  writer *w = writer_allocate(options->env), *front = w;
  if (w && (options->flags & FASTIO_WRITE_LOCKED) != 0) front = lock_in_front(w);
  if (!front) {
    if (w) writer_free(w);
    return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  }
  w->to = to;
  w->buffering = to == TO_SINK ? options->buffering : FASTIO_BUFFER_FULL;
  *out = w;
  *handle = &front->public;
  return FASTIO_OK;
}

static void free_both(fastio_writer *handle) {
  writer *w = of(handle);
  if (w->inner) {
    fastio__lock_destroy(&w->lock);
    writer_free(w->inner);
    fastio__release(w->env, w, sizeof *w);
  } else {
    writer_free(w);
  }
}

static fastio_status allocate_buffer(writer *w, size_t size, fastio_error *err) {
  size_t chosen = w->buffering == FASTIO_BUFFER_NONE ? SMALL_BUFFER : FULL_BUFFER;
  if (size == 0) size = chosen;
  w->buffer = fastio__allocate(w->env, size);
  if (!w->buffer) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  w->limit = w->buffer + size;
  set_at(w, w->buffer);
  return FASTIO_OK;
}

/* What the four kinds of sinks are opened from. */
typedef struct opening {
  const char *path;
  int fd;
  FILE *stdio;
  const fastio_output_device *device;
  fastio_writer *memory; /* what the device writes to, if it is our own */
} opening;

static fastio_status open_sink(fastio__sink *sink, const opening *from, const fastio_write_options *options,
                               fastio_error *err) {
  if (from->path) return fastio__sink_path(sink, from->path, options, err);
  if (from->stdio) return fastio__sink_stdio(sink, from->stdio, options, err);
  if (!from->device) return fastio__sink_fd(sink, from->fd, options, err);
  fastio__sink_device(sink, from->device, options->env);
  return FASTIO_OK;
}

/* Memory first, the sink last: whoever fails halfway has not touched a file. Only then is it known whether it is a
 * terminal; the size of the buffer does not depend on it. The stages are taken over in any case. */
static fastio_status open_staged(const opening *from, const fastio_write_options *options, fastio__stages *stages,
                                 fastio_writer **out, fastio_error *err) {
  fastio_writer *handle = NULL;
  writer *w;
  fastio_status status = writer_new(options, TO_SINK, &w, &handle, err);
  if (status == FASTIO_OK) status = allocate_buffer(w, options->buffer_size, err);
  if (status == FASTIO_OK) status = open_sink(&w->sink, from, options, err);
  if (status != FASTIO_OK) {
    if (handle) free_both(handle);
    fastio__stages_free(stages);
    return status;
  }
  fastio__sink_attach(&w->sink, stages, options);
  w->memory = from->memory;
  if (w->buffering == FASTIO_BUFFER_AUTO) w->buffering = fastio__sink_buffering(&w->sink);
  set_at(w, w->buffer);
  *out = handle;
  return FASTIO_OK;
}

static fastio_status open_writer(const opening *from, const fastio_write_options *given, fastio_writer **out,
                                 fastio_error *err) {
  fastio_write_options options;
  fastio__stages *stages;
  fastio_status status = options_get(given, &options, err);
  if (status == FASTIO_OK) status = fastio__stages_new(&options, from->path, &stages, err);
  return status == FASTIO_OK ? open_staged(from, &options, stages, out, err) : status;
}

fastio_status fastio_writer_open(const char *path, const fastio_write_options *options, fastio_writer **out,
                                 fastio_error *err) {
  opening from = {path, -1, NULL, NULL, NULL};
  if (!path || !out) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "path and out must not be NULL");
  return open_writer(&from, options, out, err);
}

fastio_status fastio_writer_fd(int fd, const fastio_write_options *options, fastio_writer **out, fastio_error *err) {
  opening from = {NULL, fd, NULL, NULL, NULL};
  if (!out) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "out must not be NULL");
  return open_writer(&from, options, out, err);
}

fastio_status fastio_writer_stdio(FILE *file, const fastio_write_options *options, fastio_writer **out,
                                  fastio_error *err) {
  opening from = {NULL, -1, file, NULL, NULL};
  if (!file || !out) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "file and out must not be NULL");
  return open_writer(&from, options, out, err);
}

fastio_status fastio_writer_device(const fastio_output_device *device, const fastio_write_options *options,
                                   fastio_writer **out, fastio_error *err) {
  opening from = {NULL, -1, NULL, device, NULL};
  fastio_status status = device && device->write && out
                             ? open_writer(&from, options, out, err)
                             : fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the device needs a write function");
  if (status != FASTIO_OK && device && device->close) (void)device->close(device->ctx, NULL);
  return status;
}

/* ---- opening: memory ---- */

static fastio_status memory_open(const fastio_write_options *options, fastio_writer **out, fastio_error *err) {
  writer *w;
  fastio_status status = writer_new(options, TO_MEMORY, &w, out, err);
  if (status == FASTIO_OK) w->region.env = w->env;
  return status;
}

static fastio_status buffer_open(void *data, size_t capacity, const fastio_write_options *options, fastio_writer **out,
                                 fastio_error *err) {
  writer *w;
  fastio_status status = writer_new(options, TO_BUFFER, &w, out, err);
  if (status != FASTIO_OK) return status;
  w->buffer = data ? data : w->nowhere;
  w->limit = w->buffer + capacity;
  set_at(w, w->buffer);
  return FASTIO_OK;
}

static fastio_status write_behind(void *ctx, const void *data, size_t size, size_t *put, fastio_error *err) {
  fastio_status status = fastio_write(ctx, data, size, err);
  *put = status == FASTIO_OK ? size : 0;
  return status;
}

static fastio_status close_behind(void *ctx, fastio_error *err) { return fastio_writer_close(ctx, err); }

/* What is encoded or compressed on its way goes through a writer of its own, whose device is a plain one into the
 * memory. */
static fastio_status open_behind(fastio_writer *memory, fastio_write_options *options, fastio__stages *stages,
                                 fastio_writer **out, fastio_error *err) {
  const fastio_output_device device = {memory, write_behind, NULL, close_behind};
  const opening from = {NULL, -1, NULL, &device, memory};
  fastio_status status;
  options->buffering = FASTIO_BUFFER_FULL;
  status = open_staged(&from, options, stages, out, err);
  if (status != FASTIO_OK) (void)fastio_writer_close(memory, NULL);
  return status;
}

static fastio_status open_memory(void *data, size_t capacity, bool is_callers, const fastio_write_options *given,
                                 fastio_writer **out, fastio_error *err) {
  fastio_write_options options, plain;
  fastio_writer *memory;
  fastio__stages *stages;
  fastio_status status = options_get(given, &options, err);
  if (status == FASTIO_OK) status = fastio__stages_new(&options, NULL, &stages, err);
  if (status != FASTIO_OK) return status;
  plain = options;
  if (stages) plain.flags = 0;
  status = is_callers ? buffer_open(data, capacity, &plain, &memory, err) : memory_open(&plain, &memory, err);
  if (status != FASTIO_OK) fastio__stages_free(stages);
  else if (stages) status = open_behind(memory, &options, stages, out, err);
  else *out = memory;
  return status;
}

fastio_status fastio_writer_memory(const fastio_write_options *options, fastio_writer **out, fastio_error *err) {
  if (!out) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "out must not be NULL");
  return open_memory(NULL, 0, false, options, out, err);
}

fastio_status fastio_writer_buffer(void *data, size_t capacity, const fastio_write_options *options,
                                   fastio_writer **out, fastio_error *err) {
  if (!out || (!data && capacity)) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "data and out must not be NULL");
  return open_memory(data, capacity, true, options, out, err);
}

/* ---- closing ---- */

static fastio_status close_sink(writer *w, bool keep, fastio_error *err) {
  fastio_status status = fastio__sink_close(&w->sink, keep, err);
  if (status != FASTIO_OK && err && status != FASTIO_BAD_ENCODING) err->offset = w->before;
  return status;
}

fastio_status fastio_writer_close(fastio_writer *handle, fastio_error *err) {
  fastio_status status;
  writer *w;
  if (!handle) return FASTIO_OK;
  w = of(handle)->inner ? of(handle)->inner : of(handle);
  status = stuck(w, err);
  if (status == FASTIO_OK) status = drain(w, filled(w), err);
  if (status == FASTIO_OK) status = close_sink(w, true, err);
  else (void)close_sink(w, false, NULL);
  free_both(handle);
  return status;
}

void fastio_writer_discard(fastio_writer *handle) {
  if (!handle) return;
  (void)close_sink(of(handle)->inner ? of(handle)->inner : of(handle), false, NULL);
  free_both(handle);
}

fastio_status fastio_flush(fastio_writer *handle, fastio_error *err) {
  writer *w = enter(handle);
  fastio_status status = w->target ? fastio_flush(w->way, err) : flush(w, err);
  leave(handle);
  return status;
}

static fastio_status sync_sink(writer *w, fastio_error *err) {
  fastio_status status = flush(w, err);
  if (status == FASTIO_OK && fastio__sink_sync(&w->sink, &w->failure) != FASTIO_OK) return fail(w, 0, err);
  return status;
}

fastio_status fastio_sync(fastio_writer *handle, fastio_error *err) {
  writer *w = enter(handle);
  fastio_status status = w->target ? fastio_sync(w->way, err) : sync_sink(w, err);
  leave(handle);
  return status;
}

/* ---- questions ---- */

fastio_status fastio_writer_error(const fastio_writer *handle, fastio_error *err) {
  writer *w = enter(handle);
  fastio_status status = w->target ? fastio_writer_error(w->way, err) : stuck(w, err);
  if (status == FASTIO_OK) fastio_error_init(err);
  leave(handle);
  return status;
}

uint64_t fastio_writer_offset(const fastio_writer *handle) {
  writer *w = enter(handle);
  uint64_t offset = w->before + filled(w) + w->redirected;
  leave(handle);
  return offset;
}

bool fastio__writer_any_thread(const fastio_writer *handle) {
  const writer *w = enter(handle);
  bool result = w->target ? fastio__writer_any_thread(w->way) : !w->sink.device.write || w->memory;
  leave(handle);
  return result;
}

const fastio_env *fastio__writer_env(const fastio_writer *handle) { return of(handle)->env; }

int fastio_writer_fileno(const fastio_writer *handle) {
  const writer *w = enter(handle);
  int fd = w->target ? fastio_writer_fileno(w->way) : fastio__sink_fileno(&w->sink);
  leave(handle);
  return fd;
}

/* ---- memory ---- */

/* All that was written, with the end of its archive. */
static fastio_status finish_behind(writer *w, fastio_error *err) {
  fastio_status status = stuck(w, err);
  if (status == FASTIO_OK) status = drain(w, filled(w), err);
  if (status != FASTIO_OK) return status;
  return fastio__sink_finish(&w->sink, &w->failure) == FASTIO_OK ? FASTIO_OK : fail(w, 0, err);
}

static fastio_status bytes(writer *w, fastio_bytes *out, fastio_error *err) {
  fastio_status status = w->memory ? finish_behind(w, err) : stuck(w, err);
  if (status != FASTIO_OK) return status;
  if (w->memory) return fastio_writer_bytes(w->memory, out, err);
  if (w->to == TO_SINK) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the writer does not write into memory");
  out->data = w->buffer ? w->buffer : "";
  out->size = filled(w);
  return FASTIO_OK;
}

fastio_status fastio_writer_bytes(fastio_writer *handle, fastio_bytes *out, fastio_error *err) {
  fastio_status status = bytes(enter(handle), out, err);
  leave(handle);
  return status;
}

static void use_region(writer *w, size_t size) {
  w->buffer = (char *)w->region.data;
  w->limit = w->buffer ? w->buffer + w->region.capacity : NULL;
  set_at(w, w->buffer ? w->buffer + size : NULL);
}

static fastio_status take_behind(writer *w, fastio_column **out, fastio_error *err) {
  fastio_status status = finish_behind(w, err);
  if (status == FASTIO_OK) status = fastio_writer_take(w->memory, out, err);
  if (status == FASTIO_OK) fastio__stages_restart(w->sink.stages);
  return status;
}

static fastio_status take(writer *w, fastio_column **out, fastio_error *err) {
  fastio__column_parts parts = {0};
  fastio_column view = {0};
  fastio_bytes held = {NULL, 0};
  fastio_status status = bytes(w, &held, err);
  if (status != FASTIO_OK) return status;
  if (w->to == TO_BUFFER) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the memory is the caller's");
  if (w->region.data) fastio__region_trim(&w->region, held.size);
  use_region(w, held.size);
  view.type = FASTIO_UINT8;
  view.length = view.data_size = held.size;
  parts.data = w->region;
  status = fastio__column_build(&view, &parts, w->env, out, err);
  if (status != FASTIO_OK) return status;
  memset(&w->region, 0, sizeof w->region);
  w->region.env = w->env;
  w->before += held.size;
  use_region(w, 0);
  return FASTIO_OK;
}

fastio_status fastio_writer_take(fastio_writer *handle, fastio_column **out, fastio_error *err) {
  writer *w = enter(handle);
  fastio_status status = w->memory ? take_behind(w, out, err) : take(w, out, err);
  leave(handle);
  return status;
}

/* ---- many calls as one ---- */

/* Between lock and unlock everything is buffered, with every writer: a record of many calls is one write. */
fastio_writer *fastio_writer_lock(fastio_writer *handle) {
  writer *w = enter(handle);
  if (w->held++ == 0 && w->target) {
    w->kept = w->target;
    w->way = fastio_writer_lock(w->kept);
  }
  set_at(w, w->public.at);
  return &w->public;
}

static fastio_status release(writer *w, fastio_error *err) {
  fastio_status status = stuck(w, err);
  fastio_writer *kept = w->held == 1 ? w->kept : NULL;
  if (w->held > 0) w->held--;
  if (status == FASTIO_OK && !w->target) status = settle(w, w->buffer, err);
  set_at(w, w->public.at);
  if (!kept) return status;
  w->kept = NULL;
  w->way = w->target;
  return fastio_writer_unlock(kept, err);
}

fastio_status fastio_writer_unlock(fastio_writer *handle, fastio_error *err) {
  writer *w = of(handle)->inner ? of(handle)->inner : of(handle);
  fastio_status status = release(w, err);
  leave(handle);
  return status;
}

/* ---- redirection ---- */

/* Whether what is written to `target` comes to the writer in the end. */
static bool leads_to(const fastio_writer *target, const writer *w) {
  while (target) {
    const writer *next = enter(target);
    const fastio_writer *following = next->target;
    leave(target);
    if (next == w) return true;
    target = following;
  }
  return false;
}

/* While it is redirected every call is the target's, and so is a failure: it stays with the target, and this writer is
 * as it was when it is turned back. */
static fastio_status redirect(writer *w, fastio_writer *target, fastio_error *err) {
  fastio_status status;
  if (leads_to(target, w)) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the target leads back to the writer");
  status = target && !w->target ? flush(w, err) : FASTIO_OK;
  if (status != FASTIO_OK) return status;
  w->target = w->way = target;
  set_at(w, w->public.at);
  return FASTIO_OK;
}

fastio_status fastio_writer_redirect(fastio_writer *handle, fastio_writer *target, fastio_error *err) {
  fastio_status status = redirect(enter(handle), target, err);
  leave(handle);
  return status;
}

/* ---- past the buffer ---- */

fastio_status fastio__writer_direct(fastio_writer *handle, int *fd, fastio_error *err) {
  writer *w = of(handle);
  fastio_status status;
  *fd = -1;
  if (w->target) return fastio__writer_direct(w->way, fd, err);
  if (w->to != TO_SINK || !fastio__sink_takes_many(&w->sink)) return stuck(w, err);
  status = flush(w, err);
  if (status == FASTIO_OK) *fd = fastio__sink_fileno(&w->sink);
  return status;
}

void fastio__writer_moved(fastio_writer *handle, uint64_t size) {
  writer *w = of(handle);
  if (!w->target) {
    w->before += size;
    return;
  }
  w->redirected += size;
  fastio__writer_moved(w->way, size);
}
