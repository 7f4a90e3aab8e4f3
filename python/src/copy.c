/* Copies from a source to a writer, within the system where that can be done. */
#include "py.h"

#ifndef _WIN32
#  include <sys/stat.h>
#endif

/* Bytes between two looks at signals. */
#define SLICE (UINT64_C(256) << 20)

#ifndef _WIN32
static int is_source_file(PyObject *source, const Input *input) {
  struct stat info;
  PyObject *path = NULL;
  int known = 0;
  if (input->otherwise != NULL || input->buffer.obj != NULL || input->method != NULL || input->map != NULL) return 0;
  if (PyLong_Check(source)) known = fstat((int)PyLong_AsLong(source), &info) == 0;
  else if (PyUnicode_FSConverter(input->path, &path)) known = stat(PyBytes_AS_STRING(path), &info) == 0;
  Py_XDECREF(path);
  PyErr_Clear();
  return known && S_ISREG(info.st_mode);
}

static int is_dest_file(const Writer *writer) {
  struct stat info;
  int fd = fastio_writer_fileno(writer->out.writer);
  return fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

/* Between two files no call waits for others, so that the system may do all of it; else the hooks let Ctrl-C in. */
static void unhook(PyObject *source, Input *input, Writer *writer) {
  if (!is_source_file(source, input) || !is_dest_file(writer)) return;
  input->env.read = NULL;
  input->env.pread = NULL;
  writer->out.env.write = NULL;
}
#endif

static fastio_status copy_slices(Input *input, Writer *writer, uint64_t length, uint64_t *done, fastio_error *err) {
  Gil *gil = &writer->out.gil;
  for (;;) {
    uint64_t slice = MIN(length - *done, SLICE), copied = 0;
    gil_release(gil);
    fastio_status status = fastio_copy(input->source, writer->out.writer, slice, &copied, err);
    gil_take(gil);
    *done += copied;
    if (status != FASTIO_OK || copied < slice || *done == length || PyErr_CheckSignals() < 0) return status;
  }
}

/* 0, or -1 with an exception, which may be one of reading. */
static int copy_to(PyObject *source, Input *input, Writer *writer, uint64_t length, uint64_t *done) {
  fastio_error err;
  fastio_error_init(&err);
  if (writer_enter(writer) < 0) return -1;
  int64_t (*hook)(void *, int, const void *, size_t) = writer->out.env.write;
#ifndef _WIN32
  unhook(source, input, writer);
#endif
  input->gil.outer = &writer->out.gil; /* which has let go of the GIL for both */
  fastio_status status = copy_slices(input, writer, length, done, &err);
  writer->out.env.write = hook;
  if (status != FASTIO_OK && fastio_writer_error(writer->out.writer, NULL) == FASTIO_OK) {
    raise_error(state_of_self((PyObject *)writer), status, &err, input->path);
  }
  return writer_leave(writer, status, &err);
}

/* Nothing is decoded unasked; UTF-8 that is asked for is checked. */
static int set_decoding(Decode *decode, PyObject *compression, PyObject *encoding, PyObject *errors) {
  decode_init(decode);
  decode->core.compression = decode->core.encoding = NULL;
  if (decode_set_compression(decode, compression) < 0 || decode_set_errors(decode, errors) < 0) return -1;
  if (decode_set_encoding(decode, encoding) < 0) return -1;
  if (decode->core.encoding != NULL && strcmp(decode->core.encoding, "auto") == 0) decode->core.encoding = "utf-8";
  return 0;
}

static PyObject *copy_decoded(PyObject *op, PyObject *source, uint64_t length, const Decode *decode) {
  Input input;
  uint64_t done = 0;
  if (input_open(state_of_self(op), &input, source, decode) < 0) return NULL;
  int failed = copy_to(source, &input, (Writer *)op, length, &done) < 0;
  input_close(&input);
  return failed ? NULL : PyLong_FromUnsignedLongLong(done);
}

/* _copy(source, length, source_compression, source_encoding, errors) */
PyObject *writer_copy(PyObject *op, PyObject *args) {
  PyObject *source, *given, *compression, *encoding, *errors, *result = NULL;
  uint64_t length = FASTIO_NO_OFFSET;
  Decode decode;
  if (!PyArg_ParseTuple(args, "OOOOO:_copy", &source, &given, &compression, &encoding, &errors) ||
      limit_from_object(given, "length", &length) < 0)
    return NULL;
  if (set_decoding(&decode, compression, encoding, errors) == 0) result = copy_decoded(op, source, length, &decode);
  decode_clear(&decode);
  return result;
}
