/* Whole-source readers of lines: count them, or gather them in a string column. */
#include "../column/column.h"
#include "../text/text.h"
#include "blocks.h"
#include "newline.h"

typedef struct lines {
  const fastio_env *env;
  int newline;
  bool keep_ends, check_utf8;
  int partial; /* FASTIO_PARTIAL_* */
  uint64_t max_items;
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

static bool ends_line(const lines *self, uint8_t byte) {
  if (self->newline == FASTIO_NEWLINE_ANY) return byte == '\n' || byte == '\r';
  return byte == (self->newline == FASTIO_NEWLINE_LF ? '\n' : self->newline);
}

static bool ends_open(const lines *self, const fastio__window *window) {
  if (window->size == 0) return false;
  return !ends_line(self, window->data[window->size - 1]);
}

/* A line that the end of the source cuts short is left out. */
static void cut_tail(const lines *self, fastio__window *window) {
  size_t size = window->size;
  if (!window->last || self->partial == FASTIO_PARTIAL_EMIT) return;
  while (size > 0 && !ends_line(self, window->data[size - 1])) size--;
  window->tail = window->size - size;
  window->size = size;
}

static fastio_status check_tail(const lines *self, const fastio__window *window, fastio_error *err) {
  const uint8_t *start = window->data + window->size;
  if (window->tail == 0 || self->partial != FASTIO_PARTIAL_ERROR) return FASTIO_OK;
  return fastio__cut_short(window->offset + window->size, start, start + window->tail, err);
}

/* Every ending is a line, and so is what follows the last one. Content loses its endings unless they are kept. */
static fastio__counts measure(void *ctx, fastio__window *window, bool exact) {
  const lines *self = ctx;
  cut_tail(self, window);
  bool any = self->newline == FASTIO_NEWLINE_ANY;
  uint64_t ends = count_byte(window, self->newline >= 0 ? (uint8_t)self->newline : '\n'), crlf = 0, stripped;
  (void)exact;
  if (self->newline < 0 && count_byte(window, '\r') > 0) crlf = count_crlf(window);
  if (any) ends += count_byte(window, '\r') - crlf;
  stripped = self->keep_ends ? 0 : ends + crlf;
  return (fastio__counts){ends + ends_open(self, window), window->size - stripped};
}

/* Without gathering, lines need not be whole: a line starts behind every ending, if there is a byte. */
static fastio__counts measure_starts(void *ctx, fastio__window *window, bool exact) {
  const lines *self = ctx;
  uint8_t byte = self->newline >= 0 ? (uint8_t)self->newline : '\n';
  fastio__window endings = *window; /* all but the last byte, and the byte before */
  bool any = self->newline == FASTIO_NEWLINE_ANY;
  uint64_t count;
  (void)exact;
  if (window->size == 0) return (fastio__counts){0, 0};
  endings.size--;
  count = count_byte(&endings, byte) + (window->before == byte);
  if (any) {
    uint64_t returns = count_byte(&endings, '\r');
    count += returns + (window->before == '\r' && window->data[0] != '\n');
    if (returns > 0) count -= count_crlf(window); /* each was counted at its '\r', and its '\n' if a line follows */
  }
  return (fastio__counts){count, 0};
}

/* ---- gathering ---- */

static bool moves(void *ctx, const fastio__window *window, fastio__counts total) {
  const lines *self = ctx;
  (void)window;
  if (total.items >= SIZE_MAX / sizeof(int64_t) || total.bytes > SIZE_MAX) return false;
  return fastio__region_moves(&self->offsets, (size_t)(total.items + 1) * sizeof(int64_t)) ||
         fastio__region_moves(&self->text, (size_t)total.bytes);
}

/* Offsets have one more than there are lines. */
static fastio_status make_room(lines *self, fastio__counts total, fastio_error *err) {
  fastio_status status;
  if (total.items >= SIZE_MAX / sizeof(int64_t) || total.bytes > SIZE_MAX)
    return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  status = fastio__region_ensure(&self->offsets, (size_t)(total.items + 1) * sizeof(int64_t), err);
  if (status == FASTIO_OK) status = fastio__region_ensure(&self->text, (size_t)total.bytes, err);
  return status;
}

static fastio_status ensure(void *ctx, fastio__window *window, fastio__counts counts, fastio__counts total,
                            fastio_error *err) {
  (void)window, (void)counts;
  return make_room(ctx, total, err);
}

static fastio_status check_text(const uint8_t *data, size_t size, uint64_t offset, fastio_error *err) {
  size_t valid = fastio__utf8_prefix(data, size);
  if (valid == size) return FASTIO_OK;
  return fastio__fail_at(err, FASTIO_BAD_ENCODING, "not valid UTF-8", offset + valid, data + valid,
                         fastio__utf8_bad_size(data + valid, size - valid));
}

/* Where the lines of one window go. */
typedef struct gatherer {
  const lines *self;
  const uint8_t *line, *end; /* the line to be gathered, the end of the window */
  uint8_t *out, *limit;
  int64_t *offsets; /* of the window's first line */
  uint64_t count, wanted;
} gatherer;

/* Takes the line that ends at `stop`, with the next one at `next`. False: enough, or more than was measured. */
FASTIO__INLINE bool gather(gatherer *g, const uint8_t *stop, const uint8_t *next) {
  size_t size = (size_t)((g->self->keep_ends ? next : stop) - g->line), room = (size_t)(g->limit - g->out);
  if (g->count == g->wanted || size > room) return false;
  /* Most lines are short. Copying 32 bytes costs less than finding out how many; the next line covers the excess. */
  if (size <= 32 && room >= 32 && g->end - g->line >= 32) memcpy(g->out, g->line, 32);
  else memcpy(g->out, g->line, size);
  g->out += size;
  g->offsets[++g->count] = (int64_t)(g->out - g->self->text.data);
  g->line = next;
  return true;
}

static void gather_one_by_one(gatherer *g) {
  while (g->line < g->end) {
    const uint8_t *stop = g->end, *next = g->end;
    (void)fastio__line_end(g->self->newline, true, g->line, g->end, &stop,
                           &next); /* else the last line, without an end */
    if (!gather(g, stop, next)) return;
  }
}

/* The same for lines that end in one byte: a kernel finds many ends at once. */
static void gather_many(gatherer *g) {
  enum { PART = 4096 };
  uint32_t positions[PART + 64];
  bool strip = g->self->newline == FASTIO_NEWLINE_LF;
  uint8_t byte = strip ? '\n' : (uint8_t)g->self->newline;
  for (const uint8_t *part = g->line; part < g->end;) {
    size_t size = g->end - part < PART ? (size_t)(g->end - part) : PART;
    size_t count = fastio__simd()->find_byte(part, size, byte, positions);
    for (size_t i = 0; i < count; i++) {
      const uint8_t *stop = part + positions[i], *next = stop + 1;
      if (strip && stop > g->line && stop[-1] == '\r') stop--;
      if (!gather(g, stop, next)) return;
    }
    part += size;
  }
  if (g->line < g->end) (void)gather(g, g->end, g->end);
}

static fastio_status fill(void *ctx, const fastio__window *window, fastio__counts base, fastio__counts *counts,
                          fastio_error *err) {
  lines *self = ctx;
  uint8_t *out = self->text.data + base.bytes;
  int64_t *offsets = (int64_t *)(void *)self->offsets.data + base.items;
  gatherer g = {self, window->data, window->data + window->size, out, out + counts->bytes, offsets, 0, counts->items};
  if (self->newline == FASTIO_NEWLINE_ANY) gather_one_by_one(&g);
  else gather_many(&g);
  counts->items = g.count;
  counts->bytes = (uint64_t)(g.out - out);
  fastio_status status = FASTIO_OK;
  if (self->check_utf8) status = check_text(window->data, (size_t)(g.line - window->data), window->offset, err);
  return status == FASTIO_OK && base.items + g.count < self->max_items ? check_tail(self, window, err) : status;
}

/* ---- calls ---- */

static fastio_status init(lines *self, fastio_source *source, const fastio_read_options *options, fastio_error *err) {
  bool is_text = options->line_type == FASTIO_STRING;
  fastio_status status;
  memset(self, 0, sizeof *self);
  self->partial = options->partial;
  self->max_items = options->max_items;
  self->env = options->env;
  self->newline = options->newline;
  self->keep_ends = (options->flags & FASTIO_KEEP_ENDS) != 0;
  self->check_utf8 = is_text;
  if (!source) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "source must not be NULL");
  status = fastio__source_begin(source, is_text ? FASTIO__AS_TEXT : FASTIO__AS_BYTES, options->threads, err);
  return status == FASTIO_OK ? fastio__check_range(source, options->offset, options->length, err) : status;
}

static fastio__consumer consumer_of(lines *self, const fastio_read_options *options) {
  fastio__consumer consumer = {.ctx = self, .measure = measure};
  char byte = (char)self->newline;
  if (self->newline == FASTIO_NEWLINE_ANY) fastio__cut_init(&consumer.cut, "\n\r", 2, true);
  else fastio__cut_init(&consumer.cut, self->newline == FASTIO_NEWLINE_LF ? "\n" : &byte, 1, false);
  consumer.text = options->line_type == FASTIO_STRING && !(options->flags & FASTIO_KEEP_BOM);
  return consumer;
}

/* Counting fills nothing, so that this is the place to complain. */
static fastio_status ensure_end(void *ctx, fastio__window *window, fastio__counts counts, fastio__counts total,
                                fastio_error *err) {
  const lines *self = ctx;
  (void)counts;
  return total.items < self->max_items ? check_tail(self, window, err) : FASTIO_OK;
}

fastio_status fastio_count_lines(fastio_source *source, const fastio_read_options *given, uint64_t *out,
                                 fastio_error *err) {
  fastio_read_options options;
  fastio__counts total = {0, 0};
  fastio__consumer consumer;
  lines self;
  fastio_status status = fastio__read_options_get(given, &options, err);
  if (status == FASTIO_OK) status = init(&self, source, &options, err);
  if (status != FASTIO_OK) return status;
  consumer = consumer_of(&self, &options);
  if (options.partial == FASTIO_PARTIAL_EMIT) {
    consumer.uncut = true;
    consumer.measure = measure_starts;
  } else {
    consumer.ensure = ensure_end;
  }
  status = fastio__blocks_run(source, &options, &consumer, &total, NULL, err);
  if (status == FASTIO_OK) *out = total.items;
  return status;
}

static size_t bound_of(uint64_t count, uint64_t width) {
  return count > SIZE_MAX / width ? SIZE_MAX : (size_t)(count * width);
}

static fastio_status init_regions(lines *self, fastio_source *source, fastio_error *err) {
  uint64_t bytes = source->kind == FASTIO__MEMORY ? source->size : fastio_source_size(source);
  uint64_t items = bytes == FASTIO_NO_OFFSET ? bytes : bytes + 2; /* lines, and the offset before the first */
  fastio_status status = fastio__region_init(&self->text, self->env, bound_of(bytes, 1), err);
  if (status == FASTIO_OK)
    status = fastio__region_init(&self->offsets, self->env, bound_of(items, sizeof(int64_t)), err);
  return status == FASTIO_OK ? make_room(self, (fastio__counts){0, 0}, err) : status;
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
  consumer.moves = moves;
  consumer.ensure = ensure;
  consumer.fill = fill;
  status = init_regions(&self, source, err);
  if (status == FASTIO_OK) {
    *(int64_t *)(void *)self.offsets.data = 0;
    status = fastio__blocks_run(source, &options, &consumer, &total, NULL, err);
  }
  if (status == FASTIO_OK) status = finish(&self, &options, total, out, err);
  if (status == FASTIO_OK) return status;
  fastio__region_free(&self.text);
  fastio__region_free(&self.offsets);
  return status;
}
