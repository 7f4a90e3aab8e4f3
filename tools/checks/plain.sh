# The library builds with no flags but the include path.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/main.c" <<'EOF'
#include <fastio.h>
int main(void) {
  int64_t value = 0;
  return fastio_parse_i64("42", 2, 10, &value, NULL) == FASTIO_OK && value == 42 ? 0 : 1;
}
EOF
cc -Ilibfastio/include -o "$dir/plain" "$dir/main.c" libfastio/src/*/*.c
"$dir/plain"
