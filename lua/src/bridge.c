/* The way back from the core into Lua code.
 *
 * The core calls back for the bytes of a Lua object with a `read` method, to one with a `write` method, for progress,
 * and for ragged records. Lua code may raise an error, and a raised error must not jump over the core's frames. So every
 * callback runs one C function in protected mode, which was pushed beforehand (nothing is allocated outside of
 * protection), and stashes what was raised in a stack slot. */
#include <stdio.h>

#include "flua.h"

enum { SLOT_FAILURE, SLOT_FUNCTION, SLOT_ANCHOR, SLOT_COUNT };

static const char nothing_key; /* the registry key of an empty Lua function */

/* ---- in protected mode: (anchor table, light userdata) ---- */

static int run_job(lua_State *L) {
  Bridge *bridge = lua_touserdata(L, 2);
  bridge->job(L, bridge);
  return 0;
}

/* f(done, total or nil); false cancels. */
static void call_progress(lua_State *L, Bridge *bridge) {
  lua_rawgeti(L, 1, FLUA_ANCHOR_PROGRESS);
  flua_push_count(L, bridge->done);
  if (bridge->total == FASTIO_NO_OFFSET) {
    lua_pushnil(L);
  } else {
    flua_push_count(L, bridge->total);
  }
  lua_call(L, 2, 1);
  bridge->cancelled = lua_isboolean(L, -1) && !lua_toboolean(L, -1);
}

/* Runs nothing, in Lua code: a place where a debug hook can raise its error, and with it Ctrl-C in the stand-alone
 * interpreter, which sets a hook. PUC's Lua looks for hooks at every call, LuaJIT only in Lua code. */
static void call_nothing(lua_State *L, Bridge *bridge) {
  (void)bridge;
  lua_pushlightuserdata(L, (void *)&nothing_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  lua_call(L, 0, 0);
}

/* A user's function answered in the manner of Lua's io: nil, message[, code] at `index` is a failure. */
void flua_check_answer(lua_State *L, Bridge *bridge, int index) {
  if (lua_toboolean(L, index) || lua_isnil(L, index + 1)) return;
  bridge->foreign = true;
  flua_push_foreign_info(L, index + 1, index + 2);
  lua_error(L);
}

/* ---- called by the core ---- */

/* The first failure is the one that is told: the core may look for progress with what was read before it. */
bool flua_call_back(Bridge *bridge, void (*job)(lua_State *L, Bridge *bridge)) {
  lua_State *L = bridge->L;
  const bool had_failed = bridge->failed, was_foreign = bridge->foreign;
  bridge->job = job;
  bridge->foreign = false;
  lua_pushvalue(L, bridge->slots + SLOT_FUNCTION);
  lua_pushvalue(L, bridge->slots + SLOT_ANCHOR);
  lua_pushlightuserdata(L, bridge);
  const bool is_good = lua_pcall(L, 2, 0, 0) == 0;
  if (had_failed) bridge->foreign = was_foreign;
  if (is_good) return true;
  if (had_failed) {
    lua_pop(L, 1);
  } else {
    lua_replace(L, bridge->slots + SLOT_FAILURE);
  }
  bridge->failed = true;
  return false;
}

void flua_begin_next(Bridge *bridge) {
  bridge->before = bridge->done;
  bridge->last = 0;
  bridge->file = NULL;
}

/* The core counts the bytes of each source from 0 on. */
static void take_progress(Bridge *bridge, uint64_t done, uint64_t total) {
  if (bridge->is_one_of_several && done < bridge->last) bridge->before = bridge->done;
  bridge->last = done;
  bridge->done = bridge->before + done;
  bridge->total = bridge->is_one_of_several ? FASTIO_NO_OFFSET : total;
}

/* A job runs even without a progress function: see call_nothing. */
int flua_poll(void *ctx, uint64_t done, uint64_t total) {
  Bridge *bridge = ctx;
  fastio_error ignored;
  take_progress(bridge, done, total);
  if (bridge->has_bar) flua_draw_bar(bridge, bridge->done, bridge->total);
  return !flua_call_back(bridge, bridge->has_progress ? call_progress : call_nothing) || bridge->cancelled ||
         !flua_is_alive(bridge, &ignored);
}

/* ---- around the core ---- */

static void prepare(lua_State *L, Bridge *bridge, int anchor) {
  bridge->failed = bridge->cancelled = false;
  bridge->L = L;
  bridge->slots = lua_gettop(L) + 1;
  luaL_checkstack(L, SLOT_COUNT + 3, "too many objects in one call");
  lua_pushnil(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, run_job, 1);
  lua_pushvalue(L, anchor);
}

/* In use from the last line on: those before it may raise. */
void flua_enter(lua_State *L, Bridge *bridge, int anchor) {
  prepare(L, bridge, anchor);
  bridge->busy = true;
}

void flua_enter_both(lua_State *L, Bridge *outer, int outer_anchor, Bridge *inner, int inner_anchor) {
  prepare(L, outer, outer_anchor);
  prepare(L, inner, inner_anchor);
  outer->busy = inner->busy = true;
}

void flua_enter_several(lua_State *L, Bridge *const *bridges, size_t count, int anchor) {
  for (size_t i = 0; i < count; i++) prepare(L, bridges[i], anchor + (int)i);
  for (size_t i = 0; i < count; i++) bridges[i]->busy = true;
}

void flua_leave(Bridge *bridge) {
  bridge->busy = false;
  lua_settop(bridge->L, bridge->slots - !bridge->failed);
}

static void leave_inner(Bridge *outer, Bridge *inner) {
  flua_leave(inner);
  if (!inner->failed) return;
  lua_replace(outer->L, outer->slots + SLOT_FAILURE);
  outer->failed = true;
  outer->foreign = inner->foreign;
  inner->failed = false;
}

void flua_leave_both(Bridge *outer, Bridge *inner) {
  leave_inner(outer, inner);
  flua_leave(outer);
}

void flua_leave_several(Bridge *const *bridges, size_t count) {
  for (size_t i = count - 1; i > 0; i--) leave_inner(bridges[0], bridges[i]);
  flua_leave(bridges[0]);
}

int flua_callback_failed(lua_State *L, Bridge *bridge) {
  bridge->failed = false;
  return bridge->foreign ? flua_fail_info(L) : lua_error(L);
}

/* ---- Lua's own files ---- */

#if LUA_VERSION_NUM >= 502
FILE *flua_file_of(const void *file) {
  const luaL_Stream *stream = file;
  return stream->closef ? stream->f : NULL;
}
#else
FILE *flua_file_of(const void *file) { return *(FILE *const *)file; }
#endif

void *flua_to_file(lua_State *L, int index) {
  void *file = lua_touserdata(L, index);
  if (!file || !lua_getmetatable(L, index)) return NULL;
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_FILEHANDLE);
  bool is = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return is ? file : NULL;
}

bool flua_is_alive(const Bridge *bridge, fastio_error *err) {
  const Bridge *each = bridge->group ? bridge->group : bridge;
  while (each && (!each->file || flua_file_of(each->file))) each = each->next;
  if (!each) return true;
  flua_set_error(err, FASTIO_CLOSED, "the file that was given was closed");
  return false;
}

bool flua_has_method(lua_State *L, int index, const char *name) {
  if (lua_type(L, index) != LUA_TTABLE && lua_type(L, index) != LUA_TUSERDATA) return false;
  lua_getfield(L, index, name);
  bool has = lua_isfunction(L, -1);
  if (!has && luaL_getmetafield(L, -1, "__call")) {
    has = true;
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return has;
}

void flua_open_bridge(lua_State *L) {
  lua_pushlightuserdata(L, (void *)&nothing_key);
  if (luaL_loadstring(L, "") != 0) lua_error(L);
  lua_rawset(L, LUA_REGISTRYINDEX);
}
