# The public headers compile alone, with every warning on: fastio.h as C99, C11 and C++, fastio_print.h as these too, of
# which C11 and C++17 have its macros and templates.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
flags="-Wall -Wextra -Wpedantic -Werror -Ilibfastio/include -fsyntax-only"
for header in fastio.h fastio_print.h; do
  echo "#include <$header>" >"$dir/alone.c"
  cp "$dir/alone.c" "$dir/alone.cc"
  for shared in -UFASTIO_SHARED -DFASTIO_SHARED; do
    for standard in c99 c11 c17; do
      gcc -std=$standard $flags $shared "$dir/alone.c"
      clang -std=$standard $flags $shared "$dir/alone.c"
    done
    for standard in c++11 c++17 c++20; do
      g++ -std=$standard $flags $shared "$dir/alone.cc"
    done
  done
done
