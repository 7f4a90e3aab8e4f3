/* The one place for what compilers spell differently: attributes, atomics, bit counting, per-function instruction sets.
 */
#ifndef FASTIO__COMPILER_H
#define FASTIO__COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) || defined(__clang__)
#  if defined(__MINGW32__) || defined(__CYGWIN__) /* nothing is exported there unless asked for */
#    define FASTIO__HIDDEN
#  else
#    define FASTIO__HIDDEN __attribute__((visibility("hidden")))
#  endif
#  define FASTIO__INLINE static inline __attribute__((always_inline))
#  define FASTIO__NOINLINE __attribute__((noinline))
#  define FASTIO__LIKELY(x) __builtin_expect(!!(x), 1)
#  define FASTIO__UNLIKELY(x) __builtin_expect(!!(x), 0)
#  define FASTIO__TARGET(isa) __attribute__((target(isa)))
#  define fastio__ctz64(x) ((unsigned)__builtin_ctzll(x))
#  define fastio__clz64(x) ((unsigned)__builtin_clzll(x))
#  define fastio__popcount64(x) ((unsigned)__builtin_popcountll(x))
#elif defined(_MSC_VER)
#  include <intrin.h>
#  define FASTIO__HIDDEN
#  define FASTIO__INLINE static __forceinline
#  define FASTIO__NOINLINE __declspec(noinline)
#  define FASTIO__LIKELY(x) (x)
#  define FASTIO__UNLIKELY(x) (x)
#  define FASTIO__TARGET(isa)
static __forceinline unsigned fastio__ctz64(uint64_t x) {
  unsigned long i;
  _BitScanForward64(&i, x);
  return i;
}
static __forceinline unsigned fastio__clz64(uint64_t x) {
  unsigned long i;
  _BitScanReverse64(&i, x);
  return 63 - i;
}
#  define fastio__popcount64(x) ((unsigned)__popcnt64(x))
#else
#  error "libfastio needs gcc, clang or MSVC"
#endif

/* Atomics: C11's own where the compiler has them. Only what is used. */
#include <stdatomic.h>

#if defined(__x86_64__) || defined(_M_X64)
#  define FASTIO__X86 1
#else
#  define FASTIO__X86 0
#endif
#if defined(__aarch64__) || defined(_M_ARM64)
#  define FASTIO__NEON 1
#else
#  define FASTIO__NEON 0
#endif
/* In loops that wait for another thread to write. */
#if FASTIO__X86 && defined(_MSC_VER)
#  define fastio__pause() _mm_pause()
#elif FASTIO__X86
#  define fastio__pause() __builtin_ia32_pause()
#elif FASTIO__NEON && !defined(_MSC_VER)
#  define fastio__pause() __asm__ volatile("yield")
#else
#  define fastio__pause() ((void)0)
#endif
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#  define FASTIO__BIG_ENDIAN 1
#else
#  define FASTIO__BIG_ENDIAN 0
#endif

/* Eight bytes as a number whose least significant byte is the first in memory, on every machine. */
FASTIO__INLINE uint64_t fastio__load64le(const void *p) {
  uint64_t v;
  memcpy(&v, p, 8);
#if FASTIO__BIG_ENDIAN
  v = __builtin_bswap64(v);
#endif
  return v;
}

#endif
