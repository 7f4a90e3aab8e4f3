/* What the first bytes of a source look like: a proposal of a dialect, which the caller sees before anything is read.
 *
 * In the manner of Gerrit J.J. van den Burg, Alfredo Nazabal and Charles Sutton, "Wrangling messy CSV files by detecting
 * row and type patterns", Data Mining and Knowledge Discovery 33, 2019: each dialect is tried on the same bytes, and the
 * one wins under which the records have one number of fields, more than one of them, and the fields are things that one
 * knows: numbers, dates, quoted texts, words. Unlike there, a dialect under which the records differ in their number of
 * fields is not a proposal at all: text with a few commas in it is a column of text. Equal ones: the first. */
#include "../number/number.h"
#include "csv.h"

enum { HEAD = 256 << 10, HEAD_MAX = 1 << 26, TYPED_RECORDS = 1000, NUMBER_MAX = 60, COUNTS_MAX = 64 };

/* The first bytes: whole records unless `last`. */
typedef struct head {
  const uint8_t *data;
  size_t size, start; /* behind a byte order mark */
  bool last;          /* nothing follows */
  const fastio_env *env;
} head;

/* Where a record starts and how many fields it has, in turns. */
typedef fastio__bounds counts;

typedef struct survey {
  counts records, comments;
  fastio__bounds cells; /* of the record at hand */
  size_t end;           /* behind the last record */
  bool is_quoted;       /* there are quoted cells */
  bool is_faulty;       /* quotes do not stand where they should, */
  bool is_refuted;      /* and that is the dialect's fault */
} survey;

/* What is known of a column from its cells below the first. */
typedef struct column {
  uint32_t typed, texts;
  uint32_t commas;          /* numbers that must have a decimal comma */
  uint32_t points;          /* numbers with a decimal point */
  size_t shortest, longest; /* of the texts */
  bool repeats;             /* the first cell's text comes again */
} column;

/* A dialect and what speaks for it. */
typedef struct guess {
  fastio_csv_options options;
  double score;   /* 0: refuted */
  size_t fields;  /* of nearly each record */
  size_t first;   /* record that has them, behind a preamble */
  size_t records; /* from the first one on */
  size_t end;     /* of the records that fit */
  bool quoted;    /* quotes stand where they should, and there are some */
  bool ragged;    /* some records have other numbers of fields */
  bool padded;    /* fields have blanks around them */
  bool trailing;  /* each record ends with a separator */
} guess;

static uint32_t record_start(const counts *counts, size_t i) { return counts->at[2 * i]; }
static uint32_t record_fields(const counts *counts, size_t i) { return counts->at[2 * i + 1]; }
static size_t record_count(const counts *counts) { return counts->count / 2; }

static bool push(counts *counts, size_t start, size_t fields) {
  if (!fastio__bounds_reserve(counts, 2)) return false;
  counts->at[counts->count++] = (uint32_t)start;
  counts->at[counts->count++] = (uint32_t)fields;
  return true;
}

/* ---- the records under a dialect ---- */

static bool has_quoted_cell(const fastio__dialect *d, const uint8_t *data, const fastio__bounds *cells) {
  for (size_t i = 0; d->quote != FASTIO_NONE && i < cells->count; i += 2)
    if (cells->at[i] < cells->at[i + 1] && data[cells->at[i]] == d->quote) return true;
  return false;
}

/* How many fields a comment would have if it were a record: none, if its mark would be one of several words. */
static bool survey_comment(const fastio__dialect *d, const head *head, size_t at, size_t next, survey *out) {
  fastio__dialect plain = *d;
  fastio__fault fault;
  size_t behind;
  plain.comment = FASTIO_NONE;
  out->cells.count = 0;
  fastio__record_kind kind = fastio__record_next(&plain, head->data, at, next, true, &out->cells, &behind, &fault);
  if (kind == FASTIO__RECORD_NO_MEMORY) return false;
  const bool is_word = d->separator_size == 0 && at + 1 < next && fastio__is_blank(head->data[at + 1]);
  return push(&out->comments, at, kind == FASTIO__RECORD && !is_word ? out->cells.count / 2 : 0);
}

/* A wrong quote refutes the dialect, unless it is an unclosed one of the usual kind, or one among right ones: then the
 * file is at fault, and reading it will tell. */
static bool is_fault_of_file(const fastio__dialect *d, const survey *out, bool is_unclosed) {
  return d->quote == '"' && (is_unclosed || out->is_quoted);
}

static fastio_status survey_records(const fastio__dialect *d, const head *head, survey *out, fastio_error *err) {
  fastio__fault fault;
  size_t next;
  for (size_t at = head->start; at < head->size; at = next) {
    out->cells.count = 0;
    fastio__record_kind kind = fastio__record_next(d, head->data, at, head->size, head->last, &out->cells, &next,
                                                   &fault);
    bool fits = true;
    if (kind == FASTIO__RECORD_PARTIAL) break;
    if (kind == FASTIO__RECORD_FAULTY) {
      out->is_faulty = true;
      out->is_refuted = !is_fault_of_file(d, out, next == head->size);
      break;
    }
    if (kind == FASTIO__RECORD) {
      fits = push(&out->records, at, out->cells.count / 2);
      out->is_quoted = out->is_quoted || has_quoted_cell(d, head->data, &out->cells);
      out->end = next;
    } else if (kind == FASTIO__RECORD_COMMENT) {
      fits = survey_comment(d, head, at, next, out);
    }
    if (kind == FASTIO__RECORD_NO_MEMORY || !fits) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  }
  return FASTIO_OK;
}

/* ---- the shape of the records ---- */

/* What n records with that many fields weigh: one field is next to nothing. */
static double weight(double n, size_t fields) {
  return n * (fields > 1 ? (double)(fields - 1) / (double)fields : 1e-3);
}

/* The number of fields that weighs most. */
static size_t usual_fields(const counts *records) {
  struct {
    uint32_t fields, count;
  } seen[COUNTS_MAX];
  size_t distinct = 0, best = 0;
  for (size_t i = 0; i < record_count(records); i++) {
    size_t k = 0;
    while (k < distinct && seen[k].fields != record_fields(records, i)) k++;
    if (k == COUNTS_MAX) continue;
    if (k == distinct) {
      seen[k].fields = record_fields(records, i);
      seen[distinct++].count = 0;
    }
    seen[k].count++;
  }
  for (size_t k = 1; k < distinct; k++)
    if (weight(seen[k].count, seen[k].fields) > weight(seen[best].count, seen[best].fields)) best = k;
  return distinct ? seen[best].fields : 0;
}

/* The first record of that many fields that some more of them follow. */
static size_t first_of(const counts *records, size_t fields) {
  const size_t count = record_count(records);
  for (size_t i = 0; i < count; i++) {
    size_t same = 0;
    while (same < 5 && i + same < count && record_fields(records, i + same) == fields) same++;
    if (same == 5 || (same > 0 && i + same == count)) return i;
  }
  return 0;
}

/* Lines above the table are left out only if they are of quite another shape and few beside it, or marked. */
static bool is_preamble(const head *head, const counts *records, size_t fields, size_t first) {
  const size_t below = record_count(records) - first;
  bool is_marked = true;
  if (below < 2 || fields < 2 || head->data[record_start(records, first) - 1] != '\n') return false;
  for (size_t i = 0; i < first; i++) {
    const uint8_t mark = head->data[record_start(records, i)];
    if (record_fields(records, i) > (fields + 1) / 2 || record_fields(records, i) == fields) return false;
    is_marked = is_marked && (mark == '#' || mark == '%');
  }
  return is_marked || (below >= 3 && below >= 2 * first);
}

static size_t count_fitting(const counts *records, size_t first, size_t fields) {
  size_t fitting = 0;
  for (size_t i = first; i < record_count(records); i++) fitting += record_fields(records, i) == fields;
  return fitting;
}

/* All, or (of a faulty file) nearly all of many, or all but a header that lacks one. */
static bool is_consistent(const counts *records, size_t first, size_t fields, size_t fitting) {
  const size_t count = record_count(records) - first;
  if (fitting == count || (count >= 10 && fitting * 10 >= count * 9)) return true;
  return count >= 3 && fitting == count - 1 && record_fields(records, first) + 1 == fields;
}

/* Each record is separated somewhere, or most of them are in one way: a ragged table, which its reader will complain
 * about, but a table. */
static bool is_ragged_table(const counts *records, size_t first, size_t fitting) {
  const size_t count = record_count(records) - first;
  size_t separated = 0;
  for (size_t i = first; i < record_count(records); i++) separated += record_fields(records, i) > 1;
  return count >= 3 && (separated == count || fitting * 3 >= count * 2);
}

/* Whether the comments are none: most of them are like records; or the last one above the records is like a header,
 * and stands alone or below ones with two marks. */
static bool are_records(const survey *survey, const head *head, size_t fields) {
  const counts *comments = &survey->comments;
  const size_t count = record_count(comments), body = record_start(&survey->records, 0);
  size_t above = 0, like = 0, bare = 0, twice = 0;
  for (size_t i = 0; i < count; i++) {
    const uint8_t *text = head->data + record_start(comments, i);
    const uint8_t second = text + 1 < head->data + head->size ? text[1] : ' ';
    above += record_start(comments, i) < body;
    like += record_fields(comments, i) == fields;
    bare += second > ' ' && second != text[0];
    twice += second == text[0];
  }
  if (fields < 2) return above < count && bare > 0;
  return like * 2 > count ||
         (above == count && record_fields(comments, count - 1) == fields && bare == 1 && twice == count - 1);
}

/* ---- the types of the fields ---- */

typedef enum kind { TEXT, TYPED, COMMA, EITHER, POINT } kind; /* EITHER: the comma may be one of thousands */

static void strip(const uint8_t **start, const uint8_t **end) {
  while (*start < *end && fastio__is_blank(**start)) ++*start;
  while (*start < *end && fastio__is_blank((*end)[-1])) --*end;
}

static unsigned classify_spelled(uint8_t point, int thousands, const uint8_t *data, size_t size) {
  const fastio__spelling spelling = {point, thousands, false, false};
  uint8_t text[NUMBER_MAX + 4];
  size_t written = size <= NUMBER_MAX ? fastio__respell(&spelling, data, size, true, text) : SIZE_MAX;
  return written == SIZE_MAX ? FASTIO__IS_TEXT : fastio__classify(text, written);
}

static kind kind_of(const uint8_t *data, size_t size) {
  const unsigned class = fastio__classify(data, size), integer = FASTIO__IS_NATURAL | FASTIO__IS_NEGATIVE;
  if (class == FASTIO__IS_FLOAT) return memchr(data, '.', size) ? POINT : TYPED;
  if (class != FASTIO__IS_TEXT && class != FASTIO__IS_WORD) return TYPED;
  if (size == 0 || !memchr(data, ',', size)) return TEXT;
  if (classify_spelled(',', FASTIO_NONE, data, size) != FASTIO__IS_FLOAT) return TEXT;
  return classify_spelled('.', ',', data, size) & integer ? EITHER : COMMA;
}

/* "2 3": more than one typed thing. */
static bool is_row_of_typed(const uint8_t *p, const uint8_t *end) {
  size_t pieces = 0;
  while (p < end) {
    const uint8_t *blank = memchr(p, ' ', (size_t)(end - p)), *stop = blank ? blank : end;
    if (stop > p && kind_of(p, (size_t)(stop - p)) == TEXT) return false;
    pieces += stop > p;
    p = blank ? blank + 1 : end;
  }
  return pieces > 1;
}

/* How much a text looks like a whole one, and not like a piece or several. */
static double text_weight(const uint8_t *p, const uint8_t *end) {
  const uint8_t first = *p, letter = first | 0x20;
  double result = (letter >= 'a' && letter <= 'z') || first == '_' || first >= 0x80 ? 1 : 0.5;
  if (first == '"' || first == '\'' || is_row_of_typed(p, end)) return 0.01;
  if (first == '#' || first == '%') result = 0.1;
  for (; p < end; p++) {
    if (*p == ',' || *p == ';' || *p == '\t' || *p == '|') return result * 0.25;
    if (*p == ':') result = 0.5;
  }
  return result;
}

/* One cell's weight, and its column told of it (`column` NULL: it is in the first record). */
static double weigh_cell(const fastio__dialect *d, const uint8_t *start, const uint8_t *end, column *column) {
  bool quoted;
  kind kind;
  (void)fastio__cell_is_plain(d, &start, &end, &quoted);
  strip(&start, &end);
  kind = start < end ? kind_of(start, (size_t)(end - start)) : TEXT;
  if ((kind == COMMA || kind == EITHER) && d->separator_size == 1 && *d->separator == ',') kind = TEXT;
  if (column) {
    const size_t size = (size_t)(end - start);
    if (column->texts == 0) column->shortest = column->longest = size;
    if (size < column->shortest) column->shortest = size;
    if (size > column->longest) column->longest = size;
    column->texts += size && kind == TEXT;
    column->typed += kind != TEXT;
    column->commas += kind == COMMA;
    column->points += kind == POINT;
  }
  if (quoted || kind != TEXT) return 1;
  return start == end ? 0.5 : text_weight(start, end);
}

/* Blanks that have to be trimmed for a cell to be what it is: around numbers, dates and quotes. `at` is where the record
 * starts. */
static bool is_padded(const fastio__dialect *d, const uint8_t *data, size_t at, const fastio__bounds *cells, size_t i) {
  const uint8_t *start = data + cells->at[2 * i], *end = data + cells->at[2 * i + 1], *from = start, *to = end;
  if (d->separator_size == 0 || start == end) return false;
  if (d->quote != FASTIO_NONE && *start == d->quote)
    return end[-1] != d->quote || cells->at[2 * i] != (i ? cells->at[2 * i - 1] + d->separator_size : at);
  strip(&from, &to);
  return (from != start || to != end) && from < to && kind_of(from, (size_t)(to - from)) != TEXT;
}

static bool same_text(const uint8_t *data, const uint32_t *a, const uint32_t *b) {
  const size_t size = a[1] - a[0];
  return size == b[1] - b[0] && memcmp(data + a[0], data + b[0], size) == 0;
}

typedef struct weights {
  double sum;
  size_t cells;
  bool whole_lines; /* each is one date or number, before it is separated */
} weights;

/* The cells of the record at `at`. `below`: they tell something of their columns, whose first cells are `names`. */
static void weigh_row(const fastio__dialect *d, const uint8_t *data, size_t at, const fastio__bounds *row, bool below,
                      const fastio__bounds *names, guess *guess, column *columns, weights *out) {
  const size_t count = row->count / 2 < guess->fields ? row->count / 2 : guess->fields;
  for (size_t i = 0; i < count; i++) {
    const uint32_t *cell = row->at + 2 * i;
    out->sum += weigh_cell(d, data + cell[0], data + cell[1], below ? &columns[i] : NULL);
    guess->padded = guess->padded || is_padded(d, data, at, row, i);
    if (row != names && 2 * i < names->count && cell[0] < cell[1])
      columns[i].repeats = columns[i].repeats || same_text(data, cell, names->at + 2 * i);
  }
  out->cells += count;
  if (below && count) {
    const uint8_t *start = data + row->at[0], *end = data + row->at[row->count - 1];
    out->whole_lines = out->whole_lines && kind_of(start, (size_t)(end - start)) == TYPED;
  }
}

/* The records from the first one on, whose cells *names keeps. A lone one stands for those below, too. */
static fastio_status weigh_cells(const fastio__dialect *d, const head *head, const survey *survey, guess *guess,
                                 fastio__bounds *names, column *columns, double *result, fastio_error *err) {
  fastio__bounds cells = {head->env, NULL, 0, 0};
  fastio__fault fault;
  fastio__record_kind kind = FASTIO__RECORD;
  weights weights = {0, 0, true};
  size_t next;
  for (size_t r = 0; r < guess->records && r < TYPED_RECORDS && kind == FASTIO__RECORD; r++) {
    fastio__bounds *row = r == 0 ? names : &cells;
    row->count = 0;
    const size_t at = record_start(&survey->records, guess->first + r);
    kind = fastio__record_next(d, head->data, at, head->size, head->last, row, &next, &fault);
    if (kind == FASTIO__RECORD)
      weigh_row(d, head->data, at, row, r > 0 || guess->records == 1, names, guess, columns, &weights);
  }
  fastio__bounds_free(&cells);
  if (kind != FASTIO__RECORD) return fastio__fail(err, FASTIO_NO_MEMORY, NULL); /* what else: it was one before */
  const bool is_torn = weights.whole_lines && guess->fields > 1;
  *result = weights.cells && !is_torn ? weights.sum / (double)weights.cells : 0;
  return FASTIO_OK;
}

/* ---- header, decimal comma ---- */

static bool is_typed(const column *column) { return column->typed > 0 && column->typed >= 4 * column->texts; }

static bool any_typed(const column *columns, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (is_typed(&columns[i])) return true;
  return false;
}

static bool is_missing_word(const uint8_t *data, size_t size) {
  static const char *const words[] = {"NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "-", "?"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i]) == size && memcmp(words[i], data, size) == 0) return true;
  return false;
}

/* 1990, 1991, ... above columns of numbers. */
static bool is_later_year(const uint8_t *data, size_t size, int64_t *year) {
  int64_t value;
  if (size != 4 || fastio__parse_i64(data, size, 10, &value, NULL) != FASTIO_OK || value < 1500 || value > 2200 ||
      value <= *year)
    return false;
  *year = value;
  return true;
}

static bool is_like_name(const uint8_t *p, const uint8_t *end) {
  const uint8_t letter = *p | 0x20;
  if (end - p > 100 || !((letter >= 'a' && letter <= 'z') || *p == '_' || *p >= 0x80 || *p == '#')) return false;
  for (; p < end; p++)
    if (*p < ' ' || *p == '@' || *p == '=') return false;
  return true;
}

typedef struct names {
  size_t count, empty, texts, years;
  size_t missing;  /* words for missing values */
  size_t odd;      /* not like names */
  size_t repeated; /* come again, as another name or a value */
  size_t alike;    /* as long as each text below */
} names;

static bool is_as_long(const column *column, size_t size) {
  return column->texts >= 5 && column->shortest == size && column->longest == size;
}

static names look_at_names(const fastio__dialect *d, const uint8_t *data, const fastio__bounds *cells,
                           const column *columns, size_t fields) {
  names result = {.count = cells->count / 2 < fields ? cells->count / 2 : fields};
  int64_t year = 0;
  bool quoted;
  for (size_t i = 0; i < result.count; i++) {
    const uint8_t *start = data + cells->at[2 * i], *end = data + cells->at[2 * i + 1];
    (void)fastio__cell_is_plain(d, &start, &end, &quoted);
    strip(&start, &end);
    const size_t size = (size_t)(end - start);
    result.empty += size == 0;
    if (size == 0) continue;
    if (is_later_year(start, size, &year)) result.years++;
    else if (kind_of(start, size) == TEXT) result.texts++;
    result.missing += is_missing_word(start, size);
    result.odd += !is_like_name(start, end);
    result.alike += is_as_long(&columns[i], size);
    bool again = columns[i].repeats;
    for (size_t j = 0; j < i && j < 1000; j++) again = again || same_text(data, &cells->at[2 * i], &cells->at[2 * j]);
    result.repeated += again;
  }
  return result;
}

/* The first record holds names if it is all text above something that is not; or, where all is text, if these are
 * like names, differ, do not come again as values, and are not as long as all values. */
static int has_header(const fastio__dialect *d, const uint8_t *data, const fastio__bounds *cells, const column *columns,
                      const guess *guess) {
  const names names = look_at_names(d, data, cells, columns, guess->fields);
  if (names.texts == 0 || names.missing > 0 || names.years == 1) return 0;
  if (names.texts + names.years + names.empty < names.count) return 0;
  if (guess->records > 1 && any_typed(columns, guess->fields)) return 1;
  return names.odd + names.repeated + names.empty + names.alike == 0;
}

/* A column of numbers of which some have a decimal comma, and no number anywhere with a point. */
static int decimal_of(const column *columns, size_t count, int thousands) {
  bool commas = false;
  if (thousands == ',' || thousands == '.') return thousands == ',' ? '.' : ',';
  for (size_t i = 0; i < count; i++) {
    if (columns[i].points) return '.';
    commas = commas || (columns[i].commas && is_typed(&columns[i]));
  }
  return commas ? ',' : '.';
}

/* ---- one dialect ---- */

/* White space and ':' stand in texts and times too. */
static bool is_weak(const fastio_csv_options *o) {
  return !o->widths && (o->separator.size == 0 || (o->separator.size == 1 && *(const char *)o->separator.data == ':'));
}

static bool ends_with_separator(const fastio__bounds *names, const column *columns, const guess *guess) {
  const size_t count = names->count / 2;
  const column *last = &columns[guess->fields - 1];
  if (guess->fields < 2 || guess->options.separator.size == 0 || last->typed || last->texts) return false;
  if (count + 1 == guess->fields) return true;
  return count == guess->fields && names->at[2 * count - 2] == names->at[2 * count - 1];
}

static void settle_shape(const head *head, const survey *survey, guess *guess) {
  const counts *records = &survey->records;
  guess->fields = usual_fields(records);
  guess->first = first_of(records, guess->fields);
  if (guess->first > 0 && !is_preamble(head, records, guess->fields, guess->first)) guess->first = 0;
  guess->records = record_count(records) - guess->first;
}

static uint64_t count_lines(const uint8_t *data, size_t size) {
  uint64_t lines = 0;
  for (size_t i = 0; i < size; i++) lines += data[i] == '\n';
  return lines;
}

/* In an unquoted name it would be the end of the line. */
static bool has_return(const fastio__dialect *d, const uint8_t *data, const fastio__bounds *names) {
  for (size_t i = 0; d->newline == FASTIO_NEWLINE_LF && i < names->count; i += 2) {
    const uint8_t *start = data + names->at[i], *end = data + names->at[i + 1];
    if (start < end && *start != d->quote && memchr(start, '\r', (size_t)(end - start))) return true;
  }
  return false;
}

/* What a dialect that fits makes of the rest. */
static void describe(const fastio__dialect *d, const head *head, const survey *survey, const fastio__bounds *names,
                     const column *columns, guess *guess) {
  fastio_csv_options *o = &guess->options;
  guess->trailing = ends_with_separator(names, columns, guess);
  guess->end = survey->end;
  o->skip_lines = guess->first ? count_lines(head->data, record_start(&survey->records, guess->first)) : 0;
  o->header = has_header(d, head->data, names, columns, guess);
  if (o->header && has_return(d, head->data, names)) guess->score = 0;
  o->decimal = decimal_of(columns, guess->fields, o->thousands);
  if (guess->padded) o->flags |= FASTIO_CSV_TRIM;
  if (guess->trailing) o->flags |= FASTIO_CSV_TRAILING_SEPARATOR;
}

/* Of a dialect under which the cells are of those types. */
static double score_of(const survey *survey, const guess *guess, const column *columns, double types) {
  const counts *records = &survey->records;
  const size_t fitting = count_fitting(records, guess->first, guess->fields);
  const bool weak = is_weak(&guess->options), typed = any_typed(columns, guess->fields);
  double score = weight((double)fitting / (double)record_count(records), guess->fields) * types * types;
  if (weak && !typed) return 0;
  if (is_consistent(records, guess->first, guess->fields, fitting)) return weak ? score * 0.7 : score;
  const bool tab = *(const char *)guess->options.separator.data == '\t';
  if (weak || guess->fields < 2 || !(typed || tab || guess->quoted)) return 0;
  return is_ragged_table(records, guess->first, fitting) ? score * 0.1 : 0;
}

static fastio_status weigh(const fastio__dialect *d, const head *head, const survey *survey, guess *guess,
                           fastio_error *err) {
  const size_t size = guess->fields * sizeof(column);
  fastio__bounds names = {head->env, NULL, 0, 0};
  double types = 0;
  column *columns = fastio__allocate(head->env, size);
  if (!columns) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  memset(columns, 0, size);
  fastio_status status = weigh_cells(d, head, survey, guess, &names, columns, &types, err);
  if (status == FASTIO_OK) {
    guess->score = score_of(survey, guess, columns, types);
    guess->ragged = count_fitting(&survey->records, guess->first, guess->fields) < guess->records;
    describe(d, head, survey, &names, columns, guess);
  }
  fastio__release(head->env, columns, size);
  fastio__bounds_free(&names);
  return status;
}

static fastio_status weigh_records(const fastio__dialect *d, const head *head, guess *guess, fastio_error *err) {
  survey survey = {.records.env = head->env, .comments.env = head->env, .cells.env = head->env, .end = head->start};
  fastio_status status = survey_records(d, head, &survey, err);
  if (status == FASTIO_OK && !survey.is_refuted && record_count(&survey.records) > 0) {
    settle_shape(head, &survey, guess);
    guess->quoted = survey.is_quoted && !survey.is_faulty;
    if (record_count(&survey.comments) == 0 || !are_records(&survey, head, guess->fields))
      status = weigh(d, head, &survey, guess, err);
  }
  fastio__bounds_free(&survey.records);
  fastio__bounds_free(&survey.comments);
  fastio__bounds_free(&survey.cells);
  return status;
}

/* The dialect of these options, if they go together with what is given: *best becomes it if it is better. */
static fastio_status try_dialect(const head *head, const fastio_csv_options *options, guess *best, fastio_error *err) {
  guess guess = {.options = *options};
  fastio_csv_options checked;
  fastio__dialect dialect;
  if (fastio__csv_options_get(options, &checked, NULL) != FASTIO_OK) return FASTIO_OK;
  fastio_status status = fastio__dialect_init(&dialect, options, err);
  if (status != FASTIO_OK) return status;
  dialect.trim = true; /* so that blanks refute nothing */
  dialect.trailing_separator = false;
  status = weigh_records(&dialect, head, &guess, err);
  fastio__dialect_free(&dialect);
  if (status == FASTIO_OK && guess.score > best->score + 1e-9) *best = guess;
  return status;
}

/* ---- all dialects ---- */

static bool has_byte(const head *head, int byte) { return memchr(head->data, byte, head->size) != NULL; }

static bool has_bytes(const head *head, const fastio_bytes *bytes) {
  const uint8_t *p = head->data, *end = head->data + head->size, first = *(const uint8_t *)bytes->data;
  while ((p = memchr(p, first, (size_t)(end - p))) != NULL) {
    if ((size_t)(end - p) >= bytes->size && memcmp(p, bytes->data, bytes->size) == 0) return true;
    p++;
  }
  return false;
}

static bool has_line_with(const head *head, int byte) {
  const uint8_t *p = head->data + head->start, *end = head->data + head->size;
  while (p < end) {
    if (*p == byte) return true;
    while (p < end && *p != '\n' && *p != '\r') p++;
    while (p < end && (*p == '\n' || *p == '\r')) p++;
  }
  return false;
}

static bool has_lone_return(const head *head) {
  const uint8_t *p = head->data, *end = head->data + head->size;
  while ((p = memchr(p, '\r', (size_t)(end - p))) != NULL) {
    if (++p == end || *p != '\n') return p < end || head->last;
  }
  return false;
}

/* The usual ones first. The last one stands for none, if all others occur. */
static const fastio_bytes separators[] = {{",", 1},  {"\t", 1}, {";", 1}, {"|", 1},
                                          {"::", 2}, {":", 1},  {"", 0},  {"\x1F", 1}};
enum { BY_COMMA = 0, BY_SEMICOLON = 2, SEPARATORS = sizeof separators / sizeof *separators };

/* Those that occur, white space, and one that does not: then each record is one field. */
static fastio_status try_separators(const head *head, const fastio_csv_options *options, guess *best,
                                    fastio_error *err) {
  fastio_csv_options o = *options;
  fastio_status status = FASTIO_OK;
  bool has_none = false;
  for (size_t i = 0; i < SEPARATORS && status == FASTIO_OK; i++) {
    const bool occurs = separators[i].size == 0 || has_bytes(head, &separators[i]);
    o.separator = separators[i];
    if (!occurs && (has_none || is_weak(&o))) continue;
    has_none = has_none || !occurs;
    status = try_dialect(head, &o, best, err);
  }
  return status;
}

static fastio_status try_quotes(const head *head, const fastio_csv_options *options, guess *best, fastio_error *err) {
  static const int quotes[] = {'"', '\'', FASTIO_NONE};
  if (options->widths) return try_dialect(head, options, best, err);
  for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++) {
    fastio_csv_options o = *options;
    if (quotes[i] == '\'' && !has_byte(head, '\'')) continue;
    /* Without them, none and '"' are the same; and what could be quotes are some. */
    if (quotes[i] == FASTIO_NONE && (!has_byte(head, '"') || (best->score > 0 && best->quoted))) continue;
    o.quote = quotes[i];
    fastio_status status = try_separators(head, &o, best, err);
    if (status != FASTIO_OK) return status;
  }
  return FASTIO_OK;
}

static fastio_status try_all(const head *head, const fastio_csv_options *options, guess *best, fastio_error *err) {
  static const int comments[] = {FASTIO_NONE, '#', '%'}, newlines[] = {FASTIO_NEWLINE_LF, FASTIO_NEWLINE_ANY};
  const bool returns = has_lone_return(head);
  fastio_status status = FASTIO_OK;
  for (size_t i = 0; i < 2 && status == FASTIO_OK; i++) {
    if (newlines[i] == FASTIO_NEWLINE_LF ? returns && !has_byte(head, '\n') : !returns) continue;
    for (size_t j = 0; j < 3 && status == FASTIO_OK; j++) {
      fastio_csv_options o = *options;
      if (comments[j] != FASTIO_NONE && !has_line_with(head, comments[j])) continue;
      o.newline = newlines[i];
      o.comment = comments[j];
      status = try_quotes(head, &o, best, err);
    }
  }
  return status;
}

/* ---- the source ---- */

/* Enough bytes for some whole records; FASTIO_END: there are none at all. */
static fastio_status look(fastio_source *source, head *out, size_t wanted, fastio_error *err) {
  const uint8_t *data;
  size_t got, skip;
  fastio_status status = fastio__source_peek(source, wanted + 1, &data, &got, err);
  if (status != FASTIO_OK) return status;
  if (got == 0) return fastio__fail(err, FASTIO_END, "the source is empty");
  status = fastio__check_bom(data, got < 4 ? got : 4, &skip, err);
  out->data = data;
  out->size = got > wanted ? wanted : got;
  out->last = got <= wanted;
  out->start = skip;
  return status;
}

/* Whole records, so that what follows them does not matter. Ragged ones are made to fit here: whoever reads the source
 * with these options learns of them. */
static fastio_status read_sample(const head *head, const guess *guess, fastio_table **out, fastio_error *err) {
  static const fastio_decode_options as_it_is = {sizeof as_it_is, NULL, NULL, 0, 0, FASTIO_NO_OFFSET, {0}};
  fastio_csv_options o = guess->options;
  fastio_source *source;
  fastio_status status = fastio_source_memory(head->data, guess->end, head->env, &source, err);
  if (status != FASTIO_OK) return status;
  (void)fastio_source_decode(source, &as_it_is, NULL);
  o.partial = FASTIO_PARTIAL_EMIT;
  o.offset = 0;
  o.length = FASTIO_NO_OFFSET;
  o.max_rows = FASTIO_NO_OFFSET;
  o.threads = 1;
  o.poll = NULL;
  if (guess->ragged && o.on_ragged == FASTIO_RAGGED_ERROR) o.on_ragged = FASTIO_RAGGED_PAD | FASTIO_RAGGED_TRUNCATE;
  status = fastio_read_csv(source, &o, out, err);
  fastio_source_close(source);
  return status;
}

/* Names that need repair are no reason to show nothing. */
static fastio_status read_repaired(const head *head, guess *guess, fastio_table **out, fastio_error *err) {
  fastio_status status = read_sample(head, guess, out, err);
  if (status != FASTIO_BAD_HEADER || (guess->options.flags & FASTIO_CSV_REPAIR_NAMES)) return status;
  guess->options.flags |= FASTIO_CSV_REPAIR_NAMES;
  return read_sample(head, guess, out, err);
}

/* Separator and decimal point are not asked for, but must not contradict the separator of thousands that is. */
static fastio_status get_options(const fastio_csv_options *options, fastio_csv_options *out, fastio_error *err) {
  fastio_csv_options given;
  if (!options || options->size < offsetof(fastio_csv_options, reserved))
    return fastio__csv_options_get(options, out, err);
  memcpy(&given, options, options->size < sizeof given ? options->size : sizeof given);
  given.decimal = decimal_of(NULL, 0, given.thousands);
  if (!given.widths) given.separator = separators[given.decimal == ',' ? BY_SEMICOLON : BY_COMMA];
  return fastio__csv_options_get(&given, out, err);
}

fastio_status fastio_sniff(fastio_source *source, const fastio_csv_options *options, fastio_csv_options *out,
                           fastio_table **sample, fastio_error *err) {
  fastio_csv_options given;
  guess best;
  fastio_status status = get_options(options, &given, err);
  if (status == FASTIO_OK) status = fastio__source_begin(source, FASTIO__AS_TEXT, given.threads, err);
  if (status != FASTIO_OK) return status;
  head head = {NULL, 0, 0, false, given.env};
  memset(&best, 0, sizeof best);
  for (size_t wanted = HEAD; best.score == 0 && !head.last && wanted <= HEAD_MAX; wanted *= 4) {
    status = look(source, &head, wanted, err);
    if (status == FASTIO_OK) status = try_all(&head, &given, &best, err);
    if (status != FASTIO_OK) return status;
  }
  if (best.score == 0) { /* no record is whole */
    best.options = given;
    if (has_lone_return(&head) && !has_byte(&head, '\n')) best.options.newline = FASTIO_NEWLINE_ANY;
    best.end = head.size;
  }
  status = read_repaired(&head, &best, sample, err);
  if (status == FASTIO_OK) *out = best.options;
  return status;
}
