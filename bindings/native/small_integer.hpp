// SPDX-License-Identifier: Apache-2.0
// The value of an int that fits one digit of CPython's: nearly every number that a program passes, read without a call.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>
#if PY_VERSION_HEX < 0x030B0000
#include <longintrepr.h>  // ob_digit; Python.h includes it itself from 3.11 on
#endif

namespace cuda_bindings {

/// Whether an int, or an instance of a class derived from int, is 0 or positive and of one digit (30 bits); then its
/// value. Python code is never run. False says nothing about the object: ask in the general way.
inline bool read_small_integer(PyObject* integer, std::uint32_t* value) {
#if PY_VERSION_HEX >= 0x030C0000
  const PyLongObject* number = reinterpret_cast<const PyLongObject*>(integer);
  if (!PyUnstable_Long_IsCompact(number)) return false;
  const Py_ssize_t read = PyUnstable_Long_CompactValue(number);
  if (read < 0) return false;
  *value = static_cast<std::uint32_t>(read);
  return true;
#else
  const Py_ssize_t signed_length = Py_SIZE(integer);
  *value = signed_length == 1 ? reinterpret_cast<const PyLongObject*>(integer)->ob_digit[0] : 0;
  return signed_length == 0 || signed_length == 1;
#endif
}

}  // namespace cuda_bindings
