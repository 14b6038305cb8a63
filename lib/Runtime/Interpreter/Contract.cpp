//===- Contract.cpp - Contractions for the engine -------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contract.h"

#include "absl/strings/str_cat.h"

using namespace anneal;
using plan::Opcode;

namespace anneal::runtime::interpreter {

namespace {

Stream streamOf(const KernelBinding &binding, uint32_t operand) {
  Stream stream;
  stream.index = operand;
  stream.place = placeOf(binding.context, binding.kernel.operands[operand].tensor);
  stream.elementSize = binding.tensorOf(operand).elementSize();
  stream.offset = binding.space.accesses[operand].offset;
  stream.strides = binding.space.accesses[operand].strides;
  return stream;
}

} // namespace

std::pair<bool, bool> ownDimensions(const plan::Kernel &kernel, const ContractionBody &body) {
  bool hasM = false, hasN = false;
  for (size_t d = 0; d < kernel.iterators.size(); ++d) {
    if (kernel.iterators[d] != plan::IterKind::Parallel)
      continue;
    bool inX = dependsOn(kernel.operands[body.x], d), inY = dependsOn(kernel.operands[body.y], d);
    hasM |= inX && !inY;
    hasN |= inY && !inX;
  }
  return {hasM, hasN};
}

std::vector<Stream> contractionStreams(const KernelBinding &binding, const ContractionBody &body) {
  std::vector<Stream> streams;
  for (uint32_t operand : {body.x, body.y, binding.kernel.numInputs})
    streams.push_back(streamOf(binding, operand));
  streams[2].kind = Stream::Kind::Write;
  return streams;
}

ContractionNest buildContractionNest(const KernelBinding &binding, const ContractionBody &body,
                                     const std::vector<Stream> &streams) {
  const plan::Kernel &kernel = binding.kernel;
  ContractionNest contraction;
  contraction.body = body;
  contraction.order = binding.facts.order;
  contraction.nest.sizes = binding.space.sizes;
  contraction.nest.streams.assign(streams.begin(), streams.end());
  for (size_t d = 0; d < kernel.iterators.size(); ++d)
    if (kernel.iterators[d] == plan::IterKind::Parallel)
      contraction.nest.moveLoop(d, contraction.numParallel++);
  return contraction;
}

void simplifyLoops(ContractionNest &contraction) {
  Nest &nest = contraction.nest;
  nest.dropUnits(contraction.numParallel, nest.sizes.size());
  nest.merge(contraction.numParallel, nest.sizes.size());
  contraction.numParallel = nest.dropUnits(0, contraction.numParallel);
  contraction.numParallel = nest.merge(0, contraction.numParallel);
}

ContractionProblem describeProblem(const KernelBinding &binding,
                                   const ContractionNest &contraction) {
  const Nest &nest = contraction.nest;
  auto isUnsigned = [](Opcode op) { return op == Opcode::ExtUI || op == Opcode::UIToFP; };
  ContractionProblem problem;
  problem.a = binding.tensorOf(contraction.body.x).dtype;
  problem.b = binding.tensorOf(contraction.body.y).dtype;
  problem.c = contraction.body.type;
  problem.unsignedA = isUnsigned(contraction.body.convertX);
  problem.unsignedB = isUnsigned(contraction.body.convertY);
  problem.order = contraction.order;
  for (size_t d = 0; d < nest.sizes.size(); ++d) {
    ContractionDim dim;
    dim.size = nest.sizes[d];
    dim.strideA = nest.streams[0].strides[d];
    dim.strideB = nest.streams[1].strides[d];
    dim.strideC = dim.strideInit = nest.streams[2].strides[d];
    (d < contraction.numParallel ? problem.parallel : problem.reduction).push_back(dim);
  }
  bool canPack = binding.context.binding.derived != nullptr;
  auto isConstant = [&](uint32_t operand) {
    return canPack && binding.tensorOf(operand).isConstant;
  };
  problem.constantA = isConstant(contraction.body.x);
  problem.constantB = isConstant(contraction.body.y);
  problem.init = InitKind::Tensor;
  return problem;
}

PackedOperands requestPacked(const KernelBinding &binding, const ContractionNest &contraction,
                             const std::shared_ptr<const ContractionPlan> &plan) {
  PackedOperands packed;
  for (ContractionSide side : {ContractionSide::A, ContractionSide::B}) {
    const ConstantPacking &packing = plan->packing(side);
    if (!packing.wanted)
      continue;
    const Stream &stream = contraction.nest.streams[side == ContractionSide::A ? 0 : 1];
    std::vector<DerivedRequest> &requests = binding.context.derived;
    (side == ContractionSide::A ? packed.a : packed.b) = static_cast<int32_t>(requests.size());
    DerivedRequest request;
    request.tensor = binding.kernel.operands[stream.index].tensor;
    request.offset = stream.offset * static_cast<int64_t>(stream.elementSize);
    request.layout = absl::StrCat(packing.layout, "@", stream.offset);
    request.bytes = packing.bytes;
    request.fill = [plan, side](const void *source, void *memory) {
      plan->pack(side, source, memory);
    };
    requests.push_back(std::move(request));
  }
  return packed;
}

Grain tileGrain(const ContractionPlan &plan, int64_t numOutputs, double perOutput,
                unsigned numThreads) {
  constexpr double kPerMultiplyAdd = 0.03, kPerOutput = 0.2;
  double nanoseconds = kPerMultiplyAdd * static_cast<double>(plan.numMultiplyAdds()) +
                       (kPerOutput + perOutput) * static_cast<double>(numOutputs);
  return chooseGrain(plan.numTiles(), nanoseconds, numThreads);
}

namespace {

class ContractionKernel final : public BoundKernel {
public:
  ContractionKernel(std::shared_ptr<const ContractionPlan> plan, const Nest &nest,
                    PackedOperands packed, Grain grain)
      : plan(std::move(plan)), a(nest.streams[0]), b(nest.streams[1]), c(nest.streams[2]),
        packed(packed), grain(grain) {
    scratch = this->plan->scratchBytes();
  }

  void run(RunState &state) const override {
    ContractionOperands operands;
    operands.a = firstElement(state, a);
    operands.b = firstElement(state, b);
    packed.setOperands(state, operands);
    operands.c = firstElement(state, c);
    operands.init = operands.c;
    runChunks(state, grain, [&](int64_t begin, int64_t end, uint32_t worker) {
      plan->run(begin, end, operands, state.scratch(worker));
    });
  }

private:
  std::shared_ptr<const ContractionPlan> plan;
  Stream a, b, c;
  PackedOperands packed;
  Grain grain;
};

} // namespace

absl::StatusOr<KernelPtr> bindContraction(const KernelBinding &binding) {
  const KernelFacts &facts = binding.facts;
  if (!facts.contraction || (!facts.hasM && !facts.hasN && !facts.isWindowed))
    return KernelPtr();
  const ContractionBody &body = *facts.contraction;
  ContractionNest contraction =
      buildContractionNest(binding, body, contractionStreams(binding, body));
  simplifyLoops(contraction);
  ContractionProblem problem = describeProblem(binding, contraction);
  problem.numThreads = binding.numThreads();
  absl::StatusOr<ContractionPlan> made = ContractionPlan::create(problem, binding.isa);
  if (!made.ok()) {
    if (absl::IsUnimplemented(made.status()) && plan::isInteger(body.type))
      return KernelPtr();
    return absl::Status(made.status().code(),
                        absl::StrCat(binding.kernel.opName, ": ", made.status().message()));
  }
  auto plan = std::make_shared<const ContractionPlan>(*std::move(made));
  PackedOperands packed = requestPacked(binding, contraction, plan);
  int64_t numOutputs = 1;
  for (size_t d = 0; d < contraction.numParallel; ++d)
    numOutputs *= contraction.nest.sizes[d];
  Grain grain = tileGrain(*plan, numOutputs, 0, binding.numThreads());
  return KernelPtr(
      std::make_unique<ContractionKernel>(std::move(plan), contraction.nest, packed, grain));
}

} // namespace anneal::runtime::interpreter
