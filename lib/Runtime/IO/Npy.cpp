//===- Npy.cpp - NumPy array files ----------------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/IO/Npy.h"

#include "anneal/Runtime/IO/File.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"

#include <algorithm>
#include <cstring>

namespace anneal::runtime {
namespace {

using plan::DType;

constexpr absl::string_view kMagic("\x93NUMPY", 6);

struct Header {
  DType dtype = DType::F32;
  bool bigEndian = false;
  bool fortranOrder = false;
  Dims dims;
};

absl::Status damaged(absl::string_view name, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("'", name, "' is not a readable NPY file: ", why));
}

/// The text that follows `key` in the header's Python dictionary.
absl::optional<absl::string_view> entry(absl::string_view header, absl::string_view key) {
  for (char quote : {'\'', '"'}) {
    std::string pattern = absl::StrCat(std::string(1, quote), key, std::string(1, quote));
    size_t at = header.find(pattern);
    if (at == absl::string_view::npos)
      continue;
    absl::string_view rest = absl::StripLeadingAsciiWhitespace(header.substr(at + pattern.size()));
    if (!rest.empty() && rest.front() == ':')
      return absl::StripLeadingAsciiWhitespace(rest.substr(1));
  }
  return absl::nullopt;
}

/// Element type of an array-protocol type string such as "<f4".
absl::optional<DType> parseType(absl::string_view text) {
  struct Known {
    absl::string_view text;
    DType dtype;
  };
  static constexpr Known kKnown[] = {{"b1", DType::I1},  {"i1", DType::I8},  {"u1", DType::I8},
                                     {"i2", DType::I16}, {"u2", DType::I16}, {"i4", DType::I32},
                                     {"u4", DType::I32}, {"i8", DType::I64}, {"u8", DType::I64},
                                     {"f2", DType::F16}, {"f4", DType::F32}, {"f8", DType::F64},
                                     {"V2", DType::BF16}};
  for (const Known &known : kKnown)
    if (text == known.text)
      return known.dtype;
  return absl::nullopt;
}

absl::Status parseDescr(absl::string_view text, absl::string_view name, Header &header) {
  if (text.empty() || (text.front() != '\'' && text.front() != '"'))
    return damaged(name, "structured element types are not supported");
  size_t end = text.find(text.front(), 1);
  if (end == absl::string_view::npos || end < 3)
    return damaged(name, "damaged header");
  absl::string_view descr = text.substr(1, end - 1);
  header.bigEndian = descr.front() == '>';
  absl::optional<DType> dtype =
      absl::string_view("<>|=").find(descr.front()) == absl::string_view::npos
          ? absl::nullopt
          : parseType(descr.substr(1));
  if (!dtype)
    return damaged(name, absl::StrCat("element type '", descr, "' has no tensor type; use bool, ",
                                      "(u)int8/16/32/64, float16/32/64 or, for bf16, V2"));
  header.dtype = *dtype;
  return absl::OkStatus();
}

absl::Status parseShape(absl::string_view text, absl::string_view name, Header &header) {
  size_t end = text.find(')');
  if (text.empty() || text.front() != '(' || end == absl::string_view::npos)
    return damaged(name, "damaged header (shape)");
  for (absl::string_view piece :
       absl::StrSplit(text.substr(1, end - 1), ',', absl::SkipWhitespace())) {
    int64_t size = 0;
    if (!absl::SimpleAtoi(absl::StripAsciiWhitespace(piece), &size) || size < 0)
      return damaged(name, "damaged header (shape)");
    header.dims.push_back(size);
  }
  return absl::OkStatus();
}

absl::StatusOr<Header> parseHeader(absl::string_view text, absl::string_view name) {
  absl::optional<absl::string_view> descr = entry(text, "descr");
  absl::optional<absl::string_view> order = entry(text, "fortran_order");
  absl::optional<absl::string_view> shape = entry(text, "shape");
  if (!descr || !order || !shape)
    return damaged(name, "damaged header");
  Header header;
  if (absl::Status status = parseDescr(*descr, name, header); !status.ok())
    return status;
  if (absl::Status status = parseShape(*shape, name, header); !status.ok())
    return status;
  header.fortranOrder = absl::StartsWith(*order, "True");
  return header;
}

void swapBytes(char *data, size_t count, size_t size) {
  for (size_t i = 0; i < count; ++i)
    std::reverse(data + i * size, data + (i + 1) * size);
}

/// Where the header's text begins and how long it is; the array follows it.
struct Layout {
  size_t headerBegin = 0;
  size_t headerSize = 0;
};

absl::StatusOr<Layout> findHeader(absl::string_view bytes, absl::string_view name) {
  if (!absl::StartsWith(bytes, kMagic) || bytes.size() < 10)
    return damaged(name, "it does not begin with NumPy's magic number");
  unsigned major = static_cast<unsigned char>(bytes[6]);
  if (major < 1 || major > 3)
    return damaged(name, absl::StrCat("format version ", major));
  Layout layout;
  size_t lengthBytes = major == 1 ? 2 : 4;
  layout.headerBegin = 8 + lengthBytes;
  for (size_t i = 0; i < lengthBytes && 8 + i < bytes.size(); ++i)
    layout.headerSize |= static_cast<size_t>(static_cast<unsigned char>(bytes[8 + i])) << (8 * i);
  if (layout.headerBegin + layout.headerSize > bytes.size())
    return damaged(name, "it ends in the header");
  return layout;
}

absl::string_view descrOf(DType dtype) {
  switch (dtype) {
  case DType::I1:
    return "|b1";
  case DType::I8:
    return "|i1";
  case DType::I16:
    return "<i2";
  case DType::I32:
    return "<i4";
  case DType::I64:
  case DType::Index:
    return "<i8";
  case DType::F16:
    return "<f2";
  case DType::BF16:
    return "|V2";
  case DType::F32:
    return "<f4";
  case DType::F64:
    return "<f8";
  }
  return "";
}

} // namespace

absl::StatusOr<Tensor> parseNpy(absl::string_view bytes, absl::string_view name) {
  absl::StatusOr<Layout> layout = findHeader(bytes, name);
  if (!layout.ok())
    return layout.status();
  absl::StatusOr<Header> header =
      parseHeader(bytes.substr(layout->headerBegin, layout->headerSize), name);
  if (!header.ok())
    return header.status();

  Dims memoryDims = header->dims;
  if (header->fortranOrder)
    std::reverse(memoryDims.begin(), memoryDims.end());
  absl::StatusOr<Tensor> tensor = Tensor::allocate(header->dtype, memoryDims);
  if (!tensor.ok())
    return absl::Status(tensor.status().code(),
                        absl::StrCat("'", name, "': ", tensor.status().message()));
  absl::string_view data = bytes.substr(layout->headerBegin + layout->headerSize);
  if (data.size() < tensor->sizeInBytes())
    return damaged(name, absl::StrCat("its header announces ", tensor->sizeInBytes(),
                                      " bytes of data, it has ", data.size()));
  std::memcpy(tensor->data(), data.data(), tensor->sizeInBytes());
  size_t count = static_cast<size_t>(tensor->numElements());
  if (header->bigEndian)
    swapBytes(tensor->dataAs<char>(), count, plan::sizeOf(header->dtype));
  if (header->dtype == DType::I1)
    for (char &value : absl::MakeSpan(tensor->dataAs<char>(), count))
      value = value != 0;
  if (!header->fortranOrder)
    return tensor;

  Dims strides(header->dims.size());
  int64_t stride = 1;
  for (size_t d = 0; d < strides.size(); ++d) {
    strides[d] = stride;
    stride *= header->dims[d];
  }
  return Tensor::view(header->dtype, header->dims, tensor->data(), nullptr, strides).toDense();
}

absl::StatusOr<Tensor> readNpy(const std::string &path) {
  absl::StatusOr<std::string> bytes = readFile(path);
  if (!bytes.ok())
    return bytes.status();
  return parseNpy(*bytes, path);
}

absl::Status writeNpy(const std::string &path, const Tensor &tensor) {
  absl::StatusOr<Tensor> dense = tensor.toDense();
  if (!dense.ok())
    return dense.status();
  std::string shape = absl::StrJoin(tensor.dims(), ", ");
  std::string header =
      absl::StrCat("{'descr': '", descrOf(tensor.dtype()), "', 'fortran_order': False, 'shape': (",
                   shape, tensor.rank() == 1 ? "," : "", "), }");
  // The array begins at a multiple of 64 bytes; the header ends with a newline.
  constexpr size_t kPrefix = 10;
  size_t total = (kPrefix + header.size() + 1 + 63) / 64 * 64;
  header.resize(total - kPrefix - 1, ' ');
  header.push_back('\n');
  std::string prefix(kMagic);
  prefix += {'\x01', '\x00', static_cast<char>(header.size() & 0xff),
             static_cast<char>(header.size() >> 8)};
  absl::string_view data(dense->dataAs<const char>(), dense->sizeInBytes());
  return writeFile(path, {prefix, header, data});
}

} // namespace anneal::runtime
