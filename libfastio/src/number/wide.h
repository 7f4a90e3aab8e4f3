/* wide: 128-bit products, once for compilers with a 128-bit type and once without. */
#ifndef FASTIO__WIDE_H
#define FASTIO__WIDE_H

#include "../core/compiler.h"

typedef struct fastio__wide {
  uint64_t high, low;
} fastio__wide;

FASTIO__INLINE fastio__wide fastio__multiply_wide_portably(uint64_t a, uint64_t b) {
  uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
  uint64_t low = a0 * b0, cross = a1 * b0 + (low >> 32); /* at most (2^32 - 1)^2 + 2^32 - 1: fits */
  uint64_t middle = a0 * b1 + (uint32_t)cross;
  return (fastio__wide){a1 * b1 + (cross >> 32) + (middle >> 32), middle << 32 | (uint32_t)low};
}

FASTIO__INLINE fastio__wide fastio__multiply_wide(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
  __extension__ typedef unsigned __int128 wide;
  wide product = (wide)a * b;
  return (fastio__wide){(uint64_t)(product >> 64), (uint64_t)product};
#elif defined(_MSC_VER) && defined(_M_X64)
  fastio__wide product;
  product.low = _umul128(a, b, &product.high);
  return product;
#else
  return fastio__multiply_wide_portably(a, b);
#endif
}

#endif
