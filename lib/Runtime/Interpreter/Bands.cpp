//===- Bands.cpp - Units run part by part ---------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bands.h"

#include "Kernel.h"

#include <algorithm>
#include <array>
#include <atomic>

namespace anneal::runtime::interpreter {
namespace {

/// What a core's own cache holds beside the operands, in bytes.
constexpr int64_t kNearCache = 512 * 1024;
/// A band below this would cost more to start than it saves.
constexpr int64_t kSmallestBand = 16 * 1024;
/// Temporaries of a group of rows: what the kernels read and write beside them is about as much.
constexpr int64_t kGroupOfRows = 96 * 1024;
/// Narrower steps from band to band share cache lines.
constexpr int64_t kCacheLine = 64;
constexpr size_t kMaxParameters = 24;

/// Follows one loop of the first kernel through all others.
class LoopTracer {
public:
  LoopTracer(const UnitFactsImpl &facts, const std::vector<BoundTensor> &tensors)
      : facts(facts), unit(facts.unit()), tensors(tensors) {}

  absl::optional<BandLoop> trace(uint32_t firstLoop) {
    loop.dimOf.assign(tensors.size(), -1);
    loop.stepBytes.assign(tensors.size(), 0);
    loopOf.assign(unit.kernels.size(), -1);
    loopOf[0] = static_cast<int32_t>(firstLoop);
    // Each round but the last finds a kernel's loop or a tensor's dimension.
    for (changed = true; changed && ok;) {
      changed = false;
      for (size_t k = 0; k < unit.kernels.size() && ok; ++k)
        visit(k);
    }
    ok &= std::find(loopOf.begin(), loopOf.end(), -1) == loopOf.end();
    for (size_t k = 0; k < unit.kernels.size() && ok; ++k)
      check(k);
    return ok && haveEqualSizes() ? absl::optional<BandLoop>(loop) : absl::nullopt;
  }

private:
  /// Hands the loop from the kernel to its tensors, or the other way round.
  void visit(size_t k) {
    for (size_t o = 0; o < unit.kernels[k].operands.size(); ++o) {
      int32_t &dim = loop.dimOf[unit.kernels[k].operands[o].tensor];
      const auto &plain = facts.plain(k).plainDims[o];
      if (loopOf[k] >= 0) {
        auto found = std::find(plain.begin(), plain.end(), loopOf[k]);
        if (found != plain.end())
          set(dim, static_cast<int32_t>(found - plain.begin()));
      } else if (dim >= 0) {
        if (plain[static_cast<size_t>(dim)] >= 0)
          set(loopOf[k], plain[static_cast<size_t>(dim)]);
        else
          ok = false;
      }
    }
  }

  void set(int32_t &place, int32_t value) {
    ok &= place < 0 || place == value;
    changed |= place < 0;
    place = value;
  }

  /// Whether the kernel does at one point of the loop only what belongs to that point.
  void check(size_t k) {
    const plan::Kernel &kernel = unit.kernels[k];
    auto mine = static_cast<size_t>(loopOf[k]);
    ok &= kernel.kind == plan::KernelKind::Structured &&
          kernel.iterators[mine] == plan::IterKind::Parallel;
    for (const plan::Instr &instr : kernel.body.instrs)
      ok &= instr.op != plan::Opcode::IterIndex || instr.imm != mine;
    for (uint32_t tensor : kernel.gathers)
      ok &= loop.dimOf[tensor] < 0;
    for (size_t o = 0; o < kernel.operands.size() && ok; ++o) {
      const plan::Operand &operand = kernel.operands[o];
      int32_t dim = loop.dimOf[operand.tensor];
      bool isOutput = o >= kernel.numInputs;
      ok &= dim >= 0 || !(isOutput || facts.plain(k).contraction);
      for (size_t d = 0; d < operand.indices.size(); ++d) {
        bool isMine = facts.plain(k).plainDims[o][d] == loopOf[k];
        ok &= isMine == (static_cast<int32_t>(d) == dim);
        ok &= isMine || !reads(operand.indices[d], mine);
      }
    }
  }

  static bool reads(const plan::IndexExpr &index, size_t dim) {
    if (index.isLinear())
      return index.coefficients[dim] != 0;
    return std::any_of(index.postfix.begin(), index.postfix.end(), [&](const auto &token) {
      return token.kind == plan::IndexExpr::Token::Kind::Dim &&
             token.value == static_cast<int64_t>(dim);
    });
  }

  bool haveEqualSizes() {
    loop.count = -1;
    for (size_t t = 0; t < tensors.size(); ++t) {
      if (loop.dimOf[t] < 0)
        continue;
      auto dim = static_cast<size_t>(loop.dimOf[t]);
      if (loop.count < 0)
        loop.count = tensors[t].sizes[dim];
      int64_t &step = loop.stepBytes[t];
      step = tensors[t].strides[dim] * static_cast<int64_t>(tensors[t].elementSize());
      bool isFar = tensors[t].isTemporary || loop.count == 1 || std::abs(step) >= kCacheLine;
      if (tensors[t].sizes[dim] != loop.count || tensors[t].isConstant || !isFar || dim >= 64)
        return false;
    }
    return loop.count > 0;
  }

  const UnitFactsImpl &facts;
  const plan::Unit &unit;
  const std::vector<BoundTensor> &tensors;
  BandLoop loop;
  /// Of each kernel.
  std::vector<int32_t> loopOf;
  bool changed = false;
  bool ok = true;
};

size_t numContractions(const UnitFactsImpl &facts) {
  size_t found = 0;
  for (size_t k = 0; k < facts.unit().kernels.size(); ++k)
    found += facts.plain(k).contraction.has_value();
  return found;
}

int64_t bytesOfTemporaries(const std::vector<BoundTensor> &tensors) {
  int64_t bytes = 0;
  for (const BoundTensor &tensor : tensors)
    if (tensor.isTemporary &&
        __builtin_add_overflow(
            bytes, tensor.numElements() * static_cast<int64_t>(tensor.elementSize()), &bytes))
      return INT64_MAX;
  return bytes;
}

/// Takes the loops of `plan` one after the other, the outermost first, until a band is small
/// enough; of rows without contractions, a group of them in one band.
void chooseLoops(const UnitFactsImpl &facts, const std::vector<BoundTensor> &tensors, bool isOfRows,
                 BandPlan &plan) {
  int64_t bytes = bytesOfTemporaries(tensors);
  const int64_t enough = isOfRows ? kGroupOfRows : kNearCache;
  if (bytes <= kNearCache)
    return;
  size_t numLoops = facts.unit().kernels.front().iterators.size();
  for (uint32_t l = 0; l < numLoops && bytes > enough; ++l) {
    absl::optional<BandLoop> loop = LoopTracer(facts, tensors).trace(l);
    if (!loop || loop->count < 2)
      continue;
    int64_t ofOne = std::max<int64_t>(bytes / loop->count, 1);
    if (ofOne < kSmallestBand && !isOfRows)
      continue;
    if (isOfRows)
      loop->group = std::clamp<int64_t>(enough / ofOne, 1, loop->count);
    bytes = ofOne * loop->group;
    plan.loops.push_back(*std::move(loop));
    if (plan.groupSize() > 1)
      return;
  }
}

int64_t numGroups(const BandLoop &loop) { return (loop.count + loop.group - 1) / loop.group; }

class BandedForm final : public UnitForm {
public:
  BandedForm(BandForms bands, const BandPlan &plan, const UnitBinding &binding)
      : forms(std::move(bands)), loops(plan.loops), numBands(plan.numBands()),
        numParameters(binding.tensors.size()) {
    size_t most = forms.whole->workspaceBytes();
    scratch = forms.whole->scratchBytesPerWorker();
    if (forms.rest) {
      most = std::max(most, forms.rest->workspaceBytes());
      scratch = std::max(scratch, forms.rest->scratchBytesPerWorker());
    }
    bandWorkspace = alignUp(most);
    workspace = bandWorkspace * binding.numThreads;
  }

  size_t numDerived() const override { return forms.whole->numDerived(); }
  absl::Status pack(const UnitBinding &binding, absl::Span<const void *> derived) const override {
    return forms.whole->pack(binding, derived);
  }

  int32_t run(const AnnealUnitFrame *frame, const void *const *derived,
              absl::Span<const AnnealBoxFn> bodies) const override {
    Run run{*this, frame, derived, bodies};
    // Always in chunks, so that loops inside know that they are inside of one.
    int64_t chunk = std::max<int64_t>(1, numBands / kMostChunks);
    frame->callbacks->parallelFor(frame, numBands, chunk, Run::runChunk, &run);
    return run.status.load(std::memory_order_relaxed);
  }

private:
  static constexpr int64_t kMostChunks = 64;

  struct Run {
    const BandedForm &form;
    const AnnealUnitFrame *frame;
    const void *const *derived;
    absl::Span<const AnnealBoxFn> bodies;
    std::atomic<int32_t> status{ANNEAL_OK};

    static void runChunk(void *state, int64_t begin, int64_t end, uint32_t worker) {
      auto &self = *static_cast<Run *>(state);
      for (int64_t index = begin; index < end; ++index) {
        if (self.status.load(std::memory_order_relaxed) != ANNEAL_OK)
          return;
        if (int32_t failed = self.form.runBand(self, index, worker); failed != ANNEAL_OK)
          self.status.store(failed, std::memory_order_relaxed);
      }
    }
  };

  int32_t runBand(const Run &run, int64_t index, uint32_t worker) const {
    std::array<AnnealView, kMaxParameters> views;
    std::copy_n(run.frame->views, numParameters, views.begin());
    bool isRest = false;
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
      int64_t count = numGroups(*loop);
      int64_t at = index % count * loop->group;
      index /= count;
      isRest |= at + loop->group > loop->count;
      for (size_t t = 0; t < numParameters; ++t)
        views[t].data = static_cast<char *>(views[t].data) + at * loop->stepBytes[t];
    }
    AnnealUnitFrame part = *run.frame;
    part.views = views.data();
    part.workspace = static_cast<char *>(part.workspace) + worker * bandWorkspace;
    part.scratch = static_cast<char *>(part.scratch) + worker * part.scratchPerWorker;
    part.numWorkers = 1;
    return (isRest ? forms.rest : forms.whole)->run(&part, run.derived, run.bodies);
  }

  BandForms forms;
  std::vector<BandLoop> loops;
  int64_t numBands;
  size_t numParameters;
  size_t bandWorkspace = 0;
};

} // namespace

int64_t BandPlan::numBands() const {
  int64_t count = 1;
  for (const BandLoop &loop : loops)
    count *= numGroups(loop);
  return count;
}

absl::optional<BandPlan> planBands(const UnitFactsImpl &facts, const UnitBinding &binding) {
  size_t contractions = numContractions(facts);
  if (!binding.parts.empty() || binding.tensors.size() > kMaxParameters || contractions == 1 ||
      facts.unit().kernels.size() < 2)
    return absl::nullopt;
  absl::StatusOr<std::vector<BoundTensor>> tensors = bindTensors(facts.unit(), binding);
  if (!tensors.ok())
    return absl::nullopt;
  BandPlan plan;
  chooseLoops(facts, *tensors, contractions == 0, plan);
  if (plan.loops.empty())
    return absl::nullopt;
  plan.parts.resize(tensors->size());
  for (const BandLoop &loop : plan.loops)
    for (size_t t = 0; t < tensors->size(); ++t) {
      if (loop.group > 1)
        plan.parts[t].grouped = loop.dimOf[t];
      else if (loop.dimOf[t] >= 0)
        plan.parts[t].single |= uint64_t(1) << loop.dimOf[t];
    }
  return plan;
}

std::shared_ptr<const UnitForm> makeBanded(BandForms forms, const BandPlan &plan,
                                           const UnitBinding &binding) {
  return std::make_shared<BandedForm>(std::move(forms), plan, binding);
}

} // namespace anneal::runtime::interpreter
