//===- JitProfile.cpp - The attributes jit.profile and jit.access ---------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/IR/JitAttrs.h"

#include "NamedValues.h"
#include "anneal/IR/JitDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace anneal::jit;

//===----------------------------------------------------------------------===//
// Access
//===----------------------------------------------------------------------===//

std::optional<double> AccessAttr::getContiguity() const { return getDouble(getContiguityAttr()); }

LogicalResult AccessAttr::verify(function_ref<InFlightDiagnostic()> emitError, FloatAttr contiguity,
                                 std::optional<int64_t> alignment, DenseI64ArrayAttr strides) {
  if (!contiguity && !alignment && !strides)
    return emitError() << "an access needs at least one of contiguity, alignment, strides";
  if (contiguity && failed(verifyShare(emitError, "contiguity", contiguity)))
    return failure();
  if (alignment && (*alignment <= 0 || !llvm::isPowerOf2_64(*alignment)))
    return emitError() << "'alignment' must be a power of two, but is " << *alignment;
  return success();
}

Attribute AccessAttr::parse(AsmParser &parser, Type) {
  SMLoc start = parser.getCurrentLocation();
  std::optional<double> contiguity;
  std::optional<int64_t> alignment;
  DenseI64ArrayAttr strides;
  auto parseValue = [&](StringRef name, SMLoc location) -> ParseResult {
    if (name == "contiguity")
      return parseDouble(parser, contiguity);
    if (name == "alignment")
      return parser.parseInteger(alignment.emplace());
    if (name == "strides") {
      SmallVector<int64_t> values;
      if (parseList(parser, values))
        return failure();
      strides = parser.getBuilder().getDenseI64ArrayAttr(values);
      return success();
    }
    return parser.emitError(location) << "unknown name '" << name
                                      << "' in an access; known are contiguity, alignment, strides";
  };
  if (parseNamedValues(parser, parseValue))
    return {};
  return getChecked([&] { return parser.emitError(start); }, parser.getContext(),
                    getF64(parser.getContext(), contiguity), alignment, strides);
}

void AccessAttr::print(AsmPrinter &printer) const {
  llvm::ListSeparator comma;
  printer << "<";
  if (getContiguityAttr()) {
    printer << StringRef(comma) << "contiguity = ";
    printer.printFloat(getContiguityAttr().getValue());
  }
  if (getAlignment())
    printer << StringRef(comma) << "alignment = " << *getAlignment();
  if (getStrides())
    printer << StringRef(comma) << "strides = [" << getStrides().asArrayRef() << "]";
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Profile
//===----------------------------------------------------------------------===//

std::optional<double> ProfileAttr::getTimeUs() const { return getDouble(getTimeUsAttr()); }

size_t ProfileAttr::getNumShapes() const { return getShapes() ? getShapes().size() : 0; }

/// Sizes of an argument in an element of `shapes`.
static ArrayRef<int64_t> sizesAt(Attribute shape, size_t argument) {
  return cast<DenseI64ArrayAttr>(cast<ArrayAttr>(shape)[argument]).asArrayRef();
}

ArrayRef<int64_t> ProfileAttr::getSizes(size_t shape, size_t argument) const {
  return sizesAt(getShapes()[shape], argument);
}

int64_t ProfileAttr::getShapeTotal() const {
  int64_t total = 0;
  if (getShapeCounts())
    for (int64_t count : getShapeCounts().asArrayRef())
      total += count;
  return total;
}

/// Whether one shape comes before another of the same count.
static bool isBefore(Attribute one, Attribute other) {
  size_t numArguments = std::min(cast<ArrayAttr>(one).size(), cast<ArrayAttr>(other).size());
  for (size_t i = 0; i < numArguments; ++i) {
    ArrayRef<int64_t> a = sizesAt(one, i), b = sizesAt(other, i);
    if (a != b)
      return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  }
  return cast<ArrayAttr>(one).size() < cast<ArrayAttr>(other).size();
}

void ProfileAttr::sortShapes(MutableArrayRef<CountedShape> shapes) {
  llvm::stable_sort(shapes, [](const CountedShape &one, const CountedShape &other) {
    return one.second != other.second ? one.second > other.second
                                      : isBefore(one.first, other.first);
  });
}

/// Whether `shapes` has the form that getSizes relies on.
static bool isWellFormed(ArrayAttr shapes) {
  return llvm::all_of(shapes, [](Attribute shape) {
    auto arguments = dyn_cast<ArrayAttr>(shape);
    return arguments && llvm::all_of(arguments, llvm::IsaPred<DenseI64ArrayAttr>);
  });
}

/// The histogram: counts that aren't negative and don't exceed `calls`, shapes in order, none
/// twice.
static LogicalResult verifyShapes(function_ref<InFlightDiagnostic()> emitError,
                                  std::optional<int64_t> calls, ArrayAttr shapes,
                                  ArrayRef<int64_t> counts) {
  if (!isWellFormed(shapes) || shapes.size() != counts.size())
    return emitError() << "'shapes' must be lists of sizes for each argument, with as many counts";
  int64_t total = 0;
  for (auto [index, shape, count] : llvm::enumerate(shapes, counts)) {
    if (count <= 0)
      return emitError() << "the count of shape #" << index << " must be positive, but is "
                         << count;
    if (llvm::AddOverflow(total, count, total))
      return emitError() << "the counts of 'shapes' add up to more than 64 bits";
    if (cast<ArrayAttr>(shape).size() != cast<ArrayAttr>(shapes[0]).size())
      return emitError() << "shape #" << index << " has " << cast<ArrayAttr>(shape).size()
                         << " arguments, but shape #0 has " << cast<ArrayAttr>(shapes[0]).size();
    for (size_t argument : llvm::seq<size_t>(0, cast<ArrayAttr>(shape).size()))
      for (int64_t size : sizesAt(shape, argument))
        if (size < 0)
          return emitError() << "size " << size << " of argument #" << argument << " in shape #"
                             << index << " is negative";
    if (llvm::is_contained(shapes.getValue().take_front(index), shape))
      return emitError() << "shape #" << index << " is given twice";
  }
  if (calls && total > *calls)
    return emitError() << "the counts of 'shapes' add up to " << total << ", but there were "
                       << *calls << " calls";
  return success();
}

LogicalResult ProfileAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  std::optional<int64_t> calls, FloatAttr timeUs,
                                  std::optional<int64_t> bytes, std::optional<int64_t> flops,
                                  ArrayAttr shapes, DenseI64ArrayAttr shapeCounts,
                                  DenseF64ArrayAttr branches, ArrayAttr memory) {
  if (!calls && !timeUs && !bytes && !flops && !shapes && !branches && !memory)
    return emitError() << "a profile needs at least one of calls, time_us, bytes, flops, shapes, "
                       << "branches, memory";
  std::pair<StringRef, std::optional<int64_t>> integers[] = {
      {"calls", calls}, {"bytes", bytes}, {"flops", flops}};
  for (auto [name, value] : integers)
    if (value && *value < 0)
      return emitError() << "'" << name << "' must not be negative, but is " << *value;
  if (timeUs && failed(verifyAmount(emitError, "time_us", timeUs)))
    return failure();
  if (bool(shapes) != bool(shapeCounts))
    return emitError() << "'shapes' needs a count for each shape";
  if (shapes && failed(verifyShapes(emitError, calls, shapes, shapeCounts.asArrayRef())))
    return failure();
  if (branches)
    for (auto [index, share] : llvm::enumerate(branches.asArrayRef()))
      if (!(share >= 0 && share <= 1))
        return emitError() << "branch #" << index << " must be a share from 0 to 1, but is "
                           << share;
  if (memory && !llvm::all_of(memory, llvm::IsaPred<AccessAttr>))
    return emitError() << "'memory' must be a list of #jit.access";
  return success();
}

LogicalResult ProfileAttr::verifyFits(function_ref<InFlightDiagnostic()> emitError,
                                      ArrayRef<Type> types) const {
  if (getMemory() && getMemory().size() != types.size())
    return emitError() << "'" << JitDialect::kProfileAttrName << "' describes the memory of "
                       << getMemory().size() << " arguments, but the unit has " << types.size();
  for (size_t shape = 0; shape < getNumShapes(); ++shape) {
    size_t count = cast<ArrayAttr>(getShapes()[shape]).size();
    if (count != types.size())
      return emitError() << "shape #" << shape << " of '" << JitDialect::kProfileAttrName
                         << "' has sizes of " << count << " arguments, but the unit has "
                         << types.size();
    for (auto [index, type] : llvm::enumerate(types)) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      ArrayRef<int64_t> known = tensor ? tensor.getShape() : ArrayRef<int64_t>();
      bool fits = llvm::equal(getSizes(shape, index), known, [](int64_t size, int64_t other) {
        return ShapedType::isDynamic(other) || size == other;
      });
      if (!fits)
        return emitError() << "shape #" << shape << " of '" << JitDialect::kProfileAttrName
                           << "' doesn't fit argument #" << index << ", which is " << type;
    }
  }
  return success();
}

/// Parses `([8, 4], [], [8, 4]) : 9`.
static ParseResult parseShape(AsmParser &parser,
                              SmallVectorImpl<ProfileAttr::CountedShape> &shapes) {
  SmallVector<Attribute> arguments;
  auto parseArgument = [&]() -> ParseResult {
    SmallVector<int64_t> sizes;
    if (parseList(parser, sizes))
      return failure();
    arguments.push_back(parser.getBuilder().getDenseI64ArrayAttr(sizes));
    return success();
  };
  int64_t count;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseArgument) ||
      parser.parseColon() || parser.parseInteger(count))
    return failure();
  shapes.emplace_back(parser.getBuilder().getArrayAttr(arguments), count);
  return success();
}

Attribute ProfileAttr::parse(AsmParser &parser, Type) {
  SMLoc start = parser.getCurrentLocation();
  Builder &builder = parser.getBuilder();
  std::optional<int64_t> calls, bytes, flops;
  std::optional<double> timeUs;
  std::optional<SmallVector<CountedShape>> shapes;
  std::optional<SmallVector<double>> branches;
  std::optional<SmallVector<Attribute>> memory;
  auto parseValue = [&](StringRef name, SMLoc location) -> ParseResult {
    if (name == "calls")
      return parser.parseInteger(calls.emplace());
    if (name == "time_us")
      return parseDouble(parser, timeUs);
    if (name == "bytes")
      return parser.parseInteger(bytes.emplace());
    if (name == "flops")
      return parser.parseInteger(flops.emplace());
    if (name == "shapes")
      return parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&, &list = shapes.emplace()] { return parseShape(parser, list); });
    if (name == "branches")
      return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            [&, &list = branches.emplace()]() -> ParseResult {
                                              std::optional<double> share;
                                              if (parseDouble(parser, share))
                                                return failure();
                                              list.push_back(*share);
                                              return success();
                                            });
    if (name == "memory")
      return parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&, &list = memory.emplace()] { return parser.parseAttribute(list.emplace_back()); });
    return parser.emitError(location)
           << "unknown name '" << name << "' in a profile; known are calls, time_us, bytes, flops, "
           << "shapes, branches, memory";
  };
  if (parseNamedValues(parser, parseValue))
    return {};
  ArrayAttr shapesAttr;
  DenseI64ArrayAttr counts;
  if (shapes) {
    sortShapes(*shapes);
    shapesAttr = builder.getArrayAttr(llvm::to_vector(llvm::make_first_range(*shapes)));
    counts = builder.getDenseI64ArrayAttr(llvm::to_vector(llvm::make_second_range(*shapes)));
  }
  return getChecked([&] { return parser.emitError(start); }, parser.getContext(), calls,
                    getF64(parser.getContext(), timeUs), bytes, flops, shapesAttr, counts,
                    branches ? builder.getDenseF64ArrayAttr(*branches) : DenseF64ArrayAttr(),
                    memory ? builder.getArrayAttr(*memory) : ArrayAttr());
}

void ProfileAttr::print(AsmPrinter &printer) const {
  llvm::ListSeparator comma;
  auto begin = [&](StringRef name) { printer << StringRef(comma) << name << " = "; };
  printer << "<";
  std::pair<StringRef, std::optional<int64_t>> counts[] = {
      {"calls", getCalls()}, {"bytes", getBytes()}, {"flops", getFlops()}};
  for (auto [name, value] : counts) {
    if (value) {
      begin(name);
      printer << *value;
    }
    if (name == "calls" && getTimeUsAttr()) {
      begin("time_us");
      printer.printFloat(getTimeUsAttr().getValue());
    }
  }
  if (getShapes()) {
    begin("shapes");
    printer << "[";
    llvm::interleaveComma(
        llvm::zip(getShapes(), getShapeCounts().asArrayRef()), printer, [&](auto entry) {
          auto [shape, count] = entry;
          printer << "(";
          llvm::interleaveComma(cast<ArrayAttr>(shape), printer, [&](Attribute sizes) {
            printer << "[" << cast<DenseI64ArrayAttr>(sizes).asArrayRef() << "]";
          });
          printer << ") : " << count;
        });
    printer << "]";
  }
  if (getBranches()) {
    begin("branches");
    printer << "[";
    llvm::interleaveComma(getBranches().asArrayRef(), printer,
                          [&](double share) { printer.printFloat(APFloat(share)); });
    printer << "]";
  }
  if (getMemory()) {
    begin("memory");
    printer << "[";
    llvm::interleaveComma(getMemory(), printer,
                          [&](Attribute access) { printer.printAttribute(access); });
    printer << "]";
  }
  printer << ">";
}
