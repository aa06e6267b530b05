// SPDX-License-Identifier: Apache-2.0
// Classes of modules that the program has imported itself.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace cuda_bindings {

/// The module if the program has imported it. Never raises; new reference or nullptr.
inline PyObject* imported(const char* name) {
  PyObject* text = PyUnicode_FromString(name);
  PyObject* module = text != nullptr ? PyImport_GetModule(text) : nullptr;
  Py_XDECREF(text);
  if (module == nullptr) PyErr_Clear();
  return module;
}

/// A class of the module, referenced for ever; nullptr with no exception set.
inline PyTypeObject* class_of(PyObject* module, const char* name) {
  PyObject* object = PyObject_GetAttrString(module, name);
  if (object == nullptr || !PyType_Check(object)) {
    PyErr_Clear();
    Py_XDECREF(object);
    return nullptr;
  }
  return reinterpret_cast<PyTypeObject*>(object);
}

}  // namespace cuda_bindings
