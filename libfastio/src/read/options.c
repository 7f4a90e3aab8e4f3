/* Options of the readers: defaults and checks. */
#include "blocks.h"

void fastio_read_options_init(fastio_read_options *options) {
  static const fastio_read_options initial = FASTIO_READ_OPTIONS_INIT;
  *options = initial;
}

static bool is_byte_or(int value, int none) { return value == none || (value >= 0 && value <= 255); }

/* A byte that may stand in a number can't separate numbers. */
static bool may_stand_in_number(int byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '+' ||
         byte == '-' || byte == '.';
}

static const char *complaint(const fastio_read_options *o) {
  if (o->base < 2 || o->base > 36) return "base must be 2 to 36";
  if (!is_byte_or(o->separator, FASTIO_WHITESPACE)) return "separator must be FASTIO_WHITESPACE or a byte";
  if (!is_byte_or(o->comment, FASTIO_NONE)) return "comment must be FASTIO_NONE or a byte";
  if (may_stand_in_number(o->separator)) return "separator must not be a byte of numbers";
  if (may_stand_in_number(o->comment)) return "comment must not be a byte of numbers";
  if (o->comment != FASTIO_NONE && (o->comment == o->separator || fastio__is_space((uint8_t)o->comment)))
    return "comment must not be a separator";
  if (!is_byte_or(o->newline, FASTIO_NEWLINE_LF) && o->newline != FASTIO_NEWLINE_ANY)
    return "newline must be FASTIO_NEWLINE_LF, FASTIO_NEWLINE_ANY or a byte";
  if (o->newline >= 0x80 && o->line_type == FASTIO_STRING)
    return "a newline byte of 0x80 or more needs line_type FASTIO_BINARY";
  if (!fastio__is_string(o->line_type)) return "line_type must be FASTIO_STRING or FASTIO_BINARY";
  if (o->type != 0 && !fastio__is_number(o->type)) return "type must be a type of numbers";
  if (o->null_count && !o->null_values) return "null_values must not be NULL";
  if (o->partial < FASTIO_PARTIAL_EMIT || o->partial > FASTIO_PARTIAL_ERROR)
    return "partial must be FASTIO_PARTIAL_EMIT, FASTIO_PARTIAL_HOLD or FASTIO_PARTIAL_ERROR";
  return NULL;
}

enum { BLOCK_MAX = 1 << 30 };

fastio_status fastio__read_options_get(const fastio_read_options *given, fastio_read_options *out, fastio_error *err) {
  const char *wrong;
  fastio_read_options_init(out);
  if (given) {
    if (given->size < offsetof(fastio_read_options, reserved))
      return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the options were not initialised");
    memcpy(out, given, given->size < sizeof *out ? given->size : sizeof *out);
    out->size = sizeof *out;
    if (out->block_size > BLOCK_MAX)
      out->block_size = BLOCK_MAX; /* the result is the same, and sums of a few don't overflow */
  }
  wrong = complaint(out);
  return wrong ? fastio__fail(err, FASTIO_INVALID_ARGUMENT, wrong) : FASTIO_OK;
}

/* The text's offsets are not those of the bytes that the range would be counted in. */
fastio_status fastio__check_range(const fastio_source *source, uint64_t offset, uint64_t length, fastio_error *err) {
  if ((offset == 0 && length == FASTIO_NO_OFFSET) || !fastio__source_is_encoded(source)) return FASTIO_OK;
  return fastio__fail(err, FASTIO_UNSUPPORTED,
                      "a source in another encoding has no ranges; transcode it first, or read all of it");
}
