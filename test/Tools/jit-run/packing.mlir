// Packing with tiles of constant size has a plan.
// RUN: jit-run %s -e planned --input=4xf32=iota --force-tier=baseline --report=%t.json | FileCheck %s --check-prefix=PLANNED
// RUN: FileCheck %s --check-prefix=UNITS --implicit-check-not='"stock"' < %t.json

// PLANNED: result[0]: 4xf32=[0, 1, 2, 3]
// UNITS: "name": "planned.
func.func @planned(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<2x2xf32>
  %p = linalg.pack %x inner_dims_pos = [0] inner_tiles = [2] into %e : tensor<4xf32> -> tensor<2x2xf32>
  %u = linalg.unpack %p inner_dims_pos = [0] inner_tiles = [2] into %x : tensor<2x2xf32> -> tensor<4xf32>
  return %u : tensor<4xf32>
}
