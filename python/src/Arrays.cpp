//===- Arrays.cpp - NumPy arrays and tensors ------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

#include <nanobind/nanobind.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace anneal::python {
namespace {

PyArrayObject *asArray(PyObject *object) { return reinterpret_cast<PyArrayObject *>(object); }

/// The type of the elements; -1 if none of Anneal's. Signless integers take both signs.
int dtypeOf(PyArrayObject *array) {
  int size = static_cast<int>(PyArray_ITEMSIZE(array));
  switch (PyArray_DESCR(array)->kind) {
  case 'b':
    return ANNEAL_I1;
  case 'i':
  case 'u':
    return size == 1 ? ANNEAL_I8 : size == 2 ? ANNEAL_I16 : size == 4 ? ANNEAL_I32 : ANNEAL_I64;
  case 'f':
    return size == 2 ? ANNEAL_F16 : size == 4 ? ANNEAL_F32 : size == 8 ? ANNEAL_F64 : -1;
  case 'V':
    // ml_dtypes' bfloat16, or two raw bytes, as .npy files hold it.
    return size == 2 && !PyDataType_HASFIELDS(PyArray_DESCR(array)) ? ANNEAL_BF16 : -1;
  default:
    return -1;
  }
}

const char *numpyName(AnnealDType dtype) {
  switch (dtype) {
  case ANNEAL_I1:
    return "bool";
  case ANNEAL_I8:
    return "int8";
  case ANNEAL_I16:
    return "int16";
  case ANNEAL_I32:
    return "int32";
  case ANNEAL_I64:
  case ANNEAL_INDEX:
    return "int64";
  case ANNEAL_F16:
    return "float16";
  case ANNEAL_BF16:
    return "bfloat16";
  case ANNEAL_F32:
    return "float32";
  case ANNEAL_F64:
    return "float64";
  }
  return "?";
}

/// A new reference to ml_dtypes.bfloat16, or uint16 where that package is missing.
PyArray_Descr *bfloat16() {
  PyObject *module = PyImport_ImportModule("ml_dtypes");
  PyObject *type = module ? PyObject_GetAttrString(module, "bfloat16") : nullptr;
  Py_XDECREF(module);
  PyArray_Descr *descr = nullptr;
  if (!type || !PyArray_DescrConverter(type, &descr)) {
    PyErr_Clear();
    descr = PyArray_DescrFromType(NPY_UINT16);
  }
  Py_XDECREF(type);
  return descr;
}

PyArray_Descr *descrOf(AnnealDType dtype) {
  static constexpr int kTypes[] = {NPY_BOOL,  NPY_INT8, NPY_INT16,  NPY_INT32,   NPY_INT64,
                                   NPY_INT64, NPY_HALF, NPY_UINT16, NPY_FLOAT32, NPY_FLOAT64};
  return dtype == ANNEAL_BF16 ? bfloat16() : PyArray_DescrFromType(kTypes[dtype]);
}

bool sameType(int actual, AnnealDType wanted) {
  return actual == wanted || (actual == ANNEAL_I64 && wanted == ANNEAL_INDEX);
}

std::string typeName(PyObject *object) {
  if (!PyArray_Check(object))
    return Py_TYPE(object)->tp_name;
  nb::object text =
      nb::steal(PyObject_Str(reinterpret_cast<PyObject *>(PyArray_DESCR(asArray(object)))));
  return "an array of " + std::string(PyUnicode_AsUTF8(text.ptr()));
}

[[noreturn]] void raise(PyObject *type, const std::string &message) {
  PyErr_SetString(type, message.c_str());
  throw nb::python_error();
}

/// "argument 0 ('x') of 'main'".
std::string placeOf(const AnnealFunction *function, const char *what, size_t index,
                    const AnnealSignature &signature) {
  std::string place = std::string(what) + " " + std::to_string(index);
  if (*signature.name)
    place += " ('" + std::string(signature.name) + "')";
  return place + " of '" + annealFunctionName(function) + "'";
}

void checkArray(PyArrayObject *array, const AnnealSignature &signature, const std::string &place) {
  std::string wanted = numpyName(signature.dtype);
  if (!sameType(dtypeOf(array), signature.dtype))
    raise(PyExc_TypeError,
          place + ": expected " + wanted + ", got " +
              typeName(reinterpret_cast<PyObject *>(array)) + "; convert it with .astype(" +
              (wanted == "bfloat16" ? "ml_dtypes.bfloat16" : "'" + wanted + "'") + ")");
  if (PyArray_ISBYTESWAPPED(array))
    raise(PyExc_ValueError, place + ": the array's byte order is not this machine's; convert it "
                                    "with .astype(x.dtype.newbyteorder('='))");
  if (static_cast<size_t>(PyArray_NDIM(array)) != signature.rank)
    raise(PyExc_ValueError, place + ": expected " + std::to_string(signature.rank) +
                                " dimensions, got " + std::to_string(PyArray_NDIM(array)));
}

/// Whether a tensor can have the array's strides.
bool canWrap(PyArrayObject *array) {
  if (!PyArray_ISALIGNED(array))
    return false;
  for (int d = 0; d < PyArray_NDIM(array); ++d)
    if (PyArray_STRIDE(array, d) < 0 || PyArray_STRIDE(array, d) % PyArray_ITEMSIZE(array) != 0)
      return false;
  return true;
}

/// Whether elements of the array share memory. REQUIRES: canWrap(array).
bool overlapsItself(PyArrayObject *array) {
  std::vector<std::pair<npy_intp, npy_intp>> dimensions;
  for (int d = 0; d < PyArray_NDIM(array); ++d)
    if (PyArray_DIM(array, d) > 1)
      dimensions.emplace_back(PyArray_STRIDE(array, d), PyArray_DIM(array, d));
  std::sort(dimensions.begin(), dimensions.end());
  npy_intp covered = PyArray_ITEMSIZE(array);
  for (auto [stride, size] : dimensions) {
    if (stride < covered)
      return true;
    covered += stride * (size - 1);
  }
  return false;
}

/// A number as an array of rank 0. A new reference.
PyObject *numberToArray(PyObject *value, const AnnealSignature &signature,
                        const std::string &place) {
  if (PyFloat_Check(value) && signature.dtype <= ANNEAL_INDEX && !PyArray_CheckScalar(value))
    raise(PyExc_TypeError, place + ": expected " + numpyName(signature.dtype) + ", got a float");
  PyArray_Descr *descr = PyArray_CheckScalar(value) ? nullptr : descrOf(signature.dtype);
  PyObject *array = PyArray_FromAny(value, descr, 0, 0, 0, nullptr);
  if (array || !PyErr_ExceptionMatches(PyExc_OverflowError))
    return array;
  PyErr_Clear();
  raise(PyExc_OverflowError,
        place + ": the number does not fit " + std::string(numpyName(signature.dtype)));
}

/// Arrays are as they are; numbers become arrays. A new reference.
PyObject *toArray(PyObject *value, const AnnealSignature &signature, const std::string &place) {
  if (PyArray_Check(value)) {
    Py_INCREF(value);
    return value;
  }
  PyObject *array = nullptr;
  bool isNumber = PyBool_Check(value) || PyLong_Check(value) || PyFloat_Check(value) ||
                  PyArray_CheckScalar(value);
  if (isNumber && signature.rank == 0) {
    array = numberToArray(value, signature, place);
  } else {
    raise(PyExc_TypeError, place + ": expected an array of " + numpyName(signature.dtype) +
                               " (NumPy, or with __dlpack__), got " + typeName(value));
  }
  if (!array)
    throw nb::python_error();
  return array;
}

void appendType(std::string &text, const AnnealSignature &signature) {
  text += numpyName(signature.dtype);
  if (signature.isScalar)
    return;
  text += '[';
  for (size_t d = 0; d < signature.rank; ++d) {
    text += d ? ", " : "";
    text += signature.sizes[d] == ANNEAL_DYNAMIC ? "?" : std::to_string(signature.sizes[d]);
  }
  text += ']';
}

} // namespace

bool initArrays() {
  import_array1(false);
  return true;
}

std::string signatureText(const AnnealFunction *function) {
  std::string text = "(";
  for (size_t i = 0; i < annealFunctionNumArguments(function); ++i) {
    const AnnealSignature &argument = *annealFunctionArgument(function, i);
    text += i ? ", " : "";
    text += *argument.name ? argument.name : "arg" + std::to_string(i);
    text += ": ";
    appendType(text, argument);
  }
  text += ") -> (";
  for (size_t i = 0; i < annealFunctionNumResults(function); ++i) {
    text += i ? ", " : "";
    appendType(text, *annealFunctionResult(function, i));
  }
  return text + ")";
}

PyObject *inputArray(const AnnealFunction *function, size_t index, PyObject *value) {
  const AnnealSignature &signature = *annealFunctionArgument(function, index);
  if (PyArray_Check(value) && !PyArray_CheckExact(value) && PyObject_HasAttrString(value, "mask"))
    raise(PyExc_TypeError, placeOf(function, "argument", index, signature) +
                               ": a masked array's mask would be lost; use .filled(value)");
  std::string place;
  // The text is only made where it is needed: it would be the dearest part of a call.
  if (PyArray_Check(value) && sameType(dtypeOf(asArray(value)), signature.dtype) &&
      static_cast<size_t>(PyArray_NDIM(asArray(value))) == signature.rank &&
      PyArray_ISNOTSWAPPED(asArray(value)) && canWrap(asArray(value))) {
    Py_INCREF(value);
    return value;
  }
  place = placeOf(function, "argument", index, signature);
  nb::object array = nb::steal(toArray(value, signature, place));
  checkArray(asArray(array.ptr()), signature, place);
  if (canWrap(asArray(array.ptr())))
    return array.release().ptr();
  PyObject *copy = PyArray_NewCopy(asArray(array.ptr()), NPY_CORDER);
  if (!copy)
    throw nb::python_error();
  return copy;
}

void checkOutputArray(const AnnealFunction *function, size_t index, PyObject *value) {
  const AnnealSignature &signature = *annealFunctionResult(function, index);
  std::string place = placeOf(function, "out", index, signature);
  if (!PyArray_Check(value))
    raise(PyExc_TypeError,
          place + ": expected an array (NumPy, or with __dlpack__), got " + typeName(value));
  checkArray(asArray(value), signature, place);
  if (!PyArray_ISWRITEABLE(asArray(value)))
    raise(PyExc_ValueError, place + ": the array is read-only");
  if (!canWrap(asArray(value)) || overlapsItself(asArray(value)))
    raise(PyExc_ValueError,
          place + ": the array is not aligned, or has strides that cannot be written through");
}

bool isDLPack(PyObject *value) {
  return !PyArray_Check(value) && PyObject_HasAttrString(value, "__dlpack__");
}

/// Raises unless the object's memory is that of the processor; those that do not say are taken.
static void checkDevice(PyObject *value, const std::string &place) {
  if (!PyObject_HasAttrString(value, "__dlpack_device__"))
    return;
  auto device = nb::cast<nb::tuple>(nb::handle(value).attr("__dlpack_device__")());
  // CPU, and memory that CUDA or ROCm has pinned there.
  int64_t type = nb::cast<int64_t>(nb::int_(device[0]));
  if (type != 1 && type != 3 && type != 11)
    raise(PyExc_ValueError, place + ": the array is on device type " + std::to_string(type) +
                                " (DLPack's numbers), and only the CPU's memory is read; copy it "
                                "there first");
}

/// The object's capsule, versioned if it makes such.
static nb::object capsuleOf(PyObject *value) {
  nb::object make = nb::handle(value).attr("__dlpack__");
  try {
    return make(nb::arg("max_version") = nb::make_tuple(1, 0));
  } catch (nb::python_error &error) {
    // Before version 1 there was no such keyword.
    if (!error.matches(PyExc_TypeError))
      throw;
  }
  return make();
}

AnnealTensor *dlpackTensor(const AnnealFunction *function, size_t index, bool isResult,
                           PyObject *value) {
  const AnnealSignature &signature =
      isResult ? *annealFunctionResult(function, index) : *annealFunctionArgument(function, index);
  std::string place = placeOf(function, isResult ? "out" : "argument", index, signature);
  checkDevice(value, place);
  nb::object capsule = capsuleOf(value);
  AnnealTensor *tensor = nullptr;
  AnnealFailure *failure = nullptr;
  const char *used = nullptr;
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
    used = "used_dltensor_versioned";
    failure = annealTensorFromDLPackVersioned(
        static_cast<DLManagedTensorVersioned *>(
            PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned")),
        &tensor);
  } else if (PyCapsule_IsValid(capsule.ptr(), "dltensor")) {
    used = "used_dltensor";
    failure = annealTensorFromDLPack(
        static_cast<DLManagedTensor *>(PyCapsule_GetPointer(capsule.ptr(), "dltensor")), &tensor);
  } else {
    raise(PyExc_TypeError, place + ": __dlpack__ gave no DLPack capsule");
  }
  if (failure) {
    std::string message = annealFailureMessage(failure);
    annealFailureDestroy(failure);
    raise(PyExc_TypeError, place + ": " + message);
  }
  // The tensor owns the memory now.
  PyCapsule_SetName(capsule.ptr(), used);
  std::unique_ptr<AnnealTensor, void (*)(AnnealTensor *)> owner(tensor, annealTensorDestroy);
  int dtype = annealTensorDType(tensor);
  if (!sameType(dtype, signature.dtype))
    raise(PyExc_TypeError, place + ": expected " + numpyName(signature.dtype) + ", got " +
                               numpyName(static_cast<AnnealDType>(dtype)));
  if (annealTensorRank(tensor) != signature.rank)
    raise(PyExc_ValueError, place + ": expected " + std::to_string(signature.rank) +
                                " dimensions, got " + std::to_string(annealTensorRank(tensor)));
  return owner.release();
}

AnnealTensor *wrapArray(PyObject *object, AnnealDType dtype) {
  PyArrayObject *array = asArray(object);
  int64_t sizes[NPY_MAXDIMS], strides[NPY_MAXDIMS];
  auto rank = static_cast<size_t>(PyArray_NDIM(array));
  for (size_t d = 0; d < rank; ++d) {
    sizes[d] = PyArray_DIM(array, static_cast<int>(d));
    strides[d] = PyArray_STRIDE(array, static_cast<int>(d)) / PyArray_ITEMSIZE(array);
  }
  AnnealTensor *tensor = nullptr;
  if (AnnealFailure *failure = annealTensorWrap(dtype, rank, sizes, strides, PyArray_DATA(array),
                                                nullptr, nullptr, &tensor)) {
    std::string message = annealFailureMessage(failure);
    annealFailureDestroy(failure);
    raise(PyExc_ValueError, message);
  }
  return tensor;
}

PyObject *resultArray(AnnealTensor *tensor, bool isScalar) {
  auto destroy = [](PyObject *self) {
    annealTensorDestroy(static_cast<AnnealTensor *>(PyCapsule_GetPointer(self, "anneal.tensor")));
  };
  nb::object capsule = nb::steal(PyCapsule_New(tensor, "anneal.tensor", destroy));
  if (!capsule.is_valid()) {
    annealTensorDestroy(tensor);
    return nullptr;
  }
  npy_intp sizes[NPY_MAXDIMS], strides[NPY_MAXDIMS];
  size_t rank = annealTensorRank(tensor);
  if (rank > NPY_MAXDIMS) {
    PyErr_Format(PyExc_ValueError, "a result has %zu dimensions, arrays have at most %d", rank,
                 NPY_MAXDIMS);
    return nullptr;
  }
  auto dtype = static_cast<AnnealDType>(annealTensorDType(tensor));
  auto itemSize = static_cast<npy_intp>(annealDTypeSize(dtype));
  const int64_t *tensorSizes = annealTensorSizes(tensor);
  const int64_t *tensorStrides = annealTensorStrides(tensor);
  for (size_t d = 0; d < rank; ++d) {
    sizes[d] = static_cast<npy_intp>(tensorSizes[d]);
    strides[d] = static_cast<npy_intp>(tensorStrides[d]) * itemSize;
  }
  nb::object array = nb::steal(
      PyArray_NewFromDescr(&PyArray_Type, descrOf(dtype), static_cast<int>(rank), sizes, strides,
                           annealTensorData(tensor), NPY_ARRAY_WRITEABLE, nullptr));
  if (!array.is_valid() ||
      PyArray_SetBaseObject(asArray(array.ptr()), capsule.release().ptr()) != 0)
    return nullptr;
  PyObject *result = array.release().ptr();
  return isScalar ? PyArray_Return(asArray(result)) : result;
}

} // namespace anneal::python
