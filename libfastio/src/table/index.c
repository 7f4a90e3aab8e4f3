/* The cells of a window. A kernel finds where fields end; if every record then has the right number of them and nothing
 * unusual is there, that is all. Otherwise the window goes through record.c, one record after the other. */
#include "index.h"

/* ---- memory ---- */

static uint32_t *reserve(fastio__index *index, size_t count) {
  size_t size;
  if (!fastio__multiply(count, sizeof(uint32_t), &size)) return NULL;
  if (size > index->memory_size) {
    fastio__release(index->env, index->memory, index->memory_size);
    index->memory = fastio__allocate(index->env, size);
    index->memory_size = index->memory ? size : 0;
  }
  return index->memory;
}

void fastio__index_free(fastio__index *index) {
  fastio__release(index->env, index->memory, index->memory_size);
  fastio__release(index->env, index->rows_at, 3 * index->row_capacity * sizeof(uint32_t));
  fastio__release(index->env, index->copy, index->copy_capacity);
  fastio__release(index->env, index->notes.items, index->notes.capacity * sizeof(fastio__note));
  fastio__bounds_free(&index->cells);
}

bool fastio__notes_add(fastio__notes *notes, const fastio__note *note) {
  if (notes->count == notes->capacity) {
    size_t capacity = notes->capacity ? 2 * notes->capacity : 16;
    fastio__note *items = fastio__reallocate(notes->env, notes->items, notes->capacity * sizeof *items,
                                             capacity * sizeof *items);
    if (!items) return false;
    notes->items = items;
    notes->capacity = capacity;
  }
  notes->items[notes->count++] = *note;
  return true;
}

static void fail(fastio__index *index, fastio_status status, const char *message, size_t at, size_t size) {
  index->status = status;
  index->message = message;
  index->failed_at = (uint32_t)at;
  index->failed_size = (uint32_t)size;
}

static bool add_row(fastio__index *index, size_t start, size_t end) {
  if (index->rows == index->row_capacity) {
    size_t capacity = fastio__grown(index->row_capacity, index->rows + 64), unit = 3 * sizeof(uint32_t), size;
    uint32_t *rows;
    if (!capacity || !fastio__multiply(capacity, unit, &size)) return false;
    rows = fastio__reallocate(index->env, index->rows_at, index->row_capacity * unit, size);
    if (!rows) return false;
    index->rows_at = rows;
    index->row_capacity = capacity;
  }
  uint32_t *row = index->rows_at + 3 * index->rows++;
  row[0] = (uint32_t)start;
  row[1] = (uint32_t)end;
  row[2] = (uint32_t)index->records++;
  return true;
}

/* ---- the quick ways; false: the window needs the slow one ---- */

static bool has_byte(const fastio__window *window, int byte) {
  return byte != FASTIO_NONE && window->size && memchr(window->data, byte, window->size);
}

/* Whether an option matters here that the kernels know nothing of. */
static bool is_unusual(const fastio__dialect *d, const fastio__window *window) {
  return d->widths || d->newline >= 0 || has_byte(window, d->escape) ||
         ((d->comment_anywhere || d->separator_size == 0) && has_byte(window, d->comment));
}

/* The last cell of a row ends before "\r\n", too. Without newline at the end of the data, '\r' is text. */
static bool ends_in_return(const fastio__index *index, size_t row, uint32_t end) {
  const uint32_t *next = index->edges + (row + 1) * index->row_edges;
  return end < index->size && end > next[-2] + 1 && index->data[end - 1] == '\r';
}

/* Each row must end in a newline; that the others do not follows from their number. Looks at the starts of rows, too. */
static bool rows_are_regular(fastio__index *index, const fastio__dialect *d, size_t newlines, bool returns) {
  const uint8_t *data = index->data;
  const uint32_t *edges = index->edges;
  size_t step = index->row_edges, stripped = 0;
  bool trailing = step > index->fields;
  uint32_t start = 0;
  if (newlines != index->rows) return false;
  for (size_t row = 0; row < index->rows; row++) {
    uint32_t end = edges[(row + 1) * step - 1];
    if (end < index->size && data[end] != '\n') return false;
    if (d->comment != FASTIO_NONE && data[start] == d->comment && start < index->size) return false;
    if (returns) {
      bool strip = ends_in_return(index, row, end);
      index->last_ends[row] = end - strip;
      stripped += strip;
    }
    uint32_t text_end = returns ? index->last_ends[row] : end;
    if (step == 1 && text_end == start && !d->blank_records) return false;
    /* a separator at the end: of every row, or of none */
    if (d->trailing_separator && step > 1 && (text_end == edges[(row + 1) * step - 2] + 1) != trailing) return false;
    start = end + 1;
  }
  return !returns || d->newline == FASTIO_NEWLINE_LF || fastio__simd()->count_byte(data, index->size, '\r') == stripped;
}

static bool index_edges(fastio__index *index, const fastio__dialect *d, const fastio__window *window) {
  uint32_t *edges = index->memory + 1;
  fastio__edges found = fastio__simd()->find_edges(window->data, window->size, d->separator[0], d->quote, edges);
  bool returns = (found.seen & FASTIO__SEEN_RETURN) != 0, quotes = (found.seen & FASTIO__SEEN_QUOTE) != 0;
  if (found.seen & (FASTIO__SEEN_MISPLACED | FASTIO__SEEN_OPEN) || (quotes && !d->doubling)) return false;
  edges[-1] = UINT32_MAX;
  if (window->size > 0 && (found.count == 0 || edges[found.count - 1] != window->size - 1 ||
                           window->data[window->size - 1] != '\n')) { /* the last record has no newline */
    edges[found.count++] = (uint32_t)window->size;
    found.newlines++;
  }
  index->row_edges = index->fields;
  if (d->trailing_separator && found.count == found.newlines * (index->fields + 1)) index->row_edges++;
  index->rows = found.count / index->row_edges;
  if (found.count % index->row_edges != 0) return false;
  index->edges = edges;
  index->has_quotes = quotes;
  index->last_ends = returns ? edges + found.count : NULL;
  if (!rows_are_regular(index, d, found.newlines, returns)) return false;
  index->records = index->rows;
  return true;
}

/* Whether each of the lines has the words of one row. */
static bool lines_are_rows(const uint32_t *bounds, const uint32_t *newlines, size_t lines, size_t step) {
  uint32_t start = 0;
  bool fits = true;
  for (size_t line = 0; line < lines; line++, bounds += 2 * step) {
    fits &= bounds[0] >= start && bounds[2 * step - 1] <= newlines[line];
    start = newlines[line] + 1;
  }
  return fits;
}

/* Words between newlines. */
static bool index_words(fastio__index *index, const fastio__dialect *d, const fastio__window *window) {
  uint32_t *bounds = index->memory, *newlines = bounds + window->size + 64;
  size_t line_start = 0, word = 0, step = index->fields;
  fastio__words found;
  if (has_byte(window, d->quote) || (d->newline == FASTIO_NEWLINE_ANY && has_byte(window, '\r'))) return false;
  found = fastio__simd()->find_words(window->data, window->size, bounds, newlines);
  newlines[found.newlines] = (uint32_t)window->size;
  size_t lines = found.newlines + (window->size > 0 && window->data[window->size - 1] != '\n');
  if (found.count == lines * step && lines_are_rows(bounds, newlines, lines, step)) {
    index->rows = index->records = lines;
    index->line_ends = newlines;
    index->bounds = bounds;
    return true;
  }
  for (size_t line = 0; line <= found.newlines; line++) {
    size_t end = newlines[line], behind = end < window->size ? end + 1 : end;
    if (word < found.count && bounds[2 * word] < end) {
      if (found.count - word < step || bounds[2 * (word + step) - 1] > end ||
          (found.count - word > step && bounds[2 * (word + step)] < end))
        return false;
      if (!add_row(index, line_start, behind)) {
        fail(index, FASTIO_NO_MEMORY, NULL, 0, 0);
        return true;
      }
      word += step;
    } else if (end > line_start || line < found.newlines) {
      if (d->blank_records) return false;
      index->report.blank_lines++;
    }
    line_start = behind;
  }
  index->bounds = bounds;
  return true;
}

/* ---- ragged records ---- */

static bool note(fastio__index *index, size_t at, size_t fields) {
  fastio__note entry = {FASTIO_RAGGED, (uint32_t)at, (uint32_t)index->records, fields};
  return fastio__notes_add(&index->notes, &entry);
}

static bool reserve_copy(fastio__index *index, size_t more) {
  size_t needed, capacity;
  uint8_t *copy;
  if (!fastio__add(index->copy_size, more, &needed) || needed > UINT32_MAX) return false;
  if (needed <= index->copy_capacity) return true;
  capacity = fastio__grown(index->copy_capacity, needed);
  copy = capacity ? fastio__reallocate(index->env, index->copy, index->copy_capacity, capacity) : NULL;
  if (!copy) return false;
  index->copy = copy;
  index->copy_capacity = capacity;
  return true;
}

static void put(fastio__index *index, uint8_t byte) { index->copy[index->copy_size++] = byte; }

/* Appends a text as a cell that reads as that text, and its bounds (with respect to the window's first byte). */
static bool put_cell(fastio__index *index, const fastio__dialect *d, const fastio_bytes *text) {
  const uint8_t *p = text->data;
  size_t size = text->size, start;
  bool wrap;
  if (size > (SIZE_MAX - 4 * FASTIO__PAD) / 2 || !reserve_copy(index, 2 * size + 2 + FASTIO__PAD)) return false;
  start = index->copy_size;
  wrap = size > 0 && d->quote != FASTIO_NONE && !d->widths &&
         (p[0] == d->quote || (d->trim && (fastio__is_blank(p[0]) || fastio__is_blank(p[size - 1]))));
  if (wrap) put(index, (uint8_t)d->quote);
  for (size_t i = 0; i < size; i++) {
    if (p[i] == d->escape) put(index, (uint8_t)d->escape);
    else if (wrap && p[i] == d->quote && (d->doubling || d->escape != FASTIO_NONE))
      put(index, (uint8_t)(d->doubling ? d->quote : d->escape));
    put(index, p[i]);
  }
  if (wrap) put(index, (uint8_t)d->quote);
  if (!fastio__bounds_reserve(&index->cells, 2)) return false;
  index->cells.at[index->cells.count++] = (uint32_t)(start - FASTIO__PAD);
  index->cells.at[index->cells.count++] = (uint32_t)(index->copy_size - FASTIO__PAD);
  return true;
}

/* The window before the rewritten cells; so that all cells of the window have one base. */
static bool begin_copy(fastio__index *index, const fastio__window *window) {
  if (index->copy_size > 0) return true;
  if (!reserve_copy(index, window->size + 3 * FASTIO__PAD)) return false;
  memset(index->copy, '\n', FASTIO__PAD);
  if (window->size) memcpy(index->copy + FASTIO__PAD, window->data, window->size);
  memset(index->copy + FASTIO__PAD + window->size, '\n', FASTIO__PAD);
  index->copy_size = window->size + 2 * FASTIO__PAD;
  return true;
}

/* The texts of the cells from bounds[first] on, as one block: `count` descriptions, then the bytes. */
static fastio_bytes *texts_of(const fastio__index *index, const fastio__dialect *d, size_t first, size_t count,
                              size_t *block_size) {
  const uint32_t *at = index->cells.at + first;
  size_t bytes = 0;
  bool quoted;
  for (size_t i = 0; i < count; i++) bytes += at[2 * i + 1] - at[2 * i];
  *block_size = (count + 1) * sizeof(fastio_bytes) + bytes;
  fastio_bytes *texts = fastio__allocate(index->env, *block_size);
  uint8_t *out = (uint8_t *)(texts + count + 1);
  for (size_t i = 0; texts && i < count; i++) {
    texts[i].data = out;
    texts[i].size = fastio__cell_text(d, index->data + at[2 * i], index->data + at[2 * i + 1], out, &quoted);
    out += texts[i].size;
  }
  return texts;
}

/* Asks the callback. The answer's cells take the place of the record's. -1: failed; 0: drop it; 1: keep it. */
static int replace_record(fastio__index *index, const fastio__shape *shape, const fastio__window *window, size_t first,
                          size_t count) {
  const fastio_bytes *out = NULL;
  size_t block_size;
  fastio_bytes *texts = texts_of(index, shape->dialect, first, count, &block_size);
  int answer;
  if (!texts) {
    fail(index, FASTIO_NO_MEMORY, NULL, 0, 0);
    return -1;
  }
  answer = shape->ragged(shape->ragged_ctx, texts, count, index->fields, &out);
  index->cells.count = first;
  if (answer < 0 || (answer > 0 && !out)) {
    fail(index, FASTIO_CALLBACK_FAILED, NULL, 0, 0);
    answer = -1;
  }
  for (size_t i = 0; answer > 0 && i < index->fields; i++)
    if (!begin_copy(index, window) || !put_cell(index, shape->dialect, &out[i])) {
      fail(index, FASTIO_NO_MEMORY, NULL, 0, 0);
      answer = -1;
    }
  fastio__release(index->env, texts, block_size);
  return answer;
}

static bool pad_record(fastio__index *index, size_t count) {
  size_t more = 2 * (index->fields - count);
  if (!fastio__bounds_reserve(&index->cells, more)) return false;
  for (; more > 0; more--) index->cells.at[index->cells.count++] = (uint32_t)FASTIO__MISSING(index);
  return true;
}

/* A record of `count` fields from bounds[first] on that should have another number of them. -1: indexing stops; 0: drop
 * it; 1: it has the right number now. */
static int settle_ragged(fastio__index *index, const fastio__shape *shape, const fastio__window *window, size_t first,
                         size_t start, size_t end) {
  size_t count = (index->cells.count - first) / 2;
  bool is_short = count < index->fields;
  int kept = 1;
  if (!(shape->on_ragged & ~(is_short ? FASTIO_RAGGED_TRUNCATE : FASTIO_RAGGED_PAD))) {
    fail(index, FASTIO_RAGGED, is_short ? "too few fields in the record" : "too many fields in the record", start,
         fastio__line_text(shape->dialect, index->data, start, end));
    index->failed_field = count;
    return -1;
  }
  if (!note(index, start, count)) {
    fail(index, FASTIO_NO_MEMORY, NULL, 0, 0);
    return -1;
  }
  if (shape->on_ragged & FASTIO_RAGGED_SKIP) {
    kept = 0;
  } else if (shape->on_ragged & FASTIO_RAGGED_CALL) {
    kept = replace_record(index, shape, window, first, count);
    index->report.replaced += kept > 0;
  } else if (!is_short) {
    index->cells.count = first + 2 * index->fields;
    index->report.truncated++;
  } else {
    if (!pad_record(index, count)) {
      fail(index, FASTIO_NO_MEMORY, NULL, 0, 0);
      return -1;
    }
    index->report.padded++;
  }
  if (kept == 0) {
    index->cells.count = first;
    index->report.skipped++;
    index->records++;
  }
  return kept;
}

/* ---- the slow way ---- */

static bool take_record(fastio__index *index, const fastio__shape *shape, const fastio__window *window, size_t first,
                        size_t start, size_t end) {
  if (index->fields == FASTIO__ANY_FIELDS) {
    index->cells.count = 0;
  } else if (index->cells.count - first != 2 * index->fields) {
    int kept = settle_ragged(index, shape, window, first, start, end);
    if (kept <= 0) return kept == 0;
  }
  if (add_row(index, start, end)) return true;
  fail(index, FASTIO_NO_MEMORY, NULL, 0, 0);
  return false;
}

static void index_slowly(fastio__index *index, const fastio__shape *shape, const fastio__window *window) {
  const fastio__dialect *d = shape->dialect;
  size_t at = 0;
  bool more = true;
  while (more && at < window->size && index->rows < shape->row_limit) {
    size_t start = at, first = index->cells.count;
    fastio__fault fault;
    switch (fastio__record_next(d, index->data, start, window->size, true, &index->cells, &at, &fault)) {
      case FASTIO__RECORD: more = take_record(index, shape, window, first, start, at); break;
      case FASTIO__RECORD_BLANK: index->report.blank_lines++; break;
      case FASTIO__RECORD_COMMENT: index->report.comment_lines++; break;
      case FASTIO__RECORD_FAULTY:
        fail(index, FASTIO_BAD_QUOTE, fault.message, fault.at,
             fastio__line_text(d, index->data, fault.at, window->size));
        index->failed_field = (index->cells.count - first) / 2 + 1;
        more = false;
        break;
      default: fail(index, FASTIO_NO_MEMORY, NULL, 0, 0); more = false;
    }
  }
  index->has_quotes = d->quote != FASTIO_NONE;
  index->bounds = index->cells.at;
  if (index->copy_size > 0) index->data = index->copy + FASTIO__PAD;
}

static void clear(fastio__index *index, const fastio__shape *shape, const fastio__window *window) {
  index->data = window->data;
  index->size = window->size;
  index->fields = shape->fields;
  index->rows = index->records = 0;
  index->has_quotes = false;
  index->edges = index->bounds = index->line_ends = NULL;
  index->last_ends = NULL;
  index->status = FASTIO_OK;
  index->failed_field = 0;
  index->cells.env = index->notes.env = index->env;
  index->cells.count = index->notes.count = index->copy_size = 0;
  memset(&index->report, 0, offsetof(fastio_report, places));
}

static bool index_quickly(fastio__index *index, const fastio__shape *shape, const fastio__window *window) {
  const fastio__dialect *d = shape->dialect;
  bool found;
  if (shape->fields == FASTIO__ANY_FIELDS || d->separator_size > 1 || is_unusual(d, window)) return false;
  /* edges, one before and one behind them, and ends of rows; or words and newlines */
  if (!reserve(index, 2 * window->size + 256)) {
    fail(index, FASTIO_NO_MEMORY, NULL, 0, 0);
    return true;
  }
  found = d->separator_size ? index_edges(index, d, window) : index_words(index, d, window);
  if (!found) clear(index, shape, window);
  return found;
}

void fastio__index_build(fastio__index *index, const fastio__shape *shape, const fastio__window *window) {
  clear(index, shape, window);
  if (window->size > UINT32_MAX - 8 * FASTIO__PAD) {
    fail(index, FASTIO_UNSUPPORTED, "a record of 4 GiB or more", 0, 0);
    return;
  }
  if (!index_quickly(index, shape, window)) index_slowly(index, shape, window);
}

/* ---- asking ---- */

fastio__cells fastio__index_cells(const fastio__index *index, size_t field) {
  fastio__cells cells;
  cells.data = index->data;
  cells.count = index->rows;
  if (!index->edges) {
    cells.starts = index->bounds + 2 * field;
    cells.ends = cells.starts + 1;
    cells.start_step = cells.end_step = 2 * index->fields;
    cells.gap = 0;
    return cells;
  }
  cells.starts = index->edges + field - 1;
  cells.ends = index->edges + field;
  cells.start_step = cells.end_step = index->row_edges;
  cells.gap = 1;
  if (field == index->row_edges - 1 && index->last_ends) {
    cells.ends = index->last_ends;
    cells.end_step = 1;
  }
  return cells;
}

size_t fastio__index_row_start(const fastio__index *index, size_t row) {
  if (index->line_ends) return row ? (size_t)index->line_ends[row - 1] + 1 : 0;
  return index->edges ? (uint32_t)(index->edges[row * index->row_edges - 1] + 1) : index->rows_at[3 * row];
}

size_t fastio__index_row_end(const fastio__index *index, size_t row) {
  size_t end;
  if (!index->edges && !index->line_ends) return index->rows_at[3 * row + 1];
  end = (size_t)(index->edges ? index->edges[(row + 1) * index->row_edges - 1] : index->line_ends[row]) + 1;
  return end < index->size ? end : index->size;
}
