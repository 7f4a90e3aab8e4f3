/* Progress: a callable, or a line on standard error. */
#include "py.h"

/* The line is for people: nothing where stderr is no terminal. Through sys.stderr, so that a notebook shows it. */
static int write_line(uint64_t done, uint64_t total) {
  PyObject *stream = PySys_GetObject("stderr"); /* borrowed */
  if (stream == NULL || stream == Py_None) return 0;
  Py_INCREF(stream);
  PyObject *answer = PyObject_CallMethod(stream, "isatty", NULL);
  int is_terminal = answer == NULL ? -1 : PyObject_IsTrue(answer);
  Py_XDECREF(answer);
  int failed = is_terminal < 0;
  if (is_terminal > 0) {
    unsigned long long mib = done >> 20,
                       percent = total != 0 ? (unsigned long long)(100.0 * (double)done / (double)total) : 100;
    PyObject *line;
    if (total == FASTIO_NO_OFFSET) line = PyUnicode_FromFormat("\r%llu MiB", mib);
    else line = PyUnicode_FromFormat("\r%llu MiB, %llu%%%s", mib, percent, done >= total ? "\n" : "");
    failed = line == NULL || PyFile_WriteObject(line, stream, Py_PRINT_RAW) < 0;
    Py_XDECREF(line);
  }
  Py_DECREF(stream);
  return failed ? -1 : 0;
}

int report_progress(PyObject *progress, uint64_t done, uint64_t total) {
  if (progress == Py_True) return write_line(done, total);
  PyObject *result = total == FASTIO_NO_OFFSET ? PyObject_CallFunction(progress, "KO", done, Py_None)
                                               : PyObject_CallFunction(progress, "KK", done, total);
  if (result == NULL) return -1;
  Py_DECREF(result);
  return 0;
}
