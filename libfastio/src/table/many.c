/* STUB until it is there. */
#include "csv.h"

fastio_status fastio_read_csv_many(fastio_source *const *sources, size_t count, const fastio_bytes *labels,
                                   const char *label_name, const fastio_csv_options *options, fastio_table **out,
                                   fastio_error *err) {
  (void)sources, (void)count, (void)labels, (void)label_name, (void)options, (void)out;
  return fastio__fail(err, FASTIO_UNSUPPORTED, NULL);
}
