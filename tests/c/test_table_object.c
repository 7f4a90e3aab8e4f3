/* Tables as objects: options and what contradicts what, names and rules, ownership, exports; and every allocation
 * fails once. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "../../libfastio/src/table/table.h"
#include "books.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

/* ---- options ---- */

static void initial_options(void) {
  static const fastio_csv_options macro = FASTIO_CSV_OPTIONS_INIT;
  fastio_csv_options o, got;
  memset(&o, 0xa5, sizeof o);
  fastio_csv_options_init(&o);
  CHECK(o.size == sizeof o && o.env == NULL && o.offset == 0 && o.length == FASTIO_NO_OFFSET);
  CHECK(o.max_rows == FASTIO_NO_OFFSET && o.batch_rows == 0 && o.batch_bytes == 0 && o.threads == 0);
  CHECK(o.block_size == 0 && o.flags == 0 && o.poll == NULL && o.poll_ctx == NULL);
  CHECK_BYTES(o.separator.data, o.separator.size, ",");
  CHECK(o.widths == NULL && o.width_count == 0 && o.quote == '"' && o.quote_mode == FASTIO_QUOTE_STRICT);
  CHECK(o.escape == FASTIO_NONE && o.newline == FASTIO_NEWLINE_LF && o.comment == FASTIO_NONE);
  CHECK(o.skip_lines == 0 && o.skip_rows == 0 && o.header == 1 && o.names == NULL && o.name_count == 0);
  CHECK(o.rules == NULL && o.rule_count == 0 && o.columns == NULL && o.column_count == 0);
  CHECK(o.null_count == 1 && o.null_values[0].size == 0 && o.infer_rows == FASTIO_NO_OFFSET);
  CHECK(o.decimal == '.' && o.thousands == FASTIO_NONE && o.on_ragged == FASTIO_RAGGED_ERROR);
  CHECK(o.on_bad == FASTIO_BAD_ERROR && o.ragged == NULL && o.ragged_ctx == NULL);
  for (size_t i = 0; i < COUNT(o.reserved); i++) CHECK_INT(o.reserved[i], 0);
  /* The macro says the same, whatever copy of the empty text it points to. */
  CHECK(macro.null_count == 1 && macro.null_values[0].size == 0);
  got = macro;
  got.null_values = o.null_values;
  got.separator = o.separator;
  CHECK_BYTES(macro.separator.data, macro.separator.size, ",");
  CHECK(memcmp(&got.size, &o.size, sizeof o.size) == 0 && got.length == o.length && got.max_rows == o.max_rows);
  CHECK(got.quote == o.quote && got.quote_mode == o.quote_mode && got.escape == o.escape);
  CHECK(got.newline == o.newline && got.comment == o.comment && got.header == o.header);
  CHECK(got.infer_rows == o.infer_rows && got.decimal == o.decimal && got.thousands == o.thousands);
  CHECK(got.on_ragged == o.on_ragged && got.on_bad == o.on_bad && got.flags == o.flags);
  CHECK_STATUS(fastio__csv_options_get(NULL, &got, NULL), FASTIO_OK);
  CHECK(got.header == 1 && got.separator.size == 1);
}

/* A caller compiled with an older header has a shorter struct; one that forgot to initialise has none. */
static void sizes_of_options(void) {
  fastio_csv_options o = FASTIO_CSV_OPTIONS_INIT, got;
  o.decimal = ',';
  o.separator = (fastio_bytes)TEXT(";");
  o.size = offsetof(fastio_csv_options, reserved);
  CHECK_STATUS(fastio__csv_options_get(&o, &got, NULL), FASTIO_OK);
  CHECK(got.decimal == ',' && got.size == sizeof got);
  o.size = sizeof o + 64;
  CHECK_STATUS(fastio__csv_options_get(&o, &got, NULL), FASTIO_OK);
  o.size = offsetof(fastio_csv_options, reserved) - 1;
  CHECK_STATUS(fastio__csv_options_get(&o, &got, NULL), FASTIO_INVALID_ARGUMENT);
  o.size = 0;
  CHECK_STATUS(fastio__csv_options_get(&o, &got, NULL), FASTIO_INVALID_ARGUMENT);
}

static int on_ragged(void *ctx, const fastio_bytes *fields, size_t count, size_t expected, const fastio_bytes **out) {
  (void)ctx, (void)fields, (void)count, (void)expected, (void)out;
  return 0;
}

static const fastio_span good_widths[] = {{0, 3}, {5, 6}}, touching[] = {{0, 3}, {3, 4}},
                         overlapping[] = {{0, 3}, {2, 4}}, unsorted[] = {{5, 6}, {0, 3}},
                         empty_width[] = {{0, 3}, {4, 4}}, reversed[] = {{3, 0}}, endless[] = {{0, FASTIO_NO_OFFSET}};
static const char *const names_a_b[] = {"a", "b"}, *const names_null[] = {"a", NULL}, *const names_bad[] = {"\xff"};
static const fastio_bytes na[] = {TEXT("NA")}, no_text[] = {{NULL, 2}};
static const fastio_column_rule int_rule[] = {{NULL, 0, FASTIO_EVERY_COLUMN, FASTIO_INT64, NULL, 0, {0}}},
                                bad_type[] = {{"a", 0, 0, (fastio_type)99, NULL, 0, {0}}},
                                bytes_type[] = {{"a", 0, 0, FASTIO_BINARY, NULL, 0, {0}}},
                                no_pattern[] = {{NULL, 1, 0, FASTIO_INT64, NULL, 0, {0}}},
                                no_nulls[] = {{"a", 0, 0, (fastio_type)0, NULL, 1, {0}}},
                                no_null_text[] = {{"a", 0, 0, (fastio_type)0, no_text, 1, {0}}};

/* Each sets what the message must speak of: "" where all is well. */
static const char *set_option(int trial, fastio_csv_options *o) {
  int n = 0;
#define TRY(message, ...) \
  if (trial == n++) {     \
    __VA_ARGS__;          \
    return message;       \
  }
#define SEP(text) o->separator = (fastio_bytes)TEXT(text)
#define WIDTHS(array) o->widths = array, o->width_count = COUNT(array)
  TRY("", SEP("\t"), o->newline = FASTIO_NEWLINE_ANY)
  TRY("", SEP("::"))
  TRY("", SEP("\0"))
  TRY("", SEP("\xc2\xa7"))
  TRY("", SEP("\n"), o->newline = 0x1e)
  TRY("separator must be UTF-8", SEP("\xa7"))
  TRY("separator must not contain a newline", SEP("\n"))
  TRY("separator must not contain a newline", SEP(",\r"))
  TRY("separator must not contain a newline", SEP(";"), o->newline = ';')
  TRY("separator must not be NULL", o->separator = (fastio_bytes){NULL, 1})
  TRY("quote must not be in the separator", SEP("\""))
  TRY("quote must not be in the separator", SEP("|\"|"))
  TRY("", SEP("|\"|"), o->quote = FASTIO_NONE)
  TRY("quote must not be a newline", o->quote = '\n')
  TRY("quote must be FASTIO_NONE or an ASCII byte", o->quote = 0x80)
  TRY("quote must be FASTIO_NONE or an ASCII byte", o->quote = 256)
  TRY("quote must be FASTIO_NONE or an ASCII byte", o->quote = -2)
  TRY("", o->quote = '\'')
  TRY("", o->quote = FASTIO_NONE, o->escape = '\\')
  TRY("escape must not be the quote", o->escape = '"')
  TRY("escape must not be in the separator", o->escape = ',')
  TRY("escape must not be a newline", o->escape = '\r')
  TRY("", o->comment = '#', o->flags = FASTIO_CSV_COMMENT_ANYWHERE)
  TRY("FASTIO_CSV_COMMENT_ANYWHERE needs", o->flags = FASTIO_CSV_COMMENT_ANYWHERE)
  TRY("comment must not be the quote", o->comment = '"')
  TRY("comment must not be the escape", o->comment = '\\', o->escape = '\\')
  TRY("comment must not be in the separator", o->comment = ',')
  TRY("comment must not be a newline", o->comment = '\n')
  TRY("comment must not be the decimal point", o->comment = '.')
  TRY("newline must be", o->newline = -3)
  TRY("newline must be", o->newline = 0x80)
  TRY("decimal must not be in the separator", o->decimal = ',')
  TRY("", o->decimal = ',', SEP(";"))
  TRY("", o->decimal = ',', SEP(";"), o->thousands = '.')
  TRY("", o->thousands = ' ')
  TRY("", o->thousands = ',') /* "1,234" in quotes */
  TRY("thousands must not be in the separator", o->thousands = ',', o->quote = FASTIO_NONE)
  TRY("thousands must not be the decimal point", o->thousands = '.')
  TRY("thousands must not be the quote", o->thousands = '"')
  TRY("thousands must not be a digit", o->thousands = '0')
  TRY("decimal must not be a digit", o->decimal = 'e')
  TRY("decimal must not be a digit", o->decimal = '-')
  TRY("decimal must not be a digit", o->decimal = '%')
  TRY("decimal must be an ASCII byte", o->decimal = FASTIO_NONE)
  /* White space. */
  TRY("", SEP(""))
  TRY("white space around a record", SEP(""), o->flags = FASTIO_CSV_TRAILING_SEPARATOR)
  TRY("", o->flags = FASTIO_CSV_TRAILING_SEPARATOR)
  TRY("quote must not be a space", SEP(""), o->quote = ' ')
  TRY("thousands must not be a space", SEP(""), o->thousands = ' ')
  TRY("comment must not be a space", SEP(""), o->comment = '\t')
  TRY("newline must not be a space", SEP(""), o->newline = ' ')
  /* Fixed widths. */
  TRY("", WIDTHS(good_widths))
  TRY("", WIDTHS(touching), SEP(""), o->quote = FASTIO_NONE)
  TRY("", WIDTHS(good_widths), o->decimal = ',')
  TRY("", WIDTHS(good_widths), o->names = names_a_b, o->name_count = 2)
  TRY("names and widths differ", WIDTHS(good_widths), o->names = names_a_b, o->name_count = 1)
  TRY("fields of fixed widths must be in order", WIDTHS(overlapping))
  TRY("fields of fixed widths must be in order", WIDTHS(unsorted))
  TRY("a field of fixed width must have", WIDTHS(empty_width))
  TRY("a field of fixed width must have", WIDTHS(reversed))
  TRY("fields of fixed widths must fit memory", WIDTHS(endless))
  TRY("widths must not be empty", o->widths = good_widths)
  TRY("widths must not be NULL", o->width_count = 1)
  TRY("fields of fixed widths have no separator", WIDTHS(good_widths), SEP(";"))
  TRY("fields of fixed widths have no separator", WIDTHS(good_widths), SEP(",,"))
  TRY("separator must not be NULL", WIDTHS(good_widths), o->separator = (fastio_bytes){NULL, 1})
  TRY("fields of fixed widths have no quotes", WIDTHS(good_widths), o->quote = '\'')
  TRY("fields of fixed widths have no escape", WIDTHS(good_widths), o->escape = '\\')
  TRY("fields of fixed widths have no trailing", WIDTHS(good_widths), o->flags = FASTIO_CSV_TRAILING_SEPARATOR)
  /* Schema. */
  TRY("header must be 0 or 1", o->header = 2)
  TRY("", o->names = names_a_b, o->name_count = 2, o->header = 0)
  TRY("names must not be NULL", o->name_count = 2)
  TRY("names must not be NULL", o->names = names_null, o->name_count = 2)
  TRY("names must not be empty", o->names = names_a_b)
  TRY("names must be UTF-8", o->names = names_bad, o->name_count = 1)
  TRY("", o->rules = int_rule, o->rule_count = 1)
  TRY("rules must not be NULL", o->rule_count = 1)
  TRY("the type of a rule", o->rules = bad_type, o->rule_count = 1)
  TRY("the type of a rule", o->rules = bytes_type, o->rule_count = 1)
  TRY("a rule with a pattern", o->rules = no_pattern, o->rule_count = 1)
  TRY("null_values must not be NULL", o->rules = no_nulls, o->rule_count = 1)
  TRY("null_values must not be NULL", o->rules = no_null_text, o->rule_count = 1)
  TRY("columns must not be NULL", o->column_count = 1)
  TRY("null_values must not be NULL", o->null_values = NULL)
  TRY("null_values must not be NULL", o->null_values = no_text)
  TRY("", o->null_values = NULL, o->null_count = 0)
  TRY("", o->null_values = na)
  TRY("a matrix needs a rule", o->flags = FASTIO_CSV_MATRIX)
  TRY("", o->flags = FASTIO_CSV_MATRIX, o->rules = int_rule, o->rule_count = 1)
  TRY("a bad cell can't make", o->flags = FASTIO_CSV_MATRIX, o->rules = int_rule, o->rule_count = 1,
      o->on_bad = FASTIO_BAD_STRING)
  /* Leniency, flags. */
  TRY("", o->on_ragged = FASTIO_RAGGED_PAD | FASTIO_RAGGED_TRUNCATE)
  TRY("", o->on_ragged = FASTIO_RAGGED_SKIP)
  TRY("on_ragged: only", o->on_ragged = FASTIO_RAGGED_SKIP | FASTIO_RAGGED_PAD)
  TRY("on_ragged: only", o->on_ragged = FASTIO_RAGGED_CALL | FASTIO_RAGGED_SKIP)
  TRY("on_ragged: only", o->on_ragged = -1)
  TRY("", o->on_ragged = FASTIO_RAGGED_CALL, o->ragged = on_ragged)
  TRY("FASTIO_RAGGED_CALL needs a callback", o->on_ragged = FASTIO_RAGGED_CALL)
  TRY("on_bad must be", o->on_bad = 3)
  TRY("quote_mode must be", o->quote_mode = 2)
  TRY("flags has bits", o->flags = 1u << 20)
  TRY("", o->flags = 2 * FASTIO_CSV_DICTIONARY - 1 - FASTIO_CSV_MATRIX - FASTIO_CSV_COMMENT_ANYWHERE)
  return NULL;
}

static void conflicts(void) {
  for (int trial = 0;; trial++) {
    fastio_csv_options o = FASTIO_CSV_OPTIONS_INIT, got;
    fastio_error err;
    const char *due = set_option(trial, &o);
    if (!due) break;
    fastio_status status = fastio__csv_options_get(&o, &got, &err);
    check_that(status == (*due ? FASTIO_INVALID_ARGUMENT : FASTIO_OK), __FILE__, __LINE__, "trial %d: %s, due \"%s\"",
               trial, status ? err.message : "ok", due);
    if (status != FASTIO_OK)
      check_that(strncmp(err.message, due, strlen(due)) == 0, __FILE__, __LINE__, "trial %d: \"%s\", due \"%s\"", trial,
                 err.message, due);
  }
}

static void widths_without_separator(void) {
  fastio_csv_options o = FASTIO_CSV_OPTIONS_INIT, got;
  o.widths = good_widths;
  o.width_count = COUNT(good_widths);
  CHECK_STATUS(fastio__csv_options_get(&o, &got, NULL), FASTIO_OK);
  CHECK(got.separator.size == 0 && got.quote == FASTIO_NONE && got.width_count == 2);
}

/* ---- names ---- */

static fastio_bytes text_of(const char *text) { return (fastio_bytes){text, strlen(text)}; }

/* A header such as "a|b||c", as the reader gives it: neither with NULs behind the names nor kept for long. */
static fastio_status init_schema(fastio__schema *schema, const fastio_csv_options *options, const char *header,
                                 fastio_error *err) {
  fastio_bytes fields[64];
  size_t count = 0, size = header ? strlen(header) : 0;
  char *copy = header ? malloc(size + 1) : NULL;
  fastio_status status;
  if (header) memcpy(copy, header, size);
  for (char *at = copy, *end = copy + size; header && at <= end; count++) {
    char *next = memchr(at, '|', (size_t)(end - at));
    if (!next) next = end;
    fields[count] = (fastio_bytes){at, (size_t)(next - at)};
    at = next + 1;
  }
  status = fastio__schema_init(schema, options, header ? fields : NULL, header ? count : 3, err);
  free(copy);
  return status;
}

/* The wanted columns' names, joined. */
static const char *joined(const fastio__schema *schema) {
  static char text[1000];
  char *at = text;
  text[0] = '\0';
  for (size_t i = 0; i < schema->column_count; i++) {
    fastio_bytes name = schema->fields[schema->columns[i]].name;
    CHECK(strlen(name.data) == name.size);
    at += sprintf(at, "%s%s", i ? "|" : "", (const char *)name.data);
  }
  return text;
}

static void expect_names(const fastio_csv_options *options, const char *header, const char *due) {
  fastio__schema schema;
  fastio_error err;
  fastio_status status = init_schema(&schema, options, header, &err);
  check_that(status == FASTIO_OK && strcmp(joined(&schema), due) == 0, __FILE__, __LINE__,
             "\"%s\" gives \"%s\", not \"%s\"", header ? header : "", status ? err.message : joined(&schema), due);
  if (status == FASTIO_OK) fastio__schema_free(&schema);
}

static void expect_error(const fastio_csv_options *options, const char *header, fastio_status due, uint64_t field,
                         const char *name, const char *message) {
  fastio__schema schema;
  fastio_error err;
  CHECK_STATUS(init_schema(&schema, options, header, &err), due);
  CHECK_INT(err.field, field);
  CHECK(err.field_name_size == strlen(name) && memcmp(err.field_name, name, strlen(name)) == 0);
  CHECK(err.offset == FASTIO_NO_OFFSET && err.line == 0 && err.record == 0);
  check_that(strstr(err.message, message) != NULL, __FILE__, __LINE__, "\"%s\" says nothing of \"%s\"", err.message,
             message);
}

static void names(void) {
  static const char *const given[] = {"x", "y", "z", "w"};
  fastio_csv_options o = FASTIO_CSV_OPTIONS_INIT;
  expect_names(&o, "a|b|c", "a|b|c");
  expect_names(&o, "a", "a");
  expect_names(&o, NULL, "column_1|column_2|column_3");
  o.names = given;
  o.name_count = COUNT(given);
  expect_names(&o, "a|b|c", "x|y|z|w"); /* the options decide how many */
  expect_names(&o, NULL, "x|y|z|w");
}

static void names_that_are_no_good(void) {
  static const char *const twice[] = {"x", "y", "x"}, *const empty[] = {"x", ""};
  static const char long_name[] = "a_name_that_is_much_longer_than_the_text_which_an_error_can_keep_of_it_"
                                  "a_name_that_is_much_longer_than_the_text_which_an_error_can_keep_of_it";
  fastio_csv_options o = FASTIO_CSV_OPTIONS_INIT;
  char header[500], shown[FASTIO_ERROR_TEXT_MAX + 1] = "";
  expect_error(&o, "a|b|a", FASTIO_BAD_HEADER, 3, "a", "repair_names");
  expect_error(&o, "a|b||c|", FASTIO_BAD_HEADER, 3, "", "repair_names");
  expect_error(&o, "", FASTIO_BAD_HEADER, 1, "", "repair_names");
  sprintf(header, "%s|%s", long_name, long_name);
  memcpy(shown, long_name, FASTIO_ERROR_TEXT_MAX);
  expect_error(&o, header, FASTIO_BAD_HEADER, 2, shown, "repair_names");
  o.names = twice;
  o.name_count = COUNT(twice);
  expect_error(&o, "a|b|c", FASTIO_INVALID_ARGUMENT, 3, "x", "repair_names");
  o.names = empty;
  o.name_count = COUNT(empty);
  expect_error(&o, NULL, FASTIO_INVALID_ARGUMENT, 2, "", "repair_names");
}

static void repaired_names(void) {
  static const char *const given[] = {"x", "x", ""};
  fastio_csv_options o = FASTIO_CSV_OPTIONS_INIT;
  o.flags = FASTIO_CSV_REPAIR_NAMES;
  expect_names(&o, "a|b|c", "a|b|c");
  expect_names(&o, "a|b|a", "a|b|a_2");
  expect_names(&o, "a|a|a|a", "a|a_2|a_3|a_4");
  expect_names(&o, "|a|", "column_1|a|column_3");
  expect_names(&o, "a|a|a_2", "a|a_3|a_2"); /* who has a name keeps it */
  expect_names(&o, "a_2|a|a|a_2|a", "a_2|a|a_3|a_2_2|a_4");
  expect_names(&o, "|column_1", "column_1_2|column_1"); /* so does this one */
  expect_names(&o, "column_2|", "column_2|column_2_2");
  expect_names(&o, "column||column", "column|column_2|column_3");
  expect_names(&o, "", "column_1");
  expect_names(&o, "a||a||b|b", "a|column_2|a_2|column_4|b|b_2");
  o.names = given;
  o.name_count = COUNT(given);
  expect_names(&o, NULL, "x|x_2|column_3");
}

static bool is_name(fastio_bytes name, const char *text) {
  return name.size == strlen(text) && memcmp(name.data, text, name.size) == 0;
}

/* Every header of up to five of these: no name twice or empty, and whoever has one first keeps it. */
static void every_repair(void) {
  static const char *const words[] = {"", "a", "a_2", "a_3", "a_2_2", "column_1", "column_3"};
  fastio_csv_options o = FASTIO_CSV_OPTIONS_INIT;
  o.flags = FASTIO_CSV_REPAIR_NAMES;
  for (size_t trial = 0; trial < 7 * 7 * 7 * 7 * 7; trial++) {
    fastio_bytes header[5];
    fastio__schema schema;
    size_t digits = trial, distinct = 0, kept = 0;
    for (size_t i = 0; i < 5; i++, digits /= 7) header[i] = text_of(words[digits % 7]);
    CHECK_STATUS(fastio__schema_init(&schema, &o, header, 5, NULL), FASTIO_OK);
    for (size_t i = 0; i < 5; i++) {
      bool first = header[i].size > 0, alone = schema.fields[i].name.size > 0;
      for (size_t k = 0; k < i; k++) {
        if (is_name(header[i], header[k].data)) first = false;
        if (is_name(schema.fields[i].name, schema.fields[k].name.data)) alone = false;
      }
      distinct += alone;
      kept += !first || is_name(schema.fields[i].name, header[i].data);
    }
    check_that(distinct == 5 && kept == 5, __FILE__, __LINE__, "trial %zu: %s", trial, joined(&schema));
    fastio__schema_free(&schema);
  }
}

/* As many as there may be: every name is found and numbered without trying all numbers before it. */
static void many_names(void) {
  enum { MANY = 200000 };
  fastio_bytes *header = malloc(MANY * sizeof *header);
  fastio_csv_options o = FASTIO_CSV_OPTIONS_INIT;
  fastio__schema schema;
  char due[40];
  o.flags = FASTIO_CSV_REPAIR_NAMES;
  for (size_t i = 0; i < MANY; i++) header[i] = (fastio_bytes)TEXT("same");
  CHECK_STATUS(fastio__schema_init(&schema, &o, header, MANY, NULL), FASTIO_OK);
  for (size_t i = 1; i < MANY; i += 997) {
    sprintf(due, "same_%zu", i + 1);
    CHECK(strcmp(schema.fields[i].name.data, due) == 0);
  }
  fastio__schema_free(&schema);
  o.flags = 0;
  CHECK_STATUS(fastio__schema_init(&schema, &o, NULL, MANY, NULL), FASTIO_OK);
  CHECK(strcmp(schema.fields[MANY - 1].name.data, "column_200000") == 0);
  fastio__schema_free(&schema);
  free(header);
}

/* A name may hold a NUL. */
static void names_with_nul(void) {
  static const fastio_bytes header[] = {TEXT("h\0a"), TEXT("h\0b"), TEXT("h")};
  fastio_csv_options o = FASTIO_CSV_OPTIONS_INIT;
  fastio__schema schema;
  CHECK_STATUS(fastio__schema_init(&schema, &o, header, 3, NULL), FASTIO_OK);
  CHECK_BYTES(schema.fields[1].name.data, schema.fields[1].name.size, "h\0b");
  CHECK(((const char *)schema.fields[1].name.data)[3] == '\0');
  fastio__schema_free(&schema);
}

/* ---- selection ---- */

static void selection(void) {
  static const fastio_column_ref refs[] = {{"c", 0}, {NULL, 0}}, twice[] = {{"a", 0}, {"b", 0}, {NULL, 0}},
                                 missing[] = {{"a", 0}, {"d", 0}}, behind[] = {{NULL, 3}};
  fastio_csv_options o = FASTIO_CSV_OPTIONS_INIT;
  o.columns = refs;
  o.column_count = COUNT(refs);
  expect_names(&o, "a|b|c", "c|a");
  o.column_count = 0;
  expect_names(&o, "a|b|c", "");
  o.columns = twice;
  o.column_count = COUNT(twice);
  expect_error(&o, "a|b|c", FASTIO_INVALID_ARGUMENT, 1, "a", "twice");
  o.columns = missing;
  o.column_count = COUNT(missing);
  expect_error(&o, "a|b|c", FASTIO_INVALID_ARGUMENT, 0, "d", "no such column");
  o.columns = behind;
  o.column_count = COUNT(behind);
  expect_error(&o, "a|b|c", FASTIO_INVALID_ARGUMENT, 4, "", "no such column");
}

/* ---- rules ---- */

#define RULE(name, is_pattern, position, type)       \
  {                                                  \
    name, is_pattern, position, type, NULL, 0, { 0 } \
  }

static void rules(void) {
  static const fastio_bytes dash[] = {TEXT("-"), TEXT("n/a")};
  static const fastio_column_rule given[] = {
      RULE(NULL, 0, FASTIO_EVERY_COLUMN, FASTIO_STRING),
      RULE("x_*", 1, 0, FASTIO_INT64),
      {"x_2", 0, 0, (fastio_type)0, dash, 2, {0}},
      RULE(NULL, 0, 3, FASTIO_DATE),
      RULE("nothing*", 1, 0, FASTIO_BOOL), /* a pattern may fit none */
      {"b", 0, 0, FASTIO_TIMESTAMP, dash, 0, {0}},
  };
  fastio_csv_options o = FASTIO_CSV_OPTIONS_INIT;
  fastio__schema schema;
  o.rules = given;
  o.rule_count = COUNT(given);
  CHECK_STATUS(init_schema(&schema, &o, "a|x_1|x_2|x_3|b", NULL), FASTIO_OK);
  static const fastio_type due[] = {FASTIO_STRING, FASTIO_INT64, FASTIO_INT64, FASTIO_DATE, FASTIO_TIMESTAMP};
  for (size_t i = 0; i < COUNT(due); i++) CHECK_INT(schema.fields[i].type, due[i]);
  CHECK(schema.fields[0].null_count == 1 && schema.fields[0].nulls[0].size == 0);
  CHECK_INT(schema.fields[2].null_count, 2);
  CHECK_BYTES(schema.fields[2].nulls[1].data, schema.fields[2].nulls[1].size, "n/a");
  CHECK(schema.fields[2].nulls != dash && schema.fields[2].nulls[1].data != dash[1].data); /* copies */
  CHECK_INT(schema.fields[4].null_count, 0);
  fastio__schema_free(&schema);
  o.rule_count = 0;
  CHECK_STATUS(init_schema(&schema, &o, "a", NULL), FASTIO_OK);
  CHECK_INT(schema.fields[0].type, 0);
  fastio__schema_free(&schema);
}

static void rules_for_nobody(void) {
  static const fastio_column_rule by_name[] = {RULE("d", 0, 0, FASTIO_INT64)},
                                  star[] = {RULE("a*", 0, 0, FASTIO_INT64)},
                                  by_position[] = {RULE(NULL, 0, 3, FASTIO_INT64)};
  fastio_csv_options o = FASTIO_CSV_OPTIONS_INIT;
  o.rule_count = 1;
  o.rules = by_name;
  expect_error(&o, "a|b|c", FASTIO_INVALID_ARGUMENT, 0, "d", "no such column");
  o.rules = star; /* not said to be a pattern */
  expect_error(&o, "a|b|c", FASTIO_INVALID_ARGUMENT, 0, "a*", "no such column");
  o.rules = by_position;
  expect_error(&o, "a|b|c", FASTIO_INVALID_ARGUMENT, 4, "", "no such column");
}

static void patterns(void) {
  static const struct {
    const char *pattern, *name;
    bool fits;
  } trials[] = {
      {"*", "a", true},         {"?", "a", true},
      {"?", "ab", false},       {"a", "a", true},
      {"a", "b", false},        {"a*", "a", true},
      {"a*", "ba", false},      {"*a", "ba", true},
      {"*a", "ab", false},      {"a*b", "ab", true},
      {"a*b", "axxb", true},    {"a*b", "abx", false},
      {"a*b*c", "abxbc", true}, {"a*b*c", "acb", false},
      {"*ab", "aab", true},     {"**", "a", true},
      {"a?c", "abc", true},     {"a?c", "ac", false},
      {"*?", "a", true},        {"??*", "a", false},
      {"", "a", false},         {"*aaab", "aaaaaaab", true},
      {"A", "a", false},        {"a*", "a*", true},
      {"x_??", "x_10", true},   {"x_??", "x_1", false},
      {"*.*", "a.b", true},     {"*.*", "ab", false},
  };
  for (size_t i = 0; i < COUNT(trials); i++) {
    const fastio_column_rule rule[] = {RULE(trials[i].pattern, 1, 0, FASTIO_BOOL)};
    fastio_csv_options o = FASTIO_CSV_OPTIONS_INIT;
    fastio__schema schema;
    o.rules = rule;
    o.rule_count = 1;
    CHECK_STATUS(init_schema(&schema, &o, trials[i].name, NULL), FASTIO_OK);
    check_that((schema.fields[0].type == FASTIO_BOOL) == trials[i].fits, __FILE__, __LINE__, "\"%s\", \"%s\"",
               trials[i].pattern, trials[i].name);
    fastio__schema_free(&schema);
  }
}

static void matrices(void) {
  static const fastio_column_rule every[] = {RULE(NULL, 0, FASTIO_EVERY_COLUMN, FASTIO_FLOAT64)},
                                  one[] = {RULE("a", 0, 0, FASTIO_FLOAT64)},
                                  mixed[] = {RULE(NULL, 0, FASTIO_EVERY_COLUMN, FASTIO_FLOAT64),
                                             RULE("b", 0, 0, FASTIO_INT8)},
                                  dates[] = {RULE(NULL, 0, FASTIO_EVERY_COLUMN, FASTIO_DATE)};
  static const fastio_column_ref just_a[] = {{"a", 0}};
  fastio_csv_options o = FASTIO_CSV_OPTIONS_INIT;
  o.flags = FASTIO_CSV_MATRIX;
  o.rule_count = 1;
  o.rules = every;
  expect_names(&o, "a|b", "a|b");
  o.rules = one;
  expect_error(&o, "a|b", FASTIO_INVALID_ARGUMENT, 2, "b", "matrix");
  o.rules = dates;
  expect_error(&o, "a|b", FASTIO_INVALID_ARGUMENT, 1, "a", "matrix");
  o.rules = mixed;
  o.rule_count = 2;
  expect_error(&o, "a|b", FASTIO_INVALID_ARGUMENT, 2, "b", "matrix");
  o.columns = just_a; /* of the others nothing is asked */
  o.column_count = 1;
  expect_names(&o, "a|b", "a");
}

/* ---- objects ---- */

static fastio_column *new_column(fastio_type type, uint64_t length, const void *data, const fastio_env *env) {
  fastio_column view = {type, length, 0, NULL, NULL, data, 0, 0, NULL}, *column = NULL;
  return fastio_column_new(&view, NULL, NULL, env, &column, NULL) == FASTIO_OK ? column : NULL;
}

static int64_t array_value(const struct ArrowArray *array, int64_t i) {
  return ((const int64_t *)array->buffers[1])[array->offset + i];
}

static const int64_t numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
static const uint8_t bits[] = {0x5a, 0x01};

static fastio_table *new_table(void) {
  const fastio_column *columns[] = {new_column(FASTIO_INT64, 9, numbers, NULL), new_column(FASTIO_BOOL, 9, bits, NULL)};
  const fastio_bytes texts[] = {TEXT("n"), TEXT("f\0g")};
  static fastio_report report;
  report.padded = 3;
  report.places[99].line = 7;
  fastio_table view = {9, 2, columns, texts, &report, 10, 200, 5}, *table = NULL;
  CHECK_STATUS(fastio__table_build(&view, NULL, &table, NULL), FASTIO_OK);
  return table;
}

static void tables(void) {
  fastio_table *table = new_table();
  CHECK(table->rows == 9 && table->column_count == 2 && table->start == 10 && table->end == 200);
  CHECK(table->first_row == 5 && table->report->padded == 3 && table->report->places[99].line == 7);
  CHECK(table->columns[0]->data == numbers && table->columns[1]->type == FASTIO_BOOL);
  CHECK_BYTES(table->names[1].data, table->names[1].size, "f\0g");
  CHECK(((const char *)table->names[0].data)[1] == '\0' && ((const char *)table->names[1].data)[3] == '\0');
  fastio_table_retain(table);
  fastio_table_free(table);
  CHECK_INT(((const int64_t *)table->columns[0]->data)[8], 9);
  fastio_table_free(table);
  fastio_table_free(NULL);
}

/* Tables of columns from outside take over the columns only on success. */
static void new_tables(void) {
  const fastio_column *columns[] = {new_column(FASTIO_INT64, 9, numbers, NULL),
                                    new_column(FASTIO_INT64, 8, numbers, NULL)};
  const fastio_bytes texts[] = {TEXT("a"), TEXT("b")};
  fastio_table view = {9, 2, columns, texts, NULL, 0, 0, 0}, *table = NULL;
  CHECK_STATUS(fastio_table_new(&view, NULL, &table, NULL), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_table_new(NULL, NULL, &table, NULL), FASTIO_INVALID_ARGUMENT);
  CHECK(table == NULL);
  view.column_count = 1;
  CHECK_STATUS(fastio_table_new(&view, NULL, &table, NULL), FASTIO_OK);
  CHECK(table->columns[0] == columns[0] && table->report->bad_cells == 0);
  fastio_table_free(table);
  fastio_column_free(columns[1]);
}

static void empty_table(void) {
  fastio_table view = {0, 0, NULL, NULL, NULL, 0, 0, 0}, *table = NULL;
  CHECK_STATUS(fastio__table_build(&view, NULL, &table, NULL), FASTIO_OK);
  CHECK(table->rows == 0 && table->column_count == 0 && table->report->skipped == 0 && table->report->place_count == 0);
  fastio_table_free(table);
}

/* ---- exports ---- */

static void export_schema(void) {
  struct ArrowSchema schema, taken;
  fastio_table *table = new_table();
  CHECK_STATUS(fastio_table_export_schema(table, &schema, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_table_export_schema(table, NULL, NULL), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_table_export_schema(NULL, &schema, NULL), FASTIO_INVALID_ARGUMENT);
  fastio_table_free(table);
  CHECK(strcmp(schema.format, "+s") == 0 && schema.n_children == 2 && schema.dictionary == NULL);
  CHECK(strcmp(schema.children[0]->name, "n") == 0 && strcmp(schema.children[0]->format, "l") == 0);
  CHECK(strcmp(schema.children[1]->name, "f") == 0 && strcmp(schema.children[1]->format, "b") == 0);
  CHECK(schema.children[0]->flags == ARROW_FLAG_NULLABLE);
  taken = *schema.children[1];
  schema.children[1]->release = NULL;
  schema.release(&schema);
  CHECK(schema.release == NULL && strcmp(taken.name, "f") == 0);
  taken.release(&taken);
}

/* A child that was taken away lives on by itself. */
static void export_array(void) {
  struct ArrowArray array, taken, moved;
  fastio_table *table = new_table();
  CHECK_STATUS(fastio_table_export_array(table, 2, 7, &array, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_table_export_array(table, 2, 8, &moved, NULL), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_table_export_array(table, 10, 0, &moved, NULL), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_table_export_array(NULL, 0, 0, &moved, NULL), FASTIO_INVALID_ARGUMENT);
  fastio_table_free(table);
  moved = array; /* as consumers do */
  array.release = NULL;
  CHECK(moved.length == 7 && moved.offset == 0 && moved.null_count == 0 && moved.n_buffers == 1 &&
        moved.n_children == 2);
  CHECK(moved.buffers[0] == NULL && moved.children[0]->length == 7 && moved.children[1]->length == 7);
  CHECK_INT(array_value(moved.children[0], 0), 3);
  taken = *moved.children[0];
  moved.children[0]->release = NULL;
  moved.release(&moved);
  CHECK(moved.release == NULL && array_value(&taken, 6) == 9);
  taken.release(&taken);
}

static void export_nothing(void) {
  fastio_table view = {4, 0, NULL, NULL, NULL, 0, 0, 0}, *table = NULL;
  struct ArrowSchema schema;
  struct ArrowArray array;
  CHECK_STATUS(fastio__table_build(&view, NULL, &table, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_table_export_schema(table, &schema, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_table_export_array(table, 0, 4, &array, NULL), FASTIO_OK);
  fastio_table_free(table);
  CHECK(schema.n_children == 0 && array.n_children == 0 && array.length == 4);
  schema.release(&schema);
  array.release(&array);
}

/* A matrix has one column for all of its table's. */
static void export_matrix(void) {
  const fastio_column *column = new_column(FASTIO_INT64, 9, numbers, NULL);
  const fastio_bytes texts[] = {TEXT("n")};
  fastio_table view = {3, 1, &column, texts, NULL, 0, 0, 0}, *table = NULL;
  struct ArrowSchema schema;
  struct ArrowArrayStream stream;
  CHECK_STATUS(fastio__table_build(&view, NULL, &table, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_table_export_schema(table, &schema, NULL), FASTIO_UNSUPPORTED);
  CHECK_STATUS(fastio_table_export_stream(table, 0, 3, &stream, NULL), FASTIO_UNSUPPORTED);
  fastio_table_free(table);
}

/* A stream of one batch owns the table. */
static void export_stream(void) {
  fastio_table *table = new_table();
  struct ArrowArrayStream stream, moved;
  struct ArrowSchema schema;
  struct ArrowArray array;
  CHECK_STATUS(fastio_table_export_stream(table, 1, 9, &stream, NULL), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_csv_export_stream(NULL, &stream, NULL), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_table_export_stream(table, 1, 8, &stream, NULL), FASTIO_OK);
  fastio_table_free(table);
  moved = stream;
  stream.release = NULL;
  CHECK(moved.get_last_error(&moved) == NULL);
  for (int i = 0; i < 2; i++) { /* as often as one likes */
    CHECK_INT(moved.get_schema(&moved, &schema), 0);
    CHECK_INT(schema.n_children, 2);
    schema.release(&schema);
  }
  CHECK_INT(moved.get_next(&moved, &array), 0);
  CHECK(array.length == 8 && array_value(array.children[0], 0) == 2);
  for (int i = 0; i < 2; i++) {
    struct ArrowArray end;
    memset(&end, 0xa5, sizeof end);
    CHECK_INT(moved.get_next(&moved, &end), 0);
    CHECK(end.release == NULL);
  }
  moved.release(&moved);
  CHECK(moved.release == NULL);
  CHECK_INT(array_value(array.children[0], 7), 9); /* the batch lives on */
  array.release(&array);
}

/* ---- too little memory ---- */

static fastio_status try_schema(const fastio_env *env, const void *ctx, fastio_error *err) {
  static const fastio_column_rule given[] = {{"*", 1, 0, FASTIO_INT64, na, 1, {0}}};
  fastio_csv_options o = FASTIO_CSV_OPTIONS_INIT;
  fastio__schema schema;
  o.env = env;
  o.flags = FASTIO_CSV_REPAIR_NAMES;
  o.rules = given;
  o.rule_count = 1;
  fastio_status status = init_schema(&schema, &o, ctx, err);
  if (status == FASTIO_OK) fastio__schema_free(&schema);
  return status;
}

/* A failure leaves the columns with their owner. */
static fastio_status try_table(const fastio_env *env, const void *ctx, fastio_error *err) {
  const fastio_column *column = new_column(FASTIO_INT64, 9, numbers, NULL);
  const fastio_bytes texts[] = {text_of(ctx)};
  fastio_table view = {9, 1, &column, texts, NULL, 0, 0, 0}, *table = NULL;
  fastio_status status = fastio__table_build(&view, env, &table, err);
  CHECK((table != NULL) == (status == FASTIO_OK));
  if (status == FASTIO_OK) fastio_table_free(table);
  else fastio_column_free(column);
  return status;
}

static void too_little_memory(void) {
  for (int from = 0; from < 2; from++) {
    books_fail_each(try_schema, "a|b||a|a", "schema", from);
    books_fail_each(try_table, "name", "table", from);
  }
}

int main(void) {
  initial_options();
  sizes_of_options();
  conflicts();
  widths_without_separator();
  names();
  names_that_are_no_good();
  repaired_names();
  every_repair();
  many_names();
  names_with_nul();
  selection();
  rules();
  rules_for_nobody();
  patterns();
  matrices();
  tables();
  new_tables();
  empty_table();
  export_schema();
  export_array();
  export_nothing();
  export_matrix();
  export_stream();
  too_little_memory();
  return check_report();
}
