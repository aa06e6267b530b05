// SPDX-License-Identifier: Apache-2.0
// What functions.hpp calls of cuda_bindings._native when a call has keywords, and when a module is made.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>

namespace cuda_bindings {

struct Parameters;  // functions.cpp

/// A builtin that lives as long as the process. Its docstring begins with the signature, which names the parameters and
/// their defaults.
struct FunctionDefinition {
  PyMethodDef method;
  Parameters* parameters;  // read from the signature at the first call with keywords or defaults
};

/// Puts positional and keyword arguments and defaults into `ordered` (`length` times nullptr), borrowed. 0, or -1 with a
/// TypeError that names what is wrong and what the function accepts.
int order_arguments(FunctionDefinition& definition, PyObject* const* arguments, Py_ssize_t count, PyObject* names,
                    PyObject** ordered, std::size_t length);

/// Makes a builtin of the definition and enters it into the namespace of its module. 0 or -1.
int enter_function(PyObject* names, FunctionDefinition& definition);

}  // namespace cuda_bindings
