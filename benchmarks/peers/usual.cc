// usual.cc - the ways in which C and C++ programs usually read numbers, lines and whole files.
//
// Standard input is the worker's command channel; so each run of a std::cin job happens in a forked child, which has
// the file on descriptor 0 (see with_stdin).
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>
#if __has_include(<fast_float/fast_float.h>)
#  include <fast_float/fast_float.h>
#  define HAVE_FAST_FLOAT 1
#endif

#include "worker.h"

namespace {

constexpr size_t BLOCK = 1 << 20;
constexpr size_t HUGE_PAGE = 2 << 20;

using Ints = std::vector<int64_t>;
using Floats = std::vector<double>;

// ---- the yardstick: read() of the file in 1 MiB blocks ----

void read_blocks(job *j) {
  static char *block = static_cast<char *>(aligned_alloc(4096, BLOCK));
  uint64_t total = 0;
  job_start(j);
  int fd = open(j->path, O_RDONLY);
  for (ssize_t n; (n = read(fd, block, BLOCK)) > 0;) total += static_cast<uint64_t>(n);
  close(fd);
  job_stop(j);
}

// The other half of the yardstick: fresh memory for the column that the file becomes (8 bytes for every 9 of the text,
// as in the 1 GB of integers), in huge pages where there are any, each page touched once.
void fresh_memory(job *j) {
  size_t size = std::filesystem::file_size(j->path) / 9 * 8;
  job_start(j);
  char *map = static_cast<char *>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  madvise(map, size, MADV_HUGEPAGE);
  for (size_t i = 0; i < size; i += 4096) map[i] = 1;
  munmap(map, size);
  job_stop(j);
}

// ---- helpers ----

struct File {
  explicit File(const char *path) : f(fopen(path, "rb")) {
    if (!f) job_fail(path);
  }
  ~File() { fclose(f); }
  FILE *f;
};

// Whole tokens of a file, block by block: a token that a block cuts is moved to the front of the next one. The byte
// after the last token of a block is a NUL, as strtol and strtod need it.
template <class Parse> void for_blocks(const char *path, Parse parse) {
  File file(path);
  std::vector<char> block(BLOCK + 1);
  size_t kept = 0;
  for (;;) {
    size_t got = fread(block.data() + kept, 1, BLOCK - kept, file.f);
    size_t size = kept + got, whole = size;
    if (got)
      while (whole > 0 && block[whole - 1] != '\n') whole--;
    char after = block[whole];
    block[whole] = 0;
    parse(block.data(), block.data() + whole);
    block[whole] = after;
    if (!got) return;
    kept = size - whole;
    memmove(block.data(), block.data() + whole, kept);
  }
}

inline bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

template <class Value, class From> void parse_all(const char *p, const char *end, std::vector<Value> &out, From from) {
  for (;;) {
    while (p < end && is_blank(*p)) p++;
    if (p == end) return;
    Value value;
    p = from(p, end, value);
    out.push_back(value);
  }
}

template <class Value> const char *by_from_chars(const char *p, const char *end, Value &value) {
  auto result = std::from_chars(p, end, value);
  if (result.ec != std::errc()) exit(3);
  return result.ptr;
}

const char *by_strtol(const char *p, const char *, int64_t &value) {
  char *end;
  value = strtol(p, &end, 10);
  return end;
}

const char *by_strtod(const char *p, const char *, double &value) {
  char *end;
  value = strtod(p, &end);
  return end;
}

void answer(job *j, const Ints &v) { answer_ints(j, v.data(), v.size()); }
void answer(job *j, const Floats &v) { answer_floats(j, v.data(), v.size()); }

// ---- numbers from a file ----

template <class Value> void fscanf_loop(job *j) {
  std::vector<Value> out;
  job_start(j);
  {
    File file(j->path);
    Value value;
    const char *format = std::is_same_v<Value, double> ? "%lf" : "%ld";
    while (fscanf(file.f, format, &value) == 1) out.push_back(value);
  }
  job_stop(j);
  answer(j, out);
}

template <class Value> void strto_over_fread(job *j) {
  std::vector<Value> out;
  job_start(j);
  for_blocks(j->path, [&](const char *p, const char *end) {
    if constexpr (std::is_same_v<Value, double>) parse_all(p, end, out, by_strtod);
    else parse_all(p, end, out, by_strtol);
  });
  job_stop(j);
  answer(j, out);
}

template <class Value> void from_chars_over_fread(job *j) {
  std::vector<Value> out;
  job_start(j);
  for_blocks(j->path, [&](const char *p, const char *end) { parse_all(p, end, out, by_from_chars<Value>); });
  job_stop(j);
  answer(j, out);
}

template <class Value> void getline_strto(job *j) {
  std::vector<Value> out;
  job_start(j);
  {
    File file(j->path);
    char *line = nullptr;
    size_t room = 0;
    while (getline(&line, &room, file.f) > 0) {
      if constexpr (std::is_same_v<Value, double>) out.push_back(strtod(line, nullptr));
      else out.push_back(strtol(line, nullptr, 10));
    }
    free(line);
  }
  job_stop(j);
  answer(j, out);
}

template <class Value> void ifstream_extract(job *j) {
  std::vector<Value> out;
  job_start(j);
  {
    std::ifstream in(j->path);
    for (Value value; in >> value;) out.push_back(value);
  }
  job_stop(j);
  answer(j, out);
}

template <class Value> void stringstream_extract(job *j) {
  std::vector<Value> out;
  job_start(j);
  {
    std::ifstream in(j->path);
    std::stringstream text;
    text << in.rdbuf();
    for (Value value; text >> value;) out.push_back(value);
  }
  job_stop(j);
  answer(j, out);
}

// Runs `work` in a child whose descriptor 0 is the file, so that a fresh std::cin reads it, and takes over its answer.
void with_stdin(job *j, const std::function<void()> &work) {
  int ends[2];
  if (pipe(ends)) job_fail("pipe");
  pid_t child = fork();
  if (child == 0) {
    int fd = open(j->path, O_RDONLY);
    dup2(fd, 0);
    work();
    if (write(ends[1], j, sizeof *j) != static_cast<ssize_t>(sizeof *j)) _exit(1);
    _exit(0);
  }
  close(ends[1]);
  job result;
  bool whole = read(ends[0], &result, sizeof result) == static_cast<ssize_t>(sizeof result);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  if (!whole) job_fail("child");
  *j = result;
}

template <class Value> void cin_extract(job *j, bool sync) {
  with_stdin(j, [&] {
    std::ios::sync_with_stdio(sync);
    std::cin.tie(nullptr);
    std::vector<Value> out;
    job_start(j);
    for (Value value; std::cin >> value;) out.push_back(value);
    job_stop(j);
    answer(j, out);
  });
}

template <class Value> void cin_sync(job *j) { cin_extract<Value>(j, true); }

template <class Value> void cin_nosync(job *j) { cin_extract<Value>(j, false); }

// ---- numbers in memory: the text and the (touched) result array are there before the clock starts ----

struct Text {
  explicit Text(const char *path) : size(std::filesystem::file_size(path)), data(size + 1) {
    File file(path);
    if (fread(data.data(), 1, size, file.f) != size) job_fail(path);
  }
  size_t size;
  std::vector<char> data;
};

template <class Value, class From> void parse_memory(job *j, From from) {
  static Text text(j->path);
  static std::vector<Value> out(text.size / 2 + 1);
  size_t count = 0;
  job_start(j);
  for (const char *p = text.data.data(), *end = p + text.size;;) {
    while (p < end && is_blank(*p)) p++;
    if (p == end) break;
    p = from(p, end, out[count++]);
  }
  job_stop(j);
  if constexpr (std::is_same_v<Value, double>) answer_floats(j, out.data(), count);
  else answer_ints(j, out.data(), count);
}

void memory_strtol(job *j) { parse_memory<int64_t>(j, by_strtol); }
void memory_strtod(job *j) { parse_memory<double>(j, by_strtod); }
void memory_from_chars_int(job *j) { parse_memory<int64_t>(j, by_from_chars<int64_t>); }
void memory_from_chars_float(job *j) { parse_memory<double>(j, by_from_chars<double>); }
#ifdef HAVE_FAST_FLOAT
void memory_fast_float(job *j) {
  parse_memory<double>(j, [](const char *p, const char *end, double &value) {
    auto result = fast_float::from_chars(p, end, value);
    if (result.ec != std::errc()) exit(3);
    return result.ptr;
  });
}
#endif

// ---- lines ----

void answer_lines(job *j, uint64_t lines, uint64_t bytes) { job_answer(j, "%" PRIu64 " %" PRIu64, lines, bytes); }

void getline_c(job *j) {
  uint64_t lines = 0, bytes = 0;
  job_start(j);
  {
    File file(j->path);
    char *line = nullptr;
    size_t room = 0;
    for (ssize_t n; (n = getline(&line, &room, file.f)) > 0; lines++)
      bytes += static_cast<uint64_t>(n) - (line[n - 1] == '\n');
    free(line);
  }
  job_stop(j);
  answer_lines(j, lines, bytes);
}

void getline_cpp(job *j) {
  uint64_t lines = 0, bytes = 0;
  job_start(j);
  {
    std::ifstream in(j->path);
    for (std::string line; std::getline(in, line); lines++) bytes += line.size();
  }
  job_stop(j);
  answer_lines(j, lines, bytes);
}

// ---- slurping ----

// A small file is read often enough in one run to be timed.
template <class Slurp> void slurp(job *j, Slurp once) {
  size_t size = 0;
  int times = std::filesystem::file_size(j->path) < BLOCK ? 1000 : 1;
  job_start(j);
  for (int i = 0; i < times; i++) size = once(j->path);
  job_stop(j);
  j->seconds /= times;
  job_answer(j, "%zu", size);
}

size_t touch(const void *data, size_t size) { // keeps the result alive, as a caller would
  __asm__ volatile("" : : "r"(data) : "memory");
  return size;
}

size_t slurp_istreambuf_iterator(const char *path) {
  std::ifstream in(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return touch(text.data(), text.size());
}

size_t slurp_stringstream(const char *path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream stream;
  stream << in.rdbuf();
  std::string text = stream.str();
  return touch(text.data(), text.size());
}

size_t slurp_getline_nul(const char *path) { // binary data has NULs: one getline for each
  std::ifstream in(path, std::ios::binary);
  std::string text, part;
  while (std::getline(in, part, '\0')) {
    text += part;
    if (!in.eof()) text += '\0';
  }
  return touch(text.data(), text.size());
}

size_t slurp_tellg_read(const char *path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  std::string text(static_cast<size_t>(in.tellg()), '\0');
  in.seekg(0);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  return touch(text.data(), text.size());
}

size_t slurp_vector_read(const char *path) {
  std::vector<char> data(std::filesystem::file_size(path));
  std::ifstream in(path, std::ios::binary);
  in.read(data.data(), static_cast<std::streamsize>(data.size()));
  return touch(data.data(), data.size());
}

size_t slurp_append_blocks(const char *path) {
  std::ifstream in(path, std::ios::binary);
  std::string text;
  static char block[1 << 16];
  while (in.read(block, sizeof block) || in.gcount()) text.append(block, static_cast<size_t>(in.gcount()));
  return touch(text.data(), text.size());
}

size_t slurp_fread(const char *path) {
  File file(path);
  fseek(file.f, 0, SEEK_END);
  size_t size = static_cast<size_t>(ftell(file.f));
  rewind(file.f);
  char *data = static_cast<char *>(malloc(size));
  size = fread(data, 1, size, file.f);
  touch(data, size);
  free(data);
  return size;
}

size_t read_whole(const char *path, char *data, size_t size) {
  int fd = open(path, O_RDONLY);
  size_t total = 0;
  for (ssize_t n; total < size && (n = read(fd, data + total, size - total)) > 0;) total += static_cast<size_t>(n);
  close(fd);
  return touch(data, total);
}

size_t slurp_read(const char *path) {
  size_t size = std::filesystem::file_size(path);
  char *data = static_cast<char *>(malloc(size));
  size = read_whole(path, data, size);
  free(data);
  return size;
}

// The yardstick: read() into a fresh buffer of the right size in huge pages.
size_t slurp_read_huge(const char *path) {
  size_t size = std::filesystem::file_size(path);
  size_t mapped = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE + HUGE_PAGE;
  if (size < HUGE_PAGE) return slurp_read(path);
  char *map = static_cast<char *>(mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  char *data = map + (HUGE_PAGE - reinterpret_cast<uintptr_t>(map) % HUGE_PAGE) % HUGE_PAGE;
  madvise(data, mapped - HUGE_PAGE, MADV_HUGEPAGE);
  size = read_whole(path, data, size);
  munmap(map, mapped);
  return size;
}

size_t slurp_mmap(const char *path) { // with a look at every page: a map alone has read nothing
  size_t size = std::filesystem::file_size(path);
  int fd = open(path, O_RDONLY);
  char *data = static_cast<char *>(mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0));
  close(fd);
  madvise(data, size, MADV_SEQUENTIAL);
  unsigned sum = 0;
  for (size_t i = 0; i < size; i += 4096) sum += static_cast<unsigned char>(data[i]);
  __asm__ volatile("" : : "r"(sum));
  munmap(data, size);
  return size;
}

template <size_t (*Once)(const char *)> void slurp_job(job *j) { slurp(j, Once); }

const job_entry entries[] = {
    {"read_blocks", read_blocks},
    {"fresh_memory", fresh_memory},
    {"ints_fscanf", fscanf_loop<int64_t>},
    {"ints_strtol", strto_over_fread<int64_t>},
    {"ints_from_chars", from_chars_over_fread<int64_t>},
    {"ints_getline", getline_strto<int64_t>},
    {"ints_ifstream", ifstream_extract<int64_t>},
    {"ints_stringstream", stringstream_extract<int64_t>},
    {"ints_cin", cin_sync<int64_t>},
    {"ints_cin_nosync", cin_nosync<int64_t>},
    {"floats_fscanf", fscanf_loop<double>},
    {"floats_strtod", strto_over_fread<double>},
    {"floats_from_chars", from_chars_over_fread<double>},
    {"floats_getline", getline_strto<double>},
    {"floats_ifstream", ifstream_extract<double>},
    {"floats_stringstream", stringstream_extract<double>},
    {"floats_cin", cin_sync<double>},
    {"floats_cin_nosync", cin_nosync<double>},
    {"memory_strtol", memory_strtol},
    {"memory_strtod", memory_strtod},
    {"memory_from_chars_int", memory_from_chars_int},
    {"memory_from_chars_float", memory_from_chars_float},
#ifdef HAVE_FAST_FLOAT
    {"memory_fast_float", memory_fast_float},
#endif
    {"lines_getline_c", getline_c},
    {"lines_getline_cpp", getline_cpp},
    {"slurp_istreambuf_iterator", slurp_job<slurp_istreambuf_iterator>},
    {"slurp_stringstream", slurp_job<slurp_stringstream>},
    {"slurp_getline_nul", slurp_job<slurp_getline_nul>},
    {"slurp_tellg_read", slurp_job<slurp_tellg_read>},
    {"slurp_vector_read", slurp_job<slurp_vector_read>},
    {"slurp_append_blocks", slurp_job<slurp_append_blocks>},
    {"slurp_fread", slurp_job<slurp_fread>},
    {"slurp_read", slurp_job<slurp_read>},
    {"slurp_read_huge", slurp_job<slurp_read_huge>},
    {"slurp_mmap", slurp_job<slurp_mmap>},
};

} // namespace

int main(int argc, char **argv) { return worker_main(argc, argv, entries, sizeof entries / sizeof *entries); }
