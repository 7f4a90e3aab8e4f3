/* Lines: a lazy sequence of str or bytes over one block of text. */
#include "py.h"

static const char lines_type_doc[] =
    "An immutable sequence of lines: one block of text and 64-bit offsets (Arrow's large_utf8, or large_binary).\n\n"
    "A line becomes a str (bytes with encoding=None) when it is asked for. Slices, with a step too, are views of the "
    "same\n"
    "memory. __arrow_c_array__ and __arrow_c_stream__ hand it to PyArrow, Polars and others without a copy. Two are "
    "equal\n"
    "if their lines are. Not hashable; can be pickled and weakly referenced.";

static PyObject *get_encoding(PyObject *op, void *Py_UNUSED(closure)) {
  if (((View *)op)->column->type != FASTIO_STRING) Py_RETURN_NONE;
  return PyUnicode_FromString("utf-8");
}

static PyObject *get_nbytes(PyObject *op, void *Py_UNUSED(closure)) {
  return PyLong_FromLongLong(view_nbytes((View *)op));
}

static PyObject *lines_repr(PyObject *op) {
  PyObject *dtype = PyUnicode_FromString(((View *)op)->column->type == FASTIO_STRING ? "str" : "bytes");
  if (dtype == NULL) return NULL;
  PyObject *result = view_repr(op, "Lines", dtype);
  Py_DECREF(dtype);
  return result;
}

static PyMethodDef lines_methods[] = {
    {"to_list", view_to_list, METH_NOARGS,
     PyDoc_STR("to_list($self, /)\n--\n\nAll lines as a list of str (or bytes).")},
    {"index", FUNCTION(view_index), METH_FASTCALL,
     PyDoc_STR("index($self, value, start=0, stop=sys.maxsize, /)\n--\n\n"
               "The first index of value; ValueError if there is none.")},
    {"count", view_count, METH_O, PyDoc_STR("count($self, value, /)\n--\n\nHow many lines equal value.")},
    {"__arrow_c_schema__", view_arrow_schema, METH_NOARGS, arrow_schema_doc},
    {"__arrow_c_array__", FUNCTION(view_arrow_array), METH_VARARGS | METH_KEYWORDS, arrow_array_doc},
    {"__arrow_c_stream__", FUNCTION(view_arrow_stream), METH_VARARGS | METH_KEYWORDS, arrow_stream_doc},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, PyDoc_STR("For annotations.")},
    {"__reduce_ex__", view_reduce, METH_O,
     PyDoc_STR("__reduce_ex__($self, protocol, /)\n--\n\nPickling; out of band from protocol 5 on.")},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef lines_getset[] = {
    {"encoding", get_encoding, NULL, PyDoc_STR("\"utf-8\" if the lines are str, None if they are bytes."), NULL},
    {"nbytes", get_nbytes, NULL, PyDoc_STR("The size of the text in bytes."), NULL},
    {"decode_errors", view_decode_errors, NULL, decode_errors_doc, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef lines_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(View, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot lines_slots[] = {
    {Py_tp_doc, (void *)lines_type_doc},
    {Py_tp_dealloc, view_dealloc},
    {Py_tp_repr, lines_repr},
    {Py_tp_iter, view_iter},
    {Py_tp_hash, PyObject_HashNotImplemented},
    {Py_tp_richcompare, view_richcompare},
    {Py_tp_methods, lines_methods},
    {Py_tp_getset, lines_getset},
    {Py_tp_members, lines_members},
    {Py_sq_length, view_length},
    {Py_sq_item, view_sq_item},
    {Py_mp_length, view_length},
    {Py_mp_subscript, view_subscript},
    {0, NULL},
};

PyType_Spec lines_spec = {
    .name = "fastio.Lines",
    .basicsize = sizeof(View),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_SEQUENCE,
    .slots = lines_slots,
};
