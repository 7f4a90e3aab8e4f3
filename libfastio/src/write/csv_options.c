/* Options of fastio_write_csv: defaults and checks. */
#include "csv.h"
#include "writer.h"

void fastio_csv_write_options_init(fastio_csv_write_options *options) {
  *options = (fastio_csv_write_options)FASTIO_CSV_WRITE_OPTIONS_INIT;
}

static bool has_byte(fastio_bytes text, int byte) {
  return byte >= 0 && text.size && memchr(text.data, byte, text.size) != NULL;
}

static bool have_common_byte(fastio_bytes a, fastio_bytes b) {
  for (size_t i = 0; i < a.size; i++)
    if (has_byte(b, ((const uint8_t *)a.data)[i])) return true;
  return false;
}

static bool is_newline(int byte) { return byte == '\n' || byte == '\r'; }
static bool is_text(fastio_bytes text) { return text.data || !text.size; }

static const char *wrong_bytes(const fastio_csv_write_options *o) {
  const bool never = o->quoting == FASTIO_QUOTING_NEVER;
  if (o->quoting < FASTIO_QUOTING_MINIMAL || o->quoting > FASTIO_QUOTING_NEVER) return "unknown quoting";
  if (o->quote < (never ? FASTIO_NONE : 0) || o->quote > 255)
    return "quote must be a byte (or, if nothing is to be quoted, FASTIO_NONE)";
  if (o->escape < FASTIO_NONE || o->escape > 255) return "escape must be FASTIO_NONE or a byte";
  if (o->escape >= 0 && o->escape == o->quote) return "escape must not be the quote";
  if (is_newline(o->quote) || is_newline(o->escape)) return "quote and escape must not be newlines";
  return NULL;
}

static const char *wrong_marks(const fastio_csv_write_options *o) {
  if (!is_text(o->separator) || !is_text(o->end) || !is_text(o->null_text) || !is_text(o->nan_text) ||
      !is_text(o->true_text) || !is_text(o->false_text))
    return "a text must not be NULL";
  if (!o->separator.size) return "separator must not be empty";
  if (!o->end.size) return "the end of records must not be empty";
  if (has_byte(o->separator, '\n') || has_byte(o->separator, '\r')) return "separator must not have a newline in it";
  if (have_common_byte(o->separator, o->end)) return "separator and end must not have bytes in common";
  if (has_byte(o->separator, o->quote) || has_byte(o->end, o->quote))
    return "quote must not be a byte of separator or end";
  if (has_byte(o->separator, o->escape) || has_byte(o->end, o->escape))
    return "escape must not be a byte of separator or end";
  return NULL;
}

/* Missing values are never quoted. */
static const char *wrong_words(const fastio__csv_output *output) {
  const fastio_bytes words[2] = {output->options.null_text, output->options.nan_text};
  for (size_t i = 0; i < 2; i++)
    if (fastio__has_special(&output->quoting, words[i]))
      return i == 0 ? "null_text must not have separators, quotes or newlines in it"
                    : "nan_text must not have separators, quotes or newlines in it";
  return NULL;
}

fastio_status fastio__csv_output_init(fastio__csv_output *output, fastio_writer *writer,
                                      const fastio_csv_write_options *given, fastio_error *err) {
  fastio_csv_write_options *o = &output->options;
  const char *wrong = NULL;
  memset(output, 0, sizeof *output);
  output->writer = writer;
  fastio_csv_write_options_init(o);
  if (given && given->size < offsetof(fastio_csv_write_options, block_size)) wrong = "the options were not initialised";
  else if (given) memcpy(o, given, given->size < sizeof *o ? given->size : sizeof *o);
  if (!wrong) wrong = wrong_bytes(o);
  if (!wrong) wrong = wrong_marks(o);
  if (wrong) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, wrong);
  fastio__quoting_init(&output->quoting, o);
  output->words = (fastio__wording){o->null_text, o->nan_text, o->true_text, o->false_text};
  wrong = wrong_words(output);
  return wrong ? fastio__fail(err, FASTIO_INVALID_ARGUMENT, wrong) : FASTIO_OK;
}

static fastio_status check_formats(const fastio_csv_write_options *o, size_t columns, fastio_error *err) {
  if (o->format_count > 1 && o->format_count != columns)
    return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "formats must be none, one, or one of each column");
  if (o->format_count && !o->formats) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "formats must not be NULL");
  for (size_t i = 0; i < o->format_count; i++) {
    fastio_status status = fastio_format_check(&o->formats[i], err);
    if (status == FASTIO_OK) continue;
    if (err && o->format_count > 1) err->field = i + 1;
    return status;
  }
  return FASTIO_OK;
}

fastio_status fastio__csv_output_columns(fastio__csv_output *output, const fastio_bytes *names, fastio__field *fields,
                                         size_t columns, fastio_error *err) {
  const fastio_csv_write_options *o = &output->options;
  fastio_status status = check_formats(o, columns, err);
  size_t size;
  if (status != FASTIO_OK) return status;
  if (fastio__multiply(columns, sizeof *output->cares, &size))
    output->cares = fastio__allocate(fastio__writer_env(output->writer), size);
  if (!output->cares) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  output->columns = columns;
  output->names = names;
  for (size_t i = 0; i < columns; i++) {
    if (o->format_count) fields[i].format = &o->formats[o->format_count == 1 ? 0 : i];
    output->cares[i] = fastio__care_of(&output->quoting, &fields[i], &output->words);
  }
  return FASTIO_OK;
}

void fastio__csv_output_free(fastio__csv_output *output) {
  fastio__release(fastio__writer_env(output->writer), output->cares, output->columns * sizeof *output->cares);
}
