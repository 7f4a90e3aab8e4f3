/* Strings as lines: a table of one column, as it is. */
#include "field.h"
#include "writer.h"

typedef struct writing {
  const fastio_env *env;
  fastio__field field, dictionary;
  fastio__wording words; /* missing lines are empty */
  fastio__marks marks;
  uint64_t piece_rows;
} writing;

static fastio_status make_piece(void *ctx, uint64_t number, void *scratch, fastio__piece *piece, fastio_error *err) {
  const writing *self = ctx;
  uint64_t at = number * self->piece_rows;
  const uint64_t left = self->field.length - at, end = at + (left < self->piece_rows ? left : self->piece_rows);
  fastio_status status = FASTIO_OK;
  fastio__strip strip;
  fastio__strip_init(&strip, scratch, 1, FASTIO__STRIP, self->env);
  piece->items = 0;
  while (status == FASTIO_OK && at < end) {
    const size_t rows = end - at < FASTIO__STRIP ? (size_t)(end - at) : FASTIO__STRIP;
    fastio__field_render(&self->field, at, rows, &self->words, &strip.arena, &strip.texts[0]);
    if (strip.texts[0].good < rows) return fastio__fail(err, strip.texts[0].status, strip.texts[0].message);
    status = fastio__strip_merge(&strip, rows, &self->marks, piece, err);
    at += rows;
  }
  return status;
}

static fastio_status write_locked(fastio_writer *writer, const fastio_column *strings, fastio_bytes end,
                                  fastio_error *err) {
  writing self;
  fastio__job job;
  uint64_t each;
  memset(&self, 0, sizeof self);
  memset(&job, 0, sizeof job);
  self.env = fastio__writer_env(writer);
  self.marks.end = end;
  fastio__field_of_column(strings, &self.dictionary, &self.field);
  each = fastio__field_estimate(&self.field) + end.size;
  self.piece_rows = FASTIO__PIECE / each ? FASTIO__PIECE / each : 1;
  job.make = make_piece;
  job.ctx = &self;
  job.scratch_size = fastio__strip_size(1, FASTIO__STRIP);
  job.count = strings->length / self.piece_rows + (strings->length % self.piece_rows != 0);
  job.bytes = strings->length * each;
  return fastio__write_ordered(writer, &job, err);
}

fastio_status fastio_write_lines(fastio_writer *writer, const fastio_column *strings, fastio_bytes end,
                                 fastio_error *err) {
  fastio_status status, unlocked;
  if (!writer || !strings || (!end.data && end.size))
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "writer, strings and end must not be NULL");
  if (!fastio__is_string(strings->type) && strings->type != FASTIO_DICTIONARY)
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "lines are a column of strings");
  status = write_locked(fastio_writer_lock(writer), strings, end, err);
  unlocked = fastio_writer_unlock(writer, status == FASTIO_OK ? err : NULL);
  return status == FASTIO_OK ? unlocked : status;
}
