//===- SamplePlans.cpp - Plans that several tests use ---------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SamplePlans.h"

namespace anneal::plan::test {

using Yield = FunctionBuilder::Yield;

Module makeLinearModule() {
  Module module;
  module.name = "linear";
  uint32_t matmul = addMatmulUnit(module, "matmul");
  uint32_t add = addBinaryUnit(module, "add", Opcode::AddF, 2);
  std::vector<float> weights;
  for (int i = 0; i < 16; ++i)
    weights.push_back(static_cast<float>(i % 5) - 2);
  uint32_t weight = addConstant(module, {4, 4}, weights);
  FunctionBuilder f(module, "main");
  uint32_t x = f.argument("x", {kAny, 4}), y = f.argument("y", {kAny, 4});
  Reg sameRows = f.shape(Opcode::CmpIEq, f.size(x, 0), f.size(y, 0));
  f.check(Opcode::Assert, "x and y have different numbers of rows", "model.mlir:3:5", sameRows);
  uint32_t w = f.constantTensor(weight);
  uint32_t product = f.alloc({f.size(x, 0), f.constant(4)});
  uint32_t sum = f.result({kAny, 4}, {f.size(x, 0), f.constant(4)});
  f.invoke(matmul, {x, w, product}, {}, "model.mlir:4:5");
  f.invoke(add, {product, y, sum}, {}, "model.mlir:5:5");
  f.finish();
  return module;
}

Module makeChainModule(unsigned depth) {
  Module module;
  module.name = "chain";
  uint32_t add = addBinaryUnit(module, "add", Opcode::AddF, 2);
  FunctionBuilder f(module, "main");
  uint32_t x = f.argument("x", {kAny, kAny});
  uint32_t previous = x;
  for (unsigned i = 0; i + 1 < depth; ++i) {
    uint32_t next = f.alloc({f.size(x, 0), f.size(x, 1)});
    f.function.allocs.back().firstStep = i;
    f.function.allocs.back().lastStep = i + 1;
    f.invoke(add, {previous, x, next});
    previous = next;
  }
  f.invoke(add, {previous, x, f.result({kAny, kAny}, {f.size(x, 0), f.size(x, 1)})});
  f.finish();
  return module;
}

Module makeRowSumModule() {
  Module module;
  module.name = "rowsum";
  uint32_t add = addBinaryUnit(module, "add", Opcode::AddF, 1);
  uint32_t scale = addScaleUnit(module, "scale", 1);
  FunctionBuilder f(module, "main");
  uint32_t x = f.argument("x", {kAny, 3});
  Reg three = f.constant(3), one = f.constant(1), zero = f.constant(0);
  uint32_t sum = f.result({3}, {three});
  // 0 * the first row is a row of zeros.
  uint32_t first = f.memref({Base::Kind::Argument, 0}, {three}, {one}, kNoReg);
  f.invoke(scale, {first, sum}, {f.constant(0, DType::F32)});
  f.makeFor(zero, f.size(x, 0), one, {}, {}, [&](Reg row) -> Yield {
    Reg offset = f.run(Opcode::MulI, row, three);
    uint32_t slice = f.memref({Base::Kind::Argument, 0}, {three}, {one}, offset);
    f.invoke(add, {sum, slice, sum});
    return {};
  });
  f.finish();
  return module;
}

Module makeGrowingModule() {
  Module module;
  module.name = "growing";
  FunctionBuilder f(module, "main");
  Reg n = f.scalarArgument("n", DType::Index, false);
  Reg zero = f.constant(0), one = f.constant(1);
  uint32_t empty = f.slot({zero}, DType::Index);
  f.allocate(empty);
  Reg carriedSize = f.handedSize();
  uint32_t carried = f.memref({Base::Kind::Slot, f.function.numSlots++}, {carriedSize}, {one},
                              kNoReg, DType::Index);
  f.makeFor(zero, n, one, {{}, {empty}}, {{}, {carried}}, [&](Reg turn) -> Yield {
    Reg newSize = f.run(Opcode::AddI, carriedSize, one);
    uint32_t grown =
        f.memref({Base::Kind::Slot, f.function.numSlots++}, {newSize}, {one}, kNoReg, DType::Index);
    f.allocate(grown);
    uint32_t front =
        f.memref(f.function.memrefs[grown].base, {carriedSize}, {one}, kNoReg, DType::Index);
    f.copy(carried, front);
    f.store(turn, grown, {carriedSize});
    return {{}, {grown}};
  });
  f.resultFrom(carried, {kAny});
  f.finish();
  return module;
}

Module makeEverythingModule() {
  Module module = makeLinearModule();
  module.name = "every\"thing";
  uint32_t gather = addGatherUnit(module, "gather", "model.mlir:7:1");
  addAssertingUnit(module, "asserting", "negative", "model.mlir:8:1");
  uint32_t temporary = addTemporaryUnit(module, "temporary");
  addUnaryUnit(module, "negate", Opcode::NegF, 1, DType::F64);

  FunctionBuilder init(module, "init constants");
  init.function.isPublic = false;
  uint32_t made = init.result({4, 4}, {init.constant(4), init.constant(4)});
  init.invoke(1, {init.constantTensor(0), init.constantTensor(0), made});
  init.finish();
  module.initFunction = 1;
  Constant computed;
  computed.dims = {4, 4};
  computed.initResult = 0;
  module.constants.push_back(computed);

  // A pad and an index expression that is not linear.
  Unit pad;
  pad.name = "pad";
  pad.numInputs = pad.numOutputs = 1;
  pad.outputIsRead = {true};
  for (uint32_t t = 0; t < 2; ++t) {
    UnitTensor tensor;
    tensor.sizes = {{SizeExpr::Kind::Dim, t, 0}};
    pad.tensors.push_back(tensor);
  }
  Kernel kernel;
  kernel.kind = KernelKind::Pad;
  kernel.opName = "tensor.pad";
  kernel.numInputs = 1;
  kernel.operands = {{0, {}}, {1, {}}};
  kernel.padLow = {{SizeExpr::Kind::Constant, 0, 2}};
  kernel.body.regTypes = {DType::F32};
  Instr value;
  value.op = Opcode::Const;
  value.type = DType::F32;
  value.dst = 0;
  value.imm = 0x3F800000;
  kernel.body.instrs = {value};
  kernel.body.yields = {0};
  pad.kernels = {kernel};
  module.units.push_back(pad);
  Kernel &generic = module.units[gather].kernels[0];
  using Token = IndexExpr::Token;
  generic.operands[0].indices[0].postfix = {
      {Token::Kind::Dim, 0}, {Token::Kind::Constant, 2}, {Token::Kind::FloorDiv, 0}};

  FunctionBuilder f(module, "all steps");
  uint32_t x = f.argument("x", {kAny});
  Reg key = f.scalarArgument("key", DType::I32, true);
  Reg zero = f.constant(0), one = f.constant(1), rows = f.size(x, 0);
  f.check(Opcode::CheckSlice, "", "model.mlir:9:1", zero, rows, one, {rows});
  uint32_t a = f.alloc({rows}), out = f.result({kAny}, {rows});
  f.copy(x, a);
  uint32_t carried = f.slot({rows});
  f.invoke(temporary, {a, out}, {rows}, "model.mlir:10:1");
  Reg total = f.reg(DType::Index);
  f.makeFor(zero, rows, one, {{zero}, {a}}, {{total}, {carried}}, [&](Reg i) -> Yield {
    Reg next = f.run(Opcode::AddI, total, i);
    uint32_t fresh = f.slot({rows});
    f.allocate(fresh);
    f.copy(carried, fresh);
    return {{next}, {fresh}};
  });
  Reg loaded = f.load(carried, {zero}, "model.mlir:11:1");
  f.store(loaded, out, {zero});
  Reg chosen = f.reg(DType::Index);
  f.makeIf(
      f.shape(Opcode::CmpISlt, zero, rows), [&]() -> Yield { return {{one}, {}}; },
      [&]() -> Yield { return {{zero}, {}}; }, {{chosen}, {}});
  Reg before = f.reg(DType::Index), after = f.reg(DType::Index);
  f.makeWhile(
      {{zero}, {}}, {{before}, {}}, {{after}, {}},
      [&]() -> Yield {
        Reg goesOn = f.run(Opcode::CmpISlt, before, rows);
        return {{goesOn, before}, {}};
      },
      [&]() -> Yield { return {{f.run(Opcode::AddI, after, one)}, {}}; });
  f.makeSwitch(
      key, {3, -1},
      {[]() -> Yield { return {}; }, []() -> Yield { return {}; }, []() -> Yield { return {}; }},
      {});
  f.scalarResult(after);
  f.finish();
  return module;
}

} // namespace anneal::plan::test
