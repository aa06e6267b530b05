// SPDX-License-Identifier: Apache-2.0
// Best fit over two orders of the same ranges: by address and by size.
#include "memory/free_ranges.hpp"

#include <iterator>

namespace emulator {

void FreeRanges::add(std::uint64_t begin, std::uint64_t bytes) {
  if (bytes == 0) return;
  by_begin_.emplace(begin, bytes);
  by_bytes_.emplace(bytes, begin);
}

void FreeRanges::remove(std::uint64_t begin, std::uint64_t bytes) {
  by_begin_.erase(begin);
  by_bytes_.erase({bytes, begin});
}

std::optional<std::uint64_t> FreeRanges::take(std::uint64_t bytes, std::uint64_t alignment) {
  for (auto range = by_bytes_.lower_bound({bytes, 0}); range != by_bytes_.end(); ++range) {
    const auto [range_bytes, begin] = *range;
    const std::uint64_t aligned = (begin + alignment - 1) & ~(alignment - 1);
    const std::uint64_t skipped = aligned - begin;
    if (skipped > range_bytes || range_bytes - skipped < bytes) continue;
    remove(begin, range_bytes);
    add(begin, skipped);
    add(aligned + bytes, range_bytes - skipped - bytes);
    return aligned;
  }
  return std::nullopt;
}

FreeRanges::Range FreeRanges::give(std::uint64_t begin, std::uint64_t bytes, std::uint64_t small) {
  Range joined{begin, bytes};
  Range idle{begin, bytes};
  const auto after = by_begin_.lower_bound(begin);
  std::optional<Range> left;
  std::optional<Range> right;
  if (after != by_begin_.end() && after->first == begin + bytes) right = Range{after->first, after->second};
  if (after != by_begin_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == begin) left = Range{before->first, before->second};
  }
  if (right) {
    remove(right->begin, right->bytes);
    joined.bytes += right->bytes;
    if (right->bytes < small) idle.bytes += right->bytes;
  }
  if (left) {
    remove(left->begin, left->bytes);
    joined = {left->begin, joined.bytes + left->bytes};
    if (left->bytes < small) idle = {left->begin, idle.bytes + left->bytes};
  }
  add(joined.begin, joined.bytes);
  return joined.bytes < small ? Range{begin, 0} : idle;
}

}  // namespace emulator
