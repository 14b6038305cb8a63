//===- use.cpp - Doubles numbers by the C++ interface ---------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <anneal/Engine/Engine.h>

#include <cstdio>

using anneal::runtime::Tensor;

/// use MODEL
int main(int argc, char **argv) {
  auto engine = anneal::engine::Engine::create();
  auto model = (*engine)->load(argv[argc - 1]);
  if (!model.ok()) {
    std::fprintf(stderr, "%s\n", std::string(model.status().message()).c_str());
    return 1;
  }
  float x[] = {1, -2, 3};
  auto results =
      (*(*model)->function("main"))->call({Tensor::view(anneal::plan::DType::F32, {3}, x)});
  if (!results.ok())
    return 1;
  const auto *y = (*results)[0].tensor().dataAs<float>();
  std::printf("%g %g %g\n", y[0], y[1], y[2]);
  return y[0] == 2 && y[1] == -4 && y[2] == 6 ? 0 : 1;
}
