//===- MappedConstants.h - Large constants left where they are --*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_COMPILER_MAPPEDCONSTANTS_H
#define ANNEAL_LIB_COMPILER_MAPPEDCONSTANTS_H

namespace mlir {
class BytecodeReaderConfig;
} // namespace mlir

namespace anneal::compiler {

class AlignedCopies;

/// Lets the reader of bytecode make a resource of each large `dense` constant, which refers to the
/// bytecode itself. Otherwise the context would hash and copy all of its bytes: half a second for a
/// model of 90 MB. Of those whose elements lie unaligned, copies are begun.
void keepConstantsMapped(mlir::BytecodeReaderConfig &config, AlignedCopies &copies);

} // namespace anneal::compiler

#endif // ANNEAL_LIB_COMPILER_MAPPEDCONSTANTS_H
