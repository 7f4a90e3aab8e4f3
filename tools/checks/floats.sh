# Every float32, and as many float64 as 500 million, or MILLIONS: floats.sh [MILLIONS]. The shortest form against
# std::to_chars, and read back. Takes a quarter of an hour or more, so it only runs when asked for.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for source in libfastio/src/*/*.c; do
  cc -O3 -std=c11 -Ilibfastio/include -c -o "$dir/$(echo "$source" | tr / _).o" "$source"
done
c++ -O2 -std=c++17 -Wall -Wextra -Wpedantic -Werror -Ilibfastio/include \
  -o "$dir/float_check" tools/float_check.cpp "$dir"/*.o
"$dir/float_check" f64 "${1:-500}"
"$dir/float_check" f32
