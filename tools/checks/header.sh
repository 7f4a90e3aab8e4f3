# fastio.h compiles alone, as C99, C11 and C++, with every warning on.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
echo '#include <fastio.h>' >"$dir/alone.c"
cp "$dir/alone.c" "$dir/alone.cc"
for shared in -UFASTIO_SHARED -DFASTIO_SHARED; do
  for standard in c99 c11 c17; do
    gcc -std=$standard -Wall -Wextra -Wpedantic -Werror $shared -Ilibfastio/include -fsyntax-only "$dir/alone.c"
    clang -std=$standard -Wall -Wextra -Wpedantic -Werror $shared -Ilibfastio/include -fsyntax-only "$dir/alone.c"
  done
  for standard in c++11 c++20; do
    g++ -std=$standard -Wall -Wextra -Wpedantic -Werror $shared -Ilibfastio/include -fsyntax-only "$dir/alone.cc"
  done
done
