/* Whole tables: read_csv, sniff, partition. */
#include "py.h"

/* ---- ragged rows that a callable decides about ------------------------------------------------------------------- */

/* The fields as str; bytes that are no UTF-8 are kept as surrogates. */
static PyObject *fields_as_list(const fastio_bytes *fields, size_t count) {
  PyObject *list = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; list != NULL && i < count; ++i) {
    PyObject *field = PyUnicode_DecodeUTF8(fields[i].data, (Py_ssize_t)fields[i].size, "surrogateescape");
    if (field == NULL) Py_CLEAR(list);
    else PyList_SET_ITEM(list, (Py_ssize_t)i, field);
  }
  return list;
}

/* A list of `expected` bytes from what the callable returned, or NULL with an exception. */
static PyObject *answer_as_bytes(PyObject *answer, size_t expected) {
  if (PyUnicode_Check(answer) || PyBytes_Check(answer) || !PySequence_Check(answer)) {
    return PyErr_Format(PyExc_TypeError, "on_ragged must return a sequence of str or None, not %.100s",
                        Py_TYPE(answer)->tp_name);
  }
  PyObject *list = PySequence_List(answer);
  if (list == NULL) return NULL;
  if ((size_t)PyList_GET_SIZE(list) != expected) {
    PyErr_Format(PyExc_ValueError, "on_ragged must return %zu fields, not %zd", expected, PyList_GET_SIZE(list));
    Py_CLEAR(list);
  }
  for (size_t i = 0; list != NULL && i < expected; ++i) {
    PyObject *field = PyList_GET_ITEM(list, (Py_ssize_t)i), *bytes = NULL;
    if (PyUnicode_Check(field)) bytes = PyUnicode_AsEncodedString(field, "utf-8", "surrogateescape");
    else PyErr_Format(PyExc_TypeError, "on_ragged must return str, not %.100s", Py_TYPE(field)->tp_name);
    if (bytes == NULL) Py_CLEAR(list);
    else PyList_SetItem(list, (Py_ssize_t)i, bytes);
  }
  return list;
}

static int ask(Ragged *self, const fastio_bytes *fields, size_t count, size_t expected, const fastio_bytes **out) {
  PyObject *list = PyErr_Occurred() ? NULL : fields_as_list(fields, count);
  PyObject *answer = list == NULL ? NULL : PyObject_CallOneArg(self->callable, list);
  Py_XDECREF(list);
  if (answer == NULL || answer == Py_None) {
    int result = answer == NULL ? -1 : 0;
    Py_XDECREF(answer);
    return result;
  }
  Py_XSETREF(self->answer, answer_as_bytes(answer, expected));
  Py_DECREF(answer);
  if (self->answer == NULL) return -1;
  fastio_bytes *array = PyMem_Realloc(self->fields, MAX(expected, 1) * sizeof *array);
  if (array == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  self->fields = array;
  for (size_t i = 0; i < expected; ++i) {
    PyObject *bytes = PyList_GET_ITEM(self->answer, (Py_ssize_t)i);
    array[i] = (fastio_bytes){PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes)};
  }
  *out = array;
  return 1;
}

static int ragged_hook(void *ctx, const fastio_bytes *fields, size_t count, size_t expected, const fastio_bytes **out) {
  Ragged *self = ctx;
  Gil *entered = gil_enter(&self->input->gil);
  int result = ask(self, fields, count, expected, out);
  gil_leave(entered);
  return result;
}

void ragged_clear(Ragged *ragged) {
  Py_CLEAR(ragged->callable);
  Py_CLEAR(ragged->answer);
  PyMem_Free(ragged->fields);
  ragged->fields = NULL;
}

void csv_connect(CsvOptions *options, Input *input, Ragged *ragged) {
  ragged->input = input;
  ragged->callable = Py_XNewRef(options->on_ragged);
  options->csv.ragged = options->on_ragged == NULL ? NULL : ragged_hook;
  options->csv.ragged_ctx = ragged;
  options->csv.poll = gil_poll;
  options->csv.poll_ctx = &input->gil;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* A call in progress: options, the open input and the outcome. */
typedef struct Call {
  CsvOptions options;
  PyObject *items; /* of several sources; else NULL */
  Input input;     /* what is read; of several sources it is only what the progress hangs on */
  Ragged ragged;
  fastio_error err;
  fastio_status status;
} Call;

static void call_release(Call *call) {
  input_close(&call->input);
  Py_CLEAR(call->items);
  ragged_clear(&call->ragged);
  csv_options_clear(&call->options);
}

/* A source of its own, or with a column that names it the only one of several. */
static int find_sources(Call *call, int takes_several) {
  if (!takes_several || sources_from_object(call->options.source, &call->items) != 0) return PyErr_Occurred() ? -1 : 0;
  if (call->options.file_column == NULL) return 0;
  call->items = PyTuple_Pack(1, call->options.source);
  return call->items == NULL ? -1 : 0;
}

/* A range of several sources would be one of none. */
static int check_range(const Call *call) {
  if (call->options.csv.offset == 0 && call->options.csv.length == FASTIO_NO_OFFSET) return 0;
  PyErr_SetString(PyExc_ValueError, "range is one of one source, not of several");
  return -1;
}

static int call_open(State *state, Call *call, const Signature *signature, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames, int takes_several) {
  memset(&call->input, 0, sizeof call->input);
  memset(&call->ragged, 0, sizeof call->ragged);
  call->items = NULL;
  fastio_error_init(&call->err);
  call->status = FASTIO_OK;
  int failed = csv_options_parse(signature, args, nargs, kwnames, &call->options) < 0 ||
               find_sources(call, takes_several) < 0;
  if (!failed && call->items != NULL) failed = check_range(call) < 0;
  else if (!failed) failed = input_open(state, &call->input, call->options.source, &call->options.decode) < 0;
  if (!failed && gil_set_progress(&call->input.gil, call->options.progress, "B") == 0) {
    csv_connect(&call->options, &call->input, &call->ragged);
    return 0;
  }
  call_release(call);
  return -1;
}

/* 0, or -1 with the exception of the outcome; one of a callback counts even if the core has ended well. */
static int call_close(State *state, Call *call) {
  if (call->status != FASTIO_OK) raise_error(state, call->status, &call->err, call->input.path);
  else (void)input_finish(&call->input);
  call_release(call);
  return call->status != FASTIO_OK || PyErr_Occurred() ? -1 : 0;
}

#define SOURCE_DOC                                                                                                    \
  "source: a path (str or os.PathLike; \"-\" is standard input), the data itself (bytes-like), a file descriptor, a " \
  "binary\n"                                                                                                          \
  "    file object (readinto or read), or a MappedFile"
#define ONE_DOC ".\n"
#define SEVERAL_DOC "; or a list of them, each with the same columns, as one table.\n"
#define FILE_COLUMN_DOC "file_column: the name of a further, first column that has the path of each row's source.\n"
#define DIALECT_SIGNATURE                                                                                           \
  "sep=',', header=True, names=None, dtype=None, usecols=None, skip_lines=0, skip_rows=0, null_values=[''], "       \
  "quoted_null=False, quote='\"', quote_mode='strict', escape=None, doublequote=True, newline='lf', comment=None, " \
  "comment_anywhere=False, trim=False, trailing_sep='field', blank_lines='skip', widths=None, decimal='.', "        \
  "thousands=None, percent=False, unicode_minus=False, infer_rows=None, big_ints='string', overflow='ieee', "       \
  "repair_names=False, on_ragged='error', on_bad='error', dictionary=None, dialect=None, "
#define RUN_SIGNATURE DECODE_SIGNATURE ", threads=None, progress=None, block_size=None)\n--\n\n"
#define DIALECT_DOC                                                                                                    \
  "sep: one or more bytes; None for runs of blanks. widths: fields of fixed width instead, as ints or (start, end).\n" \
  "header: whether the first record names the columns. names: names in place of those. repair_names: mend empty and\n" \
  "    repeated ones.\n"                                                                                               \
  "dtype: one type for all columns, a list by position, or a dict of names, 0-based positions or patterns with * and " \
  "?.\n"                                                                                                               \
  "    Types that it does not give are inferred from all records (infer_rows: from so many; 0: strings).\n"            \
  "usecols: the names or positions of the columns wanted, in order. dictionary: True, or columns whose strings are\n"  \
  "    to be kept once each.\n"                                                                                        \
  "skip_lines: lines before the header. skip_rows: records behind it. blank_lines: \"skip\" or \"record\".\n"          \
  "null_values: texts that stand for a missing value, or a dict of column to texts; quoted_null: quoted ones too.\n"   \
  "quote, quote_mode (\"strict\", \"literal\"), escape, doublequote: how fields are quoted; quote=None: not at all.\n" \
  "newline: \"lf\" (and one \\r before it), \"any\" (\\n, \\r\\n, \\r), or one byte.\n"                                \
  "comment: a byte that starts a comment line; comment_anywhere: behind fields too.\n"                                 \
  "trim: blanks around unquoted fields do not count. trailing_sep: \"field\", or \"ignore\" one at a record's end.\n"  \
  "decimal, thousands, percent, unicode_minus: how numbers are written. big_ints: integers beyond 64 bits become\n"    \
  "    \"string\" or \"float\". overflow: \"ieee\" or \"error\".\n"                                                    \
  "on_ragged: \"error\", \"pad\", \"truncate\", \"fit\" (both), \"skip\", or a callable that gets the fields as a "    \
  "list\n"                                                                                                             \
  "    of str and returns as many as there are columns, or None to drop the record.\n"                                 \
  "on_bad: \"error\", \"null\", or \"string\" (the column becomes one of strings), for cells of the wrong type.\n"     \
  "dialect: a Dialect (of sniff) or another mapping of these words; those given here win.\n"
#define RUN_DOC                                                                                                      \
  DECODE_DOC                                                                                                         \
  "threads: None for the environment variable FASTIO_THREADS, else every usable core (one for small inputs).\n"      \
  "progress: True for a bar (rich, tqdm, or a plain line on standard error), or a callable(done, total) in bytes.\n" \
  "block_size: bytes read at a time. None of these three changes the result.\n"

/* ---- read_csv ---------------------------------------------------------------------------------------------------- */

static const char read_csv_doc[] =
    "read_csv($module, /, source, *, " DIALECT_SIGNATURE
    "max_rows=None, range=None, file_column=None, partial='emit', " RUN_SIGNATURE
    "Delimited text as a Table.\n\n" SOURCE_DOC SEVERAL_DOC DIALECT_DOC
    "max_rows: stop after so many records, without looking at what follows.\n"
    "range: a Range of partition, or any (offset, length): the records whose first byte lies in it.\n" FILE_COLUMN_DOC
        PARTIAL_DOC RUN_DOC
    "Raises ParseError, RangeError, DecodeError, TruncatedError (see Error for what they tell), or an OSError.";

static const Signature read_signature = {
    "read_csv", CSV_RUN | CSV_DIALECT | CSV_PART | BIT(KW_FILE_COLUMN) | BIT(KW_PARTIAL), .second = KW_COUNT};

/* The table of a call, or NULL with an exception. */
static fastio_table *run_read(State *state, Call *call, uint64_t *decode_errors) {
  fastio_table *table = NULL;
  gil_release(&call->input.gil);
  call->status = fastio_read_csv(call->input.source, &call->options.csv, &table, &call->err);
  gil_take(&call->input.gil);
  *decode_errors = input_decode_errors(&call->input);
  if (call_close(state, call) == 0) return table;
  if (call->status == FASTIO_OK) fastio_table_free(table);
  return NULL;
}

/* ---- several sources --------------------------------------------------------------------------------------------- */

/* All of them, open at once. */
typedef struct Several {
  size_t count, opened;
  Input *inputs;
  fastio_source **sources;
  fastio_bytes *labels;
  PyObject *texts; /* of the labels */
} Several;

static void several_close(Several *self) {
  for (size_t i = 0; i < self->opened; ++i) input_close(&self->inputs[i]);
  PyMem_Free(self->inputs);
  PyMem_Free(self->sources);
  PyMem_Free(self->labels);
  Py_XDECREF(self->texts);
}

static int several_add(State *state, Several *self, Call *call) {
  size_t i = self->opened;
  Input *input = &self->inputs[i];
  PyObject *item = PyTuple_GET_ITEM(call->items, (Py_ssize_t)i);
  if (input_open(state, input, item, &call->options.decode) < 0) return -1;
  input->gil.outer = &call->input.gil; /* which lets go of the GIL for all */
  self->sources[i] = input->source;
  ++self->opened;
  PyObject *label = source_label(input->path, i + 1);
  if (label == NULL) return -1;
  self->labels[i] = (fastio_bytes){PyBytes_AS_STRING(label), (size_t)PyBytes_GET_SIZE(label)};
  PyTuple_SET_ITEM(self->texts, (Py_ssize_t)i, label);
  return 0;
}

static int several_open(State *state, Several *self, Call *call) {
  memset(self, 0, sizeof *self);
  self->count = (size_t)PyTuple_GET_SIZE(call->items);
  self->inputs = PyMem_Calloc(self->count, sizeof *self->inputs);
  self->sources = PyMem_Calloc(self->count, sizeof *self->sources);
  self->labels = PyMem_Calloc(self->count, sizeof *self->labels);
  self->texts = PyTuple_New((Py_ssize_t)self->count);
  if (self->inputs == NULL || self->sources == NULL || self->labels == NULL || self->texts == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  while (self->opened < self->count) {
    if (several_add(state, self, call) < 0) return -1;
  }
  return 0;
}

/* The source at fault gives the path. */
static void several_outcome(State *state, const Several *self, const Call *call) {
  size_t number = call->err.source != 0 && call->err.source <= self->count ? (size_t)call->err.source : 0;
  if (call->status != FASTIO_OK)
    raise_error(state, call->status, &call->err, number == 0 ? NULL : self->inputs[number - 1].path);
  for (size_t i = 0; i < self->count && !PyErr_Occurred(); ++i) (void)input_finish(&self->inputs[i]);
}

static fastio_table *run_several(State *state, Call *call, uint64_t *decode_errors) {
  Several several;
  fastio_table *table = NULL;
  *decode_errors = 0;
  if (several_open(state, &several, call) == 0) {
    const char *name = call->options.file_column;
    gil_release(&call->input.gil);
    call->status = fastio_read_csv_many(several.sources, several.count, name == NULL ? NULL : several.labels, name,
                                        &call->options.csv, &table, &call->err);
    gil_take(&call->input.gil);
    for (size_t i = 0; i < several.count; ++i) *decode_errors += input_decode_errors(&several.inputs[i]);
    several_outcome(state, &several, call);
  }
  several_close(&several);
  call_release(call);
  if (!PyErr_Occurred()) return table;
  if (table != NULL) fastio_table_free(table);
  return NULL;
}

static PyObject *read_csv(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  State *state = state_of(module);
  Call call;
  uint64_t decode_errors;
  if (call_open(state, &call, &read_signature, args, nargs, kwnames, 1) < 0) return NULL;
  fastio_table *table = call.items == NULL ? run_read(state, &call, &decode_errors)
                                           : run_several(state, &call, &decode_errors);
  PyObject *result = table == NULL ? NULL : table_new(state, table);
  if (result != NULL && decode_errors != 0) table_set_decode_errors(result, decode_errors);
  return result;
}

/* For loadtxt: all columns are of one number type and become one column of two dimensions, whose memory the array made
 * of it may write; None if there are none. */
static PyObject *read_matrix(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  State *state = state_of(module);
  Call call;
  uint64_t decode_errors;
  if (call_open(state, &call, &read_signature, args, nargs, kwnames, 0) < 0) return NULL;
  call.options.csv.flags |= FASTIO_CSV_MATRIX;
  fastio_table *table = run_read(state, &call, &decode_errors);
  if (table == NULL) return NULL;
  if (table->column_count == 0) { /* an empty source */
    fastio_table_free(table);
    Py_RETURN_NONE;
  }
  const fastio_column *column = table->columns[0];
  fastio_column_retain(column);
  fastio_table_free(table);
  PyObject *view = view_new(state->Column, column, 2);
  if (view != NULL) ((View *)view)->is_lent = 1;
  return view;
}

const char open_csv_doc[] =
    "open_csv($module, /, source, *, batch_rows=None, batch_bytes=None, " DIALECT_SIGNATURE
    "max_rows=None, range=None, file_column=None, partial='emit', " RUN_SIGNATURE
    "A CsvReader of the source: an iterator of Tables, in bounded memory.\n\n"
    "batch_rows: at most so many rows a table. batch_bytes: the records that start within so many bytes; 16 MiB if\n"
    "    neither is given. Types are inferred from the first batch; a later cell that does not fit is an error.\n"
    "    The other words are those of read_csv.\n\n" SOURCE_DOC SEVERAL_DOC DIALECT_DOC
    "max_rows: stop after so many records, without looking at what follows.\n"
    "range: a Range of partition, or any (offset, length): the records whose first byte lies in it.\n" FILE_COLUMN_DOC
        PARTIAL_DOC RUN_DOC
    "Raises ParseError, RangeError, DecodeError, TruncatedError (see Error for what they tell), or an OSError.";

/* ---- partition --------------------------------------------------------------------------------------------------- */

static const char partition_doc[] =
    "partition($module, /, source, n=None, *, nbytes=None, " DIALECT_SIGNATURE RUN_SIGNATURE
    "Cuts a source into ranges that start at records: a list of Range, for read_csv(source, range=...).\n\n"
    "n: so many, of about equal size. nbytes: of about that size each (64 MiB if neither is given). Ranges are never\n"
    "    empty, so there may be fewer; the header is in none. They can be pickled.\n"
    "    The other words are those of read_csv; they must be the same there.\n\n" SOURCE_DOC ONE_DOC DIALECT_DOC RUN_DOC
    "Raises ParseError or an OSError.";

static PyObject *ranges_of(const fastio_column *column) {
  const uint64_t *pairs = column->data;
  Py_ssize_t count = (Py_ssize_t)(column->length / 2);
  PyObject *Range = table_helper("Range"), *list = Range == NULL ? NULL : PyList_New(count);
  for (Py_ssize_t i = 0; list != NULL && i < count; ++i) {
    PyObject *range = PyObject_CallFunction(Range, "KK", (unsigned long long)pairs[2 * i],
                                            (unsigned long long)pairs[2 * i + 1]);
    if (range == NULL) Py_CLEAR(list);
    else PyList_SET_ITEM(list, i, range);
  }
  Py_XDECREF(Range);
  return list;
}

static PyObject *partition(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const Signature signature = {"partition", CSV_RUN | CSV_DIALECT | BIT(KW_N) | BIT(KW_NBYTES), .second = KW_N};
  State *state = state_of(module);
  Call call;
  fastio_column *column = NULL;
  if (call_open(state, &call, &signature, args, nargs, kwnames, 0) < 0) return NULL;
  uint64_t parts = call.options.parts, bytes = call.options.bytes;
  if (parts == 0 && bytes == 0) bytes = UINT64_C(64) << 20;
  gil_release(&call.input.gil);
  call.status = fastio_partition(call.input.source, &call.options.csv, parts, bytes, &column, &call.err);
  gil_take(&call.input.gil);
  int failed = call_close(state, &call) < 0;
  PyObject *ranges = failed || column == NULL ? NULL : ranges_of(column);
  if (call.status == FASTIO_OK) fastio_column_free(column);
  return ranges;
}

/* ---- sniff ------------------------------------------------------------------------------------------------------- */

#define SNIFFED                                                                                            \
  (BIT(KW_SEP) | BIT(KW_QUOTE) | BIT(KW_NEWLINE) | BIT(KW_COMMENT) | BIT(KW_SKIP_LINES) | BIT(KW_HEADER) | \
   BIT(KW_DECIMAL))

static const char sniff_doc[] =
    "sniff($module, /, source, *, names=None, dtype=None, usecols=None, skip_rows=0, null_values=[''], "
    "quoted_null=False, quote_mode='strict', escape=None, doublequote=True, comment_anywhere=False, trim=False, "
    "trailing_sep='field', blank_lines='skip', widths=None, thousands=None, percent=False, unicode_minus=False, "
    "infer_rows=None, big_ints='string', overflow='ieee', repair_names=False, on_ragged='error', on_bad='error', "
    "dictionary=None, dialect=None, " RUN_SIGNATURE
    "Proposes how to read a source, from its first bytes: a Dialect for read_csv(source, dialect=...).\n\n"
    "It fills in sep, quote, newline, comment, skip_lines, header, decimal and the types of the columns, and trim,\n"
    "trailing_sep and repair_names if the table takes them; the words given here are those of read_csv, are heeded,\n"
    "and become part of it. Print it and paste it: reading never guesses.\n"
    "A file object is put back to its place if it can seek; bytes of a pipe are gone.\n\n" SOURCE_DOC ONE_DOC
    "Raises EOFError for an empty source, ParseError or an OSError.";

static PyObject *byte_text(int byte) {
  if (byte < 0) Py_RETURN_NONE;
  char text = (char)byte;
  return byte < 128 ? PyUnicode_FromStringAndSize(&text, 1) : PyBytes_FromStringAndSize(&text, 1);
}

static PyObject *sep_text(fastio_bytes separator) {
  if (separator.size == 0) Py_RETURN_NONE;
  return PyUnicode_DecodeUTF8(separator.data, (Py_ssize_t)separator.size, "strict");
}

static PyObject *newline_text(int newline) {
  if (newline == FASTIO_NEWLINE_LF) return PyUnicode_FromString("lf");
  return newline == FASTIO_NEWLINE_ANY ? PyUnicode_FromString("any") : byte_text(newline);
}

/* Steals the value. */
static int put(PyObject *words, const char *name, PyObject *value) {
  int result = value == NULL ? -1 : PyDict_SetItemString(words, name, value);
  Py_XDECREF(value);
  return result;
}

/* sep and header always; what has its usual value is left out. */
static int put_sniffed(PyObject *words, const fastio_csv_options *csv) {
  fastio_csv_options usual;
  fastio_csv_options_init(&usual);
  int failed = csv->widths == NULL && put(words, "sep", sep_text(csv->separator)) < 0;
  failed = failed || put(words, "header", PyBool_FromLong(csv->header)) < 0;
  if (csv->quote != usual.quote) failed = failed || put(words, "quote", byte_text(csv->quote)) < 0;
  if (csv->newline != usual.newline) failed = failed || put(words, "newline", newline_text(csv->newline)) < 0;
  if (csv->comment != usual.comment) failed = failed || put(words, "comment", byte_text(csv->comment)) < 0;
  if (csv->skip_lines != 0)
    failed = failed || put(words, "skip_lines", PyLong_FromUnsignedLongLong(csv->skip_lines)) < 0;
  if (csv->decimal != usual.decimal) failed = failed || put(words, "decimal", byte_text(csv->decimal)) < 0;
  if (csv->flags & FASTIO_CSV_TRIM) failed = failed || put(words, "trim", Py_NewRef(Py_True)) < 0;
  if (csv->flags & FASTIO_CSV_TRAILING_SEPARATOR)
    failed = failed || put(words, "trailing_sep", PyUnicode_FromString("ignore")) < 0;
  if (csv->flags & FASTIO_CSV_REPAIR_NAMES) failed = failed || put(words, "repair_names", Py_NewRef(Py_True)) < 0;
  return failed ? -1 : 0;
}

/* The words that were given, whatever they are: names and values of the arguments. */
static int put_given(PyObject *words, PyObject *const *values, PyObject *kwnames) {
  Py_ssize_t count = kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *name = PyTuple_GET_ITEM(kwnames, i);
    if (keyword_named(name, CSV_DIALECT | DECODE_WORDS) == KW_COUNT) continue;
    if (PyDict_SetItem(words, name, values[i]) < 0) return -1;
  }
  return 0;
}

static PyObject *new_dialect(State *state, const fastio_csv_options *csv, PyObject *given_dialect, fastio_table *sample,
                             PyObject *const *values, PyObject *kwnames) {
  PyObject *table = table_new(state, sample), *words = table == NULL ? NULL : PyDict_New();
  int failed = words == NULL || (given_dialect != NULL && PyDict_Update(words, given_dialect) < 0) ||
               put_given(words, values, kwnames) < 0 || put_sniffed(words, csv) < 0 ||
               put(words, "dtype", table_dtypes(table, NULL)) < 0;
  PyObject *Dialect = failed ? NULL : table_helper("Dialect"), *none = Dialect == NULL ? NULL : PyTuple_New(0);
  PyObject *dialect = none == NULL ? NULL : PyObject_Call(Dialect, none, words);
  Py_XDECREF(table);
  Py_XDECREF(words);
  Py_XDECREF(Dialect);
  Py_XDECREF(none);
  return dialect;
}

/* A file object's place, or NULL where it has none. */
static PyObject *tell(PyObject *file) {
  PyObject *place = PyObject_CallMethod(file, "tell", NULL);
  if (place == NULL) PyErr_Clear();
  return place;
}

static int seek(PyObject *file, PyObject *place) {
  PyObject *result = PyObject_CallMethod(file, "seek", "O", place);
  Py_XDECREF(result);
  return result == NULL ? -1 : 0;
}

static PyObject *sniff(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const Signature signature = {"sniff", CSV_RUN | (CSV_DIALECT & ~SNIFFED), .second = KW_COUNT};
  State *state = state_of(module);
  Call call;
  fastio_csv_options proposed;
  fastio_table *sample = NULL;
  if (call_open(state, &call, &signature, args, nargs, kwnames, 0) < 0) return NULL;
  PyObject *file = call.input.method == NULL ? NULL : call.options.source;
  PyObject *place = file == NULL ? NULL : tell(file), *result = NULL;
  fastio_csv_options_init(&proposed);
  gil_release(&call.input.gil);
  call.status = fastio_sniff(call.input.source, &call.options.csv, &proposed, &sample, &call.err);
  gil_take(&call.input.gil);
  int failed = PyErr_Occurred() != NULL || (place != NULL && seek(file, place) < 0);
  Py_XDECREF(place);
  if (call.status == FASTIO_OK && !failed) {
    result = new_dialect(state, &proposed, call.options.dialect, sample, args + nargs, kwnames);
  } else if (call.status == FASTIO_OK) {
    fastio_table_free(sample);
  }
  if (call_close(state, &call) < 0) Py_CLEAR(result);
  return result;
}

/* ---- the module's functions -------------------------------------------------------------------------------------- */

static PyMethodDef csv_functions[] = {
    {"read_csv", FUNCTION(read_csv), METH_FASTCALL | METH_KEYWORDS, read_csv_doc},
    {"open_csv", FUNCTION(open_csv), METH_FASTCALL | METH_KEYWORDS, open_csv_doc},
    {"partition", FUNCTION(partition), METH_FASTCALL | METH_KEYWORDS, partition_doc},
    {"sniff", FUNCTION(sniff), METH_FASTCALL | METH_KEYWORDS, sniff_doc},
    {"_read_matrix", FUNCTION(read_matrix), METH_FASTCALL | METH_KEYWORDS,
     "read_csv into one Column of rows (None: no columns), for loadtxt."},
    {"_rebuild_table", rebuild_table, METH_VARARGS, "What pickles of tables call."},
    {NULL, NULL, 0, NULL},
};

int add_csv_functions(PyObject *module) { return PyModule_AddFunctions(module, csv_functions); }
