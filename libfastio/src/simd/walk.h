/* Converting a block's tokens one after the other, for instruction sets without permutations of bytes across a block. Private to
 * simd; included before kernels.h and scan.h after these were defined
 *   ISA       the target attribute of every function here
 *   sixteens  the values of two runs of up to 16 digits, each given by its end and length; reads 16 bytes before each end */

/* The digits before the last sixteen of a run of 17 to 24. */
FASTIO__INLINE uint64_t upper_digits(const uint8_t *end, unsigned length) {
  unsigned unused = 8 * (24 - length);
  uint64_t x = fastio__load64le(end - 24) ^ '0' * FASTIO__EACH_BYTE;
  return fastio__eight_digits(x >> unused << unused);
}

/* Whether the run of digits that ends at `end` and has `lower` as its last sixteen is too large for the type; else *value. */
FASTIO__INLINE bool join_integer(const uint8_t *end, unsigned length, fastio__kind kind, bool negative, uint64_t *value) {
  if (FASTIO__LIKELY(length <= 16)) return true;
  uint64_t upper = upper_digits(end, length), lower = *value;
  *value += upper * UINT64_C(10000000000000000);
  if (kind == FASTIO__I64) return *value <= (uint64_t)INT64_MAX + negative;
  return upper <= 1844 && *value >= lower; /* not wrapped round */
}

/* The lowest bit's position, and the mask without it; 0 if there is none. */
FASTIO__INLINE unsigned take_bit(uint64_t *m) {
  unsigned i = fastio__ctz64(*m | FASTIO__TOP_BIT);
  *m &= *m - 1;
  return i;
}

ISA FASTIO__INLINE size_t convert_integers(const fastio__batch *job, size_t count) {
  const uint8_t *p = job->p;
  const fastio__kind kind = job->kind;
  uint64_t *out = job->out;
  uint64_t ends = job->tokens.ends, starts = job->classes.digits & ~(job->classes.digits << 1);
  uint64_t negatives = job->classes.minus << 1;
  for (size_t i = 0; i < count; i += 2) {
    unsigned start[2], length[2];
    const uint8_t *end[2];
    for (int j = 0; j < 2; j++) { /* behind the last token comes an empty one */
      bool is_token = ends != 0;
      unsigned e = take_bit(&ends);
      start[j] = take_bit(&starts);
      end[j] = p + e;
      length[j] = is_token ? e - start[j] : 0;
    }
    sixteens(end, length, out + i);
    for (int j = 0; j < 2; j++) {
      uint64_t negative = kind == FASTIO__I64 ? negatives >> start[j] & 1 : 0;
      if (FASTIO__UNLIKELY(!join_integer(end[j], length[j], kind, negative, out + i + j))) return i + (size_t)j;
      out[i + j] = (out[i + j] ^ (0 - negative)) + negative;
    }
  }
  return count;
}

static const uint64_t powers[20] = {
  1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000,
  10000000000000, 100000000000000, 1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
  UINT64_C(10000000000000000000),
};

/* A float is two runs of digits: before its point, and behind it. */
ISA FASTIO__INLINE size_t convert_floats(const fastio__batch *job, size_t count) {
  const fastio__classes *c = &job->classes;
  uint64_t body = c->digits | c->points, starts = body & ~(body << 1), ends = job->tokens.ends;
  uint64_t wholes = c->points | (ends & job->tokens.splits & ~(c->points << 1)); /* ends of what is before the point */
  uint64_t negatives = c->minus << 1;
  const size_t size = job->kind == FASTIO__F32 ? 4 : 8;
  for (size_t i = 0; i < count; i++) {
    unsigned start = take_bit(&starts), whole = take_bit(&wholes), end = take_bit(&ends);
    unsigned decimals = end - whole - (end > whole);
    unsigned length[2] = {whole - start, decimals};
    if (FASTIO__UNLIKELY(length[0] + length[1] > 19)) return i;
    const uint8_t *run_end[2] = {job->p + whole, job->p + end};
    uint64_t value[2];
    sixteens(run_end, length, value);
    for (int j = 0; j < 2; j++)
      if (FASTIO__UNLIKELY(length[j] > 16)) value[j] += upper_digits(run_end[j], length[j]) * powers[16];
    fastio__decimal decimal;
    decimal.mantissa = value[0] * powers[decimals] + value[1];
    decimal.exponent = -(int32_t)decimals;
    decimal.negative = negatives >> start & 1;
    if (fastio__write_easily(&decimal, job->kind == FASTIO__F32, (char *)job->out + i * size)) continue;
    decimal.start = job->p + start - decimal.negative;
    decimal.end = run_end[1];
    decimal.index = (uint32_t)(job->index + i);
    job->rest->items[job->rest->count++] = decimal;
  }
  return count;
}

ISA FASTIO__INLINE size_t convert(block b, const fastio__batch *job, size_t count) {
  (void)b;
  return FASTIO__IS_FLOAT(job->kind) ? convert_floats(job, count) : convert_integers(job, count);
}

ISA FASTIO__INLINE const uint8_t *behind_last_separator(const uint8_t *p, const table *t, uint64_t separators) {
  (void)t;
  return p + 64 - fastio__clz64(separators);
}

/* Writes four at a time, since a branch for each would often go wrong. */
ISA FASTIO__INLINE size_t store_positions(uint64_t m, uint32_t base, uint32_t *out) {
  size_t count = fastio__popcount64(m);
  for (size_t i = 0; i < count; i += 4)
    for (size_t j = 0; j < 4; j++) out[i + j] = base + take_bit(&m);
  return count;
}
