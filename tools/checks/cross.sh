# Another machine: cross-compiled, then the C tests and every vector under qemu-user: cross.sh aarch64|s390x
set -eu
machine=$1
[ -f "build/$machine/build.ninja" ] || cmake --preset "$machine" >/dev/null
cmake --build --preset "$machine" -- --quiet
ctest --preset "$machine" --no-tests=error
FASTIO_C_DRIVER="qemu-$machine -L /usr/$machine-linux-gnu build/$machine/driver" \
  python3 -m pytest -q -p no:cacheprovider tests/test_vectors.py -k "test_c_quick or test_c_array"
