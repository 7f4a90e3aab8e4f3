/* The ops on tables, and the single dates and times, of the C driver. */
#include "driver.h"

#define MOST 64 /* items of a list in the options */

typedef struct table_request {
  request *q;
  fastio_csv_options options;
  fastio_column_rule rules[2 * MOST];
  fastio_column_ref columns[MOST];
  const char *names[MOST];
  fastio_span widths[MOST];
  fastio_bytes nulls[MOST];
  fastio_bytes separator;
  uint64_t parts, bytes, first, count;
  const char *ragged;        /* what the callback does */
  fastio_bytes answer[MOST]; /* of the callback */
  char joined[1 << 12];
  void *owned[16 * MOST]; /* to be freed */
  size_t owned_count;
} table_request;

/* ---- Options ---- */

static void *own(table_request *t, void *block) {
  if (t->owned_count == sizeof t->owned / sizeof *t->owned) die("options", "too many");
  return t->owned[t->owned_count++] = block;
}

/* "x6162" or "6162", as text with a NUL behind it. */
static fastio_bytes text_from(table_request *t, const char *hex, size_t length) {
  fastio_bytes bytes;
  if (length > 0 && *hex == 'x') hex++, length--;
  unsigned char *data = own(t, from_hex(hex, length, &bytes.size));
  data[bytes.size] = '\0';
  bytes.data = data;
  return bytes;
}

/* Calls `set` for each part of the text between separators; none for the empty text. */
static void each_part(table_request *t, const char *text, char separator,
                      void (*set)(table_request *t, size_t i, const char *part, size_t length)) {
  for (size_t i = 0; *text != '\0'; i++) {
    const char *end = strchr(text, separator);
    size_t length = end != NULL ? (size_t)(end - text) : strlen(text);
    if (i == MOST) die("options", "too many items");
    set(t, i, text, length);
    text += length + (end != NULL);
  }
}

static void set_name(table_request *t, size_t i, const char *part, size_t length) {
  t->names[i] = text_from(t, part, length).data;
  t->options.name_count = i + 1;
}

/* A column: n and its name in hex, p and its position. */
static void set_column(table_request *t, size_t i, const char *part, size_t length) {
  t->columns[i].name = *part == 'n' ? text_from(t, part + 1, length - 1).data : NULL;
  t->columns[i].position = *part == 'n' ? 0 : strtoull(part + 1, NULL, 10);
  t->options.column_count = i + 1;
}

static void set_null(table_request *t, size_t i, const char *part, size_t length) {
  t->nulls[i] = text_from(t, part, length);
  t->options.null_count = i + 1;
}

static void set_width(table_request *t, size_t i, const char *part, size_t length) {
  char *rest;
  (void)length;
  fastio_span *span = &t->widths[i];
  span->start = i == 0 || *part == 's' ? 0 : t->widths[i - 1].end;
  if (*part == 's') {
    span->start = strtoull(part + 1, &rest, 10);
    span->end = strtoull(rest + 1, NULL, 10);
  } else span->end = span->start + strtoull(part, NULL, 10);
  t->options.width_count = i + 1;
}

/* What a rule is for: e (every column), n or g (a name or a pattern in hex), p or l (a position). */
static fastio_column_rule *new_rule(table_request *t, const char *part, size_t length) {
  fastio_column_rule *rule = &t->rules[t->options.rule_count++];
  memset(rule, 0, sizeof *rule);
  t->options.rules = t->rules;
  rule->is_pattern = *part == 'g';
  if (*part == 'e') rule->position = FASTIO_EVERY_COLUMN;
  else if (*part == 'n' || *part == 'g') rule->name = text_from(t, part + 1, length - 1).data;
  else rule->position = strtoull(part + 1, NULL, 10);
  return rule;
}

static void set_type(table_request *t, size_t i, const char *part, size_t length) {
  char name[32] = "";
  size_t key = strcspn(part, "/");
  (void)i;
  memcpy(name, part + key + 1, length - key - 1);
  fastio_type type = fastio_type_from_name(name);
  if (type == 0) die("no such type", name);
  new_rule(t, part, key)->type = type;
}

static void set_column_nulls(table_request *t, size_t i, const char *part, size_t length) {
  size_t key = strcspn(part, "/");
  fastio_column_rule *rule = new_rule(t, part, key);
  fastio_bytes *texts = own(t, calloc(MOST, sizeof *texts));
  (void)i;
  rule->null_values = texts;
  for (const char *at = part + key + 1; at < part + length;) {
    size_t size = strcspn(at, ",|");
    texts[rule->null_count++] = text_from(t, at, size);
    at += size + 1;
  }
}

static void set_nulls(table_request *t, const char *value) {
  if (strchr(value, '/') != NULL) {
    each_part(t, value, '|', set_column_nulls);
    return;
  }
  t->options.null_values = t->nulls;
  t->options.null_count = 0;
  each_part(t, value, ',', set_null);
}

static int byte_or_none(const char *value) { return strcmp(value, "none") == 0 ? FASTIO_NONE : hex_byte(value); }

static int on_ragged(table_request *t, const char *value);

static bool set_dialect(table_request *t, const char *key, const char *value) {
  fastio_csv_options *o = &t->options;
  bool none = strcmp(value, "none") == 0;
  if (strcmp(key, "sep") == 0) o->separator = text_from(t, none ? "" : value, none ? 0 : strlen(value));
  else if (strcmp(key, "widths") == 0) o->widths = t->widths, each_part(t, value, ',', set_width);
  else if (strcmp(key, "quote") == 0) o->quote = byte_or_none(value);
  else if (strcmp(key, "quote_mode") == 0)
    o->quote_mode = strcmp(value, "strict") == 0 ? FASTIO_QUOTE_STRICT : FASTIO_QUOTE_LITERAL;
  else if (strcmp(key, "escape") == 0) o->escape = byte_or_none(value);
  else if (strcmp(key, "newline") == 0) o->newline = newline_from(value);
  else if (strcmp(key, "comment") == 0) o->comment = byte_or_none(value);
  else if (strcmp(key, "decimal") == 0) o->decimal = byte_or_none(value);
  else if (strcmp(key, "thousands") == 0) o->thousands = byte_or_none(value);
  else if (strcmp(key, "header") == 0) o->header = atoi(value);
  else return false;
  return true;
}

static bool set_number(table_request *t, const char *key, const char *value) {
  const struct {
    const char *key;
    uint64_t *out;
  } numbers[] = {{"skip_lines", &t->options.skip_lines},
                 {"skip_rows", &t->options.skip_rows},
                 {"max_rows", &t->options.max_rows},
                 {"infer_rows", &t->options.infer_rows},
                 {"batch_rows", &t->options.batch_rows},
                 {"batch_bytes", &t->options.batch_bytes},
                 {"offset", &t->options.offset},
                 {"length", &t->options.length},
                 {"parts", &t->parts},
                 {"bytes", &t->bytes},
                 {"first", &t->first},
                 {"count", &t->count}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (strcmp(key, numbers[i].key) != 0) continue;
    *numbers[i].out = strtoull(value, NULL, 10);
    return true;
  }
  return false;
}

static bool set_flag(table_request *t, const char *key, const char *value) {
  static const struct {
    const char *key, *value; /* the flag is set if the option has that value */
    unsigned flag;
  } flags[] = {{"trim", "1", FASTIO_CSV_TRIM},
               {"comment_anywhere", "1", FASTIO_CSV_COMMENT_ANYWHERE},
               {"quoted_null", "1", FASTIO_CSV_QUOTED_NULL},
               {"trailing_sep", "ignore", FASTIO_CSV_TRAILING_SEPARATOR},
               {"repair_names", "1", FASTIO_CSV_REPAIR_NAMES},
               {"doublequote", "0", FASTIO_CSV_NO_DOUBLING},
               {"at_record", "1", FASTIO_CSV_AT_RECORD},
               {"blank_lines", "record", FASTIO_CSV_BLANK_RECORDS},
               {"big_ints", "float", FASTIO_CSV_FLOAT_FOR_BIG},
               {"percent", "1", FASTIO_CSV_PERCENT},
               {"unicode_minus", "1", FASTIO_CSV_UNICODE_MINUS},
               {"overflow", "error", FASTIO_CSV_OVERFLOW_ERROR}};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    if (strcmp(key, flags[i].key) != 0) continue;
    if (strcmp(value, flags[i].value) == 0) t->options.flags |= flags[i].flag;
    return true;
  }
  return false;
}

static void set_option(void *ctx, const char *key, char *value) {
  table_request *t = ctx;
  if (set_decoding(t->q, key, value) || set_dialect(t, key, value) || set_number(t, key, value) ||
      set_flag(t, key, value))
    return;
  if (strcmp(key, "names") == 0) t->options.names = t->names, each_part(t, value, ',', set_name);
  else if (strcmp(key, "usecols") == 0) t->options.columns = t->columns, each_part(t, value, '|', set_column);
  else if (strcmp(key, "dtype") == 0) each_part(t, value, '|', set_type);
  else if (strcmp(key, "null_values") == 0) set_nulls(t, value);
  else if (strcmp(key, "on_ragged") == 0) t->options.on_ragged = on_ragged(t, value);
  else if (strcmp(key, "partial") == 0) t->options.partial = partial_from(value);
  else if (strcmp(key, "on_bad") == 0)
    t->options.on_bad = strcmp(value, "null") == 0     ? FASTIO_BAD_NULL
                        : strcmp(value, "string") == 0 ? FASTIO_BAD_STRING
                                                       : FASTIO_BAD_ERROR;
  else die("unknown option", key);
}

/* ---- The callbacks for ragged records that vectors can name ---- */

/* Too many: the last one wanted is the rest, joined by '+'. */
static void join_rest(table_request *t, const fastio_bytes *fields, size_t count, size_t expected) {
  size_t size = 0;
  for (size_t i = expected - 1; i < count; i++) {
    if (i >= expected) t->joined[size++] = '+';
    memcpy(t->joined + size, fields[i].data, fields[i].size);
    size += fields[i].size;
  }
  t->answer[expected - 1].data = t->joined;
  t->answer[expected - 1].size = size;
}

/* "join" joins or pads with "?", "drop" drops. */
static int ragged_callback(void *ctx, const fastio_bytes *fields, size_t count, size_t expected,
                           const fastio_bytes **out) {
  table_request *t = ctx;
  if (strcmp(t->ragged, "drop") == 0) return 0;
  for (size_t i = 0; i < expected; i++) {
    t->answer[i].data = i < count ? fields[i].data : "?";
    t->answer[i].size = i < count ? fields[i].size : 1;
  }
  if (count > expected) join_rest(t, fields, count, expected);
  *out = t->answer;
  return 1;
}

static int on_ragged(table_request *t, const char *value) {
  if (strncmp(value, "call:", 5) == 0) {
    t->ragged = own(t, strcpy(malloc(strlen(value) + 1), value + 5));
    t->options.ragged = ragged_callback;
    t->options.ragged_ctx = t;
    return FASTIO_RAGGED_CALL;
  }
  if (strcmp(value, "pad") == 0) return FASTIO_RAGGED_PAD;
  if (strcmp(value, "truncate") == 0) return FASTIO_RAGGED_TRUNCATE;
  if (strcmp(value, "fit") == 0) return FASTIO_RAGGED_PAD | FASTIO_RAGGED_TRUNCATE;
  return strcmp(value, "skip") == 0 ? FASTIO_RAGGED_SKIP : FASTIO_RAGGED_ERROR;
}

static table_request *open_request(request *q) {
  table_request *t = calloc(1, sizeof *t);
  t->q = q;
  fastio_csv_options_init(&t->options);
  t->options.block_size = configuration.block;
  t->options.threads = configuration.threads;
  each_option(q->options, set_option, t);
  return t;
}

static void close_request(table_request *t) {
  for (size_t i = 0; i < t->owned_count; i++) free(t->owned[i]);
  free(t);
}

/* ---- Answers ---- */

void put_table_error(fastio_status status, const fastio_error *err) {
  put_place(status, err);
  put(":%" PRIu64 ":%" PRIu64 ":", err->record, err->field);
  put_bytes(err->field_name, err->field_name_size);
  put_raw(err);
}

/* "Null slots hold 0." */
static bool slot_is_zero(const fastio_column *column, uint64_t i) {
  static const char zeros[16];
  size_t size = fastio_type_size(column->type);
  if (column->offsets != NULL) return column->offsets[i] == column->offsets[i + 1];
  if (column->type == FASTIO_BOOL) return (((const uint8_t *)column->data)[i / 8] >> (i % 8) & 1) == 0;
  return memcmp((const char *)column->data + i * size, zeros, size) == 0;
}

/* The texts of a dictionary come by first appearance, each once. */
static void check_dictionary(const fastio_column *column) {
  const int32_t *indices = column->data;
  int32_t seen = 0;
  for (uint64_t i = 0; i < column->length; i++) {
    if (!is_valid(column, i)) continue;
    if (indices[i] < 0 || indices[i] > seen) die("a dictionary is not by first appearance", "");
    seen += indices[i] == seen;
  }
  if ((uint64_t)seen != column->dictionary->length) die("a dictionary has texts that no row has", "");
}

static void put_table_column(const fastio_column *column) {
  uint64_t nulls = 0;
  put("%s[", fastio_type_name(column->type));
  for (uint64_t i = 0; i < column->length; i++) {
    if (i > 0) put_char(' ');
    if (is_valid(column, i)) {
      put_item(column, i);
      continue;
    }
    put("null");
    nulls++;
    if (!slot_is_zero(column, i)) die("a null slot does not hold 0", "");
  }
  put_char(']');
  if (nulls != column->null_count) die("null_count is wrong", "");
  if (column->type == FASTIO_DICTIONARY) check_dictionary(column);
}

static void put_table(const fastio_table *table) {
  put("%" PRIu64 "{", table->rows);
  for (size_t i = 0; i < table->column_count; i++) {
    const fastio_bytes *name = &table->names[i];
    if (table->columns[i]->length != table->rows) die("a column's length is not the table's", "");
    if (((const char *)name->data)[name->size] != '\0') die("no NUL behind a name", "");
    if (i > 0) put_char(' ');
    put_bytes(name->data, name->size);
    put_char(':');
    put_table_column(table->columns[i]);
  }
  put_char('}');
}

static void put_counts(const fastio_report *r) {
  put(" %" PRIu64 "/%" PRIu64, r->padded, r->truncated);
  put("/%" PRIu64 "/%" PRIu64, r->skipped, r->replaced);
  put("/%" PRIu64 "/%" PRIu64 "/%" PRIu64, r->bad_cells, r->blank_lines, r->comment_lines);
}

static void put_report(const fastio_report *r) {
  uint64_t count = r->place_count < FASTIO_REPORT_PLACES ? r->place_count : FASTIO_REPORT_PLACES;
  put_counts(r);
  put_char('[');
  for (uint64_t i = 0; i < count; i++) {
    const fastio_place *p = &r->places[i];
    put("%s%s", i > 0 ? " " : "", fastio_status_name(p->status));
    put("/%" PRIu64 "/%" PRIu64, p->offset, p->line);
    put("/%" PRIu64 "/%" PRIu64, p->record, p->field);
  }
  put_char(']');
}

static void add_counts(fastio_report *sum, const fastio_report *r) {
  sum->padded += r->padded;
  sum->truncated += r->truncated;
  sum->skipped += r->skipped;
  sum->replaced += r->replaced;
  sum->bad_cells += r->bad_cells;
  sum->blank_lines += r->blank_lines;
  sum->comment_lines += r->comment_lines;
}

/* ---- Ops ---- */

typedef void table_op(request *q, table_request *t, fastio_source *source);

static void read_csv(request *q, table_request *t, fastio_source *source) {
  fastio_error err;
  fastio_table *table = NULL;
  fastio_status status = fastio_read_csv(source, &t->options, &table, &err);
  if (status != FASTIO_OK) {
    if (table != NULL) die("the result was changed by a failure", "");
    put_table_error(status, &err);
    return;
  }
  put_table(table);
  put_report(table->report);
  put_decode_errors(q, source);
  fastio_table_free(table);
}

static bool same_schema(const fastio_table *a, const fastio_table *b) {
  bool same = a->column_count == b->column_count;
  for (size_t i = 0; same && i < a->column_count; i++) {
    same = a->columns[i]->type == b->columns[i]->type && a->names[i].size == b->names[i].size &&
           memcmp(a->names[i].data, b->names[i].data, a->names[i].size) == 0;
  }
  return same;
}

/* With more than one thread the schema is asked for first: that must change nothing. */
static void check_schema(fastio_csv *csv, const fastio_table *first, fastio_table **schema) {
  fastio_error err;
  if (first != NULL) {
    if (*schema != NULL && !same_schema(first, *schema)) die("a batch is not as the schema says", "");
    return;
  }
  if (fastio_csv_schema(csv, schema, &err) == FASTIO_OK && (*schema)->rows != 0) die("a schema has rows", "");
}

static fastio_status put_batches(fastio_csv *csv, fastio_report *sum, fastio_error *err) {
  fastio_table *table = NULL, *schema = NULL;
  fastio_status status;
  if (configuration.threads > 1) check_schema(csv, NULL, &schema);
  for (size_t i = 0; (status = fastio_csv_next(csv, &table, err)) == FASTIO_OK; i++) {
    if (i > 0) put_char(' ');
    check_schema(csv, table, &schema);
    put_table(table);
    add_counts(sum, table->report);
    fastio_table_free(table);
  }
  fastio_table_free(schema);
  return status;
}

static void open_csv(request *q, table_request *t, fastio_source *source) {
  fastio_error err;
  fastio_csv *csv = NULL;
  fastio_table *table;
  fastio_report sum;
  (void)q;
  memset(&sum, 0, sizeof sum);
  put_char('[');
  fastio_status status = fastio_csv_open(source, &t->options, &csv, &err);
  if (status == FASTIO_OK) status = put_batches(csv, &sum, &err);
  put_char(']');
  if (status == FASTIO_END) {
    put_counts(&sum);
    if (fastio_csv_next(csv, &table, &err) != FASTIO_END) die("there is something behind the end", "");
  } else {
    put_char(' ');
    put_table_error(status, &err);
  }
  fastio_csv_close(csv);
}

/* The rows asked for, behind the number of all of them; half of the times a batch is taken first. */
static void slice_csv(request *q, table_request *t, fastio_source *source) {
  fastio_error err;
  fastio_csv *csv = NULL;
  fastio_table *table = NULL;
  uint64_t rows = 0;
  (void)q;
  fastio_status status = fastio_csv_open(source, &t->options, &csv, &err);
  if (status == FASTIO_OK && configuration.threads == 1) status = fastio_csv_next(csv, &table, &err);
  fastio_table_free(table);
  table = NULL;
  if (status == FASTIO_OK) status = fastio_csv_count(csv, &rows, &err);
  if (status == FASTIO_OK) status = fastio_csv_slice(csv, t->first, t->count, &table, &err);
  if (status != FASTIO_OK) put_table_error(status, &err);
  else {
    put("%" PRIu64 " ", rows);
    put_table(table);
  }
  fastio_table_free(table);
  fastio_csv_close(csv);
}

static void put_part(request *q, table_request *t, uint64_t offset, uint64_t length) {
  origin o;
  fastio_error err;
  fastio_table *table = NULL;
  fastio_csv_options options = t->options;
  options.offset = offset;
  options.length = length;
  options.flags |= FASTIO_CSV_AT_RECORD;
  fastio_status status = open_origin(&o, q, &err);
  if (status == FASTIO_OK) status = fastio_read_csv(o.source, &options, &table, &err);
  if (status != FASTIO_OK) put_table_error(status, &err);
  else put_table(table);
  fastio_table_free(table);
  close_origin(&o);
}

/* The ranges, and what each of them reads as. */
static void partition(request *q, table_request *t, fastio_source *source) {
  fastio_error err;
  fastio_column *ranges = NULL;
  fastio_status status = fastio_partition(source, &t->options, t->parts, t->bytes, &ranges, &err);
  if (status != FASTIO_OK) {
    put_table_error(status, &err);
    return;
  }
  if (ranges->type != FASTIO_UINT64 || ranges->row_items != 2) die("ranges are not pairs of uint64", "");
  const uint64_t *at = ranges->data;
  put_char('[');
  for (uint64_t i = 0; i < ranges->length; i += 2) {
    put("%s%" PRIu64 "+%" PRIu64 ":", i > 0 ? " " : "", at[i], at[i + 1]);
    put_part(q, t, at[i], at[i + 1]);
  }
  put_char(']');
  fastio_column_free(ranges);
}

static void put_byte(const char *name, int value) {
  if (value < 0) put("%s=%s ", name, value == FASTIO_NONE ? "none" : "any");
  else put("%s=%02x ", name, (unsigned)value);
}

static void sniff(request *q, table_request *t, fastio_source *source) {
  fastio_error err;
  fastio_csv_options found;
  fastio_table *sample = NULL;
  (void)q;
  fastio_status status = fastio_sniff(source, &t->options, &found, &sample, &err);
  if (status != FASTIO_OK) {
    put_table_error(status, &err);
    return;
  }
  put("sep=");
  if (found.separator.size == 0) put("none");
  else put_bytes(found.separator.data, found.separator.size);
  put_char(' ');
  put_byte("quote", found.quote);
  if (found.newline == FASTIO_NEWLINE_LF) put("newline=lf ");
  else put_byte("newline", found.newline);
  put_byte("comment", found.comment);
  put_byte("decimal", found.decimal);
  put("header=%d skip_lines=%" PRIu64 " ", found.header, found.skip_lines);
  put_table(sample);
  fastio_table_free(sample);
}

/* ---- Single dates and times ---- */

static void put_stamp(fastio_type type, int64_t value) { put("%s:%" PRId64, fastio_type_name(type), value); }

static void parse_moment(request *q) {
  fastio_error err;
  fastio_status status;
  int32_t days = 77;
  int64_t nanoseconds = 77;
  int zone = 77;
  if (strcmp(q->op, "parse_date") == 0) status = fastio_parse_date(q->data, q->size, &days, &err);
  else if (strcmp(q->op, "parse_time") == 0) status = fastio_parse_time(q->data, q->size, &nanoseconds, &err);
  else status = fastio_parse_timestamp(q->data, q->size, &nanoseconds, &zone, &err);
  if (status != FASTIO_OK) {
    if (days != 77 || nanoseconds != 77) die(q->id, "the result was changed by a failure");
    put_error(status, &err);
  } else if (strcmp(q->op, "parse_date") == 0) put_stamp(FASTIO_DATE, days);
  else if (strcmp(q->op, "parse_time") == 0) put_stamp(FASTIO_TIME, nanoseconds);
  else put_stamp(zone ? FASTIO_TIMESTAMP_UTC : FASTIO_TIMESTAMP, nanoseconds);
}

/* ---- Dispatch ---- */

static void run_on_source(request *q, table_op *op) {
  origin o;
  fastio_error err;
  table_request *t = open_request(q);
  fastio_status status = open_origin(&o, q, &err);
  if (status != FASTIO_OK) put_table_error(status, &err);
  else op(q, t, o.source);
  close_origin(&o);
  close_request(t);
}

bool run_table_op(request *q) {
  static const struct {
    const char *name;
    table_op *run;
  } ops[] = {{"read_csv", read_csv},
             {"open_csv", open_csv},
             {"slice_csv", slice_csv},
             {"partition", partition},
             {"sniff", sniff}};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    if (strcmp(q->op, ops[i].name) != 0) continue;
    run_on_source(q, ops[i].run);
    return true;
  }
  if (strcmp(q->op, "parse_date") != 0 && strcmp(q->op, "parse_time") != 0 && strcmp(q->op, "parse_timestamp") != 0)
    return false;
  parse_moment(q);
  return true;
}
