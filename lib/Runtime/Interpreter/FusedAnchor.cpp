//===- FusedAnchor.cpp - A contraction run with its neighbours ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusedAnchor.h"

namespace anneal::runtime::interpreter {

FusedAnchor::FusedAnchor(Parts from) : parts(std::move(from)) {
  scratch = alignUp(parts.plan->scratchBytes());
  if (parts.init)
    scratch += parts.init->scratchBytes();
  for (const BoxLoop &epilogue : parts.epilogues)
    scratch += epilogue.scratchBytes();
}

void FusedAnchor::run(RunState &state) const {
  ContractionOperands operands;
  operands.a = firstElement(state, parts.a);
  operands.b = firstElement(state, parts.b);
  parts.packed.setOperands(state, operands);
  if (!parts.elidesResult)
    operands.c = firstElement(state, parts.c);
  if (parts.initTensor)
    operands.init = firstElement(state, *parts.initTensor);
  else if (parts.initScalar >= 0)
    operands.init = state.frame->scalars + parts.initScalar;
  runChunks(state, parts.grain, [&](int64_t begin, int64_t end, uint32_t worker) {
    runTiles(state, operands, begin, end, worker);
  });
}

void FusedAnchor::runTiles(RunState &state, const ContractionOperands &operands, int64_t begin,
                           int64_t end, uint32_t worker) const {
  Chunk chunk{*this, state, {}, {}};
  char *memory = state.scratch(worker);
  char *next = memory + alignUp(parts.plan->scratchBytes());
  if (parts.init) {
    parts.init->start(state, next, chunk.init);
    next += parts.init->scratchBytes();
  }
  for (size_t k = 0; k < parts.epilogues.size(); ++k) {
    parts.epilogues[k].start(state, next, chunk.epilogues[k]);
    next += parts.epilogues[k].scratchBytes();
  }
  TileHooks hooks;
  hooks.context = &chunk;
  hooks.init = parts.init ? initTile : nullptr;
  hooks.finish = parts.epilogues.empty() ? nullptr : finishTile;
  parts.plan->run(begin, end, operands, memory, hooks);
}

void FusedAnchor::initTile(void *context, const ContractionBox &box) {
  auto *chunk = static_cast<Chunk *>(context);
  if (!chunk->state.hasFailed())
    chunk->kernel.parts.init->run(chunk->init, box);
}

void FusedAnchor::finishTile(void *context, const ContractionBox &box) {
  auto *chunk = static_cast<Chunk *>(context);
  const std::vector<BoxLoop> &epilogues = chunk->kernel.parts.epilogues;
  for (size_t k = 0; k < epilogues.size() && !chunk->state.hasFailed(); ++k)
    epilogues[k].run(chunk->epilogues[k], box);
}

} // namespace anneal::runtime::interpreter
