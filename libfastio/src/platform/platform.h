/* platform: the short list of what the operating system does for us. posix.c and win32.c, the only place for #ifdef
 * _WIN32. Every function that can fail returns 0 or an OS error number (errno; GetLastError on Windows). EINTR is
 * retried inside. */
#ifndef FASTIO__PLATFORM_H
#define FASTIO__PLATFORM_H

#include "../core/core.h"

/* ---- files ---- */
typedef struct fastio__file_info {
  uint64_t size;
  bool is_regular; /* has a size and positions; pread works */
  bool is_directory;
} fastio__file_info;

FASTIO__HIDDEN int fastio__file_open(const char *path, int *fd); /* read-only, close on exec; a directory is EISDIR */
FASTIO__HIDDEN int fastio__file_info_get(int fd, fastio__file_info *info);
FASTIO__HIDDEN int fastio__file_position(int fd, uint64_t *position);
FASTIO__HIDDEN int fastio__file_seek(int fd, uint64_t position);
FASTIO__HIDDEN int fastio__file_close(int fd); /* closed in any case; what it reports matters to who has written */
/* Through the environment's hooks. One call of the system, at most 1 GiB; *got = 0 at the end. */
FASTIO__HIDDEN int fastio__file_read(const fastio_env *env, int fd, void *data, size_t size, size_t *got);
FASTIO__HIDDEN int fastio__file_pread(const fastio_env *env, int fd, void *data, size_t size, uint64_t offset,
                                      size_t *got);
/* Standard input's descriptor, made binary where that is a thing. */
FASTIO__HIDDEN int fastio__stdin_fd(void);
FASTIO__HIDDEN void fastio__file_advise_sequential(int fd);

/* ---- waiting for bytes, unless somebody wakes us ---- */
typedef struct fastio__waker {
  int fds[2];
} fastio__waker;
FASTIO__HIDDEN int fastio__waker_open(fastio__waker *waker);
FASTIO__HIDDEN void fastio__waker_close(fastio__waker *waker);
FASTIO__HIDDEN void fastio__waker_wake(const fastio__waker *waker);                    /* for good */
FASTIO__HIDDEN bool fastio__waker_pause(const fastio__waker *waker, int milliseconds); /* false: woken meanwhile */
/* False: it was woken, or can't wait. True: reading will not block, whatever it gives. */
FASTIO__HIDDEN bool fastio__file_wait(int fd, const fastio__waker *waker);
/* A pipe or a socket of bytes, where file_wait works; nothing on Windows. */
FASTIO__HIDDEN bool fastio__file_is_slow(int fd);
/* Lets a pipe hold that much, if the system allows it: whoever writes in bursts waits less. Never makes it smaller. */
FASTIO__HIDDEN void fastio__pipe_enlarge(int fd, int size);
FASTIO__HIDDEN bool fastio__is_try_again(int error); /* of a descriptor that does not block */

/* ---- writing ---- */
/* For writing, close on exec, behind the end with FASTIO_APPEND. mode: FASTIO_TRUNCATE, ... */
FASTIO__HIDDEN int fastio__file_create(const char *path, int mode, unsigned permissions, int *fd);
/* Through the environment's hook. One call of the system with as many of the pieces as it takes, at most 1 GiB. Waits
 * for a descriptor that would block. *put > 0 unless there was nothing to write. */
FASTIO__HIDDEN int fastio__file_write(const fastio_env *env, int fd, const fastio_bytes *pieces, size_t count,
                                      size_t *put);
FASTIO__HIDDEN int fastio__file_sync(int fd); /* no error where there is nothing to sync: pipes, terminals */
FASTIO__HIDDEN bool fastio__is_terminal(int fd);
FASTIO__HIDDEN int fastio__stdout_fd(void); /* made binary where that is a thing */
FASTIO__HIDDEN int fastio__stderr_fd(void);
FASTIO__HIDDEN int fastio__stdio_fd(FILE *file); /* -1: there is none */

/* ---- names, for replacing a file ---- */
typedef enum fastio__path_kind {
  FASTIO__PATH_NONE,
  FASTIO__PATH_FILE, /* writable */
  FASTIO__PATH_LINK,
  FASTIO__PATH_OTHER /* a pipe, a device */
} fastio__path_kind;
/* What is there, itself or (follow) behind links. A directory is EISDIR, a file that may not be written to EACCES. */
FASTIO__HIDDEN int fastio__path_look(const char *path, bool follow, fastio__path_kind *kind);
/* Where a link leads, without a NUL; ENAMETOOLONG beyond `capacity`. */
FASTIO__HIDDEN int fastio__link_read(const char *path, char *out, size_t capacity, size_t *size);
/* Owner and permissions of the file at `path`, as far as this process may set them. */
FASTIO__HIDDEN int fastio__file_take_rights(int fd, const char *path);
/* Gives a file its new name; exclusive: only if nothing has it. Both are in the same directory. */
FASTIO__HIDDEN int fastio__file_rename(const char *from, const char *to, bool exclusive);
FASTIO__HIDDEN bool fastio__is_name_taken(int error); /* what file_create and file_rename say of such a name */
FASTIO__HIDDEN int fastio__file_remove(const char *path);
FASTIO__HIDDEN size_t fastio__directory_size(const char *path); /* of what stands before the last component */
FASTIO__HIDDEN int fastio__directory_sync(const char *path);
FASTIO__HIDDEN uint64_t fastio__random(void); /* that nobody can foresee */

/* ---- directories ---- */
FASTIO__HIDDEN bool fastio__is_path_separator(char c);
/* Whether something has the name (a link that leads nowhere, too); if it ends in a separator, a directory. */
FASTIO__HIDDEN bool fastio__path_exists(const char *path);
/* Calls `each` with every name in the directory ("" is the current one) but "." and "..", until it returns false. What is
 * not there, or no directory, has no names. */
FASTIO__HIDDEN int fastio__directory_each(const char *path, bool (*each)(void *ctx, const char *name), void *ctx);

/* ---- from descriptor to descriptor, within the system ---- */
typedef enum fastio__way {
  FASTIO__SHARE_EXTENTS, /* of a whole file, into an empty one */
  FASTIO__COPY_RANGE,    /* file to file */
  FASTIO__SEND_FILE,     /* file to anything */
  FASTIO__SPLICE,        /* anything to a pipe, a pipe to anything */
  FASTIO__WAY_COUNT
} fastio__way;
/* Moves some bytes, at most `size` (but SHARE_EXTENTS all there are), and both positions. 0: none, at the end or because
 * it can't be done this way; reading and writing tells why. */
FASTIO__HIDDEN uint64_t fastio__file_transfer(fastio__way way, int from, int to, uint64_t size);

/* ---- memory of the system ---- */
FASTIO__HIDDEN size_t fastio__page_size(void);
/* Address space without memory behind it; NULL if there is none. `size` and offsets below are multiples of 2 MiB. */
FASTIO__HIDDEN void *fastio__memory_reserve(size_t size);
/* Memory behind a part of it, in huge pages where possible. */
FASTIO__HIDDEN int fastio__memory_commit(void *base, size_t offset, size_t size);
/* Moves the pages of the first `used` bytes from one reservation to the start of another one, and frees the first. */
FASTIO__HIDDEN int fastio__memory_move(void *to, void *from, size_t used, size_t from_size);
/* Gives back everything behind `keep` (rounded up to pages) of a reservation of `size`. */
FASTIO__HIDDEN void fastio__memory_trim(void *base, size_t size, size_t keep);
FASTIO__HIDDEN void fastio__memory_free(void *base, size_t size);
/* Maps a part of a file, read-only; offset a multiple of the page size. flags: FASTIO_MAP_*. */
FASTIO__HIDDEN int fastio__file_map(int fd, uint64_t offset, size_t size, unsigned flags, void **out);
FASTIO__HIDDEN void fastio__file_unmap(void *data, size_t size);
FASTIO__HIDDEN void fastio__map_advise(void *data, size_t size, unsigned flags);

/* The SIGBUS guard (guard_posix.c; nowhere on Windows). A guarded range whose pages the system takes away reads as
 * zeros instead of ending the process. The first guard installs the handler for good; faults elsewhere go to the
 * handler before it. */
typedef struct fastio__guard fastio__guard;
FASTIO__HIDDEN bool fastio__guard_is_supported(void);
FASTIO__HIDDEN int fastio__guard_add(const void *base, size_t size, fastio__guard **out);
/* The lowest address found lost so far; NULL while all is well. */
FASTIO__HIDDEN const void *fastio__guard_lost(const fastio__guard *guard);
/* Before the unmap, while the addresses are still ours. */
FASTIO__HIDDEN void fastio__guard_remove(fastio__guard *guard);

/* ---- threads ---- */
typedef struct fastio__thread {
  void *handle;
} fastio__thread;
typedef union fastio__mutex {
  void *align;
  char room[64];
} fastio__mutex;
typedef union fastio__condition {
  void *align;
  char room[64];
} fastio__condition;
FASTIO__HIDDEN int fastio__thread_start(fastio__thread *thread, void (*run)(void *ctx), void *ctx);
FASTIO__HIDDEN void fastio__thread_join(fastio__thread *thread);
FASTIO__HIDDEN int fastio__mutex_init(fastio__mutex *mutex);
FASTIO__HIDDEN void fastio__mutex_destroy(fastio__mutex *mutex);
FASTIO__HIDDEN void fastio__mutex_lock(fastio__mutex *mutex);
FASTIO__HIDDEN void fastio__mutex_unlock(fastio__mutex *mutex);
FASTIO__HIDDEN int fastio__condition_init(fastio__condition *condition);
FASTIO__HIDDEN void fastio__condition_destroy(fastio__condition *condition);
FASTIO__HIDDEN void fastio__condition_wait(fastio__condition *condition, fastio__mutex *mutex);
FASTIO__HIDDEN void fastio__condition_broadcast(fastio__condition *condition);
/* CPUs that this process may use: the affinity mask within the cgroup's quota (rounded up), at least 1. */
FASTIO__HIDDEN unsigned fastio__cpu_count(void);

#endif
