//===- BoxKernel.cpp - What compiled code does for a structured op --------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mirrors what UnitBuilder and the interpreter read off an operation: which operands a kernel has,
// which results are reductions by a known combiner, and in which order those add up.
//
//===----------------------------------------------------------------------===//

#include "BoxKernel.h"

#include "MathExpansion.h"
#include "ScalarCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace anneal {

bool mayFail(Operation *op) { return isa<cf::AssertOp, tensor::ExtractOp>(op); }

namespace {

class BoxAnalyzer {
public:
  BoxAnalyzer(linalg::LinalgOp op, std::string &reason) : reason(reason) { kernel.op = op; }

  FailureOr<BoxKernel> run();

private:
  bool refuse(const Twine &why) {
    reason = why.str();
    return false;
  }
  Block *body() { return kernel.op.getBlock(); }
  OperandRange yields() { return body()->getTerminator()->getOperands(); }

  bool checkMaps();
  bool addOperands();
  void findLive();
  void findColumnDim();
  bool hasWork();
  bool turnsOperand();
  bool copiesTableRows();
  bool findCombiners();
  bool findCombiner(unsigned output);
  bool dependsOnOutputs(Value value);
  Value factorOf(Value value);
  bool isProduct(Operation *op);
  bool checkOrder();
  bool isPlain();
  unsigned countUses(Value value);

  BoxKernel kernel;
  std::string &reason;
  DenseSet<Operation *> liveSet;
};

/// The map's results are linear in its dimensions.
bool isLinear(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return true;
  if (expr.getKind() != AffineExprKind::Add && expr.getKind() != AffineExprKind::Mul)
    return false;
  return isLinear(binary.getLHS()) && isLinear(binary.getRHS());
}

unsigned numDimsOf(AffineExpr expr, unsigned numDims) {
  unsigned count = 0;
  for (unsigned d = 0; d < numDims; ++d)
    count += expr.isFunctionOfDim(d);
  return count;
}

bool BoxAnalyzer::checkMaps() {
  for (OpOperand &operand : kernel.op->getOpOperands()) {
    AffineMap map = kernel.op.getMatchingIndexingMap(&operand);
    for (AffineExpr expr : map.getResults()) {
      if (!isLinear(expr))
        return refuse("an operand is reached through a map that is not linear");
      if (kernel.isReduction && numDimsOf(expr, map.getNumDims()) > 1)
        return refuse("it reduces windows, for which the runtime has code of its own");
      for (unsigned dim = 0; dim < map.getNumDims(); ++dim)
        if (!kernel.op.isDpsInput(&operand) && expr.isFunctionOfDim(dim) &&
            kernel.op.getIteratorTypesArray()[dim] == utils::IteratorType::reduction)
          return refuse("an output moves along a reduction");
    }
  }
  return true;
}

void BoxAnalyzer::findLive() {
  Block *block = body();
  auto require = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && op->getBlock() == block)
      liveSet.insert(op);
  };
  for (Value value : yields())
    require(value);
  for (Operation &op : llvm::reverse(block->without_terminator())) {
    if (!liveSet.contains(&op) && !isa<cf::AssertOp>(op))
      continue;
    liveSet.insert(&op);
    for (Value operand : op.getOperands())
      require(operand);
  }
  for (Operation &op : block->without_terminator())
    if (liveSet.contains(&op))
      kernel.live.push_back(&op);
}

unsigned BoxAnalyzer::countUses(Value value) {
  unsigned count = 0;
  for (Operation *user : value.getUsers())
    count += liveSet.contains(user) || user == body()->getTerminator();
  return count;
}

/// Operands as UnitBuilder numbers them.
bool BoxAnalyzer::addOperands() {
  linalg::LinalgOp op = kernel.op;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = operand.getOperandNumber() < body()->getNumArguments()
                                 ? body()->getArgument(operand.getOperandNumber())
                                 : BlockArgument();
    bool isInput = op.isDpsInput(&operand);
    DenseElementsAttr elements;
    if (op.isScalar(&operand) ||
        (isInput && matchPattern(operand.get(), m_Constant(&elements)) && elements.isSplat())) {
      kernel.captured[argument] = operand.get();
      continue;
    }
    BoxOperand &added = kernel.operands.emplace_back();
    added.argument = argument;
    added.type = getElementTypeOrSelf(operand.get().getType());
    added.isOutput = !isInput;
    added.isRead = argument && countUses(argument) > 0;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool alongColumns = kernel.columnDim >= 0 && map.isFunctionOfDim(kernel.columnDim);
    added.spread =
        alongColumns || (added.isOutput && !kernel.isReduction) ? Spread::Element : Spread::Row;
    if (!toDType(added.type))
      return refuse("there is no code for elements of such a type");
  }
  // In the order in which BodyBuilder meets them, whether their values are used or not.
  for (auto extract : body()->getOps<tensor::ExtractOp>())
    if (!llvm::is_contained(kernel.gathers, extract.getTensor()))
      kernel.gathers.push_back(extract.getTensor());
  return true;
}

/// Of element-wise operations, the dimension in which the first output is contiguous; of others,
/// the last reduction. What is known to have one iteration isn't there for the runtime.
void BoxAnalyzer::findColumnDim() {
  linalg::LinalgOp op = kernel.op;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  auto consider = [&](unsigned dim) {
    if (kernel.columnDim < 0 || sizes[kernel.columnDim] == 1)
      kernel.columnDim = static_cast<int>(dim);
  };
  if (kernel.isReduction) {
    for (unsigned dim = op.getNumLoops(); dim-- > 0;)
      if (op.getIteratorTypesArray()[dim] == utils::IteratorType::reduction)
        consider(dim);
    return;
  }
  if (op.getNumDpsInits() == 0)
    return;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (AffineExpr expr : llvm::reverse(map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      consider(dim.getPosition());
}

/// Copies, broadcasts, transpositions and fills: moves of memory, at which the runtime is as good.
bool BoxAnalyzer::hasWork() {
  if (kernel.op.getNumDpsInits() == 0 && kernel.live.empty())
    return refuse("it does nothing");
  bool moves = kernel.op.getNumDpsInits() == 1 && !llvm::any_of(kernel.live, [](Operation *op) {
                 return !op->hasTrait<OpTrait::ConstantLike>();
               });
  if (moves)
    return refuse("it only moves elements, for which the runtime has code of its own");
  if (kernel.isReduction || llvm::any_of(kernel.live, isPolynomial))
    return true;
  if (turnsOperand())
    return refuse("it transposes an operand, for which the runtime has code of its own");
  if (copiesTableRows())
    return refuse("it gathers rows of a table, for which the runtime has code of its own");
  return true;
}

/// Some operand goes along the columns, but isn't contiguous there: elements would be read one by
/// one, where the runtime transposes tiles.
bool BoxAnalyzer::turnsOperand() {
  return llvm::any_of(kernel.op->getOpOperands(), [&](OpOperand &operand) {
    AffineMap map = kernel.op.getMatchingIndexingMap(&operand);
    if (kernel.columnDim < 0 || !map.isFunctionOfDim(kernel.columnDim))
      return false;
    ArrayRef<int64_t> shape = kernel.op.getShape(&operand);
    for (auto [size, index] : llvm::reverse(llvm::zip_equal(shape, map.getResults())))
      if (size != 1)
        return !index.isFunctionOfDim(kernel.columnDim);
    return false;
  });
}

/// Elements of a gather are beside each other along the columns: its last index is the column, and
/// the others are the same for all of them.
bool BoxAnalyzer::copiesTableRows() {
  DenseSet<Value> varying;
  for (OpOperand &operand : kernel.op->getOpOperands())
    if (kernel.columnDim >= 0 && operand.getOperandNumber() < body()->getNumArguments() &&
        kernel.op.getMatchingIndexingMap(&operand).isFunctionOfDim(kernel.columnDim))
      varying.insert(body()->getArgument(operand.getOperandNumber()));
  bool found = false;
  for (Operation &op : body()->without_terminator()) {
    auto isVarying = [&](Value value) { return varying.contains(value); };
    auto index = dyn_cast<linalg::IndexOp>(op);
    bool isColumn = index && static_cast<int>(index.getDim()) == kernel.columnDim;
    if (isColumn || llvm::any_of(op.getOperands(), isVarying))
      varying.insert(op.result_begin(), op.result_end());
    auto extract = dyn_cast<tensor::ExtractOp>(op);
    if (!extract || extract.getIndices().empty())
      continue;
    auto last = extract.getIndices().back().getDefiningOp<linalg::IndexOp>();
    found |= last && static_cast<int>(last.getDim()) == kernel.columnDim &&
             llvm::none_of(extract.getIndices().drop_back(), isVarying);
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

bool isCombiner(Operation *op) {
  return isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp, arith::AddIOp, arith::MulIOp, arith::MaxSIOp, arith::MaxUIOp,
             arith::MinSIOp, arith::MinUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op);
}

bool BoxAnalyzer::dependsOnOutputs(Value value) {
  DenseSet<Value> tainted;
  for (BoxOperand &operand : kernel.operands)
    if (operand.isOutput)
      tainted.insert(operand.argument);
  for (Operation &op : body()->without_terminator())
    if (llvm::any_of(op.getOperands(), [&](Value operand) { return tainted.contains(operand); }))
      tainted.insert(op.result_begin(), op.result_end());
  return tainted.contains(value);
}

bool BoxAnalyzer::findCombiner(unsigned output) {
  BlockArgument accumulator =
      kernel.op.getMatchingBlockArgument(kernel.op.getDpsInitOperand(output));
  Value yield = yields()[output];
  Operation *op = yield.getDefiningOp();
  if (!op || op->getBlock() != body() || !isCombiner(op) || countUses(accumulator) != 1 ||
      countUses(yield) != 1 || !llvm::is_contained(op->getOperands(), accumulator))
    return false;
  Value value = op->getOperand(op->getOperand(0) == accumulator ? 1 : 0);
  kernel.combiners.push_back({op, value});
  return !dependsOnOutputs(value);
}

/// The input that `value` is, converted at most once: what contractions multiply. Null for others.
Value BoxAnalyzer::factorOf(Value value) {
  if (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
             arith::SIToFPOp, arith::UIToFPOp>(op))
      return {};
    value = op->getOperand(0);
  }
  return isa<BlockArgument>(value) && !kernel.captured.contains(value) ? value : Value();
}

/// A product of two inputs; the square of one isn't one.
bool BoxAnalyzer::isProduct(Operation *op) {
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(op))
    return false;
  Value a = factorOf(op->getOperand(0)), b = factorOf(op->getOperand(1));
  return a && b && a != b;
}

/// Elements of one operand, without a computation.
bool BoxAnalyzer::isPlain() {
  Value value = kernel.combiners[0].value;
  return kernel.combiners.size() == 1 && isa<BlockArgument>(value) &&
         !kernel.captured.contains(value) && !value.getType().isF16() &&
         !value.getType().isBF16() && !llvm::any_of(kernel.live, mayFail);
}

bool BoxAnalyzer::findCombiners() {
  for (unsigned output = 0; output < kernel.op.getNumDpsInits(); ++output)
    if (!findCombiner(output))
      return refuse("it is a reduction by something else than one known operation");
  if (kernel.combiners.empty())
    return refuse("it is a reduction without outputs");
  if (isPlain())
    return refuse("it reduces plain elements, for which the runtime has code of its own");
  if (kernel.combiners.size() == 1 && isProduct(kernel.combiners[0].value.getDefiningOp()) &&
      isa<arith::AddFOp, arith::AddIOp>(kernel.combiners[0].op))
    return refuse("it adds products, for which the runtime has micro-kernels");
  return checkOrder();
}

/// In lanes, or in any order.
bool BoxAnalyzer::checkOrder() {
  bool isOrderFree = llvm::none_of(kernel.combiners, [](const BoxCombiner &combiner) {
    return isa<arith::AddFOp, arith::MulFOp>(combiner.op);
  });
  if (isOrderFree || kernel.op.getIteratorTypesArray().back() == utils::IteratorType::reduction)
    return true;
  return refuse("it adds up across rows, for which the runtime has code of its own");
}

FailureOr<BoxKernel> BoxAnalyzer::run() {
  linalg::LinalgOp op = kernel.op;
  kernel.isReduction = op.getNumReductionLoops() > 0;
  if (op.getNumReductionLoops() + op.getNumParallelLoops() != op.getNumLoops())
    return refuse("it has loops that are neither parallel nor reductions"), failure();
  findLive();
  findColumnDim();
  if (!checkMaps() || !addOperands() || !hasWork() || (kernel.isReduction && !findCombiners()))
    return failure();
  return std::move(kernel);
}

} // namespace

FailureOr<BoxKernel> analyzeBoxKernel(linalg::LinalgOp op, std::string &reason) {
  return BoxAnalyzer(op, reason).run();
}

} // namespace anneal
