//===- AnnotateProfile.cpp - Put a profile on the IR ----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnknownUnits.h"

#include "anneal/Analysis/HeatPropagation.h"
#include "anneal/Analysis/Passes.h"
#include "anneal/Analysis/ProfileFile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <cmath>

#define DEBUG_TYPE "jit-annotate-profile"

namespace anneal {
#define GEN_PASS_DEF_ANNOTATEPROFILE
#include "anneal/Analysis/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

using EmitError = function_ref<InFlightDiagnostic()>;

/// Microseconds of all calls. A report has a 0 where no call was timed: that isn't known.
std::optional<double> getMeasuredUs(const ProfiledUnit &unit) {
  std::optional<double> us = unit.getTimeUs();
  return us && *us > 0 ? us : std::nullopt;
}

FloatAttr getF64(Builder &builder, std::optional<double> value) {
  return value ? builder.getF64FloatAttr(*value) : FloatAttr();
}

/// What the list "memory" says; nothing, and an error, where it isn't valid.
FailureOr<ArrayAttr> makeMemory(EmitError emitError, Builder &builder,
                                ArrayRef<ProfiledAccess> memory) {
  SmallVector<Attribute> accesses;
  for (auto [index, access] : llvm::enumerate(memory)) {
    auto strides =
        access.strides ? builder.getDenseI64ArrayAttr(*access.strides) : DenseI64ArrayAttr();
    auto emitHere = [&, number = index] {
      InFlightDiagnostic error = emitError();
      error << "argument #" << number << ": ";
      return error;
    };
    auto attribute =
        jit::AccessAttr::getChecked(emitHere, builder.getContext(),
                                    getF64(builder, access.contiguity), access.alignment, strides);
    if (!attribute)
      return failure();
    accesses.push_back(attribute);
  }
  return builder.getArrayAttr(accesses);
}

/// The attribute for an entry of a profile: null where it says nothing.
FailureOr<jit::ProfileAttr> makeProfile(EmitError emitError, Builder &builder,
                                        const ProfiledUnit &unit) {
  std::optional<double> us = getMeasuredUs(unit);
  if (us && !std::isfinite(*us))
    return emitError() << "'calls' times 'us_per_call' is more than a number can hold";
  ArrayAttr shapes, memory;
  DenseI64ArrayAttr counts;
  if (unit.shapes) {
    SmallVector<jit::ProfileAttr::CountedShape> counted;
    for (const ProfiledShape &shape : *unit.shapes) {
      SmallVector<Attribute> sizes;
      for (const std::vector<int64_t> &argument : shape.sizes)
        sizes.push_back(builder.getDenseI64ArrayAttr(argument));
      counted.emplace_back(builder.getArrayAttr(sizes), shape.count);
    }
    jit::ProfileAttr::sortShapes(counted);
    shapes = builder.getArrayAttr(llvm::to_vector(llvm::make_first_range(counted)));
    counts = builder.getDenseI64ArrayAttr(llvm::to_vector(llvm::make_second_range(counted)));
  }
  if (unit.memory) {
    FailureOr<ArrayAttr> made = makeMemory(emitError, builder, *unit.memory);
    if (failed(made))
      return failure();
    memory = *made;
  }
  auto branches =
      unit.branches ? builder.getDenseF64ArrayAttr(*unit.branches) : DenseF64ArrayAttr();
  if (!unit.calls && !us && !unit.bytes && !unit.flops && !shapes && !branches && !memory)
    return jit::ProfileAttr();
  auto profile =
      jit::ProfileAttr::getChecked(emitError, builder.getContext(), unit.calls, getF64(builder, us),
                                   unit.bytes, unit.flops, shapes, counts, branches, memory);
  if (!profile)
    return failure();
  return profile;
}

/// That the profile has a share for each `scf.if`. The attribute's verifier can't ask for this:
/// passes may take a branch away.
LogicalResult checkBranches(EmitError emitError, FunctionOpInterface function,
                            const ProfiledUnit &unit) {
  size_t numBranches = 0;
  function->walk([&](scf::IfOp) { ++numBranches; });
  if (unit.branches && unit.branches->size() != numBranches)
    return emitError() << "'branches' has " << unit.branches->size()
                       << " shares, but the number of 'scf.if' here is " << numBranches;
  return success();
}

/// The part of it that is a hotness; null where there is none.
jit::HotnessAttr makeHotness(MLIRContext *context, const ProfiledUnit &unit) {
  std::optional<double> us = getMeasuredUs(unit);
  if (!unit.calls && !us && !unit.bytes && !unit.flops && !unit.score)
    return {};
  return jit::HotnessAttr::get(context, unit.calls, us, unit.bytes, unit.flops, unit.score);
}

class AnnotateProfile : public impl::AnnotateProfileBase<AnnotateProfile> {
public:
  using AnnotateProfileBase::AnnotateProfileBase;

  void runOnOperation() override {
    if (profile.empty()) {
      emitError(getOperation().getLoc()) << DEBUG_TYPE << ": option 'profile' names no file";
      return signalPassFailure();
    }
    llvm::Expected<ProfiledUnits> units = readProfileFile(profile);
    if (!units) {
      emitError(getOperation().getLoc()) << llvm::toString(units.takeError());
      return signalPassFailure();
    }
    unsigned numFunctions = 0, numAnnotated = 0;
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      ++numFunctions;
      auto entry = units->find(function.getName());
      if (entry == units->end())
        continue;
      if (failed(annotate(function, entry->second)))
        return signalPassFailure();
      ++numAnnotated;
    }
    warnOfUnknownUnits(getOperation(), profile, *units);
    remark::analysis(getOperation().getLoc(),
                     remark::RemarkOpts::name("Annotated").category(DEBUG_TYPE))
        << remark::reason("{0} of {1} functions and units are in the profile, which has {2}",
                          numAnnotated, numFunctions, units->size());
  }

private:
  LogicalResult annotate(FunctionOpInterface function, const ProfiledUnit &unit) {
    auto emitError = [&] {
      InFlightDiagnostic error = mlir::emitError(function.getLoc());
      error << profile << ": unit '" << function.getName() << "': ";
      return error;
    };
    Builder builder(&getContext());
    FailureOr<jit::ProfileAttr> attribute = makeProfile(emitError, builder, unit);
    if (failed(attribute) || failed(checkBranches(emitError, function, unit)) ||
        (*attribute && failed(attribute->verifyFits(emitError, function.getArgumentTypes()))))
      return failure();
    if (*attribute)
      function->setAttr(jit::JitDialect::kProfileAttrName, *attribute);
    else
      function->removeAttr(jit::JitDialect::kProfileAttrName);
    setHotnessAttr(function, makeHotness(&getContext(), unit));
    return success();
  }
};

} // namespace
} // namespace anneal
