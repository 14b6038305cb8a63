//===- CodeObserverTest.cpp - Profilers and debuggers ---------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Code/CodeObserver.h"

#include "CodeTesting.h"
#include "GdbJit.h"

#include "anneal/Runtime/Code/InstalledCode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::test;
using testing::ElementsAre;
namespace fs = std::filesystem;

namespace {

class CodeObserverTest : public testing::Test {
protected:
  std::shared_ptr<const InstalledCode> install(const std::shared_ptr<CodeObserver> &observer) {
    plan::CodeImage image = constantImage(1);
    image.entries = {{"get", 0, 7}, {"my unit", 8, 0}};
    image.internals = {{"memset", 12, 4}};
    return *InstalledCode::install(image, slabs, {.tier = "baseline", .observers = {observer}});
  }
  static std::string hex(const void *address, size_t offset = 0) {
    std::ostringstream text;
    text << std::hex << reinterpret_cast<uintptr_t>(address) + offset;
    return text.str();
  }

  std::shared_ptr<CodeSlabs> slabs = *CodeSlabs::create();
  std::string path =
      (fs::path(testing::TempDir()) / ("anneal-perf-" + std::to_string(getpid()))).string();
  std::string processMap = "/tmp/perf-" + std::to_string(getpid()) + ".map";

  void TearDown() override {
    fs::remove(path);
    fs::remove(processMap);
  }

  std::vector<std::string> linesOf(const std::string &name) {
    std::ifstream file(name);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
      lines.push_back(line);
    return lines;
  }
};

TEST_F(CodeObserverTest, PerfMapNamesEachFunction) {
  auto map = openPerfMap(path);
  ASSERT_TRUE(map.ok()) << map.status();
  auto code = install(*map);
  const void *start = code->entry("get");
  EXPECT_THAT(linesOf(path),
              ElementsAre(hex(start) + " 7 get@baseline", hex(start, 8) + " 1 my unit@baseline",
                          hex(start, 12) + " 4 memset@baseline"));
}

TEST_F(CodeObserverTest, PerfMapIsWherePerfLooks) {
  EXPECT_FALSE(fs::exists(processMap));
  auto map = openPerfMap();
  ASSERT_TRUE(map.ok()) << map.status();
  auto code = install(*map);
  EXPECT_EQ(linesOf(processMap).size(), 3u);
}

TEST_F(CodeObserverTest, NothingIsWrittenUnlessAskedFor) {
  auto code = *InstalledCode::install(constantImage(1), slabs);
  EXPECT_FALSE(fs::exists(processMap));
  EXPECT_EQ(__jit_debug_descriptor.first_entry, nullptr);
}

TEST_F(CodeObserverTest, PerfMapLinesOfThreadsDoNotMix) {
  auto map = *openPerfMap(path);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i)
        install(map);
    });
  for (std::thread &thread : threads)
    thread.join();
  std::vector<std::string> lines = linesOf(path);
  EXPECT_EQ(lines.size(), 2400u);
  for (const std::string &line : lines)
    EXPECT_THAT(line, testing::MatchesRegex("[0-9a-f]+ [0-9a-f]+ (get|my unit|memset)@baseline"));
}

TEST_F(CodeObserverTest, PerfMapThatCannotBeOpenedIsAnError) {
  auto map = openPerfMap("/nowhere/map");
  EXPECT_EQ(map.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(map.status().message()), testing::HasSubstr("perf map '/nowhere/map'"));
  // A link is not followed: somebody else may have made it.
  fs::create_symlink("/tmp/elsewhere", path);
  EXPECT_FALSE(openPerfMap(path).ok());
}

/// Symbols of an ELF file in memory: name, address, size.
std::vector<std::tuple<std::string, uint64_t, uint64_t>> symbolsOf(const jit_code_entry &entry) {
  const char *file = entry.symfile_addr;
  Elf64_Ehdr header;
  std::memcpy(&header, file, sizeof(header));
  EXPECT_EQ(std::memcmp(header.e_ident, ELFMAG, SELFMAG), 0);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  EXPECT_LE(header.e_shoff + sections.size() * sizeof(Elf64_Shdr), entry.symfile_size);
  std::memcpy(sections.data(), file + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  std::vector<std::tuple<std::string, uint64_t, uint64_t>> found;
  for (const Elf64_Shdr &section : sections) {
    if (section.sh_type != SHT_SYMTAB)
      continue;
    const Elf64_Shdr &names = sections[section.sh_link];
    EXPECT_LE(names.sh_offset + names.sh_size, entry.symfile_size);
    for (uint64_t at = sizeof(Elf64_Sym); at < section.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, file + section.sh_offset + at, sizeof(symbol));
      found.emplace_back(file + names.sh_offset + symbol.st_name, symbol.st_value, symbol.st_size);
    }
  }
  return found;
}

TEST_F(CodeObserverTest, GdbSeesWhatIsInstalledAndNoMore) {
  EXPECT_EQ(__jit_debug_descriptor.version, 1u);
  EXPECT_EQ(__jit_debug_descriptor.first_entry, nullptr);
  auto gdb = makeGdbObserver();
  auto first = install(gdb);
  auto second = install(gdb);
  jit_code_entry *newest = __jit_debug_descriptor.first_entry;
  ASSERT_NE(newest, nullptr);
  ASSERT_NE(newest->next_entry, nullptr);
  EXPECT_EQ(newest->prev_entry, nullptr);
  EXPECT_EQ(newest->next_entry->prev_entry, newest);
  EXPECT_EQ(newest->next_entry->next_entry, nullptr);
  auto start = reinterpret_cast<uintptr_t>(second->entry("get"));
  EXPECT_THAT(symbolsOf(*newest), ElementsAre(std::make_tuple("get@baseline", start, 7),
                                              std::make_tuple("my unit@baseline", start + 8, 1),
                                              std::make_tuple("memset@baseline", start + 12, 4)));
  // Whichever is removed first.
  second.reset();
  EXPECT_EQ(__jit_debug_descriptor.first_entry->next_entry, nullptr);
  EXPECT_EQ(__jit_debug_descriptor.first_entry->prev_entry, nullptr);
  EXPECT_EQ(std::get<1>(symbolsOf(*__jit_debug_descriptor.first_entry)[0]),
            reinterpret_cast<uintptr_t>(first->entry("get")));
  first.reset();
  EXPECT_EQ(__jit_debug_descriptor.first_entry, nullptr);
  EXPECT_EQ(__jit_debug_descriptor.action_flag, uint32_t(JIT_NOACTION));
}

TEST_F(CodeObserverTest, GdbListIsSharedByThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      auto gdb = makeGdbObserver();
      for (int i = 0; i < 200; ++i)
        install(gdb);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(__jit_debug_descriptor.first_entry, nullptr);
}

} // namespace
