/* lines(), ints(), floats(): iterators over a source of their own, filled in batches. */
#include "py.h"

static const char stream_doc[] =
    "An iterator over the lines or numbers of a source, from fastio.lines, ints or floats.\n\n"
    "It lets go of its source at the end, at the first error, on close(), and when it is dropped. Also a context "
    "manager.\n"
    "One thread at a time: a second one gets ValueError.";

typedef enum Kind { INTS, UINTS, FLOATS, STRS, BYTES, DECODED } Kind;

#define BATCH 512

typedef struct Stream {
  PyObject_HEAD Input input;
  fastio_reader *reader; /* NULL: nothing more to come */
  Kind kind;
  Busy busy;
  int is_ascii; /* all lines of the batch */
  int is_first;
  int holds;    /* the end is not for good */
  char *errors; /* how to decode, for DECODED */
  size_t next, count;
  PyObject *weakrefs;
  union {
    fastio_bytes lines[BATCH]; /* in the reader's buffer, which holds still until the next refill */
    int64_t ints[BATCH];
    uint64_t uints[BATCH];
    double floats[BATCH];
  } batch;
} Stream;

int busy_enter(Busy *busy, const char *what) {
  if (busy_take(busy)) return 0;
  PyErr_Format(PyExc_ValueError, "%s is in use by another thread", what);
  return -1;
}

/* ---- lifetime ---------------------------------------------------------------------------------------------------- */

static void stream_release(Stream *self) {
  fastio_reader *reader = self->reader;
  self->reader = NULL;
  self->next = self->count = 0;
  fastio_reader_close(reader);
  input_close(&self->input);
}

static int stream_traverse(PyObject *op, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(op));
  return input_traverse(&((Stream *)op)->input, visit, arg);
}

static int stream_clear(PyObject *op) {
  stream_release((Stream *)op);
  return 0;
}

static void stream_dealloc(PyObject *op) {
  Stream *self = (Stream *)op;
  PyTypeObject *type = Py_TYPE(op);
  PyObject_GC_UnTrack(op);
  if (self->weakrefs != NULL) PyObject_ClearWeakRefs(op);
  stream_release(self);
  PyMem_Free(self->errors);
  type->tp_free(op);
  Py_DECREF(type);
}

static PyObject *stream_close(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  Stream *self = (Stream *)op;
  if (busy_enter(&self->busy, "the iterator") < 0) return NULL;
  stream_release(self);
  busy_give(&self->busy);
  Py_RETURN_NONE;
}

static PyObject *stream_enter(PyObject *op, PyObject *Py_UNUSED(ignored)) { return Py_NewRef(op); }

static PyObject *stream_exit(PyObject *op, PyObject *const *Py_UNUSED(args), Py_ssize_t Py_UNUSED(nargs)) {
  return stream_close(op, NULL);
}

/* ---- batches ----------------------------------------------------------------------------------------------------- */

static fastio_status fetch(Stream *self, fastio_error *err) {
  switch (self->kind) {
    case INTS: return fastio_next_i64s(self->reader, self->batch.ints, BATCH, &self->count, err);
    case UINTS: return fastio_next_u64s(self->reader, self->batch.uints, BATCH, &self->count, err);
    case FLOATS: return fastio_next_f64s(self->reader, self->batch.floats, BATCH, &self->count, err);
    default: return fastio_next_lines(self->reader, self->batch.lines, BATCH, &self->count, err);
  }
}

/* The lines of a batch stand one after another in the reader's buffer: one test does for all. */
static int batch_is_ascii(const Stream *self) {
  const char *start = self->batch.lines[0].data;
  const fastio_bytes *last = &self->batch.lines[self->count - 1];
  return is_ascii(start, (size_t)((const char *)last->data - start) + last->size);
}

/* Bytes that are decoded here have their byte order mark skipped here. */
static void skip_bom(fastio_bytes *line) {
  if (line->size < 3 || memcmp(line->data, "\xEF\xBB\xBF", 3) != 0) return;
  line->data = (const char *)line->data + 3;
  line->size -= 3;
}

/* 1: there are items; 0: the end; -1: an exception is set. */
static int refill(Stream *self) {
  fastio_error err;
  if (self->reader == NULL) return 0;
  fastio_error_init(&err);
  self->next = self->count = 0;
  fastio_status status = fetch(self, &err);
  if (self->count > 0 && !PyErr_Occurred()) { /* a failure behind them will come again */
    if (self->kind == STRS) self->is_ascii = batch_is_ascii(self);
    if (self->kind == DECODED && self->is_first) skip_bom(&self->batch.lines[0]);
    self->is_first = 0;
    return 1;
  }
  if (PyErr_Occurred()) return -1; /* a signal or the file object: the stream may go on */
  int is_end = status == FASTIO_END || status == FASTIO_OK;
  if (is_end && self->holds) return 0; /* there may be more the next time */
  if (!is_end) raise_error(state_of_self((PyObject *)self), status, &err, self->input.path);
  else is_end = input_finish(&self->input) == 0;
  stream_release(self);
  return is_end ? 0 : -1;
}

static PyObject *item(const Stream *self, size_t i) {
  const fastio_bytes *line = &self->batch.lines[i];
  switch (self->kind) {
    case STRS:
      if (self->is_ascii) return new_ascii(line->data, (Py_ssize_t)line->size);
      return new_str(line->data, (Py_ssize_t)line->size);
    case BYTES: return PyBytes_FromStringAndSize(line->data, (Py_ssize_t)line->size);
    case INTS: return PyLong_FromLongLong(self->batch.ints[i]);
    case UINTS: return PyLong_FromUnsignedLongLong(self->batch.uints[i]);
    case FLOATS: return PyFloat_FromDouble(self->batch.floats[i]);
    default: return PyUnicode_DecodeUTF8(line->data, (Py_ssize_t)line->size, self->errors);
  }
}

NOINLINE static PyObject *next_guarded(Stream *self) {
  PyObject *result = NULL;
  if (busy_enter(&self->busy, "the iterator") < 0) return NULL;
  if (self->next < self->count || refill(self) > 0) result = item(self, self->next++);
  busy_give(&self->busy);
  return result;
}

static PyObject *stream_next(PyObject *op) {
  Stream *self = (Stream *)op;
#ifndef Py_GIL_DISABLED
  /* Under the GIL the guard is only for what may let go of it: reading (which empties the batch first), and the error
   * handlers of decoding, which are Python code. */
  if (self->next < self->count && self->kind != DECODED) return item(self, self->next++);
#endif
  return next_guarded(self);
}

/* What is at hand, at least one item, as a list: for those that can't wait for each. An empty one is the end. */
static PyObject *stream_batch(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  Stream *self = (Stream *)op;
  if (busy_enter(&self->busy, "the iterator") < 0) return NULL;
  PyObject *list = PyList_New(0);
  int more = list == NULL ? -1 : self->next < self->count ? 1 : refill(self);
  if (more < 0) Py_CLEAR(list);
  while (list != NULL && self->next < self->count) {
    PyObject *value = item(self, self->next++);
    if (value == NULL || PyList_Append(list, value) < 0) Py_CLEAR(list);
    Py_XDECREF(value);
  }
  busy_give(&self->busy);
  return list;
}

static PyObject *get_decode_errors(PyObject *op, void *Py_UNUSED(closure)) {
  Stream *self = (Stream *)op;
  if (busy_enter(&self->busy, "the iterator") < 0) return NULL;
  uint64_t count = input_decode_errors(&self->input);
  busy_give(&self->busy);
  return PyLong_FromUnsignedLongLong(count);
}

/* ---- the type ---------------------------------------------------------------------------------------------------- */

static PyMethodDef stream_methods[] = {
    {"close", stream_close, METH_NOARGS,
     PyDoc_STR("close($self, /)\n--\n\nLets go of the source; the iterator is at its end.")},
    {"_batch", stream_batch, METH_NOARGS,
     PyDoc_STR(
         "_batch($self, /)\n--\n\nWhat can be had without waiting, at least one item, as a list; [] at the end.")},
    {"__enter__", stream_enter, METH_NOARGS, PyDoc_STR("__enter__($self, /)\n--\n\nThe iterator itself.")},
    {"__exit__", FUNCTION(stream_exit), METH_FASTCALL, PyDoc_STR("__exit__($self, /, *exc_info)\n--\n\nCloses it.")},
    {"__reduce__", refuse_pickle, METH_NOARGS,
     PyDoc_STR("__reduce__($self, /)\n--\n\nRaises TypeError: not to be pickled.")},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef stream_getset[] = {
    {"decode_errors", get_decode_errors, NULL, decode_errors_doc, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef stream_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Stream, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot stream_slots[] = {
    {Py_tp_doc, (void *)stream_doc},   {Py_tp_dealloc, stream_dealloc},
    {Py_tp_traverse, stream_traverse}, {Py_tp_clear, stream_clear},
    {Py_tp_iter, PyObject_SelfIter},   {Py_tp_iternext, stream_next},
    {Py_tp_methods, stream_methods},   {Py_tp_members, stream_members},
    {Py_tp_getset, stream_getset},     {0, NULL},
};

PyType_Spec stream_spec = {
    .name = "fastio._core.Stream",
    .basicsize = sizeof(Stream),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = stream_slots,
};

/* ---- the functions ----------------------------------------------------------------------------------------------- */

/* Created closed, then opened. */
static Stream *stream_make(State *state, Kind kind, const char *errors) {
  Stream *self = PyObject_GC_New(Stream, state->Stream);
  if (self == NULL) return NULL;
  memset(&self->input, 0, sizeof self->input);
  self->reader = NULL;
  self->kind = kind;
  self->busy = 0;
  self->is_ascii = 0;
  self->is_first = 1;
  self->holds = 0;
  self->errors = NULL;
  self->next = self->count = 0;
  self->weakrefs = NULL;
  if (errors != NULL) {
    self->errors = PyMem_Malloc(strlen(errors) + 1);
    if (self->errors == NULL) {
      Py_DECREF(self);
      PyErr_NoMemory();
      return NULL;
    }
    strcpy(self->errors, errors);
  }
  return self;
}

static PyObject *stream_open(State *state, Kind kind, Options *options) {
  fastio_error err;
  Stream *self = stream_make(state, kind, options->errors);
  if (self == NULL) return NULL;
  if (input_open(state, &self->input, options->source, &options->decode) < 0) {
    Py_DECREF(self);
    return NULL;
  }
  self->holds = options->read.partial == FASTIO_PARTIAL_HOLD;
  options->read.poll = gil_poll;
  options->read.poll_ctx = &self->input.gil;
  self->is_first = options->read.offset == 0 && options->read.skip_lines == 0;
  fastio_error_init(&err);
  fastio_status status = fastio_reader_open(self->input.source, &options->read, &self->reader, &err);
  if (status != FASTIO_OK) {
    raise_error(state, status, &err, self->input.path);
    Py_DECREF(self);
    return NULL;
  }
  PyObject_GC_Track(self);
  return (PyObject *)self;
}

#define PARTS                                                                                                     \
  (BIT(KW_SOURCE) | BIT(KW_OFFSET) | BIT(KW_LENGTH) | BIT(KW_BLOCK_SIZE) | BIT(KW_SKIP_LINES) | BIT(KW_PARTIAL) | \
   DECODE_WORDS)
#define SOURCE_DOC                                                                                                    \
  "source: a path (str or os.PathLike; \"-\" is standard input), the data itself (bytes-like), a file descriptor, a " \
  "binary\n"                                                                                                          \
  "    file object (readinto or read), or a MappedFile.\n"
#define PARTS_DOC                                                                                         \
  "offset, length: the range of bytes to read; an item belongs to the range that holds its first byte.\n" \
  "block_size: the size of the buffer in bytes; never changes the result.\n"

const char lines_doc[] =
    "lines($module, /, source, *, newline='lf', keepends=False, skip_lines=0, offset=0, length=None, "
    "block_size=None, " DECODE_SIGNATURE ", partial='emit')\n--\n\n"
    "An iterator over the lines of a source: str, with encoding=None bytes.\n\n" SOURCE_DOC DECODE_DOC
    "    Of UTF-8 also any other handler of Python's (\"surrogateescape\", ...).\n" PARTIAL_DOC
    "    \"hold\": go on with the same iterator.\n"
    "newline: \"lf\" (and one \\r before it is stripped), \"any\" (\\n, \\r\\n, \\r), or one byte. keepends: leave it "
    "on.\n"
    "skip_lines: lines to skip at the start.\n" PARTS_DOC
    "Raises DecodeError or an OSError, after the lines before it.";

PyObject *stream_lines(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const Signature signature = {"lines", PARTS | BIT(KW_NEWLINE) | BIT(KW_KEEPENDS), .second = KW_COUNT,
                                      .handlers = 1};
  State *state = state_of(module);
  Options options;
  PyObject *result = NULL;
  if (options_parse(state, &signature, args, nargs, kwnames, &options) == 0) {
    Kind kind = options.as_bytes ? BYTES : options.errors != NULL ? DECODED : STRS;
    result = stream_open(state, kind, &options);
  }
  options_clear(&options);
  return result;
}

#define NUMBERS (PARTS | BIT(KW_SEP) | BIT(KW_COMMENT))
#define NUMBERS_DOC                                                                                              \
  "sep: None for runs of white space, or one byte; then newlines separate too and an empty field is an error.\n" \
  "comment: a byte that starts a comment up to the end of the line. skip_lines: lines to skip at the start.\n"

const char ints_doc[] =
    "ints($module, /, source, *, dtype='int64', sep=None, comment=None, skip_lines=0, base=10, offset=0, length=None, "
    "block_size=None, " DECODE_SIGNATURE ", partial='emit')\n--\n\n"
    "An iterator over the integers of a source.\n\n" SOURCE_DOC
    "dtype: \"int64\" or \"uint64\", the range that they must lie in.\n" NUMBERS_DOC
    "base: 2 to 36.\n" PARTS_DOC DECODE_DOC PARTIAL_DOC
    "Raises ParseError, RangeError or an OSError, after the integers before it. read_ints is several times as fast.";

PyObject *stream_ints(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const Signature signature = {"ints", NUMBERS | BIT(KW_BASE) | BIT(KW_DTYPE), .second = KW_COUNT};
  State *state = state_of(module);
  Options options;
  PyObject *result = NULL;
  if (options_parse(state, &signature, args, nargs, kwnames, &options) == 0) {
    fastio_type type = options.read.type;
    if (type == 0 || type == FASTIO_INT64 || type == FASTIO_UINT64) {
      result = stream_open(state, type == FASTIO_UINT64 ? UINTS : INTS, &options);
    } else {
      PyErr_Format(PyExc_ValueError, "ints() gives int64 or uint64, not %s", fastio_type_name(type));
    }
  }
  options_clear(&options);
  return result;
}

const char floats_doc[] =
    "floats($module, /, source, *, sep=None, comment=None, skip_lines=0, overflow='ieee', offset=0, length=None, "
    "block_size=None, " DECODE_SIGNATURE ", partial='emit')\n--\n\n"
    "An iterator over the floating-point numbers of a source, correctly rounded.\n\n" SOURCE_DOC NUMBERS_DOC
    "overflow: \"ieee\" rounds what is too large to infinity, \"error\" makes it a RangeError.\n" PARTS_DOC DECODE_DOC
        PARTIAL_DOC
    "Raises ParseError, RangeError or an OSError, after the numbers before it. read_floats is several times as fast.";

PyObject *stream_floats(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const Signature signature = {"floats", NUMBERS | BIT(KW_OVERFLOW), .second = KW_COUNT};
  State *state = state_of(module);
  Options options;
  PyObject *result = NULL;
  if (options_parse(state, &signature, args, nargs, kwnames, &options) == 0)
    result = stream_open(state, FLOATS, &options);
  options_clear(&options);
  return result;
}
