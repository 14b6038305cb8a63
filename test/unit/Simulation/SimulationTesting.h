//===- SimulationTesting.h - Small traces -----------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TEST_UNIT_SIMULATION_SIMULATIONTESTING_H
#define ANNEAL_TEST_UNIT_SIMULATION_SIMULATIONTESTING_H

#include "anneal/Simulation/Trace.h"

namespace anneal::simulation::test {

/// `calls` calls of a program with one unit: `interpreted` and `compiled` seconds a call, `compile`
/// seconds for its code.
inline Trace oneUnit(uint64_t calls, double interpreted, double compiled, double compile) {
  Trace trace;
  trace.model = "m.mlir";
  trace.entry = "main";
  TracedUnit unit;
  unit.name = "u0";
  unit.kind = "linalg.exp";
  unit.compiles[1] = {runtime::Attempt::Installed, compile, 100, ""};
  trace.units = {unit};
  TracedWork work;
  work.flops = 1000;
  work.bytes = 80;
  work.seconds = {interpreted, compiled};
  trace.classes = {{"7x64xf32", {work}, 0, 0}};
  trace.calls = {{0, calls, true, {}}};
  return trace;
}

} // namespace anneal::simulation::test

#endif // ANNEAL_TEST_UNIT_SIMULATION_SIMULATIONTESTING_H
