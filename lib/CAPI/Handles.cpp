//===- Handles.cpp - Life of handles, failures, forks ---------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

#include <deque>
#include <exception>
#include <pthread.h>

namespace anneal::capi {
namespace {

/// Handles that stay recognisable after their end.
constexpr size_t kKept = 4096;

#ifdef NDEBUG
std::atomic<bool> checksHandles{false};
#else
std::atomic<bool> checksHandles{true};
#endif

std::atomic<uint32_t> generation{0};

/// Memory of destroyed handles, oldest first. Lives as long as the process.
struct Quarantine {
  std::mutex mutex;
  std::deque<void *> kept;
};

Quarantine &quarantine() {
  static auto *made = new Quarantine;
  return *made;
}

/// For when there is no memory for a failure.
AnnealFailure &outOfMemory() {
  static auto *failure = new AnnealFailure{
      {AnnealFailure::kMagic}, ANNEAL_CODE_RESOURCE_EXHAUSTED, "out of memory", "", ""};
  return *failure;
}
/// Made while there is memory.
[[maybe_unused]] const AnnealFailure &madeEarly = outOfMemory();

/// "file:line:col" if the message begins with it, as the compiler's do.
std::string leadingLocation(absl::string_view message) {
  size_t end = message.find(": ");
  if (end == absl::string_view::npos)
    return "";
  absl::string_view place = message.substr(0, end);
  size_t column = place.rfind(':');
  size_t line = column == absl::string_view::npos ? column : place.rfind(':', column - 1);
  if (line == absl::string_view::npos || line == 0 ||
      place.substr(line).find_first_not_of("0123456789:") != absl::string_view::npos)
    return "";
  return std::string(place);
}

std::string payloadOf(const absl::Status &status, absl::string_view key) {
  absl::optional<absl::Cord> payload = status.GetPayload(key);
  return payload ? std::string(*payload) : "";
}

} // namespace

void releaseHandle(void *memory) {
  new (memory) Handle{kDead};
  if (!checksHandles.load(std::memory_order_relaxed)) {
    ::operator delete(memory);
    return;
  }
  std::lock_guard<std::mutex> lock(quarantine().mutex);
  quarantine().kept.push_back(memory);
  if (quarantine().kept.size() <= kKept)
    return;
  ::operator delete(quarantine().kept.front());
  quarantine().kept.pop_front();
}

uint32_t forkGeneration() { return generation.load(std::memory_order_relaxed); }

void watchForks() {
  static std::once_flag once;
  std::call_once(once, [] {
    pthread_atfork([] { quarantine().mutex.lock(); }, [] { quarantine().mutex.unlock(); },
                   [] {
                     quarantine().mutex.unlock();
                     generation.fetch_add(1, std::memory_order_relaxed);
                   });
  });
}

AnnealFailure *failureOf(const absl::Status &status) {
  if (status.ok())
    return nullptr;
  std::string location = payloadOf(status, runtime::kLocationPayload);
  if (location.empty())
    location = leadingLocation(status.message());
  return new AnnealFailure{{AnnealFailure::kMagic},
                           static_cast<AnnealCode>(status.code()),
                           std::string(status.message()),
                           payloadOf(status, runtime::kUnitPayload),
                           location};
}

AnnealFailure *invalid(const std::string &message) {
  return failureOf(absl::InvalidArgumentError(message));
}

AnnealFailure *failureOfException() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc &) {
    return &outOfMemory();
  } catch (const std::exception &error) {
    try {
      return failureOf(absl::InternalError(error.what()));
    } catch (...) {
      return &outOfMemory();
    }
  } catch (...) {
    try {
      return failureOf(absl::InternalError("an exception of an unknown type"));
    } catch (...) {
      return &outOfMemory();
    }
  }
}

AnnealFailure *badHandle(const void *handle, const char *kind) {
  return invalid(handle ? absl::StrCat("the handle given for ", kind,
                                       " is of another kind, or was destroyed before this use")
                        : absl::StrCat("null was given for ", kind));
}

} // namespace anneal::capi

using namespace anneal::capi;

uint32_t annealApiVersion(void) { return ANNEAL_API_VERSION; }
const char *annealVersion(void) { return ANNEAL_VERSION; }
void annealSetHandleChecks(int enabled) { checksHandles = enabled != 0; }

AnnealCode annealFailureCode(const AnnealFailure *failure) {
  return !failure           ? ANNEAL_CODE_OK
         : isAlive(failure) ? failure->code
                            : ANNEAL_CODE_INVALID_ARGUMENT;
}
const char *annealFailureMessage(const AnnealFailure *failure) {
  return !failure           ? ""
         : isAlive(failure) ? failure->message.c_str()
                            : "the failure was destroyed before this use";
}
const char *annealFailureUnit(const AnnealFailure *failure) {
  return isAlive(failure) ? failure->unit.c_str() : "";
}
const char *annealFailureLocation(const AnnealFailure *failure) {
  return isAlive(failure) ? failure->location.c_str() : "";
}
void annealFailureDestroy(AnnealFailure *failure) {
  if (isAlive(failure) && failure != &outOfMemory())
    destroyHandle(failure);
}
