// SPDX-License-Identifier: Apache-2.0
// The state that handlers see: the running group of one warp, its block and its grid. Plain structs: any of them can be parked.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common/types.hpp"
#include "machine/fault.hpp"
#include "machine/function.hpp"
#include "machine/op.hpp"
#include "memory/address_space.hpp"

namespace emulator {

class PrintBuffer;
class DeviceHeap;
struct Grid;
struct Frame;
struct WarpScheduling;   // machine/scheduler.hpp: the waiting groups of a warp
struct BlockScheduling;  // machine/scheduler.hpp: barriers and warps of a block

/// One thread block while it is resident.
struct Block {
  Grid* grid = nullptr;
  Dim3 index{0, 0, 0};
  std::uint32_t threads = 0;
  std::byte* shared = nullptr;  ///< static then dynamic shared memory, 256-aligned
  std::uint32_t shared_bytes = 0;
  std::uint32_t dynamic_shared = 0;     ///< offset at which dynamic shared memory begins
  std::byte* shared_written = nullptr;  ///< strict mode: one byte a byte, non-zero once written; else null
  std::byte* local = nullptr;           ///< thread t's local memory begins at local + t * local_stride
  std::uint32_t local_stride = 0;       ///< odd number of cache lines, so that lanes do not share cache sets
  std::uint32_t local_bytes = 0;        ///< bytes a thread may use (<= local_stride)
  BlockScheduling* scheduling = nullptr;
};

/// One warp. The handler-facing part describes the group that is running now.
struct Warp {
  std::byte* frame = nullptr;  ///< base of all operand offsets; 64-byte aligned
  LaneMask active = 0;         ///< lanes of the running group
  LaneMask idle = 0;           ///< lanes that never existed or have exited: their registers may be overwritten
  LaneMask carry = 0;          ///< CC.CF, one bit a thread
  std::uint32_t pc = 0;        ///< index of the next op of `function`; jumps write it
  const Function* function = nullptr;
  Frame* activation = nullptr;   ///< the frame's call record: caller, return pc, local base
  std::uint32_t local_base = 0;  ///< where this activation's local variables begin in each thread's local memory
  Block* block = nullptr;
  std::uint32_t index = 0;  ///< in its block; thread t of lane i is index * 32 + i
  AddressCache cache;       ///< last allocation met
  AddressCache older[3];    ///< those met before it, see meet_allocation
  WarpScheduling* scheduling = nullptr;
  Fault* fault = nullptr;  ///< filled by the handler that returns Outcome::fault
  alignas(64) std::uint32_t thread_x[warp_size] = {};
  std::uint32_t thread_y[warp_size] = {};
  std::uint32_t thread_z[warp_size] = {};
};

/// What a launch shares between its blocks.
struct Grid {
  const Kernel* kernel = nullptr;
  Dim3 size;
  Dim3 block_size;
  std::uint32_t dynamic_shared_bytes = 0;
  const std::byte* parameters = nullptr;  ///< kernel->parameter_bytes, 16-aligned
  const AddressSpace* memory = nullptr;
  PrintBuffer* prints = nullptr;
  DeviceHeap* heap = nullptr;
  std::uint64_t workspace = 0;  ///< of grid sync: %envreg1 high word, %envreg2 low word; 0 unless cooperative
  std::uint32_t local_limit =
      0;                      ///< bytes of local memory a thread may use (CU_LIMIT_STACK_SIZE or what the kernel needs)
  std::uint32_t workers = 1;  ///< CPU threads: what %nsmid answers
  std::uint64_t id = 0;       ///< %gridid: launches of the process before this one
  std::uint64_t parameter_address =
      0;  ///< device address of a copy of the parameters, where Kernel::entry_address asks
  bool strict = false;
  std::atomic<std::uint64_t>* executed = nullptr;  ///< thread-instructions of the device, or null
  std::atomic<bool> stop{false};                   ///< a fault somewhere: all blocks end
};

/// Fills the place of a fault (kernel, line, thread of the first lane in `lanes`, block) and returns Outcome::fault.
Outcome raise_fault(Warp& warp, FaultKind kind, LaneMask lanes);
/// The same for a memory access at `address` of `size` bytes; the note describes the nearest allocation.
Outcome raise_access_fault(Warp& warp, FaultKind kind, LaneMask lanes, std::uint64_t address, std::uint32_t size,
                           bool is_write);

/// The lanes of an operand. T is the storage type: uint64_t, int64_t or double for 64 bits, a 4-byte type for everything narrower.
template <class T>
T* lane_values(Warp& warp, std::uint32_t offset) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  return reinterpret_cast<T*>(__builtin_assume_aligned(warp.frame + offset, 64));
}

/// A predicate operand as a mask; bit 0 of the offset negates.
inline LaneMask read_predicate(const Warp& warp, std::uint32_t operand) {
  const LaneMask value = *reinterpret_cast<const LaneMask*>(warp.frame + (operand & ~1u));
  return value ^ (0u - (operand & 1u));
}

/// Writes a predicate for the lanes of `mask` only.
inline void write_predicate(Warp& warp, std::uint32_t operand, LaneMask mask, LaneMask bits) {
  LaneMask& value = *reinterpret_cast<LaneMask*>(warp.frame + operand);
  value = (value & ~mask) | (bits & mask);
}

}  // namespace emulator
