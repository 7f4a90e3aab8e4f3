/* Column: values of one type in Arrow layout, as a Python sequence. */
#include "py.h"

static const char column_doc[] =
    "An immutable sequence of values of one type, in Arrow's layout.\n\n"
    "Indexing gives an int, a float, a bool, a str, an object of datetime, or None where the value is missing. "
    "Slices,\n"
    "with a step too, are views of the same memory. __arrow_c_array__ hands the memory to PyArrow, pandas, Polars and\n"
    "others without a copy, and so do the buffer protocol and __dlpack__ where the values are numbers. Two columns are "
    "equal if their values are; a column equals bytes, a bytearray or a "
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

PyObject *column_shape(PyObject *op, void *Py_UNUSED(closure)) {
  View *self = (View *)op;
  if (self->ndim == 2) return Py_BuildValue("(nn)", self->shape[0], self->shape[1]);
  return Py_BuildValue("(n)", self->length);
}

static PyObject *get_null_count(PyObject *op, void *Py_UNUSED(closure)) {
  return PyLong_FromSsize_t(((View *)op)->null_count);
}

static PyObject *get_nbytes(PyObject *op, void *Py_UNUSED(closure)) {
  return PyLong_FromLongLong(view_nbytes((View *)op));
}

/* The strings that a dictionary column's values are taken from. */
static PyObject *get_dictionary(PyObject *op, void *Py_UNUSED(closure)) {
  const fastio_column *dictionary = ((View *)op)->column->dictionary;
  if (dictionary == NULL) Py_RETURN_NONE;
  fastio_column_retain(dictionary);
  return view_new(Py_TYPE(op), dictionary, 1);
}

/* Which of them each value is. */
static PyObject *get_indices(PyObject *op, void *Py_UNUSED(closure)) {
  View *self = (View *)op;
  if (self->column->dictionary == NULL) Py_RETURN_NONE;
  return view_as(self, FASTIO_INT32);
}

static PyObject *column_repr(PyObject *op) {
  PyObject *dtype = get_dtype(op, NULL);
  if (dtype == NULL) return NULL;
  PyObject *result = view_repr(op, "Column", dtype);
  Py_DECREF(dtype);
  return result;
}

/* ---- missing values ---------------------------------------------------------------------------------------------- */

static PyObject *column_is_null(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  View *self = (View *)op;
  State *state = state_of_self(op);
  fastio_column *column = NULL;
  fastio_error err;
  size_t size = (size_t)self->length / 8 + 1;
  uint8_t *bits = calloc(size, 1);
  if (bits == NULL) return PyErr_NoMemory();
  for (Py_ssize_t i = 0; self->null_count != 0 && i < self->length; ++i) {
    if (view_is_null(self, i)) bits[i >> 3] |= (uint8_t)(1u << (i & 7));
  }
  fastio_column view = {.type = FASTIO_BOOL, .length = (uint64_t)self->length, .data = bits, .data_size = size};
  fastio_error_init(&err);
  fastio_status status = fastio_column_new(&view, free, bits, NULL, &column, &err);
  return status == FASTIO_OK ? view_new(state->Column, column, 1) : raise_error(state, status, &err, NULL);
}

/* ---- the type ---------------------------------------------------------------------------------------------------- */

static PyMethodDef column_methods[] = {
    {"to_list", view_to_list, METH_NOARGS,
     PyDoc_STR("to_list($self, /)\n--\n\nThe values as a flat list; None where one is missing.")},
    {"to_numpy", FUNCTION(column_to_numpy), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("to_numpy($self, /, *, copy=False, null=None)\n--\n\n"
               "The values as a numpy.ndarray of the column's dtype and shape.\n\n"
               "copy: False gives a read-only array over the column's own memory where there is one of that layout\n"
               "    (numbers, times and timestamps), True a writable one of its own.\n"
               "Dates are datetime64[D], timestamps datetime64[ns], times timedelta64[ns], strings objects.\n"
               "null: what to put where values are missing (which makes a copy). Without it they are a ValueError.")},
    {"is_null", column_is_null, METH_NOARGS,
     PyDoc_STR("is_null($self, /)\n--\n\nWhere values are missing, as a Column of bool.")},
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
     PyDoc_STR("The name of the values' type: \"int8\" to \"uint64\", \"float32\", \"float64\", \"bool\", \"string\",\n"
               "\"date\", \"time\", \"timestamp[ns]\", \"timestamp[ns, UTC]\", \"dictionary\"."),
     NULL},
    {"shape", column_shape, NULL, PyDoc_STR("(length,), or (rows, items per row) of a matrix."), NULL},
    {"null_count", get_null_count, NULL, PyDoc_STR("How many values are missing."), NULL},
    {"nbytes", get_nbytes, NULL, PyDoc_STR("The size of the values in bytes."), NULL},
    {"decode_errors", view_decode_errors, NULL, decode_errors_doc, NULL},
    {"dictionary", get_dictionary, NULL,
     PyDoc_STR("Of dtype \"dictionary\": the strings, each once, as a Column; else None."), NULL},
    {"indices", get_indices, NULL,
     PyDoc_STR("Of dtype \"dictionary\": which of its strings each value is, as a Column of int32; else None."), NULL},
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
