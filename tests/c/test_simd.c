/* Every kernel table that this machine can run, against plain reference code written here: values, places, bytes read
 * and written. A kernel may always stop early, so what it converts is compared; that it converts the common shapes is
 * a test of its own. */
#define _GNU_SOURCE /* mmap, setenv */
#include "../../libfastio/include/fastio.h"
#include "../../libfastio/src/simd/simd.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHECK(condition, ...)                                                   \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "%s:%d: %s [%s] ", __FILE__, __LINE__, #condition, name); \
      fprintf(stderr, __VA_ARGS__);                                             \
      fprintf(stderr, "\n");                                                    \
      exit(1);                                                                  \
    }                                                                           \
  } while (0)

#define ROOM 4096 /* the largest input of the random tests */

static const char *name = "";
static uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t draw(void) { /* xorshift64* */
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * UINT64_C(0x2545f4914f6cdd1d);
}
static size_t below(size_t n) { return (size_t)(draw() % n); }

/* ---- memory with a forbidden page on either side ---- */

static uint8_t *arena, *arena_end;

static void make_arena(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (ROOM + 128 + 2 * page - 1) / page * page;
  uint8_t *p = mmap(NULL, size + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(p != MAP_FAILED, "mmap");
  CHECK(mprotect(p, page, PROT_NONE) == 0 && mprotect(p + page + size, page, PROT_NONE) == 0, "mprotect");
  arena = p + page;
  arena_end = arena + size;
}

/* A copy that starts `before` bytes behind the lower forbidden page or ends `after` bytes in front of the upper one;
 * what is around it is noise that looks like numbers. */
static uint8_t *place(const void *data, size_t size, size_t pad, bool at_end) {
  static const char noise[] = "0123456789-. \n,";
  uint8_t *copy = at_end ? arena_end - pad - size : arena + pad;
  for (size_t i = 0; i < pad; i++) {
    uint64_t r = draw();
    copy[-1 - (ptrdiff_t)i] = (uint8_t)noise[r % 15];
    copy[size + i] = (uint8_t)noise[(r >> 32) % 15];
  }
  if (size > 0) memcpy(copy, data, size);
  return copy;
}

/* ---- byte kernels ---- */

static void check_bytes(const fastio__kernels *k, const uint8_t *data, size_t size, uint8_t byte) {
  static uint32_t positions[ROOM + 64];
  size_t count = 0, tokens = 0, ascii = size;
  bool space = true;
  for (size_t i = 0; i < size; i++) {
    bool now = strchr(" \t\n\v\f\r", data[i]) != NULL && data[i] != 0;
    count += data[i] == byte;
    tokens += space && !now;
    space = now;
    if (data[i] > 127 && ascii == size) ascii = i;
  }
  CHECK(k->count_byte(data, size, byte) == count, "size %zu byte %d", size, byte);
  CHECK(k->count_tokens(data, size) == tokens, "size %zu: %zu, not %zu", size, k->count_tokens(data, size), tokens);
  size_t prefix = k->ascii_prefix(data, size);
  CHECK(prefix <= ascii && prefix + 64 > ascii, "size %zu: %zu, not %zu", size, prefix, ascii);
  CHECK(ascii < size || prefix == size, "size %zu: all of it is ASCII", size);
  memset(positions, 0xee, sizeof positions);
  CHECK(k->find_byte(data, size, byte, positions) == count, "size %zu byte %d", size, byte);
  for (size_t i = 0, n = 0; i < size; i++)
    if (data[i] == byte) CHECK(positions[n++] == i, "size %zu: number %zu is not at %zu", size, n, i);
  for (size_t i = count + 64; i < ROOM + 64; i++) CHECK(positions[i] == 0xeeeeeeee, "wrote behind its room");
}

static void test_bytes(const fastio__kernels *k) {
  static uint8_t data[ROOM];
  for (int round = 0; round < 1500; round++) {
    size_t size = round < 300 ? (size_t)round : below(ROOM);
    int style = (int)below(5);
    for (size_t i = 0; i < size; i++) {
      uint64_t r = draw();
      if (style == 0) data[i] = (uint8_t)r;
      if (style == 1) data[i] = (uint8_t) "ab \t\n\v\f\r\x08\x0e\x1f!\x89\x8d\xa0"[r % 15];
      if (style == 2) data[i] = (uint8_t)(r % 300 == 0 ? '\n' : 'x');
      if (style == 3) data[i] = '\n';
      if (style == 4) data[i] = (uint8_t)(r % 2000 == 0 ? 0xc3 : r % 128);
    }
    uint8_t *copy = place(data, size, below(2) ? 0 : below(65), below(2));
    check_bytes(k, copy, size, style == 0 ? (uint8_t)draw() : '\n');
  }
}

/* ---- the reference for numbers ---- */

typedef enum kind { I64, U64, F64, F32 } kind;

static bool is_digit(int c) { return c >= '0' && c <= '9'; }

/* Whether text[0..size) is a number of the kind, by the grammar alone. */
static bool is_number(const char *text, size_t size, kind kind) {
  size_t i = 0, digits = 0;
  if (i < size && (text[i] == '-' || text[i] == '+')) i++;
  for (; i < size && is_digit(text[i]); i++) digits++;
  if (kind < F64) return digits > 0 && i == size;
  if (i < size && text[i] == '.')
    for (i++; i < size && is_digit(text[i]); i++) digits++;
  if (digits == 0) return false;
  if (i < size && (text[i] == 'e' || text[i] == 'E')) {
    i++;
    if (i < size && (text[i] == '-' || text[i] == '+')) i++;
    if (i == size) return false;
    while (i < size && is_digit(text[i])) i++;
  }
  return i == size;
}

/* The value's bits, or false if it does not fit. */
static bool reference_value(const char *text, size_t size, kind kind, uint64_t *bits) {
  char copy[ROOM + 1];
  memcpy(copy, text, size);
  copy[size] = 0;
  *bits = 0;
  errno = 0;
  if (kind == I64) {
    int64_t v = strtoll(copy, NULL, 10);
    memcpy(bits, &v, 8);
    return errno == 0;
  }
  if (kind == U64) {
    *bits = strtoull(copy, NULL, 10);
    return errno == 0 && (copy[0] != '-' || *bits == 0);
  }
  if (kind == F64) {
    double v = strtod(copy, NULL);
    memcpy(bits, &v, 8);
    return true;
  }
  float v = strtof(copy, NULL);
  uint32_t b;
  memcpy(&b, &v, 4);
  *bits = b;
  return true;
}

typedef struct item {
  size_t start, end; /* the token */
  size_t next;       /* behind its separator */
  uint64_t bits;
} item;

static bool is_space(int c) { return c == ' ' || (c >= 9 && c <= 13); }

/* Splits the text as the contract says, up to the first thing that is not a good number; returns how many there are. */
static size_t reference(const char *text, size_t size, int separator, kind kind, item *items) {
  size_t n = 0, i = 0;
  while (i < size) {
    item it;
    if (separator < 0) {
      while (i < size && is_space(text[i])) i++;
      if (i == size) break;
      it.start = i;
      while (i < size && !is_space(text[i])) i++;
      it.end = it.next = i;
    } else {
      size_t line = i;
      while (line < size && (uint8_t)text[line] != separator && text[line] != '\n') line++;
      it.next = line + 1;
      it.end = line < size && text[line] == '\n' && line > i && text[line - 1] == '\r' ? line - 1 : line;
      while (i < it.end && (text[i] == ' ' || text[i] == '\t')) i++;
      while (i < it.end && (text[it.end - 1] == ' ' || text[it.end - 1] == '\t')) it.end--;
      it.start = i;
      i = it.next;
    }
    if (!is_number(text + it.start, it.end - it.start, kind)) break;
    if (!reference_value(text + it.start, it.end - it.start, kind, &it.bits)) break;
    items[n++] = it;
  }
  return n;
}

/* ---- number kernels against it ---- */

static size_t run(const fastio__kernels *k, kind kind, const uint8_t **at, const uint8_t *end, void *out,
                  size_t capacity, int separator, fastio__decimals *rest) {
  if (kind == I64) return k->i64(at, end, out, capacity, separator);
  if (kind == U64) return k->u64(at, end, out, capacity, separator);
  if (kind == F64) return k->f64(at, end, out, capacity, separator, rest);
  return k->f32(at, end, out, capacity, separator, rest);
}

/* Rounds what the kernel took apart, by way of text. */
static void finish(const fastio__decimals *rest, kind kind, void *out, size_t count) {
  for (size_t i = 0; i < rest->count; i++) {
    const fastio__decimal *d = &rest->items[i];
    char text[64];
    CHECK(d->index < count && d->mantissa < UINT64_C(10000000000000000000), "item %zu", i);
    snprintf(text, sizeof text, "%s%llue%ld", d->negative ? "-" : "", (unsigned long long)d->mantissa,
             (long)d->exponent);
    if (kind == F64) ((double *)out)[d->index] = strtod(text, NULL);
    else ((float *)out)[d->index] = strtof(text, NULL);
  }
}

/* Returns how many values the kernel converted of the `n` there are. */
static size_t check_numbers(const fastio__kernels *k, const char *text, size_t size, int separator, kind kind,
                            size_t capacity, bool at_end) {
  static item items[ROOM];
  static uint64_t out[ROOM + 2];
  static fastio__decimals rest;
  size_t n = reference(text, size, separator, kind, items), width = kind == F32 ? 4 : 8, done = 0;
  const uint8_t *data = place(text, size, FASTIO__PAD, at_end), *at = data;
  memset(out, 0xee, sizeof out);
  if (capacity > ROOM) capacity = ROOM;
  for (;;) {
    rest.count = 0;
    size_t got = run(k, kind, &at, data + size, (char *)out + done * width, capacity - done, separator, &rest);
    CHECK(got <= capacity - done, "capacity");
    CHECK(done + got <= n, "converted token %zu of '%.*s'", n, (int)size, text);
    CHECK(rest.count <= got, "%zu left over of %zu", rest.count, got);
    if (kind >= F64) {
      finish(&rest, kind, (char *)out + done * width, got);
      for (size_t i = 0; i < rest.count; i++) {
        const item *it = &items[done + rest.items[i].index];
        CHECK(rest.items[i].start == data + it->start && rest.items[i].end == data + it->end, "token of '%.*s'",
              (int)size, text);
      }
    }
    done += got;
    size_t place_now = (size_t)(at - data);
    CHECK(place_now <= size, "%zu behind the end of '%.*s'", place_now - size, (int)size, text);
    size_t low = done == 0 ? 0 : items[done - 1].next, high = low;
    if (separator < 0)
      while (high < size && is_space(text[high])) high++;
    CHECK(place_now >= low && place_now <= high, "at %zu, not %zu to %zu, after %zu of '%.*s'", place_now, low, high,
          done, (int)size, text);
    if (got == 0) break;
  }
  for (size_t i = 0; i < done; i++) {
    uint64_t bits = 0;
    if (width == 8) bits = out[i];
    else bits = ((uint32_t *)out)[i];
    CHECK(bits == items[i].bits, "value %zu, '%.*s': %llx, not %llx, of '%.*s'", i,
          (int)(items[i].end - items[i].start), text + items[i].start, (unsigned long long)bits,
          (unsigned long long)items[i].bits, (int)size, text);
  }
  const uint8_t *behind = (const uint8_t *)out + capacity * width;
  for (size_t i = 0; i < 16; i++) CHECK(behind[i] == 0xee, "wrote beyond its capacity of %zu", capacity);
  return done;
}

static const char *const odd_tokens[] = {
    "0",
    "-0",
    "+0",
    "-",
    "+",
    "",
    "7",
    "-7",
    "+7",
    "00",
    "007",
    "-007",
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
    "99999999999999999999",
    "36893488147419103232",
    "00000000000000000001",
    "000000000000000000000000000000001",
    "1234567890123456789012345678901234567890",
    "--1",
    "-+1",
    "1-",
    "1-2",
    "1+2",
    "1 2",
    "1\t",
    " 1",
    "1\r",
    "\r1",
    "\r",
    "0x10",
    "1e",
    "1e5",
    "1E-5",
    "1e+05",
    "-1.5e300",
    "1e400",
    "1e-400",
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
    "0.0",
    "-0.0",
    "0.000001",
    "123.456789",
    "-123.456789",
    "0.1",
    "0.30000000000000004",
    "3.141592653589793",
    "0.12345678901234567",
    "0.0012345678901234567",
    "0.00012345678901234567",
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
    "1_000",
    "0000000000000000000000000.5",
    "1000000000000000000000000",
    "0.00000000000000000000000",
};

static const char *const gaps_of_space[] = {
    " ",
    "\n",
    "\t",
    "\r\n",
    "\v",
    "\f",
    "  ",
    "\n\n",
    "      ",
    "                  ",
    "                                                                                  "};

static size_t random_token(char *out, int style) {
  if (style == 9 || below(30) == 0) {
    const char *t = odd_tokens[style == 9 || below(3) == 0 ? below(sizeof odd_tokens / sizeof *odd_tokens) : below(16)];
    memcpy(out, t, strlen(t));
    return strlen(t);
  }
  size_t n = 0;
  if (style % 2 && below(2)) out[n++] = '-';
  size_t before = style < 2 ? 8 : style < 4 ? 1 + below(9) : style < 6 ? 1 + below(20) : 1 + below(3);
  for (size_t i = 0; i < before; i++) out[n++] = (char)('0' + below(10));
  if (style >= 6 && below(8) != 0) {
    out[n++] = '.';
    size_t after = style == 8 ? 6 : below(20);
    for (size_t i = 0; i < after; i++) out[n++] = (char)('0' + below(10));
    if (below(20) == 0) n += (size_t)sprintf(out + n, "e%d", (int)below(60) - 30);
  }
  return n;
}

static size_t random_text(char *text, int separator, int style, int spacing) {
  size_t size = 0, limit = below(4) == 0 ? below(ROOM - 200) : below(300);
  while (size < limit) {
    if (separator >= 0 && spacing == 2 && below(4) == 0) text[size++] = ' ';
    size += random_token(text + size, style);
    if (separator >= 0 && spacing == 2 && below(4) == 0) text[size++] = below(2) ? ' ' : '\t';
    const char *gap = gaps_of_space[spacing == 0 ? 1 : below(sizeof gaps_of_space / sizeof *gaps_of_space)];
    char one[3] = {(char)separator, 0, 0};
    if (separator >= 0) gap = spacing == 0 || below(3) ? one : below(2) ? "\n" : "\r\n";
    if (separator >= 0 && spacing == 2 && below(100) == 0) gap = "\n\n";
    memcpy(text + size, gap, strlen(gap));
    size += strlen(gap);
  }
  if (size == 0) text[size++] = '\n';
  if (below(6) == 0) text[below(size)] = (char)draw(); /* one wrong byte anywhere */
  return size;
}

/* A window ends in a separator or before one. */
static size_t cut_behind_separator(char *text, size_t size, int separator) {
  bool ends = separator < 0 ? is_space(text[size - 1]) : (uint8_t)text[size - 1] == separator || text[size - 1] == '\n';
  if (!ends) text[size - 1] = separator < 0 ? ' ' : (char)separator;
  return size;
}

static void test_random_numbers(const fastio__kernels *k, int rounds) {
  static char text[ROOM];
  static const int separators[] = {-1, -1, -1, ',', ';', '\t', ' ', '|', '\n', ':', 0xa7};
  for (int round = 0; round < rounds; round++) {
    int separator = separators[below(sizeof separators / sizeof *separators)];
    size_t size = random_text(text, separator, (int)below(10), (int)below(3));
    size = cut_behind_separator(text, size, separator);
    size_t capacity = below(2) ? ROOM : below(80);
    for (int kind = I64; kind <= F32; kind++)
      check_numbers(k, text, size, separator, (enum kind)kind, capacity, below(2));
  }
}

/* Every odd token at every place in a block. */
static void test_odd_tokens(const fastio__kernels *k) {
  static char text[ROOM];
  for (size_t t = 0; t < sizeof odd_tokens / sizeof *odd_tokens; t++)
    for (size_t shift = 0; shift < 70; shift++)
      for (int separated = 0; separated < 2; separated++) {
        char sep = separated ? ',' : ' ';
        size_t size = 0;
        while (size < shift) {
          size_t left = shift - size, digits = left == 1 ? 0 : left == 3 ? 2 : left > 9 ? 7 : left - 1;
          for (size_t i = 0; i < digits; i++) text[size++] = (char)('1' + i);
          if (digits > 0 || !separated) text[size++] = sep;
          else break;
        }
        size += (size_t)sprintf(text + size, "%s%c42%c-5%c%s%c77%c", odd_tokens[t], sep, sep, sep, odd_tokens[t], sep,
                                sep);
        for (int kind = I64; kind <= F32; kind++)
          check_numbers(k, text, size, separated ? ',' : -1, (enum kind)kind, ROOM, shift & 1);
      }
}

/* Exactly which floats a kernel may round itself is delicate: middles between floats and around powers of two. */
static void test_roundings(const fastio__kernels *k) {
  static char text[ROOM];
  for (int round = 0; round < 300; round++) {
    size_t size = 0;
    while (size < 1000) {
      uint32_t bits = (uint32_t)draw() & 0x7fffffff;
      bits = 0x3f800000 - (20u << 23) + bits % (70u << 23); /* 2^-20 to 2^50 */
      float f;
      memcpy(&f, &bits, 4);
      double middle = ((double)f + (double)nextafterf(f, INFINITY)) / 2;
      if (below(3) == 0) middle = nextafter(middle, below(2) ? 0 : INFINITY);
      size += (size_t)sprintf(text + size, "%.*f\n", (int)below(20), middle);
    }
    check_numbers(k, text, size, -1, F32, ROOM, true);
    check_numbers(k, text, size, -1, F64, ROOM, true);
  }
}

/* What must not be left to the slow path. */
static void test_common_shapes(const fastio__kernels *k) {
  static const struct {
    const char *format;
    kind first, last;
    int separator;
  } shapes[] = {
      {"%d\n", I64, F32, -1},
      {"%d ", I64, F32, -1},
      {"%d   \r\n  ", I64, F32, -1},
      {"1%07d\n", I64, F32, -1},
      {"%d,", I64, F32, ','},
      {"%d,7\n", I64, F32, ','},
      {"%d;-7\r\n", I64, I64, ';'},
      {"-%d\n", I64, I64, -1},
      {"%d , 8\n", I64, F32, ','},
      {"+%d\n", I64, F32, -1},
      {"%d.%06d\n", F64, F32, -1},
      {"-%d.5\n", F64, F32, -1},
      {"%d.\n", F64, F32, -1},
      {".%d\n", F64, F32, -1},
      {"%d.%06d\t", F64, F32, '\t'},
      {"%de-05\n", F64, F32, -1},
      {"%d.5E+10\n", F64, F32, -1},
      {"0.12345678901%06d\n", F64, F32, -1},
      {"1234567890123%06d\n", I64, F32, -1},
      {"-0.%017d\n", F64, F32, -1},
      {"%d.25,", F64, F32, ','},
      {"0.000%016d\n", F64, F32, -1},
  };
  static char text[ROOM];
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (int step = 1; step < 200000; step = step * 7 + 1) {
      size_t size = 0;
      int values = 0;
      for (; size < ROOM - 100; values++)
        size += (size_t)sprintf(text + size, shapes[s].format, values * step % 1000000, (values * 7919) % 1000000);
      static item items[ROOM];
      for (int kind = (int)shapes[s].first; kind <= (int)shapes[s].last; kind++) {
        size_t n = reference(text, size, shapes[s].separator, (enum kind)kind, items);
        CHECK(n >= (size_t)values, "the test itself: %zu of %d: '%s'", n, values, shapes[s].format);
        size_t done = check_numbers(k, text, size, shapes[s].separator, (enum kind)kind, ROOM, true);
        CHECK(done == n, "kind %d: %zu of %zu: '%s'", kind, done, n, shapes[s].format);
      }
    }
}

static void test_selection(void) {
  CHECK(strcmp(fastio_cpu_selected(), "scalar") == 0, "FASTIO_SIMD=scalar was not obeyed: %s", fastio_cpu_selected());
  CHECK(strcmp(fastio_cpu_name(0), "scalar") == 0, "%s", fastio_cpu_name(0));
  size_t n = 0;
  for (; fastio_cpu_name(n) != NULL; n++) {
    CHECK(fastio_cpu_select(fastio_cpu_name(n)) == FASTIO_OK, "%s", fastio_cpu_name(n));
    CHECK(strcmp(fastio_cpu_selected(), fastio_cpu_name(n)) == 0, "%s", fastio_cpu_selected());
    CHECK(strcmp(fastio__simd()->name, fastio_cpu_name(n)) == 0, "%s", fastio_cpu_name(n));
  }
  CHECK(fastio_cpu_name(n + 1) == NULL, "names go on");
  CHECK(fastio_cpu_select("scalar") == FASTIO_OK, "scalar");
  CHECK(fastio_cpu_select("no such") == FASTIO_UNSUPPORTED && fastio_cpu_select("") == FASTIO_UNSUPPORTED,
        "unknown names");
  CHECK(strcmp(fastio_cpu_selected(), "scalar") == 0, "a failed select changes nothing");
  CHECK(fastio_cpu_select("auto") == FASTIO_OK && strcmp(fastio_cpu_selected(), fastio_cpu_name(n - 1)) == 0, "auto");
  CHECK(fastio_cpu_select("scalar") == FASTIO_OK && fastio_cpu_select(NULL) == FASTIO_OK, "NULL");
  CHECK(strcmp(fastio_cpu_selected(), fastio_cpu_name(n - 1)) == 0, "NULL is auto");
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 6000;
  setenv("FASTIO_SIMD", "scalar", 1);
  test_selection();
  make_arena();
  for (size_t i = 0; (name = fastio_cpu_name(i)) != NULL; i++) {
    fastio_cpu_select(name);
    const fastio__kernels *k = fastio__simd();
    test_bytes(k);
    test_common_shapes(k);
    test_odd_tokens(k);
    test_roundings(k);
    test_random_numbers(k, rounds);
    printf("test_simd: %s passed\n", name);
  }
  return 0;
}
