// SPDX-License-Identifier: Apache-2.0
// Calls that come from CUDA, until the interpreter ends.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "native/callback_arguments.hpp"

namespace cuda_bindings {

// At the start of _native: from atexit on, nothing of Python is called any more. 0 or -1.
int init_callback_calls(PyObject* module);

// Whether a thread of CUDA's may come in; every true wants a leave_callback(). Needs no GIL.
bool enter_callback();
void leave_callback();

// The innermost call of this thread that calls back at once.
DirectCall*& direct_call();

}  // namespace cuda_bindings
