//===- MappedConstants.cpp - Large constants left where they are ----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MappedConstants.h"

#include "AlignedCopies.h"

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

/// Bytes of an element as it lies in memory; 0 if it isn't made of whole bytes.
static size_t elementBytes(ShapedType type) {
  Type element = type.getElementType();
  unsigned width = element.isIndex()        ? 64
                   : element.isIntOrFloat() ? element.getIntOrFloatBitWidth()
                                            : 0;
  return width % 8 == 0 ? width / 8 : 0;
}

/// Reads one attribute if it is such a constant. Else it stays null, and is read from the start
/// again.
static LogicalResult readConstant(DialectBytecodeReader &reader, StringRef dialect,
                                  Attribute &result, AlignedCopies &copies) {
  uint64_t code = 0;
  ShapedType type;
  ArrayRef<char> bytes;
  if (dialect != BuiltinDialect::getDialectNamespace() || failed(reader.readVarInt(code)) ||
      code != kDenseElementsCode || failed(reader.readType(type)) || failed(reader.readBlob(bytes)))
    return success();
  size_t bytesEach = elementBytes(type);
  if (bytes.size() < kMinMappedBytes || !type.hasStaticShape() || bytesEach == 0 ||
      static_cast<size_t>(type.getNumElements()) * bytesEach != bytes.size())
    return success();
  if (reinterpret_cast<uintptr_t>(bytes.data()) % bytesEach != 0)
    copies.start(bytes);
  auto &manager = DenseResourceElementsHandle::getManagerInterface(type.getContext());
  DenseResourceElementsHandle handle =
      manager.insert("constant", UnmanagedAsmResourceBlob::allocateWithAlign(bytes, /*align=*/1));
  result = DenseResourceElementsAttr::get(type, handle);
  return success();
}

void keepConstantsMapped(BytecodeReaderConfig &config, AlignedCopies &copies) {
  config.attachAttributeCallback(
      [&copies](DialectBytecodeReader &reader, StringRef dialect, Attribute &result) {
        return readConstant(reader, dialect, result, copies);
      });
}

} // namespace anneal::compiler
