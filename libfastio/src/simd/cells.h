/* One cell of a table's column at a time with 64-bit words: what the kernels for cells fall back on, and all there is
 * of them in the tables without a better way. A cell's end is known, so its digits are read from the back, in words
 * whose bytes before the cell are blanked out. Private to simd. */
#ifndef FASTIO__CELLS_H
#define FASTIO__CELLS_H

#include "masks.h"
#include "token.h"

#define FASTIO__OTHERS_ROOM (sizeof((fastio__cell_progress *)0)->others / sizeof(uint32_t))
#define FASTIO__REST_ROOM (sizeof((fastio__decimals *)0)->items / sizeof(fastio__decimal))

/* Positions are below 2^32, and so is the sum; a first cell may start "behind" the byte before the data. */
FASTIO__INLINE const uint8_t *fastio__cell_start(const fastio__cells *cells, size_t i) {
  return cells->data + (uint32_t)(cells->starts[i * cells->start_step] + cells->gap);
}
FASTIO__INLINE const uint8_t *fastio__cell_end(const fastio__cells *cells, size_t i) {
  return cells->data + cells->ends[i * cells->end_step];
}

FASTIO__INLINE bool fastio__is_digit_byte(uint8_t c) { return (uint8_t)(c - '0') < 10; }

/* The bytes of a word ending at `end` as digits; what is before the last `size` of them (at least 1) is 0. */
FASTIO__INLINE uint64_t fastio__last_digits(const uint8_t *end, size_t size) {
  uint64_t x = fastio__load64le(end - 8) ^ '0' * FASTIO__EACH_BYTE;
  return size < 8 ? x & UINT64_MAX << (64 - 8 * size) : x;
}

/* 0 if every byte is 0 to 9, see fastio__digit_run. */
FASTIO__INLINE uint64_t fastio__faults(uint64_t x) {
  return ((x + 0x76 * FASTIO__EACH_BYTE) | x) & 0x80 * FASTIO__EACH_BYTE;
}

/* The value of the `size` digits before `end`, 0 to 20 of them, modulo 2^64. False: they are not all digits. */
FASTIO__INLINE bool fastio__cell_digits(const uint8_t *end, size_t size, uint64_t *value) {
  *value = 0;
  if (size == 0) return true;
  uint64_t last = fastio__last_digits(end, size), faults = fastio__faults(last);
  *value = fastio__eight_digits(last);
  if (size > 8) {
    uint64_t middle = fastio__last_digits(end - 8, size - 8);
    faults |= fastio__faults(middle);
    *value += fastio__eight_digits(middle) * UINT64_C(100000000);
  }
  if (size > 16) {
    uint64_t first = fastio__last_digits(end - 16, size - 16);
    faults |= fastio__faults(first);
    *value += fastio__eight_digits(first) * UINT64_C(10000000000000000);
  }
  return faults == 0;
}

/* Whether the value without its sign is one that `plain` forbids. */
FASTIO__INLINE bool fastio__has_idle_zero(const uint8_t *p, const uint8_t *end) {
  return end - p > 1 && *p == '0' && fastio__is_digit_byte(p[1]);
}

/* Whether 20 digits of this value modulo 2^64, which start with these four, are more than 2^64 - 1. */
FASTIO__INLINE bool fastio__wraps(uint64_t value, const uint8_t *digits) {
  uint64_t first = 0;
  fastio__cell_digits(digits + 4, 4, &first);
  return first > 1844 || value < UINT64_C(10000000000000000000);
}

/* The cell's two's complement. False: one of the others. */
FASTIO__INLINE bool fastio__take_integer_cell(const uint8_t *p, const uint8_t *end, fastio__kind kind, bool plain,
                                              uint64_t *value) {
  if (p >= end) return false;
  bool negative = kind == FASTIO__I64 && *p == '-';
  p += negative || (*p == '+' && !plain);
  size_t size = (size_t)(end - p);
  uint64_t magnitude;
  if (size - 1 > 19 || (plain && fastio__has_idle_zero(p, end)) || !fastio__cell_digits(end, size, &magnitude))
    return false;
  if (size == 20 && (*p == '0' || fastio__wraps(magnitude, p))) return false;
  if (kind == FASTIO__I64 && magnitude > (uint64_t)INT64_MAX + negative) return false;
  *value = negative ? 0 - magnitude : magnitude;
  return true;
}

/* How many bytes follow the last `point` of the `size` bytes before `end` (of 24, if there are more); `size` if there
 * is none. The search for a zero byte finds the lowest one exactly; further points make that a token that is none. */
FASTIO__INLINE size_t fastio__decimals_of(const uint8_t *end, size_t size, uint8_t point) {
  for (size_t done = 0; done < size && done < 24; done += 8) {
    uint64_t x = fastio__load64le(end - done - 8) ^ point * FASTIO__EACH_BYTE;
    if (size - done < 8) x |= UINT64_MAX >> 8 * (size - done);
    uint64_t found = (x - FASTIO__EACH_BYTE) & ~x & 0x80 * FASTIO__EACH_BYTE;
    if (found != 0) return done + 7 - fastio__ctz64(found) / 8;
  }
  return size;
}

/* The number from p on, which has neither a sign nor an exponent, up to `end`. False: it is none, or has more than 19
 * digits. */
FASTIO__INLINE bool fastio__take_mantissa(const uint8_t *p, const uint8_t *end, uint8_t point,
                                          fastio__decimal *decimal) {
  if (p >= end) return false;
  size_t size = (size_t)(end - p), decimals = fastio__decimals_of(end, size, point);
  bool has_point = decimals < size;
  size_t whole = has_point ? size - decimals - 1 : size;
  if (!has_point) decimals = 0;
  uint64_t high, low;
  if (whole + decimals - 1 > 18 || !fastio__cell_digits(end - decimals - has_point, whole, &high) ||
      !fastio__cell_digits(end, decimals, &low))
    return false;
  decimal->mantissa = high * fastio__integer_powers[decimals] + low;
  decimal->exponent = -(int32_t)decimals;
  return true;
}

/* Bytes with this bit are neither digits nor signs nor points. */
#define FASTIO__LETTERS (0x40 * FASTIO__EACH_BYTE)

/* Takes the exponent, of up to four digits, off the end of the cell from p on. *exponent is 0 if there is none; false
 * if there is something else with letters. */
FASTIO__INLINE bool fastio__take_exponent(const uint8_t *p, const uint8_t **end, int32_t *exponent) {
  *exponent = 0;
  if (p >= *end) return true;
  uint64_t letters = fastio__last_digits(*end, (size_t)(*end - p)) & FASTIO__LETTERS;
  if (FASTIO__LIKELY(letters == 0)) return true;
  const uint8_t *e = *end - 8 + fastio__ctz64(letters) / 8, *digits = e + 1;
  bool negative = *digits == '-';
  digits += negative || *digits == '+';
  ptrdiff_t size = *end - digits;
  uint64_t value;
  if ((*e | 0x20) != 'e' || size < 1 || size > 4 || !fastio__cell_digits(*end, (size_t)size, &value)) return false;
  *exponent = negative ? -(int32_t)value : (int32_t)value;
  *end = e;
  return true;
}

/* The cell taken apart, all but decimal->index. False: one of the others. */
FASTIO__INLINE bool fastio__take_decimal_cell(const uint8_t *p, const uint8_t *end, uint8_t point, bool plain,
                                              fastio__decimal *decimal) {
  if (p >= end) return false;
  decimal->start = p;
  decimal->end = end;
  decimal->negative = *p == '-';
  p += decimal->negative || (*p == '+' && !plain);
  int32_t exponent;
  if (plain && fastio__has_idle_zero(p, end)) return false;
  if (!fastio__take_exponent(p, &end, &exponent) || !fastio__take_mantissa(p, end, point, decimal)) return false;
  decimal->exponent += exponent;
  return true;
}

/* Cell i, into its slot, or else to the rest or the others. */
FASTIO__INLINE void fastio__convert_cell(const fastio__cells *cells, size_t i, fastio__cell_progress *progress,
                                         void *out, fastio__kind kind) {
  const uint8_t *start = fastio__cell_start(cells, i), *end = fastio__cell_end(cells, i);
  bool good;
  if (FASTIO__IS_FLOAT(kind)) {
    fastio__decimal *decimal = &progress->rest.items[progress->rest.count];
    good = fastio__take_decimal_cell(start, end, progress->point, progress->plain, decimal);
    decimal->index = (uint32_t)i;
    bool is_float32 = kind == FASTIO__F32;
    if (good && !fastio__write_easily(decimal, is_float32, (char *)out + i * (is_float32 ? 4 : 8)))
      progress->rest.count++;
  } else {
    good = fastio__take_integer_cell(start, end, kind, progress->plain, (uint64_t *)out + i);
  }
  progress->others[progress->other_count] = (uint32_t)i;
  progress->other_count += !good;
}

/* Whether each of `cells` more cells can be noted. */
FASTIO__INLINE bool fastio__has_room(const fastio__cell_progress *progress, size_t cells, fastio__kind kind) {
  return progress->other_count + cells <= FASTIO__OTHERS_ROOM &&
         (!FASTIO__IS_FLOAT(kind) || progress->rest.count + cells <= FASTIO__REST_ROOM);
}

/* The cells from progress->done on, up to `stop`, one by one. */
FASTIO__INLINE void fastio__convert_singly(const fastio__cells *cells, size_t stop, fastio__cell_progress *progress,
                                           void *out, fastio__kind kind) {
  while (progress->done < stop && fastio__has_room(progress, 1, kind))
    fastio__convert_cell(cells, progress->done++, progress, out, kind);
}

#endif
