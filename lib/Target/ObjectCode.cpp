//===- ObjectCode.cpp - What LLVM wrote into an object file ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectCode.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"

using namespace llvm;
using ElfFile = object::ELFFile<object::ELF64LE>;
using SectionHeader = object::ELF64LE::Shdr;

namespace anneal::target {

namespace {

/// Fills in an ObjectCode from a file.
class ObjectReader {
public:
  ObjectReader(const ElfFile &file, ObjectCode &code) : file(file), code(code) {}

  Error read();

private:
  Error readSection(const SectionHeader &header, uint32_t index);
  Error readSymbols(const SectionHeader &header);
  Error readRelocations(const SectionHeader &header);
  /// A symbol that lies in section `index` of the file, for messages.
  std::string symbolIn(uint32_t index) const;

  const ElfFile &file;
  ObjectCode &code;
  ArrayRef<SectionHeader> headers;
  /// Of each section of the file, its index in the code; or kNoSection.
  std::vector<uint32_t> sectionOf;
  const SectionHeader *symbolTable = nullptr;
};

std::string quoted(StringRef name) { return "'" + name.str() + "'"; }

std::string ObjectReader::symbolIn(uint32_t index) const {
  if (!symbolTable)
    return "";
  Expected<ArrayRef<object::ELF64LE::Sym>> symbols = file.symbols(symbolTable);
  Expected<StringRef> names = file.getStringTableForSymtab(*symbolTable);
  if (symbols && names)
    for (const object::ELF64LE::Sym &symbol : *symbols) {
      StringRef name = names->substr(symbol.st_name).split('\0').first;
      // Not the local aliases that LLVM makes.
      if (symbol.st_shndx == index && !name.empty() && !name.starts_with(".L"))
        return quoted(name);
    }
  consumeError(symbols.takeError());
  consumeError(names.takeError());
  return "";
}

/// Why an image cannot have a section with these flags; empty if it can.
static std::string refusal(const SectionHeader &header, StringRef name) {
  if (header.sh_flags & ELF::SHF_TLS)
    return "there is a thread-local variable";
  if (header.sh_type == ELF::SHT_INIT_ARRAY || header.sh_type == ELF::SHT_FINI_ARRAY ||
      header.sh_type == ELF::SHT_PREINIT_ARRAY || name.starts_with(".ctors") ||
      name.starts_with(".dtors"))
    return "there are constructors or destructors";
  if (name.starts_with(".gcc_except_table"))
    return "there are exception tables";
  // Constants that hold addresses are writable until the dynamic linker has filled them in.
  if (name.starts_with(".data.rel.ro"))
    return "there is a constant that holds absolute addresses";
  if ((header.sh_flags & ELF::SHF_WRITE) || header.sh_type == ELF::SHT_NOBITS)
    return "there is a writable variable";
  return "";
}

Error ObjectReader::readSection(const SectionHeader &header, uint32_t index) {
  Expected<StringRef> name = file.getSectionName(header);
  if (!name)
    return name.takeError();
  bool isLoaded = (header.sh_flags & ELF::SHF_ALLOC) && header.sh_type != ELF::SHT_NOTE &&
                  header.sh_type != ELF::SHT_X86_64_UNWIND && *name != ".eh_frame";
  if (!isLoaded || header.sh_size == 0)
    return Error::success();
  if (std::string reason = refusal(header, *name); !reason.empty()) {
    std::string symbol = symbolIn(index);
    return createStringError(reason + (symbol.empty() ? "" : ", " + symbol) + " (section " +
                             quoted(*name) + ")");
  }
  Expected<ArrayRef<uint8_t>> contents = file.getSectionContents(header);
  if (!contents)
    return contents.takeError();
  ObjectCode::Section section;
  section.name = *name;
  section.contents = toStringRef(*contents);
  section.alignment = std::max<uint64_t>(1, header.sh_addralign);
  section.isText = header.sh_flags & ELF::SHF_EXECINSTR;
  sectionOf[index] = static_cast<uint32_t>(code.sections.size());
  code.sections.push_back(std::move(section));
  return Error::success();
}

Error ObjectReader::readSymbols(const SectionHeader &header) {
  Expected<ArrayRef<object::ELF64LE::Sym>> symbols = file.symbols(&header);
  if (!symbols)
    return symbols.takeError();
  Expected<StringRef> names = file.getStringTableForSymtab(header);
  if (!names)
    return names.takeError();
  for (const object::ELF64LE::Sym &from : *symbols) {
    Expected<StringRef> name = from.getName(*names);
    if (!name)
      return name.takeError();
    if (from.st_shndx == ELF::SHN_COMMON)
      return createStringError("there is a writable variable, " + quoted(*name));
    if (from.getType() == ELF::STT_GNU_IFUNC)
      return createStringError("function " + quoted(*name) + " is chosen at load time");
    ObjectCode::Symbol symbol;
    symbol.name = *name;
    symbol.value = from.st_value;
    symbol.size = from.st_size;
    symbol.isUndefined = from.st_shndx == ELF::SHN_UNDEF;
    symbol.isFunction = from.getType() == ELF::STT_FUNC;
    symbol.isExported =
        from.getBinding() != ELF::STB_LOCAL && from.getVisibility() == ELF::STV_DEFAULT;
    if (from.st_shndx < sectionOf.size())
      symbol.section = sectionOf[from.st_shndx];
    code.symbols.push_back(symbol);
  }
  return Error::success();
}

Error ObjectReader::readRelocations(const SectionHeader &header) {
  if (header.sh_info >= sectionOf.size() || sectionOf[header.sh_info] == ObjectCode::kNoSection)
    return Error::success();
  ObjectCode::Section &section = code.sections[sectionOf[header.sh_info]];
  Expected<ArrayRef<object::ELF64LE::Rela>> relocations = file.relas(header);
  if (!relocations)
    return relocations.takeError();
  for (const object::ELF64LE::Rela &from : *relocations) {
    ObjectCode::Relocation relocation{from.r_offset, from.getType(/*isMips64EL=*/false),
                                      from.getSymbol(/*isMips64EL=*/false), from.r_addend};
    if (relocation.offset >= section.contents.size() || relocation.symbol >= code.symbols.size())
      return createStringError("damaged relocation in section " + quoted(section.name));
    section.relocations.push_back(relocation);
  }
  return Error::success();
}

Error ObjectReader::read() {
  Expected<ArrayRef<SectionHeader>> found = file.sections();
  if (!found)
    return found.takeError();
  headers = *found;
  sectionOf.assign(headers.size(), ObjectCode::kNoSection);
  for (const SectionHeader &header : headers)
    if (header.sh_type == ELF::SHT_SYMTAB)
      symbolTable = &header;
  for (const SectionHeader &header : headers)
    if (Error error = readSection(header, static_cast<uint32_t>(&header - headers.data())))
      return error;
  if (symbolTable)
    if (Error error = readSymbols(*symbolTable))
      return error;
  for (const SectionHeader &header : headers)
    if (header.sh_type == ELF::SHT_RELA)
      if (Error error = readRelocations(header))
        return error;
  return Error::success();
}

} // namespace

Expected<ObjectCode> ObjectCode::read(StringRef object) {
  Expected<ElfFile> file = ElfFile::create(object);
  if (!file)
    return file.takeError();
  ObjectCode code;
  if (Error error = ObjectReader(*file, code).read())
    return error;
  return code;
}

std::string ObjectCode::describe(uint32_t section, uint64_t offset) const {
  bool isText = sections[section].isText;
  for (const Symbol &symbol : symbols)
    if (symbol.section == section && !symbol.name.empty() && symbol.isFunction == isText &&
        symbol.value <= offset && offset - symbol.value < symbol.size)
      return (isText ? "function " : "constant ") + quoted(symbol.name);
  return isText ? "code" : "a constant";
}

} // namespace anneal::target
