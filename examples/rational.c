/* A type of one's own that prints and scans itself: adds up the fractions of standard input.
 *
 * Try it:  echo '1/2 1/3 -1/6' | rational */
#include <errno.h>
#include <fastio_print.h>

typedef struct fraction {
  int64_t numerator, denominator; /* without common divisors, the denominator positive; both of at most 31 bits */
} fraction;

static int64_t divisor(int64_t a, int64_t b) { return b ? divisor(b, a % b) : a < 0 ? -a : a; }

static fraction reduced(int64_t numerator, int64_t denominator) {
  int64_t d = divisor(numerator, denominator) * (denominator < 0 ? -1 : 1);
  return (fraction){numerator / d, denominator / d};
}

static int is_small(fraction f) {
  return -INT32_MAX <= f.numerator && f.numerator <= INT32_MAX && f.denominator <= INT32_MAX;
}

/* May not be small, but does fit. */
static fraction sum(fraction a, fraction b) {
  return reduced(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
}

/* What fastio_custom takes: prints an object. */
static fastio_status print_fraction(fastio_writer *out, const void *object, fastio_error *err) {
  const fraction *f = object;
  if (f->denominator == 1) return fastio_write_i64(out, f->numerator, err);
  return fastio_try_print(err, out, f->numerator, "/", f->denominator);
}

/* What fastio_scan_custom takes: reads an object from one token, which stays if it is none; the failure tells it. */
static fastio_status scan_fraction(fastio_reader *in, void *object, fastio_error *err) {
  const char *text, *slash;
  size_t size, whole;
  fraction f;
  int32_t numerator, denominator = 1;
  fastio_status status = fastio_peek_token(in, &text, &size, err);
  if (status != FASTIO_OK) return status;
  slash = memchr(text, '/', size);
  whole = slash ? (size_t)(slash - text) : size;
  status = fastio_parse_i32(text, whole, 10, &numerator, NULL);
  if (status == FASTIO_OK && slash) status = fastio_parse_i32(slash + 1, size - whole - 1, 10, &denominator, NULL);
  if (status != FASTIO_OK) return fastio_reader_fail(in, status, "not a fraction", err);
  if (denominator == 0) return fastio_reader_fail(in, FASTIO_OUT_OF_RANGE, "the denominator is 0", err);
  f = reduced(numerator, denominator);
  if (!is_small(f)) return fastio_reader_fail(in, FASTIO_OUT_OF_RANGE, "too large a fraction", err);
  *(fraction *)object = f;
  return fastio_skip(in, err);
}

static fastio_status add_all(fastio_reader *in, fastio_writer *out, fastio_error *err) {
  fraction total = {0, 1}, next;
  int64_t count = 0;
  fastio_status status;
  for (; (status = fastio_try_scan(err, in, fastio_scan_custom(&next, scan_fraction))) == FASTIO_OK; count++) {
    total = sum(total, next);
    if (!is_small(total)) return fastio_reader_fail(in, FASTIO_OUT_OF_RANGE, "the sum is too large before", err);
  }
  if (status != FASTIO_END) return status;
  return fastio_try_println(err, out, count, " fractions, sum ", fastio_custom(&total, print_fraction), " = ",
                            fastio_fixed((double)total.numerator / (double)total.denominator, 6));
}

int main(void) {
  fastio_source *source = NULL;
  fastio_reader *in = NULL;
  fastio_writer *out = NULL;
  fastio_error err;
  fastio_status status = fastio_source_open("-", NULL, &source, &err), closed;
  if (status == FASTIO_OK) status = fastio_reader_open(source, NULL, &in, &err);
  if (status == FASTIO_OK) status = fastio_writer_open("-", NULL, &out, &err);
  if (status == FASTIO_OK) status = add_all(in, out, &err);
  closed = fastio_writer_close(out, status == FASTIO_OK ? &err : NULL);
  fastio_reader_close(in);
  fastio_source_close(source);
  if (status == FASTIO_OK && closed == FASTIO_OK) return 0;
  if (err.os_error == EPIPE) return 141; /* the reader of our output has enough: as if SIGPIPE had ended us */
  if (err.line > 0)
    fprintf(stderr, "line %llu, column %llu: %s: %.*s\n", (unsigned long long)err.line, (unsigned long long)err.column,
            err.message, (int)err.text_size, (const char *)err.text);
  else fprintf(stderr, "rational: %s\n", err.os_error ? strerror(err.os_error) : err.message);
  return 1;
}
