//===- Passes.cpp - Registration of the passes ----------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/Passes.h"

namespace anneal {

namespace {
#define GEN_PASS_REGISTRATION
#include "anneal/Analysis/Passes.h.inc"
} // namespace

void registerAnalysisPasses() { registerAnnealAnalysisPasses(); }

} // namespace anneal
