// SPDX-License-Identifier: Apache-2.0
// What the GIL does for an object's state, on interpreters without one.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace cuda_bindings {

/// While it lives, no other thread is in the same object's lock, as long as no Python code is run.
class ObjectLock {
 public:
#ifdef Py_GIL_DISABLED
  explicit ObjectLock(PyObject* object) { PyCriticalSection_Begin(&section_, object); }
  ~ObjectLock() { PyCriticalSection_End(&section_); }

 private:
  PyCriticalSection section_;

 public:
#else
  explicit ObjectLock(PyObject*) {}
  ~ObjectLock() {}
#endif
  ObjectLock(const ObjectLock&) = delete;
  ObjectLock& operator=(const ObjectLock&) = delete;
};

}  // namespace cuda_bindings
