//===- ForeignFunctions.cpp - Functions that have no plan ===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForeignFunctions.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace anneal::compiler {
namespace {

/// Whether values of a type exist only in foreign functions.
bool isForeign(Type type) {
  if (auto shaped = dyn_cast<TensorType>(type))
    return !shaped.hasRank() || isForeign(shaped.getElementType());
  return isa<BaseMemRefType, VectorType, ComplexType, OpaqueType>(type);
}

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Whether it packs with tiles whose sizes are known in the call only.
bool hasUnknownTiles(Operation *op) {
  if (auto pack = dyn_cast<linalg::PackOp>(op))
    return !pack.getInnerTiles().empty();
  auto unpack = dyn_cast<linalg::UnPackOp>(op);
  return unpack && !unpack.getInnerTiles().empty();
}

/// Why an operation is foreign; empty if it is not.
std::string reasonOf(Operation *op) {
  std::string name = "'" + op->getName().getStringRef().str() + "'";
  if (!op->isRegistered())
    return name + " is of a dialect that has no plan";
  bool isForeignDialect = llvm::StringSwitch<bool>(op->getName().getDialectNamespace())
                              .Cases({"vector", "memref", "bufferization", "quant"}, true)
                              .Default(false);
  if (isForeignDialect || isa<func::ConstantOp, func::CallIndirectOp>(op))
    return name + " has no plan";
  if (hasUnknownTiles(op))
    return name + " with tiles whose sizes the call decides has no plan";
  for (Type type : op->getResultTypes())
    if (isForeign(type))
      return name + " has a result of type " + textOf(type);
  if (auto function = dyn_cast<func::FuncOp>(op)) {
    for (Type type : function.getArgumentTypes())
      if (isForeign(type))
        return "argument of type " + textOf(type);
    for (Type type : function.getResultTypes())
      if (isForeign(type))
        return "result of type " + textOf(type);
  }
  return "";
}

/// Which functions of a module are foreign, and why.
class Finder {
public:
  Finder(ModuleOp module, const Refusals &refusals) : module(module), refusals(refusals) {}

  struct Found {
    llvm::DenseMap<func::FuncOp, std::string> reasons;
    /// Those that would not end, or call one that would not: no other code runs them either.
    llvm::DenseSet<func::FuncOp> hopeless;
  };

  Found find() {
    for (auto function : module.getOps<func::FuncOp>())
      takeRefusal(function);
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isExternal())
        reasons.try_emplace(function, "it has no body");
      else
        look(function);
    }
    for (auto function : module.getOps<func::FuncOp>())
      if (!calls.empty() && !reasons.contains(function))
        if (std::string cycle = cycleOf(function); !cycle.empty())
          reasons[function] = cycle;
    while (propagate()) {
    }
    while (propagateHopeless()) {
    }
    if (!refusals.all.empty())
      for (auto function : module.getOps<func::FuncOp>())
        reasons.try_emplace(function, refusals.all);
    return {std::move(reasons), std::move(hopeless)};
  }

private:
  void takeRefusal(func::FuncOp function) {
    auto refusal = refusals.functions.find(function.getName());
    if (refusal == refusals.functions.end())
      return;
    reasons[function] = refusal->second.reason;
    if (!refusal->second.isHopeless)
      return;
    hopeless.insert(function);
    // It becomes part of another message.
    reasons[function] = StringRef(refusal->second.reason).split("error: ").second.str();
  }

  void look(func::FuncOp function) {
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto call = dyn_cast<func::CallOp>(op))
        calls.push_back({function, call.getCallee()});
      std::string reason = reasonOf(op);
      if (!reason.empty())
        reasons.try_emplace(function, std::move(reason));
    });
  }

  /// "it calls itself", or "it calls 'g', which calls it", where a function comes back to itself on
  /// a path with a branch: without one it would never end. Else empty.
  std::string cycleOf(func::FuncOp function) {
    // Each function that is reached, and who called it first.
    llvm::MapVector<StringRef, StringRef> callers;
    auto addCallees = [&](StringRef caller) {
      for (auto [from, callee] : calls)
        if (from.getName() == caller)
          callers.insert({callee, caller});
    };
    addCallees(function.getName());
    for (size_t i = 0; i < callers.size(); ++i)
      addCallees((callers.begin() + i)->first);
    auto found = callers.find(function.getName());
    bool hasBranch = !function.isExternal() && !function.getBody().hasOneBlock();
    function.walk([&](func::CallOp call) { hasBranch |= call->getParentOp() != function; });
    if (found == callers.end() || !hasBranch)
      return "";
    if (found->second == function.getName())
      return "it calls itself";
    std::string text = "it";
    for (StringRef caller = found->second; caller != function.getName(); caller = callers[caller])
      text = "'" + caller.str() + "', which calls " + text;
    return "it calls " + text;
  }

  bool propagate() {
    bool changed = false;
    for (auto [caller, callee] : calls) {
      auto target = reasons.empty() ? func::FuncOp() : module.lookupSymbol<func::FuncOp>(callee);
      if (!target || !reasons.contains(target) || reasons.contains(caller))
        continue;
      reasons[caller] = ("it calls '" + callee + "': " + reasons.lookup(target)).str();
      changed = true;
    }
    return changed;
  }

  bool propagateHopeless() {
    bool changed = false;
    for (auto [caller, callee] : calls) {
      auto target = hopeless.empty() ? func::FuncOp() : module.lookupSymbol<func::FuncOp>(callee);
      if (target && hopeless.contains(target) && hopeless.insert(caller).second) {
        reasons[caller] = ("it calls '" + callee + "': " + reasons.lookup(target)).str();
        changed = true;
      }
    }
    return changed;
  }

  ModuleOp module;
  const Refusals &refusals;
  llvm::DenseMap<func::FuncOp, std::string> reasons;
  llvm::DenseSet<func::FuncOp> hopeless;
  SmallVector<std::pair<func::FuncOp, StringRef>> calls;
};

std::optional<plan::DType> dtypeOf(Type type) {
  if (type.isIndex())
    return plan::DType::Index;
  if (type.isF16())
    return plan::DType::F16;
  if (type.isBF16())
    return plan::DType::BF16;
  if (type.isF32())
    return plan::DType::F32;
  if (type.isF64())
    return plan::DType::F64;
  if (type.isSignlessInteger(1))
    return plan::DType::I1;
  if (type.isSignlessInteger(8))
    return plan::DType::I8;
  if (type.isSignlessInteger(16))
    return plan::DType::I16;
  if (type.isSignlessInteger(32))
    return plan::DType::I32;
  if (type.isSignlessInteger(64))
    return plan::DType::I64;
  return std::nullopt;
}

/// A ranked tensor or a number; as a result, a buffer too. For others nothing, and `problem`.
std::optional<plan::Param> paramOf(func::FuncOp function, Type type, bool isResult, unsigned index,
                                   std::string &problem) {
  plan::Param param;
  auto shaped = dyn_cast<ShapedType>(type);
  bool fits = !shaped || (isa<RankedTensorType>(type) || (isResult && isa<MemRefType>(type)));
  std::optional<plan::DType> dtype = dtypeOf(shaped ? shaped.getElementType() : type);
  if (!fits || !dtype) {
    llvm::raw_string_ostream(problem)
        << (isResult ? "result #" : "argument #") << index << " of '" << function.getName()
        << "' has type '" << type
        << "'; calls take ranked tensors and numbers of types i1, i8, i16, i32, i64, index, f16, "
           "bf16, f32 and f64"
        << (isResult ? ", and give ranked memrefs too" : "");
    return std::nullopt;
  }
  param.dtype = *dtype;
  param.isScalar = !shaped;
  if (shaped)
    for (int64_t size : shaped.getShape())
      param.dims.push_back(ShapedType::isDynamic(size) ? plan::kDynamic : size);
  return param;
}

/// Nothing, and `problem`, if it can't be called from outside.
std::optional<plan::ForeignFunction> describe(func::FuncOp function, std::string reason,
                                              std::string &problem) {
  plan::ForeignFunction described{function.getName().str(), {}, {}, std::move(reason)};
  auto describeAll = [&](ArrayRef<Type> types, bool isResult, std::vector<plan::Param> &params) {
    for (auto [index, type] : llvm::enumerate(types)) {
      std::optional<plan::Param> param = paramOf(function, type, isResult, index, problem);
      if (!param)
        return false;
      params.push_back(std::move(*param));
    }
    return true;
  };
  if (!describeAll(function.getArgumentTypes(), false, described.arguments) ||
      !describeAll(function.getResultTypes(), true, described.results))
    return std::nullopt;
  return described;
}

void dropUnused(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.enableVerifier(false);
  pm.addPass(createSymbolDCEPass());
  (void)pm.run(module);
}

/// What the foreign functions need, as bytecode.
std::string writeForeign(ModuleOp module, llvm::function_ref<bool(func::FuncOp)> isEntry) {
  OwningOpRef<ModuleOp> copy = module.clone();
  for (auto function : copy->getOps<func::FuncOp>())
    if (!isEntry(function))
      function.setPrivate();
  dropUnused(*copy);
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  if (failed(writeBytecodeToFile(*copy, os)))
    bytes.clear();
  return bytes;
}

} // namespace

LogicalResult splitForeignFunctions(ModuleOp module, const llvm::SourceMgr &source, bool keepSource,
                                    plan::Module &plan, const Refusals &refusals) {
  auto [reasons, hopeless] = Finder(module, refusals).find();
  llvm::StringSet<> names;
  SmallVector<std::pair<func::FuncOp, std::string>> closed;
  bool hasOthers = false;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    if (!reasons.contains(function)) {
      hasOthers = true;
      continue;
    }
    std::string problem;
    std::optional<plan::ForeignFunction> described;
    if (hopeless.contains(function))
      problem = reasons.lookup(function);
    else
      described = describe(function, reasons.lookup(function), problem);
    if (!described) {
      closed.push_back({function, problem});
      continue;
    }
    plan.foreign.push_back(std::move(*described));
    names.insert(function.getName());
  }
  if (plan.foreign.empty() && closed.empty())
    return success();
  if (plan.foreign.empty() && !hasOthers)
    return closed.front().first.emitError() << closed.front().second;
  for (auto &[function, problem] : closed)
    function.emitRemark() << (hopeless.contains(function)
                                  ? "this function can't be called: "
                                  : "this function is for others of the module only: ")
                          << problem;
  if (keepSource)
    plan.foreignIr = source.getMemoryBuffer(source.getMainFileID())->getBuffer().str();
  else
    plan.foreignIr = writeForeign(
        module, [&](func::FuncOp function) { return names.contains(function.getName()); });
  for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (function ? reasons.contains(function) : isa<memref::GlobalOp>(op))
      op.erase();
  }
  return success();
}

bool namesUnknownDialect(const std::vector<std::string> &messages) {
  return llvm::any_of(messages, [](StringRef text) {
    return text.contains("' is unknown") || text.contains("there is no dialect") ||
           text.contains("unregistered dialect") || text.contains("unknown type") ||
           text.contains("no type parsing hook") || text.contains("' not found for custom op") ||
           // A type of such a dialect can't be an element.
           text.contains("VectorElementTypeInterface") ||
           text.contains("invalid memref element type");
  });
}

} // namespace anneal::compiler
