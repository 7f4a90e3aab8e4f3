/* Memory maps: ranges, what cannot be mapped, and a file that is truncated while it is mapped. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE /* mkstemp, ftruncate, mkfifo */
#endif
#include <errno.h>

#include "check.h"

#ifdef _WIN32
int main(void) { /* what follows stands on fork, signals and FIFOs */
  fastio_map_options options;
  fastio_map *map = NULL;
  fastio_map_options_init(&options);
  options.flags |= FASTIO_MAP_GUARD;
  CHECK_STATUS(fastio_map_open("-", &options, &map, NULL), FASTIO_UNSUPPORTED);
  CHECK(map == NULL);
  return check_report();
}
#else
#  include <fcntl.h>
#  include <pthread.h>
#  include <signal.h>
#  include <sys/mman.h>
#  include <sys/stat.h>
#  include <sys/wait.h>
#  include <unistd.h>

static char path[] = "/tmp/fastio-test-map-XXXXXX";
static size_t page;
static size_t file_size; /* three pages and a bit */

static unsigned char byte_at(uint64_t offset) { return (unsigned char)(offset * 7 + offset / 251 + 1); }

static void write_file(void) {
  int fd = open(path, O_WRONLY | O_TRUNC);
  unsigned char *bytes = malloc(file_size);
  CHECK(fd >= 0 && bytes != NULL);
  for (size_t i = 0; i < file_size; i++) bytes[i] = byte_at(i);
  CHECK(write(fd, bytes, file_size) == (ssize_t)file_size);
  free(bytes);
  close(fd);
}

static void truncate_file(size_t size) { CHECK(truncate(path, (off_t)size) == 0); }

static fastio_map *open_range(uint64_t offset, uint64_t length, unsigned flags) {
  fastio_map_options options;
  fastio_map *map = NULL;
  fastio_error err;
  fastio_map_options_init(&options);
  options.offset = offset;
  options.length = length;
  options.flags = flags;
  CHECK_STATUS(fastio_map_open(path, &options, &map, &err), FASTIO_OK);
  return map;
}

static int holds_file_from(const fastio_map *map, uint64_t offset) {
  for (size_t i = 0; i < map->size; i++) {
    if (map->data[i] != byte_at(offset + i)) return 0;
  }
  return 1;
}

static void test_ranges(void) {
  const uint64_t offsets[] = {
      0, 1, page - 1, page, page + 1, 2 * page + 17, file_size - 1, file_size, file_size + 1, UINT64_MAX};
  const uint64_t lengths[] = {0, 1, page, page + 1, file_size, FASTIO_NO_OFFSET};
  for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
    for (size_t j = 0; j < sizeof lengths / sizeof *lengths; j++) {
      uint64_t left = offsets[i] < file_size ? file_size - offsets[i] : 0;
      uint64_t expected = lengths[j] < left ? lengths[j] : left;
      fastio_map *map = open_range(offsets[i], lengths[j], FASTIO_MAP_SEQUENTIAL);
      CHECK(map->data != NULL);
      CHECK(map->size == expected);
      CHECK(map->is_mapped == (expected > 0));
      CHECK(holds_file_from(map, offsets[i]));
      CHECK_STATUS(fastio_map_check(map, NULL), FASTIO_OK);
      fastio_map_close(map);
    }
  }
}

static void test_advice(void) {
  const unsigned flags[] = {0,
                            FASTIO_MAP_SEQUENTIAL,
                            FASTIO_MAP_RANDOM,
                            FASTIO_MAP_WILLNEED,
                            FASTIO_MAP_POPULATE,
                            FASTIO_MAP_HUGE,
                            FASTIO_MAP_GUARD};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    fastio_map *map = open_range(5, FASTIO_NO_OFFSET, flags[i]);
    CHECK(holds_file_from(map, 5));
    fastio_map_advise(map, 0, SIZE_MAX, FASTIO_MAP_RANDOM);
    fastio_map_advise(map, page + 3, 1, FASTIO_MAP_WILLNEED);
    fastio_map_advise(map, map->size, 1, FASTIO_MAP_WILLNEED);
    fastio_map_advise(map, 0, 0, 0);
    CHECK(holds_file_from(map, 5));
    fastio_map_close(map);
  }
}

static void test_defaults(void) {
  fastio_map *map = NULL;
  CHECK_STATUS(fastio_map_open(path, NULL, &map, NULL), FASTIO_OK);
  CHECK(map->size == file_size && holds_file_from(map, 0));
  fastio_map_close(map);
  fastio_map_close(NULL);
}

/* The descriptor's position neither matters nor moves, and the map outlives the descriptor. */
static void test_descriptor(void) {
  fastio_map *map = NULL;
  int fd = open(path, O_RDONLY);
  CHECK(lseek(fd, 100, SEEK_SET) == 100);
  CHECK_STATUS(fastio_map_fd(fd, NULL, &map, NULL), FASTIO_OK);
  CHECK(lseek(fd, 0, SEEK_CUR) == 100);
  close(fd);
  CHECK(map->size == file_size && holds_file_from(map, 0));
  fastio_map_close(map);
}

static void test_empty_file(void) {
  fastio_map *map;
  truncate_file(0);
  map = open_range(0, FASTIO_NO_OFFSET, FASTIO_MAP_GUARD);
  CHECK(map->data != NULL && map->size == 0 && map->is_mapped == 0);
  fastio_map_close(map);
  write_file();
}

/* ---- what cannot be mapped ---- */

static void *feed_pipe(void *arg) {
  int fd = *(int *)arg;
  unsigned char bytes[1000];
  for (size_t done = 0; done < 300000; done += sizeof bytes) {
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = byte_at(done + i);
    if (write(fd, bytes, sizeof bytes) != (ssize_t)sizeof bytes) break; /* the reader took its range and left */
  }
  close(fd);
  return NULL;
}

static void check_pipe(uint64_t offset, uint64_t length, size_t expected) {
  int ends[2];
  pthread_t feeder;
  fastio_map *map = NULL;
  fastio_map_options options = FASTIO_MAP_OPTIONS_INIT;
  CHECK(pipe(ends) == 0);
  CHECK(pthread_create(&feeder, NULL, feed_pipe, &ends[1]) == 0);
  options.offset = offset;
  options.length = length;
  options.flags |= FASTIO_MAP_GUARD;
  CHECK_STATUS(fastio_map_fd(ends[0], &options, &map, NULL), FASTIO_OK);
  close(ends[0]);
  pthread_join(feeder, NULL);
  CHECK(map->is_mapped == 0 && map->size == expected && holds_file_from(map, offset));
  fastio_map_advise(map, 0, map->size, FASTIO_MAP_RANDOM);
  CHECK_STATUS(fastio_map_check(map, NULL), FASTIO_OK);
  fastio_map_close(map);
}

static void test_pipes(void) {
  check_pipe(0, FASTIO_NO_OFFSET, 300000);
  check_pipe(12345, FASTIO_NO_OFFSET, 300000 - 12345);
  check_pipe(12345, 70000, 70000);
  check_pipe(0, 0, 0);
  check_pipe(300000, FASTIO_NO_OFFSET, 0);
  check_pipe(300001, 5, 0);
}

static void test_proc(void) {
  fastio_map *map = NULL;
  fastio_map_options options = FASTIO_MAP_OPTIONS_INIT;
  if (access("/proc/self/status", R_OK) != 0) return; /* not Linux */
  CHECK_STATUS(fastio_map_open("/proc/self/status", NULL, &map, NULL), FASTIO_OK);
  CHECK(map->size > 20 && map->is_mapped == 0 && memcmp(map->data, "Name:", 5) == 0);
  fastio_map_close(map);
  options.offset = 2;
  options.length = 3;
  CHECK_STATUS(fastio_map_open("/proc/self/status", &options, &map, NULL), FASTIO_OK);
  CHECK(map->size == 3 && memcmp(map->data, "me:", 3) == 0);
  fastio_map_close(map);
}

static void test_device(void) {
  fastio_map *map = NULL;
  fastio_map_options options = FASTIO_MAP_OPTIONS_INIT;
  options.length = 100000;
  CHECK_STATUS(fastio_map_open("/dev/zero", &options, &map, NULL), FASTIO_OK);
  CHECK(map->size == 100000 && map->data[99999] == 0 && map->is_mapped == 0);
  fastio_map_close(map);
}

static void test_standard_input(void) {
  fastio_map *map = NULL;
  int saved = dup(0), fd = open(path, O_RDONLY);
  dup2(fd, 0);
  CHECK_STATUS(fastio_map_open("-", NULL, &map, NULL), FASTIO_OK);
  dup2(saved, 0);
  close(saved);
  close(fd);
  CHECK(map->size == file_size && map->is_mapped == 1 && holds_file_from(map, 0));
  fastio_map_close(map);
}

/* ---- errors ---- */

static void check_os_error(const char *name, int expected) {
  fastio_map *map = (fastio_map *)path; /* any value that must not change */
  fastio_error err;
  CHECK_STATUS(fastio_map_open(name, NULL, &map, &err), FASTIO_OS_ERROR);
  CHECK(err.status == FASTIO_OS_ERROR && err.os_error == expected && err.message != NULL);
  CHECK(map == (fastio_map *)path);
}

static void test_errors(void) {
  fastio_map *map = NULL;
  fastio_error err;
  fastio_map_options options = FASTIO_MAP_OPTIONS_INIT;
  check_os_error("/tmp", EISDIR);
  check_os_error("/nonexistent/file", ENOENT);
  check_os_error("", ENOENT);
  CHECK_STATUS(fastio_map_open(NULL, NULL, &map, &err), FASTIO_INVALID_ARGUMENT);
  CHECK(fastio_map_fd(-1, NULL, &map, &err) == FASTIO_OS_ERROR && err.os_error == EBADF);
  int directory = open("/tmp", O_RDONLY);
  CHECK(fastio_map_fd(directory, NULL, &map, &err) == FASTIO_OS_ERROR && err.os_error == EISDIR);
  close(directory);
  options.flags = 1u << 30;
  CHECK_STATUS(fastio_map_open(path, &options, &map, &err), FASTIO_INVALID_ARGUMENT);
  CHECK(map == NULL);
}

static int64_t failing_pread(void *ctx, int fd, void *data, size_t size, uint64_t offset) {
  int *calls = ctx;
  if (++*calls == 1) return -EINTR; /* goes unnoticed */
  if (*calls > 2) return -EIO;
  return pread(fd, data, size < 5 ? size : 5, (off_t)offset);
}

static void test_read_error(void) {
  int calls = 0;
  fastio_env env = FASTIO_ENV_INIT;
  fastio_map_options options = FASTIO_MAP_OPTIONS_INIT;
  fastio_map *map = NULL;
  fastio_error err;
  if (access("/proc/self/status", R_OK) != 0) return;
  env.ctx = &calls;
  env.pread = failing_pread;
  options.env = &env;
  CHECK_STATUS(fastio_map_open("/proc/self/status", &options, &map, &err), FASTIO_OS_ERROR);
  CHECK(err.os_error == EIO && err.offset == 5 && map == NULL);
}

typedef struct budget {
  int allowed; /* allocations until one fails */
  int64_t in_use;
} budget;

static void *budget_allocate(void *ctx, size_t size) {
  budget *b = ctx;
  if (b->allowed-- <= 0) return NULL;
  b->in_use += (int64_t)size;
  return malloc(size);
}

static void *budget_reallocate(void *ctx, void *block, size_t old_size, size_t new_size) {
  budget *b = ctx;
  if (b->allowed-- <= 0) return NULL;
  b->in_use += (int64_t)new_size - (int64_t)old_size;
  return realloc(block, new_size);
}

static void budget_release(void *ctx, void *block, size_t size) {
  ((budget *)ctx)->in_use -= (int64_t)size;
  free(block);
}

static fastio_status open_with_budget(budget *b, const char *name, size_t *size) {
  fastio_env env = FASTIO_ENV_INIT;
  fastio_map_options options = FASTIO_MAP_OPTIONS_INIT;
  fastio_map *map = NULL;
  fastio_error err;
  env.ctx = b;
  env.allocate = budget_allocate;
  env.reallocate = budget_reallocate;
  env.release = budget_release;
  options.env = &env;
  options.length = 300000;
  fastio_status status = fastio_map_open(name, &options, &map, &err);
  if (status == FASTIO_OK) *size = map->size;
  CHECK(status == FASTIO_OK || (map == NULL && err.status == status));
  fastio_map_close(map);
  return status;
}

/* Lets the first, second, third ... allocation fail until nothing fails any more. */
static void test_no_memory(void) {
  const char *names[] = {path, "/dev/zero"};
  for (int i = 0; i < 2; i++) {
    fastio_status status = FASTIO_NO_MEMORY;
    size_t size = 0;
    for (int allowed = 0; status != FASTIO_OK; allowed++) {
      budget b = {allowed, 0};
      status = open_with_budget(&b, names[i], &size);
      CHECK(status == FASTIO_OK || status == FASTIO_NO_MEMORY);
      CHECK(b.in_use == 0);
      CHECK(allowed < 20);
      if (allowed >= 20) break;
    }
    CHECK(size == (i == 0 ? file_size : 300000));
  }
}

/* ---- truncation ---- */

static unsigned touch(const fastio_map *map, size_t offset) {
  return ((const volatile unsigned char *)map->data)[offset];
}

/* Runs in a child process and says which signal ended it, 0 for none; a child that exits must do so with 0. */
static int signal_of(void (*run)(void)) {
  int status;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    check_failed = 0; /* for its own verdict */
    run();
    _exit(check_failed != 0);
  }
  CHECK(waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status)) return WTERMSIG(status);
  CHECK(WEXITSTATUS(status) == 0);
  return 0;
}

static void lose_unguarded(void) {
  fastio_map *map = open_range(0, FASTIO_NO_OFFSET, 0);
  signal(SIGBUS, SIG_DFL); /* a sanitizer's own handler would turn the signal into an exit */
  truncate_file(0);
  touch(map, page);
}

static void lose_guarded(void) {
  fastio_error err;
  fastio_map *map = open_range(100, FASTIO_NO_OFFSET, FASTIO_MAP_GUARD);
  truncate_file(page + 1);
  CHECK(touch(map, 0) == byte_at(100));
  CHECK(touch(map, page - 100) == byte_at(page));
  CHECK_STATUS(fastio_map_check(map, &err), FASTIO_OK);
  CHECK(touch(map, 2 * page + 5 - 100) == 0);
  CHECK_STATUS(fastio_map_check(map, &err), FASTIO_TRUNCATED);
  /* Some machines tell the page of a fault only. */
  CHECK(err.offset == 2 * page + 5 - 100 || err.offset == 2 * page - 100);
  truncate_file(0);
  CHECK(touch(map, 0) == 0 && touch(map, page) == 0);
  CHECK(fastio_map_check(map, &err) == FASTIO_TRUNCATED && err.offset == 0);
  for (size_t i = 0; i < map->size; i++) CHECK(map->data[i] == 0);
  fastio_map_close(map);
}

/* A guard elsewhere does not save an unguarded map: the fault goes on to the default action. */
static void lose_beside_guard(void) {
  signal(SIGBUS, SIG_DFL);
  fastio_map *guarded = open_range(0, page, FASTIO_MAP_GUARD);
  fastio_map *map = open_range(0, FASTIO_NO_OFFSET, 0);
  truncate_file(page);
  touch(guarded, 0);
  touch(map, 2 * page);
}

static void lose_after_close(void) {
  signal(SIGBUS, SIG_DFL);
  fastio_map_close(open_range(0, FASTIO_NO_OFFSET, FASTIO_MAP_GUARD));
  fastio_map *map = open_range(0, FASTIO_NO_OFFSET, 0); /* probably at the same addresses */
  truncate_file(0);
  touch(map, 0);
}

static void send_signal(void) {
  signal(SIGBUS, SIG_DFL);
  fastio_map *map = open_range(0, FASTIO_NO_OFFSET, FASTIO_MAP_GUARD);
  CHECK_STATUS(fastio_map_check(map, NULL), FASTIO_OK);
  kill(getpid(), SIGBUS);
}

static volatile sig_atomic_t seen;
static void plain_handler(int number) { seen = number; }
static void *volatile fault_address;
static void info_handler(int number, siginfo_t *info, void *context) {
  (void)number;
  (void)context;
  fault_address = info->si_addr;
  _exit(check_failed != 0 || seen != SIGBUS);
}

/* Handlers that were there before the guard get what is not the guard's. */
static void chain_to_plain_handler(void) {
  signal(SIGBUS, plain_handler);
  fastio_map *map = open_range(0, FASTIO_NO_OFFSET, FASTIO_MAP_GUARD);
  kill(getpid(), SIGBUS);
  CHECK(seen == SIGBUS);
  seen = 0;
  truncate_file(0);
  CHECK(touch(map, 0) == 0);
  CHECK(seen == 0);
  CHECK_STATUS(fastio_map_check(map, NULL), FASTIO_TRUNCATED);
  fastio_map_close(map);
}

static void chain_to_info_handler(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = info_handler;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, NULL);
  fastio_map_close(open_range(0, FASTIO_NO_OFFSET, FASTIO_MAP_GUARD));
  fastio_map *map = open_range(0, FASTIO_NO_OFFSET, 0);
  truncate_file(0);
  seen = SIGBUS;
  touch(map, 0);
  CHECK(!"the handler ends the process");
}

static void ignore_sent_signal(void) {
  signal(SIGBUS, SIG_IGN);
  fastio_map *map = open_range(0, FASTIO_NO_OFFSET, FASTIO_MAP_GUARD);
  kill(getpid(), SIGBUS);
  CHECK(holds_file_from(map, 0));
  fastio_map_close(map);
}

/* More guards than one chunk of the registry holds; each map is lost on its own. */
static void lose_one_of_many(void) {
  enum { COUNT = 100 };
  fastio_map *maps[COUNT];
  for (int i = 0; i < COUNT; i++) maps[i] = open_range((uint64_t)i, FASTIO_NO_OFFSET, FASTIO_MAP_GUARD);
  for (int i = 0; i < COUNT; i += 2) {
    fastio_map_close(maps[i]);
    maps[i] = open_range((uint64_t)i, FASTIO_NO_OFFSET, FASTIO_MAP_GUARD);
  }
  truncate_file(0);
  CHECK(touch(maps[57], page) == 0);
  for (int i = 0; i < COUNT; i++) {
    CHECK(fastio_map_check(maps[i], NULL) == (i == 57 ? FASTIO_TRUNCATED : FASTIO_OK));
    fastio_map_close(maps[i]);
  }
}

/* One round; false if it went wrong. The file may be gone before it is mapped: then the map is empty, which is just as
 * true. */
static bool lose_once(void) {
  fastio_map_options options = FASTIO_MAP_OPTIONS_INIT;
  fastio_map *map = NULL;
  options.flags = FASTIO_MAP_GUARD;
  options.offset = page;
  if (fastio_map_open(path, &options, &map, NULL) != FASTIO_OK) return false;
  unsigned sum = 0;
  for (size_t at = 0; at < map->size; at += 512) sum += touch(map, at);
  bool ok = map->size == 0 || sum > 0 || fastio_map_check(map, NULL) == FASTIO_TRUNCATED;
  fastio_map_close(map);
  return ok;
}

/* Counts for itself: the macros of check.h are one thread's. */
static void *lose_repeatedly(void *arg) {
  for (int i = 0; i < 200; i++) *(int *)arg += !lose_once();
  return NULL;
}

static void lose_in_threads(void) {
  pthread_t threads[4];
  int wrong[4] = {0};
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, lose_repeatedly, &wrong[i]);
  for (int i = 0; i < 200; i++) {
    truncate_file(0);
    write_file();
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
    CHECK_INT(wrong[i], 0);
  }
}

/* Numbers over a map whose pages go: the loss is told, not the zeros that stand in for them. */
static void lose_under_reader(void) {
  enum { ROWS = 200000 };
  int fd = open(path, O_WRONLY | O_TRUNC);
  char *text = malloc(ROWS * 8);
  for (int i = 0; i < ROWS; i++) memcpy(text + i * 8, "1234567\n", 8);
  CHECK(write(fd, text, ROWS * 8) == ROWS * 8);
  close(fd);
  free(text);
  for (unsigned threads = 1; threads <= 2; threads++) {
    fastio_map *map = open_range(0, FASTIO_NO_OFFSET, FASTIO_MAP_GUARD);
    fastio_read_options options = FASTIO_READ_OPTIONS_INIT;
    fastio_source *source = NULL;
    fastio_column *column = NULL;
    fastio_error err;
    options.threads = threads;
    if (threads == 1) truncate_file(100 * page);
    else truncate_file(0);
    CHECK_STATUS(fastio_source_map(map, NULL, &source, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_read_ints(source, &options, &column, &err), FASTIO_TRUNCATED);
    CHECK(column == NULL);
    fastio_source_close(source);
    uint64_t lines = 7;
    CHECK_STATUS(fastio_source_map(map, NULL, &source, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_count_lines(source, &options, &lines, &err), FASTIO_TRUNCATED);
    CHECK(lines == 7);
    fastio_source_close(source);
    fastio_map_close(map);
  }
}

static void lose_under_pull_reader(void) {
  fastio_source *source = NULL;
  fastio_reader *reader = NULL;
  fastio_error err;
  int64_t value;
  const char *line;
  size_t size;
  int fd = open(path, O_WRONLY | O_TRUNC);
  for (int i = 0; i < 40000; i++) CHECK(write(fd, "1234567\n", 8) == 8);
  close(fd);
  fastio_map *map = open_range(0, FASTIO_NO_OFFSET, FASTIO_MAP_GUARD);
  truncate_file(0);
  CHECK_STATUS(fastio_source_map(map, NULL, &source, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_reader_open(source, NULL, &reader, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_next_i64(reader, &value, &err), FASTIO_TRUNCATED);
  CHECK_STATUS(fastio_next_line(reader, &line, &size, &err), FASTIO_TRUNCATED);
  fastio_reader_close(reader);
  fastio_source_close(source);
  fastio_map_close(map);
}

static uintptr_t expected_page;
static void compare_page(int number, siginfo_t *info, void *context) {
  (void)number;
  (void)context;
  _exit((uintptr_t)info->si_addr / page == expected_page ? 0 : 1);
}

/* qemu 7 swaps the halves of a fault's address for s390x programs; no guard can work there. */
static bool faults_have_addresses(void) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = compare_page;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &action, NULL);
    fastio_map *map = open_range(0, FASTIO_NO_OFFSET, 0);
    expected_page = (uintptr_t)(map->data + page) / page;
    truncate_file(0);
    touch(map, page);
    _exit(1);
  }
  waitpid(child, &status, 0);
  write_file();
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void test_truncation(void) {
  const struct {
    const char *name;
    void (*run)(void);
    int expected;
  } cases[] = {
      {"unguarded", lose_unguarded, SIGBUS},
      {"guarded", lose_guarded, 0},
      {"beside a guard", lose_beside_guard, SIGBUS},
      {"after close", lose_after_close, SIGBUS},
      {"kill", send_signal, SIGBUS},
      {"plain handler", chain_to_plain_handler, 0},
      {"info handler", chain_to_info_handler, 0},
      {"ignored", ignore_sent_signal, 0},
      {"one of many", lose_one_of_many, 0},
      {"threads", lose_in_threads, 0},
      {"under a reader", lose_under_reader, 0},
      {"under a pull reader", lose_under_pull_reader, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int got = signal_of(cases[i].run);
    check_that(got == cases[i].expected, __FILE__, __LINE__, "%s: signal %d, not %d", cases[i].name, got,
               cases[i].expected);
    write_file();
  }
}

/* Larger than most memories: a hole of 64 GiB, of which two bytes are touched. */
static void test_huge_file(void) {
  const uint64_t size = (uint64_t)64 << 30;
  if (sizeof(size_t) < 8 || truncate(path, (off_t)size) != 0) return; /* the file system has smaller files */
  fastio_map *map = open_range(0, FASTIO_NO_OFFSET, FASTIO_MAP_RANDOM);
  CHECK(map->size == size && map->is_mapped == 1);
  CHECK(touch(map, 0) == byte_at(0) && touch(map, (size_t)(size - 1)) == 0);
  fastio_map_close(map);
  map = open_range(size - 3, FASTIO_NO_OFFSET, 0);
  CHECK(map->size == 3 && touch(map, 2) == 0);
  fastio_map_close(map);
  write_file();
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  page = (size_t)sysconf(_SC_PAGESIZE);
  file_size = 3 * page + 123;
  close(mkstemp(path));
  write_file();
  if (faults_have_addresses()) test_truncation(); /* first: the children must start without the guard's handler */
  test_ranges();
  test_advice();
  test_defaults();
  test_descriptor();
  test_empty_file();
  test_pipes();
  test_proc();
  test_device();
  test_standard_input();
  test_errors();
  test_read_error();
  test_no_memory();
  test_huge_file();
  unlink(path);
  return check_report();
}
#endif
