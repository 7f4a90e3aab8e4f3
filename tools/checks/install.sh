# An installed library is found by pkg-config and by CMake, static and shared.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cmake --install build/release --prefix "$dir/prefix" >/dev/null
libdir=$(dirname "$(find "$dir/prefix" -name libfastio.a)")
# The build tree was configured for another prefix; a package would have been configured for its own.
sed -i "s|^prefix=.*|prefix=$dir/prefix|" "$libdir/pkgconfig/fastio.pc"

cat >"$dir/main.c" <<'EOF'
#include <fastio_print.h>
#include <string.h>
/* Adds up the numbers of argv[1], an archive, and writes the sum to argv[2], another one. */
int main(int argc, char **argv) {
  fastio_source *source = NULL;
  fastio_reader *reader = NULL;
  fastio_writer *writer = NULL;
  int64_t number, sum = 0;
  if (argc < 3 || strcmp(fastio_version(), FASTIO_VERSION) || !fastio_compression_name(0)) return 1;
  if (fastio_source_open(argv[1], NULL, &source, NULL) || fastio_reader_open(source, NULL, &reader, NULL)) return 2;
  while (fastio_next_i64(reader, &number, NULL) == FASTIO_OK) sum += number;
  fastio_reader_close(reader);
  fastio_source_close(source);
  if (fastio_writer_open(argv[2], NULL, &writer, NULL) || fastio_write_i64(writer, sum, NULL)) return 3;
  return fastio_writer_close(writer, NULL);
}
EOF
seq 100 | gzip >"$dir/in.gz"
works() { # PROGRAM
  for suffix in gz zst xz bz2; do
    "$1" "$dir/in.gz" "$dir/out.$suffix"
    "$1" "$dir/out.$suffix" "$dir/again.gz"
    [ "$(gzip -dc "$dir/again.gz")" = 5050 ]
  done
}
cat >"$dir/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.20)
project(consumer C)
find_package(fastio REQUIRED CONFIG)
foreach(kind static shared)
  add_executable(with_${kind} main.c)
  target_link_libraries(with_${kind} PRIVATE fastio::fastio_${kind})
endforeach()
EOF
cmake -G Ninja -S "$dir" -B "$dir/build" -DCMAKE_PREFIX_PATH="$dir/prefix" >/dev/null
cmake --build "$dir/build" >/dev/null
works "$dir/build/with_static"
works "$dir/build/with_shared"

export PKG_CONFIG_PATH="$libdir/pkgconfig"
cc "$dir/main.c" $(pkg-config --cflags --libs fastio) -o "$dir/with_pc"
LD_LIBRARY_PATH=$libdir works "$dir/with_pc"
cc "$dir/main.c" $(pkg-config --cflags --libs --static fastio | sed 's/-lfastio/-l:libfastio.a/') -o "$dir/with_static_pc"
works "$dir/with_static_pc"
major=$(sed -n 's/^#define FASTIO_VERSION_MAJOR //p' libfastio/include/fastio.h)
readelf -d "$libdir/libfastio.so" | grep -q "SONAME.*\[libfastio.so.$major\]"
