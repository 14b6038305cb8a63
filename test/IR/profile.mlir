// RUN: jit-opt %s | FileCheck %s
// RUN: jit-opt %s | jit-opt | FileCheck %s
// RUN: jit-opt %s --emit-bytecode | jit-opt | FileCheck %s
// RUN: jit-opt %s --verify-roundtrip

// Profiles survive text and bytecode; names and shapes get one order.

// CHECK-LABEL: func.func private @profile
// CHECK-SAME: t.access = #jit.access<contiguity = 5.000000e-01, alignment = 64, strides = [4, -1]>
// CHECK-SAME: t.all = #jit.profile<calls = 12, time_us = 3.500000e+00, bytes = 4096, flops = 8192, shapes = [([8, 4], [], []) : 9, ([2, 4], [], []) : 1, ([2, 5], [], []) : 1], branches = [1.000000e+00, 2.500000e-01], memory = [#jit.access<alignment = 1>, #jit.access<strides = []>]>
// CHECK-SAME: t.largest = #jit.profile<calls = 9223372036854775807>
// CHECK-SAME: t.no_arguments = #jit.profile<shapes = [() : 3]>
// CHECK-SAME: t.none = #jit.profile<shapes = [], branches = [], memory = []>
func.func private @profile() attributes {
  t.access = #jit.access<strides = [4, -1], alignment = 64, contiguity = 0.5>,
  t.all = #jit.profile<memory = [#jit.access<alignment = 1>, #jit.access<strides = []>],
    shapes = [([2, 5], [], []) : 1, ([8, 4], [], []) : 9, ([2, 4], [], []) : 1],
    branches = [1, 0.25], flops = 8192, bytes = 4096, time_us = 3.5, calls = 12>,
  t.largest = #jit.profile<calls = 9223372036854775807>,
  t.none = #jit.profile<shapes = [], branches = [], memory = []>,
  t.no_arguments = #jit.profile<shapes = [() : 3]>}

// CHECK: jit.unit private @on_a_unit
// CHECK-SAME: attributes {jit.profile = #jit.profile<calls = 2, shapes = [([0], []) : 2]>}
jit.unit private @on_a_unit(%a: tensor<?xf32>, %s: f32)
    attributes {jit.profile = #jit.profile<calls = 2, shapes = [([0], []) : 2]>} {
  jit.return
}
