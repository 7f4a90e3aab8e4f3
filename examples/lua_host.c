/* A C program that embeds Lua with the fastio module linked in: nothing is searched for or loaded at run time.
 *
 *   lua_host                      sums the integers of its own small text
 *   lua_host script.lua args...   runs a script, which finds the module by require "fastio"
 */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>

int luaopen_fastio(lua_State *L);

static const char demo[] = "local fastio = require 'fastio'\n"
                           "local column = assert(fastio.read_ints(fastio.data('1 2 3\\n40 50')))\n"
                           "print(fastio._VERSION, #column, column:sum())\n";

/* package.preload.fastio = luaopen_fastio */
static void preload(lua_State *L) {
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "preload");
  lua_pushcfunction(L, luaopen_fastio);
  lua_setfield(L, -2, "fastio");
  lua_pop(L, 2);
}

static void set_arguments(lua_State *L, int count, char **arguments) {
  lua_createtable(L, count, 1);
  for (int i = 0; i < count; i++) {
    lua_pushstring(L, arguments[i]);
    lua_rawseti(L, -2, i);
  }
  lua_setglobal(L, "arg");
}

int main(int argc, char **argv) {
  lua_State *L = luaL_newstate();
  if (!L) {
    fputs("lua_host: out of memory\n", stderr);
    return 1;
  }
  luaL_openlibs(L);
  preload(L);
  int failed;
  if (argc > 1) {
    set_arguments(L, argc - 1, argv + 1);
    failed = luaL_loadfile(L, argv[1]) || lua_pcall(L, 0, 0, 0);
  } else {
    failed = luaL_loadstring(L, demo) || lua_pcall(L, 0, 0, 0);
  }
  if (failed) {
    const char *message = luaL_tolstring(L, -1, NULL);
    fprintf(stderr, "lua_host: %s\n", message);
  }
  lua_close(L);
  return failed != 0;
}
