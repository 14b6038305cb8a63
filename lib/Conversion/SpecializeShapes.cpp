//===- SpecializeShapes.cpp - Copies of units for some shapes -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RefineTypes.h"
#include "ShapeRequests.h"

#include "anneal/Conversion/Passes.h"

#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <numeric>

#define DEBUG_TYPE "jit-specialize-shapes"

namespace anneal {
#define GEN_PASS_DEF_SPECIALIZESHAPES
#include "anneal/Conversion/Passes.h.inc"
} // namespace anneal

using namespace mlir;
using namespace anneal;

/// Gives what a loop carries the type behind the cast of its first value, also where it grows.
/// What a loop does carry in one size has its type already (RefineTypes.h).
static constexpr char kUnsoundPattern[] = "(anonymous namespace)::ForOpTensorCastFolder";

/// "3", or "9.2" for 9/2.
static std::string exponentText(uint64_t num, uint64_t den) {
  uint64_t divisor = std::gcd(num, den);
  std::string text = std::to_string(num / divisor);
  return den == divisor ? text : text + "." + std::to_string(den / divisor);
}

static std::string dimText(const jit::DimBucket &dim) {
  if (dim.isAny())
    return "n";
  if (dim.getKind() == jit::DimBucket::Kind::Size)
    return std::to_string(dim.getSize());
  uint64_t index = dim.getIndex();
  auto [num, den] = dim.getStep();
  return "e" + exponentText(index * num, den) + "to" + exponentText((index + 1) * num, den);
}

/// "8x4_nx9_e3to4": the sizes that are asked for, of each argument whose sizes aren't all known to
/// the generic unit. `n` is any size, `e3to4` the bucket exp2(3 ... 4).
static std::string suffixFor(jit::UnitOp unit, const ShapeDemands &demands) {
  SmallVector<std::string> parts;
  for (auto [type, dims] : llvm::zip(unit.getArgumentTypes(), demands)) {
    if (dims.empty() || cast<RankedTensorType>(type).hasStaticShape())
      continue;
    parts.push_back(llvm::join(llvm::map_range(dims, dimText), "x"));
  }
  return llvm::join(parts, "_");
}

namespace {

class SpecializeShapes : public anneal::impl::SpecializeShapesBase<SpecializeShapes> {
public:
  using SpecializeShapesBase::SpecializeShapesBase;

  void runOnOperation() override {
    RequestOptions options;
    std::string problem;
    if (failed(readOptions(options, problem))) {
      emitError(getOperation().getLoc()) << DEBUG_TYPE << ": " << problem;
      return signalPassFailure();
    }
    symbols.emplace(getOperation());
    if (failed(shapes.empty() ? specializeByProfile(options) : specializeExplicitly()))
      signalPassFailure();
    symbols.reset();
  }

private:
  LogicalResult readOptions(RequestOptions &options, std::string &problem) {
    options.isBucketMode = mode == ShapeMode::Bucket;
    options.threshold = threshold;
    if (!shapes.empty() && unit.empty()) {
      problem = "'shapes' are those of a unit: name it with 'unit'";
      return failure();
    }
    if (!(threshold >= 0 && threshold <= 1)) {
      problem = "threshold is " + std::to_string(threshold) + ", but must be from 0 to 1";
      return failure();
    }
    return parseStep(delta, options.step, problem);
  }

  //===--------------------------------------------------------------------===//
  // Which shapes
  //===--------------------------------------------------------------------===//

  FailureOr<jit::UnitOp> findUnit() {
    Operation *symbol = symbols->lookup(unit);
    auto found = dyn_cast_or_null<jit::UnitOp>(symbol);
    if (!found)
      return emitError(getOperation().getLoc())
             << DEBUG_TYPE << ": "
             << (symbol ? "'" + unit + "' is no jit.unit" : "there is no unit '" + unit + "'");
    for (auto variant : getOperation().getOps<jit::VariantOp>())
      if (variant.getCode() == unit)
        return found.emitError() << "'@" << unit << "' is itself a variant, of '@"
                                 << variant.getUnit() << "'; specialise that one";
    return found;
  }

  /// What the user asks for is made or is an error.
  LogicalResult specializeExplicitly() {
    FailureOr<jit::UnitOp> generic = findUnit();
    if (failed(generic))
      return failure();
    std::string problem;
    FailureOr<SmallVector<ShapeDemands>> wanted = parseShapes(*generic, shapes, problem);
    if (failed(wanted))
      return generic->emitError() << "'@" << unit << "' can't be specialised: " << problem;
    UnitSizes sizes(*generic);
    // All are checked before one is made.
    for (ShapeDemands &demands : *wanted)
      if (failed(sizes.narrow(demands, problem)))
        return generic->emitError() << "'@" << unit << "' can't be specialised: " << problem;
    for (const ShapeDemands &demands : *wanted)
      if (!make(*generic, demands, "asked for", problem))
        return generic->emitError() << "'@" << unit << "' can't be specialised: " << problem;
    return success();
  }

  LogicalResult specializeByProfile(const RequestOptions &options) {
    SmallVector<jit::UnitOp> units;
    if (!unit.empty()) {
      FailureOr<jit::UnitOp> generic = findUnit();
      if (failed(generic))
        return failure();
      if (!profileOf(*generic))
        return generic->emitError() << "'@" << unit << "' has no 'jit.profile' with shapes; name "
                                    << "some with the option 'shapes'";
      units.push_back(*generic);
    } else {
      llvm::StringSet<> codes;
      for (auto variant : getOperation().getOps<jit::VariantOp>())
        codes.insert(variant.getCode());
      for (auto candidate : getOperation().getOps<jit::UnitOp>())
        if (profileOf(candidate) && !codes.contains(candidate.getSymName()))
          units.push_back(candidate);
    }
    for (jit::UnitOp generic : units) {
      UnitSizes sizes(generic);
      for (SeenShape &seen : shapesOf(generic, profileOf(generic), options)) {
        std::string problem = seen.refusal;
        if (!problem.empty() || failed(sizes.narrow(seen.demands, problem)) ||
            !make(generic, seen.demands, seen.evidence, problem))
          missed(generic, seen.demands, problem);
      }
    }
    return success();
  }

  void missed(jit::UnitOp generic, const ShapeDemands &demands, const std::string &problem) {
    remark::missed(generic.getLoc(), remark::RemarkOpts::name("NotSpecialized")
                                         .category(DEBUG_TYPE)
                                         .function(generic.getSymName()))
        << remark::reason("not specialised to {0}: {1}", suffixFor(generic, demands), problem);
  }

  //===--------------------------------------------------------------------===//
  // One variant
  //===--------------------------------------------------------------------===//

  /// Whether there is a variant for these demands in the end; if not, `problem` says why.
  bool make(jit::UnitOp generic, const ShapeDemands &demands, StringRef evidence,
            std::string &problem) {
    SmallVector<jit::ShapeBucketAttr> guard = guardOf(generic, demands);
    if (llvm::none_of(guard, [](jit::ShapeBucketAttr bucket) { return bool(bucket); })) {
      problem = "that holds for every call, and so it specialises nothing";
      return false;
    }
    Operation *last = generic;
    unsigned count = 0;
    for (auto variant : getOperation().getOps<jit::VariantOp>()) {
      if (variant.getUnit() != generic.getSymName())
        continue;
      if (areEqual(demandsOf(generic, variant.getConstraints()), demands)) {
        say(generic, "AlreadySpecialized",
            "'@" + variant.getCode().str() + "' is for these shapes already");
        return true;
      }
      ++count;
      if (last == generic || last->isBeforeInBlock(variant))
        last = variant;
    }
    if (count >= maxVariants) {
      problem = "the unit has " + std::to_string(count) + " variants, and max-variants is " +
                std::to_string(maxVariants);
      return false;
    }
    jit::UnitOp code = copyFor(generic, demands, last, problem);
    if (!code)
      return false;
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfter(code);
    jit::VariantOp::create(builder, generic.getLoc(), code, generic, guard);
    say(generic, "Specialized", "made '@" + code.getSymName().str() + "': " + evidence.str());
    return true;
  }

  void say(jit::UnitOp generic, StringRef name, const std::string &text) {
    remark::passed(
        generic.getLoc(),
        remark::RemarkOpts::name(name).category(DEBUG_TYPE).function(generic.getSymName()))
        << remark::reason("{0}", text);
  }

  /// A copy whose types know what the demands say, behind `after`; null if it would not be valid.
  jit::UnitOp copyFor(jit::UnitOp generic, const ShapeDemands &demands, Operation *after,
                      std::string &problem) {
    jit::UnitOp code = generic.clone();
    code.setSymName((generic.getSymName() + "." + suffixFor(generic, demands)).str());
    SymbolTable::setSymbolVisibility(code, SymbolTable::Visibility::Private);
    // What was seen of all calls is not what would be seen of these.
    code.removeHotnessAttr();
    code->removeAttr(jit::JitDialect::kProfileAttrName);
    refineTypes(code, typesFor(generic, demands));
    addBuckets(code, guardOf(generic, demands));
    if (failed(verifyQuietly(code, problem))) {
      code.erase();
      return nullptr;
    }
    symbols->insert(code, std::next(after->getIterator()));
    OpPassManager cleanUp(jit::UnitOp::getOperationName());
    cleanUp.addPass(createCanonicalizerPass(GreedyRewriteConfig(), {kUnsoundPattern}));
    cleanUp.addPass(createCSEPass());
    if (failed(runPipeline(cleanUp, code))) {
      problem = "its copy can't be canonicalised";
      symbols->erase(code);
      return nullptr;
    }
    return code;
  }

  static SmallVector<Type> typesFor(jit::UnitOp generic, const ShapeDemands &demands) {
    SmallVector<Type> types;
    for (auto [type, dims] : llvm::zip(generic.getArgumentTypes(), demands)) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor) {
        types.push_back(type);
        continue;
      }
      SmallVector<int64_t> shape;
      for (const jit::DimBucket &dim : dims)
        shape.push_back(dim.getKind() == jit::DimBucket::Kind::Size ? dim.getSize()
                                                                    : ShapedType::kDynamic);
      types.push_back(tensor.clone(shape));
    }
    return types;
  }

  /// What types can't say: the buckets of sizes that stay unknown.
  static void addBuckets(jit::UnitOp code, ArrayRef<jit::ShapeBucketAttr> guard) {
    for (auto [number, bucket] : llvm::enumerate(guard))
      if (bucket && llvm::any_of(bucket.getDims(), [](const jit::DimBucket &dim) {
            return dim.getKind() == jit::DimBucket::Kind::Bucket;
          }))
        code.setArgAttr(number, jit::JitDialect::kShapeBucketAttrName, bucket);
  }

  /// What the verifier says becomes the problem.
  static LogicalResult verifyQuietly(jit::UnitOp code, std::string &problem) {
    ScopedDiagnosticHandler handler(code.getContext(), [&](Diagnostic &diagnostic) {
      if (problem.empty())
        problem = "its body would not be valid: " + diagnostic.str();
      return success();
    });
    return verify(code);
  }

  std::optional<SymbolTable> symbols;
};

} // namespace
