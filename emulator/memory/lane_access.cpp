// SPDX-License-Identifier: Apache-2.0
// One lane after the other: window, allocation, bounds, alignment, strict mode's record.
#include "memory/lane_access.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

namespace emulator {

namespace {

constexpr std::uint64_t below_32_bits = std::uint64_t{1} << 32;

/// A range of memory that holds an address; size 0: nobody's.
struct Range {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::byte* host = nullptr;
  bool writable = true;
};

Range shared_range(const Warp& warp, std::uint64_t begin) {
  return {begin, warp.block->shared_bytes, warp.block->shared, true};
}

Range local_range(const Warp& warp, unsigned lane, std::uint64_t begin) {
  const Block& block = *warp.block;
  const std::uint64_t thread = std::uint64_t{warp.index} * warp_size + lane;
  return {begin, block.local_bytes, block.local + thread * block.local_stride, true};
}

Range global_range(Warp& warp, std::uint64_t address) {
  const AddressCache* cache = &warp.cache;
  if (address - cache->begin >= cache->size) cache = meet_allocation(warp, address);
  if (cache == nullptr) return {};
  return {cache->begin, cache->size, cache->host, cache->writable};
}

Range generic_range(Warp& warp, unsigned lane, std::uint64_t address) {
  const AddressSpace& memory = *warp.block->grid->memory;
  const std::uint64_t shared = memory.shared_window();
  if (address - shared < window_bytes) return shared_range(warp, shared);
  const std::uint64_t local = memory.local_window();
  if (address - local < window_bytes) return local_range(warp, lane, local);
  return global_range(warp, address);
}

Range range_of(Warp& warp, Space space, unsigned lane, std::uint64_t address) {
  switch (space) {
    case Space::global: return global_range(warp, address);
    case Space::shared: return shared_range(warp, 0);
    case Space::local: return local_range(warp, lane, 0);
    case Space::generic: break;
  }
  return generic_range(warp, lane, address);
}

/// Addresses of shared and local memory have 32 bits: a sum that leaves them wraps, unless its base was no such
/// address.
std::uint64_t effective_address(Space space, std::uint64_t base, std::uint64_t displacement) {
  const std::uint64_t sum = base + displacement;
  const bool narrow = space == Space::shared || space == Space::local;
  return narrow && base < below_32_bits ? sum & (below_32_bits - 1) : sum;
}

std::string bounds_note(const Warp& warp, Space space, std::uint64_t address) {
  const AddressSpace& memory = *warp.block->grid->memory;
  const bool shared =
      space == Space::shared || (space == Space::generic && address - memory.shared_window() < window_bytes);
  std::string note = shared ? "the block has " + std::to_string(warp.block->shared_bytes) + " bytes of shared memory"
                            : "the thread has " + std::to_string(warp.block->local_bytes) + " bytes of local memory";
  const std::uint64_t window = shared ? memory.shared_window() : memory.local_window();
  if (space != Space::generic && address - window < window_bytes) {
    note += "; the address is a generic one (cvta.to is missing)";
  }
  return note;
}

bool is_window_address(const Warp& warp, std::uint64_t address) {
  const AddressSpace& memory = *warp.block->grid->memory;
  return address - memory.shared_window() < window_bytes || address - memory.local_window() < window_bytes;
}

void raise(Warp& warp, FaultKind kind, LaneMask lanes, const LaneAccess& access, std::uint64_t address) {
  if (access.space == Space::global || (access.space == Space::generic && !is_window_address(warp, address))) {
    raise_access_fault(warp, kind, lanes, address, access.size, access.writes);
    return;
  }
  raise_fault(warp, kind, lanes);
  warp.fault->address = address;
  warp.fault->size = access.size;
  warp.fault->is_write = access.writes;
  if (kind == FaultKind::illegal_address) warp.fault->note = bounds_note(warp, access.space, address);
}

/// Strict mode: false, with the fault raised, where a lane reads bytes of shared memory that nobody has written.
bool check_written(Warp& warp, const LaneAccess& access, LaneMask mask, std::byte* const* host) {
  const Block& block = *warp.block;
  const auto is_shared = [&](unsigned lane) {
    return host[lane] >= block.shared && host[lane] < block.shared + block.shared_bytes;
  };
  if (access.reads) {
    for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      if (!is_shared(lane)) continue;
      const auto offset = static_cast<std::uint64_t>(host[lane] - block.shared);
      const std::byte* written = block.shared_written + offset;
      const std::byte* unwritten = std::find(written, written + access.size, std::byte{0});
      if (unwritten == written + access.size) continue;
      raise_fault(warp, FaultKind::strict, rest & (~rest + 1));
      warp.fault->address = offset;
      warp.fault->size = access.size;
      warp.fault->is_write = false;
      warp.fault->note = "reads shared memory that was never written, from offset " +
                         std::to_string(unwritten - block.shared_written) + " on";
      return false;
    }
  }
  if (!access.writes) return true;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (is_shared(lane)) std::memset(block.shared_written + (host[lane] - block.shared), 1, access.size);
  }
  return true;
}

}  // namespace

const AddressCache* meet_allocation(Warp& warp, std::uint64_t address) noexcept {
  for (const AddressCache& older : warp.older) {
    if (address - older.begin < older.size) return &older;
  }
  AddressCache found;
  if (!warp.block->grid->memory->find(address, found)) return nullptr;
  std::move_backward(std::begin(warp.older), std::end(warp.older) - 1, std::end(warp.older));
  warp.older[0] = std::exchange(warp.cache, found);
  return &warp.cache;
}

void forget_allocations(Warp& warp) noexcept {
  warp.cache = {};
  for (AddressCache& older : warp.older) older = {};
}

bool resolve_lanes(Warp& warp, const LaneAccess& access, LaneMask mask, const std::uint64_t* base,
                   std::uint64_t displacement, std::byte** host) noexcept {
  FaultKind kind = FaultKind::none;
  LaneMask faulting = 0;
  std::uint64_t fault_address = 0;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t address = effective_address(access.space, base[lane], displacement);
    FaultKind lane_kind = FaultKind::none;
    if ((address & (access.size - 1)) != 0) {
      lane_kind = FaultKind::misaligned_address;
    } else {
      const Range range = range_of(warp, access.space, lane, address);
      const std::uint64_t offset = address - range.begin;
      const bool inside = offset < range.size && access.size <= range.size - offset;
      if (!inside || (access.writes && !range.writable)) {
        lane_kind = FaultKind::illegal_address;
      } else {
        host[lane] = range.host + offset;
      }
    }
    if (lane_kind == FaultKind::none) continue;
    if (faulting == 0) {
      kind = lane_kind;
      fault_address = address;
    }
    if (lane_kind == kind) faulting |= LaneMask{1} << lane;
  }
  if (faulting != 0) {
    raise(warp, kind, faulting, access, fault_address);
    return false;
  }
  return warp.block->shared_written == nullptr || check_written(warp, access, mask, host);
}

const std::byte* readable_bytes(Warp& warp, unsigned lane, std::uint64_t address, std::uint64_t bytes) {
  const Range range = generic_range(warp, lane, address);
  const std::uint64_t offset = address - range.begin;
  return offset < range.size && bytes <= range.size - offset ? range.host + offset : nullptr;
}

std::uint64_t readable_extent(Warp& warp, unsigned lane, std::uint64_t address) {
  const Range range = generic_range(warp, lane, address);
  return address - range.begin < range.size ? range.size - (address - range.begin) : 0;
}

}  // namespace emulator
