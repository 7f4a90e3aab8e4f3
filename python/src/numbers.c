/* Many numbers or lines out: buffers as they lie, columns, and Python's own objects in chunks. */
#include "py.h"

/* ---- items of buffers -------------------------------------------------------------------------------------------- */

/* What an item of a buffer is: half floats are FLOAT32, which they become; 0: no number. */
typedef struct Item {
  fastio_type type; /* FASTIO_BOOL is a byte each */
  int is_half, is_swapped;
} Item;

static fastio_type int_type(Py_ssize_t size, int is_signed) {
  switch (size) {
    case 1: return is_signed ? FASTIO_INT8 : FASTIO_UINT8;
    case 2: return is_signed ? FASTIO_INT16 : FASTIO_UINT16;
    case 4: return is_signed ? FASTIO_INT32 : FASTIO_UINT32;
    case 8: return is_signed ? FASTIO_INT64 : FASTIO_UINT64;
    default: return (fastio_type)0;
  }
}

static Item item_of(const Py_buffer *view) {
  const char *format = view->format == NULL ? "B" : view->format;
  Item item = {(fastio_type)0, 0, 0};
  if (*format != '\0' && strchr("@=<>!", *format) != NULL) {
    item.is_swapped = view->itemsize > 1 && (*format == '<'                     ? !PY_LITTLE_ENDIAN
                                             : *format == '>' || *format == '!' ? PY_LITTLE_ENDIAN
                                                                                : 0);
    ++format;
  }
  if (format[0] == '\0' || format[1] != '\0') return item;
  if (strchr("bhilqn", *format) != NULL) item.type = int_type(view->itemsize, 1);
  else if (strchr("BHILQN", *format) != NULL) item.type = int_type(view->itemsize, 0);
  else if (*format == '?' && view->itemsize == 1) item.type = FASTIO_BOOL;
  else if (*format == 'f' && view->itemsize == 4) item.type = FASTIO_FLOAT32;
  else if (*format == 'd' && view->itemsize == 8) item.type = FASTIO_FLOAT64;
  else if (*format == 'e' && view->itemsize == 2) {
    item.type = FASTIO_FLOAT32;
    item.is_half = 1;
  }
  return item;
}

/* Bytes from one item of a dimension to the next; ctypes gives no strides, though asked for them. */
static Py_ssize_t stride_of(const Py_buffer *view, int dimension) {
  Py_ssize_t stride = view->itemsize;
  if (view->strides != NULL) return view->strides[dimension];
  for (int i = view->ndim - 1; i > dimension; --i) stride *= view->shape[i];
  return stride;
}

/* A half float: 1 bit of sign, 5 of exponent, 10 of fraction. Every one is a float exactly. */
static float float_of_half(uint16_t half) {
  uint32_t sign = (uint32_t)(half >> 15) << 31, exponent = half >> 10 & 31, fraction = half & 1023, bits;
  float value;
  if (exponent == 0) {
    value = (float)fraction / 16777216.0f;
    return sign != 0 ? -value : value;
  }
  bits = sign | (exponent == 31 ? 255u << 23 : (exponent + 112) << 23) | fraction << 13;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void copy_item(const Item *item, Py_ssize_t size, const char *from, char *to) {
  char bytes[8];
  for (Py_ssize_t i = 0; i < size; ++i) bytes[i] = from[item->is_swapped ? size - 1 - i : i];
  if (item->is_half) {
    uint16_t half;
    memcpy(&half, bytes, 2);
    float value = float_of_half(half);
    memcpy(to, &value, sizeof value);
    return;
  }
  memcpy(to, bytes, (size_t)size);
}

#define AS(type) (*(const type *)(const void *)at)

/* The number at a place that is aligned for it. */
static Number number_at(fastio_type type, const char *at) {
  Number number = {FASTIO_INT64, {0}};
  switch (type) {
    case FASTIO_INT8: number.value.i = AS(int8_t); break;
    case FASTIO_INT16: number.value.i = AS(int16_t); break;
    case FASTIO_INT32: number.value.i = AS(int32_t); break;
    case FASTIO_INT64: number.value.i = AS(int64_t); break;
    case FASTIO_UINT8: number.value.i = AS(uint8_t); break;
    case FASTIO_UINT16: number.value.i = AS(uint16_t); break;
    case FASTIO_UINT32: number.value.i = AS(uint32_t); break;
    case FASTIO_FLOAT32: number.value.f = (double)AS(float); break;
    case FASTIO_FLOAT64: number.value.f = AS(double); break;
    default: number.value.u = AS(uint64_t); break;
  }
  if (type == FASTIO_FLOAT32 || type == FASTIO_FLOAT64 || type == FASTIO_UINT64) number.type = type;
  return number;
}

int number_of_buffer(const Py_buffer *view, Number *out) {
  Item item = item_of(view);
  double aligned;
  if (item.type == 0 || item.type == FASTIO_BOOL) return 0;
  copy_item(&item, view->itemsize, view->buf, (char *)&aligned);
  *out = number_at(item.type, (const char *)&aligned);
  return 1;
}

int number_as_float(Number *number) {
  if (number->type == FASTIO_FLOAT32 || number->type == FASTIO_FLOAT64) return 0;
  int is_signed = number->type == FASTIO_INT64;
  double value = is_signed ? (double)number->value.i : (double)number->value.u;
  /* The limits of 64 bits are floats, but not integers of 64 bits. */
  int fits = is_signed ? value < 9223372036854775808.0 && (int64_t)value == number->value.i
                       : value < 18446744073709551616.0 && (uint64_t)value == number->value.u;
  if (!fits) return -1;
  number->type = FASTIO_FLOAT64;
  number->value.f = value;
  return 0;
}

/* ---- a buffer as a column ---------------------------------------------------------------------------------------- */

static void free_block(void *ctx) { free(ctx); }

#define COPY(type)                                                           \
  for (size_t i = 0; i < length; ++i, at += stride) {                        \
    memcpy((char *)out + i * sizeof(type), at, sizeof(type)); /* one move */ \
  }

static void copy_strided(const char *at, Py_ssize_t stride, size_t length, Py_ssize_t width, char *out) {
  switch (width) {
    case 1: COPY(uint8_t); break;
    case 2: COPY(uint16_t); break;
    case 4: COPY(uint32_t); break;
    default: COPY(uint64_t); break;
  }
}

static void copy_to_column(const Py_buffer *view, const Item *item, char *out) {
  const char *at = view->buf;
  size_t length = (size_t)view->shape[0], width = item->is_half ? 4 : (size_t)view->itemsize;
  Py_ssize_t stride = stride_of(view, 0);
  if (item->type != FASTIO_BOOL && !item->is_half && !item->is_swapped) {
    copy_strided(at, stride, length, view->itemsize, out);
    return;
  }
  for (size_t i = 0; i < length; ++i, at += stride) {
    if (item->type == FASTIO_BOOL) out[i >> 3] = (char)(out[i >> 3] | (*at != 0) << (i & 7));
    else copy_item(item, view->itemsize, at, out + i * width);
  }
}

/* Takes over the block that the column is over. */
static PyObject *column_over(State *state, fastio_column *column, void *block) {
  fastio_column *result = NULL;
  fastio_error err;
  fastio_error_init(&err);
  column->data = block;
  fastio_status status = fastio_column_new(column, free_block, block, NULL, &result, &err);
  if (status != FASTIO_OK) return raise_error(state, status, &err, NULL);
  return view_new(state->Column, result, 1);
}

PyObject *column_of_buffer(State *state, PyObject *object) {
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_RECORDS_RO) < 0) return NULL;
  Item item = item_of(&view);
  if (item.type == 0 || view.ndim != 1) {
    PyErr_Format(PyExc_TypeError, "a buffer of %d dimensions and format '%s' is no column", view.ndim,
                 view.format == NULL ? "B" : view.format);
    PyBuffer_Release(&view);
    return NULL;
  }
  size_t length = (size_t)view.shape[0], width = item.is_half ? 4 : (size_t)view.itemsize;
  fastio_column column = {.type = item.type, .length = length, .data_size = MAX(length * width, 1)};
  char *block = calloc(column.data_size, 1);
  if (block != NULL) copy_to_column(&view, &item, block);
  PyBuffer_Release(&view);
  return block == NULL ? PyErr_NoMemory() : column_over(state, &column, block);
}

/* NumPy's days or nanoseconds, behind which the bits of what is not missing lie in the block. */
static void copy_temporal(const int64_t *values, size_t length, fastio_column *column, char *block) {
  uint8_t *bits = (uint8_t *)block + 8 * length;
  for (size_t i = 0; i < length; ++i) {
    int is_missing = values[i] == INT64_MIN;
    int64_t value = is_missing ? 0 : values[i];
    column->null_count += is_missing;
    if (!is_missing) bits[i >> 3] |= (uint8_t)(1u << (i & 7));
    if (column->type == FASTIO_DATE) ((int32_t *)(void *)block)[i] = (int32_t)value;
    else ((int64_t *)(void *)block)[i] = value;
  }
  column->validity = column->null_count != 0 ? bits : NULL;
}

static int days_fit(const int64_t *days, size_t length) {
  for (size_t i = 0; i < length; ++i) {
    if (days[i] != INT64_MIN && (days[i] < INT32_MIN || days[i] > INT32_MAX)) return 0;
  }
  return 1;
}

/* _temporal(int64 buffer, type): NumPy's datetime64 as a Column. */
PyObject *temporal_column(PyObject *module, PyObject *args) {
  Py_buffer view;
  const char *name;
  PyObject *values, *array = NULL;
  if (!PyArg_ParseTuple(args, "Os:_temporal", &values, &name)) return NULL;
  values = PyMemoryView_GetContiguous(values, PyBUF_READ, 'C');
  if (values == NULL || PyObject_GetBuffer(values, &view, PyBUF_SIMPLE) < 0) {
    Py_XDECREF(values);
    return NULL;
  }
  size_t length = (size_t)view.len / 8;
  fastio_column column = {.type = fastio_type_from_name(name), .length = length, .data_size = 8 * length};
  char *block = calloc(8 * length + length / 8 + 1, 1);
  if (block == NULL) {
    PyErr_NoMemory();
  } else if (column.type == FASTIO_DATE && !days_fit(view.buf, length)) {
    free(block);
    PyErr_SetString(PyExc_OverflowError, "a date is too far away");
  } else {
    copy_temporal(view.buf, length, &column, block);
    array = column_over(state_of(module), &column, block);
  }
  PyBuffer_Release(&view);
  Py_DECREF(values);
  return array;
}

/* ---- what a call writes ------------------------------------------------------------------------------------------ */

/* Numbers where they lie, with what keeps them there. */
typedef struct Numbers {
  fastio_array array;
  Py_buffer view;
  const fastio_column *column; /* owned */
  void *copy;                  /* owned */
  uint8_t *validity;           /* owned */
} Numbers;

static void numbers_clear(Numbers *numbers) {
  if (numbers->view.obj != NULL) PyBuffer_Release(&numbers->view);
  fastio_column_free(numbers->column);
  PyMem_Free(numbers->copy);
  PyMem_Free(numbers->validity);
}

static int is_float_type(fastio_type type) { return type == FASTIO_FLOAT32 || type == FASTIO_FLOAT64; }

static int refuse_type(const char *function, const char *what) {
  PyErr_Format(PyExc_TypeError, "%s() can't write %s", function, what);
  return -1;
}

static const char *at_place(const fastio_array *array, uint64_t row, uint64_t column) {
  return (const char *)array->data + (int64_t)row * array->row_stride + (int64_t)column * array->column_stride;
}

/* The integers as floats, in memory of their own; one that is no float exactly is an error. */
static int copy_as_floats(Numbers *numbers, const Item *item) {
  fastio_array *array = &numbers->array;
  size_t count = (size_t)(array->rows * array->columns), done = 0;
  double *copy = count > PY_SSIZE_T_MAX / sizeof *copy ? NULL : PyMem_Malloc(MAX(count, 1) * sizeof *copy);
  if (copy == NULL) return PyErr_NoMemory(), -1;
  numbers->copy = copy;
  for (uint64_t row = 0; row < array->rows; ++row) {
    for (uint64_t column = 0; column < array->columns; ++column, ++done) {
      int64_t aligned;
      copy_item(item, (Py_ssize_t)fastio_type_size(array->type), at_place(array, row, column), (char *)&aligned);
      Number number = number_at(array->type, (const char *)&aligned);
      if (number_as_float(&number) < 0) {
        PyErr_Format(PyExc_OverflowError, "the integer at index %zu is no float exactly", done);
        return -1;
      }
      copy[done] = number.value.f;
    }
  }
  *array = (fastio_array){FASTIO_FLOAT64, copy, array->rows, array->columns, 0, 0, array->validity};
  return 0;
}

/* Of foreign byte order, half floats, or one number everywhere. */
static int copy_items(Numbers *numbers, const Item *item, Py_ssize_t size) {
  fastio_array *array = &numbers->array;
  size_t width = item->is_half ? 4 : (size_t)size, count = (size_t)(array->rows * array->columns);
  char *copy = count > PY_SSIZE_T_MAX / width ? NULL : PyMem_Malloc(MAX(count, 1) * width);
  if (copy == NULL) return PyErr_NoMemory(), -1;
  numbers->copy = copy;
  for (uint64_t row = 0; row < array->rows; ++row) {
    for (uint64_t column = 0; column < array->columns; ++column, copy += width) {
      copy_item(item, size, at_place(array, row, column), copy);
    }
  }
  *array = (fastio_array){array->type, numbers->copy, array->rows, array->columns, 0, 0, NULL};
  return 0;
}

static int set_shape(Numbers *numbers) {
  const Py_buffer *view = &numbers->view;
  fastio_array *array = &numbers->array;
  if (view->ndim > 2) {
    PyErr_Format(PyExc_ValueError, "an array of %d dimensions can't be written: at most two can", view->ndim);
    return -1;
  }
  array->data = view->buf;
  array->rows = view->ndim == 2 ? (uint64_t)view->shape[0] : 1;
  array->columns = view->ndim == 0 ? 1 : (uint64_t)view->shape[view->ndim - 1];
  array->column_stride = view->ndim == 0 ? view->itemsize : stride_of(view, view->ndim - 1);
  array->row_stride = view->ndim == 2 ? stride_of(view, 0) : 1; /* of the only row: anything but 0 */
  return 0;
}

static int numbers_from_buffer(Numbers *numbers, PyObject *object, int wants_floats, const char *function) {
  fastio_array *array = &numbers->array;
  if (PyObject_GetBuffer(object, &numbers->view, PyBUF_RECORDS_RO) < 0) {
    numbers->view.obj = NULL;
    return -1;
  }
  Item item = item_of(&numbers->view);
  if (item.type == 0 || (!wants_floats && is_float_type(item.type)) || (wants_floats && item.type == FASTIO_BOOL)) {
    PyErr_Format(PyExc_TypeError, "%s() can't write items of the buffer format '%s'", function,
                 numbers->view.format == NULL ? "B" : numbers->view.format);
    return -1;
  }
  if (set_shape(numbers) < 0) return -1;
  array->type = item.type == FASTIO_BOOL ? FASTIO_UINT8 : item.type;
  if (wants_floats && !is_float_type(item.type)) return copy_as_floats(numbers, &item);
  /* Both strides 0 would mean that the items are packed. */
  int is_constant = array->row_stride == 0 && array->column_stride == 0;
  if (item.is_half || item.is_swapped || is_constant) return copy_items(numbers, &item, numbers->view.itemsize);
  return 0;
}

/* Bits of the view from bit 0 on. */
static int copy_validity(Numbers *numbers, const View *view) {
  numbers->validity = PyMem_Calloc((size_t)view->length / 8 + 1, 1);
  if (numbers->validity == NULL) return PyErr_NoMemory(), -1;
  for (Py_ssize_t i = 0; i < view->length; ++i) {
    if (!view_is_null(view, i)) numbers->validity[i >> 3] |= (uint8_t)(1u << (i & 7));
  }
  numbers->array.validity = numbers->validity;
  return 0;
}

static int numbers_from_column(Numbers *numbers, View *view, int wants_floats, int has_null, const char *function) {
  fastio_type type = view->column->type;
  fastio_array *array = &numbers->array;
  if (!is_number(type) || (!wants_floats && is_float_type(type))) return refuse_type(function, fastio_type_name(type));
  if (view->null_count != 0 && !has_null) {
    PyErr_SetString(PyExc_ValueError, "values are missing: null=... is the text to write for them");
    return -1;
  }
  fastio_column_retain(view->column);
  numbers->column = view->column;
  array->type = type;
  array->data = (const char *)view->column->data + (size_t)view->start * fastio_type_size(type);
  array->rows = view->ndim == 2 ? (uint64_t)view->shape[0] : 1;
  array->columns = (uint64_t)(view->ndim == 2 ? view->shape[1] : view->length);
  array->row_stride = view->ndim == 2 ? view->strides[0] : 1;
  array->column_stride = view->ndim == 2 ? view->strides[1] : view->strides[0];
  if (view->null_count != 0 && copy_validity(numbers, view) < 0) return -1;
  Item item = {type, 0, 0};
  return wants_floats && !is_float_type(type) ? copy_as_floats(numbers, &item) : 0;
}

/* ---- keywords ---------------------------------------------------------------------------------------------------- */

typedef struct Words {
  const char *function;
  int wants_floats, has_null;
  PyObject *values, *progress;        /* borrowed */
  PyObject *sep, *end, *null, *given; /* owned: what the options point to */
  fastio_format *formats;             /* owned */
  fastio_array_options options;
} Words;

static void words_clear(Words *words) {
  Py_CLEAR(words->sep);
  Py_CLEAR(words->end);
  Py_CLEAR(words->null);
  Py_CLEAR(words->given);
  PyMem_Free(words->formats);
}

int bytes_from_object(PyObject *object, const char *name, PyObject **keep, fastio_bytes *out) {
  if (PyUnicode_Check(object)) *keep = PyUnicode_AsUTF8String(object);
  else if (PyBytes_Check(object)) *keep = Py_NewRef(object);
  else PyErr_Format(PyExc_TypeError, "%s must be str or bytes, not %.100s", name, Py_TYPE(object)->tp_name);
  if (*keep == NULL) return -1;
  *out = (fastio_bytes){PyBytes_AS_STRING(*keep), (size_t)PyBytes_GET_SIZE(*keep)};
  return 0;
}

int formats_from_object(State *state, PyObject *object, PyObject **keep, fastio_format **formats, size_t *count) {
  if (object == NULL || object == Py_None) return 0;
  int is_one = PyUnicode_Check(object) || Py_TYPE(object) == state->Format;
  *keep = is_one ? PyTuple_Pack(1, object) : PySequence_Tuple(object);
  if (*keep == NULL) {
    if (PyErr_ExceptionMatches(PyExc_TypeError))
      PyErr_SetString(PyExc_TypeError, "format must be a Format, or several");
    return -1;
  }
  *count = (size_t)PyTuple_GET_SIZE(*keep);
  *formats = PyMem_Calloc(MAX(*count, 1), sizeof **formats);
  if (*formats == NULL) return PyErr_NoMemory(), -1;
  for (size_t i = 0; i < *count; ++i) {
    if (format_from_object(state, PyTuple_GET_ITEM(*keep, (Py_ssize_t)i), &(*formats)[i]) < 0) return -1;
  }
  return 0;
}

static int set_word(State *state, Words *words, int i, PyObject *value) {
  fastio_array_options *options = &words->options;
  switch (i) {
    case 0: words->values = value; return 0;
    case 1: return bytes_from_object(value, "sep", &words->sep, &options->separator);
    case 2: return bytes_from_object(value, "end", &words->end, &options->end);
    case 3:
      if (formats_from_object(state, value, &words->given, &words->formats, &options->format_count) < 0) return -1;
      options->formats = words->formats;
      return 0;
    case 4:
      words->has_null = value != Py_None;
      return words->has_null ? bytes_from_object(value, "null", &words->null, &options->null_text) : 0;
    case 5: return threads_from_object(value, &options->threads);
    default: return progress_from_object(value, &words->progress);
  }
}

static int words_parse(State *state, Words *words, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"values", "sep", "end", "format", "null", "threads", "progress"};
  PyObject *given[Py_ARRAY_LENGTH(names)] = {NULL};
  if (nargs > 3) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most 3 positional arguments (%zd given)", words->function, nargs);
    return -1;
  }
  for (Py_ssize_t i = 0; i < nargs; ++i) given[i] = args[i];
  for (Py_ssize_t i = 0; kwnames != NULL && i < PyTuple_GET_SIZE(kwnames); ++i) {
    PyObject *name = PyTuple_GET_ITEM(kwnames, i);
    size_t at = 0;
    while (at < Py_ARRAY_LENGTH(names) && PyUnicode_CompareWithASCIIString(name, names[at]) != 0) ++at;
    if (at == Py_ARRAY_LENGTH(names) || given[at] != NULL) {
      PyErr_Format(PyExc_TypeError,
                   at == Py_ARRAY_LENGTH(names) ? "%s() got an unexpected keyword argument '%U'"
                                                : "%s() got multiple values for argument '%U'",
                   words->function, name);
      return -1;
    }
    given[at] = args[nargs + i];
  }
  if (given[0] == NULL) {
    PyErr_Format(PyExc_TypeError, "%s() missing required argument 'values'", words->function);
    return -1;
  }
  for (size_t i = 0; i < Py_ARRAY_LENGTH(names); ++i) {
    if (given[i] != NULL && set_word(state, words, (int)i, given[i]) < 0) return -1;
  }
  return given[5] == NULL ? threads_from_object(NULL, &words->options.threads) : 0;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

static int write_array(Writer *self, const fastio_array *array, fastio_array_options *options, PyObject *progress) {
  fastio_error err;
  Gil *gil = &self->out.gil;
  if (writer_enter(self) < 0) return -1;
  if (gil_set_progress(gil, progress, "values") < 0) return writer_leave(self, FASTIO_OK, NULL);
  options->poll = gil_poll;
  options->poll_ctx = gil;
  gil_release(gil);
  fastio_status status = fastio_write_array(self->out.writer, array, options, &err);
  gil_take(gil);
  gil_close_progress(gil);
  return writer_leave(self, status, &err);
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

#define CHUNK 4096

/* Numbers of one kind, which lie side by side: one row of an array, or a part of it. */
typedef struct Chunk {
  fastio_type type; /* of integers: INT64, or UINT64 if one needs that */
  int has_negative;
  size_t count, missing;
  uint64_t first; /* the index of its first number */
  uint8_t validity[CHUNK / 8];
  union {
    int64_t i;
    uint64_t u;
    double f;
    float single;
  } values[CHUNK];
} Chunk;

static void chunk_start(Chunk *chunk) {
  chunk->first += chunk->count;
  chunk->type = (fastio_type)0;
  chunk->has_negative = 0;
  chunk->count = chunk->missing = 0;
  memset(chunk->validity, 0, sizeof chunk->validity);
}

/* Writes it; behind the last one is the end of the row, behind others a separator. */
static int chunk_write(Writer *self, const Words *words, Chunk *chunk, int is_last) {
  fastio_array_options options = words->options;
  fastio_array array = {chunk->type == 0 ? FASTIO_INT64 : chunk->type, chunk->values, 1, chunk->count, 1, 8,
                        chunk->missing != 0 ? chunk->validity : NULL};
  if (!is_last) options.end = options.separator;
  options.threads = 1;
  int result = write_array(self, &array, &options, NULL);
  chunk_start(chunk);
  return result;
}

/* Whether a number of this kind may join those that are there. */
static int chunk_takes(const Chunk *chunk, const Number *number) {
  if (chunk->count == CHUNK) return 0;
  if (chunk->type == 0 || chunk->type == number->type) { return number->type != FASTIO_UINT64 || !chunk->has_negative; }
  if (is_float_type(number->type)) return 0;
  return number->type == FASTIO_UINT64 ? !chunk->has_negative : number->value.i >= 0;
}

static void chunk_add(Chunk *chunk, const Number *number) {
  size_t at = chunk->count++;
  chunk->validity[at >> 3] |= (uint8_t)(1u << (at & 7));
  if (number->type == FASTIO_FLOAT32) chunk->values[at].single = (float)number->value.f;
  else chunk->values[at].u = number->value.u;
  if (number->type == FASTIO_INT64 && number->value.i < 0) chunk->has_negative = 1;
  /* Integers that fit both are the same bytes in both. */
  if (chunk->type != FASTIO_UINT64) chunk->type = number->type;
}

static void chunk_add_missing(Chunk *chunk) {
  chunk->values[chunk->count++].u = 0;
  ++chunk->missing;
}

static int bad_item(const Words *words, PyObject *item, uint64_t index) {
  PyErr_Format(PyExc_TypeError, "%s() takes %s: the item at index %llu is of type %.100s", words->function,
               words->wants_floats ? "floats" : "integers", (unsigned long long)index, Py_TYPE(item)->tp_name);
  return -1;
}

/* The number that an item is; its index is told if it can't be. */
static int number_of_item(const Words *words, PyObject *item, uint64_t index, Number *out) {
  int kind = number_from_object(item, out);
  unsigned long long place = index;
  if (kind < 0 && PyErr_ExceptionMatches(PyExc_OverflowError)) {
    PyErr_Format(PyExc_OverflowError, "the int at index %llu has more than 64 bits", place);
  }
  if (kind < 0) return -1;
  if (kind == 0 || (!words->wants_floats && is_float_type(out->type))) return bad_item(words, item, index);
  if (!words->wants_floats || number_as_float(out) == 0) return 0;
  PyErr_Format(PyExc_OverflowError, "the int at index %llu is no float exactly: %R", place, item);
  return -1;
}

static int write_item(Writer *self, const Words *words, Chunk *chunk, PyObject *item) {
  Number number;
  if (item == Py_None && words->has_null) {
    if (chunk->count == CHUNK && chunk_write(self, words, chunk, 0) < 0) return -1;
    chunk_add_missing(chunk);
    return 0;
  }
  if (number_of_item(words, item, chunk->first + chunk->count, &number) < 0) return -1;
  if (!chunk_takes(chunk, &number) && chunk_write(self, words, chunk, 0) < 0) return -1;
  chunk_add(chunk, &number);
  return 0;
}

static int write_items(Writer *self, const Words *words, Chunk *chunk) {
  PyObject *iterator = PyObject_GetIter(words->values), *item;
  int failed = iterator == NULL;
  while (!failed && (item = PyIter_Next(iterator)) != NULL) {
    failed = write_item(self, words, chunk, item) < 0;
    Py_DECREF(item);
  }
  Py_XDECREF(iterator);
  return failed || PyErr_Occurred() ? -1 : chunk_write(self, words, chunk, 1);
}

static int write_objects(Writer *self, const Words *words) {
  if (PyUnicode_Check(words->values)) return refuse_type(words->function, "a str");
  if (words->options.format_count > 1) {
    PyErr_SetString(PyExc_ValueError, "several formats are for the columns of an array of two dimensions");
    return -1;
  }
  Chunk *chunk = PyMem_Calloc(1, sizeof *chunk);
  if (chunk == NULL) return PyErr_NoMemory(), -1;
  int failed = writer_lock(self) < 0;
  if (!failed) {
    failed = write_items(self, words, chunk) < 0;
    writer_unlock(self);
  }
  PyMem_Free(chunk);
  return failed ? -1 : 0;
}

/* ---- write_ints, write_floats ------------------------------------------------------------------------------------ */

#define NUMBERS_DOC(kind)                                                                                            \
  "values: any buffer of numbers, without a copy (NumPy arrays of any strides, array.array, memoryview), a Column, " \
  "or an\n"                                                                                                          \
  "    iterable of " kind ". An array of two dimensions is written row by row, everything else is one row.\n"        \
  "sep: between the values of a row. end: behind each row.\n"
#define MANY_DOC                                                                                                   \
  "null: the text for values that are missing (of a Column; None in an iterable); without it they are an error.\n" \
  "threads: None for the environment variable FASTIO_THREADS, else every usable core (one for few values).\n"      \
  "progress: True for a bar, or a callable(done, total) in values; what it raises ends the writing.\n"

const char write_ints_doc[] =
    "write_ints($self, values, sep=' ', end='\\n', *, format=None, null=None, threads=None, progress=None)\n--\n\n"
    "Writes many integers.\n\n" NUMBERS_DOC("ints") "format: a Format, or one for each column.\n" MANY_DOC
                                                    "Raises TypeError for floats and bools (arrays of bool are written "
                                                    "as 0 and 1), OverflowError for ints of more "
                                                    "than 64\n"
                                                    "bits; what comes before them may be written.";

const char write_floats_doc[] =
    "write_floats($self, values, sep=' ', end='\\n', *, format='shortest', null=None, threads=None, "
    "progress=None)\n--\n\n"
    "Writes many floats.\n\n" NUMBERS_DOC(
        "floats") "format: \"shortest\" (the digits that read back as the same float), \"hexadecimal\", a Format, or "
                  "one for each "
                  "column.\n" MANY_DOC
                  "Raises OverflowError for integers that are no float exactly; what comes before them may be written.";

/* The buffer of a masked array shows what is under the mask. */
static int refuse_mask(const Words *words) {
  PyObject *mask = get_attribute(words->values, "mask");
  if (mask == NULL) return PyErr_Clear(), 0;
  Py_DECREF(mask);
  PyErr_Format(PyExc_TypeError, "%s() takes no masked arrays: fill them (values.filled(...)), or use write_csv",
               words->function);
  return -1;
}

static int write_values(State *state, Writer *self, Words *words) {
  Numbers numbers;
  PyObject *values = words->values;
  int failed;
  if (Py_TYPE(values) != state->Column && !PyObject_CheckBuffer(values)) return write_objects(self, words);
  memset(&numbers, 0, sizeof numbers);
  if (Py_TYPE(values) == state->Column) {
    failed = numbers_from_column(&numbers, (View *)values, words->wants_floats, words->has_null, words->function) < 0;
  } else {
    failed = refuse_mask(words) < 0 || numbers_from_buffer(&numbers, values, words->wants_floats, words->function) < 0;
  }
  failed = failed || write_array(self, &numbers.array, &words->options, words->progress) < 0;
  numbers_clear(&numbers);
  return failed ? -1 : 0;
}

static PyObject *write_numbers(PyObject *op, Words *words, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  State *state = state_of_self(op);
  fastio_array_options_init(&words->options);
  int failed = words_parse(state, words, args, nargs, kwnames) < 0 || write_values(state, (Writer *)op, words) < 0;
  words_clear(words);
  if (failed) return NULL;
  Py_RETURN_NONE;
}

PyObject *writer_write_ints(PyObject *op, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  Words words = {.function = "write_ints", .wants_floats = 0};
  return write_numbers(op, &words, args, nargs, kwnames);
}

PyObject *writer_write_floats(PyObject *op, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  Words words = {.function = "write_floats", .wants_floats = 1};
  return write_numbers(op, &words, args, nargs, kwnames);
}

/* ---- write_lines ------------------------------------------------------------------------------------------------- */

const char write_lines_doc[] =
    "write_lines($self, lines, end='\\n')\n--\n\n"
    "Writes lines, and `end` behind each.\n\n"
    "lines: Lines, a Column of strings (missing ones are empty lines), or an iterable of str or bytes-like objects.\n"
    "Raises TypeError for other items; what comes before them may be written.";

static int write_strings(State *state, Writer *self, View *view, fastio_bytes end) {
  fastio_error err;
  const fastio_column *column = view_alone(state, view);
  if (column == NULL) return -1;
  int failed = writer_enter(self) < 0;
  if (!failed) {
    gil_release(&self->out.gil);
    fastio_status status = fastio_write_lines(self->out.writer, column, end, &err);
    gil_take(&self->out.gil);
    failed = writer_leave(self, status, &err) < 0;
  }
  fastio_column_free(column);
  return failed ? -1 : 0;
}

/* Both pieces as one write. */
static int put_line(Writer *self, const void *data, size_t size, fastio_bytes end) {
  fastio_error err;
  if (writer_enter(self) < 0) return -1;
  fastio_writer *writer = self->out.writer;
  fastio_status status = FASTIO_OK;
  if ((size_t)(writer->end - writer->at) > size && (size_t)(writer->end - writer->at) - size > end.size) {
    memcpy(writer->at, data, size);
    memcpy(writer->at + size, end.data, end.size);
    writer->at += size + end.size;
  } else {
    fastio_bytes pieces[2] = {{data, size}, end};
    status = fastio_write_pieces(writer, pieces, 2, &err);
  }
  return writer_leave(self, status, &err);
}

static int put_encoded(Writer *self, PyObject *line, fastio_bytes end) {
  PyObject *bytes = PyUnicode_AsUTF8String(line);
  if (bytes == NULL) return -1;
  int result = put_line(self, PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes), end);
  Py_DECREF(bytes);
  return result;
}

static int put_object(Writer *self, PyObject *line, fastio_bytes end, uint64_t index) {
  Py_buffer view;
  if (PyUnicode_Check(line)) {
    if (!PyUnicode_IS_COMPACT_ASCII(line)) return put_encoded(self, line, end);
    return put_line(self, PyUnicode_DATA(line), (size_t)PyUnicode_GET_LENGTH(line), end);
  }
  if (!PyObject_CheckBuffer(line)) {
    PyErr_Format(PyExc_TypeError,
                 "write_lines() takes str or bytes-like lines: the item at index %llu is of type %.100s",
                 (unsigned long long)index, Py_TYPE(line)->tp_name);
    return -1;
  }
  if (PyObject_GetBuffer(line, &view, PyBUF_SIMPLE) < 0) return -1;
  int result = put_line(self, view.buf, (size_t)view.len, end);
  PyBuffer_Release(&view);
  return result;
}

static int put_lines(Writer *self, PyObject *lines, fastio_bytes end) {
  PyObject *iterator = PyObject_GetIter(lines), *line;
  uint64_t index = 0;
  int failed = iterator == NULL;
  while (!failed && (line = PyIter_Next(iterator)) != NULL) {
    failed = put_object(self, line, end, index++) < 0 || (index % 4096 == 0 && PyErr_CheckSignals() < 0);
    Py_DECREF(line);
  }
  Py_XDECREF(iterator);
  return failed || PyErr_Occurred() ? -1 : 0;
}

static int write_lines(State *state, Writer *self, PyObject *lines, fastio_bytes end) {
  int is_view = Py_TYPE(lines) == state->Lines || Py_TYPE(lines) == state->Column;
  if (is_view && is_text(((View *)lines)->column)) return write_strings(state, self, (View *)lines, end);
  if (PyUnicode_Check(lines) || PyObject_CheckBuffer(lines)) {
    PyErr_Format(PyExc_TypeError, "write_lines() takes many lines, not a single %.100s", Py_TYPE(lines)->tp_name);
    return -1;
  }
  if (writer_lock(self) < 0) return -1;
  int result = put_lines(self, lines, end);
  writer_unlock(self);
  return result;
}

PyObject *writer_write_lines(PyObject *op, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  Py_ssize_t named = kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames);
  fastio_bytes end = {"\n", 1};
  PyObject *keep = NULL;
  if (nargs < 1 || nargs + named > 2) {
    return PyErr_Format(PyExc_TypeError, "write_lines() takes lines and an end (%zd arguments given)", nargs + named);
  }
  if (named == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, 0), "end") != 0) {
    return PyErr_Format(PyExc_TypeError, "write_lines() got an unexpected keyword argument '%U'",
                        PyTuple_GET_ITEM(kwnames, 0));
  }
  if (nargs + named == 2 && bytes_from_object(args[1], "end", &keep, &end) < 0) return NULL;
  int failed = write_lines(state_of_self(op), (Writer *)op, args[0], end) < 0;
  Py_XDECREF(keep);
  if (failed) return NULL;
  Py_RETURN_NONE;
}
