/* Pickling of Column and Lines: a flat list of buffers, out of band from protocol 5 on. */
#include "py.h"

/* ---- out --------------------------------------------------------------------------------------------------------- */

static PyObject *bytes_part(const void *data, size_t size) {
  if (size > PY_SSIZE_T_MAX) return PyErr_NoMemory();
  return PyBytes_FromStringAndSize(data, (Py_ssize_t)size);
}

static PyObject *as_uint8_column(State *state, const fastio_column *base, const void *data, size_t size);

/* In band a plain bytes object, out of band a PickleBuffer over the memory itself. */
static PyObject *part(State *state, const fastio_column *base, const void *data, size_t size, int out_of_band) {
  if (data == NULL) Py_RETURN_NONE;
  if (!out_of_band) return bytes_part(data, size);
  PyObject *view = as_uint8_column(state, base, data, size);
  if (view == NULL) return NULL;
  PyObject *buffer = PyPickleBuffer_FromObject(view);
  Py_DECREF(view);
  return buffer;
}

static void release_base(void *ctx) { fastio_column_free(ctx); }

/* Part of a column's memory as a column of bytes, which is a buffer that keeps the rest alive. */
static PyObject *as_uint8_column(State *state, const fastio_column *base, const void *data, size_t size) {
  fastio_column view = {.type = FASTIO_UINT8, .length = size, .data = data, .data_size = size};
  fastio_column *column = NULL;
  fastio_error err;
  fastio_error_init(&err);
  fastio_column_retain(base);
  fastio_status status = fastio_column_new(&view, release_base, (void *)(uintptr_t)base, NULL, &column, &err);
  if (status != FASTIO_OK) return raise_error(state, status, &err, NULL);
  return view_new(state->Column, column, 1);
}

/* Validity bits of the slice from bit 0 on, as bytes; None if nothing is missing. */
static PyObject *validity_part(View *self) {
  if (self->null_count == 0) Py_RETURN_NONE;
  PyObject *bytes = PyBytes_FromStringAndSize(NULL, self->length / 8 + 1);
  if (bytes == NULL) return NULL;
  char *bits = PyBytes_AS_STRING(bytes);
  memset(bits, 0, (size_t)PyBytes_GET_SIZE(bytes));
  for (Py_ssize_t i = 0; i < self->length; ++i) {
    if (!view_is_null(self, i)) bits[i >> 3] = (char)(bits[i >> 3] | 1 << (i & 7));
  }
  return bytes;
}

/* Bits of the slice from bit 0 on. */
static PyObject *bits_part(View *self) {
  PyObject *bytes = PyBytes_FromStringAndSize(NULL, self->length / 8 + 1);
  if (bytes == NULL) return NULL;
  char *bits = PyBytes_AS_STRING(bytes);
  memset(bits, 0, (size_t)PyBytes_GET_SIZE(bytes));
  for (Py_ssize_t i = 0; i < self->length; ++i) {
    if (bit_at(self->column->data, view_position(self, i))) bits[i >> 3] = (char)(bits[i >> 3] | 1 << (i & 7));
  }
  return bytes;
}

static PyObject *dictionary_part(State *state, const fastio_column *dictionary) {
  if (dictionary == NULL) Py_RETURN_NONE;
  fastio_column_retain(dictionary);
  return view_new(state->Column, dictionary, 1);
}

/* (rebuild, (class, dtype, length, items per row, data, offsets, validity, dictionary, decode errors)) of a view that is contiguous
 * from `start` on. */
static PyObject *reduce(State *state, View *self, const fastio_column *column, Py_ssize_t start, int out_of_band) {
  const char *data = column->data;
  size_t size = fastio_type_size(column->type), length = (size_t)self->length;
  const int64_t *offsets = is_text(column) ? column->offsets + start : NULL;
  data += offsets != NULL ? (size_t)offsets[0] : (size_t)start * size;
  size_t data_size = offsets != NULL ? (size_t)(offsets[length] - offsets[0]) : length * size;
  PyObject *parts[4] = {NULL};
  if (column->type == FASTIO_BOOL) parts[0] = bits_part(self);
  else parts[0] = part(state, column, data, data_size, out_of_band);
  if (parts[0] != NULL) parts[1] = part(state, column, offsets, (length + 1) * sizeof *offsets, out_of_band);
  if (parts[1] != NULL) parts[2] = validity_part(self);
  if (parts[2] != NULL) parts[3] = dictionary_part(state, column->dictionary);
  PyObject *result = NULL;
  if (parts[3] != NULL) {
    result = Py_BuildValue("(O(OsnnOOOOK))", state->rebuild, Py_TYPE(self), fastio_type_name(column->type),
                           self->length, self->ndim == 2 ? self->shape[1] : (Py_ssize_t)0, parts[0], parts[1], parts[2],
                           parts[3], (unsigned long long)self->decode_errors);
  }
  for (size_t i = 0; i < Py_ARRAY_LENGTH(parts); ++i) Py_XDECREF(parts[i]);
  return result;
}

PyObject *view_reduce(PyObject *op, PyObject *protocol) {
  State *state = state_of_self(op);
  long number = PyLong_AsLong(protocol);
  if (number == -1 && PyErr_Occurred()) return NULL;
  Py_ssize_t start;
  const fastio_column *column = view_contiguous(state, (View *)op, &start);
  if (column == NULL) return NULL;
  PyObject *result = reduce(state, (View *)op, column, start, number >= 5);
  fastio_column_free(column);
  return result;
}

/* ---- in ---------------------------------------------------------------------------------------------------------- */

/* A loaded column owns a copy: an out-of-band buffer may be writable, and columns are immutable. */
typedef struct Copy {
  char *data;
  int64_t *offsets;
  uint8_t *validity;
} Copy;

static void copy_free(void *ctx) {
  Copy *copy = ctx;
  free(copy->data);
  free(copy->offsets);
  free(copy->validity);
  free(copy);
}

static void *copy_part(PyObject *part, size_t least, size_t *size) {
  Py_buffer view;
  *size = 0;
  if (part == Py_None) return NULL;
  if (PyObject_GetBuffer(part, &view, PyBUF_SIMPLE) < 0) return NULL;
  void *block = (size_t)view.len < least ? NULL : malloc(view.len > 0 ? (size_t)view.len : 1);
  if (block != NULL) {
    memcpy(block, view.buf, (size_t)view.len);
    *size = (size_t)view.len;
  } else if ((size_t)view.len >= least) {
    PyErr_NoMemory();
  }
  PyBuffer_Release(&view);
  return block;
}

/* Positions relative to the first one, rising, inside the data: whoever made the pickle, no index leaves the memory. */
static int offsets_rebase(int64_t *offsets, size_t length, size_t data_size) {
  int64_t first = offsets[0];
  for (size_t i = 0; i < length; ++i) {
    if (offsets[i + 1] < offsets[i]) return -1;
  }
  if (first < 0 || (uint64_t)(offsets[length] - first) > data_size) return -1;
  for (size_t i = 0; i <= length; ++i) offsets[i] -= first;
  return 0;
}

/* Every index names one of the strings. */
static int check_indices(const fastio_column *view, const int32_t *indices) {
  for (uint64_t i = 0; i < view->length; ++i) {
    if (indices[i] < 0 || (uint64_t)indices[i] >= view->dictionary->length) {
      if (view->validity == NULL || bit_at(view->validity, (Py_ssize_t)i)) return -1;
    }
  }
  return 0;
}

static int copy_parts(Copy *copy, fastio_column *view, PyObject *data, PyObject *offsets, PyObject *validity) {
  size_t item = fastio_type_size(view->type), length = (size_t)view->length, data_size, size;
  copy->data = copy_part(data, view->type == FASTIO_BOOL ? (length + 7) / 8 : length * item, &data_size);
  if (copy->data == NULL) return -1;
  if (is_text(view)) {
    copy->offsets = copy_part(offsets, (length + 1) * sizeof(int64_t), &size);
    if (copy->offsets == NULL || offsets_rebase(copy->offsets, length, data_size) < 0) return -1;
  }
  if (validity != Py_None) {
    copy->validity = copy_part(validity, (length + 7) / 8, &size);
    if (copy->validity == NULL) return -1;
    for (size_t i = 0; i < length; ++i) view->null_count += !(copy->validity[i >> 3] >> (i & 7) & 1);
  }
  view->data = copy->data;
  view->data_size = data_size;
  view->offsets = copy->offsets;
  view->validity = copy->validity;
  return view->dictionary == NULL ? 0 : check_indices(view, view->data);
}

static PyObject *rebuild_view(State *state, PyTypeObject *type, fastio_column *view, PyObject *parts[3]) {
  Copy *copy = calloc(1, sizeof *copy);
  if (copy == NULL) return PyErr_NoMemory();
  if (copy_parts(copy, view, parts[0], parts[1], parts[2]) < 0) {
    copy_free(copy);
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "the pickled parts do not fit together");
    return NULL;
  }
  fastio_column *column = NULL;
  fastio_error err;
  fastio_error_init(&err);
  fastio_status status = fastio_column_new(view, copy_free, copy, NULL, &column, &err);
  if (status != FASTIO_OK) return raise_error(state, status, &err, NULL);
  return view_new(type, column, column->row_items != 0 ? 2 : 1);
}

/* The dictionary of a column that has one, which must be a plain Column of strings. */
static const fastio_column *dictionary_of(State *state, PyObject *object) {
  View *view = (View *)object;
  int fits = Py_TYPE(object) == state->Column && view->column->type == FASTIO_STRING && view->null_count == 0 &&
             view->start == 0 && view->step == 1 && (uint64_t)view->length == view->column->length;
  return fits ? view->column : NULL;
}

static int is_class_of(State *state, PyObject *class, fastio_type type) {
  int is_lines = class == (PyObject *)state->Lines;
  return (is_lines && (type == FASTIO_STRING || type == FASTIO_BINARY)) ||
         (class == (PyObject *)state->Column && type != FASTIO_BINARY);
}

PyObject *rebuild(PyObject *module, PyObject *args) {
  State *state = state_of(module);
  const char *name;
  Py_ssize_t length, row_items;
  unsigned long long decode_errors = 0;
  PyObject *class, *dictionary, *parts[3];
  if (!PyArg_ParseTuple(args, "OsnnOOOO|K:_rebuild", &class, &name, &length, &row_items, &parts[0], &parts[1],
                        &parts[2], &dictionary, &decode_errors))
    return NULL;
  fastio_type type = fastio_type_from_name(name);
  fastio_column view = {.type = type, .length = (uint64_t)length, .row_items = (uint64_t)row_items};
  if (type == FASTIO_DICTIONARY) view.dictionary = dictionary_of(state, dictionary);
  int fits = type != 0 && is_class_of(state, class, type) && length >= 0 && length < PY_SSIZE_T_MAX / 8 - 1 &&
             row_items >= 0 && (row_items == 0 || length % row_items == 0) &&
             (type == FASTIO_DICTIONARY) == (view.dictionary != NULL);
  if (!fits) {
    PyErr_SetString(PyExc_ValueError, "the pickled parts do not fit together");
    return NULL;
  }
  PyObject *result = rebuild_view(state, (PyTypeObject *)class, &view, parts);
  if (result != NULL) ((View *)result)->decode_errors = decode_errors;
  return result;
}
