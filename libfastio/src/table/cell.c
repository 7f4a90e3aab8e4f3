/* One cell, whatever is in it: quotes, nulls, spellings, the one-token parsers, and what becomes of bad ones. */
#include "../text/text.h"
#include "build.h"

#include <math.h>

/* ---- text ---- */

static bool reserve_text(fastio__filling *f, size_t size) {
  fastio__plan *plan = f->plan;
  if (size <= plan->text_capacity) return true;
  fastio__release(f->build->env, plan->text, plan->text_capacity);
  plan->text = fastio__allocate(f->build->env, size);
  plan->text_capacity = plan->text ? size : 0;
  f->no_memory |= !plan->text;
  return plan->text != NULL;
}

fastio__text fastio__text_of(fastio__filling *f, size_t row) {
  const fastio__dialect *dialect = f->build->shape.dialect;
  const uint8_t *start = fastio__cell_start(&f->cells, row), *end = fastio__cell_end(&f->cells, row);
  fastio__text text = {start, 0, false, start == f->cells.data + FASTIO__MISSING(&f->plan->index)};
  if (text.is_missing) return text;
  if (fastio__cell_is_plain(dialect, &start, &end, &text.quoted)) {
    text.data = start;
    text.size = (size_t)(end - start);
    return text;
  }
  start = fastio__cell_start(&f->cells, row);
  end = fastio__cell_end(&f->cells, row);
  text.data = reserve_text(f, 2 * (size_t)(end - start) + 8) ? f->plan->text : NULL;
  if (text.data) text.size = fastio__cell_text(dialect, start, end, f->plan->text, &text.quoted);
  return text;
}

/* Around values other than strings blanks do not count. Under inference they do: it must not depend on the guess. */
static void trim(const fastio__filling *f, fastio__text *text) {
  if (f->column->is_inferred || text->quoted) return;
  while (text->size && fastio__is_blank(text->data[0])) text->data++, text->size--;
  while (text->size && fastio__is_blank(text->data[text->size - 1])) text->size--;
}

/* ---- nulls ---- */

bool fastio__is_null(const fastio__build *build, const fastio__builder *column, const fastio__text *text) {
  if (text->is_missing) return true;
  if (text->quoted && !(build->flags & FASTIO_CSV_QUOTED_NULL)) return false;
  if (column->only_empty_is_null) return text->size == 0;
  for (size_t i = 0; i < column->field->null_count; i++) {
    const fastio_bytes *null = &column->field->nulls[i];
    if (null->size == text->size && (text->size == 0 || memcmp(null->data, text->data, text->size) == 0)) return true;
  }
  return false;
}

void fastio__set_null(fastio__filling *f, size_t row) {
  if (!f->missing) f->missing = fastio__null_bits_new(f->build->env, f->plan->row_base, f->plan->index.rows);
  if (f->missing) fastio__null_bits_set(f->missing, row);
  else f->no_memory = true;
}

/* ---- errors ---- */

/* Where in the window the text of a cell is. A text without its doubled quotes is elsewhere: then where it starts; one of
 * a rewritten record is nowhere: then where the record starts. */
static size_t place_of(const fastio__filling *f, size_t row, const uint8_t *text) {
  const fastio__index *index = &f->plan->index;
  if (text < index->data || text > index->data + index->size) {
    text = fastio__cell_start(&f->cells, row);
    if (text <= index->data + index->size && *text == f->build->shape.dialect->quote) text++;
  }
  if (text > index->data + index->size) return fastio__index_row_start(index, row);
  return (size_t)(text - index->data);
}

void fastio__complain(fastio__filling *f, size_t row, fastio_status status, const char *message, const uint8_t *text,
                      size_t size) {
  size_t at = place_of(f, row, text);
  if (at >= f->fault_at) return;
  f->fault_at = at;
  fastio__fail_at(&f->fault, status, message, f->window->offset + at, text, size);
  f->fault.record = f->plan->record_base + fastio__index_record(&f->plan->index, row) + 1;
  fastio__name_field(f->build->schema, f->column->position + 1, &f->fault);
}

static const char *complaint(fastio_type type, fastio_status status) {
  if (status != FASTIO_BAD_TOKEN) return status == FASTIO_OUT_OF_RANGE ? fastio__range_message(type) : NULL;
  switch (type) {
    case FASTIO_FLOAT32:
    case FASTIO_FLOAT64: return "not a number";
    case FASTIO_BOOL: return "not true or false";
    case FASTIO_DATE: return "not a date";
    case FASTIO_TIME: return "not a time of day";
    case FASTIO_TIMESTAMP: return "not a timestamp without a zone";
    case FASTIO_TIMESTAMP_UTC: return "not a timestamp with a zone";
    default: return "not an integer";
  }
}

void fastio__bad_cell(fastio__filling *f, size_t row, fastio_status status, const fastio__text *text) {
  if (f->build->on_bad == FASTIO_BAD_ERROR) {
    fastio__complain(f, row, status, complaint(f->column->type, status), text->data, text->size);
    return;
  }
  if (f->build->on_bad == FASTIO_BAD_NULL) fastio__set_null(f, row);
  else f->classes |= FASTIO__IS_TEXT;
  f->bad_count++;
  fastio__note note = {status, (uint32_t)place_of(f, row, text->data),
                       (uint32_t)fastio__index_record(&f->plan->index, row), f->column->position + 1};
  f->no_memory |= !fastio__notes_add(&f->bad, &note);
}

/* ---- values ---- */

unsigned fastio__classes_of(const fastio__build *build, const uint8_t *data, size_t size) {
  enum {
    NUMERIC_OR_TEXT = FASTIO__IS_NATURAL | FASTIO__IS_NEGATIVE | FASTIO__IS_UINT64 | FASTIO__IS_BIG | FASTIO__IS_FLOAT |
                      FASTIO__IS_TEXT
  };
  unsigned class = fastio__classify(data, size);
  uint8_t spelled[256];
  size_t spelled_size;
  if (!build->respell || !(class & NUMERIC_OR_TEXT) || size > sizeof spelled - 8) return class;
  spelled_size = fastio__respell(&build->spelling, data, size, true, spelled);
  if (spelled_size == SIZE_MAX) return FASTIO__IS_TEXT;
  class = fastio__classify(spelled, spelled_size);
  return class & NUMERIC_OR_TEXT ? class : FASTIO__IS_TEXT;
}

static fastio_status parse_float(const fastio__filling *f, const uint8_t *data, size_t size, void *slot) {
  fastio_status status;
  bool infinite;
  if (f->column->type == FASTIO_FLOAT32) {
    status = fastio__parse_f32(data, size, slot, NULL);
    infinite = status == FASTIO_OK && isinf(*(float *)slot);
  } else {
    status = fastio__parse_f64(data, size, slot, NULL);
    infinite = status == FASTIO_OK && isinf(*(double *)slot);
  }
  return infinite && (f->build->flags & FASTIO_CSV_OVERFLOW_ERROR) && fastio__has_digit(data, data + size)
             ? FASTIO_OUT_OF_RANGE
             : status;
}

static fastio_status parse_number(const fastio__filling *f, const uint8_t *data, size_t size, void *slot) {
  if (fastio__is_float(f->column->type)) return parse_float(f, data, size, slot);
  if (f->column->type == FASTIO_UINT64) return fastio__parse_u64(data, size, 10, slot, NULL);
  return fastio__parse_i64(data, size, 10, slot, NULL);
}

static fastio_status respell_and_parse(fastio__filling *f, const uint8_t *data, size_t size, void *slot) {
  uint8_t *out;
  size_t spelled;
  /* `data` may be the text buffer: behind it there is as much room again */
  if (f->plan->text && data >= f->plan->text && data < f->plan->text + f->plan->text_capacity)
    out = (uint8_t *)(uintptr_t)(data + size);
  else out = reserve_text(f, size + 8) ? f->plan->text : NULL;
  if (!out) return FASTIO_NO_MEMORY;
  spelled = fastio__respell(&f->build->spelling, data, size, fastio__is_float(f->column->type), out);
  return spelled == SIZE_MAX ? FASTIO_BAD_TOKEN : parse_number(f, out, spelled, slot);
}

static fastio_status parse_timestamp(fastio_type type, const fastio__text *text, void *slot) {
  int zone = 0;
  fastio_status status = fastio__parse_timestamp(text->data, text->size, slot, &zone, NULL);
  return status == FASTIO_OK && zone != (type == FASTIO_TIMESTAMP_UTC) ? FASTIO_BAD_TOKEN : status;
}

static fastio_status parse(fastio__filling *f, const fastio__text *text, void *slot) {
  bool value = false;
  fastio_status status;
  if (text->size == 0) return FASTIO_EMPTY_FIELD;
  switch (f->column->type) {
    case FASTIO_BOOL:
      status = fastio__parse_bool(text->data, text->size, &value);
      *(uint8_t *)slot = value;
      return status;
    case FASTIO_DATE: return fastio__parse_date(text->data, text->size, slot, NULL);
    case FASTIO_TIME: return fastio__parse_time(text->data, text->size, slot, NULL);
    case FASTIO_TIMESTAMP:
    case FASTIO_TIMESTAMP_UTC: return parse_timestamp(f->column->type, text, slot);
    default:
      return f->build->respell ? respell_and_parse(f, text->data, text->size, slot)
                               : parse_number(f, text->data, text->size, slot);
  }
}

static size_t slot_size(fastio_type type) {
  if (type == FASTIO_BOOL) return 1;
  return fastio__is_integer(type) ? 8 : fastio_type_size(type);
}

static void check_text(fastio__filling *f, size_t row, const fastio__text *text) {
  size_t valid = fastio__utf8_prefix(text->data, text->size);
  if (valid < text->size)
    fastio__complain(f, row, FASTIO_BAD_ENCODING, "not valid UTF-8", text->data + valid,
                     fastio__utf8_bad_size(text->data + valid, text->size - valid));
}

void fastio__convert_cell(fastio__filling *f, size_t row, void *slot) {
  fastio__text text = fastio__text_of(f, row);
  size_t size = slot_size(f->column->type);
  fastio_status status;
  if (!text.data) return;
  bool is_null = fastio__is_null(f->build, f->column, &text);
  trim(f, &text);
  if (is_null || fastio__is_null(f->build, f->column, &text)) {
    memset(slot, 0, size);
    fastio__set_null(f, row);
    return;
  }
  if (f->column->is_inferred) {
    unsigned class = fastio__classes_of(f->build, text.data, text.size);
    f->classes |= class;
    if (class & FASTIO__IS_TEXT && !f->plan->is_valid_text) check_text(f, row, &text); /* its column will be strings */
    if (!fastio__infer_accepts(f->column->type, class)) {
      memset(slot, 0, size);
      return;
    }
  }
  status = parse(f, &text, slot);
  if (status == FASTIO_OK) return;
  memset(slot, 0, size);
  if (status == FASTIO_NO_MEMORY) f->no_memory = true;
  else if (!f->column->is_inferred) fastio__bad_cell(f, row, status, &text);
  else f->classes |= FASTIO__IS_TEXT; /* a date that no timestamp can hold */
}
