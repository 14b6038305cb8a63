// RUN: not jit-opt %s --jit-select-mode='gain-aot=0' 2>&1 | FileCheck %s --check-prefix=GAIN
// RUN: not jit-opt %s --jit-select-mode='calls=nan' 2>&1 | FileCheck %s --check-prefix=CALLS
// RUN: not jit-opt %s --jit-select-mode='unknown-share=1.5' 2>&1 | FileCheck %s --check-prefix=SHARE
// RUN: not jit-opt %s --jit-select-mode='max-variants=0' 2>&1 | FileCheck %s --check-prefix=VARIANTS
// RUN: not jit-opt %s --jit-select-mode='quantity=time_us' 2>&1 | FileCheck %s --check-prefix=QUANTITY
// RUN: not jit-opt %s --jit-select-mode='realtime function=nosuch' 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: not jit-opt %s --jit-assign-tiers='gamma=0' 2>&1 | FileCheck %s --check-prefix=GAMMA
// RUN: not jit-opt %s --jit-assign-tiers='alpha=2' 2>&1 | FileCheck %s --check-prefix=ALPHA
// RUN: not jit-opt %s --jit-assign-tiers='compile-ms-peak=inf' 2>&1 | FileCheck %s --check-prefix=COMPILE
// RUN: not jit-opt %s --jit-assign-tiers='tiers=baseline,fast' 2>&1 | FileCheck %s --check-prefix=TIERS
// RUN: not jit-opt %s --jit-print-shape-class='function=nosuch' 2>&1 | FileCheck %s --check-prefix=FUNCTION

// Options out of their range are refused by name.

// GAIN: error: jit-select-mode: gain-aot is 0, but must be from 1e-09 to 1e+15
// CALLS: error: jit-select-mode: calls is nan, but must be from 0 to 1e+15
// SHARE: error: jit-select-mode: unknown-share is 1.5, but must be from 0 to 1
// VARIANTS: error: jit-select-mode: max-variants is 0, but must be from 1 to 1e+15
// QUANTITY: error: jit-select-mode: quantity is 'time_us', but must be count or score
// FUNCTION: error: {{jit-(select-mode|print-shape-class)}}: there is no function '@nosuch' in this module
// GAMMA: error: jit-assign-tiers: gamma is 0, but must be from 1e-09 to 1e+15
// ALPHA: error: jit-assign-tiers: alpha is 2, but must be from 0 to 1
// COMPILE: error: jit-assign-tiers: compile-ms-peak is inf, but must be from 0 to 1e+15
// TIERS: error: jit-assign-tiers: tiers names 'fast', but must be of interpreter, baseline, optimized, peak
func.func @f() { return }
