//===- ValueSpecTest.cpp --------------------------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/IO/ValueSpec.h"
#include "anneal/Runtime/IO/ValueText.h"

#include <gtest/gtest.h>

using namespace anneal::runtime;

namespace {

std::string made(absl::string_view spec) {
  NumpyRandom random(0);
  auto tensor = parseValueSpec(spec, random);
  return tensor.ok() ? valueText(*tensor, -1) : std::string(tensor.status().message());
}

TEST(ValueSpecTest, MakesElementsSplatsAndSequences) {
  EXPECT_EQ(made("2x3xf32=1 2 3 4 5 6"), "2x3xf32=[[1, 2, 3], [4, 5, 6]]");
  EXPECT_EQ(made("2x3xf32=[[1,2,3],[4,5,6]]"), "2x3xf32=[[1, 2, 3], [4, 5, 6]]");
  EXPECT_EQ(made("2x2xf16=0.5"), "2x2xf16=[[0.5, 0.5], [0.5, 0.5]]");
  EXPECT_EQ(made("1x4xi64=iota"), "1x4xi64=[[0, 1, 2, 3]]");
  EXPECT_EQ(made("i64=5"), "i64=5");
  EXPECT_EQ(made("3xindex=iota"), "3xindex=[0, 1, 2]");
  EXPECT_EQ(made("2xi1=true false"), "2xi1=[true, false]");
  EXPECT_EQ(made("0x3xf32=0"), "0x3xf32=[]");
  EXPECT_EQ(made("0x3xf32="), "0x3xf32=[]");
  EXPECT_EQ(made("2xbf16=nan -inf"), "2xbf16=[nan, -inf]");
}

TEST(ValueSpecTest, UnsignedTypesGiveTheBitsOfTheirWidth) {
  EXPECT_EQ(made("2xui8=0 200"), "2xi8=[0, -56]");
  EXPECT_EQ(made("ui64=18446744073709551615"), "i64=-1");
  EXPECT_EQ(made("256xui8=iota"), made("256xi8=iota"));
}

TEST(ValueSpecTest, RandomNumbersAreNumpysInOneStream) {
  NumpyRandom random(0);
  EXPECT_EQ(valueText(*parseValueSpec("2xi64=rand(1000,30000)", random), -1),
            "2xi64=[25668, 19471]");
  EXPECT_EQ(valueText(*parseValueSpec("1xi32=rand(1000,30000)", random), -1), "1xi32=[15822]");
  EXPECT_EQ(valueText(*parseValueSpec("2xf64=rand(-1,2)", random), -1),
            "2xf64=[-0.8770794281914159, -0.9504170934144127]");
}

TEST(ValueSpecTest, SaysWhatIsWrong) {
  const std::pair<const char *, const char *> cases[] = {
      {"2x3xf33=0", "unknown element type 'f33'"},
      {"2xx3xf32=0", "'' is not a size"},
      {"-1xf32=0", "'-1' is not a size"},
      {"2xf32=1 2 3", "the type has 2 elements, not 3"},
      {"2xf32=", "the type has 2 elements, not 0"},
      {"2xi8=1 300", "'300' does not fit i8, which takes -128 to 255"},
      {"2xui8=1 300", "'300' does not fit ui8, which takes 0 to 255"},
      {"i64=9223372036854775808", "'9223372036854775808' does not fit i64"},
      {"257xi8=iota", "iota reaches 256, which does not fit the type"},
      {"3xi1=iota", "iota reaches 2, which does not fit the type"},
      {"2xi8=rand(0,257)", "the type takes -128 to 255"},
      {"2xui8=rand(-1,9)", "the type takes 0 to 255"},
      {"2xf32=rand(0,nan)", "two numbers"},
      {"ui1=0", "unknown element type 'ui1'"},
      {"uf32=0", "unknown element type 'uf32'"},
      {"2x3xf32", "no values follow the type; write an input as 2x3xf32=1 2 3 4 5 6"},
      {"no-such-file", "there is no such file; write an input as 2x3xf32=1 2 3 4 5 6"},
      {"2xf32=1 two", "'two' is not a value of type f32"},
      {"2xi64=rand(5,5)", "low < high"},
      {"2xi64=rand(5)", "two integers"},
      {"9223372036854775807x9223372036854775807xf32=0", ""},
      {"@/nonexistent.npy", "/nonexistent.npy"},
  };
  for (auto [spec, message] : cases) {
    NumpyRandom random(0);
    auto tensor = parseValueSpec(spec, random);
    ASSERT_FALSE(tensor.ok()) << spec;
    EXPECT_NE(tensor.status().message().find(message), absl::string_view::npos) << tensor.status();
  }
}

} // namespace
