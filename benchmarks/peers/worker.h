/* worker.h - the frame of a C or C++ benchmark worker: a process that runs one job whenever it is told to.
 *
 * usage: PROGRAM JOB FILE [THREADS]. It prints "ready"; then each line "run" or "check" on its standard input runs the
 * job once, and it answers with the seconds that the job took and, for "check", with a short text that tells its result
 * apart from a wrong one. Only the work is timed, not the making of that text. With BENCH_CPU_TIME in the environment
 * the seconds are the process's own on all processors, which a busy machine disturbs less. */
#ifndef WORKER_H
#define WORKER_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct job {
  const char *path;
  unsigned threads;
  int check;
  double started, seconds;
  char answer[128];
} job;

typedef struct job_entry {
  const char *name;
  void (*run)(job *);
} job_entry;

static inline double seconds_now(void) {
  struct timespec t;
  clock_gettime(getenv("BENCH_CPU_TIME") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline void job_start(job *j) { j->started = seconds_now(); }
static inline void job_stop(job *j) { j->seconds = seconds_now() - j->started; }

static inline void job_answer(job *j, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(j->answer, sizeof j->answer, format, arguments);
  va_end(arguments);
}

static inline void job_fail(const char *what) {
  perror(what);
  exit(1);
}

/* The usual answers: how many values and their sum (integers modulo 2^64). */
static inline void answer_ints(job *j, const int64_t *values, size_t count) {
  if (!j->check) return;
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += (uint64_t)values[i];
  job_answer(j, "%zu %" PRIu64, count, sum);
}

static inline void answer_floats(job *j, const double *values, size_t count) {
  if (!j->check) return;
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += values[i];
  job_answer(j, "%zu %.17g", count, sum);
}

static inline int worker_main(int argc, char **argv, const job_entry *entries, size_t count) {
  if (argc < 3) return 2;
  job j;
  memset(&j, 0, sizeof j);
  j.path = argv[2];
  j.threads = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(entries[i].name, argv[1])) continue;
    char line[16];
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
      j.check = line[0] == 'c';
      j.answer[0] = 0;
      entries[i].run(&j);
      printf("%.9f\t%s\n", j.seconds, j.answer);
      fflush(stdout);
    }
    return 0;
  }
  fprintf(stderr, "no job %s\n", argv[1]);
  return 2;
}

#endif
