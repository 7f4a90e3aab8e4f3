/* The options of tables: dialect, schema, leniency. What the option functions of options.c need beside them: tables of
 * Lua become arrays of C, kept in the anchor table as long as the call, or the reader, lasts. */
#include <limits.h>
#include <stdlib.h>

#include "options.h"

#define READS (FLUA_READ_CSV | FLUA_OPEN_CSV)

static void set_flag(const Request *r, unsigned flag, bool on) {
  unsigned *flags = &r->out->csv.flags;
  *flags = on ? *flags | flag : *flags & ~flag;
}

/* One byte, or false for none. */
static int take_byte_or_none(const Request *r) {
  if (lua_isboolean(r->L, -1) && !lua_toboolean(r->L, -1)) return FASTIO_NONE;
  return flua_take_byte(r);
}

/* The string, kept; it ends with its only NUL, as the core wants names. */
static const char *take_name(const Request *r) {
  size_t size;
  const char *name = flua_take_string(r, &size);
  if (strlen(name) != size) flua_reject(r, "a column's name has a NUL byte in it");
  lua_pushvalue(r->L, -1);
  flua_keep(r);
  return name;
}

/* Columns are counted from 1 here, from 0 in the core. */
static uint64_t take_position(const Request *r) {
  return flua_take_count(r, 1, UINT64_MAX, "a column's name or its position, from 1,") - 1;
}

/* The value on the top, which has to be a list, has so many items. */
static size_t list_size(const Request *r, const char *expected) {
  if (!lua_istable(r->L, -1)) flua_complain(r, expected);
  return flua_rawlen(r->L, -1);
}

/* ---- dialect ---- */

static void set_sep(Request *r) {
  fastio_bytes *separator = &r->out->csv.separator;
  separator->data = NULL;
  separator->size = 0;
  if (lua_isboolean(r->L, -1) && !lua_toboolean(r->L, -1)) return;
  separator->data = flua_take_string(r, &separator->size);
  if (!separator->size) flua_reject(r, "one or more bytes expected, or false for white space");
  lua_pushvalue(r->L, -1);
  flua_keep(r);
}

static void set_quote(Request *r) { r->out->csv.quote = take_byte_or_none(r); }

static void set_quote_mode(Request *r) {
  static const char *const words[] = {"strict", "literal", NULL};
  static const int modes[] = {FASTIO_QUOTE_STRICT, FASTIO_QUOTE_LITERAL};
  r->out->csv.quote_mode = modes[flua_take_word(r, words)];
}

static void set_escape(Request *r) { r->out->csv.escape = take_byte_or_none(r); }

static void set_doublequote(Request *r) { set_flag(r, FASTIO_CSV_NO_DOUBLING, !flua_take_boolean(r)); }

static void set_comment(Request *r) { r->out->csv.comment = take_byte_or_none(r); }

static void set_comment_anywhere(Request *r) { set_flag(r, FASTIO_CSV_COMMENT_ANYWHERE, flua_take_boolean(r)); }

static void set_trim(Request *r) { set_flag(r, FASTIO_CSV_TRIM, flua_take_boolean(r)); }

static void set_trailing_sep(Request *r) {
  static const char *const words[] = {"field", "ignore", NULL};
  set_flag(r, FASTIO_CSV_TRAILING_SEPARATOR, flua_take_word(r, words) == 1);
}

static void set_blank_lines(Request *r) {
  static const char *const words[] = {"skip", "record", NULL};
  set_flag(r, FASTIO_CSV_BLANK_RECORDS, flua_take_word(r, words) == 1);
}

/* {first, last}: bytes of the line, counted from 1 as in string.sub. */
static fastio_span take_span(const Request *r) {
  static const char expected[] = "a list of widths or of {first, last}";
  fastio_span span;
  if (flua_rawlen(r->L, -1) != 2) flua_reject(r, "a list of widths or of {first, last} expected");
  lua_rawgeti(r->L, -1, 1);
  span.start = flua_take_count(r, 1, UINT64_MAX, expected) - 1;
  lua_rawgeti(r->L, -2, 2);
  span.end = flua_take_count(r, span.start + 1, UINT64_MAX, expected);
  lua_pop(r->L, 2);
  return span;
}

static void set_widths(Request *r) {
  static const char expected[] = "a list of widths or of {first, last}";
  size_t count = list_size(r, expected);
  fastio_span *spans = flua_keep_memory(r, count * sizeof *spans);
  uint64_t place = 0;
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(r->L, -1, (int)(i + 1));
    if (lua_istable(r->L, -1)) {
      spans[i] = take_span(r);
    } else {
      spans[i].start = place;
      spans[i].end = place + flua_take_count(r, 1, INT64_MAX, expected);
    }
    place = spans[i].end;
    lua_pop(r->L, 1);
  }
  r->out->csv.widths = spans;
  r->out->csv.width_count = count;
}

static void set_header(Request *r) { r->out->csv.header = flua_take_boolean(r); }

static void set_names(Request *r) {
  size_t count = list_size(r, "a list of names");
  const char **names = flua_keep_memory(r, count * sizeof *names);
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(r->L, -1, (int)(i + 1));
    names[i] = take_name(r);
    lua_pop(r->L, 1);
  }
  r->out->csv.names = names;
  r->out->csv.name_count = count;
}

static void set_repair_names(Request *r) { set_flag(r, FASTIO_CSV_REPAIR_NAMES, flua_take_boolean(r)); }

/* ---- which part ---- */

static void set_skip_rows(Request *r) {
  r->out->csv.skip_rows = flua_take_count(r, 0, UINT64_MAX, "a number of records");
}

static void set_max_rows(Request *r) {
  r->out->csv.max_rows = flua_take_count(r, 0, UINT64_MAX, "a number of records");
}

static void set_file_column(Request *r) { r->out->file_column = take_name(r); }

static void set_batch_rows(Request *r) {
  r->out->csv.batch_rows = flua_take_count(r, 1, UINT64_MAX, "a number of records, 1 or more,");
}

static void set_batch_bytes(Request *r) {
  r->out->csv.batch_bytes = flua_take_count(r, 1, UINT64_MAX, "a number of bytes, 1 or more,");
}

static void set_nbytes(Request *r) {
  r->out->partition_bytes = flua_take_count(r, 1, UINT64_MAX, "a number of bytes, 1 or more,");
}

/* {offset[, length]}, as partition gives them; at_record says that a record starts there. */
static void set_range(Request *r) {
  static const char expected[] = "{offset, length}";
  lua_State *L = r->L;
  if (!lua_istable(L, -1)) flua_complain(r, expected);
  lua_rawgeti(L, -1, 1);
  r->out->csv.offset = flua_take_count(r, 0, UINT64_MAX, expected);
  lua_rawgeti(L, -2, 2);
  r->out->csv.length = lua_isnil(L, -1) ? FASTIO_NO_OFFSET : flua_take_count(r, 0, UINT64_MAX, expected);
  lua_pushliteral(L, "at_record");
  lua_rawget(L, -4);
  set_flag(r, FASTIO_CSV_AT_RECORD, lua_toboolean(L, -1));
  lua_pop(L, 3);
}

static void set_usecols(Request *r) {
  size_t count = list_size(r, "a list of columns");
  fastio_column_ref *columns = flua_keep_memory(r, count * sizeof *columns);
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(r->L, -1, (int)(i + 1));
    if (lua_type(r->L, -1) == LUA_TSTRING) {
      columns[i].name = take_name(r);
    } else {
      columns[i].position = take_position(r);
    }
    lua_pop(r->L, 1);
  }
  r->out->csv.columns = columns;
  r->out->csv.column_count = count;
}

/* ---- values ---- */

static void set_quoted_null(Request *r) { set_flag(r, FASTIO_CSV_QUOTED_NULL, flua_take_boolean(r)); }

static void set_decimal(Request *r) { r->out->csv.decimal = flua_take_byte(r); }

static void set_thousands(Request *r) { r->out->csv.thousands = take_byte_or_none(r); }

static void set_percent(Request *r) { set_flag(r, FASTIO_CSV_PERCENT, flua_take_boolean(r)); }

static void set_unicode_minus(Request *r) { set_flag(r, FASTIO_CSV_UNICODE_MINUS, flua_take_boolean(r)); }

static void set_infer_rows(Request *r) {
  r->out->csv.infer_rows = flua_take_count(r, 0, UINT64_MAX, "a number of records");
}

static void set_big_ints(Request *r) {
  static const char *const words[] = {"string", "float", NULL};
  set_flag(r, FASTIO_CSV_FLOAT_FOR_BIG, flua_take_word(r, words) == 1);
}

static void set_overflow(Request *r) {
  static const char *const words[] = {"ieee", "error", NULL};
  set_flag(r, FASTIO_CSV_OVERFLOW_ERROR, flua_take_word(r, words) == 1);
}

static void set_on_ragged(Request *r) {
  static const char *const words[] = {"error", "pad", "truncate", "fit", "skip", NULL};
  static const int ways[] = {FASTIO_RAGGED_ERROR, FASTIO_RAGGED_PAD, FASTIO_RAGGED_TRUNCATE,
                             FASTIO_RAGGED_PAD | FASTIO_RAGGED_TRUNCATE, FASTIO_RAGGED_SKIP};
  if (!lua_isfunction(r->L, -1)) {
    r->out->csv.on_ragged = ways[flua_take_word(r, words)];
    return;
  }
  r->out->csv.on_ragged = FASTIO_RAGGED_CALL;
  lua_pushvalue(r->L, -1);
  lua_rawseti(r->L, r->anchor, FLUA_ANCHOR_RAGGED);
}

static void set_on_bad(Request *r) {
  static const char *const words[] = {"error", "null", "string", NULL};
  static const int ways[] = {FASTIO_BAD_ERROR, FASTIO_BAD_NULL, FASTIO_BAD_STRING};
  r->out->csv.on_bad = ways[flua_take_word(r, words)];
}

/* ---- what becomes rules, once all options are known ---- */

static fastio_type take_type(const Request *r) {
  const char *name = flua_take_string(r, NULL);
  if (strcmp(name, "str") == 0) return FASTIO_STRING;
  fastio_type type = fastio_type_from_name(name);
  if (!type || type == FASTIO_BINARY) flua_reject(r, "the name of a type expected, such as 'int64' or 'string'");
  return type;
}

/* One type for all columns, or {"int64", ...} by position, or {a = "int64", ...}. */
static void set_dtype(Request *r) {
  if (!lua_istable(r->L, -1)) take_type(r);
  lua_pushvalue(r->L, -1);
  lua_rawseti(r->L, r->anchor, FLUA_ANCHOR_TYPES);
}

/* Whether the table on the top is no list: it has other keys than 1, 2, 3 ..., or tables in it. (The length alone does
 * not tell: that of {[2] = "-"} may be 2, that of {[1] = {"-"}} is 1.) */
static bool is_map(lua_State *L) {
  size_t length = flua_rawlen(L, -1), count = 0;
  bool has_tables = false;
  lua_pushnil(L);
  for (; lua_next(L, -2); lua_pop(L, 1)) {
    count++;
    has_tables = has_tables || lua_istable(L, -1);
  }
  return has_tables || count != length;
}

/* A text or a list of texts for all columns, or {a = "-", ...}. */
static void set_null_values(Request *r) {
  lua_State *L = r->L;
  bool by_column = lua_istable(L, -1) && is_map(L);
  if (!by_column) r->out->csv.null_values = flua_take_texts(r, &r->out->csv.null_count);
  if (by_column) {
    lua_pushvalue(L, -1);
  } else {
    lua_pushnil(L); /* in the place of a dialect's map */
  }
  lua_rawseti(L, r->anchor, FLUA_ANCHOR_NULLS);
}

/* true: every column of strings whose type is inferred; or the names or positions of columns. */
static void set_dictionary(Request *r) {
  bool is_list = !lua_isboolean(r->L, -1);
  if (is_list) list_size(r, "a list of columns or a boolean");
  set_flag(r, FASTIO_CSV_DICTIONARY, !is_list && lua_toboolean(r->L, -1));
  if (is_list) {
    lua_pushvalue(r->L, -1);
  } else {
    lua_pushnil(r->L); /* in the place of a dialect's list */
  }
  lua_rawseti(r->L, r->anchor, FLUA_ANCHOR_DICTIONARY);
}

static size_t count_entries(const Request *r, int slot) {
  size_t count = 1;
  lua_rawgeti(r->L, r->anchor, slot);
  if (lua_istable(r->L, -1)) {
    lua_pushnil(r->L);
    for (; lua_next(r->L, -2); lua_pop(r->L, 1)) count++;
  }
  lua_pop(r->L, 1);
  return count;
}

/* Fills in which columns a rule is for, from the key below the top. */
static void take_key(const Request *r, fastio_column_rule *rule) {
  lua_pushvalue(r->L, -2);
  if (lua_type(r->L, -1) == LUA_TSTRING) {
    rule->name = take_name(r);
    rule->is_pattern = strpbrk(rule->name, "*?") != NULL;
  } else {
    rule->position = take_position(r);
  }
  lua_pop(r->L, 1);
}

typedef void (*entry_function)(const Request *r, fastio_column_rule *rule);

static void take_type_entry(const Request *r, fastio_column_rule *rule) {
  take_key(r, rule);
  rule->type = take_type(r);
}

static void take_null_entry(const Request *r, fastio_column_rule *rule) {
  take_key(r, rule);
  rule->null_values = flua_take_texts(r, &rule->null_count);
}

/* Of a list: the columns are the values. */
static void take_dictionary_entry(const Request *r, fastio_column_rule *rule) {
  lua_pushvalue(r->L, -1);
  lua_pushvalue(r->L, -2);
  take_key(r, rule);
  lua_pop(r->L, 2);
  rule->type = FASTIO_DICTIONARY;
}

/* One rule for each entry of the table in the slot. */
static fastio_column_rule *add_rules(Request *r, int slot, const char *name, entry_function take,
                                     fastio_column_rule *rule) {
  r->name = name;
  lua_rawgeti(r->L, r->anchor, slot);
  if (lua_istable(r->L, -1)) {
    lua_pushnil(r->L);
    for (; lua_next(r->L, -2); lua_pop(r->L, 1)) take(r, rule++);
  } else if (!lua_isnil(r->L, -1)) {
    rule->position = FASTIO_EVERY_COLUMN;
    rule->type = take_type(r);
    rule++;
  }
  lua_pop(r->L, 1);
  return rule;
}

/* A later rule overrides an earlier one, and a table of Lua has no order. So: what is for all columns, then patterns,
 * short ones first, then positions, then names. */
static int rank(const fastio_column_rule *rule) {
  if (rule->name) return rule->is_pattern ? 1 : 3;
  return rule->position == FASTIO_EVERY_COLUMN ? 0 : 2;
}

static int compare_rules(const void *left, const void *right) {
  const fastio_column_rule *a = left, *b = right;
  if (rank(a) != rank(b)) return rank(a) - rank(b);
  if (!a->name) return a->position < b->position ? -1 : a->position > b->position;
  size_t size_a = strlen(a->name), size_b = strlen(b->name);
  if (size_a != size_b) return size_a < size_b ? -1 : 1;
  return strcmp(a->name, b->name);
}

static void build_rules(Request *r) {
  size_t capacity = count_entries(r, FLUA_ANCHOR_TYPES) + count_entries(r, FLUA_ANCHOR_NULLS) +
                    count_entries(r, FLUA_ANCHOR_DICTIONARY);
  fastio_column_rule *rules = flua_keep_memory(r, capacity * sizeof *rules), *end = rules;
  end = add_rules(r, FLUA_ANCHOR_TYPES, "dtype", take_type_entry, end);
  end = add_rules(r, FLUA_ANCHOR_NULLS, "null_values", take_null_entry, end);
  qsort(rules, (size_t)(end - rules), sizeof *rules, compare_rules);
  end = add_rules(r, FLUA_ANCHOR_DICTIONARY, "dictionary", take_dictionary_entry, end);
  r->out->csv.rules = rules;
  r->out->csv.rule_count = (size_t)(end - rules);
}

/* Behind the rules that there are: the later ones win. The schema's names are kept by who keeps the schema. */
void flua_fix_types(lua_State *L, int anchor, Options *options, const fastio_table *schema) {
  const Request r = {L, "dtype", FLUA_OPEN_CSV, anchor, options};
  fastio_csv_options *csv = &options->csv;
  const size_t count = csv->rule_count + schema->column_count;
  fastio_column_rule *rules = flua_keep_memory(&r, count * sizeof *rules);
  if (csv->rule_count) memcpy(rules, csv->rules, csv->rule_count * sizeof *rules);
  for (size_t i = 0; i < schema->column_count; i++) {
    fastio_column_rule *rule = &rules[csv->rule_count + i];
    rule->name = schema->names[i].data;
    rule->type = schema->columns[i]->type;
  }
  csv->rules = rules;
  csv->rule_count = count;
}

/* ---- all of them ---- */

/* Was looked at before the others; see flua_options. */
static void check_dialect(Request *r) {
  if (!lua_istable(r->L, -1)) flua_complain(r, "a table of options");
}

const Option flua_csv_options[] = {
    {"sep", FLUA_CSV, set_sep},
    {"quote", FLUA_CSV, set_quote},
    {"quote_mode", FLUA_CSV, set_quote_mode},
    {"escape", FLUA_CSV, set_escape},
    {"doublequote", FLUA_CSV, set_doublequote},
    {"comment", FLUA_CSV, set_comment},
    {"comment_anywhere", FLUA_CSV, set_comment_anywhere},
    {"trim", FLUA_CSV, set_trim},
    {"trailing_sep", FLUA_CSV, set_trailing_sep},
    {"blank_lines", FLUA_CSV, set_blank_lines},
    {"widths", FLUA_CSV, set_widths},
    {"header", FLUA_CSV, set_header},
    {"names", FLUA_CSV, set_names},
    {"repair_names", FLUA_CSV, set_repair_names},
    {"skip_rows", FLUA_CSV, set_skip_rows},
    {"max_rows", FLUA_CSV, set_max_rows},
    {"file_column", READS, set_file_column},
    {"batch_rows", FLUA_OPEN_CSV, set_batch_rows},
    {"batch_bytes", FLUA_OPEN_CSV, set_batch_bytes},
    {"nbytes", FLUA_PARTITION, set_nbytes},
    {"range", READS, set_range},
    {"usecols", FLUA_CSV, set_usecols},
    {"dtype", FLUA_CSV, set_dtype},
    {"dictionary", FLUA_CSV, set_dictionary},
    {"null_values", FLUA_CSV, set_null_values},
    {"quoted_null", FLUA_CSV, set_quoted_null},
    {"decimal", FLUA_CSV, set_decimal},
    {"thousands", FLUA_CSV, set_thousands},
    {"percent", FLUA_CSV, set_percent},
    {"unicode_minus", FLUA_CSV, set_unicode_minus},
    {"infer_rows", FLUA_CSV, set_infer_rows},
    {"big_ints", FLUA_CSV, set_big_ints},
    {"overflow", FLUA_CSV, set_overflow},
    {"on_ragged", FLUA_CSV, set_on_ragged},
    {"on_bad", FLUA_CSV, set_on_bad},
    {"dialect", FLUA_CSV, check_dialect},
    {NULL, 0, NULL},
};

void flua_start_csv(Options *out) { fastio_csv_options_init(&out->csv); }

/* Options that are the same for all readers were set in those of the others. */
void flua_finish_csv(Request *r) {
  const fastio_read_options *read = &r->out->read;
  fastio_csv_options *csv = &r->out->csv;
  csv->threads = read->threads;
  csv->block_size = read->block_size;
  csv->skip_lines = read->skip_lines;
  csv->newline = read->newline;
  csv->partial = read->partial;
  build_rules(r);
}
