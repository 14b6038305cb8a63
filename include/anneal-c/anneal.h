/*===- anneal.h - The C interface of Anneal ---------------------------*- C -*-===*\
|*                                                                              *|
|* Part of the Anneal project, under the Apache License v2.0 with LLVM          *|
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception          *|
|*                                                                              *|
|*===--------------------------------------------------------------------------===*|
|*                                                                              *|
|* Load a model, call its functions:                                            *|
|*                                                                              *|
|*   AnnealEngine *engine = NULL;                                               *|
|*   AnnealProgram *program = NULL;                                             *|
|*   AnnealFunction *function = NULL;                                           *|
|*   AnnealFailure *failure = annealEngineCreate(NULL, &engine);                *|
|*   if (!failure)                                                              *|
|*     failure = annealEngineLoad(engine, "model.mlirbc", &program);            *|
|*   if (!failure)                                                              *|
|*     failure = annealProgramFunction(program, "main", &function);             *|
|*   AnnealTensor *result = NULL;                                               *|
|*   if (!failure)                                                              *|
|*     failure = annealFunctionCall(function, &input, 1, &result, 1, NULL);     *|
|*                                                                              *|
|* Two libraries have this interface: libanneal, which opens the compiler half  *|
|* when a model has to be parsed or a unit compiled, and libanneal-runtime,     *|
|* which runs saved plans (annealProgramSave) and has no compiler. A process    *|
|* uses one of them.                                                            *|
|*                                                                              *|
|* Errors. A function that can fail returns NULL for success, else a failure    *|
|* that the caller owns (annealFailureDestroy). Then its results are untouched, *|
|* but for the contents of a call's output tensors. No exception leaves these   *|
|* functions. Null for a handle is an error, as is a handle of another kind. A  *|
|* handle that was destroyed is an error too while annealSetHandleChecks is on  *|
|* (as it is in builds with assertions); otherwise it is undefined behaviour.   *|
|*                                                                              *|
|* Ownership. What a function named ...Create, ...Wrap, ...Load, or a call      *|
|* hands out belongs to the caller, who destroys it once. Functions belong to   *|
|* their program. Strings that are returned belong to the object asked, and     *|
|* live as long. ...Destroy(NULL) does nothing.                                 *|
|*                                                                              *|
|* Threads. Engines, programs, functions and cancel tokens may be used by many  *|
|* threads at once. A tensor may be read by many; a failure belongs to one      *|
|* thread at a time. ...Destroy must not run beside another use of the same     *|
|* handle, except as said for engines and programs.                             *|
|*                                                                              *|
|* fork(). Engines and programs made before a fork are refused in the child     *|
|* with ANNEAL_CODE_FAILED_PRECONDITION: their threads do not exist there. The  *|
|* child makes an engine of its own. Destroying the old handles there is        *|
|* allowed, and frees nothing.                                                  *|
|*                                                                              *|
\*===--------------------------------------------------------------------------===*/

#ifndef ANNEAL_C_ANNEAL_H
#define ANNEAL_C_ANNEAL_H

#include <stddef.h>
#include <stdint.h>

#define ANNEAL_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header. Changes when a program that was built with an older one would not work. */
#define ANNEAL_API_VERSION 1

/* Of the library: ANNEAL_API_VERSION as it was built with. */
ANNEAL_EXPORT uint32_t annealApiVersion(void);
/* "0.1.0". Static. */
ANNEAL_EXPORT const char *annealVersion(void);

/* A destroyed handle is found out, at the price of some memory for each (the last 4096 are kept).
   Process-wide. Handles that were destroyed before stay unnoticed. Any thread. */
ANNEAL_EXPORT void annealSetHandleChecks(int enabled);

typedef struct AnnealFailure AnnealFailure;
typedef struct AnnealEngine AnnealEngine;
typedef struct AnnealProgram AnnealProgram;
typedef struct AnnealFunction AnnealFunction;
typedef struct AnnealTensor AnnealTensor;
typedef struct AnnealCancelToken AnnealCancelToken;

/*===-- Failures --------------------------------------------------------------===*/

/* The canonical codes, as in Abseil and gRPC. */
typedef enum AnnealCode {
  ANNEAL_CODE_OK = 0,
  ANNEAL_CODE_CANCELLED = 1,
  /* A model that does not parse, inputs that do not fit, a wrong option, a dead handle. */
  ANNEAL_CODE_INVALID_ARGUMENT = 3,
  ANNEAL_CODE_DEADLINE_EXCEEDED = 4,
  /* A file or a function. */
  ANNEAL_CODE_NOT_FOUND = 5,
  ANNEAL_CODE_RESOURCE_EXHAUSTED = 8,
  /* An assert of the program fired; the engine was destroyed; after fork(); another version. */
  ANNEAL_CODE_FAILED_PRECONDITION = 9,
  /* An index outside a tensor. */
  ANNEAL_CODE_OUT_OF_RANGE = 11,
  ANNEAL_CODE_UNIMPLEMENTED = 12,
  ANNEAL_CODE_INTERNAL = 13,
  ANNEAL_CODE_UNAVAILABLE = 14,
  /* A saved plan that is damaged. */
  ANNEAL_CODE_DATA_LOSS = 15
} AnnealCode;

/* ANNEAL_CODE_OK for NULL. */
ANNEAL_EXPORT AnnealCode annealFailureCode(const AnnealFailure *failure);
/* What went wrong with what, and what helps. "" for NULL. */
ANNEAL_EXPORT const char *annealFailureMessage(const AnnealFailure *failure);
/* The unit that failed; "" if none did. */
ANNEAL_EXPORT const char *annealFailureUnit(const AnnealFailure *failure);
/* "file:line:col" in the model; "" if not known. */
ANNEAL_EXPORT const char *annealFailureLocation(const AnnealFailure *failure);
ANNEAL_EXPORT void annealFailureDestroy(AnnealFailure *failure);

/*===-- Engines ---------------------------------------------------------------===*/

/* A field that is 0 asks for the default. Begin with ANNEAL_ENGINE_OPTIONS_INIT. */
typedef struct AnnealEngineOptions {
  /* sizeof(AnnealEngineOptions): later versions append fields. */
  size_t structSize;
  /* ANNEAL_API_VERSION. */
  uint32_t apiVersion;
  /* Threads that execute, callers included, at most 1024. Default: 0.8 of the usable cores, rounded
     up. */
  uint32_t threads;
  /* Path of libAnnealCompiler.so. Default: beside this library. */
  const char *compilerLibrary;
  /* Tiers that may be used, "interpreter,baseline". Default: all. */
  const char *tiers;
  /* "cost-benefit", "fixed:baseline", perhaps with ",parameter=value". Default: cost-benefit. */
  const char *policy;
  /* Threads that compile at one time, for each program, at most 64. Default: 1. */
  uint32_t compileThreads;
  /* Not 0: compile between calls, on modelled time; runs that call the same do the same. */
  uint32_t deterministic;
  /* What compiling gets of a core at least. Default: 0.1; below 0: only what calls leave. */
  double compileShare;
  /* A compile in the background that takes longer is given up; those of forceTier are waited for.
     Default: 10. */
  double compileDeadlineSeconds;
  /* Most memory for compiled code. Default: 256 MiB. */
  uint64_t codeLimitBytes;
  /* Not 0: name compiled code for perf (/tmp/perf-PID.map), for GDB. */
  uint32_t perfMap;
  uint32_t gdb;
  /* "baseline": every unit of a program is brought to that tier while it is loaded, and stays
     there; loading fails with FAILED_PRECONDITION, naming them, where units cannot be. Default:
     none. */
  const char *forceTier;
} AnnealEngineOptions;

#define ANNEAL_ENGINE_OPTIONS_INIT                                                                 \
  {sizeof(AnnealEngineOptions), ANNEAL_API_VERSION, 0, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, NULL}

/* Makes an engine. `options` may be NULL. Errors: FAILED_PRECONDITION (another API version),
   INVALID_ARGUMENT (an option, named), UNAVAILABLE (perf's map). libanneal-runtime refuses options
   on compiling. */
ANNEAL_EXPORT AnnealFailure *annealEngineCreate(const AnnealEngineOptions *options,
                                                AnnealEngine **engine);

/* Waits for the calls and loads that run, then frees all but the handles of its programs, which
   are destroyed as always; calling them is FAILED_PRECONDITION. Other threads may be calling. */
ANNEAL_EXPORT void annealEngineDestroy(AnnealEngine *engine);

/* Threads that execute; 0 for a wrong handle. */
ANNEAL_EXPORT uint32_t annealEngineNumThreads(const AnnealEngine *engine);

/*===-- Programs --------------------------------------------------------------===*/

/* Loads a file: MLIR text or bytecode, or a saved plan. Errors: NOT_FOUND, INVALID_ARGUMENT (the
   compiler's messages, one a line), DATA_LOSS, UNIMPLEMENTED (libanneal-runtime: not a plan). */
ANNEAL_EXPORT AnnealFailure *annealEngineLoad(AnnealEngine *engine, const char *path,
                                              AnnealProgram **program);

/* Loads MLIR text or bytecode, or a saved plan, from memory, which is free to go afterwards. `name`
   stands for the file in messages; NULL: "<memory>". Errors: as annealEngineLoad. */
ANNEAL_EXPORT AnnealFailure *annealEngineLoadBytes(AnnealEngine *engine, const void *bytes,
                                                   size_t size, const char *name,
                                                   AnnealProgram **program);

/* Writes the plan, with its constants and the IR of its units, to a file that loads without the
   compiler half. libanneal opens that only where a unit is worth compiling; libanneal-runtime
   interprets. */
ANNEAL_EXPORT AnnealFailure *annealProgramSave(AnnealProgram *program, const char *path);

/* Waits until nothing is being compiled, or wants to be. Calls may go on. */
ANNEAL_EXPORT AnnealFailure *annealProgramWaitForCompiles(AnnealProgram *program);

/* What happened, as one JSON object; the keys are those of `jit-run --report`. Free the text with
   annealStringDestroy. */
ANNEAL_EXPORT AnnealFailure *annealProgramReport(AnnealProgram *program, char **json);
ANNEAL_EXPORT void annealStringDestroy(char *string);

/* Waits for the calls that run, then frees the program and its functions. Results of calls stay
   valid. */
ANNEAL_EXPORT void annealProgramDestroy(AnnealProgram *program);

/*===-- Functions -------------------------------------------------------------===*/

/* Public functions, in the order of the model. */
ANNEAL_EXPORT size_t annealProgramNumFunctions(const AnnealProgram *program);
/* NULL if there is no such index. */
ANNEAL_EXPORT AnnealFunction *annealProgramFunctionAt(const AnnealProgram *program, size_t index);
/* The function of that name; for NULL the only one, or "main". Error: NOT_FOUND, naming those that
   exist. */
ANNEAL_EXPORT AnnealFailure *annealProgramFunction(const AnnealProgram *program, const char *name,
                                                   AnnealFunction **function);

/* Element types. Integers have no sign of their own; I1 takes a byte, 0 or 1. */
typedef enum AnnealDType {
  ANNEAL_I1 = 0,
  ANNEAL_I8 = 1,
  ANNEAL_I16 = 2,
  ANNEAL_I32 = 3,
  ANNEAL_I64 = 4,
  /* 64 bits; calls take I64 for it, and the other way round. */
  ANNEAL_INDEX = 5,
  ANNEAL_F16 = 6,
  ANNEAL_BF16 = 7,
  ANNEAL_F32 = 8,
  ANNEAL_F64 = 9
} AnnealDType;

/* "f32"; NULL for no type. Static. */
ANNEAL_EXPORT const char *annealDTypeName(AnnealDType dtype);
/* Bytes of an element; 0 for no type. */
ANNEAL_EXPORT size_t annealDTypeSize(AnnealDType dtype);

/* A size that a signature leaves open. */
#define ANNEAL_DYNAMIC INT64_MIN

/* An argument or a result. Belongs to the program. */
typedef struct AnnealSignature {
  /* "" if it has none. */
  const char *name;
  AnnealDType dtype;
  /* Not 0: a single value, passed as a tensor of rank 0. */
  int32_t isScalar;
  size_t rank;
  const int64_t *sizes;
} AnnealSignature;

ANNEAL_EXPORT const char *annealFunctionName(const AnnealFunction *function);
ANNEAL_EXPORT size_t annealFunctionNumArguments(const AnnealFunction *function);
ANNEAL_EXPORT size_t annealFunctionNumResults(const AnnealFunction *function);
/* NULL if there is no such index. */
ANNEAL_EXPORT const AnnealSignature *annealFunctionArgument(const AnnealFunction *function,
                                                            size_t index);
ANNEAL_EXPORT const AnnealSignature *annealFunctionResult(const AnnealFunction *function,
                                                          size_t index);

typedef struct AnnealCallOptions {
  /* sizeof(AnnealCallOptions): later versions append fields. */
  size_t structSize;
  /* The call ends with CANCELLED soon after a request; NULL: none. Outlives the call. */
  const AnnealCancelToken *cancel;
  /* The call ends with DEADLINE_EXCEEDED soon after this; 0: never; below 0: at once. */
  int64_t timeoutNanoseconds;
} AnnealCallOptions;

#define ANNEAL_CALL_OPTIONS_INIT {sizeof(AnnealCallOptions), NULL, 0}

/* Runs the function on the calling thread, with the help of the engine's. Any number of threads may
   call one function at once.

   `outputs` has an entry for each result. A tensor there is memory for the result, of its type and
   sizes, and may overlap inputs; after a failure its contents are unspecified. NULL there becomes a
   new tensor of pooled memory, which the caller owns, if the call succeeds. `options` may be NULL.

   Errors: INVALID_ARGUMENT (number, type or sizes, naming the argument), FAILED_PRECONDITION (an
   assert of the program, with its message and place; engine destroyed; fork), OUT_OF_RANGE,
   RESOURCE_EXHAUSTED, CANCELLED, DEADLINE_EXCEEDED. */
ANNEAL_EXPORT AnnealFailure *annealFunctionCall(const AnnealFunction *function,
                                                AnnealTensor *const *inputs, size_t numInputs,
                                                AnnealTensor **outputs, size_t numOutputs,
                                                const AnnealCallOptions *options);

/*===-- Cancelling ------------------------------------------------------------===*/

ANNEAL_EXPORT AnnealFailure *annealCancelTokenCreate(AnnealCancelToken **token);
/* Ends the calls that have the token, now and later. Any thread; also in a signal handler. */
ANNEAL_EXPORT void annealCancelTokenRequest(AnnealCancelToken *token);
/* Lets calls run again. REQUIRES: no call has the token. */
ANNEAL_EXPORT void annealCancelTokenReset(AnnealCancelToken *token);
/* REQUIRES: no call has the token. */
ANNEAL_EXPORT void annealCancelTokenDestroy(AnnealCancelToken *token);

/*===-- Tensors ---------------------------------------------------------------===*/

/* New memory, row-major, aligned to 64, contents undefined. `sizes` has `rank` entries (NULL will
   do for rank 0); ranks go up to 1024. Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED. */
ANNEAL_EXPORT AnnealFailure *annealTensorCreate(AnnealDType dtype, size_t rank,
                                                const int64_t *sizes, AnnealTensor **tensor);

typedef void (*AnnealDeleter)(void *context);

/* A tensor over the caller's memory, without a copy. `sizes` has `rank` entries, and so has
   `strides`, unless it is NULL: row-major. Both are copied. Element (i...) is at `data + sum i_d *
   strides[d]`, in elements. `deleter(context)`, unless NULL, runs when the memory is no longer
   used, on whichever thread gives it up; if this function fails it does not run. Only calls that
   have the tensor among their outputs write to it. */
ANNEAL_EXPORT AnnealFailure *annealTensorWrap(AnnealDType dtype, size_t rank, const int64_t *sizes,
                                              const int64_t *strides, void *data,
                                              AnnealDeleter deleter, void *context,
                                              AnnealTensor **tensor);

/* DLPack (https://dmlc.github.io/dlpack): tensors of other libraries, without a copy. Include their
   dlpack.h for the structs. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* Takes the tensor over: its deleter runs when the memory is no longer used, on whichever thread
   gives it up. If this fails it stays the caller's. Memory that is marked as read-only may not be
   an output. Errors: INVALID_ARGUMENT (memory of a device, an element type that does not exist
   here, another major version). */
ANNEAL_EXPORT AnnealFailure *annealTensorFromDLPack(struct DLManagedTensor *managed,
                                                    AnnealTensor **tensor);
ANNEAL_EXPORT AnnealFailure *
annealTensorFromDLPackVersioned(struct DLManagedTensorVersioned *managed, AnnealTensor **tensor);
/* The same for a `const DLTensor *` that stays the caller's, with its memory, and outlives the
   tensor made here. */
ANNEAL_EXPORT AnnealFailure *annealTensorBorrowDLPack(const void *dlTensor, AnnealTensor **tensor);
/* Shares the tensor's memory: the caller owns what is made, runs its deleter once, on any thread,
   and may destroy `tensor` before. Memory of annealTensorWrap without a deleter, or that was
   borrowed, stays in the care of its owner. */
ANNEAL_EXPORT AnnealFailure *annealTensorToDLPack(const AnnealTensor *tensor,
                                                  struct DLManagedTensor **managed);
ANNEAL_EXPORT AnnealFailure *
annealTensorToDLPackVersioned(const AnnealTensor *tensor,
                              struct DLManagedTensorVersioned **managed);

/* For a wrong handle: -1 as a type, 0, NULL. Sizes and strides have `rank` entries. */
ANNEAL_EXPORT int32_t annealTensorDType(const AnnealTensor *tensor);
ANNEAL_EXPORT size_t annealTensorRank(const AnnealTensor *tensor);
ANNEAL_EXPORT const int64_t *annealTensorSizes(const AnnealTensor *tensor);
ANNEAL_EXPORT const int64_t *annealTensorStrides(const AnnealTensor *tensor);
ANNEAL_EXPORT int64_t annealTensorNumElements(const AnnealTensor *tensor);
/* The first element. */
ANNEAL_EXPORT void *annealTensorData(const AnnealTensor *tensor);
/* Pooled memory returns to its pool. Calls that run with the tensor keep what they need. */
ANNEAL_EXPORT void annealTensorDestroy(AnnealTensor *tensor);

#ifdef __cplusplus
}
#endif

#endif /* ANNEAL_C_ANNEAL_H */
