// SPDX-License-Identifier: Apache-2.0
// A memory pool: its settings and how much of it is in use. What is freed goes back to the device at once.
#pragma once

#include <algorithm>
#include <mutex>

#include "driver/entry.hpp"

namespace emulator {

/// A memory pool.
class PoolObject {
 public:
  explicit PoolObject(std::size_t most) : most_(most) {}

  /// Counts an allocation; false where the pool's maximum does not allow it.
  bool take(cuuint64_t bytes) {
    const std::lock_guard lock(mutex_);
    if (most_ != 0 && bytes > most_ - std::min<cuuint64_t>(used_, most_)) return false;
    used_ += bytes;
    used_high_ = std::max(used_high_, used_);
    return true;
  }
  /// Counts a freed allocation.
  void freed(cuuint64_t bytes) {
    const std::lock_guard lock(mutex_);
    used_ -= std::min(used_, bytes);
  }
  /// Reads an attribute into `value`, of the type that the attribute has.
  void get(CUmemPool_attribute attribute, void* value) const;
  /// Sets an attribute; the counters can only be reset to 0.
  void set(CUmemPool_attribute attribute, const void* value);

 private:
  mutable std::mutex mutex_;
  cuuint64_t most_;
  cuuint64_t used_ = 0;
  cuuint64_t used_high_ = 0;
  cuuint64_t release_threshold_ = 0;
  int reuse_[3] = {1, 1, 1};  // follow event dependencies, opportunistic, internal dependencies
};

/// The device's default pool.
CUmemoryPool default_pool();

}  // namespace emulator
