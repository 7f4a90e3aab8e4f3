/* The kernels for tables, of every instruction set that this machine can run: find_edges and find_words against plain
 * state machines, the conversion of cells against the parsers of single tokens. A kernel may always call a cell one of
 * the others; that it converts the common shapes is a test of its own. */
#define _GNU_SOURCE /* setenv */
#include "../../libfastio/src/number/number.h"
#include "../../libfastio/src/simd/simd.h"

#include "check.h"

#include <math.h>

#define ROOM 4096

static const char *name = "";
static uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t draw(void) { /* xorshift64* */
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * UINT64_C(0x2545f4914f6cdd1d);
}
static size_t below(size_t n) { return (size_t)(draw() % n); }

/* A copy with no more than `pad` bytes of its own on either side, so that a memory checker sees what is read beyond;
 * they are noise that looks like numbers. Free copy - pad. */
static uint8_t *copy_of(const void *data, size_t size, size_t pad) {
  static const char noise[] = "0123456789-+. e\n,";
  uint8_t *block = malloc(size + 2 * pad + (size + pad == 0));
  if (block == NULL) exit(2);
  for (size_t i = 0; i < size + 2 * pad; i++) block[i] = (uint8_t)noise[below(sizeof noise - 1)];
  if (size > 0) memcpy(block + pad, data, size);
  return block + pad;
}

/* ---- find_edges ---- */

static bool ends_field(const char *text, size_t size, size_t i, char separator) {
  return i == size || text[i] == separator || text[i] == '\n' ||
         (text[i] == '\r' && i + 1 < size && text[i + 1] == '\n');
}

/* As RFC 4180 reads it, with every quote that it does not foresee called misplaced; such a quote still switches between
 * inside and outside. */
static fastio__edges plain_edges(const char *text, size_t size, char separator, int quote, uint32_t *positions) {
  fastio__edges found = {0, 0, 0};
  bool inside = false, at_start = true;
  for (size_t i = 0; i < size; i++) {
    if (text[i] == '\r') found.seen |= FASTIO__SEEN_RETURN;
    if (quote >= 0 && (uint8_t)text[i] == quote) {
      found.seen |= FASTIO__SEEN_QUOTE;
      if (inside && i + 1 < size && (uint8_t)text[i + 1] == quote) { /* two for one */
        i++;
        continue;
      }
      bool fits = inside ? ends_field(text, size, i + 1, separator) : at_start;
      if (!fits) found.seen |= FASTIO__SEEN_MISPLACED;
      inside = !inside;
      at_start = false;
      continue;
    }
    at_start = !inside && (text[i] == separator || text[i] == '\n');
    if (!at_start) continue;
    positions[found.count++] = (uint32_t)i;
    found.newlines += text[i] == '\n';
  }
  if (inside) found.seen |= FASTIO__SEEN_OPEN;
  return found;
}

/* A misplaced quote may be found where two misplaced ones look like two for one: only that it is found counts. */
static void check_edges(const fastio__kernels *k, const char *text, size_t size, char separator, int quote) {
  static uint32_t due[ROOM], got[ROOM + 64];
  fastio__edges expected = plain_edges(text, size, separator, quote, due);
  uint8_t *data = copy_of(text, size, 0);
  memset(got, 0xee, sizeof got);
  fastio__edges found = k->find_edges(data, size, (uint8_t)separator, quote, got);
  bool same = found.count == expected.count && found.newlines == expected.newlines && found.seen == expected.seen &&
              memcmp(got, due, found.count * sizeof *got) == 0;
  if (!same)
    check_that(false, __FILE__, __LINE__, "[%s] %zu edges, %zu newlines, seen %u; due %zu, %zu, %u in \"%.*s\"", name,
               found.count, found.newlines, found.seen, expected.count, expected.newlines, expected.seen, (int)size,
               text);
  for (size_t i = expected.count + 64; i < ROOM + 64; i++)
    if (got[i] != 0xeeeeeeee) check_that(false, __FILE__, __LINE__, "[%s] wrote behind its room", name);
  check_passed += same;
  free(data);
}

static void test_edges(const fastio__kernels *k) {
  static char text[ROOM];
  static const char *const alphabets[] = {"a,\n",
                                          "ab\",\n",
                                          "\",\n",
                                          "\"a",
                                          "\"\r\n,",
                                          "\"aaaaaaaaaaaaaaaaaaaaaaaaaaa,\n",
                                          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,\r\n"};
  for (int round = 0; round < 20000; round++) {
    const char *alphabet = alphabets[below(sizeof alphabets / sizeof *alphabets)];
    size_t size = round < 3000 ? (size_t)round % 300 : below(300);
    for (size_t i = 0; i < size; i++) text[i] = alphabet[below(strlen(alphabet))];
    check_edges(k, text, size, ',', below(4) == 0 ? -1 : '"');
  }
  for (int round = 0; round < 200; round++) { /* any bytes */
    size_t size = below(ROOM);
    for (size_t i = 0; i < size; i++) text[i] = (char)draw();
    char separator = (char)draw();
    check_edges(k, text, size, separator, below(4) == 0 || separator == '\'' ? -1 : '\'');
  }
}

/* Fields with quotes as they should be, shifted over every place in a block. */
static void test_quoted_fields(const fastio__kernels *k) {
  static const char *const fields[] = {"\"\"",           "\"a\"", "\"\"\"\"", "\"a\"\"b\"", "\",\"", "\"\n\"",
                                       "\"a\"\r\n\"b\"", "x",     ""};
  static char text[ROOM];
  static uint32_t unused[ROOM];
  for (size_t shift = 0; shift < 130; shift++)
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
      size_t size = (size_t)sprintf(text, "%*s,%s,%s\n%s", (int)shift, "", fields[f], fields[f], fields[f]);
      CHECK((plain_edges(text, size, ',', '"', unused).seen & FASTIO__SEEN_MISPLACED) == 0);
      for (size_t cut = size > 12 ? size - 12 : 0; cut <= size; cut++) check_edges(k, text, cut, ',', '"');
    }
}

/* ---- find_words ---- */

static bool is_space(int c) { return c == ' ' || (c >= 9 && c <= 13); }

static void check_words(const fastio__kernels *k, const char *text, size_t size) {
  static uint32_t edges[ROOM + 64], newlines[ROOM + 64];
  uint8_t *data = copy_of(text, size, 0);
  memset(edges, 0xee, sizeof edges);
  fastio__words found = k->find_words(data, size, edges, newlines);
  size_t count = 0, lines = 0;
  bool good = true;
  for (size_t i = 0; i <= size; i++) {
    bool before = i == 0 || is_space((uint8_t)text[i - 1]), now = i == size || is_space((uint8_t)text[i]);
    if (before != now) good &= count < 2 * found.count && edges[count++] == i;
    if (i < size && text[i] == '\n') good &= lines < found.newlines && newlines[lines++] == i;
  }
  for (size_t i = count + 64; i < ROOM + 64; i++) good &= edges[i] == 0xeeeeeeee;
  check_that(good && count == 2 * found.count && lines == found.newlines, __FILE__, __LINE__,
             "[%s] %zu words, %zu newlines; due %zu, %zu in \"%.*s\"", name, found.count, found.newlines, count / 2,
             lines, (int)size, text);
  free(data);
}

static void test_words(const fastio__kernels *k) {
  static char text[ROOM];
  static const char *const alphabets[] = {"a ", "ab \t\n\v\f\r\x08\x0e\x1f!\xa0\x89", "aaaaaaaaaaaaaaaaaaaaaa \n",
                                          " \n", "a"};
  for (int round = 0; round < 5000; round++) {
    const char *alphabet = alphabets[below(sizeof alphabets / sizeof *alphabets)];
    size_t size = round < 300 ? (size_t)round : below(300);
    for (size_t i = 0; i < size; i++) text[i] = alphabet[below(strlen(alphabet))];
    check_words(k, text, size);
  }
}

/* ---- cells ---- */

typedef enum kind { I64, U64, F64, F32 } kind;

static size_t width_of(kind kind) { return kind == F32 ? 4 : 8; }

/* What must come out of a cell, as bits; false: it must be one of the others. Blanks around may be left to them. */
static bool due_value(const uint8_t *cell, size_t size, kind kind, bool plain, uint8_t point, uint64_t *bits) {
  uint8_t text[ROOM];
  while (!plain && size > 0 && (*cell == ' ' || *cell == '\t')) cell++, size--;
  while (!plain && size > 0 && (cell[size - 1] == ' ' || cell[size - 1] == '\t')) size--;
  for (size_t i = 0; i < size; i++)
    text[i] = cell[i] == point ? '.' : cell[i] == '.' ? 'x' : cell[i]; /* another point is none */
  if (plain) {
    size_t i = size > 0 && text[0] == '-';
    if (size > 0 && text[0] == '+') return false;
    if (i + 1 < size && text[i] == '0' && text[i + 1] >= '0' && text[i + 1] <= '9') return false;
  }
  *bits = 0;
  if (kind == I64) return fastio__parse_i64(text, size, 10, (int64_t *)bits, NULL) == FASTIO_OK;
  if (kind == U64) return fastio__parse_u64(text, size, 10, bits, NULL) == FASTIO_OK;
  if (kind == F64) {
    double value;
    if (fastio__parse_f64(text, size, &value, NULL) != FASTIO_OK) return false;
    memcpy(bits, &value, 8);
    return true;
  }
  float value;
  if (fastio__parse_f32(text, size, &value, NULL) != FASTIO_OK) return false;
  memcpy(bits, &value, 4);
  return true;
}

static void run(const fastio__kernels *k, kind kind, const fastio__cells *cells, fastio__cell_progress *progress,
                void *out) {
  if (kind == I64) k->i64_cells(cells, progress, out);
  else if (kind == U64) k->u64_cells(cells, progress, out);
  else if (kind == F64) k->f64_cells(cells, progress, out);
  else k->f32_cells(cells, progress, out);
}

/* Where the cells of a column are. */
typedef struct column {
  char text[64 * ROOM];
  size_t size, count;
  uint32_t starts[4 * ROOM], ends[4 * ROOM]; /* by their steps */
  size_t start_step, end_step;
  uint32_t gap;
} column;

static column c;

static void clear(void) {
  c.size = c.count = 0;
  c.start_step = 1 + below(4);
  c.end_step = 1 + below(4);
  c.gap = (uint32_t)below(3);
}

static void add(const char *cell, size_t size, const char *behind) {
  c.starts[c.count * c.start_step] = (uint32_t)c.size - c.gap; /* of the first one perhaps below 0 */
  memcpy(c.text + c.size, cell, size);
  c.size += size;
  c.ends[c.count++ * c.end_step] = (uint32_t)c.size;
  memcpy(c.text + c.size, behind, strlen(behind));
  c.size += strlen(behind);
}

static void round_rest(const fastio__decimals *rest, kind kind, void *out) {
  for (size_t i = 0; i < rest->count; i++) {
    const fastio__decimal *d = &rest->items[i];
    CHECK(d->index < c.count && d->mantissa < UINT64_C(10000000000000000000));
    if (kind == F64) ((double *)out)[d->index] = fastio__round_f64(d);
    else ((float *)out)[d->index] = fastio__round_f32(d);
  }
}

/* Checks the whole column and returns how many cells were others. */
static size_t check_column(const fastio__kernels *k, kind kind, bool plain, uint8_t point) {
  static uint64_t out[ROOM + 16];
  static bool is_other[ROOM];
  static fastio__cell_progress progress;
  uint8_t *data = copy_of(c.text, c.size, FASTIO__PAD);
  const fastio__cells cells = {data, c.starts, c.ends, c.start_step, c.end_step, c.count, c.gap};
  progress.done = 0;
  progress.plain = plain;
  progress.point = point;
  memset(out, 0xee, sizeof out);
  memset(is_other, 0, sizeof is_other);
  size_t others = 0;
  while (progress.done < c.count) {
    size_t before = progress.done;
    progress.other_count = progress.rest.count = 0;
    run(k, kind, &cells, &progress, out);
    if (!CHECK(progress.done > before && progress.done <= c.count)) break;
    if (kind >= F64) round_rest(&progress.rest, kind, out);
    for (size_t i = 0, least = before; i < progress.other_count; i++, others++) {
      if (!CHECK(progress.others[i] >= least && progress.others[i] < progress.done)) break;
      least = progress.others[i] + 1;
      is_other[progress.others[i]] = true;
    }
    for (size_t i = 0; i < progress.rest.count && kind >= F64; i++) {
      uint32_t index = progress.rest.items[i].index;
      CHECK(index >= before && index < progress.done && !is_other[index]);
    }
  }
  for (size_t i = 0; i < c.count; i++) {
    const uint8_t *cell = data + (uint32_t)(c.starts[i * c.start_step] + c.gap);
    size_t size = (size_t)(data + c.ends[i * c.end_step] - cell);
    uint64_t due = 0, got = 0;
    if (is_other[i]) continue;
    memcpy(&got, (char *)out + i * width_of(kind), width_of(kind));
    bool good = due_value(cell, size, kind, plain, point, &due);
    if (!good || got != due)
      check_that(false, __FILE__, __LINE__,
                 "[%s] kind %d plain %d cell %zu \"%.*s\" became %016" PRIx64 ", not %s%016" PRIx64, name, (int)kind,
                 plain, i, (int)size, (const char *)cell, got, good ? "" : "at all ", due);
    else check_passed++;
  }
  const uint8_t *behind = (const uint8_t *)out + c.count * width_of(kind);
  for (size_t i = 0; i < 64; i++)
    if (behind[i] != 0xee) check_that(false, __FILE__, __LINE__, "[%s] wrote behind the last slot", name);
  free(data - FASTIO__PAD);
  return others;
}

static const char *const odd_cells[] = {"",
                                        "0",
                                        "-0",
                                        "+0",
                                        "-",
                                        "+",
                                        "7",
                                        "-7",
                                        "+7",
                                        "00",
                                        "007",
                                        "-007",
                                        "+007",
                                        "0123456789",
                                        "-00",
                                        "12345678",
                                        "123456789",
                                        "1234567890123456",
                                        "12345678901234567",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "-9223372036854775808",
                                        "-9223372036854775809",
                                        "9999999999999999999",
                                        "-9999999999999999999",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "18450000000000000000",
                                        "20000000000000000000",
                                        "09223372036854775807",
                                        "99999999999999999999",
                                        "36893488147419103232",
                                        "00000000000000000001",
                                        "000000000000000000000000000000001",
                                        "1234567890123456789012345678901234567890",
                                        "--1",
                                        "-+1",
                                        "+-1",
                                        "1-",
                                        "1-2",
                                        "1+2",
                                        "1 2",
                                        "1\t",
                                        " 1",
                                        "\t1",
                                        "  -1  ",
                                        " ",
                                        "        ",
                                        "                                   1",
                                        "1                                   ",
                                        "- 1",
                                        "1\r",
                                        "\r1",
                                        "\r",
                                        "0x10",
                                        "1e",
                                        "1e5",
                                        "1E-5",
                                        "1e+05",
                                        "1e+",
                                        "-1.5e300",
                                        "1e400",
                                        "1e-400",
                                        "1.5e-10",
                                        "-2.5E+3",
                                        "1.",
                                        ".5",
                                        "-.5",
                                        "+.5",
                                        ".",
                                        "-.",
                                        "1..2",
                                        "1.2.3",
                                        ".1.",
                                        "..",
                                        "1.-2",
                                        "-1.-2",
                                        "0.0",
                                        "-0.0",
                                        "00.5",
                                        "-00.5",
                                        "0.05",
                                        "0.000001",
                                        "123.456789",
                                        "-123.456789",
                                        "0.1",
                                        "0.30000000000000004",
                                        "3.141592653589793",
                                        "0.12345678901234567",
                                        "0.0012345678901234567",
                                        "0.00012345678901234567",
                                        "0.000000000000000000000012",
                                        "9007199254740993",
                                        "9007199254740992",
                                        "9007199254740991.5",
                                        "16777217",
                                        "16777216",
                                        "16777217.5",
                                        "8388608.5",
                                        "1.00000005960464477539",
                                        "1.000000059604644775",
                                        "1.0000000596046447753",
                                        "123456789012345678.9",
                                        "12345678901234567890",
                                        "1234567890123456789.0",
                                        "1234567890.1234567890",
                                        "12345678901234567.",
                                        ".12345678901234567",
                                        "0.1234567890123456789012345",
                                        "1.7976931348623157e308",
                                        "5e-324",
                                        "nan",
                                        "inf",
                                        "-inf",
                                        "a",
                                        "12a",
                                        "a12",
                                        "1\x80",
                                        "\xff",
                                        "\x01",
                                        "1\x01",
                                        ":",
                                        "/",
                                        "1:",
                                        "1/2",
                                        "\"1\"",
                                        "\"1",
                                        "1\"",
                                        "1,5",
                                        "1,",
                                        ",5",
                                        "1,5.5",
                                        "1_000",
                                        "0000000000000000000000000.5",
                                        "1000000000000000000000000",
                                        "0.00000000000000000000000",
                                        "1.23456789",
                                        "12.3456789",
                                        "1234567.8",
                                        "12345678.9",
                                        "123456789.123456789",
                                        "1234.12345678901",
                                        "1.2345678901234567",
                                        "123456789012345.1",
                                        "-12345678.",
                                        "-1234567.",
                                        "-.12345678",
                                        "-.1234567"};
#define ODD_COUNT (sizeof odd_cells / sizeof *odd_cells)

static size_t random_cell(char *out, int style) {
  if (style == 9 || below(20) == 0) {
    const char *cell = odd_cells[below(ODD_COUNT)];
    memcpy(out, cell, strlen(cell));
    return strlen(cell);
  }
  size_t n = 0;
  if (style % 2 && below(2)) out[n++] = "--+"[below(3)];
  size_t before = style < 2 ? below(9) : style < 4 ? 1 + below(40) : style < 6 ? 15 + below(7) : below(12);
  for (size_t i = 0; i < before; i++) out[n++] = (char)('0' + below(below(4) ? 10 : 2));
  if (style >= 6 && below(8) != 0) {
    out[n++] = '.';
    size_t after = style == 8 ? 6 : below(20);
    for (size_t i = 0; i < after; i++) out[n++] = (char)('0' + below(10));
    if (below(20) == 0) n += (size_t)sprintf(out + n, "e%d", (int)below(60) - 30);
  }
  if (style >= 10 && below(8) != 0) n += (size_t)sprintf(out + n, below(2) ? "e%+03d" : "E%d", (int)below(50) - 25);
  if (style == 11 && n < 90) { /* blanks around */
    size_t before_it = below(20);
    memmove(out + before_it, out, n);
    memset(out, " \t"[below(2)], before_it);
    n += before_it;
    for (size_t i = below(4); i > 0; i--) out[n++] = ' ';
  }
  if (n > 0 && below(50) == 0) out[below(n)] = (char)draw(); /* a wrong byte */
  return n;
}

/* Fields beside each other have digits around them; `behind` is what else may be there. */
static const char *const behind_cells[] = {",", "\n", "\r\n", "", "\",", "1", "-", ".", "  ", "+,\"0.", "e5"};

static void check_kinds(const fastio__kernels *k) {
  for (int kind = I64; kind <= F32; kind++)
    for (int plain = 0; plain < 2; plain++) check_column(k, (enum kind)kind, plain != 0, below(3) ? '.' : ',');
}

static void test_random_cells(const fastio__kernels *k, int rounds) {
  for (int round = 0; round < rounds; round++) {
    int style = (int)below(12);
    size_t count = below(10) == 0 ? 1 + below(2000) : 1 + below(70);
    clear();
    while (c.count < count) {
      char cell[128];
      add(cell, random_cell(cell, style), behind_cells[below(sizeof behind_cells / sizeof *behind_cells)]);
    }
    check_kinds(k);
  }
}

/* Every odd cell at every place of a group of cells, between two common ones and alone. */
static void test_odd_cells(const fastio__kernels *k) {
  for (size_t odd = 0; odd < ODD_COUNT; odd++)
    for (size_t place = 0; place < 17; place++) {
      clear();
      for (size_t i = 0; i < 17; i++) {
        const char *cell = i == place ? odd_cells[odd] : i % 2 ? "12" : "-3.5";
        add(cell, strlen(cell), behind_cells[below(sizeof behind_cells / sizeof *behind_cells)]);
      }
      check_kinds(k);
    }
}

/* Columns of cells of which all go the same way, so that what notes them fills up. */
static void test_full_notes(const fastio__kernels *k) {
  static const char *const cells[] = {"", "x", "nan", "0.30000000000000004", "123456789012345678.9", "1e100", "-"};
  for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
    clear();
    for (size_t n = 0; n < 3000; n++) add(cells[i], strlen(cells[i]), ",");
    check_kinds(k);
    clear();
    for (size_t n = 0; n < 3000; n++) add(cells[i], below(3) == 0 ? strlen(cells[i]) : 0, ",");
    check_kinds(k);
  }
}

/* Middles between floats and what is next to them, where rounding twice would go wrong. */
static void test_roundings(const fastio__kernels *k) {
  for (int round = 0; round < 100; round++) {
    clear();
    while (c.count < 500) {
      char cell[400];
      uint32_t bits = 0x3f800000 - (20u << 23) + ((uint32_t)draw() & 0x7fffffff) % (70u << 23); /* 2^-20 to 2^50 */
      float f;
      memcpy(&f, &bits, 4);
      double middle = ((double)f + (double)nextafterf(f, INFINITY)) / 2;
      if (below(3) == 0) middle = nextafter(middle, below(2) ? 0 : INFINITY);
      add(cell, (size_t)sprintf(cell, "%.*f", (int)below(20), middle), "\n");
    }
    check_column(k, F64, false, '.');
    check_column(k, F32, false, '.');
  }
}

/* What must not be left to the slow path. */
static void test_common_shapes(const fastio__kernels *k) {
  static const struct {
    kind first, last;
    int whole, fraction; /* up to so many digits; no point if fraction < 0 */
    bool is_negative, has_exponent;
  } shapes[] = {
      {I64, F32, 8, -1, false, false},  {I64, I64, 18, -1, true, false}, {I64, F32, 18, -1, false, false},
      {U64, U64, 19, -1, false, false}, {F64, F32, 4, 6, true, false},   {F64, F32, 9, 10, true, false},
      {F64, F32, 1, 17, false, false},  {F64, F32, 17, 1, true, false},  {F64, F32, 0, 8, false, false},
      {F64, F32, 8, 0, false, false},   {F64, F32, 1, 6, true, true},    {F64, F32, 1, 18, true, true},
      {F64, F32, 5, -1, false, true},
  };
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (int plain = 0; plain < 2; plain++) {
      clear();
      while (c.count < 1000) {
        char cell[64];
        size_t n = 0;
        if (shapes[s].is_negative && below(2)) cell[n++] = '-';
        size_t whole = shapes[s].whole == 0 ? 0 : 1 + below((size_t)shapes[s].whole);
        for (size_t i = 0; i < whole; i++) cell[n++] = (char)(i == 0 ? '1' + below(9) : '0' + below(10));
        if (shapes[s].fraction >= 0) cell[n++] = '.';
        for (int i = 0; i < shapes[s].fraction; i++) cell[n++] = (char)('0' + below(10));
        if (shapes[s].has_exponent) n += (size_t)sprintf(cell + n, "e%+03d", (int)below(600) - 300);
        add(cell, n, c.count % 5 == 4 ? "\n" : ",");
      }
      for (int kind = (int)shapes[s].first; kind <= (int)shapes[s].last; kind++)
        check_that(check_column(k, (enum kind)kind, plain != 0, '.') == 0, __FILE__, __LINE__,
                   "[%s] shape %zu, kind %d: cells left to others", name, s, kind);
    }
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 2000;
  for (size_t i = 0; (name = fastio_cpu_name(i)) != NULL; i++) {
    fastio_cpu_select(name);
    const fastio__kernels *k = fastio__simd();
    test_edges(k);
    test_quoted_fields(k);
    test_words(k);
    test_common_shapes(k);
    test_odd_cells(k);
    test_full_notes(k);
    test_roundings(k);
    test_random_cells(k, rounds);
  }
  return check_report();
}
