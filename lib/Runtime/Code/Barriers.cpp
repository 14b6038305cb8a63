//===- Barriers.cpp - Barriers that one thread makes for all --------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Barriers.h"

#include <cerrno>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace anneal::runtime {

static bool membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0) == 0; }

/// Issues a command that the process has to be registered for.
static bool registered(int registration, int command) {
  if (membarrier(command))
    return true;
  // A new program in this process, or a child, may have to register again.
  return errno == EPERM && membarrier(registration) && membarrier(command);
}

bool processBarrier() {
  return registered(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

bool hasProcessBarrier() {
  static const bool has = processBarrier();
  return has;
}

void instructionBarrier() {
  registered(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE,
             MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE);
}

} // namespace anneal::runtime
