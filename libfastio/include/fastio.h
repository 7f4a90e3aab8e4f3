/* fastio.h - numbers, lines and tables out of huge text files, fast and exact.
 *
 * Copyright (c) 2026 The libfastio authors. SPDX-License-Identifier: MIT
 *
 * The chapters follow the way of the data: status and errors, environment, processor, single numbers, sources,
 * memory maps, the pull reader, whole-source readers, columns.
 *
 * Conventions that hold throughout:
 *   - Functions that can fail return a fastio_status and fill the caller's fastio_error, the last parameter, which may
 *     be NULL. On failure no result parameter is changed unless its description says so.
 *   - `data, size` is a run of bytes; it need not end in NUL and is never written to. `size_t` counts memory,
 *     `uint64_t` counts file offsets, items and lines.
 *   - _new/_free own memory, _open/_close own something of the operating system, _init fills the caller's struct.
 *     Every _free and _close accepts NULL.
 *   - A handle serves one thread at a time; distinct handles are independent. Nothing lives on in the background.
 *   - Options structs start with their own size; fill them with the initialiser macro or the _init function, then set
 *     fields. A NULL options pointer means the defaults.
 *   - Nothing reads or changes the locale, prints, exits, or installs a handler unless asked for by name.
 */
#ifndef FASTIO_H
#define FASTIO_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The one place that holds the version; the build files read it from here. */
#define FASTIO_VERSION_MAJOR 0
#define FASTIO_VERSION_MINOR 1
#define FASTIO_VERSION_PATCH 0
#define FASTIO_VERSION "0.1.0"

#if defined(FASTIO_SHARED) && defined(_WIN32)
#  ifdef FASTIO_BUILDING
#    define FASTIO_API __declspec(dllexport)
#  else
#    define FASTIO_API __declspec(dllimport)
#  endif
#elif defined(FASTIO_EMBEDDED) && defined(__GNUC__) /* part of another shared object, which exports its own names */
#  define FASTIO_API __attribute__((visibility("hidden")))
#elif defined(FASTIO_SHARED) && defined(__GNUC__)
#  define FASTIO_API __attribute__((visibility("default")))
#else
#  define FASTIO_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1. Status and errors ---------------------------------------------------------------------------------------- */

/* Every status: X(constant, number, name, Python exception, text). The enum, the names, the exceptions and the error
 * codes of every language are generated from this list. Numbers are stable. */
#define FASTIO_STATUS_LIST(X)                                                                    \
  X(FASTIO_OK, 0, "ok", None, "success")                                                         \
  X(FASTIO_END, 1, "end", EOFError, "end of data")                                               \
  X(FASTIO_BAD_TOKEN, 2, "bad_token", ParseError, "not a number")                                \
  X(FASTIO_OUT_OF_RANGE, 3, "out_of_range", RangeError, "number out of range")                   \
  X(FASTIO_EMPTY_FIELD, 4, "empty_field", ParseError, "empty field")                             \
  X(FASTIO_MISMATCH, 5, "mismatch", ParseError, "expected other bytes")                          \
  X(FASTIO_BAD_SHAPE, 6, "bad_shape", ParseError, "the number of items does not fit the shape")  \
  X(FASTIO_BAD_ENCODING, 7, "bad_encoding", DecodeError, "bytes are not valid in this encoding") \
  X(FASTIO_TRUNCATED, 8, "truncated", TruncatedError, "the source ended before its known size")  \
  X(FASTIO_OS_ERROR, 9, "os_error", OSError, "operating system error")                           \
  X(FASTIO_NO_MEMORY, 10, "no_memory", MemoryError, "out of memory")                             \
  X(FASTIO_INVALID_ARGUMENT, 11, "invalid_argument", ValueError, "invalid argument")             \
  X(FASTIO_BUSY, 12, "busy", ValueError, "the handle is in use by another thread")               \
  X(FASTIO_CLOSED, 13, "closed", ValueError, "the handle is closed")                             \
  X(FASTIO_CANCELLED, 14, "cancelled", Error, "cancelled by the caller")                         \
  X(FASTIO_CALLBACK_FAILED, 15, "callback_failed", Error, "a user callback failed")              \
  X(FASTIO_UNSUPPORTED, 16, "unsupported", Error, "not supported by this build or machine")

typedef enum fastio_status {
#define FASTIO_STATUS_ENUM(constant, number, name, exception, text) constant = number,
  FASTIO_STATUS_LIST(FASTIO_STATUS_ENUM)
#undef FASTIO_STATUS_ENUM
  FASTIO_STATUS_COUNT
} fastio_status;

/* The name ("bad_token") and the English text of a status; "unknown" for any other number. Static storage. */
FASTIO_API const char *fastio_status_name(fastio_status status);
FASTIO_API const char *fastio_status_text(fastio_status status);

#define FASTIO_NO_OFFSET UINT64_MAX /* fastio_error.offset when the failure has no place in the data */
#define FASTIO_ERROR_TEXT_MAX 64

/* What went wrong and where. Owned by the caller; nothing in it needs to be freed. */
typedef struct fastio_error {
  fastio_status status;
  int os_error;        /* errno (GetLastError on Windows), 0 if the operating system is not involved */
  uint64_t offset;     /* 0-based byte offset from the start of the source, or FASTIO_NO_OFFSET */
  uint64_t line;       /* 1-based physical line ('\n' ends one), 0 if not known */
  uint64_t column;     /* 1-based byte within that line, 0 if not known */
  uint64_t record;     /* 1-based record of a table, 0 if none */
  uint64_t field;      /* 1-based field of the record, 0 if none */
  const char *message; /* static English text, more specific than the status */
  size_t text_size;    /* how many of the offending bytes are kept below */
  unsigned char text[FASTIO_ERROR_TEXT_MAX];
  uint64_t reserved[8];
} fastio_error;

/* Sets err to "no error": status FASTIO_OK, offset FASTIO_NO_OFFSET, the rest zero. NULL is allowed. */
FASTIO_API void fastio_error_init(fastio_error *err);

/* ---- 2. Environment: allocator and system calls ------------------------------------------------------------------ */

/* Where memory and file bytes come from. Members left NULL mean the default. A custom allocator makes whole-source
 * readers grow their columns through it, serially. The struct must outlive every handle that was made with it. */
typedef struct fastio_env {
  size_t size; /* sizeof(fastio_env) */
  void *ctx;
  void *(*allocate)(void *ctx, size_t size);
  void *(*reallocate)(void *ctx, void *block, size_t old_size, size_t new_size);
  void (*release)(void *ctx, void *block, size_t size);
  /* As read(2) and pread(2), but failure is returned as the negated errno. */
  int64_t (*read)(void *ctx, int fd, void *data, size_t size);
  int64_t (*pread)(void *ctx, int fd, void *data, size_t size, uint64_t offset);
  void *reserved[8];
} fastio_env;
#define FASTIO_ENV_INIT {sizeof(fastio_env), NULL, NULL, NULL, NULL, NULL, NULL, {NULL}}
FASTIO_API void fastio_env_init(fastio_env *env);

/* ---- 3. Version, build, processor -------------------------------------------------------------------------------- */

FASTIO_API const char *fastio_version(void);    /* "1.2.3" of the library that runs, FASTIO_VERSION of the header */
FASTIO_API const char *fastio_build_info(void); /* one line: version, compiler, kernels and libraries built in */

/* The kernel tables of this build that this machine can run, slowest first; NULL past the last. "scalar" is always
 * there. */
FASTIO_API const char *fastio_cpu_name(size_t index);
/* The table in use: the best one, or what the environment variable FASTIO_SIMD or fastio_cpu_select named. */
FASTIO_API const char *fastio_cpu_selected(void);
/* Uses the named table from now on in the whole process; NULL or "auto" returns to the best. Results never differ.
 * FASTIO_UNSUPPORTED: no such table here. Safe to call at any time from any thread. */
FASTIO_API fastio_status fastio_cpu_select(const char *name);

/* ---- 4. Single numbers: memory to value, value to memory --------------------------------------------------------- */

typedef enum fastio_type {
  FASTIO_INT8 = 1,
  FASTIO_INT16,
  FASTIO_INT32,
  FASTIO_INT64,
  FASTIO_UINT8,
  FASTIO_UINT16,
  FASTIO_UINT32,
  FASTIO_UINT64,
  FASTIO_FLOAT32,
  FASTIO_FLOAT64,
  FASTIO_STRING, /* UTF-8, int64 offsets: Arrow's large_utf8 */
  FASTIO_BINARY  /* bytes, int64 offsets: Arrow's large_binary */
} fastio_type;

FASTIO_API const char *fastio_type_name(fastio_type type);        /* "int64"; NULL for any other number */
FASTIO_API fastio_type fastio_type_from_name(const char *name);   /* 0 if the name is not one of them */
FASTIO_API size_t fastio_type_size(fastio_type type);             /* bytes of one value; 0 for strings */

/* Each converts the whole of `data`: an optional sign and ASCII digits, with no blanks around. `base` is 2 to 36
 * (letters in either case, no prefix). FASTIO_BAD_TOKEN: not a number, err->offset at the first byte that cannot belong
 * to one. FASTIO_OUT_OF_RANGE: a number that the type cannot hold (for unsigned types, any negative one but -0). *out
 * is unchanged on failure. */
FASTIO_API fastio_status fastio_parse_i8(const void *data, size_t size, int base, int8_t *out, fastio_error *err);
FASTIO_API fastio_status fastio_parse_i16(const void *data, size_t size, int base, int16_t *out, fastio_error *err);
FASTIO_API fastio_status fastio_parse_i32(const void *data, size_t size, int base, int32_t *out, fastio_error *err);
FASTIO_API fastio_status fastio_parse_i64(const void *data, size_t size, int base, int64_t *out, fastio_error *err);
FASTIO_API fastio_status fastio_parse_u8(const void *data, size_t size, int base, uint8_t *out, fastio_error *err);
FASTIO_API fastio_status fastio_parse_u16(const void *data, size_t size, int base, uint16_t *out, fastio_error *err);
FASTIO_API fastio_status fastio_parse_u32(const void *data, size_t size, int base, uint32_t *out, fastio_error *err);
FASTIO_API fastio_status fastio_parse_u64(const void *data, size_t size, int base, uint64_t *out, fastio_error *err);

/* The whole of `data` as a decimal float: digits with at most one '.', an exponent, or inf, infinity, nan in any case,
 * each with an optional sign. Correctly rounded (nearest, ties to even) at any length; too large is infinity, too small
 * is zero. */
FASTIO_API fastio_status fastio_parse_f32(const void *data, size_t size, float *out, fastio_error *err);
FASTIO_API fastio_status fastio_parse_f64(const void *data, size_t size, double *out, fastio_error *err);

#define FASTIO_FORMAT_MAX 72 /* room enough for any number that these write */

/* Each writes the number at `out`, FASTIO_FORMAT_MAX bytes, without a terminating NUL, and returns how many bytes it
 * wrote. Integers: lower-case digits of base 2 to 36 (0 bytes for another base). Floats: the shortest digits that read
 * back as the same value, in the form of Python's repr ("0.1", "1e+22", "-0.0", "inf", "nan"). */
FASTIO_API size_t fastio_format_i64(int64_t value, int base, char *out);
FASTIO_API size_t fastio_format_u64(uint64_t value, int base, char *out);
FASTIO_API size_t fastio_format_f32(float value, char *out);
FASTIO_API size_t fastio_format_f64(double value, char *out);

/* ---- 5. Sources -------------------------------------------------------------------------------------------------- */

/* Where bytes come from. A source serves one reader or one whole-source call at a time. */
typedef struct fastio_source fastio_source;

/* A user's own device. `read` stores up to `size` bytes at `data` and their number in *got; 0 is the end. Any status
 * but FASTIO_OK ends the reading with it. `close` may be NULL. Both are called on the caller's thread only. */
typedef struct fastio_device {
  void *ctx;
  fastio_status (*read)(void *ctx, void *data, size_t size, size_t *got, fastio_error *err);
  void (*close)(void *ctx);
} fastio_device;

/* Opens a file by path ("-" is standard input; on Windows the path is UTF-8). Any kind of file will do: a FIFO or /proc
 * needs neither a size nor a seek. A directory is FASTIO_OS_ERROR with EISDIR. */
FASTIO_API fastio_status fastio_source_open(const char *path, const fastio_env *env, fastio_source **out,
                                            fastio_error *err);
/* Borrow: the descriptor (read from its current position on, which is then offset 0), stream or memory stays the
 * caller's and must outlive the source. Memory is read in place; a change during a read gives wrong values, never a
 * stray access. */
FASTIO_API fastio_status fastio_source_fd(int fd, const fastio_env *env, fastio_source **out, fastio_error *err);
FASTIO_API fastio_status fastio_source_stdio(FILE *file, const fastio_env *env, fastio_source **out, fastio_error *err);
FASTIO_API fastio_status fastio_source_memory(const void *data, size_t size, const fastio_env *env, fastio_source **out,
                                              fastio_error *err);
/* Takes over the device: its close runs when the source is closed (or when this call fails). */
FASTIO_API fastio_status fastio_source_device(const fastio_device *device, const fastio_env *env, fastio_source **out,
                                              fastio_error *err);
FASTIO_API void fastio_source_close(fastio_source *source);

/* Bytes left as far as is known (a hint: files grow and shrink), or FASTIO_NO_OFFSET for pipes and devices. */
FASTIO_API uint64_t fastio_source_size(const fastio_source *source);

/* ---- 6. Memory maps ---------------------------------------------------------------------------------------------- */

enum {
  FASTIO_MAP_SEQUENTIAL = 1, /* advice: read once from front to back */
  FASTIO_MAP_RANDOM = 2,
  FASTIO_MAP_WILLNEED = 4, /* start reading ahead now */
  FASTIO_MAP_POPULATE = 8, /* fault all pages in before returning */
  FASTIO_MAP_HUGE = 16,    /* huge pages where the file system has them */
  FASTIO_MAP_GUARD = 32 /* install the process's SIGBUS guard: a lost page reads as zeros and fastio_map_check tells */
};

typedef struct fastio_map_options {
  size_t size; /* sizeof(fastio_map_options) */
  const fastio_env *env;
  unsigned flags;
  uint64_t offset; /* of the first byte; any alignment; past the end gives an empty map */
  uint64_t length; /* at most this many bytes; FASTIO_NO_OFFSET is the rest of the file */
  uint64_t reserved[6];
} fastio_map_options;
#define FASTIO_MAP_OPTIONS_INIT {sizeof(fastio_map_options), NULL, FASTIO_MAP_SEQUENTIAL, 0, FASTIO_NO_OFFSET, {0}}
FASTIO_API void fastio_map_options_init(fastio_map_options *options);

/* A file as memory: a live, read-only view. Whoever truncates the file meanwhile takes the pages away (SIGBUS), unless
 * the guard is on. What cannot be mapped (pipes, /proc, empty files) is read into memory instead. */
typedef struct fastio_map {
  const unsigned char *data; /* never NULL */
  size_t size;
  int is_mapped; /* 0: a private copy, since the file cannot be mapped */
} fastio_map;

FASTIO_API fastio_status fastio_map_open(const char *path, const fastio_map_options *options, fastio_map **out,
                                         fastio_error *err);
FASTIO_API fastio_status fastio_map_fd(int fd, const fastio_map_options *options, fastio_map **out, fastio_error *err);
/* Advice for a part: one of SEQUENTIAL, RANDOM, WILLNEED, HUGE; 0 returns to normal. A hint; failure is no error. */
FASTIO_API void fastio_map_advise(fastio_map *map, size_t offset, size_t length, unsigned advice);
/* FASTIO_OK while no guarded page was lost; FASTIO_TRUNCATED from then on. */
FASTIO_API fastio_status fastio_map_check(const fastio_map *map, fastio_error *err);
FASTIO_API void fastio_map_close(fastio_map *map);
/* A source over the map, checked at every block; the map must outlive it. */
FASTIO_API fastio_status fastio_source_map(const fastio_map *map, const fastio_env *env, fastio_source **out,
                                           fastio_error *err);

/* ---- 7. Options of every reader ---------------------------------------------------------------------------------- */

#define FASTIO_WHITESPACE (-1) /* separator: a run of space, \t \n \v \f \r */
#define FASTIO_NONE (-1)       /* no comment byte */
enum { FASTIO_NEWLINE_LF = -1, FASTIO_NEWLINE_ANY = -2 }; /* or a byte, 0 to 255 */
enum { FASTIO_KEEP_ENDS = 1, FASTIO_KEEP_BOM = 2, FASTIO_OVERFLOW_ERROR = 4 };

typedef struct fastio_bytes {
  const void *data;
  size_t size;
} fastio_bytes;

typedef struct fastio_read_options {
  size_t size; /* sizeof(fastio_read_options) */
  const fastio_env *env;
  /* Which part. A token or line belongs to the range that holds its first byte. With a separator a token goes with its
   * field (blanks before it included), with a comment byte with its line. */
  uint64_t offset;
  uint64_t length;    /* FASTIO_NO_OFFSET: the rest */
  uint64_t max_items; /* stop after that many values or lines, without looking at what follows */
  unsigned threads;   /* 0: every core this process may use, one for small inputs; n: exactly n */
  size_t block_size;  /* 0: chosen; any other value gives the same result */
  unsigned flags;
  /* Called on the calling thread, about once a block, with the bytes done and in total (FASTIO_NO_OFFSET if unknown).
   * Non-zero ends the call with FASTIO_CANCELLED. */
  int (*poll)(void *ctx, uint64_t done, uint64_t total);
  void *poll_ctx;
  /* Numbers. */
  fastio_type type;   /* of the column; 0: int64 for ints, float64 for floats */
  int separator;      /* FASTIO_WHITESPACE or a byte; then '\n' separates too, blanks around values do not count, blank
                         lines are skipped and an empty field is an error (unless "" is one of null_values) */
  int comment;        /* FASTIO_NONE, or a byte that starts a comment up to the end of the line */
  int base;           /* of integers, 2 to 36 */
  uint64_t skip_lines; /* physical lines to skip at the start of the source */
  const fastio_bytes *null_values; /* texts that stand for a missing value */
  size_t null_count;
  uint64_t rows;      /* 0: any; else the number of rows that there must be */
  uint64_t row_items; /* 0: a flat column; else a matrix with that many items a row */
  /* Lines. */
  int newline; /* FASTIO_NEWLINE_LF (strips one '\r' before it too), FASTIO_NEWLINE_ANY (\n, \r\n, \r), or a byte */
  fastio_type line_type; /* FASTIO_STRING (UTF-8, checked) or FASTIO_BINARY */
  uint64_t reserved[8];
} fastio_read_options;
#define FASTIO_READ_OPTIONS_INIT                                                                                    \
  {sizeof(fastio_read_options), NULL, 0, FASTIO_NO_OFFSET, FASTIO_NO_OFFSET, 0, 0, 0, NULL, NULL, (fastio_type)0,   \
   FASTIO_WHITESPACE, FASTIO_NONE, 10, 0, NULL, 0, 0, 0, FASTIO_NEWLINE_LF, FASTIO_STRING, {0}}
FASTIO_API void fastio_read_options_init(fastio_read_options *options);

/* ---- 8. The pull reader: one value at a time --------------------------------------------------------------------- */

typedef struct fastio_reader fastio_reader;

/* Reads `source`, which must outlive the reader, from its current place on. Of the options it heeds env, offset,
 * length, flags, block_size (of the buffer), poll, separator, comment, base, skip_lines, newline and line_type. */
FASTIO_API fastio_status fastio_reader_open(fastio_source *source, const fastio_read_options *options,
                                            fastio_reader **out, fastio_error *err);
FASTIO_API void fastio_reader_close(fastio_reader *reader);

/* The next value. FASTIO_END: no more; FASTIO_BAD_TOKEN, FASTIO_OUT_OF_RANGE, FASTIO_EMPTY_FIELD: the token stays where
 * it is, so that another call can read it otherwise, or fastio_skip pass it. */
FASTIO_API fastio_status fastio_next_i64(fastio_reader *reader, int64_t *out, fastio_error *err);
FASTIO_API fastio_status fastio_next_u64(fastio_reader *reader, uint64_t *out, fastio_error *err);
FASTIO_API fastio_status fastio_next_f64(fastio_reader *reader, double *out, fastio_error *err);
FASTIO_API fastio_status fastio_next_f32(fastio_reader *reader, float *out, fastio_error *err);
/* The next token or line as a view into the reader's buffer, valid until the next call on the reader. */
FASTIO_API fastio_status fastio_next_token(fastio_reader *reader, const char **data, size_t *size, fastio_error *err);
FASTIO_API fastio_status fastio_next_line(fastio_reader *reader, const char **data, size_t *size, fastio_error *err);
/* Consumes exactly these bytes (white space before them is skipped unless they start with some), or FASTIO_MISMATCH and
 * consumes nothing, or FASTIO_END if nothing is left. */
FASTIO_API fastio_status fastio_expect(fastio_reader *reader, const void *data, size_t size, fastio_error *err);
/* Passes the next token, whatever it is. */
FASTIO_API fastio_status fastio_skip(fastio_reader *reader, fastio_error *err);
/* Up to `capacity` values at once, as many as the buffer holds, at least one. *count is set also on failure: the values
 * before the one that failed. Reads from the source only if not even one value is buffered, so that pipes flow. */
FASTIO_API fastio_status fastio_next_i64s(fastio_reader *reader, int64_t *out, size_t capacity, size_t *count,
                                          fastio_error *err);
FASTIO_API fastio_status fastio_next_u64s(fastio_reader *reader, uint64_t *out, size_t capacity, size_t *count,
                                          fastio_error *err);
FASTIO_API fastio_status fastio_next_f64s(fastio_reader *reader, double *out, size_t capacity, size_t *count,
                                          fastio_error *err);
/* The same for lines: views of the lines that are whole in the buffer, at least one. */
FASTIO_API fastio_status fastio_next_lines(fastio_reader *reader, fastio_bytes *out, size_t capacity, size_t *count,
                                           fastio_error *err);
FASTIO_API uint64_t fastio_reader_offset(const fastio_reader *reader); /* of the next unread byte */
FASTIO_API uint64_t fastio_reader_line(const fastio_reader *reader);   /* 1-based line of the next unread byte */

/* ---- 9. Whole sources -------------------------------------------------------------------------------------------- */

/* A column: values in Arrow layout, immutable, reference-counted. Read its fields, never write them. */
typedef struct fastio_column {
  fastio_type type;
  uint64_t length;         /* values or lines */
  uint64_t null_count;     /* missing ones; their slots hold 0 */
  const uint8_t *validity; /* bit i (least significant first) is 1 where value i is present; NULL if all are */
  const int64_t *offsets;  /* strings: length + 1 positions in data; NULL for numbers */
  const void *data;        /* never NULL; aligned to 64 bytes */
  uint64_t data_size;      /* bytes at data */
  uint64_t row_items;      /* of a matrix, as asked for in the options; 0 for a flat column */
} fastio_column;

FASTIO_API void fastio_column_retain(const fastio_column *column); /* one more owner; safe from any thread */
FASTIO_API void fastio_column_free(const fastio_column *column);   /* one owner less; the last one frees the memory */
/* A column over memory from outside, which `release(ctx)` gives back in the end (also if this call fails). Of `view`
 * the fields are copied. */
FASTIO_API fastio_status fastio_column_new(const fastio_column *view, void (*release)(void *ctx), void *ctx,
                                           const fastio_env *env, fastio_column **out, fastio_error *err);

/* All numbers of the source as a column, which the caller frees. Parallel and serial calls give the same result and the
 * same error: the first one in the order of the source. A file that shrinks meanwhile is FASTIO_TRUNCATED. */
FASTIO_API fastio_status fastio_read_ints(fastio_source *source, const fastio_read_options *options,
                                          fastio_column **out, fastio_error *err);
FASTIO_API fastio_status fastio_read_floats(fastio_source *source, const fastio_read_options *options,
                                            fastio_column **out, fastio_error *err);
/* All lines as a string column. */
FASTIO_API fastio_status fastio_read_lines(fastio_source *source, const fastio_read_options *options,
                                           fastio_column **out, fastio_error *err);
/* How many lines fastio_read_lines would give. */
FASTIO_API fastio_status fastio_count_lines(fastio_source *source, const fastio_read_options *options, uint64_t *out,
                                            fastio_error *err);
/* Every byte of the source (or of the options' range) in one block, as a uint8 column. */
FASTIO_API fastio_status fastio_read_all(fastio_source *source, const fastio_read_options *options, fastio_column **out,
                                         fastio_error *err);
/* Numbers in memory into the caller's array of `type`: at most `capacity` of them. *count is set also on failure.
 * Serial. Of the options it heeds separator, comment, base and flags. */
FASTIO_API fastio_status fastio_parse_array(const void *data, size_t size, const fastio_read_options *options,
                                            fastio_type type, void *out, size_t capacity, size_t *count,
                                            fastio_error *err);

/* ---- 10. Arrow C Data Interface ---------------------------------------------------------------------------------- */

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};
#endif

/* Fills the caller's structs, whose release callbacks then own them; `array` becomes one more owner of the column's
 * memory. `start` and `length` choose a slice (0, column->length for all). */
FASTIO_API fastio_status fastio_column_export_schema(const fastio_column *column, struct ArrowSchema *out,
                                                     fastio_error *err);
FASTIO_API fastio_status fastio_column_export_array(const fastio_column *column, uint64_t start, uint64_t length,
                                                    struct ArrowArray *out, fastio_error *err);

#ifdef __cplusplus
}
#endif
#endif /* FASTIO_H */
