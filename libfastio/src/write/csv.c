/* Tables as delimited text: strips of rows are rendered field by field, quoted where need be, and merged. */
#include "csv.h"
#include "../column/column.h"
#include "writer.h"

/* ---- errors that have a place ---- */

static void name_field(const fastio__csv_output *output, uint64_t record, size_t column, fastio_error *err) {
  const fastio_bytes name = output->names ? output->names[column] : (fastio_bytes){NULL, 0};
  if (!err) return;
  err->record = record;
  err->field = column + 1;
  err->field_name_size = name.size < FASTIO_ERROR_TEXT_MAX ? name.size : FASTIO_ERROR_TEXT_MAX;
  if (err->field_name_size) memcpy(err->field_name, name.data, err->field_name_size);
}

/* ---- what is protected for the sake of its place ---- */

static bool starts_with(fastio_bytes text, const char *bytes, size_t size) {
  return text.size >= size && memcmp(text.data, bytes, size) == 0;
}

/* What readers take for a byte order mark, of this text or of one in another encoding. */
static bool has_mark(fastio_bytes text) {
  return starts_with(text, "\xEF\xBB\xBF", 3) || starts_with(text, "\xFF\xFE", 2) || starts_with(text, "\xFE\xFF", 2) ||
         starts_with(text, "\0\0\xFE\xFF", 4);
}

static bool must_be_quoted(const fastio__csv_output *output, bool is_first, fastio_bytes text) {
  if (output->columns == 1 && text.size == 0) return true; /* or the record would be a blank line */
  return is_first && output->quoting.policy != FASTIO_QUOTING_NEVER && has_mark(text);
}

/* ---- the header ---- */

static fastio_status put_name(const fastio__csv_output *output, size_t column, fastio__piece *piece,
                              fastio_error *err) {
  static const fastio__care care = {true, false, true};
  const fastio__quoting *q = &output->quoting;
  const fastio_bytes name = output->names[column], separator = output->options.separator;
  fastio__protection how = fastio__judge(q, &care, name);
  char *out, *end;
  if (how == FASTIO__PLAIN && must_be_quoted(output, column == 0, name)) how = FASTIO__QUOTED;
  if (how == FASTIO__UNSAFE || (how == FASTIO__QUOTED && q->policy == FASTIO_QUOTING_NEVER)) {
    fastio__fail_at(err, FASTIO_INVALID_ARGUMENT, "a name can't be written without quotes or an escape",
                    FASTIO_NO_OFFSET, name.data, name.size);
    name_field(output, 0, column, err);
    return FASTIO_INVALID_ARGUMENT;
  }
  out = fastio__piece_room(piece, fastio__protected_size(q, how, name) + separator.size + output->options.end.size);
  if (!out) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  end = fastio__protect(q, how, name, out);
  memcpy(end, separator.data, separator.size);
  piece->size += (size_t)(end - out) + separator.size;
  return FASTIO_OK;
}

fastio_status fastio__csv_write_header(fastio__csv_output *output, fastio_error *err) {
  const fastio_bytes end = output->options.end;
  fastio__piece piece = {fastio__writer_env(output->writer), NULL, 0, 0, 0};
  fastio_status status = FASTIO_OK;
  if (!output->options.header || output->columns == 0) return FASTIO_OK;
  for (size_t i = 0; status == FASTIO_OK && i < output->columns; i++) status = put_name(output, i, &piece, err);
  if (status == FASTIO_OK) {
    piece.size -= output->options.separator.size; /* the last name's; there is room for the end */
    memcpy(piece.data + piece.size, end.data, end.size);
    status = fastio_write(output->writer, piece.data, piece.size + end.size, err);
  }
  fastio__piece_free(&piece);
  return status;
}

/* ---- rows ---- */

typedef struct writing {
  fastio__csv_output *output;
  const fastio__batch_rows *batches;
  size_t count;
} writing;

static void quote_in_place(const fastio__csv_output *output, fastio__strip *strip, size_t rows, bool is_first) {
  fastio__texts *texts = &strip->texts[0];
  size_t good = rows < texts->good ? rows : texts->good;
  if (output->columns > 1 && good > 1) good = 1;
  if (output->columns > 1 && !is_first) return;
  for (size_t row = 0; row < good; row++) {
    if (!must_be_quoted(output, is_first && row == 0, fastio__text_at(texts, row))) continue;
    if (output->quoting.policy != FASTIO_QUOTING_NEVER)
      fastio__quote_text(&output->quoting, FASTIO__QUOTED, texts, row, &strip->arena);
    else fastio__text_fail(texts, row, FASTIO_INVALID_ARGUMENT, "without quotes the record would be a blank line");
  }
}

/* Of a value that has no text, no text. */
static fastio_status fail_text(const fastio__csv_output *output, const fastio__texts *texts, size_t column,
                               uint64_t record, fastio_error *err) {
  const bool has_text = texts->status == FASTIO_INVALID_ARGUMENT;
  const fastio_bytes text = has_text ? fastio__text_at(texts, texts->good) : (fastio_bytes){NULL, 0};
  fastio__fail_at(err, texts->status, texts->message, FASTIO_NO_OFFSET, text.data, text.size);
  if (texts->status != FASTIO_NO_MEMORY) name_field(output, record, column, err);
  return texts->status;
}

/* The rows before one that fails are written. */
static fastio_status put_strip(const fastio__csv_output *output, const fastio__batch_rows *batch, uint64_t first,
                               size_t rows, fastio__strip *strip, fastio__piece *piece, fastio_error *err) {
  const fastio__marks marks = {output->options.separator, output->options.end};
  const bool is_first = !output->options.header && batch->first_row + first == 0;
  size_t column = 0, good;
  fastio_status status;
  for (size_t i = 0; i < output->columns; i++) {
    fastio__field_render(&batch->fields[i], first, rows, &output->words, &strip->arena, &strip->texts[i]);
    fastio__quote_texts(&output->quoting, &output->cares[i], &strip->texts[i], rows, &strip->arena);
  }
  quote_in_place(output, strip, rows, is_first);
  good = fastio__strip_good(strip, rows, &column);
  status = fastio__strip_merge(strip, good, &marks, piece, err);
  if (status == FASTIO_OK && good < rows)
    status = fail_text(output, &strip->texts[column], column, batch->first_row + first + good + 1, err);
  fastio__arena_free(&strip->arena);
  return status;
}

/* The batch that holds the piece. */
static const fastio__batch_rows *batch_of(const writing *self, uint64_t piece) {
  size_t low = 0, high = self->count;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (self->batches[middle].first_piece <= piece) low = middle;
    else high = middle;
  }
  return &self->batches[low];
}

static fastio_status make_piece(void *ctx, uint64_t number, void *scratch, fastio__piece *piece, fastio_error *err) {
  const writing *self = ctx;
  const fastio__csv_output *output = self->output;
  const fastio__batch_rows *batch = batch_of(self, number);
  uint64_t at = (number - batch->first_piece) * batch->piece_rows;
  const uint64_t left = batch->rows - at, end = at + (left < batch->piece_rows ? left : batch->piece_rows);
  fastio_status status = FASTIO_OK;
  fastio__strip strip;
  fastio__strip_init(&strip, scratch, output->columns, batch->piece_rows, fastio__writer_env(output->writer));
  piece->items = 0;
  while (status == FASTIO_OK && at < end) {
    const size_t rows = end - at < strip.rows ? (size_t)(end - at) : strip.rows;
    status = put_strip(output, batch, at, rows, &strip, piece, err);
    at += rows;
  }
  return status;
}

uint64_t fastio__csv_row_bytes(const fastio__field *fields, size_t columns) {
  uint64_t bytes = 1;
  for (size_t i = 0; i < columns; i++) bytes += fastio__field_estimate(&fields[i]) + 1;
  return bytes;
}

/* Pieces don't go across batches, so that only an empty one has none. */
static void plan_pieces(const fastio__csv_output *output, fastio__batch_rows *batches, size_t count, fastio__job *job) {
  const size_t block = output->options.block_size ? output->options.block_size : FASTIO__PIECE;
  uint64_t first_row = output->rows, most = 1;
  for (size_t i = 0; i < count; i++) {
    fastio__batch_rows *batch = &batches[i];
    batch->first_row = first_row;
    batch->first_piece = job->count;
    batch->piece_rows = block / batch->row_bytes;
    if (batch->piece_rows > FASTIO__STRIP) batch->piece_rows -= batch->piece_rows % FASTIO__STRIP;
    if (batch->piece_rows > batch->rows) batch->piece_rows = batch->rows;
    if (batch->piece_rows == 0) batch->piece_rows = 1;
    if (batch->piece_rows > most) most = batch->piece_rows;
    job->count += batch->rows / batch->piece_rows + (batch->rows % batch->piece_rows != 0);
    job->bytes += batch->rows > FASTIO_NO_OFFSET / 2 / batch->row_bytes ? FASTIO_NO_OFFSET / 2
                                                                        : batch->rows * batch->row_bytes;
    first_row += batch->rows;
  }
  job->scratch_size = fastio__strip_size(output->columns, most);
}

fastio_status fastio__csv_write_rows(fastio__csv_output *output, fastio__batch_rows *batches, size_t count,
                                     uint64_t total, fastio_error *err) {
  writing self = {output, batches, count};
  fastio__job job;
  fastio_status status;
  if (output->columns == 0) { /* rows of nothing */
    for (size_t i = 0; i < count; i++) output->rows += batches[i].rows;
    return FASTIO_OK;
  }
  memset(&job, 0, sizeof job);
  job.make = make_piece;
  job.ctx = &self;
  job.threads = output->options.threads;
  job.poll = output->options.poll;
  job.poll_ctx = output->options.poll_ctx;
  job.done = output->rows;
  job.total = total;
  plan_pieces(output, batches, count, &job);
  if (job.count == 0) return FASTIO_OK;
  status = fastio__write_ordered(output->writer, &job, err);
  output->rows = job.done;
  return status;
}

/* ---- tables ---- */

/* Columns of the output: a matrix has as many as its rows have items. */
static bool count_fields(const fastio_table *table, size_t *out) {
  size_t count = 0;
  for (size_t i = 0; i < table->column_count; i++) {
    const uint64_t items = table->columns[i]->row_items;
    if (items > SIZE_MAX || !fastio__add(count, items > 1 ? (size_t)items : 1, &count)) return false;
  }
  *out = count;
  return true;
}

/* Two fields each: a dictionary is one of its own. */
static void fill_fields(const fastio_table *table, size_t count, fastio__field *fields) {
  fastio__field *next = fields;
  for (size_t i = 0; i < table->column_count; i++) {
    const fastio_column *column = table->columns[i];
    const size_t items = column->row_items > 1 ? (size_t)column->row_items : 1;
    for (size_t k = 0; k < items; k++, next++) {
      fastio__field_of_column(column, next + count, next);
      if (items == 1) continue;
      next->data += (int64_t)k * next->stride;
      next->stride *= (int64_t)items;
    }
  }
}

static fastio_status write_table(fastio__csv_output *output, const fastio_table *table, fastio__field *fields,
                                 size_t count, fastio_error *err) {
  const fastio_bytes *names = count == table->column_count ? table->names : NULL;
  fastio__batch_rows batch;
  fastio_status status;
  memset(&batch, 0, sizeof batch);
  fill_fields(table, count, fields);
  status = fastio__csv_output_columns(output, names, fields, count, err);
  if (status != FASTIO_OK) return status;
  for (size_t i = 0; i < count; i++) fastio__look_at_dictionary(&output->quoting, &fields[i]);
  batch.fields = fields;
  batch.rows = table->rows;
  batch.row_bytes = fastio__csv_row_bytes(fields, count);
  status = fastio__csv_write_header(output, err);
  if (status == FASTIO_OK) status = fastio__csv_write_rows(output, &batch, 1, table->rows, err);
  fastio__csv_output_free(output);
  return status;
}

static fastio_status write_locked(fastio_writer *writer, const fastio_table *table,
                                  const fastio_csv_write_options *options, fastio_error *err) {
  const fastio_env *env = fastio__writer_env(writer);
  fastio__csv_output output;
  fastio__field *fields = NULL;
  size_t count, size;
  fastio_status status = fastio__csv_output_init(&output, writer, options, err);
  if (status != FASTIO_OK) return status;
  if (!count_fields(table, &count) || !fastio__multiply(count, 2 * sizeof *fields, &size) ||
      !(fields = fastio__allocate(env, size)))
    return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  if (count != table->column_count && output.options.header)
    status = fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the columns of a matrix have no names: header must be 0");
  else status = write_table(&output, table, fields, count, err);
  fastio__release(env, fields, size);
  return status;
}

fastio_status fastio_write_csv(fastio_writer *writer, const fastio_table *table,
                               const fastio_csv_write_options *options, fastio_error *err) {
  fastio_status status, unlocked;
  if (!writer || !table) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "writer and table must not be NULL");
  status = write_locked(fastio_writer_lock(writer), table, options, err);
  unlocked = fastio_writer_unlock(writer, status == FASTIO_OK ? err : NULL);
  return status == FASTIO_OK ? unlocked : status;
}
