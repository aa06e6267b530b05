// SPDX-License-Identifier: Apache-2.0
// Options of the JIT compiler, linker and library loader: keys, and values that travel inside pointer slots.
#pragma once

#include "native/arguments.hpp"

namespace cuda_bindings {

int read_jit_options(JitOptions& options, PyObject* keys, PyObject* values, size_t count, int table, Place keys_place,
                     Place values_place);
int finish_jit_options(JitOptions& options);
int keep_jit_options(JitOptions& options, PyObject* handle);
int refresh_jit_options(PyObject* handle);
void release_jit_options(JitOptions& options);

}  // namespace cuda_bindings
