/* Line and column of an offset, counted only when an error needs them; and the byte order mark. */
#include "blocks.h"

/* Takes in a run of bytes that starts at `offset` and precedes the place. */
static void count_lines(const uint8_t *data, size_t size, uint64_t offset, uint64_t *newlines, uint64_t *line_start) {
  size_t i = size;
  *newlines += fastio__simd()->count_byte(data, size, '\n');
  while (i > 0 && data[i - 1] != '\n') i--;
  if (i > 0) *line_start = offset + i;
}

static void set_place(fastio_error *err, uint64_t newlines, uint64_t line_start) {
  err->line = newlines + 1;
  err->column = err->offset - line_start + 1;
}

void fastio__locate(fastio_source *source, fastio_error *err) {
  uint8_t block[16384];
  uint64_t at = 0, newlines = 0, line_start = 0;
  size_t got = 1;
  if (!err || err->offset == FASTIO_NO_OFFSET || err->line || source->kind == FASTIO__STREAM) return;
  while (at < err->offset && got > 0) {
    size_t size = err->offset - at < sizeof block ? (size_t)(err->offset - at) : sizeof block;
    if (fastio__source_pread(source, at, block, size, &got, NULL) != FASTIO_OK) return;
    count_lines(block, got, at, &newlines, &line_start);
    at += got;
  }
  if (at == err->offset) set_place(err, newlines, line_start);
}

void fastio__locate_in_window(const fastio__window *window, fastio_error *err) {
  uint64_t newlines = window->newlines, line_start = window->line_start;
  if (!err || err->offset == FASTIO_NO_OFFSET || err->offset < window->offset ||
      err->offset - window->offset > window->size + window->tail)
    return;
  count_lines(window->data, (size_t)(err->offset - window->offset), window->offset, &newlines, &line_start);
  set_place(err, newlines, line_start);
  err->offset = fastio__window_place(window, err->offset);
}

/* What is wrong with the data, and not with getting it. */
static bool is_fault(fastio_status status) {
  return status == FASTIO_BAD_ENCODING || status == FASTIO_CORRUPT || status == FASTIO_TRUNCATED ||
         status == FASTIO_TOO_LARGE;
}

void fastio__locate_behind(const uint8_t *data, size_t size, uint64_t offset, uint64_t newlines, uint64_t line_start,
                           fastio_error *err) {
  if (!err || !is_fault(err->status) || err->line || err->offset == FASTIO_NO_OFFSET) return;
  if (size) count_lines(data, size, offset, &newlines, &line_start);
  err->line = newlines + 1;
  err->column = offset + size - line_start + 1;
}

fastio_status fastio__cut_short(uint64_t offset, const uint8_t *start, const uint8_t *end, fastio_error *err) {
  return fastio__fail_at(err, FASTIO_TRUNCATED, "the source ends within this item (partial is \"error\")", offset,
                         start, (size_t)(end - start));
}

static bool starts_with(const uint8_t *data, size_t size, const char *mark, size_t mark_size) {
  return size >= mark_size && memcmp(data, mark, mark_size) == 0;
}

fastio_status fastio__check_bom(const uint8_t *data, size_t size, size_t *skip, fastio_error *err) {
  const char *other = NULL;
  *skip = starts_with(data, size, "\xEF\xBB\xBF", 3) ? 3 : 0;
  if (starts_with(data, size, "\xFF\xFE\0\0", 4)) other = "this is UTF-32LE text; encoding= is needed";
  else if (starts_with(data, size, "\0\0\xFE\xFF", 4)) other = "this is UTF-32BE text; encoding= is needed";
  else if (starts_with(data, size, "\xFF\xFE", 2)) other = "this is UTF-16LE text; encoding= is needed";
  else if (starts_with(data, size, "\xFE\xFF", 2)) other = "this is UTF-16BE text; encoding= is needed";
  if (!other) return FASTIO_OK;
  fastio__fail_at(err, FASTIO_BAD_ENCODING, other, 0, data, 2);
  if (err) err->line = err->column = 1;
  return FASTIO_BAD_ENCODING;
}
