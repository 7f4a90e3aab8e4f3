/* Columns as NumPy arrays. NumPy is imported when first asked for. */
#include "py.h"

/* What NumPy calls the values of a type, and as what they are stored while we fill them: NumPy's dates and times have
 * no buffers. */
static const char *numpy_name(fastio_type type) {
  switch (type) {
    case FASTIO_STRING:
    case FASTIO_BINARY:
    case FASTIO_DICTIONARY: return "object";
    case FASTIO_DATE: return "datetime64[D]";
    case FASTIO_TIME: return "timedelta64[ns]";
    case FASTIO_TIMESTAMP:
    case FASTIO_TIMESTAMP_UTC: return "datetime64[ns]";
    default: return fastio_type_name(type);
  }
}

static int is_temporal(fastio_type type) { return type >= FASTIO_DATE && type <= FASTIO_TIMESTAMP_UTC; }
static int is_object(fastio_type type) {
  return type == FASTIO_STRING || type == FASTIO_BINARY || type == FASTIO_DICTIONARY;
}
static const char *storage_name(fastio_type type) { return is_temporal(type) ? "int64" : numpy_name(type); }

/* ---- the value for null slots, as the bytes of one item ---------------------------------------------------------- */

static int float_bytes(PyObject *null, fastio_type type, unsigned char out[8]) {
  double value = PyFloat_AsDouble(null);
  if (value == -1.0 && PyErr_Occurred()) return -1;
  float narrow = (float)value;
  if (type == FASTIO_FLOAT32) memcpy(out, &narrow, sizeof narrow);
  else memcpy(out, &value, sizeof value);
  return 0;
}

static int int_bytes(PyObject *null, fastio_type type, unsigned char out[8]) {
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

/* True or False, or what equals one of them. */
static int bool_byte(PyObject *null, unsigned char out[8]) {
  int is_true = PyObject_RichCompareBool(null, Py_True, Py_EQ);
  int is_false = is_true == 0 ? PyObject_RichCompareBool(null, Py_False, Py_EQ) : 0;
  if (is_true < 0 || is_false < 0) return -1;
  out[0] = (unsigned char)is_true;
  if (is_true || is_false) return 0;
  PyErr_Format(PyExc_ValueError, "null must be True or False for a column of bool, not %R", null);
  return -1;
}

/* As NumPy converts it: numpy.datetime64("NaT"), a date, ... */
static int temporal_bytes(PyObject *numpy, PyObject *null, fastio_type type, unsigned char out[8]) {
  PyObject *scalar = PyObject_CallMethod(numpy, "array", "Os", null, numpy_name(type));
  PyObject *integer = scalar == NULL ? NULL : PyObject_CallMethod(scalar, "view", "s", "int64");
  PyObject *number = integer == NULL ? NULL : PyNumber_Index(integer);
  long long value = number == NULL ? -1 : PyLong_AsLongLong(number);
  Py_XDECREF(scalar);
  Py_XDECREF(integer);
  Py_XDECREF(number);
  if (value == -1 && PyErr_Occurred()) return -1;
  memcpy(out, &value, sizeof value);
  return 0;
}

static int null_bytes(PyObject *numpy, PyObject *null, fastio_type type, unsigned char out[8]) {
  if (type == FASTIO_FLOAT32 || type == FASTIO_FLOAT64) return float_bytes(null, type, out);
  if (type == FASTIO_BOOL) return bool_byte(null, out);
  if (is_temporal(type)) return temporal_bytes(numpy, null, type, out);
  return int_bytes(null, type, out);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

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

static void copy_bits(View *self, unsigned char *out, const unsigned char *null) {
  for (Py_ssize_t i = 0; i < self->length; ++i) {
    out[i] = view_is_null(self, i) ? null[0] : bit_at(self->column->data, view_position(self, i));
  }
}

/* Days of 32 bits become NumPy's of 64. */
static void copy_days(View *self, int64_t *out, const unsigned char *null) {
  int64_t missing;
  memcpy(&missing, null, sizeof missing);
  for (Py_ssize_t i = 0; i < self->length; ++i) {
    out[i] = view_is_null(self, i) ? missing : ((const int32_t *)self->column->data)[view_position(self, i)];
  }
}

static int copy_objects(View *self, PyObject **out, PyObject *null) {
  for (Py_ssize_t i = 0; i < self->length; ++i) {
    PyObject *item = view_is_null(self, i) ? Py_NewRef(null) : view_item(self, i);
    if (item == NULL) return -1;
    Py_XSETREF(out[i], item);
  }
  return 0;
}

static int copy_into(View *self, PyObject *numpy, PyObject *array, PyObject *null) {
  fastio_type type = self->column->type;
  unsigned char slot[8] = {0};
  Py_buffer view;
  if (self->null_count != 0 && !is_object(type) && null_bytes(numpy, null, type, slot) < 0) return -1;
  if (PyObject_GetBuffer(array, &view, PyBUF_WRITABLE) < 0) return -1;
  int result = 0;
  if (is_object(type)) result = copy_objects(self, view.buf, null);
  else if (type == FASTIO_BOOL) copy_bits(self, view.buf, slot);
  else if (type == FASTIO_DATE) copy_days(self, view.buf, slot);
  else copy_items(self, view.buf, slot);
  PyBuffer_Release(&view);
  return result;
}

/* A fresh, writable array; null is needed if values are missing. */
static PyObject *numpy_copy(View *self, PyObject *numpy, PyObject *null) {
  PyObject *shape = column_shape((PyObject *)self, NULL);
  if (shape == NULL) return NULL;
  PyObject *array = PyObject_CallMethod(numpy, "empty", "Os", shape, storage_name(self->column->type));
  Py_DECREF(shape);
  if (array != NULL && copy_into(self, numpy, array, null) < 0) Py_CLEAR(array);
  return array;
}

/* ---- views ------------------------------------------------------------------------------------------------------- */

static PyObject *numpy_view(View *self, PyObject *numpy) {
  PyObject *numbers = is_temporal(self->column->type) ? view_as(self, FASTIO_INT64) : Py_NewRef((PyObject *)self);
  PyObject *view = numbers == NULL ? NULL : PyMemoryView_FromObject(numbers);
  PyObject *array = view == NULL ? NULL : PyObject_CallMethod(numpy, "asarray", "O", view);
  Py_XDECREF(numbers);
  Py_XDECREF(view);
  return array;
}

/* ---- methods ----------------------------------------------------------------------------------------------------- */

static int needs_copy(const View *self) {
  fastio_type type = self->column->type;
  return self->null_count != 0 || !(is_number(type) || (is_temporal(type) && type != FASTIO_DATE));
}

/* copy: 1 always, 0 only where there is no other way, -1 never. null: NULL if not given; None is a value for objects
 * only. */
static PyObject *to_numpy(View *self, int copy, PyObject *null) {
  fastio_type type = self->column->type;
  if (self->null_count != 0 && (null == NULL || (null == Py_None && !is_object(type)))) {
    return PyErr_Format(PyExc_ValueError, "%zd values are missing: to_numpy(null=...) says what to put there",
                        self->null_count);
  }
  if (copy < 0 && needs_copy(self)) {
    PyErr_SetString(PyExc_ValueError, self->null_count != 0 ? "missing values can only be replaced in a copy"
                                                            : "NumPy has another layout for these: that needs a copy");
    return NULL;
  }
  PyObject *numpy = PyImport_ImportModule("numpy");
  if (numpy == NULL) return NULL;
  PyObject *array = copy > 0 || needs_copy(self) ? numpy_copy(self, numpy, null) : numpy_view(self, numpy);
  Py_DECREF(numpy);
  if (array == NULL || !is_temporal(type)) return array;
  PyObject *typed = PyObject_CallMethod(array, "view", "s", numpy_name(type));
  Py_DECREF(array);
  return typed;
}

PyObject *column_to_numpy(PyObject *op, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"copy", "null", NULL};
  int copy = 0;
  PyObject *null = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$pO:to_numpy", names, &copy, &null)) return NULL;
  return to_numpy((View *)op, copy, null);
}

/* NumPy asks here where the buffer protocol has said no (missing values, no numbers), or when told to copy or
 * convert. */
PyObject *column_array(PyObject *op, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"dtype", "copy", NULL};
  PyObject *dtype = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O$O:__array__", names, &dtype, &copy)) return NULL;
  int wants_copy = copy == Py_None ? 0 : PyObject_IsTrue(copy);
  if (wants_copy < 0) return NULL;
  if (copy != Py_None && !wants_copy) wants_copy = -1;
  PyObject *array = to_numpy((View *)op, wants_copy, NULL);
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
