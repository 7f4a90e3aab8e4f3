/* The tables of this build and the questions to the processor that guard them. Private to simd. */
#ifndef FASTIO__TABLES_H
#define FASTIO__TABLES_H

#include "simd.h"

extern FASTIO__HIDDEN const fastio__kernels fastio__scalar;
#if FASTIO__X86
extern FASTIO__HIDDEN const fastio__kernels fastio__sse4, fastio__avx2, fastio__avx512;
FASTIO__HIDDEN bool fastio__has_sse4(void);   /* SSE4.2, which implies SSSE3, and POPCNT */
FASTIO__HIDDEN bool fastio__has_avx2(void);   /* AVX2, BMI1, BMI2, LZCNT, POPCNT */
FASTIO__HIDDEN bool fastio__has_avx512(void); /* the above and AVX-512 F, BW, DQ, VL, VBMI, VBMI2, IFMA, CD */
FASTIO__HIDDEN fastio__put_integers fastio__put_integers_avx512;
FASTIO__HIDDEN fastio__put_integer_slots fastio__put_integer_slots_avx512;
FASTIO__HIDDEN fastio__put_f64 fastio__put_f64_avx512;
FASTIO__HIDDEN fastio__put_f64_slots fastio__put_f64_slots_avx512;
FASTIO__HIDDEN fastio__recode fastio__to_utf16_avx512, fastio__from_utf16_avx512;
#elif FASTIO__NEON
extern FASTIO__HIDDEN const fastio__kernels fastio__neon;
#endif
/* For tables that have no kernel: write none. */
FASTIO__HIDDEN fastio__put_integers fastio__put_no_integers;
FASTIO__HIDDEN fastio__put_integer_slots fastio__put_no_integer_slots;
/* By help->other alone. */
FASTIO__HIDDEN fastio__put_f64 fastio__put_f64_singly;
FASTIO__HIDDEN fastio__put_f64_slots fastio__put_f64_slots_singly;

#endif
