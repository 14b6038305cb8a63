//===- ValueTextTest.cpp --------------------------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/IO/ValueText.h"

#include "anneal/Support/HalfFloat.h"

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
      ASSERT_TRUE(parseElement(text, dtype, &back).ok()) << text;
      if (text != "nan") {
        ASSERT_EQ(back, pattern) << text;
      }
    }
}

TEST(ValueTextTest, FloatsOf16BitsLookLikeThoseOf32) {
  for (auto [value, text] : {std::pair(10.0f, "10"),
                             {11.0f, "11"},
                             {100.0f, "100"},
                             {2048.0f, "2048"},
                             {-0.0f, "-0"},
                             {1.5f, "1.5"}})
    for (DType dtype : {DType::F16, DType::BF16}) {
      uint16_t pattern =
          dtype == DType::F16 ? anneal::floatToHalf(value) : anneal::floatToBfloat(value);
      EXPECT_EQ(elementText(dtype, &pattern), text);
      EXPECT_EQ(elementText(DType::F32, &value), text);
    }
  uint16_t tenth = anneal::floatToHalf(0.1f), largest = anneal::floatToHalf(65504);
  EXPECT_EQ(elementText(DType::F16, &tenth), "0.1");
  EXPECT_EQ(elementText(DType::F16, &largest), "65504");
}

TEST(ValueTextTest, FloatsReadBackExactly) {
  for (float value : {0.0f, -0.0f, 0.1f, 1e-45f, 3.4028235e38f, -INFINITY, 1.0f / 3}) {
    float back = 1;
    ASSERT_TRUE(parseElement(elementText(DType::F32, &value), DType::F32, &back).ok());
    EXPECT_EQ(std::memcmp(&back, &value, sizeof(value)), 0) << elementText(DType::F32, &value);
  }
  double third = 1.0 / 3, back = 0;
  ASSERT_TRUE(parseElement(elementText(DType::F64, &third), DType::F64, &back).ok());
  EXPECT_EQ(back, third);
}

/// The bits that `text` gives, in decimal, or the error.
template <typename T>
std::string parsed(const char *text, DType dtype, IntegerRange range = IntegerRange::Any) {
  T value = 0;
  absl::Status status = parseElement(text, dtype, &value, range);
  return status.ok() ? std::to_string(value) : std::string(status.message());
}

TEST(ValueTextTest, IntegersAreCheckedAgainstTheirWidth) {
  EXPECT_EQ(parsed<int8_t>("-128", DType::I8), "-128");
  EXPECT_EQ(parsed<int8_t>("255", DType::I8), "-1");
  EXPECT_EQ(parsed<int8_t>("0xff", DType::I8), "-1");
  EXPECT_EQ(parsed<int8_t>("256", DType::I8), "'256' does not fit i8, which takes -128 to 255");
  EXPECT_EQ(parsed<int8_t>("-129", DType::I8), "'-129' does not fit i8, which takes -128 to 255");
  EXPECT_EQ(parsed<int32_t>("4294967295", DType::I32), "-1");
  EXPECT_EQ(parsed<int64_t>("-9223372036854775808", DType::I64), "-9223372036854775808");
  EXPECT_EQ(parsed<int64_t>("0xffffffffffffffff", DType::I64), "-1");
  for (const char *text : {"9223372036854775808", "99999999999999999999", "-9223372036854775809"})
    EXPECT_EQ(parsed<int64_t>(text, DType::I64),
              std::string("'") + text +
                  "' does not fit i64, which takes -9223372036854775808 to 9223372036854775807");
  EXPECT_EQ(parsed<uint8_t>("true", DType::I1), "1");
  EXPECT_EQ(parsed<uint8_t>("-1", DType::I1), "1");
  EXPECT_EQ(parsed<uint8_t>("2", DType::I1), "'2' does not fit i1, which takes -1 to 1");
}

TEST(ValueTextTest, UnsignedIntegersHaveTheirOwnRange) {
  IntegerRange range = IntegerRange::Unsigned;
  EXPECT_EQ(parsed<uint8_t>("200", DType::I8, range), "200");
  EXPECT_EQ(parsed<uint8_t>("300", DType::I8, range),
            "'300' does not fit ui8, which takes 0 to 255");
  EXPECT_EQ(parsed<uint8_t>("-1", DType::I8, range), "'-1' does not fit ui8, which takes 0 to 255");
  EXPECT_EQ(parsed<uint64_t>("18446744073709551615", DType::I64, range), "18446744073709551615");
  EXPECT_EQ(parsed<uint64_t>("18446744073709551616", DType::I64, range),
            "'18446744073709551616' does not fit ui64, which takes 0 to 18446744073709551615");
}

TEST(ValueTextTest, RefusesWhatIsNoNumber) {
  float value;
  int32_t integer;
  for (const char *text : {"", "-", "abc", "1.5x", "--1", "+-1", "1 2"}) {
    EXPECT_FALSE(parseElement(text, DType::F32, &value).ok()) << text;
    EXPECT_FALSE(parseElement(text, DType::I32, &integer).ok()) << text;
  }
  EXPECT_FALSE(parseElement("1.5", DType::I32, &integer).ok());
}

TEST(ValueTextTest, OutOfRangeFloatsBecomeInfinityOrZero) {
  float value = 1;
  EXPECT_TRUE(parseElement("1e99", DType::F32, &value).ok());
  EXPECT_EQ(value, INFINITY);
  EXPECT_TRUE(parseElement("-1e99", DType::F32, &value).ok());
  EXPECT_EQ(value, -INFINITY);
  EXPECT_TRUE(parseElement("1e-99", DType::F32, &value).ok());
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
