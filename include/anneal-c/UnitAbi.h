/*===- UnitAbi.h - How the runtime calls a unit's code ----------------*- C -*-===*\
|*                                                                              *|
|* Part of the Anneal project, under the Apache License v2.0 with LLVM          *|
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception          *|
|*                                                                              *|
|*===--------------------------------------------------------------------------===*|
|*                                                                              *|
|* The one interface between the runtime and the code of a unit, interpreted or *|
|* compiled (DESIGN.md D3): `status unit(frame)`. Code calls back only through  *|
|* the table in its frame, so that an image has no external symbols. Everything *|
|* that a frame points to belongs to the caller and lives until the unit        *|
|* returns. Code is called by many threads at once, each with a frame of its    *|
|* own.                                                                         *|
|*                                                                              *|
\*===--------------------------------------------------------------------------===*/

#ifndef ANNEAL_C_UNITABI_H
#define ANNEAL_C_UNITABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever a struct below changes. */
#define ANNEAL_UNIT_ABI_VERSION 2

/* A tensor: element (i...) is at `data + sum i_d * strides[d]`, in elements. `data` points at the
   first element, any offset already added. */
typedef struct AnnealView {
  void *data;
  const int64_t *sizes;
  const int64_t *strides;
} AnnealView;

typedef enum AnnealStatus {
  ANNEAL_OK = 0,
  /* An assert of the program fired; `message` says which. */
  ANNEAL_ASSERT_FAILED = 1,
  /* An index outside a tensor: values = {index, dimension, size}. */
  ANNEAL_OUT_OF_BOUNDS = 2,
  /* The call was cancelled. */
  ANNEAL_CANCELLED = 3
} AnnealStatus;

/* Where code says why it failed. The first failure wins. */
typedef struct AnnealError {
  int32_t status;
  /* Index of the text among the program's messages. */
  uint32_t message;
  /* Index of the place among the program's locations. */
  uint32_t location;
  int64_t values[4];
} AnnealError;

struct AnnealUnitFrame;

/* One chunk [begin, end) of a parallel loop. `worker` is unique among those that run the same loop
   at the same time, and less than `numWorkers` of the frame. */
typedef void (*AnnealParallelBody)(void *state, int64_t begin, int64_t end, uint32_t worker);

/* Points of one kernel's iteration space, as rows of columns, for the compiled code of its body.
   Element (i, j) of operand k (inputs, then outputs) is at
   `data[k] + i * rowStrides[k] + j * columnStrides[k]`, strides in elements. Arrays may be null,
   and entries undefined, where the body reads nothing of the kind. */
typedef struct AnnealBox {
  int64_t rows;
  int64_t columns;
  void *const *data;
  const int64_t *rowStrides;
  const int64_t *columnStrides;
  /* Position in iteration dimension d at (i, j): `positions[d] + i * rowSteps[d] + j *
     columnSteps[d]`. */
  const int64_t *positions;
  const int64_t *rowSteps;
  const int64_t *columnSteps;
  /* Of the unit. */
  const uint64_t *scalars;
  /* Tensors that the body gathers from. */
  const AnnealView *gathers;
} AnnealBox;

/* The code of a body over a box, rows in ascending order. The body of an operation whose loops are
   all parallel writes its outputs, and reads what they held, element by element. That of a
   reduction whose order is the 16 lanes of docs/Numerics.md, or does not matter, takes the columns
   to be the row that is reduced, along which its outputs stand still, and combines the lanes' sum
   into them. Returns 0, or another value if an assert fired or an index was outside; the caller
   finds out which by running the interpreter. */
typedef int32_t (*AnnealBoxFn)(const AnnealBox *box);

/* What code may call. Entries are only ever appended. */
typedef struct AnnealCallbacks {
  uint32_t abiVersion;
  /* Runs body on all of [0, count), in chunks of `grain`, on the pool's threads and the caller;
     returns when all is done. A loop inside a body runs on its caller alone. */
  void (*parallelFor)(const struct AnnealUnitFrame *frame, int64_t count, int64_t grain,
                      AnnealParallelBody body, void *state);
  /* Records a failure in the frame's error slot; safe from many threads. */
  void (*fail)(const struct AnnealUnitFrame *frame, int32_t status, uint32_t message,
               uint32_t location, const int64_t *values, uint32_t numValues);
  /* Runs the unit's kernels in order: contractions by the shared micro-kernels, bodies by
     `bodies[op]` for the unit's structured operation number `op`, where it is not null. */
  int32_t (*runKernels)(const struct AnnealUnitFrame *frame, const AnnealBoxFn *bodies,
                        uint32_t numBodies);
} AnnealCallbacks;

typedef struct AnnealUnitFrame {
  const AnnealCallbacks *callbacks;
  /* The runtime's own (its thread pool, the call). */
  void *context;
  /* Data of the code itself: an interpreted unit's bound form. */
  const void *code;
  /* Inputs, then outputs. */
  const AnnealView *views;
  /* Values of the unit's scalars, zero-extended to 64 bits. */
  const uint64_t *scalars;
  /* Memory for the unit's temporaries, aligned to 64, of the size that the code asked for. */
  void *workspace;
  /* Memory for each worker: worker w owns [w * scratchPerWorker, (w + 1) * scratchPerWorker). */
  void *scratch;
  uint64_t scratchPerWorker;
  uint32_t numWorkers;
  AnnealError *error;
} AnnealUnitFrame;

/* Returns an AnnealStatus. */
typedef int32_t (*AnnealUnitFn)(const AnnealUnitFrame *frame);

#ifdef __cplusplus
}
#endif

#endif /* ANNEAL_C_UNITABI_H */
