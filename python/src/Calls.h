//===- Calls.h - Calls of functions with Python's arguments -----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All of it REQUIRES the GIL.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_PYTHON_CALLS_H
#define ANNEAL_PYTHON_CALLS_H

#include <Python.h>

#include "anneal-c/anneal.h"

namespace anneal::python {

/// Throws nanobind::python_error with anneal's exception for a failure, which it destroys; nothing
/// for null.
void check(AnnealFailure *failure);

/// Calls a function as Python does: `arguments` is a tuple of arrays, numbers and DLPack objects,
/// `keywords` a dict with `out` and `timeout`, or null. The GIL is free while the function runs. A
/// new reference: the result, a tuple of them, or None. Throws nanobind::python_error.
PyObject *callFunction(const AnnealFunction *function, PyObject *arguments, PyObject *keywords);

} // namespace anneal::python

#endif // ANNEAL_PYTHON_CALLS_H
