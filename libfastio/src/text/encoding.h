/* What the transcoder knows of an encoding: how to get from it to UTF-8 and back. Private to text. */
#ifndef FASTIO__ENCODING_H
#define FASTIO__ENCODING_H

#include "text.h"

/* Why a conversion stopped. */
typedef enum fastio__stop {
  FASTIO__TAKEN,     /* all of the input is taken, but for a sequence that its end cuts short */
  FASTIO__NO_ROOM,   /* the next character does not fit */
  FASTIO__MALFORMED, /* the input is no character there */
  FASTIO__LACKING    /* the target has not the character there */
} fastio__stop;

/* What is left to take and where the rest goes; both move on. */
typedef struct fastio__strip {
  const uint8_t *in, *in_end;
  uint8_t *out, *out_end;
  size_t bad; /* MALFORMED, LACKING: how many bytes at `in` are meant */
} fastio__strip;

/* To or from UTF-8, whole characters only. Keeps nothing of the input: who has cut a sequence short brings it again. */
typedef fastio__stop fastio__conversion(void *state, fastio__strip *strip);
/* How long well-formed UTF-8 is in the encoding. */
typedef uint64_t fastio__sizing(const uint8_t *data, size_t size);

typedef struct fastio__mark { /* a BOM */
  const fastio__encoding *means;
  uint8_t size, bytes[4];
} fastio__mark;

struct fastio__encoding {
  const char *title, *aliases;
  fastio__conversion *decode, *encode; /* encode: of well-formed UTF-8. NULL: iconv's */
  fastio__sizing *size;                /* NULL: can't be told */
  const char *malformed, *lacking;     /* messages; lacking NULL: it has every character */
  const fastio__mark *marks;           /* what it drops at the start of input, two of them; the first is written */
  bool writes_mark, is_utf8;
  bool checks; /* encode stops in front of malformed UTF-8 */
};

/* By a name of any spelling; NULL: not one of those known without asking iconv. */
FASTIO__HIDDEN const fastio__encoding *fastio__encoding_listed(const char *name);
/* An encoding that only iconv knows, by a name that is nowhere listed. */
FASTIO__HIDDEN extern const fastio__encoding fastio__encoding_unlisted;

/* ---- utf.c ---- */
FASTIO__HIDDEN fastio__conversion fastio__decode_utf8, fastio__encode_utf8;
FASTIO__HIDDEN fastio__conversion fastio__decode_utf16le, fastio__encode_utf16le;
FASTIO__HIDDEN fastio__conversion fastio__decode_utf16be, fastio__encode_utf16be;
FASTIO__HIDDEN fastio__conversion fastio__decode_utf32le, fastio__encode_utf32le;
FASTIO__HIDDEN fastio__conversion fastio__decode_utf32be, fastio__encode_utf32be;
FASTIO__HIDDEN fastio__sizing fastio__size_utf8, fastio__size_utf32;
/* The sequence at strip->in: its length if it is well-formed; 0 with TAKEN (cut short) or MALFORMED (strip->bad: its
 * maximal part) in *stop. */
FASTIO__HIDDEN size_t fastio__utf8_sequence(fastio__strip *strip, fastio__stop *stop);

/* ---- single.c ---- */
FASTIO__HIDDEN fastio__conversion fastio__decode_ascii, fastio__encode_ascii;
FASTIO__HIDDEN fastio__conversion fastio__decode_latin1, fastio__encode_latin1;
FASTIO__HIDDEN fastio__conversion fastio__decode_1252, fastio__encode_1252;
FASTIO__HIDDEN fastio__sizing fastio__size_single;

/* ---- gb18030.c ---- */
FASTIO__HIDDEN fastio__conversion fastio__decode_gb18030, fastio__encode_gb18030;
FASTIO__HIDDEN fastio__sizing fastio__size_gb18030;
/* What encoding takes as its state: the two or four bytes of each of the first 65536 characters, made here. */
enum { FASTIO__GB18030_REVERSE = 65536 * 4 };
FASTIO__HIDDEN void fastio__gb18030_reverse(uint32_t *bytes);

/* ---- ebcdic.c ---- */
FASTIO__HIDDEN fastio__conversion fastio__decode_utf_ebcdic, fastio__encode_utf_ebcdic;
FASTIO__HIDDEN fastio__sizing fastio__size_utf_ebcdic;

/* ---- system.c: what iconv does. The state is a fastio__system. ---- */
typedef struct fastio__system {
  void *iconv;
  bool singly;    /* decoding: one character and no more, so that the place of each is known */
  bool carefully; /* decoding: one character after the other */
  int doubtful;   /* encoding: so many characters are tried one by one, since the last ones were lacking */
} fastio__system;
FASTIO__HIDDEN fastio__conversion fastio__decode_system, fastio__encode_system;
/* What the system holds back until the end: TAKEN or NO_ROOM. */
FASTIO__HIDDEN fastio__stop fastio__system_finish(fastio__system *system, fastio__strip *strip);
/* Whether iconv's decoder has to be led. */
FASTIO__HIDDEN bool fastio__system_is_careless(const fastio__encoding *encoding);
FASTIO__HIDDEN bool fastio__system_knows(const char *name);
/* From the named encoding to UTF-8, or (encodes) back. FASTIO_INVALID_ARGUMENT: the system does not know it. */
FASTIO__HIDDEN fastio_status fastio__system_open(fastio__system *system, const char *name, bool encodes,
                                                 fastio_error *err);
FASTIO__HIDDEN void fastio__system_close(fastio__system *system);

/* ---- characters ---- */
/* The next character of well-formed UTF-8. */
FASTIO__INLINE uint32_t fastio__take_utf8(const uint8_t **at) {
  const uint8_t *p = *at;
  if (p[0] < 0x80) return *at += 1, p[0];
  if (p[0] < 0xE0) return *at += 2, (uint32_t)(p[0] & 0x1F) << 6 | (p[1] & 0x3F);
  if (p[0] < 0xF0) return *at += 3, (uint32_t)(p[0] & 0x0F) << 12 | (uint32_t)(p[1] & 0x3F) << 6 | (p[2] & 0x3F);
  *at += 4;
  return (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3F) << 12 | (uint32_t)(p[2] & 0x3F) << 6 | (p[3] & 0x3F);
}
FASTIO__INLINE size_t fastio__utf8_size_of(uint32_t c) { return 1 + (c >= 0x80) + (c >= 0x800) + (c >= 0x10000); }
FASTIO__INLINE uint8_t *fastio__put_utf8(uint8_t *out, uint32_t c) {
  if (c < 0x80) return *out = (uint8_t)c, out + 1;
  if (c < 0x800) return out[0] = (uint8_t)(0xC0 | c >> 6), out[1] = (uint8_t)(0x80 | (c & 0x3F)), out + 2;
  if (c < 0x10000) {
    out[0] = (uint8_t)(0xE0 | c >> 12);
    out[1] = (uint8_t)(0x80 | (c >> 6 & 0x3F));
    out[2] = (uint8_t)(0x80 | (c & 0x3F));
    return out + 3;
  }
  out[0] = (uint8_t)(0xF0 | c >> 18);
  out[1] = (uint8_t)(0x80 | (c >> 12 & 0x3F));
  out[2] = (uint8_t)(0x80 | (c >> 6 & 0x3F));
  out[3] = (uint8_t)(0x80 | (c & 0x3F));
  return out + 4;
}
FASTIO__INLINE bool fastio__is_scalar(uint32_t c) { return c < 0xD800 || (c >= 0xE000 && c < 0x110000); }

FASTIO__INLINE size_t fastio__strip_left(const fastio__strip *s) { return (size_t)(s->in_end - s->in); }
FASTIO__INLINE size_t fastio__strip_room(const fastio__strip *s) { return (size_t)(s->out_end - s->out); }
/* Copies ASCII bytes that both sides write the same, eight at a time. */
FASTIO__INLINE void fastio__copy_ascii(fastio__strip *s) {
  const uint8_t *in = s->in;
  uint8_t *out = s->out;
  while (s->in_end - in >= 8 && s->out_end - out >= 8) {
    uint64_t word;
    memcpy(&word, in, 8);
    if (word & UINT64_C(0x8080808080808080)) break;
    memcpy(out, &word, 8);
    in += 8;
    out += 8;
  }
  s->in = in;
  s->out = out;
}

#endif
