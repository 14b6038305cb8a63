//===- ModuleTables.h - Texts, places and constants of a plan ---*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_MODULETABLES_H
#define ANNEAL_LIB_CONVERSION_MODULETABLES_H

#include "anneal/Conversion/PlanBuilder.h"
#include "anneal/Plan/Plan.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace anneal {

/// Fills the tables of a plan::Module that everything else refers to by index, each entry once.
class ModuleTables {
public:
  ModuleTables(plan::Module &module, ConstantSource source);

  /// Index of a text among `Module::messages`.
  uint32_t message(llvm::StringRef text);
  /// Index of a place among `Module::locations`; 0 where nothing is known of it.
  uint32_t location(mlir::Location location);
  /// Index of a constant with these elements. An error at `op` if its data is missing or doesn't
  /// fit.
  mlir::FailureOr<uint32_t> constant(mlir::Operation *op, mlir::ElementsAttr elements);
  /// Index of the constant that is result `result`, of type `type`, of the init function.
  mlir::FailureOr<uint32_t> computedConstant(mlir::Operation *op, uint32_t result,
                                             mlir::ShapedType type);

private:
  /// Gives `constant`, of a known type, its bytes.
  mlir::LogicalResult setElements(mlir::Operation *op, plan::Constant &constant,
                                  mlir::ElementsAttr elements);
  /// Refers to the blob's bytes where they are in the source, else takes the blob over.
  mlir::LogicalResult setResource(mlir::Operation *op, plan::Constant &constant,
                                  mlir::DenseResourceElementsAttr elements);

  plan::Module &module;
  ConstantSource source;
  llvm::StringMap<std::shared_ptr<const void>> takenBlobs;
  llvm::StringMap<uint32_t> messages;
  llvm::DenseMap<mlir::Location, uint32_t> locations;
  llvm::StringMap<uint32_t> locationTexts;
  llvm::DenseMap<mlir::Attribute, uint32_t> constants;
  llvm::DenseMap<uint32_t, uint32_t> computedConstants;
};

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_MODULETABLES_H
