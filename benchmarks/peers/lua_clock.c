/* lua_clock.c - a wall clock for the Lua benchmark worker, which has none of its own. */
#include <lauxlib.h>
#include <lua.h>
#include <stdlib.h>
#include <time.h>

static int now(lua_State *L) {
  struct timespec t;
  clock_gettime(getenv("BENCH_CPU_TIME") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  lua_pushnumber(L, (lua_Number)t.tv_sec + (lua_Number)t.tv_nsec * 1e-9);
  return 1;
}

int luaopen_lua_clock(lua_State *L) {
  lua_pushcfunction(L, now);
  return 1;
}
