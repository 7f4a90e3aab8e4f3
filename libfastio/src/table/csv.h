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
                                              fastio_error *err);
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

/* ---- csv.c ---- */
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
