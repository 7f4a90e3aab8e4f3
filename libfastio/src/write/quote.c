/* Quotes and escapes. Clean texts are only looked at, many at a time; what stands out is judged one by one. */
#include "quote.h"

#include "../simd/simd.h"

/* ---- what can't stand in a plain field ---- */

static void add_special(fastio__quoting *q, size_t *count, int byte) {
  if (byte < 0 || q->special[byte]) return;
  q->special[byte] = true;
  q->needles[(*count)++] = (uint8_t)byte;
}

void fastio__quoting_init(fastio__quoting *q, const fastio_csv_write_options *o) {
  size_t count = 0;
  memset(q, 0, sizeof *q);
  q->policy = o->quoting;
  q->quote = o->quote;
  q->escape = o->escape;
  q->separator = o->separator;
  q->null_text = o->null_text;
  add_special(q, &count, '\n');
  add_special(q, &count, '\r');
  add_special(q, &count, *(const uint8_t *)o->separator.data);
  add_special(q, &count, o->quote);
  add_special(q, &count, *(const uint8_t *)o->end.data);
  add_special(q, &count, o->escape);
  q->few = count <= 4;
  for (; count < FASTIO__NEEDLES; count++) q->needles[count] = q->needles[0];
}

/* The bytes of eight that are zero have their high bit set; above the first of them, others may. */
FASTIO__INLINE uint64_t zeros(uint64_t word) {
  return (word - UINT64_C(0x0101010101010101)) & ~word & UINT64_C(0x8080808080808080);
}

FASTIO__INLINE uint64_t specials_in_word(const fastio__quoting *q, const uint8_t *p, size_t needles) {
  uint64_t word, found = 0;
  memcpy(&word, p, sizeof word);
  for (size_t i = 0; i < needles; i++) found |= zeros(word ^ q->needles[i] * UINT64_C(0x0101010101010101));
  return found;
}

/* A block of 64 bytes, of which compilers make vectors. */
FASTIO__INLINE bool is_special_block(const fastio__quoting *q, const uint8_t *p, size_t needles) {
  uint8_t found = 0;
  for (size_t i = 0; i < 64; i++)
    for (size_t k = 0; k < needles; k++) found |= p[i] == q->needles[k];
  return found;
}

/* The last word goes over the one before it. */
FASTIO__INLINE bool scan(const fastio__quoting *q, const uint8_t *p, size_t size, size_t needles) {
  const uint8_t *end = p + size;
  uint64_t found = 0;
  for (; end - p >= 64; p += 64)
    if (is_special_block(q, p, needles)) return true;
  if (size >= 8) {
    for (; end - p >= 8; p += 8) found |= specials_in_word(q, p, needles);
    return (found | specials_in_word(q, end - 8, needles)) != 0;
  }
  for (; p < end; p++)
    if (q->special[*p]) return true;
  return false;
}

bool fastio__has_special(const fastio__quoting *q, fastio_bytes text) {
  if (text.size == 0) return false;
  return q->few ? scan(q, text.data, text.size, 4) : scan(q, text.data, text.size, FASTIO__NEEDLES);
}

/* Whether a separator is read at text[at], perhaps with the help of the one that follows. */
static bool is_separator(const fastio__quoting *q, fastio_bytes text, size_t at) {
  const uint8_t *separator = q->separator.data, *data = text.data;
  for (size_t i = 0; i < q->separator.size; i++) {
    const uint8_t byte = at + i < text.size ? data[at + i] : separator[at + i - text.size];
    if (byte != separator[i]) return false;
  }
  return true;
}

/* A byte of more than one is no separator yet. */
static bool is_special_at(const fastio__quoting *q, fastio_bytes text, size_t at) {
  const uint8_t byte = ((const uint8_t *)text.data)[at];
  if (!q->special[byte]) return false;
  return byte != *(const uint8_t *)q->separator.data || is_separator(q, text, at);
}

static size_t count_special(const fastio__quoting *q, fastio_bytes text) {
  size_t count = 0;
  for (size_t i = 0; i < text.size; i++) count += is_special_at(q, text, i);
  return count;
}

/* ---- which texts need what ---- */

static bool is_blank(uint8_t byte) { return byte == ' ' || byte == '\t'; }

static bool is_null(const fastio__quoting *q, fastio_bytes text) {
  return text.size == q->null_text.size && (text.size == 0 || memcmp(text.data, q->null_text.data, text.size) == 0);
}

/* By what it is as a whole, and by its ends. */
FASTIO__INLINE bool stands_out(const fastio__quoting *q, const fastio__care *care, fastio_bytes text) {
  const uint8_t *data = text.data;
  if (FASTIO__UNLIKELY(is_null(q, text))) return true;
  return care->keeps_blanks && text.size && (is_blank(data[0]) || is_blank(data[text.size - 1]));
}

static bool is_always_quoted(const fastio__quoting *q, const fastio__care *care) {
  return q->policy == FASTIO_QUOTING_ALL || (q->policy == FASTIO_QUOTING_STRINGS && care->is_text);
}

fastio__protection fastio__judge(const fastio__quoting *q, const fastio__care *care, fastio_bytes text) {
  if (is_always_quoted(q, care)) return FASTIO__QUOTED;
  if (q->policy != FASTIO_QUOTING_NEVER && stands_out(q, care, text)) return FASTIO__QUOTED;
  if (count_special(q, text) == 0) return FASTIO__PLAIN;
  if (q->policy != FASTIO_QUOTING_NEVER) return FASTIO__QUOTED;
  return q->escape >= 0 ? FASTIO__ESCAPED : FASTIO__UNSAFE;
}

static void add_bytes(bool *set, const char *bytes) {
  while (*bytes) set[(uint8_t)*bytes++] = true;
}

/* The bytes that values of the field may be written with. */
static void alphabet_of(const fastio__field *field, bool *set) {
  const fastio_format *format = field->format;
  add_bytes(set, "0123456789+-.:einfaTZ");
  if (!format) return;
  add_bytes(set, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz% ");
  set[(uint8_t)format->fill] = true;
  if (!format->locale) return;
  add_bytes(set, format->locale->point);
  add_bytes(set, format->locale->group);
}

/* Whether values of the field never have a special byte and are never the null text. */
static bool is_safe_field(const fastio__quoting *q, const fastio__field *field) {
  const uint8_t *null_text = q->null_text.data;
  bool set[256] = {false}, may_be_null = q->null_text.size > 0;
  alphabet_of(field, set);
  for (size_t i = 0; i < q->null_text.size; i++) may_be_null &= set[null_text[i]];
  for (size_t i = 0; i < FASTIO__NEEDLES; i++)
    if (set[q->needles[i]]) return false;
  return !may_be_null;
}

fastio__care fastio__care_of(const fastio__quoting *q, const fastio__field *field, const fastio__wording *words) {
  const bool is_wide = field->format && field->format->width > 0;
  const fastio__field_kind kind = field->kind == FASTIO__FIELD_INDICES ? field->dictionary->kind : field->kind;
  fastio__care care = {fastio__field_is_text(field), false, false};
  care.keeps_blanks = care.is_text && !is_wide;
  if (kind == FASTIO__FIELD_BITS)
    care.is_safe = !is_wide && fastio__judge(q, &care, words->true_text) == FASTIO__PLAIN &&
                   fastio__judge(q, &care, words->false_text) == FASTIO__PLAIN;
  else if (!care.is_text) care.is_safe = is_safe_field(q, field);
  return care;
}

/* ---- how they get it ---- */

static size_t count_byte(fastio_bytes text, int byte) {
  return fastio__simd()->count_byte(text.data, text.size, (uint8_t)byte);
}

size_t fastio__protected_size(const fastio__quoting *q, fastio__protection how, fastio_bytes text) {
  if (how == FASTIO__ESCAPED) return text.size + count_special(q, text);
  if (how != FASTIO__QUOTED) return text.size;
  return text.size + 2 + count_byte(text, q->quote) + (q->escape >= 0 ? count_byte(text, q->escape) : 0);
}

static char *copy(char *out, const void *data, size_t size) {
  if (size) memcpy(out, data, size);
  return out + size;
}

static char *escape(const fastio__quoting *q, fastio_bytes text, char *out) {
  const char *data = text.data;
  for (size_t i = 0; i < text.size; i++) {
    if (is_special_at(q, text, i)) *out++ = (char)q->escape;
    *out++ = data[i];
  }
  return out;
}

/* Between quotes only quotes count, and escapes if there are any. */
static char *double_quotes(const fastio__quoting *q, fastio_bytes text, char *out) {
  const char *data = text.data, *end = data + text.size;
  while (data < end) {
    const char *quote = memchr(data, q->quote, (size_t)(end - data));
    if (!quote) break;
    out = copy(out, data, (size_t)(quote + 1 - data));
    *out++ = (char)q->quote;
    data = quote + 1;
  }
  return copy(out, data, (size_t)(end - data));
}

static char *escape_quotes(const fastio__quoting *q, fastio_bytes text, char *out) {
  const uint8_t *data = text.data;
  for (size_t i = 0; i < text.size; i++) {
    if (data[i] == q->quote || data[i] == q->escape) *out++ = (char)q->escape;
    *out++ = (char)data[i];
  }
  return out;
}

char *fastio__protect(const fastio__quoting *q, fastio__protection how, fastio_bytes text, char *out) {
  if (how == FASTIO__ESCAPED) return escape(q, text, out);
  if (how != FASTIO__QUOTED) return copy(out, text.data, text.size);
  *out++ = (char)q->quote;
  out = q->escape >= 0 ? escape_quotes(q, text, out) : double_quotes(q, text, out);
  *out++ = (char)q->quote;
  return out;
}

/* ---- strips ---- */

void fastio__look_at_dictionary(const fastio__quoting *q, fastio__field *field) {
  const fastio__field *words = field->dictionary;
  if (field->kind != FASTIO__FIELD_INDICES || words->kind == FASTIO__FIELD_VIEWS || !fastio__field_is_text(words))
    return;
  if (words->text_end / 8 > field->length) return; /* would take longer than to look at what is used of it */
  field->is_clean = !fastio__has_special(q, (fastio_bytes){words->data, (size_t)words->text_end});
}

void fastio__quote_text(const fastio__quoting *q, fastio__protection how, fastio__texts *texts, size_t row,
                        fastio__arena *arena) {
  const fastio_bytes text = fastio__text_at(texts, row);
  char slot[FASTIO__SLOT], *out = slot;
  size_t size;
  if (how == FASTIO__PLAIN) return;
  if (how == FASTIO__UNSAFE) {
    fastio__text_fail(texts, row, FASTIO_INVALID_ARGUMENT, "the text can't be written without quotes or an escape");
    return;
  }
  size = fastio__protected_size(q, how, text);
  if (size > FASTIO__SLOT_TEXT && !(out = fastio__arena_take(arena, size))) {
    fastio__text_fail(texts, row, FASTIO_NO_MEMORY, NULL);
    return;
  }
  (void)fastio__protect(q, how, text, out);
  fastio__text_set(texts, row, out, size);
}

/* Texts without any special byte, in quotes. */
static void quote_clean(const fastio__quoting *q, fastio__texts *texts, size_t row, fastio__arena *arena) {
  char *slot = texts->slots + row * FASTIO__SLOT, shifted[FASTIO__SLOT];
  const size_t size = texts->lengths[row];
  if (size > FASTIO__SLOT_TEXT - 2) {
    fastio__quote_text(q, FASTIO__QUOTED, texts, row, arena);
    return;
  }
  memcpy(shifted, slot, FASTIO__SLOT);
  memcpy(slot + 1, shifted, FASTIO__SLOT - 1);
  slot[0] = slot[size + 1] = (char)q->quote;
  texts->lengths[row] = (uint8_t)(size + 2);
}

/* Whether every text that has a special byte is to be quoted: without a closer look at longer separators. */
static bool is_simple(const fastio__quoting *q) { return q->policy != FASTIO_QUOTING_NEVER && q->separator.size == 1; }

/* Rows that are worth a judgement. */
static uint64_t suspects(const fastio__quoting *q, const fastio__care *care, const fastio__texts *texts, size_t count,
                         bool clean) {
  uint64_t found = 0;
  for (size_t row = 0; row < count; row++) {
    const fastio_bytes text = fastio__text_at(texts, row);
    found |= (uint64_t)(stands_out(q, care, text) || (!clean && fastio__has_special(q, text))) << row;
  }
  return found;
}

void fastio__quote_texts(const fastio__quoting *q, const fastio__care *care, fastio__texts *texts, size_t count,
                         fastio__arena *arena) {
  const bool always = is_always_quoted(q, care);
  const bool clean = care->is_safe || texts->is_clean || (texts->span.data && !fastio__has_special(q, texts->span));
  uint64_t rows = ~texts->missing;
  if (texts->good < count) count = texts->good;
  if (count == 0 || (care->is_safe && !always)) return;
  rows &= always ? UINT64_MAX >> (FASTIO__STRIP - count) : suspects(q, care, texts, count, clean);
  for (; rows; rows &= rows - 1) {
    const size_t row = fastio__ctz64(rows);
    if (always && clean) quote_clean(q, texts, row, arena);
    else if (is_simple(q)) fastio__quote_text(q, FASTIO__QUOTED, texts, row, arena);
    else fastio__quote_text(q, fastio__judge(q, care, fastio__text_at(texts, row)), texts, row, arena);
  }
}
