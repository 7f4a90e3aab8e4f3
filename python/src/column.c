/* Column: numbers in Arrow layout, as a Python sequence. */
#include "py.h"

static const char column_doc[] =
    "An immutable sequence of numbers in one block of memory, in Arrow's layout.\n\n"
    "Indexing gives an int, a float, or None where the value is missing. Slices, with a step too, are views of the "
    "same\n"
    "memory. The buffer protocol, __dlpack__ and __arrow_c_array__ hand the memory to NumPy, PyArrow, pandas, Polars "
    "and\n"
    "others without a copy. Two columns are equal if their values are; a column equals bytes, a bytearray or a "
    "memoryview\n"
    "where memoryview(column) does. Columns are not hashable; they can be pickled and weakly referenced.\n\n"
    "A matrix (read with shape=) shows its rows in `shape`, the buffer protocol and NumPy; as a sequence it is flat.";

const char *type_format(fastio_type type) {
  switch (type) {
    case FASTIO_INT8: return "b";
    case FASTIO_INT16: return "h";
    case FASTIO_INT32: return "i";
    case FASTIO_INT64: return sizeof(long) == 8 ? "l" : "q";
    case FASTIO_UINT8: return "B";
    case FASTIO_UINT16: return "H";
    case FASTIO_UINT32: return "I";
    case FASTIO_UINT64: return sizeof(long) == 8 ? "L" : "Q";
    case FASTIO_FLOAT32: return "f";
    default: return "d";
  }
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static PyObject *get_dtype(PyObject *op, void *Py_UNUSED(closure)) {
  return PyUnicode_FromString(fastio_type_name(((View *)op)->column->type));
}

static PyObject *get_shape(PyObject *op, void *Py_UNUSED(closure)) {
  View *self = (View *)op;
  if (self->ndim == 2) return Py_BuildValue("(nn)", self->shape[0], self->shape[1]);
  return Py_BuildValue("(n)", self->length);
}

static PyObject *get_null_count(PyObject *op, void *Py_UNUSED(closure)) {
  return PyLong_FromSsize_t(((View *)op)->null_count);
}

static PyObject *get_nbytes(PyObject *op, void *Py_UNUSED(closure)) {
  View *self = (View *)op;
  return PyLong_FromSsize_t(self->length * (Py_ssize_t)fastio_type_size(self->column->type));
}

static PyObject *column_repr(PyObject *op) {
  PyObject *dtype = get_dtype(op, NULL);
  if (dtype == NULL) return NULL;
  PyObject *result = view_repr(op, "Column", dtype);
  Py_DECREF(dtype);
  return result;
}

/* ---- NumPy ------------------------------------------------------------------------------------------------------- */

/* One value for the null slots, as the bytes of one item of the type. */
static int null_bytes(PyObject *null, fastio_type type, unsigned char out[8]) {
  if (type == FASTIO_FLOAT32 || type == FASTIO_FLOAT64) {
    double value = PyFloat_AsDouble(null);
    if (value == -1.0 && PyErr_Occurred()) return -1;
    float narrow = (float)value;
    if (type == FASTIO_FLOAT32) memcpy(out, &narrow, sizeof narrow);
    else memcpy(out, &value, sizeof value);
    return 0;
  }
  PyObject *number = PyNumber_Index(null);
  PyObject *size = number == NULL ? NULL : PyLong_FromSize_t(fastio_type_size(type));
  /* int.to_bytes checks the range for every width at once. */
  PyObject *method = size == NULL ? NULL : get_attribute(number, "to_bytes");
  PyObject *args = method == NULL ? NULL : Py_BuildValue("(Os)", size, PY_LITTLE_ENDIAN ? "little" : "big");
  PyObject *kwargs = args == NULL ? NULL : Py_BuildValue("{sO}", "signed", type <= FASTIO_INT64 ? Py_True : Py_False);
  PyObject *bytes = kwargs == NULL ? NULL : PyObject_Call(method, args, kwargs);
  if (bytes != NULL) memcpy(out, PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes));
  Py_XDECREF(number);
  Py_XDECREF(size);
  Py_XDECREF(method);
  Py_XDECREF(args);
  Py_XDECREF(kwargs);
  Py_XDECREF(bytes);
  return bytes == NULL ? -1 : 0;
}

static void copy_items(View *self, char *out, const unsigned char *null) {
  size_t size = fastio_type_size(self->column->type);
  const char *data = self->column->data;
  if (self->step == 1 && self->null_count == 0) {
    memcpy(out, data + (size_t)self->start * size, (size_t)self->length * size);
    return;
  }
  for (Py_ssize_t i = 0; i < self->length; ++i) {
    const void *item = view_is_null(self, i) ? (const void *)null : data + (size_t)view_position(self, i) * size;
    memcpy(out + (size_t)i * size, item, size);
  }
}

/* A fresh, writable array; null is needed if values are missing. */
static PyObject *numpy_copy(View *self, PyObject *numpy, PyObject *null) {
  unsigned char slot[8];
  Py_buffer view;
  if (self->null_count != 0 && null_bytes(null, self->column->type, slot) < 0) return NULL;
  PyObject *shape = get_shape((PyObject *)self, NULL);
  if (shape == NULL) return NULL;
  PyObject *array = PyObject_CallMethod(numpy, "empty", "Os", shape, fastio_type_name(self->column->type));
  Py_DECREF(shape);
  if (array == NULL) return NULL;
  if (PyObject_GetBuffer(array, &view, PyBUF_WRITABLE) < 0) {
    Py_DECREF(array);
    return NULL;
  }
  copy_items(self, view.buf, slot);
  PyBuffer_Release(&view);
  return array;
}

/* copy: 1 always, 0 only where nulls are replaced, -1 never. */
static PyObject *to_numpy(View *self, int copy, PyObject *null) {
  if (self->null_count != 0 && null == Py_None) {
    return PyErr_Format(PyExc_ValueError, "%zd values are missing: to_numpy(null=...) says what to put there",
                        self->null_count);
  }
  if (self->null_count != 0 && copy < 0) {
    PyErr_SetString(PyExc_ValueError, "missing values can only be replaced in a copy");
    return NULL;
  }
  PyObject *numpy = PyImport_ImportModule("numpy");
  if (numpy == NULL) return NULL;
  PyObject *array = NULL;
  if (copy > 0 || self->null_count != 0) {
    array = numpy_copy(self, numpy, null);
  } else {
    PyObject *view = PyMemoryView_FromObject((PyObject *)self);
    if (view != NULL) array = PyObject_CallMethod(numpy, "asarray", "O", view);
    Py_XDECREF(view);
  }
  Py_DECREF(numpy);
  return array;
}

PyObject *column_to_numpy(PyObject *op, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"copy", "null", NULL};
  int copy = 0;
  PyObject *null = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$pO:to_numpy", names, &copy, &null)) return NULL;
  return to_numpy((View *)op, copy, null);
}

/* NumPy asks here where the buffer protocol has said no (missing values), or when told to copy or convert. */
PyObject *column_array(PyObject *op, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"dtype", "copy", NULL};
  PyObject *dtype = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O$O:__array__", names, &dtype, &copy)) return NULL;
  int wants_copy = copy == Py_None ? 0 : PyObject_IsTrue(copy);
  if (wants_copy < 0) return NULL;
  if (copy != Py_None && !wants_copy) wants_copy = -1;
  PyObject *array = to_numpy((View *)op, wants_copy, Py_None);
  if (array == NULL || dtype == Py_None) return array;
  PyObject *astype = get_attribute(array, "astype");
  PyObject *positional = astype == NULL ? NULL : PyTuple_Pack(1, dtype);
  PyObject *keywords = positional == NULL ? NULL : Py_BuildValue("{sO}", "copy", Py_False);
  PyObject *converted = keywords == NULL ? NULL : PyObject_Call(astype, positional, keywords);
  Py_XDECREF(astype);
  Py_XDECREF(positional);
  Py_XDECREF(keywords);
  if (converted != NULL && converted != array && wants_copy < 0) {
    Py_CLEAR(converted);
    PyErr_SetString(PyExc_ValueError, "another dtype needs a copy");
  }
  Py_DECREF(array);
  return converted;
}

/* ---- the type ---------------------------------------------------------------------------------------------------- */

static PyMethodDef column_methods[] = {
    {"to_list", view_to_list, METH_NOARGS,
     PyDoc_STR("to_list($self, /)\n--\n\nThe values as a flat list; None where one is missing.")},
    {"to_numpy", FUNCTION(column_to_numpy), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("to_numpy($self, /, *, copy=False, null=None)\n--\n\n"
               "The values as a numpy.ndarray of the column's dtype and shape.\n\n"
               "copy: False gives a read-only array over the column's own memory, True a writable one of its own.\n"
               "null: what to put where values are missing (which makes a copy). Without it they are a ValueError.")},
    {"index", FUNCTION(view_index), METH_FASTCALL,
     PyDoc_STR("index($self, value, start=0, stop=sys.maxsize, /)\n--\n\n"
               "The first index of value; ValueError if there is none.")},
    {"count", view_count, METH_O, PyDoc_STR("count($self, value, /)\n--\n\nHow many items equal value.")},
    {"__array__", FUNCTION(column_array), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("__array__($self, /, dtype=None, *, copy=None)\n--\n\nNumPy's array protocol.")},
    {"__dlpack__", FUNCTION(column_dlpack), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR(
         "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
         "A DLPack capsule: read-only and without a copy for consumers of version 1, a copy for older ones, which\n"
         "could not be told that they must not write. BufferError if values are missing.")},
    {"__dlpack_device__", column_dlpack_device, METH_NOARGS,
     PyDoc_STR("__dlpack_device__($self, /)\n--\n\nDLPack's name for main memory: (1, 0).")},
    {"__arrow_c_schema__", view_arrow_schema, METH_NOARGS, arrow_schema_doc},
    {"__arrow_c_array__", FUNCTION(view_arrow_array), METH_VARARGS | METH_KEYWORDS, arrow_array_doc},
    {"__arrow_c_stream__", FUNCTION(view_arrow_stream), METH_VARARGS | METH_KEYWORDS, arrow_stream_doc},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, PyDoc_STR("For annotations.")},
    {"__reduce_ex__", view_reduce, METH_O,
     PyDoc_STR("__reduce_ex__($self, protocol, /)\n--\n\nPickling; out of band from protocol 5 on.")},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef column_getset[] = {
    {"dtype", get_dtype, NULL,
     PyDoc_STR("The name of the values' type: \"int8\" to \"uint64\", \"float32\", \"float64\"."), NULL},
    {"shape", get_shape, NULL, PyDoc_STR("(length,), or (rows, items per row) of a matrix."), NULL},
    {"null_count", get_null_count, NULL, PyDoc_STR("How many values are missing."), NULL},
    {"nbytes", get_nbytes, NULL, PyDoc_STR("The size of the values in bytes."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef column_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(View, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot column_slots[] = {
    {Py_tp_doc, (void *)column_doc},
    {Py_tp_dealloc, view_dealloc},
    {Py_tp_repr, column_repr},
    {Py_tp_iter, view_iter},
    {Py_tp_hash, PyObject_HashNotImplemented},
    {Py_tp_richcompare, view_richcompare},
    {Py_tp_methods, column_methods},
    {Py_tp_getset, column_getset},
    {Py_tp_members, column_members},
    {Py_sq_length, view_length},
    {Py_sq_item, view_sq_item},
    {Py_mp_length, view_length},
    {Py_mp_subscript, view_subscript},
    {Py_bf_getbuffer, column_getbuffer},
    {0, NULL},
};

PyType_Spec column_spec = {
    .name = "fastio.Column",
    .basicsize = sizeof(View),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_SEQUENCE,
    .slots = column_slots,
};
