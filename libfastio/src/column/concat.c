/* STUB until it is there. */
#include "column.h"

fastio_status fastio_column_concat(const fastio_column *const *columns, size_t count, const fastio_env *env,
                                   fastio_column **out, fastio_error *err) {
  (void)columns, (void)count, (void)env, (void)out;
  return fastio__fail(err, FASTIO_UNSUPPORTED, NULL);
}
fastio_status fastio_transcode(const void *data, size_t size, const char *from, const char *to, int errors,
                               const fastio_env *env, fastio_column **out, uint64_t *error_count, fastio_error *err) {
  (void)data, (void)size, (void)from, (void)to, (void)errors, (void)env, (void)out, (void)error_count;
  return fastio__fail(err, FASTIO_UNSUPPORTED, NULL);
}
fastio_status fastio_glob(const char *pattern, const fastio_env *env, fastio_column **out, fastio_error *err) {
  (void)pattern, (void)env, (void)out;
  return fastio__fail(err, FASTIO_UNSUPPORTED, NULL);
}
