/* Formats of compression, memory to memory: archives of the reference tools, round trips at every level, any cutting of
 * input and output, every cut and every flipped bit, what is not allowed, memory that runs out. */
#include "check.h"

#include "../../libfastio/src/codec/codec.h"

/* ---- archives that the reference tools have made of "1\n2\n" ---- */

typedef struct archive {
  fastio__format format;
  const char *hex;
  bool has_check;     /* of every byte of the content */
  size_t unprotected; /* bytes at its start in which a flipped bit may go unseen: a time stamp, a name of a system */
} archive;

static const archive archives[] = {
    {FASTIO__GZIP, "1f8b080000000000020333e432e202006178e16904000000", true, 10},
    {FASTIO__GZIP, "1f8b08040000000000ff0600424302002200010400fbff310a320a6178e16904000000", true, 18},
    {FASTIO__ZLIB,
     "785e33e432e202000154"
     "0078",
     true, 2},
    {FASTIO__DEFLATE, "33e432e20200", false, 0},
    {FASTIO__ZSTD, "28b52ffd0458210000310a320a9147a739", true, 0},
    {FASTIO__ZSTD, "28b52ffd0058210000310a320a", false, 0},
    {FASTIO__XZ,
     "fd377a585a000004e6d6b4460200210116000000742fe5a3010003310a320a0066967033c5bab0e300011c046f2c9cc11fb6f37d010000000"
     "004"
     "595a",
     true, 0},
    {FASTIO__BZIP2, "425a68393141592653594b950bbb000001480000103000200030cc0c7a8271772453850904b950bbb0", true, 4},
    {FASTIO__LZ4, "04224d186440a704000080310a320a000000005ef34d7e", true, 0},
    {FASTIO__LZ4, "04224d187440bd04000080310a320a5ef34d7e000000005ef34d7e", true, 0},
};
enum { ARCHIVES = sizeof archives / sizeof *archives, LARGEST = 256 };

static size_t from_hex(const char *hex, uint8_t *out) {
  size_t size = strlen(hex) / 2;
  for (size_t i = 0; i < size; i++) {
    unsigned value = 0;
    sscanf(hex + 2 * i, "%2x", &value);
    out[i] = (uint8_t)value;
  }
  return size;
}

/* ---- decoding in pieces ---- */

typedef struct outcome {
  fastio_status status; /* FASTIO_TRUNCATED: input lacks */
  size_t size, used;    /* bytes decoded, of the input */
  unsigned members;
  fastio_error error;
} outcome;

/* Every piece of input lies in memory of its own size, so that sanitizers see what reads beyond it. */
static outcome decode(fastio__decoder *decoder, const uint8_t *data, size_t size, size_t in_step, size_t out_step,
                      uint8_t *out, size_t capacity) {
  outcome o = {FASTIO_OK, 0, 0, 0, {0}};
  while (o.status == FASTIO_OK && o.used < size) {
    size_t piece = size - o.used < in_step ? size - o.used : in_step, left = piece;
    uint8_t *copy = malloc(piece);
    bool idle = false;
    memcpy(copy, data + o.used, piece);
    while (o.status == FASTIO_OK && !idle) {
      size_t room = capacity - o.size < out_step ? capacity - o.size : out_step;
      uint8_t *window = malloc(room + 1);
      fastio__flow flow = {copy + piece - left, left, window, room};
      bool ended;
      o.status = fastio__decoder_run(decoder, &flow, &ended, &o.error);
      memcpy(out + o.size, window, room - flow.out_size);
      free(window);
      idle = !ended && flow.in_size == left && flow.out_size == room;
      o.members += ended;
      o.size += room - flow.out_size;
      left = flow.in_size;
      if (ended && left == 0) idle = true;
      if (o.size == capacity && !ended) idle = true;
    }
    free(copy);
    o.used += piece - left;
    if (o.status == FASTIO_OK && left == piece) o.status = FASTIO_TRUNCATED; /* no progress at all */
  }
  return o;
}

static outcome decode_new(fastio__format format, const uint8_t *data, size_t size, size_t in_step, size_t out_step,
                          uint8_t *out, size_t capacity) {
  fastio__decoder *decoder = NULL;
  outcome o = {FASTIO_OK, 0, 0, 0, {0}};
  if (!CHECK_STATUS(fastio__decoder_new(format, NULL, &decoder, &o.error), FASTIO_OK)) return o;
  o = decode(decoder, data, size, in_step, out_step, out, capacity);
  fastio__decoder_free(decoder);
  return o;
}

static void test_archives(void) {
  static const size_t steps[] = {1, 2, 3, 7, 1000};
  for (size_t i = 0; i < ARCHIVES; i++) {
    uint8_t data[LARGEST], out[64];
    const size_t size = from_hex(archives[i].hex, data);
    for (size_t in = 0; in < 5; in++)
      for (size_t room = 0; room < 5; room++) {
        outcome o = decode_new(archives[i].format, data, size, steps[in], steps[room], out, sizeof out);
        CHECK_STATUS(o.status, FASTIO_OK);
        CHECK_BYTES(out, o.size, "1\n2\n");
        check_that(o.members == 1 && o.used == size, __FILE__, __LINE__, "archive %zu: %u members in %zu of %zu bytes",
                   i, o.members, o.used, size);
      }
  }
}

/* Twice the same with another behind it: the decoder stands at the end of each. */
static void test_members(void) {
  for (size_t i = 0; i < ARCHIVES; i++) {
    uint8_t data[3 * LARGEST], out[64];
    size_t size = from_hex(archives[i].hex, data);
    memcpy(data + size, data, size);
    memcpy(data + 2 * size, data, size);
    for (size_t step = 1; step < 50; step += 12) {
      outcome o = decode_new(archives[i].format, data, 3 * size, step, 1 + step % 5, out, sizeof out);
      CHECK_STATUS(o.status, FASTIO_OK);
      CHECK_BYTES(out, o.size, "1\n2\n1\n2\n1\n2\n");
      CHECK_INT(o.members, 3);
    }
  }
}

/* Room for the content and not a byte more is enough to come to the end. */
static void test_exact_room(void) {
  for (size_t i = 0; i < ARCHIVES; i++) {
    uint8_t data[LARGEST], out[4];
    fastio__flow flow = {data, from_hex(archives[i].hex, data), out, sizeof out};
    fastio__decoder *decoder = NULL;
    bool ended = false;
    CHECK_STATUS(fastio__decoder_new(archives[i].format, NULL, &decoder, NULL), FASTIO_OK);
    for (int runs = 0; runs < 4 && !ended; runs++)
      CHECK_STATUS(fastio__decoder_run(decoder, &flow, &ended, NULL), FASTIO_OK);
    check_that(ended && flow.in_size == 0, __FILE__, __LINE__, "archive %zu does not end in exact room", i);
    fastio__decoder_free(decoder);
  }
}

/* Asked again and again while nothing comes, which libraries may take for a fault: it goes on where it was. */
static void test_patience(void) {
  for (size_t i = 0; i < ARCHIVES; i++) {
    uint8_t data[LARGEST], out[64];
    const size_t size = from_hex(archives[i].hex, data);
    fastio__decoder *decoder = NULL;
    bool ended = false;
    size_t got = 0;
    CHECK_STATUS(fastio__decoder_new(archives[i].format, NULL, &decoder, NULL), FASTIO_OK);
    for (size_t at = 0; at < size; at++)
      for (int times = 0; times < 40; times++) {
        fastio__flow flow = {data + at, times == 0, out + got, sizeof out - got};
        if (!CHECK(!ended) || !CHECK_STATUS(fastio__decoder_run(decoder, &flow, &ended, NULL), FASTIO_OK)) break;
        CHECK_INT(flow.in_size, 0);
        got = sizeof out - flow.out_size;
        if (ended) break;
      }
    CHECK(ended);
    CHECK_BYTES(out, got, "1\n2\n");
    fastio__decoder_free(decoder);
  }
}

/* Counts that 32 bits can't hold, of which little is used. */
static void test_large_counts(void) {
  static const uint64_t sizes[] = {(uint64_t)1 << 32, ((uint64_t)1 << 32) + 1, (uint64_t)5 << 30};
  static uint8_t data[1 << 20], out[1 << 20];
  for (size_t i = 0; i < 3 * ARCHIVES && SIZE_MAX > UINT32_MAX; i++) {
    const archive *a = &archives[i / 3];
    const size_t size = from_hex(a->hex, data), large = (size_t)sizes[i % 3];
    fastio__flow flow = {data, large, out, large};
    fastio__decoder *decoder = NULL;
    bool ended = false;
    CHECK_STATUS(fastio__decoder_new(a->format, NULL, &decoder, NULL), FASTIO_OK);
    for (int runs = 0; runs < 4 && !ended; runs++)
      CHECK_STATUS(fastio__decoder_run(decoder, &flow, &ended, NULL), FASTIO_OK);
    CHECK(ended);
    CHECK_INT(large - flow.in_size, size);
    CHECK_BYTES(out, large - flow.out_size, "1\n2\n");
    fastio__decoder_free(decoder);
  }
}

static void test_every_cut(void) {
  for (size_t i = 0; i < ARCHIVES; i++) {
    uint8_t data[LARGEST], out[64];
    const size_t size = from_hex(archives[i].hex, data);
    for (size_t cut = 0; cut < size; cut++)
      for (size_t step = 1; step <= 64; step += 63) {
        outcome o = decode_new(archives[i].format, data, cut, step, 64, out, sizeof out);
        check_that(o.members == 0 && (o.status == FASTIO_TRUNCATED || o.status == FASTIO_OK), __FILE__, __LINE__,
                   "archive %zu cut at %zu: %s, %u members", i, cut, fastio_status_name(o.status), o.members);
        CHECK(o.size <= 4 && memcmp(out, "1\n2\n", o.size) == 0);
      }
  }
}

/* An error, an end that lacks, or the right data: nothing else where there is a checksum. Afterwards the decoder works. */
static void test_every_bit(void) {
  for (size_t i = 0; i < ARCHIVES; i++) {
    uint8_t data[LARGEST], out[4096];
    const size_t size = from_hex(archives[i].hex, data);
    fastio__decoder *decoder = NULL;
    CHECK_STATUS(fastio__decoder_new(archives[i].format, NULL, &decoder, NULL), FASTIO_OK);
    for (size_t bit = 0; bit < 8 * size; bit++) {
      outcome o;
      data[bit / 8] ^= (uint8_t)(1 << bit % 8);
      o = decode(decoder, data, size, bit % 3 ? 1000 : 1, 4096, out, sizeof out);
      data[bit / 8] ^= (uint8_t)(1 << bit % 8);
      if (o.status != FASTIO_OK && o.status != FASTIO_TRUNCATED)
        check_that(o.status != FASTIO_INVALID_ARGUMENT && o.error.message && *o.error.message, __FILE__, __LINE__,
                   "archive %zu, bit %zu: %s", i, bit, fastio_status_name(o.status));
      if (o.status == FASTIO_OK && o.members && archives[i].has_check)
        check_that(o.size == 4 && memcmp(out, "1\n2\n", 4) == 0, __FILE__, __LINE__,
                   "archive %zu, bit %zu goes unseen and changes the data", i, bit);
      fastio__decoder_reset(decoder);
    }
    outcome o = decode(decoder, data, size, 5, 3, out, sizeof out);
    CHECK_STATUS(o.status, FASTIO_OK);
    CHECK_BYTES(out, o.size, "1\n2\n");
    fastio__decoder_free(decoder);
  }
}

/* ---- what gzip and zlib can have ---- */

static void check_decodes(fastio__format format, const char *hex, fastio_status due) {
  uint8_t data[LARGEST], out[64];
  const size_t size = from_hex(hex, data);
  for (size_t step = 1; step <= 64; step += 9) {
    outcome o = decode_new(format, data, size, step, 64, out, sizeof out);
    check_that(o.status == due, __FILE__, __LINE__, "%s: %s, not %s", hex, fastio_status_name(o.status),
               fastio_status_name(due));
    if (due == FASTIO_OK) CHECK_BYTES(out, o.size, "1\n2\n");
  }
}

static void test_wrappers(void) {
  const fastio__format gzip = FASTIO__GZIP;
  /* an extra field, a name, a comment, a checksum of the header (of zlib's crc32), each and all */
  check_decodes(gzip,
                "1f8b0804000000000203"
                "0300616263"
                "33e432e202006178e16904000000",
                FASTIO_OK);
  check_decodes(gzip,
                "1f8b0808000000000203"
                "6e616d6500"
                "33e432e202006178e16904000000",
                FASTIO_OK);
  check_decodes(gzip,
                "1f8b0810000000000203"
                "6300"
                "33e432e202006178e16904000000",
                FASTIO_OK);
  check_decodes(gzip,
                "1f8b0802000000000203"
                "2515"
                "33e432e202006178e16904000000",
                FASTIO_OK);
  check_decodes(gzip,
                "1f8b081e000000000203"
                "0000"
                "6e00"
                "6300"
                "5c55"
                "33e432e202006178e16904000000",
                FASTIO_OK);
  check_decodes(gzip,
                "1f8b0802000000000203"
                "2514"
                "33e432e202006178e16904000000",
                FASTIO_CORRUPT);
  check_decodes(gzip,
                "1f8b0820000000000203"
                "33e432e202006178e16904000000",
                FASTIO_CORRUPT);
  check_decodes(gzip,
                "1f8b0700000000000203"
                "33e432e202006178e16904000000",
                FASTIO_CORRUPT);
  check_decodes(gzip, "68656c6c6f", FASTIO_CORRUPT);
  check_decodes(gzip, "1f8c", FASTIO_CORRUPT);
  /* CRC-32, length */
  check_decodes(gzip, "1f8b080000000000020333e432e202006178e16804000000", FASTIO_CORRUPT);
  check_decodes(gzip, "1f8b080000000000020333e432e202006178e16904000001", FASTIO_CORRUPT);
  check_decodes(FASTIO__ZLIB, "785f33e432e2020001540078", FASTIO_CORRUPT);
  check_decodes(FASTIO__ZLIB, "885933e432e2020001540078", FASTIO_CORRUPT); /* a window of 64 KiB: none */
  check_decodes(FASTIO__ZLIB, "78bb0000000033e432e2020001540078", FASTIO_UNSUPPORTED);
  check_decodes(FASTIO__ZLIB, "785e33e432e2020001540079", FASTIO_CORRUPT);
  check_decodes(FASTIO__DEFLATE, "07", FASTIO_CORRUPT);                 /* a block of type 3 */
  check_decodes(FASTIO__DEFLATE, "010400fafa310a320a", FASTIO_CORRUPT); /* LEN is not NLEN's complement */
  check_decodes(FASTIO__DEFLATE, "010400fbff310a320a", FASTIO_OK);
}

static void test_limits(void) {
  uint8_t out[64];
  /* a window of 2^41 bytes; a dictionary; a dictionary of 4 GiB */
  const uint8_t window[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 0xf8, 0, 0, 0},
                dictionary[] = {0x28, 0xb5, 0x2f, 0xfd, 0x21, 7, 4, 0, 0, 0};
  outcome o = decode_new(FASTIO__ZSTD, window, sizeof window, 64, 64, out, sizeof out);
  CHECK_STATUS(o.status, FASTIO_TOO_LARGE);
  o = decode_new(FASTIO__ZSTD, dictionary, sizeof dictionary, 64, 64, out, sizeof out);
  CHECK_STATUS(o.status, FASTIO_UNSUPPORTED);
  uint8_t xz[LARGEST];
  size_t size = from_hex("fd377a585a000004e6d6b4460200210128000000"
                         "e6a011b3"
                         "010003310a320a00",
                         xz);
  o = decode_new(FASTIO__XZ, xz, size, 64, 64, out, sizeof out);
  check_that(o.status == FASTIO_TOO_LARGE, __FILE__, __LINE__, "a dictionary of 4 GiB: %s",
             fastio_status_name(o.status));
}

/* Told from the first byte that differs, of which nothing is taken. */
static void test_other_bytes(void) {
  static const fastio__format formats[] = {FASTIO__GZIP, FASTIO__ZSTD, FASTIO__XZ, FASTIO__BZIP2, FASTIO__LZ4};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    uint8_t out[64];
    outcome o = decode_new(formats[i], (const uint8_t *)"h", 1, 64, 64, out, sizeof out);
    CHECK_STATUS(o.status, FASTIO_CORRUPT);
    CHECK_INT(o.used, 0);
    CHECK(strncmp(o.error.message, "not ", 4) == 0);
    o = decode_new(formats[i], (const uint8_t *)"\x1f\x8c", 2, 1, 64, out, sizeof out);
    CHECK_STATUS(o.status, FASTIO_CORRUPT);
  }
}

/* ---- names ---- */

static void test_names(void) {
  static const char *const paths[] = {"x.gz", "a/b.CSV.GZ", "x.bgz", "x.zst", "x.xz", "x.bz2", "x.lz4"};
  static const fastio__format due[] = {FASTIO__GZIP, FASTIO__GZIP,  FASTIO__BGZF, FASTIO__ZSTD,
                                       FASTIO__XZ,   FASTIO__BZIP2, FASTIO__LZ4};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) CHECK_INT(fastio__format_of_path(paths[i]), due[i]);
  CHECK_INT(fastio__format_of_path("gz"), FASTIO__NO_FORMAT);
  CHECK_INT(fastio__format_of_path("x.gz.csv"), FASTIO__NO_FORMAT);
  CHECK_INT(fastio__format_of_path("x.zlib"), FASTIO__NO_FORMAT);
  CHECK_INT(fastio__format_find("gzip"), FASTIO__GZIP);
  CHECK_INT(fastio__format_find("bgzf"), FASTIO__BGZF);
  CHECK_INT(fastio__format_find("GZIP"), FASTIO__NO_FORMAT);
  CHECK_INT(fastio__format_find(""), FASTIO__NO_FORMAT);
  size_t count = 0;
  for (const char *name; (name = fastio_compression_name(count)) != NULL; count++) {
    CHECK(fastio__format_is_built(fastio__format_find(name)));
    CHECK(strcmp(name, "bgzf") != 0);
  }
  CHECK(fastio_compression_name(SIZE_MAX) == NULL);
  for (int i = 1; i < FASTIO__FORMAT_COUNT; i++) {
    fastio_error err;
    CHECK_STATUS(fastio__format_missing(i, &err), FASTIO_UNSUPPORTED);
    CHECK(strlen(err.message) > 10);
  }
}

/* The libraries that are there, and no other. */
static void test_build_info(void) {
  static const struct {
    fastio__format format;
    const char *name;
  } libraries[] = {
      {FASTIO__ZSTD, "; zstd "}, {FASTIO__XZ, "; liblzma "}, {FASTIO__BZIP2, "; bzip2"}, {FASTIO__LZ4, "; lz4 "}};
  const char *info = fastio_build_info();
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
    CHECK(fastio__format_is_built(libraries[i].format) == (strstr(info, libraries[i].name) != NULL));
  CHECK(fastio__format_is_built(FASTIO__GZIP) == (strstr(info, "; zlib ") || strstr(info, "; ISA-L ")));
}

static void test_detection(void) {
  for (size_t i = 0; i < ARCHIVES; i++) {
    uint8_t data[LARGEST];
    const size_t size = from_hex(archives[i].hex, data);
    const bool by_name = archives[i].format == FASTIO__ZLIB || archives[i].format == FASTIO__DEFLATE;
    CHECK_INT(fastio__format_detect(data, size), by_name ? FASTIO__NO_FORMAT : archives[i].format);
    CHECK_INT(fastio__format_detect(data, 2), FASTIO__NO_FORMAT);
  }
#define DETECT(bytes) fastio__format_detect((const uint8_t *)(bytes), sizeof(bytes) - 1)
  CHECK_INT(DETECT(""), FASTIO__NO_FORMAT);
  CHECK_INT(DETECT("\x5f\x2a\x4d\x18"), FASTIO__ZSTD); /* skippable */
  CHECK_INT(DETECT("BZh9\x17\x72\x45\x38\x50\x90"), FASTIO__BZIP2);
  CHECK_INT(DETECT("BZh9 text 1"), FASTIO__NO_FORMAT);
  CHECK_INT(DETECT("BZh0\x17\x72\x45\x38\x50\x90"), FASTIO__NO_FORMAT);
  CHECK_INT(DETECT("\x1f\x8b\x07"), FASTIO__NO_FORMAT);
}

/* A reader of a pipe need wait no longer than until it can be nothing that is known. */
static void test_beginnings(void) {
  static const char *const others[] = {"h",
                                       "B\n",
                                       "BZ\n",
                                       "BZh0",
                                       "BZhx",
                                       "BZh91AY\n",
                                       "\x1f\n",
                                       "\x28\n",
                                       "\x5f\n",
                                       "\xfd"
                                       "7zXZ\n"};
  for (size_t i = 0; i < ARCHIVES; i++) {
    uint8_t data[LARGEST];
    const size_t size = from_hex(archives[i].hex, data);
    if (archives[i].format == FASTIO__ZLIB || archives[i].format == FASTIO__DEFLATE) continue;
    size_t known = 0;
    while (known <= FASTIO__MAGIC_SIZE && fastio__format_detect(data, known) == FASTIO__NO_FORMAT)
      CHECK(fastio__format_may_come(data, known++));
    for (; known <= size; known++) CHECK_INT(fastio__format_detect(data, known), archives[i].format);
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    const size_t size = strlen(others[i]);
    CHECK(!fastio__format_may_come((const uint8_t *)others[i], size));
    CHECK_INT(fastio__format_detect((const uint8_t *)others[i], size), FASTIO__NO_FORMAT);
  }
}

/* ---- where members end ---- */

static void test_frame_sizes(void) {
  uint8_t data[4 * LARGEST];
  uint64_t content;
  size_t size = from_hex(archives[1].hex, data); /* BGZF */
  CHECK_INT(fastio__frame_size(FASTIO__GZIP, data, size, &content), size);
  CHECK_INT(content, 4);
  for (size_t cut = 0; cut < size; cut++) CHECK_INT(fastio__frame_size(FASTIO__GZIP, data, cut, &content), 0);
  CHECK(content == FASTIO_NO_OFFSET);
  size = from_hex(archives[0].hex, data); /* gzip, with another one behind it */
  CHECK_INT(fastio__frame_size(FASTIO__GZIP, data, size, &content), 0);
  memcpy(data + size, data, size);
  CHECK_INT(fastio__frame_size(FASTIO__GZIP, data, size + 10, &content), size);
  CHECK_INT(content, 4);
  CHECK_INT(fastio__frame_size(FASTIO__GZIP, data, size + 9, &content), 0);
  memset(data, 0x1f, sizeof data);
  CHECK_INT(fastio__frame_size(FASTIO__GZIP, data, sizeof data, &content), 0);
  size = from_hex(archives[4].hex, data); /* zstd */
  CHECK_INT(fastio__frame_size(FASTIO__ZSTD, data, sizeof data, &content), size);
  CHECK(content >= 4 && content <= 128 << 10); /* made by a pipe: at most a block */
  for (size_t cut = 0; cut < size; cut++) CHECK_INT(fastio__frame_size(FASTIO__ZSTD, data, cut, &content), 0);
  size = from_hex("502a4d180300000061626328b52ffd", data);
  CHECK_INT(fastio__frame_size(FASTIO__ZSTD, data, size, &content), 11);
  CHECK_INT(content, 0);
  CHECK_INT(fastio__frame_size(FASTIO__XZ, data, size, &content), 0);
  CHECK_INT(fastio__frame_size(FASTIO__ZLIB, data, size, &content), 0);
  CHECK(fastio__is_padded(FASTIO__GZIP) && fastio__is_padded(FASTIO__XZ) && !fastio__is_padded(FASTIO__ZSTD));
}

/* ---- encoding ---- */

enum { CONTENT = 300000 };

/* Half of it numbers, a quarter zeros, a quarter noise. */
static void make_content(uint8_t *data) {
  uint32_t x = 1;
  size_t at = 0;
  while (at < CONTENT / 2) at += (size_t)sprintf((char *)data + at, "%u\n", (x = x * 1664525 + 1013904223) >> 8);
  memset(data + at, 0, CONTENT / 4);
  for (at += CONTENT / 4; at < CONTENT; at++) data[at] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
}

/* The whole content, flushed where `flush` is a multiple. */
static size_t encode(fastio__format format, int level, unsigned threads, const uint8_t *data, size_t size,
                     size_t in_step, size_t out_step, size_t flush, uint8_t *out, size_t capacity) {
  fastio__encoder *encoder = NULL;
  fastio_error err;
  size_t put = 0, at = 0;
  if (!CHECK_STATUS(fastio__encoder_new(format, level, threads, NULL, &encoder, &err), FASTIO_OK)) return 0;
  for (bool finished = false; !finished;) {
    const size_t piece = size - at < in_step ? size - at : in_step;
    const bool is_last = at + piece == size, flushes = flush && at / flush != (at + piece) / flush;
    fastio__flow flow = {data + at, piece, NULL, 0};
    fastio_status status = FASTIO_OK;
    for (bool done = false; !done && status == FASTIO_OK;) {
      const size_t room = capacity - put < out_step ? capacity - put : out_step;
      flow.out = out + put;
      flow.out_size = room;
      status = fastio__encoder_run(encoder, &flow,
                                   is_last   ? FASTIO__ENCODE_FINISH
                                   : flushes ? FASTIO__ENCODE_FLUSH
                                             : FASTIO__ENCODE_MORE,
                                   &done, &err);
      put += room - flow.out_size;
    }
    if (!CHECK_STATUS(status, FASTIO_OK)) break;
    at += piece;
    finished = is_last;
  }
  fastio__encoder_free(encoder);
  return put;
}

static void check_round_trip(fastio__format format, int level, unsigned threads, size_t size, size_t in_step,
                             size_t out_step, size_t flush) {
  static uint8_t data[CONTENT + 64], packed[2 * CONTENT + 1000000], back[CONTENT + 64];
  if (data[0] == 0) make_content(data);
  const size_t packed_size = encode(format, level, threads, data, size, in_step, out_step, flush, packed,
                                    sizeof packed);
  outcome o = decode_new(format, packed, packed_size, 1 << 20, 1 << 20, back, size + 1);
  check_that(o.status == FASTIO_OK && o.members > 0 && o.size == size && memcmp(back, data, size) == 0, __FILE__,
             __LINE__, "%s, level %d, %u threads, %zu bytes by %zu to %zu, flushed by %zu: %s, %zu bytes",
             fastio__format_name(format), level, threads, size, in_step, out_step, flush, fastio_status_name(o.status),
             o.size);
}

typedef struct levels {
  fastio__format format;
  int from, to, below, above;
} levels;

static void test_round_trips(void) {
  static const levels all[] = {{FASTIO__GZIP, 0, 9, -1, 10},        {FASTIO__ZLIB, 0, 9, -1, 10},
                               {FASTIO__DEFLATE, 0, 9, -1, 10},     {FASTIO__BGZF, 0, 9, -1, 10},
                               {FASTIO__ZSTD, -5, 22, -131073, 23}, {FASTIO__XZ, 0, 9, -1, 10},
                               {FASTIO__BZIP2, 1, 9, 0, 10},        {FASTIO__LZ4, 0, 12, -1, 13}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const levels *l = &all[i];
    fastio__encoder *encoder = NULL;
    for (int level = l->from; level <= l->to; level++) {
      check_round_trip(l->format, level, 1, 20000, 20000, 1 << 20, 0);
      check_round_trip(l->format, level, 1, 0, 1, 1 << 20, 0);
    }
    check_round_trip(l->format, FASTIO_LEVEL_DEFAULT, 1, CONTENT, 1 << 20, 1 << 20, 0);
    check_round_trip(l->format, FASTIO_LEVEL_DEFAULT, 1, CONTENT, 70001, 1024, 0);
    check_round_trip(l->format, l->from, 1, CONTENT, 33333, 4099, 100000);
    check_round_trip(l->format, FASTIO_LEVEL_DEFAULT, 1, 3000, 1, 1024, 7);
    check_round_trip(l->format, FASTIO_LEVEL_DEFAULT, 3, CONTENT, 70001, 5000, 0);
    check_round_trip(l->format, FASTIO_LEVEL_DEFAULT, 3, CONTENT, 1 << 20, 1 << 20, 0);
    CHECK_STATUS(fastio__encoder_new(l->format, l->below, 1, NULL, &encoder, NULL), FASTIO_INVALID_ARGUMENT);
    CHECK_STATUS(fastio__encoder_new(l->format, l->above, 1, NULL, &encoder, NULL), FASTIO_INVALID_ARGUMENT);
  }
}

/* Members of all sizes behind each other, in pieces of all sizes: each byte of input may be the last that comes for now,
 * each of output the last that there is room for. */
static void test_pieces(void) {
  static const int levels[] = {1, 9, 3};
  static const size_t sizes[] = {0, 1, 300, 5000, 2};
  static const size_t steps[] = {1, 2, 3, 5, 8, 13, 64, 257, 258, 259, 1000, 4096, 1 << 20};
  enum { STEPS = sizeof steps / sizeof *steps, PARTS = sizeof sizes / sizeof *sizes };
  static uint8_t data[CONTENT + 64], packed[60000], back[CONTENT];
  make_content(data);
  for (int format = 1; format < FASTIO__FORMAT_COUNT; format++)
    for (int i = 0; i < 3; i++) {
      size_t size = 0, packed_size = 0;
      for (int part = 0; part < PARTS; part++) { /* half numbers, half zeros */
        const size_t from = CONTENT / 2 - 2500 - size;
        memmove(data + size, data + from, sizes[part]);
        packed_size += encode(format, levels[i], 1, data + size, sizes[part], 700, 1 << 20, i == 2 ? 1500 : 0,
                              packed + packed_size, sizeof packed - packed_size);
        size += sizes[part];
      }
      for (size_t in = 0; in < STEPS; in++)
        for (size_t room = 0; room < STEPS; room++) {
          outcome o = decode_new(format, packed, packed_size, steps[in], steps[room], back, sizeof back);
          check_that(o.status == FASTIO_OK && o.used == packed_size && o.members >= PARTS && o.size == size &&
                         memcmp(back, data, size) == 0,
                     __FILE__, __LINE__, "%s, level %d, by %zu to %zu: %s, %zu bytes in %u members",
                     fastio__format_name(format), levels[i], steps[in], steps[room], fastio_status_name(o.status),
                     o.size, o.members);
        }
    }
}

/* What is there after a flush decodes to all that was put in. */
static void test_flush(void) {
  for (int format = 1; format < FASTIO__FORMAT_COUNT; format++) {
    uint8_t packed[8192], back[4096];
    fastio__encoder *encoder = NULL;
    fastio__flow flow = {(const uint8_t *)"first line\n", 11, packed, sizeof packed};
    bool done = false;
    CHECK_STATUS(fastio__encoder_new(format, FASTIO_LEVEL_DEFAULT, 1, NULL, &encoder, NULL), FASTIO_OK);
    while (!done)
      if (!CHECK_STATUS(fastio__encoder_run(encoder, &flow, FASTIO__ENCODE_FLUSH, &done, NULL), FASTIO_OK)) break;
    outcome o = decode_new(format, packed, sizeof packed - flow.out_size, 1000, 1000, back, sizeof back);
    check_that(o.size == 11 && memcmp(back, "first line\n", 11) == 0, __FILE__, __LINE__, "%s: %zu bytes after a flush",
               fastio__format_name(format), o.size);
    fastio__encoder_free(encoder);
  }
}

/* BGZF: the bytes that its specification gives for the end, blocks that are no longer than 64 KiB, the same bytes for
 * any number of threads. */
static void test_bgzf(void) {
  static uint8_t data[CONTENT + 64], one[2 * CONTENT], three[2 * CONTENT];
  uint8_t end[LARGEST];
  const size_t end_size = from_hex("1f8b08040000000000ff0600424302001b0003000000000000000000", end);
  make_content(data);
  for (int level = 0; level <= 9; level += 3) {
    const size_t size = encode(FASTIO__BGZF, level, 1, data, CONTENT, 1000, 1 << 20, 0, one, sizeof one);
    const size_t other = encode(FASTIO__BGZF, level, 3, data, CONTENT, 70000, 5000, 0, three, sizeof three);
    size_t at = 0, blocks = 0;
    uint64_t total = 0, content;
    CHECK(size == other && memcmp(one, three, size) == 0);
    CHECK(size > end_size && memcmp(one + size - end_size, end, end_size) == 0);
    for (size_t step; (step = fastio__frame_size(FASTIO__GZIP, one + at, size - at, &content)) > 0; at += step) {
      CHECK(step <= 65536);
      total += content;
      blocks++;
    }
    CHECK_INT(at, size);
    CHECK_INT(total, CONTENT);
    CHECK_INT(blocks, (CONTENT + 65279) / 65280 + 1);
  }
}

/* ---- memory ---- */

typedef struct books {
  size_t calls, fail_at, bytes;
} books;

static void *books_allocate(void *ctx, size_t size) {
  books *b = ctx;
  if (++b->calls == b->fail_at) return NULL;
  b->bytes += size;
  return malloc(size);
}

static void *books_reallocate(void *ctx, void *block, size_t old_size, size_t new_size) {
  books *b = ctx;
  if (++b->calls == b->fail_at) return NULL;
  b->bytes += new_size - old_size;
  return realloc(block, new_size);
}

static void books_release(void *ctx, void *block, size_t size) {
  ((books *)ctx)->bytes -= size;
  free(block);
}

static fastio_status use_once(fastio__format format, const fastio_env *env, const uint8_t *packed, size_t size) {
  uint8_t out[4096];
  fastio__decoder *decoder = NULL;
  fastio__encoder *encoder = NULL;
  fastio_error err;
  bool done = false;
  fastio_status status = fastio__decoder_new(format, env, &decoder, &err);
  if (status == FASTIO_OK) {
    outcome o = decode(decoder, packed, size, 1000, 1000, out, sizeof out);
    status = o.status;
    fastio__decoder_free(decoder);
  }
  if (status == FASTIO_OK) status = fastio__encoder_new(format, 1, 2, env, &encoder, &err);
  if (status != FASTIO_OK) return status;
  fastio__flow flow = {(const uint8_t *)"1\n2\n", 4, out, sizeof out};
  while (status == FASTIO_OK && !done) status = fastio__encoder_run(encoder, &flow, FASTIO__ENCODE_FINISH, &done, &err);
  fastio__encoder_free(encoder);
  return status;
}

/* Each allocation fails in its turn: NO_MEMORY, and nothing is lost. */
static void test_memory(void) {
  for (size_t i = 0; i < ARCHIVES; i++) {
    uint8_t data[LARGEST];
    const size_t size = from_hex(archives[i].hex, data);
    fastio_status status = FASTIO_NO_MEMORY;
    for (size_t fail_at = 1; status != FASTIO_OK && fail_at < 100; fail_at++) {
      books b = {0, fail_at, 0};
      fastio_env env = FASTIO_ENV_INIT;
      env.ctx = &b;
      env.allocate = books_allocate;
      env.reallocate = books_reallocate;
      env.release = books_release;
      status = use_once(archives[i].format, &env, data, size);
      check_that(status == (b.calls >= fail_at ? FASTIO_NO_MEMORY : FASTIO_OK), __FILE__, __LINE__,
                 "archive %zu, allocation %zu: %s", i, fail_at, fastio_status_name(status));
      CHECK_INT(b.bytes, 0);
    }
    CHECK_STATUS(status, FASTIO_OK);
  }
}

int main(void) {
  test_names();
  test_build_info();
  test_detection();
  test_beginnings();
  if (fastio__format_is_built(FASTIO__GZIP) && fastio__format_is_built(FASTIO__ZSTD) &&
      fastio__format_is_built(FASTIO__XZ) && fastio__format_is_built(FASTIO__BZIP2) &&
      fastio__format_is_built(FASTIO__LZ4)) {
    test_archives();
    test_members();
    test_exact_room();
    test_patience();
    test_large_counts();
    test_every_cut();
    test_every_bit();
    test_wrappers();
    test_limits();
    test_other_bytes();
    test_frame_sizes();
    test_round_trips();
    test_pieces();
    test_flush();
    test_bgzf();
    test_memory();
  }
  return check_report();
}
