/* Cells one by one with registers of sixteen bytes: for the x86 tables without lanes. Private to simd; included after
 * these were defined
 *   ISA         the target attribute of every function here
 *   keep_last   16 zeros and 16 ones: read from the n-th byte on, it keeps the last n of 16
 *
 * No branch depends on the length of a number, as long as it has at most 16 digits. */

ISA FASTIO__INLINE __m128i last_of_16(size_t n) { return _mm_loadu_si128((const __m128i *)(keep_last + n)); }

/* The value of the last `size` bytes (at most 16), if they are all digits. Pairs, fours, eights, all. */
ISA FASTIO__INLINE bool value_of_16(__m128i bytes, size_t size, uint64_t *value) {
  __m128i d = _mm_and_si128(_mm_xor_si128(bytes, _mm_set1_epi8('0')), last_of_16(size));
  __m128i above_9 = _mm_subs_epu8(d, _mm_set1_epi8(9));
  d = _mm_maddubs_epi16(d, _mm_set1_epi16(0x010a));
  d = _mm_madd_epi16(d, _mm_set1_epi32(0x00010064));
  d = _mm_madd_epi16(_mm_packus_epi32(d, d), _mm_set1_epi32(0x00012710));
  uint64_t eights = (uint64_t)_mm_cvtsi128_si64(d);
  *value = (uint32_t)eights * UINT64_C(100000000) + (eights >> 32);
  return _mm_testz_si128(above_9, above_9);
}

ISA FASTIO__INLINE __m128i sixteen_before(const uint8_t *end) { return _mm_loadu_si128((const __m128i *)(end - 16)); }

/* The cell's two's complement, of up to 16 digits. False: look closer. */
ISA FASTIO__INLINE bool take_short_integer(const uint8_t *p, const uint8_t *end, fastio__kind kind, bool plain,
                                           uint64_t *value) {
  bool negative = kind == FASTIO__I64 && *p == '-';
  p += negative;
  size_t size = (size_t)(end - p);
  uint64_t magnitude;
  if (FASTIO__UNLIKELY(size - 1 > 15)) return false;
  bool idle_zero = (*p == '0') & (size > 1) & plain;
  if (FASTIO__UNLIKELY(!value_of_16(sixteen_before(end), size, &magnitude) | idle_zero)) return false;
  *value = negative ? 0 - magnitude : magnitude;
  return true;
}

/* A number of up to 16 digits: its mantissa and how many of them are decimals. False: look closer. */
ISA FASTIO__INLINE bool take_short_decimal(const uint8_t *p, const uint8_t *end, uint8_t point, bool plain,
                                           uint64_t *mantissa, unsigned *decimals) {
  size_t size = (size_t)(end - p);
  if (FASTIO__UNLIKELY(size - 1 > 16)) return false;
  /* The last point; a bit below all places stops the search where there is none. */
  uint32_t points = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(sixteen_before(end), _mm_set1_epi8((char)point)));
  unsigned behind = fastio__clz64((uint64_t)points << 48 | UINT64_C(1) << 47);
  bool has_point = (behind < size) & (behind < 16);
  size_t digits = size - has_point;
  *decimals = has_point ? behind : 0;
  /* What is before the point moves up a byte; it is loaded so. */
  __m128i marks = last_of_16(has_point ? behind : 16);
  __m128i bytes = _mm_blendv_epi8(sixteen_before(end - 1), sixteen_before(end), marks);
  bool idle_zero = (*p == '0') & (digits > *decimals + 1) & plain;
  return digits - 1 <= 15 && !(!value_of_16(bytes, digits, mantissa) | idle_zero);
}

/* mantissa / 10^decimals, which is right as in fastio__round_easily. False: not that easy. */
ISA FASTIO__INLINE bool write_quotient(uint64_t mantissa, unsigned decimals, bool negative, bool is_float32,
                                       void *out) {
  double value = (double)(int64_t)mantissa / fastio__exact_powers[decimals];
  uint64_t bits;
  memcpy(&bits, &value, 8);
  bits |= (uint64_t)negative << 63;
  memcpy(&value, &bits, 8);
  float narrow;
  bool good = mantissa <= UINT64_C(1) << 53;
  if (is_float32) {
    good &= fastio__narrow(value, &narrow);
    memcpy(out, &narrow, 4);
  } else {
    memcpy(out, &value, 8);
  }
  return good;
}

ISA static FASTIO__NOINLINE void look_closer(const fastio__cells *cells, size_t i, fastio__cell_progress *progress,
                                             void *out, fastio__kind kind) {
  fastio__convert_cell(cells, i, progress, out, kind);
}

ISA FASTIO__INLINE bool convert_integer(const uint8_t *p, const uint8_t *end, bool plain, uint64_t *out,
                                        fastio__kind kind) {
  uint64_t value;
  if (FASTIO__UNLIKELY(!take_short_integer(p, end, kind, plain, &value))) return false;
  *out = value;
  return true;
}

ISA FASTIO__INLINE bool convert_float(const uint8_t *p, const uint8_t *end, uint8_t point, bool plain, void *out,
                                      fastio__kind kind) {
  const bool negative = *p == '-';
  uint64_t mantissa;
  unsigned decimals;
  if (FASTIO__UNLIKELY(!take_short_decimal(p + negative, end, point, plain, &mantissa, &decimals))) return false;
  return write_quotient(mantissa, decimals, negative, kind == FASTIO__F32, out);
}

/* The cells up to `stop`, of which each could be one for the notes. */
ISA FASTIO__INLINE void convert_up_to(const fastio__cells *cells, size_t stop, fastio__cell_progress *progress,
                                      void *out, fastio__kind kind) {
  const fastio__cells here = *cells; /* its address is not taken: it stays in registers */
  const bool plain = progress->plain;
  const uint8_t point = progress->point;
  for (size_t i = progress->done; i < stop; i++) {
    const uint8_t *p = fastio__cell_start(&here, i), *end = fastio__cell_end(&here, i);
    bool good;
    if (kind == FASTIO__F32) good = convert_float(p, end, point, plain, (float *)out + i, kind);
    else if (kind == FASTIO__F64) good = convert_float(p, end, point, plain, (double *)out + i, kind);
    else good = convert_integer(p, end, plain, (uint64_t *)out + i, kind);
    if (FASTIO__UNLIKELY(!good)) look_closer(cells, i, progress, out, kind);
  }
  progress->done = stop;
}

ISA FASTIO__INLINE void convert_cells(const fastio__cells *cells, fastio__cell_progress *progress, void *out,
                                      fastio__kind kind) {
  while (progress->done < cells->count && fastio__has_room(progress, 1, kind)) {
    size_t room = FASTIO__OTHERS_ROOM - progress->other_count, left = cells->count - progress->done;
    if (FASTIO__IS_FLOAT(kind) && room > FASTIO__REST_ROOM - progress->rest.count)
      room = FASTIO__REST_ROOM - progress->rest.count;
    convert_up_to(cells, progress->done + (left < room ? left : room), progress, out, kind);
  }
}
