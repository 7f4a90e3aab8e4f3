/* Numbers in memory as text: along the rows where they are long, in strips of rows where they are short. */
#include "field.h"
#include "writer.h"

enum {
  SHORT_ROW = 64, /* values of a row that goes into strips */
  RUN = 1024,     /* values that number/ writes at a time */
  RUN_BYTES = 64 << 10
};

typedef struct writing {
  fastio_array array; /* with its strides */
  fastio_array_options options;
  fastio__wording words;
  fastio_bytes separator;
  bool is_column; /* a row whose separator is the end of rows: what was a column */
  const fastio_env *env;
  uint64_t piece_items;  /* values, or rows of strips */
  fastio__field *fields; /* of strips: each column */
} writing;

void fastio_array_options_init(fastio_array_options *options) {
  *options = (fastio_array_options)FASTIO_ARRAY_OPTIONS_INIT;
}

/* ---- checks ---- */

static const char *wrong_array(const fastio_array *array) {
  const fastio_type type = array->type;
  const bool is_time = type == FASTIO_DATE || type == FASTIO_TIME || type == FASTIO_TIMESTAMP ||
                       type == FASTIO_TIMESTAMP_UTC;
  if (!fastio__is_number(type) && type != FASTIO_BOOL && !is_time)
    return "an array is of numbers, bools, dates or times";
  if (array->columns && array->rows > INT64_MAX / array->columns) return "the array has too many values";
  if (array->rows && array->columns && !array->data) return "the array's data must not be NULL";
  return NULL;
}

static const char *wrong_options(const fastio_array_options *o, const fastio_array *array) {
  if ((!o->separator.data && o->separator.size) || (!o->end.data && o->end.size) ||
      (!o->null_text.data && o->null_text.size))
    return "a text must not be NULL";
  if (o->format_count > 1 && o->format_count != array->columns)
    return "formats must be none, one, or one of each column";
  if (o->format_count && !o->formats) return "formats must not be NULL";
  return NULL;
}

static fastio_status check(writing *self, const fastio_array_options *given, fastio_error *err) {
  fastio_array_options *o = &self->options;
  const char *wrong = wrong_array(&self->array);
  fastio_status status = FASTIO_OK;
  fastio_array_options_init(o);
  if (given && given->size < offsetof(fastio_array_options, block_size)) wrong = "the options were not initialised";
  else if (given) memcpy(o, given, given->size < sizeof *o ? given->size : sizeof *o);
  if (!wrong) wrong = wrong_options(o, &self->array);
  if (wrong) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, wrong);
  for (size_t i = 0; status == FASTIO_OK && i < o->format_count; i++) status = fastio_format_check(&o->formats[i], err);
  self->words.null_text = o->null_text;
  self->separator = o->separator;
  return status;
}

static const fastio_format *format_of(const writing *self, uint64_t column) {
  if (self->options.format_count == 0) return NULL;
  return &self->options.formats[self->options.format_count == 1 ? 0 : column];
}

static void locate(const writing *self, uint64_t row, uint64_t column, fastio_error *err) {
  if (!err) return;
  err->record = (self->is_column ? column : row) + 1;
  err->field = (self->is_column ? 0 : column) + 1;
}

/* ---- along the rows ---- */

static bool is_there(const writing *self, uint64_t index) {
  const uint8_t *validity = self->array.validity;
  return !validity || (validity[index / 8] >> (index % 8) & 1);
}

/* Whether it has a text. */
static bool is_writable(fastio_type type, const char *value) {
  char text[FASTIO_FORMAT_MAX];
  int32_t days;
  int64_t time;
  if (type == FASTIO_DATE) {
    memcpy(&days, value, sizeof days);
    return fastio_format_date(days, text) > 0;
  }
  if (type != FASTIO_TIME) return true;
  memcpy(&time, value, sizeof time);
  return fastio_format_time(time, text) > 0;
}

typedef struct place {
  uint64_t row, column, index;
} place;

static const char *value_at(const writing *self, const place *at) {
  return (const char *)self->array.data + (int64_t)at->row * self->array.row_stride +
         (int64_t)at->column * self->array.column_stride;
}

/* Bytes that a value takes at most, with what stands behind it. */
static size_t bytes_of(const writing *self, const place *at) {
  const size_t bound = fastio__format_bound(self->array.type, format_of(self, at->column));
  return bound + self->separator.size + 1;
}

/* How many values from there on, of one row and one format, can be written in one go: at most `left`. */
static size_t length_of_run(const writing *self, const place *at, uint64_t left) {
  const fastio_array *array = &self->array;
  const bool may_fail = array->type == FASTIO_DATE || array->type == FASTIO_TIME;
  const size_t fitting = RUN_BYTES / bytes_of(self, at);
  const char *value = value_at(self, at);
  size_t count = fitting == 0 || self->options.format_count > 1 ? 1 : fitting < RUN ? fitting : RUN, run = 0;
  if (count > left) count = (size_t)left;
  if (count > array->columns - at->column) count = (size_t)(array->columns - at->column);
  if (!array->validity && !may_fail) return count;
  for (; run < count && is_there(self, at->index + run); run++, value += array->column_stride)
    if (may_fail && !is_writable(array->type, value)) break;
  return run;
}

static char *put(char *out, fastio_bytes text) {
  if (text.size) memcpy(out, text.data, text.size);
  return out + text.size;
}

/* Past values that are written: at the end of a row its end takes the place of the separator. */
static char *pass(const writing *self, place *at, size_t count, char *out) {
  at->index += count;
  at->column += count;
  if (at->column < self->array.columns) return out;
  at->column = 0;
  at->row++;
  return put(out - self->separator.size, self->options.end);
}

/* Some values from there on, or a missing one. */
static fastio_status put_run(const writing *self, place *at, uint64_t left, fastio__piece *piece, fastio_error *err) {
  const fastio_type type = self->array.type;
  const fastio_bytes null_text = self->options.null_text;
  const size_t run = length_of_run(self, at, left), count = run ? run : 1;
  size_t room;
  char *out, *end;
  if (run == 0 && is_there(self, at->index)) {
    fastio__fail(err, FASTIO_OUT_OF_RANGE, fastio__wrong_time(type));
    locate(self, at->row, at->column, err);
    return FASTIO_OUT_OF_RANGE;
  }
  room = count * bytes_of(self, at) + null_text.size + self->options.end.size + FASTIO_FORMAT_MAX;
  if (!(out = fastio__piece_room(piece, room))) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  if (run == 0) end = put(put(out, null_text), self->separator);
  else
    end = fastio__format_many(type, value_at(self, at), self->array.column_stride, count, format_of(self, at->column),
                              self->separator, out);
  piece->size += (size_t)(pass(self, at, count, end) - out);
  piece->items += count;
  return FASTIO_OK;
}

static fastio_status make_run_piece(void *ctx, uint64_t number, void *scratch, fastio__piece *piece,
                                    fastio_error *err) {
  const writing *self = ctx;
  const fastio_array *array = &self->array;
  const uint64_t total = array->rows * array->columns, first = number * self->piece_items;
  const uint64_t end = total - first < self->piece_items ? total : first + self->piece_items;
  place at = {first / array->columns, first % array->columns, first};
  fastio_status status = FASTIO_OK;
  (void)scratch;
  piece->items = 0;
  while (status == FASTIO_OK && at.index < end) status = put_run(self, &at, end - at.index, piece, err);
  return status;
}

/* ---- in strips ---- */

static fastio_status put_strip(const writing *self, uint64_t first, size_t rows, fastio__strip *strip,
                               fastio__piece *piece, fastio_error *err) {
  const fastio__marks marks = {self->separator, self->options.end};
  size_t column = 0, good;
  fastio_status status;
  for (size_t i = 0; i < strip->columns; i++)
    fastio__field_render(&self->fields[i], first, rows, &self->words, &strip->arena, &strip->texts[i]);
  good = fastio__strip_good(strip, rows, &column);
  status = fastio__strip_merge(strip, good, &marks, piece, err);
  if (status == FASTIO_OK && good < rows) {
    const fastio__texts *texts = &strip->texts[column];
    status = fastio__fail(err, texts->status, texts->message);
    if (status != FASTIO_NO_MEMORY) locate(self, first + good, column, err);
  }
  fastio__arena_free(&strip->arena);
  return status;
}

static fastio_status make_strip_piece(void *ctx, uint64_t number, void *scratch, fastio__piece *piece,
                                      fastio_error *err) {
  const writing *self = ctx;
  uint64_t at = number * self->piece_items;
  const uint64_t left = self->array.rows - at, end = at + (left < self->piece_items ? left : self->piece_items);
  fastio_status status = FASTIO_OK;
  fastio__strip strip;
  fastio__strip_init(&strip, scratch, (size_t)self->array.columns, self->piece_items, self->env);
  piece->items = 0;
  while (status == FASTIO_OK && at < end) {
    const size_t rows = end - at < strip.rows ? (size_t)(end - at) : strip.rows;
    status = put_strip(self, at, rows, &strip, piece, err);
    at += rows;
  }
  piece->items *= self->array.columns; /* they were rows */
  return status;
}

static void fill_fields(const writing *self, fastio__field *fields) {
  const fastio_array *array = &self->array;
  memset(fields, 0, (size_t)array->columns * sizeof *fields);
  for (size_t i = 0; i < array->columns; i++) {
    fields[i].kind = FASTIO__FIELD_VALUES;
    fields[i].type = array->type;
    fields[i].data = (const uint8_t *)array->data + (int64_t)i * array->column_stride;
    fields[i].stride = array->row_stride;
    fields[i].length = array->rows;
    fields[i].format = format_of(self, i);
  }
}

/* ---- either ---- */

static uint64_t pieces_of(uint64_t items, uint64_t piece_items) {
  return items / piece_items + (items % piece_items != 0);
}

/* About how many bytes a value takes. */
static uint64_t value_bytes(const writing *self) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < self->options.format_count; i++)
    bytes += fastio__value_estimate(self->array.type, &self->options.formats[i]);
  bytes = self->options.format_count ? bytes / self->options.format_count
                                     : fastio__value_estimate(self->array.type, NULL);
  return bytes + self->separator.size;
}

static fastio_status write_values(writing *self, fastio_writer *writer, fastio_error *err) {
  const fastio_array *array = &self->array;
  const fastio_array_options *o = &self->options;
  const bool in_strips = array->rows > 1 && array->columns <= SHORT_ROW && !array->validity;
  const uint64_t values = array->rows * array->columns, each = value_bytes(self);
  const uint64_t block = (o->block_size ? o->block_size : FASTIO__PIECE) / each;
  fastio__field fields[SHORT_ROW];
  fastio__job job;
  memset(&job, 0, sizeof job);
  job.ctx = self;
  job.bytes = values > UINT64_MAX / 2 / each ? UINT64_MAX / 2 : values * each;
  job.threads = o->threads;
  job.poll = o->poll;
  job.poll_ctx = o->poll_ctx;
  job.total = values;
  if (in_strips) {
    fill_fields(self, fields);
    self->fields = fields;
    self->piece_items = block / array->columns ? block / array->columns : 1;
    job.make = make_strip_piece;
    job.count = pieces_of(array->rows, self->piece_items);
    if (self->piece_items > array->rows) self->piece_items = array->rows;
    job.scratch_size = fastio__strip_size((size_t)array->columns, self->piece_items);
  } else {
    self->piece_items = block ? block : 1;
    job.make = make_run_piece;
    job.count = pieces_of(values, self->piece_items);
  }
  return fastio__write_ordered(writer, &job, err);
}

/* Rows without values are their ends. */
static fastio_status write_ends(const writing *self, fastio_writer *writer, fastio_error *err) {
  const fastio_bytes end = self->options.end;
  fastio_status status = FASTIO_OK;
  for (uint64_t i = 0; status == FASTIO_OK && i < self->array.rows; i++)
    status = fastio_write(writer, end.data, end.size, err);
  return status;
}

static fastio_status write_locked(fastio_writer *writer, const fastio_array *given, const fastio_array_options *options,
                                  fastio_error *err) {
  writing self;
  fastio_array *array = &self.array;
  fastio_status status;
  memset(&self, 0, sizeof self);
  *array = *given;
  status = check(&self, options, err);
  if (status != FASTIO_OK || array->rows == 0) return status;
  if (array->columns == 0) return write_ends(&self, writer, err);
  if (array->row_stride == 0 && array->column_stride == 0) {
    array->column_stride = array->type == FASTIO_BOOL ? 1 : (int64_t)fastio_type_size(array->type);
    array->row_stride = array->column_stride * (int64_t)array->columns;
  }
  if (array->columns == 1) {
    self.is_column = true;
    self.separator = self.options.end;
    array->column_stride = array->row_stride;
    array->columns = array->rows;
    array->rows = 1;
  }
  self.env = fastio__writer_env(writer);
  return write_values(&self, writer, err);
}

fastio_status fastio_write_array(fastio_writer *writer, const fastio_array *array, const fastio_array_options *options,
                                 fastio_error *err) {
  fastio_status status, unlocked;
  if (!writer || !array) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "writer and array must not be NULL");
  status = write_locked(fastio_writer_lock(writer), array, options, err);
  unlocked = fastio_writer_unlock(writer, status == FASTIO_OK ? err : NULL);
  return status == FASTIO_OK ? unlocked : status;
}
