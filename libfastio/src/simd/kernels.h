/* The text of the number kernels, once for every vector instruction set. Private to simd; included by avx512.c, avx2.c, sse4.c
 * and neon.c after they defined
 *   ISA                   the target attribute of every function here
 *   block                 64 bytes in registers
 *   table                 what separators() needs to know a separator
 *   load(p)               64 bytes from any address
 *   table_for(separator, &table)   false: no such table
 *   digits(b), separators(b, &table), equal(b, byte)   masks of a block
 *   behind_last_separator(p, &table, separators)   p + 64 - clz(separators), where these are the block's
 *   convert(b, &batch, count)   writes the values of some tokens; may write up to the next multiple of 8; returns how many were good.
 */

/* Tokens of the shapes that do not fit a vector (a plus, an exponent): some at a time, so that data full of them does not pay
 * for a block each. */
#define SINGLES 16

/* Values that a block can give: a token and a gap take two bytes. */
#define BLOCK_VALUES 32

ISA FASTIO__INLINE fastio__classes classify(block b, const table *t, fastio__kind kind) {
  fastio__classes c;
  c.digits = digits(b);
  c.separators = separators(b, t);
  c.minus = kind != FASTIO__U64 ? equal(b, '-') : 0;
  c.points = FASTIO__IS_FLOAT(kind) ? equal(b, '.') : 0;
  c.blanks = 0;
  return c;
}

/* Spaces and tabs beside the separator, and '\r' before '\n'. */
ISA FASTIO__INLINE uint64_t find_blanks(block b, const fastio__classes *c) {
  uint64_t blanks = equal(b, ' ') | equal(b, '\t') | (equal(b, '\r') & equal(b, '\n') >> 1);
  return blanks & ~c->separators;
}

/* The tokens of the block that lie within its first `left` bytes. */
ISA FASTIO__INLINE fastio__tokens find_tokens(block b, fastio__classes *c, fastio__kind kind, bool spaced, size_t left) {
  uint64_t bad;
  fastio__tokens t = fastio__cut(kind, spaced, c, &bad);
  if (FASTIO__UNLIKELY(bad != 0)) {
    t.closers = t.ends &= fastio__below(bad);
    if (!spaced) c->blanks = find_blanks(b, c);
    if (c->blanks != 0) t = fastio__cut_blanks(kind, c);
  }
  if (FASTIO__UNLIKELY(left < 64)) {
    /* White space at end[0] ends a token; a separator there is not ours to take. */
    t.plain = false;
    fastio__keep_tokens(&t, fastio__popcount64(t.closers & ((UINT64_C(1) << left << spaced) - 1)));
  }
  return t;
}

/* One token, without vectors. */
ISA static FASTIO__NOINLINE bool parse_single(const uint8_t **at, const uint8_t *end, int separator, fastio__kind kind,
                                              void *out, fastio__decimals *rest, size_t index) {
  if (!FASTIO__IS_FLOAT(kind)) return fastio__take_integer(at, end, separator, kind == FASTIO__I64, (uint64_t *)out + index);
  fastio__decimal *decimal = &rest->items[rest->count];
  if (!fastio__take_decimal(at, end, separator, decimal)) return false;
  decimal->index = (uint32_t)index;
  rest->count += !fastio__write_easily(decimal, kind == FASTIO__F32, (char *)out + index * (kind == FASTIO__F32 ? 4 : 8));
  return true;
}

ISA static size_t parse_singles(const uint8_t **at, const uint8_t *end, int separator, fastio__kind kind, void *out,
                                size_t index, size_t capacity, fastio__decimals *rest) {
  size_t n = 0;
  for (; n < SINGLES && index + n < capacity; n++) {
    const uint8_t *p = fastio__skip_blanks(*at, end, separator);
    if (p >= end || !parse_single(&p, end, separator, kind, out, rest, index + n)) break;
    *at = p;
  }
  return n;
}

/* The kernel. `separator` and `kind` are constants where it is instantiated, `spaced` is separator < 0. */
ISA FASTIO__INLINE size_t parse(const uint8_t **at, const uint8_t *end, void *out, size_t capacity, int separator, bool spaced,
                                fastio__kind kind, fastio__decimals *rest) {
  const size_t size = kind == FASTIO__F32 ? 4 : 8;
  table classes;
  if (!fastio__separator_is_plain(separator) || !table_for(separator, &classes)) return 0;
  if (FASTIO__IS_FLOAT(kind) && capacity > UINT32_MAX) capacity = UINT32_MAX; /* decimal->index */
  const uint8_t *p = *at;
  size_t count = 0;
  while (count < capacity && p < end) {
    if (FASTIO__IS_FLOAT(kind) && rest->count > sizeof rest->items / sizeof *rest->items - BLOCK_VALUES) break;
    fastio__batch job;
    block b = load(p);
    job.p = p;
    job.classes = classify(b, &classes, kind);
    job.tokens = find_tokens(b, &job.classes, kind, spaced, (size_t)(end - p));
    job.kind = kind;
    job.out = (char *)out + count * size;
    job.rest = rest;
    job.index = count;
    if (FASTIO__UNLIKELY(job.tokens.ends == 0)) {
      if (spaced && (job.classes.separators & 1)) {
        p += ~job.classes.separators != 0 ? fastio__ctz64(~job.classes.separators) : 64;
        continue;
      }
      size_t singles = parse_singles(&p, end, separator, kind, out, count, capacity, rest);
      if (singles == 0) break;
      count += singles;
      continue;
    }
    uint64_t values[BLOCK_VALUES];
    bool is_tight = FASTIO__UNLIKELY(capacity - count < BLOCK_VALUES);
    if (is_tight) {
      fastio__keep_tokens(&job.tokens, capacity - count);
      job.out = values;
    }
    size_t found = fastio__popcount64(job.tokens.ends), good = convert(b, &job, found);
    if (is_tight) memcpy((char *)out + count * size, values, good * size);
    count += good;
    if (FASTIO__UNLIKELY(good < found)) {
      fastio__keep_tokens(&job.tokens, good);
      if (good > 0) p += 64 - fastio__clz64(job.tokens.closers);
      size_t singles = parse_singles(&p, end, separator, kind, out, count, capacity, rest);
      if (singles == 0) break;
      count += singles;
      continue;
    }
    p = FASTIO__LIKELY(job.tokens.plain) ? behind_last_separator(p, &classes, job.classes.separators)
                                         : p + 64 - fastio__clz64(job.tokens.closers);
  }
  *at = p < end ? p : end;
  return count;
}

#define INSTANCE(kind, rest)                                                        \
  return separator < 0 ? parse(at, end, out, capacity, -1, true, kind, rest)        \
                       : parse(at, end, out, capacity, separator, false, kind, rest)

ISA static size_t parse_i64(const uint8_t **at, const uint8_t *end, int64_t *out, size_t capacity, int separator) {
  INSTANCE(FASTIO__I64, NULL);
}

ISA static size_t parse_u64(const uint8_t **at, const uint8_t *end, uint64_t *out, size_t capacity, int separator) {
  INSTANCE(FASTIO__U64, NULL);
}

ISA static size_t parse_f64(const uint8_t **at, const uint8_t *end, double *out, size_t capacity, int separator,
                            fastio__decimals *rest) {
  INSTANCE(FASTIO__F64, rest);
}

ISA static size_t parse_f32(const uint8_t **at, const uint8_t *end, float *out, size_t capacity, int separator,
                            fastio__decimals *rest) {
  INSTANCE(FASTIO__F32, rest);
}
