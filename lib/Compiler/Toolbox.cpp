//===- Toolbox.cpp - The passes of libAnnealCompiler.so -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Toolbox.h"

#include "anneal/Pipelines/Tiers.h"

namespace anneal::compiler {

const Toolbox kOwnPasses = {registerTierPasses, [](mlir::DialectRegistry &) {},
                            [](const std::vector<std::string> &paths, std::string &error) {
                              if (paths.empty())
                                return true;
                              error =
                                  "this library takes no pass plugins; libAnnealWorkbench.so does";
                              return false;
                            }};

} // namespace anneal::compiler
