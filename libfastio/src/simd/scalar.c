/* The table for every machine: plain C on 64-bit words, whatever their byte order. */
#include "cells.h"
#include "edges.h"
#include "tables.h"
#include "token.h"

#define LOW_BITS (0x7f * FASTIO__EACH_BYTE)
#define HIGH_BITS (0x80 * FASTIO__EACH_BYTE)

/* ---- bytes: masks with the top bit of each byte that matches ---- */

static uint64_t zero_bytes(uint64_t x) { return ~(((x & LOW_BITS) + LOW_BITS) | x | LOW_BITS); }

static uint64_t space_bytes(uint64_t x) {
  uint64_t low = x & LOW_BITS;
  uint64_t from_9 = low + (0x80 - 9) * FASTIO__EACH_BYTE, from_14 = low + (0x80 - 14) * FASTIO__EACH_BYTE;
  return (from_9 & ~from_14 & ~x & HIGH_BITS) | zero_bytes(x ^ ' ' * FASTIO__EACH_BYTE);
}

/* The sum of eight byte counters. */
static size_t sum_bytes(uint64_t x) {
  x = (x & UINT64_C(0x00ff00ff00ff00ff)) + ((x >> 8) & UINT64_C(0x00ff00ff00ff00ff));
  return (size_t)((x * UINT64_C(0x0001000100010001)) >> 48);
}

static size_t count_byte(const uint8_t *data, size_t size, uint8_t byte) {
  size_t count = 0, i = 0;
  while (size - i >= 8) {
    /* A byte counter holds 255. */
    size_t stop = size - i >= 255 * 8 ? i + 255 * 8 : i + (size - i) / 8 * 8;
    uint64_t counters = 0;
    for (; i < stop; i += 8) counters += zero_bytes(fastio__load64le(data + i) ^ byte * FASTIO__EACH_BYTE) >> 7;
    count += sum_bytes(counters);
  }
  for (; i < size; i++) count += data[i] == byte;
  return count;
}

static size_t count_tokens(const uint8_t *data, size_t size) {
  size_t count = 0, i = 0;
  uint64_t before = 0x80; /* whether the last byte was white space */
  while (size - i >= 8) {
    size_t stop = size - i >= 255 * 8 ? i + 255 * 8 : i + (size - i) / 8 * 8;
    uint64_t counters = 0;
    for (; i < stop; i += 8) {
      uint64_t spaces = space_bytes(fastio__load64le(data + i));
      counters += (~spaces & (spaces << 8 | before) & HIGH_BITS) >> 7;
      before = spaces >> 56;
    }
    count += sum_bytes(counters);
  }
  for (bool space = before != 0; i < size; i++) {
    count += space && !fastio__is_space(data[i]);
    space = fastio__is_space(data[i]);
  }
  return count;
}

static size_t ascii_prefix(const uint8_t *data, size_t size) {
  size_t i = 0;
  while (size - i >= 8 && (fastio__load64le(data + i) & HIGH_BITS) == 0) i += 8;
  while (i < size && data[i] < 0x80) i++;
  return i;
}

static size_t find_byte(const uint8_t *data, size_t size, uint8_t byte, uint32_t *positions) {
  size_t count = 0, i = 0;
  for (; size - i >= 8; i += 8) {
    uint64_t found = zero_bytes(fastio__load64le(data + i) ^ byte * FASTIO__EACH_BYTE);
    for (; found != 0; found &= found - 1) positions[count++] = (uint32_t)(i + (fastio__ctz64(found) >> 3));
  }
  for (; i < size; i++)
    if (data[i] == byte) positions[count++] = (uint32_t)i;
  return count;
}

/* A byte that means something to find_edges. */
FASTIO__INLINE void take_edge(const fastio__edge_job *job, size_t i, bool *open, fastio__edges *found,
                              uint32_t *positions) {
  uint8_t c = job->data[i];
  if (c == job->quote) {
    bool fits = *open ? fastio__may_follow(job, i + 1) : fastio__may_open(job, i);
    found->seen |= FASTIO__SEEN_QUOTE | (fits ? 0 : FASTIO__SEEN_MISPLACED);
    *open = !*open;
  } else if (fastio__is_edge(job, c) && !*open) {
    positions[found->count++] = (uint32_t)i;
    found->newlines += c == '\n';
  }
  if (c == '\r') found->seen |= FASTIO__SEEN_RETURN;
}

static fastio__edges find_edges(const uint8_t *data, size_t size, uint8_t separator, int quote, uint32_t *positions) {
  const fastio__edge_job job = {data, size, separator, quote};
  const uint64_t quotes = (quote < 0 ? separator : (uint8_t)quote) * FASTIO__EACH_BYTE;
  fastio__edges found = {0, 0, 0};
  bool open = false;
  size_t i = 0;
  for (; size - i >= 8; i += 8) {
    uint64_t x = fastio__load64le(data + i);
    uint64_t m = zero_bytes(x ^ separator * FASTIO__EACH_BYTE) | zero_bytes(x ^ '\n' * FASTIO__EACH_BYTE) |
                 zero_bytes(x ^ '\r' * FASTIO__EACH_BYTE) | zero_bytes(x ^ quotes);
    for (; m != 0; m &= m - 1) take_edge(&job, i + (fastio__ctz64(m) >> 3), &open, &found, positions);
  }
  for (; i < size; i++) take_edge(&job, i, &open, &found, positions);
  if (open) found.seen |= FASTIO__SEEN_OPEN;
  return found;
}

static fastio__words find_words(const uint8_t *data, size_t size, uint32_t *edges, uint32_t *newlines) {
  fastio__words found = {0, 0};
  size_t count = 0;
  bool before = true; /* whether the last byte was white space */
  for (size_t i = 0; i < size; i++) {
    bool space = fastio__is_space(data[i]);
    if (space != before) edges[count++] = (uint32_t)i;
    if (data[i] == '\n') newlines[found.newlines++] = (uint32_t)i;
    before = space;
  }
  if (!before) edges[count++] = (uint32_t)size;
  found.count = count / 2;
  return found;
}

/* ---- numbers ---- */

FASTIO__INLINE size_t integers(const uint8_t **at, const uint8_t *end, uint64_t *out, size_t capacity, int separator,
                               bool is_signed) {
  if (!fastio__separator_is_plain(separator)) return 0;
  size_t count = 0;
  const uint8_t *p = *at;
  for (; count < capacity; count++) {
    const uint8_t *q = fastio__skip_blanks(p, end, separator);
    if (q >= end || !fastio__take_integer(&q, end, separator, is_signed, &out[count])) break;
    p = q;
  }
  *at = p;
  return count;
}

static size_t parse_i64(const uint8_t **at, const uint8_t *end, int64_t *out, size_t capacity, int separator) {
  return integers(at, end, (uint64_t *)out, capacity, separator, true);
}

static size_t parse_u64(const uint8_t **at, const uint8_t *end, uint64_t *out, size_t capacity, int separator) {
  return integers(at, end, out, capacity, separator, false);
}

FASTIO__INLINE size_t floats(const uint8_t **at, const uint8_t *end, void *out, size_t capacity, int separator,
                             bool is_float32, fastio__decimals *rest) {
  if (!fastio__separator_is_plain(separator)) return 0;
  if (capacity > UINT32_MAX) capacity = UINT32_MAX; /* decimal->index */
  size_t count = 0;
  const uint8_t *p = *at;
  for (; count < capacity && rest->count < sizeof rest->items / sizeof *rest->items; count++) {
    const uint8_t *q = fastio__skip_blanks(p, end, separator);
    fastio__decimal *decimal = &rest->items[rest->count];
    if (q >= end || !fastio__take_decimal(&q, end, separator, decimal)) break;
    decimal->index = (uint32_t)count;
    rest->count += !fastio__write_easily(decimal, is_float32, (char *)out + count * (is_float32 ? 4 : 8));
    p = q;
  }
  *at = p;
  return count;
}

static size_t parse_f64(const uint8_t **at, const uint8_t *end, double *out, size_t capacity, int separator,
                        fastio__decimals *rest) {
  return floats(at, end, out, capacity, separator, false, rest);
}

static size_t parse_f32(const uint8_t **at, const uint8_t *end, float *out, size_t capacity, int separator,
                        fastio__decimals *rest) {
  return floats(at, end, out, capacity, separator, true, rest);
}

/* ---- cells ---- */

static void cells_i64(const fastio__cells *cells, fastio__cell_progress *progress, int64_t *out) {
  fastio__convert_singly(cells, cells->count, progress, out, FASTIO__I64);
}

static void cells_u64(const fastio__cells *cells, fastio__cell_progress *progress, uint64_t *out) {
  fastio__convert_singly(cells, cells->count, progress, out, FASTIO__U64);
}

static void cells_f64(const fastio__cells *cells, fastio__cell_progress *progress, double *out) {
  fastio__convert_singly(cells, cells->count, progress, out, FASTIO__F64);
}

static void cells_f32(const fastio__cells *cells, fastio__cell_progress *progress, float *out) {
  fastio__convert_singly(cells, cells->count, progress, out, FASTIO__F32);
}

size_t fastio__put_no_integers(const uint64_t *values, size_t count, bool is_signed, uint8_t separator, char **out) {
  (void)values, (void)count, (void)is_signed, (void)separator, (void)out;
  return 0;
}

char *fastio__put_f64_singly(const uint64_t *bits, size_t count, const fastio__f64_help *help, const char *separator,
                             size_t separator_size, char *out) {
  for (size_t i = 0; i < count; i++) {
    double value;
    memcpy(&value, bits + i, sizeof value);
    out += help->other(value, out);
    memcpy(out, separator, 16);
    out += separator_size;
  }
  return out;
}

void fastio__put_f64_slots_singly(const uint64_t *bits, size_t count, const fastio__f64_help *help, char *slots,
                                  size_t slot, uint8_t *lengths) {
  for (size_t i = 0; i < count; i++) {
    double value;
    memcpy(&value, bits + i, sizeof value);
    lengths[i] = (uint8_t)help->other(value, slots + i * slot);
  }
}

size_t fastio__put_no_integer_slots(const uint64_t *values, size_t count, bool is_signed, char *slots, size_t slot,
                                    uint8_t *lengths) {
  (void)values, (void)count, (void)is_signed, (void)slots, (void)slot, (void)lengths;
  return 0;
}

/* ---- UTF-8 and UTF-16 ---- */

#define ISA
#define ASCII_RUN 8

FASTIO__INLINE bool widen(const uint8_t *p, uint8_t *out, bool big) {
  if (fastio__load64le(p) & UINT64_C(0x8080808080808080)) return false;
  for (int i = 0; i < ASCII_RUN; i++) {
    out[2 * i + big] = p[i];
    out[2 * i + !big] = 0;
  }
  return true;
}

FASTIO__INLINE bool narrow(const uint8_t *p, uint8_t *out, bool big) {
  const uint64_t others = big ? UINT64_C(0x80FF80FF80FF80FF) : UINT64_C(0xFF80FF80FF80FF80);
  if ((fastio__load64le(p) | fastio__load64le(p + 8)) & others) return false;
  for (int i = 0; i < ASCII_RUN; i++) out[i] = p[2 * i + big];
  return true;
}

#include "utf16.h"

static bool always(void) { return true; }

/* Who asks goes on by itself. */
static size_t utf8_prefix(const uint8_t *data, size_t size) {
  (void)data, (void)size;
  return 0;
}

static uint64_t utf8_count(const uint8_t *data, size_t size) {
  uint64_t count = 0;
  for (size_t i = 0; i < size; i++) count += (data[i] & 0xC0) != 0x80;
  return count;
}

const fastio__kernels fastio__scalar = {
    "scalar",
    always,
    count_byte,
    count_tokens,
    ascii_prefix,
    utf8_prefix,
    utf8_count,
    find_byte,
    parse_i64,
    parse_u64,
    parse_f64,
    parse_f32,
    find_edges,
    find_words,
    cells_i64,
    cells_u64,
    cells_f64,
    cells_f32,
    fastio__put_no_integers,
    fastio__put_no_integer_slots,
    fastio__put_f64_singly,
    fastio__put_f64_slots_singly,
    to_utf16,
    from_utf16,
};
