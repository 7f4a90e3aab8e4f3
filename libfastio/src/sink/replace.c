/* sink/replace: a file that is written beside its place and takes it when it is complete. */
#include "sink.h"

#include <errno.h>
#include <stdio.h>

enum { SUFFIX_MAX = 32, LINKS_MAX = 40, PATH_ROOM = 4096 };

/* path becomes what the link there leads to. */
static int follow(char *path, size_t capacity) {
  char target[PATH_ROOM];
  size_t directory = fastio__directory_size(path), size;
  int error = fastio__link_read(path, target, sizeof target, &size);
  if (error) return error;
  if (target[0] == '/') directory = 0;
  if (directory + size >= capacity) return ENAMETOOLONG;
  memcpy(path + directory, target, size);
  path[directory + size] = '\0';
  return 0;
}

/* Where links lead, also to where nothing is yet. */
static int resolve(char *path, size_t capacity, fastio__path_kind *kind) {
  int error = fastio__path_look(path, false, kind);
  for (int links = 0; !error && *kind == FASTIO__PATH_LINK; links++) {
    error = links < LINKS_MAX ? follow(path, capacity) : ELOOP;
    if (!error) error = fastio__path_look(path, false, kind);
  }
  return error;
}

/* A name that is in nobody's way: the file's own, cut short where it is long, hidden, and 64 random bits. */
static void name_temporary(char *out, const char *path) {
  size_t directory = fastio__directory_size(path);
  int shown = (int)strlen(path + directory);
  memcpy(out, path, directory);
  snprintf(out + directory, PATH_ROOM + SUFFIX_MAX - directory, ".%.*s.%016llx.tmp", shown < 200 ? shown : 200,
           path + directory, (unsigned long long)fastio__random());
}

/* What replaces a file is nobody else's to open before it has that file's rights. */
static int create_temporary(fastio__sink *sink, unsigned permissions, bool replaces) {
  const unsigned at_first = replaces ? 0600 : permissions;
  int error, tries = 0;
  do {
    name_temporary(sink->temporary, sink->path);
    error = fastio__file_create(sink->temporary, FASTIO_EXCLUSIVE, at_first, &sink->fd);
  } while (fastio__is_name_taken(error) && ++tries < 100);
  if (error) {
    sink->temporary[0] = '\0'; /* nothing to remove */
    return error;
  }
  sink->owns_fd = true;
  return replaces ? fastio__file_take_rights(sink->fd, sink->path) : 0;
}

static void free_names(fastio__sink *sink) {
  fastio__release(sink->env, sink->temporary, sink->path_size);
  fastio__release(sink->env, sink->path, sink->path_size);
  sink->temporary = sink->path = NULL;
}

static fastio_status allocate_names(fastio__sink *sink, const char *path, fastio_error *err) {
  if (strlen(path) >= PATH_ROOM) return fastio__fail_os(err, ENAMETOOLONG, "the path is too long");
  sink->path_size = PATH_ROOM + SUFFIX_MAX;
  sink->path = fastio__allocate(sink->env, sink->path_size);
  if (sink->path) sink->temporary = fastio__allocate(sink->env, sink->path_size);
  if (!sink->temporary) {
    free_names(sink);
    return fastio__fail(err, FASTIO_NO_MEMORY, NULL);
  }
  strcpy(sink->path, path);
  sink->temporary[0] = '\0';
  return FASTIO_OK;
}

/* Pipes and devices are there to be written to, not to be replaced. */
static int open_device(fastio__sink *sink, const fastio_write_options *options) {
  int error = fastio__file_create(sink->path, options->mode, 0666, &sink->fd);
  sink->owns_fd = !error;
  free_names(sink);
  return error;
}

static int open_target(fastio__sink *sink, const fastio_write_options *options) {
  unsigned permissions = options->permissions ? options->permissions : 0666;
  fastio__path_kind kind;
  int error;
  sink->exclusive = options->mode == FASTIO_EXCLUSIVE;
  if (sink->exclusive) { /* a link that leads nowhere is in the way too */
    error = fastio__path_look(sink->path, false, &kind);
    if (kind != FASTIO__PATH_NONE || error == EISDIR) error = EEXIST;
  } else {
    error = resolve(sink->path, PATH_ROOM, &kind);
  }
  if (error) return error;
  if (kind == FASTIO__PATH_OTHER) return open_device(sink, options);
  return create_temporary(sink, permissions, kind == FASTIO__PATH_FILE);
}

fastio_status fastio__replace_open(fastio__sink *sink, const char *path, const fastio_write_options *options,
                                   fastio_error *err) {
  fastio_status status = allocate_names(sink, path, err);
  int error = status == FASTIO_OK ? open_target(sink, options) : 0;
  if (!error) return status;
  if (sink->owns_fd) (void)fastio__file_close(sink->fd);
  fastio__replace_abandon(sink);
  return fastio__fail_os(err, error, "cannot open the file for writing");
}

int fastio__replace_finish(fastio__sink *sink) {
  size_t directory = fastio__directory_size(sink->path);
  int error = fastio__file_rename(sink->temporary, sink->path, sink->exclusive);
  if (error) return error;
  sink->temporary[0] = '\0';
  sink->path[directory] = '\0';
  return fastio__directory_sync(directory ? sink->path : ".");
}

void fastio__replace_abandon(fastio__sink *sink) {
  if (!sink->temporary) return;
  if (sink->temporary[0]) (void)fastio__file_remove(sink->temporary);
  free_names(sink);
}
