//===- CodeTesting.cpp - Code images made by hand -------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeTesting.h"

#include "anneal-c/UnitAbi.h"

#include <cstring>
#include <fstream>
#include <sstream>

namespace anneal::runtime::test {

static constexpr size_t kTextSize = 16;

std::string constantCode(int32_t value, size_t size) {
  // mov (value - next)(%rip), %eax; ret
  static constexpr unsigned char kText[] = {0x8b, 0x05, kTextSize - 6, 0, 0, 0, 0xc3};
  std::string code(size, '\0');
  std::memcpy(code.data(), kText, sizeof(kText));
  std::memcpy(code.data() + kTextSize, &value, sizeof(value));
  return code;
}

plan::CodeImage constantImage(int32_t value, size_t size) {
  plan::CodeImage image;
  image.bytes = constantCode(value, size);
  image.textSize = kTextSize;
  image.entries = {{"get", 0, 7}};
  image.architecture = "x86_64";
  image.abiVersion = ANNEAL_UNIT_ABI_VERSION;
  return image;
}

int32_t callConstant(const void *code) {
  return reinterpret_cast<int32_t (*)()>(reinterpret_cast<uintptr_t>(code))();
}

std::vector<MappedRange> mappedRanges() {
  std::vector<MappedRange> ranges;
  std::ifstream file("/proc/self/maps");
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    MappedRange range;
    char dash;
    fields >> std::hex >> range.begin >> dash >> range.end >> range.access;
    ranges.push_back(range);
  }
  return ranges;
}

std::string accessOf(const void *address) {
  auto wanted = reinterpret_cast<uintptr_t>(address);
  for (const MappedRange &range : mappedRanges())
    if (range.begin <= wanted && wanted < range.end)
      return range.access;
  return "";
}

} // namespace anneal::runtime::test
