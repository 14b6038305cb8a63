// RUN: jit-opt %s --jit-print-plan -o /dev/null | FileCheck %s

// Every scalar operation of arith and math has its instruction.

// CHECK-LABEL: function "integers"
// CHECK:         AddI i32 
// CHECK:         SubI i32 
// CHECK:         MulI i32 
// CHECK:         DivSI i32 
// CHECK:         DivUI i32 
// CHECK:         CeilDivSI i32 
// CHECK:         CeilDivUI i32 
// CHECK:         FloorDivSI i32 
// CHECK:         RemSI i32 
// CHECK:         RemUI i32 
// CHECK:         AndI i32 
// CHECK:         OrI i32 
// CHECK:         XOrI i32 
// CHECK:         ShLI i32 
// CHECK:         ShRSI i32 
// CHECK:         ShRUI i32 
// CHECK:         MaxSI i32 
// CHECK:         MaxUI i32 
// CHECK:         MinSI i32 
// CHECK:         MinUI i32 
func.func @integers(%a: i32, %b: i32) -> (i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32) {
  %addi = arith.addi %a, %b : i32
  %subi = arith.subi %a, %b : i32
  %muli = arith.muli %a, %b : i32
  %divsi = arith.divsi %a, %b : i32
  %divui = arith.divui %a, %b : i32
  %ceildivsi = arith.ceildivsi %a, %b : i32
  %ceildivui = arith.ceildivui %a, %b : i32
  %floordivsi = arith.floordivsi %a, %b : i32
  %remsi = arith.remsi %a, %b : i32
  %remui = arith.remui %a, %b : i32
  %andi = arith.andi %a, %b : i32
  %ori = arith.ori %a, %b : i32
  %xori = arith.xori %a, %b : i32
  %shli = arith.shli %a, %b : i32
  %shrsi = arith.shrsi %a, %b : i32
  %shrui = arith.shrui %a, %b : i32
  %maxsi = arith.maxsi %a, %b : i32
  %maxui = arith.maxui %a, %b : i32
  %minsi = arith.minsi %a, %b : i32
  %minui = arith.minui %a, %b : i32
  return %addi, %subi, %muli, %divsi, %divui, %ceildivsi, %ceildivui, %floordivsi, %remsi, %remui, %andi, %ori, %xori, %shli, %shrsi, %shrui, %maxsi, %maxui, %minsi, %minui : i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
}

// CHECK-LABEL: function "floats"
// CHECK:         AddF f32 
// CHECK:         SubF f32 
// CHECK:         MulF f32 
// CHECK:         DivF f32 
// CHECK:         RemF f32 
// CHECK:         MaximumF f32 
// CHECK:         MinimumF f32 
// CHECK:         MaxNumF f32 
// CHECK:         MinNumF f32 
// CHECK:         NegF f32 
func.func @floats(%a: f32, %b: f32) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32) {
  %addf = arith.addf %a, %b : f32
  %subf = arith.subf %a, %b : f32
  %mulf = arith.mulf %a, %b : f32
  %divf = arith.divf %a, %b : f32
  %remf = arith.remf %a, %b : f32
  %maximumf = arith.maximumf %a, %b : f32
  %minimumf = arith.minimumf %a, %b : f32
  %maxnumf = arith.maxnumf %a, %b : f32
  %minnumf = arith.minnumf %a, %b : f32
  %negf = arith.negf %a : f32
  return %addf, %subf, %mulf, %divf, %remf, %maximumf, %minimumf, %maxnumf, %minnumf, %negf : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
}

// CHECK-LABEL: function "functions"
// CHECK:         AbsF f64 
// CHECK:         Acos f64 
// CHECK:         Acosh f64 
// CHECK:         Asin f64 
// CHECK:         Asinh f64 
// CHECK:         Atan f64 
// CHECK:         Atanh f64 
// CHECK:         Cbrt f64 
// CHECK:         Ceil f64 
// CHECK:         Cos f64 
// CHECK:         Cosh f64 
// CHECK:         Erf f64 
// CHECK:         Erfc f64 
// CHECK:         Exp f64 
// CHECK:         Exp2 f64 
// CHECK:         ExpM1 f64 
// CHECK:         Floor f64 
// CHECK:         Log f64 
// CHECK:         Log10 f64 
// CHECK:         Log1p f64 
// CHECK:         Log2 f64 
// CHECK:         Round f64 
// CHECK:         RoundEven f64 
// CHECK:         Rsqrt f64 
// CHECK:         Sin f64 
// CHECK:         Sinh f64 
// CHECK:         Sqrt f64 
// CHECK:         Tan f64 
// CHECK:         Tanh f64 
// CHECK:         Trunc f64 
func.func @functions(%a: f64) -> (f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64) {
  %absf = math.absf %a : f64
  %acos = math.acos %a : f64
  %acosh = math.acosh %a : f64
  %asin = math.asin %a : f64
  %asinh = math.asinh %a : f64
  %atan = math.atan %a : f64
  %atanh = math.atanh %a : f64
  %cbrt = math.cbrt %a : f64
  %ceil = math.ceil %a : f64
  %cos = math.cos %a : f64
  %cosh = math.cosh %a : f64
  %erf = math.erf %a : f64
  %erfc = math.erfc %a : f64
  %exp = math.exp %a : f64
  %exp2 = math.exp2 %a : f64
  %expm1 = math.expm1 %a : f64
  %floor = math.floor %a : f64
  %log = math.log %a : f64
  %log10 = math.log10 %a : f64
  %log1p = math.log1p %a : f64
  %log2 = math.log2 %a : f64
  %round = math.round %a : f64
  %roundeven = math.roundeven %a : f64
  %rsqrt = math.rsqrt %a : f64
  %sin = math.sin %a : f64
  %sinh = math.sinh %a : f64
  %sqrt = math.sqrt %a : f64
  %tan = math.tan %a : f64
  %tanh = math.tanh %a : f64
  %trunc = math.trunc %a : f64
  return %absf, %acos, %acosh, %asin, %asinh, %atan, %atanh, %cbrt, %ceil, %cos, %cosh, %erf, %erfc, %exp, %exp2, %expm1, %floor, %log, %log10, %log1p, %log2, %round, %roundeven, %rsqrt, %sin, %sinh, %sqrt, %tan, %tanh, %trunc : f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64
}

// CHECK-LABEL: function "more_functions"
// CHECK:         AbsI i64 
// CHECK:         CtLz i64 
// CHECK:         CtTz i64 
// CHECK:         CtPop i64 
// CHECK:         IPowI i64 
// CHECK:         Atan2 f32 
// CHECK:         CopySign f32 
// CHECK:         PowF f32 
// CHECK:         Fma f32 
// CHECK:         ClampF f32 
// CHECK:         FPowI i64 to f32 
// CHECK:         Sin f32 
// CHECK:         Cos f32 
func.func @more_functions(%i: i64, %a: f32, %b: f32) -> (i64, i64, i64, i64, i64, f32, f32, f32, f32, f32, f32, f32, f32) {
  %absi = math.absi %i : i64
  %ctlz = math.ctlz %i : i64
  %cttz = math.cttz %i : i64
  %ctpop = math.ctpop %i : i64
  %ipowi = math.ipowi %i, %i : i64
  %atan2 = math.atan2 %a, %b : f32
  %copysign = math.copysign %a, %b : f32
  %powf = math.powf %a, %b : f32
  %fma = math.fma %a, %b, %a : f32
  %clampf = math.clampf %a to [%b, %b] : f32
  %fpowi = math.fpowi %a, %i : f32, i64
  %s, %c = math.sincos %a : f32
  return %absi, %ctlz, %cttz, %ctpop, %ipowi, %atan2, %copysign, %powf, %fma, %clampf, %fpowi, %s, %c : i64, i64, i64, i64, i64, f32, f32, f32, f32, f32, f32, f32, f32
}

// CHECK-LABEL: function "tests"
// CHECK:         IsFinite bf16 
// CHECK:         IsInf bf16 
// CHECK:         IsNaN bf16 
// CHECK:         IsNormal bf16 
func.func @tests(%a: bf16) -> (i1, i1, i1, i1) {
  %isfinite = math.isfinite %a : bf16
  %isinf = math.isinf %a : bf16
  %isnan = math.isnan %a : bf16
  %isnormal = math.isnormal %a : bf16
  return %isfinite, %isinf, %isnan, %isnormal : i1, i1, i1, i1
}

// CHECK-LABEL: function "integer_comparisons"
// CHECK:         CmpIEq i8 
// CHECK:         CmpINe i8 
// CHECK:         CmpISlt i8 
// CHECK:         CmpISle i8 
// CHECK:         CmpISgt i8 
// CHECK:         CmpISge i8 
// CHECK:         CmpIUlt i8 
// CHECK:         CmpIUle i8 
// CHECK:         CmpIUgt i8 
// CHECK:         CmpIUge i8 
func.func @integer_comparisons(%a: i8, %b: i8) -> (i1, i1, i1, i1, i1, i1, i1, i1, i1, i1) {
  %eq = arith.cmpi eq, %a, %b : i8
  %ne = arith.cmpi ne, %a, %b : i8
  %slt = arith.cmpi slt, %a, %b : i8
  %sle = arith.cmpi sle, %a, %b : i8
  %sgt = arith.cmpi sgt, %a, %b : i8
  %sge = arith.cmpi sge, %a, %b : i8
  %ult = arith.cmpi ult, %a, %b : i8
  %ule = arith.cmpi ule, %a, %b : i8
  %ugt = arith.cmpi ugt, %a, %b : i8
  %uge = arith.cmpi uge, %a, %b : i8
  return %eq, %ne, %slt, %sle, %sgt, %sge, %ult, %ule, %ugt, %uge : i1, i1, i1, i1, i1, i1, i1, i1, i1, i1
}

// CHECK-LABEL: function "float_comparisons"
// CHECK:         CmpFFalse f16 
// CHECK:         CmpFOeq f16 
// CHECK:         CmpFOgt f16 
// CHECK:         CmpFOge f16 
// CHECK:         CmpFOlt f16 
// CHECK:         CmpFOle f16 
// CHECK:         CmpFOne f16 
// CHECK:         CmpFOrd f16 
// CHECK:         CmpFUeq f16 
// CHECK:         CmpFUgt f16 
// CHECK:         CmpFUge f16 
// CHECK:         CmpFUlt f16 
// CHECK:         CmpFUle f16 
// CHECK:         CmpFUne f16 
// CHECK:         CmpFUno f16 
// CHECK:         CmpFTrue f16 
func.func @float_comparisons(%a: f16, %b: f16) -> (i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1) {
  %false_ = arith.cmpf false, %a, %b : f16
  %oeq_ = arith.cmpf oeq, %a, %b : f16
  %ogt_ = arith.cmpf ogt, %a, %b : f16
  %oge_ = arith.cmpf oge, %a, %b : f16
  %olt_ = arith.cmpf olt, %a, %b : f16
  %ole_ = arith.cmpf ole, %a, %b : f16
  %one_ = arith.cmpf one, %a, %b : f16
  %ord_ = arith.cmpf ord, %a, %b : f16
  %ueq_ = arith.cmpf ueq, %a, %b : f16
  %ugt_ = arith.cmpf ugt, %a, %b : f16
  %uge_ = arith.cmpf uge, %a, %b : f16
  %ult_ = arith.cmpf ult, %a, %b : f16
  %ule_ = arith.cmpf ule, %a, %b : f16
  %une_ = arith.cmpf une, %a, %b : f16
  %uno_ = arith.cmpf uno, %a, %b : f16
  %true_ = arith.cmpf true, %a, %b : f16
  return %false_, %oeq_, %ogt_, %oge_, %olt_, %ole_, %one_, %ord_, %ueq_, %ugt_, %uge_, %ult_, %ule_, %une_, %uno_, %true_ : i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1
}

// CHECK-LABEL: function "conversions"
// CHECK:         ExtSI i8 to i32 
// CHECK:         ExtUI i8 to i32 
// CHECK:         TruncI i8 to i1 
// CHECK:         ExtF f16 to f32 
// CHECK:         TruncF f64 to bf16 
// CHECK:         SIToFP i8 to f32 
// CHECK:         UIToFP i8 to f32 
// CHECK:         FPToSI f64 to i16 
// CHECK:         FPToUI f64 to i16 
// CHECK:         Bitcast f64 to i64 
// CHECK:         ExtSI i8 to index 
// CHECK:         ExtUI i8 to index 
// CHECK:         TruncI index to i32 
func.func @conversions(%i: i8, %h: f16, %d: f64, %n: index) -> (i32, i32, i1, f32, bf16, f32, f32, i16, i16, i64, index, index, i32, i64) {
  %extsi = arith.extsi %i : i8 to i32
  %extui = arith.extui %i : i8 to i32
  %trunci = arith.trunci %i : i8 to i1
  %extf = arith.extf %h : f16 to f32
  %truncf = arith.truncf %d : f64 to bf16
  %sitofp = arith.sitofp %i : i8 to f32
  %uitofp = arith.uitofp %i : i8 to f32
  %fptosi = arith.fptosi %d : f64 to i16
  %fptoui = arith.fptoui %d : f64 to i16
  %bitcast = arith.bitcast %d : f64 to i64
  %wider = arith.index_cast %i : i8 to index
  %widerui = arith.index_castui %i : i8 to index
  %narrower = arith.index_cast %n : index to i32
  %same = arith.index_cast %n : index to i64
  return %extsi, %extui, %trunci, %extf, %truncf, %sitofp, %uitofp, %fptosi, %fptoui, %bitcast, %wider, %widerui, %narrower, %same : i32, i32, i1, f32, bf16, f32, f32, i16, i16, i64, index, index, i32, i64
}

// CHECK-LABEL: function "two_results"
// CHECK:         %[[SUM:[0-9]+]], %[[CARRY:[0-9]+]] = AddUIExtended i32 
// CHECK:         MulSIExtended i32 
// CHECK:         MulUIExtended i32 
// CHECK:         Select i32 %[[CARRY]], 
func.func @two_results(%a: i32, %b: i32) -> (i32, i1, i32, i32, i32, i32, i32) {
  %sum, %carry = arith.addui_extended %a, %b : i32, i1
  %sl, %sh = arith.mulsi_extended %a, %b : i32
  %ul, %uh = arith.mului_extended %a, %b : i32
  %sel = arith.select %carry, %a, %b : i32
  return %sum, %carry, %sl, %sh, %ul, %uh, %sel : i32, i1, i32, i32, i32, i32, i32
}

// CHECK-LABEL: function "affine"
// CHECK:         MulI index 
// CHECK:         FloorDivSI index 
// CHECK:         AddI index 
// CHECK:         MinSI index 
// CHECK:         MinSI index 
// CHECK:         FloorDivSI index 
// CHECK:         MulI index 
// CHECK:         SubI index 
// CHECK:         CeilDivSI index 
// CHECK:         MaxSI index 
func.func @affine(%a: index, %b: index) -> (index, index, index) {
  %0 = affine.apply affine_map<(d0)[s0] -> (d0 * 3 + s0 floordiv 4)>(%a)[%b]
  %1 = affine.min affine_map<(d0, d1) -> (d0, d1, 7)>(%a, %b)
  %2 = affine.max affine_map<(d0) -> (d0 mod 5, d0 ceildiv 2)>(%a)
  return %0, %1, %2 : index, index, index
}
