/* The dialect that the first bytes of a source suggest: small files with the right answer beside them, and what the
 * proposed dialect then reads. */
#include "books.h"

typedef struct due {
  const char *text, *separator; /* "" is white space; NULL: whatever makes one column */
  size_t columns;
  uint64_t rows;
  int header;
  const char *types;   /* of the columns, one letter each: i u f s b d t T (timestamp) U (with a zone) */
  const char *unusual; /* what differs from the initial options, in this order: "'" or "N" for the quote, "r" any
                          newline, "#" "%" comment, "," decimal; ">" trimmed, "|" trailing separators, "=" names
                          repaired, a digit: lines skipped */
} due;

static const due files[] = {
    /* separators */
    {"a,b\n1,2\n3,4\n", ",", 2, 2, 1, "ii", ""},
    {"a,b\r\n1,2\r\n3,4", ",", 2, 2, 1, "ii", ""},
    {"\xEF\xBB\xBF"
     "a,b\n1,2\n",
     ",", 2, 1, 1, "ii", ""},
    {"a\tb\n1\tx y\n3\tz, w\n", "\t", 2, 2, 1, "is", ""},
    {"a|b|c\n1|2|x y\n3|4|z, w\n", "|", 3, 2, 1, "iis", ""},
    {"a;b;c\n1,5;x;2024-01-01\n2,5;y;2024-01-02\n3,25;z;2024-01-03\n", ";", 3, 3, 1, "fsd", ","},
    {"1::1193::5::978300760\n1::661::3::978302109\n", "::", 4, 2, 0, "iiii", ""},
    {"root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n", ":", 7, 2, 0, "ssiisss", ""},
    {"a b\n1 -\n2 3\n", "", 2, 2, 1, "is", ""},
    {"     11.50    34.62\n    154.21    40.30\n", "", 2, 2, 0, "ff", ""},
    {"1,2 3,4\n5,6 7,8\n", "", 2, 2, 0, "ff", ","},
    {"a,b\n1;2,3;4\n5;6,7;8\n", ",", 2, 2, 1, "ss", ""},
    {"a, b, c\n1, 2, \"x y\"\n3, 4, \"z\"\n", ",", 3, 2, 1, "iis", ">"},
    {"a,b\n \"x, y\",1\n", ",", 2, 1, 1, "si", ">"},
    {"1,2,3,4,5\n", ",", 5, 1, 0, "iiiii", ""},
    {"1 2\n", "", 2, 1, 0, "ii", ""},
    {"hello world\n", ",", 1, 0, 1, "s", ""},
    {"12:34", ",", 1, 1, 0, "t", ""},
    {"# x\n1 2\n", "", 2, 1, 0, "ii", "#"},
    {"\n\na,b\n\n1,2\n", ",", 2, 1, 1, "ii", ""},
    /* one column: a separator in some of its lines is text */
    {"c0\nv0\na;b\n", ",", 1, 2, 1, "s", ""},
    {"A\nB\nC,text\n", NULL, 1, 2, 1, "s", ""},
    {"x", ",", 1, 0, 1, "s", ""},
    {"5\n6\n7\n", ",", 1, 3, 0, "i", ""},
    {"12:34\n12:35\n", ",", 1, 2, 0, "t", ""},
    {"2024-01-01 12:00:00\n2024-01-02 13:00:00\n", ",", 1, 2, 0, "T", ""},
    {"name\nJohn Smith\nJane Doe\n", ",", 1, 2, 1, "s", ""},
    {"hello world\nthis is a text, with commas\nand, more, of, them\n", NULL, 1, 2, 1, "s", ""},
    {"\"a,b\"\n\"c,d\"\n", ",", 1, 1, 1, "s", ""},
    {"1.5\n2\n", ",", 1, 2, 0, "f", ""},
    /* dates and times hold bytes that separate elsewhere */
    {"2024-01-01 12:00:00\t5.5\n2024-01-02 12:00:00\t6.5\n", "\t", 2, 2, 0, "Tf", ""},
    {"2024-01-01 12:00:00,5\n2024-01-02 12:30:00,6\n", ",", 2, 2, 0, "Ti", ""},
    {"at;n\n2024-01-01T12:00:00Z;1\n2024-01-02T12:00:00Z;2\n", ";", 2, 2, 1, "Ui", ""},
    /* quotes */
    {"a,b\n\"x,y\",1\n\"z \"\"q\"\"\",2\n", ",", 2, 2, 1, "si", ""},
    {"a;b\n\"x;\ny\";1\nz;2\n", ";", 2, 2, 1, "si", ""},
    {"'a','b'\n'x,y',1\n'z',2\n", ",", 2, 2, 1, "si", "'"},
    {"it's,don't\n'tis,b\n1,2\n", ",", 2, 2, 1, "ss", ""},
    {"1,RCSM-B1\"/65,2\n2,x,3\n", ",", 3, 2, 0, "isi", "N"},
    {"\"Big\" Joe,5\n\"Small\" Jim,6\n", ",", 2, 2, 0, "si", "N"},
    {"a,b\n1,\"x\n2,y\n3,z\n", ",", 2, 0, 1, "ss", ""}, /* the quote is never closed: reading will say so */
    {"\"a\",\"b\"\n\"1\",\"2\"\n\"3\"x,\"4\"\n", ",", 2, 1, 1, "ii", ""}, /* one wrong quote among right ones */
    /* newlines */
    {"a,b\r1,2\r3,4\r", ",", 2, 2, 1, "ii", "r"},
    {"a\rb\r1\r", ",", 1, 2, 1, "s", "r"},
    {"a,b\r1,2\n3,4\n", ",", 2, 2, 1, "ii", "r"},
    {"a,b\n1,x\ry\n2,z\n", ",", 2, 2, 1, "is", ""}, /* text, since the records fit without it */
    /* comments and lines above the table */
    {"# made by x\n# on monday\na,b\n1,2\n3,4\n", ",", 2, 2, 1, "ii", "#"},
    {"a,b\n1,2\n# later\n3,4\n", ",", 2, 2, 1, "ii", "#"},
    {"% made, by, x\n1 2\n3 4\n", "", 2, 2, 0, "ii", "%"},
    {"# a b\n1 2\n3 4\n", "", 2, 2, 0, "ii", "#"},
    {"##meta\n##more\n#CHROM\tPOS\nchr1\t5\nchr2\t7\n", "\t", 2, 2, 1, "si", "2"},
    {"#a,b\n1,2\n3,4\n", ",", 2, 2, 1, "ii", ""},
    {"color,name\n#ff0000,red\n#00ff00,green\n", ",", 2, 2, 1, "ss", ""},
    {"Report 2024\nby me\n\na,b\n1,2\n3,4\n5,6\n7,8\n", ",", 2, 4, 1, "ii", "3"},
    {"Report 2024\na,b,c\n", NULL, 1, 1, 1, "s", ""}, /* too little to throw a line away for */
    /* headers */
    {"a,b,c", ",", 3, 0, 1, "sss", ""},
    {"1,a\n2,b\n", ",", 2, 2, 0, "is", ""},
    {"x,y\nNA,NA\n1,2\n3,4\n5,6\n7,8\n", ",", 2, 5, 1, "ss", ""},
    {"NA,x\n1,y\n", ",", 2, 2, 0, "ss", ""},
    {"country,1990,1991\nUSA,5,6\nUK,7,8\n", ",", 3, 2, 1, "sii", ""},
    {"USA,5,6\nUK,7,8\n", ",", 3, 2, 0, "sii", ""},
    {"John,Smith\nJane,Doe\nJohn,Miller\n", ",", 2, 3, 0, "ss", ""},
    {"first,last\nJohn,Smith\nJane,Doe\nJohn,Miller\n", ",", 2, 3, 1, "ss", ""},
    {"AD,Andorra\nAE,Emirates\nAF,Afghanistan\nAG,Antigua\nAI,Anguilla\nAL,Albania\n", ",", 2, 6, 0, "ss", ""},
    {"a@b.org,x\nc@d.org,y\n", ",", 2, 2, 0, "ss", ""},
    {",a,b\n0,1,2\n1,3,4\n", ",", 3, 2, 1, "iii", "="},
    {"a,a\n1,2\n3,4\n", ",", 2, 2, 1, "ii", "="},
    {"flag,b\ntrue,1\nfalse,2\n", ",", 2, 2, 1, "bi", ""},
    /* trailing separators, ragged tables */
    {"A,B,C\n1,4,7,\n2,5,8,\n", ",", 3, 2, 1, "iii", "|"},
    {"a,b,c,\n1,2,3,\n4,5,6,\n", ",", 3, 2, 1, "iii", "|"},
    {"a,b,c\n1,2,\n4,5,\n", ",", 3, 2, 1, "iis", ""},
    {"a,b,c\n1,2,3\n4,5\n6,7\n", ",", 3, 3, 1, "iii", ""},
    {"a,b\n1,2\n3", ",", 2, 2, 1, "ii", ""},
    {"\"a\",\"b\"\n\"1\",\"2\"\n\"3\"", ",", 2, 2, 1, "ii", ""},
    /* decimal commas: where they can't be separators of thousands */
    {"a;b\n1,234;x\n5,678;y\n", ";", 2, 2, 1, "ss", ""},
    {"a;b\n0,234;x\n5,678;y\n", ";", 2, 2, 1, "fs", ","},
    {"a,b\n\"1,5\",x\n\"2,5\",y\n", ",", 2, 2, 1, "ss", ""},
    {"a;b\n1,5;2.5\n3,5;4.5\n", ";", 2, 2, 1, "sf", ""},
};

static char letter_of(fastio_type type) {
  switch (type) {
    case FASTIO_INT64: return 'i';
    case FASTIO_UINT64: return 'u';
    case FASTIO_FLOAT64: return 'f';
    case FASTIO_STRING: return 's';
    case FASTIO_BOOL: return 'b';
    case FASTIO_DATE: return 'd';
    case FASTIO_TIME: return 't';
    case FASTIO_TIMESTAMP: return 'T';
    case FASTIO_TIMESTAMP_UTC: return 'U';
    default: return '?';
  }
}

static void types_of(const fastio_table *table, char *out) {
  size_t count = table->column_count < 15 ? table->column_count : 15;
  for (size_t i = 0; i < count; i++) out[i] = letter_of(table->columns[i]->type);
  out[count] = 0;
}

static void unusual_of(const fastio_csv_options *options, char *out) {
  if (options->quote == '\'') *out++ = '\'';
  if (options->quote == FASTIO_NONE) *out++ = 'N';
  if (options->newline == FASTIO_NEWLINE_ANY) *out++ = 'r';
  if (options->comment != FASTIO_NONE) *out++ = (char)options->comment;
  if (options->decimal != '.') *out++ = (char)options->decimal;
  if (options->flags & FASTIO_CSV_TRIM) *out++ = '>';
  if (options->flags & FASTIO_CSV_TRAILING_SEPARATOR) *out++ = '|';
  if (options->flags & FASTIO_CSV_REPAIR_NAMES) *out++ = '=';
  if (options->skip_lines) *out++ = (char)('0' + options->skip_lines);
  *out = 0;
}

static bool has_separator(const fastio_csv_options *options, const char *due) {
  return !due ||
         (options->separator.size == strlen(due) && memcmp(options->separator.data, due, options->separator.size) == 0);
}

static fastio_status sniff(const char *text, const fastio_csv_options *given, fastio_csv_options *found,
                           fastio_table **sample, fastio_error *err) {
  fastio_source *source;
  fastio_status status = fastio_source_memory(text, strlen(text), given ? given->env : NULL, &source, err);
  if (status != FASTIO_OK) return status;
  status = fastio_sniff(source, given, found, sample, err);
  fastio_source_close(source);
  return status;
}

static void test_files(void) {
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    const due *due = &files[i];
    fastio_csv_options found;
    fastio_table *sample = NULL;
    fastio_error err;
    char types[16] = "", unusual[16] = "";
    fastio_status status = sniff(due->text, NULL, &found, &sample, &err);
    if (!check_that(status == FASTIO_OK, __FILE__, __LINE__, "\"%s\": %s", due->text, err.message)) continue;
    types_of(sample, types);
    unusual_of(&found, unusual);
    check_that(has_separator(&found, due->separator) && found.header == due->header &&
                   sample->column_count == due->columns && sample->rows == due->rows && !strcmp(types, due->types) &&
                   !strcmp(unusual, due->unusual),
               __FILE__, __LINE__,
               "\"%s\": separator \"%.*s\", header %d, %zu columns \"%s\", %" PRIu64 " rows, unusual \"%s\"", due->text,
               (int)found.separator.size, (const char *)found.separator.data, found.header, sample->column_count, types,
               sample->rows, unusual);
    fastio_table_free(sample);
  }
}

/* What is proposed reads the same table as the sample, unless the file is at fault. */
static void test_proposals_read(void) {
  size_t faulty = 0;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    fastio_csv_options found;
    fastio_table *sample = NULL, *table = NULL;
    fastio_source *source;
    char types[16], due[16];
    if (sniff(files[i].text, NULL, &found, &sample, NULL) != FASTIO_OK) continue;
    fastio_source_memory(files[i].text, strlen(files[i].text), NULL, &source, NULL);
    if (fastio_read_csv(source, &found, &table, NULL) == FASTIO_OK) {
      types_of(table, types);
      types_of(sample, due);
      check_that(table->rows == sample->rows && !strcmp(types, due), __FILE__, __LINE__, "\"%s\"", files[i].text);
      fastio_table_free(table);
    } else {
      faulty++;
    }
    fastio_table_free(sample);
    fastio_source_close(source);
  }
  CHECK_INT(faulty, 5);
}

/* ---- longer sources ---- */

static char *long_text(size_t rows, size_t *size) {
  char *text = malloc(rows * 40 + 100), *p = text;
  p += sprintf(p, "id;name;value\n");
  for (size_t i = 0; i < rows; i++) p += sprintf(p, "%zu;\"row; %zu\";%zu,25\n", i, i, i);
  *size = (size_t)(p - text);
  return text;
}

static void check_long(fastio_source *source, uint64_t rows) {
  fastio_csv_options found;
  fastio_table *sample = NULL, *table = NULL;
  fastio_error err;
  if (!CHECK_STATUS(fastio_sniff(source, NULL, &found, &sample, &err), FASTIO_OK)) return;
  CHECK(has_separator(&found, ";"));
  CHECK_INT(found.decimal, ',');
  CHECK(sample->rows > 1000 && sample->rows < rows);
  CHECK_INT(sample->columns[2]->type, FASTIO_FLOAT64);
  CHECK_INT(((const int64_t *)sample->columns[0]->data)[sample->rows - 1], sample->rows - 1);
  fastio_table_free(sample);
  if (CHECK_STATUS(fastio_read_csv(source, &found, &table, &err), FASTIO_OK)) CHECK_INT(table->rows, rows);
  fastio_table_free(table);
}

typedef struct pipe_text {
  const char *text;
  size_t size, at;
} pipe_text;

static fastio_status read_pipe(void *ctx, void *data, size_t size, size_t *got, fastio_error *err) {
  pipe_text *pipe = ctx;
  (void)err;
  *got = pipe->size - pipe->at < size ? pipe->size - pipe->at : size;
  if (*got > 1000) *got = 1000;
  memcpy(data, pipe->text + pipe->at, *got);
  pipe->at += *got;
  return FASTIO_OK;
}

/* The head ends somewhere within a record; a stream loses nothing. */
static void test_long(void) {
  size_t size;
  char *text = long_text(30000, &size);
  pipe_text pipe = {text, size, 0};
  const fastio_device device = {&pipe, read_pipe, NULL};
  fastio_source *source;
  CHECK_STATUS(fastio_source_memory(text, size, NULL, &source, NULL), FASTIO_OK);
  check_long(source, 30000);
  fastio_source_close(source);
  CHECK_STATUS(fastio_source_device(&device, NULL, &source, NULL), FASTIO_OK);
  check_long(source, 30000);
  fastio_source_close(source);
  free(text);
}

/* A record longer than the head that is looked at. */
static void test_long_record(void) {
  const size_t half = 300000;
  char *text = malloc(4 * half + 1);
  memset(text, 'x', 4 * half);
  text[half] = text[3 * half] = ',';
  text[2 * half] = '\n';
  text[4 * half] = 0;
  fastio_csv_options found;
  fastio_table *sample = NULL;
  fastio_error err;
  if (CHECK_STATUS(sniff(text, NULL, &found, &sample, &err), FASTIO_OK)) CHECK_INT(sample->column_count, 2);
  fastio_table_free(sample);
  free(text);
}

/* ---- what is given ---- */

static void test_given(void) {
  static const fastio_bytes nulls[] = {{"-", 1}};
  static const fastio_span widths[] = {{0, 3}, {3, 6}};
  fastio_csv_options given, found;
  fastio_table *sample = NULL;
  fastio_error err;
  fastio_csv_options_init(&given);
  given.null_values = nulls;
  given.null_count = 1;
  given.max_rows = 1;
  CHECK_STATUS(sniff("a b\n1 -\n2 3\n", &given, &found, &sample, &err), FASTIO_OK);
  CHECK_INT(sample->rows, 2);
  CHECK_INT(sample->columns[1]->type, FASTIO_INT64);
  CHECK_INT(sample->columns[1]->null_count, 1);
  CHECK_INT(found.max_rows, 1);
  CHECK(found.null_values == nulls);
  fastio_table_free(sample);

  fastio_csv_options_init(&given);
  given.escape = '\\';
  CHECK_STATUS(sniff("a,b\n\"x\\\"y\",1\n", &given, &found, &sample, &err), FASTIO_OK);
  CHECK_INT(found.quote, '"');
  CHECK_INT(sample->columns[1]->type, FASTIO_INT64);
  fastio_table_free(sample);

  fastio_csv_options_init(&given);
  given.quote_mode = FASTIO_QUOTE_LITERAL;
  CHECK_STATUS(sniff("1,RCSM-B1\"/65,2\n2,x,3\n", &given, &found, &sample, &err), FASTIO_OK);
  CHECK_INT(found.quote, '"');
  CHECK_INT(sample->column_count, 3);
  fastio_table_free(sample);

  fastio_csv_options_init(&given);
  given.thousands = '.';
  CHECK_STATUS(sniff("a;b\n1.234,5;x\n2.000;y\n", &given, &found, &sample, &err), FASTIO_OK);
  CHECK(has_separator(&found, ";"));
  CHECK_INT(found.decimal, ',');
  CHECK_INT(sample->columns[0]->type, FASTIO_FLOAT64);
  fastio_table_free(sample);
  given.thousands = '\'';
  CHECK_STATUS(sniff("a,b\n1'000,'x'\n2'000,'y'\n", &given, &found, &sample, &err), FASTIO_OK);
  CHECK_INT(found.quote, '"');
  CHECK_INT(sample->columns[0]->type, FASTIO_INT64);
  fastio_table_free(sample);

  fastio_csv_options_init(&given);
  given.decimal = ','; /* not heeded */
  CHECK_STATUS(sniff("a,b\n1.5,2\n2.5,3\n", &given, &found, &sample, &err), FASTIO_OK);
  CHECK_INT(found.decimal, '.');
  CHECK_INT(sample->column_count, 2);
  fastio_table_free(sample);

  fastio_csv_options_init(&given);
  given.widths = widths;
  given.width_count = 2;
  CHECK_STATUS(sniff("# x\na  b\n1  2\n10 20\n", &given, &found, &sample, &err), FASTIO_OK);
  CHECK_INT(found.header, 1);
  CHECK_INT(found.comment, '#');
  CHECK_INT(sample->rows, 2);
  CHECK_INT(sample->columns[1]->type, FASTIO_INT64);
  fastio_table_free(sample);
}

static void test_refusals(void) {
  fastio_csv_options given, found;
  fastio_table *sample = NULL;
  fastio_error err;
  memset(&found, 1, sizeof found);
  CHECK_STATUS(sniff("", NULL, &found, &sample, &err), FASTIO_END);
  CHECK(sample == NULL);
  CHECK_INT(found.header, 0x01010101);
  fastio_csv_options_init(&given);
  given.escape = '\n';
  CHECK_STATUS(sniff("a\n", &given, &found, &sample, &err), FASTIO_INVALID_ARGUMENT);
  CHECK_STATUS(sniff("\xFF\xFE"
                     "a",
                     NULL, &found, &sample, &err),
               FASTIO_BAD_ENCODING);
  CHECK_STATUS(sniff("a,b\n\xFF,1\n", NULL, &found, &sample, &err), FASTIO_BAD_ENCODING);
  CHECK_INT(err.line, 2);
  CHECK_STATUS(sniff("\r", NULL, &found, &sample, &err), FASTIO_OK);
  CHECK_INT(found.newline, FASTIO_NEWLINE_ANY);
  fastio_table_free(sample);
  CHECK_STATUS(sniff("\n\n\n", NULL, &found, &sample, &err), FASTIO_OK); /* lines, but no records */
  CHECK_INT(sample->rows, 0);
  fastio_table_free(sample);
}

/* Each prefix of each file, and random bytes of those that matter: some answer, no stray access. */
static void test_anything(void) {
  static const char bytes[] = "abc1.,;\t|: \"'\n\n\r#%\\\x80";
  uint64_t seed = 1;
  size_t answers = 0;
  for (size_t round = 0; round < 3000; round++) {
    const due *file = &files[round % (sizeof files / sizeof *files)];
    size_t size = (size_t)((seed >> 33) % (strlen(file->text) + 1));
    char *text = malloc(size + 1);
    memcpy(text, file->text, size);
    text[size] = 0;
    for (size_t i = 0; i < size; i++) {
      seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      if (round % 3 && (seed >> 60) < round % 7) text[i] = bytes[(seed >> 33) % (sizeof bytes - 1)];
    }
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    fastio_csv_options found;
    fastio_table *sample = NULL;
    fastio_error err;
    answers += sniff(text, NULL, &found, &sample, &err) == FASTIO_OK;
    fastio_table_free(sample);
    free(text);
  }
  CHECK(answers > 1000);
}

static fastio_status sniff_with(const fastio_env *env, const void *ctx, fastio_error *err) {
  fastio_csv_options given, found;
  fastio_table *sample = NULL;
  fastio_csv_options_init(&given);
  given.env = env;
  const fastio_status status = sniff(ctx, &given, &found, &sample, err);
  fastio_table_free(sample);
  return status;
}

int main(void) {
  test_files();
  test_proposals_read();
  test_long();
  test_long_record();
  test_given();
  test_refusals();
  test_anything();
  static const char text[] = "# c\na;\"b\";c\n1,5;'x';\"y;z\"\n2,5;y;z\n";
  books_fail_each(sniff_with, text, "sniff", false);
  books_fail_each(sniff_with, text, "sniff", true);
  return check_report();
}
