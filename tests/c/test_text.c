/* Encodings: names, marks, every malformed sequence, what a target lacks; and that neither cuts of the input nor the room
 * for the output can be seen in any result. Expectations are written by hand from the Unicode Standard (3.9, table 3-11;
 * UTR 16), WHATWG's Encoding Standard and the registrations of the others. */
#include "../../libfastio/src/text/text.h"
#include "books.h"

#define CHECK_THAT(condition, ...) check_that((condition), __FILE__, __LINE__, __VA_ARGS__)

enum { MOST = 4096 };

typedef struct result {
  size_t size;
  uint8_t data[MOST];
  fastio_status status;
  uint64_t offset, errors;
  size_t text_size;
  uint8_t text[FASTIO_ERROR_TEXT_MAX];
} result;

/* Pieces end before each byte whose bit in `cuts` is set (bit i % 64: before byte i + 1). */
static void convert(const char *from, const char *to, int errors, const void *data, size_t size, uint64_t cuts,
                    size_t capacity, result *out) {
  const uint8_t *p = data, *end = p + size;
  fastio_transcoder *t = NULL;
  fastio_error err;
  memset(out, 0, sizeof *out);
  fastio_error_init(&err);
  out->offset = FASTIO_NO_OFFSET;
  out->status = fastio_transcoder_new(from, to, errors, NULL, &t, &err);
  if (!CHECK_STATUS(out->status, FASTIO_OK)) return;
  for (bool last = false; !last && out->status == FASTIO_OK;) {
    const uint8_t *piece = p;
    while (p < end && !(p > piece && (cuts >> ((size_t)(p - (const uint8_t *)data) - 1) % 64 & 1))) p++;
    last = p == end;
    for (int turns = 0;; turns++) {
      size_t used, put, left = (size_t)(p - piece);
      uint8_t *room = malloc(capacity), *copy = malloc(left ? left : 1); /* of exact sizes: sanitizers see the ends */
      if (left) memcpy(copy, piece, left);
      out->status = fastio_transcoder_run(t, copy, left, last, &used, room, capacity, &put, &err);
      CHECK(used <= left && put <= capacity && out->size + put <= MOST && turns < 3 * MOST);
      memcpy(out->data + out->size, room, put);
      out->size += put;
      piece += used;
      free(room);
      free(copy);
      if (out->status != FASTIO_OK || piece == p || turns >= 3 * MOST) break;
    }
  }
  out->errors = fastio_transcoder_errors(t);
  out->offset = err.offset;
  out->text_size = err.text_size;
  memcpy(out->text, err.text, err.text_size);
  fastio_transcoder_free(t);
}

static bool is_same(const result *a, const result *b) {
  return a->size == b->size && memcmp(a->data, b->data, a->size) == 0 && a->status == b->status &&
         a->offset == b->offset && a->errors == b->errors && a->text_size == b->text_size &&
         memcmp(a->text, b->text, a->text_size) == 0;
}

/* Each cut, each pair of cuts, every byte alone, many capacities. */
static void convert_all_ways(const char *from, const char *to, int errors, const void *data, size_t size,
                             result *whole) {
  static result other;
  convert(from, to, errors, data, size, 0, MOST, whole);
  for (size_t i = 0; i < size && i < 24; i++)
    for (size_t j = i; j < size && j < 24; j++) {
      convert(from, to, errors, data, size, UINT64_C(1) << i | UINT64_C(1) << j, i % 2 ? MOST : 16, &other);
      CHECK_THAT(is_same(whole, &other), "%s to %s, errors %d: cut at %zu and %zu", from, to, errors, i, j);
    }
  for (size_t capacity = 16; capacity < 36; capacity++) {
    convert(from, to, errors, data, size, 0, capacity, &other);
    CHECK_THAT(is_same(whole, &other), "%s to %s, errors %d: room for %zu", from, to, errors, capacity);
    convert(from, to, errors, data, size, UINT64_MAX, capacity, &other);
    CHECK_THAT(is_same(whole, &other), "%s to %s, errors %d: singly, room for %zu", from, to, errors, capacity);
  }
}

/* ---- what is malformed ---- */

#define B(text) text, sizeof(text) - 1
#define R "\xEF\xBF\xBD"
static const struct {
  const char *encoding, *data;
  size_t size;
  uint64_t offset;
  const char *text;
  size_t text_size;
  uint64_t errors;
  const char *replaced, *skipped; /* UTF-8 */
} malformed[] = {
    {"utf-8",
     B("a\x80"
       "b"),
     1, B("\x80"), 1, "a" R "b", "ab"},
    {"utf-8", B("\xC0\xAF"), 0, B("\xC0"), 2, R R, ""},
    {"utf-8", B("\xC1\xBF"), 0, B("\xC1"), 2, R R, ""},
    {"utf-8", B("x\xE0\x80\x80y"), 1, B("\xE0"), 3, "x" R R R "y", "xy"},
    {"utf-8", B("\xF0\x80\x80\x80"), 0, B("\xF0"), 4, R R R R, ""},
    {"utf-8", B("\xED\xA0\x80"), 0, B("\xED"), 3, R R R, ""},
    {"utf-8", B("\xF4\x90\x80\x80"), 0, B("\xF4"), 4, R R R R, ""},
    {"utf-8", B("\xF5\xFE\xFF"), 0, B("\xF5"), 3, R R R, ""},
    {"utf-8",
     B("\xF1\x80\x80"
       "A"),
     0, B("\xF1\x80\x80"), 1, R "A", "A"},
    {"utf-8", B("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), 0, B("\xE1\x80"), 4, R R R R "A", "A"},
    {"utf-8", B("ab\xC2"), 2, B("\xC2"), 1, "ab" R, "ab"},
    {"utf-8", B("ab\xF0\x9F\x98"), 2, B("\xF0\x9F\x98"), 1, "ab" R, "ab"},
    {"utf-8", B("\xEF\xBB"), 0, B("\xEF\xBB"), 1, R, ""}, /* of a mark */
    {"utf-8", B("a\xEF\xBB\xBF\xFF"), 4, B("\xFF"), 1, "a\xEF\xBB\xBF" R, "a\xEF\xBB\xBF"},
    {"utf-16le", B("\x00\xD8z\0"), 0, B("\x00\xD8"), 1, R "z", "z"},
    {"utf-16le", B("z\0\xFF\xDFz\0"), 2, B("\xFF\xDF"), 1, "z" R "z", "zz"},
    {"utf-16le", B("a\0b"), 2, B("b"), 1, "a" R, "a"},
    {"utf-16le", B("\x00\xD8\x00\xD8\x00\xDC"), 0, B("\x00\xD8"), 1, R "\xF0\x90\x80\x80", "\xF0\x90\x80\x80"},
    {"utf-16le", B("a\0\x00\xD8"), 2, B("\x00\xD8"), 1, "a" R, "a"},
    {"utf-16le", B("\x00\xD8\x41"), 0, B("\x00\xD8\x41"), 1, R, ""},
    {"utf-16be", B("\xD8\x00\0z"), 0, B("\xD8\x00"), 1, R "z", "z"},
    {"utf-16be", B("\xDC\x00\xDC\x00"), 0, B("\xDC\x00"), 2, R R, ""},
    {"utf-16", B("\xFE\xFF\xDC\x00\0a"), 2, B("\xDC\x00"), 1, R "a", "a"},
    {"utf-32le", B("\x00\xD8\0\0a\0\0\0"), 0, B("\x00\xD8\0\0"), 1, R "a", "a"},
    {"utf-32le", B("\0\0\x11\0a\0\0\0"), 0, B("\0\0\x11\0"), 1, R "a", "a"},
    {"utf-32be", B("\0\0\0a\0\0"), 4, B("\0\0"), 1, "a" R, "a"},
    {"utf-32be", B("\xFF\xFF\xFF\xFF\0\0\0a"), 0, B("\xFF\xFF\xFF\xFF"), 1, R "a", "a"},
    {"ascii", B("a\xFFz\x80"), 1, B("\xFF"), 2, "a" R "z" R, "az"},
    {"gb18030", B("a\xFFz"), 1, B("\xFF"), 1, "a" R "z", "az"},
    {"gb18030", B("\x80z"), 0, B("\x80"), 1, R "z", "z"},
    {"gb18030", B("\x81\x20"), 0, B("\x81"), 1, R " ", " "},
    {"gb18030", B("\x81\x7Fz"), 0, B("\x81"), 1, R "\x7Fz", "\x7Fz"},
    {"gb18030", B("a\x81\x30\x81"), 1, B("\x81\x30\x81"), 1, "a" R, "a"},
    {"gb18030", B("\x81\x30\xFF\x30"), 0, B("\x81"), 2, R "0" R "0", "00"},
    {"gb18030", B("\xE3\x32\x9A\x36"), 0, B("\xE3"), 2, R "2" R, "2"}, /* 35 is U+10FFFF */
    {"utf-ebcdic", B("\xC1\x41\xC2"), 1, B("\x41"), 1, "A" R "B", "AB"},
    {"utf-ebcdic", B("\xC1\xDD\x73"), 1, B("\xDD\x73"), 1, "A" R, "A"},
    {"utf-ebcdic", B("\xDD\xC1"), 0, B("\xDD"), 1, R "A", "A"},
    {"utf-ebcdic", B("\x74\x41"), 0, B("\x74"), 2, R R, ""}, /* I8 C0 A0: overlong */
};

static void malformed_sequences(void) {
  static const char *const targets[] = {"utf-8", "utf-8-sig", "utf-16", "utf-32be", "gb18030", "latin1"};
  static result got;
  for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
    const char *encoding = malformed[i].encoding;
    convert_all_ways(encoding, "utf-8", FASTIO_ERRORS_STRICT, malformed[i].data, malformed[i].size, &got);
    CHECK_STATUS(got.status, FASTIO_BAD_ENCODING);
    CHECK_THAT(got.offset == malformed[i].offset && got.text_size == malformed[i].text_size &&
                   memcmp(got.text, malformed[i].text, got.text_size) == 0,
               "malformed %zu (%s): offset %d, %zu bytes", i, encoding, (int)got.offset, got.text_size);
    convert_all_ways(encoding, "utf-8", FASTIO_ERRORS_REPLACE, malformed[i].data, malformed[i].size, &got);
    CHECK_THAT(got.size == strlen(malformed[i].replaced) && !memcmp(got.data, malformed[i].replaced, got.size) &&
                   got.errors == malformed[i].errors && got.status == FASTIO_OK,
               "malformed %zu (%s) replaced: %.*s", i, encoding, (int)got.size, (const char *)got.data);
    convert_all_ways(encoding, "utf-8", FASTIO_ERRORS_SKIP, malformed[i].data, malformed[i].size, &got);
    CHECK_THAT(got.size == strlen(malformed[i].skipped) && !memcmp(got.data, malformed[i].skipped, got.size) &&
                   got.errors == malformed[i].errors && got.status == FASTIO_OK,
               "malformed %zu (%s) left out: %.*s", i, encoding, (int)got.size, (const char *)got.data);
    for (size_t j = 0; j < sizeof targets / sizeof *targets; j++)
      for (int errors = 0; errors < 3; errors++)
        convert_all_ways(encoding, targets[j], errors, malformed[i].data, malformed[i].size, &got);
  }
}

/* ---- one text in every encoding ---- */

/* A, e acute, euro sign, CJK 4E00, U+10000, U+10FFFF */
#define TEXT "A\xC3\xA9\xE2\x82\xAC\xE4\xB8\x80\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"
static const struct {
  const char *encoding, *utf8;
  size_t utf8_size;
  const char *data;
  size_t size;
  bool has_mark;
} texts[] = {
    {"utf-8", B(TEXT), B(TEXT), false},
    {"utf-8-sig", B(TEXT), B("\xEF\xBB\xBF" TEXT), true},
    {"utf-16le", B(TEXT), B("A\0\xE9\0\xAC\x20\x00\x4E\x00\xD8\x00\xDC\xFF\xDB\xFF\xDF"), false},
    {"utf-16be", B(TEXT), B("\0A\0\xE9\x20\xAC\x4E\x00\xD8\x00\xDC\x00\xDB\xFF\xDF\xFF"), false},
    {"utf-16", B(TEXT),
     B("\xFF\xFE"
       "A\0\xE9\0\xAC\x20\x00\x4E\x00\xD8\x00\xDC\xFF\xDB\xFF\xDF"),
     true},
    {"utf-32le", B(TEXT), B("A\0\0\0\xE9\0\0\0\xAC\x20\0\0\x00\x4E\0\0\0\0\x01\0\xFF\xFF\x10\0"), false},
    {"utf-32be", B(TEXT), B("\0\0\0A\0\0\0\xE9\0\0\x20\xAC\0\0\x4E\0\0\x01\0\0\0\x10\xFF\xFF"), false},
    {"utf-32", B(TEXT), B("\xFF\xFE\0\0A\0\0\0\xE9\0\0\0\xAC\x20\0\0\x00\x4E\0\0\0\0\x01\0\xFF\xFF\x10\0"), true},
    {"gb18030", B(TEXT), B("A\xA8\xA6\xA2\xE3\xD2\xBB\x90\x30\x81\x30\xE3\x32\x9A\x35"), false},
    {"utf-ebcdic", B("A\xC3\xBF\xC4\x80\xEF\xBB\xBF\xF4\x8F\xBF\xBF\n"),
     B("\xC1\x8B\x73\x8C\x41\xDD\x73\x66\x73\xEE\x42\x73\x73\x73\x15"), false},
    {"ascii", B("ab\0\x7F"), B("ab\0\x7F"), false},
    {"iso-8859-1", B("a\xC2\x80\xC2\xA0\xC3\xBF"), B("a\x80\xA0\xFF"), false},
    {"windows-1252", B("a\xE2\x82\xAC\xC2\x81\xC3\xBF\xC5\xB8"), B("a\x80\x81\xFF\x9F"), false},
    {"shift_jis", B("a\xE6\x97\xA5\xE6\x9C\xAC"), B("a\x93\xFA\x96\x7B"), false},
    {"euc-jp", B("a\xE6\x97\xA5\xE6\x9C\xAC"), B("a\xC6\xFC\xCB\xDC"), false},
    {"iso-2022-jp", B("a\xE6\x97\xA5\xE6\x9C\xAC"), B("a\x1B$B\x46\x7C\x4B\x5C\x1B(B"), false},
    {"koi8-r", B("\xD0\xB0"), B("\xC1"), false},
};
enum { TEXTS = sizeof texts / sizeof *texts };

static void texts_both_ways(void) {
  static result got;
  for (size_t i = 0; i < TEXTS; i++) {
    const fastio__encoding *encoding = fastio__encoding_find(texts[i].encoding);
    uint64_t size;
    if (!encoding) continue; /* no iconv here */
    convert_all_ways("utf-8", texts[i].encoding, FASTIO_ERRORS_STRICT, texts[i].utf8, texts[i].utf8_size, &got);
    CHECK_THAT(got.size == texts[i].size && !memcmp(got.data, texts[i].data, got.size), "to %s", texts[i].encoding);
    convert_all_ways(texts[i].encoding, "utf-8", FASTIO_ERRORS_STRICT, texts[i].data, texts[i].size, &got);
    CHECK_THAT(got.size == texts[i].utf8_size && !memcmp(got.data, texts[i].utf8, got.size), "from %s",
               texts[i].encoding);
    size = fastio__encoded_size(encoding, (const uint8_t *)texts[i].utf8, texts[i].utf8_size);
    if (size == FASTIO_NO_OFFSET) continue;
    CHECK_INT(size, texts[i].size - (!texts[i].has_mark                             ? 0
                                     : encoding == fastio__encoding_find("utf8sig") ? 3
                                     : encoding == fastio__encoding_find("utf32")   ? 4
                                                                                    : 2));
  }
}

/* From each to each. */
static void texts_through(void) {
  static result got, due;
  for (size_t i = 0; i < TEXTS; i++)
    for (size_t j = 0; j < TEXTS; j++)
      for (int errors = 0; errors < 3; errors++) {
        if (!fastio_encoding_name(texts[i].encoding) || !fastio_encoding_name(texts[j].encoding)) continue;
        convert_all_ways(texts[i].encoding, texts[j].encoding, errors, texts[i].data, texts[i].size, &got);
        convert("utf-8", texts[j].encoding, errors, texts[i].utf8, texts[i].utf8_size, 0, MOST, &due);
        CHECK_THAT(got.size == due.size && !memcmp(got.data, due.data, got.size) && got.status == due.status &&
                       got.errors == due.errors,
                   "%s to %s, errors %d", texts[i].encoding, texts[j].encoding, errors);
      }
}

/* ---- what the target lacks ---- */

static const struct {
  const char *from, *to, *data;
  size_t size;
  uint64_t offset;
  const char *text, *replaced, *skipped;
} lacking[] = {
    {"utf-8", "ascii", B("a\xC3\xA9"), 1, "\xC3\xA9", "a?", "a"},
    {"utf-8", "latin1", B("\xC3\xA9\xE2\x82\xAC!"), 2, "\xE2\x82\xAC", "\xE9?!", "\xE9!"},
    {"utf-8", "cp1252", B("\xE2\x82\xAC\xC2\x80"), 3, "\xC2\x80", "\x80?", "\x80"},
    {"utf-16le", "latin1", B("a\0\x00\x4E\0\0"), 2, "\xE4\xB8\x80", "a?", "a"},
    {"utf-16", "ascii", B("\xFE\xFF\0a\xD8\x00\xDC\x00"), 4, "\xF0\x90\x80\x80", "a?", "a"},
    {"shift_jis", "ascii", B("ab\x93\xFA"), 2, "\xE6\x97\xA5", "ab?", "ab"},
    {"iso-2022-jp", "latin1", B("a\x1B$B\x46\x7C\x1B(B"), 4, "\xE6\x97\xA5", "a?", "a"},
    {"utf-8", "koi8-r", B("a\xE6\x97\xA5"), 1, "\xE6\x97\xA5", "a?", "a"},
    {"utf-8", "koi8-r", B("a\xF3\xA0\x81\x81"), 1, "\xF3\xA0\x81\x81", "a?", "a"}, /* a tag */
};

static void lacking_characters(void) {
  static result got;
  for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++) {
    size_t text_size = strlen(lacking[i].text), size = lacking[i].size, replaced = strlen(lacking[i].replaced);
    const char *from = lacking[i].from, *to = lacking[i].to;
    if (!fastio_encoding_name(from) || !fastio_encoding_name(to)) continue;
    convert_all_ways(from, to, FASTIO_ERRORS_STRICT, lacking[i].data, size, &got);
    CHECK_STATUS(got.status, FASTIO_BAD_ENCODING);
    CHECK_THAT(got.offset == lacking[i].offset && got.text_size == text_size &&
                   !memcmp(got.text, lacking[i].text, text_size),
               "%s to %s: at %d, %zu bytes", from, to, (int)got.offset, got.text_size);
    convert_all_ways(from, to, FASTIO_ERRORS_REPLACE, lacking[i].data, size, &got);
    /* U+0000 follows in one of them */
    CHECK_THAT(got.size >= replaced && !memcmp(got.data, lacking[i].replaced, replaced) && got.errors == 1,
               "%s to %s replaced", from, to);
    convert_all_ways(from, to, FASTIO_ERRORS_SKIP, lacking[i].data, size, &got);
    CHECK_THAT(!memcmp(got.data, lacking[i].skipped, strlen(lacking[i].skipped)) && got.errors == 1,
               "%s to %s left out", from, to);
  }
}

/* A sequence that is replaced counts once, though the target has no U+FFFD either. */
static void replaced_by_a_question_mark(void) {
  static result got;
  convert_all_ways("utf-8", "ascii", FASTIO_ERRORS_REPLACE, "a\xFF\xC3\xA9z", 5, &got);
  CHECK_BYTES(got.data, got.size, "a??z");
  CHECK_INT(got.errors, 2);
  convert_all_ways("utf-16be", "cp1252", FASTIO_ERRORS_REPLACE, "\xDC\x00\0z", 4, &got);
  CHECK_BYTES(got.data, got.size, "?z");
  CHECK_INT(got.errors, 1);
}

/* ---- marks ---- */

static void marks(void) {
  static const struct {
    const char *from, *data;
    size_t size;
    const char *due;
  } cases[] = {
      {"utf-8", B("\xEF\xBB\xBF"), ""},
      {"utf-8", B("\xEF\xBB\xBF\xEF\xBB\xBFx"), "\xEF\xBB\xBFx"}, /* one only */
      {"utf-8-sig", B("\xEF\xBB\xBFx"), "x"},
      {"utf-8-sig", B("x"), "x"},
      {"utf-16", B(""), ""},
      {"utf-16", B("x\0"), "x"},
      {"utf-16", B("\xFF\xFEx\0"), "x"},
      {"utf-16", B("\xFE\xFF\0x"), "x"},
      {"utf-16le", B("\xFF\xFEx\0"), "\xEF\xBB\xBFx"},
      {"utf-16be", B("\xFE\xFF\0x"), "\xEF\xBB\xBFx"},
      {"utf-32", B("x\0\0\0"), "x"},
      {"utf-32", B("\xFF\xFE\0\0x\0\0\0"), "x"},
      {"utf-32", B("\0\0\xFE\xFF\0\0\0x"), "x"},
      {"utf-32be", B("\0\0\xFE\xFF\0\0\0x"), "\xEF\xBB\xBFx"},
  };
  static result got;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    convert_all_ways(cases[i].from, "utf-8", FASTIO_ERRORS_STRICT, cases[i].data, cases[i].size, &got);
    CHECK_THAT(got.status == FASTIO_OK && got.size == strlen(cases[i].due) && !memcmp(got.data, cases[i].due, got.size),
               "mark %zu", i);
  }
  convert("utf-8", "utf-16", 0, "", 0, 0, 16, &got);
  CHECK_BYTES(got.data, got.size, "\xFF\xFE");
  convert("utf-8", "utf-32", 0, "", 0, 0, 16, &got);
  CHECK_BYTES(got.data, got.size, "\xFF\xFE\0\0");
  convert("utf-16", "utf-8-sig", 0, "", 0, 0, 16, &got);
  CHECK_BYTES(got.data, got.size, "\xEF\xBB\xBF");
}

/* ---- names ---- */

static void names(void) {
  static const char *const same[][2] = {
      {"utf-8", "UTF-8"},
      {"UTF8", "UTF-8"},
      {"utf_8", "UTF-8"},
      {"Utf-16LE", "UTF-16LE"},
      {"utf_16_le", "UTF-16LE"},
      {"UTF16BE", "UTF-16BE"},
      {"utf-8-sig", "UTF-8-SIG"},
      {"utf_32", "UTF-32"},
      {"us-ascii", "ASCII"},
      {"latin-1", "ISO-8859-1"},
      {"Latin1", "ISO-8859-1"},
      {"iso8859-1", "ISO-8859-1"},
      {"ISO_8859-1", "ISO-8859-1"},
      {"CP1252", "Windows-1252"},
      {"windows1252", "Windows-1252"},
      {"gb18030", "GB18030"},
      {"utf-ebcdic", "UTF-EBCDIC"},
      {"UTFEBCDIC", "UTF-EBCDIC"},
  };
  static const char *const none[] = {
      "",
      "-",
      "_ -",
      "utf-88",
      "utf-8//TRANSLIT",
      "ascii//IGNORE",
      "koi8-r/",
      "utf-8,utf-16",
      "char",
      "no such thing",
      "\xC3\xA9",
      ("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
       "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
  };
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
    const char *name = fastio_encoding_name(same[i][0]);
    CHECK_THAT(name && strcmp(name, same[i][1]) == 0, "%s is %s", same[i][0], name ? name : "not known");
  }
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    CHECK_THAT(fastio_encoding_name(none[i]) == NULL, "%s is no name", none[i]);
  CHECK(fastio_encoding_name(NULL) == NULL);
  if (!fastio_encoding_name("koi8-r")) return; /* no iconv here */
  CHECK(strcmp(fastio_encoding_name("KOI8_R"), "KOI8-R") == 0);
  CHECK(strcmp(fastio_encoding_name("sjis"), "SHIFT_JIS") == 0);
  CHECK(strcmp(fastio_encoding_name("windows-1251"), "CP1251") == 0);
  CHECK(strcmp(fastio__encoding_title(fastio__encoding_find("euc_jp")), "EUC-JP") == 0);
}

static void refusals(void) {
  fastio_transcoder *t = NULL;
  fastio_error err;
  size_t used, put;
  uint8_t room[16];
  CHECK_STATUS(fastio_transcoder_new("nope", "utf-8", 0, NULL, &t, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_transcoder_new("utf-8", "nope", 0, NULL, &t, NULL), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_transcoder_new(NULL, "utf-8", 0, NULL, &t, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_transcoder_new("utf-8", "utf-8", 3, NULL, &t, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_transcoder_new("utf-8", "utf-8", -1, NULL, &t, &err), FASTIO_INVALID_ARGUMENT);
  CHECK(t == NULL);
  CHECK_STATUS(fastio_transcoder_new("utf-8", "utf-16", 0, NULL, &t, &err), FASTIO_OK);
  CHECK_STATUS(fastio_transcoder_run(t, "abc", 3, 1, &used, room, 15, &put, &err), FASTIO_INVALID_ARGUMENT);
  CHECK(used == 0 && put == 0);
  CHECK_STATUS(fastio_transcoder_run(t, "abc", 3, 1, &used, room, 16, &put, &err), FASTIO_OK);
  CHECK(used == 3 && put == 8);
  fastio_transcoder_free(t);
  fastio_transcoder_free(NULL);
}

/* A failure comes again from a run of what was not used. */
static void failure_again(void) {
  fastio_transcoder *t = NULL;
  fastio_error err;
  size_t used, put;
  uint8_t room[16];
  CHECK_STATUS(fastio_transcoder_new("utf-8", "utf-8", 0, NULL, &t, &err), FASTIO_OK);
  CHECK_STATUS(fastio_transcoder_run(t, "abc\xFFz", 5, 1, &used, room, 16, &put, &err), FASTIO_BAD_ENCODING);
  CHECK(used == 3 && put == 3 && err.offset == 3);
  CHECK_STATUS(fastio_transcoder_run(t, "\xFFz", 2, 1, &used, room, 16, &put, &err), FASTIO_BAD_ENCODING);
  CHECK(used == 0 && put == 0 && err.offset == 3);
  fastio_transcoder_free(t);
}

/* ---- the way back ---- */

static void corrections(void) {
  const fastio__correction *list;
  fastio_transcoder *t = NULL;
  size_t used, put;
  uint8_t room[64];
  CHECK_STATUS(fastio_transcoder_new("utf-8", "utf-8", FASTIO_ERRORS_REPLACE, NULL, &t, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_transcoder_run(t,
                                     "\xEF\xBB\xBF"
                                     "ab\xFF",
                                     6, 0, &used, room, 64, &put, NULL),
               FASTIO_OK);
  CHECK_INT(fastio__transcoder_mark(t), 3);
  CHECK_INT(fastio__transcoder_corrections(t, &list), 1);
  CHECK(list[0].at == 2 && list[0].taken == 1 && list[0].given == 3);
  CHECK_STATUS(fastio_transcoder_run(t, "cd\xF1\x80\x80y", 6, 1, &used, room, 64, &put, NULL), FASTIO_OK);
  CHECK_INT(fastio__transcoder_corrections(t, &list), 1);
  CHECK(list[0].at == 7 && list[0].taken == 3 && list[0].given == 3);
  fastio_transcoder_free(t);
  CHECK_STATUS(fastio_transcoder_new("utf-16le", "utf-8", FASTIO_ERRORS_SKIP, NULL, &t, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_transcoder_run(t, "a\0\x00\xDC\x00\xDCz\0", 8, 1, &used, room, 64, &put, NULL), FASTIO_OK);
  CHECK_INT(fastio__transcoder_corrections(t, &list), 1); /* neighbours are one */
  CHECK(list[0].at == 1 && list[0].taken == 4 && list[0].given == 0);
  CHECK_INT(fastio_transcoder_errors(t), 2);
  fastio_transcoder_free(t);
}

/* ---- random bytes: any pair, any cuts, any room ---- */

static uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static void random_bytes(void) {
  static const char *const all[] = {"utf-8",  "utf-16", "utf-16be", "utf-32", "gb18030", "utf-ebcdic",  "ascii",
                                    "cp1252", "latin1", "euc-jp",   "big5",   "utf-7",   "iso-2022-jp", "utf-8-sig"};
  static const uint8_t likely[] = {0,    'a',  0x80, 0xBF, 0xC2, 0xE0, 0xED, 0xF0, 0xF4, 0xD8, 0xDC,
                                   0xFE, 0xFF, 0x30, 0x81, 0x41, 0x1B, '$',  'B',  '+',  '-'};
  static result whole, other;
  uint64_t state = UINT64_C(0x9E3779B97F4A7C15);
  for (int i = 0; i < 4000; i++) {
    const char *from = all[next_random(&state) % 14], *to = all[next_random(&state) % 14];
    uint8_t data[80];
    size_t size = next_random(&state) % sizeof data;
    int errors = (int)(next_random(&state) % 3);
    for (size_t j = 0; j < size; j++) {
      uint64_t r = next_random(&state);
      data[j] = r % 3 ? likely[r / 3 % sizeof likely] : (uint8_t)(r >> 8);
    }
    if (!fastio_encoding_name(from) || !fastio_encoding_name(to)) continue;
    convert(from, to, errors, data, size, 0, MOST, &whole);
    for (int j = 0; j < 4; j++) {
      uint64_t cuts = next_random(&state) & next_random(&state);
      size_t capacity = 16 + next_random(&state) % 20;
      convert(from, to, errors, data, size, cuts, capacity, &other);
      CHECK_THAT(is_same(&whole, &other), "random %d: %s to %s, errors %d", i, from, to, errors);
    }
  }
}

/* ---- all at once ---- */

static void transcode_column(void) {
  enum { SIZE = 3 << 20 };
  uint8_t *data = malloc(SIZE);
  fastio_column *column = NULL;
  uint64_t errors = 99;
  fastio_error err;
  memset(data, 'x', SIZE);
  data[SIZE - 1] = 0xFF;
  CHECK_STATUS(fastio_transcode(data, SIZE, "utf-8", "utf-32be", 0, NULL, &column, &errors, &err), FASTIO_BAD_ENCODING);
  CHECK(column == NULL && errors == 99 && err.offset == SIZE - 1);
  CHECK_STATUS(fastio_transcode(data, SIZE, "utf-8", "utf-32be", 1, NULL, &column, &errors, &err), FASTIO_OK);
  CHECK(column->type == FASTIO_UINT8 && column->length == 4 * (uint64_t)SIZE && errors == 1);
  CHECK(memcmp((const uint8_t *)column->data + 4 * (size_t)(SIZE - 2), "\0\0\0x\0\0\xFF\xFD", 8) == 0);
  fastio_column_free(column);
  CHECK_STATUS(fastio_transcode(NULL, 0, "utf-8", "utf-8", 0, NULL, &column, NULL, &err), FASTIO_OK);
  CHECK(column->length == 0 && column->data != NULL);
  fastio_column_free(column);
  free(data);
}

/* Every allocation fails once: with the table of GB18030, a chunk between the two, corrections. */
static fastio_status attempt(const fastio_env *env, const void *ctx, fastio_error *err) {
  fastio_column *column = NULL;
  uint8_t data[3000];
  fastio_status status;
  memset(data, 'a', sizeof data);
  for (size_t i = 0; i < sizeof data; i += 2) data[i] = 0xDC;
  status = fastio_transcode(data, sizeof data, ctx, "gb18030", FASTIO_ERRORS_REPLACE, env, &column, NULL, err);
  fastio_column_free(column);
  return status;
}

static void no_memory(void) {
  books_fail_each(attempt, "utf-16be", "from UTF-16", false);
  books_fail_each(attempt, "utf-8", "from UTF-8", false);
  books_fail_each(attempt, "ascii", "from ASCII", true);
}

int main(void) {
  malformed_sequences();
  texts_both_ways();
  texts_through();
  lacking_characters();
  replaced_by_a_question_mark();
  marks();
  names();
  refusals();
  failure_again();
  corrections();
  random_bytes();
  transcode_column();
  no_memory();
  return check_report();
}
