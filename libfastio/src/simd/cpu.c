/* Which kernel table runs: the best that the processor and the operating system allow, or the one asked for by name. */
#include "../../include/fastio.h"
#include "tables.h"

#include <stdlib.h>

/* Slowest first. */
static const fastio__kernels *const tables[] = {
    &fastio__scalar,
#if FASTIO__X86
    &fastio__sse4,
#  if !(defined(_WIN64) && defined(__GNUC__) && \
        !defined(__clang__)) /* where gcc does not align its spills of wide registers */
    &fastio__avx2,
    &fastio__avx512,
#  endif
#elif FASTIO__NEON
    &fastio__neon,
#endif
};
#define TABLE_COUNT (sizeof tables / sizeof *tables)

/* NULL until the first use. The tables are constants, so whoever sees the pointer may use what it points to. */
static _Atomic(const fastio__kernels *) selected;

#if FASTIO__X86 && !defined(_MSC_VER)

/* The compiler's own checks: they include whether the operating system saves the wide registers. */
#  define HAS(feature) (__builtin_cpu_supports(feature) != 0)

bool fastio__has_sse4(void) {
  __builtin_cpu_init();
  return HAS("sse4.2") && HAS("ssse3") && HAS("popcnt");
}

/* LZCNT cannot be asked for by name in every compiler; each processor with AVX2 and BMI2 has it. */
bool fastio__has_avx2(void) {
  __builtin_cpu_init();
  return HAS("avx2") && HAS("bmi") && HAS("bmi2") && HAS("popcnt");
}

bool fastio__has_avx512(void) {
  return fastio__has_avx2() && HAS("avx512f") && HAS("avx512bw") && HAS("avx512dq") && HAS("avx512vl") &&
         HAS("avx512vbmi") && HAS("avx512vbmi2") && HAS("avx512ifma") && HAS("avx512cd");
}

#elif FASTIO__X86

static bool has_bits(int leaf, int index, unsigned bits) {
  int r[4];
  __cpuidex(r, 0, 0);
  if (r[0] < leaf) return false;
  __cpuidex(r, leaf, 0);
  return ((unsigned)r[index] & bits) == bits;
}

/* XCR0 says which registers the operating system saves: 6 are xmm and ymm, 0xe0 the mask registers and zmm. */
static bool os_saves(unsigned registers) {
  return has_bits(1, 2, 1u << 27) && ((unsigned)_xgetbv(0) & registers) == registers;
}

bool fastio__has_sse4(void) { return has_bits(1, 2, 1u << 9 | 1u << 20 | 1u << 23); }

bool fastio__has_avx2(void) { return fastio__has_sse4() && os_saves(6) && has_bits(7, 1, 1u << 3 | 1u << 5 | 1u << 8); }

bool fastio__has_avx512(void) {
  return fastio__has_avx2() && os_saves(0xe6) &&
         has_bits(7, 1, 1u << 16 | 1u << 17 | 1u << 21 | 1u << 28 | 1u << 30 | 1u << 31) &&
         has_bits(7, 2, 1u << 1 | 1u << 6);
}

#endif

static const fastio__kernels *best(void) {
  size_t i = TABLE_COUNT - 1;
  while (i > 0 && !tables[i]->is_supported()) i--;
  return tables[i];
}

/* NULL: there is none, or this machine cannot run it. */
static const fastio__kernels *find(const char *name) {
  for (size_t i = 0; i < TABLE_COUNT; i++)
    if (strcmp(tables[i]->name, name) == 0) return tables[i]->is_supported() ? tables[i] : NULL;
  return NULL;
}

/* A name that does not fit the machine must not break a program that never asked for it: the best table then. */
static const fastio__kernels *from_environment(void) {
  const char *name = getenv("FASTIO_SIMD");
  const fastio__kernels *table = name != NULL ? find(name) : NULL;
  return table != NULL ? table : best();
}

const fastio__kernels *fastio__simd(void) {
  const fastio__kernels *table = atomic_load_explicit(&selected, memory_order_acquire);
  if (FASTIO__LIKELY(table != NULL)) return table;
  const fastio__kernels *chosen = from_environment();
  /* Whoever is first wins, so that this cannot undo a fastio_cpu_select of another thread. */
  if (atomic_compare_exchange_strong(&selected, &table, chosen)) return chosen;
  return table;
}

const char *fastio_cpu_name(size_t index) {
  for (size_t i = 0; i < TABLE_COUNT; i++)
    if (tables[i]->is_supported() && index-- == 0) return tables[i]->name;
  return NULL;
}

const char *fastio_cpu_selected(void) { return fastio__simd()->name; }

fastio_status fastio_cpu_select(const char *name) {
  const fastio__kernels *table = name == NULL || strcmp(name, "auto") == 0 ? best() : find(name);
  if (table == NULL) return FASTIO_UNSUPPORTED;
  atomic_store_explicit(&selected, table, memory_order_release);
  return FASTIO_OK;
}
