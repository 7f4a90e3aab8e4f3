// write_usual.cc - the ways in which C and C++ programs usually write numbers, lines and records.
#include <charconv>
#include <pthread.h>
#include <vector>

#include "write.h"

namespace {

struct Output {
  explicit Output(const char *p) : path(p), file(fopen(p, "wb")) {
    if (!file) job_fail(p);
  }
  void close() {
    if (fclose(file)) job_fail(path);
  }
  const char *path;
  FILE *file;
};

// Opens a fresh file, runs the work on it and closes it: all that is timed.
template <class Work> void to_file(job *j, Work work) {
  const char *path = fresh_output();
  job_start(j);
  Output out(path);
  work(out.file);
  out.close();
  job_stop(j);
  answer_output(j, path);
}

void write_all(int fd, const char *data, size_t size) {
  while (size > 0) {
    ssize_t n = write(fd, data, size);
    if (n < 0) job_fail("write");
    data += n;
    size -= static_cast<size_t>(n);
  }
}

// ---- the yardsticks ----

// The same bytes as the integers' text, by write() in 1 MiB blocks.
void ints_raw(job *j) {
  static std::vector<char> text;
  if (text.empty()) {
    text.resize(size_t{INTS} * 9);
    char *p = text.data();
    for (int64_t i = 0; i < INTS; i++) *(p = std::to_chars(p, p + 20, i).ptr) = '\n', p++;
    text.resize(static_cast<size_t>(p - text.data()));
  }
  const char *path = fresh_output();
  job_start(j);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  for (size_t at = 0; at < text.size(); at += BLOCK) write_all(fd, text.data() + at, std::min<size_t>(BLOCK, text.size() - at));
  close(fd);
  job_stop(j);
  answer_output(j, path);
}

// The text copied into a buffer piece by piece, and the buffer written when it is full.
void hello_memcpy(job *j) {
  const char *path = fresh_output();
  static char buffer[128 << 10];
  job_start(j);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  size_t at = 0;
  for (int i = 0; i < HELLOS; i++) {
    if (at + sizeof HELLO - 1 > sizeof buffer) write_all(fd, buffer, at), at = 0;
    memcpy(buffer + at, HELLO, sizeof HELLO - 1);
    at += sizeof HELLO - 1;
    __asm__ volatile("" : : : "memory");
  }
  write_all(fd, buffer, at);
  close(fd);
  job_stop(j);
  answer_output(j, path);
}

// ---- integers ----

void ints_fprintf(job *j) {
  to_file(j, [](FILE *file) {
    for (int64_t i = 0; i < INTS; i++) fprintf(file, "%" PRId64 "\n", i);
  });
}

void ints_to_chars(job *j) {
  to_file(j, [](FILE *file) {
    char text[24];
    for (int64_t i = 0; i < INTS; i++) {
      char *end = std::to_chars(text, text + 20, i).ptr;
      *end++ = '\n';
      fwrite(text, 1, static_cast<size_t>(end - text), file);
    }
  });
}

// ---- floats ----

char *room() {
  static char *buffer = static_cast<char *>(malloc(size_t{DOUBLES} * 26));
  if (!buffer) job_fail("malloc");
  return buffer;
}

template <class Format> void to_memory(job *j, double bound, Format format) {
  const double *values = doubles(bound);
  char *start = room(), *p = start;
  if (j->check) memset(start, 1, size_t{DOUBLES} * 26);
  job_start(j);
  for (size_t i = 0; i < DOUBLES; i++) {
    p = format(p, values[i]);
    *p++ = '\n';
  }
  job_stop(j);
  answer_memory(j, start, static_cast<size_t>(p - start));
}

char *shortest_to_chars(char *p, double value) { return std::to_chars(p, p + 25, value).ptr; }
char *shortest_snprintf(char *p, double value) { return p + snprintf(p, 26, "%.17g", value); }

void uniform_to_chars(job *j) { to_memory(j, 1e4, shortest_to_chars); }
void uniform_snprintf(job *j) { to_memory(j, 1e4, shortest_snprintf); }
void bits_to_chars(job *j) { to_memory(j, 0, shortest_to_chars); }
void bits_snprintf(job *j) { to_memory(j, 0, shortest_snprintf); }

void fixed_fprintf(job *j) {
  const double *values = doubles(1e6);
  to_file(j, [values](FILE *file) {
    for (size_t i = 0; i < DOUBLES; i++) fprintf(file, "%.6f\n", values[i]);
  });
}

void fixed_to_chars(job *j) {
  const double *values = doubles(1e6);
  to_file(j, [values](FILE *file) {
    char text[32];
    for (size_t i = 0; i < DOUBLES; i++) {
      char *end = std::to_chars(text, text + 30, values[i], std::chars_format::fixed, 6).ptr;
      *end++ = '\n';
      fwrite(text, 1, static_cast<size_t>(end - text), file);
    }
  });
}

// ---- many short texts ----

void hello_fwrite(job *j) {
  to_file(j, [](FILE *file) {
    for (int i = 0; i < HELLOS; i++) fwrite(HELLO, 1, sizeof HELLO - 1, file);
  });
}

void hello_fwrite_unlocked(job *j) {
  to_file(j, [](FILE *file) {
    for (int i = 0; i < HELLOS; i++) fwrite_unlocked(HELLO, 1, sizeof HELLO - 1, file);
  });
}

// ---- echo of eight-byte records (seven characters and a newline) ----

void echo_read_write() {
  char record[8];
  while (read(0, record, 8) == 8)
    if (write(1, record, 8) != 8) _exit(6);
}

void echo_fread_fwrite() {
  char record[8];
  while (fread(record, 8, 1, stdin) == 1) fwrite(record, 8, 1, stdout);
}

void echo_scanf_printf() {
  char record[16];
  while (scanf("%15s", record) == 1) printf("%s\n", record);
}

void echo_fgets_puts() {
  char record[16];
  while (fgets(record, sizeof record, stdin)) {
    record[strcspn(record, "\n")] = 0;
    puts(record);
  }
}

void echo_getchar() {
  for (int c; (c = getchar()) != EOF;) putchar(c);
}

void echo_getc_unlocked() {
  for (int c; (c = getc_unlocked(stdin)) != EOF;) putc_unlocked(c, stdout);
}

// ---- lines with CRLF to lines with LF ----

void crlf_fgets_fputs() {
  static char line[4096];
  while (fgets(line, sizeof line, stdin)) {
    size_t size = strlen(line);
    if (size > 1 && line[size - 2] == '\r') memcpy(line + size - 2, "\n", 2);
    fputs(line, stdout);
  }
}

template <void (*Work)()> void streams(job *j) { with_streams(j, Work); }

// ---- threads on one stream: whole lines, the lock that stdio takes ----

FILE *shared_file;

void *locked_lines(void *count) {
  for (long i = 0; i < *static_cast<long *>(count); i++) fprintf(shared_file, "%ld %s", i, "a line of one thread\n");
  return nullptr;
}

void locked_fprintf(job *j) {
  to_file(j, [j](FILE *file) {
    unsigned threads = j->threads ? j->threads : 2;
    long count = INTS / 2 / threads;
    std::vector<pthread_t> handles(threads);
    shared_file = file;
    for (pthread_t &handle : handles) pthread_create(&handle, nullptr, locked_lines, &count);
    for (pthread_t &handle : handles) pthread_join(handle, nullptr);
  });
  job_answer(j, "%d", INTS / 2); // the order is any
}

const job_entry entries[] = {
    {"ints_raw", ints_raw},
    {"ints_fprintf", ints_fprintf},
    {"ints_to_chars", ints_to_chars},
    {"uniform_to_chars", uniform_to_chars},
    {"uniform_snprintf", uniform_snprintf},
    {"bits_to_chars", bits_to_chars},
    {"bits_snprintf", bits_snprintf},
    {"fixed_fprintf", fixed_fprintf},
    {"fixed_to_chars", fixed_to_chars},
    {"hello_memcpy", hello_memcpy},
    {"hello_fwrite", hello_fwrite},
    {"hello_fwrite_unlocked", hello_fwrite_unlocked},
    {"echo_read_write", streams<echo_read_write>},
    {"echo_fread_fwrite", streams<echo_fread_fwrite>},
    {"echo_scanf_printf", streams<echo_scanf_printf>},
    {"echo_fgets_puts", streams<echo_fgets_puts>},
    {"echo_getchar", streams<echo_getchar>},
    {"echo_getc_unlocked", streams<echo_getc_unlocked>},
    {"crlf_fgets_fputs", streams<crlf_fgets_fputs>},
    {"locked_fprintf", locked_fprintf},
};

} // namespace

int main(int argc, char **argv) { return worker_main(argc, argv, entries, sizeof entries / sizeof *entries); }
