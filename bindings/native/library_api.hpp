// SPDX-License-Identifier: Apache-2.0
// What the other extension modules reach of slots and loader: the tables, and the cold path behind a status that is not success.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "native/slots.hpp"

namespace cuda_bindings {

struct SlotsApi {
  const DriverTable* driver;
  const RuntimeTable* runtime;
  const NvrtcTable* nvrtc;
  // (status, None, ...) for a failing call; raises where the slot has no function.
  PyObject* (*failed)(int library, int slot, long long status, int outputs);
  // For functions without a status: -1 and an exception where the slot has no function.
  int (*require)(int library, int slot);
  // A SlotState.
  int (*slot_state)(int library, int slot);
  // For calls made without the GIL (cydriver and its siblings): takes it; 1 and an exception where there is no function.
  int (*raise_missing)(int library, int slot);
};

inline void adopt_tables(const SlotsApi& api) {
  driver_table = api.driver;
  runtime_table = api.runtime;
  nvrtc_table = api.nvrtc;
}

}  // namespace cuda_bindings
