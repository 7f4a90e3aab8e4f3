/* Keywords of tables: from Python arguments to fastio_csv_options. All that those point to is copied into one arena. */
#include "py.h"

/* ---- the arena --------------------------------------------------------------------------------------------------- */

struct CsvBlock {
  CsvBlock *next;
  void *align[1]; /* what follows holds pointers */
};

static void *arena(CsvOptions *out, size_t count, size_t size) {
  size_t room = PY_SSIZE_T_MAX - sizeof(CsvBlock);
  CsvBlock *block = count > room / size ? NULL : PyMem_Calloc(1, sizeof(CsvBlock) + count * size);
  if (block == NULL) {
    PyErr_NoMemory();
    return NULL;
  }
  block->next = out->blocks;
  out->blocks = block;
  return block->align;
}

static int keep_bytes(CsvOptions *out, PyObject *bytes, fastio_bytes *kept) {
  size_t size = (size_t)PyBytes_GET_SIZE(bytes);
  char *copy = arena(out, size + 1, 1); /* with a NUL behind it */
  if (copy == NULL) return -1;
  memcpy(copy, PyBytes_AS_STRING(bytes), size);
  *kept = (fastio_bytes){copy, size};
  return 0;
}

static int keep_name(CsvOptions *out, PyObject *name, const char *what, const char **kept) {
  if (!PyUnicode_Check(name)) {
    PyErr_Format(PyExc_TypeError, "%s must be str, not %.100s", what, Py_TYPE(name)->tp_name);
    return -1;
  }
  PyObject *bytes = PyUnicode_AsUTF8String(name);
  if (bytes == NULL) return -1;
  fastio_bytes text;
  int failed = keep_bytes(out, bytes, &text);
  Py_DECREF(bytes);
  if (failed) return -1;
  *kept = text.data;
  if (strlen(*kept) == text.size) return 0;
  PyErr_Format(PyExc_ValueError, "%s can hold no NUL, as %R does", what, name);
  return -1;
}

static int keep_texts(CsvOptions *out, PyObject *values, const char *name, const fastio_bytes **kept, size_t *count) {
  PyObject *texts = texts_from_object(values, name);
  if (texts == NULL) return -1;
  Py_ssize_t size = PyList_GET_SIZE(texts);
  fastio_bytes *array = arena(out, (size_t)MAX(size, 1), sizeof *array);
  int failed = array == NULL;
  for (Py_ssize_t i = 0; i < size && !failed; ++i) failed = keep_bytes(out, PyList_GET_ITEM(texts, i), &array[i]);
  Py_DECREF(texts);
  if (failed) return -1;
  *kept = array;
  *count = (size_t)size;
  return 0;
}

/* A sequence as a list of its own; a str is none. */
static PyObject *listed(PyObject *values, const char *what) {
  if (!PyUnicode_Check(values) && !PyBytes_Check(values)) return PySequence_List(values);
  return PyErr_Format(PyExc_TypeError, "%s, not a single one", what);
}

/* A mapping (but no type that would make one) as a dict of its own: 1, 0 if it is none, -1 with an exception. */
static int mapping(PyObject *object, PyObject **out) {
  *out = NULL;
  if (PyType_Check(object) || (!PyDict_Check(object) && !PyObject_HasAttrString(object, "keys"))) return 0;
  *out = PyDict_New();
  if (*out == NULL || PyDict_Update(*out, object) < 0) {
    Py_CLEAR(*out);
    return -1;
  }
  return 1;
}

/* ---- rules: what is known of some columns ------------------------------------------------------------------------ */

static int add_rule(CsvOptions *out, const fastio_column_rule *rule) {
  if (out->rule_count == out->rule_room) {
    size_t room = 2 * out->rule_room + 8;
    fastio_column_rule *grown = PyMem_Realloc(out->rules, room * sizeof *grown);
    if (grown == NULL) {
      PyErr_NoMemory();
      return -1;
    }
    out->rules = grown;
    out->rule_room = room;
  }
  out->rules[out->rule_count++] = *rule;
  return 0;
}

static int is_pattern(PyObject *key) {
  return PyUnicode_Check(key) && (PyUnicode_FindChar(key, '*', 0, PyUnicode_GET_LENGTH(key), 1) >= 0 ||
                                  PyUnicode_FindChar(key, '?', 0, PyUnicode_GET_LENGTH(key), 1) >= 0);
}

/* The rule's columns: those of a name, a pattern or a 0-based position. */
static int set_column(CsvOptions *out, PyObject *key, const char *what, fastio_column_rule *rule) {
  rule->is_pattern = is_pattern(key);
  if (PyUnicode_Check(key)) return keep_name(out, key, what, &rule->name);
  return int_from_object(key, what, 0, &rule->position);
}

typedef int Rule_value(CsvOptions *out, PyObject *value, fastio_column_rule *rule);

static int set_type(CsvOptions *out, PyObject *value, fastio_column_rule *rule) {
  (void)out;
  return value == Py_None ? 0 : type_from_object(value, 1, &rule->type);
}

static int set_nulls(CsvOptions *out, PyObject *value, fastio_column_rule *rule) {
  return keep_texts(out, value, "null_values", &rule->null_values, &rule->null_count);
}

/* A dict's rules: patterns first, so that exact keys win whatever the order. */
static int add_rules(CsvOptions *out, PyObject *dict, const char *what, Rule_value *set) {
  for (int exact = 0; exact < 2; ++exact) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(dict, &at, &key, &value)) {
      fastio_column_rule rule = {0};
      if (is_pattern(key) == exact) continue;
      if (set_column(out, key, what, &rule) < 0 || set(out, value, &rule) < 0 || add_rule(out, &rule) < 0) return -1;
    }
  }
  return 0;
}

static int add_types_by_position(CsvOptions *out, PyObject *types) {
  PyObject *list = PySequence_List(types);
  int failed = list == NULL;
  for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(list); ++i) {
    fastio_column_rule rule = {.position = (uint64_t)i};
    failed = set_type(out, PyList_GET_ITEM(list, i), &rule) < 0 || (rule.type != 0 && add_rule(out, &rule) < 0);
  }
  Py_XDECREF(list);
  return failed ? -1 : 0;
}

/* The fields of a structured NumPy dtype as a dict of name -> dtype, or NULL (perhaps with an exception). */
static PyObject *structured(PyObject *dtype) {
  PyObject *fields = PyType_Check(dtype) ? NULL : get_attribute(dtype, "fields");
  PyErr_Clear();
  if (fields == NULL || fields == Py_None) {
    Py_XDECREF(fields);
    return NULL;
  }
  PyObject *dict = PyDict_New(), *items = dict == NULL ? NULL : PyMapping_Items(fields);
  Py_DECREF(fields);
  for (Py_ssize_t i = 0; items != NULL && i < PyList_GET_SIZE(items); ++i) {
    PyObject *name, *type, *rest;
    PyObject *pair = PyList_GET_ITEM(items, i);
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(pair, 1), "OO|O", &type, &rest, &rest)) Py_CLEAR(items);
    else if (name = PyTuple_GET_ITEM(pair, 0), PyDict_SetItem(dict, name, type) < 0) Py_CLEAR(items);
  }
  if (items == NULL) Py_CLEAR(dict);
  Py_XDECREF(items);
  return dict;
}

#define DTYPE_KEYS "the keys of dtype"

static int set_dtype(CsvOptions *out, PyObject *dtype) {
  PyObject *dict = NULL;
  fastio_column_rule every = {.position = FASTIO_EVERY_COLUMN};
  if (dtype == Py_None) return 0;
  if (PyList_Check(dtype) || PyTuple_Check(dtype)) return add_types_by_position(out, dtype);
  if (mapping(dtype, &dict) < 0) return -1;
  if (dict == NULL) dict = structured(dtype);
  if (dict == NULL && PyErr_Occurred()) return -1;
  if (dict == NULL) return set_type(out, dtype, &every) < 0 ? -1 : add_rule(out, &every);
  int result = add_rules(out, dict, DTYPE_KEYS, set_type);
  Py_DECREF(dict);
  return result;
}

static int set_null_values(CsvOptions *out, PyObject *values) {
  PyObject *dict = NULL;
  if (mapping(values, &dict) < 0) return -1;
  if (dict == NULL) return keep_texts(out, values, "null_values", &out->csv.null_values, &out->csv.null_count);
  int result = add_rules(out, dict, "the keys of null_values", set_nulls);
  Py_DECREF(dict);
  return result;
}

/* True: every column that would be one of strings. Or names, patterns or positions. */
static int set_dictionary(CsvOptions *out, PyObject *columns) {
  if (columns == Py_None || columns == Py_False) return 0;
  if (columns == Py_True) {
    out->csv.flags |= FASTIO_CSV_DICTIONARY;
    return 0;
  }
  PyObject *list = listed(columns, "dictionary must be True or a sequence of columns");
  int failed = list == NULL;
  for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(list); ++i) {
    fastio_column_rule rule = {.type = FASTIO_DICTIONARY};
    failed = set_column(out, PyList_GET_ITEM(list, i), "dictionary", &rule) < 0 || add_rule(out, &rule) < 0;
  }
  Py_XDECREF(list);
  return failed ? -1 : 0;
}

/* ---- other composite values -------------------------------------------------------------------------------------- */

static int set_names(CsvOptions *out, PyObject *names) {
  if (names == Py_None) return 0;
  PyObject *list = listed(names, "names must be a sequence of str");
  if (list == NULL) return -1;
  size_t count = (size_t)PyList_GET_SIZE(list);
  const char **array = arena(out, MAX(count, 1), sizeof *array);
  int failed = array == NULL;
  for (size_t i = 0; i < count && !failed; ++i)
    failed = keep_name(out, PyList_GET_ITEM(list, (Py_ssize_t)i), "names", &array[i]) < 0;
  Py_DECREF(list);
  out->csv.names = array;
  out->csv.name_count = count;
  return failed ? -1 : 0;
}

static int set_usecols(CsvOptions *out, PyObject *columns) {
  if (columns == Py_None) return 0;
  PyObject *list = listed(columns, "usecols must be a sequence of names or positions");
  if (list == NULL) return -1;
  size_t count = (size_t)PyList_GET_SIZE(list);
  fastio_column_ref *array = arena(out, MAX(count, 1), sizeof *array);
  int failed = array == NULL;
  for (size_t i = 0; i < count && !failed; ++i) {
    PyObject *column = PyList_GET_ITEM(list, (Py_ssize_t)i);
    if (PyUnicode_Check(column)) failed = keep_name(out, column, "usecols", &array[i].name) < 0;
    else failed = int_from_object(column, "usecols", 0, &array[i].position) < 0;
  }
  Py_DECREF(list);
  out->csv.columns = array;
  out->csv.column_count = count;
  return failed ? -1 : 0;
}

/* A width behind the field before it, or (start, end). */
static int set_span(PyObject *width, uint64_t before, fastio_span *span) {
  if (!PyTuple_Check(width) && !PyList_Check(width)) {
    span->start = before;
    if (int_from_object(width, "widths", 1, &span->end) < 0) return -1;
    if (span->end > UINT64_MAX - before) span->end = UINT64_MAX - before;
    span->end += before;
    return 0;
  }
  if (PySequence_Size(width) != 2) {
    PyErr_Format(PyExc_ValueError, "widths must hold ints or (start, end), not %R", width);
    return -1;
  }
  PyObject *start = PySequence_GetItem(width, 0), *end = start == NULL ? NULL : PySequence_GetItem(width, 1);
  int failed = end == NULL || int_from_object(start, "widths", 0, &span->start) < 0 ||
               int_from_object(end, "widths", 0, &span->end) < 0;
  Py_XDECREF(start);
  Py_XDECREF(end);
  if (!failed && span->start >= span->end) {
    PyErr_Format(PyExc_ValueError, "widths must hold (start, end) with start before end, not %R", width);
    failed = 1;
  }
  return failed ? -1 : 0;
}

static int set_widths(CsvOptions *out, PyObject *widths) {
  if (widths == Py_None) return 0;
  PyObject *list = listed(widths, "widths must be a sequence of ints or of (start, end)");
  if (list == NULL) return -1;
  size_t count = (size_t)PyList_GET_SIZE(list);
  fastio_span *spans = arena(out, MAX(count, 1), sizeof *spans);
  int failed = spans == NULL;
  for (size_t i = 0; i < count && !failed; ++i)
    failed = set_span(PyList_GET_ITEM(list, (Py_ssize_t)i), i == 0 ? 0 : spans[i - 1].end, &spans[i]) < 0;
  Py_DECREF(list);
  out->csv.widths = spans;
  out->csv.width_count = count;
  return failed ? -1 : 0;
}

static int set_sep(CsvOptions *out, PyObject *sep) {
  out->csv.separator = (fastio_bytes){NULL, 0}; /* None: runs of blanks */
  if (sep == Py_None) return 0;
  if (!PyUnicode_Check(sep) && !PyBytes_Check(sep)) {
    PyErr_Format(PyExc_TypeError, "sep must be a str, bytes or None, not %.100s", Py_TYPE(sep)->tp_name);
    return -1;
  }
  PyObject *bytes = PyUnicode_Check(sep) ? PyUnicode_AsUTF8String(sep) : Py_NewRef(sep);
  int failed = bytes == NULL || keep_bytes(out, bytes, &out->csv.separator) < 0;
  Py_XDECREF(bytes);
  if (!failed && out->csv.separator.size == 0) {
    PyErr_SetString(PyExc_ValueError, "sep must have at least one byte; None stands for runs of blanks");
    failed = 1;
  }
  return failed ? -1 : 0;
}

static int set_on_ragged(CsvOptions *out, PyObject *policy) {
  static const char *const words[] = {"error", "pad", "truncate", "fit", "skip"};
  static const int values[] = {FASTIO_RAGGED_ERROR, FASTIO_RAGGED_PAD, FASTIO_RAGGED_TRUNCATE,
                               FASTIO_RAGGED_PAD | FASTIO_RAGGED_TRUNCATE, FASTIO_RAGGED_SKIP};
  if (PyCallable_Check(policy)) {
    out->on_ragged = policy;
    out->csv.on_ragged = FASTIO_RAGGED_CALL;
    return 0;
  }
  int chosen = choice(policy, "on_ragged", words, 5);
  if (chosen >= 0) out->csv.on_ragged = values[chosen];
  return chosen < 0 ? -1 : 0;
}

static int set_on_bad(CsvOptions *out, PyObject *policy) {
  static const char *const words[] = {"error", "null", "string"};
  out->csv.on_bad = choice(policy, "on_bad", words, 3);
  return out->csv.on_bad < 0 ? -1 : 0;
}

/* A Range of partition() is known to start at a record; any other pair is any range of bytes. */
static int set_range(CsvOptions *out, PyObject *range) {
  if (range == Py_None) return 0;
  if (!PyTuple_Check(range) || PyTuple_GET_SIZE(range) != 2) {
    PyErr_Format(PyExc_TypeError, "range must be a Range or (offset, length), not %R", range);
    return -1;
  }
  PyObject *Range = PyTuple_CheckExact(range) ? NULL : table_helper("Range");
  if (Range == NULL && PyErr_Occurred()) return -1;
  int is_ours = Range == NULL ? 0 : PyObject_IsInstance(range, Range);
  Py_XDECREF(Range);
  if (is_ours < 0) return -1;
  if (is_ours) out->csv.flags |= FASTIO_CSV_AT_RECORD;
  return int_from_object(PyTuple_GET_ITEM(range, 0), "the offset of range", 0, &out->csv.offset) < 0
             ? -1
             : limit_from_object(PyTuple_GET_ITEM(range, 1), "the length of range", &out->csv.length);
}

/* The flag is set by one of two words. */
static int set_word(CsvOptions *out, PyObject *value, const char *name, const char *off, const char *on,
                    unsigned flag) {
  const char *const words[] = {off, on};
  int chosen = choice(value, name, words, 2);
  if (chosen == 1) out->csv.flags |= flag;
  return chosen < 0 ? -1 : 0;
}

static int set_header(CsvOptions *out, PyObject *value) {
  if (!PyBool_Check(value)) {
    PyErr_Format(PyExc_TypeError, "header must be True or False, not %R", value);
    return -1;
  }
  out->csv.header = value == Py_True;
  return 0;
}

static int set_doublequote(CsvOptions *out, PyObject *value) {
  int is_true = PyObject_IsTrue(value);
  if (is_true == 0) out->csv.flags |= FASTIO_CSV_NO_DOUBLING;
  return is_true < 0 ? -1 : 0;
}

static int set_quote_mode(CsvOptions *out, PyObject *value) {
  static const char *const words[] = {"strict", "literal"};
  out->csv.quote_mode = choice(value, "quote_mode", words, 2);
  return out->csv.quote_mode < 0 ? -1 : 0;
}

/* Of a dialect: one byte of ASCII, so that no character can hold it. */
static int set_ascii(PyObject *value, const char *name, int *out) {
  if (byte_from_object(value, name, out) < 0) return -1;
  if (*out < 128) return 0;
  PyErr_Format(PyExc_ValueError, "%s must be an ASCII character, not %R", name, value);
  return -1;
}

static int ascii_or_none(PyObject *value, const char *name, int *out) {
  *out = FASTIO_NONE;
  return value == Py_None ? 0 : set_ascii(value, name, out);
}

/* None: no bound, or the choice of the core. */
static int set_batch(PyObject *value, const char *name, uint64_t *out) {
  return value == Py_None ? 0 : int_from_object(value, name, 1, out);
}

static int set_keyword(CsvOptions *out, Keyword keyword, PyObject *value) {
  fastio_csv_options *csv = &out->csv;
  unsigned *flags = &csv->flags;
  switch (keyword) {
    case KW_SOURCE: out->source = value; return 0;
    case KW_SEP: return set_sep(out, value);
    case KW_HEADER: return set_header(out, value);
    case KW_NAMES: return set_names(out, value);
    case KW_DTYPE: return set_dtype(out, value);
    case KW_USECOLS: return set_usecols(out, value);
    case KW_SKIP_LINES: return int_from_object(value, "skip_lines", 0, &csv->skip_lines);
    case KW_SKIP_ROWS: return int_from_object(value, "skip_rows", 0, &csv->skip_rows);
    case KW_MAX_ROWS: return limit_from_object(value, "max_rows", &csv->max_rows);
    case KW_NULL_VALUES: return set_null_values(out, value);
    case KW_QUOTED_NULL: return flag_from_object(value, FASTIO_CSV_QUOTED_NULL, flags);
    case KW_QUOTE: return ascii_or_none(value, "quote", &csv->quote);
    case KW_QUOTE_MODE: return set_quote_mode(out, value);
    case KW_ESCAPE: return ascii_or_none(value, "escape", &csv->escape);
    case KW_DOUBLEQUOTE: return set_doublequote(out, value);
    case KW_NEWLINE: return newline_from_object(value, &csv->newline);
    case KW_COMMENT: return ascii_or_none(value, "comment", &csv->comment);
    case KW_COMMENT_ANYWHERE: return flag_from_object(value, FASTIO_CSV_COMMENT_ANYWHERE, flags);
    case KW_TRIM: return flag_from_object(value, FASTIO_CSV_TRIM, flags);
    case KW_TRAILING_SEP: return set_word(out, value, "trailing_sep", "field", "ignore", FASTIO_CSV_TRAILING_SEPARATOR);
    case KW_BLANK_LINES: return set_word(out, value, "blank_lines", "skip", "record", FASTIO_CSV_BLANK_RECORDS);
    case KW_WIDTHS: return set_widths(out, value);
    case KW_DECIMAL: return set_ascii(value, "decimal", &csv->decimal);
    case KW_THOUSANDS: return ascii_or_none(value, "thousands", &csv->thousands);
    case KW_PERCENT: return flag_from_object(value, FASTIO_CSV_PERCENT, flags);
    case KW_UNICODE_MINUS: return flag_from_object(value, FASTIO_CSV_UNICODE_MINUS, flags);
    case KW_INFER_ROWS: return limit_from_object(value, "infer_rows", &csv->infer_rows);
    case KW_BIG_INTS: return set_word(out, value, "big_ints", "string", "float", FASTIO_CSV_FLOAT_FOR_BIG);
    case KW_OVERFLOW: return overflow_from_object(value, FASTIO_CSV_OVERFLOW_ERROR, flags);
    case KW_REPAIR_NAMES: return flag_from_object(value, FASTIO_CSV_REPAIR_NAMES, flags);
    case KW_ON_RAGGED: return set_on_ragged(out, value);
    case KW_ON_BAD: return set_on_bad(out, value);
    case KW_DICTIONARY: return set_dictionary(out, value);
    case KW_RANGE: return set_range(out, value);
    case KW_BATCH_ROWS: return set_batch(value, "batch_rows", &csv->batch_rows);
    case KW_BATCH_BYTES: return set_batch(value, "batch_bytes", &csv->batch_bytes);
    case KW_N: return set_batch(value, "n", &out->parts);
    case KW_NBYTES: return set_batch(value, "nbytes", &out->bytes);
    case KW_COMPRESSION: return decode_set_compression(&out->decode, value);
    case KW_ENCODING: return decode_set_encoding(&out->decode, value);
    case KW_ERRORS: return decode_set_errors(&out->decode, value);
    case KW_TRAILING: return decode_set_trailing(&out->decode, value);
    case KW_MAX_SIZE: return decode_set_max_size(&out->decode, value);
    case KW_PARTIAL: return partial_from_object(value, &csv->partial);
    case KW_FILE_COLUMN: return value == Py_None ? 0 : keep_name(out, value, "file_column", &out->file_column);
    case KW_PROGRESS: return progress_from_object(value, &out->progress);
    case KW_BLOCK_SIZE: return block_size_from_object(value, &csv->block_size);
    default: return 0;
  }
}

/* A rule for each column, by its name: nothing is inferred from then on. */
int csv_options_fix_types(CsvOptions *options, const fastio_table *schema) {
  for (size_t i = 0; i < schema->column_count; ++i) {
    fastio_column_rule rule = {.type = schema->columns[i]->type};
    PyObject *name = PyBytes_FromStringAndSize(schema->names[i].data, (Py_ssize_t)schema->names[i].size);
    fastio_bytes kept;
    int failed = name == NULL || keep_bytes(options, name, &kept) < 0;
    Py_XDECREF(name);
    rule.name = kept.data;
    if (failed || add_rule(options, &rule) < 0) return -1;
  }
  options->csv.rules = options->rules;
  options->csv.rule_count = options->rule_count;
  return 0;
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

/* The words of a dialect stand where the call itself says nothing. Those that the function has no use for are passed
 * over, those that no function knows are not. */
static int collect_dialect(CsvOptions *out, const Signature *signature, PyObject *dialect, PyObject *values[KW_COUNT]) {
  PyObject *name, *value;
  Py_ssize_t at = 0;
  if (dialect == NULL || dialect == Py_None) return 0;
  int is_mapping = mapping(dialect, &out->dialect);
  if (is_mapping < 0) return -1;
  if (!is_mapping) {
    PyErr_Format(PyExc_TypeError, "dialect must be a Dialect or another mapping, not %.100s",
                 Py_TYPE(dialect)->tp_name);
    return -1;
  }
  while (PyDict_Next(out->dialect, &at, &name, &value)) {
    Keyword keyword = PyUnicode_Check(name) ? keyword_named(name, CSV_WORDS) : KW_COUNT;
    if (keyword == KW_COUNT) {
      PyErr_Format(PyExc_TypeError, "dialect holds %R, which %s() does not know", name, signature->name);
      return -1;
    }
    if (values[keyword] == NULL && (signature->keywords & BIT(keyword)) != 0) values[keyword] = value;
  }
  return 0;
}

static int is_given(PyObject *const values[KW_COUNT], Keyword keyword) {
  return values[keyword] != NULL && values[keyword] != Py_None && values[keyword] != Py_False;
}

/* What the core's options can't show to be in conflict: that both words were said. */
static int check_conflicts(PyObject *const values[KW_COUNT]) {
  static const struct {
    Keyword first, second;
    const char *message;
  } conflicts[] = {
      {KW_WIDTHS, KW_SEP, "fields of fixed widths have no separator: give widths or sep"},
      {KW_N, KW_NBYTES, "partition by number (n) or by size (nbytes), not both"},
  };
  if (is_given(values, KW_COMMENT_ANYWHERE) && !is_given(values, KW_COMMENT)) {
    PyErr_SetString(PyExc_ValueError, "comment_anywhere says nothing without comment");
    return -1;
  }
  for (size_t i = 0; i < Py_ARRAY_LENGTH(conflicts); ++i) {
    if (!is_given(values, conflicts[i].first) || !is_given(values, conflicts[i].second)) continue;
    PyErr_SetString(PyExc_ValueError, conflicts[i].message);
    return -1;
  }
  return 0;
}

int csv_options_parse(const Signature *signature, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                      CsvOptions *out) {
  PyObject *values[KW_COUNT] = {NULL};
  memset(out, 0, sizeof *out);
  fastio_csv_options_init(&out->csv);
  decode_init(&out->decode);
  if (keywords_collect(signature, args, nargs, kwnames, values) < 0) return -1;
  if (collect_dialect(out, signature, values[KW_DIALECT], values) < 0) return -1;
  if (check_conflicts(values) < 0) return -1;
  for (int i = 0; i < KW_COUNT; ++i) {
    if (values[i] != NULL && set_keyword(out, (Keyword)i, values[i]) < 0) return -1;
  }
  out->csv.rules = out->rules;
  out->csv.rule_count = out->rule_count;
  return threads_from_object(values[KW_THREADS], &out->csv.threads);
}

void csv_options_clear(CsvOptions *options) {
  while (options->blocks != NULL) {
    CsvBlock *next = options->blocks->next;
    PyMem_Free(options->blocks);
    options->blocks = next;
  }
  PyMem_Free(options->rules);
  options->rules = NULL;
  decode_clear(&options->decode);
  Py_CLEAR(options->dialect);
}
