//===- CodeGenerator.cpp - From LLVM IR to a code image -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Target/CodeGenerator.h"

#include "ImageLinker.h"
#include "MemoryFunctions.h"
#include "ObjectCode.h"

#include "anneal-c/UnitAbi.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

#include <array>
#include <mutex>
#include <string>

using namespace llvm;

namespace anneal::target {

namespace {

/// Sets one of LLVM's own options, unless the command line of a tool has set it.
void setOption(StringRef name, StringRef value) {
  auto found = cl::getRegisteredOptions().find(name);
  if (found != cl::getRegisteredOptions().end() && found->second->getNumOccurrences() == 0)
    found->second->addOccurrence(/*pos=*/0, name, value);
}

/// Without optimisation LLVM allocates registers block by block and keeps what lives longer, as the
/// constants and addresses of a loop do, on the stack. Allocation across blocks costs about a fifth
/// of a compile; with the basic allocator models run as fast as with the greedy one, as far as
/// could be measured. There is no other way to these than the options.
void chooseRegisterAllocator() {
  setOption("optimize-regalloc", "true");
  setOption("regalloc", "basic");
}

void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    chooseRegisterAllocator();
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    // Inline assembly.
    LLVMInitializeX86AsmParser();
  });
}

/// Keeps the first error that LLVM reports; without a handler an error ends the process. All else
/// goes to the handler that was there.
class ErrorCollector : public DiagnosticHandler {
public:
  ErrorCollector(std::string &message, DiagnosticHandler *others)
      : message(message), others(others) {}

  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() != DS_Error)
      return others && others->handleDiagnostics(info);
    if (message.empty()) {
      raw_string_ostream stream(message);
      DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }
    return true;
  }
  bool isAnalysisRemarkEnabled(StringRef pass) const override {
    return others && others->isAnalysisRemarkEnabled(pass);
  }
  bool isMissedOptRemarkEnabled(StringRef pass) const override {
    return others && others->isMissedOptRemarkEnabled(pass);
  }
  bool isPassedOptRemarkEnabled(StringRef pass) const override {
    return others && others->isPassedOptRemarkEnabled(pass);
  }
  bool isAnyRemarkEnabled() const override { return others && others->isAnyRemarkEnabled(); }

private:
  std::string &message;
  DiagnosticHandler *others;
};

/// The machine of one level and the passes that write an object for it.
class Backend {
public:
  explicit Backend(std::unique_ptr<TargetMachine> made) : machine(std::move(made)), stream(object) {
    hasPasses = !machine->addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr,
                                              CodeGenFileType::ObjectFile);
  }

  TargetMachine &targetMachine() { return *machine; }

  /// The module as an object, in memory that the next call uses again.
  Expected<StringRef> emitObject(Module &module);

private:
  std::unique_ptr<TargetMachine> machine;
  SmallVector<char, 0> object;
  raw_svector_ostream stream;
  legacy::PassManager passes;
  bool hasPasses;
};

Expected<StringRef> Backend::emitObject(Module &module) {
  if (!hasPasses)
    return createStringError("the target cannot write objects");
  object.clear();
  LLVMContext &context = module.getContext();
  std::unique_ptr<DiagnosticHandler> others = context.getDiagnosticHandler();
  std::string message;
  context.setDiagnosticHandler(std::make_unique<ErrorCollector>(message, others.get()));
  passes.run(module);
  context.setDiagnosticHandler(std::move(others));
  if (!message.empty())
    return createStringError(message);
  return StringRef(object.data(), object.size());
}

/// Makes a module one for this machine.
Error prepare(Module &module, const CpuTarget &target, const TargetMachine &machine) {
  DataLayout layout = machine.createDataLayout();
  if (!module.getDataLayoutStr().empty() && module.getDataLayout() != layout)
    return createStringError("it has the data layout of another target, '" +
                             module.getDataLayoutStr() + "'");
  module.setDataLayout(layout);
  module.setTargetTriple(machine.getTargetTriple());
  for (GlobalValue &value : module.global_values()) {
    // Every definition is in the same image as its uses.
    if (!value.isDeclarationForLinker())
      value.setDSOLocal(true);
  }
  for (Function &function : module.functions()) {
    // The machine says which instructions there are, for all functions alike.
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
    function.removeFnAttr("tune-cpu");
    function.removeFnAttr(Attribute::UWTable);
    if (function.isDeclaration())
      continue;
    function.setDoesNotThrow();
    if (!target.tuneCpu.empty())
      function.addFnAttr("tune-cpu", target.tuneCpu);
  }
  return Error::success();
}

} // namespace

struct CodeGenerator::Impl final : CodeLibrary {
  explicit Impl(const CpuTarget &target) : target(target) {}

  std::unique_ptr<Backend> makeBackend(CodeGenOptLevel level) const;
  Backend &backend(CodeGenOptLevel level);
  Expected<plan::CodeImage> emit(Module &module, CodeGenOptLevel level);

  // The library of memory functions, compiled when first needed.
  bool defines(StringRef symbol) const override { return isMemoryFunction(symbol); }
  Expected<const ObjectCode *> code() override;

  const CpuTarget target;
  const Target *llvmTarget = nullptr;
  std::array<std::unique_ptr<Backend>, 4> backends;
  std::string libraryObject;
  std::unique_ptr<ObjectCode> library;
};

std::unique_ptr<Backend> CodeGenerator::Impl::makeBackend(CodeGenOptLevel level) const {
  TargetOptions options;
  // One text section: the assembler resolves what is between functions.
  options.FunctionSections = false;
  options.DataSections = false;
  options.UseInitArray = true;
  return std::make_unique<Backend>(std::unique_ptr<TargetMachine>(llvmTarget->createTargetMachine(
      Triple(target.triple), anneal::name(target.level), target.featureString(), options,
      Reloc::PIC_, CodeModel::Small, level)));
}

Backend &CodeGenerator::Impl::backend(CodeGenOptLevel level) {
  std::unique_ptr<Backend> &backend = backends[static_cast<size_t>(level)];
  if (!backend)
    backend = makeBackend(level);
  return *backend;
}

Expected<const ObjectCode *> CodeGenerator::Impl::code() {
  if (library)
    return library.get();
  LLVMContext context;
  Expected<std::unique_ptr<Module>> module = makeMemoryFunctions(context);
  if (!module)
    return module.takeError();
  // A backend of its own: that of the level holds the object that asks.
  std::unique_ptr<Backend> back = makeBackend(CodeGenOptLevel::Default);
  if (Error error = prepare(**module, target, back->targetMachine()))
    return error;
  Expected<StringRef> object = back->emitObject(**module);
  if (!object)
    return object.takeError();
  libraryObject = object->str();
  Expected<ObjectCode> read = ObjectCode::read(libraryObject);
  if (!read)
    return read.takeError();
  library = std::make_unique<ObjectCode>(std::move(*read));
  return library.get();
}

Expected<plan::CodeImage> CodeGenerator::Impl::emit(Module &module, CodeGenOptLevel level) {
  Backend &back = backend(level);
  if (Error error = prepare(module, target, back.targetMachine()))
    return error;
  Expected<StringRef> written = back.emitObject(module);
  if (!written)
    return written.takeError();
  Expected<ObjectCode> code = ObjectCode::read(*written);
  if (!code)
    return code.takeError();
  Expected<plan::CodeImage> image = linkImage(*code, *this);
  if (!image)
    return image.takeError();
  image->architecture = "x86_64";
  image->features = toText(target.features());
  image->abiVersion = ANNEAL_UNIT_ABI_VERSION;
  if (std::optional<std::string> problem = plan::validate(*image))
    return createStringError(*problem);
  return image;
}

CodeGenerator::CodeGenerator(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
CodeGenerator::~CodeGenerator() = default;

Expected<std::unique_ptr<CodeGenerator>> CodeGenerator::create(const CpuTarget &target) {
  initializeTargets();
  auto impl = std::make_unique<Impl>(target);
  std::string message;
  impl->llvmTarget = TargetRegistry::lookupTarget(Triple(target.triple), message);
  if (!impl->llvmTarget)
    return createStringError("target '" + target.triple + "': " + message);
  return std::unique_ptr<CodeGenerator>(new CodeGenerator(std::move(impl)));
}

const CpuTarget &CodeGenerator::target() const { return impl->target; }

TargetMachine &CodeGenerator::machine(CodeGenOptLevel level) {
  return impl->backend(level).targetMachine();
}

Expected<plan::CodeImage> CodeGenerator::emit(Module &module, CodeGenOptLevel level) {
  Expected<plan::CodeImage> image = impl->emit(module, level);
  if (!image)
    return createStringError("module '" + module.getName() +
                             "' gives no code image: " + toString(image.takeError()));
  return image;
}

} // namespace anneal::target
