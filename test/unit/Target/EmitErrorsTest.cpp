//===- EmitErrorsTest.cpp - What gives no code image ----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TargetTesting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace anneal;
using namespace anneal::target;
using namespace anneal::target::test;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

TEST(EmitErrorsTest, NamesExternalSymbolsAndWhoWantsThem) {
  std::string message = emitError(R"(
declare float @expf(float)
define float @innocent(float %x) { ret float %x }
define float @softmax_3(float %x) {
  %y = call float @expf(float %x)
  ret float %y
})");
  EXPECT_EQ(message, "module 'test' gives no code image: function 'softmax_3' needs the external "
                     "symbol 'expf' (R_X86_64_PLT32)");
}

TEST(EmitErrorsTest, NamesLibraryCallsThatLlvmMakes) {
  // No FMA before x86-64-v3.
  constexpr char kFma[] = R"(
declare float @llvm.fma.f32(float, float, float)
define float @chain(float %x) {
  %y = call float @llvm.fma.f32(float %x, float %x, float %x)
  ret float %y
})";
  EXPECT_THAT(emitError(kFma, "x86-64"), HasSubstr("'chain' needs the external symbol 'fmaf'"));
  EXPECT_EQ(emitError(kFma, "x86-64-v3"), "");
  // No F16C either.
  constexpr char kHalf[] = R"(
define half @narrow(float %x) {
  %y = fptrunc float %x to half
  ret half %y
})";
  EXPECT_THAT(emitError(kHalf, "x86-64"),
              HasSubstr("'narrow' needs the external symbol '__truncsfhf2'"));
  EXPECT_EQ(emitError(kHalf, "x86-64-v3"), "");
}

TEST(EmitErrorsTest, NamesExternalVariables) {
  EXPECT_THAT(emitError(R"(
@far = external global i32
define i32 @get() {
  %v = load i32, ptr @far
  ret i32 %v
})"),
              HasSubstr("function 'get' needs the external symbol 'far'"));
}

TEST(EmitErrorsTest, NamesWritableVariables) {
  constexpr char kUse[] = "define i32 @get() {\n  %v = load i32, ptr @x\n  ret i32 %v\n}\n";
  EXPECT_THAT(emitError(std::string("@x = global i32 5\n") + kUse),
              HasSubstr("there is a writable variable, 'x' (section '.data')"));
  EXPECT_THAT(emitError(std::string("@x = internal global i32 0\n") + kUse),
              HasSubstr("there is a writable variable, 'x' (section '.bss')"));
  EXPECT_THAT(emitError(std::string("@x = common global i32 0\n") + kUse),
              HasSubstr("there is a writable variable, 'x'"));
}

TEST(EmitErrorsTest, NamesThreadLocalVariables) {
  constexpr char kUse[] = R"(
declare ptr @llvm.threadlocal.address.p0(ptr)
define i32 @get() {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @x)
  %v = load i32, ptr %p
  ret i32 %v
})";
  EXPECT_THAT(emitError(std::string("@x = thread_local global i32 5\n") + kUse),
              HasSubstr("there is a thread-local variable, 'x'"));
  EXPECT_THAT(emitError(std::string("@x = external thread_local global i32\n") + kUse),
              HasSubstr("function 'get' needs the external symbol"));
}

TEST(EmitErrorsTest, NamesConstantsThatHoldAddresses) {
  EXPECT_THAT(emitError(R"(
define i32 @one() { ret i32 1 }
@table = constant [2 x ptr] [ptr @one, ptr @one]
define ptr @get(i64 %i) {
  %p = getelementptr ptr, ptr @table, i64 %i
  %v = load ptr, ptr %p
  ret ptr %v
})"),
              HasSubstr("there is a constant that holds absolute addresses, 'table'"));
}

TEST(EmitErrorsTest, NamesAbsoluteAddresses) {
  EXPECT_THAT(emitError(R"(
define i32 @one() { ret i32 1 }
define i64 @get() {
  %v = call i64 asm "movabsq $$one, $0", "=r"()
  ret i64 %v
})"),
              HasSubstr("function 'get' holds the absolute address of 'one' (R_X86_64_64)"));
  EXPECT_THAT(emitError(R"(
module asm ".section .rodata"
module asm ".type table,@object"
module asm "table: .quad hidden_one"
module asm ".size table, 8"
define internal i32 @hidden_one() { ret i32 1 }
@llvm.used = appending global [1 x ptr] [ptr @hidden_one]
define i32 @f() { ret i32 0 })"),
              HasSubstr("constant 'table' holds the absolute address of function 'hidden_one'"));
}

TEST(EmitErrorsTest, NamesUsesOfTheGlobalOffsetTable) {
  EXPECT_THAT(emitError(R"(
@value = constant i32 77
define i1 @get(ptr %p) {
  %v = call i64 asm "cmpq value@GOTPCREL(%rip), $1\0Asete %al\0Amovzbq %al, $0", "={ax},r"(ptr %p)
  %b = trunc i64 %v to i1
  ret i1 %b
})"),
              HasSubstr("function 'get' uses the global offset table in a way that cannot be "
                        "relaxed, for 'value'"));
}

TEST(EmitErrorsTest, RefusesConstructors) {
  EXPECT_THAT(emitError(R"(
define internal void @init() { ret void }
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @init, ptr null }]
define i32 @f() { ret i32 0 })"),
              HasSubstr("there are constructors or destructors (section '.init_array')"));
}

TEST(EmitErrorsTest, RefusesExceptionTables) {
  EXPECT_THAT(emitError(R"(
define internal void @thrower() noinline { ret void }
define i32 @handler() { ret i32 0 }
define i32 @f() personality ptr @handler {
  invoke void @thrower() to label %fine unwind label %caught
fine:
  ret i32 0
caught:
  %pad = landingpad { ptr, i32 } catch ptr null
  ret i32 1
})"),
              HasSubstr("there are exception tables"));
}

TEST(EmitErrorsTest, RefusesFunctionsChosenAtLoadTime) {
  EXPECT_THAT(emitError(R"(
@chosen = ifunc i32 (), ptr @resolve
define ptr @resolve() { ret ptr null }
define i32 @f() {
  %v = call i32 @chosen()
  ret i32 %v
})"),
              HasSubstr("function 'chosen' is chosen at load time"));
}

TEST(EmitErrorsTest, RefusesAModuleWithoutCode) {
  EXPECT_THAT(emitError(""), HasSubstr("there is no code"));
  EXPECT_THAT(emitError("define internal i32 @f() { ret i32 0 }"), HasSubstr("there is no entry"));
}

TEST(EmitErrorsTest, RefusesTheDataLayoutOfAnotherTarget) {
  EXPECT_THAT(emitError("target datalayout = \"e-p:32:32\"\ndefine i32 @f() { ret i32 0 }"),
              HasSubstr("it has the data layout of another target, 'e-p:32:32'"));
}

TEST(EmitErrorsTest, WhatLlvmReportsComesBack) {
  std::string message = emitError(R"(
define void @f() {
  call void asm sideeffect "nonsense", ""()
  ret void
})");
  EXPECT_THAT(message, StartsWith("module 'test' gives no code image: "));
  EXPECT_THAT(message, HasSubstr("invalid instruction mnemonic 'nonsense'"));
}

TEST(EmitErrorsTest, AGeneratorWorksOnAfterAnError) {
  std::unique_ptr<CodeGenerator> generator = makeGenerator();
  for (const char *text : {"define void @f() {\n  call void asm sideeffect \"nonsense\", \"\"()\n"
                           "  ret void\n}\n",
                           "@x = global i32 5\ndefine ptr @f() { ret ptr @x }\n"}) {
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module = parse(text, context);
    llvm::Expected<plan::CodeImage> image =
        generator->emit(*module, llvm::CodeGenOptLevel::Default);
    ASSERT_FALSE(image);
    consumeError(image.takeError());
    auto code = install(emit(*generator, "define i32 @f() { ret i32 3 }"));
    EXPECT_EQ(entry<int()>(*code, "f")(), 3);
  }
}

} // namespace
