//===- SymbolOption.cpp - A symbol that an option names -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolOption.h"

std::string anneal::unescaped(llvm::StringRef text) {
  std::string name;
  for (size_t i = 0; i < text.size(); ++i) {
    bool isEscape = text[i] == '%' && i + 2 < text.size() && llvm::isHexDigit(text[i + 1]) &&
                    llvm::isHexDigit(text[i + 2]);
    name += isEscape ? static_cast<char>(llvm::hexFromNibbles(text[i + 1], text[i + 2])) : text[i];
    i += isEscape ? 2 : 0;
  }
  return name;
}
