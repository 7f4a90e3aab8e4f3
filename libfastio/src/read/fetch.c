/* Windows of sources that can be read at any position: memory in place, files block by block. */
#include "blocks_internal.h"

void fastio__cut_init(fastio__cut *cut, const char *bytes, size_t count, bool crlf) {
  memset(cut, 0, sizeof *cut);
  for (size_t i = 0; i < count; i++) cut->behind[(uint8_t)bytes[i]] = true;
  cut->single = count == 1 ? (uint8_t)bytes[0] : -1;
  cut->crlf = crlf;
}

fastio_status fastio__slot_reserve(fastio__run *run, fastio__slot *slot, size_t keep, size_t capacity,
                                   fastio_error *err) {
  const fastio_env *env = run->options->env;
  size_t size;
  uint8_t *buffer;
  if (capacity <= slot->capacity && slot->buffer) return FASTIO_OK;
  if (!fastio__add(capacity, 2 * FASTIO__PAD, &size) || !(buffer = fastio__allocate(env, size)))
    return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  memset(buffer, '\n', FASTIO__PAD);
  if (keep) memcpy(buffer + FASTIO__PAD, slot->buffer + FASTIO__PAD, keep);
  fastio__release(env, slot->buffer, slot->capacity + 2 * FASTIO__PAD);
  slot->buffer = buffer;
  slot->capacity = capacity;
  return FASTIO_OK;
}

/* ---- where the items start ---- */

enum { STATE_BLOCK = 256 << 10 };

/* The offset behind the first `lines` newlines from `at` on. */
static fastio_status skip_lines(fastio__run *run, uint64_t lines, uint64_t *at, fastio_error *err) {
  uint8_t block[16384];
  while (lines > 0 && *at < run->limit) {
    size_t got;
    const uint8_t *p = block;
    fastio_status status = fastio__source_pread(run->source, *at, block, sizeof block, &got, err);
    if (status != FASTIO_OK) return status;
    if (got == 0) break;
    while (lines > 0 && p && p < block + got) {
      p = memchr(p, '\n', (size_t)(block + got - p));
      if (p) p++, lines--;
    }
    *at += lines > 0 || !p ? got : (size_t)(p - block);
  }
  return FASTIO_OK;
}

/* The structure's state at the start of the range, by going through all that comes before. */
static fastio_status find_state(fastio__run *run, uint64_t at, fastio_error *err) {
  const fastio__structure *structure = run->consumer->structure;
  const void *ctx = run->consumer->structure_ctx;
  uint8_t *block = fastio__allocate(run->options->env, STATE_BLOCK);
  fastio_status status = block ? FASTIO_OK : fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  size_t got = 1;
  uint64_t start = run->start < run->limit ? run->start : run->limit;
  while (status == FASTIO_OK && at < start && got > 0) {
    size_t size = start - at < STATE_BLOCK ? (size_t)(start - at) : STATE_BLOCK;
    status = fastio__source_pread(run->source, at, block, size, &got, err);
    if (status == FASTIO_OK)
      run->state = structure->advance(ctx, run->state, block, got, structure->survey(ctx, block, got));
    at += got;
  }
  fastio__release(run->options->env, block, STATE_BLOCK);
  return status;
}

fastio_status fastio__files_start(fastio__run *run, fastio_error *err) {
  const fastio_read_options *options = run->options;
  uint64_t start = 0, offset;
  fastio_status status = fastio__source_limit(run->source, &run->limit, err);
  if (status == FASTIO_OK && run->consumer->text) {
    uint8_t head[4];
    size_t got, skip = 0;
    status = fastio__source_pread(run->source, 0, head, sizeof head, &got, err);
    if (status == FASTIO_OK) status = fastio__check_bom(head, got, &skip, err);
    start = skip;
  }
  if (status == FASTIO_OK) status = skip_lines(run, options->skip_lines, &start, err);
  if (status != FASTIO_OK) return status;
  run->clean_start = options->offset <= start || (options->flags & FASTIO__AT_ITEM);
  run->start = options->offset <= start ? start : options->offset;
  offset = options->offset < run->limit ? options->offset : run->limit;
  run->end = options->length > run->limit - offset ? run->limit : offset + options->length;
  if (run->consumer->structure && !run->clean_start) return find_state(run, run->consumer->origin, err);
  return FASTIO_OK;
}

/* ---- the window of a block ---- */

/* The bytes [low, high) of the source, as far as they are at hand. */
typedef struct span {
  const uint8_t *bytes;
  uint64_t low, high;
  bool at_end; /* nothing follows `high` */
} span;

static uint8_t byte_at(const span *s, uint64_t offset) { return s->bytes[offset - s->low]; }

static fastio_status file_ended(fastio__run *run, uint64_t offset, fastio_error *err) {
  uint64_t limit;
  fastio_status status = fastio__source_limit(run->source, &limit, err);
  if (status != FASTIO_OK || limit >= run->limit) return status; /* some files just say more than they have (/sys) */
  return fastio__fail_at(err, FASTIO_TRUNCATED, "the file shrank while it was read", offset, NULL, 0);
}

/* Reads on until `high` reaches `target`. */
static fastio_status extend(fastio__run *run, fastio__slot *slot, span *s, uint64_t target, fastio_error *err) {
  size_t have = (size_t)(s->high - s->low), want, got;
  fastio_status status;
  if (target > run->limit) target = run->limit;
  want = (size_t)(target - s->low);
  status = fastio__slot_reserve(run, slot, have, want, err);
  if (status == FASTIO_OK)
    status = fastio__source_pread(run->source, s->high, slot->buffer + FASTIO__PAD + have, want - have, &got, err);
  if (status != FASTIO_OK) return status;
  s->bytes = slot->buffer + FASTIO__PAD;
  s->high += got;
  s->at_end = s->high == run->limit || got < want - have;
  return got < want - have ? file_ended(run, s->high, err) : FASTIO_OK;
}

/* The first cut in [from, to), or `to`. Both lie in (low, high]; at the very end of the source a cut needs no next
 * byte. */
static uint64_t find_cut(const fastio__cut *cut, const span *s, uint64_t from, uint64_t to) {
  const uint8_t *p = s->bytes + (from - s->low), *end = s->bytes + (to - s->low);
  if (cut->single >= 0) {
    const uint8_t *found = from < to ? memchr(p - 1, cut->single, (size_t)(end - p)) : NULL;
    return found ? from + (uint64_t)(found + 1 - p) : to;
  }
  for (; p < end; p++) {
    bool has_next = s->low + (uint64_t)(p - s->bytes) < s->high;
    if (fastio__is_cut(cut, p[-1], has_next ? *p : 0)) break;
  }
  return s->low + (uint64_t)(p - s->bytes);
}

/* In its turn, takes the structure's state before a block and passes on the one behind it. */
static void pass_state(fastio__run *run, const fastio__slot *slot, const uint8_t *data, size_t size, unsigned *before,
                       unsigned *behind) {
  const fastio__structure *structure = run->consumer->structure;
  unsigned surveyed = structure->survey(run->consumer->structure_ctx, data, size);
  fastio__mutex_lock(&run->mutex);
  while (run->structure_turn != slot->sequence) fastio__condition_wait(&run->changed, &run->mutex);
  *before = run->state;
  fastio__mutex_unlock(&run->mutex);
  *behind = structure->advance(run->consumer->structure_ctx, *before, data, size, surveyed);
  fastio__mutex_lock(&run->mutex);
  run->state = *behind;
  run->structure_turn++;
  fastio__condition_broadcast(&run->changed);
  fastio__mutex_unlock(&run->mutex);
}

/* How far the search for the end of a window may read into memory before it looks ahead without keeping. */
enum { LOOK_AHEAD = 8 << 20 };

/* Looks for the end of an item from `at` on and forgets what it read. *changed: something there mattered. */
static fastio_status look_ahead(fastio__run *run, uint64_t at, unsigned state, uint64_t *found, bool *changed,
                                fastio_error *err) {
  const fastio__structure *structure = run->consumer->structure;
  const void *ctx = run->consumer->structure_ctx;
  uint8_t *block = fastio__allocate(run->options->env, STATE_BLOCK);
  fastio_status status = block ? FASTIO_OK : fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  size_t got = 1, start = 1;
  while (status == FASTIO_OK && start == got && at < run->limit) {
    status = fastio__source_pread(run->source, at, block, STATE_BLOCK, &got, err);
    if (status != FASTIO_OK || got == 0) break;
    *changed |= structure->survey(ctx, block, got) != 0;
    start = structure->first_start(ctx, &state, block, got);
    at += start;
  }
  fastio__release(run->options->env, block, STATE_BLOCK);
  *found = at;
  *changed |= !structure->is_open(state);
  return status;
}

/* The same as find_window_end, with a structure and its state at `from`. An item that has not ended after a while may be
 * the rest of the source because of one stray quote: then the window ends in the middle of it, with what memory it has.
 */
static fastio_status find_structured_end(fastio__run *run, fastio__slot *slot, span *s, uint64_t from, unsigned state,
                                         uint64_t *found, fastio_error *err) {
  const fastio__structure *structure = run->consumer->structure;
  uint64_t begin = from, target;
  for (;;) {
    size_t left = (size_t)(s->high - from);
    size_t start = structure->first_start(run->consumer->structure_ctx, &state, s->bytes + (from - s->low), left);
    fastio_status status = FASTIO_OK;
    *found = from += start;
    if (start < left || s->at_end) return FASTIO_OK;
    target = s->high + (s->high - s->low) + run->block_size;
    if (s->high - begin > LOOK_AHEAD) {
      bool changed = false;
      status = look_ahead(run, from, state, &target, &changed, err);
      if (status == FASTIO_OK && !changed) return FASTIO_OK;
    }
    if (status == FASTIO_OK) status = extend(run, slot, s, target, err);
    if (status != FASTIO_OK) return status;
  }
}

/* The first cut from `from` on, reading further as need be; the end of the source is one. */
static fastio_status find_window_end(fastio__run *run, fastio__slot *slot, span *s, uint64_t from, uint64_t *found,
                                     fastio_error *err) {
  uint64_t searched = from;
  for (;;) {
    uint64_t to = s->high; /* whether there is a cut may depend on the byte that follows */
    fastio_status status;
    if (searched < to) {
      *found = find_cut(&run->consumer->cut, s, searched, to);
      if (*found < to) return FASTIO_OK;
      searched = to;
    }
    if (s->at_end) {
      *found = s->high;
      return FASTIO_OK;
    }
    status = extend(run, slot, s, s->high + (s->high - s->low) + run->block_size, err);
    if (status != FASTIO_OK) return status;
  }
}

static span first_span(fastio__run *run, uint64_t from) {
  fastio_source *source = run->source;
  span s = {NULL, from, from, false};
  if (source->kind == FASTIO__MEMORY) s = (span){source->data, 0, source->size, true};
  return s;
}

/* Kernels want readable bytes around the window, and a newline behind a last token. */
static fastio_status pad_window(fastio__run *run, fastio__slot *slot, const span *s, fastio_error *err) {
  fastio__window *window = &slot->window;
  fastio_status status;
  uint64_t end = window->offset + window->size;
  if (run->source->kind == FASTIO__FILE) {
    memset(slot->buffer + FASTIO__PAD + (s->high - s->low), '\n', FASTIO__PAD);
    return FASTIO_OK;
  }
  if (!run->consumer->padded || (window->offset >= FASTIO__PAD && end + FASTIO__PAD <= s->high)) return FASTIO_OK;
  status = fastio__slot_reserve(run, slot, 0, window->size, err);
  if (status != FASTIO_OK) return status;
  memcpy(slot->buffer + FASTIO__PAD, window->data, window->size);
  memset(slot->buffer + FASTIO__PAD + window->size, '\n', FASTIO__PAD);
  window->data = slot->buffer + FASTIO__PAD;
  return FASTIO_OK;
}

enum { SLACK = 1024 }; /* read beyond the block, so that its last item is seldom cut */

fastio_status fastio__files_fetch(fastio__run *run, fastio__slot *slot, fastio_error *err) {
  uint64_t a = run->start + slot->sequence * run->block_size, b, p, q;
  bool clean = slot->sequence == 0 && run->clean_start;
  const fastio__structure *structure = run->consumer->structure;
  unsigned before = 0, behind = 0;
  fastio_status status = fastio__source_check(run->source, err);
  span s = first_span(run, clean ? a : a - 1);
  b = run->end - a < run->block_size ? run->end : a + run->block_size;
  slot->has_window = false;
  if (status == FASTIO_OK && run->source->kind == FASTIO__FILE)
    status = extend(run, slot, &s, run->consumer->uncut ? b : b + SLACK, err);
  if (b > s.high) b = s.high > a ? s.high : a;
  if (structure) { /* also if it failed: others wait for their turn */
    const uint8_t *data = b > a ? s.bytes + (a - s.low) : s.bytes;
    pass_state(run, slot, data, (size_t)(b - a), &before, &behind);
  }
  if (status != FASTIO_OK || s.high < a) return status;
  if (structure)
    p = a + structure->first_start(run->consumer->structure_ctx, &before, s.bytes + (a - s.low), (size_t)(b - a));
  else p = clean || run->consumer->uncut ? a : find_cut(&run->consumer->cut, &s, a, b);
  if (p == b) return FASTIO_OK;
  q = b;
  if (structure) status = find_structured_end(run, slot, &s, b, behind, &q, err);
  else if (!run->consumer->uncut) status = find_window_end(run, slot, &s, b, &q, err);
  if (status != FASTIO_OK) return status;
  slot->has_window = true;
  slot->window.data = s.bytes + (p - s.low);
  slot->window.size = (size_t)(q - p);
  slot->window.offset = p;
  slot->window.tail = 0;
  slot->window.before = clean ? fastio__first_before(run) : byte_at(&s, p - 1);
  slot->window.last = s.at_end && q == s.high;
  return pad_window(run, slot, &s, err);
}
