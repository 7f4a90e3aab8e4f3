/* Readers that read another source for a while, and the failures of own types. */
#include "check.h"

static fastio_source *memory(const char *text) {
  fastio_source *source = NULL;
  CHECK_STATUS(fastio_source_memory(text, strlen(text), NULL, &source, NULL), FASTIO_OK);
  return source;
}

static fastio_reader *reader_of(fastio_source *source, const fastio_read_options *options) {
  fastio_reader *reader = NULL;
  CHECK_STATUS(fastio_reader_open(source, options, &reader, NULL), FASTIO_OK);
  return reader;
}

/* There and back, at every size of the buffer: values, offsets and lines are those of the source that is read. */
static void test_there_and_back(size_t block_size) {
  fastio_source *outer = memory("1 2\n3 4\n5"), *inner = memory("\n\n10 x"), *innermost = memory("7");
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  fastio_reader *r;
  fastio_error err;
  int64_t value = 0;
  options.block_size = block_size;
  r = reader_of(outer, &options);
  CHECK_STATUS(fastio_reader_redirect(r, NULL, &err), FASTIO_OK); /* nothing to turn back */
  CHECK_STATUS(fastio_next_i64(r, &value, &err), FASTIO_OK);
  CHECK_STATUS(fastio_next_i64(r, &value, &err), FASTIO_OK);
  CHECK_STATUS(fastio_next_i64(r, &value, &err), FASTIO_OK);
  CHECK_INT(fastio_reader_offset(r), 5);
  CHECK_STATUS(fastio_reader_redirect(r, inner, &err), FASTIO_OK);
  CHECK_INT(fastio_reader_offset(r), 0);
  CHECK_STATUS(fastio_next_i64(r, &value, &err), FASTIO_OK);
  CHECK_INT(value, 10);
  CHECK_STATUS(fastio_next_i64(r, &value, &err), FASTIO_BAD_TOKEN);
  CHECK_ERROR(&err, FASTIO_BAD_TOKEN, 5, 3, 4);
  CHECK_STATUS(fastio_reader_redirect(r, innermost, &err), FASTIO_OK);
  CHECK_STATUS(fastio_next_i64(r, &value, &err), FASTIO_OK);
  CHECK_INT(value, 7);
  CHECK_STATUS(fastio_next_i64(r, &value, &err), FASTIO_END);
  CHECK_STATUS(fastio_reader_redirect(r, NULL, &err), FASTIO_OK);
  CHECK_STATUS(fastio_next_i64(r, &value, &err), FASTIO_BAD_TOKEN); /* still there */
  CHECK_ERROR(&err, FASTIO_BAD_TOKEN, 5, 3, 4);
  CHECK_STATUS(fastio_reader_redirect(r, NULL, &err), FASTIO_OK);
  CHECK_INT(fastio_reader_offset(r), 5);
  CHECK_INT(fastio_reader_line(r), 2);
  CHECK_STATUS(fastio_next_i64(r, &value, &err), FASTIO_OK);
  CHECK_INT(value, 4);
  CHECK_STATUS(fastio_next_i64(r, &value, &err), FASTIO_OK);
  CHECK_INT(value, 5);
  CHECK_STATUS(fastio_next_i64(r, &value, &err), FASTIO_END);
  CHECK_STATUS(fastio_reader_redirect(r, inner, &err), FASTIO_OK); /* from where the last time left off */
  fastio_reader_close(r);                                          /* redirected */
  fastio_source_close(outer);
  fastio_source_close(inner);
  fastio_source_close(innermost);
}

/* The range and the lines to skip belong to the source; separators and comments to the reader. */
static void test_options(void) {
  fastio_source *outer = memory("skipped\n1,2,3,4\n"), *inner = memory("\xEF\xBB\xBF"
                                                                       "9,#8\n 7,");
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  fastio_reader *r;
  int64_t value = 0;
  options.separator = ',';
  options.comment = '#';
  options.skip_lines = 1;
  options.offset = 8;
  options.length = 8;
  r = reader_of(outer, &options);
  CHECK_STATUS(fastio_reader_redirect(r, inner, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_next_i64(r, &value, NULL), FASTIO_OK);
  CHECK_INT(value, 9);
  CHECK_STATUS(fastio_next_i64(r, &value, NULL), FASTIO_EMPTY_FIELD);
  CHECK_STATUS(fastio_skip(r, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_next_i64(r, &value, NULL), FASTIO_OK);
  CHECK_INT(value, 7);
  CHECK_STATUS(fastio_reader_redirect(r, NULL, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_next_i64(r, &value, NULL), FASTIO_OK);
  CHECK_INT(value, 1);
  fastio_reader_close(r);
  fastio_source_close(outer);
  fastio_source_close(inner);
}

/* A failure of the source that was redirected to is over with it. */
static fastio_status torn_read(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  (void)ctx, (void)data, (void)size, (void)got, (void)err;
  return FASTIO_CANCELLED;
}

static void test_failing_source(void) {
  fastio_device device = {NULL, torn_read, NULL};
  fastio_source *outer = memory("1 2"), *inner = NULL;
  fastio_reader *r = reader_of(outer, NULL);
  int64_t value = 0;
  CHECK_STATUS(fastio_source_device(&device, NULL, &inner, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_next_i64(r, &value, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_reader_redirect(r, inner, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_next_i64(r, &value, NULL), FASTIO_CANCELLED);
  CHECK_STATUS(fastio_reader_fail(r, FASTIO_BAD_TOKEN, "unread", NULL), FASTIO_BAD_TOKEN);
  CHECK_STATUS(fastio_reader_redirect(r, NULL, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_next_i64(r, &value, NULL), FASTIO_OK);
  CHECK_INT(value, 2);
  fastio_reader_close(r);
  fastio_source_close(outer);
  fastio_source_close(inner);
}

static void test_fail(void) {
  fastio_source *source = memory("1\n  3/x y");
  fastio_reader *r = reader_of(source, NULL);
  fastio_error err;
  const char *text;
  size_t size;
  int64_t value = 0;
  CHECK_STATUS(fastio_next_i64(r, &value, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_reader_fail(r, FASTIO_OUT_OF_RANGE, "not a fraction", &err), FASTIO_OUT_OF_RANGE);
  CHECK_ERROR(&err, FASTIO_OUT_OF_RANGE, 4, 2, 3);
  CHECK_BYTES(err.text, err.text_size, "3/x");
  CHECK_INT(strcmp(err.message, "not a fraction"), 0);
  CHECK_STATUS(fastio_next_token(r, &text, &size, NULL), FASTIO_OK); /* it has stayed */
  CHECK_BYTES(text, size, "3/x");
  CHECK_STATUS(fastio_next_token(r, &text, &size, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_reader_fail(r, FASTIO_END, NULL, &err), FASTIO_END);
  CHECK_ERROR(&err, FASTIO_END, 9, 2, 8);
  CHECK_INT(err.text_size, 0);
  fastio_reader_close(r);
  fastio_source_close(source);
}

int main(void) {
  static const size_t sizes[] = {0, 1, 2, 3, 5, 16};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) test_there_and_back(sizes[i]);
  test_options();
  test_failing_source();
  test_fail();
  return check_report();
}
