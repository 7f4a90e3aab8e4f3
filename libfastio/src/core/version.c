#include "core.h"

#ifdef FASTIO_WITH_ZLIB
#  include <zlib.h>
#  define ZLIB "; zlib " ZLIB_VERSION
#else
#  define ZLIB ""
#endif
#ifdef FASTIO_WITH_ISAL
#  include <isa-l.h>
#  define TEXT(number) #  number
#  define VERSION(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)
#  define ISAL "; ISA-L " VERSION(ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION)
#else
#  define ISAL ""
#endif
#ifdef FASTIO_WITH_ZSTD
#  include <zstd.h>
#  define ZSTD "; zstd " ZSTD_VERSION_STRING
#else
#  define ZSTD ""
#endif
#ifdef FASTIO_WITH_LZMA
#  include <lzma.h>
#  define LZMA "; liblzma " LZMA_VERSION_STRING
#else
#  define LZMA ""
#endif
#ifdef FASTIO_WITH_BZIP2
#  define BZIP2 "; bzip2"
#else
#  define BZIP2 ""
#endif
#ifdef FASTIO_WITH_LZ4
#  include <lz4.h>
#  define LZ4 "; lz4 " LZ4_VERSION_STRING
#else
#  define LZ4 ""
#endif
#define LIBRARIES ZLIB ISAL ZSTD LZMA BZIP2 LZ4

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
      LIBRARIES ")";
}
