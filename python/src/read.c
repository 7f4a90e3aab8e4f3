/* Whole sources at once: columns, lines, counts, bytes. */
#include "py.h"

/* A call in progress: options, the open input and the outcome. */
typedef struct Call {
  Options options;
  PyObject *items; /* of several sources; else NULL */
  Input input;     /* what is read; of several sources it is only what the progress hangs on */
  uint64_t decode_errors;
  fastio_error err;
  fastio_status status;
} Call;

typedef fastio_status Reader_function(fastio_source *, const fastio_read_options *, fastio_column **, fastio_error *);

static void call_release(Call *call) {
  input_close(&call->input);
  Py_CLEAR(call->items);
  options_clear(&call->options);
}

/* A part of several sources would be no part of any. */
static int check_parts(const Call *call) {
  if (call->options.read.offset == 0 && call->options.read.length == FASTIO_NO_OFFSET) return 0;
  PyErr_SetString(PyExc_ValueError, "offset and length are those of one source, not of several");
  return -1;
}

static int call_open(State *state, Call *call, const Signature *signature, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames, int takes_several) {
  memset(&call->input, 0, sizeof call->input);
  call->items = NULL;
  call->decode_errors = 0;
  fastio_error_init(&call->err);
  call->status = FASTIO_OK;
  int failed = options_parse(state, signature, args, nargs, kwnames, &call->options) < 0 ||
               (takes_several && sources_from_object(call->options.source, &call->items) < 0);
  if (!failed && call->items != NULL) failed = check_parts(call) < 0;
  else if (!failed) failed = input_open(state, &call->input, call->options.source, &call->options.decode) < 0;
  if (failed || gil_set_progress(&call->input.gil, call->options.progress, "B") < 0) {
    call_release(call);
    return -1;
  }
  if (call->items != NULL && call->options.progress != NULL) call->input.gil.whole = sources_size(call->items);
  call->options.read.poll = gil_poll;
  call->options.read.poll_ctx = &call->input.gil;
  return 0;
}

/* 0, or -1 with the exception of the outcome of reading `input`. */
static int check_outcome(State *state, Call *call, Input *input) {
  call->decode_errors += input_decode_errors(input);
  if (call->status != FASTIO_OK) raise_error(state, call->status, &call->err, input->path);
  else if (input_finish(input) < 0) return -1;
  /* A callback's exception counts even if the core has ended well. */
  return call->status != FASTIO_OK || PyErr_Occurred() ? -1 : 0;
}

static int call_close(State *state, Call *call) {
  int failed = call->items != NULL ? call->status != FASTIO_OK || PyErr_Occurred()
                                   : check_outcome(state, call, &call->input) < 0;
  call_release(call);
  return failed ? -1 : 0;
}

/* shape=(0, k) is something that the core's options can't ask for. */
static void check_empty(Call *call, const fastio_column *column) {
  if (!call->options.has_rows || call->options.read.rows != 0 || column->length == 0) return;
  call->status = call->err.status = FASTIO_BAD_SHAPE;
}

static const fastio_column *run_one(State *state, Call *call, Reader_function *function) {
  fastio_column *column = NULL;
  gil_release(&call->input.gil);
  call->status = function(call->input.source, &call->options.read, &column, &call->err);
  gil_take(&call->input.gil);
  if (call->status == FASTIO_OK) check_empty(call, column);
  if (call_close(state, call) == 0) return column;
  fastio_column_free(column);
  return NULL;
}

/* ---- several sources, one after the other ------------------------------------------------------------------------ */

/* One of them into *column, or as their number into *count. 0, or -1 with an exception. */
static int run_item(State *state, Call *call, size_t i, Reader_function *function, fastio_column **column,
                    uint64_t *count) {
  Input input;
  Gil *gil = &call->input.gil;
  if (input_open(state, &input, PyTuple_GET_ITEM(call->items, (Py_ssize_t)i), &call->options.decode) < 0) return -1;
  input.gil.outer = gil;
  uint64_t size = gil->whole == 0 ? 0 : fastio_source_size(input.source);
  gil_release(gil);
  if (function != NULL) call->status = function(input.source, &call->options.read, column, &call->err);
  else call->status = fastio_count_lines(input.source, &call->options.read, count, &call->err);
  gil_take(gil);
  if (call->status != FASTIO_OK) call->err.source = i + 1;
  if (size != FASTIO_NO_OFFSET) gil->before += size;
  int result = check_outcome(state, call, &input);
  input_close(&input);
  return result;
}

static void release_base(void *ctx) { fastio_column_free(ctx); }

/* The column as the matrix that was asked for; takes over its reference. */
static const fastio_column *shaped(State *state, Call *call, fastio_column *column, uint64_t rows, uint64_t items) {
  fastio_column view = *column, *matrix = NULL;
  if (items == 0) return column;
  int fits = column->length % items == 0 && (!call->options.has_rows || column->length / items == rows);
  call->status = fits ? FASTIO_OK : FASTIO_BAD_SHAPE;
  view.row_items = call->options.is_matrix ? items : 0;
  if (fits) call->status = fastio_column_new(&view, release_base, column, NULL, &matrix, &call->err);
  else fastio_column_free(column);
  if (call->status == FASTIO_OK) return matrix;
  raise_error(state, call->status, &call->err, NULL);
  return NULL;
}

/* Reads until all are read, or as many items as there may be. The columns are the caller's also on failure. */
static int read_columns(State *state, Call *call, Reader_function *function, fastio_column **columns, size_t *count) {
  size_t total = (size_t)PyTuple_GET_SIZE(call->items);
  uint64_t *left = &call->options.read.max_items;
  for (*count = 0; *count < total; ++*count) {
    if (*count > 0 && *left == 0) return 0;
    if (run_item(state, call, *count, function, &columns[*count], NULL) < 0) return -1;
    if (*left != FASTIO_NO_OFFSET) *left -= MIN(*left, columns[*count]->length);
  }
  return 0;
}

static const fastio_column *run_several(State *state, Call *call, Reader_function *function) {
  fastio_column **columns = PyMem_Calloc((size_t)PyTuple_GET_SIZE(call->items), sizeof *columns), *all = NULL;
  uint64_t rows = call->options.read.rows, items = call->options.read.row_items;
  size_t count = 0;
  call->options.read.rows = call->options.read.row_items = 0; /* of all of them, not of each */
  if (columns == NULL) PyErr_NoMemory();
  else if (read_columns(state, call, function, columns, &count) == 0) {
    gil_release(&call->input.gil);
    call->status = fastio_column_concat((const fastio_column *const *)columns, count, NULL, &all, &call->err);
    gil_take(&call->input.gil);
    if (call->status != FASTIO_OK) raise_error(state, call->status, &call->err, NULL);
  }
  for (size_t i = 0; i < count; ++i) fastio_column_free(columns[i]);
  PyMem_Free(columns);
  const fastio_column *result = all == NULL ? NULL : shaped(state, call, all, rows, items);
  if (call_close(state, call) == 0) return result;
  if (result != NULL) fastio_column_free(result);
  return NULL;
}

/* What the call reads as an object of the type. */
static PyObject *call_run(State *state, Call *call, Reader_function *function, PyTypeObject *type) {
  int ndim = call->options.is_matrix ? 2 : 1;
  const fastio_column *column = call->items != NULL ? run_several(state, call, function)
                                                    : run_one(state, call, function);
  PyObject *view = column == NULL ? NULL : view_new(type, column, ndim);
  if (view != NULL) ((View *)view)->decode_errors = call->decode_errors;
  return view;
}

#define SOURCE_PARTS                                                                                            \
  (BIT(KW_SOURCE) | BIT(KW_OFFSET) | BIT(KW_LENGTH) | BIT(KW_THREADS) | BIT(KW_PROGRESS) | BIT(KW_BLOCK_SIZE) | \
   DECODE_WORDS)
#define NUMBER_WORDS                                                                                         \
  (SOURCE_PARTS | BIT(KW_DTYPE) | BIT(KW_SEP) | BIT(KW_COMMENT) | BIT(KW_SKIP_LINES) | BIT(KW_NULL_VALUES) | \
   BIT(KW_SHAPE) | BIT(KW_MAX_ITEMS) | BIT(KW_PARTIAL))

#define SOURCE_DOC                                                                                                    \
  "source: a path (str or os.PathLike; \"-\" is standard input), the data itself (bytes-like), a file descriptor, a " \
  "binary\n"                                                                                                          \
  "    file object (readinto or read), or a MappedFile"
#define ONE_DOC ".\n"
#define SEVERAL_DOC "; or a list of them, which are read one after the other.\n"
#define NUMBERS_DOC                                                                                              \
  "sep: None for runs of white space, or one byte; then newlines separate too and an empty field is an error.\n" \
  "comment: a byte that starts a comment up to the end of the line. skip_lines: lines to skip at the start.\n"   \
  "null_values: texts that stand for a missing value.\n"
#define PARTS_DOC                                                                                         \
  "offset, length: the range of bytes to read; an item belongs to the range that holds its first byte.\n" \
  "max_items: stop after that many, without looking at what follows.\n"
#define RUN_DOC                                                                                                       \
  "threads: None for the environment variable FASTIO_THREADS, else every usable core (one for small inputs).\n"       \
  "progress: True for a bar (rich, tqdm, or a plain line on standard error), or a callable(done, total) in bytes\n"   \
  "    (total None if not known); what it raises ends the reading. block_size: bytes read at a time; never changes\n" \
  "    the result.\n"
#define ERRORS_DOC "Raises ParseError, RangeError, TruncatedError (see Error for what they tell), or an OSError."

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static const char read_ints_doc[] =
    "read_ints($module, /, source, dtype='int64', *, sep=None, comment=None, skip_lines=0, null_values=(), base=10, "
    "shape=None, offset=0, length=None, max_items=None, " DECODE_SIGNATURE
    ", partial='emit', threads=None, progress=None, block_size=None)\n--\n\n"
    "All integers of a source, as a Column.\n\n" SOURCE_DOC SEVERAL_DOC
    "dtype: \"int8\" to \"int64\", \"uint8\" to \"uint64\", or NumPy's dtype of that name.\n" NUMBERS_DOC
    "base: 2 to 36. shape: (n,) demands n integers, (n, k) n rows of k, (-1, k) rows of k.\n" PARTS_DOC DECODE_DOC
        PARTIAL_DOC RUN_DOC ERRORS_DOC;

static const char read_floats_doc[] =
    "read_floats($module, /, source, dtype='float64', *, sep=None, comment=None, skip_lines=0, null_values=(), "
    "overflow='ieee', shape=None, offset=0, length=None, max_items=None, " DECODE_SIGNATURE
    ", partial='emit', threads=None, progress=None, block_size=None)\n--\n\n"
    "All floating-point numbers of a source, correctly rounded, as a Column.\n\n" SOURCE_DOC SEVERAL_DOC
    "dtype: \"float64\" or \"float32\", or NumPy's dtype of that name.\n" NUMBERS_DOC
    "overflow: \"ieee\" rounds what is too large to infinity, \"error\" makes it a RangeError.\n"
    "shape: (n,) demands n numbers, (n, k) n rows of k, (-1, k) rows of k.\n" PARTS_DOC DECODE_DOC PARTIAL_DOC RUN_DOC
        ERRORS_DOC;

static PyObject *read_numbers(PyObject *module, const Signature *signature, Reader_function *function,
                              PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  State *state = state_of(module);
  Call call;
  if (call_open(state, &call, signature, args, nargs, kwnames, 1) < 0) return NULL;
  return call_run(state, &call, function, state->Column);
}

static PyObject *read_ints(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const Signature signature = {"read_ints", NUMBER_WORDS | BIT(KW_BASE), .second = KW_DTYPE};
  return read_numbers(module, &signature, fastio_read_ints, args, nargs, kwnames);
}

static PyObject *read_floats(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const Signature signature = {"read_floats", NUMBER_WORDS | BIT(KW_OVERFLOW), .second = KW_DTYPE};
  return read_numbers(module, &signature, fastio_read_floats, args, nargs, kwnames);
}

/* ---- lines and bytes --------------------------------------------------------------------------------------------- */

static const char read_lines_doc[] =
    "read_lines($module, /, source, *, newline='lf', keepends=False, skip_lines=0, offset=0, length=None, "
    "max_items=None, " DECODE_SIGNATURE ", partial='emit', threads=None, progress=None, block_size=None)\n--\n\n"
    "All lines of a source, as a lazy sequence (Lines): of str, with encoding=None of bytes.\n\n" SOURCE_DOC SEVERAL_DOC
    "newline: \"lf\" (and one \\r before it is stripped), \"any\" (\\n, \\r\\n, \\r), or one byte. keepends: leave it "
    "on.\n"
    "skip_lines: lines to skip at the start.\n" PARTS_DOC DECODE_DOC PARTIAL_DOC RUN_DOC
    "Raises DecodeError, TruncatedError (see Error for what they tell), or an OSError.";

static PyObject *read_lines(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const Signature signature = {"read_lines",
                                      SOURCE_PARTS | BIT(KW_NEWLINE) | BIT(KW_KEEPENDS) | BIT(KW_SKIP_LINES) |
                                          BIT(KW_MAX_ITEMS) | BIT(KW_PARTIAL),
                                      .second = KW_COUNT};
  State *state = state_of(module);
  Call call;
  if (call_open(state, &call, &signature, args, nargs, kwnames, 1) < 0) return NULL;
  return call_run(state, &call, fastio_read_lines, state->Lines);
}

static const char read_bytes_doc[] =
    "read_bytes($module, /, source, *, offset=0, length=None, compression='auto', encoding=None, errors='strict', "
    "trailing='error', max_size=None, threads=None, progress=None, block_size=None)\n--\n\n"
    "The whole source in one block of memory, as a Column of uint8: a bytes-like object.\n\n" SOURCE_DOC ONE_DOC
    "offset, length: the range of bytes to read.\n" DECODE_DOC "With an encoding the bytes are made UTF-8.\n" RUN_DOC
    "bytes(column), memoryview(column) and numpy.asarray(column) are ways to go on.\n"
    "Raises TruncatedError or an OSError.";

static PyObject *read_bytes(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const Signature signature = {"read_bytes", SOURCE_PARTS, .second = KW_COUNT, .bytes = 1};
  State *state = state_of(module);
  Call call;
  if (call_open(state, &call, &signature, args, nargs, kwnames, 0) < 0) return NULL;
  return call_run(state, &call, fastio_read_all, state->Column);
}

static const char count_lines_doc[] =
    "count_lines($module, /, source, *, newline='lf', skip_lines=0, offset=0, length=None, "
    "max_items=None, " DECODE_SIGNATURE ", partial='emit', threads=None, progress=None, block_size=None)\n--\n\n"
    "How many lines the source has; a last one without a newline counts.\n\n" SOURCE_DOC SEVERAL_DOC
    "newline: \"lf\", \"any\" (\\n, \\r\\n, \\r), or one byte. skip_lines: lines to skip at the start.\n" PARTS_DOC
        DECODE_DOC PARTIAL_DOC RUN_DOC "Raises TruncatedError or an OSError.";

/* An exception is set if it ends early. */
static void count_items(State *state, Call *call, uint64_t *total) {
  uint64_t *left = &call->options.read.max_items;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(call->items) && (i == 0 || *left != 0); ++i) {
    uint64_t count = 0;
    if (run_item(state, call, (size_t)i, NULL, NULL, &count) < 0) return;
    *total += count;
    if (*left != FASTIO_NO_OFFSET) *left -= MIN(*left, count);
  }
}

static PyObject *count_lines(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const Signature signature = {
      "count_lines", SOURCE_PARTS | BIT(KW_NEWLINE) | BIT(KW_SKIP_LINES) | BIT(KW_MAX_ITEMS) | BIT(KW_PARTIAL),
      .second = KW_COUNT};
  State *state = state_of(module);
  Call call;
  uint64_t count = 0;
  if (call_open(state, &call, &signature, args, nargs, kwnames, 1) < 0) return NULL;
  if (call.items != NULL) {
    count_items(state, &call, &count);
  } else {
    gil_release(&call.input.gil);
    call.status = fastio_count_lines(call.input.source, &call.options.read, &count, &call.err);
    gil_take(&call.input.gil);
  }
  return call_close(state, &call) < 0 ? NULL : PyLong_FromUnsignedLongLong(count);
}

/* Seen from here, so that a test can tell that the generated cpu_select reaches these readers. */
static PyObject *cpu_selected(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(ignored)) {
  return PyUnicode_FromString(fastio_cpu_selected());
}

/* ---- glob -------------------------------------------------------------------------------------------------------- */

static const char glob_doc[] =
    "glob($module, pattern, /)\n--\n\n"
    "The paths that match a pattern, sorted, as a list of str for the readers that take several sources.\n\n"
    "pattern: a path in which *, ? and [a-z] stand for characters of one component; hidden files only by a leading "
    "dot.\n"
    "Raises FileNotFoundError if there is none.";

static PyObject *paths_of(const fastio_column *column) {
  PyObject *list = PyList_New((Py_ssize_t)column->length);
  for (Py_ssize_t i = 0; list != NULL && i < PyList_GET_SIZE(list); ++i) {
    const char *text = (const char *)column->data + column->offsets[i];
    PyObject *path = PyUnicode_DecodeFSDefaultAndSize(text, (Py_ssize_t)(column->offsets[i + 1] - column->offsets[i]));
    if (path == NULL) Py_CLEAR(list);
    else PyList_SET_ITEM(list, i, path);
  }
  return list;
}

static PyObject *glob_paths(PyObject *module, PyObject *pattern) {
  State *state = state_of(module);
  fastio_column *column = NULL;
  fastio_error err;
  PyObject *bytes, *path = NULL;
  Gil gil = {0};
  if (!PyUnicode_FSConverter(pattern, &bytes)) return NULL;
  fastio_error_init(&err);
  gil_release(&gil);
  fastio_status status = fastio_glob(PyBytes_AS_STRING(bytes), NULL, &column, &err);
  gil_take(&gil);
  Py_DECREF(bytes);
  PyObject *list = status == FASTIO_OK ? paths_of(column) : NULL;
  if (status == FASTIO_OK) fastio_column_free(column);
  else if (PyUnicode_FSDecoder(pattern, &path)) raise_error(state, status, &err, path);
  Py_XDECREF(path);
  return list;
}

/* ---- the module's functions -------------------------------------------------------------------------------------- */

static const char load_doc[] =
    "load($module, /, source, *, offset=0, length=None, advice='sequential', populate=False, huge=False, "
    "guard=False)\n--\n\n"
    "A file as memory: a MappedFile, which is a read-only buffer and a live view of the file.\n\n"
    "source: a path or a file descriptor. What cannot be mapped (a pipe, /proc) is read into memory instead.\n"
    "offset, length: the part of the file, in bytes; past the end it is empty.\n"
    "advice: \"normal\", \"sequential\", \"random\" or \"willneed\". populate: fault all pages in now. huge: ask for "
    "huge pages.\n"
    "guard: if the file is truncated meanwhile, lost pages read as zeros and the next use raises TruncatedError; "
    "without it\n"
    "the process gets SIGBUS.";

static PyMethodDef read_functions[] = {
    {"read_ints", FUNCTION(read_ints), METH_FASTCALL | METH_KEYWORDS, read_ints_doc},
    {"read_floats", FUNCTION(read_floats), METH_FASTCALL | METH_KEYWORDS, read_floats_doc},
    {"read_lines", FUNCTION(read_lines), METH_FASTCALL | METH_KEYWORDS, read_lines_doc},
    {"read_bytes", FUNCTION(read_bytes), METH_FASTCALL | METH_KEYWORDS, read_bytes_doc},
    {"count_lines", FUNCTION(count_lines), METH_FASTCALL | METH_KEYWORDS, count_lines_doc},
    {"lines", FUNCTION(stream_lines), METH_FASTCALL | METH_KEYWORDS, lines_doc},
    {"ints", FUNCTION(stream_ints), METH_FASTCALL | METH_KEYWORDS, ints_doc},
    {"floats", FUNCTION(stream_floats), METH_FASTCALL | METH_KEYWORDS, floats_doc},
    {"open", FUNCTION(open_reader), METH_FASTCALL | METH_KEYWORDS, open_doc},
    {"load", FUNCTION(load), METH_VARARGS | METH_KEYWORDS, load_doc},
    {"glob", glob_paths, METH_O, glob_doc},
    {"_without", without_compressions, METH_VARARGS,
     "As if this build had not the named compressions (none: as it is): for tests."},
    {"_cpu_selected", cpu_selected, METH_NOARGS, "The name of the kernels that this module's readers use."},
    {"_rebuild", rebuild, METH_VARARGS, "What pickles of columns and lines call."},
    {NULL, NULL, 0, NULL},
};

int add_read_functions(PyObject *module) { return PyModule_AddFunctions(module, read_functions); }
