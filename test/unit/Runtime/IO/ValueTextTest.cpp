//===- ValueTextTest.cpp --------------------------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/IO/ValueText.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace anneal::runtime;
using anneal::plan::DType;

namespace {

TEST(ValueTextTest, EveryBitPatternOf16BitFloatsReadsBack) {
  for (DType dtype : {DType::F16, DType::BF16})
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      auto pattern = static_cast<uint16_t>(bits);
      std::string text = elementText(dtype, &pattern);
      uint16_t back = 0;
      ASSERT_TRUE(parseElement(text, dtype, &back)) << text;
      if (text != "nan")
        ASSERT_EQ(back, pattern) << text;
    }
}

TEST(ValueTextTest, FloatsReadBackExactly) {
  for (float value : {0.0f, -0.0f, 0.1f, 1e-45f, 3.4028235e38f, -INFINITY, 1.0f / 3}) {
    float back = 1;
    ASSERT_TRUE(parseElement(elementText(DType::F32, &value), DType::F32, &back));
    EXPECT_EQ(std::memcmp(&back, &value, sizeof(value)), 0) << elementText(DType::F32, &value);
  }
  double third = 1.0 / 3, back = 0;
  ASSERT_TRUE(parseElement(elementText(DType::F64, &third), DType::F64, &back));
  EXPECT_EQ(back, third);
}

TEST(ValueTextTest, IntegersAreCheckedAgainstTheirWidth) {
  int8_t small = 0;
  EXPECT_TRUE(parseElement("-128", DType::I8, &small));
  EXPECT_EQ(small, -128);
  EXPECT_TRUE(parseElement("255", DType::I8, &small));
  EXPECT_EQ(small, -1);
  EXPECT_TRUE(parseElement("0xff", DType::I8, &small));
  EXPECT_FALSE(parseElement("256", DType::I8, &small));
  EXPECT_FALSE(parseElement("-129", DType::I8, &small));
  int64_t large = 0;
  EXPECT_TRUE(parseElement("-9223372036854775808", DType::I64, &large));
  EXPECT_EQ(large, INT64_MIN);
  EXPECT_TRUE(parseElement("18446744073709551615", DType::I64, &large));
  EXPECT_FALSE(parseElement("18446744073709551616", DType::I64, &large));
  uint8_t truth = 0;
  EXPECT_TRUE(parseElement("true", DType::I1, &truth));
  EXPECT_EQ(truth, 1);
  EXPECT_FALSE(parseElement("2", DType::I1, &truth));
}

TEST(ValueTextTest, RefusesWhatIsNoNumber) {
  float value;
  int32_t integer;
  for (const char *text : {"", "-", "abc", "1.5x", "--1", "+-1", "1 2"}) {
    EXPECT_FALSE(parseElement(text, DType::F32, &value)) << text;
    EXPECT_FALSE(parseElement(text, DType::I32, &integer)) << text;
  }
  EXPECT_FALSE(parseElement("1.5", DType::I32, &integer));
}

TEST(ValueTextTest, OutOfRangeFloatsBecomeInfinityOrZero) {
  float value = 1;
  EXPECT_TRUE(parseElement("1e99", DType::F32, &value));
  EXPECT_EQ(value, INFINITY);
  EXPECT_TRUE(parseElement("-1e99", DType::F32, &value));
  EXPECT_EQ(value, -INFINITY);
  EXPECT_TRUE(parseElement("1e-99", DType::F32, &value));
  EXPECT_EQ(value, 0);
}

TEST(ValueTextTest, PrintsNestedTensors) {
  Tensor tensor = *Tensor::allocate(DType::I32, {2, 3});
  for (int i = 0; i < 6; ++i)
    tensor.dataAs<int32_t>()[i] = i;
  EXPECT_EQ(valueText(tensor, -1), "2x3xi32=[[0, 1, 2], [3, 4, 5]]");
  EXPECT_EQ(valueText(*Tensor::allocate(DType::F32, {2, 0}), -1), "2x0xf32=[[], []]");
  EXPECT_EQ(valueText(Scalar::of<int64_t>(DType::I64, -5), -1), "i64=-5");
}

TEST(ValueTextTest, ElidesTheMiddleOfLongTensors) {
  Tensor tensor = *Tensor::allocate(DType::I32, {10});
  for (int i = 0; i < 10; ++i)
    tensor.dataAs<int32_t>()[i] = i;
  EXPECT_EQ(valueText(tensor, 9), "10xi32=[0, 1, 2, ..., 7, 8, 9]");
  EXPECT_EQ(valueText(tensor, 10), "10xi32=[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]");
}

} // namespace
