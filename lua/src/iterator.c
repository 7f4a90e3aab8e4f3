/* fastio.lines, ints, floats: iterators that own their reader and take values from it in batches. */
#include "flua.h"

enum { BATCH_SIZE = 4096 };

typedef struct Iterator Iterator;
typedef fastio_status (*refill_function)(Iterator *it, size_t *count, fastio_error *err);

struct Iterator {
  Reader reader; /* first: the two share their life */
  refill_function refill;
  size_t position, count;
  fastio_error err; /* its status ends the iteration once the batch is used up */
  union {
    fastio_bytes lines[BATCH_SIZE / sizeof(fastio_bytes)];
    int64_t i64s[BATCH_SIZE / sizeof(int64_t)];
    uint64_t u64s[BATCH_SIZE / sizeof(uint64_t)];
    double f64s[BATCH_SIZE / sizeof(double)];
  } batch;
};

#define CAPACITY(member) (sizeof((Iterator *)0)->batch.member / sizeof(*((Iterator *)0)->batch.member))

static fastio_status refill_lines(Iterator *it, size_t *count, fastio_error *err) {
  return fastio_next_lines(it->reader.handle, it->batch.lines, CAPACITY(lines), count, err);
}

static fastio_status refill_i64s(Iterator *it, size_t *count, fastio_error *err) {
  return fastio_next_i64s(it->reader.handle, it->batch.i64s, CAPACITY(i64s), count, err);
}

static fastio_status refill_u64s(Iterator *it, size_t *count, fastio_error *err) {
  return fastio_next_u64s(it->reader.handle, it->batch.u64s, CAPACITY(u64s), count, err);
}

static fastio_status refill_f64s(Iterator *it, size_t *count, fastio_error *err) {
  return fastio_next_f64s(it->reader.handle, it->batch.f64s, CAPACITY(f64s), count, err);
}

/* float32 is parsed as such, never through a double. */
static fastio_status refill_f32(Iterator *it, size_t *count, fastio_error *err) {
  float value;
  fastio_status status = fastio_next_f32(it->reader.handle, &value, err);
  if (!status) it->batch.f64s[0] = value;
  *count = status == FASTIO_OK;
  return status;
}

/* ---- steps ---- */

/* The iterator is at its end: closes it, and raises what ended it unless that was the end of the data. */
static bool finish(lua_State *L, Iterator *it) {
  fastio_error err = it->err;
  flua_close_reader(&it->reader);
  it->err.status = FASTIO_END;
  if (it->reader.source.bridge.failed) {
    it->reader.source.bridge.failed = false;
    lua_error(L);
  }
  if (err.status == FASTIO_END) return false;
  flua_getuservalue(L, lua_upvalueindex(2));
  lua_rawgeti(L, -1, FLUA_ANCHOR_PATH);
  flua_raise(L, &err, lua_gettop(L));
  return false;
}

/* A new batch; false at the end. */
static bool refill(lua_State *L, Iterator *it) {
  Source *source = &it->reader.source;
  if (source->bridge.busy) luaL_error(L, "the iterator is in use: its own callback can't use it");
  it->position = it->count = 0;
  if (!it->reader.handle) return false;
  if (it->err.status) return finish(L, it);
  if (!flua_is_alive(&source->bridge, &it->err)) return finish(L, it);
  if (source->bridge.calls_lua) {
    flua_getuservalue(L, lua_upvalueindex(2));
    flua_enter(L, &source->bridge, lua_gettop(L));
  }
  it->err.status = it->refill(it, &it->count, &it->err);
  if (source->bridge.calls_lua) flua_leave(&source->bridge);
  return it->count ? true : finish(L, it);
}

/* The next item's place in the batch; upvalue 2 is the iterator. */
static Iterator *next_item(lua_State *L, size_t *position) {
  Iterator *it = lua_touserdata(L, lua_upvalueindex(2));
  if (it->position == it->count && !refill(L, it)) return NULL;
  *position = it->position++;
  return it;
}

static int next_line(lua_State *L) {
  size_t i;
  const Iterator *it = next_item(L, &i);
  if (!it) return flua_nil(L);
  lua_pushlstring(L, it->batch.lines[i].data, it->batch.lines[i].size);
  return 1;
}

static int next_int(lua_State *L) {
  size_t i;
  fastio_error err;
  Iterator *it = next_item(L, &i);
  if (!it) return flua_nil(L);
  fastio_status status = it->reader.is_unsigned ? flua_push_u64(L, it->batch.u64s[i], it->reader.int64, &err)
                                                : flua_push_i64(L, it->batch.i64s[i], it->reader.int64, &err);
  if (!status) return 1;
  it->err = err;
  it->position = it->count = 0;
  finish(L, it);
  return 0;
}

static int next_float(lua_State *L) {
  size_t i;
  const Iterator *it = next_item(L, &i);
  if (!it) return flua_nil(L);
  lua_pushnumber(L, it->batch.f64s[i]);
  return 1;
}

/* ---- life ---- */

static int close_iterator(lua_State *L) {
  Iterator *it = flua_check(L, 1, FLUA_ITERATOR);
  if (it->reader.source.bridge.busy) return luaL_error(L, "the iterator is in use: its own callback can't close it");
  flua_close_reader(&it->reader);
  it->position = it->count = 0;
  return 0;
}

/* The iterator function, and after the two other values of a generic `for` the object that owns the source: Lua 5.4
 * closes it when the loop ends, elsewhere the caller may. */
static int open_iterator(lua_State *L, unsigned who, lua_CFunction step) {
  Options options;
  int results;
  luaL_checkany(L, 1);
  lua_settop(L, 2);
  if (!flua_open_reader(L, FLUA_ITERATOR, sizeof(Iterator), 2, who, &options, &results)) {
    if (lua_istable(L, -1)) return lua_error(L);
    return results;
  }
  Iterator *it = lua_touserdata(L, 3);
  it->refill = who == FLUA_ITERATE_LINES             ? refill_lines
               : who == FLUA_ITERATE_INTS            ? it->reader.is_unsigned ? refill_u64s : refill_i64s
               : options.read.type == FASTIO_FLOAT32 ? refill_f32
                                                     : refill_f64s;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 3);
  lua_pushcclosure(L, step, 2);
  lua_pushnil(L);
  lua_pushnil(L);
  lua_pushvalue(L, 3);
  return 4;
}

static int lines(lua_State *L) { return open_iterator(L, FLUA_ITERATE_LINES, next_line); }

static int ints(lua_State *L) { return open_iterator(L, FLUA_ITERATE_INTS, next_int); }

static int floats(lua_State *L) { return open_iterator(L, FLUA_ITERATE_FLOATS, next_float); }

void flua_open_iterators(lua_State *L) {
  static const luaL_Reg functions[] = {{"lines", lines}, {"ints", ints}, {"floats", floats}, {NULL, NULL}};
  static const luaL_Reg metamethods[] = {{"__gc", close_iterator}, {"__close", close_iterator}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"close", close_iterator}, {NULL, NULL}};
  flua_new_type(L, FLUA_ITERATOR, "Iterator", metamethods, methods, NULL);
  flua_register(L, functions);
}
