/* flua: what the files of the Lua module share, and the few macros that make Lua 5.1 to 5.4 and LuaJIT look alike. */
#ifndef FLUA_H
#define FLUA_H

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "fastio.h"

/* ---- one API out of five ---- */

#if LUA_VERSION_NUM < 502
#  define flua_rawlen(L, index) lua_objlen(L, index)
#  define flua_setuservalue(L, index) lua_setfenv(L, index)
#  define flua_getuservalue(L, index) lua_getfenv(L, index)
#else
#  define flua_rawlen(L, index) lua_rawlen(L, index)
#  define flua_setuservalue(L, index) lua_setuservalue(L, index)
#  define flua_getuservalue(L, index) lua_getuservalue(L, index)
#endif

#if defined(_WIN32)
#  define FLUA_EXPORT __declspec(dllexport)
#else
#  define FLUA_EXPORT __attribute__((visibility("default")))
#endif

#if defined(__GNUC__) && !defined(_WIN32)
#  pragma GCC visibility push(hidden)
#endif

enum { FLUA_TCDATA = 10 }; /* lua_type of a value of LuaJIT's FFI */

/* ---- state and types ---- */

/* The userdata types. Their metatables sit in the registry under addresses of this shared object, so that two copies
 * of the module in one Lua state never take each other's objects. */
enum {
  FLUA_COLUMN,
  FLUA_LINES,
  FLUA_MAP,
  FLUA_READER,
  FLUA_ITERATOR,
  FLUA_TABLE,
  FLUA_CSV_READER,
  FLUA_CALL,
  FLUA_DATA,
  FLUA_WRITER,
  FLUA_FORMAT,
  FLUA_ERROR,
  FLUA_TYPE_COUNT
};

/* One for each Lua state; upvalue 1 of every C function of the module. */
typedef struct State {
  const void *metatables[FLUA_TYPE_COUNT]; /* lua_topointer of each: checks a type in 5 ns instead of 20 */
  bool strict;                             /* failures raise instead of returning nil, message, code, info */
  uint64_t debt;                           /* bytes of columns made since the collector was last told */
} State;

#define flua_state(L) ((State *)lua_touserdata(L, lua_upvalueindex(1)))

State *flua_push_state(lua_State *L);
/* Registers the functions with upvalue 1 = the state into the table on the top. */
void flua_register(lua_State *L, const luaL_Reg *functions);
/* Pushes a new metatable with these methods, as __index too if `index` is NULL; otherwise index(state, methods) is
 * __index. */
void flua_new_type(lua_State *L, int type, const char *name, const luaL_Reg *metamethods, const luaL_Reg *methods,
                   lua_CFunction index);
void flua_set_type(lua_State *L, int type); /* gives the value on the top its metatable */
bool flua_is_type(lua_State *L, int index, int type);
void *flua_check(lua_State *L, int index, int type); /* or an argument error */
void *flua_new(lua_State *L, int type, size_t size); /* a zeroed userdata: closed until it acquires something */

/* ---- errors (error.c) ---- */

/* The four results nil, message, code, info; or a raised info table in strict mode. Statuses that mean misuse always
 * raise. `path` is the stack index of the path (nil: none), 0 for none. */
int flua_fail(lua_State *L, const fastio_error *err, int path);
/* Raises the info table. */
int flua_raise(lua_State *L, const fastio_error *err, int path);
/* The same two for an info table that lies on the top. */
int flua_fail_info(lua_State *L);
/* Pushes an info table for a failure that a user's object reported in the manner of Lua's io: message, code. */
void flua_push_foreign_info(lua_State *L, int message, int code);
void flua_set_error(fastio_error *err, fastio_status status, const char *message);
const char *flua_error_text(const fastio_error *err);
int flua_error_tostring(lua_State *L);

/* ---- values (value.c) ---- */

/* What to do with an integer that this Lua can't hold exactly. */
enum { FLUA_INT64_ERROR, FLUA_INT64_STRING, FLUA_INT64_CDATA };

/* Pushes the integer, or pushes nothing and fills err. */
fastio_status flua_push_i64(lua_State *L, int64_t value, int mode, fastio_error *err);
fastio_status flua_push_u64(lua_State *L, uint64_t value, int mode, fastio_error *err);
/* An integer as it comes from Lua: an exact number; its digits as a string; on LuaJIT an int64_t or uint64_t. */
typedef struct Whole {
  uint64_t bits;
  bool is_negative; /* then they are an int64_t */
} Whole;
bool flua_to_whole(lua_State *L, int index, Whole *out); /* false: it is none. May raise for want of memory */
int flua_nil(lua_State *L);                              /* returns nil */
void flua_push_count(lua_State *L, uint64_t count);      /* of bytes, items, lines: below 2^53 */
/* The arguments at index and index + 1 as string.sub takes them, for `size` items: 0-based and half-open. */
void flua_range(lua_State *L, int index, uint64_t size, uint64_t *first, uint64_t *end);
/* An integral number from 0 on, whatever Lua's number type is. */
bool flua_to_u64(lua_State *L, int index, uint64_t *out);
/* On LuaJIT: loads the two FFI helpers. Leaves the stack as it was. */
void flua_open_ffi(lua_State *L);
bool flua_has_ffi(lua_State *L);
/* Pushes `const T *` over address, which keeps the value at `owner` alive; a light userdata where there is no FFI. */
void flua_push_pointer(lua_State *L, const void *address, const char *c_type, int owner);

/* ---- options (options.c) ---- */

/* Who is asking: which options make sense. */
enum {
  FLUA_READ_INTS = 1,
  FLUA_READ_FLOATS = 2,
  FLUA_READ_LINES = 4,
  FLUA_READ_BYTES = 8,
  FLUA_COUNT_LINES = 16,
  FLUA_ITERATE_LINES = 32,
  FLUA_ITERATE_INTS = 64,
  FLUA_ITERATE_FLOATS = 128,
  FLUA_OPEN = 256,
  FLUA_LOAD = 512,
  FLUA_ONE_INT = 1024, /* the generated functions: parse one number or format it */
  FLUA_ONE_FLOAT = 2048,
  FLUA_DIGITS = 4096,
  FLUA_BINARY = 8192, /* with FLUA_OPEN: mode "rb" */
  FLUA_READ_CSV = 16384,
  FLUA_OPEN_CSV = 32768,
  FLUA_SNIFF = 65536,
  FLUA_PARTITION = 131072,
  FLUA_TIMESTAMP = 262144, /* a generated function too */
  FLUA_CSV = FLUA_READ_CSV | FLUA_OPEN_CSV | FLUA_SNIFF | FLUA_PARTITION,
  FLUA_DEST = 524288,  /* opens what it writes to */
  FLUA_MODE = 1048576, /* and has no argument for the mode */
  FLUA_WRITE_ARRAY = 2097152,
  FLUA_WRITE_LINES = 4194304,
  FLUA_WRITE_CSV = 8388608,
  FLUA_COPY = 16777216,
  FLUA_MAKE_FORMAT = 33554432
};

/* What a number becomes that a format is for. */
enum { FLUA_AS_IT_IS, FLUA_AS_FLOAT, FLUA_AS_INTEGER };

typedef struct Format {
  fastio_format how; /* its locale is NULL or the one below */
  fastio_locale locale;
  int as;
} Format;

typedef struct Options {
  fastio_read_options read;
  fastio_decode_options decode;     /* of what reads a source */
  fastio_csv_options csv;           /* of FLUA_CSV */
  uint64_t partition_bytes;         /* of FLUA_PARTITION; 0: not given */
  const char *file_column;          /* of FLUA_READ_CSV and FLUA_OPEN_CSV; NULL: none */
  fastio_write_options write;       /* of FLUA_DEST */
  fastio_array_options array;       /* of FLUA_WRITE_ARRAY and FLUA_WRITE_LINES */
  fastio_csv_write_options csv_out; /* of FLUA_WRITE_CSV */
  Format made;                      /* of FLUA_MAKE_FORMAT */
  bool has_null;
  unsigned map_flags;
  int int64;
  bool has_progress; /* a function, in the anchor table */
  bool has_bar;
} Options;

/* Reads the table at `index` (nil or none: defaults). What it refers to is kept in the anchor table. Raises on
 * misuse. */
void flua_options(lua_State *L, int index, int anchor, unsigned who, Options *out);

/* From now on columns of these names have these types. */
void flua_fix_types(lua_State *L, int anchor, Options *options, const fastio_table *schema);

/* The advice for maps of that name; false if there is none. */
bool flua_to_advice(const char *name, unsigned *advice);

/* ---- calling back into Lua (bridge.c) ---- */

/* Slots of the anchor table: whatever a source, its options and its errors refer to, safe from the collector. It is the
 * user value of the userdata that holds the source. */
enum {
  FLUA_ANCHOR_SUBJECT = 1,
  FLUA_ANCHOR_PATH,
  FLUA_ANCHOR_PROGRESS,
  FLUA_ANCHOR_PIECE,
  FLUA_ANCHOR_RAGGED,     /* the function that decides about ragged records */
  FLUA_ANCHOR_CHOSEN,     /* what it returned: the texts, */
  FLUA_ANCHOR_TEXTS,      /* and a table that keeps them */
  FLUA_ANCHOR_TYPES,      /* the option dtype, */
  FLUA_ANCHOR_NULLS,      /* null_values, */
  FLUA_ANCHOR_DICTIONARY, /* dictionary */
  FLUA_ANCHOR_TARGET,     /* the Writer, or source, of a redirection */
  FLUA_ANCHOR_FORMATS,    /* the option format of tables, */
  FLUA_ANCHOR_NAMES,      /* names */
  FLUA_ANCHOR_VALIDITY,   /* of an array made of a table */
  FLUA_ANCHOR_SOURCES     /* the list of sources, of which the subject is one */
};

/* A call of the core in progress from which it may call back into Lua. The first member of the object that is used. */
typedef struct Bridge {
  lua_State *L;
  int slots;  /* stack index of: the stashed failure, the protected function, the anchor table */
  void *file; /* Lua's file handle userdata that it borrows: looked at before each use, since the user may close it */
  bool calls_lua;    /* needs flua_enter and flua_leave around the core */
  bool busy;         /* a user's callback may not come back to the same object */
  bool failed;       /* slot 0 holds a value to raise */
  bool foreign;      /* it is an info table made from nil, message, code */
  bool has_progress; /* call the anchored function */
  bool has_bar;
  bool cancelled;
  const char *unit;         /* of the bar: millions of what */
  unsigned long last_drawn; /* of the bar, in milliseconds */
  uint64_t done, total;
  uint64_t before, last; /* of several: bytes of those that are done; what the present one said last */
  bool is_one_of_several;
  struct Bridge *group; /* of sources that are open at once: the first of a list of those that borrow a file */
  struct Bridge *next;  /* in that list */
  void (*job)(lua_State *L, struct Bridge *bridge); /* what the protected function is asked to do */
} Bridge;

/* Bracket every call of the core that may call back. Between them no Lua error can happen; after leave, `failed` tells
 * that a callback's error lies on the top of the stack: hand it to flua_callback_failed. */
void flua_enter(lua_State *L, Bridge *bridge, int anchor);
void flua_leave(Bridge *bridge);
/* The same for two at once: the failure of either becomes that of the outer one. */
void flua_enter_both(lua_State *L, Bridge *outer, int outer_anchor, Bridge *inner, int inner_anchor);
void flua_leave_both(Bridge *outer, Bridge *inner);
void flua_begin_next(Bridge *bridge); /* the next one of several sources is opened */
/* And for any number of them, whose anchor tables lie from `anchor` on, the outermost first. */
void flua_enter_several(lua_State *L, Bridge *const *bridges, size_t count, int anchor);
void flua_leave_several(Bridge *const *bridges, size_t count);
int flua_callback_failed(lua_State *L, Bridge *bridge);
/* What the core calls runs its part in Lua as a job in protected mode, with the anchor table at 1. False: it raised. */
bool flua_call_back(Bridge *bridge, void (*job)(lua_State *L, Bridge *bridge));
/* For jobs: raises a failure if the three results from `index` on are one. */
void flua_check_answer(lua_State *L, Bridge *bridge, int index);
int flua_poll(void *bridge, uint64_t done, uint64_t total);
/* False, with err filled, once the file that is borrowed was closed. */
bool flua_is_alive(const Bridge *bridge, fastio_error *err);
/* A file of Lua's io library, or NULL; its stream, NULL if it is closed. */
void *flua_to_file(lua_State *L, int index);
FILE *flua_file_of(const void *file);
/* A table or userdata with a method of this name? */
bool flua_has_method(lua_State *L, int index, const char *name);

/* The progress bar on standard error (progress.c). */
void flua_draw_bar(Bridge *bridge, uint64_t done, uint64_t total);
void flua_end_bar(Bridge *bridge);

/* ---- sources (source.c) ---- */

typedef struct Map Map;

typedef struct Source {
  Bridge bridge; /* first */
  fastio_source *handle;
  Map *map;                    /* counted in map->readers while the source is open */
  const fastio_column *column; /* retained */
  /* For the protected function. */
  size_t wanted;
  const char *piece; /* of a string from a user's read, the rest that did not fit; anchored */
  size_t piece_size;
  const fastio_bytes *fields; /* of a ragged record */
  size_t field_count, expected;
  const fastio_bytes *chosen; /* in their place; NULL: none; anchored */
} Source;

/* Opens what lies at `index`, to be decoded as the options say; may raise on misuse. The failure goes into err. */
fastio_status flua_source_open(lua_State *L, Source *source, int index, int anchor, const Options *options,
                               fastio_error *err);
void flua_source_close(Source *source);
uint64_t flua_source_decode_errors(const Source *source);
/* A list of sources? Not an object that is one. */
bool flua_is_list(lua_State *L, int index);
/* Pushes a copy of the list at `index`, which nobody else changes; an argument error if it is none of sources. Returns
 * how many there are. */
size_t flua_push_list(lua_State *L, int index);
/* Has the core call back into Lua from this source's reads: fills in the options' poll. */
void flua_source_set_poll(Source *source, Options *options);

/* ---- writers ---- */

typedef struct Writer {
  Bridge bridge;         /* first */
  fastio_writer *handle; /* NULL: closed */
  struct Writer *target; /* where its bytes go meanwhile, or NULL; anchored */
  bool owns_target;
  bool is_atomic;
  bool is_memory;
  bool is_of_call;   /* a function's own: if an error passes it, that error tells of it */
  FILE *stream;      /* where there is one */
  const char *piece; /* for the protected function */
  size_t piece_size;
} Writer;

/* Pushes a new Writer, closed, whose user value is an anchor table. */
Writer *flua_new_writer(lua_State *L);
/* Opens what lies at `index` for the Writer at `writer`; may raise on misuse (nothing is acquired then). */
fastio_status flua_writer_open(lua_State *L, int writer, int index, const fastio_write_options *options,
                               fastio_error *err);
fastio_status flua_open_stream(Writer *writer, FILE *stream, const fastio_write_options *options, fastio_error *err);
/* open(dest, mode[, options]) with its three arguments, once the mode is known to be one for writing. */
int flua_open_writer(lua_State *L, int mode);
/* The Writer that the bytes of the one at `index` go to: open, and not in use. */
Writer *flua_check_open_writer(lua_State *L, int index);
void flua_push_target(lua_State *L, int index);
/* Pushes an open Writer into memory. */
Writer *flua_new_memory(lua_State *L);
/* Closes it in any case; false: the failure's results, *results of them, are on the top. `is_good` false: what its
 * buffer holds is dropped, and no failure is told. */
bool flua_writer_close(lua_State *L, int index, bool is_good, int *results);

/* Where things lie on the stack of a function that writes all of something: as a method to the Writer at 1, else to the
 * dest there, which it opens and closes. */
enum { FLUA_OUT_DEST = 1, FLUA_OUT_DATA, FLUA_OUT_OPTIONS, FLUA_OUT_WRITER, FLUA_OUT_ANCHOR };
/* Reads the options. The dest is not opened yet, so that nothing happens to it if the data are not good. */
void flua_begin_output(lua_State *L, unsigned who, Options *options);
/* Opens it. */
fastio_status flua_open_output(lua_State *L, const Options *options, fastio_error *err);
/* Around calls of the core. Between them no Lua error can happen. */
fastio_writer *flua_enter_output(lua_State *L, const Options *options);
void flua_leave_output(lua_State *L);
/* Closes what was opened, and returns the results: true, the Writer, or a failure's. */
int flua_end_output(lua_State *L, fastio_status status, const fastio_error *err);
/* The methods of Writer that are functions too. */
int flua_write_ints(lua_State *L);
int flua_write_floats(lua_State *L);
int flua_write_lines(lua_State *L);
int flua_write_csv(lua_State *L);

/* ---- values as text (text.c, format.c) ---- */

/* The format at `index`: one of ours, a word, or NULL for nil. An argument error else, or NULL if `is_option`. */
const Format *flua_to_format(lua_State *L, int index);
const Format *flua_check_format(lua_State *L, int index);
bool flua_is_plain(lua_State *L, int index); /* nil, a boolean, a number, a string: no Lua code runs to write it */
/* Writes such a value; never raises. */
fastio_status flua_write_plain(lua_State *L, int index, fastio_writer *writer, fastio_error *err);
/* The number at `index` without a format: how many bytes it takes, FASTIO_FORMAT_MAX at most. Never raises. */
size_t flua_format_number(lua_State *L, int index, char *out);
/* Pushes any value as text. */
void flua_push_text(lua_State *L, int index, const Format *format);

/* ---- objects ---- */

/* Where things lie on the stack of a function that reads a whole source. */
enum { FLUA_SOURCE = 1, FLUA_OPTIONS, FLUA_WHOLE, FLUA_ANCHOR, FLUA_PATH, FLUA_RESULT };

/* Opens the source of argument 1 with the options of argument 2. All that it acquires belongs to a userdata at
 * FLUA_WHOLE. */
fastio_status flua_begin(lua_State *L, unsigned who, Options *options, Source **out, fastio_error *err);
/* The same without opening, for a list of sources. A copy of it takes the list's place. Returns how many there are. */
size_t flua_begin_several(lua_State *L, unsigned who, Options *options, Source **out, fastio_error *err);
/* The results of such a function that failed, or failed inside of a callback. */
int flua_end_failed(lua_State *L, Source *source, fastio_error *err);
/* Tells the collector of the memory that columns took; to be called before the next ones are made. */
void flua_pay_debt(lua_State *L);

/* Column and Lines are one struct with two metatables; a slice shares its base. */
typedef struct Column {
  const fastio_column *base; /* NULL: closed */
  uint64_t start, length, null_count;
  int int64;
  uint64_t decode_errors; /* of the source that it is all of */
} Column;

/* A slice shares its base. */
typedef struct Table {
  const fastio_table *base; /* NULL: closed */
  uint64_t start, length;
  int int64;
  uint64_t decode_errors; /* of its source so far */
} Table;

struct Map {
  fastio_map *handle; /* NULL: closed */
  int readers;        /* sources that read it */
  bool is_closing;    /* collected while they did: the last one closes it */
};

typedef struct Reader {
  Source source;
  fastio_reader *handle; /* NULL: closed */
  int int64;
  bool is_unsigned;
  bool has_held; /* an integer was read that this Lua can't hold: it counts as the next token until skipped */
  uint64_t held;
  struct Diversion *diversion;  /* what it is redirected to, or NULL; anchored */
  fastio_decode_options decode; /* of that, too */
} Reader;

Column *flua_new_column(lua_State *L, int type);
void flua_fill_column(lua_State *L, Column *column, const fastio_column *base, int int64);
void flua_add_debt(lua_State *L, const fastio_column *base);
/* Part of a column, which is not retained. */
Column flua_column_part(const fastio_column *base, uint64_t start, uint64_t length, int int64);
/* Pushes value i (from 0), nil for a null; or pushes nothing and fills err. */
fastio_status flua_push_value(lua_State *L, const Column *column, uint64_t i, fastio_error *err);
/* The same, raising. */
void flua_push_or_raise(lua_State *L, const Column *column, uint64_t i);
Column *flua_check_column(lua_State *L, int index); /* or Lines; not closed */
Column *flua_check_bytes_column(lua_State *L, int index);
/* A part of a column as a column of the core (slice.c), which starts at its first value: with one more owner. NULL: no
 * memory. */
const fastio_column *flua_slice_column(const Column *part);
/* Bit i of `out` is bit start + i. */
void flua_copy_bits(const uint8_t *bits, uint64_t start, uint64_t count, uint8_t *out);
Table *flua_new_table(lua_State *L);
void flua_fill_table(lua_State *L, Table *table, const fastio_table *base, int int64);
void flua_push_names(lua_State *L, const fastio_table *table);  /* {"a", "b"} */
void flua_push_dtypes(lua_State *L, const fastio_table *table); /* {a = "int64", b = "string"} */
void flua_map_release(Map *map);                                /* one reader less */
/* The next batch of the CsvReader at `index`; false: *results results are on the top, nil alone at the end. */
bool flua_next_batch(lua_State *L, int index, Table *table, int *results);
/* An object that reads its source while it lives. It starts with a Source; `open` opens what stands upon that, `close`
 * closes both. */
typedef struct Opener {
  int type;
  size_t size;
  fastio_status (*open)(void *object, const Options *options, fastio_error *err);
  void (*close)(void *object);
} Opener;
/* Makes one of the source at argument 1 and the options at `options_index`, and leaves it on the top. False: the failure
 * results, *results of them, are there instead. */
bool flua_open_object(lua_State *L, const Opener *opener, int options_index, unsigned who, Options *options,
                      int *results);
/* A Reader or what starts with one. */
bool flua_open_reader(lua_State *L, int type, size_t size, int options_index, unsigned who, Options *options,
                      int *results);
void flua_close_reader(Reader *reader);

/* Each adds its functions to the module table on the top, and its types. */
void flua_open_bridge(lua_State *L);
void flua_open_columns(lua_State *L);
void flua_open_maps(lua_State *L);
void flua_open_readers(lua_State *L);
void flua_open_iterators(lua_State *L);
void flua_open_sources(lua_State *L);
void flua_open_whole(lua_State *L);
void flua_open_tables(lua_State *L);
void flua_open_csv(lua_State *L);
void flua_open_writers(lua_State *L);
void flua_open_formats(lua_State *L);
void flua_open_texts(lua_State *L);
void flua_open_copy(lua_State *L);
void flua_open_lists(lua_State *L);
void flua_open_standard(lua_State *L);

/* Bytes that sub, find and byte look at: a map or a uint8 column (bytes.c). */
int flua_bytes_sub(lua_State *L);
int flua_bytes_byte(lua_State *L);
int flua_bytes_find(lua_State *L);
#define FLUA_BYTES_METHODS \
  {"sub", flua_bytes_sub}, {"byte", flua_bytes_byte}, { "find", flua_bytes_find }

FLUA_EXPORT int luaopen_fastio(lua_State *L);

#if defined(__GNUC__) && !defined(_WIN32)
#  pragma GCC visibility pop
#endif

#endif
