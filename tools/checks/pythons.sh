# The module builds and works with every CPython from 3.10 on that this machine has.
set -eu
python3 tools/generate_swig.py python
python3 setup.py --quiet build_ext --inplace --parallel 2
temp=build/temp.$(python3 -c 'import sys, sysconfig; print(sysconfig.get_platform() + "-" + sys.implementation.cache_tag)')
site=$(python3 -c 'import os, setuptools; print(os.path.dirname(os.path.dirname(setuptools.__file__)))')

check() { # INTERPRETER
  name=$("$1" -c 'import sys; print(".".join(map(str, sys.version_info[:3])))')
  echo "$name"
  # Setuptools is pure Python, so that every version can use this environment's; the library's objects know no Python.
  mkdir -p build/pythons/path "build/pythons/$name.tmp"
  ln -sfn "$site/setuptools" build/pythons/path/setuptools
  ln -sfn "$site/_distutils_hack" build/pythons/path/_distutils_hack
  cp -r "$temp/libfastio" "$temp/codecs.txt" "build/pythons/$name.tmp/"
  PYTHONPATH=build/pythons/path "$1" setup.py --quiet build_ext --parallel 2 \
    --build-lib "build/pythons/$name" --build-temp "build/pythons/$name.tmp"
  cp python/fastio/*.py "build/pythons/$name/fastio/"
  PYTHONPATH=build/pythons/$name "$1" -W error -c '
import fastio
assert "build/pythons" in fastio.__file__
assert list(fastio.read_ints(b"1 2 3")) == [1, 2, 3]
assert list(fastio.lines(b"a\nb")) == ["a", "b"]
assert fastio.cpu_selected()'
}

for python in /usr/bin/python3.1[0-9] /usr/local/bin/python3.1[0-9] "$HOME"/.pyenv/versions/*/bin/python3.1[0-9]; do
  [ -x "$python" ] || continue
  headers=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
  if [ -f "$headers/Python.h" ]; then check "$python"; fi
done
