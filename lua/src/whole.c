/* Functions that read a whole source at once: read_ints, read_floats, read_lines, read_bytes, count_lines. */
#include <limits.h>

#include "flua.h"

typedef fastio_status (*read_function)(fastio_source *source, const fastio_read_options *options, fastio_column **out,
                                       fastio_error *err);

/* Columns live outside of Lua's heap, where its collector sees nothing to collect. It is told here, before the next
 * one is made, so that a loop that drops its columns keeps one or two of them. */
void flua_pay_debt(lua_State *L) {
  State *state = flua_state(L);
  uint64_t kilobytes = state->debt >> 10;
  if (kilobytes < 1024) return;
  state->debt = 0;
  lua_gc(L, LUA_GCSTEP, kilobytes > INT_MAX >> 10 ? INT_MAX >> 10 : (int)kilobytes);
}

/* The holder of all that the call acquires, the anchor table, and the options. */
static Source *begin(lua_State *L, unsigned who, Options *options) {
  flua_pay_debt(L);
  Source *source = flua_new(L, FLUA_CALL, sizeof *source);
  lua_newtable(L);
  flua_options(L, FLUA_OPTIONS, FLUA_ANCHOR, who, options);
  flua_source_set_poll(source, options);
  return source;
}

fastio_status flua_begin(lua_State *L, unsigned who, Options *options, Source **out, fastio_error *err) {
  fastio_error_init(err);
  luaL_checkany(L, FLUA_SOURCE);
  lua_settop(L, FLUA_OPTIONS);
  Source *source = *out = begin(L, who, options);
  fastio_status status = flua_source_open(L, source, FLUA_SOURCE, FLUA_ANCHOR, options, err);
  lua_rawgeti(L, FLUA_ANCHOR, FLUA_ANCHOR_PATH);
  return status;
}

size_t flua_begin_several(lua_State *L, unsigned who, Options *options, Source **out, fastio_error *err) {
  fastio_error_init(err);
  lua_settop(L, FLUA_OPTIONS);
  const size_t count = flua_push_list(L, FLUA_SOURCE);
  lua_replace(L, FLUA_SOURCE);
  *out = begin(L, who, options);
  (*out)->bridge.is_one_of_several = true;
  if (options->read.offset || options->read.length != FASTIO_NO_OFFSET)
    luaL_error(L, "offset and length are those of one source, not of several");
  lua_pushnil(L); /* FLUA_PATH */
  return count;
}

int flua_end_failed(lua_State *L, Source *source, fastio_error *err) {
  flua_is_alive(&source->bridge, err);
  flua_source_close(source);
  return source->bridge.failed ? flua_callback_failed(L, &source->bridge) : flua_fail(L, err, FLUA_PATH);
}

static int read_one(lua_State *L, read_function read, unsigned who, int type) {
  Options options;
  Source *source;
  fastio_error err;
  fastio_column *base = NULL;
  fastio_status status = flua_begin(L, who, &options, &source, &err);
  if (status) return flua_end_failed(L, source, &err);
  Column *column = flua_new_column(L, type);
  flua_enter(L, &source->bridge, FLUA_ANCHOR);
  status = read(source->handle, &options.read, &base, &err);
  flua_leave(&source->bridge);
  if (base) flua_fill_column(L, column, base, options.int64);
  if (status || source->bridge.failed) return flua_end_failed(L, source, &err);
  column->decode_errors = flua_source_decode_errors(source);
  flua_source_close(source);
  lua_settop(L, FLUA_RESULT);
  return 1;
}

/* ---- several sources, one after the other ---- */

/* Opens source i, from 0, of the list. */
static fastio_status open_item(lua_State *L, Source *source, size_t i, const Options *options, fastio_error *err) {
  lua_rawgeti(L, FLUA_SOURCE, (int)(i + 1));
  lua_pushnil(L);
  lua_rawseti(L, FLUA_ANCHOR, FLUA_ANCHOR_PATH); /* that of the one before */
  flua_begin_next(&source->bridge);
  fastio_status status = flua_source_open(L, source, lua_gettop(L), FLUA_ANCHOR, options, err);
  lua_pop(L, 1);
  lua_rawgeti(L, FLUA_ANCHOR, FLUA_ANCHOR_PATH);
  lua_replace(L, FLUA_PATH);
  return status;
}

/* The results of a failure in source i. */
static int fail_item(lua_State *L, Source *source, size_t i, fastio_error *err) {
  err->source = i + 1;
  return flua_end_failed(L, source, err);
}

static void release_column(void *ctx) { fastio_column_free(ctx); }

/* All columns as one, with the shape that was asked for of them all. */
static fastio_status join(const fastio_column *const *parts, size_t count, uint64_t rows, uint64_t items,
                          fastio_column **out, fastio_error *err) {
  fastio_column *all = NULL;
  fastio_status status = fastio_column_concat(parts, count, NULL, &all, err);
  if (status || !items) return *out = all, status;
  fastio_column view = *all;
  bool fits = all->length % items == 0 && (!rows || all->length / items == rows);
  view.row_items = items;
  if (fits) return fastio_column_new(&view, release_column, all, NULL, out, err);
  fastio_column_free(all);
  flua_set_error(err, FASTIO_BAD_SHAPE, fastio_status_text(FASTIO_BAD_SHAPE));
  return FASTIO_BAD_SHAPE;
}

/* Each source's column lies in a list, where the collector finds it. */
static int read_several(lua_State *L, read_function read, unsigned who, int type) {
  enum { PARTS = FLUA_RESULT, POINTERS };
  Options options;
  Source *source;
  fastio_error err;
  fastio_column *base = NULL;
  fastio_status status = FASTIO_OK;
  const size_t count = flua_begin_several(L, who, &options, &source, &err);
  const uint64_t rows = options.read.rows, items = options.read.row_items;
  uint64_t *left = &options.read.max_items, errors = 0;
  size_t i = 0;
  options.read.rows = options.read.row_items = 0;
  lua_newtable(L);
  const fastio_column **parts = lua_newuserdata(L, count * sizeof *parts);
  for (; i < count && (i == 0 || *left > 0); i++) {
    if (open_item(L, source, i, &options, &err)) return fail_item(L, source, i, &err);
    Column *part = flua_new_column(L, type);
    flua_enter(L, &source->bridge, FLUA_ANCHOR);
    status = read(source->handle, &options.read, &base, &err);
    flua_leave(&source->bridge);
    if (base) flua_fill_column(L, part, base, options.int64);
    if (status || source->bridge.failed) return fail_item(L, source, i, &err);
    parts[i] = base;
    base = NULL;
    errors += flua_source_decode_errors(source);
    flua_source_close(source);
    lua_rawseti(L, PARTS, (int)(i + 1));
    if (*left != FASTIO_NO_OFFSET) *left -= parts[i]->length < *left ? parts[i]->length : *left;
  }
  Column *column = flua_new_column(L, type);
  lua_pushnil(L);
  lua_replace(L, FLUA_PATH);
  if (join(parts, i, rows, items, &base, &err)) return flua_end_failed(L, source, &err);
  flua_fill_column(L, column, base, options.int64);
  column->decode_errors = errors;
  return 1;
}

static int read_whole(lua_State *L, read_function read, unsigned who, int type) {
  return flua_is_list(L, FLUA_SOURCE) ? read_several(L, read, who, type) : read_one(L, read, who, type);
}

static int read_ints(lua_State *L) { return read_whole(L, fastio_read_ints, FLUA_READ_INTS, FLUA_COLUMN); }

static int read_floats(lua_State *L) { return read_whole(L, fastio_read_floats, FLUA_READ_FLOATS, FLUA_COLUMN); }

static int read_lines(lua_State *L) { return read_whole(L, fastio_read_lines, FLUA_READ_LINES, FLUA_LINES); }

static int read_bytes(lua_State *L) { return read_one(L, fastio_read_all, FLUA_READ_BYTES, FLUA_COLUMN); }

static int count_several(lua_State *L) {
  Options options;
  Source *source;
  fastio_error err;
  uint64_t count, total = 0;
  const size_t sources = flua_begin_several(L, FLUA_COUNT_LINES, &options, &source, &err);
  for (size_t i = 0; i < sources && (i == 0 || options.read.max_items > 0); i++) {
    if (open_item(L, source, i, &options, &err)) return fail_item(L, source, i, &err);
    flua_enter(L, &source->bridge, FLUA_ANCHOR);
    fastio_status status = fastio_count_lines(source->handle, &options.read, &count, &err);
    flua_leave(&source->bridge);
    if (status || source->bridge.failed) return fail_item(L, source, i, &err);
    flua_source_close(source);
    total += count;
    if (options.read.max_items != FASTIO_NO_OFFSET) options.read.max_items -= count;
  }
  flua_push_count(L, total);
  return 1;
}

static int count_lines(lua_State *L) {
  Options options;
  Source *source;
  fastio_error err;
  uint64_t count = 0;
  if (flua_is_list(L, FLUA_SOURCE)) return count_several(L);
  fastio_status status = flua_begin(L, FLUA_COUNT_LINES, &options, &source, &err);
  if (status) return flua_end_failed(L, source, &err);
  flua_enter(L, &source->bridge, FLUA_ANCHOR);
  status = fastio_count_lines(source->handle, &options.read, &count, &err);
  flua_leave(&source->bridge);
  if (status || source->bridge.failed) return flua_end_failed(L, source, &err);
  flua_source_close(source);
  flua_push_count(L, count);
  return 1;
}

void flua_open_whole(lua_State *L) {
  static const luaL_Reg functions[] = {{"read_ints", read_ints},     {"read_floats", read_floats},
                                       {"read_lines", read_lines},   {"read_bytes", read_bytes},
                                       {"count_lines", count_lines}, {NULL, NULL}};
  flua_register(L, functions);
}
