// RUN: jit-opt %s --jit-lower-unit-bodies=vector-width=12 --verify-diagnostics

// expected-error @+1 {{vectors can have 8 or 16 elements, not 12}}
module {
}
