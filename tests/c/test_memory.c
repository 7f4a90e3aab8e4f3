/* Every allocation fails once: each call then ends with FASTIO_NO_MEMORY, leaks nothing, and gave the allocator true
 * sizes. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "books.h"

#include <unistd.h>

/* ---- What is tried ---- */

typedef struct trial {
  const fastio_env *env;
  const char *path;
  const char *text;
  size_t size;
} trial;

typedef fastio_status attempt(const trial *t, fastio_error *err);

typedef fastio_status read_column(fastio_source *source, const fastio_read_options *options, fastio_column **out,
                                  fastio_error *err);

static const fastio_bytes null_words[] = {{"NA", 2}};

static fastio_read_options options_of(const trial *t) {
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  options.env = t->env;
  options.block_size = 100;
  options.threads = 3;
  return options;
}

static fastio_status read_and_close(fastio_source *source, read_column *read, const fastio_read_options *options,
                                    fastio_error *err) {
  fastio_column *column = NULL;
  fastio_status status = read(source, options, &column, err);
  CHECK((status == FASTIO_OK) == (column != NULL));
  fastio_column_free(column);
  fastio_source_close(source);
  return status;
}

static fastio_status from_memory(const trial *t, read_column *read, fastio_error *err) {
  fastio_read_options options = options_of(t);
  fastio_source *source = NULL;
  fastio_status status = fastio_source_memory(t->text, t->size, t->env, &source, err);
  return status != FASTIO_OK ? status : read_and_close(source, read, &options, err);
}

static fastio_status ints_from_memory(const trial *t, fastio_error *err) {
  return from_memory(t, fastio_read_ints, err);
}
static fastio_status floats_from_memory(const trial *t, fastio_error *err) {
  return from_memory(t, fastio_read_floats, err);
}
static fastio_status lines_from_memory(const trial *t, fastio_error *err) {
  return from_memory(t, fastio_read_lines, err);
}
static fastio_status all_from_memory(const trial *t, fastio_error *err) { return from_memory(t, fastio_read_all, err); }

static fastio_status from_file(const trial *t, read_column *read, fastio_error *err) {
  fastio_read_options options = options_of(t);
  fastio_source *source = NULL;
  fastio_status status = fastio_source_open(t->path, t->env, &source, err);
  return status != FASTIO_OK ? status : read_and_close(source, read, &options, err);
}

static fastio_status ints_from_file(const trial *t, fastio_error *err) { return from_file(t, fastio_read_ints, err); }
static fastio_status lines_from_file(const trial *t, fastio_error *err) { return from_file(t, fastio_read_lines, err); }
static fastio_status all_from_file(const trial *t, fastio_error *err) { return from_file(t, fastio_read_all, err); }

typedef struct chunks {
  const trial *t;
  size_t given;
  int closed;
} chunks;

static fastio_status chunks_read(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  chunks *c = ctx;
  size_t n = c->t->size - c->given;
  (void)err;
  if (n > size) n = size;
  if (n > 50) n = 50;
  if (n > 0) memcpy(data, c->t->text + c->given, n);
  c->given += n;
  *got = n;
  return FASTIO_OK;
}

static void chunks_close(void *ctx) { ((chunks *)ctx)->closed++; }

static fastio_status from_device(const trial *t, read_column *read, fastio_error *err) {
  chunks c = {t, 0, 0};
  fastio_device device = {&c, chunks_read, chunks_close};
  fastio_read_options options = options_of(t);
  fastio_source *source = NULL;
  fastio_status status = fastio_source_device(&device, t->env, &source, err);
  if (status == FASTIO_OK) status = read_and_close(source, read, &options, err);
  CHECK_INT(c.closed, 1); /* also if the source could not be made */
  return status;
}

static fastio_status ints_from_device(const trial *t, fastio_error *err) {
  return from_device(t, fastio_read_ints, err);
}
static fastio_status lines_from_device(const trial *t, fastio_error *err) {
  return from_device(t, fastio_read_lines, err);
}
static fastio_status all_from_device(const trial *t, fastio_error *err) { return from_device(t, fastio_read_all, err); }

static fastio_status nulls_from_device(const trial *t, fastio_error *err) {
  chunks c = {t, 0, 0};
  fastio_device device = {&c, chunks_read, chunks_close};
  fastio_read_options options = options_of(t);
  fastio_source *source = NULL;
  options.null_values = null_words;
  options.null_count = 1;
  fastio_status status = fastio_source_device(&device, t->env, &source, err);
  return status != FASTIO_OK ? status : read_and_close(source, fastio_read_ints, &options, err);
}

static fastio_status count_from_device(const trial *t, fastio_error *err) {
  chunks c = {t, 0, 0};
  fastio_device device = {&c, chunks_read, chunks_close};
  fastio_read_options options = options_of(t);
  fastio_source *source = NULL;
  uint64_t lines;
  fastio_status status = fastio_source_device(&device, t->env, &source, err);
  if (status == FASTIO_OK) status = fastio_count_lines(source, &options, &lines, err);
  fastio_source_close(source);
  return status;
}

static fastio_status with_reader(const trial *t, fastio_error *err) {
  fastio_read_options options = options_of(t);
  fastio_source *source = NULL;
  fastio_reader *reader = NULL;
  const char *view;
  size_t size;
  chunks c = {t, 0, 0};
  fastio_device device = {&c, chunks_read, chunks_close};
  options.block_size = 8;
  fastio_status status = fastio_source_device(&device, t->env, &source, err);
  if (status == FASTIO_OK) status = fastio_reader_open(source, &options, &reader, err);
  while (status == FASTIO_OK) status = fastio_next_line(reader, &view, &size, err);
  fastio_reader_close(reader);
  fastio_source_close(source);
  return status == FASTIO_END ? FASTIO_OK : status;
}

static fastio_status with_map(const trial *t, fastio_error *err) {
  fastio_read_options options = options_of(t);
  fastio_map_options map_options = FASTIO_MAP_OPTIONS_INIT;
  fastio_map *map = NULL;
  fastio_source *source = NULL;
  map_options.env = t->env;
  fastio_status status = fastio_map_open(t->path, &map_options, &map, err);
  if (status == FASTIO_OK) status = fastio_source_map(map, t->env, &source, err);
  if (status == FASTIO_OK) status = read_and_close(source, fastio_read_ints, &options, err);
  fastio_map_close(map);
  return status;
}

static void on_release(void *ctx) { ++*(int *)ctx; }

static fastio_status new_column(const trial *t, fastio_error *err) {
  fastio_column view = {FASTIO_INT8, 3, 0, NULL, NULL, "abc", 3, 0, NULL}, *column = NULL;
  int released = 0;
  fastio_status status = fastio_column_new(&view, on_release, &released, t->env, &column, err);
  fastio_column_free(column);
  CHECK_INT(released, 1); /* also if the column could not be made */
  return status;
}

/* ---- The loop ---- */

typedef struct named_attempt {
  attempt *run;
  const char *name;
  trial t;
} named_attempt;

static fastio_status run_with(const fastio_env *env, const void *ctx, fastio_error *err) {
  const named_attempt *tried = ctx;
  trial t = tried->t;
  t.env = env;
  return tried->run(&t, err);
}

int main(void) {
  static char text[3000], words[1000], lines[2000];
  char path[] = "/tmp/fastio-test-memory-XXXXXX";
  int fd = mkstemp(path);
  size_t size = 0, words_size = 0;
  while (size < sizeof text - 20) size += (size_t)sprintf(text + size, "%zu\n", size * size);
  while (words_size < sizeof words - 10) words_size += (size_t)sprintf(words + words_size, "%zu NA\n", words_size);
  memset(lines, 'x', sizeof lines);
  for (size_t i = 10; i < sizeof lines; i += i / 2) lines[i] = '\n';
  if (fd < 0 || write(fd, text, size) != (ssize_t)size) return 1;
  trial numbers = {NULL, path, text, size}, nulls = {NULL, path, words, words_size},
        long_lines = {NULL, path, lines, sizeof lines};
  const named_attempt attempts[] = {
      {ints_from_memory, "ints from memory", numbers},
      {floats_from_memory, "floats from memory", numbers},
      {lines_from_memory, "lines from memory", long_lines},
      {all_from_memory, "all from memory", numbers},
      {ints_from_file, "ints from a file", numbers},
      {lines_from_file, "lines from a file", numbers},
      {all_from_file, "all from a file", numbers},
      {ints_from_device, "ints from a device", numbers},
      {lines_from_device, "lines from a device", long_lines},
      {all_from_device, "all from a device", numbers},
      {nulls_from_device, "nulls from a device", nulls},
      {count_from_device, "count from a device", numbers},
      {with_reader, "reader", long_lines},
      {with_map, "map", numbers},
      {new_column, "new column", numbers},
  };
  for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
    books_fail_each(run_with, &attempts[i], attempts[i].name, false);
    books_fail_each(run_with, &attempts[i], attempts[i].name, true);
  }
  close(fd);
  unlink(path);
  return check_report();
}
