//===- Arrays.h - NumPy arrays and tensors ----------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All of it REQUIRES the GIL.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_PYTHON_ARRAYS_H
#define ANNEAL_PYTHON_ARRAYS_H

#include <Python.h>

#include "anneal-c/anneal.h"

#include <string>

namespace anneal::python {

/// Makes NumPy's C interface ready; false with a Python error set.
bool initArrays();

/// "(x: float32[?, 4], i: int64) -> float32[?]".
std::string signatureText(const AnnealFunction *function);

/// Whether `value` is to be passed by its __dlpack__: it has one, and is no NumPy array.
bool isDLPack(PyObject *value);

/// A tensor over the memory of a DLPack object, of the type and rank of argument `index`, or of
/// that result if `isResult`. Throws nanobind::python_error, as inputArray does.
AnnealTensor *dlpackTensor(const AnnealFunction *function, size_t index, bool isResult,
                           PyObject *value);

/// What is passed for argument `index`, as an array that can be wrapped: itself, or a copy where
/// its layout does not allow that. Takes arrays and numbers. Throws
/// nanobind::python_error (TypeError for a wrong type, ValueError for a wrong form).
PyObject *inputArray(const AnnealFunction *function, size_t index, PyObject *value);

/// Throws nanobind::python_error unless `value` is an array that result `index` can be written to.
void checkOutputArray(const AnnealFunction *function, size_t index, PyObject *value);

/// A tensor over the memory of an array of that type, which the caller keeps alive.
AnnealTensor *wrapArray(PyObject *array, AnnealDType dtype);

/// An array over a tensor, which it takes; a NumPy scalar if `isScalar`. Null with a Python error
/// set.
PyObject *resultArray(AnnealTensor *tensor, bool isScalar);

} // namespace anneal::python

#endif // ANNEAL_PYTHON_ARRAYS_H
