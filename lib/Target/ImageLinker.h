//===- ImageLinker.h - One image of an object's sections --------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_TARGET_IMAGELINKER_H
#define ANNEAL_LIB_TARGET_IMAGELINKER_H

#include "ObjectCode.h"

#include "anneal/Plan/CodeImage.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace anneal::target {

/// An object whose sections are taken into an image only as far as it refers to their exported
/// functions.
class CodeLibrary {
public:
  virtual ~CodeLibrary() = default;
  /// Whether `symbol` is in the library.
  virtual bool defines(llvm::StringRef symbol) const = 0;
  /// The code; asked for when something in it is needed.
  virtual llvm::Expected<const ObjectCode *> code() = 0;
};

/// Lays out all sections of an object, and what it needs of a library, in one image: text first,
/// then read-only data, each section aligned as it asks. Resolves all references. Sets bytes,
/// textSize, alignment, entries and internals of the image. An error names who refers to what, and
/// why that cannot be.
llvm::Expected<plan::CodeImage> linkImage(const ObjectCode &object, CodeLibrary &library);

} // namespace anneal::target

#endif // ANNEAL_LIB_TARGET_IMAGELINKER_H
