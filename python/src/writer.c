/* Writer: bytes, text and values out, one after the other. Many at once are in numbers.c and csv_writer.c. */
#include "py.h"

const char writer_doc[] =
    "Writer(dest=None, mode='w', *, atomic=False, sync=False, buffering='auto', buffer_size=None, locked=False, "
    "permissions=None, compression='auto', level=None, encoding=None, errors='strict', threads=None)\n--\n\n"
    "A buffered way out: text, bytes, numbers and tables to a file, a descriptor, a file object or memory.\n\n"
    "dest: a path (str or os.PathLike; \"-\" is standard output), a file descriptor (borrowed), a binary file object "
    "(write),\n"
    "    another Writer, or None for memory (getvalue() is what it holds).\n"
    "mode: \"w\" creates or empties the file, \"a\" writes behind its end, \"x\" creates one that was not there. A "
    "\"b\" "
    "or \"t\"\n"
    "    makes no difference: str is written as UTF-8, bytes as they are.\n"
    "atomic: the file is replaced when everything is written and on the disk, and stays as it was if anything fails.\n"
    "sync: close() returns when the bytes are on the disk.\n"
    "buffering: \"full\", \"line\" (what ends in a newline is written at once), \"none\", or \"auto\": by lines on a "
    "terminal,\n"
    "    none on standard error, else full. buffer_size: in bytes; never changes the result.\n"
    "locked: many threads may write; the bytes of one call stay together, and those of a lock(). Without it a second\n"
    "    thread gets ValueError.\n"
    "permissions: of a new file, less the umask; None: 0o666.\n"
    "compression: \"auto\" (what the path ends in: .gz, .bgz, .zst, .xz, .bz2, .lz4), None, or the name of one, also "
    "\"bgzf\".\n"
    "    level: how hard it tries. threads: for zstd and bgzf.\n"
    "encoding: what the text, which is UTF-8 here, becomes; None: as it is. errors: \"strict\", \"replace\" or "
    "\"skip\"\n"
    "    what is not valid or not in that encoding.\n\n"
    "What a call has taken is written, or its loss reported: a failed write is an OSError from the call that met it, "
    "and\n"
    "from every later one, flush() and close() among them. Used with `with`: leaving it closes the writer, which "
    "raises what\n"
    "could not be written; an exception in the body discards an atomic one.";

/* ---- many threads ------------------------------------------------------------------------------------------------ */

/* Waits without the GIL: whoever has the lock may need it. */
static int wait_for(PyThread_type_lock lock) {
  for (;;) {
    PyLockStatus status;
    Py_BEGIN_ALLOW_THREADS;
    status = PyThread_acquire_lock_timed(lock, -1, 1);
    Py_END_ALLOW_THREADS;
    if (status == PY_LOCK_ACQUIRED) return 0;
    if (PyErr_CheckSignals() < 0) return -1;
  }
}

int writer_lock(Writer *self) {
  unsigned long me = PyThread_get_thread_ident();
  if (self->lock == NULL) return 0;
  if (self->owner != me) { /* only this thread could have made it so */
    if (PyThread_acquire_lock(self->lock, NOWAIT_LOCK) == 0 && wait_for(self->lock) < 0) return -1;
    self->owner = me;
  }
  ++self->depth;
  return 0;
}

void writer_unlock(Writer *self) {
  if (self->lock == NULL || --self->depth > 0) return;
  self->owner = 0;
  PyThread_release_lock(self->lock);
}

/* Not closed, not a forked process's. */
static int check_usable(Writer *self) {
  if (self->out.writer == NULL) PyErr_SetString(PyExc_ValueError, "the writer is closed");
  else if (self->is_foreign)
    PyErr_SetString(PyExc_ValueError, "the atomic writer belongs to the process that this one was forked from");
  else return 0;
  return -1;
}

static int writer_take(Writer *self);
static void writer_give(Writer *self);

/* Several writers may have the same target: whose call it serves, and who has let go of the GIL for it, is known only
 * while one of them is taken. */
static int target_take(Writer *self) {
  if (writer_take(self->target) < 0) return -1;
  self->target->out.gil.outer = &self->out.gil;
  return 0;
}

static void target_give(Writer *target) {
  target->out.gil.outer = NULL;
  writer_give(target);
}

/* The writers that bytes pass, this one and its targets, are all taken. */
static int writer_take(Writer *self) {
  if (writer_lock(self) < 0) return -1;
  if (busy_enter(&self->busy, "the writer") == 0) {
    if (self->target == NULL || target_take(self) == 0) return 0;
    busy_give(&self->busy);
  }
  writer_unlock(self);
  return -1;
}

static void writer_give(Writer *self) {
  if (self->target != NULL) target_give(self->target);
  busy_give(&self->busy);
  writer_unlock(self);
}

int writer_enter(Writer *self) {
  if (writer_take(self) < 0) return -1;
  if (check_usable(self) == 0) return 0;
  writer_give(self);
  return -1;
}

/* The exception of a status; notes if that is a failure to stay. */
static int writer_fail(Writer *self, fastio_status status, const fastio_error *err) {
  if (self->out.writer != NULL && fastio_writer_error(self->out.writer, NULL) != FASTIO_OK) self->is_told = 1;
  raise_error(state_of_self((PyObject *)self), status, err, self->name);
  return -1;
}

int writer_leave(Writer *self, fastio_status status, const fastio_error *err) {
  int failed = status != FASTIO_OK || PyErr_Occurred();
  if (failed) writer_fail(self, status, err);
  writer_give(self);
  return failed ? -1 : 0;
}

static PyObject *none_after(int result) {
  if (result < 0) return NULL;
  Py_RETURN_NONE;
}

/* ---- forks: a child must not write once more what its parent still has in a buffer ------------------------------- */

static void list_add(State *state, Writer *self) {
  Py_BEGIN_CRITICAL_SECTION(Py_TYPE(self));
  self->next = state->writers;
  if (self->next != NULL) self->next->before = self;
  state->writers = self;
  Py_END_CRITICAL_SECTION();
}

static void list_remove(State *state, Writer *self) {
  Py_BEGIN_CRITICAL_SECTION(Py_TYPE(self));
  if (self->before != NULL) self->before->next = self->next;
  else if (state->writers == self) state->writers = self->next;
  if (self->next != NULL) self->next->before = self->before;
  self->before = self->next = NULL;
  Py_END_CRITICAL_SECTION();
}

static PyObject *list_all(State *state) {
  PyObject *all = PyList_New(0);
  Py_BEGIN_CRITICAL_SECTION(state->Writer);
  for (Writer *writer = state->writers; all != NULL && writer != NULL; writer = writer->next) {
    if (PyList_Append(all, (PyObject *)writer) < 0) Py_CLEAR(all);
  }
  Py_END_CRITICAL_SECTION();
  return all;
}

/* Before a fork everything is flushed. What fails is met again by whoever writes next; a call on another thread is left
 * alone. */
static PyObject *before_fork(PyObject *module, PyObject *Py_UNUSED(ignored)) {
  PyObject *all = list_all(state_of(module));
  if (all == NULL) return NULL;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(all); ++i) {
    Writer *writer = (Writer *)PyList_GET_ITEM(all, i);
    int is_free = writer->lock == NULL || writer->owner == 0 || writer->owner == PyThread_get_thread_ident();
    if (!is_free || writer->busy || writer_enter(writer) < 0) {
      PyErr_Clear();
      continue;
    }
    (void)fastio_flush(writer->out.writer, NULL);
    PyErr_Clear();
    writer_give(writer);
  }
  Py_DECREF(all);
  Py_RETURN_NONE;
}

/* The only thread of a child has no use for locks of others, and atomic files are its parent's to finish. */
static PyObject *after_fork(PyObject *module, PyObject *Py_UNUSED(ignored)) {
  unsigned long me = PyThread_get_thread_ident();
  for (Writer *writer = state_of(module)->writers; writer != NULL; writer = writer->next) {
    writer->is_foreign = writer->is_atomic;
    if (writer->lock == NULL || writer->owner == 0 || writer->owner == me) continue;
    PyThread_type_lock fresh = PyThread_allocate_lock();
    if (fresh == NULL) return PyErr_NoMemory();
    writer->lock = fresh; /* the old one can't be freed: it is held */
    writer->owner = 0;
    writer->depth = 0;
    writer->busy = 0;
  }
  Py_RETURN_NONE;
}

/* os.register_at_fork(before=..., after_in_child=...), where there are forks; once. */
static int watch_forks(State *state) {
  PyObject *os = PyImport_ImportModule("os"), *call = NULL, *args = NULL, *words = NULL, *result = NULL;
  PyObject *module = PyType_GetModule(state->Writer);
  if (state->watches_forks || os == NULL || module == NULL) {
    Py_XDECREF(os);
    return state->watches_forks ? 0 : -1;
  }
  int found = lookup(os, "register_at_fork", &call);
  PyObject *before = found <= 0 ? NULL : get_attribute(module, "_before_fork");
  PyObject *after = before == NULL ? NULL : get_attribute(module, "_after_fork");
  if (after != NULL) {
    args = PyTuple_New(0);
    words = Py_BuildValue("{sOsO}", "before", before, "after_in_child", after);
    if (args != NULL && words != NULL) result = PyObject_Call(call, args, words);
  }
  state->watches_forks = found == 0 || result != NULL;
  PyObject *all[] = {os, call, before, after, args, words, result};
  for (size_t i = 0; i < Py_ARRAY_LENGTH(all); ++i) Py_XDECREF(all[i]);
  return state->watches_forks ? 0 : -1;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static int mode_from_object(PyObject *mode, fastio_write_options *options, char *letter) {
  static const struct {
    char letter;
    int mode;
  } modes[] = {{'w', FASTIO_TRUNCATE}, {'a', FASTIO_APPEND}, {'x', FASTIO_EXCLUSIVE}};
  const char *text = mode == NULL ? "w" : PyUnicode_AsUTF8(mode);
  if (text == NULL) return -1;
  int is_whole = text[0] != '\0' && (text[1] == '\0' || ((text[1] == 'b' || text[1] == 't') && text[2] == '\0'));
  for (size_t i = 0; is_whole && i < Py_ARRAY_LENGTH(modes); ++i) {
    if (text[0] != modes[i].letter) continue;
    options->mode = modes[i].mode;
    *letter = text[0];
    return 0;
  }
  PyErr_Format(PyExc_ValueError, "mode must be \"r\" or \"rb\" to read, \"w\", \"a\" or \"x\" to write, not %R", mode);
  return -1;
}

static int sizes_from_objects(PyObject *size, PyObject *permissions, fastio_write_options *options) {
  uint64_t bytes = 0, bits = 0;
  if (size != NULL && size != Py_None && int_from_object(size, "buffer_size", 1, &bytes) < 0) return -1;
  if (permissions != NULL && permissions != Py_None && int_from_object(permissions, "permissions", 1, &bits) < 0)
    return -1;
  if (bits > 07777) {
    PyErr_Format(PyExc_ValueError, "permissions must be at most 0o7777, not %R", permissions);
    return -1;
  }
  options->buffer_size = (size_t)MIN(bytes, (uint64_t)PY_SSIZE_T_MAX / 4);
  options->permissions = (unsigned)bits;
  return 0;
}

/* Created closed, then opened. */
static Writer *writer_make(PyTypeObject *type) {
  Writer *self = (Writer *)type->tp_alloc(type, 0); /* all zero, and tracked */
  if (self != NULL) self->mode = 'w';
  return self;
}

static int writer_open(State *state, Writer *self, PyObject *dest, fastio_write_options *options, int locked) {
  self->is_memory = dest == NULL || dest == Py_None;
  if (!self->is_memory && watch_forks(state) < 0) return -1;
  if (locked && (self->lock = PyThread_allocate_lock()) == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  self->is_atomic = (options->flags & FASTIO_WRITE_ATOMIC) != 0;
  int result = output_open(state, &self->out, dest, options);
  self->name = Py_XNewRef(self->out.name);
  if (result == 0 && !self->is_memory) list_add(state, self);
  return result;
}

/* What becomes of the bytes on their way out. What the names are taken from is kept. */
typedef struct Encoding {
  PyObject *compression, *level, *encoding, *errors, *threads; /* borrowed; NULL: not given */
  PyObject *keep[2];
} Encoding;

static int level_from_object(PyObject *level, int *out) {
  if (level == NULL || level == Py_None) return 0;
  if (PyBool_Check(level) || !PyIndex_Check(level)) {
    PyErr_Format(PyExc_TypeError, "level must be an int or None, not %.100s", Py_TYPE(level)->tp_name);
    return -1;
  }
  Py_ssize_t number = PyNumber_AsSsize_t(level, NULL);
  if (number == -1 && PyErr_Occurred()) return -1;
  *out = (int)MAX(MIN(number, INT_MAX), -INT_MAX);
  if (*out != FASTIO_LEVEL_DEFAULT) return 0;
  PyErr_Format(PyExc_ValueError, "level can't be %R", level);
  return -1;
}

static int encoding_from_objects(Encoding *given, fastio_write_options *options) {
  if (given->compression == Py_None) options->compression = NULL;
  else if (given->compression != NULL) {
    options->compression = compression_name(given->compression, &given->keep[0]);
    if (options->compression == NULL) return -1;
  }
  if (given->encoding != NULL && given->encoding != Py_None) {
    options->encoding = encoding_name(given->encoding, &given->keep[1]);
    if (options->encoding == NULL) return -1;
  }
  if (given->errors != NULL && errors_from_object(given->errors, &options->errors) < 0) return -1;
  if (level_from_object(given->level, &options->level) < 0) return -1;
  if (given->threads == NULL || given->threads == Py_None) return 0;
  return threads_from_object(given->threads, &options->threads);
}

static PyObject *writer_from(PyTypeObject *type, PyObject *args, PyObject *kwargs, const char *format) {
  static char *names[] = {"dest",        "mode",        "atomic", "sync",     "buffering", "buffer_size", "locked",
                          "permissions", "compression", "level",  "encoding", "errors",    "threads",     NULL};
  static const char *const bufferings[] = {"auto", "full", "line", "none"};
  PyObject *dest = NULL, *mode = NULL, *buffering = NULL, *size = NULL, *permissions = NULL;
  Encoding encoding = {0};
  int atomic = 0, sync = 0, locked = 0;
  char letter = 'w';
  fastio_write_options options;
  fastio_write_options_init(&options);
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, format, names, &dest, &mode, &atomic, &sync, &buffering, &size,
                                   &locked, &permissions, &encoding.compression, &encoding.level, &encoding.encoding,
                                   &encoding.errors, &encoding.threads))
    return NULL;
  options.buffering = buffering == NULL ? FASTIO_BUFFER_AUTO : choice(buffering, "buffering", bufferings, 4);
  options.flags = (atomic ? FASTIO_WRITE_ATOMIC : 0u) | (sync ? FASTIO_WRITE_SYNC : 0u);
  Writer *self = NULL;
  if (options.buffering >= 0 && mode_from_object(mode, &options, &letter) == 0 &&
      sizes_from_objects(size, permissions, &options) == 0 && encoding_from_objects(&encoding, &options) == 0)
    self = writer_make(type);
  if (self != NULL) self->mode = letter;
  if (self != NULL && writer_open((State *)PyType_GetModuleState(type), self, dest, &options, locked) < 0)
    Py_CLEAR(self);
  Py_XDECREF(encoding.keep[0]);
  Py_XDECREF(encoding.keep[1]);
  return (PyObject *)self;
}

static PyObject *writer_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  return writer_from(type, args, kwargs, "|OU$ppUOpOOOOOO:Writer");
}

PyObject *open_writer(State *state, PyObject *args, PyObject *kwargs) {
  return writer_from(state->Writer, args, kwargs, "O|U$ppUOpOOOOOO:open");
}

PyObject *writer_memory(State *state) {
  fastio_write_options options;
  fastio_write_options_init(&options);
  Writer *self = writer_make(state->Writer);
  if (self != NULL && writer_open(state, self, NULL, &options, 0) < 0) Py_CLEAR(self);
  return (PyObject *)self;
}

/* ---- closing ----------------------------------------------------------------------------------------------------- */

/* Bookkeeping of a redirection that the core has made. */
static void set_target(Writer *self, Writer *target) {
  Writer *before = self->target;
  if (target != NULL) ++target->users;
  self->target = (Writer *)Py_XNewRef((PyObject *)target);
  if (before == NULL) return;
  --before->users;
  Py_DECREF(before);
}

static fastio_status finish(Writer *self, int discards, fastio_error *err) {
  fastio_writer *writer = self->out.writer;
  if (self->is_foreign) return FASTIO_OK; /* left as it is: even to free it would remove the parent's file */
  if (!discards) return fastio_writer_close(writer, err);
  fastio_writer_discard(writer);
  return FASTIO_OK;
}

/* Closes what is open and not busy. 0, or -1 with an exception. `is_quiet`: not for a failure that was raised. */
static int writer_finish(Writer *self, int discards, int is_quiet) {
  State *state = state_of_self((PyObject *)self);
  fastio_error err;
  fastio_status back = FASTIO_OK;
  fastio_error_init(&err);
  if (self->out.writer == NULL) return 0;
  if (self->target != NULL) {
    back = fastio_writer_redirect(self->out.writer, NULL, &err);
    set_target(self, NULL);
  }
  gil_release(&self->out.gil);
  fastio_status status = finish(self, discards, back == FASTIO_OK ? &err : NULL);
  gil_take(&self->out.gil);
  self->out.writer = NULL;
  if (!self->is_memory) list_remove(state, self);
  if (back != FASTIO_OK) status = back;
  int failed = (status != FASTIO_OK || PyErr_Occurred()) && !(is_quiet && self->is_told);
  if (failed) raise_error(state, status, &err, self->name);
  else PyErr_Clear();
  output_clear(&self->out);
  return failed ? -1 : 0;
}

static int writer_end(Writer *self, int discards, int is_quiet) {
  if (writer_lock(self) < 0) return -1;
  int failed = busy_enter(&self->busy, "the writer") < 0;
  if (!failed && self->users != 0) {
    PyErr_SetString(PyExc_ValueError, "another writer is redirected to this one");
    busy_give(&self->busy);
    failed = 1;
  }
  if (!failed) {
    failed = writer_finish(self, discards, is_quiet) < 0;
    busy_give(&self->busy);
  }
  writer_unlock(self);
  return failed ? -1 : 0;
}

static PyObject *writer_close(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  return none_after(writer_end((Writer *)op, 0, 0));
}

static PyObject *writer_discard(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  return none_after(writer_end((Writer *)op, 1, 0));
}

static PyObject *writer_enter_with(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  Writer *self = (Writer *)op;
  if (writer_enter(self) < 0 || writer_leave(self, FASTIO_OK, NULL) < 0) return NULL;
  return Py_NewRef(op);
}

/* What the body raised goes on; but a failure that it has not met is raised (with the other as its context). */
static PyObject *writer_exit(PyObject *op, PyObject *const *args, Py_ssize_t nargs) {
  Writer *self = (Writer *)op;
  int is_failing = nargs > 0 && args[0] != Py_None;
  return none_after(writer_end(self, is_failing && self->is_atomic, is_failing));
}

static int writer_traverse(PyObject *op, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(op));
  Py_VISIT(((Writer *)op)->target);
  return output_traverse(&((Writer *)op)->out, visit, arg);
}

/* A writer that nobody closed is flushed; an atomic one never happened. Who can't be told by an exception is told by
 * sys.unraisablehook. */
static void end_unclosed(Writer *self) {
  PyObject *type, *value, *traceback;
  if (self->out.writer == NULL || self->users != 0) return;
  PyErr_Fetch(&type, &value, &traceback);
  if (writer_finish(self, self->is_atomic, 1) < 0) PyErr_WriteUnraisable((PyObject *)self);
  PyErr_Restore(type, value, traceback);
}

static void writer_finalize(PyObject *op) {
  Writer *self = (Writer *)op;
  PyObject *type, *value, *traceback;
  if (self->out.writer == NULL) return;
  PyErr_Fetch(&type, &value, &traceback);
  if (self->out.owns_file && !self->is_foreign && PyErr_ResourceWarning(op, 1, "unclosed writer %R", op) < 0) {
    PyErr_WriteUnraisable(op);
  }
  PyErr_Restore(type, value, traceback);
  end_unclosed(self);
}

/* The finalizers of a whole cycle have run before: what is open still was the target of another. */
static int writer_clear(PyObject *op) {
  Writer *self = (Writer *)op;
  end_unclosed(self);
  if (self->out.writer == NULL) output_clear(&self->out);
  return 0;
}

static void writer_dealloc(PyObject *op) {
  Writer *self = (Writer *)op;
  PyTypeObject *type = Py_TYPE(op);
  if (PyObject_CallFinalizerFromDealloc(op) < 0) return; /* brought back to life */
  PyObject_GC_UnTrack(op);
  if (self->weakrefs != NULL) PyObject_ClearWeakRefs(op);
  writer_clear(op);
  if (self->lock != NULL) PyThread_free_lock(self->lock);
  Py_XDECREF(self->name);
  type->tp_free(op);
  Py_DECREF(type);
}

/* ---- bytes and text ---------------------------------------------------------------------------------------------- */

static int write_bytes(Writer *self, const void *data, size_t size) {
  fastio_error err;
  if (writer_enter(self) < 0) return -1;
  fastio_status status = fastio_write(self->out.writer, data, size, &err);
  return writer_leave(self, status, &err);
}

static PyObject *write_str(Writer *self, PyObject *text) {
  if (PyUnicode_IS_COMPACT_ASCII(text)) {
    size_t size = (size_t)PyUnicode_GET_LENGTH(text);
    return write_bytes(self, PyUnicode_DATA(text), size) < 0 ? NULL : PyLong_FromSize_t(size);
  }
  PyObject *bytes = PyUnicode_AsUTF8String(text);
  if (bytes == NULL) return NULL;
  int failed = write_bytes(self, PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes)) < 0;
  PyObject *result = failed ? NULL : PyLong_FromSsize_t(PyBytes_GET_SIZE(bytes));
  Py_DECREF(bytes);
  return result;
}

static PyObject *writer_write(PyObject *op, PyObject *data) {
  Writer *self = (Writer *)op;
  Py_buffer view;
  if (PyUnicode_Check(data)) return write_str(self, data);
  if (!PyObject_CheckBuffer(data)) {
    return PyErr_Format(PyExc_TypeError, "write() takes str or bytes-like data, not %.100s", Py_TYPE(data)->tp_name);
  }
  if (PyObject_GetBuffer(data, &view, PyBUF_SIMPLE) < 0) return NULL;
  int failed = write_bytes(self, view.buf, (size_t)view.len) < 0;
  PyObject *result = failed ? NULL : PyLong_FromSsize_t(view.len);
  PyBuffer_Release(&view);
  return result;
}

typedef struct PrintWords {
  PyObject *sep, *end; /* str or NULL */
  int flush;
} PrintWords;

static int print_word(PrintWords *words, PyObject *name, PyObject *value) {
  int is_sep = PyUnicode_CompareWithASCIIString(name, "sep") == 0;
  if (PyUnicode_CompareWithASCIIString(name, "flush") == 0) {
    words->flush = PyObject_IsTrue(value);
    return words->flush < 0 ? -1 : 0;
  }
  if (!is_sep && PyUnicode_CompareWithASCIIString(name, "end") != 0) {
    PyErr_Format(PyExc_TypeError, "print() got an unexpected keyword argument '%U'", name);
    return -1;
  }
  if (value != Py_None && !PyUnicode_Check(value)) {
    PyErr_Format(PyExc_TypeError, "%U must be None or a str, not %.100s", name, Py_TYPE(value)->tp_name);
    return -1;
  }
  *(is_sep ? &words->sep : &words->end) = value == Py_None ? NULL : value;
  return 0;
}

static int print_words(PrintWords *words, PyObject *const *values, PyObject *kwnames) {
  Py_ssize_t count = kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames);
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (print_word(words, PyTuple_GET_ITEM(kwnames, i), values[i]) < 0) return -1;
  }
  return 0;
}

static int print_text(State *state, Text *text, PyObject *const *args, Py_ssize_t nargs, const PrintWords *words) {
  for (Py_ssize_t i = 0; i < nargs; ++i) {
    if (i > 0 && (words->sep != NULL ? text_append_str(text, words->sep) : text_append(text, " ", 1)) < 0) return -1;
    if (text_append_value(state, text, args[i]) < 0) return -1;
  }
  return words->end != NULL ? text_append_str(text, words->end) : text_append(text, "\n", 1);
}

/* Put together first: it is one write, and what values have to say of themselves may use the writer. */
static PyObject *writer_print(PyObject *op, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  Writer *self = (Writer *)op;
  PrintWords words = {NULL, NULL, 0};
  fastio_error err;
  Text text;
  if (print_words(&words, args + nargs, kwnames) < 0) return NULL;
  text_init(&text);
  int failed = print_text(state_of_self(op), &text, args, nargs, &words) < 0 || writer_enter(self) < 0;
  if (!failed) {
    fastio_status status = fastio_write(self->out.writer, text.data, text.size, &err);
    if (status == FASTIO_OK && words.flush) status = fastio_flush(self->out.writer, &err);
    failed = writer_leave(self, status, &err) < 0;
  }
  text_clear(&text);
  return none_after(failed ? -1 : 0);
}

/* ---- one number -------------------------------------------------------------------------------------------------- */

static fastio_status write_plain(fastio_writer *writer, const Number *number, fastio_error *err) {
  switch (number->type) {
    case FASTIO_INT64: return fastio_write_i64(writer, number->value.i, err);
    case FASTIO_UINT64: return fastio_write_u64(writer, number->value.u, err);
    case FASTIO_FLOAT32: return fastio_write_f32(writer, (float)number->value.f, err);
    default: return fastio_write_f64(writer, number->value.f, err);
  }
}

static fastio_status write_formatted(fastio_writer *writer, const Number *number, const fastio_format *format,
                                     fastio_error *err) {
  switch (number->type) {
    case FASTIO_INT64: return fastio_write_i64_as(writer, number->value.i, format, err);
    case FASTIO_UINT64: return fastio_write_u64_as(writer, number->value.u, format, err);
    case FASTIO_FLOAT32: return fastio_write_f32_as(writer, (float)number->value.f, format, err);
    default: return fastio_write_f64_as(writer, number->value.f, format, err);
  }
}

/* A NULL format is the plain one. */
static PyObject *put_number(Writer *self, const Number *number, const fastio_format *format) {
  fastio_error err;
  if (writer_enter(self) < 0) return NULL;
  fastio_status status = format == NULL ? write_plain(self->out.writer, number, &err)
                                        : write_formatted(self->out.writer, number, format, &err);
  return none_after(writer_leave(self, status, &err));
}

static int is_float(const Number *number) { return number->type == FASTIO_FLOAT32 || number->type == FASTIO_FLOAT64; }

static PyObject *writer_write_int(PyObject *op, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  PyObject *value;
  fastio_format format;
  Number number;
  int given = value_and_format(state_of_self(op), "write_int", args, nargs, kwnames, &value, &format);
  int kind = given < 0 ? -1 : number_from_object(value, &number);
  if (kind < 0) return NULL;
  if (kind > 0 && !is_float(&number)) return put_number((Writer *)op, &number, given ? &format : NULL);
  return PyErr_Format(PyExc_TypeError, "write_int() takes an int, not %.100s", Py_TYPE(value)->tp_name);
}

static PyObject *writer_write_float(PyObject *op, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  PyObject *value;
  fastio_format format;
  Number number;
  int given = value_and_format(state_of_self(op), "write_float", args, nargs, kwnames, &value, &format);
  int kind = given < 0 ? -1 : number_from_object(value, &number);
  if (kind < 0) return NULL;
  if (kind == 0) {
    return PyErr_Format(PyExc_TypeError, "write_float() takes a float, not %.100s", Py_TYPE(value)->tp_name);
  }
  if (number_as_float(&number) == 0) return put_number((Writer *)op, &number, given ? &format : NULL);
  return PyErr_Format(PyExc_OverflowError, "the int %R is no float exactly", value);
}

/* ---- on the way -------------------------------------------------------------------------------------------------- */

static PyObject *writer_flush(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  Writer *self = (Writer *)op;
  fastio_error err;
  if (writer_enter(self) < 0) return NULL;
  return none_after(writer_leave(self, fastio_flush(self->out.writer, &err), &err));
}

/* At the end of the process: what was raised before is not told again. */
static PyObject *writer_flush_last(PyObject *op, PyObject *ignored) {
  Writer *self = (Writer *)op;
  if (self->out.writer == NULL || self->is_told) Py_RETURN_NONE;
  return writer_flush(op, ignored);
}

static PyObject *writer_sync(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  Writer *self = (Writer *)op;
  fastio_error err;
  if (writer_enter(self) < 0) return NULL;
  gil_release(&self->out.gil);
  fastio_status status = fastio_sync(self->out.writer, &err);
  gil_take(&self->out.gil);
  return none_after(writer_leave(self, status, &err));
}

static PyObject *writer_tell(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  Writer *self = (Writer *)op;
  if (writer_enter(self) < 0) return NULL;
  uint64_t offset = fastio_writer_offset(self->out.writer);
  return writer_leave(self, FASTIO_OK, NULL) < 0 ? NULL : PyLong_FromUnsignedLongLong(offset);
}

static PyObject *writer_fileno(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  Writer *self = (Writer *)op;
  if (writer_enter(self) < 0) return NULL;
  int fd = fastio_writer_fileno(self->out.writer);
  if (writer_leave(self, FASTIO_OK, NULL) < 0) return NULL;
  if (fd >= 0) return PyLong_FromLong(fd);
  PyObject *io = PyImport_ImportModule("io");
  PyObject *type = io == NULL ? NULL : get_attribute(io, "UnsupportedOperation");
  if (type != NULL) PyErr_SetString(type, "the writer has no file descriptor");
  Py_XDECREF(io);
  Py_XDECREF(type);
  return NULL;
}

/* The bytes of a writer into memory, in the middle of a call. */
static int held(Writer *self, fastio_bytes *out, fastio_error *err) {
  if (writer_enter(self) < 0) return -1;
  if (!self->is_memory) {
    PyErr_SetString(PyExc_ValueError, "only a writer into memory has a value");
    return writer_leave(self, FASTIO_OK, NULL);
  }
  fastio_status status = fastio_writer_bytes(self->out.writer, out, err);
  return status == FASTIO_OK ? 0 : writer_leave(self, status, err);
}

static PyObject *writer_getvalue(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  Writer *self = (Writer *)op;
  fastio_bytes bytes;
  fastio_error err;
  if (held(self, &bytes, &err) < 0) return NULL;
  PyObject *value = PyBytes_FromStringAndSize(bytes.data, (Py_ssize_t)bytes.size);
  return writer_leave(self, FASTIO_OK, NULL) < 0 ? NULL : value;
}

int writer_append_to(PyObject *op, Text *text) {
  Writer *self = (Writer *)op;
  fastio_bytes bytes;
  fastio_error err;
  if (held(self, &bytes, &err) < 0) return -1;
  (void)text_append(text, bytes.data, bytes.size);
  return writer_leave(self, FASTIO_OK, NULL);
}

/* ---- redirection and locks --------------------------------------------------------------------------------------- */

static int check_target(Writer *self, Writer *target) {
  for (Writer *at = target; at != NULL; at = at->target) {
    if (at != self) continue;
    PyErr_SetString(PyExc_ValueError, "a writer can't be redirected to itself");
    return -1;
  }
  return 0;
}

/* The writer's target becomes another one, or none; returns the one before, or None. */
static PyObject *redirect_to(Writer *self, Writer *target) {
  fastio_error err;
  if (writer_enter(self) < 0) return NULL;
  Writer *before = self->target;
  int enters = target != NULL && target != before;
  PyObject *result = NULL;
  if (!enters || writer_enter(target) == 0) {
    fastio_writer *core = target == NULL ? NULL : target->out.writer;
    fastio_status status = fastio_writer_redirect(self->out.writer, core, &err);
    if (enters) writer_give(target);
    if (status != FASTIO_OK || PyErr_Occurred()) writer_fail(self, status, &err);
    else result = Py_NewRef(before != NULL ? (PyObject *)before : Py_None);
  }
  if (before != NULL) target_give(before);
  if (result != NULL) set_target(self, target);
  busy_give(&self->busy);
  writer_unlock(self);
  return result;
}

static PyObject *writer_redirect_to(PyObject *op, PyObject *target) {
  if (target == Py_None) return redirect_to((Writer *)op, NULL);
  if (Py_TYPE(target) != Py_TYPE(op)) return PyErr_Format(PyExc_TypeError, "the target must be a Writer");
  return check_target((Writer *)op, (Writer *)target) < 0 ? NULL : redirect_to((Writer *)op, (Writer *)target);
}

/* What needs an object of its own is Python. */
static PyObject *helper_of(PyObject *op, const char *name, PyObject *args, PyObject *kwargs) {
  PyObject *helper = write_helper(name), *self = helper == NULL ? NULL : PyTuple_Pack(1, op);
  PyObject *all = self == NULL || args == NULL ? Py_XNewRef(self) : PySequence_Concat(self, args);
  PyObject *result = all == NULL ? NULL : PyObject_Call(helper, all, kwargs);
  Py_XDECREF(helper);
  Py_XDECREF(self);
  Py_XDECREF(all);
  return result;
}

static PyObject *writer_redirect(PyObject *op, PyObject *args, PyObject *kwargs) {
  return helper_of(op, "Redirection", args, kwargs);
}

static PyObject *writer_write_csv(PyObject *op, PyObject *args, PyObject *kwargs) {
  return helper_of(op, "write_csv", args, kwargs);
}

static PyObject *writer_lock_for(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  return helper_of(op, "Lock", NULL, NULL);
}

static PyObject *writer_acquire(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  return none_after(writer_lock((Writer *)op));
}

static PyObject *writer_release(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  Writer *self = (Writer *)op;
  if (self->lock != NULL && self->owner != PyThread_get_thread_ident()) {
    return PyErr_Format(PyExc_RuntimeError, "the lock is not this thread's");
  }
  writer_unlock(self);
  Py_RETURN_NONE;
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static PyObject *get_closed(PyObject *op, void *Py_UNUSED(closure)) {
  return PyBool_FromLong(((Writer *)op)->out.writer == NULL);
}

static PyObject *get_name(PyObject *op, void *Py_UNUSED(closure)) {
  PyObject *name = ((Writer *)op)->name;
  return Py_NewRef(name != NULL ? name : Py_None);
}

static PyObject *get_mode(PyObject *op, void *Py_UNUSED(closure)) {
  return PyUnicode_FromStringAndSize(&((Writer *)op)->mode, 1);
}

static PyObject *writer_repr(PyObject *op) {
  Writer *self = (Writer *)op;
  const char *state = self->out.writer == NULL ? " closed" : "";
  if (self->name == NULL) return PyUnicode_FromFormat("<fastio.Writer%s>", state);
  return PyUnicode_FromFormat("<fastio.Writer %R%s>", self->name, state);
}

/* ---- the type ---------------------------------------------------------------------------------------------------- */

static PyMethodDef writer_methods[] = {
    {"write", writer_write, METH_O,
     PyDoc_STR("write($self, data, /)\n--\n\n"
               "Writes a str, as UTF-8, or bytes-like data of any size; returns how many bytes that were.")},
    {"print", FUNCTION(writer_print), METH_FASTCALL | METH_KEYWORDS,
     PyDoc_STR("print($self, /, *values, sep=' ', end='\\n', flush=False)\n--\n\n"
               "Writes the values as the built-in print() does, in one write. An own type writes what its\n"
               "__fastio_print__(writer) does.")},
    {"write_int", FUNCTION(writer_write_int), METH_FASTCALL | METH_KEYWORDS,
     PyDoc_STR("write_int($self, value, /, format=None)\n--\n\n"
               "Writes an int of up to 64 bits; OverflowError for a larger one.")},
    {"write_float", FUNCTION(writer_write_float), METH_FASTCALL | METH_KEYWORDS,
     PyDoc_STR("write_float($self, value, /, format=None)\n--\n\n"
               "Writes a float: the shortest digits that read back as the same one, or in a format (a Format, or\n"
               "\"hexadecimal\"). An int is written as the float it is; OverflowError if it is none.")},
    {"write_ints", FUNCTION(writer_write_ints), METH_FASTCALL | METH_KEYWORDS, write_ints_doc},
    {"write_floats", FUNCTION(writer_write_floats), METH_FASTCALL | METH_KEYWORDS, write_floats_doc},
    {"write_lines", FUNCTION(writer_write_lines), METH_FASTCALL | METH_KEYWORDS, write_lines_doc},
    {"write_csv", FUNCTION(writer_write_csv), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("write_csv($self, data, /, **words)\n--\n\n"
               "A table as delimited text, as fastio.write_csv(writer, data, **words).")},
    {"flush", writer_flush, METH_NOARGS,
     PyDoc_STR("flush($self, /)\n--\n\nWrites what the buffer holds; a file object is flushed too.")},
    {"sync", writer_sync, METH_NOARGS, PyDoc_STR("sync($self, /)\n--\n\nThe same, and waits until it is on the disk.")},
    {"close", writer_close, METH_NOARGS,
     PyDoc_STR("close($self, /)\n--\n\n"
               "Writes what the buffer holds and lets go of the destination: closes the file if the writer opened it.\n"
               "Raises what could not be written, and is closed then too. Closing again does nothing.")},
    {"discard", writer_discard, METH_NOARGS,
     PyDoc_STR("discard($self, /)\n--\n\n"
               "Closes without writing what the buffer holds; of an atomic writer the old file stays.")},
    {"tell", writer_tell, METH_NOARGS,
     PyDoc_STR("tell($self, /)\n--\n\nHow many bytes were taken since the writer was opened.")},
    {"fileno", writer_fileno, METH_NOARGS,
     PyDoc_STR("fileno($self, /)\n--\n\n"
               "The file descriptor; io.UnsupportedOperation if there is none. Of an atomic writer the new file's.")},
    {"getvalue", writer_getvalue, METH_NOARGS,
     PyDoc_STR("getvalue($self, /)\n--\n\nAll bytes that a writer into memory holds.")},
    {"redirect", FUNCTION(writer_redirect), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR(
         "redirect($self, dest=None, /, **words)\n--\n\n"
         "A context manager within which the writer's bytes go elsewhere: to a Writer, or to whatever open(dest,\n"
         "\"w\", **words) makes of dest. It gives that writer; one that it opened is closed at the end, but for\n"
         "memory (None), which can be asked for its value then.")},
    {"lock", writer_lock_for, METH_NOARGS,
     PyDoc_STR("lock($self, /)\n--\n\n"
               "A context manager within which other threads wait to write (locked=True): what is written stays\n"
               "together.")},
    {"_copy", writer_copy, METH_VARARGS,
     PyDoc_STR("_copy($self, source, length, source_compression, source_encoding, errors, /)\n--\n\n"
               "Copies a source's bytes, at most `length` of them, decoded if that is asked for.")},
    {"_flush_last", writer_flush_last, METH_NOARGS,
     PyDoc_STR("_flush_last($self, /)\n--\n\nFlushes at the end of the process.")},
    {"_redirect", writer_redirect_to, METH_O,
     PyDoc_STR("_redirect($self, target, /)\n--\n\nRedirects to a Writer or None; returns the target before.")},
    {"_acquire", writer_acquire, METH_NOARGS, PyDoc_STR("_acquire($self, /)\n--\n\nTakes the lock.")},
    {"_release", writer_release, METH_NOARGS, PyDoc_STR("_release($self, /)\n--\n\nGives it back.")},
    {"__enter__", writer_enter_with, METH_NOARGS, PyDoc_STR("__enter__($self, /)\n--\n\nThe writer itself.")},
    {"__exit__", FUNCTION(writer_exit), METH_FASTCALL,
     PyDoc_STR("__exit__($self, /, *exc_info)\n--\n\n"
               "Closes it, and raises what could not be written unless it was raised before. After an exception an\n"
               "atomic writer is discarded.")},
    {"__reduce__", refuse_pickle, METH_NOARGS,
     PyDoc_STR("__reduce__($self, /)\n--\n\nRaises TypeError: not to be pickled.")},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef writer_getset[] = {
    {"closed", get_closed, NULL, PyDoc_STR("True once closed."), NULL},
    {"name", get_name, NULL, PyDoc_STR("The path, a file object's name, \"<stdout>\", \"<fd N>\", or None for memory."),
     NULL},
    {"mode", get_mode, NULL, PyDoc_STR("\"w\", \"a\" or \"x\"."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef writer_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Writer, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot writer_slots[] = {
    {Py_tp_doc, (void *)writer_doc},
    {Py_tp_new, writer_new},
    {Py_tp_dealloc, writer_dealloc},
    {Py_tp_finalize, writer_finalize},
    {Py_tp_traverse, writer_traverse},
    {Py_tp_clear, writer_clear},
    {Py_tp_repr, writer_repr},
    {Py_tp_methods, writer_methods},
    {Py_tp_getset, writer_getset},
    {Py_tp_members, writer_members},
    {0, NULL},
};

PyType_Spec writer_spec = {
    .name = "fastio.Writer",
    .basicsize = sizeof(Writer),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = writer_slots,
};

/* ---- the module's functions -------------------------------------------------------------------------------------- */

static PyMethodDef write_functions[] = {
    {"format", FUNCTION(format_function), METH_FASTCALL | METH_KEYWORDS, format_doc},
    {"concat", FUNCTION(concat_function), METH_FASTCALL, concat_doc},
    {"_write_table", FUNCTION(write_table), METH_VARARGS, "What write_csv calls for each table or stream of Arrow's."},
    {"_column", FUNCTION(column_of_values), METH_O, "Values of one kind as a Column, for write_csv."},
    {"_temporal", temporal_column, METH_VARARGS, "NumPy's datetime64, viewed as int64, as a Column."},
    {"_stream_names", stream_names, METH_O, "The names of an Arrow stream's columns."},
    {"_stream_of_array", stream_of_array, METH_VARARGS, "An Arrow array's capsules as a stream of one batch."},
    {"_rebuild_format", rebuild_format, METH_O, "What pickles of formats call."},
    {"_before_fork", before_fork, METH_NOARGS, "Flushes every open writer."},
    {"_after_fork", after_fork, METH_NOARGS, "Tells the writers that this is a child."},
    {NULL, NULL, 0, NULL},
};

int add_write_functions(PyObject *module) { return PyModule_AddFunctions(module, write_functions); }
