/* From what cells could be to what their column is. */
#include "build.h"

enum {
  NUMBERS = FASTIO__IS_NATURAL | FASTIO__IS_NEGATIVE | FASTIO__IS_UINT64 | FASTIO__IS_BIG | FASTIO__IS_FLOAT |
            FASTIO__IS_WORD,
  INTEGERS = FASTIO__IS_NATURAL | FASTIO__IS_NEGATIVE,
  CLOCKS = FASTIO__IS_DATE | FASTIO__IS_TIMESTAMP,
  INSTANTS = FASTIO__IS_TIMESTAMP_UTC
};

static bool is_within(unsigned classes, unsigned of) { return (classes & ~of) == 0; }

fastio_type fastio__infer_type(unsigned classes, unsigned flags) {
  fastio_type text = flags & FASTIO_CSV_DICTIONARY ? FASTIO_DICTIONARY : FASTIO_STRING;
  classes &= ~(unsigned)FASTIO__IS_NULL;
  if (classes == 0) return text;
  if (classes == FASTIO__IS_BOOL) return FASTIO_BOOL;
  if (classes == FASTIO__IS_DATE) return FASTIO_DATE;
  if (classes == FASTIO__IS_TIME) return FASTIO_TIME;
  if (is_within(classes, CLOCKS)) return FASTIO_TIMESTAMP;
  if (is_within(classes, INSTANTS)) return FASTIO_TIMESTAMP_UTC;
  if (is_within(classes, INTEGERS)) return FASTIO_INT64;
  if (is_within(classes, FASTIO__IS_NATURAL | FASTIO__IS_UINT64)) return FASTIO_UINT64;
  if (is_within(classes, NUMBERS) && classes & FASTIO__IS_FLOAT) return FASTIO_FLOAT64;
  if (is_within(classes, NUMBERS & ~FASTIO__IS_WORD) && flags & FASTIO_CSV_FLOAT_FOR_BIG) return FASTIO_FLOAT64;
  return text;
}

bool fastio__infer_is_text(unsigned classes) {
  classes &= ~(unsigned)FASTIO__IS_NULL;
  return !(is_within(classes, NUMBERS) || is_within(classes, CLOCKS) || is_within(classes, INSTANTS) ||
           classes == FASTIO__IS_BOOL || classes == FASTIO__IS_TIME);
}

bool fastio__infer_accepts(fastio_type type, unsigned classes) {
  switch (type) {
    case FASTIO_BOOL: return is_within(classes, FASTIO__IS_BOOL);
    case FASTIO_DATE: return is_within(classes, FASTIO__IS_DATE);
    case FASTIO_TIME: return is_within(classes, FASTIO__IS_TIME);
    case FASTIO_TIMESTAMP: return is_within(classes, CLOCKS);
    case FASTIO_TIMESTAMP_UTC: return is_within(classes, INSTANTS);
    case FASTIO_INT64: return is_within(classes, INTEGERS);
    case FASTIO_UINT64: return is_within(classes, FASTIO__IS_NATURAL | FASTIO__IS_UINT64);
    case FASTIO_FLOAT64: return is_within(classes, NUMBERS);
    default: return true;
  }
}
