//===- Barriers.h - Barriers that one thread makes for all ------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_CODE_BARRIERS_H
#define ANNEAL_LIB_RUNTIME_CODE_BARRIERS_H

namespace anneal::runtime {

/// Whether processBarrier works here: Linux' membarrier, which a sandbox may refuse. Never changes.
bool hasProcessBarrier();

/// A full memory barrier in every thread of the process: what a thread does in program order is
/// seen by the caller after this, or comes after what the caller did before. 2 us; 5 us with
/// another thread busy. False if it failed, which after hasProcessBarrier() is not expected.
bool processBarrier();

/// Each thread of the process drops the instructions that it fetched ahead, before it runs any
/// more. The manuals of x86 ask for that where one processor writes what another will run through
/// another address; processors in fact watch their pipelines for such writes, so where the system
/// refuses, nothing is lost.
void instructionBarrier();

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_CODE_BARRIERS_H
