// input_usual.cc - inflating, memcpy, iconv: what the conversions of fastio are measured by.
#include <iconv.h>
#include <zlib.h>

#include <string>
#include <vector>
#if __has_include(<isa-l/igzip_lib.h>)
#  include <isa-l/igzip_lib.h>
#  define HAVE_ISAL 1
#endif
#if __has_include(<libdeflate.h>)
#  include <libdeflate.h>
#  define HAVE_LIBDEFLATE 1
#endif

#include "write.h"

namespace {

constexpr size_t PIECE = 256 << 10;

std::string slurp(const char *path) {
  std::string data;
  std::vector<char> block(1 << 20);
  FILE *file = fopen(path, "rb");
  if (!file) job_fail(path);
  for (size_t got; (got = fread(block.data(), 1, block.size(), file)) > 0;) data.append(block.data(), got);
  fclose(file);
  return data;
}

[[noreturn]] void damaged() {
  fprintf(stderr, "not a gzip file of one member\n");
  exit(3);
}

// ---- inflating a gzip file of one member, without looking at what comes out: answers with its size ----

void inflate_zlib(job *j) {
  std::vector<unsigned char> in(PIECE), out(PIECE);
  uint64_t total = 0;
  job_start(j);
  FILE *file = fopen(j->path, "rb");
  if (!file) job_fail(j->path);
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) damaged();
  int status = Z_OK;
  while (status == Z_OK) {
    if (stream.avail_in == 0) {
      stream.next_in = in.data();
      stream.avail_in = static_cast<unsigned>(fread(in.data(), 1, in.size(), file));
    }
    stream.next_out = out.data();
    stream.avail_out = static_cast<unsigned>(out.size());
    status = inflate(&stream, Z_NO_FLUSH);
    total += out.size() - stream.avail_out;
  }
  if (status != Z_STREAM_END) damaged();
  inflateEnd(&stream);
  fclose(file);
  job_stop(j);
  job_answer(j, "%" PRIu64, total);
}

#ifdef HAVE_ISAL
void inflate_isal(job *j) {
  static inflate_state state;
  std::vector<unsigned char> in(PIECE), out(PIECE);
  uint64_t total = 0;
  job_start(j);
  FILE *file = fopen(j->path, "rb");
  if (!file) job_fail(j->path);
  isal_inflate_init(&state);
  state.crc_flag = ISAL_GZIP;
  while (state.block_state != ISAL_BLOCK_FINISH) {
    if (state.avail_in == 0) {
      state.next_in = in.data();
      state.avail_in = static_cast<uint32_t>(fread(in.data(), 1, in.size(), file));
      if (state.avail_in == 0) damaged();
    }
    state.next_out = out.data();
    state.avail_out = static_cast<uint32_t>(out.size());
    if (isal_inflate(&state) != ISAL_DECOMP_OK) damaged();
    total += out.size() - state.avail_out;
  }
  fclose(file);
  job_stop(j);
  job_answer(j, "%" PRIu64, total);
}
#endif

#ifdef HAVE_LIBDEFLATE
void inflate_libdeflate(job *j) {
  job_start(j);
  std::string in = slurp(j->path);
  uint32_t size; // the last four bytes of the member
  memcpy(&size, in.data() + in.size() - 4, 4);
  std::vector<char> out(size);
  size_t total = 0;
  libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
  if (libdeflate_gzip_decompress(decompressor, in.data(), in.size(), out.data(), out.size(), &total) !=
      LIBDEFLATE_SUCCESS)
    damaged();
  libdeflate_free_decompressor(decompressor);
  job_stop(j);
  job_answer(j, "%zu", total);
}
#endif

// ---- in cache ----

void copy(job *j) {
  static std::string in = slurp(j->path);
  static std::vector<char> out(in.size());
  job_start(j);
  for (int i = 0; i < IN_CACHE; i++) {
    memcpy(out.data(), in.data(), in.size());
    asm volatile("" ::"r"(out.data()) : "memory");
  }
  job_stop(j);
  job_answer(j, "%zu", in.size());
}

void convert(job *j, const char *from, const char *to) {
  static std::string in = slurp(j->path);
  static std::vector<char> out(in.size() * 4 + 64);
  size_t size = 0;
  job_start(j);
  for (int i = 0; i < IN_CACHE; i++) {
    iconv_t converter = iconv_open(to, from);
    char *next = in.data(), *put = out.data();
    size_t left = in.size(), room = out.size();
    if (iconv(converter, &next, &left, &put, &room) == static_cast<size_t>(-1)) job_fail("iconv");
    size = out.size() - room;
    iconv_close(converter);
  }
  job_stop(j);
  answer_memory(j, out.data(), size);
}

void to_utf16(job *j) { convert(j, "UTF-8", "UTF-16LE"); }
void from_utf16(job *j) { convert(j, "UTF-16LE", "UTF-8"); }

// ---- file to file ----

void iconv_command(job *j) {
  const char *path = fresh_output();
  std::string command = std::string("iconv -f UTF-8 -t UTF-16LE '") + j->path + "' > '" + path + "'";
  job_start(j);
  if (system(command.c_str()) != 0) job_fail("iconv");
  job_stop(j);
  answer_output(j, path);
}

const job_entry entries[] = {
    {"inflate_zlib", inflate_zlib},
#ifdef HAVE_ISAL
    {"inflate_isal", inflate_isal},
#endif
#ifdef HAVE_LIBDEFLATE
    {"inflate_libdeflate", inflate_libdeflate},
#endif
    {"copy", copy},
    {"to_utf16", to_utf16},
    {"from_utf16", from_utf16},
    {"iconv_command", iconv_command},
};

} // namespace

int main(int argc, char **argv) { return worker_main(argc, argv, entries, sizeof entries / sizeof *entries); }
