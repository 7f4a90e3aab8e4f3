/* What the pipeline's three files share: the run (blocks.c), and how a slot gets its window (fetch.c, stream.c). */
#ifndef FASTIO__BLOCKS_INTERNAL_H
#define FASTIO__BLOCKS_INTERNAL_H

#include "blocks.h"

/* One window and the buffer behind it. */
typedef struct fastio__slot {
  fastio__window window;
  uint64_t sequence; /* number of the block */
  bool has_window;   /* false: no item starts in the block */
  fastio_status status;
  fastio_error error; /* of fetching */
  uint8_t *buffer;    /* FASTIO__PAD + capacity + FASTIO__PAD bytes */
  size_t capacity;
  size_t filled; /* streams: bytes of the window, whatever the consumer made of it */
  enum { FASTIO__FREE, FASTIO__READY, FASTIO__TAKEN } state; /* streams: whose turn the slot is */
} fastio__slot;

typedef struct fastio__run {
  fastio_source *source;
  const fastio_read_options *options;
  const fastio__consumer *consumer;
  uint64_t start, end; /* first bytes of items lie in [start, end) */
  uint64_t limit;      /* where the source ends; FASTIO_NO_OFFSET for streams */
  bool clean_start;    /* an item may start at `start` whatever the byte before it is */
  size_t block_size;
  bool parallel;
  bool encoded; /* what the source gives was decoded from another encoding */
  fastio__stream *stream, own_stream;
  fastio__mutex reading; /* over an encoded source: nobody asks it for places while it is read */

  fastio__mutex mutex; /* over all that follows */
  fastio__condition changed;
  uint64_t next;           /* block to fetch */
  uint64_t turn;           /* block to take its slots of the result */
  uint64_t structure_turn; /* block to pass the structure's state on */
  unsigned state;          /* of the structure, before that block */
  fastio__counts total;
  unsigned filling; /* threads that write into the result */
  uint64_t bytes_done;
  uint64_t taken; /* the last block whose window was taken, whole or in part, plus one */
  bool stop;      /* max_items is reached: what follows is not looked at */
  bool all_fetched;
  uint64_t failed_sequence;
  fastio_error failure; /* status FASTIO_OK: none */
  fastio__slot *slots;
  size_t slot_count;
} fastio__run;

FASTIO__INLINE bool fastio__is_cut(const fastio__cut *cut, uint8_t before, uint8_t after) {
  return cut->behind[before] && !(cut->crlf && before == '\r' && after == '\n');
}
/* What stands for the byte before the first item. */
FASTIO__INLINE uint8_t fastio__first_before(const fastio__run *run) {
  return run->consumer->cut.single >= 0 ? (uint8_t)run->consumer->cut.single : '\n';
}
FASTIO__HIDDEN fastio_status fastio__slot_reserve(fastio__run *run, fastio__slot *slot, size_t keep, size_t capacity,
                                                  fastio_error *err);
/* Memory and files: where the items start, and the window of one block. */
FASTIO__HIDDEN fastio_status fastio__files_start(fastio__run *run, fastio_error *err);
FASTIO__HIDDEN fastio_status fastio__files_fetch(fastio__run *run, fastio__slot *slot, fastio_error *err);
/* How many bytes that text took before it was decoded. */
FASTIO__HIDDEN uint64_t fastio__run_undecoded(fastio__run *run, uint64_t offset, const uint8_t *text, size_t size);
/* Streams: the same, in order and on the calling thread only. */
FASTIO__HIDDEN fastio_status fastio__stream_start(fastio__run *run, fastio_error *err);
/* How many bytes there are; FASTIO_NO_OFFSET: more than a few. */
FASTIO__HIDDEN uint64_t fastio__stream_look_ahead(fastio__run *run);
FASTIO__HIDDEN fastio_status fastio__stream_fetch(fastio__run *run, fastio__slot *slot, fastio_error *err);
/* Puts what was fetched and not taken back into the carry, for the next run. */
FASTIO__HIDDEN fastio_status fastio__stream_put_back(fastio__run *run, fastio_error *err);

#endif
