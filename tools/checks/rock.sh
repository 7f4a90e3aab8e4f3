# `luarocks make` builds and installs the module for the oldest and the newest Lua, without a network.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 tools/generate_swig.py lua
# A copy: luarocks leaves object files beside the sources.
mkdir "$dir/src"
tar -c --exclude='*.so' --exclude='*.o' fastio-scm-1.rockspec LICENSE README.md libfastio lua bindings | tar -x -C "$dir/src"
cd "$dir/src"
for version in 5.1 5.4; do
  luarocks --lua-version "$version" make --tree "$dir/tree" --deps-mode=none --no-manifest \
    LUA_INCDIR="$(pkg-config --variable=includedir "lua$version")/lua$version" fastio-scm-1.rockspec >"$dir/log" 2>&1 ||
    { cat "$dir/log"; exit 1; }
  find . -name '*.o' -delete
  seq 100 | gzip >in.gz
  LUA_CPATH="$dir/tree/lib/lua/$version/?.so" LUA_PATH="$dir/tree/share/lua/$version/?.lua;$dir/tree/share/lua/$version/?/init.lua" \
    "lua$version" -e 'local f = require "fastio"; local c = f.read_ints(f.data("1 2 3")); assert(#c == 3 and c[3] == 3)
      assert(#f.read_ints("in.gz") == 100)'
done
