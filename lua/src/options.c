/* The options table, the last argument of every function that reads. The words are those of the Python module. */
#include <limits.h>

#include "options.h"

#define NUMBERS (FLUA_READ_INTS | FLUA_READ_FLOATS | FLUA_ITERATE_INTS | FLUA_ITERATE_FLOATS | FLUA_OPEN)
#define COLUMNS (FLUA_READ_INTS | FLUA_READ_FLOATS)
#define TEXTS (FLUA_READ_LINES | FLUA_ITERATE_LINES | FLUA_OPEN)
#define WHOLE (COLUMNS | FLUA_READ_LINES | FLUA_READ_BYTES | FLUA_COUNT_LINES)
#define READS (WHOLE | TEXTS | NUMBERS)

/* ---- values ---- */

int flua_complain(const Request *r, const char *expected) {
  return luaL_error(r->L, "bad option '%s': %s expected, got %s", r->name, expected, luaL_typename(r->L, -1));
}

int flua_reject(const Request *r, const char *why) { return luaL_error(r->L, "bad option '%s': %s", r->name, why); }

uint64_t flua_take_count(const Request *r, uint64_t low, uint64_t high, const char *expected) {
  uint64_t value = 0;
  if (!flua_to_u64(r->L, -1, &value)) flua_complain(r, expected);
  if (value < low || value > high) luaL_error(r->L, "bad option '%s': %s expected", r->name, expected);
  return value;
}

const char *flua_take_string(const Request *r, size_t *size) {
  if (lua_type(r->L, -1) != LUA_TSTRING) flua_complain(r, "a string");
  return lua_tolstring(r->L, -1, size);
}

int flua_take_byte(const Request *r) {
  size_t size;
  const char *text = flua_take_string(r, &size);
  if (size != 1) flua_reject(r, "one byte expected");
  return (unsigned char)*text;
}

int flua_take_int(const Request *r, int low, int high, const char *expected) {
  lua_Number value = lua_tonumber(r->L, -1);
  if (lua_type(r->L, -1) != LUA_TNUMBER) flua_complain(r, expected);
  if (!(value >= low && value <= high) || value != (lua_Number)(int)value)
    luaL_error(r->L, "bad option '%s': %s expected", r->name, expected);
  return (int)value;
}

const char *flua_take_name_or_none(const Request *r) {
  if (lua_isboolean(r->L, -1) && !lua_toboolean(r->L, -1)) return NULL;
  const char *name = flua_take_string(r, NULL);
  lua_pushvalue(r->L, -1);
  flua_keep(r);
  return name;
}

int flua_take_errors(const Request *r) {
  static const char *const words[] = {"strict", "replace", "skip", NULL};
  static const int ways[] = {FASTIO_ERRORS_STRICT, FASTIO_ERRORS_REPLACE, FASTIO_ERRORS_SKIP};
  return ways[flua_take_word(r, words)];
}

bool flua_take_boolean(const Request *r) {
  if (!lua_isboolean(r->L, -1)) flua_complain(r, "a boolean");
  return lua_toboolean(r->L, -1);
}

/* "'a', 'b' or 'c' expected" */
static int reject_word(const Request *r, const char *const *words) {
  lua_pushfstring(r->L, "'%s'", words[0]);
  for (int i = 1; words[i]; i++) {
    lua_pushfstring(r->L, "%s%s'%s'", lua_tostring(r->L, -1), words[i + 1] ? ", " : " or ", words[i]);
    lua_remove(r->L, -2);
  }
  return luaL_error(r->L, "bad option '%s': %s expected", r->name, lua_tostring(r->L, -1));
}

int flua_take_word(const Request *r, const char *const *words) {
  const char *name = flua_take_string(r, NULL);
  for (int i = 0; words[i]; i++) {
    if (strcmp(name, words[i]) == 0) return i;
  }
  return reject_word(r, words);
}

void flua_keep(const Request *r) {
  lua_pushboolean(r->L, 1);
  lua_rawset(r->L, r->anchor);
}

void *flua_keep_memory(const Request *r, size_t size) {
  void *memory = lua_newuserdata(r->L, size + 1);
  memset(memory, 0, size + 1);
  flua_keep(r);
  return memory;
}

const fastio_bytes *flua_take_texts(const Request *r, size_t *count) {
  lua_State *L = r->L;
  int given = lua_gettop(L);
  bool is_list = lua_istable(L, given);
  *count = is_list ? flua_rawlen(L, given) : 1;
  fastio_bytes *texts = flua_keep_memory(r, *count * sizeof *texts);
  for (size_t i = 0; i < *count; i++) {
    if (is_list) {
      lua_rawgeti(L, given, (int)(i + 1));
    } else {
      lua_pushvalue(L, given);
    }
    texts[i].data = flua_take_string(r, &texts[i].size);
    flua_keep(r);
  }
  return texts;
}

static void set_flag(const Request *r, unsigned flag, bool on) {
  unsigned *flags = &r->out->read.flags;
  *flags = on ? *flags | flag : *flags & ~flag;
}

/* ---- which part ---- */

static void set_offset(Request *r) { r->out->read.offset = flua_take_count(r, 0, UINT64_MAX, "a number of bytes"); }

static void set_length(Request *r) { r->out->read.length = flua_take_count(r, 0, UINT64_MAX, "a number of bytes"); }

static void set_max_items(Request *r) {
  r->out->read.max_items = flua_take_count(r, 0, UINT64_MAX, "a number of items");
}

static void set_skip_lines(Request *r) {
  r->out->read.skip_lines = flua_take_count(r, 0, UINT64_MAX, "a number of lines");
}

/* ---- how ---- */

static void set_threads(Request *r) {
  r->out->read.threads = (unsigned)flua_take_count(r, 1, UINT_MAX, "a number of threads, 1 or more,");
}

static void set_block_size(Request *r) {
  r->out->read.block_size = (size_t)flua_take_count(r, 1, SIZE_MAX, "a number of bytes, 1 or more,");
}

static void set_progress(Request *r) {
  if (lua_isfunction(r->L, -1)) {
    r->out->has_progress = true;
    lua_pushvalue(r->L, -1);
    lua_rawseti(r->L, r->anchor, FLUA_ANCHOR_PROGRESS);
  } else if (lua_isboolean(r->L, -1)) {
    r->out->has_bar = lua_toboolean(r->L, -1);
  } else {
    flua_complain(r, "a function or a boolean");
  }
}

static void set_int64(Request *r) {
  static const char *const words[] = {"error", "string", "cdata", NULL};
  int mode = flua_take_word(r, words);
  if (mode == FLUA_INT64_CDATA && !flua_has_ffi(r->L)) flua_reject(r, "'cdata' needs LuaJIT");
  r->out->int64 = mode;
}

/* ---- what its bytes are ---- */

static void set_compression(Request *r) { r->out->decode.compression = flua_take_name_or_none(r); }

static void set_trailing(Request *r) {
  static const char *const words[] = {"error", "ignore", NULL};
  static const int ways[] = {FASTIO_TRAILING_ERROR, FASTIO_TRAILING_IGNORE};
  r->out->decode.trailing = ways[flua_take_word(r, words)];
}

static void set_max_size(Request *r) {
  r->out->decode.max_size = flua_take_count(r, 0, UINT64_MAX, "a number of bytes");
}

/* "utf-8" gives way to a byte order mark of UTF-16 or UTF-32, except where bytes are wanted. */
static void set_encoding(Request *r) {
  const char *name = flua_take_name_or_none(r);
  if (name && strcmp(name, "binary") == 0) name = NULL;
  r->out->read.line_type = name ? FASTIO_STRING : FASTIO_BINARY;
  set_flag(r, FASTIO_KEEP_BOM, !name);
  if (name && (strcmp(name, "utf-8") == 0 || strcmp(name, "utf8") == 0) && !(r->who & FLUA_READ_BYTES)) name = "auto";
  r->out->decode.encoding = name;
}

static void set_errors(Request *r) { r->out->decode.errors = flua_take_errors(r); }

static void set_partial(Request *r) {
  static const char *const words[] = {"emit", "hold", "error", NULL};
  static const int ways[] = {FASTIO_PARTIAL_EMIT, FASTIO_PARTIAL_HOLD, FASTIO_PARTIAL_ERROR};
  r->out->read.partial = ways[flua_take_word(r, words)];
}

/* ---- numbers ---- */

static void set_dtype(Request *r) {
  const char *name = flua_take_string(r, NULL);
  fastio_type type = fastio_type_from_name(name);
  bool is_float = type == FASTIO_FLOAT32 || type == FASTIO_FLOAT64;
  if (!type || type > FASTIO_FLOAT64) flua_reject(r, "the name of a number type expected, such as 'int64'");
  if (r->who & (FLUA_READ_FLOATS | FLUA_ITERATE_FLOATS | FLUA_ONE_FLOAT)) {
    if (!is_float) flua_reject(r, "'float64' or 'float32' expected");
  } else if (r->who & (FLUA_READ_INTS | FLUA_ONE_INT)) {
    if (is_float) flua_reject(r, "an integer type expected");
  } else if (type != FASTIO_INT64 && type != FASTIO_UINT64) {
    flua_reject(r, "'int64' or 'uint64' expected");
  }
  r->out->read.type = type;
}

static void set_sep(Request *r) { r->out->read.separator = flua_take_byte(r); }

static void set_comment(Request *r) { r->out->read.comment = flua_take_byte(r); }

static void set_base(Request *r) { r->out->read.base = (int)flua_take_count(r, 2, 36, "a base from 2 to 36"); }

static void set_overflow(Request *r) {
  static const char *const words[] = {"ieee", "error", NULL};
  set_flag(r, FASTIO_OVERFLOW_ERROR, flua_take_word(r, words) == 1);
}

/* shape = {rows, row_items}; -1 rows are as many as there are. */
static void set_shape(Request *r) {
  static const char expected[] = "{rows or -1, items of a row}";
  if (!lua_istable(r->L, -1) || flua_rawlen(r->L, -1) != 2) flua_complain(r, expected);
  lua_rawgeti(r->L, -1, 1);
  bool any = lua_isnumber(r->L, -1) && lua_tonumber(r->L, -1) == -1;
  r->out->read.rows = any ? 0 : flua_take_count(r, 1, UINT64_MAX, expected);
  lua_rawgeti(r->L, -2, 2);
  r->out->read.row_items = flua_take_count(r, 1, UINT64_MAX, expected);
  lua_pop(r->L, 2);
}

static void set_null_values(Request *r) { r->out->read.null_values = flua_take_texts(r, &r->out->read.null_count); }

/* ---- lines ---- */

static void set_newline(Request *r) {
  const char *name = flua_take_string(r, NULL);
  if (strcmp(name, "lf") == 0) {
    r->out->read.newline = FASTIO_NEWLINE_LF;
  } else if (strcmp(name, "any") == 0) {
    r->out->read.newline = FASTIO_NEWLINE_ANY;
  } else {
    r->out->read.newline = flua_take_byte(r);
  }
}

static void set_keepends(Request *r) { set_flag(r, FASTIO_KEEP_ENDS, flua_take_boolean(r)); }

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
  if (!flua_to_advice(flua_take_string(r, NULL), &advice))
    flua_reject(r, "'normal', 'sequential', 'random' or 'willneed' expected");
  r->out->map_flags = (r->out->map_flags & ~all) | advice;
}

static void set_map_flag(Request *r, unsigned flag) {
  r->out->map_flags = (r->out->map_flags & ~flag) | (flua_take_boolean(r) ? flag : 0);
}

static void set_populate(Request *r) { set_map_flag(r, FASTIO_MAP_POPULATE); }

static void set_huge(Request *r) { set_map_flag(r, FASTIO_MAP_HUGE); }

static void set_guard(Request *r) { set_map_flag(r, FASTIO_MAP_GUARD); }

static const Option all_options[] = {
    {"offset", READS | FLUA_LOAD, set_offset},
    {"length", READS | FLUA_LOAD, set_length},
    {"max_items", COLUMNS | FLUA_READ_LINES | FLUA_COUNT_LINES, set_max_items},
    {"threads", WHOLE | FLUA_CSV, set_threads},
    {"block_size", READS | FLUA_CSV, set_block_size},
    {"progress", READS | FLUA_CSV | FLUA_WRITE_ARRAY | FLUA_WRITE_CSV, set_progress},
    {"int64", NUMBERS | FLUA_CSV | FLUA_ONE_INT | FLUA_TIMESTAMP, set_int64},
    {"dtype", NUMBERS | FLUA_ONE_INT | FLUA_ONE_FLOAT, set_dtype},
    {"sep", NUMBERS, set_sep},
    {"comment", NUMBERS, set_comment},
    {"base", (NUMBERS & ~(unsigned)(FLUA_READ_FLOATS | FLUA_ITERATE_FLOATS)) | FLUA_ONE_INT | FLUA_DIGITS, set_base},
    {"overflow", FLUA_READ_FLOATS | FLUA_ITERATE_FLOATS | FLUA_OPEN, set_overflow},
    {"shape", COLUMNS, set_shape},
    {"null_values", COLUMNS, set_null_values},
    {"skip_lines", (READS & ~(unsigned)FLUA_READ_BYTES) | FLUA_CSV, set_skip_lines},
    {"compression", READS | FLUA_CSV, set_compression},
    {"trailing", READS | FLUA_CSV, set_trailing},
    {"max_size", READS | FLUA_CSV, set_max_size},
    {"encoding", READS | FLUA_CSV, set_encoding},
    {"errors", READS | FLUA_CSV, set_errors},
    {"partial", (READS & ~(unsigned)FLUA_READ_BYTES) | FLUA_READ_CSV | FLUA_OPEN_CSV, set_partial},
    {"newline", TEXTS | FLUA_COUNT_LINES | FLUA_CSV, set_newline},
    {"keepends", TEXTS, set_keepends},
    {"advice", FLUA_LOAD, set_advice},
    {"populate", FLUA_LOAD, set_populate},
    {"huge", FLUA_LOAD, set_huge},
    {"guard", FLUA_LOAD, set_guard},
    {NULL, 0, NULL},
};

/* Sets the option if the list has it for this function. True if the list knows the name at all. */
static bool set_from(Request *r, const Option *list, bool *is_set) {
  bool is_known = false;
  for (; list->name && !*is_set; list++) {
    if (strcmp(r->name, list->name) != 0) continue;
    is_known = true;
    if (!(list->who & r->who)) continue;
    list->set(r);
    *is_set = true;
  }
  return is_known;
}

static void set_option(Request *r) {
  bool is_set = false;
  bool is_known = set_from(r, all_options, &is_set);
  is_known |= set_from(r, flua_csv_options, &is_set);
  is_known |= set_from(r, flua_write_options, &is_set);
  if (is_set) return;
  if (is_known) luaL_error(r->L, "option '%s' does not apply to this function", r->name);
  luaL_error(r->L, "unknown option '%s'", r->name);
}

static void set_options(Request *r, int index) {
  lua_State *L = r->L;
  lua_pushnil(L);
  while (lua_next(L, index)) {
    if (lua_type(L, -2) != LUA_TSTRING) luaL_error(L, "the options table has a key that is no string");
    r->name = lua_tostring(L, -2);
    set_option(r);
    lua_pop(L, 1);
  }
}

/* dialect = {...}: options of their own, which those beside it override. It is looked at first, since a table has no
 * order. */
static void set_dialect(Request *r, int index) {
  lua_State *L = r->L;
  lua_pushliteral(L, "dialect");
  lua_rawget(L, index);
  if (lua_istable(L, -1)) {
    int dialect = lua_gettop(L);
    lua_pushliteral(L, "dialect");
    lua_rawget(L, dialect);
    if (!lua_isnil(L, -1)) luaL_error(L, "bad option 'dialect': it has a dialect of its own");
    lua_pop(L, 1);
    set_options(r, dialect);
  }
  lua_pop(L, 1);
}

void flua_options(lua_State *L, int index, int anchor, unsigned who, Options *out) {
  Request r = {L, NULL, who, anchor, out};
  memset(out, 0, sizeof *out);
  fastio_read_options_init(&out->read);
  fastio_decode_options_init(&out->decode);
  if (who & FLUA_COPY) out->decode.compression = out->decode.encoding = NULL; /* nothing is decoded unasked */
  out->map_flags = FASTIO_MAP_SEQUENTIAL;
  if (who & FLUA_BINARY) {
    out->read.line_type = FASTIO_BINARY;
    out->read.flags = FASTIO_KEEP_BOM;
    out->decode.encoding = NULL;
  }
  if (who & FLUA_CSV) flua_start_csv(out);
  flua_start_writing(out);
  if (!lua_isnoneornil(L, index)) {
    luaL_checktype(L, index, LUA_TTABLE);
    luaL_checkstack(L, 20, NULL);
    if (who & FLUA_CSV) set_dialect(&r, index);
    set_options(&r, index);
  }
  if (who & FLUA_CSV) flua_finish_csv(&r);
}
