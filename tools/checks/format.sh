# C sources are as clang-format writes them.
set -eu
git ls-files '*.c' '*.h' | grep -v '^bindings/swig/generated/' | xargs clang-format --dry-run --Werror
