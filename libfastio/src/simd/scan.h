/* The text of the byte kernels, once for every vector instruction set. Private to simd; included after these were
 * defined
 *   ISA, block, table, load(p), equal(b, byte), separators(b, &table), table_for(separator, &table)   as in kernels.h
 *   high_bits(b)                       mask of bytes above 127
 *   store_positions(mask, base, out)   base + the position of every bit; may write up to 64 values; returns how many
 *         bits
 *
 * Whole blocks are read in place, what is left over from a copy filled up with bytes that do not count. */

ISA FASTIO__INLINE block load_tail(const uint8_t *data, size_t size, uint8_t filler) {
  uint8_t copy[64];
  memset(copy, filler, sizeof copy);
  if (size > 0) memcpy(copy, data, size);
  return load(copy);
}

ISA static size_t count_byte(const uint8_t *data, size_t size, uint8_t byte) {
  size_t count = 0, other = 0, i = 0;
  for (; size - i >= 128; i += 128) {
    count += fastio__popcount64(equal(load(data + i), byte));
    other += fastio__popcount64(equal(load(data + i + 64), byte));
  }
  for (; size - i >= 64; i += 64) count += fastio__popcount64(equal(load(data + i), byte));
  return count + other + fastio__popcount64(equal(load_tail(data + i, size - i, (uint8_t)~byte), byte));
}

ISA static size_t count_tokens(const uint8_t *data, size_t size) {
  table spaces;
  table_for(-1, &spaces);
  size_t count = 0, i = 0;
  uint64_t before = 1; /* whether the last byte was white space */
  for (; size - i >= 64; i += 64) {
    uint64_t m = separators(load(data + i), &spaces);
    count += fastio__popcount64(~m & (m << 1 | before));
    before = m >> 63;
  }
  uint64_t m = separators(load_tail(data + i, size - i, ' '), &spaces);
  return count + fastio__popcount64(~m & (m << 1 | before));
}

ISA static size_t ascii_prefix(const uint8_t *data, size_t size) {
  size_t i = 0;
  for (; size - i >= 64; i += 64) {
    uint64_t m = high_bits(load(data + i));
    if (FASTIO__UNLIKELY(m != 0)) return i + fastio__ctz64(m);
  }
  uint64_t m = high_bits(load_tail(data + i, size - i, 0));
  return m != 0 ? i + fastio__ctz64(m) : size;
}

ISA static size_t find_byte(const uint8_t *data, size_t size, uint8_t byte, uint32_t *positions) {
  size_t count = 0, i = 0;
  for (; size - i >= 64; i += 64) {
    uint64_t m = equal(load(data + i), byte);
    if (m != 0) count += store_positions(m, (uint32_t)i, positions + count);
  }
  uint64_t m = equal(load_tail(data + i, size - i, (uint8_t)~byte), byte);
  if (m != 0) count += store_positions(m, (uint32_t)i, positions + count);
  return count;
}

/* The edges of a block, none of them behind its `size` bytes; stores them and adds up what was seen. */
ISA FASTIO__INLINE void add_edges(const fastio__edge_job *job, size_t at, size_t size, block b, bool *open,
                                  fastio__edges *found, uint32_t *positions) {
  fastio__edge_masks m;
  m.valid = size < 64 ? (UINT64_C(1) << size) - 1 : UINT64_MAX;
  m.newlines = equal(b, '\n') & m.valid;
  m.edges = (equal(b, job->separator) & m.valid) | m.newlines;
  m.returns = equal(b, '\r') & m.valid;
  m.quotes = job->quote < 0 ? 0 : equal(b, (uint8_t)job->quote) & m.valid;
  if (m.returns != 0) found->seen |= FASTIO__SEEN_RETURN;
  if ((m.quotes != 0) | *open) fastio__resolve_quotes(job, at, &m, open, &found->seen);
  found->newlines += fastio__popcount64(m.newlines & m.edges);
  if (m.edges != 0) found->count += store_positions(m.edges, (uint32_t)at, positions + found->count);
}

ISA static fastio__edges find_edges(const uint8_t *data, size_t size, uint8_t separator, int quote,
                                    uint32_t *positions) {
  const fastio__edge_job job = {data, size, separator, quote};
  fastio__edges found = {0, 0, 0};
  bool open = false;
  size_t i = 0;
  for (; size - i >= 64; i += 64) add_edges(&job, i, 64, load(data + i), &open, &found, positions);
  add_edges(&job, i, size - i, load_tail(data + i, size - i, 0), &open, &found, positions);
  if (open) found.seen |= FASTIO__SEEN_OPEN;
  return found;
}

ISA static fastio__words find_words(const uint8_t *data, size_t size, uint32_t *edges, uint32_t *newlines) {
  table spaces;
  table_for(-1, &spaces);
  fastio__words found = {0, 0};
  size_t count = 0, i = 0;
  uint64_t before = 1; /* whether the last byte was white space */
  for (;; i += 64) {
    bool last = size - i < 64; /* there the filler ends a word */
    block b = last ? load_tail(data + i, size - i, ' ') : load(data + i);
    uint64_t m = separators(b, &spaces), changes = m ^ (m << 1 | before), ends_of_lines = equal(b, '\n');
    before = m >> 63;
    if (changes != 0) count += store_positions(changes, (uint32_t)i, edges + count);
    if (ends_of_lines != 0) found.newlines += store_positions(ends_of_lines, (uint32_t)i, newlines + found.newlines);
    if (last) break;
  }
  found.count = count / 2;
  return found;
}
