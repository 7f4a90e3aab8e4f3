/* format: what the writers of integers and floats share. Digits are found here, their layout is the caller's. */
#ifndef FASTIO__FORMAT_H
#define FASTIO__FORMAT_H

#include "../core/core.h"

/* A float as decimal digits: digits * 10^exponent. `digits` has no trailing zeros (zero is 0 * 10^0). */
typedef struct fastio__shortest {
  uint64_t digits;
  int32_t exponent;
} fastio__shortest;

/* The shortest digits that only this value is nearest to, and of those the ones nearest to it. Finite values; the
 * sign does not count. */
FASTIO__HIDDEN fastio__shortest fastio__shortest_f64(double value);
FASTIO__HIDDEN fastio__shortest fastio__shortest_f32(float value);

/* Decimal digits of a value: how many, and writing `count` (1 to 20) of them at `out`, with leading zeros if it
 * has fewer. Up to 7 bytes behind them are overwritten too. */
FASTIO__HIDDEN unsigned fastio__count_digits(uint64_t value);
FASTIO__HIDDEN void fastio__write_digits(uint64_t value, unsigned count, char *out);

/* ---- Exact digits at any precision (format_exact.c) ----
 * The digits of a finite value's decimal expansion, correctly rounded, into `out` as ASCII: the first `significant` ones
 * (significant > 0), or those down to 10^-places. *exponent is the power of ten of the first one. Returns how many there are
 * (0: it rounds to zero). `out` has room for FASTIO__EXACT_MAX digits: asked for more, it gives all that are not zero. */
enum { FASTIO__EXACT_MAX = 1100 };
FASTIO__HIDDEN size_t fastio__exact_significant(double value, size_t significant, char *out, int32_t *exponent);
FASTIO__HIDDEN size_t fastio__exact_places(double value, size_t places, char *out, int32_t *exponent);
FASTIO__HIDDEN extern const uint64_t fastio__ten_to[20];

/* ---- C's notations without flags (format_notation.c) ----
 * As printf writes the value with %.*f, %.*e, %.*g and %.*a (places < 0: %a); infinities and NaN as "-inf", "inf" and
 * "nan". Return the size. Fast up to 16 places (fixed), 18 (scientific), 17 digits (general). Up to
 * FASTIO_FORMAT_MAX bytes behind the text are overwritten too. */
FASTIO__HIDDEN size_t fastio__format_fixed(double value, size_t places, char *out);
FASTIO__HIDDEN size_t fastio__format_scientific(double value, size_t places, char *out);
FASTIO__HIDDEN size_t fastio__format_general(double value, size_t significant, char *out);
FASTIO__HIDDEN size_t fastio__format_hexadecimal(double value, int places, char *out);

/* ---- Many values (format_bulk.c; the bound: format_as.c) ---- */
/* The most bytes that a value of the type takes in the format (NULL: FASTIO_FORMAT_INIT). */
FASTIO__HIDDEN size_t fastio__format_bound(fastio_type type, const fastio_format *format);
/* `count` values (numbers, dates and times; FASTIO_BOOL as a byte each), `stride` bytes apart, each followed by the
 * separator; returns the end. `out` has room for count * (bound + separator.size) + FASTIO_FORMAT_MAX bytes. */
FASTIO__HIDDEN char *fastio__format_many(fastio_type type, const void *data, int64_t stride, size_t count,
                                         const fastio_format *format, fastio_bytes separator, char *out);
/* The same into slots of FASTIO__SLOT bytes, for rows that several columns make: value i at slots + i * FASTIO__SLOT, its
 * length at lengths[i]. One that takes more than FASTIO__SLOT_TEXT bytes has length FASTIO__SLOT_OVERFLOW, and its text
 * is the caller's task. Behind the last slot up to FASTIO__SLOT_SLACK bytes are overwritten too. */
enum { FASTIO__SLOT = 32, FASTIO__SLOT_TEXT = 31, FASTIO__SLOT_OVERFLOW = 255, FASTIO__SLOT_SLACK = 512 };
FASTIO__HIDDEN void fastio__format_slots(fastio_type type, const void *data, int64_t stride, size_t count,
                                         const fastio_format *format, char *slots, uint8_t *lengths);

#endif
