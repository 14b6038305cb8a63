// RUN: jit-opt %s --jit-score-hotness='bandwidth-gbs=1' --remarks-filter=jit-score-hotness 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: jit-opt %s --jit-score-hotness='bandwidth-gbs=1 roofline-floor weight-count=0 weight-time=0 weight-bytes=1 weight-density=0' | FileCheck %s --check-prefix=FLOOR
// RUN: not jit-opt %s --jit-score-hotness='weight-time=-1' 2>&1 | FileCheck %s --check-prefix=WEIGHT
// RUN: not jit-opt %s --jit-score-hotness='bandwidth-gbs=0' 2>&1 | FileCheck %s --check-prefix=BANDWIDTH

// WEIGHT: error: jit-score-hotness: weight-time is -1, but must be from 0 to 1e+15
// BANDWIDTH: error: jit-score-hotness: bandwidth-gbs is 0, but must be from 1e-09 to 1e+15

// All that there is: 100 calls in 600 of 1000 us, 300000 bytes of the 600000 that could have moved, two
// FLOPs a byte. The next unit moves most bytes, 480000: of these it is 0.625.
// CHECK: jit.unit @given() {{.*}}flops = 600000, score = 7.750000e-01>
// REMARK: @given: score 0.775; count 1, T_ratio 0.6, B_ratio 0.5, C_density 1
// FLOOR: jit.unit @given() {{.*}}score = 6.250000e-01>
jit.unit @given() attributes {hotness = #jit.hotness<count = 100, time_us = 600.0, bytes = 300000, flops = 600000>} {
  jit.return
}

// Bytes and FLOPs of the shapes that were seen: absf moves 8 bytes and does one FLOP for each of 1000 elements in
// 30 calls, of 3000 in 10; 480000 bytes, more than could have moved in 400 us.
// CHECK: jit.unit @shapes({{.*}}hotness = #jit.hotness<score = 4.656250e-01>
// REMARK: @shapes: score 0.465625; count 0.4, T_ratio 0.4, B_ratio 1, C_density 0.0625
jit.unit @shapes(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32>
    attributes {jit.profile = #jit.profile<calls = 40, time_us = 400.0, shapes = [([1000], [1000]) : 30, ([3000], [3000]) : 10]>} {
  %0 = linalg.abs ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  jit.return %0 : tensor<?xf32>
}

// Sizes of 0 are sizes: no bytes, no density.
// REMARK: @empty: score 0.025; count 0.1, T_ratio 0, B_ratio 0, C_density 0
jit.unit @empty(%x: tensor<0xf32>, %o: tensor<0xf32>) -> tensor<0xf32> attributes {hotness = #jit.hotness<count = 10>} {
  %0 = linalg.abs ins(%x : tensor<0xf32>) outs(%o : tensor<0xf32>) -> tensor<0xf32>
  jit.return %0 : tensor<0xf32>
}

// What wasn't seen has no score.
// CHECK: jit.unit @unseen() {
// REMARK-NOT: @unseen
jit.unit @unseen() {
  jit.return
}
