//===- NpyTest.cpp --------------------------------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/IO/Npy.h"

#include "anneal/Runtime/IO/File.h"

#include <filesystem>
#include <gtest/gtest.h>

using namespace anneal::runtime;
using anneal::plan::DType;

namespace {

std::string npy(const std::string &header, const std::string &data) {
  std::string padded = header + "\n";
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(padded.size()) + '\0' + padded +
         data;
}

std::string temporaryPath(const char *name) {
  return (std::filesystem::path(testing::TempDir()) / name).string();
}

TEST(NpyTest, ReadsWhatItWroteInEveryType) {
  std::string path = temporaryPath("every_type.npy");
  for (unsigned i = 0; i < anneal::plan::kNumDTypes; ++i) {
    auto dtype = static_cast<DType>(i);
    Tensor tensor = *Tensor::allocate(dtype, {2, 3});
    for (size_t b = 0; b < tensor.sizeInBytes(); ++b)
      tensor.dataAs<uint8_t>()[b] = dtype == DType::I1 ? b % 2 : static_cast<uint8_t>(b * 37);
    ASSERT_TRUE(writeNpy(path, tensor).ok());
    auto back = readNpy(path);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(back->dtype(), dtype == DType::Index ? DType::I64 : dtype);
    EXPECT_EQ(back->dims(), tensor.dims());
    EXPECT_EQ(std::memcmp(back->data(), tensor.data(), tensor.sizeInBytes()), 0);
  }
}

TEST(NpyTest, KeepsRankZeroAndEmptyArrays) {
  std::string path = temporaryPath("ranks.npy");
  for (std::vector<int64_t> dims : {std::vector<int64_t>{}, {0}, {3, 0, 2}, {1}}) {
    ASSERT_TRUE(writeNpy(path, *Tensor::allocate(DType::F32, dims)).ok());
    auto back = readNpy(path);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(std::vector<int64_t>(back->dims().begin(), back->dims().end()), dims);
  }
}

TEST(NpyTest, ConvertsBigEndian) {
  auto tensor = parseNpy(npy("{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }",
                             std::string("\x01\x02\xff\xfe", 4)),
                         "x");
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(tensor->dataAs<int16_t>()[0], 0x0102);
  EXPECT_EQ(tensor->dataAs<int16_t>()[1], -2);
}

TEST(NpyTest, ConvertsFortranOrder) {
  auto tensor = parseNpy(
      npy("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }", "\x01\x04\x02\x05\x03\x06"),
      "x");
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(std::vector<int8_t>(tensor->dataAs<int8_t>(), tensor->dataAs<int8_t>() + 6),
            (std::vector<int8_t>{1, 2, 3, 4, 5, 6}));
}

TEST(NpyTest, ReadsUnsignedAsSignlessOfTheSameWidth) {
  auto tensor =
      parseNpy(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }", "\xff"), "x");
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(tensor->dtype(), DType::I8);
  EXPECT_EQ(tensor->dataAs<uint8_t>()[0], 255);
}

TEST(NpyTest, RefusesWhatIsNotAnArrayFileAndSaysWhy) {
  struct Case {
    std::string bytes;
    std::string message;
  };
  const Case cases[] = {
      {"", "magic"},
      {"PK\x03\x04 not an array", "magic"},
      {std::string("\x93NUMPY\x01\x00\xff\x00", 10), "ends in the header"},
      {std::string("\x93NUMPY\x09\x00\x01\x00 ", 11), "format version 9"},
      {npy("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "12345678"), "'<c8'"},
      {npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234"),
       "structured"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "1234"),
       "8 bytes of data, it has 4"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "12345"),
       "4 bytes of data, it has 5"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4000000000, 4000000000), }", ""),
       "x"},
  };
  for (const Case &c : cases) {
    auto tensor = parseNpy(c.bytes, "x.npy");
    ASSERT_FALSE(tensor.ok());
    EXPECT_NE(tensor.status().message().find(c.message), absl::string_view::npos)
        << tensor.status();
    EXPECT_NE(tensor.status().message().find("x.npy"), absl::string_view::npos);
  }
}

TEST(NpyTest, EveryDamagedHeaderIsCalledThat) {
  const std::pair<const char *, const char *> cases[] = {
      {"", "it is not a dictionary"},
      {"['descr']", "it is not a dictionary"},
      {"{'descr' '<f4'}", "it is not a dictionary"},
      {"{'descr", "it is not a dictionary"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)",
       "no comma or brace after the value of 'shape'"},
      {"{'fortran_order': False, 'shape': (1,)}", "no 'descr'"},
      {"{'descr': '<f4', 'shape': (1,)}", "no 'fortran_order'"},
      {"{'descr': '<f4', 'fortran_order': False}", "no 'shape'"},
      {"{'descr': '<f4', 'descr': '<f8'}", "the key 'descr' twice"},
      {"{'what': 1}", "the key 'what'"},
      {"{'descr': 4}", "'descr' is not a type"},
      {"{'descr': '<f4}", "'descr' is not a type"},
      {"{'descr': '<f4' 'shape'", "no comma or brace after the value of 'descr'"},
      {"{'fortran_order': Falsch}", "'fortran_order' is neither True nor False"},
      {"{'fortran_order': Falsehood}", "no comma or brace after the value of 'fortran_order'"},
      {"{'shape': 1}", "'shape' is not a tuple of sizes"},
      {"{'shape': (1)}", "'shape' is not a tuple of sizes"},
      {"{'shape': (-1,)}", "'shape' is not a tuple of sizes"},
      {"{'shape': (1 2)}", "'shape' is not a tuple of sizes"},
      {"{'shape': (,)}", "'shape' is not a tuple of sizes"},
      {"{'shape': (99999999999999999999,)}", "'shape' is not a tuple of sizes"},
      {"{'shape': (1,", "'shape' is not a tuple of sizes"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", "text after the dictionary"},
      {"{'\x01\x02': 1}", "the key '\\x01\\x02'"},
  };
  for (auto [header, what] : cases) {
    auto tensor = parseNpy(npy(header, "1234"), "x.npy");
    ASSERT_FALSE(tensor.ok()) << header;
    EXPECT_EQ(std::string(tensor.status().message()),
              std::string("'x.npy' is not a readable NPY file: its header is damaged (") + what +
                  ")")
        << header;
  }
}

TEST(NpyTest, ReadsEveryFormOfTheHeaderThatIsPython) {
  for (const char *header : {"{'descr': '<i2', 'fortran_order': False, 'shape': (1,), }    ",
                             "{\"shape\":(1,),\"fortran_order\":False,\"descr\":\"=i2\"}",
                             " { 'descr' : '<i2' , 'shape' : ( 1 , ) , 'fortran_order' : False } ",
                             "{'descr': '<i2', 'fortran_order': False, 'shape': (1L,), }"}) {
    auto tensor = parseNpy(npy(header, "\x05\x01"), "x");
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    EXPECT_EQ(tensor->dataAs<int16_t>()[0], 0x105);
  }
  auto scalar = parseNpy(npy("{'descr': '|b1', 'fortran_order': True, 'shape': ()}", "\x01"), "x");
  ASSERT_TRUE(scalar.ok()) << scalar.status();
  EXPECT_EQ(scalar->rank(), 0u);
}

TEST(NpyTest, NamesTheFileThatCannotBeReadOrWritten) {
  auto missing = readNpy("/nonexistent/x.npy");
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(missing.status().message().find("/nonexistent/x.npy"), absl::string_view::npos);
  EXPECT_FALSE(readNpy("/").ok());
  EXPECT_FALSE(writeNpy("/nonexistent/x.npy", *Tensor::allocate(DType::F32, {1})).ok());
}

TEST(NpyTest, LeavesNothingBesideTheFileItWrites) {
  std::filesystem::path folder = temporaryPath("npy_folder");
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  ASSERT_TRUE(writeNpy((folder / "a.npy").string(), *Tensor::allocate(DType::F32, {1})).ok());
  ASSERT_TRUE(writeNpy((folder / "a.npy").string(), *Tensor::allocate(DType::F32, {2})).ok());
  size_t count = 0;
  for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(folder))
    ++count;
  EXPECT_EQ(count, 1u);
}

} // namespace
