/* UTF-8 by every table of kernels, against a checker that goes byte by byte through table 3-7 of the Unicode Standard. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fastio.h"

/* ---- the reference: ranges of the second byte for each lead, as the standard lists them ---- */

static size_t sequence(const uint8_t *p, size_t left) {
  static const struct {
    uint8_t first, last, low, high, length;
  } rows[] = {{0x00, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
              {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
              {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (p[0] < rows[i].first || p[0] > rows[i].last) continue;
    if (rows[i].length > left) return 0;
    if (rows[i].length > 1 && (p[1] < rows[i].low || p[1] > rows[i].high)) return 0;
    for (size_t j = 2; j < rows[i].length; j++)
      if (p[j] < 0x80 || p[j] > 0xBF) return 0;
    return rows[i].length;
  }
  return 0;
}

static size_t valid(const uint8_t *data, size_t size) {
  size_t i = 0, length;
  while (i < size && (length = sequence(data + i, size - i)) > 0) i += length;
  return i;
}

/* In memory that ends where the data end, and starts at any address. */
static void check(const uint8_t *data, size_t size, size_t shift) {
  uint8_t *block = malloc(size + shift + 1);
  if (!block) exit(1);
  memcpy(block + 1 + shift, data, size);
  CHECK_INT(fastio_utf8_valid(block + 1 + shift, size), valid(data, size));
  free(block);
}

/* ---- every place ---- */

enum { ROOM = 300 };

/* A text of characters of one size, with a sequence put in at each place. */
static void test_everywhere(const char *filler, const uint8_t *sequence, size_t size) {
  uint8_t text[ROOM + 8];
  const size_t width = strlen(filler);
  for (size_t at = 0; at + size + 4 < ROOM / 2; at += width) {
    for (size_t i = 0; i < ROOM; i++) text[i] = (uint8_t)filler[i % width];
    memmove(text + at + size, text + at, ROOM - at - size);
    memcpy(text + at, sequence, size);
    check(text, ROOM - ROOM % width, at % 3);
    check(text, at + size, 0);
  }
}

static void test_sequences(void) {
  static const char *const fillers[] = {"a", "\xC3\xA9", "\xE4\xB8\xAD", "\xF0\x9F\x98\x80"};
  static const char *const sequences[] = {"\x80",
                                          "\xBF",
                                          "\xC0\x80",
                                          "\xC1\xBF",
                                          "\xC2",
                                          "\xC2\x7F",
                                          "\xC2\xC0",
                                          "\xDF\xBF",
                                          "\xE0\x9F\xBF",
                                          "\xE0\xA0\x80",
                                          "\xED\x9F\xBF",
                                          "\xED\xA0\x80",
                                          "\xED\xBF\xBF",
                                          "\xEE\x80\x80",
                                          "\xEF\xBF\xBF",
                                          "\xE4\xB8",
                                          "\xE4",
                                          "\xF0\x8F\xBF\xBF",
                                          "\xF0\x90\x80\x80",
                                          "\xF0\x9F\x98",
                                          "\xF0\x9F",
                                          "\xF0",
                                          "\xF4\x8F\xBF\xBF",
                                          "\xF4\x90\x80\x80",
                                          "\xF5\x80\x80\x80",
                                          "\xF8\x88\x80\x80\x80",
                                          "\xFE",
                                          "\xFF",
                                          "\xC3\xA9\xA9",
                                          "\xE4\xB8\xAD\xAD",
                                          "\xF0\x9F\x98\x80\x80",
                                          "\xE4\xB8\x41",
                                          "\xF0\x9F\x98\x41",
                                          "\xE4\xC3\xA9"};
  for (size_t f = 0; f < sizeof fillers / sizeof *fillers; f++)
    for (size_t s = 0; s < sizeof sequences / sizeof *sequences; s++)
      test_everywhere(fillers[f], (const uint8_t *)sequences[s], strlen(sequences[s]));
}

/* All pairs of bytes, and what may follow them, across the border of two blocks. */
static void test_pairs(void) {
  static const uint8_t thirds[] = {0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xE0, 0xF0, 0xFF};
  uint8_t text[192];
  for (unsigned pair = 0; pair < 0x10000; pair++) {
    const size_t at = 61 + pair % 5, third = pair / 7 % sizeof thirds;
    memset(text, 'x', sizeof text);
    text[at] = (uint8_t)(pair >> 8);
    text[at + 1] = (uint8_t)pair;
    text[at + 2] = thirds[third];
    text[at + 3] = thirds[(third * 5 + pair) % sizeof thirds];
    CHECK_INT(fastio_utf8_valid(text, sizeof text), valid(text, sizeof text));
  }
}

/* ---- all characters, and random bytes ---- */

static size_t put(uint32_t c, uint8_t *out) {
  const int length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  static const uint8_t leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
  for (int i = length - 1; i > 0; i--, c >>= 6) out[i] = (uint8_t)(0x80 | (c & 0x3F));
  out[0] = (uint8_t)(leads[length] | c);
  return (size_t)length;
}

static void test_all_characters(void) {
  uint8_t *text = malloc(4 * 0x110000);
  size_t size = 0;
  if (!text) exit(1);
  for (uint32_t c = 0; c < 0x110000; c++)
    if (c < 0xD800 || c > 0xDFFF) size += put(c, text + size);
  CHECK_INT(fastio_utf8_valid(text, size), size);
  CHECK_INT(fastio_utf8_count(text, size), 0x110000 - 0x800);
  for (size_t cut = size - 70; cut < size; cut++) CHECK_INT(fastio_utf8_valid(text, cut), valid(text, cut));
  free(text);
}

static uint64_t seed;
static uint32_t next(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33);
}

static void test_random(void) {
  static const uint32_t tops[] = {0x80, 0x800, 0xD800, 0x110000};
  uint8_t text[1100];
  seed = 5;
  for (int round = 0; round < 20000; round++) {
    const size_t wanted = next() % 1000;
    size_t size = 0;
    const unsigned kinds = next() % 15 + 1;
    while (size < wanted) {
      const unsigned kind = next() % 4;
      uint32_t c;
      if (!(kinds >> kind & 1)) continue;
      c = next() % tops[kind];
      size += put(c >= 0xD800 && c <= 0xDFFF ? 0x20AC : c, text + size);
    }
    if (size && next() % 2) text[next() % size] = (uint8_t)next();
    if (size && next() % 4 == 0) size -= next() % (size < 5 ? size : 5);
    check(text, size, next() % 64);
  }
}

static void test_count(void) {
  uint8_t text[400];
  for (size_t i = 0; i < sizeof text; i++) text[i] = (uint8_t)(i * 7);
  for (size_t size = 0; size < sizeof text; size++) {
    uint64_t due = 0;
    for (size_t i = 0; i < size; i++) due += text[i] < 0x80 || text[i] > 0xBF;
    CHECK_INT(fastio_utf8_count(text, size), due);
  }
}

int main(void) {
  for (size_t i = 0; fastio_cpu_name(i); i++) {
    if (fastio_cpu_select(fastio_cpu_name(i)) != FASTIO_OK) continue;
    CHECK_INT(fastio_utf8_valid(NULL, 0), 0);
    test_sequences();
    test_pairs();
    test_all_characters();
    test_random();
    test_count();
  }
  return check_report();
}
