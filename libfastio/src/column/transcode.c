/* Bytes from one encoding to another, all at once. */
#include "../text/text.h"
#include "column.h"

enum {
  STEP = 1 << 20, /* how much is converted at a time */
  SLACK = 64
};

static fastio_status transcode_all(fastio_transcoder *transcoder, const uint8_t *data, size_t size,
                                   fastio__region *region, size_t *total, fastio_error *err) {
  fastio_status status = FASTIO_OK;
  size_t at = 0, made = 0, used, put;
  bool done = false;
  while (status == FASTIO_OK && !done) {
    size_t piece = size - at < STEP ? size - at : STEP, needed;
    bool last = piece == size - at;
    if (!fastio__add(made, piece + SLACK, &needed)) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
    status = fastio__region_ensure(region, needed, err);
    if (status != FASTIO_OK) break;
    status = fastio_transcoder_run(transcoder, piece ? data + at : NULL, piece, last, &used, region->data + made,
                                   region->capacity - made, &put, err);
    at += used;
    made += put;
    done = last && used == piece;
  }
  *total = made;
  return status;
}

static size_t bound_of(size_t size) { return size < FASTIO__REGION_SMALL / 4 ? 2 * size + SLACK : SIZE_MAX; }

static fastio_status build(fastio__region *region, size_t total, const fastio_env *env, fastio_column **out,
                           fastio_error *err) {
  fastio__column_parts parts = {*region, {0}, {0}};
  fastio_column view = {0};
  view.type = FASTIO_UINT8;
  view.length = view.data_size = total;
  return fastio__column_build(&view, &parts, env, out, err);
}

fastio_status fastio_transcode(const void *data, size_t size, const char *from, const char *to, int errors,
                               const fastio_env *env, fastio_column **out, uint64_t *error_count, fastio_error *err) {
  fastio_transcoder *transcoder = NULL;
  fastio__region region;
  size_t total = 0;
  fastio_status status = fastio_transcoder_new(from, to, errors, env, &transcoder, err);
  if (status != FASTIO_OK) return status;
  status = fastio__region_init(&region, env, bound_of(size), err);
  if (status == FASTIO_OK) {
    status = transcode_all(transcoder, data, size, &region, &total, err);
    if (status == FASTIO_OK) {
      fastio__region_trim(&region, total);
      status = build(&region, total, env, out, err);
    }
    if (status != FASTIO_OK) fastio__region_free(&region);
    else if (error_count) *error_count = fastio_transcoder_errors(transcoder);
  }
  fastio_transcoder_free(transcoder);
  return status;
}
