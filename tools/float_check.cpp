// The shortest form of floats against an independent reference, the C++ library's std::to_chars: of every float32, and
// of as many float64 at random as asked for. Each text is also read back. Run by tools/checks/floats.sh, which takes
// minutes; the usual tests try some hundred thousand values.
//
//     float_check f32 | f64 MILLIONS

#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "fastio.h"

namespace {

struct Text {
  char data[FASTIO_FORMAT_MAX];
  size_t size = 0;
  void add(const char *bytes, size_t count) {
    std::memcpy(data + size, bytes, count);
    size += count;
  }
  void add(size_t count, char byte) {
    std::memset(data + size, byte, count);
    size += count;
  }
};

// Digits and exponent as std::to_chars finds them, laid out as Python's repr does. Finite values.
template <class Float> Text expected(Float value) {
  char scientific[64], digits[32];
  const char *end = std::to_chars(scientific, scientific + 63, value, std::chars_format::scientific).ptr;
  const char *mark = scientific;
  size_t count = 0;
  for (; *mark != 'e'; mark++)
    if (*mark != '.' && *mark != '-') digits[count++] = *mark;
  int exponent = 0;
  std::from_chars(mark + 1 + (mark[1] == '+'), end, exponent);
  Text text;
  if (exponent < -4 || exponent >= 16) {
    text.add(scientific, static_cast<size_t>(end - scientific));
    return text;
  }
  if (std::signbit(value)) text.add(1, '-');
  if (exponent < 0) {
    text.add("0.", 2);
    text.add(static_cast<size_t>(-exponent - 1), '0');
    text.add(digits, count);
    return text;
  }
  const size_t whole = static_cast<size_t>(exponent) + 1;
  text.add(digits, count < whole ? count : whole);
  if (count < whole) text.add(whole - count, '0');
  text.add(1, '.');
  if (count > whole) text.add(digits + whole, count - whole);
  else text.add(1, '0');
  return text;
}

size_t format(float value, char *out) { return fastio_format_f32(value, out); }
size_t format(double value, char *out) { return fastio_format_f64(value, out); }
fastio_status parse(const char *data, size_t size, float *out) { return fastio_parse_f32(data, size, out, nullptr); }
fastio_status parse(const char *data, size_t size, double *out) { return fastio_parse_f64(data, size, out, nullptr); }

uint64_t checked, faults;

template <class Float> void check(Float value) {
  if (!std::isfinite(value)) return;
  const Text due = expected(value);
  char got[FASTIO_FORMAT_MAX];
  const size_t size = format(value, got);
  Float again;
  checked++;
  if (size == due.size && std::memcmp(got, due.data, size) == 0 && parse(got, size, &again) == FASTIO_OK &&
      std::memcmp(&again, &value, sizeof value) == 0)
    return;
  if (faults++ < 20)
    std::printf("%a is \"%.*s\", not \"%.*s\"\n", static_cast<double>(value), static_cast<int>(size), got,
                static_cast<int>(due.size), due.data);
}

uint64_t state = UINT64_C(0x9E3779B97F4A7C15);

uint64_t random_bits() {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state * UINT64_C(0x2545F4914F6CDD1D);
}

template <class Float, class Bits> Float from_bits(Bits bits) {
  Float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Negative values must differ from positive ones in the sign alone.
void check_every_f32() {
  for (uint32_t bits = 0; bits < UINT32_C(0x7F800000); bits++) {
    const float value = from_bits<float>(bits);
    char got[2][FASTIO_FORMAT_MAX];
    check(value);
    const size_t size = format(value, got[0]), negative_size = format(-value, got[1]);
    checked++;
    if (negative_size != size + 1 || got[1][0] != '-' || std::memcmp(got[1] + 1, got[0], size) != 0) faults++;
  }
}

// Any bits; bits near a power of two; uniform numbers of everyday size; decimals with few digits; integers.
void check_f64(uint64_t count) {
  static const double tens[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  for (uint64_t i = 0; i < count; i += 5) {
    const uint64_t bits = random_bits(), more = random_bits();
    check(from_bits<double>(bits));
    check(from_bits<double>((bits >> 52 << 52) + (more & 1 ? 0 - (more >> 56) : more >> 56)));
    check(static_cast<double>(static_cast<int64_t>(bits)) * (1e4 / 0x1p63));
    check(static_cast<double>(bits >> (more & 63)) / tens[more >> 6 & 15]);
    check(static_cast<double>(static_cast<int64_t>(more) >> (bits & 63)));
  }
}

} // namespace

int main(int argc, char **argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "f32") {
    check_every_f32();
  } else if (what == "f64" && argc > 2) {
    check_f64(std::strtoull(argv[2], nullptr, 10) * 1000000);
  } else {
    std::fputs("usage: float_check f32 | f64 MILLIONS\n", stderr);
    return 2;
  }
  std::printf("%s: %" PRIu64 " values, %" PRIu64 " faults\n", what.c_str(), checked, faults);
  return faults != 0;
}
