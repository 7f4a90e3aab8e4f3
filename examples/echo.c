/* Copies standard input to standard output record by record (a record is a line), and tells on standard error how many
 * there were.
 *
 * Try it:  seq 1000000 1000009 | echo */
#include <errno.h>
#include <fastio_print.h>

static fastio_status echo(fastio_reader *in, fastio_writer *out, uint64_t *records, fastio_error *err) {
  enum { MANY = 1024 };
  fastio_bytes lines[MANY]; /* views into the reader's buffer, with their ends */
  size_t count;
  fastio_status status;
  while ((status = fastio_next_lines(in, lines, MANY, &count, err)) == FASTIO_OK) {
    *records += count;
    for (size_t i = 0; i < count && status == FASTIO_OK; i++)
      status = fastio_write(out, lines[i].data, lines[i].size, err);
    if (status != FASTIO_OK) return status;
  }
  return status == FASTIO_END ? FASTIO_OK : status;
}

static fastio_status echo_standard(uint64_t *records, fastio_error *err) {
  fastio_source *source = NULL;
  fastio_reader *in = NULL;
  fastio_writer *out = NULL;
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  options.flags = FASTIO_KEEP_ENDS;
  options.line_type = FASTIO_BINARY;
  fastio_status status = fastio_source_open("-", NULL, &source, err);
  if (status == FASTIO_OK) status = fastio_reader_open(source, &options, &in, err);
  if (status == FASTIO_OK) status = fastio_writer_open("-", NULL, &out, err);
  if (status == FASTIO_OK) status = echo(in, out, records, err);
  fastio_status closed = fastio_writer_close(out, status == FASTIO_OK ? err : NULL);
  fastio_reader_close(in);
  fastio_source_close(source);
  return status != FASTIO_OK ? status : closed;
}

int main(void) {
  fastio_error err;
  uint64_t records = 0;
  if (echo_standard(&records, &err) != FASTIO_OK) {
    if (err.os_error == EPIPE) return 141; /* the reader of our output has enough: as if SIGPIPE had ended us */
    fprintf(stderr, "echo: %s\n", err.os_error ? strerror(err.os_error) : err.message);
    return 1;
  }
  fprintf(stderr, "%llu records\n", (unsigned long long)records);
  return 0;
}
