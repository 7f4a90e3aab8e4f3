/* The head of a source: byte order mark, lines to skip, the header, and a look at the first records. */
#include "../text/text.h"
#include "csv.h"

/* ---- dialect ---- */

fastio_status fastio__dialect_init(fastio__dialect *dialect, const fastio_csv_options *options, fastio_error *err) {
  size_t size = options->width_count * sizeof *dialect->widths;
  memset(dialect, 0, sizeof *dialect);
  dialect->env = options->env;
  dialect->separator_size = options->separator.size;
  if (options->separator.size) memcpy(dialect->separator, options->separator.data, options->separator.size);
  dialect->quote = options->quote;
  dialect->escape = options->escape;
  dialect->comment = options->comment;
  dialect->newline = options->newline;
  dialect->literal = options->quote_mode == FASTIO_QUOTE_LITERAL;
  dialect->doubling = !(options->flags & FASTIO_CSV_NO_DOUBLING);
  dialect->comment_anywhere = (options->flags & FASTIO_CSV_COMMENT_ANYWHERE) != 0;
  dialect->trim = (options->flags & FASTIO_CSV_TRIM) != 0;
  dialect->trailing_separator = (options->flags & FASTIO_CSV_TRAILING_SEPARATOR) != 0;
  dialect->blank_records = (options->flags & FASTIO_CSV_BLANK_RECORDS) != 0;
  if (!options->widths) return FASTIO_OK;
  dialect->widths = fastio__allocate(options->env, size);
  if (!dialect->widths) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  memcpy(dialect->widths, options->widths, size);
  dialect->width_count = options->width_count;
  return FASTIO_OK;
}

void fastio__dialect_free(fastio__dialect *dialect) {
  fastio__release(dialect->env, dialect->widths, dialect->width_count * sizeof *dialect->widths);
  dialect->widths = NULL;
}

/* ---- the header ---- */

typedef struct head {
  const fastio_source *source;
  const uint8_t *data;
  size_t size, wanted;
  bool last; /* nothing follows */
  size_t at; /* so far it has been understood */
} head;

/* Lines end as the records do. False: more is needed. */
static bool skip_lines(const fastio__dialect *d, head *h, uint64_t lines) {
  bool any = d->newline == FASTIO_NEWLINE_ANY;
  int end = d->newline >= 0 ? d->newline : '\n';
  for (; lines > 0 && h->at < h->size; lines--) {
    size_t i = h->at;
    while (i < h->size && h->data[i] != end && !(any && h->data[i] == '\r')) i++;
    if (any && i < h->size && h->data[i] == '\r' && (i + 1 == h->size ? !h->last : h->data[i + 1] == '\n')) i++;
    if (i >= h->size && !h->last) return false;
    h->at = i < h->size ? i + 1 : h->size;
  }
  return lines == 0 || h->last;
}

static fastio_status fail_in_head(const head *h, fastio_status status, const char *message, size_t at, size_t size,
                                  fastio_error *err) {
  fastio__window window;
  memset(&window, 0, sizeof window);
  window.data = h->data;
  window.size = h->size;
  fastio__fail_at(err, status, message, at, h->data + at, size);
  fastio__locate_in_window(&window, err);
  if (err && fastio__source_is_encoded(h->source))
    err->offset = fastio__source_undecoded(h->source, 0, NULL, 0) +
                  (at ? fastio__source_undecoded(h->source, 0, h->data, at) : 0);
  return status;
}

/* The texts of the cells, with the bytes behind them. */
static fastio_bytes *header_texts(const fastio_csv *csv, const head *h, const fastio__bounds *cells, size_t *block) {
  size_t count = cells->count / 2, bytes = 0;
  bool quoted;
  for (size_t i = 0; i < count; i++) bytes += cells->at[2 * i + 1] - cells->at[2 * i];
  *block = (count + 1) * sizeof(fastio_bytes) + bytes;
  fastio_bytes *texts = fastio__allocate(csv->options.env, *block);
  uint8_t *out = (uint8_t *)(texts + count + 1);
  for (size_t i = 0; texts && i < count; i++) {
    texts[i].data = out;
    texts[i].size = fastio__cell_text(&csv->dialect, h->data + cells->at[2 * i], h->data + cells->at[2 * i + 1], out,
                                      &quoted);
    out += texts[i].size;
  }
  return texts;
}

static fastio_status check_name(const fastio_csv *csv, const head *h, size_t start, size_t size, fastio_error *err) {
  static const char only_returns[] = "a carriage return within the header; newline \"any\" takes it for a line's end";
  const uint8_t *text = h->data + start, *found;
  size_t valid = fastio__utf8_prefix(text, size);
  if (valid < size)
    return fail_in_head(h, FASTIO_BAD_ENCODING, "not valid UTF-8", start + valid,
                        fastio__utf8_bad_size(text + valid, size - valid), err);
  if (csv->dialect.newline != FASTIO_NEWLINE_LF || size == 0 || *text == csv->dialect.quote) return FASTIO_OK;
  found = memchr(text, '\r', size);
  return found ? fail_in_head(h, FASTIO_BAD_HEADER, only_returns, (size_t)(found - h->data), 1, err) : FASTIO_OK;
}

static fastio_status check_header_text(const fastio_csv *csv, const head *h, const fastio__bounds *cells,
                                       fastio_error *err) {
  fastio_status status = FASTIO_OK;
  for (size_t i = 0; i + 1 < cells->count && status == FASTIO_OK; i += 2) {
    status = check_name(csv, h, cells->at[i], cells->at[i + 1] - cells->at[i], err);
    if (status != FASTIO_OK && err) err->field = i / 2 + 1;
  }
  return status;
}

static fastio_status make_schema(fastio_csv *csv, const head *h, const fastio__bounds *cells, fastio_error *err) {
  fastio_csv_options *options = &csv->options;
  bool has_header = options->header && cells->count > 0;
  fastio_bytes *texts = NULL;
  size_t block = 0;
  fastio_error why;
  fastio_status status = has_header ? check_header_text(csv, h, cells, err) : FASTIO_OK;
  if (status != FASTIO_OK) return status;
  if (has_header && !(texts = header_texts(csv, h, cells, &block))) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  status = fastio__schema_init(&csv->schema, options, texts, cells->count / 2, &why);
  fastio__release(options->env, texts, block);
  if (status == FASTIO_OK) return status;
  if (status == FASTIO_BAD_HEADER && has_header && why.field && why.field <= cells->count / 2) {
    size_t start = cells->at[2 * (why.field - 1)], end = cells->at[2 * why.field - 1];
    fastio_error placed;
    fail_in_head(h, status, why.message, start, end - start, &placed);
    placed.field = why.field;
    placed.field_name_size = why.field_name_size;
    memcpy(placed.field_name, why.field_name, sizeof why.field_name);
    why = placed;
  }
  if (err) *err = why;
  return status;
}

/* Reads on from h->at to the first record. PARTIAL: more of the source is needed; BLANK: there is none. */
static fastio__record_kind first_record(fastio_csv *csv, head *h, fastio__bounds *cells, size_t *next,
                                        fastio__fault *fault) {
  memset(&csv->head_report, 0, sizeof csv->head_report);
  while (h->at < h->size) {
    fastio__record_kind kind = fastio__record_next(&csv->dialect, h->data, h->at, h->size, h->last, cells, next, fault);
    if (kind == FASTIO__RECORD_BLANK) csv->head_report.blank_lines++;
    else if (kind == FASTIO__RECORD_COMMENT) csv->head_report.comment_lines++;
    else return kind;
    h->at = *next;
  }
  return h->last ? FASTIO__RECORD_BLANK : FASTIO__RECORD_PARTIAL;
}

/* Nobody can tell how many fields there are. FASTIO_END: more is needed to show the line. */
static fastio_status fail_at_quote(const fastio_csv *csv, const head *h, const fastio__fault *fault, size_t field,
                                   fastio_error *err) {
  size_t shown = fastio__line_text(&csv->dialect, h->data, fault->at, h->size);
  if (!h->last && fault->at + shown + 1 >= h->size && shown < FASTIO_ERROR_TEXT_MAX) return FASTIO_END;
  fail_in_head(h, FASTIO_BAD_QUOTE, fault->message, fault->at, shown, err);
  if (err) {
    err->field = field;
    err->record = csv->options.header ? 0 : 1;
  }
  return FASTIO_BAD_QUOTE;
}

/* What is behind the whole records. Blanks and comments may be cut short, a record may not. */
static fastio_status check_cut(const fastio_csv *csv, const head *h, size_t end, fastio_error *err) {
  fastio__bounds cells = {csv->options.env, NULL, 0, 0};
  fastio__fault fault;
  fastio_error cut;
  size_t next;
  fastio__record_kind kind = fastio__record_next(&csv->dialect, h->data, h->size, end, true, &cells, &next, &fault);
  fastio__bounds_free(&cells);
  if (h->size > h->at || kind == FASTIO__RECORD_BLANK || kind == FASTIO__RECORD_COMMENT) return FASTIO_OK;
  if (kind == FASTIO__RECORD_NO_MEMORY) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  fastio__cut_short(h->size, h->data + h->size, h->data + end, &cut);
  return fail_in_head(h, FASTIO_TRUNCATED, cut.message, h->size, end - h->size, err);
}

/* The end of the source cuts the first record short, which is not to be taken for one. */
static fastio_status cut_tail(fastio_csv *csv, head *h, fastio_error *err) {
  size_t end = h->size;
  if (!h->last || csv->options.partial == FASTIO_PARTIAL_EMIT) return FASTIO_OK;
  h->size = h->at + fastio__dialect_tail(&csv->dialect, h->data + h->at, end - h->at);
  if (h->size == end || csv->options.partial == FASTIO_PARTIAL_HOLD) return FASTIO_OK;
  return check_cut(csv, h, end, err);
}

/* One try with what is at hand; FASTIO_END: more is needed. */
static fastio_status read_head(fastio_csv *csv, head *h, fastio_error *err) {
  fastio__bounds cells = {csv->options.env, NULL, 0, 0};
  fastio__fault fault;
  fastio__record_kind kind;
  size_t skip, next = 0, start;
  fastio_status status = fastio__check_bom(h->data, h->size < 4 ? h->size : 4, &skip, err);
  if (status != FASTIO_OK) return status;
  if (h->size < 4 && !h->last) return FASTIO_END;
  h->at = skip;
  if (!skip_lines(&csv->dialect, h, csv->options.skip_lines)) return FASTIO_END;
  start = h->at;
  status = cut_tail(csv, h, err);
  if (status != FASTIO_OK) return status;
  kind = first_record(csv, h, &cells, &next, &fault);
  if (kind == FASTIO__RECORD_BLANK && csv->goes_on && (csv->options.header || !csv->options.names)) return FASTIO_END;
  csv->data_start = csv->options.header && kind == FASTIO__RECORD ? next : start;
  if (csv->data_start == start) memset(&csv->head_report, 0, sizeof csv->head_report); /* they will be met again */
  if (kind == FASTIO__RECORD_PARTIAL) status = FASTIO_END;
  else if (kind == FASTIO__RECORD_NO_MEMORY) status = fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  else if (kind == FASTIO__RECORD_FAULTY && (csv->options.header || !csv->options.names))
    status = fail_at_quote(csv, h, &fault, cells.count / 2 + 1, err);
  else status = make_schema(csv, h, &cells, err); /* a first record that is faulty will be met again */
  fastio__bounds_free(&cells);
  return status;
}

static fastio_status find_header(fastio_csv *csv, fastio_error *err) {
  head h = {csv->source, NULL, 0, 1, false, 0};
  for (;;) {
    fastio_error failure;
    fastio_status failed = fastio__source_peek(csv->source, h.wanted, &h.data, &h.size, &failure), status;
    h.last = failed == FASTIO_OK && (csv->source->kind == FASTIO__MEMORY || h.size < h.wanted);
    if (h.size > UINT32_MAX / 2) h.size = UINT32_MAX / 2, h.last = false;
    status = read_head(csv, &h, err);
    if (status != FASTIO_END) return status;
    if (failed != FASTIO_OK) {
      fastio__locate_behind(h.data, h.size, 0, 0, 0, &failure);
      if (err) *err = failure;
      return failed;
    }
    if (h.last) return fastio__fail(err, FASTIO_END, "the source has no whole record yet (partial is \"hold\")");
    if (h.size >= UINT32_MAX / 2) return fastio__fail(err, FASTIO_UNSUPPORTED, "a header of 2 GiB or more");
    h.wanted = 2 * h.size + 1;
  }
}

/* ---- start and end ---- */

fastio_status fastio__csv_init(fastio_csv *csv, fastio_source *source, const fastio_csv_options *options, bool goes_on,
                               fastio_error *err) {
  size_t size;
  fastio_status status;
  memset(csv, 0, sizeof *csv);
  csv->source = source;
  csv->located_line = 1;
  csv->options = *options;
  csv->goes_on = goes_on && options->partial == FASTIO_PARTIAL_HOLD;
  status = fastio__source_begin(source, FASTIO__AS_TEXT, options->threads, err);
  if (status == FASTIO_OK) status = fastio__check_range(source, options->offset, options->length, err);
  if (status == FASTIO_OK) status = fastio__dialect_init(&csv->dialect, options, err);
  if (status == FASTIO_OK) status = find_header(csv, err);
  if (status != FASTIO_OK) return status;
  csv->shape = (fastio__shape){&csv->dialect,   csv->schema.field_count, options->on_ragged,
                               options->ragged, options->ragged_ctx,     UINT64_MAX};
  size = csv->schema.column_count * sizeof *csv->types;
  csv->types = fastio__allocate(options->env, size);
  if (!csv->types) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  for (size_t i = 0; i < csv->schema.column_count; i++) {
    fastio_type type = csv->schema.fields[csv->schema.columns[i]].type;
    csv->types[i] = type ? type : options->infer_rows == 0 ? fastio__infer_type(0, options->flags) : (fastio_type)0;
  }
  return FASTIO_OK;
}

void fastio__csv_destroy(fastio_csv *csv) {
  const fastio_env *env = csv->options.env;
  fastio_table_free(csv->pending);
  fastio__release(env, csv->milestones, csv->milestone_capacity * sizeof *csv->milestones);
  fastio__release(env, csv->types, csv->schema.column_count * sizeof *csv->types);
  fastio__stream_free(&csv->stream, env);
  fastio__schema_free(&csv->schema);
  fastio__dialect_free(&csv->dialect);
}

/* ---- a look at the first records ---- */

enum { SAMPLE_RECORDS = 256, SAMPLE_BYTES = 64 << 10, SAMPLE_MOST = 16 << 20 };

/* The first bytes of a part that starts at a record, as far as they can be had without taking them. */
typedef struct look {
  const uint8_t *data;
  size_t size;
  bool last, failed; /* reading met an error, which another read will tell */
  uint8_t *buffer;   /* SAMPLE_BYTES, or NULL */
  size_t wanted;
} look;

static fastio_status look_at(fastio_csv *csv, const fastio__part *part, look *l, fastio_error *err) {
  fastio_source *source = csv->source;
  size_t size, skip;
  const uint8_t *data;
  fastio_status status;
  if (source->kind != FASTIO__FILE) {
    if (source->kind == FASTIO__STREAM && csv->stream.started) return FASTIO_OK; /* taken already */
    status = fastio__source_peek(source, (size_t)part->offset + l->wanted, &data, &size, err);
    l->failed = status != FASTIO_OK;
    if (l->failed && source->kind == FASTIO__MEMORY) return status;
    skip = part->offset < size ? (size_t)part->offset : size;
    l->data = data + skip;
    l->size = size - skip;
    l->last = source->kind == FASTIO__MEMORY || (l->size < l->wanted && !l->failed);
    if (l->size > l->wanted + SAMPLE_BYTES) l->size = l->wanted, l->last = false;
    return FASTIO_OK;
  }
  if (!(l->buffer = fastio__allocate(csv->options.env, l->wanted + 2 * FASTIO__PAD)))
    return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  l->data = l->buffer + FASTIO__PAD;
  status = fastio__source_pread(source, part->offset, l->buffer + FASTIO__PAD, l->wanted, &l->size, err);
  l->last = l->size < l->wanted;
  return status;
}

static void look_free(const fastio_csv *csv, look *l) {
  if (l->buffer) fastio__release(csv->options.env, l->buffer, l->wanted + 2 * FASTIO__PAD);
}

static void sample_cell(const fastio__build *build, const look *l, const fastio__bounds *cells,
                        fastio__builder *column) {
  uint8_t unquoted[256];
  size_t i = 2 * column->position;
  fastio__text text = {NULL, 0, false, false};
  if (i + 1 >= cells->count) return;
  const uint8_t *start = l->data + cells->at[i], *end = l->data + cells->at[i + 1];
  column->expected_bytes += (uint64_t)(end - start);
  if (!column->is_inferred || end - start > (ptrdiff_t)sizeof unquoted) return;
  text.data = unquoted;
  text.size = fastio__cell_text(build->shape.dialect, start, end, unquoted, &text.quoted);
  if (!fastio__is_null(build, column, &text)) column->classes |= fastio__classes_of(build, text.data, text.size);
}

/* Goes through the records at hand, up to `most`, of which the first `skipped` do not count. */
static void sample_records(fastio_csv *csv, const fastio__part *part, const fastio__build *build, const look *l,
                           uint64_t skipped, uint64_t most, fastio__sample *sample) {
  fastio__bounds cells = {csv->options.env, NULL, 0, 0};
  size_t at = 0, next;
  bool last = l->last && csv->options.partial == FASTIO_PARTIAL_EMIT;
  fastio__fault fault;
  while (at < l->size && at < part->length && sample->records < most) {
    cells.count = 0;
    fastio__record_kind kind = fastio__record_next(&csv->dialect, l->data, at, l->size, last, &cells, &next, &fault);
    if (kind > FASTIO__RECORD_COMMENT) break;
    at = next;
    if (kind != FASTIO__RECORD) continue;
    if (skipped > 0) {
      skipped--;
      continue;
    }
    /* one that is ragged may be dropped: it tells nothing */
    if (cells.count / 2 == csv->shape.fields)
      for (size_t i = 0; i < build->column_count; i++) sample_cell(build, l, &cells, &build->columns[i]);
    sample->records++;
  }
  sample->bytes = at;
  sample->is_all = (l->last && at == l->size) || at >= part->length || sample->records == part->max_rows;
  fastio__bounds_free(&cells);
}

fastio_status fastio__csv_sample(fastio_csv *csv, const fastio__part *part, const fastio__build *build,
                                 fastio__sample *sample, fastio_error *err) {
  uint64_t most = part->max_rows < SAMPLE_RECORDS ? part->max_rows : SAMPLE_RECORDS;
  size_t wanted = SAMPLE_BYTES;
  bool more = part->at_record;
  memset(sample, 0, sizeof *sample);
  while (more) {
    look l = {NULL, 0, false, false, NULL, wanted};
    fastio_status status = look_at(csv, part, &l, err);
    if (status == FASTIO_OK && l.data) sample_records(csv, part, build, &l, 0, most, sample);
    more = l.data && sample->records == 0 && most > 0 && !l.last && !l.failed && wanted < SAMPLE_MOST;
    wanted *= 4; /* records may be long */
    look_free(csv, &l);
    if (status != FASTIO_OK) return status;
  }
  return FASTIO_OK;
}

/* The builders of all columns whose types are not known yet. */
static fastio__builder *inferred_builders(const fastio_csv *csv, size_t *count) {
  size_t size = csv->schema.column_count * sizeof(fastio__builder);
  fastio__builder *columns = fastio__allocate(csv->options.env, size);
  *count = 0;
  if (!columns) return NULL;
  memset(columns, 0, size);
  for (size_t i = 0; i < csv->schema.column_count; i++) {
    if (csv->types[i]) continue;
    fastio__builder *column = &columns[(*count)++];
    column->place = i;
    column->position = csv->schema.columns[i];
    column->field = &csv->schema.fields[column->position];
    column->is_inferred = true;
  }
  return columns;
}

fastio_status fastio__csv_look_first(fastio_csv *csv, unsigned *classes, uint64_t *records, fastio_error *err) {
  const fastio_csv_options *options = &csv->options;
  fastio__part part = {csv->data_start, FASTIO_NO_OFFSET, FASTIO_NO_OFFSET, true};
  fastio__sample sample = {0, 0, false};
  size_t count, wanted = SAMPLE_BYTES;
  fastio__builder *columns = inferred_builders(csv, &count);
  fastio__build build;
  fastio_status status;
  bool enough = false;
  if (!columns) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  status = fastio__build_init(&build, options, &csv->shape, columns, count, err);
  if (status == FASTIO_OK) {
    while (status == FASTIO_OK && !enough) {
      look l = {NULL, 0, false, false, NULL, wanted};
      memset(&sample, 0, sizeof sample);
      status = look_at(csv, &part, &l, err);
      if (status == FASTIO_OK) sample_records(csv, &part, &build, &l, options->skip_rows, *records, &sample);
      enough = sample.records >= *records || l.last || l.failed || wanted > SIZE_MAX / 4;
      wanted *= 2;
      look_free(csv, &l);
    }
    fastio__build_destroy(&build);
  }
  for (size_t i = 0; status == FASTIO_OK && i < count; i++) classes[columns[i].place] |= columns[i].classes;
  if (status == FASTIO_OK) *records -= sample.records;
  fastio__release(options->env, columns, csv->schema.column_count * sizeof *columns);
  return status;
}

void fastio__csv_settle(fastio_csv *csv, const unsigned *classes) {
  for (size_t i = 0; i < csv->schema.column_count; i++)
    if (csv->types[i] == 0) csv->types[i] = fastio__infer_type(classes[i], csv->options.flags);
}

fastio_status fastio__csv_infer_first(fastio_csv *csv, fastio_error *err) {
  const fastio_env *env = csv->options.env;
  uint64_t records = csv->options.infer_rows;
  size_t size = csv->schema.column_count * sizeof(unsigned);
  unsigned *classes;
  fastio_status status;
  if (records == FASTIO_NO_OFFSET || records == 0) return FASTIO_OK;
  if (!(classes = fastio__allocate(env, size))) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  memset(classes, 0, size);
  status = fastio__csv_look_first(csv, classes, &records, err);
  if (status == FASTIO_OK) fastio__csv_settle(csv, classes);
  fastio__release(env, classes, size);
  return status;
}
