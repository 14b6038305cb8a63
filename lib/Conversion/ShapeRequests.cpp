//===- ShapeRequests.cpp - Shapes that are worth a variant ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRequests.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace anneal {

using jit::DimBucket;
using jit::ShapeBucketAttr;

//===----------------------------------------------------------------------===//
// Shapes as text
//===----------------------------------------------------------------------===//

LogicalResult parseStep(StringRef text, BucketStep &step, std::string &problem) {
  auto [num, den] = text.trim().split('/');
  bool isNumber = !num.getAsInteger(10, step.num) &&
                  (text.contains('/') ? !den.getAsInteger(10, step.den) : true);
  if (isNumber && isValid(step))
    return success();
  problem =
      ("delta is '" + text + "', but must be a positive fraction in lowest terms, of at most " +
       Twine(kMaxStep) + ", with a denominator of at most " + Twine(kMaxStepDenominator))
          .str();
  return failure();
}

/// The parts of `text` between separators that stand in no bracket.
static SmallVector<StringRef> splitOutside(StringRef text, char separator) {
  SmallVector<StringRef> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    depth += StringRef("([<").contains(text[at]);
    depth -= StringRef(")]>").contains(text[at]);
    if (text[at] != separator || depth != 0)
      continue;
    parts.push_back(text.slice(begin, at).trim());
    begin = at + 1;
  }
  parts.push_back(text.drop_front(begin).trim());
  return parts;
}

/// Parses "[8, 4]"; on failure `problem` has the parser's message.
static ShapeBucketAttr parseBucket(MLIRContext *context, StringRef text, std::string &problem) {
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    problem = "'" + text.str() + "': " + diagnostic.str();
    return success();
  });
  auto bucket = dyn_cast_or_null<ShapeBucketAttr>(
      parseAttribute(("#jit.shape_bucket<" + text + ">").str(), context));
  if (!bucket && problem.empty())
    problem = "'" + text.str() + "' is no list of sizes";
  return bucket;
}

static FailureOr<ShapeDemands> parseShape(jit::UnitOp unit, StringRef text, std::string &problem) {
  ArrayRef<Type> types = unit.getArgumentTypes();
  SmallVector<StringRef> parts = text.empty() ? SmallVector<StringRef>() : splitOutside(text, ',');
  if (parts.size() != types.size()) {
    problem = "'" + text.str() + "' has shapes for " + std::to_string(parts.size()) +
              " arguments, but the unit has " + std::to_string(types.size());
    return failure();
  }
  SmallVector<ShapeBucketAttr> guard;
  for (auto [number, type, part] : llvm::enumerate(types, parts)) {
    guard.emplace_back();
    if (part == "any")
      continue;
    guard.back() = parseBucket(unit.getContext(), part, problem);
    if (!guard.back())
      return failure();
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && tensor.getRank() == static_cast<int64_t>(guard.back().getDims().size()))
      continue;
    problem = llvm::formatv("'{0}' doesn't fit argument #{1}, {2}", part, number,
                            tensor ? "of rank " + std::to_string(tensor.getRank())
                                   : std::string("a scalar: write any"));
    return failure();
  }
  // Here, not in `narrow`, which takes sizes that the types know as given.
  for (auto [number, type, bucket] : llvm::enumerate(types, guard)) {
    if (!bucket)
      continue;
    for (auto [dim, size, wanted] :
         llvm::enumerate(cast<RankedTensorType>(type).getShape(), bucket.getDims()))
      if (!ShapedType::isDynamic(size) && !wanted.contains(size)) {
        problem = llvm::formatv("dimension #{0} of argument #{1} is {2}, which '{3}' leaves out",
                                dim, number, size, parts[number]);
        return failure();
      }
  }
  return demandsOf(unit, guard);
}

FailureOr<SmallVector<ShapeDemands>> parseShapes(jit::UnitOp unit, StringRef text,
                                                 std::string &problem) {
  SmallVector<ShapeDemands> shapes;
  for (StringRef part : splitOutside(text, ';')) {
    FailureOr<ShapeDemands> shape = parseShape(unit, part, problem);
    if (failed(shape))
      return failure();
    shapes.push_back(std::move(*shape));
  }
  return shapes;
}

//===----------------------------------------------------------------------===//
// Shapes of a profile
//===----------------------------------------------------------------------===//

jit::ProfileAttr profileOf(jit::UnitOp unit) {
  auto profile = unit->getAttrOfType<jit::ProfileAttr>(jit::JitDialect::kProfileAttrName);
  return profile && profile.getNumShapes() > 0 ? profile : jit::ProfileAttr();
}

/// What a shape of the profile asks of sizes that the unit doesn't know.
static ShapeDemands demandsOf(jit::UnitOp unit, jit::ProfileAttr profile, size_t shape,
                              const RequestOptions &options) {
  ShapeDemands demands;
  for (auto [number, type] : llvm::enumerate(unit.getArgumentTypes())) {
    demands.emplace_back();
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      continue;
    for (auto [dim, size] : llvm::enumerate(profile.getSizes(shape, number))) {
      DimBucket exact = DimBucket::size(size);
      DimBucket bucket = DimBucket::bucket(bucketOf(size, options.step), options.step);
      bool isBucket = options.isBucketMode && tensor.isDynamicDim(dim) && !exact.covers(bucket);
      demands.back().push_back(isBucket ? bucket : exact);
    }
  }
  return demands;
}

SmallVector<SeenShape> shapesOf(jit::UnitOp unit, jit::ProfileAttr profile,
                                const RequestOptions &options) {
  SmallVector<std::pair<ShapeDemands, int64_t>> counted;
  for (size_t shape = 0; shape < profile.getNumShapes(); ++shape) {
    ShapeDemands demands = demandsOf(unit, profile, shape, options);
    int64_t count = profile.getShapeCounts().asArrayRef()[shape];
    auto known =
        llvm::find_if(counted, [&](const auto &other) { return areEqual(other.first, demands); });
    if (known != counted.end())
      known->second += count;
    else
      counted.push_back({std::move(demands), count});
  }
  llvm::stable_sort(counted, [](const auto &a, const auto &b) { return a.second > b.second; });
  std::string threshold;
  llvm::raw_string_ostream(threshold) << llvm::format("%g", options.threshold);
  int64_t total = profile.getCalls().value_or(profile.getShapeTotal());
  SmallVector<SeenShape> seen;
  for (auto &[demands, count] : counted) {
    SeenShape &shape = seen.emplace_back();
    shape.demands = std::move(demands);
    shape.evidence = llvm::formatv("{0} of {1} calls, more than {2}", count, total, threshold);
    if (!(static_cast<double>(count) > options.threshold * static_cast<double>(total)))
      shape.refusal = llvm::formatv("{0} of {1} calls, not more than {2}", count, total, threshold);
  }
  return seen;
}

} // namespace anneal
