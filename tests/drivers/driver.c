/* The C driver of the shared vectors: reads `id op options hex` lines, answers `id result` (see
 * tests/vectors/README.md). It only carries values to and fro: what is right stands in the vectors. */
#include "driver.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <unistd.h>

const char *directory;
config configuration = {"auto", "memory", "column", "memory", 0, 1};

void die(const char *what, const char *detail) {
  fprintf(stderr, "driver: %s: %s\n", what, detail);
  exit(2);
}

/* ---- Writing answers ---- */

static struct {
  char *text;
  size_t size, room;
} output;

static void reserve(size_t more) {
  if (output.size + more <= output.room) return;
  output.room = output.size + more + output.room;
  if ((output.text = realloc(output.text, output.room)) == NULL) die("memory", "none left");
}

void put_char(char c) {
  reserve(1);
  output.text[output.size++] = c;
}

void put(const char *format, ...) {
  va_list arguments;
  reserve(64); /* every caller writes one number or one short word */
  va_start(arguments, format);
  int length = vsnprintf(output.text + output.size, 64, format, arguments);
  va_end(arguments);
  if (length < 0 || length >= 64) die("too long to put", format);
  output.size += (size_t)length;
}

size_t put_mark(void) { return output.size; }
void put_back(size_t mark) { output.size = mark; }

static void flush(void) {
  if (fwrite(output.text, 1, output.size, stdout) != output.size) die("stdout", "not written");
  output.size = 0;
}

static void put_hex(const void *data, size_t size) {
  static const char digits[] = "0123456789abcdef";
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; i++) {
    put_char(digits[bytes[i] >> 4]);
    put_char(digits[bytes[i] & 15]);
  }
}

void put_bytes(const void *data, size_t size) {
  put_char('x');
  put_hex(data, size);
}

static void put_f64(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (value != value) put("nan");
  else put("%016" PRIx64, bits);
}

static void put_f32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (value != value) put("nan");
  else put("%08" PRIx32, bits);
}

static bool tells_raw, tells_status; /* what the request wants to know of errors: more, or only that */

void put_place(fastio_status status, const fastio_error *err) {
  if (err->status != status) die("the error's status is not the one returned", fastio_status_name(status));
  put("error:%s:", fastio_status_name(status));
  if (tells_status) {
    put("-:0:0:");
    return;
  }
  if (err->offset == FASTIO_NO_OFFSET) put_char('-');
  else put("%" PRIu64, err->offset);
  put(":%" PRIu64 ":%" PRIu64 ":", err->line, err->column);
  put_hex(err->text, err->text_size);
}

void put_raw(const fastio_error *err) {
  if (!tells_raw) return;
  if (err->raw_offset == FASTIO_NO_OFFSET) put("@-");
  else put("@%" PRIu64, err->raw_offset);
}

void put_error(fastio_status status, const fastio_error *err) {
  put_place(status, err);
  put_raw(err);
}

bool is_valid(const fastio_column *column, uint64_t i) {
  return column->validity == NULL || (column->validity[i / 8] >> (i % 8) & 1) != 0;
}

void put_item(const fastio_column *column, uint64_t i) {
  const void *data = column->data;
  switch (column->type) {
    case FASTIO_INT8: put("%d", ((const int8_t *)data)[i]); break;
    case FASTIO_INT16: put("%d", ((const int16_t *)data)[i]); break;
    case FASTIO_INT32: put("%" PRId32, ((const int32_t *)data)[i]); break;
    case FASTIO_INT64: put("%" PRId64, ((const int64_t *)data)[i]); break;
    case FASTIO_UINT8: put("%u", ((const uint8_t *)data)[i]); break;
    case FASTIO_UINT16: put("%u", ((const uint16_t *)data)[i]); break;
    case FASTIO_UINT32: put("%" PRIu32, ((const uint32_t *)data)[i]); break;
    case FASTIO_UINT64: put("%" PRIu64, ((const uint64_t *)data)[i]); break;
    case FASTIO_FLOAT32: put_f32(((const float *)data)[i]); break;
    case FASTIO_FLOAT64: put_f64(((const double *)data)[i]); break;
    case FASTIO_STRING:
    case FASTIO_BINARY:
      put_bytes((const char *)data + column->offsets[i], (size_t)(column->offsets[i + 1] - column->offsets[i]));
      break;
    case FASTIO_BOOL: put("%d", ((const uint8_t *)data)[i / 8] >> (i % 8) & 1); break;
    case FASTIO_DATE: put("%" PRId32, ((const int32_t *)data)[i]); break;
    case FASTIO_TIME:
    case FASTIO_TIMESTAMP:
    case FASTIO_TIMESTAMP_UTC: put("%" PRId64, ((const int64_t *)data)[i]); break;
    case FASTIO_DICTIONARY: put_item(column->dictionary, (uint64_t)((const int32_t *)data)[i]); break;
    default: die("a column's type", "unknown");
  }
}

static void put_column(const fastio_column *column) {
  uint64_t nulls = 0;
  if (column->row_items != 0) put("%" PRIu64 "x%" PRIu64, column->length / column->row_items, column->row_items);
  put_char('[');
  for (uint64_t i = 0; i < column->length; i++) {
    if (i > 0) put_char(' ');
    if (is_valid(column, i)) put_item(column, i);
    else {
      put("null");
      nulls++;
    }
  }
  put_char(']');
  if (nulls != column->null_count) die("null_count is wrong", "");
}

/* ---- Reading requests ---- */

static unsigned hex_digit(char c) { return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10); }

unsigned char *from_hex(const char *text, size_t length, size_t *size) {
  unsigned char *bytes = malloc(length / 2 + 1); /* exactly as long as the data but for one byte: ASan sees overreads */
  *size = length / 2;
  for (size_t i = 0; i < *size; i++)
    bytes[i] = (unsigned char)(hex_digit(text[2 * i]) << 4 | hex_digit(text[2 * i + 1]));
  return bytes;
}

int hex_byte(const char *text) { return (int)(hex_digit(text[0]) << 4 | hex_digit(text[1])); }

static void set_nulls(request *q, char *text) {
  q->read.null_values = q->nulls;
  for (char *next; text != NULL; text = next) {
    next = strchr(text, ',');
    size_t length = next != NULL ? (size_t)(next++ - text) : strlen(text);
    if (q->read.null_count == MAX_NULLS) die(q->id, "too many null values");
    fastio_bytes *null_value = &q->nulls[q->read.null_count++];
    null_value->data = from_hex(text + 1, length - 1, &null_value->size);
  }
}

static void set_shape(request *q, const char *text) {
  char *rest;
  long long rows = strtoll(text, &rest, 10);
  q->read.rows = rows < 0 ? 0 : (uint64_t)rows;
  q->read.row_items = strtoull(rest + 1, NULL, 10);
  q->has_shape = true;
}

int newline_from(const char *value) {
  if (strcmp(value, "lf") == 0) return FASTIO_NEWLINE_LF;
  return strcmp(value, "any") == 0 ? FASTIO_NEWLINE_ANY : hex_byte(value);
}

static const char *name_or_null(const char *value) { return strcmp(value, "none") == 0 ? NULL : value; }

/* What the faces call "utf-8" gives way to a byte order mark. */
static void set_encoding(request *q, const char *value) {
  q->decode.encoding = strcmp(value, "utf-8") == 0 ? "auto" : name_or_null(value);
  q->read.line_type = q->decode.encoding == NULL ? FASTIO_BINARY : FASTIO_STRING;
  q->read.flags |= q->decode.encoding == NULL ? FASTIO_KEEP_BOM : 0;
}

static int errors_from(const char *value) {
  return strcmp(value, "replace") == 0 ? FASTIO_ERRORS_REPLACE
         : strcmp(value, "skip") == 0  ? FASTIO_ERRORS_SKIP
                                       : FASTIO_ERRORS_STRICT;
}

bool set_decoding(request *q, const char *key, const char *value) {
  fastio_decode_options *o = &q->decode;
  if (strcmp(key, "tell") == 0) return *(*value == 'r' ? &tells_raw : &tells_status) = true;
  if (strcmp(key, "compression") == 0) o->compression = name_or_null(value);
  else if (strcmp(key, "encoding") == 0) set_encoding(q, value);
  else if (strcmp(key, "errors") == 0) o->errors = errors_from(value);
  else if (strcmp(key, "trailing") == 0)
    o->trailing = strcmp(value, "ignore") == 0 ? FASTIO_TRAILING_IGNORE : FASTIO_TRAILING_ERROR;
  else if (strcmp(key, "max_size") == 0) o->max_size = strtoull(value, NULL, 10);
  else return false;
  return q->is_decoded = true;
}

int partial_from(const char *value) {
  return strcmp(value, "hold") == 0    ? FASTIO_PARTIAL_HOLD
         : strcmp(value, "error") == 0 ? FASTIO_PARTIAL_ERROR
                                       : FASTIO_PARTIAL_EMIT;
}

static void set_option(request *q, const char *key, char *value) {
  fastio_read_options *o = &q->read;
  if (set_decoding(q, key, value)) return;
  if (strcmp(key, "base") == 0) o->base = atoi(value);
  else if (strcmp(key, "dtype") == 0) o->type = fastio_type_from_name(value);
  else if (strcmp(key, "sep") == 0) o->separator = hex_byte(value);
  else if (strcmp(key, "comment") == 0) o->comment = hex_byte(value);
  else if (strcmp(key, "newline") == 0) o->newline = newline_from(value);
  else if (strcmp(key, "skip_lines") == 0) o->skip_lines = strtoull(value, NULL, 10);
  else if (strcmp(key, "offset") == 0) o->offset = strtoull(value, NULL, 10);
  else if (strcmp(key, "length") == 0) o->length = strtoull(value, NULL, 10);
  else if (strcmp(key, "max_items") == 0) o->max_items = strtoull(value, NULL, 10);
  else if (strcmp(key, "overflow") == 0) o->flags |= strcmp(value, "error") == 0 ? FASTIO_OVERFLOW_ERROR : 0;
  else if (strcmp(key, "keepends") == 0) o->flags |= atoi(value) ? FASTIO_KEEP_ENDS : 0;
  else if (strcmp(key, "partial") == 0) o->partial = partial_from(value);
  else if (strcmp(key, "from") == 0) q->from = value;
  else if (strcmp(key, "to") == 0) q->to = value;
  else if (strcmp(key, "null_values") == 0) set_nulls(q, value);
  else if (strcmp(key, "shape") == 0) set_shape(q, value);
  else if (strcmp(key, "script") == 0) q->script = value;
  else die("unknown option", key);
}

void each_option(char *text, void (*set)(void *ctx, const char *key, char *value), void *ctx) {
  for (char *next; text != NULL && *text != '\0'; text = next) {
    if ((next = strchr(text, ';')) != NULL) *next++ = '\0';
    char *value = strchr(text, '=');
    *value++ = '\0';
    set(ctx, text, value);
  }
}

static void set_request_option(void *ctx, const char *key, char *value) { set_option(ctx, key, value); }

static void set_config(void *ctx, const char *key, char *value) {
  config *c = ctx;
  if (strcmp(key, "simd") == 0) snprintf(c->simd, sizeof c->simd, "%s", value);
  else if (strcmp(key, "source") == 0) snprintf(c->source, sizeof c->source, "%s", value);
  else if (strcmp(key, "way") == 0) snprintf(c->way, sizeof c->way, "%s", value);
  else if (strcmp(key, "sink") == 0) snprintf(c->sink, sizeof c->sink, "%s", value);
  else if (strcmp(key, "block") == 0) c->block = strtoull(value, NULL, 10);
  else if (strcmp(key, "threads") == 0) c->threads = (unsigned)atoi(value);
  else die("unknown configuration", key);
}

/* ---- Sources ---- */

static void *write_pipe(void *ctx) {
  origin *o = ctx;
  for (size_t done = 0; done < o->size;) {
    ssize_t n = write(o->write_end, o->data + done, o->size - done);
    if (n < 0) break; /* the reader has stopped early */
    done += (size_t)n;
  }
  close(o->write_end);
  return NULL;
}

static void open_pipe(origin *o, bool is_socket) {
  int ends[2];
  if ((is_socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends)) != 0) die("pipe", "failed");
  o->fd = ends[0];
  o->write_end = ends[1];
  if (o->size <= 32768 && !is_socket) {
    write_pipe(o); /* fits the pipe's own buffer */
    return;
  }
  o->has_writer = true;
  if (pthread_create(&o->writer, NULL, write_pipe, o) != 0) die("pthread_create", "failed");
}

/* A device that gives 1, 2, 3 ... 7, 1, 2 ... bytes at a time; more of large inputs. */
static fastio_status device_read(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  origin *o = ctx;
  (void)err;
  size_t n = o->calls++ % 7 + 1;
  if (o->size > 100000) n *= 5000;
  if (n > size) n = size;
  if (n > o->size - o->given) n = o->size - o->given;
  if (n > 0) memcpy(data, o->data + o->given, n); /* no memcpy from an empty vector's end */
  o->given += n;
  *got = n;
  return FASTIO_OK;
}

static fastio_status open_map(origin *o, const char *path, fastio_error *err) {
  fastio_status status = fastio_map_open(path, NULL, &o->map, err);
  return status != FASTIO_OK ? status : fastio_source_map(o->map, NULL, &o->source, err);
}

static fastio_status open_plain(origin *o, const request *q, fastio_error *err) {
  const char *kind = configuration.source;
  char path[4096];
  memset(o, 0, sizeof *o);
  o->fd = -1;
  o->data = q->data;
  o->size = q->size;
  snprintf(path, sizeof path, "%s/%s", directory, q->id);
  if (strcmp(kind, "memory") == 0) return fastio_source_memory(q->data, q->size, NULL, &o->source, err);
  if (strcmp(kind, "file") == 0) return fastio_source_open(path, NULL, &o->source, err);
  if (strcmp(kind, "map") == 0) return open_map(o, path, err);
  if (strcmp(kind, "pipe") == 0 || strcmp(kind, "socket") == 0) open_pipe(o, *kind == 's');
  else if (strcmp(kind, "fd") == 0) o->fd = open(path, O_RDONLY);
  else if (strcmp(kind, "stdio") == 0) {
    if ((o->file = fopen(path, "rb")) == NULL) die("fopen", path);
    return fastio_source_stdio(o->file, NULL, &o->source, err);
  } else if (strcmp(kind, "device") == 0) {
    fastio_device device = {o, device_read, NULL};
    return fastio_source_device(&device, NULL, &o->source, err);
  } else die("unknown source", kind);
  return fastio_source_fd(o->fd, NULL, &o->source, err);
}

fastio_status open_origin(origin *o, const request *q, fastio_error *err) {
  fastio_status status = open_plain(o, q, err);
  if (status != FASTIO_OK || !q->is_decoded) return status;
  return fastio_source_decode(o->source, &q->decode, err);
}

void put_decode_errors(const request *q, const fastio_source *source) {
  fastio_decoded decoded;
  if (q->decode.errors == FASTIO_ERRORS_STRICT) return;
  fastio_source_decoded(source, &decoded);
  put(" ~%" PRIu64, decoded.errors);
  if ((decoded.errors == 0) != (decoded.first_error == FASTIO_NO_OFFSET)) die(q->id, "the first error has no place");
}

void close_origin(origin *o) {
  fastio_source_close(o->source);
  fastio_map_close(o->map);
  if (o->file != NULL) fclose(o->file);
  if (o->fd >= 0) close(o->fd);
  if (o->has_writer) pthread_join(o->writer, NULL);
}

/* ---- Whole sources ---- */

typedef fastio_status read_column(fastio_source *source, const fastio_read_options *options, fastio_column **out,
                                  fastio_error *err);

static void whole(request *q, read_column *read) {
  origin o;
  fastio_error err;
  fastio_column *column = NULL;
  fastio_status status = open_origin(&o, q, &err);
  if (status == FASTIO_OK) status = read(o.source, &q->read, &column, &err);
  if (status != FASTIO_OK) put_error(status, &err);
  else if (read == fastio_read_all) put_bytes(column->data, (size_t)column->length);
  else put_column(column);
  if (status == FASTIO_OK && read != fastio_read_all) put_decode_errors(q, o.source);
  fastio_column_free(column);
  close_origin(&o);
}

static void count_lines(request *q) {
  origin o;
  fastio_error err;
  uint64_t lines = 0;
  fastio_status status = open_origin(&o, q, &err);
  if (status == FASTIO_OK) status = fastio_count_lines(o.source, &q->read, &lines, &err);
  if (status != FASTIO_OK) put_error(status, &err);
  else put("%" PRIu64, lines);
  close_origin(&o);
}

/* Numbers in memory through fastio_parse_array. */
static void array(request *q, fastio_type natural) {
  fastio_column view = {natural, 0, 0, NULL, NULL, NULL, 0, 0, NULL};
  fastio_error err;
  size_t count = 0, capacity = q->size / 2 + 1;
  if (q->read.type != 0) view.type = q->read.type;
  void *out = malloc(capacity * fastio_type_size(view.type));
  fastio_status status = fastio_parse_array(q->data, q->size, &q->read, view.type, out, capacity, &count, &err);
  view.data = out;
  view.length = count;
  if (status != FASTIO_OK && status != FASTIO_END) put_error(status, &err);
  else put_column(&view);
  free(out);
}

/* ---- The pull reader ---- */

enum { BATCH = 50 };

static bool batched(void) { return strcmp(configuration.way, "pull") != 0; }

/* Each reads up to `room` values (one in the way "pull") as a column's worth of memory. */
static fastio_status pull_some(fastio_reader *r, fastio_type type, void *out, size_t room, size_t *count,
                               fastio_error *err) {
  *count = 0;
  if (batched() && type == FASTIO_INT64) return fastio_next_i64s(r, out, room, count, err);
  if (batched() && type == FASTIO_UINT64) return fastio_next_u64s(r, out, room, count, err);
  if (batched() && type == FASTIO_FLOAT64) return fastio_next_f64s(r, out, room, count, err);
  fastio_status status = type == FASTIO_INT64     ? fastio_next_i64(r, out, err)
                         : type == FASTIO_UINT64  ? fastio_next_u64(r, out, err)
                         : type == FASTIO_FLOAT32 ? fastio_next_f32(r, out, err)
                                                  : fastio_next_f64(r, out, err);
  *count = status == FASTIO_OK;
  return status;
}

static fastio_status pull_lines(fastio_reader *r, fastio_bytes *out, size_t room, size_t *count, fastio_error *err) {
  const char *data = NULL;
  *count = 0;
  if (batched()) return fastio_next_lines(r, out, room, count, err);
  fastio_status status = fastio_next_line(r, &data, &out->size, err);
  out->data = data;
  *count = status == FASTIO_OK;
  return status;
}

static fastio_status pull_tokens(fastio_reader *r, fastio_bytes *out, size_t room, size_t *count, fastio_error *err) {
  const char *data = NULL;
  (void)room;
  fastio_status status = fastio_next_token(r, &data, &out->size, err);
  out->data = data;
  *count = status == FASTIO_OK;
  return status;
}

static void put_values(fastio_type type, const void *values, size_t count, uint64_t before) {
  fastio_column view = {type, count, 0, NULL, NULL, values, 0, 0, NULL};
  for (size_t i = 0; i < count; i++) {
    if (before + i > 0) put_char(' ');
    if (type == FASTIO_BINARY)
      put_bytes(((const fastio_bytes *)values)[i].data, ((const fastio_bytes *)values)[i].size);
    else put_item(&view, i);
  }
}

/* All values from the reader on, as a list; then the error if there is one. Numbers are of `type`; FASTIO_BINARY is
 * lines, FASTIO_STRING tokens. */
static fastio_status pull_all(request *q, fastio_reader *r, fastio_type type, fastio_error *err) {
  union {
    uint64_t numbers[BATCH];
    fastio_bytes views[BATCH];
  } out;
  uint64_t total = 0, most = q->read.max_items;
  fastio_status status = FASTIO_OK;
  size_t count;
  put_char('[');
  while (status == FASTIO_OK && total < most) {
    size_t room = most - total < BATCH ? (size_t)(most - total) : BATCH;
    if (type == FASTIO_BINARY) status = pull_lines(r, out.views, room, &count, err);
    else if (type == FASTIO_STRING) status = pull_tokens(r, out.views, room, &count, err);
    else status = pull_some(r, type, out.numbers, room, &count, err);
    put_values(type == FASTIO_STRING ? FASTIO_BINARY : type, &out, count, total);
    total += count;
  }
  put_char(']');
  return status;
}

static void iterate(request *q, fastio_type type) {
  origin o;
  fastio_error err;
  fastio_reader *reader = NULL;
  fastio_status status = open_origin(&o, q, &err);
  if (status == FASTIO_OK) status = fastio_reader_open(o.source, &q->read, &reader, &err);
  if (status != FASTIO_OK) put("[]");
  else status = pull_all(q, reader, type, &err);
  if (status != FASTIO_OK && status != FASTIO_END) {
    put_char(' ');
    put_error(status, &err);
  }
  fastio_reader_close(reader);
  close_origin(&o);
}

/* A whole-source op done with the pull reader: the same answer is due. */
static void pull_whole(request *q, fastio_type type) {
  origin o;
  fastio_error err;
  fastio_reader *reader = NULL;
  fastio_status status = open_origin(&o, q, &err);
  if (status == FASTIO_OK) status = fastio_reader_open(o.source, &q->read, &reader, &err);
  if (status == FASTIO_OK) {
    size_t start = put_mark();
    status = pull_all(q, reader, type, &err);
    if (status != FASTIO_END && status != FASTIO_OK) put_back(start); /* the values before an error are not told */
  }
  if (status != FASTIO_OK && status != FASTIO_END) put_error(status, &err);
  else put_decode_errors(q, o.source);
  fastio_reader_close(reader);
  close_origin(&o);
}

/* ---- Scripts for the pull reader ---- */

static void put_step_error(fastio_status status, const fastio_error *err) {
  if (status == FASTIO_END) put("end");
  else put_error(status, err);
}

static void step_expect(fastio_reader *r, const char *hex, size_t length) {
  fastio_error err;
  size_t size;
  unsigned char *bytes = from_hex(hex, length, &size);
  fastio_status status = fastio_expect(r, bytes, size, &err);
  if (status == FASTIO_OK) put("ok");
  else put_step_error(status, &err);
  free(bytes);
}

static void step_number(fastio_reader *r, char kind) {
  int64_t i = 0;
  uint64_t u = 0;
  double d = 0;
  float f = 0;
  fastio_error err;
  fastio_status status = kind == 'i'   ? fastio_next_i64(r, &i, &err)
                         : kind == 'u' ? fastio_next_u64(r, &u, &err)
                         : kind == 'd' ? fastio_next_f64(r, &d, &err)
                                       : fastio_next_f32(r, &f, &err);
  if (status != FASTIO_OK) put_step_error(status, &err);
  else if (kind == 'i') put("%" PRId64, i);
  else if (kind == 'u') put("%" PRIu64, u);
  else if (kind == 'd') put_f64(d);
  else put_f32(f);
}

static void step_view(fastio_reader *r, bool is_line) {
  const char *data;
  size_t size;
  fastio_error err;
  fastio_status status = is_line ? fastio_next_line(r, &data, &size, &err) : fastio_next_token(r, &data, &size, &err);
  if (status == FASTIO_OK) put_bytes(data, size);
  else put_step_error(status, &err);
}

static void step_skip(fastio_reader *r) {
  fastio_error err;
  fastio_status status = fastio_skip(r, &err);
  if (status == FASTIO_OK) put("ok");
  else put_step_error(status, &err);
}

/* N values in batches, however many those give at a time; fewer if there is a failure, which follows. */
static void step_batch(fastio_reader *r, bool is_lines, size_t wanted) {
  union {
    int64_t numbers[BATCH];
    fastio_bytes views[BATCH];
  } out;
  fastio_error err;
  fastio_status status = FASTIO_OK;
  size_t total = 0, count;
  put_char('[');
  while (status == FASTIO_OK && total < wanted) {
    size_t room = wanted - total < BATCH ? wanted - total : BATCH;
    if (is_lines) status = fastio_next_lines(r, out.views, room, &count, &err);
    else status = fastio_next_i64s(r, out.numbers, room, &count, &err);
    put_values(is_lines ? FASTIO_BINARY : FASTIO_INT64, &out, count, total);
    total += count;
  }
  put_char(']');
  if (status != FASTIO_OK) put_step_error(status, &err);
}

static void step(fastio_reader *r, const char *text, size_t length) {
  char name[16] = "";
  size_t word = strcspn(text, " :");
  memcpy(name, text, word < sizeof name ? word : sizeof name - 1);
  if (strcmp(name, "expect") == 0) step_expect(r, text + word + 1, length - word - 1);
  else if (strcmp(name, "offset") == 0) put("%" PRIu64, fastio_reader_offset(r));
  else if (strcmp(name, "lineno") == 0) put("%" PRIu64, fastio_reader_line(r));
  else if (strcmp(name, "int") == 0) step_number(r, 'i');
  else if (strcmp(name, "uint") == 0) step_number(r, 'u');
  else if (strcmp(name, "float") == 0) step_number(r, 'd');
  else if (strcmp(name, "float32") == 0) step_number(r, 'f');
  else if (strcmp(name, "token") == 0) step_view(r, false);
  else if (strcmp(name, "line") == 0) step_view(r, true);
  else if (strcmp(name, "skip") == 0) step_skip(r);
  else if (strcmp(name, "ints") == 0) step_batch(r, false, strtoull(text + word + 1, NULL, 10));
  else if (strcmp(name, "lines") == 0) step_batch(r, true, strtoull(text + word + 1, NULL, 10));
  else die("unknown step", name);
}

static void run_script(request *q) {
  origin o;
  fastio_error err;
  fastio_reader *reader = NULL;
  fastio_status status = open_origin(&o, q, &err);
  if (status == FASTIO_OK) status = fastio_reader_open(o.source, &q->read, &reader, &err);
  if (status != FASTIO_OK) put_error(status, &err);
  for (const char *at = q->script; status == FASTIO_OK && *at != '\0';) {
    size_t length = strcspn(at, " ");
    step(reader, at, length);
    at += length;
    if (*at == ' ') put_char(*at++);
  }
  fastio_reader_close(reader);
  close_origin(&o);
}

/* ---- Single numbers ---- */

#define PARSE_INT(name, ctype, format)                                                        \
  static void parse_##name(request *q) {                                                      \
    ctype value = 77;                                                                         \
    fastio_error err;                                                                         \
    fastio_status status = fastio_parse_##name(q->data, q->size, q->read.base, &value, &err); \
    if (status == FASTIO_OK) put("%" format, value);                                          \
    else if (value != 77) die(q->id, "the result was changed by a failure");                  \
    else put_error(status, &err);                                                             \
  }
PARSE_INT(i8, int8_t, PRId8)
PARSE_INT(i16, int16_t, PRId16)
PARSE_INT(i32, int32_t, PRId32)
PARSE_INT(i64, int64_t, PRId64)
PARSE_INT(u8, uint8_t, PRIu8)
PARSE_INT(u16, uint16_t, PRIu16)
PARSE_INT(u32, uint32_t, PRIu32)
PARSE_INT(u64, uint64_t, PRIu64)

static void parse_f64(request *q) {
  double value = 77;
  fastio_error err;
  fastio_status status = fastio_parse_f64(q->data, q->size, &value, &err);
  if (status == FASTIO_OK) put_f64(value);
  else if (value != 77) die(q->id, "the result was changed by a failure");
  else put_error(status, &err);
}

static void parse_f32(request *q) {
  float value = 77;
  fastio_error err;
  fastio_status status = fastio_parse_f32(q->data, q->size, &value, &err);
  if (status == FASTIO_OK) put_f32(value);
  else if (value != 77) die(q->id, "the result was changed by a failure");
  else put_error(status, &err);
}

/* The input of a format op is the number: an integer in decimal, a float's bits in hex. */
static void format_number(request *q) {
  char text[32] = "", out[FASTIO_FORMAT_MAX];
  size_t size = 0;
  memcpy(text, q->data, q->size < sizeof text ? q->size : sizeof text - 1);
  if (strcmp(q->op, "format_i64") == 0) size = fastio_format_i64(strtoll(text, NULL, 10), q->read.base, out);
  if (strcmp(q->op, "format_u64") == 0) size = fastio_format_u64(strtoull(text, NULL, 10), q->read.base, out);
  if (strcmp(q->op, "format_f64") == 0) {
    uint64_t bits = strtoull(text, NULL, 16);
    double value;
    memcpy(&value, &bits, sizeof value);
    size = fastio_format_f64(value, out);
  }
  if (strcmp(q->op, "format_f32") == 0) {
    uint32_t bits = (uint32_t)strtoul(text, NULL, 16);
    float value;
    memcpy(&value, &bits, sizeof value);
    size = fastio_format_f32(value, out);
  }
  put_bytes(out, size);
}

/* ---- The machine ---- */

static void cpu_names(request *q) {
  const char *name;
  (void)q;
  for (size_t i = 0; (name = fastio_cpu_name(i)) != NULL; i++) put("%s%s", i > 0 ? " " : "", name);
}

static void decimal_point(request *q) {
  (void)q;
  put("%s", localeconv()->decimal_point);
}

/* ---- Dispatch ---- */

static void read_numbers(request *q, read_column *read, fastio_type natural) {
  if (strcmp(configuration.way, "column") == 0) whole(q, read);
  else if (strcmp(configuration.way, "array") == 0) array(q, natural);
  else pull_whole(q, q->read.type != 0 ? q->read.type : natural);
}

static void read_ints(request *q) { read_numbers(q, fastio_read_ints, FASTIO_INT64); }
static void read_floats(request *q) { read_numbers(q, fastio_read_floats, FASTIO_FLOAT64); }
static void read_bytes(request *q) { whole(q, fastio_read_all); }
static void iter_ints(request *q) { iterate(q, FASTIO_INT64); }
static void iter_floats(request *q) { iterate(q, FASTIO_FLOAT64); }
static void iter_lines(request *q) { iterate(q, FASTIO_BINARY); }
static void iter_tokens(request *q) { iterate(q, FASTIO_STRING); }
static void read_lines(request *q) {
  if (strcmp(configuration.way, "column") == 0) whole(q, fastio_read_lines);
  else pull_whole(q, FASTIO_BINARY);
}

static const struct {
  const char *name;
  void (*run)(request *q);
} ops[] = {
    {"parse_i8", parse_i8},        {"parse_i16", parse_i16},         {"parse_i32", parse_i32},
    {"parse_i64", parse_i64},      {"parse_u8", parse_u8},           {"parse_u16", parse_u16},
    {"parse_u32", parse_u32},      {"parse_u64", parse_u64},         {"parse_f32", parse_f32},
    {"parse_f64", parse_f64},      {"format_i64", format_number},    {"format_u64", format_number},
    {"format_f32", format_number}, {"format_f64", format_number},    {"read_ints", read_ints},
    {"read_floats", read_floats},  {"read_lines", read_lines},       {"count_lines", count_lines},
    {"read_bytes", read_bytes},    {"iter_ints", iter_ints},         {"iter_floats", iter_floats},
    {"iter_lines", iter_lines},    {"iter_tokens", iter_tokens},     {"reader", run_script},
    {"cpu_names", cpu_names},      {"decimal_point", decimal_point},
};

static void run_op(request *q) {
  each_option(q->options, set_request_option, q);
  q->read.block_size = configuration.block;
  q->read.threads = configuration.threads;
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    if (strcmp(q->op, ops[i].name) == 0) {
      ops[i].run(q);
      return;
    }
  }
  if (!run_text_op(q)) put("unsupported");
}

static char *cut(char **at) {
  char *field = *at, *tab = strchr(field, '\t');
  if (tab == NULL) die("too few fields", field);
  *tab = '\0';
  *at = tab + 1;
  return field;
}

static void answer(char *line, size_t length) {
  request q;
  char *at = line;
  memset(&q, 0, sizeof q);
  q.id = cut(&at);
  q.op = cut(&at);
  q.options = cut(&at);
  q.data = from_hex(at, (size_t)(line + length - at), &q.size);
  q.data = q.size == 0 ? q.data : realloc(q.data, q.size); /* no byte to spare: a sanitizer sees every overread */
  put("%s\t", q.id);
  tells_raw = tells_status = false;
  fastio_read_options_init(&q.read);
  fastio_decode_options_init(&q.decode);
  if (!run_table_op(&q) && !run_write_op(&q)) run_op(&q);
  put_char('\n');
  flush();
  for (size_t i = 0; i < q.read.null_count; i++) free((void *)(uintptr_t)q.nulls[i].data);
  free(q.data);
  release_kept();
}

int main(int argc, char **argv) {
  char *line = NULL;
  size_t room = 0;
  ssize_t length;
  if (argc != 2) die("usage", "driver DIRECTORY-OF-INPUT-FILES");
  directory = argv[1];
  setlocale(LC_ALL, "");
  signal(SIGPIPE, SIG_IGN);
  while ((length = getline(&line, &room, stdin)) > 0) {
    if (line[length - 1] == '\n') line[--length] = '\0';
    if (line[0] != '!') {
      answer(line, (size_t)length);
      continue;
    }
    each_option(line + 1, set_config, &configuration);
    if (fastio_cpu_select(configuration.simd) != FASTIO_OK) die("no such instruction set", configuration.simd);
  }
  free(line);
  free(output.text);
  return 0;
}
