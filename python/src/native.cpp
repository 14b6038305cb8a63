//===- native.cpp - Functions of a program, called with NumPy arrays ------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The module anneal._native: handles of the C interface as Python objects. What users see is built
// on it in python/anneal/_runtime.py.
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"
#include "Interrupt.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace anneal::python {
namespace {

/// Raises anneal's exception for a failure.
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

class Engine {
public:
  Engine(uint32_t threads, const std::string &tiers, const std::string &policy,
         uint32_t compileThreads, double compileShare, bool deterministic) {
    AnnealEngineOptions options = ANNEAL_ENGINE_OPTIONS_INIT;
    options.threads = threads;
    options.tiers = tiers.empty() ? nullptr : tiers.c_str();
    options.policy = policy.empty() ? nullptr : policy.c_str();
    options.compileThreads = compileThreads;
    options.compileShare = compileShare;
    options.deterministic = deterministic;
    check(annealEngineCreate(&options, &handle));
  }
  ~Engine() { annealEngineDestroy(handle); }
  Engine(const Engine &) = delete;
  Engine &operator=(const Engine &) = delete;

  AnnealEngine *handle = nullptr;
};

class Program {
public:
  Program(std::shared_ptr<Engine> engine, const std::string &source, const std::string &bytes,
          bool isFile)
      : engine(std::move(engine)) {
    AnnealFailure *failure;
    {
      nb::gil_scoped_release release;
      failure = isFile ? annealEngineLoad(this->engine->handle, source.c_str(), &handle)
                       : annealEngineLoadBytes(this->engine->handle, bytes.data(), bytes.size(),
                                               source.c_str(), &handle);
    }
    check(failure);
  }
  ~Program() { annealProgramDestroy(handle); }
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  void save(const std::string &path) { check(annealProgramSave(handle, path.c_str())); }
  void waitForCompiles() {
    AnnealFailure *failure;
    {
      nb::gil_scoped_release release;
      failure = annealProgramWaitForCompiles(handle);
    }
    check(failure);
  }
  std::string report() {
    char *json = nullptr;
    check(annealProgramReport(handle, &json));
    std::string text = json;
    annealStringDestroy(json);
    return text;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (size_t i = 0; i < annealProgramNumFunctions(handle); ++i)
      result.emplace_back(annealFunctionName(annealProgramFunctionAt(handle, i)));
    return result;
  }

  AnnealProgram *handle = nullptr;

private:
  const std::shared_ptr<Engine> engine;
};

/// A tensor handle for the length of a call.
using TensorOwner = std::unique_ptr<AnnealTensor, void (*)(AnnealTensor *)>;

class Function {
public:
  Function(std::shared_ptr<Program> program, nb::object name) : program(std::move(program)) {
    std::string text = name.is_none() ? "" : nb::cast<std::string>(name);
    check(annealProgramFunction(this->program->handle, name.is_none() ? nullptr : text.c_str(),
                                &handle));
  }

  std::string name() const { return annealFunctionName(handle); }
  std::string signature() const { return signatureText(handle); }

  /// REQUIRES: the GIL.
  nb::object call(nb::args arguments, nb::object out, nb::object timeout) const {
    size_t numResults = annealFunctionNumResults(handle);
    size_t numArguments = annealFunctionNumArguments(handle);
    if (arguments.size() != numArguments)
      throw nb::type_error(("'" + name() + "' takes " + std::to_string(numArguments) +
                            " arguments, not " + std::to_string(arguments.size()) + ": " +
                            signature())
                               .c_str());
    std::vector<nb::object> kept;
    std::vector<TensorOwner> owners;
    std::vector<AnnealTensor *> inputs, outputs(numResults, nullptr);
    kept.reserve(numArguments);
    owners.reserve(numArguments + numResults);
    for (size_t i = 0; i < numArguments; ++i) {
      nb::object array = nb::steal(inputArray(handle, i, arguments[i].ptr()));
      owners.emplace_back(wrapArray(array.ptr(), annealFunctionArgument(handle, i)->dtype),
                          annealTensorDestroy);
      inputs.push_back(owners.back().get());
      kept.push_back(std::move(array));
    }
    std::vector<nb::object> given = givenOutputs(out, numResults);
    for (size_t i = 0; i < given.size(); ++i)
      if (!given[i].is_none()) {
        checkOutputArray(handle, i, given[i].ptr());
        owners.emplace_back(wrapArray(given[i].ptr(), annealFunctionResult(handle, i)->dtype),
                            annealTensorDestroy);
        outputs[i] = owners.back().get();
      }
    run(inputs, outputs, timeout);
    return results(outputs, given);
  }

private:
  static std::vector<nb::object> givenOutputs(const nb::object &out, size_t numResults) {
    std::vector<nb::object> given;
    if (out.is_none())
      return given;
    if (nb::isinstance<nb::tuple>(out) || nb::isinstance<nb::list>(out))
      for (nb::handle one : out)
        given.push_back(nb::borrow(one));
    else
      given.push_back(out);
    if (given.size() != numResults)
      throw nb::value_error(("out has " + std::to_string(given.size()) +
                             " arrays, the function has " + std::to_string(numResults) + " results")
                                .c_str());
    return given;
  }

  void run(const std::vector<AnnealTensor *> &inputs, std::vector<AnnealTensor *> &outputs,
           const nb::object &timeout) const {
    AnnealCallOptions options = ANNEAL_CALL_OPTIONS_INIT;
    if (!timeout.is_none()) {
      double nanoseconds = nb::cast<double>(timeout) * 1e9;
      options.timeoutNanoseconds = nanoseconds <= 0     ? -1
                                   : nanoseconds < 9e18 ? static_cast<int64_t>(nanoseconds) + 1
                                                        : INT64_MAX;
    }
    for (;;) {
      AnnealFailure *failure;
      {
        InterruptScope interrupt;
        options.cancel = interrupt.token();
        nb::gil_scoped_release release;
        failure = annealFunctionCall(handle, inputs.data(), inputs.size(), outputs.data(),
                                     outputs.size(), &options);
      }
      if (annealFailureCode(failure) != ANNEAL_CODE_CANCELLED)
        return check(failure);
      annealFailureDestroy(failure);
      if (PyErr_CheckSignals() != 0)
        throw nb::python_error();
      // A handler that raises nothing lets the call go on: it begins again.
    }
  }

  nb::object results(const std::vector<AnnealTensor *> &outputs,
                     const std::vector<nb::object> &given) const {
    std::vector<nb::object> arrays;
    for (size_t i = 0; i < outputs.size(); ++i)
      arrays.push_back(
          i < given.size() && !given[i].is_none()
              ? given[i]
              : nb::steal(resultArray(outputs[i], annealFunctionResult(handle, i)->isScalar != 0)));
    for (const nb::object &array : arrays)
      if (!array.is_valid())
        throw nb::python_error();
    if (arrays.empty())
      return nb::none();
    if (arrays.size() == 1)
      return arrays[0];
    nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(arrays.size())));
    for (size_t i = 0; i < arrays.size(); ++i)
      PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), arrays[i].release().ptr());
    return tuple;
  }

  const std::shared_ptr<Program> program;
  AnnealFunction *handle = nullptr;
};

} // namespace
} // namespace anneal::python

NB_MODULE(_native, module) {
  using namespace anneal::python;
  if (!initArrays())
    throw nb::python_error();
  if (annealApiVersion() != ANNEAL_API_VERSION)
    throw nb::import_error(("libanneal has version " + std::to_string(annealApiVersion()) +
                            " of the C interface, this package was built for version " +
                            std::to_string(ANNEAL_API_VERSION) + "; reinstall it")
                               .c_str());
  module.attr("__version__") = annealVersion();
  nb::class_<Engine>(module, "Engine")
      .def(nb::init<uint32_t, const std::string &, const std::string &, uint32_t, double, bool>(),
           nb::arg("threads") = 0, nb::arg("tiers") = "", nb::arg("policy") = "",
           nb::arg("compile_threads") = 0, nb::arg("compile_share") = 0.0,
           nb::arg("deterministic") = false)
      .def_prop_ro("threads",
                   [](const Engine &self) { return annealEngineNumThreads(self.handle); });
  nb::class_<Program>(module, "Program")
      .def(
          "__init__",
          [](Program *self, std::shared_ptr<Engine> engine, const std::string &source,
             nb::bytes bytes, bool isFile) {
            new (self) Program(std::move(engine), source, std::string(bytes.c_str(), bytes.size()),
                               isFile);
          },
          nb::arg("engine"), nb::arg("source"), nb::arg("bytes"), nb::arg("is_file"))
      .def("save", &Program::save, nb::arg("path"))
      .def("wait_for_compiles", &Program::waitForCompiles)
      .def("report", &Program::report)
      .def("names", &Program::names);
  nb::class_<Function>(module, "Function",
                       "A function of a program; call it with NumPy arrays or DLPack objects.")
      .def(nb::init<std::shared_ptr<Program>, nb::object>(), nb::arg("program"),
           nb::arg("name").none())
      .def("__call__", &Function::call, nb::arg("args"), nb::kw_only(), nb::arg("out") = nb::none(),
           nb::arg("timeout") = nb::none(),
           "f(x, y): the result, or a tuple of them.\n\n"
           "out=array (or a tuple of arrays and None) gets the results instead of new memory.\n"
           "timeout=seconds ends the call with anneal.DeadlineExceeded.\n"
           "Ctrl-C ends it with KeyboardInterrupt. Other Python threads run meanwhile.")
      .def_prop_ro("name", &Function::name)
      .def_prop_ro("signature", &Function::signature,
                   "\"(x: float32[?, 4]) -> (float32[?])\"; ? is any size.")
      .def("__repr__", [](const Function &self) {
        return "<anneal.Function '" + self.name() + "' " + self.signature() + ">";
      });
}
