/*===- OtherVersion.c - Libraries of another version --------------------------===*\
|*                                                                              *|
|* Part of the Anneal project, under the Apache License v2.0 with LLVM          *|
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception          *|
|*                                                                              *|
\*===--------------------------------------------------------------------------===*/

/* Stands for libAnnealCompiler.so and libAnnealStock.so of a version that will not come: tables
   that have nothing beyond it. */

#include <stdint.h>

static const uint32_t table = 999;

const void *annealGetCompilerApi(void) { return &table; }
const void *annealGetStockApi(void) { return &table; }
