// SPDX-License-Identifier: Apache-2.0
// A sequence lock over a sorted array. Entries are atomics with acquire and release order, so that no fence is needed.
#include "memory/allocation_index.hpp"

#include <algorithm>

namespace emulator {

namespace {

constexpr std::uint64_t writable_bit = std::uint64_t{1} << 63;
constexpr std::size_t first_capacity = 64;
constexpr int attempts = 16;

}  // namespace

AllocationIndex::AllocationIndex() {
  tables_.push_back(std::make_unique<Table>(first_capacity));
  table_.store(tables_.back().get(), std::memory_order_release);
}

AllocationIndex::~AllocationIndex() = default;

void AllocationIndex::copy(const Entry& from, Entry& to) {
  to.begin.store(from.begin.load(std::memory_order_relaxed), std::memory_order_release);
  to.size.store(from.size.load(std::memory_order_relaxed), std::memory_order_release);
  to.host.store(from.host.load(std::memory_order_relaxed), std::memory_order_release);
}

void AllocationIndex::grow() {
  const Table& old = *tables_.back();
  auto larger = std::make_unique<Table>(old.capacity * 2);
  for (std::size_t place = 0; place < old.capacity; ++place) copy(old.entries[place], larger->entries[place]);
  tables_.push_back(std::move(larger));
  table_.store(tables_.back().get(), std::memory_order_release);
}

void AllocationIndex::insert(const Allocation& allocation) {
  const std::uint64_t version = version_.load(std::memory_order_relaxed);
  version_.store(version + 1, std::memory_order_relaxed);
  std::size_t place = count_.load(std::memory_order_relaxed);
  if (place == tables_.back()->capacity) grow();
  Entry* entries = tables_.back()->entries.get();
  count_.store(place + 1, std::memory_order_release);
  while (place > 0 && entries[place - 1].begin.load(std::memory_order_relaxed) > allocation.begin) {
    copy(entries[place - 1], entries[place]);
    --place;
  }
  const bool writable = allocation.kind != AllocationKind::constant;
  entries[place].begin.store(allocation.begin, std::memory_order_release);
  entries[place].size.store(allocation.size | (writable ? writable_bit : 0), std::memory_order_release);
  entries[place].host.store(allocation.host, std::memory_order_release);
  version_.store(version + 2, std::memory_order_release);
}

void AllocationIndex::erase(std::uint64_t begin) {
  const std::uint64_t version = version_.load(std::memory_order_relaxed);
  const std::size_t count = count_.load(std::memory_order_relaxed);
  Entry* entries = tables_.back()->entries.get();
  Entry* found = std::lower_bound(entries, entries + count, begin, [](const Entry& entry, std::uint64_t value) {
    return entry.begin.load(std::memory_order_relaxed) < value;
  });
  if (found == entries + count || found->begin.load(std::memory_order_relaxed) != begin) return;
  version_.store(version + 1, std::memory_order_relaxed);
  for (Entry* entry = found; entry + 1 < entries + count; ++entry) copy(entry[1], entry[0]);
  count_.store(count - 1, std::memory_order_release);
  version_.store(version + 2, std::memory_order_release);
}

std::optional<bool> AllocationIndex::find(std::uint64_t address, AddressCache& cache) const {
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const std::uint64_t version = version_.load(std::memory_order_acquire);
    if ((version & 1u) != 0) continue;
    const Table* table = table_.load(std::memory_order_acquire);
    std::size_t low = 0;
    std::size_t high = std::min(count_.load(std::memory_order_acquire), table->capacity);
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (table->entries[middle].begin.load(std::memory_order_acquire) <= address) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    AddressCache found;
    if (low > 0) {
      const Entry& entry = table->entries[low - 1];
      const std::uint64_t size = entry.size.load(std::memory_order_acquire);
      found.begin = entry.begin.load(std::memory_order_acquire);
      found.host = entry.host.load(std::memory_order_acquire);
      found.size = size & ~writable_bit;
      found.writable = (size & writable_bit) != 0;
    }
    if (version_.load(std::memory_order_relaxed) != version) continue;
    if (low == 0 || address - found.begin >= found.size) return false;
    cache = found;
    return true;
  }
  return std::nullopt;
}

}  // namespace emulator
