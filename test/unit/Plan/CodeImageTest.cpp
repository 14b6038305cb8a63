//===- CodeImageTest.cpp - Compiled code as plain data --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Plan/CodeImage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

using namespace anneal::plan;
using testing::HasSubstr;

namespace {

CodeImage makeImage() {
  CodeImage image;
  image.bytes = std::string(100, '\x90') + std::string(28, '\0');
  image.textSize = 96;
  image.alignment = 64;
  image.entries = {{"a", 0, 32}, {"b", 32, 16}, {"with space\"", 64, 0}};
  image.internals = {{"helper", 48, 16}};
  image.architecture = "x86_64";
  image.features = "avx,fma";
  image.abiVersion = 7;
  return image;
}

std::string errorOf(std::string_view bytes) {
  auto parsed = parseCodeImage(bytes);
  auto *message = std::get_if<std::string>(&parsed);
  return message ? *message : "";
}

TEST(CodeImageTest, KeepsEveryField) {
  CodeImage image = makeImage();
  auto parsed = parseCodeImage(serialize(image));
  ASSERT_TRUE(std::holds_alternative<CodeImage>(parsed)) << std::get<std::string>(parsed);
  EXPECT_EQ(std::get<CodeImage>(parsed), image);
}

TEST(CodeImageTest, FindsEntriesByName) {
  CodeImage image = makeImage();
  ASSERT_NE(image.findEntry("b"), nullptr);
  EXPECT_EQ(image.findEntry("b")->offset, 32u);
  EXPECT_EQ(image.findEntry("with space\"")->offset, 64u);
  EXPECT_EQ(image.findEntry("helper"), nullptr);
  EXPECT_EQ(image.findEntry(""), nullptr);
  EXPECT_EQ(image.findEntry("zz"), nullptr);
}

TEST(CodeImageTest, NoticesAnyTruncationAndExcess) {
  std::string whole = serialize(makeImage());
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(errorOf(whole.substr(0, size)), "") << size;
  EXPECT_NE(errorOf(whole + '\0'), "");
}

TEST(CodeImageTest, SurvivesAnyFlippedBit) {
  std::string whole = serialize(makeImage());
  for (size_t i = 0; i < whole.size() * 8; ++i) {
    std::string damaged = whole;
    damaged[i / 8] ^= static_cast<char>(1 << i % 8);
    // A flipped bit inside the code is for the checksum of whoever stored it. All else is an error
    // or an image that is valid.
    auto parsed = parseCodeImage(damaged);
    if (auto *image = std::get_if<CodeImage>(&parsed)) {
      EXPECT_EQ(validate(*image), std::nullopt);
    }
  }
}

TEST(CodeImageTest, NamesTheVersion) {
  std::string bytes = serialize(makeImage());
  EXPECT_EQ(errorOf("ELF" + bytes), "not a code image");
  bytes[8] = 99;
  EXPECT_EQ(errorOf(bytes), "a code image of version 99, this program reads version 1");
}

TEST(CodeImageTest, RefusesWhatIsNotWellFormed) {
  auto problem = [](const std::function<void(CodeImage &)> &damage) {
    CodeImage image = makeImage();
    damage(image);
    // What is not valid is refused when it is read, too.
    EXPECT_THAT(errorOf(serialize(image)), HasSubstr("is not valid"));
    return validate(image).value_or("");
  };
  EXPECT_EQ(validate(makeImage()), std::nullopt);
  EXPECT_EQ(problem([](CodeImage &x) { x.textSize = 0; }), "there is no code");
  EXPECT_EQ(problem([](CodeImage &x) { x.bytes = ""; }), "there is no code");
  EXPECT_EQ(problem([](CodeImage &x) { x.textSize = 129; }), "the code is longer than the image");
  EXPECT_EQ(problem([](CodeImage &x) { x.alignment = 0; }), "the alignment 0 is not possible");
  EXPECT_EQ(problem([](CodeImage &x) { x.alignment = 48; }), "the alignment 48 is not possible");
  EXPECT_EQ(problem([](CodeImage &x) { x.alignment = 8192; }),
            "the alignment 8192 is not possible");
  EXPECT_EQ(problem([](CodeImage &x) { x.architecture = ""; }), "the architecture is missing");
  EXPECT_EQ(problem([](CodeImage &x) { x.entries.clear(); }), "there is no entry");
  EXPECT_EQ(problem([](CodeImage &x) { x.entries[0].name = ""; }), "a function without a name");
  EXPECT_EQ(problem([](CodeImage &x) { x.entries[1].name = "a"; }),
            "the entries are not sorted by name");
  EXPECT_EQ(problem([](CodeImage &x) { x.entries[1].offset = 96; }),
            "function 'b' lies outside the code");
  EXPECT_EQ(problem([](CodeImage &x) { x.entries[1].size = ~uint64_t(0); }),
            "function 'b' lies outside the code");
  EXPECT_EQ(problem([](CodeImage &x) { x.internals[0].size = 49; }),
            "function 'helper' lies outside the code");
}

} // namespace
