// SPDX-License-Identifier: Apache-2.0
// The generated table of libcuda's exports: what cuGetProcAddress chooses from and the coverage print lists.
#pragma once

#include <span>

namespace emulator {

/// One export under one name by which it may be asked for.
struct EntryPoint {
  const char* base;          ///< "cuMemAlloc": the name without its version
  const char* link;          ///< "cuMemAlloc_v2"
  int since;                 ///< 3020: the release whose callers mean this form; 0: not stated
  bool implemented;          ///< false: returns CUDA_ERROR_NOT_SUPPORTED
  void* address;             ///< with the legacy default stream
  void* address_per_thread;  ///< with the per-thread default stream; null where there is no such form
};

/// All rows, by base name and within it from the oldest form to the newest.
std::span<const EntryPoint> entry_points();

}  // namespace emulator
