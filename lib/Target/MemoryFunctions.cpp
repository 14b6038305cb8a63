//===- MemoryFunctions.cpp - memcpy and its kin, in IR --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All loads of the bytes at an end that a loop does not reach come before the first store, so that
// source and destination may overlap and memcpy can be memmove. Sizes below 32 are covered by two
// accesses that overlap in the middle.
//
//===----------------------------------------------------------------------===//

#include "MemoryFunctions.h"

#include "llvm/ADT/Twine.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

namespace anneal::target {

namespace {

/// `no-builtins`: that no pass makes a call of memcpy out of memcpy's own loop.
constexpr char kHead[] = R"(
attributes #0 = { nounwind "no-builtins" }
@memcpy = alias ptr (ptr, ptr, i64), ptr @memmove
)";

constexpr char kMove[] = R"(
define ptr @memmove(ptr %to, ptr %from, i64 %n) #0 section ".text.memmove" {
  %is.small = icmp ult i64 %n, 32
  br i1 %is.small, label %small, label %large

large:
  ; The vectors at both ends; loops write what is between.
  %last = sub i64 %n, 32
  %from.last = getelementptr i8, ptr %from, i64 %last
  %to.last = getelementptr i8, ptr %to, i64 %last
  %head = load <32 x i8>, ptr %from, align 1
  %tail = load <32 x i8>, ptr %from.last, align 1
  %to.int = ptrtoint ptr %to to i64
  %from.int = ptrtoint ptr %from to i64
  %ahead = sub i64 %to.int, %from.int
  %upwards = icmp uge i64 %ahead, %n
  br i1 %upwards, label %up, label %down

up:
  %i = phi i64 [ 0, %large ], [ %i.next, %up.step ]
  %up.more = icmp ult i64 %i, %last
  br i1 %up.more, label %up.step, label %up.end
up.step:
  %up.from = getelementptr i8, ptr %from, i64 %i
  %up.to = getelementptr i8, ptr %to, i64 %i
  %up.v = load <32 x i8>, ptr %up.from, align 1
  store <32 x i8> %up.v, ptr %up.to, align 1
  %i.next = add i64 %i, 32
  br label %up
up.end:
  store <32 x i8> %tail, ptr %to.last, align 1
  ret ptr %to

down:
  %j = phi i64 [ %last, %large ], [ %j.next, %down.step ]
  %down.more = icmp ugt i64 %j, 0
  br i1 %down.more, label %down.step, label %down.end
down.step:
  %down.from = getelementptr i8, ptr %from, i64 %j
  %down.to = getelementptr i8, ptr %to, i64 %j
  %down.v = load <32 x i8>, ptr %down.from, align 1
  store <32 x i8> %down.v, ptr %down.to, align 1
  %j.sub = sub i64 %j, 32
  %j.past = icmp ult i64 %j, 32
  %j.next = select i1 %j.past, i64 0, i64 %j.sub
  br label %down
down.end:
  store <32 x i8> %head, ptr %to, align 1
  ret ptr %to
)";

constexpr char kSet[] = R"(
define ptr @memset(ptr %to, i32 %byte, i64 %n) #0 section ".text.memset" {
  %b = trunc i32 %byte to i8
  %one = insertelement <32 x i8> poison, i8 %b, i64 0
  %value = shufflevector <32 x i8> %one, <32 x i8> poison, <32 x i32> zeroinitializer
  %is.small = icmp ult i64 %n, 32
  br i1 %is.small, label %small, label %large

large:
  %last = sub i64 %n, 32
  %to.last = getelementptr i8, ptr %to, i64 %last
  br label %up
up:
  %i = phi i64 [ 0, %large ], [ %i.next, %up.step ]
  %up.more = icmp ult i64 %i, %last
  br i1 %up.more, label %up.step, label %up.end
up.step:
  %up.to = getelementptr i8, ptr %to, i64 %i
  store <32 x i8> %value, ptr %up.to, align 1
  %i.next = add i64 %i, 32
  br label %up
up.end:
  store <32 x i8> %value, ptr %to.last, align 1
  ret ptr %to
)";

/// The part for sizes below 32, which a block `small` begins: for each power of two W from 16 down,
/// sizes of at least W by two accesses of W bytes, at the start and at the end.
std::string smallSizes(bool isMove) {
  std::string text = "small:\n  br label %try16\n";
  for (unsigned width = 16; width > 0; width /= 2) {
    std::string w = std::to_string(width);
    std::string next = width > 1 ? "try" + std::to_string(width / 2) : "none";
    std::string type = "<" + w + " x i8>";
    text += "try" + w + ":\n  %fits" + w + " = icmp uge i64 %n, " + w + "\n  br i1 %fits" + w +
            ", label %do" + w + ", label %" + next + "\ndo" + w + ":\n";
    text += "  %at" + w + " = sub i64 %n, " + w + "\n";
    text += "  %to" + w + " = getelementptr i8, ptr %to, i64 %at" + w + "\n";
    if (isMove) {
      text += "  %from" + w + " = getelementptr i8, ptr %from, i64 %at" + w + "\n";
      text += "  %a" + w + " = load " + type + ", ptr %from, align 1\n";
      text += "  %b" + w + " = load " + type + ", ptr %from" + w + ", align 1\n";
    } else {
      text += "  %a" + w + " = shufflevector <32 x i8> %value, <32 x i8> poison, <" + w +
              " x i32> zeroinitializer\n";
    }
    std::string second = isMove ? "%b" + w : "%a" + w;
    text += "  store " + type + " %a" + w + ", ptr %to, align 1\n";
    text += "  store " + type + " " + second + ", ptr %to" + w + ", align 1\n  ret ptr %to\n";
  }
  return text + "none:\n  ret ptr %to\n}\n";
}

} // namespace

bool isMemoryFunction(StringRef symbol) {
  return symbol == "memcpy" || symbol == "memmove" || symbol == "memset";
}

Expected<std::unique_ptr<Module>> makeMemoryFunctions(LLVMContext &context) {
  std::string text =
      (Twine(kHead) + kMove + smallSizes(/*isMove=*/true) + kSet + smallSizes(/*isMove=*/false))
          .str();
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString(text, diagnostic, context);
  if (!module)
    return createStringError("the memory functions: " + diagnostic.getMessage());
  return module;
}

} // namespace anneal::target
