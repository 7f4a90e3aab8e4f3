/* The tables of GB18030 (gb18030_table.c, generated). Private to text. */
#ifndef FASTIO__GB18030_H
#define FASTIO__GB18030_H

#include "../core/compiler.h"

enum { FASTIO__GB18030_TRAILS = 190, FASTIO__GB18030_PAIRS = 126 * FASTIO__GB18030_TRAILS };
extern FASTIO__HIDDEN const uint16_t fastio__gb18030_pairs[FASTIO__GB18030_PAIRS]; /* characters; 0: none */

/* Characters of four bytes each, whose linear numbers run with them. Both rise. */
typedef struct fastio__gb18030_run {
  uint16_t code, number, length;
} fastio__gb18030_run;
extern FASTIO__HIDDEN const fastio__gb18030_run fastio__gb18030_runs[];
extern FASTIO__HIDDEN const size_t fastio__gb18030_run_count;

#endif
