/* simd: one table of kernels per instruction set, chosen once. Kernels are pure functions that only accelerate: they
 * convert the common shapes, stop before everything else, and never decide an error. Knows only core/compiler.h.
 *
 * Kernels marked [padded] may read FASTIO__PAD bytes before `*at` and after `end`, whose values do not matter. */
#ifndef FASTIO__SIMD_H
#define FASTIO__SIMD_H

#include "../core/compiler.h"

#define FASTIO__PAD 64

/* A float that a kernel has taken apart but not rounded: value = (-1)^negative * mantissa * 10^exponent, where
 * mantissa has at most 19 digits and holds all digits of the token. */
typedef struct fastio__decimal {
  uint64_t mantissa;
  const uint8_t *start, *end; /* the token */
  int32_t exponent;
  uint32_t index; /* its slot in `out` */
  bool negative;
} fastio__decimal;

typedef struct fastio__decimals {
  size_t count;
  fastio__decimal items[256];
} fastio__decimals;

/* Convert tokens from *at on: white-space separated (separator < 0), or separated by `separator` or '\n' with exactly
 * one separator between two values. *at is at the start of a field. The byte at end[-1] or at end[0] is a separator.
 * Each stops at `end`, when `capacity` values are written, or before the first token (or gap between tokens) that it
 * does not know; returns the number of values written and moves *at behind the last token that it converted and, with
 * a separator, behind the one separator that ended it. Making no progress at all is always allowed;
 * so is leaving anything in the rest of `out`, up to its capacity. */
typedef size_t fastio__i64_kernel(const uint8_t **at, const uint8_t *end, int64_t *out, size_t capacity, int separator);
typedef size_t fastio__u64_kernel(const uint8_t **at, const uint8_t *end, uint64_t *out, size_t capacity,
                                  int separator);
/* The float kernels leave in `rest` (emptied by the caller) the values that they could not round exactly, whose slots
 * the caller fills; they stop when it is nearly full. */
typedef size_t fastio__f64_kernel(const uint8_t **at, const uint8_t *end, double *out, size_t capacity, int separator,
                                  fastio__decimals *rest);
typedef size_t fastio__f32_kernel(const uint8_t **at, const uint8_t *end, float *out, size_t capacity, int separator,
                                  fastio__decimals *rest);

/* ---- tables ---- */

/* What find_edges met. A quote is misplaced unless it opens a field (at the start of the data, or behind the separator
 * or a '\n'), or closes one (before the separator, '\n', "\r\n" or the end of the data), or is one of two that stand
 * for one. MISPLACED may be set where a closer look finds nothing wrong, never the other way round. */
enum {
  FASTIO__SEEN_QUOTE = 1,
  FASTIO__SEEN_RETURN = 2, /* '\r' anywhere */
  FASTIO__SEEN_MISPLACED = 4,
  FASTIO__SEEN_OPEN = 8 /* the data ends within quotes */
};

typedef struct fastio__edges {
  size_t count;    /* positions stored */
  size_t newlines; /* how many of them are newlines */
  unsigned seen;   /* FASTIO__SEEN_* */
} fastio__edges;

typedef struct fastio__words {
  size_t count;    /* of words: twice as many positions */
  size_t newlines; /* positions in `newlines` */
} fastio__words;

/* The cells of one column: cell i is data[starts[i * start_step] + gap], where the sum is modulo 2^32, up to
 * data[ends[i * end_step]]. Fastest where start and end are neighbours (ends == starts + 1, and one step). */
typedef struct fastio__cells {
  const uint8_t *data; /* [padded] */
  const uint32_t *starts, *ends;
  size_t start_step, end_step, count;
  uint32_t gap;
} fastio__cells;

/* How far a kernel came through the cells. It converts the cells from `done` on that it knows into out[i], and notes
 * the others (empty ones, quotes, words, too many digits, out of range; perhaps also blanks around and a plus) in
 * `others`, in order; their slots may be left in any state. It stops when `done` is cells->count, or when `others` or
 * `rest` may be full after the next few cells (64 at most); the caller empties both and calls again. `plain`: a plus
 * sign, blanks around, or a zero before another digit of the integer part, make a cell one of the others. */
typedef struct fastio__cell_progress {
  size_t done;
  bool plain;
  uint8_t point; /* of floats: '.' or what stands for it */
  size_t other_count;
  uint32_t others[512];
  fastio__decimals rest; /* of floats: taken apart but not rounded; the caller fills their slots */
} fastio__cell_progress;

typedef void fastio__i64_cells(const fastio__cells *cells, fastio__cell_progress *progress, int64_t *out);
typedef void fastio__u64_cells(const fastio__cells *cells, fastio__cell_progress *progress, uint64_t *out);
typedef void fastio__f64_cells(const fastio__cells *cells, fastio__cell_progress *progress, double *out);
typedef void fastio__f32_cells(const fastio__cells *cells, fastio__cell_progress *progress, float *out);

/* ---- integers to text ---- */

/* Writes values in decimal (as int64_t, if is_signed), `separator` behind each, and moves *out behind them; up to 64
 * bytes there are overwritten too. Returns how many it wrote: all or none. */
typedef size_t fastio__put_integers(const uint64_t *values, size_t count, bool is_signed, uint8_t separator,
                                    char **out);

/* The same into slots of `slot` bytes, 32 or more, the first ones first: each value at the start of its slot, of which 32
 * bytes are overwritten. */
typedef size_t fastio__put_integer_slots(const uint64_t *values, size_t count, bool is_signed, char *slots, size_t slot,
                                         uint8_t *lengths);

/* Doubles, given as their bits, in the shortest form as Python's repr has it. `help` has what simd does not know. Behind
 * each text, up to 64 bytes are overwritten too. */
typedef struct fastio__f64_help {
  const uint64_t *row_of_one;                /* in number/powers.h's table, two words a row: that of 10^0 */
  size_t (*other)(double value, char *text); /* writes any value; returns the size */
} fastio__f64_help;
/* Each followed by the separator, up to 16 bytes (16 are readable). Returns the end. */
typedef char *fastio__put_f64(const uint64_t *bits, size_t count, const fastio__f64_help *help, const char *separator,
                              size_t separator_size, char *out);
/* Each at the start of a slot of `slot` bytes, 32 or more, the first ones first. */
typedef void fastio__put_f64_slots(const uint64_t *bits, size_t count, const fastio__f64_help *help, char *slots,
                                   size_t slot, uint8_t *lengths);

/* ---- UTF-8 and UTF-16 ---- */

/* As far as the input is well-formed and whole and the room lasts, or less far. Moves *at on; returns the bytes written.
 * Some more may be overwritten, up to out_end. */
typedef size_t fastio__recode(const uint8_t **at, const uint8_t *end, uint8_t *out, uint8_t *out_end, bool big_endian);

typedef struct fastio__kernels {
  const char *name;
  bool (*is_supported)(void); /* by the machine that runs */
  /* How often `byte` occurs. */
  size_t (*count_byte)(const uint8_t *data, size_t size, uint8_t byte);
  /* How many white-space separated tokens start in the data; the byte before it counts as white space. */
  size_t (*count_tokens)(const uint8_t *data, size_t size);
  /* Length of the longest prefix of ASCII bytes (rounding down to a whole block is allowed). */
  size_t (*ascii_prefix)(const uint8_t *data, size_t size);
  /* Length of a prefix that is whole and well-formed UTF-8, perhaps not the longest one; how many code points UTF-8 has. */
  size_t (*utf8_prefix)(const uint8_t *data, size_t size);
  uint64_t (*utf8_count)(const uint8_t *data, size_t size);
  /* Stores the positions of `byte` (size at most UINT32_MAX; `positions` has room for 64 more than there are) and
   * returns how many. */
  size_t (*find_byte)(const uint8_t *data, size_t size, uint8_t byte, uint32_t *positions);
  fastio__i64_kernel *i64; /* [padded] */
  fastio__u64_kernel *u64; /* [padded] */
  fastio__f64_kernel *f64; /* [padded] */
  fastio__f32_kernel *f32; /* [padded] */
  /* Where the fields of records end: the positions of `separator` and '\n' outside of quotes. The data starts outside
   * of quotes. quote < 0: there are none. `positions` has room for 64 more than there are. size is below 2^32. */
  fastio__edges (*find_edges)(const uint8_t *data, size_t size, uint8_t separator, int quote, uint32_t *positions);
  /* The same for fields between runs of white space: starts and ends of words in turns, and the positions of '\n'. The
   * end of the data ends a word. Both arrays have room for 64 more than there are. */
  fastio__words (*find_words)(const uint8_t *data, size_t size, uint32_t *edges, uint32_t *newlines);
  fastio__i64_cells *i64_cells; /* [padded] */
  fastio__u64_cells *u64_cells; /* [padded] */
  fastio__f64_cells *f64_cells; /* [padded] */
  fastio__f32_cells *f32_cells; /* [padded] */
  fastio__put_integers *put_integers;
  fastio__put_integer_slots *put_integer_slots;
  fastio__put_f64 *put_f64;
  fastio__put_f64_slots *put_f64_slots;
  fastio__recode *utf8_to_utf16, *utf16_to_utf8;
} fastio__kernels;

/* The table in use: one atomic load. */
FASTIO__HIDDEN const fastio__kernels *fastio__simd(void);

/* White space as decisions go: space, \t \n \v \f \r. */
FASTIO__INLINE bool fastio__is_space(uint8_t c) { return c == ' ' || (uint8_t)(c - 9) < 5; }

#endif
