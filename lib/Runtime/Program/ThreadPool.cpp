//===- ThreadPool.cpp - Threads that run the chunks of units --------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A caller opens a loop in one of a fixed number of places and announces it in a bit mask; idle
// workers look at that mask. Workers join and leave an open loop by counting themselves in its
// state word, so that the caller can close the loop and wait for the last one. Who has nothing to
// do spins for a short time, then sleeps on a futex.
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/ThreadPool.h"

#include "FloatState.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <climits>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace anneal::runtime {

namespace {

/// How long an idle worker spins for the next loop: a few units of a small model, while a wake-up
/// from the futex costs about 50 us on a virtual machine.
constexpr std::chrono::microseconds kWorkerSpin{200};
/// How long a caller spins for workers that still run their last chunk.
constexpr std::chrono::microseconds kCallerSpin{100};
/// Loops open at the same time; a caller that finds no place runs alone.
constexpr unsigned kMaxLoops = 64;

/// True while this thread runs a chunk: loops inside are run in line.
thread_local bool insideLoop = false;

void futexWait(std::atomic<uint32_t> &word, uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void futexWake(std::atomic<uint32_t> &word, int count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

void pauseBriefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

/// Pauses between two looks at the clock, about 10 us. Yielding enters the kernel, which takes a
/// microsecond of the core that this thread may share with one that works.
constexpr int kPauses = 128;

/// Spins until `done()` or until `limit` has passed; returns done(). Others that want the core get
/// it.
template <typename Done> bool spinUntil(Done done, std::chrono::microseconds limit) {
  auto end = std::chrono::steady_clock::now() + limit;
  do {
    for (int i = 0; i < kPauses; ++i) {
      if (done())
        return true;
      pauseBriefly();
    }
    std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < end);
  return done();
}

/// One loop. `state` is 0 when free; kClaimed while its caller fills it in; kOpen + number of
/// workers in it; after closing, kClaimed + number of workers that still have to leave, with
/// kCallerSleeps if the caller waits on the futex. Only the caller opens, closes and frees.
struct alignas(64) Loop {
  static constexpr uint32_t kOpen = 1u << 31;
  static constexpr uint32_t kClaimed = 1u << 30;
  static constexpr uint32_t kCallerSleeps = 1u << 29;
  static constexpr uint32_t kWorkers = kCallerSleeps - 1;

  std::atomic<uint32_t> state{0};
  const ThreadPool::ChunkFn *body = nullptr;
  int64_t count = 0;
  int64_t grain = 1;
  int64_t chunks = 0;
  /// Chunks that nobody has taken; below 0 once somebody found none.
  alignas(64) std::atomic<int64_t> chunksLeft{0};

  bool claim() {
    uint32_t expected = 0;
    return state.load(std::memory_order_relaxed) == 0 &&
           state.compare_exchange_strong(expected, kClaimed, std::memory_order_acquire);
  }

  bool join() {
    if (chunksLeft.load(std::memory_order_relaxed) <= 0)
      return false;
    uint32_t seen = state.load(std::memory_order_relaxed);
    while (seen & kOpen)
      if (state.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire))
        return true;
    return false;
  }

  void leave() {
    uint32_t before = state.fetch_sub(1, std::memory_order_acq_rel);
    if ((before & kCallerSleeps) && (before & kWorkers) == 1)
      futexWake(state, 1);
  }

  /// No more workers join; returns when those inside have left.
  void closeAndWait() {
    constexpr uint32_t close = kOpen - kClaimed;
    uint32_t now = state.fetch_sub(close, std::memory_order_acq_rel) - close;
    if ((now & kWorkers) == 0)
      return;
    auto left = [&] { return (state.load(std::memory_order_acquire) & kWorkers) == 0; };
    if (spinUntil(left, kCallerSpin))
      return;
    now = state.fetch_or(kCallerSleeps, std::memory_order_acq_rel) | kCallerSleeps;
    while (now & kWorkers) {
      futexWait(state, now);
      now = state.load(std::memory_order_acquire);
    }
  }

  /// Takes chunks until there are none; who takes the last one takes the loop off the announcement.
  void runChunks(uint32_t worker, std::atomic<uint64_t> &announced, uint64_t bit) {
    insideLoop = true;
    for (;;) {
      int64_t left = chunksLeft.fetch_sub(1, std::memory_order_relaxed);
      if (left == 1)
        announced.fetch_and(~bit, std::memory_order_relaxed);
      if (left <= 0)
        break;
      int64_t begin = (chunks - left) * grain;
      (*body)(begin, begin + std::min(grain, count - begin), worker);
    }
    insideLoop = false;
  }
};

} // namespace

struct ThreadPool::Impl {
  ~Impl();

  absl::Status start(unsigned numThreads);

  void work(uint32_t worker);
  bool helpSomewhere(uint32_t worker);
  void sleepUntilWork();
  void wake(int64_t helpers);
  Loop *claimLoop();

  std::vector<std::thread> threads;
  std::array<Loop, kMaxLoops> loops;
  /// Bit i: loop i is open, or about to be, and has chunks left.
  alignas(64) std::atomic<uint64_t> announced{0};
  std::atomic<uint32_t> sleepers{0};
  /// Changes at every wake-up, so that a worker that is about to sleep does not miss it.
  std::atomic<uint32_t> wakeups{0};
  std::atomic<bool> stop{false};
};

absl::Status ThreadPool::Impl::start(unsigned numThreads) {
  threads.reserve(numThreads);
  try {
    for (uint32_t worker = 1; worker < numThreads; ++worker)
      threads.emplace_back([this, worker] { work(worker); });
  } catch (const std::system_error &error) {
    return absl::ResourceExhaustedError(
        absl::StrCat("only ", threads.size() + 1, " of ", numThreads,
                     " execution threads could be started: ", error.code().message()));
  }
  return absl::OkStatus();
}

ThreadPool::Impl::~Impl() {
  stop.store(true);
  wakeups.fetch_add(1);
  futexWake(wakeups, INT_MAX);
  for (std::thread &thread : threads)
    thread.join();
}

/// Joins the loops that are announced, one after the other; false if there was none to join.
bool ThreadPool::Impl::helpSomewhere(uint32_t worker) {
  bool helped = false;
  // Each worker begins at another place, so that they spread over the loops.
  unsigned first = worker % kMaxLoops;
  uint64_t mask = std::rotr(announced.load(std::memory_order_relaxed), static_cast<int>(first));
  while (mask) {
    unsigned index = (static_cast<unsigned>(std::countr_zero(mask)) + first) % kMaxLoops;
    mask &= mask - 1;
    if (!loops[index].join())
      continue;
    helped = true;
    loops[index].runChunks(worker, announced, uint64_t(1) << index);
    loops[index].leave();
  }
  return helped;
}

void ThreadPool::Impl::sleepUntilWork() {
  uint32_t seen = wakeups.load(std::memory_order_seq_cst);
  sleepers.fetch_add(1, std::memory_order_seq_cst);
  if (announced.load(std::memory_order_seq_cst) == 0 && !stop.load(std::memory_order_seq_cst))
    futexWait(wakeups, seen);
  sleepers.fetch_sub(1, std::memory_order_seq_cst);
}

void ThreadPool::Impl::work(uint32_t worker) {
  setDefaultFloatState();
  while (!stop.load(std::memory_order_relaxed)) {
    if (helpSomewhere(worker))
      continue;
    auto somethingToDo = [&] {
      return announced.load(std::memory_order_relaxed) != 0 || stop.load(std::memory_order_relaxed);
    };
    if (!spinUntil(somethingToDo, kWorkerSpin))
      sleepUntilWork();
  }
}

void ThreadPool::Impl::wake(int64_t helpers) {
  uint32_t asleep = sleepers.load(std::memory_order_seq_cst);
  if (asleep == 0)
    return;
  wakeups.fetch_add(1, std::memory_order_seq_cst);
  futexWake(wakeups, static_cast<int>(std::min<int64_t>(asleep, helpers)));
}

Loop *ThreadPool::Impl::claimLoop() {
  for (Loop &loop : loops)
    if (loop.claim())
      return &loop;
  return nullptr;
}

absl::StatusOr<std::shared_ptr<ThreadPool>> ThreadPool::create(unsigned numThreads) {
  if (numThreads < 1 || numThreads > kMostThreads)
    return absl::InvalidArgumentError(
        absl::StrCat("option 'threads' is ", numThreads, "; it goes from 1 to ", kMostThreads));
  auto impl = std::make_unique<Impl>();
  if (absl::Status status = impl->start(numThreads); !status.ok())
    return status;
  return std::shared_ptr<ThreadPool>(new ThreadPool(std::move(impl)));
}

ThreadPool::ThreadPool(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}

ThreadPool::~ThreadPool() = default;

unsigned ThreadPool::numThreads() const { return static_cast<unsigned>(impl->threads.size()) + 1; }

void ThreadPool::parallelFor(int64_t count, int64_t grain, ChunkFn body) {
  if (count <= 0)
    return;
  grain = std::clamp<int64_t>(grain, 1, count);
  int64_t chunks = (count - 1) / grain + 1;
  Loop *loop = nullptr;
  if (chunks > 1 && !impl->threads.empty() && !insideLoop)
    loop = impl->claimLoop();
  if (!loop) {
    bool outer = std::exchange(insideLoop, true);
    for (int64_t chunk = 0; chunk < chunks; ++chunk)
      body(chunk * grain, chunk * grain + std::min(grain, count - chunk * grain), 0);
    insideLoop = outer;
    return;
  }

  loop->body = &body;
  loop->count = count;
  loop->grain = grain;
  loop->chunks = chunks;
  loop->chunksLeft.store(chunks, std::memory_order_relaxed);
  uint64_t bit = uint64_t(1) << (loop - impl->loops.data());
  impl->announced.fetch_or(bit, std::memory_order_seq_cst);
  loop->state.store(Loop::kOpen, std::memory_order_release);
  impl->wake(chunks - 1);

  loop->runChunks(0, impl->announced, bit);
  loop->closeAndWait();
  loop->state.store(0, std::memory_order_release);
}

} // namespace anneal::runtime
