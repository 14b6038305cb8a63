//===- PlanBuilder.h - Plans made by hand -----------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modules, units and functions in a few lines, for the tests of plans and of what runs them.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TEST_UNIT_PLAN_PLANBUILDER_H
#define ANNEAL_TEST_UNIT_PLAN_PLANBUILDER_H

#include "anneal/Plan/Plan.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace anneal::plan::test {

inline constexpr int64_t kAny = kDynamic;

/// Units; each function appends one to the module and returns its index.

/// out[i...] = op(a[i...], b[i...]) on tensors of rank `rank`.
uint32_t addBinaryUnit(Module &module, const std::string &name, Opcode op, unsigned rank,
                       DType type = DType::F32);
/// out[i...] = op(a[i...]).
uint32_t addUnaryUnit(Module &module, const std::string &name, Opcode op, unsigned rank,
                      DType type = DType::F32);
/// out[i...] = a[i...] * scalar 0.
uint32_t addScaleUnit(Module &module, const std::string &name, unsigned rank);
/// out[m, n] = sum over k of a[m, k] * b[k, n].
uint32_t addMatmulUnit(Module &module, const std::string &name);
/// out[i] = table[indices[i]], an index outside being an error.
uint32_t addGatherUnit(Module &module, const std::string &name, const std::string &location);
/// out[i] = a[i], with an assert that it is not negative.
uint32_t addAssertingUnit(Module &module, const std::string &name, const std::string &message,
                          const std::string &location);
/// out[i] = a[i] + a[i] through a temporary whose size is shape scalar 0.
uint32_t addTemporaryUnit(Module &module, const std::string &name);

uint32_t addConstant(Module &module, std::vector<int64_t> dims, std::vector<float> values);
uint32_t addLocation(Module &module, const std::string &text);
uint32_t addMessage(Module &module, const std::string &text);

/// Builds one function of a module; finish() appends it. Registers come as constants, from
/// arguments, from the shape program (`shape`) and from the run phase (`run`). Steps go to the
/// block that is open.
class FunctionBuilder {
public:
  FunctionBuilder(Module &module, std::string name);

  Reg constant(int64_t value, DType type = DType::Index);
  Reg reg(DType type);
  /// A size or stride that a tensor which is handed over gives.
  Reg handedSize();

  /// Arguments return memref and register. `dims`: kAny where any size is taken.
  uint32_t argument(const std::string &name, std::vector<int64_t> dims, DType type = DType::F32);
  Reg scalarArgument(const std::string &name, DType type, bool isKey);
  /// Register with size `dim` of an argument's memref.
  Reg size(uint32_t memref, unsigned dim) const;

  /// An instruction of the shape program.
  Reg shape(Opcode op, Reg a, Reg b = kNoReg, Reg c = kNoReg, DType type = DType::Index);
  /// A check of the shape program.
  void check(Opcode op, const std::string &message, const std::string &location, Reg a,
             Reg b = kNoReg, Reg c = kNoReg, std::vector<Reg> extra = {});
  /// An instruction of the run phase, as a step of its own.
  Reg run(Opcode op, Reg a, Reg b = kNoReg, Reg c = kNoReg, DType type = DType::Index);

  /// Row-major memref; strides are computed by the shape program if sizes are of that phase.
  uint32_t dense(Base base, std::vector<Reg> sizes, DType type = DType::F32);
  uint32_t memref(Base base, std::vector<Reg> sizes, std::vector<Reg> strides, Reg offset,
                  DType type = DType::F32);
  uint32_t alloc(std::vector<Reg> sizes, DType type = DType::F32);
  uint32_t constantTensor(uint32_t constant);
  uint32_t slot(std::vector<Reg> sizes, DType type = DType::F32);
  uint32_t result(std::vector<int64_t> dims, std::vector<Reg> sizes, DType type = DType::F32);
  /// The result is whatever this memref is at the end.
  void resultFrom(uint32_t memref, std::vector<int64_t> dims);
  void scalarResult(Reg reg);

  Step &step(StepKind kind);
  void invoke(uint32_t unit, std::vector<uint32_t> memrefs, std::vector<Reg> scalars = {},
              const std::string &location = "");
  void copy(uint32_t from, uint32_t to);
  Reg load(uint32_t memref, std::vector<Reg> indices, const std::string &location = "");
  void store(Reg value, uint32_t memref, std::vector<Reg> indices);
  void allocate(uint32_t slotMemRef);

  /// Structured steps: `fill` makes the steps of a block, `yields` follow them.
  struct Yield {
    std::vector<Reg> scalars;
    std::vector<uint32_t> memrefs;
  };
  void makeIf(Reg condition, const std::function<Yield()> &then,
              const std::function<Yield()> &other, Yield results = {});
  /// `body` gets the counter.
  void makeFor(Reg lower, Reg upper, Reg stride, Yield init, Yield carried,
               const std::function<Yield(Reg)> &body);
  void makeWhile(Yield init, Yield carried, Yield after, const std::function<Yield()> &before,
                 const std::function<Yield()> &body);
  void makeSwitch(Reg selector, std::vector<int64_t> cases,
                  const std::vector<std::function<Yield()>> &blocks, Yield results);

  /// Lets an alloc live in all steps.
  Function &finish();

  Function function;

private:
  Instr makeInstr(Opcode op, Reg a, Reg b, Reg c, DType type);
  void fillBlock(Block &block, const std::function<Yield()> &fill);
  std::vector<Reg> rowMajor(const std::vector<Reg> &sizes);

  Module &module;
  Block *open;
  std::vector<Instr> shapeCode, runCode;
  std::vector<uint32_t> shapeLocations, runLocations;
  std::vector<bool> isShape;
};

} // namespace anneal::plan::test

#endif // ANNEAL_TEST_UNIT_PLAN_PLANBUILDER_H
