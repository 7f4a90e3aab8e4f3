/* fastio.h - numbers, lines and tables out of huge text files, fast and exact.
 *
 * Copyright (c) 2026 The libfastio authors. SPDX-License-Identifier: MIT
 *
 * The chapters follow the way of the data: status and errors, environment, processor, single values, encodings,
 * sources, memory maps, the pull reader, whole-source readers, columns, tables, writers, arrays and tables out, Arrow.
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
#include <string.h>

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
  X(FASTIO_UNSUPPORTED, 16, "unsupported", Error, "not supported by this build or machine")      \
  X(FASTIO_RAGGED, 17, "ragged", ParseError, "too few or too many fields in the record")         \
  X(FASTIO_BAD_QUOTE, 18, "bad_quote", ParseError, "a quote does not belong here")               \
  X(FASTIO_BAD_HEADER, 19, "bad_header", ParseError, "the column names are not usable")          \
  X(FASTIO_CORRUPT, 20, "corrupt", Error, "the compressed data is damaged")                      \
  X(FASTIO_TOO_LARGE, 21, "too_large", Error, "the source is larger than its limit allows")

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
  uint64_t offset;     /* 0-based byte offset from the start of the source (decompressed, but not decoded from another
                          encoding), or FASTIO_NO_OFFSET */
  uint64_t line;       /* 1-based physical line ('\n' ends one), 0 if not known */
  uint64_t column;     /* 1-based byte within that line, 0 if not known */
  uint64_t record;     /* 1-based record of a table, 0 if none */
  uint64_t field;      /* 1-based field of the record, 0 if none; of a ragged record: how many fields it has */
  const char *message; /* static English text, more specific than the status */
  size_t text_size;    /* how many of the offending bytes are kept below */
  unsigned char text[FASTIO_ERROR_TEXT_MAX];
  size_t field_name_size; /* the name of that field, as far as it fits */
  char field_name[FASTIO_ERROR_TEXT_MAX];
  uint64_t expected;   /* of a ragged record: how many fields it should have; else 0 */
  uint64_t raw_offset; /* of a fault in compressed data: the byte of the archive, else FASTIO_NO_OFFSET; `offset` is
                          then how many bytes were decompressed before it */
  uint64_t source;     /* of several sources read as one: the 1-based number of the one at fault, else 0 */
  uint64_t reserved[5];
} fastio_error;

/* Sets err to "no error": status FASTIO_OK, both offsets FASTIO_NO_OFFSET, the rest zero. NULL is allowed. */
FASTIO_API void fastio_error_init(fastio_error *err);

/* ---- 2. Environment: allocator and system calls ------------------------------------------------------------------ */

/* Where memory and file bytes come from, and where bytes go. Members left NULL mean the default. A custom allocator
 * makes whole-source readers grow their columns through it, serially. The struct must outlive every handle that was
 * made with it. */
typedef struct fastio_env {
  size_t size; /* sizeof(fastio_env) */
  void *ctx;
  void *(*allocate)(void *ctx, size_t size);
  void *(*reallocate)(void *ctx, void *block, size_t old_size, size_t new_size);
  void (*release)(void *ctx, void *block, size_t size);
  /* As read(2) and pread(2), but failure is returned as the negated errno. Calls that take several threads may call
   * these from any of theirs; the read of a descriptor by one at a time. */
  int64_t (*read)(void *ctx, int fd, void *data, size_t size);
  int64_t (*pread)(void *ctx, int fd, void *data, size_t size, uint64_t offset);
  int64_t (*write)(void *ctx, int fd, const void *data, size_t size); /* as write(2); then no other call writes */
  void *reserved[7];
} fastio_env;
#define FASTIO_ENV_INIT {sizeof(fastio_env), NULL, NULL, NULL, NULL, NULL, NULL, NULL, {NULL}}
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

/* ---- 4. Single values: memory to value, value to memory ---------------------------------------------------------- */

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
  FASTIO_BINARY, /* bytes, int64 offsets: Arrow's large_binary */
  FASTIO_BOOL,   /* one bit a value, least significant first: Arrow's bool */
  FASTIO_DATE,   /* days since 1970-01-01 as int32: Arrow's date32 */
  FASTIO_TIME,   /* nanoseconds since midnight as int64: Arrow's time64[ns] */
  FASTIO_TIMESTAMP,     /* nanoseconds since 1970-01-01 of a clock without a zone, as int64: Arrow's timestamp[ns] */
  FASTIO_TIMESTAMP_UTC, /* the same in UTC: Arrow's timestamp[ns, UTC] */
  FASTIO_DICTIONARY     /* strings as int32 indices into the column's dictionary */
} fastio_type;

FASTIO_API const char *fastio_type_name(fastio_type type);        /* "int64"; NULL for any other number */
FASTIO_API fastio_type fastio_type_from_name(const char *name);   /* 0 if the name is not one of them */
FASTIO_API size_t fastio_type_size(fastio_type type);             /* bytes of one value; 0 for strings and bool */

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

/* ISO 8601 and RFC 3339, each the whole of `data`. Date: "2024-02-29". Time: "23:59", or with seconds "23:59:59", which
 * may have 1 to 9 decimals; "23:59:60" is no time. Timestamp: a date, or a date, 'T' or one space, and a time; with a
 * zone ("Z", "+01:00", "+0100", "+01") the value is in UTC and *has_zone is 1. Years are 0001 to 9999.
 * FASTIO_BAD_TOKEN: not one, or no day of the calendar. FASTIO_OUT_OF_RANGE: a timestamp outside of 1677-09-21 to
 * 2262-04-11, which 64 bits can't hold. */
FASTIO_API fastio_status fastio_parse_date(const void *data, size_t size, int32_t *out, fastio_error *err);
FASTIO_API fastio_status fastio_parse_time(const void *data, size_t size, int64_t *out, fastio_error *err);
FASTIO_API fastio_status fastio_parse_timestamp(const void *data, size_t size, int64_t *out, int *has_zone,
                                                fastio_error *err);

#define FASTIO_FORMAT_MAX 72 /* room enough for any number that these write */

/* Each writes the number at `out`, FASTIO_FORMAT_MAX bytes, without a terminating NUL, and returns how many bytes it
 * wrote. Integers: lower-case digits of base 2 to 36 (0 bytes for another base). Floats: the shortest digits that read
 * back as the same value, in the form of Python's repr ("0.1", "1e+22", "-0.0", "inf", "nan"). */
FASTIO_API size_t fastio_format_i64(int64_t value, int base, char *out);
FASTIO_API size_t fastio_format_u64(uint64_t value, int base, char *out);
FASTIO_API size_t fastio_format_f32(float value, char *out);
FASTIO_API size_t fastio_format_f64(double value, char *out);
/* ISO 8601: "2024-02-29", "23:59:59.500", "2024-02-29T23:59:59"; as many decimals (3, 6 or 9, or none) as it takes.
 * `type` FASTIO_TIMESTAMP_UTC appends "Z". 0 bytes for days before the year 1 or after 9999. */
FASTIO_API size_t fastio_format_date(int32_t days, char *out);
FASTIO_API size_t fastio_format_time(int64_t nanoseconds, char *out);
FASTIO_API size_t fastio_format_timestamp(int64_t nanoseconds, fastio_type type, char *out);

/* How a value is written. All zero, FASTIO_FORMAT_INIT, is what the functions above write. Integers heed the base,
 * signs, PREFIX, UPPER, the field and the locale; floats all but base and PREFIX; NaN has no sign of its own. */
enum {
  FASTIO_SHORTEST = 0,   /* the shortest digits that read back as the same value, as Python's repr lays them out */
  FASTIO_FIXED = 1,      /* `precision` digits behind the point: "3.142", as C's %f */
  FASTIO_SCIENTIFIC = 2, /* one digit before the point, `precision` behind it: "3.142e+00", as C's %e */
  FASTIO_GENERAL = 3,    /* `precision` significant digits, in whichever of the two is shorter, as C's %g */
  FASTIO_HEXADECIMAL = 4 /* "0x1.8p+1", as C's %a */
};
enum {
  FASTIO_FORMAT_PLUS = 1,        /* '+' before numbers that are not negative */
  FASTIO_FORMAT_BLANK = 2,       /* or a space there */
  FASTIO_FORMAT_UPPER = 4,       /* letters of digits, exponents, prefixes and words in upper case */
  FASTIO_FORMAT_PREFIX = 8,      /* "0x", "0o" or "0b" before integers of these bases */
  FASTIO_FORMAT_LEFT = 16,       /* where the value stands within `width`; without any of these four, */
  FASTIO_FORMAT_CENTER = 32,     /*   numbers stand right, texts left */
  FASTIO_FORMAT_INTERNAL = 64,   /* the fill goes between sign or prefix and digits; inf, nan and texts stand right.
                                    Zeros are grouped as digits are, and one more goes before a separator in front */
  FASTIO_FORMAT_PERCENT = 128,   /* a hundred times the float, exactly, and '%' behind it */
  FASTIO_FORMAT_KEEP_POINT = 256, /* GENERAL keeps trailing zeros, and every notation a point, as C's '#' */
  FASTIO_FORMAT_RIGHT = 512
};
#define FASTIO_AS_NEEDED (-1)         /* precision: the digits of the shortest form (GENERAL lays them out as SHORTEST
                                         without the ".0"), or (hexadecimal) all of them */
#define FASTIO_PRECISION_MAX 100000
#define FASTIO_WIDTH_MAX 100000

/* How a people writes numbers: given explicitly, never taken from the process. Texts are UTF-8 and end in NUL. */
typedef struct fastio_locale {
  char point[8];             /* "" is "." */
  char group[8];             /* between groups of digits of the integer part; "": none */
  unsigned char grouping[4]; /* sizes of the groups from the point leftwards, the last one repeats; all 0: threes.
                                {3, 2} is India's */
} fastio_locale;

typedef struct fastio_format {
  int notation;  /* of floats */
  int precision; /* 0 to FASTIO_PRECISION_MAX, or FASTIO_AS_NEEDED; SHORTEST does not heed it. GENERAL takes 0 as 1 */
  int base;      /* of integers, 2 to 36; 0 is 10 */
  unsigned flags;              /* FASTIO_FORMAT_* */
  unsigned width;              /* at least so many characters, up to FASTIO_WIDTH_MAX */
  char fill;                   /* an ASCII character; 0 is a space, or '0' with INTERNAL */
  const fastio_locale *locale; /* NULL: '.', no groups */
} fastio_format;
#define FASTIO_FORMAT_INIT {FASTIO_SHORTEST, 0, 0, 0, 0, 0, NULL}

/* FASTIO_INVALID_ARGUMENT with a message if one of the fields is out of its bounds, or two flags exclude each other. */
FASTIO_API fastio_status fastio_format_check(const fastio_format *format, fastio_error *err);
/* Each returns how many bytes the value takes, and writes them at `out` if they are no more than `capacity`; nothing is
 * written otherwise, nor behind them. Correctly rounded (nearest, ties to even, of the value's exact decimal
 * expansion) at any precision. A NULL format is FASTIO_FORMAT_INIT. SIZE_MAX: the format is not valid. */
FASTIO_API size_t fastio_format_i64_as(int64_t value, const fastio_format *format, char *out, size_t capacity);
FASTIO_API size_t fastio_format_u64_as(uint64_t value, const fastio_format *format, char *out, size_t capacity);
FASTIO_API size_t fastio_format_f32_as(float value, const fastio_format *format, char *out, size_t capacity);
FASTIO_API size_t fastio_format_f64_as(double value, const fastio_format *format, char *out, size_t capacity);
/* Text (UTF-8) in a field of `width` code points; the rest of the format means nothing to it. */
FASTIO_API size_t fastio_format_text_as(const void *data, size_t size, const fastio_format *format, char *out,
                                        size_t capacity);
/* Bytes as hexadecimal digits, two each, upper case on request: writes and returns 2 * size. */
FASTIO_API size_t fastio_format_hex(const void *data, size_t size, int upper, char *out);

/* ---- 5. Encodings ------------------------------------------------------------------------------------------------ */

/* Text is UTF-8 in here. Names of encodings are those of the IANA in any case, with '-', '_' or nothing between their
 * parts. Known by themselves: UTF-8 (which drops a BOM when it reads), UTF-16 and UTF-32 (by their BOM, else
 * little-endian; written with one), UTF-16LE, UTF-16BE, UTF-32LE, UTF-32BE (a BOM is a character), UTF-8-SIG (written
 * with a BOM), ASCII, ISO-8859-1 (Latin-1), Windows-1252 (as WHATWG has it), GB18030, UTF-EBCDIC. Every other name is
 * asked of the system's iconv, where there is one. */

/* What becomes of bytes that are not valid, and of characters that the other encoding has not. */
enum {
  FASTIO_ERRORS_STRICT = 0,  /* FASTIO_BAD_ENCODING at the first byte of the sequence or character */
  FASTIO_ERRORS_REPLACE = 1, /* U+FFFD for each maximal part of a sequence (as WHATWG and Unicode, 3.9, have it), or '?'
                                where the other encoding has no U+FFFD */
  FASTIO_ERRORS_SKIP = 2     /* they are left out */
};

/* The usual name of an encoding ("UTF-16LE" for "utf_16le"), `name` itself if iconv alone knows one, or NULL if nobody
 * knows it. */
FASTIO_API const char *fastio_encoding_name(const char *name);
/* The length of the longest prefix that is well-formed UTF-8 with no sequence cut short: `size` if all of it is. */
FASTIO_API size_t fastio_utf8_valid(const void *data, size_t size);
/* How many code points there are in well-formed UTF-8. */
FASTIO_API uint64_t fastio_utf8_count(const void *data, size_t size);

/* A conversion that takes its input in pieces of any size. */
typedef struct fastio_transcoder fastio_transcoder;
/* FASTIO_INVALID_ARGUMENT: an encoding that nobody knows. */
FASTIO_API fastio_status fastio_transcoder_new(const char *from, const char *to, int errors, const fastio_env *env,
                                               fastio_transcoder **out, fastio_error *err);
FASTIO_API void fastio_transcoder_free(fastio_transcoder *transcoder);
/* Converts the next piece, as far as `capacity` (at least 16) allows. *used and *put are set also on failure; a
 * character cut short at the end of the piece is kept for the next one, so that *used < size means that the output is
 * full. `last`: nothing follows; *used == size then means that all is out, and a character cut short is an error.
 * err->offset counts the input's bytes from the first piece on; err->text has the bytes. */
FASTIO_API fastio_status fastio_transcoder_run(fastio_transcoder *transcoder, const void *data, size_t size, int last,
                                               size_t *used, void *out, size_t capacity, size_t *put,
                                               fastio_error *err);
/* How many sequences and characters were replaced or left out so far. */
FASTIO_API uint64_t fastio_transcoder_errors(const fastio_transcoder *transcoder);

/* ---- 6. Sources -------------------------------------------------------------------------------------------------- */

/* Where bytes come from. A source serves one reader or one whole-source call at a time. What is compressed or in
 * another encoding is recognised and decoded (fastio_source_decode). */
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

/* Bytes left as far as is known (a hint: files grow and shrink), or FASTIO_NO_OFFSET for pipes, devices, and what is
 * decompressed or decoded. */
FASTIO_API uint64_t fastio_source_size(const fastio_source *source);

/* The compressions of this build, by index; NULL past the last: "gzip" (all members; "bgzf" among them), "zlib" and
 * "deflate" (only by name: their first bytes can be text), "zstd", "xz", "bzip2", "lz4". */
FASTIO_API const char *fastio_compression_name(size_t index);

enum {
  FASTIO_TRAILING_ERROR = 0, /* bytes behind the last member or frame (other than padding): FASTIO_CORRUPT there */
  FASTIO_TRAILING_IGNORE = 1 /* they are counted and left */
};

/* How the bytes of a source become those that readers see. */
typedef struct fastio_decode_options {
  size_t size;             /* sizeof(fastio_decode_options) */
  const char *compression; /* "auto": what the first bytes say, if anything; NULL: none; or a name */
  const char *encoding;    /* "auto": UTF-16 or UTF-32 if a BOM says so, else UTF-8 as it is; NULL: bytes as they are;
                              or a name, from which all is converted to UTF-8 ("UTF-8" itself: checked) */
  int errors;              /* FASTIO_ERRORS_* of the encoding */
  int trailing;            /* FASTIO_TRAILING_* */
  uint64_t max_size;       /* decompressed bytes, beyond which there is FASTIO_TOO_LARGE; FASTIO_NO_OFFSET: no limit */
  uint64_t reserved[6];
} fastio_decode_options;
#define FASTIO_DECODE_OPTIONS_INIT {sizeof(fastio_decode_options), "auto", "auto", 0, 0, FASTIO_NO_OFFSET, {0}}
FASTIO_API void fastio_decode_options_init(fastio_decode_options *options);
/* To be called before anything is read. Without it every reader takes the initial options (fastio_read_all and lines of
 * FASTIO_BINARY with no encoding), and fastio_copy takes the bytes as they are. FASTIO_UNSUPPORTED: a compression that
 * this build has not; FASTIO_INVALID_ARGUMENT: a name that nobody knows. */
FASTIO_API fastio_status fastio_source_decode(fastio_source *source, const fastio_decode_options *options,
                                              fastio_error *err);
/* What the decoding has met so far. */
typedef struct fastio_decoded {
  const char *compression; /* NULL: none; static */
  const char *encoding;    /* NULL: none; static or the source's */
  uint64_t raw_bytes;      /* of the archive that were decompressed */
  uint64_t errors;         /* sequences replaced or left out */
  uint64_t first_error;    /* the offset of the first of them, or FASTIO_NO_OFFSET */
  uint64_t trailing_bytes; /* ignored ones */
  uint64_t reserved[4];
} fastio_decoded;
FASTIO_API void fastio_source_decoded(const fastio_source *source, fastio_decoded *out);

/* ---- 7. Memory maps ---------------------------------------------------------------------------------------------- */

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

/* ---- 8. Options of every reader ---------------------------------------------------------------------------------- */

#define FASTIO_WHITESPACE (-1) /* separator: a run of space, \t \n \v \f \r */
#define FASTIO_NONE (-1)       /* no comment byte */
enum { FASTIO_NEWLINE_LF = -1, FASTIO_NEWLINE_ANY = -2 }; /* or a byte, 0 to 255 */
enum { FASTIO_KEEP_ENDS = 1, FASTIO_KEEP_BOM = 2, FASTIO_OVERFLOW_ERROR = 4 };
/* A last item that the source ends without a newline or separator behind. */
enum {
  FASTIO_PARTIAL_EMIT = 0, /* is an item like every other */
  FASTIO_PARTIAL_HOLD = 1, /* is left: the source may grow. The pull reader and fastio_csv_next say FASTIO_END and give
                              it when a later call finds the rest; whole-source readers leave it out */
  FASTIO_PARTIAL_ERROR = 2 /* is FASTIO_TRUNCATED */
};

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
  int partial; /* FASTIO_PARTIAL_* */
  uint64_t reserved[7];
} fastio_read_options;
#define FASTIO_READ_OPTIONS_INIT                                                                                    \
  {sizeof(fastio_read_options), NULL, 0, FASTIO_NO_OFFSET, FASTIO_NO_OFFSET, 0, 0, 0, NULL, NULL, (fastio_type)0,   \
   FASTIO_WHITESPACE, FASTIO_NONE, 10, 0, NULL, 0, 0, 0, FASTIO_NEWLINE_LF, FASTIO_STRING, FASTIO_PARTIAL_EMIT, {0}}
FASTIO_API void fastio_read_options_init(fastio_read_options *options);

/* ---- 9. The pull reader: one value at a time --------------------------------------------------------------------- */

typedef struct fastio_reader fastio_reader;

/* Reads `source`, which must outlive the reader, from its current place on. Of the options it heeds env, offset,
 * length, flags, block_size (of the buffer), poll, separator, comment, base, skip_lines, newline, line_type and
 * partial. */
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
/* As fastio_next_token, but the token stays: fastio_skip passes it. */
FASTIO_API fastio_status fastio_peek_token(fastio_reader *reader, const char **data, size_t *size, fastio_error *err);
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

/* ---- 10. Whole sources ------------------------------------------------------------------------------------------- */

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
  const struct fastio_column *dictionary; /* of FASTIO_DICTIONARY: the strings, each once, by first appearance */
} fastio_column;

FASTIO_API void fastio_column_retain(const fastio_column *column); /* one more owner; safe from any thread */
FASTIO_API void fastio_column_free(const fastio_column *column);   /* one owner less; the last one frees the memory */
/* A column over memory from outside, which `release(ctx)` gives back in the end (also if this call fails). Of `view`
 * the fields are copied, and its dictionary gets one more owner. */
FASTIO_API fastio_status fastio_column_new(const fastio_column *view, void (*release)(void *ctx), void *ctx,
                                           const fastio_env *env, fastio_column **out, fastio_error *err);
/* The values of several columns of one type, one behind the other, in a new column. FASTIO_INVALID_ARGUMENT: they are
 * of different types or shapes, or there is none. */
FASTIO_API fastio_status fastio_column_concat(const fastio_column *const *columns, size_t count, const fastio_env *env,
                                              fastio_column **out, fastio_error *err);
/* The paths that match a pattern ('*', '?' and '[a-z]' within a component; hidden files only by a leading '.'), in the
 * order of their bytes, as a column of FASTIO_BINARY. FASTIO_OS_ERROR with ENOENT: there is none. */
FASTIO_API fastio_status fastio_glob(const char *pattern, const fastio_env *env, fastio_column **out,
                                     fastio_error *err);
/* The bytes converted from one encoding to another, as a uint8 column. *error_count (may be NULL): how many sequences
 * and characters were replaced or left out. */
FASTIO_API fastio_status fastio_transcode(const void *data, size_t size, const char *from, const char *to, int errors,
                                          const fastio_env *env, fastio_column **out, uint64_t *error_count,
                                          fastio_error *err);

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

/* ---- 11. Tables -------------------------------------------------------------------------------------------------- */

/* A record is a line of fields; quoted fields may hold separators, newlines and doubled quotes. Blank lines are no
 * records (they are counted). The first record names the columns, unless `header` is 0. */

enum {
  FASTIO_QUOTE_STRICT = 0, /* a quote within an unquoted field, or text behind a closing quote, is an error */
  FASTIO_QUOTE_LITERAL = 1 /* a quote within an unquoted field is text; text behind a closing one is still an error */
};
/* What to do with a record that has too few or too many fields; PAD and TRUNCATE can be combined. */
enum {
  FASTIO_RAGGED_ERROR = 0,
  FASTIO_RAGGED_PAD = 1,      /* fields that lack are null (those beyond the names are still an error) */
  FASTIO_RAGGED_TRUNCATE = 2, /* fields beyond the names are dropped (those that lack are still an error) */
  FASTIO_RAGGED_SKIP = 4,     /* the record is dropped */
  FASTIO_RAGGED_CALL = 8      /* the callback decides, on the calling thread: the call is serial */
};
/* What to do with a cell that is not of its column's type. */
enum {
  FASTIO_BAD_ERROR = 0,
  FASTIO_BAD_NULL = 1,
  FASTIO_BAD_STRING = 2 /* its column becomes a column of strings (not in batches) */
};
/* fastio_csv_options.flags */
enum {
  FASTIO_CSV_TRIM = 1,               /* blanks (spaces and tabs) around unquoted fields do not count. Around numbers,
                                        dates and bools of an explicit type they never do */
  FASTIO_CSV_COMMENT_ANYWHERE = 2,   /* a comment may start behind fields too, not only where a record starts */
  FASTIO_CSV_QUOTED_NULL = 4,        /* quoted fields can be null values too */
  FASTIO_CSV_TRAILING_SEPARATOR = 8, /* one separator at the end of a record does not start another field */
  FASTIO_CSV_REPAIR_NAMES = 16,      /* empty names become "column_1" (by position), repeated ones "a_2", and so on;
                                        without it they are FASTIO_BAD_HEADER */
  FASTIO_CSV_NO_DOUBLING = 32,       /* a doubled quote in a quoted field is not one quote, but an error */
  FASTIO_CSV_AT_RECORD = 64,         /* `offset` is known to be the first byte of a record (fastio_partition's) */
  FASTIO_CSV_BLANK_RECORDS = 128,    /* a blank line is a record with one empty field */
  FASTIO_CSV_FLOAT_FOR_BIG = 256,    /* inference: integers beyond uint64 make float64, not string */
  FASTIO_CSV_PERCENT = 512,          /* floats may end in '%': "12.5%" is 0.125 */
  FASTIO_CSV_UNICODE_MINUS = 1024,   /* numbers may have U+2212 for '-' */
  FASTIO_CSV_MATRIX = 2048,          /* all columns are of one number type and become one column with row_items */
  FASTIO_CSV_OVERFLOW_ERROR = 4096,  /* floats too large for their type are FASTIO_OUT_OF_RANGE, not infinity */
  FASTIO_CSV_DICTIONARY = 8192       /* inference: what would be a column of strings becomes a dictionary */
};

/* Which columns: by name, or by 0-based position if `name` is NULL. */
typedef struct fastio_column_ref {
  const char *name;
  uint64_t position;
} fastio_column_ref;

#define FASTIO_EVERY_COLUMN UINT64_MAX /* fastio_column_rule.position */

/* What is known of some columns. A later rule overrides an earlier one. One that fits no column is an error, except for
 * patterns. */
typedef struct fastio_column_rule {
  const char *name;    /* of the column; NULL: by position */
  int is_pattern;      /* in `name`, '*' stands for any text and '?' for one byte */
  uint64_t position;   /* 0-based, or FASTIO_EVERY_COLUMN */
  fastio_type type;    /* 0: this rule does not say */
  const fastio_bytes *null_values; /* NULL: this rule does not say */
  size_t null_count;
  uint64_t reserved[2];
} fastio_column_rule;

typedef struct fastio_span {
  uint64_t start, end; /* half-open */
} fastio_span;

/* Decides about a ragged record: `fields` are its `count` fields without quotes. Returns 1 and sets *out to `expected`
 * fields that live until the next call; or 0 to drop the record; or -1 to end with FASTIO_CALLBACK_FAILED. It is asked
 * again about the same record if a column has to be read again. */
typedef int fastio_ragged_callback(void *ctx, const fastio_bytes *fields, size_t count, size_t expected,
                                   const fastio_bytes **out);

typedef struct fastio_csv_options {
  size_t size; /* sizeof(fastio_csv_options) */
  const fastio_env *env;
  /* Which part. Records whose first byte lies in the range; the header is read from the start of the source in any
   * case. Quotes before `offset` are taken into account, which means reading up to it (but see AT_RECORD). */
  uint64_t offset;
  uint64_t length;     /* FASTIO_NO_OFFSET: the rest */
  uint64_t max_rows;   /* stop after that many, without looking at what follows */
  uint64_t batch_rows; /* of fastio_csv_next: at most that many rows; 0: no bound */
  uint64_t batch_bytes; /* of fastio_csv_next: the records that start within that many bytes; 0: chosen (16 MiB) unless
                           batch_rows is given */
  unsigned threads;    /* as in fastio_read_options */
  size_t block_size;
  unsigned flags;      /* FASTIO_CSV_* */
  int (*poll)(void *ctx, uint64_t done, uint64_t total); /* as in fastio_read_options */
  void *poll_ctx;
  /* Dialect. */
  fastio_bytes separator;   /* one or more bytes; size 0: runs of white space; around a record it does not count */
  const fastio_span *widths; /* not NULL: fixed-width fields at these bytes of each line, trimmed; no separator */
  size_t width_count;
  int quote;                /* a byte, or FASTIO_NONE */
  int quote_mode;           /* FASTIO_QUOTE_* */
  int escape;               /* a byte that makes the next byte text, or FASTIO_NONE */
  int newline;              /* FASTIO_NEWLINE_LF (strips one '\r' before it), FASTIO_NEWLINE_ANY, or a byte */
  int comment;              /* a byte that, where a record starts, makes the line a comment; or FASTIO_NONE */
  uint64_t skip_lines;      /* physical lines at the start of the source, before the header */
  uint64_t skip_rows;       /* records behind the header */
  int header;               /* 1: the first record holds the names; 0: columns are "column_1", ... if none are given */
  const char *const *names; /* not NULL: the names, in place of those of the header */
  size_t name_count;
  /* Schema. */
  const fastio_column_rule *rules;
  size_t rule_count;
  const fastio_column_ref *columns; /* not NULL: only these, in this order */
  size_t column_count;
  const fastio_bytes *null_values; /* texts of unquoted fields that stand for a missing value */
  size_t null_count;
  uint64_t infer_rows; /* types that no rule gives: inferred from that many records. FASTIO_NO_OFFSET: from all, and
                          then no cell is ever bad. 0: string */
  int decimal;   /* a byte, '.' or another one */
  int thousands; /* a byte between groups of three digits, or FASTIO_NONE */
  /* Leniency. Whatever it changes is counted in the table's report. */
  int on_ragged; /* FASTIO_RAGGED_* */
  int on_bad;    /* FASTIO_BAD_* */
  fastio_ragged_callback *ragged;
  void *ragged_ctx;
  int partial; /* FASTIO_PARTIAL_* of the last record; one that ends in quotes is cut short, too */
  uint64_t reserved[7];
} fastio_csv_options;
/* The options' initial values: comma, double quotes, strict; a header; "" is null; types inferred from all records. */
static const fastio_bytes fastio_empty_text[1] = {{"", 0}};
#define FASTIO_CSV_OPTIONS_INIT                                                                                        \
  {sizeof(fastio_csv_options), NULL, 0, FASTIO_NO_OFFSET, FASTIO_NO_OFFSET, 0, 0, 0, 0, 0, NULL, NULL, {",", 1}, NULL, \
   0, '"', FASTIO_QUOTE_STRICT, FASTIO_NONE, FASTIO_NEWLINE_LF, FASTIO_NONE, 0, 0, 1, NULL, 0, NULL, 0, NULL, 0,       \
   fastio_empty_text, 1, FASTIO_NO_OFFSET, '.', FASTIO_NONE, FASTIO_RAGGED_ERROR, FASTIO_BAD_ERROR, NULL, NULL, 0, {0}}
FASTIO_API void fastio_csv_options_init(fastio_csv_options *options);

/* What reading left out or changed. */
#define FASTIO_REPORT_PLACES 100
typedef struct fastio_place {
  fastio_status status; /* FASTIO_RAGGED, or what is wrong with a cell */
  uint64_t offset;      /* of the record or the cell */
  uint64_t line;        /* 1-based */
  uint64_t record;      /* 1-based, without the header */
  uint64_t field;       /* 1-based field of a bad cell; of a ragged record, how many fields it has */
} fastio_place;
typedef struct fastio_report {
  uint64_t padded, truncated, skipped, replaced; /* ragged records; replaced: by the callback */
  uint64_t bad_cells;                            /* made null, or cause of a column of strings */
  uint64_t blank_lines, comment_lines;
  uint64_t place_count; /* the first of all ragged records and bad cells, in the order of the source */
  fastio_place places[FASTIO_REPORT_PLACES];
} fastio_report;

/* Columns of equal length with names. Immutable, reference-counted. */
typedef struct fastio_table {
  uint64_t rows;
  size_t column_count;
  const fastio_column *const *columns;
  const fastio_bytes *names; /* UTF-8, each also with a NUL behind it */
  const fastio_report *report;
  uint64_t start, end; /* bytes of the source that its records take */
  uint64_t first_row;  /* 0-based number of its first record in the source or in the options' range */
} fastio_table;
/* A table over columns of equal length, of each of which it takes over one owner on success. Of `view` the fields are
 * copied, names and report too (NULL: all zero). */
FASTIO_API fastio_status fastio_table_new(const fastio_table *view, const fastio_env *env, fastio_table **out,
                                          fastio_error *err);
FASTIO_API void fastio_table_retain(const fastio_table *table); /* one more owner; safe from any thread */
FASTIO_API void fastio_table_free(const fastio_table *table);   /* one owner less */

/* The source as a table, which the caller frees. The result, the first error and the report are the same for any number
 * of threads and any block size. An error has record and field. If types are inferred from all records, a source that
 * can't be read again is kept in memory meanwhile. */
FASTIO_API fastio_status fastio_read_csv(fastio_source *source, const fastio_csv_options *options, fastio_table **out,
                                         fastio_error *err);

/* Several sources as one table: `count` of them, each with its own header, which must name the same columns in the same
 * order (FASTIO_BAD_HEADER). Types are inferred over all of them; skip_lines and skip_rows are of each, max_rows and
 * the report of all. `labels` (NULL: none): a text for each source, which its rows have in a further, first column of
 * type FASTIO_DICTIONARY that is named `label_name`. Sources that can't be read again are kept in memory if types are
 * inferred. err->source is the one at fault. `length`, `offset` are not heeded. */
FASTIO_API fastio_status fastio_read_csv_many(fastio_source *const *sources, size_t count, const fastio_bytes *labels,
                                              const char *label_name, const fastio_csv_options *options,
                                              fastio_table **out, fastio_error *err);

/* Batch by batch, in bounded memory. Types are inferred from the first batch (or infer_rows of it); a later cell that
 * does not fit is an error. `source` must outlive the reader, the options' strings only this call. FASTIO_END from
 * fastio_csv_open: with FASTIO_PARTIAL_HOLD, there is no whole header or first record yet; nothing was taken. */
typedef struct fastio_csv fastio_csv;
FASTIO_API fastio_status fastio_csv_open(fastio_source *source, const fastio_csv_options *options, fastio_csv **out,
                                         fastio_error *err);
FASTIO_API void fastio_csv_close(fastio_csv *csv);
/* The next batch, which the caller frees. FASTIO_END: no more; a source without records gives one table of no rows
 * first. */
FASTIO_API fastio_status fastio_csv_next(fastio_csv *csv, fastio_table **out, fastio_error *err);
/* Names and types as a table of no rows; reads the first batch if need be. */
FASTIO_API fastio_status fastio_csv_schema(fastio_csv *csv, fastio_table **out, fastio_error *err);
/* How many records there are, and some of them by number, wherever fastio_csv_next is. The first call reads the
 * source once to note every few hundred KiB which record starts there. For sources that can be read again:
 * FASTIO_UNSUPPORTED for pipes and devices. */
FASTIO_API fastio_status fastio_csv_count(fastio_csv *csv, uint64_t *out, fastio_error *err);
FASTIO_API fastio_status fastio_csv_slice(fastio_csv *csv, uint64_t first, uint64_t count, fastio_table **out,
                                          fastio_error *err);

/* Cuts the source into ranges at true starts of records: `parts` of about equal size, or (parts = 0) of about `bytes`
 * bytes. *out is a uint64 column with row_items 2: offset and length of each, to be read with AT_RECORD. Ranges are not
 * empty, so there may be fewer; the header is in none. */
FASTIO_API fastio_status fastio_partition(fastio_source *source, const fastio_csv_options *options, uint64_t parts,
                                          uint64_t bytes, fastio_column **out, fastio_error *err);

/* Proposes a dialect: *out is `options` (NULL: the initial ones) with separator, quote, newline, comment, skip_lines,
 * header and decimal filled in from the first bytes of the source (what they point to is static), and those of the flags
 * TRIM, TRAILING_SEPARATOR and REPAIR_NAMES that it takes; and *sample the first records as they read with it (the caller
 * frees it; its columns have the types that they would get). Ragged records are made to fit there; reading the source
 * tells of them. Reads nothing away. FASTIO_END: an empty source. */
FASTIO_API fastio_status fastio_sniff(fastio_source *source, const fastio_csv_options *options, fastio_csv_options *out,
                                      fastio_table **sample, fastio_error *err);

/* ---- 12. Writers ------------------------------------------------------------------------------------------------- */

/* A buffered way out: to a file, a descriptor, a FILE, memory, or a user's device. What a call has accepted is written
 * or its loss reported: the first failure stays with the writer, and every later call, flush and close among them,
 * returns it again (invalid arguments don't stay). A write error's offset is how many bytes have left the buffer.
 * The two pointers are for the inline functions below; nobody else touches them. */
typedef struct fastio_writer {
  char *at;  /* where the next byte goes */
  char *end; /* end of the room there; at == end where every call has to be looked at: locked, line-buffered, closed */
} fastio_writer;

/* Where a path's bytes go. */
enum {
  FASTIO_TRUNCATE = 0, /* the file is created, or emptied */
  FASTIO_APPEND = 1,   /* the file is created, or written to behind its end (atomically, where the system can) */
  FASTIO_EXCLUSIVE = 2 /* the file is created and must not have been there */
};
enum {
  FASTIO_BUFFER_AUTO = 0, /* none for standard error, lines for a terminal, else full */
  FASTIO_BUFFER_FULL = 1,
  FASTIO_BUFFER_LINES = 2, /* what ends in a newline is written at once */
  FASTIO_BUFFER_NONE = 3   /* every call is written at once */
};
enum {
  FASTIO_WRITE_ATOMIC = 1, /* writes to a temporary file beside the path, which replaces it on a close without error,
                              synced with its directory; until then, and if anything fails, the old file stays.
                              Links are followed, permissions kept. Only with FASTIO_TRUNCATE or EXCLUSIVE */
  FASTIO_WRITE_SYNC = 2,   /* close returns when the bytes are on the disk (fsync) */
  FASTIO_WRITE_LOCKED = 4, /* many threads may use the writer: the bytes of one call stay together, and those between
                              fastio_writer_lock and fastio_writer_unlock */
  FASTIO_WRITE_OWNED = 8   /* fastio_writer_fd, fastio_writer_stdio: closing the writer closes what it was given */
};
typedef struct fastio_write_options {
  size_t size; /* sizeof(fastio_write_options) */
  const fastio_env *env;
  int mode;             /* FASTIO_TRUNCATE, ... */
  unsigned flags;       /* FASTIO_WRITE_* */
  int buffering;        /* FASTIO_BUFFER_* */
  size_t buffer_size;   /* 0: chosen; any other value gives the same bytes */
  unsigned permissions; /* of a new file, less the umask; 0: 0666 */
  /* What is written may be encoded, then compressed, on its way out; offsets count what the writer accepts. */
  const char *compression; /* "auto": what the path ends in (.gz, .bgz, .zst, .xz, .bz2, .lz4), if anything; NULL:
                              none; or a name, also "bgzf" (blocks that can be decompressed in parallel) */
  int level;               /* of the compression; FASTIO_LEVEL_DEFAULT: its usual one */
  unsigned threads;        /* for "zstd", whose live until the writer is closed, and "bgzf"; 0, 1: the caller's alone */
  const char *encoding;    /* NULL: the bytes as they are; or what the UTF-8 that is written is converted to */
  int errors;              /* FASTIO_ERRORS_* of the encoding */
  uint64_t reserved[4];
} fastio_write_options;
#define FASTIO_LEVEL_DEFAULT (-1000)
#define FASTIO_WRITE_OPTIONS_INIT                                                                                     \
  {sizeof(fastio_write_options), NULL, FASTIO_TRUNCATE, 0, FASTIO_BUFFER_AUTO, 0, 0, "auto", FASTIO_LEVEL_DEFAULT, 0, \
   NULL, FASTIO_ERRORS_STRICT, {0}}
FASTIO_API void fastio_write_options_init(fastio_write_options *options);

/* A user's own device. `write` takes some of the bytes and stores how many in *put (a call that takes none is an
 * error); `flush` and `close` may be NULL. Any status but FASTIO_OK is the writer's failure. All are called on the
 * caller's thread only. */
typedef struct fastio_output_device {
  void *ctx;
  fastio_status (*write)(void *ctx, const void *data, size_t size, size_t *put, fastio_error *err);
  fastio_status (*flush)(void *ctx, fastio_error *err);
  fastio_status (*close)(void *ctx, fastio_error *err);
} fastio_output_device;

/* Opens a file by path; "-" is standard output (which closing only flushes). A descriptor or FILE is borrowed unless
 * OWNED, written from its position on, and must outlive the writer; a descriptor that would block is waited for. */
FASTIO_API fastio_status fastio_writer_open(const char *path, const fastio_write_options *options, fastio_writer **out,
                                            fastio_error *err);
FASTIO_API fastio_status fastio_writer_fd(int fd, const fastio_write_options *options, fastio_writer **out,
                                          fastio_error *err);
FASTIO_API fastio_status fastio_writer_stdio(FILE *file, const fastio_write_options *options, fastio_writer **out,
                                             fastio_error *err);
/* Into memory that grows; or into the caller's `capacity` bytes, of which the overflow is an error (ENOSPC). */
FASTIO_API fastio_status fastio_writer_memory(const fastio_write_options *options, fastio_writer **out,
                                              fastio_error *err);
FASTIO_API fastio_status fastio_writer_buffer(void *data, size_t capacity, const fastio_write_options *options,
                                              fastio_writer **out, fastio_error *err);
/* Takes over the device: its close runs when the writer is closed (or when this call fails). */
FASTIO_API fastio_status fastio_writer_device(const fastio_output_device *device, const fastio_write_options *options,
                                              fastio_writer **out, fastio_error *err);
/* Flushes, closes, and frees the writer in any case. The one that tells whether everything was written. */
FASTIO_API fastio_status fastio_writer_close(fastio_writer *writer, fastio_error *err);
/* Frees the writer without writing what its buffer holds; an ATOMIC one leaves the old file. */
FASTIO_API void fastio_writer_discard(fastio_writer *writer);
/* The buffer's bytes are written; compressed ones so that a reader can have all of them. */
FASTIO_API fastio_status fastio_flush(fastio_writer *writer, fastio_error *err);
FASTIO_API fastio_status fastio_sync(fastio_writer *writer, fastio_error *err);  /* and are on the disk */
/* FASTIO_OK, or the failure that stays with the writer. */
FASTIO_API fastio_status fastio_writer_error(const fastio_writer *writer, fastio_error *err);
FASTIO_API uint64_t fastio_writer_offset(const fastio_writer *writer); /* bytes accepted since it was opened */
/* The descriptor that its bytes go to (of an ATOMIC writer the temporary file's); -1 if there is none. */
FASTIO_API int fastio_writer_fileno(const fastio_writer *writer);
/* What a writer into memory holds: a view until the next call; or as a uint8 column, after which it is empty. */
FASTIO_API fastio_status fastio_writer_bytes(fastio_writer *writer, fastio_bytes *out, fastio_error *err);
FASTIO_API fastio_status fastio_writer_take(fastio_writer *writer, fastio_column **out, fastio_error *err);
/* The writer to use until the unlock, for this thread alone (which may also go on using the locked one). A writer that
 * is not LOCKED is returned itself. Meanwhile everything is buffered, whatever the buffering: a record that takes many
 * calls is one write, at the unlock. Locks nest. */
FASTIO_API fastio_writer *fastio_writer_lock(fastio_writer *writer);
FASTIO_API fastio_status fastio_writer_unlock(fastio_writer *writer, fastio_error *err);
/* From here on the writer's bytes go to `target` (which must outlive this), until a call with NULL, or with the target
 * before it, turns it back; what was written before is flushed to where it belonged. Meanwhile every call is the
 * target's, and so is a failure, which stays with the target. */
FASTIO_API fastio_status fastio_writer_redirect(fastio_writer *writer, fastio_writer *target, fastio_error *err);
/* The same of a reader: until a call with NULL it reads `source`, then goes on where it was. Redirections nest. The
 * reader's range and the lines that it skips are not those of `source`. */
FASTIO_API fastio_status fastio_reader_redirect(fastio_reader *reader, fastio_source *source, fastio_error *err);
/* For readers of own types: fills *err with `status`, the static `message`, and the place and text of the reader's next
 * token, which stays; returns the status. */
FASTIO_API fastio_status fastio_reader_fail(fastio_reader *reader, fastio_status status, const char *message,
                                            fastio_error *err);

/* What the inline functions fall back on. */
FASTIO_API fastio_status fastio_write_through(fastio_writer *writer, const void *data, size_t size, fastio_error *err);
FASTIO_API char *fastio_reserve_more(fastio_writer *writer, size_t size, fastio_error *err);
FASTIO_API fastio_status fastio_commit_through(fastio_writer *writer, char *end, fastio_error *err);

/* `size` bytes. More than 2 GiB will do. */
static inline fastio_status fastio_write(fastio_writer *writer, const void *data, size_t size, fastio_error *err) {
  if ((size_t)(writer->end - writer->at) <= size) return fastio_write_through(writer, data, size, err);
  memcpy(writer->at, data, size);
  writer->at += size;
  return FASTIO_OK;
}
/* Room for `size` bytes to be written in place; commit says where they end. Nothing else may be called in between.
 * NULL: a failure, or no memory. Not for LOCKED writers outside of a lock. */
static inline char *fastio_reserve(fastio_writer *writer, size_t size, fastio_error *err) {
  return (size_t)(writer->end - writer->at) > size ? writer->at : fastio_reserve_more(writer, size, err);
}
static inline fastio_status fastio_commit(fastio_writer *writer, char *end, fastio_error *err) {
  if (writer->at == writer->end) return fastio_commit_through(writer, end, err);
  writer->at = end;
  return FASTIO_OK;
}
/* Several pieces as one write: with LOCKED and for pipes they stay together. */
FASTIO_API fastio_status fastio_write_pieces(fastio_writer *writer, const fastio_bytes *pieces, size_t count,
                                             fastio_error *err);
FASTIO_API fastio_status fastio_write_text(fastio_writer *writer, const char *text, fastio_error *err); /* up to NUL */
/* One value each, as the fastio_format_* function of the same name writes it. */
FASTIO_API fastio_status fastio_write_i64(fastio_writer *writer, int64_t value, fastio_error *err);
FASTIO_API fastio_status fastio_write_u64(fastio_writer *writer, uint64_t value, fastio_error *err);
FASTIO_API fastio_status fastio_write_f32(fastio_writer *writer, float value, fastio_error *err);
FASTIO_API fastio_status fastio_write_f64(fastio_writer *writer, double value, fastio_error *err);
FASTIO_API fastio_status fastio_write_bool(fastio_writer *writer, int value, fastio_error *err); /* "true", "false" */
FASTIO_API fastio_status fastio_write_pointer(fastio_writer *writer, const void *value, fastio_error *err); /* "0x1f" */
FASTIO_API fastio_status fastio_write_hex(fastio_writer *writer, const void *data, size_t size, int upper,
                                          fastio_error *err);
FASTIO_API fastio_status fastio_write_date(fastio_writer *writer, int32_t days, fastio_error *err);
FASTIO_API fastio_status fastio_write_time(fastio_writer *writer, int64_t nanoseconds, fastio_error *err);
FASTIO_API fastio_status fastio_write_timestamp(fastio_writer *writer, int64_t nanoseconds, fastio_type type,
                                                fastio_error *err);
FASTIO_API fastio_status fastio_write_i64_as(fastio_writer *writer, int64_t value, const fastio_format *format,
                                             fastio_error *err);
FASTIO_API fastio_status fastio_write_u64_as(fastio_writer *writer, uint64_t value, const fastio_format *format,
                                             fastio_error *err);
FASTIO_API fastio_status fastio_write_f32_as(fastio_writer *writer, float value, const fastio_format *format,
                                             fastio_error *err);
FASTIO_API fastio_status fastio_write_f64_as(fastio_writer *writer, double value, const fastio_format *format,
                                             fastio_error *err);
FASTIO_API fastio_status fastio_write_text_as(fastio_writer *writer, const void *data, size_t size,
                                              const fastio_format *format, fastio_error *err);

/* Copies the rest of the source, or at most `length` bytes of it (FASTIO_NO_OFFSET: all), by whatever is fastest
 * between the two: a shared extent, copy_file_range, sendfile, splice, or a loop. *copied is set also on failure. A
 * file is copied as long as it is when the call begins; one that shrinks meanwhile is FASTIO_TRUNCATED. What goes to a
 * pipe or a socket may be taken from the file only when it is read there. */
FASTIO_API fastio_status fastio_copy(fastio_source *source, fastio_writer *writer, uint64_t length, uint64_t *copied,
                                     fastio_error *err);

/* ---- 13. Arrays, lines and tables out ---------------------------------------------------------------------------- */

/* Many values are formatted by several threads and written in order; the bytes are the same for any number of them. */

/* Numbers in memory, in rows and columns. */
typedef struct fastio_array {
  fastio_type type;                  /* a number, FASTIO_BOOL (a byte each, 0 or not), a date or a time */
  const void *data;
  uint64_t rows, columns;            /* a flat array is one row */
  int64_t row_stride, column_stride; /* bytes from one to the next, may be negative; both 0: packed, row after row */
  const uint8_t *validity;           /* bit r * columns + c is 0 where the value is missing; NULL: none is */
} fastio_array;

typedef struct fastio_array_options {
  size_t size; /* sizeof(fastio_array_options) */
  unsigned threads; /* as in fastio_read_options */
  const fastio_format *formats; /* of each column, or one for all */
  size_t format_count;          /* 0: FASTIO_FORMAT_INIT; 1; or the number of columns */
  fastio_bytes separator;       /* between the values of a row */
  fastio_bytes end;             /* behind each row */
  fastio_bytes null_text;       /* for missing values */
  int (*poll)(void *ctx, uint64_t done, uint64_t total); /* as in fastio_read_options, in values */
  void *poll_ctx;
  size_t block_size; /* bytes that one thread formats at a time; 0: chosen; any other value gives the same bytes */
  uint64_t reserved[7];
} fastio_array_options;
#define FASTIO_ARRAY_OPTIONS_INIT \
  {sizeof(fastio_array_options), 0, NULL, 0, {" ", 1}, {"\n", 1}, {"", 0}, NULL, NULL, 0, {0}}
FASTIO_API void fastio_array_options_init(fastio_array_options *options);
FASTIO_API fastio_status fastio_write_array(fastio_writer *writer, const fastio_array *array,
                                            const fastio_array_options *options, fastio_error *err);
/* The strings of a column, `end` behind each; missing ones are empty lines. */
FASTIO_API fastio_status fastio_write_lines(fastio_writer *writer, const fastio_column *strings, fastio_bytes end,
                                            fastio_error *err);

enum {
  FASTIO_QUOTING_MINIMAL = 0, /* fields that would read otherwise: with separators, quotes or newlines in them, those
                                 that are the null text, strings with blanks at the ends, a BOM at the start; and the
                                 one field of a record that would be a blank line, even if it is missing */
  FASTIO_QUOTING_STRINGS = 1, /* all fields of strings and the names */
  FASTIO_QUOTING_ALL = 2,     /* all fields but missing ones */
  FASTIO_QUOTING_NEVER = 3    /* no quotes: bytes that would need them are escaped, or without an escape an error */
};
typedef struct fastio_csv_write_options {
  size_t size; /* sizeof(fastio_csv_write_options) */
  unsigned threads;
  fastio_bytes separator; /* one or more bytes */
  fastio_bytes end;       /* of a record, the last one too */
  int quoting;            /* FASTIO_QUOTING_* */
  int quote;              /* a byte */
  int escape;             /* a byte before quotes in quoted fields, instead of doubling; or FASTIO_NONE */
  int header;             /* 1: the names are the first record */
  fastio_bytes null_text; /* a missing value */
  fastio_bytes nan_text;  /* of floats; data NULL: "nan" */
  fastio_bytes true_text, false_text;
  const fastio_format *formats; /* of each column, or one for all; strings heed the width */
  size_t format_count;
  int (*poll)(void *ctx, uint64_t done, uint64_t total); /* in rows; the total of a stream is not known */
  void *poll_ctx;
  size_t block_size; /* as in fastio_array_options */
  uint64_t reserved[7];
} fastio_csv_write_options;
#define FASTIO_CSV_WRITE_OPTIONS_INIT                                                                                 \
  {sizeof(fastio_csv_write_options), 0, {",", 1}, {"\n", 1}, FASTIO_QUOTING_MINIMAL, '"', FASTIO_NONE, 1, {"", 0},    \
   {NULL, 0}, {"true", 4}, {"false", 5}, NULL, 0, NULL, NULL, 0, {0}}
FASTIO_API void fastio_csv_write_options_init(fastio_csv_write_options *options);

struct ArrowArrayStream; /* chapter 14 */

/* A table as delimited text; without columns it is nothing. An error that is a cell's has record and field, and the
 * records before it are written. */
FASTIO_API fastio_status fastio_write_csv(fastio_writer *writer, const fastio_table *table,
                                          const fastio_csv_write_options *options, fastio_error *err);
/* The columns of a stream of Arrow structs (numbers, bool, strings and their views, binary as it is, dates, times,
 * timestamps of any unit, decimals, dictionaries, null), batch by batch. Other types are FASTIO_UNSUPPORTED, before
 * anything is written. The stream stays the caller's to release. `rows` (may be NULL) receives how many there were. */
FASTIO_API fastio_status fastio_write_csv_stream(fastio_writer *writer, struct ArrowArrayStream *stream,
                                                 const fastio_csv_write_options *options, uint64_t *rows,
                                                 fastio_error *err);

/* ---- 14. Arrow C Data Interface ---------------------------------------------------------------------------------- */

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

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
  int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
  const char *(*get_last_error)(struct ArrowArrayStream *);
  void (*release)(struct ArrowArrayStream *);
  void *private_data;
};
#endif

/* A table as a struct whose children are the columns. The same ownership. */
FASTIO_API fastio_status fastio_table_export_schema(const fastio_table *table, struct ArrowSchema *out,
                                                    fastio_error *err);
FASTIO_API fastio_status fastio_table_export_array(const fastio_table *table, uint64_t start, uint64_t length,
                                                   struct ArrowArray *out, fastio_error *err);
/* A stream of one batch: the slice of the table. */
FASTIO_API fastio_status fastio_table_export_stream(const fastio_table *table, uint64_t start, uint64_t length,
                                                    struct ArrowArrayStream *out, fastio_error *err);
/* A stream of the batches that are still to be read. Takes over `csv` (also if this call fails), but not its source,
 * which must outlive the stream. Errors of reading come as errno and get_last_error. */
FASTIO_API fastio_status fastio_csv_export_stream(fastio_csv *csv, struct ArrowArrayStream *out, fastio_error *err);

#ifdef __cplusplus
}
#endif
#endif /* FASTIO_H */
