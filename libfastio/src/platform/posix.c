/* The platform on POSIX systems. */
#ifndef _WIN32
#  ifndef _GNU_SOURCE
#    define _GNU_SOURCE /* sched_getaffinity, MAP_ANONYMOUS, madvise */
#  endif
#  include "platform.h"

#  include <dirent.h>
#  include <errno.h>
#  include <fcntl.h>
#  include <poll.h>
#  include <pthread.h>
#  include <sched.h>
#  include <signal.h>
#  include <stdio.h>
#  include <stdlib.h>
#  include <sys/mman.h>
#  include <sys/socket.h>
#  include <sys/stat.h>
#  include <sys/uio.h>
#  include <time.h>
#  include <unistd.h>
#  ifdef __linux__
#    include <linux/fs.h>
#    include <sys/ioctl.h>
#    include <sys/sendfile.h>
#  elif defined(__APPLE__)
#    include <sys/random.h> /* getentropy */
#  endif

/* ---- files ---- */

int fastio__file_open(const char *path, int *fd) {
  fastio__file_info info;
  int error, opened;
  do opened = open(path, O_RDONLY | O_CLOEXEC);
  while (opened < 0 && errno == EINTR);
  if (opened < 0) return errno;
  error = fastio__file_info_get(opened, &info);
  if (!error && info.is_directory) error = EISDIR;
  if (error) {
    close(opened);
    return error;
  }
  *fd = opened;
  return 0;
}

int fastio__file_info_get(int fd, fastio__file_info *info) {
  struct stat status;
  if (fstat(fd, &status) != 0) return errno;
  info->is_regular = S_ISREG(status.st_mode);
  info->is_directory = S_ISDIR(status.st_mode);
  info->size = info->is_regular && status.st_size > 0 ? (uint64_t)status.st_size : 0;
  return 0;
}

int fastio__file_position(int fd, uint64_t *position) {
  off_t at = lseek(fd, 0, SEEK_CUR);
  if (at < 0) return errno;
  *position = (uint64_t)at;
  return 0;
}

int fastio__file_seek(int fd, uint64_t position) { return lseek(fd, (off_t)position, SEEK_SET) < 0 ? errno : 0; }

/* After EINTR it is closed all the same, or of unknown state: another try might hit somebody else's file. */
int fastio__file_close(int fd) { return close(fd) != 0 && errno != EINTR ? errno : 0; }

enum { CALL_MAX = 1 << 30 }; /* Linux moves at most 0x7ffff000 bytes a call, others fail beyond INT_MAX */

static int64_t system_read(int fd, void *data, size_t size) {
  ssize_t n = read(fd, data, size);
  return n < 0 ? -(int64_t)errno : n;
}

static int64_t system_pread(int fd, void *data, size_t size, uint64_t offset) {
  ssize_t n = pread(fd, data, size, (off_t)offset);
  return n < 0 ? -(int64_t)errno : n;
}

int fastio__file_read(const fastio_env *env, int fd, void *data, size_t size, size_t *got) {
  int64_t n;
  if (size > CALL_MAX) size = CALL_MAX;
  do n = env && env->read ? env->read(env->ctx, fd, data, size) : system_read(fd, data, size);
  while (n == -EINTR);
  if (n < 0) return (int)-n;
  *got = (size_t)n;
  return 0;
}

int fastio__file_pread(const fastio_env *env, int fd, void *data, size_t size, uint64_t offset, size_t *got) {
  int64_t n;
  if (size > CALL_MAX) size = CALL_MAX;
  do n = env && env->pread ? env->pread(env->ctx, fd, data, size, offset) : system_pread(fd, data, size, offset);
  while (n == -EINTR);
  if (n < 0) return (int)-n;
  *got = (size_t)n;
  return 0;
}

int fastio__stdin_fd(void) { return STDIN_FILENO; }

void fastio__file_advise_sequential(int fd) {
#  ifdef POSIX_FADV_SEQUENTIAL
  (void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#  else
  (void)fd;
#  endif
}

/* ---- waiting ---- */

int fastio__waker_open(fastio__waker *waker) {
#  ifdef __linux__
  return pipe2(waker->fds, O_CLOEXEC) != 0 ? errno : 0;
#  else
  if (pipe(waker->fds) != 0) return errno;
  (void)fcntl(waker->fds[0], F_SETFD, FD_CLOEXEC);
  (void)fcntl(waker->fds[1], F_SETFD, FD_CLOEXEC);
  return 0;
#  endif
}

void fastio__waker_close(fastio__waker *waker) {
  close(waker->fds[0]);
  close(waker->fds[1]);
}

void fastio__waker_wake(const fastio__waker *waker) {
  ssize_t n;
  do n = write(waker->fds[1], "", 1);
  while (n < 0 && errno == EINTR);
}

bool fastio__waker_pause(const fastio__waker *waker, int milliseconds) {
  struct pollfd wanted = {waker->fds[0], POLLIN, 0};
  return poll(&wanted, 1, milliseconds) <= 0;
}

bool fastio__file_wait(int fd, const fastio__waker *waker) {
  struct pollfd wanted[2] = {{fd, POLLIN, 0}, {waker->fds[0], POLLIN, 0}};
  int ready;
  do ready = poll(wanted, 2, -1);
  while (ready < 0 && errno == EINTR);
  return ready > 0 && wanted[1].revents == 0;
}

bool fastio__file_is_slow(int fd) {
  struct stat status;
  int type = 0;
  socklen_t size = sizeof type;
  if (fstat(fd, &status) != 0) return false;
  if (S_ISFIFO(status.st_mode)) return true;
  return S_ISSOCK(status.st_mode) && getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

void fastio__pipe_enlarge(int fd, int size) {
#  ifdef F_SETPIPE_SZ
  int now = fcntl(fd, F_GETPIPE_SZ);
  if (now > 0 && now < size) (void)fcntl(fd, F_SETPIPE_SZ, size);
#  else
  (void)fd, (void)size;
#  endif
}

bool fastio__is_try_again(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

/* ---- writing ---- */

int fastio__file_create(const char *path, int mode, unsigned permissions, int *fd) {
  int flags = mode == FASTIO_APPEND ? O_APPEND : mode == FASTIO_EXCLUSIVE ? O_EXCL : O_TRUNC;
  int opened;
  do opened = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | flags, (mode_t)permissions);
  while (opened < 0 && errno == EINTR);
  if (opened < 0) return errno;
  *fd = opened;
  return 0;
}

static void wait_until_writable(int fd) {
  struct pollfd wanted = {fd, POLLOUT, 0};
  (void)poll(&wanted, 1, -1); /* whatever it says, the next write says it better */
}

/* The hook takes one run of bytes a call. */
static int64_t hooked_write(const fastio_env *env, int fd, const fastio_bytes *pieces, size_t count) {
  while (count > 1 && pieces->size == 0) pieces++, count--;
  return env->write(env->ctx, fd, pieces->data, pieces->size < CALL_MAX ? pieces->size : CALL_MAX);
}

static int64_t system_write(int fd, const fastio_bytes *pieces, size_t count) {
  enum { VECTOR = 16 };
  struct iovec vector[VECTOR];
  size_t left = CALL_MAX, used = 0;
  ssize_t n;
  for (; used < count && used < VECTOR && left > 0; used++) {
    vector[used].iov_base = (void *)(uintptr_t)pieces[used].data;
    vector[used].iov_len = pieces[used].size < left ? pieces[used].size : left;
    left -= vector[used].iov_len;
  }
  n = used == 1 ? write(fd, vector[0].iov_base, vector[0].iov_len) : writev(fd, vector, (int)used);
  return n < 0 ? -(int64_t)errno : n;
}

int fastio__file_write(const fastio_env *env, int fd, const fastio_bytes *pieces, size_t count, size_t *put) {
  size_t size = 0;
  *put = 0;
  for (size_t i = 0; i < count; i++) size |= pieces[i].size;
  while (size > 0 && *put == 0) {
    int64_t n = env && env->write ? hooked_write(env, fd, pieces, count) : system_write(fd, pieces, count);
    if (n > 0) *put = (size_t)n;
    else if (n == -EAGAIN || n == -EWOULDBLOCK) wait_until_writable(fd);
    else if (n != -EINTR) return n < 0 ? (int)-n : EIO; /* nothing taken and no reason given: it would go on for ever */
  }
  return 0;
}

int fastio__file_sync(int fd) {
  int result;
  do result = fsync(fd);
  while (result != 0 && errno == EINTR);
  return result == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS ? 0 : errno;
}

bool fastio__is_terminal(int fd) { return isatty(fd) == 1; }

int fastio__stdout_fd(void) { return STDOUT_FILENO; }
int fastio__stderr_fd(void) { return STDERR_FILENO; }
int fastio__stdio_fd(FILE *file) { return fileno(file); }

/* ---- names ---- */

int fastio__path_look(const char *path, bool follow, fastio__path_kind *kind) {
  struct stat status;
  *kind = FASTIO__PATH_NONE;
  if ((follow ? stat(path, &status) : lstat(path, &status)) != 0) return errno == ENOENT ? 0 : errno;
  if (S_ISDIR(status.st_mode)) return EISDIR;
  if (S_ISLNK(status.st_mode)) *kind = FASTIO__PATH_LINK;
  else if (!S_ISREG(status.st_mode)) *kind = FASTIO__PATH_OTHER;
  else *kind = FASTIO__PATH_FILE;
  return *kind == FASTIO__PATH_FILE && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0 ? errno : 0;
}

int fastio__link_read(const char *path, char *out, size_t capacity, size_t *size) {
  ssize_t n = readlink(path, out, capacity);
  if (n < 0) return errno;
  *size = (size_t)n;
  return *size < capacity ? 0 : ENAMETOOLONG;
}

/* Changing the owner takes set-user-ID bits away, so permissions come last. */
int fastio__file_take_rights(int fd, const char *path) {
  struct stat old, new;
  if (stat(path, &old) != 0 || fstat(fd, &new) != 0) return errno;
  if ((old.st_uid != new.st_uid || old.st_gid != new.st_gid) && fchown(fd, old.st_uid, old.st_gid) != 0)
    (void)!fchown(fd, (uid_t)-1, old.st_gid);
  return fchmod(fd, old.st_mode & 07777) != 0 ? errno : 0;
}

int fastio__file_rename(const char *from, const char *to, bool exclusive) {
  if (!exclusive) return rename(from, to) != 0 ? errno : 0;
#  ifdef RENAME_NOREPLACE
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
#  endif
  if (link(from, to) != 0) return errno;
  return unlink(from) != 0 ? errno : 0;
}

bool fastio__is_name_taken(int error) { return error == EEXIST; }

size_t fastio__directory_size(const char *path) {
  size_t size = strlen(path);
  while (size > 0 && path[size - 1] != '/') size--;
  return size;
}

int fastio__file_remove(const char *path) { return unlink(path) != 0 ? errno : 0; }

/* A directory that may be written to but not read can't be synced. */
int fastio__directory_sync(const char *path) {
  int error, fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno == EACCES ? 0 : errno;
  error = fastio__file_sync(fd);
  close(fd);
  return error;
}

uint64_t fastio__random(void) {
  struct timespec now;
  uint64_t value = 0;
  if (getentropy(&value, sizeof value) == 0) return value;
  clock_gettime(CLOCK_REALTIME, &now);
  return ((uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^ (uint64_t)getpid() << 20) * UINT64_C(0x9e3779b97f4a7c15);
}

/* ---- directories ---- */

bool fastio__is_path_separator(char c) { return c == '/'; }

bool fastio__path_exists(const char *path) {
  struct stat status;
  return lstat(path, &status) == 0; /* which follows a link with a '/' behind it */
}

int fastio__directory_each(const char *path, bool (*each)(void *ctx, const char *name), void *ctx) {
  DIR *directory = opendir(*path ? path : ".");
  int error;
  if (!directory) return errno == ENOENT || errno == ENOTDIR ? 0 : errno;
  for (;;) {
    const struct dirent *entry;
    errno = 0;
    entry = readdir(directory);
    error = errno;
    if (!entry) break;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (!each(ctx, entry->d_name)) break;
  }
  closedir(directory);
  return error;
}

/* ---- from descriptor to descriptor ---- */

#  ifdef __linux__

/* The whole file, from start to start: both descriptors then stand behind it. */
static int64_t share_extents(int from, int to) {
  struct stat source, target;
  if (fstat(from, &source) != 0 || fstat(to, &target) != 0 || !S_ISREG(source.st_mode) || !S_ISREG(target.st_mode) ||
      target.st_size != 0 || lseek(from, 0, SEEK_CUR) != 0 || lseek(to, 0, SEEK_CUR) != 0 ||
      ioctl(to, FICLONE, from) != 0 || fstat(to, &target) != 0)
    return -1;
  if (lseek(from, target.st_size, SEEK_SET) < 0 || lseek(to, target.st_size, SEEK_SET) < 0) return -1;
  return target.st_size;
}

static int64_t transfer(fastio__way way, int from, int to, size_t size) {
  switch (way) {
    case FASTIO__SHARE_EXTENTS: return share_extents(from, to);
    case FASTIO__COPY_RANGE: return copy_file_range(from, NULL, to, NULL, size, 0);
    case FASTIO__SEND_FILE: return sendfile(to, from, NULL, size);
    default: return splice(from, NULL, to, NULL, size, SPLICE_F_MOVE);
  }
}

#  else

static int64_t transfer(fastio__way way, int from, int to, size_t size) {
  (void)way, (void)from, (void)to, (void)size;
  errno = ENOSYS;
  return -1;
}

#  endif

uint64_t fastio__file_transfer(fastio__way way, int from, int to, uint64_t size) {
  int64_t moved;
  do moved = transfer(way, from, to, size < CALL_MAX ? (size_t)size : CALL_MAX);
  while (moved < 0 && errno == EINTR);
  return moved > 0 ? (uint64_t)moved : 0;
}

/* ---- memory ---- */

size_t fastio__page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

/* Huge pages start at multiples of their size, and a mapping starts at any page: map more, cut the edges off. */
enum { HUGE_PAGE = 2 << 20 };

void *fastio__memory_reserve(size_t size) {
  size_t mapped_size, head;
  char *mapped;
  if (!fastio__add(size, HUGE_PAGE, &mapped_size)) return NULL;
  mapped = mmap(NULL, mapped_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return NULL;
  head = (size_t)(-(uintptr_t)mapped % HUGE_PAGE);
  if (head) munmap(mapped, head);
  if (HUGE_PAGE - head) munmap(mapped + head + size, HUGE_PAGE - head);
  return mapped + head;
}

int fastio__memory_commit(void *base, size_t offset, size_t size) {
  char *start = (char *)base + offset;
#  ifdef MADV_HUGEPAGE
  (void)madvise(start, size, MADV_HUGEPAGE); /* a hint */
#  endif
  return mprotect(start, size, PROT_READ | PROT_WRITE) != 0 ? errno : 0;
}

int fastio__memory_move(void *to, void *from, size_t used, size_t from_size) {
#  ifdef MREMAP_FIXED
  if (used == 0 || mremap(from, used, used, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED) {
    fastio__memory_free((char *)from + used, from_size - used);
    return 0;
  }
#  endif
  if (fastio__memory_commit(to, 0, used) != 0) return ENOMEM;
  memcpy(to, from, used);
  fastio__memory_free(from, from_size);
  return 0;
}

void fastio__memory_trim(void *base, size_t size, size_t keep) {
  size_t page = fastio__page_size();
  keep = (keep + page - 1) / page * page;
  if (keep < size) munmap((char *)base + keep, size - keep);
}

void fastio__memory_free(void *base, size_t size) {
  if (base && size) munmap(base, size);
}

int fastio__file_map(int fd, uint64_t offset, size_t size, unsigned flags, void **out) {
  int map_flags = MAP_PRIVATE;
  void *data;
#  ifdef MAP_POPULATE
  if (flags & FASTIO_MAP_POPULATE) map_flags |= MAP_POPULATE;
#  endif
  data = mmap(NULL, size, PROT_READ, map_flags, fd, (off_t)offset);
  if (data == MAP_FAILED) return errno;
  fastio__map_advise(data, size, flags);
  *out = data;
  return 0;
}

void fastio__file_unmap(void *data, size_t size) { munmap(data, size); }

void fastio__map_advise(void *data, size_t size, unsigned flags) {
  size_t before = (uintptr_t)data % fastio__page_size();
  int pattern = flags & FASTIO_MAP_SEQUENTIAL ? POSIX_MADV_SEQUENTIAL
                : flags & FASTIO_MAP_RANDOM   ? POSIX_MADV_RANDOM
                                              : POSIX_MADV_NORMAL;
  data = (char *)data - before;
  size += before;
  (void)posix_madvise(data, size, pattern);
  if (flags & FASTIO_MAP_WILLNEED) (void)posix_madvise(data, size, POSIX_MADV_WILLNEED);
#  ifdef MADV_HUGEPAGE
  if (flags & FASTIO_MAP_HUGE) (void)madvise(data, size, MADV_HUGEPAGE);
#  endif
}

/* ---- threads ---- */

typedef struct start_info {
  pthread_t id;
  void (*run)(void *ctx);
  void *ctx;
} start_info;

static void *thread_main(void *argument) {
  start_info *info = argument;
  info->run(info->ctx);
  return NULL;
}

/* The process's signals stay with the threads that it made itself; those that a fault raises must come through. */
static void set_of_foreign_signals(sigset_t *set) {
  sigfillset(set);
  sigdelset(set, SIGBUS);
  sigdelset(set, SIGSEGV);
  sigdelset(set, SIGFPE);
  sigdelset(set, SIGILL);
}

int fastio__thread_start(fastio__thread *thread, void (*run)(void *ctx), void *ctx) {
  start_info *info = malloc(sizeof *info);
  sigset_t foreign, before;
  int error;
  if (!info) return ENOMEM;
  info->run = run;
  info->ctx = ctx;
  set_of_foreign_signals(&foreign);
  pthread_sigmask(SIG_SETMASK, &foreign, &before);
  error = pthread_create(&info->id, NULL, thread_main, info);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error) {
    free(info);
    return error;
  }
  thread->handle = info;
  return 0;
}

void fastio__thread_join(fastio__thread *thread) {
  start_info *info = thread->handle;
  pthread_join(info->id, NULL);
  free(info);
}

_Static_assert(sizeof(pthread_mutex_t) <= sizeof(fastio__mutex), "fastio__mutex is too small");
_Static_assert(sizeof(pthread_cond_t) <= sizeof(fastio__condition), "fastio__condition is too small");

static pthread_mutex_t *as_mutex(fastio__mutex *mutex) { return (pthread_mutex_t *)(void *)mutex; }
static pthread_cond_t *as_condition(fastio__condition *condition) { return (pthread_cond_t *)(void *)condition; }

int fastio__mutex_init(fastio__mutex *mutex) { return pthread_mutex_init(as_mutex(mutex), NULL); }
void fastio__mutex_destroy(fastio__mutex *mutex) { pthread_mutex_destroy(as_mutex(mutex)); }
void fastio__mutex_lock(fastio__mutex *mutex) { pthread_mutex_lock(as_mutex(mutex)); }
void fastio__mutex_unlock(fastio__mutex *mutex) { pthread_mutex_unlock(as_mutex(mutex)); }
int fastio__condition_init(fastio__condition *condition) { return pthread_cond_init(as_condition(condition), NULL); }
void fastio__condition_destroy(fastio__condition *condition) { pthread_cond_destroy(as_condition(condition)); }
void fastio__condition_wait(fastio__condition *condition, fastio__mutex *mutex) {
  pthread_cond_wait(as_condition(condition), as_mutex(mutex));
}
void fastio__condition_broadcast(fastio__condition *condition) { pthread_cond_broadcast(as_condition(condition)); }

/* The cgroup (v2) may grant less CPU time than the mask has CPUs: "quota period" in microseconds, or "max period". */
static unsigned cgroup_cpus(void) {
  unsigned long long quota, period;
  FILE *file = fopen("/sys/fs/cgroup/cpu.max", "re");
  int fields;
  if (!file) return 0;
  fields = fscanf(file, "%llu %llu", &quota, &period);
  fclose(file);
  if (fields != 2 || period == 0) return 0;
  return (unsigned)((quota + period - 1) / period);
}

unsigned fastio__cpu_count(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  unsigned quota = cgroup_cpus();
#  ifdef CPU_COUNT
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) count = CPU_COUNT(&set);
#  endif
  if (count < 1) count = 1;
  return quota && quota < (unsigned long)count ? quota : (unsigned)count;
}

#else
typedef int fastio__posix_unused; /* a translation unit must not be empty */
#endif
