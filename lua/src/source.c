/* What a Lua value means as a source. */
#include <stdio.h>

#include "flua.h"

/* ---- in protected mode (bridge.c): the anchor table is at 1 ---- */

/* object:read(n) -> a string of any length; "" or nil is the end; nil, message[, code] a failure, as for Lua's own
 * files. */
static void call_read(lua_State *L, Bridge *bridge) {
  Source *source = (Source *)bridge;
  lua_rawgeti(L, 1, FLUA_ANCHOR_SUBJECT);
  lua_getfield(L, -1, "read");
  lua_insert(L, -2);
  lua_pushinteger(L, (lua_Integer)source->wanted);
  lua_call(L, 2, 3);
  flua_check_answer(L, bridge, lua_gettop(L) - 2);
  if (lua_isnil(L, -3)) return;
  if (lua_type(L, -3) != LUA_TSTRING) luaL_error(L, "read returned a %s, not a string or nil", luaL_typename(L, -3));
  lua_pop(L, 2);
  source->piece = lua_tolstring(L, -1, &source->piece_size);
  lua_rawseti(L, 1, FLUA_ANCHOR_PIECE);
}

/* The texts of the table on the top, which the core then borrows. */
static void take_fields(lua_State *L, Source *source) {
  if (!lua_istable(L, -1)) luaL_error(L, "on_ragged returned a %s, not a table or nil", luaL_typename(L, -1));
  size_t count = flua_rawlen(L, -1);
  if (count != source->expected) {
    luaL_error(L, "on_ragged returned %d fields for %d columns", (int)count, (int)source->expected);
  }
  fastio_bytes *chosen = lua_newuserdata(L, (count + 1) * sizeof *chosen);
  lua_newtable(L);
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, -3, (int)(i + 1));
    chosen[i].data = lua_tolstring(L, -1, &chosen[i].size);
    if (!chosen[i].data) luaL_error(L, "on_ragged returned a %s as a field, not a string", luaL_typename(L, -1));
    lua_rawseti(L, -2, (int)(i + 1));
  }
  lua_rawseti(L, 1, FLUA_ANCHOR_TEXTS);
  lua_rawseti(L, 1, FLUA_ANCHOR_CHOSEN);
  source->chosen = chosen;
}

/* f(fields, expected) -> a table of the expected number of fields; nil or false drops the record. */
static void call_ragged(lua_State *L, Bridge *bridge) {
  Source *source = (Source *)bridge;
  lua_rawgeti(L, 1, FLUA_ANCHOR_RAGGED);
  lua_newtable(L);
  for (size_t i = 0; i < source->field_count; i++) {
    lua_pushlstring(L, source->fields[i].data, source->fields[i].size);
    lua_rawseti(L, -2, (int)(i + 1));
  }
  flua_push_count(L, source->expected);
  lua_call(L, 2, 1);
  source->chosen = NULL;
  if (lua_toboolean(L, -1)) take_fields(L, source);
}

/* ---- called by the core ---- */

static fastio_status read_lua(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  Source *source = ctx;
  *got = 0;
  if (source->piece_size == 0) {
    source->wanted = size;
    if (!flua_call_back(&source->bridge, call_read)) {
      flua_set_error(err, FASTIO_CALLBACK_FAILED, "the source's read failed");
      return FASTIO_CALLBACK_FAILED;
    }
    if (!flua_is_alive(&source->bridge, err)) return err->status;
  }
  *got = source->piece_size < size ? source->piece_size : size;
  if (*got) memcpy(data, source->piece, *got);
  source->piece += *got;
  source->piece_size -= *got;
  return FASTIO_OK;
}

static int ragged_lua(void *ctx, const fastio_bytes *fields, size_t count, size_t expected, const fastio_bytes **out) {
  Source *source = ctx;
  source->fields = fields;
  source->field_count = count;
  source->expected = expected;
  if (!flua_call_back(&source->bridge, call_ragged)) return -1;
  *out = source->chosen;
  return source->chosen != NULL;
}

/* ---- opening ---- */

static void set_path(lua_State *L, int anchor, const char *path) {
  lua_pushstring(L, path);
  lua_rawseti(L, anchor, FLUA_ANCHOR_PATH);
}

/* An item of a list lies behind the arguments; what is wrong is the first of those. */
static int refuse(lua_State *L, int index, const char *why) {
  return luaL_argerror(L, index > FLUA_OPTIONS + 1 ? FLUA_SOURCE : index, why);
}

static fastio_status open_path(lua_State *L, Source *source, int index, int anchor, const fastio_env *env,
                               fastio_error *err) {
  size_t size;
  const char *path = lua_tolstring(L, index, &size);
  if (strlen(path) != size) refuse(L, index, "the path has a NUL byte in it");
  set_path(L, anchor, strcmp(path, "-") == 0 ? "<stdin>" : path);
  return fastio_source_open(path, env, &source->handle, err);
}

static fastio_status open_fd(lua_State *L, Source *source, int index, int anchor, const fastio_env *env,
                             fastio_error *err) {
  char name[32];
  uint64_t fd;
  if (!flua_to_u64(L, index, &fd) || fd > INT32_MAX) refuse(L, index, "a file descriptor is an integer from 0");
  snprintf(name, sizeof name, "<fd %d>", (int)fd);
  set_path(L, anchor, name);
  return fastio_source_fd((int)fd, env, &source->handle, err);
}

static fastio_status open_data(lua_State *L, Source *source, int index, int anchor, const fastio_env *env,
                               fastio_error *err) {
  size_t size;
  lua_rawgeti(L, index, 1);
  const char *data = luaL_checklstring(L, -1, &size);
  lua_rawseti(L, anchor, FLUA_ANCHOR_SUBJECT);
  return fastio_source_memory(data, size, env, &source->handle, err);
}

static fastio_status open_stdio(lua_State *L, Source *source, int index, void *file, const fastio_env *env,
                                fastio_error *err) {
  FILE *stream = flua_file_of(file);
  if (!stream) refuse(L, index, "the file is closed");
  source->bridge.file = file;
  return fastio_source_stdio(stream, env, &source->handle, err);
}

static fastio_status open_map(lua_State *L, Source *source, int index, int anchor, const fastio_env *env,
                              fastio_error *err) {
  Map *map = lua_touserdata(L, index);
  if (!map->handle) refuse(L, index, "the map is closed");
  flua_getuservalue(L, index);
  lua_rawgeti(L, -1, FLUA_ANCHOR_PATH);
  lua_rawseti(L, anchor, FLUA_ANCHOR_PATH);
  lua_pop(L, 1);
  fastio_status status = fastio_source_map(map->handle, env, &source->handle, err);
  if (status) return status;
  source->map = map;
  map->readers++;
  return FASTIO_OK;
}

static fastio_status open_column(lua_State *L, Source *source, int index, const fastio_env *env, fastio_error *err) {
  const Column *column = flua_check_bytes_column(L, index);
  const char *data = (const char *)column->base->data + column->start;
  fastio_status status = fastio_source_memory(data, (size_t)column->length, env, &source->handle, err);
  if (status) return status;
  source->column = column->base;
  fastio_column_retain(column->base);
  return FASTIO_OK;
}

static fastio_status open_object(lua_State *L, Source *source, int index, const fastio_env *env, fastio_error *err) {
  fastio_device device = {source, read_lua, NULL};
  if (!flua_has_method(L, index, "read")) {
    lua_pushfstring(
        L, "a path, a file descriptor, a file, fastio.data(string) or an object with a read method expected, got %s",
        luaL_typename(L, index));
    refuse(L, index, lua_tostring(L, -1));
  }
  source->bridge.calls_lua = true;
  return fastio_source_device(&device, env, &source->handle, err);
}

static fastio_status open_any(lua_State *L, Source *source, int index, int anchor, const fastio_env *env,
                              fastio_error *err) {
  lua_pushvalue(L, index);
  lua_rawseti(L, anchor, FLUA_ANCHOR_SUBJECT);
  if (lua_type(L, index) == LUA_TSTRING) return open_path(L, source, index, anchor, env, err);
  if (lua_type(L, index) == LUA_TNUMBER) return open_fd(L, source, index, anchor, env, err);
  if (flua_is_type(L, index, FLUA_DATA)) return open_data(L, source, index, anchor, env, err);
  if (flua_is_type(L, index, FLUA_MAP)) return open_map(L, source, index, anchor, env, err);
  if (flua_is_type(L, index, FLUA_COLUMN)) return open_column(L, source, index, env, err);
  void *file = flua_to_file(L, index);
  if (file) return open_stdio(L, source, index, file, env, err);
  return open_object(L, source, index, env, err);
}

fastio_status flua_source_open(lua_State *L, Source *source, int index, int anchor, const Options *options,
                               fastio_error *err) {
  fastio_status status = open_any(L, source, index, anchor, options->read.env, err);
  return status ? status : fastio_source_decode(source->handle, &options->decode, err);
}

uint64_t flua_source_decode_errors(const Source *source) {
  fastio_decoded decoded;
  if (!source->handle) return 0;
  fastio_source_decoded(source->handle, &decoded);
  return decoded.errors;
}

void flua_source_set_poll(Source *source, Options *options) {
  source->bridge.has_progress = options->has_progress;
  source->bridge.has_bar = options->has_bar;
  source->bridge.unit = "MB";
  source->bridge.calls_lua = true;
  options->read.poll = options->csv.poll = flua_poll;
  options->read.poll_ctx = options->csv.poll_ctx = source;
  options->csv.ragged = ragged_lua;
  options->csv.ragged_ctx = source;
}

void flua_source_close(Source *source) {
  fastio_source_close(source->handle);
  source->handle = NULL;
  if (source->bridge.has_bar) flua_end_bar(&source->bridge);
  if (source->map) flua_map_release(source->map);
  source->map = NULL;
  if (source->column) fastio_column_free(source->column);
  source->column = NULL;
  source->piece_size = 0;
}

/* data(string) -> the string as data, where a plain string would be a path. */
static int data(lua_State *L) {
  luaL_checktype(L, 1, LUA_TSTRING);
  lua_createtable(L, 1, 0);
  lua_pushvalue(L, 1);
  lua_rawseti(L, -2, 1);
  flua_set_type(L, FLUA_DATA);
  return 1;
}

/* A call's source lives in a userdata, so that an error in between closes it. */
static int collect_call(lua_State *L) {
  flua_source_close(flua_check(L, 1, FLUA_CALL));
  return 0;
}

void flua_open_sources(lua_State *L) {
  static const luaL_Reg functions[] = {{"data", data}, {NULL, NULL}};
  static const luaL_Reg no_methods[] = {{NULL, NULL}};
  static const luaL_Reg call_methods[] = {{"__gc", collect_call}, {NULL, NULL}};
  flua_new_type(L, FLUA_DATA, "Data", no_methods, NULL, NULL);
  flua_new_type(L, FLUA_CALL, "Call", call_methods, NULL, NULL);
  flua_register(L, functions);
}
