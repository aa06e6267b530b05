// SPDX-License-Identifier: Apache-2.0
// The cold path of calls: failing statuses as tuples, missing libraries and functions as exceptions, and what was loaded.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "native/library_api.hpp"

namespace cuda_bindings {

// The part of the Api that slots and loader provide.
const SlotsApi* slots_api();

// At the start of _native: remembers where packages lie, lets the resolver release the GIL, and adds loaded_library_path,
// library_version, library_report, function_pointer and function_states to the module. 0, or -1 with an exception.
int init_slots(PyObject* module);

}  // namespace cuda_bindings
