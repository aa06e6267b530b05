// SPDX-License-Identifier: Apache-2.0
// C enumerations as enum.IntEnum classes, each made from its row when it is first touched.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "generated/ids.hpp"
#include "native/complaint.hpp"
#include "native/tables.hpp"

namespace cuda_bindings {

extern PyTypeObject* enumeration_types[ENUM_COUNT];  // nullptr until first touched

// The class, borrowed; nullptr with an exception.
PyTypeObject* enumeration_type(int type);

// The member for a C value, a new reference. A value that the enumeration does not know becomes a member beside the
// class.
PyObject* enumeration_member_of(int type, long long value);

// What an argument or member of `type` means: a member of a class of the same C type, or an integer of its range. 0 or
// -1.
int enumeration_read_value(PyObject* object, int type, const Where& where, int* value);

}  // namespace cuda_bindings
