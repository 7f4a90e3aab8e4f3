/* text: bytes as characters. */
#ifndef FASTIO__TEXT_H
#define FASTIO__TEXT_H

#include "../simd/simd.h"

/* Length of the longest prefix that is whole, well-formed UTF-8 (Unicode 15, table 3-7): `size` if all of it is, else
 * the place of the first byte of the first sequence that is not. */
FASTIO__HIDDEN size_t fastio__utf8_prefix(const uint8_t *data, size_t size);
/* How many bytes an error shows of the bad sequence at `data`: the first, and up to three continuation bytes. Depends
 * on nothing that follows them, so that an error does not depend on where a block ends. */
FASTIO__HIDDEN size_t fastio__utf8_bad_size(const uint8_t *data, size_t size);

#endif
