/* Opening, writing and closing of sinks. */
#include "stages.h"

#include <errno.h>

void fastio__sink_none(fastio__sink *sink, const fastio_env *env) {
  memset(sink, 0, sizeof *sink);
  sink->env = env;
  sink->fd = -1;
}

/* ---- opening ---- */

static unsigned permissions_of(const fastio_write_options *options) {
  return options->permissions ? options->permissions : 0666;
}

static fastio_status open_plainly(fastio__sink *sink, const char *path, const fastio_write_options *options,
                                  fastio_error *err) {
  int error = fastio__file_create(path, options->mode, permissions_of(options), &sink->fd);
  if (error) return fastio__fail_os(err, error, "cannot open the file for writing");
  sink->owns_fd = true;
  return FASTIO_OK;
}

fastio_status fastio__sink_path(fastio__sink *sink, const char *path, const fastio_write_options *options,
                                fastio_error *err) {
  fastio__sink_none(sink, options->env);
  sink->synced = (options->flags & FASTIO_WRITE_SYNC) != 0;
  if (strcmp(path, "-") == 0) {
    sink->fd = fastio__stdout_fd();
    return FASTIO_OK;
  }
  return options->flags & FASTIO_WRITE_ATOMIC ? fastio__replace_open(sink, path, options, err)
                                              : open_plainly(sink, path, options, err);
}

fastio_status fastio__sink_fd(fastio__sink *sink, int fd, const fastio_write_options *options, fastio_error *err) {
  fastio__file_info info;
  int error = fastio__file_info_get(fd, &info);
  if (!error && info.is_directory) error = EISDIR;
  if (error) return fastio__fail_os(err, error, "cannot write to this descriptor");
  fastio__sink_none(sink, options->env);
  sink->fd = fd;
  sink->owns_fd = (options->flags & FASTIO_WRITE_OWNED) != 0;
  sink->synced = (options->flags & FASTIO_WRITE_SYNC) != 0;
  return FASTIO_OK;
}

/* What the FILE has buffered goes first: it is in front of what the writer brings. */
fastio_status fastio__sink_stdio(fastio__sink *sink, FILE *file, const fastio_write_options *options,
                                 fastio_error *err) {
  (void)err;
  fastio__sink_none(sink, options->env);
  sink->stdio = file;
  sink->owns_stdio = (options->flags & FASTIO_WRITE_OWNED) != 0;
  sink->synced = (options->flags & FASTIO_WRITE_SYNC) != 0;
  return FASTIO_OK;
}

void fastio__sink_device(fastio__sink *sink, const fastio_output_device *device, const fastio_env *env) {
  fastio__sink_none(sink, env);
  sink->device = *device;
}

static bool is_behind_text(const fastio__sink *sink, const fastio_write_options *options) {
  fastio__file_info info;
  return options->mode == FASTIO_APPEND && sink->owns_fd && fastio__file_info_get(sink->fd, &info) == 0 &&
         info.size > 0;
}

void fastio__sink_attach(fastio__sink *sink, fastio__stages *stages, const fastio_write_options *options) {
  sink->stages = stages;
  if (stages && is_behind_text(sink, options)) fastio__stages_continue(stages);
}

int fastio__sink_fileno(const fastio__sink *sink) { return sink->stdio ? fastio__stdio_fd(sink->stdio) : sink->fd; }

int fastio__sink_buffering(const fastio__sink *sink) {
  int fd = fastio__sink_fileno(sink);
  if (fd < 0 || (sink->stages && fastio__stages_compress(sink->stages))) return FASTIO_BUFFER_FULL;
  if (fd == fastio__stderr_fd()) return FASTIO_BUFFER_NONE;
  return fastio__is_terminal(fd) ? FASTIO_BUFFER_LINES : FASTIO_BUFFER_FULL;
}

bool fastio__sink_takes_many(const fastio__sink *sink) {
  return sink->fd >= 0 && !sink->stages && !(sink->env && sink->env->write);
}

/* ---- writing ---- */

/* The error agrees with the status, whatever the device has put there. */
static fastio_status device_said(fastio_status status, fastio_error *err) {
  if (status == FASTIO_OK) fastio_error_init(err);
  else if (err && err->status != status) fastio__fail(err, status, NULL);
  return status;
}

static fastio_status write_device(fastio__sink *sink, fastio_bytes piece, size_t *put, fastio_error *err) {
  fastio_status status;
  *put = 0;
  fastio__fail(err, FASTIO_CALLBACK_FAILED, NULL); /* what stands if the device sets no error of its own */
  status = sink->device.write(sink->device.ctx, piece.data, piece.size, put, err);
  if (*put > piece.size) {
    *put = 0;
    return fastio__fail(err, FASTIO_CALLBACK_FAILED, "write took more bytes than it was given");
  }
  if (status == FASTIO_OK && *put == 0)
    return fastio__fail(err, FASTIO_CALLBACK_FAILED, "write took none of the bytes");
  return device_said(status, err);
}

static fastio_status write_stdio(fastio__sink *sink, fastio_bytes piece, size_t *put, fastio_error *err) {
  errno = 0;
  *put = fwrite(piece.data, 1, piece.size, sink->stdio);
  return *put < piece.size ? fastio__fail_os(err, errno ? errno : EIO, "cannot write") : FASTIO_OK;
}

/* One call of whatever takes the bytes. */
static fastio_status write_some(fastio__sink *sink, const fastio_bytes *pieces, size_t count, size_t *put,
                                fastio_error *err) {
  int error;
  if (sink->device.write) return write_device(sink, pieces[0], put, err);
  if (sink->stdio) return write_stdio(sink, pieces[0], put, err);
  error = fastio__file_write(sink->env, sink->fd, pieces, count, put);
  return error ? fastio__fail_os(err, error, "cannot write") : FASTIO_OK;
}

/* Copies of a few pieces, from `*index` on, of which the first has lost `taken` bytes. */
static size_t gather(const fastio_bytes *pieces, size_t count, size_t *index, size_t *taken, fastio_bytes *out,
                     size_t capacity) {
  size_t used = 0;
  while (*index < count && *taken >= pieces[*index].size) *taken -= pieces[(*index)++].size;
  for (size_t i = *index; i < count && used < capacity; i++)
    if (pieces[i].size) out[used++] = pieces[i];
  if (used) {
    out[0].data = (const char *)out[0].data + *taken;
    out[0].size -= *taken;
  }
  return used;
}

/* Past the stages. */
static fastio_status put_pieces(fastio__sink *sink, const fastio_bytes *pieces, size_t count, uint64_t *put,
                                fastio_error *err) {
  fastio_bytes some[16];
  size_t index = 0, taken = 0, used, got;
  *put = 0;
  while ((used = gather(pieces, count, &index, &taken, some, sizeof some / sizeof *some)) > 0) {
    fastio_status status = write_some(sink, some, used, &got, err);
    *put += got;
    taken += got;
    if (status != FASTIO_OK) return status;
  }
  return FASTIO_OK;
}

fastio_status fastio__sink_put(fastio__sink *sink, const void *data, size_t size, fastio_error *err) {
  fastio_bytes piece = {data, size};
  uint64_t put;
  return put_pieces(sink, &piece, 1, &put, err);
}

static fastio_status stage_pieces(fastio__sink *sink, const fastio_bytes *pieces, size_t count, uint64_t *put,
                                  fastio_error *err) {
  *put = 0;
  for (size_t i = 0; i < count; i++) {
    size_t used;
    fastio_status status = fastio__stages_write(sink->stages, sink, pieces[i].data, pieces[i].size, &used, err);
    *put += used;
    sink->staged += used;
    if (status != FASTIO_OK) return status;
  }
  return FASTIO_OK;
}

fastio_status fastio__sink_write(fastio__sink *sink, const fastio_bytes *pieces, size_t count, uint64_t *put,
                                 fastio_error *err) {
  return sink->stages ? stage_pieces(sink, pieces, count, put, err) : put_pieces(sink, pieces, count, put, err);
}

fastio_status fastio__sink_finish(fastio__sink *sink, fastio_error *err) {
  return sink->stages ? fastio__stages_finish(sink->stages, sink, sink->staged, err) : FASTIO_OK;
}

fastio_status fastio__sink_flush(fastio__sink *sink, fastio_error *err) {
  fastio_status status = sink->stages ? fastio__stages_flush(sink->stages, sink, err) : FASTIO_OK;
  if (status != FASTIO_OK) return status;
  if (sink->stdio && fflush(sink->stdio) != 0) return fastio__fail_os(err, errno ? errno : EIO, "cannot flush");
  if (!sink->device.flush) return FASTIO_OK;
  fastio__fail(err, FASTIO_CALLBACK_FAILED, NULL);
  return device_said(sink->device.flush(sink->device.ctx, err), err);
}

fastio_status fastio__sink_sync(fastio__sink *sink, fastio_error *err) {
  int fd = fastio__sink_fileno(sink);
  fastio_status status = fastio__sink_flush(sink, err);
  int error = status == FASTIO_OK && fd >= 0 ? fastio__file_sync(fd) : 0;
  return error ? fastio__fail_os(err, error, "cannot sync") : status;
}

/* ---- closing ---- */

static fastio_status close_device(fastio__sink *sink, fastio_error *err) {
  if (!sink->device.close) return FASTIO_OK;
  fastio__fail(err, FASTIO_CALLBACK_FAILED, NULL);
  return device_said(sink->device.close(sink->device.ctx, err), err);
}

static int close_file(fastio__sink *sink) {
  if (sink->owns_stdio) {
    errno = 0;
    return fclose(sink->stdio) == 0 ? 0 : errno ? errno : EIO;
  }
  return sink->owns_fd ? fastio__file_close(sink->fd) : 0;
}

/* The failure that comes first is the one that is told; the rest is done all the same. */
fastio_status fastio__sink_close(fastio__sink *sink, bool keep, fastio_error *err) {
  fastio_status status = keep ? fastio__sink_finish(sink, err) : FASTIO_OK;
  int error;
  fastio__stages_free(sink->stages);
  sink->stages = NULL;
  if (keep && status == FASTIO_OK)
    status = sink->synced || sink->temporary ? fastio__sink_sync(sink, err) : fastio__sink_flush(sink, err);
  error = close_file(sink);
  if (error && status == FASTIO_OK) status = fastio__fail_os(err, error, "cannot close");
  if (sink->temporary && keep && status == FASTIO_OK) {
    error = fastio__replace_finish(sink);
    if (error) status = fastio__fail_os(err, error, "cannot replace the file");
  }
  fastio__replace_abandon(sink);
  if (sink->device.write) {
    fastio_error of_close;
    fastio_status closed = close_device(sink, &of_close);
    if (status == FASTIO_OK && closed != FASTIO_OK) {
      status = closed;
      if (err) *err = of_close;
    }
  }
  return status;
}
