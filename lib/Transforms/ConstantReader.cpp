//===- ConstantReader.cpp - Elements of constants -------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantReader.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

#include <cstring>

using namespace mlir;

namespace anneal {

/// The raw elements of a constant that is no splat and of byte-sized elements.
static std::optional<ArrayRef<char>> rawElements(Value tensor, unsigned elementBytes) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  Attribute value;
  if (!type || !type.hasStaticShape() || !matchPattern(tensor, m_Constant(&value)))
    return std::nullopt;
  ArrayRef<char> data;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return std::nullopt;
    data = blob->getData();
  } else if (auto elements = dyn_cast<DenseElementsAttr>(value); elements && !elements.isSplat()) {
    data = elements.getRawData();
  }
  if (data.size() != static_cast<size_t>(type.getNumElements()) * elementBytes)
    return std::nullopt;
  return data;
}

/// Element `position` of little-endian data.
static uint64_t readBits(ArrayRef<char> data, int64_t position, unsigned elementBytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, data.data() + position * elementBytes, elementBytes);
  return bits;
}

bool isIota(Value tensor, int64_t count) {
  Type element = getElementTypeOrSelf(tensor);
  unsigned bits = element.isIndex()             ? 64
                  : element.isSignlessInteger() ? element.getIntOrFloatBitWidth()
                                                : 0;
  if (bits < 8 || bits > 64 || bits % 8 != 0)
    return false;
  std::optional<ArrayRef<char>> data = rawElements(tensor, bits / 8);
  if (!data || static_cast<int64_t>(data->size()) != count * (bits / 8))
    return false;
  for (int64_t position = 0; position < count; ++position)
    if (readBits(*data, position, bits / 8) != static_cast<uint64_t>(position))
      return false;
  return true;
}

bool isFinite(Value tensor) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(tensor));
  if (!element || element.getWidth() > 64 || element.getWidth() % 8 != 0)
    return false;
  SplatElementsAttr splat;
  if (matchPattern(tensor, m_Constant(&splat)))
    return splat.getSplatValue<APFloat>().isFinite();
  // An IEEE number is finite unless its exponent is all ones.
  unsigned mantissaBits = element.getFPMantissaWidth() - 1;
  uint64_t exponentMask = llvm::maskTrailingOnes<uint64_t>(element.getWidth() - 1 - mantissaBits)
                          << mantissaBits;
  if (!element.isF16() && !element.isBF16() && !element.isF32() && !element.isF64())
    return false;
  std::optional<ArrayRef<char>> data = rawElements(tensor, element.getWidth() / 8);
  if (!data)
    return false;
  for (int64_t position = 0, end = data->size() / (element.getWidth() / 8); position < end;
       ++position)
    if ((readBits(*data, position, element.getWidth() / 8) & exponentMask) == exponentMask)
      return false;
  return true;
}

bool visitElements(Value tensor, function_ref<bool(uint64_t)> visit) {
  Type element = getElementTypeOrSelf(tensor);
  unsigned bits = element.isIndex()        ? 64
                  : element.isIntOrFloat() ? element.getIntOrFloatBitWidth()
                                           : 0;
  if (bits < 8 || bits > 64 || bits % 8 != 0)
    return false;
  std::optional<ArrayRef<char>> data = rawElements(tensor, bits / 8);
  if (!data)
    return false;
  int64_t count = static_cast<int64_t>(data->size()) / (bits / 8);
  for (int64_t position = 0; position < count; ++position)
    if (!visit(readBits(*data, position, bits / 8)))
      break;
  return true;
}

} // namespace anneal
