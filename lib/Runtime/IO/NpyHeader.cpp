//===- NpyHeader.cpp - What the header of an NPY file says ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NpyHeader.h"

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"

namespace anneal::runtime {
namespace {

using plan::DType;

/// Element type of an array-protocol type string such as "f4", without its byte order.
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

absl::Status damaged(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("its header is damaged (", what, ")"));
}

/// What a damaged file may hold, fit for a message.
std::string shown(absl::string_view text) { return absl::CHexEscape(text.substr(0, 40)); }

/// Reads the header from its beginning to its end.
class HeaderParser {
public:
  explicit HeaderParser(absl::string_view text) : rest(text) {}

  absl::StatusOr<NpyHeader> parse() {
    if (!consume("{"))
      return damaged("it is not a dictionary");
    while (!consume("}")) {
      absl::optional<absl::string_view> key = quoted();
      if (!key || !consume(":"))
        return damaged("it is not a dictionary");
      if (absl::Status status = value(*key); !status.ok())
        return status;
      if (!consume(",") && !startsWith("}"))
        return damaged(absl::StrCat("no comma or brace after the value of '", shown(*key), "'"));
    }
    if (!absl::StripAsciiWhitespace(rest).empty())
      return damaged("text after the dictionary");
    if (!hasType || !hasOrder || !hasShape)
      return damaged(absl::StrCat("no '",
                                  !hasType    ? "descr"
                                  : !hasOrder ? "fortran_order"
                                              : "shape",
                                  "'"));
    return header;
  }

private:
  bool startsWith(absl::string_view token) {
    rest = absl::StripLeadingAsciiWhitespace(rest);
    return absl::StartsWith(rest, token);
  }

  bool consume(absl::string_view token) {
    return startsWith(token) && absl::ConsumePrefix(&rest, token);
  }

  absl::optional<absl::string_view> quoted() {
    if (!startsWith("'") && !startsWith("\""))
      return absl::nullopt;
    size_t end = rest.find(rest.front(), 1);
    if (end == absl::string_view::npos)
      return absl::nullopt;
    absl::string_view text = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return text;
  }

  absl::Status value(absl::string_view key) {
    bool *seen = key == "descr"           ? &hasType
                 : key == "fortran_order" ? &hasOrder
                 : key == "shape"         ? &hasShape
                                          : nullptr;
    if (!seen || *seen)
      return damaged(absl::StrCat("the key '", shown(key), seen ? "' twice" : "'"));
    *seen = true;
    return seen == &hasType ? type() : seen == &hasOrder ? order() : shape();
  }

  absl::Status type() {
    if (startsWith("[") || startsWith("("))
      return absl::InvalidArgumentError("structured element types are not supported");
    absl::optional<absl::string_view> text = quoted();
    if (!text)
      return damaged("'descr' is not a type");
    absl::optional<DType> dtype;
    if (!text->empty() && absl::string_view("<>|=").find(text->front()) != absl::string_view::npos)
      dtype = parseType(text->substr(1));
    if (!dtype)
      return absl::InvalidArgumentError(
          absl::StrCat("element type '", shown(*text), "' has no tensor type; use bool, ",
                       "(u)int8/16/32/64, float16/32/64 or, for bf16, V2"));
    header.dtype = *dtype;
    header.bigEndian = text->front() == '>';
    return absl::OkStatus();
  }

  absl::Status order() {
    header.fortranOrder = consume("True");
    return header.fortranOrder || consume("False")
               ? absl::OkStatus()
               : damaged("'fortran_order' is neither True nor False");
  }

  /// "()", "(2,)", "(2, 3)"; Python 2 wrote "(2L, 3L)".
  absl::Status shape() {
    absl::Status wrong = damaged("'shape' is not a tuple of sizes");
    if (!consume("("))
      return wrong;
    bool afterComma = true;
    while (!consume(")")) {
      size_t digits = 0;
      while (digits < rest.size() && absl::ascii_isdigit(static_cast<unsigned char>(rest[digits])))
        ++digits;
      int64_t size = 0;
      if (!afterComma || !absl::SimpleAtoi(rest.substr(0, digits), &size))
        return wrong;
      header.dims.push_back(size);
      rest.remove_prefix(digits);
      absl::ConsumePrefix(&rest, "L");
      afterComma = consume(",");
    }
    // "(2)" is no tuple.
    return header.dims.size() == 1 && !afterComma ? wrong : absl::OkStatus();
  }

  absl::string_view rest;
  NpyHeader header;
  bool hasType = false;
  bool hasOrder = false;
  bool hasShape = false;
};

} // namespace

absl::StatusOr<NpyHeader> parseNpyHeader(absl::string_view text) {
  return HeaderParser(text).parse();
}

} // namespace anneal::runtime
