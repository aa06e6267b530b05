// SPDX-License-Identifier: Apache-2.0
// Numbers of Python's own classes as C numbers. Everything else that stands for a number goes the general way
// (integer.hpp), which also says what is wrong.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "native/small_integer.hpp"

namespace cuda_bindings {

/// The value of an int (a float, for C's real numbers) of the class itself, where it fits. False, without an exception,
/// for anything else: ask in the general way. Python code is never run.
template <typename T>
inline bool read_plain_number(PyObject* object, T* value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!PyFloat_CheckExact(object)) return false;
    const double read = PyFloat_AS_DOUBLE(object);
    *value = static_cast<T>(read);
    return sizeof(T) == sizeof read || !std::isfinite(read) ||
           std::fabs(read) <= static_cast<double>(std::numeric_limits<float>::max());
  } else {
    if (!PyLong_CheckExact(object)) return false;
    std::uint32_t small = 0;
    if (read_small_integer(object, &small)) [[likely]] {
      *value = static_cast<T>(small);
      return sizeof(T) >= sizeof small || small <= static_cast<std::uint32_t>(std::numeric_limits<T>::max());
    }
    int overflow = 0;
    const long long read = PyLong_AsLongLongAndOverflow(object, &overflow);
    *value = static_cast<T>(read);
    if (std::is_unsigned_v<T> && sizeof(T) == sizeof read && overflow > 0) {
      *value = static_cast<T>(PyLong_AsUnsignedLongLong(object));
      if (*value != std::numeric_limits<T>::max() || PyErr_Occurred() == nullptr) return true;
      PyErr_Clear();
    }
    if (overflow != 0 || (std::is_unsigned_v<T> && read < 0)) return false;
    return sizeof(T) == sizeof read || static_cast<long long>(*value) == read;
  }
}

}  // namespace cuda_bindings
