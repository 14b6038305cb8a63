//===- Contraction.cpp - Ahead-of-time contraction kernels ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Kernels/Contraction.h"

#include "PlanBase.h"

namespace anneal::runtime {

namespace contraction {

const IsaKernels &kernelsFor(Isa isa) {
  switch (isa) {
  case Isa::Avx512:
    return avx512::isaKernels();
  case Isa::Avx2:
    return avx2::isaKernels();
  case Isa::Portable:
    break;
  }
  return portable::isaKernels();
}

namespace {

/// The plan of a problem without outputs.
class EmptyPlan final : public PlanBase {
public:
  void pack(int, const void *, void *) const override {}
  void run(int64_t, int64_t, const ContractionOperands &, char *,
           const TileHooks &) const override {}
  std::string describe() const override { return "empty"; }
};

std::unique_ptr<PlanBase> makePlan(const Shape &shape) {
  if (shape.outputs == 0)
    return std::make_unique<EmptyPlan>();
  if (shape.order == ReductionOrder::Lanes16)
    return makeLanesPlan(shape);
  if (std::unique_ptr<PlanBase> plan = makeBatchPlan(shape))
    return plan;
  if (std::unique_ptr<PlanBase> plan = makeWindowPlan(shape))
    return plan;
  return makeGemmPlan(shape);
}

} // namespace
} // namespace contraction

absl::StatusOr<ContractionPlan> ContractionPlan::create(const ContractionProblem &problem,
                                                        Isa isa) {
  absl::StatusOr<contraction::Shape> shape = contraction::normalise(problem, isa);
  if (!shape.ok())
    return shape.status();
  return ContractionPlan(contraction::makePlan(*shape));
}

ContractionPlan::ContractionPlan(std::unique_ptr<const contraction::PlanBase> plan)
    : impl(std::move(plan)) {}
ContractionPlan::ContractionPlan(ContractionPlan &&) noexcept = default;
ContractionPlan &ContractionPlan::operator=(ContractionPlan &&) noexcept = default;
ContractionPlan::~ContractionPlan() = default;

int64_t ContractionPlan::numTiles() const { return impl->numTiles(); }

size_t ContractionPlan::scratchBytes() const { return impl->scratchBytes(); }

const ConstantPacking &ContractionPlan::packing(ContractionSide side) const {
  return impl->packing(static_cast<int>(side));
}

void ContractionPlan::pack(ContractionSide side, const void *source, void *packed) const {
  impl->pack(static_cast<int>(side), source, packed);
}

void ContractionPlan::run(int64_t begin, int64_t end, const ContractionOperands &operands,
                          void *scratch, const TileHooks &hooks) const {
  impl->run(begin, end, operands, static_cast<char *>(scratch), hooks);
}

int64_t ContractionPlan::numMultiplyAdds() const { return impl->multiplyAdds(); }

std::string ContractionPlan::describe() const { return impl->describe(); }

} // namespace anneal::runtime
