/* Tables for others: the Arrow C Data Interface's struct of columns, and its C Stream Interface for batches. Whoever
 * consumes them may release on any thread, without our environment and after everything else is gone: what is exported
 * comes from the C library and owns what it shows. */
#include "../text/text.h"
#include "table.h"

#include <errno.h>
#include <stdlib.h>

/* ---- schema ---- */

/* A consumer may have taken children away: their `release` is NULL then. */
static void schema_release(struct ArrowSchema *schema) {
  for (int64_t i = 0; i < schema->n_children; i++)
    if (schema->children[i]->release) schema->children[i]->release(schema->children[i]);
  free(schema->private_data);
  schema->release = NULL;
}

/* One block: pointers to the children, then the children. */
static bool allocate_schema(size_t count, struct ArrowSchema *out) {
  struct ArrowSchema *children;
  size_t size;
  memset(out, 0, sizeof *out);
  if (!fastio__multiply(count, sizeof *out->children + sizeof *children, &size)) return false;
  if (!(out->private_data = malloc(size ? size : 1))) return false;
  out->children = out->private_data;
  children = (struct ArrowSchema *)(out->children + count);
  for (size_t i = 0; i < count; i++) out->children[i] = &children[i];
  return true;
}

static bool is_exportable(const fastio_table *table) {
  for (size_t i = 0; i < table->column_count; i++)
    if (table->columns[i]->length != table->rows) return false;
  return true;
}

static fastio_status check_export(const fastio_table *table, const void *out, fastio_error *err) {
  if (!table || !out) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "table and out must not be NULL");
  if (is_exportable(table)) return FASTIO_OK;
  return fastio__fail(err, FASTIO_UNSUPPORTED, "a matrix is no table for Arrow: export its column");
}

fastio_status fastio_table_export_schema(const fastio_table *table, struct ArrowSchema *out, fastio_error *err) {
  struct ArrowSchema schema;
  fastio_status status = check_export(table, out, err);
  if (status != FASTIO_OK) return status;
  if (!allocate_schema(table->column_count, &schema)) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  for (size_t i = 0; status == FASTIO_OK && i < table->column_count; i++) {
    status = fastio__export_schema(table->columns[i], table->names[i], schema.children[i], err);
    if (status == FASTIO_OK) schema.n_children++;
  }
  schema.format = "+s";
  schema.name = "";
  schema.release = schema_release;
  if (status == FASTIO_OK) *out = schema;
  else schema_release(&schema);
  return status;
}

/* ---- array ---- */

static void array_release(struct ArrowArray *array) {
  for (int64_t i = 0; i < array->n_children; i++)
    if (array->children[i]->release) array->children[i]->release(array->children[i]);
  free(array->private_data);
  array->release = NULL;
}

/* One block: room for two buffers, so that what follows is aligned (there is one, of validity: NULL), the children, the
 * pointers to them. */
static bool allocate_array(size_t count, struct ArrowArray *out) {
  struct ArrowArray *children;
  size_t size;
  memset(out, 0, sizeof *out);
  if (!fastio__multiply(count, sizeof *out->children + sizeof *children, &size) ||
      !fastio__add(size, 2 * sizeof *out->buffers, &size))
    return false;
  if (!(out->private_data = malloc(size))) return false;
  out->buffers = out->private_data;
  out->buffers[0] = NULL;
  children = (struct ArrowArray *)(out->buffers + 2);
  out->children = (struct ArrowArray **)(children + count);
  for (size_t i = 0; i < count; i++) out->children[i] = &children[i];
  return true;
}

fastio_status fastio_table_export_array(const fastio_table *table, uint64_t start, uint64_t length,
                                        struct ArrowArray *out, fastio_error *err) {
  struct ArrowArray array;
  fastio_status status = check_export(table, out, err);
  if (status != FASTIO_OK) return status;
  if (start > table->rows || length > table->rows - start)
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the slice does not lie in the table");
  if (!allocate_array(table->column_count, &array)) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  for (size_t i = 0; status == FASTIO_OK && i < table->column_count; i++) {
    status = fastio_column_export_array(table->columns[i], start, length, array.children[i], err);
    if (status == FASTIO_OK) array.n_children++;
  }
  array.length = (int64_t)length;
  array.n_buffers = 1;
  array.release = array_release;
  if (status == FASTIO_OK) *out = array;
  else array_release(&array);
  return status;
}

/* ---- streams: what is common ---- */

typedef struct stream {
  const fastio_table *table; /* one batch of it, or */
  uint64_t start, length;
  bool done;
  fastio_csv *csv; /* what this reads */
  size_t size;     /* of the text of the last error; 0: none */
  char text[1024]; /* room for both texts of an error with every byte escaped, and the rest */
} stream;

static stream *stream_of(struct ArrowArrayStream *arrow) { return arrow->private_data; }

static void put(stream *self, const char *text) {
  for (; *text && self->size < sizeof self->text - 1; text++) self->text[self->size++] = *text;
}

static void put_number(stream *self, uint64_t number) {
  char digits[FASTIO_FORMAT_MAX + 1];
  digits[fastio_format_u64(number, 10, digits)] = '\0';
  put(self, digits);
}

/* One part of a list in parentheses. */
static void put_place(stream *self, const char *what, uint64_t number) {
  put(self, self->text[self->size - 1] == '(' ? "" : ", ");
  put(self, what);
  put_number(self, number);
}

/* In quotes; what is not UTF-8 and what a terminal would obey, as "\x1b". */
static void put_quoted(stream *self, const void *text, size_t size) {
  static const char hex[] = "0123456789abcdef";
  const uint8_t *data = text;
  size_t valid = fastio__utf8_prefix(data, size);
  put(self, "'");
  for (size_t i = 0; i < size; i++) {
    bool plain = i < valid && data[i] >= 0x20 && data[i] != 0x7F;
    char shown[] = {'\\', 'x', hex[data[i] >> 4], hex[data[i] & 15], '\0'};
    if (plain) shown[0] = (char)data[i], shown[1] = '\0';
    put(self, shown);
  }
  put(self, "'");
}

static void put_places(stream *self, const fastio_error *err) {
  put(self, " (");
  if (err->line) put_place(self, "line ", err->line);
  if (err->column) put_place(self, "column ", err->column);
  if (err->record) put_place(self, "record ", err->record);
  if (err->field) put_place(self, "field ", err->field);
  if (err->field_name_size) {
    put(self, " ");
    put_quoted(self, err->field_name, err->field_name_size);
  }
  if (err->offset != FASTIO_NO_OFFSET) put_place(self, "offset ", err->offset);
  put(self, ")");
}

/* "not an integer: 'x1' (line 3, column 7, record 2, field 4 'price', offset 17)" */
static void describe(stream *self, const fastio_error *err) {
  put(self, err->message);
  if (err->text_size) {
    put(self, ": ");
    put_quoted(self, err->text, err->text_size);
  }
  if (err->offset != FASTIO_NO_OFFSET || err->record || err->field) put_places(self, err);
  if (err->os_error) {
    put(self, ", error of the operating system ");
    put_number(self, (uint64_t)err->os_error);
  }
  self->text[self->size] = '\0';
}

/* The errno that stands for a failure; 0 for none. */
static int report(stream *self, fastio_status status, const fastio_error *err) {
  self->size = 0;
  if (status == FASTIO_OK) return 0;
  describe(self, err);
  switch (status) {
    case FASTIO_NO_MEMORY: return ENOMEM;
    case FASTIO_UNSUPPORTED: return ENOSYS;
    case FASTIO_CANCELLED: return ECANCELED;
    case FASTIO_OS_ERROR:
    case FASTIO_TRUNCATED:
    case FASTIO_CALLBACK_FAILED: return EIO;
    default: return EINVAL;
  }
}

static const char *last_error(struct ArrowArrayStream *arrow) {
  const stream *self = stream_of(arrow);
  return self->size ? self->text : NULL;
}

static void stream_release(struct ArrowArrayStream *arrow) {
  stream *self = stream_of(arrow);
  fastio_table_free(self->table);
  fastio_csv_close(self->csv);
  free(self);
  arrow->release = NULL;
}

static stream *open_stream(struct ArrowArrayStream *out,
                           int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *),
                           int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *), fastio_error *err) {
  stream *self = calloc(1, sizeof *self);
  if (!self) {
    fastio__fail(err, FASTIO_NO_MEMORY, NULL);
    return NULL;
  }
  out->get_schema = get_schema;
  out->get_next = get_next;
  out->get_last_error = last_error;
  out->release = stream_release;
  out->private_data = self;
  return self;
}

/* ---- a table as a stream of one batch ---- */

static int table_schema(struct ArrowArrayStream *arrow, struct ArrowSchema *out) {
  stream *self = stream_of(arrow);
  fastio_error err;
  return report(self, fastio_table_export_schema(self->table, out, &err), &err);
}

static int table_next(struct ArrowArrayStream *arrow, struct ArrowArray *out) {
  stream *self = stream_of(arrow);
  fastio_error err;
  fastio_status status = FASTIO_OK;
  if (self->done) out->release = NULL; /* the end */
  else status = fastio_table_export_array(self->table, self->start, self->length, out, &err);
  if (status == FASTIO_OK) self->done = true;
  return report(self, status, &err);
}

fastio_status fastio_table_export_stream(const fastio_table *table, uint64_t start, uint64_t length,
                                         struct ArrowArrayStream *out, fastio_error *err) {
  fastio_status status = check_export(table, out, err);
  stream *self;
  if (status != FASTIO_OK) return status;
  if (start > table->rows || length > table->rows - start)
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the slice does not lie in the table");
  if (!(self = open_stream(out, table_schema, table_next, err))) return FASTIO_NO_MEMORY;
  fastio_table_retain(table);
  self->table = table;
  self->start = start;
  self->length = length;
  return FASTIO_OK;
}

/* ---- the batches of a reader ---- */

static int csv_schema(struct ArrowArrayStream *arrow, struct ArrowSchema *out) {
  stream *self = stream_of(arrow);
  fastio_table *table = NULL;
  fastio_error err;
  fastio_status status = fastio_csv_schema(self->csv, &table, &err);
  if (status == FASTIO_OK) status = fastio_table_export_schema(table, out, &err);
  fastio_table_free(table);
  return report(self, status, &err);
}

static int csv_next(struct ArrowArrayStream *arrow, struct ArrowArray *out) {
  stream *self = stream_of(arrow);
  fastio_table *table = NULL;
  fastio_error err;
  fastio_status status = fastio_csv_next(self->csv, &table, &err);
  if (status == FASTIO_END) {
    out->release = NULL;
    return report(self, FASTIO_OK, &err);
  }
  if (status == FASTIO_OK) status = fastio_table_export_array(table, 0, table->rows, out, &err);
  fastio_table_free(table);
  return report(self, status, &err);
}

fastio_status fastio_csv_export_stream(fastio_csv *csv, struct ArrowArrayStream *out, fastio_error *err) {
  stream *self = NULL;
  fastio_status status = FASTIO_OK;
  if (!csv || !out) status = fastio__fail(err, FASTIO_INVALID_ARGUMENT, "csv and out must not be NULL");
  else if (!(self = open_stream(out, csv_schema, csv_next, err))) status = FASTIO_NO_MEMORY;
  if (self) self->csv = csv;
  else fastio_csv_close(csv);
  return status;
}
