/* input_fastio.c - fastio's conversions of text, in memory and from file to file, as a benchmark worker. */
#include "fastio.h"
#include "write.h"

static void expect_ok(fastio_status status, const fastio_error *err) {
  if (status == FASTIO_OK) return;
  fprintf(stderr, "%s: %s\n", fastio_status_name(status), err->message);
  exit(1);
}

/* The job's file in memory, and room for what it becomes. */
static const fastio_column *text(const char *path, char **out, size_t *room_size) {
  static fastio_column *column;
  static char *room;
  fastio_error err;
  if (!column) {
    fastio_source *source;
    expect_ok(fastio_source_open(path, NULL, &source, &err), &err);
    expect_ok(fastio_read_all(source, NULL, &column, &err), &err);
    fastio_source_close(source);
    room = malloc((size_t)column->data_size * 4 + 64);
    if (!room) job_fail("malloc");
    memset(room, 1, (size_t)column->data_size * 4 + 64);
  }
  *room_size = (size_t)column->data_size * 4 + 64;
  *out = room;
  return column;
}

static void valid(job *j) {
  size_t room, size = 0;
  char *out;
  const fastio_column *t = text(j->path, &out, &room);
  job_start(j);
  for (int i = 0; i < IN_CACHE; i++) size += fastio_utf8_valid(t->data, (size_t)t->data_size);
  job_stop(j);
  job_answer(j, "%zu", size / IN_CACHE);
}

static void convert(job *j, const char *from, const char *to) {
  size_t room, used, size = 0;
  char *out;
  const fastio_column *t = text(j->path, &out, &room);
  fastio_error err;
  job_start(j);
  for (int i = 0; i < IN_CACHE; i++) {
    fastio_transcoder *transcoder;
    expect_ok(fastio_transcoder_new(from, to, FASTIO_ERRORS_STRICT, NULL, &transcoder, &err), &err);
    expect_ok(fastio_transcoder_run(transcoder, t->data, (size_t)t->data_size, 1, &used, out, room, &size, &err), &err);
    fastio_transcoder_free(transcoder);
  }
  job_stop(j);
  answer_memory(j, out, size);
}

static void to_utf16(job *j) { convert(j, "UTF-8", "UTF-16LE"); }
static void from_utf16(job *j) { convert(j, "UTF-16LE", "UTF-8"); }

static void file_to_utf16(job *j) {
  const char *path = fresh_output();
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  fastio_source *source;
  fastio_writer *writer;
  fastio_error err;
  uint64_t copied;
  options.encoding = "UTF-16LE";
  job_start(j);
  expect_ok(fastio_source_open(j->path, NULL, &source, &err), &err);
  expect_ok(fastio_writer_open(path, &options, &writer, &err), &err);
  expect_ok(fastio_copy(source, writer, FASTIO_NO_OFFSET, &copied, &err), &err);
  expect_ok(fastio_writer_close(writer, &err), &err);
  fastio_source_close(source);
  job_stop(j);
  answer_output(j, path);
}

static const job_entry entries[] = {
    {"valid", valid},
    {"to_utf16", to_utf16},
    {"from_utf16", from_utf16},
    {"file_to_utf16", file_to_utf16},
};

int main(int argc, char **argv) { return worker_main(argc, argv, entries, sizeof entries / sizeof *entries); }
