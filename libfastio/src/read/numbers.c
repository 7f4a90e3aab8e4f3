/* Whole-source readers of numbers: into a column, or into the caller's array. */
#include "../column/column.h"
#include "../number/number.h"
#include "blocks.h"

typedef struct numbers {
  const fastio_env *env;
  fastio__grammar grammar;
  fastio_type type;
  size_t width;
  fastio__region region;
  void *array;     /* the caller's, in place of the region */
  uint64_t parsed; /* also on failure; serial runs only */
  int partial;     /* FASTIO_PARTIAL_* */
  uint64_t max_items;
  fastio__mutex mutex; /* over missing */
  fastio__null_bits *missing;
} numbers;

/* ---- missing values ---- */

typedef struct null_sink {
  numbers *owner;
  fastio__null_bits *found;
  uint64_t base, count;
} null_sink;

static bool on_null(void *ctx, size_t index) {
  null_sink *sink = ctx;
  if (!sink->found) sink->found = fastio__null_bits_new(sink->owner->env, sink->base, sink->count);
  if (!sink->found) return false;
  fastio__null_bits_set(sink->found, index);
  return true;
}

static void keep_nulls(numbers *self, fastio__null_bits *found) {
  fastio__mutex_lock(&self->mutex);
  found->next = self->missing;
  self->missing = found;
  fastio__mutex_unlock(&self->mutex);
}

/* ---- the consumer ---- */

static fastio__cursor cursor_of(const numbers *self, const fastio__window *window) {
  bool last = window->last && self->partial == FASTIO_PARTIAL_EMIT;
  fastio__cursor cursor = {window->data, window->data + window->size, last, false, true};
  cursor.in_line = self->grammar.separator != FASTIO_WHITESPACE && self->grammar.separator != '\n' &&
                   window->before == self->grammar.separator;
  return cursor;
}

static bool ends_in_comment(const numbers *self, const fastio__window *window) {
  size_t line = window->size;
  if (self->grammar.comment == FASTIO_NONE) return false;
  while (line > 0 && window->data[line - 1] != '\n') line--;
  return line < window->size && memchr(window->data + line, self->grammar.comment, window->size - line);
}

/* An item that the end of the source cuts short is left out. One before a comment is whole. */
static void cut_tail(const numbers *self, fastio__window *window) {
  const fastio__grammar *grammar = &self->grammar;
  size_t size = window->size;
  if (!window->last || self->partial == FASTIO_PARTIAL_EMIT || ends_in_comment(self, window)) return;
  while (size > 0 && !(grammar->separator == FASTIO_WHITESPACE
                           ? fastio__is_space(window->data[size - 1])
                           : window->data[size - 1] == '\n' || window->data[size - 1] == grammar->separator))
    size--;
  window->tail = window->size - size;
  window->size = size;
}

static fastio__counts measure(void *ctx, fastio__window *window, bool exact) {
  numbers *self = ctx;
  fastio__counts counts = {0, 0};
  cut_tail(self, window);
  if (exact) counts.items = fastio__bulk_count(&self->grammar, cursor_of(self, window));
  else counts.items = self->grammar.separator == FASTIO_WHITESPACE ? window->size / 2 + 1 : window->size + 1;
  return counts;
}

static bool moves(void *ctx, const fastio__window *window, fastio__counts total) {
  numbers *self = ctx;
  (void)window;
  return !self->array && total.items <= SIZE_MAX / self->width &&
         fastio__region_moves(&self->region, (size_t)total.items * self->width);
}

static fastio_status ensure(void *ctx, fastio__window *window, fastio__counts counts, fastio__counts total,
                            fastio_error *err) {
  numbers *self = ctx;
  (void)window, (void)counts;
  if (self->array) return FASTIO_OK;
  if (total.items > SIZE_MAX / self->width) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  return fastio__region_ensure(&self->region, (size_t)total.items * self->width, err);
}

static const char *message_of(const numbers *self, fastio_status status) {
  if (status == FASTIO_OUT_OF_RANGE) return fastio__range_message(self->type);
  if (status == FASTIO_BAD_TOKEN) return fastio__is_integer(self->type) ? "not an integer" : "not a number";
  return NULL;
}

/* What is behind the last whole item, from the cursor on. */
static fastio_status check_tail(const numbers *self, const fastio__window *window, fastio__cursor cursor,
                                fastio_error *err) {
  const uint8_t *end = window->data + window->size + window->tail, *p;
  fastio__token token;
  cursor.end = end;
  (void)fastio__token_next(&self->grammar, &cursor, &token);
  for (p = cursor.at; p < end && fastio__is_space(*p); p++) continue;
  if (!cursor.in_line && (p == end || *p == self->grammar.comment)) return FASTIO_OK;
  return fastio__cut_short(window->offset + (uint64_t)(p - window->data), p, end, err);
}

static fastio_status fill(void *ctx, const fastio__window *window, fastio__counts base, fastio__counts *counts,
                          fastio_error *err) {
  numbers *self = ctx;
  bool to_the_end = window->last && self->partial == FASTIO_PARTIAL_ERROR;
  fastio__cursor cursor = cursor_of(self, window);
  char *out = self->array ? self->array : (char *)self->region.data;
  null_sink sink = {self, NULL, base.items, counts->items};
  fastio__bulk bulk = {self->type, out + (size_t)base.items * self->width, (size_t)counts->items, 0, on_null, &sink,
                       cursor};
  fastio__token token = {NULL, NULL, NULL, false};
  fastio_status status = fastio__bulk_parse(&self->grammar, &cursor, &bulk, &token);
  if (sink.found) keep_nulls(self, sink.found);
  if (self->array) self->parsed = base.items + bulk.count;
  counts->items = bulk.count;
  if (status == FASTIO_OK || status == FASTIO_END || status == FASTIO__MORE) {
    if (!to_the_end || base.items + bulk.count == self->max_items) return FASTIO_OK;
    return check_tail(self, window, cursor, err);
  }
  if (status == FASTIO_NO_MEMORY) return fastio__fail(err, status, NULL);
  return fastio__fail_at(err, status, message_of(self, status), window->offset + (uint64_t)(token.start - window->data),
                         token.start, (size_t)(token.end - token.start));
}

/* Windows are cut where a token can't go on; comments go on to the end of the line. */
static void init_cut(fastio__cut *cut, const fastio__grammar *grammar) {
  char bytes[2] = {'\n', (char)grammar->separator};
  if (grammar->comment != FASTIO_NONE) fastio__cut_init(cut, "\n", 1, false);
  else if (grammar->separator == FASTIO_WHITESPACE) fastio__cut_init(cut, " \t\n\v\f\r", 6, false);
  else fastio__cut_init(cut, bytes, grammar->separator == '\n' ? 1 : 2, false);
}

static void init(numbers *self, const fastio_read_options *options, fastio_type type) {
  memset(self, 0, sizeof *self);
  self->env = options->env;
  self->type = type;
  self->width = fastio_type_size(type);
  self->partial = options->partial;
  self->max_items = options->max_items;
  self->grammar = (fastio__grammar){options->separator,   options->comment,
                                    options->base,        (options->flags & FASTIO_OVERFLOW_ERROR) != 0,
                                    options->null_values, options->null_count};
}

static fastio_status run(numbers *self, fastio_source *source, const fastio_read_options *options,
                         fastio__counts *total, fastio_error *err) {
  fastio__consumer consumer = {
      .ctx = self, .text = true, .padded = true, .measure = measure, .moves = moves, .ensure = ensure, .fill = fill};
  fastio_status status;
  init_cut(&consumer.cut, &self->grammar);
  if (fastio__mutex_init(&self->mutex) != 0) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  status = fastio__blocks_run(source, options, &consumer, total, NULL, err);
  fastio__mutex_destroy(&self->mutex);
  return status;
}

/* ---- columns ---- */

/* The most bytes that the column can take: a token and its separator are two bytes, an empty field is one. */
static size_t bound_of(const numbers *self, fastio_source *source, const fastio_read_options *options) {
  uint64_t bytes = source->kind == FASTIO__MEMORY ? source->size : fastio_source_size(source), items;
  if (bytes == FASTIO_NO_OFFSET) items = options->max_items;
  else {
    if (options->length < bytes) bytes = options->length;
    items = self->grammar.separator == FASTIO_WHITESPACE ? bytes / 2 + 2 : bytes + 2;
    if (options->max_items < items) items = options->max_items;
  }
  return items > SIZE_MAX / self->width ? SIZE_MAX : (size_t)items * self->width;
}

static fastio_status check_shape(const fastio_read_options *options, uint64_t count, fastio_error *err) {
  uint64_t row_items = options->row_items ? options->row_items : 1;
  bool fits = count % row_items == 0 && (options->rows == 0 || count / row_items == options->rows);
  return fits ? FASTIO_OK : fastio__fail(err, FASTIO_BAD_SHAPE, NULL);
}

static fastio_status finish(numbers *self, const fastio_read_options *options, uint64_t count, fastio_column **out,
                            fastio_error *err) {
  fastio_column view;
  fastio__column_parts parts;
  fastio_status status = check_shape(options, count, err);
  memset(&view, 0, sizeof view);
  memset(&parts, 0, sizeof parts);
  view.type = self->type;
  view.length = count;
  view.data_size = count * self->width;
  view.row_items = options->row_items;
  if (status == FASTIO_OK)
    status = fastio__validity_build(self->missing, count, self->env, &parts.validity, &view.null_count, err);
  if (status == FASTIO_OK) {
    fastio__region_trim(&self->region, (size_t)view.data_size);
    parts.data = self->region;
    status = fastio__column_build(&view, &parts, self->env, out, err);
  }
  if (status != FASTIO_OK) fastio__region_free(&parts.validity);
  return status;
}

static fastio_status read_column(fastio_source *source, const fastio_read_options *given, bool floats,
                                 fastio_column **out, fastio_error *err) {
  fastio_read_options options;
  fastio__counts total = {0, 0};
  numbers self;
  fastio_type type;
  fastio_status status = fastio__read_options_get(given, &options, err);
  if (status != FASTIO_OK) return status;
  type = options.type ? options.type : floats ? FASTIO_FLOAT64 : FASTIO_INT64;
  if (!source || !out) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "source and out must not be NULL");
  if (floats ? !fastio__is_float(type) : !fastio__is_integer(type))
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT,
                        floats ? "type must be float32 or float64" : "type must be an integer type");
  status = fastio__source_begin(source, FASTIO__AS_TEXT, options.threads, err);
  if (status == FASTIO_OK) status = fastio__check_range(source, options.offset, options.length, err);
  if (status != FASTIO_OK) return status;
  init(&self, &options, type);
  status = fastio__region_init(&self.region, self.env, bound_of(&self, source, &options), err);
  if (status != FASTIO_OK) return status;
  status = run(&self, source, &options, &total, err);
  if (status == FASTIO_OK) status = finish(&self, &options, total.items, out, err);
  if (status != FASTIO_OK) fastio__region_free(&self.region);
  fastio__null_bits_free(self.env, self.missing);
  return status;
}

fastio_status fastio_read_ints(fastio_source *source, const fastio_read_options *options, fastio_column **out,
                               fastio_error *err) {
  return read_column(source, options, false, out, err);
}

fastio_status fastio_read_floats(fastio_source *source, const fastio_read_options *options, fastio_column **out,
                                 fastio_error *err) {
  return read_column(source, options, true, out, err);
}

/* ---- the caller's array ---- */

fastio_status fastio_parse_array(const void *data, size_t size, const fastio_read_options *given, fastio_type type,
                                 void *out, size_t capacity, size_t *count, fastio_error *err) {
  fastio_read_options options, heeded;
  fastio__counts total = {0, 0};
  fastio_source *source;
  numbers self;
  fastio_status status = fastio__read_options_get(given, &heeded, err);
  if (count) *count = 0;
  if (status != FASTIO_OK) return status;
  if (!fastio__is_number(type) || (!out && capacity) || !count)
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "a type of numbers, out and count are needed");
  fastio_read_options_init(&options);
  options.env = heeded.env;
  options.separator = heeded.separator;
  options.comment = heeded.comment;
  options.base = heeded.base;
  options.flags = heeded.flags;
  status = fastio_source_memory(data, size, options.env, &source, err);
  if (status != FASTIO_OK) return status;
  options.threads = 1;
  options.max_items = capacity;
  init(&self, &options, type);
  self.array = out;
  status = run(&self, source, &options, &total, err);
  *count = (size_t)self.parsed;
  fastio_source_close(source);
  return status;
}
