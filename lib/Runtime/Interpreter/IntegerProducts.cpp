//===- IntegerProducts.cpp - Contractions of computed integers ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerProducts.h"

#include "Contract.h"

#include <algorithm>

using namespace anneal;
using plan::Instr;
using plan::Kernel;
using plan::Opcode;
using plan::Reg;

namespace anneal::runtime::interpreter {

namespace {

/// Kernels that run one after the other.
class KernelList final : public BoundKernel {
public:
  void add(KernelPtr kernel) {
    scratch = std::max(scratch, kernel->scratchBytes());
    kernels.push_back(std::move(kernel));
  }
  void run(RunState &state) const override {
    for (const KernelPtr &kernel : kernels)
      if (!state.hasFailed())
        kernel->run(state);
  }

private:
  std::vector<KernelPtr> kernels;
};

/// One factor of the product: the instructions that make it, and the operands that they read.
struct Factor {
  Reg value = plan::kNoReg;
  /// The one operand with dimensions, and those without.
  int32_t operand = -1;
  std::vector<uint32_t> operands;
  std::vector<uint32_t> instrs;
};

class Splitter {
public:
  explicit Splitter(const KernelBinding &binding)
      : binding(binding), kernel(binding.kernel), body(binding.kernel.body) {}

  bool match();
  bool pays() const;
  Kernel computation(const Factor &factor, uint32_t target) const;
  Kernel contraction(uint32_t left, uint32_t right) const;

  Factor left, right;
  plan::DType type = plan::DType::I32;

private:
  bool collect(Factor &factor);

  const KernelBinding &binding;
  const Kernel &kernel;
  const plan::Body &body;
};

bool Splitter::match() {
  if (binding.facts.combiners.size() != 1)
    return false;
  const Combiner &sum = binding.facts.combiners[0];
  if (sum.op != Opcode::AddI || binding.facts.info.def[sum.value] < 0 ||
      binding.facts.info.uses[sum.value] != 1)
    return false;
  const Instr &product = body.instrs[binding.facts.info.def[sum.value]];
  if (product.op != Opcode::MulI)
    return false;
  for (const Instr &instr : body.instrs)
    if (instr.op == Opcode::Assert)
      return false;
  type = sum.type;
  left.value = throughMoves(body, binding.facts.info, product.a);
  right.value = throughMoves(body, binding.facts.info, product.b);
  return collect(left) && collect(right) && left.operand != right.operand;
}

/// Finds what a factor is made of. False unless it depends on one operand with dimensions, and
/// otherwise on scalars.
bool Splitter::collect(Factor &factor) {
  absl::InlinedVector<bool, 32> needed(body.regTypes.size(), false);
  needed[factor.value] = true;
  for (size_t i = body.instrs.size(); i-- > 0;) {
    const Instr &instr = body.instrs[i];
    bool makes = (instr.dst != plan::kNoReg && needed[instr.dst]) ||
                 (instr.dst2 != plan::kNoReg && needed[instr.dst2]);
    if (!makes)
      continue;
    if (instr.op == Opcode::IterIndex || instr.op == Opcode::Gather)
      return false;
    factor.instrs.push_back(static_cast<uint32_t>(i));
    const Reg sources[] = {instr.a, instr.b, instr.c};
    for (unsigned k = 0; k < plan::numSources(instr.op); ++k)
      needed[sources[k]] = true;
  }
  std::reverse(factor.instrs.begin(), factor.instrs.end());
  for (uint32_t k = 0; k < body.numOperands; ++k) {
    if (!needed[k])
      continue;
    bool isScalar = kernel.operands[k].indices.empty();
    if (k >= kernel.numInputs || (!isScalar && factor.operand >= 0))
      return false;
    if (!isScalar)
      factor.operand = static_cast<int32_t>(k);
    factor.operands.push_back(k);
  }
  return factor.operand >= 0;
}

/// Each element of a factor is used several times.
bool Splitter::pays() const {
  constexpr int64_t kUses = 4;
  int64_t elements = binding.tensorOf(static_cast<size_t>(left.operand)).numElements() +
                     binding.tensorOf(static_cast<size_t>(right.operand)).numElements();
  return binding.space.numPoints() / kUses >= elements;
}

/// The element-wise kernel that writes a factor to tensor `target`.
Kernel Splitter::computation(const Factor &factor, uint32_t target) const {
  size_t rank = kernel.operands[static_cast<size_t>(factor.operand)].indices.size();
  std::vector<plan::IndexExpr> identity(rank);
  for (size_t d = 0; d < rank; ++d) {
    identity[d].coefficients.assign(rank, 0);
    identity[d].coefficients[d] = 1;
  }
  Kernel result;
  result.opName = kernel.opName;
  result.location = kernel.location;
  result.iterators.assign(rank, plan::IterKind::Parallel);
  std::vector<Reg> renamed(body.regTypes.size(), plan::kNoReg);
  auto addReg = [&](plan::DType dtype) {
    result.body.regTypes.push_back(dtype);
    return static_cast<Reg>(result.body.regTypes.size() - 1);
  };
  for (uint32_t k : factor.operands) {
    bool isMain = static_cast<int32_t>(k) == factor.operand;
    if (isMain)
      for (size_t d = 0; d < rank; ++d)
        result.domain.push_back(
            {static_cast<int32_t>(result.operands.size()), static_cast<int64_t>(d)});
    result.operands.push_back(
        {kernel.operands[k].tensor, isMain ? identity : decltype(identity)()});
    renamed[k] = addReg(body.regTypes[k]);
  }
  result.numInputs = static_cast<uint32_t>(result.operands.size());
  result.operands.push_back({target, identity});
  addReg(type);
  result.body.numOperands = static_cast<uint32_t>(result.operands.size());
  for (size_t k = 0; k < body.captured.size(); ++k)
    renamed[body.numOperands + k] = addReg(body.regTypes[body.numOperands + k]);
  result.body.captured = body.captured;
  for (uint32_t i : factor.instrs) {
    Instr instr = body.instrs[i];
    for (Reg *reg : {&instr.a, &instr.b, &instr.c})
      *reg = *reg == plan::kNoReg ? *reg : renamed[*reg];
    for (Reg *reg : {&instr.dst, &instr.dst2})
      *reg = *reg == plan::kNoReg ? *reg : renamed[*reg] = addReg(body.regTypes[*reg]);
    result.body.instrs.push_back(instr);
  }
  result.body.yields = {renamed[factor.value]};
  return result;
}

/// acc + left * right.
Kernel Splitter::contraction(uint32_t leftTensor, uint32_t rightTensor) const {
  Kernel result;
  result.opName = kernel.opName;
  result.location = kernel.location;
  result.iterators = kernel.iterators;
  result.numInputs = 2;
  result.operands = {kernel.operands[static_cast<size_t>(left.operand)],
                     kernel.operands[static_cast<size_t>(right.operand)],
                     kernel.operands[kernel.numInputs]};
  result.operands[0].tensor = leftTensor;
  result.operands[1].tensor = rightTensor;
  for (int64_t size : binding.space.sizes)
    result.domain.push_back({-1, size});
  result.body.numOperands = 3;
  result.body.regTypes.assign(5, type);
  Instr product, sum;
  product.op = Opcode::MulI;
  product.type = product.srcType = type;
  product.a = 0;
  product.b = 1;
  product.dst = 3;
  sum = product;
  sum.op = Opcode::AddI;
  sum.a = 2;
  sum.b = 3;
  sum.dst = 4;
  result.body.instrs = {product, sum};
  result.body.yields = {4};
  return result;
}

/// Adds a dense temporary of the sizes of `like` at `offset` of the workspace.
uint32_t addTemporary(BindContext &context, const BoundTensor &like, plan::DType type,
                      size_t &offset) {
  BoundTensor tensor;
  tensor.dtype = type;
  tensor.sizes = like.sizes;
  tensor.strides.resize(like.rank());
  int64_t stride = 1;
  for (size_t d = like.rank(); d-- > 0; stride *= like.sizes[d])
    tensor.strides[d] = stride;
  tensor.isTemporary = true;
  tensor.workspaceOffset = offset;
  offset += alignUp(static_cast<size_t>(stride) * tensor.elementSize());
  context.tensors.push_back(std::move(tensor));
  return static_cast<uint32_t>(context.tensors.size() - 1);
}

} // namespace

absl::StatusOr<KernelPtr> bindIntegerProducts(const KernelBinding &binding, size_t workspaceEnd,
                                              size_t &workspaceBytes) {
  Splitter splitter(binding);
  if (!splitter.match() || !splitter.pays())
    return KernelPtr();
  BindContext context = binding.context;
  size_t end = workspaceEnd;
  auto tensorOf = [&](const Factor &factor) -> const BoundTensor & {
    return binding.tensorOf(static_cast<size_t>(factor.operand));
  };
  uint32_t left = addTemporary(context, tensorOf(splitter.left), splitter.type, end);
  uint32_t right = addTemporary(context, tensorOf(splitter.right), splitter.type, end);
  auto list = std::make_unique<KernelList>();
  Kernel kernels[] = {splitter.computation(splitter.left, left),
                      splitter.computation(splitter.right, right),
                      splitter.contraction(left, right)};
  for (const Kernel &kernel : kernels) {
    KernelFacts facts(kernel);
    absl::StatusOr<IterSpace> space = bindSpace(facts, context);
    if (!space.ok())
      return space.status();
    KernelBinding part(facts, *space, context, binding.isa);
    bool isProduct = &kernel == &kernels[2];
    absl::StatusOr<KernelPtr> bound = isProduct ? bindContraction(part) : bindMap(part);
    if (!bound.ok() || !*bound)
      return bound;
    list->add(*std::move(bound));
  }
  workspaceBytes = end - workspaceEnd;
  return KernelPtr(std::move(list));
}

} // namespace anneal::runtime::interpreter
