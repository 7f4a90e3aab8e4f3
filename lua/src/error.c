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

/* The offending bytes, printable whatever they are. Returns the number of characters. */
static size_t escape(const fastio_error *err, char *out) {
  size_t size = 0;
  for (size_t i = 0; i < err->text_size; i++) {
    unsigned char c = err->text[i];
    if (c >= 0x20 && c < 0x7f && c != '\\') {
      out[size++] = (char)c;
    } else {
      size += (size_t)sprintf(out + size, "\\x%02x", c);
    }
  }
  out[size] = 0;
  return size;
}

static const char *text_of(const fastio_error *err) {
  if (err->status == FASTIO_OS_ERROR && err->os_error) return strerror(err->os_error);
  return err->message ? err->message : fastio_status_text(err->status);
}

/* "numbers.txt:3:5: not a number: '12abc'"; without a path "line 3, column 5: ..."; "path: text" without a place. */
static void push_message(lua_State *L, const fastio_error *err, int path) {
  char where[80] = "", bytes[FASTIO_ERROR_TEXT_MAX * 4 + 1];
  bool has_path = path && lua_isstring(L, path);
  if (err->line) {
    const char *format = has_path ? ":%" PRIu64 ":%" PRIu64 ": " : "line %" PRIu64 ", column %" PRIu64 ": ";
    snprintf(where, sizeof where, format, err->line, err->column);
  } else if (err->offset != FASTIO_NO_OFFSET) {
    snprintf(where, sizeof where, has_path ? ": byte %" PRIu64 ": " : "byte %" PRIu64 ": ", err->offset);
  } else if (has_path) {
    strcpy(where, ": ");
  }
  lua_pushfstring(L, "%s%s%s", has_path ? lua_tostring(L, path) : "", where, text_of(err));
  if (escape(err, bytes)) {
    lua_pushfstring(L, "%s: '%s'", lua_tostring(L, -1), bytes);
    lua_remove(L, -2);
  }
}

static void set_number(lua_State *L, const char *name, uint64_t value) {
  flua_push_count(L, value);
  lua_setfield(L, -2, name);
}

/* Only what is known: a field that is 0 stays out. */
static void set_place(lua_State *L, const fastio_error *err) {
  if (err->offset != FASTIO_NO_OFFSET) set_number(L, "offset", err->offset);
  if (err->line) set_number(L, "lineno", err->line);
  if (err->column) set_number(L, "colno", err->column);
  if (err->record) set_number(L, "record", err->record);
  if (err->field) set_number(L, "field", err->field);
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
  return err->status == FASTIO_INVALID_ARGUMENT || err->status == FASTIO_CLOSED || err->status == FASTIO_BUSY;
}

int flua_fail(lua_State *L, const fastio_error *err, int path) {
  if (is_misuse(err)) return luaL_error(L, "%s", text_of(err));
  push_info(L, err, path);
  return flua_fail_info(L);
}

int flua_raise(lua_State *L, const fastio_error *err, int path) {
  if (is_misuse(err)) return luaL_error(L, "%s", text_of(err));
  push_info(L, err, path);
  return lua_error(L);
}

int flua_error_tostring(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_getfield(L, 1, "message");
  if (!lua_isstring(L, -1)) lua_pushliteral(L, "fastio error");
  return 1;
}
