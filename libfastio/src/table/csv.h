/* csv: a source of records as its reader sees it. head.c finds the header and looks at the first records, csv.c reads
 * parts into tables, batch.c goes through the source part by part, rows.c knows where which record is. */
#ifndef FASTIO__CSV_H
#define FASTIO__CSV_H

#include "build.h"

/* Which record starts where, every few hundred KiB. */
typedef struct fastio__milestone {
  uint64_t offset, row;
} fastio__milestone;

struct fastio_csv {
  fastio_source *source;
  fastio_csv_options options; /* what they point to may be gone: dialect and schema have it */
  fastio__dialect dialect;
  fastio__schema schema;
  fastio__shape shape;
  fastio_type *types;        /* of the wanted columns; 0: to be inferred */
  uint64_t data_start;       /* behind the header */
  fastio_report head_report; /* lines before the header */
  fastio__stream stream;
  /* batches */
  uint64_t position, range_end;         /* of the next batch, of all of them */
  uint64_t rows, records, first_record; /* records before the first batch: skip_rows */
  uint64_t record_size;                 /* about, of the last batch; 0: not known */
  bool begun, told, finished;           /* the position is at a record; a table was given */
  bool goes_on;                         /* a source that ends may have more later */
  uint64_t located, located_line;       /* how far lines have been counted for reports, and which one is there */
  fastio_table *pending;                /* read for the sake of its types */
  fastio_error failure; /* of that; fastio_csv_next tells it again, or the batch would be missing in silence */
  /* rows by number */
  fastio__milestone *milestones;
  size_t milestone_count, milestone_capacity;
  uint64_t row_count;
  bool is_counted;
};

/* A part of the source. */
typedef struct fastio__part {
  uint64_t offset, length, max_rows;
  bool at_record; /* `offset` is the first byte of one */
} fastio__part;

/* ---- head.c ---- */
FASTIO__HIDDEN fastio_status fastio__csv_init(fastio_csv *csv, fastio_source *source, const fastio_csv_options *options,
                                              bool goes_on, fastio_error *err);
FASTIO__HIDDEN void fastio__csv_destroy(fastio_csv *csv);

/* What the first records of a part look like: a guess to begin with, and how much room it may take. */
typedef struct fastio__sample {
  uint64_t records, bytes; /* looked at; bytes 0: nothing could be */
  bool is_all;             /* the part has no more */
} fastio__sample;
/* Adds the classes of the cells to the columns, and how many bytes of theirs were seen to expected_bytes. */
FASTIO__HIDDEN fastio_status fastio__csv_sample(fastio_csv *csv, const fastio__part *part, const fastio__build *build,
                                                fastio__sample *sample, fastio_error *err);
/* Settles the types that are to be inferred from the first infer_rows records. */
FASTIO__HIDDEN fastio_status fastio__csv_infer_first(fastio_csv *csv, fastio_error *err);
/* The two halves of that: adds the classes of the cells in the first *records records (which becomes how many more
 * there should have been) to those of the columns; and makes types of them. */
FASTIO__HIDDEN fastio_status fastio__csv_look_first(fastio_csv *csv, unsigned *classes, uint64_t *records,
                                                    fastio_error *err);
FASTIO__HIDDEN void fastio__csv_settle(fastio_csv *csv, const unsigned *classes);

/* ---- batch.c ---- */
/* Up to the header; then past the records to be skipped. */
FASTIO__HIDDEN fastio_status fastio__csv_begin(fastio_csv *csv, fastio_source *source, const fastio_csv_options *given,
                                               bool goes_on, fastio_error *err);
FASTIO__HIDDEN fastio_status fastio__csv_skip(fastio_csv *csv, fastio_error *err);

/* ---- csv.c ---- */
/* A part in the making: columns whose types are to be inferred begin with a guess, and those that were guessed wrong
 * are read again. */
typedef struct fastio__reading {
  fastio_csv *csv;
  const fastio__part *part;
  fastio__builder *columns; /* all that are wanted */
  size_t count;
  bool is_stream, keeps; /* a stream's text is kept for another pass */
  fastio__kept kept;
  uint64_t rows, start, end, record_base;
  uint64_t start_place, end_place; /* before decoding */
  fastio_report report;
} fastio__reading;
/* Free it also if it fails. */
FASTIO__HIDDEN fastio_status fastio__reading_begin(fastio__reading *r, fastio_csv *csv, const fastio__part *part,
                                                   fastio_error *err);
/* Another pass over the columns whose types do not fit the classes of their cells; *done: there are none. */
FASTIO__HIDDEN fastio_status fastio__reading_again(fastio__reading *r, bool *done, fastio_error *err);
/* The strings of what is to be a dictionary. All columns of a matrix are one. */
FASTIO__HIDDEN fastio_status fastio__reading_column(fastio__reading *r, size_t place, fastio_column **out,
                                                    fastio_error *err);
FASTIO__HIDDEN void fastio__reading_free(fastio__reading *r);

/* The part as a table; *end: the offset behind its last record. */
FASTIO__HIDDEN fastio_status fastio__csv_read(fastio_csv *csv, const fastio__part *part, fastio_table **out,
                                              uint64_t *end, fastio_error *err);
/* Passes over the part's records and counts those that would be rows, or, if any number of fields will do, all. `each`,
 * if not NULL, is called in order for every window with its offset and the number of rows before it; false is "no
 * memory". */
typedef bool fastio__each_window(void *ctx, uint64_t offset, uint64_t row);
typedef struct fastio__passed {
  uint64_t rows, end;                  /* the offset behind the last one */
  uint64_t blank_lines, comment_lines; /* among them */
} fastio__passed;
FASTIO__HIDDEN fastio_status fastio__csv_pass(fastio_csv *csv, const fastio__part *part, bool any_fields,
                                              fastio__each_window *each, void *ctx, fastio__passed *passed,
                                              fastio_error *err);
/* Tells of the windows of the part, each of which starts at a record and has the records of one block. */
FASTIO__HIDDEN fastio_status fastio__csv_windows(fastio_csv *csv, const fastio__part *part, size_t block_size,
                                                 fastio__each_window *each, void *ctx, uint64_t *end,
                                                 fastio_error *err);
/* All that the options ask for. */
FASTIO__HIDDEN fastio__part fastio__csv_whole(const fastio_csv *csv);

#endif
