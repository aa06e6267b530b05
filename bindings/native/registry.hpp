// SPDX-License-Identifier: Apache-2.0
// Which class belongs to which row, and a module's names.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>

#include "native/tables.hpp"

namespace cuda_bindings {

enum class ClassKind : std::uint8_t { none, handle, record, enumeration };

struct ClassEntry {
  ClassKind kind = ClassKind::none;
  std::int16_t id = 0;  // zeroed, so that the table of classes needs no room in the file
};

// The row of a class that the engine made; kind none for any other.
ClassEntry find_class(PyTypeObject* type);
// The same for the nearest class of ours that `type` derives from.
ClassEntry find_class_or_base(PyTypeObject* type);

// Enters a class that was just made and puts it into classes[id], unless another thread was quicker: that one is
// returned then.
PyTypeObject* publish_class(PyTypeObject* type, ClassKind kind, std::int16_t id, PyTypeObject** classes);

// classes[id] as another thread may have just set it.
inline PyTypeObject* published(PyTypeObject* const* classes, int id) {
  return __atomic_load_n(&classes[id], __ATOMIC_ACQUIRE);
}

// "cuda_bindings.driver.CUstream", to be kept by a class for ever.
const char* qualified_name(Library module, const char* name);
const char* module_name(int module);

PyObject* module_attribute_of(int module, PyObject* name);
PyObject* module_names_of(int module);
PyObject* size_of_class(int module, PyObject* cls);

}  // namespace cuda_bindings
