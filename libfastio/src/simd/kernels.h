/* The text of the number kernels, once for every vector instruction set. Private to simd; included by avx512.c,
 * avx2.c, sse4.c and neon.c after they defined
 *   ISA                   the target attribute of every function here
 *   block                 64 bytes in registers
 *   table                 what separators() needs to know a separator
 *   load(p)               64 bytes from any address
 *   table_for(separator, &table)   false: no such table
 *   digits(b), separators(b, &table), equal(b, byte)   masks of a block
 *   behind_last_separator(p, &table, separators)   p + 64 - clz(separators), where these are the block's
 *   convert_cells(&cells, &progress, out, kind)   the kernels for cells
 *   convert(b, &batch, count, &deep)   writes the values of `count` tokens and perhaps more, up to the next multiple
 *         of 8 (8 for none); returns how many were good. `deep` is its memory from block to block, at first 0. */

/* Tokens of the shapes that do not fit a vector (a plus, an exponent): some at a time, so that data full of them does
 * not pay for a block each. */
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

/* What a kernel knows while it runs. */
typedef struct progress {
  const uint8_t *p, *end;
  void *out;
  size_t count, capacity;
  fastio__decimals *rest;
} progress;

FASTIO__INLINE bool has_room_in_rest(const fastio__decimals *rest, fastio__kind kind) {
  return !FASTIO__IS_FLOAT(kind) || rest->count <= sizeof rest->items / sizeof *rest->items - BLOCK_VALUES;
}

ISA FASTIO__INLINE fastio__batch batch_at(const progress *at, block b, const table *t, fastio__kind kind) {
  fastio__batch job;
  job.p = at->p;
  job.classes = classify(b, t, kind);
  job.kind = kind;
  job.out = (char *)at->out + at->count * (kind == FASTIO__F32 ? 4 : 8);
  job.index = at->count;
  job.rest = at->rest;
  return job;
}

/* One token, without vectors. */
ISA static FASTIO__NOINLINE bool parse_single(const uint8_t **at, const uint8_t *end, int separator, fastio__kind kind,
                                              void *out, fastio__decimals *rest, size_t index) {
  if (!FASTIO__IS_FLOAT(kind))
    return fastio__take_integer(at, end, separator, kind == FASTIO__I64, (uint64_t *)out + index);
  fastio__decimal *decimal = &rest->items[rest->count];
  if (!fastio__take_decimal(at, end, separator, decimal)) return false;
  decimal->index = (uint32_t)index;
  rest->count += !fastio__write_easily(decimal, kind == FASTIO__F32,
                                       (char *)out + index * (kind == FASTIO__F32 ? 4 : 8));
  return true;
}

/* False: no progress. */
ISA static FASTIO__NOINLINE bool parse_singles(progress *at, int separator, fastio__kind kind) {
  size_t n = 0;
  for (; n < SINGLES && at->count < at->capacity; n++, at->count++) {
    const uint8_t *p = fastio__skip_blanks(at->p, at->end, separator);
    if (p >= at->end || !parse_single(&p, at->end, separator, kind, at->out, at->rest, at->count)) break;
    at->p = p;
  }
  return n > 0;
}

/* One block in which something does not fit, or that the end of the input or of `out` cuts short. False: no progress.
 */
ISA FASTIO__INLINE bool parse_carefully(progress *at, const table *t, int separator, bool spaced, fastio__kind kind) {
  block b = load(at->p);
  fastio__batch job = batch_at(at, b, t, kind);
  uint64_t bad, values[BLOCK_VALUES];
  job.tokens = fastio__cut(kind, spaced, &job.classes, &bad);
  if (bad != 0 && !spaced) job.classes.blanks = find_blanks(b, &job.classes);
  if (job.classes.blanks != 0) job.tokens = fastio__cut_blanks(kind, &job.classes);
  else job.tokens.closers = job.tokens.ends &= fastio__below(bad);
  size_t left = (size_t)(at->end - at->p), room = at->capacity - at->count;
  /* White space at end[0] ends a token; a separator there is not ours to take. */
  if (left < 64)
    fastio__keep_tokens(&job.tokens, fastio__popcount64(job.tokens.closers & ((UINT64_C(1) << left << spaced) - 1)));
  fastio__keep_tokens(&job.tokens, room);
  if (job.tokens.ends == 0) return parse_singles(at, separator, kind);
  void *out = job.out;
  job.out = values;
  unsigned deep = 1;
  size_t found = fastio__popcount64(job.tokens.ends), good = convert(b, &job, found, &deep);
  if (good == 0) return parse_singles(at, separator, kind);
  memcpy(out, values, good * (kind == FASTIO__F32 ? 4 : 8));
  fastio__keep_tokens(&job.tokens, good);
  at->count += good;
  at->p += 64 - fastio__clz64(job.tokens.closers);
  if (at->p > at->end) at->p = at->end;
  return true;
}

ISA static FASTIO__NOINLINE bool parse_carefully_any(progress *at, const table *t, int separator, fastio__kind kind) {
  if (separator < 0) {
    if (kind == FASTIO__I64) return parse_carefully(at, t, -1, true, FASTIO__I64);
    if (kind == FASTIO__U64) return parse_carefully(at, t, -1, true, FASTIO__U64);
    if (kind == FASTIO__F64) return parse_carefully(at, t, -1, true, FASTIO__F64);
    return parse_carefully(at, t, -1, true, FASTIO__F32);
  }
  if (kind == FASTIO__I64) return parse_carefully(at, t, separator, false, FASTIO__I64);
  if (kind == FASTIO__U64) return parse_carefully(at, t, separator, false, FASTIO__U64);
  if (kind == FASTIO__F64) return parse_carefully(at, t, separator, false, FASTIO__F64);
  return parse_carefully(at, t, separator, false, FASTIO__F32);
}

/* The kernel. `spaced` (which is separator < 0) and `kind` are constants where it is instantiated. The loop is for
 * whole blocks in which everything fits; in such a block all tokens that end can be converted, and the next one
 * starts behind the last separator. */
ISA FASTIO__INLINE size_t parse(const uint8_t **start, const uint8_t *end, void *out, size_t capacity, int separator,
                                bool spaced, fastio__kind kind, fastio__decimals *rest) {
  table t;
  if (!fastio__separator_is_plain(separator) || !table_for(separator, &t)) return 0;
  if (FASTIO__IS_FLOAT(kind) && capacity > UINT32_MAX) capacity = UINT32_MAX; /* decimal->index */
  progress at = {*start, end, out, 0, capacity, rest};
  while (at.count < capacity && at.p < end && has_room_in_rest(rest, kind)) {
    progress fast = at; /* never has its address taken, so it stays in registers */
    unsigned deep = 0;
    while (fast.end - fast.p >= 64 && fast.capacity - fast.count >= BLOCK_VALUES && has_room_in_rest(rest, kind)) {
      block b = load(fast.p);
      fastio__batch job = batch_at(&fast, b, &t, kind);
      uint64_t bad;
      job.tokens = fastio__cut(kind, spaced, &job.classes, &bad);
      if (FASTIO__UNLIKELY(bad != 0)) {
        if (!spaced) job.classes.blanks = find_blanks(b, &job.classes);
        if (job.classes.blanks == 0) break;
        job.tokens = fastio__cut_blanks(kind, &job.classes);
        if (job.tokens.ends == 0) break;
      }
      size_t found = fastio__popcount64(job.tokens.ends);
      size_t in_rest = FASTIO__IS_FLOAT(kind) ? rest->count : 0;
      if (FASTIO__UNLIKELY(convert(b, &job, found, &deep) != found)) {
        if (FASTIO__IS_FLOAT(kind)) rest->count = in_rest;
        break;
      }
      fast.count += found;
      if (!spaced && job.classes.blanks != 0) fast.p += 64 - fastio__clz64(job.tokens.closers);
      else fast.p = behind_last_separator(fast.p, &t, job.classes.separators);
    }
    at = fast;
    if (at.count == capacity || at.p >= end || !has_room_in_rest(rest, kind)) break;
    if (!parse_carefully_any(&at, &t, separator, kind)) break;
  }
  *start = at.p;
  return at.count;
}

#define INSTANCE(kind, rest)                                                 \
  return separator < 0 ? parse(at, end, out, capacity, -1, true, kind, rest) \
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

/* ---- cells ---- */

ISA static void cells_i64(const fastio__cells *cells, fastio__cell_progress *progress, int64_t *out) {
  convert_cells(cells, progress, out, FASTIO__I64);
}

ISA static void cells_u64(const fastio__cells *cells, fastio__cell_progress *progress, uint64_t *out) {
  convert_cells(cells, progress, out, FASTIO__U64);
}

ISA static void cells_f64(const fastio__cells *cells, fastio__cell_progress *progress, double *out) {
  convert_cells(cells, progress, out, FASTIO__F64);
}

ISA static void cells_f32(const fastio__cells *cells, fastio__cell_progress *progress, float *out) {
  convert_cells(cells, progress, out, FASTIO__F32);
}
