/* Keywords of the readers: from Python arguments to fastio_read_options. The same words in every function. */
#include "py.h"

static const char *const names[KW_COUNT] = {
    "source",   "dtype",      "mode",     "sep",    "comment", "skip_lines", "null_values",
    "base",     "overflow",   "shape",    "offset", "length",  "max_items",  "threads",
    "progress", "block_size", "encoding", "errors", "newline", "keepends",
};

/* ---- single values ----------------------------------------------------------------------------------------------- */

int int_from_object(PyObject *object, const char *name, uint64_t least, uint64_t *out) {
  if (PyBool_Check(object) || !PyIndex_Check(object)) {
    PyErr_Format(PyExc_TypeError, "%s must be an int, not %.100s", name, Py_TYPE(object)->tp_name);
    return -1;
  }
  PyObject *number = PyNumber_Index(object);
  if (number == NULL) return -1;
  unsigned long long value = PyLong_AsUnsignedLongLong(number);
  Py_DECREF(number);
  int failed = value == (unsigned long long)-1 && PyErr_Occurred() != NULL;
  if (failed && !PyErr_ExceptionMatches(PyExc_OverflowError)) return -1;
  if (failed || value < least) {
    PyErr_Format(PyExc_ValueError, "%s must be at least %llu, not %R", name, (unsigned long long)least, object);
    return -1;
  }
  *out = value;
  return 0;
}

/* One byte, as a str or bytes of length 1. */
static int byte_from_object(PyObject *object, const char *name, int *out) {
  if (PyBytes_Check(object) && PyBytes_GET_SIZE(object) == 1) {
    *out = (unsigned char)PyBytes_AS_STRING(object)[0];
    return 0;
  }
  if (PyUnicode_Check(object) && PyUnicode_GET_LENGTH(object) == 1 && PyUnicode_READ_CHAR(object, 0) < 128) {
    *out = (int)PyUnicode_READ_CHAR(object, 0);
    return 0;
  }
  if (!PyBytes_Check(object) && !PyUnicode_Check(object)) {
    PyErr_Format(PyExc_TypeError, "%s must be a str or bytes of one byte, not %.100s", name, Py_TYPE(object)->tp_name);
  } else {
    PyErr_Format(PyExc_ValueError, "%s must be one byte, not %R", name, object);
  }
  return -1;
}

static int byte_or_none(PyObject *object, const char *name, int none, int *out) {
  *out = none;
  return object == Py_None ? 0 : byte_from_object(object, name, out);
}

/* The index of a str among words, or -1 with an exception. */
static int choice(PyObject *object, const char *name, const char *first, const char *second) {
  if (PyUnicode_Check(object)) {
    if (PyUnicode_CompareWithASCIIString(object, first) == 0) return 0;
    if (PyUnicode_CompareWithASCIIString(object, second) == 0) return 1;
  }
  PyErr_Format(PyExc_ValueError, "%s must be \"%s\" or \"%s\", not %R", name, first, second, object);
  return -1;
}

/* ---- dtype ------------------------------------------------------------------------------------------------------- */

static int type_from_name(PyObject *name, PyObject *given, fastio_type *out) {
  Py_ssize_t size;
  const char *text = PyUnicode_AsUTF8AndSize(name, &size);
  if (text == NULL) return -1;
  *out = strlen(text) == (size_t)size ? fastio_type_from_name(text) : (fastio_type)0;
  if (fastio_type_size(*out) != 0) return 0;
  PyErr_Format(
      PyExc_ValueError,
      "dtype must be one of int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, not %R", given);
  return -1;
}

/* numpy.dtype(object), for the scalar classes such as numpy.int64; only what comes from NumPy gets here. */
static PyObject *numpy_dtype(PyObject *object) {
  PyObject *numpy = PyImport_ImportModule("numpy");
  if (numpy == NULL) return NULL;
  PyObject *dtype = PyObject_CallMethod(numpy, "dtype", "O", object);
  Py_DECREF(numpy);
  return dtype;
}

static int is_from_numpy(PyObject *type) {
  PyObject *module = get_attribute(type, "__module__");
  if (module == NULL) {
    PyErr_Clear();
    return 0;
  }
  PyObject *first = PyUnicode_Check(module) ? PyUnicode_Substring(module, 0, 5) : NULL;
  int result = first != NULL && PyUnicode_CompareWithASCIIString(first, "numpy") == 0;
  Py_XDECREF(first);
  Py_DECREF(module);
  return result;
}

/* A numpy.dtype by its name; one of foreign byte order has the same name, but is not what a column holds. */
static int type_from_dtype(PyObject *dtype, fastio_type *out) {
  PyObject *native = get_attribute(dtype, "isnative");
  int is_native = native == NULL ? -1 : PyObject_IsTrue(native);
  Py_XDECREF(native);
  if (is_native < 0) return -1;
  if (!is_native) {
    PyErr_Format(PyExc_ValueError, "columns have the machine's byte order, which %R has not", dtype);
    return -1;
  }
  PyObject *name = get_attribute(dtype, "name");
  if (name == NULL) return -1;
  int result = type_from_name(name, dtype, out);
  Py_DECREF(name);
  return result;
}

int type_from_object(PyObject *object, fastio_type *out) {
  if (PyUnicode_Check(object)) return type_from_name(object, object, out);
  int is_class = PyType_Check(object) && is_from_numpy(object);
  if (!is_class && !is_from_numpy((PyObject *)Py_TYPE(object))) {
    PyErr_Format(PyExc_TypeError, "dtype must be a name such as \"int64\", or a NumPy dtype, not %R", object);
    return -1;
  }
  PyObject *dtype = numpy_dtype(object);
  if (dtype == NULL) return -1;
  int result = type_from_dtype(dtype, out);
  Py_DECREF(dtype);
  return result;
}

/* ---- composite values -------------------------------------------------------------------------------------------- */

/* n or (n,): that many values. (n, k): n rows of k. -1 for n: as many as there are. */
static int set_shape(Options *out, PyObject *shape) {
  PyObject *rows = shape;
  uint64_t items = 1;
  if (shape == Py_None) return 0;
  if (PyTuple_Check(shape)) {
    Py_ssize_t size = PyTuple_GET_SIZE(shape);
    if (size != 1 && size != 2) {
      PyErr_Format(PyExc_ValueError, "shape must be (n,) or (rows, items), not %R", shape);
      return -1;
    }
    rows = PyTuple_GET_ITEM(shape, 0);
    out->is_matrix = size == 2;
    if (size == 2 && int_from_object(PyTuple_GET_ITEM(shape, 1), "the second number of shape", 1, &items) < 0)
      return -1;
  }
  int is_any = PyLong_CheckExact(rows) && PyLong_AsLong(rows) == -1 && !PyErr_Occurred();
  PyErr_Clear(); /* of a number too large for a long */
  if (!is_any && int_from_object(rows, "the first number of shape", 0, &out->read.rows) < 0) return -1;
  out->has_rows = !is_any;
  out->read.row_items = out->is_matrix || out->has_rows ? items : 0;
  return 0;
}

static int set_null_values(Options *out, PyObject *values) {
  if (PyUnicode_Check(values) || PyBytes_Check(values)) {
    PyErr_SetString(PyExc_TypeError, "null_values must be a sequence of str or bytes, not a single one");
    return -1;
  }
  out->null_texts = PySequence_List(values);
  if (out->null_texts == NULL) return -1;
  Py_ssize_t count = PyList_GET_SIZE(out->null_texts);
  out->nulls = PyMem_Calloc((size_t)MAX(count, 1), sizeof *out->nulls);
  if (out->nulls == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *value = PyList_GET_ITEM(out->null_texts, i);
    if (PyUnicode_Check(value)) {
      PyObject *bytes = PyUnicode_AsUTF8String(value);
      if (bytes == NULL) return -1;
      PyList_SetItem(out->null_texts, i, bytes);
      value = bytes;
    } else if (!PyBytes_Check(value)) {
      PyErr_Format(PyExc_TypeError, "null_values must hold str or bytes, not %.100s", Py_TYPE(value)->tp_name);
      return -1;
    }
    out->nulls[i] = (fastio_bytes){PyBytes_AS_STRING(value), (size_t)PyBytes_GET_SIZE(value)};
  }
  out->read.null_values = out->nulls;
  out->read.null_count = (size_t)count;
  return 0;
}

static int set_threads(Options *out, PyObject *threads) {
  uint64_t count;
  if (threads == Py_None) return 0;
  if (int_from_object(threads, "threads", 1, &count) < 0) return -1;
  out->read.threads = (unsigned)MIN(count, 4096u);
  return 0;
}

/* Without threads= the environment may say; the core reads it too, but lets nonsense pass. */
static int check_threads_variable(void) {
  const char *text = getenv("FASTIO_THREADS");
  char *end = NULL;
  if (text == NULL || *text == '\0') return 0;
  long count = strtol(text, &end, 10);
  if (*end == '\0' && count >= 1) return 0;
  PyErr_Format(PyExc_ValueError, "the environment variable FASTIO_THREADS must be a positive int, not \"%s\"", text);
  return -1;
}

static int set_encoding(Options *out, PyObject *encoding) {
  if (encoding == Py_None) {
    out->as_bytes = 1;
    out->read.line_type = FASTIO_BINARY;
    out->read.flags |= FASTIO_KEEP_BOM;
    return 0;
  }
  if (PyUnicode_Check(encoding)) {
    static const char *const spellings[] = {"utf-8", "utf8", "UTF-8", "UTF8", "utf_8"};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(spellings); ++i) {
      if (PyUnicode_CompareWithASCIIString(encoding, spellings[i]) == 0) return 0;
    }
  }
  PyErr_Format(PyExc_ValueError, "encoding must be \"utf-8\" or None, not %R", encoding);
  return -1;
}

static int set_errors(Options *out, PyObject *errors) {
  if (errors == Py_None) return 0;
  if (!PyUnicode_Check(errors)) {
    PyErr_Format(PyExc_TypeError, "errors must be a str, not %.100s", Py_TYPE(errors)->tp_name);
    return -1;
  }
  PyObject *handler = NULL;
  out->errors = PyUnicode_AsUTF8(errors);
  if (out->errors == NULL || (handler = PyCodec_LookupError(out->errors)) == NULL) return -1;
  Py_DECREF(handler);
  if (strcmp(out->errors, "strict") == 0) out->errors = NULL;
  return 0;
}

static int set_newline(Options *out, PyObject *newline) {
  if (PyUnicode_Check(newline) && PyUnicode_GET_LENGTH(newline) > 1) {
    int chosen = choice(newline, "newline", "lf", "any");
    if (chosen >= 0) out->read.newline = chosen == 0 ? FASTIO_NEWLINE_LF : FASTIO_NEWLINE_ANY;
    return chosen < 0 ? -1 : 0;
  }
  return byte_from_object(newline, "newline", &out->read.newline);
}

static int set_progress(Options *out, PyObject *progress) {
  if (progress == Py_None || progress == Py_False) return 0;
  if (progress != Py_True && !PyCallable_Check(progress)) {
    PyErr_Format(PyExc_TypeError, "progress must be a bool or a callable, not %.100s", Py_TYPE(progress)->tp_name);
    return -1;
  }
  out->progress = progress;
  return 0;
}

static int set_mode(PyObject *mode, Options *out) {
  (void)out;
  if (PyUnicode_Check(mode)) {
    if (PyUnicode_CompareWithASCIIString(mode, "r") == 0 || PyUnicode_CompareWithASCIIString(mode, "rb") == 0) return 0;
    PyErr_Format(PyExc_ValueError, "mode must be \"r\" or \"rb\", not %R: only reading is supported yet", mode);
    return -1;
  }
  PyErr_Format(PyExc_TypeError, "mode must be a str, not %.100s", Py_TYPE(mode)->tp_name);
  return -1;
}

static int is_binary_mode(PyObject *mode) { return PyUnicode_GET_LENGTH(mode) == 2; }

/* None stands for "all of it". */
static int limit_or_none(PyObject *value, const char *name, uint64_t *out) {
  return value == Py_None ? 0 : int_from_object(value, name, 0, out);
}

static int set_flag(PyObject *value, unsigned flag, Options *out) {
  int is_true = PyObject_IsTrue(value);
  if (is_true > 0) out->read.flags |= flag;
  return is_true < 0 ? -1 : 0;
}

static int set_base(Options *out, PyObject *value) {
  uint64_t base;
  if (int_from_object(value, "base", 2, &base) < 0) return -1;
  if (base > 36) {
    PyErr_Format(PyExc_ValueError, "base must be 2 to 36, not %R", value);
    return -1;
  }
  out->read.base = (int)base;
  return 0;
}

static int set_block_size(Options *out, PyObject *value) {
  uint64_t size;
  if (value == Py_None) return 0;
  if (int_from_object(value, "block_size", 1, &size) < 0) return -1;
  out->read.block_size = (size_t)MIN(size, (uint64_t)PY_SSIZE_T_MAX / 4);
  return 0;
}

static int set_overflow(Options *out, PyObject *value) {
  int chosen = choice(value, "overflow", "ieee", "error");
  if (chosen == 1) out->read.flags |= FASTIO_OVERFLOW_ERROR;
  return chosen < 0 ? -1 : 0;
}

static int set_keyword(Options *out, Keyword keyword, PyObject *value) {
  fastio_read_options *read = &out->read;
  switch (keyword) {
    case KW_SOURCE: out->source = value; return 0;
    case KW_DTYPE: return type_from_object(value, &read->type);
    case KW_MODE: return set_mode(value, out);
    case KW_SEP: return byte_or_none(value, "sep", FASTIO_WHITESPACE, &read->separator);
    case KW_COMMENT: return byte_or_none(value, "comment", FASTIO_NONE, &read->comment);
    case KW_SKIP_LINES: return int_from_object(value, "skip_lines", 0, &read->skip_lines);
    case KW_NULL_VALUES: return set_null_values(out, value);
    case KW_BASE: return set_base(out, value);
    case KW_OVERFLOW: return set_overflow(out, value);
    case KW_SHAPE: return set_shape(out, value);
    case KW_OFFSET: return int_from_object(value, "offset", 0, &read->offset);
    case KW_LENGTH: return limit_or_none(value, "length", &read->length);
    case KW_MAX_ITEMS: return limit_or_none(value, "max_items", &read->max_items);
    case KW_THREADS: return set_threads(out, value);
    case KW_PROGRESS: return set_progress(out, value);
    case KW_BLOCK_SIZE: return set_block_size(out, value);
    case KW_ENCODING: return set_encoding(out, value);
    case KW_ERRORS: return set_errors(out, value);
    case KW_NEWLINE: return set_newline(out, value);
    case KW_KEEPENDS: return set_flag(value, FASTIO_KEEP_ENDS, out);
    default: return 0;
  }
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static Keyword find_keyword(const Signature *signature, PyObject *name) {
  for (int i = 0; i < KW_COUNT; ++i) {
    int is_taken = (signature->keywords & BIT(i)) != 0;
    if (is_taken && PyUnicode_CompareWithASCIIString(name, names[i]) == 0) return (Keyword)i;
  }
  return KW_COUNT;
}

static int collect(const Signature *signature, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                   PyObject *values[KW_COUNT]) {
  Py_ssize_t most = signature->second == KW_COUNT ? 1 : 2;
  if (nargs > most) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most %zd positional arguments (%zd given)", signature->name, most,
                 nargs);
    return -1;
  }
  if (nargs > 0) values[KW_SOURCE] = args[0];
  if (nargs > 1) values[signature->second] = args[1];
  Py_ssize_t count = kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *name = PyTuple_GET_ITEM(kwnames, i);
    Keyword keyword = find_keyword(signature, name);
    if (keyword == KW_COUNT || values[keyword] != NULL) {
      PyErr_Format(PyExc_TypeError,
                   keyword == KW_COUNT ? "%s() got an unexpected keyword argument '%U'"
                                       : "%s() got multiple values for argument '%U'",
                   signature->name, name);
      return -1;
    }
    values[keyword] = args[nargs + i];
  }
  if (values[KW_SOURCE] != NULL) return 0;
  PyErr_Format(PyExc_TypeError, "%s() missing required argument 'source'", signature->name);
  return -1;
}

/* Functions that know overflow= read floats, the others integers. */
static int check_kind(const Signature *signature, fastio_type type) {
  int is_float = type == FASTIO_FLOAT32 || type == FASTIO_FLOAT64;
  if (type == 0 || is_float == ((signature->keywords & BIT(KW_OVERFLOW)) != 0)) return 0;
  PyErr_Format(PyExc_ValueError, "%s() reads no %s", signature->name, fastio_type_name(type));
  return -1;
}

int options_parse(State *state, const Signature *signature, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                  Options *out) {
  PyObject *values[KW_COUNT] = {NULL};
  (void)state;
  memset(out, 0, sizeof *out);
  fastio_read_options_init(&out->read);
  if (collect(signature, args, nargs, kwnames, values) < 0) return -1;
  for (int i = 0; i < KW_COUNT; ++i) {
    if (values[i] != NULL && set_keyword(out, (Keyword)i, values[i]) < 0) return -1;
  }
  /* "rb" is another way to say encoding=None. */
  if (values[KW_MODE] != NULL && is_binary_mode(values[KW_MODE]) && set_encoding(out, Py_None) < 0) return -1;
  if (out->errors != NULL && !out->as_bytes) out->read.line_type = FASTIO_BINARY; /* decoded here, not checked there */
  if (check_kind(signature, out->read.type) < 0) return -1;
  int may_thread = (signature->keywords & BIT(KW_THREADS)) != 0 && out->read.threads == 0;
  return may_thread ? check_threads_variable() : 0;
}

void options_clear(Options *options) {
  Py_CLEAR(options->null_texts);
  PyMem_Free(options->nulls);
  options->nulls = NULL;
}
