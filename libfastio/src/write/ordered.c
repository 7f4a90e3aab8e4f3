/* Pieces of text, made by many threads, written in order: by whoever comes to it first, or by the calling thread alone
 * if the writer wants that, which makes pieces too while it has nothing to write. */
#include "ordered.h"
#include "../platform/threads.h"
#include "writer.h"

/* ---- pieces ---- */

char *fastio__piece_room(fastio__piece *piece, size_t size) {
  size_t needed, capacity;
  char *data;
  if (size <= piece->capacity - piece->size) return piece->data + piece->size;
  if (!fastio__add(piece->size, size, &needed) || !(capacity = fastio__grown(piece->capacity, needed))) return NULL;
  data = piece->data ? fastio__reallocate(piece->env, piece->data, piece->capacity, capacity)
                     : fastio__allocate(piece->env, capacity);
  if (!data) return NULL;
  piece->data = data;
  piece->capacity = capacity;
  return data + piece->size;
}

void fastio__piece_free(fastio__piece *piece) { fastio__release(piece->env, piece->data, piece->capacity); }

/* ---- one thread ---- */

static fastio_status write_piece(fastio_writer *writer, const fastio__piece *piece, fastio_error *err) {
  return piece->size ? fastio_write(writer, piece->data, piece->size, err) : FASTIO_OK;
}

static bool is_cancelled(const fastio__job *job, uint64_t done) {
  return job->poll && job->poll(job->poll_ctx, done, job->total) != 0;
}

static fastio_status write_serially(fastio_writer *writer, fastio__job *job, void *scratch, fastio_error *err) {
  fastio__piece piece = {fastio__writer_env(writer), NULL, 0, 0, 0};
  fastio_status status = FASTIO_OK;
  for (uint64_t i = 0; status == FASTIO_OK && i < job->count; i++) {
    fastio_error error;
    fastio_status made;
    piece.size = 0;
    made = job->make(job->ctx, i, scratch, &piece, &error);
    status = write_piece(writer, &piece, err);
    if (status == FASTIO_OK && made != FASTIO_OK) {
      if (err) *err = error;
      status = made;
    }
    if (status != FASTIO_OK) break;
    job->done += piece.items;
    if (is_cancelled(job, job->done)) status = fastio__fail(err, FASTIO_CANCELLED, NULL);
  }
  fastio__piece_free(&piece);
  return status;
}

/* ---- many threads ---- */

/* Pieces take the slots in turns. */
typedef struct slot {
  fastio__piece piece;
  enum { EMPTY, TAKEN, MADE } state;
  fastio_status status;
  fastio_error error; /* of making it */
} slot;

typedef struct run {
  fastio_writer *writer;
  fastio__job *job;
  bool any_thread; /* may write */
  slot *slots;
  size_t slot_count;

  fastio__mutex mutex; /* over all that follows */
  fastio__condition changed;
  uint64_t next;        /* piece to make */
  uint64_t turn;        /* piece to write */
  bool writing;         /* somebody is */
  uint64_t polled;      /* how much was done then */
  fastio_error failure; /* status FASTIO_OK: none */
} run;

static slot *slot_of(run *run, uint64_t number) { return &run->slots[number % run->slot_count]; }

static bool is_over(const run *run) { return run->failure.status != FASTIO_OK || run->turn == run->job->count; }

static bool can_write(run *run, bool is_caller) {
  return !run->writing && (is_caller || run->any_thread) && slot_of(run, run->turn)->state == MADE;
}

static bool can_make(run *run) { return run->next < run->job->count && slot_of(run, run->next)->state == EMPTY; }

/* Both are called with the mutex, and leave it for the work itself. */

static void write_next(run *run) {
  slot *slot = slot_of(run, run->turn);
  fastio_error error;
  fastio_status status;
  run->writing = true;
  fastio__mutex_unlock(&run->mutex);
  status = write_piece(run->writer, &slot->piece, &error);
  fastio__mutex_lock(&run->mutex);
  run->writing = false;
  run->turn++;
  slot->state = EMPTY;
  run->job->done += slot->piece.items;
  if (run->failure.status == FASTIO_OK) { /* else it was cancelled meanwhile */
    if (status != FASTIO_OK) run->failure = error;
    else if (slot->status != FASTIO_OK) run->failure = slot->error;
  }
  fastio__condition_broadcast(&run->changed);
}

static void make_next(run *run, void *scratch) {
  const uint64_t number = run->next++;
  slot *slot = slot_of(run, number);
  slot->state = TAKEN;
  fastio__mutex_unlock(&run->mutex);
  slot->piece.size = 0;
  slot->status = run->job->make(run->job->ctx, number, scratch, &slot->piece, &slot->error);
  fastio__mutex_lock(&run->mutex);
  slot->state = MADE;
  fastio__condition_broadcast(&run->changed);
}

static void poll_caller(run *run) {
  const uint64_t done = run->job->done;
  bool cancelled;
  if (!run->job->poll) return;
  run->polled = done;
  fastio__mutex_unlock(&run->mutex);
  cancelled = is_cancelled(run->job, done);
  fastio__mutex_lock(&run->mutex);
  if (cancelled) fastio__fail(&run->failure, FASTIO_CANCELLED, NULL); /* comes before any other failure */
  fastio__condition_broadcast(&run->changed);
}

/* Writing comes first: it makes room for more. The caller polls once at least, even if the workers are quick and take
 * every piece, and sees the end. */
static void work(run *run, void *scratch, bool is_caller) {
  fastio__mutex_lock(&run->mutex);
  if (is_caller) poll_caller(run);
  while (!is_over(run)) {
    if (can_write(run, is_caller)) write_next(run);
    else if (can_make(run)) make_next(run, scratch);
    else fastio__condition_wait(&run->changed, &run->mutex);
    if (is_caller) poll_caller(run);
  }
  if (is_caller && run->failure.status == FASTIO_OK && run->polled < run->job->done) poll_caller(run);
  fastio__mutex_unlock(&run->mutex);
}

typedef struct worker {
  run *run;
  void *scratch;
  fastio__thread thread;
} worker;

static void worker_main(void *ctx) {
  worker *self = ctx;
  work(self->run, self->scratch, false);
}

/* Threads that do not start are threads that are not needed: the calling thread does the work of all. */
static void work_on_threads(run *run, worker *workers, char *scratch, unsigned threads) {
  const size_t scratch_size = run->job->scratch_size;
  unsigned started = 0;
  for (unsigned i = 1; i < threads; i++) {
    workers[started] = (worker){run, scratch + i * scratch_size, {NULL}};
    if (fastio__thread_start(&workers[started].thread, worker_main, &workers[started]) == 0) started++;
  }
  work(run, scratch, true);
  for (unsigned i = 0; i < started; i++) fastio__thread_join(&workers[i].thread);
}

static bool allocate_slots(run *run, const fastio_env *env, unsigned threads) {
  run->slot_count = 2 * threads; /* so that nobody waits for who is a little slower */
  run->slots = fastio__allocate(env, run->slot_count * sizeof *run->slots);
  if (!run->slots) return false;
  memset(run->slots, 0, run->slot_count * sizeof *run->slots);
  for (size_t i = 0; i < run->slot_count; i++) run->slots[i].piece.env = env;
  return true;
}

static void run_on_threads(run *run, void *scratch, unsigned threads) {
  const fastio_env *env = fastio__writer_env(run->writer);
  worker *workers = fastio__allocate(env, threads * sizeof *workers);
  if (workers && allocate_slots(run, env, threads)) {
    work_on_threads(run, workers, scratch, threads);
    for (size_t i = 0; i < run->slot_count; i++) fastio__piece_free(&run->slots[i].piece);
  } else {
    fastio__fail(&run->failure, FASTIO_NO_MEMORY, NULL);
  }
  fastio__release(env, run->slots, run->slot_count * sizeof *run->slots);
  fastio__release(env, workers, threads * sizeof *workers);
}

static fastio_status write_in_parallel(fastio_writer *writer, fastio__job *job, void *scratch, unsigned threads,
                                       fastio_error *err) {
  run run;
  memset(&run, 0, sizeof run);
  run.writer = writer;
  run.job = job;
  run.any_thread = fastio__writer_any_thread(writer);
  fastio_error_init(&run.failure);
  if (fastio__mutex_init(&run.mutex) != 0) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  if (fastio__condition_init(&run.changed) != 0) {
    fastio__mutex_destroy(&run.mutex);
    return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  }
  run_on_threads(&run, scratch, threads);
  fastio__condition_destroy(&run.changed);
  fastio__mutex_destroy(&run.mutex);
  if (run.failure.status != FASTIO_OK && err) *err = run.failure;
  return run.failure.status;
}

/* ---- either ---- */

static unsigned threads_of(const fastio__job *job, const fastio_env *env) {
  const unsigned threads = fastio__thread_count(job->threads, job->bytes);
  if (fastio__has_allocator(env) || job->count <= 1) return 1;
  return job->count < threads ? (unsigned)job->count : threads;
}

fastio_status fastio__write_ordered(fastio_writer *writer, fastio__job *job, fastio_error *err) {
  const fastio_env *env = fastio__writer_env(writer);
  const unsigned threads = threads_of(job, env);
  fastio_status status;
  size_t size;
  void *scratch = fastio__multiply(threads, job->scratch_size, &size) ? fastio__allocate(env, size) : NULL;
  if (!scratch) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  status = threads == 1 ? write_serially(writer, job, scratch, err)
                        : write_in_parallel(writer, job, scratch, threads, err);
  fastio__release(env, scratch, size);
  return status;
}
