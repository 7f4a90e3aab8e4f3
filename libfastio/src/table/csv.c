/* A part of a source as a table. Columns whose types are to be inferred begin with a guess; the pass over the source
 * finds out what their cells are, and columns that were guessed wrong are read again: never is a value made from
 * another value. */
#include "csv.h"

typedef fastio__reading reading;

/* ---- options of a pass ---- */

enum { BLOCK = 256 << 10, LEAST_BLOCK = 4 << 10 };

static fastio_read_options options_of(const fastio_csv *csv, const fastio__part *part) {
  const fastio_csv_options *given = &csv->options;
  fastio_read_options options;
  fastio_read_options_init(&options);
  options.env = given->env;
  options.offset = part->offset;
  options.length = part->length;
  options.max_items = part->max_rows;
  options.threads = given->on_ragged & FASTIO_RAGGED_CALL ? 1 : given->threads;
  options.block_size = given->block_size;
  options.poll = given->poll;
  options.poll_ctx = given->poll_ctx;
  options.partial = given->partial;
  if (part->at_record) options.flags = FASTIO__AT_ITEM;
  /* Small batches want small blocks: what is read beyond them has to be put back. */
  uint64_t size = csv->record_size && part->max_rows < BLOCK / csv->record_size ? part->max_rows * csv->record_size
                                                                                : BLOCK;
  if (size < BLOCK && !given->block_size) {
    options.block_size = (size_t)size + LEAST_BLOCK;
    if (options.threads == 0) options.threads = 1;
  }
  return options;
}

fastio__part fastio__csv_whole(const fastio_csv *csv) {
  const fastio_csv_options *options = &csv->options;
  uint64_t start = options->offset > csv->data_start ? options->offset : csv->data_start;
  uint64_t end = options->length > FASTIO_NO_OFFSET - options->offset ? FASTIO_NO_OFFSET
                                                                      : options->offset + options->length;
  fastio__part part = {start,
                       end == FASTIO_NO_OFFSET ? end
                       : end > start           ? end - start
                                               : 0,
                       options->max_rows, start == csv->data_start || (options->flags & FASTIO_CSV_AT_RECORD)};
  return part;
}

/* ---- builders ---- */

static fastio_status make_builders(reading *r, fastio_error *err) {
  const fastio_csv *csv = r->csv;
  size_t size = r->count * sizeof *r->columns;
  r->columns = fastio__allocate(csv->options.env, size);
  if (!r->columns) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  memset(r->columns, 0, size);
  for (size_t i = 0; i < r->count; i++) {
    fastio__builder *column = &r->columns[i];
    column->place = i;
    column->position = csv->schema.columns[i];
    column->field = &csv->schema.fields[column->position];
    column->type = csv->types[i];
    column->is_inferred = column->type == 0;
    r->keeps |= column->is_inferred || csv->options.on_bad == FASTIO_BAD_STRING;
    atomic_init(&column->classes, 0);
  }
  r->keeps &= r->is_stream;
  return FASTIO_OK;
}

/* How many bytes the part has, FASTIO_NO_OFFSET if nobody knows. */
static uint64_t bytes_of(const reading *r) {
  fastio_source *source = r->csv->source;
  uint64_t limit, offset = r->part->offset;
  if (r->is_stream || fastio__source_limit(source, &limit, NULL) != FASTIO_OK) return r->part->length;
  limit = limit > offset ? limit - offset : 0;
  return limit < r->part->length ? limit : r->part->length;
}

static uint64_t scaled(uint64_t bytes, uint64_t part, uint64_t whole) {
  return (uint64_t)((double)bytes * ((double)part / (double)(whole ? whole : 1)) * 1.1) + 64;
}

/* Address space is cheap, but not without limit; what proves too small grows. */
static const uint64_t UNKNOWN_BYTES = UINT64_C(1) << (sizeof(size_t) > 4 ? 30 : 24);
enum { MANY_COLUMNS = 64 };

/* A guess from the first records: types, and how much room there must be. */
static fastio_status guess(reading *r, fastio__build *build, fastio_error *err) {
  fastio__sample sample;
  uint64_t bytes = bytes_of(r), rows;
  fastio_status status = fastio__csv_sample(r->csv, r->part, build, &sample, err);
  if (status != FASTIO_OK) return status;
  if (sample.is_all && sample.bytes < bytes) bytes = sample.bytes;
  if (bytes == FASTIO_NO_OFFSET)
    bytes = r->count > MANY_COLUMNS ? UNKNOWN_BYTES / r->count * MANY_COLUMNS : UNKNOWN_BYTES;
  rows = sample.records ? scaled(bytes, sample.records, sample.bytes) : bytes / 16;
  if (sample.is_all) rows = sample.records;
  /* each field takes a byte, with what ends it */
  size_t fields = r->csv->shape.fields;
  if (fields > 0 && !(r->csv->options.on_ragged & FASTIO_RAGGED_PAD) && rows > bytes / fields)
    rows = bytes / fields + 1;
  if (rows > r->part->max_rows) rows = r->part->max_rows;
  for (size_t i = 0; i < build->column_count; i++) {
    fastio__builder *column = &build->columns[i];
    column->expected_bytes = sample.bytes ? scaled(bytes, column->expected_bytes, sample.bytes)
                                          : bytes / r->csv->shape.fields + 64;
    if (!column->is_inferred) continue;
    column->type = fastio__infer_type(column->classes, r->csv->options.flags);
    fastio__builder_prepare(build, column);
  }
  return fastio__build_reserve(build, rows, err);
}

/* ---- passes ---- */

static fastio_status run(reading *r, fastio__build *build, fastio_source *source, const fastio_read_options *options,
                         uint64_t origin, uint64_t *rows, uint64_t *end, fastio_error *err) {
  fastio__consumer consumer = fastio__build_consumer(build);
  fastio__counts total = {0, 0};
  fastio_status status;
  consumer.origin = origin;
  if (source == r->csv->source && r->is_stream) consumer.stream = &r->csv->stream;
  if (r->keeps && build->is_first) consumer.kept = &r->kept;
  status = fastio__blocks_run(source, options, &consumer, &total, end, err);
  *rows = total.items;
  return status;
}

static void prepare(const reading *r, fastio__build *build) {
  build->schema = &r->csv->schema;
  build->is_stream = r->is_stream;
  build->record_base = r->record_base;
}

static fastio_status first_pass(reading *r, fastio_error *err) {
  fastio_csv *csv = r->csv;
  fastio_read_options options = options_of(csv, r->part);
  fastio__build build;
  fastio_status status = fastio__build_init(&build, &csv->options, &csv->shape, r->columns, r->count, err);
  if (status != FASTIO_OK) return status;
  prepare(r, &build);
  build.max_rows = r->part->max_rows;
  status = guess(r, &build, err);
  if (status == FASTIO_OK && r->keeps) status = fastio__region_init(&r->kept.region, csv->options.env, SIZE_MAX, err);
  if (status == FASTIO_OK) status = run(r, &build, csv->source, &options, csv->data_start, &r->rows, &r->end, err);
  r->report = build.report;
  r->start = build.start < r->end ? build.start : r->end;
  if (fastio__source_is_encoded(csv->source)) {
    r->end_place = csv->stream.raw;
    r->start_place = build.start < r->end ? build.start_place : r->end_place;
  } else {
    r->start_place = r->start;
    r->end_place = r->end;
  }
  if (status == FASTIO_OK) csv->records += build.records;
  fastio__build_destroy(&build);
  return status;
}

/* The type that the cells of the column have turned out to need. */
static fastio_type needed_type(const reading *r, fastio__builder *column) {
  unsigned classes = atomic_load(&column->classes);
  if (column->is_inferred) return fastio__infer_type(classes, r->csv->options.flags);
  return classes & FASTIO__IS_TEXT ? FASTIO_STRING : column->type;
}

/* Copies of the columns that must be read again, as they must be read. */
static fastio__builder *stale_columns(reading *r, size_t *count) {
  fastio__builder *stale = fastio__allocate(r->csv->options.env, r->count * sizeof *stale);
  *count = 0;
  for (size_t i = 0; stale && i < r->count; i++) {
    fastio__builder *column = &r->columns[i];
    fastio_type type = needed_type(r, column);
    if (type == column->type) continue;
    fastio__builder *again = &stale[(*count)++];
    fastio__builder_free(r->csv->options.env, column);
    *again = *column;
    again->type = type;
  }
  return stale;
}

/* The text that was kept is a source of its own. */
static fastio_status open_again(reading *r, fastio_read_options *options, fastio_source **source, fastio_error *err) {
  *source = r->csv->source;
  options->max_items = r->rows;
  if (!r->is_stream) return FASTIO_OK;
  options->offset = 0;
  options->length = FASTIO_NO_OFFSET;
  options->flags |= FASTIO__AT_ITEM;
  return fastio_source_memory(r->kept.region.data, r->kept.size, options->env, source, err);
}

static uint64_t place_in_kept(const reading *r, size_t at) {
  const fastio__kept *kept = &r->kept;
  if (!fastio__source_is_encoded(r->csv->source)) return kept->offset + at;
  return kept->raw + (at ? fastio__source_undecoded(r->csv->source, kept->offset, kept->region.data, at) : 0);
}

static fastio_status pass_again(reading *r, fastio__builder *stale, size_t count, fastio_error *err) {
  fastio_csv *csv = r->csv;
  fastio_read_options options = options_of(csv, r->part);
  fastio_source *source = NULL;
  fastio__build build;
  uint64_t rows = 0, end;
  fastio_status status = fastio__build_init(&build, &csv->options, &csv->shape, stale, count, err);
  if (status != FASTIO_OK) return status;
  prepare(r, &build);
  build.is_first = false;
  build.max_rows = r->rows;
  status = fastio__build_reserve(&build, r->rows, err);
  if (status == FASTIO_OK) status = open_again(r, &options, &source, err);
  if (status == FASTIO_OK) {
    status = run(r, &build, source, &options, r->is_stream ? 0 : csv->data_start, &rows, &end, err);
    if (status == FASTIO_OK && rows != r->rows)
      status = fastio__fail(err, FASTIO_TRUNCATED, "the source changed while it was read");
    if (source != csv->source) {
      fastio_source_close(source);
      if (err && status != FASTIO_OK && err->offset != FASTIO_NO_OFFSET) {
        err->offset = place_in_kept(r, (size_t)err->offset); /* it is the stream's place that is wanted */
        err->line += r->kept.newlines;
      }
    }
  }
  fastio__build_destroy(&build);
  return status;
}

fastio_status fastio__reading_again(reading *r, bool *done, fastio_error *err) {
  const fastio_env *env = r->csv->options.env;
  size_t count;
  fastio__builder *stale = stale_columns(r, &count);
  fastio_status status = stale ? FASTIO_OK : fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  *done = count == 0;
  if (status == FASTIO_OK && count > 0) status = pass_again(r, stale, count, err);
  for (size_t i = 0; stale && i < count; i++) r->columns[stale[i].place] = stale[i];
  fastio__release(env, stale, r->count * sizeof *stale);
  return status;
}

/* ---- the table ---- */

static bool is_matrix(const reading *r) { return (r->csv->options.flags & FASTIO_CSV_MATRIX) && r->count > 0; }

fastio_status fastio__reading_column(reading *r, size_t place, fastio_column **out, fastio_error *err) {
  fastio__builder *column = &r->columns[place];
  fastio__build build;
  fastio_status status = fastio__build_init(&build, &r->csv->options, &r->csv->shape, column,
                                            is_matrix(r) ? r->count : 1, err);
  if (status != FASTIO_OK) return status;
  status = fastio__build_column(&build, column, r->rows, out, err);
  fastio__build_destroy(&build);
  return status;
}

static fastio_status make_column(reading *r, size_t place, fastio_column **out, fastio_error *err) {
  fastio_status status = fastio__reading_column(r, place, out, err);
  if (status != FASTIO_OK || r->columns[place].type != FASTIO_DICTIONARY) return status;
  fastio_column *strings = *out;
  *out = NULL;
  status = fastio__column_encode(strings, r->csv->options.env, out, err);
  fastio_column_free(strings);
  return status;
}

/* Lines of places, which are sorted, in one go from the start of the source; streams know theirs. */
static void locate_places(reading *r) {
  fastio_report *report = &r->report;
  const fastio_env *env = r->csv->options.env;
  enum { PART = 64 << 10 };
  uint8_t *part = r->is_stream || report->place_count == 0 ? NULL : fastio__allocate(env, PART);
  uint64_t at = r->csv->located, line = r->csv->located_line;
  size_t got = 1;
  if (!part) return; /* without memory the places have no lines: no reason to fail */
  if (part && report->places[0].offset < at) at = 0, line = 1;
  for (uint64_t i = 0; i < report->place_count; i++) {
    fastio_place *place = &report->places[i];
    while (at < place->offset && got > 0) {
      size_t size = place->offset - at < PART ? (size_t)(place->offset - at) : PART;
      if (fastio__source_pread(r->csv->source, at, part, size, &got, NULL) != FASTIO_OK) got = 0;
      line += fastio__simd()->count_byte(part, got, '\n');
      at += got;
    }
    place->line = at == place->offset ? line : 0;
  }
  r->csv->located = at;
  r->csv->located_line = line;
  fastio__release(env, part, PART);
}

static fastio_status make_table(reading *r, fastio_table **out, fastio_error *err) {
  fastio_csv *csv = r->csv;
  const fastio_env *env = csv->options.env;
  size_t count = is_matrix(r) ? 1 : r->count, names_size = count * sizeof(fastio_bytes), made = 0;
  size_t columns_size = count * sizeof(fastio_column *);
  fastio_bytes *names = fastio__allocate(env, names_size);
  fastio_column **columns = fastio__allocate(env, columns_size);
  fastio_table view;
  fastio_status status = names && columns ? FASTIO_OK : fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  for (; status == FASTIO_OK && made < count; made += status == FASTIO_OK) {
    names[made] = r->columns[made].field->name;
    status = make_column(r, made, &columns[made], err);
  }
  if (status == FASTIO_OK) {
    memset(&view, 0, sizeof view);
    view.rows = r->rows;
    view.column_count = count;
    view.columns = (const fastio_column *const *)columns;
    view.names = names;
    view.report = &r->report;
    view.start = r->start_place;
    view.end = r->end_place;
    view.first_row = csv->rows;
    status = fastio__table_build(&view, env, out, err);
  }
  if (status != FASTIO_OK)
    for (size_t i = 0; i < made; i++) fastio_column_free(columns[i]);
  fastio__release(env, names, names_size);
  fastio__release(env, columns, columns_size);
  return status;
}

fastio_status fastio__reading_begin(reading *r, fastio_csv *csv, const fastio__part *part, fastio_error *err) {
  fastio_status status;
  bool done = false;
  memset(r, 0, sizeof *r);
  r->csv = csv;
  r->part = part;
  r->count = csv->schema.column_count;
  r->is_stream = csv->source->kind == FASTIO__STREAM;
  r->record_base = csv->records;
  status = make_builders(r, err);
  if (status == FASTIO_OK) status = first_pass(r, err);
  while (status == FASTIO_OK && !done) status = fastio__reading_again(r, &done, err);
  if (status == FASTIO_OK) locate_places(r);
  return status;
}

void fastio__reading_free(reading *r) {
  const fastio_env *env = r->csv->options.env;
  for (size_t i = 0; i < r->count && r->columns; i++) fastio__builder_free(env, &r->columns[i]);
  fastio__region_free(&r->kept.region);
  fastio__release(env, r->columns, r->count * sizeof *r->columns);
}

fastio_status fastio__csv_read(fastio_csv *csv, const fastio__part *part, fastio_table **out, uint64_t *end,
                               fastio_error *err) {
  reading r;
  fastio_status status = fastio__reading_begin(&r, csv, part, err);
  if (status == FASTIO_OK) status = make_table(&r, out, err);
  for (size_t i = 0; i < r.count && status == FASTIO_OK; i++) /* a part without rows tells nothing of types */
    if (csv->types[i] == 0 && r.rows > 0) csv->types[i] = r.columns[i].type;
  fastio__reading_free(&r);
  if (status == FASTIO_OK && end) *end = r.end;
  return status;
}

/* ---- passing over records ---- */

typedef struct passing {
  fastio__build build;
  fastio__consumer inner;
  fastio__each_window *each;
  void *ctx;
} passing;

static fastio__counts measure_window(void *ctx, fastio__window *window, bool exact) {
  passing *self = ctx;
  return self->inner.measure(&self->build, window, exact);
}

static fastio_status note_window(void *ctx, fastio__window *window, fastio__counts counts, fastio__counts total,
                                 fastio_error *err) {
  passing *self = ctx;
  if (self->each && window->size > 0 && !self->each(self->ctx, window->offset, total.items - counts.items))
    return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  return self->inner.ensure(&self->build, window, counts, total, err);
}

static void free_plan(void *ctx, void *scratch) {
  passing *self = ctx;
  self->inner.free_scratch(&self->build, scratch);
}

fastio_status fastio__csv_pass(fastio_csv *csv, const fastio__part *part, bool any_fields, fastio__each_window *each,
                               void *ctx, fastio__passed *passed, fastio_error *err) {
  fastio__shape shape = csv->shape;
  fastio_read_options options = options_of(csv, part);
  fastio__counts total = {0, 0};
  fastio__consumer consumer;
  passing self;
  fastio_status status;
  if (any_fields) shape.fields = FASTIO__ANY_FIELDS;
  status = fastio__build_init(&self.build, &csv->options, &shape, NULL, 0, err);
  if (status != FASTIO_OK) return status;
  self.build.schema = &csv->schema;
  self.build.max_rows = part->max_rows;
  self.build.record_base = any_fields ? 0 : csv->first_record;
  self.inner = fastio__build_consumer(&self.build);
  self.each = each;
  self.ctx = ctx;
  consumer = self.inner;
  consumer.ctx = &self;
  consumer.measure = measure_window;
  consumer.ensure = note_window;
  consumer.free_scratch = free_plan;
  consumer.origin = csv->data_start;
  if (csv->source->kind == FASTIO__STREAM) consumer.stream = &csv->stream;
  passed->end = part->offset;
  status = fastio__blocks_run(csv->source, &options, &consumer, &total, &passed->end, err);
  passed->rows = total.items;
  passed->blank_lines = self.build.report.blank_lines;
  passed->comment_lines = self.build.report.comment_lines;
  fastio__build_destroy(&self.build);
  return status;
}

/* ---- windows without a look at what is in them ---- */

typedef struct walk {
  const fastio_csv *csv;
  fastio__each_window *each;
  void *ctx;
  bool is_faulty; /* the last window is */
} walk;

static fastio__counts measure_nothing(void *ctx, fastio__window *window, bool exact) {
  (void)ctx, (void)exact;
  return (fastio__counts){window->size > 0, 0};
}

/* A quote that is never closed makes the rest of the source one record. */
static bool is_whole(const fastio_csv *csv, const fastio__window *window) {
  fastio__shape shape = {&csv->dialect, FASTIO__ANY_FIELDS, FASTIO_RAGGED_ERROR, NULL, NULL, UINT64_MAX};
  fastio__index index;
  memset(&index, 0, sizeof index);
  index.env = csv->options.env;
  fastio__index_build(&index, &shape, window);
  fastio__index_free(&index);
  return index.status == FASTIO_OK;
}

static fastio_status tell_window(void *ctx, fastio__window *window, fastio__counts counts, fastio__counts total,
                                 fastio_error *err) {
  walk *self = ctx;
  if (window->last) self->is_faulty = !is_whole(self->csv, window);
  if (counts.items == 0 || self->each(self->ctx, window->offset, total.items - 1)) return FASTIO_OK;
  return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
}

fastio_status fastio__csv_windows(fastio_csv *csv, const fastio__part *part, size_t block_size,
                                  fastio__each_window *each, void *ctx, uint64_t *end, fastio_error *err) {
  fastio_read_options options = options_of(csv, part);
  fastio__counts total = {0, 0};
  fastio__consumer consumer;
  walk self = {csv, each, ctx, false};
  fastio__part whole = *part;
  fastio__passed passed;
  fastio_status status;
  memset(&consumer, 0, sizeof consumer);
  consumer.ctx = &self;
  consumer.measure = measure_nothing;
  consumer.ensure = tell_window;
  consumer.origin = csv->data_start;
  fastio__dialect_cut(&csv->dialect, &consumer);
  options.block_size = block_size;
  options.max_items = FASTIO_NO_OFFSET;
  *end = part->offset;
  status = fastio__blocks_run(csv->source, &options, &consumer, &total, end, err);
  whole.max_rows = FASTIO_NO_OFFSET;
  return status == FASTIO_OK && self.is_faulty ? fastio__csv_pass(csv, &whole, true, NULL, NULL, &passed, err) : status;
}
