/* Arrow streams as delimited text. Small batches are gathered, so that there is work for many threads. */
#include "../platform/threads.h"
#include "arrow_field.h"
#include "csv.h"
#include "writer.h"

enum { GATHERED_BYTES = 16 << 20, GATHERED_BATCHES = 64, GATHERED_FIELDS = 4096 };

typedef struct batch {
  struct ArrowArray array;
  fastio__field *fields; /* of its columns, then their dictionaries' */
} batch;

typedef struct streaming {
  const fastio_env *env;
  fastio__csv_output output;
  struct ArrowArrayStream *stream;
  struct ArrowSchema schema; /* owns the names */
  size_t columns;
  fastio_bytes *names;
  fastio__field *fields; /* as the schema has them */
  size_t fields_size;
  batch *batches;
  fastio__batch_rows *rows; /* of each */
  size_t batch_count, batch_limit;
} streaming;

/* An error of theirs has a number. */
static fastio_status fail_stream(int number, const char *message, fastio_error *err) {
  fastio__fail(err, FASTIO_CALLBACK_FAILED, message);
  if (err) err->os_error = number;
  return FASTIO_CALLBACK_FAILED;
}

/* ---- schema ---- */

static fastio_status get_schema(streaming *self, fastio_error *err) {
  const int failed = self->stream->get_schema(self->stream, &self->schema);
  if (failed) {
    self->schema.release = NULL;
    return fail_stream(failed, "the stream's get_schema failed", err);
  }
  if (strcmp(self->schema.format, "+s") != 0 || self->schema.n_children < 0)
    return fastio__fail(err, FASTIO_UNSUPPORTED, "the stream is not one of structs");
  self->columns = (size_t)self->schema.n_children;
  return FASTIO_OK;
}

static fastio_status allocate(streaming *self, fastio_error *err) {
  const size_t limit = self->columns ? GATHERED_FIELDS / self->columns : GATHERED_BATCHES;
  size_t names_size;
  self->batch_limit = limit < 1 ? 1 : limit < GATHERED_BATCHES ? limit : GATHERED_BATCHES;
  if (fastio__multiply(self->columns, sizeof *self->names, &names_size) &&
      fastio__multiply(self->columns, 2 * sizeof *self->fields, &self->fields_size)) {
    self->names = fastio__allocate(self->env, names_size);
    self->fields = fastio__allocate(self->env, self->fields_size);
    self->batches = fastio__allocate(self->env, self->batch_limit * sizeof *self->batches);
    self->rows = fastio__allocate(self->env, self->batch_limit * sizeof *self->rows);
  }
  if (self->names && self->fields && self->batches && self->rows) return FASTIO_OK;
  return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
}

static void name_column(const streaming *self, size_t column, fastio_error *err) {
  const fastio_bytes name = self->names[column];
  if (!err) return;
  err->field = column + 1;
  err->field_name_size = name.size < FASTIO_ERROR_TEXT_MAX ? name.size : FASTIO_ERROR_TEXT_MAX;
  if (err->field_name_size) memcpy(err->field_name, name.data, err->field_name_size);
}

static fastio_status read_types(streaming *self, fastio_error *err) {
  for (size_t i = 0; i < self->columns; i++) {
    const struct ArrowSchema *child = self->schema.children[i];
    const char *name = child->name ? child->name : "";
    fastio_status status = fastio__arrow_type(child, &self->fields[i], &self->fields[self->columns + i], err);
    self->names[i] = (fastio_bytes){name, strlen(name)};
    if (status == FASTIO_OK) continue;
    name_column(self, i, err);
    return status;
  }
  return FASTIO_OK;
}

/* ---- batches ---- */

static void release_batch(const streaming *self, batch *done) {
  fastio__release(self->env, done->fields, self->fields_size);
  if (done->array.release) done->array.release(&done->array);
}

static void release_batches(streaming *self) {
  while (self->batch_count > 0) release_batch(self, &self->batches[--self->batch_count]);
}

static fastio_status bind_batch(streaming *self, batch *next, fastio__batch_rows *rows, fastio_error *err) {
  const struct ArrowArray *array = &next->array;
  fastio__field *dictionaries;
  if (array->length < 0 || array->offset < 0 || (uint64_t)array->n_children != self->columns)
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "an array of the stream is not what its schema says");
  if (!(next->fields = fastio__allocate(self->env, self->fields_size)))
    return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  if (self->fields_size) memcpy(next->fields, self->fields, self->fields_size);
  dictionaries = next->fields + self->columns;
  for (size_t i = 0; i < self->columns; i++) {
    fastio_status status = fastio__arrow_bind(array, array->children[i], &next->fields[i], &dictionaries[i], err);
    if (status != FASTIO_OK) {
      name_column(self, i, err);
      return status;
    }
    fastio__look_at_dictionary(&self->output.quoting, &next->fields[i]);
  }
  memset(rows, 0, sizeof *rows);
  rows->fields = next->fields;
  rows->rows = (uint64_t)array->length;
  rows->row_bytes = fastio__csv_row_bytes(next->fields, self->columns);
  return FASTIO_OK;
}

/* FASTIO_END: no more. */
static fastio_status get_batch(streaming *self, fastio_error *err) {
  batch *next = &self->batches[self->batch_count];
  fastio_status status;
  int failed;
  memset(next, 0, sizeof *next);
  failed = self->stream->get_next(self->stream, &next->array);
  if (failed) return fail_stream(failed, "the stream's get_next failed", err);
  if (!next->array.release) return FASTIO_END;
  status = bind_batch(self, next, &self->rows[self->batch_count], err);
  if (status == FASTIO_OK) self->batch_count++;
  else release_batch(self, next);
  return status;
}

/* As many as are worth the threads; one is enough for one thread. */
static fastio_status gather(streaming *self, fastio_error *err) {
  const unsigned threads = fastio__thread_count(self->output.options.threads, FASTIO_NO_OFFSET);
  uint64_t bytes = 0;
  fastio_status status = FASTIO_OK;
  do {
    status = get_batch(self, err);
    if (status != FASTIO_OK) return status;
    const fastio__batch_rows *rows = &self->rows[self->batch_count - 1];
    if (rows->rows >= GATHERED_BYTES / rows->row_bytes) break;
    bytes += rows->rows * rows->row_bytes;
  } while (threads > 1 && bytes < GATHERED_BYTES && self->batch_count < self->batch_limit);
  return FASTIO_OK;
}

/* What came before a failure of the stream is written before it is reported. */
static fastio_status write_batches(streaming *self, fastio_error *err) {
  fastio_status got = FASTIO_OK;
  while (got == FASTIO_OK) {
    fastio_error failure;
    fastio_status status;
    got = gather(self, &failure);
    status = fastio__csv_write_rows(&self->output, self->rows, self->batch_count, FASTIO_NO_OFFSET, err);
    release_batches(self);
    if (status != FASTIO_OK) return status;
    if (got != FASTIO_OK && got != FASTIO_END && err) *err = failure;
  }
  return got == FASTIO_END ? FASTIO_OK : got;
}

static fastio_status write_stream(streaming *self, fastio_error *err) {
  fastio_status status = get_schema(self, err);
  if (status == FASTIO_OK) status = allocate(self, err);
  if (status == FASTIO_OK) status = read_types(self, err);
  if (status == FASTIO_OK)
    status = fastio__csv_output_columns(&self->output, self->names, self->fields, self->columns, err);
  if (status != FASTIO_OK) return status;
  status = fastio__csv_write_header(&self->output, err);
  if (status == FASTIO_OK) status = write_batches(self, err);
  fastio__csv_output_free(&self->output);
  return status;
}

static fastio_status write_locked(fastio_writer *writer, struct ArrowArrayStream *stream,
                                  const fastio_csv_write_options *options, uint64_t *rows, fastio_error *err) {
  streaming self;
  fastio_status status;
  memset(&self, 0, sizeof self);
  self.env = fastio__writer_env(writer);
  self.stream = stream;
  status = fastio__csv_output_init(&self.output, writer, options, err);
  if (status != FASTIO_OK) return status;
  status = write_stream(&self, err);
  if (status == FASTIO_OK && rows) *rows = self.output.rows;
  fastio__release(self.env, self.names, self.columns * sizeof *self.names);
  fastio__release(self.env, self.fields, self.fields_size);
  fastio__release(self.env, self.batches, self.batch_limit * sizeof *self.batches);
  fastio__release(self.env, self.rows, self.batch_limit * sizeof *self.rows);
  if (self.schema.release) self.schema.release(&self.schema);
  return status;
}

fastio_status fastio_write_csv_stream(fastio_writer *writer, struct ArrowArrayStream *stream,
                                      const fastio_csv_write_options *options, uint64_t *rows, fastio_error *err) {
  fastio_status status, unlocked;
  if (!writer || !stream) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "writer and stream must not be NULL");
  if (!stream->release) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the stream has been released");
  status = write_locked(fastio_writer_lock(writer), stream, options, rows, err);
  unlocked = fastio_writer_unlock(writer, status == FASTIO_OK ? err : NULL);
  return status == FASTIO_OK ? unlocked : status;
}
