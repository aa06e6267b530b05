// SPDX-License-Identifier: Apache-2.0
// PreparedLaunch: a kernel with its sizes, stream and packed arguments, to be launched many times.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace cuda_bindings {

/// Adds the class to the module. 0, or -1 with an exception.
int init_prepared_launch(PyObject* module);

}  // namespace cuda_bindings
