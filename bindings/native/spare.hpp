// SPDX-License-Identifier: Apache-2.0
// Freed objects of one size wait here to be used again, whatever their class: views and handles come and go all the
// time.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

namespace cuda_bindings {

// For objects with a garbage collector's head, not tracked when they come and when they go.
template <class Object, int most = 128>
class Spare {
 public:
  // An object of a class of ours (not of one derived in Python, which may be larger). nullptr with an exception.
  Object* take(PyTypeObject* cls) {
    Object* object = reuse(cls);
    return object != nullptr ? object : PyObject_GC_New(Object, cls);
  }

  // The same, nullptr where none waits. `size`: of each of them, where they are larger than the type says.
  Object* reuse([[maybe_unused]] PyTypeObject* cls, [[maybe_unused]] std::size_t size = sizeof(Object)) {
#ifndef Py_GIL_DISABLED  // nothing else guards the list
    if (count_ > 0) {
      Object* object = objects_[--count_];
      ASAN_UNPOISON_MEMORY_REGION(object, size);
      revive(reinterpret_cast<PyObject*>(object), cls);
      return object;
    }
#endif
    return nullptr;
  }

  // Whether the object's memory was taken over; it must be freed otherwise.
  bool give([[maybe_unused]] Object* object, [[maybe_unused]] std::size_t size = sizeof(Object)) {
#ifndef Py_GIL_DISABLED
    if (count_ < most) {
      objects_[count_++] = object;
      ASAN_POISON_MEMORY_REGION(object, size);  // it is as good as freed: to AddressSanitizer too
      return true;
    }
#endif
    return false;
  }

 private:
  // What PyObject_Init does, but in line; debugging interpreters count references and must be told.
  static void revive(PyObject* object, PyTypeObject* cls) {
#if defined(Py_REF_DEBUG) || defined(Py_TRACE_REFS)
    PyObject_Init(object, cls);
#else
    Py_INCREF(cls);
    Py_SET_TYPE(object, cls);
    Py_SET_REFCNT(object, 1);
#endif
  }

  Object* objects_[most] = {};
  int count_ = 0;
};

}  // namespace cuda_bindings
