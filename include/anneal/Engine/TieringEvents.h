//===- TieringEvents.h - What the tiering of a model does -------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Events are those of anneal/Runtime/Tiering/TieringEvents.h: the simulator has the same.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_ENGINE_TIERINGEVENTS_H
#define ANNEAL_ENGINE_TIERINGEVENTS_H

#include "anneal/Runtime/Tiering/TieringEvents.h"

namespace anneal::engine {

using runtime::BoundedHistory;
using runtime::decisionLog;
using runtime::EventLog;
using runtime::MachineClock;
using runtime::MachineTime;
using runtime::TieringEvent;
using runtime::TieringEventKind;
using runtime::TieringObserver;
using runtime::TieringTick;
using runtime::toText;

} // namespace anneal::engine

#endif // ANNEAL_ENGINE_TIERINGEVENTS_H
