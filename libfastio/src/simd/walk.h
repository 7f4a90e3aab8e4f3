/* Converting a block's tokens one after the other, for instruction sets without permutations of bytes across a block.
 * Private to simd; included before kernels.h and scan.h after these were defined
 *   ISA       the target attribute of every function here
 *   sixteens(end, length, end, length, out)   the values of two runs of digits (of their last 16); reads 16 bytes
 *         before each end */

/* The digits before the last sixteen of a run of 17 to 24. */
FASTIO__INLINE uint64_t upper_digits(const uint8_t *end, unsigned length) {
  unsigned unused = 8 * (24 - length);
  uint64_t x = fastio__load64le(end - 24) ^ '0' * FASTIO__EACH_BYTE;
  return fastio__eight_digits(x >> unused << unused);
}

/* The lowest bit's position, and the mask without it; 0 if there is none. */
FASTIO__INLINE unsigned take_bit(uint64_t *m) {
  unsigned i = fastio__ctz64(*m | FASTIO__TOP_BIT);
  *m &= *m - 1;
  return i;
}

/* A run of digits. */
typedef struct token {
  const uint8_t *end;
  unsigned start, length;
} token;

/* Behind the last token comes an empty one. */
FASTIO__INLINE token take_token(const uint8_t *p, uint64_t *ends, uint64_t *starts) {
  bool is_token = *ends != 0;
  token t;
  unsigned end = take_bit(ends);
  t.end = p + end;
  t.start = take_bit(starts);
  t.length = is_token ? end - t.start : 0;
  return t;
}

/* Adds what comes before the last 16 digits. False: too large for the type. */
FASTIO__INLINE bool join_integer(const token *t, fastio__kind kind, bool is_negative, uint64_t *value) {
  if (FASTIO__LIKELY(t->length <= 16)) return true;
  uint64_t upper = upper_digits(t->end, t->length), lower = *value;
  *value += upper * UINT64_C(10000000000000000);
  if (kind == FASTIO__I64) return *value <= (uint64_t)INT64_MAX + is_negative;
  return upper <= 1844 && *value >= lower; /* not wrapped round */
}

ISA FASTIO__INLINE size_t convert_integers(const fastio__batch *job, size_t count) {
  const uint8_t *p = job->p;
  const fastio__kind kind = job->kind;
  uint64_t *out = job->out;
  uint64_t ends = job->tokens.ends, starts = job->classes.digits & ~(job->classes.digits << 1);
  uint64_t negatives = job->classes.minus << 1;
  for (size_t i = 0; i < count; i += 2) {
    token first = take_token(p, &ends, &starts), second = take_token(p, &ends, &starts);
    uint64_t value[2];
    sixteens(first.end, first.length, second.end, second.length, value);
    bool is_negative = kind == FASTIO__I64 && (negatives >> first.start & 1);
    if (FASTIO__UNLIKELY(!join_integer(&first, kind, is_negative, &value[0]))) return i;
    out[i] = is_negative ? 0 - value[0] : value[0];
    is_negative = kind == FASTIO__I64 && (negatives >> second.start & 1);
    if (FASTIO__UNLIKELY(!join_integer(&second, kind, is_negative, &value[1]))) return i + 1;
    out[i + 1] = is_negative ? 0 - value[1] : value[1];
  }
  return count;
}

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
    if (FASTIO__UNLIKELY(whole - start + decimals > 19)) return i;
    const uint8_t *whole_end = job->p + whole, *token_end = job->p + end;
    uint64_t value[2];
    sixteens(whole_end, whole - start, token_end, decimals, value);
    if (FASTIO__UNLIKELY(whole - start > 16))
      value[0] += upper_digits(whole_end, whole - start) * fastio__integer_powers[16];
    if (FASTIO__UNLIKELY(decimals > 16)) value[1] += upper_digits(token_end, decimals) * fastio__integer_powers[16];
    fastio__decimal decimal;
    decimal.mantissa = value[0] * fastio__integer_powers[decimals] + value[1];
    decimal.exponent = -(int32_t)decimals;
    decimal.negative = negatives >> start & 1;
    if (fastio__write_easily(&decimal, job->kind == FASTIO__F32, (char *)job->out + i * size)) continue;
    decimal.start = job->p + start - decimal.negative;
    decimal.end = token_end;
    decimal.index = (uint32_t)(job->index + i);
    job->rest->items[job->rest->count++] = decimal;
  }
  return count;
}

ISA FASTIO__INLINE size_t convert(block b, const fastio__batch *job, size_t count, unsigned *deep) {
  (void)b, (void)deep;
  return FASTIO__IS_FLOAT(job->kind) ? convert_floats(job, count) : convert_integers(job, count);
}

ISA FASTIO__INLINE const uint8_t *behind_last_separator(const uint8_t *p, const table *t, uint64_t separators) {
  (void)t;
  return p + 64 - fastio__clz64(separators);
}

/* Writes four at a time, since a branch for each would often go wrong. */
ISA FASTIO__INLINE size_t store_positions(uint64_t m, uint32_t base, uint32_t *out) {
  size_t count = fastio__popcount64(m);
  for (size_t i = 0; i < count; i += 4) {
    out[i] = base + take_bit(&m);
    out[i + 1] = base + take_bit(&m);
    out[i + 2] = base + take_bit(&m);
    out[i + 3] = base + take_bit(&m);
  }
  return count;
}
