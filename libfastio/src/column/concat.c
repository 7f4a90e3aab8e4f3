/* Columns one behind the other. */
#include "column.h"

/* ---- bits ---- */

/* Puts `count` bits in place from bit `at` on; bits NULL: ones. The bytes behind are the next one's to set. */
static void put_bits(uint8_t *out, uint64_t at, const uint8_t *bits, uint64_t count) {
  unsigned shift = (unsigned)(at % 8);
  uint8_t *p = out + at / 8;
  for (uint64_t done = 0; done < count; done += 8, p++) {
    unsigned left = count - done < 8 ? (unsigned)(count - done) : 8, mask = (1u << left) - 1;
    unsigned value = ((bits ? bits[done / 8] : 0xFFu) & mask) << shift, place = mask << shift;
    p[0] = (uint8_t)((p[0] & ~place) | value);
    if (place >> 8) p[1] = (uint8_t)((p[1] & ~(place >> 8)) | value >> 8);
  }
}

/* ---- a column in the making ---- */

typedef struct joint {
  const fastio_env *env;
  const fastio_column *const *columns;
  size_t count;
  fastio_column view;
  fastio__column_parts parts;
} joint;

static uint64_t text_size(const fastio_column *column) {
  return (uint64_t)(column->offsets[column->length] - column->offsets[0]);
}

static bool add_sizes(joint *j) {
  bool has_nulls = false;
  for (size_t i = 0; i < j->count; i++) {
    const fastio_column *column = j->columns[i];
    uint64_t bytes = fastio__is_string(column->type) ? text_size(column) : 0;
    if (column->length > UINT64_MAX / 16 - j->view.length || bytes > UINT64_MAX / 2 - j->view.data_size) return false;
    j->view.length += column->length;
    j->view.null_count += column->null_count;
    j->view.data_size += bytes;
    has_nulls |= column->validity != NULL;
  }
  if (j->view.type == FASTIO_BOOL) j->view.data_size = (j->view.length + 7) / 8;
  else if (!fastio__is_string(j->view.type)) j->view.data_size = j->view.length * fastio_type_size(j->view.type);
  if (!has_nulls) j->view.null_count = 0;
  return true;
}

static fastio_status make_room(joint *j, fastio__region *region, uint64_t size, fastio_error *err) {
  fastio_status status;
  if (size > SIZE_MAX - 1) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  status = fastio__region_init(region, j->env, (size_t)size + 1, err);
  return status == FASTIO_OK ? fastio__region_ensure(region, (size_t)size + 1, err) : status;
}

static fastio_status reserve(joint *j, fastio_error *err) {
  fastio_status status = make_room(j, &j->parts.data, j->view.data_size, err);
  if (status == FASTIO_OK && fastio__is_string(j->view.type))
    status = make_room(j, &j->parts.offsets, (j->view.length + 1) * sizeof(int64_t), err);
  if (status == FASTIO_OK && j->view.null_count > 0)
    status = make_room(j, &j->parts.validity, j->view.length / 8 + 1, err);
  return status;
}

static void put_text(joint *j, const fastio_column *column, uint64_t at, uint64_t bytes) {
  int64_t *offsets = (int64_t *)(void *)j->parts.offsets.data + at;
  int64_t move = (int64_t)bytes - column->offsets[0];
  uint64_t size = text_size(column);
  if (size) memcpy(j->parts.data.data + bytes, (const uint8_t *)column->data + column->offsets[0], (size_t)size);
  for (uint64_t i = 0; i <= column->length; i++) offsets[i] = column->offsets[i] + move;
}

static void put_values(joint *j, const fastio_column *column, uint64_t at) {
  size_t width = fastio_type_size(j->view.type);
  if (j->view.type == FASTIO_BOOL) put_bits(j->parts.data.data, at, column->data, column->length);
  else if (column->length) memcpy(j->parts.data.data + at * width, column->data, (size_t)column->length * width);
}

static void put_columns(joint *j) {
  uint64_t at = 0, bytes = 0;
  if (fastio__is_string(j->view.type)) *(int64_t *)(void *)j->parts.offsets.data = 0;
  for (size_t i = 0; i < j->count; i++) {
    const fastio_column *column = j->columns[i];
    if (!fastio__is_string(j->view.type)) put_values(j, column, at);
    else if (column->length > 0) put_text(j, column, at, bytes);
    if (j->view.null_count > 0) put_bits(j->parts.validity.data, at, column->validity, column->length);
    if (fastio__is_string(j->view.type)) bytes += text_size(column);
    at += column->length;
  }
}

static void release_parts(joint *j) {
  fastio__region_free(&j->parts.data);
  fastio__region_free(&j->parts.offsets);
  fastio__region_free(&j->parts.validity);
}

/* ---- dictionaries ---- */

/* Writes indices into all dictionaries, one behind the other, as those into one that has each string once. */
static void put_indices(joint *j, const fastio_column *unified) {
  const int32_t *moved = unified->data;
  int32_t *indices = (int32_t *)(void *)j->parts.data.data;
  for (size_t i = 0; i < j->count; i++) {
    const fastio_column *column = j->columns[i];
    uint64_t words = column->dictionary->length;
    for (uint64_t k = 0; k < column->length; k++) {
      bool is_there = !column->validity || column->validity[k / 8] >> (k % 8) & 1;
      indices[k] = is_there ? moved[((const int32_t *)column->data)[k]] : 0;
    }
    indices += column->length;
    moved += words;
  }
}

static fastio_status unify(const joint *j, fastio_column **out, fastio_error *err) {
  const fastio_column **words = fastio__allocate(j->env, j->count * sizeof *words);
  fastio_column *all = NULL;
  fastio_status status;
  if (!words) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  for (size_t i = 0; i < j->count; i++) words[i] = j->columns[i]->dictionary;
  status = fastio_column_concat(words, j->count, j->env, &all, err);
  if (status == FASTIO_OK) status = fastio__column_encode(all, j->env, out, err);
  fastio_column_free(all);
  fastio__release(j->env, words, j->count * sizeof *words);
  return status;
}

static fastio_status join_dictionaries(joint *j, fastio_error *err) {
  fastio_column *unified = NULL;
  fastio_status status = unify(j, &unified, err);
  if (status != FASTIO_OK) return status;
  put_indices(j, unified);
  j->view.dictionary = unified->dictionary;
  fastio_column_retain(j->view.dictionary);
  fastio_column_free(unified);
  return FASTIO_OK;
}

/* ---- the call ---- */

static bool are_alike(const fastio_column *const *columns, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!columns[i] || columns[i]->type != columns[0]->type || columns[i]->row_items != columns[0]->row_items)
      return false;
  return true;
}

fastio_status fastio_column_concat(const fastio_column *const *columns, size_t count, const fastio_env *env,
                                   fastio_column **out, fastio_error *err) {
  joint j;
  fastio_status status;
  if (!out || !columns || count == 0 || !are_alike(columns, count))
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "columns of one type and one shape are needed, at least one");
  memset(&j, 0, sizeof j);
  j.env = env;
  j.columns = columns;
  j.count = count;
  j.view.type = columns[0]->type;
  j.view.row_items = columns[0]->row_items;
  if (!add_sizes(&j)) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  status = reserve(&j, err);
  if (status == FASTIO_OK) put_columns(&j);
  if (status == FASTIO_OK && j.view.type == FASTIO_DICTIONARY) status = join_dictionaries(&j, err);
  if (status == FASTIO_OK) {
    status = fastio__column_build(&j.view, &j.parts, env, out, err);
    if (status != FASTIO_OK) fastio_column_free(j.view.dictionary);
  }
  if (status != FASTIO_OK) release_parts(&j);
  return status;
}
