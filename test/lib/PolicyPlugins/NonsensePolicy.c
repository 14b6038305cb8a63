/*===- NonsensePolicy.c - A policy whose answers make no sense ----------------===*\
|*                                                                                *|
|* Part of the Anneal project, under the Apache License v2.0 with LLVM            *|
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception            *|
|*                                                                                *|
|*===----------------------------------------------------------------------------===*|
|*                                                                                *|
|* `kind` says which: 0 no such action, 1 no such tier, 2 the tier that the unit  *|
|* has, 3 a gain that is no number, 4 too many terms, 5 a term without a name,    *|
|* 6 back from the interpreter; 7 it can't be made.                               *|
|*                                                                                *|
\*===----------------------------------------------------------------------------===*/

#include "anneal-c/PolicyPlugin.h"

#include <math.h>
#include <stdlib.h>

static void *createNonsense(const double *values) {
  int *kind = malloc(sizeof *kind);
  if (kind)
    *kind = (int)values[0];
  if (kind && *kind == 7) {
    free(kind);
    return NULL;
  }
  return kind;
}

static void decideNonsense(void *policy, const AnnealPolicyProgram *program,
                           const AnnealPolicyUnit *unit, AnnealPolicyAnswer *answer) {
  const int kind = *(const int *)policy;
  (void)program;
  answer->action = ANNEAL_POLICY_PROMOTE;
  answer->tier = 1;
  switch (kind) {
  case 0:
    answer->action = 17;
    break;
  case 1:
    answer->tier = 99;
    break;
  case 2:
    answer->tier = unit->tier;
    break;
  case 3:
    answer->gain = NAN;
    break;
  case 4:
    answer->numTerms = ANNEAL_POLICY_MAX_TERMS + 1;
    break;
  case 5:
    answer->numTerms = 1;
    break;
  default:
    answer->action = ANNEAL_POLICY_DEMOTE;
    break;
  }
}

const AnnealPolicyPlugin *annealPolicyPlugin(void) {
  static const AnnealPolicyParameter parameters[] = {{"kind", 0, 0, 7, "which nonsense"}};
  static const AnnealPolicyPlugin plugin = {
      ANNEAL_POLICY_PLUGIN_VERSION,
      "nonsense",
      "answers nonsense",
      parameters,
      1,
      createNonsense,
      free,
      decideNonsense,
  };
  return &plugin;
}
