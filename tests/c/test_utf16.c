/* UTF-8 to UTF-16 and back in every kernel table: against a converter written here from the Unicode Standard (3.9, tables
 * 3-5 and 3-6), a character at a time. Input and output are of exact size on the heap, so that sanitizers see the ends. */
#include "../../libfastio/src/text/text.h"
#include "books.h"

#define CHECK_THAT(condition, ...) check_that((condition), __FILE__, __LINE__, __VA_ARGS__)

enum { MOST = 1024 };

typedef struct text {
  size_t size;
  uint8_t data[MOST];
} text;

/* ---- the other converter ---- */

/* The character that the bytes begin with, by writing each length's range out; its size in *size, 0: there is none. */
static uint32_t read_utf8(const uint8_t *p, size_t left, size_t *size) {
  static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
  const int length = p[0] < 0x80             ? 1
                     : (p[0] & 0xE0) == 0xC0 ? 2
                     : (p[0] & 0xF0) == 0xE0 ? 3
                     : (p[0] & 0xF8) == 0xF0 ? 4
                                             : 0;
  uint32_t c = length == 1 ? p[0] : p[0] & (0x7Fu >> length);
  *size = 0;
  if (length == 0 || (size_t)length > left) return 0;
  for (int i = 1; i < length; i++) {
    if ((p[i] & 0xC0) != 0x80) return 0;
    c = c * 64 + p[i] % 64;
  }
  if (c < least[length] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return 0;
  *size = (size_t)length;
  return c;
}

static size_t write_utf8(uint32_t c, uint8_t *out) {
  const size_t length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  if (length == 1) return out[0] = (uint8_t)c, 1;
  for (size_t i = length - 1; i > 0; i--, c /= 64) out[i] = (uint8_t)(0x80 + c % 64);
  out[0] = (uint8_t)((0xF00u >> length) % 256 + c);
  return length;
}

static void write_unit(uint32_t unit, bool big, uint8_t *out) {
  out[big ? 0 : 1] = (uint8_t)(unit / 256);
  out[big ? 1 : 0] = (uint8_t)(unit % 256);
}

static size_t write_utf16(uint32_t c, bool big, uint8_t *out) {
  if (c < 0x10000) return write_unit(c, big, out), 2;
  write_unit(0xD800 + (c - 0x10000) / 0x400, big, out);
  write_unit(0xDC00 + (c - 0x10000) % 0x400, big, out + 2);
  return 4;
}

static uint32_t read_utf16(const uint8_t *p, size_t left, bool big, size_t *size) {
  *size = 0;
  if (left < 2) return 0;
  const uint32_t unit = big ? p[0] * 256u + p[1] : p[1] * 256u + p[0];
  if (unit < 0xD800 || unit > 0xDFFF) return *size = 2, unit;
  if (unit > 0xDBFF || left < 4) return 0;
  const uint32_t low = big ? p[2] * 256u + p[3] : p[3] * 256u + p[2];
  if (low < 0xDC00 || low > 0xDFFF) return 0;
  *size = 4;
  return 0x10000 + (unit - 0xD800) * 0x400 + (low - 0xDC00);
}

/* Returns how many bytes of input were taken. */
static size_t expect(const uint8_t *in, size_t size, size_t room, bool to_utf16, bool big, text *out) {
  size_t at = 0;
  out->size = 0;
  while (at < size) {
    uint8_t put[4];
    size_t taken, given;
    const uint32_t c = to_utf16 ? read_utf8(in + at, size - at, &taken) : read_utf16(in + at, size - at, big, &taken);
    if (taken == 0) break;
    given = to_utf16 ? write_utf16(c, big, put) : write_utf8(c, put);
    if (given > room - out->size) break;
    memcpy(out->data + out->size, put, given);
    out->size += given;
    at += taken;
  }
  return at;
}

/* ---- comparing ---- */

/* With so many bytes before the input and the output, which moves them off what malloc aligns to. */
static void compare(const uint8_t *in, size_t size, size_t room, size_t shift, bool to_utf16, bool big) {
  uint8_t *input = malloc(shift + size ? shift + size : 1), *output = malloc(shift + room ? shift + room : 1);
  text due;
  const size_t due_taken = expect(in, size, room, to_utf16, big, &due);
  if (size) memcpy(input + shift, in, size);
  const uint8_t *at = input + shift;
  uint8_t *out = output + shift;
  const size_t given = to_utf16 ? fastio__utf8_to_utf16(&at, at + size, out, out + room, big)
                                : fastio__utf16_to_utf8(&at, at + size, out, out + room, big);
  const size_t taken = (size_t)(at - input) - shift;
  bool same = taken == due_taken && given == due.size;
  same = same && (given == 0 || memcmp(out, due.data, given) == 0);
  CHECK_THAT(same, "%s: %s, big %d: %zu bytes at %zu into %zu: took %zu, not %zu, gave %zu, not %zu",
             fastio_cpu_selected(), to_utf16 ? "to UTF-16" : "to UTF-8", big, size, shift, room, taken, due_taken,
             given, due.size);
  free(input);
  free(output);
}

static void compare_orders(const uint8_t *in, size_t size, size_t room, size_t shift, bool to_utf16) {
  uint8_t swapped[MOST];
  compare(in, size, room, shift, to_utf16, false);
  if (!to_utf16) {
    for (size_t i = 0; i < size; i++) swapped[i] = in[(i ^ 1) < size ? i ^ 1 : i];
    in = swapped;
  }
  compare(in, size, room, shift, to_utf16, true);
}

/* ---- inputs ---- */

static uint32_t seed = 1;
static uint32_t draw(uint32_t below) {
  seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5;
  return seed % below;
}

/* A character of so many bytes of UTF-8. */
static uint32_t draw_character(int length) {
  static const uint32_t from[4] = {0, 0x80, 0x800, 0x10000}, to[4] = {0x80, 0x800, 0x10000, 0x110000};
  for (;;) {
    const uint32_t c = from[length - 1] + draw(to[length - 1] - from[length - 1]);
    if (c < 0xD800 || c > 0xDFFF) return c;
  }
}

/* Lengths by the digits of `mix`, each as likely. */
static void fill(text *t, size_t size, const char *mix, bool utf16) {
  const uint32_t kinds = (uint32_t)strlen(mix);
  t->size = 0;
  while (t->size < size) {
    const uint32_t c = draw_character(mix[draw(kinds)] - '0');
    t->size += utf16 ? write_utf16(c, false, t->data + t->size) : write_utf8(c, t->data + t->size);
  }
}

static const char *const mixes[] = {"1",  "2",  "3",   "4",    "12",      "13",      "14",
                                    "23", "34", "123", "1234", "1111112", "11111114"};
enum { MIXES = sizeof mixes / sizeof *mixes };

/* ---- tests ---- */

static void every_character(void) {
  text utf8 = {0}, utf16 = {0};
  for (uint32_t c = 0; c < 0x110000; c++) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    utf8.size += write_utf8(c, utf8.data + utf8.size);
    utf16.size += write_utf16(c, false, utf16.data + utf16.size);
    if (c != 0x10FFFF && utf8.size < 600 && utf16.size < 600) continue;
    compare_orders(utf8.data, utf8.size, utf16.size, 0, true);
    compare_orders(utf16.data, utf16.size, utf8.size, 0, false);
    CHECK_INT(fastio__utf16_size(utf8.data, utf8.size), utf16.size);
    utf8.size = utf16.size = 0;
  }
}

static void lengths_and_alignments(void) {
  text t;
  for (int mix = 0; mix < MIXES; mix++)
    for (size_t size = 0; size <= 200; size++) {
      fill(&t, 200, mixes[mix], true);
      compare_orders(t.data, size, MOST / 2, size % 64, false);
      fill(&t, 200, mixes[mix], false);
      compare_orders(t.data, size, MOST / 2, size % 64, true);
    }
  for (size_t shift = 0; shift < 64; shift++) {
    fill(&t, 300, "1234", shift % 2);
    compare_orders(t.data, t.size, MOST / 2, shift, !(shift % 2));
  }
}

static void rooms(void) {
  text t;
  for (int mix = 0; mix < MIXES; mix++)
    for (size_t room = 0; room <= 200; room++) {
      fill(&t, 250, mixes[mix], true);
      compare_orders(t.data, t.size, room, 0, false);
      fill(&t, 250, mixes[mix], false);
      compare_orders(t.data, t.size, room, 0, true);
    }
}

/* Each within text of each length of character, before, at and behind the borders of blocks. */
static void malformed(void) {
  static const char *const bad[] = {
      "\x80",
      "\xBF",
      "\xC0",
      "\xC0\x80",
      "\xC1\xBF",
      "\xC2",
      "\xC2"
      "A",
      "\xC2\xC0",
      "\xDF\xFF",
      "\xE0\x80\x80",
      "\xE0\x9F\xBF",
      "\xE1\x80",
      "\xE1\x80"
      "A",
      "\xE1\xC2\x80",
      "\xED\xA0\x80",
      "\xED\xBF\xBF",
      "\xEF\xBF",
      "\xEF\xBF\xC0",
      "\xF0\x80\x80\x80",
      "\xF0\x8F\xBF\xBF",
      "\xF0\x90\x80",
      "\xF0\x90"
      "A",
      "\xF1\x80\x80\xC0",
      "\xF1\x80\x80"
      "A",
      "\xF4\x90\x80\x80",
      "\xF5\x80\x80\x80",
      "\xF7\xBF\xBF\xBF",
      "\xF8\x88\x80\x80\x80",
      "\xFC",
      "\xFE",
      "\xFF",
      "\xC3\xA9\x80",
      "\xE2\x82\xAC\x80",
      "\xF0\x9F\x98\x80\x80",
  };
  text t;
  for (size_t b = 0; b < sizeof bad / sizeof *bad; b++)
    for (int mix = 0; mix < 5; mix++)
      for (size_t before = 0; before <= 140; before++) {
        const size_t size = strlen(bad[b]);
        fill(&t, before, mixes[mix], false);
        memcpy(t.data + t.size, bad[b], size);
        t.size += size;
        compare_orders(t.data, t.size, MOST / 2, 0, true);
        memset(t.data + t.size, 'x', 150);
        compare_orders(t.data, t.size + 150, MOST / 2, 0, true);
      }
}

static void surrogates(void) {
  static const uint16_t bad[][2] = {{0xD800, 'A'},    {0xDBFF, 0xD800}, {0xDC00, 'A'}, {0xDFFF, 0xDC00},
                                    {0xD800, 0xE000}, {0xDBFF, 0xDBFF}, {'A', 0xDC00}, {0xDC00, 0xD800}};
  text t;
  for (size_t b = 0; b < sizeof bad / sizeof *bad; b++)
    for (int mix = 0; mix < 5; mix++)
      for (size_t before = 0; before <= 140; before += 2)
        for (size_t behind = 0; behind <= 150; behind += 75) {
          fill(&t, before, mixes[mix], true);
          for (int i = 0; i < 2; i++, t.size += 2) write_unit(bad[b][i], false, t.data + t.size);
          for (size_t i = 0; i < behind / 2; i++, t.size += 2) write_unit('x', false, t.data + t.size);
          compare_orders(t.data, t.size, MOST / 2, 0, false);
          compare_orders(t.data, t.size - 1, MOST / 2, 0, false);
        }
}

/* Well-formed but for some bytes. */
static void noise(void) {
  text t;
  for (int i = 0; i < 20000; i++) {
    const bool utf16 = i % 2;
    fill(&t, draw(300), mixes[draw(MIXES)], utf16);
    for (uint32_t n = draw(3); n > 0 && t.size > 0; n--) t.data[draw((uint32_t)t.size)] = (uint8_t)draw(256);
    compare_orders(t.data, t.size, draw(600), draw(64), !utf16);
  }
}

int main(void) {
  const char *name;
  for (size_t i = 0; (name = fastio_cpu_name(i)) != NULL; i++) {
    CHECK_STATUS(fastio_cpu_select(name), FASTIO_OK);
    every_character();
    lengths_and_alignments();
    rooms();
    malformed();
    surrogates();
    noise();
  }
  return check_report();
}
