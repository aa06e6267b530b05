// SPDX-License-Identifier: Apache-2.0
// Functions outside PTX that kernels call: printf, assert, malloc and free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "machine/warp.hpp"

namespace emulator {

/// printf output of a context, kept until the host synchronises. Thread-safe. Text beyond the capacity is dropped, as
/// on hardware.
class PrintBuffer {
 public:
  explicit PrintBuffer(std::size_t capacity = std::size_t{1} << 20) : capacity_(capacity) {}
  /// Adds one printf call's text. False where it does not fit.
  bool add(std::string_view text);
  /// Writes everything to the process's stdout, in order, and empties the buffer.
  void flush();
  /// CU_LIMIT_PRINTF_FIFO_SIZE.
  void set_capacity(std::size_t bytes);
  [[nodiscard]] std::size_t capacity() const;

 private:
  mutable std::mutex mutex_;
  std::size_t capacity_;
  std::string text_;
};

/// The heap of device-side malloc: allocations of kind heap in the address space. Thread-safe.
class DeviceHeap {
 public:
  DeviceHeap(AddressSpace& memory, std::uint64_t limit);
  ~DeviceHeap();
  DeviceHeap(const DeviceHeap&) = delete;
  DeviceHeap& operator=(const DeviceHeap&) = delete;
  /// A device address, or 0 where the limit is reached.
  std::uint64_t allocate(std::uint64_t bytes);
  /// False for an address that malloc did not give (a fault for the kernel); 0 is fine.
  bool free(std::uint64_t address);
  /// CU_LIMIT_MALLOC_HEAP_SIZE; only possible before the first allocation.
  bool set_limit(std::uint64_t bytes);
  [[nodiscard]] std::uint64_t limit() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Runs a system call for the lanes of `mask`: reads arguments from and writes results to the caller's frame.
Outcome run_system_call(Warp& warp, const CallSite& call, LaneMask mask) noexcept;

}  // namespace emulator
