// SPDX-License-Identifier: Apache-2.0
// record.getPtr as an attribute: a bound method that costs little to make, for nearly all are called once and dropped.
#pragma once

#include "native/record_accessors.hpp"

namespace cuda_bindings {

/// The method that it stands for: getPtr of all records.
extern PyMethodDef record_get_pointer_method;

/// What it gives. Of the two ways to an int the one for signed numbers is the quicker.
inline PyObject* record_address(PyObject* record) {
  const char* data = record_object(record)->data;
  const long address = static_cast<long>(reinterpret_cast<std::uintptr_t>(data));
  return address >= 0 ? PyLong_FromLong(address) : PyLong_FromVoidPtr(const_cast<char*>(data));
}

/// The attribute's entry in a class's table.
Member pointer_method_member();

/// At the start of _native. 0 or -1.
int init_pointer_method();

}  // namespace cuda_bindings
