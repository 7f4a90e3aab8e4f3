/* UTF-8 to UTF-16 and back, the text of the kernels once for every table but avx512. Private to simd; included after
 * the definition of
 *   ISA                           the target attribute of every function here
 *   ASCII_RUN                     so many bytes are widened or narrowed at a time, 8 to 32
 *   widen(p, out, big)            ASCII_RUN bytes of ASCII as UTF-16; false: there are others among them
 *   narrow(p, out, big)           ASCII_RUN units of UTF-16 as ASCII; false: there are others among them
 *
 * What is no ASCII is converted a character at a time, without asking about the ends: there is input and room for
 * more than a run. */

enum { CHARACTER = 4, AT_ONCE = 16 };

ISA FASTIO__INLINE void put_unit(uint8_t *out, uint32_t unit, bool big) {
  const uint16_t swapped = (uint16_t)(unit >> 8 | unit << 8);
  const uint16_t value = big != FASTIO__BIG_ENDIAN ? swapped : (uint16_t)unit;
  memcpy(out, &value, 2);
}

ISA FASTIO__INLINE uint32_t get_unit(const uint8_t *p, bool big) {
  uint16_t value;
  memcpy(&value, p, 2);
  return big != FASTIO__BIG_ENDIAN ? (uint16_t)(value >> 8 | value << 8) : value;
}

ISA FASTIO__INLINE bool is_continuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

/* One character, of which four bytes are readable and writable. False: it is not well-formed. */
ISA FASTIO__INLINE bool take_character(const uint8_t **at, uint8_t **out, bool big) {
  const uint8_t *p = *at;
  uint32_t c = p[0];
  if (c < 0x80) {
    *at += 1;
  } else if (c < 0xE0) {
    if (c < 0xC2 || !is_continuation(p[1])) return false;
    c = (c & 0x1F) << 6 | (p[1] & 0x3F);
    *at += 2;
  } else if (c < 0xF0) {
    if (!is_continuation(p[1]) || !is_continuation(p[2])) return false;
    c = (c & 0x0F) << 12 | (uint32_t)(p[1] & 0x3F) << 6 | (p[2] & 0x3F);
    if (c < 0x800 || (c & 0xF800) == 0xD800) return false;
    *at += 3;
  } else {
    if (!is_continuation(p[1]) || !is_continuation(p[2]) || !is_continuation(p[3])) return false;
    c = (c & 0x0F) << 18 | (uint32_t)(p[1] & 0x3F) << 12 | (uint32_t)(p[2] & 0x3F) << 6 | (p[3] & 0x3F);
    if (c < 0x10000 || c > 0x10FFFF) return false;
    put_unit(*out, 0xD7C0 + (c >> 10), big);
    *out += 2;
    c = 0xDC00 | (c & 0x3FF);
    *at += 4;
  }
  put_unit(*out, c, big);
  *out += 2;
  return true;
}

ISA FASTIO__INLINE size_t to_utf16_of(const uint8_t **at, const uint8_t *end, uint8_t *out, uint8_t *out_end,
                                      bool big) {
  const uint8_t *p = *at;
  uint8_t *q = out;
  while (end - p >= ASCII_RUN + AT_ONCE * CHARACTER && out_end - q >= 2 * ASCII_RUN + AT_ONCE * CHARACTER) {
    int taken = 0;
    if (p[0] < 0x80 && widen(p, q, big)) {
      p += ASCII_RUN;
      q += 2 * ASCII_RUN;
      continue;
    }
    while (taken < AT_ONCE && take_character(&p, &q, big)) taken++;
    if (taken < AT_ONCE) break;
  }
  *at = p;
  return (size_t)(q - out);
}

/* One character, of which four bytes are readable and writable. False: an unpaired surrogate. */
ISA FASTIO__INLINE bool put_character(const uint8_t **at, uint8_t **out, bool big) {
  const uint32_t c = get_unit(*at, big);
  uint8_t *q = *out;
  if (c < 0x80) {
    q[0] = (uint8_t)c;
    *out += 1;
  } else if (c < 0x800) {
    q[0] = (uint8_t)(0xC0 | c >> 6);
    q[1] = (uint8_t)(0x80 | (c & 0x3F));
    *out += 2;
  } else if ((c & 0xF800) != 0xD800) {
    q[0] = (uint8_t)(0xE0 | c >> 12);
    q[1] = (uint8_t)(0x80 | (c >> 6 & 0x3F));
    q[2] = (uint8_t)(0x80 | (c & 0x3F));
    *out += 3;
  } else {
    const uint32_t low = get_unit(*at + 2, big), whole = 0x10000 + ((c & 0x3FF) << 10) + (low & 0x3FF);
    if (c >= 0xDC00 || (low & 0xFC00) != 0xDC00) return false;
    q[0] = (uint8_t)(0xF0 | whole >> 18);
    q[1] = (uint8_t)(0x80 | (whole >> 12 & 0x3F));
    q[2] = (uint8_t)(0x80 | (whole >> 6 & 0x3F));
    q[3] = (uint8_t)(0x80 | (whole & 0x3F));
    *out += 4;
    *at += 2;
  }
  *at += 2;
  return true;
}

ISA FASTIO__INLINE size_t from_utf16_of(const uint8_t **at, const uint8_t *end, uint8_t *out, uint8_t *out_end,
                                        bool big) {
  const uint8_t *p = *at;
  uint8_t *q = out;
  while (end - p >= 2 * ASCII_RUN + AT_ONCE * CHARACTER && out_end - q >= ASCII_RUN + AT_ONCE * CHARACTER) {
    int taken = 0;
    if (get_unit(p, big) < 0x80 && narrow(p, q, big)) {
      p += 2 * ASCII_RUN;
      q += ASCII_RUN;
      continue;
    }
    while (taken < AT_ONCE && put_character(&p, &q, big)) taken++;
    if (taken < AT_ONCE) break;
  }
  *at = p;
  return (size_t)(q - out);
}

ISA static size_t to_utf16(const uint8_t **at, const uint8_t *end, uint8_t *out, uint8_t *out_end, bool big) {
  return big ? to_utf16_of(at, end, out, out_end, true) : to_utf16_of(at, end, out, out_end, false);
}

ISA static size_t from_utf16(const uint8_t **at, const uint8_t *end, uint8_t *out, uint8_t *out_end, bool big) {
  return big ? from_utf16_of(at, end, out, out_end, true) : from_utf16_of(at, end, out, out_end, false);
}
