/* Strings as indices into the distinct ones, which are found by hash. */
#include "../core/hash.h"
#include "column.h"

typedef struct slot {
  uint32_t hash;   /* the low bits of it: enough to move the slot to a larger table, and to tell most others apart */
  uint32_t number; /* 1 + the index of the string; 0: free */
} slot;

typedef struct encoder {
  const fastio_env *env;
  const fastio_column *strings;
  fastio__region text, offsets; /* of the distinct strings */
  fastio__region indices, validity;
  slot *slots;
  size_t slot_count; /* a power of two, at least twice `count` */
  size_t count;
} encoder;

enum { SLOTS_MIN = 256 };

/* ---- the table ---- */

static fastio_bytes string_at(const fastio_column *column, size_t i) {
  int64_t start = column->offsets[i];
  return (fastio_bytes){(const char *)column->data + start, (size_t)(column->offsets[i + 1] - start)};
}

static bool is_word(const encoder *self, size_t index, fastio_bytes text) {
  const int64_t *offsets = (const int64_t *)(const void *)self->offsets.data;
  size_t size = (size_t)(offsets[index + 1] - offsets[index]);
  return size == text.size && (size == 0 || memcmp(self->text.data + offsets[index], text.data, size) == 0);
}

/* The slot of the text, or the free one where it belongs. */
static slot *find(const encoder *self, fastio_bytes text, uint32_t hash) {
  for (size_t at = hash;; at++) {
    slot *found = &self->slots[at & (self->slot_count - 1)];
    if (found->number == 0 || (found->hash == hash && is_word(self, found->number - 1, text))) return found;
  }
}

static fastio_status allocate_slots(encoder *self, size_t count, fastio_error *err) {
  size_t size;
  slot *slots = fastio__multiply(count, sizeof *slots, &size) ? fastio__allocate(self->env, size) : NULL;
  if (!slots) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  memset(slots, 0, size);
  self->slots = slots;
  self->slot_count = count;
  return FASTIO_OK;
}

static fastio_status double_slots(encoder *self, fastio_error *err) {
  slot *old = self->slots;
  size_t old_count = self->slot_count;
  fastio_status status = allocate_slots(self, 2 * old_count, err);
  if (status != FASTIO_OK) return status;
  for (size_t i = 0; i < old_count; i++) {
    size_t at = old[i].hash;
    if (old[i].number == 0) continue;
    while (self->slots[at & (self->slot_count - 1)].number != 0) at++;
    self->slots[at & (self->slot_count - 1)] = old[i];
  }
  fastio__release(self->env, old, old_count * sizeof *old);
  return FASTIO_OK;
}

/* ---- the distinct strings ---- */

static fastio_status add_word(encoder *self, fastio_bytes text, fastio_error *err) {
  size_t used = (size_t)((const int64_t *)(const void *)self->offsets.data)[self->count];
  fastio_status status = fastio__region_ensure(&self->text, used + text.size, err);
  if (status == FASTIO_OK) status = fastio__region_ensure(&self->offsets, (self->count + 2) * sizeof(int64_t), err);
  if (status != FASTIO_OK) return status;
  if (text.size) memcpy(self->text.data + used, text.data, text.size);
  ((int64_t *)(void *)self->offsets.data)[++self->count] = (int64_t)(used + text.size);
  return FASTIO_OK;
}

static fastio_status encode_one(encoder *self, fastio_bytes text, int32_t *out, fastio_error *err) {
  uint32_t hash = (uint32_t)fastio__hash(text.data, text.size, (uintptr_t)self);
  slot *found = find(self, text, hash);
  fastio_status status = FASTIO_OK;
  if (found->number == 0) {
    if (self->count == INT32_MAX)
      return fastio__fail(err, FASTIO_UNSUPPORTED, "too many distinct strings for a dictionary: read a string column");
    *found = (slot){hash, (uint32_t)self->count + 1};
    *out = (int32_t)self->count;
    status = add_word(self, text, err);
    if (status == FASTIO_OK && 2 * self->count > self->slot_count) status = double_slots(self, err);
  } else {
    *out = (int32_t)(found->number - 1);
  }
  return status;
}

static fastio_status encode_all(encoder *self, fastio_error *err) {
  const uint8_t *validity = self->strings->validity;
  int32_t *indices = (int32_t *)(void *)self->indices.data;
  fastio_status status = FASTIO_OK;
  for (size_t i = 0; status == FASTIO_OK && i < self->strings->length; i++) {
    if (validity && !(validity[i / 8] >> (i % 8) & 1)) indices[i] = 0;
    else status = encode_one(self, string_at(self->strings, i), &indices[i], err);
  }
  return status;
}

/* ---- columns ---- */

static fastio_status region_of(fastio__region *region, const fastio_env *env, uint64_t bound, uint64_t size,
                               fastio_error *err) {
  fastio_status status;
  if (bound > SIZE_MAX) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  status = fastio__region_init(region, env, (size_t)bound, err);
  return status == FASTIO_OK ? fastio__region_ensure(region, (size_t)size, err) : status;
}

static fastio_status init(encoder *self, fastio_error *err) {
  const fastio_column *strings = self->strings;
  fastio_status status = allocate_slots(self, SLOTS_MIN, err);
  if (status == FASTIO_OK) status = region_of(&self->text, self->env, strings->data_size, 1, err);
  if (status == FASTIO_OK) status = region_of(&self->offsets, self->env, 8 * (strings->length + 1), 8, err);
  if (status == FASTIO_OK) status = region_of(&self->indices, self->env, 4 * strings->length, 4 * strings->length, err);
  if (status == FASTIO_OK && strings->validity) {
    size_t size = (size_t)(strings->length / 8 + 1);
    status = region_of(&self->validity, self->env, size, size, err);
    if (status == FASTIO_OK) memcpy(self->validity.data, strings->validity, (size_t)((strings->length + 7) / 8));
  }
  if (status == FASTIO_OK) *(int64_t *)(void *)self->offsets.data = 0;
  return status;
}

static fastio_status build_dictionary(encoder *self, fastio_column **out, fastio_error *err) {
  fastio_column view;
  fastio__column_parts parts;
  fastio_status status;
  memset(&view, 0, sizeof view);
  memset(&parts, 0, sizeof parts);
  view.type = FASTIO_STRING;
  view.length = self->count;
  view.data_size = (uint64_t)((const int64_t *)(const void *)self->offsets.data)[self->count];
  fastio__region_trim(&self->text, (size_t)view.data_size);
  fastio__region_trim(&self->offsets, (self->count + 1) * sizeof(int64_t));
  parts.data = self->text;
  parts.offsets = self->offsets;
  status = fastio__column_build(&view, &parts, self->env, out, err);
  if (status == FASTIO_OK) memset(&self->text, 0, sizeof self->text), memset(&self->offsets, 0, sizeof self->offsets);
  return status;
}

static fastio_status build(encoder *self, fastio_column **out, fastio_error *err) {
  fastio_column view, *dictionary = NULL;
  fastio__column_parts parts;
  fastio_status status = build_dictionary(self, &dictionary, err);
  if (status != FASTIO_OK) return status;
  memset(&view, 0, sizeof view);
  memset(&parts, 0, sizeof parts);
  view.type = FASTIO_DICTIONARY;
  view.length = self->strings->length;
  view.null_count = self->strings->null_count;
  view.data_size = 4 * view.length;
  view.dictionary = dictionary;
  parts.data = self->indices;
  parts.validity = self->validity;
  status = fastio__column_build(&view, &parts, self->env, out, err);
  if (status != FASTIO_OK) fastio_column_free(dictionary);
  else memset(&self->indices, 0, sizeof self->indices), memset(&self->validity, 0, sizeof self->validity);
  return status;
}

fastio_status fastio__column_encode(const fastio_column *strings, const fastio_env *env, fastio_column **out,
                                    fastio_error *err) {
  encoder self;
  fastio_status status;
  memset(&self, 0, sizeof self);
  self.env = env;
  self.strings = strings;
  status = init(&self, err);
  if (status == FASTIO_OK) status = encode_all(&self, err);
  if (status == FASTIO_OK) status = build(&self, out, err);
  fastio__release(env, self.slots, self.slot_count * sizeof *self.slots);
  fastio__region_free(&self.text);
  fastio__region_free(&self.offsets);
  fastio__region_free(&self.indices);
  fastio__region_free(&self.validity);
  return status;
}
