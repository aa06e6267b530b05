// SPDX-License-Identifier: Apache-2.0
// The CPU threads that run blocks, kept from launch to launch.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

namespace emulator {

/// Threads that help a caller through a body of work. One for the process: worker_pool().
class WorkerPool {
 public:
  /// Runs body(0) in this thread and body(1) ... body(count - 1) on pool threads that are free before it ends.
  /// Returns when all that began have ended. The body does not throw, and any number of calls of it finish the work.
  void run(unsigned count, const std::function<void(unsigned)>& body);
  /// Numbers the launches of the process.
  std::uint64_t next_launch();

 private:
  struct Job {
    const std::function<void(unsigned)>* body;
    unsigned next;
    unsigned count;
    unsigned running;
  };

  void serve();
  void grow(unsigned wanted);

  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable done_;
  std::deque<Job*> jobs_;
  unsigned threads_ = 0;
  std::uint64_t launches_ = 0;
};

/// The process's pool. It is never destroyed: its threads sleep until the process ends.
WorkerPool& worker_pool();

}  // namespace emulator
