//===- ModuleTables.cpp - Texts, places and constants of a plan -----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleTables.h"

#include "ScalarCode.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/InterleavedRange.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>

using namespace mlir;

namespace anneal {

using plan::DType;

ModuleTables::ModuleTables(plan::Module &module, ConstantSource source)
    : module(module), source(std::move(source)) {
  if (module.locations.empty())
    module.locations.emplace_back();
}

uint32_t ModuleTables::message(StringRef text) {
  auto [it, isNew] = messages.try_emplace(text, static_cast<uint32_t>(module.messages.size()));
  if (isNew)
    module.messages.push_back(text.str());
  return it->second;
}

uint32_t ModuleTables::location(Location location) {
  auto known = locations.find(location);
  if (known != locations.end())
    return known->second;
  std::string text;
  location->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    llvm::raw_string_ostream(text)
        << file.getFilename().strref() << ":" << file.getLine() << ":" << file.getColumn();
    return WalkResult::interrupt();
  });
  uint32_t index = 0;
  if (!text.empty()) {
    auto [it, isNew] =
        locationTexts.try_emplace(text, static_cast<uint32_t>(module.locations.size()));
    if (isNew)
      module.locations.push_back(text);
    index = it->second;
  }
  locations[location] = index;
  return index;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Constants that are copied are aligned to a cache line, which is also the widest vector.
static constexpr size_t kConstantAlignment = 64;

/// Gives `constant` memory of its own for all elements, to be filled; fails where there is none.
static FailureOr<char *> allocate(Operation *op, plan::Constant &constant) {
  auto bytes = static_cast<int64_t>(plan::sizeOf(constant.dtype));
  bool isTooLarge = false;
  for (int64_t size : constant.dims)
    isTooLarge |= llvm::MulOverflow(bytes, size, bytes);
  isTooLarge |= llvm::AddOverflow(bytes, int64_t(kConstantAlignment), bytes);
  void *memory = isTooLarge ? nullptr
                            : std::aligned_alloc(kConstantAlignment,
                                                 bytes / kConstantAlignment * kConstantAlignment);
  if (!memory)
    return op->emitError() << "out of memory for a constant of "
                           << llvm::interleaved(constant.dims, "x") << " elements of "
                           << plan::sizeOf(constant.dtype) << " bytes";
  constant.data = memory;
  constant.owner = std::shared_ptr<void>(memory, [](void *data) { std::free(data); });
  return static_cast<char *>(memory);
}

/// Gives `constant` a copy of its bytes, or of one element repeated if that is all there is.
static LogicalResult copyBytes(Operation *op, plan::Constant &constant, const char *bytes,
                               bool isSplat) {
  FailureOr<char *> memory = allocate(op, constant);
  if (failed(memory))
    return failure();
  size_t size = constant.sizeInBytes();
  size_t elementSize = plan::sizeOf(constant.dtype);
  if (!isSplat)
    std::memcpy(*memory, bytes, size);
  else
    for (size_t at = 0; at < size; at += elementSize)
      std::memcpy(*memory + at, bytes, elementSize);
  return success();
}

/// One byte for each element, 0 or 1.
static LogicalResult fillBits(Operation *op, plan::Constant &constant,
                              llvm::function_ref<bool(int64_t)> bit) {
  FailureOr<char *> memory = allocate(op, constant);
  if (failed(memory))
    return failure();
  for (int64_t i = 0, count = constant.numElements(); i < count; ++i)
    (*memory)[i] = bit(i) ? 1 : 0;
  return success();
}

static LogicalResult setDense(Operation *op, plan::Constant &constant,
                              DenseIntOrFPElementsAttr elements) {
  if (constant.dtype != DType::I1)
    return copyBytes(op, constant, elements.getRawData().data(), elements.isSplat());
  auto values = elements.getValues<bool>();
  return fillBits(op, constant, [&](int64_t i) { return values[i]; });
}

/// The blob itself, taken out of the context that will die. What stays behind still shows the
/// bytes.
static std::shared_ptr<const void> takeBlob(AsmResourceBlob &blob) {
  auto taken = std::make_shared<AsmResourceBlob>(std::move(blob));
  blob = UnmanagedAsmResourceBlob::allocateWithAlign(taken->getData(), taken->getDataAlignment(),
                                                     [taken](void *, size_t, size_t) {});
  return taken;
}

LogicalResult ModuleTables::setResource(Operation *op, plan::Constant &constant,
                                        DenseResourceElementsAttr elements) {
  DenseResourceElementsHandle handle = elements.getRawHandle();
  AsmResourceBlob *blob = handle.getBlob();
  if (!blob)
    return op->emitError() << "resource '" << handle.getKey() << "' has no data";
  ArrayRef<char> data = blob->getData();
  size_t size = constant.sizeInBytes();
  bool isPacked = constant.dtype == DType::I1 && data.size() != size;
  if (data.size() != (isPacked ? (size + 7) / 8 : size))
    return op->emitError() << "resource '" << handle.getKey() << "' has " << data.size()
                           << " bytes, but its type takes " << size;
  if (constant.dtype == DType::I1)
    return fillBits(op, constant, [&](int64_t i) {
      return isPacked ? (data[i / 8] >> (i % 8)) & 1 : data[i] != 0;
    });
  if (reinterpret_cast<uintptr_t>(data.data()) % plan::sizeOf(constant.dtype) != 0) {
    if (source.alignedCopy)
      constant.owner = source.alignedCopy(data);
    if (!constant.owner)
      return copyBytes(op, constant, data.data(), /*isSplat=*/false);
    constant.data = constant.owner.get();
    return success();
  }
  constant.data = data.data();
  if (data.begin() >= source.bytes.begin() && data.end() <= source.bytes.end()) {
    constant.owner = source.owner;
    return success();
  }
  std::shared_ptr<const void> &taken = takenBlobs[handle.getKey()];
  if (!taken)
    taken = takeBlob(*blob);
  constant.owner = taken;
  return success();
}

/// A constant without data yet, of the element type and sizes of `type`.
static FailureOr<plan::Constant> makeConstant(Operation *op, ShapedType type) {
  FailureOr<DType> dtype = requireDType(op, type.getElementType());
  if (failed(dtype))
    return failure();
  plan::Constant constant;
  constant.dtype = *dtype;
  constant.dims.assign(type.getShape().begin(), type.getShape().end());
  return constant;
}

LogicalResult ModuleTables::setElements(Operation *op, plan::Constant &constant,
                                        ElementsAttr elements) {
  if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(elements))
    return setDense(op, constant, dense);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    return setResource(op, constant, resource);
  if (auto values = elements.tryGetValues<Attribute>(); values)
    return setDense(op, constant,
                    cast<DenseIntOrFPElementsAttr>(DenseElementsAttr::get(
                        elements.getShapedType(), llvm::to_vector(*values))));
  return op->emitError() << "constants of this form of attribute can't be loaded; write them as "
                            "dense<...> or dense_resource<...>";
}

FailureOr<uint32_t> ModuleTables::constant(Operation *op, ElementsAttr elements) {
  auto known = constants.find(elements);
  if (known != constants.end())
    return known->second;
  FailureOr<plan::Constant> constant = makeConstant(op, elements.getShapedType());
  if (failed(constant))
    return failure();
  if (failed(setElements(op, *constant, elements)))
    return failure();
  auto index = static_cast<uint32_t>(module.constants.size());
  module.constants.push_back(std::move(*constant));
  constants[elements] = index;
  return index;
}

FailureOr<uint32_t> ModuleTables::computedConstant(Operation *op, uint32_t result,
                                                   ShapedType type) {
  auto known = computedConstants.find(result);
  if (known != computedConstants.end())
    return known->second;
  FailureOr<plan::Constant> constant = makeConstant(op, type);
  if (failed(constant))
    return failure();
  constant->initResult = static_cast<int32_t>(result);
  auto index = static_cast<uint32_t>(module.constants.size());
  module.constants.push_back(std::move(*constant));
  computedConstants[result] = index;
  return index;
}

} // namespace anneal
