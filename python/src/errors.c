/* Exceptions: the tree, and the way from a fastio_error to one of them. */
#include "py.h"

static const char error_doc[] =
    "Base of fastio's own exceptions.\n\n"
    "Attributes, each None where it does not apply: path (str), offset (0-based byte in the source), lineno and colno\n"
    "(1-based; colno in bytes), record (1-based, without the header), field (its name or 1-based number), text (at "
    "most 64 of the\n"
    "offending bytes), status (what went wrong in one word, such as 'bad_token' or 'empty_field'), raw_offset (the "
    "byte of\n"
    "the archive, of a fault in the compression; offset is then how many bytes were decompressed before it), source "
    "(of\n"
    "several ones, the 1-based number of that at fault). An OSError or EOFError that fastio raises has them too.";
static const char parse_error_doc[] = "The data is not what it was read as.";
static const char range_error_doc[] = "A number does not fit the type asked for.";
static const char decode_error_doc[] = "Bytes are not valid in the encoding. Also a UnicodeDecodeError.";
static const char truncated_error_doc[] = "The source ended before its known size. Also an EOFError.";

static const char *const attributes[] = {"path",  "offset", "lineno", "colno",      "record",
                                         "field", "text",   "status", "raw_offset", "source"};

/* UnicodeDecodeError would describe only the byte; ours says where it is. */
static PyObject *decode_error_str(PyObject *self, PyObject *Py_UNUSED(ignored)) {
  PyObject *reason = get_attribute(self, "reason");
  if (reason == NULL) return NULL;
  PyObject *result = PyObject_Str(reason);
  Py_DECREF(reason);
  return result;
}

static PyMethodDef decode_error_str_def = {"__str__", decode_error_str, METH_NOARGS, NULL};

static int add_str(PyObject *type) {
  PyObject *method = PyDescr_NewMethod((PyTypeObject *)type, &decode_error_str_def);
  if (method == NULL) return -1;
  int result = set_attribute(type, "__str__", method);
  Py_DECREF(method);
  return result;
}

static PyObject *new_exception(PyObject *module, const char *name, const char *doc, PyObject *first, PyObject *second,
                               PyObject *dict) {
  PyObject *bases = second != NULL ? PyTuple_Pack(2, first, second) : PyTuple_Pack(1, first);
  if (bases == NULL) return NULL;
  char qualified[64];
  PyOS_snprintf(qualified, sizeof qualified, "fastio.%s", name);
  PyObject *type = PyErr_NewExceptionWithDoc(qualified, doc, bases, dict);
  Py_DECREF(bases);
  if (type != NULL && PyModule_AddObjectRef(module, name, type) < 0) Py_CLEAR(type);
  return type;
}

int errors_init(PyObject *module, State *state) {
  PyObject *defaults = PyDict_New();
  if (defaults == NULL) return -1;
  for (size_t i = 0; i < Py_ARRAY_LENGTH(attributes); ++i) {
    if (PyDict_SetItemString(defaults, attributes[i], Py_None) < 0) {
      Py_DECREF(defaults);
      return -1;
    }
  }
  state->Error = new_exception(module, "Error", error_doc, PyExc_Exception, NULL, defaults);
  Py_DECREF(defaults);
  if (state->Error == NULL) return -1;
  state->ParseError = new_exception(module, "ParseError", parse_error_doc, state->Error, PyExc_ValueError, NULL);
  if (state->ParseError == NULL) return -1;
  state->RangeError = new_exception(module, "RangeError", range_error_doc, state->ParseError, PyExc_OverflowError,
                                    NULL);
  state->DecodeError = new_exception(module, "DecodeError", decode_error_doc, state->ParseError,
                                     PyExc_UnicodeDecodeError, NULL);
  state->TruncatedError = new_exception(module, "TruncatedError", truncated_error_doc, state->Error, PyExc_EOFError,
                                        NULL);
  if (state->RangeError == NULL || state->DecodeError == NULL || state->TruncatedError == NULL) return -1;
  return add_str(state->DecodeError);
}

static PyObject *number_or_none(uint64_t value, int is_known) {
  if (!is_known) Py_RETURN_NONE;
  return PyLong_FromUnsignedLongLong(value);
}

/* By name where there is one. */
static PyObject *field_of(const fastio_error *err) {
  if (err->field_name_size == 0) return number_or_none(err->field, err->field != 0);
  return PyUnicode_DecodeUTF8(err->field_name, (Py_ssize_t)err->field_name_size, "replace");
}

static PyObject *attribute_value(size_t i, const fastio_error *err, PyObject *path) {
  switch (i) {
    case 0: return Py_NewRef(path != NULL ? path : Py_None);
    case 1: return number_or_none(err->offset, err->offset != FASTIO_NO_OFFSET);
    case 2: return number_or_none(err->line, err->line != 0);
    case 3: return number_or_none(err->column, err->column != 0);
    case 4: return number_or_none(err->record, err->record != 0);
    case 5: return field_of(err);
    case 7: return PyUnicode_FromString(fastio_status_name(err->status));
    case 8: return number_or_none(err->raw_offset, err->raw_offset != FASTIO_NO_OFFSET);
    case 9: return number_or_none(err->source, err->source != 0);
    default:
      if (err->text_size == 0) Py_RETURN_NONE;
      return PyBytes_FromStringAndSize((const char *)err->text, (Py_ssize_t)err->text_size);
  }
}

static int set_attributes(PyObject *exception, const fastio_error *err, PyObject *path) {
  for (size_t i = 0; i < Py_ARRAY_LENGTH(attributes); ++i) {
    PyObject *value = attribute_value(i, err, path);
    if (value == NULL) return -1;
    int failed = set_attribute(exception, attributes[i], value) < 0;
    Py_DECREF(value);
    if (failed) return -1;
  }
  return 0;
}

/* A path as printable text: a name that is no UTF-8 has lone surrogates in its str, which no stream could print. */
static PyObject *printable(PyObject *path) {
  PyObject *bytes = PyUnicode_AsEncodedString(path, "utf-8", "backslashreplace");
  if (bytes == NULL) return NULL;
  PyObject *text = PyUnicode_DecodeUTF8(PyBytes_AS_STRING(bytes), PyBytes_GET_SIZE(bytes), "strict");
  Py_DECREF(bytes);
  return text;
}

static int append(PyObject **text, PyObject *more) {
  if (more == NULL) {
    Py_CLEAR(*text);
    return -1;
  }
  PyUnicode_AppendAndDel(text, more);
  return *text != NULL ? 0 : -1;
}

/* ---- tables: the column, the record, the place, the cell and what would accept it ---- */

static int is_of_table(const fastio_error *err) {
  if (err->raw_offset != FASTIO_NO_OFFSET) return 0; /* of the archive */
  return err->record != 0 || err->field != 0 || err->field_name_size != 0 || err->status == FASTIO_RAGGED ||
         err->status == FASTIO_BAD_QUOTE || err->status == FASTIO_BAD_HEADER;
}

static PyObject *counted(uint64_t count, const char *one, const char *many) {
  return PyUnicode_FromFormat("%llu %s", (unsigned long long)count, count == 1 ? one : many);
}

/* What is wrong: "3 fields where 2 are expected", or the core's words without its hint, which is ours to give. */
static PyObject *fault_phrase(const char *message, const fastio_error *err) {
  const char *hint = err->status == FASTIO_BAD_HEADER ? strchr(message, ';') : NULL;
  if (hint != NULL) return PyUnicode_FromStringAndSize(message, hint - message);
  if (err->status != FASTIO_RAGGED || err->expected == 0) return PyUnicode_FromString(message);
  PyObject *text = counted(err->field, "field", "fields");
  append(&text, PyUnicode_FromString(" where "));
  if (text != NULL) append(&text, counted(err->expected, "is expected", "are expected"));
  return text;
}

/* The field's name in double quotes, or as Python writes it if that would not do; else its number. */
static PyObject *quoted_field(const fastio_error *err) {
  PyObject *field = field_of(err);
  if (field == NULL || !PyUnicode_Check(field)) return field;
  Py_ssize_t size = PyUnicode_GET_LENGTH(field);
  int is_plain = PyUnicode_FindChar(field, '"', 0, size, 1) < 0 && PyUnicode_FindChar(field, '\\', 0, size, 1) < 0;
  for (Py_ssize_t i = 0; is_plain && i < size; ++i) is_plain = Py_UNICODE_ISPRINTABLE(PyUnicode_READ_CHAR(field, i));
  PyObject *quoted = PyUnicode_FromFormat(is_plain ? "\"%U\"" : "%R", field);
  Py_DECREF(field);
  return quoted;
}

/* ' in column "a"', ': "a"' of the header or of options. A ragged record's field says how many fields it has. */
static PyObject *column_phrase(const fastio_error *err) {
  int has_name = err->field_name_size != 0, is_option = err->status == FASTIO_INVALID_ARGUMENT;
  if (err->status == FASTIO_RAGGED || (err->field == 0 && !has_name)) return PyUnicode_FromString("");
  if (is_option && !has_name) return PyUnicode_FromFormat(": position %llu", (unsigned long long)err->field - 1);
  PyObject *field = quoted_field(err);
  const char *before = is_option || err->status == FASTIO_BAD_HEADER ? ":" : " in";
  const char *kind = !has_name ? " field" : *before == ':' ? "" : " column";
  PyObject *phrase = field == NULL ? NULL : PyUnicode_FromFormat("%s%s %S", before, kind, field);
  Py_XDECREF(field);
  return phrase;
}

/* ', record 2 (line 3, column 5, offset 14)' */
static PyObject *place_phrase(const fastio_error *err) {
  PyObject *text = err->record == 0 ? PyUnicode_FromString("")
                                    : PyUnicode_FromFormat(", record %llu", (unsigned long long)err->record);
  if (text == NULL || err->offset == FASTIO_NO_OFFSET) return text;
  unsigned long long offset = err->offset, line = err->line, column = err->column;
  if (line == 0) append(&text, PyUnicode_FromFormat(" (offset %llu)", offset));
  else append(&text, PyUnicode_FromFormat(" (line %llu, column %llu, offset %llu)", line, column, offset));
  return text;
}

/* ": 'x'", as a str where it is one. */
static PyObject *text_phrase(const fastio_error *err) {
  if (err->text_size == 0 || err->status == FASTIO_BAD_HEADER) return PyUnicode_FromString("");
  PyObject *text = PyUnicode_DecodeUTF8((const char *)err->text, (Py_ssize_t)err->text_size, "strict");
  if (text == NULL) {
    PyErr_Clear();
    text = attribute_value(6, err, NULL);
  }
  PyObject *phrase = text == NULL ? NULL : PyUnicode_FromFormat(": %R", text);
  Py_XDECREF(text);
  return phrase;
}

/* What would accept a cell: its column as strings, by name or 0-based position, or a null. One that can't be written
 * has no offset, and nobody asks for its type. */
static PyObject *cell_hint(const fastio_error *err) {
  if (err->field == 0 || err->offset == FASTIO_NO_OFFSET) return PyUnicode_FromString("");
  int is_whole = err->field_name_size != 0 && err->field_name_size < FASTIO_ERROR_TEXT_MAX;
  PyObject *key = is_whole ? quoted_field(err) : PyLong_FromUnsignedLongLong(err->field - 1);
  PyObject *hint = key == NULL
                       ? NULL
                       : PyUnicode_FromFormat("; dtype={%S: \"string\"} or on_bad=\"null\" would accept it", key);
  Py_XDECREF(key);
  return hint;
}

static PyObject *hint_phrase(const fastio_error *err) {
  switch (err->status) {
    case FASTIO_BAD_TOKEN:
    case FASTIO_OUT_OF_RANGE:
    case FASTIO_EMPTY_FIELD: return cell_hint(err);
    case FASTIO_RAGGED:
      return PyUnicode_FromFormat("; on_ragged=\"%s\", \"fit\", \"skip\" or a callable would accept it",
                                  err->field < err->expected ? "pad" : "truncate");
    case FASTIO_BAD_QUOTE: return PyUnicode_FromString("; quote_mode=\"literal\" or quote=None may accept it");
    case FASTIO_BAD_HEADER:
      if (err->source > 1) return PyUnicode_FromString(""); /* it differs from the first one's, which was accepted */
      return PyUnicode_FromString("; repair_names=True, names=[...] or header=False would accept it");
    default: return PyUnicode_FromString("");
  }
}

static PyObject *message_of_table(const char *message, const fastio_error *err, PyObject *text) {
  const char *colon = PyUnicode_GET_LENGTH(text) != 0 ? ": " : "";
  if (append(&text, PyUnicode_FromString(colon)) < 0 || append(&text, fault_phrase(message, err)) < 0) return NULL;
  if (append(&text, column_phrase(err)) < 0 || append(&text, place_phrase(err)) < 0) return NULL;
  if (append(&text, text_phrase(err)) < 0 || append(&text, hint_phrase(err)) < 0) return NULL;
  return text;
}

/* "data.txt, line 3, column 5, offset 15: not a number: b'12abc'" */
static PyObject *message_of(fastio_status status, const fastio_error *err, PyObject *path) {
  const char *message = err->message != NULL ? err->message : fastio_status_text(status);
  PyObject *text = path != NULL ? printable(path) : PyUnicode_FromString("");
  if (text == NULL) return NULL;
  if (is_of_table(err)) return message_of_table(message, err, text);
  const char *comma = path != NULL ? ", " : "";
  if (err->line != 0) {
    PyObject *more = PyUnicode_FromFormat("%sline %llu, column %llu", comma, (unsigned long long)err->line,
                                          (unsigned long long)err->column);
    if (append(&text, more) < 0) return NULL;
    comma = ", ";
  }
  if (err->offset != FASTIO_NO_OFFSET) {
    if (append(&text, PyUnicode_FromFormat("%soffset %llu", comma, (unsigned long long)err->offset)) < 0) return NULL;
    comma = ", ";
  }
  if (err->raw_offset != FASTIO_NO_OFFSET) {
    PyObject *more = PyUnicode_FromFormat("%sbyte %llu of the archive", comma, (unsigned long long)err->raw_offset);
    if (append(&text, more) < 0) return NULL;
  }
  const char *colon = PyUnicode_GET_LENGTH(text) != 0 ? ": " : "";
  if (append(&text, PyUnicode_FromFormat("%s%s", colon, message)) < 0) return NULL;
  if (err->text_size != 0) {
    PyObject *bytes = attribute_value(6, err, NULL);
    PyObject *more = bytes == NULL ? NULL : PyUnicode_FromFormat(": %R", bytes);
    Py_XDECREF(bytes);
    if (append(&text, more) < 0) return NULL;
  }
  return text;
}

/* The class of each status, from the list in fastio.h; fastio's own are found in the state. */
static PyObject *class_of(State *state, fastio_status status) {
  PyObject *const None = PyExc_RuntimeError;
  PyObject *const EOFError = PyExc_EOFError, *const OSError = PyExc_OSError;
  PyObject *const MemoryError = PyExc_MemoryError, *const ValueError = PyExc_ValueError;
  PyObject *const Error = state->Error, *const ParseError = state->ParseError, *const RangeError = state->RangeError;
  PyObject *const DecodeError = state->DecodeError, *const TruncatedError = state->TruncatedError;
  switch (status) {
#define FASTIO_STATUS_CASE(constant, number, name, exception, text) \
  case constant: return exception;
    FASTIO_STATUS_LIST(FASTIO_STATUS_CASE)
#undef FASTIO_STATUS_CASE
    default: return state->Error;
  }
}

static PyObject *new_os_error(const fastio_error *err, PyObject *path) {
#ifdef _WIN32
  return PyObject_CallFunction(PyExc_OSError, "isOi", err->os_error, err->message != NULL ? err->message : "",
                               path != NULL ? path : Py_None, err->os_error);
#else
  /* The class is chosen by errno: FileNotFoundError, IsADirectoryError, ... */
  if (path == NULL) return PyObject_CallFunction(PyExc_OSError, "is", err->os_error, strerror(err->os_error));
  return PyObject_CallFunction(PyExc_OSError, "isO", err->os_error, strerror(err->os_error), path);
#endif
}

static PyObject *new_decode_error(State *state, const fastio_error *err, PyObject *message) {
  Py_ssize_t size = (Py_ssize_t)err->text_size;
  return PyObject_CallFunction(state->DecodeError, "sy#nnO", "utf-8", (const char *)err->text, size, (Py_ssize_t)0,
                               MIN(size, 1), message);
}

static PyObject *new_instance(State *state, fastio_status status, const fastio_error *err, PyObject *path) {
  if (status == FASTIO_OS_ERROR) return new_os_error(err, path);
  PyObject *message = message_of(status, err, path);
  if (message == NULL) return NULL;
  PyObject *class = class_of(state, status);
  if (class == NULL) class = PyExc_RuntimeError; /* the interpreter is ending, and the module is cleared */
  PyObject *exception = status == FASTIO_BAD_ENCODING && state->DecodeError != NULL
                            ? new_decode_error(state, err, message)
                            : PyObject_CallOneArg(class, message);
  Py_DECREF(message);
  return exception;
}

PyObject *raise_error(State *state, fastio_status status, const fastio_error *err, PyObject *path) {
  if (PyErr_Occurred()) return NULL;
  if (status == FASTIO_NO_MEMORY) return PyErr_NoMemory();
  fastio_error none;
  if (err == NULL || err->status != status) {
    fastio_error_init(&none);
    none.status = status;
    err = &none;
  }
  PyObject *exception = new_instance(state, status, err, path);
  if (exception == NULL) return NULL;
  if (set_attributes(exception, err, path) == 0) PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
  Py_DECREF(exception);
  return NULL;
}

void capi_raise(void *ctx, fastio_status status, const fastio_error *err) {
  raise_error((State *)ctx, status, err, NULL);
}

PyObject *refuse_pickle(PyObject *self, PyObject *Py_UNUSED(ignored)) {
  return PyErr_Format(PyExc_TypeError, "cannot pickle '%s' object", Py_TYPE(self)->tp_name);
}
