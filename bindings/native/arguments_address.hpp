// SPDX-License-Identifier: Apache-2.0
// `void*` arguments: integer-likes, None and contiguous buffers; and the caller's memory that a callee fills.
#pragma once

#include "native/arguments.hpp"

namespace cuda_bindings {

int read_address(Address& address, PyObject* object, int access, size_t byte_length, Place place);
int read_address_list(AddressList& list, PyObject* object, const ListRules& rules, Place place);
void release_address_list(AddressList& list);

// The number that an integer-like stands for: 1 and *value, 0 where the object is none, -1 with an exception that must
// not be swallowed. Never for bool, float, arrays but unsigned 64-bit ones without dimensions, or what is negative or
// too large.
int integer_address(PyObject* object, std::uint64_t* value);

// A NumPy scalar that is no integer: as an address it would be nonsense, as memory a copy that nobody else sees.
bool is_scalar_memory(const Py_buffer& view, PyObject* object);

// Gets the object's memory, contiguous and of at least byte_length bytes (SIZE_MAX: not known), into an empty view.
int hold_buffer(Py_buffer& view, PyObject* object, int access, size_t byte_length, Place place);

int read_out_buffer(OutBuffer& buffer, PyObject* object, size_t needed, Place place);
void release_out_buffer(OutBuffer& buffer);

}  // namespace cuda_bindings
