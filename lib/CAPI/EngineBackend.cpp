//===- EngineBackend.cpp - The engine behind the C interface --------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"

#include "anneal/Engine/Engine.h"
#include "anneal/Engine/Report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <cmath>
#include <optional>

namespace anneal::capi {
namespace {

class CompiledModel final : public ModelBackend {
public:
  CompiledModel(std::unique_ptr<engine::Model> model, unsigned threads)
      : model(std::move(model)), threads(threads) {}

  const runtime::Program &program() const override { return model->program(); }
  absl::StatusOr<std::string> defaultEntry() const override { return model->defaultEntry(); }
  void waitForCompiles() override { model->waitForCompiles(); }
  absl::Status save(const std::string &path) const override { return model->save(path); }
  std::string report(const std::string &name) const override {
    return engine::reportJson(*model, {name, threads});
  }

private:
  const std::unique_ptr<engine::Model> model;
  const unsigned threads;
};

class CompilingEngine final : public EngineBackend {
public:
  CompilingEngine(std::unique_ptr<engine::Engine> engine, std::optional<Tier> forcedTier)
      : engine(std::move(engine)), forcedTier(forcedTier) {}

  unsigned numThreads() const override { return engine->numThreads(); }
  absl::StatusOr<std::unique_ptr<ModelBackend>> load(const std::string &path) override {
    return wrap(engine->load(path));
  }
  absl::StatusOr<std::unique_ptr<ModelBackend>> loadBytes(const std::string &bytes,
                                                          const std::string &name) override {
    return wrap(engine->loadBytes(bytes, name));
  }

private:
  absl::StatusOr<std::unique_ptr<ModelBackend>>
  wrap(absl::StatusOr<std::unique_ptr<engine::Model>> model) const {
    if (!model.ok())
      return model.status();
    if (forcedTier)
      if (absl::Status status = force(**model); !status.ok())
        return status;
    return std::make_unique<CompiledModel>(*std::move(model), numThreads());
  }

  absl::Status force(engine::Model &model) const {
    std::vector<engine::UnitFailure> failures = model.forceTier(*forcedTier);
    if (failures.empty())
      return absl::OkStatus();
    std::string text = absl::StrCat("option 'forceTier': not all units can be at '",
                                    name(*forcedTier).data(), "'");
    for (const engine::UnitFailure &failure : failures)
      absl::StrAppend(&text, "\nunit '", failure.unit, "': ", failure.reason);
    return absl::FailedPreconditionError(text);
  }

  const std::unique_ptr<engine::Engine> engine;
  const std::optional<Tier> forcedTier;
};

absl::StatusOr<Tier> tierOf(absl::string_view option, absl::string_view text) {
  if (auto tier = parseTier({text.data(), text.size()}))
    return *tier;
  return absl::InvalidArgumentError(absl::StrCat("option '", option, "': there is no tier '", text,
                                                 "'; there is interpreter, baseline"));
}

absl::StatusOr<TierSet> tiersOf(absl::string_view text) {
  TierSet tiers;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    absl::StatusOr<Tier> tier = tierOf("tiers", part);
    if (!tier.ok())
      return tier.status();
    tiers.add(*tier);
  }
  return tiers;
}

} // namespace

absl::StatusOr<std::unique_ptr<EngineBackend>> makeBackend(const AnnealEngineOptions &options) {
  engine::EngineOptions result;
  result.threads = options.threads;
  if (options.compilerLibrary)
    result.compilerLibrary = options.compilerLibrary;
  engine::TieringOptions &tiering = result.tiering;
  if (options.tiers) {
    auto tiers = tiersOf(options.tiers);
    if (!tiers.ok())
      return tiers.status();
    tiering.tiers = *tiers;
  }
  if (options.policy)
    tiering.policy = options.policy;
  if (options.compileThreads)
    tiering.compileThreads = options.compileThreads;
  tiering.deterministic = options.deterministic != 0;
  if (!(options.compileShare <= 1))
    return absl::InvalidArgumentError("option 'compileShare' is a fraction of a core, at most 1");
  if (options.compileShare != 0)
    tiering.compileShare = std::max(0.0, options.compileShare);
  // A year: longer ones would not fit nanoseconds.
  constexpr double kLongest = 365 * 86400.0;
  if (!(options.compileDeadlineSeconds >= 0 && options.compileDeadlineSeconds <= kLongest))
    return absl::InvalidArgumentError("option 'compileDeadlineSeconds' is out of range");
  if (options.compileDeadlineSeconds > 0)
    tiering.compileDeadline =
        std::chrono::nanoseconds(static_cast<int64_t>(options.compileDeadlineSeconds * 1e9));
  if (options.codeLimitBytes)
    tiering.codeLimitBytes = options.codeLimitBytes;
  tiering.perfMap = options.perfMap != 0;
  tiering.gdb = options.gdb != 0;
  std::optional<Tier> forcedTier;
  if (options.forceTier) {
    absl::StatusOr<Tier> tier = tierOf("forceTier", options.forceTier);
    if (!tier.ok())
      return tier.status();
    forcedTier = *tier;
  }
  auto engine = engine::Engine::create(result);
  if (!engine.ok())
    return engine.status();
  return std::make_unique<CompilingEngine>(*std::move(engine), forcedTier);
}

} // namespace anneal::capi
