/* Reader: one value at a time, and its iterators. */
#include "py.h"

static const char reader_doc[] = "Reads one value at a time, from fastio.open.\n\n"
                                 "White space (or `sep`) separates numbers and tokens. At the end every read_... "
                                 "raises EOFError; what is not what it is\n"
                                 "read as raises ParseError and stays unread: read it otherwise, or skip() it. A "
                                 "context manager. One thread at a time: a\n"
                                 "second one gets ValueError, and so does everyone after close().";

/* A source that the reader reads for a while. */
typedef struct Detour {
  Input input;
  struct Detour *before;
} Detour;

typedef struct Reader {
  PyObject_HEAD Input input;
  fastio_reader *reader; /* NULL: closed */
  PyObject *path;        /* also after close */
  Detour *detour;        /* owned: the last of those that it is on; NULL: none */
  Busy busy;
  int as_bytes;
  PyObject *weakrefs;
} Reader;

/* ---- lifetime ---------------------------------------------------------------------------------------------------- */

static void detour_end(Reader *self) {
  Detour *detour = self->detour;
  self->detour = detour->before;
  input_close(&detour->input);
  PyMem_Free(detour);
}

static void reader_release(Reader *self) {
  fastio_reader *reader = self->reader;
  self->reader = NULL;
  fastio_reader_close(reader);
  while (self->detour != NULL) detour_end(self);
  input_close(&self->input);
}

static int reader_traverse(PyObject *op, visitproc visit, void *arg) {
  Reader *self = (Reader *)op;
  Py_VISIT(Py_TYPE(op));
  for (Detour *detour = self->detour; detour != NULL; detour = detour->before) {
    int result = input_traverse(&detour->input, visit, arg);
    if (result != 0) return result;
  }
  return input_traverse(&self->input, visit, arg);
}

static int reader_clear(PyObject *op) {
  reader_release((Reader *)op);
  return 0;
}

/* A file that nobody closed is worth a warning, as with open(). */
static void reader_finalize(PyObject *op) {
  Reader *self = (Reader *)op;
  PyObject *type, *value, *traceback;
  if (self->reader == NULL || !self->input.owns_file) return;
  PyErr_Fetch(&type, &value, &traceback);
  if (PyErr_ResourceWarning(op, 1, "unclosed reader %R", op) < 0) PyErr_WriteUnraisable(op);
  PyErr_Restore(type, value, traceback);
}

static void reader_dealloc(PyObject *op) {
  Reader *self = (Reader *)op;
  PyTypeObject *type = Py_TYPE(op);
  if (PyObject_CallFinalizerFromDealloc(op) < 0) return; /* brought back to life */
  PyObject_GC_UnTrack(op);
  if (self->weakrefs != NULL) PyObject_ClearWeakRefs(op);
  reader_release(self);
  Py_XDECREF(self->path);
  type->tp_free(op);
  Py_DECREF(type);
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static int enter(Reader *self) {
  if (busy_enter(&self->busy, "the reader") < 0) return -1;
  if (self->reader != NULL) return 0;
  busy_give(&self->busy);
  PyErr_SetString(PyExc_ValueError, "the reader is closed");
  return -1;
}

/* 0, or -1 with the exception of the status. */
static int leave(Reader *self, fastio_status status, const fastio_error *err) {
  if (status == FASTIO_END) (void)input_finish(&self->input);
  busy_give(&self->busy);
  if (status == FASTIO_OK && !PyErr_Occurred()) return 0;
  PyObject *path = self->detour != NULL ? self->detour->input.path : self->path;
  raise_error(state_of_self((PyObject *)self), status, err, path);
  return -1;
}

typedef enum Kind { INT, FLOAT, LINE, TOKEN, PEEK } Kind;

static PyObject *text(Reader *self, const char *data, size_t size) {
  if (self->as_bytes) return PyBytes_FromStringAndSize(data, (Py_ssize_t)size);
  return new_str(data, (Py_ssize_t)size);
}

/* The next value as an object. *status tells the end from other failures. */
static PyObject *next_value(Reader *self, Kind kind, fastio_status *status, fastio_error *err) {
  int64_t integer = 0;
  double number = 0;
  const char *data = NULL;
  size_t size = 0;
  switch (kind) {
    case INT:
      *status = fastio_next_i64(self->reader, &integer, err);
      return *status == FASTIO_OK ? PyLong_FromLongLong(integer) : NULL;
    case FLOAT:
      *status = fastio_next_f64(self->reader, &number, err);
      return *status == FASTIO_OK ? PyFloat_FromDouble(number) : NULL;
    case LINE: *status = fastio_next_line(self->reader, &data, &size, err); break;
    case PEEK: *status = fastio_peek_token(self->reader, &data, &size, err); break;
    default: *status = fastio_next_token(self->reader, &data, &size, err); break;
  }
  return *status == FASTIO_OK ? text(self, data, size) : NULL;
}

/* At the end: EOFError, or plain NULL for iterators. */
static PyObject *read_value(Reader *self, Kind kind, int is_iterator) {
  fastio_error err;
  fastio_status status;
  if (enter(self) < 0) return NULL;
  fastio_error_init(&err);
  PyObject *value = next_value(self, kind, &status, &err);
  if (status == FASTIO_END && is_iterator && !PyErr_Occurred()) {
    (void)input_finish(&self->input); /* which may set one */
    busy_give(&self->busy);
    return NULL;
  }
  if (leave(self, status, &err) < 0) Py_CLEAR(value);
  return value;
}

static PyObject *reader_read_int(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  return read_value((Reader *)op, INT, 0);
}
static PyObject *reader_read_float(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  return read_value((Reader *)op, FLOAT, 0);
}
static PyObject *reader_read_line(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  return read_value((Reader *)op, LINE, 0);
}
static PyObject *reader_read_token(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  return read_value((Reader *)op, TOKEN, 0);
}

static PyObject *reader_peek_token(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  return read_value((Reader *)op, PEEK, 0);
}

/* ---- scan: values of several types, own ones among them ---------------------------------------------------------- */

/* A token as str or bytes, whatever the reader's lines are. */
static PyObject *scan_token(Reader *self, int as_bytes) {
  const char *data;
  size_t size;
  fastio_error err;
  if (enter(self) < 0) return NULL;
  fastio_error_init(&err);
  fastio_status status = fastio_next_token(self->reader, &data, &size, &err);
  PyObject *token = NULL;
  if (status == FASTIO_OK)
    token = as_bytes ? PyBytes_FromStringAndSize(data, (Py_ssize_t)size) : new_str(data, (Py_ssize_t)size);
  if (leave(self, status, &err) < 0) Py_CLEAR(token);
  return token;
}

static PyObject *scan_one(Reader *self, PyObject *type) {
  PyObject *method;
  if (type == (PyObject *)&PyLong_Type) return read_value(self, INT, 0);
  if (type == (PyObject *)&PyFloat_Type) return read_value(self, FLOAT, 0);
  if (type == (PyObject *)&PyUnicode_Type) return scan_token(self, 0);
  if (type == (PyObject *)&PyBytes_Type) return scan_token(self, 1);
  int found = lookup(type, "__fastio_scan__", &method);
  if (found < 0) return NULL;
  if (found == 0) {
    return PyErr_Format(PyExc_TypeError, "scan() takes int, float, str, bytes or a class with __fastio_scan__, not %R",
                        type);
  }
  PyObject *value = PyObject_CallOneArg(method, (PyObject *)self);
  Py_DECREF(method);
  return value;
}

static PyObject *reader_scan(PyObject *op, PyObject *const *args, Py_ssize_t nargs) {
  if (nargs == 1) return scan_one((Reader *)op, args[0]);
  PyObject *values = PyTuple_New(nargs);
  for (Py_ssize_t i = 0; values != NULL && i < nargs; ++i) {
    PyObject *value = scan_one((Reader *)op, args[i]);
    if (value == NULL) Py_CLEAR(values);
    else PyTuple_SET_ITEM(values, i, value);
  }
  return values;
}

static PyObject *reader_fail(PyObject *op, PyObject *message) {
  Reader *self = (Reader *)op;
  fastio_error err;
  if (!PyUnicode_Check(message)) return PyErr_Format(PyExc_TypeError, "the message must be a str");
  const char *text = PyUnicode_AsUTF8(message); /* lives as long as the message, and so does the error */
  if (text == NULL || enter(self) < 0) return NULL;
  fastio_error_init(&err);
  leave(self, fastio_reader_fail(self->reader, FASTIO_BAD_TOKEN, text, &err), &err);
  return NULL;
}

static PyObject *reader_expect(PyObject *op, PyObject *expected) {
  Reader *self = (Reader *)op;
  fastio_error err;
  Py_buffer view;
  PyObject *bytes = PyUnicode_Check(expected) ? PyUnicode_AsUTF8String(expected) : Py_NewRef(expected);
  if (bytes == NULL) return NULL;
  int failed = PyObject_GetBuffer(bytes, &view, PyBUF_SIMPLE);
  Py_DECREF(bytes);
  if (failed) return NULL;
  fastio_error_init(&err);
  failed = enter(self) < 0 || leave(self, fastio_expect(self->reader, view.buf, (size_t)view.len, &err), &err) < 0;
  PyBuffer_Release(&view);
  if (failed) return NULL;
  Py_RETURN_NONE;
}

static PyObject *reader_skip(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  Reader *self = (Reader *)op;
  fastio_error err;
  if (enter(self) < 0) return NULL;
  fastio_error_init(&err);
  if (leave(self, fastio_skip(self->reader, &err), &err) < 0) return NULL;
  Py_RETURN_NONE;
}

/* ---- detours ----------------------------------------------------------------------------------------------------- */

static int divert(Reader *self, Detour *detour) {
  fastio_error err;
  if (enter(self) < 0) return -1;
  fastio_error_init(&err);
  fastio_status status = fastio_reader_redirect(self->reader, detour->input.source, &err);
  if (leave(self, status, &err) < 0) return -1;
  detour->input.gil.outer = &self->input.gil;
  detour->before = self->detour;
  self->detour = detour;
  return 0;
}

static PyObject *reader_start_detour(PyObject *op, PyObject *source) {
  Detour *detour = PyMem_Calloc(1, sizeof *detour);
  if (detour == NULL) return PyErr_NoMemory();
  Decode usual;
  decode_init(&usual);
  if (((Reader *)op)->as_bytes) usual.core.encoding = NULL;
  int failed = input_open(state_of_self(op), &detour->input, source, &usual) < 0;
  if (!failed && divert((Reader *)op, detour) < 0) {
    input_close(&detour->input);
    failed = 1;
  }
  if (failed) {
    PyMem_Free(detour);
    return NULL;
  }
  Py_RETURN_NONE;
}

static PyObject *reader_end_detour(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  Reader *self = (Reader *)op;
  if (busy_enter(&self->busy, "the reader") < 0) return NULL;
  if (self->detour != NULL) { /* else it was closed meanwhile */
    (void)fastio_reader_redirect(self->reader, NULL, NULL);
    detour_end(self);
  }
  busy_give(&self->busy);
  Py_RETURN_NONE;
}

static PyObject *reader_redirect(PyObject *op, PyObject *source) {
  PyObject *class = write_helper("Detour");
  PyObject *manager = class == NULL ? NULL : PyObject_CallFunctionObjArgs(class, op, source, NULL);
  Py_XDECREF(class);
  return manager;
}

static PyObject *reader_close(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  Reader *self = (Reader *)op;
  if (busy_enter(&self->busy, "the reader") < 0) return NULL;
  reader_release(self);
  busy_give(&self->busy);
  Py_RETURN_NONE;
}

static PyObject *reader_enter(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  Reader *self = (Reader *)op;
  if (enter(self) < 0 || leave(self, FASTIO_OK, NULL) < 0) return NULL;
  return Py_NewRef(op);
}

static PyObject *reader_exit(PyObject *op, PyObject *const *Py_UNUSED(args), Py_ssize_t Py_UNUSED(nargs)) {
  return reader_close(op, NULL);
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static PyObject *place(Reader *self, uint64_t (*get)(const fastio_reader *)) {
  if (enter(self) < 0) return NULL;
  uint64_t value = get(self->reader);
  busy_give(&self->busy);
  return PyLong_FromUnsignedLongLong(value);
}

static PyObject *get_offset(PyObject *op, void *Py_UNUSED(closure)) {
  return place((Reader *)op, fastio_reader_offset);
}

static PyObject *get_lineno(PyObject *op, void *Py_UNUSED(closure)) { return place((Reader *)op, fastio_reader_line); }

static PyObject *get_closed(PyObject *op, void *Py_UNUSED(closure)) {
  return PyBool_FromLong(((Reader *)op)->reader == NULL);
}

static PyObject *get_decode_errors(PyObject *op, void *Py_UNUSED(closure)) {
  Reader *self = (Reader *)op;
  if (busy_enter(&self->busy, "the reader") < 0) return NULL;
  uint64_t count = input_decode_errors(&self->input);
  busy_give(&self->busy);
  return PyLong_FromUnsignedLongLong(count);
}

static PyObject *get_path(PyObject *op, void *Py_UNUSED(closure)) {
  PyObject *path = ((Reader *)op)->path;
  return Py_NewRef(path != NULL ? path : Py_None);
}

static PyObject *reader_repr(PyObject *op) {
  Reader *self = (Reader *)op;
  const char *state = self->reader == NULL ? " closed" : "";
  if (self->path == NULL) return PyUnicode_FromFormat("<fastio.Reader%s>", state);
  return PyUnicode_FromFormat("<fastio.Reader %R%s>", self->path, state);
}

/* ---- iterators over a reader: no batches, so that the reader's place is always what was given out ---------------- */

typedef struct ReaderIterator {
  PyObject_HEAD Reader *reader;
  Kind kind;
} ReaderIterator;

static PyObject *new_iterator(PyObject *op, Kind kind) {
  ReaderIterator *self = PyObject_GC_New(ReaderIterator, state_of_self(op)->ReaderIterator);
  if (self == NULL) return NULL;
  self->reader = (Reader *)Py_NewRef(op);
  self->kind = kind;
  PyObject_GC_Track(self);
  return (PyObject *)self;
}

static int iterator_traverse(PyObject *op, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(op));
  Py_VISIT(((ReaderIterator *)op)->reader);
  return 0;
}

/* The reader that a clear has taken away is found missing by next. */
static int iterator_clear(PyObject *op) {
  Py_CLEAR(((ReaderIterator *)op)->reader);
  return 0;
}

static void iterator_dealloc(PyObject *op) {
  PyTypeObject *type = Py_TYPE(op);
  PyObject_GC_UnTrack(op);
  iterator_clear(op);
  type->tp_free(op);
  Py_DECREF(type);
}

static PyObject *iterator_next(PyObject *op) {
  ReaderIterator *self = (ReaderIterator *)op;
  return self->reader == NULL ? NULL : read_value(self->reader, self->kind, 1);
}

static PyMethodDef iterator_methods[] = {
    {"__reduce__", refuse_pickle, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot iterator_slots[] = {
    {Py_tp_doc, "Over the values that a Reader has left; other reads may go between."},
    {Py_tp_dealloc, iterator_dealloc},
    {Py_tp_traverse, iterator_traverse},
    {Py_tp_clear, iterator_clear},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, iterator_next},
    {Py_tp_methods, iterator_methods},
    {0, NULL},
};

PyType_Spec reader_iterator_spec = {
    .name = "fastio._core.ReaderIterator",
    .basicsize = sizeof(ReaderIterator),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = iterator_slots,
};

static PyObject *reader_ints(PyObject *op, PyObject *Py_UNUSED(ignored)) { return new_iterator(op, INT); }
static PyObject *reader_floats(PyObject *op, PyObject *Py_UNUSED(ignored)) { return new_iterator(op, FLOAT); }
static PyObject *reader_lines(PyObject *op, PyObject *Py_UNUSED(ignored)) { return new_iterator(op, LINE); }
static PyObject *reader_tokens(PyObject *op, PyObject *Py_UNUSED(ignored)) { return new_iterator(op, TOKEN); }

/* ---- the type ---------------------------------------------------------------------------------------------------- */

static PyMethodDef reader_methods[] = {
    {"read_int", reader_read_int, METH_NOARGS,
     PyDoc_STR("read_int($self, /)\n--\n\nThe next token as an int of 64 bits. RangeError if it does not fit.")},
    {"read_float", reader_read_float, METH_NOARGS,
     PyDoc_STR("read_float($self, /)\n--\n\nThe next token as a float, correctly rounded.")},
    {"read_token", reader_read_token, METH_NOARGS,
     PyDoc_STR("read_token($self, /)\n--\n\nThe next token as it is: a str (bytes with encoding=None).")},
    {"read_line", reader_read_line, METH_NOARGS,
     PyDoc_STR("read_line($self, /)\n--\n\n"
               "What is left of the line, without its newline unless keepends was asked for: a str (bytes with\n"
               "encoding=None). After a number on a line of its own that is \"\".")},
    {"expect", reader_expect, METH_O,
     PyDoc_STR(
         "expect($self, expected, /)\n--\n\n"
         "Passes exactly these characters (str or bytes-like). White space before them is skipped, unless they start\n"
         "with some. Otherwise a ParseError, and nothing is passed.")},
    {"peek_token", reader_peek_token, METH_NOARGS,
     PyDoc_STR("peek_token($self, /)\n--\n\nThe same, and it stays unread.")},
    {"scan", FUNCTION(reader_scan), METH_FASTCALL,
     PyDoc_STR("scan($self, /, *types)\n--\n\n"
               "The next values, a single one or a tuple: int, float, str or bytes (a token), or an own class, whose\n"
               "class method __fastio_scan__(reader) gives the value.")},
    {"fail", reader_fail, METH_O,
     PyDoc_STR("fail($self, message, /)\n--\n\n"
               "Raises a ParseError with the place and text of the next token: for own types.")},
    {"redirect", reader_redirect, METH_O,
     PyDoc_STR("redirect($self, source, /)\n--\n\n"
               "A context manager within which the reader reads another source; then it goes on where it was.")},
    {"_start_detour", reader_start_detour, METH_O,
     PyDoc_STR("_start_detour($self, source, /)\n--\n\nReads another source for now.")},
    {"_end_detour", reader_end_detour, METH_NOARGS, PyDoc_STR("_end_detour($self, /)\n--\n\nGoes on where it was.")},
    {"skip", reader_skip, METH_NOARGS, PyDoc_STR("skip($self, /)\n--\n\nPasses the next token, whatever it is.")},
    {"ints", reader_ints, METH_NOARGS,
     PyDoc_STR("ints($self, /)\n--\n\nAn iterator that does read_int up to the end.")},
    {"floats", reader_floats, METH_NOARGS,
     PyDoc_STR("floats($self, /)\n--\n\nAn iterator that does read_float up to the end.")},
    {"lines", reader_lines, METH_NOARGS,
     PyDoc_STR("lines($self, /)\n--\n\nAn iterator that does read_line up to the end.")},
    {"tokens", reader_tokens, METH_NOARGS,
     PyDoc_STR("tokens($self, /)\n--\n\nAn iterator that does read_token up to the end.")},
    {"close", reader_close, METH_NOARGS,
     PyDoc_STR("close($self, /)\n--\n\nLets go of the source: closes the file if the reader opened it. Closing again "
               "does nothing.")},
    {"__enter__", reader_enter, METH_NOARGS, PyDoc_STR("__enter__($self, /)\n--\n\nThe reader itself.")},
    {"__exit__", FUNCTION(reader_exit), METH_FASTCALL, PyDoc_STR("__exit__($self, /, *exc_info)\n--\n\nCloses it.")},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, PyDoc_STR("For annotations.")},
    {"__reduce__", refuse_pickle, METH_NOARGS,
     PyDoc_STR("__reduce__($self, /)\n--\n\nRaises TypeError: not to be pickled.")},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef reader_getset[] = {
    {"offset", get_offset, NULL, PyDoc_STR("The 0-based offset of the next unread byte in the source."), NULL},
    {"lineno", get_lineno, NULL, PyDoc_STR("The 1-based line of the next unread byte."), NULL},
    {"closed", get_closed, NULL, PyDoc_STR("True once closed."), NULL},
    {"decode_errors", get_decode_errors, NULL, decode_errors_doc, NULL},
    {"path", get_path, NULL, PyDoc_STR("The path, a file object's name, \"<stdin>\", \"<fd N>\", or None for data."),
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef reader_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Reader, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot reader_slots[] = {
    {Py_tp_doc, (void *)reader_doc},   {Py_tp_dealloc, reader_dealloc},
    {Py_tp_finalize, reader_finalize}, {Py_tp_traverse, reader_traverse},
    {Py_tp_clear, reader_clear},       {Py_tp_repr, reader_repr},
    {Py_tp_methods, reader_methods},   {Py_tp_getset, reader_getset},
    {Py_tp_members, reader_members},   {0, NULL},
};

PyType_Spec reader_spec = {
    .name = "fastio.Reader",
    .basicsize = sizeof(Reader),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = reader_slots,
};

/* ---- open -------------------------------------------------------------------------------------------------------- */

const char open_doc[] =
    "open($module, /, source, mode='r', *, sep=None, comment=None, skip_lines=0, base=10, overflow='ieee', "
    "newline='lf', keepends=False, offset=0, length=None, block_size=None, " DECODE_SIGNATURE ", partial='emit', "
    "atomic=False, sync=False, buffering='auto', buffer_size=None, locked=False, permissions=None, level=None, "
    "threads=None)\n--\n\n"
    "A Reader of the source, for one value at a time; with mode \"w\", \"a\" or \"x\" a Writer.\n\n"
    "source: a path (str or os.PathLike; \"-\" is standard input), the data itself (bytes-like), a file descriptor, a "
    "binary\n"
    "    file object (readinto or read), or a MappedFile.\n"
    "mode: \"r\", or \"rb\", which is encoding=None: tokens and lines are bytes. Or as for Writer, and then the first "
    "argument\n"
    "    is its dest.\n"
    "sep: None for runs of white space, or one byte; then newlines separate too and an empty field is an error.\n"
    "comment: a byte that starts a comment up to the end of the line. skip_lines: lines to skip at the start.\n"
    "base: of integers, 2 to 36. overflow: \"ieee\" or \"error\", for floats that are too large.\n"
    "newline: \"lf\" (and one \\r before it is stripped), \"any\" (\\n, \\r\\n, \\r), or one byte. keepends: leave it "
    "on.\n"
    "offset, length: the range of bytes to read; an item belongs to the range that holds its first byte.\n"
    "block_size: the size of the buffer in bytes; never changes the result.\n" DECODE_DOC PARTIAL_DOC
    "atomic, sync, buffering, buffer_size, locked, permissions, level, threads: only with the other modes, see Writer, "
    "where\n"
    "    encoding is None unless it is given.";

static int reader_open(State *state, Reader *self, Options *options) {
  fastio_error err;
  if (input_open(state, &self->input, options->source, &options->decode) < 0) return -1;
  self->path = Py_XNewRef(self->input.path);
  self->as_bytes = options->as_bytes;
  options->read.poll = gil_poll;
  options->read.poll_ctx = &self->input.gil;
  fastio_error_init(&err);
  fastio_status status = fastio_reader_open(self->input.source, &options->read, &self->reader, &err);
  if (status == FASTIO_OK) return 0;
  raise_error(state, status, &err, self->path);
  return -1;
}

/* Created closed, then opened. */
static PyObject *new_reader(State *state, Options *options) {
  Reader *self = PyObject_GC_New(Reader, state->Reader);
  if (self == NULL) return NULL;
  memset(&self->input, 0, sizeof self->input);
  self->reader = NULL;
  self->path = NULL;
  self->detour = NULL;
  self->busy = 0;
  self->as_bytes = 0;
  self->weakrefs = NULL;
  PyObject_GC_Track(self);
  if (reader_open(state, self, options) == 0) return (PyObject *)self;
  Py_DECREF(self);
  return NULL;
}

/* Whether the mode, if there is one, is to write. */
static int is_to_write(PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  PyObject *mode = nargs > 1 ? args[1] : NULL;
  for (Py_ssize_t i = 0; kwnames != NULL && i < PyTuple_GET_SIZE(kwnames); ++i) {
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, i), "mode") == 0) mode = args[nargs + i];
  }
  return mode != NULL && PyUnicode_Check(mode) && PyUnicode_GET_LENGTH(mode) > 0 &&
         strchr("wax", (int)MIN(PyUnicode_READ_CHAR(mode, 0), 127)) != NULL;
}

/* The arguments as a tuple and a dict. */
static PyObject *open_to_write(State *state, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  PyObject *positional = PyTuple_New(nargs), *named = PyDict_New(), *writer = NULL;
  for (Py_ssize_t i = 0; positional != NULL && i < nargs; ++i) PyTuple_SET_ITEM(positional, i, Py_NewRef(args[i]));
  for (Py_ssize_t i = 0; kwnames != NULL && named != NULL && i < PyTuple_GET_SIZE(kwnames); ++i) {
    if (PyDict_SetItem(named, PyTuple_GET_ITEM(kwnames, i), args[nargs + i]) < 0) Py_CLEAR(named);
  }
  if (positional != NULL && named != NULL) writer = open_writer(state, positional, named);
  Py_XDECREF(positional);
  Py_XDECREF(named);
  return writer;
}

PyObject *open_reader(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const Signature signature = {"open",
                                      BIT(KW_SOURCE) | BIT(KW_MODE) | BIT(KW_SEP) | BIT(KW_COMMENT) |
                                          BIT(KW_SKIP_LINES) | BIT(KW_BASE) | BIT(KW_OVERFLOW) | BIT(KW_NEWLINE) |
                                          BIT(KW_KEEPENDS) | BIT(KW_OFFSET) | BIT(KW_LENGTH) | BIT(KW_BLOCK_SIZE) |
                                          BIT(KW_PARTIAL) | DECODE_WORDS,
                                      .second = KW_MODE};
  State *state = state_of(module);
  Options options;
  PyObject *result = NULL;
  if (is_to_write(args, nargs, kwnames)) return open_to_write(state, args, nargs, kwnames);
  if (options_parse(state, &signature, args, nargs, kwnames, &options) == 0) result = new_reader(state, &options);
  options_clear(&options);
  return result;
}
