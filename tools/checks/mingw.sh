# Every source of the library compiles for Windows, and together they make a DLL.
set -eu
mkdir -p build/mingw
x86_64-w64-mingw32-gcc -std=c11 -O2 -Wall -Wextra -Werror -DFASTIO_SHARED -DFASTIO_BUILDING -Ilibfastio/include \
  -shared -o build/mingw/fastio.dll libfastio/src/*/*.c
