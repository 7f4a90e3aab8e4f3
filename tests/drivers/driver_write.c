/* The ops of the C driver that format and write. */
#include "driver.h"

enum { MOST_FORMATS = 64 };

/* Options of whichever op. */
typedef struct write_request {
  request *q;
  layout layouts[MOST_FORMATS];
  const char *layout_names[MOST_FORMATS]; /* NULL: by position */
  size_t layout_count;
  fastio_format formats[256];
  fastio_csv_write_options csv;
  fastio_bytes separator, end, null_text;
  const char *header; /* names of its own, in hex */
  uint64_t rows, columns, length;
  bool has_null;
  int upper, utc;
} write_request;

/* ---- Options ---- */

static fastio_bytes text_of(const char *hex) {
  return strcmp(hex, "none") == 0 ? (fastio_bytes){NULL, 0} : kept_text(hex, strlen(hex));
}

/* One format, or several with a bar in between: "" is the default, "n61/..." is that of a name. */
static void set_formats(write_request *w, const char *text) {
  while (true) {
    size_t length = strcspn(text, "|"), name = strcspn(text, "/");
    if (w->layout_count == MOST_FORMATS) die("formats", "too many");
    bool by_name = name < length;
    w->layout_names[w->layout_count] = by_name ? kept_text(text + 1, name - 1).data : NULL;
    if (by_name) set_layout(&w->layouts[w->layout_count++], text + name + 1, length - name - 1);
    else set_layout(&w->layouts[w->layout_count++], text, length);
    if (text[length] == '\0') return;
    text += length + 1;
  }
}

static int quoting_from(const char *value) {
  static const char *const names[] = {"minimal", "strings", "all", "never"};
  for (int i = 0; i < 4; i++) {
    if (strcmp(value, names[i]) == 0) return i;
  }
  return -1;
}

static void set_header(write_request *w, const char *value) {
  w->csv.header = 1;
  if (*value == 'x') w->header = value;
  else w->csv.header = atoi(value);
}

static void set_write_option(void *ctx, const char *key, char *value) {
  write_request *w = ctx;
  if (strcmp(key, "format") == 0) set_formats(w, value);
  else if (strcmp(key, "sep") == 0) w->separator = w->csv.separator = text_of(value);
  else if (strcmp(key, "end") == 0) w->end = text_of(value);
  else if (strcmp(key, "eol") == 0) w->csv.end = text_of(value);
  else if (strcmp(key, "null") == 0) w->null_text = w->csv.null_text = text_of(value), w->has_null = true;
  else if (strcmp(key, "nan") == 0) w->csv.nan_text = text_of(value);
  else if (strcmp(key, "true") == 0) w->csv.true_text = text_of(value);
  else if (strcmp(key, "false") == 0) w->csv.false_text = text_of(value);
  else if (strcmp(key, "header") == 0) set_header(w, value);
  else if (strcmp(key, "quoting") == 0) w->csv.quoting = quoting_from(value);
  else if (strcmp(key, "quote") == 0) w->csv.quote = hex_byte(value);
  else if (strcmp(key, "escape") == 0) w->csv.escape = strcmp(value, "none") == 0 ? FASTIO_NONE : hex_byte(value);
  else if (strcmp(key, "length") == 0) w->length = strtoull(value, NULL, 10);
  else if (strcmp(key, "upper") == 0) w->upper = atoi(value);
  else if (strcmp(key, "utc") == 0) w->utc = atoi(value);
  else if (strcmp(key, "shape") == 0) {
    char *rest;
    w->rows = strtoull(value, &rest, 10);
    w->columns = strtoull(rest + 1, NULL, 10);
  } else die("unknown option", key);
}

static write_request *new_request(request *q) {
  write_request *w = keep(calloc(1, sizeof *w));
  w->q = q;
  w->length = FASTIO_NO_OFFSET;
  w->separator = (fastio_bytes){" ", 1};
  w->end = (fastio_bytes){"\n", 1};
  w->null_text = (fastio_bytes){"", 0};
  fastio_csv_write_options_init(&w->csv);
  each_option(q->options, set_write_option, w);
  return w;
}

static const fastio_format *only_format(const write_request *w) {
  return w->layout_count > 0 ? &w->layouts[0].format : NULL;
}

/* A format for each of the columns, whose names are those given if there are any. */
static void choose_formats(write_request *w, const fastio_bytes *names, size_t columns, const fastio_format **formats,
                           size_t *count) {
  bool by_name = w->layout_count > 0 && w->layout_names[0] != NULL;
  *formats = w->formats;
  *count = w->layout_count;
  for (size_t i = 0; i < w->layout_count && !by_name; i++) w->formats[i] = w->layouts[i].format;
  if (!by_name) return;
  *count = columns;
  for (size_t i = 0; i < columns; i++) {
    for (size_t k = 0; k < w->layout_count; k++) {
      if (strlen(w->layout_names[k]) == names[i].size && memcmp(w->layout_names[k], names[i].data, names[i].size) == 0)
        w->formats[i] = w->layouts[k].format;
    }
  }
}

/* ---- One value as a format says ---- */

static size_t format_item(const item *value, const fastio_format *format, char *out, size_t capacity) {
  switch (value->type) {
    case FASTIO_INT64: return fastio_format_i64_as(value->bits.i, format, out, capacity);
    case FASTIO_UINT64: return fastio_format_u64_as(value->bits.u, format, out, capacity);
    case FASTIO_FLOAT32: return fastio_format_f32_as(value->single, format, out, capacity);
    case FASTIO_FLOAT64: return fastio_format_f64_as(value->bits.d, format, out, capacity);
    default: return fastio_format_text_as(value->text.data, value->text.size, format, out, capacity);
  }
}

static fastio_status write_item_as(fastio_writer *writer, const item *value, const fastio_format *format,
                                   fastio_error *err) {
  switch (value->type) {
    case FASTIO_INT64: return fastio_write_i64_as(writer, value->bits.i, format, err);
    case FASTIO_UINT64: return fastio_write_u64_as(writer, value->bits.u, format, err);
    case FASTIO_FLOAT32: return fastio_write_f32_as(writer, value->single, format, err);
    case FASTIO_FLOAT64: return fastio_write_f64_as(writer, value->bits.d, format, err);
    default: return fastio_write_text_as(writer, value->text.data, value->text.size, format, err);
  }
}

/* A writer says the same, bytes and errors. */
static void check_written(const item *value, const fastio_format *format, fastio_bytes due) {
  fastio_error err;
  fastio_bytes bytes;
  fastio_writer *writer;
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  options.buffer_size = configuration.block;
  if (fastio_writer_memory(&options, &writer, &err) != FASTIO_OK) die("writer", err.message);
  fastio_status status = write_item_as(writer, value, format, &err);
  if (due.data == NULL && status != FASTIO_INVALID_ARGUMENT) die("a bad format", "was written");
  if (due.data != NULL) {
    if (status != FASTIO_OK || fastio_writer_bytes(writer, &bytes, &err) != FASTIO_OK) die("writer", err.message);
    if (bytes.size != due.size || memcmp(bytes.data, due.data, due.size) != 0) die("a writer", "writes something else");
  }
  fastio_writer_discard(writer);
}

static void put_formatted(const item *value, const fastio_format *format) {
  fastio_error err;
  size_t size = format_item(value, format, NULL, 0);
  if (size == SIZE_MAX) {
    fastio_status status = fastio_format_check(format, &err);
    if (status == FASTIO_OK) die("a format that is not valid", "passes the check");
    put_error(status, &err);
    check_written(value, format, (fastio_bytes){NULL, 0});
    return;
  }
  char *out = keep(malloc(size + 1)); /* exactly as long, but for the end */
  memset(out, '#', size + 1);
  if (size > 0 && (format_item(value, format, out, size - 1) != size || *out != '#')) die("a short buffer", "was used");
  if (format_item(value, format, out, size) != size || out[size] != '#') die("a byte behind the end", "was written");
  check_written(value, format, (fastio_bytes){out, size});
  put_bytes(out, size);
}

static item input_item(const request *q, fastio_type type) {
  item value = {type, 0, {0}, 0, {q->data, q->size}};
  char text[32] = "";
  memcpy(text, q->data, q->size < sizeof text ? q->size : sizeof text - 1);
  if (type == FASTIO_INT64) value.bits.i = strtoll(text, NULL, 10);
  else if (type == FASTIO_UINT64) value.bits.u = strtoull(text, NULL, 10);
  else if (type == FASTIO_FLOAT64) value.bits.u = strtoull(text, NULL, 16);
  else if (type == FASTIO_FLOAT32) {
    uint32_t bits = (uint32_t)strtoul(text, NULL, 16);
    memcpy(&value.single, &bits, sizeof bits);
  }
  return value;
}

static void format_value(write_request *w) {
  const char *type = w->q->op + strlen("format_");
  item value = input_item(w->q, strcmp(type, "i64") == 0   ? FASTIO_INT64
                                : strcmp(type, "u64") == 0 ? FASTIO_UINT64
                                : strcmp(type, "f32") == 0 ? FASTIO_FLOAT32
                                : strcmp(type, "f64") == 0 ? FASTIO_FLOAT64
                                                           : FASTIO_STRING);
  put_formatted(&value, only_format(w));
}

static void format_hex(write_request *w) {
  char *out = keep(malloc(2 * w->q->size + 1));
  put_bytes(out, fastio_format_hex(w->q->data, w->q->size, w->upper, out));
}

static size_t moment_text(const request *q, int utc, char *out) {
  int64_t value = strtoll((const char *)memcpy(keep(calloc(1, q->size + 1)), q->data, q->size), NULL, 10);
  if (strcmp(q->op, "format_date") == 0) return fastio_format_date((int32_t)value, out);
  if (strcmp(q->op, "format_time") == 0) return fastio_format_time(value, out);
  return fastio_format_timestamp(value, utc ? FASTIO_TIMESTAMP_UTC : FASTIO_TIMESTAMP, out);
}

static void format_moment(write_request *w) {
  char out[FASTIO_FORMAT_MAX];
  size_t size = moment_text(w->q, w->utc, out);
  if (size == 0) put("error:invalid_argument:-:0:0:");
  else put_bytes(out, size);
}

/* ---- Values ---- */

/* Room that any number or text here takes. */
static size_t room_for(const item *value) { return value->text.data != NULL ? value->text.size : FASTIO_FORMAT_MAX; }

static char *copied(const void *data, size_t size, char *out) {
  if (size > 0) memcpy(out, data, size);
  return out + size;
}

static char *put_item_at(const item *value, char *out) {
  switch (value->type) {
    case FASTIO_INT64: return out + fastio_format_i64(value->bits.i, 10, out);
    case FASTIO_UINT64: return out + fastio_format_u64(value->bits.u, 10, out);
    case FASTIO_FLOAT32: return out + fastio_format_f32(value->single, out);
    case FASTIO_FLOAT64: return out + fastio_format_f64(value->bits.d, out);
    case FASTIO_BOOL: return value->bits.u != 0 ? copied("true", 4, out) : copied("false", 5, out);
    case FASTIO_DATE: return out + fastio_format_date((int32_t)value->bits.i, out);
    case FASTIO_TIME: return out + fastio_format_time(value->bits.i, out);
    case FASTIO_TIMESTAMP:
    case FASTIO_TIMESTAMP_UTC: return out + fastio_format_timestamp(value->bits.i, value->type, out);
    default: return copied(value->text.data, value->text.size, out);
  }
}

static fastio_status write_item(fastio_writer *writer, const item *value, fastio_error *err) {
  switch (value->type) {
    case FASTIO_INT64: return fastio_write_i64(writer, value->bits.i, err);
    case FASTIO_UINT64: return fastio_write_u64(writer, value->bits.u, err);
    case FASTIO_FLOAT32: return fastio_write_f32(writer, value->single, err);
    case FASTIO_FLOAT64: return fastio_write_f64(writer, value->bits.d, err);
    case FASTIO_BOOL: return fastio_write_bool(writer, (int)value->bits.u, err);
    case FASTIO_DATE: return fastio_write_date(writer, (int32_t)value->bits.i, err);
    case FASTIO_TIME: return fastio_write_time(writer, value->bits.i, err);
    case FASTIO_TIMESTAMP:
    case FASTIO_TIMESTAMP_UTC: return fastio_write_timestamp(writer, value->bits.i, value->type, err);
    default: return fastio_write(writer, value->text.data, value->text.size, err);
  }
}

static fastio_status reserve_item(fastio_writer *writer, const item *value, fastio_error *err) {
  char *out = fastio_reserve(writer, room_for(value), err);
  return out == NULL ? err->status : fastio_commit(writer, put_item_at(value, out), err);
}

static item text_item(fastio_bytes text) { return (item){FASTIO_STRING, 0, {0}, 0, text}; }

/* All as one write. */
static fastio_status write_in_pieces(fastio_writer *writer, const item *items, size_t count, fastio_error *err) {
  fastio_bytes *pieces = keep(calloc(count + 1, sizeof *pieces));
  for (size_t i = 0; i < count; i++) {
    char *out = keep(malloc(room_for(&items[i]) + 1));
    pieces[i].size = (size_t)(put_item_at(&items[i], out) - out);
    pieces[i].data = out;
  }
  return fastio_write_pieces(writer, pieces, count, err);
}

static fastio_status write_items(fastio_writer *writer, const item *items, size_t count, fastio_error *err) {
  const char *way = configuration.way;
  fastio_status status = FASTIO_OK, unlocked = FASTIO_OK;
  if (strcmp(way, "pieces") == 0) return write_in_pieces(writer, items, count, err);
  fastio_writer *locked = fastio_writer_lock(writer);
  for (size_t i = 0; i < count && status == FASTIO_OK; i++) {
    if (strcmp(way, "reserve") == 0) status = reserve_item(locked, &items[i], err);
    else status = write_item(locked, &items[i], err);
  }
  unlocked = fastio_writer_unlock(writer, status == FASTIO_OK ? err : NULL);
  return status != FASTIO_OK ? status : unlocked;
}

static fastio_status op_write(write_request *w, fastio_writer *writer, fastio_error *err) {
  size_t count;
  item *items = mixed_items((const char *)w->q->data, &count);
  return write_items(writer, items, count, err);
}

static fastio_status op_print(write_request *w, fastio_writer *writer, fastio_error *err) {
  size_t count, all = 0;
  item *items = mixed_items((const char *)w->q->data, &count);
  item *line = keep(calloc(2 * count + 2, sizeof *line));
  for (size_t i = 0; i < count; i++) {
    if (i > 0) line[all++] = text_item(w->separator);
    line[all++] = items[i];
  }
  line[all++] = text_item(w->end);
  return write_items(writer, line, all, err);
}

/* ---- Arrays ---- */

static uint64_t bits_at(const fastio_column *column, uint64_t i) {
  return ((const uint8_t *)column->data)[i / 8] >> (i % 8) & 1;
}

/* Value after value, each with its own call. */
static fastio_status write_each(write_request *w, fastio_writer *writer, const fastio_column *column,
                                fastio_error *err) {
  fastio_status status = FASTIO_OK;
  uint64_t columns = w->columns == 0 ? 1 : w->columns;
  for (uint64_t i = 0; i < column->length && status == FASTIO_OK; i++) {
    const fastio_format *format = w->layout_count == 1 ? only_format(w) : &w->layouts[i % columns].format;
    item value = {column->type, 0, {0}, 0, {NULL, 0}};
    bool last = i + 1 == column->length || (w->rows > 0 && (i + 1) % columns == 0);
    const fastio_bytes *behind = last ? &w->end : &w->separator;
    if (column->type == FASTIO_FLOAT32) memcpy(&value.single, (const float *)column->data + i, sizeof(float));
    else memcpy(&value.bits, (const char *)column->data + 8 * i, 8);
    if (!is_valid(column, i)) status = fastio_write(writer, w->null_text.data, w->null_text.size, err);
    else if (w->layout_count == 0) status = write_item(writer, &value, err);
    else status = write_item_as(writer, &value, format, err);
    if (status == FASTIO_OK) status = fastio_write(writer, behind->data, behind->size, err);
  }
  return status;
}

static bool is_wide(const fastio_column *column) {
  return column->type == FASTIO_FLOAT32 || fastio_type_size(column->type) == 8;
}

/* The values at the places that the strides say, anything in between. */
static void *scattered(const fastio_column *column, size_t size, fastio_array *array) {
  uint64_t columns = array->columns;
  int64_t far_row = array->row_stride * (int64_t)(array->rows - 1), far = array->column_stride * (int64_t)(columns - 1);
  int64_t low = (far_row < 0 ? far_row : 0) + (far < 0 ? far : 0);
  size_t room = (size_t)(llabs(far_row) + llabs(far)) + size;
  char *block = memset(keep(malloc(room)), 0xa5, room), *origin = block - low;
  for (uint64_t i = 0; i < column->length; i++) {
    char *at = origin + (int64_t)(i / columns) * array->row_stride + (int64_t)(i % columns) * array->column_stride;
    if (column->type == FASTIO_BOOL) *at = (char)bits_at(column, i);
    else memcpy(at, (const char *)column->data + i * size, size);
  }
  return origin;
}

/* Where the values lie does not matter. */
static void lay_out(const fastio_column *column, fastio_array *array) {
  const char *way = configuration.way;
  int64_t size = column->type == FASTIO_BOOL ? 1 : (int64_t)fastio_type_size(column->type);
  array->data = column->data;
  if (column->length == 0 || (strcmp(way, "column") == 0 && column->type != FASTIO_BOOL)) return;
  array->column_stride = size;
  array->row_stride = size * (int64_t)array->columns;
  if (strcmp(way, "strided") == 0) {
    array->column_stride = size + 1;
    array->row_stride = (size + 1) * (int64_t)array->columns + 5;
  } else if (strcmp(way, "reversed") == 0) {
    array->column_stride = -size;
    array->row_stride = -size * (int64_t)array->columns;
  } else if (strcmp(way, "transposed") == 0) {
    array->column_stride = size * (int64_t)array->rows;
    array->row_stride = size;
  }
  array->data = scattered(column, (size_t)size, array);
}

static fastio_status write_array(write_request *w, fastio_writer *writer, const fastio_column *column,
                                 fastio_error *err) {
  fastio_array_options options;
  fastio_array array = {column->type, NULL, 1, column->length, 0, 0, column->validity};
  if (w->columns > 0) array.rows = column->length / w->columns, array.columns = w->columns;
  lay_out(column, &array);
  fastio_array_options_init(&options);
  choose_formats(w, NULL, 0, &options.formats, &options.format_count);
  options.threads = configuration.threads;
  options.block_size = configuration.block;
  options.separator = w->separator;
  options.end = w->end;
  options.null_text = w->null_text;
  return fastio_write_array(writer, &array, &options, err);
}

static fastio_status op_array(write_request *w, fastio_writer *writer, fastio_error *err) {
  const char *end;
  fastio_column *column = column_from((const char *)w->q->data, &end);
  bool each = strcmp(configuration.way, "each") == 0 && is_wide(column) && column->length > 0 && w->layout_count < 2;
  fastio_status status = each ? write_each(w, writer, column, err) : write_array(w, writer, column, err);
  fastio_column_free(column);
  return status;
}

static fastio_status op_lines(write_request *w, fastio_writer *writer, fastio_error *err) {
  const char *end;
  fastio_column *column = column_from((const char *)w->q->data, &end);
  fastio_status status = fastio_write_lines(writer, column, w->end, err);
  fastio_column_free(column);
  return status;
}

/* ---- Tables ---- */

/* A stream that gives two rows at a time. */
typedef struct batches {
  const fastio_table *table;
  uint64_t given;
} batches;

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
  return fastio_table_export_schema(((batches *)stream->private_data)->table, out, NULL) == FASTIO_OK ? 0 : 12;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
  batches *b = stream->private_data;
  uint64_t left = b->table->rows - b->given, rows = left < 2 ? left : 2;
  memset(out, 0, sizeof *out);
  if (rows == 0) return 0;
  b->given += rows;
  return fastio_table_export_array(b->table, b->given - rows, rows, out, NULL) == FASTIO_OK ? 0 : 12;
}

static const char *no_last_error(struct ArrowArrayStream *stream) {
  (void)stream;
  return NULL;
}

static void no_release(struct ArrowArrayStream *stream) { stream->release = NULL; }

static fastio_status write_stream(write_request *w, fastio_writer *writer, const fastio_table *table,
                                  fastio_error *err) {
  batches b = {table, 0};
  struct ArrowArrayStream stream = {get_schema, get_next, no_last_error, no_release, &b};
  uint64_t rows = 77;
  fastio_status status = fastio_write_csv_stream(writer, &stream, &w->csv, &rows, err);
  if (status == FASTIO_OK && rows != table->rows) die("a stream's rows", "are not counted");
  if (stream.release == NULL) die("a stream", "was released");
  return status;
}

/* The table with other names. */
static fastio_table *renamed(const fastio_table *table, const char *names) {
  fastio_table view = *table, *out;
  fastio_error err;
  fastio_bytes *list = keep(calloc(table->column_count + 1, sizeof *list));
  for (size_t i = 0; i < table->column_count && *names != '\0'; i++) {
    size_t length = strcspn(names, ",");
    list[i] = kept_text(names, length);
    names += length + (names[length] == ',');
  }
  view.names = list;
  for (size_t i = 0; i < table->column_count; i++) fastio_column_retain(table->columns[i]);
  if (fastio_table_new(&view, NULL, &out, &err) != FASTIO_OK) die("table", err.message);
  return out;
}

static fastio_status op_csv(write_request *w, fastio_writer *writer, fastio_error *err) {
  fastio_table *table = table_from((const char *)w->q->data);
  choose_formats(w, table->names, table->column_count, &w->csv.formats, &w->csv.format_count);
  w->csv.threads = configuration.threads;
  w->csv.block_size = configuration.block;
  if (w->header != NULL) {
    fastio_table *other = renamed(table, w->header);
    fastio_table_free(table);
    table = other;
  }
  bool as_stream = strcmp(configuration.way, "stream") == 0;
  fastio_status status = as_stream ? write_stream(w, writer, table, err)
                                   : fastio_write_csv(writer, table, &w->csv, err);
  fastio_table_free(table);
  return status;
}

/* ---- Copies ---- */

static fastio_status op_copy(write_request *w, fastio_writer *writer, fastio_error *err) {
  origin o;
  uint64_t number = 77;
  fastio_status status = open_origin(&o, w->q, err);
  if (status == FASTIO_OK) status = fastio_copy(o.source, writer, w->length, &number, err);
  if (status == FASTIO_OK) put("%" PRIu64 " ", number);
  close_origin(&o);
  return status;
}

/* ---- Dispatch ---- */

typedef fastio_status write_op(write_request *w, fastio_writer *writer, fastio_error *err);

static void run_on_sink(write_request *w, write_op *op) {
  drain d;
  fastio_error err;
  size_t mark = put_mark();
  fastio_status status = open_drain(&d, &err);
  if (status == FASTIO_OK) status = op(w, d.writer, &err);
  status = close_drain(&d, status, &err);
  if (status == FASTIO_OK) put_bytes(d.data, d.size);
  else {
    put_back(mark);
    if (op == op_csv) put_table_error(status, &err);
    else put_error(status, &err);
  }
  free(d.data);
}

/* The input as text with a NUL behind it. */
static void terminate(request *q) {
  if ((q->data = realloc(q->data, q->size + 1)) == NULL) die("memory", "none left");
  q->data[q->size] = '\0';
}

static bool run_format_op(request *q) {
  static const struct {
    const char *name;
    void (*run)(write_request *w);
  } ops[] = {{"format_i64", format_value},   {"format_u64", format_value},   {"format_f32", format_value},
             {"format_f64", format_value},   {"format_text", format_value},  {"format_hex", format_hex},
             {"format_date", format_moment}, {"format_time", format_moment}, {"format_timestamp", format_moment}};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    if (strcmp(q->op, ops[i].name) != 0) continue;
    if (i < 4 && strstr(q->options, "format=") == NULL) return false; /* what has no format is an op of driver.c */
    ops[i].run(new_request(q));
    return true;
  }
  return false;
}

bool run_write_op(request *q) {
  static const struct {
    const char *name;
    write_op *run;
  } ops[] = {{"write", op_write},       {"print", op_print},   {"write_ints", op_array}, {"write_floats", op_array},
             {"write_lines", op_lines}, {"write_csv", op_csv}, {"copy", op_copy}};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    if (strcmp(q->op, ops[i].name) != 0) continue;
    if (ops[i].run != op_copy) terminate(q);
    run_on_sink(new_request(q), ops[i].run);
    return true;
  }
  return run_format_op(q);
}
