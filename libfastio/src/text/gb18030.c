/* GB18030: one byte (ASCII), two (a table) or four (runs within the Basic Multilingual Plane, a formula beyond it). */
#include "gb18030.h"

#include "encoding.h"

enum { BEYOND = 189000 }; /* the linear number of U+10000 */

/* The run that starts last of those at or before `value`, by character or by number. */
static const fastio__gb18030_run *find_run(uint32_t value, bool by_number) {
  size_t low = 0, high = fastio__gb18030_run_count;
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    const fastio__gb18030_run *run = &fastio__gb18030_runs[middle];
    if ((by_number ? run->number : run->code) <= value) low = middle;
    else high = middle;
  }
  return &fastio__gb18030_runs[low];
}

/* The linear number of a character that has four bytes; UINT32_MAX: it has two. */
static uint32_t number_of(uint32_t c) {
  const fastio__gb18030_run *run;
  if (c >= 0x10000) return BEYOND + c - 0x10000;
  run = find_run(c, false);
  return c - run->code < run->length ? run->number + c - run->code : UINT32_MAX;
}

/* The character, UINT32_MAX if there is none. */
static uint32_t code_of(uint32_t number) {
  const fastio__gb18030_run *run;
  if (number >= BEYOND) return number - BEYOND < 0x100000 ? number - BEYOND + 0x10000 : UINT32_MAX;
  run = find_run(number, true);
  return number - run->number < run->length ? run->code + number - run->number : UINT32_MAX;
}

static bool is_digit(uint8_t byte) { return byte >= 0x30 && byte <= 0x39; }
static bool is_lead(uint8_t byte) { return byte >= 0x81 && byte <= 0xFE; }

/* How long the sequence is, and its character: 0 with TAKEN or MALFORMED in *stop. Of what is wrong the first byte is
 * the bad one; the others may start something. */
static size_t take(const fastio__strip *s, uint32_t *c, fastio__stop *stop) {
  const uint8_t *p = s->in;
  size_t left = fastio__strip_left(s);
  *stop = FASTIO__MALFORMED;
  if (p[0] < 0x80) return *c = p[0], 1;
  if (!is_lead(p[0])) return 0;
  if (left < 2) return *stop = FASTIO__TAKEN, 0;
  if (!is_digit(p[1])) {
    if (p[1] < 0x40 || p[1] == 0x7F || p[1] == 0xFF) return 0;
    *c = fastio__gb18030_pairs[(p[0] - 0x81) * FASTIO__GB18030_TRAILS + p[1] - (p[1] < 0x7F ? 0x40 : 0x41)];
    return *c ? 2 : 0;
  }
  if (left > 2 && !is_lead(p[2])) return 0;
  if (left > 3 && !is_digit(p[3])) return 0;
  if (left < 4) return *stop = FASTIO__TAKEN, 0;
  *c = code_of((((uint32_t)(p[0] - 0x81) * 10 + p[1] - 0x30) * 126 + p[2] - 0x81) * 10 + p[3] - 0x30);
  return *c == UINT32_MAX ? 0 : 4;
}

fastio__stop fastio__decode_gb18030(void *state, fastio__strip *s) {
  (void)state;
  for (fastio__copy_ascii(s); s->in < s->in_end;) {
    fastio__stop stop;
    uint32_t c;
    size_t length = take(s, &c, &stop);
    s->bad = 1;
    if (length == 0) return stop;
    if (fastio__strip_room(s) < fastio__utf8_size_of(c)) return FASTIO__NO_ROOM;
    s->out = fastio__put_utf8(s->out, c);
    s->in += length;
    if (length == 1) fastio__copy_ascii(s);
  }
  return FASTIO__TAKEN;
}

static uint32_t pair_bytes(uint32_t pair) {
  uint32_t trail = pair % FASTIO__GB18030_TRAILS;
  return (0x81 + pair / FASTIO__GB18030_TRAILS) << 8 | (trail + (trail < 0x3F ? 0x40 : 0x41));
}

static uint32_t four_bytes(uint32_t number) {
  return (0x81 + number / 12600) << 24 | (0x30 + number / 1260 % 10) << 16 | (0x81 + number / 10 % 126) << 8 |
         (0x30 + number % 10);
}

void fastio__gb18030_reverse(uint32_t *bytes) {
  memset(bytes, 0, FASTIO__GB18030_REVERSE);
  for (uint32_t i = 0; i < FASTIO__GB18030_PAIRS; i++) bytes[fastio__gb18030_pairs[i]] = pair_bytes(i);
  for (size_t r = 0; r < fastio__gb18030_run_count; r++) {
    const fastio__gb18030_run *run = &fastio__gb18030_runs[r];
    for (uint32_t i = 0; i < run->length; i++) bytes[run->code + i] = four_bytes(run->number + i);
  }
}

static void store_high(uint8_t *out, uint32_t bytes) {
  out[0] = (uint8_t)(bytes >> 24);
  out[1] = (uint8_t)(bytes >> 16);
  out[2] = (uint8_t)(bytes >> 8);
  out[3] = (uint8_t)bytes;
}

fastio__stop fastio__encode_gb18030(void *state, fastio__strip *strip) {
  const uint32_t *reverse = state;
  fastio__strip s = *strip;
  fastio__stop stop = FASTIO__TAKEN;
  for (fastio__copy_ascii(&s); s.in < s.in_end;) {
    const uint8_t *next = s.in;
    uint32_t c = fastio__take_utf8(&next);
    uint32_t bytes = c < 0x80 ? c : c < 0x10000 ? reverse[c] : four_bytes(BEYOND + c - 0x10000);
    size_t length = c < 0x80 ? 1 : bytes < 0x10000 ? 2 : 4;
    if (fastio__strip_room(&s) < length) {
      stop = FASTIO__NO_ROOM;
      break;
    }
    if (fastio__strip_room(&s) >= 4) store_high(s.out, bytes << 8 * (4 - length));
    else
      for (size_t i = length; i-- > 0; bytes >>= 8) s.out[i] = (uint8_t)bytes;
    s.out += length;
    s.in = next;
    if (c < 0x80) fastio__copy_ascii(&s);
  }
  *strip = s;
  return stop;
}

uint64_t fastio__size_gb18030(const uint8_t *data, size_t size) {
  const uint8_t *end = data + size;
  uint64_t total = 0;
  while (data < end) {
    uint32_t c = fastio__take_utf8(&data);
    total += c < 0x80 ? 1 : number_of(c) == UINT32_MAX ? 2 : 4;
  }
  return total;
}
