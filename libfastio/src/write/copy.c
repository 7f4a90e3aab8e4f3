/* fastio_copy: from a source to a writer, within the system where both have descriptors, else through the writer's
 * buffer. */
#include "../source/source.h"
#include "writer.h"

enum { BLOCK = 256 << 10 };

typedef struct copy {
  fastio_source *source;
  fastio_writer *writer; /* locked */
  uint64_t left;         /* at most so many bytes */
  uint64_t done;
} copy;

static void advance(copy *c, uint64_t size) {
  c->done += size;
  c->left -= size < c->left ? size : c->left;
}

/* ---- through the writer ---- */

/* What is in memory goes from where it is. */
static fastio_status copy_memory(copy *c, fastio_error *err) {
  fastio_source *source = c->source;
  size_t rest = source->size - (size_t)source->position, size = c->left < rest ? (size_t)c->left : rest;
  fastio_status status = fastio_write(c->writer, source->data + source->position, size, err);
  if (status == FASTIO_OK) status = fastio__source_check(source, err);
  if (status != FASTIO_OK) return status;
  source->position += size;
  advance(c, size);
  return FASTIO_OK;
}

/* One read into the writer's buffer; *got = 0 at the end. */
static fastio_status copy_block(copy *c, size_t size, size_t *got, fastio_error *err) {
  char *room = fastio_reserve(c->writer, size, err);
  fastio_status status;
  *got = 0;
  if (!room) return fastio_writer_error(c->writer, err);
  status = fastio__source_read(c->source, room, size, got, err);
  if (status == FASTIO_OK) status = fastio_commit(c->writer, room + *got, err);
  if (status == FASTIO_OK) advance(c, *got);
  return status;
}

static fastio_status copy_blocks(copy *c, fastio_error *err) {
  fastio_status status = FASTIO_OK;
  size_t got = 1;
  while (status == FASTIO_OK && got > 0 && c->left > 0)
    status = copy_block(c, c->left < BLOCK ? (size_t)c->left : BLOCK, &got, err);
  return status;
}

/* ---- within the system ---- */

static bool is_behind(const fastio_source *source) {
  return source->kind == FASTIO__STREAM && (source->head_taken < source->head_size || fastio__source_has_ahead(source));
}

/* Bytes of a stream that somebody has looked at, or read ahead, are no longer in its descriptor. */
static fastio_status copy_head(copy *c, fastio_error *err) {
  fastio_status status = FASTIO_OK;
  size_t got;
  while (status == FASTIO_OK && c->left > 0 && is_behind(c->source))
    status = copy_block(c, c->left < BLOCK ? (size_t)c->left : BLOCK, &got, err);
  return status;
}

static bool has_descriptor(const fastio_source *source) {
  return source->fd >= 0 && !(source->env && source->env->read);
}

static bool may_go(const copy *c, fastio__way way) {
  return c->left > 0 && (way != FASTIO__SHARE_EXTENTS ||
                         (c->source->kind == FASTIO__FILE && c->left >= fastio_source_size(c->source)));
}

/* Each way as far as it goes. Where none goes on, at the end or at a failure, reading and writing finds out. */
static fastio_status copy_within_system(copy *c, fastio_error *err) {
  fastio_status status = copy_head(c, err);
  int fd = -1;
  if (status == FASTIO_OK) status = fastio__writer_direct(c->writer, &fd, err);
  for (fastio__way way = 0; status == FASTIO_OK && fd >= 0 && way < FASTIO__WAY_COUNT; way++) {
    uint64_t moved = 1;
    while (moved > 0 && may_go(c, way)) {
      moved = fastio__file_transfer(way, c->source->fd, fd, c->left);
      c->source->position += moved;
      fastio__writer_moved(c->writer, moved);
      advance(c, moved);
    }
  }
  return status;
}

/* ---- the whole ---- */

/* A file is as long as it was in the beginning: what is appended meanwhile, perhaps by this very copy, is not copied. */
static fastio_status limit_left(copy *c, fastio_error *err) {
  uint64_t limit;
  fastio_status status = fastio__source_limit(c->source, &limit, err);
  if (status != FASTIO_OK || limit == FASTIO_NO_OFFSET) return status;
  limit = limit > c->source->position ? limit - c->source->position : 0;
  if (limit < c->left) c->left = limit;
  return FASTIO_OK;
}

/* Less than there was: a file that shrank, unless it never had the size that it tells (sysfs). */
static fastio_status check_whole(const copy *c, fastio_error *err) {
  if (c->source->kind != FASTIO__FILE || c->left == 0 || fastio_source_size(c->source) > 0) return FASTIO_OK;
  return fastio__fail_at(err, FASTIO_TRUNCATED, NULL, c->source->position, NULL, 0);
}

static fastio_status run(copy *c, fastio_error *err) {
  fastio_status status = limit_left(c, err);
  if (status != FASTIO_OK) return status;
  if (c->source->kind == FASTIO__MEMORY) return copy_memory(c, err);
  if (has_descriptor(c->source)) status = copy_within_system(c, err);
  if (status == FASTIO_OK) status = copy_blocks(c, err);
  return status == FASTIO_OK ? check_whole(c, err) : status;
}

fastio_status fastio_copy(fastio_source *source, fastio_writer *writer, uint64_t length, uint64_t *copied,
                          fastio_error *err) {
  copy c = {source, NULL, length, 0};
  fastio_status status, unlocked;
  if (copied) *copied = 0;
  if (!source || !writer) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "source and writer must not be NULL");
  status = fastio__source_begin_copy(source, err);
  if (status != FASTIO_OK) return status;
  c.writer = fastio_writer_lock(writer);
  status = run(&c, err);
  unlocked = fastio_writer_unlock(writer, status == FASTIO_OK ? err : NULL);
  if (copied) *copied = c.done;
  return status == FASTIO_OK ? unlocked : status;
}
