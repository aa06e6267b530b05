// SPDX-License-Identifier: Apache-2.0
// What functions.hpp calls of cuda_bindings._native when a call has keywords, and when a module is made.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>

namespace cuda_bindings {

/// Puts positional and keyword arguments and defaults into `ordered` (all nullptr), borrowed, by the names in the
/// docstring's signature. 0, or -1 with a TypeError that names what is wrong and what the function accepts.
int order_arguments(const char* doc, PyObject* const* arguments, Py_ssize_t count, PyObject* names, PyObject** ordered,
                    std::size_t length);

/// Makes a builtin of the definition, which must live as long as the process, and enters it into the namespace. 0 or -1.
int enter_function(PyObject* names, PyMethodDef* definition);

}  // namespace cuda_bindings
