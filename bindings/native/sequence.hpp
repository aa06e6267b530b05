// SPDX-License-Identifier: Apache-2.0
// The elements that an iterable gives, as a tuple.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>

#include "native/reference.hpp"

namespace cuda_bindings {

// The elements as they are now: what happens to the object afterwards changes nothing. Its length is not asked, which
// may be a lie for which memory would be reserved. New reference; nullptr with an exception, TypeError for no iterable.
inline PyObject* elements_of(PyObject* object) {
  if (PyTuple_CheckExact(object)) return Py_NewRef(object);
  if (PyList_CheckExact(object)) return PyList_AsTuple(object);
  const Reference iterator(PyObject_GetIter(object));
  const Reference list(iterator ? PyList_New(0) : nullptr);
  if (!list) return nullptr;
  while (const Reference item{PyIter_Next(iterator.get())}) {
    if (PyList_Append(list.get(), item.get()) < 0) return nullptr;
  }
  return PyErr_Occurred() == nullptr ? PyList_AsTuple(list.get()) : nullptr;
}

/// The items of a list or tuple, borrowed.
struct BorrowedItems {
  PyObject* const* first = nullptr;
  std::size_t size = 0;
};

/// What a list or tuple holds, valid for as long as no Python code runs. Nothing (first is nullptr) for any other object,
/// for an empty list, and for every list where other threads run meanwhile: take a snapshot of those.
inline BorrowedItems borrowed_items(PyObject* object) {
  if (PyTuple_CheckExact(object)) {
    return {reinterpret_cast<PyTupleObject*>(object)->ob_item, static_cast<std::size_t>(PyTuple_GET_SIZE(object))};
  }
#ifndef Py_GIL_DISABLED
  if (PyList_CheckExact(object)) {
    return {reinterpret_cast<PyListObject*>(object)->ob_item, static_cast<std::size_t>(PyList_GET_SIZE(object))};
  }
#endif
  return {};
}

}  // namespace cuda_bindings
