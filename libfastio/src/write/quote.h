/* quote: which fields of delimited text would read otherwise than they are, and how they are protected. */
#ifndef FASTIO__QUOTE_H
#define FASTIO__QUOTE_H

#include "field.h"

enum { FASTIO__NEEDLES = 6 };

typedef struct fastio__quoting {
  int policy, quote, escape;
  fastio_bytes separator, null_text;
  bool special[256]; /* bytes that a plain field can't have: of the separator and the record's end, the first ones */
  uint8_t needles[FASTIO__NEEDLES]; /* the same; the first four are all if `few` */
  bool few;
} fastio__quoting;

FASTIO__HIDDEN void fastio__quoting_init(fastio__quoting *quoting, const fastio_csv_write_options *options);

typedef enum fastio__protection {
  FASTIO__PLAIN,
  FASTIO__QUOTED,
  FASTIO__ESCAPED,
  FASTIO__UNSAFE /* without quotes and without an escape there is no way */
} fastio__protection;

/* What is known of a column's texts. */
typedef struct fastio__care {
  bool is_text;
  bool is_safe;      /* none needs any protection but what the policy says */
  bool keeps_blanks; /* blanks at the ends are quoted */
} fastio__care;
FASTIO__HIDDEN fastio__care fastio__care_of(const fastio__quoting *quoting, const fastio__field *field,
                                            const fastio__wording *words);

FASTIO__HIDDEN bool fastio__has_special(const fastio__quoting *quoting, fastio_bytes text);
FASTIO__HIDDEN fastio__protection fastio__judge(const fastio__quoting *quoting, const fastio__care *care,
                                                fastio_bytes text);
FASTIO__HIDDEN size_t fastio__protected_size(const fastio__quoting *quoting, fastio__protection how, fastio_bytes text);
/* Returns the end. */
FASTIO__HIDDEN char *fastio__protect(const fastio__quoting *quoting, fastio__protection how, fastio_bytes text,
                                     char *out);

/* Says of a dictionary's texts, if that is worth it, whether they are clean. */
FASTIO__HIDDEN void fastio__look_at_dictionary(const fastio__quoting *quoting, fastio__field *field);
/* Protects the texts that need it. */
FASTIO__HIDDEN void fastio__quote_texts(const fastio__quoting *quoting, const fastio__care *care, fastio__texts *texts,
                                        size_t count, fastio__arena *arena);
/* One of them, whatever it is. */
FASTIO__HIDDEN void fastio__quote_text(const fastio__quoting *quoting, fastio__protection how, fastio__texts *texts,
                                       size_t row, fastio__arena *arena);

#endif
