-- `luarocks make` in a checkout after `./dev build` (which generates the wrapper), or in an unpacked rock.
rockspec_format = "3.0"
package = "fastio"
version = "scm-1"
source = {
  url = "git+file://.",
}
description = {
  summary = "Numbers, lines and tables out of huge text files, fast and exact",
  license = "MIT",
}
dependencies = {
  "lua >= 5.1, < 5.5",
}
build = {
  type = "builtin",
  modules = {
    fastio = {
      incdirs = { "libfastio/include" },
      defines = { "FASTIO_EMBEDDED", "FASTIO_LUA_SWIG" },
      -- Written by tools/rockspec.py.
      sources = {
        "bindings/swig/generated/fastio_lua_wrap.c",
        "libfastio/src/column/arrow.c",
        "libfastio/src/column/column.c",
        "libfastio/src/column/region.c",
        "libfastio/src/core/error.c",
        "libfastio/src/core/memory.c",
        "libfastio/src/core/type.c",
        "libfastio/src/core/version.c",
        "libfastio/src/number/bulk.c",
        "libfastio/src/number/format_float.c",
        "libfastio/src/number/format_int.c",
        "libfastio/src/number/halfway.c",
        "libfastio/src/number/parse_float.c",
        "libfastio/src/number/parse_int.c",
        "libfastio/src/number/powers.c",
        "libfastio/src/number/token.c",
        "libfastio/src/platform/guard_posix.c",
        "libfastio/src/platform/posix.c",
        "libfastio/src/platform/win32.c",
        "libfastio/src/read/blocks.c",
        "libfastio/src/read/fetch.c",
        "libfastio/src/read/lines.c",
        "libfastio/src/read/locate.c",
        "libfastio/src/read/numbers.c",
        "libfastio/src/read/options.c",
        "libfastio/src/read/reader.c",
        "libfastio/src/read/slurp.c",
        "libfastio/src/read/stream.c",
        "libfastio/src/simd/avx2.c",
        "libfastio/src/simd/avx512.c",
        "libfastio/src/simd/cpu.c",
        "libfastio/src/simd/neon.c",
        "libfastio/src/simd/scalar.c",
        "libfastio/src/simd/sse4.c",
        "libfastio/src/source/map.c",
        "libfastio/src/source/source.c",
        "libfastio/src/text/utf8.c",
        "lua/src/bytes.c",
        "lua/src/column.c",
        "lua/src/error.c",
        "lua/src/iterator.c",
        "lua/src/map.c",
        "lua/src/module.c",
        "lua/src/options.c",
        "lua/src/progress.c",
        "lua/src/reader.c",
        "lua/src/source.c",
        "lua/src/value.c",
        "lua/src/whole.c",
      },
    },
  },
}
