/* Columns: ownership from any thread, memory from outside, validity bits, and what Arrow consumers are promised. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "../../libfastio/src/column/column.h"
#include "books.h"

#include <pthread.h>

typedef fastio_status read_column(fastio_source *source, const fastio_read_options *options, fastio_column **out,
                                  fastio_error *err);

static fastio_column *read_text(read_column *read, const char *text, const fastio_read_options *options) {
  fastio_source *source;
  fastio_column *column = NULL;
  CHECK_STATUS(fastio_source_memory(text, strlen(text), NULL, &source, NULL), FASTIO_OK);
  CHECK_STATUS(read(source, options, &column, NULL), FASTIO_OK);
  fastio_source_close(source);
  return column;
}

/* ---- types ---- */

static const struct {
  fastio_type type;
  const char *name, *format;
  size_t size;
} types[] = {
    {FASTIO_INT8, "int8", "c", 1},
    {FASTIO_INT16, "int16", "s", 2},
    {FASTIO_INT32, "int32", "i", 4},
    {FASTIO_INT64, "int64", "l", 8},
    {FASTIO_UINT8, "uint8", "C", 1},
    {FASTIO_UINT16, "uint16", "S", 2},
    {FASTIO_UINT32, "uint32", "I", 4},
    {FASTIO_UINT64, "uint64", "L", 8},
    {FASTIO_FLOAT32, "float32", "f", 4},
    {FASTIO_FLOAT64, "float64", "g", 8},
    {FASTIO_STRING, "string", "U", 0},
    {FASTIO_BINARY, "binary", "Z", 0},
    {FASTIO_BOOL, "bool", "b", 0},
    {FASTIO_DATE, "date", "tdD", 4},
    {FASTIO_TIME, "time", "ttn", 8},
    {FASTIO_TIMESTAMP, "timestamp[ns]", "tsn:", 8},
    {FASTIO_TIMESTAMP_UTC, "timestamp[ns, UTC]", "tsn:UTC", 8},
    {FASTIO_DICTIONARY, "dictionary", "i", 4},
};
enum { TYPES = sizeof types / sizeof *types };

static void names_and_sizes(void) {
  for (size_t i = 0; i < TYPES; i++) {
    CHECK(strcmp(fastio_type_name(types[i].type), types[i].name) == 0);
    CHECK_INT(fastio_type_size(types[i].type), types[i].size);
    CHECK_INT(fastio_type_from_name(types[i].name), types[i].type);
  }
  CHECK(fastio_type_name((fastio_type)0) == NULL && fastio_type_name((fastio_type)(TYPES + 1)) == NULL);
  CHECK(fastio_type_size((fastio_type)0) == 0 && fastio_type_size((fastio_type)99) == 0);
  CHECK(fastio_type_from_name("") == 0 && fastio_type_from_name("int") == 0 && fastio_type_from_name(NULL) == 0);
}

/* Readers of numbers refuse every type that is none, and each other's. */
static void refused_types(void) {
  for (size_t i = 0; i < TYPES; i++) {
    fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
    fastio_column *column = NULL;
    fastio_source *source;
    unsigned char out[16];
    size_t count;
    bool is_float = types[i].type == FASTIO_FLOAT32 || types[i].type == FASTIO_FLOAT64;
    bool is_integer = types[i].type <= FASTIO_UINT64;
    options.type = types[i].type;
    CHECK_STATUS(fastio_source_memory("1 2", 3, NULL, &source, NULL), FASTIO_OK);
    if (!is_integer) CHECK_STATUS(fastio_read_ints(source, &options, &column, NULL), FASTIO_INVALID_ARGUMENT);
    if (!is_float) CHECK_STATUS(fastio_read_floats(source, &options, &column, NULL), FASTIO_INVALID_ARGUMENT);
    CHECK(column == NULL);
    fastio_source_close(source);
    CHECK_STATUS(fastio_parse_array("1 2", 3, NULL, types[i].type, out, 2, &count, NULL),
                 is_float || is_integer ? FASTIO_OK : FASTIO_INVALID_ARGUMENT);
  }
}

static void layout(void) {
  fastio_column *ints = read_text(fastio_read_ints, "1 2 3", NULL);
  CHECK(ints->type == FASTIO_INT64 && ints->length == 3 && ints->data_size == 24 && ints->offsets == NULL);
  CHECK((uintptr_t)ints->data % 64 == 0);
  fastio_column *lines = read_text(fastio_read_lines, "ab\n\nc", NULL);
  CHECK(lines->type == FASTIO_STRING && lines->length == 3 && lines->data_size == 3);
  CHECK(lines->offsets[0] == 0 && lines->offsets[1] == 2 && lines->offsets[2] == 2 && lines->offsets[3] == 3);
  CHECK((uintptr_t)lines->data % 64 == 0 && (uintptr_t)lines->offsets % 64 == 0);
  fastio_column *none = read_text(fastio_read_lines, "", NULL);
  CHECK(none->length == 0 && none->data != NULL && none->offsets != NULL && none->offsets[0] == 0);
  fastio_column_free(ints);
  fastio_column_free(lines);
  fastio_column_free(none);
  fastio_column_free(NULL);
}

/* Nulls: slots of 0, bits of 0, and no stray bits behind the last one. */
static void nulls(void) {
  static const fastio_bytes words[] = {{"NA", 2}};
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  options.null_values = words;
  options.null_count = 1;
  fastio_column *column = read_text(fastio_read_ints, "1 NA 3 4 5 6 7 8 9 NA", &options);
  CHECK_INT(column->null_count, 2);
  CHECK(column->validity != NULL && (uintptr_t)column->validity % 64 == 0);
  CHECK_INT(column->validity[0], 0xfd);
  CHECK_INT(column->validity[1] & 3, 0x01);
  CHECK(((const int64_t *)column->data)[1] == 0 && ((const int64_t *)column->data)[9] == 0);
  fastio_column_free(column);
  column = read_text(fastio_read_ints, "1 2", &options);
  CHECK(column->null_count == 0 && column->validity == NULL);
  fastio_column_free(column);
}

static int released;

static void on_release(void *ctx) {
  CHECK_BYTES(ctx, 3, "ctx");
  released++;
}

static void outside_memory(void) {
  static const int32_t values[] = {7, 8, 9};
  fastio_column view = {FASTIO_INT32, 3, 0, NULL, NULL, values, sizeof values, 0, NULL}, *column;
  released = 0;
  CHECK_STATUS(fastio_column_new(&view, on_release, "ctx", NULL, &column, NULL), FASTIO_OK);
  CHECK(column->data == values && column->length == 3 && column->type == FASTIO_INT32);
  fastio_column_retain(column);
  fastio_column_free(column);
  CHECK_INT(released, 0);
  fastio_column_free(column);
  CHECK_INT(released, 1);
}

static void refused_views(void) {
  static const int32_t values[] = {0, 0};
  fastio_column good = {FASTIO_INT32, 2, 0, NULL, NULL, values, sizeof values, 0, NULL}, bad, *column = NULL;
  released = 0;
  bad = good, bad.type = (fastio_type)99;
  CHECK_STATUS(fastio_column_new(&bad, on_release, "ctx", NULL, &column, NULL), FASTIO_INVALID_ARGUMENT);
  bad = good, bad.data = NULL;
  CHECK_STATUS(fastio_column_new(&bad, on_release, "ctx", NULL, &column, NULL), FASTIO_INVALID_ARGUMENT);
  bad = good, bad.null_count = 1;
  CHECK_STATUS(fastio_column_new(&bad, on_release, "ctx", NULL, &column, NULL), FASTIO_INVALID_ARGUMENT);
  bad = good, bad.type = FASTIO_STRING;
  CHECK_STATUS(fastio_column_new(&bad, on_release, "ctx", NULL, &column, NULL), FASTIO_INVALID_ARGUMENT);
  bad = good, bad.type = FASTIO_DICTIONARY;
  CHECK_STATUS(fastio_column_new(&bad, on_release, "ctx", NULL, &column, NULL), FASTIO_INVALID_ARGUMENT);
  bad.dictionary = &good;
  CHECK_STATUS(fastio_column_new(&bad, on_release, "ctx", NULL, &column, NULL), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_column_new(NULL, on_release, "ctx", NULL, &column, NULL), FASTIO_INVALID_ARGUMENT);
  CHECK_INT(released, 7);
  CHECK(column == NULL);
}

/* A column of indices is one more owner of its dictionary. */
static void dictionary_owners(void) {
  static const int32_t indices[] = {1, 0, 1};
  fastio_column *words = read_text(fastio_read_lines, "a\nb\n", NULL), *column = NULL;
  fastio_column view = {FASTIO_DICTIONARY, 3, 0, NULL, NULL, indices, sizeof indices, 0, words};
  released = 0;
  CHECK_STATUS(fastio_column_new(&view, on_release, "ctx", NULL, &column, NULL), FASTIO_OK);
  fastio_column_free(words);
  CHECK(column->dictionary == words && words->length == 2);
  CHECK_BYTES(words->data, 2, "ab");
  fastio_column_free(column);
  CHECK_INT(released, 1);
}

static void *retain_and_free(void *ctx) {
  for (int i = 0; i < 10000; i++) {
    fastio_column_retain(ctx);
    fastio_column_free(ctx);
  }
  return NULL;
}

static void owners_in_threads(void) {
  fastio_column *column = read_text(fastio_read_ints, "1 2 3", NULL);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) CHECK(pthread_create(&threads[i], NULL, retain_and_free, column) == 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  CHECK_INT(((const int64_t *)column->data)[2], 3);
  fastio_column_free(column);
}

/* ---- dictionaries ---- */

static const int32_t *indices_of(const fastio_column *column) { return column->data; }

static bool is_string_at(const fastio_column *column, size_t i, const char *text) {
  size_t size = (size_t)(column->offsets[i + 1] - column->offsets[i]);
  return size == strlen(text) && memcmp((const char *)column->data + column->offsets[i], text, size) == 0;
}

static void encode(void) {
  static const uint8_t validity[] = {0xef}; /* the fifth is missing */
  fastio_column *lines = read_text(fastio_read_lines, "b\na\nb\n\n\n\nabcdefgh1\nabcdefgh2\n", NULL), *strings, *column;
  fastio_column view = *lines;
  view.null_count = 1;
  view.validity = validity;
  CHECK_STATUS(fastio_column_new(&view, NULL, NULL, NULL, &strings, NULL), FASTIO_OK);
  CHECK_STATUS(fastio__column_encode(strings, NULL, &column, NULL), FASTIO_OK);
  fastio_column_free(strings);
  fastio_column_free(lines);
  static const int32_t due[] = {0, 1, 0, 2, 0, 2, 3, 4};
  CHECK(column->type == FASTIO_DICTIONARY && column->length == 8 && column->null_count == 1 && column->data_size == 32);
  CHECK(memcmp(column->data, due, sizeof due) == 0 && column->validity[0] == 0xef);
  const fastio_column *words = column->dictionary;
  CHECK(words->type == FASTIO_STRING && words->length == 5 && words->null_count == 0 && words->data_size == 20);
  CHECK(is_string_at(words, 0, "b") && is_string_at(words, 1, "a") && is_string_at(words, 2, ""));
  CHECK(is_string_at(words, 3, "abcdefgh1") && is_string_at(words, 4, "abcdefgh2"));
  CHECK((uintptr_t)column->data % 64 == 0 && (uintptr_t)words->data % 64 == 0 && (uintptr_t)words->offsets % 64 == 0);
  fastio_column_free(column);
}

static void encode_nothing(void) {
  fastio_column *lines = read_text(fastio_read_lines, "", NULL), *column;
  CHECK_STATUS(fastio__column_encode(lines, NULL, &column, NULL), FASTIO_OK);
  CHECK(column->length == 0 && column->dictionary->length == 0 && column->dictionary->offsets[0] == 0);
  CHECK(column->data != NULL && column->dictionary->data != NULL && column->validity == NULL);
  fastio_column_free(column);
  fastio_column_free(lines);
}

/* Texts of every length up to 40, many of them alike but for one byte anywhere, and enough for many larger tables. */
static char *many_words(size_t count, size_t *size) {
  char *text = malloc(count * 42), *at = text;
  for (size_t i = 0; i < count; i++) {
    size_t length = i % 41;
    memset(at, 'a', length);
    for (size_t rest = i / 41, place = length; rest && place-- > 0; rest /= 25) at[place] = (char)('a' + rest % 25 + 1);
    at[length] = '\n';
    at += length + 1;
  }
  *size = (size_t)(at - text);
  *at = '\0';
  return text;
}

static void encode_many(void) {
  enum { MANY = 300000 };
  size_t size;
  char *text = many_words(MANY, &size);
  fastio_column *lines = read_text(fastio_read_lines, text, NULL), *column;
  CHECK_STATUS(fastio__column_encode(lines, NULL, &column, NULL), FASTIO_OK);
  const fastio_column *words = column->dictionary;
  bool same = column->length == MANY;
  int32_t next = 0;
  for (size_t i = 0; same && i < MANY; i++) {
    int32_t index = indices_of(column)[i];
    size_t start = (size_t)lines->offsets[i], length = (size_t)(lines->offsets[i + 1] - lines->offsets[i]);
    same = index >= 0 && index <= next; /* by first appearance */
    next += index == next;
    same = same && (size_t)(words->offsets[index + 1] - words->offsets[index]) == length &&
           memcmp((const char *)words->data + words->offsets[index], (const char *)lines->data + start, length) == 0;
  }
  CHECK(same);
  CHECK_INT(words->length, next);
  CHECK(next > 250000); /* distinct but for the short ones */
  fastio_column_free(column);
  fastio_column_free(lines);
  free(text);
}

static fastio_status try_encode(const fastio_env *env, const void *ctx, fastio_error *err) {
  fastio_column *column = NULL;
  fastio_status status = fastio__column_encode(ctx, env, &column, err);
  CHECK((column != NULL) == (status == FASTIO_OK));
  fastio_column_free(column);
  return status;
}

static void encode_with_too_little_memory(void) {
  static const uint8_t validity[200] = {0xff, 0x7f};
  size_t size;
  char *text = many_words(1000, &size);
  fastio_column *lines = read_text(fastio_read_lines, text, NULL), *strings;
  fastio_column view = *lines;
  view.null_count = 1000 - 15;
  view.validity = validity;
  CHECK_STATUS(fastio_column_new(&view, NULL, NULL, NULL, &strings, NULL), FASTIO_OK);
  for (int from = 0; from < 2; from++) {
    books_fail_each(try_encode, lines, "encode", from);
    books_fail_each(try_encode, strings, "encode with nulls", from);
  }
  fastio_column_free(strings);
  fastio_column_free(lines);
  free(text);
}

/* ---- missing values ---- */

/* Bits of windows at any place, against a plain array. */
static void validity_of_windows(void) {
  enum { LENGTH = 1000 };
  fastio__null_bits *list = NULL;
  fastio__region region;
  bool missing[LENGTH] = {false};
  uint64_t base = 0, null_count = 0, due = 0, state = 1;
  while (base < LENGTH) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    uint64_t count = 1 + (state >> 40) % 40;
    if (count > LENGTH - base) count = LENGTH - base;
    fastio__null_bits *found = fastio__null_bits_new(NULL, base, count);
    for (uint64_t i = 0; i < count; i++) {
      if ((state >> (i % 60) & 3) != 0) continue;
      fastio__null_bits_set(found, (size_t)i);
      missing[base + i] = true;
      due++;
    }
    found->next = list;
    list = found;
    base += count;
  }
  CHECK_STATUS(fastio__validity_build(list, LENGTH, NULL, &region, &null_count, NULL), FASTIO_OK);
  CHECK(due > 100 && null_count == due);
  for (size_t i = 0; i < LENGTH; i++) CHECK(missing[i] == !(region.data[i / 8] >> (i % 8) & 1));
  fastio__region_free(&region);
  fastio__null_bits_free(NULL, list);
}

static void validity_of_nothing(void) {
  fastio__null_bits *list = fastio__null_bits_new(NULL, 3, 100);
  fastio__region region;
  uint64_t null_count = 7;
  CHECK_STATUS(fastio__validity_build(NULL, 100, NULL, &region, &null_count, NULL), FASTIO_OK);
  CHECK(null_count == 0 && region.data == NULL);
  null_count = 7;
  CHECK_STATUS(fastio__validity_build(list, 103, NULL, &region, &null_count, NULL), FASTIO_OK);
  CHECK(null_count == 0 && region.data == NULL);
  fastio__null_bits_free(NULL, list);
}

/* ---- Arrow ---- */

static void arrow_formats(void) {
  static const int64_t values[] = {0, 0};
  fastio_column *words = read_text(fastio_read_lines, "a\n", NULL);
  for (size_t i = 0; i < TYPES; i++) {
    fastio_column view = {types[i].type, 1, 0, NULL, values, values, 0, 0, NULL}, *column = NULL;
    struct ArrowSchema schema;
    if (view.type == FASTIO_DICTIONARY) view.dictionary = words;
    CHECK_STATUS(fastio_column_new(&view, NULL, NULL, NULL, &column, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_column_export_schema(column, &schema, NULL), FASTIO_OK);
    CHECK(strcmp(schema.format, types[i].format) == 0 && schema.flags == ARROW_FLAG_NULLABLE);
    CHECK(schema.release != NULL && schema.n_children == 0 && schema.metadata == NULL);
    CHECK((schema.dictionary != NULL) == (view.dictionary != NULL));
    fastio_column_free(column);
    schema.release(&schema);
    CHECK(schema.release == NULL);
  }
  fastio_column_free(words);
}

/* The array owns the memory: the column may go first. Releasing is idempotent for consumers that look at `release`. */
static void arrow_array(void) {
  struct ArrowArray array;
  fastio_column *column = read_text(fastio_read_ints, "10 20 30 40", NULL);
  const void *data = column->data;
  CHECK_STATUS(fastio_column_export_array(column, 0, 4, &array, NULL), FASTIO_OK);
  fastio_column_free(column);
  CHECK(array.length == 4 && array.null_count == 0 && array.offset == 0 && array.n_buffers == 2 &&
        array.n_children == 0);
  CHECK(array.buffers[0] == NULL && array.buffers[1] == data && array.dictionary == NULL);
  CHECK_INT(((const int64_t *)array.buffers[1])[3], 40);
  array.release(&array);
  CHECK(array.release == NULL);
}

static int64_t array_value(const struct ArrowArray *array, int64_t i) {
  return ((const int64_t *)array->buffers[1])[array->offset + i];
}

static void arrow_slices(void) {
  static const fastio_bytes words[] = {{"NA", 2}};
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  struct ArrowArray slice;
  options.null_values = words;
  options.null_count = 1;
  fastio_column *column = read_text(fastio_read_ints, "10 NA 30 40", &options);
  CHECK_STATUS(fastio_column_export_array(column, 2, 2, &slice, NULL), FASTIO_OK);
  CHECK(slice.length == 2 && array_value(&slice, 0) == 30 && array_value(&slice, 1) == 40);
  CHECK(slice.null_count == 0 || slice.null_count == -1); /* of the slice: none, or not counted */
  slice.release(&slice);
  CHECK_STATUS(fastio_column_export_array(column, 1, 3, &slice, NULL), FASTIO_OK);
  CHECK(slice.null_count == 1 || slice.null_count == -1);
  const uint8_t *validity = slice.buffers[0];
  CHECK(validity != NULL && (validity[slice.offset / 8] >> (slice.offset % 8) & 1) == 0);
  slice.release(&slice);
  CHECK_STATUS(fastio_column_export_array(column, 4, 0, &slice, NULL), FASTIO_OK);
  CHECK_INT(slice.length, 0);
  slice.release(&slice);
  CHECK_STATUS(fastio_column_export_array(column, 3, 2, &slice, NULL), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_column_export_array(column, 5, 0, &slice, NULL), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(fastio_column_export_array(column, 1, UINT64_MAX, &slice, NULL), FASTIO_INVALID_ARGUMENT);
  fastio_column_free(column);
}

static void arrow_strings(void) {
  struct ArrowSchema schema;
  struct ArrowArray array;
  fastio_column *column = read_text(fastio_read_lines, "ab\n\ncd\n", NULL);
  CHECK_STATUS(fastio_column_export_schema(column, &schema, NULL), FASTIO_OK);
  CHECK_BYTES(schema.format, strlen(schema.format), "U");
  CHECK_STATUS(fastio_column_export_array(column, 0, 3, &array, NULL), FASTIO_OK);
  CHECK(array.n_buffers == 3 && array.length == 3);
  CHECK_INT(((const int64_t *)array.buffers[1])[3], 4);
  CHECK_BYTES(array.buffers[2], 4, "abcd");
  fastio_column_free(column);
  array.release(&array);
  schema.release(&schema);
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  options.line_type = FASTIO_BINARY;
  column = read_text(fastio_read_lines, "\xff\n", &options);
  CHECK_STATUS(fastio_column_export_schema(column, &schema, NULL), FASTIO_OK);
  CHECK_BYTES(schema.format, strlen(schema.format), "Z");
  schema.release(&schema);
  fastio_column_free(column);
}

/* The dictionary goes with the array, and may be taken out of it. */
static void arrow_dictionary(void) {
  static const int32_t indices[] = {1, 0, 1, 0};
  static const uint8_t validity[] = {0x07};
  fastio_column *words = read_text(fastio_read_lines, "ab\nc\n", NULL), *column = NULL;
  fastio_column view = {FASTIO_DICTIONARY, 4, 1, validity, NULL, indices, sizeof indices, 0, words};
  struct ArrowSchema schema, taken_schema;
  struct ArrowArray array, taken;
  CHECK_STATUS(fastio_column_new(&view, NULL, NULL, NULL, &column, NULL), FASTIO_OK);
  fastio_column_free(words);
  CHECK_STATUS(fastio_column_export_schema(column, &schema, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_column_export_array(column, 1, 3, &array, NULL), FASTIO_OK);
  fastio_column_free(column);
  CHECK(strcmp(schema.format, "i") == 0 && strcmp(schema.dictionary->format, "U") == 0);
  CHECK(array.length == 3 && array.offset == 1 && array.null_count == 1 && array.n_buffers == 2);
  CHECK(array.dictionary->length == 2 && array.dictionary->n_buffers == 3 && array.dictionary->offset == 0);
  taken = *array.dictionary;
  array.dictionary->release = NULL;
  taken_schema = *schema.dictionary;
  schema.dictionary->release = NULL;
  array.release(&array);
  schema.release(&schema);
  CHECK(strcmp(taken_schema.format, "U") == 0 && strcmp(taken_schema.name, "") == 0);
  CHECK_INT(((const int64_t *)taken.buffers[1])[1], 2);
  CHECK_BYTES(taken.buffers[2], 3, "abc");
  taken.release(&taken);
  taken_schema.release(&taken_schema);
}

/* Nulls of every slice, by the bits. */
static void arrow_null_counts(void) {
  static const uint8_t validity[] = {0xb7, 0x00, 0xff, 0x5a};
  static const int8_t values[32];
  fastio_column view = {FASTIO_INT8, 32, 14, validity, NULL, values, sizeof values, 0, NULL}, *column = NULL;
  CHECK_STATUS(fastio_column_new(&view, NULL, NULL, NULL, &column, NULL), FASTIO_OK);
  for (unsigned start = 0; start <= 32; start++) {
    int64_t due = 0;
    for (unsigned end = start; end <= 32; end++) {
      struct ArrowArray array;
      CHECK_STATUS(fastio_column_export_array(column, start, end - start, &array, NULL), FASTIO_OK);
      CHECK_INT(array.null_count, due);
      array.release(&array);
      if (end < 32) due += !(validity[end / 8] >> (end % 8) & 1);
    }
  }
  fastio_column_free(column);
}

int main(void) {
  names_and_sizes();
  refused_types();
  layout();
  nulls();
  outside_memory();
  refused_views();
  dictionary_owners();
  owners_in_threads();
  encode();
  encode_nothing();
  encode_many();
  encode_with_too_little_memory();
  validity_of_windows();
  validity_of_nothing();
  arrow_formats();
  arrow_array();
  arrow_slices();
  arrow_strings();
  arrow_dictionary();
  arrow_null_counts();
  return check_report();
}
