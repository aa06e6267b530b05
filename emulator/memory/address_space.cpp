// SPDX-License-Identifier: Apache-2.0
// Allocations inside one reserved range whose public addresses nobody can dereference; the bytes live in a second
// mapping.
#include "memory/address_space.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <deque>
#include <iterator>
#include <mutex>
#include <new>
#include <utility>

#include "memory/allocation_index.hpp"
#include "memory/free_ranges.hpp"
#include "memory/mapping.hpp"

namespace emulator {

namespace {

constexpr std::uint64_t granule = 256;
/// At least this much stays unused behind an allocation where there is room, so that the first element beyond its end
/// is nobody's.
constexpr std::uint64_t gap = 16;
/// Freed ranges from this size on go back to the operating system at once.
constexpr std::uint64_t discard_bytes = std::uint64_t{1} << 20;
/// What describe() remembers of freed allocations.
constexpr std::size_t remembered = 64;
/// An allocation farther away than this explains nothing.
constexpr std::uint64_t near_bytes = std::uint64_t{1} << 24;

constexpr std::uint64_t rounded_up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

const char* kind_name(AllocationKind kind) {
  constexpr std::array names = {"device memory",   "memory of a pool",   "a module's variable",
                                "constant memory", "device-side heap",   "grid workspace",
                                "managed memory",  "pinned host memory", "registered host memory"};
  return names[static_cast<std::size_t>(kind)];
}

std::string text(const char* format, std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) {
  std::array<char, 160> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), format, static_cast<unsigned long long>(a),
                                   static_cast<unsigned long long>(b), static_cast<unsigned long long>(c));
  return {buffer.data(), static_cast<std::size_t>(length)};
}

std::string range_text(const Allocation& allocation) {
  return text("the %llu bytes at 0x%llx", allocation.size, allocation.begin) + " (" + kind_name(allocation.kind) + ")";
}

}  // namespace

struct AddressSpace::State {
  explicit State(std::uint64_t bytes)
      : total(rounded_up(std::max<std::uint64_t>(bytes, granule), std::uint64_t{1} << 16)),
        addresses(total, Mapping::Access::none),
        storage(total, Mapping::Access::read_write),
        windows(3 * window_bytes, Mapping::Access::none),
        ranges(storage_begin(), total) {
    if (!storage || !windows) throw std::bad_alloc();
  }

  /// The public range, or the storage itself where the system refused a second range.
  [[nodiscard]] std::uint64_t storage_begin() const { return addresses ? addresses.address() : storage.address(); }
  [[nodiscard]] std::byte* host(std::uint64_t address) const { return storage.begin() + (address - storage_begin()); }

  /// The allocation holding an address, or the end.
  [[nodiscard]] std::map<std::uint64_t, Allocation>::const_iterator holder(std::uint64_t address) const {
    auto after = allocations.upper_bound(address);
    if (after == allocations.begin()) return allocations.end();
    --after;
    return address - after->first < after->second.size ? after : allocations.end();
  }

  std::uint64_t total;
  Mapping addresses;
  Mapping storage;
  Mapping windows;
  mutable std::shared_mutex mutex;
  FreeRanges ranges;
  std::map<std::uint64_t, Allocation> allocations;
  AllocationIndex index;
  std::deque<Allocation> freed;
  std::uint64_t used = 0;
  std::uint64_t next_id = 1;
};

AddressSpace::AddressSpace(std::uint64_t device_bytes) : state_(new State(device_bytes)) {}

AddressSpace::~AddressSpace() { delete state_; }

std::optional<Allocation> AddressSpace::allocate(std::uint64_t size, AllocationKind kind, std::uint64_t alignment) {
  if (size == 0 || size > state_->total) return std::nullopt;
  alignment = std::max(granule, std::bit_ceil(alignment));
  const std::unique_lock lock(state_->mutex);
  Allocation allocation;
  allocation.reserved = rounded_up(size + gap, granule);
  std::optional<std::uint64_t> begin = state_->ranges.take(allocation.reserved, alignment);
  if (!begin) {
    allocation.reserved = rounded_up(size, granule);
    begin = state_->ranges.take(allocation.reserved, alignment);
  }
  if (!begin) return std::nullopt;
  allocation.begin = *begin;
  allocation.size = size;
  allocation.host = state_->host(*begin);
  allocation.kind = kind;
  allocation.id = state_->next_id++;
  state_->used += allocation.reserved;
  state_->allocations.emplace(allocation.begin, allocation);
  state_->index.insert(allocation);
  return allocation;
}

bool AddressSpace::add_host(void* memory, std::uint64_t size, AllocationKind kind, unsigned flags) {
  Allocation allocation;
  allocation.begin = reinterpret_cast<std::uint64_t>(memory);
  allocation.size = size;
  if (memory == nullptr || size == 0 || allocation.begin + size < allocation.begin) return false;
  allocation.host = static_cast<std::byte*>(memory);
  allocation.kind = kind;
  allocation.flags = flags;
  const std::uint64_t device_begin = state_->storage_begin();
  if (allocation.begin < device_begin + state_->total && device_begin < allocation.begin + size) return false;
  const std::unique_lock lock(state_->mutex);
  const auto after = state_->allocations.lower_bound(allocation.begin);
  if (after != state_->allocations.end() && after->first - allocation.begin < size) return false;
  if (state_->holder(allocation.begin) != state_->allocations.end()) return false;
  allocation.id = state_->next_id++;
  state_->allocations.emplace(allocation.begin, allocation);
  state_->index.insert(allocation);
  return true;
}

bool AddressSpace::release(std::uint64_t begin) {
  const std::unique_lock lock(state_->mutex);
  const auto found = state_->allocations.find(begin);
  if (found == state_->allocations.end()) return false;
  const Allocation allocation = found->second;
  state_->index.erase(begin);
  state_->allocations.erase(found);
  state_->freed.push_back(allocation);
  if (state_->freed.size() > remembered) state_->freed.pop_front();
  if (allocation.reserved == 0) return true;
  state_->used -= allocation.reserved;
  const FreeRanges::Range idle = state_->ranges.give(begin, allocation.reserved, discard_bytes);
  state_->storage.discard(idle.begin - state_->storage_begin(), idle.bytes);
  return true;
}

std::optional<Allocation> AddressSpace::find(std::uint64_t address) const {
  const std::shared_lock lock(state_->mutex);
  const auto found = state_->holder(address);
  if (found == state_->allocations.end()) return std::nullopt;
  return found->second;
}

bool AddressSpace::find(std::uint64_t address, AddressCache& cache) const {
  if (const std::optional<bool> found = state_->index.find(address, cache)) return *found;
  const std::optional<Allocation> allocation = find(address);
  if (!allocation) return false;
  cache = {allocation->begin, allocation->size, allocation->host, allocation->kind != AllocationKind::constant};
  return true;
}

void AddressSpace::label(std::uint64_t begin, std::uint64_t tag, unsigned flags) {
  const std::unique_lock lock(state_->mutex);
  const auto found = state_->allocations.find(begin);
  if (found == state_->allocations.end()) return;
  found->second.tag = tag;
  found->second.flags = flags;
}

std::string AddressSpace::describe(std::uint64_t address) const {
  if (address - shared_window() < window_bytes) {
    return text("offset %llu of the shared memory window", address - shared_window());
  }
  if (address - local_window() < window_bytes) {
    return text("offset %llu of the local memory window", address - local_window());
  }
  if (address - code_window() < window_bytes) return "the address of a function";
  const std::shared_lock lock(state_->mutex);
  const auto& allocations = state_->allocations;
  if (const auto holder = state_->holder(address); holder != allocations.end()) {
    return text("%llu bytes into ", address - holder->first) + range_text(holder->second);
  }
  for (auto old = state_->freed.rbegin(); old != state_->freed.rend(); ++old) {
    if (!old->contains(address, 1)) continue;
    return text("freed earlier: %llu bytes into ", address - old->begin) + range_text(*old);
  }
  const auto after = allocations.upper_bound(address);
  const std::uint64_t ahead = after == allocations.end() ? near_bytes : after->first - address;
  std::uint64_t behind = near_bytes;
  if (after != allocations.begin()) {
    const Allocation& before = std::prev(after)->second;
    behind = address - (before.begin + before.size);
    if (behind < near_bytes && behind <= ahead) return text("%llu bytes behind ", behind) + range_text(before);
  }
  if (ahead < near_bytes) return text("%llu bytes before ", ahead) + range_text(after->second);
  return address < granule ? "a null pointer with an offset" : "near nothing that is allocated";
}

std::uint64_t AddressSpace::total_bytes() const { return state_->total; }

std::uint64_t AddressSpace::free_bytes() const {
  const std::shared_lock lock(state_->mutex);
  return state_->total - state_->used;
}

bool AddressSpace::in_device_range(std::uint64_t address) const {
  return address - state_->storage_begin() < state_->total;
}

std::uint64_t AddressSpace::shared_window() const { return state_->windows.address(); }

std::uint64_t AddressSpace::local_window() const { return state_->windows.address() + window_bytes; }

std::uint64_t AddressSpace::code_window() const { return state_->windows.address() + 2 * window_bytes; }

}  // namespace emulator
