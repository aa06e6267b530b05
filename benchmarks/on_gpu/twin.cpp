// SPDX-License-Identifier: Apache-2.0
// The C++ twin of the GPU's part: the same calls in a loop, through the same function pointers, without Python.
#include <chrono>
#include <cstdint>

#define TWIN_EXPORT extern "C" [[gnu::visibility("default")]]

namespace {

using Launch = int (*)(void*, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
                       unsigned int, void*, void**, void**);
using Synchronize = int (*)(void*);
using Properties = int (*)(void*, int);

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

/// Nanoseconds of `count` launches and, unless `synchronize` is NULL, the wait for the last; negative where one fails.
TWIN_EXPORT std::int64_t twin_launch(Launch launch, Synchronize synchronize, void* kernel, unsigned int grid,
                                     unsigned int block, void* stream, void** arguments, int count) {
  const std::int64_t begun = now();
  for (int index = 0; index < count; ++index) {
    const int status = launch(kernel, grid, 1, 1, block, 1, 1, 0, stream, arguments, nullptr);
    if (status != 0) return -status;
  }
  const int status = synchronize != nullptr ? synchronize(stream) : 0;
  return status != 0 ? -status : now() - begun;
}

/// Nanoseconds of `count` calls of cudaGetDeviceProperties; negative where one fails.
TWIN_EXPORT std::int64_t twin_properties(Properties properties, void* record, int device, int count) {
  const std::int64_t begun = now();
  for (int index = 0; index < count; ++index) {
    const int status = properties(record, device);
    if (status != 0) return -status;
  }
  return now() - begun;
}
