/* Whole-source readers of lines: count them, or gather them in a string column. */
#include "../column/column.h"
#include "../text/text.h"
#include "blocks.h"
#include "newline.h"

typedef struct lines {
  const fastio_env *env;
  int newline;
  bool keep_ends, check_utf8;
  fastio__region text, offsets;
} lines;

/* ---- counting ---- */

static uint64_t count_byte(const fastio__window *window, uint8_t byte) {
  return fastio__simd()->count_byte(window->data, window->size, byte);
}

static uint64_t count_crlf(const fastio__window *window) {
  const uint8_t *p = window->data, *end = p + window->size;
  uint64_t count = 0;
  while (p < end && (p = memchr(p, '\r', (size_t)(end - p)))) {
    p++;
    count += p < end && *p == '\n';
  }
  return count;
}

static bool ends_open(const lines *self, const fastio__window *window) {
  uint8_t last;
  if (window->size == 0) return false;
  last = window->data[window->size - 1];
  if (self->newline == FASTIO_NEWLINE_ANY) return last != '\n' && last != '\r';
  return last != (self->newline == FASTIO_NEWLINE_LF ? '\n' : self->newline);
}

/* Every ending is a line, and so is what follows the last one. Content loses its endings unless they are kept. */
static fastio__counts measure(void *ctx, const fastio__window *window, bool exact) {
  const lines *self = ctx;
  bool any = self->newline == FASTIO_NEWLINE_ANY;
  uint64_t ends = count_byte(window, self->newline >= 0 ? (uint8_t)self->newline : '\n'), crlf = 0, stripped;
  (void)exact;
  if (self->newline < 0 && count_byte(window, '\r') > 0) crlf = count_crlf(window);
  if (any) ends += count_byte(window, '\r') - crlf;
  stripped = self->keep_ends ? 0 : ends + crlf;
  return (fastio__counts){ends + ends_open(self, window), window->size - stripped};
}

/* ---- gathering ---- */

static fastio_status ensure(void *ctx, fastio__counts total, fastio_error *err) {
  lines *self = ctx;
  fastio_status status;
  if (total.items >= SIZE_MAX / sizeof(int64_t) || total.bytes > SIZE_MAX) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  status = fastio__region_ensure(&self->offsets, (size_t)(total.items + 1) * sizeof(int64_t), err);
  if (status == FASTIO_OK) status = fastio__region_ensure(&self->text, (size_t)total.bytes, err);
  return status;
}

/* Copies short runs in two overlapping words where a call of memcpy would cost more than the bytes. */
FASTIO__INLINE void copy_line(uint8_t *out, const uint8_t *in, size_t size) {
  if (size > 16) memcpy(out, in, size);
  else if (size >= 8) {
    uint64_t head, tail;
    memcpy(&head, in, 8);
    memcpy(&tail, in + size - 8, 8);
    memcpy(out, &head, 8);
    memcpy(out + size - 8, &tail, 8);
  } else {
    for (size_t i = 0; i < size; i++) out[i] = in[i];
  }
}

static fastio_status check_text(const uint8_t *data, size_t size, uint64_t offset, fastio_error *err) {
  size_t valid = fastio__utf8_prefix(data, size);
  if (valid == size) return FASTIO_OK;
  return fastio__fail_at(err, FASTIO_BAD_ENCODING, "not valid UTF-8", offset + valid, data + valid,
                         size - valid < 4 ? size - valid : 4);
}

static fastio_status fill(void *ctx, const fastio__window *window, fastio__counts base, fastio__counts *counts,
                          fastio_error *err) {
  lines *self = ctx;
  const uint8_t *p = window->data, *end = p + window->size;
  uint8_t *out = self->text.data + base.bytes, *limit = out + counts->bytes;
  int64_t *offsets = (int64_t *)(void *)self->offsets.data + base.items;
  uint64_t count = 0;
  for (; p < end && count < counts->items; count++) {
    const uint8_t *stop = end, *next = end;
    size_t size;
    (void)fastio__line_end(self->newline, true, p, end, &stop, &next); /* else the last line, without an end */
    size = (size_t)((self->keep_ends ? next : stop) - p);
    if (size > (size_t)(limit - out)) break; /* the source changed since it was measured */
    copy_line(out, p, size);
    out += size;
    offsets[count + 1] = (int64_t)(out - self->text.data);
    p = next;
  }
  counts->items = count;
  counts->bytes = (uint64_t)(out - self->text.data) - base.bytes;
  return self->check_utf8 ? check_text(window->data, (size_t)(p - window->data), window->offset, err) : FASTIO_OK;
}

/* ---- calls ---- */

static fastio_status init(lines *self, fastio_source *source, const fastio_read_options *options, fastio_error *err) {
  memset(self, 0, sizeof *self);
  self->env = options->env;
  self->newline = options->newline;
  self->keep_ends = (options->flags & FASTIO_KEEP_ENDS) != 0;
  self->check_utf8 = options->line_type == FASTIO_STRING;
  if (!source) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "source must not be NULL");
  if (self->check_utf8 && self->newline >= 0x80)
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "a newline byte of 0x80 or more needs line_type FASTIO_BINARY");
  return FASTIO_OK;
}

static fastio__consumer consumer_of(lines *self, const fastio_read_options *options) {
  fastio__consumer consumer = {self, {{false}, 0, false}, false, false, true, measure, NULL, NULL};
  char byte = (char)self->newline;
  if (self->newline == FASTIO_NEWLINE_ANY) fastio__cut_init(&consumer.cut, "\n\r", 2, true);
  else fastio__cut_init(&consumer.cut, self->newline == FASTIO_NEWLINE_LF ? "\n" : &byte, 1, false);
  consumer.text = options->line_type == FASTIO_STRING && !(options->flags & FASTIO_KEEP_BOM);
  return consumer;
}

fastio_status fastio_count_lines(fastio_source *source, const fastio_read_options *given, uint64_t *out, fastio_error *err) {
  fastio_read_options options;
  fastio__counts total = {0, 0};
  fastio__consumer consumer;
  lines self;
  fastio_status status = fastio__read_options_get(given, &options, err);
  if (status == FASTIO_OK) status = init(&self, source, &options, err);
  if (status != FASTIO_OK) return status;
  consumer = consumer_of(&self, &options);
  status = fastio__blocks_run(source, &options, &consumer, &total, err);
  if (status == FASTIO_OK) *out = total.items;
  return status;
}

static size_t bound_or_more(uint64_t bytes, uint64_t width, const fastio_read_options *options) {
  size_t bound = bytes > SIZE_MAX / width ? SIZE_MAX : (size_t)(bytes * width);
  return options->threads > 1 && bound <= FASTIO__REGION_SMALL ? FASTIO__REGION_SMALL + 1 : bound;
}

static fastio_status init_regions(lines *self, fastio_source *source, const fastio_read_options *options, fastio_error *err) {
  uint64_t bytes = source->kind == FASTIO__MEMORY ? source->size : fastio_source_size(source);
  uint64_t items = bytes == FASTIO_NO_OFFSET ? bytes : bytes + 2; /* lines, and the offset before the first */
  fastio_status status = fastio__region_init(&self->text, self->env, bound_or_more(bytes, 1, options), err);
  if (status == FASTIO_OK)
    status = fastio__region_init(&self->offsets, self->env, bound_or_more(items, sizeof(int64_t), options), err);
  return status == FASTIO_OK ? ensure(self, (fastio__counts){0, 0}, err) : status;
}

static fastio_status finish(lines *self, const fastio_read_options *options, fastio__counts total, fastio_column **out,
                            fastio_error *err) {
  fastio_column view;
  fastio__column_parts parts;
  memset(&view, 0, sizeof view);
  memset(&parts, 0, sizeof parts);
  view.type = options->line_type;
  view.length = total.items;
  view.data_size = total.bytes;
  fastio__region_trim(&self->text, (size_t)total.bytes);
  fastio__region_trim(&self->offsets, (size_t)(total.items + 1) * sizeof(int64_t));
  parts.data = self->text;
  parts.offsets = self->offsets;
  return fastio__column_build(&view, &parts, self->env, out, err);
}

fastio_status fastio_read_lines(fastio_source *source, const fastio_read_options *given, fastio_column **out,
                                fastio_error *err) {
  fastio_read_options options;
  fastio__counts total = {0, 0};
  fastio__consumer consumer;
  lines self;
  fastio_status status = fastio__read_options_get(given, &options, err);
  if (status == FASTIO_OK && !out) status = fastio__fail(err, FASTIO_INVALID_ARGUMENT, "out must not be NULL");
  if (status == FASTIO_OK) status = init(&self, source, &options, err);
  if (status != FASTIO_OK) return status;
  consumer = consumer_of(&self, &options);
  consumer.ensure = ensure;
  consumer.fill = fill;
  status = init_regions(&self, source, &options, err);
  consumer.may_be_parallel = fastio__region_is_fixed(&self.text) && fastio__region_is_fixed(&self.offsets);
  if (status == FASTIO_OK) {
    *(int64_t *)(void *)self.offsets.data = 0;
    status = fastio__blocks_run(source, &options, &consumer, &total, err);
  }
  if (status == FASTIO_OK) status = finish(&self, &options, total, out, err);
  if (status == FASTIO_OK) return status;
  fastio__region_free(&self.text);
  fastio__region_free(&self.offsets);
  return status;
}
