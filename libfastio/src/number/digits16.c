/* The constants of digits16.h. */
#include "digits16.h"

#if FASTIO__X86
#  define EACH64(x) \
    { (uint64_t)(x), (uint64_t)(x) }
#  define EACH16(x) EACH64((x)*UINT64_C(0x0001000100010001))

_Alignas(16) const uint64_t fastio__digits16_constants[6][2] = {
    [FASTIO__BY_10000] = EACH64(0xD1B71759), [FASTIO__TEN_THOUSAND] = EACH64(10000), [FASTIO__BY_100] = EACH16(5243),
    [FASTIO__HUNDRED] = EACH16(100),         [FASTIO__BY_10] = EACH16(6554),         [FASTIO__TEN] = EACH16(2559)};
#endif
