/* STUB until the codecs are there. */
#include "codec.h"

const char *fastio_compression_name(size_t index) {
  (void)index;
  return NULL;
}
const char *fastio__format_name(fastio__format format) {
  (void)format;
  return "";
}
fastio__format fastio__format_find(const char *name) {
  (void)name;
  return FASTIO__NO_FORMAT;
}
fastio__format fastio__format_of_path(const char *path) {
  (void)path;
  return FASTIO__NO_FORMAT;
}
bool fastio__format_is_built(fastio__format format) {
  (void)format;
  return false;
}
fastio_status fastio__format_missing(fastio__format format, fastio_error *err) {
  (void)format;
  return fastio__fail(err, FASTIO_UNSUPPORTED, NULL);
}
fastio__format fastio__format_detect(const uint8_t *data, size_t size) {
  (void)data, (void)size;
  return FASTIO__NO_FORMAT;
}
fastio_status fastio__decoder_new(fastio__format format, const fastio_env *env, fastio__decoder **out,
                                  fastio_error *err) {
  (void)env, (void)out;
  return fastio__format_missing(format, err);
}
void fastio__decoder_free(fastio__decoder *decoder) { (void)decoder; }
fastio_status fastio__decoder_run(fastio__decoder *decoder, fastio__flow *flow, bool *ended, fastio_error *err) {
  (void)decoder, (void)flow, (void)ended;
  return fastio__fail(err, FASTIO_UNSUPPORTED, NULL);
}
void fastio__decoder_reset(fastio__decoder *decoder) { (void)decoder; }
size_t fastio__frame_size(fastio__format format, const uint8_t *data, size_t size, uint64_t *content) {
  (void)format, (void)data, (void)size, (void)content;
  return 0;
}
bool fastio__is_padded(fastio__format format) {
  (void)format;
  return false;
}
fastio_status fastio__encoder_new(fastio__format format, int level, unsigned threads, const fastio_env *env,
                                  fastio__encoder **out, fastio_error *err) {
  (void)level, (void)threads, (void)env, (void)out;
  return fastio__format_missing(format, err);
}
void fastio__encoder_free(fastio__encoder *encoder) { (void)encoder; }
fastio_status fastio__encoder_run(fastio__encoder *encoder, fastio__flow *flow, fastio__encode_end end, bool *done,
                                  fastio_error *err) {
  (void)encoder, (void)flow, (void)end, (void)done;
  return fastio__fail(err, FASTIO_UNSUPPORTED, NULL);
}
