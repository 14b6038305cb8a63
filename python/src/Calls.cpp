//===- Calls.cpp - Calls of functions with Python's arguments -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"

#include "Arrays.h"
#include "Interrupt.h"

#include "anneal/Support/Counted.h"

#include <nanobind/nanobind.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace anneal::python {
namespace {

using Clock = std::chrono::steady_clock;

struct TensorDeleter {
  void operator()(AnnealTensor *tensor) const { annealTensorDestroy(tensor); }
};
using TensorOwner = std::unique_ptr<AnnealTensor, TensorDeleter>;

/// What a call may be given by keyword; borrowed, null where it was not given.
struct Keywords {
  PyObject *out = nullptr;
  PyObject *timeout = nullptr;
};

Keywords readKeywords(const AnnealFunction *function, PyObject *keywords) {
  Keywords result;
  if (!keywords)
    return result;
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t position = 0; PyDict_Next(keywords, &position, &key, &value);) {
    if (PyUnicode_CompareWithASCIIString(key, "out") == 0)
      result.out = value;
    else if (PyUnicode_CompareWithASCIIString(key, "timeout") == 0)
      result.timeout = value;
    else
      throw nb::type_error((std::string("'") + annealFunctionName(function) +
                            "' takes no keyword '" + nb::cast<std::string>(nb::handle(key)) +
                            "'; arguments are passed by position, keywords are out and timeout")
                               .c_str());
  }
  if (result.out == Py_None)
    result.out = nullptr;
  if (result.timeout == Py_None)
    result.timeout = nullptr;
  return result;
}

/// One call; what it holds lives until its results are made.
class Call {
public:
  explicit Call(const AnnealFunction *function)
      : function(function), numArguments(annealFunctionNumArguments(function)),
        numResults(annealFunctionNumResults(function)) {}

  void readArguments(PyObject *arguments) {
    auto count = static_cast<size_t>(PyTuple_GET_SIZE(arguments));
    if (count != numArguments)
      throw nb::type_error(("'" + std::string(annealFunctionName(function)) + "' takes " +
                            std::to_string(numArguments) + " arguments, not " +
                            std::to_string(count) + ": " + signatureText(function))
                               .c_str());
    kept.reserve(numArguments);
    owners.reserve(numArguments + numResults);
    tensors.resize(numArguments + numResults);
    for (size_t i = 0; i < numArguments; ++i) {
      PyObject *value = PyTuple_GET_ITEM(arguments, static_cast<Py_ssize_t>(i));
      if (isDLPack(value)) {
        hold(i, dlpackTensor(function, i, false, value));
        continue;
      }
      kept.push_back(nb::steal(inputArray(function, i, value)));
      wrap(i, kept.back().ptr(), annealFunctionArgument(function, i)->dtype);
    }
  }

  /// `out`: an array, or a tuple or list of arrays and None; null: none.
  void readOutputs(PyObject *out) {
    given.assign(numResults, nullptr);
    if (!out)
      return;
    bool isMany = PyTuple_Check(out) || PyList_Check(out);
    auto count = static_cast<size_t>(isMany ? PySequence_Fast_GET_SIZE(out) : 1);
    if (count != numResults)
      throw nb::value_error(("out has " + anneal::counted(count, "array") + ", the function has " +
                             anneal::counted(numResults, "result"))
                                .c_str());
    for (size_t i = 0; i < count; ++i) {
      PyObject *one = isMany ? PySequence_Fast_GET_ITEM(out, static_cast<Py_ssize_t>(i)) : out;
      if (one == Py_None)
        continue;
      // A list may change while the GIL is free.
      kept.push_back(nb::borrow(one));
      given[i] = one;
      if (isDLPack(one)) {
        hold(numArguments + i, dlpackTensor(function, i, true, one));
        continue;
      }
      checkOutputArray(function, i, one);
      wrap(numArguments + i, one, annealFunctionResult(function, i)->dtype);
    }
  }

  /// `timeout`: seconds; null: none.
  void run(PyObject *timeout) {
    AnnealCallOptions options = ANNEAL_CALL_OPTIONS_INIT;
    std::optional<Clock::time_point> deadline = deadlineOf(timeout);
    for (;;) {
      if (deadline)
        options.timeoutNanoseconds = remaining(*deadline);
      AnnealFailure *failure;
      {
        InterruptScope interrupt;
        options.cancel = interrupt.token();
        nb::gil_scoped_release release;
        failure = annealFunctionCall(function, tensors.data(), numArguments,
                                     tensors.data() + numArguments, numResults, &options);
      }
      if (annealFailureCode(failure) != ANNEAL_CODE_CANCELLED) {
        takeResults(!failure);
        return check(failure);
      }
      annealFailureDestroy(failure);
      if (PyErr_CheckSignals() != 0)
        throw nb::python_error();
      // A handler that raises nothing lets the call go on: it begins again.
    }
  }

  PyObject *results() {
    if (numResults == 0)
      Py_RETURN_NONE;
    if (numResults == 1)
      return result(0);
    nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(numResults)));
    if (!tuple.is_valid())
      throw nb::python_error();
    for (size_t i = 0; i < numResults; ++i)
      PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), result(i));
    return tuple.release().ptr();
  }

private:
  void wrap(size_t place, PyObject *array, AnnealDType dtype) {
    hold(place, wrapArray(array, dtype));
  }
  void hold(size_t place, AnnealTensor *tensor) {
    owners.emplace_back(tensor);
    tensors[place] = tensor;
  }

  static std::optional<Clock::time_point> deadlineOf(PyObject *timeout) {
    if (!timeout)
      return std::nullopt;
    double seconds = PyFloat_AsDouble(timeout);
    if (seconds == -1 && PyErr_Occurred())
      throw nb::python_error();
    if (std::isnan(seconds))
      throw nb::value_error("timeout: expected seconds, got nan");
    // Some thirty years: what is longer does not fit the clock.
    constexpr double kNever = 1e9;
    if (seconds >= kNever)
      return std::nullopt;
    return Clock::now() +
           std::chrono::nanoseconds(static_cast<int64_t>(seconds <= 0 ? -1 : seconds * 1e9));
  }

  /// For AnnealCallOptions, where 0 means none.
  static int64_t remaining(Clock::time_point deadline) {
    int64_t left =
        std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - Clock::now()).count();
    return left > 0 ? left : -1;
  }

  /// Tensors that the call made belong to this object.
  void takeResults(bool ok) {
    made.resize(numResults);
    for (size_t i = 0; i < numResults && ok; ++i)
      if (!given[i])
        made[i].reset(tensors[numArguments + i]);
  }

  PyObject *result(size_t i) {
    if (given[i]) {
      Py_INCREF(given[i]);
      return given[i];
    }
    PyObject *array =
        resultArray(made[i].release(), annealFunctionResult(function, i)->isScalar != 0);
    if (!array)
      throw nb::python_error();
    return array;
  }

  const AnnealFunction *const function;
  const size_t numArguments, numResults;
  /// Arrays whose memory the call uses.
  std::vector<nb::object> kept;
  /// Handles on that memory, and of the results.
  std::vector<TensorOwner> owners, made;
  /// Inputs, then outputs.
  std::vector<AnnealTensor *> tensors;
  /// Arrays that were given for results, or null; in `kept`.
  std::vector<PyObject *> given;
};

} // namespace

void check(AnnealFailure *failure) {
  if (!failure)
    return;
  std::unique_ptr<AnnealFailure, void (*)(AnnealFailure *)> owner(failure, annealFailureDestroy);
  nb::object make = nb::module_::import_("anneal._errors").attr("error_of");
  nb::object error =
      make(static_cast<int>(annealFailureCode(failure)), annealFailureMessage(failure),
           annealFailureUnit(failure), annealFailureLocation(failure));
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

PyObject *callFunction(const AnnealFunction *function, PyObject *arguments, PyObject *keywords) {
  Keywords given = readKeywords(function, keywords);
  Call call(function);
  call.readArguments(arguments);
  call.readOutputs(given.out);
  call.run(given.timeout);
  return call.results();
}

} // namespace anneal::python
