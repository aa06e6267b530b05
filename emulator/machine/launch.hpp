// SPDX-License-Identifier: Apache-2.0
// Runs a grid to its end on CPU threads. The driver layer's stream workers call this; it returns when the last block has ended.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "machine/fault.hpp"
#include "machine/warp.hpp"

namespace emulator {

/// One kernel launch, checked by the driver layer: sizes are within the device's limits.
struct Launch {
  const Kernel* kernel = nullptr;
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared = 0;
  std::vector<std::byte> parameters;  ///< packed at the kernel's offsets, kernel->parameter_bytes long
  bool cooperative = false;           ///< all blocks resident at once; the workspace for grid sync is made here
  std::uint32_t stack_limit = 1024;   ///< CU_LIMIT_STACK_SIZE
};

/// What the device gives to its kernels.
struct DeviceServices {
  AddressSpace* memory = nullptr;
  PrintBuffer* prints = nullptr;
  DeviceHeap* heap = nullptr;
  unsigned threads = 1;                            ///< CPU threads to use
  std::atomic<std::uint64_t>* executed = nullptr;  ///< counts thread-instructions; null: nobody asks
};

/// Runs all blocks. Returns the fault that ended the grid, or nothing. Never throws, never ends the process, and returns in finite time
/// when a time limit is set (options().timeout_seconds) or `abandon` becomes true.
std::optional<Fault> run_grid(const Launch& launch, const DeviceServices& services, const std::atomic<bool>& abandon);

/// Most blocks that a cooperative launch may have (they are all resident at once).
std::uint64_t cooperative_limit(const Kernel& kernel, std::uint32_t block_threads, std::uint32_t dynamic_shared);

}  // namespace emulator
