/* platform/guard_posix: the SIGBUS guard. A fault in a guarded range gets a page of zeros instead of killing the
 * process.
 *
 * The handler may interrupt any thread anywhere, so it only reads atomics and makes one system call. The registry is a
 * list of chunks of slots that grows and never shrinks: whoever walks it needs no lock. A slot's range is protected by
 * a version that is odd while it changes; the handler passes over such slots, since a range that changes cannot be one
 * that a thread is reading. */
#ifndef _WIN32

#  ifndef _GNU_SOURCE
#    define _GNU_SOURCE /* MAP_ANONYMOUS, BUS_MCEERR_AR */
#  endif
#  include <errno.h>
#  include <sched.h>
#  include <signal.h>
#  include <stdlib.h>
#  include <sys/mman.h>

#  include "platform.h"

struct fastio__guard {
  atomic_bool is_taken;
  atomic_uint version;
  atomic_uintptr_t base, size;
  atomic_uintptr_t lost; /* lowest address that faulted, 0 for none */
};

enum { CHUNK_SLOTS = 32 };
typedef struct chunk {
  struct chunk *next;
  fastio__guard slots[CHUNK_SLOTS];
} chunk;

enum { NOT_INSTALLED, INSTALLING, INSTALLED };

static struct {
  _Atomic(chunk *) chunks;
  atomic_int state;
  size_t page_size;
  struct sigaction previous;
} registry;

/* ---- In the handler: async-signal-safe only ---- */

static bool slot_holds(fastio__guard *slot, uintptr_t address) {
  unsigned version = atomic_load_explicit(&slot->version, memory_order_acquire);
  if (version % 2 != 0) return false;
  uintptr_t base = atomic_load_explicit(&slot->base, memory_order_relaxed);
  uintptr_t size = atomic_load_explicit(&slot->size, memory_order_relaxed);
  atomic_thread_fence(memory_order_acquire);
  return atomic_load_explicit(&slot->version, memory_order_relaxed) == version && address - base < size;
}

static fastio__guard *find_slot(uintptr_t address) {
  for (chunk *c = atomic_load_explicit(&registry.chunks, memory_order_acquire); c != NULL; c = c->next) {
    for (size_t i = 0; i < CHUNK_SLOTS; i++) {
      if (slot_holds(&c->slots[i], address)) return &c->slots[i];
    }
  }
  return NULL;
}

static bool replace_page(uintptr_t address) {
  void *page = (void *)(address - address % registry.page_size);
  return mmap(page, registry.page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page;
}

static void mark_lost(fastio__guard *slot, uintptr_t address) {
  uintptr_t lost = atomic_load_explicit(&slot->lost, memory_order_relaxed);
  while ((lost == 0 || address < lost) && !atomic_compare_exchange_weak(&slot->lost, &lost, address)) {}
}

/* Faults that a new page cures. A misaligned access would come back for ever, and kill(2) carries no address. */
static bool is_lost_page(const siginfo_t *info) {
#  ifdef BUS_MCEERR_AR
  if (info->si_code == BUS_MCEERR_AR) return true;
#  endif
  return info->si_code == BUS_ADRERR || info->si_code == BUS_OBJERR;
}

/* As if this handler had never been there. The default action needs the signal a second time: it is blocked while we
 * run, so that the raised one ends the process on return, at the faulting instruction. */
static void pass_on(int number, siginfo_t *info, void *context) {
  const struct sigaction *previous = &registry.previous;
  if ((previous->sa_flags & SA_SIGINFO) != 0) {
    previous->sa_sigaction(number, info, context);
  } else if (previous->sa_handler == SIG_IGN && info->si_code <= 0) {
    return;
  } else if (previous->sa_handler == SIG_DFL || previous->sa_handler == SIG_IGN) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(number, &standard, NULL);
    raise(number);
  } else {
    previous->sa_handler(number);
  }
}

static void on_sigbus(int number, siginfo_t *info, void *context) {
  int saved_errno = errno;
  uintptr_t address = (uintptr_t)info->si_addr;
  fastio__guard *slot = is_lost_page(info) ? find_slot(address) : NULL;
  if (slot != NULL && replace_page(address)) {
    mark_lost(slot, address);
  } else {
    pass_on(number, info, context);
  }
  errno = saved_errno;
}

/* ---- Installing, once ---- */

static int install(void) {
  struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
  action.sa_sigaction = on_sigbus;
  sigemptyset(&action.sa_mask);
  registry.page_size = fastio__page_size();
  /* Ask first: a fault in another thread may come between the change and the report of what was there before. */
  if (sigaction(SIGBUS, NULL, &registry.previous) != 0 || sigaction(SIGBUS, &action, NULL) != 0) return errno;
  return 0;
}

static int ensure_installed(void) {
  int expected = NOT_INSTALLED;
  while (!atomic_compare_exchange_strong(&registry.state, &expected, INSTALLING)) {
    if (expected == INSTALLED) return 0;
    expected = NOT_INSTALLED;
    sched_yield(); /* another thread is at it */
  }
  int error = install();
  atomic_store(&registry.state, error == 0 ? INSTALLED : NOT_INSTALLED);
  return error;
}

/* When a plug-in that holds this code is unloaded, its handler must go first. Does nothing where no guard was ever
 * used. */
#  if defined(__GNUC__) || defined(__clang__)
__attribute__((destructor)) static void uninstall(void) {
  struct sigaction current;
  if (atomic_load(&registry.state) != INSTALLED || sigaction(SIGBUS, NULL, &current) != 0) return;
  if ((current.sa_flags & SA_SIGINFO) != 0 && current.sa_sigaction == on_sigbus) {
    sigaction(SIGBUS, &registry.previous, NULL);
  }
}
#  endif

/* ---- The registry ---- */

static fastio__guard *take_slot(void) {
  for (chunk *c = atomic_load(&registry.chunks); c != NULL; c = c->next) {
    for (size_t i = 0; i < CHUNK_SLOTS; i++) {
      if (!atomic_exchange(&c->slots[i].is_taken, true)) return &c->slots[i];
    }
  }
  chunk *fresh = calloc(1, sizeof *fresh); /* all-zero atomics are free slots */
  if (fresh == NULL) return NULL;
  atomic_store(&fresh->slots[0].is_taken, true);
  fresh->next = atomic_load(&registry.chunks);
  while (!atomic_compare_exchange_weak(&registry.chunks, &fresh->next, fresh)) {}
  return &fresh->slots[0];
}

static void set_range(fastio__guard *slot, uintptr_t base, uintptr_t size) {
  atomic_fetch_add(&slot->version, 1); /* odd: the handler passes over it */
  atomic_store(&slot->base, base);
  atomic_store(&slot->size, size);
  atomic_store(&slot->lost, 0);
  atomic_fetch_add(&slot->version, 1);
}

bool fastio__guard_is_supported(void) { return true; }

int fastio__guard_add(const void *base, size_t size, fastio__guard **out) {
  int error = ensure_installed();
  if (error != 0) return error;
  fastio__guard *slot = take_slot();
  if (slot == NULL) return ENOMEM;
  set_range(slot, (uintptr_t)base, size);
  *out = slot;
  return 0;
}

const void *fastio__guard_lost(const fastio__guard *guard) {
  return (const void *)atomic_load(&((fastio__guard *)guard)->lost);
}

void fastio__guard_remove(fastio__guard *guard) {
  set_range(guard, 0, 0);
  atomic_store(&guard->is_taken, false);
}

#else
typedef int fastio__guard_posix_unused; /* a translation unit must not be empty */
#endif
