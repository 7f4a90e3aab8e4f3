# Every C file of ours is clean under -Wall -Wextra -Wpedantic -Werror: warnings.sh gcc|clang
set -eu
compiler=$1
flags="-std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -fPIC -Ilibfastio/include"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
status=0
compile() { # SOURCE, FLAGS...
  $compiler $flags "$@" -c -o "$dir/out.o" || status=1
}
for source in libfastio/src/*/*.c tests/c/*.c tests/drivers/*.c; do
  compile "$source"
done
# Above without libraries; here with them.
codecs="-DFASTIO_WITH_ZLIB -DFASTIO_WITH_ZSTD -DFASTIO_WITH_LZMA -DFASTIO_WITH_BZIP2 -DFASTIO_WITH_LZ4"
for source in libfastio/src/codec/*.c libfastio/src/core/version.c; do
  compile "$source" $codecs
  compile "$source" $codecs -DFASTIO_WITH_ISAL
done
for version in 5.1 5.4 jit; do
  include=$(pkg-config --cflags "lua$version")
  for source in lua/src/*.c; do compile "$source" $include; done
done
# CPython itself keeps functions in void pointers.
python_include=$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))')
for source in python/src/*.c; do compile "$source" -Wno-pedantic -isystem "$python_include"; done
exit $status
