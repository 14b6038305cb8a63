// RUN: jit-opt %s --jit-assign-tiers | FileCheck %s
// RUN: jit-opt %s --jit-assign-tiers --remarks-filter=jit-assign-tiers -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: jit-opt %s --jit-assign-tiers=tiers=baseline | FileCheck %s --check-prefix=BASELINE
// RUN: jit-opt %s --jit-assign-tiers=overwrite | FileCheck %s --check-prefix=OVER
// RUN: jit-opt %s --jit-assign-tiers='quantity=score' | FileCheck %s --check-prefix=SCORE
// RUN: jit-opt %s --jit-assign-tiers='alpha=0.5 expected-calls=1000000' | FileCheck %s --check-prefix=EXPECT
// RUN: jit-opt %s --jit-assign-tiers=theta-hot=0.5 --remarks-filter=jit-assign-tiers -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHARE
// RUN: jit-opt %s --jit-assign-tiers=default-dim=1000000 | FileCheck %s --check-prefix=MODEL

// baseline would pay, but optimized saves more.
// CHECK: jit.unit @hot() attributes {{.*}}tier = #jit.tier<optimized>
// BASELINE: jit.unit @hot() attributes {{.*}}tier = #jit.tier<baseline>
// EXPECT: jit.unit @hot() attributes {{.*}}tier = #jit.tier<peak>
// Beside a unit with nearly all calls its share is nothing.
// SHARE: @hot: tier interpreter: its share of all calls, 5.42101e-16, is not more than theta-hot = 0.5
// SHARE: @largest: tier peak
// REMARK: @hot: tier optimized; N = 5000, N_expected = 5000, t_0 = 100 us; baseline: theta = 10, benefit = 79333.3 us, paid back after 240 calls, skipped: a higher one saves more; optimized: theta = 100, benefit = 200000 us, paid back after 1000 calls, chosen; peak: theta = 1000, benefit = -166667 us, paid back after 7500 calls, does not pay
jit.unit @hot() attributes {hotness = #jit.hotness<count = 5000, time_us = 500000.0>} {
  jit.return
}

// Not more than theta_0 calls, however long they take.
// CHECK: jit.unit @few() attributes {{.*}}tier = #jit.tier<interpreter>
// EXPECT: jit.unit @few() attributes {{.*}}tier = #jit.tier<interpreter>
// REMARK: @few: tier interpreter: 10 calls are not more than theta_0 = 10
jit.unit @few() attributes {hotness = #jit.hotness<count = 10, time_us = 1.0e9>} {
  jit.return
}

// One call more opens baseline, and no other.
// CHECK: jit.unit @eleven() attributes {{.*}}tier = #jit.tier<baseline>
// REMARK: @eleven: tier baseline; {{.*}}optimized: theta = 100, benefit = {{.*}}, too few calls; peak
jit.unit @eleven() attributes {hotness = #jit.hotness<count = 11, time_us = 1.0e9>} {
  jit.return
}

// Often, but for no time.
// CHECK: jit.unit @short() attributes {{.*}}tier = #jit.tier<interpreter>
// REMARK: @short: tier interpreter: no tier saves more than min-benefit-us = 0; N = 5000, N_expected = 5000, t_0 = 0.2 us; baseline: theta = 10, benefit = -3833.33 us, paid back after 120000 calls, does not pay
jit.unit @short() attributes {jit.profile = #jit.profile<calls = 5000, time_us = 1000.0>} {
  jit.return
}

// The largest count that there is.
// CHECK: jit.unit @largest() attributes {{.*}}tier = #jit.tier<peak>
jit.unit @largest() attributes {hotness = #jit.hotness<count = 9223372036854775807, time_us = 9.0e18>} {
  jit.return
}

// CHECK: jit.unit @no_calls() {
// REMARK: @no_calls: no tier: how often it is called is not known
jit.unit @no_calls() {
  jit.return
}

// CHECK: jit.unit @no_time({{.*}}hotness = #jit.hotness<count = 11>}
// MODEL: jit.unit @no_time({{.*}}tier = #jit.tier<baseline>
// REMARK: @no_time: no tier: what a call takes is not known; measure it, or give default-dim
jit.unit @no_time(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {hotness = #jit.hotness<count = 11>} {
  %0 = linalg.exp ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  jit.return %0 : tensor<?x?xf32>
}

// Of size 0: no time.
// CHECK: jit.unit @empty({{.*}}tier = #jit.tier<interpreter>
// REMARK: @empty: tier interpreter: no tier saves more than min-benefit-us = 0; N = 5000, N_expected = 5000, t_0 = 0 us (modelled); baseline: theta = 10, benefit = -4000 us, never paid back
jit.unit @empty(%x: tensor<0xf32>, %o: tensor<0xf32>) -> tensor<0xf32> attributes {hotness = #jit.hotness<count = 5000>} {
  %0 = linalg.exp ins(%x : tensor<0xf32>) outs(%o : tensor<0xf32>) -> tensor<0xf32>
  jit.return %0 : tensor<0xf32>
}

// A tier that is there stays, unless it is to be decided anew.
// CHECK: jit.unit @given() attributes {{.*}}tier = #jit.tier<peak>
// OVER: jit.unit @given() attributes {{.*}}tier = #jit.tier<interpreter>
// REMARK: @given: keeps tier peak, which it was given
jit.unit @given() attributes {hotness = #jit.hotness<count = 1>, tier = #jit.tier<peak>} {
  jit.return
}

// Heat that spread counts as calls, where it is asked for.
// CHECK: jit.unit @scored() attributes {{.*}}tier = #jit.tier<interpreter>
// SCORE: jit.unit @scored() attributes {{.*}}tier = #jit.tier<baseline>
jit.unit @scored() attributes {hotness = #jit.hotness<count = 1, time_us = 1000000.0, score = 50.0>} {
  jit.return
}
