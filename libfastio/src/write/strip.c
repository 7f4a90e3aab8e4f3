/* Strips: the texts of the same rows of all fields, merged into records. */
#include "field.h"

/* ---- memory for texts ---- */

typedef struct fastio__arena_block {
  struct fastio__arena_block *next;
  size_t size, used;
  char data[];
} block;

enum { BLOCK_MIN = 16 << 10 };

char *fastio__arena_take(fastio__arena *arena, size_t size) {
  block *first = arena->blocks;
  size_t needed = size < BLOCK_MIN ? BLOCK_MIN : size;
  if (!first || first->size - first->used < size) {
    block *fresh = fastio__add(needed, sizeof *fresh, &needed) ? fastio__allocate(arena->env, needed) : NULL;
    if (!fresh) return NULL;
    *fresh = (block){first, needed - sizeof *fresh, 0};
    arena->blocks = first = fresh;
  }
  first->used += size;
  return first->data + first->used - size;
}

void fastio__arena_free(fastio__arena *arena) {
  while (arena->blocks) {
    block *first = arena->blocks;
    arena->blocks = first->next;
    fastio__release(arena->env, first, sizeof *first + first->size);
  }
}

/* ---- strips ----
 * One block of memory: what is known of each column, then each column's long texts, slots and lengths. The slots of two
 * columns are an odd number of cache lines apart, so that the same row of many columns does not meet in one set. */

enum { ALIGN = 64, CELLS = 8192 }; /* slots are 256 KiB at most, unless a single row has more */

static size_t rows_of(size_t columns, uint64_t most) {
  const size_t rows = columns < CELLS / FASTIO__STRIP ? FASTIO__STRIP : CELLS / columns;
  if (rows <= 1 || most <= 1) return 1;
  return most < rows ? (size_t)most : rows;
}

static size_t slots_size(size_t rows) { return (rows * FASTIO__SLOT + FASTIO__SLOT_SLACK) / ALIGN * ALIGN + ALIGN; }
static size_t column_size(size_t rows) { return slots_size(rows) + rows * sizeof(fastio_bytes) + FASTIO__STRIP; }

size_t fastio__strip_size(size_t columns, uint64_t most) {
  size_t size;
  if (!fastio__multiply(columns, sizeof(fastio__texts) + column_size(rows_of(columns, most)), &size)) return SIZE_MAX;
  return fastio__add(size, ALIGN, &size) ? size / ALIGN * ALIGN : SIZE_MAX;
}

void fastio__strip_init(fastio__strip *strip, void *memory, size_t columns, uint64_t most, const fastio_env *env) {
  const size_t rows = rows_of(columns, most);
  fastio_bytes *longs = (fastio_bytes *)((fastio__texts *)memory + columns);
  char *slots = (char *)(longs + columns * rows);
  uint8_t *lengths = (uint8_t *)slots + columns * slots_size(rows);
  strip->columns = columns;
  strip->rows = rows;
  strip->texts = memory;
  strip->slot_stride = slots_size(rows);
  strip->arena = (fastio__arena){env, NULL};
  for (size_t i = 0; i < columns; i++)
    strip->texts[i] = (fastio__texts){
        .slots = slots + i * slots_size(rows), .lengths = lengths + i * FASTIO__STRIP, .longs = longs + i * rows};
}

size_t fastio__strip_good(const fastio__strip *strip, size_t rows, size_t *column) {
  size_t good = rows;
  for (size_t i = 0; i < strip->columns; i++)
    if (strip->texts[i].good < good) good = strip->texts[i].good, *column = i;
  return good;
}

/* ---- merging ---- */

/* Whether one of the lengths says that the text is not in its slot. */
static bool has_long(const uint8_t *lengths, size_t rows) {
  const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
  size_t row = 0;
  for (; row + 8 <= rows; row += 8) {
    uint64_t word;
    memcpy(&word, lengths + row, sizeof word);
    word = ~word; /* a byte of zero is what is looked for */
    if ((word - ones) & ~word & high) return true;
  }
  for (; row < rows; row++)
    if (lengths[row] == FASTIO__SLOT_OVERFLOW) return true;
  return false;
}

/* The most bytes that the rows take, and whether all texts are in their slots. */
static bool bound_of(const fastio__strip *strip, size_t rows, const fastio__marks *marks, size_t *out,
                     bool *all_short) {
  size_t cells, row;
  *all_short = true;
  if (!fastio__add(marks->separator.size, FASTIO__SLOT, &row) || !fastio__multiply(row, strip->columns, &row) ||
      !fastio__add(row, marks->end.size, &row) || !fastio__multiply(row, rows, &cells))
    return false;
  for (size_t i = 0; i < strip->columns; i++) {
    const fastio__texts *texts = &strip->texts[i];
    if (FASTIO__LIKELY(!has_long(texts->lengths, rows))) continue;
    *all_short = false;
    for (size_t r = 0; r < rows; r++)
      if (texts->lengths[r] == FASTIO__SLOT_OVERFLOW && !fastio__add(cells, texts->longs[r].size, &cells)) return false;
  }
  return fastio__add(cells, FASTIO__SLOT, out);
}

typedef uint64_t mark_word; /* a mark of so many bytes, as nearly all are, is one store */

static mark_word word_of(fastio_bytes mark) {
  mark_word word = 0;
  if (mark.size) memcpy(&word, mark.data, mark.size < sizeof word ? mark.size : sizeof word);
  return word;
}

/* Nothing but fixed stores: what is too much is overwritten by what follows. */
static char *merge_short(const fastio__strip *strip, size_t rows, const fastio__marks *marks, char *out) {
  const mark_word separator = word_of(marks->separator), end = word_of(marks->end);
  const size_t columns = strip->columns, stride = strip->slot_stride;
  const size_t separator_size = marks->separator.size, end_size = marks->end.size;
  for (size_t row = 0; row < rows; row++) {
    const char *slot = strip->texts[0].slots + row * FASTIO__SLOT;
    const uint8_t *length = strip->texts[0].lengths + row;
    for (size_t i = 0; i < columns; i++, slot += stride, length += FASTIO__STRIP) {
      memcpy(out, slot, FASTIO__SLOT);
      out += *length;
      memcpy(out, &separator, sizeof separator);
      out += separator_size;
    }
    out -= separator_size;
    memcpy(out, &end, sizeof end);
    out += end_size;
  }
  return out;
}

static char *put(char *out, fastio_bytes text) {
  if (text.size) memcpy(out, text.data, text.size);
  return out + text.size;
}

static char *merge_any(const fastio__strip *strip, size_t rows, const fastio__marks *marks, char *out) {
  for (size_t row = 0; row < rows; row++) {
    for (size_t i = 0; i < strip->columns; i++) {
      out = put(out, fastio__text_at(&strip->texts[i], row));
      out = put(out, marks->separator);
    }
    out = put(out - marks->separator.size, marks->end);
  }
  return out;
}

fastio_status fastio__strip_merge(const fastio__strip *strip, size_t rows, const fastio__marks *marks,
                                  fastio__piece *piece, fastio_error *err) {
  const bool short_marks = marks->separator.size <= sizeof(mark_word) && marks->end.size <= sizeof(mark_word);
  bool all_short;
  size_t bound;
  char *out = bound_of(strip, rows, marks, &bound, &all_short) ? fastio__piece_room(piece, bound) : NULL, *end;
  if (!out) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  end = all_short && short_marks ? merge_short(strip, rows, marks, out) : merge_any(strip, rows, marks, out);
  piece->size += (size_t)(end - out);
  piece->items += rows;
  return FASTIO_OK;
}
