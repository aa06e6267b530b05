// SPDX-License-Identifier: Apache-2.0
// A short list of numbers, at most as many as a constant says: the dimensions and strides of tensor maps, in line.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>
#include <cstring>

#include "native/objects.hpp"
#include "native/plain_numbers.hpp"
#include "native/sequence.hpp"

namespace cuda_bindings {

/// Writes ordinary numbers and instances of `cls` (cuuint64_t and its like), and zeros behind them, to `values`, which has
/// room for `most`. Their count, which is `least` at least; 0 where the general way must look at the object.
template <class T>
inline std::size_t read_few_numbers(PyObject* object, const PyTypeObject* cls, std::size_t least, std::size_t most,
                                    void* values) {
  const BorrowedItems items = borrowed_items(object);
  if (items.size < least || items.size > most) return 0;
  std::memset(values, 0, most * sizeof(T));
  for (std::size_t index = 0; index < items.size; ++index) {
    PyObject* item = items.first[index];
    T value;
    if (Py_TYPE(item) == cls) {
      std::memcpy(&value, handle_object(item)->slot, sizeof value);
    } else if (!read_plain_number(item, &value)) {
      return 0;
    }
    std::memcpy(static_cast<char*>(values) + index * sizeof value, &value, sizeof value);
  }
  return items.size;
}

}  // namespace cuda_bindings
