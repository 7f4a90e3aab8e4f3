/* The binary interface of DLPack, versions 0 and 1: only what a producer of main memory needs. */
#ifndef FASTIO_DLPACK_H
#define FASTIO_DLPACK_H

#include <stdint.h>

enum { DLPACK_CPU = 1 };
enum { DLPACK_INT = 0, DLPACK_UINT = 1, DLPACK_FLOAT = 2 };
#define DLPACK_READ_ONLY 1u
#define DLPACK_IS_COPIED 2u

typedef struct dlpack_device {
  int32_t type, id;
} dlpack_device;

typedef struct dlpack_dtype {
  uint8_t code, bits;
  uint16_t lanes;
} dlpack_dtype;

typedef struct dlpack_tensor {
  void *data;
  dlpack_device device;
  int32_t ndim;
  dlpack_dtype dtype;
  int64_t *shape, *strides; /* in items */
  uint64_t byte_offset;
} dlpack_tensor;

typedef struct dlpack_managed { /* capsule "dltensor" */
  dlpack_tensor tensor;
  void *ctx;
  void (*deleter)(struct dlpack_managed *self);
} dlpack_managed;

typedef struct dlpack_managed_versioned { /* capsule "dltensor_versioned" */
  uint32_t major, minor;
  void *ctx;
  void (*deleter)(struct dlpack_managed_versioned *self);
  uint64_t flags;
  dlpack_tensor tensor;
} dlpack_managed_versioned;

#endif
