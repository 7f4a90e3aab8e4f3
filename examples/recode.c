/* Text of any compression and encoding becomes text of another one; tells on standard error how many records there were.
 *
 *   recode [INPUT [OUTPUT [TO [FROM]]]]        "-", or nothing, is standard input and output
 *
 * The compression of INPUT is recognised, that of OUTPUT is what its name ends in (.gz, .zst, .xz, .bz2, .lz4). TO is
 * UTF-8 if it is not given, FROM what a byte order mark says, else UTF-8. What is no text in FROM is an error, and then
 * OUTPUT, if it is a file, stays as it was.
 * Try it:  printf 'caf\351\n' | gzip | recode - - utf-16be latin-1 | od -c */
#include <errno.h>
#include <fastio_print.h>

static fastio_status convert(fastio_reader *in, fastio_writer *out, uint64_t *records, fastio_error *err) {
  enum { MANY = 512 };
  fastio_bytes lines[MANY]; /* views into the reader's buffer, with their ends */
  size_t count;
  fastio_status status;
  while ((status = fastio_next_lines(in, lines, MANY, &count, err)) == FASTIO_OK) {
    *records += count;
    status = fastio_write_pieces(out, lines, count, err);
    if (status != FASTIO_OK) return status;
  }
  return status == FASTIO_END ? FASTIO_OK : status;
}

static fastio_status open_input(const char *path, const char *encoding, fastio_source **source, fastio_reader **in,
                                fastio_error *err) {
  fastio_decode_options decode = FASTIO_DECODE_OPTIONS_INIT;
  fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
  if (encoding != NULL) decode.encoding = encoding;
  options.flags = FASTIO_KEEP_ENDS;
  fastio_status status = fastio_source_open(path, NULL, source, err);
  if (status == FASTIO_OK) status = fastio_source_decode(*source, &decode, err);
  if (status == FASTIO_OK) status = fastio_reader_open(*source, &options, in, err);
  return status;
}

static fastio_status open_output(const char *path, const char *encoding, fastio_writer **out, fastio_error *err) {
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT; /* compressed as the path says */
  options.encoding = encoding;
  if (strcmp(path, "-") != 0) options.flags = FASTIO_WRITE_ATOMIC;
  return fastio_writer_open(path, &options, out, err);
}

/* `names`: INPUT, OUTPUT, TO, FROM; NULL where there is none. */
static fastio_status recode(char *const *names, uint64_t *records, fastio_error *err) {
  fastio_source *source = NULL;
  fastio_reader *in = NULL;
  fastio_writer *out = NULL;
  fastio_status status = open_input(names[0] ? names[0] : "-", names[3], &source, &in, err);
  if (status == FASTIO_OK) status = open_output(names[1] ? names[1] : "-", names[2], &out, err);
  if (status == FASTIO_OK) status = convert(in, out, records, err);
  if (status == FASTIO_OK) status = fastio_writer_close(out, err);
  else if (names[1] != NULL && strcmp(names[1], "-") != 0) fastio_writer_discard(out);
  else fastio_writer_close(out, NULL); /* what came before goes down the pipe */
  fastio_reader_close(in);
  fastio_source_close(source);
  return status;
}

/* file:line:column: what; what the operating system refused has no line. */
static void complain(const char *path, const fastio_error *err) {
  if (err->line > 0)
    fprintf(stderr, "%s:%llu:%llu: ", path, (unsigned long long)err->line, (unsigned long long)err->column);
  fprintf(stderr, "recode: %s\n", err->os_error ? strerror(err->os_error) : err->message);
}

int main(int argc, char **argv) {
  char *names[4] = {NULL, NULL, NULL, NULL};
  fastio_error err;
  uint64_t records = 0;
  if (argc > 5) return fputs("usage: recode [INPUT [OUTPUT [TO [FROM]]]]\n", stderr), 2;
  for (int i = 1; i < argc; i++) names[i - 1] = argv[i];
  if (recode(names, &records, &err) != FASTIO_OK) {
    if (err.os_error == EPIPE) return 141; /* the reader of our output has enough: as if SIGPIPE had ended us */
    complain(names[0] ? names[0] : "-", &err);
    return 1;
  }
  fprintf(stderr, "%llu records\n", (unsigned long long)records);
  return 0;
}
