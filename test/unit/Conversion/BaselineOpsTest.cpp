//===- BaselineOpsTest.cpp - Each operation at tier baseline --------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every operation that has code, on every type that it has code for, over special values and any
// bits: the same bits as the interpreter.
//
//===----------------------------------------------------------------------===//

#include "CompiledUnits.h"
#include "UnitTexts.h"

#include "gtest/gtest.h"

namespace anneal::test {

namespace {

using plan::DType;
using runtime::test::TestTensor;

constexpr DType kFloats[] = {DType::F16, DType::BF16, DType::F32, DType::F64};
constexpr DType kIntegers[] = {DType::I1, DType::I8, DType::I16, DType::I32, DType::I64};

class BaselineOps : public ::testing::Test {
protected:
  /// Runs `body`, which computes %r from %a0, %a1, ..., for each setup.
  void check(const std::vector<DType> &inputs, DType result, const std::string &body) {
    SCOPED_TRACE(body);
    static std::vector<std::unique_ptr<UnitCompiler>> compilers = [] {
      std::vector<std::unique_ptr<UnitCompiler>> all;
      for (const CompileSetup &setup : runnableSetups())
        all.push_back(std::make_unique<UnitCompiler>(setup));
      return all;
    }();
    constexpr int64_t kCount = 4001;
    std::vector<TestTensor> tensors;
    for (DType type : inputs) {
      tensors.push_back(runtime::test::makeTensor(type, {kCount}));
      fillSpecial(tensors.back(), random);
    }
    tensors.push_back(runtime::test::makeTensor(result, {kCount}));
    for (auto &compiler : compilers) {
      auto compiled = compiler->compile(mapUnit(inputs, result, body));
      ASSERT_NE(compiled, nullptr);
      EXPECT_EQ(compiled->remarks, "");
      EXPECT_GT(expectSameBits(*compiled, tensors), 0);
    }
  }

  void checkUnary(const std::string &op, DType type) {
    check({type}, type, "%r = " + op + " %a0 : " + typeName(type) + "\n");
  }
  void checkBinary(const std::string &op, DType type) {
    check({type, type}, type, "%r = " + op + " %a0, %a1 : " + typeName(type) + "\n");
  }

  Random random{7};
};

TEST_F(BaselineOps, FloatArithmetic) {
  for (DType type : kFloats) {
    for (const char *op : {"arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.maximumf",
                           "arith.minimumf", "arith.maxnumf", "arith.minnumf", "math.copysign"})
      checkBinary(op, type);
    for (const char *op : {"arith.negf", "math.absf", "math.sqrt", "math.rsqrt", "math.floor",
                           "math.ceil", "math.round", "math.roundeven", "math.trunc"})
      checkUnary(op, type);
    std::string name = typeName(type);
    check({type, type, type}, type, "%r = math.fma %a0, %a1, %a2 : " + name + "\n");
    check({type, type, type}, type, "%r = math.clampf %a0 to [%a1, %a2] : " + name + "\n");
    check({DType::I1, type, type}, type, "%r = arith.select %a0, %a1, %a2 : " + name + "\n");
  }
}

TEST_F(BaselineOps, ExtremaWithConstants) {
  for (DType type : kFloats)
    for (const char *constant : {"0.0", "-0.0", "6.0", "-1.5"})
      for (const char *op :
           {"arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf"}) {
        std::string name = typeName(type);
        std::string begin = "%c = arith.constant " + std::string(constant) + " : " + name + "\n";
        check({type}, type, begin + "%r = " + op + " %a0, %c : " + name + "\n");
        check({type}, type, begin + "%r = " + op + " %c, %a0 : " + name + "\n");
      }
}

TEST_F(BaselineOps, FloatComparisonsAndTests) {
  for (DType type : kFloats) {
    std::string name = typeName(type);
    for (const char *predicate : {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq",
                                  "ugt", "uge", "ult", "ule", "une", "uno", "true"})
      check({type, type}, DType::I1,
            "%r = arith.cmpf " + std::string(predicate) + ", %a0, %a1 : " + name + "\n");
    for (const char *op : {"math.isfinite", "math.isinf", "math.isnan"})
      check({type}, DType::I1, "%r = " + std::string(op) + " %a0 : " + name + "\n");
  }
  for (DType type : {DType::F32, DType::F64})
    check({type}, DType::I1, "%r = math.isnormal %a0 : " + typeName(type) + "\n");
}

TEST_F(BaselineOps, TranscendentalFunctions) {
  for (DType type : kFloats) {
    for (const char *op : {"math.exp", "math.exp2", "math.expm1", "math.log", "math.log1p",
                           "math.log2", "math.log10", "math.tanh", "math.sinh", "math.cosh"})
      checkUnary(op, type);
    if (type == DType::F64)
      continue;
    for (const char *op : {"math.erf", "math.erfc", "math.asin", "math.acos", "math.atan",
                           "math.asinh", "math.acosh", "math.atanh", "math.cbrt"})
      checkUnary(op, type);
    checkBinary("math.atan2", type);
    checkBinary("math.powf", type);
  }
}

TEST_F(BaselineOps, ConstantPowers) {
  for (DType type : kFloats) {
    std::string name = typeName(type);
    for (const char *power : {"2.0", "3.0"})
      check({type}, type,
            "%c = arith.constant " + std::string(power) + " : " + name +
                "\n%r = math.powf %a0, %c : " + name + "\n");
    for (int power : {-3, -1, 0, 1, 2, 3, 4, 7, 31})
      check({type}, type,
            "%c = arith.constant " + std::to_string(power) +
                " : i32\n%r = math.fpowi %a0, %c : " + name + ", i32\n");
  }
}

TEST_F(BaselineOps, IntegerArithmetic) {
  for (DType type : kIntegers) {
    for (const char *op :
         {"arith.addi", "arith.subi", "arith.muli", "arith.andi", "arith.ori", "arith.xori",
          "arith.shli", "arith.shrsi", "arith.shrui", "arith.maxsi", "arith.maxui", "arith.minsi",
          "arith.minui", "arith.divsi", "arith.remsi", "arith.ceildivsi", "arith.floordivsi"})
      checkBinary(op, type);
    if (type != DType::I64)
      for (const char *op : {"arith.divui", "arith.remui", "arith.ceildivui"})
        checkBinary(op, type);
    if (type != DType::I1)
      for (const char *op : {"math.absi", "math.ctlz", "math.cttz", "math.ctpop"})
        checkUnary(op, type);
    std::string name = typeName(type);
    check({DType::I1, type, type}, type, "%r = arith.select %a0, %a1, %a2 : " + name + "\n");
    for (const char *predicate :
         {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"})
      check({type, type}, DType::I1,
            "%r = arith.cmpi " + std::string(predicate) + ", %a0, %a1 : " + name + "\n");
  }
}

TEST_F(BaselineOps, OperationsWithAConstant) {
  for (DType type : {DType::I8, DType::I32, DType::I64})
    for (const char *op : {"arith.divsi", "arith.floordivsi", "arith.remsi", "arith.shli",
                           "arith.shrsi", "arith.shrui"})
      for (int constant : {0, 1, -1, 3, 7, 40}) {
        std::string name = typeName(type);
        check({type}, type,
              "%c = arith.constant " + std::to_string(constant) + " : " + name + "\n%r = " + op +
                  " %a0, %c : " + name + "\n");
      }
}

TEST_F(BaselineOps, ConversionsBetweenFloats) {
  for (DType from : kFloats)
    for (DType to : kFloats) {
      unsigned fromWidth = plan::bitWidth(from), toWidth = plan::bitWidth(to);
      if (fromWidth == toWidth)
        continue;
      check({from}, to,
            std::string("%r = arith.") + (fromWidth < toWidth ? "extf" : "truncf") +
                " %a0 : " + typeName(from) + " to " + typeName(to) + "\n");
    }
}

TEST_F(BaselineOps, ConversionsOfIntegers) {
  for (DType integer : kIntegers) {
    for (DType real : kFloats)
      for (const char *sign : {"s", "u"}) {
        std::string s(sign), i = typeName(integer), f = typeName(real);
        if (real != DType::BF16 || integer != DType::I64)
          check({integer}, real, "%r = arith." + s + "itofp %a0 : " + i + " to " + f + "\n");
        if (integer != DType::I1)
          check({real}, integer, "%r = arith.fpto" + s + "i %a0 : " + f + " to " + i + "\n");
      }
    for (DType other : kIntegers) {
      std::string from = typeName(integer), to = typeName(other);
      if (other > integer)
        for (const char *op : {"arith.extsi", "arith.extui"})
          check({integer}, other,
                "%r = " + std::string(op) + " %a0 : " + from + " to " + to + "\n");
      if (other < integer)
        check({integer}, other, "%r = arith.trunci %a0 : " + from + " to " + to + "\n");
    }
  }
}

TEST_F(BaselineOps, Bitcasts) {
  const std::pair<DType, DType> pairs[] = {{DType::F16, DType::I16},
                                           {DType::BF16, DType::I16},
                                           {DType::F32, DType::I32},
                                           {DType::F64, DType::I64},
                                           {DType::F16, DType::BF16}};
  for (auto [a, b] : pairs) {
    std::string x = typeName(a), y = typeName(b);
    check({a}, b, "%r = arith.bitcast %a0 : " + x + " to " + y + "\n");
    check({b}, a, "%r = arith.bitcast %a0 : " + y + " to " + x + "\n");
  }
}

} // namespace
} // namespace anneal::test
