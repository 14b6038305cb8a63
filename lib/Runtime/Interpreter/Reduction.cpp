//===- Reduction.cpp - What reductions have in common ---------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"

#include "Contract.h"

#include <algorithm>
#include <cstring>

using namespace anneal;
using plan::DType;
using plan::Instr;
using plan::Opcode;

namespace anneal::runtime::interpreter {

int64_t Reduction::length() const {
  int64_t count = 1;
  for (size_t d = numParallel; d < nest.sizes.size(); ++d)
    count *= nest.sizes[d];
  return count;
}

namespace {

bool bindOutput(const Combiner &combiner, Isa isa, ReducedOutput &output) {
  output.op = combiner.op;
  output.type = combiner.type;
  output.sumType = rowLaneType(combiner.type);
  output.value = combiner.value;
  Instr instr;
  instr.op = combiner.op;
  instr.type = instr.srcType = output.sumType;
  output.combine = findStripOp(instr, 0, isa);
  output.combineUniform = findStripOp(instr, 2, isa);
  if (output.sumType != output.type) {
    instr.op = Opcode::ExtF;
    instr.srcType = output.type;
    output.widen = findStripOp(instr, 0, isa);
    instr.op = Opcode::TruncF;
    std::swap(instr.type, instr.srcType);
    output.narrow = findStripOp(instr, 0, isa);
  }
  RowReduceFns wide;
  if (!output.combine || !findRowReduce(combiner.op, output.type, isa, output.rows) ||
      !findRowReduce(combiner.op, output.sumType, isa, wide))
    return false;
  output.finishRow = wide.finish;
  if (output.sumType == output.type)
    findReduceLoops(combiner.op, output.type, isa, output.loops);
  alignas(64) uint64_t lanes[kRowLanes];
  wide.init(lanes);
  std::memcpy(&output.identity, lanes, output.sumSize());
  return true;
}

/// A contraction in floating point: the combined value is a product.
void bindProduct(const KernelBinding &binding, Reduction &reduction) {
  const absl::optional<ContractionBody> &body = binding.facts.contraction;
  if (!body || !plan::isFloat(body->type))
    return;
  const plan::Body &code = binding.kernel.body;
  ReducedOutput &output = reduction.outputs[0];
  const Instr &product = code.instrs[binding.facts.info.def[output.value]];
  output.isProduct = true;
  output.value = throughMoves(code, binding.facts.info, product.a);
  output.factor = throughMoves(code, binding.facts.info, product.b);
  Instr fma;
  fma.op = Opcode::Fma;
  fma.type = fma.srcType = output.sumType;
  for (unsigned mask = 0; mask < 4; ++mask)
    output.fuse[mask] = findStripOp(fma, mask, binding.isa);
  findProductLoops(output.sumType, binding.isa, output.products);
  reduction.values = {output.value, output.factor};
  reduction.inLanes = binding.facts.order == ReductionOrder::Lanes16;
}

/// Loops in order: parallel ones, then reductions.
void orderLoops(const KernelBinding &binding, Reduction &reduction) {
  size_t numParallel = 0;
  for (size_t d = 0; d < binding.kernel.iterators.size(); ++d)
    if (binding.kernel.iterators[d] == plan::IterKind::Parallel)
      reduction.nest.moveLoop(d, numParallel++);
  Nest &nest = reduction.nest;
  nest.dropUnits(numParallel, nest.sizes.size());
  nest.merge(numParallel, nest.sizes.size());
  numParallel = nest.dropUnits(0, numParallel);
  nest.sortForLocality(0, numParallel);
  reduction.numParallel = nest.merge(0, numParallel);
}

} // namespace

bool bindReduction(const KernelBinding &binding, Reduction &reduction) {
  const plan::Kernel &kernel = binding.kernel;
  const std::vector<Combiner> &combiners = binding.facts.combiners;
  bool known = !combiners.empty();
  reduction.isOrderFree = known;
  for (const Combiner &combiner : combiners) {
    reduction.outputs.emplace_back();
    if (!bindOutput(combiner, binding.isa, reduction.outputs.back()))
      return false;
    reduction.values.push_back(combiner.value);
    reduction.isOrderFree &= isOrderFree(combiner.op);
  }
  if (!known)
    reduction.values.assign(kernel.body.yields.begin(), kernel.body.yields.end());
  reduction.inLanes =
      known && kernel.iterators.back() == plan::IterKind::Reduction && !binding.facts.isWindowed;
  if (known)
    bindProduct(binding, reduction);
  reduction.nest = buildNest(binding, reduction.values, true);
  orderLoops(binding, reduction);
  return true;
}

bool isAlongRows(const Reduction &reduction) {
  const Nest &nest = reduction.nest;
  if (reduction.numParallel == 0)
    return true;
  if (reduction.numReductions() == 0)
    return false;
  size_t along = nest.sizes.size() - 1, across = reduction.numParallel - 1;
  // Few outputs side by side make short strips, and small windows short rows.
  constexpr int64_t kFewOutputs = 8, kShortRow = 64;
  if (nest.sizes[across] < kFewOutputs && nest.sizes[along] > nest.sizes[across])
    return true;
  if (!reduction.inLanes && reduction.length() < kShortRow)
    return false;
  int votes = 0;
  for (const Stream &stream : nest.streams)
    if (stream.kind == Stream::Kind::Read && stream.strides[along] != stream.strides[across]) {
      votes += stream.strides[along] == 1 || stream.strides[across] == 0;
      votes -= stream.strides[across] == 1 || stream.strides[along] == 0;
    }
  return votes >= 0;
}

void combineIntoMemory(const ReducedOutput &output, char *memory, int64_t stride, const char *sums,
                       size_t count) {
  int64_t step = stride * static_cast<int64_t>(plan::sizeOf(output.type));
  bool together = !output.widen && (stride == 1 || count == 1);
  size_t n = together ? count : 1;
  for (size_t i = 0; i < count; i += n, memory += step, sums += output.sumSize()) {
    if (!output.widen) {
      output.combine({memory, nullptr, memory, sums, nullptr, n, 0});
      continue;
    }
    uint64_t sum = 0;
    output.widen({&sum, nullptr, memory, nullptr, nullptr, 1, 0});
    output.combine({&sum, nullptr, &sum, sums, nullptr, 1, 0});
    output.narrow({memory, nullptr, &sum, nullptr, nullptr, 1, 0});
  }
}

void loadSums(const ReducedOutput &output, char *sums, const char *memory, int64_t stride,
              size_t count) {
  size_t size = plan::sizeOf(output.type);
  if (stride == 1 && !output.widen)
    return void(std::memcpy(sums, memory, count * size));
  if (stride == 1)
    return output.widen({sums, nullptr, memory, nullptr, nullptr, count, 0});
  int64_t step = stride * static_cast<int64_t>(size);
  for (size_t i = 0; i < count; ++i, memory += step, sums += output.sumSize())
    loadSums(output, sums, memory, 1, 1);
}

void storeSums(const ReducedOutput &output, char *memory, int64_t stride, const char *sums,
               size_t count) {
  size_t size = plan::sizeOf(output.type);
  if (stride == 1 && !output.narrow)
    return void(std::memcpy(memory, sums, count * size));
  if (stride == 1)
    return output.narrow({memory, nullptr, sums, nullptr, nullptr, count, 0});
  int64_t step = stride * static_cast<int64_t>(size);
  for (size_t i = 0; i < count; ++i, memory += step, sums += output.sumSize())
    storeSums(output, memory, 1, sums, 1);
}

} // namespace anneal::runtime::interpreter
