//===- JitDialect.h - The dialect of units of compilation ----- -*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_IR_JITDIALECT_H
#define ANNEAL_IR_JITDIALECT_H

#include "mlir/IR/Dialect.h"

#include "anneal/IR/JitDialect.h.inc"

#endif // ANNEAL_IR_JITDIALECT_H
