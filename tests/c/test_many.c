/* Several sources as one table, columns one behind the other, paths by pattern. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "books.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- sources ---- */

typedef struct text_device {
  const char *data;
  size_t size, at, chunk, reads;
} text_device;

static fastio_status read_text(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  text_device *d = ctx;
  size_t left = d->size - d->at;
  (void)err;
  if (size > d->chunk) size = d->chunk;
  *got = size < left ? size : left;
  memcpy(data, d->data + d->at, *got);
  d->at += *got;
  d->reads++;
  return FASTIO_OK;
}

enum { MOST = 8 };

typedef struct several {
  fastio_source *sources[MOST];
  text_device devices[MOST];
  size_t count;
} several;

static void open_all(several *s, const char *const *texts, size_t count, bool as_streams, size_t chunk,
                     const fastio_env *env) {
  s->count = count;
  for (size_t i = 0; i < count; i++) {
    fastio_device device = {&s->devices[i], read_text, NULL};
    s->devices[i] = (text_device){texts[i], strlen(texts[i]), 0, chunk, 0};
    s->sources[i] = NULL;
    if (as_streams) (void)fastio_source_device(&device, env, &s->sources[i], NULL);
    else (void)fastio_source_memory(texts[i], strlen(texts[i]), env, &s->sources[i], NULL);
  }
}

static void close_all(several *s) {
  for (size_t i = 0; i < s->count; i++) fastio_source_close(s->sources[i]);
}

/* ---- tables as text: names, types and values, nulls as "~" ---- */

static void put_value(char **out, const fastio_column *c, uint64_t i) {
  fastio_column word;
  if (c->validity && !(c->validity[i / 8] >> (i % 8) & 1)) {
    *out += sprintf(*out, "~");
    return;
  }
  switch (c->type) {
    case FASTIO_INT64: *out += sprintf(*out, "%" PRId64, ((const int64_t *)c->data)[i]); break;
    case FASTIO_UINT64: *out += sprintf(*out, "%" PRIu64, ((const uint64_t *)c->data)[i]); break;
    case FASTIO_FLOAT64: *out += sprintf(*out, "%g", ((const double *)c->data)[i]); break;
    case FASTIO_DATE: *out += sprintf(*out, "%d", ((const int32_t *)c->data)[i]); break;
    case FASTIO_BOOL: *out += sprintf(*out, "%d", ((const uint8_t *)c->data)[i / 8] >> (i % 8) & 1); break;
    case FASTIO_DICTIONARY:
      word = *c->dictionary;
      put_value(out, &word, (uint64_t)((const int32_t *)c->data)[i]);
      break;
    case FASTIO_STRING:
    case FASTIO_BINARY:
      *out += sprintf(*out, "%.*s", (int)(c->offsets[i + 1] - c->offsets[i]), (const char *)c->data + c->offsets[i]);
      break;
    default: *out += sprintf(*out, "?%" PRId64, ((const int64_t *)c->data)[i]);
  }
}

static char *describe(const fastio_table *t) {
  static char texts[2][1 << 16];
  static unsigned turn;
  char *text = texts[turn++ % 2], *out = text;
  for (size_t c = 0; c < t->column_count; c++) {
    out += sprintf(out, "%.*s:%s", (int)t->names[c].size, (const char *)t->names[c].data,
                   fastio_type_name(t->columns[c]->type));
    for (uint64_t i = 0; i < t->columns[c]->length; i++) {
      *out++ = ' ';
      put_value(&out, t->columns[c], i);
    }
    *out++ = '\n';
  }
  *out = '\0';
  return text;
}

static void check_text(const char *got, const char *due, int line) {
  check_that(strcmp(got, due) == 0, __FILE__, line, "\n%snot\n%s", got, due);
}

/* ---- tables ---- */

static fastio_table *read_many(several *s, const char *const *labels, const fastio_csv_options *options,
                               fastio_error *err) {
  fastio_bytes given[MOST];
  fastio_table *table = NULL;
  for (size_t i = 0; labels && i < s->count; i++) given[i] = (fastio_bytes){labels[i], strlen(labels[i])};
  fastio_status status = fastio_read_csv_many(s->sources, s->count, labels ? given : NULL, labels ? "file" : NULL,
                                              options, &table, err);
  CHECK((status == FASTIO_OK) == (table != NULL));
  return table;
}

static void check_many(const char *const *texts, size_t count, const char *const *labels,
                       const fastio_csv_options *options, const char *due, int line) {
  static const size_t chunks[] = {1, 3, 1 << 20}, blocks[] = {0, 1, 5};
  for (int as_streams = 0; as_streams < 2; as_streams++)
    for (size_t k = 0; k < 9; k++)
      for (unsigned threads = 1; threads <= 3; threads += 2) {
        several s;
        fastio_error err;
        fastio_csv_options o = *options;
        o.threads = threads;
        o.block_size = blocks[k / 3];
        open_all(&s, texts, count, as_streams, chunks[k % 3], NULL);
        fastio_error_init(&err);
        fastio_table *table = read_many(&s, labels, &o, &err);
        check_that(table != NULL, __FILE__, line, "failed: %s", err.message);
        if (table) check_text(describe(table), due, line);
        fastio_table_free(table);
        close_all(&s);
      }
}

#define CHECK_MANY(texts, labels, options, due) check_many(texts, COUNT(texts), labels, options, due, __LINE__)

static void types_over_all(void) {
  static const char *const ints[] = {"a,b\n1,x\n", "a,b\n2,y\n3,z"};
  static const char *const promoted[] = {"a,b,c\n1,2020-01-01,1\n", "a,b,c\n2.5,x,\n",
                                         "a,b,c\n,,18446744073709551615\n"};
  static const char *const hidden[] = {"a\n-1\n", "a\n18446744073709551615\n"}; /* neither type has both */
  static const char *const nulls[] = {"a\n\n", "a\n,\n"};
  static const char *const empty[] = {"a,b\n", "a,b\n1,2\n", "a,b\n"};
  static const char *const bools[] = {"a\ntrue\nfalse\ntrue\n", "a\nfalse\n", "a\ntrue\ntrue\n"};
  fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
  CHECK_MANY(ints, NULL, &options, "a:int64 1 2 3\nb:string x y z\n");
  CHECK_MANY(promoted, NULL, &options,
             "a:float64 1 2.5 ~\nb:string 2020-01-01 x ~\nc:uint64 1 ~ 18446744073709551615\n");
  CHECK_MANY(hidden, NULL, &options, "a:string -1 18446744073709551615\n");
  CHECK_MANY(empty, NULL, &options, "a:int64 1\nb:int64 2\n");
  CHECK_MANY(bools, NULL, &options, "a:bool 1 0 1 0 1 1\n");
  options.on_ragged = FASTIO_RAGGED_TRUNCATE;
  CHECK_MANY(nulls, NULL, &options, "a:string ~\n");
  options.on_ragged = FASTIO_RAGGED_ERROR;
  options.flags = FASTIO_CSV_DICTIONARY;
  CHECK_MANY(ints, NULL, &options, "a:int64 1 2 3\nb:dictionary x y z\n");
  options.flags = 0;
  options.infer_rows = 3; /* one of each source */
  CHECK_MANY(promoted, NULL, &options,
             "a:float64 1 2.5 ~\nb:string 2020-01-01 x ~\nc:uint64 1 ~ 18446744073709551615\n");
}

static void labels_and_rows(void) {
  static const char *const texts[] = {"a\n1\n2\n", "a\n", "a\n3\n4\n", "a\n5\n"};
  static const char *const labels[] = {"x", "none", "y", "x"};
  fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
  CHECK_MANY(texts, labels, &options, "file:dictionary x x y y x\na:int64 1 2 3 4 5\n");
  options.max_rows = 3;
  CHECK_MANY(texts, labels, &options, "file:dictionary x x y\na:int64 1 2 3\n");
  options.max_rows = 0;
  CHECK_MANY(texts, labels, &options, "file:dictionary\na:string\n");
  options.max_rows = FASTIO_NO_OFFSET;
  options.skip_rows = 1;
  CHECK_MANY(texts, labels, &options, "file:dictionary x y\na:int64 2 4\n");
}

/* Behind the last row nothing is looked at, not even a source that would fail. */
static void rows_are_enough(void) {
  static const char *const texts[] = {"a\n1\n2\n", "b,c\n"};
  fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
  options.max_rows = 2;
  CHECK_MANY(texts, NULL, &options, "a:int64 1 2\n");
}

static void without_headers(void) {
  static const char *const texts[] = {"", "1,2\n", "", "3,x\n", ""};
  static const char *const nothing[] = {"", ""};
  fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
  CHECK_MANY(nothing, NULL, &options, "");
  options.header = 0;
  CHECK_MANY(texts, NULL, &options, "column_1:int64 1 3\ncolumn_2:string 2 x\n");
  CHECK_MANY(nothing, NULL, &options, "");
}

static void one_source(void) {
  static const char *const texts[] = {"a\n1\n"};
  fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
  CHECK_MANY(texts, NULL, &options, "a:int64 1\n");
}

static void check_failure(const char *const *texts, size_t count, const fastio_csv_options *options,
                          fastio_status status, uint64_t source, uint64_t offset, int line) {
  for (int as_streams = 0; as_streams < 2; as_streams++) {
    several s;
    fastio_error err;
    open_all(&s, texts, count, as_streams, 2, NULL);
    fastio_error_init(&err);
    fastio_table *table = read_many(&s, NULL, options, &err);
    check_that(!table && err.status == status && err.source == source && err.offset == offset, __FILE__, line,
               "%s of source %" PRIu64 " at %" PRIu64 ": %s", fastio_status_name(err.status), err.source, err.offset,
               err.message);
    fastio_table_free(table);
    close_all(&s);
  }
}

#define CHECK_FAILURE(texts, options, status, source, offset) \
  check_failure(texts, COUNT(texts), options, status, source, offset, __LINE__)

static void failures(void) {
  static const char *const names[] = {"a,b\n1,2\n", "a,c\n1,2\n"};
  static const char *const more[] = {"a,b\n1,2\n", "a,b\n1,2\n", "a,b,c\n1,2,3\n"};
  static const char *const ragged[] = {"a,b\n1,2\n", "a,b\n1,2\n3\n"};
  static const char *const cells[] = {"a\n1\n", "a\n2\nx\n", "b\n"};
  static const char *const first[] = {"a\n\"\n", "b\n"};
  fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
  fastio_column_rule rule = {NULL, 0, FASTIO_EVERY_COLUMN, FASTIO_INT64, NULL, 0, {0}};
  CHECK_FAILURE(names, &options, FASTIO_BAD_HEADER, 2, FASTIO_NO_OFFSET);
  CHECK_FAILURE(more, &options, FASTIO_BAD_HEADER, 3, FASTIO_NO_OFFSET);
  CHECK_FAILURE(ragged, &options, FASTIO_RAGGED, 2, 8);
  CHECK_FAILURE(first, &options, FASTIO_BAD_QUOTE, 1, 2);
  options.rules = &rule;
  options.rule_count = 1;
  CHECK_FAILURE(cells, &options, FASTIO_BAD_TOKEN, 2, 4);
}

static void bad_cells_make_strings_of_all(void) {
  static const char *const texts[] = {"a\n1\n", "a\nx\n", "a\n2\n"};
  fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
  fastio_column_rule rule = {NULL, 0, FASTIO_EVERY_COLUMN, FASTIO_INT64, NULL, 0, {0}};
  options.rules = &rule;
  options.rule_count = 1;
  options.on_bad = FASTIO_BAD_STRING;
  CHECK_MANY(texts, NULL, &options, "a:string 1 x 2\n");
}

static void reports_add_up(void) {
  static const char *const texts[] = {"a,b\n\n1\n", "a,b\n1,2\n3\n4,5,6\n"};
  several s;
  fastio_error err;
  fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
  options.on_ragged = FASTIO_RAGGED_SKIP;
  open_all(&s, texts, 2, false, 1, NULL);
  fastio_table *table = read_many(&s, NULL, &options, &err);
  if (CHECK(table != NULL)) {
    CHECK_INT(table->report->skipped, 3);
    CHECK_INT(table->report->blank_lines, 1);
    CHECK_INT(table->report->place_count, 3);
    CHECK_INT(table->report->places[0].offset, 5);
    CHECK_INT(table->report->places[1].offset, 8);
    CHECK_INT(table->report->places[2].line, 4);
    CHECK_INT(table->rows, 1);
  }
  fastio_table_free(table);
  close_all(&s);
}

static void bad_arguments(void) {
  static const char *const texts[] = {"file,b\n1,2\n"};
  fastio_bytes label = {"x", 1}, bad = {"\xff", 1};
  fastio_table *table = NULL;
  fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
  several s;
  fastio_error err;
  open_all(&s, texts, 1, false, 1, NULL);
  CHECK_STATUS(fastio_read_csv_many(NULL, 1, NULL, NULL, NULL, &table, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_read_csv_many(s.sources, 0, NULL, NULL, NULL, &table, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_read_csv_many(s.sources, 1, &label, NULL, NULL, &table, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_read_csv_many(s.sources, 1, &label, "file", NULL, &table, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_read_csv_many(s.sources, 1, &bad, "f", NULL, &table, &err), FASTIO_INVALID_ARGUMENT);
  options.partial = 3;
  CHECK_STATUS(fastio_read_csv_many(s.sources, 1, NULL, NULL, &options, &table, &err), FASTIO_INVALID_ARGUMENT);
  CHECK(table == NULL);
  close_all(&s);
}

/* Random cells in random files: the table is that of all rows in one text. */
static unsigned random_state = 1;
static unsigned next_random(unsigned below) {
  random_state = random_state * 1664525u + 1013904223u;
  return (random_state >> 8) % below;
}

static void as_one_text(void) {
  static const char *const cells[] = {"1",   "-2",    "18446744073709551615", "2.5",
                                      "",    "x",     "\"q\"\"\n\"",          "true",
                                      "nan", "1e999", "2020-02-29",           "99999999999999999999"};
  for (unsigned round = 0; round < 3000; round++) {
    char texts[4][512], all[2048] = "a,b,c\n";
    const char *given[4];
    size_t count = 1 + next_random(4), kinds = 1 + next_random(COUNT(cells)), shift = next_random(COUNT(cells));
    several s;
    fastio_error err;
    fastio_table *due = NULL;
    fastio_source *source;
    fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
    for (size_t i = 0; i < count; i++) {
      char row[128];
      strcpy(texts[i], "a,b,c\n");
      for (unsigned rows = next_random(5); rows > 0; rows--) {
        sprintf(row, "%s,%s,%s\n", cells[(next_random((unsigned)kinds) + shift) % COUNT(cells)],
                cells[(next_random((unsigned)kinds) + 2 * shift) % COUNT(cells)], cells[next_random(2)]);
        strcat(texts[i], row);
        strcat(all, row);
      }
      given[i] = texts[i];
    }
    options.flags = next_random(2) ? FASTIO_CSV_DICTIONARY : 0;
    options.infer_rows = next_random(4) ? FASTIO_NO_OFFSET : next_random(6);
    options.on_bad = options.infer_rows == FASTIO_NO_OFFSET ? FASTIO_BAD_ERROR : FASTIO_BAD_NULL;
    (void)fastio_source_memory(all, strlen(all), NULL, &source, NULL);
    CHECK_STATUS(fastio_read_csv(source, &options, &due, &err), FASTIO_OK);
    fastio_source_close(source);
    open_all(&s, given, count, next_random(2), 1 + next_random(40), NULL);
    options.block_size = next_random(60);
    options.threads = 1 + next_random(3);
    fastio_table *table = read_many(&s, NULL, &options, &err);
    if (due && CHECK(table != NULL)) check_text(describe(table), describe(due), __LINE__);
    fastio_table_free(due);
    fastio_table_free(table);
    close_all(&s);
  }
}

static fastio_status read_with(const fastio_env *env, const void *ctx, fastio_error *err) {
  static const char *const texts[] = {"a,b\n1,x\n", "a,b\n2.5,y\n", "a,b\n,x\n"};
  static const char *const labels[] = {"1", "2", "3"};
  fastio_bytes given[3];
  several s;
  fastio_table *table = NULL;
  fastio_status status = FASTIO_OK;
  fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
  const bool *as_streams = ctx;
  options.env = env;
  options.flags = FASTIO_CSV_DICTIONARY;
  open_all(&s, texts, 3, *as_streams, 7, env);
  for (size_t i = 0; i < 3; i++) {
    given[i] = (fastio_bytes){labels[i], 1};
    if (!s.sources[i]) status = FASTIO_NO_MEMORY;
  }
  if (status == FASTIO_OK) status = fastio_read_csv_many(s.sources, 3, given, "file", &options, &table, err);
  else if (err) err->status = status;
  fastio_table_free(table);
  close_all(&s);
  return status;
}

static void without_memory(void) {
  for (int as_streams = 0; as_streams < 2; as_streams++) {
    bool streams = as_streams != 0;
    books_fail_each(read_with, &streams, "read_csv_many", false);
    books_fail_each(read_with, &streams, "read_csv_many", true);
  }
}

/* ---- columns ---- */

static fastio_column *new_column(const fastio_column *view) {
  fastio_column *column = NULL;
  CHECK_STATUS(fastio_column_new(view, NULL, NULL, NULL, &column, NULL), FASTIO_OK);
  return column;
}

static void bits_of_any_length(void) {
  for (unsigned round = 0; round < 2000; round++) {
    uint8_t values[6][8], validity[6][8];
    const fastio_column *columns[6];
    fastio_column *all = NULL;
    size_t count = 1 + next_random(6), at = 0;
    uint64_t nulls = 0;
    for (size_t i = 0; i < count; i++) {
      fastio_column view;
      memset(&view, 0, sizeof view);
      for (size_t k = 0; k < 8; k++)
        values[i][k] = (uint8_t)next_random(256), validity[i][k] = (uint8_t)next_random(256);
      view.type = FASTIO_BOOL;
      view.length = next_random(40);
      view.data = values[i];
      view.data_size = (view.length + 7) / 8;
      if (next_random(2)) {
        view.validity = validity[i];
        for (uint64_t k = 0; k < view.length; k++) view.null_count += !(validity[i][k / 8] >> (k % 8) & 1);
      }
      nulls += view.null_count;
      columns[i] = new_column(&view);
    }
    CHECK_STATUS(fastio_column_concat(columns, count, NULL, &all, NULL), FASTIO_OK);
    CHECK_INT(all->null_count, nulls);
    for (size_t i = 0; i < count; i++)
      for (uint64_t k = 0; k < columns[i]->length; k++, at++) {
        bool is_there = !columns[i]->validity || columns[i]->validity[k / 8] >> (k % 8) & 1;
        bool there = !all->validity || all->validity[at / 8] >> (at % 8) & 1;
        if (is_there != there || ((((const uint8_t *)all->data)[at / 8] >> (at % 8) ^ values[i][k / 8] >> (k % 8)) & 1))
          CHECK(!"a bit differs");
      }
    CHECK_INT(all->length, at);
    fastio_column_free(all);
    for (size_t i = 0; i < count; i++) fastio_column_free(columns[i]);
  }
}

static void strings_from_anywhere(void) {
  static const int64_t first[] = {2, 3, 3, 6}, none[] = {7}, last[] = {0, 4};
  fastio_column views[3], *all = NULL;
  const fastio_column *columns[3];
  memset(views, 0, sizeof views);
  for (int i = 0; i < 3; i++) views[i].type = FASTIO_STRING;
  views[0].offsets = first, views[0].data = "--abcd--", views[0].length = 3, views[0].data_size = 8;
  views[1].offsets = none, views[1].data = "", views[1].length = 0;
  views[2].offsets = last, views[2].data = "wxyz", views[2].length = 1, views[2].data_size = 4;
  for (int i = 0; i < 3; i++) columns[i] = new_column(&views[i]);
  CHECK_STATUS(fastio_column_concat(columns, 3, NULL, &all, NULL), FASTIO_OK);
  if (all) {
    static const int64_t due[] = {0, 1, 1, 4, 8};
    CHECK_BYTES(all->data, all->data_size, "abcdwxyz");
    CHECK(all->length == 4 && memcmp(all->offsets, due, sizeof due) == 0);
  }
  fastio_column_free(all);
  for (int i = 0; i < 3; i++) fastio_column_free(columns[i]);
}

static fastio_column *dictionary_of(const char *text) {
  fastio_csv_options options = FASTIO_CSV_OPTIONS_INIT;
  fastio_source *source;
  fastio_table *table = NULL;
  fastio_column *column = NULL;
  options.flags = FASTIO_CSV_DICTIONARY;
  (void)fastio_source_memory(text, strlen(text), NULL, &source, NULL);
  CHECK_STATUS(fastio_read_csv(source, &options, &table, NULL), FASTIO_OK);
  column = (fastio_column *)(uintptr_t)table->columns[0];
  fastio_column_retain(column);
  fastio_table_free(table);
  fastio_source_close(source);
  return column;
}

static void dictionaries_unify(void) {
  const fastio_column *columns[] = {dictionary_of("a\nx\ny\nx\n"), dictionary_of("a\nz\n\"\"\ny\n")};
  static const int32_t due[] = {0, 1, 0, 2, 3, 1}; /* a quoted empty field is no null */
  fastio_column *all = NULL;
  CHECK_STATUS(fastio_column_concat(columns, 2, NULL, &all, NULL), FASTIO_OK);
  if (CHECK(all && all->type == FASTIO_DICTIONARY && all->dictionary)) {
    CHECK(all->length == 6 && memcmp(all->data, due, sizeof due) == 0);
    CHECK_BYTES(all->dictionary->data, all->dictionary->data_size, "xyz");
  }
  fastio_column_free(all);
  fastio_column_free(columns[0]);
  fastio_column_free(columns[1]);
}

static void unlike_columns(void) {
  static const int64_t numbers[] = {1, 2, 3, 4};
  fastio_column views[3], *all = NULL;
  const fastio_column *columns[3];
  memset(views, 0, sizeof views);
  for (int i = 0; i < 3; i++) {
    views[i].type = i == 1 ? FASTIO_UINT64 : FASTIO_INT64;
    views[i].data = numbers;
    views[i].length = 4;
    views[i].data_size = sizeof numbers;
    views[i].row_items = i == 2 ? 2 : 0;
    columns[i] = new_column(&views[i]);
  }
  CHECK_STATUS(fastio_column_concat(columns, 2, NULL, &all, NULL), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_column_concat(columns, 0, NULL, &all, NULL), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_column_concat(NULL, 1, NULL, &all, NULL), FASTIO_INVALID_ARGUMENT);
  fastio_column_free(columns[1]);
  columns[1] = columns[2];
  CHECK_STATUS(fastio_column_concat(columns, 2, NULL, &all, NULL), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_column_concat(columns + 1, 2, NULL, &all, NULL), FASTIO_OK);
  if (CHECK(all != NULL)) { CHECK(all->length == 8 && all->row_items == 2 && ((const int64_t *)all->data)[5] == 2); }
  fastio_column_free(all);
  fastio_column_free(columns[0]);
  fastio_column_free(columns[1]);
}

/* ---- paths ---- */

static char directory[] = "/tmp/fastio-test-many-XXXXXX";

static void make(const char *name) {
  FILE *file = fopen(name, "wb");
  if (!file || fclose(file) != 0) abort();
}

static void check_glob(const char *pattern, const char *due, int line) {
  char text[4096] = "";
  fastio_column *paths = NULL;
  fastio_error err;
  fastio_status status = fastio_glob(pattern, NULL, &paths, &err);
  if (status != FASTIO_OK)
    check_that(status == FASTIO_OS_ERROR && err.os_error == ENOENT, __FILE__, line, "%s: %s", pattern, err.message);
  for (uint64_t i = 0; paths && i < paths->length; i++)
    sprintf(text + strlen(text), "%.*s ", (int)(paths->offsets[i + 1] - paths->offsets[i]),
            (const char *)paths->data + paths->offsets[i]);
  check_that(strcmp(text, due) == 0, __FILE__, line, "%s: \"%s\", not \"%s\"", pattern, text, due);
  fastio_column_free(paths);
}

#define CHECK_GLOB(pattern, due) check_glob(pattern, due, __LINE__)

static void patterns(void) {
  char absolute[256], due[512];
  if (!mkdtemp(directory) || chdir(directory) != 0) abort();
  if (mkdir("d1", 0755) || mkdir("d2", 0755) || mkdir(".h", 0755)) abort();
  make("b.csv"), make("a.csv"), make("B.csv"), make("a.csv.gz"), make(".a.csv"), make("a[1].csv"), make("\xC3\xA9.csv");
  make("d1/x"), make("d2/x"), make("d2/y"), make(".h/x"), make("\xff.csv"), make("a]b");
  if (symlink("nowhere", "link")) abort();
  CHECK_GLOB("*.csv", "B.csv a.csv a[1].csv b.csv \xC3\xA9.csv \xff.csv ");
  CHECK_GLOB("?.csv", "B.csv a.csv b.csv \xC3\xA9.csv \xff.csv ");
  CHECK_GLOB("[a-z].csv", "a.csv b.csv ");
  CHECK_GLOB("[!a-z].csv", "B.csv \xC3\xA9.csv \xff.csv ");
  CHECK_GLOB("[\xC3\xA0-\xC3\xBF].csv", "\xC3\xA9.csv ");
  CHECK_GLOB("a[[]1].csv", "a[1].csv ");
  CHECK_GLOB("a[]]b", "a]b ");
  CHECK_GLOB("a[1].csv", "");
  CHECK_GLOB("a[", "");
  CHECK_GLOB("a.csv", "a.csv ");
  CHECK_GLOB("./a.csv", "./a.csv ");
  CHECK_GLOB("a.c*v", "a.csv ");
  CHECK_GLOB("a*.*sv*", "a.csv a.csv.gz a[1].csv ");
  CHECK_GLOB(".*", ".a.csv .h ");
  CHECK_GLOB("*/x", "d1/x d2/x ");
  CHECK_GLOB(".*/x", ".h/x ");
  CHECK_GLOB("*/*", "d1/x d2/x d2/y ");
  CHECK_GLOB("d?/", "d1/ d2/ ");
  CHECK_GLOB("*/", "d1/ d2/ ");
  CHECK_GLOB("d[12]//y", "d2//y ");
  CHECK_GLOB("link", "link ");
  CHECK_GLOB("l*", "link ");
  CHECK_GLOB("l*/", "");
  CHECK_GLOB("none", "");
  CHECK_GLOB("none/*", "");
  CHECK_GLOB("a.csv/*", "");
  CHECK_GLOB("", "");
  snprintf(absolute, sizeof absolute, "%s/d?/[xy]", directory);
  snprintf(due, sizeof due, "%s/d1/x %s/d2/x %s/d2/y ", directory, directory, directory);
  CHECK_GLOB(absolute, due);
  CHECK_STATUS(fastio_glob(NULL, NULL, NULL, NULL), FASTIO_INVALID_ARGUMENT);
}

static fastio_status glob_with(const fastio_env *env, const void *ctx, fastio_error *err) {
  fastio_column *paths = NULL;
  fastio_status status = fastio_glob(ctx, env, &paths, err);
  fastio_column_free(paths);
  return status;
}

int main(void) {
  types_over_all();
  labels_and_rows();
  rows_are_enough();
  without_headers();
  one_source();
  failures();
  bad_cells_make_strings_of_all();
  reports_add_up();
  bad_arguments();
  as_one_text();
  without_memory();
  bits_of_any_length();
  strings_from_anywhere();
  dictionaries_unify();
  unlike_columns();
  patterns();
  books_fail_each(glob_with, "d?/*", "glob", false);
  if (chdir("/tmp") != 0) abort();
  char command[64];
  snprintf(command, sizeof command, "rm -r %s", directory);
  if (system(command) != 0) abort();
  return check_report();
}
