//===- Loader.cpp - From a file to a module -------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loader.h"

#include "MappedConstants.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace anneal::compiler {

/// Bytecode asks for its sections at most so aligned.
static const llvm::Align kSourceAlignment(64);

/// A text without line breaks that is no text at all: what the parser would say about it helps
/// nobody.
static bool looksBinary(StringRef bytes) { return bytes.take_front(4096).contains('\0'); }

/// The file, mapped. Mapped text is opened again, as the parser wants a zero after it; what is
/// read, from a pipe for example, has one.
static llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> openFile(const std::string &name) {
  auto buffer = llvm::MemoryBuffer::getFile(name, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false,
                                            /*IsVolatile=*/false, kSourceAlignment);
  if (!buffer || isBytecode((*buffer)->getMemBufferRef()) ||
      (*buffer)->getBufferKind() != llvm::MemoryBuffer::MemoryBuffer_MMap)
    return buffer;
  return llvm::MemoryBuffer::getFile(name);
}

static std::unique_ptr<llvm::MemoryBuffer> copyBytes(const Source &source) {
  auto buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(source.bytes->size(), source.name,
                                                                  kSourceAlignment);
  if (buffer)
    llvm::copy(*source.bytes, buffer->getBufferStart());
  return buffer;
}

std::shared_ptr<llvm::SourceMgr> openSource(const Source &source, PlanResult &result) {
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  if (source.bytes) {
    buffer = copyBytes(source);
  } else {
    auto file = openFile(source.name);
    if (!file) {
      result.notFound = true;
      result.diagnostics.push_back("error: cannot open '" + source.name +
                                   "': " + file.getError().message());
      return nullptr;
    }
    buffer = std::move(*file);
  }
  if (!buffer || (!isBytecode(buffer->getMemBufferRef()) && looksBinary(buffer->getBuffer()))) {
    result.diagnostics.push_back(source.name +
                                 ": error: this is neither MLIR text nor MLIR bytecode");
    return nullptr;
  }
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  return sources;
}

/// Reports the first operation of a dialect that isn't registered.
static LogicalResult checkDialects(ModuleOp module) {
  WalkResult walk = module.walk([](Operation *op) {
    if (op->isRegistered())
      return WalkResult::advance();
    op->emitError() << "'" << op->getName() << "': there is no dialect '"
                    << op->getName().getDialectNamespace() << "' here; there is "
                    << llvm::join(op->getContext()->getAvailableDialects(), ", ");
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

OwningOpRef<ModuleOp> parseSource(const std::shared_ptr<llvm::SourceMgr> &source,
                                  MLIRContext *context, AlignedCopies &copies,
                                  bool acceptUnknownDialects) {
  const llvm::MemoryBuffer *buffer = source->getMemoryBuffer(source->getMainFileID());
  // Unknown operations are parsed, so that they can be named.
  context->allowUnregisteredDialects();
  ParserConfig config(context);
  keepConstantsMapped(config.getBytecodeReaderConfig(), copies);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(source, config);
  if (module && !acceptUnknownDialects && failed(checkDialects(*module)))
    return nullptr;
  if (!module && isBytecode(buffer->getMemBufferRef()))
    emitError(FileLineColLoc::get(context, buffer->getBufferIdentifier(), 0, 0))
        << "this MLIR bytecode can't be read: it is damaged, cut off, or of another version";
  return module;
}

} // namespace anneal::compiler
