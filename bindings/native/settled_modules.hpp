// SPDX-License-Identifier: Apache-2.0
// Programs that call again and again get modules without `__getattr__`: all names made, bit by bit, ahead of use.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <atomic>

namespace cuda_bindings {

// While a module has a `__getattr__`, the interpreter does not remember where `driver.cuLaunchKernel` leads: 20 to 40 ns
// each time. Making every name costs as much as some hundred thousand of these, so that is where it begins.
inline constexpr unsigned int CALLS_BEFORE_SETTLING = 1u << 16;
inline constexpr unsigned int CALLS_PER_NAME = 1u << 8;

/// How many calls have come back with the GIL. It guards the number; without one, threads count for themselves.
#ifdef Py_GIL_DISABLED
inline thread_local unsigned int calls_returned = 0;
#else
inline unsigned int calls_returned = 0;
#endif

/// Asks the main thread to make the next name that no one has touched so far.
void settle_next_name();

inline void count_call() {
  const unsigned int count = ++calls_returned;
  if (count % CALLS_PER_NAME == 0 && count >= CALLS_BEFORE_SETTLING) [[unlikely]]
    settle_next_name();
}

}  // namespace cuda_bindings
