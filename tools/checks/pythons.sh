# The module builds and works with every CPython from 3.10 on that this machine has.
set -eu
python3 tools/generate_swig.py python
for python in /usr/bin/python3.1[0-9] /usr/local/bin/python3.1[0-9] "$HOME"/.pyenv/versions/*/bin/python3.1[0-9]; do
  [ -x "$python" ] || continue
  headers=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
  [ -f "$headers/Python.h" ] || continue
  name=$("$python" -c 'import sys, sysconfig; print(sysconfig.get_config_var("SOABI") + "." + sys.version.split()[0])')
  # Setuptools is pure Python, so every version can use this environment's.
  site=$(python3 -c 'import os, setuptools; print(os.path.dirname(os.path.dirname(setuptools.__file__)))')
  mkdir -p build/pythons/path && ln -sfn "$site/setuptools" build/pythons/path/setuptools
  for part in _distutils_hack; do ln -sfn "$site/$part" "build/pythons/path/$part"; done
  PYTHONPATH=build/pythons/path "$python" setup.py --quiet build_ext --parallel 2 \
    --build-lib "build/pythons/$name" --build-temp "build/pythons/$name.tmp" 2>&1 | grep -v -i warn || true
  cp python/fastio/*.py "build/pythons/$name/fastio/"
  PYTHONPATH=build/pythons/$name "$python" -W error -c '
import fastio
assert list(fastio.read_ints(b"1 2 3")) == [1, 2, 3]
assert [line for line in fastio.lines(b"a\nb")] == ["a", "b"]
assert fastio.cpu_selected()' || { echo "$python failed"; exit 1; }
done
