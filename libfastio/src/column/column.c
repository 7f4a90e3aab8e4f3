/* Columns: immutable, reference-counted, over regions or over memory from outside. */
#include "column.h"

typedef struct owned_column {
  fastio_column public; /* first: the pointers are the same */
  const fastio_env *env;
  atomic_size_t owners;
  fastio__column_parts parts;
  void (*release)(void *ctx);
  void *ctx;
} owned_column;

static owned_column *owner_of(const fastio_column *column) { return (owned_column *)(uintptr_t)column; }

static fastio_status column_allocate(const fastio_column *view, const fastio_env *env, owned_column **out,
                                     fastio_error *err) {
  static const _Alignas(64) uint8_t nothing[64]; /* a column of no values still has an address */
  owned_column *column = fastio__allocate(env, sizeof *column);
  if (!column) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  memset(column, 0, sizeof *column);
  column->public = *view;
  if (!column->public.data) column->public.data = nothing;
  column->env = env;
  atomic_init(&column->owners, 1);
  *out = column;
  return FASTIO_OK;
}

fastio_status fastio__column_build(const fastio_column *view, const fastio__column_parts *parts, const fastio_env *env,
                                   fastio_column **out, fastio_error *err) {
  owned_column *column = NULL;
  fastio_status status = column_allocate(view, env, &column, err);
  if (status != FASTIO_OK) return status;
  column->parts = *parts;
  if (parts->data.data) column->public.data = parts->data.data;
  if (parts->offsets.data) column->public.offsets = (const int64_t *)(const void *)parts->offsets.data;
  if (parts->validity.data) column->public.validity = parts->validity.data;
  *out = &column->public;
  return FASTIO_OK;
}

static bool is_column(const fastio_column *view) {
  if (!view || !fastio_type_name(view->type) || (view->null_count && !view->validity)) return false;
  if (fastio__is_string(view->type)) return view->offsets != NULL;
  if (view->type == FASTIO_DICTIONARY && !(view->dictionary && view->dictionary->type == FASTIO_STRING)) return false;
  return view->data || view->length == 0;
}

fastio_status fastio_column_new(const fastio_column *view, void (*release)(void *ctx), void *ctx, const fastio_env *env,
                                fastio_column **out, fastio_error *err) {
  owned_column *column = NULL;
  fastio_status status = out && is_column(view) ? column_allocate(view, env, &column, err)
                                                : fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the view is no column");
  if (status != FASTIO_OK) {
    if (release) release(ctx);
    return status;
  }
  column->release = release;
  column->ctx = ctx;
  if (view->dictionary) fastio_column_retain(view->dictionary);
  *out = &column->public;
  return FASTIO_OK;
}

void fastio_column_retain(const fastio_column *column) {
  atomic_fetch_add_explicit(&owner_of(column)->owners, 1, memory_order_relaxed);
}

void fastio_column_free(const fastio_column *column) {
  owned_column *owned = owner_of(column);
  if (!column || atomic_fetch_sub_explicit(&owned->owners, 1, memory_order_acq_rel) != 1) return;
  fastio__region_free(&owned->parts.data);
  fastio__region_free(&owned->parts.offsets);
  fastio__region_free(&owned->parts.validity);
  fastio_column_free(owned->public.dictionary);
  if (owned->release) owned->release(owned->ctx);
  fastio__release(owned->env, owned, sizeof *owned);
}
