//===- CompileThreads.cpp - Threads that compile in the background --------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileThreads.h"

#include <algorithm>
#include <pthread.h>
#include <system_error>

namespace anneal::engine {

namespace {

/// How often compile threads are looked after: a call that takes longer sees their share spread
/// evenly.
constexpr std::chrono::milliseconds kWindow(5);

/// Threads for each one that may work: the others are in compiles that were given up.
constexpr unsigned kMostForEach = 3;

} // namespace

bool CompileThreads::wake() noexcept {
  wakeCount.fetch_add(1, std::memory_order_release);
  wakeCount.notify_one();
  if (hasStarted.load(std::memory_order_acquire))
    return true;
  std::lock_guard<std::mutex> lock(mutex);
  return startWorker();
}

/// REQUIRES: the lock.
void CompileThreads::removeEndedWorkers() {
  std::erase_if(workers, [](const auto &worker) {
    if (worker->hasEnded)
      worker->thread.join();
    return worker->hasEnded;
  });
}

/// REQUIRES: the lock.
bool CompileThreads::startWorker() {
  removeEndedWorkers();
  if (isStopping || numActive >= options.numThreads ||
      workers.size() >= size_t(kMostForEach) * options.numThreads)
    return !workers.empty();
  try {
    if (!supervisor.joinable())
      supervisor = std::thread([this] { supervise(); });
    auto worker = std::make_unique<Worker>();
    Worker &made = *worker;
    workers.push_back(std::move(worker));
    ++numActive;
    made.thread = std::thread([this, &made] { work(made); });
  } catch (const std::system_error &) {
    if (!workers.empty() && !workers.back()->thread.joinable()) {
      workers.pop_back();
      --numActive;
    }
    return !workers.empty();
  }
  hasStarted.store(true, std::memory_order_release);
  return true;
}

/// Lets one more thread take a job, if there may be one more.
void CompileThreads::wakeAnother() {
  wakeCount.fetch_add(1, std::memory_order_release);
  wakeCount.notify_one();
  std::lock_guard<std::mutex> lock(mutex);
  bool isOneFree = std::any_of(workers.begin(), workers.end(), [](const auto &worker) {
    return !worker->job && !worker->isLeftAlone;
  });
  if (!isOneFree)
    startWorker();
}

void CompileThreads::setHurry(bool hurry) {
  isHurried = hurry;
  std::lock_guard<std::mutex> lock(mutex);
  for (const auto &worker : workers)
    if (hurry && worker->job)
      worker->priority.set(Urgency::Ordinary);
}

void CompileThreads::stop() {
  isStopping = true;
  {
    std::lock_guard<std::mutex> lock(mutex);
  }
  changed.notify_all();
  wakeCount.fetch_add(1, std::memory_order_release);
  wakeCount.notify_all();
  // From here on no thread is started.
  if (supervisor.joinable())
    supervisor.join();
  setHurry(true);
  for (const auto &worker : workers)
    if (worker->thread.joinable())
      worker->thread.join();
}

void CompileThreads::work(Worker &worker) {
  ::pthread_setname_np(::pthread_self(), "anneal-compile");
  worker.priority.begin(options.share / options.numThreads);
  worker.runner = makeRunner();
  while (!isStopping) {
    int seen = wakeCount.load(std::memory_order_acquire);
    std::optional<CompileJob> job = source.nextJob();
    if (!job) {
      if (!isStopping)
        wakeCount.wait(seen, std::memory_order_acquire);
      continue;
    }
    if (!runJob(worker, *job))
      break;
  }
  worker.runner.reset();
  std::lock_guard<std::mutex> lock(mutex);
  worker.hasEnded = true;
}

/// False: the thread has been replaced and is to end.
bool CompileThreads::runJob(Worker &worker, const CompileJob &job) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    worker.job = job;
    worker.governor.begin(worker.priority);
  }
  changed.notify_one();
  if (options.numThreads > 1 && source.hasJobs())
    wakeAnother();
  becomeIdle(worker);
  worker.runner->open();
  setStarted(worker);
  CompileOutcome outcome = worker.runner->run(job);
  bool isWanted = endJob(worker);
  if (isWanted)
    source.jobEnded(job, std::move(outcome));
  else
    outcome = {};
  std::lock_guard<std::mutex> lock(mutex);
  if (!worker.isLeftAlone)
    return true;
  if (numActive >= options.numThreads)
    return false;
  worker.isLeftAlone = false;
  ++numActive;
  return true;
}

/// The compile begins, and its deadline counts. Locks are taken by ordinary threads only: one that
/// is idle might not get to give it back.
void CompileThreads::setStarted(Worker &worker) {
  worker.priority.set(Urgency::Ordinary);
  {
    std::lock_guard<std::mutex> lock(mutex);
    worker.started = time.now();
  }
  becomeIdle(worker);
}

/// Unless somebody waits, be it that they come in this moment.
void CompileThreads::becomeIdle(Worker &worker) {
  if (!isHurried)
    worker.priority.set(Urgency::Idle);
  if (isHurried)
    worker.priority.set(Urgency::Ordinary);
}

/// False: the job was given up.
bool CompileThreads::endJob(Worker &worker) {
  worker.priority.set(Urgency::Ordinary);
  std::lock_guard<std::mutex> lock(mutex);
  worker.job.reset();
  worker.started.reset();
  // It may have been changed while the lock was awaited; nobody changes it now.
  worker.priority.set(Urgency::Ordinary);
  return !worker.isLeftAlone;
}

void CompileThreads::supervise() {
  ::pthread_setname_np(::pthread_self(), "anneal-govern");
  auto isBusy = [](const auto &worker) { return worker->job.has_value(); };
  std::unique_lock<std::mutex> lock(mutex);
  while (!isStopping) {
    if (std::none_of(workers.begin(), workers.end(), isBusy)) {
      changed.wait(lock);
      continue;
    }
    changed.wait_for(lock, kWindow, [&] { return isStopping.load(); });
    std::vector<CompileJob> givenUp = lookAfterWorkers();
    if (givenUp.empty())
      continue;
    for (size_t i = 0; i < givenUp.size(); ++i)
      startWorker();
    lock.unlock();
    for (const CompileJob &job : givenUp)
      source.jobGivenUp(job);
    wakeCount.fetch_add(1, std::memory_order_release);
    wakeCount.notify_all();
    lock.lock();
  }
}

/// Priorities and deadlines; the jobs that are given up. REQUIRES: the lock.
std::vector<CompileJob> CompileThreads::lookAfterWorkers() {
  std::vector<CompileJob> givenUp;
  auto numBusy =
      static_cast<double>(std::count_if(workers.begin(), workers.end(), [](auto &worker) {
        return worker->job && !worker->isLeftAlone;
      }));
  std::chrono::nanoseconds now = time.now();
  for (const auto &worker : workers) {
    if (!worker->job)
      continue;
    // What was left alone gets what is left over.
    if (isHurried)
      worker->priority.set(Urgency::Ordinary);
    else
      worker->governor.step(worker->priority, worker->isLeftAlone ? 0 : options.share / numBusy);
    if (worker->isLeftAlone || !worker->started || now - *worker->started <= options.deadline)
      continue;
    worker->isLeftAlone = true;
    --numActive;
    givenUp.push_back(*worker->job);
  }
  return givenUp;
}

} // namespace anneal::engine
