// SPDX-License-Identifier: Apache-2.0
// Prints what one call of each library answers.
#include <cuda_bindings/cuda_bindings.hpp>

#include <cstdio>

int main() {
  const auto [driver_status, driver] = cuda_bindings::cuDriverGetVersion();
  const auto [runtime_status, runtime] = cuda_bindings::cudaRuntimeGetVersion();
  const auto [nvrtc_status, major, minor] = cuda_bindings::nvrtcVersion();
  std::printf("driver %d %d, runtime %d %d, NVRTC %d %d.%d\n", static_cast<int>(driver_status), driver,
              static_cast<int>(runtime_status), runtime, static_cast<int>(nvrtc_status), major, minor);
}
