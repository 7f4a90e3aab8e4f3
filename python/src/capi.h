/* What other extension modules in this package import through a capsule: how to raise fastio's exceptions.
 *
 *     fastio_capi *api = PyCapsule_Import(FASTIO_CAPI_NAME, 0);
 *     if (api == NULL) return NULL;
 *     api->raise(api->ctx, status, &err);
 *
 * Import it at each use or keep it in the module's state, never in a C global: every subinterpreter has its own. */
#ifndef FASTIO_CAPI_H
#define FASTIO_CAPI_H

#include "fastio.h"

#define FASTIO_CAPI_NAME "fastio._core._C_API"
#define FASTIO_CAPI_VERSION 1

typedef struct fastio_capi {
  unsigned version; /* FASTIO_CAPI_VERSION; members are only ever added */
  void *ctx;        /* first argument of each function */
  /* Sets the Python exception for a status that is not FASTIO_OK. err may be NULL. Needs the GIL. */
  void (*raise)(void *ctx, fastio_status status, const fastio_error *err);
} fastio_capi;

/* Not in the capsule: the generated module is in the same shared object. 0, or -1 with an exception. `any`: not only the
 * types of numbers. */
int type_from_object(PyObject *object, int any, fastio_type *out);

#endif
