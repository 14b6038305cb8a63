#!/usr/bin/env python3
#===- fit_polynomials.py - Fits the polynomials of MathPolynomials.h -----------------------------===#
#
# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------===#
"""Fits the polynomials of the transcendental functions and prints MathPolynomials.h.

    pip install mpmath
    utils/fit_polynomials.py | clang-format > include/anneal/Support/MathPolynomials.h

Each polynomial is a minimax fit (Remez' exchange algorithm, 60 digits). Coefficients are rounded to the
type in which they are used one after the other, from the lowest, and those that are left are fitted
again after each: the error that is printed is that of the rounded polynomial, evaluated exactly.
"""

import sys
from mpmath import mp, mpf

mp.dps = 60


class Fit:
    """A polynomial P(t) with `count` coefficients that approximates `function` on [low, high].

    `weight(t)` turns the error of P into the error of what it is used for. `bits` is 24 or 53.
    """

    def __init__(self, name, text, function, low, high, count, weight, bits):
        self.name, self.text, self.function = name, text, function
        self.low, self.high, self.count = mpf(low), mpf(high), count
        self.weight, self.bits = weight, bits

    def grid(self, points):
        """Chebyshev points: dense at the ends, where the error of a minimax fit is steep."""
        middle, radius = (self.low + self.high) / 2, (self.high - self.low) / 2
        return [middle - radius * mp.cos(mp.pi * (2 * i + 1) / (2 * points)) for i in range(points)]

    def run(self):
        """Returns the rounded coefficients and the largest weighted error."""
        points = self.grid(40 * (self.count + 1))
        values = [self.function(t) for t in points]
        weights = [self.weight(t) for t in points]
        fixed = []
        while len(fixed) < self.count:
            rest = [v - evaluate(fixed, t) for v, t in zip(values, points)]
            free = exchange(points, rest, weights, len(fixed), self.count - len(fixed))
            fixed.append(round_to(free[0], self.bits))
        error = max(abs(w * (evaluate(fixed, t) - v)) for t, v, w in zip(points, values, weights))
        return fixed, error


def evaluate(coefficients, t):
    result = mpf(0)
    for c in reversed(coefficients):
        result = result * t + c
    return result


def round_to(x, bits):
    """x with `bits` significant bits, to nearest."""
    if x == 0:
        return mpf(0)
    mantissa, exponent = mp.frexp(x)
    return mp.ldexp(mp.nint(mp.ldexp(mantissa, bits)), exponent - bits)


def exchange(points, values, weights, lowest, count):
    """Minimax fit of sum c_j t^(lowest + j), j < count, to `values` on the grid."""
    reference = [round(i * (len(points) - 1) / count) for i in range(count + 1)]
    for _ in range(40):
        matrix = mp.matrix(count + 1, count + 1)
        right = mp.matrix(count + 1, 1)
        for row, i in enumerate(reference):
            for j in range(count):
                matrix[row, j] = points[i] ** (lowest + j)
            matrix[row, count] = (-1) ** row / weights[i]
            right[row] = values[i]
        solution = mp.lu_solve(matrix, right)
        coefficients = [solution[j] for j in range(count)]
        level = abs(solution[count])
        errors = [w * (t ** lowest * evaluate(coefficients, t) - v)
                  for t, v, w in zip(points, values, weights)]
        reference = alternate(errors, count + 1)
        if max(abs(e) for e in errors) <= level * mpf("1.001"):
            break
    return coefficients


def alternate(errors, wanted):
    """Indices of `wanted` extrema of the error, of alternating sign, the largest kept."""
    extrema = []
    for i, e in enumerate(errors):
        if extrema and (e > 0) == (errors[extrema[-1]] > 0):
            if abs(e) > abs(errors[extrema[-1]]):
                extrema[-1] = i
        else:
            extrema.append(i)
    while len(extrema) > wanted:
        if len(extrema) - wanted == 1 or wanted < 2:
            extrema.pop(0 if abs(errors[extrema[0]]) < abs(errors[extrema[-1]]) else -1)
            continue
        weakest = min(range(len(extrema)), key=lambda k: abs(errors[extrema[k]]))
        if 0 < weakest < len(extrema) - 1:  # its neighbours have one sign: keep the larger
            left, right = extrema[weakest - 1], extrema[weakest + 1]
            keep = left if abs(errors[left]) > abs(errors[right]) else right
            extrema[weakest - 1:weakest + 2] = [keep]
        else:
            extrema.pop(weakest)
    return extrema


def at_zero(function, limit):
    """`function`, with its limit where its formula is 0/0."""
    return lambda t: mpf(limit) if t == 0 else function(t)


def sqrt_argument(function):
    """For series in t = x^2."""
    return lambda t: function(mp.sqrt(t))


LN2 = mp.log(2)
HALF_LN2 = LN2 / 2
ROOT2 = mp.sqrt(2)
ERFC_CENTRE = mpf(3)


def erfcx_of(t):
    """erfc(x) e^(x^2), where t = (x - c)/(x + c)."""
    x = ERFC_CENTRE * (1 + t) / (1 - t)
    return mp.erfc(x) * mp.exp(x * x)


def fits():
    exp_rest = lambda r: (mp.exp(r) - 1 - r) / r**2
    exp_weight = lambda r: r**2 / mp.exp(r)
    exp2_rest = lambda r: (mp.power(2, r) - 1) / r
    exp2_weight = lambda r: r / mp.power(2, r)
    log_rest = lambda f: (mp.log1p(f) - f + f * f / 2) / f**3
    log2_rest = lambda f: (mp.log1p(f) - f) / LN2 / f**2
    atanh_rest = lambda s: (2 * mp.atanh(s) - 2 * s) / s**3
    reduced = mp.pi / 4 + mpf("0.001")
    yield Fit("kExpF32", "exp(r) = 1 + r + r^2 P(r); relative error of exp(r)", exp_rest,
              -HALF_LN2 * 1.01, HALF_LN2 * 1.01, 5, exp_weight, 24)
    yield Fit("kExp2F32", "2^r = 1 + r P(r); relative error of 2^r", exp2_rest,
              -0.5001, 0.5001, 6, exp2_weight, 24)
    yield Fit("kLogF32", "log(1 + f) = f - f^2/2 + f^3 P(f); relative error of log(1 + f)", log_rest,
              1 / ROOT2 - 1, ROOT2 - 1, 8, lambda f: f**3 / mp.log1p(f), 24)
    yield Fit("kLog2F32", "log2(1 + f) = f (c + d) + f^2 P(f), c = log2(e) in f32, d = log2(e) - c; relative "
              "error of\n/// log2(1 + f)", log2_rest,
              1 / ROOT2 - 1, ROOT2 - 1, 9, lambda f: f * f / (mp.log1p(f) / LN2), 24)
    yield Fit("kTanhF32", "tanh(x) = x + x^3 P(x^2), |x| <= 0.625; relative error of tanh(x)",
              sqrt_argument(lambda x: (mp.tanh(x) - x) / x**3), mpf("1e-6"), mpf("0.625")**2, 5,
              sqrt_argument(lambda x: x**3 / mp.tanh(x)), 24)
    yield Fit("kErfF32", "erf(x) = x + x P(x^2), |x| <= 1; relative error of erf(x)",
              sqrt_argument(lambda x: mp.erf(x) / x - 1), mpf("1e-12"), 1, 7,
              sqrt_argument(lambda x: x / mp.erf(x)), 24)
    yield Fit("kErfTailF32", "erfc(x) = 2^P(x), 1 <= x <= 4; absolute error of erfc(x)",
              lambda x: mp.log(mp.erfc(x)) / LN2, mpf("0.99"), 4, 7, lambda x: mp.erfc(x) * LN2, 24)
    yield Fit("kExpF64", "exp(r) = 1 + r + r^2 P(r); relative error of exp(r)", exp_rest,
              -HALF_LN2 * 1.01, HALF_LN2 * 1.01, 10, exp_weight, 53)
    yield Fit("kExp2F64", "2^r = 1 + r P(r); relative error of 2^r", exp2_rest,
              -0.5001, 0.5001, 12, exp2_weight, 53)
    yield Fit("kLogF64", "log((1 + s)/(1 - s)) = 2 s + s^3 P(s^2), |s| <= 3 - 2 sqrt(2); relative error of "
              "the logarithm", sqrt_argument(atanh_rest), mpf("1e-12"), (3 - 2 * ROOT2)**2, 7,
              sqrt_argument(lambda s: s**3 / (2 * mp.atanh(s))), 53)
    yield Fit("kSinF64", "sin(r) = r + r^3 P(r^2), |r| <= pi/4; relative error of sin(r)",
              sqrt_argument(lambda r: (mp.sin(r) - r) / r**3), mpf("1e-12"), reduced**2, 6,
              sqrt_argument(lambda r: r**3 / mp.sin(r)), 53)
    yield Fit("kCosF64", "cos(r) = 1 - r^2/2 + r^4 P(r^2), |r| <= pi/4; relative error of cos(r)",
              sqrt_argument(lambda r: (mp.cos(r) - 1 + r * r / 2) / r**4), mpf("1e-12"), reduced**2, 6,
              sqrt_argument(lambda r: r**4 / mp.cos(r)), 53)
    yield Fit("kAsin", "asin(x) = x + x^3 P(x^2), |x| <= 1/2, in f64 for f32 results; relative error of "
              "asin(x)", sqrt_argument(lambda x: (mp.asin(x) - x) / x**3), mpf("1e-12"), 0.25, 9,
              sqrt_argument(lambda x: x**3 / mp.asin(x)), 53)
    yield Fit("kAtan", "atan(x) = x + x^3 P(x^2), |x| <= 1, in f64 for f32 results; relative error of "
              "atan(x)", sqrt_argument(lambda x: (mp.atan(x) - x) / x**3), mpf("1e-12"), 1, 14,
              sqrt_argument(lambda x: x**3 / mp.atan(x)), 53)
    yield Fit("kErfcx", "erfc(x) exp(x^2) = P(t), t = (x - 3)/(x + 3), 0 <= x <= 10.1, in f64 for f32 "
              "results; relative\n/// error of erfc(x)", erfcx_of, -1, mpf("7.1") / mpf("13.1"), 14,
              lambda t: 1 / erfcx_of(t), 53)


def number(x, bits):
    """C++ spelling that reads back as exactly x."""
    mantissa, exponent = float(x).hex().split("p")
    return mantissa.rstrip("0") + "p" + exponent + ("f" if bits == 24 else "")


HEADER = """\
//===- MathPolynomials.h - Coefficients of math functions -------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Minimax polynomials behind the transcendental functions of every tier (DESIGN.md D4), lowest power
// first. Printed by utils/fit_polynomials.py: change them there. How they are used, and the error of the
// whole functions, stands in docs/Numerics.md.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_SUPPORT_MATHPOLYNOMIALS_H
#define ANNEAL_SUPPORT_MATHPOLYNOMIALS_H

namespace anneal::polynomials {
"""

FOOTER = """\
} // namespace anneal::polynomials

#endif // ANNEAL_SUPPORT_MATHPOLYNOMIALS_H"""


def main():
    print(HEADER)
    for fit in fits():
        coefficients, error = fit.run()
        kind = "float" if fit.bits == 24 else "double"
        print(f"{fit.name}: {mp.nstr(error, 3)} = 2^{mp.nstr(mp.log(error, 2), 4)}", file=sys.stderr)
        print(f"/// {fit.text}:\n/// {mp.nstr(error, 3)} on [{mp.nstr(fit.low, 5)}, "
              f"{mp.nstr(fit.high, 5)}], degree {fit.count - 1}.")
        print(f"inline constexpr {kind} {fit.name}[] = {{")
        spelled = [number(c, fit.bits) for c in coefficients]
        for i in range(0, len(spelled), 4 if fit.bits == 24 else 3):
            row = spelled[i:i + (4 if fit.bits == 24 else 3)]
            print("    " + ", ".join(row) + ("," if i + len(row) < len(spelled) else ""))
        print("};\n")
    print(FOOTER)


if __name__ == "__main__":
    main()
