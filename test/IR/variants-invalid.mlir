// RUN: jit-opt %s -split-input-file -verify-diagnostics

func.func @static_size(%a: tensor<8x4xf32>) -> i1 {
  // expected-error@+1 {{can never hold: dimension #1 of operand #0, a 'tensor<8x4xf32>', has no size that lies in #jit.shape_bucket<[?, exp2(3 ... 4)]>}}
  %0 = jit.guard %a in <[?, exp2(3 ... 4)]> : tensor<8x4xf32>
  return %0 : i1
}

// -----

func.func @two_sizes(%a: tensor<?x4xf32>) -> i1 {
  // expected-error@+1 {{can never hold: no size of dimension #0 of operand #1 lies both in #jit.shape_bucket<[8, ?]> and in #jit.shape_bucket<[16, ?]>}}
  %0 = jit.guard %a in <[8, ?]>, %a in <[16, ?]> : tensor<?x4xf32>, tensor<?x4xf32>
  return %0 : i1
}

// -----

func.func @size_and_bucket(%a: tensor<?xf32>) -> i1 {
  // expected-error@+1 {{no size of dimension #0 of operand #1 lies both in #jit.shape_bucket<[exp2(3 ... 4)]> and in #jit.shape_bucket<[exp2(4 ... 9/2)]>}}
  %0 = jit.guard %a in <[exp2(3 ... 4)]>, %a in <[exp2(4 ... 9/2)]> : tensor<?xf32>, tensor<?xf32>
  return %0 : i1
}

// -----

// Sizes of a dimension have 63 bits.
func.func @too_large(%a: tensor<?xf32>) -> i1 {
  // expected-error@+1 {{has no size that lies in #jit.shape_bucket<[exp2(63 ... 64)]>}}
  %0 = jit.guard %a in <[exp2(63 ... 64)]> : tensor<?xf32>
  return %0 : i1
}

// -----

func.func @other_rank(%a: tensor<?xf32>) -> i1 {
  // expected-error@+1 {{operand #0 is a 'tensor<?xf32>', but its bucket has 2 dimensions}}
  %0 = jit.guard %a in <[8, 8]> : tensor<?xf32>
  return %0 : i1
}

// -----

func.func @scalar(%a: f32) -> i1 {
  // expected-error@+1 {{operand #0 must be variadic of ranked tensor of any type values or memref of any type values}}
  %0 = jit.guard %a in <[]> : f32
  return %0 : i1
}

// -----

func.func @nothing() -> i1 {
  // expected-error@+1 {{guards nothing; it needs at least one operand}}
  %0 = "jit.guard"() <{buckets = []}> : () -> i1
  return %0 : i1
}

// -----

func.func @count(%a: tensor<?xf32>) -> i1 {
  // expected-error@+1 {{has 1 operands, but 0 buckets}}
  %0 = "jit.guard"(%a) <{buckets = []}> : (tensor<?xf32>) -> i1
  return %0 : i1
}

// -----

jit.unit private @u(%a: tensor<?xf32>) {
  jit.return
}
// expected-error@+1 {{names '@nowhere', which doesn't exist}}
jit.variant @u of @nowhere when (<[8]>)

// -----

jit.unit private @u(%a: tensor<?xf32>) {
  jit.return
}
// expected-error@+1 {{names '@nowhere', which doesn't exist}}
jit.variant @nowhere of @u when (<[8]>)

// -----

func.func private @f(tensor<?xf32>)
jit.unit private @u(%a: tensor<?xf32>) {
  jit.return
}
// expected-error@+1 {{names '@f', which is a 'func.func' and no jit.unit}}
jit.variant @f of @u when (<[8]>)

// -----

jit.unit private @u(%a: tensor<?xf32>) {
  jit.return
}
// expected-error@+1 {{says that '@u' is a variant of itself}}
jit.variant @u of @u when (<[8]>)

// -----

jit.unit private @u(%a: tensor<?xf32>) {
  jit.return
}
jit.unit private @v(%a: tensor<?xf32>) {
  jit.return
}
// expected-error@+1 {{guards 2 arguments, but '@u' has 1}}
jit.variant @v of @u when (<[8]>, any)

// -----

jit.unit private @u(%a: tensor<?xf32>) {
  jit.return
}
jit.unit private @v(%a: tensor<?xf32>, %b: f32) {
  jit.return
}
// expected-error@+1 {{'@v' takes 2 inputs and 0 destinations, but '@u' takes 1 and 0}}
jit.variant @v of @u when (<[8]>)

// -----

jit.unit private @u(%a: tensor<?x4xf32>) {
  jit.return
}
jit.unit private @v(%a: tensor<?x4xf32>) {
  jit.return
}
// expected-error@+1 {{its guard can never hold: dimension #1 of argument #0 of '@u', a 'tensor<?x4xf32>', has no size that lies in #jit.shape_bucket<[8, 5]>}}
jit.variant @v of @u when (<[8, 5]>)

// -----

jit.unit private @u(%a: tensor<?xf32>) {
  jit.return
}
jit.unit private @v(%a: tensor<8xf32>) {
  jit.return
}
// expected-error@+1 {{'@v' is for size 8 in dimension #0 of argument #0, but the guard lets others through}}
jit.variant @v of @u when (<[exp2(3 ... 4)]>)

// -----

jit.unit private @u(%a: tensor<?xf32>, %b: tensor<4xf32>) {
  jit.return
}
jit.unit private @v(%a: tensor<?xf32>, %b: tensor<?xf32>) {
  jit.return
}
// expected-error@+1 {{argument #1 of '@v' knows less of dimension #0 than that of '@u': 'tensor<?xf32>', 'tensor<4xf32>'}}
jit.variant @v of @u when (<[8]>, any)

// -----

jit.unit private @u(%a: tensor<?xf32>, %s: f32) {
  jit.return
}
jit.unit private @v(%a: tensor<?xf32>, %s: f64) {
  jit.return
}
// expected-error@+1 {{argument #1 is 'f64' in '@v', but 'f32' in '@u'}}
jit.variant @v of @u when (<[8]>, any)

// -----

jit.unit private @u(%a: tensor<?xf32>, %s: f32) {
  jit.return
}
jit.unit private @v(%a: tensor<?xf32>, %s: f32) {
  jit.return
}
// expected-error@+1 {{demands a shape of argument #1 of '@u', which is a scalar: write any}}
jit.variant @v of @u when (<[8]>, <[]>)

// -----

jit.unit private @u(%a: tensor<?x4xf32>) {
  jit.return
}
jit.unit private @v(%a: tensor<?x4xf32>) {
  jit.return
}
// expected-error@+1 {{its guard holds for every call of '@u', and so it specialises nothing}}
jit.variant @v of @u when (<[?, 4]>)

// -----

jit.unit private @u() {
  jit.return
}
jit.unit private @v() {
  jit.return
}
// expected-error@+1 {{its guard holds for every call of '@u'}}
jit.variant @v of @u when ()

// -----

jit.unit private @u(%a: tensor<?x4xf32>) {
  jit.return
}
jit.unit private @v(%a: tensor<8x4xf32>) {
  jit.return
}
jit.unit private @w(%a: tensor<?x4xf32>) {
  jit.return
}
// expected-note@+1 {{which is here}}
jit.variant @v of @u when (<[8, 4]>)
// The size 4 is known: the guards are the same.
// expected-error@+1 {{has the guard of another variant of '@u', '@v'}}
jit.variant @w of @u when (<[8, ?]>)

// -----

jit.unit private @u(%a: tensor<?xf32>) {
  jit.return
}
jit.unit private @v(%a: tensor<?xf32>) {
  jit.return
}
jit.unit private @w(%a: tensor<8xf32>) {
  jit.return
}
// expected-note@+1 {{by this}}
jit.variant @v of @u when (<[exp2(3 ... 4)]>)
// expected-error@+1 {{'@v' is itself a variant, of '@u'; name that one as the generic unit}}
jit.variant @w of @v when (<[8]>)

// -----

jit.unit private @u(%a: tensor<?xf32>, %o: tensor<4xf32> {jit.write_only}) -> tensor<4xf32> {
  jit.return %o : tensor<4xf32>
}
jit.unit private @v(%a: tensor<?xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  jit.return %o : tensor<4xf32>
}
// expected-error@+1 {{'@v' may read destination #0, which '@u' only writes}}
jit.variant @v of @u when (<[8]>, any)

// -----

jit.unit private @u(%a: tensor<?xf32>, %c: i1) {
  jit.return
}
jit.unit private @v(%a: tensor<?xf32>, %c: i1) {
  cf.assert %c, "must be"
  jit.return
}
// expected-error@+1 {{'@v' has effects, but '@u' has none}}
jit.variant @v of @u when (<[8]>, any)

// -----

jit.unit private @u(%a: tensor<?xf32>) {
  jit.return
}
// expected-error@+1 {{the guard of argument #0 must be a #jit.shape_bucket or a unit attribute for any shape, but is 8 : i64}}
"jit.variant"() <{code = @v, unit = @u, guard = [8]}> : () -> ()

// -----

// expected-error@+1 {{the bucket of dimension #0 holds no size}}
jit.variant @v of @u when (<[exp2(1/4 ... 1/2)]>)
