/* Opening and reading of sources. */
#include "source.h"

#include <errno.h>

static fastio_status source_new(const fastio_env *env, fastio__source_kind kind, fastio_source **out,
                                fastio_error *err) {
  fastio_source *source = fastio__allocate(env, sizeof *source);
  if (!source) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  memset(source, 0, sizeof *source);
  source->env = env;
  source->kind = kind;
  source->fd = -1;
  *out = source;
  return FASTIO_OK;
}

/* A regular file with a size can be read anywhere. /proc has regular files of size 0 that have content: streams. */
static fastio_status adopt_fd(int fd, bool owned, const fastio_env *env, fastio_source **out, fastio_error *err) {
  fastio_source *source = NULL;
  fastio__file_info info;
  uint64_t position = 0;
  bool seekable;
  fastio_status status;
  int error = fastio__file_info_get(fd, &info);
  if (!error && info.is_directory) error = EISDIR;
  if (error) return fastio__fail_os(err, error, "cannot read this descriptor");
  seekable = info.is_regular && info.size > 0 && (owned || fastio__file_position(fd, &position) == 0);
  status = source_new(env, seekable ? FASTIO__FILE : FASTIO__STREAM, &source, err);
  if (status != FASTIO_OK) return status;
  source->fd = fd;
  source->owns_fd = owned;
  source->base = position;
  *out = source;
  return FASTIO_OK;
}

fastio_status fastio_source_open(const char *path, const fastio_env *env, fastio_source **out, fastio_error *err) {
  fastio_status status;
  int fd, error;
  if (!path || !out) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "path and out must not be NULL");
  if (strcmp(path, "-") == 0) return adopt_fd(fastio__stdin_fd(), false, env, out, err);
  error = fastio__file_open(path, &fd);
  if (error) return fastio__fail_os(err, error, "cannot open the file");
  fastio__file_advise_sequential(fd);
  status = adopt_fd(fd, true, env, out, err);
  if (status != FASTIO_OK) fastio__file_close(fd);
  return status;
}

fastio_status fastio_source_fd(int fd, const fastio_env *env, fastio_source **out, fastio_error *err) {
  if (!out) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "out must not be NULL");
  return adopt_fd(fd, false, env, out, err);
}

fastio_status fastio_source_stdio(FILE *file, const fastio_env *env, fastio_source **out, fastio_error *err) {
  fastio_status status;
  if (!file || !out) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "file and out must not be NULL");
  status = source_new(env, FASTIO__STREAM, out, err);
  if (status == FASTIO_OK) (*out)->stdio = file;
  return status;
}

fastio_status fastio_source_memory(const void *data, size_t size, const fastio_env *env, fastio_source **out,
                                   fastio_error *err) {
  fastio_status status;
  if (!out || (!data && size)) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "data and out must not be NULL");
  status = source_new(env, FASTIO__MEMORY, out, err);
  if (status != FASTIO_OK) return status;
  (*out)->data = data ? data : (const void *)"";
  (*out)->size = size;
  return FASTIO_OK;
}

fastio_status fastio_source_map(const fastio_map *map, const fastio_env *env, fastio_source **out, fastio_error *err) {
  fastio_status status;
  if (!map) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "map must not be NULL");
  status = fastio_source_memory(map->data, map->size, env, out, err);
  if (status == FASTIO_OK) (*out)->map = map;
  return status;
}

fastio_status fastio_source_device(const fastio_device *device, const fastio_env *env, fastio_source **out,
                                   fastio_error *err) {
  fastio_status status = device && device->read && out
                             ? source_new(env, FASTIO__STREAM, out, err)
                             : fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the device needs a read function");
  if (status == FASTIO_OK) (*out)->device = *device;
  else if (device && device->close) device->close(device->ctx);
  return status;
}

void fastio_source_close(fastio_source *source) {
  if (!source) return;
  fastio__ahead_free(source->ahead);
  if (source->device.close) source->device.close(source->device.ctx);
  if (source->owns_fd) fastio__file_close(source->fd);
  fastio__decoding_free(source);
  fastio__release(source->env, source->head, source->head_capacity);
  fastio__release(source->env, source, sizeof *source);
}

uint64_t fastio_source_size(const fastio_source *source) {
  fastio__file_info info;
  uint64_t end;
  if (source->kind == FASTIO__MEMORY) return source->size - source->position;
  if (source->kind == FASTIO__STREAM || fastio__file_info_get(source->fd, &info) != 0) return FASTIO_NO_OFFSET;
  end = source->base + source->position;
  return info.size > end ? info.size - end : 0;
}

fastio_status fastio__source_limit(fastio_source *source, uint64_t *limit, fastio_error *err) {
  fastio__file_info info;
  int error;
  *limit = FASTIO_NO_OFFSET;
  if (source->kind == FASTIO__MEMORY) *limit = source->size;
  if (source->kind != FASTIO__FILE) return FASTIO_OK;
  error = fastio__file_info_get(source->fd, &info);
  if (error) return fastio__fail_os(err, error, "cannot tell the file's size");
  *limit = info.size > source->base ? info.size - source->base : 0;
  return FASTIO_OK;
}

static fastio_status read_failed(uint64_t offset, int error, fastio_error *err) {
  fastio__fail_os(err, error, "cannot read");
  if (err) err->offset = offset;
  return FASTIO_OS_ERROR;
}

static fastio_status read_device(fastio_source *source, void *data, size_t size, size_t *got, fastio_error *err) {
  fastio_status status;
  size_t count = 0;
  fastio__fail(err, FASTIO_CALLBACK_FAILED, NULL); /* what stands if the device sets no error of its own */
  status = source->device.read(source->device.ctx, data, size, &count, err);
  if (status == FASTIO_END) count = 0;
  else if (status != FASTIO_OK) {
    if (err && err->status != status) fastio__fail(err, status, NULL);
    return status;
  }
  if (count > size) return fastio__fail(err, FASTIO_CALLBACK_FAILED, "read returned more bytes than were asked for");
  fastio_error_init(err);
  *got = count;
  return FASTIO_OK;
}

static fastio_status read_stdio(fastio_source *source, void *data, size_t size, size_t *got, fastio_error *err) {
  errno = 0;
  *got = fread(data, 1, size, source->stdio);
  if (*got == 0 && ferror(source->stdio)) return read_failed(source->position, errno ? errno : EIO, err);
  return FASTIO_OK;
}

/* One read of whatever is there. A file owned by the source is read by position, so that threads can share it. */
static fastio_status read_some(fastio_source *source, void *data, size_t size, size_t *got, fastio_error *err) {
  int error;
  if (source->device.read) return read_device(source, data, size, got, err);
  if (source->stdio) return read_stdio(source, data, size, got, err);
  error = source->ahead ? fastio__ahead_read(source->ahead, data, size, got)
                        : fastio__file_read(source->env, source->fd, data, size, got);
  return error ? read_failed(source->position, error, err) : FASTIO_OK;
}

fastio_status fastio__source_read(fastio_source *source, void *data, size_t size, size_t *got, fastio_error *err) {
  fastio_status status = FASTIO_OK;
  *got = 0;
  if (source->kind == FASTIO__MEMORY) {
    size_t left = source->size - (size_t)source->position;
    *got = size < left ? size : left;
    memcpy(data, source->data + source->position, *got);
    status = fastio__source_check(source, err);
  } else if (source->kind == FASTIO__STREAM && source->head_taken < source->head_size) {
    size_t left = source->head_size - source->head_taken;
    *got = size < left ? size : left;
    memcpy(data, source->head + source->head_taken, *got);
    source->head_taken += *got;
  } else if (source->failure.status != FASTIO_OK) {
    status = source->failure.status;
    if (err) *err = source->failure;
    fastio_error_init(&source->failure);
  } else {
    status = read_some(source, data, size, got, err);
  }
  if (status == FASTIO_OK) source->position += *got;
  return status;
}

enum { HEAD_READ = 64 << 10 };

/* Reads more into the head; *got = 0 at the end. */
static fastio_status read_head(fastio_source *source, size_t *got, fastio_error *err) {
  size_t needed = source->head_size + HEAD_READ;
  if (needed > source->head_capacity) {
    size_t capacity = fastio__grown(source->head_capacity, needed);
    uint8_t *head = capacity ? fastio__reallocate(source->env, source->head, source->head_capacity, capacity) : NULL;
    if (!head) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
    source->head = head;
    source->head_capacity = capacity;
  }
  if (source->kind == FASTIO__FILE)
    return fastio__source_pread(source, source->head_size, source->head + source->head_size, HEAD_READ, got, err);
  *got = 0;
  return read_some(source, source->head + source->head_size, HEAD_READ, got, err);
}

/* What was taken of a stream's head makes room. */
static void drop_taken(fastio_source *source) {
  if (source->head_taken == 0) return;
  source->head_size -= source->head_taken;
  memmove(source->head, source->head + source->head_taken, source->head_size);
  source->head_taken = 0;
}

/* A stream may not fail twice: the read that comes there is to tell it. */
static fastio_status look_further(fastio_source *source, size_t *got, fastio_error *err) {
  fastio_error failure = source->failure;
  fastio_status status = failure.status ? failure.status : read_head(source, got, &failure);
  if (status == FASTIO_OK) return status;
  if (source->kind == FASTIO__STREAM) source->failure = failure;
  if (err) *err = failure;
  return status;
}

fastio_status fastio__source_peek(fastio_source *source, size_t wanted, const uint8_t **data, size_t *got,
                                  fastio_error *err) {
  fastio_status status = FASTIO_OK;
  size_t more = 1;
  if (source->kind == FASTIO__MEMORY) {
    *data = source->data;
    *got = source->size;
    return fastio__source_check(source, err);
  }
  drop_taken(source);
  if (source->kind == FASTIO__FILE) source->head_size = 0; /* it may have changed since */
  while (status == FASTIO_OK && source->head_size < wanted && more > 0) {
    status = look_further(source, &more, err);
    if (status == FASTIO_OK) source->head_size += more;
  }
  *data = source->head ? source->head : (const uint8_t *)"";
  *got = source->head_size;
  return status;
}

fastio_status fastio__source_pread(fastio_source *source, uint64_t offset, void *data, size_t size, size_t *got,
                                   fastio_error *err) {
  size_t done = 0, part = 1;
  if (source->kind == FASTIO__MEMORY) {
    size_t left = offset < source->size ? source->size - (size_t)offset : 0;
    *got = size < left ? size : left;
    memcpy(data, source->data + (source->size - left), *got);
    return fastio__source_check(source, err);
  }
  while (done < size && part > 0) {
    int error = fastio__file_pread(source->env, source->fd, (char *)data + done, size - done,
                                   source->base + offset + done, &part);
    if (error) return read_failed(offset + done, error, err);
    done += part;
  }
  *got = done;
  return FASTIO_OK;
}

fastio_status fastio__source_seek(fastio_source *source, uint64_t position, fastio_error *err) {
  int error;
  if (source->kind == FASTIO__MEMORY) {
    source->position = position < source->size ? position : source->size;
    return FASTIO_OK;
  }
  error = fastio__file_seek(source->fd, source->base + position);
  if (error) return fastio__fail_os(err, error, "cannot seek");
  source->position = position;
  return FASTIO_OK;
}

fastio_status fastio__source_check(const fastio_source *source, fastio_error *err) {
  return source->map ? fastio_map_check(source->map, err) : FASTIO_OK;
}
