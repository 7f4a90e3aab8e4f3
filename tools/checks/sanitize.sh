# The C tests and the quick run of the vectors under sanitizers: sanitize.sh asan|tsan
set -eu
preset=$1
[ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" -- --quiet
ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 ctest --preset "$preset" -j 1 --no-tests=error
FASTIO_C_DRIVER="build/$preset/driver" \
  python3 -m pytest -q -p no:cacheprovider tests/test_vectors.py -k "test_c_quick or test_c_array"
