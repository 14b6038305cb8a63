/*===- OtherVersionPolicy.c - A policy of another version ---------------------===*\
|*                                                                                *|
|* Part of the Anneal project, under the Apache License v2.0 with LLVM            *|
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception            *|
|*                                                                                *|
\*===----------------------------------------------------------------------------===*/

#include "anneal-c/PolicyPlugin.h"

const AnnealPolicyPlugin *annealPolicyPlugin(void) {
  static const AnnealPolicyPlugin plugin = {99, "old", "", NULL, 0, NULL, NULL, NULL};
  return &plugin;
}
