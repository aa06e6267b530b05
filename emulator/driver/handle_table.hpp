// SPDX-License-Identifier: Apache-2.0
// Live handles: a handle is a number that is no address and is never given twice, so that a stale one is found out.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

namespace emulator {

/// The next handle's value. Beyond 47 bits: code that dereferences it faults.
inline std::uintptr_t next_handle_value() {
  static std::atomic<std::uintptr_t> next{0xca0000000010};
  return next.fetch_add(16, std::memory_order_relaxed);
}

/// Handles of one type and the objects behind them. Thread-safe.
template <class Handle, class Object>
class HandleTable {
 public:
  /// A handle for the object.
  Handle add(std::shared_ptr<Object> object) {
    const auto handle = reinterpret_cast<Handle>(next_handle_value());
    put(handle, std::move(object));
    return handle;
  }

  /// Puts an object behind a handle that was given earlier.
  void put(Handle handle, std::shared_ptr<Object> object) {
    const std::unique_lock lock(mutex_);
    objects_[handle] = std::move(object);
  }

  /// The object, or null for a handle that is not live.
  std::shared_ptr<Object> find(Handle handle) const {
    const std::shared_lock lock(mutex_);
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }

  /// Forgets the handle and returns its object, or null.
  std::shared_ptr<Object> remove(Handle handle) {
    const std::unique_lock lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end()) return nullptr;
    std::shared_ptr<Object> object = std::move(found->second);
    objects_.erase(found);
    return object;
  }

  /// Forgets and returns all objects for which the condition holds.
  template <class Condition>
  std::vector<std::shared_ptr<Object>> remove_if(Condition&& condition) {
    std::vector<std::shared_ptr<Object>> removed;
    const std::unique_lock lock(mutex_);
    for (auto entry = objects_.begin(); entry != objects_.end();) {
      if (condition(*entry->second)) {
        removed.push_back(std::move(entry->second));
        entry = objects_.erase(entry);
      } else {
        ++entry;
      }
    }
    return removed;
  }

  /// All live objects.
  std::vector<std::shared_ptr<Object>> all() const {
    std::vector<std::shared_ptr<Object>> objects;
    const std::shared_lock lock(mutex_);
    for (const auto& entry : objects_) objects.push_back(entry.second);
    return objects;
  }

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<Handle, std::shared_ptr<Object>> objects_;
};

}  // namespace emulator
