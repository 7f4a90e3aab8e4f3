/* Round calls of the core: the GIL goes and comes back, signals are looked at, progress is told. */
#include "py.h"

#include <time.h>

/* ---- the GIL ----------------------------------------------------------------------------------------------------- */

void gil_release(Gil *gil) {
  gil->thread = PyThread_get_thread_ident();
  gil->released = PyEval_SaveThread();
}

void gil_take(Gil *gil) {
  PyThreadState *released = gil->released;
  gil->released = NULL;
  PyEval_RestoreThread(released);
  gil->thread = 0;
}

/* The call that has let go of the GIL: this handle's own, or that of one it was put in the place of. */
static Gil *released_one(Gil *gil) {
  while (gil != NULL && gil->released == NULL) gil = gil->outer;
  return gil;
}

int gil_is_away(Gil *gil) { return released_one(gil) != NULL; }

Gil *gil_enter(Gil *gil) {
  Gil *one = released_one(gil);
  if (one == NULL) return NULL;
  PyThreadState *released = one->released;
  one->released = NULL; /* but its thread stays: others are workers of the call even now */
  PyEval_RestoreThread(released);
  return one;
}

void gil_leave(Gil *entered) {
  if (entered != NULL) entered->released = PyEval_SaveThread();
}

int gil_is_worker(const Gil *gil) {
  while (gil != NULL && gil->thread == 0) gil = gil->outer;
  return gil != NULL && gil->thread != PyThread_get_thread_ident();
}

/* ---- signals ----------------------------------------------------------------------------------------------------- */

/* Taking the GIL back can cost a thread switch, 5 ms if another thread computes: signals are looked at now and then. */
#define SIGNAL_SECONDS 0.05

static double seconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int is_due(double *last) {
  double now = seconds();
  if (now - *last < SIGNAL_SECONDS && now >= *last) return 0;
  *last = now;
  return 1;
}

int gil_check_signals(Gil *gil) {
  Gil *entered = gil_enter(gil);
  int failed = PyErr_Occurred() != NULL || PyErr_CheckSignals() < 0;
  gil_leave(entered);
  return failed;
}

int gil_check_due_signals(Gil *gil) { return is_due(&gil->checked) && gil_check_signals(gil); }

/* ---- progress ---------------------------------------------------------------------------------------------------- */

/* True becomes a bar of the Python part, or nothing where nobody would see it. */
int gil_set_progress(Gil *gil, PyObject *progress, const char *unit) {
  if (progress != Py_True) {
    gil->progress = Py_XNewRef(progress);
    return 0;
  }
  PyObject *module = PyImport_ImportModule("fastio._progress");
  PyObject *bar = module == NULL ? NULL : PyObject_CallMethod(module, "bar", "s", unit);
  Py_XDECREF(module);
  if (bar == NULL) return -1;
  gil->is_bar = bar != Py_None;
  if (gil->is_bar) gil->progress = bar;
  else Py_DECREF(bar);
  return 0;
}

static int report_progress(PyObject *progress, uint64_t done, uint64_t total) {
  PyObject *result = total == FASTIO_NO_OFFSET ? PyObject_CallFunction(progress, "KO", done, Py_None)
                                               : PyObject_CallFunction(progress, "KK", done, total);
  if (result == NULL) return -1;
  Py_DECREF(result);
  return 0;
}

int gil_poll(void *ctx, uint64_t done, uint64_t total) {
  Gil *gil = ctx;
  int is_callable = gil->progress != NULL && !gil->is_bar;
  int is_last = gil->is_bar && gil->before + done >= MAX(total, gil->whole);
  if (!is_callable && !is_last && !is_due(&gil->checked)) return 0;
  if (gil_check_signals(gil)) return 1;
  if (gil->progress == NULL) return 0;
  if (gil->whole != 0) {
    int is_known = total != FASTIO_NO_OFFSET && gil->whole != FASTIO_NO_OFFSET;
    done += gil->before;
    total = is_known ? gil->whole : FASTIO_NO_OFFSET;
    if (is_known) done = MIN(done, total);
  }
  Gil *entered = gil_enter(gil);
  int failed = report_progress(gil->progress, done, total) < 0;
  gil_leave(entered);
  return failed;
}

/* A bar leaves the terminal in order. Whatever is being raised goes on. */
void gil_close_progress(Gil *gil) {
  PyObject *type, *value, *traceback;
  if (gil->is_bar && gil->progress != NULL) {
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *result = PyObject_CallMethod(gil->progress, "close", NULL);
    if (result == NULL) PyErr_WriteUnraisable(gil->progress);
    Py_XDECREF(result);
    PyErr_Restore(type, value, traceback);
  }
  gil->is_bar = 0;
  Py_CLEAR(gil->progress);
}
