/* The options of what writes, and of formats. */
#include <limits.h>

#include "options.h"

#define ARRAYS (FLUA_WRITE_ARRAY | FLUA_WRITE_LINES)
#define BULK (FLUA_WRITE_ARRAY | FLUA_WRITE_CSV)

/* The string on the top, kept. */
static fastio_bytes take_text(const Request *r) {
  fastio_bytes text;
  text.data = flua_take_string(r, &text.size);
  lua_pushvalue(r->L, -1);
  flua_keep(r);
  return text;
}

/* ---- where to ---- */

int flua_to_mode(const char *word) {
  static const char *const words[] = {"w", "a", "x"};
  static const int modes[] = {FASTIO_TRUNCATE, FASTIO_APPEND, FASTIO_EXCLUSIVE};
  for (int i = 0; i < 3; i++) {
    bool has_suffix = word[0] && (word[1] == 'b' || word[1] == 't') && !word[2];
    if (word[0] == words[i][0] && (!word[1] || has_suffix)) return modes[i];
  }
  return -1;
}

static void set_mode(Request *r) {
  r->out->write.mode = flua_to_mode(flua_take_string(r, NULL));
  if (r->out->write.mode < 0) flua_reject(r, "'w', 'a' or 'x' expected");
}

static void set_write_flag(const Request *r, unsigned flag) {
  unsigned *flags = &r->out->write.flags;
  *flags = flua_take_boolean(r) ? *flags | flag : *flags & ~flag;
}

static void set_atomic(Request *r) { set_write_flag(r, FASTIO_WRITE_ATOMIC); }

static void set_sync(Request *r) { set_write_flag(r, FASTIO_WRITE_SYNC); }

static void set_locked(Request *r) { set_write_flag(r, FASTIO_WRITE_LOCKED); }

static void set_buffering(Request *r) {
  static const char *const words[] = {"auto", "full", "line", "none", NULL};
  static const int kinds[] = {FASTIO_BUFFER_AUTO, FASTIO_BUFFER_FULL, FASTIO_BUFFER_LINES, FASTIO_BUFFER_NONE};
  r->out->write.buffering = kinds[flua_take_word(r, words)];
}

static void set_buffer_size(Request *r) {
  r->out->write.buffer_size = (size_t)flua_take_count(r, 1, SIZE_MAX, "a number of bytes, 1 or more,");
}

static void set_permissions(Request *r) {
  r->out->write.permissions = (unsigned)flua_take_count(r, 1, 07777, "permissions, such as tonumber(\"644\", 8),");
}

static void set_compression(Request *r) { r->out->write.compression = flua_take_name_or_none(r); }

static void set_level(Request *r) {
  r->out->write.level = flua_take_int(r, INT_MIN, INT_MAX, "a level of compression");
}

static void set_encoding(Request *r) { r->out->write.encoding = flua_take_name_or_none(r); }

static void set_errors(Request *r) { r->out->write.errors = flua_take_errors(r); }

static void set_write_threads(Request *r) {
  r->out->write.threads = (unsigned)flua_take_count(r, 1, UINT_MAX, "a number of threads, 1 or more,");
}

/* ---- copy ---- */

static void set_source_compression(Request *r) { r->out->decode.compression = flua_take_name_or_none(r); }

static void set_source_encoding(Request *r) { r->out->decode.encoding = flua_take_name_or_none(r); }

static void set_both_errors(Request *r) { r->out->write.errors = r->out->decode.errors = flua_take_errors(r); }

static void set_length(Request *r) { r->out->read.length = flua_take_count(r, 0, UINT64_MAX, "a number of bytes"); }

/* ---- arrays and lines ---- */

static void set_array_sep(Request *r) { r->out->array.separator = take_text(r); }

static void set_end(Request *r) { r->out->array.end = take_text(r); }

static void set_array_null(Request *r) {
  r->out->array.null_text = take_text(r);
  r->out->has_null = true;
}

static void set_threads(Request *r) {
  unsigned threads = (unsigned)flua_take_count(r, 1, UINT_MAX, "a number of threads, 1 or more,");
  r->out->array.threads = r->out->csv_out.threads = r->out->write.threads = threads;
}

static void set_block_size(Request *r) {
  size_t size = (size_t)flua_take_count(r, 1, SIZE_MAX, "a number of bytes, 1 or more,");
  r->out->array.block_size = r->out->csv_out.block_size = size;
}

static const Format *take_format(Request *r) {
  const Format *format = flua_to_format(r->L, -1);
  if (!format) flua_complain(r, "a format, such as fastio.fixed(2),");
  lua_pushvalue(r->L, -1);
  flua_keep(r);
  return format;
}

/* One format, or a list of one for each column. */
static void set_array_format(Request *r) {
  fastio_array_options *array = &r->out->array;
  bool is_list = lua_istable(r->L, -1);
  int given = lua_gettop(r->L);
  array->format_count = is_list ? flua_rawlen(r->L, given) : 1;
  fastio_format *formats = flua_keep_memory(r, array->format_count * sizeof *formats);
  for (size_t i = 0; i < array->format_count; i++) {
    if (is_list) {
      lua_rawgeti(r->L, given, (int)(i + 1));
    } else {
      lua_pushvalue(r->L, given);
    }
    formats[i] = take_format(r)->how;
    lua_pop(r->L, 1);
  }
  array->formats = formats;
}

/* ---- tables ---- */

static void set_csv_sep(Request *r) {
  r->out->csv_out.separator = take_text(r);
  if (!r->out->csv_out.separator.size) flua_reject(r, "one or more bytes expected");
}

static void set_eol(Request *r) { r->out->csv_out.end = take_text(r); }

static void set_names(Request *r) {
  if (!lua_istable(r->L, -1)) flua_complain(r, "a list of names");
  lua_pushvalue(r->L, -1);
  lua_rawseti(r->L, r->anchor, FLUA_ANCHOR_NAMES);
}

/* true, false, or the names. */
static void set_header(Request *r) {
  if (lua_istable(r->L, -1)) {
    set_names(r);
  } else {
    r->out->csv_out.header = flua_take_boolean(r);
  }
}

static void set_quoting(Request *r) {
  static const char *const words[] = {"minimal", "strings", "all", "never", NULL};
  static const int kinds[] = {FASTIO_QUOTING_MINIMAL, FASTIO_QUOTING_STRINGS, FASTIO_QUOTING_ALL, FASTIO_QUOTING_NEVER};
  r->out->csv_out.quoting = kinds[flua_take_word(r, words)];
}

static void set_quote(Request *r) { r->out->csv_out.quote = flua_take_byte(r); }

static void set_escape(Request *r) {
  bool is_none = lua_isboolean(r->L, -1) && !lua_toboolean(r->L, -1);
  r->out->csv_out.escape = is_none ? FASTIO_NONE : flua_take_byte(r);
}

static void set_csv_null(Request *r) { r->out->csv_out.null_text = take_text(r); }

static void set_nan(Request *r) { r->out->csv_out.nan_text = take_text(r); }

static void set_true(Request *r) { r->out->csv_out.true_text = take_text(r); }

static void set_false(Request *r) { r->out->csv_out.false_text = take_text(r); }

/* One format; a list of them; or by name. What the columns are is not known yet. */
static void set_csv_format(Request *r) {
  if (!flua_to_format(r->L, -1) && !lua_istable(r->L, -1)) flua_complain(r, "a format or a table of formats");
  lua_pushvalue(r->L, -1);
  lua_rawseti(r->L, r->anchor, FLUA_ANCHOR_FORMATS);
}

/* ---- formats ---- */

static void set_format_flag(const Request *r, unsigned flag) {
  unsigned *flags = &r->out->made.how.flags;
  *flags = flua_take_boolean(r) ? *flags | flag : *flags & ~flag;
}

static void set_upper(Request *r) { set_format_flag(r, FASTIO_FORMAT_UPPER); }

static void set_prefix(Request *r) { set_format_flag(r, FASTIO_FORMAT_PREFIX); }

static void set_percent(Request *r) { set_format_flag(r, FASTIO_FORMAT_PERCENT); }

static void set_keep_point(Request *r) { set_format_flag(r, FASTIO_FORMAT_KEEP_POINT); }

static void set_sign(Request *r) {
  static const char *const words[] = {"-", "+", " ", NULL};
  static const unsigned flags[] = {0, FASTIO_FORMAT_PLUS, FASTIO_FORMAT_BLANK};
  r->out->made.how.flags |= flags[flua_take_word(r, words)];
}

static void set_align(Request *r) {
  static const char *const words[] = {"right", "left", "center", "internal", NULL};
  static const unsigned flags[] = {FASTIO_FORMAT_RIGHT, FASTIO_FORMAT_LEFT, FASTIO_FORMAT_CENTER,
                                   FASTIO_FORMAT_INTERNAL};
  r->out->made.how.flags |= flags[flua_take_word(r, words)];
}

static void set_width(Request *r) {
  r->out->made.how.width = (unsigned)flua_take_count(r, 0, FASTIO_WIDTH_MAX, "a width, 0 to 100000,");
}

static void set_fill(Request *r) { r->out->made.how.fill = (char)flua_take_byte(r); }

static void set_base(Request *r) { r->out->made.how.base = (int)flua_take_count(r, 2, 36, "a base from 2 to 36"); }

/* A short text of the table on the top. */
static void take_mark(const Request *r, const char *name, char out[8]) {
  size_t size;
  lua_getfield(r->L, -1, name);
  if (!lua_isnil(r->L, -1)) {
    const char *text = flua_take_string(r, &size);
    if (size > 7 || strlen(text) != size) flua_reject(r, "point and group have up to 7 bytes");
    memcpy(out, text, size + 1);
  }
  lua_pop(r->L, 1);
}

static void take_grouping(const Request *r, unsigned char out[4]) {
  lua_getfield(r->L, -1, "grouping");
  if (!lua_isnil(r->L, -1)) {
    if (!lua_istable(r->L, -1) || flua_rawlen(r->L, -1) > 4) flua_reject(r, "grouping has up to 4 sizes");
    for (int i = 0; i < (int)flua_rawlen(r->L, -1); i++) {
      lua_rawgeti(r->L, -1, i + 1);
      out[i] = (unsigned char)flua_take_count(r, 1, UCHAR_MAX, "sizes of groups, 1 to 255,");
      lua_pop(r->L, 1);
    }
  }
  lua_pop(r->L, 1);
}

/* {point = ",", group = ".", grouping = {3}} */
static void set_locale(Request *r) {
  static const char *const known[] = {"point", "group", "grouping", NULL};
  Format *made = &r->out->made;
  if (!lua_istable(r->L, -1)) flua_complain(r, "a table of point, group and grouping");
  for (lua_pushnil(r->L); lua_next(r->L, -2); lua_pop(r->L, 1)) {
    int i = 0;
    while (known[i] && (lua_type(r->L, -2) != LUA_TSTRING || strcmp(lua_tostring(r->L, -2), known[i]) != 0)) i++;
    if (!known[i]) flua_reject(r, "a table of point, group and grouping expected");
  }
  take_mark(r, "point", made->locale.point);
  take_mark(r, "group", made->locale.group);
  take_grouping(r, made->locale.grouping);
  made->how.locale = &made->locale;
}

const Option flua_write_options[] = {
    {"mode", FLUA_MODE, set_mode},
    {"atomic", FLUA_DEST, set_atomic},
    {"sync", FLUA_DEST, set_sync},
    {"locked", FLUA_DEST, set_locked},
    {"buffering", FLUA_DEST, set_buffering},
    {"buffer_size", FLUA_DEST, set_buffer_size},
    {"permissions", FLUA_DEST, set_permissions},
    {"compression", FLUA_DEST, set_compression},
    {"level", FLUA_DEST, set_level},
    {"encoding", FLUA_DEST, set_encoding},
    {"source_compression", FLUA_COPY, set_source_compression},
    {"source_encoding", FLUA_COPY, set_source_encoding},
    {"errors", FLUA_COPY, set_both_errors},
    {"errors", FLUA_DEST, set_errors},
    {"length", FLUA_COPY, set_length},
    {"sep", FLUA_WRITE_ARRAY, set_array_sep},
    {"end", ARRAYS, set_end},
    {"eol", ARRAYS, set_end},
    {"null", FLUA_WRITE_ARRAY, set_array_null},
    {"format", FLUA_WRITE_ARRAY, set_array_format},
    {"threads", BULK, set_threads},
    {"threads", FLUA_DEST, set_write_threads},
    {"block_size", BULK, set_block_size},
    {"sep", FLUA_WRITE_CSV, set_csv_sep},
    {"eol", FLUA_WRITE_CSV, set_eol},
    {"header", FLUA_WRITE_CSV, set_header},
    {"names", FLUA_WRITE_CSV, set_names},
    {"quoting", FLUA_WRITE_CSV, set_quoting},
    {"quote", FLUA_WRITE_CSV, set_quote},
    {"escape", FLUA_WRITE_CSV, set_escape},
    {"null", FLUA_WRITE_CSV, set_csv_null},
    {"nan", FLUA_WRITE_CSV, set_nan},
    {"true", FLUA_WRITE_CSV, set_true},
    {"false", FLUA_WRITE_CSV, set_false},
    {"format", FLUA_WRITE_CSV, set_csv_format},
    {"base", FLUA_MAKE_FORMAT, set_base},
    {"sign", FLUA_MAKE_FORMAT, set_sign},
    {"upper", FLUA_MAKE_FORMAT, set_upper},
    {"prefix", FLUA_MAKE_FORMAT, set_prefix},
    {"align", FLUA_MAKE_FORMAT, set_align},
    {"width", FLUA_MAKE_FORMAT, set_width},
    {"fill", FLUA_MAKE_FORMAT, set_fill},
    {"percent", FLUA_MAKE_FORMAT, set_percent},
    {"keep_point", FLUA_MAKE_FORMAT, set_keep_point},
    {"locale", FLUA_MAKE_FORMAT, set_locale},
    {NULL, 0, NULL},
};

void flua_start_writing(Options *out) {
  fastio_write_options_init(&out->write);
  fastio_array_options_init(&out->array);
  fastio_csv_write_options_init(&out->csv_out);
}
