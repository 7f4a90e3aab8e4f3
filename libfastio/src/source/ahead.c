/* Reading ahead: while the calling thread parses, another one takes what a pipe or a socket has, so that whoever writes
 * need not wait. It is never in the way: if nothing was read ahead, the calling thread reads by itself, as if there were
 * no other; so a wait for a slow writer can be ended by a signal as ever, and nothing comes later than it would have. */
#include "source.h"

enum {
  RING = 1 << 20,
  PART = RING / 4, /* what is read at a time */
  GRACE = 3        /* milliseconds without a read after which the calling thread has something else to do */
};

struct fastio__ahead {
  const fastio_env *env;
  int fd;
  bool is_running; /* the calling thread's own, like the two that follow */
  fastio__thread thread;
  fastio__waker waker;

  fastio__mutex mutex; /* over all that follows, but for bytes of the ring that one of the two is about to copy */
  fastio__condition changed;
  bool stops;
  bool reads, caller_reads; /* one of them at a time */
  uint64_t turns;           /* how often the calling thread has read */
  size_t first, size;       /* what nobody has taken yet */
  bool is_over;             /* behind that comes the end (error 0) or a failure, and then the thread is gone */
  int error;
  uint8_t ring[RING];
};

/* ---- the thread ---- */

static void wait_for_turn(struct fastio__ahead *ahead) {
  while (!ahead->stops && (ahead->caller_reads || RING - ahead->size < PART))
    fastio__condition_wait(&ahead->changed, &ahead->mutex);
}

/* The mutex is held before and after. What a descriptor has not got yet (EAGAIN) is no failure: nobody has asked. */
static void read_part(struct fastio__ahead *ahead) {
  size_t at = (ahead->first + ahead->size) % RING, room = RING - at, got = 0;
  int error;
  if (room > PART) room = PART;
  ahead->reads = true;
  fastio__mutex_unlock(&ahead->mutex);
  error = fastio__file_read(ahead->env, ahead->fd, ahead->ring + at, room, &got);
  fastio__mutex_lock(&ahead->mutex);
  ahead->reads = false;
  ahead->size += got;
  if (!fastio__is_try_again(error)) {
    ahead->is_over = got == 0;
    ahead->error = error;
  }
  fastio__condition_broadcast(&ahead->changed);
}

/* As long as the calling thread comes back for more at once, two of them would only take turns: that costs more than it
 * gains. False: stop. */
static bool wait_until_away(struct fastio__ahead *ahead) {
  uint64_t turns;
  bool goes_on;
  do {
    turns = ahead->turns;
    fastio__mutex_unlock(&ahead->mutex);
    goes_on = fastio__waker_pause(&ahead->waker, GRACE);
    fastio__mutex_lock(&ahead->mutex);
  } while (goes_on && ahead->turns != turns);
  return goes_on;
}

/* What made the descriptor readable may be gone if the calling thread has read meanwhile. */
static void ahead_main(void *ctx) {
  struct fastio__ahead *ahead = ctx;
  uint64_t turns = 0;
  fastio__mutex_lock(&ahead->mutex);
  while (!ahead->stops && !ahead->is_over) {
    bool is_readable;
    wait_for_turn(ahead);
    if (turns != ahead->turns && !wait_until_away(ahead)) break;
    turns = ahead->turns;
    if (ahead->caller_reads) continue;
    fastio__mutex_unlock(&ahead->mutex);
    is_readable = fastio__file_wait(ahead->fd, &ahead->waker);
    fastio__mutex_lock(&ahead->mutex);
    if (!is_readable) break;
    if (!ahead->stops && ahead->turns == turns) read_part(ahead);
  }
  fastio__mutex_unlock(&ahead->mutex);
}

/* ---- the calling thread ---- */

static size_t take(struct fastio__ahead *ahead, void *data, size_t size) {
  size_t part = RING - ahead->first;
  if (part > ahead->size) part = ahead->size;
  if (part > size) part = size;
  fastio__mutex_unlock(&ahead->mutex);
  memcpy(data, ahead->ring + ahead->first, part);
  fastio__mutex_lock(&ahead->mutex);
  ahead->size -= part;
  ahead->first = (ahead->first + part) % RING;
  return part;
}

static int read_itself(struct fastio__ahead *ahead, void *data, size_t size, size_t *got) {
  int error;
  ahead->caller_reads = true;
  ahead->turns++;
  fastio__mutex_unlock(&ahead->mutex);
  error = fastio__file_read(ahead->env, ahead->fd, data, size, got);
  fastio__mutex_lock(&ahead->mutex);
  ahead->caller_reads = false;
  return error;
}

int fastio__ahead_read(struct fastio__ahead *ahead, void *data, size_t size, size_t *got) {
  int error = 0;
  *got = 0;
  fastio__mutex_lock(&ahead->mutex);
  while (ahead->size == 0 && ahead->reads) fastio__condition_wait(&ahead->changed, &ahead->mutex);
  if (ahead->size > 0) {
    *got = take(ahead, data, size);
  } else if (ahead->is_over) {
    error = ahead->error;
    ahead->is_over = false; /* who reads again tries again */
  } else {
    error = read_itself(ahead, data, size, got);
  }
  fastio__condition_broadcast(&ahead->changed);
  fastio__mutex_unlock(&ahead->mutex);
  return error;
}

bool fastio__source_has_ahead(const fastio_source *source) {
  return source->ahead && (source->ahead->size > 0 || source->ahead->is_over);
}

/* ---- from start to stop ---- */

static bool init_locks(struct fastio__ahead *ahead) {
  if (fastio__mutex_init(&ahead->mutex) != 0) return false;
  if (fastio__condition_init(&ahead->changed) == 0) return true;
  fastio__mutex_destroy(&ahead->mutex);
  return false;
}

static struct fastio__ahead *ahead_new(const fastio_source *source) {
  struct fastio__ahead *ahead = fastio__allocate(source->env, sizeof *ahead);
  if (!ahead) return NULL;
  memset(ahead, 0, offsetof(struct fastio__ahead, ring));
  ahead->env = source->env;
  ahead->fd = source->fd;
  if (init_locks(ahead)) return ahead;
  fastio__release(source->env, ahead, sizeof *ahead);
  return NULL;
}

/* One that begins where the end was met and not told yet ends at once. */
static void run(struct fastio__ahead *ahead) {
  if (ahead->is_running || fastio__waker_open(&ahead->waker) != 0) return;
  ahead->stops = false;
  ahead->is_running = fastio__thread_start(&ahead->thread, ahead_main, ahead) == 0;
  if (!ahead->is_running) fastio__waker_close(&ahead->waker);
}

void fastio__source_ahead_start(fastio_source *source) {
  source = fastio__source_bottom(source);
  if (source->kind != FASTIO__STREAM || source->device.read || source->stdio || !fastio__file_is_slow(source->fd))
    return;
  if (!source->ahead) {
    fastio__pipe_enlarge(source->fd, RING);
    source->ahead = ahead_new(source);
  }
  if (source->ahead) run(source->ahead);
}

static void stop(struct fastio__ahead *ahead) {
  if (!ahead->is_running) return;
  fastio__mutex_lock(&ahead->mutex);
  ahead->stops = true;
  fastio__condition_broadcast(&ahead->changed);
  fastio__mutex_unlock(&ahead->mutex);
  fastio__waker_wake(&ahead->waker);
  fastio__thread_join(&ahead->thread);
  fastio__waker_close(&ahead->waker);
  ahead->is_running = false;
}

void fastio__source_ahead_stop(fastio_source *source) {
  source = fastio__source_bottom(source);
  if (source->ahead) stop(source->ahead);
}

void fastio__ahead_free(struct fastio__ahead *ahead) {
  if (!ahead) return;
  stop(ahead);
  fastio__condition_destroy(&ahead->changed);
  fastio__mutex_destroy(&ahead->mutex);
  fastio__release(ahead->env, ahead, sizeof *ahead);
}
