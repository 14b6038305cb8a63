//===- Npy.cpp - NumPy array files ----------------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/IO/Npy.h"

#include "NpyHeader.h"

#include "anneal/Runtime/IO/File.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <cstring>

namespace anneal::runtime {
namespace {

using plan::DType;

constexpr absl::string_view kMagic("\x93NUMPY", 6);

absl::Status damaged(absl::string_view name, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("'", name, "' is not a readable NPY file: ", why));
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

/// Whether `size` bytes are what the header announces: no more either, since what follows the array
/// was not written by NumPy.
absl::Status checkSize(const NpyHeader &header, size_t size, absl::string_view name) {
  absl::StatusOr<int64_t> elements = checkedNumElements(header.dtype, header.dims);
  if (!elements.ok())
    return absl::Status(elements.status().code(),
                        absl::StrCat("'", name, "': ", elements.status().message()));
  size_t announced = static_cast<size_t>(*elements) * plan::sizeOf(header.dtype);
  if (size == announced)
    return absl::OkStatus();
  return damaged(name,
                 absl::StrCat("its header announces ", announced, " bytes of data, it has ", size));
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
  absl::StatusOr<NpyHeader> header =
      parseNpyHeader(bytes.substr(layout->headerBegin, layout->headerSize));
  if (!header.ok())
    return damaged(name, header.status().message());
  absl::string_view data = bytes.substr(layout->headerBegin + layout->headerSize);
  if (absl::Status status = checkSize(*header, data.size(), name); !status.ok())
    return status;

  Dims memoryDims = header->dims;
  if (header->fortranOrder)
    std::reverse(memoryDims.begin(), memoryDims.end());
  absl::StatusOr<Tensor> tensor = Tensor::allocate(header->dtype, memoryDims);
  if (!tensor.ok())
    return absl::Status(tensor.status().code(),
                        absl::StrCat("'", name, "': ", tensor.status().message()));
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
