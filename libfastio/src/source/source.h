/* source: where bytes come from. Three kinds are enough for every reader: memory is looked at in place, files are read
 * at any position by any thread, streams are read once from front to back by the calling thread. */
#ifndef FASTIO__SOURCE_H
#define FASTIO__SOURCE_H

#include "../codec/codec.h"
#include "../platform/platform.h"
#include "../text/text.h"

typedef enum fastio__source_kind { FASTIO__MEMORY, FASTIO__FILE, FASTIO__STREAM } fastio__source_kind;

struct fastio_source {
  fastio__source_kind kind;
  const fastio_env *env;
  uint64_t position; /* of the next byte that a sequential read gives; offsets count from where the source began */
  /* memory */
  const uint8_t *data;
  size_t size;
  const fastio_map *map; /* or NULL */
  /* files, and streams over a descriptor */
  int fd;
  bool owns_fd;
  uint64_t base; /* the descriptor's position that is offset 0 */
  /* streams */
  fastio_device device;
  FILE *stdio;
  /* streams and files: the first bytes, looked at ahead of reading */
  uint8_t *head;
  size_t head_size, head_capacity, head_taken;
  struct fastio__ahead *ahead; /* ahead.c; NULL: nothing is or was read ahead */
  fastio_error failure;        /* of a stream, met while looking ahead; status FASTIO_OK: none */
  struct fastio__decoding
      *decoding; /* decode.c: what was asked for, and the stages once it has begun; NULL: nothing yet */
};

/* ---- decode.c ---- */
/* What a reader takes the source for: with AS_BYTES, "auto" of the encoding is none. */
typedef enum fastio__view { FASTIO__AS_TEXT, FASTIO__AS_BYTES } fastio__view;
/* Every reader calls this before it touches the source; only the first call does something. From here on the source
 * gives decompressed, decoded bytes; its kind may become FASTIO__STREAM. `threads` as in fastio_read_options, for the
 * decompression. */
FASTIO__HIDDEN fastio_status fastio__source_begin(fastio_source *source, fastio__view view, unsigned threads,
                                                  fastio_error *err);
/* The same for fastio_copy: only what fastio_source_decode has asked for. */
FASTIO__HIDDEN fastio_status fastio__source_begin_copy(fastio_source *source, fastio_error *err);
FASTIO__HIDDEN void fastio__decoding_free(fastio_source *source);
FASTIO__HIDDEN bool fastio__source_is_encoded(const fastio_source *source); /* characters are decoded */
/* How many bytes the text that was decoded at `offset` (of the decoded text) took before that; `size` if nothing is
 * decoded. With offset and size 0: the bytes of the BOM that was dropped, which no other call counts. Not while another
 * thread reads the source. */
FASTIO__HIDDEN uint64_t fastio__source_undecoded(const fastio_source *source, uint64_t offset, const uint8_t *text,
                                                 size_t size);

/* The source whose bytes the stages decode; without any, the source itself. */
FASTIO__HIDDEN fastio_source *fastio__source_bottom(fastio_source *source);

/* ---- ahead.c: between these two, a thread reads a slow descriptor (a pipe, a socket) ahead of the calling one, below
 * all stages. Does nothing for other sources. What it has read and nobody has taken stays with the source. ---- */
FASTIO__HIDDEN void fastio__source_ahead_start(fastio_source *source);
FASTIO__HIDDEN void fastio__source_ahead_stop(fastio_source *source);
/* After stop: whether the descriptor itself is further on than the source. */
FASTIO__HIDDEN bool fastio__source_has_ahead(const fastio_source *source);
/* As fastio__file_read: what was read ahead, then the end or failure that followed it, then what the descriptor has. */
FASTIO__HIDDEN int fastio__ahead_read(struct fastio__ahead *ahead, void *data, size_t size, size_t *got);
FASTIO__HIDDEN void fastio__ahead_free(struct fastio__ahead *ahead); /* NULL is allowed */

/* The source's size now: the limit of a whole-source read, which sees a file as long as it was when the read began. */
FASTIO__HIDDEN fastio_status fastio__source_limit(fastio_source *source, uint64_t *limit, fastio_error *err);
/* Looks at the first bytes of memory or a file, or the next ones of a stream, without taking them: at least `wanted` of
 * them unless the end comes first, and whatever else is at hand. They stay until the next read or peek. A failure sets
 * *data and *got, too: what came before it; the read that comes to it tells it again. */
FASTIO__HIDDEN fastio_status fastio__source_peek(fastio_source *source, size_t wanted, const uint8_t **data,
                                                 size_t *got, fastio_error *err);
/* The next bytes, at most `size`; *got = 0 at the end. */
FASTIO__HIDDEN fastio_status fastio__source_read(fastio_source *source, void *data, size_t size, size_t *got,
                                                 fastio_error *err);
/* Memory and files: fills `data` from `offset` on, all of `size` unless the end comes first. Any thread. */
FASTIO__HIDDEN fastio_status fastio__source_pread(fastio_source *source, uint64_t offset, void *data, size_t size,
                                                  size_t *got, fastio_error *err);
/* Memory and files: the place of the next sequential read. Streams can only go forward, by reading. */
FASTIO__HIDDEN fastio_status fastio__source_seek(fastio_source *source, uint64_t position, fastio_error *err);
/* FASTIO_OK unless the map under the source has lost a page. */
FASTIO__HIDDEN fastio_status fastio__source_check(const fastio_source *source, fastio_error *err);

#endif
