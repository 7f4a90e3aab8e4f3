/* write.h - what the benchmark workers that write have in common: the file to write to, the values, the answers. */
#ifndef WRITE_H
#define WRITE_H

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "worker.h"

enum { INTS = 10000000, DOUBLES = 10000000, HELLOS = 100000000, RECORDS = 10000000, BLOCK = 1 << 20 };
enum { IN_CACHE = 400 }; /* how often a run goes over a text that is in the cache */
#define HELLO "Hello World\n"

/* A fresh file in the directory that BENCH_OUT names (tmpfs or a disk): making room in an old one is not timed. */
static inline const char *fresh_output(void) {
  static char path[512];
  const char *directory = getenv("BENCH_OUT");
  snprintf(path, sizeof path, "%s/bench-write-%ld", directory ? directory : "/tmp", (long)getpid());
  unlink(path);
  return path;
}

/* The size of what was written and a sum over its bytes, which tells it apart from anything else; then it goes. */
static inline void answer_output(job *j, const char *path) {
  uint64_t size = 0, sum = 0;
  if (j->check) {
    static unsigned char block[BLOCK];
    FILE *file = fopen(path, "rb");
    if (!file) job_fail(path);
    for (size_t got; (got = fread(block, 1, sizeof block, file)) > 0; size += got)
      for (size_t i = 0; i < got; i++) sum = sum * 31 + block[i];
    fclose(file);
  }
  job_answer(j, "%" PRIu64 " %" PRIu64, size, sum >> 12);
  unlink(path);
}

static inline void answer_memory(job *j, const char *data, size_t size) {
  uint64_t sum = 0;
  for (size_t i = 0; j->check && i < size; i++) sum = sum * 31 + (unsigned char)data[i];
  job_answer(j, "%zu %" PRIu64, size, sum >> 12);
}

/* The same values in every worker: uniform within +-`bound`, or (bound 0) any finite bit pattern. */
static inline const double *doubles(double bound) {
  static double *values;
  uint64_t state = UINT64_C(0x9E3779B97F4A7C15);
  if (values) return values;
  values = (double *)malloc(DOUBLES * sizeof *values);
  if (!values) job_fail("malloc");
  for (size_t i = 0; i < DOUBLES;) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    if (bound > 0) {
      values[i++] = ((double)(state >> 11) / 9007199254740992.0 * 2 - 1) * bound;
    } else {
      memcpy(values + i, &state, 8);
      i += values[i] - values[i] == 0; /* not inf or nan */
    }
  }
  return values;
}

/* Runs `work` in a child whose standard input is the job's file and whose standard output is the path: the programs
 * that echo and convert use these. Only the work is timed. */
static inline void with_streams(job *j, void (*work)(void)) {
  int answer[2];
  double seconds = 0;
  const char *path = fresh_output();
  pid_t child;
  int status;
  if (pipe(answer)) job_fail("pipe");
  fflush(stdout);
  child = fork();
  if (child < 0) job_fail("fork");
  if (child == 0) {
    int in = open(j->path, O_RDONLY), out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0) _exit(3);
    clearerr(stdin);
    fseek(stdin, 0, SEEK_SET); /* what the worker's own input left in the buffer is not ours */
    job_start(j);
    work();
    if (fflush(stdout)) _exit(4);
    job_stop(j);
    if (write(answer[1], &j->seconds, sizeof j->seconds) != sizeof j->seconds) _exit(5);
    _exit(0);
  }
  close(answer[1]);
  if (read(answer[0], &seconds, sizeof seconds) != sizeof seconds) seconds = 0;
  close(answer[0]);
  waitpid(child, &status, 0);
  if (status) {
    fprintf(stderr, "exit status %d\n", status);
    exit(1);
  }
  j->seconds = seconds;
  answer_output(j, path);
}

#endif
