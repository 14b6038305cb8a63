//===- OutlineConstants.cpp - What constants alone decide -----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Transforms/Passes.h"
#include "anneal/Transforms/StructuredOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace anneal {
#define GEN_PASS_DEF_OUTLINECONSTANTS
#include "anneal/Transforms/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// Bytes of a tensor of static shape; 0 for everything else.
int64_t sizeInBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || !tensor.getElementType().isIntOrIndexOrFloat())
    return 0;
  unsigned bits = tensor.getElementType().isIndex() ? 64 : tensor.getElementTypeBitWidth();
  return tensor.getNumElements() * ((bits + 7) / 8);
}

/// The part of one function that constants alone decide.
class ConstantPart {
public:
  ConstantPart(func::FuncOp function, int64_t maxGrowth, int64_t freeBytes)
      : block(function.getBody().front()), maxGrowth(maxGrowth), freeBytes(freeBytes) {
    collect();
    prune();
  }

  /// Operations to move, in program order.
  ArrayRef<Operation *> getOps() const { return ops; }
  /// Their results that other operations read.
  ArrayRef<Value> getRoots() const { return roots; }

private:
  static bool isConstant(Operation *op) { return op && op->hasTrait<OpTrait::ConstantLike>(); }

  bool isDecided(Value value) const {
    Operation *op = value.getDefiningOp();
    return isConstant(op) || decided.contains(op);
  }

  /// Pure operations of the entry block whose operands are constants or results of such.
  void collect() {
    for (Operation &op : block) {
      if (isConstant(&op) || op.getNumResults() == 0 || !isPure(&op) ||
          !llvm::all_of(op.getOperands(), [&](Value v) { return isDecided(v); }))
        continue;
      llvm::SetVector<Value> captured;
      getUsedValuesDefinedAbove(op.getRegions(), captured);
      if (!llvm::all_of(captured, [&](Value v) { return isDecided(v); }))
        continue;
      decided.insert(&op);
      ops.push_back(&op);
    }
  }

  bool isReadOutside(Operation *op) const {
    return llvm::any_of(op->getUsers(), [&](Operation *user) {
      Operation *ancestor = block.findAncestorOpInBlock(*user);
      return !decided.contains(ancestor);
    });
  }

  /// Last first, so that what reads an op is settled before: ops that are read from outside and are
  /// not worth storing stay, and so do ops that nothing moved reads.
  void prune() {
    for (Operation *op : llvm::reverse(ops))
      if (op->use_empty() || (isReadOutside(op) && !isWorthStoring(op)))
        decided.erase(op);
    llvm::erase_if(ops, [&](Operation *op) { return !decided.contains(op); });
    dropUnread();
    for (Operation *op : ops)
      if (isReadOutside(op))
        llvm::append_range(roots, llvm::make_filter_range(op->getResults(), [&](Value result) {
                             return !result.use_empty();
                           }));
  }

  /// Ops all of whose readers stay are needed there alone.
  void dropUnread() {
    llvm::DenseSet<Operation *> needed;
    for (Operation *op : llvm::reverse(ops)) {
      bool isNeeded = isReadOutside(op) || llvm::any_of(op->getUsers(), [&](Operation *user) {
                        return needed.contains(block.findAncestorOpInBlock(*user));
                      });
      if (isNeeded)
        needed.insert(op);
    }
    llvm::erase_if(ops, [&](Operation *op) { return !needed.contains(op); });
  }

  bool isWorthStoring(Operation *op) const {
    int64_t result = 0, operands = 0;
    for (Type type : op->getResultTypes()) {
      if (sizeInBytes(type) == 0)
        return false;
      result += sizeInBytes(type);
    }
    if (isa<tensor::EmptyOp, tensor::SplatOp, linalg::FillOp, tensor::CastOp, tensor::ExpandShapeOp,
            tensor::CollapseShapeOp>(op))
      return false;
    for (Value operand : op->getOperands())
      if (!isa_and_nonnull<tensor::EmptyOp, linalg::FillOp>(operand.getDefiningOp()))
        operands += sizeInBytes(operand.getType());
    if (isBroadcast(op) && result > operands)
      return false;
    return result <= freeBytes || result / maxGrowth <= operands;
  }

  /// A structured op that only copies elements.
  static bool isBroadcast(Operation *op) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    return linalgOp && isElementwise(linalgOp) && linalgOp.getBlock()->without_terminator().empty();
  }

  Block &block;
  int64_t maxGrowth, freeBytes;
  llvm::DenseSet<Operation *> decided;
  SmallVector<Operation *> ops;
  SmallVector<Value> roots;
};

/// The function that computes the constants of a module, being filled.
class InitFunction {
public:
  explicit InitFunction(ModuleOp module) : module(module), builder(module.getContext()) {}

  /// Copies the part's ops; returns the positions of its roots among the results.
  SmallVector<unsigned> add(const ConstantPart &part) {
    if (!function)
      create();
    IRMapping mapping;
    for (Operation *op : part.getOps()) {
      llvm::SetVector<Value> inputs;
      inputs.insert(op->operand_begin(), op->operand_end());
      getUsedValuesDefinedAbove(op->getRegions(), inputs);
      for (Value input : inputs)
        if (!mapping.contains(input))
          builder.clone(*input.getDefiningOp(), mapping);
      builder.clone(*op, mapping);
    }
    SmallVector<unsigned> positions;
    for (Value root : part.getRoots()) {
      positions.push_back(results.size());
      results.push_back(mapping.lookup(root));
    }
    return positions;
  }

  /// Adds the terminator and the type. Null if nothing was added.
  func::FuncOp finish() {
    if (!function)
      return {};
    func::ReturnOp::create(builder, function.getLoc(), results);
    function.setType(builder.getFunctionType({}, ValueRange(results).getTypes()));
    return function;
  }

private:
  void create() {
    builder.setInsertionPointToStart(module.getBody());
    function = func::FuncOp::create(builder, module.getLoc(), "__jit_init",
                                    builder.getFunctionType({}, {}));
    function.setPrivate();
    builder.setInsertionPointToStart(function.addEntryBlock());
  }

  ModuleOp module;
  OpBuilder builder;
  func::FuncOp function;
  SmallVector<Value> results;
};

/// The values of a function that an init function computes, and where among its results.
struct Replacement {
  func::FuncOp function;
  SmallVector<Operation *> ops;
  SmallVector<Value> roots;
  SmallVector<unsigned> positions;
};

/// Calls the init function at the start of a function, and drops what it computed itself.
void replaceByCall(func::FuncOp init, const Replacement &replacement) {
  func::FuncOp function = replacement.function;
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  auto call = func::CallOp::create(builder, init.getLoc(), init);
  llvm::SmallPtrSet<Operation *, 16> moved(replacement.ops.begin(), replacement.ops.end());
  for (auto [number, position] : llvm::enumerate(replacement.positions)) {
    Value root = replacement.roots[number];
    root.replaceUsesWithIf(call.getResult(position), [&](OpOperand &use) {
      return !moved.contains(function.getBody().front().findAncestorOpInBlock(*use.getOwner()));
    });
  }
  for (Operation *op : llvm::reverse(replacement.ops))
    if (op->use_empty())
      op->erase();
}

struct OutlineConstantsPass : impl::OutlineConstantsBase<OutlineConstantsPass> {
  using OutlineConstantsBase::OutlineConstantsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (module.lookupSymbol("__jit_init"))
      return;
    InitFunction init(module);
    SmallVector<Replacement> replacements;
    for (func::FuncOp function : llvm::to_vector(module.getOps<func::FuncOp>())) {
      if (function.isExternal() || !function.getBody().hasOneBlock())
        continue;
      ConstantPart part(function, maxGrowth, freeBytes);
      if (part.getRoots().empty())
        continue;
      replacements.push_back({function, llvm::to_vector(part.getOps()),
                              llvm::to_vector(part.getRoots()), init.add(part)});
    }
    func::FuncOp initFunction = init.finish();
    for (const Replacement &replacement : replacements)
      replaceByCall(initFunction, replacement);
  }
};

} // namespace
} // namespace anneal
