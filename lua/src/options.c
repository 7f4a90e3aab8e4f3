/* The options table, the last argument of every function that reads. The words are those of the Python module. */
#include <limits.h>

#include "flua.h"

#define NUMBERS (FLUA_READ_INTS | FLUA_READ_FLOATS | FLUA_ITERATE_INTS | FLUA_ITERATE_FLOATS | FLUA_OPEN)
#define COLUMNS (FLUA_READ_INTS | FLUA_READ_FLOATS)
#define TEXTS (FLUA_READ_LINES | FLUA_ITERATE_LINES | FLUA_OPEN)
#define WHOLE (COLUMNS | FLUA_READ_LINES | FLUA_READ_BYTES | FLUA_COUNT_LINES)
#define READS (WHOLE | TEXTS | NUMBERS)

/* An option is set by one of these; its value lies on the top of the stack. */
typedef struct Request {
  lua_State *L;
  const char *name;
  unsigned who;
  int anchor;
  Options *out;
} Request;

static int complain(const Request *r, const char *expected) {
  return luaL_error(r->L, "bad option '%s': %s expected, got %s", r->name, expected, luaL_typename(r->L, -1));
}

static int reject(const Request *r, const char *why) { return luaL_error(r->L, "bad option '%s': %s", r->name, why); }

static uint64_t take_count(const Request *r, uint64_t low, uint64_t high, const char *expected) {
  uint64_t value = 0;
  if (!flua_to_u64(r->L, -1, &value)) complain(r, expected);
  if (value < low || value > high) luaL_error(r->L, "bad option '%s': %s expected", r->name, expected);
  return value;
}

static const char *take_string(const Request *r, size_t *size) {
  if (lua_type(r->L, -1) != LUA_TSTRING) complain(r, "a string");
  return lua_tolstring(r->L, -1, size);
}

static int take_byte(const Request *r) {
  size_t size;
  const char *text = take_string(r, &size);
  if (size != 1) reject(r, "one byte expected");
  return (unsigned char)*text;
}

static bool take_boolean(const Request *r) {
  if (!lua_isboolean(r->L, -1)) complain(r, "a boolean");
  return lua_toboolean(r->L, -1);
}

static void set_flag(const Request *r, unsigned flag, bool on) {
  unsigned *flags = &r->out->read.flags;
  *flags = on ? *flags | flag : *flags & ~flag;
}

/* ---- which part ---- */

static void set_offset(Request *r) { r->out->read.offset = take_count(r, 0, UINT64_MAX, "a number of bytes"); }

static void set_length(Request *r) { r->out->read.length = take_count(r, 0, UINT64_MAX, "a number of bytes"); }

static void set_max_items(Request *r) { r->out->read.max_items = take_count(r, 0, UINT64_MAX, "a number of items"); }

static void set_skip_lines(Request *r) { r->out->read.skip_lines = take_count(r, 0, UINT64_MAX, "a number of lines"); }

/* ---- how ---- */

static void set_threads(Request *r) {
  r->out->read.threads = (unsigned)take_count(r, 1, UINT_MAX, "a number of threads, 1 or more,");
}

static void set_block_size(Request *r) {
  r->out->read.block_size = (size_t)take_count(r, 1, SIZE_MAX, "a number of bytes, 1 or more,");
}

static void set_progress(Request *r) {
  if (lua_isfunction(r->L, -1)) {
    r->out->has_progress = true;
    lua_pushvalue(r->L, -1);
    lua_rawseti(r->L, r->anchor, FLUA_ANCHOR_PROGRESS);
  } else if (lua_isboolean(r->L, -1)) {
    r->out->has_bar = lua_toboolean(r->L, -1);
  } else {
    complain(r, "a function or a boolean");
  }
}

static void set_int64(Request *r) {
  static const char *const names[] = {"error", "string", "cdata"};
  const char *name = take_string(r, NULL);
  for (int mode = FLUA_INT64_ERROR; mode <= FLUA_INT64_CDATA; mode++) {
    if (strcmp(name, names[mode]) == 0) {
      if (mode == FLUA_INT64_CDATA && !flua_has_ffi(r->L)) reject(r, "'cdata' needs LuaJIT");
      r->out->int64 = mode;
      return;
    }
  }
  reject(r, "'error', 'string' or 'cdata' expected");
}

/* ---- numbers ---- */

static void set_dtype(Request *r) {
  const char *name = take_string(r, NULL);
  fastio_type type = fastio_type_from_name(name);
  bool is_float = type == FASTIO_FLOAT32 || type == FASTIO_FLOAT64;
  if (!type || type >= FASTIO_STRING) reject(r, "the name of a number type expected, such as 'int64'");
  if (r->who & (FLUA_READ_FLOATS | FLUA_ITERATE_FLOATS | FLUA_ONE_FLOAT)) {
    if (!is_float) reject(r, "'float64' or 'float32' expected");
  } else if (r->who & (FLUA_READ_INTS | FLUA_ONE_INT)) {
    if (is_float) reject(r, "an integer type expected");
  } else if (type != FASTIO_INT64 && type != FASTIO_UINT64) {
    reject(r, "'int64' or 'uint64' expected");
  }
  r->out->read.type = type;
}

static void set_sep(Request *r) { r->out->read.separator = take_byte(r); }

static void set_comment(Request *r) { r->out->read.comment = take_byte(r); }

static void set_base(Request *r) { r->out->read.base = (int)take_count(r, 2, 36, "a base from 2 to 36"); }

static void set_overflow(Request *r) {
  const char *name = take_string(r, NULL);
  if (strcmp(name, "error") != 0 && strcmp(name, "ieee") != 0) reject(r, "'ieee' or 'error' expected");
  set_flag(r, FASTIO_OVERFLOW_ERROR, *name == 'e');
}

/* shape = {rows, row_items}; -1 rows are as many as there are. */
static void set_shape(Request *r) {
  static const char expected[] = "{rows or -1, items of a row}";
  if (!lua_istable(r->L, -1) || flua_rawlen(r->L, -1) != 2) complain(r, expected);
  lua_rawgeti(r->L, -1, 1);
  bool any = lua_isnumber(r->L, -1) && lua_tonumber(r->L, -1) == -1;
  r->out->read.rows = any ? 0 : take_count(r, 1, UINT64_MAX, expected);
  lua_rawgeti(r->L, -2, 2);
  r->out->read.row_items = take_count(r, 1, UINT64_MAX, expected);
  lua_pop(r->L, 2);
}

/* The texts go into a table of ours, out of the reach of a callback that changes the caller's. */
static void set_null_values(Request *r) {
  lua_State *L = r->L;
  int given = lua_gettop(L);
  bool is_list = lua_istable(L, given);
  size_t count = is_list ? flua_rawlen(L, given) : 1;
  fastio_bytes *texts = lua_newuserdata(L, (count + 1) * sizeof *texts);
  lua_newtable(L);
  for (size_t i = 0; i < count; i++) {
    if (is_list) {
      lua_rawgeti(L, given, (int)(i + 1));
    } else {
      lua_pushvalue(L, given);
    }
    texts[i].data = take_string(r, &texts[i].size);
    lua_rawseti(L, -2, (int)(i + 1));
  }
  lua_rawseti(L, r->anchor, FLUA_ANCHOR_TEXTS);
  lua_rawseti(L, r->anchor, FLUA_ANCHOR_NULLS);
  r->out->read.null_values = texts;
  r->out->read.null_count = count;
}

/* ---- lines ---- */

static void set_encoding(Request *r) {
  bool is_bytes = lua_isboolean(r->L, -1) && !lua_toboolean(r->L, -1);
  if (!is_bytes) {
    const char *name = take_string(r, NULL);
    is_bytes = strcmp(name, "binary") == 0;
    if (!is_bytes && strcmp(name, "utf-8") != 0) reject(r, "'utf-8' or 'binary' expected");
  }
  r->out->read.line_type = is_bytes ? FASTIO_BINARY : FASTIO_STRING;
  set_flag(r, FASTIO_KEEP_BOM, is_bytes);
}

static void set_newline(Request *r) {
  const char *name = take_string(r, NULL);
  if (strcmp(name, "lf") == 0) {
    r->out->read.newline = FASTIO_NEWLINE_LF;
  } else if (strcmp(name, "any") == 0) {
    r->out->read.newline = FASTIO_NEWLINE_ANY;
  } else {
    r->out->read.newline = take_byte(r);
  }
}

static void set_keepends(Request *r) { set_flag(r, FASTIO_KEEP_ENDS, take_boolean(r)); }

/* ---- maps ---- */

bool flua_to_advice(const char *name, unsigned *advice) {
  static const struct {
    const char *name;
    unsigned flag;
  } advices[] = {{"normal", 0},
                 {"sequential", FASTIO_MAP_SEQUENTIAL},
                 {"random", FASTIO_MAP_RANDOM},
                 {"willneed", FASTIO_MAP_WILLNEED}};
  for (size_t i = 0; i < sizeof advices / sizeof *advices; i++) {
    if (strcmp(name, advices[i].name) == 0) {
      *advice = advices[i].flag;
      return true;
    }
  }
  return false;
}

static void set_advice(Request *r) {
  unsigned advice = 0, all = FASTIO_MAP_SEQUENTIAL | FASTIO_MAP_RANDOM | FASTIO_MAP_WILLNEED;
  if (!flua_to_advice(take_string(r, NULL), &advice))
    reject(r, "'normal', 'sequential', 'random' or 'willneed' expected");
  r->out->map_flags = (r->out->map_flags & ~all) | advice;
}

static void set_map_flag(Request *r, unsigned flag) {
  r->out->map_flags = (r->out->map_flags & ~flag) | (take_boolean(r) ? flag : 0);
}

static void set_populate(Request *r) { set_map_flag(r, FASTIO_MAP_POPULATE); }

static void set_huge(Request *r) { set_map_flag(r, FASTIO_MAP_HUGE); }

static void set_guard(Request *r) { set_map_flag(r, FASTIO_MAP_GUARD); }

static const struct {
  const char *name;
  unsigned who;
  void (*set)(Request *r);
} all_options[] = {
    {"offset", READS | FLUA_LOAD, set_offset},
    {"length", READS | FLUA_LOAD, set_length},
    {"max_items", COLUMNS | FLUA_READ_LINES | FLUA_COUNT_LINES, set_max_items},
    {"threads", WHOLE, set_threads},
    {"block_size", READS, set_block_size},
    {"progress", READS, set_progress},
    {"int64", NUMBERS | FLUA_ONE_INT, set_int64},
    {"dtype", NUMBERS | FLUA_ONE_INT | FLUA_ONE_FLOAT, set_dtype},
    {"sep", NUMBERS, set_sep},
    {"comment", NUMBERS, set_comment},
    {"base", (NUMBERS & ~(unsigned)(FLUA_READ_FLOATS | FLUA_ITERATE_FLOATS)) | FLUA_ONE_INT | FLUA_DIGITS, set_base},
    {"overflow", FLUA_READ_FLOATS | FLUA_ITERATE_FLOATS | FLUA_OPEN, set_overflow},
    {"shape", COLUMNS, set_shape},
    {"null_values", COLUMNS, set_null_values},
    {"skip_lines", READS & ~(unsigned)FLUA_READ_BYTES, set_skip_lines},
    {"encoding", TEXTS, set_encoding},
    {"newline", TEXTS | FLUA_COUNT_LINES, set_newline},
    {"keepends", TEXTS, set_keepends},
    {"advice", FLUA_LOAD, set_advice},
    {"populate", FLUA_LOAD, set_populate},
    {"huge", FLUA_LOAD, set_huge},
    {"guard", FLUA_LOAD, set_guard},
};

static void set_option(Request *r) {
  for (size_t i = 0; i < sizeof all_options / sizeof *all_options; i++) {
    if (strcmp(r->name, all_options[i].name) == 0) {
      if (!(all_options[i].who & r->who)) luaL_error(r->L, "option '%s' does not apply to this function", r->name);
      all_options[i].set(r);
      return;
    }
  }
  luaL_error(r->L, "unknown option '%s'", r->name);
}

void flua_options(lua_State *L, int index, int anchor, unsigned who, Options *out) {
  memset(out, 0, sizeof *out);
  fastio_read_options_init(&out->read);
  out->map_flags = FASTIO_MAP_SEQUENTIAL;
  if (who & FLUA_BINARY) {
    out->read.line_type = FASTIO_BINARY;
    out->read.flags = FASTIO_KEEP_BOM;
  }
  if (lua_isnoneornil(L, index)) return;
  luaL_checktype(L, index, LUA_TTABLE);
  luaL_checkstack(L, 12, NULL);
  Request r = {L, NULL, who, anchor, out};
  lua_pushnil(L);
  while (lua_next(L, index)) {
    if (lua_type(L, -2) != LUA_TSTRING) luaL_error(L, "the options table has a key that is no string");
    r.name = lua_tostring(L, -2);
    set_option(&r);
    lua_pop(L, 1);
  }
}
