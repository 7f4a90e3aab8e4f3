/* Is it UTF-8, the text of the kernel once for every table. Private to simd; included after the definition of
 *   ISA                  the target attribute of every function here
 *   V, V_SIZE            a vector of bytes, how many
 *   v_load(p)            from any address
 *   v_all(byte), v_or(a, b), v_and(a, b), v_xor(a, b)
 *   v_less(a, byte)      a - byte, or 0
 *   v_look(table, a)     the entry of a 16-byte table for each nibble in a
 *   v_high(a), v_low(a)  the nibbles
 *   v_any(a)             whether any bit is set; v_any_high(a): the top bit of any byte
 *
 * After J. Keiser and D. Lemire, "Validating UTF-8 in less than one instruction per byte", Software: Practice and
 * Experience 51 (2021): whether two neighbours may stand together is the AND of three tables' entries, for the high and
 * low nibbles of the first and the high one of the second, with a bit for each kind of fault; third and fourth bytes
 * are told by the leads two and three bytes before them. */

enum { UTF8_BLOCK = 64, UTF8_BEFORE = 3 };

/* Faults of two neighbours; the last is none by itself: two continuations, of which something before must have asked for
 * the second. */
enum {
  TOO_SHORT = 1,  /* a lead without a continuation */
  TOO_LONG = 2,   /* ASCII with one */
  OVERLONG_3 = 4, /* E0 before 80 to 9F */
  TOO_LARGE = 8,  /* F4 before 90 and up, and more */
  SURROGATE = 16, /* ED before A0 and up */
  OVERLONG_2 = 32,
  TOO_LARGE_1000 = 64, /* F5 and up before 80 to 8F */
  OVERLONG_4 = 64,     /* F0 before the same */
  TWO_CONTINUATIONS = 128,
  CARRY = TOO_SHORT | TOO_LONG | TWO_CONTINUATIONS /* for those any low nibble will do */
};

static const uint8_t first_high[16] = {
    TOO_LONG,
    TOO_LONG,
    TOO_LONG,
    TOO_LONG,
    TOO_LONG,
    TOO_LONG,
    TOO_LONG,
    TOO_LONG,
    TWO_CONTINUATIONS,
    TWO_CONTINUATIONS,
    TWO_CONTINUATIONS,
    TWO_CONTINUATIONS,
    TOO_SHORT | OVERLONG_2,
    TOO_SHORT,
    TOO_SHORT | OVERLONG_3 | SURROGATE,
    TOO_SHORT | TOO_LARGE | TOO_LARGE_1000 | OVERLONG_4,
};
static const uint8_t first_low[16] = {
    CARRY | OVERLONG_3 | OVERLONG_2 | OVERLONG_4,
    CARRY | OVERLONG_2,
    CARRY,
    CARRY,
    CARRY | TOO_LARGE,
    CARRY | TOO_LARGE | TOO_LARGE_1000,
    CARRY | TOO_LARGE | TOO_LARGE_1000,
    CARRY | TOO_LARGE | TOO_LARGE_1000,
    CARRY | TOO_LARGE | TOO_LARGE_1000,
    CARRY | TOO_LARGE | TOO_LARGE_1000,
    CARRY | TOO_LARGE | TOO_LARGE_1000,
    CARRY | TOO_LARGE | TOO_LARGE_1000,
    CARRY | TOO_LARGE | TOO_LARGE_1000,
    CARRY | TOO_LARGE | TOO_LARGE_1000 | SURROGATE,
    CARRY | TOO_LARGE | TOO_LARGE_1000,
    CARRY | TOO_LARGE | TOO_LARGE_1000,
};
static const uint8_t second_high[16] = {
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
    TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS | OVERLONG_3 | TOO_LARGE_1000 | OVERLONG_4,
    TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS | OVERLONG_3 | TOO_LARGE,
    TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS | SURROGATE | TOO_LARGE,
    TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS | SURROGATE | TOO_LARGE,
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
    TOO_SHORT,
};

/* Where a byte and those before it can't be; UTF8_BEFORE bytes before p are readable. */
ISA FASTIO__INLINE V utf8_faults(const uint8_t *p) {
  const V b = v_load(p), one = v_load(p - 1);
  const V pairs = v_and(v_and(v_look(first_high, v_high(one)), v_look(first_low, v_low(one))),
                        v_look(second_high, v_high(b)));
  const V third = v_less(v_load(p - 2), 0xE0 - 0x80), fourth = v_less(v_load(p - 3), 0xF0 - 0x80);
  return v_xor(pairs, v_and(v_or(third, fourth), v_all(0x80)));
}

ISA FASTIO__INLINE bool utf8_block_is_good(const uint8_t *p) {
  V faults = utf8_faults(p);
  for (size_t i = V_SIZE; i < UTF8_BLOCK; i += V_SIZE) faults = v_or(faults, utf8_faults(p + i));
  return !v_any(faults);
}

ISA FASTIO__INLINE bool utf8_is_ascii(const uint8_t *p, size_t blocks) {
  V all = v_load(p);
  for (size_t i = V_SIZE; i < blocks * UTF8_BLOCK; i += V_SIZE) all = v_or(all, v_load(p + i));
  return !v_any_high(all);
}

/* Before a sequence that the first `size` bytes, which are well-formed so far, cut short. */
ISA FASTIO__INLINE size_t utf8_boundary(const uint8_t *data, size_t size) {
  for (size_t back = 1; back <= UTF8_BEFORE && back <= size; back++) {
    const uint8_t byte = data[size - back];
    if (byte >= 0xC0) return (byte >= 0xF0 ? 4u : byte >= 0xE0 ? 3u : 2u) > back ? size - back : size;
    if (byte < 0x80) return size;
  }
  return size;
}

/* The length of a prefix that is whole and well-formed: all up to the block with the first fault, or the last one. */
ISA static size_t utf8_prefix(const uint8_t *data, size_t size) {
  uint8_t start[UTF8_BEFORE + UTF8_BLOCK] = {0}; /* what comes before the first block is as good as ASCII */
  size_t i = UTF8_BLOCK;
  if (size < UTF8_BLOCK) return 0;
  memcpy(start + UTF8_BEFORE, data, UTF8_BLOCK);
  if (!utf8_block_is_good(start + UTF8_BEFORE)) return 0;
  while (size - i >= UTF8_BLOCK) {
    const uint8_t *p = data + i;
    if ((p[-1] | p[-2] | p[-3]) < 0x80) {
      while (size - i >= 4 * UTF8_BLOCK && utf8_is_ascii(data + i, 4)) i += 4 * UTF8_BLOCK;
      if (size - i < UTF8_BLOCK) break;
      p = data + i;
    }
    if (!utf8_block_is_good(p)) break;
    i += UTF8_BLOCK;
  }
  return utf8_boundary(data, i);
}

/* Every byte that continues nothing. */
ISA static uint64_t utf8_count(const uint8_t *data, size_t size) {
  uint64_t count = 0;
  for (size_t i = 0; i < size; i++) count += (int8_t)data[i] > -65;
  return count;
}
