/* Sources that decode: every format through every kind of source, read in any pieces on any number of threads; archives
 * that are cut, damaged, padded, followed by something else, still growing; failures that pass; limits; text in other
 * encodings, and the way back from places in it. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "../../libfastio/src/source/source.h"
#include "books.h"
#include "stored_gzip.h"

#ifndef _WIN32
#  include <errno.h>
#  include <fcntl.h>
#  include <sys/stat.h>
#  include <unistd.h>
#endif

#define COUNT(array) (sizeof(array) / sizeof *(array))

static unsigned random_state = 7;
static unsigned next_random(unsigned below) {
  random_state = random_state * 1664525u + 1013904223u;
  return (random_state >> 8) % below;
}

/* ---- bytes ---- */

typedef struct bytes {
  uint8_t *data;
  size_t size, capacity;
} bytes;

static void add(bytes *b, const void *data, size_t size) {
  if (b->size + size > b->capacity) {
    b->capacity = 2 * (b->size + size);
    b->data = realloc(b->data, b->capacity);
    if (!b->data) abort();
  }
  if (size) memcpy(b->data + b->size, data, size);
  b->size += size;
}

#define ADD(b, literal) add((b), (literal), sizeof(literal) - 1)

static void add_all(bytes *b, const bytes *other) { add(b, other->data, other->size); }

static void add_zeros(bytes *b, size_t count) {
  for (; count > 0; count--) ADD(b, "\0");
}

/* Numbers in lines, the same for the same seed. */
static void add_text(bytes *b, size_t size, unsigned seed) {
  size_t end = b->size + size;
  unsigned value = seed;
  while (b->size < end) {
    char line[16];
    value = value * 69069u + 1;
    int length = sprintf(line, "%u\n", value >> 12);
    add(b, line, end - b->size < (size_t)length ? end - b->size : (size_t)length);
  }
}

static bytes text_of(size_t size, unsigned seed) {
  bytes b = {NULL, 0, 0};
  add_text(&b, size, seed);
  return b;
}

/* ---- archives ---- */

static bool has(const char *format) {
  for (size_t i = 0; fastio_compression_name(i); i++)
    if (strcmp(fastio_compression_name(i), format) == 0) return true;
  return false;
}

/* One member or frame; false: this build can't make it. */
static bool pack(bytes *archive, fastio__format format, const uint8_t *text, size_t size) {
  fastio__encoder *encoder = NULL;
  fastio__flow flow = {text, size, NULL, 0};
  uint8_t out[4096];
  bool done = false;
  if (fastio__encoder_new(format, FASTIO_LEVEL_DEFAULT, 1, NULL, &encoder, NULL) != FASTIO_OK) return false;
  while (!done) {
    flow.out = out;
    flow.out_size = sizeof out;
    if (fastio__encoder_run(encoder, &flow, FASTIO__ENCODE_FINISH, &done, NULL) != FASTIO_OK) abort();
    add(archive, out, sizeof out - flow.out_size);
  }
  fastio__encoder_free(encoder);
  return true;
}

/* A gzip member of one stored block, by hand. */
static void add_stored(bytes *archive, const void *text, size_t size) {
  uint8_t head[15] = {0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 1}, tail[8];
  head[11] = (uint8_t)size, head[12] = (uint8_t)(size >> 8), head[13] = (uint8_t)~head[11],
  head[14] = (uint8_t)~head[12];
  stored_put32(tail, stored_crc(0, text, size));
  stored_put32(tail + 4, (uint32_t)size);
  add(archive, head, sizeof head);
  add(archive, text, size);
  add(archive, tail, sizeof tail);
}

static const char bgzf_end[] = "\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0";

/* ---- sources ---- */

/* Gives pieces; fails once at a place, or shows no more than `shown` for now. */
typedef struct feed {
  const uint8_t *data;
  size_t size, at, chunk, shown;
  size_t fail_at; /* SIZE_MAX: never */
  fastio_status failure;
} feed;

static fastio_status read_feed(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  feed *f = ctx;
  size_t end = f->size < f->shown ? f->size : f->shown;
  (void)err;
  if (f->at == f->fail_at) {
    f->fail_at = SIZE_MAX;
    return f->failure;
  }
  if (f->fail_at > f->at && f->fail_at < end) end = f->fail_at;
  if (size > f->chunk) size = f->chunk;
  *got = end - f->at < size ? end - f->at : size;
  if (*got) memcpy(data, f->data + f->at, *got);
  f->at += *got;
  return FASTIO_OK;
}

static feed feed_of(const bytes *b, size_t chunk) {
  return (feed){b->data, b->size, 0, chunk, SIZE_MAX, SIZE_MAX, FASTIO_CALLBACK_FAILED};
}

static fastio_source *open_feed(feed *f) {
  fastio_device device = {f, read_feed, NULL};
  fastio_source *source = NULL;
  CHECK_STATUS(fastio_source_device(&device, NULL, &source, NULL), FASTIO_OK);
  return source;
}

static fastio_source *open_memory(const bytes *b) {
  fastio_source *source = NULL;
  CHECK_STATUS(fastio_source_memory(b->data, b->size, NULL, &source, NULL), FASTIO_OK);
  return source;
}

static char path[] = "/tmp/fastio-decode-XXXXXX";

static void store(const void *data, size_t size, const char *mode) {
  FILE *file = fopen(path, mode);
  if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) abort();
}

static void demand(fastio_source *source, const char *compression, const char *encoding, int errors, int trailing,
                   uint64_t max_size) {
  fastio_decode_options options = FASTIO_DECODE_OPTIONS_INIT;
  fastio_error err;
  options.compression = compression;
  options.encoding = encoding;
  options.errors = errors;
  options.trailing = trailing;
  options.max_size = max_size;
  check_that(fastio_source_decode(source, &options, &err) == FASTIO_OK, __FILE__, __LINE__, "%s, %s",
             compression ? compression : "none", encoding ? encoding : "none");
}

/* ---- reading ---- */

typedef struct outcome {
  fastio_status status;
  bytes text;
  fastio_error err;
} outcome;

/* From where the source is to its end or a failure, `step` bytes at a time (0: any number). */
static fastio_status read_on(fastio_source *source, unsigned threads, size_t step, bytes *text, fastio_error *err) {
  static uint8_t room[300000];
  fastio_status status;
  fastio_error_init(err);
  status = fastio__source_begin(source, FASTIO__AS_TEXT, threads, err);
  for (size_t got = 1; status == FASTIO_OK && got > 0;) {
    size_t size = step ? step : 1 + next_random(next_random(2) ? 20 : (unsigned)sizeof room);
    memset(room, '#', size < 64 ? size : 64);
    status = fastio__source_read(source, room, size, &got, err);
    if (!CHECK(got <= size)) break;
    if (status == FASTIO_OK) add(text, room, got);
    if (!CHECK(text->size < (size_t)1 << 28)) break;
  }
  return status;
}

static outcome read_out(fastio_source *source, unsigned threads, size_t step) {
  outcome o = {0};
  o.status = read_on(source, threads, step, &o.text, &o.err);
  fastio_source_close(source);
  return o;
}

static bool is_text(const bytes *got, const bytes *due, const char *what, int line) {
  size_t size = got->size < due->size ? got->size : due->size, same = 0;
  while (same < size && got->data[same] == due->data[same]) same++;
  return check_that(same == got->size && same == due->size, __FILE__, line,
                    "%s: %zu bytes, due %zu, the first %zu of them right", what, got->size, due->size, same);
}

static bool is_prefix(const bytes *got, const bytes *due) {
  return got->size <= due->size && (got->size == 0 || memcmp(got->data, due->data, got->size) == 0);
}

static const size_t steps[] = {1, 7, 100000, 0};

/* ---- every format through every kind of source ---- */

static const struct {
  fastio__format format;
  const char *name;
  bool is_told; /* by its first bytes */
} formats[] = {
    {FASTIO__GZIP, "gzip", true},  {FASTIO__BGZF, "gzip", true},        {FASTIO__ZSTD, "zstd", true},
    {FASTIO__XZ, "xz", true},      {FASTIO__BZIP2, "bzip2", true},      {FASTIO__LZ4, "lz4", true},
    {FASTIO__ZLIB, "zlib", false}, {FASTIO__DEFLATE, "deflate", false},
};

static void check_whole(fastio_source *source, size_t format, unsigned threads, size_t step, const bytes *text,
                        const char *kind) {
  outcome o;
  fastio_decoded decoded;
  if (!formats[format].is_told || next_random(2))
    demand(source, formats[format].name, "auto", 0, 0, next_random(2) ? FASTIO_NO_OFFSET : text->size);
  o.status = read_on(source, threads, step, (o.text = (bytes){NULL, 0, 0}, &o.text), &o.err);
  fastio_source_decoded(source, &decoded);
  check_that(o.status == FASTIO_OK, __FILE__, __LINE__, "%s through %s: %s (%s)", formats[format].name, kind,
             fastio_status_name(o.status), o.err.message ? o.err.message : "");
  is_text(&o.text, text, formats[format].name, __LINE__);
  CHECK(decoded.compression && strcmp(decoded.compression, formats[format].name) == 0);
  CHECK(fastio_source_size(source) == FASTIO_NO_OFFSET);
  fastio_source_close(source);
  free(o.text.data);
}

static void check_kinds(size_t format, const bytes *archive, const bytes *text, unsigned threads, size_t step) {
  fastio_source *source = NULL;
  static const size_t chunks[] = {1, 100, 65536};
  check_whole(open_memory(archive), format, threads, step, text, "memory");
  for (size_t i = 0; i < COUNT(chunks); i++) {
    feed f = feed_of(archive, chunks[i]);
    check_whole(open_feed(&f), format, threads, step, text, "a device");
  }
  store(archive->data, archive->size, "wb");
  CHECK_STATUS(fastio_source_open(path, NULL, &source, NULL), FASTIO_OK);
  check_whole(source, format, threads, step, text, "a file");
  FILE *file = fopen(path, "rb");
  CHECK_STATUS(fastio_source_stdio(file, NULL, &source, NULL), FASTIO_OK);
  check_whole(source, format, threads, step, text, "a FILE");
  fclose(file);
#ifndef _WIN32
  store("before", 6, "wb");
  store(archive->data, archive->size, "ab");
  int fd = open(path, O_RDONLY);
  CHECK(lseek(fd, 6, SEEK_SET) == 6);
  CHECK_STATUS(fastio_source_fd(fd, NULL, &source, NULL), FASTIO_OK);
  check_whole(source, format, threads, step, text, "a descriptor");
  close(fd);
  if (archive->size < 60000) {
    int ends[2];
    CHECK(pipe(ends) == 0 && write(ends[1], archive->data, archive->size) == (ssize_t)archive->size);
    close(ends[1]);
    CHECK_STATUS(fastio_source_fd(ends[0], NULL, &source, NULL), FASTIO_OK);
    fastio__source_ahead_start(source);
    check_whole(source, format, threads, step, text, "a pipe");
    close(ends[0]);
  }
#endif
}

static void kinds(void) {
  static const size_t sizes[] = {0, 1, 3000, 300000};
  for (size_t format = 0; format < COUNT(formats); format++)
    for (size_t i = 0; i < COUNT(sizes); i++) {
      bytes text = text_of(sizes[i], 1), archive = {NULL, 0, 0}, twice = {NULL, 0, 0};
      if (!pack(&archive, formats[format].format, text.data, text.size)) continue;
      for (size_t k = 0; k < COUNT(steps); k++)
        if (sizes[i] < 300000 || steps[k] != 1) check_kinds(format, &archive, &text, 1 + (unsigned)k, steps[k]);
      add_all(&twice, &archive);
      add_all(&twice, &archive);
      add_text(&text, text.size, 1);
      if (formats[format].is_told)
        for (unsigned threads = 1; threads <= 4; threads *= 2) check_kinds(format, &twice, &text, threads, 0);
      free(text.data);
      free(archive.data);
      free(twice.data);
    }
}

/* ---- members ---- */

static void check_archive(const bytes *archive, const bytes *text, const char *what, int line) {
  for (unsigned threads = 1; threads <= 4; threads *= 2)
    for (size_t i = 0; i < COUNT(steps); i++) {
      if (steps[i] == 1 && text->size > 100000) continue;
      outcome o = read_out(open_memory(archive), threads, steps[i]);
      CHECK_STATUS(o.status, FASTIO_OK);
      is_text(&o.text, text, what, line);
      free(o.text.data);
      feed f = feed_of(archive, 1 + next_random(5000));
      o = read_out(open_feed(&f), threads, steps[i]);
      CHECK_STATUS(o.status, FASTIO_OK);
      is_text(&o.text, text, what, line);
      free(o.text.data);
    }
}

static void add_members(bytes *archive, bytes *text, fastio__format format, size_t count, unsigned most) {
  for (size_t i = 0; i < count; i++) {
    size_t size = next_random(most), start = text->size;
    add_text(text, size, (unsigned)i);
    if (!pack(archive, format, text->data + start, size)) abort();
  }
}

/* Members of gzip that border at each other, with zeros between, with ends of BGZF among them; more of them than are
 * decoded at once; stored ones whose text looks like members, so that guesses of borders are wrong. */
static void members_of_gzip(void) {
  bytes archive = {NULL, 0, 0}, text = {NULL, 0, 0}, inner = {NULL, 0, 0};
  if (!has("gzip")) return;
  for (int i = 0; i < 30; i++) {
    char line[32];
    int length = sprintf(line, "%d\n", i);
    add_stored(&archive, line, (size_t)length);
    add(&text, line, (size_t)length);
    if (i % 3 == 0) add_stored(&archive, "", 0);
    if (i % 5 == 0) add_zeros(&archive, (size_t)i);
    if (i % 7 == 0) ADD(&archive, bgzf_end);
  }
  check_archive(&archive, &text, "small members", __LINE__);
  for (int i = 0; i < 40; i++) {
    inner.size = 0;
    for (int k = 0; k < i; k++) add_stored(&inner, "abcdef", (size_t)k % 7);
    add_stored(&archive, inner.data, inner.size);
    add_all(&text, &inner);
  }
  check_archive(&archive, &text, "members of members", __LINE__);
  for (int i = 0; i < 2000; i++) {
    add_stored(&archive, "1234567\n", (size_t)i % 9);
    add(&text, "1234567\n", (size_t)i % 9);
    if (i % 2) ADD(&archive, "\0\0\0");
  }
  check_archive(&archive, &text, "many members", __LINE__);
  free(archive.data);
  free(text.data);
  free(inner.data);
}

static void frames(void) {
  static const fastio__format several[] = {FASTIO__GZIP, FASTIO__BGZF, FASTIO__ZSTD, FASTIO__XZ, FASTIO__LZ4};
  for (size_t i = 0; i < COUNT(several); i++) {
    bytes archive = {NULL, 0, 0}, text = {NULL, 0, 0};
    if (!pack(&archive, several[i], NULL, 0)) continue;
    add_members(&archive, &text, several[i], 30, 3000);
    add_members(&archive, &text, several[i], 2, 300000);
    add_members(&archive, &text, several[i], 12, several[i] == FASTIO__XZ ? 3000 : 90000);
    if (several[i] == FASTIO__ZSTD || several[i] == FASTIO__LZ4) {
      ADD(&archive, "\x5a\x2a\x4d\x18\3\0\0\0abc\x50\x2a\x4d\x18\0\0\0\0");
      add_members(&archive, &text, several[i], 3, 5000);
    }
    check_archive(&archive, &text, fastio__format_name(several[i]), __LINE__);
    free(archive.data);
    free(text.data);
  }
}

/* Frames that are skipped are an archive, too, of nothing. */
static void skipped_only(void) {
  bytes archive = {NULL, 0, 0};
  if (!has("zstd")) return;
  ADD(&archive, "\x50\x2a\x4d\x18\4\0\0\0abcd");
  for (int i = 0; i < 2; i++) {
    for (unsigned threads = 1; threads <= 2; threads++) {
      feed f = feed_of(&archive, 1);
      outcome o = read_out(open_feed(&f), threads, 0);
      CHECK_STATUS(o.status, FASTIO_OK);
      CHECK_INT(o.text.size, 0);
    }
    ADD(&archive, "\x5f\x2a\x4d\x18\0\0\0\0");
  }
  free(archive.data);
}

/* ---- what follows ---- */

static void check_trailing(const bytes *archive, const char *name, const bytes *text, const void *extra, size_t size,
                           size_t padding, bool is_error) {
  bytes all = {NULL, 0, 0};
  add_all(&all, archive);
  add(&all, extra, size);
  for (int round = 0; round < 8; round++) {
    unsigned threads = 1 + round % 2;
    bool ignore = round / 2 % 2, device = round / 4;
    fastio_decoded decoded;
    feed f = feed_of(&all, 1 + next_random(30));
    fastio_source *source = device ? open_feed(&f) : open_memory(&all);
    outcome o = {0};
    demand(source, name, "auto", 0, ignore, FASTIO_NO_OFFSET);
    o.status = read_on(source, threads, 0, &o.text, &o.err);
    fastio_source_decoded(source, &decoded);
    is_text(&o.text, text, name, __LINE__);
    CHECK_STATUS(o.status, is_error && !ignore ? FASTIO_CORRUPT : FASTIO_OK);
    if (is_error && !ignore) {
      CHECK_INT(o.err.offset, text->size);
      CHECK_INT(o.err.raw_offset, archive->size + padding);
      CHECK(strstr(o.err.message, "trailing") || strstr(o.err.message, "padding"));
      CHECK_STATUS(read_on(source, threads, 0, &o.text, &o.err), FASTIO_CORRUPT); /* for good */
      CHECK_INT(o.text.size, text->size);
    } else {
      CHECK_INT(decoded.trailing_bytes, is_error ? size - padding : 0);
      CHECK_INT(decoded.raw_bytes, all.size - (is_error ? size - padding : 0));
      CHECK_STATUS(read_on(source, threads, 0, &o.text, &o.err), FASTIO_OK); /* still at the end */
      CHECK_INT(o.text.size, text->size);
    }
    fastio_source_close(source);
    free(o.text.data);
  }
  free(all.data);
}

static void trailing(void) {
  static const struct {
    const char *bytes;
    size_t size, zeros;
  } extras[] = {{"x", 1, 0},
                {"\x1f", 1, 0},
                {"\r\n", 2, 0},
                {"\0\0\0\0x", 5, 4},
                {"\xfd"
                 "7zXY",
                 5, 0},
                {"BZhello world", 13, 0},
                {"BZh9text and more", 17, 0},
                {"\x28\xb5\x2f\xfe", 4, 0},
                {"\x1f\x8b\x09", 3, 0}};
  for (size_t format = 0; format < COUNT(formats); format++) {
    bytes text = text_of(100, 3), archive = {NULL, 0, 0};
    if (!pack(&archive, formats[format].format, text.data, text.size)) continue;
    bool padded = fastio__is_padded(formats[format].format);
    for (size_t i = 0; i < COUNT(extras); i++) {
      if (strcmp(formats[format].name, "gzip") == 0 && extras[i].bytes[0] == '\x1f' && extras[i].size == 1) continue;
      check_trailing(&archive, formats[format].name, &text, extras[i].bytes, extras[i].size,
                     padded ? extras[i].zeros : 0, true);
    }
    for (size_t zeros = 1; zeros <= 8; zeros++) {
      const bool is_xz = formats[format].format == FASTIO__XZ;
      if (is_xz && zeros % 4 != 0) continue; /* below */
      check_trailing(&archive, formats[format].name, &text, "\0\0\0\0\0\0\0\0", zeros, padded ? zeros : 0, !padded);
    }
    free(text.data);
    free(archive.data);
  }
}

/* Zeros between and behind streams of xz come in fours. */
static void padding_of_xz(void) {
  bytes text = text_of(100, 3), one = {NULL, 0, 0};
  if (!pack(&one, FASTIO__XZ, text.data, text.size)) return;
  for (size_t zeros = 0; zeros <= 9; zeros++)
    for (int more = 0; more < 2; more++)
      for (int ignore = 0; ignore < 2; ignore++) {
        bytes all = {NULL, 0, 0};
        add_all(&all, &one);
        add_zeros(&all, zeros);
        if (more) add_all(&all, &one);
        feed f = feed_of(&all, 1 + next_random(3));
        fastio_source *source = open_feed(&f);
        demand(source, "auto", "auto", 0, ignore, FASTIO_NO_OFFSET);
        outcome o = read_out(source, 1, 0);
        bool bad = zeros % 4 != 0;
        CHECK_STATUS(o.status, bad && !ignore ? FASTIO_CORRUPT : FASTIO_OK);
        CHECK_INT(o.text.size, more && !bad ? 200 : 100);
        free(o.text.data);
        free(all.data);
      }
  free(text.data);
  free(one.data);
}

/* An archive, then megabytes of something else. */
static fastio_status read_long(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  feed *f = ctx;
  (void)err;
  if (f->at < f->size) return read_feed(ctx, data, size, got, err);
  *got = f->shown - f->at < size ? f->shown - f->at : size;
  memset(data, 'x', *got);
  f->at += *got;
  return FASTIO_OK;
}

static void much_trailing(void) {
  enum { MUCH = 20 << 20 };
  bytes archive = {NULL, 0, 0};
  if (!has("gzip")) return;
  add_stored(&archive, "1\n", 2);
  for (unsigned threads = 1; threads <= 2; threads++) {
    feed f = feed_of(&archive, 1 << 20);
    fastio_device device = {&f, read_long, NULL};
    fastio_source *source = NULL;
    fastio_decoded decoded;
    bytes text = {NULL, 0, 0};
    fastio_error err;
    f.shown = archive.size + MUCH;
    CHECK_STATUS(fastio_source_device(&device, NULL, &source, NULL), FASTIO_OK);
    demand(source, "auto", "auto", 0, FASTIO_TRAILING_IGNORE, FASTIO_NO_OFFSET);
    CHECK_STATUS(read_on(source, threads, 0, &text, &err), FASTIO_OK);
    fastio_source_decoded(source, &decoded);
    CHECK_BYTES(text.data, text.size, "1\n");
    CHECK_INT(decoded.trailing_bytes, MUCH);
    CHECK_INT(decoded.raw_bytes, archive.size);
    fastio_source_close(source);
    free(text.data);
  }
  free(archive.data);
}

/* ---- cut short ---- */

/* Wherever an archive of three members is cut, what precedes the cut comes, and then the cut, unless it is a border. */
static void cuts(void) {
  for (size_t format = 0; format < COUNT(formats); format++) {
    bytes text = {NULL, 0, 0}, archive = {NULL, 0, 0};
    size_t borders[3], ends[3], border = 0, count = formats[format].is_told ? 3 : 1;
    bool built = true;
    for (size_t i = 0; i < count; i++) {
      size_t start = text.size;
      add_text(&text, 40 * i, (unsigned)i);
      built = pack(&archive, formats[format].format, text.data + start, text.size - start) && built;
      borders[i] = archive.size;
      ends[i] = text.size;
    }
    if (formats[format].format == FASTIO__BGZF) count = 0; /* has borders of its own */
    for (size_t cut = 0; built && count && cut < archive.size; cut++) {
      bytes part = archive;
      part.size = cut;
      while (border < count && borders[border] < cut) border++;
      const bool is_border = cut > 0 && borders[border] == cut;
      for (unsigned threads = 1; threads <= 2; threads++) {
        feed f = feed_of(&part, 1 + next_random(9));
        fastio_source *source = threads == 1 ? open_memory(&part) : open_feed(&f);
        demand(source, formats[format].name, "auto", 0, 0, FASTIO_NO_OFFSET);
        outcome o = read_out(source, threads, 0);
        CHECK_STATUS(o.status, is_border ? FASTIO_OK : FASTIO_TRUNCATED);
        CHECK(is_prefix(&o.text, &text));
        CHECK(o.text.size >= (is_border ? ends[border] : border ? ends[border - 1] : 0));
        if (!is_border) {
          CHECK_INT(o.err.offset, o.text.size);
          CHECK_INT(o.err.raw_offset, cut);
        }
        free(o.text.data);
      }
    }
    free(text.data);
    free(archive.data);
  }
}

static void nothing_at_all(void) {
  bytes empty = {NULL, 0, 0};
  for (size_t format = 0; format < COUNT(formats); format++) {
    fastio_source *source = open_memory(&empty);
    if (has(formats[format].name)) {
      demand(source, formats[format].name, "auto", 0, 0, FASTIO_NO_OFFSET);
      outcome o = read_out(source, 0, 0);
      CHECK_STATUS(o.status, FASTIO_TRUNCATED);
      CHECK(o.err.offset == 0 && o.err.raw_offset == 0);
    } else {
      fastio_decode_options options = FASTIO_DECODE_OPTIONS_INIT;
      options.compression = formats[format].name;
      CHECK_STATUS(fastio_source_decode(source, &options, NULL), FASTIO_UNSUPPORTED);
      fastio_source_close(source);
    }
  }
  outcome o = read_out(open_memory(&empty), 0, 0);
  CHECK_STATUS(o.status, FASTIO_OK);
  CHECK_INT(o.text.size, 0);
}

/* Something else where an archive is demanded. */
static void not_this(void) {
  static const char *const texts[] = {"1 2 3\n", "x", "\x1f", "\x1f\x8c", "BZ", "BZx", "\x28\xb5", "PK\3\4"};
  for (size_t format = 0; format < COUNT(formats); format++)
    for (size_t i = 0; i < COUNT(texts) && has(formats[format].name) && formats[format].is_told; i++) {
      bytes b = {NULL, 0, 0};
      add(&b, texts[i], strlen(texts[i]));
      const bool may_be = fastio__format_begins(formats[format].format, b.data, b.size);
      for (int device = 0; device < 2; device++) {
        feed f = feed_of(&b, 1);
        fastio_source *source = device ? open_feed(&f) : open_memory(&b);
        demand(source, formats[format].name, "auto", 0, next_random(2), FASTIO_NO_OFFSET);
        outcome o = read_out(source, 0, 0);
        CHECK_STATUS(o.status, may_be ? FASTIO_TRUNCATED : FASTIO_CORRUPT);
        CHECK_INT(o.err.offset, 0);
        CHECK_INT(o.err.raw_offset, may_be ? b.size : 0);
      }
      free(b.data);
    }
}

/* ---- damage ---- */

static size_t decoded_before(const bytes *archive, const char *name, size_t cut) {
  bytes part = *archive;
  part.size = cut;
  fastio_source *source = open_memory(&part);
  demand(source, name, NULL, 0, 0, FASTIO_NO_OFFSET);
  outcome o = read_out(source, 1, 0);
  free(o.text.data);
  return o.text.size;
}

/* Whatever the pieces, the source and the threads: the same fault, all that precedes the damage (but for what ISA-L
 * can't tell from it, a copy), and with a checksum either an error or the right text. */
static void check_damaged(const bytes *archive, const bytes *text, const char *name, size_t damage, bool has_checksum) {
  const size_t sure = decoded_before(archive, name, damage), least = sure > 258 ? sure - 258 : 0;
  fastio_status first = FASTIO_OK;
  for (int round = 0; round < 4; round++) {
    feed f = feed_of(archive, 1 + next_random(next_random(2) ? 9 : 3000));
    fastio_source *source = round % 2 ? open_feed(&f) : open_memory(archive);
    demand(source, name, NULL, 0, 0, FASTIO_NO_OFFSET);
    outcome o = read_out(source, 1 + (unsigned)round % 3, round == 2 ? 300000 : 0);
    CHECK(o.err.status == o.status);
    if (round == 0) first = o.status;
    CHECK_STATUS(o.status, first);
    if (o.status == FASTIO_CORRUPT || o.status == FASTIO_TRUNCATED) {
      CHECK_INT(o.err.offset, o.text.size);
      CHECK(o.err.raw_offset <= archive->size);
    } else {
      CHECK(o.status == FASTIO_OK || o.status == FASTIO_UNSUPPORTED || o.status == FASTIO_TOO_LARGE);
    }
    check_that(o.text.size >= least && memcmp(o.text.data ? o.text.data : text->data, text->data, least) == 0, __FILE__,
               __LINE__, "%s, damaged at %zu: %zu bytes, of %zu before it", name, damage, o.text.size, sure);
    if (has_checksum && o.status == FASTIO_OK) is_text(&o.text, text, "a flipped bit that no checksum sees", __LINE__);
    free(o.text.data);
  }
}

static void flips(void) {
  for (size_t format = 0; format < COUNT(formats); format++) {
    bytes text = {NULL, 0, 0}, archive = {NULL, 0, 0};
    bool built = true;
    for (unsigned i = 0; i < (formats[format].is_told ? 3 : 1); i++) {
      size_t start = text.size;
      add_text(&text, 30 + 20 * i, i);
      built = pack(&archive, formats[format].format, text.data + start, text.size - start) && built;
    }
    for (size_t bit = 0; built && bit < 8 * archive.size; bit += 1 + next_random(3)) {
      archive.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
      check_damaged(&archive, &text, formats[format].name, bit / 8,
                    formats[format].format != FASTIO__DEFLATE && formats[format].format != FASTIO__LZ4);
      archive.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    free(text.data);
    free(archive.data);
  }
}

/* Members of several blocks, of which one is damaged: what comes before it comes. */
static void damage_within(void) {
  static const fastio__format several[] = {FASTIO__GZIP, FASTIO__BGZF, FASTIO__ZSTD, FASTIO__LZ4};
  for (size_t i = 0; i < COUNT(several); i++) {
    bytes text = {NULL, 0, 0}, archive = {NULL, 0, 0};
    if (!pack(&archive, several[i], NULL, 0)) continue;
    add_members(&archive, &text, several[i], 3, 200000);
    add_members(&archive, &text, several[i], 3, 900000);
    for (int round = 0; round < 12; round++) {
      size_t at = next_random((unsigned)archive.size);
      archive.data[at] ^= 0x55;
      check_damaged(&archive, &text, fastio__format_name(several[i] == FASTIO__BGZF ? FASTIO__GZIP : several[i]), at,
                    false);
      archive.data[at] ^= 0x55;
    }
    free(text.data);
    free(archive.data);
  }
}

/* A frame that is damaged is none of those bytes that may be ignored. */
static void damage_is_not_trailing(void) {
  for (size_t format = 0; format < COUNT(formats); format++) {
    bytes text = text_of(500, 1), archive = {NULL, 0, 0};
    if (!formats[format].is_told || !pack(&archive, formats[format].format, text.data, text.size)) continue;
    size_t start = archive.size;
    (void)pack(&archive, formats[format].format, text.data, text.size);
    for (size_t at = 10; at < archive.size - start; at += 1 + next_random(20)) {
      archive.data[start + at] ^= 0x11;
      for (unsigned threads = 1; threads <= 2; threads++) {
        fastio_source *source = open_memory(&archive);
        demand(source, "auto", "auto", 0, FASTIO_TRAILING_IGNORE, FASTIO_NO_OFFSET);
        outcome o = read_out(source, threads, 100000);
        CHECK(o.status != FASTIO_OK || o.text.size == 2 * text.size);
        free(o.text.data);
      }
      archive.data[start + at] ^= 0x11;
    }
    free(text.data);
    free(archive.data);
  }
}

/* ---- failures that pass ---- */

/* All that came before a failure is there before it is told; and if the source goes on, so does the text. */
static void passing_failures(void) {
  for (size_t format = 0; format < COUNT(formats); format++) {
    bytes text = {NULL, 0, 0}, archive = {NULL, 0, 0};
    bool built = true;
    for (unsigned i = 0; i < (formats[format].is_told ? 3 : 1); i++) {
      size_t start = text.size;
      add_text(&text, 60 + 10 * i, i);
      built = pack(&archive, formats[format].format, text.data + start, text.size - start) && built;
    }
    for (size_t at = 0; built && at <= archive.size; at++) {
      feed f = feed_of(&archive, 1 + next_random(60));
      fastio_source *source = open_feed(&f);
      bytes got = {NULL, 0, 0}, before = {NULL, 0, 0};
      fastio_error err;
      unsigned threads = 1 + next_random(2);
      f.fail_at = at;
      f.failure = next_random(2) ? FASTIO_CALLBACK_FAILED : FASTIO_OS_ERROR;
      const fastio_status due = f.failure;
      if (!formats[format].is_told) demand(source, formats[format].name, "auto", 0, 0, FASTIO_NO_OFFSET);
      CHECK_STATUS(read_on(source, threads, 0, &got, &err), due);
      bytes part = archive;
      part.size = at;
      feed g = feed_of(&part, 100); /* what the same bytes give where they are cut */
      fastio_source *cut = open_feed(&g);
      fastio_error unused;
      demand(cut, formats[format].name, NULL, 0, 0, FASTIO_NO_OFFSET);
      (void)read_on(cut, 1, 0, &before, &unused);
      fastio_source_close(cut);
      CHECK_INT(got.size, before.size);
      CHECK_STATUS(read_on(source, threads, 0, &got, &err), FASTIO_OK);
      is_text(&got, &text, formats[format].name, __LINE__);
      fastio_source_close(source);
      free(got.data);
      free(before.data);
    }
    free(text.data);
    free(archive.data);
  }
}

/* The file's bytes by a read that fails once: members that are at hand come first, on any number of threads. */
typedef struct failing_reads {
  int left;
  size_t given;
} failing_reads;

#ifndef _WIN32
static int64_t failing_read(void *ctx, int fd, void *data, size_t size) {
  failing_reads *f = ctx;
  if (f->left-- == 0) return -EIO;
  ssize_t got = read(fd, data, size < 100000 ? size : 100000);
  if (got > 0) f->given += (size_t)got;
  return got < 0 ? -errno : got;
}

static void passing_failures_of_files(void) {
  bytes text = {NULL, 0, 0}, archive = {NULL, 0, 0};
  if (!pack(&archive, FASTIO__GZIP, NULL, 0)) return;
  add_members(&archive, &text, FASTIO__GZIP, 60, 30000);
  store(archive.data, archive.size, "wb");
  for (int reads = 0; reads < 4; reads++)
    for (unsigned threads = 1; threads <= 4; threads++) {
      failing_reads failing = {reads, 0};
      fastio_env env = FASTIO_ENV_INIT;
      fastio_source *source = NULL;
      bytes got = {NULL, 0, 0};
      fastio_error err;
      env.ctx = &failing;
      env.read = failing_read;
      CHECK_STATUS(fastio_source_open(path, &env, &source, NULL), FASTIO_OK);
      CHECK_STATUS(read_on(source, threads, 0, &got, &err), FASTIO_OS_ERROR);
      CHECK_INT(err.os_error, EIO);
      CHECK_INT(got.size, decoded_before(&archive, "gzip", failing.given));
      CHECK_STATUS(read_on(source, threads, 0, &got, &err), FASTIO_OK);
      is_text(&got, &text, "after a failure", __LINE__);
      fastio_source_close(source);
      free(got.data);
    }
  free(text.data);
  free(archive.data);
}

/* A pipe that has nothing for now: whatever has come is decoded before somebody waits, and nothing is settled by it. */
static void slow_pipes(void) {
  bytes archive = {NULL, 0, 0};
  if (!has("gzip")) return;
  for (int i = 0; i < 9; i++) add_stored(&archive, "123\n", 4);
  for (unsigned threads = 1; threads <= 4; threads++)
    for (size_t first = 0; first <= archive.size; first++) {
      int ends[2];
      fastio_source *source = NULL;
      bytes got = {NULL, 0, 0};
      fastio_error err;
      CHECK(pipe(ends) == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
      CHECK(write(ends[1], archive.data, first) == (ssize_t)first);
      CHECK_STATUS(fastio_source_fd(ends[0], NULL, &source, NULL), FASTIO_OK);
      CHECK_STATUS(read_on(source, threads, 0, &got, &err), FASTIO_OS_ERROR);
      CHECK_INT(err.os_error, EAGAIN);
      CHECK(got.size >= first / 27 * 4);
      CHECK(write(ends[1], archive.data + first, archive.size - first) == (ssize_t)(archive.size - first));
      CHECK_STATUS(read_on(source, threads, 0, &got, &err), FASTIO_OS_ERROR);
      CHECK_INT(got.size, 36);
      close(ends[1]);
      CHECK_STATUS(read_on(source, threads, 0, &got, &err), FASTIO_OK);
      CHECK_INT(got.size, 36);
      fastio_source_close(source);
      close(ends[0]);
      free(got.data);
    }
  free(archive.data);
}

/* ---- files that grow ---- */

static void growing(void) {
  for (size_t format = 0; format < COUNT(formats); format++) {
    bytes text = {NULL, 0, 0}, archive = {NULL, 0, 0};
    bool built = true;
    if (!formats[format].is_told) continue;
    for (unsigned i = 0; i < 3; i++) {
      size_t start = text.size;
      add_text(&text, 50, i);
      built = pack(&archive, formats[format].format, text.data + start, 50) && built;
    }
    for (size_t cut = 10; built && cut < archive.size; cut += 3) {
      fastio_source *source = NULL;
      bytes got = {NULL, 0, 0};
      fastio_error err;
      unsigned threads = 1 + next_random(2);
      store(archive.data, cut, "wb");
      CHECK_STATUS(fastio_source_open(path, NULL, &source, NULL), FASTIO_OK);
      for (int i = 0; i < 3; i++) {
        fastio_status status = read_on(source, threads, 0, &got, &err);
        CHECK(status == FASTIO_TRUNCATED || status == FASTIO_OK);
      }
      store(archive.data + cut, archive.size - cut, "ab");
      CHECK_STATUS(read_on(source, threads, 0, &got, &err), FASTIO_OK);
      is_text(&got, &text, formats[format].name, __LINE__);
      fastio_source_close(source);
      free(got.data);
    }
    free(text.data);
    free(archive.data);
  }
}

/* A file that is empty when the reader comes to it: what it is shows later. */
static void growing_from_nothing(void) {
  for (int kind = 0; kind < 3; kind++) {
    fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
    fastio_source *source = NULL;
    fastio_reader *reader = NULL;
    bytes b = {NULL, 0, 0};
    int64_t value = 0;
    fastio_error err;
    if (kind == 0) ADD(&b, "11 22 ");
    if (kind == 1)
      ADD(&b, "\xFF\xFE"
              "1\0"
              "1\0 \0"
              "2\0"
              "2\0 \0");
    if (kind == 2) add_stored(&b, "11 22 ", 6);
    if (kind == 2 && !has("gzip")) continue;
    options.partial = FASTIO_PARTIAL_HOLD;
    store("", 0, "wb");
    CHECK_STATUS(fastio_source_open(path, NULL, &source, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_reader_open(source, &options, &reader, NULL), FASTIO_OK);
    for (int i = 0; i < 3; i++) CHECK_STATUS(fastio_next_i64(reader, &value, &err), FASTIO_END);
    store(b.data, b.size, "ab");
    CHECK_STATUS(fastio_next_i64(reader, &value, &err), FASTIO_OK);
    CHECK_INT(value, 11);
    CHECK_STATUS(fastio_next_i64(reader, &value, &err), FASTIO_OK);
    CHECK_INT(value, 22);
    CHECK_STATUS(fastio_next_i64(reader, &value, &err), FASTIO_END);
    fastio_reader_close(reader);
    fastio_source_close(source);
    free(b.data);
  }
}

/* ---- whose descriptor it is ---- */

/* A map that loses its pages gives no zeros for text. */
static void lost_pages(void) {
  enum { SIZE = 60000 };
  bytes text = text_of(SIZE, 1), archive = {NULL, 0, 0};
  fastio_map_options options = FASTIO_MAP_OPTIONS_INIT;
  if (has("gzip")) add_stored(&archive, text.data, SIZE);
  for (int kind = has("gzip") ? 0 : 1; kind < 2; kind++) {
    fastio_map *map = NULL;
    fastio_source *source = NULL;
    store(kind ? text.data : archive.data, SIZE, "wb");
    if (kind == 0) store(archive.data + SIZE, archive.size - SIZE, "ab");
    options.flags = FASTIO_MAP_GUARD;
    if (fastio_map_open(path, &options, &map, NULL) != FASTIO_OK) break;
    CHECK_STATUS(fastio_source_map(map, NULL, &source, NULL), FASTIO_OK);
    demand(source, "auto", kind ? "latin-1" : "auto", 0, 0, FASTIO_NO_OFFSET);
    CHECK(truncate(path, 8192) == 0);
    outcome o = read_out(source, 1, 1000);
    CHECK_STATUS(o.status, FASTIO_TRUNCATED);
    CHECK(is_prefix(&o.text, &text));
    fastio_map_close(map);
    free(o.text.data);
  }
  free(text.data);
  free(archive.data);
}
#endif

/* ---- limits ---- */

static void limits(void) {
  for (size_t format = 0; format < COUNT(formats); format++) {
    bytes text = {NULL, 0, 0}, archive = {NULL, 0, 0};
    size_t starts[4], ends[4], count = formats[format].is_told ? 4 : 1;
    bool built = true;
    for (size_t i = 0; i < count; i++) {
      size_t start = text.size;
      starts[i] = archive.size;
      add_text(&text, i == 1 ? 0 : 70000 + 17 * i, (unsigned)i);
      built = pack(&archive, formats[format].format, text.data + start, text.size - start) && built;
      ends[i] = text.size;
    }
    for (int round = 0; built && round < 40; round++) {
      const size_t near = ends[next_random((unsigned)count)];
      const uint64_t most = next_random(2) ? next_random((unsigned)text.size + 10) : near + next_random(5) - 2;
      fastio_source *source = open_memory(&archive);
      size_t large = 0;
      demand(source, formats[format].name, "auto", 0, 0, most);
      outcome o = read_out(source, 1 + (unsigned)round % 4, 0);
      CHECK_STATUS(o.status, most < text.size ? FASTIO_TOO_LARGE : FASTIO_OK);
      CHECK(is_prefix(&o.text, &text));
      CHECK_INT(o.text.size, most < text.size ? most : text.size);
      while (large + 1 < count && ends[large] <= most) large++;
      if (most < text.size) {
        CHECK_INT(o.err.offset, most);
        if (formats[format].format != FASTIO__BGZF) CHECK_INT(o.err.raw_offset, starts[large]);
      }
      free(o.text.data);
    }
    free(text.data);
    free(archive.data);
  }
}

/* A few good bytes behind the limit, and then damage: they are not given. */
static void limits_and_damage(void) {
  bytes archive = {NULL, 0, 0};
  if (!has("gzip")) return;
  add_stored(&archive, "12345678", 8);
  archive.data[archive.size - 1] ^= 1;
  for (uint64_t most = 0; most <= 9; most++)
    for (size_t step = 1; step < 20; step++) {
      fastio_source *source = open_memory(&archive);
      demand(source, "gzip", NULL, 0, 0, most);
      outcome o = read_out(source, 1, step);
      CHECK_STATUS(o.status, most < 8 ? FASTIO_TOO_LARGE : FASTIO_CORRUPT);
      CHECK_INT(o.text.size, most < 8 ? most : 8);
      CHECK_INT(o.err.offset, most < 8 ? most : 8);
      free(o.text.data);
    }
  free(archive.data);
}

/* ---- what only looks like an archive ---- */

static void almost(void) {
  static const struct {
    const char *bytes;
    size_t size;
  } texts[] = {
      {"BZh91", 5},
      {"BZh91AY&SX and more", 19},
      {"BZ", 2},
      {"B", 1},
      {"\x1f", 1},
      {"\x1f\x8b", 2},
      {"\x1f\x8b\x07", 3},
      {"P", 1},
      {"(", 1},
      {"(\xb5/", 3},
      {"(1) a\n", 6},
      {"P*M", 3},
      {"\xfd"
       "7zX",
       4},
      {"\x04", 1},
      {"\x04\x22\x4d", 3},
      {"\xff", 1},
      {"\xfe", 1},
      {"\xfe\xfe", 2},
      {"\0\0\xfe", 3},
      {"\xef\xbb", 2},
      {"80 81\n", 6},
      {"x^2\n", 4},
  };
  for (size_t i = 0; i < COUNT(texts); i++)
    for (int round = 0; round < 6; round++) {
      bytes b = {NULL, 0, 0};
      fastio_source *source;
      add(&b, texts[i].bytes, texts[i].size);
      feed f = feed_of(&b, (size_t)round);
      if (round > 0) source = open_feed(&f);
      else source = open_memory(&b);
      outcome o = read_out(source, 0, 0);
      CHECK_STATUS(o.status, FASTIO_OK);
      is_text(&o.text, &b, "almost an archive", __LINE__);
      free(o.text.data);
      free(b.data);
    }
}

/* ---- text ---- */

/* One character: what it is in the encoding and in UTF-8; what is not valid is replaced. */
typedef struct character {
  const char *raw;
  size_t raw_size;
  const char *utf8;
} character;

#define BAD NULL
#define C(raw, utf8) \
  { raw, sizeof(raw) - 1, utf8 }

/* Of any number of characters, which are all there is in these tests. */
typedef struct alphabet {
  const char *encoding, *mark;
  size_t mark_size;
  character characters[8];
} alphabet;

static const alphabet alphabets[] = {
    {"utf-8",
     "\xEF\xBB\xBF",
     3,
     {C("a", "a"), C("\xC3\xA4", "\xC3\xA4"), C("\xE2\x82\xAC", "\xE2\x82\xAC"),
      C("\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"), C("\xFF", BAD), C("\xE2\x82", BAD), C("\n", "\n")}},
    {"utf-16",
     "\xFF\xFE",
     2,
     {C("a\0", "a"), C("\xE4\0", "\xC3\xA4"), C("\xAC\x20", "\xE2\x82\xAC"), C("\x3D\xD8\x00\xDE", "\xF0\x9F\x98\x80"),
      C("\x00\xDC", BAD), C("\n\0", "\n")}},
    {"utf-16be",
     "",
     0,
     {C("\0a", "a"), C("\0\xE4", "\xC3\xA4"), C("\x20\xAC", "\xE2\x82\xAC"), C("\xD8\x3D\xDE\x00", "\xF0\x9F\x98\x80"),
      C("\xDC\x00", BAD), C("\0\n", "\n")}},
    {"utf-32le",
     "",
     0,
     {C("a\0\0\0", "a"), C("\xAC\x20\0\0", "\xE2\x82\xAC"), C("\x00\xF6\x01\0", "\xF0\x9F\x98\x80"),
      C("\0\0\x11\0", BAD), C("\0\xD8\0\0", BAD), C("\n\0\0\0", "\n")}},
    {"latin-1", "", 0, {C("a", "a"), C("\xE4", "\xC3\xA4"), C("\x80", "\xC2\x80"), C("\n", "\n")}},
    {"windows-1252", "", 0, {C("a", "a"), C("\xE4", "\xC3\xA4"), C("\x80", "\xE2\x82\xAC"), C("\n", "\n")}},
    {"ascii", "", 0, {C("a", "a"), C("\xE4", BAD), C("\n", "\n")}},
    {"gb18030",
     "",
     0,
     {C("a", "a"), C("\xC4\xE3", "\xE4\xBD\xA0"), C("\x81\x30\x81\x30", "\xC2\x80"), C("\xFF", BAD), C("\n", "\n")}},
    {"shift_jis", "", 0, {C("a", "a"), C("\x82\xA0", "\xE3\x81\x82"), C("\xB1", "\xEF\xBD\xB1"), C("\n", "\n")}},
    {"euc-kr", "", 0, {C("a", "a"), C("\xB0\xA1", "\xEA\xB0\x80"), C("\xFF", BAD), C("\n", "\n")}},
    {"iso-2022-jp", /* each ends in ASCII, where every line does */
     "",
     0,
     {C("a", "a"),
      C("\x1B$B\x24\x22\x1B(Bb", "\xE3\x81\x82"
                                 "b"),
      C("\x1B$B\x24\x22\x24\x24\x1B(B ", "\xE3\x81\x82\xE3\x81\x84 "), C("\n", "\n")}},
};

/* The text in the encoding and in UTF-8, and where each byte of the latter comes from. */
typedef struct sample {
  bytes raw, text;
  uint64_t *from; /* of each byte at which a character starts, and of the end; else FASTIO_NO_OFFSET */
  size_t errors;
  uint64_t first_error;
} sample;

static sample make_sample(const alphabet *a, size_t count, int errors, bool with_mark) {
  sample s = {{NULL, 0, 0}, {NULL, 0, 0}, malloc((8 * count + 1) * sizeof(uint64_t)), 0, FASTIO_NO_OFFSET};
  size_t kinds = 0, pending = 0;
  while (kinds < COUNT(a->characters) && a->characters[kinds].raw) kinds++;
  if (with_mark) add(&s.raw, a->mark, a->mark_size);
  for (size_t i = 0; i < count; i++) {
    const character *c = &a->characters[next_random((unsigned)kinds)];
    const size_t run = c->utf8 ? 1 : 1 + next_random(4);
    if (i + 1 == count) c = &a->characters[kinds - 1]; /* a newline, so that nothing is cut short */
    for (size_t k = 0; k < (c->utf8 ? 1 : run); k++) {
      const char *utf8 = c->utf8 ? c->utf8 : errors == FASTIO_ERRORS_REPLACE ? "\xEF\xBF\xBD" : "";
      const size_t size = strlen(utf8);
      if (!c->utf8 && s.errors++ == 0) s.first_error = s.raw.size;
      for (size_t j = 0; j < size; j++) s.from[s.text.size + j] = j ? FASTIO_NO_OFFSET : s.raw.size - pending;
      pending = size ? 0 : pending + c->raw_size; /* what is left out belongs to what follows it */
      add(&s.raw, c->raw, c->raw_size);
      add(&s.text, utf8, size);
    }
  }
  s.from[s.text.size] = s.raw.size - pending;
  return s;
}

static void free_sample(sample *s) {
  free(s->raw.data);
  free(s->text.data);
  free(s->from);
}

static bool is_start(const sample *s, size_t at) { return s->from[at] != FASTIO_NO_OFFSET; }

/* The sums of windows of any size, in order, and some of them again. */
static void check_places(fastio_source *source, const sample *s, const char *name) {
  uint64_t sum = fastio__source_undecoded(source, 0, NULL, 0);
  CHECK_INT(sum, s->from[0]);
  for (size_t at = 0; at < s->text.size;) {
    size_t end = at + 1 + next_random(40), middle;
    if (end > s->text.size) end = s->text.size;
    while (!is_start(s, end)) end++;
    middle = at + next_random((unsigned)(end - at));
    while (!is_start(s, middle)) middle++;
    uint64_t taken = fastio__source_undecoded(source, at, s->text.data + at, end - at);
    if (!check_that(sum + taken == s->from[end], __FILE__, __LINE__, "%s: %zu to %zu took %" PRIu64 ", due %" PRIu64,
                    name, at, end, taken, s->from[end] - sum))
      return;
    if (middle > at) {
      uint64_t part = fastio__source_undecoded(source, at, s->text.data + at, middle - at);
      check_that(sum + part == s->from[middle], __FILE__, __LINE__, "%s: %zu to %zu took %" PRIu64 ", due %" PRIu64,
                 name, at, middle, part, s->from[middle] - sum);
    }
    sum += taken;
    at = end;
  }
}

static void encodings(void) {
  for (size_t i = 0; i < COUNT(alphabets); i++)
    for (int round = 0; round < 24 && fastio_encoding_name(alphabets[i].encoding); round++) {
      const int errors = 1 + round % 2;
      sample s = make_sample(&alphabets[i], 1 + next_random(round < 20 ? 60 : 20000), errors, round % 3 == 0);
      feed f = feed_of(&s.raw, 1 + next_random(next_random(2) ? 4 : 3000));
      fastio_source *source = round % 4 == 3 ? open_memory(&s.raw) : open_feed(&f);
      bytes got = {NULL, 0, 0};
      fastio_decoded decoded;
      fastio_error err;
      demand(source, NULL, alphabets[i].encoding, errors, 0, FASTIO_NO_OFFSET);
      CHECK_STATUS(read_on(source, 1, round % 5 == 4 ? 1 : 0, &got, &err), FASTIO_OK);
      is_text(&got, &s.text, alphabets[i].encoding, __LINE__);
      fastio_source_decoded(source, &decoded);
      CHECK_INT(decoded.errors, s.errors);
      CHECK_INT(decoded.first_error, s.first_error);
      CHECK(decoded.encoding != NULL && decoded.compression == NULL);
      check_places(source, &s, alphabets[i].encoding);
      fastio_source_close(source);
      free(got.data);
      free_sample(&s);
    }
}

/* The first error in strict mode: all before it comes, and then it, for good. */
static void strict(void) {
  for (size_t i = 0; i < COUNT(alphabets); i++)
    for (int round = 0; round < 10 && fastio_encoding_name(alphabets[i].encoding); round++) {
      sample s = make_sample(&alphabets[i], 50, FASTIO_ERRORS_REPLACE, false);
      feed f = feed_of(&s.raw, 1 + next_random(9));
      fastio_source *source = open_feed(&f);
      bytes got = {NULL, 0, 0}, due = {NULL, 0, 0};
      fastio_error err;
      demand(source, NULL, alphabets[i].encoding, 0, 0, FASTIO_NO_OFFSET);
      for (size_t k = 0; k < s.text.size && (s.errors == 0 || s.from[k] != s.first_error); k++)
        add(&due, s.text.data + k, 1);
      for (int again = 0; again < 2; again++) {
        CHECK_STATUS(read_on(source, 1, 0, &got, &err), s.errors ? FASTIO_BAD_ENCODING : FASTIO_OK);
        if (s.errors) CHECK_INT(err.offset, s.first_error);
        is_text(&got, &due, alphabets[i].encoding, __LINE__);
      }
      fastio_source_close(source);
      free(got.data);
      free(due.data);
      free_sample(&s);
    }
}

static void marks(void) {
  static const struct {
    const char *raw;
    size_t size;
    const char *text;
    fastio_status status;
    size_t mark;
    const char *encoding;
  } cases[] = {
      {"\xFF\xFE", 2, "", FASTIO_OK, 2, "UTF-16"},
      {"\xFE\xFF", 2, "", FASTIO_OK, 2, "UTF-16"},
      {"\xFF\xFE\0\0", 4, "", FASTIO_OK, 4, "UTF-32"},
      {"\0\0\xFE\xFF", 4, "", FASTIO_OK, 4, "UTF-32"},
      {"\xEF\xBB\xBF", 3, "\xEF\xBB\xBF", FASTIO_OK, 0, NULL}, /* the readers skip it */
      {"\xFF\xFE"
       "a",
       3, "", FASTIO_BAD_ENCODING, 2, "UTF-16"},
      {"\xFF\xFE"
       "a\0\0",
       5, "a", FASTIO_BAD_ENCODING, 2, "UTF-16"},
      {"\xFF\xFE"
       "a\0\x3D\xD8",
       6, "a", FASTIO_BAD_ENCODING, 2, "UTF-16"},
      {"\xFE\xFF\0a\xD8\x3D\xDE", 7, "a", FASTIO_BAD_ENCODING, 2, "UTF-16"},
      {"\xFF\xFE\0\0a\0\0\0b", 9, "a", FASTIO_BAD_ENCODING, 4, "UTF-32"},
  };
  for (size_t i = 0; i < COUNT(cases); i++)
    for (int round = 0; round < 12; round++) {
      bytes b = {NULL, 0, 0}, got = {NULL, 0, 0}, due = {NULL, 0, 0};
      fastio_decoded decoded;
      fastio_error err;
      fastio_source *source;
      add(&due, cases[i].text, strlen(cases[i].text));
      if (round % 3 == 2 && has("gzip")) add_stored(&b, cases[i].raw, cases[i].size);
      else add(&b, cases[i].raw, cases[i].size);
      feed f = feed_of(&b, 1 + next_random(4));
      source = round % 2 ? open_feed(&f) : open_memory(&b);
      CHECK_STATUS(read_on(source, 1, (size_t)round % 4, &got, &err), cases[i].status);
      is_text(&got, &due, "marks", __LINE__);
      if (cases[i].status != FASTIO_OK) CHECK(err.offset > cases[i].mark - 1 && err.offset < cases[i].size);
      fastio_source_decoded(source, &decoded);
      CHECK_INT(fastio__source_undecoded(source, 0, NULL, 0), cases[i].mark);
      CHECK(cases[i].encoding ? decoded.encoding && strcmp(decoded.encoding, cases[i].encoding) == 0
                              : decoded.encoding == NULL);
      fastio_source_close(source);
      free(b.data);
      free(got.data);
      free(due.data);
    }
}

/* Text that ends within a character, which comes later. */
static void growing_text(void) {
  static const uint8_t raw[] = {0xFF, 0xFE, 'a', 0, 0x3D, 0xD8, 0x00, 0xDE, 'b', 0};
  bytes b = {NULL, 0, 0};
  add(&b, raw, sizeof raw);
  for (size_t shown = 2; shown <= sizeof raw; shown++) {
    feed f = feed_of(&b, 3);
    fastio_source *source = open_feed(&f);
    bytes got = {NULL, 0, 0};
    fastio_error err;
    f.shown = shown;
    for (int i = 0; i < 2; i++)
      CHECK_STATUS(read_on(source, 1, 0, &got, &err), shown % 2 || shown == 6 ? FASTIO_BAD_ENCODING : FASTIO_OK);
    f.shown = SIZE_MAX;
    CHECK_STATUS(read_on(source, 1, 0, &got, &err), FASTIO_OK);
    CHECK_BYTES(got.data, got.size,
                "a\xF0\x9F\x98\x80"
                "b");
    fastio_source_close(source);
    free(got.data);
  }
  free(b.data);
}

/* More places than are kept: those at the end are still right. */
static void many_corrections(void) {
  enum { CORRECTIONS = 1200000, PERIOD = 3 };
  for (int errors = 1; errors <= 2; errors++) {
    bytes raw = {NULL, 0, 0}, got = {NULL, 0, 0};
    const size_t period = errors == FASTIO_ERRORS_REPLACE ? 2 + 3 : 2;
    fastio_decoded decoded;
    fastio_error err;
    for (int i = 0; i < CORRECTIONS; i++)
      ADD(&raw, "a\xFF"
                "b");
    fastio_source *source = open_memory(&raw);
    demand(source, NULL, "utf-8", errors, 0, FASTIO_NO_OFFSET);
    CHECK_STATUS(read_on(source, 1, 100000, &got, &err), FASTIO_OK);
    CHECK_INT(got.size, CORRECTIONS * period);
    fastio_source_decoded(source, &decoded);
    CHECK_INT(decoded.errors, CORRECTIONS);
    CHECK_INT(decoded.first_error, 1);
    for (size_t count = 1; count < 400000; count = 3 * count + 1) {
      const size_t start = got.size - count * period;
      CHECK_INT(fastio__source_undecoded(source, start, got.data + start, count * period), PERIOD * count);
    }
    fastio_source_close(source);
    free(raw.data);
    free(got.data);
  }
}

/* ---- what is asked for ---- */

static void orders(void) {
  fastio_decode_options options = FASTIO_DECODE_OPTIONS_INIT;
  bytes b = {NULL, 0, 0};
  fastio_error err;
  uint8_t byte;
  size_t got;
  ADD(&b, "abc");
  fastio_source *source = open_memory(&b);
  options.compression = "zip";
  CHECK_STATUS(fastio_source_decode(source, &options, &err), FASTIO_INVALID_ARGUMENT);
  options.compression = "auto";
  options.encoding = "klingon";
  CHECK_STATUS(fastio_source_decode(source, &options, &err), FASTIO_INVALID_ARGUMENT);
  options.encoding = "auto";
  options.errors = 3;
  CHECK_STATUS(fastio_source_decode(source, &options, &err), FASTIO_INVALID_ARGUMENT);
  options.errors = 0;
  options.trailing = 2;
  CHECK_STATUS(fastio_source_decode(source, &options, &err), FASTIO_INVALID_ARGUMENT);
  options.trailing = 0;
  options.size = 0;
  CHECK_STATUS(fastio_source_decode(source, &options, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_source_decode(source, NULL, &err), FASTIO_OK);
  CHECK_STATUS(fastio__source_begin(source, FASTIO__AS_TEXT, 1, &err), FASTIO_OK);
  CHECK_STATUS(fastio_source_decode(source, NULL, &err), FASTIO_INVALID_ARGUMENT);
  CHECK(source->kind == FASTIO__MEMORY && fastio_source_size(source) == 3);
  fastio_source_close(source);
  source = open_memory(&b);
  CHECK_STATUS(fastio__source_read(source, &byte, 1, &got, &err), FASTIO_OK);
  CHECK_STATUS(fastio_source_decode(source, NULL, &err), FASTIO_INVALID_ARGUMENT);
  fastio_source_close(source);
  free(b.data);
}

/* Looking ahead takes nothing, between reads and at the end. */
static void peeks(void) {
  for (size_t format = 0; format < COUNT(formats); format++) {
    bytes text = text_of(200000, 1), archive = {NULL, 0, 0}, got = {NULL, 0, 0};
    uint8_t room[5000];
    if (!formats[format].is_told || !pack(&archive, formats[format].format, text.data, text.size)) continue;
    fastio_source *source = open_memory(&archive);
    CHECK_STATUS(fastio__source_begin(source, FASTIO__AS_TEXT, 2, NULL), FASTIO_OK);
    for (size_t size = 1; size > 0;) {
      const uint8_t *data;
      size_t seen;
      fastio_error err;
      CHECK_STATUS(fastio__source_peek(source, next_random(70000), &data, &seen, &err), FASTIO_OK);
      CHECK(seen <= text.size - got.size && memcmp(data, text.data + got.size, seen) == 0);
      CHECK_STATUS(fastio__source_read(source, room, 1 + next_random(sizeof room), &size, &err), FASTIO_OK);
      add(&got, room, size);
      CHECK_INT(source->position, got.size);
    }
    is_text(&got, &text, "peeks", __LINE__);
    fastio_source_close(source);
    free(text.data);
    free(archive.data);
    free(got.data);
  }
}

/* Two readers, one after the other: the second goes on where the first has stopped taking. */
static void two_readers(void) {
  bytes archive = {NULL, 0, 0}, text = {NULL, 0, 0};
  fastio_source *source;
  fastio_column *column = NULL;
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  fastio_table *sample_rows = NULL;
  fastio_csv_options found;
  fastio_error err;
  if (!has("gzip")) return;
  for (int i = 0; i < 1000; i++) {
    char line[16];
    int length = sprintf(line, "%d,%d\n", i, 2 * i);
    add(&text, line, (size_t)length);
  }
  add_stored(&archive, text.data, text.size);
  source = open_memory(&archive);
  if (CHECK_STATUS(fastio_sniff(source, NULL, &found, &sample_rows, &err), FASTIO_OK)) fastio_table_free(sample_rows);
  if (CHECK_STATUS(fastio_read_lines(source, &options, &column, &err), FASTIO_OK)) {
    CHECK_INT(column->length, 1000);
    fastio_column_free(column);
  }
  if (CHECK_STATUS(fastio_read_lines(source, &options, &column, &err), FASTIO_OK)) {
    CHECK_INT(column->length, 0);
    fastio_column_free(column);
  }
  fastio_source_close(source);
  free(archive.data);
  free(text.data);
}

/* ---- memory ---- */

typedef struct memory_case {
  bytes archive;
  const char *encoding;
  size_t size;
} memory_case;

static fastio_status read_with(const fastio_env *env, const void *ctx, fastio_error *err) {
  const memory_case *m = ctx;
  fastio_source *source = NULL;
  uint8_t room[1000];
  size_t got = 1, sum = 0;
  feed f = feed_of(&m->archive, 100);
  fastio_device device = {&f, read_feed, NULL};
  fastio_decode_options options = FASTIO_DECODE_OPTIONS_INIT;
  fastio_status status = fastio_source_device(&device, env, &source, err);
  options.encoding = m->encoding;
  options.errors = FASTIO_ERRORS_REPLACE;
  if (status != FASTIO_OK) return status;
  status = fastio_source_decode(source, &options, err);
  if (status == FASTIO_OK) status = fastio__source_begin(source, FASTIO__AS_TEXT, 2, err);
  while (status == FASTIO_OK && got > 0) {
    status = fastio__source_read(source, room, sizeof room, &got, err);
    sum += got;
  }
  CHECK(status == FASTIO_NO_MEMORY || (status == FASTIO_OK && sum == m->size));
  fastio_source_close(source);
  return status;
}

static void no_memory(void) {
  for (size_t format = 0; format < COUNT(formats); format++)
    for (int encoded = 0; encoded < 2; encoded++) {
      bytes text = text_of(3000, 1);
      memory_case m = {{NULL, 0, 0}, encoded ? "latin-1" : "auto", 6000};
      if (!formats[format].is_told || !pack(&m.archive, formats[format].format, text.data, text.size)) continue;
      add(&m.archive, m.archive.data, 0);
      bytes twice = {NULL, 0, 0};
      add_all(&twice, &m.archive);
      add_all(&twice, &m.archive);
      free(m.archive.data);
      m.archive = twice;
      books_fail_each(read_with, &m, formats[format].name, false);
      books_fail_each(read_with, &m, formats[format].name, true);
      free(m.archive.data);
      free(text.data);
    }
  memory_case m = {{NULL, 0, 0}, "ascii", 600};
  for (int i = 0; i < 150; i++) ADD(&m.archive, "a\x80");
  books_fail_each(read_with, &m, "corrections", false);
  free(m.archive.data);
}

int main(void) {
#ifndef _WIN32
  int fd = mkstemp(path);
  if (fd < 0) return 1;
  close(fd);
#else
  strcpy(path, "fastio-decode.tmp");
#endif
  kinds();
  members_of_gzip();
  frames();
  skipped_only();
  trailing();
  padding_of_xz();
  much_trailing();
  cuts();
  nothing_at_all();
  not_this();
  flips();
  damage_within();
  damage_is_not_trailing();
  passing_failures();
#ifndef _WIN32
  passing_failures_of_files();
  slow_pipes();
  growing();
  growing_from_nothing();
  lost_pages();
#endif
  limits();
  limits_and_damage();
  almost();
  encodings();
  strict();
  marks();
  growing_text();
  many_corrections();
  orders();
  peeks();
  two_readers();
  no_memory();
  remove(path);
  return check_report();
}
