// RUN: jit-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{a profile needs at least one of calls, time_us, bytes, flops, shapes, branches, memory}}
func.func private @f() attributes {t.x = #jit.profile<>}

// -----

// expected-error@+1 {{unknown name 'count' in a profile; known are calls, time_us, bytes, flops, shapes, branches, memory}}
func.func private @f() attributes {t.x = #jit.profile<count = 3>}

// -----

// expected-error@+1 {{'calls' must not be negative, but is -3}}
func.func private @f() attributes {t.x = #jit.profile<calls = -3>}

// -----

// expected-error@+1 {{'time_us' must be finite and not negative, but is -1}}
func.func private @f() attributes {t.x = #jit.profile<time_us = -1>}

// -----

// expected-error@+1 {{'time_us' must be finite and not negative, but is INF}}
func.func private @f() attributes {t.x = #jit.profile<time_us = 0x7FF0000000000000>}

// -----

// expected-error@+1 {{'time_us' must be finite and not negative, but is nan}}
func.func private @f() attributes {t.x = #jit.profile<time_us = 0x7FF8000000000000>}

// -----

// expected-error@+1 {{branch #0 must be a share from 0 to 1, but is nan}}
func.func private @f() attributes {t.x = #jit.profile<branches = [0x7FF8000000000000]>}

// -----

// expected-error@+1 {{hexadecimal float constant out of range for type}}
func.func private @f() attributes {t.x = #jit.profile<time_us = 0x17FF8000000000000>}

// -----

// expected-error@+1 {{integer value too large}}
func.func private @f() attributes {t.x = #jit.profile<bytes = 9223372036854775808>}

// -----

// expected-error@+1 {{'calls' is given twice}}
func.func private @f() attributes {t.x = #jit.profile<calls = 3, calls = 3>}

// -----

// expected-error@+1 {{the count of shape #0 must be positive, but is 0}}
func.func private @f() attributes {t.x = #jit.profile<shapes = [([8]) : 0]>}

// -----

// expected-error@+1 {{the counts of 'shapes' add up to more than 64 bits}}
func.func private @f() attributes {t.x = #jit.profile<shapes = [([8]) : 9223372036854775807, ([9]) : 1]>}

// -----

// expected-error@+1 {{the counts of 'shapes' add up to 5, but there were 4 calls}}
func.func private @f() attributes {t.x = #jit.profile<calls = 4, shapes = [([8]) : 3, ([9]) : 2]>}

// -----

// expected-error@+1 {{size -8 of argument #1 in shape #0 is negative}}
func.func private @f() attributes {t.x = #jit.profile<shapes = [([], [-8]) : 3]>}

// -----

// expected-error@+1 {{shape #1 is given twice}}
func.func private @f() attributes {t.x = #jit.profile<shapes = [([8]) : 3, ([8]) : 2]>}

// -----

// expected-error@+1 {{shape #1 has 2 arguments, but shape #0 has 1}}
func.func private @f() attributes {t.x = #jit.profile<shapes = [([8]) : 3, ([8], []) : 2]>}

// -----

// expected-error@+1 {{branch #1 must be a share from 0 to 1, but is 1.5}}
func.func private @f() attributes {t.x = #jit.profile<branches = [0.5, 1.5]>}

// -----

// expected-error@+1 {{'memory' must be a list of #jit.access}}
func.func private @f() attributes {t.x = #jit.profile<memory = [3]>}

// -----

// expected-error@+1 {{an access needs at least one of contiguity, alignment, strides}}
func.func private @f() attributes {t.x = #jit.access<>}

// -----

// expected-error@+1 {{'contiguity' must be a share from 0 to 1, but is -5.000000e-01}}
func.func private @f() attributes {t.x = #jit.access<contiguity = -0.5>}

// -----

// expected-error@+1 {{'alignment' must be a power of two, but is 48}}
func.func private @f() attributes {t.x = #jit.access<alignment = 48>}

// -----

// expected-error@+1 {{'jit.profile' must be a #jit.profile, but is 3 : i64}}
func.func private @f() attributes {jit.profile = 3}

// -----

// expected-error@+1 {{shape #0 of 'jit.profile' has sizes of 1 arguments, but the unit has 2}}
jit.unit @u(%a: tensor<?xf32>, %s: f32) attributes {jit.profile = #jit.profile<shapes = [([8]) : 3]>} {
  jit.return
}

// -----

// expected-error@+1 {{shape #1 of 'jit.profile' doesn't fit argument #0, which is 'tensor<?x4xf32>'}}
jit.unit @u(%a: tensor<?x4xf32>) attributes {jit.profile = #jit.profile<shapes = [([8, 4]) : 3, ([8, 5]) : 1]>} {
  jit.return
}

// -----

// expected-error@+1 {{'jit.profile' describes the memory of 2 arguments, but the unit has 1}}
jit.unit @u(%a: tensor<?x4xf32>) attributes {jit.profile = #jit.profile<memory = [#jit.access<alignment = 4>, #jit.access<alignment = 4>]>} {
  jit.return
}
