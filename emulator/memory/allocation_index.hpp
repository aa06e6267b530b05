// SPDX-License-Identifier: Apache-2.0
// The allocations sorted by address, searched by running kernels without a lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "memory/address_space.hpp"

namespace emulator {

/// Readers never wait: a version number tells them that a writer came in between. Writers take turns (the address
/// space's mutex).
class AllocationIndex {
 public:
  AllocationIndex();
  ~AllocationIndex();
  AllocationIndex(const AllocationIndex&) = delete;
  AllocationIndex& operator=(const AllocationIndex&) = delete;

  /// Adds an allocation that overlaps no other.
  void insert(const Allocation& allocation);
  /// Removes the allocation that begins at `begin`.
  void erase(std::uint64_t begin);
  /// Whether an allocation holds `address`, which then is in the cache. Nothing: writers came in between again and
  /// again, ask under the lock.
  std::optional<bool> find(std::uint64_t address, AddressCache& cache) const;

 private:
  struct Entry {
    std::atomic<std::uint64_t> begin{0};
    std::atomic<std::uint64_t> size{0};  ///< the top bit is set where kernels may write
    std::atomic<std::byte*> host{nullptr};
  };
  struct Table {
    explicit Table(std::size_t places) : capacity(places), entries(std::make_unique<Entry[]>(places)) {}
    std::size_t capacity;
    std::unique_ptr<Entry[]> entries;
  };
  void copy(const Entry& from, Entry& to);
  void grow();

  std::atomic<std::uint64_t> version_{0};  ///< odd while a writer is at work
  std::atomic<Table*> table_{nullptr};
  std::atomic<std::size_t> count_{0};
  std::vector<std::unique_ptr<Table>> tables_;  ///< outgrown ones stay: a reader may still be in them
};

}  // namespace emulator
