/*===- EveryPolicy.c - A policy of a plugin -----------------------------------===*\
|*                                                                                *|
|* Part of the Anneal project, under the Apache License v2.0 with LLVM            *|
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception            *|
|*                                                                                *|
|*===----------------------------------------------------------------------------===*|
|*                                                                                *|
|* Compiles a unit at the highest tier that may be used after so many calls, and  *|
|* takes the code back if a call takes longer than before. The example of         *|
|* docs/Policies.md.                                                              *|
|*                                                                                *|
\*===----------------------------------------------------------------------------===*/

#include "anneal-c/PolicyPlugin.h"

#include <stdlib.h>

static void *createEvery(const double *values) {
  double *calls = malloc(sizeof *calls);
  if (calls)
    *calls = values[0];
  return calls;
}

static void addTerm(AnnealPolicyAnswer *answer, const char *name, double value) {
  answer->terms[answer->numTerms].name = name;
  answer->terms[answer->numTerms].value = value;
  ++answer->numTerms;
}

static void decideEvery(void *policy, const AnnealPolicyProgram *program,
                        const AnnealPolicyUnit *unit, AnnealPolicyAnswer *answer) {
  const double threshold = *(const double *)policy;
  addTerm(answer, "calls", (double)unit->callsAtTier);
  addTerm(answer, "threshold", threshold);
  if (unit->tier > 0) {
    const double before = unit->secondsPerCall[0], now = unit->secondsPerCall[unit->tier];
    if (unit->timedCalls[unit->tier] >= 16 && now > before)
      answer->action = ANNEAL_POLICY_DEMOTE;
    return;
  }
  unsigned tier = program->numTiers - 1;
  while (tier > 0 && !(program->allowedTiers >> tier & 1))
    --tier;
  if (tier == 0 || (double)unit->calls < threshold)
    return;
  answer->action = ANNEAL_POLICY_PROMOTE;
  answer->tier = tier;
  answer->gain = unit->callsPerProgramCall * unit->secondsPerCall[0];
}

const AnnealPolicyPlugin *annealPolicyPlugin(void) {
  static const AnnealPolicyParameter parameters[] = {
      {"calls", 10, 1, 1e9, "calls after which a unit is compiled"}};
  static const AnnealPolicyPlugin plugin = {
      ANNEAL_POLICY_PLUGIN_VERSION,
      "every",
      "compiles every unit at the highest tier after so many calls",
      parameters,
      1,
      createEvery,
      free,
      decideEvery,
  };
  return &plugin;
}
