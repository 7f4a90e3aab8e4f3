/* STUB until the stages are there. */
#include "source.h"

void fastio_decode_options_init(fastio_decode_options *options) {
  *options = (fastio_decode_options)FASTIO_DECODE_OPTIONS_INIT;
}
fastio_status fastio_source_decode(fastio_source *source, const fastio_decode_options *options, fastio_error *err) {
  (void)source, (void)options, (void)err;
  return FASTIO_OK;
}
void fastio_source_decoded(const fastio_source *source, fastio_decoded *out) {
  (void)source;
  memset(out, 0, sizeof *out);
  out->first_error = FASTIO_NO_OFFSET;
}
fastio_status fastio__source_begin(fastio_source *source, fastio__view view, unsigned threads, fastio_error *err) {
  (void)source, (void)view, (void)threads, (void)err;
  return FASTIO_OK;
}
fastio_status fastio__source_begin_copy(fastio_source *source, fastio_error *err) {
  (void)source, (void)err;
  return FASTIO_OK;
}
bool fastio__source_is_encoded(const fastio_source *source) {
  (void)source;
  return false;
}
uint64_t fastio__source_undecoded(const fastio_source *source, uint64_t offset, const uint8_t *text, size_t size) {
  (void)source, (void)offset, (void)text;
  return size;
}
void fastio__source_ahead_start(fastio_source *source) { (void)source; }
void fastio__source_ahead_stop(fastio_source *source) { (void)source; }
