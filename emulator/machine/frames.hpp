// SPDX-License-Identifier: Apache-2.0
// Activations of functions: registers of 32 lanes and a call record, recycled by function so that constants are written once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "machine/function.hpp"

namespace emulator {

/// One activation, shared by the lanes that made the call together. Its registers follow the record.
struct alignas(64) Frame {
  const Function* function = nullptr;
  Frame* caller = nullptr;         ///< null: the kernel's own; while unused: the next unused frame
  const CallSite* call = nullptr;  ///< what made it; null for the kernel's own
  std::uint32_t return_pc = 0;     ///< in the caller
  std::uint32_t depth = 0;         ///< calls above the kernel
  std::uint32_t local_base = 0;    ///< where its local variables begin in each thread's local memory
  LaneMask lanes = 0;              ///< that have not returned or exited

  /// Where operand offsets count from.
  std::byte* base() { return reinterpret_cast<std::byte*>(this) + sizeof(Frame); }
};
static_assert(sizeof(Frame) == 64);

/// The frames of one worker thread. Not thread-safe: blocks stay with their worker.
class FrameArena {
 public:
  FrameArena() = default;
  FrameArena(const FrameArena&) = delete;
  FrameArena& operator=(const FrameArena&) = delete;

  /// A frame with constants in place and registers zeroed; null where there is no memory.
  Frame* take(const Function& function) noexcept;
  /// Takes a frame back.
  void give(Frame* frame) noexcept;
  /// Forgets all frames, and keeps a limited amount of their memory for the next grid.
  void reset() noexcept;

 private:
  struct FreeMemory {
    void operator()(std::byte* memory) const;
  };
  struct Chunk {
    std::unique_ptr<std::byte[], FreeMemory> memory;
    std::size_t size = 0;
  };

  Frame* make(const Function& function);
  std::byte* carve(std::size_t bytes);

  std::vector<Frame*> unused_;  // by Function::index
  std::vector<Chunk> chunks_;
  std::size_t chunk_ = 0;  // the one being carved
  std::size_t used_ = 0;   // bytes of it
};

}  // namespace emulator
