/* Lines that end in "\r\n" become lines that end in "\n"; tells on standard error how many records there were.
 *
 *   crlf_to_lf [INPUT [OUTPUT]]        "-", or nothing, is standard input and output
 *
 * A '\r' anywhere else is text and stays. Records may be of any length.
 * Try it:  printf 'one\r\ntwo\r\n' | crlf_to_lf | od -c */
#include <errno.h>
#include <fastio_print.h>

static fastio_status convert(fastio_reader *in, fastio_writer *out, uint64_t *records, fastio_error *err) {
  enum { MANY = 512 };
  fastio_bytes lines[MANY]; /* views into the reader's buffer, with their ends */
  size_t count;
  fastio_status status;
  while ((status = fastio_next_lines(in, lines, MANY, &count, err)) == FASTIO_OK) {
    *records += count;
    for (size_t i = 0; i < count && status == FASTIO_OK; i++) {
      const char *text = lines[i].data;
      size_t size = lines[i].size;
      if (size >= 2 && text[size - 2] == '\r' && text[size - 1] == '\n') {
        status = fastio_write(out, text, size - 2, err);
        if (status == FASTIO_OK) status = fastio_write(out, "\n", 1, err);
      } else {
        status = fastio_write(out, text, size, err);
      }
    }
    if (status != FASTIO_OK) return status;
  }
  return status == FASTIO_END ? FASTIO_OK : status;
}

static fastio_status convert_file(const char *from, const char *to, uint64_t *records, fastio_error *err) {
  fastio_source *source = NULL;
  fastio_reader *in = NULL;
  fastio_writer *out = NULL;
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  options.flags = FASTIO_KEEP_ENDS;
  options.line_type = FASTIO_BINARY; /* bytes in any encoding, not looked at */
  fastio_status status = fastio_source_open(from, NULL, &source, err);
  if (status == FASTIO_OK) status = fastio_reader_open(source, &options, &in, err);
  if (status == FASTIO_OK) status = fastio_writer_open(to, NULL, &out, err);
  if (status == FASTIO_OK) status = convert(in, out, records, err);
  /* What was written so far stays; of two failures the first one is told. */
  fastio_status closed = fastio_writer_close(out, status == FASTIO_OK ? err : NULL);
  fastio_reader_close(in);
  fastio_source_close(source);
  return status != FASTIO_OK ? status : closed;
}

int main(int argc, char **argv) {
  fastio_error err;
  uint64_t records = 0;
  if (argc > 3) return fputs("usage: crlf_to_lf [INPUT [OUTPUT]]\n", stderr), 2;
  if (convert_file(argc > 1 ? argv[1] : "-", argc > 2 ? argv[2] : "-", &records, &err) != FASTIO_OK) {
    if (err.os_error == EPIPE) return 141; /* the reader of our output has enough: as if SIGPIPE had ended us */
    fprintf(stderr, "crlf_to_lf: %s\n", err.os_error ? strerror(err.os_error) : err.message);
    return 1;
  }
  fprintf(stderr, "%llu records\n", (unsigned long long)records);
  return 0;
}
