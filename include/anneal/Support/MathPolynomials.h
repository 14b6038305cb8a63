//===- MathPolynomials.h - Coefficients of math functions -------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Minimax polynomials behind the transcendental functions of every tier (DESIGN.md D4), lowest
// power first. Printed by utils/fit_polynomials.py: change them there. How they are used, and the
// error of the whole functions, stands in docs/Numerics.md.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_SUPPORT_MATHPOLYNOMIALS_H
#define ANNEAL_SUPPORT_MATHPOLYNOMIALS_H

namespace anneal::polynomials {

/// exp(r) = 1 + r + r^2 P(r); relative error of exp(r):
/// 3.5e-9 on [-0.35004, 0.35004], degree 4.
inline constexpr float kExpF32[] = {0x1.fffffcp-2f, 0x1.555482p-3f, 0x1.555824p-5f, 0x1.124568p-7f,
                                    0x1.6b14c4p-10f};

/// 2^r = 1 + r P(r); relative error of 2^r:
/// 5.24e-9 on [-0.5001, 0.5001], degree 5.
inline constexpr float kExp2F32[] = {0x1.62e432p-1f, 0x1.ebfbe6p-3f,  0x1.c6ada6p-5f,
                                     0x1.3b21cap-7f, 0x1.5fbfa4p-10f, 0x1.4bc82ep-13f};

/// log(1 + f) = f - f^2/2 + f^3 P(f); relative error of log(1 + f):
/// 5.85e-9 on [-0.29289, 0.41421], degree 7.
inline constexpr float kLogF32[] = {0x1.555554p-2f,  -0x1.000228p-2f, 0x1.99a034p-3f,
                                    -0x1.547232p-3f, 0x1.22d688p-3f,  -0x1.0d8212p-3f,
                                    0x1.0570d2p-3f,  -0x1.38f92cp-4f};

/// log2(1 + f) = f (c + d) + f^2 P(f), c = log2(e) in f32, d = log2(e) - c; relative error of
/// log2(1 + f):
/// 4.61e-9 on [-0.29289, 0.41421], degree 8.
inline constexpr float kLog2F32[] = {-0x1.71547p-1f,  0x1.ec7094p-2f,  -0x1.715af8p-2f,
                                     0x1.277f4ep-2f,  -0x1.eaa516p-3f, 0x1.a2c61ep-3f,
                                     -0x1.87c8e4p-3f, 0x1.7f4c2p-3f,   -0x1.c575d6p-4f};

/// tanh(x) = x + x^3 P(x^2), |x| <= 0.625; relative error of tanh(x):
/// 4.52e-9 on [1.0e-6, 0.39062], degree 4.
inline constexpr float kTanhF32[] = {-0x1.555532p-2f, 0x1.1106f6p-3f, -0x1.b835a4p-5f,
                                     0x1.51f8cep-6f, -0x1.750ce2p-8f};

/// erf(x) = x + x P(x^2), |x| <= 1; relative error of erf(x):
/// 1.42e-9 on [1.0e-12, 1.0], degree 6.
inline constexpr float kErfF32[] = {0x1.06eba8p-3f,  -0x1.81273ep-2f, 0x1.ce2ce6p-4f,
                                    -0x1.b7f71ap-6f, 0x1.53f224p-8f,  -0x1.a3515ep-11f,
                                    0x1.4771fcp-14f};

/// erfc(x) = 2^P(x), 1 <= x <= 4; absolute error of erfc(x):
/// 1.08e-9 on [0.99, 4.0], degree 6.
inline constexpr float kErfTailF32[] = {-0x1.f788fcp-12f, -0x1.a047a2p+0f, -0x1.d755c2p-1f,
                                        -0x1.30c30cp-3f,  0x1.024dd2p-5f,  -0x1.171558p-8f,
                                        0x1.1a886ep-12f};

/// exp(r) = 1 + r + r^2 P(r); relative error of exp(r):
/// 4.18e-18 on [-0.35004, 0.35004], degree 9.
inline constexpr double kExpF64[] = {
    0x1.000000000000bp-1,  0x1.55555555554fap-3,  0x1.555555554ffaep-5,  0x1.111111112695dp-7,
    0x1.6c16c1862dc59p-10, 0x1.a01a01367c807p-13, 0x1.a01994646a068p-16, 0x1.71defd6abbd7ap-19,
    0x1.28b2d2a60accfp-22, 0x1.add2339f6c80cp-26};

/// 2^r = 1 + r P(r); relative error of 2^r:
/// 1.07e-18 on [-0.5001, 0.5001], degree 11.
inline constexpr double kExp2F64[] = {
    0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58ep-3,  0x1.c6b08d704a1c3p-5,  0x1.3b2ab6fba526ap-7,
    0x1.5d87fe7879ed2p-10, 0x1.430912f6d840cp-13, 0x1.ffcbfd2519134p-17, 0x1.62c02a319c7adp-20,
    0x1.b5238bf4d46cbp-24, 0x1.e4acf230f8db2p-28, 0x1.ebd9568dfcb5cp-32, 0x1.f91bf986758cap-36};

/// log((1 + s)/(1 - s)) = 2 s + s^3 P(s^2), |s| <= 3 - 2 sqrt(2); relative error of the logarithm:
/// 1.23e-18 on [1.0e-12, 0.029437], degree 6.
inline constexpr double kLogF64[] = {
    0x1.5555555555592p-1, 0x1.999999997ff65p-2, 0x1.24924941db1fep-2, 0x1.c71c521a3ed57p-3,
    0x1.74663b9b37a48p-3, 0x1.39a20c7bf23ecp-3, 0x1.2f0248cf3f6d2p-3};

/// sin(r) = r + r^3 P(r^2), |r| <= pi/4; relative error of sin(r):
/// 3.75e-18 on [1.0e-12, 0.61842], degree 5.
inline constexpr double kSinF64[] = {-0x1.5555555555548p-3,  0x1.111111110f731p-7,
                                     -0x1.a01a019be95c5p-13, 0x1.71de355575cdap-19,
                                     -0x1.ae5e4bd28245bp-26, 0x1.5d8b73239312ap-33};

/// cos(r) = 1 - r^2/2 + r^4 P(r^2), |r| <= pi/4; relative error of cos(r):
/// 5.83e-20 on [1.0e-12, 0.61842], degree 5.
inline constexpr double kCosF64[] = {0x1.555555555554bp-5,  -0x1.6c16c16c15p-10,
                                     0x1.a01a019c8bac9p-16, -0x1.27e4f7ee4a16fp-22,
                                     0x1.1ee9d92a40223p-29, -0x1.8fa4f8a87b45ap-37};

/// asin(x) = x + x^3 P(x^2), |x| <= 1/2, in f64 for f32 results; relative error of asin(x):
/// 5.96e-14 on [1.0e-12, 0.25], degree 8.
inline constexpr double kAsin[] = {
    0x1.555555565aadp-3,  0x1.333331f25a749p-4,  0x1.6db762b8d78d9p-5,
    0x1.f1ab42a8d543cp-6, 0x1.7027f235b53b7p-6,  0x1.0e113ae66cfb5p-6,
    0x1.30dad1ed37f6fp-6, -0x1.6ffbf45ecaccbp-9, 0x1.057011570c4cbp-5};

/// atan(x) = x + x^3 P(x^2), |x| <= 1, in f64 for f32 results; relative error of atan(x):
/// 2.54e-13 on [1.0e-12, 1.0], degree 13.
inline constexpr double kAtan[] = {
    -0x1.555555540b26fp-2,  0x1.999998a6cd79fp-3, -0x1.249229b6d5a9fp-3, 0x1.c7184dd28ca55p-4,
    -0x1.74334faefe7a9p-4,  0x1.39ff5696d213dp-4, -0x1.0c1b899d80319p-4, 0x1.c0f4eefd75c2bp-5,
    -0x1.5dc5eceb6eea2p-5,  0x1.d8b07fb991bc9p-6, -0x1.fee133db0c7bp-7,  0x1.9194e38a92ddap-8,
    -0x1.90457454ef723p-10, 0x1.77472436830cep-13};

/// erfc(x) exp(x^2) = P(t), t = (x - 3)/(x + 3), 0 <= x <= 10.1, in f64 for f32 results; relative
/// error of erfc(x):
/// 9.36e-11 on [-1.0, 0.54198], degree 13.
inline constexpr double kErfcx[] = {
    0x1.6e9827d21a7b7p-3,   -0x1.4e102b9dd0eb1p-2, 0x1.f6ff204e44ac3p-3,  -0x1.336ffb9686c3bp-3,
    0x1.258b10842061dp-4,   -0x1.8fa5ba2ad3db1p-6, 0x1.17ca47e83b42ap-8,  0x1.73357a8cf7871p-11,
    -0x1.3952601274947p-11, 0x1.7273ab4bbe7dfp-15, 0x1.1156b4aeccac7p-14, -0x1.5a11d75833a45p-17,
    -0x1.1a8f1a3248bbep-17, -0x1.65dd77803a4acp-21};

} // namespace anneal::polynomials

#endif // ANNEAL_SUPPORT_MATHPOLYNOMIALS_H
