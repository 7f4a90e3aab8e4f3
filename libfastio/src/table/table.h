/* table: records of fields into typed columns. The files share these: options and schema (options.c, schema.c), the
 * finished object and its exports (object.c, export.c). */
#ifndef FASTIO__TABLE_H
#define FASTIO__TABLE_H

#include "../column/column.h"

/* ---- options.c: the defaults overlaid with what the caller's struct (of whatever age) holds, checked by themselves and
 * against each other. With widths there is no separator (size 0) and no quote. ---- */
FASTIO__HIDDEN fastio_status fastio__csv_options_get(const fastio_csv_options *given, fastio_csv_options *out,
                                                     fastio_error *err);

/* ---- schema.c: what is known of the fields and which of them are wanted. Owns copies of all that it refers to. ---- */
typedef struct fastio__field {
  fastio_bytes name; /* with a NUL behind it */
  fastio_type type;  /* 0: to be inferred */
  const fastio_bytes *nulls;
  size_t null_count;
} fastio__field;

typedef struct fastio__schema {
  const fastio_env *env;
  size_t field_count; /* of each record */
  fastio__field *fields;
  size_t column_count; /* wanted ones: column i is field columns[i] */
  size_t *columns;
  void *memory; /* private to schema.c */
  size_t memory_size;
} fastio__schema;

/* `header`: the texts of the header, unquoted; NULL if there is none. `field_count` is that of the header or of the first
 * record; if the options have names, those decide it. FASTIO_BAD_HEADER for empty and repeated names (unless they are to
 * be repaired) has err->field and field_name set, no offset; FASTIO_INVALID_ARGUMENT: rules and references to columns
 * that are not there, a column wanted twice. */
FASTIO__HIDDEN fastio_status fastio__schema_init(fastio__schema *schema, const fastio_csv_options *options,
                                                 const fastio_bytes *header, size_t field_count, fastio_error *err);
FASTIO__HIDDEN void fastio__schema_free(fastio__schema *schema);
/* Sets err->field (1-based) and its name. */
FASTIO__HIDDEN void fastio__name_field(const fastio__schema *schema, uint64_t field, fastio_error *err);

/* ---- object.c: a table over columns, of each of which it takes over one owner on success. Names and report are copied
 * (report NULL: all zero). ---- */
FASTIO__HIDDEN fastio_status fastio__table_build(const fastio_table *view, const fastio_env *env, fastio_table **out,
                                                 fastio_error *err);

#endif
