/* Windows of streams: read once, in order, on the calling thread. What follows the last cut is carried over. */
#include "../platform/threads.h"
#include "blocks_internal.h"

/* The carry has the bytes around it that a window needs: the two change places. */
static uint8_t *new_carry(const fastio_env *env, size_t capacity) {
  size_t size;
  uint8_t *block = fastio__add(capacity, 2 * FASTIO__PAD, &size) ? fastio__allocate(env, size) : NULL;
  if (!block) return NULL;
  memset(block, '\n', FASTIO__PAD);
  return block + FASTIO__PAD;
}

static void free_carry(const fastio_env *env, fastio__stream *stream) {
  if (stream->carry) fastio__release(env, stream->carry - FASTIO__PAD, stream->capacity + 2 * FASTIO__PAD);
}

void fastio__stream_free(fastio__stream *stream, const fastio_env *env) {
  free_carry(env, stream);
  memset(stream, 0, sizeof *stream);
}

static fastio_status tell_failure(fastio__stream *stream, fastio_error *err) {
  fastio_status status = stream->failure.status;
  if (err) *err = stream->failure;
  fastio_error_init(&stream->failure);
  return status;
}

/* Reads once more into the carry. */
static fastio_status read_more(fastio__run *run, size_t room, fastio_error *err) {
  fastio__stream *stream = run->stream;
  fastio_status status;
  size_t needed, got;
  if (stream->failure.status != FASTIO_OK) return tell_failure(stream, err);
  if (!fastio__add(stream->size, room, &needed)) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  if (needed > stream->capacity) {
    size_t capacity = fastio__grown(stream->capacity, needed);
    uint8_t *carry = capacity ? new_carry(run->options->env, capacity) : NULL;
    if (!carry) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
    if (stream->size) memcpy(carry, stream->carry, stream->size);
    free_carry(run->options->env, stream);
    stream->carry = carry;
    stream->capacity = capacity;
  }
  if (run->encoded) fastio__mutex_lock(&run->reading);
  status = fastio__source_read(run->source, stream->carry + stream->size, room, &got, err);
  if (run->encoded) fastio__mutex_unlock(&run->reading);
  if (status != FASTIO_OK) {
    fastio__locate_behind(stream->carry, stream->size, stream->offset, stream->newlines, stream->line_start, err);
    return status;
  }
  stream->size += got;
  stream->at_end = got == 0;
  return FASTIO_OK;
}

/* Goes on past `size` bytes at `offset`. */
static void count_lines(fastio__stream *stream, const uint8_t *data, size_t size, uint64_t offset) {
  size_t i = size;
  stream->newlines += fastio__simd()->count_byte(data, size, '\n');
  while (i > 0 && data[i - 1] != '\n') i--;
  if (i > 0) stream->line_start = offset + i;
}

/* Goes on behind the first `size` bytes of the carry, which are these, without moving what follows. */
static void pass(fastio__run *run, const uint8_t *data, size_t size) {
  fastio__stream *stream = run->stream;
  if (size == 0) return; /* there may be no carry yet */
  count_lines(stream, data, size, stream->offset);
  if (run->encoded) stream->raw += fastio__run_undecoded(run, stream->offset, data, size);
  stream->before = data[size - 1];
  stream->offset += size;
  stream->size -= size;
  stream->scanned = stream->scanned > size ? stream->scanned - size : 0;
  stream->start = stream->start > size ? stream->start - size : 0;
}

static void drop(fastio__run *run, size_t size) {
  pass(run, run->stream->carry, size);
  if (size > 0) memmove(run->stream->carry, run->stream->carry + size, run->stream->size);
}

/* Takes the structure's state along through the first `size` bytes of the carry. */
static void advance(fastio__run *run, size_t size) {
  const fastio__structure *structure = run->consumer->structure;
  fastio__stream *stream = run->stream;
  const uint8_t *data = stream->carry + stream->scanned;
  size_t more = size - stream->scanned;
  if (!structure || size <= stream->scanned) return;
  stream->state = structure->advance(run->consumer->structure_ctx, stream->state, data, more,
                                     structure->survey(run->consumer->structure_ctx, data, more));
  stream->scanned = size;
}

enum { START_READ = 16384 };

static fastio_status drop_bom(fastio__run *run, fastio_error *err) {
  fastio__stream *stream = run->stream;
  fastio_status status = FASTIO_OK;
  size_t skip;
  while (status == FASTIO_OK && stream->size < 4 && !stream->at_end) status = read_more(run, START_READ, err);
  if (status == FASTIO_OK) status = fastio__check_bom(stream->carry, stream->size < 4 ? stream->size : 4, &skip, err);
  if (status != FASTIO_OK) return status;
  drop(run, skip);
  return FASTIO_OK;
}

/* How many bytes a BOM took is known as soon as something has been decoded. */
static fastio_status find_first_place(fastio__run *run, fastio_error *err) {
  fastio__stream *stream = run->stream;
  fastio_status status = stream->size == 0 && !stream->at_end ? read_more(run, START_READ, err) : FASTIO_OK;
  stream->raw = fastio__source_undecoded(run->source, 0, NULL, 0);
  return status;
}

static fastio_status drop_lines(fastio__run *run, uint64_t lines, fastio_error *err) {
  fastio__stream *stream = run->stream;
  while (lines > 0) {
    const uint8_t *newline = stream->size ? memchr(stream->carry, '\n', stream->size) : NULL;
    drop(run, newline ? (size_t)(newline + 1 - stream->carry) : stream->size);
    if (newline) lines--;
    else if (stream->at_end) return FASTIO_OK;
    else {
      fastio_status status = read_more(run, START_READ, err);
      if (status != FASTIO_OK) return status;
    }
  }
  return FASTIO_OK;
}

/* Up to `offset`, whatever is there. */
static fastio_status drop_bytes(fastio__run *run, uint64_t offset, fastio_error *err) {
  fastio__stream *stream = run->stream;
  while (stream->offset < offset) {
    uint64_t left = offset - stream->offset;
    fastio_status status = FASTIO_OK;
    drop(run, left < stream->size ? (size_t)left : stream->size);
    if (stream->offset < offset) status = stream->at_end ? FASTIO_END : read_more(run, START_READ, err);
    if (status != FASTIO_OK) return status == FASTIO_END ? FASTIO_OK : status;
  }
  return FASTIO_OK;
}

/* Up to `offset`, and from there to the first cut. */
static fastio_status drop_before(fastio__run *run, uint64_t offset, fastio_error *err) {
  const fastio__structure *structure = run->consumer->structure;
  fastio__stream *stream = run->stream;
  for (;;) {
    size_t i = 0;
    if (stream->offset < offset) {
      i = offset - stream->offset < stream->size ? (size_t)(offset - stream->offset) : stream->size;
      advance(run, i);
    } else if (structure && stream->size > 0) {
      i = structure->first_start(run->consumer->structure_ctx, &stream->state, stream->carry, stream->size);
      stream->scanned = i;
      if (i < stream->size) {
        drop(run, i);
        stream->state = 0;
        return FASTIO_OK;
      }
    } else if (stream->size > 0) {
      if (run->consumer->uncut || fastio__is_cut(&run->consumer->cut, stream->before, stream->carry[0]))
        return FASTIO_OK;
      i = 1;
      while (i < stream->size && !fastio__is_cut(&run->consumer->cut, stream->carry[i - 1], stream->carry[i])) i++;
    }
    drop(run, i);
    if (stream->size > 0) continue;
    if (stream->at_end) return FASTIO_OK;
    fastio_status status = read_more(run, START_READ, err);
    if (status != FASTIO_OK) return status;
  }
}

fastio_status fastio__stream_start(fastio__run *run, fastio_error *err) {
  const fastio_read_options *options = run->options;
  fastio__stream *stream = run->stream;
  fastio_status status = FASTIO_OK;
  uint64_t clean;
  run->limit = FASTIO_NO_OFFSET;
  run->end = options->length > FASTIO_NO_OFFSET - options->offset ? FASTIO_NO_OFFSET
                                                                  : options->offset + options->length;
  stream->finished = false;
  if (options->partial == FASTIO_PARTIAL_HOLD) stream->at_end = false; /* it may have grown */
  if (stream->started) {                                               /* goes on at the start of an item */
    if (options->offset > stream->offset)
      status = options->flags & FASTIO__AT_ITEM ? drop_bytes(run, options->offset, err)
                                                : drop_before(run, options->offset, err);
    stream->finished = stream->at_end && stream->size == 0;
    run->start = stream->offset;
    return status;
  }
  if (run->encoded) status = find_first_place(run, err);
  if (status == FASTIO_OK && run->consumer->text) status = drop_bom(run, err);
  if (status == FASTIO_OK) status = drop_lines(run, options->skip_lines, err);
  if (status == FASTIO_OK) status = drop_bytes(run, run->consumer->origin, err);
  if (status == FASTIO_OK && options->flags & FASTIO__AT_ITEM) status = drop_bytes(run, options->offset, err);
  stream->scanned = 0;
  stream->state = 0;
  clean = stream->offset;
  stream->before = fastio__first_before(run);
  if (status == FASTIO_OK && options->offset > clean) status = drop_before(run, options->offset, err);
  stream->finished = stream->at_end && stream->size == 0; /* and no field has begun */
  stream->started = true;
  run->start = stream->offset;
  return status;
}

/* Small streams are not worth threads: reads as much as it takes to know. */
uint64_t fastio__stream_look_ahead(fastio__run *run) {
  fastio__stream *stream = run->stream;
  fastio_error failure;
  fastio_status status = FASTIO_OK;
  fastio_error_init(&failure);
  while (status == FASTIO_OK && stream->size < FASTIO__SERIAL_BELOW && !stream->at_end)
    status = read_more(run, FASTIO__SERIAL_BELOW - stream->size, &failure);
  if (status != FASTIO_OK) stream->failure = failure; /* for the fetch that comes to it */
  return stream->at_end || status != FASTIO_OK ? stream->size : FASTIO_NO_OFFSET;
}

/* With a structure: the last start of an item in the carry, 0 if there is none. */
static size_t last_start(fastio__run *run) {
  const fastio__structure *structure = run->consumer->structure;
  fastio__stream *stream = run->stream;
  size_t from = stream->scanned, found;
  unsigned before = stream->state;
  advance(run, stream->size);
  found = structure->last_start(run->consumer->structure_ctx, before, stream->state, stream->carry + from,
                                stream->size - from);
  if (found > 0) stream->start = from + found;
  return stream->start;
}

/* With a structure: the first start of an item at or behind run->end, which is in the carry; whose start is one. */
static bool structured_range_end(const fastio__run *run, size_t *found) {
  const fastio__structure *structure = run->consumer->structure;
  const fastio__stream *stream = run->stream;
  const void *ctx = run->consumer->structure_ctx;
  size_t at = (size_t)(run->end - stream->offset);
  unsigned state = structure->advance(ctx, 0, stream->carry, at, structure->survey(ctx, stream->carry, at));
  *found = at + structure->first_start(ctx, &state, stream->carry + at, stream->size - at);
  return *found < stream->size || stream->at_end;
}

/* The last cut in the carry, 0 if there is none. What a carriage return at the very end means is not known yet. */
static size_t last_cut(const fastio__run *run) {
  const fastio__cut *cut = &run->consumer->cut;
  const fastio__stream *stream = run->stream;
  size_t i = stream->size;
  if (i > 0 && cut->crlf && stream->carry[i - 1] == '\r') i--;
  while (i > 0 && !fastio__is_cut(cut, stream->carry[i - 1], i < stream->size ? stream->carry[i] : 0)) i--;
  return i;
}

/* Where the range ends: the first cut at or behind run->end; false if it is not in the carry yet. */
static bool range_end(const fastio__run *run, size_t *found) {
  const fastio__stream *stream = run->stream;
  size_t i;
  if (run->end - stream->offset > stream->size) return false;
  if (run->consumer->structure) return structured_range_end(run, found);
  for (i = (size_t)(run->end - stream->offset); i < stream->size; i++) {
    uint8_t before = i ? stream->carry[i - 1] : stream->before;
    if (fastio__is_cut(&run->consumer->cut, before, stream->carry[i])) {
      *found = i;
      return true;
    }
  }
  *found = stream->size;
  return stream->at_end;
}

/* Appends the window to the text that is kept for another pass. */
static fastio_status keep(fastio__run *run, const fastio__window *window, fastio_error *err) {
  fastio__kept *kept = run->consumer->kept;
  size_t needed = 0;
  fastio_status status = fastio__add(kept->size, window->size, &needed)
                             ? fastio__region_ensure(&kept->region, needed, err)
                             : fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  if (status != FASTIO_OK) return status;
  if (kept->size == 0) {
    kept->offset = window->offset;
    kept->newlines = window->newlines;
    kept->raw = window->raw;
  }
  if (window->size) memcpy(kept->region.data + kept->size, window->data, window->size);
  kept->size = needed;
  return FASTIO_OK;
}

/* The bytes of a slot that lie behind `from`, and the lines before them. */
static void put_back_window(fastio__run *run, const fastio__slot *slot, uint64_t from, uint8_t *carry) {
  const fastio__window *window = &slot->window;
  uint64_t end = window->offset + slot->filled, start = window->offset > from ? window->offset : from;
  if (!slot->has_window || end <= from) return;
  memcpy(carry + (start - from), slot->buffer + FASTIO__PAD + (start - window->offset), (size_t)(end - start));
  if (window->offset > from) return;
  run->stream->newlines = window->newlines;
  run->stream->line_start = window->line_start;
  count_lines(run->stream, slot->buffer + FASTIO__PAD, (size_t)(from - window->offset), window->offset);
  run->stream->raw = window->raw;
  if (run->encoded)
    run->stream->raw += fastio__run_undecoded(run, window->offset, slot->buffer + FASTIO__PAD,
                                              (size_t)(from - window->offset));
}

/* The carry becomes the slot's buffer; the slot's old one takes what is behind the window, which is little. */
static void exchange(fastio__stream *stream, fastio__slot *slot, size_t size) {
  uint8_t *buffer = slot->buffer;
  size_t capacity = slot->capacity, left = stream->size - size;
  if (left) memcpy(buffer + FASTIO__PAD, stream->carry + size, left);
  slot->buffer = stream->carry - FASTIO__PAD;
  slot->capacity = stream->capacity;
  stream->carry = buffer + FASTIO__PAD;
  stream->capacity = capacity;
  memset(slot->buffer + FASTIO__PAD + size, '\n', FASTIO__PAD);
}

/* Makes the first `size` bytes of the carry the slot's window. */
static fastio_status hand_over(fastio__run *run, fastio__slot *slot, size_t size, fastio_error *err) {
  fastio__stream *stream = run->stream;
  fastio_status status = fastio__slot_reserve(run, slot, 0, stream->size - size, err);
  if (status != FASTIO_OK) return status;
  exchange(stream, slot, size);
  slot->has_window = true;
  slot->window.data = slot->buffer + FASTIO__PAD;
  slot->window.size = slot->filled = size;
  slot->window.offset = stream->offset;
  slot->window.before = stream->before;
  slot->window.newlines = stream->newlines;
  slot->window.line_start = stream->line_start;
  slot->window.raw = stream->raw;
  slot->window.run = run->encoded ? run : NULL;
  slot->window.tail = 0;
  slot->window.last = stream->at_end && size == stream->size;
  pass(run, slot->window.data, size);
  return run->consumer->kept ? keep(run, &slot->window, err) : FASTIO_OK;
}

/* What follows the windows that were taken, from the slots back into the carry. */
fastio_status fastio__stream_put_back(fastio__run *run, fastio_error *err) {
  fastio__stream *stream = run->stream;
  uint64_t from = run->taken ? run->bytes_done : run->start;
  size_t size = (size_t)(stream->offset - from), needed;
  uint8_t *carry;
  if (size == 0) return FASTIO_OK;
  if (!fastio__add(size, stream->size, &needed) || !(carry = new_carry(run->options->env, needed)))
    return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  for (size_t i = 0; i < run->slot_count; i++) put_back_window(run, &run->slots[i], from, carry);
  if (stream->size) memcpy(carry + size, stream->carry, stream->size);
  free_carry(run->options->env, stream);
  stream->carry = carry;
  stream->size = stream->capacity = needed;
  stream->offset = from;
  stream->scanned = stream->start = 0;
  stream->state = 0;
  return FASTIO_OK;
}

/* How much of the carry is a window; 0: more must be read first. */
static size_t window_size(fastio__run *run) {
  fastio__stream *stream = run->stream;
  uint64_t wanted = run->end - stream->offset; /* of bytes in which items start */
  size_t size = 0;
  if (run->end != FASTIO_NO_OFFSET && wanted <= stream->size) {
    stream->finished = run->consumer->uncut || range_end(run, &size);
    return run->consumer->uncut ? (size_t)wanted : stream->finished ? size : 0;
  }
  stream->finished = stream->at_end;
  if (stream->at_end || run->consumer->uncut) return stream->size;
  return run->consumer->structure ? last_start(run) : last_cut(run);
}

/* Items can be as long as the stream: whoever waits for their ends can still call it off. */
static fastio_status poll_caller(const fastio__run *run, fastio_error *err) {
  const fastio_read_options *options = run->options;
  uint64_t done = run->stream->offset + run->stream->size;
  if (!options->poll || !options->poll(options->poll_ctx, done, FASTIO_NO_OFFSET)) return FASTIO_OK;
  return fastio__fail(err, FASTIO_CANCELLED, NULL);
}

fastio_status fastio__stream_fetch(fastio__run *run, fastio__slot *slot, fastio_error *err) {
  fastio__stream *stream = run->stream;
  size_t target = run->block_size;
  fastio_error failure;
  slot->has_window = false;
  stream->finished |= run->end <= stream->offset;
  while (!stream->finished) {
    fastio_status status = FASTIO_OK;
    size_t size;
    while (status == FASTIO_OK && stream->size < target && !stream->at_end)
      status = read_more(run, target - stream->size, &failure);
    size = window_size(run);
    if (status != FASTIO_OK) stream->failure = failure; /* what was read before it comes first */
    if (size > 0 || stream->finished) return hand_over(run, slot, size, err);
    if (status != FASTIO_OK) return tell_failure(stream, err);
    status = poll_caller(run, err);
    if (status != FASTIO_OK) return status;
    target = fastio__grown(target, stream->size + run->block_size);
    if (!target) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  }
  return FASTIO_OK;
}
