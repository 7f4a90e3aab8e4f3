/* Outputs: from what Python calls a destination to a fastio_writer, with the GIL given away while bytes are taken. */
#include "py.h"

#include <errno.h>
#include <fcntl.h>
#ifndef _WIN32
#  include <poll.h>
#  include <unistd.h>
#endif

/* ---- descriptors ------------------------------------------------------------------------------------------------- */

#ifndef _WIN32
/* Writes some bytes; one that would block is waited for. The errno, or 0. */
static int write_some(int fd, const void *data, size_t size, int64_t *put) {
  ssize_t n = write(fd, data, size);
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    struct pollfd ready = {fd, POLLOUT, 0};
    if (poll(&ready, 1, -1) < 0) return errno;
    n = write(fd, data, size);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return EINTR; /* somebody was faster: once more */
  }
  if (n < 0) return errno;
  *put = n;
  return 0;
}

/* The write of descriptors: gives the GIL away if the call came with it, and lets Ctrl-C end a wait for a pipe. */
static int64_t write_hook(void *ctx, int fd, const void *data, size_t size) {
  Gil *gil = ctx;
  int64_t put = 0;
  int is_worker = gil_is_worker(gil);
  for (;;) {
    int had_gil = !is_worker && !gil_is_away(gil);
    if (had_gil) gil_release(gil);
    int error = write_some(fd, data, size, &put);
    if (had_gil) gil_take(gil);
    if (error == 0 && (is_worker || (size_t)put == size)) return put;
    if (error != 0 && error != EINTR) return -error;
    /* A signal ends a wait with an error, or with the part that was written before it. */
    if (!is_worker && gil_check_signals(gil)) return -ECANCELED; /* the exception is set, and wins */
    if (error == 0) return put;
  }
}
#endif

/* ---- file objects ------------------------------------------------------------------------------------------------ */

#define CHUNK_SIZE ((size_t)1 << 20)

/* How many bytes a write says it took, or -1 with an exception. None is nothing from a raw file, which would block;
 * others that say nothing have taken all. */
static Py_ssize_t taken(const Output *output, PyObject *result, size_t size) {
  if (result == Py_None && !output->is_raw) return (Py_ssize_t)size;
  if (result == Py_None) {
    PyErr_SetString(PyExc_BlockingIOError, "the file object would block");
    return -1;
  }
  Py_ssize_t n = PyNumber_AsSsize_t(result, PyExc_ValueError);
  if (n == -1 && PyErr_Occurred()) return -1;
  if (n > 0 && (size_t)n <= size) return n;
  PyErr_Format(PyExc_ValueError, "write() returned %zd for %zu bytes", n, size);
  return -1;
}

/* The callee gets bytes of its own, which it may keep. */
static Py_ssize_t call_write(const Output *output, const void *data, size_t size) {
  PyObject *bytes = PyBytes_FromStringAndSize(data, (Py_ssize_t)size);
  PyObject *result = bytes == NULL ? NULL : PyObject_CallOneArg(output->write, bytes);
  Py_ssize_t n = result == NULL ? -1 : taken(output, result, size);
  Py_XDECREF(bytes);
  Py_XDECREF(result);
  return n;
}

static fastio_status device_write(void *ctx, const void *data, size_t size, size_t *put, fastio_error *err) {
  Output *output = ctx;
  Gil *entered = gil_enter(&output->gil);
  Py_ssize_t n = call_write(output, data, MIN(size, CHUNK_SIZE));
  gil_leave(entered);
  (void)err; /* the exception says it */
  if (n < 0) return FASTIO_CALLBACK_FAILED;
  *put = (size_t)n;
  return FASTIO_OK;
}

static fastio_status device_flush(void *ctx, fastio_error *err) {
  Output *output = ctx;
  Gil *entered = gil_enter(&output->gil);
  PyObject *result = PyObject_CallNoArgs(output->flush);
  Py_XDECREF(result);
  gil_leave(entered);
  (void)err;
  return result == NULL ? FASTIO_CALLBACK_FAILED : FASTIO_OK;
}

/* ---- opening, one kind after the other --------------------------------------------------------------------------- */

static int opened(State *state, Output *output, fastio_status status, const fastio_error *err) {
  if (status == FASTIO_OK) return 0;
  raise_error(state, status, err, output->name);
  return -1;
}

static int audit(PyObject *name, int mode) {
#ifdef _WIN32
  int flags = O_WRONLY | O_CREAT;
#else
  int flags = O_WRONLY | O_CREAT | O_CLOEXEC;
#endif
  flags |= mode == FASTIO_APPEND ? O_APPEND : mode == FASTIO_EXCLUSIVE ? O_EXCL : O_TRUNC;
  return PySys_Audit("open", "Osi", name, mode == FASTIO_APPEND ? "a" : mode == FASTIO_EXCLUSIVE ? "x" : "w", flags);
}

static int open_path(State *state, Output *output, PyObject *object, const fastio_write_options *options) {
  int is_stdout;
  fastio_error err;
  PyObject *bytes = path_bytes(object, "<stdout>", &output->name, &is_stdout);
  if (bytes == NULL) return -1;
  if (!is_stdout && audit(output->name, options->mode) < 0) {
    Py_DECREF(bytes);
    return -1;
  }
  fastio_error_init(&err);
  output->owns_file = !is_stdout;
  gil_release(&output->gil); /* opening a FIFO waits for its reader */
  fastio_status status = fastio_writer_open(PyBytes_AS_STRING(bytes), options, &output->writer, &err);
  gil_take(&output->gil);
  Py_DECREF(bytes);
  return opened(state, output, status, &err);
}

static int open_fd(State *state, Output *output, PyObject *object, const fastio_write_options *options) {
  fastio_error err;
  int fd = PyObject_AsFileDescriptor(object);
  if (fd < 0) return -1;
  output->name = PyUnicode_FromFormat("<fd %d>", fd);
  if (output->name == NULL) return -1;
  fastio_error_init(&err);
  return opened(state, output, fastio_writer_fd(fd, options, &output->writer, &err), &err);
}

static int refuse(PyObject *object) {
  PyErr_Format(PyExc_TypeError,
               "a destination is a path, a file descriptor, a binary file object or a Writer, not %.100s",
               Py_TYPE(object)->tp_name);
  return -1;
}

static int find_methods(State *state, Output *output, PyObject *object) {
  int is_text = PyObject_IsInstance(object, state->text_io);
  if (is_text < 0) return -1;
  if (is_text) {
    PyErr_SetString(PyExc_TypeError, "the file object is in text mode: open it with \"wb\", or pass its .buffer");
    return -1;
  }
  output->is_raw = PyObject_IsInstance(object, state->raw_io);
  int found = output->is_raw < 0 ? -1 : lookup(object, "write", &output->write);
  if (found == 0) return refuse(object);
  return found < 0 || lookup(object, "flush", &output->flush) < 0 ? -1 : 0;
}

static int open_file_object(State *state, Output *output, PyObject *object, const fastio_write_options *options) {
  fastio_error err;
  if (find_methods(state, output, object) < 0) return -1;
  output->name = name_of(object);
  if (PyErr_Occurred()) return -1;
  fastio_output_device device = {output, device_write, output->flush == NULL ? NULL : device_flush, NULL};
  fastio_error_init(&err);
  return opened(state, output, fastio_writer_device(&device, options, &output->writer, &err), &err);
}

static int open_any(State *state, Output *output, PyObject *object, const fastio_write_options *options) {
  fastio_error err;
  if (object == NULL || object == Py_None) {
    fastio_error_init(&err);
    return opened(state, output, fastio_writer_memory(options, &output->writer, &err), &err);
  }
  if (PyBool_Check(object)) {
    PyErr_SetString(PyExc_TypeError, "a destination cannot be a bool");
    return -1;
  }
  if (PyBytes_Check(object)) {
    PyErr_SetString(PyExc_TypeError, "bytes are no destination: of a path use os.fsdecode()");
    return -1;
  }
  if (PyLong_Check(object)) return open_fd(state, output, object, options);
  int has_path = is_path(object);
  if (has_path < 0) return -1;
  return has_path ? open_path(state, output, object, options) : open_file_object(state, output, object, options);
}

int output_open(State *state, Output *output, PyObject *object, fastio_write_options *options) {
  fastio_env_init(&output->env);
#ifndef _WIN32
  output->env.ctx = &output->gil;
  output->env.write = write_hook;
#endif
  options->env = &output->env;
  return open_any(state, output, object, options);
}

void output_clear(Output *output) {
  Py_CLEAR(output->write);
  Py_CLEAR(output->flush);
  gil_close_progress(&output->gil);
  Py_CLEAR(output->name);
}

int output_traverse(Output *output, visitproc visit, void *arg) {
  Py_VISIT(output->write);
  Py_VISIT(output->flush);
  Py_VISIT(output->gil.progress);
  return 0;
}
