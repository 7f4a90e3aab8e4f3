/* The pipeline's consumer of tables: indexes windows, gives them their rows in order, fills columns; and what is made
 * of the columns in the end. */
#include "../text/text.h"
#include "build.h"

/* ---- plans ---- */

static void plan_free(void *ctx, void *scratch) {
  fastio__build *build = ctx;
  fastio__plan *plan = scratch;
  fastio__index_free(&plan->index);
  fastio__release(build->env, plan->text, plan->text_capacity);
  fastio__release(build->env, plan, sizeof *plan + 2 * plan->column_count * sizeof(uint64_t));
}

static fastio__plan *plan_new(fastio__build *build) {
  size_t size = sizeof(fastio__plan) + 2 * build->column_count * sizeof(uint64_t);
  fastio__plan *plan = fastio__allocate(build->env, size);
  if (!plan) return NULL;
  memset(plan, 0, size);
  plan->index.env = build->env;
  plan->column_count = build->column_count;
  plan->bytes = (uint64_t *)(plan + 1);
  plan->bases = plan->bytes + build->column_count;
  return plan;
}

static bool is_text(const fastio__builder *column) {
  return column->type == FASTIO_STRING || column->type == FASTIO_DICTIONARY;
}

/* ---- measuring ---- */

static bool may_have_strings(const fastio__build *build) {
  for (size_t i = 0; i < build->column_count; i++)
    if (is_text(&build->columns[i]) || build->columns[i].is_inferred) return true;
  return false;
}

static void index_window(fastio__build *build, fastio__plan *plan, const fastio__window *window) {
  fastio__index_build(&plan->index, &build->shape, window);
  for (size_t i = 0; i < build->column_count; i++)
    if (is_text(&build->columns[i])) plan->bytes[i] = fastio__measure_strings(build, plan, &build->columns[i]);
}

/* A record that the end of the source cuts short is left out. */
static void cut_tail(const fastio__build *build, fastio__window *window) {
  size_t start;
  if (!window->last || build->partial == FASTIO_PARTIAL_EMIT) return;
  start = fastio__dialect_tail(build->shape.dialect, window->data, window->size);
  window->tail = window->size - start;
  window->size = start;
}

static fastio__counts measure(void *ctx, fastio__window *window, bool exact) {
  fastio__build *build = ctx;
  fastio__counts counts = {0, 0};
  (void)exact;
  cut_tail(build, window);
  if (!window->scratch) window->scratch = plan_new(build);
  if (!window->scratch) return counts; /* ensure will see it */
  /* a callback must not be asked about what is not wanted; with one, windows are measured in their turn */
  if (build->shape.on_ragged & FASTIO_RAGGED_CALL) build->shape.row_limit = build->max_rows - build->rows;
  fastio__plan *plan = window->scratch;
  index_window(build, plan, window);
  /* One look at all of the text, columns that nobody wants included; if it fails, the cells are looked at. */
  plan->is_valid_text = !may_have_strings(build) ||
                        (plan->index.copy_size == 0 && fastio__utf8_prefix(window->data, window->size) == window->size);
  counts.items = plan->index.rows;
  return counts;
}

/* ---- taking rows, in order ---- */

static size_t width_of(const fastio__builder *column) {
  return column->type == FASTIO_BOOL ? 1 : fastio_type_size(column->type);
}

static bool moves(void *ctx, const fastio__window *window, fastio__counts total) {
  fastio__build *build = ctx;
  const fastio__plan *plan = window->scratch;
  if (!plan || total.items >= SIZE_MAX / 16) return false;
  for (size_t i = 0; i < build->column_count; i++) {
    const fastio__builder *column = &build->columns[i];
    size_t rows = (size_t)total.items;
    if (is_text(column)) {
      if (fastio__region_moves(&column->offsets, (rows + 1) * sizeof(int64_t)) ||
          fastio__region_moves(&column->data, (size_t)(column->bytes + plan->bytes[i])))
        return true;
    } else if (i == 0 || !build->matrix) {
      size_t items = build->matrix ? build->matrix : 1, size = SIZE_MAX;
      (void)fastio__multiply(rows, items * width_of(column), &size);
      if (fastio__region_moves(&column->data, size)) return true;
    }
  }
  return false;
}

static fastio_status make_room(fastio__build *build, size_t place, uint64_t rows, uint64_t bytes, fastio_error *err) {
  fastio__builder *column = &build->columns[place];
  size_t size;
  if (rows >= SIZE_MAX / 16 || bytes > SIZE_MAX) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  if (is_text(column)) {
    fastio_status status = fastio__region_ensure(&column->offsets, ((size_t)rows + 1) * sizeof(int64_t), err);
    return status == FASTIO_OK ? fastio__region_ensure(&column->data, (size_t)bytes, err) : status;
  }
  if (build->matrix && place > 0) return FASTIO_OK;
  if (!fastio__multiply((size_t)rows, (build->matrix ? build->matrix : 1) * width_of(column), &size))
    return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  return fastio__region_ensure(&column->data, size, err);
}

static fastio_status index_failure(const fastio__build *build, const fastio__plan *plan, const fastio__window *window,
                                   fastio_error *err) {
  const fastio__index *index = &plan->index;
  fastio_status status = index->status;
  if (status == FASTIO_NO_MEMORY || status == FASTIO_CALLBACK_FAILED) return fastio__fail(err, status, NULL);
  fastio__fail_at(err, status, index->message, window->offset + index->failed_at, window->data + index->failed_at,
                  index->failed_size);
  if (!err) return status;
  err->record = plan->record_base + index->records + 1;
  err->field = index->failed_field;
  if (status == FASTIO_BAD_QUOTE) fastio__name_field(build->schema, index->failed_field, err);
  if (status == FASTIO_RAGGED) err->expected = index->fields;
  return status;
}

/* Blanks and comments may be cut short, a record may not. */
static fastio_status check_tail(const fastio__build *build, const fastio__plan *plan, const fastio__window *window,
                                fastio_error *err) {
  const uint8_t *tail = window->data + window->size;
  fastio__bounds cells = {build->env, NULL, 0, 0};
  fastio__record_kind kind;
  fastio__fault fault;
  size_t next;
  if (build->partial != FASTIO_PARTIAL_ERROR || !window->last || window->tail == 0) return FASTIO_OK;
  kind = fastio__record_next(build->shape.dialect, tail, 0, window->tail, true, &cells, &next, &fault);
  fastio__bounds_free(&cells);
  if (kind == FASTIO__RECORD_BLANK || kind == FASTIO__RECORD_COMMENT) return FASTIO_OK;
  if (kind == FASTIO__RECORD_NO_MEMORY) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  fastio__cut_short(window->offset + window->size, tail, tail + window->tail, err);
  if (err) err->record = plan->record_base + plan->index.records + 1;
  return FASTIO_TRUNCATED;
}

static fastio_status check_end(const fastio__build *build, const fastio__plan *plan, const fastio__window *window,
                               fastio_error *err) {
  return plan->index.status ? index_failure(build, plan, window, err) : check_tail(build, plan, window, err);
}

static void add_counts(fastio_report *sum, const fastio_report *counts) {
  sum->padded += counts->padded;
  sum->truncated += counts->truncated;
  sum->skipped += counts->skipped;
  sum->replaced += counts->replaced;
  sum->blank_lines += counts->blank_lines;
  sum->comment_lines += counts->comment_lines;
}

static fastio_status ensure(void *ctx, fastio__window *window, fastio__counts counts, fastio__counts total,
                            fastio_error *err) {
  fastio__build *build = ctx;
  fastio__plan *plan = window->scratch;
  if (!plan) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  if (total.items == build->max_rows) { /* nothing behind the last row is looked at */
    window->size = counts.items ? fastio__index_row_end(&plan->index, (size_t)counts.items - 1) : 0;
    window->last = false;
    bool asked = build->shape.on_ragged & FASTIO_RAGGED_CALL && plan->index.rows == counts.items;
    if (!asked) index_window(build, plan, window); /* else it stopped there by itself */
  }
  if (build->start == FASTIO_NO_OFFSET) {
    build->start = window->offset;
    build->start_place = fastio__window_place(window, window->offset);
  }
  plan->row_base = total.items - counts.items;
  plan->record_base = build->record_base + build->records;
  build->records += plan->index.records;
  build->rows = total.items;
  if (build->is_first) add_counts(&build->report, &plan->index.report);
  if (build->column_count == 0) return check_end(build, plan, window, err);
  for (size_t i = 0; i < build->column_count; i++) {
    fastio__builder *column = &build->columns[i];
    plan->bases[i] = column->bytes;
    if (is_text(column)) column->bytes += plan->bytes[i];
    fastio_status status = make_room(build, i, total.items, column->bytes, err);
    if (status != FASTIO_OK) return status;
  }
  return FASTIO_OK;
}

/* ---- filling ---- */

/* Of all places the first ones stay, sorted by offset. */
static void add_place(fastio_report *report, const fastio_place *place) {
  uint64_t i = report->place_count;
  if (i == FASTIO_REPORT_PLACES) {
    if (report->places[i - 1].offset <= place->offset) return;
    i--;
  } else {
    report->place_count++;
  }
  for (; i > 0 && report->places[i - 1].offset > place->offset; i--) report->places[i] = report->places[i - 1];
  report->places[i] = *place;
}

static void add_places(fastio__filling *f, const fastio__notes *notes) {
  const fastio__window *window = f->window;
  for (size_t i = 0; i < notes->count; i++) {
    const fastio__note *note = &notes->items[i];
    fastio_error where;
    fastio__fail_at(&where, note->status, NULL, window->offset + note->at, NULL, 0);
    if (f->build->is_stream) fastio__locate_in_window(window, &where);
    fastio_place place = {note->status, where.offset, where.line, f->plan->record_base + note->record + 1, note->field};
    add_place(&f->build->report, &place);
  }
}

static void report(fastio__filling *f) {
  if (!f->build->is_first || (f->bad.count == 0 && f->plan->index.notes.count == 0)) return;
  fastio__mutex_lock(&f->build->mutex);
  f->build->report.bad_cells += f->bad_count;
  add_places(f, &f->plan->index.notes);
  add_places(f, &f->bad);
  fastio__mutex_unlock(&f->build->mutex);
}

static fastio_status fill(void *ctx, const fastio__window *window, fastio__counts base, fastio__counts *counts,
                          fastio_error *err) {
  fastio__build *build = ctx;
  fastio__filling f;
  (void)base, (void)counts;
  memset(&f, 0, offsetof(fastio__filling, fault));
  f.build = build;
  f.plan = window->scratch;
  f.window = window;
  f.bad.env = build->env;
  f.fault_at = SIZE_MAX;
  f.no_memory = false;
  bool filled = build->matrix && fastio__fill_matrix(&f);
  for (size_t i = 0; i < build->column_count && !filled && !f.no_memory; i++) {
    f.column = &build->columns[i];
    /* its type is settled, and another pass will read it */
    if (f.column->is_inferred && !is_text(f.column) && fastio__infer_is_text(atomic_load(&f.column->classes))) {
      if (!f.plan->is_valid_text) fastio__check_texts(&f);
      continue;
    }
    fastio__fill_column(&f);
  }
  report(&f);
  fastio__release(build->env, f.bad.items, f.bad.capacity * sizeof *f.bad.items);
  if (f.no_memory) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  if (f.fault_at != SIZE_MAX) {
    if (err) *err = f.fault;
    return f.fault.status;
  }
  return check_end(build, f.plan, window, err);
}

fastio__consumer fastio__build_consumer(fastio__build *build) {
  fastio__consumer consumer;
  memset(&consumer, 0, sizeof consumer);
  consumer.ctx = build;
  consumer.padded = consumer.exact = true;
  consumer.measure = measure;
  consumer.ensure = ensure;
  consumer.free_scratch = plan_free;
  fastio__dialect_cut(build->shape.dialect, &consumer);
  if (build->column_count > 0) {
    consumer.moves = moves;
    consumer.fill = fill;
  }
  return consumer;
}

/* ---- start and end ---- */

fastio_status fastio__build_init(fastio__build *build, const fastio_csv_options *options, const fastio__shape *shape,
                                 fastio__builder *columns, size_t column_count, fastio_error *err) {
  memset(build, 0, sizeof *build);
  build->env = options->env;
  build->shape = *shape;
  build->flags = options->flags;
  build->on_bad = options->on_bad;
  build->partial = options->partial;
  build->spelling.point = (uint8_t)options->decimal;
  build->spelling.thousands = options->thousands;
  build->spelling.percent = (options->flags & FASTIO_CSV_PERCENT) != 0;
  build->spelling.unicode_minus = (options->flags & FASTIO_CSV_UNICODE_MINUS) != 0;
  build->respell = options->decimal != '.' || options->thousands != FASTIO_NONE || build->spelling.percent ||
                   build->spelling.unicode_minus;
  build->columns = columns;
  build->column_count = column_count;
  build->is_first = true;
  build->max_rows = build->start = FASTIO_NO_OFFSET;
  if (options->flags & FASTIO_CSV_MATRIX) build->matrix = column_count;
  for (size_t i = 0; i < column_count; i++) fastio__builder_prepare(build, &columns[i]);
  return fastio__mutex_init(&build->mutex) == 0 ? FASTIO_OK : fastio__fail(err, FASTIO_NO_MEMORY, NULL);
}

void fastio__build_destroy(fastio__build *build) { fastio__mutex_destroy(&build->mutex); }

void fastio__builder_free(const fastio_env *env, fastio__builder *column) {
  fastio__region_free(&column->data);
  fastio__region_free(&column->offsets);
  fastio__null_bits_free(env, column->missing);
  column->missing = NULL;
  column->bytes = 0;
}

static size_t bound_of(uint64_t count, size_t width) {
  return count > SIZE_MAX / width ? SIZE_MAX : (size_t)count * width;
}

fastio_status fastio__build_reserve(fastio__build *build, uint64_t rows, fastio_error *err) {
  fastio_status status = FASTIO_OK;
  for (size_t i = 0; i < build->column_count && status == FASTIO_OK; i++) {
    fastio__builder *column = &build->columns[i];
    if (is_text(column)) {
      status = fastio__region_init(&column->data, build->env, bound_of(column->expected_bytes, 1), err);
      if (status == FASTIO_OK)
        status = fastio__region_init(&column->offsets, build->env, bound_of(rows, sizeof(int64_t)), err);
      if (status == FASTIO_OK) status = make_room(build, i, 0, 0, err);
      if (status == FASTIO_OK) *(int64_t *)(void *)column->offsets.data = 0;
    } else if (i == 0 || !build->matrix) {
      size_t width = (build->matrix ? build->matrix : 1) * width_of(column);
      status = fastio__region_init(&column->data, build->env, bound_of(rows, width), err);
    }
  }
  return status;
}

/* Bytes of 0 and 1 become bits, in place: bit i is written after byte i is read. */
static void pack_bools(uint8_t *data, size_t count) {
  for (size_t i = 0; i < count; i += 8) {
    uint8_t bits = 0;
    for (size_t k = 0; k < 8 && i + k < count; k++) bits |= (uint8_t)(data[i + k] << k);
    data[i / 8] = bits;
  }
}

fastio_status fastio__build_column(fastio__build *build, fastio__builder *column, uint64_t rows, fastio_column **out,
                                   fastio_error *err) {
  fastio__column_parts parts;
  fastio_column view;
  fastio_status status;
  memset(&view, 0, sizeof view);
  memset(&parts, 0, sizeof parts);
  view.type = column->type == FASTIO_DICTIONARY ? FASTIO_STRING : column->type;
  view.length = rows;
  if (is_text(column)) {
    view.data_size = column->bytes;
    fastio__region_trim(&column->offsets, ((size_t)rows + 1) * sizeof(int64_t));
  } else if (column->type == FASTIO_BOOL) {
    pack_bools(column->data.data, (size_t)rows);
    view.data_size = (rows + 7) / 8;
  } else {
    view.data_size = rows * fastio_type_size(column->type);
  }
  if (build->matrix) {
    view.length *= build->matrix;
    view.data_size *= build->matrix;
    view.row_items = build->matrix;
  }
  fastio__region_trim(&column->data, (size_t)view.data_size);
  status = fastio__validity_build(column->missing, rows, build->env, &parts.validity, &view.null_count, err);
  if (status != FASTIO_OK) return status;
  parts.data = column->data;
  parts.offsets = column->offsets;
  status = fastio__column_build(&view, &parts, build->env, out, err);
  if (status != FASTIO_OK) {
    fastio__region_free(&parts.validity);
    return status;
  }
  memset(&column->data, 0, sizeof column->data);
  memset(&column->offsets, 0, sizeof column->offsets);
  return FASTIO_OK;
}
