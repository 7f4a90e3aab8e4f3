/* Windows of streams: read once, in order, on the calling thread. What follows the last cut is carried over. */
#include "blocks_internal.h"

/* Reads once more into the carry. */
static fastio_status read_more(fastio__run *run, size_t room, fastio_error *err) {
  fastio__stream *stream = &run->stream;
  fastio_status status;
  size_t needed, got;
  if (!fastio__add(stream->size, room, &needed)) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  if (needed > stream->capacity) {
    size_t capacity = fastio__grown(stream->capacity, needed);
    uint8_t *carry = capacity ? fastio__reallocate(run->options->env, stream->carry, stream->capacity, capacity) : NULL;
    if (!carry) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
    stream->carry = carry;
    stream->capacity = capacity;
  }
  status = fastio__source_read(run->source, stream->carry + stream->size, room, &got, err);
  if (status != FASTIO_OK) return status;
  stream->size += got;
  stream->at_end = got == 0;
  return FASTIO_OK;
}

/* Takes the first `size` bytes off the carry. */
static void drop(fastio__stream *stream, size_t size) {
  size_t i = size;
  if (size == 0) return; /* there may be no carry yet */
  stream->newlines += fastio__simd()->count_byte(stream->carry, size, '\n');
  while (i > 0 && stream->carry[i - 1] != '\n') i--;
  if (i > 0) stream->line_start = stream->offset + i;
  stream->before = stream->carry[size - 1];
  stream->offset += size;
  stream->size -= size;
  memmove(stream->carry, stream->carry + size, stream->size);
}

enum { START_READ = 16384 };

static fastio_status drop_bom(fastio__run *run, fastio_error *err) {
  fastio__stream *stream = &run->stream;
  fastio_status status = FASTIO_OK;
  size_t skip;
  while (status == FASTIO_OK && stream->size < 4 && !stream->at_end) status = read_more(run, START_READ, err);
  if (status == FASTIO_OK) status = fastio__check_bom(stream->carry, stream->size < 4 ? stream->size : 4, &skip, err);
  if (status != FASTIO_OK) return status;
  drop(stream, skip);
  return FASTIO_OK;
}

static fastio_status drop_lines(fastio__run *run, uint64_t lines, fastio_error *err) {
  fastio__stream *stream = &run->stream;
  while (lines > 0) {
    const uint8_t *newline = stream->size ? memchr(stream->carry, '\n', stream->size) : NULL;
    drop(stream, newline ? (size_t)(newline + 1 - stream->carry) : stream->size);
    if (newline) lines--;
    else if (stream->at_end) return FASTIO_OK;
    else {
      fastio_status status = read_more(run, START_READ, err);
      if (status != FASTIO_OK) return status;
    }
  }
  return FASTIO_OK;
}

/* Up to `offset`, and from there to the first cut. */
static fastio_status drop_before(fastio__run *run, uint64_t offset, fastio_error *err) {
  fastio__stream *stream = &run->stream;
  for (;;) {
    size_t i = 0;
    if (stream->offset < offset) {
      i = offset - stream->offset < stream->size ? (size_t)(offset - stream->offset) : stream->size;
    } else if (stream->size > 0) {
      if (run->consumer->uncut || fastio__is_cut(&run->consumer->cut, stream->before, stream->carry[0]))
        return FASTIO_OK;
      i = 1;
      while (i < stream->size && !fastio__is_cut(&run->consumer->cut, stream->carry[i - 1], stream->carry[i])) i++;
    }
    drop(stream, i);
    if (stream->size > 0) continue;
    if (stream->at_end) return FASTIO_OK;
    fastio_status status = read_more(run, START_READ, err);
    if (status != FASTIO_OK) return status;
  }
}

fastio_status fastio__stream_start(fastio__run *run, fastio_error *err) {
  const fastio_read_options *options = run->options;
  fastio__stream *stream = &run->stream;
  fastio_status status = FASTIO_OK;
  uint64_t clean;
  run->limit = FASTIO_NO_OFFSET;
  run->end = options->length > FASTIO_NO_OFFSET - options->offset ? FASTIO_NO_OFFSET
                                                                  : options->offset + options->length;
  if (run->consumer->text) status = drop_bom(run, err);
  if (status == FASTIO_OK) status = drop_lines(run, options->skip_lines, err);
  clean = stream->offset;
  stream->before = fastio__first_before(run);
  if (status == FASTIO_OK && options->offset > clean) status = drop_before(run, options->offset, err);
  stream->finished = stream->at_end && stream->size == 0; /* and no field has begun */
  return status;
}

/* Small streams are not worth threads: reads as much as it takes to know. */
fastio_status fastio__stream_look_ahead(fastio__run *run, uint64_t *bytes, fastio_error *err) {
  while (run->stream.size < FASTIO__SERIAL_BELOW && !run->stream.at_end) {
    fastio_status status = read_more(run, FASTIO__SERIAL_BELOW - run->stream.size, err);
    if (status != FASTIO_OK) return status;
  }
  *bytes = run->stream.at_end ? run->stream.size : FASTIO_NO_OFFSET;
  return FASTIO_OK;
}

/* The last cut in the carry, 0 if there is none. What a carriage return at the very end means is not known yet. */
static size_t last_cut(const fastio__run *run) {
  const fastio__cut *cut = &run->consumer->cut;
  const fastio__stream *stream = &run->stream;
  size_t i = stream->size;
  if (i > 0 && cut->crlf && stream->carry[i - 1] == '\r') i--;
  while (i > 0 && !fastio__is_cut(cut, stream->carry[i - 1], i < stream->size ? stream->carry[i] : 0)) i--;
  return i;
}

/* Where the range ends: the first cut at or behind run->end; false if it is not in the carry yet. */
static bool range_end(const fastio__run *run, size_t *found) {
  const fastio__stream *stream = &run->stream;
  size_t i;
  if (run->end - stream->offset > stream->size) return false;
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

/* Copies a window from the carry into the slot and keeps the bytes behind the window. */
static fastio_status hand_over(fastio__run *run, fastio__slot *slot, size_t size, fastio_error *err) {
  fastio__stream *stream = &run->stream;
  fastio_status status = fastio__slot_reserve(run, slot, 0, size, err);
  if (status != FASTIO_OK) return status;
  if (size) memcpy(slot->buffer + FASTIO__PAD, stream->carry, size);
  memset(slot->buffer + FASTIO__PAD + size, '\n', FASTIO__PAD);
  slot->has_window = true;
  slot->window.data = slot->buffer + FASTIO__PAD;
  slot->window.size = size;
  slot->window.offset = stream->offset;
  slot->window.before = stream->before;
  slot->window.newlines = stream->newlines;
  slot->window.line_start = stream->line_start;
  slot->window.last = stream->at_end && size == stream->size;
  drop(stream, size);
  return FASTIO_OK;
}

/* How much of the carry is a window; 0: more must be read first. */
static size_t window_size(fastio__run *run) {
  fastio__stream *stream = &run->stream;
  uint64_t wanted = run->end - stream->offset; /* of bytes in which items start */
  size_t size = 0;
  if (run->end != FASTIO_NO_OFFSET && wanted <= stream->size) {
    stream->finished = run->consumer->uncut || range_end(run, &size);
    return run->consumer->uncut ? (size_t)wanted : stream->finished ? size : 0;
  }
  stream->finished = stream->at_end;
  return stream->at_end || run->consumer->uncut ? stream->size : last_cut(run);
}

/* Items can be as long as the stream: whoever waits for their ends can still call it off. */
static fastio_status poll_caller(const fastio__run *run, fastio_error *err) {
  const fastio_read_options *options = run->options;
  uint64_t done = run->stream.offset + run->stream.size;
  if (!options->poll || !options->poll(options->poll_ctx, done, FASTIO_NO_OFFSET)) return FASTIO_OK;
  return fastio__fail(err, FASTIO_CANCELLED, NULL);
}

fastio_status fastio__stream_fetch(fastio__run *run, fastio__slot *slot, fastio_error *err) {
  fastio__stream *stream = &run->stream;
  size_t target = run->block_size;
  slot->has_window = false;
  stream->finished |= run->end <= stream->offset;
  while (!stream->finished) {
    fastio_status status = FASTIO_OK;
    size_t size;
    while (status == FASTIO_OK && stream->size < target && !stream->at_end)
      status = read_more(run, target - stream->size, err);
    if (status != FASTIO_OK) return status;
    size = window_size(run);
    if (size > 0 || stream->finished) return hand_over(run, slot, size, err);
    status = poll_caller(run, err);
    if (status != FASTIO_OK) return status;
    target = fastio__grown(target, stream->size + run->block_size);
    if (!target) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  }
  return FASTIO_OK;
}
