//===- ImageLinker.cpp - One image of an object's sections ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImageLinker.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>

using namespace llvm;
using object::getELFRelocationTypeName;

namespace anneal::target {

namespace {

/// A section that goes into the image.
struct Piece {
  const ObjectCode *object;
  uint32_t section;
  /// In the image.
  uint64_t offset = 0;

  const ObjectCode::Section &source() const { return object->sections[section]; }
};

/// What a symbol stands for: a place in a piece.
struct Place {
  size_t piece;
  uint64_t value;
};

class ImageLinker {
public:
  explicit ImageLinker(CodeLibrary &library) : library(library) {}

  Expected<plan::CodeImage> link(const ObjectCode &object);

private:
  size_t addPiece(const ObjectCode &object, uint32_t section);
  Expected<Place> resolve(const Piece &from, const ObjectCode::Relocation &relocation);
  Expected<Place> resolveInLibrary(StringRef name);
  Error collect(const ObjectCode &object);
  Error layOut();
  Error relocate(const Piece &piece, const ObjectCode::Relocation &relocation);
  bool relaxGot(uint32_t type, uint64_t at);
  Error refuse(const Piece &piece, const ObjectCode::Relocation &relocation, const Twine &why);
  void addSymbols();

  CodeLibrary &library;
  plan::CodeImage image;
  std::vector<Piece> pieces;
  DenseMap<std::pair<const ObjectCode *, uint32_t>, size_t> pieceOf;
};

size_t ImageLinker::addPiece(const ObjectCode &object, uint32_t section) {
  auto [it, isNew] = pieceOf.try_emplace({&object, section}, pieces.size());
  if (isNew)
    pieces.push_back({&object, section});
  return it->second;
}

Error ImageLinker::refuse(const Piece &piece, const ObjectCode::Relocation &relocation,
                          const Twine &why) {
  const ObjectCode &object = *piece.object;
  const ObjectCode::Symbol &symbol = object.symbols[relocation.symbol];
  std::string what = "'" + symbol.name.str() + "'";
  // What LLVM refers to by its section has no name here.
  if (symbol.name.empty() && symbol.section != ObjectCode::kNoSection)
    what = object.describe(symbol.section, symbol.value + static_cast<uint64_t>(relocation.addend));
  return createStringError(object.describe(piece.section, relocation.offset) + " " + why + " " +
                           what + " (" + getELFRelocationTypeName(ELF::EM_X86_64, relocation.type) +
                           ")");
}

Expected<Place> ImageLinker::resolveInLibrary(StringRef name) {
  Expected<const ObjectCode *> code = library.code();
  if (!code)
    return code.takeError();
  for (const ObjectCode::Symbol &symbol : (*code)->symbols)
    if (symbol.name == name && symbol.isExported && symbol.section != ObjectCode::kNoSection)
      return Place{addPiece(**code, symbol.section), symbol.value};
  return createStringError("the library lacks its own function '" + name + "'");
}

Expected<Place> ImageLinker::resolve(const Piece &from, const ObjectCode::Relocation &relocation) {
  // Not by reference into `pieces`, which may grow.
  const ObjectCode &object = *from.object;
  const ObjectCode::Symbol &symbol = object.symbols[relocation.symbol];
  if (symbol.section != ObjectCode::kNoSection)
    return Place{addPiece(object, symbol.section), symbol.value};
  if (symbol.isUndefined && library.defines(symbol.name))
    return resolveInLibrary(symbol.name);
  return refuse(from, relocation,
                symbol.isUndefined ? "needs the external symbol"
                                   : "refers to what is no part of an image:");
}

/// Adds all sections of the object, and of the library whatever they lead to.
Error ImageLinker::collect(const ObjectCode &object) {
  for (uint32_t section = 0; section < object.sections.size(); ++section)
    addPiece(object, section);
  for (size_t i = 0; i < pieces.size(); ++i) {
    Piece piece = pieces[i];
    for (const ObjectCode::Relocation &relocation : piece.source().relocations)
      if (relocation.type != ELF::R_X86_64_NONE)
        if (Expected<Place> place = resolve(piece, relocation); !place)
          return place.takeError();
  }
  return Error::success();
}

Error ImageLinker::layOut() {
  for (bool isText : {true, false}) {
    for (Piece &piece : pieces) {
      const ObjectCode::Section &source = piece.source();
      if (source.isText != isText)
        continue;
      if (source.alignment > plan::kMaxCodeAlignment)
        return createStringError("section '" + source.name + "' asks for an alignment of " +
                                 Twine(source.alignment));
      // Between functions: int3.
      piece.offset = alignTo(image.bytes.size(), source.alignment);
      image.bytes.resize(piece.offset, isText ? '\xcc' : '\0');
      image.bytes += source.contents;
      image.alignment = std::max(image.alignment, source.alignment);
    }
    if (isText)
      image.textSize = image.bytes.size();
  }
  // Relative references are of 32 bits.
  if (image.bytes.size() > static_cast<uint64_t>(std::numeric_limits<int32_t>::max()))
    return createStringError("the image is larger than 2 GiB");
  return Error::success();
}

/// Turns an instruction that loads an address from the global offset table, of which the 32-bit
/// displacement is at `at`, into one that computes it. False if it is of another kind.
bool ImageLinker::relaxGot(uint32_t type, uint64_t at) {
  bool mayRelax = type == ELF::R_X86_64_GOTPCRELX || type == ELF::R_X86_64_REX_GOTPCRELX;
  if (!mayRelax || at < 2)
    return false;
  auto *opcode = reinterpret_cast<uint8_t *>(image.bytes.data()) + at - 2;
  if (opcode[0] == 0x8b) { // mov sym@GOTPCREL(%rip), %reg -> lea sym(%rip), %reg
    opcode[0] = 0x8d;
    return true;
  }
  if (opcode[0] == 0xff && opcode[1] == 0x15) { // call *sym@GOTPCREL(%rip) -> addr32 call sym
    opcode[0] = 0x67;
    opcode[1] = 0xe8;
    return true;
  }
  return false;
}

Error ImageLinker::relocate(const Piece &piece, const ObjectCode::Relocation &relocation) {
  Expected<Place> place = resolve(piece, relocation);
  if (!place)
    return place.takeError();
  uint64_t at = piece.offset + relocation.offset;
  uint64_t target = pieces[place->piece].offset + place->value;
  uint64_t distance = target + static_cast<uint64_t>(relocation.addend) - at;
  size_t width = 4;
  switch (relocation.type) {
  case ELF::R_X86_64_GOTPCREL:
  case ELF::R_X86_64_GOTPCRELX:
  case ELF::R_X86_64_REX_GOTPCRELX:
    if (!relaxGot(relocation.type, at))
      return refuse(piece, relocation,
                    "uses the global offset table in a way that cannot be relaxed, for");
    break;
  case ELF::R_X86_64_PC32:
  case ELF::R_X86_64_PLT32:
    break;
  case ELF::R_X86_64_PC64:
    width = 8;
    break;
  case ELF::R_X86_64_64:
  case ELF::R_X86_64_32:
  case ELF::R_X86_64_32S:
    return refuse(piece, relocation, "holds the absolute address of");
  default:
    return refuse(piece, relocation, "has a relocation that is not supported, for");
  }
  if (relocation.offset + width > piece.source().contents.size())
    return refuse(piece, relocation, "is damaged at");
  if (width == 4 && !isInt<32>(static_cast<int64_t>(distance)))
    return refuse(piece, relocation, "is too far from");
  if (width == 4)
    support::endian::write32le(&image.bytes[at], static_cast<uint32_t>(distance));
  else
    support::endian::write64le(&image.bytes[at], distance);
  return Error::success();
}

void ImageLinker::addSymbols() {
  const ObjectCode *object = pieces.front().object;
  for (const Piece &piece : pieces)
    for (const ObjectCode::Symbol &symbol : piece.object->symbols) {
      if (symbol.section != piece.section || !symbol.isFunction)
        continue;
      plan::CodeSymbol placed{symbol.name.str(), piece.offset + symbol.value, symbol.size};
      bool isEntry = symbol.isExported && piece.object == object;
      (isEntry ? image.entries : image.internals).push_back(std::move(placed));
    }
  sort(image.entries,
       [](const plan::CodeSymbol &a, const plan::CodeSymbol &b) { return a.name < b.name; });
  stable_sort(image.internals, [](const plan::CodeSymbol &a, const plan::CodeSymbol &b) {
    return a.offset < b.offset;
  });
}

Expected<plan::CodeImage> ImageLinker::link(const ObjectCode &object) {
  if (Error error = collect(object))
    return error;
  if (Error error = layOut())
    return error;
  for (size_t i = 0; i < pieces.size(); ++i)
    for (const ObjectCode::Relocation &relocation : pieces[i].source().relocations)
      if (relocation.type != ELF::R_X86_64_NONE)
        if (Error error = relocate(pieces[i], relocation))
          return error;
  if (!pieces.empty())
    addSymbols();
  return std::move(image);
}

} // namespace

Expected<plan::CodeImage> linkImage(const ObjectCode &object, CodeLibrary &library) {
  return ImageLinker(library).link(object);
}

} // namespace anneal::target
