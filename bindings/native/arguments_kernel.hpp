// SPDX-License-Identifier: Apache-2.0
// Kernel arguments: `void** kernelParams` of launches and of graph node records.
#pragma once

#include "native/arguments.hpp"
#include "native/reference.hpp"

namespace cuda_bindings {

int read_kernel_parameters(KernelParameters& parameters, PyObject* object, Place place);

// 1 where kernelParams is (values, types), two tuples of equal length, or a tuple of values that know their types: then
// `types` is empty. 0 for every other form, -1 with an exception.
int kernel_argument_tuples(PyObject* object, Reference& values, Reference& types, Place place);

// One argument.
struct PackedArgument {
  void* address = nullptr;  // where the value lies: in a record, or in `copy`; nullptr where it is `slot`
  std::uint64_t slot = 0;
  Reference copy;  // bytes
};

// Packs element `index` of kernelParams; type is nullptr where the value must know it. 0 or -1.
int pack_kernel_argument(PackedArgument& packed, PyObject* value, PyObject* type, Py_ssize_t index, Place place);

// For a record's member: new reference to an object that owns the packed arguments and holds all they point into,
// *address set to their array. None, with NULL in *address, for None and 0; NULL with an exception set where the value
// is refused.
PyObject* pack_kernel_parameters(PyObject* value, const char* record, const char* member, void*** address);

}  // namespace cuda_bindings
