/* What the parts of the C driver share: requests, answers and sources of driver.c, the ops of driver_table.c. */
#ifndef DRIVER_H
#define DRIVER_H

#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fastio.h"

#define MAX_NULLS 16

typedef struct config {
  char simd[32], source[32], way[32], sink[32];
  size_t block;
  unsigned threads;
} config;

typedef struct request {
  char *id, *op, *options;
  unsigned char *data;
  size_t size;
  fastio_read_options read;
  fastio_bytes nulls[MAX_NULLS];
  const char *script;
  bool has_shape;
  fastio_decode_options decode;
  bool is_decoded;       /* the vector says how: else the library's own way is what is tested */
  const char *from, *to; /* of transcode */
} request;

extern config configuration;
extern const char *directory; /* of the input files */

void die(const char *what, const char *detail);

/* ---- Writing answers ---- */
void put_char(char c);
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void put(const char *format, ...);
void put_bytes(const void *data, size_t size);
void put_place(fastio_status status, const fastio_error *err);
void put_raw(const fastio_error *err);
void put_error(fastio_status status, const fastio_error *err);
void put_item(const fastio_column *column, uint64_t i);
bool is_valid(const fastio_column *column, uint64_t i);
/* Takes back what was put since the output had that size. */
size_t put_mark(void);
void put_back(size_t mark);

/* ---- Reading requests ---- */
unsigned char *from_hex(const char *text, size_t length, size_t *size);
int hex_byte(const char *text);
int newline_from(const char *value);
int partial_from(const char *value);
/* An option that says how the source is decoded, or what is told of it. */
bool set_decoding(request *q, const char *key, const char *value);
/* Calls `set` for each key=value of the text, which it cuts up. */
void each_option(char *text, void (*set)(void *ctx, const char *key, char *value), void *ctx);

/* ---- Sources ---- */
typedef struct origin {
  fastio_source *source;
  fastio_map *map;
  FILE *file;
  int fd; /* to be closed, or -1 */
  pthread_t writer;
  bool has_writer;
  int write_end;
  const unsigned char *data;
  size_t size, given;
  unsigned calls;
} origin;
fastio_status open_origin(origin *o, const request *q, fastio_error *err);
void close_origin(origin *o);
/* How much was replaced or left out, if that was allowed. */
void put_decode_errors(const request *q, const fastio_source *source);

/* ---- driver_table.c ---- */
/* Runs the op if it is one on tables. */
bool run_table_op(request *q);
void put_table_error(fastio_status status, const fastio_error *err);

/* ---- driver_values.c: what the ops that write are given ---- */
typedef struct item {
  fastio_type type;
  int is_null;
  union {
    int64_t i;
    uint64_t u;
    double d;
  } bits; /* of a number */
  float single;
  fastio_bytes text; /* of a string */
} item;

/* A format with what it points to. */
typedef struct layout {
  fastio_format format;
  fastio_locale locale;
} layout;

/* The block is freed when the request has been answered. */
void *keep(void *block);
void release_kept(void);
/* "x6162" or "6162", with a NUL behind it. */
fastio_bytes kept_text(const char *hex, size_t length);
/* "[int64:1 string:x61]" */
item *mixed_items(const char *text, size_t *count);
/* "int64[1 null]": the caller frees it; *end is what follows. */
fastio_column *column_from(const char *text, const char **end);
fastio_column *new_column(fastio_type type, item *items, size_t count);
/* "2{x61:int64[1 2]}" */
fastio_table *table_from(const char *text);
/* "notation:fixed,precision:3"; the struct must stay where it is. */
void set_layout(layout *l, const char *text, size_t length);

/* ---- driver_text.c ---- */
/* Runs the op if it is one on encodings. */
bool run_text_op(request *q);

/* ---- driver_sink.c ---- */
typedef struct drain {
  fastio_writer *writer, *target; /* target: where it is redirected to */
  char path[4096];
  bool is_file, is_closed, has_reader;
  int read_end;
  pthread_t reader;
  unsigned char *data; /* what was written; to be freed */
  size_t size, room;
  uint64_t accepted;
  unsigned calls;
} drain;
fastio_status open_drain(drain *d, fastio_error *err);
fastio_status close_drain(drain *d, fastio_status status, fastio_error *err);

/* ---- driver_write.c ---- */
/* Runs the op if it is one that writes, or that formats as a `format` in the options says. */
bool run_write_op(request *q);

#endif
