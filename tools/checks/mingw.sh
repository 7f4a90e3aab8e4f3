# Every source of the library compiles for Windows, and together they make a DLL.
set -eu
mkdir -p build/mingw
compile() { x86_64-w64-mingw32-gcc -std=c11 -O2 -Wall -Wextra -Werror -DFASTIO_SHARED -DFASTIO_BUILDING -Ilibfastio/include "$@"; }
objects=
for source in libfastio/src/*/*.c; do
  object=build/mingw/$(echo "$source" | tr / _).o
  compile -c "$source" -o "$object"
  objects="$objects $object"
done
x86_64-w64-mingw32-gcc -shared -o build/mingw/fastio.dll $objects
