/* Status names and the filling of error structs. */
#include "core.h"

const char *fastio_status_name(fastio_status status) {
  switch (status) {
#define CASE(constant, number, name, exception, text) \
  case constant: return name;
    FASTIO_STATUS_LIST(CASE)
#undef CASE
    default: return "unknown";
  }
}

const char *fastio_status_text(fastio_status status) {
  switch (status) {
#define CASE(constant, number, name, exception, text) \
  case constant: return text;
    FASTIO_STATUS_LIST(CASE)
#undef CASE
    default: return "unknown";
  }
}

void fastio_error_init(fastio_error *err) {
  if (!err) return;
  memset(err, 0, sizeof *err);
  err->offset = FASTIO_NO_OFFSET;
  err->raw_offset = FASTIO_NO_OFFSET;
  err->message = fastio_status_text(FASTIO_OK);
}

fastio_status fastio__fail(fastio_error *err, fastio_status status, const char *message) {
  if (err) {
    fastio_error_init(err);
    err->status = status;
    err->message = message ? message : fastio_status_text(status);
  }
  return status;
}

fastio_status fastio__fail_os(fastio_error *err, int os_error, const char *message) {
  fastio__fail(err, FASTIO_OS_ERROR, message);
  if (err) err->os_error = os_error;
  return FASTIO_OS_ERROR;
}

fastio_status fastio__fail_at(fastio_error *err, fastio_status status, const char *message, uint64_t offset,
                              const void *text, size_t text_size) {
  fastio__fail(err, status, message);
  if (err) {
    err->offset = offset;
    err->text_size = text_size < FASTIO_ERROR_TEXT_MAX ? text_size : FASTIO_ERROR_TEXT_MAX;
    if (err->text_size) memcpy(err->text, text, err->text_size);
  }
  return status;
}
