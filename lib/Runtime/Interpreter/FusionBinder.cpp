//===- FusionBinder.cpp - Binding a contraction with its neighbours -------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All parts get one nest: the loops of the result's dimensions, in their order, then the
// reductions. It carries the streams of every part, so that what is merged is merged for all.
//
//===----------------------------------------------------------------------===//

#include "FusedAnchor.h"
#include "Fusion.h"

#include <algorithm>

using namespace anneal;
using plan::Kernel;
using plan::Opcode;
using plan::Reg;

namespace anneal::runtime::interpreter {

namespace {

/// One of the kernels while it is bound.
struct FusedPart {
  FusedPart(const KernelFacts &facts, IterSpace iterSpace, const BindContext &context, Isa isa)
      : space(std::move(iterSpace)), binding(facts, space, context, isa) {}

  IterSpace space;
  KernelBinding binding;
  /// Its streams in the common nest.
  size_t firstStream = 0, numStreams = 0;
};

class FusionBinder {
public:
  FusionBinder(const BindContext &context, const FusionPlan &fusion, Isa isa)
      : context(context), fusion(fusion), isa(isa) {}

  absl::StatusOr<KernelPtr> bind();

private:
  using PartPtr = std::unique_ptr<FusedPart>;

  absl::StatusOr<PartPtr> bindPart(uint32_t kernel);
  absl::Status bindParts();
  void buildCommonNest();
  void addPadding(int32_t pad, size_t side, std::vector<Stream> &streams);
  void orderAsResult();
  void addStreams(FusedPart &part);
  Nest nestOf(const FusedPart &part) const;
  void describe();
  bool bindInit();
  bool bindInitValue();
  bool bindBoxes(const FusedPart &part, Stream::Kind tiledKind, BoxLoop &loop) const;
  bool bindEpilogues();
  absl::StatusOr<KernelPtr> finish();

  const BindContext &context;
  const FusionPlan &fusion;
  Isa isa;
  /// Null: some part has an empty space or writes an element twice, and all must run one by one.
  PartPtr anchor, init;
  std::vector<PartPtr> epilogues;
  bool fits = true;
  ContractionNest contraction;
  ContractionProblem problem;
  /// Of A and B; the coefficients of each axis are the strides of a stream of the nest.
  OperandPadding padding[2];
  std::vector<size_t> axisStreams[2];

  std::optional<Stream> initTensor;
  int64_t initScalar = -1;
  std::optional<BoxLoop> initLoop;
  std::vector<BoxLoop> epilogueLoops;
};

absl::StatusOr<KernelPtr> FusionBinder::bind() {
  if (fusion.epilogues.size() > FusedAnchor::kMostEpilogues)
    return KernelPtr();
  if (absl::Status status = bindParts(); !status.ok())
    return status;
  if (!fits)
    return KernelPtr();
  buildCommonNest();
  orderAsResult();
  if (init)
    addStreams(*init);
  for (const PartPtr &part : epilogues)
    addStreams(*part);
  simplifyLoops(contraction);
  describe();
  if (!bindInit() || !bindEpilogues())
    return KernelPtr();
  return finish();
}

absl::StatusOr<FusionBinder::PartPtr> FusionBinder::bindPart(uint32_t k) {
  const KernelFacts &facts = context.facts.plain(k);
  absl::StatusOr<IterSpace> space = bindSpace(facts, context);
  if (!space.ok())
    return space.status();
  bool isEmpty = space->isEmpty();
  auto part = std::make_unique<FusedPart>(facts, *std::move(space), context, isa);
  fits &= !isEmpty && hasDistinctOutputs(part->binding);
  return part;
}

absl::Status FusionBinder::bindParts() {
  absl::StatusOr<PartPtr> part = bindPart(fusion.anchor);
  if (!part.ok())
    return part.status();
  anchor = *std::move(part);
  if (fusion.init >= 0) {
    part = bindPart(static_cast<uint32_t>(fusion.init));
    if (!part.ok())
      return part.status();
    init = *std::move(part);
  }
  for (uint32_t k : fusion.epilogues) {
    part = bindPart(k);
    if (!part.ok())
      return part.status();
    epilogues.push_back(*std::move(part));
  }
  return absl::OkStatus();
}

void FusionBinder::buildCommonNest() {
  std::vector<Stream> streams = contractionStreams(anchor->binding, fusion.body);
  addPadding(fusion.padX, 0, streams);
  addPadding(fusion.padY, 1, streams);
  contraction = buildContractionNest(anchor->binding, fusion.body, streams);
}

/// Operand A (side 0) or B (1) reads the pad's input; its padded axes become streams of
/// coefficients.
void FusionBinder::addPadding(int32_t k, size_t side, std::vector<Stream> &streams) {
  if (k < 0)
    return;
  const Kernel &pad = context.unit.kernels[static_cast<size_t>(k)];
  const BoundTensor &input = context.tensors[pad.operands[0].tensor];
  const BoundTensor &padded = context.tensors[pad.operands[1].tensor];
  const plan::Operand &operand = anchor->binding.kernel.operands[streams[side].index];
  padding[side].valueBits = pad.body.instrs[0].imm;
  size_t numDims = anchor->space.sizes.size();
  Stream stream = streams[side];
  stream.place = placeOf(context, pad.operands[0].tensor);
  stream.offset = 0;
  stream.strides.assign(numDims, 0);
  for (size_t j = 0; j < operand.indices.size(); ++j) {
    const plan::IndexExpr &index = operand.indices[j];
    for (size_t d = 0; d < numDims; ++d)
      stream.strides[d] += index.coefficients[d] * input.strides[j];
    int64_t low = evaluateSize(pad.padLow[j], context.tensors, context.binding);
    if (low == 0 && padded.sizes[j] == input.sizes[j]) {
      stream.offset += index.constant * input.strides[j];
      continue;
    }
    padding[side].axes.push_back({input.sizes[j], low - index.constant, input.strides[j], {}});
    axisStreams[side].push_back(streams.size());
    Stream axis;
    axis.kind = Stream::Kind::Position;
    axis.strides.assign(index.coefficients.begin(), index.coefficients.end());
    streams.push_back(std::move(axis));
  }
  streams[side] = std::move(stream);
}

/// Brings the parallel loops into the order of the result's dimensions.
void FusionBinder::orderAsResult() {
  const Kernel &kernel = anchor->binding.kernel;
  const plan::Operand &result = kernel.operands[kernel.numInputs];
  std::vector<int> loops;
  for (size_t d = 0; d < kernel.iterators.size(); ++d)
    if (kernel.iterators[d] == plan::IterKind::Parallel)
      loops.push_back(static_cast<int>(d));
  for (size_t d = 0; d < result.indices.size(); ++d) {
    int dim = plainDimension(result.indices[d]);
    auto place = loops.begin() + static_cast<ptrdiff_t>(d);
    if (dim < 0) {
      // A dimension of size 1 at index 0.
      contraction.nest.insertUnitLoop(d);
      loops.insert(place, dim);
      continue;
    }
    auto at = std::find(loops.begin(), loops.end(), dim);
    contraction.nest.moveLoop(static_cast<size_t>(at - loops.begin()), d);
    std::rotate(place, at, at + 1);
  }
  contraction.numParallel = result.indices.size();
}

/// Adds the streams of an element-wise part: they stand still along the reductions.
void FusionBinder::addStreams(FusedPart &part) {
  Nest own = buildNest(part.binding, part.binding.kernel.body.yields, true);
  part.firstStream = contraction.nest.streams.size();
  part.numStreams = own.streams.size();
  for (Stream &stream : own.streams) {
    stream.strides.resize(contraction.nest.sizes.size(), 0);
    contraction.nest.streams.push_back(std::move(stream));
  }
}

Nest FusionBinder::nestOf(const FusedPart &part) const {
  Nest nest;
  const Nest &common = contraction.nest;
  auto end = common.sizes.begin() + static_cast<ptrdiff_t>(contraction.numParallel);
  nest.sizes.assign(common.sizes.begin(), end);
  for (size_t s = 0; s < part.numStreams; ++s) {
    nest.streams.push_back(common.streams[part.firstStream + s]);
    nest.streams.back().strides.resize(contraction.numParallel);
  }
  return nest;
}

void FusionBinder::describe() {
  problem = describeProblem(anchor->binding, contraction);
  for (size_t side : {0, 1}) {
    if (padding[side].axes.empty())
      continue;
    for (size_t k = 0; k < axisStreams[side].size(); ++k) {
      const StrideVec &strides = contraction.nest.streams[axisStreams[side][k]].strides;
      padding[side].axes[k].coefficients.assign(strides.begin(), strides.end());
    }
    (side == 0 ? problem.paddingA : problem.paddingB) = padding[side];
    (side == 0 ? problem.constantA : problem.constantB) = false;
  }
  problem.tileBuffer = fusion.elidesResult;
}

/// Initial values that are one constant, one scalar or the elements of a tensor need no code.
bool FusionBinder::bindInitValue() {
  const plan::Body &body = init->binding.kernel.body;
  for (const plan::Instr &instr : body.instrs)
    if (instr.op == Opcode::Assert)
      return false;
  Reg reg = throughMoves(body, init->binding.facts.info, body.yields[0]);
  auto setStrides = [&](const Stream *stream) {
    problem.init = InitKind::Tensor;
    for (size_t d = 0; d < contraction.numParallel; ++d)
      problem.parallel[d].strideInit = stream ? stream->strides[d] : 0;
  };
  if (reg < body.numOperands) {
    initTensor = contraction.nest.streams[init->firstStream];
    setStrides(&*initTensor);
    return true;
  }
  if (init->binding.facts.info.def[reg] < 0) {
    initScalar = body.captured[reg - body.numOperands];
    setStrides(nullptr);
    return true;
  }
  const plan::Instr &instr = body.instrs[init->binding.facts.info.def[reg]];
  problem.init = InitKind::Value;
  problem.initBits = instr.imm;
  return instr.op == Opcode::Const;
}

bool FusionBinder::bindInit() {
  if (!init) {
    initTensor = contraction.nest.streams[2];
    return true;
  }
  if (bindInitValue())
    return true;
  problem.init = InitKind::Hook;
  initLoop.emplace();
  return bindBoxes(*init, Stream::Kind::Write, *initLoop);
}

/// Binds a part to tiles: its streams of `tiledKind` that are the result stand in the tile.
bool FusionBinder::bindBoxes(const FusedPart &part, Stream::Kind tiledKind, BoxLoop &loop) const {
  Nest nest = nestOf(part);
  uint32_t result = anchor->binding.kernel.operands[anchor->binding.kernel.numInputs].tensor;
  absl::InlinedVector<size_t, 4> tiled;
  for (size_t s = 0; s < nest.streams.size(); ++s)
    if (nest.streams[s].kind == tiledKind &&
        part.binding.kernel.operands[nest.streams[s].index].tensor == result)
      tiled.push_back(s);
  return loop.bind({part.binding, nest, tiled});
}

bool FusionBinder::bindEpilogues() {
  epilogueLoops.resize(epilogues.size());
  for (size_t k = 0; k < epilogues.size(); ++k)
    if (!bindBoxes(*epilogues[k], Stream::Kind::Read, epilogueLoops[k]))
      return false;
  return true;
}

absl::StatusOr<KernelPtr> FusionBinder::finish() {
  problem.numThreads = context.binding.numThreads;
  absl::StatusOr<ContractionPlan> made = ContractionPlan::create(problem, isa);
  if (!made.ok())
    return KernelPtr();
  auto plan = std::make_shared<const ContractionPlan>(*std::move(made));
  PackedOperands packed = requestPacked(anchor->binding, contraction, plan);
  int64_t numOutputs = 1;
  for (size_t d = 0; d < contraction.numParallel; ++d)
    numOutputs *= contraction.nest.sizes[d];
  double perOutput = initLoop ? initLoop->costPerPoint() : 0;
  for (const BoxLoop &loop : epilogueLoops)
    perOutput += loop.costPerPoint();
  Grain grain = tileGrain(*plan, numOutputs, perOutput, context.binding.numThreads);
  const absl::InlinedVector<Stream, 6> &streams = contraction.nest.streams;
  return KernelPtr(std::make_unique<FusedAnchor>(FusedAnchor::Parts{
      std::move(plan), packed, streams[0], streams[1], streams[2], std::move(initTensor),
      initScalar, std::move(initLoop), std::move(epilogueLoops), fusion.elidesResult, grain}));
}

} // namespace

absl::StatusOr<KernelPtr> bindFused(const BindContext &context, const FusionPlan &plan, Isa isa) {
  return FusionBinder(context, plan, isa).bind();
}

} // namespace anneal::runtime::interpreter
