//===- Arguments.h - The words of a command line ----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_SUPPORT_ARGUMENTS_H
#define ANNEAL_SUPPORT_ARGUMENTS_H

#include <string>
#include <vector>

namespace anneal {

/// The arguments behind the name of the program, last first, as CLI11 takes them. `--name=` becomes
/// two words, for CLI11 reads it as an option without a value and takes the next option for one.
inline std::vector<std::string> reversedArguments(int argc, char **argv) {
  std::vector<std::string> reversed;
  for (int i = argc - 1; i > 0; --i) {
    std::string word = argv[i];
    if (word.size() > 3 && word.rfind("--", 0) == 0 && word.find('=') == word.size() - 1) {
      reversed.emplace_back();
      word.pop_back();
    }
    reversed.push_back(word);
  }
  return reversed;
}

} // namespace anneal

#endif // ANNEAL_SUPPORT_ARGUMENTS_H
