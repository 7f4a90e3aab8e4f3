# From an sdist, `pip install` needs a C compiler and nothing else: no SWIG.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 setup.py --quiet sdist --dist-dir "$dir" 2>&1 | grep -v warning || true
python3 -m venv --without-pip "$dir/venv"
# Setuptools comes from this environment, SWIG does not: the path holds the system's own tools only.

tar -x -f "$dir"/libfastio-*.tar.gz -C "$dir"
rm "$dir"/libfastio-*.tar.gz
cp -r "$dir"/libfastio-* "$dir/tree"
ls "$dir/tree/bindings/swig/generated" | grep -q fastio_python_wrap.c
python3 -m pip --python "$dir/venv/bin/python" install --quiet --no-deps --no-index --no-build-isolation "$dir/tree" 2>"$dir/log" ||
  { cat "$dir/log"; exit 1; }
cd "$dir"
venv/bin/python -c 'import fastio; assert list(fastio.read_ints(b"1 2 3")) == [1, 2, 3]; fastio.cpu_selected()'
