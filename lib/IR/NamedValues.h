//===- NamedValues.h - Text form of attributes with named values *- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_IR_NAMEDVALUES_H
#define ANNEAL_LIB_IR_NAMEDVALUES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

#include <optional>

namespace anneal::jit {

/// Parses `<name = …, name = …>`: `parseValue` reads what follows the equal sign. A name comes
/// once.
mlir::ParseResult
parseNamedValues(mlir::AsmParser &parser,
                 llvm::function_ref<mlir::ParseResult(llvm::StringRef, llvm::SMLoc)> parseValue);

/// Parses a float; an integer stands for itself, a hexadecimal one for the float of these bits.
mlir::ParseResult parseDouble(mlir::AsmParser &parser, std::optional<double> &result);

/// Parses `[1, -2]`, which may be empty.
mlir::ParseResult parseList(mlir::AsmParser &parser, llvm::SmallVectorImpl<int64_t> &values);

/// The attribute that holds `value`, or none.
mlir::FloatAttr getF64(mlir::MLIRContext *context, std::optional<double> value);
/// What the attribute holds, if there is one.
std::optional<double> getDouble(mlir::FloatAttr attribute);

/// An f64 that is finite and not negative, or an error that names it.
llvm::LogicalResult verifyAmount(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                 llvm::StringRef name, mlir::FloatAttr attribute);
/// An f64 from 0 to 1, or an error that names it.
llvm::LogicalResult verifyShare(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                llvm::StringRef name, mlir::FloatAttr attribute);

} // namespace anneal::jit

#endif // ANNEAL_LIB_IR_NAMEDVALUES_H
