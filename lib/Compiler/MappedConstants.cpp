//===- MappedConstants.cpp - Large constants left where they are ----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MappedConstants.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeReaderConfig.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace anneal::compiler {

/// Smaller ones stay attributes, whose elements folders can look at; hashing them costs nothing.
static constexpr size_t kMinMappedBytes = 64 * 1024;

/// The code of `dense` elements among the builtin dialect's attributes (BuiltinDialectBytecode.td;
/// such codes never change).
static constexpr uint64_t kDenseElementsCode = 18;

/// Whether the bytes are the elements as they lie in memory: one of each, of whole bytes.
static bool isPlain(ShapedType type, size_t numBytes) {
  Type element = type.getElementType();
  unsigned width = element.isIndex()        ? 64
                   : element.isIntOrFloat() ? element.getIntOrFloatBitWidth()
                                            : 0;
  return width >= 8 && width % 8 == 0 &&
         static_cast<size_t>(type.getNumElements()) * (width / 8) == numBytes;
}

/// Reads one attribute if it is such a constant. Else it stays null, and is read from the start
/// again.
static LogicalResult readConstant(DialectBytecodeReader &reader, StringRef dialect,
                                  Attribute &result) {
  uint64_t code = 0;
  ShapedType type;
  ArrayRef<char> bytes;
  if (dialect != BuiltinDialect::getDialectNamespace() || failed(reader.readVarInt(code)) ||
      code != kDenseElementsCode || failed(reader.readType(type)) || failed(reader.readBlob(bytes)))
    return success();
  if (bytes.size() < kMinMappedBytes || !type.hasStaticShape() || !isPlain(type, bytes.size()))
    return success();
  auto &manager = DenseResourceElementsHandle::getManagerInterface(type.getContext());
  DenseResourceElementsHandle handle =
      manager.insert("constant", UnmanagedAsmResourceBlob::allocateWithAlign(bytes, /*align=*/1));
  result = DenseResourceElementsAttr::get(type, handle);
  return success();
}

void keepConstantsMapped(BytecodeReaderConfig &config) {
  config.attachAttributeCallback(readConstant);
}

} // namespace anneal::compiler
