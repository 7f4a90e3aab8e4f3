/* Several sources as one table. Each is read as a table of its own would be; then the classes of the cells of all of
 * them decide about the types, and the columns that were read with another type are read again. */
#include "../text/text.h"
#include "csv.h"

typedef struct member {
  fastio_csv csv;
  fastio__part part;
  fastio__reading reading;
  bool is_open, is_read; /* `csv`, `reading` must be freed */
} member;

typedef struct many {
  const fastio_env *env;
  fastio_csv_options options;
  fastio_source *const *sources;
  const fastio_bytes *labels;
  const char *label_name;
  size_t count;
  member *members;     /* those without a record and without a header are not opened */
  const member *first; /* the first one opened: the others must look like it */
  unsigned *classes;   /* of the first infer_rows records; NULL: types are inferred otherwise */
  uint64_t rows;
  bool any_read;
} many;

/* ---- what is asked for ---- */

static const char *complaint(const many *m) {
  if (!m->labels) return NULL;
  if (!m->label_name || !*m->label_name) return "labels need the name of their column";
  if (m->options.flags & FASTIO_CSV_MATRIX) return "a matrix has no column of labels";
  for (size_t i = 0; i < m->count; i++) {
    const uint8_t *data = m->labels[i].data;
    if ((!data && m->labels[i].size) || fastio__utf8_prefix(data, m->labels[i].size) != m->labels[i].size)
      return "labels must be UTF-8";
  }
  return NULL;
}

static fastio_status at_source(size_t i, fastio_status status, fastio_error *err) {
  if (status != FASTIO_OK && err) err->source = (uint64_t)i + 1;
  return status;
}

/* ---- opening ---- */

/* Without a header an empty source is one of no rows; nobody could say how many columns it has. */
static fastio_status is_nothing(const many *m, size_t i, bool *nothing, fastio_error *err) {
  const uint8_t *data;
  size_t got = 1;
  fastio_status status = FASTIO_OK;
  *nothing = false;
  if (m->options.header || m->options.names || (!m->first && i + 1 == m->count)) return FASTIO_OK;
  status = fastio__source_begin(m->sources[i], FASTIO__AS_TEXT, m->options.threads, err);
  if (status == FASTIO_OK) status = fastio__source_peek(m->sources[i], 1, &data, &got, err);
  *nothing = status == FASTIO_OK && got == 0;
  return status;
}

static bool is_same(fastio_bytes a, fastio_bytes b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static fastio_status check_names(const many *m, const fastio_csv *csv, fastio_error *err) {
  const fastio__schema *due = &m->first->csv.schema, *is = &csv->schema;
  size_t i = 0, least = due->field_count < is->field_count ? due->field_count : is->field_count;
  while (i < least && is_same(due->fields[i].name, is->fields[i].name)) i++;
  if (i == due->field_count && i == is->field_count) return FASTIO_OK;
  fastio__fail(err, FASTIO_BAD_HEADER,
               i < least ? "a column has another name than in the first source"
                         : "the source has another number of columns than the first one");
  if (err && i < is->field_count) fastio__name_field(is, i + 1, err);
  return FASTIO_BAD_HEADER;
}

static fastio_status check_label_name(const many *m, const fastio_csv *csv, fastio_error *err) {
  if (!m->labels) return FASTIO_OK;
  fastio_bytes name = {m->label_name, strlen(m->label_name)};
  for (size_t i = 0; i < csv->schema.column_count; i++)
    if (is_same(csv->schema.fields[csv->schema.columns[i]].name, name))
      return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "a column has the name that the column of labels is to have");
  return FASTIO_OK;
}

static fastio_status open_member(many *m, size_t i, fastio_error *err) {
  member *self = &m->members[i];
  bool nothing;
  fastio_status status = is_nothing(m, i, &nothing, err);
  if (status != FASTIO_OK || nothing || self->is_open) return status;
  status = fastio__csv_begin(&self->csv, m->sources[i], &m->options, false, err);
  if (status == FASTIO_OK) status = m->first ? check_names(m, &self->csv, err) : check_label_name(m, &self->csv, err);
  if (status != FASTIO_OK) {
    fastio__csv_destroy(&self->csv);
    return status;
  }
  self->is_open = true;
  if (!m->first) m->first = self;
  return FASTIO_OK;
}

/* Types that are inferred from the first infer_rows records, of however many sources it takes. What is wrong with one of
 * them is told when it is read. */
static fastio_status look_first(many *m, fastio_error *err) {
  uint64_t records = m->options.infer_rows;
  size_t size;
  if (records == FASTIO_NO_OFFSET || records == 0) return FASTIO_OK;
  for (size_t i = 0; i < m->count && records > 0; i++) {
    fastio_status status = open_member(m, i, i ? NULL : err);
    if (status != FASTIO_OK) return i ? FASTIO_OK : status;
    if (!m->members[i].is_open) continue;
    size = m->first->csv.schema.column_count * sizeof *m->classes;
    if (!m->classes) {
      if (!(m->classes = fastio__allocate(m->env, size))) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
      memset(m->classes, 0, size);
    }
    status = fastio__csv_look_first(&m->members[i].csv, m->classes, &records, err);
    if (status != FASTIO_OK) return at_source(i, status, err);
  }
  return FASTIO_OK;
}

/* ---- reading ---- */

static fastio_status read_member(many *m, size_t i, fastio_error *err) {
  member *self = &m->members[i];
  fastio_status status = open_member(m, i, err);
  if (status != FASTIO_OK || !self->is_open) return status;
  if (m->classes) fastio__csv_settle(&self->csv, m->classes);
  self->csv.options.max_rows = m->options.max_rows - m->rows;
  status = fastio__csv_skip(&self->csv, err);
  if (status != FASTIO_OK) return status;
  self->part = fastio__csv_whole(&self->csv);
  self->is_read = m->any_read = true;
  status = fastio__reading_begin(&self->reading, &self->csv, &self->part, err);
  if (status == FASTIO_OK) m->rows += self->reading.rows;
  return status;
}

static fastio_status read_all(many *m, fastio_error *err) {
  fastio_status status = look_first(m, err);
  if (status != FASTIO_OK && err && err->source == 0) return at_source(0, status, err);
  for (size_t i = 0; status == FASTIO_OK && i < m->count && (!m->any_read || m->rows < m->options.max_rows); i++)
    status = at_source(i, read_member(m, i, err), err);
  return status;
}

/* Each source is told what the cells of all have been. */
static void share_classes(many *m) {
  for (size_t column = 0; column < m->first->reading.count; column++) {
    unsigned classes = 0;
    for (size_t i = 0; i < m->count; i++)
      if (m->members[i].is_read) classes |= atomic_load(&m->members[i].reading.columns[column].classes);
    for (size_t i = 0; i < m->count; i++)
      if (m->members[i].is_read) atomic_fetch_or(&m->members[i].reading.columns[column].classes, classes);
  }
}

/* Sets of classes only grow, so that this comes to an end. */
static fastio_status agree(many *m, fastio_error *err) {
  bool changed = true;
  while (changed) {
    share_classes(m);
    changed = false;
    for (size_t i = 0; i < m->count; i++) {
      bool done = !m->members[i].is_read;
      while (!done) {
        fastio_status status = fastio__reading_again(&m->members[i].reading, &done, err);
        if (status != FASTIO_OK) return at_source(i, status, err);
        changed |= !done;
      }
    }
  }
  return FASTIO_OK;
}

/* ---- columns ---- */

static void free_pieces(many *m, const fastio_column **pieces, size_t made) {
  for (size_t i = 0; i < made; i++) fastio_column_free(pieces[i]);
  fastio__release(m->env, pieces, m->count * sizeof *pieces);
}

/* The pieces of one column are gone before those of the next one are put together. */
static fastio_status join_column(many *m, size_t place, fastio_column **out, fastio_error *err) {
  const fastio_column **pieces = fastio__allocate(m->env, m->count * sizeof *pieces);
  size_t made = 0;
  fastio_status status = pieces ? FASTIO_OK : fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  for (size_t i = 0; i < m->count && status == FASTIO_OK; i++) {
    fastio_column *piece = NULL;
    if (!m->members[i].is_read) continue;
    status = fastio__reading_column(&m->members[i].reading, place, &piece, err);
    if (status == FASTIO_OK) pieces[made++] = piece;
  }
  if (status == FASTIO_OK && made > 1) {
    status = fastio_column_concat(pieces, made, m->env, out, err);
  } else if (status == FASTIO_OK) {
    *out = (fastio_column *)(uintptr_t)pieces[0];
    made = 0;
  }
  if (pieces) free_pieces(m, pieces, made);
  return status;
}

static fastio_status make_column(many *m, size_t place, const fastio_column **out, fastio_error *err) {
  fastio_column *column = NULL, *strings;
  fastio_status status = join_column(m, place, &column, err);
  if (status == FASTIO_OK && m->first->reading.columns[place].type == FASTIO_DICTIONARY) {
    strings = column;
    status = fastio__column_encode(strings, m->env, &column, err);
    fastio_column_free(strings);
  }
  if (status == FASTIO_OK) *out = column;
  return status;
}

/* The label of each source that has rows, as a column of strings. */
static fastio_status make_words(const many *m, fastio_column **out, fastio_error *err) {
  fastio__column_parts parts;
  fastio_column view;
  uint64_t size = 0;
  fastio_status status;
  memset(&view, 0, sizeof view);
  memset(&parts, 0, sizeof parts);
  for (size_t i = 0; i < m->count; i++) size += m->labels[i].size;
  if (size >= SIZE_MAX) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  status = fastio__region_init(&parts.data, m->env, (size_t)size + 1, err);
  if (status == FASTIO_OK) status = fastio__region_ensure(&parts.data, (size_t)size + 1, err);
  if (status == FASTIO_OK) status = fastio__region_init(&parts.offsets, m->env, (m->count + 1) * sizeof(int64_t), err);
  if (status == FASTIO_OK) status = fastio__region_ensure(&parts.offsets, (m->count + 1) * sizeof(int64_t), err);
  if (status == FASTIO_OK) *(int64_t *)(void *)parts.offsets.data = 0;
  for (size_t i = 0; i < m->count && status == FASTIO_OK; i++) {
    const fastio_bytes *label = &m->labels[i];
    if (!m->members[i].is_read || m->members[i].reading.rows == 0) continue;
    if (label->size) memcpy(parts.data.data + view.data_size, label->data, label->size);
    view.data_size += label->size;
    ((int64_t *)(void *)parts.offsets.data)[++view.length] = (int64_t)view.data_size;
  }
  view.type = FASTIO_STRING;
  if (status == FASTIO_OK) status = fastio__column_build(&view, &parts, m->env, out, err);
  if (status != FASTIO_OK) {
    fastio__region_free(&parts.data);
    fastio__region_free(&parts.offsets);
  }
  return status;
}

/* `words` has one index for each source with rows: as many of each as it has rows. */
static fastio_status spread(const many *m, const fastio_column *words, const fastio_column **out, fastio_error *err) {
  const int32_t *word = words->data;
  fastio__column_parts parts;
  fastio_column view, *column = NULL;
  fastio_status status = FASTIO_NO_MEMORY;
  size_t size;
  int32_t *p;
  memset(&view, 0, sizeof view);
  memset(&parts, 0, sizeof parts);
  if (m->rows >= SIZE_MAX / sizeof(int32_t)) return fastio__fail(err, status, NULL);
  size = (size_t)m->rows * sizeof(int32_t);
  status = fastio__region_init(&parts.data, m->env, size + 1, err);
  if (status == FASTIO_OK) status = fastio__region_ensure(&parts.data, size + 1, err);
  if (status != FASTIO_OK) return status;
  p = (int32_t *)(void *)parts.data.data;
  for (size_t i = 0; i < m->count; i++) {
    uint64_t rows = m->members[i].is_read ? m->members[i].reading.rows : 0;
    for (uint64_t k = 0; k < rows; k++) *p++ = *word;
    word += rows > 0;
  }
  view.type = FASTIO_DICTIONARY;
  view.length = m->rows;
  view.data_size = size;
  view.dictionary = words->dictionary;
  fastio_column_retain(view.dictionary);
  status = fastio__column_build(&view, &parts, m->env, &column, err);
  if (status != FASTIO_OK) {
    fastio_column_free(view.dictionary);
    fastio__region_free(&parts.data);
  }
  *out = column;
  return status;
}

static fastio_status make_labels(const many *m, const fastio_column **out, fastio_error *err) {
  fastio_column *strings = NULL, *words = NULL;
  fastio_status status = make_words(m, &strings, err);
  if (status == FASTIO_OK) status = fastio__column_encode(strings, m->env, &words, err);
  if (status == FASTIO_OK) status = spread(m, words, out, err);
  fastio_column_free(strings);
  fastio_column_free(words);
  return status;
}

/* ---- the table ---- */

static void add_report(fastio_report *sum, const fastio_report *report) {
  sum->padded += report->padded;
  sum->truncated += report->truncated;
  sum->skipped += report->skipped;
  sum->replaced += report->replaced;
  sum->bad_cells += report->bad_cells;
  sum->blank_lines += report->blank_lines;
  sum->comment_lines += report->comment_lines;
  for (uint64_t i = 0; i < report->place_count && sum->place_count < FASTIO_REPORT_PLACES; i++)
    sum->places[sum->place_count++] = report->places[i];
}

static void describe(const many *m, fastio_report *report, fastio_table *view) {
  memset(report, 0, sizeof *report);
  memset(view, 0, sizeof *view);
  for (size_t i = 0; i < m->count; i++) {
    const member *self = &m->members[i];
    if (!self->is_read) continue;
    add_report(report, &self->csv.head_report);
    add_report(report, &self->reading.report);
    view->end += self->reading.end_place - self->reading.start_place;
  }
  view->rows = m->rows;
  view->report = report;
}

static fastio_status make_columns(many *m, const fastio_column **columns, fastio_bytes *names, size_t count,
                                  size_t *made, fastio_error *err) {
  size_t shift = m->labels != NULL;
  fastio_status status = FASTIO_OK;
  for (*made = 0; *made < count && status == FASTIO_OK; *made += status == FASTIO_OK) {
    if (*made < shift) {
      names[0] = (fastio_bytes){m->label_name, strlen(m->label_name)};
      status = make_labels(m, &columns[0], err);
    } else {
      names[*made] = m->first->reading.columns[*made - shift].field->name;
      status = make_column(m, *made - shift, &columns[*made], err);
    }
  }
  return status;
}

static fastio_status make_table(many *m, fastio_table **out, fastio_error *err) {
  bool is_matrix = (m->options.flags & FASTIO_CSV_MATRIX) && m->first->reading.count > 0;
  size_t count = (is_matrix ? 1 : m->first->reading.count) + (m->labels != NULL), made = 0;
  const fastio_column **columns = fastio__allocate(m->env, count * sizeof *columns);
  fastio_bytes *names = fastio__allocate(m->env, count * sizeof *names);
  fastio_report *report = fastio__allocate(m->env, sizeof *report);
  fastio_table view;
  fastio_status status = columns && names && report ? make_columns(m, columns, names, count, &made, err)
                                                    : fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  if (status == FASTIO_OK) {
    describe(m, report, &view);
    view.column_count = count;
    view.columns = columns;
    view.names = names;
    status = fastio__table_build(&view, m->env, out, err);
  }
  for (size_t i = 0; i < made && status != FASTIO_OK; i++) fastio_column_free(columns[i]);
  fastio__release(m->env, columns, count * sizeof *columns);
  fastio__release(m->env, names, count * sizeof *names);
  fastio__release(m->env, report, sizeof *report);
  return status;
}

/* ---- the call ---- */

static fastio_status prepare(many *m, const fastio_csv_options *given, fastio_error *err) {
  const char *wrong;
  size_t size;
  fastio_status status = fastio__csv_options_get(given, &m->options, err);
  if (status != FASTIO_OK) return status;
  if ((wrong = complaint(m))) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, wrong);
  m->env = m->options.env;
  m->options.offset = 0;
  m->options.length = FASTIO_NO_OFFSET;
  m->options.flags &= ~(unsigned)FASTIO_CSV_AT_RECORD;
  m->members = fastio__multiply(m->count, sizeof *m->members, &size) ? fastio__allocate(m->env, size) : NULL;
  if (!m->members) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  memset(m->members, 0, size);
  return FASTIO_OK;
}

static void release(many *m) {
  size_t columns = m->first ? m->first->csv.schema.column_count : 0;
  if (m->classes) fastio__release(m->env, m->classes, columns * sizeof *m->classes);
  for (size_t i = 0; m->members && i < m->count; i++) {
    if (m->members[i].is_read) fastio__reading_free(&m->members[i].reading);
    if (m->members[i].is_open) fastio__csv_destroy(&m->members[i].csv);
  }
  fastio__release(m->env, m->members, m->count * sizeof *m->members);
}

fastio_status fastio_read_csv_many(fastio_source *const *sources, size_t count, const fastio_bytes *labels,
                                   const char *label_name, const fastio_csv_options *options, fastio_table **out,
                                   fastio_error *err) {
  many m;
  fastio_status status;
  bool fits = sources && count > 0 && out;
  for (size_t i = 0; fits && i < count; i++) fits = sources[i] != NULL;
  if (!fits) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "out and at least one source are needed");
  memset(&m, 0, sizeof m);
  m.sources = sources;
  m.labels = labels;
  m.label_name = label_name;
  m.count = count;
  status = prepare(&m, options, err);
  if (status == FASTIO_OK) status = read_all(&m, err);
  if (status == FASTIO_OK) status = agree(&m, err);
  if (status == FASTIO_OK) status = make_table(&m, out, err);
  release(&m);
  return status;
}
