/* Eight cells at a time, each in a 64-bit lane: the conversion of cells for AVX-512. Private to simd; the middle of
 * avx512.c, whose helpers it uses.
 *
 * A chunk of cells is staged first: the last sixteen bytes of each, and its places. That is all the scalar work there
 * is, and it costs less than gathering with vectors. The lanes hold the last, the second and the third last eight bytes
 * of their cells as digits (XORed with '0'), as many words as the longest cell of the chunk needs; what is before
 * a cell is blanked out to 0, which is the digit 0. So is a minus in front. */

#define CHUNK 64

ISA FASTIO__INLINE __m512i each64(uint64_t x) { return _mm512_set1_epi64((long long)x); }

typedef struct stage {
  uint8_t words[CHUNK][16];    /* of each eight cells, 0 2 4 6 come before 1 3 5 7: see load_lanes */
  uint64_t third_words[CHUNK]; /* if some cell has more than 16 bytes */
  uint32_t places[CHUNK][2];   /* start, before the gap, and end */
  int64_t exponents[CHUNK];    /* if staged carefully */
} stage;

/* `adjacent`: starts[i] and ends[i] are neighbours, as where the end of a cell is the start of the next one. */
ISA FASTIO__INLINE void stage_cell(const fastio__cells *cells, size_t i, bool adjacent, stage *s, size_t place,
                                   size_t slot) {
  uint64_t end;
  if (adjacent) {
    memcpy(&end, cells->starts + i * cells->start_step, 8);
    memcpy(s->places[place], &end, 8);
    end >>= 32;
  } else {
    end = cells->ends[i * cells->end_step];
    s->places[place][0] = cells->starts[i * cells->start_step];
    s->places[place][1] = (uint32_t)end;
  }
  _mm_storeu_si128((__m128i *)s->words[slot], _mm_loadu_si128((const __m128i *)(cells->data + end - 16)));
}

ISA FASTIO__INLINE void stage_eight(const fastio__cells *cells, size_t first, bool adjacent, stage *s, size_t i) {
  stage_cell(cells, first, adjacent, s, i, i);
  stage_cell(cells, first + 1, adjacent, s, i + 1, i + 4);
  stage_cell(cells, first + 2, adjacent, s, i + 2, i + 1);
  stage_cell(cells, first + 3, adjacent, s, i + 3, i + 5);
  stage_cell(cells, first + 4, adjacent, s, i + 4, i + 2);
  stage_cell(cells, first + 5, adjacent, s, i + 5, i + 6);
  stage_cell(cells, first + 6, adjacent, s, i + 6, i + 3);
  stage_cell(cells, first + 7, adjacent, s, i + 7, i + 7);
}

ISA FASTIO__INLINE __m512i load_lengths(const stage *s, size_t i, __m512i gap) {
  __m512i places = _mm512_loadu_si512(s->places[i]);
  __m512i length = _mm512_sub_epi32(_mm512_srli_epi64(places, 32), places); /* in the low halves */
  return _mm512_maskz_sub_epi32(0x5555, length, gap);
}

/* The place in `words` of the i-th cell. */
FASTIO__INLINE size_t slot_of(size_t i) { return i / 8 * 8 + i % 8 / 2 + i % 2 * 4; }

/* The greatest length of the first `count` staged cells. */
ISA FASTIO__INLINE uint64_t longest_of(const stage *s, size_t count, __m512i gap) {
  __m512i longest = _mm512_setzero_si512();
  for (size_t i = 0; i < count; i += 8) longest = _mm512_max_epu32(longest, load_lengths(s, i, gap));
  return (uint64_t)_mm512_reduce_max_epu64(longest);
}

/* `count` cells, and as many more like the last one as make it a multiple of eight. */
ISA FASTIO__INLINE void stage_cells(const fastio__cells *cells, size_t first, size_t count, stage *s) {
  const fastio__cells here = *cells;
  size_t i = 0;
  if (here.ends == here.starts + 1 && here.end_step == here.start_step)
    for (; i + 8 <= count; i += 8) stage_eight(&here, first + i, true, s, i);
  else
    for (; i + 8 <= count; i += 8) stage_eight(&here, first + i, false, s, i);
  for (; i % 8 != 0 || i < count; i++) stage_cell(&here, first + (i < count ? i : count - 1), false, s, i, slot_of(i));
}

FASTIO__INLINE bool is_blank(uint8_t c) { return c == ' ' || c == '\t'; }

/* The same without blanks around (unless `plain`) and, of floats, without exponents. */
ISA static FASTIO__NOINLINE void stage_carefully(const fastio__cells *cells, size_t first, size_t count, bool plain,
                                                 bool is_float, stage *s) {
  for (size_t i = 0; i < (count + 7) / 8 * 8; i++) {
    size_t cell = first + (i < count ? i : count - 1);
    const uint8_t *p = fastio__cell_start(cells, cell), *end = fastio__cell_end(cells, cell);
    while (!plain && p < end && is_blank(*p)) p++;
    while (!plain && p < end && is_blank(end[-1])) end--;
    int32_t exponent = 0;
    if (is_float) fastio__take_exponent(p, &end, &exponent);
    s->exponents[i] = exponent;
    s->places[i][0] = (uint32_t)(p - cells->data) - cells->gap;
    s->places[i][1] = (uint32_t)(end - cells->data);
    _mm_storeu_si128((__m128i *)s->words[slot_of(i)], _mm_loadu_si128((const __m128i *)(end - 16)));
  }
}

ISA static FASTIO__NOINLINE void stage_third_words(const uint8_t *data, size_t count, stage *s) {
  for (size_t i = 0; i < (count + 7) / 8 * 8; i++) s->third_words[i] = fastio__load64le(data + s->places[i][1] - 24);
}

/* By the length of a cell modulo 8: its bytes in the word that it starts in, its first byte, a minus there. */
static const struct lane_masks {
  uint64_t keep[8], first[8], minus[8];
} lane_masks = {
    {UINT64_MAX, UINT64_MAX << 56, UINT64_MAX << 48, UINT64_MAX << 40, UINT64_MAX << 32, UINT64_MAX << 24,
     UINT64_MAX << 16, UINT64_MAX << 8},
    {UINT64_C(0xff), UINT64_C(0xff) << 56, UINT64_C(0xff) << 48, UINT64_C(0xff) << 40, UINT64_C(0xff) << 32,
     UINT64_C(0xff) << 24, UINT64_C(0xff) << 16, UINT64_C(0xff) << 8},
    {UINT64_C(0x1d), UINT64_C(0x1d) << 56, UINT64_C(0x1d) << 48, UINT64_C(0x1d) << 40, UINT64_C(0x1d) << 32,
     UINT64_C(0x1d) << 24, UINT64_C(0x1d) << 16, UINT64_C(0x1d) << 8},
};

/* The least values without a leading zero, by their number of digits less one; a lone 0 is one. */
static const uint64_t least_values[24] = {0,
                                          10,
                                          100,
                                          1000,
                                          10000,
                                          100000,
                                          1000000,
                                          10000000,
                                          100000000,
                                          1000000000,
                                          10000000000,
                                          100000000000,
                                          1000000000000,
                                          10000000000000,
                                          100000000000000,
                                          1000000000000000,
                                          10000000000000000,
                                          100000000000000000,
                                          1000000000000000000,
                                          UINT64_C(10000000000000000000)};

/* Eight cells. `words` of the arrays count; what needs more is not among them. */
typedef struct lanes {
  __m512i d[3];   /* the last eight bytes, those before, those before them */
  __m512i length; /* without the minus; 0 wraps round where there was nothing */
  __mmask8 negative;
} lanes;

/* Blanks out the minus at the start of cells, which `over_8` and `over_16` put into another word than the last. */
ISA FASTIO__INLINE void take_minus(lanes *l, int words, __mmask8 over_8, __mmask8 over_16) {
  __m512i minus = _mm512_permutexvar_epi64(l->length, _mm512_loadu_si512(lane_masks.minus));
  __m512i first = l->d[0];
  if (words > 1) first = _mm512_mask_mov_epi64(first, over_8, l->d[1]);
  if (words > 2) first = _mm512_mask_mov_epi64(first, over_16, l->d[2]);
  first = _mm512_and_si512(first, _mm512_permutexvar_epi64(l->length, _mm512_loadu_si512(lane_masks.first)));
  l->negative = _mm512_cmpeq_epi64_mask(first, minus);
  l->d[0] = _mm512_mask_xor_epi64(l->d[0], l->negative & ~over_8, l->d[0], minus);
  if (words > 1) l->d[1] = _mm512_mask_xor_epi64(l->d[1], l->negative & over_8 & ~over_16, l->d[1], minus);
  if (words > 2) l->d[2] = _mm512_mask_xor_epi64(l->d[2], l->negative & over_16, l->d[2], minus);
  l->length = _mm512_mask_sub_epi64(l->length, l->negative, l->length, EACH(one));
}

/* (a ^ b) & c */
#define XOR_AND(a, b, c) _mm512_ternarylogic_epi64(a, b, c, 0x28)

ISA FASTIO__INLINE lanes load_lanes(const stage *s, size_t i, __m512i gap, int words, bool has_sign) {
  lanes l;
  l.length = load_lengths(s, i, gap);
  l.negative = 0;
  __m512i even = _mm512_loadu_si512(s->words[i]), odd = _mm512_loadu_si512(s->words[i + 4]);
  __m512i some = _mm512_permutexvar_epi64(l.length, _mm512_loadu_si512(lane_masks.keep)), all = each64(UINT64_MAX);
  __mmask8 over_8 = 0, over_16 = 0;
  if (words > 1) over_8 = _mm512_cmpgt_epu64_mask(l.length, EACH(eight));
  if (words > 2) over_16 = _mm512_cmpgt_epu64_mask(l.length, EACH(sixteen));
  l.d[0] = XOR_AND(_mm512_unpackhi_epi64(even, odd), EACH(zeros), _mm512_mask_mov_epi64(some, over_8, all));
  if (words > 1) {
    __m512i keep = _mm512_mask_mov_epi64(_mm512_maskz_mov_epi64(over_8, some), over_16, all);
    l.d[1] = XOR_AND(_mm512_unpacklo_epi64(even, odd), EACH(zeros), keep);
  }
  if (words > 2)
    l.d[2] = XOR_AND(_mm512_loadu_si512(s->third_words + i), EACH(zeros), _mm512_maskz_mov_epi64(over_16, some));
  if (has_sign) take_minus(&l, words, over_8, over_16);
  return l;
}

/* Those `among` the lanes that have 1 to `most` + 1 digits and nothing else. */
ISA FASTIO__INLINE __mmask8 of_digits(const lanes *l, __mmask8 among, int words, __m512i most) {
  __m512i bytes = l->d[0];
  if (words > 1) bytes = _mm512_max_epu8(bytes, l->d[1]);
  if (words > 2) bytes = _mm512_max_epu8(bytes, l->d[2]);
  __m512i above_9 = _mm512_subs_epu8(bytes, EACH(nines));
  among = _mm512_mask_cmple_epu64_mask(among, _mm512_sub_epi64(l->length, EACH(one)), most);
  return _mm512_mask_testn_epi64_mask(among, above_9, above_9);
}

/* The value modulo 2^64; *high is what its digits before the last 16 make. */
ISA FASTIO__INLINE __m512i lane_values(const lanes *l, int words, __m512i *high) {
  __m512i value = eight_digits(l->d[0]);
  *high = _mm512_setzero_si512();
  if (words > 1) value = _mm512_add_epi64(value, _mm512_mul_epu32(eight_digits(l->d[1]), EACH(ten_8)));
  if (words > 2) {
    *high = eight_digits(l->d[2]);
    value = _mm512_add_epi64(value, _mm512_mullo_epi64(*high, EACH(ten_16)));
  }
  return value;
}

/* Those `among` the lanes whose value has no leading zero, but for a lone one. */
ISA FASTIO__INLINE __mmask8 without_idle_zero(__mmask8 among, __m512i value, __m512i length, int words) {
  __m512i i = _mm512_sub_epi64(length, EACH(one)), least;
  if (words == 1) {
    least = _mm512_permutexvar_epi64(i, _mm512_loadu_si512(least_values));
  } else {
    least = _mm512_permutex2var_epi64(_mm512_loadu_si512(least_values), i, _mm512_loadu_si512(least_values + 8));
    if (words > 2) {
      __mmask8 large = _mm512_cmpgt_epu64_mask(i, EACH(fifteen));
      least = _mm512_mask_permutexvar_epi64(least, large, i, _mm512_loadu_si512(least_values + 16));
    }
  }
  return _mm512_mask_cmpge_epu64_mask(among, value, least);
}

/* Eight integers; returns the lanes that are good. */
ISA FASTIO__INLINE __mmask8 convert_integer_lanes(const stage *s, size_t i, __m512i gap, int words, fastio__kind kind,
                                                  bool plain, uint64_t *out) {
  lanes l = load_lanes(s, i, gap, words, kind == FASTIO__I64);
  __m512i high, value = lane_values(&l, words, &high);
  __mmask8 good = of_digits(&l, 0xff, words,
                            words < 3             ? EACH(fifteen)
                            : kind == FASTIO__I64 ? EACH(eighteen)
                                                  : EACH(nineteen));
  if (words > 2) good &= (__mmask8)~too_large(value, high, l.negative, kind);
  if (plain) good = without_idle_zero(good, value, l.length, words);
  if (kind == FASTIO__I64) value = _mm512_mask_sub_epi64(value, l.negative, _mm512_setzero_si512(), value);
  _mm512_storeu_si512(out + i, value);
  return good;
}

/* Where the point of a lane is among its words: all bytes behind it, and all lanes without one, are set. */
ISA FASTIO__INLINE __m512i behind_point(__m512i digits, __m512i point, __mmask8 among, __mmask8 *found) {
  __m512i mark = _mm512_maskz_mov_epi8(_mm512_cmpeq_epi8_mask(digits, point), EACH(top_bits));
  *found = _mm512_mask_test_epi64_mask(among, mark, mark);
  /* Twice the top bit of a byte is the lowest one behind it. */
  return _mm512_mask_sub_epi64(each64(UINT64_MAX), *found, _mm512_setzero_si512(), _mm512_add_epi64(mark, mark));
}

/* a where `mask` has ones, b elsewhere. */
#define SELECT(mask, a, b) _mm512_ternarylogic_epi64(mask, a, b, 0xca)

ISA FASTIO__INLINE __m512i count_bytes(__m512i mask, __mmask8 among) {
  return _mm512_sad_epu8(_mm512_maskz_and_epi64(among, mask, EACH(ones)), _mm512_setzero_si512());
}

/* Closes the gap at the point: what is before it moves up a byte. (A second point stays, and is no digit.) Returns how
 * many digits follow it. */
ISA FASTIO__INLINE __m512i take_point(lanes *l, int words, __m512i point) {
  const __m512i none = _mm512_setzero_si512();
  __mmask8 in_last, in_second = 0, in_third = 0, found;
  __m512i last = behind_point(l->d[0], point, 0xff, &in_last), second = none, third = none;
  if (words > 1) {
    second = behind_point(l->d[1], point, (__mmask8)~in_last, &in_second);
    second = _mm512_maskz_mov_epi64((__mmask8)~in_last, second);
  }
  found = in_last | in_second;
  if (words > 2) {
    third = behind_point(l->d[2], point, (__mmask8)~found, &in_third);
    third = _mm512_maskz_mov_epi64((__mmask8)~found, third);
    found |= in_third;
  }
  __m512i decimals = count_bytes(last, found);
  l->d[0] = SELECT(last, l->d[0], words > 1 ? _mm512_shldi_epi64(l->d[0], l->d[1], 8) : _mm512_slli_epi64(l->d[0], 8));
  if (words > 1) {
    decimals = _mm512_add_epi64(decimals, count_bytes(second, found));
    l->d[1] = SELECT(second, l->d[1],
                     words > 2 ? _mm512_shldi_epi64(l->d[1], l->d[2], 8) : _mm512_slli_epi64(l->d[1], 8));
  }
  if (words > 2) {
    decimals = _mm512_add_epi64(decimals, count_bytes(third, found));
    l->d[2] = SELECT(third, l->d[2], _mm512_slli_epi64(l->d[2], 8));
  }
  l->length = _mm512_mask_sub_epi64(l->length, found, l->length, EACH(one));
  return decimals;
}

/* The chunk that a kernel is at. */
typedef struct chunk {
  const fastio__cells *cells;
  size_t first, count;
  void *out; /* room for all of the chunk and up to seven more */
  fastio__cell_progress *progress;
  enum { QUICK, CAREFUL, HOPELESS } mode; /* HOPELESS: being careful did not help */
  stage stage;
} chunk;

/* Values that could not be rounded. `scales` are their exponents. */
ISA static FASTIO__NOINLINE void note_rest(const chunk *c, size_t i, unsigned which, __m512i mantissas, __m512i scales,
                                           unsigned negative) {
  uint64_t mantissa[8];
  int64_t scale[8];
  _mm512_storeu_si512(mantissa, mantissas);
  _mm512_storeu_si512(scale, scales);
  fastio__decimals *rest = &c->progress->rest;
  for (; which != 0; which &= which - 1) {
    unsigned lane = fastio__ctz64(which);
    size_t cell = c->first + i + lane;
    if (i + lane >= c->count) return;
    fastio__decimal *decimal = &rest->items[rest->count++];
    decimal->mantissa = mantissa[lane];
    decimal->start = fastio__cell_start(c->cells, cell);
    decimal->end = fastio__cell_end(c->cells, cell);
    decimal->exponent = (int32_t)scale[lane];
    decimal->index = (uint32_t)cell;
    decimal->negative = negative >> lane & 1;
  }
}

/* Eight floats; returns the lanes that are good. `scaled`: they have exponents. */
ISA FASTIO__INLINE __mmask8 convert_float_lanes(const chunk *c, size_t i, __m512i gap, int words, fastio__kind kind,
                                                bool plain, bool scaled, __m512i point) {
  lanes l = load_lanes(&c->stage, i, gap, words, true);
  __m512i decimals = take_point(&l, words, point), high, mantissas = lane_values(&l, words, &high);
  __mmask8 good = of_digits(&l, 0xff, words, words < 3 ? EACH(fifteen) : EACH(eighteen)), hard = 0;
  if (plain) { /* a zero may lead if it is the only digit before the point */
    __mmask8 few = _mm512_cmple_epu64_mask(l.length, _mm512_add_epi64(decimals, EACH(one)));
    good = (good & few) | without_idle_zero(good, mantissas, l.length, words);
  }
  __m512i scales = _mm512_sub_epi64(scaled ? _mm512_loadu_si512(c->stage.exponents + i) : _mm512_setzero_si512(),
                                    decimals);
  __m512i bits = scaled ? round_scaled(kind, mantissas, scales, l.negative, &hard)
                        : round_floats(kind, mantissas, decimals, words < 3 ? 8 * words : 20, l.negative, &hard);
  store_floats(kind, bits, c->out, i);
  hard &= good;
  if (FASTIO__UNLIKELY(hard != 0)) note_rest(c, i, hard, mantissas, scales, l.negative);
  return good;
}

/* Returns the cells that are not good. */
ISA FASTIO__INLINE uint64_t convert_lanes(const chunk *c, int words, fastio__kind kind, bool plain, bool scaled) {
  uint64_t good = 0;
  __m512i gap = each64(c->cells->gap), point = each64((uint8_t)(c->progress->point ^ '0') * FASTIO__EACH_BYTE);
  for (size_t i = 0; i < c->count; i += 8) {
    uint64_t eight = FASTIO__IS_FLOAT(kind) ? convert_float_lanes(c, i, gap, words, kind, plain, scaled, point)
                                            : convert_integer_lanes(&c->stage, i, gap, words, kind, plain, c->out);
    good |= eight << i;
  }
  return c->count < 64 ? ~good & ((UINT64_C(1) << c->count) - 1) : ~good;
}

/* With as many words as the longest cell needs. */
ISA FASTIO__INLINE uint64_t convert_staged(chunk *c, fastio__kind kind) {
  uint64_t longest = longest_of(&c->stage, c->count, each64(c->cells->gap));
  bool plain = c->progress->plain;
  if (longest <= 8) return convert_lanes(c, 1, kind, plain, false);
  if (longest <= 16) return convert_lanes(c, 2, kind, plain, false);
  stage_third_words(c->cells->data, c->count, &c->stage);
  return convert_lanes(c, 3, kind, plain, false);
}

ISA FASTIO__INLINE uint64_t convert_carefully(chunk *c, fastio__kind kind) {
  stage_carefully(c->cells, c->first, c->count, c->progress->plain, FASTIO__IS_FLOAT(kind), &c->stage);
  if (!FASTIO__IS_FLOAT(kind)) return convert_staged(c, kind);
  stage_third_words(c->cells->data, c->count, &c->stage);
  return convert_lanes(c, 3, kind, c->progress->plain, true);
}

/* Returns the cells that do not fit the lanes. If there are many, they may have blanks or exponents, and so may those
 * of the next chunks. */
ISA FASTIO__INLINE uint64_t convert_chunk(chunk *c, fastio__kind kind) {
  if (c->mode == CAREFUL) return convert_carefully(c, kind);
  size_t in_rest = FASTIO__IS_FLOAT(kind) ? c->progress->rest.count : 0;
  stage_cells(c->cells, c->first, c->count, &c->stage);
  uint64_t odd = convert_staged(c, kind), many = fastio__popcount64(odd);
  if (FASTIO__LIKELY(many * 8 <= c->count) || c->mode == HOPELESS) return odd;
  if (FASTIO__IS_FLOAT(kind)) c->progress->rest.count = in_rest;
  odd = convert_carefully(c, kind);
  c->mode = fastio__popcount64(odd) < many ? CAREFUL : HOPELESS;
  return odd;
}

/* What does not fit the lanes: a plus, many zeros, and what is one of the others. */
ISA FASTIO__INLINE void convert_odd_cells(const chunk *c, uint64_t which, void *out, fastio__kind kind) {
  for (; which != 0; which &= which - 1)
    fastio__convert_cell(c->cells, c->first + fastio__ctz64(which), c->progress, out, kind);
}

ISA FASTIO__INLINE void convert_cells(const fastio__cells *cells, fastio__cell_progress *progress, void *out,
                                      fastio__kind kind) {
  const size_t size = kind == FASTIO__F32 ? 4 : 8;
  chunk c;
  c.cells = cells;
  c.progress = progress;
  c.mode = !FASTIO__IS_FLOAT(kind) && progress->plain ? HOPELESS : QUICK;
  while (progress->done < cells->count && fastio__has_room(progress, CHUNK, kind)) {
    uint64_t values[CHUNK]; /* the last chunk must not write beyond the last slot */
    char *slots = (char *)out + progress->done * size;
    c.first = progress->done;
    c.count = cells->count - c.first < CHUNK ? cells->count - c.first : CHUNK;
    c.out = c.count < CHUNK ? (void *)values : slots;
    uint64_t odd = convert_chunk(&c, kind);
    if (c.count < CHUNK) memcpy(slots, values, c.count * size);
    if (FASTIO__UNLIKELY(odd != 0)) convert_odd_cells(&c, odd, out, kind);
    progress->done += c.count;
  }
}
