// SPDX-License-Identifier: Apache-2.0
// Where the lanes of one instruction reach memory, checked to the byte. The op files' fast paths fall back to this.
#pragma once

#include <cstddef>
#include <cstdint>

#include "machine/warp.hpp"

namespace emulator {

/// State spaces that an instruction names.
enum class Space : std::uint8_t { global, shared, local, generic };

/// What an instruction does at its address.
struct LaneAccess {
  Space space = Space::generic;
  std::uint32_t size = 4;  ///< bytes of one lane, which are also its alignment
  bool reads = false;
  bool writes = false;
};

/// The allocation holding `address` out of the warp's older ones, else of the address space, which then is the cached
/// one; null where no allocation does. For addresses that the cache does not hold. The result is valid until the next
/// call.
const AddressCache* meet_allocation(Warp& warp, std::uint64_t address) noexcept;

/// Empties the warp's caches: an allocation that they may hold ends.
void forget_allocations(Warp& warp) noexcept;

/// Finds the bytes of every lane in `mask` at base[lane] + displacement. False: the fault of the first lane that may
/// not is raised, and no lane may touch anything. Strict mode's record of written shared memory is checked and kept
/// here.
bool resolve_lanes(Warp& warp, const LaneAccess& access, LaneMask mask, const std::uint64_t* base,
                   std::uint64_t displacement, std::byte** host) noexcept;

/// Host address of `bytes` readable bytes at a generic address as the thread in `lane` sees it, or null. No fault is
/// raised.
const std::byte* readable_bytes(Warp& warp, unsigned lane, std::uint64_t address, std::uint64_t bytes);

/// How many bytes can be read from a generic address on; 0 where it is nobody's.
std::uint64_t readable_extent(Warp& warp, unsigned lane, std::uint64_t address);

}  // namespace emulator
