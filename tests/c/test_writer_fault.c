/* Bad output: full disks, broken pipes, interruptions, limits, no memory. What is told as written is there, and what is
 * not there is told. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "books.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char directory[] = "/tmp/fastio-test-writer-fault-XXXXXX";
static char path[300];

/* ---- a system that fails on request ---- */

typedef struct fault {
  char data[1 << 16];
  size_t size;    /* what has been taken */
  size_t full_at; /* bytes that there is room for */
  int error;      /* what comes then; 0: a write of 0 bytes */
  size_t most;    /* bytes taken at once, 0: all */
  int interrupts; /* EINTR (or what else is said) before each write */
  int interruption;
  int pending;
  size_t largest; /* call */
  uint64_t total; /* counts without keeping */
} fault;

static int64_t fault_write(void *ctx, int fd, const void *data, size_t size) {
  fault *f = ctx;
  (void)fd;
  if (size > f->largest) f->largest = size;
  if (f->pending < f->interrupts) {
    f->pending++;
    return -f->interruption;
  }
  f->pending = 0;
  if (f->most && size > f->most) size = f->most;
  if (size > f->full_at - f->size) size = f->full_at - f->size;
  if (size == 0) return -f->error;
  memcpy(f->data + f->size, data, size);
  f->size += size;
  return (int64_t)size;
}

static fault new_fault(void) {
  fault f;
  memset(&f, 0, sizeof f);
  f.full_at = sizeof f.data;
  f.error = ENOSPC;
  return f;
}

static fastio_env env_of(fault *f) {
  fastio_env env = FASTIO_ENV_INIT;
  env.ctx = f;
  env.write = fault_write;
  return env;
}

static fastio_writer *open_null(const fastio_env *env, int buffering, size_t buffer_size, unsigned flags) {
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  fastio_writer *w = NULL;
  options.env = env;
  options.buffering = buffering;
  options.buffer_size = buffer_size;
  options.flags = flags;
  CHECK_STATUS(fastio_writer_open("/dev/null", &options, &w, NULL), FASTIO_OK);
  return w;
}

/* ---- the script: calls of several sizes, of which each says whether its bytes were accepted ---- */

enum { STEPS = 60 };

/* What step i writes, and the status of writing it. */
static fastio_status step(fastio_writer *w, int i, char *text, size_t *size, fastio_error *err) {
  static const size_t sizes[] = {1, 5, 12, 31, 70, 0};
  fastio_bytes pieces[3];
  char *room;
  *size = sizes[i % 6];
  for (size_t k = 0; k < *size; k++) text[k] = (char)('a' + (i * 7 + (int)k) % 26);
  if (*size && i % 3 == 0) text[*size - 1] = '\n';
  if (i % 6 == 5) {
    *size = (size_t)sprintf(text, "%d", i * 1000);
    return fastio_write_i64(w, i * 1000, err);
  }
  if (i % 7 == 3) {
    room = fastio_reserve(w, *size, err);
    if (!room) return fastio_writer_error(w, err);
    memcpy(room, text, *size);
    return fastio_commit(w, room + *size, err);
  }
  if (i % 7 == 5) {
    pieces[0] = (fastio_bytes){text, *size / 2};
    pieces[1] = (fastio_bytes){text, 0};
    pieces[2] = (fastio_bytes){text + *size / 2, *size - *size / 2};
    return fastio_write_pieces(w, pieces, 3, err);
  }
  return fastio_write(w, text, *size, err);
}

typedef struct result {
  char due[1 << 14]; /* what was accepted */
  size_t accepted;
  fastio_status status; /* the first failure, close's too */
  fastio_error err;
} result;

/* Runs the script to its end, failures or not, and checks that a failure stays. */
static void run_script(fastio_writer *w, result *r) {
  fastio_error err;
  memset(r, 0, sizeof *r);
  for (int i = 0; i < STEPS; i++) {
    char text[128];
    size_t size;
    fastio_status status = step(w, i, text, &size, &err);
    if (r->status != FASTIO_OK) {
      CHECK_STATUS(status, r->status); /* it stays, and as it was */
      CHECK_INT(err.os_error, r->err.os_error);
      CHECK_INT(err.offset, r->err.offset);
    } else if (status == FASTIO_OK) {
      memcpy(r->due + r->accepted, text, size);
      r->accepted += size;
      CHECK_INT(fastio_writer_offset(w), r->accepted);
    } else {
      r->status = status;
      r->err = err;
      CHECK_INT(fastio_writer_offset(w), r->accepted);
    }
    if (i == STEPS / 2 && r->status == FASTIO_OK) {
      r->status = fastio_flush(w, &err);
      r->err = err;
    }
  }
  CHECK_STATUS(fastio_writer_error(w, &err), r->status);
  fastio_status closed = fastio_writer_close(w, &err);
  if (r->status != FASTIO_OK) CHECK_STATUS(closed, r->status);
  else r->err = err;
  r->status = closed;
}

static void check_result(const result *r, const fault *f, int error, const char *what) {
  size_t size = r->accepted < f->size ? r->accepted : f->size;
  if (error == 0) {
    check_that(r->status == FASTIO_OK && f->size == r->accepted, __FILE__, __LINE__, "%s: status %d, %zu bytes of %zu",
               what, r->status, f->size, r->accepted);
  } else {
    check_that(r->status == FASTIO_OS_ERROR && r->err.os_error == error, __FILE__, __LINE__, "%s: status %d, error %d",
               what, r->status, r->err.os_error);
    CHECK_INT(r->err.offset, f->size); /* how many bytes have left */
  }
  check_that(memcmp(r->due, f->data, size) == 0, __FILE__, __LINE__, "%s: other bytes", what);
}

static const size_t buffer_sizes[] = {0, 1, 16, 100};

/* Interrupted, blocked, one byte at a time: nothing shows of it. */
static void test_hindrances(void) {
  static fault f;
  static result r;
  for (int buffering = FASTIO_BUFFER_FULL; buffering <= FASTIO_BUFFER_NONE; buffering++)
    for (size_t b = 0; b < 4; b++)
      for (int kind = 0; kind < 4; kind++) {
        f = new_fault();
        if (kind == 0) f.most = 1;
        if (kind == 1) f.interrupts = 2, f.interruption = EINTR;
        if (kind == 2) f.interrupts = 1, f.interruption = EAGAIN, f.most = 3;
        fastio_env env = env_of(&f);
        run_script(open_null(&env, buffering, buffer_sizes[b], kind == 3 ? FASTIO_WRITE_LOCKED : 0), &r);
        check_result(&r, &f, 0, "hindered");
      }
}

/* The disk is full after every number of bytes. */
static void test_full_at_every_byte(void) {
  static fault f;
  static result r;
  size_t total;
  f = new_fault();
  fastio_env env = env_of(&f);
  run_script(open_null(&env, FASTIO_BUFFER_FULL, 0, 0), &r);
  total = f.size;
  CHECK(total > 1000);
  for (int buffering = FASTIO_BUFFER_FULL; buffering <= FASTIO_BUFFER_NONE; buffering++)
    for (size_t b = 0; b < 4; b++)
      for (size_t room = 0; room <= total; room += 1 + room / 97) {
        f = new_fault();
        f.full_at = room;
        f.most = room % 5;
        f.error = room % 2 ? ENOSPC : EDQUOT;
        run_script(open_null(&env, buffering, buffer_sizes[b], 0), &r);
        check_result(&r, &f, room == total ? 0 : f.error, "full");
      }
  f = new_fault(); /* a system that takes nothing and does not say why: an error, not a loop */
  f.full_at = 100;
  f.error = 0;
  run_script(open_null(&env, FASTIO_BUFFER_NONE, 0, 0), &r);
  check_result(&r, &f, EIO, "nothing taken");
}

/* ---- more than 2 GiB in one call ---- */

static int64_t count_write(void *ctx, int fd, const void *data, size_t size) {
  fault *f = ctx;
  (void)fd, (void)data;
  if (size > f->largest) f->largest = size;
  f->total += size;
  return (int64_t)size;
}

static void test_more_than_2_gib(void) {
#if SIZE_MAX > UINT32_MAX
  static fault f;
  const size_t block = (size_t)1 << 20, size = ((size_t)5 << 29) + 12345; /* 2.5 GiB */
  static char zeros[1 << 20];
  static fastio_bytes pieces[3000];
  fastio_env env = FASTIO_ENV_INIT;
  fastio_writer *w;
  uint64_t left = size;
  size_t count = 0;
  f = new_fault();
  env.ctx = &f;
  env.write = count_write;
  w = open_null(&env, FASTIO_BUFFER_FULL, 0, 0);
  for (; left > 0; count++) {
    pieces[count] = (fastio_bytes){zeros, left < block ? (size_t)left : block};
    left -= pieces[count].size;
  }
  CHECK_STATUS(fastio_write(w, "x", 1, NULL), FASTIO_OK);
  CHECK_STATUS(fastio_write_pieces(w, pieces, count, NULL), FASTIO_OK);
  CHECK_INT(f.total, size + 1);
  CHECK_INT(fastio_writer_offset(w), size + 1);
  /* One piece of it: an address range that is never touched, since nobody looks at the bytes. */
  CHECK_STATUS(fastio_write(w, zeros, size, NULL), FASTIO_OK);
  CHECK_INT(f.total, 2 * size + 1);
  CHECK(f.largest <= (size_t)1 << 30);
  CHECK_STATUS(fastio_writer_close(w, NULL), FASTIO_OK);
#endif
}

/* ---- devices that are full, readers that are gone, limits ---- */

static void test_dev_full(void) {
  fastio_error err;
  int fd = open("/dev/full", O_WRONLY);
  if (fd < 0) return;
  for (int buffering = FASTIO_BUFFER_FULL; buffering <= FASTIO_BUFFER_NONE; buffering++) {
    fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
    fastio_writer *w = NULL;
    fastio_status due = buffering == FASTIO_BUFFER_FULL ? FASTIO_OK : FASTIO_OS_ERROR;
    options.buffering = buffering;
    CHECK_STATUS(fastio_writer_open("/dev/full", &options, &w, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_write(w, "line\n", 5, &err), due);
    CHECK_STATUS(fastio_flush(w, &err), FASTIO_OS_ERROR);
    CHECK_INT(err.os_error, ENOSPC);
    CHECK_STATUS(fastio_write(w, "line\n", 5, &err), FASTIO_OS_ERROR);
    CHECK_STATUS(fastio_sync(w, &err), FASTIO_OS_ERROR);
    CHECK_STATUS(fastio_writer_close(w, &err), FASTIO_OS_ERROR);
    CHECK_INT(err.os_error, ENOSPC);
    /* A FILE over it tells when it is flushed. */
    FILE *file = fopen("/dev/full", "w");
    CHECK_STATUS(fastio_writer_stdio(file, &options, &w, NULL), FASTIO_OK);
    CHECK_STATUS(fastio_write(w, "line\n", 5, &err), due);
    CHECK_STATUS(fastio_writer_close(w, &err), FASTIO_OS_ERROR);
    CHECK_INT(err.os_error, ENOSPC);
    fclose(file);
  }
  close(fd);
}

static void test_broken_pipe(void) {
  fastio_error err;
  fastio_writer *w;
  int ends[2];
  for (int is_socket = 0; is_socket < 2; is_socket++) {
    CHECK_INT(is_socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends), 0);
    CHECK_STATUS(fastio_writer_fd(ends[1], NULL, &w, NULL), FASTIO_OK);
    close(ends[0]);
    CHECK_STATUS(fastio_write(w, "x", 1, &err), FASTIO_OK);
    CHECK_STATUS(fastio_writer_close(w, &err), FASTIO_OS_ERROR);
    CHECK_INT(err.os_error, EPIPE);
    CHECK_INT(err.offset, 0);
    close(ends[1]);
  }
}

/* A pipe that would block is waited for. */
static void test_would_block(void) {
  enum { SIZE = 300000 };
  static char data[SIZE], got[SIZE];
  fastio_writer *w;
  int ends[2], state;
  size_t have = 0;
  ssize_t n = 1;
  pid_t child;
  for (int i = 0; i < SIZE; i++) data[i] = (char)(i * 31 / 7);
  CHECK_INT(pipe(ends), 0);
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  child = fork();
  if (child == 0) {
    close(ends[0]);
    if (fastio_writer_fd(ends[1], NULL, &w, NULL) != FASTIO_OK) _exit(1);
    for (int i = 0; i < SIZE; i += 1000)
      if (fastio_write(w, data + i, 1000, NULL) != FASTIO_OK) _exit(2);
    _exit(fastio_writer_close(w, NULL) == FASTIO_OK ? 0 : 3);
  }
  close(ends[1]);
  while (n > 0 && have < SIZE) {
    usleep(100);
    n = read(ends[0], got + have, have + 5000 < SIZE ? 5000 : SIZE - have);
    have += n > 0 ? (size_t)n : 0;
  }
  waitpid(child, &state, 0);
  CHECK_INT(state, 0);
  CHECK_INT(have, SIZE);
  CHECK_INT(memcmp(got, data, SIZE), 0);
  close(ends[0]);
}

static void test_size_limit(void) {
  struct rlimit before, limit;
  fastio_error err;
  struct stat status;
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  fastio_writer *w;
  CHECK_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
  limit = before;
  limit.rlim_cur = 1000;
  for (unsigned flags = 0; flags <= FASTIO_WRITE_ATOMIC; flags++) {
    options.flags = flags;
    CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
    CHECK_STATUS(fastio_writer_open(path, &options, &w, NULL), FASTIO_OK);
    for (int i = 0; i < 150; i++) CHECK_STATUS(fastio_write(w, "0123456789", 10, &err), FASTIO_OK);
    CHECK_STATUS(fastio_writer_close(w, &err), FASTIO_OS_ERROR);
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK_INT(err.os_error, EFBIG);
    CHECK_INT(err.offset, 1000);
    CHECK_INT(stat(path, &status), flags ? -1 : 0);
    if (!flags) CHECK_INT(status.st_size, 1000);
    unlink(path);
  }
}

/* A child that is interrupted by a timer all the time while the parent reads slowly. */
static void on_alarm(int number) { (void)number; }

static void test_interrupted(void) {
  struct sigaction action, before;
  fastio_writer *w;
  int ends[2], state;
  size_t have = 0;
  char got[4096];
  ssize_t n;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_alarm; /* without SA_RESTART */
  CHECK_INT(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    char block[1000];
    memset(block, 'b', sizeof block);
    close(ends[0]);
    sigaction(SIGALRM, &action, &before);
    ualarm(500, 500);
    if (fastio_writer_fd(ends[1], NULL, &w, NULL) != FASTIO_OK) _exit(1);
    for (int i = 0; i < 500; i++)
      if (fastio_write(w, block, sizeof block, NULL) != FASTIO_OK) _exit(2);
    _exit(fastio_writer_close(w, NULL) == FASTIO_OK ? 0 : 3);
  }
  close(ends[1]);
  while ((n = read(ends[0], got, sizeof got)) > 0) {
    have += (size_t)n;
    if (have % (16 * sizeof got) < sizeof got) usleep(2000);
  }
  waitpid(child, &state, 0);
  CHECK_INT(state, 0);
  CHECK_INT(have, 500000);
  close(ends[0]);
}

/* ---- a replacement that fails leaves the old file and nothing else ---- */

static unsigned files_in_directory(void) {
  DIR *entries = opendir(directory);
  unsigned count = 0;
  for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
    count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
  closedir(entries);
  return count;
}

static void put(const char *content) {
  FILE *file = fopen(path, "w");
  fputs(content, file);
  fclose(file);
}

static void check_old(void) {
  char got[8] = "";
  FILE *file = fopen(path, "r");
  size_t n = file ? fread(got, 1, sizeof got, file) : 0;
  if (file) fclose(file);
  CHECK_BYTES(got, n, "old");
  CHECK_INT(files_in_directory(), 1);
}

static fastio_status open_atomic(const fastio_env *env, fastio_writer **out, fastio_error *err) {
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  options.env = env;
  options.flags = FASTIO_WRITE_ATOMIC;
  return fastio_writer_open(path, &options, out, err);
}

static void test_failed_replacement(void) {
  static fault f;
  fastio_env env = env_of(&f);
  fastio_writer *w;
  fastio_error err;
  char moved[320];
  put("old");
  f = new_fault();
  f.full_at = 5;
  CHECK_STATUS(open_atomic(&env, &w, &err), FASTIO_OK);
  CHECK_STATUS(fastio_write(w, "too long", 8, &err), FASTIO_OK);
  CHECK_STATUS(fastio_writer_close(w, &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, ENOSPC);
  check_old();
  /* The target has become a directory: the last step fails. */
  CHECK_STATUS(open_atomic(NULL, &w, &err), FASTIO_OK);
  CHECK_STATUS(fastio_write(w, "new", 3, &err), FASTIO_OK);
  snprintf(moved, sizeof moved, "%s-moved", directory);
  CHECK_INT(rename(path, moved), 0);
  CHECK_INT(mkdir(path, 0700), 0);
  CHECK_STATUS(fastio_writer_close(w, &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, EISDIR);
  CHECK_INT(rmdir(path), 0);
  CHECK_INT(rename(moved, path), 0);
  check_old();
  /* The temporary file is gone. */
  CHECK_STATUS(open_atomic(NULL, &w, &err), FASTIO_OK);
  DIR *entries = opendir(directory);
  for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
    if (strstr(entry->d_name, ".tmp")) unlinkat(dirfd(entries), entry->d_name, 0);
  closedir(entries);
  CHECK_STATUS(fastio_writer_close(w, &err), FASTIO_OS_ERROR);
  CHECK_INT(err.os_error, ENOENT);
  check_old();
  unlink(path);
}

/* A process that dies before the close leaves the old file. */
static void test_crash(void) {
  fastio_writer *w;
  int state;
  put("old");
  pid_t child = fork();
  if (child == 0) {
    if (open_atomic(NULL, &w, NULL) != FASTIO_OK) _exit(1);
    for (int i = 0; i < 100000; i++) fastio_write_i64(w, i, NULL);
    raise(SIGKILL);
  }
  waitpid(child, &state, 0);
  CHECK(WIFSIGNALED(state));
  DIR *entries = opendir(directory);
  for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
    if (strstr(entry->d_name, ".tmp")) unlinkat(dirfd(entries), entry->d_name, 0); /* the crash's litter */
  closedir(entries);
  check_old();
  unlink(path);
}

/* ---- devices that fail ---- */

typedef struct bad_device {
  int what; /* 0: write fails, 1: takes too much, 2: takes nothing, 3: flush fails, 4: close fails, 5: END */
  int closes;
} bad_device;

static fastio_status bad_write(void *ctx, const void *data, size_t size, size_t *put_out, fastio_error *err) {
  const bad_device *d = ctx;
  (void)data, (void)err;
  if (d->what == 0) return FASTIO_CANCELLED;
  if (d->what == 5) return FASTIO_END;
  *put_out = d->what == 1 ? size + 1 : d->what == 2 ? 0 : size;
  return FASTIO_OK;
}

static fastio_status bad_flush(void *ctx, fastio_error *err) {
  const bad_device *d = ctx;
  if (d->what != 3) return FASTIO_OK;
  if (err) {
    fastio_error_init(err);
    err->status = FASTIO_OS_ERROR;
    err->os_error = EIO;
    err->message = "the tape is torn";
  }
  return FASTIO_OS_ERROR;
}

static fastio_status bad_close(void *ctx, fastio_error *err) {
  bad_device *d = ctx;
  (void)err;
  d->closes++;
  return d->what == 4 ? FASTIO_CALLBACK_FAILED : FASTIO_OK;
}

static void test_bad_devices(void) {
  static const fastio_status due[] = {FASTIO_CANCELLED, FASTIO_CALLBACK_FAILED, FASTIO_CALLBACK_FAILED,
                                      FASTIO_OS_ERROR,  FASTIO_CALLBACK_FAILED, FASTIO_END};
  for (int what = 0; what < 6; what++)
    for (int flushes = 0; flushes < 2; flushes++) {
      bad_device d = {what, 0};
      fastio_output_device device = {&d, bad_write, bad_flush, bad_close};
      fastio_writer *w = NULL;
      fastio_error err;
      CHECK_STATUS(fastio_writer_device(&device, NULL, &w, NULL), FASTIO_OK);
      CHECK_STATUS(fastio_write(w, "bytes", 5, NULL), FASTIO_OK);
      if (flushes) CHECK_STATUS(fastio_flush(w, &err), what == 4 ? FASTIO_OK : due[what]);
      CHECK_STATUS(fastio_writer_close(w, &err), due[what]);
      CHECK_STATUS(err.status, due[what]);
      if (what == 3) CHECK_INT(strcmp(err.message, "the tape is torn"), 0);
      CHECK_INT(err.offset, what >= 3 && what <= 4 ? 5 : 0);
      CHECK_INT(d.closes, 1);
    }
}

/* ---- no memory ---- */

/* Opens and uses every kind of writer under an allocator whose n-th call fails. */
static fastio_status use_all(const fastio_env *env) {
  fastio_write_options options = FASTIO_WRITE_OPTIONS_INIT;
  char small[100];
  fastio_writer *w = NULL, *other = NULL;
  fastio_column *column;
  fastio_error err;
  fastio_status status, closed;
  char *room;
  options.env = env;
  for (unsigned kind = 0; kind < 5; kind++) {
    bad_device d = {-1, 0};
    fastio_output_device device = {&d, bad_write, bad_flush, bad_close};
    options.flags = kind % 2 ? FASTIO_WRITE_LOCKED : 0;
    if (kind == 0) options.flags |= FASTIO_WRITE_ATOMIC;
    status = kind == 0   ? fastio_writer_open(path, &options, &w, &err)
             : kind == 1 ? fastio_writer_open(path, &options, &w, &err)
             : kind == 2 ? fastio_writer_memory(&options, &w, &err)
             : kind == 3 ? fastio_writer_device(&device, &options, &w, &err)
                         : fastio_writer_buffer(small, sizeof small, &options, &w, &err);
    if (kind == 3 && status != FASTIO_OK) CHECK_INT(d.closes, 1);
    if (status != FASTIO_OK) return status;
    if (kind != 4)
      for (int i = 0; i < 3000 && status == FASTIO_OK; i++) status = fastio_write(w, "0123456789", 10, &err);
    other = fastio_writer_lock(w);
    room = status == FASTIO_OK ? fastio_reserve(other, 300000, &err) : NULL;
    if (status == FASTIO_OK && !room) status = err.status;
    if (room) status = fastio_commit(other, room + 50, &err);
    closed = fastio_writer_unlock(w, &err);
    if (status == FASTIO_OK) status = closed;
    if (kind == 2 && status == FASTIO_OK) {
      status = fastio_writer_take(w, &column, &err);
      if (status == FASTIO_OK) CHECK_INT(column->length, 30050);
      if (status == FASTIO_OK) fastio_column_free(column);
      if (status == FASTIO_NO_MEMORY) CHECK_INT(fastio_writer_offset(w), 30050); /* it still has the bytes */
    }
    closed = fastio_writer_close(w, &err);
    if (status == FASTIO_OK) status = closed;
    if (status != FASTIO_OK) return status;
  }
  return FASTIO_OK;
}

static void test_no_memory(void) {
  fastio_status status = FASTIO_NO_MEMORY;
  put("old");
  for (int64_t n = 1; status != FASTIO_OK && n < 1000; n++) {
    books b = {0};
    fastio_env env = FASTIO_ENV_INIT;
    env.ctx = &b;
    env.allocate = books_allocate;
    env.reallocate = books_reallocate;
    env.release = books_release;
    b.fail_at = n;
    status = use_all(&env);
    CHECK(status == FASTIO_OK || status == FASTIO_NO_MEMORY);
    CHECK_INT(b.live, 0);
    CHECK(!b.wrong);
    CHECK_INT(files_in_directory(), 1);
    if (status == FASTIO_OK) CHECK(n > 15); /* there were that many to fail */
  }
  CHECK_STATUS(status, FASTIO_OK);
  unlink(path);
}

/* No descriptor is left open by anything above. */
static int lowest_free_fd(void) {
  int fd = open("/", O_RDONLY);
  close(fd);
  return fd;
}

int main(void) {
  int free_fd = lowest_free_fd();
  if (!mkdtemp(directory)) return 2;
  snprintf(path, sizeof path, "%s/file", directory);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  test_hindrances();
  test_full_at_every_byte();
  test_more_than_2_gib();
  test_dev_full();
  test_broken_pipe();
  test_would_block();
  test_size_limit();
  test_interrupted();
  test_failed_replacement();
  test_crash();
  test_bad_devices();
  test_no_memory();
  CHECK_INT(lowest_free_fd(), free_fd);
  rmdir(directory);
  return check_report();
}
