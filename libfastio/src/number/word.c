/* Words: text to value, one token. */
#include "number.h"

/* Whether the bytes are those of the lower-case `word`, in either case: of each of its letters, the two forms are the
 * only bytes that this bit makes equal to it. */
static bool is_word(const uint8_t *data, const char *word, size_t size) {
  uint8_t differs = 0;
  for (size_t i = 0; i < size; i++) differs |= (uint8_t)((data[i] | 0x20) ^ (uint8_t)word[i]);
  return differs == 0;
}

fastio_status fastio__parse_bool(const uint8_t *data, size_t size, bool *out) {
  if (size == 4 && is_word(data, "true", 4)) *out = true;
  else if (size == 5 && is_word(data, "false", 5)) *out = false;
  else return FASTIO_BAD_TOKEN;
  return FASTIO_OK;
}
