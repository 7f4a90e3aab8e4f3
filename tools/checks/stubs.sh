# The stubs say what the module has (stubtest), and the package's own Python is typed (mypy).
set -eu
export MYPYPATH=python
python3 -m mypy --cache-dir build/mypy python/fastio
cd python && python3 -m mypy.stubtest fastio --mypy-config-file ../pyproject.toml --allowlist ../tools/checks/stubs.allow --ignore-unused-allowlist
