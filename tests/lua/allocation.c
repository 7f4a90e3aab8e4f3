/* Lets the Nth allocation of a Lua script fail, for N = 1, 2, 3, ... until it runs through: no crash, and nothing
 * left over. usage: allocation script.lua */
#include <dirent.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int luaopen_fastio(lua_State *L);

typedef struct Budget {
  long left;   /* allocations until they fail; negative: never */
  size_t used; /* bytes that Lua holds */
} Budget;

static void *allocate(void *ctx, void *block, size_t old_size, size_t new_size) {
  Budget *budget = ctx;
  if (!block) old_size = 0;
  if (new_size == 0) {
    free(block);
    budget->used -= old_size;
    return NULL;
  }
  if (new_size > old_size && budget->left >= 0) {
    if (budget->left == 0) return NULL;
    budget->left--;
  }
  void *moved = realloc(block, new_size);
  if (moved) budget->used += new_size - old_size;
  return moved;
}

static int open_descriptors(void) {
  int count = 0;
  DIR *directory = opendir("/proc/self/fd");
  while (readdir(directory)) count++;
  closedir(directory);
  return count;
}

/* Everything but the script itself has all the memory it wants: what is tested is the module. */
static int prepare(lua_State *L, const char *script) {
  luaL_openlibs(L);
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "preload");
  lua_pushcfunction(L, luaopen_fastio);
  lua_setfield(L, -2, "fastio");
  lua_pop(L, 2);
  return luaL_loadfile(L, script);
}

/* 0: ran through. 1: an allocation failed, as planned. 2: something else did. */
static int run(const char *script, long n) {
  Budget budget = {-1, 0};
  lua_State *L = lua_newstate(allocate, &budget);
  int result = 2;
  if (prepare(L, script) == 0) {
    budget.left = n;
    int status = lua_pcall(L, 0, 0, 0);
    budget.left = -1;
    const char *message = status ? lua_tostring(L, -1) : NULL;
    result = status == 0 ? 0 : status == LUA_ERRMEM || (message && strstr(message, "not enough memory")) ? 1 : 2;
    if (result == 2) fprintf(stderr, "allocation %ld: %s\n", n, message ? message : "(no string)");
  }
  lua_close(L);
  if (budget.used) {
    fprintf(stderr, "allocation %ld: %zu bytes left\n", n, budget.used);
    result = 2;
  }
  return result;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  run(argv[1], -1);
  int before = open_descriptors(), result = 1;
  long n;
  for (n = 1; result == 1; n++) result = run(argv[1], n);
  if (open_descriptors() != before) {
    fprintf(stderr, "%d descriptors left open\n", open_descriptors() - before);
    return 1;
  }
  printf("ran through after %ld failures\n", n - 2);
  return result == 0 && n > 100 ? 0 : 1;
}
