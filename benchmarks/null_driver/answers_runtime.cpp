// SPDX-License-Identifier: Apache-2.0
// The runtime's functions that a first call asks.
#include "null.hpp"

NULL_EXPORT int cudaRuntimeGetVersion(int* version) {
  null_driver::count(null_driver::function_cudaRuntimeGetVersion);
  *version = 13000;
  return 0;
}
