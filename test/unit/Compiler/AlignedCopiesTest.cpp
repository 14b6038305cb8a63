//===- AlignedCopiesTest.cpp - Tests of constants that are moved ----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AlignedCopies.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

using namespace anneal::compiler;

namespace {

/// Three huge pages and a bit, so that copies are made of several parts.
std::string manyBytes() {
  std::string bytes((size_t(6) << 20) + 12345, '\0');
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>(i * 7 + i / 4096);
  return bytes;
}

llvm::ArrayRef<char> slice(const llvm::MemoryBuffer &buffer, size_t from, size_t size) {
  return {buffer.getBufferStart() + from, size};
}

void expectCopy(AlignedCopies &copies, llvm::ArrayRef<char> bytes) {
  std::shared_ptr<const void> copy = copies.find(bytes);
  ASSERT_TRUE(copy);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(copy.get()) % 64, 0u);
  EXPECT_EQ(llvm::StringRef(static_cast<const char *>(copy.get()), bytes.size()),
            llvm::StringRef(bytes.data(), bytes.size()));
}

TEST(AlignedCopies, CopiesWhatLiesInMemory) {
  std::string bytes = manyBytes();
  auto buffer = llvm::MemoryBuffer::getMemBuffer(bytes);
  AlignedCopies copies(*buffer);
  llvm::ArrayRef<char> large = slice(*buffer, 1, bytes.size() - 100), small = slice(*buffer, 3, 64);
  copies.start(large);
  copies.start(small);
  copies.start(small);
  expectCopy(copies, small);
  expectCopy(copies, large);
}

TEST(AlignedCopies, CopiesWhatIsMappedAndLeavesItAsItWas) {
  std::string bytes = manyBytes();
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("anneal-copies-" + std::to_string(::getpid()));
  std::ofstream(path, std::ios::binary) << bytes;
  auto buffer = llvm::MemoryBuffer::getFile(path.string(), /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  std::filesystem::remove(path);
  ASSERT_TRUE(buffer);
  AlignedCopies copies(**buffer);
  llvm::ArrayRef<char> part = slice(**buffer, 4097, size_t(5) << 20);
  copies.start(part);
  expectCopy(copies, part);
  EXPECT_EQ((*buffer)->getBuffer(), llvm::StringRef(bytes));
}

TEST(AlignedCopies, CopiesOutliveWhatMadeThem) {
  std::string bytes = manyBytes();
  auto buffer = llvm::MemoryBuffer::getMemBuffer(bytes);
  std::shared_ptr<const void> copy;
  {
    AlignedCopies copies(*buffer);
    copies.start(slice(*buffer, 5, 1000));
    copy = copies.find(slice(*buffer, 5, 1000));
  }
  ASSERT_TRUE(copy);
  EXPECT_EQ(std::memcmp(copy.get(), bytes.data() + 5, 1000), 0);
}

TEST(AlignedCopies, KnowsNothingOfWhatWasNotStarted) {
  std::string bytes = manyBytes();
  auto buffer = llvm::MemoryBuffer::getMemBuffer(bytes);
  AlignedCopies copies(*buffer);
  EXPECT_FALSE(copies.find(slice(*buffer, 1, 1000)));
  copies.start(slice(*buffer, 1, 1000));
  EXPECT_FALSE(copies.find(slice(*buffer, 2, 1000)));
  EXPECT_FALSE(copies.find(slice(*buffer, 1, 500)));
}

} // namespace
