//===- BodyBuilder.h - Bodies of structured operations ----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_BODYBUILDER_H
#define ANNEAL_LIB_CONVERSION_BODYBUILDER_H

#include "ScalarCode.h"
#include "UnitBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

namespace anneal {

/// Translates the region of a structured operation to plan::Body. A conditional whose branches
/// compute only numbers becomes selects, so that the body still runs a strip at a time; others
/// become branches.
class BodyBuilder final : public CodeSink {
public:
  /// `kernel` gets the tensors that the body gathers from.
  BodyBuilder(UnitBuilder &unit, plan::Kernel &kernel) : unit(unit), kernel(kernel) {}

  /// The register of the next operand of the kernel, in order.
  plan::Reg addOperand(plan::DType type);
  /// Says which register holds a block argument.
  void bind(mlir::Value value, plan::Reg reg) { regs[value] = reg; }
  /// The register that holds a scalar from outside of the region.
  mlir::FailureOr<plan::Reg> capture(mlir::Operation *user, mlir::Value value);

  /// Translates all operations of the block; what its terminator hands over are the yields.
  mlir::LogicalResult translateRoot(mlir::Block &block);
  /// An assert that is the whole body.
  mlir::LogicalResult translateAlone(mlir::Operation *op) { return translateOp(op); }
  void addYield(plan::Reg reg) { yields.push_back(reg); }

  /// Numbers the registers as plan::Body wants them. Nothing may be added after.
  plan::Body finish();

  plan::Reg constant(plan::DType type, uint64_t bits) override;
  plan::Reg emit(const InstrSpec &spec, mlir::Location location) override;

private:
  mlir::LogicalResult translateBlock(mlir::Block &block);
  mlir::LogicalResult translateOp(mlir::Operation *op);
  mlir::LogicalResult translateExtract(mlir::tensor::ExtractOp op);
  mlir::LogicalResult translateDim(mlir::tensor::DimOp op);
  mlir::LogicalResult translateAssert(mlir::Operation *op, mlir::Value condition,
                                      llvm::StringRef message);
  mlir::LogicalResult translateIf(mlir::scf::IfOp op);
  mlir::LogicalResult speculateIf(mlir::scf::IfOp op, plan::Reg condition);
  mlir::LogicalResult branchIf(mlir::scf::IfOp op, plan::Reg condition);
  mlir::LogicalResult translateFor(mlir::scf::ForOp op);
  mlir::LogicalResult translateWhile(mlir::scf::WhileOp op);
  mlir::LogicalResult translateSwitch(mlir::scf::IndexSwitchOp op);

  mlir::FailureOr<plan::Reg> lookup(mlir::Operation *user, mlir::Value value);
  mlir::LogicalResult lookupAll(mlir::Operation *user, mlir::ValueRange values,
                                llvm::SmallVectorImpl<plan::Reg> &out);
  /// Registers for values that are assigned in several places, bound to them.
  mlir::LogicalResult declare(mlir::Operation *op, mlir::ValueRange values,
                              llvm::SmallVectorImpl<plan::Reg> &out);
  /// to[i] = from[i], as if all at once.
  void assign(llvm::ArrayRef<plan::Reg> to, llvm::ArrayRef<plan::Reg> from);

  plan::Reg newTemp(plan::DType type);
  plan::DType typeOf(plan::Reg reg) const;
  /// Appends a branch, whose target `setTarget` says; returns its place.
  size_t emitJump(plan::Opcode op, plan::Reg condition = plan::kNoReg);
  void setTarget(size_t jump) { instrs[jump].imm = instrs.size(); }
  void jumpBackTo(size_t target);
  plan::Reg renumber(plan::Reg reg) const;

  // Until `finish` a register is an index with its kind in the highest bits.
  static constexpr plan::Reg kCaptured = 1u << 29, kConstant = 1u << 30, kTemp = 1u << 31;

  UnitBuilder &unit;
  plan::Kernel &kernel;
  llvm::DenseMap<mlir::Value, plan::Reg> regs;
  std::vector<plan::DType> operandTypes, capturedTypes, tempTypes;
  std::vector<uint32_t> captured;
  llvm::MapVector<std::pair<unsigned, uint64_t>, plan::Reg> constants;
  std::vector<plan::Instr> instrs;
  std::vector<plan::Reg> extra;
  llvm::SmallVector<plan::Reg> yields;
  /// In a conditional turned into selects: whether its operations are meant to run.
  plan::Reg guard = plan::kNoReg;
  bool hasBranches = false;
};

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_BODYBUILDER_H
