// SPDX-License-Identifier: Apache-2.0
// NumPy's classes, recognised without importing it and without its headers: a program that passes one has done so.
#pragma once

#include <atomic>
#include <cstring>

#include "native/class_map.hpp"

namespace cuda_bindings {

/// A class of NumPy's numbers whose value follows the object's head.
struct NumpyNumber {
  PyTypeObject* type;
  std::uint8_t size;
};

struct NumpyClasses {
  PyTypeObject* array;
  PyTypeObject* scalar;  // numpy.generic
  ClassMap<NumpyNumber> numbers;
};

/// Set once, by whichever thread comes first: read it through numpy_classes().
extern std::atomic<const NumpyClasses*> known_numpy_classes;

/// The general way of numpy_classes().
const NumpyClasses* find_numpy_classes();

/// nullptr where the program has not imported NumPy (or is just doing so). Never raises.
inline const NumpyClasses* numpy_classes() {
  const NumpyClasses* const known = known_numpy_classes.load(std::memory_order_acquire);
  return known != nullptr ? known : find_numpy_classes();
}

/// Whether the object is a NumPy scalar: an instance of numpy.generic.
inline bool is_numpy_scalar(PyObject* object) {
  const NumpyClasses* const classes = numpy_classes();
  return classes != nullptr && PyObject_TypeCheck(object, classes->scalar) != 0;
}

/// Whether the object's class is numpy.ndarray itself. Its name is asked first where NumPy's classes are not known yet.
inline bool is_numpy_array(PyObject* object) {
  const NumpyClasses* known = known_numpy_classes.load(std::memory_order_acquire);
  if (known == nullptr) [[unlikely]] {
    if (std::strcmp(Py_TYPE(object)->tp_name, "numpy.ndarray") != 0) return false;
    known = find_numpy_classes();
  }
  return known != nullptr && Py_TYPE(object) == known->array;
}

/// Where the value of an instance of a NumpyNumber's class lies: 8 bytes can be read there, whatever its size.
inline const void* numpy_value(PyObject* object) { return reinterpret_cast<const char*>(object) + sizeof(PyObject); }

}  // namespace cuda_bindings
