/* Table: columns of equal length with names, as a Python object. */
#include "py.h"

static const char table_doc[] =
    "Columns of equal length with names, from fastio.read_csv and open_csv. Immutable.\n\n"
    "table[\"a\"] is a Column, table[3] a row as a tuple, table[1:5] a Table (steps too) over the same memory; "
    "iteration\n"
    "gives rows, `in` looks for a name, len() counts rows. dict(table) is a dict of its columns.\n"
    "__arrow_c_stream__ hands it to PyArrow, Polars, pandas, DuckDB and others without a copy; to_numpy, to_pandas,\n"
    "to_polars and to_arrow call those. Two tables are equal if their names and values are. Not hashable; can be "
    "pickled\n"
    "and weakly referenced.";

typedef struct Table {
  PyObject_HEAD const fastio_table *table; /* one reference owned */
  Py_ssize_t start, length, step;
  PyObject *names;   /* tuple of str */
  PyObject *index;   /* dict: name to position */
  PyObject *columns; /* tuple of Column */
  PyObject *report;  /* a Report, or NULL: not asked for yet */
  uint64_t decode_errors;
  PyObject *weakrefs;
} Table;

/* ---- making tables ----------------------------------------------------------------------------------------------- */

static PyObject *names_of(const fastio_table *table) {
  PyObject *names = PyTuple_New((Py_ssize_t)table->column_count);
  for (size_t i = 0; names != NULL && i < table->column_count; ++i) {
    PyObject *name = PyUnicode_DecodeUTF8(table->names[i].data, (Py_ssize_t)table->names[i].size, "strict");
    if (name == NULL) Py_CLEAR(names);
    else PyTuple_SET_ITEM(names, (Py_ssize_t)i, name);
  }
  return names;
}

static PyObject *index_of(PyObject *names) {
  PyObject *index = PyDict_New();
  for (Py_ssize_t i = 0; index != NULL && i < PyTuple_GET_SIZE(names); ++i) {
    PyObject *position = PyLong_FromSsize_t(i);
    if (position == NULL || PyDict_SetItem(index, PyTuple_GET_ITEM(names, i), position) < 0) Py_CLEAR(index);
    Py_XDECREF(position);
  }
  return index;
}

static PyObject *columns_of(State *state, const Table *self) {
  const fastio_table *table = self->table;
  PyObject *columns = PyTuple_New((Py_ssize_t)table->column_count);
  for (size_t i = 0; columns != NULL && i < table->column_count; ++i) {
    fastio_column_retain(table->columns[i]);
    PyObject *column = view_of(state->Column, table->columns[i], self->start, self->length, self->step);
    if (column == NULL) Py_CLEAR(columns);
    else PyTuple_SET_ITEM(columns, (Py_ssize_t)i, column);
  }
  return columns;
}

/* The same of the columns: it is the source that they come from. */
void table_set_decode_errors(PyObject *op, uint64_t count) {
  Table *self = (Table *)op;
  self->decode_errors = count;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self->columns); ++i)
    ((View *)PyTuple_GET_ITEM(self->columns, i))->decode_errors = count;
}

static PyObject *get_decode_errors(PyObject *op, void *Py_UNUSED(closure)) {
  return PyLong_FromUnsignedLongLong(((Table *)op)->decode_errors);
}

/* `like`: a table whose names (and report) are the same, or NULL. */
static PyObject *table_make(State *state, const fastio_table *table, Py_ssize_t start, Py_ssize_t length,
                            Py_ssize_t step, const Table *like) {
  Table *self = PyObject_GC_New(Table, state->Table);
  if (self == NULL) {
    fastio_table_free(table);
    return NULL;
  }
  self->table = table;
  self->start = start;
  self->length = length;
  self->step = step;
  self->names = like != NULL ? Py_NewRef(like->names) : names_of(table);
  self->index = like != NULL ? Py_NewRef(like->index) : self->names == NULL ? NULL : index_of(self->names);
  self->columns = self->index == NULL ? NULL : columns_of(state, self);
  self->report = like != NULL ? Py_XNewRef(like->report) : NULL;
  self->decode_errors = 0;
  if (like != NULL && self->columns != NULL) table_set_decode_errors((PyObject *)self, like->decode_errors);
  self->weakrefs = NULL;
  PyObject_GC_Track(self);
  if (self->columns == NULL) Py_CLEAR(self);
  return (PyObject *)self;
}

PyObject *table_new(State *state, const fastio_table *table) {
  if (table->rows > PY_SSIZE_T_MAX) {
    fastio_table_free(table);
    PyErr_SetString(PyExc_OverflowError, "more rows than this machine can index");
    return NULL;
  }
  return table_make(state, table, 0, (Py_ssize_t)table->rows, 1, NULL);
}

PyObject *table_slice(PyObject *op, Py_ssize_t start, Py_ssize_t length, Py_ssize_t step) {
  Table *self = (Table *)op;
  /* Steps that no second row takes stay out of the arithmetic: they could overflow. */
  if (length <= 1) step = 1;
  if (length == 0) start = 0;
  fastio_table_retain(self->table);
  return table_make(state_of_self(op), self->table, self->start + start * self->step, length, self->step * step, self);
}

/* ---- lifetime: the tuples hold nothing that could point back, but the collector cannot know ---------------------- */

static int table_traverse(PyObject *op, visitproc visit, void *arg) {
  Table *self = (Table *)op;
  Py_VISIT(Py_TYPE(op));
  Py_VISIT(self->names);
  Py_VISIT(self->index);
  Py_VISIT(self->columns);
  Py_VISIT(self->report);
  return 0;
}

static void table_dealloc(PyObject *op) {
  Table *self = (Table *)op;
  PyTypeObject *type = Py_TYPE(op);
  PyObject_GC_UnTrack(op);
  if (self->weakrefs != NULL) PyObject_ClearWeakRefs(op);
  Py_XDECREF(self->names);
  Py_XDECREF(self->index);
  Py_XDECREF(self->columns);
  Py_XDECREF(self->report);
  fastio_table_free(self->table);
  type->tp_free(op);
  Py_DECREF(type);
}

/* ---- rows and columns -------------------------------------------------------------------------------------------- */

static Py_ssize_t table_length(PyObject *op) { return ((Table *)op)->length; }

PyObject *table_row(PyObject *op, Py_ssize_t i) {
  PyObject *columns = ((Table *)op)->columns;
  Py_ssize_t count = PyTuple_GET_SIZE(columns);
  PyObject *row = PyTuple_New(count);
  for (Py_ssize_t k = 0; row != NULL && k < count; ++k) {
    PyObject *item = view_item((View *)PyTuple_GET_ITEM(columns, k), i);
    if (item == NULL) Py_CLEAR(row);
    else PyTuple_SET_ITEM(row, k, item);
  }
  return row;
}

static PyObject *row_at(Table *self, PyObject *key) {
  Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
  if (i == -1 && PyErr_Occurred()) return NULL;
  if (i < 0) i += self->length;
  if (i >= 0 && i < self->length) return table_row((PyObject *)self, i);
  PyErr_SetString(PyExc_IndexError, "row index out of range");
  return NULL;
}

static PyObject *column_named(Table *self, PyObject *name) {
  PyObject *position = PyDict_GetItemWithError(self->index, name);
  if (position != NULL) return Py_NewRef(PyTuple_GET_ITEM(self->columns, PyLong_AsSsize_t(position)));
  if (!PyErr_Occurred()) PyErr_SetObject(PyExc_KeyError, name);
  return NULL;
}

static PyObject *table_subscript(PyObject *op, PyObject *key) {
  Table *self = (Table *)op;
  Py_ssize_t start, stop, step;
  if (PyUnicode_Check(key)) return column_named(self, key);
  if (PySlice_Check(key)) {
    if (PySlice_Unpack(key, &start, &stop, &step) < 0) return NULL;
    Py_ssize_t length = PySlice_AdjustIndices(self->length, &start, &stop, step);
    return table_slice(op, start, length, step);
  }
  if (PyIndex_Check(key)) return row_at(self, key);
  return PyErr_Format(PyExc_TypeError, "a table is indexed by a name, a row number or a slice, not %.100s",
                      Py_TYPE(key)->tp_name);
}

static int table_contains(PyObject *op, PyObject *name) {
  return PyUnicode_Check(name) ? PyDict_Contains(((Table *)op)->index, name) : 0;
}

typedef struct RowIterator {
  PyObject_HEAD Table *table; /* no cycle can go through a table */
  Py_ssize_t next;            /* several threads may race for it and see a row twice, but
                      never past the end */
} RowIterator;

static PyObject *table_iter(PyObject *op) {
  RowIterator *self = PyObject_New(RowIterator, state_of_self(op)->RowIterator);
  if (self == NULL) return NULL;
  self->table = (Table *)Py_NewRef(op);
  self->next = 0;
  return (PyObject *)self;
}

static void rows_dealloc(PyObject *op) {
  PyTypeObject *type = Py_TYPE(op);
  Py_DECREF(((RowIterator *)op)->table);
  type->tp_free(op);
  Py_DECREF(type);
}

static PyObject *rows_next(PyObject *op) {
  RowIterator *self = (RowIterator *)op;
  Py_ssize_t i = self->next;
  if (i >= self->table->length) return NULL;
  self->next = i + 1;
  return table_row((PyObject *)self->table, i);
}

static PyObject *rows_hint(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  RowIterator *self = (RowIterator *)op;
  return PyLong_FromSsize_t(self->table->length - self->next);
}

static PyMethodDef rows_methods[] = {
    {"__length_hint__", rows_hint, METH_NOARGS, PyDoc_STR("__length_hint__($self, /)\n--\n\nRows left.")},
    {"__reduce__", refuse_pickle, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot rows_slots[] = {
    {Py_tp_dealloc, rows_dealloc}, {Py_tp_iter, PyObject_SelfIter},          {Py_tp_iternext, rows_next},
    {Py_tp_methods, rows_methods}, {Py_tp_doc, "Over the rows of a Table."}, {0, NULL},
};

PyType_Spec row_iterator_spec = {
    .name = "fastio._core.RowIterator",
    .basicsize = sizeof(RowIterator),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = rows_slots,
};

static PyObject *table_richcompare(PyObject *op, PyObject *other, int operation) {
  if ((operation != Py_EQ && operation != Py_NE) || Py_TYPE(op) != Py_TYPE(other)) Py_RETURN_NOTIMPLEMENTED;
  Table *self = (Table *)op, *that = (Table *)other;
  int equal = self->length == that->length ? PyObject_RichCompareBool(self->names, that->names, Py_EQ) : 0;
  for (Py_ssize_t i = 0; equal > 0 && i < PyTuple_GET_SIZE(self->columns); ++i) {
    /* One and the same column object is not asked: nan is not itself. */
    PyObject *result = PyObject_RichCompare(PyTuple_GET_ITEM(self->columns, i), PyTuple_GET_ITEM(that->columns, i),
                                            Py_EQ);
    equal = result == NULL ? -1 : result == Py_True;
    Py_XDECREF(result);
  }
  if (equal < 0) return NULL;
  return PyBool_FromLong(equal == (operation == Py_EQ));
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

const fastio_table *table_core(PyObject *op) { return ((Table *)op)->table; }

PyObject *table_names(PyObject *op, void *Py_UNUSED(closure)) { return PySequence_List(((Table *)op)->names); }

static PyObject *get_columns(PyObject *op, void *Py_UNUSED(closure)) { return PySequence_List(((Table *)op)->columns); }

PyObject *table_dtypes(PyObject *op, void *Py_UNUSED(closure)) {
  Table *self = (Table *)op;
  PyObject *types = PyDict_New();
  for (Py_ssize_t i = 0; types != NULL && i < PyTuple_GET_SIZE(self->names); ++i) {
    PyObject *type = PyUnicode_FromString(fastio_type_name(self->table->columns[i]->type));
    if (type == NULL || PyDict_SetItem(types, PyTuple_GET_ITEM(self->names, i), type) < 0) Py_CLEAR(types);
    Py_XDECREF(type);
  }
  return types;
}

static PyObject *get_shape(PyObject *op, void *Py_UNUSED(closure)) {
  Table *self = (Table *)op;
  return Py_BuildValue("(nn)", self->length, PyTuple_GET_SIZE(self->names));
}

static PyObject *get_nbytes(PyObject *op, void *Py_UNUSED(closure)) {
  Table *self = (Table *)op;
  int64_t size = 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self->columns); ++i) {
    size += view_nbytes((View *)PyTuple_GET_ITEM(self->columns, i));
  }
  return PyLong_FromLongLong(size);
}

static PyObject *places_of(const fastio_report *report) {
  Py_ssize_t count = (Py_ssize_t)MIN(report->place_count, FASTIO_REPORT_PLACES);
  PyObject *Place = table_helper("Place"), *places = Place == NULL ? NULL : PyList_New(count);
  for (Py_ssize_t i = 0; places != NULL && i < count; ++i) {
    const fastio_place *at = &report->places[i];
    PyObject *place = PyObject_CallFunction(Place, "sKKKK", fastio_status_name(at->status), at->offset, at->line,
                                            at->record, at->field);
    if (place == NULL) Py_CLEAR(places);
    else PyList_SET_ITEM(places, i, place);
  }
  Py_XDECREF(Place);
  return places;
}

static PyObject *new_report(const fastio_report *report) {
  PyObject *places = places_of(report);
  PyObject *Report = places == NULL ? NULL : table_helper("Report");
  PyObject *result = NULL;
  if (Report != NULL) {
    result = PyObject_CallFunction(Report, "KKKKKKKO", report->padded, report->truncated, report->skipped,
                                   report->replaced, report->bad_cells, report->blank_lines, report->comment_lines,
                                   places);
  }
  Py_XDECREF(places);
  Py_XDECREF(Report);
  return result;
}

static PyObject *get_report(PyObject *op, void *Py_UNUSED(closure)) {
  Table *self = (Table *)op;
  PyObject *report;
  Py_BEGIN_CRITICAL_SECTION(self);
  if (self->report == NULL) self->report = new_report(self->table->report);
  report = Py_XNewRef(self->report);
  Py_END_CRITICAL_SECTION();
  return report;
}

/* ---- Arrow ------------------------------------------------------------------------------------------------------- */

/* A table of the core. */
static const fastio_table *build_table(State *state, PyObject *names, PyObject *columns, Py_ssize_t length) {
  size_t count = (size_t)PyTuple_GET_SIZE(names), made = 0;
  const fastio_column **cores = PyMem_Calloc(MAX(count, 1), sizeof *cores);
  fastio_bytes *texts = PyMem_Calloc(MAX(count, 1), sizeof *texts);
  fastio_table view = {.rows = (uint64_t)length, .column_count = count, .columns = cores, .names = texts};
  fastio_table *table = NULL;
  fastio_error err;
  fastio_error_init(&err);
  if (cores == NULL || texts == NULL) PyErr_NoMemory();
  while (cores != NULL && texts != NULL && made < count) {
    Py_ssize_t size;
    texts[made].data = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(names, (Py_ssize_t)made), &size);
    if (texts[made].data == NULL) break;
    texts[made].size = (size_t)size;
    cores[made] = view_alone(state, (View *)PyTuple_GET_ITEM(columns, (Py_ssize_t)made));
    if (cores[made] == NULL) break;
    ++made;
  }
  if (made == count && cores != NULL && texts != NULL) {
    fastio_status status = fastio_table_new(&view, NULL, &table, &err);
    if (status != FASTIO_OK) raise_error(state, status, &err, NULL);
  }
  for (size_t i = 0; table == NULL && i < made; ++i) fastio_column_free(cores[i]);
  PyMem_Free(cores);
  PyMem_Free(texts);
  return table;
}

/* The rows as they are in memory: the table itself from *start on, or for a stepped slice a gathered copy. */
static const fastio_table *contiguous(State *state, Table *self, Py_ssize_t *start) {
  *start = self->start;
  if (self->step == 1) {
    fastio_table_retain(self->table);
    return self->table;
  }
  *start = 0;
  return build_table(state, self->names, self->columns, self->length);
}

static PyObject *table_arrow_schema(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  return arrow_table_schema(state_of_self(op), ((Table *)op)->table);
}

PyObject *table_stream(PyObject *op) {
  State *state = state_of_self(op);
  Table *self = (Table *)op;
  Py_ssize_t start;
  const fastio_table *table = contiguous(state, self, &start);
  if (table == NULL) return NULL;
  PyObject *capsule = arrow_table_stream(state, table, start, self->length);
  fastio_table_free(table);
  return capsule;
}

static PyObject *table_arrow_stream(PyObject *op, PyObject *args, PyObject *kwargs) {
  return arrow_parse_request(args, kwargs, "|O:__arrow_c_stream__") < 0 ? NULL : table_stream(op);
}

const fastio_table *table_if_whole(PyObject *op) {
  Table *self = (Table *)op;
  int is_whole = self->start == 0 && self->step == 1 && (uint64_t)self->length == self->table->rows;
  return is_whole ? self->table : NULL;
}

/* ---- conversions: those that need other libraries are Python ----------------------------------------------------- */

/* helper(self, *args, **kwargs) of the Python part. */
static PyObject *delegate(PyObject *op, const char *name, PyObject *args, PyObject *kwargs) {
  PyObject *function = table_helper(name), *self = function == NULL ? NULL : PyTuple_Pack(1, op);
  PyObject *all = self == NULL || args == NULL ? Py_XNewRef(self) : PySequence_Concat(self, args);
  PyObject *result = all == NULL ? NULL : PyObject_Call(function, all, kwargs);
  Py_XDECREF(function);
  Py_XDECREF(self);
  Py_XDECREF(all);
  return result;
}

static PyObject *table_to_numpy(PyObject *op, PyObject *args, PyObject *kwargs) {
  return delegate(op, "to_numpy", args, kwargs);
}
static PyObject *table_to_pandas(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  return delegate(op, "to_pandas", NULL, NULL);
}
static PyObject *table_to_polars(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  return delegate(op, "to_polars", NULL, NULL);
}
static PyObject *table_to_arrow(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  return delegate(op, "to_arrow", NULL, NULL);
}
static PyObject *table_repr(PyObject *op) { return delegate(op, "table_repr", NULL, NULL); }
static PyObject *table_repr_html(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  return delegate(op, "table_repr_html", NULL, NULL);
}

static PyObject *table_keys(PyObject *op, PyObject *Py_UNUSED(ignored)) { return table_names(op, NULL); }

static PyObject *table_to_dict(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  Table *self = (Table *)op;
  PyObject *dict = PyDict_New();
  for (Py_ssize_t i = 0; dict != NULL && i < PyTuple_GET_SIZE(self->names); ++i) {
    if (PyDict_SetItem(dict, PyTuple_GET_ITEM(self->names, i), PyTuple_GET_ITEM(self->columns, i)) < 0) Py_CLEAR(dict);
  }
  return dict;
}

/* ---- pickling ---------------------------------------------------------------------------------------------------- */

static PyObject *table_reduce(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  Table *self = (Table *)op;
  PyObject *report = get_report(op, NULL);
  if (report == NULL) return NULL;
  return Py_BuildValue("(O(OOnNK))", state_of_self(op)->rebuild_table, self->names, self->columns, self->length, report,
                       (unsigned long long)self->decode_errors);
}

static PyObject *table_copy(PyObject *op, PyObject *Py_UNUSED(ignored)) { return Py_NewRef(op); }

static int are_columns(State *state, PyObject *columns, Py_ssize_t length) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(columns); ++i) {
    PyObject *column = PyTuple_GET_ITEM(columns, i);
    if (Py_TYPE(column) != state->Column || view_length(column) != length) return 0;
  }
  return 1;
}

static int are_names(PyObject *names) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    if (!PyUnicode_Check(PyTuple_GET_ITEM(names, i))) return 0;
  }
  return 1;
}

PyObject *rebuild_table(PyObject *module, PyObject *args) {
  State *state = state_of(module);
  PyObject *names, *columns, *report;
  Py_ssize_t length;
  unsigned long long decode_errors = 0;
  if (!PyArg_ParseTuple(args, "O!O!nO|K:_rebuild_table", &PyTuple_Type, &names, &PyTuple_Type, &columns, &length,
                        &report, &decode_errors))
    return NULL;
  if (length < 0 || PyTuple_GET_SIZE(names) != PyTuple_GET_SIZE(columns) || !are_names(names) ||
      !are_columns(state, columns, length)) {
    PyErr_SetString(PyExc_ValueError, "the pickled parts do not fit together");
    return NULL;
  }
  const fastio_table *table = build_table(state, names, columns, length);
  PyObject *result = table == NULL ? NULL : table_new(state, table);
  if (result != NULL) ((Table *)result)->report = Py_NewRef(report);
  if (result != NULL) table_set_decode_errors(result, decode_errors);
  return result;
}

/* ---- the type ---------------------------------------------------------------------------------------------------- */

static PyMethodDef table_methods[] = {
    {"keys", table_keys, METH_NOARGS,
     PyDoc_STR("keys($self, /)\n--\n\nThe names as a list, so that dict(table) is a dict of the columns.")},
    {"to_dict", table_to_dict, METH_NOARGS, PyDoc_STR("to_dict($self, /)\n--\n\nA dict of name to Column.")},
    {"to_numpy", FUNCTION(table_to_numpy), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR(
         "to_numpy($self, /, *, structured=True, null=None)\n--\n\n"
         "A structured numpy.ndarray with a field for each column, or a dict of arrays (which are views where\n"
         "they can be).\n\n"
         "null: what to put where values are missing, one for all columns or a dict of name to value. Without it\n"
         "they are a ValueError.")},
    {"to_pandas", table_to_pandas, METH_NOARGS,
     PyDoc_STR(
         "to_pandas($self, /)\n--\n\n"
         "A pandas.DataFrame. Integers and bools with missing values become nullable (Int64, boolean), strings str,\n"
         "dates and timestamps datetime64, times timedelta64, dictionaries categories.")},
    {"to_polars", table_to_polars, METH_NOARGS, PyDoc_STR("to_polars($self, /)\n--\n\nA polars.DataFrame.")},
    {"to_arrow", table_to_arrow, METH_NOARGS, PyDoc_STR("to_arrow($self, /)\n--\n\nA pyarrow.Table.")},
    {"_repr_html_", table_repr_html, METH_NOARGS,
     PyDoc_STR("_repr_html_($self, /)\n--\n\nAs an HTML table, for notebooks.")},
    {"__arrow_c_schema__", table_arrow_schema, METH_NOARGS, arrow_schema_doc},
    {"__arrow_c_stream__", FUNCTION(table_arrow_stream), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("__arrow_c_stream__($self, /, requested_schema=None)\n--\n\n"
               "The rows as one batch: an \"arrow_array_stream\" capsule. Without a copy, but for stepped slices.\n"
               "requested_schema is a wish that is not granted: the answer is always the types held.")},
    {"__reduce_ex__", table_reduce, METH_O, PyDoc_STR("__reduce_ex__($self, protocol, /)\n--\n\nPickling.")},
    {"__copy__", table_copy, METH_NOARGS, PyDoc_STR("__copy__($self, /)\n--\n\nThe table itself: it never changes.")},
    {"__deepcopy__", table_copy, METH_O,
     PyDoc_STR("__deepcopy__($self, memo, /)\n--\n\nThe table itself: it never changes.")},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef table_getset[] = {
    {"names", table_names, NULL, PyDoc_STR("The names of the columns, as a list."), NULL},
    {"dtypes", table_dtypes, NULL, PyDoc_STR("The names of the columns' types, as a dict."), NULL},
    {"shape", get_shape, NULL, PyDoc_STR("(rows, columns)."), NULL},
    {"columns", get_columns, NULL, PyDoc_STR("The columns, as a list of Column."), NULL},
    {"report", get_report, NULL,
     PyDoc_STR("What reading the whole table left out or changed: a Report, which slices share."), NULL},
    {"nbytes", get_nbytes, NULL, PyDoc_STR("The size of the values in bytes."), NULL},
    {"decode_errors", get_decode_errors, NULL, decode_errors_doc, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef table_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Table, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot table_slots[] = {
    {Py_tp_doc, (void *)table_doc},
    {Py_tp_dealloc, table_dealloc},
    {Py_tp_traverse, table_traverse},
    {Py_tp_repr, table_repr},
    {Py_tp_iter, table_iter},
    {Py_tp_hash, PyObject_HashNotImplemented},
    {Py_tp_richcompare, table_richcompare},
    {Py_tp_methods, table_methods},
    {Py_tp_getset, table_getset},
    {Py_tp_members, table_members},
    {Py_mp_length, table_length},
    {Py_mp_subscript, table_subscript},
    {Py_sq_contains, table_contains},
    {0, NULL},
};

PyType_Spec table_spec = {
    .name = "fastio.Table",
    .basicsize = sizeof(Table),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = table_slots,
};
