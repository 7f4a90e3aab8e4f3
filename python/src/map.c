/* MappedFile: a file as memory. */
#include "py.h"

static const char map_doc[] =
    "A file as memory, from fastio.load: a read-only buffer, and a source for every reader.\n\n"
    "An index gives an int, a slice bytes (a copy; memoryview(m)[a:b] is a view). `in`, find, rfind and count search "
    "for an\n"
    "int or bytes. It is a live view: whoever writes to the file changes it; whoever truncates the file takes pages "
    "away,\n"
    "which ends the process with SIGBUS unless it was loaded with guard=True. A context manager; close() raises "
    "BufferError\n"
    "while buffers of it are in use.";

/* ---- pins -------------------------------------------------------------------------------------------------------- */

int map_pin(Map *self) {
  int is_open;
  Py_BEGIN_CRITICAL_SECTION(self);
  is_open = self->map != NULL;
  if (is_open) ++self->exports;
  Py_END_CRITICAL_SECTION();
  if (!is_open) PyErr_SetString(PyExc_ValueError, "the mapped file is closed");
  return is_open ? 0 : -1;
}

void map_unpin(Map *self) {
  Py_BEGIN_CRITICAL_SECTION(self);
  --self->exports;
  Py_END_CRITICAL_SECTION();
}

/* With the memory touched: an error if a guarded page was lost meanwhile. */
static int map_check(Map *self) {
  fastio_error err;
  fastio_error_init(&err);
  fastio_status status = fastio_map_check(self->map, &err);
  if (status == FASTIO_OK) return 0;
  raise_error(state_of_self((PyObject *)self), status, &err, self->path);
  return -1;
}

/* ---- lifetime ---------------------------------------------------------------------------------------------------- */

static PyObject *map_close(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  Map *self = (Map *)op;
  fastio_map *map = NULL;
  int is_used;
  Py_BEGIN_CRITICAL_SECTION(self);
  is_used = self->exports > 0;
  if (!is_used) {
    map = self->map;
    self->map = NULL;
  }
  Py_END_CRITICAL_SECTION();
  if (is_used) {
    PyErr_SetString(PyExc_BufferError, "the mapped file is in use: release its buffers and readers first");
    return NULL;
  }
  fastio_map_close(map);
  Py_RETURN_NONE;
}

static void map_dealloc(PyObject *op) {
  Map *self = (Map *)op;
  PyTypeObject *type = Py_TYPE(op);
  if (self->weakrefs != NULL) PyObject_ClearWeakRefs(op);
  fastio_map_close(self->map);
  Py_XDECREF(self->path);
  type->tp_free(op);
  Py_DECREF(type);
}

static PyObject *map_enter(PyObject *op, PyObject *Py_UNUSED(ignored)) {
  if (map_pin((Map *)op) < 0) return NULL;
  map_unpin((Map *)op);
  return Py_NewRef(op);
}

static PyObject *map_exit(PyObject *op, PyObject *const *Py_UNUSED(args), Py_ssize_t Py_UNUSED(nargs)) {
  return map_close(op, NULL);
}

/* ---- buffer and sequence ----------------------------------------------------------------------------------------- */

static int map_getbuffer(PyObject *op, Py_buffer *view, int flags) {
  Map *self = (Map *)op;
  view->obj = NULL;
  if (map_pin(self) < 0) return -1;
  if (self->map->size <= PY_SSIZE_T_MAX && map_check(self) == 0 &&
      PyBuffer_FillInfo(view, op, (void *)(uintptr_t)self->map->data, (Py_ssize_t)self->map->size, 1, flags) == 0) {
    return 0;
  }
  map_unpin(self);
  return -1;
}

static void map_releasebuffer(PyObject *op, Py_buffer *Py_UNUSED(view)) { map_unpin((Map *)op); }

static Py_ssize_t map_length(PyObject *op) {
  Map *self = (Map *)op;
  if (map_pin(self) < 0) return -1;
  Py_ssize_t length = (Py_ssize_t)self->map->size;
  map_unpin(self);
  return length;
}

static PyObject *item_at(Map *self, Py_ssize_t i) {
  if (i < 0 || (size_t)i >= self->map->size) {
    PyErr_SetString(PyExc_IndexError, "index out of range");
    return NULL;
  }
  return PyLong_FromLong(self->map->data[i]);
}

static PyObject *slice_of(Map *self, PyObject *slice) {
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(slice, &start, &stop, &step) < 0) return NULL;
  Py_ssize_t length = PySlice_AdjustIndices((Py_ssize_t)self->map->size, &start, &stop, step);
  const char *data = (const char *)self->map->data;
  if (step == 1 || length == 0) return PyBytes_FromStringAndSize(length == 0 ? "" : data + start, length);
  PyObject *bytes = PyBytes_FromStringAndSize(NULL, length);
  if (bytes == NULL) return NULL;
  for (Py_ssize_t i = 0; i < length; ++i) PyBytes_AS_STRING(bytes)[i] = data[start + i * step];
  return bytes;
}

static PyObject *subscript(Map *self, PyObject *key) {
  if (PySlice_Check(key)) return slice_of(self, key);
  if (!PyIndex_Check(key)) {
    return PyErr_Format(PyExc_TypeError, "indices must be integers or slices, not %.100s", Py_TYPE(key)->tp_name);
  }
  Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
  if (i == -1 && PyErr_Occurred()) return NULL;
  return item_at(self, i < 0 ? i + (Py_ssize_t)self->map->size : i);
}

/* What was read from lost pages is not given out. */
static PyObject *checked(Map *self, PyObject *result) {
  if (result != NULL && map_check(self) < 0) Py_CLEAR(result);
  map_unpin(self);
  return result;
}

static PyObject *map_subscript(PyObject *op, PyObject *key) {
  Map *self = (Map *)op;
  return map_pin(self) < 0 ? NULL : checked(self, subscript(self, key));
}

static PyObject *map_item(PyObject *op, Py_ssize_t i) {
  Map *self = (Map *)op;
  return map_pin(self) < 0 ? NULL : checked(self, item_at(self, i));
}

/* ---- search ------------------------------------------------------------------------------------------------------ */

typedef struct Needle {
  Py_buffer view; /* view.obj is NULL for a single byte */
  const char *data;
  size_t size;
  char byte;
} Needle;

static int needle_init(Needle *needle, PyObject *object) {
  memset(needle, 0, sizeof *needle);
  if (PyIndex_Check(object)) {
    Py_ssize_t value = PyNumber_AsSsize_t(object, PyExc_ValueError);
    if (value == -1 && PyErr_Occurred()) return -1;
    if (value < 0 || value > 255) {
      PyErr_SetString(PyExc_ValueError, "a byte must be in range(0, 256)");
      return -1;
    }
    needle->byte = (char)value;
    needle->data = &needle->byte;
    needle->size = 1;
    return 0;
  }
  if (PyObject_GetBuffer(object, &needle->view, PyBUF_SIMPLE) < 0) return -1;
  needle->data = needle->view.buf;
  needle->size = (size_t)needle->view.len;
  return 0;
}

static void needle_clear(Needle *needle) {
  if (needle->view.obj != NULL) PyBuffer_Release(&needle->view);
}

/* The first place of the needle in data, or NULL: memchr for the first byte, memcmp for the rest. */
static const char *search(const char *data, const char *end, const Needle *needle) {
  if (needle->size == 0) return data;
  while ((size_t)(end - data) >= needle->size) {
    data = memchr(data, needle->data[0], (size_t)(end - data) - needle->size + 1);
    if (data == NULL || memcmp(data, needle->data, needle->size) == 0) return data;
    ++data;
  }
  return NULL;
}

static const char *search_back(const char *data, const char *end, const Needle *needle) {
  if ((size_t)(end - data) < needle->size) return NULL;
  for (const char *p = end - needle->size;; --p) {
    if (memcmp(p, needle->data, needle->size) == 0) return p;
    if (p == data) return NULL;
  }
}

/* Non-overlapping occurrences, as bytes.count counts. */
static Py_ssize_t count_all(const char *data, const char *end, const Needle *needle) {
  Py_ssize_t count = 0;
  if (needle->size == 0) return end - data + 1;
  while ((data = search(data, end, needle)) != NULL) {
    ++count;
    data += needle->size;
  }
  return count;
}

typedef enum Search { FIND, RFIND, COUNT } Search;

static Py_ssize_t run_search(Map *self, Search kind, const Needle *needle, Py_ssize_t start, Py_ssize_t stop) {
  const char *data = (const char *)self->map->data, *found;
  if (start > stop) return kind == COUNT ? 0 : -1;
  if (kind == COUNT) return count_all(data + start, data + stop, needle);
  found = kind == FIND ? search(data + start, data + stop, needle) : search_back(data + start, data + stop, needle);
  return found == NULL ? -1 : found - data;
}

/* The range as slices have it; a start past the end holds not even an empty needle, as with bytes. */
static int range_init(Map *self, PyObject *const *args, Py_ssize_t nargs, Py_ssize_t *start, Py_ssize_t *stop) {
  Py_ssize_t size = (Py_ssize_t)self->map->size, bounds[2] = {0, size};
  for (Py_ssize_t i = 1; i < nargs; ++i) {
    if (args[i] == Py_None) continue;
    Py_ssize_t value = PyNumber_AsSsize_t(args[i], NULL);
    if (value == -1 && PyErr_Occurred()) return -1;
    if (value < 0) value = MAX(value + size, 0);
    bounds[i - 1] = value;
  }
  *start = bounds[0];
  *stop = MIN(bounds[1], size);
  return 0;
}

static PyObject *search_result(Map *self, Search kind, PyObject *const *args, Py_ssize_t nargs) {
  Needle needle;
  Py_ssize_t start, stop, result;
  if (range_init(self, args, nargs, &start, &stop) < 0 || needle_init(&needle, args[0]) < 0) return NULL;
  Py_BEGIN_ALLOW_THREADS
  result = run_search(self, kind, &needle, start, stop);
  Py_END_ALLOW_THREADS
  needle_clear(&needle);
  return PyLong_FromSsize_t(result);
}

static PyObject *map_search(PyObject *op, Search kind, PyObject *const *args, Py_ssize_t nargs) {
  Map *self = (Map *)op;
  if (nargs < 1 || nargs > 3) { return PyErr_Format(PyExc_TypeError, "expected 1 to 3 arguments, got %zd", nargs); }
  return map_pin(self) < 0 ? NULL : checked(self, search_result(self, kind, args, nargs));
}

static PyObject *map_find(PyObject *op, PyObject *const *args, Py_ssize_t nargs) {
  return map_search(op, FIND, args, nargs);
}
static PyObject *map_rfind(PyObject *op, PyObject *const *args, Py_ssize_t nargs) {
  return map_search(op, RFIND, args, nargs);
}
static PyObject *map_count(PyObject *op, PyObject *const *args, Py_ssize_t nargs) {
  return map_search(op, COUNT, args, nargs);
}

static int map_contains(PyObject *op, PyObject *value) {
  PyObject *place = map_search(op, FIND, &value, 1);
  if (place == NULL) return -1;
  Py_ssize_t at = PyLong_AsSsize_t(place);
  Py_DECREF(place);
  return at >= 0;
}

/* ---- advice ------------------------------------------------------------------------------------------------------ */

static int advice_from_object(PyObject *object, unsigned *out) {
  static const struct {
    const char *name;
    unsigned flag;
  } all[] = {{"normal", 0},
             {"sequential", FASTIO_MAP_SEQUENTIAL},
             {"random", FASTIO_MAP_RANDOM},
             {"willneed", FASTIO_MAP_WILLNEED}};
  for (size_t i = 0; PyUnicode_Check(object) && i < Py_ARRAY_LENGTH(all); ++i) {
    if (PyUnicode_CompareWithASCIIString(object, all[i].name) == 0) {
      *out = all[i].flag;
      return 0;
    }
  }
  PyErr_Format(PyExc_ValueError, "advice must be \"normal\", \"sequential\", \"random\" or \"willneed\", not %R",
               object);
  return -1;
}

static PyObject *map_advise(PyObject *op, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"advice", "offset", "length", NULL};
  Map *self = (Map *)op;
  PyObject *advice, *offset_object = NULL, *length_object = Py_None;
  uint64_t offset = 0, length = SIZE_MAX;
  unsigned flag;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OO:advise", names, &advice, &offset_object, &length_object))
    return NULL;
  if (offset_object != NULL && int_from_object(offset_object, "offset", 0, &offset) < 0) return NULL;
  if (length_object != Py_None && int_from_object(length_object, "length", 0, &length) < 0) return NULL;
  if (advice_from_object(advice, &flag) < 0 || map_pin(self) < 0) return NULL;
  size_t from = (size_t)MIN(offset, self->map->size);
  fastio_map_advise(self->map, from, (size_t)MIN(length, self->map->size - from), flag);
  map_unpin(self);
  Py_RETURN_NONE;
}

/* ---- the type ---------------------------------------------------------------------------------------------------- */

static PyObject *get_closed(PyObject *op, void *Py_UNUSED(closure)) {
  return PyBool_FromLong(((Map *)op)->map == NULL);
}

static PyObject *get_path(PyObject *op, void *Py_UNUSED(closure)) { return Py_NewRef(((Map *)op)->path); }

static PyObject *get_is_mapped(PyObject *op, void *Py_UNUSED(closure)) {
  Map *self = (Map *)op;
  if (map_pin(self) < 0) return NULL;
  int is_mapped = self->map->is_mapped;
  map_unpin(self);
  return PyBool_FromLong(is_mapped);
}

static PyObject *map_repr(PyObject *op) {
  Map *self = (Map *)op;
  return PyUnicode_FromFormat("<fastio.MappedFile %R%s>", self->path, self->map == NULL ? " closed" : "");
}

static PyMethodDef map_methods[] = {
    {"close", map_close, METH_NOARGS,
     PyDoc_STR(
         "close($self, /)\n--\n\nUnmaps the file. Closing again does nothing. BufferError while buffers are in use.")},
    {"find", FUNCTION(map_find), METH_FASTCALL,
     PyDoc_STR("find($self, sub, start=0, end=None, /)\n--\n\nThe first index of sub (bytes-like or int) in [start, "
               "end), or -1.")},
    {"rfind", FUNCTION(map_rfind), METH_FASTCALL,
     PyDoc_STR("rfind($self, sub, start=0, end=None, /)\n--\n\nThe last index of sub in [start, end), or -1.")},
    {"count", FUNCTION(map_count), METH_FASTCALL,
     PyDoc_STR("count($self, sub, start=0, end=None, /)\n--\n\nHow often sub is in [start, end), without overlaps.")},
    {"advise", FUNCTION(map_advise), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("advise($self, /, advice, offset=0, length=None)\n--\n\n"
               "Tells the system how a part of the file will be read: \"normal\", \"sequential\", \"random\", "
               "\"willneed\".")},
    {"__enter__", map_enter, METH_NOARGS, PyDoc_STR("__enter__($self, /)\n--\n\nThe mapped file itself.")},
    {"__exit__", FUNCTION(map_exit), METH_FASTCALL, PyDoc_STR("__exit__($self, /, *exc_info)\n--\n\nCloses it.")},
    {"__reduce__", refuse_pickle, METH_NOARGS,
     PyDoc_STR("__reduce__($self, /)\n--\n\nRaises TypeError: not to be pickled.")},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef map_getset[] = {
    {"closed", get_closed, NULL, PyDoc_STR("True once closed."), NULL},
    {"path", get_path, NULL, PyDoc_STR("The path, or \"<fd N>\"."), NULL},
    {"is_mapped", get_is_mapped, NULL, PyDoc_STR("False if the file could not be mapped and was read instead."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef map_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Map, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot map_slots[] = {
    {Py_tp_doc, (void *)map_doc},
    {Py_tp_dealloc, map_dealloc},
    {Py_tp_repr, map_repr},
    {Py_tp_methods, map_methods},
    {Py_tp_getset, map_getset},
    {Py_tp_members, map_members},
    {Py_sq_length, map_length},
    {Py_sq_item, map_item},
    {Py_sq_contains, map_contains},
    {Py_mp_length, map_length},
    {Py_mp_subscript, map_subscript},
    {Py_bf_getbuffer, map_getbuffer},
    {Py_bf_releasebuffer, map_releasebuffer},
    {0, NULL},
};

PyType_Spec map_spec = {
    .name = "fastio.MappedFile",
    .basicsize = sizeof(Map),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = map_slots,
};

/* ---- load -------------------------------------------------------------------------------------------------------- */

/* The path as bytes for the system and as str for messages; or the descriptor. */
typedef struct Where {
  PyObject *bytes, *path;
  int fd;
} Where;

static int where_init(Where *where, PyObject *source) {
  *where = (Where){NULL, NULL, -1};
  if (PyBool_Check(source)) {
    PyErr_SetString(PyExc_TypeError, "a source cannot be a bool");
    return -1;
  }
  if (PyLong_Check(source)) {
    where->fd = PyObject_AsFileDescriptor(source);
    if (where->fd < 0) return -1;
    where->path = PyUnicode_FromFormat("<fd %d>", where->fd);
    return where->path == NULL ? -1 : 0;
  }
  if (PyBytes_Check(source) || PyByteArray_Check(source)) {
    PyErr_SetString(PyExc_TypeError, "load() takes a path or a file descriptor; data in memory needs no loading");
    return -1;
  }
  if (!PyUnicode_FSConverter(source, &where->bytes)) return -1;
  if (!PyUnicode_FSDecoder(where->bytes, &where->path)) return -1;
  return PySys_Audit("open", "Osi", where->path, "r", 0);
}

static fastio_status open_map_at(const Where *where, const fastio_map_options *options, fastio_map **out,
                                 fastio_error *err) {
  fastio_status status;
  Py_BEGIN_ALLOW_THREADS
  if (where->bytes != NULL) status = fastio_map_open(PyBytes_AS_STRING(where->bytes), options, out, err);
  else status = fastio_map_fd(where->fd, options, out, err);
  Py_END_ALLOW_THREADS
  return status;
}

static PyObject *new_map(State *state, const Where *where, const fastio_map_options *options) {
  fastio_error err;
  Map *self = PyObject_New(Map, state->MappedFile);
  if (self == NULL) return NULL;
  self->map = NULL; /* created closed, then opened */
  self->path = Py_NewRef(where->path);
  self->exports = 0;
  self->weakrefs = NULL;
  fastio_error_init(&err);
  fastio_status status = open_map_at(where, options, &self->map, &err);
  if (status == FASTIO_OK) return (PyObject *)self;
  Py_DECREF(self);
  return raise_error(state, status, &err, where->path);
}

PyObject *load(PyObject *module, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"source", "offset", "length", "advice", "populate", "huge", "guard", NULL};
  PyObject *source, *offset = NULL, *length = Py_None, *advice = NULL;
  int populate = 0, huge = 0, guard = 0;
  fastio_map_options options;
  Where where;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$OOOppp:load", names, &source, &offset, &length, &advice, &populate,
                                   &huge, &guard)) {
    return NULL;
  }
  fastio_map_options_init(&options);
  if (offset != NULL && int_from_object(offset, "offset", 0, &options.offset) < 0) return NULL;
  if (length != Py_None && int_from_object(length, "length", 0, &options.length) < 0) return NULL;
  if (advice != NULL && advice_from_object(advice, &options.flags) < 0) return NULL;
  options.flags |= (populate ? FASTIO_MAP_POPULATE : 0u) | (huge ? FASTIO_MAP_HUGE : 0u) |
                   (guard ? FASTIO_MAP_GUARD : 0u);
  PyObject *result = where_init(&where, source) < 0 ? NULL : new_map(state_of(module), &where, &options);
  Py_XDECREF(where.bytes);
  Py_XDECREF(where.path);
  return result;
}
