/* make_data.c - writes one benchmark input to standard output, the same bytes on every machine.
 *
 * usage: make_data KIND COUNT
 * KIND is sequential, random_ints, floats6, floats17, short_lines, long_lines, log or bytes. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 20260101; /* the fixed seed */

/* splitmix64: every state gives an independent 64-bit value. */
static uint64_t next_random(void) {
  uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static uint64_t random_below(uint64_t n) { return (uint64_t)(((unsigned __int128)next_random() * n) >> 64); }

static char buffer[1 << 16];
static size_t used;

static void flush_buffer(void) {
  if (fwrite(buffer, 1, used, stdout) != used) exit(1);
  used = 0;
}

/* Room for one record of at most 512 bytes; the caller advances `used`. */
static char *record(void) {
  if (used + 512 > sizeof buffer) flush_buffer();
  return buffer + used;
}

static size_t put_u64(char *out, uint64_t value) {
  char digits[20];
  size_t n = 0;
  do digits[n++] = (char)('0' + value % 10);
  while (value /= 10);
  for (size_t i = 0; i < n; i++) out[i] = digits[n - 1 - i];
  return n;
}

static void sequential(uint64_t i) {
  char *out = record();
  size_t n = put_u64(out, i);
  out[n] = '\n';
  used += n + 1;
}

/* 1 to 19 digits, each length as likely as another, half of them negative, all within int64. */
static void random_ints(uint64_t i) {
  (void)i;
  char *out = record();
  uint64_t length = 1 + random_below(19), low = length == 1 ? 0 : 1, high = 10;
  for (uint64_t k = 1; k < length; k++) {
    low *= 10;
    high = k == 18 ? (uint64_t)INT64_MAX : high * 10;
  }
  size_t n = 0;
  if (next_random() & 1) out[n++] = '-';
  n += put_u64(out + n, low + random_below(high - low));
  out[n] = '\n';
  used += n + 1;
}

static void floats6(uint64_t i) {
  (void)i;
  char *out = record();
  uint64_t micro = random_below(10000u * 1000000u);
  size_t n = 0;
  if (next_random() & 1) out[n++] = '-';
  n += put_u64(out + n, micro / 1000000);
  out[n++] = '.';
  for (uint64_t scale = 100000; scale; scale /= 10) out[n++] = (char)('0' + micro / scale % 10);
  out[n] = '\n';
  used += n + 1;
}

static void floats17(uint64_t i) {
  (void)i;
  char *out = record();
  double unit = (double)(next_random() >> 11) * 0x1p-53;
  used += (size_t)snprintf(out, 512, "%.17g\n", (unit - 0.5) * 20000);
}

static void letters(uint64_t length) {
  char *out = record();
  for (uint64_t k = 0; k < length; k++) out[k] = "abcdefghijklmnopqrstuvwxyz012345"[next_random() >> 59];
  out[length] = '\n';
  used += length + 1;
}

static void short_lines(uint64_t i) {
  (void)i;
  letters(5 + random_below(9)); /* 5 to 13, so that a line with its end has 10 bytes on average */
}

static void long_lines(uint64_t i) {
  (void)i;
  letters(99);
}

static void log_text(uint64_t i) {
  static const char *const levels[] = {"INFO", "INFO", "INFO", "DEBUG", "WARN", "ERROR"};
  static const char *const paths[] = {"/index.html", "/api/v1/items", "/api/v1/users/me", "/static/app.js", "/health"};
  char *out = record();
  uint64_t r = next_random();
  used += (size_t)snprintf(
      out, 512, "2026-03-%02uT%02u:%02u:%02u.%03uZ %-5s worker[%u] 10.0.%u.%u \"GET %s?id=%u HTTP/1.1\" %u %u %.1fms\n",
      (unsigned)(1 + i / 3000000 % 28), (unsigned)(i / 125000 % 24), (unsigned)(i / 2083 % 60), (unsigned)(i / 34 % 60),
      (unsigned)(i * 29 % 1000), levels[r % 6], (unsigned)(r >> 8 & 63), (unsigned)(r >> 16 & 255),
      (unsigned)(r >> 24 & 255), paths[(r >> 32) % 5], (unsigned)(r >> 40 & 0xFFFFF), r >> 60 ? 200u : 404u,
      (unsigned)(r >> 44 & 0xFFFF), (double)(r >> 52) / 10);
}

static void bytes(uint64_t i) {
  (void)i;
  char *out = record();
  for (size_t k = 0; k < 256; k += 8) {
    uint64_t word = next_random();
    memcpy(out + k, &word, 8);
  }
  used += 256;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*write)(uint64_t);
  } kinds[] = {{"sequential", sequential},   {"random_ints", random_ints}, {"floats6", floats6}, {"floats17", floats17},
               {"short_lines", short_lines}, {"long_lines", long_lines},   {"log", log_text},    {"bytes", bytes}};
  if (argc != 3) return 2;
  uint64_t count = strtoull(argv[2], NULL, 10);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    if (strcmp(kinds[k].name, argv[1])) continue;
    for (uint64_t i = 0; i < count; i++) kinds[k].write(i);
    flush_buffer();
    return fflush(stdout) ? 1 : 0;
  }
  return 2;
}
