//===- JitAttrsTest.cpp - Tests of the jit dialect's attributes -----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/IR/JitAttrs.h"
#include "anneal/IR/JitDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <limits>

using namespace mlir;
using namespace anneal;
using namespace anneal::jit;

namespace {

class JitAttrs : public testing::Test {
protected:
  JitAttrs() : handler(&context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); }) {
    context.loadDialect<JitDialect>();
  }

  /// Reports errors where there is no location in a text.
  auto emitter() {
    return [this] { return emitError(UnknownLoc::get(&context)); };
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::string message;
  ScopedDiagnosticHandler handler;
};

TEST_F(JitAttrs, HotnessTellsUnknownFromZero) {
  auto hotness = HotnessAttr::get(&context, 0, 3.5, std::nullopt, 8192, std::nullopt);
  EXPECT_EQ(hotness.getCount(), 0);
  EXPECT_EQ(hotness.getTimeUs(), 3.5);
  EXPECT_EQ(hotness.getBytes(), std::nullopt);
  EXPECT_EQ(hotness.getFlops(), 8192);
  EXPECT_EQ(hotness.getScore(), std::nullopt);
  EXPECT_NE(hotness, HotnessAttr::get(&context, 0, 3.5, 0, 8192, std::nullopt));
}

TEST_F(JitAttrs, HotnessRefusesTimesThatAreNoNumbers) {
  auto f64 = Float64Type::get(&context);
  auto nan = FloatAttr::get(f64, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(failed(HotnessAttr::verify(emitter(), 1, nan, std::nullopt, std::nullopt, {})));
  EXPECT_EQ(message, "'time_us' must be finite and not negative, but is nan");
  auto infinity = FloatAttr::get(f64, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(failed(HotnessAttr::verify(emitter(), 1, {}, std::nullopt, std::nullopt, infinity)));
  auto narrow = FloatAttr::get(Float32Type::get(&context), 1.0);
  EXPECT_TRUE(failed(HotnessAttr::verify(emitter(), 1, narrow, std::nullopt, std::nullopt, {})));
  EXPECT_EQ(message, "'time_us' must be an f64, but is 1.000000e+00 : f32");
}

TEST_F(JitAttrs, ShapeBucketOfAShapeContainsItAndItsNeighbours) {
  auto bucket = ShapeBucketAttr::getForShape(&context, {0, 1, 20, 64}, {1, 2});
  ASSERT_EQ(bucket.getDims().size(), 4u);
  EXPECT_EQ(bucket.getDims()[0], DimBucket::size(0));
  EXPECT_EQ(bucket.getDims()[2].getKind(), DimBucket::Kind::Bucket);
  EXPECT_EQ(bucket.getDims()[2].getIndex(), 8);
  EXPECT_TRUE(bucket.contains({0, 1, 20, 64}));
  EXPECT_TRUE(bucket.contains({0, 1, 16, 90}));
  EXPECT_TRUE(bucket.contains({0, 1, 22, 64}));
  EXPECT_FALSE(bucket.contains({0, 1, 23, 64})) << "2^(9/2) is 22.6";
  EXPECT_FALSE(bucket.contains({1, 1, 20, 64}));
  EXPECT_FALSE(bucket.contains({0, 1, 20, 63}));
  EXPECT_FALSE(bucket.contains({0, 1, 20})) << "another rank";
}

TEST_F(JitAttrs, ShapeBucketsOfEqualSizesAreOneAttribute) {
  EXPECT_EQ(ShapeBucketAttr::getForShape(&context, {17}, {1, 1}),
            ShapeBucketAttr::getForShape(&context, {31}, {1, 1}));
  EXPECT_NE(ShapeBucketAttr::getForShape(&context, {17}, {1, 1}),
            ShapeBucketAttr::getForShape(&context, {17}, {1, 2}))
      << "the step is part of it, even where it holds the same sizes";
}

TEST_F(JitAttrs, ShapeBucketRefusesStepsOutOfBounds) {
  DimBucket unreduced = DimBucket::bucket(4, {2, 4});
  EXPECT_TRUE(failed(ShapeBucketAttr::verify(emitter(), unreduced)));
  EXPECT_EQ(message,
            "the step 2/4 of dimension #0 is not a positive fraction in lowest terms, of at "
            "most 64, with a denominator of at most 64");
  EXPECT_TRUE(succeeded(ShapeBucketAttr::verify(emitter(), DimBucket::bucket(4, {1, 2}))));
}

TEST_F(JitAttrs, ScheduleFindsItsLists) {
  Builder builder(&context);
  auto schedule = ScheduleAttr::get(
      &context, builder.getDictionaryAttr(
                    {builder.getNamedAttr("unroll", builder.getDenseI64ArrayAttr({4})),
                     builder.getNamedAttr("tile", builder.getDenseI64ArrayAttr({8, 32}))}));
  EXPECT_EQ(schedule.lookup("tile"), (ArrayRef<int64_t>{8, 32}));
  EXPECT_EQ(schedule.lookup("unroll"), ArrayRef<int64_t>(4));
  EXPECT_EQ(schedule.lookup("pack"), std::nullopt);
}

TEST_F(JitAttrs, ScheduleRefusesWhatItsTextCannotSay) {
  Builder builder(&context);
  auto dictionary = [&](StringRef name, Attribute value) {
    return builder.getDictionaryAttr(builder.getNamedAttr(name, value));
  };
  EXPECT_TRUE(failed(ScheduleAttr::verify(emitter(), dictionary("8", builder.getI64ArrayAttr(4)))));
  EXPECT_EQ(message, "'8' is no name for a list of a schedule");
  EXPECT_TRUE(
      failed(ScheduleAttr::verify(emitter(), dictionary("tile", builder.getI64IntegerAttr(4)))));
  EXPECT_EQ(message, "'tile' must be a list of 64-bit integers, but is 4 : i64");
}

} // namespace
