// SPDX-License-Identifier: Apache-2.0
// Where lanes reach memory when they do not all run or do not lie side by side: one vectorised check, then
// resolve_lanes.
#include "ops/memory_lanes.hpp"

namespace emulator::EMULATOR_ISA {

namespace {

/// One or two lanes are looked at one by one.
bool is_few(LaneMask mask) {
  const LaneMask behind_first = mask & (mask - 1);
  return (behind_first & (behind_first - 1)) == 0;
}

/// Each lane's bit twice: 64-bit lanes are chosen with comparisons of 32 bits, which every instruction set has.
struct DoubledBits {
  alignas(64) LaneMask bit[2 * warp_size];
  constexpr DoubledBits() : bit{} {
    for (unsigned lane = 0; lane < warp_size; ++lane) bit[2 * lane] = bit[2 * lane + 1] = LaneMask{1} << lane;
  }
};
constexpr DoubledBits doubled_bits;

/// Lanes' addresses with the displacement; those of lanes outside the mask are an address of the mask.
void copy_addresses(const std::uint64_t* base, std::uint64_t displacement, LaneMask mask, std::uint64_t* address) {
  using Vector = LaneVector<std::uint64_t>;
  using Half = LaneVector<std::uint32_t>;
  if (mask == every_lane) {
    for (unsigned lane = 0; lane < warp_size; ++lane) address[lane] = base[lane] + displacement;
    return;
  }
  const std::uint64_t first = base[std::countr_zero(mask)];
  for (unsigned lane = 0; lane < warp_size; lane += Vector::lanes) {
    const Half::Type bits = *Half::at(doubled_bits.bit + 2 * lane);
    const auto chosen = reinterpret_cast<Vector::Type>((bits & mask) == bits);
    const Vector::Type lanes = (*Vector::at(base + lane) & chosen) | (first & ~chosen);
    std::memcpy(address + lane, &lanes, sizeof(lanes));
  }
  for (unsigned lane = 0; lane < warp_size; ++lane) address[lane] += displacement;
}

void copy_addresses(const std::uint32_t* base, std::uint32_t displacement, LaneMask mask, std::uint64_t* address) {
  const std::uint32_t first = base[std::countr_zero(mask)];
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const std::uint32_t chosen = (mask & lane_bits<std::uint32_t>.bit[lane]) != 0 ? base[lane] : first;
    address[lane] = static_cast<std::uint32_t>(chosen + displacement);
  }
}

Reach local_reach(const Warp& warp, std::uint64_t begin) {
  const Block& block = *warp.block;
  std::byte* first = block.local + std::uint64_t{warp.index} * warp_size * block.local_stride;
  return {begin, block.local_bytes, first, block.local_stride};
}

/// Where generic lanes are expected when the first one is at `address`.
Reach generic_reach(Warp& warp, const Op& op, LaneMask mask, const LaneAccess& access, std::uint64_t address) {
  const AddressSpace& memory = *warp.block->grid->memory;
  if (address - memory.local_window() < window_bytes) return local_reach(warp, memory.local_window());
  if (address - memory.shared_window() < window_bytes) {
    Reach shared = SharedMemory<std::uint64_t>::reach(warp, address, access.writes);
    shared.begin = memory.shared_window();
    return shared;
  }
  return all_global(warp, op, mask) ? global_reach(warp, address, access.writes) : Reach{};
}

Reach reach_of(Warp& warp, const Op& op, LaneMask mask, const LaneAccess& access, std::uint64_t address) {
  switch (access.space) {
    case Space::shared: return SharedMemory<std::uint64_t>::reach(warp, address, access.writes);
    case Space::local: return local_reach(warp, 0);
    case Space::generic: return generic_reach(warp, op, mask, access, address);
    case Space::global: break;
  }
  return global_reach(warp, address, access.writes);
}

}  // namespace

bool all_global(Warp& warp, const Op& op, LaneMask mask) noexcept {
  using Vector = LaneVector<std::uint64_t>;
  const auto* base = lane_values<std::uint64_t>(warp, op.operand[4]);
  const std::uint64_t start = op.immediate - warp.block->grid->memory->shared_window();
  // Shared and local memory's windows lie side by side and are a power of two together: no bit is set above an offset
  // in them.
  LaneMask inside = 0;
  if (mask == every_lane) {
    typename Vector::Type window = {};
    for (unsigned lane = 0; lane < warp_size; lane += Vector::lanes) {
      const auto above = (*Vector::at(base + lane) + start) & ~(2 * window_bytes - 1);
      window |= reinterpret_cast<Vector::Type>(above == 0);
    }
    return Vector::folded(window) == 0;
  }
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    inside |= base[lane] + start < 2 * window_bytes ? lane_bits<LaneMask>.bit[lane] : 0u;
  }
  return (inside & mask) == 0;
}

bool place_lanes(Warp& warp, const Op& op, LaneMask mask, Addressing from, const LaneAccess& access,
                 std::byte** host) noexcept {
  alignas(64) std::uint64_t address[warp_size];
  const auto* wide = lane_values<std::uint64_t>(warp, op.operand[4]);
  if (from.narrow) {
    const auto displacement = static_cast<std::uint32_t>(op.immediate);
    copy_addresses(lane_values<std::uint32_t>(warp, op.operand[4]), displacement, mask, address);
  } else if (is_few(mask)) {
    return resolve_lanes(warp, access, mask, wide, op.immediate, host);
  } else {
    copy_addresses(wide, op.immediate, mask, address);
  }
  const Reach reach = reach_of(warp, op, mask, access, address[0]);
  if (lanes_within(reach, address, std::uint64_t{0}, access.size)) {
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      host[lane] = reach.host + (address[lane] - reach.begin + lane * reach.stride);
    }
    return true;
  }
  if (from.narrow) return resolve_lanes(warp, access, mask, address, 0, host);
  return resolve_lanes(warp, access, mask, wide, op.immediate, host);
}

}  // namespace emulator::EMULATOR_ISA
