/* Every byte of a source in one block. */
#include "../column/column.h"
#include "blocks.h"

enum { PART = 4 << 20 }; /* between two polls */

static fastio_status cancelled(const fastio_read_options *options, uint64_t done, uint64_t total, fastio_error *err) {
  if (!options->poll || !options->poll(options->poll_ctx, done, total)) return FASTIO_OK;
  return fastio__fail(err, FASTIO_CANCELLED, NULL);
}

/* A part of known size, which must all be there if the file still is as long. */
static fastio_status read_part(fastio_source *source, const fastio_read_options *options, uint64_t offset,
                               fastio__region *region, uint64_t *size, fastio_error *err) {
  uint64_t length = *size, done = 0, limit;
  fastio_status status = length > SIZE_MAX ? fastio__fail(err, FASTIO_NO_MEMORY, NULL)
                                           : fastio__region_ensure(region, (size_t)length, err);
  while (status == FASTIO_OK && done < length) {
    size_t want = length - done < PART ? (size_t)(length - done) : PART, got;
    status = fastio__source_pread(source, offset + done, region->data + done, want, &got, err);
    if (status != FASTIO_OK) return status;
    done += got;
    if (got < want) {
      status = fastio__source_limit(source, &limit, err);
      if (status == FASTIO_OK && limit < offset + length)
        status = fastio__fail_at(err, FASTIO_TRUNCATED, "the file shrank while it was read", offset + done, NULL, 0);
      *size = done; /* some files just say more than they have (/sys) */
      return status;
    }
    status = cancelled(options, done, length, err);
  }
  return status;
}

static fastio_status skip(fastio_source *source, uint64_t offset, fastio_error *err) {
  uint8_t scratch[16384];
  size_t got = 1;
  fastio_status status = FASTIO_OK;
  while (status == FASTIO_OK && source->position < offset && got > 0) {
    uint64_t left = offset - source->position;
    status = fastio__source_read(source, scratch, left < sizeof scratch ? (size_t)left : sizeof scratch, &got, err);
  }
  return status;
}

/* A stream up to its end. */
static fastio_status read_stream(fastio_source *source, const fastio_read_options *options, fastio__region *region,
                                 uint64_t *size, fastio_error *err) {
  fastio_status status = skip(source, options->offset, err);
  size_t got = 1;
  *size = 0;
  while (status == FASTIO_OK && got > 0 && *size < options->length) {
    uint64_t left = options->length - *size;
    size_t want = *size < 65536 ? 65536 : *size < PART ? (size_t)*size : PART;
    if (want > left) want = (size_t)left;
    status = fastio__region_ensure(region, (size_t)*size + want, err);
    if (status == FASTIO_OK) status = fastio__source_read(source, region->data + *size, want, &got, err);
    if (status != FASTIO_OK && options->offset == 0) fastio__locate_behind(region->data, (size_t)*size, 0, 0, 0, err);
    if (status != FASTIO_OK) return status;
    *size += got;
    status = cancelled(options, *size, FASTIO_NO_OFFSET, err);
  }
  return status;
}

static fastio_status read_all(fastio_source *source, const fastio_read_options *options, fastio__region *region,
                              uint64_t *size, fastio_error *err) {
  uint64_t limit, start;
  fastio_status status;
  if (source->kind == FASTIO__STREAM) {
    status = fastio__region_init(region, options->env, SIZE_MAX, err);
    return status == FASTIO_OK ? read_stream(source, options, region, size, err) : status;
  }
  status = fastio__source_limit(source, &limit, err);
  if (status != FASTIO_OK) return status;
  start = options->offset < limit ? options->offset : limit;
  *size = options->length < limit - start ? options->length : limit - start;
  status = fastio__region_init(region, options->env, *size < SIZE_MAX ? (size_t)*size : SIZE_MAX, err);
  if (status == FASTIO_OK) status = read_part(source, options, start, region, size, err);
  if (status == FASTIO_OK && source->kind == FASTIO__FILE && !source->owns_fd)
    (void)fastio__source_seek(source, start + *size, NULL);
  return status;
}

fastio_status fastio_read_all(fastio_source *source, const fastio_read_options *given, fastio_column **out,
                              fastio_error *err) {
  fastio_read_options options;
  fastio_column view;
  fastio__column_parts parts;
  fastio_status status = fastio__read_options_get(given, &options, err);
  if (status == FASTIO_OK && (!source || !out))
    status = fastio__fail(err, FASTIO_INVALID_ARGUMENT, "source and out must not be NULL");
  if (status != FASTIO_OK) return status;
  memset(&view, 0, sizeof view);
  memset(&parts, 0, sizeof parts);
  view.type = FASTIO_UINT8;
  status = fastio__source_begin(source, FASTIO__AS_BYTES, options.threads, err);
  if (status == FASTIO_OK) status = fastio__check_range(source, options.offset, options.length, err);
  if (status != FASTIO_OK) return status;
  status = read_all(source, &options, &parts.data, &view.length, err);
  if (status == FASTIO_OK) {
    view.data_size = view.length;
    fastio__region_trim(&parts.data, (size_t)view.length);
    status = fastio__column_build(&view, &parts, options.env, out, err);
  }
  if (status != FASTIO_OK) fastio__region_free(&parts.data);
  return status;
}
