/* The run of the pipeline: measuring, taking slots in order, filling, on one or many threads. */
#include "../platform/threads.h"
#include "blocks_internal.h"

enum { DEFAULT_BLOCK = 256 << 10 }; /* a block and its values stay in the second-level cache */

/* ---- failures: the first in the order of the source stands ---- */

static void record_failure(fastio__run *run, uint64_t sequence, const fastio_error *error) {
  if (run->failure.status == FASTIO_OK || sequence < run->failed_sequence) {
    run->failure = *error;
    run->failed_sequence = sequence;
  }
}

static bool is_over(const fastio__run *run) { return run->stop || run->failure.status != FASTIO_OK; }

/* ---- places before decoding ---- */

uint64_t fastio__run_undecoded(fastio__run *run, uint64_t offset, const uint8_t *text, size_t size) {
  uint64_t taken;
  if (size == 0) return 0;
  fastio__mutex_lock(&run->reading);
  taken = fastio__source_undecoded(run->source, offset, text, size);
  fastio__mutex_unlock(&run->reading);
  return taken;
}

uint64_t fastio__window_place(const fastio__window *window, uint64_t offset) {
  if (!window->run) return offset;
  return window->raw +
         fastio__run_undecoded(window->run, window->offset, window->data, (size_t)(offset - window->offset));
}

/* ---- one block ---- */

static bool is_exact(const fastio__run *run) { return run->parallel || !run->consumer->fill || run->consumer->exact; }

/* Waits for the block's turn, then takes its slots. False: nothing to fill. */
static bool take_slots(fastio__run *run, fastio__slot *slot, fastio__counts *base, fastio__counts *counts) {
  bool granted = false;
  fastio__mutex_lock(&run->mutex);
  while (run->turn != slot->sequence) fastio__condition_wait(&run->changed, &run->mutex);
  *base = run->total;
  if (counts->items > run->options->max_items - base->items) counts->items = run->options->max_items - base->items;
  if (!is_over(run) && slot->status == FASTIO_OK && slot->has_window) {
    fastio__counts total = {base->items + counts->items, base->bytes + counts->bytes};
    if (run->consumer->moves && run->consumer->moves(run->consumer->ctx, &slot->window, total))
      while (run->filling > 0) fastio__condition_wait(&run->changed, &run->mutex);
    if (run->consumer->ensure)
      slot->status = run->consumer->ensure(run->consumer->ctx, &slot->window, *counts, total, &slot->error);
    if (slot->status != FASTIO_OK && run->source->kind == FASTIO__STREAM)
      fastio__locate_in_window(&slot->window, &slot->error);
    granted = slot->status == FASTIO_OK;
    if (granted) run->total = total;
    run->filling += granted && run->consumer->fill;
    run->stop |= granted && is_exact(run) && total.items == run->options->max_items;
    run->bytes_done = slot->window.offset + slot->window.size;
    run->taken = slot->sequence + 1;
  }
  if (slot->status != FASTIO_OK && !is_over(run)) record_failure(run, slot->sequence, &slot->error);
  run->turn++;
  fastio__condition_broadcast(&run->changed);
  fastio__mutex_unlock(&run->mutex);
  return granted && run->consumer->fill;
}

/* Serially the slots taken were an upper bound, and where max_items cuts a window its bytes were: now they are known.
 */
static void settle(fastio__run *run, const fastio__slot *slot, fastio__counts base, fastio__counts taken,
                   fastio__counts filled) {
  bool is_last = run->total.items == base.items + taken.items && run->total.bytes == base.bytes + taken.bytes;
  if (run->parallel && filled.items != taken.items) {
    fastio_error error;
    fastio__fail_at(&error, FASTIO_TRUNCATED, "the source changed while it was read", slot->window.offset, NULL, 0);
    record_failure(run, slot->sequence, &error);
  } else if (is_last) {
    run->total.items = base.items + filled.items;
    run->total.bytes = base.bytes + filled.bytes;
    run->stop |= run->total.items == run->options->max_items;
  }
}

static void fill(fastio__run *run, fastio__slot *slot, fastio__counts base, fastio__counts taken) {
  fastio__counts filled = taken;
  slot->status = run->consumer->fill(run->consumer->ctx, &slot->window, base, &filled, &slot->error);
  if (slot->status != FASTIO_OK && run->source->kind == FASTIO__STREAM)
    fastio__locate_in_window(&slot->window, &slot->error);
  fastio__mutex_lock(&run->mutex);
  if (slot->status == FASTIO_OK) settle(run, slot, base, taken, filled);
  else record_failure(run, slot->sequence, &slot->error);
  run->filling--;
  fastio__condition_broadcast(&run->changed);
  fastio__mutex_unlock(&run->mutex);
}

/* Kernels go from token to token, which memory far away makes slow; all of it at once comes as fast as it can. Who
 * measures the window, or has read it into a buffer, has it near. */
static void bring_near(const fastio__window *window) {
  enum { LINE = 64 };
  volatile uint8_t seen;
  for (size_t i = 0; i < window->size; i += LINE) seen = window->data[i];
  (void)seen;
}

/* From a fetched block to filled slots. */
static void process(fastio__run *run, fastio__slot *slot) {
  fastio__counts base, counts = {0, 0};
  if (slot->has_window && run->source->kind == FASTIO__MEMORY && !is_exact(run)) bring_near(&slot->window);
  if (slot->status == FASTIO_OK && slot->has_window)
    counts = run->consumer->measure(run->consumer->ctx, &slot->window, is_exact(run));
  if (take_slots(run, slot, &base, &counts)) fill(run, slot, base, counts);
}

/* On the calling thread, about once a block. */
static void poll_caller(fastio__run *run) {
  const fastio_read_options *options = run->options;
  fastio_error cancelled;
  uint64_t total = run->end == FASTIO_NO_OFFSET ? run->end : run->end - run->start, done;
  if (!options->poll) return;
  fastio__mutex_lock(&run->mutex);
  done = run->bytes_done > run->start ? run->bytes_done - run->start : 0;
  fastio__mutex_unlock(&run->mutex);
  if (!options->poll(options->poll_ctx, done < total ? done : total, total)) return;
  fastio__fail(&cancelled, FASTIO_CANCELLED, NULL);
  fastio__mutex_lock(&run->mutex);
  run->failure = cancelled; /* comes before any other failure */
  run->failed_sequence = 0;
  fastio__mutex_unlock(&run->mutex);
}

/* ---- threads over memory and files: each fetches its own blocks ---- */

static bool next_block(fastio__run *run, fastio__slot *slot) {
  bool more;
  fastio__mutex_lock(&run->mutex);
  more = !is_over(run) && run->next * run->block_size < run->end - run->start;
  if (more) slot->sequence = run->next++;
  fastio__mutex_unlock(&run->mutex);
  return more;
}

static void work_on_files(fastio__run *run, fastio__slot *slot, bool is_caller) {
  if (is_caller) poll_caller(run); /* once at least, even if the workers are quick and take every block */
  while (next_block(run, slot)) {
    slot->status = fastio__files_fetch(run, slot, &slot->error);
    process(run, slot);
    if (is_caller) poll_caller(run);
  }
}

/* ---- threads over streams: the calling thread fetches as long as there are free slots, all process ---- */

static fastio__slot *find_slot(fastio__run *run, int state) {
  fastio__slot *found = NULL;
  for (size_t i = 0; i < run->slot_count; i++) {
    fastio__slot *slot = &run->slots[i];
    if ((int)slot->state == state && (!found || slot->sequence < found->sequence)) found = slot;
  }
  return found;
}

static void set_state(fastio__run *run, fastio__slot *slot, int state) {
  fastio__mutex_lock(&run->mutex);
  slot->state = state;
  fastio__condition_broadcast(&run->changed);
  fastio__mutex_unlock(&run->mutex);
}

/* True: it was the last one. */
static bool fetch_from_stream(fastio__run *run, fastio__slot *slot) {
  slot->sequence = run->next++;
  slot->status = fastio__stream_fetch(run, slot, &slot->error);
  return slot->status != FASTIO_OK || run->stream->finished;
}

/* Takes one filled slot, waiting for it if `wait`; false when there will be none. */
static bool process_ready(fastio__run *run, bool wait) {
  fastio__slot *slot;
  fastio__mutex_lock(&run->mutex);
  while (!(slot = find_slot(run, FASTIO__READY)) && wait && !run->all_fetched)
    fastio__condition_wait(&run->changed, &run->mutex);
  if (slot) slot->state = FASTIO__TAKEN;
  fastio__mutex_unlock(&run->mutex);
  if (!slot) return false;
  process(run, slot);
  set_state(run, slot, FASTIO__FREE);
  return true;
}

static void wait_for_change(fastio__run *run) {
  fastio__mutex_lock(&run->mutex);
  if (!find_slot(run, FASTIO__FREE) && !find_slot(run, FASTIO__READY))
    fastio__condition_wait(&run->changed, &run->mutex);
  fastio__mutex_unlock(&run->mutex);
}

static void feed_from_stream(fastio__run *run) {
  bool over = false;
  while (!over) {
    fastio__slot *slot;
    fastio__mutex_lock(&run->mutex);
    slot = find_slot(run, FASTIO__FREE);
    over = is_over(run) || run->all_fetched;
    fastio__mutex_unlock(&run->mutex);
    if (over) break;
    if (slot) {
      bool finished = fetch_from_stream(run, slot);
      fastio__mutex_lock(&run->mutex);
      run->all_fetched = finished;
      fastio__mutex_unlock(&run->mutex);
      set_state(run, slot, FASTIO__READY);
      poll_caller(run);
    } else if (!process_ready(run, false)) {
      wait_for_change(run);
    }
  }
  fastio__mutex_lock(&run->mutex);
  run->all_fetched = true;
  fastio__condition_broadcast(&run->changed);
  fastio__mutex_unlock(&run->mutex);
  while (process_ready(run, false)) continue;
}

static void read_stream_serially(fastio__run *run, fastio__slot *slot) {
  while (!is_over(run) && !run->all_fetched) {
    run->all_fetched = fetch_from_stream(run, slot);
    process(run, slot);
    poll_caller(run);
  }
}

/* ---- start and end of a run ---- */

typedef struct worker {
  fastio__run *run;
  fastio__slot *slot; /* NULL: a stream's worker */
  fastio__thread thread;
} worker;

static void worker_main(void *ctx) {
  worker *self = ctx;
  if (self->slot) work_on_files(self->run, self->slot, false);
  else
    while (process_ready(self->run, true)) continue;
}

/* Threads that do not start are threads that are not needed: the calling thread does the work of all. */
static void work(fastio__run *run, worker *workers, unsigned threads) {
  bool is_stream = run->source->kind == FASTIO__STREAM;
  unsigned started = 0;
  for (unsigned i = 1; i < threads; i++) {
    workers[started] = (worker){run, is_stream ? NULL : &run->slots[i], {NULL}};
    if (fastio__thread_start(&workers[started].thread, worker_main, &workers[started]) == 0) started++;
  }
  if (!is_stream) work_on_files(run, &run->slots[0], true);
  else if (threads == 1) read_stream_serially(run, &run->slots[0]);
  else feed_from_stream(run);
  for (unsigned i = 0; i < started; i++) fastio__thread_join(&workers[i].thread);
}

static void free_slot(fastio__run *run, fastio__slot *slot) {
  const fastio__consumer *consumer = run->consumer;
  if (slot->buffer) fastio__release(run->options->env, slot->buffer, slot->capacity + 2 * FASTIO__PAD);
  if (slot->window.scratch) consumer->free_scratch(consumer->ctx, slot->window.scratch);
}

static fastio_status run_on_threads(fastio__run *run, unsigned threads, fastio_error *err) {
  const fastio_env *env = run->options->env;
  size_t slots = run->source->kind == FASTIO__STREAM && threads > 1 ? threads + 1 : threads;
  size_t slots_size = slots * sizeof *run->slots, workers_size = threads * sizeof(worker);
  worker *workers = fastio__allocate(env, workers_size);
  run->slots = fastio__allocate(env, slots_size);
  run->slot_count = slots;
  run->parallel = threads > 1;
  if (run->slots) memset(run->slots, 0, slots_size);
  if (run->slots && workers) {
    if (run->parallel) fastio__source_ahead_start(run->source);
    work(run, workers, threads);
    if (run->parallel) fastio__source_ahead_stop(run->source);
  } else fastio__fail(&run->failure, FASTIO_NO_MEMORY, NULL);
  if (run->slots && run->stream != &run->own_stream && run->failure.status == FASTIO_OK)
    (void)fastio__stream_put_back(run, &run->failure);
  for (size_t i = 0; run->slots && i < slots; i++) free_slot(run, &run->slots[i]);
  fastio__release(env, run->slots, slots_size);
  fastio__release(env, workers, workers_size);
  if (run->failure.status != FASTIO_OK) {
    if (err) *err = run->failure;
    fastio__locate(run->source, err);
  }
  return run->failure.status;
}

/* A borrowed descriptor ends up behind what was read, as with any other reader; before an item that is held. */
static void leave_source(const fastio__run *run) {
  bool holds = run->options->partial == FASTIO_PARTIAL_HOLD && run->taken && run->end == run->limit;
  uint64_t position = run->stop || holds || run->bytes_done > run->end ? run->bytes_done : run->end;
  if (run->source->kind == FASTIO__FILE && !run->source->owns_fd)
    (void)fastio__source_seek(run->source, position, NULL);
}

static unsigned threads_of(const fastio__run *run, uint64_t bytes) {
  unsigned threads = fastio__thread_count(run->options->threads, bytes);
  uint64_t blocks = bytes / run->block_size; /* and one begun */
  if (fastio__has_allocator(run->options->env)) return 1;
  return blocks < threads - 1 ? (unsigned)blocks + 1 : threads;
}

static fastio_status start(fastio__run *run, unsigned *threads, fastio_error *err) {
  uint64_t bytes = FASTIO_NO_OFFSET;
  fastio_status status;
  if (run->source->kind == FASTIO__STREAM) {
    status = fastio__stream_start(run, err);
    if (status == FASTIO_OK && run->options->threads == 0) bytes = fastio__stream_look_ahead(run);
  } else {
    status = fastio__files_start(run, err);
    if (run->start > run->end) run->start = run->end;
    bytes = run->end - run->start;
  }
  *threads = threads_of(run, bytes);
  return status;
}

static bool init_locks(fastio__run *run) {
  if (fastio__mutex_init(&run->mutex) != 0) return false;
  if (fastio__mutex_init(&run->reading) == 0) {
    if (fastio__condition_init(&run->changed) == 0) return true;
    fastio__mutex_destroy(&run->reading);
  }
  fastio__mutex_destroy(&run->mutex);
  return false;
}

fastio_status fastio__blocks_run(fastio_source *source, const fastio_read_options *options,
                                 const fastio__consumer *consumer, fastio__counts *total, uint64_t *end,
                                 fastio_error *err) {
  fastio__run run;
  fastio_status status;
  unsigned threads;
  memset(&run, 0, sizeof run);
  run.source = source;
  run.options = options;
  run.consumer = consumer;
  run.stream = consumer->stream ? consumer->stream : &run.own_stream;
  run.block_size = options->block_size ? options->block_size : DEFAULT_BLOCK;
  fastio_error_init(&run.failure);
  run.encoded = fastio__source_is_encoded(source) && !consumer->uncut; /* which asks for no places */
  if (!init_locks(&run)) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  status = start(&run, &threads, err);
  if (status == FASTIO_OK && options->max_items > 0) status = run_on_threads(&run, threads, err);
  /* A map may lose pages after its last check: then zeros were read, and no value or error that came of them counts. */
  fastio_status lost = fastio__source_check(source, err);
  if (lost != FASTIO_OK) status = lost;
  if (status == FASTIO_OK) {
    if (options->max_items > 0) leave_source(&run);
    *total = run.total;
    if (end) *end = run.taken ? run.bytes_done : run.start;
  }
  fastio__stream_free(&run.own_stream, options->env);
  fastio__condition_destroy(&run.changed);
  fastio__mutex_destroy(&run.reading);
  fastio__mutex_destroy(&run.mutex);
  return status;
}
