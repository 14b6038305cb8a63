//===- SerializeTest.cpp - Plans in files ---------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SamplePlans.h"

#include "anneal/Plan/Print.h"
#include "anneal/Plan/Serialize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

using namespace anneal::plan;
using namespace anneal::plan::test;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

class SerializeTest : public testing::Test {
protected:
  void SetUp() override {
    folder = fs::path(testing::TempDir()) /
             (std::string("anneal-serialize-") +
              testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder);
    fs::create_directories(folder);
    path = (folder / "plan").string();
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string read() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string &bytes) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  std::string loadError(const LoadOptions &options = {}) const {
    auto loaded = loadModule(path, options);
    auto *message = std::get_if<std::string>(&loaded);
    return message ? *message : "";
  }

  fs::path folder;
  std::string path;
};

std::string textOf(const Module &module) {
  std::ostringstream text;
  print(module, text);
  return text.str();
}

/// Offsets in the header.
constexpr size_t kVersionAt = 8, kChecksumAt = 16, kCheckedFrom = 32, kPlanAt = 72;

uint64_t planBytes(const std::string &file) {
  uint64_t bytes;
  std::memcpy(&bytes, file.data() + kCheckedFrom, sizeof(bytes));
  return bytes;
}

/// Gives a file whose plan was changed the checksum that fits.
void reseal(std::string &file) {
  XXH128_hash_t hash =
      XXH3_128bits(file.data() + kCheckedFrom, kPlanAt - kCheckedFrom + planBytes(file));
  std::memcpy(file.data() + kChecksumAt, &hash.low64, 8);
  std::memcpy(file.data() + kChecksumAt + 8, &hash.high64, 8);
}

TEST_F(SerializeTest, KeepsEveryFieldAndTheConstants) {
  Module module = makeEverythingModule();
  ASSERT_EQ(saveModule(module, path), std::nullopt);
  auto loaded = loadModule(path, {.verifyConstants = true});
  ASSERT_TRUE(std::holds_alternative<Module>(loaded)) << std::get<std::string>(loaded);
  const Module &again = std::get<Module>(loaded);
  EXPECT_EQ(textOf(again), textOf(module));
  EXPECT_EQ(std::memcmp(again.constants[0].data, module.constants[0].data, 64), 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(again.constants[0].data) % 64, 0u);
  EXPECT_EQ(again.constants[1].data, nullptr);
  // What the text leaves out.
  ASSERT_EQ(again.units.size(), module.units.size());
  for (size_t u = 0; u < module.units.size(); ++u)
    EXPECT_TRUE(again.units[u].kernels == module.units[u].kernels);
  for (size_t f = 0; f < module.functions.size(); ++f) {
    EXPECT_EQ(again.functions[f].scalarInit, module.functions[f].scalarInit);
    EXPECT_EQ(again.functions[f].scalarTypes, module.functions[f].scalarTypes);
    EXPECT_EQ(again.functions[f].codeLocations, module.functions[f].codeLocations);
  }
}

TEST_F(SerializeTest, WritesTheSameBytesAgain) {
  ASSERT_EQ(saveModule(makeEverythingModule(), path), std::nullopt);
  std::string first = read();
  auto loaded = loadModule(path);
  ASSERT_EQ(saveModule(std::get<Module>(loaded), path), std::nullopt);
  EXPECT_EQ(read(), first);
}

TEST_F(SerializeTest, KeepsTheIrOfUnits) {
  ASSERT_EQ(saveModule(makeLinearModule(), path, {.unitIr = "some IR"}), std::nullopt);
  auto loaded = loadModule(path);
  EXPECT_EQ(std::get<Module>(loaded).unitIr, "some IR");
  ASSERT_EQ(saveModule(std::get<Module>(loaded), path), std::nullopt);
  EXPECT_EQ(std::get<Module>(loadModule(path)).unitIr, "some IR");
}

TEST_F(SerializeTest, ReadsBytesAsItReadsFiles) {
  ASSERT_EQ(saveModule(makeEverythingModule(), path), std::nullopt);
  std::string bytes = read(), odd = "x" + bytes;
  auto loaded = loadModuleBytes(std::string_view(odd).substr(1), "bytes");
  odd.assign(odd.size(), 'x');
  ASSERT_EQ(saveModule(std::get<Module>(loaded), path), std::nullopt);
  EXPECT_EQ(read(), bytes);
  EXPECT_TRUE(isSavedModuleBytes(bytes));
  for (std::string_view wrong : {"", "ANNLPLA", "func.func"}) {
    EXPECT_FALSE(isSavedModuleBytes(wrong));
    auto failed = loadModuleBytes(wrong, "bytes");
    EXPECT_THAT(std::get<std::string>(failed), HasSubstr("'bytes': not a saved plan"));
  }
}

TEST_F(SerializeTest, ConstantsOutliveTheModule) {
  ASSERT_EQ(saveModule(makeLinearModule(), path), std::nullopt);
  Constant constant = std::get<Module>(loadModule(path)).constants[0];
  fs::remove(path);
  EXPECT_EQ(static_cast<const float *>(constant.data)[4], 2.0f);
}

TEST_F(SerializeTest, NoticesAnyTruncation) {
  ASSERT_EQ(saveModule(makeEverythingModule(), path), std::nullopt);
  std::string whole = read();
  for (size_t size = 0; size < whole.size(); size += size < 200 ? 1 : 151) {
    write(whole.substr(0, size));
    EXPECT_THAT(loadError(), HasSubstr(path)) << size;
  }
  write(whole.substr(0, whole.size() - 1));
  EXPECT_THAT(loadError(), HasSubstr("truncated"));
}

TEST_F(SerializeTest, NoticesAnyFlippedBit) {
  ASSERT_EQ(saveModule(makeEverythingModule(), path), std::nullopt);
  std::string whole = read();
  size_t planEnd = kPlanAt + planBytes(whole);
  for (size_t at = 0; at < planEnd; at += 19) {
    if (at >= 12 && at < kChecksumAt)
      continue; // reserved
    std::string damaged = whole;
    damaged[at] ^= static_cast<char>(1 << at % 8);
    write(damaged);
    EXPECT_NE(loadError(), "") << "byte " << at;
  }
  std::string damaged = whole;
  damaged[whole.size() - 5] ^= 1;
  write(damaged);
  EXPECT_EQ(loadError(), "");
  EXPECT_THAT(loadError({.verifyConstants = true}), HasSubstr("constants are damaged"));
}

TEST_F(SerializeTest, SaysWhatIsWrongWithAFile) {
  EXPECT_THAT(loadError(), HasSubstr("No such file"));
  write("");
  EXPECT_THAT(loadError(), HasSubstr("empty"));
  write(std::string(5000, 'x'));
  EXPECT_THAT(loadError(), HasSubstr("not a saved plan"));
  ASSERT_EQ(saveModule(makeLinearModule(), path), std::nullopt);
  std::string file = read();
  file[kVersionAt] = 99;
  write(file);
  EXPECT_THAT(loadError(), HasSubstr("version 99"));
  EXPECT_THAT(saveModule(makeLinearModule(), (folder / "none" / "plan").string()).value_or(""),
              HasSubstr("cannot be written"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
}

/// A plan whose bytes are wrong although its checksum is right: an error, or a plan that is well
/// formed, but never a crash.
TEST_F(SerializeTest, SurvivesArbitraryPlans) {
  ASSERT_EQ(saveModule(makeEverythingModule(), path), std::nullopt);
  std::string whole = read();
  uint64_t bytes = planBytes(whole);
  std::mt19937_64 random(1);
  unsigned refused = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string damaged = whole;
    for (int change = 0; change <= round % 3; ++change) {
      size_t at = kPlanAt + random() % bytes;
      damaged[at] = static_cast<char>(round % 2 ? random() : damaged[at] + 1);
    }
    reseal(damaged);
    write(damaged);
    refused += loadError() != "";
  }
  EXPECT_GT(refused, 300u);
}

} // namespace
