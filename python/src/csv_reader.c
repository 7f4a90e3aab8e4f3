/* CsvReader: a table batch by batch. */
#include "py.h"

static const char csv_reader_doc[] =
    "Reads delimited text batch by batch, from fastio.open_csv: an iterator of Tables.\n\n"
    "len(reader) counts the rows, reader[3] is a row and reader[1000:2000] a Table, wherever the iteration is: the "
    "first\n"
    "of these calls reads the source once to note where rows are, and needs one that can be read again. (list(reader)\n"
    "asks for the length first: [batch for batch in reader] does not.) __arrow_c_stream__ gives the batches that are\n"
    "still to be read. A context manager. One thread at a time: a second one gets ValueError, and so does everyone "
    "after\n"
    "close().";

/* What it takes to go on with the next one of several sources. */
typedef struct Rest {
  PyObject *items;        /* owned: all sources; NULL: there is one only */
  size_t next;            /* of them */
  CsvOptions options;     /* owned */
  fastio_table *schema;   /* owned: of the first one */
  fastio_column *labels;  /* owned: a dictionary of their labels; NULL: no column of those is wanted */
  uint64_t passed;        /* bytes of those that are done */
  uint64_t decode_errors; /* of those */
} Rest;

typedef struct CsvReader {
  PyObject_HEAD Input input;
  fastio_csv *csv; /* NULL: closed */
  Rest rest;
  Ragged ragged;
  PyObject *path;   /* also after close */
  PyObject *schema; /* a Table of no rows; NULL: not asked for yet */
  Busy busy;
  int is_finished; /* all batches were given out: nobody need close it */
  uint64_t offset; /* where it begins to read */
  uint64_t size;   /* for progress, bytes from there on; 0: not known */
  PyObject *weakrefs;
} CsvReader;

/* ---- lifetime ---------------------------------------------------------------------------------------------------- */

static void rest_clear(Rest *rest) {
  Py_CLEAR(rest->items);
  csv_options_clear(&rest->options);
  fastio_table_free(rest->schema);
  fastio_column_free(rest->labels);
  rest->schema = NULL;
  rest->labels = NULL;
}

static void reader_release(CsvReader *self) {
  fastio_csv *csv = self->csv;
  self->csv = NULL;
  fastio_csv_close(csv);
  if (csv != NULL) self->rest.decode_errors += input_decode_errors(&self->input);
  input_close(&self->input);
  ragged_clear(&self->ragged);
  rest_clear(&self->rest);
}

static int reader_traverse(PyObject *op, visitproc visit, void *arg) {
  CsvReader *self = (CsvReader *)op;
  Py_VISIT(Py_TYPE(op));
  Py_VISIT(self->ragged.callable);
  Py_VISIT(self->rest.items);
  Py_VISIT(self->schema);
  return input_traverse(&self->input, visit, arg);
}

static int reader_clear(PyObject *op) {
  reader_release((CsvReader *)op);
  Py_CLEAR(((CsvReader *)op)->schema);
  return 0;
}

/* A file that nobody closed or read to its end is worth a warning, as with open(). */
static void reader_finalize(PyObject *op) {
  CsvReader *self = (CsvReader *)op;
  PyObject *type, *value, *traceback;
  if (self->csv == NULL || !self->input.owns_file || self->is_finished) return;
  PyErr_Fetch(&type, &value, &traceback);
  if (PyErr_ResourceWarning(op, 1, "unclosed reader %R", op) < 0) PyErr_WriteUnraisable(op);
  PyErr_Restore(type, value, traceback);
}

static void reader_dealloc(PyObject *op) {
  CsvReader *self = (CsvReader *)op;
  PyTypeObject *type = Py_TYPE(op);
  if (PyObject_CallFinalizerFromDealloc(op) < 0) return; /* brought back to life */
  PyObject_GC_UnTrack(op);
  if (self->weakrefs != NULL) PyObject_ClearWeakRefs(op);
  reader_clear(op);
  Py_XDECREF(self->path);
  type->tp_free(op);
  Py_DECREF(type);
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static int enter(CsvReader *self) {
  if (busy_enter(&self->busy, "the reader") < 0) return -1;
  if (self->csv != NULL) {
    gil_release(&self->input.gil);
    return 0;
  }
  busy_give(&self->busy);
  PyErr_SetString(PyExc_ValueError, "the reader is closed");
  return -1;
}

/* 0, or -1 with the exception of the status, or without one at the end. */
static int leave(CsvReader *self, fastio_status status, const fastio_error *err) {
  gil_take(&self->input.gil);
  if (status == FASTIO_END) (void)input_finish(&self->input);
  busy_give(&self->busy);
  if (status == FASTIO_OK && !PyErr_Occurred()) return 0;
  if (status == FASTIO_END && !PyErr_Occurred()) self->is_finished = 1;
  else raise_error(state_of_self((PyObject *)self), status, err, self->path);
  return -1;
}

/* ---- the column that names the source ---------------------------------------------------------------------------- */

static void release_block(void *ctx) { free(ctx); }

/* The labels of all sources as a column of strings. */
static fastio_column *labels_of(State *state, PyObject *texts) {
  size_t count = (size_t)PyTuple_GET_SIZE(texts), size = 0, at = 0;
  for (size_t i = 0; i < count; ++i) size += (size_t)PyBytes_GET_SIZE(PyTuple_GET_ITEM(texts, (Py_ssize_t)i));
  int64_t *offsets = malloc((count + 1) * sizeof *offsets + size);
  if (offsets == NULL) return (fastio_column *)PyErr_NoMemory();
  char *data = (char *)(offsets + count + 1);
  for (size_t i = 0; i < count; ++i) {
    PyObject *text = PyTuple_GET_ITEM(texts, (Py_ssize_t)i);
    offsets[i] = (int64_t)at;
    memcpy(data + at, PyBytes_AS_STRING(text), (size_t)PyBytes_GET_SIZE(text));
    at += (size_t)PyBytes_GET_SIZE(text);
  }
  offsets[count] = (int64_t)at;
  fastio_column view = {.type = FASTIO_STRING, .length = count, .offsets = offsets, .data = data, .data_size = size},
                *column = NULL;
  fastio_error err;
  fastio_error_init(&err);
  fastio_status status = fastio_column_new(&view, release_block, offsets, NULL, &column, &err);
  if (status != FASTIO_OK) raise_error(state, status, &err, NULL);
  return column;
}

/* `rows` times the label of the source that is read now. No Python in here. */
static fastio_status label_column(const Rest *rest, uint64_t rows, fastio_column **out, fastio_error *err) {
  int32_t *indices = malloc(rows * sizeof *indices + 1);
  if (indices == NULL) return FASTIO_NO_MEMORY;
  for (uint64_t i = 0; i < rows; ++i) indices[i] = (int32_t)rest->next - 1;
  fastio_column view = {.type = FASTIO_DICTIONARY,
                        .length = rows,
                        .data = indices,
                        .data_size = rows * sizeof *indices,
                        .dictionary = rest->labels};
  return fastio_column_new(&view, release_block, indices, NULL, out, err);
}

/* The table with that column before its own. Takes over the table, and gives the one to go on with. */
static fastio_status label(const Rest *rest, fastio_table **table, fastio_error *err) {
  fastio_table *plain = *table, *labelled = NULL, view = *plain;
  fastio_column *first = NULL;
  const char *name = rest->options.file_column;
  size_t count = plain->column_count;
  if (rest->labels == NULL) return FASTIO_OK;
  const fastio_column **columns = malloc((count + 1) * sizeof *columns);
  fastio_bytes *names = malloc((count + 1) * sizeof *names);
  fastio_status status = columns == NULL || names == NULL ? FASTIO_NO_MEMORY
                                                          : label_column(rest, plain->rows, &first, err);
  if (status == FASTIO_OK) {
    columns[0] = first;
    names[0] = (fastio_bytes){name, strlen(name)};
    for (size_t i = 0; i < count; ++i) {
      columns[i + 1] = plain->columns[i];
      names[i + 1] = plain->names[i];
      fastio_column_retain(plain->columns[i]);
    }
    view.columns = columns;
    view.names = names;
    view.column_count = count + 1;
    status = fastio_table_new(&view, NULL, &labelled, err);
    for (size_t i = 0; status != FASTIO_OK && i <= count; ++i) fastio_column_free(columns[i]);
  }
  free(columns);
  free(names);
  fastio_table_free(plain);
  *table = labelled;
  return status;
}

static uint64_t decode_errors(const CsvReader *self) {
  return self->rest.decode_errors + (self->csv == NULL ? 0 : input_decode_errors(&self->input));
}

/* The table of a call that ended so. */
static PyObject *outcome(CsvReader *self, fastio_status status, fastio_error *err, fastio_table *table) {
  uint64_t errors = decode_errors(self);
  if (status == FASTIO_OK) status = label(&self->rest, &table, err);
  if (leave(self, status, err) < 0) {
    if (status == FASTIO_OK) fastio_table_free(table);
    return NULL;
  }
  PyObject *result = table_new(state_of_self((PyObject *)self), table);
  if (result != NULL && errors != 0) table_set_decode_errors(result, errors);
  return result;
}

/* ---- several sources: one after the other ------------------------------------------------------------------------ */

/* Opens the next one, with the GIL, in the place of the one before. */
static fastio_status open_next(CsvReader *self, fastio_error *err) {
  Rest *rest = &self->rest;
  PyObject *item = PyTuple_GET_ITEM(rest->items, (Py_ssize_t)rest->next);
  if (self->csv != NULL) rest->decode_errors += input_decode_errors(&self->input);
  fastio_csv_close(self->csv);
  self->csv = NULL;
  if (input_reopen(state_of_self((PyObject *)self), &self->input, item, &rest->options.decode) < 0)
    return FASTIO_CALLBACK_FAILED; /* the exception is set */
  ++rest->next;
  PyObject *before = self->path;
  Py_BEGIN_CRITICAL_SECTION(self);
  self->path = Py_XNewRef(self->input.path);
  Py_END_CRITICAL_SECTION();
  Py_XDECREF(before);
  gil_release(&self->input.gil);
  fastio_status status = fastio_csv_open(self->input.source, &rest->options.csv, &self->csv, err);
  gil_take(&self->input.gil);
  return status;
}

/* The names must be those of the first source. A rule that fits no column says so before that is looked at. */
static fastio_status check_schema(CsvReader *self, fastio_status status, fastio_error *err) {
  const fastio_table *first = self->rest.schema;
  fastio_table *schema = NULL;
  if (status == FASTIO_OK) {
    gil_release(&self->input.gil);
    status = fastio_csv_schema(self->csv, &schema, err);
    gil_take(&self->input.gil);
  }
  int differs = status == FASTIO_INVALID_ARGUMENT;
  if (status == FASTIO_OK) {
    differs = schema->column_count != first->column_count;
    for (size_t i = 0; !differs && i < first->column_count; ++i) {
      differs = schema->names[i].size != first->names[i].size ||
                memcmp(schema->names[i].data, first->names[i].data, first->names[i].size) != 0;
    }
    fastio_table_free(schema);
  }
  if (!differs) return status;
  fastio_error_init(err);
  err->message = "its columns are not those of the first source";
  return err->status = FASTIO_BAD_HEADER;
}

/* What later sources are read with is what the first one turned out to have. */
static int keep_schema(CsvReader *self) {
  fastio_error err;
  if (self->rest.schema != NULL) return 0;
  fastio_error_init(&err);
  gil_release(&self->input.gil);
  fastio_status status = fastio_csv_schema(self->csv, &self->rest.schema, &err);
  gil_take(&self->input.gil);
  if (status == FASTIO_OK) return csv_options_fix_types(&self->rest.options, self->rest.schema);
  raise_error(state_of_self((PyObject *)self), status, &err, self->path);
  return -1;
}

/* At the end of one source. 1: the next one is open; 0: there is none; -1: an exception is set. */
static int advance(CsvReader *self) {
  Rest *rest = &self->rest;
  fastio_error err;
  if (input_finish(&self->input) < 0) return -1;
  if (rest->items == NULL || rest->next == (size_t)PyTuple_GET_SIZE(rest->items) || rest->options.csv.max_rows == 0)
    return 0;
  if (keep_schema(self) < 0) return -1;
  rest->passed = self->input.gil.before;
  fastio_error_init(&err);
  fastio_status status = check_schema(self, open_next(self, &err), &err);
  if (status == FASTIO_OK && !PyErr_Occurred()) return 1;
  err.source = rest->next;
  raise_error(state_of_self((PyObject *)self), status, &err, self->path);
  return -1;
}

/* The next batch of the source that is open, or of one behind it. The GIL is released before and after. */
static fastio_status next_batch(CsvReader *self, fastio_table **table, fastio_error *err) {
  for (;;) {
    fastio_status status = fastio_csv_next(self->csv, table, err);
    if (status == FASTIO_OK && self->rest.next > 1 && (*table)->rows == 0) {
      fastio_table_free(*table); /* only the first source has to show its columns */
      continue;
    }
    if (status != FASTIO_OK) err->source = self->rest.items == NULL ? 0 : self->rest.next;
    if (status != FASTIO_END || self->rest.items == NULL) return status;
    gil_take(&self->input.gil);
    int more = PyErr_Occurred() ? -1 : advance(self);
    gil_release(&self->input.gil);
    if (more < 0) return FASTIO_CALLBACK_FAILED;
    if (more == 0) return FASTIO_END;
  }
}

static PyObject *reader_next(PyObject *op) {
  CsvReader *self = (CsvReader *)op;
  fastio_table *table = NULL;
  fastio_error err;
  fastio_error_init(&err);
  if (enter(self) < 0) return NULL;
  self->input.gil.whole = self->size;
  fastio_status status = next_batch(self, &table, &err);
  self->input.gil.whole = 0;
  if (status == FASTIO_OK) {
    uint64_t *left = &self->rest.options.csv.max_rows;
    self->input.gil.before = self->rest.passed + table->end - MIN(table->end, self->offset);
    if (self->rest.items != NULL && *left != FASTIO_NO_OFFSET) *left -= MIN(*left, table->rows);
  }
  return outcome(self, status, &err, table);
}

static PyObject *kept_schema(CsvReader *self) {
  PyObject *schema;
  Py_BEGIN_CRITICAL_SECTION(self);
  schema = Py_XNewRef(self->schema);
  Py_END_CRITICAL_SECTION();
  return schema;
}

/* The schema, made when first asked for. */
static PyObject *schema_of(CsvReader *self) {
  fastio_table *table = NULL;
  fastio_error err;
  PyObject *schema = kept_schema(self);
  if (schema != NULL) return schema;
  fastio_error_init(&err);
  if (enter(self) < 0) return NULL;
  fastio_status status = fastio_csv_schema(self->csv, &table, &err);
  schema = outcome(self, status, &err, table);
  if (schema == NULL) return NULL;
  Py_BEGIN_CRITICAL_SECTION(self);
  if (self->schema == NULL) self->schema = Py_NewRef(schema);
  Py_END_CRITICAL_SECTION();
  Py_DECREF(schema);
  return kept_schema(self);
}

/* What can't be read again has no length, which TypeError says to list() and others that only ask for a hint. */
static Py_ssize_t reader_length(PyObject *op) {
  CsvReader *self = (CsvReader *)op;
  uint64_t count = 0;
  fastio_error err;
  fastio_error_init(&err);
  if (self->rest.items != NULL) {
    PyErr_SetString(PyExc_TypeError, "a reader of several sources has no length");
    return -1;
  }
  if (enter(self) < 0) return -1;
  fastio_status status = fastio_csv_count(self->csv, &count, &err);
  if (status == FASTIO_UNSUPPORTED) {
    (void)leave(self, FASTIO_OK, &err);
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "what can't be read again has no length");
    return -1;
  }
  if (leave(self, status, &err) < 0) return -1;
  if (count <= PY_SSIZE_T_MAX) return (Py_ssize_t)count;
  PyErr_SetString(PyExc_OverflowError, "more rows than this machine can index");
  return -1;
}

static PyObject *rows_from(CsvReader *self, Py_ssize_t first, Py_ssize_t count) {
  fastio_table *table = NULL;
  fastio_error err;
  fastio_error_init(&err);
  if (enter(self) < 0) return NULL;
  fastio_status status = fastio_csv_slice(self->csv, (uint64_t)first, (uint64_t)count, &table, &err);
  return outcome(self, status, &err, table);
}

/* The rows between the ends are read, the step is a slice of them. */
static PyObject *slice_of(CsvReader *self, PyObject *key, Py_ssize_t total) {
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(key, &start, &stop, &step) < 0) return NULL;
  Py_ssize_t count = PySlice_AdjustIndices(total, &start, &stop, step);
  Py_ssize_t last = count == 0 ? start : start + (count - 1) * step;
  PyObject *rows = count == 0 ? rows_from(self, 0, 0) : rows_from(self, MIN(start, last), Py_ABS(last - start) + 1);
  if (rows == NULL || step == 1 || count == 0) return rows;
  PyObject *stepped = table_slice(rows, step > 0 ? 0 : start - last, count, step);
  Py_DECREF(rows);
  return stepped;
}

static PyObject *row_of(CsvReader *self, PyObject *key, Py_ssize_t total) {
  Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
  if (i == -1 && PyErr_Occurred()) return NULL;
  if (i < 0) i += total;
  if (i < 0 || i >= total) {
    PyErr_SetString(PyExc_IndexError, "row index out of range");
    return NULL;
  }
  PyObject *rows = rows_from(self, i, 1), *row = rows == NULL ? NULL : table_row(rows, 0);
  Py_XDECREF(rows);
  return row;
}

static PyObject *reader_subscript(PyObject *op, PyObject *key) {
  if (!PySlice_Check(key) && !PyIndex_Check(key)) {
    return PyErr_Format(PyExc_TypeError, "a reader is indexed by a row number or a slice, not %.100s",
                        Py_TYPE(key)->tp_name);
  }
  Py_ssize_t total = reader_length(op);
  if (total < 0) return NULL;
  return PySlice_Check(key) ? slice_of((CsvReader *)op, key, total) : row_of((CsvReader *)op, key, total);
}

static PyObject *reader_close(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  CsvReader *self = (CsvReader *)op;
  if (busy_enter(&self->busy, "the reader") < 0) return NULL;
  reader_release(self);
  busy_give(&self->busy);
  Py_RETURN_NONE;
}

static PyObject *reader_enter(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  CsvReader *self = (CsvReader *)op;
  if (enter(self) < 0 || leave(self, FASTIO_OK, NULL) < 0) return NULL;
  return Py_NewRef(op);
}

static PyObject *reader_exit(PyObject *op, PyObject *const *Py_UNUSED(args), Py_ssize_t Py_UNUSED(nargs)) {
  return reader_close(op, NULL);
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

/* True without a count of the rows. */
static int reader_bool(PyObject *Py_UNUSED(op)) { return 1; }

static PyObject *get_schema(PyObject *op, void *Py_UNUSED(closure)) { return schema_of((CsvReader *)op); }

static PyObject *get_names(PyObject *op, void *closure) {
  PyObject *schema = schema_of((CsvReader *)op), *names = schema == NULL ? NULL : table_names(schema, closure);
  Py_XDECREF(schema);
  return names;
}

static PyObject *get_dtypes(PyObject *op, void *closure) {
  PyObject *schema = schema_of((CsvReader *)op), *types = schema == NULL ? NULL : table_dtypes(schema, closure);
  Py_XDECREF(schema);
  return types;
}

static PyObject *get_closed(PyObject *op, void *Py_UNUSED(closure)) {
  return PyBool_FromLong(((CsvReader *)op)->csv == NULL);
}

static PyObject *get_decode_errors(PyObject *op, void *Py_UNUSED(closure)) {
  CsvReader *self = (CsvReader *)op;
  if (busy_enter(&self->busy, "the reader") < 0) return NULL;
  uint64_t count = decode_errors(self);
  busy_give(&self->busy);
  return PyLong_FromUnsignedLongLong(count);
}

static PyObject *get_path(PyObject *op, void *Py_UNUSED(closure)) {
  PyObject *path;
  Py_BEGIN_CRITICAL_SECTION(op);
  path = Py_XNewRef(((CsvReader *)op)->path);
  Py_END_CRITICAL_SECTION();
  if (path == NULL) Py_RETURN_NONE;
  return path;
}

static PyObject *reader_repr(PyObject *op) {
  CsvReader *self = (CsvReader *)op;
  const char *state = self->csv == NULL ? " closed" : "";
  if (self->path == NULL) return PyUnicode_FromFormat("<fastio.CsvReader%s>", state);
  return PyUnicode_FromFormat("<fastio.CsvReader %R%s>", self->path, state);
}

/* ---- Arrow: a stream that calls back into the reader, from whatever thread its consumer has ---------------------- */

typedef struct Batches {
  PyObject *reader;
  char error[512];
} Batches;

/* Tells the pending exception to the consumer in words. */
static int batches_failed(Batches *self) {
  PyObject *type, *value, *traceback;
  int is_interrupt = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  PyObject *text = value == NULL ? NULL : PyObject_Str(value);
  const char *words = text == NULL ? NULL : PyUnicode_AsUTF8(text);
  PyOS_snprintf(self->error, sizeof self->error, "%.60s: %.400s",
                type == NULL ? "error" : ((PyTypeObject *)type)->tp_name, words == NULL ? "" : words);
  PyErr_Clear();
  Py_XDECREF(text);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
  return is_interrupt ? ECANCELED : EIO;
}

static int batches_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
  Batches *self = stream->private_data;
  PyGILState_STATE gil = PyGILState_Ensure();
  fastio_error err;
  fastio_error_init(&err);
  PyObject *schema = schema_of((CsvReader *)self->reader);
  fastio_status status = schema == NULL ? FASTIO_OK : fastio_table_export_schema(table_core(schema), out, &err);
  if (status != FASTIO_OK) raise_error(state_of_self(self->reader), status, &err, NULL);
  Py_XDECREF(schema);
  int result = PyErr_Occurred() ? batches_failed(self) : 0;
  PyGILState_Release(gil);
  return result;
}

static int batches_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
  Batches *self = stream->private_data;
  PyGILState_STATE gil = PyGILState_Ensure();
  fastio_error err;
  fastio_error_init(&err);
  memset(out, 0, sizeof *out); /* release == NULL: the end */
  PyObject *batch = reader_next(self->reader);
  if (batch != NULL) {
    const fastio_table *table = table_core(batch);
    fastio_status status = fastio_table_export_array(table, 0, table->rows, out, &err);
    if (status != FASTIO_OK) raise_error(state_of_self(self->reader), status, &err, NULL);
    Py_DECREF(batch);
  }
  int result = PyErr_Occurred() ? batches_failed(self) : 0;
  PyGILState_Release(gil);
  return result;
}

static const char *batches_error(struct ArrowArrayStream *stream) { return ((Batches *)stream->private_data)->error; }

static void batches_release(struct ArrowArrayStream *stream) {
  Batches *self = stream->private_data;
  stream->release = NULL;
  if (Py_IsInitialized()) { /* else the process is ending, and the memory with
                               it */
    PyGILState_STATE gil = PyGILState_Ensure();
    Py_DECREF(self->reader);
    PyGILState_Release(gil);
  }
  free(self);
}

static PyObject *reader_arrow_schema(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  PyObject *schema = schema_of((CsvReader *)op);
  PyObject *capsule = schema == NULL ? NULL : arrow_table_schema(state_of_self(op), table_core(schema));
  Py_XDECREF(schema);
  return capsule;
}

static PyObject *reader_arrow_stream(PyObject *op, PyObject *args, PyObject *kwargs) {
  if (arrow_parse_request(args, kwargs, "|O:__arrow_c_stream__") < 0) return NULL;
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) { /* PyGILState knows only the main one */
    PyErr_SetString(PyExc_RuntimeError, "a reader can be an Arrow stream in the main interpreter only: use its tables");
    return NULL;
  }
  struct ArrowArrayStream *stream = malloc(sizeof *stream);
  Batches *batches = calloc(1, sizeof *batches);
  if (stream == NULL || batches == NULL) {
    free(stream);
    free(batches);
    return PyErr_NoMemory();
  }
  batches->reader = Py_NewRef(op);
  *stream = (struct ArrowArrayStream){batches_schema, batches_next, batches_error, batches_release, batches};
  return arrow_stream_capsule(stream);
}

/* ---- the type ---------------------------------------------------------------------------------------------------- */

static PyMethodDef reader_methods[] = {
    {"close", reader_close, METH_NOARGS,
     PyDoc_STR("close($self, /)\n--\n\nLets go of the source: closes the file if the reader opened it. Closing again "
               "does nothing.")},
    {"__enter__", reader_enter, METH_NOARGS, PyDoc_STR("__enter__($self, /)\n--\n\nThe reader itself.")},
    {"__exit__", FUNCTION(reader_exit), METH_FASTCALL, PyDoc_STR("__exit__($self, /, *exc_info)\n--\n\nCloses it.")},
    {"__arrow_c_schema__", reader_arrow_schema, METH_NOARGS, arrow_schema_doc},
    {"__arrow_c_stream__", FUNCTION(reader_arrow_stream), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR(
         "__arrow_c_stream__($self, /, requested_schema=None)\n--\n\n"
         "The batches that are still to be read: an \"arrow_array_stream\" capsule, which keeps the reader alive.")},
    {"__reduce__", refuse_pickle, METH_NOARGS,
     PyDoc_STR("__reduce__($self, /)\n--\n\nRaises TypeError: not to be pickled.")},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef reader_getset[] = {
    {"names", get_names, NULL, PyDoc_STR("The names of the columns, as a list."), NULL},
    {"dtypes", get_dtypes, NULL, PyDoc_STR("The names of the columns' types, as a dict."), NULL},
    {"schema", get_schema, NULL, PyDoc_STR("Names and types, as a Table of no rows."), NULL},
    {"closed", get_closed, NULL, PyDoc_STR("True once closed."), NULL},
    {"decode_errors", get_decode_errors, NULL, decode_errors_doc, NULL},
    {"path", get_path, NULL,
     PyDoc_STR("The path (of several ones that of the last batch), a file object's name, \"<stdin>\", \"<fd N>\", or "
               "None for data."),
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef reader_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(CsvReader, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot reader_slots[] = {
    {Py_tp_doc, (void *)csv_reader_doc}, {Py_tp_dealloc, reader_dealloc}, {Py_tp_finalize, reader_finalize},
    {Py_tp_traverse, reader_traverse},   {Py_tp_clear, reader_clear},     {Py_tp_repr, reader_repr},
    {Py_tp_iter, PyObject_SelfIter},     {Py_tp_iternext, reader_next},   {Py_tp_methods, reader_methods},
    {Py_tp_getset, reader_getset},       {Py_tp_members, reader_members}, {Py_mp_length, reader_length},
    {Py_mp_subscript, reader_subscript}, {Py_nb_bool, reader_bool},       {0, NULL},
};

PyType_Spec csv_reader_spec = {
    .name = "fastio.CsvReader",
    .basicsize = sizeof(CsvReader),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = reader_slots,
};

/* ---- open_csv ---------------------------------------------------------------------------------------------------- */

/* The label of each source, before any but the first is open. */
static PyObject *label_texts(PyObject *items) {
  PyObject *texts = PyTuple_New(PyTuple_GET_SIZE(items));
  for (Py_ssize_t i = 0; texts != NULL && i < PyTuple_GET_SIZE(items); ++i) {
    PyObject *item = PyTuple_GET_ITEM(items, i), *path = NULL;
    int has_path = is_path(item), is_dash;
    PyObject *bytes = has_path > 0 ? path_bytes(item, "<stdin>", &path, &is_dash) : NULL;
    if (has_path == 0) path = name_of(item);
    PyObject *text = PyErr_Occurred() ? NULL : source_label(path, (size_t)i + 1);
    Py_XDECREF(bytes);
    Py_XDECREF(path);
    if (text == NULL) Py_CLEAR(texts);
    else PyTuple_SET_ITEM(texts, i, text);
  }
  return texts;
}

/* Several sources, or one that is named in a column: the options are wanted again. */
static int find_rest(State *state, CsvReader *self, CsvOptions *options) {
  Rest *rest = &self->rest;
  int several = sources_from_object(options->source, &rest->items);
  if (several == 0 && options->file_column != NULL) rest->items = PyTuple_Pack(1, options->source);
  if (rest->items == NULL) return PyErr_Occurred() ? -1 : 0;
  if (options->csv.offset != 0 || options->csv.length != FASTIO_NO_OFFSET) {
    PyErr_SetString(PyExc_ValueError, "range is one of one source, not of several");
    return -1;
  }
  if (options->file_column == NULL) return 0;
  PyObject *texts = label_texts(rest->items);
  rest->labels = texts == NULL ? NULL : labels_of(state, texts);
  Py_XDECREF(texts);
  return rest->labels == NULL ? -1 : 0;
}

/* Takes over the options. */
static int csv_open(State *state, CsvReader *self, CsvOptions *options) {
  fastio_error err;
  fastio_error_init(&err);
  int failed = find_rest(state, self, options) < 0;
  PyObject *items = self->rest.items, *source = options->source, *progress = options->progress;
  if (!failed)
    failed = input_open(state, &self->input, items == NULL ? source : PyTuple_GET_ITEM(items, 0), &options->decode) < 0;
  if (!failed) csv_connect(options, &self->input, &self->ragged);
  self->rest.options = *options;
  memset(options, 0, sizeof *options);
  if (failed) return -1;
  self->path = Py_XNewRef(self->input.path);
  self->rest.next = 1;
  if (gil_set_progress(&self->input.gil, progress, "B") < 0) return -1;
  const fastio_csv_options *csv = &self->rest.options.csv;
  self->offset = csv->offset;
  uint64_t size = fastio_source_size(self->input.source);
  if (items != NULL) self->size = progress == NULL ? 0 : sources_size(items);
  else if (size != FASTIO_NO_OFFSET && size > self->offset) self->size = MIN(size - self->offset, csv->length);
  gil_release(&self->input.gil);
  fastio_status status = fastio_csv_open(self->input.source, csv, &self->csv, &err);
  gil_take(&self->input.gil);
  if (status == FASTIO_OK && !PyErr_Occurred()) return 0;
  raise_error(state, status, &err, self->path);
  return -1;
}

/* Created closed, then opened. */
static PyObject *new_reader(State *state, CsvOptions *options) {
  CsvReader *self = PyObject_GC_New(CsvReader, state->CsvReader);
  if (self == NULL) return NULL;
  memset(&self->input, 0, sizeof self->input);
  memset(&self->ragged, 0, sizeof self->ragged);
  memset(&self->rest, 0, sizeof self->rest);
  self->csv = NULL;
  self->path = self->schema = self->weakrefs = NULL;
  self->busy = 0;
  self->is_finished = 0;
  self->offset = self->size = 0;
  PyObject_GC_Track(self);
  if (csv_open(state, self, options) == 0) return (PyObject *)self;
  self->is_finished = 1; /* nobody ever had it */
  Py_DECREF(self);
  return NULL;
}

PyObject *open_csv(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const Signature signature = {"open_csv",
                                      CSV_RUN | CSV_DIALECT | CSV_PART | BIT(KW_BATCH_ROWS) | BIT(KW_BATCH_BYTES) |
                                          BIT(KW_FILE_COLUMN) | BIT(KW_PARTIAL),
                                      .second = KW_COUNT};
  PyObject *result = NULL;
  CsvOptions options;
  if (csv_options_parse(&signature, args, nargs, kwnames, &options) == 0) {
    result = new_reader(state_of(module), &options);
  }
  csv_options_clear(&options);
  return result;
}
