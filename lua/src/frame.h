/* frame: what write_csv makes of Lua's tables: columns of the core, in a table of the core. */
#ifndef FLUA_FRAME_H
#define FLUA_FRAME_H

#include "flua.h"

/* Formats by column. */
typedef struct Formats {
  fastio_format *how; /* NULL: none is given */
  int *as;            /* FLUA_AS_* */
  size_t count;
} Formats;

/* The option `format` for columns of these names. What it refers to is kept in the anchor table. */
Formats flua_formats_of(lua_State *L, int anchor, const fastio_bytes *names, size_t count);
/* The option `names` as texts, kept; NULL: it is not given. */
fastio_bytes *flua_names_of(lua_State *L, int anchor, size_t *count);
/* A table of the columns, each of which loses one owner in any case; NULL among them: no memory for it. */
fastio_status flua_assemble(const fastio_column **columns, const fastio_bytes *names, size_t count, uint64_t rows,
                            fastio_table **out, fastio_error *err);
/* Lua's table at `index`: a list of rows, columns by name, or a list of Columns. Pushes a Table. *has_names: they were
 * given. */
Table *flua_push_frame(lua_State *L, int index, int anchor, Formats *formats, bool *has_names);

#endif
