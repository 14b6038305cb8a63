//===- SymbolFile.cpp - An object file with nothing but symbols -----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolFile.h"

#include <cstring>
#include <elf.h>
#include <vector>

namespace anneal::runtime {

namespace {

/// Sections, in the order of their headers.
enum : uint16_t { kNull, kText, kSymbols, kNames, kNumSections };

uint64_t addressOf(const char *pointer) { return reinterpret_cast<uintptr_t>(pointer); }

/// A table of strings, each ended by a zero.
struct Strings {
  std::string bytes = std::string(1, '\0');

  uint32_t add(const std::string &text) {
    auto offset = static_cast<uint32_t>(bytes.size());
    bytes += text;
    bytes += '\0';
    return offset;
  }
};

Elf64_Ehdr makeHeader(uint64_t sectionsAt) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_EXEC;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_shoff = sectionsAt;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = kNumSections;
  header.e_shstrndx = kNames;
  return header;
}

void append(std::string &file, const void *data, size_t size) {
  file.append(static_cast<const char *>(data), size);
}

} // namespace

std::string makeSymbolFile(const CodePlace &code) {
  Strings names;
  Elf64_Shdr sections[kNumSections] = {};
  sections[kText].sh_name = names.add(".text");
  sections[kSymbols].sh_name = names.add(".symtab");
  sections[kNames].sh_name = names.add(".strtab");

  // The first symbol of a table is none.
  std::vector<Elf64_Sym> symbols(1);
  for (const NamedCode &function : code.functions) {
    Elf64_Sym symbol{};
    symbol.st_name = names.add(function.name);
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = kText;
    symbol.st_value = addressOf(function.start);
    symbol.st_size = function.size;
    symbols.push_back(symbol);
  }

  uint64_t symbolsAt = sizeof(Elf64_Ehdr) + sizeof(sections);
  uint64_t symbolBytes = symbols.size() * sizeof(Elf64_Sym);
  Elf64_Shdr &text = sections[kText];
  text.sh_type = SHT_NOBITS;
  text.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  text.sh_addr = addressOf(code.start);
  text.sh_size = code.textSize;
  text.sh_addralign = 16;
  Elf64_Shdr &table = sections[kSymbols];
  table.sh_type = SHT_SYMTAB;
  table.sh_offset = symbolsAt;
  table.sh_size = symbolBytes;
  table.sh_link = kNames;
  table.sh_info = 1; // the first that is global
  table.sh_addralign = alignof(Elf64_Sym);
  table.sh_entsize = sizeof(Elf64_Sym);
  Elf64_Shdr &strings = sections[kNames];
  strings.sh_type = SHT_STRTAB;
  strings.sh_offset = symbolsAt + symbolBytes;
  strings.sh_size = names.bytes.size();
  strings.sh_addralign = 1;

  Elf64_Ehdr header = makeHeader(sizeof(Elf64_Ehdr));
  std::string file;
  append(file, &header, sizeof(header));
  append(file, sections, sizeof(sections));
  append(file, symbols.data(), symbolBytes);
  return file + names.bytes;
}

} // namespace anneal::runtime
