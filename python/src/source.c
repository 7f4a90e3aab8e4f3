/* Inputs: from what Python calls a source to a fastio_source, with the GIL given away while bytes are waited for. */
#include "py.h"

#include <errno.h>
#include <fcntl.h>
#ifdef _WIN32
#  include <io.h>
#else
#  include <poll.h>
#  include <unistd.h>
#endif

#ifndef _WIN32
/* Some bytes; a descriptor that would block is waited for. The errno, or 0. */
static int read_some(int fd, void *data, size_t size, int64_t *got) {
  for (;;) {
    ssize_t n = read(fd, data, size);
    if (n >= 0) {
      *got = n;
      return 0;
    }
    if (errno != EAGAIN && errno != EWOULDBLOCK) return errno;
    struct pollfd ready = {fd, POLLIN, 0};
    if (poll(&ready, 1, -1) < 0) return errno;
  }
}

/* The read of descriptors: gives the GIL away if the call came with it, and lets Ctrl-C end a wait for a pipe. */
static int64_t read_hook(void *ctx, int fd, void *data, size_t size) {
  Gil *gil = ctx;
  if (gil_is_worker(gil)) { /* none of Python's business */
    ssize_t n = read(fd, data, size);
    return n >= 0 ? n : -errno;
  }
  for (;;) {
    int had_gil = !gil_is_away(gil);
    if (had_gil) gil_release(gil);
    int64_t got = 0;
    int error = read_some(fd, data, size, &got);
    if (had_gil) gil_take(gil);
    if (error != EINTR) return error == 0 ? got : -error;
    if (gil_check_signals(gil)) return -ECANCELED; /* the exception is set, and wins */
  }
}

/* Between two polls there may be many reads: one line can be longer than memory. */
static int64_t pread_hook(void *ctx, int fd, void *data, size_t size, uint64_t offset) {
  Gil *gil = ctx;
  if (!gil_is_worker(gil) && gil_check_due_signals(gil)) return -ECANCELED;
  ssize_t n = pread(fd, data, size, (off_t)offset);
  return n >= 0 ? n : -errno;
}
#endif

/* ---- file objects ------------------------------------------------------------------------------------------------ */

#define CHUNK_SIZE ((size_t)1 << 18)

/* How many bytes a readinto or read says it gave, or -1 with an exception. */
static Py_ssize_t checked_count(PyObject *result, size_t size) {
  if (result == Py_None) {
    PyErr_SetString(PyExc_BlockingIOError, "the file object would block");
    return -1;
  }
  Py_ssize_t n = PyNumber_AsSsize_t(result, PyExc_ValueError);
  if (n == -1 && PyErr_Occurred()) return -1;
  if (n >= 0 && (size_t)n <= size) return n;
  PyErr_Format(PyExc_ValueError, "readinto() returned %zd for a buffer of %zu bytes", n, size);
  return -1;
}

/* The callee gets a view of our bytearray, which it may even keep; only what it says it filled is copied out. */
static Py_ssize_t call_readinto(Input *input, void *data, size_t size) {
  size = MIN(size, CHUNK_SIZE);
  if (input->chunk == NULL) input->chunk = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)CHUNK_SIZE);
  if (input->chunk == NULL) return -1;
  PyObject *whole = PyMemoryView_FromObject(input->chunk);
  PyObject *part = whole == NULL ? NULL : PySequence_GetSlice(whole, 0, (Py_ssize_t)size);
  PyObject *result = part == NULL ? NULL : PyObject_CallOneArg(input->method, part);
  Py_ssize_t n = result == NULL ? -1 : checked_count(result, size);
  /* The view pins the bytearray: it still has its size. */
  if (n > 0) memcpy(data, PyByteArray_AS_STRING(input->chunk), (size_t)n);
  Py_XDECREF(result);
  Py_XDECREF(part);
  Py_XDECREF(whole);
  return n;
}

static Py_ssize_t copy_result(PyObject *result, void *data, size_t size) {
  Py_buffer view;
  if (result == Py_None) return checked_count(result, size);
  if (PyUnicode_Check(result)) {
    PyErr_SetString(PyExc_TypeError, "read() returned str: the file object is in text mode, use its .buffer");
    return -1;
  }
  if (PyObject_GetBuffer(result, &view, PyBUF_SIMPLE) < 0) return -1;
  Py_ssize_t n = view.len;
  if ((size_t)n > size) {
    PyErr_Format(PyExc_ValueError, "read(%zu) returned %zd bytes", size, n);
    n = -1;
  } else {
    memcpy(data, view.buf, (size_t)n);
  }
  PyBuffer_Release(&view);
  return n;
}

static Py_ssize_t call_read(Input *input, void *data, size_t size) {
  size = MIN(size, (size_t)PY_SSIZE_T_MAX);
  PyObject *result = PyObject_CallFunction(input->method, "n", (Py_ssize_t)size);
  if (result == NULL) return -1;
  Py_ssize_t n = copy_result(result, data, size);
  Py_DECREF(result);
  return n;
}

static fastio_status device_readinto(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  Input *input = ctx;
  Gil *entered = gil_enter(&input->gil);
  Py_ssize_t n = call_readinto(input, data, size);
  gil_leave(entered);
  (void)err; /* the exception says it */
  if (n < 0) return FASTIO_CALLBACK_FAILED;
  *got = (size_t)n;
  return FASTIO_OK;
}

static fastio_status device_read(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  Input *input = ctx;
  Gil *entered = gil_enter(&input->gil);
  Py_ssize_t n = call_read(input, data, size);
  gil_leave(entered);
  (void)err;
  if (n < 0) return FASTIO_CALLBACK_FAILED;
  *got = (size_t)n;
  return FASTIO_OK;
}

/* ---- opening, one kind after the other --------------------------------------------------------------------------- */

static int opened(State *state, Input *input, fastio_status status, const fastio_error *err) {
  if (status == FASTIO_OK) return 0;
  raise_error(state, status, err, input->path);
  return -1;
}

PyObject *path_bytes(PyObject *object, const char *dash, PyObject **path, int *is_dash) {
  PyObject *name = PyOS_FSPath(object), *bytes = NULL;
  if (name == NULL) return NULL;
  int has_dash = PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, "-") == 0;
  *is_dash = has_dash && PyUnicode_Check(object);
  if (*is_dash) *path = PyUnicode_FromString(dash);
  else if (!PyUnicode_FSDecoder(name, path)) *path = NULL;
  if (*path != NULL) {
    if (has_dash) bytes = PyBytes_FromString(*is_dash ? "-" : "./-");
    else if (!PyUnicode_FSConverter(name, &bytes)) bytes = NULL;
  }
  Py_DECREF(name);
  return bytes;
}

static int open_path(State *state, Input *input, PyObject *object) {
  int is_stdin;
  fastio_error err;
  PyObject *bytes = path_bytes(object, "<stdin>", &input->path, &is_stdin);
  if (bytes == NULL) return -1;
  if (!is_stdin && PySys_Audit("open", "Osi", input->path, "r", O_RDONLY) < 0) {
    Py_DECREF(bytes);
    return -1;
  }
  fastio_error_init(&err);
  input->owns_file = !is_stdin;
  gil_release(&input->gil); /* opening a FIFO waits for its writer */
  fastio_status status = fastio_source_open(PyBytes_AS_STRING(bytes), &input->env, &input->source, &err);
  gil_take(&input->gil);
  Py_DECREF(bytes);
  return opened(state, input, status, &err);
}

static int open_fd(State *state, Input *input, PyObject *object) {
  fastio_error err;
  int fd = PyObject_AsFileDescriptor(object);
  if (fd < 0) return -1;
  input->path = PyUnicode_FromFormat("<fd %d>", fd);
  if (input->path == NULL) return -1;
  fastio_error_init(&err);
  return opened(state, input, fastio_source_fd(fd, &input->env, &input->source, &err), &err);
}

static int open_map(State *state, Input *input, Map *map) {
  fastio_error err;
  if (map_pin(map) < 0) return -1;
  input->map = Py_NewRef((PyObject *)map);
  input->path = Py_XNewRef(map->path);
  fastio_error_init(&err);
  return opened(state, input, fastio_source_map(map->map, &input->env, &input->source, &err), &err);
}

static int open_data(State *state, Input *input, PyObject *object) {
  fastio_error err;
  if (PyObject_GetBuffer(object, &input->buffer, PyBUF_ND | PyBUF_FORMAT) < 0) {
    input->buffer.obj = NULL;
    return -1;
  }
  if (input->buffer.itemsize != 1) {
    PyErr_Format(PyExc_TypeError, "data must be a contiguous bytes-like object of 1-byte items, not of %zd-byte ones",
                 input->buffer.itemsize);
    return -1;
  }
  fastio_error_init(&err);
  return opened(state, input,
                fastio_source_memory(input->buffer.buf, (size_t)input->buffer.len, &input->env, &input->source, &err),
                &err);
}

int lookup(PyObject *object, const char *name, PyObject **out) {
  *out = get_attribute(object, name);
  if (*out != NULL) return 1;
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
  PyErr_Clear();
  return 0;
}

PyObject *name_of(PyObject *object) {
  PyObject *name = NULL, *path = NULL;
  if (lookup(object, "name", &name) <= 0) {
    PyErr_Clear();
    return NULL;
  }
  if (PyUnicode_Check(name)) path = Py_NewRef(name);
  else if (PyBytes_Check(name))
    path = PyUnicode_DecodeFSDefaultAndSize(PyBytes_AS_STRING(name), PyBytes_GET_SIZE(name));
  else if (PyLong_Check(name)) path = PyUnicode_FromFormat("<fd %S>", name);
  Py_DECREF(name);
  if (path == NULL) PyErr_Clear();
  return path;
}

static int open_file_object(State *state, Input *input, PyObject *object) {
  fastio_device device = {input, device_readinto, NULL};
  fastio_error err;
  int is_text = PyObject_IsInstance(object, state->text_io);
  if (is_text < 0) return -1;
  if (is_text) {
    PyErr_SetString(PyExc_TypeError, "the file object is in text mode: open it with \"rb\", or pass its .buffer");
    return -1;
  }
  int found = lookup(object, "readinto", &input->method);
  if (found == 0) {
    device.read = device_read;
    found = lookup(object, "read", &input->method);
  }
  if (found < 0) return -1;
  if (found == 0) {
    PyErr_Format(PyExc_TypeError,
                 "a source is a path, bytes-like data, a file descriptor or a binary file object, not %.100s",
                 Py_TYPE(object)->tp_name);
    return -1;
  }
  input->path = name_of(object);
  fastio_error_init(&err);
  return opened(state, input, fastio_source_device(&device, &input->env, &input->source, &err), &err);
}

int is_path(PyObject *object) {
  PyObject *fspath;
  if (PyUnicode_Check(object)) return 1;
  int found = lookup((PyObject *)Py_TYPE(object), "__fspath__", &fspath);
  if (found > 0) Py_DECREF(fspath);
  return found;
}

static int open_any(State *state, Input *input, PyObject *object) {
  if (PyBool_Check(object)) {
    PyErr_SetString(PyExc_TypeError, "a source cannot be a bool");
    return -1;
  }
  if (PyList_Check(object) || PyTuple_Check(object)) {
    PyErr_Format(PyExc_TypeError, "one source is read here, not a %.100s of them", Py_TYPE(object)->tp_name);
    return -1;
  }
  if (PyUnicode_Check(object)) return open_path(state, input, object);
  if (PyLong_Check(object)) return open_fd(state, input, object);
  if (Py_TYPE(object) == state->MappedFile) return open_map(state, input, (Map *)object);
  if (PyObject_CheckBuffer(object)) return open_data(state, input, object);
  int is_pathlike = is_path(object);
  if (is_pathlike < 0) return -1;
  return is_pathlike ? open_path(state, input, object) : open_file_object(state, input, object);
}

/* ---- all of it together ------------------------------------------------------------------------------------------ */

static void set_hooks(Input *input) {
  fastio_env_init(&input->env);
#ifndef _WIN32
  input->env.ctx = &input->gil;
  input->env.read = read_hook;
  input->env.pread = pread_hook;
#endif
}

static int set_decoding(State *state, Input *input, const Decode *how) {
  fastio_decode_options core = how->core;
  fastio_error err;
  fastio_error_init(&err);
  input->warns = how->warns;
  if (input->otherwise != NULL) core.compression = NULL; /* that decompresses already */
  return opened(state, input, fastio_source_decode(input->source, &core, &err), &err);
}

static int open_decoded(State *state, Input *input, PyObject *object, const Decode *how) {
  if (PyBool_Check(object) || PyList_Check(object) || PyTuple_Check(object)) return open_any(state, input, object);
  int found = decode_otherwise(state, object, how, &input->otherwise);
  if (found < 0 || open_any(state, input, found ? input->otherwise : object) < 0) return -1;
  return set_decoding(state, input, how);
}

int input_open(State *state, Input *input, PyObject *object, const Decode *how) {
  memset(input, 0, sizeof *input);
  set_hooks(input);
  if (open_decoded(state, input, object, how) == 0) return 0;
  input_close(input);
  return -1;
}

static void close_otherwise(Input *input) {
  PyObject *type, *value, *traceback;
  if (input->otherwise == NULL) return;
  PyErr_Fetch(&type, &value, &traceback);
  PyObject *result = PyObject_CallMethod(input->otherwise, "close", NULL);
  if (result == NULL) PyErr_WriteUnraisable(input->otherwise);
  Py_XDECREF(result);
  PyErr_Restore(type, value, traceback);
  Py_CLEAR(input->otherwise);
}

/* Everything but the progress. */
static void release(Input *input) {
  fastio_source *source = input->source;
  if (source != NULL) input->decode_errors = input_decode_errors(input);
  input->source = NULL;
  fastio_source_close(source);
  if (input->map != NULL) {
    map_unpin((Map *)input->map);
    Py_CLEAR(input->map);
  }
  if (input->buffer.obj != NULL) PyBuffer_Release(&input->buffer);
  close_otherwise(input);
  Py_CLEAR(input->method);
  Py_CLEAR(input->chunk);
  Py_CLEAR(input->path);
}

int input_reopen(State *state, Input *input, PyObject *object, const Decode *how) {
  release(input);
  input->warns = input->owns_file = 0;
  if (open_decoded(state, input, object, how) == 0) return 0;
  input_close(input);
  return -1;
}

/* May be called again. */
void input_close(Input *input) {
  release(input);
  gil_close_progress(&input->gil);
}

int input_traverse(Input *input, visitproc visit, void *arg) {
  Py_VISIT(input->map);
  Py_VISIT(input->buffer.obj);
  Py_VISIT(input->method);
  Py_VISIT(input->otherwise);
  Py_VISIT(input->gil.progress);
  return 0;
}

/* ---- what decoding has met --------------------------------------------------------------------------------------- */

uint64_t input_decode_errors(const Input *input) {
  fastio_decoded decoded;
  if (input->source == NULL) return input->decode_errors;
  fastio_source_decoded(input->source, &decoded);
  return decoded.errors;
}

/* Of the archive's end, which one of the two has seen. -1 with an exception. */
static int trailing_bytes(const Input *input, uint64_t *count) {
  fastio_decoded decoded;
  *count = 0;
  if (input->otherwise == NULL) {
    if (input->source == NULL) return 0;
    fastio_source_decoded(input->source, &decoded);
    *count = decoded.trailing_bytes;
    return 0;
  }
  PyObject *number = get_attribute(input->otherwise, "trailing_bytes");
  if (number == NULL) return -1;
  *count = PyLong_AsUnsignedLongLong(number);
  Py_DECREF(number);
  return PyErr_Occurred() ? -1 : 0;
}

int input_finish(Input *input) {
  uint64_t count;
  if (!input->warns || PyErr_Occurred()) return 0;
  if (trailing_bytes(input, &count) < 0) return -1;
  if (count == 0) return 0;
  input->warns = 0; /* once is enough */
  PyObject *path = input->path == NULL ? PyUnicode_FromString("the data") : Py_NewRef(input->path);
  int failed = path == NULL ||
               PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "%U: bytes behind the archive were ignored", path) < 0;
  Py_XDECREF(path);
  return failed ? -1 : 0;
}

/* ---- several sources --------------------------------------------------------------------------------------------- */

int sources_from_object(PyObject *object, PyObject **items) {
  *items = NULL;
  if (!PyList_Check(object) && !PyTuple_Check(object)) return 0;
  *items = PySequence_Tuple(object);
  if (*items == NULL) return -1;
  Py_ssize_t count = PyTuple_GET_SIZE(*items);
  if (count == 0) PyErr_SetString(PyExc_ValueError, "there is no source in the list");
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *item = PyTuple_GET_ITEM(*items, i);
    if (!PyLong_Check(item) && !PyFloat_Check(item)) continue;
    PyErr_SetString(PyExc_TypeError, "a list of numbers is no source: data is bytes, several sources are a list of "
                                     "paths or of file objects");
    break;
  }
  if (!PyErr_Occurred()) return 1;
  Py_CLEAR(*items);
  return -1;
}

static uint64_t size_of(PyObject *os_path, PyObject *item) {
  uint64_t size = FASTIO_NO_OFFSET;
  Py_buffer view;
  if (PyObject_CheckBuffer(item)) {
    if (PyObject_GetBuffer(item, &view, PyBUF_SIMPLE) < 0) return size;
    size = (uint64_t)view.len;
    PyBuffer_Release(&view);
    return size;
  }
  if (is_path(item) <= 0) return size;
  PyObject *is_file = PyObject_CallMethod(os_path, "isfile", "O", item);
  PyObject *bytes = is_file != Py_True ? NULL : PyObject_CallMethod(os_path, "getsize", "O", item);
  if (bytes != NULL) size = PyLong_AsUnsignedLongLong(bytes);
  Py_XDECREF(is_file);
  Py_XDECREF(bytes);
  return size;
}

uint64_t sources_size(PyObject *items) {
  uint64_t total = 0;
  PyObject *os_path = PyImport_ImportModule("os.path");
  for (Py_ssize_t i = 0; os_path != NULL && i < PyTuple_GET_SIZE(items); ++i) {
    uint64_t size = size_of(os_path, PyTuple_GET_ITEM(items, i));
    total = size == FASTIO_NO_OFFSET || total == FASTIO_NO_OFFSET ? FASTIO_NO_OFFSET : total + size;
  }
  Py_XDECREF(os_path);
  PyErr_Clear(); /* it is only for progress */
  return total;
}

/* A path that is no UTF-8 is written with backslashes, as in messages. */
PyObject *source_label(PyObject *path, size_t number) {
  if (path == NULL) return PyBytes_FromFormat("<source %zu>", number);
  return PyUnicode_AsEncodedString(path, "utf-8", "backslashreplace");
}
