//===- IsaEntry.cpp - The table of one instruction set --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IsaParts.h"

namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE {

static IsaKernels makeIsaKernels() {
  IsaKernels table = {};
  fillMicroF32(table.micro[static_cast<int>(ComputeType::F32)]);
  fillMicroF64(table.micro[static_cast<int>(ComputeType::F64)]);
  fillMicroI32(table.micro[static_cast<int>(ComputeType::I32)]);
  fillMicroI64(table.micro[static_cast<int>(ComputeType::I64)]);
  fillPack(table);
  fillLanes(table);
  fillBatch(table);
  fillWindow(table);
  fillChannelWindow(table);
  return table;
}

const IsaKernels &isaKernels() {
  static const IsaKernels table = makeIsaKernels();
  return table;
}

} // namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE
