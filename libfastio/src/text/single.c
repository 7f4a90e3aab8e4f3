/* One byte a character: ASCII, ISO-8859-1, Windows-1252. */
#include "encoding.h"

/* Windows-1252 from 0x80 on; WHATWG lets the five bytes that Microsoft left free be the C1 controls that Latin-1 has
 * there. The other bytes are those of Latin-1. */
static const uint16_t high_1252[32] = {
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178,
};

/* Most of the room and of the input is used without asking about every byte. */
FASTIO__INLINE fastio__stop decode_bytes(fastio__strip *strip, const uint16_t *high) {
  fastio__strip s = *strip;
  fastio__stop stop = FASTIO__TAKEN;
  for (fastio__copy_ascii(&s); s.in < s.in_end;) {
    uint32_t c = *s.in;
    if (high && c >= 0x80 && c < 0xA0) c = high[c - 0x80];
    if (fastio__strip_room(&s) < 3 && fastio__strip_room(&s) < fastio__utf8_size_of(c)) {
      stop = FASTIO__NO_ROOM;
      break;
    }
    s.in++;
    if (c < 0x80) {
      *s.out++ = (uint8_t)c;
    } else {
      s.out = fastio__put_utf8(s.out, c);
      continue;
    }
    if (s.in_end - s.in >= 8 && s.in[7] < 0x80) fastio__copy_ascii(&s);
  }
  *strip = s;
  return stop;
}

fastio__stop fastio__decode_latin1(void *state, fastio__strip *s) { return (void)state, decode_bytes(s, NULL); }
fastio__stop fastio__decode_1252(void *state, fastio__strip *s) { return (void)state, decode_bytes(s, high_1252); }

fastio__stop fastio__decode_ascii(void *state, fastio__strip *s) {
  (void)state;
  for (;;) {
    fastio__copy_ascii(s);
    if (s->in == s->in_end) return FASTIO__TAKEN;
    s->bad = 1;
    if (*s->in >= 0x80) return FASTIO__MALFORMED;
    if (s->out == s->out_end) return FASTIO__NO_ROOM;
    *s->out++ = *s->in++;
  }
}

/* The byte of a character of two or more bytes of UTF-8, 0 if there is none. `limit`: characters below it are bytes. */
static uint8_t byte_of(uint32_t c, uint32_t limit, const uint16_t *high) {
  if (c < limit && !(high && c < 0xA0 && high[c - 0x80] != c)) return (uint8_t)c;
  for (unsigned i = 0; high && i < 32; i++)
    if (high[i] == c) return (uint8_t)(0x80 + i);
  return 0;
}

FASTIO__INLINE fastio__stop encode_bytes(fastio__strip *strip, uint32_t limit, const uint16_t *high) {
  fastio__strip s = *strip;
  fastio__stop stop = FASTIO__TAKEN;
  for (fastio__copy_ascii(&s); s.in < s.in_end;) {
    const uint8_t *next = s.in;
    uint32_t c = fastio__take_utf8(&next);
    uint8_t byte = c < 0x80 ? (uint8_t)c : byte_of(c, limit, high);
    if (byte == 0 && c != 0) {
      s.bad = (size_t)(next - s.in);
      stop = FASTIO__LACKING;
      break;
    }
    if (s.out == s.out_end) {
      stop = FASTIO__NO_ROOM;
      break;
    }
    *s.out++ = byte;
    s.in = next;
    if (c < 0x80 && s.in_end - s.in >= 8 && s.in[7] < 0x80) fastio__copy_ascii(&s);
  }
  *strip = s;
  return stop;
}

fastio__stop fastio__encode_ascii(void *state, fastio__strip *s) { return (void)state, encode_bytes(s, 0x80, NULL); }
fastio__stop fastio__encode_latin1(void *state, fastio__strip *s) { return (void)state, encode_bytes(s, 0x100, NULL); }
fastio__stop fastio__encode_1252(void *state, fastio__strip *s) {
  return (void)state, encode_bytes(s, 0x100, high_1252);
}

uint64_t fastio__size_single(const uint8_t *data, size_t size) { return fastio_utf8_count(data, size); }
