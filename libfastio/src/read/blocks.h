/* The one block pipeline of every whole-source reader.
 *
 * The source is tiled into blocks. Each block becomes a window that holds exactly the items (tokens, fields, lines)
 * whose first byte lies in the block. Any thread measures a window while it is in cache; in the order of the source the
 * windows take their slots in the result (the prefix sum); then any thread fills its slots. Serially, measuring is
 * skipped: an upper bound will do.
 */
#ifndef FASTIO__BLOCKS_H
#define FASTIO__BLOCKS_H

#include "../column/column.h"
#include "../simd/simd.h"
#include "../source/source.h"

/* Where a window may be cut: behind these bytes. */
typedef struct fastio__cut {
  bool behind[256];
  int single; /* the only such byte, or -1 */
  bool crlf;  /* not between '\r' and '\n' */
} fastio__cut;

FASTIO__HIDDEN void fastio__cut_init(fastio__cut *cut, const char *bytes, size_t count, bool crlf);

/* Where a window may be cut if that depends on all that came before, as with quotes: a state goes from block to block,
 * in order. State 0 is at the start of an item. */
typedef struct fastio__structure {
  /* Any thread, ahead of its turn: what `advance` will want to know of the bytes. */
  unsigned (*survey)(const void *ctx, const uint8_t *data, size_t size);
  /* In order: the state behind the bytes. */
  unsigned (*advance)(const void *ctx, unsigned state, const uint8_t *data, size_t size, unsigned surveyed);
  /* The first start of an item from data[0] on, `size` if there is none before it; *state goes along. */
  size_t (*first_start)(const void *ctx, unsigned *state, const uint8_t *data, size_t size);
  /* The last start of an item in (0, size], 0 if there is none; `state` before and `behind` the bytes. */
  size_t (*last_start)(const void *ctx, unsigned state, unsigned behind, const uint8_t *data, size_t size);
  /* Whether the source must not end in this state. */
  bool (*is_open)(unsigned state);
} fastio__structure;

typedef struct fastio__window {
  const uint8_t *data;
  size_t size;
  uint64_t offset; /* of data[0] in the source */
  uint8_t before;  /* the byte before it; where items start, a byte that an item may start behind */
  bool last;       /* ends where the source ends */
  size_t tail;     /* bytes behind it that the consumer has left out of it: an item that the end cuts short */
  /* Streams, which can't be read again, count lines as they go: */
  uint64_t newlines;   /* before data[0] */
  uint64_t line_start; /* offset of the line that data[0] is in */
  /* Of text that was decoded from another encoding: */
  uint64_t raw;            /* the place of data[0] before that */
  struct fastio__run *run; /* NULL: it was not */
  void *scratch;           /* the consumer's, one for each window that is under way; NULL at first */
} fastio__window;

typedef struct fastio__counts {
  uint64_t items, bytes;
} fastio__counts;

/* A stream between two runs: what was read of it and not taken. Zero at first; release it with fastio__stream_free. */
typedef struct fastio__stream {
  uint8_t *carry;
  size_t size, capacity;
  uint64_t offset; /* of carry[0] */
  uint64_t newlines, line_start;
  uint64_t raw; /* of an encoded source: the place of carry[0] before decoding */
  uint8_t before;
  bool started, at_end, finished;
  fastio_error failure; /* of reading, to be told behind all that came before it; status FASTIO_OK: none */
  /* With a structure: how much of the carry was scanned, the state there, and the last start of an item found. */
  size_t scanned, start;
  unsigned state;
} fastio__stream;
FASTIO__HIDDEN void fastio__stream_free(fastio__stream *stream, const fastio_env *env);

/* fastio_read_options.flags, besides the public ones: options.offset is the start of an item. */
#define FASTIO__AT_ITEM 0x40000000u

/* The text of a stream, for another pass over it. */
typedef struct fastio__kept {
  fastio__region region;
  size_t size;
  uint64_t offset, newlines; /* before its first byte */
  uint64_t raw;              /* its place before decoding */
} fastio__kept;

typedef struct fastio__consumer {
  void *ctx;
  fastio__cut cut;
  const fastio__structure *structure; /* in place of the cut; NULL: none */
  const void *structure_ctx;
  uint64_t origin;        /* where items begin: the structure's state is 0 there */
  fastio__stream *stream; /* goes on where the last run over the stream stopped; NULL: a run of its own */
  fastio__kept *kept;     /* not NULL: a stream's windows are appended here */
  bool exact;             /* measuring is always exact */
  bool text;              /* a UTF-8 BOM is skipped, another BOM is an error */
  bool uncut;             /* windows are the blocks themselves, whatever items cross their borders: memory stays flat */
  bool padded;            /* windows need FASTIO__PAD readable bytes on both sides */
  /* Any thread: what the window holds; exactly, or (exact = false) an upper bound that costs nothing. */
  fastio__counts (*measure)(void *ctx, fastio__window *window, bool exact);
  /* Whether making that much room would move what is filled: then nobody may be filling. NULL: never. */
  bool (*moves)(void *ctx, const fastio__window *window, fastio__counts total);
  /* In order, one at a time: makes room for that much in total, of which `counts` are the window's, and may cut the
   * window's size. NULL: no room is needed, and fill is not called. */
  fastio_status (*ensure)(void *ctx, fastio__window *window, fastio__counts counts, fastio__counts total,
                          fastio_error *err);
  /* Any thread: fills the slots from `base` on, at most *counts, and sets *counts to what it filled. An error has its
   * offset, and *counts then does not matter. */
  fastio_status (*fill)(void *ctx, const fastio__window *window, fastio__counts base, fastio__counts *counts,
                        fastio_error *err);
  void (*free_scratch)(void *ctx, void *scratch); /* NULL: windows have none */
} fastio__consumer;

/* Runs the source, or the range of the options, through the consumer. *total: all that was filled; *end (may be NULL):
 * the offset behind it. The error is the first one in the order of the source, with line and column. */
FASTIO__HIDDEN fastio_status fastio__blocks_run(fastio_source *source, const fastio_read_options *options,
                                                const fastio__consumer *consumer, fastio__counts *total, uint64_t *end,
                                                fastio_error *err);

/* options.c: the defaults overlaid with what the caller's struct (of whatever age) holds, checked. */
FASTIO__HIDDEN fastio_status fastio__read_options_get(const fastio_read_options *given, fastio_read_options *out,
                                                      fastio_error *err);

/* locate.c: fills in line and column of an error whose offset is known, by reading the source from its start. */
FASTIO__HIDDEN void fastio__locate(fastio_source *source, fastio_error *err);
/* The same from what a stream's window knows. The offset becomes that before decoding. */
FASTIO__HIDDEN void fastio__locate_in_window(const fastio__window *window, fastio_error *err);
/* The same of what a stage of the source says of what comes behind all that it has given; of which the last `size` bytes
 * are these, at `offset`, on line newlines + 1, which starts at line_start. */
FASTIO__HIDDEN void fastio__locate_behind(const uint8_t *data, size_t size, uint64_t offset, uint64_t newlines,
                                          uint64_t line_start, fastio_error *err);
/* Where the byte at `offset` was before decoding. */
FASTIO__HIDDEN uint64_t fastio__window_place(const fastio__window *window, uint64_t offset);

/* options.c: whether a range can be read of the source, which has begun. */
FASTIO__HIDDEN fastio_status fastio__check_range(const fastio_source *source, uint64_t offset, uint64_t length,
                                                 fastio_error *err);
/* The end of the source cuts an item short that begins at `start`; what is there of it is shown. */
FASTIO__HIDDEN fastio_status fastio__cut_short(uint64_t offset, const uint8_t *start, const uint8_t *end,
                                               fastio_error *err);

/* locate.c: a byte order mark at the start of a text. `size` is 0 to 4 bytes of it; *skip is how many to skip (0 or 3).
 */
FASTIO__HIDDEN fastio_status fastio__check_bom(const uint8_t *data, size_t size, size_t *skip, fastio_error *err);

#endif
