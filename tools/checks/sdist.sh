# From an sdist, `pip install` needs a C compiler and setuptools, and no SWIG.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 setup.py --quiet sdist --dist-dir "$dir" >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
mkdir "$dir/tree"
tar -x -f "$dir"/libfastio-*.tar.gz -C "$dir/tree" --strip-components 1
touch "$dir/tree/bindings/swig/fastio.i" # not even if the time stamps would ask for it

# A new environment with setuptools alone, which is pure Python and therefore lent by this one.
site=$(python3 -c 'import os, setuptools; print(os.path.dirname(os.path.dirname(setuptools.__file__)))')
python3 -m venv --without-pip "$dir/venv"
new_site=$("$dir/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
ln -s "$site"/setuptools "$site"/setuptools-*.dist-info "$site"/_distutils_hack "$new_site"
PATH=/usr/bin:/bin "$(command -v python3)" -m pip --disable-pip-version-check --python "$dir/venv/bin/python" install --quiet \
  --no-deps --no-index --no-build-isolation "$dir/tree" >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
cd "$dir"
venv/bin/python -c 'import fastio; assert list(fastio.read_ints(b"1 2 3")) == [1, 2, 3]; fastio.cpu_selected()
import gzip; assert list(fastio.read_ints(gzip.compress(b"1 2 3"))) == [1, 2, 3] and "gzip" in fastio.compression_names()'
