/* Failures, in the convention of Lua's io library and a bit more: nil, message, code, info; or the info table,
 * raised. */
#include <inttypes.h>
#include <stdio.h>

#include "flua.h"

void flua_set_error(fastio_error *err, fastio_status status, const char *message) {
  fastio_error_init(err);
  err->status = status;
  err->message = message;
}

/* Bytes as printable text, whatever they are: up to four characters for each. */
static void escape(const void *data, size_t size, char *out) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; i++) {
    unsigned char c = bytes[i];
    if (c >= 0x20 && c < 0x7f && c != '\\') {
      *out++ = (char)c;
    } else {
      out += sprintf(out, "\\x%02x", c);
    }
  }
  *out = 0;
}

const char *flua_error_text(const fastio_error *err) {
  if (err->status == FASTIO_OS_ERROR && err->os_error) return strerror(err->os_error);
  return err->message ? err->message : fastio_status_text(err->status);
}

/* ---- messages ---- */

static void add_number(luaL_Buffer *buffer, const char *before, uint64_t number) {
  char text[32];
  snprintf(text, sizeof text, "%" PRIu64, number);
  luaL_addstring(buffer, before);
  luaL_addstring(buffer, text);
}

static void add_text(luaL_Buffer *buffer, const fastio_error *err) {
  char bytes[FASTIO_ERROR_TEXT_MAX * 4 + 1];
  if (!err->text_size) return;
  escape(err->text, err->text_size, bytes);
  luaL_addstring(buffer, ": '");
  luaL_addstring(buffer, bytes);
  luaL_addchar(buffer, '\'');
}

/* ` (byte 24 of the archive)` */
static void add_raw_place(luaL_Buffer *buffer, const fastio_error *err) {
  if (err->raw_offset == FASTIO_NO_OFFSET) return;
  add_number(buffer, " (byte ", err->raw_offset);
  luaL_addstring(buffer, " of the archive)");
}

/* "numbers.txt:3:5: not a number: '12abc'"; without a path "line 3, column 5: ..."; "path: text" without a place. */
static void add_plain_message(luaL_Buffer *buffer, const fastio_error *err, const char *path) {
  if (path) luaL_addstring(buffer, path);
  if (err->line) {
    add_number(buffer, path ? ":" : "line ", err->line);
    add_number(buffer, path ? ":" : ", column ", err->column);
  } else if (err->offset != FASTIO_NO_OFFSET) {
    add_number(buffer, path ? ": byte " : "byte ", err->offset);
  }
  if (path || err->line || err->offset != FASTIO_NO_OFFSET) luaL_addstring(buffer, ": ");
  luaL_addstring(buffer, flua_error_text(err));
  add_text(buffer, err);
  add_raw_place(buffer, err);
}

/* The name of a column as a string of Lua. */
static void add_name(luaL_Buffer *buffer, const fastio_error *err) {
  char code[8];
  luaL_addchar(buffer, '"');
  for (size_t i = 0; i < err->field_name_size; i++) {
    unsigned char c = (unsigned char)err->field_name[i];
    if (c < 0x20 || c == 0x7f) {
      snprintf(code, sizeof code, "\\%03d", c);
      luaL_addstring(buffer, code);
    } else {
      if (c == '"' || c == '\\') luaL_addchar(buffer, '\\');
      luaL_addchar(buffer, (char)c);
    }
  }
  luaL_addchar(buffer, '"');
}

/* What is wrong: "3 fields where 2 are expected", or the core's words without its advice, which is ours to give. */
static void add_fault(luaL_Buffer *buffer, const fastio_error *err) {
  const char *text = flua_error_text(err);
  if (err->status == FASTIO_RAGGED && err->expected) {
    add_number(buffer, "", err->field);
    add_number(buffer, err->field == 1 ? " field where " : " fields where ", err->expected);
    luaL_addstring(buffer, err->expected == 1 ? " is expected" : " are expected");
  } else {
    luaL_addlstring(buffer, text, err->status == FASTIO_BAD_HEADER ? strcspn(text, ";") : strlen(text));
  }
}

/* ` in column "a"`, or `: "a"` of the header. The field of a ragged record is how many it has. */
static void add_column(luaL_Buffer *buffer, const fastio_error *err) {
  if (err->status == FASTIO_RAGGED) return;
  if (err->field_name_size) {
    luaL_addstring(buffer, err->status == FASTIO_BAD_HEADER ? ": " : " in column ");
    add_name(buffer, err);
  } else if (err->field) {
    add_number(buffer, err->status == FASTIO_BAD_HEADER ? ": field " : " in field ", err->field);
  }
}

/* `, record 2 (line 3, column 5, offset 14)` */
static void add_place(luaL_Buffer *buffer, const fastio_error *err) {
  if (err->record) add_number(buffer, ", record ", err->record);
  if (err->offset == FASTIO_NO_OFFSET) return;
  if (err->line) {
    add_number(buffer, " (line ", err->line);
    add_number(buffer, ", column ", err->column);
  }
  add_number(buffer, err->line ? ", offset " : " (offset ", err->offset);
  luaL_addchar(buffer, ')');
}

static bool is_identifier(const fastio_error *err) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", digits[] = "0123456789";
  for (size_t i = 0; i < err->field_name_size; i++) {
    if (!memchr(letters, err->field_name[i], sizeof letters - 1) &&
        (i == 0 || !memchr(digits, err->field_name[i], sizeof digits - 1)))
      return false;
  }
  return true;
}

/* `; dtype = {a = "string"} or on_bad = "null" would accept it`, as it may be pasted: {["a b"] = ...} and, where the
 * name is not known as a whole, {[1] = ...} too. */
static void add_cell_advice(luaL_Buffer *buffer, const fastio_error *err) {
  bool is_whole = err->field_name_size && err->field_name_size < FASTIO_ERROR_TEXT_MAX;
  luaL_addstring(buffer, "; dtype = {");
  if (!is_whole) {
    add_number(buffer, "[", err->field);
    luaL_addchar(buffer, ']');
  } else if (is_identifier(err)) {
    luaL_addlstring(buffer, err->field_name, err->field_name_size);
  } else {
    luaL_addchar(buffer, '[');
    add_name(buffer, err);
    luaL_addchar(buffer, ']');
  }
  luaL_addstring(buffer, " = \"string\"} or on_bad = \"null\" would accept it");
}

/* What would let the table be read nevertheless. */
static void add_advice(luaL_Buffer *buffer, const fastio_error *err) {
  switch (err->status) {
    case FASTIO_BAD_TOKEN:
    case FASTIO_OUT_OF_RANGE:
    case FASTIO_EMPTY_FIELD:
      if (err->field) add_cell_advice(buffer, err);
      break;
    case FASTIO_RAGGED:
      luaL_addstring(buffer, "; on_ragged = ");
      luaL_addstring(buffer, err->field < err->expected ? "\"pad\"" : "\"truncate\"");
      luaL_addstring(buffer, ", \"fit\", \"skip\" or a function would accept it");
      break;
    case FASTIO_BAD_QUOTE: luaL_addstring(buffer, "; quote_mode = \"literal\" or quote = false may accept it"); break;
    case FASTIO_BAD_HEADER:
      if (err->source > 1) break; /* it differs from the first one's, which was accepted */
      luaL_addstring(buffer, "; repair_names = true, names = {...} or header = false would accept it");
      break;
    default: break;
  }
}

static bool is_of_table(const fastio_error *err) {
  return err->record || err->field || err->field_name_size || err->status == FASTIO_RAGGED ||
         err->status == FASTIO_BAD_QUOTE || err->status == FASTIO_BAD_HEADER;
}

static void add_table_message(luaL_Buffer *buffer, const fastio_error *err, const char *path) {
  if (path) luaL_addstring(buffer, path);
  if (path) luaL_addstring(buffer, ": ");
  add_fault(buffer, err);
  add_column(buffer, err);
  add_place(buffer, err);
  if (err->status != FASTIO_BAD_HEADER) add_text(buffer, err);
  add_advice(buffer, err);
}

static void push_message(lua_State *L, const fastio_error *err, int path) {
  luaL_Buffer buffer;
  const char *name = path && lua_isstring(L, path) ? lua_tostring(L, path) : NULL;
  luaL_buffinit(L, &buffer);
  if (is_of_table(err)) {
    add_table_message(&buffer, err, name);
  } else {
    add_plain_message(&buffer, err, name);
  }
  luaL_pushresult(&buffer);
}

static void set_number(lua_State *L, const char *name, uint64_t value) {
  flua_push_count(L, value);
  lua_setfield(L, -2, name);
}

/* Only what is known: a field that is 0 stays out. */
static void set_place(lua_State *L, const fastio_error *err) {
  if (err->offset != FASTIO_NO_OFFSET) set_number(L, "offset", err->offset);
  if (err->raw_offset != FASTIO_NO_OFFSET) set_number(L, "raw_offset", err->raw_offset);
  if (err->source) set_number(L, "source", err->source);
  if (err->line) set_number(L, "lineno", err->line);
  if (err->column) set_number(L, "colno", err->column);
  if (err->record) set_number(L, "record", err->record);
  if (err->field_name_size) {
    lua_pushlstring(L, err->field_name, err->field_name_size);
    lua_setfield(L, -2, "field");
  } else if (err->field) {
    set_number(L, "field", err->field);
  }
  if (err->text_size) {
    lua_pushlstring(L, (const char *)err->text, err->text_size);
    lua_setfield(L, -2, "text");
  }
}

static void push_info(lua_State *L, const fastio_error *err, int path) {
  lua_createtable(L, 0, 9);
  push_message(L, err, path);
  lua_setfield(L, -2, "message");
  lua_pushstring(L, fastio_status_name(err->status));
  lua_setfield(L, -2, "status");
  if (err->os_error) {
    lua_pushinteger(L, err->os_error);
    lua_setfield(L, -2, "errno");
  }
  if (path && !lua_isnil(L, path)) {
    lua_pushvalue(L, path);
    lua_setfield(L, -2, "path");
  }
  set_place(L, err);
  flua_set_type(L, FLUA_ERROR);
}

void flua_push_foreign_info(lua_State *L, int message, int code) {
  lua_createtable(L, 0, 3);
  lua_pushvalue(L, message);
  lua_setfield(L, -2, "message");
  lua_pushstring(L, fastio_status_name(FASTIO_CALLBACK_FAILED));
  lua_setfield(L, -2, "status");
  if (lua_type(L, code) == LUA_TNUMBER) {
    lua_pushvalue(L, code);
    lua_setfield(L, -2, "errno");
  }
  flua_set_type(L, FLUA_ERROR);
}

int flua_fail_info(lua_State *L) {
  if (flua_state(L)->strict) return lua_error(L);
  int info = lua_gettop(L);
  lua_pushnil(L);
  lua_getfield(L, info, "message");
  lua_getfield(L, info, "errno");
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_getfield(L, info, "status");
  }
  lua_pushvalue(L, info);
  return 4;
}

/* What the program, not the data, did wrong. */
static bool is_misuse(const fastio_error *err) {
  return (err->status == FASTIO_INVALID_ARGUMENT && !err->record) || err->status == FASTIO_CLOSED ||
         err->status == FASTIO_BUSY;
}

/* Options that contradict each other or the table: `bad options: there is no such column: "a"`. */
static int raise_misuse(lua_State *L, const fastio_error *err) {
  luaL_Buffer buffer;
  luaL_where(L, 1);
  luaL_buffinit(L, &buffer);
  if (err->status == FASTIO_INVALID_ARGUMENT) luaL_addstring(&buffer, "bad options: ");
  luaL_addstring(&buffer, flua_error_text(err));
  if (err->field_name_size) {
    luaL_addstring(&buffer, ": ");
    add_name(&buffer, err);
  } else if (err->field) {
    add_number(&buffer, ": position ", err->field);
  }
  luaL_pushresult(&buffer);
  lua_concat(L, 2);
  return lua_error(L);
}

int flua_fail(lua_State *L, const fastio_error *err, int path) {
  if (is_misuse(err)) return raise_misuse(L, err);
  push_info(L, err, path);
  return flua_fail_info(L);
}

int flua_raise(lua_State *L, const fastio_error *err, int path) {
  if (is_misuse(err)) return raise_misuse(L, err);
  push_info(L, err, path);
  return lua_error(L);
}

int flua_error_tostring(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_getfield(L, 1, "message");
  if (!lua_isstring(L, -1)) lua_pushliteral(L, "fastio error");
  return 1;
}
