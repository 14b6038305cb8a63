//===- ForkHooks.h - What has to hold still over fork() ---------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_CODE_FORKHOOKS_H
#define ANNEAL_LIB_RUNTIME_CODE_FORKHOOKS_H

namespace anneal::runtime {

/// Something with a lock that a child of fork() must not inherit locked by a thread that it does
/// not have. The thread that forks takes the lock before and gives it back after, in both
/// processes.
class ForkAware {
public:
  virtual void beforeFork() = 0;
  virtual void afterForkInParent() = 0;
  virtual void afterForkInChild() = 0;

protected:
  ~ForkAware() = default;
};

/// From here on the hooks of `object` are called at each fork. Thread-safe.
void addForkHooks(ForkAware &object);
/// Not any more. Called with none of the object's locks held.
void removeForkHooks(ForkAware &object);

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_CODE_FORKHOOKS_H
