// SPDX-License-Identifier: Apache-2.0
// Which stream the null handle means during a call: the exports with a _ptds or _ptsz suffix set the per-thread one.
#pragma once

namespace emulator {

/// While it lives, the null stream of this thread's calls is the per-thread default stream.
class PerThreadDefaultStream {
 public:
  PerThreadDefaultStream() : before_(active_) { active_ = true; }
  ~PerThreadDefaultStream() { active_ = before_; }
  PerThreadDefaultStream(const PerThreadDefaultStream&) = delete;
  PerThreadDefaultStream& operator=(const PerThreadDefaultStream&) = delete;

  /// Whether one lives on this thread.
  static bool active() { return active_; }

 private:
  static inline thread_local bool active_ = false;
  bool before_;
};

}  // namespace emulator
