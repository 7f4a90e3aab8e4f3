# C sources are as clang-format writes them, but for the public headers, which are laid out by hand: format.sh [fix]
set -eu
files=$(git ls-files '*.c' '*.h' | grep -v '^libfastio/include/')
if [ "${1:-}" = fix ]; then
  exec clang-format -i $files
fi
status=0
for file in $files; do
  clang-format --dry-run --Werror "$file" 2>/dev/null || { echo "not formatted: $file (sh tools/checks/format.sh fix)"; status=1; }
done
exit $status
