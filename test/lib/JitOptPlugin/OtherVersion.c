/*===- OtherVersion.c - A pass plugin for another version of MLIR -----------===*\
|*
|* Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include <stdint.h>

/* mlir::PassPluginLibraryInfo. */
struct PluginInfo {
  uint32_t version;
  const char *name;
  const char *pluginVersion;
  void (*registerPasses)(void);
};

static void registerPasses(void) {}

struct PluginInfo mlirGetPassPluginInfo(void) {
  struct PluginInfo info = {99, "OtherVersion", "1.0", registerPasses};
  return info;
}
