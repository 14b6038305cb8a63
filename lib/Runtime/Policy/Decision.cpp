//===- Decision.cpp - What a policy says about a unit ---------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Policy/Decision.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace anneal::runtime {

absl::string_view name(Action action) {
  switch (action) {
  case Action::Stay:
    return "stay";
  case Action::Promote:
    return "promote";
  case Action::Demote:
    return "demote";
  case Action::Pin:
    return "pin";
  }
  return "";
}

absl::string_view tierName(Tier tier) {
  std::string_view text = name(tier);
  return {text.data(), text.size()};
}

absl::string_view text(Reason reason) {
  switch (reason) {
#define ANNEAL_REASON(Name, Action, text)                                                          \
  case Reason::Name:                                                                               \
    return text;
#include "anneal/Runtime/Policy/Reasons.def"
#undef ANNEAL_REASON
  }
  return "";
}

Action Decision::action() const {
  switch (reasonValue) {
#define ANNEAL_REASON(Name, ActionName, text)                                                      \
  case Reason::Name:                                                                               \
    return Action::ActionName;
#include "anneal/Runtime/Policy/Reasons.def"
#undef ANNEAL_REASON
  }
  return Action::Stay;
}

std::string Decision::toText() const {
  bool isMove = action() == Action::Promote || action() == Action::Demote;
  std::string line = absl::StrCat(name(action()), isMove ? " to " : " at ", tierName(tierValue),
                                  ": ", text(reasonValue));
  if (termsValue.empty())
    return line;
  auto format = [](std::string *out, const Term &term) {
    absl::StrAppend(out, term.name, "=", term.value);
  };
  return absl::StrCat(line, " (", absl::StrJoin(termsValue, ", ", format), ")");
}

} // namespace anneal::runtime
