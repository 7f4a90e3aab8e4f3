/* The Arrow PyCapsule interface: schema, array and a stream of one chunk. */
#include "py.h"

const char arrow_schema_doc[] = "__arrow_c_schema__($self, /)\n--\n\nThe Arrow type, as an \"arrow_schema\" capsule.";
const char arrow_array_doc[] = "__arrow_c_array__($self, /, requested_schema=None)\n--\n\n"
                               "The type and the memory, as \"arrow_schema\" and \"arrow_array\" capsules. Without a "
                               "copy, but for stepped slices.\n"
                               "requested_schema is a wish that is not granted: the answer is always the type held.";
const char arrow_stream_doc[] = "__arrow_c_stream__($self, /, requested_schema=None)\n--\n\n"
                                "The same as a stream of one chunk: an \"arrow_array_stream\" capsule.";

/* ---- capsules: each owns its struct, and calls release unless a consumer has moved the content out --------------- */

static void schema_capsule_free(PyObject *capsule) {
  struct ArrowSchema *schema = PyCapsule_GetPointer(capsule, "arrow_schema");
  if (schema == NULL) return;
  if (schema->release != NULL) schema->release(schema);
  free(schema);
}

static void array_capsule_free(PyObject *capsule) {
  struct ArrowArray *array = PyCapsule_GetPointer(capsule, "arrow_array");
  if (array == NULL) return;
  if (array->release != NULL) array->release(array);
  free(array);
}

static void stream_capsule_free(PyObject *capsule) {
  struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
  if (stream == NULL) return;
  if (stream->release != NULL) stream->release(stream);
  free(stream);
}

/* Takes over the filled struct. */
static PyObject *new_schema_capsule(struct ArrowSchema *schema) {
  PyObject *capsule = PyCapsule_New(schema, "arrow_schema", schema_capsule_free);
  if (capsule == NULL) {
    schema->release(schema);
    free(schema);
  }
  return capsule;
}

PyObject *arrow_stream_capsule(struct ArrowArrayStream *stream) {
  PyObject *capsule = PyCapsule_New(stream, "arrow_array_stream", stream_capsule_free);
  if (capsule == NULL) {
    stream->release(stream);
    free(stream);
  }
  return capsule;
}

/* A struct that is not filled has nothing to release. */
static PyObject *not_filled(State *state, void *block, fastio_status status, const fastio_error *err) {
  free(block);
  return raise_error(state, status, err, NULL);
}

static PyObject *schema_capsule(State *state, const fastio_column *column) {
  struct ArrowSchema *schema = calloc(1, sizeof *schema);
  if (schema == NULL) return PyErr_NoMemory();
  fastio_error err;
  fastio_error_init(&err);
  fastio_status status = fastio_column_export_schema(column, schema, &err);
  return status == FASTIO_OK ? new_schema_capsule(schema) : not_filled(state, schema, status, &err);
}

PyObject *arrow_table_schema(State *state, const fastio_table *table) {
  struct ArrowSchema *schema = calloc(1, sizeof *schema);
  if (schema == NULL) return PyErr_NoMemory();
  fastio_error err;
  fastio_error_init(&err);
  fastio_status status = fastio_table_export_schema(table, schema, &err);
  return status == FASTIO_OK ? new_schema_capsule(schema) : not_filled(state, schema, status, &err);
}

PyObject *arrow_table_stream(State *state, const fastio_table *table, Py_ssize_t start, Py_ssize_t length) {
  struct ArrowArrayStream *stream = calloc(1, sizeof *stream);
  if (stream == NULL) return PyErr_NoMemory();
  fastio_error err;
  fastio_error_init(&err);
  fastio_status status = fastio_table_export_stream(table, (uint64_t)start, (uint64_t)length, stream, &err);
  return status == FASTIO_OK ? arrow_stream_capsule(stream) : not_filled(state, stream, status, &err);
}

static PyObject *array_capsule(State *state, const fastio_column *column, Py_ssize_t start, Py_ssize_t length) {
  struct ArrowArray *array = calloc(1, sizeof *array);
  if (array == NULL) return PyErr_NoMemory();
  fastio_error err;
  fastio_error_init(&err);
  fastio_status status = fastio_column_export_array(column, (uint64_t)start, (uint64_t)length, array, &err);
  if (status != FASTIO_OK) return not_filled(state, array, status, &err);
  PyObject *capsule = PyCapsule_New(array, "arrow_array", array_capsule_free);
  if (capsule == NULL) {
    array->release(array);
    free(array);
  }
  return capsule;
}

/* ---- the stream: runs on the consumer's threads, without Python -------------------------------------------------- */

typedef struct Chunk {
  const fastio_column *column;
  uint64_t start, length;
  int is_taken;
  const char *error;
} Chunk;

static int stream_failed(Chunk *chunk, const fastio_error *err) {
  chunk->error = err->message != NULL ? err->message : fastio_status_text(err->status);
  return err->status == FASTIO_NO_MEMORY ? ENOMEM : EIO;
}

static int stream_schema(struct ArrowArrayStream *self, struct ArrowSchema *out) {
  Chunk *chunk = self->private_data;
  fastio_error err;
  fastio_error_init(&err);
  if (fastio_column_export_schema(chunk->column, out, &err) != FASTIO_OK) return stream_failed(chunk, &err);
  return 0;
}

static int stream_next(struct ArrowArrayStream *self, struct ArrowArray *out) {
  Chunk *chunk = self->private_data;
  fastio_error err;
  fastio_error_init(&err);
  if (chunk->is_taken) {
    memset(out, 0, sizeof *out); /* release == NULL: the end */
    return 0;
  }
  if (fastio_column_export_array(chunk->column, chunk->start, chunk->length, out, &err) != FASTIO_OK) {
    return stream_failed(chunk, &err);
  }
  chunk->is_taken = 1;
  return 0;
}

static const char *stream_error(struct ArrowArrayStream *self) { return ((Chunk *)self->private_data)->error; }

static void stream_release(struct ArrowArrayStream *self) {
  Chunk *chunk = self->private_data;
  fastio_column_free(chunk->column);
  free(chunk);
  self->release = NULL;
}

/* Takes over the reference to the column, also on failure. */
static PyObject *stream_capsule(const fastio_column *column, Py_ssize_t start, Py_ssize_t length) {
  Chunk *chunk = malloc(sizeof *chunk);
  struct ArrowArrayStream *stream = malloc(sizeof *stream);
  if (chunk == NULL || stream == NULL) {
    fastio_column_free(column);
    free(chunk);
    free(stream);
    return PyErr_NoMemory();
  }
  *chunk = (Chunk){column, (uint64_t)start, (uint64_t)length, 0, NULL};
  *stream = (struct ArrowArrayStream){stream_schema, stream_next, stream_error, stream_release, chunk};
  return arrow_stream_capsule(stream);
}

/* ---- methods ----------------------------------------------------------------------------------------------------- */

int arrow_parse_request(PyObject *args, PyObject *kwargs, const char *format) {
  static char *names[] = {"requested_schema", NULL};
  PyObject *requested = Py_None;
  return PyArg_ParseTupleAndKeywords(args, kwargs, format, names, &requested) ? 0 : -1;
}

PyObject *view_arrow_schema(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  return schema_capsule(state_of_self(op), ((View *)op)->column);
}

PyObject *view_arrow_array(PyObject *op, PyObject *args, PyObject *kwargs) {
  State *state = state_of_self(op);
  View *self = (View *)op;
  Py_ssize_t start;
  if (arrow_parse_request(args, kwargs, "|O:__arrow_c_array__") < 0) return NULL;
  const fastio_column *column = view_contiguous(state, self, &start);
  if (column == NULL) return NULL;
  PyObject *schema = schema_capsule(state, column);
  PyObject *array = schema == NULL ? NULL : array_capsule(state, column, start, self->length);
  fastio_column_free(column);
  PyObject *pair = array == NULL ? NULL : PyTuple_Pack(2, schema, array);
  Py_XDECREF(schema);
  Py_XDECREF(array);
  return pair;
}

PyObject *view_arrow_stream(PyObject *op, PyObject *args, PyObject *kwargs) {
  View *self = (View *)op;
  Py_ssize_t start;
  if (arrow_parse_request(args, kwargs, "|O:__arrow_c_stream__") < 0) return NULL;
  const fastio_column *column = view_contiguous(state_of_self(op), self, &start);
  return column == NULL ? NULL : stream_capsule(column, start, self->length);
}
