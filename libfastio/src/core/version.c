#include "core.h"

const char *fastio_version(void) { return FASTIO_VERSION; }

#if defined(__clang__)
#  define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#  define COMPILER "gcc " __VERSION__
#else
#  define COMPILER "msvc"
#endif

const char *fastio_build_info(void) {
  return "libfastio " FASTIO_VERSION " (" COMPILER "; "
#if FASTIO__X86
         "x86-64: scalar sse4 avx2 avx512"
#elif FASTIO__NEON
         "aarch64: scalar neon"
#else
         "scalar"
#endif
         ")";
}
