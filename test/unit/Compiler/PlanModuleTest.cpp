//===- PlanModuleTest.cpp - From sources to plans -------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanModule.h"
#include "Loader.h"

#include "anneal/Plan/Validate.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include <unistd.h>

using namespace anneal;
using namespace anneal::compiler;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

PlanResult planText(const std::string &text) {
  Source source{"test.mlir", &text};
  PlanResult result;
  planModule(source, {}, result);
  return result;
}

PlanResult planFile(const std::string &path) {
  PlanResult result;
  planModule({path, nullptr}, {}, result);
  return result;
}

/// A file that goes away with the test.
class TemporaryFile {
public:
  explicit TemporaryFile(const std::string &contents) {
    static int count = 0;
    path = std::filesystem::temp_directory_path() /
           ("anneal-plan-module-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    std::ofstream(path, std::ios::binary) << contents;
  }
  ~TemporaryFile() { std::filesystem::remove(path); }
  std::string name() const { return path.string(); }

private:
  std::filesystem::path path;
};

/// The module as bytecode.
std::string toBytecode(const std::string &text) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  EXPECT_TRUE(mlir::succeeded(mlir::writeBytecodeToFile(*module, os)));
  return bytes;
}

const plan::Function &functionNamed(const plan::Module &module, const std::string &name) {
  for (const plan::Function &function : module.functions)
    if (function.name == name)
      return function;
  ADD_FAILURE() << "no function " << name;
  return module.functions.front();
}

constexpr char kAddConstant[] = R"(
  func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
    %c0 = arith.constant 0 : index
    %k = arith.constant dense_resource<bias> : tensor<4xf32>
    %d = tensor.dim %x, %c0 : tensor<?x4xf32>
    %e = tensor.empty(%d) : tensor<?x4xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                          affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%x, %k : tensor<?x4xf32>, tensor<4xf32>) outs(%e : tensor<?x4xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    } -> tensor<?x4xf32>
    return %r : tensor<?x4xf32>
  }
  {-# dialect_resources: { builtin: {
    bias: "0x100000000000803F000000400000404000008040"
  } } #-}
)";

std::vector<float> floatsOf(const plan::Constant &constant) {
  std::vector<float> values(static_cast<size_t>(constant.numElements()));
  std::memcpy(values.data(), constant.data, constant.sizeInBytes());
  return values;
}

TEST(PlanModule, PlansText) {
  PlanResult result = planText(kAddConstant);
  ASSERT_TRUE(result.ok) << testing::PrintToString(result.diagnostics);
  EXPECT_THAT(result.diagnostics, testing::IsEmpty());
  EXPECT_EQ(plan::validate(result.module), std::nullopt);
  const plan::Function &main = functionNamed(result.module, "main");
  ASSERT_EQ(main.arguments.size(), 1u);
  EXPECT_THAT(main.arguments[0].dims, ElementsAre(plan::kDynamic, 4));
  ASSERT_EQ(main.body.steps.size(), 1u);
  EXPECT_EQ(main.body.steps[0].kind, plan::StepKind::Invoke);
}

TEST(PlanModule, ConstantsOutliveTheContext) {
  PlanResult result = planText(kAddConstant);
  ASSERT_TRUE(result.ok);
  ASSERT_EQ(result.module.constants.size(), 1u);
  EXPECT_THAT(floatsOf(result.module.constants[0]), ElementsAre(1, 2, 3, 4));
}

TEST(PlanModule, ConstantsOfBytecodeStayInTheMappedFile) {
  // Large enough for the file to be mapped.
  std::string zeros(4 * 65536, '0');
  std::string text = R"(
    func.func @main() -> tensor<32768xf32> {
      %k = arith.constant dense_resource<big> : tensor<32768xf32>
      return %k : tensor<32768xf32>
    }
    {-# dialect_resources: { builtin: { big: "0x04000000)" +
                     zeros + R"(" } } #-} )";
  TemporaryFile file(toBytecode(text));
  PlanResult result = planFile(file.name());
  ASSERT_TRUE(result.ok) << testing::PrintToString(result.diagnostics);
  ASSERT_EQ(result.module.constants.size(), 1u);
  const void *data = result.module.constants[0].data;
  bool isInMappedFile = false;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0, end = 0;
    std::sscanf(line.c_str(), "%lx-%lx", &begin, &end);
    auto at = reinterpret_cast<uintptr_t>(data);
    if (begin <= at && at < end)
      isInMappedFile = line.find(file.name()) != std::string::npos;
  }
  EXPECT_TRUE(isInMappedFile);
}

TEST(PlanModule, BitsOfBooleanConstantsAreBytes) {
  PlanResult result = planText(R"(
    func.func @main() -> tensor<10xi1> {
      %k = arith.constant dense<[true, false, true, true, false, false, true, false, true, true]>
          : tensor<10xi1>
      return %k : tensor<10xi1>
    })");
  ASSERT_TRUE(result.ok) << testing::PrintToString(result.diagnostics);
  const plan::Constant &constant = result.module.constants.at(0);
  const auto *bytes = static_cast<const uint8_t *>(constant.data);
  EXPECT_EQ(std::vector<uint8_t>(bytes, bytes + 10),
            (std::vector<uint8_t>{1, 0, 1, 1, 0, 0, 1, 0, 1, 1}));
}

TEST(PlanModule, SplatConstantsAreSpreadOut) {
  PlanResult result = planText(R"(
    func.func @main() -> tensor<2x3xi16> {
      %k = arith.constant dense<7> : tensor<2x3xi16>
      return %k : tensor<2x3xi16>
    })");
  ASSERT_TRUE(result.ok) << testing::PrintToString(result.diagnostics);
  const auto *values = static_cast<const int16_t *>(result.module.constants.at(0).data);
  EXPECT_EQ(std::vector<int16_t>(values, values + 6), (std::vector<int16_t>(6, 7)));
}

TEST(PlanModule, EveryPublicFunctionIsPlanned) {
  PlanResult result = planText(R"(
    func.func @"first one"(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
    func.func @second(%x: i64) -> i64 { return %x : i64 }
  )");
  ASSERT_TRUE(result.ok) << testing::PrintToString(result.diagnostics);
  ASSERT_EQ(result.module.functions.size(), 2u);
  EXPECT_EQ(result.module.functions[0].name, "first one");
  EXPECT_TRUE(functionNamed(result.module, "second").results[0].isScalar);
}

TEST(PlanModule, SaysThatAFileDoesNotExist) {
  PlanResult result = planFile("/does/not/exist.mlir");
  EXPECT_FALSE(result.ok);
  EXPECT_TRUE(result.notFound);
  EXPECT_THAT(result.diagnostics,
              ElementsAre("error: cannot open '/does/not/exist.mlir': No such file or directory"));
}

TEST(PlanModule, SaysThatBytesAreNotMlir) {
  std::string bytes("\x7f"
                    "ELF\0\0\0\1",
                    8);
  PlanResult result = planText(bytes);
  EXPECT_FALSE(result.ok);
  EXPECT_FALSE(result.notFound);
  EXPECT_THAT(result.diagnostics,
              ElementsAre("test.mlir: error: this is neither MLIR text nor MLIR bytecode"));
}

TEST(PlanModule, SaysWhereTextDoesNotParse) {
  PlanResult result = planText("func.func @main() {\n  %x = nonsense\n}");
  EXPECT_FALSE(result.ok);
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_THAT(result.diagnostics[0], StartsWith("test.mlir:2:"));
}

TEST(PlanModule, SaysWhatDoesNotVerify) {
  PlanResult result = planText("func.func @main(%x: i32) -> i64 {\n  return %x : i32\n}");
  EXPECT_FALSE(result.ok);
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_THAT(result.diagnostics[0], StartsWith("test.mlir:2:"));
  EXPECT_THAT(result.diagnostics[0], HasSubstr("error: "));
}

TEST(PlanModule, SaysWhichOperationIsUnknown) {
  PlanResult result = planText("func.func @main() {\n  \"foo.bar\"() : () -> ()\n  return\n}");
  EXPECT_FALSE(result.ok);
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_THAT(result.diagnostics[0], StartsWith("test.mlir:2:3: error: "));
  EXPECT_THAT(result.diagnostics[0], HasSubstr("'foo.bar': there is no dialect 'foo' here"));
}

TEST(PlanModule, SaysThatBytecodeIsCutOff) {
  std::string bytes = toBytecode(kAddConstant);
  for (size_t length : {bytes.size() / 8, bytes.size() / 2, bytes.size() - 1}) {
    PlanResult result = planText(bytes.substr(0, length));
    EXPECT_FALSE(result.ok) << length;
    ASSERT_FALSE(result.diagnostics.empty());
    EXPECT_THAT(result.diagnostics.back(),
                StartsWith("test.mlir: error: this MLIR bytecode can't be read"));
  }
}

TEST(PlanModule, SaysThatThereIsNoFunction) {
  PlanResult result = planText("module {}");
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.diagnostics,
              ElementsAre(HasSubstr("error: this module has no public function with a body")));
}

TEST(PlanModule, SaysThatAResourceHasNoData) {
  PlanResult result = planText(R"(
    func.func @main() -> tensor<4xf32> {
      %k = arith.constant dense_resource<missing> : tensor<4xf32>
      return %k : tensor<4xf32>
    })");
  EXPECT_FALSE(result.ok);
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_THAT(result.diagnostics[0], HasSubstr("resource 'missing' has no data"));
}

TEST(PlanModule, WritesTheModuleAfterEachStage) {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("anneal-dump-" + std::to_string(::getpid()));
  std::string text = kAddConstant;
  Source source{"test.mlir", &text};
  PlanOptions options;
  options.dumpDirectory = folder.string();
  PlanResult result;
  planModule(source, options, result);
  EXPECT_TRUE(result.ok);
  for (const char *stage : {"1-normalize", "2-form-units", "3-bufferize-host"})
    EXPECT_TRUE(std::filesystem::exists(folder / (std::string(stage) + ".mlir"))) << stage;
  std::filesystem::remove_all(folder);
}

TEST(PlanModule, ManyThreadsPlanAtOnce) {
  std::vector<PlanResult> results(4);
  std::vector<std::thread> threads;
  for (PlanResult &result : results)
    threads.emplace_back([&result] { result = planText(kAddConstant); });
  for (std::thread &thread : threads)
    thread.join();
  for (const PlanResult &result : results)
    EXPECT_TRUE(result.ok);
}

} // namespace
