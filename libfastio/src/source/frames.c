/* Members and frames that need nothing of each other, decoded side by side. Where they end is known (BGZF, zstd) or
 * guessed (gzip); a guess that is wrong makes decoding fail, and whoever asked goes on serially from there, so that
 * neither results nor errors depend on the threads. */
#include "stages.h"

enum {
  RAW_MOST = 16 << 20,     /* bytes at hand; members of more than half of it are decoded serially */
  RAW_USUAL = 1 << 20,     /* as far as they grow for small members */
  CONTENT_USUAL = 4 << 20, /* decoded at a time: stays in the cache until it is read */
  CONTENT_MOST = 32 << 20, /* decoded at a time: what members say of themselves is only believed so far */
  RAW_LEAST = 64 << 10,
  CONTENT_A_THREAD = 64 << 10, /* that is worth another one */
  FRAMES_MOST = 512,
  THREADS_MOST = 64,
  PAUSE_MOST = 255
};

typedef struct frame {
  const uint8_t *data;
  size_t size;
  uint8_t *out;
  size_t room, given;
  bool good;
} frame;

typedef struct worker {
  fastio__frames *frames;
  fastio__decoder *decoder;
  fastio__thread thread;
} worker;

struct fastio__frames {
  const fastio_env *env;
  fastio__format format;
  worker *workers;
  unsigned worker_count;
  size_t wish, typical;    /* bytes; of the last member */
  unsigned pause, penalty; /* members to be decoded alone, now and after the next failure */
  uint8_t *content;
  size_t capacity;
  frame frames[FRAMES_MOST];
  size_t count, good; /* of the batch; of those, the ones to be taken */
  size_t taken, at;   /* frames; bytes of the next one */
  atomic_size_t next; /* to be decoded */
};

/* ---- begin and end ---- */

void fastio__frames_free(fastio__frames *f) {
  if (!f) return;
  for (unsigned i = 0; i < f->worker_count; i++) fastio__decoder_free(f->workers[i].decoder);
  fastio__release(f->env, f->workers, f->worker_count * sizeof *f->workers);
  fastio__release(f->env, f->content, f->capacity);
  fastio__release(f->env, f, sizeof *f);
}

static bool have_frames(fastio__format format) { return format == FASTIO__GZIP || format == FASTIO__ZSTD; }

/* Decoders allocate while they run, which a custom allocator need not allow on other threads. */
fastio__frames *fastio__frames_new(fastio__format format, unsigned threads, const fastio_env *env) {
  fastio__frames *f;
  if (threads < 2 || !have_frames(format) || fastio__has_allocator(env)) return NULL;
  f = fastio__allocate(env, sizeof *f);
  if (!f) return NULL;
  memset(f, 0, sizeof *f);
  f->env = env;
  f->format = format;
  f->worker_count = threads < THREADS_MOST ? threads : THREADS_MOST;
  f->workers = fastio__allocate(env, f->worker_count * sizeof *f->workers);
  if (!f->workers) {
    f->worker_count = 0;
    fastio__frames_free(f);
    return NULL;
  }
  memset(f->workers, 0, f->worker_count * sizeof *f->workers);
  return f;
}

static size_t between(size_t least, size_t value, size_t most) {
  return value < least ? least : value > most ? most : value;
}

/* Grows from batch to batch, so that who reads little does not pay for much. */
size_t fastio__frames_wish(fastio__frames *f, uint64_t size) {
  if (size > RAW_MOST / 2) return 0;
  if (f->pause > 0) return f->pause--, 0;
  f->typical = (size_t)size;
  f->wish = between(4 * f->worker_count * f->typical, 2 * f->wish, RAW_MOST);
  f->wish = between(RAW_LEAST, f->wish, RAW_MOST);
  return f->wish;
}

/* Where frames are not what they seem, looking for them takes longer than decoding them: it is tried again with few of
 * them, and less and less often. */
static void judge(fastio__frames *f, size_t size) {
  const bool is_short_of_data = f->count < 2 && size < 4 * f->typical;
  if (is_short_of_data) return;
  if (f->count >= 2 && f->good == f->count) {
    f->penalty = 0;
    return;
  }
  f->penalty = f->penalty < PAUSE_MOST ? 2 * f->penalty + 1 : PAUSE_MOST;
  f->pause = f->penalty;
  f->wish = 0;
}

/* ---- one batch ---- */

/* Which frames there are; returns how much they hold when decoded, at most. */
static size_t find_frames(fastio__frames *f, const uint8_t *data, size_t size) {
  size_t content = 0;
  f->count = f->good = f->taken = f->at = 0;
  while (size > 0 && f->count < FRAMES_MOST && (content < CONTENT_USUAL || f->count < 2 * f->worker_count)) {
    uint64_t holds;
    size_t whole = fastio__frame_size(f->format, data, size, &holds);
    if (whole == 0 || holds > CONTENT_MOST - content) break;
    f->frames[f->count++] = (frame){data, whole, NULL, holds ? (size_t)holds : 1, 0, false};
    content += holds ? (size_t)holds : 1;
    data += whole;
    size -= whole;
  }
  return content;
}

static bool make_room(fastio__frames *f, size_t content) {
  uint8_t *place;
  if (content > f->capacity) {
    fastio__release(f->env, f->content, f->capacity);
    f->content = fastio__allocate(f->env, content);
    f->capacity = f->content ? content : 0;
  }
  place = f->content;
  for (size_t i = 0; place && i < f->count; place += f->frames[i++].room) f->frames[i].out = place;
  return place != NULL;
}

static void decode(frame *frame, fastio__decoder *decoder) {
  fastio__flow flow = {frame->data, frame->size, frame->out, frame->room};
  bool ended = false;
  size_t before;
  fastio_status status;
  do {
    before = flow.in_size + flow.out_size;
    status = fastio__decoder_run(decoder, &flow, &ended, NULL);
  } while (status == FASTIO_OK && !ended && flow.in_size + flow.out_size < before);
  frame->given = frame->room - flow.out_size;
  frame->good = ended && flow.in_size == 0;
  if (!ended) fastio__decoder_reset(decoder);
}

static void work(void *ctx) {
  worker *w = ctx;
  for (size_t i; (i = atomic_fetch_add(&w->frames->next, 1)) < w->frames->count;)
    decode(&w->frames->frames[i], w->decoder);
}

/* As many threads as are worth it, and as there are decoders for. */
static bool decode_all(fastio__frames *f, size_t content) {
  const size_t most = f->count < f->worker_count ? f->count : f->worker_count;
  unsigned started = 0, count = (unsigned)between(1, content / CONTENT_A_THREAD, most);
  for (unsigned i = 0; i < count; i++) {
    worker *w = &f->workers[i];
    w->frames = f;
    if (!w->decoder && fastio__decoder_new(f->format, f->env, &w->decoder, NULL) != FASTIO_OK) count = i;
  }
  if (count == 0) return false;
  atomic_store(&f->next, 0);
  while (started + 1 < count &&
         fastio__thread_start(&f->workers[started + 1].thread, work, &f->workers[started + 1]) == 0)
    started++;
  work(&f->workers[0]);
  for (; started > 0; started--) fastio__thread_join(&f->workers[started].thread);
  return true;
}

size_t fastio__frames_decode(fastio__frames *f, const uint8_t *data, size_t size, size_t *used) {
  const size_t content = find_frames(f, data, size);
  *used = 0;
  if (f->count >= 2 && make_room(f, content) && decode_all(f, content))
    while (f->good < f->count && f->frames[f->good].good) *used += f->frames[f->good++].size;
  judge(f, size);
  return f->good;
}

/* ---- taking ---- */

static void pass_empty(fastio__frames *f) {
  while (f->taken < f->good && f->at == f->frames[f->taken].given) {
    f->taken++;
    f->at = 0;
  }
}

bool fastio__frames_has_some(const fastio__frames *f) { return f->taken < f->good; }

size_t fastio__frames_take(fastio__frames *f, uint8_t *out, size_t size) {
  size_t done = 0;
  while (done < size) {
    const frame *frame;
    size_t left, some;
    pass_empty(f);
    if (f->taken == f->good) break;
    frame = &f->frames[f->taken];
    left = frame->given - f->at;
    some = left < size - done ? left : size - done;
    memcpy(out + done, frame->out + f->at, some);
    f->at += some;
    done += some;
  }
  return done;
}

size_t fastio__frames_left(const fastio__frames *f) {
  size_t sum = 0;
  for (size_t i = f->taken; i < f->good; i++) sum += f->frames[i].size;
  return sum;
}
