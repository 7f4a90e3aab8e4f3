/* Keywords of decoding, and what becomes of a compression that this build has not. */
#include "py.h"

void decode_init(Decode *decode) {
  memset(decode, 0, sizeof *decode);
  fastio_decode_options_init(&decode->core);
}

void decode_clear(Decode *decode) {
  Py_CLEAR(decode->compression);
  Py_CLEAR(decode->encoding);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The text of a str, which lives as long as that does. */
static const char *text_of(PyObject *value, const char *name) {
  Py_ssize_t size;
  if (!PyUnicode_Check(value)) {
    PyErr_Format(PyExc_TypeError, "%s must be a str or None, not %.100s", name, Py_TYPE(value)->tp_name);
    return NULL;
  }
  const char *text = PyUnicode_AsUTF8AndSize(value, &size);
  if (text == NULL || strlen(text) == (size_t)size) return text;
  PyErr_Format(PyExc_ValueError, "%s can hold no NUL, as %R does", name, value);
  return NULL;
}

const char *compression_name(PyObject *value, PyObject **keep) {
  const char *text = text_of(value, "compression");
  if (text != NULL) Py_XSETREF(*keep, Py_NewRef(value));
  return text;
}

/* What Python's codecs call it, or NULL without an exception. */
static PyObject *codec_name(PyObject *value) {
  PyObject *codecs = PyImport_ImportModule("codecs");
  PyObject *info = codecs == NULL ? NULL : PyObject_CallMethod(codecs, "lookup", "O", value);
  PyObject *name = info == NULL ? NULL : get_attribute(info, "name");
  Py_XDECREF(codecs);
  Py_XDECREF(info);
  if (name == NULL) PyErr_Clear();
  return name;
}

const char *encoding_name(PyObject *value, PyObject **keep) {
  const char *text = text_of(value, "encoding");
  if (text == NULL) return NULL;
  if (fastio_encoding_name(text) != NULL) {
    Py_XSETREF(*keep, Py_NewRef(value));
    return text;
  }
  PyObject *name = codec_name(value); /* one of Python's own spellings, perhaps */
  text = name == NULL ? NULL : PyUnicode_AsUTF8(name);
  if (text != NULL && fastio_encoding_name(text) != NULL) {
    Py_XSETREF(*keep, name);
    return text;
  }
  Py_XDECREF(name);
  if (!PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "encoding %R is not known", value);
  return NULL;
}

/* ---- keywords ---------------------------------------------------------------------------------------------------- */

int decode_set_compression(Decode *decode, PyObject *value) {
  if (value == Py_None) {
    decode->core.compression = NULL;
    return 0;
  }
  decode->core.compression = compression_name(value, &decode->compression);
  return decode->core.compression == NULL ? -1 : 0;
}

static int is_utf8(PyObject *encoding) {
  static const char *const spellings[] = {"utf-8", "utf8", "UTF-8", "UTF8", "utf_8"};
  for (size_t i = 0; PyUnicode_Check(encoding) && i < Py_ARRAY_LENGTH(spellings); ++i) {
    if (PyUnicode_CompareWithASCIIString(encoding, spellings[i]) == 0) return 1;
  }
  return 0;
}

/* "utf-8" gives way to a byte order mark of UTF-16 or UTF-32. */
int decode_set_encoding(Decode *decode, PyObject *value) {
  if (value == Py_None) {
    decode->core.encoding = NULL;
    return 0;
  }
  if (is_utf8(value)) {
    decode->core.encoding = "auto";
    return 0;
  }
  decode->core.encoding = encoding_name(value, &decode->encoding);
  return decode->core.encoding == NULL ? -1 : 0;
}

int errors_from_object(PyObject *value, int *out) {
  static const char *const words[] = {"strict", "replace", "skip"};
  *out = choice(value, "errors", words, 3); /* in the order of FASTIO_ERRORS_* */
  return *out < 0 ? -1 : 0;
}

int decode_set_errors(Decode *decode, PyObject *value) { return errors_from_object(value, &decode->core.errors); }

int decode_set_trailing(Decode *decode, PyObject *value) {
  static const char *const words[] = {"error", "ignore", "warn"};
  int chosen = choice(value, "trailing", words, 3);
  decode->core.trailing = chosen == 0 ? FASTIO_TRAILING_ERROR : FASTIO_TRAILING_IGNORE;
  decode->warns = chosen == 2;
  return chosen < 0 ? -1 : 0;
}

int decode_set_max_size(Decode *decode, PyObject *value) {
  return limit_from_object(value, "max_size", &decode->core.max_size);
}

int partial_from_object(PyObject *value, int *out) {
  static const char *const words[] = {"emit", "hold", "error"};
  *out = choice(value, "partial", words, 3); /* in the order of FASTIO_PARTIAL_* */
  return *out < 0 ? -1 : 0;
}

/* ---- what this build has not ------------------------------------------------------------------------------------- */

static const char *const known[] = {"gzip", "zlib", "deflate", "zstd", "xz", "bzip2", "lz4"};

static int is_built(const char *name) {
  const char *built;
  for (size_t i = 0; (built = fastio_compression_name(i)) != NULL; ++i) {
    if (strcmp(built, name) == 0) return 1;
  }
  return 0;
}

/* Those of the known ones that are not built in, or that `names` (NULL: none) has too. */
static PyObject *lacking_ones(PyObject *names) {
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list != NULL && i < Py_ARRAY_LENGTH(known); ++i) {
    PyObject *name = PyUnicode_FromString(known[i]);
    int lacks = name == NULL ? -1 : !is_built(known[i]);
    if (lacks == 0 && names != NULL) lacks = PySequence_Contains(names, name);
    if (lacks < 0 || (lacks > 0 && PyList_Append(list, name) < 0)) Py_CLEAR(list);
    Py_XDECREF(name);
  }
  PyObject *tuple = list == NULL ? NULL : PyList_AsTuple(list);
  Py_XDECREF(list);
  return tuple;
}

int find_lacking(State *state) {
  state->lacking = lacking_ones(NULL);
  return state->lacking == NULL ? -1 : 0;
}

PyObject *without_compressions(PyObject *module, PyObject *names) {
  State *state = state_of(module);
  PyObject *lacking = lacking_ones(names), *before = state->lacking;
  if (lacking == NULL) return NULL;
  state->lacking = lacking;
  Py_XDECREF(before);
  Py_RETURN_NONE;
}

/* The Python part looks at the source only if something lacks. */
int decode_otherwise(State *state, PyObject *source, const Decode *decode, PyObject **file) {
  *file = NULL;
  const char *name = decode->core.compression;
  if (state->lacking == NULL || PyTuple_GET_SIZE(state->lacking) == 0 || name == NULL) return 0;
  PyObject *helper = PyImport_ImportModule("fastio._decompress");
  PyObject *max_size = decode->core.max_size == FASTIO_NO_OFFSET ? Py_NewRef(Py_None)
                                                                 : PyLong_FromUnsignedLongLong(decode->core.max_size);
  if (helper != NULL && max_size != NULL)
    *file = PyObject_CallMethod(helper, "opened", "OsOiO", source, name, state->lacking, decode->core.trailing,
                                max_size);
  Py_XDECREF(helper);
  Py_XDECREF(max_size);
  if (*file == NULL) return -1;
  if (*file != Py_None) return 1;
  Py_CLEAR(*file);
  return 0;
}
