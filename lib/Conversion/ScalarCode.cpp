//===- ScalarCode.cpp - Operations on scalars to byte code ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarCode.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace anneal {

using plan::DType;
using plan::OpClass;
using plan::Opcode;
using plan::Reg;

CodeSink::~CodeSink() = default;

std::optional<DType> toDType(Type type) {
  if (type.isIndex())
    return DType::Index;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (!integer.isSignless())
      return std::nullopt;
    switch (integer.getWidth()) {
    case 1:
      return DType::I1;
    case 8:
      return DType::I8;
    case 16:
      return DType::I16;
    case 32:
      return DType::I32;
    case 64:
      return DType::I64;
    default:
      return std::nullopt;
    }
  }
  if (type.isF16())
    return DType::F16;
  if (type.isBF16())
    return DType::BF16;
  if (type.isF32())
    return DType::F32;
  if (type.isF64())
    return DType::F64;
  return std::nullopt;
}

FailureOr<DType> requireDType(Operation *op, Type type) {
  if (std::optional<DType> dtype = toDType(type))
    return *dtype;
  return op->emitError()
         << "'" << op->getName() << "' works on " << type
         << "; element types that can be run are i1, i8, i16, i32, i64, index, f16, "
            "bf16, f32 and f64";
}

std::optional<uint64_t> scalarBits(Attribute value) {
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    if (integer.getValue().getBitWidth() <= 64)
      return integer.getValue().getZExtValue();
  } else if (auto real = dyn_cast<FloatAttr>(value)) {
    APInt bits = real.getValue().bitcastToAPInt();
    if (bits.getBitWidth() <= 64)
      return bits.getZExtValue();
  }
  return std::nullopt;
}

Reg CodeSink::emitBinary(Opcode op, DType type, Reg a, Reg b, Location location) {
  InstrSpec spec;
  spec.op = op;
  spec.type = spec.srcType = type;
  spec.resultType =
      plan::classOf(op) == OpClass::IntCompare || plan::classOf(op) == OpClass::FloatCompare
          ? DType::I1
          : type;
  spec.sources = {a, b};
  return emit(spec, location);
}

Reg CodeSink::emitSelect(DType type, Reg condition, Reg a, Reg b, Location location) {
  InstrSpec spec;
  spec.op = Opcode::Select;
  spec.type = spec.srcType = spec.resultType = type;
  spec.sources = {condition, a, b};
  return emit(spec, location);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
struct TableEntry {
  StringLiteral name;
  Opcode op;
};
constexpr TableEntry kTable[] = {
    {"arith.addi", Opcode::AddI},
    {"arith.subi", Opcode::SubI},
    {"arith.muli", Opcode::MulI},
    {"arith.divsi", Opcode::DivSI},
    {"arith.divui", Opcode::DivUI},
    {"arith.ceildivsi", Opcode::CeilDivSI},
    {"arith.ceildivui", Opcode::CeilDivUI},
    {"arith.floordivsi", Opcode::FloorDivSI},
    {"arith.remsi", Opcode::RemSI},
    {"arith.remui", Opcode::RemUI},
    {"arith.andi", Opcode::AndI},
    {"arith.ori", Opcode::OrI},
    {"arith.xori", Opcode::XOrI},
    {"arith.shli", Opcode::ShLI},
    {"arith.shrsi", Opcode::ShRSI},
    {"arith.shrui", Opcode::ShRUI},
    {"arith.maxsi", Opcode::MaxSI},
    {"arith.maxui", Opcode::MaxUI},
    {"arith.minsi", Opcode::MinSI},
    {"arith.minui", Opcode::MinUI},
    {"arith.addui_extended", Opcode::AddUIExtended},
    {"arith.mulsi_extended", Opcode::MulSIExtended},
    {"arith.mului_extended", Opcode::MulUIExtended},
    {"arith.addf", Opcode::AddF},
    {"arith.subf", Opcode::SubF},
    {"arith.mulf", Opcode::MulF},
    {"arith.divf", Opcode::DivF},
    {"arith.remf", Opcode::RemF},
    {"arith.maximumf", Opcode::MaximumF},
    {"arith.minimumf", Opcode::MinimumF},
    {"arith.maxnumf", Opcode::MaxNumF},
    {"arith.minnumf", Opcode::MinNumF},
    {"arith.negf", Opcode::NegF},
    {"arith.extsi", Opcode::ExtSI},
    {"arith.extui", Opcode::ExtUI},
    {"arith.trunci", Opcode::TruncI},
    {"arith.extf", Opcode::ExtF},
    {"arith.truncf", Opcode::TruncF},
    {"arith.sitofp", Opcode::SIToFP},
    {"arith.uitofp", Opcode::UIToFP},
    {"arith.fptosi", Opcode::FPToSI},
    {"arith.fptoui", Opcode::FPToUI},
    {"arith.bitcast", Opcode::Bitcast},
    {"math.absi", Opcode::AbsI},
    {"math.ctlz", Opcode::CtLz},
    {"math.cttz", Opcode::CtTz},
    {"math.ctpop", Opcode::CtPop},
    {"math.ipowi", Opcode::IPowI},
    {"math.absf", Opcode::AbsF},
    {"math.acos", Opcode::Acos},
    {"math.acosh", Opcode::Acosh},
    {"math.asin", Opcode::Asin},
    {"math.asinh", Opcode::Asinh},
    {"math.atan", Opcode::Atan},
    {"math.atanh", Opcode::Atanh},
    {"math.atan2", Opcode::Atan2},
    {"math.cbrt", Opcode::Cbrt},
    {"math.ceil", Opcode::Ceil},
    {"math.clampf", Opcode::ClampF},
    {"math.copysign", Opcode::CopySign},
    {"math.cos", Opcode::Cos},
    {"math.cosh", Opcode::Cosh},
    {"math.erf", Opcode::Erf},
    {"math.erfc", Opcode::Erfc},
    {"math.exp", Opcode::Exp},
    {"math.exp2", Opcode::Exp2},
    {"math.expm1", Opcode::ExpM1},
    {"math.floor", Opcode::Floor},
    {"math.fma", Opcode::Fma},
    {"math.fpowi", Opcode::FPowI},
    {"math.isfinite", Opcode::IsFinite},
    {"math.isinf", Opcode::IsInf},
    {"math.isnan", Opcode::IsNaN},
    {"math.isnormal", Opcode::IsNormal},
    {"math.log", Opcode::Log},
    {"math.log10", Opcode::Log10},
    {"math.log1p", Opcode::Log1p},
    {"math.log2", Opcode::Log2},
    {"math.powf", Opcode::PowF},
    {"math.round", Opcode::Round},
    {"math.roundeven", Opcode::RoundEven},
    {"math.rsqrt", Opcode::Rsqrt},
    {"math.sin", Opcode::Sin},
    {"math.sinh", Opcode::Sinh},
    {"math.sqrt", Opcode::Sqrt},
    {"math.tan", Opcode::Tan},
    {"math.tanh", Opcode::Tanh},
    {"math.trunc", Opcode::Trunc},
};

/// Opcode of an operation that is one instruction on its operands in order.
std::optional<Opcode> lookUpTable(Operation *op) {
  static const llvm::StringMap<Opcode> table = [] {
    llvm::StringMap<Opcode> map;
    for (const TableEntry &entry : kTable)
      map.try_emplace(entry.name, entry.op);
    return map;
  }();
  auto it = table.find(op->getName().getStringRef());
  if (it == table.end())
    return std::nullopt;
  return it->second;
}

Opcode opcodeOf(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return Opcode::CmpIEq;
  case arith::CmpIPredicate::ne:
    return Opcode::CmpINe;
  case arith::CmpIPredicate::slt:
    return Opcode::CmpISlt;
  case arith::CmpIPredicate::sle:
    return Opcode::CmpISle;
  case arith::CmpIPredicate::sgt:
    return Opcode::CmpISgt;
  case arith::CmpIPredicate::sge:
    return Opcode::CmpISge;
  case arith::CmpIPredicate::ult:
    return Opcode::CmpIUlt;
  case arith::CmpIPredicate::ule:
    return Opcode::CmpIUle;
  case arith::CmpIPredicate::ugt:
    return Opcode::CmpIUgt;
  case arith::CmpIPredicate::uge:
    return Opcode::CmpIUge;
  }
  llvm_unreachable("all predicates are covered");
}

Opcode opcodeOf(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return Opcode::CmpFFalse;
  case arith::CmpFPredicate::OEQ:
    return Opcode::CmpFOeq;
  case arith::CmpFPredicate::OGT:
    return Opcode::CmpFOgt;
  case arith::CmpFPredicate::OGE:
    return Opcode::CmpFOge;
  case arith::CmpFPredicate::OLT:
    return Opcode::CmpFOlt;
  case arith::CmpFPredicate::OLE:
    return Opcode::CmpFOle;
  case arith::CmpFPredicate::ONE:
    return Opcode::CmpFOne;
  case arith::CmpFPredicate::ORD:
    return Opcode::CmpFOrd;
  case arith::CmpFPredicate::UEQ:
    return Opcode::CmpFUeq;
  case arith::CmpFPredicate::UGT:
    return Opcode::CmpFUgt;
  case arith::CmpFPredicate::UGE:
    return Opcode::CmpFUge;
  case arith::CmpFPredicate::ULT:
    return Opcode::CmpFUlt;
  case arith::CmpFPredicate::ULE:
    return Opcode::CmpFUle;
  case arith::CmpFPredicate::UNE:
    return Opcode::CmpFUne;
  case arith::CmpFPredicate::UNO:
    return Opcode::CmpFUno;
  case arith::CmpFPredicate::AlwaysTrue:
    return Opcode::CmpFTrue;
  }
  llvm_unreachable("all predicates are covered");
}

/// What turns an integer of one type into one of another width.
Opcode indexCastOpcode(DType from, DType to, bool isSigned) {
  if (plan::bitWidth(from) > plan::bitWidth(to))
    return Opcode::TruncI;
  return isSigned ? Opcode::ExtSI : Opcode::ExtUI;
}

/// Translates one operation; types of its operands and results are known to exist.
class Translator {
public:
  Translator(Operation *op, ArrayRef<Reg> operands, ArrayRef<DType> operandTypes,
             ArrayRef<DType> resultTypes, CodeSink &sink)
      : op(op), operands(operands), operandTypes(operandTypes), resultTypes(resultTypes),
        sink(sink) {}

  void run(SmallVectorImpl<Reg> &results) {
    if (std::optional<Opcode> opcode = lookUpTable(op))
      return runTableOp(*opcode, results);
    if (op->hasTrait<OpTrait::ConstantLike>())
      return runConstant(results);
    if (isa<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(op))
      return runAffine(results);
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op) &&
        plan::bitWidth(operandTypes[0]) == plan::bitWidth(resultTypes[0]))
      return results.push_back(operands[0]);
    results.push_back(runSpecial(results));
  }

private:
  void runTableOp(Opcode opcode, SmallVectorImpl<Reg> &results) {
    InstrSpec spec;
    spec.op = opcode;
    spec.sources.assign(operands.begin(), operands.end());
    spec.resultType = resultTypes[0];
    switch (plan::classOf(opcode)) {
    case OpClass::Convert:
      spec.type = resultTypes[0];
      spec.srcType = operandTypes[0];
      break;
    case OpClass::FloatInt:
      spec.type = operandTypes[0];
      spec.srcType = operandTypes[1];
      break;
    default:
      spec.type = spec.srcType = operandTypes[0];
    }
    if (resultTypes.size() == 2)
      spec.secondType = resultTypes[1];
    Reg first = sink.emit(spec, op->getLoc());
    results.push_back(first);
    if (spec.secondType)
      results.push_back(first + 1);
  }

  /// arith.constant, and ub.poison, for which any value is right.
  void runConstant(SmallVectorImpl<Reg> &results) {
    uint64_t bits = 0;
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      bits = scalarBits(constant.getValue()).value_or(0);
    results.push_back(sink.constant(resultTypes[0], bits));
  }

  void runAffine(SmallVectorImpl<Reg> &results) {
    AffineMap map;
    Opcode combine = Opcode::Move;
    if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
      map = apply.getAffineMap();
    } else if (auto min = dyn_cast<affine::AffineMinOp>(op)) {
      map = min.getAffineMap();
      combine = Opcode::MinSI;
    } else {
      map = cast<affine::AffineMaxOp>(op).getAffineMap();
      combine = Opcode::MaxSI;
    }
    Reg value = plan::kNoReg;
    for (AffineExpr expr : map.getResults()) {
      Reg next = translateAffineExpr(expr, operands.take_front(map.getNumDims()),
                                     operands.drop_front(map.getNumDims()), sink, op->getLoc());
      value = value == plan::kNoReg
                  ? next
                  : sink.emitBinary(combine, DType::Index, value, next, op->getLoc());
    }
    results.push_back(value);
  }

  /// Operations with an attribute that chooses the instruction. Returns the last result.
  Reg runSpecial(SmallVectorImpl<Reg> &results) {
    if (auto cmp = dyn_cast<arith::CmpIOp>(op))
      return sink.emitBinary(opcodeOf(cmp.getPredicate()), operandTypes[0], operands[0],
                             operands[1], op->getLoc());
    if (auto cmp = dyn_cast<arith::CmpFOp>(op))
      return sink.emitBinary(opcodeOf(cmp.getPredicate()), operandTypes[0], operands[0],
                             operands[1], op->getLoc());
    if (isa<arith::SelectOp>(op))
      return sink.emitSelect(resultTypes[0], operands[0], operands[1], operands[2], op->getLoc());
    if (isa<math::SincosOp>(op)) {
      results.push_back(emitUnary(Opcode::Sin));
      return emitUnary(Opcode::Cos);
    }
    return emitUnary(indexCastOpcode(operandTypes[0], resultTypes[0], isa<arith::IndexCastOp>(op)));
  }

  Reg emitUnary(Opcode opcode) {
    InstrSpec spec;
    spec.op = opcode;
    spec.type = spec.resultType = resultTypes.back();
    spec.srcType = operandTypes[0];
    spec.sources = {operands[0]};
    return sink.emit(spec, op->getLoc());
  }

  Operation *op;
  ArrayRef<Reg> operands;
  ArrayRef<DType> operandTypes;
  ArrayRef<DType> resultTypes;
  CodeSink &sink;
};
} // namespace

bool isScalarOp(Operation *op) {
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat() || isa<ComplexType>(type); };
  if (!llvm::all_of(op->getOperandTypes(), isScalar) ||
      !llvm::all_of(op->getResultTypes(), isScalar))
    return false;
  return isa<arith::ConstantOp, arith::CmpIOp, arith::CmpFOp, arith::SelectOp, arith::IndexCastOp,
             arith::IndexCastUIOp, math::SincosOp, affine::AffineApplyOp, affine::AffineMinOp,
             affine::AffineMaxOp, ub::PoisonOp>(op) ||
         lookUpTable(op);
}

LogicalResult translateScalarOp(Operation *op, RegLookup lookup, CodeSink &sink,
                                SmallVectorImpl<Reg> &results) {
  SmallVector<DType, 4> operandTypes, resultTypes;
  SmallVector<Reg, 4> operands;
  for (Type type : op->getResultTypes()) {
    FailureOr<DType> dtype = requireDType(op, type);
    if (failed(dtype))
      return failure();
    resultTypes.push_back(*dtype);
  }
  for (Value operand : op->getOperands()) {
    FailureOr<DType> dtype = requireDType(op, operand.getType());
    if (failed(dtype))
      return failure();
    FailureOr<Reg> reg = lookup(operand);
    if (failed(reg))
      return failure();
    operandTypes.push_back(*dtype);
    operands.push_back(*reg);
  }
  Translator(op, operands, operandTypes, resultTypes, sink).run(results);
  return success();
}

/// `lhs mod rhs` as affine maps define it: in [0, rhs).
static Reg emitAffineMod(Reg lhs, Reg rhs, CodeSink &sink, Location location) {
  Reg quotient = sink.emitBinary(Opcode::FloorDivSI, DType::Index, lhs, rhs, location);
  Reg multiple = sink.emitBinary(Opcode::MulI, DType::Index, quotient, rhs, location);
  return sink.emitBinary(Opcode::SubI, DType::Index, lhs, multiple, location);
}

Reg translateAffineExpr(AffineExpr expr, ArrayRef<Reg> dims, ArrayRef<Reg> symbols, CodeSink &sink,
                        Location location) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return sink.indexConstant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Reg lhs = translateAffineExpr(binary.getLHS(), dims, symbols, sink, location);
  Reg rhs = translateAffineExpr(binary.getRHS(), dims, symbols, sink, location);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return sink.emitBinary(Opcode::AddI, DType::Index, lhs, rhs, location);
  case AffineExprKind::Mul:
    return sink.emitBinary(Opcode::MulI, DType::Index, lhs, rhs, location);
  case AffineExprKind::FloorDiv:
    return sink.emitBinary(Opcode::FloorDivSI, DType::Index, lhs, rhs, location);
  case AffineExprKind::CeilDiv:
    return sink.emitBinary(Opcode::CeilDivSI, DType::Index, lhs, rhs, location);
  default:
    return emitAffineMod(lhs, rhs, sink, location);
  }
}

} // namespace anneal
