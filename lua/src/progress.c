/* progress = true: a line on standard error, at most ten times a second, and nothing where nobody looks at it. */
#include <stdio.h>
#include <time.h>

#include "flua.h"

#ifdef _WIN32
#  include <io.h>
#  define is_terminal() _isatty(2)
#else
#  include <unistd.h>
#  define is_terminal() isatty(2)
#endif

static unsigned long milliseconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (unsigned long)now.tv_sec * 1000 + (unsigned long)now.tv_nsec / 1000000;
}

void flua_draw_bar(Bridge *bridge, uint64_t done, uint64_t total) {
  unsigned long now = milliseconds();
  if (now - bridge->last_drawn < 100 || !is_terminal()) return;
  bridge->last_drawn = now;
  if (total == FASTIO_NO_OFFSET || total == 0) {
    fprintf(stderr, "\r%.1f %s", (double)done / 1e6, bridge->unit);
  } else {
    fprintf(stderr, "\r%5.1f %% of %.1f %s", 100.0 * (double)done / (double)total, (double)total / 1e6, bridge->unit);
  }
  fflush(stderr);
}

void flua_end_bar(Bridge *bridge) {
  if (bridge->last_drawn) fputs("\r\033[K", stderr);
  bridge->last_drawn = 0;
}
