/* The platform on POSIX systems. */
#ifndef _WIN32
#  ifndef _GNU_SOURCE
#    define _GNU_SOURCE /* sched_getaffinity, MAP_ANONYMOUS, madvise */
#  endif
#  include "platform.h"

#  include <errno.h>
#  include <fcntl.h>
#  include <pthread.h>
#  include <sched.h>
#  include <signal.h>
#  include <stdlib.h>
#  include <sys/mman.h>
#  include <sys/stat.h>
#  include <unistd.h>

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

void fastio__file_close(int fd) { close(fd); }

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
