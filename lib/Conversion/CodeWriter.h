//===- CodeWriter.h - LLVM dialect for the ABI of units ---------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_CODEWRITER_H
#define ANNEAL_LIB_CONVERSION_CODEWRITER_H

#include "VectorValues.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace anneal {

/// Appends operations of the LLVM dialect: addresses, loads, branches. All integers are i64.
class CodeWriter {
public:
  CodeWriter(mlir::Location location, VectorValues &vectors)
      : b(location, location.getContext()), vectors(vectors),
        ptr(mlir::LLVM::LLVMPointerType::get(location.getContext())), i1(b.getI1Type()),
        i8(b.getI8Type()), i32(b.getI32Type()), i64(b.getI64Type()) {}

  /// From here on, operations go to the end of `block`.
  void at(mlir::Block *block) { b.setInsertionPointToEnd(block); }
  template <class Op, class... Args> mlir::Value make(Args &&...args) {
    return Op::create(b, std::forward<Args>(args)...).getResult();
  }

  mlir::Value number(int64_t value) { return vectors.constantInt(i64, value); }
  mlir::Value add(mlir::Value x, mlir::Value y) { return make<mlir::LLVM::AddOp>(x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return make<mlir::LLVM::SubOp>(x, y); }
  /// x * factor.
  mlir::Value scale(mlir::Value x, int64_t factor) {
    return factor == 1 ? x : make<mlir::LLVM::MulOp>(x, number(factor));
  }
  mlir::Value compare(mlir::LLVM::ICmpPredicate predicate, mlir::Value x, mlir::Value y) {
    return make<mlir::LLVM::ICmpOp>(predicate, x, y);
  }
  mlir::Value both(mlir::Value x, mlir::Value y) {
    return !x ? y : !y ? x : make<mlir::LLVM::AndOp>(x, y);
  }
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) {
    return make<mlir::LLVM::SelectOp>(condition, x, y);
  }

  /// Address `bytes` behind a pointer.
  mlir::Value offset(mlir::Value pointer, mlir::Value bytes) {
    return make<mlir::LLVM::GEPOp>(ptr, i8, pointer, mlir::ValueRange{bytes});
  }
  mlir::Value offset(mlir::Value pointer, int64_t bytes) {
    return bytes == 0 ? pointer
                      : make<mlir::LLVM::GEPOp>(
                            ptr, i8, pointer,
                            llvm::ArrayRef<mlir::LLVM::GEPArg>{static_cast<int32_t>(bytes)});
  }
  /// Address of element `index`.
  mlir::Value element(mlir::Value pointer, mlir::Type type, mlir::Value index) {
    return make<mlir::LLVM::GEPOp>(ptr, type, pointer, mlir::ValueRange{index});
  }
  mlir::Value load(mlir::Type type, mlir::Value pointer, unsigned alignment) {
    return make<mlir::LLVM::LoadOp>(type, pointer, alignment);
  }
  void store(mlir::Value value, mlir::Value pointer, unsigned alignment) {
    mlir::LLVM::StoreOp::create(b, value, pointer, alignment);
  }
  /// Entry `index` of the array of 64-bit values that a field of a struct points to.
  mlir::Value loadEntry(mlir::Type type, mlir::Value array, unsigned index) {
    return load(type, offset(array, 8 * static_cast<int64_t>(index)), 8);
  }
  /// A field at `bytes` of a struct.
  mlir::Value loadField(mlir::Type type, mlir::Value object, size_t bytes) {
    return load(type, offset(object, static_cast<int64_t>(bytes)), 8);
  }

  void branch(mlir::Block *to, mlir::ValueRange arguments = {}) {
    mlir::LLVM::BrOp::create(b, arguments, to);
  }
  void branch(mlir::Value condition, mlir::Block *yes, mlir::ValueRange yesArguments,
              mlir::Block *no, mlir::ValueRange noArguments) {
    mlir::LLVM::CondBrOp::create(b, condition, yes, yesArguments, no, noArguments);
  }

  mlir::ImplicitLocOpBuilder b;
  VectorValues &vectors;
  const mlir::Type ptr, i1, i8, i32, i64;
};

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_CODEWRITER_H
