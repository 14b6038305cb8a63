//===- ForkHooks.cpp - What has to hold still over fork() -----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForkHooks.h"

#include <algorithm>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace anneal::runtime {

namespace {

struct Hooks {
  /// Taken before the locks of the objects.
  std::mutex mutex;
  std::vector<ForkAware *> objects;
};

/// Lives as long as the process: a fork may come at any time.
Hooks &hooks() {
  static Hooks *all = [] {
    auto *made = new Hooks;
    pthread_atfork(
        [] {
          hooks().mutex.lock();
          for (ForkAware *object : hooks().objects)
            object->beforeFork();
        },
        [] {
          for (ForkAware *object : hooks().objects)
            object->afterForkInParent();
          hooks().mutex.unlock();
        },
        [] {
          for (ForkAware *object : hooks().objects)
            object->afterForkInChild();
          hooks().mutex.unlock();
        });
    return made;
  }();
  return *all;
}

} // namespace

void addForkHooks(ForkAware &object) {
  std::lock_guard<std::mutex> lock(hooks().mutex);
  hooks().objects.push_back(&object);
}

void removeForkHooks(ForkAware &object) {
  std::lock_guard<std::mutex> lock(hooks().mutex);
  auto &objects = hooks().objects;
  objects.erase(std::remove(objects.begin(), objects.end(), &object), objects.end());
}

} // namespace anneal::runtime
