/* fastio._core: the module, its state and its types. */
#include "py.h"

static const char module_doc[] = "The hand-written part of fastio. Import fastio instead.";

/* ---- types ------------------------------------------------------------------------------------------------------- */

static PyTypeObject *add_type(PyObject *module, PyType_Spec *spec, int is_public) {
  PyTypeObject *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
  if (type != NULL && is_public && PyModule_AddType(module, type) < 0) Py_CLEAR(type);
  return type;
}

/* They are sequences to match statements and in what they do, but not registered as collections.abc.Sequence: Polars
 * would take them apart item by item before it looked for the Arrow interface. */
static int add_types(PyObject *module, State *state) {
  return (state->Column = add_type(module, &column_spec, 1)) != NULL &&
                 (state->Lines = add_type(module, &lines_spec, 1)) != NULL &&
                 (state->MappedFile = add_type(module, &map_spec, 1)) != NULL &&
                 (state->Reader = add_type(module, &reader_spec, 1)) != NULL &&
                 (state->ReaderIterator = add_type(module, &reader_iterator_spec, 0)) != NULL &&
                 (state->SequenceIterator = add_type(module, &sequence_iterator_spec, 0)) != NULL &&
                 (state->Stream = add_type(module, &stream_spec, 0)) != NULL &&
                 (state->Table = add_type(module, &table_spec, 1)) != NULL &&
                 (state->RowIterator = add_type(module, &row_iterator_spec, 0)) != NULL &&
                 (state->CsvReader = add_type(module, &csv_reader_spec, 1)) != NULL &&
                 (state->Writer = add_type(module, &writer_spec, 1)) != NULL &&
                 (state->Format = add_type(module, &format_spec, 1)) != NULL &&
                 (state->Locale = add_type(module, &locale_spec, 1)) != NULL
             ? 0
             : -1;
}

static PyObject *name_in(const char *module_name, const char *name) {
  PyObject *module = PyImport_ImportModule(module_name);
  PyObject *result = module == NULL ? NULL : get_attribute(module, name);
  Py_XDECREF(module);
  return result;
}

PyObject *table_helper(const char *name) { return name_in("fastio._table", name); }
PyObject *write_helper(const char *name) { return name_in("fastio._write", name); }

/* ---- the rest of the state --------------------------------------------------------------------------------------- */

static int find_io_classes(State *state) {
  state->text_io = name_in("_io", "_TextIOBase");
  state->raw_io = state->text_io == NULL ? NULL : name_in("_io", "_RawIOBase");
  return state->raw_io == NULL ? -1 : 0;
}

static int add_capi(PyObject *module, State *state) {
  state->capi = (fastio_capi){FASTIO_CAPI_VERSION, state, capi_raise};
  PyObject *capsule = PyCapsule_New(&state->capi, FASTIO_CAPI_NAME, NULL);
  if (capsule == NULL) return -1;
  int result = PyModule_AddObjectRef(module, "_C_API", capsule);
  Py_DECREF(capsule);
  return result;
}

static int module_exec(PyObject *module) {
  State *state = state_of(module);
  if (errors_init(module, state) < 0 || add_types(module, state) < 0 || find_io_classes(state) < 0 ||
      find_lacking(state) < 0)
    return -1;
  if (add_capi(module, state) < 0 || add_read_functions(module) < 0 || add_csv_functions(module) < 0 ||
      add_write_functions(module) < 0)
    return -1;
  state->rebuild = get_attribute(module, "_rebuild");
  state->rebuild_table = state->rebuild == NULL ? NULL : get_attribute(module, "_rebuild_table");
  state->rebuild_format = state->rebuild_table == NULL ? NULL : get_attribute(module, "_rebuild_format");
  if (state->rebuild_format == NULL) return -1;
  return PyModule_AddStringConstant(module, "__version__", fastio_version());
}

static int module_traverse(PyObject *module, visitproc visit, void *arg) {
  State *state = state_of(module);
  PyObject *all[] = {state->Error,
                     state->ParseError,
                     state->RangeError,
                     state->DecodeError,
                     state->TruncatedError,
                     (PyObject *)state->Column,
                     (PyObject *)state->Lines,
                     (PyObject *)state->SequenceIterator,
                     (PyObject *)state->MappedFile,
                     (PyObject *)state->Reader,
                     (PyObject *)state->ReaderIterator,
                     (PyObject *)state->Stream,
                     (PyObject *)state->Table,
                     (PyObject *)state->RowIterator,
                     (PyObject *)state->CsvReader,
                     (PyObject *)state->Writer,
                     (PyObject *)state->Format,
                     (PyObject *)state->Locale,
                     state->lacking,
                     state->text_io,
                     state->raw_io,
                     state->rebuild,
                     state->rebuild_table,
                     state->rebuild_format};
  for (size_t i = 0; i < Py_ARRAY_LENGTH(all); ++i) Py_VISIT(all[i]);
  return 0;
}

static int module_clear(PyObject *module) {
  State *state = state_of(module);
  Py_CLEAR(state->Error);
  Py_CLEAR(state->ParseError);
  Py_CLEAR(state->RangeError);
  Py_CLEAR(state->DecodeError);
  Py_CLEAR(state->TruncatedError);
  Py_CLEAR(state->Column);
  Py_CLEAR(state->Lines);
  Py_CLEAR(state->SequenceIterator);
  Py_CLEAR(state->MappedFile);
  Py_CLEAR(state->Reader);
  Py_CLEAR(state->ReaderIterator);
  Py_CLEAR(state->Stream);
  Py_CLEAR(state->Table);
  Py_CLEAR(state->RowIterator);
  Py_CLEAR(state->CsvReader);
  Py_CLEAR(state->Writer);
  Py_CLEAR(state->Format);
  Py_CLEAR(state->Locale);
  Py_CLEAR(state->lacking);
  Py_CLEAR(state->text_io);
  Py_CLEAR(state->raw_io);
  Py_CLEAR(state->rebuild);
  Py_CLEAR(state->rebuild_table);
  Py_CLEAR(state->rebuild_format);
  return 0;
}

static void module_free(void *module) { module_clear((PyObject *)module); }

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#if PY_VERSION_HEX >= 0x030D0000
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

struct PyModuleDef fastio_module = {
    PyModuleDef_HEAD_INIT,   .m_name = "fastio._core",      .m_doc = module_doc,     .m_size = sizeof(State),
    .m_slots = module_slots, .m_traverse = module_traverse, .m_clear = module_clear, .m_free = module_free,
};

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&fastio_module); }
