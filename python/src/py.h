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
  PyTypeObject *Table, *RowIterator, *CsvReader;
  PyTypeObject *Writer, *Format, *Locale;
  struct Writer *writers; /* all that are open: those who fork look at them */
  int watches_forks;
  PyObject *lacking;                 /* names of compressions that this build has not, as a tuple */
  PyObject *text_io;                 /* io.TextIOBase */
  PyObject *raw_io;                  /* io.RawIOBase */
  PyObject *rebuild, *rebuild_table; /* _rebuild and _rebuild_table, which pickles name */
  PyObject *rebuild_format;
  void *datetime; /* datetime's C interface, once it is needed */
  fastio_capi capi;
} State;

extern struct PyModuleDef fastio_module;

static inline State *state_of(PyObject *module) { return (State *)PyModule_GetState(module); }
static inline State *state_of_self(PyObject *self) { return (State *)PyType_GetModuleState(Py_TYPE(self)); }
int add_read_functions(PyObject *module);
int add_csv_functions(PyObject *module);
/* A name of the package's Python part, imported when first needed. */
PyObject *table_helper(const char *name);
PyObject *write_helper(const char *name);

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
  int is_lent;            /* the buffer may be written: nobody else has the column, nor is this seen as a Column */
  uint64_t decode_errors; /* sequences of the source that were replaced or left out */
  Py_ssize_t shape[2], strides[2]; /* what the buffer protocol and DLPack show; strides in bytes */
  PyObject *weakrefs;
} View;

/* Takes over the reference to the column, also on failure. `ndim`: 1, or 2 for a matrix of column->row_items a row. */
PyObject *view_new(PyTypeObject *type, const fastio_column *column, int ndim);
extern const char decode_errors_doc[];
PyObject *view_decode_errors(PyObject *op, void *closure);
/* The same for length items from `start` on with a step. */
PyObject *view_of(PyTypeObject *type, const fastio_column *column, Py_ssize_t start, Py_ssize_t length,
                  Py_ssize_t step);
/* The same values as numbers of the same size, over the same memory. */
PyObject *view_as(View *self, fastio_type type);
int64_t view_nbytes(const View *self);
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

static inline int is_number(fastio_type type) { return type >= FASTIO_INT8 && type <= FASTIO_FLOAT64; }
static inline int bit_at(const void *bits, Py_ssize_t i) { return ((const uint8_t *)bits)[i >> 3] >> (i & 7) & 1; }
static inline Py_ssize_t view_position(const View *self, Py_ssize_t i) { return self->start + i * self->step; }
static inline int view_is_null(const View *self, Py_ssize_t i) {
  const uint8_t *validity = self->column->validity;
  Py_ssize_t at = view_position(self, i);
  return validity != NULL && !bit_at(validity, at);
}
static inline int is_text(const fastio_column *column) {
  return column->type == FASTIO_STRING || column->type == FASTIO_BINARY;
}
/* A new reference to a column that holds just this view's values in order: the same one, or a gathered copy. *start is
 * where the view begins in it. NULL with an exception set. */
const fastio_column *view_contiguous(State *state, View *self, Py_ssize_t *start);
/* The same of just these values. */
const fastio_column *view_alone(State *state, View *self);

/* str of UTF-8 that was checked. Most text is ASCII, and that needs no decoder. */
PyObject *new_str(const char *data, Py_ssize_t size);
PyObject *new_ascii(const char *data, Py_ssize_t size);
int is_ascii(const char *data, size_t size);

/* ---- datetime.c: dates and times as Python's own ----------------------------------------------------------------- */

PyObject *new_date(State *state, int32_t days);
PyObject *new_time(State *state, int64_t nanoseconds);
PyObject *new_timestamp(State *state, int64_t nanoseconds, int is_utc);
int is_date_or_time(State *state, PyObject *value); /* of a subclass too; -1 with an exception */
/* A date, time or datetime of Python's as the core's, if there is one: 0, with *type as it was for anything else, or -1
 * with an exception. */
int temporal_from_object(State *state, PyObject *value, fastio_type *type, int64_t *out);

/* ---- format.c: values as text ------------------------------------------------------------------------------------ */

extern PyType_Spec format_spec, locale_spec;
PyObject *rebuild_format(PyObject *module, PyObject *words);
/* 1: *out is what the Format or the name of a notation says; 0: nothing is asked for; -1 with an exception. What *out
 * points to lives as long as the object. */
int format_from_object(State *state, PyObject *object, fastio_format *out);
/* The same of the arguments of f(value, format=None). */
int value_and_format(State *state, const char *name, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                     PyObject **value, fastio_format *format);

/* Bytes that grow, the first of them without an allocation. */
typedef struct Text {
  char *data;
  size_t size, room;
  char small[512];
} Text;
void text_init(Text *text);
void text_clear(Text *text);
char *text_reserve(Text *text, size_t size); /* where so many bytes may follow */
int text_append(Text *text, const void *data, size_t size);
int text_append_str(Text *text, PyObject *string);
int text_append_value(State *state, Text *text, PyObject *value); /* as print() writes it */
int text_append_formatted(State *state, Text *text, PyObject *value, const fastio_format *format);
PyObject *format_value(State *state, PyObject *value, const fastio_format *format); /* NULL: as print() writes it */

/* A number of Python's or NumPy's: FASTIO_INT64, UINT64, FLOAT32 (in f) or FLOAT64. */
typedef struct Number {
  fastio_type type;
  union {
    int64_t i;
    uint64_t u;
    double f;
  } value;
} Number;
/* 1; 0: it is no number (nor is a bool); -1 with an exception. */
int number_from_object(PyObject *value, Number *out);
int number_as_float(Number *number); /* 0, or -1 without an exception if the int is no float exactly */

PyObject *format_function(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *concat_function(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
extern const char format_doc[], concat_doc[];

/* ---- column.c, numpy.c, lines.c, pickle.c ------------------------------------------------------------------------ */

extern PyType_Spec column_spec, lines_spec;
PyObject *column_shape(PyObject *op, void *closure);
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
PyObject *arrow_table_schema(State *state, const fastio_table *table);
PyObject *arrow_table_stream(State *state, const fastio_table *table, Py_ssize_t start, Py_ssize_t length);
/* Takes over the stream and the block it lies in, which malloc gave. */
PyObject *arrow_stream_capsule(struct ArrowArrayStream *stream);
int arrow_parse_request(PyObject *args, PyObject *kwargs, const char *format);

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

/* ---- gil.c: what goes on round a call of the core ---------------------------------------------------------------- */

/* The state of a handle's calls. The core calls back from the thread of the call, with the GIL or without, and (only to
 * read and write files) from workers. */
typedef struct Gil {
  PyThreadState *released; /* not NULL while the GIL is released */
  unsigned long thread;    /* the thread that released it, until it has taken it back for good; 0: none */
  struct Gil *outer;       /* of a handle in whose place this one is used: it may have released the GIL instead */
  PyObject *progress;      /* a callable(done, total) or NULL */
  int is_bar;              /* it is one of ours: it can be closed, and need not see every block */
  double checked;          /* when signals were last looked at */
  uint64_t before, whole;  /* for progress, what former calls have done, and all calls will (FASTIO_NO_OFFSET: nobody
                              knows); 0: there is one only */
} Gil;

/* Round a call of the core that takes long. */
void gil_release(Gil *gil);
void gil_take(Gil *gil);
int gil_is_away(Gil *gil);
/* Into Python from a callback of the core, and back. */
Gil *gil_enter(Gil *gil);
void gil_leave(Gil *entered);
int gil_is_worker(const Gil *gil);
/* Non-zero with an exception set; the second one only looks now and then. */
int gil_check_signals(Gil *gil);
int gil_check_due_signals(Gil *gil);
/* `progress` is NULL, True or a callable; a bar shows a number of `unit`. */
int gil_set_progress(Gil *gil, PyObject *progress, const char *unit);
void gil_close_progress(Gil *gil);
/* The core's poll: signals and progress. ctx is the Gil. Non-zero with an exception set. */
int gil_poll(void *ctx, uint64_t done, uint64_t total);

/* ---- decode.c: how the bytes of a source become those that are read ---------------------------------------------- */

typedef struct Decode {
  fastio_decode_options core;
  PyObject *compression, *encoding; /* owned: what the names in core are taken from; NULL: not given */
  int warns;                        /* trailing="warn" */
} Decode;

void decode_init(Decode *decode);
void decode_clear(Decode *decode);
/* Each keyword: 0, or -1 with an exception. */
int decode_set_compression(Decode *decode, PyObject *value);
int decode_set_encoding(Decode *decode, PyObject *value);
int decode_set_errors(Decode *decode, PyObject *value);
int decode_set_trailing(Decode *decode, PyObject *value);
int decode_set_max_size(Decode *decode, PyObject *value);
int partial_from_object(PyObject *value, int *out);
/* The name of a compression or an encoding in the core's spelling, alive as long as *keep; NULL with an exception. */
const char *compression_name(PyObject *value, PyObject **keep);
const char *encoding_name(PyObject *value, PyObject **keep);
int errors_from_object(PyObject *value, int *out);
/* _without(*names): as if this build had not those compressions, for tests. */
PyObject *without_compressions(PyObject *module, PyObject *names);
int find_lacking(State *state);
/* Of a source that this build can't decompress: a file object that does (1), 0 if there is no need, -1. */
int decode_otherwise(State *state, PyObject *source, const Decode *decode, PyObject **file);

/* ---- source.c: what Python calls a source ------------------------------------------------------------------------ */

/* Whatever the bytes come from, with all that must live as long. Not to be moved while open: callbacks point to it. */
typedef struct Input {
  fastio_source *source;  /* NULL: closed */
  PyObject *path;         /* str for messages; NULL for data */
  Py_buffer buffer;       /* the data itself; buffer.obj is NULL if unused */
  PyObject *map;          /* a MappedFile, pinned */
  PyObject *method;       /* readinto or read of a file object */
  PyObject *chunk;        /* bytearray that readinto fills: the callee may keep it, the core's memory it may not */
  PyObject *otherwise;    /* the file object that decompresses, where the core can't; to be closed */
  int warns;              /* of bytes behind an archive */
  uint64_t decode_errors; /* once closed: how many there were */
  int owns_file;          /* opened by path: someone ought to close it */
  fastio_env env;
  Gil gil;
} Input;

/* The bytes of a path, and its str for messages. "-" as a str is the standard stream, called `dash` there; a PathLike
 * "-" is a file. */
PyObject *path_bytes(PyObject *object, const char *dash, PyObject **path, int *is_dash);
int is_path(PyObject *object); /* a str or os.PathLike: 1, 0, or -1 with an exception */
/* An attribute that need not be there: 1 found, 0 not, -1 with an exception. */
int lookup(PyObject *object, const char *name, PyObject **out);
/* `.name` of a file object, for messages only: whatever goes wrong with it, there is none. */
PyObject *name_of(PyObject *object);

int input_open(State *state, Input *input, PyObject *object, const Decode *decode);
/* The same in the place of another source, with its progress. */
int input_reopen(State *state, Input *input, PyObject *object, const Decode *decode);
void input_close(Input *input);
/* At the source's end: warns if that was asked for. 0, or -1 if the warning is an exception. */
int input_finish(Input *input);
uint64_t input_decode_errors(const Input *input);

/* Several sources as one: a list or tuple of them. 1; 0: it is one source; -1 with an exception. *items is a tuple. */
int sources_from_object(PyObject *object, PyObject **items);
/* The bytes of all of them, or FASTIO_NO_OFFSET if one does not tell. */
uint64_t sources_size(PyObject *items);
int input_traverse(Input *input, visitproc visit, void *arg);

/* ---- options.c: keywords ----------------------------------------------------------------------------------------- */

/* Every word that a reader knows. */
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
  KW_HEADER,
  KW_NAMES,
  KW_USECOLS,
  KW_SKIP_ROWS,
  KW_MAX_ROWS,
  KW_QUOTED_NULL,
  KW_QUOTE,
  KW_QUOTE_MODE,
  KW_ESCAPE,
  KW_DOUBLEQUOTE,
  KW_COMMENT_ANYWHERE,
  KW_TRIM,
  KW_TRAILING_SEP,
  KW_BLANK_LINES,
  KW_WIDTHS,
  KW_DECIMAL,
  KW_THOUSANDS,
  KW_PERCENT,
  KW_UNICODE_MINUS,
  KW_INFER_ROWS,
  KW_BIG_INTS,
  KW_REPAIR_NAMES,
  KW_ON_RAGGED,
  KW_ON_BAD,
  KW_DICTIONARY,
  KW_RANGE,
  KW_DIALECT,
  KW_BATCH_ROWS,
  KW_BATCH_BYTES,
  KW_N,
  KW_NBYTES,
  KW_COMPRESSION,
  KW_TRAILING,
  KW_MAX_SIZE,
  KW_PARTIAL,
  KW_FILE_COLUMN,
  KW_COUNT
} Keyword;
#define BIT(keyword) (UINT64_C(1) << (keyword))
#define DECODE_WORDS (BIT(KW_COMPRESSION) | BIT(KW_ENCODING) | BIT(KW_ERRORS) | BIT(KW_TRAILING) | BIT(KW_MAX_SIZE))
#define DECODE_SIGNATURE "compression='auto', encoding='utf-8', errors='strict', trailing='error', max_size=None"
#define DECODE_DOC                                                                                                   \
  "compression: \"auto\" (what the first bytes say), None, or \"gzip\", \"zstd\", \"xz\", \"bzip2\", \"lz4\", "      \
  "\"zlib\", \"deflate\".\n"                                                                                         \
  "    trailing: bytes behind the archive are an \"error\", or \"ignore\", \"warn\". max_size: decompressed bytes\n" \
  "    beyond which there is an Error.\n"                                                                            \
  "encoding: \"utf-8\" (UTF-16 and UTF-32 where a byte order mark says so), the name of another one, or None for\n"  \
  "    bytes as they are. errors: \"strict\", \"replace\" or \"skip\" what is not valid in it.\n"
#define PARTIAL_DOC                                                                                                   \
  "partial: a last item that nothing ends is one like every other (\"emit\"), an \"error\", or left until more has\n" \
  "    come (\"hold\").\n"

/* What a function takes: `second` is the keyword that may also come second by position (KW_COUNT: none). */
typedef struct Signature {
  const char *name;
  uint64_t keywords;
  Keyword second;
  int handlers; /* `errors` may be any handler of Python's */
  int bytes;    /* nothing is decoded unasked */
} Signature;

typedef struct Options {
  fastio_read_options read;
  Decode decode;
  PyObject *source;     /* borrowed from the arguments */
  PyObject *progress;   /* borrowed; NULL, Py_True or a callable */
  PyObject *null_texts; /* owned: keeps null_values alive */
  fastio_bytes *nulls;  /* owned */
  const char *errors;   /* borrowed from the arguments: a handler of Python's; NULL: the core decodes */
  int is_matrix, has_rows;
  int as_bytes; /* encoding=None */
} Options;

/* 0, or -1 with an exception. options_clear is due in both cases. */
int options_parse(State *state, const Signature *signature, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                  Options *out);
void options_clear(Options *options);
/* The arguments by keyword (borrowed). */
int keywords_collect(const Signature *signature, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                     PyObject *values[KW_COUNT]);
Keyword keyword_named(PyObject *name, uint64_t among); /* KW_COUNT: none of them */

/* Single values: 0, or -1 with an exception that names the keyword. */
/* (type_from_object is in capi.h) */
int int_from_object(PyObject *object, const char *name, uint64_t least, uint64_t *out);
int limit_from_object(PyObject *value, const char *name, uint64_t *out);
int byte_from_object(PyObject *object, const char *name, int *out); /* a str or bytes of length 1 */
int byte_or_none(PyObject *object, const char *name, int none, int *out);
int choice(PyObject *object, const char *name, const char *const *words, int count); /* the index among the words */
int flag_from_object(PyObject *value, unsigned flag, unsigned *flags);
int overflow_from_object(PyObject *value, unsigned flag, unsigned *flags);
int newline_from_object(PyObject *newline, int *out);
int threads_from_object(PyObject *threads, unsigned *out); /* NULL: not given */
int progress_from_object(PyObject *progress, PyObject **out);
int block_size_from_object(PyObject *value, size_t *out);
PyObject *texts_from_object(PyObject *values, const char *name); /* a list of bytes */

/* ---- csv_options.c: keywords of tables --------------------------------------------------------------------------- */

typedef struct CsvBlock CsvBlock;
typedef struct CsvOptions {
  fastio_csv_options csv;
  Decode decode;
  const char *file_column;                 /* in the blocks; NULL: none */
  PyObject *source, *progress, *on_ragged; /* borrowed from the arguments; NULL: not given */
  PyObject *dialect;                       /* owned: a dict that may hold some of the arguments */
  uint64_t parts, bytes;                   /* of partition */
  CsvBlock *blocks;                        /* owned: all that csv points to */
  fastio_column_rule *rules;               /* owned, growing */
  size_t rule_count, rule_room;
} CsvOptions;

#define CSV_DIALECT                                                                                        \
  (BIT(KW_SEP) | BIT(KW_HEADER) | BIT(KW_NAMES) | BIT(KW_SKIP_LINES) | BIT(KW_SKIP_ROWS) | BIT(KW_QUOTE) | \
   BIT(KW_QUOTE_MODE) | BIT(KW_ESCAPE) | BIT(KW_DOUBLEQUOTE) | BIT(KW_NEWLINE) | BIT(KW_COMMENT) |         \
   BIT(KW_COMMENT_ANYWHERE) | BIT(KW_TRIM) | BIT(KW_TRAILING_SEP) | BIT(KW_BLANK_LINES) | BIT(KW_WIDTHS) | \
   BIT(KW_REPAIR_NAMES) | BIT(KW_DTYPE) | BIT(KW_USECOLS) | BIT(KW_NULL_VALUES) | BIT(KW_QUOTED_NULL) |    \
   BIT(KW_DECIMAL) | BIT(KW_THOUSANDS) | BIT(KW_PERCENT) | BIT(KW_UNICODE_MINUS) | BIT(KW_INFER_ROWS) |    \
   BIT(KW_BIG_INTS) | BIT(KW_OVERFLOW) | BIT(KW_DICTIONARY) | BIT(KW_ON_RAGGED) | BIT(KW_ON_BAD))
#define CSV_RUN \
  (BIT(KW_SOURCE) | BIT(KW_DIALECT) | BIT(KW_THREADS) | BIT(KW_PROGRESS) | BIT(KW_BLOCK_SIZE) | DECODE_WORDS)
#define CSV_PART (BIT(KW_MAX_ROWS) | BIT(KW_RANGE))
#define CSV_WORDS (CSV_DIALECT | CSV_PART | DECODE_WORDS) /* what a dialect may hold */

/* 0, or -1 with an exception. csv_options_clear is due in both cases. */
int csv_options_parse(const Signature *signature, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                      CsvOptions *out);
void csv_options_clear(CsvOptions *options);
/* Of the columns of `schema`, by their names, the types. */
int csv_options_fix_types(CsvOptions *options, const fastio_table *schema);

/* ---- table.c, csv.c, csv_reader.c -------------------------------------------------------------------------------- */

extern PyType_Spec table_spec, row_iterator_spec, csv_reader_spec;
/* Takes over the reference to the table, also on failure. */
PyObject *table_new(State *state, const fastio_table *table);
PyObject *rebuild_table(PyObject *module, PyObject *args);
/* Row i of the table as a tuple; a slice as a table of its own. */
PyObject *table_row(PyObject *op, Py_ssize_t i);
PyObject *table_slice(PyObject *op, Py_ssize_t start, Py_ssize_t length, Py_ssize_t step);
const fastio_table *table_core(PyObject *op);
const fastio_table *table_if_whole(PyObject *op); /* NULL for a slice */
PyObject *table_stream(PyObject *op);             /* __arrow_c_stream__() */
PyObject *table_names(PyObject *op, void *closure);
PyObject *table_dtypes(PyObject *op, void *closure);
void table_set_decode_errors(PyObject *op, uint64_t count);
/* A text for each source, to tell rows by: its path, or its number. A tuple of bytes. */
PyObject *source_label(PyObject *path, size_t number);

/* on_ragged=callable: what the core's callback needs. Not to be moved while it may be called. */
typedef struct Ragged {
  Input *input;
  PyObject *callable; /* owned */
  PyObject *answer;   /* owned: a list of bytes, alive until the next call */
  fastio_bytes *fields;
} Ragged;
/* Makes the options call back: poll and ragged rows. */
void csv_connect(CsvOptions *options, Input *input, Ragged *ragged);
void ragged_clear(Ragged *ragged);

PyObject *open_csv(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
extern const char open_csv_doc[];

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

/* ---- dest.c: what Python calls a destination --------------------------------------------------------------------- */

/* Where bytes go, with all that must live as long. Not to be moved while open: callbacks point to it. */
typedef struct Output {
  fastio_writer *writer; /* NULL: closed */
  PyObject *name;        /* str for messages; NULL for memory */
  PyObject *write;       /* of a file object; and its flush, or NULL */
  PyObject *flush;
  int is_raw;    /* its write returns None for what would block */
  int owns_file; /* opened by path: someone ought to close it */
  fastio_env env;
  Gil gil;
} Output;

/* NULL or None is memory. */
int output_open(State *state, Output *output, PyObject *object, fastio_write_options *options);
/* What remains when the writer is closed or discarded. */
void output_clear(Output *output);
int output_traverse(Output *output, visitproc visit, void *arg);

/* ---- writer.c, numbers.c, csv_writer.c, copy.c ------------------------------------------------------------------- */

typedef struct Writer {
  PyObject_HEAD Output out;
  char mode; /* 'w', 'a' or 'x' */
  Busy busy;
  int is_memory, is_atomic;
  int is_foreign;               /* of the process that this one was forked from, and atomic: not ours to finish */
  int is_told;                  /* the failure that stays with the core's writer has been raised */
  PyThread_type_lock lock;      /* NULL: one thread at a time */
  unsigned long owner;          /* the thread that has it; 0: none */
  int depth;                    /* how often */
  int users;                    /* writers that are redirected to this one */
  PyObject *name;               /* also after close */
  struct Writer *target;        /* owned: where it is redirected to; NULL: nowhere */
  struct Writer *before, *next; /* among the state's */
  PyObject *weakrefs;
} Writer;

extern PyType_Spec writer_spec;
extern const char writer_doc[];
PyObject *open_writer(State *state, PyObject *args, PyObject *kwargs);
PyObject *writer_memory(State *state);
int writer_append_to(PyObject *op, Text *text); /* what it holds */
/* One record of several calls: other threads wait for a locked writer. */
int writer_lock(Writer *self);
void writer_unlock(Writer *self);
/* Round each call of the core. The second: 0, or -1 with the exception of the status. */
int writer_enter(Writer *self);
int writer_leave(Writer *self, fastio_status status, const fastio_error *err);
int add_write_functions(PyObject *module);

/* A str (as UTF-8) or bytes; `keep` is a reference owned. */
int bytes_from_object(PyObject *object, const char *name, PyObject **keep, fastio_bytes *out);
/* One format or a sequence of them; `keep` and the array (PyMem_Free) are owned. */
int formats_from_object(State *state, PyObject *object, PyObject **keep, fastio_format **formats, size_t *count);
/* A copy of a buffer of numbers. */
PyObject *column_of_buffer(State *state, PyObject *object);
PyObject *stream_names(PyObject *module, PyObject *capsule);
PyObject *stream_of_array(PyObject *module, PyObject *args);
PyObject *temporal_column(PyObject *module, PyObject *args);
/* The first item of a buffer as a number: 1, or 0 if it is none. */
int number_of_buffer(const Py_buffer *view, Number *out);

PyObject *writer_write_ints(PyObject *op, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *writer_write_floats(PyObject *op, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *writer_write_lines(PyObject *op, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
extern const char write_ints_doc[], write_floats_doc[], write_lines_doc[];
PyObject *write_table(PyObject *module, PyObject *args);
PyObject *column_of_values(PyObject *module, PyObject *values);
PyObject *writer_copy(PyObject *op, PyObject *args);

#endif
