/* STUB until the encodings are there. */
#include "text.h"

const char *fastio_encoding_name(const char *name) {
  (void)name;
  return NULL;
}
size_t fastio_utf8_valid(const void *data, size_t size) { return fastio__utf8_prefix(data, size); }
uint64_t fastio_utf8_count(const void *data, size_t size) {
  (void)data;
  return size;
}
fastio_status fastio_transcoder_new(const char *from, const char *to, int errors, const fastio_env *env,
                                    fastio_transcoder **out, fastio_error *err) {
  (void)from, (void)to, (void)errors, (void)env, (void)out;
  return fastio__fail(err, FASTIO_UNSUPPORTED, NULL);
}
void fastio_transcoder_free(fastio_transcoder *transcoder) { (void)transcoder; }
fastio_status fastio_transcoder_run(fastio_transcoder *transcoder, const void *data, size_t size, int last,
                                    size_t *used, void *out, size_t capacity, size_t *put, fastio_error *err) {
  (void)transcoder, (void)data, (void)size, (void)last, (void)used, (void)out, (void)capacity, (void)put;
  return fastio__fail(err, FASTIO_UNSUPPORTED, NULL);
}
uint64_t fastio_transcoder_errors(const fastio_transcoder *transcoder) {
  (void)transcoder;
  return 0;
}
const fastio__encoding *fastio__encoding_find(const char *name) {
  (void)name;
  return NULL;
}
const char *fastio__encoding_title(const fastio__encoding *encoding) {
  (void)encoding;
  return "";
}
uint64_t fastio__encoded_size(const fastio__encoding *encoding, const uint8_t *data, size_t size) {
  (void)encoding, (void)data;
  return size;
}
size_t fastio__transcoder_corrections(const fastio_transcoder *transcoder, const fastio__correction **out) {
  (void)transcoder, (void)out;
  return 0;
}
