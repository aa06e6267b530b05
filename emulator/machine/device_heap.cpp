// SPDX-License-Identifier: Apache-2.0
// malloc and free of kernels, on top of the address space.
#include <unordered_map>

#include "machine/system_calls.hpp"

namespace emulator {

namespace {

/// Blocks are counted against the limit in units of this, as malloc aligns them.
constexpr std::uint64_t unit = 16;

}  // namespace

struct DeviceHeap::State {
  State(AddressSpace& space, std::uint64_t bytes) : memory(space), limit(bytes) {}

  AddressSpace& memory;
  mutable std::mutex mutex;
  std::uint64_t limit;
  std::uint64_t used = 0;
  bool was_used = false;
  std::unordered_map<std::uint64_t, std::uint64_t> blocks;  ///< address to bytes counted
};

DeviceHeap::DeviceHeap(AddressSpace& memory, std::uint64_t limit) : state_(std::make_unique<State>(memory, limit)) {}

DeviceHeap::~DeviceHeap() {
  for (const auto& [address, bytes] : state_->blocks) state_->memory.release(address);
}

std::uint64_t DeviceHeap::allocate(std::uint64_t bytes) {
  const std::lock_guard lock(state_->mutex);
  state_->was_used = true;
  if (bytes == 0 || bytes > state_->limit) return 0;
  const std::uint64_t counted = (bytes + unit - 1) / unit * unit;
  if (counted > state_->limit - state_->used) return 0;
  const std::optional<Allocation> allocation = state_->memory.allocate(bytes, AllocationKind::heap);
  if (!allocation) return 0;
  state_->blocks.emplace(allocation->begin, counted);
  state_->used += counted;
  return allocation->begin;
}

bool DeviceHeap::free(std::uint64_t address) {
  if (address == 0) return true;
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->blocks.find(address);
  if (found == state_->blocks.end()) return false;
  state_->used -= found->second;
  state_->blocks.erase(found);
  state_->memory.release(address);
  return true;
}

bool DeviceHeap::set_limit(std::uint64_t bytes) {
  const std::lock_guard lock(state_->mutex);
  if (state_->was_used) return false;
  state_->limit = bytes;
  return true;
}

std::uint64_t DeviceHeap::limit() const {
  const std::lock_guard lock(state_->mutex);
  return state_->limit;
}

}  // namespace emulator
