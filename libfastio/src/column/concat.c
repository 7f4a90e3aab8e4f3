/* STUB until it is there. */
#include "column.h"

fastio_status fastio_column_concat(const fastio_column *const *columns, size_t count, const fastio_env *env,
                                   fastio_column **out, fastio_error *err) {
  (void)columns, (void)count, (void)env, (void)out;
  return fastio__fail(err, FASTIO_UNSUPPORTED, NULL);
}
fastio_status fastio_glob(const char *pattern, const fastio_env *env, fastio_column **out, fastio_error *err) {
  (void)pattern, (void)env, (void)out;
  return fastio__fail(err, FASTIO_UNSUPPORTED, NULL);
}
