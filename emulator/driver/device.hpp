// SPDX-License-Identifier: Apache-2.0
// The one emulated device: its memory, its CPU threads, and the limits of the compute capability that it claims.
#pragma once

#include <atomic>
#include <cstdint>

#include "memory/address_space.hpp"

namespace emulator {

/// What depends on the compute capability.
struct CapabilityLimits {
  unsigned capability;             ///< 80 for 8.0; the row serves from here up to the next row
  std::uint32_t shared_per_block;  ///< with the opt-in attribute
  std::uint32_t shared_per_multiprocessor;
  std::uint32_t reserved_shared;     ///< taken from each block's share by the system
  std::uint32_t shared_granularity;  ///< allocation unit
  std::uint32_t threads_per_multiprocessor;
  std::uint32_t blocks_per_multiprocessor;
};

inline constexpr int device_ordinal = 0;
inline constexpr std::uint32_t max_block_threads = 1024;
inline constexpr std::uint32_t max_block_z = 64;
inline constexpr std::uint32_t max_grid_x = 0x7fffffff;
inline constexpr std::uint32_t max_grid_yz = 65535;
inline constexpr std::uint32_t default_shared_per_block = 48 * 1024;
inline constexpr std::uint32_t registers_per_multiprocessor = 65536;
inline constexpr char device_name[] = "Emulated CUDA device (CPU, cuda_bindings)";
inline constexpr unsigned char device_uuid[17] = "cuda_bindings-em";

/// The device. Made by cuInit, never destroyed.
class Device {
 public:
  static Device& instance();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  AddressSpace& memory() { return memory_; }
  /// CPU threads that run a kernel's blocks; also the number of multiprocessors that it claims.
  [[nodiscard]] unsigned threads() const { return threads_; }
  [[nodiscard]] const CapabilityLimits& limits() const { return limits_; }
  /// Thread-instructions that all kernels have executed.
  std::atomic<std::uint64_t>& executed() { return executed_; }

 private:
  Device();

  AddressSpace memory_;
  unsigned threads_;
  const CapabilityLimits& limits_;
  std::atomic<std::uint64_t> executed_{0};
};

}  // namespace emulator
