//===- Epochs.h - When nobody can be in old code any more -------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code is replaced while threads run it; the old one is freed once no thread can be in it, never
// before (REQUIREMENTS.md C8). Interval-based reclamation (Wen et al., PPoPP 2018): a counter of
// epochs rises with everything that is retired. Each object has the epochs in which it could be
// found, from its publication to its retirement; each thread has, while it reads, the epochs from
// the one in which it began to that in which it last looked something up. An object is freed when
// its interval meets no thread's.
//
// With plain epochs, one long call would hold back all that is retired until it ends. Here it holds
// back what was there while it looked; what is published and retired later is freed in the
// meantime.
//
// A thread that reads writes two words of its own and makes no barrier: whoever frees makes one for
// all threads (membarrier). Where the system refuses that, readers pay for the barrier themselves.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_CODE_EPOCHS_H
#define ANNEAL_RUNTIME_CODE_EPOCHS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace anneal::runtime {

class Reader;

/// What has been retired and is not free yet. States of an object: published (found by readers),
/// retired (found no more, perhaps in use), freed. Only `retire` leads from the first to the
/// second, only this class from the second to the third.
///
/// Thread-safe. Readers are any threads, workers of a pool or foreign ones: a thread gets its two
/// words at its first Guard and gives them back when it ends. They are shared by all Epochs objects
/// of the process. `retire` and `collect` take a lock, guards do not.
class Epochs {
public:
  /// While one lives, nothing that this thread looks up through it is freed. To be made before the
  /// first look-up of a call and destroyed after the last use, on the same thread; guards of one
  /// thread may nest, and then all of it counts as one. Costs a few nanoseconds; the first one of a
  /// thread may allocate.
  class Guard {
  public:
    Guard();
    ~Guard();
    Guard(const Guard &) = delete;
    Guard &operator=(const Guard &) = delete;

    /// To be called after each look-up: true if what was found is safe to use. False if the epoch
    /// has changed since the last look-up; the guard has noted that, and the look-up has to be done
    /// again. (CodeSlot::load does this.)
    bool covers() const;

  private:
    Reader *reader;
  };

  Epochs();
  /// Frees everything. REQUIRES: no thread uses what was retired here.
  ~Epochs();
  Epochs(const Epochs &) = delete;
  Epochs &operator=(const Epochs &) = delete;

  /// The epoch that it is: for `since` of what is about to be published.
  static uint64_t now();

  /// Destroys the object once no reader can use it, on a thread that calls retire or collect, with
  /// no lock held. `since`: now() before it was published; 0, if that is not known, makes it wait
  /// for all who read now. REQUIRES: no look-up that begins from now on finds it.
  template <typename T> void retire(std::unique_ptr<T> object, uint64_t since = 0) {
    if (object)
      retireObject(
          {object.release(), [](void *pointer) { delete static_cast<T *>(pointer); }, since});
  }

  /// Runs `action` in place of destroying an object.
  void retireWith(std::function<void()> action, uint64_t since = 0);

  /// Frees what can be freed now and returns how many objects that were. `retire` does so by itself
  /// whenever what waits has doubled, so that the backlog is bounded by what readers hold; the last
  /// few objects wait for the next call, which a housekeeping tick should make.
  size_t collect();

  /// Objects that were retired and are not freed yet.
  size_t backlog() const;

private:
  struct Retired {
    void *object;
    void (*destroy)(void *);
    uint64_t since;
    uint64_t until = 0;
  };
  struct Impl;

  void retireObject(Retired retired);

  std::unique_ptr<Impl> impl;
};

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_CODE_EPOCHS_H
