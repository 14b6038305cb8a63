//===- CostOptions.cpp - Sizes and weights as text ------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/CostOptions.h"

#include "SizeTies.h"

#include "anneal/IR/JitOps.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace anneal {

/// "; there is @f, @g": the functions and units that have a body, where there are any.
static std::string thereIs(ModuleOp module) {
  SmallVector<std::string> names;
  for (auto function : module.getOps<FunctionOpInterface>())
    if (!function.isExternal())
      names.push_back("@" + function.getName().str());
  return names.empty() ? "" : "; there is " + llvm::join(names, ", ");
}

InFlightDiagnostic CostOptions::fail(Location location) {
  InFlightDiagnostic error = emitError(location);
  error << passName << ": ";
  return error;
}

FailureOr<FunctionOpInterface> CostOptions::findEntry(StringRef name) {
  SmallVector<FunctionOpInterface> candidates;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    bool isWanted = name.empty() ? function.isPublic() && !function.isExternal() &&
                                       !isa<jit::UnitOp>(function.getOperation())
                                 : function.getName() == name;
    if (isWanted)
      candidates.push_back(function);
  }
  if (candidates.size() == 1 && candidates.front().isExternal())
    return fail(candidates.front().getLoc())
           << "function '@" << name << "' has no body in this module";
  if (candidates.size() == 1)
    return candidates.front();
  if (!name.empty())
    return fail(module.getLoc()) << "there is no function '@" << name << "' in this module"
                                 << thereIs(module);
  return fail(module.getLoc()) << "the module has " << candidates.size()
                               << " public functions; name the one that is meant: function=NAME";
}

/// `?`, or a size.
static std::optional<int64_t> parseSize(StringRef text) {
  int64_t size = 0;
  if (text == "?")
    return ShapedType::kDynamic;
  if (text.getAsInteger(10, size))
    return std::nullopt;
  return size;
}

/// Checks sizes against the type of an argument.
LogicalResult CostOptions::checkSizes(FunctionOpInterface function, StringRef text, Type type,
                                      ArrayRef<int64_t> sizes) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped) {
    if (!type.isIntOrIndex())
      return fail(function.getLoc()) << "dims: '" << text << "' gives a value to a " << type
                                     << "; only integers and sizes can be given";
    return sizes.size() == 1 ? success()
                             : fail(function.getLoc())
                                   << "dims: '" << text << "' must be one number for a " << type;
  }
  if (!shaped.hasRank() || shaped.getRank() != static_cast<int64_t>(sizes.size()))
    return fail(function.getLoc()) << "dims: '" << text << "' has " << sizes.size()
                                   << " sizes, but the argument is a " << type;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (size < 0 && !ShapedType::isDynamic(size))
      return fail(function.getLoc()) << "dims: '" << text << "' has the negative size " << size;
    if (!shaped.isDynamicDim(dim) && !ShapedType::isDynamic(size) && size != shaped.getDimSize(dim))
      return fail(function.getLoc())
             << "dims: '" << text << "' has size " << size << " in dimension " << dim
             << ", but the argument is a " << type;
  }
  return success();
}

FailureOr<ArgumentSizes> CostOptions::parseArgumentSizes(FunctionOpInterface function,
                                                         ArrayRef<std::string> texts) {
  ArgumentSizes arguments;
  for (StringRef text : texts) {
    auto [name, shape] = text.split(':');
    unsigned number = 0;
    bool isNamed = name.consume_front("arg") && !name.getAsInteger(10, number);
    SmallVector<int64_t> sizes;
    SmallVector<StringRef> parts;
    // A tensor of rank 0 has no sizes.
    if (!shape.empty())
      shape.split(parts, 'x');
    for (StringRef part : parts) {
      std::optional<int64_t> size = parseSize(part);
      isNamed &= size.has_value();
      sizes.push_back(size.value_or(0));
    }
    if (!isNamed || !text.contains(':'))
      return fail(function.getLoc())
             << "dims: '" << text << "' is not of the form arg0:1x32 (sizes, or ?, of an argument)";
    if (number >= function.getNumArguments())
      return fail(function.getLoc())
             << "dims: '@" << function.getName() << "' has " << function.getNumArguments()
             << " arguments, but '" << text << "' is about argument " << number;
    if (failed(checkSizes(function, text, function.getArgumentTypes()[number], sizes)))
      return failure();
    arguments.byArgument[number] = sizes;
  }
  if (failed(checkTies(function, arguments)))
    return failure();
  return arguments;
}

LogicalResult CostOptions::checkTies(FunctionOpInterface function, const ArgumentSizes &sizes) {
  std::optional<SizeContradiction> found = findContradiction(module, function, sizes);
  if (!found)
    return success();
  return fail(found->op->getLoc()) << "dims: '" << found->op->getName() << "' takes "
                                   << found->first << ", and " << found->second << ", to be equal";
}

/// Whether a dialect that is registered has this operation. Of those in use a pass can't load more;
/// a context of its own can.
static bool isOperation(MLIRContext *context, StringRef name) {
  if (OperationName(name, context).isRegistered())
    return true;
  MLIRContext all(context->getDialectRegistry(), MLIRContext::Threading::DISABLED);
  all.getOrLoadDialect(name.split('.').first);
  return OperationName(name, &all).isRegistered();
}

LogicalResult CostOptions::parseFlopWeights(ArrayRef<std::string> texts, FlopWeights &weights) {
  for (StringRef text : texts) {
    auto [name, number] = text.rsplit(':');
    int64_t weight = 0;
    if (name.empty() || number.getAsInteger(10, weight) || weight < 0)
      return fail(module.getLoc())
             << "flop-weights: '" << text
             << "' is not of the form math.exp:10 (an operation and a number that "
                "is not negative)";
    if (!isOperation(module.getContext(), name))
      return fail(module.getLoc())
             << "flop-weights: '" << text << "' is about '" << name << "', which is no operation";
    weights.set(name, weight);
  }
  return success();
}

} // namespace anneal
