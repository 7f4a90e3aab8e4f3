/* How fast libraries decompress an archive of gzip members, for docs/dependencies.md. Processor time, the median of nine
 * rounds in which each takes its turn; CRC-32 checked by all of them.
 *
 *   cc -O2 -DFASTIO_WITH_ZLIB -DFASTIO_WITH_ISAL -Ilibfastio/include tools/inflate_speed.c \
 *     libfastio/src/{codec,core,platform}/*.c -lz -lisal -ldeflate -o build/inflate_speed
 *   shuf -i 0-999999999 -n 10000000 | gzip >build/ints.gz && build/inflate_speed build/ints.gz */
#include "../libfastio/src/codec/codec.h"

#include <isa-l/igzip_lib.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zlib.h>

enum { WINDOW = 256 << 10, ROUNDS = 9 };
static uint8_t window[WINDOW];
static uint8_t *archive, *whole;
static size_t archive_size, whole_size;

/* Each returns how much there was; 0: a failure. Those that need it whole decompress into `whole`. */

static size_t by_zlib(void) {
  z_stream z = {0};
  size_t total = 0;
  z.next_in = archive;
  z.avail_in = (uInt)archive_size;
  if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK) return 0;
  for (int result = Z_OK; z.avail_in > 0 || result == Z_OK;) {
    z.next_out = window;
    z.avail_out = WINDOW;
    result = inflate(&z, Z_NO_FLUSH);
    total += WINDOW - z.avail_out;
    if (result == Z_STREAM_END && z.avail_in > 0) (void)inflateReset(&z);
    else if (result != Z_OK && result != Z_STREAM_END) return 0;
  }
  (void)inflateEnd(&z);
  return total;
}

static size_t by_isal(void) {
  static struct inflate_state s;
  size_t total = 0;
  isal_inflate_init(&s);
  s.crc_flag = ISAL_GZIP;
  s.next_in = archive;
  s.avail_in = (uint32_t)archive_size;
  while (s.avail_in > 0 || s.block_state != ISAL_BLOCK_FINISH) {
    s.next_out = window;
    s.avail_out = WINDOW;
    if (isal_inflate(&s) != ISAL_DECOMP_OK) return 0;
    total += WINDOW - s.avail_out;
    if (s.block_state != ISAL_BLOCK_FINISH || s.avail_in == 0) continue;
    isal_inflate_reset(&s);
    s.crc_flag = ISAL_GZIP;
  }
  return total;
}

static size_t by_libdeflate(void) {
  struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
  size_t at = 0, total = 0, taken, got;
  for (; at < archive_size; at += taken, total += got)
    if (libdeflate_gzip_decompress_ex(d, archive + at, archive_size - at, whole + total, whole_size - total, &taken,
                                      &got) != LIBDEFLATE_SUCCESS)
      return 0;
  libdeflate_free_decompressor(d);
  return total;
}

static size_t by_fastio(void) {
  fastio__decoder *decoder;
  fastio__flow flow = {archive, archive_size, NULL, 0};
  size_t total = 0;
  bool ended = false;
  if (fastio__decoder_new(FASTIO__GZIP, NULL, &decoder, NULL) != FASTIO_OK) return 0;
  while (flow.in_size > 0 || !ended) {
    flow.out = window;
    flow.out_size = WINDOW;
    if (fastio__decoder_run(decoder, &flow, &ended, NULL) != FASTIO_OK) return 0;
    total += WINDOW - flow.out_size;
  }
  fastio__decoder_free(decoder);
  return total;
}

/* ---- measuring ---- */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool load(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0) return false;
  archive_size = (size_t)ftell(file);
  rewind(file);
  archive = malloc(archive_size);
  if (!archive || fread(archive, 1, archive_size, file) != archive_size) return false;
  whole_size = by_zlib() + 1;
  whole = calloc(whole_size, 1);
  if (whole) memset(whole, 1, whole_size);
  return fclose(file) == 0 && whole != NULL && whole_size > 1;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    size_t (*run)(void);
  } ways[] = {{"zlib", by_zlib}, {"libdeflate", by_libdeflate}, {"ISA-L", by_isal}, {"libfastio", by_fastio}};
  enum { WAYS = sizeof ways / sizeof *ways };
  static double times[WAYS][ROUNDS];
  if (argc < 2 || !load(argv[1])) return 1;
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < WAYS; i++) {
      const double start = now();
      if (ways[i].run() != whole_size - 1) return fprintf(stderr, "%s fails\n", ways[i].name), 1;
      times[i][round] = now() - start;
    }
  for (int i = 0; i < WAYS; i++) {
    qsort(times[i], ROUNDS, sizeof(double), compare);
    printf("%-12s%6.1f ms%7.0f MB/s\n", ways[i].name, 1e3 * times[i][ROUNDS / 2],
           (double)(whole_size - 1) * 1e-6 / times[i][ROUNDS / 2]);
  }
  return 0;
}
