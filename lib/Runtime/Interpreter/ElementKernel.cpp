//===- ElementKernel.cpp - Kernels run point by point ---------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way that fits every structured kernel: bodies with branches, outputs reached through maps
// that are not linear or through which several points meet in one element. Outputs are updated in
// memory at each point. Points run in the order of the operation's iterators; where different
// parallel points write different elements, the parallel loops run outside and are cut for the
// workers.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "anneal/Runtime/Kernels/StripOps.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>

using namespace anneal;
using plan::IndexExpr;
using plan::Instr;
using plan::Opcode;
using plan::Reg;

namespace anneal::runtime::interpreter {

namespace {

/// floor(a / b), for b != 0.
int64_t floorDiv(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// Value of any index expression at a point; false where it divides by zero.
bool evaluateIndex(const IndexExpr &index, const int64_t *point, int64_t &value) {
  if (index.isLinear()) {
    value = index.constant;
    for (size_t d = 0; d < index.coefficients.size(); ++d)
      value += index.coefficients[d] * point[d];
    return true;
  }
  absl::InlinedVector<int64_t, 8> stack;
  using Kind = IndexExpr::Token::Kind;
  for (const IndexExpr::Token &token : index.postfix) {
    if (token.kind == Kind::Dim || token.kind == Kind::Constant) {
      stack.push_back(token.kind == Kind::Dim ? point[token.value] : token.value);
      continue;
    }
    int64_t b = stack.back();
    stack.pop_back();
    int64_t &a = stack.back();
    bool divides = token.kind != Kind::Add && token.kind != Kind::Mul;
    if (divides && b == 0)
      return false;
    switch (token.kind) {
    case Kind::Add:
      a += b;
      break;
    case Kind::Mul:
      a *= b;
      break;
    case Kind::Mod:
      a -= floorDiv(a, b) * b;
      break;
    case Kind::FloorDiv:
      a = floorDiv(a, b);
      break;
    case Kind::CeilDiv:
      a = -floorDiv(-a, b);
      break;
    default:
      break;
    }
  }
  value = stack.back();
  return true;
}

class ElementKernel final : public BoundKernel {
public:
  explicit ElementKernel(const KernelBinding &binding)
      : kernel(binding.kernel), space(binding.space), gathers(binding.gathers) {}
  bool bind(const KernelBinding &binding);
  void run(RunState &state) const override;

private:
  struct Access {
    TensorPlace place;
    int64_t elementSize;
    bool isRead;
    DimVec sizes, strides;
  };
  struct Point {
    RunState &state;
    /// Position in each iteration dimension of the kernel, in its order.
    int64_t *position;
    /// Pointer to the value of each register, and memory for those that are computed.
    void **values;
    uint64_t *storage;
  };

  void runLoop(RunState &state, int64_t begin, int64_t end, uint32_t worker) const;
  bool runPoint(const Point &point) const;
  bool advance(int64_t *position) const;
  bool pointOperands(const Point &point) const;
  bool runBody(const Point &point) const;
  bool gather(const Point &point, const Instr &instr) const;
  bool failIndex(RunState &state, int64_t index, size_t dim, int64_t size) const;

  const plan::Kernel &kernel;
  IterSpace space;
  std::vector<GatherSource> gathers;
  std::vector<Access> accesses;
  std::vector<StripFn> fns;
  /// Iteration dimensions in the order of the loops; the first `numCut` are cut for the workers.
  DimVec order;
  size_t numCut = 0;
  Grain grain;
};

bool ElementKernel::bind(const KernelBinding &binding) {
  const plan::Body &body = kernel.body;
  for (const Instr &instr : body.instrs) {
    StripFn fn = findStripOp(instr, ~0u, binding.isa);
    bool isSpecial = instr.op == Opcode::IterIndex || instr.op == Opcode::Gather ||
                     instr.op == Opcode::Assert || instr.op == Opcode::Jump ||
                     instr.op == Opcode::JumpIfFalse;
    if (!fn && !isSpecial)
      return false;
    fns.push_back(fn);
  }
  absl::InlinedVector<bool, 32> read = registersRead(body, body.yields);
  for (size_t k = 0; k < kernel.operands.size(); ++k) {
    const BoundTensor &tensor = binding.tensorOf(k);
    uint32_t index = kernel.operands[k].tensor;
    bool isRead = k >= kernel.numInputs || body.hasBranches || read[k];
    accesses.push_back({{tensor.isTemporary, tensor.isTemporary ? tensor.workspaceOffset : index},
                        static_cast<int64_t>(tensor.elementSize()),
                        isRead,
                        tensor.sizes,
                        tensor.strides});
  }
  order.resize(space.sizes.size());
  std::iota(order.begin(), order.end(), 0);
  if (hasDistinctOutputs(binding)) {
    auto isParallel = [&](int64_t d) { return kernel.iterators[d] == plan::IterKind::Parallel; };
    numCut = static_cast<size_t>(std::stable_partition(order.begin(), order.end(), isParallel) -
                                 order.begin());
  }
  int64_t count = 1;
  for (size_t d = 0; d < numCut; ++d)
    count *= space.sizes[order[d]];
  constexpr double kInstrCost = 8;
  grain = chooseGrain(count,
                      kInstrCost * static_cast<double>(body.instrs.size() + 4) *
                          static_cast<double>(space.numPoints()),
                      binding.numThreads());
  scratch = alignUp((space.sizes.size() + 2 * body.regTypes.size() + 1) * sizeof(uint64_t));
  return true;
}

void ElementKernel::run(RunState &state) const {
  runChunks(state, grain, [&](int64_t begin, int64_t end, uint32_t worker) {
    runLoop(state, begin, end, worker);
  });
}

void ElementKernel::runLoop(RunState &state, int64_t begin, int64_t end, uint32_t worker) const {
  size_t numRegs = kernel.body.regTypes.size(), numDims = order.size();
  auto *memory = reinterpret_cast<uint64_t *>(state.scratch(worker));
  Point point{state, reinterpret_cast<int64_t *>(memory),
              reinterpret_cast<void **>(memory + numDims), memory + numDims + numRegs};
  for (size_t reg = 0; reg < numRegs; ++reg)
    point.values[reg] = point.storage + reg;
  for (size_t k = 0; k < kernel.body.captured.size(); ++k)
    point.values[kernel.body.numOperands + k] =
        const_cast<uint64_t *>(state.frame->scalars + kernel.body.captured[k]);

  for (int64_t i = begin; i < end; ++i) {
    int64_t rest = i;
    std::fill_n(point.position, numDims, 0);
    for (size_t d = numCut; d-- > 0; rest /= space.sizes[order[d]])
      point.position[order[d]] = rest % space.sizes[order[d]];
    do {
      if (state.hasFailed() || !runPoint(point))
        return;
    } while (advance(point.position));
  }
}

/// Next point of the inner loops; false after the last one.
bool ElementKernel::advance(int64_t *position) const {
  for (size_t d = order.size(); d-- > numCut;) {
    if (++position[order[d]] < space.sizes[order[d]])
      return true;
    position[order[d]] = 0;
  }
  return false;
}

bool ElementKernel::runPoint(const Point &point) const {
  if (!pointOperands(point) || !runBody(point))
    return false;
  // Results may be the old values of other outputs: all are read before any is written.
  size_t numInputs = kernel.numInputs, numOutputs = kernel.numOutputs();
  absl::InlinedVector<uint64_t, 4> results(numOutputs, 0);
  for (size_t k = 0; k < numOutputs; ++k)
    std::memcpy(&results[k], point.values[kernel.body.yields[k]],
                static_cast<size_t>(accesses[numInputs + k].elementSize));
  for (size_t k = 0; k < numOutputs; ++k)
    std::memcpy(point.values[numInputs + k], &results[k],
                static_cast<size_t>(accesses[numInputs + k].elementSize));
  return true;
}

bool ElementKernel::pointOperands(const Point &point) const {
  for (size_t k = 0; k < accesses.size(); ++k) {
    const Access &access = accesses[k];
    if (!access.isRead)
      continue;
    int64_t offset = 0;
    if (space.isLinear[k]) {
      offset = space.accesses[k].offset;
      for (size_t d = 0; d < order.size(); ++d)
        offset += point.position[d] * space.accesses[k].strides[d];
    } else {
      for (size_t dim = 0; dim < access.sizes.size(); ++dim) {
        int64_t index = -1;
        if (!evaluateIndex(kernel.operands[k].indices[dim], point.position, index) || index < 0 ||
            index >= access.sizes[dim])
          return failIndex(point.state, index, dim, access.sizes[dim]);
        offset += index * access.strides[dim];
      }
    }
    point.values[k] = point.state.data(access.place) + offset * access.elementSize;
  }
  return true;
}

bool ElementKernel::failIndex(RunState &state, int64_t index, size_t dim, int64_t size) const {
  const int64_t values[] = {index, static_cast<int64_t>(dim), size};
  state.fail(ANNEAL_OUT_OF_BOUNDS, 0, kernel.location, values);
  return false;
}

bool ElementKernel::gather(const Point &point, const Instr &instr) const {
  const GatherSource &source = gathers[instr.imm];
  int64_t offset = 0;
  for (uint32_t k = 0; k < instr.numExtra; ++k) {
    int64_t index =
        *static_cast<const int64_t *>(point.values[kernel.body.extra[instr.extraBegin + k]]);
    if (index < 0 || index >= source.sizes[k])
      return failIndex(point.state, index, k, source.sizes[k]);
    offset += index * source.strides[k];
  }
  std::memcpy(point.values[instr.dst],
              point.state.data(source.place) + offset * static_cast<int64_t>(source.elementSize),
              source.elementSize);
  return true;
}

bool ElementKernel::runBody(const Point &point) const {
  const std::vector<Instr> &instrs = kernel.body.instrs;
  auto valueOf = [&](Reg reg) { return reg == plan::kNoReg ? nullptr : point.values[reg]; };
  auto isTrue = [&](Reg reg) { return *static_cast<const uint8_t *>(point.values[reg]) != 0; };
  for (size_t pc = 0; pc < instrs.size();) {
    const Instr &instr = instrs[pc];
    StripFn fn = fns[pc++];
    if (fn) {
      fn({valueOf(instr.dst), valueOf(instr.dst2), valueOf(instr.a), valueOf(instr.b),
          valueOf(instr.c), 1, instr.imm});
      continue;
    }
    switch (instr.op) {
    case Opcode::Jump:
      pc = instr.imm;
      break;
    case Opcode::JumpIfFalse:
      if (!isTrue(instr.a))
        pc = instr.imm;
      break;
    case Opcode::IterIndex:
      *static_cast<int64_t *>(point.values[instr.dst]) = point.position[instr.imm];
      break;
    case Opcode::Gather:
      if (!gather(point, instr))
        return false;
      break;
    default:
      if (isTrue(instr.a))
        break;
      point.state.fail(ANNEAL_ASSERT_FAILED, static_cast<uint32_t>(instr.imm), kernel.location);
      return false;
    }
  }
  return true;
}

} // namespace

bool hasDistinctOutputs(const KernelBinding &binding) {
  const plan::Kernel &kernel = binding.kernel;
  for (size_t k = kernel.numInputs; k < kernel.operands.size(); ++k) {
    if (!binding.space.isLinear[k])
      return false;
    // Each stride must step over all that the smaller ones reach together.
    absl::InlinedVector<std::pair<int64_t, int64_t>, 6> loops;
    for (size_t d = 0; d < kernel.iterators.size(); ++d) {
      int64_t stride = std::abs(binding.space.accesses[k].strides[d]);
      if (binding.space.sizes[d] <= 1)
        continue;
      if (kernel.iterators[d] == plan::IterKind::Parallel)
        loops.emplace_back(stride, binding.space.sizes[d]);
      else if (stride != 0)
        return false;
    }
    std::sort(loops.begin(), loops.end());
    int64_t reach = 0;
    for (auto [stride, size] : loops) {
      if (stride <= reach)
        return false;
      reach += stride * (size - 1);
    }
  }
  return true;
}

KernelPtr bindElement(const KernelBinding &binding) {
  auto kernel = std::make_unique<ElementKernel>(binding);
  return kernel->bind(binding) ? std::move(kernel) : nullptr;
}

} // namespace anneal::runtime::interpreter
