/* Options of tables: defaults, and which of them contradict each other. */
#include "../text/text.h"
#include "table.h"

void fastio_csv_options_init(fastio_csv_options *options) {
  static const fastio_csv_options initial = FASTIO_CSV_OPTIONS_INIT;
  *options = initial;
}

/* ---- bytes that mean something ---- */

typedef enum role { QUOTE, ESCAPE, COMMENT, DECIMAL, THOUSANDS, ROLES } role;

static const struct {
  const char *not_ascii, *newline, *blank, *separator;
} role_texts[ROLES] = {
    [QUOTE] = {"quote must be FASTIO_NONE or an ASCII byte", "quote must not be a newline",
               "quote must not be a space or tab if white space separates", "quote must not be in the separator"},
    [ESCAPE] = {"escape must be FASTIO_NONE or an ASCII byte", "escape must not be a newline",
                "escape must not be a space or tab if white space separates", "escape must not be in the separator"},
    [COMMENT] = {"comment must be FASTIO_NONE or an ASCII byte", "comment must not be a newline",
                 "comment must not be a space or tab if white space separates", "comment must not be in the separator"},
    [DECIMAL] = {"decimal must be an ASCII byte", "decimal must not be a newline",
                 "decimal must not be a space or tab if white space separates", "decimal must not be in the separator"},
    [THOUSANDS] = {"thousands must be FASTIO_NONE or an ASCII byte", "thousands must not be a newline",
                   "thousands must not be a space or tab if white space separates",
                   "thousands must not be in the separator if there are no quotes"},
};

static const struct {
  role first, second;
  const char *text;
} pairs[] = {
    {QUOTE, ESCAPE, "escape must not be the quote: a doubled quote is one quote without it"},
    {QUOTE, COMMENT, "comment must not be the quote"},
    {QUOTE, DECIMAL, "decimal must not be the quote"},
    {QUOTE, THOUSANDS, "thousands must not be the quote"},
    {ESCAPE, COMMENT, "comment must not be the escape"},
    {ESCAPE, DECIMAL, "decimal must not be the escape"},
    {ESCAPE, THOUSANDS, "thousands must not be the escape"},
    {COMMENT, DECIMAL, "comment must not be the decimal point"},
    {COMMENT, THOUSANDS, "comment must not be the separator of thousands"},
    {DECIMAL, THOUSANDS, "thousands must not be the decimal point"},
};

static int byte_of(const fastio_csv_options *o, role which) {
  switch (which) {
    case QUOTE: return o->quote;
    case ESCAPE: return o->escape;
    case COMMENT: return o->comment;
    case DECIMAL: return o->decimal;
    default: return o->thousands;
  }
}

static bool is_newline(const fastio_csv_options *o, int byte) {
  return o->newline >= 0 ? byte == o->newline : byte == '\n' || byte == '\r';
}

static bool separates_by_blanks(const fastio_csv_options *o) { return !o->widths && o->separator.size == 0; }

/* A separator of thousands may be that of fields, if quotes tell them apart. */
static bool may_be_in_separator(const fastio_csv_options *o, role which) {
  return which == THOUSANDS && o->quote != FASTIO_NONE;
}

static bool is_in_separator(const fastio_csv_options *o, int byte) {
  return o->separator.size > 0 && memchr(o->separator.data, byte, o->separator.size) != NULL;
}

static const char *wrong_byte(const fastio_csv_options *o, role which) {
  int byte = byte_of(o, which);
  if (byte == FASTIO_NONE && which != DECIMAL) return NULL;
  if (byte < 0 || byte > 0x7F) return role_texts[which].not_ascii;
  if (is_newline(o, byte)) return role_texts[which].newline;
  if (separates_by_blanks(o) && (byte == ' ' || byte == '\t')) return role_texts[which].blank;
  if (is_in_separator(o, byte) && !may_be_in_separator(o, which)) return role_texts[which].separator;
  return NULL;
}

static const char *wrong_bytes(const fastio_csv_options *o) {
  const char *wrong = NULL;
  if (o->newline != FASTIO_NEWLINE_LF && o->newline != FASTIO_NEWLINE_ANY && (o->newline < 0 || o->newline > 0x7F))
    return "newline must be FASTIO_NEWLINE_LF, FASTIO_NEWLINE_ANY or an ASCII byte";
  for (int which = 0; !wrong && which < ROLES; which++) wrong = wrong_byte(o, (role)which);
  for (size_t i = 0; !wrong && i < sizeof pairs / sizeof *pairs; i++) {
    int first = byte_of(o, pairs[i].first);
    if (first != FASTIO_NONE && first == byte_of(o, pairs[i].second)) wrong = pairs[i].text;
  }
  return wrong;
}

/* In the place of a point these would make numbers ambiguous. */
static bool may_stand_in_number(int byte) {
  int letter = byte | 0x20;
  return (byte >= '0' && byte <= '9') || (letter >= 'a' && letter <= 'z') || byte == '+' || byte == '-' || byte == '%';
}

static const char *wrong_spelling(const fastio_csv_options *o) {
  if (may_stand_in_number(o->decimal)) return "decimal must not be a digit, letter or sign";
  if (may_stand_in_number(o->thousands)) return "thousands must not be a digit, letter or sign";
  return NULL;
}

/* ---- where fields end ---- */

static const char *wrong_separator(const fastio_csv_options *o) {
  const uint8_t *data = o->separator.data;
  if (o->separator.size == 0) {
    if (o->flags & FASTIO_CSV_TRAILING_SEPARATOR) return "white space around a record never starts a field";
    return o->newline == ' ' || o->newline == '\t' ? "newline must not be a space or tab if white space separates"
                                                   : NULL;
  }
  for (size_t i = 0; i < o->separator.size; i++)
    if (is_newline(o, data[i])) return "separator must not contain a newline";
  if (fastio__utf8_prefix(data, o->separator.size) != o->separator.size) return "separator must be UTF-8";
  return NULL;
}

/* `o` still has the default separator and quote if the caller did not think of them. */
static const char *wrong_widths(const fastio_csv_options *o) {
  uint64_t end = 0;
  if (o->width_count == 0) return "widths must not be empty";
  if (o->names && o->name_count != o->width_count) return "names and widths differ in number";
  if (o->separator.size > 1 || (o->separator.size == 1 && memcmp(o->separator.data, ",", 1) != 0))
    return "fields of fixed widths have no separator";
  if (o->quote != FASTIO_NONE && o->quote != '"') return "fields of fixed widths have no quotes";
  if (o->escape != FASTIO_NONE) return "fields of fixed widths have no escape";
  if (o->flags & FASTIO_CSV_TRAILING_SEPARATOR) return "fields of fixed widths have no trailing separator";
  for (size_t i = 0; i < o->width_count; i++) {
    if (o->widths[i].start >= o->widths[i].end) return "a field of fixed width must have at least one byte";
    if (o->widths[i].start < end) return "fields of fixed widths must be in order and must not overlap";
    if (o->widths[i].end > SIZE_MAX / 2) return "fields of fixed widths must fit memory";
    end = o->widths[i].end;
  }
  return NULL;
}

/* ---- schema ---- */

static const char *wrong_texts(const fastio_bytes *texts, size_t count) {
  if (count && !texts) return "null_values must not be NULL";
  for (size_t i = 0; i < count; i++)
    if (texts[i].size && !texts[i].data) return "null_values must not be NULL";
  return NULL;
}

static const char *wrong_names(const fastio_csv_options *o) {
  if (o->name_count && !o->names) return "names must not be NULL";
  if (o->names && o->name_count == 0) return "names must not be empty";
  for (size_t i = 0; i < o->name_count; i++) {
    const char *name = o->names[i];
    if (!name) return "names must not be NULL";
    if (fastio__utf8_prefix((const uint8_t *)name, strlen(name)) != strlen(name)) return "names must be UTF-8";
  }
  return NULL;
}

static const char *wrong_rules(const fastio_csv_options *o) {
  const char *wrong = NULL;
  if (o->rule_count && !o->rules) return "rules must not be NULL";
  for (size_t i = 0; !wrong && i < o->rule_count; i++) {
    const fastio_column_rule *rule = &o->rules[i];
    if (rule->type && (!fastio_type_name(rule->type) || rule->type == FASTIO_BINARY))
      return "the type of a rule must be one that a column of a table can have";
    if (rule->is_pattern && !rule->name) return "a rule with a pattern needs it as its name";
    wrong = wrong_texts(rule->null_values, rule->null_count);
  }
  return wrong;
}

static const char *wrong_matrix(const fastio_csv_options *o) {
  fastio_type type = (fastio_type)0;
  if (o->on_bad == FASTIO_BAD_STRING) return "a bad cell can't make a column of a matrix one of strings";
  for (size_t i = 0; i < o->rule_count; i++)
    if (o->rules[i].type) type = o->rules[i].type;
  return type ? NULL : "a matrix needs a rule with its type of numbers";
}

static const char *wrong_schema(const fastio_csv_options *o) {
  const char *wrong = wrong_names(o);
  if (!wrong) wrong = wrong_rules(o);
  if (!wrong) wrong = wrong_texts(o->null_values, o->null_count);
  if (!wrong && o->column_count && !o->columns) wrong = "columns must not be NULL";
  if (!wrong && (o->flags & FASTIO_CSV_MATRIX)) wrong = wrong_matrix(o);
  return wrong;
}

/* ---- all of it ---- */

static const char *wrong_leniency(const fastio_csv_options *o) {
  switch (o->on_ragged) {
    case FASTIO_RAGGED_ERROR:
    case FASTIO_RAGGED_PAD:
    case FASTIO_RAGGED_TRUNCATE:
    case FASTIO_RAGGED_PAD | FASTIO_RAGGED_TRUNCATE:
    case FASTIO_RAGGED_SKIP: break;
    case FASTIO_RAGGED_CALL:
      if (!o->ragged) return "FASTIO_RAGGED_CALL needs a callback";
      break;
    default: return "on_ragged: only FASTIO_RAGGED_PAD and FASTIO_RAGGED_TRUNCATE can be combined";
  }
  if (o->on_bad != FASTIO_BAD_ERROR && o->on_bad != FASTIO_BAD_NULL && o->on_bad != FASTIO_BAD_STRING)
    return "on_bad must be FASTIO_BAD_ERROR, FASTIO_BAD_NULL or FASTIO_BAD_STRING";
  if (o->partial < FASTIO_PARTIAL_EMIT || o->partial > FASTIO_PARTIAL_ERROR)
    return "partial must be FASTIO_PARTIAL_EMIT, FASTIO_PARTIAL_HOLD or FASTIO_PARTIAL_ERROR";
  return NULL;
}

static const unsigned ALL_FLAGS = 2 * FASTIO_CSV_DICTIONARY - 1; /* the last one */

static const char *complaint(const fastio_csv_options *o) {
  const char *wrong;
  if (o->flags & ~ALL_FLAGS) return "flags has bits that mean nothing";
  if (o->quote_mode != FASTIO_QUOTE_STRICT && o->quote_mode != FASTIO_QUOTE_LITERAL)
    return "quote_mode must be FASTIO_QUOTE_STRICT or FASTIO_QUOTE_LITERAL";
  if (o->header != 0 && o->header != 1) return "header must be 0 or 1";
  if ((o->flags & FASTIO_CSV_COMMENT_ANYWHERE) && o->comment == FASTIO_NONE)
    return "FASTIO_CSV_COMMENT_ANYWHERE needs a comment byte";
  if (o->width_count && !o->widths) return "widths must not be NULL";
  wrong = o->widths ? NULL : wrong_separator(o);
  if (!wrong) wrong = wrong_bytes(o);
  if (!wrong) wrong = wrong_spelling(o);
  if (!wrong) wrong = wrong_schema(o);
  return wrong ? wrong : wrong_leniency(o);
}

enum { BLOCK_MAX = 1 << 30 };

fastio_status fastio__csv_options_get(const fastio_csv_options *given, fastio_csv_options *out, fastio_error *err) {
  const char *wrong = NULL;
  fastio_csv_options_init(out);
  if (given) {
    if (given->size < offsetof(fastio_csv_options, reserved))
      return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the options were not initialised");
    memcpy(out, given, given->size < sizeof *out ? given->size : sizeof *out);
    out->size = sizeof *out;
    if (out->block_size > BLOCK_MAX)
      out->block_size = BLOCK_MAX; /* the result is the same, and sums of a few don't overflow */
  }
  if (out->separator.size && !out->separator.data) wrong = "separator must not be NULL";
  if (!wrong && out->widths) {
    wrong = wrong_widths(out);
    out->separator = (fastio_bytes){NULL, 0};
    out->quote = FASTIO_NONE;
  }
  if (!wrong) wrong = complaint(out);
  return wrong ? fastio__fail(err, FASTIO_INVALID_ARGUMENT, wrong) : FASTIO_OK;
}
