/* make_data.c - writes one benchmark input to standard output, the same bytes on every machine.
 *
 * usage: make_data KIND COUNT
 * KIND is sequential, random_ints, floats6, floats17, short_lines, long_lines, log or bytes; or a table with a header:
 * csv_numeric, csv_wide, csv_mixed, words or points. */
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

static void records8(uint64_t i) { used += (size_t)sprintf(record(), "%07u\n", (unsigned)(i % 10000000)); }

/* Lines of 20 to 140 bytes that end in CRLF. */
static void crlf(uint64_t i) {
  (void)i;
  letters(20 + random_below(121));
  memcpy(buffer + used - 1, "\r\n", 2);
  used += 1;
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

/* ---- tables ---- */

/* An integer of 1 to 9 digits, each length as likely as another. */
static size_t put_int(char *out) {
  static const uint32_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
  uint64_t length = random_below(9), low = length ? tens[length] : 0;
  return put_u64(out, low + random_below(tens[length + 1] - low));
}

/* -10000 to 10000 with that many decimals. */
static size_t put_fixed(char *out, unsigned decimals) {
  uint64_t scale = 1;
  for (unsigned k = 0; k < decimals; k++) scale *= 10;
  uint64_t value = random_below(10000 * scale);
  size_t n = 0;
  if (next_random() & 1) out[n++] = '-';
  n += put_u64(out + n, value / scale);
  out[n++] = '.';
  while (scale /= 10) out[n++] = (char)('0' + value / scale % 10);
  return n;
}

/* One letter a column, 'i' for integers and 'f' for six decimals, with the names i0, f1, i2, ... */
static void numbers(uint64_t i, const char *columns, char separator) {
  if (i == 0) {
    record();
    for (int k = 0; columns[k]; k++) used += (size_t)sprintf(buffer + used, "%c%d%c", columns[k], k, separator);
    buffer[used - 1] = '\n';
  }
  char *out = record();
  size_t n = 0;
  for (int k = 0; columns[k]; k++) {
    n += columns[k] == 'i' ? put_int(out + n) : put_fixed(out + n, 6);
    out[n++] = separator;
  }
  out[n - 1] = '\n';
  used += n;
}

static void csv_numeric(uint64_t i) { numbers(i, "ififififif", ','); }
static void csv_wide(uint64_t i) { numbers(i, "ifififififififififif", ','); }
static void points(uint64_t i) { numbers(i, "ff", ' '); }

/* Columns that are aligned to the right with blanks. */
static void words(uint64_t i) {
  static const char columns[] = "ififif";
  char *out = record();
  if (i == 0) out += sprintf(out, "%9s%13s%11s%13s%11s%13s\n", "i0", "f1", "i2", "f3", "i4", "f5");
  for (int k = 0; columns[k]; k++) {
    char text[32];
    int n = (int)(columns[k] == 'i' ? put_int(text) : put_fixed(text, 6));
    int width = k == 0 ? 9 : columns[k] == 'i' ? 11 : 13;
    memset(out, ' ', (size_t)(width - n));
    memcpy(out + width - n, text, (size_t)n);
    out += width;
  }
  *out++ = '\n';
  used = (size_t)(out - buffer);
}

static size_t put_letters(char *out, uint64_t length) {
  for (uint64_t k = 0; k < length; k++) out[k] = (char)('a' + random_below(26));
  return (size_t)length;
}

/* Two words with a comma between them, in quotes; one in ten has a doubled quote too. */
static size_t put_quoted(char *out) {
  size_t n = 0;
  out[n++] = '"';
  n += put_letters(out + n, 2 + random_below(5));
  out[n++] = ',';
  out[n++] = ' ';
  if (random_below(10) == 0) out[n++] = '"', out[n++] = '"';
  n += put_letters(out + n, 2 + random_below(5));
  out[n++] = '"';
  return n;
}

/* Eight columns: integers (id; count, one in 25 empty), floats (price with two decimals; share with six, one in 25
 * empty), strings (city, one of eight; name, two in five quoted: 5% of all fields; code, one in 25 empty), a date. */
static void csv_mixed(uint64_t i) {
  static const char *const cities[] = {"Oslo", "Lima", "Berlin", "Nairobi", "Osaka", "Quito", "Porto", "San Jose"};
  char *out = record();
  if (i == 0) out += sprintf(out, "id,count,price,city,name,share,code,day\n");
  out += put_u64(out, 1000000 + i);
  *out++ = ',';
  if (random_below(25)) out += put_int(out);
  *out++ = ',';
  out += put_fixed(out, 2);
  out += sprintf(out, ",%s,", cities[random_below(8)]);
  out += random_below(5) < 2 ? put_quoted(out) : put_letters(out, 3 + random_below(10));
  *out++ = ',';
  if (random_below(25)) out += put_fixed(out, 6);
  *out++ = ',';
  if (random_below(25)) out += put_letters(out, 3);
  uint64_t month = 1 + random_below(12), day = 1 + random_below(28);
  char date[] = ",2000-00-00\n";
  uint64_t year = random_below(100);
  date[3] = (char)('0' + year / 10), date[4] = (char)('0' + year % 10);
  date[6] = (char)('0' + month / 10), date[7] = (char)('0' + month % 10);
  date[9] = (char)('0' + day / 10), date[10] = (char)('0' + day % 10);
  memcpy(out, date, sizeof date - 1);
  used = (size_t)(out + sizeof date - 1 - buffer);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*write)(uint64_t);
  } kinds[] = {{"sequential", sequential},
               {"random_ints", random_ints},
               {"floats6", floats6},
               {"floats17", floats17},
               {"short_lines", short_lines},
               {"long_lines", long_lines},
               {"log", log_text},
               {"bytes", bytes},
               {"records8", records8},
               {"crlf", crlf},
               {"csv_numeric", csv_numeric},
               {"csv_wide", csv_wide},
               {"csv_mixed", csv_mixed},
               {"words", words},
               {"points", points}};
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
