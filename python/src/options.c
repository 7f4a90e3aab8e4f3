/* Keywords of the readers: from Python arguments to fastio_read_options. The same words in every function. */
#include "py.h"

static const char *const names[KW_COUNT] = {
    [KW_SOURCE] = "source",
    [KW_DTYPE] = "dtype",
    [KW_MODE] = "mode",
    [KW_SEP] = "sep",
    [KW_COMMENT] = "comment",
    [KW_SKIP_LINES] = "skip_lines",
    [KW_NULL_VALUES] = "null_values",
    [KW_BASE] = "base",
    [KW_OVERFLOW] = "overflow",
    [KW_SHAPE] = "shape",
    [KW_OFFSET] = "offset",
    [KW_LENGTH] = "length",
    [KW_MAX_ITEMS] = "max_items",
    [KW_THREADS] = "threads",
    [KW_PROGRESS] = "progress",
    [KW_BLOCK_SIZE] = "block_size",
    [KW_ENCODING] = "encoding",
    [KW_ERRORS] = "errors",
    [KW_NEWLINE] = "newline",
    [KW_KEEPENDS] = "keepends",
    [KW_HEADER] = "header",
    [KW_NAMES] = "names",
    [KW_USECOLS] = "usecols",
    [KW_SKIP_ROWS] = "skip_rows",
    [KW_MAX_ROWS] = "max_rows",
    [KW_QUOTED_NULL] = "quoted_null",
    [KW_QUOTE] = "quote",
    [KW_QUOTE_MODE] = "quote_mode",
    [KW_ESCAPE] = "escape",
    [KW_DOUBLEQUOTE] = "doublequote",
    [KW_COMMENT_ANYWHERE] = "comment_anywhere",
    [KW_TRIM] = "trim",
    [KW_TRAILING_SEP] = "trailing_sep",
    [KW_BLANK_LINES] = "blank_lines",
    [KW_WIDTHS] = "widths",
    [KW_DECIMAL] = "decimal",
    [KW_THOUSANDS] = "thousands",
    [KW_PERCENT] = "percent",
    [KW_UNICODE_MINUS] = "unicode_minus",
    [KW_INFER_ROWS] = "infer_rows",
    [KW_BIG_INTS] = "big_ints",
    [KW_REPAIR_NAMES] = "repair_names",
    [KW_ON_RAGGED] = "on_ragged",
    [KW_ON_BAD] = "on_bad",
    [KW_DICTIONARY] = "dictionary",
    [KW_RANGE] = "range",
    [KW_DIALECT] = "dialect",
    [KW_BATCH_ROWS] = "batch_rows",
    [KW_BATCH_BYTES] = "batch_bytes",
    [KW_N] = "n",
    [KW_NBYTES] = "nbytes",
    [KW_COMPRESSION] = "compression",
    [KW_TRAILING] = "trailing",
    [KW_MAX_SIZE] = "max_size",
    [KW_PARTIAL] = "partial",
    [KW_FILE_COLUMN] = "file_column",
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

/* None stands for "all of it". */
int limit_from_object(PyObject *value, const char *name, uint64_t *out) {
  return value == Py_None ? 0 : int_from_object(value, name, 0, out);
}

int byte_from_object(PyObject *object, const char *name, int *out) {
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

int byte_or_none(PyObject *object, const char *name, int none, int *out) {
  *out = none;
  return object == Py_None ? 0 : byte_from_object(object, name, out);
}

/* '"a", "b" or "c"' */
static PyObject *listed(const char *const *words, int count) {
  PyObject *text = PyUnicode_FromFormat("\"%s\"", words[0]);
  for (int i = 1; i < count && text != NULL; ++i) {
    PyUnicode_AppendAndDel(&text, PyUnicode_FromFormat(i == count - 1 ? " or \"%s\"" : ", \"%s\"", words[i]));
  }
  return text;
}

int choice(PyObject *object, const char *name, const char *const *words, int count) {
  for (int i = 0; i < count && PyUnicode_Check(object); ++i) {
    if (PyUnicode_CompareWithASCIIString(object, words[i]) == 0) return i;
  }
  PyObject *all = listed(words, count);
  if (all != NULL) PyErr_Format(PyExc_ValueError, "%s must be %U, not %R", name, all, object);
  Py_XDECREF(all);
  return -1;
}

int flag_from_object(PyObject *value, unsigned flag, unsigned *flags) {
  int is_true = PyObject_IsTrue(value);
  if (is_true > 0) *flags |= flag;
  return is_true < 0 ? -1 : 0;
}

int overflow_from_object(PyObject *value, unsigned flag, unsigned *flags) {
  static const char *const words[] = {"ieee", "error"};
  int chosen = choice(value, "overflow", words, 2);
  if (chosen == 1) *flags |= flag;
  return chosen < 0 ? -1 : 0;
}

int newline_from_object(PyObject *newline, int *out) {
  static const char *const words[] = {"lf", "any"};
  if (!PyUnicode_Check(newline) || PyUnicode_GET_LENGTH(newline) <= 1) return byte_from_object(newline, "newline", out);
  int chosen = choice(newline, "newline", words, 2);
  if (chosen >= 0) *out = chosen == 0 ? FASTIO_NEWLINE_LF : FASTIO_NEWLINE_ANY;
  return chosen < 0 ? -1 : 0;
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

int threads_from_object(PyObject *threads, unsigned *out) {
  uint64_t count;
  if (threads == NULL || threads == Py_None) return check_threads_variable();
  if (int_from_object(threads, "threads", 1, &count) < 0) return -1;
  *out = (unsigned)MIN(count, 4096u);
  return 0;
}

int progress_from_object(PyObject *progress, PyObject **out) {
  if (progress == Py_None || progress == Py_False) return 0;
  if (progress != Py_True && !PyCallable_Check(progress)) {
    PyErr_Format(PyExc_TypeError, "progress must be a bool or a callable, not %.100s", Py_TYPE(progress)->tp_name);
    return -1;
  }
  *out = progress;
  return 0;
}

int block_size_from_object(PyObject *value, size_t *out) {
  uint64_t size;
  if (value == Py_None) return 0;
  if (int_from_object(value, "block_size", 1, &size) < 0) return -1;
  *out = (size_t)MIN(size, (uint64_t)PY_SSIZE_T_MAX / 4);
  return 0;
}

/* ---- dtype ------------------------------------------------------------------------------------------------------- */

#define NUMBER_NAMES "int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64"

static int type_from_name(PyObject *name, PyObject *given, int any, fastio_type *out) {
  Py_ssize_t size;
  const char *text = PyUnicode_AsUTF8AndSize(name, &size);
  if (text == NULL) return -1;
  int is_whole = strlen(text) == (size_t)size; /* no NUL in it */
  *out = is_whole ? fastio_type_from_name(text) : (fastio_type)0;
  if (any && is_whole && strcmp(text, "str") == 0) *out = FASTIO_STRING;
  if (*out != 0 && (any ? *out != FASTIO_BINARY : is_number(*out))) return 0;
  PyErr_Format(PyExc_ValueError,
               any ? "dtype must be one of " NUMBER_NAMES
                     ", bool, string, date, time, timestamp[ns], \"timestamp[ns, UTC]\", dictionary, not %R"
                   : "dtype must be one of " NUMBER_NAMES ", not %R",
               given);
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

/* NumPy's names for what has another one here. */
static int type_from_numpy_name(PyObject *name, PyObject *dtype, int any, fastio_type *out) {
  static const struct {
    const char *name;
    fastio_type type;
  } others[] = {{"datetime64[D]", FASTIO_DATE}, {"timedelta64[ns]", FASTIO_TIME}, {"datetime64[ns]", FASTIO_TIMESTAMP}};
  for (size_t i = 0; any && i < Py_ARRAY_LENGTH(others); ++i) {
    if (PyUnicode_CompareWithASCIIString(name, others[i].name) != 0) continue;
    *out = others[i].type;
    return 0;
  }
  return type_from_name(name, dtype, any, out);
}

/* A numpy.dtype by its name; one of foreign byte order has the same name, but is not what a column holds. */
static int type_from_dtype(PyObject *dtype, int any, fastio_type *out) {
  PyObject *native = get_attribute(dtype, "isnative");
  int is_native = native == NULL ? -1 : PyObject_IsTrue(native);
  Py_XDECREF(native);
  if (is_native < 0) return -1;
  if (!is_native) {
    PyErr_Format(PyExc_ValueError, "columns have the machine's byte order, which %R has not", dtype);
    return -1;
  }
  PyObject *kind = get_attribute(dtype, "kind"), *name = kind == NULL ? NULL : get_attribute(dtype, "name");
  int result = -1;
  if (name != NULL) {
    int is_text = any && PyUnicode_Check(kind) &&
                  (PyUnicode_CompareWithASCIIString(kind, "U") == 0 ||
                   PyUnicode_CompareWithASCIIString(kind, "T") == 0);
    *out = FASTIO_STRING;
    result = is_text ? 0 : type_from_numpy_name(name, dtype, any, out);
  }
  Py_XDECREF(kind);
  Py_XDECREF(name);
  return result;
}

int type_from_object(PyObject *object, int any, fastio_type *out) {
  if (PyUnicode_Check(object)) return type_from_name(object, object, any, out);
  if (any && (object == (PyObject *)&PyUnicode_Type || object == (PyObject *)&PyBool_Type)) {
    *out = object == (PyObject *)&PyBool_Type ? FASTIO_BOOL : FASTIO_STRING;
    return 0;
  }
  int is_class = PyType_Check(object) && is_from_numpy(object);
  if (!is_class && !is_from_numpy((PyObject *)Py_TYPE(object))) {
    PyErr_Format(PyExc_TypeError, "dtype must be a name such as \"int64\", or a NumPy dtype, not %R", object);
    return -1;
  }
  PyObject *dtype = numpy_dtype(object);
  if (dtype == NULL) return -1;
  int result = type_from_dtype(dtype, any, out);
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

PyObject *texts_from_object(PyObject *values, const char *name) {
  if (PyUnicode_Check(values) || PyBytes_Check(values)) {
    PyErr_Format(PyExc_TypeError, "%s must be a sequence of str or bytes, not a single one", name);
    return NULL;
  }
  PyObject *texts = PySequence_List(values);
  for (Py_ssize_t i = 0; texts != NULL && i < PyList_GET_SIZE(texts); ++i) {
    PyObject *value = PyList_GET_ITEM(texts, i);
    if (PyBytes_Check(value)) continue;
    PyObject *bytes = NULL;
    if (PyUnicode_Check(value)) bytes = PyUnicode_AsUTF8String(value);
    else PyErr_Format(PyExc_TypeError, "%s must hold str or bytes, not %.100s", name, Py_TYPE(value)->tp_name);
    if (bytes == NULL) Py_CLEAR(texts);
    else PyList_SetItem(texts, i, bytes);
  }
  return texts;
}

static int set_null_values(Options *out, PyObject *values) {
  out->null_texts = texts_from_object(values, "null_values");
  if (out->null_texts == NULL) return -1;
  Py_ssize_t count = PyList_GET_SIZE(out->null_texts);
  out->nulls = PyMem_Calloc((size_t)MAX(count, 1), sizeof *out->nulls);
  if (out->nulls == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *value = PyList_GET_ITEM(out->null_texts, i);
    out->nulls[i] = (fastio_bytes){PyBytes_AS_STRING(value), (size_t)PyBytes_GET_SIZE(value)};
  }
  out->read.null_values = out->nulls;
  out->read.null_count = (size_t)count;
  return 0;
}

/* None: bytes as they are, with the byte order mark if it is lines that are read. */
static int set_encoding(Options *out, const Signature *signature, PyObject *encoding) {
  if (decode_set_encoding(&out->decode, encoding) < 0) return -1;
  out->as_bytes = encoding == Py_None;
  if (out->as_bytes) out->read.line_type = FASTIO_BINARY;
  if (out->as_bytes && (signature->keywords & BIT(KW_KEEPENDS)) != 0) out->read.flags |= FASTIO_KEEP_BOM;
  if (signature->bytes && !out->as_bytes && strcmp(out->decode.core.encoding, "auto") == 0)
    out->decode.core.encoding = "utf-8"; /* asked for, so it is checked */
  return 0;
}

/* The core's three, or where that is so one of Python's handlers. */
static int set_errors(Options *out, const Signature *signature, PyObject *errors) {
  static const char *const own[] = {"strict", "replace", "skip"};
  if (errors == Py_None) return 0;
  int is_own = !signature->handlers;
  for (size_t i = 0; PyUnicode_Check(errors) && i < Py_ARRAY_LENGTH(own); ++i)
    is_own |= PyUnicode_CompareWithASCIIString(errors, own[i]) == 0;
  if (is_own) return decode_set_errors(&out->decode, errors);
  if (!PyUnicode_Check(errors)) {
    PyErr_Format(PyExc_TypeError, "errors must be a str, not %.100s", Py_TYPE(errors)->tp_name);
    return -1;
  }
  PyObject *handler = NULL;
  out->errors = PyUnicode_AsUTF8(errors);
  if (out->errors == NULL || (handler = PyCodec_LookupError(out->errors)) == NULL) return -1;
  Py_DECREF(handler);
  return 0;
}

/* Python's handlers decode here, what the core hands over as bytes. */
static int check_handler(Options *out) {
  if (out->errors == NULL || out->as_bytes) return 0;
  if (strcmp(out->decode.core.encoding, "auto") != 0) {
    PyErr_Format(PyExc_ValueError,
                 "errors must be \"strict\", \"replace\" or \"skip\" unless the encoding is UTF-8, "
                 "not \"%s\"",
                 out->errors);
    return -1;
  }
  out->read.line_type = FASTIO_BINARY;
  out->decode.core.encoding = NULL;
  return 0;
}

static int check_mode(PyObject *mode) {
  if (PyUnicode_Check(mode)) {
    if (PyUnicode_CompareWithASCIIString(mode, "r") == 0 || PyUnicode_CompareWithASCIIString(mode, "rb") == 0) return 0;
    PyErr_Format(PyExc_ValueError, "mode must be \"r\" or \"rb\" to read, \"w\", \"a\" or \"x\" to write, not %R",
                 mode);
    return -1;
  }
  PyErr_Format(PyExc_TypeError, "mode must be a str, not %.100s", Py_TYPE(mode)->tp_name);
  return -1;
}

static int is_binary_mode(PyObject *mode) { return PyUnicode_GET_LENGTH(mode) == 2; }

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

static int set_keyword(Options *out, const Signature *signature, Keyword keyword, PyObject *value) {
  fastio_read_options *read = &out->read;
  switch (keyword) {
    case KW_SOURCE: out->source = value; return 0;
    case KW_DTYPE: return type_from_object(value, 0, &read->type);
    case KW_MODE: return check_mode(value);
    case KW_SEP: return byte_or_none(value, "sep", FASTIO_WHITESPACE, &read->separator);
    case KW_COMMENT: return byte_or_none(value, "comment", FASTIO_NONE, &read->comment);
    case KW_SKIP_LINES: return int_from_object(value, "skip_lines", 0, &read->skip_lines);
    case KW_NULL_VALUES: return set_null_values(out, value);
    case KW_BASE: return set_base(out, value);
    case KW_OVERFLOW: return overflow_from_object(value, FASTIO_OVERFLOW_ERROR, &read->flags);
    case KW_SHAPE: return set_shape(out, value);
    case KW_OFFSET: return int_from_object(value, "offset", 0, &read->offset);
    case KW_LENGTH: return limit_from_object(value, "length", &read->length);
    case KW_MAX_ITEMS: return limit_from_object(value, "max_items", &read->max_items);
    case KW_PROGRESS: return progress_from_object(value, &out->progress);
    case KW_BLOCK_SIZE: return block_size_from_object(value, &read->block_size);
    case KW_ENCODING: return set_encoding(out, signature, value);
    case KW_ERRORS: return set_errors(out, signature, value);
    case KW_COMPRESSION: return decode_set_compression(&out->decode, value);
    case KW_TRAILING: return decode_set_trailing(&out->decode, value);
    case KW_MAX_SIZE: return decode_set_max_size(&out->decode, value);
    case KW_PARTIAL: return partial_from_object(value, &read->partial);
    case KW_NEWLINE: return newline_from_object(value, &read->newline);
    case KW_KEEPENDS: return flag_from_object(value, FASTIO_KEEP_ENDS, &read->flags);
    default: return 0;
  }
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

Keyword keyword_named(PyObject *name, uint64_t among) {
  for (int i = 0; i < KW_COUNT; ++i) {
    if ((among & BIT(i)) != 0 && PyUnicode_CompareWithASCIIString(name, names[i]) == 0) return (Keyword)i;
  }
  return KW_COUNT;
}

int keywords_collect(const Signature *signature, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
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
    Keyword keyword = keyword_named(name, signature->keywords);
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
  decode_init(&out->decode);
  if (signature->bytes) out->decode.core.encoding = NULL;
  if (keywords_collect(signature, args, nargs, kwnames, values) < 0) return -1;
  for (int i = 0; i < KW_COUNT; ++i) {
    if (values[i] != NULL && set_keyword(out, signature, (Keyword)i, values[i]) < 0) return -1;
  }
  /* "rb" is another way to say encoding=None. */
  if (values[KW_MODE] != NULL && is_binary_mode(values[KW_MODE]) && set_encoding(out, signature, Py_None) < 0)
    return -1;
  if (check_handler(out) < 0) return -1;
  if (check_kind(signature, out->read.type) < 0) return -1;
  if ((signature->keywords & BIT(KW_THREADS)) == 0) return 0;
  return threads_from_object(values[KW_THREADS], &out->read.threads);
}

void options_clear(Options *options) {
  decode_clear(&options->decode);
  Py_CLEAR(options->null_texts);
  PyMem_Free(options->nulls);
  options->nulls = NULL;
}
