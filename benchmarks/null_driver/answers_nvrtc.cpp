// SPDX-License-Identifier: Apache-2.0
// NVRTC's functions that a first call asks.
#include "null.hpp"

NULL_EXPORT int nvrtcVersion(int* major, int* minor) {
  null_driver::count(null_driver::function_nvrtcVersion);
  *major = 13;
  *minor = 0;
  return 0;
}
