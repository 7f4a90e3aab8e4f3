/* What a Lua value means as a source, and the way back from the core into Lua code.
 *
 * The core calls back for two things: the bytes of a Lua object with a `read` method, and progress. Lua code may
 * raise an error, and a raised error must not jump over the core's frames. So every callback runs one C function in
 * protected mode, which was pushed beforehand (nothing is allocated outside of protection), and stashes what was
 * raised in a stack slot. */
#include <stdio.h>

#include "flua.h"

enum { KIND_PATH, KIND_FD, KIND_DATA, KIND_FILE, KIND_OBJECT, KIND_MAP, KIND_COLUMN };
enum { JOB_POLL, JOB_READ };
enum { SLOT_FAILURE, SLOT_FUNCTION, SLOT_ANCHOR, SLOT_COUNT };

static const char nothing_key; /* the registry key of an empty Lua function */

/* ---- in protected mode: (anchor table, light userdata) ---- */

/* f(done, total or nil); false cancels. */
static void call_progress(lua_State *L, Source *source) {
  lua_rawgeti(L, 1, FLUA_ANCHOR_PROGRESS);
  flua_push_count(L, source->done);
  if (source->total == FASTIO_NO_OFFSET) {
    lua_pushnil(L);
  } else {
    flua_push_count(L, source->total);
  }
  lua_call(L, 2, 1);
  source->cancelled = lua_isboolean(L, -1) && !lua_toboolean(L, -1);
}

/* object:read(n) -> a string of any length; "" or nil is the end; nil, message[, code] a failure, as for Lua's own
 * files. */
static void call_read(lua_State *L, Source *source) {
  lua_rawgeti(L, 1, FLUA_ANCHOR_SUBJECT);
  lua_getfield(L, -1, "read");
  lua_insert(L, -2);
  lua_pushinteger(L, (lua_Integer)source->wanted);
  lua_call(L, 2, 3);
  if (lua_isnil(L, -3)) {
    if (lua_isnil(L, -2)) return;
    source->foreign = true;
    flua_push_foreign_info(L, lua_gettop(L) - 1, lua_gettop(L));
    lua_error(L);
  }
  if (lua_type(L, -3) != LUA_TSTRING) luaL_error(L, "read returned a %s, not a string or nil", luaL_typename(L, -3));
  lua_pop(L, 2);
  source->piece = lua_tolstring(L, -1, &source->piece_size);
  lua_rawseti(L, 1, FLUA_ANCHOR_PIECE);
}

/* Runs nothing, in Lua code: a place where a debug hook can raise its error, and with it Ctrl-C in the stand-alone
 * interpreter, which sets a hook. PUC's Lua looks for hooks at every call, LuaJIT only in Lua code. */
static void call_nothing(lua_State *L) {
  lua_pushlightuserdata(L, (void *)&nothing_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  lua_call(L, 0, 0);
}

static int run_job(lua_State *L) {
  Source *source = lua_touserdata(L, 2);
  if (source->job == JOB_READ) {
    call_read(L, source);
  } else if (source->has_progress) {
    call_progress(L, source);
  } else {
    call_nothing(L);
  }
  return 0;
}

/* ---- called by the core ---- */

static bool run_protected(Source *source, int job) {
  lua_State *L = source->L;
  source->job = job;
  source->foreign = false;
  lua_pushvalue(L, source->slots + SLOT_FUNCTION);
  lua_pushvalue(L, source->slots + SLOT_ANCHOR);
  lua_pushlightuserdata(L, source);
  if (lua_pcall(L, 2, 0, 0) == 0) return true;
  lua_replace(L, source->slots + SLOT_FAILURE);
  source->failed = true;
  return false;
}

/* The job runs even without a progress function: see call_nothing. */
static int poll_lua(void *ctx, uint64_t done, uint64_t total) {
  Source *source = ctx;
  fastio_error ignored;
  if (source->has_bar) flua_draw_bar(source, done, total);
  source->done = done;
  source->total = total;
  return !run_protected(source, JOB_POLL) || source->cancelled || !flua_source_is_alive(source, &ignored);
}

static fastio_status read_lua(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  Source *source = ctx;
  *got = 0;
  if (source->piece_size == 0) {
    source->wanted = size;
    if (!run_protected(source, JOB_READ)) {
      flua_set_error(err, FASTIO_CALLBACK_FAILED, "the source's read failed");
      return FASTIO_CALLBACK_FAILED;
    }
  }
  *got = source->piece_size < size ? source->piece_size : size;
  if (*got) memcpy(data, source->piece, *got);
  source->piece += *got;
  source->piece_size -= *got;
  return FASTIO_OK;
}

void flua_enter(lua_State *L, Source *source, int anchor) {
  source->failed = source->cancelled = false;
  source->L = L;
  source->slots = lua_gettop(L) + 1;
  luaL_checkstack(L, SLOT_COUNT + 3, NULL);
  lua_pushnil(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, run_job, 1);
  lua_pushvalue(L, anchor);
  source->busy = true; /* last: the lines above may raise */
}

void flua_leave(Source *source) {
  source->busy = false;
  lua_settop(source->L, source->slots - !source->failed);
}

int flua_callback_failed(lua_State *L, Source *source) { return source->foreign ? flua_fail_info(L) : lua_error(L); }

/* ---- opening ---- */

#if LUA_VERSION_NUM >= 502
static FILE *open_file_of(const void *file) {
  const luaL_Stream *stream = file;
  return stream->closef ? stream->f : NULL;
}
#else
static FILE *open_file_of(const void *file) { return *(FILE *const *)file; }
#endif

bool flua_source_is_alive(const Source *source, fastio_error *err) {
  if (source->kind != KIND_FILE || open_file_of(source->file)) return true;
  flua_set_error(err, FASTIO_CLOSED, "the file of this reader was closed");
  return false;
}

static void *to_file(lua_State *L, int index) {
  void *file = lua_touserdata(L, index);
  if (!file || !lua_getmetatable(L, index)) return NULL;
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_FILEHANDLE);
  bool is = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return is ? file : NULL;
}

static bool has_read(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TTABLE && lua_type(L, index) != LUA_TUSERDATA) return false;
  lua_getfield(L, index, "read");
  bool has = lua_isfunction(L, -1);
  if (!has && luaL_getmetafield(L, -1, "__call")) {
    has = true;
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return has;
}

static void set_path(lua_State *L, int anchor, const char *path) {
  lua_pushstring(L, path);
  lua_rawseti(L, anchor, FLUA_ANCHOR_PATH);
}

static fastio_status open_path(lua_State *L, Source *source, int index, int anchor, const fastio_env *env,
                               fastio_error *err) {
  size_t size;
  const char *path = lua_tolstring(L, index, &size);
  if (strlen(path) != size) luaL_argerror(L, index, "the path has a NUL byte in it");
  source->kind = KIND_PATH;
  set_path(L, anchor, strcmp(path, "-") == 0 ? "<stdin>" : path);
  return fastio_source_open(path, env, &source->handle, err);
}

static fastio_status open_fd(lua_State *L, Source *source, int index, int anchor, const fastio_env *env,
                             fastio_error *err) {
  char name[32];
  uint64_t fd;
  if (!flua_to_u64(L, index, &fd) || fd > INT32_MAX) luaL_argerror(L, index, "a file descriptor is an integer from 0");
  source->kind = KIND_FD;
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
  source->kind = KIND_DATA;
  return fastio_source_memory(data, size, env, &source->handle, err);
}

static fastio_status open_stdio(lua_State *L, Source *source, int index, void *file, const fastio_env *env,
                                fastio_error *err) {
  FILE *stream = open_file_of(file);
  if (!stream) luaL_argerror(L, index, "the file is closed");
  source->kind = KIND_FILE;
  source->file = file;
  return fastio_source_stdio(stream, env, &source->handle, err);
}

static fastio_status open_map(lua_State *L, Source *source, int index, int anchor, const fastio_env *env,
                              fastio_error *err) {
  Map *map = lua_touserdata(L, index);
  if (!map->handle) luaL_argerror(L, index, "the map is closed");
  source->kind = KIND_MAP;
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
  source->kind = KIND_COLUMN;
  fastio_status status = fastio_source_memory(data, (size_t)column->length, env, &source->handle, err);
  if (status) return status;
  source->column = column->base;
  fastio_column_retain(column->base);
  return FASTIO_OK;
}

static fastio_status open_object(lua_State *L, Source *source, int index, const fastio_env *env, fastio_error *err) {
  fastio_device device = {source, read_lua, NULL};
  if (!has_read(L, index)) {
    lua_pushfstring(
        L, "a path, a file descriptor, a file, fastio.data(string) or an object with a read method expected, got %s",
        luaL_typename(L, index));
    luaL_argerror(L, index, lua_tostring(L, -1));
  }
  source->kind = KIND_OBJECT;
  source->calls_lua = true;
  return fastio_source_device(&device, env, &source->handle, err);
}

fastio_status flua_source_open(lua_State *L, Source *source, int index, int anchor, const Options *options,
                               fastio_error *err) {
  const fastio_env *env = options->read.env;
  lua_pushvalue(L, index);
  lua_rawseti(L, anchor, FLUA_ANCHOR_SUBJECT);
  if (lua_type(L, index) == LUA_TSTRING) return open_path(L, source, index, anchor, env, err);
  if (lua_type(L, index) == LUA_TNUMBER) return open_fd(L, source, index, anchor, env, err);
  if (flua_is_type(L, index, FLUA_DATA)) return open_data(L, source, index, anchor, env, err);
  if (flua_is_type(L, index, FLUA_MAP)) return open_map(L, source, index, anchor, env, err);
  if (flua_is_type(L, index, FLUA_COLUMN)) return open_column(L, source, index, env, err);
  void *file = to_file(L, index);
  if (file) return open_stdio(L, source, index, file, env, err);
  return open_object(L, source, index, env, err);
}

void flua_source_set_poll(Source *source, Options *options) {
  source->has_progress = options->has_progress;
  source->has_bar = options->has_bar;
  source->calls_lua = true;
  options->read.poll = poll_lua;
  options->read.poll_ctx = source;
}

void flua_source_close(Source *source) {
  fastio_source_close(source->handle);
  source->handle = NULL;
  if (source->has_bar) flua_end_bar(source);
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
  lua_pushlightuserdata(L, (void *)&nothing_key);
  if (luaL_loadstring(L, "") != 0) lua_error(L);
  lua_rawset(L, LUA_REGISTRYINDEX);
  flua_new_type(L, FLUA_DATA, "Data", no_methods, NULL, NULL);
  flua_new_type(L, FLUA_CALL, "Call", call_methods, NULL, NULL);
  flua_register(L, functions);
}
