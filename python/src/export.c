/* A column's memory for others: the buffer protocol and DLPack. */
#include "py.h"

#include "dlpack.h"

static char *first_item(const View *self) {
  size_t size = fastio_type_size(self->column->type);
  return (char *)(uintptr_t)self->column->data + (size_t)self->start * size;
}

/* ---- buffer protocol --------------------------------------------------------------------------------------------- */

static int is_fortran_contiguous(const View *self) {
  if (self->length <= 1) return 1;
  if (self->ndim == 2) return self->shape[0] <= 1 || self->shape[1] <= 1;
  return self->step == 1;
}

static int is_c_contiguous(const View *self) { return self->step == 1 || self->length <= 1; }

static const char *buffer_refusal(const View *self, int flags) {
  if (!is_number(self->column->type)) return "only numbers have a buffer: use to_numpy() or __arrow_c_array__";
  if (self->null_count != 0) return "values are missing: use to_numpy(null=...) or __arrow_c_array__";
  if (flags & PyBUF_WRITABLE && !self->is_lent) return "columns are immutable";
  int needs_c = (flags & PyBUF_STRIDES) != PyBUF_STRIDES || (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS;
  if (needs_c && !is_c_contiguous(self)) return "a stepped slice is not contiguous";
  if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && !is_fortran_contiguous(self))
    return "not Fortran contiguous";
  int any = (flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS;
  if (any && !is_c_contiguous(self) && !is_fortran_contiguous(self)) return "a stepped slice is not contiguous";
  return NULL;
}

int column_getbuffer(PyObject *op, Py_buffer *view, int flags) {
  View *self = (View *)op;
  const char *refusal = buffer_refusal(self, flags);
  view->obj = NULL;
  if (refusal != NULL) {
    PyErr_SetString(PyExc_BufferError, refusal);
    return -1;
  }
  int has_shape = (flags & PyBUF_ND) == PyBUF_ND;
  view->buf = first_item(self);
  view->itemsize = (Py_ssize_t)fastio_type_size(self->column->type);
  view->len = self->length * view->itemsize;
  view->readonly = !self->is_lent;
  view->ndim = has_shape ? self->ndim : 1;
  view->format = (flags & PyBUF_FORMAT) ? (char *)(uintptr_t)type_format(self->column->type) : NULL;
  view->shape = has_shape ? self->shape : NULL;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? self->strides : NULL;
  view->suboffsets = NULL;
  view->internal = NULL;
  view->obj = Py_NewRef(op);
  return 0;
}

/* ---- DLPack ------------------------------------------------------------------------------------------------------ */

/* One block behind either kind of capsule. Freed by the consumer, on any thread, without the GIL. */
typedef struct Export {
  union {
    dlpack_managed managed;
    dlpack_managed_versioned versioned;
  } head;                      /* first: the consumer's pointer is the block's */
  const fastio_column *column; /* NULL if copied */
  void *copy;
  int64_t shape[2], strides[2];
} Export;

static void export_free(Export *self) {
  if (self == NULL) return;
  fastio_column_free(self->column);
  free(self->copy);
  free(self);
}

static void delete_managed(dlpack_managed *managed) { export_free((Export *)(void *)managed); }
static void delete_versioned(dlpack_managed_versioned *managed) { export_free((Export *)(void *)managed); }

/* A consumer renames the capsule; one that still has its first name was never taken. */
static void capsule_free(PyObject *capsule) {
  const char *name = PyCapsule_GetName(capsule);
  if (name != NULL && (strcmp(name, "dltensor") == 0 || strcmp(name, "dltensor_versioned") == 0)) {
    export_free(PyCapsule_GetPointer(capsule, name));
  }
}

static dlpack_dtype dlpack_type(fastio_type type) {
  dlpack_dtype dtype = {DLPACK_INT, (uint8_t)(8 * fastio_type_size(type)), 1};
  if (type >= FASTIO_UINT8) dtype.code = DLPACK_UINT;
  if (type >= FASTIO_FLOAT32) dtype.code = DLPACK_FLOAT;
  return dtype;
}

static void copy_strided(const View *self, char *out) {
  size_t size = fastio_type_size(self->column->type);
  const char *data = self->column->data;
  for (Py_ssize_t i = 0; i < self->length; ++i) {
    memcpy(out + (size_t)i * size, data + (size_t)view_position(self, i) * size, size);
  }
}

static Export *export_new(View *self, int copies, dlpack_tensor *tensor) {
  Py_ssize_t size = (Py_ssize_t)fastio_type_size(self->column->type);
  Export *result = calloc(1, sizeof *result);
  if (result == NULL) return NULL;
  if (copies) {
    result->copy = malloc(MAX((size_t)(self->length * size), 1));
    if (result->copy == NULL) {
      free(result);
      return NULL;
    }
    copy_strided(self, result->copy);
  } else {
    fastio_column_retain(self->column);
    result->column = self->column;
  }
  for (int i = 0; i < self->ndim; ++i) result->shape[i] = self->shape[i];
  int64_t step = copies ? 1 : self->step;
  result->strides[self->ndim - 1] = step;
  if (self->ndim == 2) result->strides[0] = self->shape[1];
  *tensor = (dlpack_tensor){copies ? result->copy : first_item(self),
                            {DLPACK_CPU, 0},
                            self->ndim,
                            dlpack_type(self->column->type),
                            result->shape,
                            result->strides,
                            0};
  return result;
}

static PyObject *export_capsule(View *self, int copies, int is_versioned) {
  dlpack_tensor tensor;
  Export *result = export_new(self, copies, &tensor);
  if (result == NULL) return PyErr_NoMemory();
  if (is_versioned) {
    uint64_t flags = copies ? DLPACK_IS_COPIED : DLPACK_READ_ONLY;
    result->head.versioned = (dlpack_managed_versioned){1, 0, NULL, delete_versioned, flags, tensor};
  } else {
    result->head.managed = (dlpack_managed){tensor, NULL, delete_managed};
  }
  PyObject *capsule = PyCapsule_New(result, is_versioned ? "dltensor_versioned" : "dltensor", capsule_free);
  if (capsule == NULL) export_free(result);
  return capsule;
}

/* The device must be main memory: None or (1, 0). */
static int check_device(PyObject *device) {
  long type, id;
  if (device == Py_None) return 0;
  if (!PyTuple_Check(device) || PyTuple_GET_SIZE(device) != 2) {
    PyErr_SetString(PyExc_TypeError, "dl_device must be None or a pair of integers");
    return -1;
  }
  type = PyLong_AsLong(PyTuple_GET_ITEM(device, 0));
  if (type == -1 && PyErr_Occurred()) return -1;
  id = PyLong_AsLong(PyTuple_GET_ITEM(device, 1));
  if (id == -1 && PyErr_Occurred()) return -1;
  if (type == DLPACK_CPU && id == 0) return 0;
  PyErr_SetString(PyExc_BufferError, "a column lives in main memory: dl_device can only be (1, 0)");
  return -1;
}

static int major_version(PyObject *version, long *out) {
  *out = 0;
  if (version == Py_None) return 0;
  if (!PyTuple_Check(version) || PyTuple_GET_SIZE(version) != 2) {
    PyErr_SetString(PyExc_TypeError, "max_version must be None or a pair of integers");
    return -1;
  }
  *out = PyLong_AsLong(PyTuple_GET_ITEM(version, 0));
  return *out == -1 && PyErr_Occurred() ? -1 : 0;
}

PyObject *column_dlpack(PyObject *op, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"stream", "max_version", "dl_device", "copy", NULL};
  PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
  View *self = (View *)op;
  long major;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOO:__dlpack__", names, &stream, &version, &device, &copy))
    return NULL;
  if (stream != Py_None) {
    PyErr_SetString(PyExc_ValueError, "stream must be None for main memory");
    return NULL;
  }
  if (check_device(device) < 0 || major_version(version, &major) < 0) return NULL;
  int wants_copy = copy == Py_None ? 0 : PyObject_IsTrue(copy);
  if (wants_copy < 0) return NULL;
  if (self->null_count != 0 || !is_number(self->column->type)) {
    PyErr_SetString(PyExc_BufferError, buffer_refusal(self, PyBUF_STRIDES));
    return NULL;
  }
  /* Version 0 can't say "read-only", so its consumers get memory of their own. */
  if (major < 1 && copy != Py_None && !wants_copy) {
    PyErr_SetString(PyExc_BufferError,
                    "columns are read-only, which DLPack before version 1 cannot say without a copy");
    return NULL;
  }
  return export_capsule(self, wants_copy || major < 1, major >= 1);
}

PyObject *column_dlpack_device(PyObject *Py_UNUSED(op), PyObject *Py_UNUSED(ignored)) {
  return Py_BuildValue("(ii)", DLPACK_CPU, 0);
}
