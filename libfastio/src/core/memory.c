/* Memory through the caller's environment, and the one rule for growth. */
#include "core.h"

#include <stdlib.h>

void fastio_env_init(fastio_env *env) {
  static const fastio_env initial = FASTIO_ENV_INIT;
  *env = initial;
}

bool fastio__has_allocator(const fastio_env *env) { return env && env->allocate && env->reallocate && env->release; }

/* Zero bytes would make NULL ambiguous, so they become one. */
static size_t at_least_one(size_t size) { return size ? size : 1; }

void *fastio__allocate(const fastio_env *env, size_t size) {
  size = at_least_one(size);
  return fastio__has_allocator(env) ? env->allocate(env->ctx, size) : malloc(size);
}

void *fastio__reallocate(const fastio_env *env, void *block, size_t old_size, size_t new_size) {
  if (!block) return fastio__allocate(env, new_size);
  new_size = at_least_one(new_size);
  return fastio__has_allocator(env) ? env->reallocate(env->ctx, block, at_least_one(old_size), new_size)
                                    : realloc(block, new_size);
}

void fastio__release(const fastio_env *env, void *block, size_t size) {
  if (!block) return;
  if (fastio__has_allocator(env)) env->release(env->ctx, block, at_least_one(size));
  else free(block);
}

size_t fastio__grown(size_t capacity, size_t needed) {
  size_t grown;
  if (needed <= capacity) return capacity;
  if (!fastio__add(capacity, capacity / 2, &grown)) return 0;
  return grown < needed ? needed : grown;
}
