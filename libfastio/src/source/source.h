/* source: where bytes come from. Three kinds are enough for every reader: memory is looked at in place, files are read
 * at any position by any thread, streams are read once from front to back by the calling thread. */
#ifndef FASTIO__SOURCE_H
#define FASTIO__SOURCE_H

#include "../platform/platform.h"

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
};

/* The source's size now: the limit of a whole-source read, which sees a file as long as it was when the read began. */
FASTIO__HIDDEN fastio_status fastio__source_limit(fastio_source *source, uint64_t *limit, fastio_error *err);
/* Looks at the first bytes of memory or a file, or the next ones of a stream, without taking them: at least `wanted` of
 * them unless the end comes first, and whatever else is at hand. They stay until the next read or peek. */
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
