/* options: what the files that read option tables share. */
#ifndef FLUA_OPTIONS_H
#define FLUA_OPTIONS_H

#include "flua.h"

/* An option is set by one of the functions below; its value lies on the top of the stack, and stays there. */
typedef struct Request {
  lua_State *L;
  const char *name;
  unsigned who;
  int anchor;
  Options *out;
} Request;

typedef struct Option {
  const char *name;
  unsigned who; /* the functions that know it; several entries of one name are for different ones */
  void (*set)(Request *r);
} Option;

/* Errors: "bad option 'name': a string expected, got table" and "bad option 'name': why". */
int flua_complain(const Request *r, const char *expected);
int flua_reject(const Request *r, const char *why);
/* The value as what is wanted, or an error. */
uint64_t flua_take_count(const Request *r, uint64_t low, uint64_t high, const char *expected);
const char *flua_take_string(const Request *r, size_t *size);
int flua_take_byte(const Request *r);
int flua_take_int(const Request *r, int low, int high, const char *expected);
const char *flua_take_name_or_none(const Request *r); /* kept; NULL for false */
int flua_take_errors(const Request *r);               /* FASTIO_ERRORS_* */
bool flua_take_boolean(const Request *r);
/* The index of the string among the words, the last of which is NULL. */
int flua_take_word(const Request *r, const char *const *words);
/* A text or a list of texts. */
const fastio_bytes *flua_take_texts(const Request *r, size_t *count);

/* Pops the value and keeps it as long as the anchor table, where no callback that changes the caller's table can reach
 * it. */
void flua_keep(const Request *r);
/* Memory that lives as long. At least one byte. */
void *flua_keep_memory(const Request *r, size_t size);

/* Options of tables (csv_options.c): the table of them, ending with a NULL name; the initial values; and what can be
 * built only when all of them are known. */
extern const Option flua_csv_options[];
void flua_start_csv(Options *out);
void flua_finish_csv(Request *r);

/* The same of what writes (write_options.c). */
extern const Option flua_write_options[];
void flua_start_writing(Options *out);
int flua_to_mode(const char *word); /* "w", "a", "x", as io.open takes them; -1: none of them */

#endif
