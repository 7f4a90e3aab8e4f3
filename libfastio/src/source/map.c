/* source/map: a file as memory. Maps what can be mapped and reads the rest into memory, behind one struct. */
#include "../core/core.h"
#include "../platform/platform.h"

/* What the caller sees comes first, so that one pointer is both. */
typedef struct map {
  fastio_map view;
  const fastio_env *env;
  void *base;       /* the mapping, which starts at a page, or the private copy; NULL for an empty map */
  size_t base_size; /* as mapped or allocated */
  fastio__guard *guard;
} map;

static const unsigned char nothing[1];

void fastio_map_options_init(fastio_map_options *options) { *options = (fastio_map_options)FASTIO_MAP_OPTIONS_INIT; }

/* ---- What cannot be mapped: a private copy ---- */

/* A file that is read from `position` on; a pipe has no positions and gives what comes next. */
typedef struct input {
  const fastio_env *env;
  int fd;
  bool has_positions;
  uint64_t position;
} input;

static int input_read(input *in, void *data, size_t size, size_t *got) {
  int error = in->has_positions ? fastio__file_pread(in->env, in->fd, data, size, in->position, got)
                                : fastio__file_read(in->env, in->fd, data, size, got);
  if (error == 0) in->position += *got;
  return error;
}

/* Brings a pipe to `offset` the only way there is. The end of the data before that leaves nothing to read: no error. */
static int input_skip_to(input *in, uint64_t offset) {
  unsigned char buffer[4096];
  size_t got = 1;
  int error = 0;
  while (error == 0 && got > 0 && in->position < offset) {
    uint64_t left = offset - in->position;
    error = input_read(in, buffer, left < sizeof buffer ? (size_t)left : sizeof buffer, &got);
  }
  return error;
}

static fastio_status copy_grow(map *m, size_t needed, fastio_error *err) {
  size_t capacity = fastio__grown(m->base_size, needed);
  void *base = capacity == 0 ? NULL : fastio__reallocate(m->env, m->base, m->base_size, capacity);
  if (base == NULL) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  m->base = base;
  m->base_size = capacity;
  return FASTIO_OK;
}

/* Reads up to `length` bytes, of which `expected` are known to be there (a hint: /proc says 0, sysfs too much). */
static fastio_status copy_read(map *m, input *in, uint64_t length, size_t expected, fastio_error *err) {
  enum { FIRST_BLOCK = 65536 };
  size_t used = 0, got = 1;
  size_t needed = expected < FIRST_BLOCK ? FIRST_BLOCK : expected;
  while (got > 0 && used < length) {
    if (used == m->base_size) {
      /* One byte more than expected, so that the end is seen without growing. */
      if (!fastio__add(m->base_size == 0 ? needed : used, 1, &needed)) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
      fastio_status status = copy_grow(m, needed, err);
      if (status != FASTIO_OK) return status;
    }
    size_t room = m->base_size - used;
    if (room > length - used) room = (size_t)(length - used);
    int error = input_read(in, (unsigned char *)m->base + used, room, &got);
    if (error != 0) {
      fastio__fail_os(err, error, "cannot read the file");
      if (err != NULL) err->offset = in->position;
      return FASTIO_OS_ERROR;
    }
    used += got;
  }
  m->view.size = used;
  return FASTIO_OK;
}

static void copy_shrink(map *m) {
  if (m->base == NULL || m->view.size == m->base_size) return;
  size_t size = m->view.size == 0 ? 1 : m->view.size;
  void *base = fastio__reallocate(m->env, m->base, m->base_size, size);
  if (base == NULL) return;
  m->base = base;
  m->base_size = size;
}

static fastio_status open_copy(map *m, int fd, const fastio__file_info *info, const fastio_map_options *options,
                               size_t expected, fastio_error *err) {
  input in = {m->env, fd, info->is_regular, info->is_regular ? options->offset : 0};
  int error = input_skip_to(&in, options->offset);
  if (error != 0) return fastio__fail_os(err, error, "cannot read the file");
  fastio_status status = copy_read(m, &in, options->length, expected, err);
  if (status != FASTIO_OK) {
    fastio__release(m->env, m->base, m->base_size);
    return status;
  }
  copy_shrink(m);
  m->view.data = m->base == NULL ? nothing : m->base;
  return FASTIO_OK;
}

/* ---- What can ---- */

/* False: the system refuses, whatever the reason; reading will tell whether the file itself is at fault. */
static bool try_map(map *m, int fd, const fastio_map_options *options, size_t size) {
  size_t lead = (size_t)(options->offset % fastio__page_size()); /* maps start at pages, ranges anywhere */
  size_t whole;
  if (!fastio__add(size, lead, &whole)) return false;
  if (fastio__file_map(fd, options->offset - lead, whole, options->flags, &m->base) != 0) {
    m->base = NULL;
    return false;
  }
  m->base_size = whole;
  m->view.data = (const unsigned char *)m->base + lead;
  m->view.size = size;
  m->view.is_mapped = 1;
  return true;
}

static fastio_status guard_map(map *m, fastio_error *err) {
  int error = fastio__guard_add(m->base, m->base_size, &m->guard);
  if (error == 0) return FASTIO_OK;
  fastio__file_unmap(m->base, m->base_size);
  return fastio__fail_os(err, error, "cannot guard the map");
}

static uint64_t bytes_in_range(const fastio__file_info *info, const fastio_map_options *options) {
  if (!info->is_regular || options->offset >= info->size) return 0;
  uint64_t left = info->size - options->offset;
  return left < options->length ? left : options->length;
}

/* A size of 0 says nothing: /proc has such files, full of text. */
static bool is_past_end(const fastio__file_info *info, uint64_t offset) {
  return info->is_regular && (offset > INT64_MAX || (info->size > 0 && offset >= info->size));
}

static fastio_status open_range(map *m, int fd, const fastio_map_options *options, fastio_error *err) {
  fastio__file_info info;
  int error = fastio__file_info_get(fd, &info);
  if (error != 0) return fastio__fail_os(err, error, "cannot examine the file");
  if (is_past_end(&info, options->offset)) return FASTIO_OK;
  uint64_t size = bytes_in_range(&info, options);
  if (size > SIZE_MAX) return fastio__fail(err, FASTIO_NO_MEMORY, "the range does not fit into the address space");
  if (size > 0 && try_map(m, fd, options, (size_t)size)) {
    return (options->flags & FASTIO_MAP_GUARD) != 0 ? guard_map(m, err) : FASTIO_OK;
  }
  return open_copy(m, fd, &info, options, (size_t)size, err);
}

/* ---- The public functions ---- */

/* The caller's options, completed by the defaults of members that its version of the header does not have. */
static fastio_status read_options(const fastio_map_options *given, fastio_map_options *out, fastio_error *err) {
  const unsigned known = FASTIO_MAP_SEQUENTIAL | FASTIO_MAP_RANDOM | FASTIO_MAP_WILLNEED | FASTIO_MAP_POPULATE |
                         FASTIO_MAP_HUGE | FASTIO_MAP_GUARD;
  fastio_map_options_init(out);
  if (given != NULL) memcpy(out, given, given->size < sizeof *out ? given->size : sizeof *out);
  if ((out->flags & ~known) != 0) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "unknown map flags");
  if ((out->flags & FASTIO_MAP_GUARD) != 0 && !fastio__guard_is_supported()) {
    return fastio__fail(err, FASTIO_UNSUPPORTED, "this system has no SIGBUS guard");
  }
  return FASTIO_OK;
}

fastio_status fastio_map_fd(int fd, const fastio_map_options *options, fastio_map **out, fastio_error *err) {
  fastio_map_options chosen;
  fastio_status status = read_options(options, &chosen, err);
  if (status != FASTIO_OK) return status;
  map *m = fastio__allocate(chosen.env, sizeof *m);
  if (m == NULL) return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  *m = (map){{nothing, 0, 0}, chosen.env, NULL, 0, NULL};
  status = open_range(m, fd, &chosen, err);
  if (status != FASTIO_OK) {
    fastio__release(chosen.env, m, sizeof *m);
    return status;
  }
  *out = &m->view;
  return FASTIO_OK;
}

fastio_status fastio_map_open(const char *path, const fastio_map_options *options, fastio_map **out,
                              fastio_error *err) {
  if (path == NULL) return fastio__fail(err, FASTIO_INVALID_ARGUMENT, "the path is NULL");
  if (strcmp(path, "-") == 0) return fastio_map_fd(fastio__stdin_fd(), options, out, err);
  int fd;
  int error = fastio__file_open(path, &fd);
  if (error != 0) return fastio__fail_os(err, error, "cannot open the file");
  fastio_status status = fastio_map_fd(fd, options, out, err);
  fastio__file_close(fd); /* a map outlives its descriptor */
  return status;
}

void fastio_map_advise(fastio_map *public_map, size_t offset, size_t length, unsigned advice) {
  if (!public_map->is_mapped || offset >= public_map->size || length == 0) return;
  if (length > public_map->size - offset) length = public_map->size - offset;
  size_t lead = (uintptr_t)(public_map->data + offset) % fastio__page_size();
  map *m = (map *)public_map;
  unsigned char *start = (unsigned char *)m->base + (public_map->data + offset - (const unsigned char *)m->base);
  fastio__map_advise(start - lead, length + lead, advice);
}

fastio_status fastio_map_check(const fastio_map *public_map, fastio_error *err) {
  const map *m = (const map *)public_map;
  if (m->guard == NULL) return FASTIO_OK;
  const unsigned char *lost = fastio__guard_lost(m->guard);
  if (lost == NULL) return FASTIO_OK;
  uint64_t offset = lost > m->view.data ? (uint64_t)(lost - m->view.data) : 0;
  return fastio__fail_at(err, FASTIO_TRUNCATED, "the file shrank while it was mapped", offset, NULL, 0);
}

void fastio_map_close(fastio_map *public_map) {
  if (public_map == NULL) return;
  map *m = (map *)public_map;
  if (m->guard != NULL) fastio__guard_remove(m->guard);
  if (m->view.is_mapped) {
    fastio__file_unmap(m->base, m->base_size);
  } else if (m->base != NULL) {
    fastio__release(m->env, m->base, m->base_size);
  }
  fastio__release(m->env, m, sizeof *m);
}
