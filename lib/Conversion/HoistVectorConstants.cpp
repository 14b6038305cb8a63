//===- HoistVectorConstants.cpp - Vector constants in registers -----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeWriter.h"

#include "anneal/Conversion/Passes.h"

#include "llvm/ADT/MapVector.h"

#define DEBUG_TYPE "jit-hoist-vector-constants"

namespace anneal {
#define GEN_PASS_DEF_HOISTVECTORCONSTANTS
#include "anneal/Conversion/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// The bits of each element of a vector constant that is worth a register;
/// nullopt for others: zero and ones in all bits are made by one instruction
/// without memory.
std::optional<APInt> bitsToHoist(LLVM::ConstantOp constant) {
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!elements || !isa<VectorType>(constant.getType()) || !elements.isSplat())
    return std::nullopt;
  auto element = elements.getSplatValue<Attribute>();
  auto integer = dyn_cast<IntegerAttr>(element);
  APInt bits = integer ? integer.getValue() : cast<FloatAttr>(element).getValue().bitcastToAPInt();
  bool isWide = bits.getBitWidth() == 32 || bits.getBitWidth() == 64;
  if (!isWide || bits.isZero() || bits.isAllOnes())
    return std::nullopt;
  return bits;
}

/// Whether a use of a constant would load it in a loop. The instructions that shift have the
/// distance in them.
bool isLoad(OpOperand &use, Block &entry) {
  Operation *user = use.getOwner();
  bool isDistance =
      isa<LLVM::ShlOp, LLVM::LShrOp, LLVM::AShrOp>(user) && use.getOperandNumber() == 1;
  return user->getBlock() != &entry && !isDistance;
}

/// Number of elements of a vector, and bits of each.
using Shape = std::pair<unsigned, unsigned>;

/// Replaces the constants, all of one shape, by broadcast entries of a table.
void hoist(LLVM::LLVMFuncOp function, Shape shape, MutableArrayRef<LLVM::ConstantOp> constants) {
  auto [length, width] = shape;
  SmallVector<APInt> values;
  for (LLVM::ConstantOp constant : constants)
    values.push_back(*bitsToHoist(constant));
  OpBuilder builder(function);
  Location loc = function.getLoc();
  Type element = builder.getIntegerType(width);
  auto count = static_cast<int64_t>(values.size());
  auto table = LLVM::GlobalOp::create(
      builder, loc, LLVM::LLVMArrayType::get(element, count), /*isConstant=*/true,
      LLVM::Linkage::Private,
      (function.getName() + ".constants." + Twine(length) + "x" + Twine(width)).str(),
      DenseElementsAttr::get(RankedTensorType::get({count}, element), values), width / 8);
  builder.setInsertionPoint(constants.front());
  VectorValues vectors(&function.getBody().front(), length);
  Value address = LLVM::AddressOfOp::create(builder, loc, table);
  for (auto [index, constant] : llvm::enumerate(constants)) {
    Type type = getElementTypeOrSelf(constant.getType());
    Value at = LLVM::GEPOp::create(builder, loc, address.getType(), element, address,
                                   ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    Value scalar = LLVM::LoadOp::create(builder, loc, type, at, width / 8);
    Block *entry = builder.getBlock();
    constant.getResult().replaceUsesWithIf(vectors.broadcast(builder, loc, scalar),
                                           [&](OpOperand &use) { return isLoad(use, *entry); });
  }
}

void hoistConstants(LLVM::LLVMFuncOp function) {
  llvm::MapVector<Shape, SmallVector<LLVM::ConstantOp>> byShape;
  Block &entry = function.getBody().front();
  for (auto constant : entry.getOps<LLVM::ConstantOp>()) {
    bool isUsedInLoop =
        llvm::any_of(constant->getUses(), [&](OpOperand &use) { return isLoad(use, entry); });
    std::optional<APInt> bits = bitsToHoist(constant);
    if (isUsedInLoop && bits) {
      auto length = cast<VectorType>(constant.getType()).getNumElements();
      byShape[{static_cast<unsigned>(length), bits->getBitWidth()}].push_back(constant);
    }
  }
  for (auto &[shape, constants] : byShape)
    hoist(function, shape, constants);
}

class HoistVectorConstants : public anneal::impl::HoistVectorConstantsBase<HoistVectorConstants> {
public:
  void runOnOperation() override {
    for (auto function : llvm::to_vector(getOperation().getOps<LLVM::LLVMFuncOp>()))
      if (!function.isExternal())
        hoistConstants(function);
  }
};

} // namespace
} // namespace anneal
