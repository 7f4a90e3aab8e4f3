/* The cells of one column of a window into the column: kernels for numbers, loops for the rest, cell.c for whatever is
 * not of the common form. */
#include "../text/text.h"
#include "build.h"

/* ---- what depends on the type and the nulls ---- */

/* As the kernel of the type would store the null; false: it would not. */
static bool null_number(const fastio__build *build, fastio_type type, const fastio_bytes *null, uint64_t *out) {
  uint8_t spelled[64];
  const uint8_t *data = null->data;
  size_t size = null->size;
  fastio_status status;
  *out = 0;
  if (size == 0 || size > sizeof spelled - 8) return false;
  if (build->respell) {
    size = fastio__respell(&build->spelling, data, size, fastio__is_float(type), spelled);
    data = spelled;
    if (size == SIZE_MAX) return false;
  }
  if (type == FASTIO_FLOAT64) status = fastio__parse_f64(data, size, (double *)(void *)out, NULL);
  else if (type == FASTIO_FLOAT32) status = fastio__parse_f32(data, size, (float *)(void *)out, NULL);
  else if (type == FASTIO_UINT64) status = fastio__parse_u64(data, size, 10, out, NULL);
  else status = fastio__parse_i64(data, size, 10, (int64_t *)(void *)out, NULL);
  return status == FASTIO_OK;
}

void fastio__builder_prepare(const fastio__build *build, fastio__builder *column) {
  const fastio__field *field = column->field;
  column->only_empty_is_null = field->null_count == 1 && field->nulls[0].size == 0;
  column->null_number_count = 0;
  column->kernels_apply = fastio__is_number(column->type) && !(build->flags & FASTIO_CSV_OVERFLOW_ERROR);
  for (size_t i = 0; fastio__is_number(column->type) && i < field->null_count; i++) {
    uint64_t number;
    if (!null_number(build, column->type, &field->nulls[i], &number)) continue;
    if (column->null_number_count == sizeof column->null_numbers / sizeof *column->null_numbers) {
      column->kernels_apply = false;
      return;
    }
    column->null_numbers[column->null_number_count++] = number;
  }
}

/* ---- numbers ---- */

enum { CHUNK = 1024 }; /* rows that go through a block on the stack, if they do not go straight to the column */

static void run_kernel(const fastio__filling *f, const fastio__cells *cells, fastio__cell_progress *progress,
                       void *out) {
  const fastio__kernels *kernels = fastio__simd();
  switch (f->column->type) {
    case FASTIO_FLOAT64: kernels->f64_cells(cells, progress, out); break;
    case FASTIO_FLOAT32: kernels->f32_cells(cells, progress, out); break;
    case FASTIO_UINT64: kernels->u64_cells(cells, progress, out); break;
    default: kernels->i64_cells(cells, progress, out);
  }
}

static void round_rest(const fastio__filling *f, const fastio__decimals *rest, void *out) {
  for (size_t i = 0; i < rest->count; i++) {
    const fastio__decimal *decimal = &rest->items[i];
    if (f->column->type == FASTIO_FLOAT32) ((float *)out)[decimal->index] = fastio__round_f32(decimal);
    else ((double *)out)[decimal->index] = fastio__round_f64(decimal);
  }
}

static bool is_null_number(const fastio__builder *column, const char *slot, size_t width) {
  for (size_t i = 0; i < column->null_number_count; i++)
    if (memcmp(slot, &column->null_numbers[i], width) == 0) return true;
  return false;
}

/* Rows that the kernel gave the value of a null: the text decides. */
static void look_at_nulls(fastio__filling *f, size_t first, size_t from, const fastio__cell_progress *progress,
                          size_t width, char *out) {
  size_t other = 0;
  for (size_t row = from; row < progress->done; row++) {
    if (other < progress->other_count && progress->others[other] == row) other++; /* it has been looked at */
    else if (is_null_number(f->column, out + row * width, width))
      fastio__convert_cell(f, first + row, out + row * width);
  }
}

/* The cells from row `first` on into out[0], ... Slots are 8 bytes, or 4 for float32. */
static void convert_numbers(fastio__filling *f, size_t first, size_t count, char *out) {
  size_t width = f->column->type == FASTIO_FLOAT32 ? 4 : 8;
  fastio__cells cells = f->cells;
  fastio__cell_progress progress;
  progress.done = 0;
  progress.plain = f->column->is_inferred;
  progress.point = f->build->spelling.point;
  if (!f->column->kernels_apply) {
    for (size_t row = 0; row < count; row++) fastio__convert_cell(f, first + row, out + row * width);
    return;
  }
  cells.starts += first * cells.start_step;
  cells.ends += first * cells.end_step;
  cells.count = count;
  while (progress.done < count) {
    size_t from = progress.done;
    progress.other_count = progress.rest.count = 0;
    run_kernel(f, &cells, &progress, out);
    round_rest(f, &progress.rest, out);
    for (size_t i = 0; i < progress.other_count; i++) {
      size_t row = progress.others[i];
      fastio__convert_cell(f, first + row, out + row * width);
    }
    if (f->column->null_number_count) look_at_nulls(f, first, from, &progress, width, out);
  }
}

static void limits_of(fastio_type type, int64_t *low, int64_t *high) {
  unsigned bits = 8 * (unsigned)fastio_type_size(type);
  bool is_signed = type <= FASTIO_INT64;
  *low = is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
  *high = is_signed ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
}

/* Integers that fit their type's few bytes, from the block to out[i * step]. */
static void store_narrow(fastio__filling *f, size_t first, size_t count, int64_t *block, char *out, size_t step) {
  size_t width = fastio_type_size(f->column->type);
  int64_t low, high;
  limits_of(f->column->type, &low, &high);
  for (size_t row = 0; row < count; row++) {
    if (block[row] < low || block[row] > high) {
      fastio__text text = fastio__text_of(f, first + row);
      if (text.data) fastio__bad_cell(f, first + row, FASTIO_OUT_OF_RANGE, &text);
      block[row] = 0;
    }
    switch (width) {
      case 1: *(uint8_t *)(out + row * step) = (uint8_t)block[row]; break;
      case 2: *(uint16_t *)(void *)(out + row * step) = (uint16_t)block[row]; break;
      default: *(uint32_t *)(void *)(out + row * step) = (uint32_t)block[row];
    }
  }
}

static void fill_numbers(fastio__filling *f, char *out, size_t step) {
  size_t rows = f->plan->index.rows, width = fastio_type_size(f->column->type), done = 0;
  bool is_narrow = fastio__is_integer(f->column->type) && width < 8;
  int64_t block[CHUNK];
  if (!is_narrow && step == width) {
    convert_numbers(f, 0, rows, out);
    return;
  }
  for (; done < rows; done += CHUNK, out += CHUNK * step) {
    size_t count = rows - done < CHUNK ? rows - done : CHUNK;
    convert_numbers(f, done, count, (char *)block);
    if (is_narrow) store_narrow(f, done, count, block, out, step);
    else if (width == 8) /* said twice, so that each copy is one store */
      for (size_t row = 0; row < count; row++) memcpy(out + row * step, (char *)block + row * 8, 8);
    else
      for (size_t row = 0; row < count; row++) memcpy(out + row * step, (char *)block + row * 4, 4);
  }
}

/* ---- a matrix ---- */

/* The cells of all fields, one record after the other. False: they do not lie so. */
static bool all_cells(const fastio__build *build, const fastio__index *index, fastio__cells *cells) {
  if (index->last_ends || index->fields != build->column_count) return false;
  if (index->edges && index->row_edges != index->fields) return false;
  for (size_t i = 0; i < build->column_count; i++)
    if (build->columns[i].position != i) return false;
  *cells = fastio__index_cells(index, 0);
  cells->start_step = cells->end_step = index->edges ? 1 : 2;
  cells->count = index->rows * index->fields;
  return true;
}

bool fastio__fill_matrix(fastio__filling *f) {
  fastio__build *build = f->build;
  const fastio__index *index = &f->plan->index;
  size_t width = fastio_type_size(build->columns[0].type), columns = build->matrix;
  char *out = (char *)build->columns[0].data.data + (size_t)f->plan->row_base * columns * width;
  fastio__cells cells;
  fastio__cell_progress progress;
  f->column = &build->columns[0];
  if (width < 4 || (width == 4 && fastio__is_integer(f->column->type)) || !f->column->kernels_apply ||
      !all_cells(build, index, &cells))
    return false;
  f->missing = NULL;
  progress.done = 0;
  progress.plain = false;
  progress.point = build->spelling.point;
  while (progress.done < cells.count) {
    progress.other_count = progress.rest.count = 0;
    f->column = &build->columns[0];
    run_kernel(f, &cells, &progress, out);
    round_rest(f, &progress.rest, out);
    for (size_t i = 0; i < progress.other_count; i++) {
      size_t cell = progress.others[i];
      f->column = &build->columns[cell % columns];
      f->cells = fastio__index_cells(index, cell % columns);
      fastio__convert_cell(f, cell / columns, out + cell * width);
    }
  }
  return true;
}

/* ---- dates, times, bools ---- */

/* A cell in the common form. */
FASTIO__INLINE bool parse_directly(fastio_type type, const uint8_t *start, size_t size, char *slot) {
  int zone = 0;
  bool value;
  switch (type) {
    case FASTIO_DATE: return fastio__parse_date(start, size, (int32_t *)(void *)slot, NULL) == FASTIO_OK;
    case FASTIO_TIME: return fastio__parse_time(start, size, (int64_t *)(void *)slot, NULL) == FASTIO_OK;
    case FASTIO_BOOL:
      if (fastio__parse_bool(start, size, &value) != FASTIO_OK) return false;
      *slot = value;
      return true;
    default:
      return fastio__parse_timestamp(start, size, (int64_t *)(void *)slot, &zone, NULL) == FASTIO_OK &&
             zone == (type == FASTIO_TIMESTAMP_UTC);
  }
}

static void fill_others(fastio__filling *f, char *out) {
  fastio_type type = f->column->type;
  size_t width = type == FASTIO_BOOL ? 1 : fastio_type_size(type);
  bool has_word_nulls = !f->column->only_empty_is_null; /* a null may look like a value */
  for (size_t row = 0; row < f->plan->index.rows; row++, out += width) {
    const uint8_t *start = fastio__cell_start(&f->cells, row), *end = fastio__cell_end(&f->cells, row);
    if (has_word_nulls || !parse_directly(type, start, (size_t)(end - start), out)) fastio__convert_cell(f, row, out);
  }
}

/* ---- strings ---- */

/* Whether cells stand as they are, unless they are quoted, and are null only if they are empty. */
static bool texts_are_simple(const fastio__build *build, const fastio__builder *column) {
  const fastio__dialect *d = build->shape.dialect;
  return !d->trim && d->escape == FASTIO_NONE && column->only_empty_is_null;
}

/* The quote that may open a cell of the window; FASTIO_NONE: there are no quotes. */
static int quote_of(const fastio__build *build, const fastio__plan *plan) {
  return plan->index.has_quotes ? build->shape.dialect->quote : FASTIO_NONE;
}

/* The bytes that the cell gives to its column, in `out` unless that is NULL; 0 for nulls. */
static size_t take_string(const fastio__build *build, const fastio__plan *plan, const fastio__builder *column,
                          const uint8_t *start, const uint8_t *end, uint8_t *out, fastio__text *text, bool *is_null) {
  const fastio__dialect *d = build->shape.dialect;
  size_t size;
  text->is_missing = start == plan->index.data + FASTIO__MISSING(&plan->index);
  text->quoted = false;
  text->data = start;
  if (text->is_missing) {
    *is_null = true;
    return 0;
  }
  const uint8_t *plain_start = start, *plain_end = end;
  if (fastio__cell_is_plain(d, &plain_start, &plain_end, &text->quoted)) {
    text->data = plain_start;
    text->size = size = (size_t)(plain_end - plain_start);
    *is_null = fastio__is_null(build, column, text);
    if (!*is_null && out && size) memcpy(out, plain_start, size);
    return *is_null ? 0 : size;
  }
  /* With doubled quotes or escapes, it could be null only if nulls have such, too. */
  bool may_be_null = !text->quoted || (build->flags & FASTIO_CSV_QUOTED_NULL);
  *is_null = false;
  for (size_t i = 0; may_be_null && i < column->field->null_count && !*is_null; i++)
    *is_null = fastio__cell_equals(d, start, end, &column->field->nulls[i]);
  /* a null was measured as nothing, so that nothing may be written */
  text->size = *is_null ? 0 : fastio__cell_text(d, start, end, out, &text->quoted);
  return text->size;
}

uint64_t fastio__measure_strings(fastio__build *build, fastio__plan *plan, fastio__builder *column) {
  fastio__cells cells = fastio__index_cells(&plan->index, column->position);
  uint64_t bytes = 0;
  bool simple = texts_are_simple(build, column);
  int quote = quote_of(build, plan);
  for (size_t row = 0; row < cells.count; row++) {
    const uint8_t *start = fastio__cell_start(&cells, row), *end = fastio__cell_end(&cells, row);
    fastio__text text;
    bool is_null;
    if (simple && (quote == FASTIO_NONE || *start != quote))
      bytes += (size_t)(end - start); /* a null has none, either */
    else bytes += take_string(build, plan, column, start, end, NULL, &text, &is_null);
  }
  return bytes;
}

static void check_text(fastio__filling *f, size_t row, const uint8_t *start, const uint8_t *end) {
  size_t size = (size_t)(end - start), valid = fastio__utf8_prefix(start, size);
  if (valid < size)
    fastio__complain(f, row, FASTIO_BAD_ENCODING, "not valid UTF-8", start + valid,
                     fastio__utf8_bad_size(start + valid, size - valid));
}

void fastio__check_texts(fastio__filling *f) {
  f->cells = fastio__index_cells(&f->plan->index, f->column->position);
  for (size_t row = 0; row < f->plan->index.rows; row++)
    check_text(f, row, fastio__cell_start(&f->cells, row), fastio__cell_end(&f->cells, row));
}

static void note_classes(fastio__filling *f, const uint8_t *data, size_t size) {
  f->classes |= fastio__classes_of(f->build, data, size);
}

static void fill_strings(fastio__filling *f, size_t place) {
  fastio__build *build = f->build;
  fastio__plan *plan = f->plan;
  fastio__builder *column = f->column;
  uint64_t base = plan->bases[place];
  uint8_t *out = column->data.data + base, *limit = out + plan->bytes[place];
  int64_t *offsets = (int64_t *)(void *)column->offsets.data + plan->row_base + 1;
  bool simple = texts_are_simple(build, column);
  int quote = quote_of(build, plan);
  bool classify = column->is_inferred && !fastio__infer_is_text(atomic_load(&column->classes));
  for (size_t row = 0; row < plan->index.rows; row++) {
    const uint8_t *start = fastio__cell_start(&f->cells, row), *end = fastio__cell_end(&f->cells, row);
    fastio__text text = {start, 0, false, false};
    bool is_null;
    size_t size = (size_t)(end - start);
    if (!plan->is_valid_text) check_text(f, row, start, end);
    if (simple && (quote == FASTIO_NONE || *start != quote)) {
      is_null = size == 0;
      /* Most texts are short. Copying 32 bytes costs less than finding out how many; the next cell covers the excess.
       */
      if (size <= 32 && limit - out >= 32) memcpy(out, start, 32);
      else if (size) memcpy(out, start, size);
    } else {
      size = take_string(build, plan, column, start, end, out, &text, &is_null);
    }
    if (is_null) fastio__set_null(f, row);
    else if (classify) {
      note_classes(f, out, size);
      classify = !fastio__infer_is_text(f->classes);
    }
    out += size;
    offsets[row] = (int64_t)(base += size);
  }
}

/* ---- any column ---- */

static void link_missing(fastio__filling *f) {
  if (!f->missing) return;
  fastio__mutex_lock(&f->build->mutex);
  f->missing->next = f->column->missing;
  f->column->missing = f->missing;
  fastio__mutex_unlock(&f->build->mutex);
  f->missing = NULL;
}

void fastio__fill_column(fastio__filling *f) {
  fastio__build *build = f->build;
  fastio__builder *column = f->column;
  size_t place = (size_t)(column - build->columns), width = fastio_type_size(column->type);
  uint64_t row = f->plan->row_base;
  f->cells = fastio__index_cells(&f->plan->index, column->position);
  f->missing = NULL;
  f->classes = 0;
  if (column->type == FASTIO_STRING || column->type == FASTIO_DICTIONARY) {
    fill_strings(f, place);
  } else if (fastio__is_number(column->type)) {
    size_t items = build->matrix ? build->matrix : 1;
    char *data = (char *)(build->matrix ? build->columns : column)->data.data;
    fill_numbers(f, data + ((size_t)row * items + (build->matrix ? place : 0)) * width, items * width);
  } else {
    fill_others(f, (char *)column->data.data + (size_t)row * (column->type == FASTIO_BOOL ? 1 : width));
  }
  link_missing(f);
  if (f->classes) atomic_fetch_or(&column->classes, f->classes);
}
