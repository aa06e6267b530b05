// SPDX-License-Identifier: Apache-2.0
// Handles, callbacks and integer-likes: one Python object layout for all of them, classes made from rows.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>
#include <cstdint>

#include "generated/ids.hpp"
#include "native/complaint.hpp"
#include "native/integer.hpp"
#include "native/objects.hpp"

namespace cuda_bindings {

extern PyTypeObject* handle_types[HANDLE_COUNT];  // nullptr until first touched

// The class, borrowed; made now if nobody has asked before. nullptr with an exception.
PyTypeObject* handle_type(int type);

PyObject* handle_new_object(int type, std::uint64_t value);
// A handle whose value lies at `slot`, inside of `keep`'s memory.
PyObject* handle_view(int type, void* slot, PyObject* keep);
PyObject* handle_list(int type, const void* values, std::size_t count);

extern HandleSpares spare_handles;

bool is_handle(PyObject* object);
// Frees a handle. Classes derived in Python have a function of their own in its place.
void handle_dealloc(PyObject* self);
// Whether the object's class is one of ours itself: a faster question than is_handle().
inline bool is_plain_handle(PyObject* object) { return Py_TYPE(object)->tp_dealloc == handle_dealloc; }
inline std::uint64_t handle_read(PyObject* object) {
  return read_slot(handle_rows[handle_object(object)->type].kind, handle_object(object)->slot);
}

// Whether an argument of `type` takes instances of the class `given`.
bool handle_accepts(int type, int given);
// An accepted instance's value; false, without an exception, for anything else.
bool handle_instance(PyObject* object, int type, std::uint64_t* value);
// A number alone, as the constructor takes it. Sets no exception, unless the object has raised one of its own.
Reading handle_read_number(PyObject* object, int type, std::uint64_t* value);
// What an argument or member of `type` means: an accepted instance, None where that stands for NULL, a number. 0 or -1.
int handle_read_value(PyObject* object, int type, const Where& where, std::uint64_t* value);
// Where an argument that is a pointer to a handle points. `in_place`: addresses as numbers are refused. 0 or -1.
int handle_read_address(PyObject* object, int type, bool in_place, const Where& where, void** address);
// Keeps `object` as long as the handle lives. 0 or -1.
int handle_keep(PyObject* handle, PyObject* object);

}  // namespace cuda_bindings
