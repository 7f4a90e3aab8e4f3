# Another machine: cross-compiled, then the C tests and every vector under qemu-user: cross.sh aarch64|s390x
set -eu
machine=$1
[ -f "build/$machine/build.ninja" ] || cmake --preset "$machine" >/dev/null
cmake --build --preset "$machine" -- --quiet
ctest --preset "$machine" --no-tests=error
# -R bounds the address space: qemu keeps a record of every page that was ever reserved, and each pipe reserves many.
FASTIO_C_DRIVER="qemu-$machine -R 0x200000000 -L /usr/$machine-linux-gnu build/$machine/driver" \
  python3 -m pytest -q -p no:cacheprovider tests/test_vectors.py -k "test_c_quick or test_c_array"
