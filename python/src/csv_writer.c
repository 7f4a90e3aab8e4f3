/* What write_csv needs of C: tables and Arrow streams out, and columns from Python's own values. */
#include "py.h"

#include <errno.h>

/* ---- one table or stream ----------------------------------------------------------------------------------------- */

/* The words of write_csv as the core has them, with what they point to. */
typedef struct Words {
  fastio_csv_write_options options;
  PyObject *keep[7];
  fastio_format *formats; /* owned */
  PyObject *progress;     /* borrowed */
  unsigned long long before, whole;
} Words;

static void words_clear(Words *words) {
  for (size_t i = 0; i < Py_ARRAY_LENGTH(words->keep); ++i) Py_CLEAR(words->keep[i]);
  PyMem_Free(words->formats);
}

/* (sep, eol, quoting, quote, escape, null, nan, true, false, format, threads, progress, before, whole) */
static int words_parse(State *state, Words *words, PyObject *tuple) {
  static const char *const quotings[] = {"minimal", "strings", "all", "never"};
  fastio_csv_write_options *options = &words->options;
  PyObject *sep, *eol, *quoting, *quote, *escape, *null, *nan, *yes, *no, *format, *threads, *progress;
  fastio_csv_write_options_init(options);
  if (!PyArg_ParseTuple(tuple, "OOOOOOOOOOOOKK", &sep, &eol, &quoting, &quote, &escape, &null, &nan, &yes, &no, &format,
                        &threads, &progress, &words->before, &words->whole))
    return -1;
  options->quoting = choice(quoting, "quoting", quotings, 4);
  if (options->quoting < 0 || byte_from_object(quote, "quote", &options->quote) < 0 ||
      byte_or_none(escape, "escape", FASTIO_NONE, &options->escape) < 0 ||
      bytes_from_object(sep, "sep", &words->keep[0], &options->separator) < 0 ||
      bytes_from_object(eol, "eol", &words->keep[1], &options->end) < 0 ||
      bytes_from_object(null, "null", &words->keep[2], &options->null_text) < 0 ||
      (nan != Py_None && bytes_from_object(nan, "nan", &words->keep[3], &options->nan_text) < 0) ||
      bytes_from_object(yes, "true", &words->keep[4], &options->true_text) < 0 ||
      bytes_from_object(no, "false", &words->keep[5], &options->false_text) < 0 ||
      formats_from_object(state, format, &words->keep[6], &words->formats, &options->format_count) < 0 ||
      threads_from_object(threads, &options->threads) < 0 || progress_from_object(progress, &words->progress) < 0)
    return -1;
  options->formats = words->formats;
  return 0;
}

/* The stream in a capsule that nobody has taken out. */
static struct ArrowArrayStream *stream_of(PyObject *capsule) {
  struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
  if (stream != NULL && stream->release == NULL) {
    PyErr_SetString(PyExc_ValueError, "the Arrow stream was used before");
    return NULL;
  }
  return stream;
}

/* A table, or a stream of batches. */
typedef struct Rows {
  const fastio_table *table;
  struct ArrowArrayStream *stream;
} Rows;

static fastio_status write_rows(Writer *writer, Rows rows, const fastio_csv_write_options *options, uint64_t *count,
                                fastio_error *err) {
  fastio_error_init(err);
  if (rows.table == NULL) return fastio_write_csv_stream(writer->out.writer, rows.stream, options, count, err);
  *count = rows.table->rows;
  return fastio_write_csv(writer->out.writer, rows.table, options, err);
}

/* How many rows there were. */
static PyObject *run(Writer *writer, Rows rows, Words *words) {
  Gil *gil = &writer->out.gil;
  uint64_t count = 0;
  fastio_error err;
  if (writer_enter(writer) < 0) return NULL;
  if (gil_set_progress(gil, words->progress, "rows") < 0) {
    writer_leave(writer, FASTIO_OK, NULL);
    return NULL;
  }
  gil->before = words->before;
  gil->whole = words->whole;
  words->options.poll = gil_poll;
  words->options.poll_ctx = gil;
  gil_release(gil);
  fastio_status status = write_rows(writer, rows, &words->options, &count, &err);
  gil_take(gil);
  gil_close_progress(gil);
  gil->before = gil->whole = 0;
  return writer_leave(writer, status, &err) < 0 ? NULL : PyLong_FromUnsignedLongLong(count);
}

static PyObject *run_stream(Writer *writer, PyObject *capsule, Words *words) {
  Rows rows = {NULL, capsule == NULL ? NULL : stream_of(capsule)};
  return rows.stream == NULL ? NULL : run(writer, rows, words);
}

/* A slice goes as a stream. */
static PyObject *run_table(Writer *writer, PyObject *table, Words *words) {
  Rows rows = {table_if_whole(table), NULL};
  if (rows.table != NULL) return run(writer, rows, words);
  PyObject *capsule = table_stream(table);
  PyObject *count = run_stream(writer, capsule, words);
  Py_XDECREF(capsule);
  return count;
}

/* _write_table(writer, table or stream capsule, header, words) */
PyObject *write_table(PyObject *module, PyObject *args) {
  State *state = state_of(module);
  PyObject *writer, *rows, *tuple, *count = NULL;
  Words words;
  int header;
  if (!PyArg_ParseTuple(args, "O!OpO!:_write_table", state->Writer, &writer, &rows, &header, &PyTuple_Type, &tuple))
    return NULL;
  memset(&words, 0, sizeof words);
  if (words_parse(state, &words, tuple) == 0) {
    words.options.header = header;
    if (Py_TYPE(rows) == state->Table) count = run_table((Writer *)writer, rows, &words);
    else count = run_stream((Writer *)writer, rows, &words);
  }
  words_clear(&words);
  return count;
}

/* ---- an Arrow array as a stream of one batch --------------------------------------------------------------------- */

typedef struct Batch {
  struct ArrowSchema schema;
  struct ArrowArray array;
} Batch;

static void lent_release(struct ArrowSchema *schema) { schema->release = NULL; }

/* Lent, not given: it may be asked for again, and lives as long as the stream. */
static int batch_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
  Batch *self = stream->private_data;
  *out = self->schema;
  out->release = lent_release;
  return 0;
}

static int batch_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
  Batch *self = stream->private_data;
  *out = self->array;
  self->array.release = NULL;
  return 0;
}

static const char *batch_error(struct ArrowArrayStream *stream) {
  (void)stream;
  return NULL;
}

static void batch_release(struct ArrowArrayStream *stream) {
  Batch *self = stream->private_data;
  self->schema.release(&self->schema);
  if (self->array.release != NULL) self->array.release(&self->array);
  free(self);
  stream->release = NULL;
}

PyObject *stream_of_array(PyObject *Py_UNUSED(module), PyObject *args) {
  PyObject *schemas, *arrays;
  if (!PyArg_ParseTuple(args, "OO:_stream_of_array", &schemas, &arrays)) return NULL;
  struct ArrowSchema *schema = PyCapsule_GetPointer(schemas, "arrow_schema");
  struct ArrowArray *array = schema == NULL ? NULL : PyCapsule_GetPointer(arrays, "arrow_array");
  if (array == NULL) return NULL;
  if (schema->release == NULL || array->release == NULL) {
    PyErr_SetString(PyExc_ValueError, "the Arrow array was used before");
    return NULL;
  }
  Batch *batch = malloc(sizeof *batch);
  struct ArrowArrayStream *stream = malloc(sizeof *stream);
  if (batch == NULL || stream == NULL) {
    free(batch);
    free(stream);
    return PyErr_NoMemory();
  }
  *batch = (Batch){*schema, *array};
  schema->release = NULL;
  array->release = NULL;
  *stream = (struct ArrowArrayStream){batch_schema, batch_next, batch_error, batch_release, batch};
  return arrow_stream_capsule(stream);
}

/* _stream_names(capsule): what its columns are called. */
PyObject *stream_names(PyObject *Py_UNUSED(module), PyObject *capsule) {
  struct ArrowArrayStream *stream = stream_of(capsule);
  struct ArrowSchema schema = {.release = NULL};
  if (stream == NULL) return NULL;
  int error = stream->get_schema(stream, &schema);
  if (PyErr_Occurred()) return NULL;
  if (error != 0) {
    const char *words = stream->get_last_error(stream);
    return PyErr_Format(PyExc_ValueError, "the Arrow stream has no schema: %s",
                        words != NULL ? words : strerror(error));
  }
  PyObject *names = PyList_New(0);
  for (int64_t i = 0; names != NULL && i < schema.n_children; ++i) {
    const char *text = schema.children[i]->name;
    PyObject *name = text == NULL ? PyUnicode_FromString("")
                                  : PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "strict");
    if (name == NULL || PyList_Append(names, name) < 0) Py_CLEAR(names);
    Py_XDECREF(name);
  }
  if (schema.release != NULL) schema.release(&schema);
  return names;
}

/* ---- columns from values ----------------------------------------------------------------------------------------- */

/* A column in the making. */
typedef struct Made {
  fastio_type type; /* 0: only missing values so far */
  char *data;
  size_t size, room; /* of the data, in bytes */
  int64_t *offsets;  /* of strings */
  uint8_t *validity;
  Py_ssize_t length, missing;
  int has_negative;
} Made;

static void made_free(void *ctx) {
  Made *made = ctx;
  free(made->data);
  free(made->offsets);
  free(made->validity);
  free(made);
}

static Made *made_new(Py_ssize_t length) {
  Made *made = calloc(1, sizeof *made);
  if (made == NULL) return (Made *)PyErr_NoMemory();
  made->room = (size_t)length * 8 + 8;
  made->data = calloc(made->room, 1);
  made->validity = calloc((size_t)length / 8 + 1, 1);
  made->offsets = calloc((size_t)length + 1, sizeof *made->offsets);
  if (made->data != NULL && made->validity != NULL && made->offsets != NULL) return made;
  made_free(made);
  return (Made *)PyErr_NoMemory();
}

static int made_text(Made *made, const void *data, size_t size) {
  if (made->room - made->size < size) {
    size_t room = 2 * made->room + size;
    char *grown = room < size ? NULL : realloc(made->data, room);
    if (grown == NULL) return PyErr_NoMemory(), -1;
    made->data = grown;
    made->room = room;
  }
  if (size != 0) memcpy(made->data + made->size, data, size);
  made->size += size;
  return 0;
}

/* The text of a value that has no type of its own here: of dates beyond the core's range as well. */
static PyObject *text_of(State *state, PyObject *value) {
  if (PyUnicode_Check(value)) return Py_NewRef(value);
  int is_date = is_date_or_time(state, value);
  PyObject *text = is_date < 0 ? NULL : is_date ? PyObject_CallMethod(value, "isoformat", NULL) : PyObject_Str(value);
  if (text == NULL || PyUnicode_Check(text)) return text;
  Py_DECREF(text);
  return PyErr_Format(PyExc_TypeError, "isoformat() of %.100s gave no str", Py_TYPE(value)->tp_name);
}

static int made_value_of_text(State *state, Made *made, PyObject *value) {
  if (PyBytes_Check(value)) return made_text(made, PyBytes_AS_STRING(value), (size_t)PyBytes_GET_SIZE(value));
  PyObject *text = text_of(state, value);
  if (text == NULL) return -1;
  if (PyUnicode_IS_COMPACT_ASCII(text)) {
    int result = made_text(made, PyUnicode_DATA(text), (size_t)PyUnicode_GET_LENGTH(text));
    Py_DECREF(text);
    return result;
  }
  PyObject *bytes = PyUnicode_AsUTF8String(text);
  Py_DECREF(text);
  if (bytes == NULL) return -1;
  int result = made_text(made, PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes));
  Py_DECREF(bytes);
  return result;
}

/* What a value is: a type of the core with the value in it, or (strings) without. */
typedef struct Cell {
  fastio_type type;
  union {
    int64_t i;
    uint64_t u;
    double f;
  } value;
} Cell;

static int cell_of_number(PyObject *value, Cell *cell) {
  Number number;
  int kind = number_from_object(value, &number);
  if (kind < 0 && PyErr_ExceptionMatches(PyExc_OverflowError)) { /* the digits of a larger int are a text */
    PyErr_Clear();
    return 0;
  }
  if (kind <= 0) return kind;
  cell->type = number.type;
  if (number.type == FASTIO_FLOAT32 || number.type == FASTIO_FLOAT64) cell->value.f = number.value.f;
  else cell->value.u = number.value.u;
  return 1;
}

/* NumPy's bool is no int, but a buffer of one. */
static int cell_of_scalar_bool(PyObject *value, Cell *cell) {
  Py_buffer view;
  if (!PyObject_CheckBuffer(value) || PyObject_GetBuffer(value, &view, PyBUF_FORMAT | PyBUF_ND) < 0) {
    PyErr_Clear();
    return 0;
  }
  int is_bool = view.ndim == 0 && view.format != NULL && strcmp(view.format, "?") == 0;
  if (is_bool) *cell = (Cell){FASTIO_BOOL, {*(const unsigned char *)view.buf != 0}};
  PyBuffer_Release(&view);
  return is_bool;
}

static int cell_from_object(State *state, PyObject *value, Cell *cell) {
  cell->type = FASTIO_STRING;
  if (PyUnicode_Check(value)) return 0;
  if (PyBytes_Check(value)) {
    cell->type = FASTIO_BINARY;
    return 0;
  }
  if (PyBool_Check(value)) {
    *cell = (Cell){FASTIO_BOOL, {value == Py_True}};
    return 0;
  }
  /* What only float() makes a number of, as Decimal, is exact as its text. */
  if (PyLong_Check(value) || PyFloat_Check(value) || PyIndex_Check(value) || PyObject_CheckBuffer(value)) {
    int kind = cell_of_number(value, cell);
    if (kind != 0) return kind < 0 ? -1 : 0;
    if (cell_of_scalar_bool(value, cell)) return 0;
    cell->type = FASTIO_STRING;
    return 0;
  }
  return temporal_from_object(state, value, &cell->type, &cell->value.i);
}

/* Whether the value is of the column's type, which the first one decides. Integers that fit both are the same. */
static int made_takes(Made *made, const Cell *cell) {
  if (made->type == 0) made->type = cell->type;
  if (cell->type == FASTIO_INT64 && cell->value.i < 0) {
    if (made->type == FASTIO_UINT64) return 0;
    made->has_negative = 1;
  }
  if (made->type == FASTIO_INT64 && cell->type == FASTIO_UINT64 && !made->has_negative) made->type = FASTIO_UINT64;
  return made->type == cell->type || (made->type == FASTIO_UINT64 && cell->type == FASTIO_INT64);
}

static void made_put(Made *made, const Cell *cell) {
  Py_ssize_t at = made->length;
  switch (made->type) {
    case FASTIO_BOOL: made->data[at >> 3] = (char)(made->data[at >> 3] | (int)cell->value.i << (at & 7)); break;
    case FASTIO_FLOAT32: ((float *)(void *)made->data)[at] = (float)cell->value.f; break;
    case FASTIO_DATE: ((int32_t *)(void *)made->data)[at] = (int32_t)cell->value.i; break;
    default: ((int64_t *)(void *)made->data)[at] = cell->value.i; break;
  }
}

/* 1: added; 0: it is of another kind than those before; -1 with an exception. */
static int made_add(State *state, Made *made, PyObject *value) {
  Cell cell;
  if (value == Py_None) {
    ++made->missing;
  } else {
    if (cell_from_object(state, value, &cell) < 0) return -1;
    if (!made_takes(made, &cell)) return 0;
    made->validity[made->length >> 3] |= (uint8_t)(1u << (made->length & 7));
    int is_text = cell.type == FASTIO_STRING || cell.type == FASTIO_BINARY;
    if (!is_text) made_put(made, &cell);
    else if (made_value_of_text(state, made, value) < 0) return -1;
  }
  made->offsets[++made->length] = (int64_t)made->size;
  return 1;
}

/* Takes over what was made, also on failure. */
static PyObject *made_finish(State *state, Made *made) {
  fastio_column column = {.type = made->type == 0 ? FASTIO_STRING : made->type,
                          .length = (uint64_t)made->length,
                          .null_count = (uint64_t)made->missing,
                          .data = made->data};
  int is_text = column.type == FASTIO_STRING || column.type == FASTIO_BINARY;
  column.validity = made->missing != 0 ? made->validity : NULL;
  column.offsets = is_text ? made->offsets : NULL;
  column.data_size = is_text ? made->size : made->room;
  fastio_column *result = NULL;
  fastio_error err;
  fastio_error_init(&err);
  fastio_status status = fastio_column_new(&column, made_free, made, NULL, &result, &err);
  if (status != FASTIO_OK) return raise_error(state, status, &err, NULL);
  return view_new(state->Column, result, 1);
}

/* A Column of values of one kind (None is missing), or how many of the first ones are of one: an int. */
static PyObject *column_of_objects(State *state, PyObject *values) {
  PyObject *tuple = PySequence_Tuple(values);
  Py_ssize_t count = tuple == NULL ? 0 : PyTuple_GET_SIZE(tuple);
  Made *made = tuple == NULL ? NULL : made_new(count);
  int added = made == NULL ? -1 : 1;
  for (Py_ssize_t i = 0; i < count && added > 0; ++i) added = made_add(state, made, PyTuple_GET_ITEM(tuple, i));
  Py_XDECREF(tuple);
  if (added > 0) return made_finish(state, made);
  PyObject *result = added < 0 ? NULL : PyLong_FromSsize_t(made->length);
  if (made != NULL) made_free(made);
  return result;
}

/* _column(values): of a buffer of numbers a copy. */
PyObject *column_of_values(PyObject *module, PyObject *values) {
  State *state = state_of(module);
  if (Py_TYPE(values) == state->Column) return Py_NewRef(values);
  if (PyObject_CheckBuffer(values) && !PyBytes_Check(values)) return column_of_buffer(state, values);
  return column_of_objects(state, values);
}
