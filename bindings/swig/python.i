/* How values cross over to and from Python. */

/* A docstring that starts with the signature and this mark is what inspect.signature reads; SWIG puts a newline before it. */
%define DOCUMENT(name, signature, description)
%feature("docstring") name signature "\n--\n\n" description
%enddef
%init %{
  for (PyMethodDef *method = SwigMethods; method->ml_name != NULL; method++) {
    if (method->ml_doc != NULL && method->ml_doc[0] == '\n') method->ml_doc++;
  }
%}

%{
#include "../../../python/src/capi.h"

/* _core's own way of raising; sought at each failure, since every interpreter has its own. */
static void raise_fastio(const fastio_error *err) {
  fastio_capi *api = (fastio_capi *)PyCapsule_Import(FASTIO_CAPI_NAME, 0);
  if (api != NULL) api->raise(api->ctx, err->status, err);
}

/* The value made before the failure was known goes; behind SWIG's label the arguments are released. */
#define FASTIO_FAIL(err)   \
  {                        \
    Py_XDECREF(resultobj); \
    raise_fastio(err);     \
    SWIG_fail;             \
  }

/* Bytes stay exported, and so pinned, until the release after the call: a bytearray cannot be resized meanwhile, not even by the
 * __index__ of a later argument. A str is its UTF-8, which lives as long as the str, which the caller holds. */
static int hold_bytes(PyObject *object, Py_buffer *view) {
  if (PyUnicode_Check(object)) {
    view->buf = (void *)PyUnicode_AsUTF8AndSize(object, &view->len);
    return view->buf != NULL ? 0 : -1;
  }
  if (PyObject_GetBuffer(object, view, PyBUF_ND | PyBUF_FORMAT) < 0) return -1;
  if (view->itemsize == 1) return 0;
  PyErr_Format(PyExc_TypeError, "data must be a contiguous bytes-like object of 1-byte items, not of %zd-byte ones",
               view->itemsize);
  return -1;
}

static int take_whole(PyObject *object, whole *out) {
  int overflow;
  PyObject *index = PyNumber_Index(object);
  if (index == NULL) return -1;
  *out = whole_of_i64(PyLong_AsLongLongAndOverflow(index, &overflow));
  if (overflow > 0) *out = whole_of_u64(PyLong_AsUnsignedLongLong(index));
  if (overflow < 0) PyErr_SetString(PyExc_OverflowError, "int too small: the least is -2**63");
  Py_DECREF(index);
  return PyErr_Occurred() ? -1 : 0;
}

/* Any int; one beyond the machine's becomes its nearest, which no base is. */
static int take_int(PyObject *object, int *out) {
  Py_ssize_t value = PyNumber_AsSsize_t(object, NULL);
  *out = value < -1 || value > INT_MAX ? -1 : (int)value;
  return PyErr_Occurred() ? -1 : 0;
}

/* NULL for None, and with an exception. */
static const char *take_name(PyObject *object) {
  Py_ssize_t size = 0;
  if (object == Py_None) return NULL;
  if (!PyUnicode_Check(object)) return PyErr_Format(PyExc_TypeError, "name must be a str, not %R", object), NULL;
  const char *name = PyUnicode_AsUTF8AndSize(object, &size);
  if (name == NULL || strlen(name) == (size_t)size) return name;
  return PyErr_SetString(PyExc_ValueError, "embedded null character"), NULL;
}

static PyObject *str_of_hex(const hex *bytes) {
  const size_t most = PY_SSIZE_T_MAX / 2;
  PyObject *str = PyUnicode_New(bytes->size <= most ? 2 * (Py_ssize_t)bytes->size : PY_SSIZE_T_MAX, 127);
  if (str != NULL && bytes->size > 0) /* the empty str is one that all share */
    fastio_format_hex(bytes->data, bytes->size, bytes->upper, (char *)PyUnicode_1BYTE_DATA(str));
  return str;
}

static PyObject *bytes_of_column(fastio_column *column) {
  PyObject *bytes = NULL;
  if (column == NULL) Py_RETURN_NONE; /* the failure comes next */
  if (column->length <= PY_SSIZE_T_MAX)
    bytes = PyBytes_FromStringAndSize((const char *)column->data, (Py_ssize_t)column->length);
  else PyErr_NoMemory();
  fastio_column_free(column);
  return bytes;
}

static PyObject *tuple_of_names(names at) {
  Py_ssize_t count = 0;
  while (at((size_t)count) != NULL) count++;
  PyObject *tuple = PyTuple_New(count);
  for (Py_ssize_t i = 0; tuple != NULL && i < count; i++) {
    PyObject *name = PyUnicode_FromString(at((size_t)i));
    if (name == NULL) Py_CLEAR(tuple);
    else PyTuple_SET_ITEM(tuple, i, name);
  }
  return tuple;
}
%}

%typemap(in) (const void *data, size_t size) (Py_buffer view = {0}) %{
  if (hold_bytes($input, &view) < 0) SWIG_fail;
  $1 = view.buf;
  $2 = (size_t)view.len;
%}
%typemap(freearg) (const void *data, size_t size) %{ PyBuffer_Release(&view$argnum); %}

%typemap(in) whole %{ if (take_whole($input, &$1) < 0) SWIG_fail; %}
%typemap(out) whole %{
  $result = (&$1)->is_negative ? PyLong_FromLongLong((long long)(&$1)->bits) : PyLong_FromUnsignedLongLong((&$1)->bits);
%}
%typemap(out) int64_t %{ $result = PyLong_FromLongLong($1); %}
%typemap(out) moment %{
  $result = Py_BuildValue("LN", (long long)(&$1)->nanoseconds, PyBool_FromLong((&$1)->has_zone));
%}
%typemap(in, numinputs=0) int held %{ $1 = 0; %}
%typemap(in) int has_zone, int upper %{
  $1 = PyObject_IsTrue($input);
  if ($1 < 0) SWIG_fail;
%}
%typemap(in) int base %{ if (take_int($input, &$1) < 0) SWIG_fail; %}
%typemap(in) double %{
  $1 = PyFloat_AsDouble($input);
  if ($1 == -1.0 && PyErr_Occurred()) SWIG_fail;
%}
%typemap(in) fastio_type dtype %{ if ($input != Py_None && type_from_object($input, 0, &$1) < 0) SWIG_fail; %}
%typemap(in) const char *name, const char *from_, const char *to, const char *errors %{
  $1 = (char *)take_name($input);
  if ($1 == NULL && PyErr_Occurred()) SWIG_fail;
%}
%typemap(out) text %{ $result = PyUnicode_FromStringAndSize((&$1)->data, (Py_ssize_t)(&$1)->size); %}
%typemap(out) hex %{ $result = str_of_hex(&$1); %}
%typemap(out) names %{ $result = tuple_of_names($1); %}
%typemap(out) truth %{ $result = PyBool_FromLong($1); %}
/* Other threads run meanwhile; the bytes are held. */
%exception transcode %{
  Py_BEGIN_ALLOW_THREADS
  $action
  Py_END_ALLOW_THREADS
%}
%typemap(out) converted %{
  $result = bytes_of_column((&$1)->column);
  if ($result == NULL) SWIG_fail;
%}
