/* The binding's one shared header: module state, the view type behind Column and Lines, inputs, keyword options. */
#ifndef FASTIO_PY_H
#define FASTIO_PY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <stdlib.h>
#include <string.h>

#include "fastio.h"

#include "capi.h"

#ifdef Py_GIL_DISABLED
#  include <stdatomic.h>
#endif

/* Critical sections came with 3.13; with a GIL they are nothing. */
#if PY_VERSION_HEX < 0x030D0000
#  define Py_BEGIN_CRITICAL_SECTION(op) {
#  define Py_END_CRITICAL_SECTION() }
#endif

#ifdef __GNUC__
#  define NOINLINE __attribute__((noinline)) /* keeps a rare path out of a hot function's frame */
#else
#  define NOINLINE
#endif

#define FUNCTION(f) ((PyCFunction)(void (*)(void))(f))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* ---- module.c ---------------------------------------------------------------------------------------------------- */

typedef struct State {
  PyObject *Error, *ParseError, *RangeError, *DecodeError, *TruncatedError;
  PyTypeObject *Column, *Lines, *SequenceIterator, *MappedFile, *Reader, *ReaderIterator, *Stream;
  PyObject *text_io; /* io.TextIOBase */
  PyObject *rebuild; /* _rebuild, which pickles name */
  fastio_capi capi;
} State;

extern struct PyModuleDef fastio_module;

static inline State *state_of(PyObject *module) { return (State *)PyModule_GetState(module); }
static inline State *state_of_self(PyObject *self) { return (State *)PyType_GetModuleState(Py_TYPE(self)); }
int add_read_functions(PyObject *module);

/* Attributes by interned names: PyObject_GetAttrString makes a fresh str each time, and the types' method caches would
 * keep hundreds of them. */
static inline PyObject *get_attribute(PyObject *object, const char *name) {
  PyObject *key = PyUnicode_InternFromString(name);
  PyObject *value = key == NULL ? NULL : PyObject_GetAttr(object, key);
  Py_XDECREF(key);
  return value;
}
static inline int set_attribute(PyObject *object, const char *name, PyObject *value) {
  PyObject *key = PyUnicode_InternFromString(name);
  int result = key == NULL ? -1 : PyObject_SetAttr(object, key, value);
  Py_XDECREF(key);
  return result;
}

/* ---- errors.c ---------------------------------------------------------------------------------------------------- */

int errors_init(PyObject *module, State *state);
/* Raises the exception for a status; `path` (NULL or a str) goes into the message. An exception that a callback left
 * set passes through unchanged. Always returns NULL. */
PyObject *raise_error(State *state, fastio_status status, const fastio_error *err, PyObject *path);
void capi_raise(void *ctx, fastio_status status, const fastio_error *err);
PyObject *refuse_pickle(PyObject *self, PyObject *ignored);

/* ---- view.c: an immutable sequence over a column; Column and Lines are both one ---------------------------------- */

typedef struct View {
  PyObject_HEAD const fastio_column *column; /* one reference owned */
  Py_ssize_t start, length, step;
  Py_ssize_t null_count; /* of this view */
  int ndim;
  Py_ssize_t shape[2], strides[2]; /* what the buffer protocol and DLPack show; strides in bytes */
  PyObject *weakrefs;
} View;

/* Takes over the reference to the column, also on failure. `ndim`: 1, or 2 for a matrix of column->row_items a row. */
PyObject *view_new(PyTypeObject *type, const fastio_column *column, int ndim);
void view_dealloc(PyObject *op);
Py_ssize_t view_length(PyObject *op);
PyObject *view_subscript(PyObject *op, PyObject *key);
PyObject *view_iter(PyObject *op);
PyObject *view_richcompare(PyObject *op, PyObject *other, int operation);
PyObject *view_to_list(PyObject *op, PyObject *ignored);
PyObject *view_index(PyObject *op, PyObject *const *args, Py_ssize_t nargs);
PyObject *view_count(PyObject *op, PyObject *value);
PyObject *view_repr(PyObject *op, const char *kind, PyObject *dtype);
/* Item i of the view (0 <= i < length), of either type. */
PyObject *view_item(View *self, Py_ssize_t i);
PyObject *view_sq_item(PyObject *op, Py_ssize_t i);
extern PyType_Spec sequence_iterator_spec;

static inline Py_ssize_t view_position(const View *self, Py_ssize_t i) { return self->start + i * self->step; }
static inline int view_is_null(const View *self, Py_ssize_t i) {
  const uint8_t *validity = self->column->validity;
  Py_ssize_t at = view_position(self, i);
  return validity != NULL && !(validity[at >> 3] >> (at & 7) & 1);
}
static inline int is_text(const fastio_column *column) {
  return column->type == FASTIO_STRING || column->type == FASTIO_BINARY;
}
/* A new reference to a column that holds just this view's values in order: the same one, or a gathered copy. *start is
 * where the view begins in it. NULL with an exception set. */
const fastio_column *view_contiguous(State *state, View *self, Py_ssize_t *start);

/* str of UTF-8 that was checked. Most text is ASCII, and that needs no decoder. */
PyObject *new_str(const char *data, Py_ssize_t size);
PyObject *new_ascii(const char *data, Py_ssize_t size);
int is_ascii(const char *data, size_t size);

/* ---- column.c, lines.c, pickle.c --------------------------------------------------------------------------------- */

extern PyType_Spec column_spec, lines_spec;
PyObject *column_to_numpy(PyObject *op, PyObject *args, PyObject *kwargs);
PyObject *column_array(PyObject *op, PyObject *args, PyObject *kwargs);
PyObject *view_reduce(PyObject *op, PyObject *protocol);
PyObject *rebuild(PyObject *module, PyObject *args);
/* The buffer protocol's letter for a type, "l" for int64 where long has 64 bits (as NumPy says it). */
const char *type_format(fastio_type type);

/* ---- export.c, arrow.c ------------------------------------------------------------------------------------------- */

int column_getbuffer(PyObject *op, Py_buffer *view, int flags);
PyObject *column_dlpack(PyObject *op, PyObject *args, PyObject *kwargs);
PyObject *column_dlpack_device(PyObject *op, PyObject *ignored);
PyObject *view_arrow_schema(PyObject *op, PyObject *ignored);
PyObject *view_arrow_array(PyObject *op, PyObject *args, PyObject *kwargs);
PyObject *view_arrow_stream(PyObject *op, PyObject *args, PyObject *kwargs);
extern const char arrow_schema_doc[], arrow_array_doc[], arrow_stream_doc[];

/* ---- map.c ------------------------------------------------------------------------------------------------------- */

typedef struct Map {
  PyObject_HEAD fastio_map *map; /* NULL once closed */
  PyObject *path;
  Py_ssize_t exports; /* buffers, sources and searches that need the memory */
  PyObject *weakrefs;
} Map;

extern PyType_Spec map_spec;
PyObject *load(PyObject *module, PyObject *args, PyObject *kwargs);
/* Keeps the memory from being closed, or -1 with ValueError if it is closed. */
int map_pin(Map *self);
void map_unpin(Map *self);

/* ---- source.c: what Python calls a source ------------------------------------------------------------------------ */

/* Whatever the bytes come from, with all that must live as long. Not to be moved while open: callbacks point to it. */
typedef struct Input {
  fastio_source *source; /* NULL: closed */
  PyObject *path;        /* str for messages; NULL for data */
  Py_buffer buffer;      /* the data itself; buffer.obj is NULL if unused */
  PyObject *map;         /* a MappedFile, pinned */
  PyObject *method;      /* readinto or read of a file object */
  PyObject *chunk;       /* bytearray that readinto fills: the callee may keep it, the core's memory it may not */
  int owns_file;         /* opened by path: someone ought to close it */
  fastio_env env;
  PyThreadState *released; /* not NULL while the GIL is released round a call of the core */
  unsigned long thread;    /* the thread that released it: only that one may take it back */
  PyObject *progress;      /* True, a callable or NULL */
  double checked;          /* when signals were last looked at */
} Input;

int input_open(State *state, Input *input, PyObject *object);
void input_close(Input *input);
int input_traverse(Input *input, visitproc visit, void *arg);
/* Round a whole-source call: the GIL goes, the callbacks below come back for it. */
void input_release_gil(Input *input);
void input_take_gil(Input *input);
/* The core's poll: signals and progress. ctx is the Input. Non-zero with an exception set. */
int input_poll(void *ctx, uint64_t done, uint64_t total);

/* ---- options.c: keywords ----------------------------------------------------------------------------------------- */

typedef enum Keyword {
  KW_SOURCE,
  KW_DTYPE,
  KW_MODE,
  KW_SEP,
  KW_COMMENT,
  KW_SKIP_LINES,
  KW_NULL_VALUES,
  KW_BASE,
  KW_OVERFLOW,
  KW_SHAPE,
  KW_OFFSET,
  KW_LENGTH,
  KW_MAX_ITEMS,
  KW_THREADS,
  KW_PROGRESS,
  KW_BLOCK_SIZE,
  KW_ENCODING,
  KW_ERRORS,
  KW_NEWLINE,
  KW_KEEPENDS,
  KW_COUNT
} Keyword;
#define BIT(keyword) (1u << (keyword))

/* What a function takes: `second` is the keyword that may also come second by position (KW_COUNT: none). */
typedef struct Signature {
  const char *name;
  unsigned keywords;
  Keyword second;
} Signature;

typedef struct Options {
  fastio_read_options read;
  PyObject *source;     /* borrowed from the arguments */
  PyObject *progress;   /* borrowed; NULL, Py_True or a callable */
  PyObject *null_texts; /* owned: keeps null_values alive */
  fastio_bytes *nulls;  /* owned */
  const char *errors;   /* borrowed from the arguments; NULL: strict */
  int is_matrix, has_rows;
  int as_bytes; /* encoding=None */
} Options;

/* 0, or -1 with an exception. options_clear is due in both cases. */
int options_parse(State *state, const Signature *signature, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                  Options *out);
void options_clear(Options *options);
int type_from_object(PyObject *object, fastio_type *out);
int int_from_object(PyObject *object, const char *name, uint64_t least, uint64_t *out);

/* ---- progress.c -------------------------------------------------------------------------------------------------- */

int report_progress(PyObject *progress, uint64_t done, uint64_t total);

/* ---- reader.c, stream.c, read.c ---------------------------------------------------------------------------------- */

/* One thread at a time: enter fails with ValueError if another is inside. */
#ifdef Py_GIL_DISABLED
typedef atomic_int Busy;
static inline int busy_take(Busy *busy) { return atomic_exchange_explicit(busy, 1, memory_order_acquire) == 0; }
static inline void busy_give(Busy *busy) { atomic_store_explicit(busy, 0, memory_order_release); }
#else
typedef int Busy;
static inline int busy_take(Busy *busy) { return *busy ? 0 : (*busy = 1); }
static inline void busy_give(Busy *busy) { *busy = 0; }
#endif
int busy_enter(Busy *busy, const char *what);

extern PyType_Spec reader_spec, reader_iterator_spec, stream_spec;
PyObject *open_reader(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
extern const char open_doc[], lines_doc[], ints_doc[], floats_doc[];
PyObject *stream_lines(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *stream_ints(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *stream_floats(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);

#endif
