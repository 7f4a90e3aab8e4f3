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
int main(void) { return strcmp(fastio_version(), FASTIO_VERSION); }
EOF
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
"$dir/build/with_static"
"$dir/build/with_shared"

export PKG_CONFIG_PATH="$libdir/pkgconfig"
cc "$dir/main.c" $(pkg-config --cflags --libs fastio) -o "$dir/with_pc"
LD_LIBRARY_PATH=$libdir "$dir/with_pc"
major=$(sed -n 's/^#define FASTIO_VERSION_MAJOR //p' libfastio/include/fastio.h)
readelf -d "$libdir/libfastio.so" | grep -q "SONAME.*\[libfastio.so.$major\]"
