/* The sequence behind Column and Lines: an immutable, strided view of a column. */
#include "py.h"

/* ---- making views ------------------------------------------------------------------------------------------------ */

static Py_ssize_t popcount_byte(unsigned byte) {
  static const uint8_t nibble[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  return nibble[byte & 15] + nibble[byte >> 4];
}

static Py_ssize_t count_nulls(const View *self) {
  Py_ssize_t length = self->length, present = 0, i = 0;
  if (self->column->null_count == 0) return 0;
  if (self->step == 1) {
    for (; i < length && (self->start + i) % 8 != 0; ++i) present += !view_is_null(self, i);
    for (; i + 8 <= length; i += 8) present += popcount_byte(self->column->validity[(self->start + i) >> 3]);
  }
  for (; i < length; ++i) present += !view_is_null(self, i);
  return length - present;
}

static View *view_make(PyTypeObject *type, const fastio_column *column, Py_ssize_t start, Py_ssize_t length,
                       Py_ssize_t step) {
  View *self = PyObject_New(View, type);
  if (self == NULL) {
    fastio_column_free(column);
    return NULL;
  }
  self->column = column;
  self->start = start;
  self->length = length;
  self->step = step;
  self->weakrefs = NULL;
  self->null_count = count_nulls(self);
  self->ndim = 1;
  self->is_lent = 0;
  self->decode_errors = 0;
  self->shape[0] = length;
  self->shape[1] = 1;
  self->strides[0] = step * (Py_ssize_t)fastio_type_size(column->type);
  self->strides[1] = 0;
  return self;
}

PyObject *view_of(PyTypeObject *type, const fastio_column *column, Py_ssize_t start, Py_ssize_t length,
                  Py_ssize_t step) {
  return (PyObject *)view_make(type, column, start, length, step);
}

static void release_base(void *ctx) { fastio_column_free(ctx); }

PyObject *view_as(View *self, fastio_type type) {
  fastio_column numbers = *self->column;
  fastio_column *column = NULL;
  fastio_error err;
  fastio_error_init(&err);
  numbers.type = type;
  numbers.dictionary = NULL;
  fastio_column_retain(self->column);
  fastio_status status = fastio_column_new(&numbers, release_base, (void *)(uintptr_t)self->column, NULL, &column,
                                           &err);
  if (status != FASTIO_OK) return raise_error(state_of_self((PyObject *)self), status, &err, NULL);
  return view_of(Py_TYPE(self), column, self->start, self->length, self->step);
}

PyObject *view_new(PyTypeObject *type, const fastio_column *column, int ndim) {
  if (column->length > PY_SSIZE_T_MAX) {
    fastio_column_free(column);
    PyErr_SetString(PyExc_OverflowError, "more items than this machine can index");
    return NULL;
  }
  View *self = view_make(type, column, 0, (Py_ssize_t)column->length, 1);
  if (self != NULL && ndim == 2) {
    Py_ssize_t items = (Py_ssize_t)column->row_items;
    self->ndim = 2;
    self->shape[0] = self->length / items;
    self->shape[1] = items;
    self->strides[1] = self->strides[0];
    self->strides[0] *= items;
  }
  return (PyObject *)self;
}

const char decode_errors_doc[] = "How many byte sequences of the source were replaced or left out (errors=).";

PyObject *view_decode_errors(PyObject *op, void *Py_UNUSED(closure)) {
  return PyLong_FromUnsignedLongLong(((View *)op)->decode_errors);
}

void view_dealloc(PyObject *op) {
  View *self = (View *)op;
  PyTypeObject *type = Py_TYPE(op);
  if (self->weakrefs != NULL) PyObject_ClearWeakRefs(op);
  fastio_column_free(self->column);
  type->tp_free(op);
  Py_DECREF(type);
}

/* ---- items ------------------------------------------------------------------------------------------------------- */

/* Eight bytes at a time; the last eight may overlap the ones before. */
int is_ascii(const char *data, size_t size) {
  const uint64_t high = 0x8080808080808080u;
  uint64_t word, seen = 0;
  if (size < 8) {
    unsigned char bits = 0;
    for (size_t i = 0; i < size; ++i) bits |= (unsigned char)data[i];
    return bits < 0x80;
  }
  for (size_t i = 0; i + 8 <= size; i += 8) {
    memcpy(&word, data + i, 8);
    seen |= word;
  }
  memcpy(&word, data + size - 8, 8);
  return ((seen | word) & high) == 0;
}

PyObject *new_ascii(const char *data, Py_ssize_t size) {
  if (size < 2) return PyUnicode_DecodeLatin1(data, size, NULL); /* these are cached */
  PyObject *text = PyUnicode_New(size, 127);
  if (text != NULL) memcpy(PyUnicode_DATA(text), data, (size_t)size);
  return text;
}

PyObject *new_str(const char *data, Py_ssize_t size) {
  return is_ascii(data, (size_t)size) ? new_ascii(data, size) : PyUnicode_DecodeUTF8(data, size, "strict");
}

#define VALUE(type, at) (((const type *)column->data)[at])

static fastio_bytes text_at(const fastio_column *column, Py_ssize_t at) {
  const int64_t *offsets = column->offsets + at;
  return (fastio_bytes){(const char *)column->data + offsets[0], (size_t)(offsets[1] - offsets[0])};
}

/* Of strings, binary and dictionaries. */
static fastio_bytes text_of(const fastio_column *column, Py_ssize_t at) {
  return column->dictionary == NULL ? text_at(column, at) : text_at(column->dictionary, VALUE(int32_t, at));
}

PyObject *view_item(View *self, Py_ssize_t i) {
  const fastio_column *column = self->column;
  Py_ssize_t at = view_position(self, i);
  if (view_is_null(self, i)) Py_RETURN_NONE;
  switch (column->type) {
    case FASTIO_INT8: return PyLong_FromLong(VALUE(int8_t, at));
    case FASTIO_INT16: return PyLong_FromLong(VALUE(int16_t, at));
    case FASTIO_INT32: return PyLong_FromLong(VALUE(int32_t, at));
    case FASTIO_INT64: return PyLong_FromLongLong(VALUE(int64_t, at));
    case FASTIO_UINT8: return PyLong_FromLong(VALUE(uint8_t, at));
    case FASTIO_UINT16: return PyLong_FromLong(VALUE(uint16_t, at));
    case FASTIO_UINT32: return PyLong_FromUnsignedLong(VALUE(uint32_t, at));
    case FASTIO_UINT64: return PyLong_FromUnsignedLongLong(VALUE(uint64_t, at));
    case FASTIO_FLOAT32: return PyFloat_FromDouble(VALUE(float, at));
    case FASTIO_FLOAT64: return PyFloat_FromDouble(VALUE(double, at));
    case FASTIO_BOOL: return PyBool_FromLong(bit_at(column->data, at));
    case FASTIO_DATE: return new_date(state_of_self((PyObject *)self), VALUE(int32_t, at));
    case FASTIO_TIME: return new_time(state_of_self((PyObject *)self), VALUE(int64_t, at));
    case FASTIO_TIMESTAMP: return new_timestamp(state_of_self((PyObject *)self), VALUE(int64_t, at), 0);
    case FASTIO_TIMESTAMP_UTC: return new_timestamp(state_of_self((PyObject *)self), VALUE(int64_t, at), 1);
    default: break;
  }
  fastio_bytes text = text_of(column, at);
  if (column->type == FASTIO_BINARY) return PyBytes_FromStringAndSize(text.data, (Py_ssize_t)text.size);
  return new_str(text.data, (Py_ssize_t)text.size);
}

int64_t view_nbytes(const View *self) {
  const fastio_column *column = self->column;
  int64_t size = 0;
  if (column->type == FASTIO_BOOL) return ((int64_t)self->length + 7) / 8;
  if (!is_text(column)) size = (int64_t)self->length * (int64_t)fastio_type_size(column->type);
  else if (self->step == 1) size = column->offsets[self->start + self->length] - column->offsets[self->start];
  else {
    for (Py_ssize_t i = 0; i < self->length; ++i) size += (int64_t)text_at(column, view_position(self, i)).size;
  }
  if (column->dictionary != NULL) size += column->dictionary->offsets[column->dictionary->length];
  return size;
}

/* ---- the sequence protocol --------------------------------------------------------------------------------------- */

Py_ssize_t view_length(PyObject *op) { return ((View *)op)->length; }

PyObject *view_sq_item(PyObject *op, Py_ssize_t i) {
  View *self = (View *)op;
  if (i < 0 || i >= self->length) {
    PyErr_SetString(PyExc_IndexError, "index out of range");
    return NULL;
  }
  return view_item(self, i);
}

static PyObject *view_slice(View *self, PyObject *slice) {
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(slice, &start, &stop, &step) < 0) return NULL;
  Py_ssize_t length = PySlice_AdjustIndices(self->length, &start, &stop, step);
  /* Steps that no second item takes stay out of the arithmetic: they could overflow. */
  if (length <= 1) step = 1;
  if (length == 0) start = 0;
  fastio_column_retain(self->column);
  View *part = view_make(Py_TYPE(self), self->column, view_position(self, start), length, self->step * step);
  if (part != NULL) part->decode_errors = self->decode_errors;
  return (PyObject *)part;
}

PyObject *view_subscript(PyObject *op, PyObject *key) {
  View *self = (View *)op;
  if (PySlice_Check(key)) return view_slice(self, key);
  if (!PyIndex_Check(key)) {
    return PyErr_Format(PyExc_TypeError, "indices must be integers or slices, not %.100s", Py_TYPE(key)->tp_name);
  }
  Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
  if (i == -1 && PyErr_Occurred()) return NULL;
  return view_sq_item(op, i < 0 ? i + self->length : i);
}

PyObject *view_to_list(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  View *self = (View *)op;
  PyObject *list = PyList_New(self->length);
  if (list == NULL) return NULL;
  for (Py_ssize_t i = 0; i < self->length; ++i) {
    PyObject *item = view_item(self, i);
    if (item == NULL) {
      Py_DECREF(list);
      return NULL;
    }
    PyList_SET_ITEM(list, i, item);
  }
  return list;
}

/* The first place at or after `from` where the item equals value; -1 if none, -2 with an exception. */
static Py_ssize_t find_from(View *self, PyObject *value, Py_ssize_t from, Py_ssize_t to) {
  for (Py_ssize_t i = from; i < to; ++i) {
    PyObject *item = view_item(self, i);
    if (item == NULL) return -2;
    int equal = PyObject_RichCompareBool(item, value, Py_EQ);
    Py_DECREF(item);
    if (equal < 0) return -2;
    if (equal) return i;
  }
  return -1;
}

static int bound_from_object(PyObject *object, Py_ssize_t length, Py_ssize_t *out) {
  Py_ssize_t i = PyNumber_AsSsize_t(object, NULL); /* clipped, as for slices */
  if (i == -1 && PyErr_Occurred()) return -1;
  if (i < 0) i += length;
  *out = MAX(0, MIN(i, length));
  return 0;
}

PyObject *view_index(PyObject *op, PyObject *const *args, Py_ssize_t nargs) {
  View *self = (View *)op;
  Py_ssize_t from = 0, to = self->length;
  if (nargs < 1 || nargs > 3) {
    PyErr_Format(PyExc_TypeError, "index() takes from 1 to 3 arguments (%zd given)", nargs);
    return NULL;
  }
  if (nargs > 1 && bound_from_object(args[1], self->length, &from) < 0) return NULL;
  if (nargs > 2 && bound_from_object(args[2], self->length, &to) < 0) return NULL;
  Py_ssize_t at = find_from(self, args[0], from, to);
  if (at >= 0) return PyLong_FromSsize_t(at);
  if (at == -1) PyErr_Format(PyExc_ValueError, "%R is not in it", args[0]);
  return NULL;
}

PyObject *view_count(PyObject *op, PyObject *value) {
  View *self = (View *)op;
  Py_ssize_t count = 0, at = -1;
  while ((at = find_from(self, value, at + 1, self->length)) >= 0) ++count;
  return at == -1 ? PyLong_FromSsize_t(count) : NULL;
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

static int objects_equal(View *a, View *b, Py_ssize_t i) {
  PyObject *left = view_item(a, i);
  PyObject *right = left == NULL ? NULL : view_item(b, i);
  /* Not RichCompareBool: that takes one NaN object for equal to itself, and these are fresh objects anyway. */
  PyObject *result = right == NULL ? NULL : PyObject_RichCompare(left, right, Py_EQ);
  Py_XDECREF(left);
  Py_XDECREF(right);
  if (result == NULL) return -1;
  int equal = PyObject_IsTrue(result);
  Py_DECREF(result);
  return equal;
}

static int has_text(const fastio_column *column) { return is_text(column) || column->dictionary != NULL; }

static int texts_equal(View *a, View *b, Py_ssize_t i) {
  if (view_is_null(a, i) || view_is_null(b, i)) return view_is_null(a, i) == view_is_null(b, i);
  fastio_bytes left = text_of(a->column, view_position(a, i)), right = text_of(b->column, view_position(b, i));
  return left.size == right.size && memcmp(left.data, right.data, left.size) == 0;
}

static int views_equal(View *a, View *b) {
  int are_texts = has_text(a->column) && has_text(b->column) &&
                  (a->column->type == FASTIO_BINARY) == (b->column->type == FASTIO_BINARY);
  if (a->length != b->length || a->null_count != b->null_count) return 0;
  for (Py_ssize_t i = 0; i < a->length; ++i) {
    int equal = are_texts ? texts_equal(a, b, i) : objects_equal(a, b, i);
    if (equal <= 0) return equal;
  }
  return 1;
}

/* Values of one type in memory order, none missing, need no objects, unless they are floats (nan, -0.0). */
static int views_equal_fast(View *a, View *b) {
  const fastio_column *left = a->column, *right = b->column;
  size_t size = fastio_type_size(left->type);
  int is_float = left->type == FASTIO_FLOAT32 || left->type == FASTIO_FLOAT64;
  int is_plain = left->type == right->type && size != 0 && !is_float && left->dictionary == NULL && a->step == 1 &&
                 b->step == 1;
  if (!is_plain || a->null_count != 0 || b->null_count != 0) return views_equal(a, b);
  if (a->length != b->length) return 0;
  return memcmp((const char *)left->data + (size_t)a->start * size, (const char *)right->data + (size_t)b->start * size,
                (size_t)a->length * size) == 0;
}

/* A column of numbers beside a plain buffer: as memoryview compares them, so that read_bytes(p) == b"..." holds. */
static int equals_buffer(View *self, PyObject *other) {
  PyObject *view = PyMemoryView_FromObject((PyObject *)self);
  if (view == NULL) return -1;
  int equal = PyObject_RichCompareBool(view, other, Py_EQ);
  Py_DECREF(view);
  return equal;
}

PyObject *view_richcompare(PyObject *op, PyObject *other, int operation) {
  View *self = (View *)op;
  int equal;
  if (operation != Py_EQ && operation != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  if (Py_TYPE(op) == Py_TYPE(other)) {
    equal = views_equal_fast(self, (View *)other);
  } else if (is_number(self->column->type) && self->null_count == 0 &&
             (PyBytes_Check(other) || PyByteArray_Check(other) || PyMemoryView_Check(other))) {
    equal = equals_buffer(self, other);
  } else {
    Py_RETURN_NOTIMPLEMENTED;
  }
  if (equal < 0) return NULL;
  return PyBool_FromLong(equal == (operation == Py_EQ));
}

/* ---- repr -------------------------------------------------------------------------------------------------------- */

#define REPR_EDGE 3

/* The items, or the first and last three of them round an ellipsis. */
static PyObject *repr_items(View *self) {
  int is_short = self->length <= 2 * REPR_EDGE;
  Py_ssize_t shown = is_short ? self->length : 2 * REPR_EDGE;
  PyObject *text = PyUnicode_FromString("[");
  for (Py_ssize_t i = 0; text != NULL && i < shown; ++i) {
    PyObject *item = view_item(self, is_short || i < REPR_EDGE ? i : self->length - shown + i);
    if (item == NULL) {
      Py_CLEAR(text);
      break;
    }
    const char *before = i == 0 ? "" : !is_short && i == REPR_EDGE ? ", ..., " : ", ";
    PyObject *more = PyUnicode_FromFormat("%s%R", before, item);
    Py_DECREF(item);
    if (more == NULL) Py_CLEAR(text);
    else PyUnicode_AppendAndDel(&text, more);
  }
  if (text != NULL) PyUnicode_AppendAndDel(&text, PyUnicode_FromString("]"));
  return text;
}

PyObject *view_repr(PyObject *op, const char *kind, PyObject *dtype) {
  View *self = (View *)op;
  PyObject *items = repr_items(self);
  if (items == NULL) return NULL;
  PyObject *result = PyUnicode_FromFormat("<fastio.%s %U length=%zd %U>", kind, dtype, self->length, items);
  Py_DECREF(items);
  return result;
}

/* ---- iteration --------------------------------------------------------------------------------------------------- */

typedef struct SequenceIterator {
  PyObject_HEAD View *view;
  Py_ssize_t next; /* several threads may race for it and see an item twice, but never past the end */
} SequenceIterator;

PyObject *view_iter(PyObject *op) {
  State *state = state_of_self(op);
  SequenceIterator *self = PyObject_New(SequenceIterator, state->SequenceIterator);
  if (self == NULL) return NULL;
  self->view = (View *)Py_NewRef(op);
  self->next = 0;
  return (PyObject *)self;
}

static void iterator_dealloc(PyObject *op) {
  PyTypeObject *type = Py_TYPE(op);
  Py_DECREF(((SequenceIterator *)op)->view);
  type->tp_free(op);
  Py_DECREF(type);
}

static PyObject *iterator_next(PyObject *op) {
  SequenceIterator *self = (SequenceIterator *)op;
  Py_ssize_t i = self->next;
  if (i >= self->view->length) return NULL;
  self->next = i + 1;
  return view_item(self->view, i);
}

static PyObject *iterator_hint(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  SequenceIterator *self = (SequenceIterator *)op;
  return PyLong_FromSsize_t(self->view->length - self->next);
}

static PyMethodDef iterator_methods[] = {
    {"__length_hint__", iterator_hint, METH_NOARGS, PyDoc_STR("__length_hint__($self, /)\n--\n\nItems left.")},
    {"__reduce__", refuse_pickle, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot iterator_slots[] = {
    {Py_tp_dealloc, iterator_dealloc},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, iterator_next},
    {Py_tp_methods, iterator_methods},
    {Py_tp_doc, "Over the items of a Column or of Lines."},
    {0, NULL},
};

PyType_Spec sequence_iterator_spec = {
    .name = "fastio._core.SequenceIterator",
    .basicsize = sizeof(SequenceIterator),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = iterator_slots,
};

/* ---- gathering --------------------------------------------------------------------------------------------------- */

typedef struct Gathered {
  char *data;
  size_t data_size;
  uint8_t *validity;
  int64_t *offsets;
} Gathered;

static void gathered_free(void *ctx) {
  Gathered *gathered = ctx;
  free(gathered->data);
  free(gathered->validity);
  free(gathered->offsets);
  free(gathered);
}

static int gathered_allocate(Gathered *out, View *self) {
  size_t length = (size_t)self->length, item = fastio_type_size(self->column->type);
  if (self->column->type == FASTIO_BOOL) out->data_size = length / 8 + 1;
  else out->data_size = is_text(self->column) ? (size_t)view_nbytes(self) : length * item;
  out->data = calloc(MAX(out->data_size, 1), 1);
  if (out->data == NULL) return -1;
  if (is_text(self->column) && (out->offsets = malloc((length + 1) * sizeof(int64_t))) == NULL) return -1;
  if (self->null_count != 0 && (out->validity = calloc(length / 8 + 1, 1)) == NULL) return -1;
  return 0;
}

static void gather_texts(Gathered *out, View *self) {
  size_t end = 0;
  for (Py_ssize_t i = 0; i < self->length; ++i) {
    fastio_bytes text = text_at(self->column, view_position(self, i));
    out->offsets[i] = (int64_t)end;
    memcpy(out->data + end, text.data, text.size);
    end += text.size;
  }
  out->offsets[self->length] = (int64_t)end;
}

static void gather_bits(Gathered *out, View *self) {
  for (Py_ssize_t i = 0; i < self->length; ++i) {
    if (bit_at(self->column->data, view_position(self, i)))
      out->data[i >> 3] = (char)(out->data[i >> 3] | 1 << (i & 7));
  }
}

static void gather_items(Gathered *out, View *self) {
  size_t size = fastio_type_size(self->column->type);
  for (Py_ssize_t i = 0; i < self->length; ++i) {
    size_t from = (size_t)view_position(self, i) * size;
    memcpy(out->data + (size_t)i * size, (const char *)self->column->data + from, size);
  }
}

static void gather(Gathered *out, View *self) {
  if (is_text(self->column)) gather_texts(out, self);
  else if (self->column->type == FASTIO_BOOL) gather_bits(out, self);
  else gather_items(out, self);
  for (Py_ssize_t i = 0; out->validity != NULL && i < self->length; ++i) {
    if (!view_is_null(self, i)) out->validity[i >> 3] |= (uint8_t)(1u << (i & 7));
  }
}

static const fastio_column *gathered_column(State *state, View *self) {
  Gathered *gathered = calloc(1, sizeof *gathered);
  if (gathered == NULL || gathered_allocate(gathered, self) < 0) {
    if (gathered != NULL) gathered_free(gathered);
    PyErr_NoMemory();
    return NULL;
  }
  gather(gathered, self);
  fastio_column view = {self->column->type,      (uint64_t)self->length, (uint64_t)self->null_count, gathered->validity,
                        gathered->offsets,       gathered->data,         gathered->data_size,        0,
                        self->column->dictionary};
  fastio_column *column = NULL;
  fastio_error err;
  fastio_error_init(&err);
  fastio_status status = fastio_column_new(&view, gathered_free, gathered, NULL, &column, &err);
  if (status != FASTIO_OK) {
    raise_error(state, status, &err, NULL);
    return NULL;
  }
  return column;
}

const fastio_column *view_contiguous(State *state, View *self, Py_ssize_t *start) {
  *start = self->step == 1 ? self->start : 0;
  if (self->step != 1) return gathered_column(state, self);
  fastio_column_retain(self->column);
  return self->column;
}

/* A part of a column, over its memory; bits must begin with a byte. */
static fastio_column part_of(const View *self) {
  fastio_column part = *self->column;
  size_t start = (size_t)self->start;
  part.length = (uint64_t)self->length;
  part.null_count = (uint64_t)self->null_count;
  part.row_items = 0;
  if (part.offsets != NULL) part.offsets += start;
  else if (part.type == FASTIO_BOOL) part.data = (const char *)part.data + start / 8;
  else part.data = (const char *)part.data + start * fastio_type_size(part.type);
  part.validity = part.null_count == 0 ? NULL : part.validity + start / 8;
  return part;
}

const fastio_column *view_alone(State *state, View *self) {
  const fastio_column *base = self->column;
  int is_whole = self->start == 0 && (uint64_t)self->length == base->length;
  int has_bits = base->type == FASTIO_BOOL || self->null_count != 0;
  if (self->step != 1 || (has_bits && self->start % 8 != 0)) return gathered_column(state, self);
  fastio_column_retain(base);
  if (is_whole) return base;
  fastio_column part = part_of(self), *column = NULL;
  fastio_error err;
  fastio_error_init(&err);
  fastio_status status = fastio_column_new(&part, release_base, (void *)(uintptr_t)base, NULL, &column, &err);
  if (status != FASTIO_OK) raise_error(state, status, &err, NULL);
  return column;
}
