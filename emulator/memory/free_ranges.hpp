// SPDX-License-Identifier: Apache-2.0
// The unused parts of the device range: the smallest one that fits is taken, neighbours are joined when given back.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace emulator {

/// Ranges of addresses that nobody uses.
class FreeRanges {
 public:
  /// A range of addresses.
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
  };

  FreeRanges(std::uint64_t begin, std::uint64_t bytes) { add(begin, bytes); }

  /// Takes `bytes` at a multiple of `alignment` (a power of two) from the smallest range that has room.
  std::optional<std::uint64_t> take(std::uint64_t bytes, std::uint64_t alignment);
  /// Gives a range back. Returns that range with those neighbours, of less than `small` bytes each, that it was
  /// joined with.
  Range give(std::uint64_t begin, std::uint64_t bytes, std::uint64_t small);

 private:
  void add(std::uint64_t begin, std::uint64_t bytes);
  void remove(std::uint64_t begin, std::uint64_t bytes);

  std::map<std::uint64_t, std::uint64_t> by_begin_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_bytes_;
};

}  // namespace emulator
