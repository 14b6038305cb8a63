// RUN: not jit-opt %s --jit-print-critical-path='peak-gflops=0' 2>&1 | FileCheck %s --check-prefix=PEAK
// RUN: not jit-opt %s --jit-print-critical-path='bandwidth-gbs=-3' 2>&1 | FileCheck %s --check-prefix=BANDWIDTH
// RUN: not jit-opt %s --jit-print-critical-path='peak-gflops=inf' 2>&1 | FileCheck %s --check-prefix=INF
// RUN: not jit-opt %s --jit-print-critical-path='budget-us=-1' 2>&1 | FileCheck %s --check-prefix=BUDGET
// RUN: not jit-opt %s --jit-print-critical-path='profile=%t.nosuch' 2>&1 | FileCheck %s --check-prefix=PROFILE
// RUN: not jit-opt %s --jit-print-critical-path='dims=arg3:1' 2>&1 | FileCheck %s --check-prefix=DIMS

// PEAK: error: jit-print-critical-path: peak-gflops is 0.000000, but must be above 0
// BANDWIDTH: error: jit-print-critical-path: bandwidth-gbs is -3.000000, but must be above 0
// INF: error: jit-print-critical-path: peak-gflops is inf, but must be above 0
// BUDGET: error: jit-print-critical-path: budget-us is -1.000000, but must not be negative
// PROFILE: error: {{.*}}.nosuch: cannot read the profile
// DIMS: error: jit-print-critical-path: dims: '@f' has 0 arguments, but 'arg3:1' is about argument 3
func.func @f() { return }
