# Without the libraries that compress: the C tests with none of them and without ISA-L (zlib does it then), and a Python
# module that has none, for which Python's own do it.
set -eu
build() { # DIRECTORY FLAGS...
  tree=build/without/$1
  shift
  cmake -G Ninja -S . -B "$tree" -DFASTIO_LUA=OFF -DFASTIO_EXAMPLES=OFF -DFASTIO_WERROR=ON "$@" >/dev/null
  cmake --build "$tree" -- --quiet
  ctest --test-dir "$tree" -j 2 -Q --no-tests=error ||
    { ctest --test-dir "$tree" --rerun-failed --output-on-failure; exit 1; }
}
build none -DFASTIO_ZLIB=OFF -DFASTIO_ISAL=OFF -DFASTIO_ZSTD=OFF -DFASTIO_LZMA=OFF -DFASTIO_BZIP2=OFF -DFASTIO_LZ4=OFF
build no_isal -DFASTIO_ZLIB=ON -DFASTIO_ISAL=OFF

lib=$PWD/build/without/python
python3 tools/generate_swig.py python
FASTIO_WITHOUT=all python3 setup.py --quiet build_ext --parallel 2 --build-lib "$lib" --build-temp build/without/temp
cp python/fastio/*.py "$lib/fastio/"
export PYTHONPATH="$lib"
python3 -c 'import fastio; assert "without" in fastio.__file__ and not fastio.compression_names(), fastio.__file__'
python3 -m pytest -q -p no:cacheprovider tests/python/test_compression.py
