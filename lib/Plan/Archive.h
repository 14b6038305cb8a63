//===- Archive.h - Fields of plans, for writing and reading -----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each struct of a plan, and a code image, names its fields once, in `fields`; writer and reader
// walk them in the same order. Whoever adds a field changes kPlanVersion.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_PLAN_ARCHIVE_H
#define ANNEAL_LIB_PLAN_ARCHIVE_H

#include "anneal/Plan/CodeImage.h"
#include "anneal/Plan/Plan.h"

#include <concepts>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace anneal::plan {

/// T or const T.
template <typename U, typename T>
concept Like = std::same_as<std::remove_const_t<U>, T>;

/// Where a constant's bytes are in a file; what its struct says of memory is left out.
inline constexpr uint64_t kNoBytes = ~uint64_t(0);
struct StoredConstant {
  Constant constant;
  /// From the start of the file's constants; kNoBytes for one that is computed.
  uint64_t offset = kNoBytes;
};

void fields(auto &archive, Like<Instr> auto &x) {
  archive(x.op, x.type, x.srcType, x.dst, x.dst2, x.a, x.b, x.c, x.extraBegin, x.numExtra, x.imm);
}
void fields(auto &archive, Like<Body> auto &x) {
  archive(x.regTypes, x.numOperands, x.captured, x.instrs, x.extra, x.yields, x.hasBranches);
}
void fields(auto &archive, Like<SizeExpr> auto &x) { archive(x.kind, x.index, x.value); }
void fields(auto &archive, Like<IndexExpr::Token> auto &x) { archive(x.kind, x.value); }
void fields(auto &archive, Like<IndexExpr> auto &x) {
  archive(x.constant, x.coefficients, x.postfix);
}
void fields(auto &archive, Like<Operand> auto &x) { archive(x.tensor, x.indices); }
void fields(auto &archive, Like<DomainSource> auto &x) { archive(x.operand, x.dim); }
void fields(auto &archive, Like<Kernel> auto &x) {
  archive(x.kind, x.opName, x.sourceOp, x.location, x.iterators, x.domain, x.numInputs, x.operands,
          x.gathers, x.body, x.padLow);
}
void fields(auto &archive, Like<UnitTensor> auto &x) { archive(x.dtype, x.sizes); }
void fields(auto &archive, Like<UnitScalar> auto &x) { archive(x.dtype, x.isShape); }
void fields(auto &archive, Like<Unit> auto &x) {
  archive(x.name, x.scalars, x.numInputs, x.numOutputs, x.tensors, x.outputIsRead, x.kernels,
          x.anchor, x.isLoop);
}
void fields(auto &archive, Like<StoredConstant> auto &x) {
  archive(x.constant.dtype, x.constant.dims, x.constant.initResult, x.offset);
}
void fields(auto &archive, Like<Base> auto &x) { archive(x.kind, x.index); }
void fields(auto &archive, Like<MemRef> auto &x) {
  archive(x.dtype, x.base, x.offset, x.sizes, x.strides, x.isStatic);
}
void fields(auto &archive, Like<Alloc> auto &x) { archive(x.memref, x.firstStep, x.lastStep); }
void fields(auto &archive, Like<Block> auto &x) {
  archive(x.steps, x.yieldScalars, x.yieldMemRefs);
}
void fields(auto &archive, Like<Step> auto &x) {
  archive(x.kind, x.number, x.location, x.codeBegin, x.codeEnd, x.unit, x.memrefs, x.scalars);
  archive(x.blocks, x.ivReg, x.unsignedCompare, x.loopUnit, x.initScalars, x.initMemRefs,
          x.resultScalars, x.resultMemRefs, x.afterScalars, x.afterMemRefs, x.cases);
}
void fields(auto &archive, Like<Param> auto &x) {
  archive(x.name, x.dtype, x.isScalar, x.dims, x.scalar, x.memref, x.dimRegs);
}
void fields(auto &archive, Like<Function> auto &x) {
  archive(x.name, x.isPublic, x.arguments, x.results, x.scalarTypes, x.scalarInit, x.keyScalars);
  archive(x.code, x.extra, x.shapeCodeEnd, x.codeLocations, x.memrefs, x.allocs, x.numSlots,
          x.numSteps, x.body);
}
void fields(auto &archive, Like<ForeignFunction> auto &x) {
  archive(x.name, x.arguments, x.results, x.reason);
}
/// All but the constants.
void fields(auto &archive, Like<Module> auto &x) {
  archive(x.name, x.units, x.functions, x.initFunction, x.foreign, x.foreignIr, x.messages,
          x.locations);
}
void fields(auto &archive, Like<CodeSymbol> auto &x) { archive(x.name, x.offset, x.size); }
void fields(auto &archive, Like<CodeImage> auto &x) {
  archive(x.bytes, x.textSize, x.alignment, x.entries, x.internals, x.architecture, x.features,
          x.abiVersion);
}

template <typename T>
concept Number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Appends values to a string of bytes.
class Writer {
public:
  std::string bytes;

  void operator()(const auto &...values) { (write(values), ...); }

private:
  void raw(const void *data, size_t size) { bytes.append(static_cast<const char *>(data), size); }
  void write(Number auto value) { raw(&value, sizeof(value)); }
  void write(const std::string &text) {
    write(static_cast<uint64_t>(text.size()));
    raw(text.data(), text.size());
  }
  template <typename T> void write(const std::vector<T> &values) {
    write(static_cast<uint64_t>(values.size()));
    for (const auto &value : values)
      write(static_cast<const T &>(value));
  }
  template <typename T>
    requires(!Number<T>)
  void write(const T &value) {
    fields(*this, value);
  }
};

/// Takes values from a string of bytes. After a failure all further reads do nothing.
class Reader {
public:
  explicit Reader(std::string_view bytes) : rest(bytes) {}

  void operator()(auto &...values) { (read(values), ...); }

  bool failed() const { return hasFailed; }
  bool isAtEnd() const { return rest.empty(); }

private:
  /// Structs inside structs; a file cannot make the reader run out of stack.
  static constexpr unsigned kMaxDepth = 2048;

  bool raw(void *data, size_t size) {
    if (hasFailed || size > rest.size()) {
      hasFailed = true;
      return false;
    }
    std::memcpy(data, rest.data(), size);
    rest.remove_prefix(size);
    return true;
  }
  void read(bool &value) {
    uint8_t byte = 0;
    raw(&byte, 1);
    hasFailed |= byte > 1;
    value = byte == 1;
  }
  template <Number T> void read(T &value) { raw(&value, sizeof(value)); }

  /// A number of elements, each at least a byte.
  uint64_t readCount() {
    uint64_t count = 0;
    raw(&count, sizeof(count));
    hasFailed |= count > rest.size();
    return hasFailed ? 0 : count;
  }
  void read(std::string &text) {
    text.resize(readCount());
    raw(text.data(), text.size());
  }
  template <typename T> void read(std::vector<T> &values) {
    uint64_t count = readCount();
    values.clear();
    for (uint64_t i = 0; i < count && !hasFailed; ++i) {
      T value{};
      read(value);
      values.push_back(std::move(value));
    }
  }
  template <typename T>
    requires(!Number<T>)
  void read(T &value) {
    if (depth >= kMaxDepth)
      hasFailed = true;
    if (hasFailed)
      return;
    ++depth;
    fields(*this, value);
    --depth;
  }

  std::string_view rest;
  unsigned depth = 0;
  bool hasFailed = false;
};

} // namespace anneal::plan

#endif // ANNEAL_LIB_PLAN_ARCHIVE_H
