//===- CompileThreads.h - Threads that compile in the background *- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_ENGINE_COMPILETHREADS_H
#define ANNEAL_LIB_ENGINE_COMPILETHREADS_H

#include "CompileRunner.h"
#include "ThreadPriority.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace anneal::engine {

/// Who has jobs for compile threads. Called by them, without a lock of theirs held.
class JobSource {
public:
  virtual ~JobSource() = default;
  /// The next job; nothing: the thread sleeps until CompileThreads::wake.
  virtual std::optional<CompileJob> nextJob() = 0;
  /// Whether there are more, for other threads.
  virtual bool hasJobs() = 0;
  virtual void jobEnded(const CompileJob &job, CompileOutcome outcome) = 0;
  /// It ran past the deadline. It may run on, but nothing more is heard of it.
  virtual void jobGivenUp(const CompileJob &job) = 0;
};

struct CompileThreadOptions {
  /// Most that work at one time, at least 1.
  unsigned numThreads = 1;
  /// Guaranteed to all together, of a core.
  double share = 0.1;
  std::chrono::nanoseconds deadline = std::chrono::seconds(10);
};

/// Threads that take jobs and run them, each with a compiler of its own, at low priority; one more
/// looks every few milliseconds, while there is work, after their share and the deadlines. None
/// exists before the first wake, and none wakes up while there is nothing to do.
///
/// A compile cannot be interrupted. One that is past its deadline is left alone: another thread
/// takes over, and what the compile yields in the end is dropped. Of such threads there are only so
/// many; after that the work waits for one of them.
///
/// States of a thread: waiting -> running a job -> waiting; running -> left alone -> waiting, if
/// there is room for it again, else ended. Thread-safe.
class CompileThreads {
public:
  /// `makeRunner` and what it makes use, `source` and `time` outlive this object.
  CompileThreads(const CompileThreadOptions &options, JobSource &source,
                 std::function<std::unique_ptr<CompileRunner>()> makeRunner, const TimeSource &time)
      : options(options), source(source), makeRunner(std::move(makeRunner)), time(time) {}
  ~CompileThreads() { stop(); }
  CompileThreads(const CompileThreads &) = delete;
  CompileThreads &operator=(const CompileThreads &) = delete;

  /// There may be jobs. Takes no lock but at the first call, which starts a thread. False: no
  /// thread could be started.
  bool wake() noexcept;

  /// While set, somebody waits for the compiles: threads are ordinary ones.
  void setHurry(bool hurry);

  /// Waits for the compiles that run, also those that were left alone; all threads end.
  void stop();

private:
  struct Worker {
    std::thread thread;
    ThreadPriority priority;
    ShareGovernor governor;
    std::unique_ptr<CompileRunner> runner;
    /// What follows is guarded by the lock.
    std::optional<CompileJob> job;
    /// When the compile began; not while the compiler itself is being made.
    std::optional<std::chrono::nanoseconds> started;
    bool isLeftAlone = false;
    bool hasEnded = false;
  };

  bool startWorker();
  void removeEndedWorkers();
  void wakeAnother();
  void work(Worker &worker);
  bool runJob(Worker &worker, const CompileJob &job);
  void setStarted(Worker &worker);
  void becomeIdle(Worker &worker);
  bool endJob(Worker &worker);
  void supervise();
  std::vector<CompileJob> lookAfterWorkers();

  const CompileThreadOptions options;
  JobSource &source;
  const std::function<std::unique_ptr<CompileRunner>()> makeRunner;
  const TimeSource &time;

  /// Rises with each wake; threads that have nothing to do wait for it to change.
  std::atomic<int> wakeCount{0};
  std::atomic<bool> hasStarted{false};
  std::atomic<bool> isStopping{false};
  std::atomic<bool> isHurried{false};

  /// Guards what follows. Nothing else is locked while it is held.
  std::mutex mutex;
  /// A job has begun, or all is to end.
  std::condition_variable changed;
  std::vector<std::unique_ptr<Worker>> workers;
  /// Those that are not left alone.
  unsigned numActive = 0;
  std::thread supervisor;
};

} // namespace anneal::engine

#endif // ANNEAL_LIB_ENGINE_COMPILETHREADS_H
