/* Whole sources at once: columns, lines, counts, bytes. */
#include "py.h"

/* A call in progress: options, the open input and the outcome. */
typedef struct Call {
  Options options;
  Input input;
  fastio_error err;
  fastio_status status;
} Call;

typedef fastio_status Reader_function(fastio_source *, const fastio_read_options *, fastio_column **, fastio_error *);

static int call_open(State *state, Call *call, const Signature *signature, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames) {
  memset(&call->input, 0, sizeof call->input);
  fastio_error_init(&call->err);
  int failed = options_parse(state, signature, args, nargs, kwnames, &call->options) < 0 ||
               input_open(state, &call->input, call->options.source) < 0 ||
               gil_set_progress(&call->input.gil, call->options.progress, "B") < 0;
  if (failed) {
    input_close(&call->input);
    options_clear(&call->options);
    return -1;
  }
  call->options.read.poll = gil_poll;
  call->options.read.poll_ctx = &call->input.gil;
  return 0;
}

/* 0, or -1 with the exception of the outcome. */
static int call_close(State *state, Call *call) {
  if (call->status != FASTIO_OK) raise_error(state, call->status, &call->err, call->input.path);
  input_close(&call->input);
  options_clear(&call->options);
  /* A callback's exception counts even if the core has ended well. */
  return call->status != FASTIO_OK || PyErr_Occurred() ? -1 : 0;
}

/* shape=(0, k) is something that the core's options can't ask for. */
static void check_empty(Call *call, const fastio_column *column) {
  if (!call->options.has_rows || call->options.read.rows != 0 || column->length == 0) return;
  call->status = call->err.status = FASTIO_BAD_SHAPE;
}

static const fastio_column *call_run(State *state, Call *call, Reader_function *function) {
  fastio_column *column = NULL;
  gil_release(&call->input.gil);
  call->status = function(call->input.source, &call->options.read, &column, &call->err);
  gil_take(&call->input.gil);
  if (call->status == FASTIO_OK) check_empty(call, column);
  if (call_close(state, call) == 0) return column;
  fastio_column_free(column);
  return NULL;
}

#define SOURCE_PARTS \
  (BIT(KW_SOURCE) | BIT(KW_OFFSET) | BIT(KW_LENGTH) | BIT(KW_THREADS) | BIT(KW_PROGRESS) | BIT(KW_BLOCK_SIZE))
#define NUMBER_WORDS                                                                                         \
  (SOURCE_PARTS | BIT(KW_DTYPE) | BIT(KW_SEP) | BIT(KW_COMMENT) | BIT(KW_SKIP_LINES) | BIT(KW_NULL_VALUES) | \
   BIT(KW_SHAPE) | BIT(KW_MAX_ITEMS))

#define SOURCE_DOC                                                                                                    \
  "source: a path (str or os.PathLike; \"-\" is standard input), the data itself (bytes-like), a file descriptor, a " \
  "binary\n"                                                                                                          \
  "    file object (readinto or read), or a MappedFile.\n"
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
    "shape=None, offset=0, length=None, max_items=None, threads=None, progress=None, block_size=None)\n--\n\n"
    "All integers of a source, as a Column.\n\n" SOURCE_DOC
    "dtype: \"int8\" to \"int64\", \"uint8\" to \"uint64\", or NumPy's dtype of that name.\n" NUMBERS_DOC
    "base: 2 to 36. shape: (n,) demands n integers, (n, k) n rows of k, (-1, k) rows of k.\n" PARTS_DOC RUN_DOC
        ERRORS_DOC;

static const char read_floats_doc[] =
    "read_floats($module, /, source, dtype='float64', *, sep=None, comment=None, skip_lines=0, null_values=(), "
    "overflow='ieee', shape=None, offset=0, length=None, max_items=None, threads=None, progress=None, "
    "block_size=None)\n"
    "--\n\n"
    "All floating-point numbers of a source, correctly rounded, as a Column.\n\n" SOURCE_DOC
    "dtype: \"float64\" or \"float32\", or NumPy's dtype of that name.\n" NUMBERS_DOC
    "overflow: \"ieee\" rounds what is too large to infinity, \"error\" makes it a RangeError.\n"
    "shape: (n,) demands n numbers, (n, k) n rows of k, (-1, k) rows of k.\n" PARTS_DOC RUN_DOC ERRORS_DOC;

static PyObject *read_numbers(PyObject *module, const Signature *signature, Reader_function *function,
                              PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  State *state = state_of(module);
  Call call;
  if (call_open(state, &call, signature, args, nargs, kwnames) < 0) return NULL;
  int ndim = call.options.is_matrix ? 2 : 1;
  const fastio_column *column = call_run(state, &call, function);
  return column == NULL ? NULL : view_new(state->Column, column, ndim);
}

static PyObject *read_ints(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const Signature signature = {"read_ints", NUMBER_WORDS | BIT(KW_BASE), KW_DTYPE};
  return read_numbers(module, &signature, fastio_read_ints, args, nargs, kwnames);
}

static PyObject *read_floats(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const Signature signature = {"read_floats", NUMBER_WORDS | BIT(KW_OVERFLOW), KW_DTYPE};
  return read_numbers(module, &signature, fastio_read_floats, args, nargs, kwnames);
}

/* ---- lines and bytes --------------------------------------------------------------------------------------------- */

static const char read_lines_doc[] =
    "read_lines($module, /, source, *, encoding='utf-8', newline='lf', keepends=False, skip_lines=0, offset=0, "
    "length=None, "
    "max_items=None, threads=None, progress=None, block_size=None)\n--\n\n"
    "All lines of a source, as a lazy sequence (Lines).\n\n" SOURCE_DOC
    "encoding: \"utf-8\" (checked; a byte order mark at the start is skipped) for str, None for bytes as they are.\n"
    "newline: \"lf\" (and one \\r before it is stripped), \"any\" (\\n, \\r\\n, \\r), or one byte. keepends: leave it "
    "on.\n"
    "skip_lines: lines to skip at the start.\n" PARTS_DOC RUN_DOC
    "Raises DecodeError, TruncatedError (see Error for what they tell), or an OSError.";

static PyObject *read_lines(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const Signature signature = {"read_lines",
                                      SOURCE_PARTS | BIT(KW_ENCODING) | BIT(KW_NEWLINE) | BIT(KW_KEEPENDS) |
                                          BIT(KW_SKIP_LINES) | BIT(KW_MAX_ITEMS),
                                      KW_COUNT};
  State *state = state_of(module);
  Call call;
  if (call_open(state, &call, &signature, args, nargs, kwnames) < 0) return NULL;
  const fastio_column *column = call_run(state, &call, fastio_read_lines);
  return column == NULL ? NULL : view_new(state->Lines, column, 1);
}

static const char read_bytes_doc[] =
    "read_bytes($module, /, source, *, offset=0, length=None, threads=None, progress=None, block_size=None)\n--\n\n"
    "The whole source in one block of memory, as a Column of uint8: a bytes-like object.\n\n" SOURCE_DOC
    "offset, length: the range of bytes to read.\n" RUN_DOC
    "bytes(column), memoryview(column) and numpy.asarray(column) are ways to go on.\n"
    "Raises TruncatedError or an OSError.";

static PyObject *read_bytes(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const Signature signature = {"read_bytes", SOURCE_PARTS, KW_COUNT};
  State *state = state_of(module);
  Call call;
  if (call_open(state, &call, &signature, args, nargs, kwnames) < 0) return NULL;
  const fastio_column *column = call_run(state, &call, fastio_read_all);
  return column == NULL ? NULL : view_new(state->Column, column, 1);
}

static const char count_lines_doc[] =
    "count_lines($module, /, source, *, newline='lf', skip_lines=0, offset=0, length=None, max_items=None, "
    "threads=None, "
    "progress=None, block_size=None)\n--\n\n"
    "How many lines the source has; a last one without a newline counts.\n\n" SOURCE_DOC
    "newline: \"lf\", \"any\" (\\n, \\r\\n, \\r), or one byte. skip_lines: lines to skip at the start.\n" PARTS_DOC
        RUN_DOC "Raises TruncatedError or an OSError.";

static PyObject *count_lines(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const Signature signature = {
      "count_lines", SOURCE_PARTS | BIT(KW_NEWLINE) | BIT(KW_SKIP_LINES) | BIT(KW_MAX_ITEMS), KW_COUNT};
  State *state = state_of(module);
  Call call;
  uint64_t count = 0;
  if (call_open(state, &call, &signature, args, nargs, kwnames) < 0) return NULL;
  gil_release(&call.input.gil);
  call.status = fastio_count_lines(call.input.source, &call.options.read, &count, &call.err);
  gil_take(&call.input.gil);
  return call_close(state, &call) < 0 ? NULL : PyLong_FromUnsignedLongLong(count);
}

/* Seen from here, so that a test can tell that the generated cpu_select reaches these readers. */
static PyObject *cpu_selected(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(ignored)) {
  return PyUnicode_FromString(fastio_cpu_selected());
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
    {"_cpu_selected", cpu_selected, METH_NOARGS, "The name of the kernels that this module's readers use."},
    {"_rebuild", rebuild, METH_VARARGS, "What pickles of columns and lines call."},
    {NULL, NULL, 0, NULL},
};

int add_read_functions(PyObject *module) { return PyModule_AddFunctions(module, read_functions); }
