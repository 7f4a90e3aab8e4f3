/* UTF-8: is it well-formed, and if not, where not. */
#include "text.h"

/* Length of the well-formed sequence of two to four bytes at p, 0 if there is none. The lead byte narrows the second
 * byte's range so that overlong forms, surrogates and values beyond U+10FFFF drop out. */
static size_t sequence_length(const uint8_t *p, size_t left) {
  uint8_t low = 0x80, high = 0xBF;
  size_t length;
  if (p[0] >= 0xC2 && p[0] <= 0xDF) length = 2;
  else if (p[0] >= 0xE0 && p[0] <= 0xEF) length = 3;
  else if (p[0] >= 0xF0 && p[0] <= 0xF4) length = 4;
  else return 0;
  if (p[0] == 0xE0) low = 0xA0;
  if (p[0] == 0xED) high = 0x9F;
  if (p[0] == 0xF0) low = 0x90;
  if (p[0] == 0xF4) high = 0x8F;
  if (left < length || p[1] < low || p[1] > high) return 0;
  for (size_t i = 2; i < length; i++)
    if ((p[i] & 0xC0) != 0x80) return 0;
  return length;
}

size_t fastio__utf8_prefix(const uint8_t *data, size_t size) {
  const fastio__kernels *kernels = fastio__simd();
  size_t i = kernels->utf8_prefix(data, size);
  while (i < size) {
    size_t length;
    if (data[i] < 0x80) {
      size_t ascii = size - i >= 64 ? kernels->ascii_prefix(data + i, size - i) : 0;
      i += ascii ? ascii : 1;
      continue;
    }
    length = sequence_length(data + i, size - i);
    if (length == 0) return i;
    i += length;
  }
  return size;
}

size_t fastio_utf8_valid(const void *data, size_t size) { return fastio__utf8_prefix(data, size); }

uint64_t fastio_utf8_count(const void *data, size_t size) { return fastio__simd()->utf8_count(data, size); }

size_t fastio__utf8_bad_size(const uint8_t *data, size_t size) {
  size_t length = 1;
  while (length < 4 && length < size && (data[length] & 0xC0) == 0x80) length++;
  return length;
}
