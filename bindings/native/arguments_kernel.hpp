// SPDX-License-Identifier: Apache-2.0
// Kernel arguments: `void** kernelParams` of launches and of graph node records.
#pragma once

#include "native/arguments.hpp"

namespace cuda_bindings {

int read_kernel_parameters(KernelParameters& parameters, PyObject* object, Place place);

// For a record's member: new reference to an object that owns the packed arguments and holds all they point into,
// *address set to their array. None, with NULL in *address, for None and 0; NULL with an exception set where the value
// is refused.
PyObject* pack_kernel_parameters(PyObject* value, const char* record, const char* member, void*** address);

}  // namespace cuda_bindings
