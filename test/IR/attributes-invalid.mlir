// RUN: jit-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{a hotness needs at least one of count, time_us, bytes, flops, score}}
func.func private @f() attributes {t.x = #jit.hotness<>}

// -----

// expected-error@+1 {{unknown name 'calls' in a hotness; known are count, time_us, bytes, flops, score}}
func.func private @f() attributes {t.x = #jit.hotness<calls = 3>}

// -----

// expected-error@+1 {{'count' is given twice}}
func.func private @f() attributes {t.x = #jit.hotness<count = 3, count = 4>}

// -----

// expected-error@+1 {{'count' must not be negative, but is -1}}
func.func private @f() attributes {t.x = #jit.hotness<count = -1>}

// -----

// expected-error@+1 {{'time_us' must be finite and not negative, but is -3.5}}
func.func private @f() attributes {t.x = #jit.hotness<time_us = -3.5>}

// -----

// expected-error@+1 {{integer value too large}}
func.func private @f() attributes {t.x = #jit.hotness<bytes = 9223372036854775808>}

// -----

// expected-error@+1 {{expected a size, a bucket such as exp2(4 ... 5), or '?'}}
func.func private @f() attributes {t.x = #jit.shape_bucket<[large]>}

// -----

// expected-error@+1 {{size -1 of dimension #1 is negative}}
func.func private @f() attributes {t.x = #jit.shape_bucket<[8, -1]>}

// -----

// expected-error@+1 {{the exponents of a bucket must rise}}
func.func private @f() attributes {t.x = #jit.shape_bucket<[exp2(5 ... 9/2)]>}

// -----

// expected-error@+1 {{the exponents of a bucket must be neighbouring multiples of one step; they differ by 2/1}}
func.func private @f() attributes {t.x = #jit.shape_bucket<[exp2(3 ... 5)]>}

// -----

// expected-error@+1 {{an exponent has the denominator 0}}
func.func private @f() attributes {t.x = #jit.shape_bucket<[exp2(3 ... 4/0)]>}

// -----

// expected-error@+1 {{the exponents of a bucket must not exceed 64, and their difference must be a fraction with a denominator of at most 64}}
func.func private @f() attributes {t.x = #jit.shape_bucket<[exp2(0 ... 65)]>}

// -----

// expected-error@+1 {{the exponents of a bucket must not exceed 64, and their difference must be a fraction with a denominator of at most 64}}
func.func private @f() attributes {t.x = #jit.shape_bucket<[exp2(4 ... 261/65)]>}

// -----

// expected-error@+1 {{the bucket of dimension #0 holds no size}}
func.func private @f() attributes {t.x = #jit.shape_bucket<[exp2(1/4 ... 1/2)]>}

// -----

// expected-error@+1 {{the bucket of dimension #0 holds no size}}
func.func private @f() attributes {t.x = #jit.shape_bucket<[exp2(64 ... 65)]>}

// -----

// expected-error@+1 {{unknown tier 'fast'; known are interpreter, baseline, optimized, peak}}
func.func private @f() attributes {t.x = #jit.tier<fast>}

// -----

// expected-error@+1 {{unknown mode 'both'; known are aot, jit}}
func.func private @f() attributes {t.x = #jit.mode<both>}

// -----

// expected-error@+1 {{a schedule needs at least one named list of integers}}
func.func private @f() attributes {t.x = #jit.schedule<>}

// -----

// expected-error@+1 {{'tile' is given twice}}
func.func private @f() attributes {t.x = #jit.schedule<tile = 4, tile = 8>}

// -----

// expected-error@+1 {{'tile' is empty}}
func.func private @f() attributes {t.x = #jit.schedule<tile = []>}

// -----

// expected-error@+1 {{'tile' must not hold negative numbers, but holds -8}}
func.func private @f() attributes {t.x = #jit.schedule<tile = [4, -8]>}

// -----

// expected-error@+1 {{'jit.hotness' must be a #jit.hotness, but is 3 : i64}}
func.func private @f() attributes {jit.hotness = 3 : i64}

// -----

// expected-error@+1 {{'jit.mode' must be a #jit.mode, but is "jit"}}
func.func private @f() attributes {jit.mode = "jit"}

// -----

// expected-error@+1 {{'jit.schedule' must be a #jit.schedule, but is {tile = 4 : i64}}}
func.func private @f() attributes {jit.schedule = {tile = 4}}

// -----

// expected-error@+1 {{'jit.tier' must be a #jit.tier, but is #jit.mode<jit>}}
func.func private @f() attributes {jit.tier = #jit.mode<jit>}

// -----

// expected-error@+1 {{'jit.shape_bucket' belongs on an argument}}
func.func private @f() attributes {jit.shape_bucket = #jit.shape_bucket<[]>}

// -----

// expected-error@+1 {{a jit.unit has 'tier', without the prefix, in place of 'jit.tier'}}
jit.unit @unit() attributes {jit.tier = #jit.tier<peak>} {
  jit.return
}

// -----

// expected-error@+1 {{'jit.unit' op attribute 'tier' failed to satisfy constraint: How far a unit is compiled (T0 to T3)}}
jit.unit @unit() attributes {tier = "peak"} {
  jit.return
}

// -----

// expected-error@+1 {{'jit.write_only' of argument #0 takes no value}}
jit.unit @unit(%o: tensor<4xf32> {jit.write_only = true}) -> tensor<4xf32> {
  jit.return %o : tensor<4xf32>
}

// -----

// expected-error@+1 {{'jit.write_only' stands on argument #0, which is no destination of a jit.unit}}
jit.unit @unit(%a: tensor<4xf32> {jit.write_only}, %o: tensor<4xf32>) -> tensor<4xf32> {
  jit.return %o : tensor<4xf32>
}

// -----

// expected-error@+1 {{'jit.write_only' stands on argument #0, which is no destination of a jit.unit}}
func.func private @f(tensor<4xf32> {jit.write_only}) -> tensor<4xf32>

// -----

// expected-error@+1 {{'jit.shape_bucket' of argument #0 must be a #jit.shape_bucket, but is "small"}}
func.func private @f(tensor<4xf32> {jit.shape_bucket = "small"})

// -----

// expected-error@+1 {{'jit.shape_bucket' stands on argument #0, which is no ranked tensor}}
func.func private @f(f32 {jit.shape_bucket = #jit.shape_bucket<[]>})

// -----

// expected-error@+1 {{'jit.shape_bucket' of argument #0 has 1 dimensions, but the argument is a 'tensor<?x4xf32>'}}
func.func private @f(tensor<?x4xf32> {jit.shape_bucket = #jit.shape_bucket<[?]>})

// -----

// expected-error@+1 {{'jit.shape_bucket' of argument #0 leaves out size 4 of dimension #1}}
func.func private @f(tensor<?x4xf32> {jit.shape_bucket = #jit.shape_bucket<[?, exp2(3 ... 4)]>})

// -----

// Names written wrong, which nothing would read.

// expected-error@+1 {{'jit.hotnes' is no attribute of an operation; there is jit.cost, jit.cost_dims, jit.critical_path_us, jit.fusion, jit.fusion_group, jit.hotness, jit.loop_unit, jit.mode, jit.profile, jit.schedule, jit.shape_class, jit.sparsity, jit.tier}}
func.func private @f() attributes {jit.hotnes = #jit.hotness<count = 3>}

// -----

// expected-error@+1 {{'jit.tier' is no attribute of an argument; there is jit.shape_bucket, jit.write_only}}
func.func private @f(tensor<4xf32> {jit.tier = #jit.tier<baseline>})

// -----

// expected-error@+1 {{'jit.shape_bucket' stands on a result, which has no attributes of this dialect}}
func.func private @f() -> (tensor<4xf32> {jit.shape_bucket = #jit.shape_bucket<[?]>})
