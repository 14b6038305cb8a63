/*===- anneal-c/PolicyPlugin.h - Policies from a shared library ---*- C -*-===*\
|*                                                                            *|
|* Part of the Anneal project, under the Apache License v2.0 with LLVM        *|
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception        *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A policy says which unit of a program is compiled, at which tier, and      *|
|* when. A shared library that exports annealPolicyPlugin adds one:           *|
|*                                                                            *|
|*   jit-run m.mlir --load-policy-plugin=./every.so --policy=every,calls=50   *|
|*                                                                            *|
|* Like the policies that are built in, a plugin is arithmetic: it should     *|
|* answer by what it is told alone, without a clock, so that it decides the   *|
|* same in a run and in its simulation. An answer that makes no sense (no     *|
|* such tier, one that may not be used, a promotion downwards, a gain that is *|
|* no number) is refused: the unit stays, and the reports say so.             *|
|*                                                                            *|
|* Libraries are never unloaded: names, and what they point to, live as long  *|
|* as the process.                                                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ANNEAL_C_POLICYPLUGIN_H
#define ANNEAL_C_POLICYPLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever a struct of this file does. */
#define ANNEAL_POLICY_PLUGIN_VERSION 1

/* Tiers are numbered from 0, the interpreter, upwards; arrays have room for more than there are. */
#define ANNEAL_POLICY_MAX_TIERS 8

/* What is known of a unit. Calls are counted since the model was loaded. */
typedef struct AnnealPolicyUnit {
  /* Operation that the unit is built around, "linalg.matmul"; ends with a zero. */
  const char *kind;
  /* Index of the unit among all of the program. */
  size_t index;
  /* That whose code is installed. */
  unsigned tier;
  uint64_t calls;
  /* Of these: since it came to its tier. */
  uint64_t callsAtTier;
  /* Expected calls for each call of the program. */
  double callsPerProgramCall;
  /* By tier: seconds that a call takes, and how many calls were timed; 0: not known. */
  double secondsPerCall[ANNEAL_POLICY_MAX_TIERS];
  uint64_t timedCalls[ANNEAL_POLICY_MAX_TIERS];
} AnnealPolicyUnit;

/* What is known besides. */
typedef struct AnnealPolicyProgram {
  uint64_t calls;
  /* Tiers that there are, and a bit for each that may be used. */
  unsigned numTiers;
  uint32_t allowedTiers;
  /* By tier: seconds that compiles have taken on average; 0: none yet. */
  double compileSeconds[ANNEAL_POLICY_MAX_TIERS];
  /* Other units that wait to be compiled, and threads that compile. */
  size_t queueLength;
  unsigned compileThreads;
} AnnealPolicyProgram;

enum AnnealPolicyAction {
  ANNEAL_POLICY_STAY = 0,
  /* Compile the unit at a higher tier, and install what comes out. */
  ANNEAL_POLICY_PROMOTE = 1,
  /* Back to the tier below, for good. */
  ANNEAL_POLICY_DEMOTE = 2
};

#define ANNEAL_POLICY_MAX_TERMS 8

/* The answer; all zeros before a plugin fills it, which is "stay". */
typedef struct AnnealPolicyAnswer {
  /* An AnnealPolicyAction. */
  int action;
  /* Of ANNEAL_POLICY_PROMOTE: where to. */
  unsigned tier;
  /* Of ANNEAL_POLICY_PROMOTE: what gains most is compiled first. */
  double gain;
  /* Numbers that went into it, for --why and --decisions; names end with their unit. */
  size_t numTerms;
  struct {
    const char *name;
    double value;
  } terms[ANNEAL_POLICY_MAX_TERMS];
} AnnealPolicyAnswer;

/* A number by which the policy is tuned: `--policy=NAME,PARAMETER=VALUE`. */
typedef struct AnnealPolicyParameter {
  const char *name;
  double value, least, most;
  /* What it means, with its unit. */
  const char *help;
} AnnealPolicyParameter;

typedef struct AnnealPolicyPlugin {
  /* ANNEAL_POLICY_PLUGIN_VERSION. */
  uint32_t version;
  /* By which --policy asks for it. */
  const char *name;
  /* For help: "compiles a unit after so many calls". */
  const char *help;
  const AnnealPolicyParameter *parameters;
  size_t numParameters;
  /* A policy with these values of the parameters, in their order; null: it can't be made. */
  void *(*create)(const double *values);
  void (*destroy)(void *policy);
  /* Fills the answer for a unit. Never called by two threads at once for one policy; must not
     throw. */
  void (*decide)(void *policy, const AnnealPolicyProgram *program, const AnnealPolicyUnit *unit,
                 AnnealPolicyAnswer *answer);
} AnnealPolicyPlugin;

/* What the library exports. */
typedef const AnnealPolicyPlugin *(*AnnealPolicyPluginFn)(void);

#ifdef __cplusplus
}
#endif

#endif /* ANNEAL_C_POLICYPLUGIN_H */
