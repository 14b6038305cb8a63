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
#include "Calls.h"

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

class Engine {
public:
  Engine(uint32_t threads, const std::string &tiers, const std::string &policy,
         uint32_t compileThreads, double compileShare, bool deterministic,
         const std::string &forceTier) {
    AnnealEngineOptions options = ANNEAL_ENGINE_OPTIONS_INIT;
    options.threads = threads;
    options.tiers = tiers.empty() ? nullptr : tiers.c_str();
    options.policy = policy.empty() ? nullptr : policy.c_str();
    options.compileThreads = compileThreads;
    options.compileShare = compileShare;
    options.deterministic = deterministic;
    options.forceTier = forceTier.empty() ? nullptr : forceTier.c_str();
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

  /// The function of that name, or the entry if it is None.
  AnnealFunction *find(const nb::object &name) const {
    AnnealFunction *function = nullptr;
    std::string text = name.is_none() ? "" : nb::cast<std::string>(name);
    check(annealProgramFunction(handle, name.is_none() ? nullptr : text.c_str(), &function));
    return function;
  }

private:
  const std::shared_ptr<Engine> engine;
  AnnealProgram *handle = nullptr;
};

class Function {
public:
  Function(std::shared_ptr<Program> program, nb::object name)
      : handle(program->find(name)), program(std::move(program)) {}

  std::string name() const { return annealFunctionName(handle); }
  std::string signature() const { return signatureText(handle); }
  AnnealFunction *callee() const { return handle; }

private:
  AnnealFunction *const handle;
  const std::shared_ptr<Program> program;
};

/// A program as something to call: its entry, which is looked up at the first call.
class Entry {
public:
  explicit Entry(std::shared_ptr<Program> program) : program(std::move(program)) {}

  AnnealFunction *callee() {
    if (!handle)
      handle = program->find(nb::none());
    return handle;
  }

private:
  AnnealFunction *handle = nullptr;
  const std::shared_ptr<Program> program;
};

constexpr char kCallHelp[] =
    "f(x, y): the result, or a tuple of them.\n\n"
    "out=array (or a tuple of arrays and None) gets the results instead of new memory.\n"
    "timeout=seconds ends the call with anneal.DeadlineExceeded.\n"
    "Ctrl-C ends it with KeyboardInterrupt. Other Python threads run meanwhile.";

/// tp_call of a class whose objects have a callee(): a call by nanobind's way takes 0.6 us longer.
template <typename T>
PyObject *fastCall(PyObject *self, PyObject *arguments, PyObject *keywords) noexcept {
  try {
    return callFunction(nb::inst_ptr<T>(self)->callee(), arguments, keywords);
  } catch (nb::python_error &error) {
    error.restore();
  } catch (nb::builtin_exception &error) {
    PyErr_SetString(error.type() == nb::exception_type::type_error ? PyExc_TypeError
                                                                   : PyExc_ValueError,
                    error.what());
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

/// Makes objects of the class callable; `__call__` is there for help().
template <typename T> void makeCallable(nb::class_<T> &type) {
  type.def(
      "__call__",
      [](T &self, nb::args arguments, nb::kwargs keywords) {
        return nb::steal(callFunction(self.callee(), arguments.ptr(), keywords.ptr()));
      },
      nb::sig("def __call__(self, *args, out=None, timeout=None)"), kCallHelp);
  reinterpret_cast<PyTypeObject *>(type.ptr())->tp_call = fastCall<T>;
}

} // namespace
} // namespace anneal::python

NB_MODULE(_native, module) {
  using namespace anneal::python;
  // What a module's globals hold at exit, a signal handler for example, is no fault of its user.
  nb::set_leak_warnings(false);
  if (!initArrays())
    throw nb::python_error();
  if (annealApiVersion() != ANNEAL_API_VERSION)
    throw nb::import_error(("libanneal has version " + std::to_string(annealApiVersion()) +
                            " of the C interface, this package was built for version " +
                            std::to_string(ANNEAL_API_VERSION) + "; reinstall it")
                               .c_str());
  module.attr("__version__") = annealVersion();
  nb::class_<Engine>(module, "Engine")
      .def(nb::init<uint32_t, const std::string &, const std::string &, uint32_t, double, bool,
                    const std::string &>(),
           nb::arg("threads") = 0, nb::arg("tiers") = "", nb::arg("policy") = "",
           nb::arg("compile_threads") = 0, nb::arg("compile_share") = 0.0,
           nb::arg("deterministic") = false, nb::arg("force_tier") = "")
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
  nb::class_<Entry> entry(module, "Entry", "A program; calling it calls its entry.");
  entry.def(nb::init<std::shared_ptr<Program>>(), nb::arg("program"));
  makeCallable(entry);
  nb::class_<Function> function(
      module, "Function", "A function of a program; call it with NumPy arrays or DLPack objects.");
  function
      .def(nb::init<std::shared_ptr<Program>, nb::object>(), nb::arg("program"),
           nb::arg("name").none())
      .def_prop_ro("name", &Function::name)
      .def_prop_ro("signature", &Function::signature,
                   "\"(x: float32[?, 4]) -> (float32[?])\"; ? is any size.")
      .def("__repr__", [](const Function &self) {
        return "<anneal.Function '" + self.name() + "' " + self.signature() + ">";
      });
  makeCallable(function);
}
