/* The public readers: whole tables, batches, rows by number. */
#include "csv.h"

/* ---- opening ---- */

/* Skips the records that the options say, so that what follows is all that there is. */
fastio_status fastio__csv_skip(fastio_csv *csv, fastio_error *err) {
  fastio__part part = {csv->data_start, FASTIO_NO_OFFSET, csv->options.skip_rows, true};
  fastio__passed passed;
  fastio_status status;
  if (csv->options.skip_rows == 0 || csv->options.max_rows == 0) return FASTIO_OK;
  status = fastio__csv_pass(csv, &part, true, NULL, NULL, &passed, err);
  if (status != FASTIO_OK) return status;
  csv->data_start = passed.end;
  csv->records = csv->first_record = passed.rows;
  csv->head_report.blank_lines += passed.blank_lines;
  csv->head_report.comment_lines += passed.comment_lines;
  return FASTIO_OK;
}

static const char *conflict(const fastio_csv_options *o) {
  if (!(o->flags & FASTIO_CSV_MATRIX)) return NULL;
  if (o->on_bad != FASTIO_BAD_ERROR || o->on_ragged & FASTIO_RAGGED_PAD) return "a matrix has no nulls and no strings";
  return NULL;
}

/* A matrix needs one type, and has no nulls. */
static fastio_status check_matrix(fastio_csv *csv, fastio_error *err) {
  if (!(csv->options.flags & FASTIO_CSV_MATRIX)) return FASTIO_OK;
  for (size_t i = 0; i < csv->schema.column_count; i++) {
    csv->schema.fields[csv->schema.columns[i]].null_count = 0;
    if (!fastio__is_number(csv->types[i]) || csv->types[i] != csv->types[0])
      return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the columns of a matrix need one type of numbers");
  }
  return FASTIO_OK;
}

fastio_status fastio__csv_begin(fastio_csv *csv, fastio_source *source, const fastio_csv_options *given, bool goes_on,
                                fastio_error *err) {
  fastio_csv_options options;
  const char *wrong;
  fastio_status status = fastio__csv_options_get(given, &options, err);
  memset(csv, 0, sizeof *csv);
  if (status != FASTIO_OK) return status;
  if ((wrong = conflict(&options))) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, wrong);
  status = fastio__csv_init(csv, source, &options, goes_on, err);
  return status == FASTIO_OK ? check_matrix(csv, err) : status;
}

static fastio_status begin(fastio_csv *csv, fastio_source *source, const fastio_csv_options *given, bool goes_on,
                           fastio_error *err) {
  fastio__part whole;
  fastio_status status = fastio__csv_begin(csv, source, given, goes_on, err);
  if (status == FASTIO_OK) status = fastio__csv_infer_first(csv, err);
  if (status == FASTIO_OK) status = fastio__csv_skip(csv, err);
  if (status != FASTIO_OK) return status;
  whole = fastio__csv_whole(csv);
  csv->position = whole.offset;
  csv->range_end = whole.length > FASTIO_NO_OFFSET - whole.offset ? FASTIO_NO_OFFSET : whole.offset + whole.length;
  return FASTIO_OK;
}

/* Lines before the header, and those of parts without a record, are the next table's. */
static void add_lines(fastio_report *to, const fastio_report *from) {
  to->blank_lines += from->blank_lines;
  to->comment_lines += from->comment_lines;
}

static void tell_lines(fastio_csv *csv, const fastio_table *table) {
  add_lines((fastio_report *)(uintptr_t)table->report, &csv->head_report);
  memset(&csv->head_report, 0, sizeof csv->head_report);
}

fastio_status fastio_read_csv(fastio_source *source, const fastio_csv_options *options, fastio_table **out,
                              fastio_error *err) {
  fastio_csv csv;
  fastio_status status;
  if (!source || !out) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "source and out must not be NULL");
  status = begin(&csv, source, options, false, err);
  if (status == FASTIO_OK) {
    fastio__part part = fastio__csv_whole(&csv);
    status = fastio__csv_read(&csv, &part, out, NULL, err);
    if (status == FASTIO_OK) tell_lines(&csv, *out);
  }
  fastio__csv_destroy(&csv);
  return status;
}

fastio_status fastio_csv_open(fastio_source *source, const fastio_csv_options *options, fastio_csv **out,
                              fastio_error *err) {
  const fastio_env *env = options && options->size >= offsetof(fastio_csv_options, reserved) ? options->env : NULL;
  fastio_csv *csv;
  fastio_status status;
  if (options && options->size >= offsetof(fastio_csv_options, reserved) && options->on_bad == FASTIO_BAD_STRING)
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "a bad cell cannot change the type of batches that were given");
  if (!source || !out) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "source and out must not be NULL");
  if (!(csv = fastio__allocate(env, sizeof *csv))) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  status = begin(csv, source, options, true, err);
  if (status == FASTIO_OK) {
    *out = csv;
    return FASTIO_OK;
  }
  fastio__csv_destroy(csv);
  fastio__release(env, csv, sizeof *csv);
  return status;
}

void fastio_csv_close(fastio_csv *csv) {
  if (!csv) return;
  const fastio_env *env = csv->options.env;
  fastio__csv_destroy(csv);
  fastio__release(env, csv, sizeof *csv);
}

/* ---- batches ---- */

static const uint64_t BATCH_BYTES = 16 << 20;

static fastio__part next_part(const fastio_csv *csv) {
  const fastio_csv_options *options = &csv->options;
  fastio__part part = fastio__csv_whole(csv);
  uint64_t left = csv->range_end == FASTIO_NO_OFFSET ? csv->range_end : csv->range_end - csv->position;
  uint64_t bytes = options->batch_bytes ? options->batch_bytes : options->batch_rows ? FASTIO_NO_OFFSET : BATCH_BYTES;
  part.offset = csv->position;
  part.length = bytes < left ? bytes : left;
  part.at_record |= csv->begun;
  part.max_rows = options->max_rows - csv->rows;
  if (options->batch_rows && options->batch_rows < part.max_rows) part.max_rows = options->batch_rows;
  return part;
}

/* What must not get lost with a table of no rows. */
static bool tells_of_records(const fastio_report *report) {
  return report->padded + report->truncated + report->skipped + report->replaced + report->bad_cells > 0;
}

/* Whether there is more of a source, and of the range, behind the part. */
static bool is_more(const fastio_csv *csv, const fastio__part *part) {
  uint64_t limit = 0, end = part->offset + part->length;
  if (csv->source->kind == FASTIO__STREAM || part->length > FASTIO_NO_OFFSET - part->offset) return false;
  return fastio__source_limit(csv->source, &limit, NULL) == FASTIO_OK && end < limit && end < csv->range_end;
}

/* Reads one batch, of no rows only at the end, or if it tells of records that were dropped. */
static fastio_status read_batch(fastio_csv *csv, fastio_table **out, fastio_error *err) {
  for (;;) {
    fastio__part part = next_part(csv);
    uint64_t end = part.offset;
    fastio_status status = fastio__csv_read(csv, &part, out, &end, err);
    bool moved;
    if (status != FASTIO_OK) return status;
    moved = end > part.offset;
    if (!moved && !(csv->goes_on && part.at_record) &&
        is_more(csv, &part)) { /* no record starts in it: a long one goes on */
      csv->position += part.length;
      fastio_table_free(*out);
      continue;
    }
    csv->begun = true;
    csv->position = end;
    csv->rows += (*out)->rows;
    if ((*out)->rows > 0) csv->record_size = (end - part.offset) / (*out)->rows + 1;
    csv->finished = csv->position >= csv->range_end || csv->rows == csv->options.max_rows || (!moved && !csv->goes_on);
    if ((*out)->rows > 0 || !moved || csv->finished || tells_of_records((*out)->report)) {
      tell_lines(csv, *out);
      return FASTIO_OK;
    }
    add_lines(&csv->head_report, (*out)->report);
    fastio_table_free(*out);
  }
}

static fastio_status fail_again(const fastio_csv *csv, fastio_error *err) {
  if (err) *err = csv->failure;
  return csv->failure.status;
}

fastio_status fastio_csv_next(fastio_csv *csv, fastio_table **out, fastio_error *err) {
  fastio_table *table = csv->pending;
  fastio_status status = FASTIO_OK;
  csv->pending = NULL;
  if (!table && csv->finished) return fastio__fail(err, FASTIO_END, NULL);
  if (!table) {
    status = csv->failure.status ? fail_again(csv, err) : read_batch(csv, &table, err);
    if (status == FASTIO_OK && table->rows == 0 && csv->told && !tells_of_records(table->report)) {
      add_lines(&csv->head_report, table->report);
      fastio_table_free(table);
      return fastio__fail(err, FASTIO_END, NULL);
    }
  }
  if (status != FASTIO_OK) csv->finished = true;
  else *out = table;
  csv->told = true;
  return status;
}

/* ---- names and types ---- */

static fastio_status empty_table(fastio_csv *csv, fastio_table **out, fastio_error *err) {
  fastio__part none = {csv->data_start, 0, 0, true};
  uint64_t records = csv->records;
  fastio_status status = fastio__csv_read(csv, &none, out, NULL, err);
  csv->records = records;
  return status;
}

fastio_status fastio_csv_schema(fastio_csv *csv, fastio_table **out, fastio_error *err) {
  bool is_known = true;
  fastio_error failure; /* may be written to on the way to a success */
  for (size_t i = 0; i < csv->schema.column_count; i++) is_known &= csv->types[i] != 0;
  if (!is_known && !csv->pending && !csv->finished && !csv->failure.status &&
      read_batch(csv, &csv->pending, &failure) != FASTIO_OK)
    csv->failure = failure;
  if (csv->failure.status) return fail_again(csv, err);
  return empty_table(csv, out, err);
}

/* ---- rows by number ---- */

static bool add_milestone(void *ctx, uint64_t offset, uint64_t row) {
  fastio_csv *csv = ctx;
  if (csv->milestone_count == csv->milestone_capacity) {
    size_t capacity = fastio__grown(csv->milestone_capacity, csv->milestone_count + 64), size = sizeof *csv->milestones;
    fastio__milestone *more = capacity ? fastio__reallocate(csv->options.env, csv->milestones,
                                                            csv->milestone_capacity * size, capacity * size)
                                       : NULL;
    if (!more) return false;
    csv->milestones = more;
    csv->milestone_capacity = capacity;
  }
  csv->milestones[csv->milestone_count++] = (fastio__milestone){offset, row};
  return true;
}

static fastio_status fail_once(const fastio_source *source, fastio_error *err) {
  fastio_decoded decoded;
  fastio_source_decoded(source, &decoded);
  return fastio__fail(err, FASTIO_UNSUPPORTED,
                      decoded.compression || decoded.encoding
                          ? "a compressed or encoded source can be read once only, from its start"
                          : "a pipe or device can be read once only");
}

/* An empty file is read like a pipe, since some that seem empty are not. */
static fastio_status check_repeatable(fastio_source *source, fastio_error *err) {
  const uint8_t *data;
  size_t size = 0;
  fastio_status status = FASTIO_OK;
  if (source->kind == FASTIO__STREAM) status = fastio__source_peek(source, 1, &data, &size, err);
  return status == FASTIO_OK && size > 0 && source->kind == FASTIO__STREAM ? fail_once(source, err) : status;
}

static fastio_status count_rows(fastio_csv *csv, fastio_error *err) {
  fastio__part part = fastio__csv_whole(csv);
  fastio__passed passed;
  fastio_status status;
  if (csv->is_counted) return FASTIO_OK;
  if (csv->options.on_ragged & FASTIO_RAGGED_CALL)
    return fastio__fail(err, FASTIO_UNSUPPORTED, "rows that a callback decides about have no numbers");
  status = csv->begun && csv->source->kind == FASTIO__STREAM && csv->rows > 0 ? fail_once(csv->source, err)
                                                                              : check_repeatable(csv->source, err);
  if (status != FASTIO_OK) return status;
  csv->milestone_count = 0;
  status = fastio__csv_pass(csv, &part, false, add_milestone, csv, &passed, err);
  csv->row_count = passed.rows;
  csv->is_counted = status == FASTIO_OK;
  return status;
}

fastio_status fastio_csv_count(fastio_csv *csv, uint64_t *out, fastio_error *err) {
  fastio_status status = count_rows(csv, err);
  if (status == FASTIO_OK) *out = csv->row_count;
  return status;
}

/* The last milestone at or before the row. */
static fastio__milestone milestone_before(const fastio_csv *csv, uint64_t row) {
  size_t low = 0, high = csv->milestone_count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (csv->milestones[middle].row <= row) low = middle;
    else high = middle;
  }
  return csv->milestone_count ? csv->milestones[low] : (fastio__milestone){csv->data_start, 0};
}

fastio_status fastio_csv_slice(fastio_csv *csv, uint64_t first, uint64_t count, fastio_table **out, fastio_error *err) {
  fastio_table *schema = NULL;
  fastio__milestone near;
  uint64_t saved_rows, saved_records, start;
  fastio_status status = count_rows(csv, err);
  if (status == FASTIO_OK) status = fastio_csv_schema(csv, &schema, err);
  fastio_table_free(schema);
  if (status != FASTIO_OK) return status;
  saved_rows = csv->rows;
  saved_records = csv->records;
  if (first > csv->row_count) first = csv->row_count;
  if (count > csv->row_count - first) count = csv->row_count - first;
  near = milestone_before(csv, first);
  start = near.offset;
  if (first > near.row) {
    fastio__part skipped = {near.offset, FASTIO_NO_OFFSET, first - near.row, true};
    fastio__passed passed;
    status = fastio__csv_pass(csv, &skipped, false, NULL, NULL, &passed, err);
    if (status != FASTIO_OK) return status;
    start = passed.end;
  }
  fastio__part part = {start, FASTIO_NO_OFFSET, count, true};
  csv->rows = first;
  csv->records = csv->first_record + first;
  status = fastio__csv_read(csv, &part, out, NULL, err);
  csv->rows = saved_rows;
  csv->records = saved_records;
  return status;
}

/* ---- ranges ---- */

typedef struct cutting {
  const fastio_env *env;
  uint64_t start, size, parts, bytes, count;
  fastio__region ranges; /* starts of ranges, later pairs of offset and length */
} cutting;

/* A range begins with the first window at or behind its share of the bytes. */
static bool cut_here(void *ctx, uint64_t offset, uint64_t row) {
  cutting *c = ctx;
  uint64_t due;
  (void)row;
  if (c->parts) due = c->start + (uint64_t)((double)c->size / (double)c->parts * (double)c->count);
  else due = c->count ? ((uint64_t *)(void *)c->ranges.data)[2 * (c->count - 1)] + c->bytes : c->start;
  if (offset < due || (c->parts && c->count == c->parts)) return true;
  if (fastio__region_ensure(&c->ranges, (size_t)(c->count + 1) * 2 * sizeof(uint64_t), NULL) != FASTIO_OK) return false;
  ((uint64_t *)(void *)c->ranges.data)[2 * c->count++] = offset;
  return true;
}

static fastio_status finish_ranges(cutting *c, uint64_t end, fastio_column **out, fastio_error *err) {
  uint64_t *ranges = (uint64_t *)(void *)c->ranges.data;
  fastio__column_parts parts;
  fastio_column view;
  for (uint64_t i = 0; i < c->count; i++)
    ranges[2 * i + 1] = (i + 1 < c->count ? ranges[2 * i + 2] : end) - ranges[2 * i];
  memset(&parts, 0, sizeof parts);
  memset(&view, 0, sizeof view);
  view.type = FASTIO_UINT64;
  view.length = 2 * c->count;
  view.data_size = view.length * sizeof(uint64_t);
  view.row_items = 2;
  parts.data = c->ranges;
  return fastio__column_build(&view, &parts, c->env, out, err);
}

/* Windows are where a range can begin: they must be small beside a range. */
static size_t block_for(const cutting *c) {
  uint64_t bytes = c->parts ? c->size / c->parts : c->bytes;
  return bytes / 8 > 256 << 10 ? 256 << 10 : bytes / 8 > 0 ? (size_t)(bytes / 8) : 1;
}

fastio_status fastio_partition(fastio_source *source, const fastio_csv_options *options, uint64_t parts, uint64_t bytes,
                               fastio_column **out, fastio_error *err) {
  fastio_csv csv;
  cutting c;
  uint64_t limit = 0, end = 0;
  fastio__part part;
  fastio_status status;
  if (!source || !out || (parts == 0 && bytes == 0))
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "source, out, and the number or the size of parts are needed");
  memset(&c, 0, sizeof c);
  status = fastio__source_begin(source, FASTIO__AS_TEXT, 0, err);
  if (status == FASTIO_OK) status = check_repeatable(source, err);
  if (status != FASTIO_OK) return status;
  status = begin(&csv, source, options, false, err);
  if (status == FASTIO_OK) status = fastio__source_limit(source, &limit, err);
  if (status == FASTIO_OK) {
    part = fastio__csv_whole(&csv);
    c.env = csv.options.env;
    c.start = part.offset;
    c.size = limit > part.offset ? limit - part.offset : 0;
    if (part.length < c.size) c.size = part.length;
    c.parts = parts;
    c.bytes = bytes;
    status = fastio__region_init(&c.ranges, c.env, 4096, err);
    if (status == FASTIO_OK) status = fastio__csv_windows(&csv, &part, block_for(&c), cut_here, &c, &end, err);
    if (status == FASTIO_OK) status = finish_ranges(&c, end, out, err);
    if (status != FASTIO_OK) fastio__region_free(&c.ranges);
  }
  fastio__csv_destroy(&csv);
  return status;
}
