/* UTF-8, UTF-16 and UTF-32 to UTF-8 and back. */
#include "encoding.h"

/* ---- UTF-8 ---- */

size_t fastio__utf8_sequence(fastio__strip *s, fastio__stop *stop) {
  const uint8_t *p = s->in;
  size_t left = fastio__strip_left(s), length, i = 1;
  uint8_t low = 0x80, high = 0xBF; /* of the second byte: no overlong forms, no surrogates, nothing beyond U+10FFFF */
  if (left == 0) return *stop = FASTIO__TAKEN, 0;
  if (p[0] < 0x80) return 1;
  if (p[0] == 0xE0) low = 0xA0;
  if (p[0] == 0xED) high = 0x9F;
  if (p[0] == 0xF0) low = 0x90;
  if (p[0] == 0xF4) high = 0x8F;
  length = p[0] < 0xC2 || p[0] > 0xF4 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
  for (; i < length; i++, low = 0x80, high = 0xBF) {
    if (i == left) return *stop = FASTIO__TAKEN, 0;
    if (p[i] < low || p[i] > high) break;
  }
  if (i == length) return length;
  s->bad = i;
  *stop = FASTIO__MALFORMED;
  return 0;
}

enum { CHUNK = 32 * 1024 }; /* is checked, then copied out of the cache */

fastio__stop fastio__decode_utf8(void *state, fastio__strip *s) {
  (void)state;
  for (;;) {
    size_t n = fastio__strip_left(s), length;
    fastio__stop stop = FASTIO__NO_ROOM;
    if (n > fastio__strip_room(s)) n = fastio__strip_room(s);
    if (n > CHUNK) n = CHUNK;
    n = fastio__utf8_prefix(s->in, n);
    if (n) memcpy(s->out, s->in, n);
    s->in += n;
    s->out += n;
    length = fastio__utf8_sequence(s, &stop);
    if (length == 0) return stop;
    if (length > fastio__strip_room(s)) return FASTIO__NO_ROOM;
  }
}

fastio__stop fastio__encode_utf8(void *state, fastio__strip *s) { return fastio__decode_utf8(state, s); }

uint64_t fastio__size_utf8(const uint8_t *data, size_t size) {
  (void)data;
  return size;
}

/* ---- UTF-16 ---- */

static fastio__stop encode_utf16(fastio__strip *s, bool big) {
  fastio__stop stop = FASTIO__NO_ROOM;
  s->out += fastio__utf8_to_utf16(&s->in, s->in_end, s->out, s->out_end, big);
  fastio__utf8_sequence(s, &stop);
  return stop;
}

/* What stands in front of the kernel that stopped. */
static fastio__stop decode_utf16(fastio__strip *s, bool big) {
  size_t left;
  unsigned unit, next;
  s->out += fastio__utf16_to_utf8(&s->in, s->in_end, s->out, s->out_end, big);
  left = fastio__strip_left(s);
  if (left < 2) return FASTIO__TAKEN;
  unit = s->in[big ? 0 : 1];
  s->bad = 2;
  if (unit < 0xD8 || unit > 0xDF) return FASTIO__NO_ROOM;
  if (unit >= 0xDC) return FASTIO__MALFORMED;
  if (left < 4) return FASTIO__TAKEN;
  next = s->in[big ? 2 : 3];
  return next < 0xDC || next > 0xDF ? FASTIO__MALFORMED : FASTIO__NO_ROOM;
}

fastio__stop fastio__decode_utf16le(void *state, fastio__strip *s) { return (void)state, decode_utf16(s, false); }
fastio__stop fastio__decode_utf16be(void *state, fastio__strip *s) { return (void)state, decode_utf16(s, true); }
fastio__stop fastio__encode_utf16le(void *state, fastio__strip *s) { return (void)state, encode_utf16(s, false); }
fastio__stop fastio__encode_utf16be(void *state, fastio__strip *s) { return (void)state, encode_utf16(s, true); }

/* ---- UTF-32 ---- */

FASTIO__INLINE uint32_t load32(const uint8_t *p, bool big) {
  if (big) return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
  return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

FASTIO__INLINE void store32(uint8_t *p, uint32_t c, bool big) {
  for (int i = 0; i < 4; i++) p[i] = (uint8_t)(c >> 8 * (big ? 3 - i : i));
}

FASTIO__INLINE fastio__stop decode_utf32(fastio__strip *strip, bool big) {
  fastio__strip s = *strip; /* in registers */
  fastio__stop stop = FASTIO__TAKEN;
  while (fastio__strip_left(&s) >= 4) {
    uint32_t c = load32(s.in, big);
    if (!fastio__is_scalar(c)) {
      s.bad = 4;
      stop = FASTIO__MALFORMED;
      break;
    }
    if (fastio__strip_room(&s) < 4 && fastio__strip_room(&s) < fastio__utf8_size_of(c)) {
      stop = FASTIO__NO_ROOM;
      break;
    }
    s.out = fastio__put_utf8(s.out, c);
    s.in += 4;
  }
  *strip = s;
  return stop;
}

FASTIO__INLINE fastio__stop encode_utf32(fastio__strip *strip, bool big) {
  fastio__strip s = *strip;
  while (s.in < s.in_end && fastio__strip_room(&s) >= 4) {
    store32(s.out, fastio__take_utf8(&s.in), big);
    s.out += 4;
  }
  *strip = s;
  return s.in < s.in_end ? FASTIO__NO_ROOM : FASTIO__TAKEN;
}

fastio__stop fastio__decode_utf32le(void *state, fastio__strip *s) { return (void)state, decode_utf32(s, false); }
fastio__stop fastio__decode_utf32be(void *state, fastio__strip *s) { return (void)state, decode_utf32(s, true); }
fastio__stop fastio__encode_utf32le(void *state, fastio__strip *s) { return (void)state, encode_utf32(s, false); }
fastio__stop fastio__encode_utf32be(void *state, fastio__strip *s) { return (void)state, encode_utf32(s, true); }

uint64_t fastio__size_utf32(const uint8_t *data, size_t size) { return 4 * fastio_utf8_count(data, size); }
