// SPDX-License-Identifier: Apache-2.0
// Per-thread objects that go with their thread; a call made even later finds an empty one, not a destroyed one.
#pragma once

namespace emulator {

/// The calling thread's own T.
template <class T>
class ThreadOwned {
 public:
  static T& get() {
    if (object_ == nullptr) {
      object_ = new T;
      cleaner_.armed = true;
    }
    return *object_;
  }

 private:
  struct Cleaner {
    bool armed = false;
    ~Cleaner() {
      delete object_;
      object_ = nullptr;
    }
  };
  static inline thread_local T* object_ = nullptr;
  static inline thread_local Cleaner cleaner_;
};

}  // namespace emulator
