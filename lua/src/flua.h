/* flua: what the files of the Lua module share, and the few macros that make Lua 5.1 to 5.4 and LuaJIT look alike. */
#ifndef FLUA_H
#define FLUA_H

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdbool.h>
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

/* ---- state and types ---- */

/* The userdata types. Their metatables sit in the registry under addresses of this shared object, so that two copies
 * of the module in one Lua state never take each other's objects. */
enum {
  FLUA_COLUMN,
  FLUA_LINES,
  FLUA_MAP,
  FLUA_READER,
  FLUA_ITERATOR,
  FLUA_CALL,
  FLUA_DATA,
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
int flua_error_tostring(lua_State *L);

/* ---- values (value.c) ---- */

/* What to do with an integer that this Lua can't hold exactly. */
enum { FLUA_INT64_ERROR, FLUA_INT64_STRING, FLUA_INT64_CDATA };

/* Pushes the integer, or pushes nothing and fills err. */
fastio_status flua_push_i64(lua_State *L, int64_t value, int mode, fastio_error *err);
fastio_status flua_push_u64(lua_State *L, uint64_t value, int mode, fastio_error *err);
int flua_nil(lua_State *L);                         /* returns nil */
void flua_push_count(lua_State *L, uint64_t count); /* of bytes, items, lines: below 2^53 */
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
  FLUA_BINARY = 8192 /* with FLUA_OPEN: mode "rb" */
};

typedef struct Options {
  fastio_read_options read;
  unsigned map_flags;
  int int64;
  bool has_progress; /* a function, in the anchor table */
  bool has_bar;
} Options;

/* Reads the table at `index` (nil or none: defaults). What it refers to is kept in the anchor table. Raises on
 * misuse. */
void flua_options(lua_State *L, int index, int anchor, unsigned who, Options *out);

/* The advice for maps of that name; false if there is none. */
bool flua_to_advice(const char *name, unsigned *advice);

/* ---- sources (source.c) ---- */

/* Slots of the anchor table: whatever a source, its options and its errors refer to, safe from the collector. It is the
 * user value of the userdata that holds the source. */
enum {
  FLUA_ANCHOR_SUBJECT = 1,
  FLUA_ANCHOR_PATH,
  FLUA_ANCHOR_PROGRESS,
  FLUA_ANCHOR_PIECE,
  FLUA_ANCHOR_NULLS,
  FLUA_ANCHOR_TEXTS
};

typedef struct Map Map;

typedef struct Source {
  fastio_source *handle;
  int kind;
  void *file;                  /* Lua's file handle userdata: looked at before each use, since the user may close it */
  Map *map;                    /* counted in map->readers while the source is open */
  const fastio_column *column; /* retained */
  /* The call in progress. */
  lua_State *L;
  int slots;         /* stack index of: the stashed failure, the protected function, the anchor table */
  bool calls_lua;    /* by read or poll: needs flua_enter and flua_leave around the core */
  bool busy;         /* a user's callback may not come back to the same reader */
  bool failed;       /* slot 0 holds a value to raise */
  bool foreign;      /* it is an info table made from nil, message, code */
  bool has_progress; /* call the anchored function */
  bool has_bar;
  bool cancelled;
  unsigned long last_drawn; /* of the bar, in milliseconds */
  /* What the protected function is asked to do. */
  int job;
  uint64_t done, total;
  size_t wanted;
  const char *piece; /* of a string from a user's read, the rest that did not fit; anchored */
  size_t piece_size;
} Source;

/* Opens what lies at `index`; may raise on misuse (nothing is acquired then). The failure goes into err. */
fastio_status flua_source_open(lua_State *L, Source *source, int index, int anchor, const Options *options,
                               fastio_error *err);
void flua_source_close(Source *source);
/* Has the core call back into Lua from this source's reads: fills in the options' poll. */
void flua_source_set_poll(Source *source, Options *options);
/* Bracket every call of the core that may read. Between them no Lua error can happen; after leave, `failed` tells
 * that a callback's error lies on the top of the stack: hand it to flua_callback_failed. */
void flua_enter(lua_State *L, Source *source, int anchor);
void flua_leave(Source *source);
int flua_callback_failed(lua_State *L, Source *source);
/* False, with err filled, once the file that the source borrows was closed. */
bool flua_source_is_alive(const Source *source, fastio_error *err);

/* The progress bar on standard error (progress.c). */
void flua_draw_bar(Source *source, uint64_t done, uint64_t total);
void flua_end_bar(Source *source);

/* ---- objects ---- */

/* Column and Lines are one struct with two metatables; a slice shares its base. */
typedef struct Column {
  const fastio_column *base; /* NULL: closed */
  uint64_t start, length, null_count;
  int int64;
} Column;

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
} Reader;

Column *flua_new_column(lua_State *L, int type);
void flua_fill_column(lua_State *L, Column *column, const fastio_column *base, int int64);
Column *flua_check_bytes_column(lua_State *L, int index);
void flua_map_release(Map *map); /* one reader less */
/* Opens a reader of the source at argument 1 with the options at `options_index` in a new userdata of the given type
 * and size, which is left on the top. False: the failure results, *results of them, are there instead. */
bool flua_open_reader(lua_State *L, int type, size_t size, int options_index, unsigned who, Options *options,
                      int *results);
void flua_close_reader(Reader *reader);

/* Each adds its functions to the module table on the top, and its types. */
void flua_open_columns(lua_State *L);
void flua_open_maps(lua_State *L);
void flua_open_readers(lua_State *L);
void flua_open_iterators(lua_State *L);
void flua_open_sources(lua_State *L);
void flua_open_whole(lua_State *L);

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
