// SPDX-License-Identifier: Apache-2.0
// A stream and an event: both are names for places in the graph of work.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "driver/engine.hpp"
#include "driver/entry.hpp"

namespace emulator {

/// A stream: the last work put into it. Its context guards `last`.
struct Stream {
  CUstream handle = nullptr;  ///< what its creator holds; CU_STREAM_LEGACY or _PER_THREAD for the default ones
  std::weak_ptr<Context> context;
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
  CUsynchronizationPolicy policy = CU_SYNC_POLICY_AUTO;
  WorkPointer last;
};

/// An event: the marker of its last recording; null until it is recorded.
struct Event {
  std::weak_ptr<Context> context;
  unsigned flags = 0;
  std::mutex mutex;
  WorkPointer recorded;

  /// The marker of the last recording, or null.
  WorkPointer marker() {
    const std::lock_guard lock(mutex);
    return recorded;
  }
};

}  // namespace emulator
