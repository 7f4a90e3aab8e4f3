# The C tests under sanitizers: sanitize.sh asan|tsan
set -eu
preset=$1
[ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" -- --quiet
ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 ctest --preset "$preset" -j 1 --no-tests=error
