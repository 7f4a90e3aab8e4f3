/* Columns: ownership from any thread, memory from outside, validity bits, and what Arrow consumers are promised. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "check.h"

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
  fastio_column view = {FASTIO_INT32, 3, 0, NULL, NULL, values, sizeof values, 0}, *column;
  released = 0;
  CHECK_STATUS(fastio_column_new(&view, on_release, "ctx", NULL, &column, NULL), FASTIO_OK);
  CHECK(column->data == values && column->length == 3 && column->type == FASTIO_INT32);
  fastio_column_retain(column);
  fastio_column_free(column);
  CHECK_INT(released, 0);
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

/* ---- Arrow ---- */

static const struct {
  fastio_type type;
  const char *format;
} formats[] = {
    {FASTIO_INT8, "c"},   {FASTIO_UINT8, "C"}, {FASTIO_INT16, "s"},  {FASTIO_UINT16, "S"},  {FASTIO_INT32, "i"},
    {FASTIO_UINT32, "I"}, {FASTIO_INT64, "l"}, {FASTIO_UINT64, "L"}, {FASTIO_FLOAT32, "f"}, {FASTIO_FLOAT64, "g"},
};

static void arrow_formats(void) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
    struct ArrowSchema schema;
    options.type = formats[i].type;
    bool is_float = options.type == FASTIO_FLOAT32 || options.type == FASTIO_FLOAT64;
    fastio_column *column = read_text(is_float ? fastio_read_floats : fastio_read_ints, "1 2", &options);
    CHECK_STATUS(fastio_column_export_schema(column, &schema, NULL), FASTIO_OK);
    CHECK(strcmp(schema.format, formats[i].format) == 0);
    CHECK(schema.release != NULL && schema.n_children == 0 && schema.dictionary == NULL && schema.metadata == NULL);
    fastio_column_free(column);
    schema.release(&schema);
    CHECK(schema.release == NULL);
  }
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

int main(void) {
  layout();
  nulls();
  outside_memory();
  owners_in_threads();
  arrow_formats();
  arrow_array();
  arrow_slices();
  arrow_strings();
  return check_report();
}
