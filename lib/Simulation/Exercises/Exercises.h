//===- Exercises.h - One function an exercise -------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_SIMULATION_EXERCISES_EXERCISES_H
#define ANNEAL_LIB_SIMULATION_EXERCISES_EXERCISES_H

#include "anneal/Simulation/Exercises.h"

namespace anneal::simulation {

/// X1: what compiling hot and cold operations gains.
Exercise solveX1();
/// X2: whom the threshold sqrt(N) catches.
Exercise solveX2();
/// X3: hit rates of a cache under Zipf's law.
Exercise solveX3();
/// X4: when to go to which of four levels.
Exercise solveX4();
/// X5: which shapes to compile on speculation.
Exercise solveX5();
/// X6: compiling beside requests with a deadline.
Exercise solveX6();

} // namespace anneal::simulation

#endif // ANNEAL_LIB_SIMULATION_EXERCISES_EXERCISES_H
