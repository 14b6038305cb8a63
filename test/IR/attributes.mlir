// RUN: jit-opt %s | FileCheck %s
// RUN: jit-opt %s | jit-opt | FileCheck %s
// RUN: jit-opt %s --emit-bytecode | jit-opt | FileCheck %s
// RUN: jit-opt %s --verify-roundtrip

// Every form of the attributes survives text and bytecode. Where there are several spellings, one is
// printed.

// CHECK-LABEL: func.func private @hotness
// CHECK-SAME: t.all = #jit.hotness<count = 12, time_us = 3.500000e+00, bytes = 4096, flops = 8192, score = 7.500000e-01>
// CHECK-SAME: t.any_order = #jit.hotness<count = 0, score = 1.000000e+00>
// CHECK-SAME: t.digits = #jit.hotness<time_us = 1.2345678901234568E+22>
// CHECK-SAME: t.largest = #jit.hotness<bytes = 9223372036854775807>
// CHECK-SAME: t.tenth = #jit.hotness<time_us = 1.000000e-01>
func.func private @hotness() attributes {
  t.all = #jit.hotness<count = 12, time_us = 3.5, bytes = 4096, flops = 8192, score = 0.75>,
  t.any_order = #jit.hotness<score = 1, count = 0>,
  t.digits = #jit.hotness<time_us = 1.2345678901234567e22>,
  t.largest = #jit.hotness<bytes = 9223372036854775807>,
  t.tenth = #jit.hotness<time_us = 0.1>}

// CHECK-LABEL: func.func private @shape_bucket
// CHECK-SAME: t.any = #jit.shape_bucket<[?, ?]>
// CHECK-SAME: t.edges = #jit.shape_bucket<[exp2(0 ... 1/64), exp2(0 ... 64), exp2(63 ... 64), exp2(4095/64 ... 64)]>
// CHECK-SAME: t.exact = #jit.shape_bucket<[8, exp2(9/2 ... 5), ?]>
// CHECK-SAME: t.lowest_terms = #jit.shape_bucket<[exp2(9/2 ... 5), exp2(10/3 ... 4)]>
// CHECK-SAME: t.scalar = #jit.shape_bucket<[]>
// CHECK-SAME: t.sizes = #jit.shape_bucket<[0, 1, 9223372036854775807]>
func.func private @shape_bucket() attributes {
  t.any = #jit.shape_bucket<[?, ?]>,
  t.edges = #jit.shape_bucket<[exp2(0 ... 1/64), exp2(0 ... 64), exp2(63 ... 64), exp2(4095/64 ... 64)]>,
  t.exact = #jit.shape_bucket<[8, exp2(9/2 ... 5), ?]>,
  t.lowest_terms = #jit.shape_bucket<[exp2(18/4 ... 10/2), exp2(20/6 ... 4)]>,
  t.scalar = #jit.shape_bucket<[]>,
  t.sizes = #jit.shape_bucket<[0, 1, 9223372036854775807]>}

// CHECK-LABEL: func.func private @tier
// CHECK-SAME: #jit.tier<interpreter>, t.1 = #jit.tier<baseline>, t.2 = #jit.tier<optimized>, t.3 = #jit.tier<peak>
func.func private @tier() attributes {
  t.0 = #jit.tier<interpreter>, t.1 = #jit.tier<baseline>, t.2 = #jit.tier<optimized>,
  t.3 = #jit.tier<peak>}

// CHECK-LABEL: func.func private @mode
// CHECK-SAME: t.0 = #jit.mode<aot>, t.1 = #jit.mode<jit>
func.func private @mode() attributes {t.0 = #jit.mode<aot>, t.1 = #jit.mode<jit>}

// CHECK-LABEL: func.func private @schedule
// CHECK-SAME: t.one = #jit.schedule<unroll = 4>
// CHECK-SAME: t.several = #jit.schedule<loop.order = [2, 0, 1], tile = [8, 32], unroll = 4>
func.func private @schedule() attributes {
  t.one = #jit.schedule<unroll = [4]>,
  t.several = #jit.schedule<unroll = 4, tile = [8, 32], loop.order = [2, 0, 1]>}

// CHECK-LABEL: func.func private @discardable
// CHECK-SAME: tensor<?x4xf32> {jit.shape_bucket = #jit.shape_bucket<[exp2(4 ... 5), exp2(2 ... 3)]>}
// CHECK-SAME: jit.hotness = #jit.hotness<count = 1>
// CHECK-SAME: jit.mode = #jit.mode<jit>
// CHECK-SAME: jit.schedule = #jit.schedule<tile = 4>
// CHECK-SAME: jit.tier = #jit.tier<peak>
func.func private @discardable(
    tensor<?x4xf32> {jit.shape_bucket = #jit.shape_bucket<[exp2(4 ... 5), exp2(2 ... 3)]>})
    attributes {jit.hotness = #jit.hotness<count = 1>, jit.mode = #jit.mode<jit>,
                jit.schedule = #jit.schedule<tile = 4>, jit.tier = #jit.tier<peak>}
