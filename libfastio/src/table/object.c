/* Finished tables: one block of memory for all but the columns. */
#include "table.h"

typedef struct owned_table {
  fastio_table public; /* first: the pointers are the same */
  const fastio_env *env;
  size_t size; /* of the block */
  atomic_size_t owners;
  fastio_report report;
} owned_table;

static owned_table *owner_of(const fastio_table *table) { return (owned_table *)(uintptr_t)table; }

/* The struct, the pointers to the columns, the names, their texts. */
static bool size_of(const fastio_table *view, size_t *out) {
  const size_t each = sizeof *view->columns + sizeof *view->names + 1;
  size_t size;
  if (!fastio__multiply(view->column_count, each, &size) || !fastio__add(size, sizeof(owned_table), &size))
    return false;
  for (size_t i = 0; i < view->column_count; i++)
    if (!fastio__add(size, view->names[i].size, &size)) return false;
  *out = size;
  return true;
}

static void copy_names(const fastio_table *view, fastio_bytes *names, char *text) {
  for (size_t i = 0; i < view->column_count; i++) {
    size_t size = view->names[i].size;
    if (size) memcpy(text, view->names[i].data, size);
    text[size] = '\0';
    names[i] = (fastio_bytes){text, size};
    text += size + 1;
  }
}

fastio_status fastio__table_build(const fastio_table *view, const fastio_env *env, fastio_table **out,
                                  fastio_error *err) {
  owned_table *table = NULL;
  const fastio_column **columns;
  fastio_bytes *names;
  size_t size;
  if (!size_of(view, &size) || !(table = fastio__allocate(env, size))) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  columns = (const fastio_column **)(table + 1);
  names = (fastio_bytes *)(columns + view->column_count);
  if (view->column_count) memcpy(columns, view->columns, view->column_count * sizeof *columns);
  copy_names(view, names, (char *)(names + view->column_count));
  table->public = *view;
  table->public.columns = columns;
  table->public.names = names;
  table->public.report = &table->report;
  if (view->report) table->report = *view->report;
  else memset(&table->report, 0, sizeof table->report);
  table->env = env;
  table->size = size;
  atomic_init(&table->owners, 1);
  *out = &table->public;
  return FASTIO_OK;
}

fastio_status fastio_table_new(const fastio_table *view, const fastio_env *env, fastio_table **out, fastio_error *err) {
  bool fits = view && out;
  for (size_t i = 0; fits && i < view->column_count; i++)
    fits = view->columns[i] && view->columns[i]->length == view->rows && (view->names[i].data || !view->names[i].size);
  if (!fits) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the view is no table");
  return fastio__table_build(view, env, out, err);
}

void fastio_table_retain(const fastio_table *table) {
  atomic_fetch_add_explicit(&owner_of(table)->owners, 1, memory_order_relaxed);
}

void fastio_table_free(const fastio_table *table) {
  owned_table *owned = owner_of(table);
  if (!table || atomic_fetch_sub_explicit(&owned->owners, 1, memory_order_acq_rel) != 1) return;
  for (size_t i = 0; i < table->column_count; i++) fastio_column_free(table->columns[i]);
  fastio__release(owned->env, owned, owned->size);
}
